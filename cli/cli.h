/* SPDX-License-Identifier: MIT */
/* What the files of the `abut` command share. The command sees the installed headers only; a
 * command is one file with one `cli_run_…` function, listed in cli_commands (main.c).
 *
 * Everything a command prints is collected first and written at the end (cli_text_write), so
 * that a run that fails half-way leaves standard output empty instead of holding half a JSON
 * document. */
#ifndef ABUT_CLI_H
#define ABUT_CLI_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "abut/abut.h"

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_CONTACT = 1, /* only with --exit-code */
    CLI_USAGE = 2,   /* bad usage or bad scene */
    CLI_FAILED = 3,  /* memory, an unsupported pair, output */
    CLI_UNDECIDED = 4
} cli_exit;

/* ---- text.c: collected output, and messages ---- */

/* A growing string. `failed` is sticky: once memory runs out, additions do nothing, and writing
 * reports it. */
typedef struct cli_text {
    char *bytes;
    size_t length, capacity;
    bool failed;
} cli_text;

void cli_text_add(cli_text *text, const char *bytes, size_t length);
void cli_text_puts(cli_text *text, const char *string);
void cli_text_printf(cli_text *text, const char *format, ...) CLI_PRINTF(2, 3);
/* For the eye: control characters and bytes that are not UTF-8 appear as \xNN, so that a name
 * from a file cannot drive the terminal. */
void cli_text_safe(cli_text *text, const char *string);
/* Numbers for the eye, at six significant digits. */
void cli_text_number(cli_text *text, double x);
void cli_text_vec3(cli_text *text, abut_vec3 v);
/* "0.5", "0.5 (±1e-16)", "0.1 to 0.3", "≥ 2", "unknown"; "0 (±3e-17)" where 0 is in a tiny one. */
void cli_text_interval(cli_text *text, abut_interval v);
void cli_text_clear(cli_text *text);
/* Writes all to standard output and frees it; returns `code`, or CLI_FAILED with a message when
 * it cannot. */
int cli_text_write(cli_text *text, int code);

/* Length of the UTF-8 sequence at s (1 to 4), 0 when it is none; *code receives the character. */
int cli_utf8(const char *s, uint32_t *code);

/* "abut: …" on standard error, one line. */
void cli_message(const char *format, ...) CLI_PRINTF(1, 2);
/* "abut: file:line: path: text"; returns the exit code that goes with the status. */
int cli_report(abut_status status, const abut_error *error);
int cli_out_of_memory(void);

/* The candidate nearest to `word`, or NULL when none is near enough to be what was meant. */
typedef const char *(*cli_candidate_fn)(const void *ctx, size_t index);
const char *cli_nearest(const char *word, const void *ctx, size_t count, cli_candidate_fn candidate);

/* ---- args.c: the command line ---- */

#define CLI_OPTION_LIST(X) \
    X(HELP)                \
    X(VERSION)             \
    X(JSON)                \
    X(TIME)                \
    X(PAIR)                \
    X(RAY)                 \
    X(POINT)               \
    X(SEGMENT)             \
    X(SIMULTANEITY)        \
    X(SEPARATION)          \
    X(ACCURACY)            \
    X(MAX_ITERATIONS)      \
    X(METHOD)              \
    X(NEWTON)              \
    X(ORDER)               \
    X(THREADS)             \
    X(NO_TANGENCY)         \
    X(CONTACTS)            \
    X(SELF)                \
    X(WITHIN)              \
    X(MEETING)             \
    X(NEAREST)             \
    X(MOVING)              \
    X(BAND)                \
    X(REGIONS)             \
    X(RELATIVE)            \
    X(INDEPENDENT)         \
    X(ALL)                 \
    X(NAMES)               \
    X(STATS)               \
    X(EXIT_CODE)           \
    X(OUTPUT)              \
    X(SIZE)                \
    X(CAMERA)              \
    X(ZOOM)                \
    X(DARK)                \
    X(SECONDS)

typedef enum cli_option {
#define CLI_OPTION_ENUM(name) CLI_OPT_##name,
    CLI_OPTION_LIST(CLI_OPTION_ENUM)
#undef CLI_OPTION_ENUM
        CLI_OPT_COUNT
} cli_option;

#define CLI_BIT(option) (UINT64_C(1) << CLI_OPT_##option)

typedef struct cli_args cli_args;

