/* SPDX-License-Identifier: MIT */
/* Two ellipsoids on motions that run independently: a where its motion has it at s, b at t (Choi et
 * al., end of section 4).
 *
 * Let m(s, t) be the greatest value of F(u, s, t) over u: positive where they are apart, negative
 * where interiors meet. The range of s is split from left to right. A cell S of it is SEPARATE when
 * m > 0 on all of S x T, PENETRATING when m < 0 there, TOUCHING when m > 0 at one t and m < 0 at
 * another for all s in S; all three are proved on boxes, by F in the middle and both its
 * derivatives over the box. What is left when S is as narrow as was asked for encloses an end of
 * such intervals: there some t has m = 0 and either dm/dt = 0, an extreme point of the curve of
 * touching, F = F_u = F_t = 0, or t is an end of its range.
 *
 * An extreme point is unique in a box on which F_s keeps its sign and the map (u, t) -> (F_u, F_t)
 * is one-to-one, because every matrix with entries in the ranges of the second derivatives is
 * regular: for each s there is then one critical point of F in (u, t) at most, and F rises or falls
 * along these. F_tt comes from the Bernstein form of F in u and t, a being held in its enclosure
 * over S. At an end of t it is enough that F_t and F_s keep their signs.
 *
 * The same with a and b exchanged gives the intervals of t. */
#include "abut/ellipsoid.h"

#include "base/options.h"
#include "ccd/ellipsoid/ellipsoid_poly.h"
#include "ccd/ellipsoid/ellipsoid_singular.h"
#include "math/nearest.h"

enum { DEPTH = 64, T_DEPTH = 40, SAMPLES = 8 };

typedef enum box_kind { BOX_UNKNOWN, BOX_APART, BOX_DEEP } box_kind;

/* One pass: intervals of the time of body 0 of e. */
typedef struct pass {
    const abut_ellipsoids *e;
    bool exchanged;
    bool still; /* body 1 is at rest: one t is as good as another */
    abut_interval s, t;
    double accuracy;
    uint64_t max_iterations;
    abut_counters *counters;
    abut_progress_fn progress;
    void *progress_ctx;
    /* results */
    abut_cover_interval *intervals;
    size_t capacity, count;
    abut_extreme_point *extremes;
    size_t extreme_capacity, extreme_count;
    bool doubtful, over_budget;
    /* the walk */
    abut_ellipsoid_jet a, va, a_mid; /* body 0 over the cell and in its middle */
    ia s_off;
    double apart_t, deep_t; /* where they were seen last: hints */
    /* what has been gathered of the interval that is open */
    abut_cover cover;
    abut_interval from;
    bool open;
    double unknown_from;
    bool unknown;
} pass;

/* ---- boxes ---- */

/* F over S x t. */
static int evaluate(pass *p, ia t, ia *cap)
{
    abut_ellipsoid_jet b, vb, b_mid;
    abut_quartic_terms f = { .count = ia_lo(t) == ia_hi(t) ? 1 : 2 };
    const double mid = ia_mid(t);
    f.off[0] = p->s_off;
    f.off[1] = ia_sub(t, ia_point(mid));
    ++p->counters->evaluations;
    abut_ellipsoid_over(p->e, 1, t, &b, f.count == 1 ? NULL : &vb);
    if (f.count == 1)
        b_mid = b;
    else
        abut_ellipsoid_over(p->e, 1, ia_point(mid), &b_mid, NULL);
    abut_ellipsoids_form(p->e, &p->a_mid, &b_mid, &f.centre);
    abut_ellipsoids_form_slope(p->e, &p->a, &b, &p->va, NULL, &f.slope[0]);
    if (f.count == 2)
        abut_ellipsoids_form_slope(p->e, &p->a, &b, NULL, &vb, &f.slope[1]);
    return abut_quartic_decide(&f, cap);
}

static box_kind judge(pass *p, ia t)
{
    ia ignored;
    const int sign = evaluate(p, t, &ignored);
    return sign > 0 ? BOX_APART : sign < 0 ? BOX_DEEP : BOX_UNKNOWN;
}

