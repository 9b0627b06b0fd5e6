/* SPDX-License-Identifier: MIT */
/* Two quadrics by a ruled member of their pencil.
 *
 * All quadrics mu A - lambda B contain the curve. Levin takes a root of det of the quadratic part,
 * where the quadric is singular at infinity; a root is known by an enclosure only, in which the
 * quadric changes its kind. Here a member of inertia (2, 2) is taken instead (as Dupont, Lazard,
 * Lazard, Petitjean 2008 do), which all members near it are, too: mu and lambda are doubles, and
 * the kind is proved. Unless the curve is singular, there is such a member, or a definite one, and
 * then no point in common: along the pencil the signature changes by two at each real root of
 * det(mu A - lambda B), and has the opposite sign after half a turn.
 *
 * With K = S' Q S for approximate eigenvectors S (any regular matrix would be right) and K = L D
 * L' in intervals, x = S L'^-1 |D|^-1/2 y makes Q into y_i^2 + y_j^2 - y_k^2 - y_l^2, which is
 * (y_i - y_k)(y_i + y_k) = (y_l - y_j)(y_l + y_j): the lines u0 v0, u1 v1, u0 v1, u1 v0. */
#include "abut/polynomial.h"
#include "intersect/ruled.h"

#include <math.h>
#include <string.h>

#define MOST_MEMBERS 8

typedef struct member {
    double mu, lambda, score; /* score: smallest eigenvalue by the largest; negative: definite */
    double vectors[4][4];
} member;

typedef struct pencil {
    double a[4][4], b[4][4], scale, norm_a, norm_b;
    member members[MOST_MEMBERS];
    int count;
} pencil;

/* The eigenvalues of a symmetric matrix, by Jacobi rotations; columns of `vectors` belong to them. */
static void eigen(double m[4][4], double values[4], double vectors[4][4])
{
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            vectors[i][j] = i == j;
    for (int sweep = 0; sweep < 12; ++sweep) {
        double off = 0, size = 0;
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j)
                *(i == j ? &size : &off) += m[i][j] * m[i][j];
        if (off <= 1e-28 * size)
            break;
        for (int p = 0; p < 3; ++p)
            for (int q = p + 1; q < 4; ++q) {
                if (m[p][q] == 0)
                    continue;
                const double half = (m[q][q] - m[p][p]) / (2 * m[p][q]);
                const double t = (half < 0 ? -1 : 1) / (fabs(half) + sqrt(half * half + 1));
                const double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 4; ++k) {
                    const double x = m[k][p], y = m[k][q];
                    m[k][p] = c * x - s * y;
                    m[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 4; ++k) {
                    const double x = m[p][k], y = m[q][k];
                    m[p][k] = c * x - s * y;
                    m[q][k] = s * x + c * y;
                }
                for (int k = 0; k < 4; ++k) {
                    const double x = vectors[k][p], y = vectors[k][q];
                    vectors[k][p] = c * x - s * y;
                    vectors[k][q] = s * x + c * y;
                }
            }
    }
    for (int i = 0; i < 4; ++i)
        values[i] = m[i][i];
}

static double determinant(const pencil *p, double mu, double lambda)
{
    double m[4][4], det = 1;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            m[i][j] = mu * p->a[i][j] - lambda * p->b[i][j];
    for (int k = 0; k < 4; ++k) {
        int best = k;
        for (int i = k + 1; i < 4; ++i)
            if (fabs(m[i][k]) > fabs(m[best][k]))
                best = i;
        if (m[best][k] == 0)
            return 0;
        if (best != k) {
            det = -det;
            for (int j = 0; j < 4; ++j) {
                const double t = m[k][j];
                m[k][j] = m[best][j];
                m[best][j] = t;
            }
        }
        det *= m[k][k];
        for (int i = k + 1; i < 4; ++i) {
            const double f = m[i][k] / m[k][k];
            for (int j = k; j < 4; ++j)
                m[i][j] -= f * m[k][j];
        }
    }
    return det;
}

