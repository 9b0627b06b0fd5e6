/* SPDX-License-Identifier: MIT */
/* What the commands on scenes share: reading the scene (a file, or standard input), choosing the
 * pairs, joining the options of the command line with those of the scene, progress, statistics,
 * and the words about pairs that have no answer. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* More than this of standard input is refused, as the library refuses larger files. */
#define STDIN_LIMIT ((size_t)1 << 30)

/* Pairs without an answer that get a line of their own; a scene of a thousand cones would give
 * half a million. */
#define MESSAGE_LIMIT 10

double cli_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the scene ---- */

static int read_stdin(cli_text *out)
{
    char block[65536];
    size_t got;
    while ((got = fread(block, 1, sizeof block, stdin)) > 0) {
        cli_text_add(out, block, got);
        if (out->length > STDIN_LIMIT) {
            cli_message("<stdin>: more than 1 GiB");
            return CLI_USAGE;
        }
    }
    if (ferror(stdin)) {
        cli_message("<stdin>: %s", strerror(errno));
        return CLI_USAGE;
    }
    return out->failed ? cli_out_of_memory() : CLI_DONE;
}

static int load(cli_session *session)
{
    abut_error error = { .index = -1 };
    abut_status status;
    if (strcmp(session->args->operands[0], "-") == 0) {
        cli_text input = { 0 };
        session->file = "<stdin>";
        const int code = read_stdin(&input);
        if (code) {
            cli_text_clear(&input);
            return code;
        }
        status = abut_scene_parse(input.bytes ? input.bytes : "", input.length, session->file, NULL,
                                  &session->scene, &error);
        cli_text_clear(&input);
    } else {
        session->file = session->args->operands[0];
        status = abut_scene_load(session->file, NULL, &session->scene, &error);
    }
    if (status == ABUT_OK)
        return CLI_DONE;
    session->scene = NULL;
    return cli_report(status, &error);
}

const char *cli_session_name(const cli_session *session, size_t index)
{
    return abut_scene_get_object(session->scene, index).name;
}

/* ---- pairs ---- */

static const char *object_candidate(const void *ctx, size_t index)
{
    return cli_session_name(ctx, index);
}

int64_t cli_session_find(const cli_session *session, const char *name)
{
    const int64_t index = abut_scene_find(session->scene, name);
    if (index < 0) {
        const char *nearest =
            cli_nearest(name, session, abut_scene_object_count(session->scene), object_candidate);
        if (nearest)
            cli_message("%s: there is no object '%s'; did you mean '%s'?", session->file, name, nearest);
        else
            cli_message("%s: there is no object '%s'", session->file, name);
    }
    return index;
}

static bool has_pair(const cli_session *session, size_t a, size_t b)
{
    for (size_t i = 0; i < session->pair_count; ++i) {
        const cli_pair p = session->pairs[i];
        if ((p.a == a && p.b == b) || (p.a == b && p.b == a))
            return true;
    }
    return false;
}

/* Those of the scene's list, or all by default. */
static int take_scene_pairs(cli_session *session)
{
    const size_t count = abut_scene_pair_count(session->scene);
    if (count > (size_t)1 << 32) {
        cli_message("%s: %zu pairs are too many to list; --meeting lists those that meet", session->file,
                    count);
        return CLI_FAILED;
    }
    session->pairs = malloc((count ? count : 1) * sizeof *session->pairs);
    if (!session->pairs)
        return cli_out_of_memory();
    for (size_t i = 0; i < count; ++i)
        abut_scene_get_pair(session->scene, i, &session->pairs[i].a, &session->pairs[i].b);
    session->pair_count = session->considered = count;
    return CLI_DONE;
}

