/* SPDX-License-Identifier: MIT */
/* A convex body against a half-space, and half-spaces against each other. With N the half-space's
 * unit normal, o its offset along it and p the origin of the body, the gap is
 *     N . p - o - max over the body of (-N) . x:
 * one support value. In doubles that has an error bound known beforehand. For bodies that are placed
 * exactly it is X / |n| - S / |n| with X a short exact sum and S = 0 for polytopes (their lowest
 * vertex), S^2 = r^2 (n_x^2 + n_y^2) for the rims of cylinders and cones, S^2 = sum h_i^2 n_i^2 for
 * ellipsoids: the sign is that of X, or of X^2 - S^2, exactly, and (X^2 - S^2) / ((X + S) |n|) has
 * no cancellation.
 *
 * Contacts and witnesses: a box under the body, whose upper face is the plane, replaces the
 * half-space, so that the convex pairs' code makes them. */
#include "narrow/convex/plane.h"
#include "narrow/convex/closed.h"

#include "math/vec3.h"

static const double u = 0x1p-53;

/* ---- in doubles ---- */

/* How a placement in doubles may be off: rotation (spectral norm), translation. */
typedef struct spread {
    double turn, shift;
} spread;

static bool is_usual(double size)
{
    return size >= 0x1p-140 && size <= 0x1p140;
}

static abut_mat3 basis_along(abut_vec3 z)
{
    const double ax = fabs(z.x), ay = fabs(z.y), az = fabs(z.z);
    const abut_vec3 other = ax <= ay && ax <= az ? abut_v3(1, 0, 0)
                            : ay <= az           ? abut_v3(0, 1, 0)
                                                 : abut_v3(0, 0, 1);
    const abut_vec3 x = abut_unit_or(abut_cross(other, z), abut_v3(1, 0, 0)), y = abut_cross(z, x);
    return (abut_mat3){ { { x.x, y.x, z.x }, { x.y, y.y, z.y }, { x.z, y.z, z.z } } };
}

/* What a hull's climb may have missed. */
static double missed(const abut_core *core, abut_vec3 d, abut_vec3 p, uint32_t hint)
{
    if (core->kind != ABUT_CORE_HULL)
        return 0;
    const double more = core->scale * abut_hull_support_bound(core->hull, d, hint) - abut_dot(d, p);
    return more > 0 ? more : 0;
}

typedef struct plane {
    abut_vec3 unit; /* in the half-space's frame */
    double reach;   /* offset / |normal|, off by 5 u */
} plane;

/* The gap of the core. Errors, in units u: the unit normal 4, N = R n 5.2, N . d 4 D, m = R^T N
 * 5.2 more; the offset 5, the differences 2 of all; m . p 4 s. With the spreads: N turns by
 * turn_b, m by both. The code has 16 D, 24 s, 8 |o|. */
static double separate(const abut_core *core, const abut_affine *at_a, const abut_affine *at_b, spread off_a,
                       spread off_b, const plane *h, double scale, abut_vec3 *m, abut_vec3 *x, double *error,
                       double *above)
{
    const abut_vec3 normal = abut_mul(&at_b->linear, h->unit);
    const abut_vec3 d = abut_sub(abut_scale(scale, at_a->translation), abut_scale(scale, at_b->translation));
    const double distance = abut_length(d), reach = scale * h->reach, height = abut_dot(normal, d) - reach;
    *m = abut_mul_t(&at_a->linear, normal);
    uint32_t hint = 0;
    const abut_vec3 down = abut_v3(-m->x, -m->y, -m->z);
    *x = abut_core_support(core, down, &hint);
    *above = missed(core, down, *x, hint);
    *error = (off_a.turn + off_b.turn + 24 * u) * core->size + (off_b.turn + 16 * u) * distance +
             scale * (off_a.shift + off_b.shift) + 8 * u * fabs(reach) + core->error + 0x1p-1060;
    return height - abut_dot(down, *x);
}

