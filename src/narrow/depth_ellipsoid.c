/* SPDX-License-Identifier: MIT */
/* The depth of two ellipsoids, or of an ellipsoid and a point, in each other: Newton's method on the sphere of directions and one test that its end is the least of all.
 *
 * With A = D_a and B = D_b R^T, f(u) = |A u| + |B u| + t . u is to be least (u = -n; see depth.c). For any orthogonal S the body
 * E = t + N^T (unit ball), N = A + S B, is an ellipsoid inside K, because |N u| <= |A u| + |B u|; with S B u along A u they touch at u. That
 * the ball of radius f lies in E, not only touches it, is one condition on matrices (the S-lemma): N N^T >= f |N u| I. docs/notes/depth.md
 * derives it, the choice of S, and what rounding does to it. It holds for about nine pairs in ten; the rest is left to the polytope. */
#include "narrow/depth.h"

enum { MOST_STEPS = 24, MOST_STARTS = 2, MOST_SUPPORTS = 176 };

typedef struct problem {
    abut_mat3 a, b;   /* A, B; symmetric squares below */
    abut_mat3 aa, bb; /* A^T A, B^T B */
    bool two;         /* b is not a point */
    abut_vec3 t;
} problem;

/* What a direction tells. */
typedef struct view {
    double la, lb, f; /* |A u|, |B u|, f */
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
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            p->a.m[i][j] = swap ? a->h[i] * pair->r.m[j][i] : i == j ? a->h[i] : 0;
            p->b.m[i][j] = p->two ? b->h[i] * pair->r.m[j][i] : 0;
        }
    gram(&p->a, false, &p->aa);
    gram(&p->b, false, &p->bb);
}

static inline double value(const problem *p, abut_vec3 u)
{
    const double a = abut_dot(u, abut_mul(&p->aa, u)), b = p->two ? abut_dot(u, abut_mul(&p->bb, u)) : 0;
    return sqrt(a) + sqrt(b) + abut_dot(p->t, u);
}

static inline void look(const problem *p, abut_vec3 u, view *v)
{
    const abut_vec3 a = abut_mul(&p->aa, u), b = abut_mul(&p->bb, u);
    v->la = sqrt(abut_dot(u, a));
    v->lb = p->two ? sqrt(abut_dot(u, b)) : 0;
    v->x = abut_scale(1 / v->la, a);
    v->y = p->two ? abut_scale(1 / v->lb, b) : abut_v3(0, 0, 0);
    v->w = abut_add(abut_add(v->x, v->y), p->t);
    v->f = abut_dot(u, v->w);
}

/* ---- Newton's method ---- */

/* Two directions across u and each other, without a root (T. Duff et al., Building an orthonormal basis, revisited, JCGT 2017). */
static inline void tangents(abut_vec3 u, abut_vec3 *e, abut_vec3 *g)
{
    const double s = copysign(1, u.z), a = -1 / (s + u.z), b = u.x * u.y * a;
    *e = abut_v3(1 + s * u.x * u.x * a, s * b, -s * u.x);
    *g = abut_v3(b, s + u.y * u.y * a, -u.y);
}

