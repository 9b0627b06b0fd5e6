/* SPDX-License-Identifier: MIT */
/* A torus against simple bodies at one instant. surface_ring.c encloses the gap; where that holds
 * 0, exact signs tell contact from overlap for placements that are known exactly:
 *
 * ball       rho and z of its centre about the torus' axis, S = both radii: sqrt((rho - R)^2 + z^2)
 * against S, that is E = rho^2 + z^2 + R^2 - S^2
 *              against 2 R rho, squared where E >= 0;
 * half-space A = m . c - offset against r |m| + R |m x n| for the axis n: twice squared; torus with
 * a parallel axis: the spines' distance is that of their planes and, in the plane, of two circles,
 * rho - (R + R') or |R - R'| - rho where these
 *              are positive, otherwise 0: the same as for a ball with another R, or |z| against S;
 * box with the same axes: a plane of a face that exactly touches parts them; they touch if the
 * point of the torus there is in the face.
 *
 * n = N / |q|^2 for the quaternion q of the torus, so that all signs are those of polynomials in
 * what was given. The longest, of the half-space, has eight factors that are lengths or parts of
 * its normal, of any exponent, and eight parts of a quaternion of size 1: 8 * 2098 + 8 * 1128
 * bits, fewer than there is room for (big.h). */
#include "narrow/surface/surface_torus.h"

#include "math/vec3.h"
#include "narrow/pair/big.h"

enum { UNKNOWN = ABUT_SIGN_UNKNOWN };

/* The axis N / M of a torus, and its centre. */
typedef struct axis {
    abut_big n[3], m;
} axis;

static void set_terms(abut_big *out, double a, double b)
{
    const abut_terms t = { 2, { a, b } };
    abut_big_terms(&t, out);
}

static void add_product3(double k, double x, double y, abut_big *out)
{
    abut_big a, b, c;
    abut_big_double(k, &a);
    abut_big_double(x, &b);
    abut_big_mul(&a, &b, &c);
    abut_big_double(y, &a);
    abut_big_add_product(&c, &a, 1, out);
}

/* The third column of the rotation, times |q|^2. */
static void axis_of_quat(abut_quat q, axis *out)
{
    for (int i = 0; i < 3; ++i)
        abut_big_clear(&out->n[i]);
    abut_big_clear(&out->m);
    add_product3(2, q.x, q.z, &out->n[0]);
    add_product3(2, q.w, q.y, &out->n[0]);
    add_product3(2, q.y, q.z, &out->n[1]);
    add_product3(-2, q.w, q.x, &out->n[1]);
    add_product3(1, q.w, q.w, &out->n[2]);
    add_product3(-1, q.x, q.x, &out->n[2]);
    add_product3(-1, q.y, q.y, &out->n[2]);
    add_product3(1, q.z, q.z, &out->n[2]);
    add_product3(1, q.w, q.w, &out->m);
    add_product3(1, q.x, q.x, &out->m);
    add_product3(1, q.y, q.y, &out->m);
    add_product3(1, q.z, q.z, &out->m);
}

static bool axis_of(const abut_place *at, axis *out)
{
    if (at->axis[2] >= 0) {
        for (int i = 0; i < 3; ++i)
            abut_big_double(i == at->axis[2] ? at->sign[2] : 0, &out->n[i]);
        abut_big_double(1, &out->m);
        return true;
    }
    if (!at->stated)
        return false;
    abut_quat q = at->pose.rotation;
    int exponent;
    bool lossy = false;
    (void)frexp(fmax(fmax(fabs(q.w), fabs(q.x)), fmax(fabs(q.y), fabs(q.z))), &exponent);
    q = (abut_quat){ abut_gap_shrink(q.w, exponent, &lossy), abut_gap_shrink(q.x, exponent, &lossy),
                     abut_gap_shrink(q.y, exponent, &lossy), abut_gap_shrink(q.z, exponent, &lossy) };
    axis_of_quat(q, out);
    return !lossy;
}

static void dot(const abut_big *a, const abut_big *b, abut_big *out)
{
    abut_big_clear(out);
    for (int i = 0; i < 3; ++i)
        abut_big_add_product(&a[i], &b[i], 1, out);
}

