/* SPDX-License-Identifier: MIT */
/* Motions made of one piece: static, linear, velocity, screw, nlerp. */
#include "math/vec3.h"
#include "motion/create.h"
#include "motion/kernel.h"
#include "motion/leg.h"

/* ---- static ---- */

/* Scenes of a million bodies have a million of these, most of them without a rotation: the matrix is
 * there only where it is not the identity. */
typedef struct motion_static {
    abut_motion base;
    bool stated;    /* by `pose`: the rotation is that of a quaternion, or none */
    bool turned;    /* one matrix follows */
    abut_pose pose; /* where it is not stated: its position only */
    abut_interval_mat3 linear[];
} motion_static;

static const motion_static *as_static(const abut_motion *motion)
{
    return (const motion_static *)motion;
}

/* Zeros as outward rounding gives them, so that it is the same, bit by bit, as any other motion's. */
static const abut_interval_mat3 *static_linear(const motion_static *m)
{
    static const abut_interval_mat3 identity = { { { { 1, 1 }, { -0., 0 }, { -0., 0 } },
                                                   { { -0., 0 }, { 1, 1 }, { -0., 0 } },
                                                   { { -0., 0 }, { -0., 0 }, { 1, 1 } } } };
    return m->turned ? m->linear : &identity;
}

static abut_status static_at(const abut_motion *motion, double t, abut_affine *out)
{
    (void)t;
    const abut_interval_mat3 *linear = static_linear(as_static(motion));
    for (int i = 0; i < 9; ++i)
        out->linear.m[i / 3][i % 3] = box_mid(linear->m[i / 3][i % 3]);
    out->translation = as_static(motion)->pose.position;
    return ABUT_OK;
}

static abut_interval_vec3 point3(abut_vec3 p)
{
    return (abut_interval_vec3){ { p.x, p.x }, { p.y, p.y }, { p.z, p.z } };
}

static abut_status static_velocity_at(const abut_motion *motion, double t, abut_affine *out)
{
    (void)motion;
    (void)t;
    *out = (abut_affine){ .translation = { 0, 0, 0 } };
    return ABUT_OK;
}

static void static_enclose(const abut_motion *motion, ia t, ia_affine *out)
{
    (void)t;
    const abut_interval_vec3 translation = point3(as_static(motion)->pose.position);
    out->linear = ia33_from(static_linear(as_static(motion)));
    out->translation = ia3_from(&translation);
}

static void static_enclose_velocity(const abut_motion *motion, ia t, ia_affine *out)
{
    (void)motion;
    (void)t;
    for (int i = 0; i < box_entries; ++i)
        *box_entry(out, i) = ia_point(0);
}

static bool static_line(const abut_motion *motion, double t, abut_motion_line *out)
{
    abut_affine at;
    static_at(motion, t, &at);
    *out = (abut_motion_line){ -HUGE_VAL, HUGE_VAL, at.translation, at.translation, { 0, 0, 0 }, false };
    return true;
}

static size_t static_size(bool turned)
{
    return sizeof(motion_static) + (turned ? sizeof(abut_interval_mat3) : 0);
}

static void static_destroy(abut_motion *motion)
{
    abut_motion_free(motion, static_size(as_static(motion)->turned));
}

static const abut_motion_ops static_ops = { .at = static_at,
                                            .velocity_at = static_velocity_at,
                                            .enclose = static_enclose,
                                            .enclose_velocity = static_enclose_velocity,
                                            .line = static_line,
                                            .destroy = static_destroy };

bool abut_motion_stated_pose(const abut_motion *motion, abut_pose *out)
{
    if (motion->ops != &static_ops || !as_static(motion)->stated)
        return false;
    *out = as_static(motion)->pose;
    return true;
}

static ABUT_NOINLINE void enclose_rotation(const abut_rotation *rotation, abut_interval_mat3 *out)
{
    ball33 fine;
    abut_motion_rotation_matrix(rotation, &fine);
    ia33 r = ball33_to(&fine);
    for (int i = 0; i < 9; ++i)
        r.m[i / 3][i % 3] = box_within_one(r.m[i / 3][i % 3]);
    *out = ia33_to(&r);
}

static motion_static *new_static(const abut_allocator *alloc, bool turned, abut_vec3 position)
{
    motion_static *m = abut_motion_new(alloc, static_size(turned), ABUT_MOTION_STATIC, &static_ops);
    if (m) {
        m->turned = turned;
        m->pose.position = position;
    }
    return m;
}

abut_status abut_motion_create_static(const abut_placement *at, const abut_allocator *alloc,
                                      abut_motion **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "there is nowhere to put the motion: out is NULL");
    *out = NULL;
    const abut_status status = abut_motion_check_placement(at, "the placement", -1, error);
    if (status != ABUT_OK)
        return status;
    motion_static *m = new_static(alloc, at->rotation.kind != ABUT_ROTATION_IDENTITY, at->position);
    if (!m)
        return abut_base_fail_memory(error);
    if (m->turned) {
        const abut_rounding saved = abut_rounding_enter();
        enclose_rotation(&at->rotation, m->linear);
        abut_rounding_leave(saved);
    }
    m->stated = at->rotation.kind == ABUT_ROTATION_IDENTITY || at->rotation.kind == ABUT_ROTATION_QUATERNION;
    m->pose.rotation =
        at->rotation.kind == ABUT_ROTATION_QUATERNION ? at->rotation.quaternion : (abut_quat){ 1, 0, 0, 0 };
    abut_motion_track *track = &m->base.track;
    track->straight = true;
    track->turn = abut_motion_middle(static_linear(m), &track->r);
    track->from = at->position;
    track->from_size = abut_length(at->position);
    *out = &m->base;
    return ABUT_OK;
}