typedef struct cli_command {
    const char *name;
    const char *operands;    /* for the usage line: "SCENE OBJECT" */
    const char *usage;       /* the options that matter most, for the usage line */
    const char *summary;     /* one line */
    const char *description; /* paragraphs for --help */
    const char *example;     /* command lines for --help */
    uint64_t options;        /* bits of those it takes, besides --help and --version */
    size_t operand_count;    /* exactly so many */
    bool needs_output;       /* --output must be given */
    int (*run)(const cli_args *args);
} cli_command;

extern const cli_command cli_commands[];
extern const size_t cli_command_count;

typedef struct cli_name_pair {
    const char *a, *b;
} cli_name_pair;

struct cli_args {
    const cli_command *command;
    const char *operands[2];
    uint64_t given; /* bits of the options that were given */
    double time, simultaneity, separation, accuracy, within, relative, band;
    uint64_t max_iterations, contacts, threads;
    abut_newton_method newton;
    abut_queue_order order;
    const char *method;
    double ray[6], point[3], segment[6];
    cli_name_pair *pairs; /* of --pair, in order */
    size_t pair_count;
    const char *output;
    int size[2];
    double camera[2], zoom, seconds;
};

#define CLI_GIVEN(args, option) (((args)->given & CLI_BIT(option)) != 0)

/* Reads the command line and runs what it asks for. */
int cli_main(int argc, char **argv);

/* ---- json.c: one JSON document ---- */

/* Commas are put by the writer. Numbers have 17 significant digits; a number that is not finite
 * becomes null, since JSON has no word for it. */
typedef struct cli_json {
    cli_text *out;
    bool comma;
} cli_json;

void cli_json_open(cli_json *json, char bracket);
void cli_json_close(cli_json *json, char bracket);
/* Returns json, so that the value can follow: cli_json_number(cli_json_key(json, "area"), area). */
cli_json *cli_json_key(cli_json *json, const char *key);
/* The next element starts on a new line. */
void cli_json_line(cli_json *json);
void cli_json_string(cli_json *json, const char *string);
void cli_json_number(cli_json *json, double x);
void cli_json_integer(cli_json *json, int64_t x);
void cli_json_count(cli_json *json, uint64_t x);
void cli_json_bool(cli_json *json, bool x);
void cli_json_null(cli_json *json);
void cli_json_interval(cli_json *json, abut_interval v);
void cli_json_vec3(cli_json *json, abut_vec3 v);
/* [[x,y,z],[x,y,z]] */
void cli_json_aabb(cli_json *json, abut_aabb box);
/* What touches of each of two bodies: "features":["face","edge"], "ids":[3,0] */
void cli_json_features(cli_json *json, const abut_feature features[2]);
void cli_json_ids(cli_json *json, const int64_t ids[2]);

/* ---- table.c: aligned columns ---- */

#define CLI_TABLE_COLUMNS 10

/* Left-aligned columns two blanks apart; the last cell of a line has no padding. Cells are
 * written to `text` of the table with the cli_text functions, each ended by cli_table_next. */
typedef struct cli_table {
    int columns;
    cli_text text;
    size_t *ends; /* of the cells in text */
    size_t cells, capacity;
} cli_table;

void cli_table_begin(cli_table *table, int columns, const char *const *headings);
void cli_table_next(cli_table *table);
/* Adds the table to `out` and frees it. */
void cli_table_end(cli_table *table, cli_text *out);

/* ---- session.c: a scene, the pairs to ask about, the options of the query ---- */

typedef struct cli_pair {
    size_t a, b; /* objects */
} cli_pair;

typedef struct cli_session {
    const cli_args *args;
    const char *file; /* as messages name it */
    abut_scene *scene;
    abut_workspace *workspace;
    abut_interval range; /* the scene's time */
    double time;         /* the instant asked about */
    /* Those asked about: listed by --pair or the scene, or all where a command needs the list. */
    cli_pair *pairs;
    size_t pair_count;
    bool listed;
    size_t considered;     /* pairs asked about, listed or not */
    abut_first_opts first; /* options of first and intervals, without callbacks */
    abut_check_method check_method;
    abut_surface_solver surface_solver; /* what `first` points at */
    abut_counters counters;             /* summed over the pairs */
    double opened, loaded;              /* seconds */
    bool to_terminal;                   /* standard error is one */
    size_t progress_pair, progress_reports;
    bool together; /* the pairs are asked about in one query */
    double progress_last;
    cli_pair *missing; /* the pairs that are not supported yet */
    size_t missing_capacity;
    size_t unsupported, undecided;
} cli_session;

