/* SPDX-License-Identifier: MIT */
/* Pairs of convex bodies, from placements to the solvers and from the cores' gap to a result; see convex.h.
 *
 * The error of a separation, in units u = 2^-53, for a rotation R known to e_R (spectral norm) and a translation known to e_t, D = |t|,
 * sizes s_a, s_b. What is not known: e_R s_b + e_t. What is rounded, with | |R| | <= sqrt(3): m = R^T n, 5.2 s_b; R y, 5.2 s_b; n . R y
 * instead of m . y, 5.2 s_b; + t - x, 2 (D + s_b) + s_a; the last dot product, 5.2 (D + s_a + s_b); |n| is 1 up to 2 u, 2 (D + s_a + s_b). That is
 *     10 D + 9 s_a + 25 s_b,
 * and the errors of both support points. From poses, e_R: the quaternion conj(p) q is off by 4 u of its length, that is 8 u in the angle;
 * its matrix by 12 u (entries 7.15 u in the Frobenius norm, 1 / n 3 u, the product 1 u): 20 u; e_t = 20 u D (quick.c derives it). So
 *     30 D + 9 s_a + 45 s_b; the code has 32, 12, 48. The sum of the radii is off by u of itself. */
#include "narrow/convex.h"
#include "narrow/refine.h"

static const double u = 0x1p-53;

/* n R(q) with n = |q|^2. */
static double quat_matrix(abut_quat q, abut_mat3 *out)
{
    const double ww = q.w * q.w, xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z, xy = q.x * q.y, xz = q.x * q.z,
                 yz = q.y * q.z;
    *out = (abut_mat3){ { { (ww + xx) - (yy + zz), 2 * (xy - wz), 2 * (xz + wy) },
                          { 2 * (xy + wz), (ww + yy) - (xx + zz), 2 * (yz - wx) },
                          { 2 * (xz - wy), 2 * (yz + wx), (ww + zz) - (xx + yy) } } };
    return (ww + xx) + (yy + zz);
}

static void scale_matrix(double s, abut_mat3 *m)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m->m[i][j] *= s;
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
    scale_matrix(1 / na, &out->frame.linear);
    scale_matrix(1 / nr, &out->r);
    out->frame.translation = pa->position;
    out->a = &a->core;
    out->b = &b->core;
    out->t = abut_mul_t(&out->frame.linear, d);
    out->radii = a->core.radius + b->core.radius;
    out->error = u * (32 * sqrt(square) + 12 * a->core.size + 48 * b->core.size + out->radii) +
                 a->core.error + b->core.error;
    return true;
}

/* ---- placements that are enclosed ---- */

static double radius_of(abut_interval a)
{
    return 0.5 * (a.hi - a.lo);
}

/* Bounds of how far the mid of a placement is from the true one: rotation (spectral norm), translation. */
static void widths(const abut_place *place, double *turn, double *shift)
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
    const abut_place *pa = places->at_a, *pb = places->at_b;
    const abut_core *a = &places->a->core, *b = &places->b->core;
    double turn_a, turn_b, shift_a, shift_b;
    widths(pa, &turn_a, &shift_a);
    widths(pb, &turn_b, &shift_b);
    /* The difference of two doubles near the largest may overflow, its half does not. */
    const abut_vec3 half =
        abut_sub(abut_scale(0.5, pb->mid.translation), abut_scale(0.5, pa->mid.translation));
    const double largest = fmax(abut_max_norm(half), fmax(a->size + a->radius, b->size + b->radius));
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
                 u * (20 * length + 12 * a->size + 36 * b->size + out->radii) + a->error + b->error +
                 0x1p-1060;
}

/* ---- separation ---- */

/* What a climb may have missed on a hull: how much its certified bound exceeds the value at the vertex. */
static double missed(const abut_core *core, abut_vec3 d, uint32_t vertex)
{
    const double bound = abut_hull_support_bound(core->hull, d, vertex);
    const double over = bound - abut_dot(d, abut_hull_vertex(core->hull, vertex));
    return over > 0 ? core->scale * over : 0;
}

