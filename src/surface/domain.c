/* SPDX-License-Identifier: MIT */
/* Features of a parametric surface from its rectangle: which sides wrap, which are one point, which
 * are edges.
 *
 * What may lose a contact needs proof, the rest may be examined in points:
 * - collapsed: an enclosure of the whole side is smaller than 1e-9 of the surface. The side then has
 *   no edge, but a vertex whose enclosure is the whole side, so that nothing is lost, whatever its
 *   size. The vertex is `smooth` where the normals around it agree to 1e-10 in many points.
 * - wraps: the user's word; an error where points of both sides are proved to be apart by more than
 *   1e-3 of the surface. Where tangents across differ, the seam stays an edge.
 * - seam: sides that agree in many points though nobody said so: closed, but an edge stays there.
 * A surface that deforms is examined over all time, or, where its expressions are not bounded then,
 * over [-1024, 1024] stretch by stretch; its seams and size at a few instants. */
#include "surface/image.h"
#include "surface/parametric.h"

static const double collapsed_size = 1e-9, seam_size = 1e-9, apart_size = 1e-3, smooth_seam = 1e-6,
                    smooth_pole = 1e-10;

enum { grid = 9, samples = 33, most_stretches = 8192 };

/* Of time, in which a side is examined: surfaces may grow like exp(t). */
static const double shortest = 0.0625;

typedef struct study {
    abut_parametric_body *body;
    ia *scratch;
    abut_domain_trouble *trouble;
} study;

static double span(ia3 a)
{
    return fmax(ia_width(a.x), fmax(ia_width(a.y), ia_width(a.z)));
}

static double magnitude(ia3 a)
{
    return fmax(ia_mag(a.x), fmax(ia_mag(a.y), ia_mag(a.z)));
}

/* Least distance from zero, as far as one coordinate shows it. */
static double away(ia3 a)
{
    return fmax(ia_mig(a.x), fmax(ia_mig(a.y), ia_mig(a.z)));
}

static ia3 nothing(void)
{
    return (ia3){ ia_empty(), ia_empty(), ia_empty() };
}

/* A point of the range; ends exactly. */
static double point_of(abut_interval range, int i, int count)
{
    if (i == 0)
        return range.lo;
    return i == count - 1 ? range.hi : range.lo + (range.hi - range.lo) * ((double)i / (count - 1));
}

static void instants(const study *s, ia t[3], int *count)
{
    *count = s->body->def.deforms ? 3 : 1;
    t[0] = ia_point(0);
    t[1] = ia_point(1);
    t[2] = ia_point(0.3828125); /* no zero of anything likely */
}

/* Extent of the surface at an instant by points; finds where it is not defined. False where it is
 * defined nowhere at a point. */
static bool examine_instant(study *s, ia t, double *size)
{
    abut_parametric_body *body = s->body;
    ia3 hull = nothing();
    for (int i = 0; i < grid; ++i)
        for (int j = 0; j < grid; ++j) {
            const double u = point_of(body->def.range[0], i, grid), v = point_of(body->def.range[1], j, grid);
            const ia box[2] = { ia_point(u), ia_point(v) };
            abut_jet at;
            /* Rounding alone may leave a domain, as that of sqrt(1 - u^2) at 1, but then
             * something finite is left. */
            if (!abut_parametric_jet(body, box, t, 0, s->scratch, &at) && !body->def.deforms &&
                !(magnitude(at.p) < HUGE_VAL)) {
                *s->trouble = (abut_domain_trouble){ .undefined = true, .u = u, .v = v };
                return false;
            }
            if (magnitude(at.p) < HUGE_VAL)
                hull = ia3_hull(hull, at.p);
        }
    *size = ia3_is_empty(hull) ? 0 : span(hull);
    return true;
}