static void stand_in(const abut_core *core, const abut_affine *at_a, abut_vec3 m, abut_vec3 x, double gap,
                     double error, double above, abut_core *box, abut_convex_pair *pair,
                     abut_convex_answer *answer)
{
    const double half =
        8 * core->size + core->radius + fabs(gap); /* so that it holds the body, however deep */
    *box = (abut_core){ .kind = ABUT_CORE_BOX, .size = 14 * half, .h = { half, half, half }, .scale = 1 };
    *answer = (abut_convex_answer){ .lo = gap - error - above, .hi = gap + error, .supports = 1 };
    answer->normal = abut_v3(-m.x, -m.y, -m.z);
    answer->x = x;
    answer->y = abut_madd(x, -gap, m);
    pair->a = core;
    pair->b = box;
    pair->r = basis_along(m);
    pair->t = abut_madd(answer->y, -half, m);
    pair->error = error;
    pair->radii = core->radius;
    pair->frame = *at_a;
}

static void name_plane(abut_check_result *out)
{
    for (int i = 0; i < out->contact_count; ++i) {
        if (out->contacts[i].features[1] == ABUT_FEATURE_NONE) /* of a flat body, inside */
            continue;
        out->contacts[i].features[1] = ABUT_FEATURE_FACE;
        out->contacts[i].ids[1] = 0;
    }
}

static void finish(const abut_convex_pair *pair, abut_convex_answer *answer, const abut_ask *ask,
                   int exponent, abut_check_result *out)
{
    abut_convex_finish(pair, answer, ask, exponent, out);
    name_plane(out);
}

/* ---- poses ---- */

/* n R(q) / n: off by 7.15 u for the entries, 3 for n, 2 for the quotient and the product. */
static bool matrix_of(const abut_pose *pose, abut_affine *out)
{
    const double n = abut_quick_norm(pose->rotation);
    if (!abut_quick_norm_is_usual(n) || !abut_is_finite3(pose->position))
        return false;
    abut_quick_matrix(pose->rotation, out->linear.m);
    const double over = 1 / n;
    for (int i = 0; i < 9; ++i)
        out->linear.m[i / 3][i % 3] *= over;
    out->translation = pose->position;
    return true;
}

static bool solve_poses(const abut_posed_pair *posed, abut_check_result *out)
{
    const abut_shape *body = posed->a, *space = posed->b;
    const abut_ask *ask = posed->ask;
    abut_affine at_a, at_b;
    const abut_core *core = &body->core;
    const abut_vec3 n = space->u.halfspace.normal;
    const double square = abut_dot(n, n), over = 1 / sqrt(square);
    const plane h = { abut_scale(over, n), space->u.halfspace.offset * over };
    if (!matrix_of(posed->at_a, &at_a) || !matrix_of(posed->at_b, &at_b) ||
        !(square >= 0x1p-200 && square <= 0x1p200) || !is_usual(core->size + core->radius) ||
        !(fabs(h.reach) <= 0x1p140))
        return false;
    const spread off = { 13 * u, 0 };
    abut_vec3 m, x;
    double error, above;
    const double gap = separate(core, &at_a, &at_b, off, off, &h, 1, &m, &x, &error, &above);
    if (ask->want == ABUT_WANT_VERDICT) {
        const double limit = core->radius + ask->clearance, slack = error + 4 * u * (limit + fabs(gap));
        out->verdict = gap - above - slack > limit ? ABUT_SEPARATE
                       : gap + slack < limit       ? ABUT_PENETRATING
                                                   : ABUT_UNDECIDED;
        const bool flat = ask->clearance == 0 && abut_core_is_flat(core);
        if (flat && out->verdict == ABUT_PENETRATING)
            return false;
        out->proof = ABUT_PROOF_INTERVAL;
        out->counters.evaluations = 1;
        return out->verdict != ABUT_UNDECIDED;
    }
    abut_core box;
    abut_convex_pair pair;
    abut_convex_answer answer;
    stand_in(core, &at_a, m, x, gap, error, above, &box, &pair, &answer);
    finish(&pair, &answer, ask, 0, out);
    return out->verdict != ABUT_UNDECIDED;
}

bool abut_posed_plane_overlap(const abut_posed_pair *pair, abut_workspace *ws, abut_check_result *out,
                              abut_status *status)
{
    (void)ws;
    *status = ABUT_OK;
    return pair->ask->want == ABUT_WANT_VERDICT && solve_poses(pair, out);
}

/* Exact placements are for the placed method, which decides a touch, unless nothing but the verdict
 * is wanted. */
bool abut_posed_plane(const abut_posed_pair *pair, abut_workspace *ws, abut_check_result *out,
                      abut_status *status)
{
    (void)ws;
    *status = ABUT_OK;
    return (pair->ask->want == ABUT_WANT_VERDICT || abut_quick_is_turned(pair->at_a->rotation) ||
            abut_quick_is_turned(pair->at_b->rotation)) &&
           solve_poses(pair, out);
}

