/* SPDX-License-Identifier: MIT */
/* Translational sweeps; see sweep.h.
 *
 * The difference of a moving body and one at rest, swept by the relative translation v, is K +
 * [0, 1] v. Its support point is that of K, moved by v where that is further; or, which is the
 * same, the better one of the sets K and K + v. GJK on it says whether the bodies meet on the
 * way (P. G. Xavier 1997; C. Ericson, The GJK algorithm, SIGGRAPH course 2004). The time of
 * contact is then found by halving the stretch that is swept, each test beginning with the last
 * simplex, or from the signed gap, which is convex in time, by golden sections to below zero and
 * Brent's method (1973) to the root. Both only steer: advance.c proves what they find. */
#include "ccd/cast/sweep.h"

#include "base/options.h"
#include "math/expansion.h"
#include "math/nearest.h"
#include "narrow/distance/simplex.h"

static const double u = 0x1p-53;

enum { MOST_SUPPORTS = 96, MOST_HALVINGS = 60, MOST_SECTIONS = 40, MOST_ROOT_STEPS = 60 };

/* ---- do they meet on the way? ---- */

/* Point of the swept K least along n. */
static void support(const abut_swept_pair *s, abut_vec3 n, abut_convex_point *p)
{
    abut_convex_support(s->pair, n, p);
    if (s->form == ABUT_SWEEP_SWITCHED) {
        if (abut_dot(n, s->v) < 0)
            p->w = abut_add(p->w, s->v);
        return;
    }
    abut_convex_point q = *p;
    abut_convex_support(s->pair, n, &q);
    q.w = abut_add(q.w, s->v);
    if (abut_dot(n, q.w) < abut_dot(n, p->w))
        *p = q;
}

static abut_nearest_feature nearest(abut_simplex *simplex)
{
    abut_vec3 w[4];
    for (int i = 0; i < simplex->count; ++i)
        w[i] = simplex->p[i].w;
    const abut_nearest_feature f = abut_simplex_nearest(w, simplex->count);
    int n = 0;
    for (int i = 0; i < simplex->count; ++i)
        if (f.kept >> i & 1)
            simplex->p[n++] = simplex->p[i];
    simplex->count = n;
    return f;
}

static bool holds_origin(const abut_swept_pair *s, const abut_simplex *simplex)
{
    const abut_vec3 w[4] = { simplex->p[0].w, simplex->p[1].w, simplex->p[2].w, simplex->p[3].w };
    return simplex->count == 4 && abut_simplex_margin(w) > s->error;
}

/* A point of the simplex nearer to the origin than the radii. */
static bool comes_within(const abut_swept_pair *s, const abut_simplex *simplex)
{
    abut_vec3 w[3], v = { 0, 0, 0 };
    double weight[3];
    if (simplex->count > 3)
        return false;
    for (int i = 0; i < simplex->count; ++i)
        w[i] = simplex->p[i].w;
    abut_simplex_weights(w, simplex->count, weight);
    for (int i = 0; i < simplex->count; ++i)
        v = abut_madd(v, weight[i], w[i]);
    return sqrt(abut_dot(v, v)) * (1 + 8 * u) + s->error < s->pair->radii * (1 - 2 * u);
}

/* 1: apart (`out` has the direction, not yet proved), -1: proved to meet, 0: cannot tell. The
 * simplex is a warm start when count > 0. */
static int compare_swept(const abut_swept_pair *s, abut_simplex *simplex, abut_vec3 *axis, uint32_t *supports)
{
    const double radii = s->pair->radii;
    if (simplex->count == 0) {
        abut_vec3 n = abut_madd(s->pair->t, 0.5, s->v);
        if (!(abut_dot(n, n) > 0))
            n = abut_v3(1, 0, 0);
        simplex->p[0].a = simplex->p[0].b = 0;
        support(s, n, &simplex->p[0]);
        simplex->count = 1;
        ++*supports;
    }
    abut_nearest_feature f = nearest(simplex);
    for (int i = 0; i < MOST_SUPPORTS; ++i) {
        if (simplex->count == 4)
            return holds_origin(s, simplex) ? -1 : 0;
        const double length = sqrt(f.square);
        if (radii > 0 && length < radii && comes_within(s, simplex))
            return -1;
        if (!(length > s->error))
            return 0;
        const abut_vec3 n = abut_scale(1 / length, f.v);
        abut_convex_point *p = &simplex->p[simplex->count];
        p->a = simplex->p[0].a;
        p->b = simplex->p[0].b;
        support(s, n, p);
        ++*supports;
        const double below = abut_dot(n, p->w);
        *axis = n;
        if (below - radii > s->error)
            return 1;
        if (length - below <= 0.25 * s->error)
            return 0;
        ++simplex->count;
        const double before = f.square;
        f = nearest(simplex);
        if (!(f.square < before))
            return 0;
    }
    return 0;
}

