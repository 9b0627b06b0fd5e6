/* SPDX-License-Identifier: MIT */
/* The command line: one table of options, one pass over the arguments, the help that follows from
 * both.
 *
 * The first operand is the command, so options may appear anywhere, before it too; `--opt=value`
 * and `--opt value` are the same; `--` ends the options. The argument after an option that takes
 * a value always is that value, even if it starts with a minus sign (coordinates do). */
#include "cli.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct option_row {
    const char *name;
    int values;
    const char *metavar, *help;
} option_row;

static const option_row options[CLI_OPT_COUNT] = {
    [CLI_OPT_HELP] = { "help", 0, "", "say how to use it" },
    [CLI_OPT_VERSION] = { "version", 0, "", "print the version" },
    [CLI_OPT_JSON] = { "json", 0, "", "print one JSON document instead of a table" },
    [CLI_OPT_TIME] = { "time", 1, " T", "the instant; default: the start of the scene's time" },
    [CLI_OPT_PAIR] = { "pair", 2, " A B", "only this pair of objects; may be repeated" },
    [CLI_OPT_RAY] = { "ray", 1, " ox,oy,oz,dx,dy,dz", "origin and direction" },
    [CLI_OPT_POINT] = { "point", 1, " x,y,z", "classify this point" },
    [CLI_OPT_SEGMENT] = { "segment", 1, " x,y,z,x,y,z", "classify the pieces of this segment" },
    [CLI_OPT_SIMULTANEITY] = { "simultaneity", 1, " DT",
                               "contacts this much later than the first still count" },
    [CLI_OPT_SEPARATION] = { "separation", 1, " D", "spacing of samples on contact curves and regions" },
    [CLI_OPT_ACCURACY] = { "accuracy", 1, " DT", "goal for the width of time enclosures" },
    [CLI_OPT_MAX_ITERATIONS] = { "max-iterations", 1, " N", "budget for each pair" },
    [CLI_OPT_METHOD] = { "method", 1, " NAME", "method to use; auto (the default) lets abut choose" },
    [CLI_OPT_NEWTON] = { "newton", 1, " NAME", "curved surfaces: auto, linear, inverse, krawczyk or none" },
    [CLI_OPT_ORDER] = { "order", 1, " NAME", "curved surfaces: next by auto, upper or lower bound" },
    [CLI_OPT_THREADS] = { "threads", 1, " N", "so many threads; default: all processors" },
    [CLI_OPT_NO_TANGENCY] = { "no-tangency", 0, "", "curved surfaces: by contact alone, to compare" },
    [CLI_OPT_CONTACTS] = { "contacts", 1, " N",
                           "list at most N contacts of a pair; of meshes, triangle by triangle" },
    [CLI_OPT_SELF] = { "self", 0, "", "also tell which meshes meet themselves" },
    [CLI_OPT_WITHIN] = { "within", 1, " D", "also tell which pairs are no farther apart than D" },
    [CLI_OPT_MEETING] = { "meeting", 0, "",
                          "list only pairs that meet (--within: come near), count the others" },
    [CLI_OPT_NEAREST] = { "nearest", 0, "", "only the nearest pair, or one that meets" },
    [CLI_OPT_MOVING] = { "moving", 0, "", "leave out pairs of two objects at rest" },
    [CLI_OPT_BAND] = { "band", 1, " E", "solids: nearer, or less deep, than E is touching" },
    [CLI_OPT_REGIONS] = { "regions", 0, "", "solids: also tell what faces and edges have in common" },
    [CLI_OPT_RELATIVE] = { "relative", 1, " E", "meshes: distances only to a factor of 1 + E" },
    [CLI_OPT_INDEPENDENT] = { "independent", 0, "",
                              "ellipsoids: each has a time of its own; which are covered" },
    [CLI_OPT_ALL] = { "all", 0, "", "list every sample of a contact curve or region in the table" },
    [CLI_OPT_NAMES] = { "names", 0, "", "print the names of the objects only, one a line" },
    [CLI_OPT_STATS] = { "stats", 0, "", "add work counters and times" },
    [CLI_OPT_EXIT_CODE] = { "exit-code", 0, "", "exit with 1 when there is contact" },
    [CLI_OPT_OUTPUT] = { "output", 1, " FILE", "where to write (also -o FILE)" },
    [CLI_OPT_SIZE] = { "size", 1, " WxH", "of the picture in pixels; default: 960x720" },
    [CLI_OPT_CAMERA] = { "camera", 1, " AZ,EL", "where the eye is, in degrees; default: -60,24" },
    [CLI_OPT_ZOOM] = { "zoom", 1, " F", "nearer by this factor; default: 1" },
    [CLI_OPT_DARK] = { "dark", 0, "", "on a dark background" },
    [CLI_OPT_SECONDS] = { "seconds", 1, " S", "time allowed for answers; default: 20" },
};

