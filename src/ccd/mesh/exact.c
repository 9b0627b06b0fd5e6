/* SPDX-License-Identifier: MIT */
/* The exact decision about a vertex and a face, or two edges, whose corners move linearly.
 *
 * Method. Four points are on a common plane where p = det(r1, r2, r3) vanishes. If p is not the
 * zero polynomial, contact is possible at its roots only, at most three instants. If it is, the
 * corners stay in one plane, and contact begins and ends at roots of the quadratics (or, where
 * these are zero as well, linear polynomials) that say which side of a line a corner is on. Either
 * way there is a short list of times, each an algebraic number of degree at most 3, and at each of
 * them contact is decided by exact signs (algebraic.h).
 *
 * Contact at one time, given that the corners are in one plane: the features meet if their
 * projections along each of the three axes do. (If the plane's normal has a component along an
 * axis, projecting along it maps the plane one to one, and that projection alone decides. If the
 * plane has no normal, because face or edges are collinear or parallel, two features on parallel
 * lines meet in space if all three projections do: the projections fix the line, and the coordinate
 * that varies along it fixes the place.) In a projection with components c12, c13, c23 of the cross
 * products:
 *     vertex-face: the normal is n = c12 + c23 - c13; inside means that none of c12, c23, -c13 has
 *       the sign opposite to n's.
 *     edge-edge: n = c13 - c12; the lines cross inside both edges where c12 c13 <= 0 and c23 (c23 -
 *       n) <= 0.
 *     n = 0: all of them must be zero, and the features must overlap in each coordinate.
 *
 * Each axis has its own power of two: all polynomials are products with at most one factor from
 * each axis, so signs do not change. */
#include "ccd/mesh/algebraic.h"
#include "ccd/mesh/impact.h"

#include "base/memory.h"
#include "math/bigint.h"

#include <math.h>
#include <string.h>

typedef abut_alg_number number;
typedef abut_alg_polynomial polynomial;

enum {
    SLOTS = 256,     /* of numbers; counted below 200 in the worst case */
    SMALL_SLOT = 24, /* limbs of a number that fit on the stack */
    /* 26 000 halvings: more than root separation bounds ask for at 2 100 bits a coordinate */
    LARGE_SLOT = 1400,
    MAX_TIMES = 20
};

enum { C12, C13, C23, NORMAL, OPPOSITE, KINDS };

typedef struct work {
    abut_alg a;
    bool edges;
    polynomial r[4][3];             /* linear; r[0] is zero */
    polynomial quadratic[KINDS][3]; /* by kind and axis */
    bool known[KINDS][3];
    polynomial difference[2][3]; /* edges: r2 - r1, r3 - r1 */
    bool has_differences;
    polynomial cubic;
} work;

/* ---- polynomials ---- */

static polynomial new_polynomial(abut_alg *a, int degree)
{
    polynomial f = { .degree = degree };
    for (int i = 0; i <= degree; ++i)
        f.c[i] = abut_alg_new(a);
    return f;
}

static double coordinate(const abut_vec3 *p, int axis)
{
    return axis == 0 ? p->x : axis == 1 ? p->y : p->z;
}

/* Exponents of the lowest and highest bit of all numbers that were examined. */
typedef struct span {
    int lowest, highest;
} span;

static const span no_span = { INT32_MAX, INT32_MIN };

static void widen(span *s, double x)
{
    int64_t m;
    int own;
    if (x == 0)
        return;
    abut_z_split_double(x, &m, &own);
    s->lowest = own < s->lowest ? own : s->lowest;
    own = ilogb(x);
    s->highest = own > s->highest ? own : s->highest;
}

static int bits_of(span s)
{
    return s.lowest == INT32_MAX ? 1 : s.highest - s.lowest + 2;
}

enum { WEIGHTS = 3 }; /* behind the axes */

/* The exponent of the lowest bit on each axis, and of weights; returns the bits of the longest
 * difference. */
