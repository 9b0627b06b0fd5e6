/* SPDX-License-Identifier: MIT */
/* The gap between the boundaries of two surface bodies, by branch and bound over pairs of boxes of
 * their features' unknowns, nearest first.
 *
 * A pair of boxes is dropped when
 *   - a field of a feature has no zero in its box, or none on the solid;
 *   - its lower bound exceeds the distance of two points already known. Bounds: the distance of the
 *   boxes around the points, and d . n over the pair for
 *     the direction n between the middles and for the normals, by mean values: near the nearest
 *       points J . n is as small as the box, so
 *     that this bound is off by the square of its size only, and few boxes crowd around the solution;
 *   - an equation of nearest points has no zero in it: d is across the tangents of both features.
 *   Ends of faces are edges and ends of edges are vertices,
 *     which have their own pairs;
 *   - it is proved that d is not 0 in it, and an equation of tangency has no zero in it (normals of
 *   faces are then along d), or Krawczyk's operator finds no
 *     solution of these. Where it proves that there is exactly one, that is enclosed to a few ulp
 *       and done with.
 * Surprise: surfaces that cross at an angle are nearest there, with d = 0, and not tangent. So long
 * as d may be 0 in a pair, tangency must not drop it. Middles of pairs, and what Newton's method on
 * tangency leads to (its equations are regular at d = 0, too: bodies a little sunk in each other
 * converge to the deepest point), are tried for lying inside the other body, or for a crossing of
 * faces: the proofs that bodies meet.
 *
 * Which unknown is halved: the one that contributes most to the width of d . n, as long as that
 * raises the bound: along a curve of nearest points an unknown contributes nothing, and is not
 * halved for nothing. Where the bound has hardly risen, the one along which the box reaches
 * farthest. */
#include "narrow/surface/surface_search.h"

#include "base/heap.h"

enum { UNKNOWNS = ABUT_GAP_UNKNOWNS, GRACE = 400, CROSSINGS = 64 };

/* Evaluations that a box of the budget may take on the average, those of points tried included: some
 * three times the usual. So bodies of thousands of features end, too, which make millions of pairs
 * before any of them is halved. */
enum { EVALUATIONS_OF_BOX = 64 };

static bool has_paid(const abut_gap_search *s)
{
    const uint64_t boxes = s->opts->max_boxes > s->opts->patience ? s->opts->max_boxes : s->opts->patience;
    return s->out->counters.evaluations / EVALUATIONS_OF_BOX >= boxes;
}

/* ---- the queue ---- */

static bool before(const abut_gap_node *a, const abut_gap_node *b)
{
    return a->lower < b->lower || (a->lower == b->lower && a->order > b->order);
}

ABUT_HEAP(heap, abut_gap_node, before)

static void push(abut_gap_search *s, const abut_gap_node *x)
{
    abut_gap_node *grown = abut_workspace_grow(s->ws, s->heap, s->count, &s->capacity, sizeof *x);
    s->memory = s->memory || !grown;
    if (!grown)
        return;
    s->heap = grown;
    heap_push(s->heap, &s->count, x);
}

/* ---- what is done with a box ---- */

/* Points to try at the middle of a box that stays: at once where they promise a better bound,
 * now and then where the bodies may meet. */
static void probe(abut_gap_search *s, const abut_gap_node *x)
{
    const abut_gap_features v = abut_gap_view(s, x->feature);
    double mid[UNKNOWNS];
    for (int i = 0; i < v.total; ++i)
        mid[i] = ia_mid(ia_from(x->q[i]));
    const double before_it = s->out->gap.hi;
    abut_gap_try_points(s, &v, mid);
    if (s->out->meets)
        return;
    const bool now_and_then = (x->order & 15) == 0;
    if (!(s->out->gap.hi < before_it) && !(x->lower == 0 && now_and_then))
        return;
    abut_gap_polish(s, &v, mid);
    abut_gap_try_points(s, &v, mid);
    if (!s->out->meets && s->out->gap.hi < before_it)
        abut_gap_prove_region(s, &v, mid);
    if (!s->out->meets && x->lower == 0)
        abut_gap_try_crossing(s, &v, mid);
}

/* The same for the nearest box, whether or not its middle promises anything: unknowns that its
 * bound does not depend on are not halved, so that its middle may be far from what is nearest in
 * it. */
