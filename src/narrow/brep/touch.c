/* SPDX-License-Identifier: MIT */
/* Exact contact of swept solids and simple bodies that are placed exactly along each other's axes: a peg on a
 * plate, a ball on a plane, a shaft in a bore of its radius. Two certificates that the insides are
 * disjoint and that a point is common:
 *
 * a plane of the coordinates that supports both bodies from opposite sides, with a common point of the two
 * contact sets (rectangles, rings, regions of profiles), and
 * for bodies about one axis, their profiles on a grid in the half-plane of that axis: no cell of the grid is
 * in both, and two cells, one in each, meet.
 *
 * All comparisons are of doubles, or of sums and squares of them by expansions: what is not exactly a double
 * is not claimed. */
#include "narrow/brep/touch.h"
#include "math/expansion.h"
#include "narrow/brep/brep.h"
#include "narrow/brep/touch_top.h"

enum { MOST_LINES = 48, MOST_SIDES = 64 };

/* Neither squares nor their errors overflow or underflow. */
static bool can_square(double x)
{
    return x == 0 || (fabs(x) > 1e-140 && fabs(x) < 1e140);
}

/* Sign of u^2 + v^2 - r^2. */
static int compare_squares(double u, double v, double r)
{
    double a[2], b[2], c[2], ab[4], all[6];
    const int an = abut_expansion_product2(u, u, a), bn = abut_expansion_product2(v, v, b);
    const int cn = abut_expansion_product2(r, -r, c), abn = abut_expansion_sum(an, a, bn, b, ab);
    return abut_expansion_sign(abut_expansion_sum(abn, ab, cn, c, all), all);
}

/* ---- supporting planes ---- */

static double coordinate(abut_xy p, int axis)
{
    return axis ? p.y : p.x;
}

/* A half circle whose centre and radius are exactly doubles. */
static bool is_exact_half(const abut_side *s)
{
    const double dx = s->from.x - s->center.x, dy = s->from.y - s->center.y;
    double x, y;
    return s->cos_half == 0 && abut_exact_sum(s->from.x, s->to.x, &x) &&
           abut_exact_sum(s->from.y, s->to.y, &y) && 2 * s->center.x == x && 2 * s->center.y == y &&
           (dx == 0 || dy == 0) && s->radius == fmax(fabs(dx), fabs(dy)) &&
           abut_exact_sum(s->center.x, dx, &x) && x == s->from.x && abut_exact_sum(s->center.y, dy, &y) &&
           y == s->from.y;
}

/* The greatest coordinate of a profile along an axis (times sign), where that is exactly a double. What attains
 * it: ranges of the other coordinate. */
typedef struct crest {
    double value;
    int count;
    double lo[ABUT_TOP_PATCHES], hi[ABUT_TOP_PATCHES];
} crest;

static void add_range(crest *c, double value, double lo, double hi)
{
    if (value > c->value) {
        c->value = value;
        c->count = 0;
    }
    if (value == c->value && c->count < ABUT_TOP_PATCHES) {
        c->lo[c->count] = fmin(lo, hi);
        c->hi[c->count++] = fmax(lo, hi);
    }
}

/* Sign of the change of a coordinate along an arc at one of its ends, exactly; 0 where that is not known. With
 * d the chord, the arc leaves along d turned by - 2 atan(bulge) and arrives along d turned by as much. */
static int slope_at(const abut_side *s, int end, int axis)
{
    const double b = end ? -s->bulge : s->bulge;
    double d[2], square[2], one[3], along[6], twice[2], all[8];
    if (!abut_exact_sum(s->to.x, -s->from.x, &d[0]) || !abut_exact_sum(s->to.y, -s->from.y, &d[1]) ||
        !can_square(b) || !can_square(d[0]) || !can_square(d[1]))
        return 0;
    /* (1 - b^2) d + 2 b (dy, -dx) */
    const int sn = abut_expansion_product2(b, -b, square);
    const double unit = 1;
    const int on = abut_expansion_sum(1, &unit, sn, square, one);
    const int an = abut_expansion_scale(on, one, d[axis], along);
    const int tn = abut_expansion_product2(2 * b, axis ? -d[0] : d[1], twice);
    return abut_expansion_sign(abut_expansion_sum(an, along, tn, twice, all), all);
}

