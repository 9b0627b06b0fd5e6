/* SPDX-License-Identifier: MIT */
/* Does the boundary of a polyhedron touch itself, and do its shells lie as they must?
 *
 * Pairs of triangles come from the hierarchy; all signs are exact. Triangles without a common vertex may
 * not meet: they do where a side of one meets the other. With one common vertex v, what they have in
 * common beyond it is convex and holds v; a ray from v through it leaves each triangle through the side
 * opposite to v, and the sooner of the two exits is a point of both: so it is enough to ask these two
 * sides. With a common side they overlap where they are in one plane and on the same side of it.
 *
 * Shells are disjoint then. How often the others go round a vertex of one is counted along a line
 * parallel to the z axis that is shifted by (e, e^2), with e infinitely small (H. Edelsbrunner, E.
 * Muecke, Simulation of simplicity, 1990), so that it meets no edge. */
#include "abut/predicates.h"
#include "base/error.h"
#include "brep/polyhedron.h"
#include "bvh/bvh.h"
#include "math/vec3.h"

#include <float.h>
#include <inttypes.h>

/* ---- two triangles ---- */

static int turn2(abut_vec3 a, abut_vec3 b, abut_vec3 c, int axis)
{
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    const double p[2] = { abut_part3(a, i), abut_part3(a, j) }, q[2] = { abut_part3(b, i), abut_part3(b, j) },
                 r[2] = { abut_part3(c, i), abut_part3(c, j) };
    return abut_orient2d(p, q, r);
}

/* An axis along which the triangle has an area, and its sign; triangles have an area. */
static int axis_of(const abut_vec3 t[3], int *sign)
{
    for (int axis = 0; axis < 3; ++axis) {
        *sign = turn2(t[0], t[1], t[2], axis);
        if (*sign != 0)
            return axis;
    }
    return 0;
}

/* p is in the plane of t. */
static bool holds(const abut_vec3 t[3], abut_vec3 p)
{
    int sign;
    const int axis = axis_of(t, &sign);
    for (int k = 0; k < 3; ++k)
        if (turn2(t[k], t[(k + 1) % 3], p, axis) == -sign)
            return false;
    return true;
}

static bool in_box(double a, double b, double x)
{
    return (a <= x && x <= b) || (b <= x && x <= a);
}

/* Two segments in one plane, seen along an axis in which that plane has an area. */
static bool cross_in_plane(abut_vec3 p, abut_vec3 q, abut_vec3 a, abut_vec3 b, int axis)
{
    const int s1 = turn2(p, q, a, axis), s2 = turn2(p, q, b, axis), s3 = turn2(a, b, p, axis),
              s4 = turn2(a, b, q, axis);
    if (s1 * s2 > 0 || s3 * s4 > 0)
        return false;
    if (s1 || s2 || s3 || s4)
        return true;
    const int i = (axis + 1) % 3, j = (axis + 2) % 3; /* on one line */
    for (int k = 0; k < 2; ++k) {
        const abut_vec3 x = k ? b : a, y = k ? q : p;
        if ((in_box(abut_part3(p, i), abut_part3(q, i), abut_part3(x, i)) &&
             in_box(abut_part3(p, j), abut_part3(q, j), abut_part3(x, j))) ||
            (in_box(abut_part3(a, i), abut_part3(b, i), abut_part3(y, i)) &&
             in_box(abut_part3(a, j), abut_part3(b, j), abut_part3(y, j))))
            return true;
    }
    return false;
}

/* Does the segment pq meet the triangle, both closed? */
static bool side_meets(abut_vec3 p, abut_vec3 q, const abut_vec3 t[3])
{
    const int sp = abut_orient3d(t[0], t[1], t[2], p), sq = abut_orient3d(t[0], t[1], t[2], q);
    if (sp * sq > 0)
        return false;
    if (sp == 0 && sq == 0) {
        int sign;
        const int axis = axis_of(t, &sign);
        if (holds(t, p))
            return true;
        for (int k = 0; k < 3; ++k)
            if (cross_in_plane(p, q, t[k], t[(k + 1) % 3], axis))
                return true;
        return false;
    }
    if (sp == 0)
        return holds(t, p);
    if (sq == 0)
        return holds(t, q);
    int least = 1, most = -1;
    for (int k = 0; k < 3; ++k) {
        const int s = abut_orient3d(p, q, t[k], t[(k + 1) % 3]);
        least = s < least ? s : least;
        most = s > most ? s : most;
    }
    return least >= 0 || most <= 0;
}

