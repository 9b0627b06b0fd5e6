/* SPDX-License-Identifier: MIT */
/* What the solvers leave undecided, because the gap is within rounding of zero, decided exactly for
 * bodies that are placed exactly: translated by doubles, turned by quarter turns. Then support values
 * along the axes of the world are exact sums of doubles for every core, and the vertices of
 * polytopes are, too.
 *
 * Touching is proved by a plane that both bodies touch from its two sides, and a point that both
 * have in it: along a world axis the bodies touch the plane in footprints (points, polygons,
 * discs), and whether those meet is a question of signs in two dimensions. Such a plane without
 * a common point proves them apart (they are compact). Other planes, for polytopes without a
 * ball: through a face of one of them, or along an edge of each. That interiors meet is not
 * proved here: a depth below rounding stays undecided. */
#include "narrow/distance/convex.h"
#include "narrow/pair/relation.h"

enum { FOOTPRINT = 16 };

/* A body that is placed exactly. */
typedef struct standing {
    const abut_core *core;
    const abut_place *place;
    bool turns; /* the place's axes are to be used; a ball has none */
} standing;

/* Products of three such numbers and their rounding errors do not underflow. */
static bool is_fit(double x)
{
    return x == 0 || fabs(x) >= 0x1p-250;
}

static bool is_fit3(abut_vec3 v)
{
    return is_fit(v.x) && is_fit(v.y) && is_fit(v.z);
}

static bool all_fit(const abut_core *core, abut_vec3 translation)
{
    bool fit = is_fit3(translation) && is_fit3(abut_v3(core->h[0], core->h[1], core->h[2]));
    for (uint32_t i = 0; core->kind == ABUT_CORE_HULL && i < core->hull->vertex_count; ++i)
        fit = fit && is_fit3(abut_hull_vertex(core->hull, i));
    return fit;
}

static bool make_standing(const abut_shape *shape, const abut_core *core, const abut_place *place,
                          standing *out)
{
    *out = (standing){ core, place, core->kind != ABUT_CORE_POINT };
    if (!place->points || (out->turns && !place->axes) || core->kind == ABUT_CORE_USER ||
        !all_fit(core, place->mid.translation))
        return false;
    return abut_placed_has_exact_radius(shape, core);
}

/* Local axis that lies along the world's, and whether the same way. */
static int local_axis(const standing *s, int axis, double *sign)
{
    *sign = 1;
    if (!s->turns)
        return axis;
    for (int i = 0; i < 3; ++i)
        if (s->place->axis[i] == axis) {
            *sign = s->place->sign[i];
            return i;
        }
    return axis;
}

/* World coordinate of a local point, as an exact sum. */
static abut_terms coordinate(const standing *s, abut_vec3 p, int axis)
{
    double sign;
    const int i = local_axis(s, axis, &sign);
    return abut_terms_difference(abut_part3(s->place->mid.translation, axis), -sign * abut_part3(p, i));
}

static abut_terms difference(const abut_terms *a, const abut_terms *b)
{
    abut_terms d = *a;
    for (int i = 0; i < b->count; ++i)
        abut_terms_push(&d, -b->t[i]);
    return d;
}

/* ---- along an axis of the world ---- */

typedef struct footprint {
    int count; /* 0: not known exactly */
    abut_terms p[FOOTPRINT][2];
    double disc; /* radius of a disc around the only point */
} footprint;

static void add_foot(footprint *f, const standing *s, abut_vec3 p, const int across[2])
{
    if (f->count == FOOTPRINT)
        return;
    f->p[f->count][0] = coordinate(s, p, across[0]);
    f->p[f->count][1] = coordinate(s, p, across[1]);
    ++f->count;
}