/* ---- exactly ---- */

/* The half-space and the body's origin in the body's axes: n . x <= o there, p the body's
 * origin, all scaled. */
typedef struct exact_plane {
    double n[3], offset;
    abut_terms p[3];
    double h[3], radius, clearance;
    bool lossy;
} exact_plane;

static void set_exact(const abut_pair *pair, int exponent, int normal_exponent, double clearance,
                      exact_plane *e)
{
    const abut_place *pa = pair->at_a, *pb = pair->at_b;
    const abut_core *core = &pair->a->core;
    const abut_vec3 v = pair->b->u.halfspace.normal, ta = pa->mid.translation, tb = pb->mid.translation;
    const double own[3] = { v.x, v.y, v.z }, da[3] = { ta.x, ta.y, ta.z }, db[3] = { tb.x, tb.y, tb.z };
    const bool turns = core->kind != ABUT_CORE_POINT;
    double world[3];
    e->lossy = false;
    for (int i = 0; i < 3; ++i)
        world[pb->axis[i]] = pb->sign[i] * abut_gap_fit(own[i], normal_exponent, &e->lossy);
    for (int i = 0; i < 3; ++i) {
        const int axis = turns ? pa->axis[i] : i;
        const double sign = turns ? pa->sign[i] : 1;
        e->h[i] = abut_gap_fit(core->h[i], exponent, &e->lossy);
        if (axis < 0) {
            /* the plane's normal is across it (see stands), so that nothing counts along it */
            e->n[i] = 0;
            e->p[i] = (abut_terms){ .count = 0 };
            continue;
        }
        e->n[i] = sign * world[axis];
        e->p[i] = abut_terms_difference(abut_gap_fit(da[axis], exponent, &e->lossy),
                                        abut_gap_fit(db[axis], exponent, &e->lossy));
        if (sign < 0)
            abut_terms_negate(&e->p[i]);
    }
    e->offset = abut_gap_fit(pair->b->u.halfspace.offset, normal_exponent + exponent, &e->lossy);
    e->radius = abut_gap_fit(core->radius, exponent, &e->lossy);
    e->clearance = abut_gap_fit(clearance, exponent, &e->lossy);
}

/* At the point p + v of a body. */
static abut_gap at_point(const exact_plane *e, double vx, double vy, double vz)
{
    abut_terms p[3] = { e->p[0], e->p[1], e->p[2] };
    const double v[3] = { vx, vy, vz };
    for (int i = 0; i < 3; ++i)
        if (v[i] != 0)
            abut_terms_push(&p[i], v[i]);
    const double taken = e->radius + e->clearance;
    if (taken == 0 && abut_plane_side(e->n, p, e->offset) == 0) /* abut_gap_plane is for balls */
        return (abut_gap){ .sign = 0, .exact = true };
    return abut_gap_plane(e->n, p, e->offset, taken, false);
}

static abut_gap smaller(abut_gap a, abut_gap b)
{
    const int sign = a.sign == ABUT_SIGN_UNKNOWN || b.sign == ABUT_SIGN_UNKNOWN ? ABUT_SIGN_UNKNOWN
                     : a.sign < b.sign                                          ? a.sign
                                                                                : b.sign;
    return (
        abut_gap){ { fmin(a.value.lo, b.value.lo), fmin(a.value.hi, b.value.hi) }, sign, a.exact || b.exact };
}

/* Every vertex that may be the lowest. */
static abut_gap at_hull(const exact_plane *e, const abut_core *core, int exponent)
{
    const abut_hull *hull = core->hull;
    const abut_vec3 n = { e->n[0], e->n[1], e->n[2] };
    double least = INFINITY;
    const double size = core->size;
    for (uint32_t i = 0; i < hull->vertex_count; ++i)
        least = fmin(least, abut_dot(n, abut_hull_vertex(hull, i)));
    abut_gap found = { .value = { INFINITY, INFINITY }, .sign = 1 };
    for (uint32_t i = 0; i < hull->vertex_count; ++i) {
        const abut_vec3 v = abut_hull_vertex(hull, i);
        if (abut_dot(n, v) > least + 0x1p-45 * size)
            continue;
        bool lossy = false;
        const double x = abut_gap_fit(v.x, exponent, &lossy), y = abut_gap_fit(v.y, exponent, &lossy),
                     z = abut_gap_fit(v.z, exponent, &lossy);
        if (lossy)
            return (abut_gap){ .sign = ABUT_SIGN_UNKNOWN };
        found = smaller(found, at_point(e, x, y, z));
    }
    return found;
}

