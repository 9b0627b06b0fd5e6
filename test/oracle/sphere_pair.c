/* SPDX-License-Identifier: MIT */
#include "oracle/sphere_pair.h"

#include <stdlib.h>

enum { COARSE = 512, FINE = 14000 };

/* Rows of the rotation times |q|^2, applied transposed to d; q is scaled to integers by nobody:
 * doubles are exact. */
static void to_local(const oracle_pair *pair, mpfr_prec_t prec, mpfr_t p[3], mpfr_t w)
{
    const double q[4] = { pair->pose.rotation.w, pair->pose.rotation.x, pair->pose.rotation.y,
                          pair->pose.rotation.z };
    const double c[3] = { pair->centre.x, pair->centre.y, pair->centre.z };
    const double t[3] = { pair->pose.position.x, pair->pose.position.y, pair->pose.position.z };
    mpfr_t d[3], qq[4][4], m, x;
    mpfr_inits2(prec, m, x, (mpfr_ptr)0);
    for (int i = 0; i < 3; ++i) {
        mpfr_init2(d[i], prec);
        mpfr_set_d(d[i], c[i], MPFR_RNDN);
        mpfr_sub_d(d[i], d[i], t[i], MPFR_RNDN);
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            mpfr_init2(qq[i][j], prec);
            mpfr_set_d(qq[i][j], q[i], MPFR_RNDN);
            mpfr_mul_d(qq[i][j], qq[i][j], q[j], MPFR_RNDN);
        }
    mpfr_set_zero(w, 1);
    for (int i = 0; i < 4; ++i)
        mpfr_add(w, w, qq[i][i], MPFR_RNDN);
    for (int j = 0; j < 3; ++j) {
        mpfr_set_zero(p[j], 1);
        for (int i = 0; i < 3; ++i) {
            if (i == j) {
                mpfr_set(m, qq[0][0], MPFR_RNDN);
                for (int k = 1; k < 4; ++k)
                    (k == i + 1 ? mpfr_add : mpfr_sub)(m, m, qq[k][k], MPFR_RNDN);
            } else {
                /* Entry (i, j): 2 (q_i q_j -+ w q_k), minus when (i, j, k) is cyclic. */
                const int k = 3 - i - j;
                mpfr_set(m, qq[i + 1][j + 1], MPFR_RNDN);
                ((i + 1) % 3 == j ? mpfr_sub : mpfr_add)(m, m, qq[0][k + 1], MPFR_RNDN);
                mpfr_mul_ui(m, m, 2, MPFR_RNDN);
            }
            mpfr_mul(x, m, d[i], MPFR_RNDN);
            mpfr_add(p[j], p[j], x, MPFR_RNDN);
        }
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            mpfr_clear(qq[i][j]);
    for (int i = 0; i < 3; ++i)
        mpfr_clear(d[i]);
    mpfr_clears(m, x, (mpfr_ptr)0);
}

/* sqrt(v . v) - s, all times w; *sign from v . v - s^2. */
static void norm_gap(mpfr_t v[3], mpfr_t s, mpfr_t gap, int *sign)
{
    mpfr_t sum, x;
    mpfr_inits2(mpfr_get_prec(gap), sum, x, (mpfr_ptr)0);
    mpfr_set_zero(sum, 1);
    for (int i = 0; i < 3; ++i) {
        mpfr_sqr(x, v[i], MPFR_RNDN);
        mpfr_add(sum, sum, x, MPFR_RNDN);
    }
    mpfr_sqr(x, s, MPFR_RNDN);
    mpfr_sub(x, sum, x, MPFR_RNDN);
    *sign = mpfr_sgn(x);
    if (mpfr_inexflag_p())
        *sign = 2;
    mpfr_sqrt(sum, sum, MPFR_RNDN);
    mpfr_sub(gap, sum, s, MPFR_RNDN);
    mpfr_clears(sum, x, (mpfr_ptr)0);
}

static int gap_with(const oracle_pair *pair, mpfr_prec_t prec, mpfr_t out)
{
    mpfr_t p[3], w, s, x, gap;
    for (int i = 0; i < 3; ++i)
        mpfr_init2(p[i], prec);
    mpfr_inits2(prec, w, s, x, gap, (mpfr_ptr)0);
    mpfr_clear_flags();
    to_local(pair, prec, p, w);
    int sign = 2;
    mpfr_set_d(s, pair->radius, MPFR_RNDN);
    switch (pair->kind) {
    case ORACLE_SPHERE:
    case ORACLE_CAPSULE:
        mpfr_add_d(s, s, pair->other_radius, MPFR_RNDN);
        mpfr_mul(s, s, w, MPFR_RNDN);
        if (pair->kind == ORACLE_CAPSULE) {
            mpfr_abs(p[2], p[2], MPFR_RNDN);
            mpfr_mul_d(x, w, pair->height, MPFR_RNDN);
            mpfr_div_2ui(x, x, 1, MPFR_RNDN);
            mpfr_sub(p[2], p[2], x, MPFR_RNDN);
            if (mpfr_sgn(p[2]) < 0)
                mpfr_set_zero(p[2], 1);
        }
        norm_gap(p, s, gap, &sign);
        break;
    case ORACLE_BOX: {
        const double half[3] = { pair->half.x, pair->half.y, pair->half.z };
        mpfr_mul(s, s, w, MPFR_RNDN);
        int deepest = 0, outside = 0;
        for (int i = 0; i < 3; ++i) {
            mpfr_abs(p[i], p[i], MPFR_RNDN);
            mpfr_mul_d(x, w, half[i], MPFR_RNDN);
            mpfr_sub(p[i], p[i], x, MPFR_RNDN);
            outside += mpfr_sgn(p[i]) > 0;
            if (mpfr_cmp(p[i], p[deepest]) > 0)
                deepest = i;
        }
        if (outside == 0) {
            mpfr_sub(gap, p[deepest], s, MPFR_RNDN);
            sign = mpfr_inexflag_p() ? 2 : mpfr_sgn(gap);
        } else {
            for (int i = 0; i < 3; ++i)
                if (mpfr_sgn(p[i]) < 0)
                    mpfr_set_zero(p[i], 1);
            norm_gap(p, s, gap, &sign);
        }
        break;
    }
    default: { /* half-space: the vector is (n . p - offset w, 0, 0), the radius r w |n| */
        const double n[3] = { pair->normal.x, pair->normal.y, pair->normal.z };
        mpfr_t length, height, y;
        mpfr_inits2(prec, length, height, y, (mpfr_ptr)0);
        mpfr_set_zero(length, 1);
        mpfr_mul_d(height, w, -pair->offset, MPFR_RNDN);
        for (int i = 0; i < 3; ++i) {
            mpfr_mul_d(x, p[i], n[i], MPFR_RNDN);
            mpfr_add(height, height, x, MPFR_RNDN);
            mpfr_set_d(x, n[i], MPFR_RNDN);
            mpfr_sqr(x, x, MPFR_RNDN);
            mpfr_add(length, length, x, MPFR_RNDN);
        }
        mpfr_mul(s, s, w, MPFR_RNDN);
        mpfr_sqr(x, s, MPFR_RNDN);
        mpfr_mul(x, x, length, MPFR_RNDN);
        mpfr_sqr(y, height, MPFR_RNDN);
        mpfr_sub(x, y, x, MPFR_RNDN);
        sign = mpfr_inexflag_p() ? 2 : mpfr_sgn(height) <= 0 ? -1 : mpfr_sgn(x);
        mpfr_sqrt(length, length, MPFR_RNDN);
        mpfr_div(gap, height, length, MPFR_RNDN);
        mpfr_sub(gap, gap, s, MPFR_RNDN);
        mpfr_clears(length, height, y, (mpfr_ptr)0);
    }
    }
    /* Rounding errors are relative to the largest number in it; this is how many bits are left. */
    mpfr_abs(x, s, MPFR_RNDN);
    for (int i = 0; i < 3; ++i)
        mpfr_hypot(x, x, p[i], MPFR_RNDN);
    mpfr_mul_d(s, w, pair->half.x + pair->half.y + pair->half.z + pair->height, MPFR_RNDN);
    mpfr_add(x, x, s, MPFR_RNDN);
    if (sign == 2 && !mpfr_zero_p(gap) && mpfr_get_exp(gap) > mpfr_get_exp(x) - (mpfr_exp_t)prec / 2)
        sign = mpfr_sgn(gap);
    mpfr_div(gap, gap, w, MPFR_RNDN);
    if (sign == 0)
        mpfr_set_zero(gap, 1);
    mpfr_set(out, gap, MPFR_RNDN);
    for (int i = 0; i < 3; ++i)
        mpfr_clear(p[i]);
    mpfr_clears(w, s, x, gap, (mpfr_ptr)0);
    return sign;
}

int oracle_sphere_gap(const oracle_pair *pair, mpfr_t gap)
{
    const int sign = gap_with(pair, COARSE, gap);
    /* 512 bits decide, and leave 200 right ones, unless it is close; offsets and far centres
     * cancel at most 2^-120 in the tests. */
    if (sign != 2 && sign != 0)
        return sign;
    const int exact = gap_with(pair, FINE, gap);
    if (exact == 2)
        abort(); /* the tests must not ask for more */
    return exact;
}