static void set_cell(pass *p, ia s)
{
    const double mid = ia_mid(s);
    p->s_off = ia_sub(s, ia_point(mid));
    abut_ellipsoid_over(p->e, 0, s, &p->a, &p->va);
    abut_ellipsoid_over(p->e, 0, ia_point(mid), &p->a_mid, NULL);
}

/* ---- cells of s ---- */

/* The greatest value of F over u in the middle of the cell, at t, times sign: to steer. */
static double level(pass *p, double t, double sign)
{
    abut_ellipsoid_jet b;
    abut_quartic f;
    ++p->counters->evaluations;
    abut_ellipsoid_over(p->e, 1, ia_point(t), &b, NULL);
    abut_ellipsoids_form(p->e, &p->a_mid, &b, &f);
    return sign * ia_mid(abut_quartic_at(&f, ia_point(abut_quartic_peak(&f))));
}

static double clamp(const pass *p, double t)
{
    return fmin(fmax(t, p->t.lo), p->t.hi);
}

/* A time at which sign times that is as great as can be: the best of samples and of a hint, then
 * golden sections around it, until it has the sign that is wanted by far, or the place is known
 * well enough. */
static double search(pass *p, double hint, double sign)
{
    const double range = p->t.hi - p->t.lo, golden = 0.3819660112501051;
    double best = hint, most = level(p, hint, sign), step = range / SAMPLES;
    for (int i = 0; i <= SAMPLES; ++i) {
        const double t = clamp(p, p->t.lo + range * i / SAMPLES), x = level(p, t, sign);
        if (x > most) {
            most = x;
            best = t;
        }
    }
    double lo = clamp(p, best - step), hi = clamp(p, best + step);
    for (int i = 0; i < 48 && hi - lo > 1e-9 * range; ++i) {
        const double t = best - lo > hi - best ? best - golden * (best - lo) : best + golden * (hi - best);
        const double x = level(p, t, sign);
        if (x > most) {
            *(t < best ? &hi : &lo) = best;
            most = x;
            best = t;
        } else
            *(t < best ? &lo : &hi) = t;
    }
    return best;
}

/* Both kinds at single times. */
static bool is_touching(pass *p)
{
    const double at_apart = p->apart_t, at_deep = p->deep_t;
    if (judge(p, ia_point(at_apart)) != BOX_APART) {
        const double t = search(p, at_apart, 1);
        if (judge(p, ia_point(t)) != BOX_APART)
            return false;
        p->apart_t = t;
    }
    if (judge(p, ia_point(at_deep)) == BOX_DEEP)
        return true;
    const double t = search(p, at_deep, -1);
    p->deep_t = t;
    return judge(p, ia_point(t)) == BOX_DEEP;
}

/* The whole range of t has one kind over the cell; otherwise the hull of times that stay unknown
 * goes to *left, as far as splitting to `least` shows it. */
static abut_cover cover_all(pass *p, double least, bool whole_hull, ia *left)
{
    double ends[T_DEPTH] = { p->t.hi }, at = p->t.lo;
    int depth = 1;
    bool apart = false, deep = false;
    *left = ia_empty();
    if (p->still) {
        const box_kind kind = judge(p, ia_point(p->t.lo));
        ++p->counters->iterations;
        *left = kind == BOX_UNKNOWN ? ia_make(p->t.lo, p->t.hi) : *left;
        return kind == BOX_UNKNOWN ? ABUT_COVER_UNKNOWN
               : kind == BOX_APART ? ABUT_COVER_SEPARATE
                                   : ABUT_COVER_PENETRATING;
    }
    while (depth > 0) {
        const double end = ends[depth - 1], mid = 0.5 * at + 0.5 * end;
        ++p->counters->iterations;
        const box_kind kind = judge(p, ia_make(at, end));
        if (kind == BOX_UNKNOWN && end - at > least && depth < T_DEPTH && mid > at && mid < end) {
            ends[depth++] = mid;
            continue;
        }
        apart = apart || kind == BOX_APART;
        deep = deep || kind == BOX_DEEP;
        if (apart && deep)
            return ABUT_COVER_TOUCHING;
        if (kind == BOX_UNKNOWN) {
            *left = ia_is_empty(*left) ? ia_make(at, end) : ia_hull(*left, ia_make(at, end));
            if (!whole_hull)
                return ABUT_COVER_UNKNOWN;
        }
        at = end;
        --depth;
    }
    return !ia_is_empty(*left) ? ABUT_COVER_UNKNOWN : apart ? ABUT_COVER_SEPARATE : ABUT_COVER_PENETRATING;
}

