/* SPDX-License-Identifier: MIT */
/* Motion objects: references, argument checks, rounding, and dispatch to the types. The travel
 * bound is here, since it follows from placement and velocity alike for every type. */
#include "math/vec3.h"
#include "motion/create.h"
#include "motion/kernel.h"

void *abut_motion_new(const abut_allocator *alloc, size_t size, abut_motion_type type,
                      const abut_motion_ops *ops)
{
    const abut_allocator keep = abut_base_allocator(alloc);
    abut_motion *motion = abut_base_alloc_zero(&keep, 1, size);
    if (!motion)
        return NULL;
    atomic_init(&motion->references, 1);
    motion->alloc = keep;
    motion->ops = ops;
    motion->type = type;
    motion->rigid = true;
    motion->t0 = -HUGE_VAL;
    motion->t1 = HUGE_VAL;
    return motion;
}

void abut_motion_free(abut_motion *motion, size_t size)
{
    const abut_allocator alloc = motion->alloc;
    abut_base_free(&alloc, motion, 1, size);
}

abut_motion *abut_motion_retain(abut_motion *motion)
{
    if (motion)
        atomic_fetch_add_explicit(&motion->references, 1, memory_order_relaxed);
    return motion;
}

void abut_motion_release(abut_motion *motion)
{
    if (motion && atomic_fetch_sub_explicit(&motion->references, 1, memory_order_acq_rel) == 1)
        motion->ops->destroy(motion);
}

abut_motion_type abut_motion_get_type(const abut_motion *motion)
{
    return motion ? motion->type : ABUT_MOTION_NONE;
}

const char *abut_motion_type_name(abut_motion_type type)
{
    static const char *const names[ABUT_MOTION_TYPE_COUNT] = { "none",
#define NAME(name, text) text,
                                                               ABUT_MOTION_LIST(NAME)
#undef NAME
    };
    return type >= 0 && type < ABUT_MOTION_TYPE_COUNT ? names[type] : "unknown";
}

abut_interval abut_motion_get_range(const abut_motion *motion)
{
    if (!motion)
        return (abut_interval){ HUGE_VAL, -HUGE_VAL };
    return (abut_interval){ motion->t0, motion->t1 };
}

bool abut_motion_is_rigid(const abut_motion *motion)
{
    return motion && motion->rigid;
}

static bool in_range(const abut_motion *motion, double t)
{
    return motion->t0 <= t && t <= motion->t1;
}

static bool usable(const abut_motion *motion, abut_interval t)
{
    return motion && t.lo <= t.hi && in_range(motion, t.lo) && in_range(motion, t.hi);
}

abut_status abut_motion_defined_over(const abut_motion *motion, abut_interval time, abut_error *error)
{
    abut_base_clear(error);
    if (!usable(motion, time))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "a motion and a time within its range are needed");
    return motion->ops->defined_over ? motion->ops->defined_over(motion, time, error) : ABUT_OK;
}

abut_status abut_motion_at(const abut_motion *motion, double t, abut_affine *out)
{
    if (!motion || !out || !in_range(motion, t))
        return ABUT_ERR_ARGUMENT;
    return motion->ops->at(motion, t, out);
}

abut_status abut_motion_velocity_at(const abut_motion *motion, double t, abut_affine *out)
{
    if (!motion || !out || !in_range(motion, t))
        return ABUT_ERR_ARGUMENT;
    return motion->ops->velocity_at ? motion->ops->velocity_at(motion, t, out) : ABUT_ERR_UNSUPPORTED;
}

/* Only motions that say so are undefined anywhere. */
static bool is_defined(const abut_motion *motion, const ia_affine *box)
{
    for (int e = 0; motion->partial && e < box_entries; ++e)
        if (!ia_is_finite(*box_entry_of(box, e)))
            return false;
    return true;
}

bool abut_motion_placement_over(const abut_motion *motion, ia t, ia_affine *out)
{
    if (!motion->ops->enclose)
        return false;
    motion->ops->enclose(motion, t, out);
    return is_defined(motion, out);
}

bool abut_motion_velocity_over(const abut_motion *motion, ia t, ia_affine *out)
{
    if (!motion->ops->enclose_velocity)
        return false;
    motion->ops->enclose_velocity(motion, t, out);
    return is_defined(motion, out);
}

