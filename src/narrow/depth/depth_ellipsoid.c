/* SPDX-License-Identifier: MIT */
/* The depth of two ellipsoids, or of an ellipsoid and a point, in each other: Newton's method on
 * the sphere of directions and tests that its end is the least of all.
 *
 * With A = D_a and B = D_b R^T, f(u) = |A u| + |B u| + t . u is to be least (u = -n; see
 * depth.c). For any orthogonal S the body E = t + N^T (unit ball), N = A + S B, is an ellipsoid
 * inside K, because |N u| <= |A u| + |B u|; with S B u along A u they touch at u. That the ball
 * of radius f lies in E, not only touches it, is one condition on matrices (the S-lemma): N N^T
 * >= f |N u| I. It holds for about 19 pairs in 20. For the others E holds a cap of the ball
 * about u, mostly more than half of it, and single points of K are far enough out for the rest,
 * which is cut into cells. docs/notes/depth.md derives both, the choice of S, and what rounding
 * does. What is not proved is left to the polytope. */
#include "narrow/depth/depth.h"

enum { MOST_STEPS = 24, MOST_ROUNDS = 4, MOST_SUPPORTS = 180 };

typedef struct problem {
    abut_mat3 a, b;   /* A, B; symmetric squares below */
    abut_mat3 aa, bb; /* A^T A, B^T B */
    bool two;         /* b is not a point */
    abut_vec3 t;
} problem;

/* What a direction tells. */
typedef struct view {
    double la, lb, f; /* |A u|, |B u|, f */
    double ia, ib;    /* 1 / la, 1 / lb, or 0 */
    abut_vec3 u;      /* unit */
    abut_vec3 x, y;   /* A^T A u / la, B^T B u / lb */
    abut_vec3 w;      /* x + y + t: f is u . w */
} view;

/* The symmetric products of the columns of m, or of its rows. */
static inline void gram(const abut_mat3 *m, bool rows, abut_mat3 *out)
{
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            double sum = 0;
            for (int k = 0; k < 3; ++k)
                sum += rows ? m->m[i][k] * m->m[j][k] : m->m[k][i] * m->m[k][j];
            out->m[i][j] = out->m[j][i] = sum;
        }
}

static void set(problem *p, const abut_convex_pair *pair)
{
    /* Where one is a point it is b: u and t both change sign. */
    const bool swap = pair->a->kind == ABUT_CORE_POINT;
    const abut_core *a = swap ? pair->b : pair->a, *b = swap ? pair->a : pair->b;
    p->two = b->kind == ABUT_CORE_ELLIPSOID;
    p->t = pair->t;
    abut_mat3 *turned = swap ? &p->a : &p->b;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            turned->m[i][j] = pair->b->h[i] * pair->r.m[j][i];
            if (!swap) {
                p->a.m[i][j] = i == j ? a->h[i] : 0;
                p->aa.m[i][j] = i == j ? a->h[i] * a->h[i] : 0;
            }
        }
    if (swap)
        gram(&p->a, false, &p->aa);
    if (p->two)
        gram(&p->b, false, &p->bb);
    else
        p->b = p->bb = (abut_mat3){ 0 };
}

/* Along u / |u|, where over = 1 / |u|. Only u and f need it: x and y are the same for all
 * lengths, so that the root for it and those here wait for nothing of each other. */
static inline void evaluate(const problem *p, abut_vec3 u, double over, view *v)
{
    const abut_vec3 a = abut_mul(&p->aa, u), b = abut_mul(&p->bb, u);
    const double la = sqrt(abut_dot(u, a)), lb = p->two ? sqrt(abut_dot(u, b)) : 0;
    const double ia = 1 / la, ib = p->two ? 1 / lb : 0, length = 1 / over;
    v->x = abut_scale(ia, a);
    v->y = abut_scale(ib, b);
    v->w = abut_add(abut_add(v->x, v->y), p->t);
    v->f = over * abut_dot(u, v->w);
    v->u = abut_scale(over, u);
    v->la = la * over;
    v->lb = lb * over;
    v->ia = ia * length;
    v->ib = ib * length;
}

/* ---- Newton's method ---- */

/* Two directions across u and each other, without a root (T. Duff et al., Building an
 * orthonormal basis, revisited, JCGT 2017). */
static inline void tangents(abut_vec3 u, abut_vec3 *e, abut_vec3 *g)
{
    const double s = copysign(1, u.z), a = -1 / (s + u.z), b = u.x * u.y * a;
    *e = abut_v3(1 + s * u.x * u.x * a, s * b, -s * u.x);
    *g = abut_v3(b, s + u.y * u.y * a, -u.y);
}

/* The step in the tangent plane, and the square of its length; where f curves down it is made to go
 * down all the same.
 *
 * Across u, f has the gradient w and the second derivatives H = (A^T A - x x^T) / |A u| + (B^T B
 * - y y^T) / |B u| - f I. In a plane the inverse is the adjugate over the determinant: a quarter
 * turn, H, and a turn back, which are products with u; the determinant is u . adj(H) u. No basis
 * of the plane is needed, and no division before the last. */
