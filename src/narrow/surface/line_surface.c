/* SPDX-License-Identifier: MIT */
/* Lines against the faces of surface bodies. Implicit faces: zeros of the field along the line.
 * Parametric faces: the parameters where the face is on the line. Both by halving boxes until
 * Krawczyk's operator, over a box a little wider, proves one crossing or none.
 *
 * Surprise: a crossing on the common side of two boxes is found in both, because both are
 * examined a little wider; as each proves that it is the only one in its box, and the two boxes have
 * it in common, it is counted once, with proof. Lines that people draw hit seams: at the end of
 * a closed parameter nothing is proved, and a small doubt is left on both sides, which
 * line_body.c joins to one hit. */
#include "narrow/surface/line_surface.h"

#include "math/vec3.h"

enum { STACK = 256, BUDGET = 20000 };

/* A box of a ray takes derivatives, too: so many enclosures of positions alone. */
static const uint64_t each_of_ray = 4;

typedef struct box {
    abut_interval q[2];
} box;

typedef struct walk {
    const abut_placed_surface *s;
    const abut_surface_feature *face;
    ia3 o, d;
    int axis; /* along which the direction is largest */
    ia range;
    double narrow; /* of a crossing that is known */
    abut_line_crossing *out;
    size_t capacity, count;
    int budget;
    bool complete;
} walk;

/* ---- what is found ---- */

static abut_vec3 normal_at(const walk *w, const abut_interval q[2], ia t)
{
    const ia parameters[2] = { ia_point(ia_mid(ia_from(q[0]))), ia_point(ia_mid(ia_from(q[1]))) };
    ia3 n;
    if (w->face->parametric) {
        ia3 normals[ABUT_FEATURE_MAX_NORMALS];
        abut_feature_normals(&w->s->surface, w->face, parameters, ia_point(w->s->t), w->s->scratch, normals);
        n = normals[0];
        for (int i = 1; i < w->face->normal_count; ++i) /* of a pole: about their middle */
            n = ia3_add(n, normals[i]);
    } else {
        abut_field_jet jet;
        const ia at = ia_point(ia_mid(t));
        (void)abut_feature_field(&w->s->surface, w->face, 0, ia3_add(w->o, ia3_scale(at, w->d)),
                                 ia_point(w->s->t), 1, w->s->scratch, &jet);
        n = jet.g;
    }
    return abut_unit_or(ia3_mid(n), abut_v3(0, 0, 1));
}

static bool is_in(const abut_interval *q, const abut_interval *unique, int n)
{
    for (int i = 0; i < n; ++i)
        if (!ia_subset(ia_from(q[i]), ia_from(unique[i])))
            return false;
    return true;
}

/* Both are alone in their boxes, and one is in that of the other: they are the same. */
static bool is_same(const abut_line_crossing *a, const abut_line_crossing *b, int n)
{
    return a->certain && a->face == b->face && (is_in(a->q, b->unique, n) || is_in(b->q, a->unique, n));
}

static void keep(walk *w, const abut_line_crossing *c, int n)
{
    for (size_t i = 0; c->certain && i < w->count; ++i)
        if (is_same(&w->out[i], c, n))
            return;
    for (size_t i = 0; !c->certain && i < w->count; ++i) { /* doubts beside each other are one */
        abut_line_crossing *other = &w->out[i];
        if (other->certain || other->face != c->face || other->t.lo > c->t.hi || other->t.hi < c->t.lo)
            continue;
        other->t.lo = fmin(other->t.lo, c->t.lo);
        other->t.hi = fmax(other->t.hi, c->t.hi);
        return;
    }
    if (w->count == w->capacity) {
        w->complete = false;
        return;
    }
    w->out[w->count++] = *c;
}

/* As narrow as a hit must be, or line_body.c takes it for a run in the face. Where the slope
 * over a box is almost 0 somewhere, a crossing is proved that does not contract: halves of the
 * box then do better. */
static bool is_narrow(const walk *w, abut_interval t)
{
    return t.hi - t.lo <= w->narrow;
}

/* ---- parametric faces: unknowns u, v, t ---- */

