/* SPDX-License-Identifier: MIT */
/* Triangles under construction: vertices, normals shared across smooth joints. */
#include "tessellate/tessellate.h"

#include <math.h>
#include <string.h>

/* Corners are numbered by 32 bits, with room to spare. */
#define MOST_CORNERS ((size_t)1 << 31)

void abut_tess_fail(abut_tess *t, abut_status status)
{
    if (!t->status)
        t->status = status;
}

uint32_t abut_tess_vertex(abut_tess *t, abut_vec3 p, abut_vec3 normal)
{
    if (t->status)
        return 0;
    if (t->vertices.count >= MOST_CORNERS)
        abut_tess_fail(t, ABUT_ERR_LIMIT);
    else if (!ABUT_ARRAY_RESERVE(t->alloc, &t->vertices, 1) || !ABUT_ARRAY_RESERVE(t->alloc, &t->normals, 1))
        abut_tess_fail(t, ABUT_ERR_MEMORY);
    if (t->status)
        return 0;
    t->normals.items[t->normals.count++] = abut_unit_or(normal, abut_v3(0, 0, 0));
    t->vertices.items[t->vertices.count++] = p;
    return (uint32_t)(t->vertices.count - 1);
}

void abut_tess_triangle(abut_tess *t, uint32_t a, uint32_t b, uint32_t c)
{
    if (t->status || a == b || b == c || c == a)
        return;
    if (t->triangles.count >= MOST_CORNERS)
        abut_tess_fail(t, ABUT_ERR_LIMIT);
    else if (!ABUT_ARRAY_RESERVE(t->alloc, &t->triangles, 3))
        abut_tess_fail(t, ABUT_ERR_MEMORY);
    if (t->status)
        return;
    t->triangles.items[t->triangles.count++] = a;
    t->triangles.items[t->triangles.count++] = b;
    t->triangles.items[t->triangles.count++] = c;
}

static abut_vec3 area_of(abut_vec3 a, abut_vec3 b, abut_vec3 c)
{
    return abut_cross(abut_sub(b, a), abut_sub(c, a));
}

void abut_tess_facing(abut_tess *t, uint32_t a, uint32_t b, uint32_t c)
{
    if (t->status)
        return;
    const abut_vec3 *p = t->vertices.items, *n = t->normals.items;
    const abut_vec3 area = area_of(p[a], p[b], p[c]);
    if (!(abut_dot(area, area) > 0))
        return;
    if (abut_dot(area, abut_add(n[a], abut_add(n[b], n[c]))) < 0)
        abut_tess_triangle(t, a, c, b);
    else
        abut_tess_triangle(t, a, b, c);
}

void abut_tess_edge(abut_tess *t, uint32_t a, uint32_t b)
{
    if (t->status || a == b)
        return;
    if (!ABUT_ARRAY_RESERVE(t->alloc, &t->edges, 2)) {
        abut_tess_fail(t, ABUT_ERR_MEMORY);
        return;
    }
    t->edges.items[t->edges.count++] = a;
    t->edges.items[t->edges.count++] = b;
}

int abut_tess_chords(const abut_tess *t, double radius, double angle)
{
    enum { FEWEST = 24, MOST = 512 };
    /* A chord over the angle a is off by radius (1 - cos(a / 2)). */
    const double off = t->tolerance / radius;
    const double step = off < 1 ? 2 * acos(1 - off) : 4;
    const double turns = angle / 6.283185307179586;
    return (int)ceil(fmin(fmax(angle / step, FEWEST * turns), MOST * turns) - 1e-9);
}

/* ---- smooth joints ---- */

/* Which triangles are at each vertex, and their unit normals. */
typedef struct fans {
    uint32_t *begin, *faces;
    abut_vec3 *area, *unit;
    /* the corner of the tessellation that each corner of a triangle became */
    uint32_t *corner;
    size_t vertex_count, triangle_count;
    const abut_vec3 *normals; /* of smooth vertices, zero of others; or NULL */
} fans;

static bool is_smooth(const fans *f, uint32_t v)
{
    return f->normals && abut_dot(f->normals[v], f->normals[v]) > 0.5;
}

