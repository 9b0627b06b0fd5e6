/* SPDX-License-Identifier: MIT */
/* abut_bench: races abut against its peers; see docs/benchmarks.md. */
#include "program.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: abut_bench [--family NAME] [--case PATTERN] [--json FILE] [--markdown FILE] [--plot DIRECTORY] "
    "[--queries DIR] [--quick]\n"
    "       abut_bench --list\n"
    "       abut_bench --errors FILE\n"
    "       abut_bench --volumes FILE\n"
    "       abut_bench --worlds FILE\n"
    "\n"
    "Races abut against the peers this program was built with, on the same inputs in the same run.\n"
    "  --family NAME     only this family of cases (may be given several times; default: all)\n"
    "  --case PATTERN    only cases whose name holds this shell pattern\n"
    "  --json FILE       also write the rows as a JSON array; - is standard output (then no table)\n"
    "  --markdown FILE   also write a short table with the machine, for docs/benchmarks.md\n"
    "  --plot DIRECTORY  also draw DIRECTORY/FAMILY.svg with gnuplot\n"
    "  --quick           short batches, three rounds: to see that it runs, not to quote\n"
    "  --errors FILE     instead, the errors on pairs with known answers, as tables for docs/benchmarks.md\n"
    "  --volumes FILE    instead, the course's experiments with bounding volumes, as tables for "
    "docs/benchmarks.md\n"
    "  --worlds FILE     instead, broad phases and worlds by count, density, motion and threads, likewise\n"
    "  --queries DIR     a folder of vertex-face and edge-edge queries with known truths, for the family "
    "triangle\n"
    "  --list            the cases and contenders, without running them\n"
    "  --help, --version\n";

typedef struct options {
    const char *families[16];
    size_t family_count;
    const char *pattern, *json, *markdown, *plot, *errors, *volumes, *worlds;
    bool quick, list;
} options;

static int bad_usage(const char *what, const char *which)
{
    fprintf(stderr, "abut_bench: %s%s\n%s", what, which, usage);
    return 2;
}

/* 0: go on; otherwise the exit code plus 1. */
static int parse(int argc, char **argv, options *o)
{
    for (int i = 1; i < argc; ++i) {
        const char *a = argv[i];
        const bool takes_value =
            strcmp(a, "--family") == 0 || strcmp(a, "--case") == 0 || strcmp(a, "--json") == 0 ||
            strcmp(a, "--plot") == 0 || strcmp(a, "--markdown") == 0 || strcmp(a, "--errors") == 0 ||
            strcmp(a, "--volumes") == 0 || strcmp(a, "--worlds") == 0 || strcmp(a, "--queries") == 0;
        if (takes_value && i + 1 == argc)
            return 1 + bad_usage("no value after ", a);
        if (strcmp(a, "--family") == 0) {
            if (o->family_count == sizeof o->families / sizeof o->families[0])
                return 1 + bad_usage("too many families", "");
            o->families[o->family_count++] = argv[++i];
        } else if (strcmp(a, "--case") == 0) {
            o->pattern = argv[++i];
        } else if (strcmp(a, "--json") == 0) {
            o->json = argv[++i];
        } else if (strcmp(a, "--markdown") == 0) {
            o->markdown = argv[++i];
        } else if (strcmp(a, "--plot") == 0) {
            o->plot = argv[++i];
        } else if (strcmp(a, "--errors") == 0) {
            o->errors = argv[++i];
        } else if (strcmp(a, "--volumes") == 0) {
            o->volumes = argv[++i];
        } else if (strcmp(a, "--worlds") == 0) {
            o->worlds = argv[++i];
        } else if (strcmp(a, "--queries") == 0) {
            bench_set_queries(argv[++i]);
        } else if (strcmp(a, "--quick") == 0) {
            o->quick = true;
        } else if (strcmp(a, "--list") == 0) {
            o->list = true;
        } else if (strcmp(a, "--help") == 0) {
            fputs(usage, stdout);
            return 1;
        } else if (strcmp(a, "--version") == 0) {
            printf("abut_bench %s\n", BENCH_VERSION);
            return 1;
        } else {
            return 1 + bad_usage("unknown option ", a);
        }
    }
    return 0;
}

static bool in_family(const bench_case *c, const options *o)
{
    for (size_t i = 0; i < o->family_count; ++i)
        if (strcmp(c->family, o->families[i]) == 0)
            return true;
    return o->family_count == 0;
}

