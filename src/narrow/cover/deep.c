/* SPDX-License-Identifier: MIT */
/* How deep two bodies are in each other, from below, by balls about a common point.
 *
 * Let p be in both, and the ball of radius r about it in the first and that of radius s in the second.
 * No translation shorter than r, than s, or than twice the smaller of both parts the bodies: p leaves
 * neither ball by the first two, and the two balls still have a point in common by the third. The same
 * holds for any motion that moves no point of one in the frame of the other further than that. */
#include "math/vec3.h"
#include "narrow/cover/cover.h"

enum { TRIES = 90 };

/* A radius about p whose ball is inside the body, less than twice too small; 0: not even p is known to be. */
static double radius_in(const abut_cover_body *body, abut_vec3 p, double most, double slack)
{
    if (!body->solid || body->rounded || abut_cover_side(body, p, 2 * slack) >= 0)
        return 0;
    double in = slack, out = most;
    for (double r = 8 * slack; r < most; r *= 8) {
        if (abut_cover_side(body, p, r + slack) >= 0) {
            out = r;
            break;
        }
        in = r;
    }
    while (out > 1.3 * in) {
        const double r = out > 4 * in ? 2 * in : sqrt(in * out);
        if (abut_cover_side(body, p, r + slack) < 0)
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
    return abut_cover_side(&body[0], p, r) < 0 && abut_cover_side(&body[1], p, r) < 0;
}

double abut_cover_least_depth(const abut_cover_body body[2], double slack, abut_vec3 *p)
{
    const double size = fmin(fmin(body[0].size, body[1].size), 1e6);
    if (!body[0].solid || !body[1].solid) {
        /* A point of the sheet; only that may be used. */
        const int solid = body[0].solid ? 0 : 1;
        return body[solid].solid ? radius_in(&body[solid], *p, 0.5 * size, slack) : 0;
    }
    double best = depth_of(body, *p, 0.5 * size, slack);
    int tries = 0;
    for (double step = fmin(0.25 * size, 4 * best);
         step > 0.05 * best && step > 16 * slack && tries < TRIES;) {
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

double abut_cover_depth_at(const abut_pair *pair, abut_workspace *ws, abut_vec3 point)
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
    if (!abut_cover_open(pair, used, body, &slack) && isfinite(slack)) {
        const abut_affine *at = &pair->at_a->mid;
        const abut_vec3 d = abut_sub(point, at->translation);
        abut_vec3 p = pair->a->type == ABUT_SHAPE_SPHERE ? d : abut_mul_t(&at->linear, d);
        depth = abut_cover_least_depth(body, 2 * slack, &p);
    }
    abut_workspace_end(used, mark);
    if (!ws)
        abut_workspace_close(&own);
    return depth;
}