/* ---- the public test ---- */

void abut_sweep_opts_init(abut_sweep_opts *opts)
{
    if (opts)
        *opts = (abut_sweep_opts){ .struct_size = sizeof *opts };
}

/* Certified: apart at both ends of the sweep along n, hence all along it. */
static bool separates(const abut_swept_pair *s, abut_vec3 n)
{
    abut_convex_point p = { .a = 0, .b = 0 };
    const double at_start = abut_convex_separation(s->pair, n, &p) - s->pair->radii * (1 + 4 * u);
    const double length = sqrt(abut_dot(n, n)), along = abut_dot(n, s->v) / length;
    const double slack = s->error - s->pair->error; /* what the translation adds */
    return at_start > 0 && at_start + along - slack > 0;
}

/* The simplex of a deep overlap may have the origin on its boundary; the static solvers go on
 * from there. */
static bool meets_on_the_way(const abut_swept_pair *s)
{
    for (int i = 0; i < 3; ++i) {
        abut_convex_pair there = *s->pair;
        there.t = abut_madd(there.t, 0.5 * i, s->v);
        there.error = s->error;
        abut_simplex simplex = { .count = 0 };
        abut_convex_answer answer;
        const abut_gjk_end end = abut_gjk_distance(&there, INFINITY, NULL, &simplex, &answer);
        if (end == ABUT_GJK_NEAR && !(answer.hi < there.radii * (1 - 4 * u)))
            abut_convex_depth(&there, &simplex, &answer);
        if (answer.hi < there.radii * (1 - 4 * u))
            return true;
    }
    return false;
}

static ABUT_MATH_NOINLINE void compare(const abut_swept_pair *s, abut_overlap_result *out)
{
    abut_simplex simplex = { .count = 0 };
    abut_vec3 axis = { 1, 0, 0 };
    uint32_t supports = 0;
    const int sign = compare_swept(s, &simplex, &axis, &supports);
    out->counters = (abut_counters){ 1, supports, 0 };
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    if (sign < 0 || (sign == 0 && meets_on_the_way(s)))
        out->verdict =
            abut_core_is_flat(s->pair->a) || abut_core_is_flat(s->pair->b) ? ABUT_TOUCHING : ABUT_PENETRATING;
    else if (sign > 0 && separates(s, axis))
        out->verdict = ABUT_SEPARATE;
    else {
        out->verdict = ABUT_UNDECIDED;
        out->proof = ABUT_PROOF_NONE;
        out->stop = ABUT_STOP_TOLERANCE;
    }
}

/* ---- half-spaces ---- */

/* The place further on by v: exactly where the sums are, an enclosure where they are rounded. */
static void shift(abut_place *place, abut_vec3 v)
{
    const double by[3] = { v.x, v.y, v.z };
    double *const mid[3] = { &place->mid.translation.x, &place->mid.translation.y,
                             &place->mid.translation.z };
    abut_interval *const wide[3] = { &place->enclosure.translation.x, &place->enclosure.translation.y,
                                     &place->enclosure.translation.z };
    for (int i = 0; i < 3; ++i) {
        double rest;
        const double sum = abut_two_sum(*mid[i], by[i], &rest);
        *mid[i] = sum;
        *wide[i] = (abut_interval){ sum, sum };
        if (rest == 0)
            continue;
        *wide[i] = (abut_interval){ nextafter(sum, -INFINITY), nextafter(sum, INFINITY) };
        place->points = place->stated = false;
    }
    place->pose.position = place->mid.translation;
}

/* How far the body is from the plane is linear along the way, so it is nearest at one of its
 * ends. */