static void examine_closer(abut_gap_search *s, const abut_gap_node *x)
{
    const abut_gap_features v = abut_gap_view(s, x->feature);
    double mid[UNKNOWNS];
    for (int i = 0; i < v.total; ++i)
        mid[i] = ia_mid(ia_from(x->q[i]));
    if (!x->clear)
        abut_gap_try_crossing(s, &v, mid);
    if (s->out->meets)
        return;
    const double before_it = s->out->gap.hi;
    abut_gap_polish(s, &v, mid);
    abut_gap_try_points(s, &v, mid);
    if (!s->out->meets && s->out->gap.hi < before_it)
        abut_gap_prove_region(s, &v, mid);
}

/* A step of Krawczyk's operator on the equations of nearest points. */
static abut_krawczyk_status contract(abut_gap_search *s, const abut_gap_features *v, const ia *q,
                                     abut_interval *next)
{
    abut_chart c[2], m[2];
    ia p[UNKNOWNS], f[UNKNOWNS], jacobian[UNKNOWNS][UNKNOWNS];
    abut_interval box[UNKNOWNS], values[UNKNOWNS], slopes[UNKNOWNS * UNKNOWNS];
    double mid[UNKNOWNS];
    int axis[2] = { -1, -1 };
    for (int i = 0; i < v->total; ++i) {
        mid[i] = ia_mid(q[i]);
        box[i] = next[i] = ia_to(q[i]);
    }
    abut_gap_enclose(s, v, q, 2, axis, c);
    if (!c[0].defined || !c[1].defined)
        return ABUT_KRAWCZYK_UNKNOWN;
    const int n = abut_surface_gap_equations(&c[0], &c[1], f, jacobian);
    abut_gap_points(mid, v->total, p);
    abut_gap_enclose(s, v, p, 1, axis, m);
    (void)abut_surface_gap_equations(&m[0], &m[1], f, NULL);
    for (int i = 0; i < n; ++i) {
        values[i] = ia_to(f[i]);
        for (int j = 0; j < n; ++j)
            slopes[i * n + j] = ia_to(jacobian[i][j]);
    }
    return abut_interval_krawczyk(n, box, mid, values, slopes, next);
}

static double total_width(const abut_interval *q, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += q[i].hi - q[i].lo;
    return sum;
}

/* The only solution in a box (and around it) is in `root`: bounds there, and done. `lower`
 * bounds it already. */
static void finish_root(abut_gap_search *s, const abut_gap_features *v, const abut_interval *within,
                        double lower, abut_interval *root)
{
    ia q[UNKNOWNS];
    abut_chart c[2];
    int axis[2] = { -1, -1 };
    for (int step = 0; step < 50; ++step) {
        abut_interval next[UNKNOWNS];
        for (int i = 0; i < v->total; ++i)
            q[i] = ia_from(root[i]);
        const double width = total_width(root, v->total);
        if (contract(s, v, q, next) == ABUT_KRAWCZYK_NONE)
            return;
        memcpy(root, next, (size_t)v->total * sizeof *root);
        if (!(total_width(root, v->total) < 0.9375 * width))
            break;
    }
    double mid[UNKNOWNS];
    for (int i = 0; i < v->total; ++i) {
        /* The box was widened: what is not in it belongs to another, or is beyond the feature's
         * end. */
        const ia narrowed = ia_intersect(ia_from(root[i]), ia_from(within[i]));
        if (ia_is_empty(narrowed))
            return;
        q[i] = ia_from(root[i]);
        mid[i] = ia_mid(narrowed);
    }
    abut_gap_enclose(s, v, q, 1, axis, c);
    if (!abut_gap_possible(s, v, q, c))
        return;
    s->floor = fmin(s->floor, fmax(lower, abut_gap_boxes(c[0].p, c[1].p)));
    abut_gap_try_points(s, v, mid);
    if (!s->out->meets && s->floor == 0)
        abut_gap_try_crossing(s, v, mid);
}

/* A box a little wider, so that solutions on its sides are inside. Parameters of expressions
 * stay in their range: beyond it they are folded back, and at a seam that is closed but for
 * rounding there is no mean value theorem. */