/* Over a box of u, v, with the t that it allows; false where the line does not meet it there. */
static bool meets(const walk *w, const ia *q, abut_jet *jet, bool *defined, ia *t)
{
    *defined = abut_feature_jet(&w->s->surface, w->face, q, ia_point(w->s->t), 1, w->s->scratch, jet) &&
               !ia3_is_empty(jet->p);
    const ia3 e = ia3_sub(jet->p, w->o);
    *t = ia_intersect(w->range, ia_div(ia3_part(e, w->axis), ia3_part(w->d, w->axis)));
    if (ia_is_empty(*t))
        return false;
    for (int i = 0; i < 3; ++i)
        if (!ia_contains_zero(ia_sub(ia3_part(e, i), ia_mul(*t, ia3_part(w->d, i)))))
            return false;
    return true;
}

static abut_krawczyk_status contract_parameters(const walk *w, const ia *q, ia t, abut_interval next[3])
{
    abut_jet jet, middle;
    const double mid[3] = { ia_mid(q[0]), ia_mid(q[1]), ia_mid(t) };
    const ia point[2] = { ia_point(mid[0]), ia_point(mid[1]) };
    const abut_surface *s = &w->s->surface;
    next[0] = ia_to(q[0]);
    next[1] = ia_to(q[1]);
    next[2] = ia_to(t);
    if (!abut_feature_jet(s, w->face, q, ia_point(w->s->t), 1, w->s->scratch, &jet) ||
        !abut_feature_jet(s, w->face, point, ia_point(w->s->t), 0, w->s->scratch, &middle))
        return ABUT_KRAWCZYK_UNKNOWN;
    const ia3 f = ia3_sub(ia3_sub(middle.p, w->o), ia3_scale(ia_point(mid[2]), w->d));
    const abut_interval boxes[3] = { next[0], next[1], next[2] };
    const abut_interval values[3] = { ia_to(f.x), ia_to(f.y), ia_to(f.z) };
    abut_interval slopes[9];
    for (int i = 0; i < 3; ++i) {
        slopes[3 * i] = ia_to(ia3_part(jet.u, i));
        slopes[3 * i + 1] = ia_to(ia3_part(jet.v, i));
        slopes[3 * i + 2] = ia_to(ia_neg(ia3_part(w->d, i)));
    }
    return abut_interval_krawczyk(3, boxes, mid, values, slopes, next);
}

static ia widened(ia q, double part)
{
    const double margin = part * ia_width(q);
    return ia_add(q, ia_make(-margin, margin));
}

/* Along the line the box may be much thinner than it is wide, where it is crossed at right
 * angles: as much room there as across, or Krawczyk's operator, which is off by products of
 * both, does not fit in. */
static ia with_room(const walk *w, const ia *q, const abut_jet *jet, ia t)
{
    const double along = ia_mig(ia3_part(w->d, w->axis));
    const double size = ia_width(q[0]) * (ia_mag(jet->u.x) + ia_mag(jet->u.y) + ia_mag(jet->u.z)) +
                        ia_width(q[1]) * (ia_mag(jet->v.x) + ia_mag(jet->v.y) + ia_mag(jet->v.z));
    return along > 0 && size / along < HUGE_VAL ? ia_add(t, ia_make(-size / along, size / along))
                                                : widened(t, 0.125);
}

/* One crossing in `unique`, narrowed down to `next`. False where that does not narrow it down. */
static bool keep_parametric(walk *w, const ia *unique, const box *cell, abut_interval next[3])
{
    abut_line_crossing c = { .face = w->face,
                             .certain = true,
                             .unique = { ia_to(unique[0]), ia_to(unique[1]) } };
    for (int step = 0; step < 50; ++step) {
        abut_interval again[3];
        const ia q[2] = { ia_from(next[0]), ia_from(next[1]) };
        const double width = next[2].hi - next[2].lo;
        if (contract_parameters(w, q, ia_from(next[2]), again) == ABUT_KRAWCZYK_NONE)
            return true;
        for (int i = 0; i < 3; ++i)
            next[i] = again[i];
        if (!(next[2].hi - next[2].lo < 0.96875 * width))
            break;
    }
    if (!is_narrow(w, next[2]))
        return false;
    for (int i = 0; i < 2; ++i) {
        const abut_interval r = w->face->range[i];
        if (next[i].lo > cell->q[i].hi || next[i].hi < cell->q[i].lo)
            return true; /* another cell's, or beyond the end of the face */
        if (!(next[i].lo >= r.lo && next[i].hi <= r.hi))
            c.certain = false;
        c.q[i] = next[i];
    }
    c.t = next[2];
    if (ia_is_empty(ia_intersect(ia_from(c.t), w->range)))
        return true;
    const ia q[2] = { ia_from(c.q[0]), ia_from(c.q[1]) };
    abut_jet jet;
    if (abut_feature_jet(&w->s->surface, w->face, q, ia_point(w->s->t), 1, w->s->scratch, &jet))
        c.sign = ia_sign(ia3_dot(jet.n, w->d));
    c.certain = c.certain && c.sign != 0;
    c.normal = normal_at(w, c.q, ia_from(c.t));
    keep(w, &c, 2);
    return true;
}

