/* SPDX-License-Identifier: MIT */
/* Two moving bodies at an instant: the sign of their gap, and how long it is proved to last; see
 * instant.h, docs/notes/advancement.md. */
#include "ccd/proof/instant.h"

#include "ccd/proof/common_ball.h"
#include "narrow/convex/closed.h"
#include "narrow/distance/cylinders.h"
#include "narrow/distance/refine.h"

#include "math/expansion.h"

static const double u = 0x1p-53;

/* ---- two cores ---- */

static bool is_usual(double x)
{
    return x >= 0x1p-140 && x <= 0x1p140;
}

static abut_interval around(double x, double radius)
{
    return (abut_interval){ x - radius - u * fabs(x) - 0x1p-1070, x + radius + u * fabs(x) + 0x1p-1070 };
}

/* Extreme sizes go the way of the static query, which scales them. */
static void pair_by_places(const abut_scene_pair *pair, const abut_instant *at, abut_convex_scratch *scratch,
                           int *exponent, abut_convex_pair *out)
{
    abut_place place[2];
    for (int k = 0; k < 2; ++k) {
        const abut_stance *s = k ? &at->at_b : &at->at_a;
        place[k] = (abut_place){ .mid = { s->r, s->c } };
        for (int i = 0; i < 9; ++i)
            place[k].enclosure.linear.m[i / 3][i % 3] = around(s->r.m[i / 3][i % 3], s->turn);
        place[k].enclosure.translation =
            (abut_interval_vec3){ around(s->c.x, s->shift), around(s->c.y, s->shift),
                                  around(s->c.z, s->shift) };
    }
    const abut_pair places = { pair->shape_a, pair->shape_b, &place[0], &place[1], NULL };
    abut_convex_pair_from_places(&places, scratch, exponent, out);
}

/* As abut_convex_pair_from_places, from the errors that are known here. */
bool abut_instant_pair(const abut_scene_pair *pair, const abut_instant *at, abut_convex_pair *out)
{
    const abut_core *a = pair->a, *b = pair->b;
    const abut_stance *pa = &at->at_a, *pb = &at->at_b;
    const abut_vec3 d = abut_sub(pb->c, pa->c);
    const double length = sqrt(abut_dot(d, d));
    if (!is_usual(length + a->size + a->radius + b->size + b->radius))
        return false;
    out->a = a;
    out->b = b;
    out->frame.linear = pa->r;
    out->frame.translation = pa->c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->r.m[i][j] =
                pa->r.m[0][i] * pb->r.m[0][j] + pa->r.m[1][i] * pb->r.m[1][j] + pa->r.m[2][i] * pb->r.m[2][j];
    out->t = abut_mul_t(&pa->r, d);
    out->radii = a->radius + b->radius;
    out->error = pa->shift + pb->shift + pa->turn * length + (pa->turn + pb->turn) * b->size +
                 u * (20 * length + 12 * a->size + 36 * b->size + out->radii) + a->error + b->error;
    return true;
}

static void make_pair(const abut_scene_pair *pair, const abut_instant *at, abut_convex_scratch *scratch,
                      int *exponent, abut_convex_pair *out)
{
    *exponent = 0;
    if (!abut_instant_pair(pair, at, out))
        pair_by_places(pair, at, scratch, exponent, out);
}

abut_symmetry abut_instant_symmetry(const abut_core *core)
{
    const double *h = core ? core->h : NULL;
    switch (core ? core->kind : ABUT_CORE_NONE) {
    case ABUT_CORE_POINT: return ABUT_SYMMETRY_ALL;
    case ABUT_CORE_SEGMENT:
    case ABUT_CORE_CYLINDER:
    case ABUT_CORE_CONE: return ABUT_SYMMETRY_Z;
    case ABUT_CORE_ELLIPSOID:
        return h[0] == h[1]   ? (h[1] == h[2] ? ABUT_SYMMETRY_ALL : ABUT_SYMMETRY_Z)
               : h[1] == h[2] ? ABUT_SYMMETRY_X
               : h[2] == h[0] ? ABUT_SYMMETRY_Y
                              : ABUT_SYMMETRY_NONE;
    default: return ABUT_SYMMETRY_NONE;
    }
}