/* From the centre of a to that of b, exactly. */
static void between(const abut_pair *pair, abut_big d[3])
{
    const abut_vec3 a = pair->at_a->mid.translation, b = pair->at_b->mid.translation;
    set_terms(&d[0], b.x, -a.x);
    set_terms(&d[1], b.y, -a.y);
    set_terms(&d[2], b.z, -a.z);
}

/* ---- circles and points ---- */

/* About an axis N / M: |d|^2 M^2, z M, rho^2 M^2, M^2. */
typedef struct profile {
    abut_big whole, height, flat, unit;
} profile;

static void profile_of(const axis *x, const abut_big d[3], profile *out)
{
    abut_big square;
    dot(d, d, &square);
    abut_big_mul(&x->m, &x->m, &out->unit);
    abut_big_mul(&square, &out->unit, &out->whole);
    dot(x->n, d, &out->height);
    out->flat = out->whole;
    abut_big_add_product(&out->height, &out->height, -1, &out->flat);
}

/* sqrt((rho - radius)^2 + z^2) against s. */
static int circle_sign(const profile *p, const abut_big *radius, const abut_big *s)
{
    abut_big square, e, left, right;
    abut_big_mul(radius, radius, &square);
    abut_big_add_product(s, s, -1, &square);
    e = p->whole;
    abut_big_add_product(&square, &p->unit, 1, &e); /* E M^2 */
    if (abut_big_sign(&e) < 0)
        return -1;
    abut_big_mul(&e, &e, &left); /* against 4 R^2 rho^2 M^2 M^2 */
    abut_big_mul(&p->flat, &p->unit, &e);
    abut_big_mul(radius, radius, &square);
    abut_big_mul(&square, &e, &right);
    right.e += 2;
    abut_big_add(&right, -1, &left);
    return abut_big_sign(&left);
}

static int ball_sign(const abut_pair *pair)
{
    axis x;
    profile p;
    abut_big d[3], radius, s;
    if (!axis_of(pair->at_a, &x))
        return UNKNOWN;
    between(pair, d);
    profile_of(&x, d, &p);
    abut_big_double(pair->a->u.torus.major, &radius);
    set_terms(&s, pair->a->u.torus.minor, pair->b->u.sphere.radius);
    return circle_sign(&p, &radius, &s);
}

static bool is_parallel(const axis *x, const axis *y)
{
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        abut_big cross;
        abut_big_mul(&x->n[j], &y->n[k], &cross);
        abut_big_add_product(&x->n[k], &y->n[j], -1, &cross);
        if (abut_big_sign(&cross) != 0)
            return false;
    }
    return true;
}

/* rho against a length. */
static int compare_rho(const profile *p, const abut_big *length)
{
    abut_big square, left = p->flat;
    abut_big_mul(length, length, &square);
    abut_big_add_product(&square, &p->unit, -1, &left);
    return abut_big_sign(&left);
}

static int tori_sign(const abut_pair *pair)
{
    axis x, y;
    profile p;
    abut_big d[3], outer, inner, s;
    if (!axis_of(pair->at_a, &x) || !axis_of(pair->at_b, &y) || !is_parallel(&x, &y))
        return UNKNOWN;
    const double one = pair->a->u.torus.major, two = pair->b->u.torus.major;
    between(pair, d);
    profile_of(&x, d, &p);
    set_terms(&outer, one, two);
    set_terms(&inner, fmax(one, two), -fmin(one, two));
    set_terms(&s, pair->a->u.torus.minor, pair->b->u.torus.minor);
    if (compare_rho(&p, &outer) >= 0)
        return circle_sign(&p, &outer, &s);
    if (compare_rho(&p, &inner) <= 0)
        return circle_sign(&p, &inner, &s);
    abut_big square, left;
    abut_big_mul(&s, &s, &square);
    abut_big_mul(&p.height, &p.height, &left);
    abut_big_add_product(&square, &p.unit, -1, &left);
    return abut_big_sign(&left);
}

/* ---- planes ---- */

