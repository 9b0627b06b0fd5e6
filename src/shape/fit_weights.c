/* SPDX-License-Identifier: MIT */
/* The smallest ellipsoid around points of one to three coordinates, by its dual: weights u_i >= 0
 * of sum 1 that make det M(u) greatest, M = sum u_i q_i q_i^T with q = (y, 1).
 *
 * With w_i = q_i M^-1 q_i, c = sum u_i y_i and S = sum u_i (y_i - c)(y_i - c)^T every point has
 * (y_i - c) S^-1 (y_i - c) = w_i - 1, so that the ellipsoid (max w - 1) S holds all of them; and no
 * ellipsoid that does is smaller than d S. The ratio of the two is what is left to gain (Khachiyan
 * 1996; Kumar and Yildirim 2005).
 *
 * Method: a working set of points. Within it, Newton's method: the second derivatives of log det
 * M are -(q_i M^-1 q_j)^2. A step that would make a weight negative ends there; where it does
 * not help, weight goes from the point with least w to the one with most, by as much as is best
 * (an away step). Then all points are examined, and those furthest outside join, one from each
 * octant. Nine points carry the ellipsoid at the end, so that the set stays small. */
#include "shape/fit.h"

#include <math.h>
#include <string.h>

enum { MOST = 48, MOST_ROUNDS = 200, MOST_STEPS = 200, OCTANTS = 8 };

typedef struct work {
    int n; /* coordinates of q: d + 1 */
    int count;
    size_t index[MOST];
    double q[MOST][4], u[MOST], w[MOST];
    double inverse[4][4], log_det;
} work;

/* Inverts sum u q q^T; false where it is not positive definite. */
static bool invert(work *s, const double *u, double inverse[4][4], double *log_det)
{
    const int n = s->n;
    double l[4][4] = { { 0 } }, k[4][4] = { { 0 } };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j)
            for (int p = 0; p < s->count; ++p)
                l[i][j] += u[p] * s->q[p][i] * s->q[p][j];
    *log_det = 0;
    for (int j = 0; j < n; ++j) {
        for (int m = 0; m < j; ++m)
            l[j][j] -= l[j][m] * l[j][m];
        if (!(l[j][j] > 0))
            return false;
        *log_det += log(l[j][j]);
        l[j][j] = sqrt(l[j][j]);
        for (int i = j + 1; i < n; ++i) {
            for (int m = 0; m < j; ++m)
                l[i][j] -= l[i][m] * l[j][m];
            l[i][j] /= l[j][j];
        }
    }
    for (int j = 0; j < n; ++j) { /* k = l^-1 */
        k[j][j] = 1 / l[j][j];
        for (int i = j + 1; i < n; ++i) {
            for (int m = j; m < i; ++m)
                k[i][j] -= l[i][m] * k[m][j];
            k[i][j] /= l[i][i];
        }
    }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            inverse[i][j] = 0;
            for (int m = i > j ? i : j; m < n; ++m)
                inverse[i][j] += k[m][i] * k[m][j];
        }
    return true;
}

static double product(const work *s, const double *p, const double *q)
{
    double sum = 0;
    for (int i = 0; i < s->n; ++i)
        for (int j = 0; j < s->n; ++j)
            sum += p[i] * s->inverse[i][j] * q[j];
    return sum;
}

/* Solves the n x n system whose right side is column n, in place, with pivots. */
static bool solve(double m[MOST + 1][MOST + 2], int n, double *x)
{
    for (int k = 0; k < n; ++k) {
        int top = k;
        for (int i = k + 1; i < n; ++i)
            if (fabs(m[i][k]) > fabs(m[top][k]))
                top = i;
        if (!(fabs(m[top][k]) > 0))
            return false;
        for (int j = k; j <= n && top != k; ++j) {
            const double kept = m[k][j];
            m[k][j] = m[top][j];
            m[top][j] = kept;
        }
        for (int i = k + 1; i < n; ++i) {
            const double f = m[i][k] / m[k][k];
            for (int j = k; j <= n && f != 0; ++j)
                m[i][j] -= f * m[k][j];
        }
    }
    for (int k = n - 1; k >= 0; --k) {
        x[k] = m[k][n];
        for (int j = k + 1; j < n; ++j)
            x[k] -= m[k][j] * x[j];
        x[k] /= m[k][k];
    }
    return true;
}

