/* SPDX-License-Identifier: MIT */
/* Two boxes that translate, by their 15 separating axes; see linear_cast.h.
 *
 * Along an axis n (as long as 1 at most) the boxes overlap while |n . (t + s v)| < r, r the sum of
 * their reaches. With c = |n . v| and p = -n . t for n . v > 0, else n . t, that is from s = (p -
 * r) / c to (p + r) / c. Each axis gives four times, moved to the safe side by the errors: until
 * when it proves them apart, from when on and until when it proves that they overlap along n, and
 * from when on it proves them apart again. Overlap along all 15 proves that they overlap (S.
 * Gottschalk and others, OBBTree, 1996). Axes go three at a time through vectors of four, without
 * branches: which of them are approached is a matter of chance.
 *
 * Errors: an axis of b or a product of axes is off by `turns` and 2 u, and so are the products with
 * t and the reaches of both bodies; with rounding of sums of three and six terms, twice (turns + 40
 * u) times all lengths beside what cast->error has. The velocity likewise.
 *
 * Of e1, the error per unit of time: 1 / (c - e1) = 1 / (c + e1) / (1 - 2 x), x = e1 / (c + e1),
 * which for c > 2^12 e1 is at most 1 + 2.001 x times 1 / (c + e1). Along an axis with less
 * motion the boxes neither come nor go: they are apart, or overlap, for |p| and as long as that
 * and (c + e1) s allow. */
#include "ccd/cast/cast_boxes_axes.h"

/* Corner of the box with half sizes h furthest along d. */
static abut_vec3 corner(const double *h, abut_vec3 d)
{
    return abut_v3(copysign(h[0], d.x), copysign(h[1], d.y), copysign(h[2], d.z));
}

/* How many axes of the box lie along the plane: no single point where one does, a face where
 * two. */
static int level_count(const double *h, abut_vec3 d)
{
    static const double level = 0x1p-30;
    const double most = level * (h[0] + h[1] + h[2]);
    return (fabs(d.x) * h[0] < most) + (fabs(d.y) * h[1] < most) + (fabs(d.z) * h[2] < most);
}

/* Where the edges along axis i of a and j of b cross that are furthest towards each other. */
static abut_vec3 crossing(const abut_linear_cast *c, abut_vec3 t, abut_vec3 n, abut_vec3 m, int i, int j)
{
    const double *ha = c->pair.a->h, *hb = c->pair.b->h;
    double p[3] = { copysign(ha[0], n.x), copysign(ha[1], n.y), copysign(ha[2], n.z) };
    double q[3] = { -copysign(hb[0], m.x), -copysign(hb[1], m.y), -copysign(hb[2], m.z) };
    p[i] = q[j] = 0;
    const abut_vec3 edge = { c->pair.r.m[0][j], c->pair.r.m[1][j], c->pair.r.m[2][j] };
    const abut_vec3 d =
        abut_sub(abut_add(abut_mul(&c->pair.r, abut_v3(q[0], q[1], q[2])), t), abut_v3(p[0], p[1], p[2]));
    const double cosine = abut_part3(edge, i);
    const double along = (abut_part3(d, i) - cosine * abut_dot(d, edge)) / (1 - cosine * cosine);
    p[i] = along > ha[i] ? ha[i] : along < -ha[i] ? -ha[i] : along;
    return abut_v3(p[0], p[1], p[2]);
}

static void describe(const abut_linear_cast *c, const abut_linear_cast_times *s, abut_linear_cast_hit *out)
{
    const double(*r)[3] = c->pair.r.m;
    const abut_vec3 t = abut_madd(c->pair.t, out->s, c->v);
    if (s->axis < 3) {
        const int i = s->axis;
        const double sign = copysign(1, abut_part3(c->pair.t, i));
        out->n = abut_v3(i == 0 ? sign : 0, i == 1 ? sign : 0, i == 2 ? sign : 0);
        const abut_vec3 m = abut_mul_t(&c->pair.r, out->n);
        out->x = abut_add(t, abut_mul(&c->pair.r, corner(c->pair.b->h, abut_v3(-m.x, -m.y, -m.z))));
        out->features[0] = ABUT_FEATURE_FACE;
        out->features[1] = ABUT_FEATURE_VERTEX;
        out->several = level_count(c->pair.b->h, m) > 0;
        return;
    }
    if (s->axis < 6) {
        const int j = s->axis - 3;
        const abut_vec3 n = { r[0][j], r[1][j], r[2][j] };
        out->n = abut_scale(copysign(1, abut_dot(n, c->pair.t)), n);
        out->x = corner(c->pair.a->h, out->n);
        out->features[0] = ABUT_FEATURE_VERTEX;
        out->features[1] = ABUT_FEATURE_FACE;
        out->several = level_count(c->pair.a->h, out->n) > 0;
        return;
    }
    const int i = (s->axis - 6) / 3, j = (s->axis - 6) % 3;
    const double x = r[0][j], y = r[1][j], z = r[2][j];
    const abut_vec3 n = i == 0 ? abut_v3(0, -z, y) : i == 1 ? abut_v3(z, 0, -x) : abut_v3(-y, x, 0);
    const double square = abut_dot(n, n);
    out->n = abut_scale(copysign(1 / sqrt(square), abut_dot(n, c->pair.t)), n);
    const abut_vec3 m = abut_mul_t(&c->pair.r, out->n);
    out->x = crossing(c, t, out->n, m, i, j);
    out->features[0] = out->features[1] = ABUT_FEATURE_EDGE;
    out->several =
        square < 0x1p-40 || level_count(c->pair.a->h, out->n) > 1 || level_count(c->pair.b->h, m) > 1;
}

static bool find_times(const abut_linear_cast *c, double most, abut_linear_cast_times *out)
{
#if defined(__x86_64__) && !defined(__AVX2__)
    if (!abut_linear_cast_force_plain && __builtin_cpu_supports("avx2"))
        return abut_linear_cast_axes_avx2(c, most, out);
#endif
    return sweep_axes(c, most, out);
}

abut_linear_cast_end abut_linear_cast_boxes(abut_linear_cast *c, abut_linear_cast_hit *out)
{
    abut_linear_cast_times s;
    out->evaluations = 15;
    if (find_times(c, c->most * (1 + 4 * u), &s))
        return ABUT_SLIDE_MISS;
    if (s.axis < 0 || !(s.in < s.out))
        return ABUT_SLIDE_UNSURE;
    double t = c->lo + s.in * (1 + 4 * u);
    for (int i = 0; i < 2 && (t - c->lo) * (1 - 2 * u) < s.in; ++i)
        t = nextafter(t, c->hi);
    const double since = t - c->lo;
    if (!(since * (1 - 2 * u) >= s.in && since * (1 + 2 * u) <= s.out && t < c->hi) ||
        !abut_linear_cast_time_before(c->lo, s.clear, &out->time.lo))
        return ABUT_SLIDE_UNSURE;
    out->time.hi = t;
    out->s = s.clear;
    describe(c, &s, out);
    return ABUT_SLIDE_HIT;
}
