/* SPDX-License-Identifier: MIT */
/* Where two convex bodies touch, as a few points spread over the region of contact.
 *
 * Each body offers the feature that faces the other along the contact normal: a polygon (face of a
 * box or hull, disc of a cylinder or cone as an octagon on its rim), a segment (edge of a flat
 * hull, side line of a cylinder, cone or capsule) or its one furthest point. The polygon that faces
 * the normal best is the reference: the other feature is clipped by its sides, and what lies below
 * it is kept. Two segments share a stretch where they are parallel. In all other cases the contact
 * is the middle of the two witnesses. Too many points are thinned out: the deepest, the one
 * furthest from it, then those that stretch the polygon most.
 *
 * These points are for people and engines; nothing here is certified. */
#include "narrow/distance/convex.h"
#include "narrow/pair/box_features.h"

enum { MOST = 48 };

/* A face takes part as such when the normal is within about 3 degrees of it. */
static const double facing = 0.9986;
/* Segments run side by side when the sine of their angle is at most this. */
static const double parallel = 0.05;

/* Of a point that a cut made: the edge that was cut, and the side that did it; by < 0 for
 * others. */
typedef struct crossing {
    int edge, by;
} crossing;

static const crossing no_crossing = { 0, -1 };

/* 1: a point, 2: a segment, more: a polygon, counter-clockwise from outside. Only `count` of the
 * rest is filled. */
typedef struct ring {
    int count;
    abut_vec3 p[MOST];
    int64_t vertex[MOST]; /* ids of the corners; -1: none */
    /* that leads on from each point: i is side i of what was cut, ~i that of what cut it */
    int edge[MOST];
    crossing made[MOST];
} ring;

typedef struct outline {
    ring r;
    abut_vec3 normal;     /* of a polygon, outward */
    abut_feature feature; /* that the whole of it is */
    int64_t id;
    /* for the corners, which are those of face `id` of a hull: its normal may be all that is
     * wanted */
    bool waits;
} outline;

typedef struct hit {
    abut_vec3 p;
    double depth;
    /* Until it is named, what a clip left of a polygon. */
    int64_t vertex;
    crossing made;
    abut_feature features[2];
    int64_t ids[2];
} hit;

/* ---- features of the cores, in their own frames; n is the direction towards the other body
 * ---- */

static void add(ring *r, abut_vec3 p, int64_t vertex)
{
    r->p[r->count] = p;
    r->vertex[r->count] = vertex;
    r->edge[r->count] = r->count;
    r->made[r->count++] = no_crossing;
}

static void outline_box(const abut_core *core, abut_vec3 n, outline *o)
{
    const double size[3] = { fabs(n.x), fabs(n.y), fabs(n.z) };
    int axis = size[1] > size[0] ? 1 : 0;
    if (size[2] > size[axis])
        axis = 2;
    const bool positive = abut_part3(n, axis) > 0;
    const int other[2] = { (axis + 1) % 3, (axis + 2) % 3 };
    for (int i = 0; i < 4; ++i) {
        const int k = positive ? i : 3 - i;
        const bool s = k == 1 || k == 2, t = k >= 2;
        const uint32_t corner =
            (uint32_t)positive << axis | (uint32_t)s << other[0] | (uint32_t)t << other[1];
        add(&o->r, abut_core_vertex(core, corner), corner);
    }
    const double sign = positive ? 1 : -1;
    o->normal = abut_v3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
    o->feature = ABUT_FEATURE_FACE;
    o->id = 2 * axis + positive;
}

/* Of the faces at the vertex furthest along n the one whose normal is nearest to n; of all where
 * it is not known which those are. */
static uint32_t best_face(const abut_hull *hull, abut_vec3 n)
{
    uint32_t best = 0;
    double most = -2;
    if (!hull->link_face) {
        for (uint32_t i = 0; i < hull->face_count; ++i) {
            const double value = abut_dot(n, hull->face_normal[i]);
            best = value > most ? i : best;
            most = value > most ? value : most;
        }
        return best;
    }
    const uint32_t v = abut_hull_support(hull, n, 0);
    for (uint32_t k = hull->link_begin[v]; k < hull->link_begin[v + 1]; ++k) {
        const uint32_t face = hull->link_face[k];
        const double value = abut_dot(n, hull->face_normal[face]);
        best = value > most ? face : best;
        most = value > most ? value : most;
    }
    return best;
}

