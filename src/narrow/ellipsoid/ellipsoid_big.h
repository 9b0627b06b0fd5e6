/* SPDX-License-Identifier: MIT */
/* Big integers that are written like numbers: values in a room of limbs that only grows, and is
 * cut back to a mark when what was made since is not needed. When the room is full everything
 * becomes 0 and `full` is set: whoever reads a result checks it first. */
#ifndef ABUT_NARROW_ELLIPSOID_ELLIPSOID_BIG_H
#define ABUT_NARROW_ELLIPSOID_ELLIPSOID_BIG_H

#include "math/bigint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct big {
    int n; /* signed length, as in math/bigint.h */
    uint64_t *limbs;
} big;

typedef struct big_room {
    int used, size;
    bool full;
    uint64_t *limbs;
} big_room;

static const big big_zero = { 0, NULL };

/* Room for this many limbs; NULL, and full, where there is none. */
static inline uint64_t *big_limbs(big_room *r, int count)
{
    if (r->full || count > r->size - r->used) {
        r->full = true;
        return NULL;
    }
    return r->limbs + r->used;
}

/* A result of length n that stands at the end of what is used. */
static inline big big_took(big_room *r, uint64_t *limbs, int n)
{
    r->used += abs(n);
    return (big){ n, limbs };
}

static inline big big_mul(big_room *r, big a, big b)
{
    uint64_t *limbs;
    if (a.n == 0 || b.n == 0 || !(limbs = big_limbs(r, abs(a.n) + abs(b.n))))
        return big_zero;
    return big_took(r, limbs, abut_z_mul(limbs, a.limbs, a.n, b.limbs, b.n));
}

static inline big big_add(big_room *r, big a, big b)
{
    if (a.n == 0 || b.n == 0)
        return a.n ? a : b;
    uint64_t *limbs = big_limbs(r, (abs(a.n) > abs(b.n) ? abs(a.n) : abs(b.n)) + 1);
    if (!limbs)
        return big_zero;
    return big_took(r, limbs, abut_z_add(limbs, a.limbs, a.n, b.limbs, b.n));
}

static inline big big_neg(big a)
{
    return (big){ -a.n, a.limbs };
}

static inline big big_sub(big_room *r, big a, big b)
{
    return big_add(r, a, big_neg(b));
}

static inline big big_int(big_room *r, int64_t x)
{
    uint64_t *limbs = big_limbs(r, 1);
    return limbs ? big_took(r, limbs, abut_z_from_int(limbs, x)) : big_zero;
}

/* k a */
static inline big big_times(big_room *r, int64_t k, big a)
{
    uint64_t limb;
    const int n = abut_z_from_int(&limb, k);
    return big_mul(r, (big){ n, &limb }, a);
}

static inline big big_shl(big_room *r, big a, int bits)
{
    uint64_t *limbs;
    if (a.n == 0 || !(limbs = big_limbs(r, abs(a.n) + bits / 64 + 1)))
        return big_zero;
    return big_took(r, limbs, abut_z_shl(limbs, a.limbs, a.n, bits));
}

/* x / 2^e, for an e that leaves an integer. */
static inline big big_double(big_room *r, double x, int e)
{
    int64_t m;
    int own;
    abut_z_split_double(x, &m, &own);
    uint64_t limb;
    const int n = abut_z_from_int(&limb, m);
    return n == 0 ? big_zero : big_shl(r, (big){ n, &limb }, own - e);
}

static inline int big_sign(big a)
{
    return (a.n > 0) - (a.n < 0);
}

/* The same number in limbs of its own, after all there are. */
static inline big big_copy(big_room *r, big a)
{
    uint64_t *limbs;
    if (a.n == 0 || !(limbs = big_limbs(r, abs(a.n))))
        return big_zero;
    memcpy(limbs, a.limbs, (size_t)abs(a.n) * sizeof *limbs);
    return big_took(r, limbs, a.n);
}

/* The value moves down to the mark, and what was made since is forgotten. */
static inline big big_keep(big_room *r, int mark, big a)
{
    if (abs(a.n) > r->size - mark)
        r->full = true;
    if (r->full)
        a.n = 0;
    if (a.n)
        memmove(r->limbs + mark, a.limbs, (size_t)abs(a.n) * sizeof *a.limbs);
    r->used = mark + abs(a.n);
    return (big){ a.n, r->limbs + mark };
}

/* a b + c d */
static inline big big_mul2(big_room *r, big a, big b, big c, big d)
{
    const int mark = r->used;
    return big_keep(r, mark, big_add(r, big_mul(r, a, b), big_mul(r, c, d)));
}

static inline big big_dot(big_room *r, const big a[3], const big b[3])
{
    const int mark = r->used;
    big sum = big_mul(r, a[0], b[0]);
    for (int i = 1; i < 3; ++i)
        sum = big_add(r, sum, big_mul(r, a[i], b[i]));
    return big_keep(r, mark, sum);
}

/* Exponent of the lowest bit of all that are not 0; `lowest` where all are. */
static inline int big_exponent(const double *x, int count, int lowest)
{
    for (int i = 0; i < count; ++i) {
        int64_t m;
        int e;
        abut_z_split_double(x[i], &m, &e);
        if (m && e < lowest)
            lowest = e;
    }
    return lowest;
}

#endif