static inline abut_vec3 step(const problem *p, const view *v, double *size)
{
    const abut_vec3 u = v->u, x = v->x, y = v->y;
    const double(*aa)[3] = p->aa.m, (*bb)[3] = p->bb.m, ia = v->ia, ib = v->ib, f = v->f;
    const double xx = (aa[0][0] - x.x * x.x) * ia + (bb[0][0] - y.x * y.x) * ib - f,
                 yy = (aa[1][1] - x.y * x.y) * ia + (bb[1][1] - y.y * y.y) * ib - f,
                 zz = (aa[2][2] - x.z * x.z) * ia + (bb[2][2] - y.z * y.z) * ib - f,
                 xy = (aa[0][1] - x.x * x.y) * ia + (bb[0][1] - y.x * y.y) * ib,
                 xz = (aa[0][2] - x.x * x.z) * ia + (bb[0][2] - y.x * y.z) * ib,
                 yz = (aa[1][2] - x.y * x.z) * ia + (bb[1][2] - y.y * y.z) * ib;
    const abut_vec3 adjoint = {
        (yy * zz - yz * yz) * u.x + (xz * yz - xy * zz) * u.y + (xy * yz - xz * yy) * u.z,
        (xz * yz - xy * zz) * u.x + (xx * zz - xz * xz) * u.y + (xy * xz - xx * yz) * u.z,
        (xy * yz - xz * yy) * u.x + (xy * xz - xx * yz) * u.y + (xx * yy - xy * xy) * u.z
    };
    const abut_vec3 hu = { xx * u.x + xy * u.y + xz * u.z, xy * u.x + yy * u.y + yz * u.z,
                           xz * u.x + yz * u.y + zz * u.z };
    const abut_vec3 q = abut_cross(u, v->w),
                    hq = { xx * q.x + xy * q.y + xz * q.z, xy * q.x + yy * q.y + yz * q.z,
                           xz * q.x + yz * q.y + zz * q.z };
    abut_vec3 z = abut_cross(u, hq);
    double det = abut_dot(u, adjoint);
    /* Where the lesser eigenvalue is small or negative, both are raised. */
    const double mean = 0.5 * (xx + yy + zz - abut_dot(u, hu));
    if (!(mean > 0 && det > 0.2 * mean * mean)) {
        const double square = mean * mean - det, spread = square > 0 ? sqrt(square) : 0;
        const double least = mean - spread, floor = 0.05 * (fabs(mean) + spread);
        const double shift = least < floor ? floor - least : 0;
        det += shift * (2 * mean + shift);
        z = abut_madd(z, shift, abut_cross(u, q));
    }
    z = abut_scale(1 / det, z);
    *size = abut_dot(z, z);
    if (*size > 0.49) {
        z = abut_scale(0.7 / sqrt(*size), z);
        *size = 0.49;
    }
    return z;
}

/* Descends from unit u to a local minimum. The last step is shorter than the root of `last`;
 * with 1e-5 the direction is good to some 1e-10 and f to its square. */
static void descend(const problem *p, abut_vec3 u, double last, view *v, uint32_t *supports)
{
    evaluate(p, u, 1, v);
    for (int k = 0; k < MOST_STEPS && *supports < MOST_SUPPORTS; ++k) {
        double size;
        const abut_vec3 z = step(p, v, &size);
        if (!(size > 1e-30))
            return;
        view next;
        double part = 1;
        int halvings = 0;
        do {
            evaluate(p, abut_madd(v->u, part, z), 1 / sqrt(1 + part * part * size), &next);
            ++*supports;
            part *= 0.5;
        } while (!(next.f <= v->f) && size > 1e-12 && ++halvings < 6);
        if (!(next.f <= v->f) && size > 1e-12)
            return;
        *v = next;
        if (size < last)
            return;
    }
}

/* ---- the certificate ---- */

/* B turned so that B u comes to lie along A u: its rows along that direction x and along two
 * directions across it, where one turn is still free. */
typedef struct aligned {
    abut_vec3 x, e, g;    /* orthonormal */
    abut_vec3 bx, be, bg; /* x . B, e . B, g . B after the turn */
    double c[2],
        /* the free turn, and the one after a reflection, that make the trace of A^T S B largest */
        s[2];
    int better; /* of these two */
} aligned;

