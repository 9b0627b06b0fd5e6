/* SPDX-License-Identifier: MIT */
/* Segment against segment, or a point where a height is 0: the cores of capsules. |t + q B - p A|^2
 * has its least value on the square of p and q in closed form (D. Sunday; C. Ericson, Real-Time
 * Collision Detection, 2005, 5.1.9); the separation along the difference w of the two points found
 * says how near to nearest they are.
 *
 * Segments that cross, or nearly so, have no direction of their own: the normal is then
 * perpendicular to both, and capsules that cross have the sum of their radii for depth. */
#include "narrow/convex/closed.h"

static const double u = 0x1p-53;

static double clamp(double x)
{
    return x < -1 ? -1 : x > 1 ? 1 : x;
}

/* The determinant aa bb - ab^2 is |A x B|^2, and s is (A x B) . (d x B) over it: the products
 * cancel where the segments are nearly parallel, the vectors do not, since A has one coordinate
 * only. What is left of the slope is then a few u, whatever the angle, because det (s - s*)
 * counts, not s - s*. */
static void nearest(abut_vec3 d, abut_vec3 a, abut_vec3 b, double *s, double *t)
{
    const double aa = abut_dot(a, a), bb = abut_dot(b, b), ab = abut_dot(a, b), ad = abut_dot(a, d),
                 bd = abut_dot(b, d);
    const abut_vec3 n = abut_cross(a, b);
    const double det = abut_dot(n, n);
    *s = det > 0x1p-100 * (aa * bb) ? clamp(abut_dot(n, abut_cross(d, b)) / det)
         : aa > 0                   ? clamp(ad / aa)
                                    : 0;
    *t = bb > 0 ? clamp((*s * ab - bd) / bb) : 0;
    if (aa > 0)
        *s = clamp((*t * ab + ad) / aa);
}

/* Perpendicular to both, as far as they have directions. */
static abut_vec3 across(const abut_convex_pair *pair, abut_vec3 a, abut_vec3 b)
{
    const abut_mat3 *r = &pair->r;
    const abut_vec3 own = a.z != 0 ? abut_v3(1, 0, 0) : abut_v3(r->m[0][0], r->m[1][0], r->m[2][0]);
    const abut_vec3 n = abut_cross(a, b);
    const double square = abut_dot(n, n), least = 0x1p-80 * abut_dot(a, a) * abut_dot(b, b);
    const abut_vec3 unit = square > least && square > 0x1p-900 ? abut_scale(1 / sqrt(square), n) : own;
    return abut_dot(unit, pair->t) < 0 ? abut_v3(-unit.x, -unit.y, -unit.z) : unit;
}

void abut_closed_segments(const abut_convex_pair *pair, abut_convex_answer *out)
{
    const double ha = pair->a->h[2], hb = pair->b->h[2];
    const abut_vec3 a = { 0, 0, ha };
    const abut_vec3 b = { hb * pair->r.m[0][2], hb * pair->r.m[1][2], hb * pair->r.m[2][2] };
    const abut_vec3 d = pair->t;
    double s, t;
    nearest(d, a, b, &s, &t);
    out->x = abut_v3(0, 0, s * ha);
    out->y = abut_madd(d, t, b);
    const abut_vec3 w = abut_sub(out->y, out->x);
    const double square = abut_dot(w, w), length = sqrt(square), size = ha + hb + length;
    out->lo = -INFINITY;
    out->hi = length * (1 + 4 * u) + pair->error;
    out->supports = 1;
    out->iterations = 0;
    if (square > 0x1p-600) {
        out->normal = abut_scale(1 / length, w);
        out->lo = abut_dot(out->normal, d) - ha * fabs(out->normal.z) - fabs(abut_dot(out->normal, b)) -
                  pair->error;
    }
    if (!(length > 0x1p-20 * size)) {
        const abut_vec3 n = across(pair, a, b);
        const double lo = abut_dot(n, d) - ha * fabs(n.z) - fabs(abut_dot(n, b)) - pair->error;
        if (lo > out->lo) {
            out->lo = lo;
            out->normal = n;
        }
    }
}