/* Where the core touches its supporting plane on the side `side` of a world axis. */
static void find_footprint(const standing *s, int axis, double side, footprint *f)
{
    const abut_core *core = s->core;
    const int across[2] = { (axis + 1) % 3, (axis + 2) % 3 };
    double turn;
    const int i = local_axis(s, axis, &turn);
    const double sign = side * turn;
    f->count = 0;
    f->disc = 0;
    switch (core->kind) {
    case ABUT_CORE_CYLINDER:
        if (i == 2) {
            f->disc = core->h[0];
            add_foot(f, s, abut_v3(0, 0, sign * core->h[2]), across);
        } else
            for (int end = -1; end <= 1; end += 2)
                add_foot(
                    f, s,
                    abut_v3(i == 0 ? sign * core->h[0] : 0, i == 1 ? sign * core->h[0] : 0, end * core->h[2]),
                    across);
        return;
    case ABUT_CORE_CONE:
        f->disc = i == 2 && sign < 0 ? core->h[0] : 0;
        add_foot(f, s,
                 abut_v3(i == 0 ? sign * core->h[0] : 0, i == 1 ? sign * core->h[0] : 0,
                         i == 2 && sign > 0 ? core->h[2] : -core->h[2]),
                 across);
        return;
    case ABUT_CORE_ELLIPSOID:
        add_foot(f, s,
                 abut_v3(i == 0 ? sign * core->h[0] : 0, i == 1 ? sign * core->h[1] : 0,
                         i == 2 ? sign * core->h[2] : 0),
                 across);
        return;
    default: break;
    }
    const double most = abut_placed_reach(core, i, sign);
    for (uint32_t k = 0; k < abut_placed_vertices(core); ++k) {
        const abut_vec3 p = abut_core_vertex(core, k);
        if (sign * abut_part3(p, i) != most)
            continue;
        if (f->count == FOOTPRINT) { /* polygons with more corners are left alone */
            f->count = 0;
            return;
        }
        add_foot(f, s, p, across);
    }
}

/* ---- signs in the plane ---- */

static void product_terms(const abut_terms *a, const abut_terms *b, bool minus, abut_exact *out)
{
    abut_exact x, y;
    abut_terms_exact(a, &x);
    abut_terms_exact(b, &y);
    if (minus)
        abut_exact_sub_product(&x, &y, out);
    else
        abut_exact_add_product(&x, &y, out);
}

/* (b - a) x (c - a) */
static int turn_sign(const abut_terms a[2], const abut_terms b[2], const abut_terms c[2])
{
    const abut_terms ux = difference(&b[0], &a[0]), uy = difference(&b[1], &a[1]);
    const abut_terms vx = difference(&c[0], &a[0]), vy = difference(&c[1], &a[1]);
    abut_exact sum;
    abut_exact_clear(&sum);
    product_terms(&ux, &vy, false, &sum);
    product_terms(&uy, &vx, true, &sum);
    return abut_exact_sign(&sum);
}

/* (a - p) . (b - p) */
static int between_sign(const abut_terms p[2], const abut_terms a[2], const abut_terms b[2])
{
    abut_exact sum;
    abut_exact_clear(&sum);
    for (int i = 0; i < 2; ++i) {
        const abut_terms u = difference(&a[i], &p[i]), v = difference(&b[i], &p[i]);
        product_terms(&u, &v, false, &sum);
    }
    return abut_exact_sign(&sum);
}

static bool on_segment(const abut_terms p[2], const abut_terms a[2], const abut_terms b[2])
{
    return turn_sign(a, b, p) == 0 && between_sign(p, a, b) <= 0;
}

static bool segments_meet(const abut_terms a[2], const abut_terms b[2], const abut_terms c[2],
                          const abut_terms d[2])
{
    if (turn_sign(a, b, c) * turn_sign(a, b, d) < 0 && turn_sign(c, d, a) * turn_sign(c, d, b) < 0)
        return true;
    return on_segment(a, c, d) || on_segment(b, c, d) || on_segment(c, a, b) || on_segment(d, a, b);
}