static inline aligned align(const problem *p, const view *v)
{
    aligned k;
    const abut_vec3 y = abut_scale(v->ib, abut_mul(&p->b, v->u));
    k.x = abut_scale(v->ia, abut_mul(&p->a, v->u));
    tangents(k.x, &k.e, &k.g);
    /* The reflection that takes y to x takes row i of B to row i - 2 h_i (h . B) / h . h. */
    const abut_vec3 h = abut_sub(y, k.x), hb = abut_mul_t(&p->b, h);
    const double square = abut_dot(h, h), twice = square > 0x1p-90 ? -2 / square : 0;
    k.bx = abut_madd(abut_mul_t(&p->b, k.x), twice * abut_dot(h, k.x), hb);
    k.be = abut_madd(abut_mul_t(&p->b, k.e), twice * abut_dot(h, k.e), hb);
    k.bg = abut_madd(abut_mul_t(&p->b, k.g), twice * abut_dot(h, k.g), hb);
    const abut_vec3 ae = abut_mul_t(&p->a, k.e), ag = abut_mul_t(&p->a, k.g);
    const double ee = abut_dot(ae, k.be), eg = abut_dot(ae, k.bg), ge = abut_dot(ag, k.be),
                 gg = abut_dot(ag, k.bg);
    double trace[2];
    for (int flip = 0; flip < 2; ++flip) {
        const double c = flip ? ee - gg : ee + gg, s = flip ? eg + ge : eg - ge;
        trace[flip] = sqrt(c * c + s * s);
        k.c[flip] = trace[flip] > 0 ? c / trace[flip] : 1;
        k.s[flip] = trace[flip] > 0 ? s / trace[flip] : 0;
    }
    k.better = trace[1] > trace[0];
    return k;
}

/* N = A + S B, the free turn of S off the one of largest trace by an angle of that cosine and
 * sine. */
static inline abut_mat3 inner(const problem *p, const aligned *k, int flip, double cosine, double sine)
{
    const double c = k->c[flip] * cosine - k->s[flip] * sine, s = k->s[flip] * cosine + k->c[flip] * sine;
    const double sign = flip ? -1 : 1;
    const abut_vec3 re = abut_add(abut_scale(c, k->be), abut_scale(s, k->bg));
    const abut_vec3 rg = abut_add(abut_scale(-sign * s, k->be), abut_scale(sign * c, k->bg));
    const double ei[3] = { k->e.x, k->e.y, k->e.z }, gi[3] = { k->g.x, k->g.y, k->g.z },
                 xi[3] = { k->x.x, k->x.y, k->x.z };
    abut_mat3 n = p->a;
    for (int i = 0; i < 3; ++i) {
        n.m[i][0] += ei[i] * re.x + gi[i] * rg.x + xi[i] * k->bx.x;
        n.m[i][1] += ei[i] * re.y + gi[i] * rg.y + xi[i] * k->bx.y;
        n.m[i][2] += ei[i] * re.z + gi[i] * rg.z + xi[i] * k->bx.z;
    }
    return n;
}

/* Is m - shift I positive definite, by its pivots? */
static inline bool is_above(const abut_mat3 *m, double shift)
{
    const double a = m->m[0][0] - shift, b = m->m[0][1], c = m->m[0][2];
    if (!(a > 0))
        return false;
    const double d = m->m[1][1] - shift - b * b / a, e = m->m[1][2] - b * c / a;
    return d > 0 && m->m[2][2] - shift - c * c / a - e * e / d > 0;
}

/* Radius of a ball about the origin inside t + N^T (unit ball), and so inside K but for rounding
 * (4 pair->error); 0 where the direction is not good enough for a proof, negative where there is
 * none. */
static double inside(const problem *p, const abut_mat3 *n, const view *v, double level)
{
    abut_mat3 nn;
    gram(n, true, &nn);
    const double guard = 0x1p-44 * (nn.m[0][0] + nn.m[1][1] + nn.m[2][2]);
    double margin = 0x1p-12;
    if (!is_above(&nn, level * (1 + margin) + guard)) {
        /* Where the condition holds as an equation, as for two minima opposite each other, a
         * level a little lower leaves a margin at a small price. */
        margin = 0x1p-36;
        level *= 1 - 0x1p-35;
        if (!is_above(&nn, level * (1 + margin) + guard))
            return -1;
    }
    const abut_vec3 nu = abut_mul(n, v->u), y = abut_scale(1 / sqrt(abut_dot(nu, nu)), nu);
    const abut_vec3 w = abut_add(p->t, abut_mul_t(n, y));
    const abut_vec3 rest = abut_sub(abut_scale(1 / level, abut_mul(n, w)), y);
    const double far = abut_dot(w, w), loss = level * abut_dot(rest, rest);
    /* A larger margin helps where the direction is not quite at the bottom. */
    while (margin >= 0x1p-12 && margin < 16 && loss > 0x1p-36 * far * margin &&
           is_above(&nn, level * (1 + 16 * margin) + guard))
        margin *= 16;
    const double square = far - loss / margin;
    return square > 0 ? sqrt(square) : 0;
}

/* Cosines and sines of multiples of 22.5 degrees. */
static const double turns[][2] = { { 1, 0 },
                                   { 0.9238795325112867, 0.3826834323650898 },
                                   { 0.9238795325112867, -0.3826834323650898 },
                                   { 0.7071067811865476, 0.7071067811865476 },
                                   { 0.7071067811865476, -0.7071067811865476 },
                                   { 0.3826834323650898, 0.9238795325112867 },
                                   { 0.3826834323650898, -0.9238795325112867 } };