/* Not so two opposite corners of a face: what lies between them is in the face. */
static bool is_edge(const abut_core *core, uint32_t i, uint32_t j)
{
    const uint32_t bits = i ^ j;
    if (core->kind == ABUT_CORE_BOX)
        return (bits & (bits - 1)) == 0;
    return core->kind != ABUT_CORE_HULL || abut_hull_edge(core->hull, i, j) >= 0;
}

/* Features of polytopes from the points of the simplex that differ; round cores and balls have
 * one face. */
abut_feature abut_instant_feature(const abut_core *core, const uint32_t *ids, int count)
{
    if (!abut_core_is_polytope(core) || core->kind == ABUT_CORE_POINT)
        return ABUT_FEATURE_FACE;
    if (core->radius > 0)
        return ABUT_FEATURE_FACE;
    int distinct = 0;
    uint32_t other = ids[0];
    for (int i = 0; i < count; ++i) {
        bool seen = false;
        for (int j = 0; j < i; ++j)
            seen = seen || ids[j] == ids[i];
        distinct += !seen;
        other = seen ? other : ids[i];
    }
    if (distinct == 1)
        return ABUT_FEATURE_VERTEX;
    return distinct == 2 && is_edge(core, ids[0], other) ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
}

static void take_witness(const abut_convex_pair *convex, const abut_simplex *simplex,
                         const abut_convex_answer *answer, int exponent, abut_instant *out)
{
    out->has_witness = exponent == 0 && simplex->count <= 3;
    out->has_middle = exponent == 0;
    if (!out->has_middle)
        return;
    const abut_vec3 x = abut_madd(answer->x, convex->a->radius, answer->normal);
    const abut_vec3 y = abut_madd(answer->y, -convex->b->radius, answer->normal);
    const abut_vec3 middle = abut_v3(0.5 * x.x + 0.5 * y.x, 0.5 * x.y + 0.5 * y.y, 0.5 * x.z + 0.5 * y.z);
    out->point = out->middle = abut_affine_apply(&convex->frame, middle);
    out->has_middle = abut_is_finite3(out->middle);
    if (!out->has_witness)
        return;
    uint32_t a[3], b[3];
    for (int i = 0; i < simplex->count; ++i) {
        a[i] = simplex->p[i].a;
        b[i] = simplex->p[i].b;
    }
    out->features[0] = abut_instant_feature(convex->a, a, simplex->count);
    out->features[1] = abut_instant_feature(convex->b, b, simplex->count);
}

static void take_edges(const abut_convex_pair *convex, const abut_simplex *simplex, abut_instant *out)
{
    out->edges = simplex->count >= 1 && simplex->count <= 3 ? simplex->count - 1 : 0;
    for (int i = 0; i < out->edges; ++i) {
        const abut_convex_point *p = &simplex->p[i + 1], *q = &simplex->p[0];
        out->edge[i] = abut_sub(p->w, q->w);
        out->part_a[i] = abut_sub(p->x, q->x);
        out->part_b[i] = abut_mul_t(&convex->r, abut_sub(p->y, q->y));
    }
}

static double least(const abut_core *core)
{
    return fmin(core->h[0], fmin(core->h[1], core->h[2]));
}

/* Ellipsoids just past a contact along n: a point between their furthest points lies inside
 * both. d below the surface it is d least(h) / (n . x) deep: so it is nearer to the one that is
 * deeper for that. */