/* The step in the tangent plane; where f curves down it is made to go down all the same. */
static inline abut_vec3 step(const problem *p, const view *v, abut_vec3 u)
{
    abut_vec3 e, g;
    tangents(u, &e, &g);
    /* Second derivatives of |A u| + |B u| + t . u along the great circles, and the first ones. */
    const double over_a = 1 / v->la, over_b = p->two ? 1 / v->lb : 0;
    const abut_vec3 ae = abut_mul(&p->aa, e), ag = abut_mul(&p->aa, g), be = abut_mul(&p->bb, e),
                    bg = abut_mul(&p->bb, g);
    const double ex = abut_dot(e, v->x), gx = abut_dot(g, v->x), ey = abut_dot(e, v->y),
                 gy = abut_dot(g, v->y);
    double h11 = (abut_dot(e, ae) - ex * ex) * over_a + (abut_dot(e, be) - ey * ey) * over_b - v->f,
           h22 = (abut_dot(g, ag) - gx * gx) * over_a + (abut_dot(g, bg) - gy * gy) * over_b - v->f;
    const double h12 = (abut_dot(e, ag) - ex * gx) * over_a + (abut_dot(e, bg) - ey * gy) * over_b,
                 c1 = abut_dot(e, v->w), c2 = abut_dot(g, v->w);
    /* Where the lesser eigenvalue is small or negative, both are raised. */
    const double mean = 0.5 * (h11 + h22), half = 0.5 * (h11 - h22), square = half * half + h12 * h12;
    if (!(mean > 0 && square < 0.8 * mean * mean)) {
        const double spread = sqrt(square), least = mean - spread, floor = 0.05 * (fabs(mean) + spread);
        const double shift = least < floor ? floor - least : 0;
        h11 += shift;
        h22 += shift;
    }
    const double inverse = -1 / (h11 * h22 - h12 * h12);
    double a = inverse * (h22 * c1 - h12 * c2), b = inverse * (h11 * c2 - h12 * c1);
    const double length = a * a + b * b;
    if (length > 0.49) {
        const double shorter = 0.7 / sqrt(length);
        a *= shorter;
        b *= shorter;
    }
    return abut_add(abut_scale(a, e), abut_scale(b, g));
}

/* Descends from *u to a local minimum. */
static void descend(const problem *p, abut_vec3 *u, view *v, uint32_t *supports)
{
    look(p, *u, v);
    for (int k = 0; k < MOST_STEPS && *supports < MOST_SUPPORTS; ++k) {
        abut_vec3 z = step(p, v, *u);
        const double size = abut_dot(z, z);
        if (!(size > 1e-30))
            return;
        view next;
        abut_vec3 to;
        int halvings = 0;
        do {
            to = abut_add(*u, z);
            to = abut_scale(1 / sqrt(abut_dot(to, to)), to);
            look(p, to, &next);
            ++*supports;
            z = abut_scale(0.5, z);
        } while (!(next.f <= v->f) && size > 1e-12 && ++halvings < 6);
        if (!(next.f <= v->f) && size > 1e-12)
            return;
        *u = to;
        *v = next;
        if (size < 1e-14)
            return;
    }
}

/* ---- the certificate ---- */

/* B turned so that B u comes to lie along A u: its rows along that direction x and along two directions across it, where one turn is still free. */
typedef struct aligned {
    abut_vec3 x, e, g;    /* orthonormal */
    abut_vec3 bx, be, bg; /* x . B, e . B, g . B after the turn */
    double c[2],
        s[2];   /* the free turn, and the one after a reflection, that make the trace of A^T S B largest */
    int better; /* of these two */
} aligned;

