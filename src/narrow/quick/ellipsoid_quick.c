/* SPDX-License-Identifier: MIT */
/* Whether two posed ellipsoids meet, at the cost of the arithmetic: the certificates of
 * ellipsoid_relate.c in a's frame, with error bounds known beforehand. Where they do
 * not decide, it answers nothing.
 *
 * In units of u = 2^-53, s_a and s_b the largest semi-axes, D = |t| <= s_a + s_b: t is off by 20 D
 * and the rotation by 20 in the spectral norm (quick_overlap.c), so that the directions'
 * separations are off by 24 D + 28 s_b + 6 s_a, at most 60 (s_a + s_b) |v|. With sqrt q <= s |v|,
 *     sqrt q + 60 u s |v| <= sqrt(q + 121 u s^2 |v|^2),
 * and q = v . P v itself is off by 9 u tr P |v|^2 and what else there is to round by 18: P's
 * trace times 256 u |v|^2 = 2^-45 |v|^2 under each root is more than all. For the common point
 * see meets() there; where b's points are is not known better than 41 u (s_a + s_b). */
#include "narrow/quick/quick.h"

#include "narrow/ellipsoid/ellipsoid_sym.h"

static const double u = 0x1p-53;

enum { MOST_ROUNDS = 4 };

static double least(const double h[3])
{
    const double m = h[0] < h[1] ? h[0] : h[1];
    return m < h[2] ? m : h[2];
}

/* R^T d for R = m / n. */
ABUT_ALWAYS_INLINE abut_vec3 turn_back(double m[3][3], double over, abut_vec3 d)
{
    return abut_v3((m[0][0] * d.x + m[1][0] * d.y + m[2][0] * d.z) * over,
                   (m[0][1] * d.x + m[1][1] * d.y + m[2][1] * d.z) * over,
                   (m[0][2] * d.x + m[1][2] * d.y + m[2][2] * d.z) * over);
}

abut_verdict abut_quick_overlap_ellipsoids(const abut_shape *shape_a, const abut_pose *at_a,
                                           const abut_shape *shape_b, const abut_pose *at_b, double clearance,
                                           abut_cache *cache)
{
    (void)cache;
    const abut_core *a = &shape_a->core, *b = &shape_b->core;
    if (clearance > 0 || a->radius > 0 || b->radius > 0)
        return ABUT_UNDECIDED;
    const double na = abut_quick_norm(at_a->rotation), nb = abut_quick_norm(at_b->rotation);
    const abut_vec3 d = abut_sub(at_b->position, at_a->position);
    const double square = abut_dot(d, d), reach = a->size + b->size;
    if (!(abut_quick_norm_is_usual(na) && abut_quick_norm_is_usual(nb) && square <= 0x1p280 &&
          reach >= 0x1p-100 && reach <= 0x1p100))
        return ABUT_UNDECIDED;
    if (square > reach * reach * (1 + 0x1p-48))
        return ABUT_SEPARATE;
    const double inner = a->inner + b->inner;
    if (inner > 0 && square < inner * inner * (1 - 0x1p-48))
        return ABUT_PENETRATING;
    double m[3][3];
    abut_mat3 l;
    const abut_quat q = abut_quat_mul(abut_quat_conjugate(at_a->rotation), at_b->rotation);
    const double over = 1 / abut_quick_norm(q);
    abut_quick_matrix(at_a->rotation, m);
    abut_quick_matrix(q, l.m);
    const abut_vec3 t = turn_back(m, 1 / na, d);
    const double h[3] = { b->h[0] * over, b->h[1] * over, b->h[2] * over };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            l.m[i][j] *= h[j];
    const sym3 pb = abut_sym3_square(&l);
    const double ax = a->h[0] * a->h[0], ay = a->h[1] * a->h[1], az = a->h[2] * a->h[2];
    const double tra = ax + ay + az, trb = pb.xx + pb.yy + pb.zz, small = least(a->h);
    double k = tra < 16 * trb && trb < 16 * tra ? 1 : sqrt(tra / trb);
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        const sym3 g = { ax + k * pb.xx, ay + k * pb.yy, az + k * pb.zz, k * pb.xy, k * pb.xz, k * pb.yz };
        const sym3 adj = abut_sym3_adjugate(&g);
        const abut_vec3 v = abut_scale(1 / abut_sym3_determinant(&g, &adj), abut_sym3_apply(&adj, t));
        const abut_vec3 x = { ax * v.x, ay * v.y, az * v.z }, y = abut_sym3_apply(&pb, v);
        const double vv = abut_dot(v, v), more = 0x1p-45 * vv;
        const double ka = sqrt(abut_dot(v, x) + more * tra), hb = sqrt(abut_dot(v, y) + more * trb);
        if (abut_dot(v, t) > ka + hb)
            return ABUT_SEPARATE;
        const double kb = k * hb;
        if (ka < 1 && kb < 1 - 0x1p-46) {
            const abut_vec3 r = { t.x - x.x - k * y.x, t.y - x.y - k * y.y, t.z - x.z - k * y.z };
            const double both = tra + k * trb;
            const double rest =
                sqrt(2 * abut_dot(r, r) + 0x1p-94 * (square + vv * both * both)) + 41 * u * reach;
            if (ka * small + rest < small * (1 - 0x1p-46))
                return ABUT_PENETRATING;
        }
        k *= ka / kb;
    }
    return ABUT_UNDECIDED;
}
