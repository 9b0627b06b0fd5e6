/* SPDX-License-Identifier: MIT */
/* Exact signs and exact isolation of real roots with integers.
 *
 * Method: to count roots between doubles x0 < x1, substitute x = x0 + (x1 - x0) t, then t = 1 / (1
 * + s), so that 0 < t < 1 becomes 0 < s; the sign changes of the coefficients in s are Descartes'
 * bound: 0 and 1 decide, else the interval is split between doubles. Between adjacent doubles the
 * substituted polynomial in t takes over, and its roots are only counted: none, one, or more. For a
 * polynomial without multiple roots this ends (G. E. Collins and A. G. Akritas, 1976), unless the
 * budget ends first.
 *
 * Surprise: every substitution starts from the original coefficients. Going from parent to child
 * would need as many additions of numbers as long, and a stack of polynomials besides. */
#include "math/poly_exact.h"

#include "math/bigint.h"

#include <math.h>
#include <string.h>

static int64_t size_of(int n)
{
    return n < 0 ? -n : n;
}

static uint64_t *at(const abut_zpoly *p, int i)
{
    return p->limbs + (ptrdiff_t)i * p->stride;
}

static uint64_t *take(abut_zpoly_memory *mem, int64_t limbs)
{
    if (limbs > ABUT_ZPOLY_LIMBS - mem->used)
        return NULL;
    uint64_t *const block = mem->limbs + mem->used;
    mem->used += (int)limbs;
    return block;
}

static bool work(abut_zpoly_memory *mem, int64_t products)
{
    mem->work_left -= products;
    return mem->work_left >= 0;
}

static int longest_bits(const abut_zpoly *p)
{
    int most = 0;
    for (int i = 0; i <= p->degree; ++i) {
        const int bits = abut_z_bits(at(p, i), p->size[i]);
        if (bits > most)
            most = bits;
    }
    return most;
}

static void drop_leading_zeros(abut_zpoly *p)
{
    while (p->degree >= 0 && p->size[p->degree] == 0)
        --p->degree;
}

bool abut_zpoly_from_doubles(abut_zpoly_memory *mem, const double *terms, int per_coefficient, int degree,
                             abut_zpoly *out)
{
    int lowest = INT32_MAX, highest = INT32_MIN;
    const int count = (degree + 1) * per_coefficient;
    for (int i = 0; i < count; ++i)
        if (terms[i] != 0) {
            int64_t m;
            int e;
            abut_z_split_double(terms[i], &m, &e);
            lowest = e < lowest ? e : lowest;
            e = ilogb(terms[i]);
            highest = e > highest ? e : highest;
        }
    out->degree = -1;
    out->stride = 0;
    out->limbs = mem->limbs;
    if (lowest == INT32_MAX)
        return true;
    /* A term shifted up has at most that many limbs, and the shift writes one more; sums of up
     * to 2^64 terms need one. */
    const int stride = (highest - lowest) / 64 + 4, before = mem->used;
    out->stride = stride;
    out->limbs = take(mem, (int64_t)(degree + 1) * stride);
    uint64_t *const term = take(mem, stride);
    if (!term) {
        mem->used = before;
        return false;
    }
    out->degree = degree;
    for (int i = 0; i <= degree; ++i) {
        int n = 0;
        for (int j = 0; j < per_coefficient; ++j)
            n = abut_z_add(at(out, i), at(out, i), n, term,
                           abut_z_from_double(term, terms[i * per_coefficient + j], lowest));
        out->size[i] = n;
    }
    mem->used -= stride;
    drop_leading_zeros(out);
    return true;
}

void abut_zpoly_round(const abut_zpoly *p, abut_poly *out)
{
    const int bits = longest_bits(p);
    out->degree = p->degree;
    out->has_low = out->has_error = true;
    for (int i = 0; i <= p->degree; ++i)
        out->c[i] = abut_z_to_double(at(p, i), p->size[i], -bits, &out->low[i], &out->error[i]);
}