/* Those of --pair in the order given, a repeated one once; else those of the scene. */
static int choose_pairs(cli_session *session, cli_pairs wanted)
{
    const cli_args *const args = session->args;
    session->listed = args->pair_count || abut_scene_has_pair_list(session->scene);
    session->considered = abut_scene_pair_count(session->scene);
    const bool all =
        wanted == CLI_PAIRS_ALL || (wanted == CLI_PAIRS_FEW && session->considered <= CLI_FEW_PAIRS);
    if (!args->pair_count && (session->listed || all))
        return take_scene_pairs(session);
    if (!args->pair_count)
        return CLI_DONE;
    session->pairs = malloc(args->pair_count * sizeof *session->pairs);
    if (!session->pairs)
        return cli_out_of_memory();
    for (size_t i = 0; i < args->pair_count; ++i) {
        const int64_t a = cli_session_find(session, args->pairs[i].a);
        const int64_t b = a < 0 ? -1 : cli_session_find(session, args->pairs[i].b);
        if (b < 0)
            return CLI_USAGE;
        if (a == b) {
            cli_message("--pair: '%s' is given as both objects", args->pairs[i].a);
            return CLI_USAGE;
        }
        if (!has_pair(session, (size_t)a, (size_t)b))
            session->pairs[session->pair_count++] = (cli_pair){ (size_t)a, (size_t)b };
    }
    session->considered = session->pair_count;
    return CLI_DONE;
}

/* ---- options ---- */

static bool find_method(const char *name, abut_first_method *out)
{
    for (int i = 0; i < ABUT_METHOD_COUNT; ++i)
        if (strcmp(name, abut_first_method_name((abut_first_method)i)) == 0) {
            *out = (abut_first_method)i;
            return true;
        }
    return false;
}

/* Of check: how CAD solids are tested. */
static bool find_check_method(const char *name, abut_check_method *out)
{
    for (int i = 0; i < ABUT_CHECK_METHOD_COUNT; ++i)
        if (strcmp(name, abut_check_method_name((abut_check_method)i)) == 0) {
            *out = (abut_check_method)i;
            return true;
        }
    return false;
}

static int unknown_method(const char *name, bool of_check)
{
    cli_text names = { 0 };
    for (int i = 0; i < ABUT_METHOD_COUNT; ++i)
        cli_text_printf(&names, "%s%s", i > 0 ? ", " : "", abut_first_method_name((abut_first_method)i));
    for (int i = 1; of_check && i < ABUT_CHECK_METHOD_COUNT; ++i)
        cli_text_printf(&names, ", %s", abut_check_method_name((abut_check_method)i));
    cli_message("--method: there is no method '%s'; there are: %s", name, names.failed ? "" : names.bytes);
    cli_text_clear(&names);
    return CLI_USAGE;
}

/* The command line first, then the scene, then the library's default. */
static int merge_query(cli_session *session)
{
    const cli_args *const args = session->args;
    const abut_scene_query query = abut_scene_get_query(session->scene);
    abut_first_opts *const first = &session->first;
    abut_first_opts_init(first);
    first->time = session->range;
    if (CLI_GIVEN(args, SIMULTANEITY))
        first->simultaneity = args->simultaneity;
    else if (!isnan(query.simultaneity))
        first->simultaneity = query.simultaneity;
    if (CLI_GIVEN(args, SEPARATION))
        first->separation = args->separation;
    else if (!isnan(query.separation))
        first->separation = query.separation;
    if (CLI_GIVEN(args, ACCURACY))
        first->accuracy = args->accuracy;
    else if (!isnan(query.accuracy))
        first->accuracy = query.accuracy;
    if (CLI_GIVEN(args, MAX_ITERATIONS))
        first->max_iterations = args->max_iterations;
    else if (query.max_iterations)
        first->max_iterations = query.max_iterations;
    session->surface_solver = (abut_surface_solver){ .newton = args->newton,
                                                     .order = args->order,
                                                     .no_tangency = CLI_GIVEN(args, NO_TANGENCY) };
    first->surface_solver = &session->surface_solver;
    first->threads = (int)args->threads;
    if (session->to_terminal) {
        first->progress = cli_session_progress_fn;
        first->progress_ctx = session;
    }
    const char *const method = CLI_GIVEN(args, METHOD) ? args->method : query.method;
    const bool of_check = strcmp(args->command->name, "check") == 0;
    session->check_method = ABUT_CHECK_AUTO;
    if (!method || (of_check && find_check_method(method, &session->check_method)) ||
        find_method(method, &first->method))
        return CLI_DONE;
    return unknown_method(method, of_check);
}