/* Halves the parameter along which the face extends more. */
static int wider(const box *b, const abut_jet *jet)
{
    double size[2];
    const ia3 along[2] = { jet->u, jet->v };
    for (int i = 0; i < 2; ++i)
        size[i] = (b->q[i].hi - b->q[i].lo) *
                  fmin(1e300, ia_mag(along[i].x) + ia_mag(along[i].y) + ia_mag(along[i].z));
    return size[0] >= size[1] ? 0 : 1;
}

static void keep_doubtful(walk *w, const box *b, ia t)
{
    abut_line_crossing c = { .t = ia_to(t), .face = w->face, .q = { b->q[0], b->q[1] } };
    c.normal = normal_at(w, b->q, t);
    keep(w, &c, 0);
}

static void walk_parametric(walk *w)
{
    box stack[STACK];
    int n = 1;
    stack[0] =
        (box){ { ia_to(abut_chart_parameters(w->face, 0)), ia_to(abut_chart_parameters(w->face, 1)) } };
    while (n > 0) {
        const box b = stack[--n];
        const ia q[2] = { ia_from(b.q[0]), ia_from(b.q[1]) };
        ia wide[2] = { widened(q[0], 0.0625), widened(q[1], 0.0625) };
        for (int i = 0; i < 2;
             ++i) /* beyond its range a parameter is folded back, which is not smooth to the last bit */
            wide[i] = ia_intersect(wide[i], ia_from(w->face->range[i]));
        /* At a seam, which is closed but for rounding, there is no mean value theorem. */
        const bool seam = b.q[0].lo < w->face->range[0].lo || b.q[0].hi > w->face->range[0].hi ||
                          b.q[1].lo < w->face->range[1].lo || b.q[1].hi > w->face->range[1].hi;
        abut_jet jet;
        bool defined;
        ia t, wide_t;
        --w->budget;
        if (!meets(w, q, &jet, &defined, &t))
            continue;
        abut_jet wide_jet;
        bool wide_defined;
        if (defined && !seam && meets(w, wide, &wide_jet, &wide_defined, &wide_t) && wide_defined) {
            abut_interval next[3];
            const abut_krawczyk_status status =
                contract_parameters(w, wide, with_room(w, wide, &wide_jet, wide_t), next);
            if (status == ABUT_KRAWCZYK_NONE)
                continue;
            if (status == ABUT_KRAWCZYK_UNIQUE && keep_parametric(w, wide, &b, next))
                continue;
        }
        const int k = wider(&b, &jet);
        const double lo = b.q[k].lo, hi = b.q[k].hi, mid = lo + 0.484375 * (hi - lo);
        const double range = w->face->range[k].hi - w->face->range[k].lo;
        if (w->budget < 0 || n + 2 > STACK || hi - lo < 0x1p-44 * range || !(lo < mid && mid < hi)) {
            keep_doubtful(w, &b, t);
            continue;
        }
        stack[n] = stack[n + 1] = b;
        stack[n].q[k].lo = mid;
        stack[n + 1].q[k].hi = mid;
        n += 2;
    }
}

/* A pole is closed but for rounding: cos(v) is not 0 there, and a line may slip through. Whoever
 * passes that close is undecided. */
static void meet_pole(walk *w)
{
    const ia none[2] = { ia_point(0), ia_point(0) };
    const abut_interval_vec3 b = ia3_to(w->s->bounds);
    const double size = fmax(fmax(fabs(b.x.lo), fabs(b.x.hi)),
                             fmax(fmax(fabs(b.y.lo), fabs(b.y.hi)), fmax(fabs(b.z.lo), fabs(b.z.hi))));
    const double slack = 0x1p-45 * size;
    if (!(slack < HUGE_VAL))
        return;
    abut_jet jet;
    if (!abut_feature_jet(&w->s->surface, w->face, none, ia_point(w->s->t), 0, w->s->scratch, &jet))
        return;
    const ia around = ia_make(-slack, slack);
    const ia3 e = ia3_sub(ia3_add(jet.p, ia3_make(around, around, around)), w->o);
    const ia t = ia_intersect(w->range, ia_div(ia3_part(e, w->axis), ia3_part(w->d, w->axis)));
    if (ia_is_empty(t))
        return;
    for (int i = 0; i < 3; ++i)
        if (!ia_contains_zero(ia_sub(ia3_part(e, i), ia_mul(t, ia3_part(w->d, i)))))
            return;
    const abut_interval q[2] = { { 0, 0 }, { 0, 0 } };
    abut_line_crossing c = { .t = ia_to(t), .face = w->face };
    c.normal = normal_at(w, q, t);
    keep(w, &c, 0);
}

