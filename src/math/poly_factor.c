/* SPDX-License-Identifier: MIT */
/* Multiplicities of roots: the square-free decomposition of an integer polynomial, by primes.
 *
 * Method: modulo a prime of 62 bits the decomposition takes microseconds (Musser's scheme: greatest
 * common divisors of what is left with its derivative). If p has no multiple factor modulo one
 * prime that does not divide its leading coefficient, it has none at all, and that decides all but
 * the truly degenerate cases. Else the factors, scaled to the leading coefficient of p so that they
 * are integers, are put together from several primes by the Chinese remainder theorem until they no
 * longer change, and proved: their product with multiplicities is p up to a constant, and, as their
 * product without multiplicities has no multiple factor modulo the prime, the factors have neither
 * multiple nor common roots. No prime can make that proof wrong. Size: the factor scaled so has
 * coefficients of at most 2^n |p| (M. Mignotte, Mathematics for Computer Algebra, 1992), which
 * limits the number of primes.
 *
 * Source: D. R. Musser, Algorithms for polynomial factorization, 1971. */
#include "math/bigint.h"
#include "math/poly_exact.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { PRIMES = 44 };

/* 2^62 minus these are the largest primes below 2^62. */
static const uint16_t below[PRIMES] = { 57,   87,   117,  143,  153,  167,  171,  195,  203,  273,  287,
                                        317,  443,  483,  495,  575,  581,  603,  633,  663,  765,  773,
                                        777,  791,  813,  831,  923,  981,  993,  1001, 1007, 1017, 1197,
                                        1241, 1293, 1353, 1433, 1515, 1553, 1575, 1581, 1595, 1617, 1673 };

typedef struct modular {
    int degree; /* -1: zero */
    uint64_t c[ABUT_POLY_TERMS];
} modular;

static uint64_t times(uint64_t a, uint64_t b, uint64_t q)
{
    return (uint64_t)((wide)a * b % q);
}

static uint64_t inverse(uint64_t a, uint64_t q)
{
    uint64_t result = 1; /* a^(q - 2) */
    for (uint64_t e = q - 2; e; e >>= 1) {
        if (e & 1)
            result = times(result, a, q);
        a = times(a, a, q);
    }
    return result;
}

static void trim(modular *a)
{
    while (a->degree >= 0 && a->c[a->degree] == 0)
        --a->degree;
}

static void make_monic(modular *a, uint64_t q)
{
    if (a->degree < 0 || a->c[a->degree] == 1)
        return;
    const uint64_t factor = inverse(a->c[a->degree], q);
    for (int i = 0; i <= a->degree; ++i)
        a->c[i] = times(a->c[i], factor, q);
}

static modular derivative(const modular *a, uint64_t q)
{
    modular d = { .degree = a->degree - 1 };
    for (int i = 1; i <= a->degree; ++i)
        d.c[i - 1] = times(a->c[i], (uint64_t)i, q);
    return d;
}

/* a becomes the remainder by b, which is monic; the quotient is filled where it is wanted. */
static void divide(modular *a, const modular *b, modular *quotient, uint64_t q)
{
    if (quotient) {
        quotient->degree = a->degree - b->degree;
        memset(quotient->c, 0, sizeof quotient->c);
    }
    for (int shift = a->degree - b->degree; shift >= 0; --shift) {
        const uint64_t factor = a->c[shift + b->degree];
        if (quotient)
            quotient->c[shift] = factor;
        if (factor)
            for (int i = 0; i <= b->degree; ++i) {
                const uint64_t product = times(factor, b->c[i], q);
                uint64_t *x = &a->c[shift + i];
                *x = *x >= product ? *x - product : *x + (q - product);
            }
    }
    if (a->degree >= b->degree)
        a->degree = b->degree - 1;
    trim(a);
}

/* Monic. */
static modular common_divisor(modular a, modular b, uint64_t q)
{
    while (b.degree >= 0) {
        make_monic(&b, q);
        divide(&a, &b, NULL, q);
        const modular t = a;
        a = b;
        b = t;
    }
    make_monic(&a, q);
    return a;
}

static modular quotient_of(modular a, const modular *b, uint64_t q)
{
    modular result;
    divide(&a, b, &result, q);
    return result;
}

