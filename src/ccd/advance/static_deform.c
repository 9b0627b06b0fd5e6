/* SPDX-License-Identifier: MIT */
/* Bodies that change their form, under the general method over time (static_scan.c).
 *
 * At an instant each is an ordinary body: a surface at that t, the ellipsoid that an affine map makes of
 * one, the mesh with its vertices where they are then. Over time
 *  - points of an affine image and vertices move no further than their motions say, and points of
 *    triangles no further than their corners: conservative advancement needs no more;
 *  - surfaces with t in their expressions are covered as they are over a stretch of time (the cells of
 *    narrow/cover with an interval for t). The boundaries of all instants are then in the cells, so that a
 *    lower bound of the distance holds for each instant at which the bodies are apart.
 *
 * Why that proves the whole stretch: the distance of two bodies that are apart at one end changes
 * continuously, but where a new part of a body appears (a birth). As long as it is positive it is at least
 * the bound, so that it cannot fall to zero between. A part that appears outside the other body is in the
 * cells, with all directions for normals; one that appears inside is what abut_cover_contains asks for, at
 * all times of the stretch. A closed surface must not turn inside out meanwhile, which is asked for once
 * for the whole query (abut_surface_orient).
 *
 * Conservative advancement: Mirtich 1996; inclusion functions over time: Snyder et al. 1993. */
#include "ccd/advance/static_deform.h"
#include "math/vec3.h"
#include "narrow/cover/pairs.h"
#include "narrow/ellipsoid/ellipsoid_place.h"
#include "narrow/pair_table.h"
#include "shape/heightfield.h"

#include <string.h>

/* ---- at an instant ---- */

static bool has_vertices(const abut_motion *motion)
{
    return motion && motion->ops->image;
}

static abut_status open_one(const abut_shape *shape, const abut_motion *motion, double t,
                            abut_static_instant *out, int i)
{
    out->body[i] = shape;
    if (!has_vertices(motion)) {
        const abut_status status =
            abut_place_of(shape, motion, t, &out->image[i], &out->at[i], &out->body[i]);
        out->stand_in = out->stand_in || out->body[i] != shape;
        out->at[i].t = t;
        return status;
    }
    double off;
    abut_status status = motion->ops->image(motion, shape, t, &out->mesh[i], &off);
    if (status)
        return status;
    out->body[i] = out->mesh[i];
    out->off += off;
    return abut_place_from_pose(NULL, true, &out->at[i]);
}

abut_status abut_static_instant_open(const abut_moving *m, double t, abut_static_instant *out)
{
    out->mesh[0] = out->mesh[1] = NULL;
    out->stand_in = false;
    out->off = 0;
    const abut_status status = open_one(m->a, m->motion_a, t, out, 0);
    return status ? status : open_one(m->b, m->motion_b, t, out, 1);
}

void abut_static_instant_close(abut_static_instant *s)
{
    for (int i = 0; i < 2; ++i)
        abut_shape_release(s->mesh[i]);
}

abut_status abut_static_instant_ask(const abut_static_instant *s, const abut_ask *ask, abut_workspace *ws,
                                    abut_check_result *out)
{
    bool swapped;
    const abut_pair_row *row = abut_narrow_row_of(s->body[0], s->body[1], s->stand_in, &swapped);
    if (!row)
        return ABUT_ERR_UNSUPPORTED;
    const abut_pair pair = { s->body[swapped], s->body[!swapped], &s->at[swapped], &s->at[!swapped], ask };
    const abut_status status = abut_narrow_run_placed(row->placed, &pair, ws, out);
    if (!status && swapped)
        abut_narrow_mirror(out);
    return status;
}

abut_status abut_static_instant_meet(const abut_moving *m, const abut_static_instant *s, double t,
                                     const abut_ask *ask, abut_workspace *ws, abut_check_result *out)
{
    const abut_motion *by = has_vertices(m->motion_a) ? m->motion_a : m->motion_b;
    if (abut_cover_takes(s->body[0]) && abut_cover_takes(s->body[1])) {
        abut_ask closer = *ask;
        closer.blur = s->off;
        const abut_pair pair = { s->body[0], s->body[1], &s->at[0], &s->at[1], &closer };
        abut_check_result found = { .verdict = ABUT_UNDECIDED };
        const abut_status status = abut_narrow_cover(&pair, ws, &found);
        if (status)
            return status;
        if (found.verdict != ABUT_UNDECIDED) {
            *out = found;
            return ABUT_OK;
        }
    }
    if (s->off == 0)
        return ABUT_OK;
    *out = (abut_check_result){ .verdict = ABUT_UNDECIDED };
    if (!by || !by->ops->check)
        return ABUT_ERR_UNSUPPORTED;
    return by->ops->check(m->a, m->motion_a, m->b, m->motion_b, t, NULL, ws, out);
}

/* ---- over the range ---- */