static void widen(const abut_gap_features *v, const abut_interval *box, ia *q)
{
    for (int i = 0; i < v->total; ++i) {
        const int body = i >= v->unknowns[0];
        const abut_surface_feature *f = v->feature[body];
        const double margin = 0.0625 * (box[i].hi - box[i].lo);
        q[i] = ia_make(box[i].lo - margin, box[i].hi + margin);
        if (f->parametric && !abut_gap_goes_on(v, body))
            q[i] = ia_intersect(q[i], ia_from(f->range[i - (body ? v->unknowns[0] : 0)]));
    }
}

/* Does it reach beyond the end of a closed parameter of an expression? */
static bool is_at_seam(const abut_gap_features *v, const abut_interval *box)
{
    for (int i = 0; i < v->total; ++i) {
        const int body = i >= v->unknowns[0];
        const abut_surface_feature *f = v->feature[body];
        if (!f->parametric || abut_gap_goes_on(v, body))
            continue;
        const abut_interval range = f->range[i - (body ? v->unknowns[0] : 0)];
        if (box[i].lo < range.lo || box[i].hi > range.hi)
            return true;
    }
    return false;
}

/* True: the box is done with. It may be narrowed, and is then examined anew. */
static bool newton(abut_gap_search *s, abut_gap_node *x)
{
    bool narrower = false;
    const abut_gap_features v = abut_gap_view(s, x->feature);
    if (v.total == 0 || !x->clear || is_at_seam(&v, x->q))
        return false;
    for (int step = 0; step < 3; ++step) {
        ia q[UNKNOWNS];
        abut_interval next[UNKNOWNS];
        widen(&v, x->q, q);
        const abut_krawczyk_status status = contract(s, &v, q, next);
        if (status == ABUT_KRAWCZYK_NONE)
            return true;
        if (status == ABUT_KRAWCZYK_UNIQUE) {
            finish_root(s, &v, x->q, x->lower, next);
            return true;
        }
        const double width = total_width(x->q, v.total);
        for (int i = 0; i < v.total; ++i) {
            const ia narrowed = ia_intersect(ia_from(next[i]), ia_from(x->q[i]));
            if (ia_is_empty(narrowed))
                return true;
            x->q[i] = ia_to(narrowed);
        }
        narrower = narrower || total_width(x->q, v.total) < width;
        if (!(total_width(x->q, v.total) < 0.75 * width))
            break;
    }
    return narrower && !abut_gap_bound(s, x);
}

/* ---- the search ---- */

static void add(abut_gap_search *s, abut_gap_node *x)
{
    x->order = s->made++;
    if (!abut_gap_bound(s, x))
        return;
    push(s, x);
    probe(s, x);
}

/* Boxes of implicit features that have no end, as of half-spaces, are cut to where a nearest
 * point can be. */
static void cut(abut_gap_search *s, int i, ia *q)
{
    const abut_placed_surface *self = s->body[i], *other = s->body[1 - i];
    if (ia_is_finite(q[0]) && ia_is_finite(q[1]) && ia_is_finite(q[2]))
        return;
    const ia3 there = other->moved ? ia_affine_apply(&other->place, other->bounds) : other->bounds;
    const ia3 here = abut_placed_local(self, there);
    const ia near[3] = { here.x, here.y, here.z };
    const double reach = 2 * s->size;
    for (int k = 0; k < 3; ++k)
        q[k] = ia_intersect(q[k], ia_add(near[k], ia_make(-reach, reach)));
}

/* A lower bound of all of it. */
static double between_bounds(const abut_gap_search *s)
{
    ia3 box[2];
    for (int i = 0; i < 2; ++i) {
        const abut_placed_surface *b = s->body[i];
        box[i] = b->moved ? ia_affine_apply(&b->place, b->bounds) : b->bounds;
    }
    return abut_gap_boxes(box[0], box[1]);
}

static void start(abut_gap_search *s)
{
    const abut_surface *a = &s->body[0]->surface, *b = &s->body[1]->surface;
    for (size_t i = 0; i < a->feature_count && !s->out->meets; ++i)
        for (size_t j = 0; j < b->feature_count && !s->out->meets && !s->memory; ++j) {
            if (has_paid(s)) {
                s->floor = fmin(s->floor, fmax(0, between_bounds(s)));
                return;
            }
            abut_gap_node x = { .feature = { (uint32_t)i, (uint32_t)j } };
            const abut_gap_features v = abut_gap_view(s, x.feature);
            ia q[UNKNOWNS];
            bool empty = false;
            abut_chart_range(s->body[0], v.feature[0], q);
            abut_chart_range(s->body[1], v.feature[1], q + v.unknowns[0]);
            if (!v.feature[0]->parametric)
                cut(s, 0, q);
            if (!v.feature[1]->parametric)
                cut(s, 1, q + v.unknowns[0]);
            for (int k = 0; k < v.total; ++k) {
                empty = empty || ia_is_empty(q[k]);
                x.q[k] = ia_to(q[k]);
            }
            if (!empty)
                add(s, &x);
        }
}

