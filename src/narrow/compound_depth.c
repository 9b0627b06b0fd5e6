/* SPDX-License-Identifier: MIT */
/* The depth of compounds, enclosed: how short a translation parts two unions.
 *
 * From below: a translation that parts the unions parts each pair of their parts, so no depth of a
 * pair exceeds it. From above: b is pushed out of a, by the least translation of the pair that is in
 * deepest, again and again until nothing penetrates; the sum of the pushes parts them, which is proved
 * by the checks at the end of it. A push that goes in circles (a bolt in a nut) is given up. The balls
 * around the parts give a bound along each axis in any case. Where one pair is in the way, or pushes
 * do not press others together, both bounds agree to rounding. */
#include "narrow/compound.h"

#include "math/vec3.h"
#include "motion/motion.h"

#include <math.h>

enum { ROUNDS = 12 };

/* The parts of b, translated. */
static abut_status shift(const abut_parts *from, abut_vec3 by, abut_workspace *ws, abut_parts *out)
{
    const abut_placement at = { .position = by };
    abut_motion *push;
    *out = (abut_parts){ .shapes = from->shapes };
    out->motions = abut_workspace_take(ws, from->count, sizeof *out->motions);
    if (!out->motions)
        return ABUT_ERR_MEMORY;
    abut_status status = abut_motion_create_static(&at, &ws->alloc, &push, NULL);
    for (; !status && out->count < from->count; ++out->count) {
        abut_motion *const links[2] = { push, from->motions[out->count] };
        abut_motion **to = &out->motions[out->count];
        if (links[1])
            status = abut_motion_create_chain(links, 2, &ws->alloc, to, NULL);
        else
            *to = abut_motion_retain(push);
        if (status)
            break;
    }
    abut_motion_release(push);
    return status;
}

/* The pair that is in deepest. */
typedef struct deepest {
    bool any, known; /* something penetrates; and all of that has a depth */
    bool open;       /* of some pair it is not known whether it is out */
    double depth;
    abut_check_result check;
} deepest;

static abut_status find_deepest(const abut_parts *a, const abut_parts *b, double t,
                                const abut_check_opts *opts, abut_workspace *ws, deepest *out)
{
    *out = (deepest){ .known = true };
    for (size_t i = 0; i < a->count; ++i)
        for (size_t k = 0; k < b->count; ++k) {
            abut_check_result r;
            const abut_status status =
                abut_check_at(a->shapes[i], a->motions[i], b->shapes[k], b->motions[k], t, opts, ws, &r);
            if (status)
                return status;
            if (r.verdict == ABUT_SEPARATE || r.verdict == ABUT_TOUCHING)
                continue;
            if (r.verdict == ABUT_UNDECIDED) {
                out->open = true;
                continue;
            }
            if (!r.has_depth || !r.has_normal || !isfinite(r.depth.hi)) {
                out->known = false;
                return ABUT_OK;
            }
            if (!out->any || r.depth.hi > out->depth) {
                out->depth = r.depth.hi;
                out->check = r;
            }
            out->any = true;
        }
    return ABUT_OK;
}

static void take_push(abut_check_result *out, abut_vec3 by, double length)
{
    out->depth.hi = length;
    out->normal = abut_scale(1 / abut_length(by), by);
    out->has_normal = true;
    out->has_points = false;
}

/* Pushes b until it is out; leaves what is there where it does not get out, or only further away. */
static abut_status push_out(const abut_parts *a, const abut_parts *b, double t, const abut_check_opts *opts,
                            abut_workspace *ws, abut_check_result *out)
{
    abut_vec3 by = { 0, 0, 0 };
    deepest now;
    abut_check_result first = { 0 };
    double extra = 0x1p-44;
    for (int round = 0; round <= ROUNDS; ++round) {
        abut_parts moved;
        abut_status status = shift(b, by, ws, &moved);
        if (!status)
            status = find_deepest(a, &moved, t, opts, ws, &now);
        abut_parts_clear(&moved);
        if (status || !now.known)
            return status;
        if (!now.any && !now.open)
            break;
        if (!now.any && round == 0)
            return ABUT_OK;
        if (round == 0)
            first = now.check;
        /* A little further, so that rounding does not leave it in; tiny depths count as well. More of it
         * where a placement is only enclosed. */
        if (now.any)
            by = abut_madd(by, now.depth * (1 + 0x1p-44) + 0x1p-46 * abut_length(by), now.check.normal);
        else
            by = abut_scale(1 + (extra *= 16), by);
        if (round == ROUNDS)
            return ABUT_OK;
    }
    const double length = abut_length(by) * (1 + 0x1p-48);
    if (!(length > 0) || !(length < out->depth.hi))
        return ABUT_OK;
    take_push(out, by, length);
    /* along the first push alone: its points are those that end up touching */
    if (abut_length(abut_cross(out->normal, first.normal)) < 1e-12 && first.has_points) {
        out->has_points = true;
        out->point_a = first.point_a;
        out->point_b = first.point_b;
    }
    return ABUT_OK;
}

void abut_compound_depth_by_balls(const abut_part_ball *a, size_t a_count, const abut_part_ball *b,
                                  size_t b_count, abut_check_result *out)
{
    for (int axis = 0; axis < 6; ++axis) {
        const abut_vec3 d = { axis / 2 == 0, axis / 2 == 1, axis / 2 == 2 };
        const double sign = axis % 2 ? -1 : 1;
        double most = -INFINITY, least = INFINITY, size = 0;
        for (size_t i = 0; i < a_count; ++i) {
            most = fmax(most, sign * abut_dot(d, a[i].centre) + a[i].radius);
            size = fmax(size, abut_length(a[i].centre) + a[i].radius);
        }
        for (size_t i = 0; i < b_count; ++i) {
            least = fmin(least, sign * abut_dot(d, b[i].centre) - b[i].radius);
            size = fmax(size, abut_length(b[i].centre) + b[i].radius);
        }
        const double far = most - least + 0x1p-48 * size;
        if (far > 0 && far < out->depth.hi)
            take_push(out, abut_scale(sign, d), far);
    }
}

abut_status abut_compound_depth(const abut_parts *a, const abut_parts *b, double t,
                                const abut_check_opts *opts, abut_workspace *ws, abut_check_result *out)
{
    abut_check_opts own = *opts;
    own.max_contacts = 1;
    const abut_status status = push_out(a, b, t, &own, ws, out);
    out->has_depth = isfinite(out->depth.hi);
    if (out->has_depth)
        out->depth.lo = fmin(out->depth.lo, out->depth.hi);
    return status == ABUT_ERR_MEMORY || status == ABUT_ERR_CANCELLED ? status : ABUT_OK;
}