/* Is the greatest of sign times the coordinate along an arc of at most half a turn at one of its ends? Its change
 * turns from one sign to the other once at most. */
static bool ends_are_greatest(const abut_side *s, int axis, double sign)
{
    double d;
    if (fabs(s->bulge) > 1 || !abut_exact_sum(s->to.x, -s->from.x, &d) ||
        !abut_exact_sum(s->to.y, -s->from.y, &d))
        return false;
    const int up = sign > 0 ? 1 : -1;
    return up * slope_at(s, 0, axis) < 0 || up * slope_at(s, 1, axis) > 0;
}

static bool find_crest(const abut_profile *p, int axis, double sign, crest *out)
{
    *out = (crest){ .value = -INFINITY };
    double doubt = -INFINITY;
    for (size_t i = 0; i < p->count; ++i) {
        const abut_side *s = &p->sides[i];
        const double a = sign * coordinate(s->from, axis), b = sign * coordinate(s->to, axis);
        add_range(out, a, coordinate(s->from, !axis), coordinate(s->from, !axis));
        if (!s->turn) {
            if (a == b)
                add_range(out, a, coordinate(s->from, !axis), coordinate(s->to, !axis));
            continue;
        }
        const double along = sign * coordinate(s->mid, axis);
        if (along < s->cos_half - 1e-9 || ends_are_greatest(s, axis, sign))
            continue;
        double reach;
        if (is_exact_half(s) && abut_exact_sum(sign * coordinate(s->center, axis), s->radius, &reach)) {
            /* Along the chord the ends are the farthest points. */
            if (fabs(along) > 0.5)
                add_range(out, reach, coordinate(s->center, !axis), coordinate(s->center, !axis));
        } else
            doubt = fmax(doubt, sign * coordinate(s->center, axis) + s->radius);
    }
    return doubt < out->value - 1e-12 * p->scale;
}

static void top_of_extrude(const abut_solid *solid, int axis, double sign, abut_top *t)
{
    const abut_profile *p = &solid->profile;
    if (axis == 2) {
        t->known = true;
        t->value = sign > 0 ? solid->height : 0;
        t->patches[t->count++] = (abut_contact_patch){ .kind = ABUT_PATCH_REGION,
                                                       .lo = { p->lo.x, p->lo.y },
                                                       .hi = { p->hi.x, p->hi.y } };
        return;
    }
    crest c;
    if (!find_crest(p, axis, sign, &c))
        return;
    t->known = true;
    t->value = c.value;
    for (int i = 0; i < c.count; ++i) {
        if (axis == 0)
            abut_top_add_rectangle(t, c.lo[i], c.hi[i], 0, solid->height);
        else
            abut_top_add_rectangle(t, 0, solid->height, c.lo[i], c.hi[i]);
    }
}

static void top_of_revolve(const abut_solid *solid, int axis, double sign, abut_top *t)
{
    crest c;
    if (!find_crest(&solid->profile, axis == 2, axis == 2 ? sign : 1, &c))
        return;
    t->known = true;
    t->value = c.value;
    for (int i = 0; i < c.count; ++i) {
        if (axis == 2)
            abut_top_add_ring(t, 0, 0, c.lo[i], c.hi[i]);
        else if (axis == 0)
            abut_top_add_rectangle(t, 0, 0, c.lo[i], c.hi[i]);
        else
            abut_top_add_rectangle(t, c.lo[i], c.hi[i], 0, 0);
    }
}

/* A point on the z axis of a body, or a range along it, as seen from the side. */
static void add_side(abut_top *t, int axis, double z0, double z1)
{
    if (axis == 0)
        abut_top_add_rectangle(t, 0, 0, z0, z1);
    else
        abut_top_add_rectangle(t, z0, z1, 0, 0);
}