/* Which pairs a command has listed. FEW: all where they are few, otherwise as LISTED. */
typedef enum cli_pairs { CLI_PAIRS_NONE, CLI_PAIRS_LISTED, CLI_PAIRS_FEW, CLI_PAIRS_ALL } cli_pairs;
enum { CLI_FEW_PAIRS = 2000 };

/* Reads the scene (operand 0), and with pairs chooses them (LISTED: no list of those by default,
 * which the world behind the scene finds itself) and checks the query options. Returns CLI_DONE, or
 * the exit code after a message; close it in either case. */
int cli_session_open(cli_session *session, const cli_args *args, cli_pairs pairs);
void cli_session_close(cli_session *session);
/* Checks that object `index` has a place at the time asked about. */
int cli_session_check_time(const cli_session *session, size_t index);
/* Checks that no object has a singular placement for good. */
int cli_session_check_places(const cli_session *session);
/* To be called before each pair; also the progress callback of the queries (ctx: the session). */
void cli_session_progress(cli_session *session, size_t pair);
bool cli_session_progress_fn(void *ctx, double fraction);
/* Takes the progress line off the terminal. */
void cli_session_progress_end(cli_session *session);
void cli_session_count(cli_session *session, const abut_counters *counters);

/* What to do about a pair whose query answered other than ABUT_OK: CLI_DONE after noting that
 * the pair is not supported yet (the others can go on), or the exit code. */
int cli_session_pair_failed(cli_session *session, const cli_pair *pair, abut_status status);
/* The same for a query about all pairs. */
int cli_session_failed(cli_session *session, abut_status status);
/* The message for an object that a query on single objects failed on; returns the exit code. */
int cli_session_object_failed(const cli_session *session, size_t index, abut_status status);
/* "unsupported": [{"a":…,"b":…,"reason":…}], when there are any. */
void cli_session_unsupported_json(const cli_session *session, cli_json *json);
/* The pair's line in a table. */
void cli_session_unsupported_row(const cli_session *session, const cli_pair *pair, cli_table *table);
/* Notes, with a message, that an answer is undecided: that of a pair, or of an object (a == b). */
void cli_session_pair_undecided(cli_session *session, const cli_pair *pair, abut_stop stop);
/* "ring (torus, linear) against block (polyhedron)" */
void cli_session_describe(const cli_session *session, size_t index, cli_text *out);
const char *cli_session_name(const cli_session *session, size_t index);
/* Index of the object of that name; -1 after a message, with the nearest name. */
int64_t cli_session_find(const cli_session *session, const char *name);

/* "a":…,"b":… */
void cli_session_pair_json(const cli_session *session, const cli_pair *pair, cli_json *json);
/* "parts":[i,j], where one of the two is a compound; -1 for the other. */
void cli_session_parts_json(const cli_session *session, const cli_pair *pair, const int32_t parts[2],
                            cli_json *json);
/* Two cells with their names. */
void cli_session_pair_cells(const cli_session *session, const cli_pair *pair, cli_table *table);

/* "stats" in JSON, a line for people; when --stats is given. `counted`: the command has work
 * counters. */
void cli_session_stats_json(const cli_session *session, cli_json *json, bool counted);
void cli_session_stats_text(const cli_session *session, cli_text *out, bool counted);
/* What every pair of a query over time ends with: "stop" where the budget did not do, "counters"
 * where asked for; closes the pair. */
void cli_session_pair_end(const cli_session *session, cli_json *json, abut_stop stop,
                          const abut_counters *counters);
/* "counters":{…}; those of meshes once more by their own names. */
void cli_json_counters(cli_json *json, const abut_counters *counters, bool meshes);
/* Exit code when all has been computed: CLI_FAILED when a pair is missing, CLI_CONTACT when
 * asked for. */
int cli_session_exit(const cli_session *session, bool contact);
/* Seconds on a clock that only goes forward. */
double cli_clock(void);

/* ---- contacts.c: which triangles of meshes meet ---- */

typedef struct cli_contacts {
    cli_pair pair; /* a == b: a mesh and itself */
    abut_triangle_contact *items;
    size_t count, all; /* listed; found, undecided ones included */
    abut_contacts_result result;
} cli_contacts;

/* ---- touch.c: contacts of two solids by entity ---- */