static bool in_triangle(const abut_terms p[2], const abut_terms a[2], const abut_terms b[2],
                        const abut_terms c[2])
{
    const int s = turn_sign(a, b, c);
    return s != 0 && s * turn_sign(a, b, p) >= 0 && s * turn_sign(b, c, p) >= 0 &&
           s * turn_sign(c, a, p) >= 0;
}

static bool in_hull(const abut_terms p[2], const footprint *f)
{
    for (int i = 0; i < f->count; ++i)
        for (int j = i + 1; j < f->count; ++j)
            for (int k = j + 1; k < f->count; ++k)
                if (in_triangle(p, f->p[i], f->p[j], f->p[k]))
                    return true;
    return false;
}

/* The hulls of the points meet: their boundaries do, or one lies in the other. A single point is
 * the segment from it to itself. */
static bool hulls_meet(const footprint *a, const footprint *b)
{
    for (int i = 0; i < a->count; ++i)
        for (int j = i == 0 && a->count == 1 ? 0 : i + 1; j < a->count; ++j)
            for (int k = 0; k < b->count; ++k)
                for (int l = k == 0 && b->count == 1 ? 0 : k + 1; l < b->count; ++l)
                    if (segments_meet(a->p[i], a->p[j], b->p[k], b->p[l]))
                        return true;
    return in_hull(a->p[0], b) || in_hull(b->p[0], a);
}

/* Sign of scale^2 r^2 - value^2 for r = r1 + r2; value and scale2 (scale squared) are exact.
 * *lost: the numbers have too many digits. */
static int within(const abut_exact *value, const abut_exact *scale2, double r1, double r2, bool *lost)
{
    const abut_terms r = { 2, { r1, r2 } };
    abut_exact radius, square, sum;
    if (2 * value->count * value->count + 16 * scale2->count > ABUT_EXACT_CAPACITY) {
        *lost = true;
        return -1;
    }
    abut_terms_exact(&r, &radius);
    abut_exact_clear(&square);
    abut_exact_add_product(&radius, &radius, &square);
    abut_exact_clear(&sum);
    abut_exact_add_product(&square, scale2, &sum);
    abut_exact_sub_product(value, value, &sum);
    return abut_exact_sign(&sum);
}

static void add_square_of(const abut_terms d[2], abut_exact *out)
{
    abut_exact_clear(out);
    product_terms(&d[0], &d[0], false, out);
    product_terms(&d[1], &d[1], false, out);
}

/* |p - q| <= r1 + r2 */
static bool points_close(const abut_terms p[2], const abut_terms q[2], double r1, double r2)
{
    const abut_terms d[2] = { difference(&p[0], &q[0]), difference(&p[1], &q[1]) };
    const abut_terms r = { 2, { r1, r2 } };
    abut_exact sum, radius;
    add_square_of(d, &sum);
    abut_terms_exact(&r, &radius);
    abut_exact_sub_product(&radius, &radius, &sum);
    return abut_exact_sign(&sum) <= 0;
}

/* p is within r1 + r2 of the inside of the segment from a to b. */
static bool line_close(const abut_terms p[2], const abut_terms a[2], const abut_terms b[2], double r1,
                       double r2, bool *lost)
{
    const abut_terms e[2] = { difference(&b[0], &a[0]), difference(&b[1], &a[1]) };
    const abut_terms d[2] = { difference(&p[0], &a[0]), difference(&p[1], &a[1]) };
    const abut_terms d2[2] = { difference(&p[0], &b[0]), difference(&p[1], &b[1]) };
    abut_exact along, beyond, cross, square;
    abut_exact_clear(&along);
    abut_exact_clear(&beyond);
    abut_exact_clear(&cross);
    for (int i = 0; i < 2; ++i) {
        product_terms(&d[i], &e[i], false, &along);
        product_terms(&d2[i], &e[i], false, &beyond);
    }
    if (abut_exact_sign(&along) < 0 || abut_exact_sign(&beyond) > 0)
        return false;
    product_terms(&d[0], &e[1], false, &cross);
    product_terms(&d[1], &e[0], true, &cross);
    add_square_of(e, &square);
    return within(&cross, &square, r1, r2, lost) >= 0;
}

