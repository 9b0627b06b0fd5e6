/* SPDX-License-Identifier: MIT */
/* Polynomials of degree at most 3 with exact integer coefficients, their roots in (0, 1) as
 * algebraic numbers, and exact signs of other polynomials at these roots.
 *
 * A polynomial is kept in the homogeneous (scaled Bernstein) form: the sum of c[i] (1 - t)^(degree
 * - i) t^i. Products of positions that move linearly come out in this form without any conversion,
 * the signs at t = 0 and t = 1 are those of the first and last coefficient, and the sign changes in
 * between bound the number of roots (Descartes).
 *
 * All numbers live in one block of slots of equal length. A result that does not fit sets
 * `failed`, and all results after that are meaningless: the caller checks once, at the end, and
 * starts again with a larger block. Nothing is allocated here. */
#ifndef ABUT_CCD_MESH_ALGEBRAIC_H
#define ABUT_CCD_MESH_ALGEBRAIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* |n| limbs, least first; the sign of n is the number's (math/bigint.h). */
typedef struct abut_alg_number {
    int n;
    uint64_t *d;
} abut_alg_number;

typedef struct abut_alg_polynomial {
    int degree;
    abut_alg_number c[4];
} abut_alg_polynomial;

typedef struct abut_alg {
    uint64_t *limbs;
    int slots, used; /* in numbers */
    int slot;        /* limbs of a number */
    bool failed;
    uint64_t signs; /* taken at roots so far */
} abut_alg;

typedef enum abut_alg_place { ABUT_ALG_START, ABUT_ALG_END, ABUT_ALG_INSIDE } abut_alg_place;

/* A time: 0, 1, or the only root of f in the open interval (m, m + 1) / 2^level. Inside, f has
 * no multiple roots, does not vanish at 0 or 1, and degree 1 means a rational time. */
typedef struct abut_alg_root {
    abut_alg_place place;
    abut_alg_polynomial f;
    /* Bernstein coefficients of f on that interval, times a constant; not for degree 1 */
    abut_alg_polynomial piece;
    abut_alg_number m;
    int level;
    double lo, hi; /* the root is in [lo, hi]: equal doubles, neighbours, or two apart */
} abut_alg_root;

/* `slots` numbers of `slot` limbs in the block `limbs`. */
void abut_alg_begin(abut_alg *a, uint64_t *limbs, int slots, int slot);

/* A new number, zero. */
abut_alg_number abut_alg_new(abut_alg *a);
/* x / 2^e, where e is at most the exponent of x's lowest bit. */
void abut_alg_set_double(abut_alg *a, abut_alg_number *r, double x, int e);
/* r may be x or y. */
void abut_alg_add(abut_alg *a, abut_alg_number *r, const abut_alg_number *x, const abut_alg_number *y);
void abut_alg_sub(abut_alg *a, abut_alg_number *r, const abut_alg_number *x, const abut_alg_number *y);
/* r may not be x or y. */
void abut_alg_mul(abut_alg *a, abut_alg_number *r, const abut_alg_number *x, const abut_alg_number *y);
/* r += x y and r -= x y */
void abut_alg_add_product(abut_alg *a, abut_alg_number *r, const abut_alg_number *x,
                          const abut_alg_number *y);
void abut_alg_sub_product(abut_alg *a, abut_alg_number *r, const abut_alg_number *x,
                          const abut_alg_number *y);

bool abut_alg_is_zero(const abut_alg_polynomial *f);
/* Coefficients as doubles, all divided by the same power of two, which makes the largest about
 * 1; the rounding of each is less than 2^-52 of itself, or 2^-1000. */
void abut_alg_round(const abut_alg_polynomial *f, double c[4]);

/* The distinct roots of a polynomial in the open interval (0, 1), appended to out[count...], with
 * enclosures; returns the new count. It is not the zero polynomial, and has at most 3. */
int abut_alg_roots(abut_alg *a, const abut_alg_polynomial *given, abut_alg_root *out, int count);
/* The time t in [0, 1], a double. */
void abut_alg_time(abut_alg *a, double t, abut_alg_root *out);
/* The sign of a polynomial at a root: -1, 0 or 1. It may narrow the interval of the root. */
int abut_alg_sign(abut_alg *a, const abut_alg_polynomial *given, abut_alg_root *root);

#endif
