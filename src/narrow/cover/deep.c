/* SPDX-License-Identifier: MIT */
/* How deep two bodies are in each other, from below, by balls about a common point.
 *
 * Let p be in both, and the ball of radius r about it in the first and that of radius s in the second.
 * No translation shorter than r, than s, or than twice the smaller of both parts the bodies: p leaves
 * neither ball by the first two, and the two balls still have a point in common by the third. The same
 * holds for any motion that moves no point of one in the frame of the other further than that. */
#include "math/vec3.h"
#include "narrow/cover/cover.h"
#include "narrow/surface/surface_pair.h"

/* Of bodies that are known by faces alone each try is a search of its own. */
enum { TRIES = 90, SLOW_TRIES = 18 };

/* Boxes of faces that all of them may take, on small expressions: some tenths of a second. */
static const uint64_t most_boxes = 1000000;

/* Membership squares lengths: beyond these sizes nothing is known of the depth. */
static const double least_size = 0x1p-400, largest_size = 0x1p400;

/* Nothing more is proved then. */
static bool is_spent(const abut_cover_body *body)
{
    const abut_placed_surface *const s = &body->surface;
    return body->charts && s->boxes && *s->boxes > abut_work_budget(most_boxes, 2 * s->surface.work);
}

/* Is the ball of that radius inside the body? Of a rounded one: of its spine, where that is a solid, as much
 * as rounding leaves. */
static bool is_inside(const abut_cover_body *body, abut_vec3 p, double radius, double slack)
{
    if (is_spent(body))
        return false;
    if (!body->rounded)
        return abut_cover_side(body, p, radius) < 0;
    return body->surface.surface.solid && abut_cover_side(body, p, fmax(radius - body->swell, slack)) < 0;
}

static ABUT_NOINLINE void keeps_off(const abut_cover_body *body, const abut_vec3 *p, double radius, bool *out)
{
    const abut_placed_surface *s = &body->surface;
    const ia off = ia_make(-radius, radius);
    const ia3 box = ia3_add(ia3_point(*p), (ia3){ off, off, off });
    *out = abut_surface_keeps_off(&s->surface, abut_placed_local(s, box), abut_placed_time(s), s->scratch);
}

/* The same where p is known to be inside: of a body of faces, whether none of them is that near. To ask it by rays
 * again would take most of the time. */
static bool is_ball_inside(const abut_cover_body *body, abut_vec3 p, double radius, double slack)
{
    if (!body->charts || body->rounded || body->surface.surface.implicit ||
        body->surface.surface.unknown_side)
        return is_inside(body, p, radius, slack);
    bool out;
    const abut_rounding saved = abut_rounding_enter();
    keeps_off(body, &p, radius, &out);
    abut_rounding_leave(saved);
    return out;
}

/* A radius about p whose ball is inside the body, less than twice too small; 0: not even p is known to be. */
static double radius_in(const abut_cover_body *body, abut_vec3 p, double most, double slack)
{
    if (!body->solid || !is_inside(body, p, 2 * slack, slack))
        return 0;
    double in = slack, out = most;
    for (double r = 8 * slack; r < most; r *= 8) {
        if (!is_ball_inside(body, p, r + slack, slack)) {
            out = r;
            break;
        }
        in = r;
    }
    while (out > 1.3 * in) {
        const double r = out > 4 * in ? 2 * in : in * sqrt(out / in);
        if (is_ball_inside(body, p, r + slack, slack))
            in = r;
        else
            out = r;
    }
    return in;
}

static double depth_of(const abut_cover_body body[2], abut_vec3 p, double most, double slack)
{
    const int first =
        body[0].charts && !body[0].surface.surface.implicit; /* whose membership takes long comes last */
    const double r = radius_in(&body[first], p, most, slack),
                 s = r > 0 ? radius_in(&body[!first], p, most, slack) : 0;
    return r > 0 && s > 0 ? fmax(fmax(r, s), 2 * fmin(r, s)) : 0;
}