/* All of b strictly on one side of a? */
static bool aside(const abut_vec3 a[3], const abut_vec3 b[3])
{
    const int s = abut_orient3d(a[0], a[1], a[2], b[0]);
    return s != 0 && abut_orient3d(a[0], a[1], a[2], b[1]) == s && abut_orient3d(a[0], a[1], a[2], b[2]) == s;
}

static bool overlap(const abut_vec3 *vertices, const uint32_t *p, const uint32_t *q)
{
    abut_vec3 a[3], b[3];
    int shared = 0, ia[3] = { 0, 0, 0 }, ib[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; ++i) {
        a[i] = vertices[p[i]];
        b[i] = vertices[q[i]];
        for (int j = 0; j < 3; ++j)
            if (p[i] == q[j] && shared < 3) {
                ia[shared] = i;
                ib[shared++] = j;
            }
    }
    if (shared == 3)
        return true;
    if (shared == 2) {
        const int k = 3 - ia[0] - ia[1], m = 3 - ib[0] - ib[1];
        if (abut_orient3d(a[0], a[1], a[2], b[m]) != 0)
            return false;
        int sign;
        const int axis = axis_of(a, &sign);
        return turn2(a[ia[0]], a[ia[1]], a[k], axis) == turn2(a[ia[0]], a[ia[1]], b[m], axis);
    }
    if (shared == 1) {
        const int i = ia[0], j = ib[0];
        return side_meets(a[(i + 1) % 3], a[(i + 2) % 3], b) || side_meets(b[(j + 1) % 3], b[(j + 2) % 3], a);
    }
    if (aside(a, b) || aside(b, a))
        return false;
    for (int k = 0; k < 3; ++k)
        if (side_meets(a[k], a[(k + 1) % 3], b) || side_meets(b[k], b[(k + 1) % 3], a))
            return true;
    return false;
}

typedef struct self_test {
    const abut_vec3 *vertices;
    const uint32_t *triangles;
    bool met;
    uint32_t a, b;
} self_test;

static bool self_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    self_test *t = ctx;
    for (size_t i = 0; i < count; ++i)
        if (overlap(t->vertices, t->triangles + 3 * (size_t)pairs[i].a,
                    t->triangles + 3 * (size_t)pairs[i].b)) {
            t->met = true;
            t->a = pairs[i].a;
            t->b = pairs[i].b;
            return false;
        }
    return true;
}

abut_status abut_brep_check_self(const abut_brep_triangles *of, abut_error *error)
{
    self_test test = { .vertices = of->vertices, .triangles = of->triangles };
    abut_mesh_counters counters = { 0 };
    abut_bvh_self(of->tree, 0, &counters, self_batch, &test);
    if (!test.met)
        return ABUT_OK;
    const uint32_t f = of->face_of[test.a], g = of->face_of[test.b];
    const uint32_t low = f < g ? f : g, high = f < g ? g : f;
    if (low == high)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, low, "face %" PRIu32 " touches or crosses itself",
                              low);
    return abut_base_fail(error, ABUT_ERR_ARGUMENT, low,
                          "the boundary touches itself: faces %" PRIu32 " and %" PRIu32
                          " meet elsewhere than in the edges or vertices that they share",
                          low, high);
}

/* ---- shells ---- */

typedef struct count_round {
    const abut_brep_triangles *of;
    uint32_t shell; /* whose triangles do not count */
    abut_vec3 p;
    int turns;
} count_round;

/* Side of p + (e, e^2) against the line ab in the xy plane. */
static int shifted_turn(abut_vec3 a, abut_vec3 b, abut_vec3 p)
{
    const int sign = turn2(a, b, p, 2);
    if (sign != 0)
        return sign;
    /* d/dx of the area is a.y - b.y, d/dy is b.x - a.x */
    return a.y != b.y ? (a.y > b.y ? 1 : -1) : b.x > a.x ? 1 : -1;
}