/* 0: they meet, 1: they do not; ABUT_SIGN_UNKNOWN. */
static int footprints_sign(const footprint *a, const footprint *b)
{
    if (hulls_meet(a, b))
        return 0;
    if (a->disc == 0 && b->disc == 0)
        return 1;
    bool lost = false;
    const footprint *both[2] = { a, b };
    for (int side = 0; side < 2; ++side) {
        const footprint *f = both[side], *g = both[1 - side];
        for (int i = 0; i < f->count; ++i)
            for (int j = 0; j < g->count; ++j) {
                if (points_close(f->p[i], g->p[j], a->disc, b->disc))
                    return 0;
                for (int k = j + 1; k < g->count; ++k)
                    if (line_close(f->p[i], g->p[j], g->p[k], a->disc, b->disc, &lost))
                        return 0;
            }
    }
    return lost ? ABUT_SIGN_UNKNOWN : 1;
}

/* Sign by the plane across a world axis, on the side `side` of a. */
static int sign_along_axis(const standing *a, const standing *b, int axis, double side)
{
    double turn_a, turn_b;
    const int i = local_axis(a, axis, &turn_a), j = local_axis(b, axis, &turn_b);
    abut_exact gap;
    abut_exact_clear(&gap);
    abut_exact_add_double(&gap, side * abut_part3(b->place->mid.translation, axis));
    abut_exact_add_double(&gap, -side * abut_part3(a->place->mid.translation, axis));
    abut_exact_add_double(&gap, -abut_placed_reach(a->core, i, side * turn_a));
    abut_exact_add_double(&gap, -abut_placed_reach(b->core, j, -side * turn_b));
    abut_exact_add_double(&gap, -a->core->radius);
    abut_exact_add_double(&gap, -b->core->radius);
    const int sign = abut_exact_sign(&gap);
    if (sign != 0)
        return sign > 0 ? 1 : ABUT_SIGN_UNKNOWN;
    footprint fa, fb;
    find_footprint(a, axis, side, &fa);
    find_footprint(b, axis, -side, &fb);
    if (fa.count == 0 || fb.count == 0)
        return ABUT_SIGN_UNKNOWN;
    return footprints_sign(&fa, &fb);
}

/* ---- planes of polytopes ---- */

/* Vertices that are nearly the furthest along a direction. */
typedef struct nearest_set {
    int count;
    abut_terms p[FOOTPRINT][3];
} nearest_set;

static bool collect(const standing *s, abut_vec3 n, double side, nearest_set *out)
{
    double most = -INFINITY;
    const abut_vec3 t = s->place->mid.translation;
    out->count = 0;
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t k = 0; k < abut_placed_vertices(s->core); ++k) {
            const abut_vec3 p = abut_core_vertex(s->core, k);
            abut_terms x[3];
            for (int i = 0; i < 3; ++i)
                x[i] = coordinate(s, p, i);
            const abut_vec3 local = { abut_terms_value(&x[0]).h - t.x, abut_terms_value(&x[1]).h - t.y,
                                      abut_terms_value(&x[2]).h - t.z };
            const double value = side * abut_dot(n, local);
            if (pass == 0)
                most = value > most ? value : most;
            else if (value >= most - 1e-7 * s->core->size) {
                if (out->count == FOOTPRINT)
                    return false;
                for (int i = 0; i < 3; ++i)
                    out->p[out->count][i] = x[i];
                ++out->count;
            }
        }
    return true;
}

typedef struct exact_normal {
    abut_exact c[3];
} exact_normal;

