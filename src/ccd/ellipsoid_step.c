/* SPDX-License-Identifier: MIT */
/* A step of two characters made of ellipsoids: every pair through bounding balls, then a plane kept
 * over the step, then the exact test.
 *
 * The plane and, where there is none, a point of both come from one function (Perram and Wertheim
 * 1985): with the spreads S_a, S_b (R D^2 R^T), d = b - a and n(l) = ((1 - l) S_a + l S_b)^-1 d,
 * the point a + (1 - l) S_a n = b - l S_b n is in a where (1 - l)^2 n.S_a n <= 1, in b where l^2
 * n.S_b n <= 1. Both are equal at the l that solves (1 - l) h_a = l h_b, h = sqrt(n.S n); there n
 * is the normal of the plane of contact of the two when they are blown up until they touch. So a
 * few steps towards that l end with a plane across n or with a common point. Only that search is
 * steered by doubles; what it finds is proved.
 *
 * Surprise: the pairs that are left need shapes and motions for the exact test. They are made
 * when first asked for, in the workspace, and not given back one by one. Source of the order of
 * the filters: Choi, Chang, Wang, Kim, Elber, Real-Time Continuous Collision Detection for
 * Moving Ellipsoids under Affine Deformation. */
#include "abut/ellipsoid.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "ccd/step_filter.h"
#include "math/nearest.h"

#include <string.h>

typedef struct character {
    const abut_moving_ellipsoid *given;
    step_body *bodies;
    abut_shape **shapes; /* NULL until a pair needs them */
    abut_motion **motions;
    size_t count;
} character;

/* The two filters, for one kind of machine. */
typedef struct filters {
    void (*row)(const step_body *a, const step_balls *b, size_t groups, uint8_t *bits);
    bool (*plane)(const step_body *a, const step_body *b, const abut_vec3 *n);
} filters;

typedef struct step {
    const filters *filters;
    character a, b;
    step_balls balls; /* of b */
    abut_workspace *ws;
    abut_step_contact *contacts;
    size_t capacity, *count;
    abut_step_counters *counters;
} step;

/* ---- bodies ---- */

static bool is_valid(const abut_moving_ellipsoid *e)
{
    const abut_quat p = e->from.rotation, q = e->to.rotation;
    const double lowest = fmin(e->radii.x, fmin(e->radii.y, e->radii.z));
    return lowest > 0 && abut_is_finite3(e->radii) && abut_is_finite3(e->from.position) &&
           abut_is_finite3(e->to.position) && isfinite(p.w) && isfinite(q.w) &&
           abut_is_finite3(abut_v3(p.x, p.y, p.z)) && abut_is_finite3(abut_v3(q.x, q.y, q.z)) &&
           (p.w != 0 || p.x != 0 || p.y != 0 || p.z != 0) && (q.w != 0 || q.x != 0 || q.y != 0 || q.z != 0);
}

static abut_quat unit_quat(abut_quat q)
{
    const double m = fmax(fabs(q.w), abut_max_norm(abut_v3(q.x, q.y, q.z)));
    const abut_quat s = { q.w / m, q.x / m, q.y / m, q.z / m };
    const double l = sqrt(abut_quat_dot(s, s));
    return (abut_quat){ s.w / l, s.x / l, s.y / l, s.z / l };
}

/* The symmetric bilinear form whose value for p = q is the rotation matrix of a unit quaternion. */
static void rotation_form(abut_quat p, abut_quat q, double out[3][3])
{
    const double ww = p.w * q.w, xx = p.x * q.x, yy = p.y * q.y, zz = p.z * q.z;
    const double xy = p.x * q.y + p.y * q.x, xz = p.x * q.z + p.z * q.x, yz = p.y * q.z + p.z * q.y;
    const double wx = p.w * q.x + p.x * q.w, wy = p.w * q.y + p.y * q.w, wz = p.w * q.z + p.z * q.w;
    out[0][0] = (ww + xx) - (yy + zz);
    out[1][1] = (ww + yy) - (xx + zz);
    out[2][2] = (ww + zz) - (xx + yy);
    out[0][1] = xy - wz;
    out[1][0] = xy + wz;
    out[0][2] = xz + wy;
    out[2][0] = xz - wy;
    out[1][2] = yz - wx;
    out[2][1] = yz + wx;
}