/* Of what has vertices nothing but the height is known: no patches. */
static void top_of(const abut_shape *s, int axis, double sign, abut_top *t)
{
    const bool along = axis == 2;
    t->known = false;
    t->sign = sign;
    t->count = 0;
    switch (s->type) {
    case ABUT_SHAPE_EXTRUDE: top_of_extrude(s->u.solid, axis, sign, t); return;
    case ABUT_SHAPE_REVOLVE: top_of_revolve(s->u.solid, axis, sign, t); return;
    case ABUT_SHAPE_SOLID: abut_top_of_explicit(s->u.solid, axis, sign, t); return;
    case ABUT_SHAPE_SPHERE:
        t->known = true;
        t->value = s->u.sphere.radius;
        abut_top_add_rectangle(t, 0, 0, 0, 0);
        return;
    case ABUT_SHAPE_ELLIPSOID: {
        const abut_vec3 r = s->u.ellipsoid.radii;
        t->known = true;
        t->value = axis == 0 ? r.x : axis == 1 ? r.y : r.z;
        abut_top_add_rectangle(t, 0, 0, 0, 0);
        return;
    }
    case ABUT_SHAPE_BOX: {
        const double h[3] = { s->u.box.half.x, s->u.box.half.y, s->u.box.half.z };
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        t->known = true;
        t->value = h[axis];
        abut_top_add_rectangle(t, -h[u], h[u], -h[v], h[v]);
        return;
    }
    case ABUT_SHAPE_CYLINDER: {
        const double r = s->u.round.radius, h = 0.5 * s->u.round.height;
        t->known = true;
        t->value = along ? h : r;
        if (along)
            abut_top_add_ring(t, 0, 0, 0, r);
        else
            add_side(t, axis, -h, h);
        return;
    }
    case ABUT_SHAPE_CAPSULE: {
        const double r = s->u.round.radius, h = 0.5 * s->u.round.height;
        t->known = abut_exact_sum(along ? h : 0, r, &t->value);
        if (along)
            abut_top_add_rectangle(t, 0, 0, 0, 0);
        else
            add_side(t, axis, -h, h);
        return;
    }
    case ABUT_SHAPE_CONE: {
        const double r = s->u.round.radius, h = 0.5 * s->u.round.height;
        t->known = true;
        t->value = along ? h : r;
        if (!along)
            add_side(t, axis, -h, -h);
        else if (sign > 0)
            abut_top_add_rectangle(t, 0, 0, 0, 0);
        else
            abut_top_add_ring(t, 0, 0, 0, r);
        return;
    }
    case ABUT_SHAPE_TORUS:
        if (along) {
            t->known = true;
            t->value = s->u.torus.minor;
            abut_top_add_ring(t, 0, 0, s->u.torus.major, s->u.torus.major);
        } else {
            t->known = abut_exact_sum(s->u.torus.major, s->u.torus.minor, &t->value);
            abut_top_add_rectangle(t, 0, 0, 0, 0);
        }
        return;
    case ABUT_SHAPE_HALFSPACE: {
        const abut_vec3 n = s->u.halfspace.normal;
        const double c[3] = { n.x, n.y, n.z };
        if (c[axis] != sign || c[(axis + 1) % 3] != 0 || c[(axis + 2) % 3] != 0)
            return;
        t->known = true;
        t->value = s->u.halfspace.offset;
        abut_top_add_rectangle(t, -INFINITY, INFINITY, -INFINITY, INFINITY);
        return;
    }
    case ABUT_SHAPE_CONVEX:
        t->known = s->u.convex.margin == 0;
        t->value = sign > 0 ? abut_part3(s->bounds.hi, axis) : -abut_part3(s->bounds.lo, axis);
        return;
    case ABUT_SHAPE_MESH:
    case ABUT_SHAPE_POLYHEDRON:
        t->known = true;
        t->value = sign > 0 ? abut_part3(s->bounds.hi, axis) : -abut_part3(s->bounds.lo, axis);
        return;
    default: return;
    }
}