/* ---- extreme points ---- */

/* w of the balanced F back to u: u : 1 - u = balance w : 1 - w. */
static double unbalance(double balance, double w, bool up)
{
    const ia x = ia_mul(ia_point(balance), ia_point(w));
    const ia u = ia_div(x, ia_add(x, ia_sub(ia_point(1), ia_point(w))));
    return up ? fmin(ia_hi(u), 1) : fmax(ia_lo(u), 0);
}

/* The derivative by u: a polynomial of degree 3, written with degree 4. */
static abut_quartic by_u(const abut_quartic *f)
{
    abut_quartic out;
    ia d[4];
    for (int j = 0; j < 4; ++j)
        d[j] = ia_scale(4, ia_sub(f->c[j + 1], f->c[j]));
    out.c[0] = d[0];
    out.c[4] = d[3];
    for (int j = 1; j < 4; ++j)
        out.c[j] = ia_add(ia_scale(j / 4.0, d[j - 1]), ia_scale((4 - j) / 4.0, d[j]));
    return out;
}

/* The polynomial of u in row i of a patch, with its error; differenced once or twice along the
 * rows, which adds up their errors. */
static abut_quartic row_of(const abut_form_patch *f, int i, int differences)
{
    static const double weight[3][3] = { { 1, 0, 0 }, { -1, 1, 0 }, { 1, -2, 1 } };
    abut_quartic row;
    const double error = ldexp(f->error, differences);
    for (int j = 0; j < 5; ++j) {
        row.c[j] = ia_make(-error, error);
        for (int k = 0; k <= differences; ++k)
            row.c[j] = ia_add(row.c[j], ia_scale(weight[differences][k], ia_point(f->c[i + k][j])));
    }
    return row;
}

/* The range over u and t of a derivative of the patch's polynomial: `in_u` times by u, the
 * others of two by t. */
static ia second_derivative(const abut_form_patch *f, int in_u, double width, ia u)
{
    const int in_t = 2 - in_u, n = f->degree;
    if (n < in_t)
        return ia_point(0);
    ia all = ia_empty();
    for (int i = 0; i + in_t <= n; ++i) {
        abut_quartic row = row_of(f, i, in_t);
        for (int k = 0; k < in_u; ++k)
            row = by_u(&row);
        const ia range = abut_quartic_over(&row, u);
        all = i == 0 ? range : ia_hull(all, range);
    }
    for (int k = 0; k < in_t; ++k)
        all = ia_div(ia_scale(n - k, all), ia_point(width));
    return all;
}

typedef struct question {
    pass *p;
    ia s, t, u;
    const abut_form_patch *patch; /* over t, with a held in its enclosure; NULL: there is none */
    bool at_end;
    bool unique;
} question;

static ABUT_NOINLINE void prove_unique(question *q)
{
    abut_ellipsoid_jet b, vb;
    abut_quartic by_s, by_t;
    pass *p = q->p;
    abut_ellipsoid_over(p->e, 1, q->t, &b, &vb);
    abut_ellipsoids_form_slope(p->e, &p->a, &b, &p->va, NULL, &by_s);
    abut_ellipsoids_form_slope(p->e, &p->a, &b, NULL, &vb, &by_t);
    q->unique = false;
    if (ia_contains_zero(abut_quartic_over(&by_s, q->u)))
        return;
    if (q->at_end) {
        q->unique = !ia_contains_zero(abut_quartic_over(&by_t, q->u));
        return;
    }
    if (!q->patch)
        return;
    /* Of F times a positive function of t, which has the same zeros and, there, the same
     * critical points. */
    const double width = ia_hi(q->t) - ia_lo(q->t);
    const ia uu = second_derivative(q->patch, 2, width, q->u),
             ut = second_derivative(q->patch, 1, width, q->u);
    const ia tt = second_derivative(q->patch, 0, width, q->u);
    q->unique = !ia_contains_zero(ia_sub(ia_mul(uu, tt), ia_mul(ut, ut)));
}