/* One step of Newton's method among the points that carry weight and `top`: new weights in u.
 * False where there is none that keeps them >= 0. */
static bool newton(work *s, int top, double *u)
{
    static const double damping = 1e-11; /* of entries of size 16: equal points have equal rows */
    double m[MOST + 1][MOST + 2], x[MOST + 1];
    int free[MOST], count = 0;
    for (int i = 0; i < s->count; ++i)
        if (s->u[i] > 0 || i == top)
            free[count++] = i;
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            const double p = product(s, s->q[free[i]], s->q[free[j]]);
            m[i][j] = p * p;
        }
        m[i][i] += damping;
        m[i][count] = m[count][i] = 1;
        m[i][count + 1] = s->w[free[i]];
    }
    m[count][count] = m[count][count + 1] = 0;
    if (!solve(m, count + 1, x))
        return false;
    double step = 1;
    int stop = -1;
    for (int i = 0; i < count; ++i)
        if (s->u[free[i]] + x[i] < 0 && s->u[free[i]] < -x[i] * step) {
            step = s->u[free[i]] / -x[i];
            stop = free[i];
        }
    if (!(step > 0))
        return false;
    double sum = 0;
    memcpy(u, s->u, (size_t)s->count * sizeof *u);
    for (int i = 0; i < count; ++i)
        u[free[i]] += step * x[i];
    if (stop >= 0)
        u[stop] = 0;
    for (int i = 0; i < s->count; ++i) {
        u[i] = u[i] > 1e-15 ? u[i] : 0;
        sum += u[i];
    }
    for (int i = 0; i < s->count; ++i)
        u[i] /= sum;
    return isfinite(sum);
}

/* Weight from `low` to `top`: det M changes by the factor 1 + x (w_t - w_l) - x^2 (w_t w_l -
 * w_tl^2). */
static void exchange(work *s, int top, int low)
{
    const double both = product(s, s->q[top], s->q[low]);
    const double bend = 2 * (s->w[top] * s->w[low] - both * both), rise = s->w[top] - s->w[low];
    const double most = s->u[low], x = bend > 0 && rise < bend * most ? rise / bend : most;
    s->u[top] += x;
    s->u[low] = x < most ? most - x : 0;
}

/* Makes the greatest w of the set n + goal or less; true where it did. */
static bool improve(work *s, double goal)
{
    for (int step = 0; step < MOST_STEPS; ++step) {
        if (!invert(s, s->u, s->inverse, &s->log_det))
            return false;
        int top = 0, low = -1;
        for (int i = 0; i < s->count; ++i) {
            s->w[i] = product(s, s->q[i], s->q[i]);
            if (s->w[i] > s->w[top])
                top = i;
            if (s->u[i] > 0 && (low < 0 || s->w[i] < s->w[low]))
                low = i;
        }
        if (s->w[top] <= s->n + goal)
            return true;
        double u[MOST], inverse[4][4], log_det;
        /* Near the end log det does not tell any more: what does not make it worse will do. */
        if (newton(s, top, u) && invert(s, u, inverse, &log_det) && log_det > s->log_det - 1e-14)
            memcpy(s->u, u, (size_t)s->count * sizeof *u);
        else if (low >= 0 && low != top)
            exchange(s, top, low);
    }
    return false;
}

static bool add(work *s, const double (*points)[3], size_t i)
{
    for (int k = 0; k < s->count; ++k)
        if (s->index[k] == i)
            return false;
    if (s->count == MOST)
        return false;
    const int at = s->count++;
    s->index[at] = i;
    s->u[at] = 0;
    for (int k = 0; k < s->n - 1; ++k)
        s->q[at][k] = points[i][k];
    s->q[at][s->n - 1] = 1;
    return true;
}