/* ---- common points ---- */

/* Is (u, v) in the closed region of the profile, for certain? */
static bool in_region(const abut_profile *p, double u, double v)
{
    abut_profile_near near;
    abut_profile_nearest(p, (abut_xy){ u, v }, false, &near);
    if (near.distance < -1e-12 * p->scale)
        return true;
    for (size_t i = 0; i < p->count; ++i) {
        const abut_side *s = &p->sides[i];
        if (u == s->from.x && v == s->from.y)
            return true;
        if (!s->turn && s->from.x == s->to.x && u == s->from.x && v >= fmin(s->from.y, s->to.y) &&
            v <= fmax(s->from.y, s->to.y))
            return true;
        if (!s->turn && s->from.y == s->to.y && v == s->from.y && u >= fmin(s->from.x, s->to.x) &&
            u <= fmax(s->from.x, s->to.x))
            return true;
    }
    return false;
}

/* One side of a contact: a body, the local axis of its direction, and what is there. */
typedef struct support {
    const abut_shape *shape;
    const abut_place *at;
    int axis; /* local */
    abut_top top;
} support;

static double translation(const abut_place *at, int world)
{
    const abut_vec3 t = at->mid.translation;
    return world == 0 ? t.x : world == 1 ? t.y : t.z;
}

/* Bounds of a patch along a world axis, up to rounding. */
static void world_range(const support *s, const abut_contact_patch *p, int world, double *lo, double *hi)
{
    for (int i = 0; i < 2; ++i) {
        const int local = (s->axis + 1 + i) % 3;
        if (s->at->axis[local] != world)
            continue;
        const double t = translation(s->at, world), a = s->at->sign[local] * p->lo[i],
                     b = s->at->sign[local] * p->hi[i];
        *lo = t + fmin(a, b);
        *hi = t + fmax(a, b);
    }
}

/* Is the point, given by its coordinates along the world's axes, in the patch? The coordinate along the
 * contact's direction is not examined. */
static bool holds(const support *s, const abut_contact_patch *p, const double world[3])
{
    double q[2];
    for (int i = 0; i < 2; ++i) {
        const int local = (s->axis + 1 + i) % 3, w = s->at->axis[local];
        if (!abut_exact_sum(world[w], -translation(s->at, w), &q[i]))
            return false;
        q[i] *= s->at->sign[local];
    }
    switch (p->kind) {
    case ABUT_PATCH_RECTANGLE:
        return q[0] >= p->lo[0] && q[0] <= p->hi[0] && q[1] >= p->lo[1] && q[1] <= p->hi[1];
    case ABUT_PATCH_RING:
        if (!abut_exact_sum(q[0], -p->center[0], &q[0]) || !abut_exact_sum(q[1], -p->center[1], &q[1]))
            return false;
        return can_square(q[0]) && can_square(q[1]) && can_square(p->r0) && can_square(p->r1) &&
               compare_squares(q[0], q[1], p->r0) >= 0 && compare_squares(q[0], q[1], p->r1) <= 0;
    case ABUT_PATCH_FACE:
        return abut_top_on_face(s->shape->u.solid, p->face, s->axis, q, s->top.value * s->top.sign);
    default: return in_region(&s->shape->u.solid->profile, q[0], q[1]);
    }
}

/* Places in a range: its ends, and others with few digits. */
static int places(double lo, double hi, double out[9])
{
    int count = 0;
    if (lo > hi)
        return 0;
    if (!isfinite(lo) || !isfinite(hi)) {
        out[count++] = isfinite(lo) ? lo : isfinite(hi) ? hi : 0;
        return count;
    }
    if (lo == hi) {
        out[count++] = lo;
        return count;
    }
    int exponent;
    (void)frexp(hi - lo, &exponent);
    const double unit = ldexp(1, exponent - 8);
    static const double share[7] = { 0.5, 0.25, 0.75, 0.125, 0.875, 0.03125, 0.96875 };
    for (int i = 0; i < 7; ++i) {
        const double x = unit * rint((lo + share[i] * (hi - lo)) / unit);
        if (x > lo && x < hi)
            out[count++] = x;
    }
    out[count++] = lo;
    out[count++] = hi;
    return count;
}