static bool share_middle(const abut_convex_pair *convex, abut_vec3 n, abut_convex_answer *answer)
{
    uint32_t hint = 0;
    const abut_vec3 x = abut_core_support(convex->a, n, &hint);
    const abut_vec3 back = abut_mul_t(&convex->r, n);
    const abut_vec3 own = abut_core_support(convex->b, abut_v3(-back.x, -back.y, -back.z), &hint);
    const abut_vec3 y = abut_add(convex->t, abut_mul(&convex->r, own));
    const double ka = abut_dot(n, x) * least(convex->b), kb = -abut_dot(back, own) * least(convex->a);
    if (convex->radii > 0 || !(abut_dot(n, abut_sub(y, x)) < -convex->error) ||
        !abut_convex_common_point(convex, abut_madd(x, ka / (ka + kb), abut_sub(y, x))))
        return false;
    *answer = (abut_convex_answer){
        .lo = -INFINITY, .hi = -convex->error, .normal = n, .x = x, .y = y, .supports = 1
    };
    return true;
}

/* Curved bodies by Newton's method where it parts them, everything else by GJK. The simplex is
 * empty for the former. */
static abut_gjk_end measure(const abut_convex_pair *convex, const abut_vec3 *axis, bool deep,
                            abut_simplex *simplex, abut_convex_answer *answer)
{
    const bool smooth = abut_convex_is_ellipsoid_pair(convex), curved = !abut_convex_is_polytope_pair(convex);
    if (abut_closed_nearest(convex, simplex, answer))
        return ABUT_GJK_APART;
    if (abut_cylinders_knows(convex)) {
        const double near = 32 * convex->error;
        if (abut_cylinders_distance(convex, axis, answer))
            return ABUT_GJK_APART;
        if (!deep && answer->hi < 0)
            return ABUT_GJK_MEETING;
        if (!deep && answer->lo > -near && answer->hi < near)
            return ABUT_GJK_APART; /* by rounding at most: nothing would tell more */
    }
    if (smooth && !deep && axis && share_middle(convex, *axis, answer))
        return ABUT_GJK_MEETING;
    if ((smooth && abut_ellipsoid_distance(convex, axis, answer)) ||
        (curved && abut_curved_distance(convex, axis, answer)))
        return ABUT_GJK_APART;
    if (curved && !deep && answer->hi < 0)
        return ABUT_GJK_MEETING;
    return abut_gjk_distance(convex, INFINITY, axis, simplex, answer);
}

/* What GJK leaves undecided, where only the sign is wanted: the middle of the nearest points may
 * lie inside both. */
static bool share_point(const abut_convex_pair *convex, bool deep, abut_convex_answer *answer)
{
    if (deep || convex->radii > 0)
        return false;
    const bool curved = !abut_convex_is_polytope_pair(convex);
    const bool known = curved && abut_curved_decide(convex, answer);
    const abut_vec3 middle = abut_scale(0.5, abut_add(answer->x, answer->y));
    if (!(answer->lo > 0) && !(answer->hi < 0) && abut_convex_common_point(convex, middle))
        answer->hi = -convex->error;
    /* No polytope would tell more. */
    return known || answer->hi < 0 || (curved && answer->lo > -16 * convex->error);
}

static void examine_cores(const abut_scene_pair *pair, const abut_vec3 *hint, bool deep,
                          abut_counters *counters, abut_instant *out)
{
    abut_convex_pair convex;
    abut_convex_scratch scratch;
    int exponent;
    make_pair(pair, out, &scratch, &exponent, &convex);
    abut_simplex simplex = { .count = 0 };
    abut_convex_answer answer = { .supports = 0 }; /* not all ends of GJK have witnesses */
    abut_vec3 axis;
    if (hint)
        axis = abut_mul_t(&convex.frame.linear, *hint);
    const abut_gjk_end end = measure(&convex, hint ? &axis : NULL, deep, &simplex, &answer);
    counters->evaluations += answer.supports;
    const bool under =
        end == ABUT_GJK_MEETING || (end == ABUT_GJK_NEAR && !share_point(&convex, deep, &answer));
    if (under && (deep || (end == ABUT_GJK_NEAR && convex.radii <= 0))) {
        const abut_convex_answer first = answer;
        abut_convex_depth(&convex, &simplex, &answer);
        counters->evaluations += answer.supports;
        if (first.hi < answer.hi)
            answer.hi = first.hi;
        if (first.lo > answer.lo)
            answer.lo = first.lo;
    }
    const double scale = exponent ? ldexp(1, exponent) : 1;
    const double lo = answer.lo - convex.radii * (1 + 2 * u), hi = answer.hi - convex.radii * (1 - 2 * u);
    out->sign = lo > 0 ? 1 : hi < 0 ? -1 : ABUT_SIGN_UNKNOWN;
    out->gap = scale * (out->sign < 0 ? hi : lo);
    out->margin = out->sign < 0 ? -hi * scale : 0;
    out->n = abut_mul(&convex.frame.linear, answer.normal);
    const double square = abut_dot(out->n, out->n);
    out->n = square > 0.5 ? abut_scale(1 / sqrt(square), out->n) : abut_v3(1, 0, 0);
    take_witness(&convex, &simplex, &answer, exponent, out);
    take_edges(&convex, &simplex, out);
}