static void try_member(pencil *p, double angle)
{
    member one = { cos(angle), sin(angle), 0, { { 0 } } };
    double m[4][4], values[4];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            m[i][j] = one.mu * p->a[i][j] - one.lambda * p->b[i][j];
    eigen(m, values, one.vectors);
    int positive = 0;
    double least = HUGE_VAL, most = 0;
    for (int i = 0; i < 4; ++i) {
        positive += values[i] > 0;
        least = fmin(least, fabs(values[i]));
        most = fmax(most, fabs(values[i]));
    }
    if (!(least > 1e-14 * most) || (positive != 2 && positive != 0 && positive != 4))
        return;
    one.score = positive == 2 ? least / most : 2;
    int at = p->count < MOST_MEMBERS ? p->count++ : p->count - 1;
    while (at > 0 && p->members[at - 1].score < one.score) {
        p->members[at] = p->members[at - 1];
        --at;
    }
    p->members[at] = one;
}

/* Steers only: which members are ruled, or definite, and how clearly. */
static void explore(pencil *p)
{
    /* det(mu A - lambda B) from five values; the points are spread over the pencil. */
    static const double at[5] = { -2, -0.75, 0, 0.75, 2 };
    double value[5], c[5] = { 0 }, roots[4];
    for (int i = 0; i < 5; ++i)
        value[i] = determinant(p, 1, at[i]);
    for (int i = 0; i < 5; ++i) { /* Lagrange */
        double basis[5] = { 1, 0, 0, 0, 0 }, below = 1;
        int degree = 0;
        for (int j = 0; j < 5; ++j) {
            if (j == i)
                continue;
            below *= at[i] - at[j];
            for (int k = ++degree; k > 0; --k)
                basis[k] = basis[k - 1] - at[j] * basis[k];
            basis[0] *= -at[j];
        }
        for (int k = 0; k < 5; ++k)
            c[k] += value[i] / below * basis[k];
    }
    const int n = abut_polynomial_roots_closed(c, 4, roots);
    p->count = 0;
    const double quarter = 0.78539816339744831;
    if (n <= 0) {
        for (int i = 0; i < 4; ++i)
            try_member(p, i * quarter);
        return;
    }
    for (int i = 0; i < n; ++i) {
        const double from = atan(roots[i]),
                     to = i + 1 < n ? atan(roots[i + 1]) : atan(roots[0]) + 4 * quarter;
        try_member(p, 0.5 * (from + to));
    }
}

static double norm_of(double m[4][4])
{
    double sum = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            sum += m[i][j] * m[i][j];
    return sqrt(sum);
}

/* Kernel, because it reads intervals. */
static ABUT_NOINLINE void read_pencil(const abut_meeting *m, pencil *p)
{
    double size = 0;
    int sizes = 0;
    for (int s = 0; s < 2; ++s) {
        const abut_placed *q = &m->placed[s];
        double most = 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                most = fmax(most, ia_mag(q->matrix[i][j]));
        const double last = ia_mag(q->matrix[3][3]);
        if (most > 0 && last > 0) {
            size += 0.5 * log2(last / most);
            ++sizes;
        }
    }
    p->scale = sizes ? exp2(floor(size / sizes)) : 1;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const double f = (i < 3 ? p->scale : 1) * (j < 3 ? p->scale : 1);
            p->a[i][j] = f * ia_mid(m->placed[0].matrix[i][j]);
            p->b[i][j] = f * ia_mid(m->placed[1].matrix[i][j]);
        }
    p->norm_a = norm_of(p->a);
    p->norm_b = norm_of(p->b);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            p->a[i][j] /= p->norm_a;
            p->b[i][j] /= p->norm_b;
        }
}

/* Kernel. The member in intervals: 1 where it is proved to be ruled, and then its lines in *r; -1
 * where it is proved to be definite; 0 otherwise. */
