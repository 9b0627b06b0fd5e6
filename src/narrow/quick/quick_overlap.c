/* SPDX-License-Identifier: MIT */
/* Whether balls, capsules and boxes meet, at the cost of the arithmetic: plain doubles, with error
 * bounds known beforehand (docs/notes/closed-forms.md). Where its bounds do not decide, it answers nothing.
 *
 * Two bodies with cores and radii are apart by more than the limit (radii and clearance) when
 * some direction n has s(n) > limit |n|, and nearer when two points of the cores are. Where the
 * nearest points come in closed form (segments, a point and a box, a segment and a box), n is
 * their difference w, so that neither a root nor a proof that the points are nearest is needed:
 * the numbers |w|^2 and w . t - max w . x - max -w . y judge them. Boxes: the separating axis
 * test, S. Gottschalk, M. Lin, D. Manocha, OBBTree, SIGGRAPH 1996. With a cache the direction
 * that parted them last, or the point that both had, is tried before anything that takes the
 * rotation of one to the other. */
#include "narrow/pair/box_axes.h"
#include "narrow/quick/quick.h"

static const double u = 0x1p-53;

/* A sum of sizes for which no square here overflows, nor underflows to where it counts. */
ABUT_ALWAYS_INLINE bool is_usual(double size)
{
    return size >= 0x1p-140 && size <= 0x1p140;
}

/* Points of the cores differ by w, off by `error`; along w the cores are apart by L / |w|, off
 * by the same. */
ABUT_ALWAYS_INLINE abut_verdict judge(double square, double along, double limit, double error)
{
    const double more = limit + error, less = limit - error;
    if (along > 0 && along * along > (more * more) * square * (1 + 0x1p-49))
        return ABUT_SEPARATE;
    if (less > 0 && square < less * less * (1 - 0x1p-49))
        return ABUT_PENETRATING;
    return ABUT_UNDECIDED;
}

ABUT_ALWAYS_INLINE double clamp(double x, double h)
{
    const double low = x > -h ? x : -h;
    return low < h ? low : h;
}

/* Segments along unit axes, s x for |s| <= h_a and d + t y for |t| <= h_b. x and y are off by 10
 * u, d by u D, and D <= h + limit here; w by 2 u D + 4 u h more, the dot products by 3 u, their
 * products with h by 1: below 12 D + 21 h. Nearly parallel ones begin anywhere, and the judge
 * sees whether they end well. */
ABUT_ALWAYS_INLINE abut_verdict segments(abut_vec3 d, abut_vec3 x, double ha, abut_vec3 y, double hb,
                                         double limit, double error)
{
    const double c = abut_dot(x, y), xd = abut_dot(x, d), yd = abut_dot(y, d), det = 1 - c * c;
    const double first = clamp((xd - c * yd) / (det > 0x1p-40 ? det : 1), ha), t = clamp(c * first - yd, hb),
                 s = clamp(c * t + xd, ha);
    const abut_vec3 w =
        abut_v3((d.x + t * y.x) - s * x.x, (d.y + t * y.y) - s * x.y, (d.z + t * y.z) - s * x.z);
    const double along = abut_dot(w, d) - ha * fabs(abut_dot(w, x)) - hb * fabs(abut_dot(w, y));
    return judge(abut_dot(w, w), along, limit, error);
}

typedef abut_quick_both both;

/* Two balls, as below. Both answers are as likely, so that neither waits for a branch; undecided
 * is 0. */
ABUT_ALWAYS_INLINE abut_verdict balls(const abut_core *a, const abut_pose *at_a, const abut_core *b,
                                      const abut_pose *at_b, double clearance)
{
    const abut_quat p = at_a->rotation, q = at_b->rotation;
    const both w = { p.w, q.w }, x = { p.x, q.x }, y = { p.y, q.y }, z = { p.z, q.z },
               n = (w * w + x * x) + (y * y + z * z);
    const abut_vec3 d = abut_sub(at_b->position, at_a->position);
    const double square = abut_dot(d, d), limit = a->radius + b->radius + clearance, most = limit * limit;
    if (!(abut_quick_norm_is_usual(n[0]) && abut_quick_norm_is_usual(n[1]) && square <= 0x1p280 &&
          is_usual(limit)))
        return ABUT_UNDECIDED;
    const int apart = square > most * (1 + 0x1p-48), meet = square < most * (1 - 0x1p-48);
    return (abut_verdict)(apart * ABUT_SEPARATE | meet * ABUT_PENETRATING);
}

/* The same for a point in place of a. */
ABUT_ALWAYS_INLINE abut_verdict point_segment(abut_vec3 d, abut_vec3 y, double h, double limit, double error)
{
    const abut_vec3 w = abut_madd(d, clamp(-abut_dot(y, d), h), y);
    return judge(abut_dot(w, w), abut_dot(w, d) - h * fabs(abut_dot(w, y)), limit, error);
}

