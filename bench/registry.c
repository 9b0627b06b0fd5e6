/* SPDX-License-Identifier: MIT */
/* The lists of cases and peers, and the small services of bench.h. */
#include "program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CASES 512
#define MAX_NOTES 32

static bench_case *cases;
static size_t case_count;
static struct {
    const char *name, *version;
} peers[MAX_NOTES];
static size_t peer_count;

void bench_add(const bench_case *c)
{
    if (!cases)
        cases = bench_alloc(MAX_CASES, sizeof *cases);
    if (case_count == MAX_CASES) {
        fprintf(stderr, "abut_bench: more than %d cases: raise MAX_CASES\n", MAX_CASES);
        exit(3);
    }
    cases[case_count] = *c;
    if (!cases[case_count].abut.name)
        cases[case_count].abut.name = "abut";
    ++case_count;
}

size_t bench_case_count(void)
{
    return case_count;
}

const bench_case *bench_case_at(size_t index)
{
    return &cases[index];
}

void bench_peer(const char *name, const char *version)
{
    for (size_t i = 0; i < peer_count; ++i)
        if (strcmp(peers[i].name, name) == 0)
            return;
    if (peer_count < MAX_NOTES) {
        peers[peer_count].name = name;
        peers[peer_count].version = version;
        ++peer_count;
    }
}

void bench_count(bench_counters *counters, const char *name, double value)
{
    if (counters->count == BENCH_COUNTERS)
        return;
    snprintf(counters->items[counters->count].name, sizeof counters->items[0].name, "%s", name);
    counters->items[counters->count].value = value;
    ++counters->count;
}

void bench_sink(double value)
{
    static volatile double sink;
    sink = value;
    (void)sink;
}

void *bench_alloc(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "abut_bench: out of memory\n");
        exit(3);
    }
    return memory;
}

/* The processor as Linux names it; "unknown" elsewhere. */
static void processor_name(char *name, size_t size)
{
    snprintf(name, size, "unknown");
    FILE *info = fopen("/proc/cpuinfo", "r");
    if (!info)
        return;
    char line[256];
    while (fgets(line, sizeof line, info)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(name, size, "%s", colon + 2);
            name[strcspn(name, "\n")] = '\0';
            break;
        }
    }
    fclose(info);
}

void bench_print_machine(FILE *out)
{
    char name[128];
    processor_name(name, sizeof name);
    fprintf(out, "processor  %s, one thread\n", name);
    fprintf(out, "compiler   %s, %s\n", BENCH_COMPILER, BENCH_FLAGS);
    fprintf(out, "peers     ");
    for (size_t i = 0; i < peer_count; ++i)
        if (peers[i].version)
            fprintf(out, " %s %s;", peers[i].name, peers[i].version);
    fprintf(out, "\nnot here  ");
    for (size_t i = 0; i < peer_count; ++i)
        if (!peers[i].version)
            fprintf(out, " %s;", peers[i].name);
    fprintf(out, "\n");
}

static const char *queries;

const char *bench_queries(void)
{
    return queries;
}

void bench_set_queries(const char *directory)
{
    queries = directory;
}