static void fill_body(const abut_moving_ellipsoid *given, step_body *out)
{
    const double radii[3] = { given->radii.x, given->radii.y, given->radii.z };
    const abut_quat q0 = unit_quat(given->from.rotation);
    abut_quat q1 = unit_quat(given->to.rotation);
    double w = abut_quat_dot(q0, q1), c[3][3][3];
    if (w < 0) {
        q1 = (abut_quat){ -q1.w, -q1.x, -q1.y, -q1.z };
        w = -w;
    }
    rotation_form(q0, q0, c[0]);
    rotation_form(q0, q1, c[1]);
    rotation_form(q1, q1, c[2]);
    out->from = given->from.position;
    out->to = given->to.position;
    out->radius = fmax(radii[0], fmax(radii[1], radii[2]));
    out->unequal = w >= 0.5 ? (1 - w) * (1. / 3) : NAN;
    const double per_w = 1 / w;
    for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) {
            const double middle = radii[j] * (c[1][k][j] * per_w);
            out->reach[j][k] = (step_v4){ radii[j] * c[0][k][j], middle, radii[j] * c[2][k][j], middle };
        }
    for (int i = 0, at = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j, ++at)
            out->spread[at] = out->reach[0][i][0] * out->reach[0][j][0] +
                              out->reach[1][i][0] * out->reach[1][j][0] +
                              out->reach[2][i][0] * out->reach[2][j][0];
}

static bool fill_character(const abut_moving_ellipsoid *given, size_t count, abut_workspace *ws,
                           character *out)
{
    *out = (character){ .given = given, .count = count };
    out->bodies = abut_workspace_take(ws, count, sizeof *out->bodies);
    out->shapes = abut_workspace_take(ws, count, sizeof *out->shapes);
    out->motions = abut_workspace_take(ws, count, sizeof *out->motions);
    if (!out->bodies || !out->shapes || !out->motions)
        return false;
    for (size_t i = 0; i < count; ++i) {
        fill_body(given + i, out->bodies + i);
        out->shapes[i] = NULL;
        out->motions[i] = NULL;
    }
    return true;
}

static size_t group_count(size_t count)
{
    return (count + STEP_LANES - 1) / STEP_LANES;
}

static bool fill_balls(const character *c, abut_workspace *ws, step_balls *out)
{
    const size_t groups = group_count(c->count);
    out->from = abut_workspace_take(ws, groups, sizeof *out->from);
    out->to = abut_workspace_take(ws, groups, sizeof *out->to);
    out->radius = abut_workspace_take(ws, groups, sizeof *out->radius);
    if (!out->from || !out->to || !out->radius)
        return false;
    for (size_t i = 0; i < groups * STEP_LANES; ++i) {
        const bool there = i < c->count;
        const step_body *body = c->bodies + (there ? i : 0);
        const double from[3] = { body->from.x, body->from.y, body->from.z };
        const double to[3] = { body->to.x, body->to.y, body->to.z };
        for (int k = 0; k < 3; ++k) {
            out->from[i / STEP_LANES][k][i % STEP_LANES] = there ? from[k] : NAN;
            out->to[i / STEP_LANES][k][i % STEP_LANES] = there ? to[k] : NAN;
        }
        out->radius[i / STEP_LANES][i % STEP_LANES] = there ? body->radius : 0;
    }
    return true;
}

/* ---- a plane or a common point at the start ---- */

typedef struct start {
    bool apart, common; /* as far as doubles see it */
    abut_vec3 normal;   /* of length 1 */
    abut_vec3 from_a;   /* the point, from the centre of a */
} start;