/* ---- over a half-space ---- */

static void examine_above(const abut_scene_pair *pair, abut_counters *counters, abut_instant *out)
{
    abut_moving_plane plane;
    abut_stance still_a = out->at_a, still_b = out->at_b;
    still_a.speed = still_b.speed = still_a.bend = still_b.bend = 0;
    still_a.boxed = still_b.boxed = false;
    still_a.turn_rate = still_b.turn_rate = still_a.shift_rate = still_b.shift_rate = 0;
    memset(&still_a.dr, 0, sizeof still_a.dr);
    memset(&still_b.dr, 0, sizeof still_b.dr);
    still_a.v = still_b.v = abut_v3(0, 0, 0);
    abut_moving_plane_above(pair->a, &still_a, pair->shape_b, &still_b, 1, 0, &plane);
    const double lo = abut_moving_plane_at(&plane, 0),
                 hi = lo + 2 * plane.e0 * (1 + 8 * u) + 8 * u * fabs(lo);
    ++counters->evaluations;
    out->sign = lo > 0 ? 1 : hi < 0 ? -1 : ABUT_SIGN_UNKNOWN;
    out->gap = lo;
    out->margin = out->sign < 0 ? -hi : 0;
    uint32_t id = 0;
    const abut_vec3 p = abut_moving_plane_support(pair->a, plane.a0, &id);
    out->n = abut_mul(&out->at_a.r, plane.a0);
    out->has_witness = true;
    const abut_vec3 low =
        abut_madd(abut_add(abut_mul(&out->at_a.r, p), out->at_a.c), pair->a->radius, out->n);
    out->point = abut_madd(low, 0.5 * lo, out->n);
    out->features[0] = abut_instant_feature(pair->a, &id, 1);
    out->features[1] = ABUT_FEATURE_FACE;
}

bool abut_instant_make(const abut_scene_pair *pair, double t, const abut_vec3 *hint, bool deep,
                       abut_counters *counters, abut_instant *out)
{
    out->t = t;
    out->step = 0;
    out->has_middle = false;
    out->swing = abut_v3(0, 0, 0);
    if (!abut_path_place(&pair->path_a, t, &out->at_a) || !abut_path_place(&pair->path_b, t, &out->at_b))
        return false;
    if (pair->b)
        examine_cores(pair, hint, deep, counters, out);
    else
        examine_above(pair, counters, out);
    return true;
}

/* ---- how long it lasts ---- */

/* d(s) = d + s v, off by `slip` in all of the room. While it shrinks, that is as long as s |v|^2
 * < - d . v, it need only be longer than the radii at the end; where it is least, at s = - d . v
 * / |v|^2, it is known to rounding of that s, below 16 u |d|. */
