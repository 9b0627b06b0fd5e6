/* SPDX-License-Identifier: MIT */
/* Two boxes that translate, by their 15 separating axes; see slide.h.
 *
 * Along an axis n (as long as 1 at most) the boxes are apart while |n . (t + s v)| > r, r the sum of their reaches. Each axis gives four times, moved to the safe
 * side by the errors: until when it proves them apart, from when on and until when it proves that they overlap along n, and from when on it
 * proves them apart again. Overlap along all 15 proves that they overlap (S. Gottschalk and others, OBBTree, 1996).
 *
 * Errors: an axis of b or a product of axes is off by `turns` and 2 u, and so are the products with t and the reaches of both bodies; with rounding of sums of
 * three and six terms, twice (turns + 40 u) times all lengths beside what cast->error has. The velocity likewise. */
#include "ccd/slide.h"

static const double u = 0x1p-53;

typedef struct sweep {
    double e, e1;                  /* error of gaps, per unit of time */
    double most;                   /* of the stretch */
    double clear, in, out, parted; /* apart until clear; overlapping from in to out; apart from parted on */
    int axis;                      /* that gave `clear` */
    double sign;
    bool miss, unsure;
} sweep;

/* d = n . t, w = n . v. */
static inline __attribute__((always_inline)) void add_axis(sweep *s, int axis, double d, double w, double r)
{
    const double far = fabs(d), closing = d < 0 ? w : -w, e = s->e, e1 = s->e1;
    if (!(closing > 0)) {
        if (far - r > e) {
            s->miss = s->miss || far - r - e > s->most * (closing + e1);
            s->unsure = true;
            return;
        }
        if (!(far - r < -e)) {
            s->unsure = true;
            return;
        }
        const double until = (r - far - e) / (e1 - closing) * (1 - 8 * u);
        if (until < s->out)
            s->out = until;
        if (-closing > e1) {
            const double gone = (r - far + e) / (-closing - e1) * (1 + 8 * u);
            if (gone < s->parted)
                s->parted = gone;
        }
        return;
    }
    const double fast = 1 / (closing + e1);
    const double until = (far + r - e) * fast * (1 - 8 * u);
    if (until < s->out)
        s->out = until;
    if (far - r < -e && !(closing > e1))
        return;
    if (!(closing > e1)) {
        s->miss = s->miss || far - r - e > s->most * (closing + e1) * (1 + 8 * u);
        s->unsure = true;
        return;
    }
    const double slow = 1 / (closing - e1) * (1 + 8 * u);
    const double clear = (far - r - e) * fast * (1 - 8 * u);
    const double in = (far - r + e) * slow, gone = (far + r + e) * slow;
    if (clear > s->clear) {
        s->clear = clear;
        s->axis = axis;
        s->sign = d < 0 ? -1 : 1;
    }
    if (in > s->in)
        s->in = in;
    if (gone < s->parted)
        s->parted = gone;
}

/* All axes; false when one proves a miss. */
static bool sweep_axes(const abut_slide *c, sweep *s)
{
    const double(*r)[3] = c->pair.r.m;
    const double *ha = c->pair.a->h, *hb = c->pair.b->h;
    const double t[3] = { c->pair.t.x, c->pair.t.y, c->pair.t.z }, v[3] = { c->v.x, c->v.y, c->v.z };
    double q[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            q[i][j] = fabs(r[i][j]);
        add_axis(s, i, t[i], v[i], ha[i] + (q[i][0] * hb[0] + q[i][1] * hb[1] + q[i][2] * hb[2]));
    }
    for (int j = 0; j < 3; ++j)
        add_axis(s, 3 + j, r[0][j] * t[0] + r[1][j] * t[1] + r[2][j] * t[2],
                 r[0][j] * v[0] + r[1][j] * v[1] + r[2][j] * v[2],
                 hb[j] + (q[0][j] * ha[0] + q[1][j] * ha[1] + q[2][j] * ha[2]));
    if (s->miss || s->clear > s->parted || s->clear >= s->most)
        return false;
    for (int i = 0; i < 3; ++i) {
        const int i1 = i == 2 ? 0 : i + 1, i2 = i == 0 ? 2 : i - 1;
        for (int j = 0; j < 3; ++j) {
            const int j1 = j == 2 ? 0 : j + 1, j2 = j == 0 ? 2 : j - 1;
            /* e_i x r_j = -r[i2][j] e_i1 + r[i1][j] e_i2; without length and error it is no axis: the edges are parallel */
            if (r[i1][j] == 0 && r[i2][j] == 0 && c->turns < 0x1p-1000)
                continue;
            add_axis(s, 6 + 3 * i + j, r[i1][j] * t[i2] - r[i2][j] * t[i1],
                     r[i1][j] * v[i2] - r[i2][j] * v[i1],
                     (ha[i1] * q[i2][j] + ha[i2] * q[i1][j]) + (hb[j1] * q[i][j2] + hb[j2] * q[i][j1]));
        }
    }
    return !(s->miss || s->clear > s->parted || s->clear >= s->most);
}

