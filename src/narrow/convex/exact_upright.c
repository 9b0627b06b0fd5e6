/* SPDX-License-Identifier: MIT */
/* Bodies that rest on each other, turned about the axis along which they do: the box that was
 * turned by 30 degrees and set on the table.
 *
 * The rotation is irrational, but not along that axis: there the support values of both are
 * exact sums of doubles, and their sum says on which side of zero the gap along it is. Where it
 * is zero the plane between them holds the footprint of each; that these meet is proved in
 * doubles, with room to spare for what the rotation is off: a corner of one well inside the
 * other, or two edges that cross. Footprints that only graze each other stay undecided. */
#include "narrow/convex/upright.h"

#include "math/vec3.h"
#include "narrow/pair/exact.h"
#include "narrow/pair/relation.h"

enum { MOST = 32 };

/* A convex polygon (also a segment or a point) in the plane, in order, and all within `disc` of
 * it. */
typedef struct foot {
    int count;
    double x[MOST], y[MOST];
    double disc;
} foot;

typedef struct upright {
    const abut_core *core;
    const abut_place *place;
    int local; /* axis of the body along the axis of the world */
    double sign;
} upright;

static bool make_upright(const abut_core *core, const abut_place *place, int world, upright *out)
{
    *out = (upright){ core, place, world, 1 };
    if (!place->points || core->kind == ABUT_CORE_USER || core->scale != 1)
        return false;
    if (core->kind != ABUT_CORE_POINT)
        out->local = abut_place_local_axis(place, world, &out->sign);
    return out->local >= 0;
}

static void add(foot *f, const upright *b, abut_vec3 p, int world)
{
    const abut_vec3 at = abut_add(abut_mul(&b->place->mid.linear, p), b->place->mid.translation);
    f->x[f->count] = abut_part3(at, (world + 1) % 3);
    f->y[f->count++] = abut_part3(at, (world + 2) % 3);
}

static double area(const foot *f, int i, int j, double x, double y)
{
    return (f->x[j] - f->x[i]) * (y - f->y[i]) - (f->y[j] - f->y[i]) * (x - f->x[i]);
}

/* Corners into counter-clockwise order around their middle (insertion by the turn from the
 * first); all are corners, or on edges. */
static void sort_round(foot *f)
{
    double cx = 0, cy = 0;
    for (int i = 0; i < f->count; ++i) {
        cx += f->x[i] / f->count;
        cy += f->y[i] / f->count;
    }
    double angle[MOST];
    for (int i = 0; i < f->count; ++i) {
        const double dx = f->x[i] - cx, dy = f->y[i] - cy, length = fabs(dx) + fabs(dy);
        /* grows and falls with the angle: the diamond */
        const double s = length > 0 ? dx / length : 0;
        angle[i] = dy >= 0 ? 1 - s : 3 + s;
    }
    for (int i = 1; i < f->count; ++i)
        for (int k = i; k > 0 && angle[k] < angle[k - 1]; --k) {
            const double a = angle[k], x = f->x[k], y = f->y[k];
            angle[k] = angle[k - 1];
            f->x[k] = f->x[k - 1];
            f->y[k] = f->y[k - 1];
            angle[k - 1] = a;
            f->x[k - 1] = x;
            f->y[k - 1] = y;
        }
}

/* What of the body lies in its extreme plane; false where that is not a polygon or disc known
 * here. `side`: of the world's axis. */
static bool find_foot(const upright *b, int world, double side, foot *f)
{
    const abut_core *core = b->core;
    const int i = b->local;
    const double sign = side * b->sign, *h = core->h;
    *f = (foot){ 0 };
    switch (core->kind) {
    case ABUT_CORE_CYLINDER:
        if (i == 2) {
            f->disc = h[0];
            add(f, b, abut_v3(0, 0, sign * h[2]), world);
            return true;
        }
        for (int end = -1; end <= 1; end += 2)
            add(f, b, abut_v3(i == 0 ? sign * h[0] : 0, i == 1 ? sign * h[0] : 0, end * h[2]), world);
        return true;
    case ABUT_CORE_CONE:
        f->disc = i == 2 && sign < 0 ? h[0] : 0;
        add(f, b,
            abut_v3(i == 0 ? sign * h[0] : 0, i == 1 ? sign * h[0] : 0, i == 2 && sign > 0 ? h[2] : -h[2]),
            world);
        return true;
    case ABUT_CORE_ELLIPSOID:
        add(f, b, abut_v3(i == 0 ? sign * h[0] : 0, i == 1 ? sign * h[1] : 0, i == 2 ? sign * h[2] : 0),
            world);
        return true;
    default: break;
    }
    const double most = abut_placed_reach(core, i, sign);
    for (uint32_t k = 0; k < abut_placed_vertices(core); ++k) {
        const abut_vec3 p = abut_core_vertex(core, k);
        if (sign * abut_part3(p, i) != most)
            continue;
        if (f->count == MOST)
            return false;
        add(f, b, p, world);
    }
    sort_round(f);
    return f->count > 0;
}

static double from_edge(const foot *f, int i, int j, double x, double y)
{
    const double ex = f->x[j] - f->x[i], ey = f->y[j] - f->y[i], dx = x - f->x[i], dy = y - f->y[i];
    const double square = ex * ex + ey * ey, along = ex * dx + ey * dy;
    const double s = square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
    return hypot(dx - s * ex, dy - s * ey);
}