static ABUT_NOINLINE int lines_of(const abut_meeting *m, const pencil *p, const member *one, abut_ruled *r)
{
    const double mu = one->mu / p->norm_a, lambda = one->lambda / p->norm_b;
    ia q[4][4], half[4][4], k[4][4], l[4][4], d[4], columns[4][4];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            q[i][j] =
                ia_sub(ia_scale(mu, m->placed[0].matrix[i][j]), ia_scale(lambda, m->placed[1].matrix[i][j]));
    double s[4][4];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            s[i][j] = (i < 3 ? p->scale : 1) * one->vectors[i][j];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            half[i][j] = ia_scale(s[0][j], q[i][0]);
            for (int t = 1; t < 4; ++t)
                half[i][j] = ia_add(half[i][j], ia_scale(s[t][j], q[i][t]));
        }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            k[i][j] = ia_scale(s[0][i], half[0][j]);
            for (int t = 1; t < 4; ++t)
                k[i][j] = ia_add(k[i][j], ia_scale(s[t][i], half[t][j]));
        }
    int positive[4], negative[4], up = 0, down = 0;
    for (int j = 0; j < 4; ++j) {
        d[j] = k[j][j];
        for (int t = 0; t < j; ++t)
            d[j] = ia_sub(d[j], ia_mul(ia_sqr(l[j][t]), d[t]));
        const int sign = ia_sign(d[j]);
        if (sign == 0)
            return 0;
        if (sign > 0)
            positive[up++] = j;
        else
            negative[down++] = j;
        for (int i = j + 1; i < 4; ++i) {
            ia sum = k[i][j];
            for (int t = 0; t < j; ++t)
                sum = ia_sub(sum, ia_mul(ia_mul(l[i][t], l[j][t]), d[t]));
            l[i][j] = ia_div(sum, d[j]);
        }
    }
    if (up == 4 || down == 4)
        return -1;
    if (up != 2)
        return 0;
    for (int j = 0; j < 4; ++j) {
        for (int i = 0; i < 4; ++i) {
            columns[i][j] = ia_point(s[i][j]);
            for (int t = 0; t < j; ++t)
                columns[i][j] = ia_sub(columns[i][j], ia_mul(columns[i][t], l[j][t]));
        }
    }
    for (int j = 0; j < 4; ++j) {
        const ia root = ia_sqrt(ia_abs(d[j]));
        for (int i = 0; i < 4; ++i)
            columns[i][j] = ia_div(columns[i][j], root);
    }
    r->d0 = r->d1 = 1;
    for (int i = 0; i < 4; ++i) {
        const ia yi = columns[i][positive[0]], yj = columns[i][positive[1]];
        const ia yk = columns[i][negative[0]], yl = columns[i][negative[1]];
        r->x0[0][i] = ia_sub(yi, yk);
        r->x0[1][i] = ia_add(yl, yj);
        r->x1[0][i] = ia_sub(yl, yj);
        r->x1[1][i] = ia_add(yi, yk);
    }
    /* The member and the quadric that is less like it span the pencil. */
    memcpy(r->m, m->placed[fabs(one->mu) > fabs(one->lambda)].matrix, sizeof r->m);
    return 1;
}

bool abut_loops_bilinear(abut_meeting *m)
{
    pencil p;
    abut_rounding saved = abut_rounding_enter();
    read_pencil(m, &p);
    abut_rounding_leave(saved);
    if (!(p.norm_a > 0 && p.norm_b > 0) || !isfinite(p.norm_a) || !isfinite(p.norm_b) || !isfinite(p.scale))
        return false;
    explore(&p);
    for (int i = 0; i < p.count && i < 3; ++i) {
        abut_ruled r = { 0 };
        saved = abut_rounding_enter();
        const int kind = lines_of(m, &p, &p.members[i], &r);
        abut_rounding_leave(saved);
        if (kind < 0) {
            m->out->count = 0;
            return true;
        }
        if (kind > 0 && abut_ruled_solve(&r, m))
            return true;
    }
    return false;
}