static bool round_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    count_round *r = ctx;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t *t = r->of->triangles + 3 * (size_t)pairs[i].a;
        if (r->of->brep->faces[r->of->face_of[pairs[i].a]].shell == r->shell)
            continue;
        const abut_vec3 a = r->of->vertices[t[0]], b = r->of->vertices[t[1]], c = r->of->vertices[t[2]];
        const int sign = turn2(a, b, c, 2);
        if (sign == 0 || shifted_turn(a, b, r->p) != sign || shifted_turn(b, c, r->p) != sign ||
            shifted_turn(c, a, r->p) != sign)
            continue;
        /* above p: p lies below the plane, with the triangle counter-clockwise seen from above */
        if (abut_orient3d(a, b, c, r->p) * sign > 0)
            r->turns += sign;
    }
    return true;
}

/* How often other shells go round p: crossings of the line upward from it. */
static int turns_round(count_round *r)
{
    static const abut_mat3 unturned = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    const abut_bv_relative still = { .r = unturned };
    abut_mesh_counters counters = { 0 };
    const double top = r->of->box.hi.z, half = fmax(0.5 * top - 0.5 * r->p.z, 0);
    const abut_bv_box box = { .centre = { r->p.x, r->p.y, 0.5 * top + 0.5 * r->p.z },
                              .axes = unturned,
                              .half = { 0, 0, half + 0x1p-40 * (fabs(top) + fabs(r->p.z)) } };
    const abut_bvh_walk walk = {
        .a = { .tree = r->of->tree }, .b = { .box = box }, .b_in_a = &still, .counters = &counters
    };
    r->turns = 0;
    (void)abut_bvh_overlap(&walk, 0, round_batch, r);
    return r->turns;
}

/* Sign of the volume of a shell, from one of its own corners; 0 where doubles leave a doubt. */
static int shell_sign(const abut_brep_triangles *of, uint32_t shell, double size)
{
    double volume = 0, magnitude = 0;
    size_t count = 0;
    const uint32_t *faces = of->brep->shell_faces;
    const uint32_t begin = of->brep->shell_starts[shell], end = of->brep->shell_starts[shell + 1];
    const abut_vec3 at = of->vertices[of->triangles[3 * (size_t)of->starts[faces[begin]]]];
    for (uint32_t i = begin; i < end; ++i)
        for (uint32_t t = of->starts[faces[i]]; t < of->starts[faces[i] + 1]; ++t, ++count) {
            abut_vec3 p[3];
            for (int k = 0; k < 3; ++k) {
                const abut_vec3 v = of->vertices[of->triangles[3 * (size_t)t + (size_t)k]];
                p[k] = abut_v3(v.x / size - at.x / size, v.y / size - at.y / size, v.z / size - at.z / size);
            }
            volume += abut_dot(p[0], abut_cross(p[1], p[2]));
            magnitude += abut_length(p[0]) * abut_length(p[1]) * abut_length(p[2]);
        }
    if (!(fabs(volume) > (double)(count + 32) * 0x1p-50 * magnitude))
        return 0;
    return volume > 0 ? 1 : -1;
}

/* A shell so thin that its sign is undecided is not judged: answers about points count how often the
 * boundary goes round them, and are right for it all the same. */
abut_status abut_brep_check_shells(const abut_brep_triangles *of, int8_t *signs, abut_error *error)
{
    const abut_brep *brep = of->brep;
    const double size = fmin(abut_max_norm(abut_sub(of->box.hi, of->box.lo)), DBL_MAX);
    for (uint32_t s = 0; s < brep->shell_count; ++s) {
        signs[s] = 1;
        if (brep->shell_count == 1)
            break;
        const uint32_t face = brep->shell_faces[brep->shell_starts[s]];
        const int sign = shell_sign(of, s, size);
        if (sign == 0)
            continue;
        signs[s] = (int8_t)sign;
        count_round r = { .of = of,
                          .shell = s,
                          .p = of->vertices[of->triangles[3 * (size_t)of->starts[face]]] };
        const int round = turns_round(&r);
        if (round != (sign > 0 ? 0 : 1))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, face,
                                  "the shell of face %" PRIu32 " is turned %s, but lies %s", face,
                                  sign > 0 ? "outward" : "inward, as a cavity",
                                  round > 0 ? "inside another shell" : "outside of all others");
    }
    return ABUT_OK;
}
