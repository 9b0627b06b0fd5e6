/* SPDX-License-Identifier: MIT */
/* A pair of convex bodies for the solvers: one body in the frame of the other, from poses or from
 * enclosed placements, and the certified separation along a direction; see convex.h.
 *
 * The error of a separation, in units u = 2^-53, D = |t|, sizes s_a, s_b (derived in
 * docs/notes/gjk.md): from rounding, with R and t as they are, 11 D + 10 s_a + 27 s_b, and the
 * errors of both support points; from poses, R is off by 23 and t by 19.1 D. Together
 *     30 D + 10 s_a + 50 s_b; the code has 32, 12, 56.
 * A computed point of K is off by 21 D + s_a + 31 s_b, which leaves room for sums of three such
 * with weights. The sum of the radii is off by u of itself. */
#include "narrow/distance/convex.h"

static const double u = 0x1p-53;

/* R(q), where the return value n = |q|^2 is not extreme. */
static inline __attribute__((always_inline)) double quat_matrix(abut_quat q, abut_mat3 *out)
{
    const double ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z, xy = q.x * q.y, xz = q.x * q.z,
                 yz = q.y * q.z;
    const double n = (ww + xx) + (yy + zz), s = 1 / n;
    *out = (abut_mat3){ { { s * ((ww + xx) - (yy + zz)), s * (2 * (xy - wz)), s * (2 * (xz + wy)) },
                          { s * (2 * (xy + wz)), s * ((ww + yy) - (xx + zz)), s * (2 * (yz - wx)) },
                          { s * (2 * (xz - wy)), s * (2 * (yz + wx)), s * ((ww + zz) - (xx + yy)) } } };
    return n;
}

static bool is_usual(const abut_core *core)
{
    const double size = core->size + core->radius;
    return core->kind != ABUT_CORE_NONE && size >= 0x1p-140 && size <= 0x1p140;
}

bool abut_convex_pair_from_poses(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                 const abut_pose *pose_b, abut_convex_pair *out)
{
    static const abut_pose identity = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
    const abut_pose *pa = pose_a ? pose_a : &identity, *pb = pose_b ? pose_b : &identity;
    const double na = quat_matrix(pa->rotation, &out->frame.linear);
    const double nr = quat_matrix(abut_quat_mul(abut_quat_conjugate(pa->rotation), pb->rotation), &out->r);
    const abut_vec3 d = abut_sub(pb->position, pa->position);
    const double square = abut_dot(d, d);
    if (!(na >= 0x1p-100 && na <= 0x1p100 && nr >= 0x1p-200 && nr <= 0x1p200 && square <= 0x1p280) ||
        !is_usual(&a->core) || !is_usual(&b->core) || !abut_is_finite3(pa->position))
        return false;
    out->frame.translation = pa->position;
    out->a = &a->core;
    out->b = &b->core;
    out->t = abut_mul_t(&out->frame.linear, d);
    out->radii = a->core.radius + b->core.radius;
    out->error = u * (32 * sqrt(square) + 12 * a->core.size + 56 * b->core.size + 4 * out->radii) +
                 a->core.error + b->core.error;
    return true;
}

static bool is_usual_pose(const abut_pose *pose)
{
    const abut_quat q = pose->rotation;
    const double n = (q.w * q.w + q.x * q.x) + (q.y * q.y + q.z * q.z);
    return n >= 0x1p-100 && n <= 0x1p100;
}

/* d is off by u of itself, its square by 6 u, the sums by 4 u and their squares by 10 u: 2^-48
 * is more than all. Bodies need a ball of some size inside to have interiors that meet. */
int abut_convex_compare_balls(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                              const abut_pose *pose_b, double clearance)
{
    const abut_core *p = &a->core, *q = &b->core;
    if (!pose_a || !pose_b || !is_usual_pose(pose_a) || !is_usual_pose(pose_b) || !is_usual(p) ||
        !is_usual(q))
        return 0;
    const abut_vec3 d = abut_sub(pose_b->position, pose_a->position);
    const double square = abut_dot(d, d), radii = p->radius + q->radius + clearance;
    const double outer = p->size + q->size + radii, inner = p->inner + q->inner + radii;
    if (square > outer * outer * (1 + 0x1p-48) && square < 0x1p280)
        return 1;
    if (inner > 0 && square < inner * inner * (1 - 0x1p-48) && p->inner + p->radius > 0 &&
        q->inner + q->radius > 0)
        return -1;
    return 0;
}

