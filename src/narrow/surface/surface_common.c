/* SPDX-License-Identifier: MIT */
/* Whether two bodies have a point in common, where at least one of them is known by fields, without
 * asking how far apart they are: far less work.
 *
 * Both by fields: the boxes of space that both bounds share are halved until one body is nowhere in
 * them; what is left over of no box is proof that they have no point in common. A box all inside
 * both, or the middle of one, is a point in both interiors. Between two faces that are close to
 * each other, f of one and g of the other are both about zero all over a box; but with p > 0 such
 * that their gradients about cancel, f + p g, which is not positive at common points, is about the
 * gap, up to the square of the size of the box: boxes need not be as small as the gap.
 *
 * One by faces with parameters: the boxes of the parameters of its faces, whose image, with a
 * margin around it, is to be outside the other. When all are, the boundaries are as far apart as
 * the margin, and surface_inside.c tells whether one is inside the other. A face with a point
 * inside the other is a point in common; next to it there are points inside both, if it bounds a
 * solid. */
#include "narrow/surface/surface_pair.h"

enum { STACK = 256, SPACE = 3 };

typedef struct cell {
    abut_interval q[SPACE];
} cell;

/* Cells still to be examined. */
typedef struct pile {
    cell at[STACK];
    int count, dimension;
    double least[SPACE]; /* not halved below these widths */
    uint64_t budget;
    bool unknown; /* a cell was left undecided */
} pile;

/* Cells are halved `depth` times in each direction at most. */
static void start(pile *p, int dimension, const ia *q, int depth, uint64_t budget)
{
    p->count = 1;
    p->dimension = dimension;
    p->budget = budget;
    p->unknown = false;
    for (int k = 0; k < dimension; ++k) {
        p->at[0].q[k] = ia_to(q[k]);
        p->least[k] = ldexp(p->at[0].q[k].hi - p->at[0].q[k].lo, -depth);
    }
}

static bool take(pile *p, cell *c, ia *q)
{
    if (p->count == 0 || p->budget == 0)
        return false;
    --p->budget;
    *c = p->at[--p->count];
    for (int k = 0; k < p->dimension; ++k)
        q[k] = ia_from(c->q[k]);
    return true;
}

/* The widest side, in parts of the whole. */
static void halve(pile *p, const cell *c)
{
    int k = 0;
    double most = 0;
    for (int i = 0; i < p->dimension; ++i) {
        const double part = (c->q[i].hi - c->q[i].lo) / p->least[i];
        if (part > most) {
            k = i;
            most = part;
        }
    }
    const double mid = 0.5 * c->q[k].lo + 0.5 * c->q[k].hi;
    if (!(most > 1) || p->count + 2 > STACK || !(c->q[k].lo < mid && mid < c->q[k].hi)) {
        p->unknown = true;
        return;
    }
    p->at[p->count] = p->at[p->count + 1] = *c;
    p->at[p->count].q[k].hi = mid;
    p->at[p->count + 1].q[k].lo = mid;
    p->count += 2;
}

static int outcome(const pile *p)
{
    return p->count > 0 || p->unknown ? -1 : 0;
}

static ia grown(ia x, double margin)
{
    return ia_add(x, ia_make(-margin, margin));
}

static ia3 grown3(ia3 x, double margin)
{
    return (ia3){ grown(x.x, margin), grown(x.y, margin), grown(x.z, margin) };
}

static ia3 in_common(const abut_placed_surface *s, ia3 x)
{
    return s->moved ? ia_affine_apply(&s->place, x) : x;
}

/* The box that the bounds of both share; false when there is none. *finite: it can be halved. */
static bool share(const abut_placed_surface *a, const abut_placed_surface *b, ia *q, bool *finite)
{
    const ia any = ia_entire();
    const ia3 all = { any, any, any };
    const ia3 of_a = a->surface.outside || a->surface.unknown_side ? all : in_common(a, a->bounds);
    const ia3 of_b = b->surface.outside || b->surface.unknown_side ? all : in_common(b, b->bounds);
    const ia sides[2][3] = { { of_a.x, of_a.y, of_a.z }, { of_b.x, of_b.y, of_b.z } };
    *finite = true;
    for (int k = 0; k < 3; ++k) {
        if (ia_lo(sides[0][k]) > ia_hi(sides[1][k]) || ia_lo(sides[1][k]) > ia_hi(sides[0][k]))
            return false;
        q[k] = ia_intersect(sides[0][k], sides[1][k]);
        *finite = *finite && ia_is_finite(q[k]);
    }
    return true;
}