double abut_instant_balls(const abut_scene_pair *pair, double t, double room)
{
    abut_stance at_a, at_b;
    if (!abut_path_line(&pair->path_a, t, &at_a) || !abut_path_line(&pair->path_b, t, &at_b))
        return 0;
    const abut_core *a = pair->a, *b = pair->b;
    const double most = fabs(room), sense = room < 0 ? -1 : 1;
    const abut_vec3 d = abut_sub(at_b.c, at_a.c), v = abut_scale(sense, abut_sub(at_b.v, at_a.v));
    const double far = abut_dot(d, d), vv = abut_dot(v, v), closing = -abut_dot(d, v);
    const double slip = at_a.shift + at_b.shift + most * (at_a.shift_rate + at_b.shift_rate) +
                        16 * u *
                            (sqrt(far) + most * (fabs(at_a.v.x) + fabs(at_a.v.y) + fabs(at_a.v.z) +
                                                 fabs(at_b.v.x) + fabs(at_b.v.y) + fabs(at_b.v.z)));
    const double radii = (a->size + a->radius + b->size + b->radius + slip) * (1 + 0x1p-40),
                 rr = radii * radii;
    if (!(far > rr * (1 + 0x1p-20)) || !(far > 0x1p-1010) ||
        !isfinite(far + vv)) /* where squares vanish, or overflow */
        return 0;
    if (!(closing > 0))
        return most;
    const double nearest = closing / vv, until = nearest < most ? nearest : most;
    const abut_vec3 least = abut_madd(d, until, v);
    if (abut_dot(least, least) > rr * (1 + 0x1p-40))
        return most;
    /* The first root, and a little before it. */
    const double part = far - rr, square = closing * closing - vv * part;
    const double s = part / (closing + sqrt(square > 0 ? square : 0)) * (1 - 0x1p-20);
    const abut_vec3 then = abut_madd(d, s, v);
    return s > 0 && s < most && s < nearest * (1 - 0x1p-40) && abut_dot(then, then) > rr * (1 + 0x1p-40) ? s
                                                                                                         : 0;
}

static bool add_rates(const abut_scene_pair *pair, abut_instant *at, double h)
{
    return abut_path_rates(&pair->path_a, at->t, h, &at->at_a) &&
           abut_path_rates(&pair->path_b, at->t, h, &at->at_b);
}

static bool needs_reach(const abut_scene_pair *pair)
{
    return pair->path_a.kind == ABUT_PATH_ANY || pair->path_b.kind == ABUT_PATH_ANY;
}

/* How the direction must turn so that the points of the nearest feature stay on one plane across
 * it: dn . edge = - n . (its rate). */
static abut_vec3 turning_of(const abut_instant *at)
{
    const abut_vec3 ga = abut_mul_t(&at->at_a.dr, at->n), gb = abut_mul_t(&at->at_b.dr, at->n);
    double c[2];
    for (int i = 0; i < at->edges; ++i)
        c[i] = abut_dot(ga, at->part_a[i]) - abut_dot(gb, at->part_b[i]);
    abut_vec3 dn = { 0, 0, 0 };
    if (at->edges == 2) {
        const abut_vec3 *e = at->edge, m = abut_cross(e[0], e[1]);
        const double square = abut_dot(m, m);
        if (square > 0)
            dn = abut_scale(1 / square, abut_add(abut_scale(c[0], abut_cross(e[1], m)),
                                                 abut_scale(c[1], abut_cross(m, e[0]))));
    } else if (at->edges == 1) {
        const double square = abut_dot(at->edge[0], at->edge[0]);
        if (square > 0)
            dn = abut_scale(c[0] / square, at->edge[0]);
    }
    const double most = 8 * (at->at_a.speed + at->at_b.speed);
    if (!(abut_dot(dn, dn) <= most * most))
        return abut_v3(0, 0, 0);
    return abut_mul(&at->at_a.r, dn);
}

static abut_vec3 spin_of(const abut_stance *at)
{
    const double(*d)[3] = at->dr.m, (*r)[3] = at->r.m;
    return abut_v3(d[2][0] * r[1][0] + d[2][1] * r[1][1] + d[2][2] * r[1][2],
                   d[0][0] * r[2][0] + d[0][1] * r[2][1] + d[0][2] * r[2][2],
                   d[1][0] * r[0][0] + d[1][1] * r[0][1] + d[1][2] * r[0][2]);
}