/* Would the depth there be more than `best`? */
static bool is_better(const abut_cover_body body[2], abut_vec3 p, double best, double slack)
{
    const double r = 0.55 * best + slack;
    return is_inside(&body[0], p, r, slack) && is_inside(&body[1], p, r, slack);
}

/* A point that is known to be inside one body only, as it is of the boundary of the other: to where both
 * have a ball, within the one of the first. */
static double leave_boundary(const abut_cover_body body[2], double most, double slack, abut_vec3 *p)
{
    const double room = fmax(radius_in(&body[0], *p, most, slack), radius_in(&body[1], *p, most, slack));
    for (double step = 0.5 * room; step > 64 * slack && step > 1e-4 * room; step *= 0.25) {
        double best = 0;
        abut_vec3 at = *p;
        for (int i = 0; i < 26; ++i) {
            const int k = i < 13 ? i : i + 1;
            const int x = k % 3 - 1, y = k / 3 % 3 - 1, z = k / 9 - 1;
            const abut_vec3 way = abut_unit_or(abut_v3(x, y, z), abut_v3(1, 0, 0));
            const abut_vec3 q = abut_madd(*p, step, way);
            const double d =
                best == 0 || is_better(body, q, best, slack) ? depth_of(body, q, most, slack) : 0;
            if (d > best) {
                best = d;
                at = q;
            }
        }
        if (best > 0) {
            *p = at;
            return best;
        }
    }
    return 0;
}

double abut_cover_least_depth(const abut_cover_body body[2], double slack, abut_vec3 *p)
{
    const double smaller = fmin(body[0].size, body[1].size), size = fmin(smaller, 1e6);
    /* `slack` is a part of the coordinates */
    if (!(smaller > least_size && slack < 1e-13 * largest_size))
        return 0;
    if (!body[0].solid || !body[1].solid) {
        /* A point of the sheet; only that may be used. */
        const int solid = body[0].solid ? 0 : 1;
        return body[solid].solid ? radius_in(&body[solid], *p, 0.5 * size, slack) : 0;
    }
    double best = depth_of(body, *p, 0.5 * size, slack);
    if (best == 0)
        best = leave_boundary(body, 0.5 * size, slack, p);
    int tries = 0, most = TRIES;
    for (int i = 0; i < 2; ++i)
        if (body[i].charts && !body[i].surface.surface.implicit)
            most = SLOW_TRIES;
    for (double step = fmin(0.25 * size, 4 * best);
         step > 0.05 * best && step > 16 * slack && tries < most;) {
        bool moved = false;
        for (int i = 0; i < 6; ++i, ++tries) {
            const double s = i & 1 ? -step : step;
            const abut_vec3 q = abut_add(*p, abut_v3(i < 2 ? s : 0, i / 2 == 1 ? s : 0, i > 3 ? s : 0));
            if (!is_better(body, q, best, slack))
                continue;
            const double d = depth_of(body, q, 0.5 * size, slack);
            if (d > best) {
                best = d;
                *p = q;
                moved = true;
            }
        }
        if (!moved)
            step *= 0.5;
    }
    return best;
}

/* ---- sheets ---- */

enum { GRID = 5 };

static ABUT_NOINLINE void point_kernel(const abut_cover_body *sheet, uint32_t feature, const double at[2],
                                       double slack, abut_vec3 *out, bool *known)
{
    const ia q[2] = { ia_point(at[0]), ia_point(at[1]) };
    abut_chart c;
    int axis = -1;
    abut_chart_enclose(&sheet->surface, &sheet->surface.surface.features[feature], q, 0, &axis, &c);
    *out = ia3_mid(c.p);
    *known = c.defined && ia_width(c.p.x) <= slack && ia_width(c.p.y) <= slack && ia_width(c.p.z) <= slack;
}