static const char *const try_help = "Try 'abut help' or 'abut help COMMAND'.\n";

/* ---- help ---- */

static void usage_line(FILE *to, const cli_command *command)
{
    fprintf(to, "usage: abut %s %s%s%s [option]...\n", command->name, command->operands,
            command->usage[0] ? " " : "", command->usage);
}

static void add_option_line(cli_text *out, cli_option option)
{
    char left[64];
    snprintf(left, sizeof left, "--%s%s", options[option].name, options[option].metavar);
    cli_text_printf(out, "  %-28s %s\n", left, options[option].help);
}

static int print_overall_help(void)
{
    cli_text out = { 0 };
    cli_text_puts(&out,
                  "abut tells when, where and how solid things touch, and whether the answer is proved.\n\n"
                  "usage: abut COMMAND SCENE [option]...\n\ncommands:\n");
    for (size_t i = 0; i < cli_command_count; ++i)
        cli_text_printf(&out, "  %-10s %s\n", cli_commands[i].name, cli_commands[i].summary);
    cli_text_printf(&out, "  %-10s %s\n", "help", "how to use a command: abut help COMMAND");
    cli_text_puts(
        &out, "\nSCENE is a JSON file, or - for standard input. Options may appear anywhere; -- ends them.\n"
              "Every command takes:\n");
    add_option_line(&out, CLI_OPT_JSON);
    add_option_line(&out, CLI_OPT_STATS);
    add_option_line(&out, CLI_OPT_HELP);
    add_option_line(&out, CLI_OPT_VERSION);
    cli_text_puts(&out, "\nexit status:\n"
                        "  0  it ran, and everything asked was decided\n"
                        "  1  there is contact (with --exit-code only)\n"
                        "  2  bad usage, or a scene or mesh file that is not right\n"
                        "  3  it could not run: memory, output, or a pair that is not supported yet\n"
                        "  4  it ran, and some answer is undecided\n");
    return cli_text_write(&out, CLI_DONE);
}

static int print_command_help(const cli_command *command)
{
    cli_text out = { 0 };
    cli_text_printf(&out, "abut %s: %s\n\n", command->name, command->summary);
    cli_text_printf(&out, "usage: abut %s %s%s%s [option]...\n\n%s\n\noptions:\n", command->name,
                    command->operands, command->usage[0] ? " " : "", command->usage, command->description);
    for (int i = 0; i < CLI_OPT_COUNT; ++i)
        if (command->options & UINT64_C(1) << i)
            add_option_line(&out, (cli_option)i);
    add_option_line(&out, CLI_OPT_HELP);
    cli_text_printf(&out, "\nexample:\n%s\n", command->example);
    return cli_text_write(&out, CLI_DONE);
}

static int print_version(void)
{
    cli_text out = { 0 };
    cli_text_printf(&out, "abut %s\n", abut_version());
    return cli_text_write(&out, CLI_DONE);
}

/* ---- suggestions ---- */

static const char *command_candidate(const void *ctx, size_t index)
{
    (void)ctx;
    return index < cli_command_count ? cli_commands[index].name : "help";
}

static const char *option_candidate(const void *ctx, size_t index)
{
    (void)ctx;
    return options[index].name;
}

static const cli_command *find_command(const char *name)
{
    for (size_t i = 0; i < cli_command_count; ++i)
        if (strcmp(cli_commands[i].name, name) == 0)
            return &cli_commands[i];
    const char *nearest = cli_nearest(name, NULL, cli_command_count + 1, command_candidate);
    if (nearest)
        cli_message("there is no command '%s'; did you mean '%s'?", name, nearest);
    else
        cli_message("there is no command '%s'", name);
    fputs(try_help, stderr);
    return NULL;
}