/* The largest extent of the surface at a few instants. */
static bool evaluate(study *s)
{
    abut_parametric_body *body = s->body;
    ia t[3];
    int instant_count;
    instants(s, t, &instant_count);
    body->size = 0;
    for (int k = 0; k < instant_count; ++k) {
        double size;
        if (!examine_instant(s, t[k], &size))
            return false;
        body->size = fmax(body->size, size);
    }
    return true;
}

/* ---- sides ---- */

/* An enclosure of a side in so many pieces. */
static ia3 side_hull(const study *s, int side, int pieces, ia t)
{
    ia3 hull = nothing();
    for (int i = 0; i < pieces; ++i) {
        ia box[2];
        abut_jet at;
        abut_parametric_place(s->body, side, abut_parametric_piece(s->body, side, i, pieces), box);
        abut_parametric_jet(s->body, box, t, 0, s->scratch, &at);
        hull = ia3_hull(hull, at.p);
    }
    return hull;
}

/* A lower bound of the extent of the surface all through a stretch of time, from a few points. */
static double size_over(const study *s, ia t)
{
    enum { points = 9 };
    ia3 p[points];
    double most = 0;
    for (int i = 0; i < points; ++i) {
        const ia box[2] = { ia_point(point_of(s->body->def.range[0], i % 3, 4)),
                            ia_point(point_of(s->body->def.range[1], i / 3 + 1, 5)) };
        abut_jet at;
        if (!abut_parametric_jet(s->body, box, t, 0, s->scratch, &at))
            return 0;
        p[i] = at.p;
        for (int j = 0; j < i; ++j)
            most = fmax(most, away(ia3_sub(p[i], p[j])));
    }
    return most < HUGE_VAL ? most : 0;
}

/* Over a stretch of time the point may move: then the side is small where it is so relative to
 * one of its own points, and to the surface at that time. */
static bool side_is_point(const study *s, int side, int pieces, ia t)
{
    double limit = collapsed_size * s->body->size;
    if (ia_is_point(t))
        return span(side_hull(s, side, pieces, t)) <= limit;
    limit = fmax(limit, collapsed_size * size_over(s, t));
    double extent = 0;
    for (int i = 0; i < pieces; ++i) {
        const ia along = abut_parametric_piece(s->body, side, i, pieces);
        ia box[2];
        abut_jet at;
        abut_parametric_place(s->body, side, along, box);
        abut_parametric_jet(s->body, box, t, 1, s->scratch, &at);
        extent += magnitude(side >> 1 ? at.u : at.v) * ia_width(along);
    }
    return extent <= limit;
}

/* Whether the surface is nowhere defined or bounded at an instant. */
static bool is_nowhere(const study *s, double t)
{
    const ia box[2] = { ia_point(point_of(s->body->def.range[0], 1, 4)),
                        ia_point(point_of(s->body->def.range[1], 1, 4)) };
    abut_jet at;
    return !abut_parametric_jet(s->body, box, ia_point(t), 0, s->scratch, &at) ||
           !(magnitude(at.p) < HUGE_VAL);
}

/* The same at the ends of a stretch of time and between. */
static bool is_nowhere_in(const study *s, ia t)
{
    for (int i = 0; i <= 4; ++i)
        if (!is_nowhere(s, ia_lo(t) + 0.25 * i * (ia_hi(t) - ia_lo(t))))
            return false;
    return true;
}

/* The same stretch by stretch, as the surface may grow by many orders of magnitude. Stretches in which
 * it is not defined, or not bounded, do not count. */
static bool is_point_throughout(const study *s, int side, int pieces, ia t, int *budget)
{
    if ((*budget)-- <= 0)
        return false;
    if (side_is_point(s, side, pieces, t))
        return true;
    if (is_nowhere_in(s, t))
        return true;
    const double middle = ia_mid(t);
    if (ia_width(t) < shortest)
        return is_nowhere(s, ia_lo(t)) || is_nowhere(s, middle) || is_nowhere(s, ia_hi(t));
    return is_point_throughout(s, side, pieces, ia_make(ia_lo(t), middle), budget) &&
           is_point_throughout(s, side, pieces, ia_make(middle, ia_hi(t)), budget);
}

