/* SPDX-License-Identifier: MIT */
/* Where two convex bodies touch, as a few points spread over the region of contact.
 *
 * Each body offers the feature that faces the other along the contact normal: a polygon (face of a box or hull, disc of a cylinder or cone as an
 * octagon on its rim), a segment (edge of a flat hull, side line of a cylinder, cone or capsule) or its one furthest point. The polygon that faces the normal
 * best is the reference: the other feature is clipped by its sides, and what lies below it is kept. Two segments share a stretch
 * where they are parallel. In all other cases the contact is the middle of the two witnesses. Too many points are thinned out: the
 * deepest, the one furthest from it, then those that stretch the polygon most.
 *
 * These points are for people and engines; nothing here is certified. */
#include "narrow/box_features.h"
#include "narrow/convex.h"

enum { MOST = 48 };

/* A face takes part as such when the normal is within about 3 degrees of it. */
static const double facing = 0.9986;
/* Segments run side by side when the sine of their angle is at most this. */
static const double parallel = 0.05;

/* 1: a point, 2: a segment, more: a polygon, counter-clockwise from outside. Only `count` of the rest is filled. */
typedef struct ring {
    int count;
    abut_vec3 p[MOST];
    int64_t vertex[MOST]; /* ids of the corners; -1: none */
} ring;

typedef struct outline {
    ring r;
    abut_vec3 normal;     /* of a polygon, outward */
    abut_feature feature; /* that the whole of it is */
    int64_t id;
    bool
        waits; /* for the corners, which are those of face `id` of a hull: its normal may be all that is wanted */
} outline;

typedef struct hit {
    abut_vec3 p;
    double depth;
    abut_feature features[2];
    int64_t ids[2];
} hit;

/* ---- features of the cores, in their own frames; n is the direction towards the other body ---- */

static void add(ring *r, abut_vec3 p, int64_t vertex)
{
    r->p[r->count] = p;
    r->vertex[r->count++] = vertex;
}

static double pick(abut_vec3 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : v.z;
}

static void outline_box(const abut_core *core, abut_vec3 n, outline *o)
{
    const double size[3] = { fabs(n.x), fabs(n.y), fabs(n.z) };
    int axis = size[1] > size[0] ? 1 : 0;
    if (size[2] > size[axis])
        axis = 2;
    const bool positive = pick(n, axis) > 0;
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

/* Of the faces at the vertex furthest along n the one whose normal is nearest to n; of all where it is not known which those are. */
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

static void outline_segment(const abut_core *core, abut_vec3 n, outline *o)
{
    add(&o->r, abut_v3(0, 0, -core->h[2]), -1);
    add(&o->r, abut_v3(0, 0, core->h[2]), -1);
    o->feature = ABUT_FEATURE_FACE;
    o->id = fabs(n.z) < 0.05 ? 0 : n.z > 0 ? 2 : 1;
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
    case ABUT_CORE_SEGMENT: outline_segment(core, n, o); break;
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

/* The part of a polygon or segment with m . x <= offset; corners that are cut off get new ones without an id. */
static void clip(const ring *in, abut_vec3 m, double offset, ring *out)
{
    const int count = in->count;
    out->count = 0;
    double here = count > 0 ? abut_dot(m, in->p[0]) - offset : 0;
    const double first = here;
    for (int i = 0; i < count; ++i) {
        const int j = i + 1 < count ? i + 1 : 0;
        const double next = j == 0 ? first : abut_dot(m, in->p[j]) - offset;
        if (here <= 0 && out->count < MOST)
            add(out, in->p[i], in->vertex[i]);
        const bool crosses = (here < 0 && next > 0) || (here > 0 && next < 0);
        if (crosses && out->count < MOST && !(count == 2 && i == 1)) /* a segment has one side only */
            add(out, abut_madd(in->p[i], here / (here - next), abut_sub(in->p[j], in->p[i])), -1);
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
        clip(piece, m, abut_dot(m, from) + tolerance, next);
        piece = next;
    }
    return piece;
}

/* What of `other` lies within the sides of the reference polygon and below its plane. `side`: 0 when the reference is of a. */
static int clip_to_polygon(const outline *reference, const outline *other, int side, double tolerance,
                           hit *hits)
{
    ring buffer[2];
    const ring *piece = clip_to_sides(reference, tolerance, &other->r, buffer);
    if (piece->count == 0) /* at its rim: the normal is known to the square root of rounding only */
        piece = clip_to_sides(reference, 1e3 * tolerance, &other->r, buffer);
    int count = 0;
    for (int i = 0; i < piece->count; ++i) {
        const double depth = depth_below(reference, piece->p[i]);
        if (depth < -tolerance)
            continue;
        const bool corner = piece->vertex[i] >= 0, cut = !corner && other->r.vertex[0] >= 0;
        hit *h = &hits[count++];
        h->p = abut_madd(piece->p[i], 0.5 * depth, reference->normal);
        h->depth = depth;
        h->features[side] = cut ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
        h->ids[side] = cut ? -1 : reference->id;
        h->features[1 - side] = corner ? ABUT_FEATURE_VERTEX : cut ? ABUT_FEATURE_EDGE : other->feature;
        h->ids[1 - side] = corner ? piece->vertex[i] : cut ? -1 : other->id;
    }
    return count;
}

/* Ends of the stretch that two parallel segments share, seen along n. */
static int clip_to_segment(const outline *a, const outline *b, abut_vec3 n, double tolerance, hit *hits)
{
    const abut_vec3 da = abut_sub(a->r.p[1], a->r.p[0]), db = abut_sub(b->r.p[1], b->r.p[0]);
    const double la = sqrt(abut_dot(da, da)), lb = sqrt(abut_dot(db, db));
    const abut_vec3 across = abut_cross(da, db);
    if (!(la > 0 && lb > 0) || sqrt(abut_dot(across, across)) > parallel * la * lb)
        return 0;
    const abut_vec3 along = abut_scale(1 / la, da);
    ring half, piece;
    clip(&b->r, along, abut_dot(along, a->r.p[1]) + tolerance, &half);
    clip(&half, abut_v3(-along.x, -along.y, -along.z), -abut_dot(along, a->r.p[0]) + tolerance, &piece);
    int count = 0;
    for (int i = 0; i < piece.count; ++i) {
        const abut_vec3 foot = abut_madd(a->r.p[0], abut_dot(along, abut_sub(piece.p[i], a->r.p[0])), along);
        const double depth = abut_dot(n, abut_sub(foot, piece.p[i]));
        if (depth < -tolerance)
            continue;
        hits[count++] = (hit){ .p = abut_madd(piece.p[i], 0.5 * depth, n),
                               .depth = depth,
                               .features = { a->feature, b->feature },
                               .ids = { a->id, b->id } };
    }
    return count;
}

/* ---- one point ---- */

/* The feature of the core at its furthest point, p being that point. */
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
    case ABUT_CORE_SEGMENT: *id = p.z >= core->h[2] - close ? 2 : p.z <= close - core->h[2] ? 1 : 0; break;
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
        /* The vertices that are as far along n as the furthest: two of them are neighbours, and of a face two at least are neighbours of each. */
        const abut_hull *hull = core->hull;
        const uint32_t best = abut_hull_scan(hull, n);
        const double most = abut_dot(n, abut_hull_vertex(hull, best));
        int count = 1;
        for (uint32_t k = hull->link_begin[best]; k < hull->link_begin[best + 1]; ++k)
            count += abut_dot(n, abut_hull_vertex(hull, hull->links[k])) >= most - 1e-9 * hull->size;
        *feature = count <= 1 ? ABUT_FEATURE_VERTEX : count == 2 ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE;
        *id = count <= 1 ? (int64_t)hull->point_of[best] : -1;
        break;
    }
    default: break;
    }
    if (core->radius > 0 && core->kind != ABUT_CORE_SEGMENT) { /* all of a swept body is one smooth face */
        *feature = ABUT_FEATURE_FACE;
        *id = 0;
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
    return 1;
}

