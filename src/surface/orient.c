/* SPDX-License-Identifier: MIT */
/* Which way u x v leads on closed parametric surfaces: out of the bounded inside, or into it.
 *
 * A point a little off the surface, on either side, is tried until one is found that the surface
 * winds about; the sign of that number (winding.c) tells. Several places must agree, or the
 * surface crosses itself and has no one side. Over a stretch of time the point moves as the
 * surface does there on the whole, and the stretch is halved where nothing is proved: what is
 * decided of each part must agree, so that a surface that turns inside out is found. Parts of 2^-40
 * of the stretch may stay unknown: bodies may begin as a point. */
#include "surface/parametric.h"
#include "surface/winding.h"

#include <math.h>

enum { grid = 5, time_depth = 40 };

/* Boxes for one direction: at an instant, and over a stretch of time, where failure is likely
 * and halving the better way; and for all together, on small expressions. */
static const uint64_t each_count = 4000, each_over = 400, instant_cells = 200000, stretch_cells = 2000000;

typedef struct study {
    const abut_parametric_body *body;
    ia t;
    double mid;         /* of t */
    abut_vec3 x;        /* the point, at mid */
    abut_vec3 drift;    /* how it moves, as the surface does on the whole */
    double size, slack; /* at mid */
    ia *scratch;
    uint64_t cells;
} study;

static bool is_finite(ia3 a)
{
    return !ia3_is_empty(a) && ia_is_finite(a.x) && ia_is_finite(a.y) && ia_is_finite(a.z);
}

static double magnitude(ia3 a)
{
    return fmax(ia_mag(a.x), fmax(ia_mag(a.y), ia_mag(a.z)));
}

/* Less the point. Over a stretch of time by the mean value theorem, too: velocities cancel,
 * which positions do not. */
static bool relative(const void *ctx, uint32_t piece, const ia box[2], ia *scratch, ia3 *out)
{
    const study *s = (const study *)ctx;
    (void)piece;
    abut_jet at;
    if (ia_is_point(s->t)) {
        abut_parametric_jet(s->body, box, s->t, 0, scratch, &at);
        *out = ia3_sub(at.p, ia3_point(s->x));
        return is_finite(*out);
    }
    const ia later = ia_sub(s->t, ia_point(s->mid));
    abut_parametric_jet(s->body, box, s->t, 1, scratch, &at);
    const ia3 whole = ia3_sub(at.p, ia3_add(ia3_point(s->x), ia3_scale(later, ia3_point(s->drift))));
    const ia3 moves = ia3_sub(at.t, ia3_point(s->drift));
    abut_parametric_jet(s->body, box, ia_point(s->mid), 0, scratch, &at);
    const ia3 here = ia3_add(ia3_sub(at.p, ia3_point(s->x)), ia3_scale(later, moves));
    *out = is_finite(here) ? is_finite(whole) ? ia3_intersect(here, whole) : here : whole;
    return is_finite(*out);
}

static double part_of(abut_interval range, int i, int count)
{
    return i == count - 1 ? range.hi : range.lo + (range.hi - range.lo) * ((double)i / (count - 1));
}

/* How far sides that should be one curve, or one point, are from that: more than what points
 * show. */
static double gap_at(const study *s)
{
    const abut_parametric_body *body = s->body;
    double gap = 0;
    for (int side = 0; side < ABUT_SIDES; ++side) {
        abut_jet first, at;
        ia box[2];
        for (int i = 0; i < 4 * grid; ++i) {
            const double w = part_of(body->def.range[!(side >> 1)], i, 4 * grid);
            const bool pole = body->side[side] == ABUT_SIDE_COLLAPSED;
            if (!pole && (side & 1))
                break;
            abut_parametric_place(body, side, ia_point(w), box);
            abut_parametric_jet(body, box, ia_point(s->mid), 0, s->scratch, &at);
            if (!pole) {
                abut_parametric_place(body, side ^ 1, ia_point(w), box);
                abut_parametric_jet(body, box, ia_point(s->mid), 0, s->scratch, &first);
            } else if (i == 0) {
                first = at;
            }
            if (is_finite(at.p) && is_finite(first.p))
                gap = fmax(gap, magnitude(ia3_sub(at.p, first.p)));
        }
    }
    return 4 * gap;
}