/* The same for the best of some N. */
static double certify(const problem *p, const view *v)
{
    const double level = v->f * (v->la + v->lb);
    if (!(level > 0))
        return -1;
    if (!p->two)
        return inside(p, &p->a, v, level);
    const aligned k = align(p, v);
    for (size_t i = 0; i < sizeof turns / sizeof *turns; ++i) {
        const abut_mat3 n = inner(p, &k, k.better, turns[i][0], turns[i][1]);
        const double radius = inside(p, &n, v, level);
        if (radius >= 0)
            return radius;
    }
    return -1;
}

/* ---- a cap ---- */

/* Where E holds not the whole ball but its points x = r v with u . v >= c. docs/notes/depth.md:
 * with D the inverse of N^T N, rho = 1 / (f |N u|), C = (1 - c) / 2, it is enough that
 *     (rho - tau C) I + tau u u^T >= D
 * for some tau >= 0. */
typedef struct cap {
    double c, tau, lambda; /* lambda = rho - tau C */
} cap;

/* The largest for an N, by the Schur complement across u: tau C may be anything below s, what
 * rho leaves above D across u. Doubles, to be proved. */
static cap widest(const abut_mat3 *n, const view *v, double level)
{
    static const double shares[] = { 0.3, 0.6, 0.85 };
    cap best = { .c = 2 };
    abut_mat3 q;
    gram(n, false, &q);
    const abut_vec3 r0 = { q.m[0][0], q.m[0][1], q.m[0][2] }, r1 = { q.m[1][0], q.m[1][1], q.m[1][2] },
                    r2 = { q.m[2][0], q.m[2][1], q.m[2][2] };
    const abut_vec3 d0 = abut_cross(r1, r2), d1 = abut_cross(r2, r0), d2 = abut_cross(r0, r1);
    const double over = 1 / abut_dot(r0, d0), rho = 1 / level;
    const abut_mat3 d = { { { d0.x, d0.y, d0.z }, { d1.x, d1.y, d1.z }, { d2.x, d2.y, d2.z } } };
    abut_vec3 e, g;
    tangents(v->u, &e, &g);
    const abut_vec3 de = abut_scale(over, abut_mul(&d, e)), dg = abut_scale(over, abut_mul(&d, g)),
                    du = abut_scale(over, abut_mul(&d, v->u));
    const double ee = abut_dot(e, de), gg = abut_dot(g, dg), eg = abut_dot(e, dg), ue = abut_dot(v->u, de),
                 ug = abut_dot(v->u, dg), uu = abut_dot(v->u, du);
    const double half = 0.5 * (ee - gg), s = rho - 0.5 * (ee + gg) - sqrt(half * half + eg * eg);
    if (!(s > 0))
        return best;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; ++i) {
        const double given = shares[i] * s, a = rho - given - ee, b = rho - given - gg;
        const double lack = (ue * ue * b + 2 * ue * ug * eg + ug * ug * a) / (a * b - eg * eg) + uu - rho;
        const double size = lack > 0 ? given / (given + lack) : 1, c = 1 - 2 * 0.98 * size;
        if (c < best.c)
            best = (cap){ c, given / size, rho - 0.98 * given };
    }
    return best;
}

/* Proves it, for the radius r. */
static bool holds(const problem *p, const abut_mat3 *n, const cap *k, abut_vec3 u, double r)
{
    static const double margins[] = { 0x1p-10, 0x1p-16, 0x1p-22 };
    abut_mat3 m;
    gram(n, true, &m);
    const abut_vec3 nu = abut_mul(n, u), y = abut_scale(1 / sqrt(abut_dot(nu, nu)), nu);
    const abut_vec3 x = abut_add(p->t, abut_mul_t(n, y));
    const double nui[3] = { nu.x, nu.y, nu.z }, size = sqrt(m.m[0][0] + m.m[1][1] + m.m[2][2]);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m.m[i][j] = k->lambda * m.m[i][j] + k->tau * nui[i] * nui[j];
    const double guard = 0x1p-44 * (m.m[0][0] + m.m[1][1] + m.m[2][2]);
    const double s = abut_dot(u, x), xx = abut_dot(x, x);
    const abut_vec3 rest = abut_madd(abut_sub(abut_scale(k->lambda, abut_mul(n, x)), y),
                                     0.5 * k->tau * (2 * s - r * (1 + k->c)), nu);
    const double reach = r + sqrt(abut_dot(p->t, p->t)) + size, weight = k->lambda + 2 * k->tau;
    const double value =
        k->lambda * (xx - r * r) - k->tau * (r - s) * (s - k->c * r) - 0x1p-48 * (1 + weight * r * reach);
    const double slope = sqrt(abut_dot(rest, rest)) + 0x1p-49 * (1 + weight * size * reach);
    for (size_t i = 0; i < sizeof margins / sizeof *margins; ++i)
        if (is_above(&m, 1 + margins[i] + guard))
            return value > slope * slope / margins[i];
    return false;
}