static abut_vec3 times(const double s[6], abut_vec3 n)
{
    return abut_v3(s[0] * n.x + s[1] * n.y + s[2] * n.z, s[1] * n.x + s[3] * n.y + s[4] * n.z,
                   s[2] * n.x + s[4] * n.y + s[5] * n.z);
}

/* ((1 - l) a + l b)^-1 d */
static abut_vec3 solve(const double a[6], const double b[6], double l, abut_vec3 d)
{
    double m[6];
    for (int i = 0; i < 6; ++i)
        m[i] = (1 - l) * a[i] + l * b[i];
    const double xx = m[3] * m[5] - m[4] * m[4], xy = m[2] * m[4] - m[1] * m[5],
                 xz = m[1] * m[4] - m[2] * m[3];
    const double yy = m[0] * m[5] - m[2] * m[2], yz = m[1] * m[2] - m[0] * m[4],
                 zz = m[0] * m[3] - m[1] * m[1];
    const double adjugate[6] = { xx, xy, xz, yy, yz, zz };
    return abut_scale(1 / (m[0] * xx + m[1] * xy + m[2] * xz), times(adjugate, d));
}

enum { SEARCH_STEPS = 12 };

/* Regula falsi (Illinois) on ((1 - l) h_a - l h_b) / ((1 - l) h_a + l h_b), which falls from 1
 * to -1. */
static start search(const step_body *a, const step_body *b)
{
    const abut_vec3 d = abut_sub(b->from, a->from);
    double l = a->radius / (a->radius + b->radius), lo = 0, hi = 1, at_lo = 1, at_hi = -1;
    start out = { false, false, { 1, 0, 0 }, { 0, 0, 0 } };
    int side = 0;
    for (int i = 0; i < SEARCH_STEPS; ++i) {
        const abut_vec3 n = solve(a->spread, b->spread, l, d), sn = times(a->spread, n);
        const double ha = sqrt(abut_dot(n, sn)), hb = sqrt(abut_dot(n, times(b->spread, n)));
        const double in_a = (1 - l) * ha, in_b = l * hb, off = (in_a - in_b) / (in_a + in_b);
        if (in_a < 1 && in_b < 1) {
            out.common = true;
            out.from_a = abut_scale(1 - l, sn);
        }
        out.apart = abut_dot(n, d) > ha + hb;
        out.normal = abut_unit_or(n, abut_v3(1, 0, 0));
        if (out.common || !(fabs(off) > 1e-3))
            break;
        if (off > 0) {
            lo = l;
            at_lo = off;
            if (side == 1)
                at_hi *= 0.5;
            side = 1;
        } else {
            hi = l;
            at_hi = off;
            if (side == -1)
                at_lo *= 0.5;
            side = -1;
        }
        const double next = (lo * -at_hi + hi * at_lo) / (at_lo - at_hi);
        l = i == 0 ? ha / (ha + hb) : next; /* first what balls of these reaches would have */
    }
    return out;
}

/* Proves that the point a + from_a, rounded to doubles, is inside of a body at the start.
 * Entries of the rotation are off by 24 u, of the way to the point by u: with the sums that is
 * less than 64 u times its length, over a radius. */
static bool is_inside(const step_body *body, const abut_vec3 *radii, abut_vec3 point)
{
    const abut_vec3 d = abut_sub(point, body->from);
    const double r[3] = { radii->x, radii->y, radii->z }, size = step_sum_norm(d);
    double sum = 0;
    for (int j = 0; j < 3; ++j) {
        const double along =
            body->reach[j][0][0] * d.x + body->reach[j][1][0] * d.y + body->reach[j][2][0] * d.z;
        /* reach is r_j times the rotation's column */
        const double y = (fabs(along) / r[j] + 0x1p-47 * size) / r[j];
        sum += y * y;
    }
    return sum < 1 - 0x1p-48 && size < 0x1p500 && r[0] > 0x1p-400 && r[1] > 0x1p-400 && r[2] > 0x1p-400;
}

/* ---- pairs ---- */