static int exponents(const abut_impact_query *q, int e[4])
{
    const abut_impact_wide *wide = q->wide;
    span weights = no_span;
    int longest = 1, more = 0;
    for (int k = 0; k < 3; ++k) {
        span s = no_span;
        for (int i = 0; i < 4; ++i)
            for (int when = 0; when < 2; ++when) {
                if (!wide) {
                    widen(&s, coordinate(when ? &q->end[i] : &q->start[i], k));
                    continue;
                }
                widen(&s, coordinate(wide->p[i][when], k));
                widen(&s, coordinate(&wide->body[i]->shift[when], k));
            }
        e[k] = s.lowest == INT32_MAX ? 0 : s.lowest;
        longest = bits_of(s) > longest ? bits_of(s) : longest;
    }
    for (int i = 0; wide && i < 4; ++i)
        for (int j = 0; j < 2; ++j) {
            widen(&weights, wide->body[i]->divisor[j]);
            for (int when = 0; when < 2; ++when)
                for (int of = 0; of < 2; ++of)
                    widen(&weights, wide->body[i]->weight[when][of][j]);
        }
    if (wide) {
        e[WEIGHTS] = weights.lowest == INT32_MAX ? 0 : weights.lowest;
        more = 2 * bits_of(weights) + 4;
    }
    return longest + more;
}

static number sum_of(abut_alg *a, double x, double y, int e)
{
    number r = abut_alg_new(a), s = abut_alg_new(a);
    abut_alg_set_double(a, &r, x, e);
    abut_alg_set_double(a, &s, y, e);
    abut_alg_add(a, &r, &r, &s);
    return r;
}

/* A coordinate of a corner, in units of 2^e[axis]; of a wide one in smaller units still, which are
 * the same for all corners: times the divisors of both bodies. */
static void set_coordinate(abut_alg *a, const abut_impact_query *q, int corner, int when, int k,
                           const int e[4], number *out)
{
    const abut_impact_wide *wide = q->wide;
    if (!wide) {
        abut_alg_set_double(a, out, coordinate(when ? &q->end[corner] : &q->start[corner], k), e[k]);
        return;
    }
    const int before = a->used;
    const abut_impact_body *body = wide->body[corner], *other = body;
    for (int i = 0; i < 4; ++i)
        other = wide->body[i] != body ? wide->body[i] : other;
    number sum = abut_alg_new(a);
    for (int of = 0; of < 2; ++of) {
        const double *w = body->weight[when][of];
        const number weight = sum_of(a, w[0], w[1], e[WEIGHTS]);
        const number at =
            sum_of(a, coordinate(wide->p[corner][of], k), coordinate(&body->shift[of], k), e[k]);
        abut_alg_add_product(a, &sum, &weight, &at);
    }
    const number divisor = sum_of(a, other->divisor[0], other->divisor[1], e[WEIGHTS]);
    abut_alg_mul(a, out, &sum, &divisor);
    a->used = before;
}

static void positions(work *w, const abut_impact_query *q, const int e[4])
{
    abut_alg *a = &w->a;
    for (int k = 0; k < 3; ++k) {
        number origin[2] = { abut_alg_new(a), abut_alg_new(a) };
        for (int i = 0; i < 4; ++i)
            for (int when = 0; when < 2; ++when) {
                if (i == 0) {
                    set_coordinate(a, q, i, when, k, e, &origin[when]);
                    continue;
                }
                if (when == 0)
                    w->r[i][k] = new_polynomial(a, 1);
                number *const c = &w->r[i][k].c[when];
                set_coordinate(a, q, i, when, k, e, c);
                abut_alg_sub(a, c, c, &origin[when]);
            }
    }
}

/* f += or -= x y */
static void accumulate(abut_alg *a, polynomial *f, const polynomial *x, const polynomial *y, bool minus)
{
    for (int i = 0; i <= x->degree; ++i)
        for (int j = 0; j <= y->degree; ++j) {
            if (minus)
                abut_alg_sub_product(a, &f->c[i + j], &x->c[i], &y->c[j]);
            else
                abut_alg_add_product(a, &f->c[i + j], &x->c[i], &y->c[j]);
        }
}

