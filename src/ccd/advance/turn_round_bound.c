/* SPDX-License-Identifier: MIT */
/* Bounds of the gap around one time, from below and from above; see turn_round_parts.h,
 * docs/notes/advancement.md.
 *
 * As in moving_plane.c: a direction n that turns at the rate m, to first order as the nearest feature
 * does. Closed forms of the cores make the terms of second order smaller: with a the axis of a
 * segment and w its angular velocity, a'' = w x (w x a), so that n . a'' is at most |w x n| |w x
 * a|, neither of which changes; and m . v and m . a' are taken as they are, not their sizes. In
 * the frame of a box n and m are given exactly, so that only the point is off. */
#include "ccd/advance/turn_round_parts.h"

static const double u = 0x1p-53;

static double length(abut_vec3 a)
{
    return sqrt(abut_dot(a, a));
}

static double positive(double x)
{
    return x > 0 ? x : 0;
}

/* How n must turn so that the points of segments which lie between their ends stay on one plane
 * across it. */
static abut_vec3 turning_of_segments(const abut_turn_round_pair *w, const abut_round_view *g, double na,
                                     double nb)
{
    const bool in_a = fabs(g->z[0]) < w->a->h[2] * (1 - 8 * u),
               in_b = fabs(g->z[1]) < w->b->h[2] * (1 - 8 * u);
    const abut_vec3 a = g->axis[0], b = g->axis[1];
    abut_vec3 m = { 0, 0, 0 };
    if (in_a && in_b) {
        const double ab = abut_dot(a, b), det = 1 - ab * ab;
        m = abut_add(abut_scale((ab * nb - na) / det, a), abut_scale((ab * na - nb) / det, b));
    } else if (in_a)
        m = abut_scale(-na, a);
    else if (in_b)
        m = abut_scale(-nb, b);
    const double most = 8 * (w->arms[0].speed + w->arms[1].speed);
    return abut_dot(m, m) <= most * most ? m : abut_v3(0, 0, 0);
}

static void bound_segments(const abut_turn_round_pair *w, abut_round_view *g, abut_round_bound *out)
{
    const abut_vec3 n = g->n, a = g->axis[0], b = g->axis[1], a1 = g->axis_rate[0], b1 = g->axis_rate[1];
    const double ha = w->a->h[2], hb = w->b->h[2], wa = w->arms[0].speed, wb = w->arms[1].speed;
    const double na = abut_dot(n, a1), nb = abut_dot(n, b1);
    const abut_vec3 m = turning_of_segments(w, g, na, nb);
    const double turning = length(m) * (1 + 8 * u), far = length(g->d), since = g->t - w->lo;
    const double speed_a = length(a1) + g->drag[0] + 8 * u * wa,
                 speed_b = length(b1) + g->drag[1] + 8 * u * wb;
    *out = (abut_round_bound){ .h = { ha, hb, 0 },
                               .at = { abut_dot(n, a), abut_dot(n, b), 0 },
                               .rate = { abut_dot(m, a) + na, abut_dot(m, b) + nb, 0 } };
    out->k0 = abut_dot(n, g->d) - w->radii;
    out->k1 = (abut_dot(m, g->d) + abut_dot(n, g->v)) - w->radii * abut_dot(n, m);
    const double still = w->shift + since * w->drift + ha * g->turn[0] + hb * g->turn[1] + u * far;
    const double slack = w->drift + ha * g->drag[0] + hb * g->drag[1];
    out->e0 = still + u * (10 * far + 10 * w->radii + 20 * w->sizes) + 0x1p-1060;
    out->e1 = slack + u * (10 * w->fast + 30 * (ha * wa + hb * wb)) +
              turning * (still + u * (10 * far + 30 * w->sizes + 16 * w->radii)) + 0x1p-1060;
    const double across_a = length(abut_cross(w->arms[0].spin, n)) + w->arms[0].blur,
                 across_b = length(abut_cross(w->arms[1].spin, n)) + w->arms[1].blur;
    const double own = ha * across_a * speed_a + hb * across_b * speed_b + w->radii * turning * turning;
    const double rest = 2 * (ha * fabs(abut_dot(m, a1)) + hb * fabs(abut_dot(m, b1)) - abut_dot(m, g->v) +
                             turning * (slack + 0x1p-45 * w->swift));
    out->bend = positive(own * (1 + 0x1p-40) + rest);
    out->twist = turning * (ha * wa * speed_a + hb * wb * speed_b) * (1 + 0x1p-40);
}