/* The same for cylinders and cones, whose nearest points move over them: from their curvature. */
static abut_vec3 turning_of_cylinders(const abut_convex_pair *convex, const abut_instant *at)
{
    const abut_vec3 wa = spin_of(&at->at_a), wb = spin_of(&at->at_b), d = abut_sub(at->at_b.c, at->at_a.c);
    const abut_vec3 v = abut_sub(abut_sub(at->at_b.v, at->at_a.v), abut_cross(wa, d));
    const abut_mat3 *r = &at->at_a.r;
    const abut_vec3 own = abut_cylinders_turning(convex, abut_mul_t(r, at->n), abut_mul_t(r, v),
                                                 abut_mul_t(r, abut_sub(wb, wa)));
    const abut_vec3 dn = abut_add(abut_mul(r, own), abut_cross(wa, at->n));
    const double most = 8 * (at->at_a.speed + at->at_b.speed);
    return abut_dot(dn, dn) <= most * most ? dn : abut_v3(0, 0, 0);
}

/* Round bodies against others: their nearest points move over them, too, and no feature says
 * how. n goes on turning as it did since the last look, which is off by the time since then. */
static abut_vec3 turning_by_looks(const abut_instant *at)
{
    const double most = 8 * (at->at_a.speed + at->at_b.speed);
    return abut_dot(at->swing, at->swing) <= most * most ? at->swing : abut_v3(0, 0, 0);
}

static bool is_mixed(const abut_convex_pair *pair)
{
    return !abut_convex_is_polytope_pair(pair) && !abut_convex_is_ellipsoid_pair(pair);
}

static void make_plane(const abut_scene_pair *pair, abut_instant *at, double sense, double reach,
                       abut_moving_plane *out)
{
    at->dn = abut_v3(0, 0, 0);
    if (!pair->b) {
        abut_moving_plane_above(pair->a, &at->at_a, pair->shape_b, &at->at_b, sense, reach, out);
        return;
    }
    abut_convex_pair convex = { .a = pair->a, .b = pair->b };
    /* Far off the direction rests: what a turning one costs in `bend` is more than what it
     * follows. */
    if (!pair->translates && !(at->gap > 0.1 * (pair->a->size + pair->b->size)))
        at->dn = abut_cylinders_knows(&convex) && abut_instant_pair(pair, at, &convex)
                     ? turning_of_cylinders(&convex, at)
                 : at->edges == 0 && is_mixed(&convex) ? turning_by_looks(at)
                                                       : turning_of(at);
    abut_moving_plane_between(pair->a, &at->at_a, pair->b, &at->at_b, at->n, at->dn, sense, out);
    if (reach < out->reach)
        out->reach = reach;
}

/* Bounds by enclosures of the motions depend on how far they are to hold. With a slack that
 * grows with the reach they prove s = c / reach, so that the best reach is sqrt(s reach). */
typedef struct search {
    double reach, most, best, last, too_far;
    int tries;
} search;

static search begin_search(const abut_instant *at, double most)
{
    const double reach = at->step > 0 && at->step < most ? at->step : most;
    return (search){ .reach = reach, .most = most, .too_far = INFINITY };
}

static void take_step(search *w, double s)
{
    w->last = s;
    if (s > w->best)
        w->best = s;
    ++w->tries;
}

static bool goes_on(search *w, const abut_instant *at)
{
    const double s = w->last, reach = w->reach;
    if (s >= reach) { /* all of it: further? */
        const double next = fmin(w->most, 8 * reach);
        if (!(next > reach) || !(4 * next <= w->too_far))
            return false;
        w->reach = next;
    } else {
        if (s > 0.25 * reach || (s > 0 && s < w->best))
            return false;
        w->too_far = reach;
        w->reach = s > 0 ? sqrt(s) * sqrt(reach) : 0.0625 * reach;
        if (!(w->reach > w->best))
            return false;
    }
    return w->tries < 60 && w->reach > 0x1p-52 * fabs(at->t);
}