static bool split(abut_gap_search *s, const abut_gap_node *x)
{
    const int k = x->split;
    const double lo = x->q[k].lo, hi = x->q[k].hi, mid = 0.5 * lo + 0.5 * hi;
    if (!(lo < mid && mid < hi) || abut_gap_view(s, x->feature).total == 0)
        return false;
    for (int i = 0; i < 2; ++i) {
        abut_gap_node child = *x;
        if (i)
            child.q[k].lo = mid;
        else
            child.q[k].hi = mid;
        child.flat = false;
        add(s, &child);
    }
    return true;
}

/* The bound that is as good as the distance known. Nearest points along a curve are no better
 * known than coordinates. */
static double enough_of(const abut_gap_search *s)
{
    const double off = ia_hi(s->off), upper = s->out->gap.hi - off;
    const double part = s->flat ? fmax(0x1p-33 * upper, 0x1p-48 * s->size) : 0x1p-38 * upper;
    return off + (upper - part);
}

/* Whether the budget is used up. A search that gets on well goes on. */
static bool is_spent(abut_gap_search *s, double lower, double upper)
{
    const uint64_t done = s->out->counters.iterations, most = s->opts->max_boxes, step = most / 2 + 1;
    const double open = upper - lower;
    if (has_paid(s))
        return true;
    if (s->opts->patience <= most)
        return done >= most;
    while (s->next + step <= done || s->next == 0) {
        s->next = s->next ? s->next + step : 1;
        if (s->next > most && !(open <= 0.5 * s->open))
            return true;
        s->open = open;
    }
    return done >= s->opts->patience;
}

/* Whether what is known suffices, given that nothing left is nearer than `lower`. */
static bool is_enough(abut_gap_search *s, double lower)
{
    abut_surface_gap *out = s->out;
    const double off = ia_hi(s->off), upper = out->gap.hi - off;
    lower -= off;
    if (lower > s->opts->cutoff) {
        out->stop = ABUT_STOP_CUTOFF;
        return true;
    }
    if (upper < s->opts->near) {
        out->stop = ABUT_STOP_CUTOFF;
        return true;
    }
    if (lower >= enough_of(s) - off || (lower > 0 && lower >= (1 - s->opts->relative) * upper)) {
        out->stop = ABUT_STOP_TOLERANCE;
        return true;
    }
    if (is_spent(s, lower, upper)) {
        out->stop = ABUT_STOP_BUDGET;
        return true;
    }
    /* Within rounding of each other: more boxes prove no more, but for a while. */
    if (upper < 0x1p-46 * s->size && ++s->idle > GRACE) {
        out->stop = ABUT_STOP_TOLERANCE;
        return true;
    }
    return false;
}

static bool is_face(const abut_surface_feature *f)
{
    return f->parametric && f->dimension == 2;
}

/* Bodies whose edges run through the other's faces are as near as that at once, and the search
 * dives there: faces that wait may be seen to cross. */
static void cross_waiting(abut_gap_search *s)
{
    int tries = CROSSINGS;
    for (size_t i = 0; i < s->count && tries > 0 && !s->out->meets; ++i) {
        const abut_gap_node *const x = &s->heap[i];
        const abut_gap_features v = abut_gap_view(s, x->feature);
        double mid[UNKNOWNS];
        if (x->clear || s->body[0]->surface.implicit || s->body[1]->surface.implicit ||
            !is_face(v.feature[0]) || !is_face(v.feature[1]))
            continue;
        for (int k = 0; k < v.total; ++k)
            mid[k] = ia_mid(ia_from(x->q[k]));
        abut_gap_try_crossing(s, &v, mid);
        if (!s->out->meets) {
            abut_gap_sample(s, &v, x, mid);
            abut_gap_try_crossing(s, &v, mid);
        }
        --tries;
    }
}

