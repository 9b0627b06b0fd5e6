/* SPDX-License-Identifier: MIT */
/* Faces in one plane, joined over their common edges: what a solid was before its faces were triangulated.
 *
 * A group grows from its first face over edges to faces all of whose corners are in the plane of three
 * corners of the first, by exact signs, and which are turned alike. So whether two faces are in one group
 * does not hang on rounding, and faces that are not exactly planar stay as they are. The border of a group
 * is traced around its vertices, which parts loops where they must part. A group whose border comes to a
 * vertex twice is left as it was: such faces are not accepted. A vertex at which only two edges are left, on
 * one line, goes as well (Vanecek's third step: pseudo-entities are taken out). */
#include "abut/predicates.h"
#include "brep/polyhedron.h"
#include "math/vec3.h"

#include <string.h>

typedef struct merger {
    const abut_brep *brep;
    const abut_vec3 *vertices;
    uint32_t *first;  /* of each face the smallest of its group */
    uint32_t *queue;  /* faces, group after group */
    uint32_t *starts; /* of the groups in the queue, by their first face; the next follows */
    uint32_t *stamp;  /* of each vertex: the last group whose border came there */
    uint32_t *degree; /* of each vertex: edges that are left */
    bool *dropped;    /* of each vertex */
    bool *seen;       /* of each co-edge */
} merger;

static void project(abut_vec3 p, int axis, double out[2])
{
    out[0] = abut_part3(p, (axis + 1) % 3);
    out[1] = abut_part3(p, (axis + 2) % 3);
}

static int turn(const merger *m, int axis, uint32_t a, uint32_t b, uint32_t c)
{
    double p[2], q[2], r[2];
    project(m->vertices[a], axis, p);
    project(m->vertices[b], axis, q);
    project(m->vertices[c], axis, r);
    return abut_orient2d(p, q, r);
}

static uint32_t first_coedge(const abut_brep *brep, uint32_t face)
{
    return brep->loops[brep->faces[face].begin].begin;
}

static uint32_t end_coedge(const abut_brep *brep, uint32_t face)
{
    return brep->loops[brep->faces[face].end - 1].end;
}

/* Which way a face is turned, seen along an axis: the turn at the corner that is smallest in the order of
 * coordinates, which is on the outer loop. 0: not known. */
static int face_turn(const merger *m, uint32_t face, int axis)
{
    const abut_brep *brep = m->brep;
    uint32_t least = first_coedge(brep, face);
    double best[2];
    project(m->vertices[abut_brep_start(brep, least)], axis, best);
    for (uint32_t c = least + 1; c < end_coedge(brep, face); ++c) {
        double p[2];
        project(m->vertices[abut_brep_start(brep, c)], axis, p);
        if (p[0] < best[0] || (p[0] == best[0] && p[1] < best[1])) {
            least = c;
            best[0] = p[0];
            best[1] = p[1];
        }
    }
    return turn(m, axis, abut_brep_start(brep, abut_brep_previous(brep, least)), abut_brep_start(brep, least),
                abut_brep_start(brep, abut_brep_next(brep, least)));
}

typedef struct plane {
    uint32_t v[3];
    int axis, sign;
} plane;

/* Three corners of a face that are not on a line, and how it is turned. */
static bool find_plane(const merger *m, uint32_t face, plane *out)
{
    const abut_brep *brep = m->brep;
    for (uint32_t c = first_coedge(brep, face); c < end_coedge(brep, face); ++c) {
        out->v[0] = abut_brep_start(brep, abut_brep_previous(brep, c));
        out->v[1] = abut_brep_start(brep, c);
        out->v[2] = abut_brep_start(brep, abut_brep_next(brep, c));
        for (out->axis = 0; out->axis < 3; ++out->axis)
            if (turn(m, out->axis, out->v[0], out->v[1], out->v[2]) != 0) {
                out->sign = face_turn(m, face, out->axis);
                return out->sign != 0;
            }
    }
    return false;
}