static double widest(ia3 x)
{
    return fmax(ia_width(x.x), fmax(ia_width(x.y), ia_width(x.z)));
}

void abut_walls_over(const abut_surface *s, ia3 x, ia3 middle, ia t, ia *scratch, abut_walls *out)
{
    out->count = 0;
    for (size_t i = 0; i < s->feature_count && out->count < ABUT_WALLS_MOST; ++i) {
        const abut_surface_feature *const f = &s->features[i];
        abut_field_jet over, at;
        if (f->dimension != 2 || f->field_count != 1 ||
            !abut_feature_field(s, f, 0, x, t, 1, scratch, &over) || ia_hi(over.f) < 0 ||
            !abut_feature_field(s, f, 0, middle, t, 0, scratch, &at) ||
            !abut_feature_needed(s, f, x, t, scratch))
            continue;
        out->middle[out->count] = at.f;
        out->slope[out->count++] = over.g;
    }
}

static bool is_positive(ia middle, ia3 slope, ia3 away)
{
    return ia_is_positive(ia_add(middle, ia3_dot(slope, away)));
}

static double size_of(ia3 g)
{
    const double x = ia_mid(g.x), y = ia_mid(g.y), z = ia_mid(g.z);
    return sqrt(x * x + y * y + z * z);
}

bool abut_walls_part(const abut_walls *a, const abut_walls *b, ia3 away)
{
    for (int i = 0; i < a->count; ++i)
        if (is_positive(a->middle[i], a->slope[i], away))
            return true;
    for (int j = 0; j < b->count; ++j)
        if (is_positive(b->middle[j], b->slope[j], away))
            return true;
    for (int i = 0; i < a->count; ++i)
        for (int j = 0; j < b->count; ++j) {
            const double part = size_of(a->slope[i]) / size_of(b->slope[j]);
            if (part > 0 && isfinite(part) &&
                is_positive(ia_add(a->middle[i], ia_scale(part, b->middle[j])),
                            ia3_add(a->slope[i], ia3_scale(ia_point(part), b->slope[j])), away))
                return true;
        }
    return false;
}

/* In the common frame. */
static void walls_of(const abut_placed_surface *s, ia3 x, ia3 middle, abut_walls *out)
{
    abut_walls_over(&s->surface, abut_placed_local(s, x), abut_placed_local(s, middle), ia_point(s->t),
                    s->scratch, out);
    for (int i = 0; i < out->count && s->moved; ++i)
        out->slope[i] = ia33_mul3(&s->covectors, out->slope[i]);
}

/* Both by fields. */
static int in_space(const abut_placed_surface *a, const abut_placed_surface *b, const ia *shared, int depth,
                    uint64_t budget)
{
    pile p;
    cell c;
    ia q[SPACE];
    start(&p, 3, shared, depth, budget);
    while (take(&p, &c, q)) {
        const ia3 x = { q[0], q[1], q[2] };
        const abut_truth in_a = abut_placed_inside(a, x);
        const abut_truth in_b = in_a == ABUT_NOWHERE ? ABUT_NOWHERE : abut_placed_inside(b, x);
        if (in_a == ABUT_NOWHERE || in_b == ABUT_NOWHERE)
            continue;
        const ia3 middle = { ia_point(ia_mid(q[0])), ia_point(ia_mid(q[1])), ia_point(ia_mid(q[2])) };
        if (abut_placed_inside(a, middle) == ABUT_EVERYWHERE &&
            abut_placed_inside(b, middle) == ABUT_EVERYWHERE)
            return 1;
        abut_walls walls[2];
        walls_of(a, x, middle, &walls[0]);
        walls_of(b, x, middle, &walls[1]);
        if (!abut_walls_part(&walls[0], &walls[1], ia3_sub(x, middle)))
            halve(&p, &c);
    }
    return outcome(&p);
}