double abut_instant_clear(const abut_scene_pair *pair, abut_instant *at, double room, double *closing,
                          double *error)
{
    const double sense = room < 0 ? -1 : 1, most = fabs(room);
    abut_moving_plane plane;
    if (!needs_reach(pair)) {
        if (!add_rates(pair, at, room))
            return 0;
        make_plane(pair, at, sense, most, &plane);
        const double s = abut_moving_plane_step(&plane, most);
        *closing = -plane.slope;
        *error = plane.e0;
        return s;
    }
    search reaches = begin_search(at, most);
    do {
        if (!add_rates(pair, at, sense * reaches.reach))
            break;
        make_plane(pair, at, sense, reaches.reach, &plane);
        const double s = abut_moving_plane_step(&plane, reaches.reach);
        *closing = -plane.slope;
        *error = plane.e0;
        if (s <= 0 && !(abut_moving_plane_at(&plane, 0) > 0))
            break; /* at no reach */
        take_step(&reaches, s);
    } while (goes_on(&reaches, at));
    return reaches.best;
}

/* F is concave and not negative at 0: positive at s, it is positive on (0, s]. */
double abut_instant_parting(const abut_scene_pair *pair, abut_instant *at, double room)
{
    double s = room;
    for (int i = 0; i < 50; ++i) {
        abut_moving_plane plane;
        if (!add_rates(pair, at, s))
            return 0;
        make_plane(pair, at, 1, s, &plane);
        if (s <= plane.reach && abut_moving_plane_at(&plane, s) > 0)
            return s;
        s *= 0.5;
    }
    return 0;
}

/* Largest coordinate of the core along axis i of its frame, in the direction of `sign`: a double
 * that the user gave. */
static double exact_reach(const abut_core *core, int i, double sign)
{
    if (core->kind == ABUT_CORE_HULL) {
        const abut_hull *hull = core->hull;
        const double *x = i == 0 ? hull->x : i == 1 ? hull->y : hull->z;
        double most = sign * x[0];
        for (uint32_t k = 1; k < hull->vertex_count; ++k)
            most = fmax(most, sign * x[k]);
        return core->scale * most;
    }
    const abut_vec3 d = { i == 0 ? sign : 0, i == 1 ? sign : 0, i == 2 ? sign : 0 };
    uint32_t hint = 0;
    return abut_core_reach(core, d, &hint);
}

/* Which axis of the frame lies along axis i of the world, and its sign. */
static int own_axis(const abut_place *place, int i, double *sign)
{
    for (int j = 0; j < 2; ++j)
        if (place->axis[j] == i) {
            *sign = place->sign[j];
            return j;
        }
    *sign = place->sign[2];
    return 2;
}

bool abut_instant_exact_axis(const abut_scene_pair *pair, const abut_place *at_a, const abut_place *at_b,
                             abut_instant *at)
{
    if (!pair->b)
        return true; /* its only direction */
    if (!at_a->points || !at_a->axes || !at_b->points || !at_b->axes || pair->a->kind == ABUT_CORE_USER ||
        pair->b->kind == ABUT_CORE_USER)
        return false;
    const double n[3] = { at->n.x, at->n.y, at->n.z };
    const double pa[3] = { at_a->mid.translation.x, at_a->mid.translation.y, at_a->mid.translation.z };
    const double pb[3] = { at_b->mid.translation.x, at_b->mid.translation.y, at_b->mid.translation.z };
    for (int i = 0; i < 3; ++i) {
        if (!(fabs(n[i]) > 1 - 0x1p-30))
            continue;
        const double way = n[i] > 0 ? 1 : -1;
        double sign_a, sign_b;
        const int axis_a = own_axis(at_a, i, &sign_a), axis_b = own_axis(at_b, i, &sign_b);
        const double part[6] = { way * pb[i],
                                 -way * pa[i],
                                 -exact_reach(pair->a, axis_a, sign_a * way),
                                 -exact_reach(pair->b, axis_b, -sign_b * way),
                                 -pair->a->radius,
                                 -pair->b->radius };
        double sum[6], next[6];
        int count = 0;
        for (int k = 0; k < 6; ++k) {
            count = abut_expansion_sum(count, sum, part[k] != 0, &part[k], next);
            memcpy(sum, next, sizeof sum);
        }
        if (count > 0 && sum[count - 1] < 0)
            return false;
        at->n = abut_v3(i == 0 ? way : 0, i == 1 ? way : 0, i == 2 ? way : 0);
        at->edges = 0;
        return true;
    }
    return false;
}