/* (b - a) x (d - c) */
static void cross_of(abut_terms a[3], abut_terms b[3], abut_terms c[3], abut_terms d[3], exact_normal *out)
{
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const abut_terms uj = difference(&b[j], &a[j]), uk = difference(&b[k], &a[k]);
        const abut_terms vj = difference(&d[j], &c[j]), vk = difference(&d[k], &c[k]);
        abut_exact_clear(&out->c[i]);
        product_terms(&uj, &vk, false, &out->c[i]);
        product_terms(&uk, &vj, true, &out->c[i]);
    }
}

/* Sign of n . (p - q). */
static int height_sign(const exact_normal *n, const abut_terms p[3], const abut_terms q[3])
{
    abut_exact sum, x;
    abut_exact_clear(&sum);
    for (int i = 0; i < 3; ++i) {
        const abut_terms d = difference(&p[i], &q[i]);
        abut_terms_exact(&d, &x);
        abut_exact_add_product(&n->c[i], &x, &sum);
    }
    return abut_exact_sign(&sum);
}

/* The furthest vertex of the whole body along side * n, exactly; those as far as it go to *flat
 * as a footprint without axis `drop`. */
static bool furthest(const standing *s, const exact_normal *n, int side, int drop, abut_terms best[3],
                     footprint *flat)
{
    const int across[2] = { (drop + 1) % 3, (drop + 2) % 3 };
    flat->count = 0;
    flat->disc = 0;
    for (uint32_t k = 0; k < abut_placed_vertices(s->core); ++k) {
        const abut_vec3 p = abut_core_vertex(s->core, k);
        abut_terms x[3];
        for (int i = 0; i < 3; ++i)
            x[i] = coordinate(s, p, i);
        const int order = k == 0 ? 1 : side * height_sign(n, x, best);
        if (order < 0)
            continue;
        if (order > 0) {
            flat->count = 0;
            for (int i = 0; i < 3; ++i)
                best[i] = x[i];
        }
        if (flat->count == FOOTPRINT)
            return false;
        flat->p[flat->count][0] = x[across[0]];
        flat->p[flat->count][1] = x[across[1]];
        ++flat->count;
    }
    return true;
}

/* Sign by a plane with the normal n, which is turned to point along `towards` (roughly from a to
 * b). */
static int sign_along(const standing *a, const standing *b, exact_normal *n, abut_vec3 towards)
{
    const abut_vec3 m = { abut_exact_value(&n->c[0], NULL).h, abut_exact_value(&n->c[1], NULL).h,
                          abut_exact_value(&n->c[2], NULL).h };
    const double length = abut_length(m), along = abut_dot(m, towards);
    if (!(fabs(along) > 0.999999 * length) || !(length > 0))
        return ABUT_SIGN_UNKNOWN; /* not the plane that is meant */
    const int side = along > 0 ? 1 : -1;
    const double size[3] = { fabs(m.x), fabs(m.y), fabs(m.z) };
    int drop = size[1] > size[0] ? 1 : 0;
    if (size[2] > size[drop])
        drop = 2;
    abut_terms best_a[3], best_b[3];
    footprint fa, fb;
    const bool all_a = furthest(a, n, side, drop, best_a, &fa),
               all_b = furthest(b, n, -side, drop, best_b, &fb);
    const int gap = side * height_sign(n, best_b, best_a);
    if (gap != 0)
        return gap > 0 ? 1 : ABUT_SIGN_UNKNOWN;
    if (!all_a || !all_b)
        return ABUT_SIGN_UNKNOWN;
    return footprints_sign(&fa, &fb);
}

static int sign_by_faces(const standing *a, const standing *b, nearest_set *set, abut_vec3 towards)
{
    exact_normal n;
    for (int i = 0; i + 2 < set->count; ++i)
        for (int j = i + 1; j + 1 < set->count; ++j)
            for (int k = j + 1; k < set->count; ++k) {
                cross_of(set->p[i], set->p[j], set->p[i], set->p[k], &n);
                const int sign = sign_along(a, b, &n, towards);
                if (sign != ABUT_SIGN_UNKNOWN)
                    return sign;
            }
    return ABUT_SIGN_UNKNOWN;
}