/* ---- a disc ---- */

/* |A v| about unit m, for v = m + d, d = s e + y g across m: with the slope x and the form q^2 = |A
 * d|^2 less its part along A m it is at least
 *     l + x . d + q^2 / (2 l) - q^2 (x . d) / (2 l^2) - rest |d|^4. */
typedef struct bend {
    double ss, sy, yy;         /* q^2 / l */
    double sss, ssy, syy, yyy; /* q^2 (x . d) / (2 l^2) */
    double rest;
} bend;

static bend bend_at(const abut_mat3 *aa, abut_vec3 x, double l, abut_vec3 e, abut_vec3 g, double h)
{
    const abut_vec3 ae = abut_mul(aa, e), ag = abut_mul(aa, g);
    const double xs = abut_dot(x, e), xy = abut_dot(x, g), over = 1 / l, part = 0.5 * over;
    const double ss = abut_dot(e, ae) - xs * xs, sy = abut_dot(e, ag) - xs * xy,
                 yy = abut_dot(g, ag) - xy * xy;
    bend k = { .ss = ss * over, .sy = sy * over, .yy = yy * over };
    k.sss = part * k.ss * xs;
    k.ssy = part * (k.ss * xy + 2 * k.sy * xs);
    k.syy = part * (k.yy * xs + 2 * k.sy * xy);
    k.yyy = part * k.yy * xy;
    const double half = 0.5 * (ss - yy), most = 0.5 * (ss + yy) + sqrt(half * half + sy * sy);
    const double least = l - sqrt(xs * xs + xy * xy) * h;
    k.rest = least > 0 ? most * most / (8 * least * least * least) : INFINITY;
    return k;
}

/* The directions across m along which f bends least and most. */
static void bending(const problem *p, const view *v, abut_vec3 *least, abut_vec3 *most)
{
    abut_vec3 e, g;
    tangents(v->u, &e, &g);
    const bend a = bend_at(&p->aa, v->x, v->la, e, g, 0),
               b = p->two ? bend_at(&p->bb, v->y, v->lb, e, g, 0) : (bend){ .ss = 0 };
    const double half = 0.5 * (a.ss + b.ss - a.yy - b.yy), mixed = a.sy + b.sy,
                 size = sqrt(half * half + mixed * mixed), ratio = size > 0 ? 0.5 * half / size : 0.5;
    /* Turned from e by half the angle of (half, mixed). */
    const double cosine = sqrt(0.5 + ratio), sine = copysign(sqrt(0.5 - ratio > 0 ? 0.5 - ratio : 0), mixed);
    *most = abut_madd(abut_scale(cosine, e), sine, g);
    *least = abut_madd(abut_scale(cosine, g), -sine, e);
}

/* The least of s -> g s + b s^2 / 2 - c s^3 for |s| <= h: at an end, or where the derivative
 * passes zero upwards. */
static double least_of(double g, double b, double c, double h)
{
    const double ends = 0.5 * b * h * h - fabs(h * (g - c * h * h)), root = b * b + 12 * c * g;
    if (!(root > 0) || !(b + sqrt(root) > 0))
        return ends;
    const double s = -2 * g / (b + sqrt(root)), inner = s * (g + s * (0.5 * b - c * s));
    return fabs(s) < h && inner < ends ? inner : ends;
}

/* Is f(v) >= r for all v / |v| within the angle atan h of unit m? With |v| <= 1 + d^2 / 2 - d^4
 * / 8 + d^6 / 16, f - r |v| is bounded below by a polynomial of d; along y it bends more, and a
 * parabola bounds it there, along s a cubic (docs/notes/depth.md). */
static bool is_deep_around(const problem *p, abut_vec3 m, double h, double r)
{
    view v;
    abut_vec3 s, y;
    evaluate(p, m, 1, &v);
    bending(p, &v, &s, &y);
    const bend a = bend_at(&p->aa, v.x, v.la, s, y, h),
               b = p->two ? bend_at(&p->bb, v.y, v.lb, s, y, h) : (bend){ .ss = 0 };
    const double fourth = a.rest + b.rest - 0.125 * r * (1 - 0.5 * h * h);
    const double taken = 2 * (fourth > 0 ? fourth : 0) * h * h + fabs(a.sy + b.sy), ssy = a.ssy + b.ssy;
    const double gs = abut_dot(v.w, s), gy = abut_dot(v.w, y), pull = fabs(gy) + fabs(ssy) * h * h;
    const double by = a.yy + b.yy - r - taken - 2 * h * (fabs(a.syy + b.syy) + fabs(a.yyy + b.yyy));
    double bs = a.ss + b.ss - r - taken, least = v.f - r;
    if (by * h > pull) {
        least -= 0.5 * gy * gy / by;
        bs += (2 * gy * ssy - ssy * ssy * h * h) / by;
    } else {
        least += h * (0.5 * by * h - pull);
    }
    least += least_of(gs, bs, a.sss + b.sss, h);
    const double size = v.la + v.lb + sqrt(abut_dot(p->t, p->t)) + r;
    return least > 0x1p-44 * size * (1 + h * h);
}

