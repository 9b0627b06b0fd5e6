/* SPDX-License-Identifier: MIT */
/* Any path: expressions in t for the position and for the angle about a fixed axis, compiled to a
 * tape.
 *
 * Method: each of the four functions is enclosed by its tape, then cut down to what its values at
 * both ends and its derivative leave (kernel.h's slope form); the same one order higher for
 * velocities. The rotation is a spin by the enclosed angle. A stretch of time is halved a few times
 * where that promises much tighter bounds, and more often where enclosing all of it fails (a
 * denominator whose enclosure reaches zero though it never does).
 *
 * Surprise: an expression may be undefined at times. The position is then enclosed by
 * everything, which motion.c reports as ABUT_ERR_VALUE. */
#include "expr/public.h"
#include "math/vec3.h"
#include "motion/create.h"
#include "motion/kernel.h"
#include "motion/leg.h"

enum {
    MAX_ROOTS = 4,
    MAX_SCRATCH = 2048, /* numbers on the stack */
    MAX_WAITING = 64,   /* pieces of a stretch of time */
    MAX_PIECES = 512,   /* that it is cut into where it is not known to be defined, */
    FEW_PIECES = 8      /* and for tighter bounds */
};

typedef struct motion_expression {
    abut_motion base;
    abut_tape *tape; /* three coordinates, then the angle if there is one */
    bool turns;
    abut_spin spin; /* its parameter is the angle */
} motion_expression;

/* f, f', f'' of each root. */
typedef struct jets {
    ia f[MAX_ROOTS][3];
} jets;

static const motion_expression *self(const abut_motion *motion)
{
    return (const motion_expression *)motion;
}

/* ---- plain doubles ---- */

static abut_status evaluate(const motion_expression *m, double t, int order, double out[MAX_ROOTS][2])
{
    double scratch[MAX_SCRATCH], flat[MAX_ROOTS * 2];
    const size_t stride = abut_tape_stride(1, order);
    abut_tape_evaluate(m->tape, &t, order, scratch, flat);
    for (size_t i = 0; i < MAX_ROOTS; ++i)
        for (size_t k = 0; k < 2; ++k) {
            out[i][k] = i < (m->turns ? 4u : 3u) && k < stride ? flat[i * stride + k] : 0;
            if (!isfinite(out[i][k]))
                return ABUT_ERR_VALUE;
        }
    return ABUT_OK;
}

static const abut_mat3 no_turn = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };

static abut_status at(const abut_motion *motion, double t, abut_affine *out)
{
    double v[MAX_ROOTS][2];
    const abut_status status = evaluate(self(motion), t, 0, v);
    if (status)
        return status;
    out->translation = abut_v3(v[0][0], v[1][0], v[2][0]);
    out->linear = no_turn;
    if (self(motion)->turns)
        abut_spin_at(&self(motion)->spin, v[3][0], &out->linear);
    return ABUT_OK;
}

static abut_status velocity_at(const abut_motion *motion, double t, abut_affine *out)
{
    double v[MAX_ROOTS][2];
    const abut_status status = evaluate(self(motion), t, 1, v);
    if (status)
        return status;
    out->translation = abut_v3(v[0][1], v[1][1], v[2][1]);
    out->linear = (abut_mat3){ { { 0 } } };
    if (self(motion)->turns)
        abut_spin_rate_at(&self(motion)->spin, v[3][0], &out->linear);
    for (int i = 0; i < 9; ++i)
        out->linear.m[i / 3][i % 3] *= v[3][1];
    return ABUT_OK;
}

/* ---- enclosures ---- */

static bool raw(const motion_expression *m, ia t, int order, ia *scratch, jets *out)
{
    ia flat[MAX_ROOTS * 3];
    const size_t stride = abut_tape_stride(1, order), roots = m->turns ? 4 : 3;
    const bool defined = abut_tape_enclose(m->tape, &t, order, scratch, flat);
    for (size_t i = 0; i < roots; ++i)
        for (size_t k = 0; k < stride; ++k)
            out->f[i][k] = flat[i * stride + k];
    return defined;
}

typedef enum grade { UNDEFINED, LOOSE, TIGHT } grade;

/* The functions (order 0) or the functions and their derivatives (order 1) over t. UNDEFINED:
 * somewhere, for all that is known. LOOSE: the bounds are a quarter wider than the values at
 * both ends need. */