static bool matches(const bench_case *c, const options *o)
{
    if (!o->pattern)
        return true;
    char wide[256];
    snprintf(wide, sizeof wide, "*%s*", o->pattern);
    return fnmatch(wide, c->name, 0) == 0;
}

static int check_families(const options *o)
{
    for (size_t i = 0; i < o->family_count; ++i) {
        bool found = false;
        for (size_t k = 0; k < bench_case_count(); ++k)
            found |= strcmp(bench_case_at(k)->family, o->families[i]) == 0;
        if (!found)
            return bad_usage("there is no family ", o->families[i]);
    }
    return 0;
}

static void list_case(const bench_case *c)
{
    printf("%-10s %-28s %s", c->family, c->name, c->abut.run ? "abut" : "-");
    for (int p = 0; p < BENCH_PEERS; ++p)
        if (c->peers[p].run)
            printf("; %s", c->peers[p].name);
    printf("\n");
}

static int by_family(const void *a, const void *b)
{
    const bench_case *x = *(const bench_case *const *)a, *y = *(const bench_case *const *)b;
    const int order = strcmp(x->family, y->family);
    return order ? order : (x > y) - (x < y);
}

static void print_page(FILE *out, const bench_row *rows, size_t count)
{
    fprintf(out, "\n```\n");
    bench_print_machine(out);
    fprintf(out, "```\n");
    bench_print_markdown(out, rows, count);
}

static void print_errors(FILE *out, const bench_row *rows, size_t count)
{
    (void)rows;
    (void)count;
    bench_print_errors(out);
}

static void print_volumes(FILE *out, const bench_row *rows, size_t count)
{
    (void)rows;
    (void)count;
    bench_print_volumes(out);
}

static void print_worlds(FILE *out, const bench_row *rows, size_t count)
{
    (void)rows;
    (void)count;
    bench_print_worlds(out);
}

static int write_rows(const char *file, void (*print)(FILE *, const bench_row *, size_t),
                      const bench_row *rows, size_t count)
{
    FILE *out = strcmp(file, "-") == 0 ? stdout : fopen(file, "w");
    if (!out) {
        fprintf(stderr, "abut_bench: cannot write %s\n", file);
        return 2;
    }
    print(out, rows, count);
    const bool failed = ferror(out) != 0;
    if ((out != stdout && fclose(out) != 0) || failed) {
        fprintf(stderr, "abut_bench: writing %s failed\n", file);
        return 3;
    }
    return 0;
}

int main(int argc, char **argv)
{
    options o = { 0 };
    const int stop = parse(argc, argv, &o);
    if (stop)
        return stop - 1;
    bench_register_all();
    const int unknown = check_families(&o);
    if (unknown)
        return unknown;

    const bench_case **wanted = bench_alloc(bench_case_count(), sizeof *wanted);
    size_t count = 0;
    for (size_t i = 0; i < bench_case_count(); ++i)
        if (in_family(bench_case_at(i), &o) && matches(bench_case_at(i), &o))
            wanted[count++] = bench_case_at(i);
    qsort(wanted, count, sizeof *wanted, by_family);

    int result = 0;
    const bool table = !o.json || strcmp(o.json, "-") != 0;
    if (o.errors) {
        result = write_rows(o.errors, print_errors, NULL, 0);
    } else if (o.volumes) {
        result = write_rows(o.volumes, print_volumes, NULL, 0);
    } else if (o.worlds) {
        result = write_rows(o.worlds, print_worlds, NULL, 0);
    } else if (o.list) {
        for (size_t i = 0; i < count; ++i)
            list_case(wanted[i]);
    } else {
        if (table)
            bench_print_machine(stdout);
        bench_row *rows = bench_alloc(count, sizeof *rows);
        for (size_t i = 0; i < count; ++i) {
            if (isatty(2))
                fprintf(stderr, "\r%zu/%zu %s %-40s", i + 1, count, wanted[i]->family, wanted[i]->name);
            bench_measure(wanted[i], o.quick, &rows[i]);
            if (isatty(2))
                fprintf(stderr, "\r%60s\r", "");
            if (table) {
                bench_print_row(stdout, &rows[i],
                                i == 0 || strcmp(wanted[i]->family, wanted[i - 1]->family) != 0);
                fflush(stdout);
            }
        }
        if (o.json)
            result = write_rows(o.json, bench_print_json, rows, count);
        if (o.markdown && result == 0)
            result = write_rows(o.markdown, print_page, rows, count);
        if (o.plot && !bench_plot(o.plot, rows, count))
            result = 3;
        free(rows);
    }
    free(wanted);
    return result;
}