double abut_convex_certify(const abut_convex_pair *pair, abut_vec3 n, const abut_convex_point *p)
{
    double value = abut_dot(n, p->w);
    if (pair->a->kind == ABUT_CORE_HULL)
        value -= missed(pair->a, n, p->a);
    if (pair->b->kind == ABUT_CORE_HULL) {
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

/* ---- the whole of it ---- */

static bool is_flat(const abut_core *core)
{
    if (core->radius > 0)
        return false;
    return core->kind == ABUT_CORE_POINT || core->kind == ABUT_CORE_SEGMENT ||
           (core->kind == ABUT_CORE_HULL && core->hull->dimension < 3);
}

static bool is_ellipsoid_pair(const abut_convex_pair *pair)
{
    const abut_core_kind a = pair->a->kind, b = pair->b->kind;
    return (a == ABUT_CORE_ELLIPSOID && (b == ABUT_CORE_ELLIPSOID || b == ABUT_CORE_POINT)) ||
           (a == ABUT_CORE_POINT && b == ABUT_CORE_ELLIPSOID);
}

void abut_convex_solve(const abut_convex_pair *pair, const abut_ask *ask, abut_convex_answer *out)
{
    abut_simplex simplex = { .count = 0 };
    const abut_cache *cache = ask ? ask->cache : NULL;
    abut_vec3 axis = { 0, 0, 0 };
    if (cache)
        axis = abut_v3(cache->axis[0], cache->axis[1], cache->axis[2]);
    const bool warm = abut_dot(axis, axis) > 0.5;
    const double cutoff = ask && ask->want == ABUT_WANT_DISTANCE ? ask->cutoff + pair->radii : INFINITY;
    const bool deep = !ask || ask->want == ABUT_WANT_ALL || pair->radii > 0;
    if (!is_ellipsoid_pair(pair) || !(abut_ellipsoid_distance(pair, out) || (out->hi < 0 && !deep))) {
        const abut_gjk_end end = abut_gjk_distance(pair, cutoff, warm ? &axis : NULL, &simplex, out);
        if ((end == ABUT_GJK_MEETING || end == ABUT_GJK_NEAR) && deep)
            abut_convex_depth(pair, &simplex, out);
    }
    if (ask && ask->cache) {
        ask->cache->axis[0] = out->normal.x;
        ask->cache->axis[1] = out->normal.y;
        ask->cache->axis[2] = out->normal.z;
    }
}

static abut_vec3 to_world(const abut_convex_pair *pair, int exponent, abut_vec3 p)
{
    const abut_vec3 turned = abut_mul(&pair->frame.linear, p);
    const double scale = ldexp(1, exponent);
    return abut_madd(pair->frame.translation, scale, turned);
}

void abut_convex_finish(const abut_convex_pair *pair, const abut_convex_answer *answer, const abut_ask *ask,
                        int exponent, abut_check_result *out)
{
    const bool verdict_only = ask && ask->want == ABUT_WANT_VERDICT;
    const double clearance = verdict_only ? ldexp(ask->clearance, -exponent) : 0;
    const double taken = pair->radii + clearance;
    const double lo = answer->lo - taken - 2 * u * (taken + fabs(answer->lo));
    const double hi = answer->hi - taken + 2 * u * (taken + fabs(answer->hi));
    const double scale = ldexp(1, exponent);
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    out->counters.iterations = answer->iterations;
    out->counters.evaluations = answer->supports;
    if (lo > 0) {
        out->verdict = ABUT_SEPARATE;
        out->distance = (abut_interval){ scale * lo, scale * hi };
        if (ask && ask->want == ABUT_WANT_DISTANCE && scale * lo > ask->cutoff)
            out->stop = ABUT_STOP_CUTOFF;
    } else if (hi < 0) {
        const bool flat = !verdict_only || clearance == 0 ? is_flat(pair->a) || is_flat(pair->b) : false;
        out->verdict = flat ? ABUT_TOUCHING : ABUT_PENETRATING;
        out->has_depth = !flat && isfinite(lo);
        if (out->has_depth)
            out->depth = (abut_interval){ scale * -hi, scale * -lo };
    } else {
        out->verdict = ABUT_UNDECIDED;
        out->proof = ABUT_PROOF_NONE;
        out->stop = ABUT_STOP_TOLERANCE;
        out->distance = (abut_interval){ 0, scale * fmax(hi, 0) };
        out->depth = (abut_interval){ 0, scale * fmax(-lo, 0) };
    }
    if (verdict_only)
        return;
    const abut_vec3 zero = { 0, 0, 0 };
    out->has_normal = fabs(abut_dot(answer->normal, answer->normal) - 1) < 1e-6;
    if (!out->has_normal)
        return;
    out->normal = abut_add(abut_mul(&pair->frame.linear, answer->normal), zero);
    const abut_vec3 x = abut_madd(answer->x, pair->a->radius, answer->normal);
    const abut_vec3 y = abut_madd(answer->y, -pair->b->radius, answer->normal);
    out->point_a = to_world(pair, exponent, x);
    out->point_b = to_world(pair, exponent, y);
    out->has_points = abut_is_finite3(out->point_a) && abut_is_finite3(out->point_b);
    if (out->verdict == ABUT_SEPARATE || out->verdict == ABUT_UNDECIDED ||
        (ask && ask->want != ABUT_WANT_ALL))
        return;
    const int most = ask && ask->max_contacts > 0 ? ask->max_contacts : 4;
    out->contact_count = abut_convex_manifold(pair, answer, most, out->contacts);
    for (int i = 0; i < out->contact_count; ++i) {
        out->contacts[i].point = to_world(pair, exponent, out->contacts[i].point);
        out->contacts[i].normal = out->normal;
    }
}

bool abut_narrow_convex_poses(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                              const abut_pose *pose_b, const abut_ask *ask, abut_check_result *out)
{
    abut_convex_pair pair;
    if (!abut_convex_pair_from_poses(a, pose_a, b, pose_b, &pair))
        return false;
    abut_convex_answer answer;
    abut_convex_solve(&pair, ask, &answer);
    abut_convex_finish(&pair, &answer, ask, 0, out);
    return out->verdict != ABUT_UNDECIDED;
}

abut_status abut_narrow_convex(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    (void)ws;
    abut_convex_pair convex;
    abut_convex_scratch scratch;
    abut_convex_answer answer;
    int exponent;
    abut_convex_pair_from_places(pair, &scratch, &exponent, &convex);
    abut_convex_solve(&convex, pair->ask, &answer);
    abut_convex_finish(&convex, &answer, pair->ask, exponent, out);
    if (out->verdict != ABUT_UNDECIDED || exponent != 0)
        return ABUT_OK;
    const int sign = abut_convex_exact_sign(pair, &convex, &answer);
    if (sign == ABUT_SIGN_UNKNOWN)
        return ABUT_OK;
    const double gap = fmax(fabs(answer.lo), fabs(answer.hi));
    abut_convex_answer known = answer;
    known.lo = sign > 0 ? 0x1p-1022 : sign < 0 ? -gap : 0;
    (void)known;
    out->verdict = sign > 0 ? ABUT_SEPARATE : sign < 0 ? ABUT_PENETRATING : ABUT_TOUCHING;
    out->proof = ABUT_PROOF_EXACT;
    out->stop = ABUT_STOP_DONE;
    out->counters.exact = 1;
    if (sign <= 0)
        out->distance = (abut_interval){ 0, 0 };
    if (sign >= 0)
        out->depth = (abut_interval){ 0, 0 };
    out->has_depth = sign < 0;
    return ABUT_OK;
}