/* Drops what carries no weight, and the lightest where that leaves no room for new points. */
static void prune(work *s)
{
    int kept = 0;
    for (int i = 0; i < s->count; ++i)
        if (s->u[i] > 0) {
            s->index[kept] = s->index[i];
            s->u[kept] = s->u[i];
            memcpy(s->q[kept], s->q[i], sizeof s->q[i]);
            ++kept;
        }
    s->count = kept;
    while (s->count > MOST - OCTANTS) {
        int low = 0;
        for (int i = 1; i < s->count; ++i)
            low = s->u[i] < s->u[low] ? i : low;
        const int last = --s->count;
        const double rest = 1 - s->u[low];
        s->index[low] = s->index[last];
        s->u[low] = s->u[last];
        memcpy(s->q[low], s->q[last], sizeof s->q[last]);
        for (int i = 0; i < s->count; ++i)
            s->u[i] /= rest;
    }
}

/* The ellipsoid d S of the weights. */
static void carry(const work *s, abut_fit_result *out)
{
    const int d = s->n - 1;
    memset(out, 0, sizeof *out);
    for (int p = 0; p < s->count; ++p)
        for (int i = 0; i < d; ++i)
            out->centre[i] += s->u[p] * s->q[p][i];
    for (int p = 0; p < s->count; ++p)
        for (int i = 0; i < d; ++i)
            for (int j = 0; j < d; ++j)
                out->spread[i][j] +=
                    d * s->u[p] * (s->q[p][i] - out->centre[i]) * (s->q[p][j] - out->centre[j]);
}

/* The greatest w of all points, and the point with the greatest in each octant about the centre. */
static double evaluate(const work *s, const double (*points)[3], size_t count, const double centre[3],
                       size_t best[OCTANTS], double most[OCTANTS])
{
    const int d = s->n - 1;
    double a[3][3] = { { 0 } }, b[3] = { 0 }, c = s->inverse[d][d], top = 0;
    for (int i = 0; i < d; ++i) {
        b[i] = 2 * s->inverse[i][d];
        for (int j = 0; j < d; ++j)
            a[i][j] = s->inverse[i][j];
    }
    for (int k = 0; k < OCTANTS; ++k)
        most[k] = 0;
    for (size_t i = 0; i < count; ++i) {
        const double x = points[i][0], y = points[i][1], z = points[i][2];
        const double w = c + x * (b[0] + a[0][0] * x + 2 * (a[0][1] * y + a[0][2] * z)) +
                         y * (b[1] + a[1][1] * y + 2 * a[1][2] * z) + z * (b[2] + a[2][2] * z);
        const int k = (x > centre[0]) | (y > centre[1]) << 1 | (z > centre[2]) << 2;
        if (w > most[k]) {
            most[k] = w;
            best[k] = i;
        }
    }
    for (int k = 0; k < OCTANTS; ++k)
        top = most[k] > top ? most[k] : top;
    return top;
}

void abut_fit_weights(const double (*points)[3], size_t count, int d, const size_t *corners, double tolerance,
                      abut_fit_result *out)
{
    /* ((max w - 1) / d)^(d / 2) <= 1 + tolerance; below 1e-13 it is rounding. */
    const double goal = fmax(2 * tolerance, 1e-13);
    work s = { .n = d + 1 };
    for (int i = 0; i <= d; ++i)
        if (add(&s, points, corners[i]))
            s.u[s.count - 1] = 1. / (d + 1);
    double top = 0, left = 1;
    for (int round = 0; round < MOST_ROUNDS; ++round) {
        size_t best[OCTANTS];
        double most[OCTANTS];
        const double inner = fmax(goal / 4, fmin(0.1, 0.05 * left));
        const bool solved = improve(&s, inner);
        if (!invert(&s, s.u, s.inverse, &s.log_det))
            break;
        carry(&s, out);
        top = evaluate(&s, points, count, out->centre, best, most);
        left = top - s.n;
        if (left <= goal)
            break;
        prune(&s);
        bool grown = false;
        for (int k = 0; k < OCTANTS; ++k)
            if (most[k] > s.n + goal / 2)
                grown = add(&s, points, best[k]) || grown;
        if (!grown && (!solved || inner <= goal / 4))
            break; /* all that is left is rounding */
    }
    const double grow = fmax(1, (top - 1) / d);
    for (int i = 0; i < d; ++i)
        for (int j = 0; j < d; ++j)
            out->spread[i][j] *= grow;
}