/* R^T d for R = m / n. */
ABUT_ALWAYS_INLINE abut_vec3 turn_back(double m[3][3], double over, abut_vec3 d)
{
    return abut_v3((m[0][0] * d.x + m[1][0] * d.y + m[2][0] * d.z) * over,
                   (m[0][1] * d.x + m[1][1] * d.y + m[2][1] * d.z) * over,
                   (m[0][2] * d.x + m[1][2] * d.y + m[2][2] * d.z) * over);
}

ABUT_ALWAYS_INLINE double excess(double x, double h)
{
    return x > h ? x - h : x < -h ? x + h : 0;
}

/* A segment p - v…p + v against a box: the squared distance of p + t v from the box is convex in
 * t, its slope piecewise linear, with at most six corners; Newton's method within a bracket ends
 * on the right piece mostly in two or three steps. Where it does not, the judge sees it. */
ABUT_ALWAYS_INLINE abut_verdict segment_box(abut_vec3 p, abut_vec3 v, const double h[3], double limit,
                                            double error)
{
    double lo = -1, hi = 1, t = 0;
    abut_vec3 w;
    for (int i = 0; i < 8; ++i) {
        w = abut_v3(excess(p.x + t * v.x, h[0]), excess(p.y + t * v.y, h[1]), excess(p.z + t * v.z, h[2]));
        const double slope = abut_dot(w, v);
        if (slope == 0 || (slope > 0 ? t <= -1 : t >= 1))
            break;
        if (slope > 0)
            hi = t;
        else
            lo = t;
        const double bend =
            (w.x != 0 ? v.x * v.x : 0) + (w.y != 0 ? v.y * v.y : 0) + (w.z != 0 ? v.z * v.z : 0);
        double next = t - slope / bend;
        next = next > lo ? next : lo > -1 ? 0.5 * (lo + t) : -1;
        next = next < hi ? next : hi < 1 ? 0.5 * (hi + t) : 1;
        if (next == t)
            break;
        t = next;
    }
    const double square = abut_dot(w, w);
    const double along =
        abut_dot(w, p) - fabs(abut_dot(w, v)) - (fabs(w.x) * h[0] + fabs(w.y) * h[1] + fabs(w.z) * h[2]);
    return judge(square, along, limit, error);
}

/* The axis that parts them, in a's frame and from a to b, of unit length; in the cache's feature
 * its number plus 1. */
static __attribute__((noinline)) void remember_axis(const abut_boxes *x, int axis, abut_cache *cache)
{
    double n[3] = { 0, 0, 0 };
    if (axis < 3) {
        n[axis] = 1;
    } else if (axis < 6) {
        for (int i = 0; i < 3; ++i)
            n[i] = x->r[i][axis - 3];
    } else {
        const int i = (axis - 6) / 3, j = (axis - 6) % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        n[i1] = -x->r[i2][j];
        n[i2] = x->r[i1][j];
    }
    const double side = x->t[0] * n[0] + x->t[1] * n[1] + x->t[2] * n[2],
                 over = copysign(1 / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), side);
    for (int i = 0; i < 3; ++i)
        cache->axis[i] = over * n[i];
    cache->feature = cache->feature / 16 * 16 + (uint32_t)axis + 1;
}

/* A point well inside both, in a's frame, or near both where there is none: from the centre of b
 * by turns to the nearest of either, made smaller by a twentieth. */
static __attribute__((noinline)) void remember_point(const abut_boxes *x, abut_cache *cache)
{
    double p[3], y[3];
    for (int i = 0; i < 3; ++i)
        p[i] = clamp(x->t[i], 0.95 * x->a[i]);
    for (int round = 0; round < 6; ++round) {
        double q[3];
        for (int j = 0; j < 3; ++j)
            q[j] = clamp(x->r[0][j] * (p[0] - x->t[0]) + x->r[1][j] * (p[1] - x->t[1]) +
                             x->r[2][j] * (p[2] - x->t[2]),
                         0.95 * x->b[j]);
        for (int i = 0; i < 3; ++i) {
            y[i] = x->t[i] + (x->r[i][0] * q[0] + x->r[i][1] * q[1] + x->r[i][2] * q[2]);
            p[i] = clamp(y[i], 0.95 * x->a[i]);
        }
    }
    for (int i = 0; i < 3; ++i)
        cache->axis[i] = 0.5 * (p[i] + y[i]);
    cache->feature = cache->feature / 16 * 16;
}