static void add_product3(double a, double b, double c, abut_exact *out)
{
    const dd p = dd_two_product(a, b), high = dd_two_product(p.h, c), low = dd_two_product(p.l, c);
    abut_exact_add_double(out, low.l);
    abut_exact_add_double(out, low.h);
    abut_exact_add_double(out, high.l);
    abut_exact_add_double(out, high.h);
}

/* (a b)^2, exactly. */
static void add_square2(double a, double b, abut_exact *out)
{
    const dd p = dd_two_product(a, b);
    add_product3(p.h, p.h, 1, out);
    add_product3(2 * p.h, p.l, 1, out);
    add_product3(p.l, p.l, 1, out);
}

/* (X - S) / |n| with X = n . p - offset - down and S^2 = sum of (n_i reach_i)^2. */
static abut_gap at_curve(const exact_plane *e, double down, const double reach[3])
{
    abut_exact x, square, numerator;
    abut_exact_clear(&x);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < e->p[i].count; ++j)
            add_product3(e->n[i], e->p[i].t[j], 1, &x);
    abut_exact_add_double(&x, -e->offset);
    add_product3(-fabs(e->n[2]), down, 1, &x);
    abut_exact_clear(&square);
    dd normal = { 0, 0 };
    for (int i = 0; i < 3; ++i) {
        add_square2(e->n[i], reach[i], &square);
        normal = dd_add(normal, dd_two_product(e->n[i], e->n[i]));
    }
    normal = dd_sqrt(normal);
    const dd vx = abut_exact_value(&x, NULL), vs = dd_sqrt(abut_exact_value(&square, NULL));
    abut_gap gap = { .exact = true };
    dd value;
    if (abut_exact_sign(&x) > 0) {
        abut_exact_clear(&numerator);
        abut_exact_add_product(&x, &x, &numerator);
        for (int i = 0; i < square.count; ++i)
            square.c[i] = -square.c[i];
        abut_exact_add(&numerator, square.count, square.c);
        gap.sign = abut_exact_sign(&numerator);
        if (gap.sign == 0)
            return gap;
        value = dd_div(abut_exact_value(&numerator, NULL), dd_mul(dd_add(vx, vs), normal));
    } else {
        gap.sign = abut_exact_sign(&x) < 0 || abut_exact_sign(&square) > 0 ? -1 : 0;
        value = dd_div(dd_sub(vx, vs), normal);
    }
    /* 2 + 7 + 15 u^2, and 4 + 4 + 3 below. */
    gap.value = gap.sign ? abut_exact_interval(value, 0x1p-100 * fabs(value.h)) : (abut_interval){ 0, 0 };
    return gap;
}

/* The gap less the clearance, in units of 2^exponent. */
static abut_gap exact_gap(const exact_plane *e, const abut_core *core, int exponent)
{
    const double *h = e->h, *n = e->n, taken = e->radius + e->clearance;
    const abut_gap unknown = { .sign = ABUT_SIGN_UNKNOWN };
    if (dd_two_sum(e->radius, e->clearance).l != 0)
        return unknown;
    switch (core->kind) {
    case ABUT_CORE_POINT:
    case ABUT_CORE_SEGMENT:
    case ABUT_CORE_BOX:
        return at_point(e, n[0] > 0 ? -h[0] : h[0], n[1] > 0 ? -h[1] : h[1], n[2] > 0 ? -h[2] : h[2]);
    case ABUT_CORE_HULL: return at_hull(e, core, exponent);
    case ABUT_CORE_CYLINDER:
    case ABUT_CORE_CONE: {
        const double rim[3] = { h[0], h[0], 0 };
        const bool along = n[0] == 0 && n[1] == 0, cylinder = core->kind == ABUT_CORE_CYLINDER;
        if (along)
            return at_point(e, 0, 0, n[2] > 0 ? -h[2] : h[2]);
        if (taken > 0)
            return unknown;
        if (cylinder)
            return at_curve(e, h[2], rim);
        return smaller(at_point(e, 0, 0, h[2]), at_curve(e, n[2] > 0 ? h[2] : -h[2], rim));
    }
    case ABUT_CORE_ELLIPSOID:
        if (taken > 0) {
            /* Along an axis the support value is no root. */
            const int axes = (n[0] != 0) + (n[1] != 0) + (n[2] != 0);
            if (axes != 1)
                return unknown;
            return at_point(e,
                            n[0] > 0   ? -h[0]
                            : n[0] < 0 ? h[0]
                                       : 0,
                            n[1] > 0   ? -h[1]
                            : n[1] < 0 ? h[1]
                                       : 0,
                            n[2] > 0   ? -h[2]
                            : n[2] < 0 ? h[2]
                                       : 0);
        }
        return at_curve(e, 0, h);
    default: return unknown;
    }
}