/* ---- implicit faces: unknown t ---- */

static bool field_along(const walk *w, ia t, int order, abut_field_jet *jet)
{
    return abut_feature_field(&w->s->surface, w->face, 0, ia3_add(w->o, ia3_scale(t, w->d)),
                              ia_point(w->s->t), order, w->s->scratch, jet);
}

static abut_krawczyk_status contract_line(const walk *w, ia t, abut_interval *next)
{
    abut_field_jet jet, middle;
    const double mid = ia_mid(t);
    *next = ia_to(t);
    if (!field_along(w, t, 1, &jet) || !field_along(w, ia_point(mid), 0, &middle))
        return ABUT_KRAWCZYK_UNKNOWN;
    const abut_interval x = ia_to(t), value = ia_to(middle.f), slope = ia_to(ia3_dot(jet.g, w->d));
    return abut_interval_krawczyk(1, &x, &mid, &value, &slope, next);
}

static abut_truth is_on(const walk *w, ia t)
{
    return abut_feature_on(&w->s->surface, w->face, ia3_add(w->o, ia3_scale(t, w->d)), ia_point(w->s->t),
                           w->s->scratch);
}

static bool keep_implicit(walk *w, ia unique, abut_interval cell, abut_interval next)
{
    abut_line_crossing c = { .face = w->face, .certain = true, .unique = { ia_to(unique) } };
    for (int step = 0; step < 50; ++step) {
        abut_interval again;
        const double width = next.hi - next.lo;
        if (contract_line(w, ia_from(next), &again) == ABUT_KRAWCZYK_NONE)
            return true;
        next = again;
        if (!(next.hi - next.lo < 0.96875 * width))
            break;
    }
    if (!is_narrow(w, next))
        return false;
    if (next.lo > cell.hi || next.hi < cell.lo || ia_is_empty(ia_intersect(ia_from(next), w->range)))
        return true;
    const abut_truth on = is_on(w, ia_from(next));
    if (on == ABUT_NOWHERE)
        return true;
    abut_field_jet jet;
    if (field_along(w, ia_from(next), 1, &jet))
        c.sign = ia_sign(ia3_dot(jet.g, w->d));
    c.t = c.q[0] = next;
    c.certain = on == ABUT_EVERYWHERE && c.sign != 0;
    c.normal = normal_at(w, c.q, ia_from(next));
    keep(w, &c, 1);
    return true;
}

static void walk_implicit(walk *w)
{
    abut_interval stack[STACK];
    int n = 1;
    stack[0] = ia_to(w->range);
    while (n > 0) {
        const abut_interval b = stack[--n];
        const ia t = ia_from(b), wide = widened(t, 0.0625);
        abut_field_jet jet;
        --w->budget;
        const bool defined = field_along(w, t, 1, &jet);
        if (defined && !ia_contains_zero(jet.f))
            continue;
        if (is_on(w, t) == ABUT_NOWHERE)
            continue;
        abut_interval next;
        const abut_krawczyk_status status = contract_line(w, wide, &next);
        if (status == ABUT_KRAWCZYK_NONE)
            continue;
        if (status == ABUT_KRAWCZYK_UNIQUE && keep_implicit(w, wide, b, next))
            continue;
        const double mid = b.lo + 0.484375 * (b.hi - b.lo);
        const double size = fmax(fabs(b.lo), fabs(b.hi));
        if (w->budget < 0 || n + 2 > STACK || b.hi - b.lo < 0x1p-46 * size || !(b.lo < mid && mid < b.hi)) {
            const box none = { { b, { 0, 0 } } };
            keep_doubtful(w, &none, t);
            continue;
        }
        stack[n++] = (abut_interval){ mid, b.hi };
        stack[n++] = (abut_interval){ b.lo, mid };
    }
}