/* factor[k], monic, for k = 1 .. result. p is monic. */
static int decompose(const modular *p, uint64_t q, modular factor[ABUT_POLY_TERMS])
{
    modular rest = common_divisor(*p, derivative(p, q), q);
    modular distinct = quotient_of(*p, &rest, q);
    int k = 0;
    while (distinct.degree > 0) {
        const modular again = common_divisor(distinct, rest, q);
        factor[++k] = quotient_of(distinct, &again, q);
        distinct = again;
        rest = quotient_of(rest, &again, q);
    }
    return k;
}

static bool reduce(const abut_zpoly *p, uint64_t q, modular *out)
{
    out->degree = p->degree;
    for (int i = 0; i <= p->degree; ++i)
        out->c[i] = abut_z_mod(p->limbs + (ptrdiff_t)i * p->stride, p->size[i], q);
    return out->c[p->degree] != 0;
}

static uint64_t *coefficient(const abut_zpoly *p, int i)
{
    return p->limbs + (ptrdiff_t)i * p->stride;
}

static int longest(const abut_zpoly *p)
{
    int most = 0;
    for (int i = 0; i <= p->degree; ++i) {
        const int n = p->size[i] < 0 ? -p->size[i] : p->size[i];
        most = n > most ? n : most;
    }
    return most;
}

static bool take(abut_zpoly_memory *mem, abut_zpoly *p, int degree, int stride)
{
    const int64_t limbs = (int64_t)(degree + 1) * stride;
    if (limbs > ABUT_ZPOLY_LIMBS - mem->used)
        return false;
    p->degree = degree;
    p->stride = stride;
    p->limbs = mem->limbs + mem->used;
    memset(p->size, 0, sizeof p->size);
    mem->used += (int)limbs;
    return true;
}

static void drop_powers_of_two(abut_zpoly *p)
{
    int zeros = INT32_MAX;
    for (int i = 0; i <= p->degree; ++i)
        if (p->size[i]) {
            const int z = abut_z_trailing_zeros(coefficient(p, i), p->size[i]);
            zeros = z < zeros ? z : zeros;
        }
    for (int i = 0; i <= p->degree && zeros > 0; ++i)
        p->size[i] = abut_z_shr(coefficient(p, i), coefficient(p, i), p->size[i], zeros);
}

/* Is the product of factor[k]^k a multiple of p? Compared after cross-multiplication with the
 * leading coefficients. */
static bool product_is(abut_zpoly_memory *mem, const abut_zpoly *p, const abut_zpoly *factor, int largest)
{
    const int before = mem->used, n = p->degree;
    int limbs = 2;
    for (int k = 1; k <= largest; ++k)
        if (factor[k].degree > 0)
            limbs += k * (longest(&factor[k]) + 1);
    abut_zpoly product;
    bool same = false;
    const int both = limbs + longest(p) + 1;
    if (!take(mem, &product, n, limbs) || 2 * both > ABUT_ZPOLY_LIMBS - mem->used)
        goto done;
    uint64_t *const x = mem->limbs + mem->used, *const y = x + both;
    product.degree = 0;
    product.size[0] = abut_z_from_int(product.limbs, 1);
    for (int k = 1; k <= largest; ++k)
        for (int times_left = factor[k].degree > 0 ? k : 0; times_left > 0; --times_left) {
            const int d = factor[k].degree;
            product.degree += d;
            for (int i = product.degree; i >= 0;
                 --i) { /* from the top, so that the product can replace its factor */
                int sum = 0;
                for (int j = d; j >= 0; --j) {
                    if (i - j < 0 || i - j > product.degree - d)
                        continue;
                    const int m = abut_z_mul(y, coefficient(&product, i - j), product.size[i - j],
                                             coefficient(&factor[k], j), factor[k].size[j]);
                    sum = abut_z_add(x, x, sum, y, m);
                }
                product.size[i] = abut_z_add(coefficient(&product, i), x, sum, y, 0);
            }
            mem->work_left -= (int64_t)product.degree * (d + 1) * limbs * longest(&factor[k]);
            if (mem->work_left < 0)
                goto done;
        }
    same = product.degree == n;
    for (int i = 0; i <= n && same; ++i) {
        const int xn =
            abut_z_mul(x, coefficient(&product, i), product.size[i], coefficient(p, n), p->size[n]);
        const int yn =
            abut_z_mul(y, coefficient(p, i), p->size[i], coefficient(&product, n), product.size[n]);
        same = abut_z_compare(x, xn, y, yn) == 0;
    }
done:
    mem->used = before;
    return same;
}