/* ---- placements that are enclosed ---- */

static double radius_of(abut_interval a)
{
    return 0.5 * (a.hi - a.lo);
}

void abut_convex_widths(const abut_place *place, double *turn, double *shift)
{
    double sum = 0;
    if (!place->axes)
        for (int i = 0; i < 9; ++i) {
            const double r = radius_of(place->enclosure.linear.m[i / 3][i % 3]) + u;
            sum += r * r;
        }
    const abut_interval_vec3 *t = &place->enclosure.translation;
    const double x = radius_of(t->x), y = radius_of(t->y), z = radius_of(t->z);
    *turn = sqrt(sum) * (1 + 0x1p-40);
    *shift = place->points ? 0
                           : sqrt(x * x + y * y + z * z) * (1 + 0x1p-40) +
                                 2 * u * abut_max_norm(place->mid.translation);
}

void abut_convex_pair_from_places(const abut_pair *places, abut_convex_scratch *scratch, int *exponent,
                                  abut_convex_pair *out)
{
    abut_convex_pair_from_cores(&places->a->core, places->at_a, &places->b->core, places->at_b, 0, scratch,
                                exponent, out);
}

void abut_convex_pair_from_cores(const abut_core *a, const abut_place *pa, const abut_core *b,
                                 const abut_place *pb, double size, abut_convex_scratch *scratch,
                                 int *exponent, abut_convex_pair *out)
{
    double turn_a, turn_b, shift_a, shift_b;
    abut_convex_widths(pa, &turn_a, &shift_a);
    abut_convex_widths(pb, &turn_b, &shift_b);
    /* The difference of two doubles near the largest may overflow, its half does not. */
    const abut_vec3 half =
        abut_sub(abut_scale(0.5, pb->mid.translation), abut_scale(0.5, pa->mid.translation));
    const double largest =
        fmax(fmax(abut_max_norm(half), size), fmax(a->size + a->radius, b->size + b->radius));
    *exponent = 0;
    if (!(largest >= 0x1p-140 && largest <= 0x1p140)) {
        (void)frexp(largest, exponent);
        scratch->a = abut_core_shrink(a, *exponent);
        scratch->b = abut_core_shrink(b, *exponent);
        a = &scratch->a;
        b = &scratch->b;
    }
    const double scale = ldexp(1, 1 - *exponent);
    const abut_vec3 d =
        *exponent ? abut_scale(scale, half) : abut_sub(pb->mid.translation, pa->mid.translation);
    const double length = abut_length(d);
    out->a = a;
    out->b = b;
    out->frame = pa->mid;
    const abut_mat3 back = abut_mat3_transpose(&pa->mid.linear);
    out->r = abut_mat3_mul(&back, &pb->mid.linear);
    out->t = abut_mul(&back, d);
    out->radii = a->radius + b->radius;
    const double shift = ldexp(shift_a + shift_b, -*exponent) + turn_a * length;
    out->error = shift + (turn_a + turn_b) * b->size +
                 u * (20 * length + 12 * a->size + 40 * b->size + 4 * out->radii) + a->error + b->error +
                 0x1p-1060;
}

/* ---- separation ---- */

/* What a climb may have missed on a hull: how much its certified bound exceeds the value at the
 * vertex that it gave. A scan misses no more than the core's error, which is in the pair's. */
static double missed(const abut_core *core, abut_vec3 d, uint32_t vertex)
{
    const double bound = abut_hull_found_bound(core->hull, d, vertex);
    const double over = bound - abut_dot(d, abut_hull_vertex(core->hull, vertex));
    return over > 0 ? core->scale * over : 0;
}

static bool is_climbed(const abut_core *core)
{
    return core->kind == ABUT_CORE_HULL && !abut_hull_is_scanned(core->hull);
}

double abut_convex_certify(const abut_convex_pair *pair, abut_vec3 n, const abut_convex_point *p)
{
    double value = abut_dot(n, p->w);
    if (is_climbed(pair->a))
        value -= missed(pair->a, n, p->a);
    if (is_climbed(pair->b)) {
        const abut_vec3 m = abut_mul_t(&pair->r, n);
        value -= missed(pair->b, abut_v3(-m.x, -m.y, -m.z), p->b);
    }
    return value / sqrt(abut_dot(n, n)) - pair->error;
}

double abut_convex_separation(const abut_convex_pair *pair, abut_vec3 n, abut_convex_point *p)
{
    abut_convex_support(pair, n, p);
    return abut_convex_certify(pair, n, p);
}