/* ---- all faces ---- */

static void sort(abut_line_crossing *c, size_t n)
{
    for (size_t i = 1; i < n; ++i) {
        const abut_line_crossing x = c[i];
        size_t j = i;
        for (; j > 0 && c[j - 1].t.lo > x.t.lo; --j)
            c[j] = c[j - 1];
        c[j] = x;
    }
}

/* The part of the range in which the line is in the body's box; false where there is none. */
static bool clip(const walk *w, ia *range)
{
    const ia3 b = w->s->bounds;
    for (int i = 0; i < 3; ++i) {
        const ia d = ia3_part(w->d, i), away = ia_sub(ia3_part(b, i), ia3_part(w->o, i));
        if (ia_contains_zero(d)) {
            if (ia_lo(d) == 0 && ia_hi(d) == 0 && !ia_contains_zero(away))
                return false;
            continue;
        }
        *range = ia_intersect(*range, ia_div(away, d));
        if (ia_is_empty(*range))
            return false;
    }
    return true;
}

size_t abut_line_cross_surface(const abut_placed_surface *s, ia3 o, ia3 d, abut_interval range,
                               abut_line_crossing *out, size_t capacity, bool *complete)
{
    walk w = { .s = s, .o = o, .d = d, .out = out, .capacity = capacity, .complete = true };
    w.range = ia_from(range);
    const double size[3] = { ia_mag(d.x), ia_mag(d.y), ia_mag(d.z) };
    w.axis = size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
    if (clip(&w, &w.range)) {
        w.range = widened(w.range, 0x1p-20);
        w.range = ia_intersect(w.range, ia_from(range));
        /* A ray that soon leaves the body's box is known to rounding at best. */
        const double extent = fmax(ia_width(s->bounds.x), fmax(ia_width(s->bounds.y), ia_width(s->bounds.z)));
        const double rounding = 0x1p-46 * extent / size[w.axis];
        const int budget = (int)abut_work_budget(BUDGET, s->surface.work);
        w.narrow = fmax(0x1p-36 * ia_width(w.range), rounding < HUGE_VAL ? rounding : 0);
        for (size_t i = 0; i < s->surface.feature_count; ++i) {
            w.face = &s->surface.features[i];
            w.budget = budget;
            if (w.face->dimension == 0 && w.face->smooth && !s->surface.implicit)
                meet_pole(&w);
            else if (w.face->dimension == 2 && w.face->field_count == 1)
                walk_implicit(&w);
            else if (w.face->dimension == 2)
                walk_parametric(&w);
            if (s->boxes)
                *s->boxes += each_of_ray * (uint64_t)(budget - w.budget);
        }
    }
    sort(out, w.count);
    *complete = w.complete;
    return w.count;
}

/* Number of times that the boundary winds about the point, along one ray; false where the ray
 * does not say. */
static bool wind(const abut_placed_surface *s, ia3 x, abut_vec3 direction, int *turns)
{
    enum { MOST = 64 };
    abut_line_crossing c[MOST];
    bool complete;
    const abut_interval ahead = { 0, DBL_MAX };
    const size_t n = abut_line_cross_surface(s, x, ia3_point(direction), ahead, c, MOST, &complete);
    *turns = 0;
    for (size_t i = 0; i < n; ++i) {
        if (!c[i].certain || !(c[i].t.lo > 0))
            return false;
        *turns += c[i].sign;
    }
    return complete;
}

abut_truth abut_surface_classify(const abut_placed_surface *s, ia3 x)
{
    static const abut_vec3 ways[4] = { { 0.5703, 0.3125, 0.7594 },
                                       { -0.6328, 0.7031, 0.3242 },
                                       { 0.2109, -0.8281, -0.5195 },
                                       { -0.4141, -0.3672, 0.8328 } };
    if (s->surface.implicit)
        return abut_surface_inside(&s->surface, x, ia_point(s->t), s->scratch);
    if (!s->surface.solid)
        return ABUT_SOMEWHERE;
    for (int i = 0; i < 4; ++i) {
        int turns;
        if (!wind(s, x, ways[i], &turns))
            continue;
        turns += s->surface.outside; /* far away is material then */
        if (turns >= 0)              /* 2 and more: in several parts of the body at once */
            return turns > 0 ? ABUT_EVERYWHERE : ABUT_NOWHERE;
    }
    return ABUT_SOMEWHERE;
}
