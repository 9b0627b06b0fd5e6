/* SPDX-License-Identifier: MIT */
/* Reading mesh files: a bumpy sphere of 100 000 triangles in each format, from a file that the
 * system holds in memory. A question is one triangle; `wrong` counts coordinates that are not
 * the doubles written (those of the floats in .stl files), which all readers that keep floats
 * get wrong. */
#include "abut/scene.h"
#include "io_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum kind { OBJ, OFF, PLY_TEXT, PLY_BINARY, STL_TEXT, STL_BINARY, KINDS } kind;

static const struct {
    const char *name, *ending;
} kinds[KINDS] = { { "obj", "obj" },        { "off", "off" },      { "ply text", "ply" },
                   { "ply binary", "ply" }, { "stl text", "stl" }, { "stl binary", "stl" } };

static void put_floats(FILE *out, const double *values, int count)
{
    for (int i = 0; i < count; ++i) {
        const float value = (float)values[i];
        fwrite(&value, sizeof value, 1, out); /* little-endian, as every machine this runs on */
    }
}

static void write_header(FILE *out, kind k, const bench_file *f)
{
    const uint32_t count = (uint32_t)f->face_count;
    static const char header[80] = "binary";
    switch (k) {
    case OFF: fprintf(out, "OFF\n%zu %zu 0\n", f->vertex_count, f->face_count); break;
    case PLY_TEXT:
    case PLY_BINARY:
        fprintf(out,
                "ply\nformat %s 1.0\nelement vertex %zu\nproperty double x\nproperty double y\nproperty "
                "double z\n"
                "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
                k == PLY_TEXT ? "ascii" : "binary_little_endian", f->vertex_count, f->face_count);
        break;
    case STL_TEXT: fprintf(out, "solid s\n"); break;
    case STL_BINARY:
        fwrite(header, 1, sizeof header, out);
        fwrite(&count, sizeof count, 1, out);
        break;
    default: break;
    }
}

static void write_face(FILE *out, kind k, const bench_file *f, const uint32_t *c)
{
    static const double normal[3] = { 0, 0, 0 };
    switch (k) {
    case OBJ: fprintf(out, "f %u %u %u\n", c[0] + 1, c[1] + 1, c[2] + 1); break;
    case OFF:
    case PLY_TEXT: fprintf(out, "3 %u %u %u\n", c[0], c[1], c[2]); break;
    case PLY_BINARY:
        fputc(3, out);
        fwrite(c, sizeof *c, 3, out);
        break;
    case STL_TEXT:
        fprintf(out, "facet normal 0 0 0\nouter loop\n");
        for (int i = 0; i < 3; ++i)
            fprintf(out, "vertex %.17g %.17g %.17g\n", f->vertices[3 * (size_t)c[i]],
                    f->vertices[3 * (size_t)c[i] + 1], f->vertices[3 * (size_t)c[i] + 2]);
        fprintf(out, "endloop\nendfacet\n");
        break;
    default:
        put_floats(out, normal, 3);
        for (int i = 0; i < 3; ++i)
            put_floats(out, f->vertices + 3 * (size_t)c[i], 3);
        fwrite("\0", 1, 2, out);
    }
}