static ABUT_NOINLINE void enclose_bounds(const abut_surface *s, const abut_interval *range, ia *scratch,
                                         abut_aabb *out)
{
    const ia3 b = abut_surface_bounds(s, ia_from(*range), scratch);
    *out = (abut_aabb){ { ia_lo(b.x), ia_lo(b.y), ia_lo(b.z) }, { ia_hi(b.x), ia_hi(b.y), ia_hi(b.z) } };
}

static abut_status find_surface(const abut_shape *shape, abut_interval range, abut_workspace *ws,
                                abut_static_change *out)
{
    abut_surface surface;
    const abut_status status = abut_shape_surface_over(shape, range, ws, &surface);
    if (status)
        return status;
    ia *scratch = abut_workspace_take(ws, surface.scratch + 1, sizeof *scratch);
    if (!scratch)
        return ABUT_ERR_MEMORY;
    const abut_orientation side = abut_surface_orient(&surface, range, scratch);
    out->known = side.sign == 1 || side.sign == -1;
    const abut_rounding saved = abut_rounding_enter();
    enclose_bounds(&surface, &range, scratch, &out->bounds);
    abut_rounding_leave(saved);
    return ABUT_OK;
}

static double farthest(const abut_aabb *b)
{
    const abut_vec3 far = { fmax(fabs(b->lo.x), fabs(b->hi.x)), fmax(fabs(b->lo.y), fabs(b->hi.y)),
                            fmax(fabs(b->lo.z), fabs(b->hi.z)) };
    const double length = abut_length(far) * (1 + 0x1p-48);
    return length < INFINITY ? length : INFINITY;
}

/* By how much the linear part of a motion stretches at most, over the range. */
static double stretch(const abut_motion *motion, abut_interval range)
{
    abut_interval_affine at;
    double sum = 0;
    if (abut_motion_enclose(motion, range, &at))
        return INFINITY;
    for (int i = 0; i < 9; ++i) {
        const abut_interval e = at.linear.m[i / 3][i % 3];
        const double most = fmax(fabs(e.lo), fabs(e.hi));
        sum += most * most;
    }
    return sqrt(sum) * (1 + 0x1p-40);
}

abut_status abut_static_change_find(const abut_shape *shape, const abut_motion *motion, abut_interval range,
                                    abut_workspace *ws, abut_static_change *out)
{
    *out = (abut_static_change){ .known = true, .bounds = shape->bounds };
    if (has_vertices(motion)) {
        out->any = true;
        out->own = out->reach = motion->ops->reach(motion, range);
        return ABUT_OK;
    }
    out->itself = abut_shape_deforms(shape);
    const bool stretched = motion && !motion->rigid;
    out->any = out->itself || stretched;
    const abut_status status = out->itself ? find_surface(shape, range, ws, out) : ABUT_OK;
    out->own = farthest(&out->bounds);
    out->reach = stretched ? out->own * stretch(motion, range) * (1 + 0x1p-50) : out->own;
    return status;
}

static abut_status check_motion(const abut_motion *motion, abut_interval range)
{
    if (!motion)
        return ABUT_OK;
    const abut_interval own = abut_motion_get_range(motion);
    if (!(own.lo <= range.lo && range.hi <= own.hi))
        return ABUT_ERR_ARGUMENT;
    if (has_vertices(motion))
        return motion->ops->reach(motion, range) < INFINITY ? ABUT_OK : ABUT_ERR_VALUE;
    abut_motion_line line;
    if (abut_motion_origin_line(motion, range.lo, &line))
        return ABUT_OK; /* such a motion has enclosures */
    abut_interval_affine ignored;
    const abut_status status = abut_motion_enclose(motion, range, &ignored);
    return status ? status : abut_motion_enclose_velocity(motion, range, &ignored);
}

abut_status abut_static_motions_check(const abut_moving *m)
{
    const abut_status status = check_motion(m->motion_a, m->range);
    return status ? status : check_motion(m->motion_b, m->range);
}

/* ---- apart over a stretch of time ---- */

bool abut_static_apart_over(const abut_moving *m, double t, abut_interval span, double travel,
                            uint64_t max_iterations, abut_workspace *ws, abut_counters *spent)
{
    abut_static_instant now;
    abut_check_result r = { .verdict = ABUT_UNDECIDED };
    abut_status status = abut_static_instant_open(m, t, &now);
    if (!status) {
        now.at[0].span = now.at[1].span = span;
        const double clear = (travel + now.off) * (1 + 0x1p-40);
        const abut_ask ask = { .want = ABUT_WANT_VERDICT,
                               .clearance = clear * (1 + 0x1p-20) + 0x1p-1060,
                               .cutoff = INFINITY,
                               .max_iterations = max_iterations };
        const abut_pair pair = { now.body[0], now.body[1], &now.at[0], &now.at[1], &ask };
        status = abut_narrow_cover(&pair, ws, &r);
        *spent = r.counters;
        abut_static_instant_close(&now);
        return !status && r.distance.lo > clear;
    }
    abut_static_instant_close(&now);
    return false;
}