/* Corner of the box with half sizes h furthest along d. */
static abut_vec3 corner(const double *h, abut_vec3 d)
{
    return abut_v3(copysign(h[0], d.x), copysign(h[1], d.y), copysign(h[2], d.z));
}

/* An edge or a face lies along the plane: no single point. */
static bool is_level(const double *h, abut_vec3 d)
{
    static const double level = 0x1p-30;
    const double most = level * (h[0] + h[1] + h[2]);
    return fabs(d.x) * h[0] < most || fabs(d.y) * h[1] < most || fabs(d.z) * h[2] < most;
}

/* Where the edges along axis i of a and j of b cross that are furthest towards each other. */
static abut_vec3 crossing(const abut_slide *c, abut_vec3 t, abut_vec3 n, abut_vec3 m, int i, int j)
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

static void describe(const abut_slide *c, const sweep *s, abut_slide_hit *out)
{
    const double(*r)[3] = c->pair.r.m;
    const abut_vec3 t = abut_madd(c->pair.t, out->s, c->v);
    if (s->axis < 3) {
        const int i = s->axis;
        out->n = abut_v3(i == 0 ? s->sign : 0, i == 1 ? s->sign : 0, i == 2 ? s->sign : 0);
        const abut_vec3 m = abut_mul_t(&c->pair.r, out->n);
        out->x = abut_add(t, abut_mul(&c->pair.r, corner(c->pair.b->h, abut_v3(-m.x, -m.y, -m.z))));
        out->features[0] = ABUT_FEATURE_FACE;
        out->features[1] = ABUT_FEATURE_VERTEX;
        out->several = is_level(c->pair.b->h, m);
        return;
    }
    if (s->axis < 6) {
        const int j = s->axis - 3;
        out->n = abut_v3(s->sign * r[0][j], s->sign * r[1][j], s->sign * r[2][j]);
        out->x = corner(c->pair.a->h, out->n);
        out->features[0] = ABUT_FEATURE_VERTEX;
        out->features[1] = ABUT_FEATURE_FACE;
        out->several = is_level(c->pair.a->h, out->n);
        return;
    }
    const int i = (s->axis - 6) / 3, j = (s->axis - 6) % 3;
    const double x = r[0][j], y = r[1][j], z = r[2][j];
    const abut_vec3 n = i == 0 ? abut_v3(0, -z, y) : i == 1 ? abut_v3(z, 0, -x) : abut_v3(-y, x, 0);
    const double square = abut_dot(n, n);
    out->n = abut_scale(s->sign / sqrt(square), n);
    out->x = crossing(c, t, out->n, abut_mul_t(&c->pair.r, out->n), i, j);
    out->features[0] = out->features[1] = ABUT_FEATURE_EDGE;
    out->several = square < 0x1p-40;
}

abut_slide_end abut_slide_boxes(abut_slide *c, abut_slide_hit *out)
{
    const double lengths = c->far + c->pair.a->size + c->pair.b->size;
    sweep s = { .e = c->error + 2 * (c->turns + 40 * u) * lengths,
                .e1 = c->slip + 2 * (c->turns + 16 * u) * c->speed,
                .most = c->most * (1 + 4 * u),
                .clear = 0,
                .in = 0,
                .out = INFINITY,
                .parted = INFINITY,
                .axis = -1 };
    const bool may_hit = sweep_axes(c, &s);
    out->evaluations = 15;
    if (s.miss || s.clear > s.parted || s.clear >= s.most)
        return ABUT_SLIDE_MISS;
    if (!may_hit || s.unsure || s.axis < 0 || !(s.in < s.out))
        return ABUT_SLIDE_UNSURE;
    double t = c->lo + s.in * (1 + 4 * u);
    for (int i = 0; i < 2 && (t - c->lo) * (1 - 2 * u) < s.in; ++i)
        t = nextafter(t, c->hi);
    const double since = t - c->lo;
    if (!(since * (1 - 2 * u) >= s.in && since * (1 + 2 * u) <= s.out && t < c->hi) ||
        !abut_slide_time_before(c->lo, s.clear, &out->time.lo))
        return ABUT_SLIDE_UNSURE;
    out->time.hi = t;
    out->s = s.clear;
    describe(c, &s, out);
    return ABUT_SLIDE_HIT;
}
