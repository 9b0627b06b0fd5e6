/* SPDX-License-Identifier: MIT */
/* The separating axes of two boxes that translate, inside cast_boxes.c: three at a time in
 * vectors of four, without branches, for which of them are approached is a matter of chance.
 * Included once for any machine and once for AVX2, with the same answers. */
#ifndef ABUT_CCD_CAST_CAST_BOXES_AXES_H
#define ABUT_CCD_CAST_CAST_BOXES_AXES_H

#include "ccd/cast/cast_boxes.h"

#include <stdint.h>

static const double u = 0x1p-53;

/* Everything of it is in line, so that nothing is passed in a register that may not be there. */
#define WIDE static inline __attribute__((always_inline))

typedef double lanes __attribute__((vector_size(32)));
typedef int64_t lane_mask __attribute__((vector_size(32)));

#if defined(__clang__)
#define PERMUTE(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)
#else
#define PERMUTE(v, ...) __builtin_shuffle(v, (lane_mask){ __VA_ARGS__ })
#endif

typedef struct sweep {
    /* apart until clear; overlapping from in to out; apart from parted on */
    lanes clear, in, out, parted;
    lanes axis;   /* that gave `clear` */
    double e, e1; /* error of gaps, per unit of time */
} sweep;

WIDE lanes all(double x)
{
    return (lanes){ x, x, x, x };
}

/* a where m, b elsewhere. */
WIDE lanes pick(lane_mask m, lanes a, lanes b)
{
    return (lanes)((m & (lane_mask)a) | (~m & (lane_mask)b));
}

WIDE lanes size_of(lanes a)
{
    return (lanes)((lane_mask)a & INT64_MAX);
}

/* Axes `first` and those after it: d = n . t, w = n . v; `none`: lanes that are no axis. */
WIDE void add_axes(sweep *s, int first, lanes d, lanes w, lanes r, lane_mask none)
{
    const lanes e = all(s->e), e1 = all(s->e1), c = size_of(w), zero = all(0);
    const lane_mask still = ~(c > 0x1p12 * e1);
    /* d where w < 0, else -d */
    const lanes ahead = (lanes)((lane_mask)d ^ (~(lane_mask)w & INT64_MIN));
    const lanes p = pick(still, size_of(d), ahead), q = pick(still, -p, p);
    const lanes per = 1 / (c + e1), fast = per * (1 - 8 * u),
                slow = (per + per * (2.001 * (e1 * per))) * (1 + 8 * u);
    const lanes gap = p - r, ever = all(INFINITY), clear = (gap - e) * fast, in = gap + e;
    /* Along an axis without motion: now and ever, or who knows. */
    const lanes from = pick(still, pick((in < zero) | none, zero, ever), in * slow),
                until = pick(none, ever, (q + r - e) * fast), gone = pick(still, ever, (p + r + e) * slow);
    const lane_mask later = clear > s->clear;
    const double k = first;
    s->axis = pick(later, (lanes){ k, k + 1, k + 2, -1 }, s->axis);
    s->clear = pick(later, clear, s->clear);
    s->in = pick(from > s->in, from, s->in);
    s->out = pick(until < s->out, until, s->out);
    s->parted = pick(gone < s->parted, gone, s->parted);
}

/* Of equal axes the first, so that a face comes before edges that lie in it. */
static inline void gather(const sweep *s, abut_linear_cast_times *out)
{
    *out = (abut_linear_cast_times){ s->clear[0], s->in[0], s->out[0], s->parted[0], (int)s->axis[0] };
    for (int i = 1; i < 3; ++i) {
        const int axis = (int)s->axis[i];
        const bool first = s->clear[i] > out->clear || (s->clear[i] == out->clear && axis < out->axis);
        out->axis = first ? axis : out->axis;
        out->clear = s->clear[i] > out->clear ? s->clear[i] : out->clear;
        out->in = s->in[i] > out->in ? s->in[i] : out->in;
        out->out = s->out[i] < out->out ? s->out[i] : out->out;
        out->parted = s->parted[i] < out->parted ? s->parted[i] : out->parted;
    }
}

static inline bool is_miss(const abut_linear_cast_times *s, double most)
{
    return s->clear > s->parted || s->clear >= most;
}

WIDE lanes three(const double x[3])
{
    return (lanes){ x[0], x[1], x[2], 0 };
}

/* All axes; true when they prove a miss. */
static bool sweep_axes(const abut_linear_cast *c, double most, abut_linear_cast_times *out)
{
    const double *ha = c->pair.a->h, *hb = c->pair.b->h;
    const double t[3] = { c->pair.t.x, c->pair.t.y, c->pair.t.z }, v[3] = { c->v.x, c->v.y, c->v.z };
    const double lengths = c->far + c->pair.a->size + c->pair.b->size;
    const lanes zero = all(0), ever = all(INFINITY), b = three(hb);
    const lane_mask spare = { 0, 0, 0, -1 };
    const lanes r[3] = { three(c->pair.r.m[0]), three(c->pair.r.m[1]), three(c->pair.r.m[2]) },
                q[3] = { size_of(r[0]), size_of(r[1]), size_of(r[2]) };
    /* |R| b, by columns */
    const lanes q0 = { q[0][0], q[1][0], q[2][0], 0 }, q1 = { q[0][1], q[1][1], q[2][1], 0 },
                q2 = { q[0][2], q[1][2], q[2][2], 0 };
    sweep s = { .clear = zero,
                .in = zero,
                .out = ever,
                .parted = ever,
                .axis = all(-1),
                .e = c->error + 2 * (c->turns + 40 * u) * lengths,
                .e1 = c->slip + 2 * (c->turns + 16 * u) * c->speed };
    add_axes(&s, 0, three(t), three(v), three(ha) + (q0 * hb[0] + q1 * hb[1] + q2 * hb[2]), spare);
    add_axes(&s, 3, r[0] * t[0] + r[1] * t[1] + r[2] * t[2], r[0] * v[0] + r[1] * v[1] + r[2] * v[2],
             b + (q[0] * ha[0] + q[1] * ha[1] + q[2] * ha[2]), spare);
    gather(&s, out);
    if (is_miss(out, most))
        return true;
    /* e_i x r_j = -r[i2][j] e_i1 + r[i1][j] e_i2; without length and error it is no axis: the
     * edges are parallel */
    const int64_t exact = c->turns < 0x1p-1000 ? -1 : 0;
    const lanes b1 = PERMUTE(b, 1, 2, 0, 3), b2 = PERMUTE(b, 2, 0, 1, 3);
    for (int i = 0; i < 3; ++i) {
        const int i1 = i == 2 ? 0 : i + 1, i2 = i == 0 ? 2 : i - 1;
        const lane_mask none = spare | (exact & (r[i1] == zero) & (r[i2] == zero));
        add_axes(&s, 6 + 3 * i, r[i1] * t[i2] - r[i2] * t[i1], r[i1] * v[i2] - r[i2] * v[i1],
                 (ha[i1] * q[i2] + ha[i2] * q[i1]) +
                     (b1 * PERMUTE(q[i], 2, 0, 1, 3) + b2 * PERMUTE(q[i], 1, 2, 0, 3)),
                 none);
    }
    gather(&s, out);
    return is_miss(out, most);
}

#endif