static void terms_of(abut_vec3 v, abut_terms out[3])
{
    const double c[3] = { v.x, v.y, v.z };
    for (int i = 0; i < 3; ++i)
        out[i] = (abut_terms){ 1, { c[i] } };
}

static abut_vec3 value_of(const abut_terms p[3])
{
    return abut_v3(abut_terms_value(&p[0]).h, abut_terms_value(&p[1]).h, abut_terms_value(&p[2]).h);
}

/* Where a vertex touches, many planes do: the one across `towards` as it is, and those across it
 * that hold an edge exactly. */
static int sign_by_direction(const standing *a, const standing *b, nearest_set *set, abut_vec3 towards)
{
    exact_normal n;
    abut_terms zero[3] = { { .count = 0 }, { .count = 0 }, { .count = 0 } }, across[3];
    terms_of(towards, across);
    for (int i = 0; i < 3; ++i)
        abut_terms_exact(&across[i], &n.c[i]);
    int sign = sign_along(a, b, &n, towards);
    for (int i = 0; i < set->count; ++i)
        for (int j = i + 1; j < set->count && sign == ABUT_SIGN_UNKNOWN; ++j) {
            const abut_vec3 edge = abut_sub(value_of(set->p[j]), value_of(set->p[i]));
            terms_of(abut_unit_or(abut_cross(towards, edge), towards), across);
            cross_of(set->p[i], set->p[j], zero, across, &n);
            sign = sign_along(a, b, &n, towards);
        }
    return sign;
}

static int sign_by_edges(const standing *a, const standing *b, nearest_set *sa, nearest_set *sb,
                         abut_vec3 towards)
{
    exact_normal n;
    for (int i = 0; i < sa->count; ++i)
        for (int j = i + 1; j < sa->count; ++j)
            for (int k = 0; k < sb->count; ++k)
                for (int l = k + 1; l < sb->count; ++l) {
                    cross_of(sa->p[i], sa->p[j], sb->p[k], sb->p[l], &n);
                    const int sign = sign_along(a, b, &n, towards);
                    if (sign != ABUT_SIGN_UNKNOWN)
                        return sign;
                }
    return ABUT_SIGN_UNKNOWN;
}

int abut_convex_exact_sign(const abut_pair *pair, const abut_convex_pair *convex,
                           const abut_convex_answer *answer)
{
    standing a, b;
    if (!make_standing(pair->a, convex->a, pair->at_a, &a) ||
        !make_standing(pair->b, convex->b, pair->at_b, &b))
        return ABUT_SIGN_UNKNOWN;
    const abut_vec3 n = abut_mul(&convex->frame.linear, answer->normal);
    /* All axes, both ways, not just the one along n: where an edge or a vertex takes part there
     * are many normals. */
    for (int i = 0; i < 6; ++i) {
        const int sign = sign_along_axis(&a, &b, i / 2, i % 2 ? 1 : -1);
        if (sign != ABUT_SIGN_UNKNOWN)
            return sign;
    }
    if (convex->radii > 0 || !abut_core_is_polytope(a.core) || !abut_core_is_polytope(b.core))
        return ABUT_SIGN_UNKNOWN;
    nearest_set sa, sb;
    if (!collect(&a, n, 1, &sa) || !collect(&b, n, -1, &sb))
        return ABUT_SIGN_UNKNOWN;
    int sign = sign_by_faces(&a, &b, &sa, n);
    if (sign == ABUT_SIGN_UNKNOWN)
        sign = sign_by_faces(&a, &b, &sb, n);
    if (sign == ABUT_SIGN_UNKNOWN)
        sign = sign_by_edges(&a, &b, &sa, &sb, n);
    if (sign == ABUT_SIGN_UNKNOWN)
        sign = sign_by_direction(&a, &b, &sa, n);
    return sign != ABUT_SIGN_UNKNOWN ? sign : sign_by_direction(&a, &b, &sb, n);
}