static void outline_hull(const abut_core *core, abut_vec3 n, outline *o)
{
    const abut_hull *hull = core->hull;
    if (hull->face_count ==
        0) { /* a point, a segment, or a hull that has no faces because it is almost flat */
        const uint32_t count = hull->dimension == 1 ? 2 : 1;
        uint32_t first = hull->dimension == 1 ? 0 : abut_hull_support(hull, n, 0);
        for (uint32_t i = 0; i < count; ++i)
            add(&o->r, abut_core_vertex(core, first + i), hull->point_of[first + i]);
        o->feature = count == 2 ? ABUT_FEATURE_EDGE : ABUT_FEATURE_VERTEX;
        o->id = count == 2 ? 0 : (int64_t)hull->point_of[first];
        return;
    }
    const uint32_t best = best_face(hull, n);
    o->normal = hull->face_normal[best];
    o->feature = ABUT_FEATURE_FACE;
    o->id = best;
    o->waits = true;
}

/* A triangle of a mesh may be a segment, and has no sides then: its two furthest corners. */
static void straighten(ring *r)
{
    double longest = -1;
    int from = 0;
    const abut_vec3 n = abut_cross(abut_sub(r->p[1], r->p[0]), abut_sub(r->p[2], r->p[0]));
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 d = abut_sub(r->p[(i + 1) % 3], r->p[i]);
        const double square = abut_dot(d, d);
        from = square > longest ? i : from;
        longest = square > longest ? square : longest;
    }
    if (abut_dot(n, n) > 0x1p-80 * (longest * longest))
        return;
    const int to = (from + 1) % 3;
    const abut_vec3 p = r->p[from], q = r->p[to];
    const int64_t v = r->vertex[from], w = r->vertex[to];
    r->count = 0;
    add(r, p, v);
    add(r, q, w);
}

/* The corners of a face, moved out by the ball along n. */
static void fill_outline(const abut_core *core, abut_vec3 n, outline *o)
{
    if (!o->waits)
        return;
    const abut_hull *hull = core->hull;
    const uint32_t begin = hull->face_begin[o->id], corners = hull->face_begin[o->id + 1] - begin;
    const uint32_t step = corners / MOST + 1; /* polygons of very many corners are thinned out */
    for (uint32_t i = 0; i < corners; i += step) {
        const uint32_t v = hull->face_corners[begin + i];
        add(&o->r, abut_madd(abut_core_vertex(core, v), core->radius, n), hull->point_of[v]);
    }
    o->waits = false;
    if (o->r.count == 3)
        straighten(&o->r);
}

/* Unit vector across the axis towards n. */
static void azimuth(abut_vec3 n, double *c, double *s)
{
    const double flat = sqrt(n.x * n.x + n.y * n.y);
    *c = flat > 0 ? n.x / flat : 1;
    *s = flat > 0 ? n.y / flat : 0;
}

/* Eight points of the rim at height z, the first towards n; up or down tells the way round. */
static void outline_disc(double radius, double z, bool up, abut_vec3 n, outline *o)
{
    static const double turn[8][2] = { { 1, 0 },  { 0.70710678118654752, 0.70710678118654752 },
                                       { 0, 1 },  { -0.70710678118654752, 0.70710678118654752 },
                                       { -1, 0 }, { -0.70710678118654752, -0.70710678118654752 },
                                       { 0, -1 }, { 0.70710678118654752, -0.70710678118654752 } };
    double c, s;
    azimuth(n, &c, &s);
    for (int i = 0; i < 8; ++i) {
        const double *t = turn[up ? i : (8 - i) % 8];
        add(&o->r, abut_v3(radius * (c * t[0] - s * t[1]), radius * (s * t[0] + c * t[1]), z), -1);
    }
    o->normal = abut_v3(0, 0, up ? 1 : -1);
    o->feature = ABUT_FEATURE_FACE;
}

static void outline_segment(const abut_core *core, outline *o)
{
    add(&o->r, abut_v3(0, 0, -core->h[2]), -1);
    add(&o->r, abut_v3(0, 0, core->h[2]), -1);
}