int cli_session_open(cli_session *session, const cli_args *args, cli_pairs pairs)
{
    *session = (cli_session){ .args = args, .to_terminal = isatty(STDERR_FILENO) == 1 };
    session->opened = session->loaded = cli_clock();
    int code = load(session);
    session->loaded = cli_clock();
    if (code)
        return code;
    session->range = abut_scene_time(session->scene);
    session->time = CLI_GIVEN(args, TIME) ? args->time : session->range.lo;
    if (pairs == CLI_PAIRS_NONE)
        return CLI_DONE;
    code = choose_pairs(session, pairs);
    if (code)
        return code;
    code = merge_query(session);
    if (code)
        return code;
    return abut_workspace_create(NULL, &session->workspace) == ABUT_OK ? CLI_DONE : cli_out_of_memory();
}

void cli_session_close(cli_session *session)
{
    abut_workspace_destroy(session->workspace);
    abut_scene_destroy(session->scene);
    free(session->pairs);
    free(session->missing);
    *session = (cli_session){ 0 };
}

/* ---- time and place ---- */

static bool is_static(const abut_motion *motion)
{
    return abut_motion_get_type(motion) == ABUT_MOTION_STATIC;
}

int cli_session_check_time(const cli_session *session, size_t index)
{
    const abut_scene_object object = abut_scene_get_object(session->scene, index);
    if (is_static(object.motion))
        return CLI_DONE;
    const abut_interval own = abut_motion_get_range(object.motion);
    const double t = session->time, lo = fmax(own.lo, session->range.lo),
                 hi = fmin(own.hi, session->range.hi);
    if (t >= lo && t <= hi)
        return CLI_DONE;
    cli_message("time %.17g: '%s' moves from %.17g to %.17g only", t, object.name, lo, hi);
    return CLI_USAGE;
}

/* ---- progress ---- */

static void show_progress(cli_session *session, double fraction)
{
    const double now = cli_clock();
    /* Short runs stay silent, long ones show five lines a second at most. */
    if (now - session->loaded < 0.5 || now - session->progress_last < 0.2)
        return;
    session->progress_last = now;
    if (session->together)
        fprintf(stderr, "\rabut: %zu pairs", session->considered);
    else
        fprintf(stderr, "\rabut: pair %zu of %zu", session->progress_pair + 1, session->pair_count);
    if (fraction >= 0 && fraction <= 1)
        fprintf(stderr, " (%.0f %%) ", 100 * fraction);
    else
        fputs("         ", stderr);
    fflush(stderr);
    ++session->progress_reports;
}

void cli_session_progress(cli_session *session, size_t pair)
{
    session->progress_pair = pair;
    if (session->to_terminal && pair % 64 == 0)
        show_progress(session, -1);
}

bool cli_session_progress_fn(void *ctx, double fraction)
{
    show_progress(ctx, fraction);
    return true;
}

void cli_session_progress_end(cli_session *session)
{
    if (session->progress_reports)
        fprintf(stderr, "\r%*s\r", 60, "");
    session->progress_reports = 0;
}

/* ---- the names of a pair ---- */

void cli_session_pair_json(const cli_session *session, const cli_pair *pair, cli_json *json)
{
    cli_json_string(cli_json_key(json, "a"), cli_session_name(session, pair->a));
    cli_json_string(cli_json_key(json, "b"), cli_session_name(session, pair->b));
}

static bool is_compound(const cli_session *session, size_t object)
{
    return abut_shape_get_type(abut_scene_get_object(session->scene, object).shape) == ABUT_SHAPE_COMPOUND;
}

void cli_session_parts_json(const cli_session *session, const cli_pair *pair, const int32_t parts[2],
                            cli_json *json)
{
    const bool a = is_compound(session, pair->a), b = is_compound(session, pair->b);
    if (!a && !b)
        return;
    cli_json_open(cli_json_key(json, "parts"), '[');
    cli_json_integer(json, a ? parts[0] : -1);
    cli_json_integer(json, b ? parts[1] : -1);
    cli_json_close(json, ']');
}

void cli_session_pair_cells(const cli_session *session, const cli_pair *pair, cli_table *table)
{
    cli_text_safe(&table->text, cli_session_name(session, pair->a));
    cli_table_next(table);
    cli_text_safe(&table->text, cli_session_name(session, pair->b));
    cli_table_next(table);
}

/* ---- how messages name an object, a pair ---- */