static bool point_of(const abut_cover_body *sheet, uint32_t feature, const double at[2], double slack,
                     abut_vec3 *out)
{
    bool known;
    const abut_rounding saved = abut_rounding_enter();
    point_kernel(sheet, feature, at, slack, out, &known);
    abut_rounding_leave(saved);
    return known;
}

/* The deepest place of a face in the solid, from a grid and then by steps of the parameters. */
static double deepest_on(const abut_cover_body *sheet, uint32_t feature, const abut_cover_body *solid,
                         double most, double slack, double best, abut_vec3 *p)
{
    const abut_interval *range = sheet->surface.surface.features[feature].range;
    double at[2] = { 0, 0 };
    bool found = false;
    for (int i = 0; i < GRID * GRID; ++i) {
        const int row = i / GRID;
        const double q[2] = { range[0].lo + (range[0].hi - range[0].lo) * (i % GRID + 0.5) / GRID,
                              range[1].lo + (range[1].hi - range[1].lo) * (row + 0.5) / GRID };
        abut_vec3 x;
        if (!point_of(sheet, feature, q, slack, &x) || !is_inside(solid, x, 1.2 * best + slack, slack))
            continue;
        best = radius_in(solid, x, most, slack);
        *p = x;
        at[0] = q[0];
        at[1] = q[1];
        found = true;
    }
    for (double step = 0.5 / GRID; found && step > 0.02; step *= 0.5)
        for (int i = 0; i < 4; ++i) {
            double q[2] = { at[0], at[1] };
            const int k = i / 2;
            q[k] += (i & 1 ? -step : step) * (range[k].hi - range[k].lo);
            abut_vec3 x;
            if (q[k] < range[k].lo || q[k] > range[k].hi || !point_of(sheet, feature, q, slack, &x) ||
                !is_inside(solid, x, 1.1 * best + slack, slack))
                continue;
            best = radius_in(solid, x, most, slack);
            *p = x;
            at[k] = q[k];
        }
    return best;
}

double abut_cover_deeper(const abut_cover_body body[2], double slack, double depth, abut_vec3 *p)
{
    const int of = body[0].solid ? 1 : 0;
    const abut_cover_body *sheet = &body[of], *solid = &body[1 - of];
    const double most = 0.5 * fmin(fmin(sheet->size, solid->size), 1e6);
    if (sheet->solid || !solid->solid || solid->rounded || !sheet->charts || !(most > least_size))
        return depth;
    for (uint32_t i = 0; i < sheet->surface.surface.feature_count; ++i) {
        const abut_surface_feature *f = &sheet->surface.surface.features[i];
        if (f->parametric && f->dimension == 2)
            depth = deepest_on(sheet, i, solid, most, slack, depth, p);
    }
    return depth;
}

double abut_cover_depth_at(const abut_pair *pair, abut_workspace *ws, const abut_vec3 *points, int count)
{
    abut_workspace own;
    abut_cover_body body[2];
    double slack, depth = 0;
    if (!abut_cover_takes(pair->a) || !abut_cover_takes(pair->b))
        return 0;
    if (!ws)
        abut_workspace_open(&own, &pair->a->alloc);
    abut_workspace *used = ws ? ws : &own;
    const abut_workspace_mark mark = abut_workspace_begin(used);
    uint64_t boxes[2] = { 0, 0 };
    if (!abut_cover_open_within(pair, 0, ABUT_COVER_INSIDE, used, body, &slack) && isfinite(slack)) {
        for (int i = 0; i < 2; ++i)
            body[i].surface.boxes = &boxes[i];
        const abut_affine *at = &pair->at_a->mid;
        for (int i = 0; i < count && !(depth > 0); ++i) {
            const abut_vec3 d = abut_sub(points[i], at->translation);
            abut_vec3 p = pair->a->type == ABUT_SHAPE_SPHERE ? d : abut_mul_t(&at->linear, d);
            depth = abut_cover_least_depth(body, 2 * slack, &p);
        }
    }
    abut_workspace_end(used, mark);
    if (!ws)
        abut_workspace_close(&own);
    return depth;
}