static void outline_cylinder(const abut_core *core, abut_vec3 n, outline *o)
{
    if (fabs(n.z) > 0.7) {
        outline_disc(core->h[0], n.z > 0 ? core->h[2] : -core->h[2], n.z > 0, n, o);
        o->id = n.z > 0 ? 2 : 1;
        return;
    }
    double c, s;
    azimuth(n, &c, &s);
    add(&o->r, abut_v3(core->h[0] * c, core->h[0] * s, -core->h[2]), -1);
    add(&o->r, abut_v3(core->h[0] * c, core->h[0] * s, core->h[2]), -1);
    o->feature = ABUT_FEATURE_FACE;
    o->id = 0;
}

static void outline_cone(const abut_core *core, abut_vec3 n, outline *o)
{
    if (n.z < -0.7) {
        outline_disc(core->h[0], -core->h[2], false, n, o);
        o->id = 1;
        return;
    }
    double c, s;
    azimuth(n, &c, &s);
    add(&o->r, abut_v3(core->h[0] * c, core->h[0] * s, -core->h[2]), -1);
    add(&o->r, abut_v3(0, 0, core->h[2]), 0);
    o->feature = ABUT_FEATURE_FACE;
    o->id = 0;
}

/* The feature that faces n, moved out by the ball; in the frame of the core. */
static void find_outline(const abut_core *core, abut_vec3 n, outline *o)
{
    o->r.count = 0;
    o->waits = false;
    o->normal = abut_v3(0, 0, 0);
    o->feature = ABUT_FEATURE_FACE;
    o->id = 0;
    switch (core->kind) {
    case ABUT_CORE_BOX: outline_box(core, n, o); break;
    case ABUT_CORE_HULL: outline_hull(core, n, o); break;
    case ABUT_CORE_SEGMENT: outline_segment(core, o); break;
    case ABUT_CORE_CYLINDER: outline_cylinder(core, n, o); break;
    case ABUT_CORE_CONE: outline_cone(core, n, o); break;
    default: {
        uint32_t hint = 0;
        add(&o->r, abut_core_support(core, n, &hint), -1);
    }
    }
    for (int i = 0; core->radius > 0 && i < o->r.count; ++i)
        o->r.p[i] = abut_madd(o->r.p[i], core->radius, n);
}

/* ---- clipping ---- */

static void copy(const ring *in, int i, ring *out)
{
    const int k = out->count++;
    out->p[k] = in->p[i];
    out->vertex[k] = in->vertex[i];
    out->edge[k] = in->edge[i];
    out->made[k] = in->made[i];
}

static void add_crossing(abut_vec3 p, crossing made, int leads_on, ring *out)
{
    const int k = out->count++;
    out->p[k] = p;
    out->vertex[k] = -1;
    out->edge[k] = leads_on;
    out->made[k] = made;
}

/* The part of a polygon or segment with m . x <= offset, which is `side`; corners that are cut
 * off get new ones without an id. Corners beyond by no more than the tolerance stay. */
static void clip(const ring *in, abut_vec3 m, double offset, double tolerance, int side, ring *out)
{
    const int count = in->count;
    out->count = 0;
    double here = count > 0 ? abut_dot(m, in->p[0]) - offset : 0;
    const double first = here;
    for (int i = 0; i < count; ++i) {
        const int j = i + 1 < count ? i + 1 : 0;
        const double next = j == 0 ? first : abut_dot(m, in->p[j]) - offset;
        if (here <= tolerance && out->count < MOST) {
            copy(in, i, out);
            if (here >= 0 && next > tolerance)
                out->edge[out->count - 1] = ~side;
        }
        const bool crosses = (here < 0 && next > tolerance) || (here > tolerance && next < 0);
        if (crosses && out->count < MOST && !(count == 2 && i == 1)) /* a segment has one side only */
            add_crossing(abut_madd(in->p[i], here / (here - next), abut_sub(in->p[j], in->p[i])),
                         (crossing){ in->edge[i], side }, here < 0 ? ~side : in->edge[i], out);
        here = next;
    }
}

static double depth_below(const outline *reference, abut_vec3 p)
{
    return abut_dot(reference->normal, abut_sub(reference->r.p[0], p));
}