/* Adds the residues of one prime: each coefficient becomes x + modulus t, the t of least size
 * that is right modulo q. False where all t are zero: nothing new was learnt. */
static bool combine(abut_zpoly *factor, const modular *residue, int largest, uint64_t lead, uint64_t q,
                    const uint64_t *modulus, int modulus_size)
{
    bool changed = false;
    const uint64_t m = abut_z_mod(modulus, modulus_size, q);
    const uint64_t m_inverse = inverse(m, q);
    for (int k = 1; k <= largest; ++k)
        for (int i = 0; i <= factor[k].degree && factor[k].degree > 0; ++i) {
            uint64_t *const x = coefficient(&factor[k], i);
            const uint64_t wanted = times(residue[k].c[i], lead, q),
                           have = abut_z_mod(x, factor[k].size[i], q);
            const uint64_t t = times(wanted >= have ? wanted - have : wanted + (q - have), m_inverse, q);
            if (t == 0)
                continue;
            changed = true;
            const bool negative = t > q / 2;
            const uint64_t step = negative ? q - t : t;
            uint64_t product[PRIMES + 2];
            const int size = abut_z_mul(product, modulus, modulus_size, &step, 1);
            factor[k].size[i] = abut_z_add(x, x, factor[k].size[i], product, negative ? -size : size);
        }
    return changed;
}

int abut_zpoly_factor(abut_zpoly_memory *mem, const abut_zpoly *p, abut_zpoly factor[ABUT_POLY_TERMS])
{
    const int n = p->degree, bits = 64 * longest(p) + n + 8;
    const int primes_needed = bits / 61 + 2;
    modular residue[ABUT_POLY_TERMS];
    uint64_t modulus[PRIMES + 2], product[PRIMES + 2];
    int modulus_size = 0, largest = 0, used = 0;
    const int before = mem->used;
    for (int i = 0; i < PRIMES; ++i) {
        const uint64_t q = (UINT64_C(1) << 62) - below[i];
        modular m = { 0 };
        if (!reduce(p, q, &m))
            continue;
        const uint64_t lead = m.c[n];
        make_monic(&m, q);
        mem->work_left -= 40 * n * n;
        if (mem->work_left < 0)
            break;
        const int found = decompose(&m, q, residue);
        if (found == 1) {
            mem->used = before;
            factor[1] = *p;
            return 1;
        }
        if (primes_needed > PRIMES)
            break;
        int distinct = 0, distinct_before = 0;
        bool alike = used > 0 && found == largest;
        for (int k = 1; k <= found; ++k) {
            distinct += residue[k].degree;
            alike = alike && residue[k].degree == factor[k].degree;
        }
        for (int k = 1; k <= largest; ++k)
            distinct_before += factor[k].degree;
        if (used > 0 && !alike && distinct <= distinct_before)
            continue; /* an unlucky prime sees more multiple roots than there are */
        if (!alike) {
            mem->used = before;
            largest = found;
            for (int k = 1; k <= largest; ++k)
                if (!take(mem, &factor[k], residue[k].degree, primes_needed + 2))
                    return 0;
            modulus_size = abut_z_from_int(modulus, 1);
            used = 0;
        }
        const bool changed = combine(factor, residue, largest, lead, q, modulus, modulus_size);
        const int size = abut_z_mul(product, modulus, modulus_size, &q, 1);
        modulus_size = abut_z_add(modulus, product, size, product, 0);
        ++used;
        if (changed && used < primes_needed)
            continue;
        for (int k = 1; k <= largest; ++k)
            if (factor[k].degree > 0)
                drop_powers_of_two(&factor[k]);
        if (product_is(mem, p, factor, largest))
            return largest;
        break;
    }
    mem->used = before;
    return 0;
}