ABUT_ALWAYS_INLINE abut_verdict box_box(const abut_boxes *x, double limit, double error, double size,
                                        abut_cache *cache)
{
    const double far = limit + error;
    double face = -INFINITY, edge = -INFINITY;
    double faces[6];
    abut_boxes_faces(x, faces);
    for (int i = 0; i < 6; ++i)
        face = faces[i] > face ? faces[i] : face;
    double found[9];
    if (!(face > far)) {
        abut_boxes_edges(x, found);
        for (int i = 0; i < 9; ++i)
            edge = found[i] > edge ? found[i] : edge;
    }
    if (face > far || edge > far) {
        if (cache) {
            int best = 0;
            if (face > far)
                while (faces[best] != face)
                    ++best;
            else
                for (best = 6; found[best - 6] != edge; ++best) {
                }
            remember_axis(x, best, cache);
        }
        return ABUT_SEPARATE;
    }
    if (!(face < -error))
        return ABUT_UNDECIDED;
    if (cache)
        remember_point(x, cache);
    return edge < -error || abut_boxes_meet(x, face, found, error, size) ? ABUT_PENETRATING : ABUT_UNDECIDED;
}

/* Whether p, in a's frame, is inside both. R_a p is off by 18 u s_a, less d by 2 u (D + s_a)
 * more, and that in b's frame by 18 u of it more: below 64 u (D + s_a), and D <= s_a + s_b +
 * limit here. */
ABUT_ALWAYS_INLINE bool is_common(both m[3][3], both over, abut_vec3 d, const double a[3], const double b[3],
                                  const double p[3], double reach)
{
    const double error = 160 * u * reach, from[3] = { d.x, d.y, d.z };
    double w[3];
    bool inside = true;
    for (int i = 0; i < 3; ++i) {
        w[i] = (m[i][0][0] * p[0] + m[i][1][0] * p[1] + m[i][2][0] * p[2]) * over[0] - from[i];
        inside &= fabs(p[i]) < a[i];
    }
    for (int j = 0; j < 3; ++j)
        inside &= fabs((m[0][j][1] * w[0] + m[1][j][1] * w[1] + m[2][j][1] * w[2]) * over[1]) < b[j] - error;
    return inside;
}

/* Whether b is further than the limit along v, in a's frame. All of it times |q|^2 of a: n = R_a
 * v is off by 18 u, n . d by 23 u D, the extent of b by 37 u s_b, that of a by 8 u s_a, sums by
 * 3 u of all: below 64 u (D + s_a + s_b), and D <= s_a + s_b + limit here: below 128 of the
 * reach, and 160 has room for the limit's. */
ABUT_ALWAYS_INLINE bool is_beyond(both m[3][3], both norm, both over, abut_vec3 d, const double a[3],
                                  const double b[3], const double v[3], double limit, double reach)
{
    const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double n[3], of_b = 0;
    for (int i = 0; i < 3; ++i)
        n[i] = m[i][0][0] * v[0] + m[i][1][0] * v[1] + m[i][2][0] * v[2];
    for (int j = 0; j < 3; ++j)
        of_b += fabs(m[0][j][1] * n[0] + m[1][j][1] * n[1] + m[2][j][1] * n[2]) * b[j];
    const double of_a = fabs(v[0]) * a[0] + fabs(v[1]) * a[1] + fabs(v[2]) * a[2];
    const double apart = (n[0] * d.x + n[1] * d.y + n[2] * d.z) - of_a * norm[0] - of_b * over[1],
                 least = (limit + 160 * u * reach) * norm[0];
    return square > 0.5 && square < 2 && apart > 0 && apart * apart > least * least * square * (1 + 0x1p-48);
}

/* By what was so the last time: parted along a direction, or a point in both. */
static __attribute__((noinline)) abut_verdict boxes_again(const abut_core *a, const abut_pose *at_a,
                                                          const abut_core *b, const abut_pose *at_b,
                                                          abut_vec3 d, double limit, const abut_cache *cache)
{
    both m[3][3];
    const both norm = abut_quick_matrices(at_a->rotation, at_b->rotation, m), one = { 1, 1 },
               over = one / norm;
    const double reach = a->size + b->size + limit;
    if (cache->feature % 16 > 0)
        return is_beyond(m, norm, over, d, a->h, b->h, cache->axis, limit, reach) ? ABUT_SEPARATE
                                                                                  : ABUT_UNDECIDED;
    return is_common(m, over, d, a->h, b->h, cache->axis, reach) ? ABUT_PENETRATING : ABUT_UNDECIDED;
}