/* Gives one of the two rings, which holds what is left. */
static const ring *clip_to_sides(const outline *reference, double tolerance, const ring *other,
                                 ring buffer[2])
{
    const ring *piece = other;
    const int count = reference->r.count;
    for (int i = 0; i < count && piece->count > 0; ++i) {
        const abut_vec3 from = reference->r.p[i], to = reference->r.p[i + 1 < count ? i + 1 : 0];
        const abut_vec3 m = abut_unit_or(abut_cross(abut_sub(to, from), reference->normal), abut_v3(0, 0, 0));
        ring *next = &buffer[i & 1];
        clip(piece, m, abut_dot(m, from), tolerance, i, next);
        piece = next;
    }
    return piece;
}

/* A polygon cuts what the other body offers. */
typedef struct clipping {
    const abut_convex_pair *pair;
    const abut_core *core, *core_of_other;
    const outline *reference, *other;
    int side; /* 0 when the reference is of a */
} clipping;

typedef struct named {
    abut_feature feature;
    int64_t id;
} named;

/* The face of a capsule that has a point of its surface, which is in the frame of a; its seams
 * are of the side. Side 0 is a. */
static int64_t capsule_face(const abut_convex_pair *pair, int side, abut_vec3 p)
{
    const abut_core *core = side ? pair->b : pair->a;
    const abut_vec3 axis = abut_v3(pair->r.m[0][2], pair->r.m[1][2], pair->r.m[2][2]);
    const double z = side ? abut_dot(axis, abut_sub(p, pair->t)) : p.z;
    const double end = core->h[2] + 1e-9 * (core->h[2] + core->radius);
    return z > end ? 2 : z < -end ? 1 : 0;
}

static bool is_disc(const abut_core *core, const outline *o)
{
    return (core->kind == ABUT_CORE_CYLINDER || core->kind == ABUT_CORE_CONE) && o->r.count > 2;
}

static named rim_of(const outline *disc)
{
    return (named){ ABUT_FEATURE_EDGE, disc->id - 1 };
}

/* Edge i of an outline, from its corner i to the next. What represents a rim runs over the cap,
 * and lines on sides over the side. */
static named edge_of(const abut_core *core, const outline *o, int i)
{
    const int64_t v = o->r.vertex[i], w = o->r.vertex[i + 1 < o->r.count ? i + 1 : 0];
    if (core->kind == ABUT_CORE_BOX) {
        bool positive[3];
        for (int k = 0; k < 3; ++k)
            positive[k] = v >> k & 1;
        named out;
        out.feature = abut_box_feature(7 & ~(int)(v ^ w), positive, &out.id);
        return out;
    }
    if (core->kind == ABUT_CORE_HULL && o->r.count > 2) {
        const abut_hull *hull = core->hull;
        const uint32_t begin = hull->face_begin[o->id], corners = hull->face_begin[o->id + 1] - begin;
        if (corners != (uint32_t)o->r.count) /* thinned out */
            return (named){ ABUT_FEATURE_EDGE, -1 };
        return (named){ ABUT_FEATURE_EDGE,
                        abut_hull_edge(hull, hull->face_corners[begin + (uint32_t)i],
                                       hull->face_corners[begin + (uint32_t)(i + 1) % corners]) };
    }
    return (named){ o->feature, o->id };
}

/* The corner of a polygon that two of its sides have in common. */
static named corner_of(const abut_core *core, const outline *o, int i, int j)
{
    const int count = o->r.count;
    const int at = (i + 1) % count == j ? j : (j + 1) % count == i ? i : -1;
    if (is_disc(core, o))
        return rim_of(o);
    return at >= 0 ? (named){ ABUT_FEATURE_VERTEX, o->r.vertex[at] } : (named){ ABUT_FEATURE_EDGE, -1 };
}