static const polynomial *quadratic(work *w, int kind, int axis)
{
    polynomial *const f = &w->quadratic[kind][axis];
    if (w->known[kind][axis])
        return f;
    w->known[kind][axis] = true;
    abut_alg *a = &w->a;
    if (kind <= C23) {
        const int i = kind == C23 ? 2 : 1, j = kind == C12 ? 2 : 3, u = (axis + 1) % 3, v = (axis + 2) % 3;
        *f = new_polynomial(a, 2);
        accumulate(a, f, &w->r[i][u], &w->r[j][v], false);
        accumulate(a, f, &w->r[i][v], &w->r[j][u], true);
        return f;
    }
    const polynomial *c12 = quadratic(w, C12, axis), *c13 = quadratic(w, C13, axis),
                     *c23 = quadratic(w, C23, axis);
    *f = new_polynomial(a, 2);
    for (int i = 0; i <= 2; ++i) {
        if (kind == OPPOSITE) { /* c23 - n of edges */
            abut_alg_add(a, &f->c[i], &c23->c[i], &c12->c[i]);
            abut_alg_sub(a, &f->c[i], &f->c[i], &c13->c[i]);
        } else if (w->edges) {
            abut_alg_sub(a, &f->c[i], &c13->c[i], &c12->c[i]);
        } else {
            abut_alg_add(a, &f->c[i], &c12->c[i], &c23->c[i]);
            abut_alg_sub(a, &f->c[i], &f->c[i], &c13->c[i]);
        }
    }
    return f;
}

static void make_cubic(work *w)
{
    w->cubic = new_polynomial(&w->a, 3);
    for (int k = 0; k < 3; ++k)
        accumulate(&w->a, &w->cubic, &w->r[1][k], quadratic(w, C23, k), false);
}

/* The quantities whose sign says on which side of a line a corner is. */
static const polynomial *side(work *w, int index, int axis)
{
    static const int kinds[4] = { C12, C13, C23, OPPOSITE };
    return quadratic(w, kinds[index], axis);
}

static int side_count(const work *w)
{
    return w->edges ? 4 : 3;
}

/* Differences of coordinates along an axis whose signs tell whether the features overlap there:
 * r1, r2, r3 of a vertex and a face, and of edges those between their ends. */
static const polynomial *extent(work *w, int index, int axis)
{
    if (!w->edges)
        return &w->r[index + 1][axis];
    if (index < 2)
        return &w->r[index + 2][axis];
    if (!w->has_differences) {
        w->has_differences = true;
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < 2; ++j) {
                polynomial *d = &w->difference[j][k];
                *d = new_polynomial(&w->a, 1);
                for (int i = 0; i < 2; ++i)
                    abut_alg_sub(&w->a, &d->c[i], &w->r[j + 2][k].c[i], &w->r[1][k].c[i]);
            }
    }
    return &w->difference[index - 2][axis];
}

/* ---- contact at one time ---- */

/* In the projection along an axis along which the plane's normal has the sign n. */
static bool inside(work *w, int axis, int n, abut_alg_root *root)
{
    abut_alg *a = &w->a;
    if (w->edges) {
        const int first = abut_alg_sign(a, side(w, C12, axis), root);
        if (first != 0 && first == abut_alg_sign(a, side(w, C13, axis), root))
            return false;
        const int second = abut_alg_sign(a, side(w, C23, axis), root);
        return second == 0 || second != abut_alg_sign(a, quadratic(w, OPPOSITE, axis), root);
    }
    return abut_alg_sign(a, side(w, C12, axis), root) != -n &&
           abut_alg_sign(a, side(w, C23, axis), root) != -n &&
           abut_alg_sign(a, side(w, C13, axis), root) != n;
}

/* A size of the normal along each axis, to try the largest first: zero is decided at some cost. */
static void order_axes(work *w, const abut_alg_root *root, int order[3])
{
    double size[3];
    const double t = 0.5 * (root->lo + root->hi), s = 1 - t;
    for (int k = 0; k < 3; ++k) {
        double c[4];
        const polynomial *n = quadratic(w, NORMAL, k);
        abut_alg_round(n, c);
        double all = fabs(c[0]) + fabs(c[1]) + fabs(c[2]);
        size[k] = all > 0 ? fabs(c[0] * s * s + c[1] * s * t + c[2] * t * t) / all : -1;
        order[k] = k;
    }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2 - i; ++j)
            if (size[order[j]] < size[order[j + 1]]) {
                const int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
}