static bool common_point(const support *a, const support *b, const abut_contact_patch *p,
                         const abut_contact_patch *q, int world, double out[3])
{
    const int u = (world + 1) % 3, v = (world + 2) % 3;
    double lo[2], hi[2], other_lo = -INFINITY, other_hi = INFINITY, x[9], y[9];
    for (int i = 0; i < 2; ++i) {
        world_range(a, p, i ? v : u, &lo[i], &hi[i]);
        world_range(b, q, i ? v : u, &other_lo, &other_hi);
        lo[i] = fmax(lo[i], other_lo);
        hi[i] = fmin(hi[i], other_hi);
    }
    const int n = places(lo[0], hi[0], x), m = places(lo[1], hi[1], y);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < m; ++k) {
            out[u] = x[i];
            out[v] = y[k];
            if (holds(a, p, out) && holds(b, q, out))
                return true;
        }
    return false;
}

static int local_axis(const abut_place *at, int world)
{
    for (int i = 0; i < 3; ++i)
        if (at->axis[i] == world)
            return i;
    return -1;
}

/* Does the plane across the world axis support both, from opposite sides? */
static bool is_supporting(const abut_pair *pair, int world, double sign, support *a, support *b)
{
    *a = (support){ .shape = pair->a, .at = pair->at_a, .axis = local_axis(pair->at_a, world) };
    *b = (support){ .shape = pair->b, .at = pair->at_b, .axis = local_axis(pair->at_b, world) };
    top_of(a->shape, a->axis, sign * a->at->sign[a->axis], &a->top);
    if (!a->top.known)
        return false;
    top_of(b->shape, b->axis, -sign * b->at->sign[b->axis], &b->top);
    if (!b->top.known)
        return false;
    /* sign ta + top a = sign tb - top b */
    double up[2], down[2], all[4];
    const int n = abut_expansion_sum2(sign * translation(a->at, world), a->top.value, up);
    const int m = abut_expansion_sum2(-sign * translation(b->at, world), b->top.value, down);
    return abut_expansion_sign(abut_expansion_sum(n, up, m, down, all), all) == 0;
}

static abut_vec3 along(int world, double sign)
{
    return abut_v3(world == 0 ? sign : 0, world == 1 ? sign : 0, world == 2 ? sign : 0);
}

static bool by_plane(const abut_pair *pair, int world, double sign, abut_brep_contact *out)
{
    support a, b;
    if (!is_supporting(pair, world, sign, &a, &b))
        return false;
    for (int i = 0; i < a.top.count; ++i)
        for (int k = 0; k < b.top.count; ++k) {
            double p[3];
            if (!common_point(&a, &b, &a.top.patches[i], &b.top.patches[k], world, p))
                continue;
            p[world] = translation(a.at, world) + sign * a.top.value;
            out->point = abut_v3(p[0], p[1], p[2]);
            out->normal = along(world, sign);
            return true;
        }
    return false;
}

/* ---- one axis ---- */

/* A body about an axis along a world axis: the sides of its profile in (r, z), z along the world. */
typedef struct outline {
    const abut_shape *shape;
    double sign, shift; /* z of the world = sign z + shift */
    double bore;        /* of an extrude: the radius of the hole that is examined */
    double axis[2];     /* where the axis is, in the next two world coordinates */
    int count;
    double r0[MOST_SIDES], r1[MOST_SIDES], z0[MOST_SIDES], z1[MOST_SIDES];
    bool filled[MOST_SIDES]; /* a box around a side that is not along the grid */
    double reach;            /* greatest distance from the axis */
} outline;