void cli_session_describe(const cli_session *session, size_t index, cli_text *out)
{
    const abut_scene_object object = abut_scene_get_object(session->scene, index);
    const abut_motion_type motion = abut_motion_get_type(object.motion);
    cli_text_printf(out, "%s (%s", object.name, abut_shape_type_name(abut_shape_get_type(object.shape)));
    if (motion != ABUT_MOTION_STATIC)
        cli_text_printf(out, ", %s", abut_motion_type_name(motion));
    else if (!abut_motion_is_rigid(object.motion))
        cli_text_puts(out, ", affine");
    cli_text_puts(out, ")");
}

static void describe_pair(const cli_session *session, const cli_pair *pair, cli_text *out)
{
    cli_session_describe(session, pair->a, out);
    cli_text_puts(out, " against ");
    cli_session_describe(session, pair->b, out);
}

static void pair_message(cli_session *session, const cli_pair *pair, const char *what)
{
    cli_text words = { 0 };
    cli_session_progress_end(session);
    if (pair->a == pair->b)
        cli_session_describe(session, pair->a, &words);
    else
        describe_pair(session, pair, &words);
    cli_message("%s: %s", words.failed ? "a pair" : words.bytes, what);
    cli_text_clear(&words);
}

/* ---- why an object has no answer ---- */

/* The shortest decimal in an enclosure of a time, from its beginning on. */
static void add_time(cli_text *out, abut_interval at)
{
    const double tries[] = { at.lo, 0.5 * at.lo + 0.5 * at.hi, at.hi };
    for (int digits = 1; digits <= 17; ++digits)
        for (int i = 0; i < 3; ++i) {
            char word[40];
            snprintf(word, sizeof word, "%.*g", digits, tries[i]);
            const double t = strtod(word, NULL);
            if (t >= at.lo && t <= at.hi) {
                cli_text_puts(out, word);
                return;
            }
        }
}

/* "its placement is singular at time 0.5" */
static bool add_singular(const abut_motion *motion, abut_interval range, cli_text *out)
{
    abut_interval at;
    bool found = false;
    if (abut_ellipsoid_find_singular(motion, &range, &found, &at) != ABUT_OK || !found)
        return false;
    cli_text_puts(out, "its placement is singular");
    if (!is_static(motion)) {
        cli_text_puts(out, " at time ");
        add_time(out, at);
    }
    return true;
}

static bool is_unbounded(const abut_motion *motion, double lo, double hi)
{
    abut_interval_affine velocity;
    return abut_motion_enclose_velocity(motion, (abut_interval){ lo, hi }, &velocity) == ABUT_ERR_VALUE;
}

/* "its velocity is not bounded at time 0": the first such time, narrowed down by halving. */
static bool add_unbounded(const abut_motion *motion, abut_interval at, cli_text *out)
{
    if (!is_unbounded(motion, at.lo, at.hi))
        return false;
    for (int i = 0; i < 80; ++i) {
        const double mid = 0.5 * at.lo + 0.5 * at.hi;
        if (!(mid > at.lo && mid < at.hi))
            break;
        if (is_unbounded(motion, at.lo, mid))
            at.hi = mid;
        else if (is_unbounded(motion, mid, at.hi))
            at.lo = mid;
        else
            break;
    }
    cli_text_puts(out, "its velocity is not bounded at time ");
    add_time(out, at);
    return true;
}

/* Says which object has a placement or a path that the query cannot take, where in the file,
 * what of it, and when; false where none is to blame. */
static bool report_value(const cli_session *session, size_t index)
{
    const abut_motion *const motion = abut_scene_get_object(session->scene, index).motion;
    const bool instant = (session->args->command->options & CLI_BIT(TIME)) != 0;
    const abut_interval range = instant ? (abut_interval){ session->time, session->time } : session->range;
    cli_text words = { 0 };
    cli_text_printf(&words, "%s: objects[%zu].%s: ", session->file, index,
                    is_static(motion) ? "pose" : "motion");
    cli_session_describe(session, index, &words);
    cli_text_puts(&words, ": ");
    const bool found = add_singular(motion, range, &words) || add_unbounded(motion, range, &words);
    if (found)
        cli_message("%s", words.failed ? "an object moves in a way that is not allowed" : words.bytes);
    cli_text_clear(&words);
    return found;
}