/* Which features meet at a point that the reference left of the other. */
static void name_hit(const clipping *c, hit *h)
{
    named of_reference = { ABUT_FEATURE_FACE, c->reference->id },
          of_other = { c->other->feature, c->other->id };
    if (h->vertex >= 0)
        of_other = (named){ ABUT_FEATURE_VERTEX, h->vertex };
    else if (h->made.by < 0 && is_disc(c->core_of_other, c->other))
        of_other = rim_of(c->other);
    else if (h->made.by >= 0 && h->made.edge >= 0) {
        of_reference = edge_of(c->core, c->reference, h->made.by);
        of_other = edge_of(c->core_of_other, c->other, h->made.edge);
    } else if (h->made.by >= 0)
        of_reference = corner_of(c->core, c->reference, ~h->made.edge, h->made.by);
    if (c->core_of_other->kind == ABUT_CORE_SEGMENT)
        of_other.id =
            capsule_face(c->pair, 1 - c->side, abut_madd(h->p, -0.5 * h->depth, c->reference->normal));
    h->features[c->side] = of_reference.feature;
    h->ids[c->side] = of_reference.id;
    h->features[1 - c->side] = of_other.feature;
    h->ids[1 - c->side] = of_other.id;
}

/* What of `other` lies within the sides of the reference polygon and below its plane. */
static int clip_to_polygon(const clipping *c, double tolerance, hit *hits)
{
    ring buffer[2];
    const ring *piece = clip_to_sides(c->reference, tolerance, &c->other->r, buffer);
    if (piece->count == 0) /* at its rim: the normal is known to the square root of rounding only */
        piece = clip_to_sides(c->reference, 1e3 * tolerance, &c->other->r, buffer);
    int count = 0;
    for (int i = 0; i < piece->count; ++i) {
        const double depth = depth_below(c->reference, piece->p[i]);
        if (depth < -tolerance)
            continue;
        hits[count++] = (hit){ .p = abut_madd(piece->p[i], 0.5 * depth, c->reference->normal),
                               .depth = depth,
                               .vertex = piece->vertex[i],
                               .made = piece->made[i] };
    }
    return count;
}

/* Ends of the stretch that two parallel segments share, seen along n; nothing where n is not
 * across them, so that one of them ends there. */
static int clip_to_segment(const abut_convex_pair *pair, const outline *a, const outline *b, abut_vec3 n,
                           double tolerance, hit *hits)
{
    const abut_vec3 da = abut_sub(a->r.p[1], a->r.p[0]), db = abut_sub(b->r.p[1], b->r.p[0]);
    const double la = sqrt(abut_dot(da, da)), lb = sqrt(abut_dot(db, db));
    const abut_vec3 across = abut_cross(da, db);
    if (!(la > 0 && lb > 0) || sqrt(abut_dot(across, across)) > parallel * la * lb)
        return 0;
    const abut_vec3 along = abut_scale(1 / la, da);
    if (fabs(abut_dot(n, along)) > parallel)
        return 0;
    ring half, piece;
    clip(&b->r, along, abut_dot(along, a->r.p[1]), tolerance, 0, &half);
    clip(&half, abut_v3(-along.x, -along.y, -along.z), -abut_dot(along, a->r.p[0]), tolerance, 1, &piece);
    int count = 0;
    for (int i = 0; i < piece.count; ++i) {
        const abut_vec3 foot = abut_madd(a->r.p[0], abut_dot(along, abut_sub(piece.p[i], a->r.p[0])), along);
        const double depth = abut_dot(n, abut_sub(foot, piece.p[i]));
        if (depth < -tolerance)
            continue;
        hit *h = &hits[count++];
        *h = (hit){ .p = abut_madd(piece.p[i], 0.5 * depth, n),
                    .depth = depth,
                    .features = { a->feature, b->feature },
                    .ids = { a->id, b->id } };
        if (pair->a->kind == ABUT_CORE_SEGMENT)
            h->ids[0] = capsule_face(pair, 0, foot);
        if (pair->b->kind == ABUT_CORE_SEGMENT)
            h->ids[1] = capsule_face(pair, 1, piece.p[i]);
    }
    return count;
}

/* ---- one point ---- */

/* The feature of the core at its furthest point, p being that point; of capsules see
 * capsule_face. */