abut_status abut_motion_create_static_affine(const abut_affine *at, const abut_allocator *alloc,
                                             abut_motion **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "there is nowhere to put the motion: out is NULL");
    *out = NULL;
    bool finite = at != NULL;
    for (int i = 0; finite && i < 9; ++i)
        finite = isfinite(at->linear.m[i / 3][i % 3]);
    if (!finite || !abut_is_finite3(at->translation))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "all twelve numbers of the matrix must be finite");
    motion_static *m = new_static(alloc, true, at->translation);
    if (!m)
        return abut_base_fail_memory(error);
    m->base.rigid = false;
    for (int i = 0; i < 9; ++i) {
        const double x = at->linear.m[i / 3][i % 3];
        m->linear->m[i / 3][i % 3] = (abut_interval){ x, x };
    }
    *out = &m->base;
    return ABUT_OK;
}

/* ---- one leg ---- */

typedef struct motion_leg {
    abut_motion base;
    abut_leg leg;
} motion_leg;

static const abut_leg *leg_of(const abut_motion *motion)
{
    return &((const motion_leg *)motion)->leg;
}

static abut_status leg_at(const abut_motion *motion, double t, abut_affine *out)
{
    abut_leg_at(leg_of(motion), t, out);
    return ABUT_OK;
}

static abut_status leg_velocity_at(const abut_motion *motion, double t, abut_affine *out)
{
    abut_leg_velocity_at(leg_of(motion), t, out);
    return ABUT_OK;
}

static void leg_enclose(const abut_motion *motion, ia t, ia_affine *out)
{
    abut_leg_enclose(leg_of(motion), t, out);
}

static void leg_enclose_velocity(const abut_motion *motion, ia t, ia_affine *out)
{
    abut_leg_enclose_velocity(leg_of(motion), t, out);
}

static double leg_angular_speed(const abut_motion *motion, ia t)
{
    return abut_leg_angular_speed(leg_of(motion), t);
}

static bool leg_line(const abut_motion *motion, double t, abut_motion_line *out)
{
    (void)t;
    return abut_leg_line(leg_of(motion), out);
}

static const abut_leg *leg_leg(const abut_motion *motion, double t)
{
    (void)t;
    return leg_of(motion);
}

static void leg_destroy(abut_motion *motion)
{
    abut_motion_free(motion, sizeof(motion_leg));
}

static const abut_motion_ops leg_ops = { .at = leg_at,
                                         .velocity_at = leg_velocity_at,
                                         .enclose = leg_enclose,
                                         .enclose_velocity = leg_enclose_velocity,
                                         .angular_speed = leg_angular_speed,
                                         .line = leg_line,
                                         .leg = leg_leg,
                                         .destroy = leg_destroy };

/* Copies the finished leg into a motion. */
static abut_status wrap(const abut_leg *leg, abut_motion_type type, const abut_allocator *alloc,
                        abut_motion **out, abut_error *error)
{
    motion_leg *m = abut_motion_new(alloc, sizeof *m, type, &leg_ops);
    if (!m)
        return abut_base_fail_memory(error);
    m->leg = *leg;
    m->base.t0 = leg->t0;
    m->base.t1 = leg->t1;
    abut_leg_track(leg, &m->base.track);
    *out = &m->base;
    return ABUT_OK;
}

static abut_status join(abut_leg_kind kind, abut_motion_type type, double t0, double t1,
                        const abut_placement *from, const abut_placement *to, const abut_allocator *alloc,
                        abut_motion **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "there is nowhere to put the motion: out is NULL");
    *out = NULL;
    abut_leg leg;
    abut_status status = abut_motion_check_placement(from, "the start", -1, error);
    if (status == ABUT_OK)
        status = abut_motion_check_placement(to, "the end", -1, error);
    if (status == ABUT_OK)
        status = abut_leg_join(kind, t0, t1, from, to, -1, &leg, error);
    return status == ABUT_OK ? wrap(&leg, type, alloc, out, error) : status;
}

abut_status abut_motion_create_linear(double t0, double t1, const abut_placement *from,
                                      const abut_placement *to, const abut_allocator *alloc,
                                      abut_motion **out, abut_error *error)
{
    return join(ABUT_LEG_LINEAR, ABUT_MOTION_LINEAR, t0, t1, from, to, alloc, out, error);
}

abut_status abut_motion_create_screw(double t0, double t1, const abut_placement *from,
                                     const abut_placement *to, const abut_allocator *alloc, abut_motion **out,
                                     abut_error *error)
{
    return join(ABUT_LEG_SCREW, ABUT_MOTION_SCREW, t0, t1, from, to, alloc, out, error);
}

abut_status abut_motion_create_nlerp(double t0, double t1, const abut_placement *from,
                                     const abut_placement *to, const abut_allocator *alloc, abut_motion **out,
                                     abut_error *error)
{
    return join(ABUT_LEG_NLERP, ABUT_MOTION_NLERP, t0, t1, from, to, alloc, out, error);
}

abut_status abut_motion_create_velocity(double t0, double t1, const abut_placement *at_t0, abut_vec3 linear,
                                        abut_vec3 angular, const abut_allocator *alloc, abut_motion **out,
                                        abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "there is nowhere to put the motion: out is NULL");
    *out = NULL;
    abut_leg leg;
    abut_status status = abut_motion_check_placement(at_t0, "the start", -1, error);
    if (status == ABUT_OK)
        status = abut_leg_steady(t0, t1, at_t0, linear, angular, &leg, error);
    return status == ABUT_OK ? wrap(&leg, ABUT_MOTION_VELOCITY, alloc, out, error) : status;
}