/* How fast any point of the difference of two cores moves at most. */
static double speed_of_cores(const abut_scene_pair *pair, const abut_instant *at)
{
    const abut_stance *a = &at->at_a, *b = &at->at_b;
    return (abut_length(abut_sub(b->v, a->v)) + a->shift_rate + b->shift_rate + pair->a->size * a->speed +
            pair->b->size * b->speed) *
               (1 + 32 * u) +
           32 * u * (abut_length(a->v) + abut_length(b->v));
}

/* Two cores: with a ball of radius `margin` about the origin inside their difference, as long as
 * no point of that travels so far; or as long as two balls inside of them overlap, which are searched
 * for once. */
static double cover_cores(const abut_scene_pair *pair, const abut_instant *at, double reach,
                          abut_common_ball *ball, bool *is_sought)
{
    const double speed = speed_of_cores(pair, at);
    const double s = speed > 0 ? at->margin / speed * (1 - 16 * u) : reach;
    if (s >= reach)
        return reach;
    if (*is_sought && !abut_common_ball_find(pair, at, speed, ball))
        ball->overlap = 0;
    *is_sought = false;
    return ball->overlap > 0 ? fmax(s, abut_common_ball_lasts(ball, at, reach)) : s;
}

/* Over a half-space: as long as the deepest point is known to stay below the plane, to second
 * order. That bound is convex in s, so that it need only hold at both ends. */
static double cover_above(const abut_scene_pair *pair, const abut_instant *at, double sense, double reach)
{
    abut_moving_plane f;
    uint32_t hint = 0;
    abut_moving_plane_above(pair->a, &at->at_a, pair->shape_b, &at->at_b, sense, reach, &f);
    const abut_vec3 x = abut_moving_plane_support(pair->a, f.a0, &hint);
    const double most = f.reach, low = f.k0 - abut_dot(f.a0, x) + f.e0,
                 slope = f.k1 - abut_dot(f.a1, x) + f.e1;
    if (!(low < 0))
        return 0;
    const double root = sqrt(slope * slope - 2 * f.bend * low);
    double s = slope > 0 ? -2 * low / (root + slope) : f.bend > 0 ? (root - slope) / f.bend : most;
    for (int i = 0; i < 8; ++i, s *= 0.5) {
        s = s * (1 - 0x1p-20) < most ? s * (1 - 0x1p-20) : most;
        /* 16 u for the rounding of this sum; that of its terms is in e0 and e1 */
        if (low + s * slope + 0.5 * f.bend * s * s < -16 * u * (s * fabs(slope) + f.bend * s * s - low))
            return s;
    }
    return 0;
}

double abut_instant_cover(const abut_scene_pair *pair, abut_instant *at, double room)
{
    const double sense = room < 0 ? -1 : 1, most = fabs(room);
    search reaches = begin_search(at, most);
    abut_common_ball ball = { .overlap = 0 };
    bool is_sought = true;
    do {
        if (!add_rates(pair, at, sense * reaches.reach))
            break;
        take_step(&reaches, pair->b ? cover_cores(pair, at, reaches.reach, &ball, &is_sought)
                                    : cover_above(pair, at, sense, reaches.reach));
    } while (needs_reach(pair) && goes_on(&reaches, at));
    return reaches.best;
}