static void report(step *s, uint32_t a, uint32_t b, abut_first_verdict verdict, abut_interval time,
                   abut_vec3 point, abut_vec3 normal)
{
    if (*s->count < s->capacity)
        s->contacts[*s->count] = (abut_step_contact){ a, b, verdict, time, point, normal };
    ++*s->count;
    ++s->counters->contacts;
}

static void *take_memory(void *ctx, void *memory, size_t old_size, size_t new_size)
{
    void *out = abut_workspace_take(ctx, 1, new_size);
    if (out && memory)
        memcpy(out, memory, old_size < new_size ? old_size : new_size);
    return out;
}

static void keep_memory(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    (void)memory;
    (void)size;
}

static abut_status make_objects(character *c, size_t i, abut_workspace *ws)
{
    const abut_allocator alloc = { take_memory, keep_memory, ws };
    const abut_placement from = abut_placement_from_pose(c->given[i].from);
    const abut_placement to = abut_placement_from_pose(c->given[i].to);
    abut_status status = ABUT_OK;
    if (!c->shapes[i])
        status = abut_shape_create_ellipsoid(c->given[i].radii, &alloc, &c->shapes[i]);
    if (!status && !c->motions[i])
        status = abut_motion_create_nlerp(0, 1, &from, &to, &alloc, &c->motions[i], NULL);
    return status;
}

enum { ADVANCE_STEPS = 200 };

static abut_status exact_test(step *s, uint32_t a, uint32_t b)
{
    abut_status status = make_objects(&s->a, a, s->ws);
    if (!status)
        status = make_objects(&s->b, b, s->ws);
    if (status)
        return status;
    /* Moving planes are the fastest for what turns little; what they leave open, grazes mostly,
     * goes to the zeros of F(u, t). */
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.method = ABUT_METHOD_ADVANCEMENT;
    opts.max_iterations = ADVANCE_STEPS;
    abut_first_result first;
    const abut_shape *shape_a = s->a.shapes[a], *shape_b = s->b.shapes[b];
    const abut_motion *motion_a = s->a.motions[a], *motion_b = s->b.motions[b];
    status = abut_first_contact(shape_a, motion_a, shape_b, motion_b, &opts, s->ws, &first);
    if (!status && first.verdict == ABUT_FIRST_UNDECIDED)
        status = abut_first_contact(shape_a, motion_a, shape_b, motion_b, NULL, s->ws, &first);
    if (status || first.verdict == ABUT_FIRST_SEPARATE)
        return status;
    const abut_vec3 none = { 0, 0, 0 };
    report(s, a, b, first.verdict, first.time, first.point_count ? first.points[0].point : none,
           first.point_count ? first.points[0].normal : none);
    return ABUT_OK;
}

static abut_status test_pair(step *s, uint32_t ia, uint32_t ib)
{
    const step_body *a = s->a.bodies + ia, *b = s->b.bodies + ib;
    const start at = search(a, b);
    if (at.apart && s->filters->plane(a, b, &at.normal)) {
        ++s->counters->plane_culled;
        return ABUT_OK;
    }
    ++s->counters->exact;
    const abut_vec3 point = abut_add(a->from, at.from_a);
    if (at.common && is_inside(a, &s->a.given[ia].radii, point) &&
        is_inside(b, &s->b.given[ib].radii, point)) {
        report(s, ia, ib, ABUT_FIRST_OVERLAPPING, (abut_interval){ 0, 0 }, point, at.normal);
        return ABUT_OK;
    }
    return exact_test(s, ia, ib);
}

/* ---- the step ---- */

/* Bits of the groups whose balls stay apart from that of a. */
STEP_INLINE void mark_row(const step_body *a, const step_balls *b, size_t groups, uint8_t *bits)
{
    for (size_t i = 0; i < groups; ++i) {
        const step_m4 apart = step_balls_apart(a, b, i);
        bits[i] = (uint8_t)((apart[0] & 1) | (apart[1] & 2) | (apart[2] & 4) | (apart[3] & 8));
    }
}