/* ---- thinning out ---- */

static double square(abut_vec3 a)
{
    return abut_dot(a, a);
}

/* How much p adds to the points kept: its distance from them, as a point, from their line, from their polygon. */
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

/* Bodies without flat sides touch in one point, but for capsules side by side (as in clip_to_segment). */
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

static void write_contact(const hit *h, const abut_vec3 *n, abut_contact *c)
{
    c->point = h->p;
    c->normal = *n;
    for (int i = 0; i < 2; ++i) {
        c->features[i] = h->features[i];
        c->ids[i] = h->ids[i];
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
        const double scale = pair->a->size + pair->b->size + pair->radii;
        const double tolerance = 4 * pair->error + 1e-10 * scale;
        outline a, b;
        const abut_vec3 back = { -n.x, -n.y, -n.z }, back_in_b = { -m.x, -m.y, -m.z };
        find_outline(pair->a, n, &a);
        find_outline(pair->b, back_in_b, &b);
        b.normal = abut_mul(&pair->r, b.normal);
        const bool flat_a = is_polygon(&a, n), flat_b = is_polygon(&b, back);
        if (flat_a || flat_b) {
            fill_outline(pair->a, n, &a);
            fill_outline(pair->b, back_in_b, &b);
        }
        for (int i = 0; i < b.r.count; ++i)
            b.r.p[i] = abut_add(abut_mul(&pair->r, b.r.p[i]), pair->t);
        if (flat_a && (!flat_b || abut_dot(a.normal, n) >= abut_dot(b.normal, back)))
            count = clip_to_polygon(&a, &b, 0, tolerance, hits);
        else if (flat_b)
            count = clip_to_polygon(&b, &a, 1, tolerance, hits);
        else if (a.r.count == 2 && b.r.count == 2)
            count = clip_to_segment(&a, &b, n, tolerance, hits);
        count = merge(hits, count, 1e-7 * scale);
    }
    if (count == 0)
        count = one_point(pair, answer, hits);
    if (count > 1)
        count = thin(hits, count, most);
    for (int i = 0; i < count; ++i)
        write_contact(&hits[i], &n, &contacts[i]);
    return count;
}