static grade over(const motion_expression *m, ia t, int order, ia *scratch, jets *out)
{
    jets lo, hi;
    const size_t roots = m->turns ? 4 : 3;
    const bool smooth = raw(m, t, order + 1, scratch, out);
    if (!smooth && !raw(m, t, order, scratch, out))
        return UNDEFINED;
    if (ia_is_point(t))
        return TIGHT;
    raw(m, ia_point(ia_lo(t)), order, scratch, &lo);
    raw(m, ia_point(ia_hi(t)), order, scratch, &hi);
    const ia w = ia_sub(ia_point(ia_hi(t)), ia_point(ia_lo(t)));
    bool tight = true;
    for (size_t i = 0; i < roots; ++i)
        for (int k = order; k >= 0; --k) {
            const ia ends = ia_hull(lo.f[i][k], hi.f[i][k]);
            if (smooth)
                out->f[i][k] =
                    box_meet(box_slope_range(lo.f[i][k], hi.f[i][k], out->f[i][k + 1], w), out->f[i][k]);
            tight = tight && ia_width(out->f[i][k]) <= 1.25 * ia_width(ends);
        }
    return tight ? TIGHT : LOOSE;
}

/* The same in pieces; false: undefined somewhere, for all that is known. */
static bool over_pieces(const motion_expression *m, ia t, int order, ia *scratch, jets *out)
{
    ia waiting[MAX_WAITING];
    int count = 1, pieces = 1;
    bool any = false;
    waiting[0] = t;
    while (count > 0) {
        const ia part = waiting[--count];
        jets found;
        const grade how = over(m, part, order, scratch, &found);
        const double middle = ia_mid(part);
        const bool halves = count + 2 <= MAX_WAITING && middle > ia_lo(part) && middle < ia_hi(part);
        if (how != TIGHT && halves && pieces < (how == LOOSE ? FEW_PIECES : MAX_PIECES)) {
            waiting[count++] = ia_make(middle, ia_hi(part));
            waiting[count++] = ia_make(ia_lo(part), middle);
            ++pieces;
            continue;
        }
        if (how == UNDEFINED)
            return false;
        for (size_t i = 0; i < (m->turns ? 4u : 3u); ++i)
            for (int k = 0; k <= order; ++k)
                out->f[i][k] = any ? ia_hull(out->f[i][k], found.f[i][k]) : found.f[i][k];
        any = true;
    }
    return true;
}

static void fill(ia_affine *out, double diagonal)
{
    for (int e = 0; e < 9; ++e)
        out->linear.m[e / 3][e % 3] = ia_point(e % 4 ? 0 : diagonal);
}

static void enclose_nothing(ia_affine *out)
{
    for (int e = 0; e < box_entries; ++e)
        *box_entry(out, e) = ia_entire();
}

static void enclose(const abut_motion *motion, ia t, ia_affine *out)
{
    const motion_expression *m = self(motion);
    ia scratch[MAX_SCRATCH];
    jets j;
    if (!over_pieces(m, t, 0, scratch, &j)) {
        enclose_nothing(out);
        return;
    }
    out->translation = (ia3){ j.f[0][0], j.f[1][0], j.f[2][0] };
    fill(out, 1);
    if (m->turns)
        abut_spin_enclose(&m->spin, j.f[3][0], &out->linear);
}

static void enclose_velocity(const abut_motion *motion, ia t, ia_affine *out)
{
    const motion_expression *m = self(motion);
    ia scratch[MAX_SCRATCH];
    jets j;
    if (!over_pieces(m, t, 1, scratch, &j)) {
        enclose_nothing(out);
        return;
    }
    out->translation = (ia3){ j.f[0][1], j.f[1][1], j.f[2][1] };
    fill(out, 0);
    if (!m->turns)
        return;
    ia33 turn;
    abut_spin_enclose_rate(&m->spin, j.f[3][0], &turn);
    out->linear = ia33_scale(j.f[3][1], &turn);
}

static double angular_speed(const abut_motion *motion, ia t)
{
    const motion_expression *m = self(motion);
    ia scratch[MAX_SCRATCH];
    jets j;
    if (!m->turns)
        return 0;
    return over_pieces(m, t, 1, scratch, &j) ? ia_mag(j.f[3][1]) : HUGE_VAL;
}

/* ---- where it is not defined ---- */

static abut_status defined_over(const abut_motion *motion, abut_interval time, abut_error *error)
{
    static const char *const names[MAX_ROOTS] = { "position[0]", "position[1]", "position[2]",
                                                  "rotation.radians" };
    const motion_expression *m = self(motion);
    ia scratch[MAX_SCRATCH];
    double t, plain[MAX_SCRATCH], value[MAX_ROOTS];
    if (!abut_tape_find_undefined(m->tape, &time, scratch, &t))
        return ABUT_OK;
    abut_tape_evaluate(m->tape, &t, 0, plain, value);
    for (int i = 0; i < (m->turns ? 4 : 3); ++i)
        if (!isfinite(value[i]))
            return abut_base_fail(error, ABUT_ERR_VALUE, i, "%s is not defined at t = %.17g", names[i], t);
    return abut_base_fail(error, ABUT_ERR_VALUE, -1, "the expressions are not defined at t = %.17g", t);
}