double abut_motion_next_break(const abut_motion *motion, double t)
{
    return motion->ops->next_break ? motion->ops->next_break(motion, t) : motion->t1;
}

bool abut_motion_origin_line(const abut_motion *motion, double t, abut_motion_line *out)
{
    return motion->ops->line && motion->ops->line(motion, t, out);
}

const struct abut_leg *abut_motion_leg(const abut_motion *motion, double t)
{
    return motion->ops->leg ? motion->ops->leg(motion, t) : NULL;
}

/* 2^-1060 is for entries that underflow. In any rounding mode. */
double abut_motion_middle(const abut_interval_mat3 *from, abut_mat3 *out)
{
    double sum = 0;
    for (int i = 0; i < 9; ++i) {
        const abut_interval e = from->m[i / 3][i % 3];
        const double m = 0.5 * e.lo + 0.5 * e.hi, width = e.hi - e.lo;
        const double off = 0.5 * width + (width > 0 ? 0x1p-52 * fabs(m) : 0);
        out->m[i / 3][i % 3] = m;
        sum += off * off;
    }
    return sqrt(sum) * (1 + 0x1p-40) + (sum > 0 ? 0x1p-500 : 0x1p-1060);
}

/* ---- travel ---- */

/* Upper bound of the length of a vector whose coordinates are bounded by those given. */
static double length_bound(double x, double y, double z)
{
    return ia_hi(ia_sqrt(ia3_sqr_norm((ia3){ ia_make(0, x), ia_make(0, y), ia_make(0, z) })));
}

/* Upper bound of the spectral norm of a matrix with entries at most those of `size`. The
 * difference and the derivative of rotations have singular values (a, a, 0), so that their
 * spectral norm is the Frobenius norm over sqrt(2). */
static double norm_bound(double size[3][3], bool rotation)
{
    ia sum = ia_point(0);
    double rows = 0, columns = 0;
    for (int i = 0; i < 3; ++i) {
        ia row = ia_point(0), column = ia_point(0);
        for (int j = 0; j < 3; ++j) {
            sum = ia_add(sum, ia_sqr(ia_make(0, size[i][j])));
            row = ia_add(row, ia_make(0, size[i][j]));
            column = ia_add(column, ia_make(0, size[j][i]));
        }
        rows = fmax(rows, ia_hi(row));
        columns = fmax(columns, ia_hi(column));
    }
    const double frobenius = ia_hi(ia_sqrt(rotation ? ia_scale(0.5, sum) : sum));
    return fmin(frobenius, ia_hi(ia_sqrt(ia_mul(ia_make(0, rows), ia_make(0, columns)))));
}

static double times_up(double a, double b)
{
    return ia_hi(ia_mul(ia_make(0, a), ia_make(0, b)));
}

static double plus_up(double a, double b)
{
    return ia_hi(ia_add(ia_make(0, a), ia_make(0, b)));
}

/* Bounds over one smooth piece: of the speed of the origin and of the linear part, and of how
 * far each gets. */
typedef struct reach {
    double speed, turn_speed, travel, turn;
} reach;

static void reach_over(const abut_motion *motion, ia t, reach *out)
{
    ia_affine place, velocity;
    motion->ops->enclose(motion, t, &place);
    motion->ops->enclose_velocity(motion, t, &velocity);
    double size[3][3], span[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            size[i][j] = ia_mag(velocity.linear.m[i][j]);
            span[i][j] = ia_width(place.linear.m[i][j]);
        }
    const ia3 v = velocity.translation, p = place.translation;
    const double duration = ia_width(t);
    out->speed = length_bound(ia_mag(v.x), ia_mag(v.y), ia_mag(v.z));
    out->travel =
        fmin(length_bound(ia_width(p.x), ia_width(p.y), ia_width(p.z)), times_up(out->speed, duration));
    out->turn_speed = norm_bound(size, motion->rigid);
    if (motion->rigid && motion->ops->angular_speed)
        out->turn_speed = fmin(out->turn_speed, motion->ops->angular_speed(motion, t));
    out->turn = fmin(norm_bound(span, motion->rigid), times_up(out->turn_speed, duration));
    if (motion->rigid) {
        /* A turn by x <= pi moves points at distance 1 by 2 sin(x/2). */
        const double angle = times_up(out->turn_speed, duration);
        if (angle < 3.14)
            out->turn = fmin(out->turn, ia_hi(ia_scale(2, ia_sin(ia_make(0, 0.5 * angle)))));
        out->turn = fmin(out->turn, 2);
    }
}