static void write_file(bench_file *f, kind k)
{
    FILE *out = fopen(f->name, "wb");
    if (!out) {
        fprintf(stderr, "abut_bench: %s cannot be written\n", f->name);
        exit(3);
    }
    write_header(out, k, f);
    for (size_t i = 0; i < f->vertex_count && k < STL_TEXT; ++i) {
        const double *v = f->vertices + 3 * i;
        if (k == PLY_BINARY)
            fwrite(v, sizeof *v, 3, out);
        else
            fprintf(out, "%s%.17g %.17g %.17g\n", k == OBJ ? "v " : "", v[0], v[1], v[2]);
    }
    for (size_t i = 0; i < f->face_count; ++i)
        write_face(out, k, f, f->corners + 3 * i);
    if (k == STL_TEXT)
        fprintf(out, "endsolid s\n");
    f->bytes = (size_t)ftell(out);
    fclose(out);
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    const kind k = (kind)c->number;
    /* Rings of 2 n points, closed around; the poles are left open. */
    const size_t n = quick ? 20 : 158, columns = 2 * n;
    bench_file *f = bench_alloc(1, sizeof *f);
    f->vertex_count = (n + 1) * columns;
    f->face_count = 2 * n * columns;
    f->vertices = bench_alloc(3 * f->vertex_count, sizeof *f->vertices);
    f->corners = bench_alloc(3 * f->face_count, sizeof *f->corners);
    bench_random r = { 5 };
    for (size_t i = 0; i < f->vertex_count; ++i) {
        const double across = 3 * ((double)(i / columns) + 0.5) / (double)(n + 1);
        const double around = 6.283185307179586 * (double)(i % columns) / (double)columns;
        const double radius = 1 + bench_uniform(&r, 0, 0.01);
        f->vertices[3 * i] = radius * sin(across) * cos(around);
        f->vertices[3 * i + 1] = radius * sin(across) * sin(around);
        f->vertices[3 * i + 2] = radius * cos(across);
        for (int axis = 0; axis < 3 && k == STL_BINARY; ++axis)
            f->vertices[3 * i + (size_t)axis] = (double)(float)f->vertices[3 * i + (size_t)axis];
    }
    uint32_t *corner = f->corners;
    for (size_t row = 0; row < n; ++row) {
        for (size_t column = 0; column < columns; ++column) {
            const uint32_t a = (uint32_t)(row * columns + column);
            const uint32_t b = (uint32_t)(row * columns + (column + 1) % columns);
            const uint32_t faces[6] = { a, a + (uint32_t)columns, b,
                                        b, a + (uint32_t)columns, b + (uint32_t)columns };
            memcpy(corner, faces, sizeof faces);
            corner += 6;
        }
    }
    const char *folder = getenv("TMPDIR");
    snprintf(f->name, sizeof f->name, "%s/abut_bench_%ld.%s", folder ? folder : "/tmp", (long)getpid(),
             kinds[k].ending);
    write_file(f, k);
    *questions = f->face_count;
    return f;
}

static void teardown(void *data)
{
    bench_file *f = data;
    remove(f->name);
    free(f->vertices);
    free(f->corners);
    free(f);
}

typedef struct reader {
    const bench_file *file;
    abut_mesh_data mesh;
} reader;

static void *prepare(void *data, int variant)
{
    (void)variant;
    reader *state = bench_alloc(1, sizeof *state);
    state->file = data;
    return state;
}

static double run(void *state, int variant)
{
    (void)variant;
    reader *r = state;
    abut_mesh_data_clear(&r->mesh);
    if (abut_mesh_load(r->file->name, NULL, &r->mesh, NULL) != ABUT_OK)
        return -1;
    return (double)r->mesh.face_count + r->mesh.vertices[r->mesh.vertex_count - 1].x;
}

static uint64_t wrong(void *state, int variant)
{
    (void)variant;
    const reader *r = state;
    if (r->mesh.face_count != r->file->face_count || r->mesh.index_count != 3 * r->file->face_count)
        return 9 * r->file->face_count;
    uint64_t count = 0;
    for (size_t i = 0; i < r->mesh.index_count; ++i) {
        const abut_vec3 v = r->mesh.vertices[r->mesh.indices[i]];
        count += bench_file_differs(r->file, i / 3, (int)(i % 3), v.x, v.y, v.z);
    }
    return count;
}

static void count_bytes(void *state, int variant, bench_counters *counters)
{
    (void)variant;
    const reader *r = state;
    bench_count(counters, "bytes", (double)r->file->bytes / (double)r->file->face_count);
}

static void finish(void *state, int variant)
{
    (void)variant;
    reader *r = state;
    abut_mesh_data_clear(&r->mesh);
    free(r);
}

void bench_register_io(void);
void bench_register_io(void)
{
    for (int i = 0; i < KINDS; ++i) {
        bench_case c = { .family = "io",
                         .name = kinds[i].name,
                         .number = i,
                         .setup = setup,
                         .teardown = teardown,
                         .abut = { .name = "abut",
                                   .prepare = prepare,
                                   .run = run,
                                   .wrong = wrong,
                                   .count = count_bytes,
                                   .finish = finish } };
        int used = 0;
#ifdef BENCH_HAVE_ASSIMP
        used += bench_assimp_files(c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_CGAL
        used += bench_cgal_files(c.peers + used, BENCH_PEERS - used);
#endif
        (void)used;
        bench_add(&c);
    }
}