/* From spines to bodies. */
static void swell(abut_gap_search *s)
{
    abut_surface_gap *out = s->out;
    const abut_interval gap = ia_to(ia_sub(ia_from(out->gap), s->off));
    out->gap = (abut_interval){ fmax(gap.lo, 0), fmax(gap.hi, 0) };
    double d[3] = { out->point_b.x - out->point_a.x, out->point_b.y - out->point_a.y,
                    out->point_b.z - out->point_a.z };
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int i = 0; i < 2 && length > 0; ++i) {
        abut_vec3 *p = i ? &out->point_b : &out->point_a;
        const double r = (i ? -1 : 1) * s->body[i]->swell / length;
        *p = (abut_vec3){ p->x + r * d[0], p->y + r * d[1], p->z + r * d[2] };
    }
}

/* The bound for nearest points that are not isolated. True: the box is done with, or waits
 * again. */
static bool flatten(abut_gap_search *s, abut_gap_node *x)
{
    const abut_gap_features v = abut_gap_view(s, x->feature);
    const double enough = enough_of(s);
    int split_at = x->split;
    const double lower = abut_gap_flat_bound(s, &v, x->q, enough, &split_at);
    if (!(lower > x->lower))
        return false;
    x->lower = lower;
    x->clear = true;
    x->flat = true;
    x->split = split_at;
    if (lower > s->out->gap.hi)
        return true;
    push(s, x);
    return true;
}

static ABUT_NOINLINE void run(abut_gap_search *s)
{
    abut_surface_gap *out = s->out;
    s->off = ia_add(ia_point(s->body[0]->swell), ia_point(s->body[1]->swell));
    start(s);
    double lower = INFINITY;
    while (!out->meets && !s->memory) {
        lower = s->count ? fmin(s->floor, s->heap[0].lower) : s->floor;
        if (s->opts->least > 0)
            lower = fmax(lower, s->opts->least + ia_lo(s->off));
        if (!s->count || is_enough(s, lower))
            break;
        abut_gap_node x = heap_pop(s->heap, &s->count);
        if ((++out->counters.iterations & 7) == 0)
            examine_closer(s, &x);
        if (x.lower > out->gap.hi)
            continue;
        if (s->flat && !x.flat && flatten(s, &x))
            continue;
        if (newton(s, &x))
            continue;
        if (!split(s, &x))
            s->floor = fmin(s->floor, x.lower);
    }
    if (!out->meets && !(lower > 0))
        cross_waiting(s);
    /* Bounds above the least distance known were dropped: that distance bounds too. */
    out->gap.lo = fmin(lower, out->gap.hi);
    out->spine_upper = out->gap.hi;
    out->spine_points[0] = out->point_a;
    out->spine_points[1] = out->point_b;
    if (s->body[0]->spine || s->body[1]->spine)
        swell(s);
}

static double size_of(const abut_placed_surface *s)
{
    const abut_interval_vec3 b = ia3_to(s->bounds), t = ia3_to(s->place.translation);
    const double ends[12] = { b.x.lo, b.x.hi, b.y.lo, b.y.hi, b.z.lo, b.z.hi,
                              t.x.lo, t.x.hi, t.y.lo, t.y.hi, t.z.lo, t.z.hi };
    double size = 0;
    for (int i = 0; i < 12; ++i)
        if (fabs(ends[i]) < HUGE_VAL)
            size = fmax(size, fabs(ends[i]));
    return size + s->swell;
}

abut_status abut_surface_find_gap(const abut_placed_surface *a, const abut_placed_surface *b,
                                  const abut_surface_gap_opts *opts, abut_workspace *ws,
                                  abut_surface_gap *out)
{
    const abut_surface_gap *const known = opts->known;
    *out = (abut_surface_gap){ .gap = { 0, INFINITY }, .stop = ABUT_STOP_DONE };
    if (known)
        out->counters = known->counters;
    if (known && opts->flat) { /* without, it proves regions around points that it finds itself */
        out->gap.hi = known->spine_upper;
        out->has_points = known->has_points;
        out->point_a = known->spine_points[0];
        out->point_b = known->spine_points[1];
    }
    abut_gap_search s = {
        .body = { a, b }, .opts = opts, .ws = ws, .floor = INFINITY, .flat = opts->flat, .out = out
    };
    s.size = out->size = fmax(size_of(a), size_of(b));
    const abut_rounding saved = abut_rounding_enter();
    run(&s);
    abut_rounding_leave(saved);
    return s.memory ? ABUT_ERR_MEMORY : ABUT_OK;
}