int cli_session_check_places(const cli_session *session)
{
    for (size_t i = 0; i < abut_scene_object_count(session->scene); ++i)
        if (is_static(abut_scene_get_object(session->scene, i).motion) && report_value(session, i))
            return CLI_USAGE;
    return CLI_DONE;
}

/* ---- pairs without an answer ---- */

static bool moves_vertices(const cli_session *session, size_t index)
{
    return abut_motion_get_type(abut_scene_get_object(session->scene, index).motion) == ABUT_MOTION_VERTICES;
}

static bool is_deformed(const cli_session *session, size_t index)
{
    const abut_scene_object object = abut_scene_get_object(session->scene, index);
    const abut_shape_type type = abut_shape_get_type(object.shape);
    return !abut_motion_is_rigid(object.motion) && type != ABUT_SHAPE_SPHERE && type != ABUT_SHAPE_ELLIPSOID;
}

int cli_session_pair_failed(cli_session *session, const cli_pair *pair, abut_status status)
{
    if (status == ABUT_ERR_UNSUPPORTED) {
        if (session->unsupported == session->missing_capacity) {
            const size_t more = 2 * session->missing_capacity + 16;
            cli_pair *const larger = realloc(session->missing, more * sizeof *larger);
            if (!larger)
                return cli_out_of_memory();
            session->missing = larger;
            session->missing_capacity = more;
        }
        session->missing[session->unsupported] = *pair;
        if (session->unsupported++ < MESSAGE_LIMIT)
            pair_message(
                session, pair,
                moves_vertices(session, pair->a) || moves_vertices(session, pair->b)
                    ? "not supported yet: a mesh whose vertices move meets meshes that are surfaces and "
                      "deform, rest or "
                      "translate"
                : is_deformed(session, pair->a) || is_deformed(session, pair->b)
                    ? "not supported yet: of shapes with an affine placement, only spheres and ellipsoids are"
                    : "not supported yet");
        return CLI_DONE;
    }
    if (status != ABUT_ERR_VALUE || !(report_value(session, pair->a) || report_value(session, pair->b)))
        pair_message(session, pair, abut_status_text(status));
    return status == ABUT_ERR_MEMORY || status == ABUT_ERR_CANCELLED ? CLI_FAILED : CLI_USAGE;
}

int cli_session_failed(cli_session *session, abut_status status)
{
    cli_session_progress_end(session);
    bool said = false;
    for (size_t i = 0; i < session->pair_count && status == ABUT_ERR_VALUE && !said; ++i)
        said = report_value(session, session->pairs[i].a) || report_value(session, session->pairs[i].b);
    for (size_t i = 0;
         i < abut_scene_object_count(session->scene) && status == ABUT_ERR_VALUE && !session->listed && !said;
         ++i)
        said = report_value(session, i);
    if (!said)
        cli_message("%s", abut_status_text(status));
    return status == ABUT_ERR_MEMORY || status == ABUT_ERR_CANCELLED ? CLI_FAILED : CLI_USAGE;
}

int cli_session_object_failed(const cli_session *session, size_t index, abut_status status)
{
    cli_text words = { 0 };
    cli_session_describe(session, index, &words);
    const char *const described = words.failed ? "an object" : words.bytes;
    const bool rigid = abut_motion_is_rigid(abut_scene_get_object(session->scene, index).motion);
    if (status == ABUT_ERR_UNSUPPORTED)
        cli_message("%s: %s%s is not supported yet", described, session->args->command->name,
                    rigid ? "" : " with an affine placement");
    else if (status != ABUT_ERR_VALUE || !report_value(session, index))
        cli_message("%s: %s", described, abut_status_text(status));
    cli_text_clear(&words);
    return status == ABUT_ERR_UNSUPPORTED || status == ABUT_ERR_MEMORY ? CLI_FAILED : CLI_USAGE;
}

void cli_session_unsupported_json(const cli_session *session, cli_json *json)
{
    if (!session->unsupported)
        return;
    cli_json_open(cli_json_key(json, "unsupported"), '[');
    for (size_t i = 0; i < session->unsupported; ++i) {
        cli_text reason = { 0 };
        describe_pair(session, &session->missing[i], &reason);
        cli_text_puts(&reason, ": not supported yet");
        cli_json_line(json);
        cli_json_open(json, '{');
        cli_session_pair_json(session, &session->missing[i], json);
        cli_json_string(cli_json_key(json, "reason"), reason.failed ? "" : reason.bytes);
        cli_json_close(json, '}');
        cli_text_clear(&reason);
    }
    cli_json_close(json, ']');
}

