/* SPDX-License-Identifier: MIT */
/* Vertex-face and edge-edge queries from files, with known truths: the Sample-Queries of B.
 * Wang, Z. Ferguson, T. Schneider, X. Jiang, M. Attene, D. Panozzo, A large-scale benchmark and
 * an inclusion-based algorithm for continuous collision detection, 2021. They are no part of the
 * project: --queries DIRECTORY names a folder with folders SCENE/vertex-face and SCENE/edge-edge
 * of .csv files. A query is eight lines (four corners at the start, four at the end) of three
 * numerators and denominators and the truth. All coordinates are doubles, and reduced, so that
 * numerator and denominator are doubles as well and their quotient is exact. Without the option
 * the cases do not run. */
#include "peers.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(char **at, double *x)
{
    char *end;
    *x = strtod(*at, &end);
    const bool good = end != *at;
    *at = *end == ',' ? end + 1 : end;
    return good;
}

/* False where the file is not what it should be. */
static bool read_file(const char *path, bench_elements *out, size_t *room)
{
    FILE *f = fopen(path, "r");
    if (!f)
        return false;
    char line[4096];
    bool good = true;
    unsigned row = 0;
    while (good && fgets(line, sizeof line, f)) {
        char *at = line;
        double v[7];
        for (int i = 0; i < 7 && good; ++i)
            good = read_number(&at, &v[i]);
        if (!good)
            break;
        if (row % 8 == 0) {
            if (out->count == *room) {
                *room = *room ? 2 * *room : 1024;
                out->elements = realloc(out->elements, *room * sizeof *out->elements);
                out->hit = realloc(out->hit, *room * sizeof *out->hit);
                if (!out->elements || !out->hit)
                    exit(3);
            }
            out->hit[out->count] = v[6] != 0;
            out->hit_count += v[6] != 0;
            ++out->count;
        }
        bench_element *e = &out->elements[out->count - 1];
        double *p = row % 8 < 4 ? e->from[row % 8] : e->to[row % 8 - 4];
        for (int k = 0; k < 3; ++k)
            p[k] = v[2 * k] / v[2 * k + 1];
        ++row;
    }
    fclose(f);
    return good && row % 8 == 0;
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    (void)quick;
    const char *directory = bench_queries();
    DIR *scenes = directory ? opendir(directory) : NULL;
    if (!scenes) {
        if (directory)
            fprintf(stderr, "abut_bench: cannot open %s\n", directory);
        return NULL;
    }
    bench_elements *out = bench_alloc(1, sizeof *out);
    *out = (bench_elements){ .edges = c->number == 1 };
    size_t room = 0;
    for (const struct dirent *scene; (scene = readdir(scenes));) {
        char path[2048], file[4096];
        snprintf(path, sizeof path, "%s/%s/%s", directory, scene->d_name,
                 out->edges ? "edge-edge" : "vertex-face");
        DIR *files = scene->d_name[0] == '.' ? NULL : opendir(path);
        for (const struct dirent *entry; files && (entry = readdir(files));) {
            snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
            if (strstr(entry->d_name, ".csv") && !read_file(file, out, &room))
                fprintf(stderr, "abut_bench: %s is not a file of queries\n", file);
        }
        if (files)
            closedir(files);
    }
    closedir(scenes);
    *questions = out->count;
    if (out->count > 0)
        return out;
    free(out);
    return NULL;
}

static void teardown(void *data)
{
    bench_elements_clear(data);
    free(data);
}

void bench_register_triangle(void);
void bench_register_triangle(void)
{
    static const char *const names[] = { "public queries VF", "public queries EE" };
    for (int i = 0; i < 2; ++i) {
        bench_case c = {
            .family = "triangle", .name = names[i], .number = i, .setup = setup, .teardown = teardown
        };
        c.abut = bench_abut_elements();
#ifdef BENCH_HAVE_FCL
        bench_fcl_elements(i % 2 != 0, c.peers, BENCH_PEERS);
#endif
        bench_add(&c);
    }
}