static bool contact_at(work *w, abut_alg_root *root)
{
    abut_alg *a = &w->a;
    int order[3];
    order_axes(w, root, order);
    for (int i = 0; i < 3; ++i) {
        const int n = abut_alg_sign(a, quadratic(w, NORMAL, order[i]), root);
        if (n != 0)
            return inside(w, order[i], n, root);
    }
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < side_count(w); ++i)
            if (abut_alg_sign(a, side(w, i, k), root) != 0)
                return false;
    for (int k = 0; k < 3; ++k) {
        bool above = true, below = true;
        for (int i = 0; i < side_count(w); ++i) {
            const int sign = abut_alg_sign(a, extent(w, i, k), root);
            above = above && sign > 0;
            below = below && sign < 0;
        }
        if (above || below)
            return false;
    }
    return true;
}

/* ---- times ---- */

typedef struct times {
    int count;
    abut_alg_root root[MAX_TIMES];
} times;

static void add_roots(work *w, const polynomial *f, times *t)
{
    if (!abut_alg_is_zero(f) && t->count + 3 <= MAX_TIMES)
        t->count = abut_alg_roots(&w->a, f, t->root, t->count);
}

/* Roots between which contact of features in one plane does not change. */
static void planar_times(work *w, times *t)
{
    for (int k = 0; k < 3; ++k)
        if (!abut_alg_is_zero(quadratic(w, NORMAL, k))) {
            add_roots(w, quadratic(w, NORMAL, k), t);
            for (int i = 0; i < side_count(w); ++i)
                add_roots(w, side(w, i, k), t);
            return;
        }
    for (int k = 0; k < 3; ++k) /* no normal at any time: on one line, or no contact */
        for (int i = 0; i < side_count(w); ++i)
            if (!abut_alg_is_zero(side(w, i, k))) {
                add_roots(w, side(w, i, k), t);
                return;
            }
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < side_count(w); ++i)
            add_roots(w, extent(w, i, k), t);
}

static void drop_after(work *w, double t_max, times *t)
{
    if (t_max == 1)
        return;
    abut_alg_root end;
    abut_alg_time(&w->a, t_max, &end);
    int kept = 0;
    for (int i = 0; i < t->count; ++i) {
        abut_alg_root *const root = &t->root[i];
        bool after = root->lo > t_max;
        if (!after && root->hi > t_max)
            after = end.place == ABUT_ALG_START || abut_alg_sign(&w->a, &end.f, root) > 0;
        if (!after)
            t->root[kept++] = *root;
    }
    t->count = kept;
}

static void sort_times(times *t)
{
    for (int i = 1; i < t->count; ++i)
        for (int j = i; j > 0 && t->root[j].lo < t->root[j - 1].lo; --j) {
            const abut_alg_root swap = t->root[j];
            t->root[j] = t->root[j - 1];
            t->root[j - 1] = swap;
        }
}

/* All times at which contact may begin or end, up to t_max, ascending by the lower ends of their
 * enclosures. */
static void gather(work *w, double t_max, bool planar, times *t)
{
    abut_alg *a = &w->a;
    t->count = 0;
    if (planar)
        planar_times(w, t);
    else
        add_roots(w, &w->cubic, t);
    drop_after(w, t_max, t);
    if (planar || w->cubic.c[0].n == 0)
        abut_alg_time(a, 0, &t->root[t->count++]);
    if (planar ? t_max > 0 : t_max == 1 && w->cubic.c[3].n == 0)
        abut_alg_time(a, t_max, &t->root[t->count++]);
    sort_times(t);
}