static bool add_box(outline *o, double r0, double r1, double z0, double z1, bool filled)
{
    if (o->count == MOST_SIDES)
        return false;
    double lo, hi;
    if (!abut_exact_sum(o->sign * (o->sign > 0 ? z0 : z1), o->shift, &lo) ||
        !abut_exact_sum(o->sign * (o->sign > 0 ? z1 : z0), o->shift, &hi))
        return false;
    const int i = o->count++;
    o->r0[i] = r0;
    o->r1[i] = r1;
    o->z0[i] = lo;
    o->z1[i] = hi;
    o->filled[i] = filled;
    return true;
}

static bool outline_of_revolve(const abut_solid *solid, outline *o)
{
    const abut_profile *p = &solid->profile;
    const double margin = 1e-12 * p->scale;
    o->reach = p->hi.x + margin;
    for (size_t i = 0; i < p->count; ++i) {
        const abut_side *s = &p->sides[i];
        double r0 = fmin(s->from.x, s->to.x), r1 = fmax(s->from.x, s->to.x);
        double z0 = fmin(s->from.y, s->to.y), z1 = fmax(s->from.y, s->to.y);
        const bool straight = !s->turn && (r0 == r1 || z0 == z1);
        if (s->turn) {
            /* The box of the arc, which need not be tight. */
            const bool right = s->mid.x >= s->cos_half - 1e-9, left = -s->mid.x >= s->cos_half - 1e-9;
            const bool above = s->mid.y >= s->cos_half - 1e-9, below = -s->mid.y >= s->cos_half - 1e-9;
            r0 = left ? fmax(0, s->center.x - s->radius - margin) : r0;
            r1 = right ? s->center.x + s->radius + margin : r1;
            z0 = below ? s->center.y - s->radius - margin : z0;
            z1 = above ? s->center.y + s->radius + margin : z1;
        }
        /* Made-up ends have few digits, so that they can be moved exactly. */
        if (s->turn) {
            int exponent;
            (void)frexp(p->scale, &exponent);
            const double unit = ldexp(1, exponent - 34);
            r1 = r1 > fmax(s->from.x, s->to.x) ? unit * ceil(r1 / unit) : r1;
            r0 = r0 < fmin(s->from.x, s->to.x) ? unit * floor(r0 / unit) : r0;
            z1 = z1 > fmax(s->from.y, s->to.y) ? unit * ceil(z1 / unit) : z1;
            z0 = z0 < fmin(s->from.y, s->to.y) ? unit * floor(z0 / unit) : z0;
        }
        if (!add_box(o, r0, r1, z0, z1, !straight))
            return false;
    }
    return true;
}

/* A round hole of an extrude about the axis of the other body, nothing else of the profile being as near as
 * `reach`. */
static bool outline_of_hole(const abut_solid *solid, const double local[2], double reach, outline *o)
{
    const abut_profile *p = &solid->profile;
    for (size_t loop = 1; loop < p->loop_count; ++loop) {
        bool round = p->loop_starts[loop + 1] - p->loop_starts[loop] == 2;
        for (size_t i = p->loop_starts[loop]; i < p->loop_starts[loop + 1]; ++i) {
            const abut_side *s = &p->sides[i];
            round =
                round && s->turn && is_exact_half(s) && s->center.x == local[0] && s->center.y == local[1];
        }
        if (!round)
            continue;
        o->bore = p->sides[p->loop_starts[loop]].radius;
        for (size_t i = 0; i < p->count; ++i) {
            abut_xy nearest;
            if (i < p->loop_starts[loop] || i >= p->loop_starts[loop + 1])
                if (!(abut_side_distance(&p->sides[i], (abut_xy){ local[0], local[1] }, &nearest) >
                      reach + 1e-12 * p->scale))
                    return false;
        }
        o->reach = INFINITY;
        const double far = 4 * (reach + o->bore);
        return add_box(o, o->bore, o->bore, 0, solid->height, false) &&
               add_box(o, o->bore, far, 0, 0, false) &&
               add_box(o, o->bore, far, solid->height, solid->height, false);
    }
    return false;
}