/* -1 after a message when there is none of that name (of `length` bytes). */
static int find_option(const char *argument, size_t length)
{
    if (strcmp(argument, "-h") == 0)
        return CLI_OPT_HELP;
    if (strcmp(argument, "-V") == 0)
        return CLI_OPT_VERSION;
    if (strcmp(argument, "-o") == 0)
        return CLI_OPT_OUTPUT;
    char name[64] = "";
    const char *const begin = argument + (argument[1] == '-' ? 2 : 1);
    const size_t name_length = length - (size_t)(begin - argument);
    if (name_length < sizeof name)
        memcpy(name, begin, name_length);
    for (int i = 0; i < CLI_OPT_COUNT; ++i)
        if (argument[1] == '-' && strcmp(options[i].name, name) == 0)
            return i;
    const char *nearest = name[0] ? cli_nearest(name, NULL, CLI_OPT_COUNT, option_candidate) : NULL;
    if (nearest)
        cli_message("there is no option '%.*s'; did you mean '--%s'?", (int)length, argument, nearest);
    else
        cli_message("there is no option '%.*s'", (int)length, argument);
    fputs(try_help, stderr);
    return -1;
}

/* ---- values ---- */

/* strtod also takes blanks, infinities and NaN; and the command's locale is always "C", so its
 * decimal point a point. */
/* A whole string that is one finite number; false otherwise. */
static bool parse_number(const char *string, double *out)
{
    char *end;
    if (isspace((unsigned char)string[0]) || string[0] == 0)
        return false;
    *out = strtod(string, &end);
    return *end == 0 && isfinite(*out);
}

/* Exactly `count` numbers with commas between; blanks around a number are allowed. */
static bool parse_list(const char *string, double *out, int count)
{
    for (int i = 0; i < count; ++i) {
        char *end;
        while (*string == ' ')
            ++string;
        if (isspace((unsigned char)*string))
            return false;
        out[i] = strtod(string, &end);
        if (end == string || !isfinite(out[i]))
            return false;
        string = end;
        while (*string == ' ')
            ++string;
        if (*string != (i + 1 < count ? ',' : 0))
            return false;
        ++string;
    }
    return true;
}

static bool parse_count(const char *string, uint64_t *out)
{
    uint64_t n = 0;
    for (const char *s = string; *s; ++s) {
        if (*s < '0' || *s > '9' || n > (UINT64_MAX >> 1) / 10 - 1)
            return false;
        n = 10 * n + (uint64_t)(*s - '0');
    }
    *out = n;
    return n > 0;
}

/* "960x720"; 16 to 8192 pixels each way. */
static bool parse_size(const char *string, int out[2])
{
    for (int i = 0; i < 2; ++i) {
        int n = 0;
        for (; *string >= '0' && *string <= '9' && n <= 8192; ++string)
            n = 10 * n + (*string - '0');
        if (n < 16 || n > 8192 || *string != (i == 0 ? 'x' : 0))
            return false;
        out[i] = n;
        ++string;
    }
    return true;
}

static bool bad_value(cli_option option, const char *wanted, const char *got)
{
    cli_message("--%s needs %s, not '%s'", options[option].name, wanted, got);
    return false;
}

static bool size_value(cli_option option, const char *value, double *out)
{
    if (parse_number(value, out) && *out >= 0)
        return true;
    return bad_value(option, "a number that is not negative", value);
}

/* One of a list of names. */
static bool name_value(cli_option option, const char *value, const char *const *names, const char *wanted,
                       int *out)
{
    for (*out = 0; names[*out]; ++*out)
        if (strcmp(value, names[*out]) == 0)
            return true;
    return bad_value(option, wanted, value);
}