/* Extent, drift and slack at the middle of the time. False where there is nothing finite. */
static bool measure(study *s)
{
    const abut_parametric_body *body = s->body;
    ia3 hull = { ia_empty(), ia_empty(), ia_empty() }, drift = { ia_point(0), ia_point(0), ia_point(0) };
    int moving = 0;
    for (int i = 0; i < grid; ++i)
        for (int j = 0; j < grid; ++j) {
            const ia box[2] = { ia_point(part_of(body->def.range[0], i, grid)),
                                ia_point(part_of(body->def.range[1], j, grid)) };
            abut_jet at;
            abut_parametric_jet(body, box, ia_point(s->mid), 1, s->scratch, &at);
            if (is_finite(at.p))
                hull = ia3_hull(hull, at.p);
            if (is_finite(at.t)) {
                drift = ia3_add(drift, at.t);
                ++moving;
            }
        }
    if (!is_finite(hull))
        return false;
    s->drift = ia3_mid(ia3_scale(ia_point(moving ? 1.0 / moving : 0), drift));
    s->size = fmax(ia_width(hull.x), fmax(ia_width(hull.y), ia_width(hull.z)));
    s->slack = gap_at(s) + 0x1p-46 * s->size;
    return s->size > 0 && isfinite(s->size);
}

/* Of the surface about x, at the middle of the time or all of it. */
static bool count(study *s, abut_vec3 x, bool all, uint64_t each, int *turns)
{
    study at = *s;
    at.x = x;
    if (!all)
        at.t = ia_point(s->mid);
    const abut_winding_map map = { .enclose = relative,
                                   .ctx = &at,
                                   .piece_count = 1,
                                   .range = { s->body->def.range[0], s->body->def.range[1] },
                                   .slack = s->slack };
    return abut_winding_find(&map, s->scratch, each, &s->cells, turns);
}

/* Beside one place: 1 or -1, 0 where nothing was proved. The farther from the surface the point
 * is, the easier the proof. */
static int beside(study *s, double part_u, double part_v)
{
    const abut_interval u = s->body->def.range[0], v = s->body->def.range[1];
    const ia box[2] = { ia_point(u.lo + part_u * (u.hi - u.lo)), ia_point(v.lo + part_v * (v.hi - v.lo)) };
    abut_jet at;
    abut_parametric_jet(s->body, box, ia_point(s->mid), 1, s->scratch, &at);
    if (!is_finite(at.p) || !is_finite(at.u) || !is_finite(at.v))
        return 0;
    const abut_vec3 p = ia3_mid(at.p);
    const double scale_u = magnitude(at.u), scale_v = magnitude(at.v);
    if (!(scale_u > 0) || !(scale_v > 0))
        return 0;
    /* Lengths scaled first: products of tiny or huge ones leave the range of doubles. */
    const ia3 along_u = ia3_scale(ia_point(1 / scale_u), at.u),
              along_v = ia3_scale(ia_point(1 / scale_v), at.v);
    const abut_vec3 n = ia3_mid(ia3_cross(along_u, along_v));
    const double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    if (!(length > 0x1p-30))
        return 0;
    for (int power = -1; power >= -24 && s->cells > 0; power -= power < -4 ? 3 : 1)
        for (int way = -1; way <= 1; way += 2) {
            const double step = way * ldexp(s->size, power) / length;
            const abut_vec3 x = { p.x + step * n.x, p.y + step * n.y, p.z + step * n.z };
            int turns, again = 0;
            if (!count(s, x, false, each_count, &turns) || turns == 0)
                continue;
            if (!ia_is_point(s->t) && !(count(s, x, true, each_over, &again) && again == turns))
                return 0;
            return turns > 0 ? 1 : -1;
        }
    return 0;
}

static int orient(study *s, int places)
{
    static const double at[8][2] = { { 0.40625, 0.546875 },  { 0.84375, 0.328125 }, { 0.140625, 0.703125 },
                                     { 0.671875, 0.859375 }, { 0.28125, 0.171875 }, { 0.953125, 0.453125 },
                                     { 0.546875, 0.0625 },   { 0.046875, 0.921875 } };
    int sign = 0, decided = 0;
    if (!measure(s))
        return 0;
    for (int i = 0; i < (ia_is_point(s->t) ? 8 : 3) && decided < places && s->cells > 0; ++i) {
        const int here = beside(s, at[i][0], at[i][1]);
        if (here == 0)
            continue;
        if (sign != 0 && here != sign)
            return 2;
        sign = here;
        ++decided;
    }
    return sign;
}

