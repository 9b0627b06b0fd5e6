/* SPDX-License-Identifier: MIT */
/* Whether two capsules meet, at the cost of the arithmetic: plain doubles, with an error bound
 * known beforehand. Where its bounds do not decide, it answers nothing.
 *
 * Unit axes x and y, centres d apart. Points s x and d + t y of the axes differ by v = d + t y - s
 * x, of which only these are needed, all made of D^2 = d . d, x . d, y . d and c = x . y:
 *     v . x = x . d + t c - s,   v . y = y . d + t - s c,   v . d = D^2 + t y . d - s x . d,   v .
 *       v = v . d + t v . y - s v . x.
 * The capsules meet when v . v < limit^2, limit being the sum of radii and clearance, and v parts
 * them when L = v . d - h_a |v . x| - h_b |v . y| > limit |v|. This is tried for the centres, s = t
 * = 0, which many need no axes for; for the centre of one and the nearest point of the other; at
 * last for the nearest points of both (C. Ericson, Real-Time Collision Detection, 2004, section
 * 5.1.9), which wait for a quotient. Nearly parallel axes begin anywhere, and the judge sees
 * whether they end well.
 *
 * Quaternions must be of unit length to 2^-28, as nearly all are, so that 2 - |q|^2 will do for
 * its reciprocal, off by 2^-56; others are left to the general way. With u = 2^-53: axes are off
 * by 10 u (quick.h), d by u D, hence D^2 by 5 u D^2, x . d by 14 u D, c by 23 u; with |s| <=
 * h_a, |t| <= h_b and H = h_a + h_b, v . x and v . y by 17 u D + 27 u H, v . d by 7 u D^2 + 17 u
 * H D, v . v and L by 10 u D^2 + 43 u H D + 33 u H^2 <= 55 u (D^2 + H^2). The bound below is 64
 * u (D^2 + (H + limit)^2). Where a square overflows, comparisons are false. */
#include "narrow/quick/quick.h"

static const double u = 0x1p-53;

typedef abut_quick_both both;

ABUT_ALWAYS_INLINE double clamp(double x, double h)
{
    const double low = x > -h ? x : -h;
    return low < h ? low : h;
}

/* L > limit |v|, where L and |v|^2 are off by `error`; `most` is limit^2. */
ABUT_ALWAYS_INLINE bool is_apart(double along, double square, double most, double error)
{
    const double least = along - error;
    return least > 0 && least * least > most * (1 + 0x1p-48) * (square + error);
}

ABUT_ALWAYS_INLINE bool is_near(double square, double most, double error)
{
    return square + error < most * (1 - 0x1p-48);
}

ABUT_ALWAYS_INLINE abut_verdict compare(const abut_core *a, const abut_pose *at_a, const abut_core *b,
                                        const abut_pose *at_b, double clearance)
{
    const abut_quat p = at_a->rotation, q = at_b->rotation;
    const both w = { p.w, q.w }, x = { p.x, q.x }, y = { p.y, q.y }, z = { p.z, q.z }, two = { 2, 2 };
    const both ww = w * w, xx = x * x, yy = y * y, zz = z * z, norm = (ww + xx) + (yy + zz), off = norm - 1;
    const abut_vec3 d = abut_sub(at_b->position, at_a->position);
    const double ha = a->h[2], hb = b->h[2], limit = a->radius + b->radius + clearance,
                 reach = (ha + hb) + limit, square = abut_dot(d, d), most = limit * limit,
                 furthest = reach * reach;
    if (!(off[0] * off[0] + off[1] * off[1] <= 0x1p-56 && reach >= 0x1p-140 && reach <= 0x1p140))
        return ABUT_UNDECIDED;
    if (square > furthest * (1 + 0x1p-48))
        return square <= 0x1p1000 ? ABUT_SEPARATE : ABUT_UNDECIDED; /* not of infinite places */
    if (square < most * (1 - 0x1p-48))
        return ABUT_PENETRATING;

    const both over = two - norm;
    const both ex = two * (x * z + w * y) * over, ey = two * (y * z - w * x) * over,
               ez = ((ww + zz) - (xx + yy)) * over, ed = ex * d.x + ey * d.y + ez * d.z;
    const double xd = ed[0], yd = ed[1], error = 64 * u * (square + furthest);
    if (is_apart(square - (ha * fabs(xd) + hb * fabs(yd)), square, most, error))
        return ABUT_SEPARATE;
    const double at_x = clamp(xd, ha), at_y = clamp(yd, hb), by_x = at_x * (2 * xd - at_x),
                 by_y = at_y * (2 * yd - at_y);
    if (is_near(square - (by_x > by_y ? by_x : by_y), most, error))
        return ABUT_PENETRATING;

    const double c = ex[0] * ex[1] + ey[0] * ey[1] + ez[0] * ez[1], det = 1 - c * c;
    const double first = clamp((xd - c * yd) / (det > 0x1p-40 ? det : 1), ha), t = clamp(c * first - yd, hb),
                 free = c * t + xd, s = clamp(free, ha);
    const double vx = free - s, vy = (yd - c * s) + t, vd = square + (t * yd - s * xd),
                 vv = vd + (t * vy - s * vx);
    if (is_near(vv, most, error))
        return ABUT_PENETRATING;
    return is_apart(vd - (ha * fabs(vx) + hb * fabs(vy)), vv, most, error) ? ABUT_SEPARATE : ABUT_UNDECIDED;
}

abut_verdict abut_quick_overlap_capsules(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                         const abut_pose *pose_b, double clearance, abut_cache *cache)
{
    const abut_verdict verdict = compare(&a->core, pose_a, &b->core, pose_b, clearance);
    /* which takes quaternions of any length */
    return verdict != ABUT_UNDECIDED ? verdict
                                     : abut_quick_overlap_simple(a, pose_a, b, pose_b, clearance, cache);
}