static ABUT_NOINLINE void enclose_u(question *q)
{
    if (evaluate(q->p, q->t, &q->u) != 0)
        q->u = ia_make(0, 1);
}

static ABUT_NOINLINE void place_of(question *q, abut_interval_affine *out)
{
    ia_affine at = { ia33_identity(), { ia_point(0), ia_point(0), ia_point(0) } };
    if (q->p->e->motion[0])
        (void)abut_motion_placement_over(q->p->e->motion[0], q->s, &at);
    *out = ia_affine_to(&at);
}

static ABUT_NOINLINE void to_u(const question *q, abut_interval *out)
{
    const double balance = q->p->e->balance;
    *out = (abut_interval){ unbalance(balance, ia_lo(q->u), false), unbalance(balance, ia_hi(q->u), true) };
}

static double least_of(const pass *p, double lo, double hi)
{
    return 0x1p-5 * sqrt((hi - lo) / (p->s.hi - p->s.lo)) * (p->t.hi - p->t.lo);
}

static ABUT_NOINLINE void find_left(question *q, ia *left)
{
    pass *p = q->p;
    set_cell(p, q->s);
    if (cover_all(p, least_of(p, ia_lo(q->s), ia_hi(q->s)), true, left) != ABUT_COVER_UNKNOWN ||
        ia_is_empty(*left))
        *left = ia_make(p->t.lo, p->t.hi);
}

/* Between two different covers, over all that is unknown there. */
static void add_extreme(pass *p, double lo, double hi)
{
    question q = { .p = p, .s = ia_make(lo, hi) };
    const double reach = p->t.hi - p->t.lo;
    ia left;
    abut_rounding saved = abut_rounding_enter();
    find_left(&q, &left);
    abut_rounding_leave(saved);
    q.t = left;
    abut_extreme_point point = { .s = { lo, hi }, .t = { ia_lo(left), ia_hi(left) } };
    saved = abut_rounding_enter();
    enclose_u(&q);
    to_u(&q, &point.u);
    abut_rounding_leave(saved);
    const ia u = q.u;
    for (double grow = 0; !point.unique && grow <= 0x1p-4; grow = grow > 0 ? 4 * grow : 0x1p-10) {
        q.t = ia_make(fmax(ia_lo(left) - grow * reach, p->t.lo), fmin(ia_hi(left) + grow * reach, p->t.hi));
        q.u = u;
        q.at_end = ia_lo(left) == p->t.lo || ia_hi(left) == p->t.hi;
        abut_interval_affine at;
        abut_form_patch patch;
        abut_ellipsoids held = *p->e;
        saved = abut_rounding_enter();
        place_of(&q, &at);
        abut_rounding_leave(saved);
        held.held[0] = &at;
        q.patch = !q.at_end && abut_ellipsoids_patch(&held, ia_lo(q.t), ia_hi(q.t), &patch) ? &patch : NULL;
        saved = abut_rounding_enter();
        prove_unique(&q);
        abut_rounding_leave(saved);
        point.unique = q.unique;
        if (q.at_end)
            break;
    }
    if (point.unique && q.at_end) { /* F rises or falls with t there: it is the end itself */
        const double end = ia_lo(left) == p->t.lo ? p->t.lo : p->t.hi;
        point.t = (abut_interval){ end, end };
    }
    if (p->exchanged) {
        const abut_interval s = point.s, w = point.u;
        point.s = point.t;
        point.t = s;
        point.u = (abut_interval){ fmax(0, 1 - w.hi - 0x1p-52), fmin(1, 1 - w.lo + 0x1p-52) };
    }
    if (p->extreme_count < p->extreme_capacity)
        p->extremes[p->extreme_count] = point;
    ++p->extreme_count;
}

/* ---- gathering ---- */

static void close_interval(pass *p, abut_interval to)
{
    if (p->count < p->capacity)
        p->intervals[p->count] = (abut_cover_interval){ p->cover, p->from, to };
    ++p->count;
    p->doubtful = p->doubtful || p->cover == ABUT_COVER_UNKNOWN;
    p->open = false;
}

/* Cells adjoin. Unknown ones between two different covers enclose an end, and have an extreme
 * point; between equal ones nothing is proved of them. */