int abut_zpoly_sign(abut_zpoly_memory *mem, const abut_zpoly *p, double y, int k)
{
    const int n = p->degree, before = mem->used;
    if (y == 0 || n == 0)
        return abut_z_sign(p->size[0]);
    int64_t m;
    int e;
    abut_z_split_double(y, &m, &e);
    e += k;
    /* Horner for 2^(-e n) p(m 2^e) where e < 0: coefficient i is shifted by -e (n - i). */
    const int64_t bits = longest_bits(p) + (int64_t)n * (e >= 0 ? 53 + e : -e > 53 ? -e : 53) + 8;
    const int64_t limbs = bits / 64 + 3;
    uint64_t *sum = take(mem, limbs), *product = take(mem, limbs), *shifted = take(mem, limbs);
    if (!shifted || !work(mem, n * limbs)) {
        mem->used = before;
        return ABUT_SIGN_UNKNOWN;
    }
    uint64_t factor;
    const int factor_size = abut_z_from_int(&factor, m);
    int size = abut_z_add(sum, at(p, n), p->size[n], sum, 0);
    for (int i = n; i-- > 0;) {
        int grown = abut_z_mul(product, sum, size, &factor, factor_size);
        if (e > 0)
            grown = abut_z_shl(product, product, grown, e);
        int added = p->size[i];
        const uint64_t *c = at(p, i);
        if (e < 0) {
            added = abut_z_shl(shifted, c, added, -e * (n - i));
            c = shifted;
        }
        size = abut_z_add(sum, product, grown, c, added);
    }
    mem->used = before;
    return abut_z_sign(size);
}

/* p(x) becomes p(x + shift). */
static void taylor_shift(abut_zpoly *p, const uint64_t *shift, int shift_size, uint64_t *product)
{
    const int n = p->degree;
    for (int i = 0; i < n; ++i)
        for (int j = n - 1; j >= i; --j) {
            const int size = abut_z_mul(product, at(p, j + 1), p->size[j + 1], shift, shift_size);
            p->size[j] = abut_z_add(at(p, j), at(p, j), p->size[j], product, size);
        }
}

/* q(t) = 2^s p(x0 + (x1 - x0) t), divided by the power of two common to its coefficients. */
static bool substitute(abut_zpoly_memory *mem, const abut_zpoly *p, double x0, double x1, abut_zpoly *q)
{
    enum { POINT = ABUT_Z_DOUBLE_LIMBS + 1 };
    const int n = p->degree, before = mem->used;
    int64_t m;
    int e0, e1;
    abut_z_split_double(x0, &m, &e0);
    if (m == 0)
        e0 = INT32_MAX;
    abut_z_split_double(x1, &m, &e1);
    if (m == 0)
        e1 = INT32_MAX;
    int e = e0 < e1 ? e0 : e1;
    if (e > 0)
        e = 0;
    uint64_t from[POINT], width[POINT];
    const int from_size = abut_z_from_double(from, x0, e);
    int width_size = abut_z_from_double(width, x1, e);
    const int point_bits = abut_z_bits(width, width_size) > abut_z_bits(from, from_size)
                               ? abut_z_bits(width, width_size)
                               : abut_z_bits(from, from_size);
    width_size = abut_z_add(width, width, width_size, from, -from_size);

    /* Each of the n steps of a term multiplies by 2^-e or by a point or by their difference (one
     * bit more); the shift adds up 2^n terms, and so do the sums of descartes() later. */
    const int64_t bits = longest_bits(p) + (int64_t)n * (-e > point_bits ? -e : point_bits) + 3 * n + 8;
    const int64_t stride = bits / 64 + 3;
    q->limbs = take(mem, (n + 1) * stride);
    uint64_t *const product = take(mem, stride + POINT);
    if (!product ||
        !work(mem, (int64_t)n * (n + 2) * stride * (size_of(from_size) + size_of(width_size) + 1) / 2)) {
        mem->used = before;
        return false;
    }
    q->degree = n;
    q->stride = (int)stride;
    for (int i = 0; i <= n; ++i)
        q->size[i] = abut_z_shl(at(q, i), at(p, i), p->size[i], -e * (n - i));
    if (from_size != 0)
        taylor_shift(q, from, from_size, product);
    for (int i = 1; i <= n; ++i)
        for (int j = i; j <= n; ++j) { /* coefficient j gets width^j */
            const int size = abut_z_mul(product, at(q, j), q->size[j], width, width_size);
            q->size[j] = abut_z_add(at(q, j), product, size, product, 0);
        }
    int zeros = INT32_MAX;
    for (int i = 0; i <= n; ++i)
        if (q->size[i] != 0) {
            const int z = abut_z_trailing_zeros(at(q, i), q->size[i]);
            zeros = z < zeros ? z : zeros;
        }
    for (int i = 0; i <= n && zeros > 0; ++i)
        q->size[i] = abut_z_shr(at(q, i), at(q, i), q->size[i], zeros);
    mem->used -= (int)stride + POINT;
    return true;
}

