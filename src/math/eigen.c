/* SPDX-License-Identifier: MIT */
/* Eigenvalues and eigenvectors of a symmetric 3x3 matrix.
 *
 * Method: cyclic Jacobi rotations on the matrix scaled by a power of two. Chosen over the closed
 * form because repeated and clustered eigenvalues need no special case: the vectors are a
 * product of rotations, hence orthonormal to rounding whatever the matrix, and each value is off
 * by a few ulp of the largest one. Three to five sweeps are usual. Source: Golub and Van Loan,
 * Matrix Computations, section 8.5 (cyclic Jacobi); convergence is quadratic. */
#include "math/vec3.h"

enum { max_sweeps = 30 };

/* Zeroes a[p][q] by a rotation in the plane (p, q) and multiplies it into v. r is the third
 * index. */
static void rotate(double a[3][3], double v[3][3], int p, int q)
{
    const double off = a[p][q];
    /* Below a quarter of an ulp of both neighbours it cannot be seen in the eigenvalues. */
    if (off == 0 || fabs(off) < 0x1p-54 * fmin(fabs(a[p][p]), fabs(a[q][q]))) {
        a[p][q] = a[q][p] = 0;
        return;
    }
    const int r = 3 - p - q;
    /* tan of the angle: the smaller root of t^2 + 2 tau t - 1 = 0, so that the turn is at most
     * 45 degrees. */
    const double tau = (a[q][q] - a[p][p]) / (2 * off);
    const double t =
        isfinite(tau * tau) ? copysign(1, tau) / (fabs(tau) + sqrt(1 + tau * tau)) : 1 / (2 * tau);
    const double c = 1 / sqrt(1 + t * t), s = t * c;
    a[p][p] -= t * off;
    a[q][q] += t * off;
    a[p][q] = a[q][p] = 0;
    const double rp = a[r][p], rq = a[r][q];
    a[r][p] = a[p][r] = c * rp - s * rq;
    a[r][q] = a[q][r] = s * rp + c * rq;
    for (int i = 0; i < 3; ++i) {
        const double vp = v[i][p], vq = v[i][q];
        v[i][p] = c * vp - s * vq;
        v[i][q] = s * vp + c * vq;
    }
}

static void swap_columns(double values[3], double v[3][3], int p, int q)
{
    if (values[p] <= values[q])
        return;
    const double t = values[p];
    values[p] = values[q];
    values[q] = t;
    for (int i = 0; i < 3; ++i) {
        /* A swap with one sign changed is a rotation by a quarter turn, so the determinant stays
         * +1. */
        const double u = v[i][p];
        v[i][p] = v[i][q];
        v[i][q] = -u;
    }
}

void abut_mat3_symmetric_eigen(const abut_mat3 *m, abut_vec3 *values, abut_mat3 *vectors)
{
    abut_vec3 no_values;
    abut_mat3 no_vectors;
    values = values ? values : &no_values;
    vectors = vectors ? vectors : &no_vectors;
    if (!m) {
        *values = abut_v3(NAN, NAN, NAN);
        *vectors = abut_mat3_identity();
        return;
    }
    double largest = 0, a[3][3], v[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            if (!isfinite(m->m[i][j])) {
                *values = abut_v3(NAN, NAN, NAN);
                *vectors = abut_mat3_identity();
                return;
            }
            largest = fmax(largest, fabs(m->m[i][j]));
        }
    int exponent = 0;
    (void)frexp(largest, &exponent);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a[i][j] = ldexp(m->m[i < j ? i : j][i < j ? j : i], -exponent);

    for (int sweep = 0; sweep < max_sweeps && (a[0][1] != 0 || a[0][2] != 0 || a[1][2] != 0); ++sweep) {
        rotate(a, v, 0, 1);
        rotate(a, v, 0, 2);
        rotate(a, v, 1, 2);
    }

    double found[3] = { a[0][0], a[1][1], a[2][2] };
    swap_columns(found, v, 0, 1);
    swap_columns(found, v, 1, 2);
    swap_columns(found, v, 0, 1);
    *values = abut_v3(ldexp(found[0], exponent), ldexp(found[1], exponent), ldexp(found[2], exponent));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            vectors->m[i][j] = v[i][j];
}