static void describe(const abut_core *core, abut_vec3 n, abut_vec3 p, abut_feature *feature, int64_t *id)
{
    *feature = ABUT_FEATURE_FACE;
    *id = 0;
    const double close = 1e-9 * core->size;
    switch (core->kind) {
    case ABUT_CORE_BOX: {
        const double v[3] = { p.x, p.y, p.z };
        bool positive[3];
        int axes = 0;
        for (int i = 0; i < 3; ++i) {
            positive[i] = v[i] >= 0;
            axes |= (fabs(v[i]) >= core->h[i] - close) << i;
        }
        if (axes)
            *feature = abut_box_feature(axes, positive, id);
        break;
    }
    case ABUT_CORE_CYLINDER: {
        const bool end = fabs(p.z) >= core->h[2] - close;
        const bool side = sqrt(p.x * p.x + p.y * p.y) >= core->h[0] - close;
        *feature = end && side ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
        *id = end && side ? p.z > 0 : end ? 1 + (p.z > 0) : 0;
        break;
    }
    case ABUT_CORE_CONE: {
        const bool base = p.z <= close - core->h[2], apex = p.z >= core->h[2] - close;
        const bool side = sqrt(p.x * p.x + p.y * p.y) >= core->h[0] - close;
        *feature = apex ? ABUT_FEATURE_VERTEX : base && side ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
        *id = base && !side ? 1 : 0;
        break;
    }
    case ABUT_CORE_HULL: {
        /* The vertices that are as far along n as the furthest: two of them are neighbours, and
         * of a face two at least are neighbours of each. */
        const abut_hull *hull = core->hull;
        const uint32_t best = abut_hull_scan(hull, n);
        const double most = abut_dot(n, abut_hull_vertex(hull, best));
        int count = 1;
        uint32_t level = best;
        for (uint32_t k = hull->link_begin[best]; k < hull->link_begin[best + 1]; ++k)
            if (abut_dot(n, abut_hull_vertex(hull, hull->links[k])) >= most - 1e-9 * hull->size) {
                level = hull->links[k];
                ++count;
            }
        *feature = count <= 1 ? ABUT_FEATURE_VERTEX : count == 2 ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
        *id = count <= 1             ? (int64_t)hull->point_of[best]
              : count == 2           ? abut_hull_edge(hull, best, level)
              : hull->face_count > 0 ? (int64_t)best_face(hull, n)
                                     : -1;
        break;
    }
    default: break;
    }
}

static int one_point(const abut_convex_pair *pair, const abut_convex_answer *answer, hit *out)
{
    const abut_vec3 n = answer->normal, m = abut_mul_t(&pair->r, n);
    const abut_vec3 x = abut_madd(answer->x, pair->a->radius, n);
    const abut_vec3 y = abut_madd(answer->y, -pair->b->radius, n);
    out->p = abut_scale(0.5, abut_add(x, y));
    describe(pair->a, n, answer->x, &out->features[0], &out->ids[0]);
    describe(pair->b, abut_v3(-m.x, -m.y, -m.z), abut_mul_t(&pair->r, abut_sub(answer->y, pair->t)),
             &out->features[1], &out->ids[1]);
    if (pair->a->kind == ABUT_CORE_SEGMENT)
        out->ids[0] = capsule_face(pair, 0, x);
    if (pair->b->kind == ABUT_CORE_SEGMENT)
        out->ids[1] = capsule_face(pair, 1, y);
    return 1;
}

/* ---- thinning out ---- */

static double square(abut_vec3 a)
{
    return abut_dot(a, a);
}

/* How much p adds to the points kept: its distance from them, as a point, from their line, from
 * their polygon. */
static double worth(const hit *kept, int count, abut_vec3 p)
{
    if (count == 1)
        return square(abut_sub(p, kept[0].p));
    if (count == 2)
        return square(abut_cross(abut_sub(kept[1].p, kept[0].p), abut_sub(p, kept[0].p)));
    double least = INFINITY;
    for (int i = 0; i < count; ++i)
        least = fmin(least, square(abut_sub(p, kept[i].p)));
    return least;
}

static int thin(hit *hits, int count, int most)
{
    for (int k = 0; k < most && k < count; ++k) {
        int best = k;
        double value = -1;
        for (int i = k; i < count; ++i) {
            const double v = k == 0 ? hits[i].depth : worth(hits, k, hits[i].p);
            if (i == k || v > value) {
                best = i;
                value = v;
            }
        }
        const hit moved = hits[k];
        hits[k] = hits[best];
        hits[best] = moved;
    }
    return count < most ? count : most;
}

/* Points closer to each other than this are one. */
static int merge(hit *hits, int count, double close)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        bool new = true;
        for (int j = 0; j < kept && new; ++j)
            new = square(abut_sub(hits[i].p, hits[j].p)) > close *close;
        if (new)
            hits[kept++] = hits[i];
    }
    return kept;
}

