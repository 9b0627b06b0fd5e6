/* SPDX-License-Identifier: MIT */
/* Two ellipsoids, or an ellipsoid and a ball, that translate: Newton's method on the plane through
 * which they meet; see linear_cast.h.
 *
 * A plane with normal n from a to b parts the bodies until it meets them; scaled so that n . v =
 * -|v|, that is at the time
 *     f(n) / |v|,   f(n) = n . t - h_a(n) - h_b(-n) - r |n|,
 * h the support functions of the cores. The time of contact is the largest of these times. n = p
 * - v / |v| has two unknowns, p across v, and f is concave in p: Newton's method with steps cut
 * down until they climb. Where the line of the origin misses the difference of the bodies f has
 * no largest value; then the climb soon passes the end of the stretch. Doubles find n, its plane
 * proves the bodies apart before, and a point common to both, or two points nearer than the
 * radii, the overlap after. */
#include "ccd/cast/linear_cast.h"

static const double u = 0x1p-53;

enum { MOST_STEPS = 24, MOST_CUTS = 6 };

typedef struct climber {
    const abut_linear_cast *c;
    abut_vec3 e[2], down; /* across v, and -v / |v| */
    /* squared semi-axes of b as a matrix in a's frame: xx, yy, zz, xy, xz, yz */
    double b[6];
    double a[3];
} climber;

typedef struct view {
    abut_vec3 n;
    double f, length;
    abut_vec3 ga, gb; /* squared matrices times n */
    double ha, hb;
    double slope[2];
} view;

bool abut_linear_cast_is_ellipsoid(const abut_convex_pair *pair)
{
    const int a = pair->a->kind, b = pair->b->kind;
    return (a == ABUT_CORE_ELLIPSOID && (b == ABUT_CORE_ELLIPSOID || b == ABUT_CORE_POINT)) ||
           (a == ABUT_CORE_POINT && b == ABUT_CORE_ELLIPSOID);
}

static inline abut_vec3 times_b(const climber *k, abut_vec3 n)
{
    const double *b = k->b;
    return abut_v3(b[0] * n.x + b[3] * n.y + b[4] * n.z, b[3] * n.x + b[1] * n.y + b[5] * n.z,
                   b[4] * n.x + b[5] * n.y + b[2] * n.z);
}

static inline __attribute__((always_inline)) void evaluate(const climber *k, double p, double q, view *out)
{
    const abut_linear_cast *c = k->c;
    const abut_vec3 n = abut_madd(abut_madd(k->down, p, k->e[0]), q, k->e[1]);
    out->n = n;
    out->ga = abut_v3(k->a[0] * n.x, k->a[1] * n.y, k->a[2] * n.z);
    out->gb = times_b(k, n);
    out->ha = sqrt(abut_dot(out->ga, n));
    out->hb = sqrt(abut_dot(out->gb, n));
    out->length = sqrt(abut_dot(n, n));
    out->f = abut_dot(n, c->pair.t) - out->ha - out->hb - c->pair.radii * out->length;
    abut_vec3 w = c->pair.t;
    if (out->ha > 0)
        w = abut_madd(w, -1 / out->ha, out->ga);
    if (out->hb > 0)
        w = abut_madd(w, -1 / out->hb, out->gb);
    w = abut_madd(w, -c->pair.radii / out->length, n);
    out->slope[0] = abut_dot(w, k->e[0]);
    out->slope[1] = abut_dot(w, k->e[1]);
}

/* Minus the second derivatives, of sqrt(n . M n): (M - g g' / h^2) / h. */
static inline void add_curve(double h, abut_vec3 g, const abut_vec3 m[2], const climber *k, double out[3])
{
    if (!(h > 0))
        return;
    const double g0 = abut_dot(g, k->e[0]) / h, g1 = abut_dot(g, k->e[1]) / h, inverse = 1 / h;
    out[0] += inverse * (abut_dot(m[0], k->e[0]) - g0 * g0);
    out[1] += inverse * (abut_dot(m[0], k->e[1]) - g0 * g1);
    out[2] += inverse * (abut_dot(m[1], k->e[1]) - g1 * g1);
}

/* Climbs from *v, at (p, q); false where it gets stuck. Stops once f is above `most`. */
static bool climb(const climber *k, double p, double q, double most, view *v, uint32_t *evaluations)
{
    const abut_linear_cast *c = k->c;
    const abut_vec3 *e = k->e;
    const abut_vec3 ma[2] = { { k->a[0] * e[0].x, k->a[1] * e[0].y, k->a[2] * e[0].z },
                              { k->a[0] * e[1].x, k->a[1] * e[1].y, k->a[2] * e[1].z } };
    const abut_vec3 mb[2] = { times_b(k, e[0]), times_b(k, e[1]) };
    for (int i = 0; i < MOST_STEPS; ++i) {
        double h[3] = { 0, 0, 0 };
        add_curve(v->ha, v->ga, ma, k, h);
        add_curve(v->hb, v->gb, mb, k, h);
        if (c->pair.radii > 0) {
            double ball[3] = { 0, 0, 0 };
            add_curve(v->length, v->n, e, k, ball);
            for (int j = 0; j < 3; ++j)
                h[j] += c->pair.radii * ball[j];
        }
        const double det = h[0] * h[2] - h[1] * h[1];
        if (!(det > 0))
            return false;
        const double inverse = 1 / det;
        double dp = inverse * (h[2] * v->slope[0] - h[1] * v->slope[1]);
        double dq = inverse * (h[0] * v->slope[1] - h[1] * v->slope[0]);
        const double gain = dp * v->slope[0] + dq * v->slope[1];
        if (!(gain > 0.25 * c->error * v->length))
            return true;
        int cuts = 0;
        for (;; ++cuts) {
            view next;
            evaluate(k, p + dp, q + dq, &next);
            ++*evaluations;
            if (next.f > v->f) {
                *v = next;
                break;
            }
            if (cuts == MOST_CUTS)
                return gain < 16 * c->error * v->length;
            dp *= 0.25;
            dq *= 0.25;
        }
        p += dp;
        q += dq;
        if (v->f > most)
            return true;
    }
    return false;
}