static ABUT_MATH_NOINLINE abut_status compare_ends(const abut_shape *a, abut_place *at_a, const abut_shape *b,
                                                   const abut_place *at_b, abut_vec3 translation,
                                                   abut_workspace *ws, abut_overlap_result *out)
{
    static const abut_ask ask = { .want = ABUT_WANT_VERDICT };
    abut_check_result ends[2];
    for (int i = 0; i < 2; ++i) {
        if (i == 1)
            shift(at_a, translation);
        if (!abut_is_finite3(at_a->mid.translation)) {
            out->stop = ABUT_STOP_TOLERANCE;
            return ABUT_OK;
        }
        ends[i] = (abut_check_result){ .verdict = ABUT_UNDECIDED };
        const abut_pair pair = { a, b, at_a, at_b, &ask };
        const abut_status status = abut_narrow_run_pair(&pair, ws, &ends[i]);
        if (status)
            return status;
        out->counters.iterations += 1;
        out->counters.evaluations += ends[i].counters.evaluations;
        out->counters.exact += ends[i].counters.exact;
    }
    /* Undecided, separate, touching, penetrating: the further down the list the more it says,
     * but for two that are apart. */
    const abut_check_result *more = &ends[ends[1].verdict > ends[0].verdict], *less = &ends[more == &ends[0]];
    const bool apart = more->verdict == ABUT_SEPARATE;
    if (apart && (less->verdict != ABUT_SEPARATE || less->proof < more->proof))
        more = less;
    out->verdict = more->verdict;
    out->proof = more->verdict == ABUT_UNDECIDED ? ABUT_PROOF_NONE : more->proof;
    out->stop = more->verdict == ABUT_UNDECIDED ? ABUT_STOP_TOLERANCE : ABUT_STOP_DONE;
    return ABUT_OK;
}

abut_status abut_sweep_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                               const abut_pose *pose_b, abut_vec3 translation, const abut_sweep_opts *opts,
                               abut_workspace *ws, abut_overlap_result *out)
{
    abut_sweep_opts known;
    abut_sweep_opts_init(&known);
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = (abut_overlap_result){ .verdict = ABUT_UNDECIDED };
    if (!a || !b || !abut_options_read(&known, sizeof known, opts) || !abut_is_finite3(translation) ||
        (known.form != ABUT_SWEEP_SWITCHED && known.form != ABUT_SWEEP_DOUBLED))
        return ABUT_ERR_ARGUMENT;
    const bool space_a = a->type == ABUT_SHAPE_HALFSPACE, space_b = b->type == ABUT_SHAPE_HALFSPACE;
    if ((a->core.kind == ABUT_CORE_NONE && !space_a) || (b->core.kind == ABUT_CORE_NONE && !space_b))
        return ABUT_ERR_UNSUPPORTED;
    const abut_nearest saved = abut_nearest_enter();
    abut_place at_a, at_b;
    abut_status status = abut_place_from_pose(pose_a, true, &at_a);
    if (!status)
        status = abut_place_from_pose(pose_b, true, &at_b);
    if (!status && (space_a || space_b)) {
        status =
            abut_cores_status(compare_ends(a, &at_a, b, &at_b, translation, ws, out), &a->core, &b->core);
    } else if (!status) {
        const abut_pair places = { a, b, &at_a, &at_b, NULL };
        abut_convex_pair pair;
        abut_convex_scratch scratch;
        int exponent;
        abut_convex_pair_from_places(&places, &scratch, &exponent, &pair);
        /* K moves against the translation of a. Turned by a rounded matrix: 32 u. */
        const double scale = exponent ? ldexp(-1, -exponent) : -1;
        const abut_vec3 v = abut_scale(scale, abut_mul_t(&pair.frame.linear, translation));
        const double length = abut_length(v);
        const abut_swept_pair swept = { &pair, v, pair.error + 32 * u * length, known.form };
        if (isfinite(length) && length < 0x1p400)
            compare(&swept, out);
        else
            out->stop = ABUT_STOP_TOLERANCE;
        status = abut_cores_status(status, &a->core, &b->core);
    }
    abut_nearest_leave(saved);
    if (status)
        *out = (abut_overlap_result){ .verdict = ABUT_UNDECIDED };
    return status;
}

/* ---- searches for the time ---- */

typedef struct search {
    const abut_scene_pair *pair;
    double lo, hi;
    abut_counters *counters;
    abut_vec3 axis; /* in the world, of the last look that was apart */
    bool has_axis;
} search;

