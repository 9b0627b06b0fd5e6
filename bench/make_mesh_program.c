/* SPDX-License-Identifier: MIT */
/* abut_make_mesh: writes one of the meshes made by rule (make_mesh.h) as an .off or .obj file.
 *
 *     abut_make_mesh torus 64 32 > torus.off
 *     abut_make_mesh --obj pipes 5 12 40 > pipes.obj
 *
 * Numbers have 17 digits, so that a reader gets the same doubles. */
#include "bench.h"
#include "make_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rule {
    const char *name, *sizes;
    int count; /* of sizes */
} rule;

static const rule rules[] = { { "torus", "RINGS SIDES", 2 },        { "wrinkled-torus", "RINGS SIDES", 2 },
                              { "sphere", "FREQUENCY", 1 },         { "land", "N", 1 },
                              { "pipes", "COUNT SIDES PIECES", 3 }, { "torpedo", "RINGS SIDES", 2 },
                              { "cradle", "RINGS SIDES", 2 },       { "sheet", "N", 1 } };
enum { RULES = sizeof rules / sizeof rules[0] };

static void make(int which, const size_t n[3], bench_mesh *mesh)
{
    switch (which) {
    case 0: bench_torus(mesh, n[0], n[1]); break;
    case 1: bench_wrinkled_torus(mesh, n[0], n[1]); break;
    case 2: bench_sphere(mesh, n[0]); break;
    case 3: bench_land(mesh, n[0]); break;
    case 4: bench_pipes(mesh, n[0], n[1], n[2]); break;
    case 5: bench_torpedo(mesh, n[0], n[1]); break;
    case 6: bench_cradle(mesh, n[0], n[1]); break;
    default: bench_sheet(mesh, n[0]); break;
    }
}

static void write_mesh(const bench_mesh *mesh, bool obj)
{
    if (!obj)
        printf("OFF\n%zu %zu 0\n", mesh->vertex_count, mesh->triangle_count);
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        printf("%s%.17g %.17g %.17g\n", obj ? "v " : "", mesh->vertices[i][0], mesh->vertices[i][1],
               mesh->vertices[i][2]);
    const uint32_t base = obj ? 1 : 0; /* .obj counts from 1 */
    for (size_t i = 0; i < mesh->triangle_count; ++i)
        printf("%s%lu %lu %lu\n", obj ? "f " : "3 ", (unsigned long)(mesh->triangles[i][0] + base),
               (unsigned long)(mesh->triangles[i][1] + base), (unsigned long)(mesh->triangles[i][2] + base));
}

static int usage(void)
{
    fputs("usage: abut_make_mesh [--obj] RULE SIZE...\nrules:\n", stderr);
    for (int i = 0; i < RULES; ++i)
        fprintf(stderr, "  %s %s\n", rules[i].name, rules[i].sizes);
    return 2;
}

int main(int argc, char **argv)
{
    const bool obj = argc > 1 && strcmp(argv[1], "--obj") == 0;
    const int first = obj ? 2 : 1;
    int which = 0;
    while (which < RULES && (argc <= first || strcmp(argv[first], rules[which].name) != 0))
        ++which;
    if (which == RULES || argc != first + 1 + rules[which].count)
        return usage();
    size_t sizes[3] = { 0 };
    for (int i = 0; i < rules[which].count; ++i) {
        char *end;
        const unsigned long size = strtoul(argv[first + 1 + i], &end, 10);
        if (*end || size < 3 || size > 20000) {
            fprintf(stderr, "abut_make_mesh: sizes are whole numbers from 3 to 20000, not '%s'\n",
                    argv[first + 1 + i]);
            return 2;
        }
        sizes[i] = size;
    }
    bench_mesh mesh;
    make(which, sizes, &mesh);
    write_mesh(&mesh, obj);
    bench_mesh_clear(&mesh);
    if (fflush(stdout) || ferror(stdout)) {
        fputs("abut_make_mesh: cannot write\n", stderr);
        return 3;
    }
    return 0;
}
