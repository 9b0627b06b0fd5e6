/* SPDX-License-Identifier: MIT */
/* Numbers live in an arena that each question empties, so that formulas can be written as such. */
#include "oracle/closed_pair.h"

#include <stdbool.h>
#include <stdlib.h>

typedef mpfr_ptr num;

enum { ARENA = 60000 };

static mpfr_t *arena;
static int used;

static void begin(void)
{
    if (!arena) {
        arena = malloc(ARENA * sizeof *arena);
        if (!arena)
            abort();
        for (int i = 0; i < ARENA; ++i)
            mpfr_init2(arena[i], ORACLE_PRECISION);
    }
    used = 0;
}

static num fresh(void)
{
    if (used == ARENA)
        abort();
    return arena[used++];
}

static num of(double x)
{
    num r = fresh();
    mpfr_set_d(r, x, MPFR_RNDN);
    return r;
}

#define BINARY(name, op)          \
    static num name(num a, num b) \
    {                             \
        num r = fresh();          \
        op(r, a, b, MPFR_RNDN);   \
        return r;                 \
    }
BINARY(add, mpfr_add)
BINARY(sub, mpfr_sub)
BINARY(mul, mpfr_mul)
BINARY(quo, mpfr_div)
BINARY(most, mpfr_max)
BINARY(least, mpfr_min)
#undef BINARY

static num neg(num a)
{
    return sub(of(0), a);
}

static num size(num a)
{
    num r = fresh();
    mpfr_abs(r, a, MPFR_RNDN);
    return r;
}

static num root(num a)
{
    num r = fresh();
    mpfr_sqrt(r, a, MPFR_RNDN);
    return r;
}

static num clamp(num x, num lo, num hi)
{
    return least(most(x, lo), hi);
}

typedef struct vec {
    num c[3];
} vec;

static vec vsub(vec a, vec b)
{
    return (vec){ { sub(a.c[0], b.c[0]), sub(a.c[1], b.c[1]), sub(a.c[2], b.c[2]) } };
}

static vec vmadd(vec a, num s, vec b)
{
    return (vec){ { add(a.c[0], mul(s, b.c[0])), add(a.c[1], mul(s, b.c[1])), add(a.c[2], mul(s, b.c[2])) } };
}

static num dot(vec a, vec b)
{
    return add(add(mul(a.c[0], b.c[0]), mul(a.c[1], b.c[1])), mul(a.c[2], b.c[2]));
}

static vec cross(vec a, vec b)
{
    vec r;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        r.c[i] = sub(mul(a.c[j], b.c[k]), mul(a.c[k], b.c[j]));
    }
    return r;
}

static num norm(vec a)
{
    return root(dot(a, a));
}

/* Axes of a pose: e + 2 v x (v x e + w e) / |q|^2, v the vector part. */
static void axes_of(abut_quat q, vec out[3])
{
    const vec v = { { of(q.x), of(q.y), of(q.z) } };
    const num w = of(q.w), n = add(mul(w, w), dot(v, v)), two = quo(of(2), n);
    for (int i = 0; i < 3; ++i) {
        const vec e = { { of(i == 0), of(i == 1), of(i == 2) } };
        out[i] = vmadd(e, two, cross(v, vmadd(cross(v, e), w, e)));
    }
}

typedef struct body {
    vec axis[3], centre;
    num half[3];
} body;

static body make(const oracle_box *b)
{
    body r;
    axes_of(b->pose.rotation, r.axis);
    const abut_vec3 p = b->pose.position;
    r.centre = (vec){ { of(p.x), of(p.y), of(p.z) } };
    for (int i = 0; i < 3; ++i)
        r.half[i] = of(b->half[i]);
    return r;
}

/* ---- boxes ---- */

static num reach(const body *b, vec n)
{
    num sum = of(0);
    for (int i = 0; i < 3; ++i)
        sum = add(sum, mul(b->half[i], size(dot(b->axis[i], n))));
    return sum;
}

static num best_axis(const body *a, const body *b)
{
    vec n[15];
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        n[count++] = a->axis[i];
        n[count++] = b->axis[i];
        for (int j = 0; j < 3; ++j)
            n[count++] = cross(a->axis[i], b->axis[j]);
    }
    const vec d = vsub(b->centre, a->centre);
    num best = NULL;
    for (int i = 0; i < count; ++i) {
        const num length = norm(n[i]);
        if (mpfr_cmp_d(length, 0x1p-300) < 0)
            continue;
        const num s = quo(sub(size(dot(d, n[i])), add(reach(a, n[i]), reach(b, n[i]))), length);
        best = best ? most(best, s) : s;
    }
    return best;
}

static vec corner(const body *b, int bits)
{
    vec p = b->centre;
    for (int i = 0; i < 3; ++i)
        p = vmadd(p, bits >> i & 1 ? b->half[i] : neg(b->half[i]), b->axis[i]);
    return p;
}

static num point_box(vec p, const body *b)
{
    const vec d = vsub(p, b->centre);
    num sum = of(0);
    for (int i = 0; i < 3; ++i) {
        const num e = most(sub(size(dot(d, b->axis[i])), b->half[i]), of(0));
        sum = add(sum, mul(e, e));
    }
    return sum;
}

/* Squared distance of the insides of two edges; NULL where the nearest points of their lines are
 * not inside. */