static void first_contact(work *w, times *t, abut_impact_result *out)
{
    bool found = false;
    for (int i = 0; i < t->count; ++i) {
        abut_alg_root *const root = &t->root[i];
        if (found && root->lo >= out->time.hi)
            break;
        ++out->counters.iterations;
        if (!contact_at(w, root))
            continue;
        /* Two times that doubles cannot tell apart: the first of them is not above either end. */
        if (!found)
            out->time = (abut_interval){ root->lo, root->hi };
        else if (root->hi < out->time.hi)
            out->time.hi = root->hi;
        found = true;
    }
    out->verdict = found ? ABUT_FIRST_CONTACT : ABUT_FIRST_SEPARATE;
}

static void add_interval(const abut_impact_opts *opts, abut_contact_interval stretch, abut_impact_result *out)
{
    if (out->interval_count < opts->interval_capacity)
        opts->intervals[out->interval_count] = stretch;
    ++out->interval_count;
}

/* A double between the times up to `reach`, which is one of them where `exact`, and the next
 * one. A time that is no double is strictly inside its enclosure. */
static bool gap_before(const abut_alg_root *next, double reach, bool exact, double *t)
{
    const bool next_exact = next->lo == next->hi;
    *t = 0.5 * (reach + next->lo);
    if (*t > reach && *t < next->lo)
        return true;
    *t = exact ? next->lo : reach;
    return exact ? next->lo > reach && !next_exact : next->lo > reach || (next->lo == reach && !next_exact);
}

/* Stretches of contact. Times whose enclosures leave no double between them are taken as one. */
static void all_contacts(work *w, times *t, bool planar, const abut_impact_opts *opts,
                         abut_impact_result *out)
{
    /* All polynomials first, so that the numbers of times in between can be given back. */
    for (int k = 0; k < 3; ++k) {
        for (int kind = 0; kind < KINDS; ++kind)
            quadratic(w, kind, k);
        extent(w, side_count(w) - 1, k);
    }
    bool open = false;
    abut_contact_interval stretch = { { 0, 0 }, { 0, 0 } };
    for (int i = 0; i < t->count;) {
        double reach = 0, gap = 0;
        /* is a root at `reach`; is the next one not yet past a gap */
        bool exact = false, more = true;
        /* of the times in contact in this group */
        abut_interval first = { 2, 2 }, last = { -1, -1 };
        for (; i < t->count && more; ++i) {
            abut_alg_root *const root = &t->root[i];
            if (root->hi >= reach) {
                exact = root->lo == root->hi || (exact && root->hi == reach);
                reach = root->hi;
            }
            if (contact_at(w, root)) {
                first = (abut_interval){ fmin(first.lo, root->lo), fmin(first.hi, root->hi) };
                last = (abut_interval){ fmax(last.lo, root->lo), fmax(last.hi, root->hi) };
            }
            more = i + 1 < t->count && !gap_before(&t->root[i + 1], reach, exact, &gap);
        }
        if (last.lo < 0)
            continue;
        if (!open)
            stretch.enter = first;
        open = false;
        if (planar && i < t->count) {
            const int before = w->a.used;
            abut_alg_root between;
            abut_alg_time(&w->a, gap, &between);
            open = contact_at(w, &between);
            w->a.used = before;
        }
        if (!open) {
            stretch.exit = last;
            add_interval(opts, stretch, out);
        }
    }
}

/* ---- the whole of it ---- */

/* False where the numbers did not fit. */
static bool decide(const abut_impact_query *q, const abut_impact_opts *opts, const int e[4], uint64_t *limbs,
                   int slot, abut_impact_result *out)
{
    work w;
    times t;
    w.edges = q->edges;
    w.has_differences = false;
    memset(w.known, 0, sizeof w.known);
    abut_alg_begin(&w.a, limbs, SLOTS, slot);
    out->counters = (abut_counters){ .exact = 1 };
    out->interval_count = 0;
    positions(&w, q, e);
    make_cubic(&w);
    out->coplanar = abut_alg_is_zero(&w.cubic);
    gather(&w, opts->t_max, out->coplanar, &t);
    first_contact(&w, &t, out);
    if (out->verdict == ABUT_FIRST_CONTACT && opts->intervals)
        all_contacts(&w, &t, out->coplanar, opts, out);
    out->counters.evaluations = w.a.signs;
    return !w.a.failed;
}

