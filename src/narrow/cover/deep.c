/* SPDX-License-Identifier: MIT */
/* How deep two bodies are in each other, from below, by balls about a common point.
 *
 * Let p be in both, and the ball of radius r about it in the first and that of radius s in the second.
 * No translation shorter than r, than s, or than twice the smaller of both parts the bodies: p leaves
 * neither ball by the first two, and the two balls still have a point in common by the third. The same
 * holds for any motion that moves no point of one in the frame of the other further than that. */
#include "math/vec3.h"
#include "narrow/cover/cover.h"

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

/* A radius about p whose ball is inside the body, less than twice too small; 0: not even p is known to be. */
static double radius_in(const abut_cover_body *body, abut_vec3 p, double most, double slack)
{
    if (!body->solid || !is_inside(body, p, 2 * slack, slack))
        return 0;
    double in = slack, out = most;
    for (double r = 8 * slack; r < most; r *= 8) {
        if (!is_inside(body, p, r + slack, slack)) {
            out = r;
            break;
        }
        in = r;
    }
    while (out > 1.3 * in) {
        const double r = out > 4 * in ? 2 * in : in * sqrt(out / in);
        if (is_inside(body, p, r + slack, slack))
            in = r;
        else
            out = r;
    }
    return in;
}

static double depth_of(const abut_cover_body body[2], abut_vec3 p, double most, double slack)
{
    const double r = radius_in(&body[0], p, most, slack), s = radius_in(&body[1], p, most, slack);
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