static bool is_in_plane(const merger *m, const plane *in, uint32_t face)
{
    const abut_brep *brep = m->brep;
    for (uint32_t c = first_coedge(brep, face); c < end_coedge(brep, face); ++c)
        if (abut_orient3d(m->vertices[in->v[0]], m->vertices[in->v[1]], m->vertices[in->v[2]],
                          m->vertices[abut_brep_start(brep, c)]) != 0)
            return false;
    return face_turn(m, face, in->axis) == in->sign;
}

/* Is a co-edge on the border of its group? */
static bool is_border(const merger *m, uint32_t coedge)
{
    return m->first[abut_brep_face_of(m->brep, coedge)] !=
           m->first[abut_brep_face_of(m->brep, abut_brep_mate(m->brep, coedge))];
}

/* The faces of a group are queue[begin .. end - 1]; false where its border comes to a vertex twice. */
static bool is_simple(merger *m, uint32_t begin, uint32_t end, uint32_t mark)
{
    for (uint32_t i = begin; i < end; ++i)
        for (uint32_t c = first_coedge(m->brep, m->queue[i]); c < end_coedge(m->brep, m->queue[i]); ++c) {
            const uint32_t v = abut_brep_start(m->brep, c);
            if (!is_border(m, c))
                continue;
            if (m->stamp[v] == mark)
                return false;
            m->stamp[v] = mark;
        }
    return true;
}

static void grow(merger *m, uint32_t seed, uint32_t begin, uint32_t *end)
{
    const abut_brep *brep = m->brep;
    plane in;
    m->queue[(*end)++] = seed;
    m->first[seed] = seed;
    if (!find_plane(m, seed, &in) || !is_in_plane(m, &in, seed))
        return;
    for (uint32_t i = begin; i < *end; ++i)
        for (uint32_t c = first_coedge(brep, m->queue[i]); c < end_coedge(brep, m->queue[i]); ++c) {
            const uint32_t next = abut_brep_face_of(brep, abut_brep_mate(brep, c));
            if (m->first[next] != ABUT_BREP_NONE || !is_in_plane(m, &in, next))
                continue;
            m->first[next] = seed;
            m->queue[(*end)++] = next;
        }
}

static void make_groups(merger *m)
{
    const uint32_t faces = (uint32_t)m->brep->face_count;
    uint32_t end = 0;
    memset(m->first, 0xFF, faces * sizeof *m->first);
    memset(m->stamp, 0xFF, m->brep->vertex_count * sizeof *m->stamp);
    for (uint32_t f = 0; f < faces; ++f) {
        if (m->first[f] != ABUT_BREP_NONE)
            continue;
        const uint32_t begin = end;
        grow(m, f, begin, &end);
        m->starts[f] = begin;
        if (end - begin > 1 && !is_simple(m, begin, end, f))
            for (uint32_t i = begin; i < end; ++i) {
                m->first[m->queue[i]] = m->queue[i];
                m->starts[m->queue[i]] = i;
            }
    }
}

/* The next co-edge of a border: the faces of the group are walked around the vertex. */
static uint32_t next_border(const merger *m, uint32_t coedge)
{
    uint32_t next = abut_brep_next(m->brep, coedge);
    while (!is_border(m, next))
        next = abut_brep_next(m->brep, abut_brep_mate(m->brep, next));
    return next;
}

static bool is_between(double a, double b, double c)
{
    return (a <= b && b <= c) || (a >= b && b >= c);
}

/* Is the vertex at which a border co-edge ends only a point of a straight edge? */
static bool is_straight(const merger *m, uint32_t coedge, uint32_t next)
{
    const uint32_t u = abut_brep_start(m->brep, coedge), v = abut_brep_start(m->brep, next),
                   w = abut_brep_start(m->brep, abut_brep_mate(m->brep, next));
    if (m->degree[v] != 2 || u == w)
        return false;
    for (int k = 0; k < 3; ++k)
        if (turn(m, k, u, v, w) != 0 ||
            !is_between(abut_part3(m->vertices[u], k), abut_part3(m->vertices[v], k),
                        abut_part3(m->vertices[w], k)))
            return false;
    return true;
}