static void begin(const abut_linear_cast *c, climber *k)
{
    k->c = c;
    k->down = abut_scale(-1 / c->speed, c->v);
    const abut_vec3 z = k->down;
    const abut_vec3 side = fabs(z.x) > 0.6 ? abut_v3(-z.y, z.x, 0) : abut_v3(0, -z.z, z.y);
    k->e[0] = abut_scale(1 / sqrt(abut_dot(side, side)), side);
    k->e[1] = abut_cross(z, k->e[0]);
    const double *ha = c->pair.a->h, *hb = c->pair.b->h;
    const double(*r)[3] = c->pair.r.m;
    const bool solid_a = c->pair.a->kind == ABUT_CORE_ELLIPSOID;
    const bool solid_b = c->pair.b->kind == ABUT_CORE_ELLIPSOID;
    static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
    for (int i = 0; i < 3; ++i)
        k->a[i] = solid_a ? ha[i] * ha[i] : 0;
    for (int i = 0; i < 6; ++i) {
        k->b[i] = 0;
        for (int j = 0; j < 3 && solid_b; ++j)
            k->b[i] += r[row[i]][j] * r[column[i]][j] * (hb[j] * hb[j]);
    }
}

/* Proved: an overlap at s. */
static bool overlaps(const abut_linear_cast *c, const abut_linear_cast_hit *hit, const abut_vec3 *y, double s)
{
    const double error = c->error + s * c->slip;
    const abut_vec3 w = abut_sub(abut_madd(*y, s, c->v), hit->x);
    if (c->pair.radii > 0)
        return sqrt(abut_dot(w, w)) * (1 + 8 * u) + error < c->pair.radii * (1 - 2 * u);
    abut_convex_pair then = c->pair;
    then.t = abut_madd(c->pair.t, s, c->v);
    then.error = error;
    return abut_convex_common_point(&then, abut_madd(hit->x, 0.5, w));
}

static abut_linear_cast_end finish(abut_linear_cast *c, const view *v, const abut_linear_cast_line *plane,
                                   double clear, abut_linear_cast_hit *out)
{
    /* The points of contact: of a, and of b as it stood at the start. */
    abut_vec3 y = c->pair.t;
    out->x = abut_v3(0, 0, 0);
    if (v->ha > 0)
        out->x = abut_scale(1 / v->ha, v->ga);
    if (v->hb > 0)
        y = abut_madd(y, -1 / v->hb, v->gb);
    double s = clear;
    for (int i = 0; i < 6; ++i) {
        s += (8 << i) * (c->error + s * c->slip) / -plane->slope;
        out->time.hi = c->lo + s;
        if (!(out->time.hi < c->hi))
            return ABUT_SLIDE_UNSURE;
        const double since = out->time.hi - c->lo; /* off by u of itself, which `slip` has */
        if (overlaps(c, out, &y, since)) {
            out->s = clear;
            out->x = abut_madd(out->x, c->pair.a->radius, out->n);
            out->features[0] = out->features[1] = ABUT_FEATURE_FACE;
            out->several = false;
            return ABUT_SLIDE_HIT;
        }
    }
    return ABUT_SLIDE_UNSURE;
}

abut_linear_cast_end abut_linear_cast_ellipsoid(abut_linear_cast *c, abut_linear_cast_hit *out)
{
    climber k;
    view v;
    begin(c, &k);
    const double most = c->most * (1 + 4 * u), along = abut_dot(c->pair.t, k.down);
    double p = 0, q = 0;
    if (along > 0x1p-4 * c->far) { /* the line of centres, if it comes near enough */
        p = abut_dot(c->pair.t, k.e[0]) / along;
        q = abut_dot(c->pair.t, k.e[1]) / along;
    }
    evaluate(&k, p, q, &v);
    ++out->evaluations;
    if (!climb(&k, p, q, most * c->speed + 16 * c->error * v.length, &v, &out->evaluations))
        return ABUT_SLIDE_UNSURE;
    out->n = abut_scale(1 / v.length, v.n);
    abut_linear_cast_line plane;
    abut_linear_cast_plane(c, &out->n, 0, 0, &plane);
    const double clear = abut_linear_cast_clear(&plane, most);
    if (clear >= most)
        return ABUT_SLIDE_MISS;
    if (!(clear > 0) || !(plane.slope < 0) || !abut_linear_cast_time_before(c->lo, clear, &out->time.lo))
        return ABUT_SLIDE_UNSURE;
    return finish(c, &v, &plane, clear, out);
}