/* t is off by 20 u D and R by 20 u in the spectral norm (convex.c). An axis of a: 20 D + 20 s_b,
 * and 2 D + 2 s_a + 5 s_b by rounding; of b, whose axis is R's column: 40 D + 20 s_a, and 5 D +
 * 5 s_a + 2 s_b; of edges, whose axis is made of R's entries: 40 D + 20 s_a + 20 s_b, and 6 of
 * each. Below 48 (D + s_a + s_b), and D <= s_a + s_b + limit here: 96 (s_a + s_b) + 48 limit,
 * with room for the sum of the limit. */
ABUT_ALWAYS_INLINE abut_verdict boxes_at(const abut_core *a, const abut_pose *at_a, double na,
                                         const abut_core *b, const abut_pose *at_b, abut_vec3 d, double limit,
                                         abut_cache *cache)
{
    abut_boxes x;
    double m[3][3];
    const abut_quat q = abut_quat_mul(abut_quat_conjugate(at_a->rotation), at_b->rotation);
    const double nr = abut_quick_norm(q), over = 1 / nr;
    abut_quick_matrix(at_a->rotation, m);
    abut_quick_matrix(q, x.r);
    const abut_vec3 t = turn_back(m, 1 / na, d);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            x.r[i][j] *= over;
            x.s[i][j] = fabs(x.r[i][j]);
        }
    x.t[0] = t.x;
    x.t[1] = t.y;
    x.t[2] = t.z;
    x.a = a->h;
    x.b = b->h;
    const double size = a->size + b->size;
    return box_box(&x, limit, 100 * u * (size + limit), size, cache);
}

ABUT_ALWAYS_INLINE double least(const double h[3])
{
    const double m = h[0] < h[1] ? h[0] : h[1];
    return m < h[2] ? m : h[2];
}

/* Points, segments and boxes. */
abut_verdict abut_quick_overlap_simple(const abut_shape *a, const abut_pose *pa, const abut_shape *b,
                                       const abut_pose *pb, double clearance, abut_cache *cache)
{
    const abut_core *ca = &a->core, *cb = &b->core;
    if (ca->kind > cb->kind) {
        const abut_core *c = ca;
        const abut_pose *p = pa;
        ca = cb;
        cb = c;
        pa = pb;
        pb = p;
    }
    const double na = abut_quick_norm(pa->rotation), nb = abut_quick_norm(pb->rotation);
    const abut_vec3 d = abut_sub(pb->position, pa->position);
    const double square = abut_dot(d, d), limit = ca->radius + cb->radius + clearance,
                 sizes = ca->size + cb->size;
    const double reach = sizes + limit;
    if (!(abut_quick_norm_is_usual(na) && abut_quick_norm_is_usual(nb) && square <= 0x1p280 &&
          is_usual(reach)))
        return ABUT_UNDECIDED;
    if (square > reach * reach * (1 + 0x1p-48))
        return ABUT_SEPARATE;
    const double inner = limit + (ca->kind == ABUT_CORE_BOX ? least(ca->h) : 0) +
                         (cb->kind == ABUT_CORE_BOX ? least(cb->h) : 0);
    if (square < inner * inner * (1 - 0x1p-48))
        return ABUT_PENETRATING;
    if (cb->kind == ABUT_CORE_SEGMENT) {
        const abut_vec3 y = abut_quick_axis(pb->rotation, 1 / nb);
        return ca->kind == ABUT_CORE_POINT ? point_segment(d, y, cb->h[2], limit, 40 * u * reach)
                                           : segments(d, abut_quick_axis(pa->rotation, 1 / na), ca->h[2], y,
                                                      cb->h[2], limit, 40 * u * reach);
    }
    if (ca->kind == ABUT_CORE_BOX) {
        const abut_verdict again = cache ? boxes_again(ca, pa, cb, pb, d, limit, cache) : ABUT_UNDECIDED;
        return again != ABUT_UNDECIDED ? again : boxes_at(ca, pa, na, cb, pb, d, limit, cache);
    }
    /* p is off by 20 u D and v by 10 u + 20 u; the limit's rounding and those of the judge's
     * numbers are below 10 more. */
    double m[3][3];
    abut_quick_matrix(pb->rotation, m);
    const double over = 1 / nb;
    const abut_vec3 p = turn_back(m, over, abut_sub(abut_v3(0, 0, 0), d));
    const abut_vec3 v = ca->kind == ABUT_CORE_POINT
                            ? abut_v3(0, 0, 0)
                            : turn_back(m, over, abut_quick_axis(pa->rotation, ca->h[2] / na));
    return segment_box(p, v, cb->h, limit, 64 * u * reach);
}

abut_verdict abut_quick_overlap_balls(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                      const abut_pose *pose_b, double clearance, abut_cache *cache)
{
    (void)cache;
    return balls(&a->core, pose_a, &b->core, pose_b, clearance);
}