/* ---- placements ---- */

static spread spread_of(const abut_place *place)
{
    double sum = 0;
    if (!place->axes)
        for (int i = 0; i < 9; ++i) {
            const abut_interval x = place->enclosure.linear.m[i / 3][i % 3];
            const double r = 0.5 * (x.hi - x.lo) + u;
            sum += r * r;
        }
    const abut_interval_vec3 *t = &place->enclosure.translation;
    const double x = t->x.hi - t->x.lo, y = t->y.hi - t->y.lo, z = t->z.hi - t->z.lo;
    return (spread){ sqrt(sum) * (1 + 0x1p-40),
                     place->points ? 0 : 0.5 * (x + y + z) + 4 * u * abut_max_norm(place->mid.translation) };
}

/* The radius that the core has is the sum of all margins, not rounded. */
static bool is_radius_exact(const abut_shape *shape)
{
    for (; shape->type == ABUT_SHAPE_SWEPT; shape = shape->u.swept.of)
        if (dd_two_sum(shape->u.swept.of->core.radius, shape->u.swept.margin).l != 0)
            return false;
    return true;
}

/* Exactly, as far as the plane is concerned: all of the body's axes are along axes of the world,
 * or the one that the plane is across. */
static bool is_exact(const abut_pair *pair)
{
    const abut_place *pa = pair->at_a, *pb = pair->at_b;
    if (!pa->points || !pb->points || !pb->axes || !is_radius_exact(pair->a))
        return false;
    double sign;
    const int world = abut_plane_axis(pair->b, pb);
    return pa->axes || pair->a->core.kind == ABUT_CORE_POINT ||
           (world >= 0 && abut_place_local_axis(pa, world, &sign) >= 0);
}

int abut_plane_axis(const abut_shape *halfspace, const abut_place *place)
{
    const abut_vec3 n = halfspace->u.halfspace.normal;
    if (!place->axes || (n.x == 0) + (n.y == 0) + (n.z == 0) != 2)
        return -1;
    return place->axis[n.x != 0 ? 0 : n.y != 0 ? 1 : 2];
}

static void override(abut_gap gap, int exponent, bool flat, abut_check_result *out)
{
    abut_closed_set_exact(gap, exponent, out);
    if (flat && gap.sign < 0) {
        out->verdict = ABUT_TOUCHING;
        out->has_depth = false;
        out->depth = (abut_interval){ 0, 0 };
    }
}