static bool decide_small(const abut_impact_query *q, const abut_impact_opts *opts, const int e[4],
                         abut_impact_result *out)
{
    uint64_t limbs[SLOTS * SMALL_SLOT];
    return decide(q, opts, e, limbs, SMALL_SLOT, out);
}

static abut_status decide_large(const abut_impact_query *q, const abut_impact_opts *opts, const int e[4],
                                int slot, bool *decided, abut_impact_result *out)
{
    const size_t count = (size_t)SLOTS * (size_t)slot;
    const abut_allocator alloc = abut_base_allocator(opts->allocator);
    uint64_t *limbs = abut_base_alloc(&alloc, count, sizeof *limbs);
    if (!limbs)
        return ABUT_ERR_MEMORY;
    *decided = decide(q, opts, e, limbs, slot, out);
    abut_base_free(&alloc, limbs, count, sizeof *limbs);
    return ABUT_OK;
}

abut_status abut_impact_exact(const abut_impact_query *query, const abut_impact_opts *opts,
                              abut_impact_result *out)
{
    int e[4];
    const int bits = exponents(query, e);
    /* Pseudo-remainders of the cubic by a quadratic and of that by the result: 16 coordinates
     * long; the halvings of ordinary cases need less. */
    const int wanted = (16 * bits + 128) / 64 + 1;
    bool decided = wanted <= SMALL_SLOT && decide_small(query, opts, e, out);
    for (int slot = wanted > 96 ? wanted : 96; !decided && slot <= LARGE_SLOT;
         slot = slot < LARGE_SLOT && 4 * slot > LARGE_SLOT ? LARGE_SLOT : 4 * slot) {
        const abut_status status = decide_large(query, opts, e, slot, &decided, out);
        if (status)
            return status;
    }
    out->proof = decided ? ABUT_PROOF_EXACT : ABUT_PROOF_NONE;
    if (!decided) {
        out->verdict = ABUT_FIRST_UNDECIDED;
        out->stop = ABUT_STOP_BUDGET;
        out->interval_count = 0;
        out->time = (abut_interval){ 0, opts->t_max };
    }
    return ABUT_OK;
}

/* ---- the side of a corner ---- */

static bool find_side(const abut_impact_query *q, const int e[4], uint64_t *limbs, int slot, double t,
                      int *sign)
{
    work w;
    abut_alg_root time;
    w.edges = q->edges;
    memset(w.known, 0, sizeof w.known);
    abut_alg_begin(&w.a, limbs, SLOTS, slot);
    positions(&w, q, e);
    make_cubic(&w);
    abut_alg_time(&w.a, t, &time);
    *sign = abut_alg_is_zero(&w.cubic) ? 0 : abut_alg_sign(&w.a, &w.cubic, &time);
    return !w.a.failed;
}

static bool find_side_small(const abut_impact_query *q, const int e[4], double t, int *sign)
{
    uint64_t limbs[SLOTS * SMALL_SLOT];
    return find_side(q, e, limbs, SMALL_SLOT, t, sign);
}

abut_status abut_impact_side_exact(const abut_impact_query *query, double t, const abut_allocator *alloc,
                                   int *sign)
{
    int e[4];
    const abut_allocator from = abut_base_allocator(alloc);
    const int bits = exponents(query, e);
    bool decided = 3 * bits + 256 <= 64 * SMALL_SLOT && find_side_small(query, e, t, sign);
    for (int slot = 96; !decided && slot <= LARGE_SLOT; slot *= 2) {
        const size_t count = (size_t)SLOTS * (size_t)slot;
        uint64_t *limbs = abut_base_alloc(&from, count, sizeof *limbs);
        if (!limbs)
            return ABUT_ERR_MEMORY;
        decided = find_side(query, e, limbs, slot, t, sign);
        abut_base_free(&from, limbs, count, sizeof *limbs);
    }
    if (!decided)
        *sign = ABUT_IMPACT_UNKNOWN;
    return ABUT_OK;
}