static void add_cell(pass *p, abut_cover cover, double lo, double hi)
{
    if (cover == ABUT_COVER_UNKNOWN) {
        if (!p->unknown)
            p->unknown_from = lo;
        p->unknown = true;
        return;
    }
    const abut_interval gap = { p->unknown ? p->unknown_from : lo, lo };
    const bool narrow = gap.hi - gap.lo <= 8 * p->accuracy;
    if (p->open && p->cover == cover && !p->unknown)
        return; /* goes on */
    if (p->open && p->cover != cover && narrow) {
        close_interval(p, gap);
        p->from = gap;
        if (p->unknown)
            add_extreme(p, gap.lo, gap.hi);
    } else {
        if (p->open)
            close_interval(p, (abut_interval){ gap.lo, gap.lo });
        if (p->unknown) {
            p->cover = ABUT_COVER_UNKNOWN;
            p->from = (abut_interval){ gap.lo, gap.lo };
            close_interval(p, (abut_interval){ gap.hi, gap.hi });
        }
        p->from = (abut_interval){ gap.hi, gap.hi };
    }
    p->cover = cover;
    p->open = true;
    p->unknown = false;
    (void)hi;
}

static void end_cells(pass *p)
{
    if (p->unknown) {
        if (p->open)
            close_interval(p, (abut_interval){ p->unknown_from, p->unknown_from });
        p->cover = ABUT_COVER_UNKNOWN;
        p->from = (abut_interval){ p->unknown_from, p->unknown_from };
        close_interval(p, (abut_interval){ p->s.hi, p->s.hi });
    } else if (p->open)
        close_interval(p, (abut_interval){ p->s.hi, p->s.hi });
}

/* ---- the walk ---- */

typedef struct cell {
    pass *p;
    double lo, hi;
    abut_cover cover;
} cell;

static ABUT_NOINLINE void decide(cell *c)
{
    pass *p = c->p;
    set_cell(p, ia_make(c->lo, c->hi));
    ia left;
    c->cover = ABUT_COVER_TOUCHING;
    if (!p->still && is_touching(p))
        return;
    /* Where F grows with s - s0 and (t - t0)^2, a cell of s of width w leaves unknown what is
     * within its root of t0. */
    c->cover = cover_all(p, least_of(p, c->lo, c->hi), false, &left);
}

static abut_status run(pass *p)
{
    double ends[DEPTH] = { p->s.hi }, at = p->s.lo;
    int depth = 1;
    p->apart_t = p->t.lo;
    p->deep_t = p->t.hi;
    while (depth > 0) {
        cell c = { .p = p, .lo = at, .hi = ends[depth - 1] };
        const double mid = 0.5 * c.lo + 0.5 * c.hi;
        const bool budget = p->counters->iterations < p->max_iterations;
        const bool last = c.hi - c.lo <= p->accuracy || depth == DEPTH || !(mid > c.lo && mid < c.hi);
        p->over_budget = p->over_budget || !budget;
        c.cover = ABUT_COVER_UNKNOWN;
        if (budget) {
            const abut_rounding saved = abut_rounding_enter();
            decide(&c);
            abut_rounding_leave(saved);
        }
        if (p->progress && !p->progress(p->progress_ctx, (c.lo - p->s.lo) / (p->s.hi - p->s.lo)))
            return ABUT_ERR_CANCELLED;
        if (c.cover == ABUT_COVER_UNKNOWN && !last && budget) {
            ends[depth++] = mid;
            continue;
        }
        add_cell(p, c.cover, c.lo, c.hi);
        at = c.hi;
        --depth;
    }
    end_cells(p);
    return ABUT_OK;
}

/* ---- the query ---- */

const char *abut_cover_name(abut_cover cover)
{
    static const char *const names[] = { "unknown", "separate", "penetrating", "touching" };
    return cover >= 0 && cover <= ABUT_COVER_TOUCHING ? names[cover] : "unknown";
}

void abut_independent_opts_init(abut_independent_opts *opts)
{
    if (opts)
        *opts = (abut_independent_opts){ .struct_size = sizeof *opts, .s = { NAN, NAN }, .t = { NAN, NAN } };
}