static num edge_edge(vec p, vec u, num hu, vec q, vec v, num hv)
{
    const vec r = vsub(q, p);
    const num b = dot(u, v), det = sub(of(1), mul(b, b));
    if (mpfr_cmp_d(det, 0x1p-400) < 0)
        return NULL;
    const num ru = dot(r, u), rv = dot(r, v);
    const num s = quo(sub(ru, mul(b, rv)), det), t = quo(sub(mul(b, ru), rv), det);
    if (mpfr_cmp(size(s), hu) > 0 || mpfr_cmp(size(t), hv) > 0)
        return NULL;
    const vec w = vsub(vmadd(q, t, v), vmadd(p, s, u));
    return dot(w, w);
}

static num distance(const body *a, const body *b)
{
    num best = point_box(corner(a, 0), b);
    for (int i = 0; i < 8; ++i)
        best = least(best, least(point_box(corner(a, i), b), point_box(corner(b, i), a)));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            body ma = *a, mb = *b;
            ma.half[i] = of(0);
            mb.half[j] = of(0);
            for (int k = 0; k < 8; ++k)
                for (int l = 0; l < 8; ++l) {
                    if (k >> i & 1 || l >> j & 1)
                        continue;
                    const num d = edge_edge(corner(&ma, k), a->axis[i], a->half[i], corner(&mb, l),
                                            b->axis[j], b->half[j]);
                    best = d ? least(best, d) : best;
                }
        }
    return root(best);
}

static int extents(const oracle_box *b)
{
    return (b->half[0] > 0) + (b->half[1] > 0) + (b->half[2] > 0);
}

void oracle_box_gap(const oracle_box *a, const oracle_box *b, mpfr_t gap)
{
    begin();
    const body ba = make(a), bb = make(b);
    num value = best_axis(&ba, &bb);
    if (mpfr_sgn(value) > 0 || (extents(a) < 3 && extents(b) < 3))
        value = distance(&ba, &bb);
    value = sub(value, add(of(a->radius), of(b->radius)));
    mpfr_set(gap, value, MPFR_RNDN);
}

/* ---- half-spaces ---- */

void oracle_plane_gap(oracle_round kind, const oracle_box *solid, const abut_pose *pose, abut_vec3 normal,
                      double offset, mpfr_t gap)
{
    begin();
    const body b = make(solid);
    vec axis[3];
    axes_of(pose->rotation, axis);
    vec n = { { of(0), of(0), of(0) } };
    n = vmadd(vmadd(vmadd(n, of(normal.x), axis[0]), of(normal.y), axis[1]), of(normal.z), axis[2]);
    const num length = norm((vec){ { of(normal.x), of(normal.y), of(normal.z) } });
    const vec at = { { of(pose->position.x), of(pose->position.y), of(pose->position.z) } };
    const num c[3] = { dot(n, b.axis[0]), dot(n, b.axis[1]), dot(n, b.axis[2]) };
    const num flat = root(add(mul(c[0], c[0]), mul(c[1], c[1])));
    num down = reach(&b, n);
    if (kind == ORACLE_ROUND_CYLINDER)
        down = add(mul(b.half[2], size(c[2])), mul(b.half[0], flat));
    else if (kind == ORACLE_ROUND_CONE)
        down = most(neg(mul(b.half[2], c[2])), add(mul(b.half[2], c[2]), mul(b.half[0], flat)));
    else if (kind == ORACLE_ROUND_ELLIPSOID) {
        num sum = of(0);
        for (int i = 0; i < 3; ++i)
            sum = add(sum, mul(mul(b.half[i], c[i]), mul(b.half[i], c[i])));
        down = root(sum);
    }
    const num height = sub(sub(dot(n, vsub(b.centre, at)), of(offset)), down);
    mpfr_set(gap, sub(quo(height, length), of(solid->radius)), MPFR_RNDN);
}

/* ---- a ball and a round body: the profile in the plane of the axis and the centre ---- */

/* Distance from a segment of the profile. */
static num profile_distance(num x, num z, num ax, num az, num bx, num bz)
{
    const num ux = sub(bx, ax), uz = sub(bz, az), px = sub(x, ax), pz = sub(z, az);
    const num t = clamp(quo(add(mul(px, ux), mul(pz, uz)), add(mul(ux, ux), mul(uz, uz))), of(0), of(1));
    const num dx = sub(px, mul(t, ux)), dz = sub(pz, mul(t, uz));
    return root(add(mul(dx, dx), mul(dz, dz)));
}

void oracle_ball_round_gap(double radius, abut_vec3 centre, oracle_round kind, const oracle_box *solid,
                           mpfr_t gap)
{
    begin();
    const body b = make(solid);
    const vec d = vsub((vec){ { of(centre.x), of(centre.y), of(centre.z) } }, b.centre);
    const num px = dot(d, b.axis[0]), py = dot(d, b.axis[1]), z = dot(d, b.axis[2]);
    const num x = root(add(mul(px, px), mul(py, py))), r = b.half[0], h = b.half[2], zero = of(0);
    num out;
    bool inside;
    if (kind == ORACLE_ROUND_CYLINDER) {
        out = least(
            profile_distance(x, z, r, neg(h), r, h),
            least(profile_distance(x, z, zero, neg(h), r, neg(h)), profile_distance(x, z, zero, h, r, h)));
        inside = mpfr_cmp(x, r) < 0 && mpfr_cmp(size(z), h) < 0;
    } else {
        out = least(profile_distance(x, z, r, neg(h), zero, h),
                    profile_distance(x, z, zero, neg(h), r, neg(h)));
        /* 2 h x + r z < r h below the slope. */
        const num slope = sub(add(mul(mul(of(2), h), x), mul(r, z)), mul(r, h));
        inside = mpfr_sgn(slope) < 0 && mpfr_cmp(z, neg(h)) > 0;
    }
    mpfr_set(gap, sub(inside ? neg(out) : out, add(of(radius), of(solid->radius))), MPFR_RNDN);
}