static bool fans_open(abut_tess *t, const abut_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                      size_t triangle_count, fans *f)
{
    *f = (fans){ .vertex_count = vertex_count, .triangle_count = triangle_count };
    f->begin = abut_workspace_take(&t->ws, vertex_count + 2, sizeof *f->begin);
    f->faces = abut_workspace_take(&t->ws, 3 * triangle_count + 1, sizeof *f->faces);
    f->area = abut_workspace_take(&t->ws, triangle_count + 1, sizeof *f->area);
    f->unit = abut_workspace_take(&t->ws, triangle_count + 1, sizeof *f->unit);
    f->corner = abut_workspace_take(&t->ws, 3 * triangle_count + 1, sizeof *f->corner);
    if (!f->begin || !f->faces || !f->area || !f->unit || !f->corner) {
        abut_tess_fail(t, ABUT_ERR_MEMORY);
        return false;
    }
    memset(f->begin, 0, (vertex_count + 2) * sizeof *f->begin);
    for (size_t i = 0; i < 3 * triangle_count; ++i)
        ++f->begin[triangles[i] + 2];
    for (size_t i = 2; i < vertex_count + 2; ++i)
        f->begin[i] += f->begin[i - 1];
    for (size_t i = 0; i < triangle_count; ++i) {
        const uint32_t *c = triangles + 3 * i;
        f->area[i] = area_of(vertices[c[0]], vertices[c[1]], vertices[c[2]]);
        f->unit[i] = abut_unit_or(f->area[i], abut_v3(0, 0, 0));
        for (int k = 0; k < 3; ++k)
            f->faces[f->begin[c[k] + 1]++] = (uint32_t)i;
    }
    return true;
}

/* The corner of the tessellation for vertex v as triangle i sees it: an earlier corner at v with the
 * same normal, or a new one. */
static uint32_t corner_of(abut_tess *t, const fans *f, const uint32_t *triangles, const abut_vec3 *vertices,
                          uint32_t v, uint32_t i, double cosine)
{
    const uint32_t *at = f->faces + f->begin[v];
    const uint32_t count = f->begin[v + 1] - f->begin[v];
    abut_vec3 sum = { 0, 0, 0 };
    for (uint32_t k = 0; k < count; ++k)
        if (at[k] == i || abut_dot(f->unit[at[k]], f->unit[i]) >= cosine)
            sum = abut_add(sum, f->area[at[k]]);
    const abut_vec3 normal = is_smooth(f, v) ? f->normals[v] : abut_unit_or(sum, abut_v3(0, 0, 0));
    for (uint32_t k = 0; k < count && at[k] < i; ++k)
        for (int c = 0; c < 3; ++c) {
            const size_t slot = 3 * (size_t)at[k] + (size_t)c;
            if (triangles[slot] == v && abut_dot(t->normals.items[f->corner[slot]], normal) > 0.9999)
                return f->corner[slot];
        }
    return abut_tess_vertex(t, vertices[v], normal);
}

/* Whether the side from vertex p to q of triangle i is a crease or a rim; of a crease between two
 * triangles only the first says so. */
static bool is_sharp(const fans *f, const uint32_t *triangles, uint32_t i, uint32_t p, uint32_t q,
                     double cosine)
{
    if (is_smooth(f, p) || is_smooth(f, q))
        return false;
    for (uint32_t k = f->begin[p]; k < f->begin[p + 1]; ++k) {
        const uint32_t j = f->faces[k], *c = triangles + 3 * (size_t)j;
        if (j != i && (c[0] == q || c[1] == q || c[2] == q))
            return i < j && abut_dot(f->unit[i], f->unit[j]) < cosine;
    }
    return true;
}

void abut_tess_faces(abut_tess *t, const abut_vec3 *vertices, size_t vertex_count, const uint32_t *triangles,
                     size_t triangle_count)
{
    abut_tess_faces_with(t, vertices, NULL, vertex_count, triangles, triangle_count);
}

void abut_tess_faces_with(abut_tess *t, const abut_vec3 *vertices, const abut_vec3 *normals,
                          size_t vertex_count, const uint32_t *triangles, size_t triangle_count)
{
    const double crease = t->opts.crease == 0 ? 0.6 : t->opts.crease;
    const double cosine = crease < 0 ? 2 : cos(fmin(crease, 3.14));
    const abut_workspace_mark mark = abut_workspace_begin(&t->ws);
    fans f;
    if (!t->status && fans_open(t, vertices, vertex_count, triangles, triangle_count, &f)) {
        f.normals = normals;
        for (size_t i = 0; i < triangle_count && !t->status; ++i) {
            const uint32_t *c = triangles + 3 * i;
            for (int k = 0; k < 3; ++k)
                f.corner[3 * i + (size_t)k] =
                    corner_of(t, &f, triangles, vertices, c[k], (uint32_t)i, cosine);
            abut_tess_triangle(t, f.corner[3 * i], f.corner[3 * i + 1], f.corner[3 * i + 2]);
        }
        for (size_t i = 0; i < triangle_count && !t->status; ++i)
            for (int k = 0; k < 3; ++k) {
                const uint32_t *c = triangles + 3 * i;
                const int next = k < 2 ? k + 1 : 0;
                if (is_sharp(&f, triangles, (uint32_t)i, c[k], c[next], fmin(cosine, 0.9999)))
                    abut_tess_edge(t, f.corner[3 * i + (size_t)k], f.corner[3 * i + (size_t)next]);
            }
    }
    abut_workspace_end(&t->ws, mark);
}