/* Sign changes of the Bernstein coefficients of p on (x0, x1), zeros skipped; -1: out of budget.
 * *sign_inside gets the sign of p just right of x0. */
static int descartes(abut_zpoly_memory *mem, const abut_zpoly *p, double x0, double x1, int *sign_inside)
{
    const int before = mem->used;
    abut_zpoly q;
    if (!substitute(mem, p, x0, x1, &q)) {
        mem->used = before;
        return -1;
    }
    const int n = q.degree;
    int lowest = 0;
    while (q.size[lowest] == 0)
        ++lowest;
    *sign_inside = abut_z_sign(q.size[lowest]);
    /* The coefficient of s^(n-j) is the sum over i of binomial(n - i, n - j) q_i: n - j + 1
     * rounds of partial sums. */
    int changes = 0, last = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 1; j <= n - i; ++j)
            q.size[j] = abut_z_add(at(&q, j), at(&q, j), q.size[j], at(&q, j - 1), q.size[j - 1]);
    for (int i = 0; i <= n; ++i) {
        const int sign = abut_z_sign(q.size[i]);
        if (sign != 0) {
            changes += last != 0 && sign != last;
            last = sign;
        }
    }
    mem->used = before;
    return changes;
}

/* How many roots p has strictly between x0 and x1, 2 meaning more than one; -1: out of budget. */
static int count_between(abut_zpoly_memory *mem, const abut_zpoly *p, double x0, double x1, int level)
{
    enum { DEPTH = 46 };
    const int before = mem->used;
    abut_zpoly q;
    double end[DEPTH + 2]; /* right ends of the open intervals still to be examined */
    int top = 0, count = 0;
    if (!substitute(mem, p, x0, x1, &q)) {
        mem->used = before;
        return -1;
    }
    end[top++] = 1;
    double t0 = 0;
    while (top > 0 && count < 2) {
        const double t1 = end[top - 1];
        int sign, found = descartes(mem, &q, t0, t1, &sign);
        if (found < 0) {
            count = -1;
            break;
        }
        if (found >= 2) {
            const double m = 0.5 * (t0 + t1);
            if (t1 - t0 > 0x1p-46 && top <= DEPTH) {
                end[top++] = m;
                continue;
            }
            found = level < 3 ? count_between(mem, &q, t0, t1, level + 1) : -1;
            if (found < 0) {
                count = -1;
                break;
            }
        }
        count += found;
        --top;
        if (top > 0) {
            sign = abut_zpoly_sign(mem, &q, t1, 0);
            if (sign == ABUT_SIGN_UNKNOWN) {
                count = -1;
                break;
            }
            count += sign == 0;
        }
        t0 = t1;
    }
    mem->used = before;
    return count > 2 ? 2 : count;
}

/* Doubles in order, as integers: neighbours differ by 1. */
static int64_t rank_of(double x)
{
    int64_t b;
    memcpy(&b, &x, sizeof b);
    return b >= 0 ? b : INT64_MIN - b;
}