abut_status abut_narrow_plane(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    (void)ws;
    const abut_core *core = &pair->a->core;
    const abut_vec3 n = pair->b->u.halfspace.normal;
    const double offset = pair->b->u.halfspace.offset;
    const bool verdict_only = pair->ask && pair->ask->want == ABUT_WANT_VERDICT;
    const double clearance = verdict_only ? pair->ask->clearance : 0;
    int normal_exponent, exponent = 0;
    (void)frexp(abut_max_norm(n), &normal_exponent);
    --normal_exponent; /* max |n_i| in [1, 2) after it */
    const abut_vec3 scaled = { ldexp(n.x, -normal_exponent), ldexp(n.y, -normal_exponent),
                               ldexp(n.z, -normal_exponent) };
    const plane h = { abut_unit_or(n, abut_v3(0, 0, 1)),
                      ldexp(offset, -normal_exponent) / abut_length(scaled) };
    const double largest =
        fmax(fmax(core->size + core->radius, fabs(h.reach)),
             fmax(abut_max_norm(pair->at_a->mid.translation), abut_max_norm(pair->at_b->mid.translation)));
    if (!isfinite(h.reach)) {
        out->distance = (abut_interval){ 0, INFINITY };
        out->depth = (abut_interval){ 0, INFINITY };
        out->stop = ABUT_STOP_TOLERANCE;
        return ABUT_OK;
    }
    abut_core shrunk = *core, box;
    if (!(largest >= 0x1p-100 && largest <= 0x1p100)) { /* exact products stay in range */
        (void)frexp(largest, &exponent);
        if (exponent < -1020)
            exponent = -1020;
        shrunk = abut_core_shrink(core, exponent);
    }
    abut_vec3 m, x;
    double error, above;
    abut_convex_pair convex;
    abut_convex_answer answer;
    const double value = separate(&shrunk, &pair->at_a->mid, &pair->at_b->mid, spread_of(pair->at_a),
                                  spread_of(pair->at_b), &h, ldexp(1, -exponent), &m, &x, &error, &above);
    stand_in(&shrunk, &pair->at_a->mid, m, x, value, error, above, &box, &convex, &answer);
    abut_gap gap = { .sign = ABUT_SIGN_UNKNOWN };
    if (is_exact(pair)) {
        exact_plane e;
        set_exact(pair, exponent, normal_exponent, clearance, &e);
        if (!e.lossy)
            gap = exact_gap(&e, core, exponent);
    }
    if (gap.sign != ABUT_SIGN_UNKNOWN) {
        const double taken = shrunk.radius + ldexp(clearance, -exponent),
                     step = 0x1p-46 * (taken + shrunk.size + error);
        const double at = gap.sign > 0 ? taken + step : taken - step;
        if (gap.sign > 0 ? !(answer.lo > at) : !(answer.hi < at))
            answer.lo = answer.hi = at;
    }
    finish(&convex, &answer, pair->ask, exponent, out);
    if (gap.sign != ABUT_SIGN_UNKNOWN) {
        const bool flat = clearance == 0 && abut_core_is_flat(core);
        override(gap, exponent, flat, out);
        if (flat && gap.sign == 0 && !verdict_only) {
            /* it lies on the plane, and does not run through it */
            abut_convex_touch(&convex, &answer, pair->ask, exponent, out);
            name_plane(out);
        }
    }
    return ABUT_OK;
}

/* ---- two half-spaces ---- */

/* n . t + offset in the world, exactly. */
static void world_offset(const double n[3], abut_vec3 t, double offset, abut_exact *out)
{
    const double at[3] = { t.x, t.y, t.z };
    abut_exact_clear(out);
    for (int i = 0; i < 3; ++i)
        add_product3(n[i], at[i], 1, out);
    abut_exact_add_double(out, offset);
}

static bool world_normal(const abut_shape *shape, const abut_place *place, int *exponent, double out[3])
{
    const abut_vec3 v = shape->u.halfspace.normal;
    const double own[3] = { v.x, v.y, v.z };
    bool lossy = false;
    (void)frexp(abut_max_norm(v), exponent);
    --*exponent;
    for (int i = 0; i < 3; ++i)
        out[place->axis[i]] = place->sign[i] * abut_gap_fit(own[i], *exponent, &lossy);
    return !lossy;
}

/* |b_k| (a's offset) + |a_k| (b's offset), for opposite normals, has the opposite sign of the
 * gap, which is that over -|a_k| |b|. */
static abut_gap opposite_gap(const double a[3], const double b[3], const abut_exact *oa, const abut_exact *ob)
{
    int k = fabs(a[1]) > fabs(a[0]);
    k = fabs(a[2]) > fabs(a[k]) ? 2 : k;
    abut_exact x, y, sum;
    abut_exact_clear(&x);
    abut_exact_clear(&y);
    abut_exact_clear(&sum);
    abut_exact_add_double(&x, fabs(b[k]));
    abut_exact_add_double(&y, fabs(a[k]));
    abut_exact_sub_product(oa, &x, &sum);
    abut_exact_sub_product(ob, &y, &sum);
    dd square = { 0, 0 };
    for (int i = 0; i < 3; ++i)
        square = dd_add(square, dd_two_product(b[i], b[i]));
    const dd below = dd_mul(dd_sqrt(square), (dd){ fabs(a[k]), 0 });
    const dd value = dd_div(abut_exact_value(&sum, NULL), below);
    const int sign = abut_exact_sign(&sum);
    return (abut_gap){ sign ? abut_exact_interval(value, 0x1p-99 * fabs(value.h)) : (abut_interval){ 0, 0 },
                       sign, true };
}