/* The range asked for, or that of the motion; [0, 1] for one that lasts for ever. */
static bool find_range(const abut_motion *motion, abut_interval wanted, abut_interval *out)
{
    *out = wanted;
    if (isnan(wanted.lo) && isnan(wanted.hi)) {
        *out = motion ? abut_motion_get_range(motion) : (abut_interval){ 0, 1 };
        if (isinf(out->lo) && isinf(out->hi))
            *out = (abut_interval){ 0, 1 };
    }
    return out->lo < out->hi && !isinf(out->lo) && !isinf(out->hi);
}

static bool is_still(const abut_motion *motion)
{
    return !motion || abut_motion_get_type(motion) == ABUT_MOTION_STATIC;
}

static bool is_singular(const abut_motion *motion, abut_interval range)
{
    abut_interval at;
    return motion && !abut_motion_is_rigid(motion) && abut_ellipsoid_singular_within(motion, range, &at);
}

abut_status abut_independent_contact(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                     const abut_motion *motion_b, const abut_independent_opts *opts,
                                     abut_workspace *ws, abut_cover_interval *s_intervals, size_t s_capacity,
                                     abut_cover_interval *t_intervals, size_t t_capacity,
                                     abut_extreme_point *extremes_s, size_t extremes_s_capacity,
                                     abut_extreme_point *extremes_t, size_t extremes_t_capacity,
                                     abut_independent_result *out)
{
    (void)ws;
    abut_independent_opts known;
    abut_independent_opts_init(&known);
    abut_interval s, t;
    if (!a || !b || !out || !abut_options_read(&known, sizeof known, opts) ||
        (s_capacity > 0 && !s_intervals) || (t_capacity > 0 && !t_intervals) ||
        (extremes_s_capacity > 0 && !extremes_s) || (extremes_t_capacity > 0 && !extremes_t) ||
        !find_range(motion_a, known.s, &s) || !find_range(motion_b, known.t, &t) || !(known.accuracy >= 0))
        return ABUT_ERR_ARGUMENT;
    *out = (abut_independent_result){ .proof = ABUT_PROOF_NONE };
    if (!abut_is_ellipsoid(a) || !abut_is_ellipsoid(b))
        return ABUT_ERR_UNSUPPORTED;
    const abut_nearest saved = abut_nearest_enter();
    abut_ellipsoids e[2];
    abut_status status = abut_ellipsoids_prepare(a, motion_a, s, b, motion_b, t, &e[0]);
    if (!status)
        status = abut_ellipsoids_prepare(b, motion_b, t, a, motion_a, s, &e[1]);
    if (!status && (is_singular(motion_a, s) || is_singular(motion_b, t)))
        status = ABUT_ERR_VALUE;
    bool doubtful = false, over_budget = false;
    for (int i = 0; i < 2 && !status; ++i) {
        abut_counters counters = { 0 };
        const abut_interval own = i ? t : s;
        pass p = { .e = &e[i],
                   .exchanged = i == 1,
                   .still = is_still(i ? motion_a : motion_b),
                   .s = own,
                   .t = i ? s : t,
                   .accuracy = known.accuracy > 0 ? known.accuracy : 1e-9 * (own.hi - own.lo),
                   .max_iterations = known.max_iterations ? known.max_iterations : 1000000,
                   .counters = &counters,
                   .progress = known.progress,
                   .progress_ctx = known.progress_ctx,
                   .intervals = i ? t_intervals : s_intervals,
                   .capacity = i ? t_capacity : s_capacity,
                   .extremes = i ? extremes_t : extremes_s,
                   .extreme_capacity = i ? extremes_t_capacity : extremes_s_capacity };
        status = run(&p);
        *(i ? &out->t_count : &out->s_count) = p.count;
        *(i ? &out->t_extremes : &out->s_extremes) = p.extreme_count;
        out->counters.iterations += counters.iterations;
        out->counters.evaluations += counters.evaluations;
        doubtful = doubtful || p.doubtful;
        over_budget = over_budget || p.over_budget;
    }
    out->proof = doubtful ? ABUT_PROOF_TOLERANCE : ABUT_PROOF_INTERVAL;
    out->stop = over_budget ? ABUT_STOP_BUDGET : doubtful ? ABUT_STOP_TOLERANCE : ABUT_STOP_DONE;
    abut_nearest_leave(saved);
    if (status)
        *out = (abut_independent_result){ .proof = ABUT_PROOF_NONE };
    return status;
}
