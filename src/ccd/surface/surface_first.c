/* SPDX-License-Identifier: MIT */
/* First contact of two bodies by their surfaces. */
#include "ccd/surface/surface_scene.h"
#include "math/nearest.h"
#include "shape/shape.h"

enum { max_threads = 256 };

static bool is_curved(abut_shape_type type)
{
    return type == ABUT_SHAPE_TORUS || type == ABUT_SHAPE_PARAMETRIC || type == ABUT_SHAPE_BEZIER ||
           type == ABUT_SHAPE_IMPLICIT || type == ABUT_SHAPE_CSG;
}

bool abut_surface_wanted(const abut_shape *a, const abut_shape *b)
{
    return is_curved(a->type) || is_curved(b->type);
}

bool abut_surface_opts_ok(const abut_first_opts *opts)
{
    const abut_surface_solver *const by = opts->surface_solver;
    if ((by && ((unsigned)by->newton >= ABUT_NEWTON_COUNT || (unsigned)by->order >= ABUT_ORDER_COUNT)) ||
        opts->threads < 0 || opts->threads > max_threads || (opts->tracked_count > 0 && !opts->tracked))
        return false;
    for (size_t i = 0; i < opts->tracked_count; ++i)
        if (!(opts->tracked[i].radius >= 0))
            return false;
    return true;
}

static abut_status solve_pair(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                              const abut_motion *motion_b, const abut_first_opts *opts, abut_interval range,
                              abut_workspace *ws, abut_surface_answer *answer)
{
    abut_surface_parts bodies[2];
    abut_surface_pair pair;
    abut_surface_scene scene = { .bodies = bodies, .body_count = 2, .pairs = &pair, .range = range };
    abut_status status = abut_surface_parts_make(a, motion_a, range, ws, &bodies[0]);
    if (!status)
        status = abut_surface_parts_make(b, motion_b, range, ws, &bodies[1]);
    bool possible = false;
    if (!status)
        status = abut_surface_pair_make(&scene, 0, 1, &pair, &possible);
    scene.pair_count = possible;
    return status ? status : abut_surface_solve(&scene, opts, ws, answer);
}

abut_status abut_surface_first(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                               const abut_motion *motion_b, const abut_first_opts *opts, abut_interval range,
                               abut_workspace *ws, abut_first_result *out)
{
    abut_workspace own;
    abut_surface_answer answer = { .verdict = ABUT_FIRST_UNDECIDED };
    if (opts->method != ABUT_METHOD_AUTO)
        return ABUT_ERR_UNSUPPORTED;
    if (!ws)
        abut_workspace_open(&own, NULL);
    abut_workspace *const room = ws ? ws : &own;
    const abut_workspace_mark mark = abut_workspace_begin(room);
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = solve_pair(a, motion_a, b, motion_b, opts, range, room, &answer);
    abut_nearest_leave(saved);
    if (!status) {
        out->verdict = answer.verdict;
        out->proof = answer.proof;
        out->stop = answer.stop;
        out->time = answer.time;
        out->counters = answer.counters;
        for (size_t i = 0; i < answer.point_count; ++i) {
            const abut_first_point *const point = &answer.points[i].at;
            if (point->kind == 0) /* only the time is known */
                continue;
            if (out->point_count < ABUT_FIRST_CONTACTS)
                out->points[out->point_count] = *point;
            ++out->point_count;
            if (opts->on_point)
                opts->on_point(opts->on_point_ctx, point);
        }
    }
    abut_workspace_end(room, mark);
    if (!ws)
        abut_workspace_close(&own);
    return status;
}