static bool search_by_halving(search *s)
{
    abut_instant at;
    abut_convex_pair pair;
    if (!abut_path_place(&s->pair->path_a, s->lo, &at.at_a) ||
        !abut_path_place(&s->pair->path_b, s->lo, &at.at_b) ||
        !abut_path_rates(&s->pair->path_a, s->lo, s->hi - s->lo, &at.at_a) ||
        !abut_path_rates(&s->pair->path_b, s->lo, s->hi - s->lo, &at.at_b) ||
        !abut_instant_pair(s->pair, &at, &pair))
        return false;
    const abut_vec3 rate = abut_mul_t(&at.at_a.r, abut_sub(at.at_b.v, at.at_a.v));
    const double speed = abut_length(rate);
    double clear = 0, hit = s->hi - s->lo;
    abut_simplex simplex = { .count = 0 };
    double part = hit;
    for (int i = 0; i < MOST_HALVINGS; ++i) {
        /* Re-used points of the simplex must be points of the new sweep: they keep where they
         * come from, and are moved again. */
        const abut_swept_pair swept = { &pair, abut_scale(part, rate), pair.error + 32 * u * part * speed,
                                        ABUT_SWEEP_SWITCHED };
        for (int k = 0; k < simplex.count; ++k) {
            abut_convex_point *p = &simplex.p[k];
            p->w = abut_sub(p->y, p->x);
        }
        abut_vec3 axis;
        uint32_t supports = 0;
        const int sign = compare_swept(&swept, &simplex, &axis, &supports);
        s->counters->evaluations += supports;
        ++s->counters->iterations;
        if (sign > 0) {
            clear = part;
            s->axis = abut_mul(&at.at_a.r, axis);
            s->has_axis = true;
            if (clear >= hit)
                break;
        } else
            hit = part;
        part = 0.5 * clear + 0.5 * hit;
        if (!(part > clear && part < hit) || (hit - clear) * speed < pair.error)
            break;
        if (simplex.count == 4)
            simplex.count = 3;
    }
    return s->has_axis;
}

/* Signed gap at t. */
static double gap_at(search *s, double t)
{
    abut_instant at;
    ++s->counters->iterations;
    if (!abut_instant_make(s->pair, t, s->has_axis ? &s->axis : NULL, true, s->counters, &at))
        return NAN;
    if (at.sign == 1) {
        s->axis = at.n;
        s->has_axis = true;
    }
    return at.gap;
}

/* A time with a gap below zero, by golden sections on the convex gap; false: there is none, as
 * far as can be seen. */
static bool find_inside(search *s, double *inside, double *gap)
{
    static const double part = 0.38196601125010515;
    double a = s->lo, b = s->hi, x = a + part * (b - a), y = b - part * (b - a);
    double gx = gap_at(s, x), gy = gap_at(s, y);
    for (int i = 0; i < MOST_SECTIONS && gx > 0 && gy > 0; ++i) {
        if (gx < gy) {
            b = y;
            y = x;
            gy = gx;
            x = a + part * (b - a);
            gx = gap_at(s, x);
        } else {
            a = x;
            x = y;
            gx = gy;
            y = b - part * (b - a);
            gy = gap_at(s, y);
        }
    }
    *inside = gx <= gy ? x : y;
    *gap = gx <= gy ? gx : gy;
    return *gap <= 0;
}

static bool search_by_brent(search *s)
{
    double b, fb, a = s->lo, fa = gap_at(s, a);
    const double end = gap_at(s, s->hi);
    if (end <= 0) {
        b = s->hi;
        fb = end;
    } else if (!find_inside(s, &b, &fb))
        return s->has_axis;
    if (!(fa > 0))
        return false;
    /* a, b: the bracket, b the better end; c: the end before. */
    double c = a, fc = fa, d = b - a, e = d;
    for (int i = 0; i < MOST_ROOT_STEPS && fb != 0; ++i) {
        if ((fb > 0) == (fc > 0)) {
            c = a;
            fc = fa;
            d = e = b - a;
        }
        if (fabs(fc) < fabs(fb)) {
            a = b;
            b = c;
            c = a;
            fa = fb;
            fb = fc;
            fc = fa;
        }
        const double least = 2 * u * fabs(b), half = 0.5 * (c - b);
        if (fabs(half) <= least)
            break;
        if (fabs(e) >= least && fabs(fa) > fabs(fb)) {
            const double r = fb / fa;
            double p, q;
            if (a == c) {
                p = 2 * half * r;
                q = 1 - r;
            } else {
                const double v = fa / fc, w = fb / fc;
                p = r * (2 * half * v * (v - w) - (b - a) * (w - 1));
                q = (v - 1) * (w - 1) * (r - 1);
            }
            if (p > 0)
                q = -q;
            p = fabs(p);
            if (2 * p < fmin(3 * half * q - fabs(least * q), fabs(e * q))) {
                e = d;
                d = p / q;
            } else
                d = e = half;
        } else
            d = e = half;
        a = b;
        fa = fb;
        b += fabs(d) > least ? d : half > 0 ? least : -least;
        fb = gap_at(s, b);
        if (isnan(fb))
            return false;
    }
    return s->has_axis;
}

bool abut_sweep_search(const abut_scene_pair *pair, abut_first_method method, double lo, double hi,
                       abut_counters *counters, abut_vec3 *n)
{
    search s = { .pair = pair, .lo = lo, .hi = hi, .counters = counters };
    const bool found = method == ABUT_METHOD_HALVING ? search_by_halving(&s) : search_by_brent(&s);
    *n = s.axis;
    return found;
}