static double of_rank(int64_t r)
{
    const int64_t b = r >= 0 ? r : INT64_MIN - r;
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

static int64_t middle(int64_t a, int64_t b)
{
    return (a >> 1) + (b >> 1) + (a & b & 1);
}

static int append(abut_poly_item *items, int count, int capacity, abut_poly_item item)
{
    if (count < capacity) {
        items[count] = item;
        return count + 1;
    }
    abut_poly_item *last = &items[count - 1]; /* no room: the last item takes it in */
    last->b = item.b;
    last->sign_b = item.sign_b;
    last->decided = false;
    last->multiplicity += item.multiplicity;
    return count;
}

/* One root strictly between a and b, where p has sign_a just right of a: as narrow as doubles
 * allow. */
static abut_poly_item narrow(abut_zpoly_memory *mem, const abut_zpoly *p, double a, double b, int sign_a,
                             int multiplicity)
{
    int64_t ra = rank_of(a), rb = rank_of(b);
    bool moved_a = false, moved_b = false;
    while (rb - ra > 1) {
        const int64_t m = middle(ra, rb);
        const int sign = abut_zpoly_sign(mem, p, of_rank(m), 0);
        if (sign == 0)
            return (abut_poly_item){ of_rank(m), of_rank(m), true, multiplicity, 0, 0 };
        if (sign == ABUT_SIGN_UNKNOWN)
            break;
        if (sign == sign_a) {
            ra = m;
            moved_a = true;
        } else {
            rb = m;
            moved_b = true;
        }
    }
    /* An end that did not move may be a root itself, counted apart. */
    const int end_a = moved_a ? sign_a : abut_zpoly_sign(mem, p, a, 0);
    const int end_b = moved_b ? -sign_a : abut_zpoly_sign(mem, p, b, 0);
    return (abut_poly_item){ of_rank(ra),
                             of_rank(rb),
                             true,
                             multiplicity,
                             end_a == sign_a ? end_a : 0,
                             end_b == -sign_a ? end_b : 0 };
}

int abut_zpoly_isolate(abut_zpoly_memory *mem, const abut_zpoly *p, double lo, double hi, int multiplicity,
                       abut_poly_item *items, int count, int capacity)
{
    enum { DEPTH = 72 }; /* halving ranks of 64 bits */
    int64_t end[DEPTH];
    int top = 0;
    int64_t x0 = rank_of(lo);
    int sign0 = abut_zpoly_sign(mem, p, lo, 0);
    if (sign0 == 0)
        count = append(items, count, capacity, (abut_poly_item){ lo, lo, true, multiplicity, 0, 0 });
    if (lo < hi)
        end[top++] = rank_of(hi);
    while (top > 0) {
        const int64_t x1 = end[top - 1];
        const double a = of_rank(x0), b = of_rank(x1);
        int inside, found = descartes(mem, p, a, b, &inside);
        if (found >= 2 && x1 - x0 > 1) {
            end[top++] = middle(x0, x1);
            continue;
        }
        const int most = found < 0 ? p->degree : found;
        if (found >= 2)
            found = count_between(mem, p, a, b, 0);
        const int sign1 = abut_zpoly_sign(mem, p, b, 0);
        if (found == 1)
            count = append(items, count, capacity, narrow(mem, p, a, b, inside, multiplicity));
        else if (found != 0)
            count = append(items, count, capacity,
                           (abut_poly_item){ a, b, false, most * multiplicity,
                                             sign0 == ABUT_SIGN_UNKNOWN ? 0 : sign0,
                                             sign1 == ABUT_SIGN_UNKNOWN ? 0 : sign1 });
        if (sign1 == 0)
            count = append(items, count, capacity, (abut_poly_item){ b, b, true, multiplicity, 0, 0 });
        else if (sign1 == ABUT_SIGN_UNKNOWN)
            count = append(items, count, capacity, (abut_poly_item){ b, b, false, multiplicity, 0, 0 });
        sign0 = sign1;
        x0 = x1;
        --top;
    }
    return count;
}