/* The widest of some discs about u; the cosine of its angle, 1 where there is none. */
static double disc_at(const problem *p, abut_vec3 u, double r, uint32_t *supports)
{
    for (double h = 0.2; h > 1e-4; h *= 0.4) {
        ++*supports;
        if (is_deep_around(p, u, 1.0001 * h, r))
            return 1 / sqrt(1 + h * h);
    }
    return 1;
}

/* ---- the rest of the sphere ---- */

/* Directions: a cone over four corners, one after the other around it. */
typedef struct cell {
    abut_vec3 v[4]; /* unit */
} cell;

/* All corners, and so the whole cell: the points of { v : w . v >= r |v| } are a convex cone,
 * for r >= 0. */
static inline bool reaches(abut_vec3 w, const cell *c, double r)
{
    const double p = abut_dot(w, c->v[0]), q = abut_dot(w, c->v[1]), s = abut_dot(w, c->v[2]),
                 t = abut_dot(w, c->v[3]);
    return (p < q ? p : q) >= r && (s < t ? s : t) >= r;
}

static inline abut_vec3 middle(abut_vec3 a, abut_vec3 b)
{
    const abut_vec3 sum = abut_add(a, b);
    return abut_scale(1 / sqrt(abut_dot(sum, sum)), sum);
}

/* Across the side that is longer for its distance from u, where f hardly rises: further out
 * there is more room. A side towards u is cut where the distance is the geometric mean of that
 * of its ends. */
static inline void halve(const cell *c, abut_vec3 u, cell out[2])
{
    double away[4], side[4];
    for (int i = 0; i < 4; ++i)
        away[i] = 1.0001 - abut_dot(u, c->v[i]);
    for (int i = 0; i < 4; ++i) {
        const double a = away[i], b = away[(i + 1) % 4];
        side[i] = (1 - abut_dot(c->v[i], c->v[(i + 1) % 4])) / (a < b ? a : b);
    }
    const int i = side[0] + side[2] > side[1] + side[3] ? 0 : 1;
    const abut_vec3 p = c->v[i], q = c->v[i + 1], r = c->v[i + 2], s = c->v[(i + 3) % 4];
    /* Distances are as the roots of `away`. */
    const double pq = sqrt(sqrt(away[i] / away[i + 1])), rs = sqrt(sqrt(away[i + 2] / away[(i + 3) % 4]));
    const abut_vec3 m = middle(p, abut_scale(pq, q)), n = middle(r, abut_scale(rs, s));
    out[0] = (cell){ { p, m, n, s } };
    out[1] = (cell){ { m, q, r, n } };
}

/* f(v) >= r all over the cell, by the disc about m that holds it. */
static bool is_in_disc(const problem *p, const cell *c, abut_vec3 m, double r)
{
    const double k = fmin(fmin(abut_dot(m, c->v[0]), abut_dot(m, c->v[1])),
                          fmin(abut_dot(m, c->v[2]), abut_dot(m, c->v[3])));
    const double square = 1 - k * k;
    return k > 0.96 && is_deep_around(p, m, 1.0001 * sqrt((square > 0 ? square : 0) + 0x1p-40) / k, r);
}

/* Cells around what the cap leaves; c: its cosine. They are turned so that one edge is about
 * across t. */
static int around(abut_vec3 u, abut_vec3 t, double c, cell out[6])
{
    static const double x[6] = { 1, -1, -1, 1, 0, 0 }, y[6] = { 1, 1, -1, -1, 1, -1 };
    abut_vec3 e, g, upper[4], lower[6];
    tangents(u, &e, &g);
    const double te = abut_dot(t, e), tg = abut_dot(t, g), size = sqrt(te * te + tg * tg);
    const double cosine = size > 0 ? -te / size : 1, sine = size > 0 ? -tg / size : 0;
    const abut_vec3 m = abut_madd(abut_scale(cosine, e), sine, g),
                    n = abut_madd(abut_scale(-sine, e), cosine, g);
    const bool far = c < -0.34; /* cells about -u hold it */
    const double down = far ? c : -0.4, by = far ? 1.0001 * sqrt(1 - c * c) : 0.9165 * 0.7072;
    const double up = c > -1e-9 ? c + 1e-9 : 0, wide = 0.7071 * sqrt(1 - up * up); /* in the cap */
    for (int i = 0; i < 6; ++i) {
        const abut_vec3 side = abut_madd(abut_scale(x[i], m), y[i], n);
        if (i < 4)
            upper[i] = middle(abut_scale(up, u), abut_scale(wide, side));
        lower[i] = middle(abut_scale(down, u), abut_scale(by, side));
    }
    out[0] = (cell){ { lower[3], lower[5], lower[4], lower[0] } };
    out[1] = (cell){ { lower[5], lower[2], lower[1], lower[4] } };
    for (int i = 0; !far && i < 4; ++i)
        out[i + 2] = (cell){ { upper[i], upper[(i + 1) % 4], lower[(i + 1) % 4], lower[i] } };
    return far ? 2 : 6;
}