/* `values` holds as many strings as the option takes. */
static bool set_option(cli_args *args, cli_option option, const char *const *values)
{
    static const char *const six = "six numbers with commas between";
    static const char *const newtons[] = { "auto", "linear", "inverse", "krawczyk", "none", NULL };
    static const char *const orders[] = { "auto", "upper", "lower", NULL };
    int index = 0;
    if (options[option].values && option != CLI_OPT_PAIR && args->given & UINT64_C(1) << option) {
        cli_message("--%s is given twice", options[option].name);
        return false;
    }
    args->given |= UINT64_C(1) << option;
    switch (option) {
    case CLI_OPT_TIME:
        if (!parse_number(values[0], &args->time))
            return bad_value(option, "a number", values[0]);
        args->time += 0.0; /* -0 becomes 0 */
        return true;
    case CLI_OPT_PAIR: args->pairs[args->pair_count++] = (cli_name_pair){ values[0], values[1] }; return true;
    case CLI_OPT_RAY:
        if (!parse_list(values[0], args->ray, 6))
            return bad_value(option, six, values[0]);
        if (args->ray[3] == 0 && args->ray[4] == 0 && args->ray[5] == 0) {
            cli_message("--ray: the direction is zero");
            return false;
        }
        return true;
    case CLI_OPT_POINT:
        return parse_list(values[0], args->point, 3) ||
               bad_value(option, "three numbers with commas between", values[0]);
    case CLI_OPT_SEGMENT: return parse_list(values[0], args->segment, 6) || bad_value(option, six, values[0]);
    case CLI_OPT_SIMULTANEITY: return size_value(option, values[0], &args->simultaneity);
    case CLI_OPT_SEPARATION: return size_value(option, values[0], &args->separation);
    case CLI_OPT_ACCURACY: return size_value(option, values[0], &args->accuracy);
    case CLI_OPT_WITHIN: return size_value(option, values[0], &args->within);
    case CLI_OPT_BAND: return size_value(option, values[0], &args->band);
    case CLI_OPT_RELATIVE: return size_value(option, values[0], &args->relative);
    case CLI_OPT_MAX_ITERATIONS:
        return parse_count(values[0], &args->max_iterations) ||
               bad_value(option, "a whole number from 1", values[0]);
    case CLI_OPT_CONTACTS:
        return parse_count(values[0], &args->contacts) ||
               bad_value(option, "a whole number from 1", values[0]);
    case CLI_OPT_NEWTON:
        if (!name_value(option, values[0], newtons, "auto, linear, inverse, krawczyk or none", &index))
            return false;
        args->newton = (abut_newton_method)index;
        return true;
    case CLI_OPT_ORDER:
        if (!name_value(option, values[0], orders, "auto, upper or lower", &index))
            return false;
        args->order = (abut_queue_order)index;
        return true;
    case CLI_OPT_THREADS:
        return (parse_count(values[0], &args->threads) && args->threads <= 256) ||
               bad_value(option, "a whole number from 1 to 256", values[0]);
    case CLI_OPT_METHOD: args->method = values[0]; return true;
    case CLI_OPT_OUTPUT: args->output = values[0]; return values[0][0] || bad_value(option, "a file", "");
    case CLI_OPT_SIZE: return parse_size(values[0], args->size) || bad_value(option, "as 960x720", values[0]);
    case CLI_OPT_CAMERA:
        return (parse_list(values[0], args->camera, 2) && fabs(args->camera[1]) <= 90) ||
               bad_value(option, "two angles with a comma between, the second from -90 to 90", values[0]);
    case CLI_OPT_ZOOM:
        return (parse_number(values[0], &args->zoom) && args->zoom >= 0.01 && args->zoom <= 100) ||
               bad_value(option, "a number from 0.01 to 100", values[0]);
    case CLI_OPT_SECONDS: return size_value(option, values[0], &args->seconds);
    default: return true;
    }
}

/* ---- the pass over the arguments ---- */

/* Operands: the command, then up to two; more are counted, the first of them kept for the
 * message. */
typedef struct operands {
    const char *of[4];
    size_t count;
} operands;

static bool scan(int argc, char **argv, cli_args *args, operands *found)
{
    bool options_ended = false;
    for (int i = 1; i < argc; ++i) {
        const char *const argument = argv[i];
        if (!options_ended && strcmp(argument, "--") == 0) {
            options_ended = true;
        } else if (options_ended || argument[0] != '-' || argument[1] == 0) {
            if (found->count < 4)
                found->of[found->count] = argument;
            ++found->count;
        } else {
            const char *const equals = strchr(argument, '=');
            const int option = find_option(argument, equals ? (size_t)(equals - argument) : strlen(argument));
            if (option < 0)
                return false;
            const int wanted = options[option].values;
            const char *values[2] = { NULL, NULL };
            int got = 0;
            if (equals && wanted == 0) {
                cli_message("--%s takes no value", options[option].name);
                return false;
            }
            if (equals)
                values[got++] = equals + 1;
            while (got < wanted && i + 1 < argc)
                values[got++] = argv[++i];
            if (got < wanted) {
                cli_message("--%s needs %s:%s", options[option].name, wanted == 2 ? "two names" : "a value",
                            options[option].metavar);
                return false;
            }
            if (!set_option(args, (cli_option)option, values))
                return false;
        }
    }
    return true;
}