static bool contains(const outline *o, double r, double world_z)
{
    const abut_shape *s = o->shape;
    const double z = o->sign * (world_z - o->shift);
    if (s->type == ABUT_SHAPE_CYLINDER)
        return r < s->u.round.radius && fabs(z) < 0.5 * s->u.round.height;
    if (s->type == ABUT_SHAPE_EXTRUDE)
        return r > o->bore && z > 0 && z < s->u.solid->height;
    return abut_profile_contains(&s->u.solid->profile, (abut_xy){ r, z });
}

typedef struct lines {
    int count;
    double at[MOST_LINES];
} lines;

static bool add_line(lines *l, double x)
{
    int i = 0;
    while (i < l->count && l->at[i] < x)
        ++i;
    if (i < l->count && l->at[i] == x)
        return true;
    if (l->count == MOST_LINES)
        return false;
    for (int k = l->count++; k > i; --k)
        l->at[k] = l->at[k - 1];
    l->at[i] = x;
    return true;
}

typedef enum cell_state { CELL_OUT, CELL_IN, CELL_MIXED } cell_state;

static cell_state state_of(const outline *o, const lines *r, const lines *z, int i, int k, double thin)
{
    const double r0 = r->at[i], r1 = r->at[i + 1], z0 = z->at[k], z1 = z->at[k + 1];
    if (r1 - r0 < thin || z1 - z0 < thin)
        return CELL_MIXED;
    for (int n = 0; n < o->count; ++n)
        if (o->filled[n] && o->r0[n] < r1 && o->r1[n] > r0 && o->z0[n] < z1 && o->z1[n] > z0)
            return CELL_MIXED;
    return contains(o, 0.5 * (r0 + r1), 0.5 * (z0 + z1)) ? CELL_IN : CELL_OUT;
}

static double shared(const lines *l, int i, int k)
{
    return i == k ? 0.5 * (l->at[i] + l->at[i + 1]) : l->at[i > k ? i : k];
}

/* No cell in both; two that meet. */
static bool by_grid(const outline o[2], double *r, double *z, int step[2])
{
    lines rs = { 0 }, zs = { 0 };
    if (!add_line(&rs, 0))
        return false;
    double scale = 0;
    for (int b = 0; b < 2; ++b)
        for (int i = 0; i < o[b].count; ++i) {
            if (!add_line(&rs, o[b].r0[i]) || !add_line(&rs, o[b].r1[i]) || !add_line(&zs, o[b].z0[i]) ||
                !add_line(&zs, o[b].z1[i]))
                return false;
            scale = fmax(scale, fmax(o[b].r1[i], fmax(fabs(o[b].z0[i]), fabs(o[b].z1[i]))));
        }
    unsigned char state[2][MOST_LINES][MOST_LINES];
    for (int b = 0; b < 2; ++b)
        for (int i = 0; i + 1 < rs.count; ++i)
            for (int k = 0; k + 1 < zs.count; ++k)
                state[b][i][k] = (unsigned char)state_of(&o[b], &rs, &zs, i, k, 1e-11 * scale);
    for (int i = 0; i + 1 < rs.count; ++i)
        for (int k = 0; k + 1 < zs.count; ++k)
            if (state[0][i][k] != CELL_OUT && state[1][i][k] != CELL_OUT)
                return false;
    /* Cells with a common side first, then those with a common corner. */
    for (int corners = 0; corners < 2; ++corners)
        for (int i = 0; i + 1 < rs.count; ++i)
            for (int k = 0; k + 1 < zs.count; ++k) {
                if (state[0][i][k] != CELL_IN)
                    continue;
                for (int di = -1; di <= 1; ++di)
                    for (int dk = -1; dk <= 1; ++dk) {
                        const int in = i + di, kn = k + dk;
                        if ((di != 0 && dk != 0) != corners || in < 0 || kn < 0 || in + 1 >= rs.count ||
                            kn + 1 >= zs.count || state[1][in][kn] != CELL_IN)
                            continue;
                        *r = shared(&rs, i, in);
                        *z = shared(&zs, k, kn);
                        step[0] = di;
                        step[1] = dk;
                        return true;
                    }
            }
    return false;
}

