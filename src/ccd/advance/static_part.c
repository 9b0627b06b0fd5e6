/* SPDX-License-Identifier: MIT */
/* Bodies that touch at the start and part: no static method sees separations that begin with a touch.
 *
 * A plane that supports both from opposite sides at the start, exactly, has them apart for as long as all
 * points of the second body move faster along its normal than all points of the first: at the rate c' of its
 * origin along the normal n, and no more than |n Q'| times its reach slower or faster. */
#include "ccd/advance/static_apart.h"
#include "interval/ia3.h"
#include "math/vec3.h"
#include "narrow/brep/touch.h"

enum { SHRINKS = 24 };

typedef struct rate_call {
    const abut_interval_affine *rate;
    abut_vec3 normal;
    double reach;
    abut_interval out;
} rate_call;

/* How fast the heights of the points of a body over the plane change. */
static ABUT_NOINLINE void bound_rate(rate_call *c)
{
    const abut_interval_affine *r = c->rate;
    const ia3 n = ia3_point(c->normal);
    const ia3 shift = { ia_from(r->translation.x), ia_from(r->translation.y), ia_from(r->translation.z) };
    const ia own[3] = { n.x, n.y, n.z };
    ia turn = ia_point(0);
    bool turns = false;
    for (int k = 0; k < 3; ++k) {
        ia rate = ia_point(0); /* of the height by the coordinate k */
        for (int i = 0; i < 3; ++i)
            rate = ia_add(rate, ia_mul(own[i], ia_from(r->linear.m[i][k])));
        turns = turns || ia_lo(rate) != 0 || ia_hi(rate) != 0;
        turn = ia_add(turn, ia_sqr(ia_abs(rate)));
    }
    ia height = ia3_dot(n, shift);
    if (turns) {
        const double most = ia_hi(ia_mul(ia_sqrt(turn), ia_point(c->reach)));
        height = ia_add(height, ia_make(-most, most));
    }
    c->out = ia_to(height);
}

static bool find_rate(const abut_motion *motion, abut_interval time, abut_vec3 normal, double reach,
                      abut_interval *out)
{
    abut_interval_affine rate;
    *out = (abut_interval){ 0, 0 };
    if (!motion)
        return true;
    if (abut_motion_enclose_velocity(motion, time, &rate))
        return false;
    rate_call call = { .rate = &rate, .normal = normal, .reach = reach };
    const abut_rounding saved = abut_rounding_enter();
    bound_rate(&call);
    abut_rounding_leave(saved);
    *out = call.out;
    return true;
}

double abut_static_parts_until(const abut_moving *m, const double reach[2])
{
    abut_place at_a, at_b;
    abut_vec3 normals[6];
    if (abut_place_from_motion(m->motion_a, m->range.lo, &at_a) ||
        abut_place_from_motion(m->motion_b, m->range.lo, &at_b))
        return m->range.lo;
    const abut_pair pair = { m->a, m->b, &at_a, &at_b, NULL };
    const int count = abut_brep_supporting_planes(&pair, normals);
    double length = m->range.hi - m->range.lo;
    for (int i = 0; i < SHRINKS && count > 0; ++i, length *= 0.25) {
        const abut_interval time = { m->range.lo, i ? m->range.lo + length : m->range.hi };
        for (int k = 0; k < count; ++k) {
            abut_interval a, b;
            if (time.lo < time.hi && find_rate(m->motion_a, time, normals[k], reach[0], &a) &&
                find_rate(m->motion_b, time, normals[k], reach[1], &b) && b.lo > a.hi)
                return time.hi;
        }
    }
    return m->range.lo;
}