/* Which command takes it, for the message. */
static bool refuse_option(const cli_command *command, cli_option option)
{
    cli_text takers = { 0 };
    for (size_t i = 0; i < cli_command_count; ++i)
        if (cli_commands[i].options & UINT64_C(1) << option)
            cli_text_printf(&takers, "%s%s", takers.length ? ", " : "", cli_commands[i].name);
    cli_message("%s does not take --%s (it goes with: %s)", command->name, options[option].name,
                takers.failed || !takers.bytes ? "" : takers.bytes);
    cli_text_clear(&takers);
    usage_line(stderr, command);
    return false;
}

static bool fits_command(const cli_args *args, const operands *found)
{
    const cli_command *const command = args->command;
    for (int i = 0; i < CLI_OPT_COUNT; ++i)
        if (args->given & UINT64_C(1) << i && !(command->options & UINT64_C(1) << i))
            return refuse_option(command, (cli_option)i);
    const size_t count = found->count - 1;
    if (count != command->operand_count) {
        if (count > command->operand_count)
            cli_message("%s: one operand too many: '%s'", command->name,
                        found->of[command->operand_count + 1]);
        else
            cli_message("%s: %s is missing", command->name, count == 0 ? "SCENE" : "OBJECT");
        usage_line(stderr, command);
        return false;
    }
    if (command->needs_output && !CLI_GIVEN(args, OUTPUT)) {
        cli_message("%s: -o FILE is missing", command->name);
        usage_line(stderr, command);
        return false;
    }
    if (command->options & CLI_BIT(RAY) && !CLI_GIVEN(args, RAY)) {
        cli_message("%s: --ray is missing", command->name);
        usage_line(stderr, command);
        return false;
    }
    if (command->options & CLI_BIT(POINT) && CLI_GIVEN(args, POINT) == CLI_GIVEN(args, SEGMENT)) {
        cli_message(CLI_GIVEN(args, POINT) ? "%s: --point and --segment exclude each other"
                                           : "%s: --point or --segment is missing",
                    command->name);
        usage_line(stderr, command);
        return false;
    }
    return true;
}

static int help_on(const operands *found)
{
    if (found->count < 2)
        return print_overall_help();
    if (found->count > 2) {
        cli_message("help: one operand too many: '%s'", found->of[2]);
        fputs(try_help, stderr);
        return CLI_USAGE;
    }
    if (strcmp(found->of[1], "help") == 0)
        return print_overall_help();
    const cli_command *const command = find_command(found->of[1]);
    return command ? print_command_help(command) : CLI_USAGE;
}

static int run(int argc, char **argv, cli_args *args)
{
    operands found = { .count = 0 };
    if (!scan(argc, argv, args, &found))
        return CLI_USAGE;
    if (CLI_GIVEN(args, VERSION))
        return print_version();
    if (found.count == 0 && CLI_GIVEN(args, HELP))
        return print_overall_help();
    if (found.count == 0) {
        fputs("usage: abut COMMAND SCENE [option]...\n", stderr);
        fputs(try_help, stderr);
        return CLI_USAGE;
    }
    if (strcmp(found.of[0], "help") == 0)
        return help_on(&found);
    args->command = find_command(found.of[0]);
    if (!args->command)
        return CLI_USAGE;
    if (CLI_GIVEN(args, HELP))
        return print_command_help(args->command);
    if (!fits_command(args, &found))
        return CLI_USAGE;
    args->operands[0] = found.of[1];
    args->operands[1] = found.of[2];
    return args->command->run(args);
}

int cli_main(int argc, char **argv)
{
    cli_args args = { .size = { 960, 720 }, .camera = { -60, 24 }, .zoom = 1, .seconds = 20 };
    /* Each --pair takes two further arguments, or one when written --pair=A B. */
    args.pairs = malloc(((size_t)(argc < 0 ? 0 : argc) / 2 + 1) * sizeof *args.pairs);
    if (!args.pairs)
        return cli_out_of_memory();
    const int code = run(argc, argv, &args);
    free(args.pairs);
    return code;
}