typedef struct cli_touch {
    bool found;
    abut_touch_result result;
    abut_touch_lists lists;
} cli_touch;

/* Is one of the two a polyhedron, or are bands or regions asked for? */
bool cli_touch_is_asked(const cli_session *session, const cli_pair *pair);
/* To be cleared in any case. ABUT_ERR_UNSUPPORTED where they are not both solids of triangles. */
abut_status cli_touch_find(const cli_session *session, const cli_pair *pair, cli_touch *out);
void cli_touch_clear(cli_touch *touch);
void cli_touch_regions_json(const cli_touch *touch, cli_json *json);

bool cli_is_mesh(const abut_shape *shape);
/* With --self: meshes of the pairs that --pair names, otherwise all of the scene. */
bool cli_session_asks_about_mesh(const cli_session *session, size_t object);
/* From the frame of a body to the world. */
void cli_contacts_place(const abut_affine *at, abut_vec3 *point, abut_vec3 *normal);
/* The first `limit` pairs of triangles that meet, of two objects that are meshes; clear it in
 * either case. */
abut_status cli_contacts_find(const cli_session *session, const cli_pair *pair, size_t limit,
                              cli_contacts *out);
void cli_contacts_clear(cli_contacts *list);
/* "contact_count":…,"contacts":[…] */
void cli_contacts_json(const cli_session *session, const cli_contacts *list, cli_json *json);
/* A line of six cells for each: both names, the triangles, how they meet, the ends of what they
 * have in common. */
void cli_contacts_rows(const cli_session *session, const cli_contacts *list, cli_table *table);

/* ---- many.c: the world behind a scene ---- */

typedef struct cli_many {
    cli_session *session;
    abut_world *world; /* body i is object i */
    abut_world_query_opts query;
    abut_body_id (*list)[2]; /* where pairs are listed */
    size_t list_count;
    size_t considered; /* pairs asked about */
} cli_many;

/* All objects over that time. CLI_DONE, or the exit code after a message; close it in either case. */
int cli_many_open(cli_many *many, cli_session *session, abut_interval time);
void cli_many_close(cli_many *many);

/* ---- intervals.c, independent.c: questions about the whole time range ---- */

/* Where a pair's answer goes. */
typedef struct cli_answers {
    cli_json *json; /* or NULL: the table */
    cli_table table;
    bool contact;              /* some pair has one */
    size_t considered, listed; /* pairs */
} cli_answers;

/* What tells one such question from the other. */
typedef struct cli_question {
    const char *sentence; /* over the table, before the time range */
    const char *flag;     /* key of a `true` in the document, or NULL */
    const char *const *headings;
    int columns;
    /* Asks about a pair and writes its answer; `room` is kept from pair to pair. */
    abut_status (*ask)(cli_session *session, const cli_pair *pair, void *room, cli_answers *to);
    /* or about all pairs at once; CLI_DONE, or the exit code after a message */
    int (*ask_all)(cli_session *session, void *room, cli_answers *to);
} cli_question;

int cli_ask_pairs(cli_session *session, const cli_question *question, void *room);
/* Behind intervals --independent. */
int cli_run_independent(cli_session *session);

/* ---- one file each ---- */

int cli_run_check(const cli_args *args);
int cli_run_first(const cli_args *args);
int cli_run_intervals(const cli_args *args);
int cli_run_cast(const cli_args *args);
int cli_run_classify(const cli_args *args);
int cli_run_info(const cli_args *args);
int cli_run_view(const cli_args *args);
int cli_run_draw(const cli_args *args);
/* mesh_info.c: `info` of a mesh file, and the parts of it that a scene's meshes have too. */
int cli_run_mesh_info(const cli_args *args);
/* solid_info.c: `info` of a STEP or BREP file. */
int cli_run_solid_info(const cli_args *args);
/* The fields of the report but for "vertices". */
void cli_mesh_report_json(cli_json *json, const abut_mesh_report *report);
/* "hierarchy":{…} */
void cli_hierarchy_json(cli_json *json, const abut_hierarchy_info *info, size_t triangles);
/* "hierarchy", "ball" and "box" of a CAD solid. */
void cli_solid_volumes_json(const abut_shape *shape, cli_json *json);
/* "closed", "not closed", "closed, turned inward", "closed, not oriented" */
const char *cli_mesh_kind(const abut_mesh_report *report);
void cli_hierarchy_text(cli_text *out, const abut_hierarchy_info *info, size_t triangles);

#endif