static int halfspace_sign(const abut_pair *pair)
{
    axis x;
    abut_big d[3], m[3], a, square, along, tilt, unit, b, left, right, t, u;
    if (!pair->at_b->axes || !axis_of(pair->at_a, &x))
        return UNKNOWN;
    for (int i = 0; i < 3; ++i) {
        const double n = abut_part3(pair->b->u.halfspace.normal, i);
        abut_big_double(pair->at_b->sign[i] * n, &m[pair->at_b->axis[i]]);
    }
    between(pair, d);
    dot(m, d, &t);
    abut_big_double(-pair->b->u.halfspace.offset, &a);
    abut_big_add(&t, -1, &a); /* A = m . (centre of the torus) - offset */
    if (abut_big_sign(&a) <= 0)
        return -1;
    dot(m, m, &square);
    dot(m, x.n, &along);
    abut_big_mul(&x.m, &x.m, &unit);
    abut_big_mul(&square, &unit, &tilt);
    abut_big_add_product(&along, &along, -1, &tilt); /* |m x n|^2 M^2 */
    /* b = (A^2 - r^2 |m|^2 - R^2 |m x n|^2) M^2 */
    abut_big_double(pair->a->u.torus.minor, &t);
    abut_big_mul(&t, &t, &u); /* r^2 */
    abut_big_mul(&u, &square, &right);
    abut_big_mul(&a, &a, &left);
    abut_big_add(&right, -1, &left);
    abut_big_mul(&left, &unit, &b);
    abut_big_double(pair->a->u.torus.major, &t);
    abut_big_mul(&t, &t, &left); /* R^2 */
    abut_big_mul(&left, &tilt, &t);
    abut_big_add(&t, -1, &b);
    if (abut_big_sign(&b) < 0)
        return -1;
    /* b^2 against 4 r^2 |m|^2 R^2 |m x n|^2 M^4 */
    abut_big_mul(&right, &t, &left);
    abut_big_mul(&left, &unit, &right);
    right.e += 2;
    abut_big_mul(&b, &b, &left);
    abut_big_add(&right, -1, &left);
    return abut_big_sign(&left);
}

/* |x| - (s + t + u), exactly. */
static int sign_less(double a, double b, double s, double t, double u)
{
    abut_big x;
    const abut_terms offset = { 2, { a, -b } }, rest = { 3, { -s, -t, -u } };
    abut_big_terms(&offset, &x);
    if (x.n < 0)
        x.n = -x.n;
    abut_big y;
    abut_big_terms(&rest, &y);
    abut_big_add(&y, 1, &x);
    return abut_big_sign(&x);
}

/* Torus and box along the axes of the world. */
static int box_sign(const abut_pair *pair)
{
    if (!pair->at_b->axes || pair->at_a->axis[2] < 0)
        return UNKNOWN;
    const int spine = pair->at_a->axis[2];
    const double major = pair->a->u.torus.major, minor = pair->a->u.torus.minor;
    double c[3], o[3], half[3];
    for (int i = 0; i < 3; ++i) {
        c[i] = abut_part3(pair->at_a->mid.translation, i);
        o[i] = abut_part3(pair->at_b->mid.translation, i);
        half[pair->at_b->axis[i]] = abut_part3(pair->b->u.box.half, i);
    }
    for (int i = 0; i < 3; ++i)
        if (sign_less(c[i], o[i], half[i], i == spine ? 0 : major, minor) > 0)
            return 1;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        if (sign_less(c[i], o[i], half[i], i == spine ? 0 : major, minor) != 0)
            continue;
        /* A plane of the box touches the torus, so that they do not overlap. */
        if (i != spine)
            return sign_less(c[j], o[j], half[j], 0, 0) <= 0 && sign_less(c[k], o[k], half[k], 0, 0) <= 0
                       ? 0
                       : UNKNOWN;
        /* All of a circle touches the plane: four of its points are tried. */
        for (int q = 0; q < 4; ++q) {
            const double side = q & 1 ? major : -major;
            const int moved = q & 2 ? j : k, fixed = q & 2 ? k : j;
            abut_big x, h;
            const abut_terms offset = { 3, { c[moved], -o[moved], side } };
            abut_big_terms(&offset, &x);
            if (x.n < 0)
                x.n = -x.n;
            abut_big_double(half[moved], &h);
            abut_big_add(&h, -1, &x);
            if (abut_big_sign(&x) <= 0 && sign_less(c[fixed], o[fixed], half[fixed], 0, 0) <= 0)
                return 0;
        }
        return UNKNOWN;
    }
    return UNKNOWN;
}

/* Which of these pairs are apart (1), touch (0) or overlap (-1), exactly, where the placements
 * are known exactly and the pair is one of a ball; a half-space whose normal is exactly known; a
 * torus with a parallel axis; a box along whose axes the torus' axes are; otherwise
 * ABUT_SIGN_UNKNOWN. Rounding to nearest. */
