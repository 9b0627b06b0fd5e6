/* SPDX-License-Identifier: MIT */
/* Cylinders and cones in contact along a direction: where a point of both is to be searched for,
 * and how the direction of the nearest points turns while b moves. Both steer only; see
 * docs/notes/curved-pairs.md. */
#include "narrow/distance/curved_piece.h"
#include "narrow/distance/cylinders.h"

/* ---- a point of both ---- */

static void find_corner(const abut_cylinders_body *b, const abut_cylinders_view *v, double sigma, bool cap,
                        double sign, abut_vec3 n, abut_cylinders_corner *out)
{
    const double slant = sqrt(4 * b->h * b->h + b->apex * b->apex);
    out->tangent = abut_v3(0, 0, 0);
    out->face = cap || fabs(sigma) < 1;
    out->rim = !out->face && !(b->apex > 0 && sigma > 0);
    if (out->face) {
        out->in = abut_scale(-sign, n);
        return;
    }
    if (!out->rim) { /* an apex */
        out->in = abut_scale(-sign * slant / b->apex, b->axis);
        return;
    }
    /* The normals of cap and side: +-axis, and u or (2 h u + r axis) / slant. */
    const abut_vec3 side =
        b->apex > 0 ? abut_scale(1 / slant, abut_madd(abut_scale(2 * b->h, v->u), b->r, b->axis)) : v->u;
    const abut_vec3 sum = abut_madd(side, sigma, b->axis);
    out->in = abut_scale(-sign / (1 - b->apex / slant), sum);
    out->tangent = abut_cross(b->axis, v->u);
}

/* A face has the inward direction -n, an edge one that leads away from both of its faces at unit
 * speed, an apex its axis. b is seen from behind. */
void abut_cylinders_find_common(const abut_cylinders_body body[2], const abut_cylinders_view view[2],
                                const double sigma[2], int cap, abut_vec3 n, abut_cylinders_common *out)
{
    find_corner(&body[0], &view[0], sigma[0], cap == 0, 1, n, &out->at[0]);
    find_corner(&body[1], &view[1], sigma[1], cap == 1, -1, n, &out->at[1]);
    out->needed = abut_dot(n, abut_sub(out->at[1].in, out->at[0].in));
    out->crossing = false;
    if (out->at[0].rim && out->at[1].rim) {
        out->across = abut_cross(out->at[0].tangent, out->at[1].tangent);
        out->crossing = abut_dot(out->across, out->across) > 0x1p-20;
    }
}

/* Where a rim crosses a rim the point is shifted along both, so that it is below all four faces. */
abut_vec3 abut_cylinders_place_common(const abut_cylinders_common *c, abut_vec3 n, abut_vec3 x, abut_vec3 y)
{
    const abut_cylinders_corner *a = &c->at[0], *b = &c->at[1];
    const abut_vec3 w = abut_sub(y, x);
    const double deep = -abut_dot(w, n) / c->needed;
    if (a->face && !b->face)
        return abut_madd(y, deep, b->in);
    if (!c->crossing)
        return b->face && !a->face ? abut_madd(x, deep, a->in) : abut_madd(x, 0.5, w);
    const abut_vec3 left = abut_madd(w, -deep, abut_sub(a->in, b->in));
    const double along = abut_dot(abut_cross(left, b->tangent), c->across) / abut_dot(c->across, c->across);
    return abut_madd(abut_madd(x, deep, a->in), along, a->tangent);
}

/* ---- turning ---- */

/* How the point of b, minus it from its centre, and its diff move for a fixed n while the axis
 * turns by `spin`. */
static abut_vec3 rate_of_point(const abut_cylinders_body *b, const abut_cylinders_view *v, abut_vec3 n,
                               double sigma, abut_vec3 spin, double *diff)
{
    const double along = abut_dot(n, b->axis), rate = abut_dot(n, spin);
    /* of the part across the axis */
    const abut_vec3 p = abut_madd(abut_scale(-rate, b->axis), -along, spin);
    const double flat = abut_dot(v->u, p);
    const abut_vec3 u = abut_scale(v->per_flat, abut_madd(p, -flat, v->u));
    *diff = 2 * b->h * rate - b->apex * flat;
    return abut_madd(abut_scale(b->mean - 0.5 * sigma * b->apex, u), sigma * b->h, spin);
}

abut_vec3 abut_cylinders_turning(const abut_convex_pair *pair, abut_vec3 n, abut_vec3 v, abut_vec3 spin)
{
    abut_cylinders_body body[2];
    abut_cylinders_view view[2];
    abut_vec3 e[2];
    abut_cylinders_model m;
    abut_cylinders_begin(pair, body);
    const double gap = abut_dot(n, pair->t) - abut_cylinders_evaluate(&body[0], n, &view[0]) -
                       abut_cylinders_evaluate(&body[1], n, &view[1]);
    if (view[0].flat < 0x1p-20) /* a cap turns with its body */
        return abut_v3(0, 0, 0);
    if (view[1].flat < 0x1p-20)
        return abut_cross(spin, n);
    const double kink[2] = { view[0].diff, view[1].diff };
    const double size = body[0].r + body[1].r, shift = gap > 0x1p-20 * size ? gap : 0x1p-20 * size;
    abut_cylinders_step s = { .sigma = { kink[0] < 0 ? -1 : 1, kink[1] < 0 ? -1 : 1 } };
    abut_tangent_basis(n, e);
    /* The shares weigh the curvature of cones, which gives the shares. */
    for (int i = 0; i < 2; ++i) {
        abut_cylinders_build(body, view, pair->t, e, s.sigma, &m);
        abut_cylinders_shift(&m, shift);
        if (!abut_cylinders_solve(&m, m.m, m.det, kink, &s))
            return abut_v3(0, 0, 0);
    }
    /* The same equations for rates: the slope changes by that of w. */
    const double sigma[2] = { s.sigma[0], s.sigma[1] };
    double rate[2] = { 0, 0 };
    const abut_vec3 w =
        abut_sub(v, rate_of_point(&body[1], &view[1], n, sigma[1], abut_cross(spin, body[1].axis), &rate[1]));
    m.g[0] = abut_dot(w, e[0]);
    m.g[1] = abut_dot(w, e[1]);
    const bool on_a = fabs(sigma[0]) < 1, on_b = fabs(sigma[1]) < 1;
    s.sigma[0] = s.sigma[1] = 0;
    if (!(on_a && on_b   ? abut_cylinders_on_kinks(&m, rate, &s)
          : on_a || on_b ? abut_cylinders_on_kink(&m, rate, on_b, &s)
                         : false)) {
        const double det = m.m[0] * m.m[2] - m.m[1] * m.m[1];
        if (on_a || on_b || !(det > 0))
            return abut_v3(0, 0, 0);
        s.d[0] = (m.m[2] * m.g[0] - m.m[1] * m.g[1]) / det;
        s.d[1] = (m.m[0] * m.g[1] - m.m[1] * m.g[0]) / det;
    }
    return abut_madd(abut_scale(s.d[0], e[0]), s.d[1], e[1]);
}