static bool collapses(const study *s, int side, int pieces)
{
    int budget = most_stretches;
    if (!s->body->def.deforms)
        return side_is_point(s, side, pieces, ia_point(0));
    return side_is_point(s, side, pieces, ia_entire()) ||
           is_point_throughout(s, side, pieces, ia_make(-1024, 1024), &budget);
}

static void find_collapsed(study *s)
{
    for (int side = 0; side < ABUT_SIDES; ++side)
        for (int pieces = 1; pieces <= ABUT_SIDE_PIECES && s->body->side[side] == ABUT_SIDE_OPEN; pieces *= 8)
            if (collapses(s, side, pieces)) {
                s->body->side[side] = ABUT_SIDE_COLLAPSED;
                s->body->pieces[side] = pieces;
            }
}

/* How far opposite sides of a parameter are apart in points: the most that is proved, and the
 * most that is possible; and whether the tangents across agree. */
typedef struct agreement {
    double proved, possible;
    bool smooth;
    double at; /* where the most is proved */
} agreement;

static agreement compare_sides(const study *s, int parameter)
{
    agreement out = { 0, 0, true, 0 };
    const abut_interval range = s->body->def.range[!parameter];
    ia t[3];
    int instant_count;
    instants(s, t, &instant_count);
    for (int k = 0; k < instant_count; ++k)
        for (int i = 0; i < samples; ++i) {
            const double w = point_of(range, i, samples);
            ia box[2];
            abut_jet lo, hi;
            abut_parametric_place(s->body, 2 * parameter, ia_point(w), box);
            abut_parametric_jet(s->body, box, t[k], 1, s->scratch, &lo);
            abut_parametric_place(s->body, 2 * parameter + 1, ia_point(w), box);
            abut_parametric_jet(s->body, box, t[k], 1, s->scratch, &hi);
            const ia3 gap = ia3_sub(lo.p, hi.p);
            if (away(gap) > out.proved) {
                out.proved = away(gap);
                out.at = w;
            }
            out.possible = fmax(out.possible, magnitude(gap));
            const ia3 from = parameter ? hi.v : hi.u, to = parameter ? lo.v : lo.u;
            const double across = fmax(magnitude(from), magnitude(to));
            if (!(magnitude(ia3_sub(from, to)) <= smooth_seam * across + seam_size * s->body->size))
                out.smooth = false;
        }
    return out;
}

static bool find_seams(study *s)
{
    abut_parametric_body *body = s->body;
    for (int p = 0; p < 2; ++p) {
        abut_side_kind *lo = &body->side[2 * p], *hi = &body->side[2 * p + 1];
        if (*lo == ABUT_SIDE_COLLAPSED || *hi == ABUT_SIDE_COLLAPSED)
            continue;
        const agreement a = compare_sides(s, p);
        if (body->def.wraps[p]) {
            if (a.proved > apart_size * body->size) {
                *s->trouble = (abut_domain_trouble){ .apart = true, .u = a.at, .v = a.at, .parameter = p };
                return false;
            }
            *lo = *hi = a.smooth ? ABUT_SIDE_SMOOTH : ABUT_SIDE_SEAM;
        } else if (a.possible <= seam_size * body->size) {
            *lo = *hi = ABUT_SIDE_SEAM;
        }
    }
    return true;
}

/* ---- features ---- */

static abut_surface_feature *add(abut_parametric_body *body, abut_feature kind, int dimension, uint32_t data,
                                 int normal_count)
{
    abut_surface_feature *f = &body->features[body->feature_count++];
    int64_t id = 0;
    for (const abut_surface_feature *g = body->features; g < f; ++g)
        id += g->kind == kind;
    *f = (abut_surface_feature){ .kind = kind,
                                 .dimension = dimension,
                                 .parametric = true,
                                 .normal_count = normal_count,
                                 .id = id,
                                 .data = data };
    return f;
}