static bool is_polygon(const outline *o, abut_vec3 towards)
{
    return (o->waits || o->r.count > 2) && abut_dot(o->normal, towards) >= facing;
}

/* Bodies without flat sides touch in one point, but for capsules side by side (as in
 * clip_to_segment). */
static bool is_single(const abut_convex_pair *pair)
{
    const abut_core_kind a = pair->a->kind, b = pair->b->kind;
    const bool round_a = a == ABUT_CORE_POINT || a == ABUT_CORE_ELLIPSOID || a == ABUT_CORE_USER;
    const bool round_b = b == ABUT_CORE_POINT || b == ABUT_CORE_ELLIPSOID || b == ABUT_CORE_USER;
    if (a == ABUT_CORE_SEGMENT && b == ABUT_CORE_SEGMENT) {
        const double x = pair->r.m[0][2], y = pair->r.m[1][2];
        return x * x + y * y > parallel * parallel;
    }
    return (round_a && (round_b || b == ABUT_CORE_SEGMENT)) || (round_b && a == ABUT_CORE_SEGMENT);
}

/* Of two polygons, whether that of a cuts the other: it faces the normal better, or is of a
 * larger body, so that the corners of the smaller one stay what they are. */
static bool is_reference(const abut_convex_pair *pair, double towards_a, double towards_b)
{
    static const double same = 1e-9;
    return towards_a > towards_b + same || (towards_a >= towards_b - same && pair->a->size >= pair->b->size);
}

static void write_contact(const abut_convex_pair *pair, const hit *h, const abut_vec3 *n, abut_contact *c)
{
    c->point = h->p;
    c->normal = *n;
    for (int i = 0; i < 2; ++i) {
        const bool swept = (i ? pair->b : pair->a)->swept; /* all of it is one smooth face */
        c->features[i] = swept ? ABUT_FEATURE_FACE : h->features[i];
        c->ids[i] = swept ? 0 : h->ids[i];
    }
}

int abut_convex_manifold(const abut_convex_pair *pair, const abut_convex_answer *answer, int most,
                         abut_contact *contacts)
{
    const abut_vec3 n = answer->normal;
    hit hits[MOST];
    int count = 0;
    if (most > 1 && !is_single(pair)) {
        const abut_vec3 m = abut_mul_t(&pair->r, n);
        const double scale = fmin(pair->a->size, pair->b->size) + pair->radii;
        const double tolerance = 4 * pair->error + 1e-10 * scale;
        outline a, b;
        const abut_vec3 back = { -n.x, -n.y, -n.z }, back_in_b = { -m.x, -m.y, -m.z };
        find_outline(pair->a, n, &a);
        find_outline(pair->b, back_in_b, &b);
        b.normal = abut_mul(&pair->r, b.normal);
        bool flat_a = is_polygon(&a, n), flat_b = is_polygon(&b, back);
        if (flat_a || flat_b) {
            fill_outline(pair->a, n, &a);
            fill_outline(pair->b, back_in_b, &b);
            flat_a = flat_a && a.r.count > 2;
            flat_b = flat_b && b.r.count > 2;
        }
        for (int i = 0; i < b.r.count; ++i)
            b.r.p[i] = abut_add(abut_mul(&pair->r, b.r.p[i]), pair->t);
        const bool by_a =
            flat_a && (!flat_b || is_reference(pair, abut_dot(a.normal, n), abut_dot(b.normal, back)));
        const clipping c = by_a ? (clipping){ pair, pair->a, pair->b, &a, &b, 0 }
                                : (clipping){ pair, pair->b, pair->a, &b, &a, 1 };
        if (flat_a || flat_b)
            count = clip_to_polygon(&c, tolerance, hits);
        else if (a.r.count == 2 && b.r.count == 2)
            count = clip_to_segment(pair, &a, &b, n, tolerance, hits);
        count = thin(hits, merge(hits, count, 1e-7 * scale), most);
        for (int i = 0; i < count && (flat_a || flat_b); ++i)
            name_hit(&c, &hits[i]);
    }
    if (count == 0)
        count = one_point(pair, answer, hits);
    for (int i = 0; i < count; ++i)
        write_contact(pair, &hits[i], &n, &contacts[i]);
    return count;
}