void cli_session_unsupported_row(const cli_session *session, const cli_pair *pair, cli_table *table)
{
    cli_session_pair_cells(session, pair, table);
    for (int column = 2; column < table->columns; ++column) {
        cli_text_puts(&table->text, column == 2 ? "not supported yet" : "-");
        cli_table_next(table);
    }
}

void cli_session_pair_undecided(cli_session *session, const cli_pair *pair, abut_stop stop)
{
    if (session->undecided++ < MESSAGE_LIMIT)
        pair_message(session, pair,
                     stop == ABUT_STOP_BUDGET
                         ? "undecided when the budget of iterations was spent (see --max-iterations)"
                         : "undecided: too close to contact to be proved either way");
}

int cli_session_exit(const cli_session *session, bool contact)
{
    if (session->unsupported > MESSAGE_LIMIT)
        cli_message("and %zu more pairs that are not supported yet", session->unsupported - MESSAGE_LIMIT);
    if (session->undecided > MESSAGE_LIMIT)
        cli_message("and %zu more pairs that are undecided", session->undecided - MESSAGE_LIMIT);
    if (session->unsupported)
        return CLI_FAILED;
    if (session->undecided)
        return CLI_UNDECIDED;
    return contact && CLI_GIVEN(session->args, EXIT_CODE) ? CLI_CONTACT : CLI_DONE;
}

/* ---- statistics ---- */

void cli_session_count(cli_session *session, const abut_counters *counters)
{
    session->counters.iterations += counters->iterations;
    session->counters.evaluations += counters->evaluations;
    session->counters.exact += counters->exact;
}

static void counter_fields(cli_json *json, const abut_counters *counters)
{
    cli_json_count(cli_json_key(json, "iterations"), counters->iterations);
    cli_json_count(cli_json_key(json, "evaluations"), counters->evaluations);
    cli_json_count(cli_json_key(json, "exact"), counters->exact);
}

void cli_json_counters(cli_json *json, const abut_counters *counters, bool meshes)
{
    cli_json_open(cli_json_key(json, "counters"), '{');
    counter_fields(json, counters);
    if (meshes) {
        cli_json_count(cli_json_key(json, "volume_tests"), counters->iterations);
        cli_json_count(cli_json_key(json, "triangle_tests"), counters->evaluations);
    }
    cli_json_close(json, '}');
}

void cli_session_pair_end(const cli_session *session, cli_json *json, abut_stop stop,
                          const abut_counters *counters)
{
    if (stop == ABUT_STOP_BUDGET)
        cli_json_string(cli_json_key(json, "stop"), abut_stop_name(stop));
    if (CLI_GIVEN(session->args, STATS))
        cli_json_counters(json, counters, false);
    cli_json_close(json, '}');
}

void cli_session_stats_json(const cli_session *session, cli_json *json, bool counted)
{
    if (!CLI_GIVEN(session->args, STATS))
        return;
    cli_json_open(cli_json_key(json, "stats"), '{');
    cli_json_number(cli_json_key(json, "read_seconds"), session->loaded - session->opened);
    cli_json_number(cli_json_key(json, "query_seconds"), cli_clock() - session->loaded);
    if (counted) {
        cli_json_count(cli_json_key(json, "pairs"), session->considered);
        counter_fields(json, &session->counters);
    }
    cli_json_close(json, '}');
}

void cli_session_stats_text(const cli_session *session, cli_text *out, bool counted)
{
    if (!CLI_GIVEN(session->args, STATS))
        return;
    cli_text_puts(out, "\n");
    if (counted)
        cli_text_printf(out, "%zu pairs, %llu iterations, %llu evaluations, %llu exact decisions; ",
                        session->considered, (unsigned long long)session->counters.iterations,
                        (unsigned long long)session->counters.evaluations,
                        (unsigned long long)session->counters.exact);
    cli_text_printf(out, "read in %.3g ms, answered in %.3g ms\n", 1e3 * (session->loaded - session->opened),
                    1e3 * (cli_clock() - session->loaded));
}
