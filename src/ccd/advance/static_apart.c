/* SPDX-License-Identifier: MIT */
/* Two bodies that are apart at an instant, under rigid motions: how fast their near points approach, and
 * whether covers prove them to be apart over a stretch of time from there (narrow/cover/sweep.c). */
#include "ccd/advance/static_apart.h"
#include "math/vec3.h"
#include "narrow/cover/pairs.h"
#include "narrow/pair_table.h"

typedef struct course {
    ia_affine at, rate;
} course;

/* Kernel. Of a ball only how its centre moves. */
static bool course_over(const abut_motion *motion, bool ball, ia t, course *out)
{
    const ia33 one = ia33_identity(), none = ia33_sub(&one, &one);
    const ia3 zero = { ia_point(0), ia_point(0), ia_point(0) };
    *out = (course){ { one, zero }, { none, zero } };
    if (!motion)
        return true;
    if (!abut_motion_placement_over(motion, t, &out->at))
        return false;
    if (motion->type != ABUT_MOTION_STATIC && !abut_motion_velocity_over(motion, t, &out->rate))
        return false;
    if (ball) {
        out->at.linear = one;
        out->rate.linear = none;
    }
    return true;
}

/* x = A^T (B y + d): A' T B + A^T B', and A' T d + A^T d'. */
static ABUT_NOINLINE void relative_kernel(const abut_motion *first, const abut_motion *second,
                                          const bool ball[2], const abut_interval *time,
                                          abut_cover_motion *out, bool *known)
{
    course a, b;
    *known =
        course_over(first, ball[0], ia_from(*time), &a) && course_over(second, ball[1], ia_from(*time), &b);
    if (!*known)
        return;
    const ia33 back = ia33_transpose(&a.at.linear), back_rate = ia33_transpose(&a.rate.linear);
    const ia33 left = ia33_mul(&back_rate, &b.at.linear), right = ia33_mul(&back, &b.rate.linear);
    const ia33 turn = ia33_add(&left, &right);
    const ia3 d = ia3_sub(b.at.translation, a.at.translation),
              d_rate = ia3_sub(b.rate.translation, a.rate.translation);
    out->turn = ia33_to(&turn);
    out->shift = ia3_to(ia3_add(ia33_mul3(&back_rate, d), ia33_mul3(&back, d_rate)));
}

abut_status abut_static_stays_apart(const abut_moving *m, abut_cover_cache *cover, double t, double until,
                                    double reach, uint64_t budget, bool *apart)
{
    abut_place at_a, at_b;
    bool swapped = false, known = false;
    *apart = false;
    (void)abut_narrow_find_row(m->a->type, m->b->type, &swapped);
    abut_cover_motion motion = {
        .duration = fabs(until - t) * (1 + 0x1p-50), .backward = until < t, .reach = reach, .budget = budget
    };
    const abut_interval time = { fmin(t, until), fmax(t, until) };
    const bool ball[2] = { (swapped ? m->b : m->a)->type == ABUT_SHAPE_SPHERE,
                           (swapped ? m->a : m->b)->type == ABUT_SHAPE_SPHERE };
    abut_status status = abut_place_from_motion(m->motion_a, t, &at_a);
    if (!status)
        status = abut_place_from_motion(m->motion_b, t, &at_b);
    if (status)
        return status;
    at_a.t = at_b.t = t;
    const abut_rounding saved = abut_rounding_enter();
    relative_kernel(swapped ? m->motion_b : m->motion_a, swapped ? m->motion_a : m->motion_b, ball, &time,
                    &motion, &known);
    abut_rounding_leave(saved);
    if (!known)
        return ABUT_OK;
    abut_ask ask = { .want = ABUT_WANT_DISTANCE, .cutoff = INFINITY, .cover = cover };
    const abut_pair pair = { swapped ? m->b : m->a, swapped ? m->a : m->b, swapped ? &at_b : &at_a,
                             swapped ? &at_a : &at_b, &ask };
    abut_counters spent = { 0 };
    status = abut_cover_stays_apart(&pair, &motion, m->ws, apart, &spent);
    m->counters->evaluations += spent.evaluations;
    return status;
}

static ABUT_NOINLINE void velocity_kernel(const abut_motion *motion, const double *t, const abut_vec3 *x,
                                          abut_vec3 *out)
{
    course c;
    *out = (abut_vec3){ 0, 0, 0 };
    if (!course_over(motion, false, ia_point(*t), &c))
        return;
    const ia33 back = ia33_transpose(&c.at.linear);
    const ia3 local = ia33_mul3(&back, ia3_sub(ia3_point(*x), c.at.translation));
    *out = ia3_mid(ia3_add(ia33_mul3(&c.rate.linear, local), c.rate.translation));
}

double abut_static_closing(const abut_moving *m, double t, abut_vec3 point_a, abut_vec3 point_b,
                           abut_vec3 normal)
{
    abut_vec3 a, b;
    const abut_rounding saved = abut_rounding_enter();
    velocity_kernel(m->motion_a, &t, &point_a, &a);
    velocity_kernel(m->motion_b, &t, &point_b, &b);
    abut_rounding_leave(saved);
    return abut_dot(abut_sub(a, b), normal);
}