static int exact_sign(const abut_pair *pair)
{
    if (!pair->at_a->points || !pair->at_b->points)
        return UNKNOWN;
    switch (pair->b->type) {
    case ABUT_SHAPE_SPHERE: return ball_sign(pair);
    case ABUT_SHAPE_TORUS: return tori_sign(pair);
    case ABUT_SHAPE_HALFSPACE: return halfspace_sign(pair);
    case ABUT_SHAPE_BOX: return box_sign(pair);
    default: return UNKNOWN;
    }
}

/* ---- the result ---- */

static abut_vec3 to_world(const abut_pair *pair, abut_vec3 x)
{
    const abut_place *at = pair->at_b;
    return pair->b->type == ABUT_SHAPE_SPHERE ? abut_add(x, at->mid.translation)
                                              : abut_affine_apply(&at->mid, x);
}

static void fill_points(const abut_pair *pair, const abut_ring_answer *g, int sign, abut_check_result *out)
{
    const bool plane = pair->b->type == ABUT_SHAPE_HALFSPACE;
    const abut_vec3 d =
        plane ? abut_sub(abut_v3(0, 0, 0), pair->b->u.halfspace.normal) : abut_sub(g->foot, g->spine);
    const abut_vec3 unit = abut_unit_or(d, abut_v3(0, 0, 0));
    if (!(abut_dot(unit, unit) > 0.5) || (sign < 0 && !plane))
        return;
    out->normal = pair->b->type == ABUT_SHAPE_SPHERE ? unit : abut_mul(&pair->at_b->mid.linear, unit);
    out->has_normal = true;
    out->has_points = true;
    out->point_a = to_world(pair, abut_madd(g->spine, pair->a->u.torus.minor, unit));
    out->point_b = to_world(pair, abut_madd(g->foot, -g->swell, unit));
    if (sign > 0 || sign == UNKNOWN)
        return;
    out->contact_count = 1;
    out->contacts[0] = (abut_contact){
        .point = abut_add(abut_scale(0.5, out->point_a), abut_scale(0.5, out->point_b)),
        .normal = out->normal,
        .features = { ABUT_FEATURE_FACE, ABUT_FEATURE_FACE },
    };
}

void abut_surface_judge_meeting(abut_check_result *out)
{
    if (out->verdict != ABUT_UNDECIDED || out->distance.hi > 0)
        return;
    out->verdict = ABUT_TOUCHING;
    out->proof = ABUT_PROOF_TOLERANCE;
    out->stop = ABUT_STOP_TOLERANCE;
}

void abut_torus_check(const abut_pair *pair, abut_check_result *out)
{
    abut_ring_answer g;
    abut_ring_solve(pair->a, pair->at_a, pair->b, pair->at_b, pair->ask ? pair->ask->max_iterations : 0, &g);
    int sign = g.gap.lo > 0 ? 1 : g.gap.hi < 0 ? -1 : UNKNOWN;
    out->counters = g.counters;
    out->stop = g.stop;
    out->proof = ABUT_PROOF_INTERVAL;
    if (sign == UNKNOWN) {
        sign = exact_sign(pair);
        out->counters.exact += 1;
        out->proof = sign == UNKNOWN ? ABUT_PROOF_NONE : ABUT_PROOF_EXACT;
    }
    out->verdict = sign == UNKNOWN ? ABUT_UNDECIDED
                   : sign > 0      ? ABUT_SEPARATE
                   : sign == 0     ? ABUT_TOUCHING
                                   : ABUT_PENETRATING;
    if (sign > 0 || sign == UNKNOWN)
        out->distance = (abut_interval){ fmax(g.gap.lo, 0), fmax(g.gap.hi, 0) };
    if (sign == UNKNOWN)
        out->stop = g.stop == ABUT_STOP_DONE ? ABUT_STOP_TOLERANCE : g.stop;
    /* Along the normal of a plane all of a body moves away from it; of other bodies the least
     * way out is not known. */
    if (sign < 0 && pair->b->type == ABUT_SHAPE_HALFSPACE) {
        out->has_depth = true;
        out->depth = (abut_interval){ fmax(-g.gap.hi, 0), -g.gap.lo };
    }
    fill_points(pair, &g, sign, out);
    abut_surface_judge_meeting(out);
}