/* Is f(v) >= r for all v outside the cap about u? f(-v) <= f(v) where t . v >= 0, so only t . v
 * <= 0 counts. *shallow: where it is not, or zero. */
static bool covers(const problem *p, abut_vec3 u, double c, double r, uint32_t *supports, abut_vec3 *shallow)
{
    enum { MOST_CELLS = 40 };
    struct {
        cell c;
        abut_vec3 w; /* of the cell that it is a half of */
    } stack[MOST_CELLS];
    cell first[6];
    const bool apart = abut_dot(p->t, p->t) > 0; /* of one centre no half is the lesser one */
    int count = around(u, p->t, c, first);
    for (int i = 0; i < count; ++i) {
        stack[i].c = first[i];
        stack[i].w = abut_v3(0, 0, 0);
    }
    while (count > 0) {
        const cell now = stack[--count].c;
        if ((apart && reaches(p->t, &now, 0)) || reaches(stack[count].w, &now, r) ||
            (c > 0 && reaches(u, &now, c)))
            continue;
        const abut_vec3 m = abut_add(abut_add(now.v[0], now.v[1]), abut_add(now.v[2], now.v[3]));
        const abut_vec3 a = abut_mul(&p->aa, m), b = abut_mul(&p->bb, m);
        const abut_vec3 w =
            abut_madd(abut_madd(p->t, 1 / sqrt(abut_dot(m, a)), a), 1 / sqrt(abut_dot(m, b)), b);
        const double f = abut_dot(m, w);
        ++*supports;
        if (reaches(w, &now, r))
            continue;
        const abut_vec3 centre = abut_scale(1 / sqrt(abut_dot(m, m)), m);
        if (f * f < r * r * abut_dot(m, m)) {
            *shallow = centre;
            return false;
        }
        if (is_in_disc(p, &now, centre, r))
            continue;
        if (*supports >= MOST_SUPPORTS || count + 2 > MOST_CELLS)
            return false;
        cell halves[2];
        halve(&now, u, halves);
        stack[count].c = halves[0];
        stack[count++].w = w;
        stack[count].c = halves[1];
        stack[count++].w = w;
    }
    return true;
}

/* Radius of a ball inside K but for rounding, by a cap about the least f found and what is
 * around it; 0 where not proved: then *shallow has less, or is zero. */
static double patch(const abut_convex_pair *pair, const problem *p, const view *v, uint32_t *supports,
                    abut_vec3 *shallow)
{
    const double level = v->f * (v->la + v->lb), r = v->f * (1 - 0x1p-35);
    if (!p->two || !(level > 0))
        return 0;
    const aligned k = align(p, v);
    cap best = { .c = 2 };
    abut_mat3 n = p->a;
    for (size_t i = 0; i < sizeof turns / sizeof *turns; ++i) {
        const abut_mat3 next = inner(p, &k, k.better, turns[i][0], turns[i][1]);
        const cap c = widest(&next, v, level);
        if (c.c < best.c) {
            best = c;
            n = next;
        }
    }
    abut_depth_cap at = { .cosine = best.c + 0x1p-40, .radius = r };
    if (!(best.c < 0.98 && best.lambda > 0 && holds(p, &n, &best, abut_scale(1 - 0x1p-50, v->u), r)) &&
        !abut_depth_cap_at(pair, v->u, v->f, &at))
        at.cosine = 1;
    if (at.cosine > 0.999) {
        /* f hardly curves along some direction: balls about nearly one centre, say. */
        const double least = v->f * (1 - 0x1p-31), cosine = disc_at(p, v->u, least, supports) + 0x1p-50;
        if (cosine < at.cosine)
            at = (abut_depth_cap){ .cosine = cosine, .radius = least };
    }
    if (!(at.cosine < 1))
        return 0;
    return covers(p, v->u, at.cosine, at.radius, supports, shallow) ? at.radius : 0;
}

/* ---- where to start ---- */

/* The line of the centres, the axes of both, each in the sense in which f is less, and what is
 * thought to be near; f of each. */
typedef struct starts {
    abut_vec3 u[8];
    double f[8];
} starts;

static double depth_along(const problem *p, abut_vec3 u)
{
    return sqrt(abut_dot(u, abut_mul(&p->aa, u))) + sqrt(abut_dot(u, abut_mul(&p->bb, u))) +
           abut_dot(p->t, u);
}