/* Distance of a point from the polygon, negative inside. */
static double from_polygon(const foot *f, double x, double y)
{
    double least = hypot(x - f->x[0], y - f->y[0]);
    bool inside = f->count >= 3;
    for (int i = 0; i < f->count; ++i) {
        const int j = (i + 1) % f->count;
        least = fmin(least, from_edge(f, i, j, x, y));
        inside = inside && area(f, i, j, x, y) >= 0;
    }
    return inside ? -least : least;
}

/* Edges that cross, each with its ends clearly on both sides of the other. */
static bool edges_cross(const foot *a, const foot *b, double off)
{
    for (int i = 0; a->count > 1 && i < a->count; ++i)
        for (int k = 0; b->count > 1 && k < b->count; ++k) {
            const int j = (i + 1) % a->count, l = (k + 1) % b->count;
            const double la = off * hypot(a->x[j] - a->x[i], a->y[j] - a->y[i]),
                         lb = off * hypot(b->x[l] - b->x[k], b->y[l] - b->y[k]);
            const double p = area(a, i, j, b->x[k], b->y[k]), q = area(a, i, j, b->x[l], b->y[l]);
            const double r = area(b, k, l, a->x[i], a->y[i]), s = area(b, k, l, a->x[j], a->y[j]);
            if (fmin(p, q) < -la && fmax(p, q) > la && fmin(r, s) < -lb && fmax(r, s) > lb)
                return true;
        }
    return false;
}

/* A corner of a, or its middle, is in b with room to spare, or within both discs. */
static bool one_in_other(const foot *a, const foot *b, double off)
{
    const double taken = a->disc + b->disc - off;
    double x = 0, y = 0;
    for (int i = 0; i < a->count; ++i) {
        if (from_polygon(b, a->x[i], a->y[i]) < taken)
            return true;
        x += a->x[i] / a->count;
        y += a->y[i] / a->count;
    }
    return from_polygon(b, x, y) < taken;
}

static double size_of(const upright *b)
{
    return b->core->size + abut_max_norm(b->place->mid.translation);
}

/* Sign of the gap by the plane across an axis of the world, on the side `side` of a. */
static int sign_across(const upright *a, const upright *b, int world, double side)
{
    abut_exact gap;
    abut_exact_clear(&gap);
    abut_exact_add_double(&gap, side * abut_part3(b->place->mid.translation, world));
    abut_exact_add_double(&gap, -side * abut_part3(a->place->mid.translation, world));
    abut_exact_add_double(&gap, -abut_placed_reach(a->core, a->local, side * a->sign));
    abut_exact_add_double(&gap, -abut_placed_reach(b->core, b->local, -side * b->sign));
    abut_exact_add_double(&gap, -a->core->radius);
    abut_exact_add_double(&gap, -b->core->radius);
    const int sign = abut_exact_sign(&gap);
    if (sign != 0)
        return sign > 0 ? 1 : ABUT_SIGN_UNKNOWN;
    foot fa, fb;
    if (!find_foot(a, world, side, &fa) || !find_foot(b, world, -side, &fb))
        return ABUT_SIGN_UNKNOWN;
    /* Rotations are good to 1e-15, coordinates and areas come after that; 1e-12 of the sizes is
     * far more than all of it. */
    const double off = 1e-12 * (size_of(a) + size_of(b));
    return one_in_other(&fa, &fb, off) || one_in_other(&fb, &fa, off) || edges_cross(&fa, &fb, off)
               ? 0
               : ABUT_SIGN_UNKNOWN;
}

/* The width of what is known of the rotation: this has to be far below `off`. Of a ball there is
 * no enclosure. */
static bool is_narrow(const abut_place *place)
{
    if (place->axes)
        return true;
    double most = 0;
    for (int i = 0; i < 9; ++i) {
        const abut_interval e = place->enclosure.linear.m[i / 3][i % 3];
        most = fmax(most, e.hi - e.lo);
    }
    return most < 0x1p-45;
}

int abut_upright_sign(const abut_pair *pair)
{
    const abut_core *ca = &pair->a->core, *cb = &pair->b->core;
    const double size =
        fmax(fmax(ca->size + ca->radius, cb->size + cb->radius),
             fmax(abut_max_norm(pair->at_a->mid.translation), abut_max_norm(pair->at_b->mid.translation)));
    if (!(size > 0x1p-200 && size < 0x1p200) || !is_narrow(pair->at_a) || !is_narrow(pair->at_b) ||
        !abut_placed_has_exact_radius(pair->a, ca) || !abut_placed_has_exact_radius(pair->b, cb))
        return ABUT_SIGN_UNKNOWN;
    for (int i = 0; i < 6; ++i) {
        upright a, b;
        if (!make_upright(ca, pair->at_a, i / 2, &a) || !make_upright(cb, pair->at_b, i / 2, &b))
            continue;
        const int sign = sign_across(&a, &b, i / 2, i % 2 ? 1 : -1);
        if (sign != ABUT_SIGN_UNKNOWN)
            return sign;
    }
    return ABUT_SIGN_UNKNOWN;
}