/* Every point of a plane is as near as any other: the feet of the world's origin. Planes are at
 * oa / |a| along n, and at -ob / |b|. */
static void set_feet(const double a[3], const abut_exact *oa, const double b[3], const abut_exact *ob,
                     abut_check_result *out)
{
    const dd at_a = abut_exact_value(oa, NULL), at_b = abut_exact_value(ob, NULL);
    const double from = at_a.h / abut_length(abut_v3(a[0], a[1], a[2]));
    const double to = out->verdict == ABUT_TOUCHING ? from : -at_b.h / abut_length(abut_v3(b[0], b[1], b[2]));
    out->has_points = true;
    out->point_a = abut_scale(from, out->normal);
    out->point_b = abut_scale(to, out->normal);
    if (out->verdict == ABUT_SEPARATE)
        return;
    out->contact_count = 1;
    out->contacts[0] = (abut_contact){ .point = abut_scale(0.5 * from + 0.5 * to, out->normal),
                                       .normal = out->normal,
                                       .features = { ABUT_FEATURE_FACE, ABUT_FEATURE_FACE } };
}

/* Half-spaces that are not opposite always penetrate, and no translation parts them. */
abut_status abut_narrow_halfspaces(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    (void)ws;
    const abut_place *pa = pair->at_a, *pb = pair->at_b;
    const abut_vec3 na =
        abut_mul(&pa->mid.linear, abut_unit_or(pair->a->u.halfspace.normal, abut_v3(0, 0, 1)));
    const abut_vec3 nb =
        abut_mul(&pb->mid.linear, abut_unit_or(pair->b->u.halfspace.normal, abut_v3(0, 0, 1)));
    const abut_vec3 sum = abut_add(na, nb);
    const double off = spread_of(pa).turn + spread_of(pb).turn + 32 * u;
    out->counters.evaluations = 1;
    out->has_normal = true;
    out->normal = na;
    out->distance = out->depth = (abut_interval){ 0, 0 };
    if (abut_dot(sum, sum) > 2 * off * off) {
        out->verdict = ABUT_PENETRATING;
        out->proof = ABUT_PROOF_INTERVAL;
        return ABUT_OK;
    }
    out->stop = ABUT_STOP_TOLERANCE;
    out->distance.hi = out->depth.hi = INFINITY;
    double a[3], b[3];
    int ea, eb;
    bool lossy = false;
    if (!pa->points || !pb->points || !pa->axes || !pb->axes || !world_normal(pair->a, pa, &ea, a) ||
        !world_normal(pair->b, pb, &eb, b))
        return ABUT_OK;
    const abut_vec3 ta = pa->mid.translation, tb = pb->mid.translation;
    const abut_vec3 fa = { abut_gap_fit(ta.x, 0, &lossy), abut_gap_fit(ta.y, 0, &lossy),
                           abut_gap_fit(ta.z, 0, &lossy) };
    const abut_vec3 fb = { abut_gap_fit(tb.x, 0, &lossy), abut_gap_fit(tb.y, 0, &lossy),
                           abut_gap_fit(tb.z, 0, &lossy) };
    abut_exact oa, ob;
    world_offset(a, fa, abut_gap_fit(pair->a->u.halfspace.offset, ea, &lossy), &oa);
    world_offset(b, fb, abut_gap_fit(pair->b->u.halfspace.offset, eb, &lossy), &ob);
    for (int i = 0; i < 3 && !lossy; ++i) {
        const int j = (i + 1) % 3;
        abut_exact cross;
        abut_exact_clear(&cross);
        add_product3(a[i], b[j], 1, &cross);
        add_product3(-a[j], b[i], 1, &cross);
        if (abut_exact_sign(&cross) != 0) {
            override((abut_gap){ .sign = -1, .exact = true }, 0, false, out);
            out->has_depth = false;
            return ABUT_OK;
        }
    }
    const double *clearance =
        pair->ask && pair->ask->want == ABUT_WANT_VERDICT ? &pair->ask->clearance : NULL;
    if (lossy || (clearance && *clearance > 0))
        return ABUT_OK;
    override(opposite_gap(a, b, &oa, &ob), 0, false, out);
    set_feet(a, &oa, b, &ob, out);
    return ABUT_OK;
}
