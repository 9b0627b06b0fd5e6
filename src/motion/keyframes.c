/* SPDX-License-Identifier: MIT */
/* `linear` from key to key. A time is found by bisection; an interval of time takes the hull
 * over the segments it meets. */
#include "math/vec3.h"
#include "motion/create.h"
#include "motion/kernel.h"
#include "motion/leg.h"

#include <stdio.h>

typedef struct motion_keyframes {
    abut_motion base;
    size_t count;
    abut_leg *legs;
} motion_keyframes;

static const motion_keyframes *self(const abut_motion *motion)
{
    return (const motion_keyframes *)motion;
}

/* The leg that holds t; at a key the one that begins there, at the last key the last. */
static size_t find(const motion_keyframes *m, double t)
{
    size_t lo = 0, hi = m->count;
    while (hi - lo > 1) {
        const size_t middle = lo + (hi - lo) / 2;
        if (m->legs[middle].t0 <= t)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

static abut_status at(const abut_motion *motion, double t, abut_affine *out)
{
    abut_leg_at(&self(motion)->legs[find(self(motion), t)], t, out);
    return ABUT_OK;
}

static abut_status velocity_at(const abut_motion *motion, double t, abut_affine *out)
{
    abut_leg_velocity_at(&self(motion)->legs[find(self(motion), t)], t, out);
    return ABUT_OK;
}

/* The legs that t meets: [first, last]. One that it only touches at a key does not count, unless
 * t is that key: then both sides do. */
static void meets(const motion_keyframes *m, ia t, size_t *first, size_t *last)
{
    *first = find(m, ia_lo(t));
    *last = find(m, ia_hi(t));
    if (*last > *first && m->legs[*last].t0 == ia_hi(t))
        --*last;
    else if (ia_is_point(t) && *first > 0 && m->legs[*first].t0 == ia_lo(t))
        --*first;
}

typedef void (*leg_fn)(const abut_leg *leg, ia t, ia_affine *out);

static void hull_over(const motion_keyframes *m, ia t, leg_fn enclose_leg, ia_affine *out)
{
    size_t first, last;
    meets(m, t, &first, &last);
    for (size_t i = first; i <= last; ++i) {
        const abut_leg *leg = &m->legs[i];
        ia_affine piece;
        enclose_leg(leg, ia_make(fmax(ia_lo(t), leg->t0), fmin(ia_hi(t), leg->t1)), &piece);
        for (int k = 0; k < box_entries; ++k)
            *box_entry(out, k) =
                i == first ? *box_entry(&piece, k) : ia_hull(*box_entry(out, k), *box_entry(&piece, k));
    }
}

static void enclose(const abut_motion *motion, ia t, ia_affine *out)
{
    hull_over(self(motion), t, abut_leg_enclose, out);
}

static void enclose_velocity(const abut_motion *motion, ia t, ia_affine *out)
{
    hull_over(self(motion), t, abut_leg_enclose_velocity, out);
}

static double angular_speed(const abut_motion *motion, ia t)
{
    const motion_keyframes *m = self(motion);
    size_t first, last;
    meets(m, t, &first, &last);
    double most = 0;
    for (size_t i = first; i <= last; ++i) {
        const abut_leg *leg = &m->legs[i];
        const ia part = ia_make(fmax(ia_lo(t), leg->t0), fmin(ia_hi(t), leg->t1));
        most = fmax(most, abut_leg_angular_speed(leg, part));
    }
    return most;
}

static double next_break(const abut_motion *motion, double t)
{
    return self(motion)->legs[find(self(motion), t)].t1;
}

static bool line(const abut_motion *motion, double t, abut_motion_line *out)
{
    return abut_leg_line(&self(motion)->legs[find(self(motion), t)], out);
}

static const abut_leg *leg(const abut_motion *motion, double t)
{
    return &self(motion)->legs[find(self(motion), t)];
}

static void destroy(abut_motion *motion)
{
    motion_keyframes *m = (motion_keyframes *)motion;
    abut_base_free(&motion->alloc, m->legs, m->count, sizeof *m->legs);
    abut_motion_free(motion, sizeof *m);
}

static const abut_motion_ops ops = { .at = at,
                                     .velocity_at = velocity_at,
                                     .enclose = enclose,
                                     .enclose_velocity = enclose_velocity,
                                     .angular_speed = angular_speed,
                                     .next_break = next_break,
                                     .line = line,
                                     .leg = leg,
                                     .destroy = destroy };

abut_status abut_motion_create_keyframes(const abut_keyframe *keys, size_t key_count,
                                         const abut_allocator *alloc, abut_motion **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "there is nowhere to put the motion: out is NULL");
    *out = NULL;
    if (!keys || key_count < 2)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "keyframes need at least two keys, got %zu",
                              key_count);
    abut_status status = abut_motion_check_placement(&keys[0].at, "key 0", 0, error);
    if (status != ABUT_OK)
        return status;
    motion_keyframes *m = abut_motion_new(alloc, sizeof *m, ABUT_MOTION_KEYFRAMES, &ops);
    if (!m)
        return abut_base_fail_memory(error);
    m->count = key_count - 1;
    m->legs = abut_base_alloc(&m->base.alloc, m->count, sizeof *m->legs);
    if (!m->legs) {
        abut_motion_free(&m->base, sizeof *m);
        return abut_base_fail_memory(error);
    }
    for (size_t i = 0; i < m->count && status == ABUT_OK; ++i) {
        char name[40];
        snprintf(name, sizeof name, "key %zu", i + 1);
        status = abut_motion_check_placement(&keys[i + 1].at, name, (int64_t)i + 1, error);
        if (status == ABUT_OK)
            status = abut_leg_join(ABUT_LEG_LINEAR, keys[i].t, keys[i + 1].t, &keys[i].at, &keys[i + 1].at,
                                   (int64_t)i + 1, &m->legs[i], error);
    }
    if (status != ABUT_OK) {
        destroy(&m->base);
        return status;
    }
    m->base.t0 = keys[0].t;
    m->base.t1 = keys[key_count - 1].t;
    *out = &m->base;
    return ABUT_OK;
}
