/* SPDX-License-Identifier: MIT */
/* Where two bodies touch first that are served by the general method: all places at that time, by the
 * cells of both (narrow/cover/touching.c). The bodies are examined at the start of the time enclosure,
 * when they are apart by no more than they close in during it. */
#include "ccd/first_region.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/cover/pairs.h"
#include "shape/shape.h"

enum { MOST = 2048 };

/* How far the points of the body move in that time at most, and how far those beyond the origin do by
 * turning. */
static double travel(const abut_motion *motion, const abut_shape *shape, abut_interval time, double *turn)
{
    const abut_aabb b = shape->bounds;
    const double reach =
        abut_length(abut_v3(fmax(fabs(b.lo.x), fabs(b.hi.x)), fmax(fabs(b.lo.y), fabs(b.hi.y)),
                            fmax(fabs(b.lo.z), fabs(b.hi.z))));
    double all = 0, shift = 0;
    if (!motion || !(time.lo < time.hi) ||
        abut_motion_travel_bound(motion, time, isfinite(reach) ? reach : 0, &all, NULL) ||
        abut_motion_travel_bound(motion, time, 0, &shift, NULL))
        return 0;
    *turn += fmax(0, all - shift * (1 + 1e-9));
    return all;
}

static double size_of(const abut_shape *shape)
{
    return abut_max_norm(abut_sub(shape->bounds.hi, shape->bounds.lo));
}

/* Which way normals are about, where no point is known: against the way on which the second body comes. */
static abut_vec3 normal_about(const abut_first_state *s, double t, const abut_pair *pair)
{
    const abut_motion *const motion[2] = { s->motion_a, s->motion_b };
    abut_vec3 v[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    for (int i = 0; i < 2; ++i) {
        abut_affine rate;
        if (motion[i] && !abut_motion_velocity_at(motion[i], t, &rate))
            v[i] = rate.translation;
    }
    const abut_vec3 apart = abut_sub(pair->at_b->mid.translation, pair->at_a->mid.translation);
    return abut_unit_or(abut_sub(v[0], v[1]), abut_unit_or(apart, abut_v3(0, 0, 1)));
}

static abut_status find(const abut_first_state *s, abut_interval time, const abut_first_point *like,
                        abut_workspace *ws, abut_cover_contact *out, int *count)
{
    abut_place at_a, at_b;
    abut_status status = abut_place_from_motion(s->motion_a, time.lo, &at_a);
    if (!status)
        status = abut_place_from_motion(s->motion_b, time.lo, &at_b);
    if (status)
        return status;
    const abut_pair pair = { s->a, s->b, &at_a, &at_b, NULL };
    double turn = 0;
    const double moved = travel(s->motion_a, s->a, time, &turn) + travel(s->motion_b, s->b, time, &turn),
                 most = 1e-5 * fmin(size_of(s->a), size_of(s->b));
    abut_cover_touching_opts opts = { .near = fmin(moved, most),
                                      .tilt = fmin(turn, most),
                                      .separation = abut_first_separation(s),
                                      .normal = abut_dot(like->normal, like->normal) > 0
                                                    ? like->normal
                                                    : normal_about(s, time.lo, &pair) };
    /* Where the points would be more than there is room for, the separation grows. */
    do {
        const abut_workspace_mark mark = abut_workspace_begin(ws);
        status = abut_cover_touching(&pair, &opts, ws, out, MOST, count);
        abut_workspace_end(ws, mark);
        opts.separation *= 2;
    } while (!status && *count == MOST);
    return status;
}

ABUT_MATH_NOINLINE bool abut_first_add_touching(abut_first_state *s, abut_interval time,
                                                const abut_first_point *like)
{
    abut_workspace own;
    abut_workspace *ws = s->moving->ws;
    if (!ws)
        abut_workspace_open(&own, &s->a->alloc);
    abut_workspace *used = ws ? ws : &own;
    const abut_workspace_mark mark = abut_workspace_begin(used);
    abut_cover_contact *found = abut_workspace_take(used, MOST, sizeof *found);
    int count = 0;
    if (found && find(s, time, like, used, found, &count)) /* the time stands without the points */
        count = 0;
    for (int i = 0; i < count; ++i) {
        const abut_cover_contact *c = &found[i];
        abut_first_point point = *like;
        point.point = abut_scale(0.5, abut_add(c->point[0], c->point[1]));
        point.normal = c->normal;
        point.kind = c->alone ? ABUT_CONTACT_ISOLATED : ABUT_CONTACT_SAMPLED;
        for (int k = 0; k < 2; ++k)
            point.features[k] = c->feature[k];
        abut_first_keep_point(s, &point);
    }
    abut_workspace_end(used, mark);
    if (!ws)
        abut_workspace_close(&own);
    return count > 0;
}