/* A face of x against y, which is known by fields. */
static int on_face(const abut_placed_surface *x, const abut_surface_feature *f, const abut_placed_surface *y,
                   double margin, uint64_t *budget, abut_surface_spot *spot)
{
    pile p;
    cell c;
    ia q[SPACE];
    abut_chart chart;
    int axis = -1;
    abut_chart_range(x, f, q);
    start(&p, 2, q, 24, *budget);
    while (take(&p, &c, q)) {
        abut_chart_enclose(x, f, q, 0, &axis, &chart);
        if (chart.defined && abut_placed_inside(y, grown3(chart.p, margin)) == ABUT_NOWHERE)
            continue;
        const bool small = chart.defined && widest(chart.p) < 0.25 * margin;
        const double at[2] = { ia_mid(q[0]), ia_mid(q[1]) };
        const ia middle[2] = { ia_point(at[0]), ia_point(at[1]) };
        abut_chart_enclose(x, f, middle, 0, &axis, &chart);
        if (chart.defined && abut_placed_inside(y, chart.p) == ABUT_EVERYWHERE) {
            abut_surface_spot_set(x, f, at, spot);
            return 1;
        }
        if (small) /* the margin is too large here; there may be a point in common elsewhere */
            p.unknown = true;
        else
            halve(&p, &c);
    }
    *budget = p.budget;
    return outcome(&p);
}

static bool has_faces(const abut_placed_surface *x)
{
    bool any = false;
    for (size_t i = 0; i < x->surface.feature_count; ++i) {
        const abut_surface_feature *f = &x->surface.features[i];
        if (f->dimension == 2 && (!f->parametric || !isfinite(f->range[0].hi - f->range[0].lo) ||
                                  !isfinite(f->range[1].hi - f->range[1].lo)))
            return false;
        any = any || f->dimension == 2;
    }
    return any;
}

/* All faces of x against y. */
static int on_faces(const abut_placed_surface *x, const abut_placed_surface *y, double margin,
                    uint64_t budget, abut_surface_spot *spot)
{
    int result = 0;
    for (size_t i = 0; i < x->surface.feature_count; ++i) {
        const abut_surface_feature *f = &x->surface.features[i];
        const int found = f->dimension == 2 ? on_face(x, f, y, margin, &budget, spot) : 0;
        if (found == 1)
            return 1;
        if (found < 0)
            result = -1;
    }
    return result;
}

typedef struct asked {
    int result;
    double apart; /* > 0 with result 0: whether one is inside the other is still to be asked */
} asked;

static ABUT_NOINLINE void ask(const abut_placed_surface *a, const abut_placed_surface *b, uint64_t budget,
                              abut_surface_spot *spot, asked *out)
{
    ia shared[SPACE];
    bool finite;
    *out = (asked){ .result = 0 };
    if (!share(a, b, shared, &finite))
        return;
    out->result = -1;
    if (!finite)
        return;
    if (a->surface.implicit && b->surface.implicit) {
        /* Everywhere a little first: most points in common are soon found, but not where the
         * search begins. */
        for (int depth = 5; depth <= 20 && out->result < 0; depth += 5)
            out->result = in_space(a, b, shared, depth, budget);
        return;
    }
    const abut_placed_surface *const x = a->surface.implicit ? b : a, *const y = a->surface.implicit ? a : b;
    if (!y->surface.implicit || !has_faces(x))
        return;
    /* The largest margin that is free leaves the least to do inside. */
    const double size = widest((ia3){ shared[0], shared[1], shared[2] });
    for (int power = -3; power >= -17 && out->result < 0; power -= 2) {
        out->apart = ldexp(size, power);
        out->result = on_faces(x, y, out->apart, budget, spot);
    }
}

int abut_surface_common(const abut_placed_surface *a, const abut_placed_surface *b, uint64_t max_boxes,
                        abut_surface_spot *spot)
{
    asked found;
    const abut_rounding saved = abut_rounding_enter();
    ask(a, b, max_boxes, spot, &found);
    abut_rounding_leave(saved);
    if (found.result != 0 || !(found.apart > 0))
        return found.result;
    /* The one by faces is not inside the other, as its boundary is outside. */
    const uint64_t boxes = 10 * max_boxes; /* those are small work */
    return a->surface.implicit ? abut_surface_contains(b, a, found.apart, boxes, spot)
                               : abut_surface_contains(a, b, found.apart, boxes, spot);
}
