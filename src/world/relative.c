/* SPDX-License-Identifier: MIT */
/* Pairs over a range of time, by the velocities of the two relative to each other.
 *
 * A point of a body that is at x at the start is in x + s V after the time s, where V encloses the
 * velocities of all points of the body over the range (the mean value theorem, coordinate by
 * coordinate). So two bodies with boxes A and B at the start can meet after s only where along each
 * axis A + s Va meets B + s Vb: two linear inequalities in s. The times that all six leave are one
 * interval, and where it is empty the pair never meets. Boxes over the whole range know nothing of
 * when a body is where: those of two that fly in formation meet nearly always. */
#include "world/relative.h"

#include "ccd/deform/deform.h"
#include "interval/ia3.h"
#include "motion/motion.h"
#include "world/broad/aabb.h"

#include <math.h>

typedef struct flight {
    abut_aabb start, velocity;
    bool known; /* false: not searched for yet */
    bool usable;
} flight;

abut_status abut_relative_open(abut_world_relative *r, const abut_world *world, abut_interval time)
{
    *r = (abut_world_relative){ .world = world, .time = time };
    r->span = nextafter(time.hi - time.lo, INFINITY);
    r->count = world->slot_count;
    r->flights = abut_base_alloc_zero(&world->alloc, r->count, sizeof(flight));
    return r->flights ? ABUT_OK : ABUT_ERR_MEMORY;
}

void abut_relative_close(abut_world_relative *r)
{
    if (r->flights)
        abut_base_free(&r->world->alloc, r->flights, r->count, sizeof(flight));
    r->flights = NULL;
}

/* Velocities of all points of the shape's box. */
static bool enclose(const abut_shape *shape, const abut_motion *motion, abut_interval time, abut_aabb *out)
{
    abut_interval_affine rate;
    if (abut_motion_enclose_velocity(motion, time, &rate))
        return false;
    const abut_aabb b = abut_shape_bounds(shape);
    const abut_interval_vec3 box = { { b.lo.x, b.hi.x }, { b.lo.y, b.hi.y }, { b.lo.z, b.hi.z } };
    const abut_rounding saved = abut_rounding_enter();
    const ia33 linear = ia33_from(&rate.linear);
    const ia3 v = ia3_add(ia33_mul3(&linear, ia3_from(&box)), ia3_from(&rate.translation));
    *out = (abut_aabb){ { ia_lo(v.x), ia_lo(v.y), ia_lo(v.z) }, { ia_hi(v.x), ia_hi(v.y), ia_hi(v.z) } };
    abut_rounding_leave(saved);
    return true;
}

static bool is_finite_box(const abut_aabb *b)
{
    return isfinite(b->lo.x) && isfinite(b->lo.y) && isfinite(b->lo.z) && isfinite(b->hi.x) &&
           isfinite(b->hi.y) && isfinite(b->hi.z);
}

static const flight *flight_of(abut_world_relative *r, uint32_t slot)
{
    flight *f = (flight *)r->flights + slot;
    const abut_world_body *body = &r->world->slots[slot].body;
    if (f->known)
        return f;
    f->known = true;
    const abut_interval start = { r->time.lo, r->time.lo };
    f->usable = !abut_world_box(&r->world->slots[slot], start, NULL, &f->start) && is_finite_box(&f->start);
    if (f->usable && !abut_world_is_still(&r->world->slots[slot]))
        f->usable = !abut_vertices_of(body->motion) &&
                    enclose(body->shape, body->motion, r->time, &f->velocity) && is_finite_box(&f->velocity);
    return f;
}

/* Cuts [*lo, *hi] to where c + s v <= 0, both rounded down; false: nowhere. */
static bool cut(double c, double v, double *lo, double *hi)
{
    c = nextafter(c, -INFINITY);
    v = nextafter(v, -INFINITY);
    if (c > 0) {
        if (v >= 0)
            return false;
        *lo = abut_max2(*lo, c / -v * (1 - 0x1p-50));
    } else if (v > 0) {
        *hi = abut_min2(*hi, -c / v * (1 + 0x1p-50) + 0x1p-1060);
    }
    return !(*lo > *hi);
}

bool abut_relative_may_meet(abut_world_relative *r, uint32_t i, uint32_t j)
{
    if (abut_world_is_still(&r->world->slots[i]) && abut_world_is_still(&r->world->slots[j]))
        return true;
    const flight *p = flight_of(r, i), *q = flight_of(r, j);
    if (!p->usable || !q->usable)
        return true;
    const abut_aabb *a = &p->start, *b = &q->start, *u = &p->velocity, *v = &q->velocity;
    double lo = 0, hi = r->span;
    return cut(a->lo.x - b->hi.x, u->lo.x - v->hi.x, &lo, &hi) &&
           cut(b->lo.x - a->hi.x, v->lo.x - u->hi.x, &lo, &hi) &&
           cut(a->lo.y - b->hi.y, u->lo.y - v->hi.y, &lo, &hi) &&
           cut(b->lo.y - a->hi.y, v->lo.y - u->hi.y, &lo, &hi) &&
           cut(a->lo.z - b->hi.z, u->lo.z - v->hi.z, &lo, &hi) &&
           cut(b->lo.z - a->hi.z, v->lo.z - u->hi.z, &lo, &hi);
}