static void destroy(abut_motion *motion)
{
    abut_tape_destroy(((motion_expression *)motion)->tape);
    abut_motion_free(motion, sizeof(motion_expression));
}

static const abut_motion_ops ops = { .at = at,
                                     .velocity_at = velocity_at,
                                     .enclose = enclose,
                                     .enclose_velocity = enclose_velocity,
                                     .angular_speed = angular_speed,
                                     .defined_over = defined_over,
                                     .destroy = destroy };

/* ---- creation ---- */

static abut_status check(double t0, double t1, bool turns, abut_vec3 axis, abut_error *error)
{
    const abut_status status = abut_motion_check_range(t0, t1, -1, error);
    if (status != ABUT_OK)
        return status;
    if (turns && (!abut_is_finite3(axis) || abut_max_norm(axis) == 0))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the rotation axis must be finite and not zero");
    return ABUT_OK;
}

static ABUT_NOINLINE void make_spin(const abut_vec3 *axis, abut_spin *out)
{
    abut_spin_about(*axis, out);
}

/* Takes the expression. */
static abut_status finish(double t0, double t1, abut_expr *expr, abut_vec3 axis, const abut_allocator *alloc,
                          abut_motion **out, abut_error *error)
{
    abut_status status = ABUT_ERR_MEMORY;
    motion_expression *m = abut_motion_new(alloc, sizeof *m, ABUT_MOTION_EXPRESSION, &ops);
    if (m)
        status = abut_tape_compile(expr, &m->base.alloc, &m->tape);
    if (status == ABUT_OK && abut_tape_scratch(m->tape, 2) > MAX_SCRATCH)
        status = ABUT_ERR_LIMIT;
    const bool turns = expr->root_count > 3;
    abut_expr_destroy(expr);
    if (status != ABUT_OK) {
        if (m)
            destroy(&m->base);
        return status == ABUT_ERR_MEMORY ? abut_base_fail_memory(error)
                                         : abut_base_fail(error, status, -1, "the expressions are too large");
    }
    m->base.t0 = t0;
    m->base.t1 = t1;
    m->base.partial = true;
    /* over a stretch of time, at both its ends, one order less */
    m->base.work = 4 * abut_tape_work(m->tape);
    m->turns = turns;
    if (turns) {
        const abut_rounding saved = abut_rounding_enter();
        make_spin(&axis, &m->spin);
        abut_rounding_leave(saved);
    }
    *out = &m->base;
    return ABUT_OK;
}

abut_status abut_motion_create_expression(double t0, double t1, const char *const position[3], abut_vec3 axis,
                                          const char *radians, const abut_allocator *alloc, abut_motion **out,
                                          abut_error *error)
{
    static const char *const variables[] = { "t" };
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "there is nowhere to put the motion: out is NULL");
    *out = NULL;
    if (!position || !position[0] || !position[1] || !position[2])
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a position needs three expressions");
    abut_status status = check(t0, t1, radians != NULL, axis, error);
    if (status != ABUT_OK)
        return status;
    const abut_expr_source texts[4] = { { "position[0]", position[0] },
                                        { "position[1]", position[1] },
                                        { "position[2]", position[2] },
                                        { "rotation.radians", radians } };
    abut_expr *expr;
    status = abut_expr_parse(texts, radians ? 4 : 3, variables, 1, NULL, 0, alloc, &expr, error);
    return status ? status : finish(t0, t1, expr, axis, alloc, out, error);
}

abut_status abut_motion_create_expression_graph(double t0, double t1, const abut_graph *graph,
                                                const abut_node position[3], abut_vec3 axis,
                                                const abut_node *radians, const abut_allocator *alloc,
                                                abut_motion **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "there is nowhere to put the motion: out is NULL");
    *out = NULL;
    if (!position)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a position needs three expressions");
    abut_status status = check(t0, t1, radians != NULL, axis, error);
    if (status != ABUT_OK)
        return status;
    const abut_node roots[4] = { position[0], position[1], position[2], radians ? *radians : position[0] };
    abut_expr *expr;
    status = abut_graph_finish(graph, roots, radians ? 4 : 3, 1, alloc, &expr, error);
    return status ? status : finish(t0, t1, expr, axis, alloc, out, error);
}