static void set_starts(const problem *p, const abut_convex_pair *pair, abut_vec3 near, starts *out)
{
    const double d = sqrt(abut_dot(p->t, p->t)), t[3] = { p->t.x, p->t.y, p->t.z };
    out->u[0] = d > 0 ? abut_scale(-1 / d, p->t) : abut_v3(1, 0, 0);
    out->u[1] = fabs(abut_dot(near, near) - 1) < 0x1p-20 ? near : out->u[0];
    for (int i = 0; i < 2; ++i)
        out->f[i] = depth_along(p, out->u[i]);
    const bool swap = pair->a->kind == ABUT_CORE_POINT;
    for (int i = 0; i < 3; ++i) {
        const double sign = copysign(1, -t[i]);
        out->u[2 + i] = abut_v3(i == 0 ? sign : 0, i == 1 ? sign : 0, i == 2 ? sign : 0);
        out->f[2 + i] = sqrt(p->aa.m[i][i]) + sqrt(p->bb.m[i][i]) - fabs(t[i]);
        const abut_vec3 r = { pair->r.m[0][i], pair->r.m[1][i], pair->r.m[2][i] };
        const double along = abut_dot(r, p->t);
        out->u[5 + i] = abut_scale(copysign(1, -along), r);
        out->f[5 + i] =
            (swap ? 0
                  : sqrt(p->aa.m[0][0] * r.x * r.x + p->aa.m[1][1] * r.y * r.y + p->aa.m[2][2] * r.z * r.z)) +
            (swap || p->two ? pair->b->h[i] : 0) - fabs(along);
    }
}

/* The best start not taken yet. */
static abut_vec3 take(starts *s)
{
    int best = 0;
    double least = s->f[0];
    for (int i = 1; i < 8; ++i) {
        best = s->f[i] < least ? i : best;
        least = s->f[i] < least ? s->f[i] : least;
    }
    s->f[best] = INFINITY;
    return s->u[best];
}

static void answer(const abut_convex_pair *pair, abut_vec3 normal, double radius, abut_convex_answer *out)
{
    abut_convex_point at = { .a = 0 };
    out->lo = abut_convex_separation(pair, normal, &at);
    out->hi = 4 * pair->error - radius;
    out->normal = normal;
    out->x = at.x;
    out->y = at.y;
    ++out->supports;
}

/* Tries to prove that this is the least of all. */
static double prove(const abut_convex_pair *pair, const problem *p, view *v, uint32_t *supports)
{
    double radius = certify(p, v);
    if (radius >= 0 && !(radius > v->f - 4 * pair->error - 0x1p-34 * v->f)) {
        /* Little margin asks for a better direction. */
        descend(p, v->u, 1e-16, v, supports);
        radius = certify(p, v);
    }
    return radius > v->f - 4 * pair->error - 0x1p-34 * v->f ? radius : 0;
}

/* From the best two of some starts. */
static double search(const abut_convex_pair *pair, const problem *p, abut_vec3 near, view *best,
                     uint32_t *supports)
{
    starts from;
    view v;
    set_starts(p, pair, near, &from);
    descend(p, take(&from), 1e-10, best, supports);
    const double radius = prove(pair, p, best, supports);
    if (radius > 0)
        return radius;
    /* Mostly the same minimum, of which all is said. */
    descend(p, take(&from), 1e-10, &v, supports);
    if (!(v.f < best->f - 0x1p-34 * fabs(best->f)))
        return 0;
    *best = v;
    return prove(pair, p, best, supports);
}

bool abut_depth_of_ellipsoids(const abut_convex_pair *pair, const abut_vec3 *last, abut_convex_answer *out)
{
    problem p;
    set(&p, pair);
    view best;
    double radius;
    if (last) {
        const abut_vec3 u = abut_scale(-1, *last);
        if (!(depth_along(&p, u) > 0))
            return false;
        descend(&p, u, 1e-10, &best, &out->supports);
        if (!(best.f > 0))
            return false;
        radius = prove(pair, &p, &best, &out->supports);
    } else {
        radius = search(pair, &p, abut_scale(-1, out->normal), &best, &out->supports);
    }
    const int rounds = last ? 1 : MOST_ROUNDS;
    for (int round = 0; round < rounds && !(radius > 0); ++round) {
        abut_vec3 shallow = { 0, 0, 0 };
        descend(&p, best.u, 1e-16, &best, &out->supports);
        uint32_t spent = out->supports;
        radius = patch(pair, &p, &best, &spent, &shallow);
        if (radius > 0) /* work in vain is not taken from what the polytope may spend */
            out->supports = spent;
        if (!(abut_dot(shallow, shallow) > 0))
            break;
        descend(&p, shallow, 1e-10, &best, &out->supports);
        radius = prove(pair, &p, &best, &out->supports);
    }
    if (radius > 0)
        answer(pair, abut_scale(-1 / sqrt(abut_dot(best.u, best.u)), best.u), radius, out);
    return radius > 0;
}