static inline aligned align(const problem *p, abut_vec3 u, const view *v)
{
    aligned k;
    const abut_vec3 y = abut_scale(1 / v->lb, abut_mul(&p->b, u));
    k.x = abut_scale(1 / v->la, abut_mul(&p->a, u));
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

/* N = A + S B, the free turn of S off the one of largest trace by an angle of that cosine and sine. */
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

/* Radius of a ball about the origin inside t + N^T (unit ball), and so inside K but for rounding (4 pair->error); negative where not proved. */
static double inside(const problem *p, const abut_mat3 *n, abut_vec3 u, double level)
{
    /* Where the condition holds as an equation, as for two minima opposite each other, a level a little lower leaves a margin at a small price. */
    static const double margins[] = { 0x1p-12, 0x1p-4, 1, 16 };
    abut_mat3 nn;
    gram(n, true, &nn);
    const double guard = 0x1p-44 * (nn.m[0][0] + nn.m[1][1] + nn.m[2][2]);
    double margin = 0;
    for (size_t i = 0;
         i < sizeof margins / sizeof *margins && is_above(&nn, level * (1 + margins[i]) + guard); ++i)
        margin = margins[i];
    if (margin == 0) {
        margin = 0x1p-36;
        level *= 1 - 0x1p-35;
        if (!is_above(&nn, level * (1 + margin) + guard))
            return -1;
    }
    const abut_vec3 nu = abut_mul(n, u), y = abut_scale(1 / sqrt(abut_dot(nu, nu)), nu);
    const abut_vec3 w = abut_add(p->t, abut_mul_t(n, y));
    const abut_vec3 rest = abut_sub(abut_scale(1 / level, abut_mul(n, w)), y);
    const double square = abut_dot(w, w) - level / margin * abut_dot(rest, rest);
    return square > 0 ? sqrt(square) : -1;
}

/* The same for the best of some N. */
static double certify(const problem *p, abut_vec3 u, const view *v)
{
    /* Cosines and sines of multiples of 22.5 degrees. */
    static const double turns[][2] = { { 1, 0 },
                                       { 0.9238795325112867, 0.3826834323650898 },
                                       { 0.9238795325112867, -0.3826834323650898 },
                                       { 0.7071067811865476, 0.7071067811865476 },
                                       { 0.7071067811865476, -0.7071067811865476 },
                                       { 0.3826834323650898, 0.9238795325112867 },
                                       { 0.3826834323650898, -0.9238795325112867 } };
    const double level = v->f * (v->la + v->lb);
    if (!(level > 0))
        return -1;
    if (!p->two)
        return inside(p, &p->a, u, level);
    const aligned k = align(p, u, v);
    for (size_t i = 0; i < 2 * sizeof turns / sizeof *turns; ++i) {
        const abut_mat3 n = inner(p, &k, (int)(i & 1) ^ k.better, turns[i / 2][0], turns[i / 2][1]);
        const double radius = inside(p, &n, u, level);
        if (radius > 0)
            return radius;
    }
    return -1;
}

/* ---- where to start ---- */

/* The two least of f over the axes of both bodies and the line of the centres. */
static int starts(const problem *p, const abut_convex_pair *pair, abut_vec3 u[MOST_STARTS])
{
    abut_vec3 tried[7] = { abut_unit_or(abut_scale(-1, p->t), abut_v3(1, 0, 0)) };
    int count = 1;
    for (int i = 0; pair->a->kind == ABUT_CORE_ELLIPSOID && i < 3; ++i)
        tried[count++] = abut_v3(i == 0, i == 1, i == 2);
    for (int i = 0; pair->b->kind == ABUT_CORE_ELLIPSOID && i < 3; ++i)
        tried[count++] = abut_v3(pair->r.m[0][i], pair->r.m[1][i], pair->r.m[2][i]);
    for (int i = 1; i < count; ++i)
        if (abut_dot(tried[i], p->t) > 0)
            tried[i] = abut_scale(-1, tried[i]);
    double least[MOST_STARTS] = { INFINITY, INFINITY };
    for (int i = 0; i < count; ++i) {
        const double f = value(p, tried[i]);
        if (f < least[0]) {
            least[1] = least[0];
            u[1] = u[0];
            least[0] = f;
            u[0] = tried[i];
        } else if (f < least[1]) {
            least[1] = f;
            u[1] = tried[i];
        }
    }
    return MOST_STARTS;
}

bool abut_depth_of_ellipsoids(const abut_convex_pair *pair, abut_convex_answer *out, abut_vec3 *normal)
{
    problem p;
    set(&p, pair);
    abut_vec3 u[MOST_STARTS];
    const int count = starts(&p, pair, u);
    double best = INFINITY;
    *normal = abut_v3(0, 0, 0);
    for (int i = 0; i < count; ++i) {
        view v;
        descend(&p, &u[i], &v, &out->supports);
        if (v.f < best) {
            best = v.f;
            *normal = abut_scale(-1, u[i]);
        }
        const double radius = certify(&p, u[i], &v);
        if (!(radius > v.f - 4 * pair->error - 0x1p-34 * v.f))
            continue;
        abut_convex_point at = { .a = 0 };
        out->lo = abut_convex_separation(pair, *normal, &at);
        out->hi = 4 * pair->error - radius;
        out->normal = *normal;
        out->x = at.x;
        out->y = at.y;
        ++out->supports;
        return true;
    }
    return false;
}