static bool is_round(const abut_shape *s)
{
    return s->type == ABUT_SHAPE_REVOLVE || s->type == ABUT_SHAPE_CYLINDER;
}

static bool outline_of(const abut_shape *s, const abut_place *at, int world, const outline *other, outline *o)
{
    *o = (outline){ .shape = s, .sign = at->sign[2], .shift = translation(at, world) };
    const int u = (world + 1) % 3, v = (world + 2) % 3;
    if (is_round(s)) {
        o->axis[0] = translation(at, u);
        o->axis[1] = translation(at, v);
        if (other && (o->axis[0] != other->axis[0] || o->axis[1] != other->axis[1]))
            return false;
        if (s->type == ABUT_SHAPE_REVOLVE)
            return outline_of_revolve(s->u.solid, o);
        const double r = s->u.round.radius, h = 0.5 * s->u.round.height;
        o->reach = r;
        return add_box(o, r, r, -h, h, false) && add_box(o, 0, r, -h, -h, false) &&
               add_box(o, 0, r, h, h, false);
    }
    if (s->type != ABUT_SHAPE_EXTRUDE || !other)
        return false;
    double local[2];
    for (int i = 0; i < 2; ++i) {
        const int w = at->axis[i];
        if (!abut_exact_sum(other->axis[w == u ? 0 : 1], -translation(at, w), &local[i]))
            return false;
        local[i] *= at->sign[i];
    }
    return outline_of_hole(s->u.solid, local, other->reach, o);
}

static bool by_axis(const abut_pair *pair, abut_brep_contact *out)
{
    const int world = pair->at_a->axis[2];
    if (pair->at_b->axis[2] != world)
        return false;
    outline o[2];
    const bool first = is_round(pair->a);
    if (!first && !is_round(pair->b))
        return false;
    const abut_shape *shape[2] = { pair->a, pair->b };
    const abut_place *at[2] = { pair->at_a, pair->at_b };
    if (!outline_of(shape[!first], at[!first], world, NULL, &o[!first]) ||
        !outline_of(shape[first], at[first], world, &o[!first], &o[first]))
        return false;
    double r, z;
    int step[2];
    if (!by_grid(o, &r, &z, step))
        return false;
    double p[3], n[3] = { 0, 0, 0 };
    const int u = (world + 1) % 3, v = (world + 2) % 3;
    p[world] = z;
    p[u] = o[!first].axis[0] + r;
    p[v] = o[!first].axis[1];
    if (step[0])
        n[u] = step[0];
    else
        n[world] = step[1];
    out->point = abut_v3(p[0], p[1], p[2]);
    out->normal = abut_v3(n[0], n[1], n[2]);
    return true;
}

/* A stated tolerance means that the data are not the solid. */
static bool is_stated(const abut_shape *s)
{
    const abut_solid *solid = abut_shape_solid(s);
    return solid && solid->stated;
}

/* Placed exactly, along the axes. */
static bool is_exact(const abut_pair *pair)
{
    const abut_place *a = pair->at_a, *b = pair->at_b;
    return a->axes && b->axes && a->points && b->points && !is_stated(pair->a) && !is_stated(pair->b);
}

int abut_brep_supporting_planes(const abut_pair *pair, abut_vec3 normals[6])
{
    int count = 0;
    for (int i = 0; is_exact(pair) && i < 6; ++i) {
        support a, b;
        const double sign = i % 2 ? -1 : 1;
        if (is_supporting(pair, i / 2, sign, &a, &b))
            normals[count++] = along(i / 2, sign);
    }
    return count;
}

bool abut_brep_touch(const abut_pair *pair, abut_brep_contact *out)
{
    if (!is_exact(pair))
        return false;
    for (int world = 0; world < 3; ++world)
        if (by_plane(pair, world, 1, out) || by_plane(pair, world, -1, out))
            return true;
    return by_axis(pair, out);
}