/* Marks the vertices that go; loops of fewer than three corners keep all of theirs. */
static void drop_vertices(merger *m)
{
    const uint32_t coedges = (uint32_t)m->brep->coedge_count;
    memset(m->degree, 0, m->brep->vertex_count * sizeof *m->degree);
    memset(m->dropped, 0, m->brep->vertex_count * sizeof *m->dropped);
    memset(m->seen, 0, coedges * sizeof *m->seen);
    for (uint32_t c = 0; c < coedges; ++c)
        m->degree[abut_brep_start(m->brep, c)] += is_border(m, c);
    for (uint32_t c = 0; c < coedges; ++c)
        if (is_border(m, c)) {
            const uint32_t next = next_border(m, c);
            if (is_straight(m, c, next))
                m->dropped[abut_brep_start(m->brep, next)] = true;
        }
    for (uint32_t c = 0; c < coedges; ++c) {
        size_t left = 0;
        if (m->seen[c] || !is_border(m, c))
            continue;
        for (uint32_t at = c; !m->seen[at]; at = next_border(m, at)) {
            m->seen[at] = true;
            left += !m->dropped[abut_brep_start(m->brep, at)];
        }
        if (left >= 3)
            continue;
        uint32_t at = c;
        do {
            m->dropped[abut_brep_start(m->brep, at)] = false;
            at = next_border(m, at);
        } while (at != c);
    }
}

static void trace(merger *m, abut_polygons *out, uint32_t *face_loops, uint32_t *loop_sizes,
                  uint32_t *corners, uint32_t *face_of)
{
    const abut_brep *brep = m->brep;
    const uint32_t faces = (uint32_t)brep->face_count;
    memset(m->seen, 0, brep->coedge_count * sizeof *m->seen);
    for (uint32_t f = 0; f < faces; ++f) {
        if (m->first[f] != f)
            continue;
        uint32_t loops = 0;
        for (uint32_t i = m->starts[f]; i < faces && m->first[m->queue[i]] == f; ++i) {
            face_of[m->queue[i]] = (uint32_t)out->face_count;
            for (uint32_t c = first_coedge(brep, m->queue[i]); c < end_coedge(brep, m->queue[i]); ++c) {
                if (m->seen[c] || !is_border(m, c))
                    continue;
                uint32_t size = 0;
                for (uint32_t at = c; !m->seen[at]; at = next_border(m, at)) {
                    m->seen[at] = true;
                    if (!m->dropped[abut_brep_start(brep, at)])
                        corners[out->corner_count + size++] = abut_brep_start(brep, at);
                }
                loop_sizes[out->loop_count++] = size;
                out->corner_count += size;
                ++loops;
            }
        }
        face_loops[out->face_count++] = loops;
    }
}

bool abut_brep_merge(const abut_brep *brep, const abut_vec3 *vertices, abut_workspace *ws, abut_polygons *out,
                     uint32_t *face_of)
{
    const size_t faces = brep->face_count, count = brep->vertex_count, coedges = brep->coedge_count;
    merger m = { .brep = brep, .vertices = vertices };
    m.first = abut_workspace_take(ws, faces, sizeof *m.first);
    m.queue = abut_workspace_take(ws, faces, sizeof *m.queue);
    m.starts = abut_workspace_take(ws, faces, sizeof *m.starts);
    m.stamp = abut_workspace_take(ws, count, sizeof *m.stamp);
    m.degree = abut_workspace_take(ws, count, sizeof *m.degree);
    m.dropped = abut_workspace_take(ws, count, sizeof *m.dropped);
    m.seen = abut_workspace_take(ws, coedges, sizeof *m.seen);
    uint32_t *face_loops = abut_workspace_take(ws, faces, sizeof *face_loops);
    uint32_t *loop_sizes = abut_workspace_take(ws, coedges, sizeof *loop_sizes);
    uint32_t *corners = abut_workspace_take(ws, coedges, sizeof *corners);
    if (!m.first || !m.queue || !m.starts || !m.stamp || !m.degree || !m.dropped || !m.seen || !face_loops ||
        !loop_sizes || !corners)
        return false;
    make_groups(&m);
    drop_vertices(&m);
    *out = (abut_polygons){ .vertices = vertices,
                            .vertex_count = count,
                            .face_loop_count = face_loops,
                            .loop_sizes = loop_sizes,
                            .corners = corners };
    trace(&m, out, face_loops, loop_sizes, corners, face_of);
    return true;
}