bool abut_motion_travel_over(const abut_motion *motion, ia t, double radius, double *travel, double *speed)
{
    if (!motion->ops->enclose || !motion->ops->enclose_velocity)
        return false;
    *travel = *speed = 0;
    if (motion->type == ABUT_MOTION_STATIC)
        return true;
    /* Piece by piece: the sum of the pieces, or the box around all of them, whichever is less. */
    reach sum = { 0 };
    double lo = ia_lo(t);
    bool several = false;
    for (;;) {
        const double at = abut_motion_next_break(motion, lo), next = at > lo ? fmin(at, ia_hi(t)) : ia_hi(t);
        reach piece;
        reach_over(motion, ia_make(lo, next), &piece);
        sum.travel = plus_up(sum.travel, piece.travel);
        sum.turn = plus_up(sum.turn, piece.turn);
        *speed = fmax(*speed, plus_up(piece.speed, times_up(radius, piece.turn_speed)));
        if (next >= ia_hi(t))
            break;
        lo = next;
        several = true;
    }
    if (several) {
        reach whole;
        reach_over(motion, t, &whole);
        sum.travel = fmin(sum.travel, whole.travel);
        sum.turn = fmin(sum.turn, whole.turn);
    }
    *travel = plus_up(sum.travel, times_up(radius, sum.turn));
    return !motion->partial || (*travel < HUGE_VAL && *speed < HUGE_VAL);
}

/* ---- public enclosures: each sets the rounding mode around one kernel ---- */

static ABUT_NOINLINE bool enclose(const abut_motion *motion, const abut_interval *t,
                                  abut_interval_affine *out)
{
    ia_affine box;
    const bool defined = abut_motion_placement_over(motion, ia_from(*t), &box);
    *out = ia_affine_to(&box);
    return defined;
}

static ABUT_NOINLINE bool enclose_velocity(const abut_motion *motion, const abut_interval *t,
                                           abut_interval_affine *out)
{
    ia_affine box;
    const bool defined = abut_motion_velocity_over(motion, ia_from(*t), &box);
    *out = ia_affine_to(&box);
    return defined;
}

static ABUT_NOINLINE bool travel(const abut_motion *motion, const abut_interval *t, double radius,
                                 double *out, double *speed)
{
    return abut_motion_travel_over(motion, ia_from(*t), radius, out, speed);
}

abut_status abut_motion_enclose(const abut_motion *motion, abut_interval t, abut_interval_affine *out)
{
    if (!out || !usable(motion, t))
        return ABUT_ERR_ARGUMENT;
    if (!motion->ops->enclose)
        return ABUT_ERR_UNSUPPORTED;
    const abut_rounding saved = abut_rounding_enter();
    const bool defined = enclose(motion, &t, out);
    abut_rounding_leave(saved);
    return defined ? ABUT_OK : ABUT_ERR_VALUE;
}

abut_status abut_motion_enclose_velocity(const abut_motion *motion, abut_interval t,
                                         abut_interval_affine *out)
{
    if (!out || !usable(motion, t))
        return ABUT_ERR_ARGUMENT;
    if (!motion->ops->enclose_velocity)
        return ABUT_ERR_UNSUPPORTED;
    const abut_rounding saved = abut_rounding_enter();
    const bool defined = enclose_velocity(motion, &t, out);
    abut_rounding_leave(saved);
    return defined ? ABUT_OK : ABUT_ERR_VALUE;
}

abut_status abut_motion_travel_bound(const abut_motion *motion, abut_interval t, double radius, double *out,
                                     double *speed)
{
    if (!usable(motion, t) || !(radius >= 0) || !isfinite(radius))
        return ABUT_ERR_ARGUMENT;
    if (!motion->ops->enclose || !motion->ops->enclose_velocity)
        return ABUT_ERR_UNSUPPORTED;
    double found, fastest;
    const abut_rounding saved = abut_rounding_enter();
    const bool bounded = travel(motion, &t, radius, &found, &fastest);
    abut_rounding_leave(saved);
    if (!bounded)
        return ABUT_ERR_VALUE;
    if (out)
        *out = found;
    if (speed)
        *speed = fastest;
    return ABUT_OK;
}