static void bound_box(const abut_turn_round_pair *w, abut_round_view *g, abut_round_bound *out)
{
    const int k = w->box_is_a ? 0 : 1;
    const abut_round_arm *own = &w->arms[k];
    const double *h = w->box->h, size = w->box->size, speed = own->speed;
    const abut_vec3 n = g->n, p = g->d, foot = g->foot, turn = abut_cross(w->spin, n);
    const abut_vec3 m = { fabs(foot.x) < h[0] * (1 - 8 * u) ? turn.x : 0,
                          fabs(foot.y) < h[1] * (1 - 8 * u) ? turn.y : 0,
                          fabs(foot.z) < h[2] * (1 - 8 * u) ? turn.z : 0 };
    const double turning = length(m) * (1 + 8 * u), far = length(p) * (1 + 8 * u), since = g->t - w->lo;
    const double off = g->turn[k] + 28 * u, fast = length(g->v) * (1 + 8 * u);
    /* of the spin in the frame of the box */
    const double blur = own->blur + (own->turn[0] + 8 * u) * speed;
    *out = (abut_round_bound){ .h = { h[0], h[1], h[2] },
                               .at = { n.x, n.y, n.z },
                               .rate = { m.x - turn.x, m.y - turn.y, m.z - turn.z } };
    out->k0 = abut_dot(n, p) - w->radii;
    out->k1 = (abut_dot(m, p) + abut_dot(n, g->v)) - w->radii * abut_dot(n, m);
    const double still = w->shift + since * w->drift + off * far;
    out->e0 = still + u * (10 * w->radii + 20 * size) + 0x1p-1060;
    const double slack = w->drift + off * fast + size * blur;
    out->e1 = slack + u * (10 * w->fast + 30 * size * speed) +
              turning * (still + u * (30 * size + 16 * w->radii)) + 0x1p-1060;
    const abut_vec3 a2 = abut_cross(w->spin, m);
    const double bent = size * speed * (length(turn) + blur + 8 * u * speed) + w->radii * turning * turning;
    const double rest = 2 * (h[0] * fabs(a2.x) + h[1] * fabs(a2.y) + h[2] * fabs(a2.z) - abut_dot(m, g->v) +
                             turning * (slack + 0x1p-45 * w->swift));
    out->bend = positive(bent * (1 + 0x1p-40) + rest);
    out->twist = turning * size * speed * speed * (1 + 0x1p-40);
}

void abut_round_make_bound(const abut_turn_round_pair *w, abut_round_view *g, abut_round_bound *out)
{
    g->n = abut_scale(1 / g->length, g->between);
    if (w->box)
        bound_box(w, g, out);
    else
        bound_segments(w, g, out);
}

/* bend >= |w''| + |w'|^2 / |w|, w between the points, since sqrt(1 + x) <= 1 + x / 2. */
abut_round_over abut_round_make_over(const abut_turn_round_pair *w, const abut_round_view *g)
{
    const abut_round_arm *p = &w->arms[0], *q = &w->arms[1];
    const double since = g->t - w->lo, path = w->shift + since * w->drift;
    double still, slack, bend;
    if (w->box) {
        const int k = w->box_is_a ? 0 : 1;
        const abut_round_arm *own = &w->arms[k];
        const double size = w->box->size;
        still = path + (g->turn[k] + 24 * u) * abut_round_norm1(g->d) + 8 * u * size;
        slack = w->drift + (g->turn[k] + 8 * u) * abut_round_norm1(g->v) +
                size * (own->blur + (own->turn[0] + 8 * u) * own->speed);
        bend = size * own->speed * own->speed;
    } else {
        const double ha = w->a->h[2], hb = w->b->h[2];
        still = path + ha * g->turn[0] + hb * g->turn[1] + 16 * u * (abut_round_norm1(g->d) + ha + hb);
        slack = w->drift + ha * g->drag[0] + hb * g->drag[1];
        bend = ha * p->speed * p->speed + hb * q->speed * q->speed;
    }
    return (abut_round_over){ .k = g->gap + still + 6 * u * (g->length + w->radii) + 0x1p-1060,
                              .closing = g->closing,
                              .bend = (bend + abut_dot(g->rate, g->rate) / g->length) * (1 + 0x1p-30),
                              .e = slack + 16 * u * w->swift + 0x1p-1060 };
}