/* Whether the normals around a pole agree. */
static bool pole_is_smooth(const study *s, int side)
{
    const int other = 2 * !(side >> 1);
    if (s->body->side[other] != ABUT_SIDE_SMOOTH)
        return false;
    const abut_interval range = s->body->def.range[other >> 1];
    ia t[3];
    int instant_count;
    instants(s, t, &instant_count);
    for (int k = 0; k < instant_count; ++k) {
        ia3 first = nothing();
        for (int i = 0; i < samples; ++i) {
            const ia w = ia_point(point_of(range, i, samples));
            const ia3 n = abut_parametric_pole_normal(s->body, side, w, t[k], s->scratch);
            if (i == 0)
                first = n;
            const double size = away(n) * away(first);
            if (!(size > 0) || !(magnitude(ia3_cross(n, first)) <= smooth_pole * size) ||
                !(ia_lo(ia3_dot(n, first)) > 0))
                return false;
        }
    }
    return true;
}

static bool is_edge(abut_side_kind kind)
{
    return kind == ABUT_SIDE_OPEN || kind == ABUT_SIDE_SEAM;
}

static void add_features(const study *s)
{
    abut_parametric_body *body = s->body;
    const abut_side_kind *side = body->side;
    abut_surface_feature *face = add(body, ABUT_FEATURE_FACE, 2, 0, 1);
    for (int p = 0; p < 2; ++p) {
        face->range[p] = body->def.range[p];
        face->wraps[p] = side[2 * p] == ABUT_SIDE_SMOOTH;
    }
    for (int i = 0; i < ABUT_SIDES; ++i) {
        if (!is_edge(side[i]) || (side[i] == ABUT_SIDE_SEAM && (i & 1)))
            continue;
        abut_surface_feature *edge =
            add(body, ABUT_FEATURE_EDGE, 1, (uint32_t)i, side[i] == ABUT_SIDE_SEAM ? 2 : 1);
        const int along = !(i >> 1);
        edge->range[0] = body->def.range[along];
        edge->wraps[0] = side[2 * along] == ABUT_SIDE_SMOOTH;
    }
    for (int i = 0; i < ABUT_SIDES; ++i)
        if (side[i] == ABUT_SIDE_COLLAPSED)
            add(body, ABUT_FEATURE_VERTEX, 0, (uint32_t)i, ABUT_FEATURE_MAX_NORMALS)->smooth =
                pole_is_smooth(s, i);
    for (int corner = 0; corner < 4; ++corner) {
        const int i = corner & 1, j = 2 + (corner >> 1);
        if (!is_edge(side[i]) || !is_edge(side[j]) || (side[i] == ABUT_SIDE_SEAM && (i & 1)) ||
            (side[j] == ABUT_SIDE_SEAM && (j & 1)))
            continue;
        const int same = (side[i] == ABUT_SIDE_SEAM ? 2 : 1) * (side[j] == ABUT_SIDE_SEAM ? 2 : 1);
        add(body, ABUT_FEATURE_VERTEX, 0, (uint32_t)corner | ABUT_PARAMETRIC_CORNER, same);
    }
}

/* ---- bounds ---- */

static void point_over(const void *ctx, const ia box[2], ia *scratch, ia3 *out)
{
    abut_jet at;
    abut_parametric_jet((const abut_parametric_body *)ctx, box, ia_point(0), 0, scratch, &at);
    *out = at.p;
}

bool abut_domain_study(abut_parametric_body *body, ia *scratch, abut_domain_trouble *trouble)
{
    study s = { body, scratch, trouble };
    if (!evaluate(&s))
        return false;
    find_collapsed(&s);
    if (!find_seams(&s))
        return false;
    add_features(&s);
    if (!body->def.deforms)
        body->bounds =
            abut_image_bounds(point_over, body, body->def.range, body->size, 8, body->def.map.work, scratch);
    bool closed = true;
    for (int i = 0; i < ABUT_SIDES; ++i)
        closed = closed && body->side[i] != ABUT_SIDE_OPEN;
    return closed;
}