static ABUT_MATH_NOINLINE void row_plain(const step_body *a, const step_balls *b, size_t groups,
                                         uint8_t *bits)
{
    mark_row(a, b, groups, bits);
}

static ABUT_MATH_NOINLINE bool plane_plain(const step_body *a, const step_body *b, const abut_vec3 *n)
{
    return step_plane_holds(a, b, *n);
}

static const filters plain_filters = { row_plain, plane_plain };

#if defined(__x86_64__)
__attribute__((target("avx2"))) static ABUT_MATH_NOINLINE void row_avx2(const step_body *a,
                                                                        const step_balls *b, size_t groups,
                                                                        uint8_t *bits)
{
    mark_row(a, b, groups, bits);
}

__attribute__((target("avx2"))) static ABUT_MATH_NOINLINE bool plane_avx2(const step_body *a,
                                                                          const step_body *b,
                                                                          const abut_vec3 *n)
{
    return step_plane_holds(a, b, *n);
}

static const filters avx2_filters = { row_avx2, plane_avx2 };
#endif

int abut_step_force_plain = 0;

static const filters *choose_filters(void)
{
#if defined(__x86_64__)
    if (!abut_step_force_plain && __builtin_cpu_supports("avx2"))
        return &avx2_filters;
#endif
    return &plain_filters;
}

static abut_status test_row(step *s, uint32_t a, const uint8_t *bits)
{
    abut_status status = ABUT_OK;
    for (size_t b = 0; b < s->b.count && !status; ++b)
        if (bits[b / STEP_LANES] >> b % STEP_LANES & 1)
            ++s->counters->sphere_culled;
        else
            status = test_pair(s, a, (uint32_t)b);
    return status;
}

static ABUT_MATH_NOINLINE abut_status run(step *s, const abut_moving_ellipsoid *a, size_t a_count,
                                          const abut_moving_ellipsoid *b, size_t b_count)
{
    const size_t groups = group_count(b_count);
    uint8_t *bits = abut_workspace_take(s->ws, groups, 1);
    if (!bits || !fill_character(a, a_count, s->ws, &s->a) || !fill_character(b, b_count, s->ws, &s->b) ||
        !fill_balls(&s->b, s->ws, &s->balls))
        return ABUT_ERR_MEMORY;
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < a_count && !status; ++i) {
        s->filters->row(s->a.bodies + i, &s->balls, groups, bits);
        status = test_row(s, (uint32_t)i, bits);
    }
    return status;
}

abut_status abut_ellipsoid_step(const abut_moving_ellipsoid *a, size_t a_count,
                                const abut_moving_ellipsoid *b, size_t b_count, abut_workspace *ws,
                                abut_step_contact *contacts, size_t capacity, size_t *count,
                                abut_step_counters *counters)
{
    abut_workspace own;
    abut_step_counters ignored;
    if (!count || (a_count && !a) || (b_count && !b) || (capacity && !contacts) || a_count > UINT32_MAX ||
        b_count > UINT32_MAX)
        return ABUT_ERR_ARGUMENT;
    *count = 0;
    step s = { .contacts = contacts, .capacity = capacity, .count = count };
    s.counters = counters ? counters : &ignored;
    *s.counters = (abut_step_counters){ .pairs = (uint64_t)a_count * b_count };
    for (size_t i = 0; i < a_count; ++i)
        if (!is_valid(a + i))
            return ABUT_ERR_ARGUMENT;
    for (size_t i = 0; i < b_count; ++i)
        if (!is_valid(b + i))
            return ABUT_ERR_ARGUMENT;
    if (!ws)
        abut_workspace_open(&own, NULL);
    s.ws = ws ? ws : &own;
    s.filters = choose_filters();
    const abut_workspace_mark mark = abut_workspace_begin(s.ws);
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = run(&s, a, a_count, b, b_count);
    abut_nearest_leave(saved);
    abut_workspace_end(s.ws, mark);
    if (!ws)
        abut_workspace_close(&own);
    if (status)
        *count = 0;
    return status;
}