/* A box takes one or two evaluations with first derivatives at most, so that as many of them take
 * as long as an eighth of the iterations that budgets are counted in. */
static uint64_t cells_of(const abut_parametric_body *body, uint64_t usual)
{
    return abut_work_budget(usual, 8 * body->def.map.work);
}

static int orient_at(const abut_parametric_body *body, double t, int places, ia *scratch)
{
    study s = {
        .body = body, .t = ia_point(t), .mid = t, .scratch = scratch, .cells = cells_of(body, instant_cells)
    };
    return orient(&s, places);
}

/* What is reported of each part; 2 where parts differ. `least`: parts as short as that may stay
 * unknown. */
static int orient_part(study *s, abut_interval t, double least, int *sign, double *where)
{
    s->t = ia_from(t);
    s->mid = 0.5 * t.lo + 0.5 * t.hi;
    const int here = s->cells > 0 ? orient(s, 1) : 0;
    if (here != 0) {
        *where = s->mid;
        if (here == 2 || (*sign != 0 && here != *sign))
            return 2;
        return *sign = here;
    }
    const double mid = s->mid;
    if (t.hi - t.lo <= least && t.lo < t.hi)
        return 1;
    if (s->cells == 0 || !(t.lo < mid && mid < t.hi)) {
        *where = mid;
        return 0;
    }
    const int early = orient_part(s, (abut_interval){ t.lo, mid }, least, sign, where);
    return early == 0 || early == 2 ? early
                                    : orient_part(s, (abut_interval){ mid, t.hi }, least, sign, where);
}

/* At an instant at which a body is one point: as it is just before and just after, as near as it shows.
 * Farther off it may be turned another way. 0 where it turns then. */
static int orient_beside(const abut_parametric_body *body, double t, ia *scratch)
{
    static const double nearest = 0x1p-100, farthest = 0x1p-24, rounding = 0x1p-51;
    const double most = farthest * fmax(1, fabs(t));
    for (double off = fmax(nearest, rounding * fabs(t)); off <= most; off *= 256) {
        const int before = orient_at(body, t - off, 1, scratch), after = orient_at(body, t + off, 1, scratch);
        if (before != 0 || after != 0)
            return before == after || after == 0 ? before : before == 0 ? after : 0;
    }
    return 0;
}

static ABUT_NOINLINE void orient_kernel(const abut_parametric_body *body, abut_interval time, ia *scratch,
                                        abut_orientation *out)
{
    out->at = time.lo;
    if (!(time.lo < time.hi) || !body->def.deforms) {
        out->sign = orient_at(body, time.lo, body->def.deforms ? 1 : 3, scratch);
        if (out->sign == 0 && body->def.deforms)
            out->sign = orient_beside(body, time.lo, scratch);
        return;
    }
    study s = { .body = body, .scratch = scratch, .cells = cells_of(body, stretch_cells) };
    int sign = 0;
    /* Far from 0 there may be no shorter parts. */
    const double most = fmax(fabs(time.lo), fabs(time.hi));
    const double least = fmax(ldexp(time.hi - time.lo, -time_depth), 4 * DBL_EPSILON * most);
    const int found = orient_part(&s, time, least, &sign, &out->at);
    out->sign = found == 1 || found == -1 ? sign : found;
}

abut_orientation abut_parametric_orient(const abut_surface *s, abut_interval time, ia *scratch)
{
    abut_orientation out = { 0, 0 };
    const abut_rounding saved = abut_rounding_enter();
    orient_kernel(abut_parametric_of(s), time, scratch, &out);
    abut_rounding_leave(saved);
    if ((out.sign == 1 || out.sign == -1) && abut_parametric_of(s)->def.normal_in)
        out.sign = -out.sign;
    return out;
}

abut_orientation abut_surface_orient(abut_surface *s, abut_interval time, ia *scratch)
{
    abut_orientation out = { 1, time.lo };
    if (!s->solid || !s->deforms ||
        s->implicit) /* of all others that deform the side is known by their fields */
        return out;
    out = abut_parametric_orient(s, time, scratch);
    s->outside = out.sign == -1;
    s->unknown_side = out.sign != 1 && out.sign != -1;
    s->solid = !s->unknown_side;
    out.sign = out.sign == -1 ? 1 : out.sign;
    return out;
}
