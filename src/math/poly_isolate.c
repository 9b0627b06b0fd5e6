/* SPDX-License-Identifier: MIT */
/* Real roots by Bernstein subdivision, with error bounds.
 *
 * Method: positive and negative roots are found separately, as |x|, so that all sizes can be
 * handled by powers of two. Root bounds (Kioustelidis) cut the half-line to 2^j .. 2^k; it is
 * covered by pieces of at most 512 / degree binary orders, each scaled to (0, 1] with coefficients
 * of at most 1. A piece is subdivided: the Bernstein coefficients of a subinterval have at least as
 * many sign changes as it has roots, and the same parity (Descartes). No change: no root; one
 * change: one simple root; else split. A sign counts only where the coefficient exceeds its error
 * bound. What is still open when all signs drown in rounding errors is returned as not decided.
 * Then each single root is enclosed by doubles with opposite signs: Newton finds where, a
 * compensated Horner scheme (twice the precision) decides the signs, and the caller's exact
 * arithmetic the few that even that leaves open.
 *
 * Sources: G. E. Collins and A. G. Akritas, Polynomial real root isolation using Descartes' rule of
 * signs, 1976; J. M. Lane and R. F. Riesenfeld, Bounds on a polynomial, BIT 21 (1981); S. Graillat,
 * P. Langlois and N. Louvet, Algorithms for accurate, validated and fast polynomial evaluation,
 * 2009; J. B. Kioustelidis, Bounds for positive roots of polynomials, 1986.
 *
 * Surprise: Bernstein coefficients are computed anew from the monomial ones in each subinterval.
 * De Casteljau's halving would be cheaper, but it inherits the absolute error of the parent, and
 * roots near zero would be lost. */
#include "math/poly_isolate.h"
#include "math/binomial.h"

#include "math/poly_piece.h"

#include <float.h>

typedef struct item_list {
    abut_poly_item *items;
    int count;
} item_list;

/* ---- Bernstein coefficients ---- */

/* Fills b and returns a bound on the error of each. Counting roundings on the way of a term: at
 * most 3n in the shift by ya, 2n + 3 in the scaling by w^i / binomial, n in the additions, 6n +
 * 3 together; the terms' sizes sum to at most |f|(yb). */
static ABUT_POLY_INLINE double bernstein_of(const abut_poly_piece *f, double ya, double yb, double *b,
                                            const int n)
{
    double size = 0, extra = 0;
    for (int i = n + 1; i-- > 0;) {
        b[i] = f->c[i];
        size = size * yb + fabs(f->c[i]);
    }
    if (f->has_error)
        for (int i = n + 1; i-- > 0;)
            extra = extra * yb + f->error[i];
    if (f->has_low)
        extra += size * 0x1p-51;
    if (ya != 0)
        for (int i = 0; i < n; ++i)
            for (int j = n - 1; j >= i; --j)
                b[j] += ya * b[j + 1];
    const double w = yb - ya;
    double power = 1;
    for (int i = 1; i <= n; ++i) {
        power *= w;
        b[i] *= power * f->inverse_binomial[i];
    }
    for (int i = 1; i <= n; ++i)
        for (int j = n; j >= i; --j)
            b[j] += b[j - 1];
    return (6 * n + 4) * 1.02 * ABUT_POLY_U * size + 1.02 * extra + ABUT_POLY_TINY;
}

/* Known degrees let the compiler unroll the triangles, which makes it several times faster. */
static double bernstein(const abut_poly_piece *f, double ya, double yb, double *b)
{
    switch (f->n) {
    case 1: return bernstein_of(f, ya, yb, b, 1);
    case 2: return bernstein_of(f, ya, yb, b, 2);
    case 3: return bernstein_of(f, ya, yb, b, 3);
    case 4: return bernstein_of(f, ya, yb, b, 4);
    case 5: return bernstein_of(f, ya, yb, b, 5);
    case 6: return bernstein_of(f, ya, yb, b, 6);
    default: return bernstein_of(f, ya, yb, b, f->n);
    }
}

/* The most sign changes that coefficients with these signs can have; unknown ones may be
 * anything. */
static int most_changes(const int *sign, int from, int to)
{
    int ends_plus = -100, ends_minus = -100, changes = 0, i = from + 1;
    for (; i <= to && sign[i - 1] != ABUT_SIGN_UNKNOWN; ++i) /* usually all are known */
        changes += sign[i] != sign[i - 1];
    if (i > to && sign[to] != ABUT_SIGN_UNKNOWN)
        return changes;
    for (i = from; i <= to; ++i) {
        const int plus = ends_minus + 1 > ends_plus ? ends_minus + 1 : ends_plus;
        const int minus = ends_plus + 1 > ends_minus ? ends_plus + 1 : ends_minus;
        ends_plus = sign[i] == -1 ? -100 : plus < 0 ? 0 : plus;
        ends_minus = sign[i] == 1 ? -100 : minus < 0 ? 0 : minus;
    }
    return ends_plus > ends_minus ? ends_plus : ends_minus;
}

/* ---- items ---- */

/* y 2^k as a double, rounded down or up where it is none. */
static double unscale(double y, int k, bool up, bool *exact)
{
    *exact = true;
    if (k == 0)
        return y;
    double x = piece_scale(y, k);
    if (isinf(x)) {
        *exact = false;
        return up ? x : DBL_MAX;
    }
    if (y != 0 && x < DBL_MIN) {
        const double back = scalbn(x, -k);
        if (back != y) {
            *exact = false;
            if (up && back < y)
                x = piece_from_bits(piece_bits_of(x) + 1);
            else if (!up && back > y)
                x = piece_from_bits(piece_bits_of(x) - 1);
        }
    }
    return x;
}

static void push(item_list *list, const abut_poly_piece *f, double ya, double yb, int sign_a, int sign_b,
                 bool decided, int multiplicity)
{
    bool exact_a, exact_b;
    abut_poly_item item = { .a = unscale(ya, f->k, false, &exact_a), .b = unscale(yb, f->k, true, &exact_b) };
    item.decided = decided;
    item.multiplicity = multiplicity;
    item.sign_a = exact_a && sign_a != ABUT_SIGN_UNKNOWN ? sign_a : 0;
    item.sign_b = exact_b && sign_b != ABUT_SIGN_UNKNOWN ? sign_b : 0;
    if (list->count > 0) {
        abut_poly_item *last = &list->items[list->count - 1];
        /* Undecided neighbours are one: at the border of what rounding errors hide, pieces
         * between may be decided by chance. */
        const double wider = item.b - item.a > last->b - last->a ? item.b - item.a : last->b - last->a;
        const bool open = !last->decided && !decided && item.a - last->b <= 4 * wider;
        if (open || list->count == ABUT_POLY_MAX_ITEMS / 2 - 1) {
            last->b = item.b;
            last->sign_b = item.sign_b;
            last->decided = false;
            last->multiplicity += multiplicity;
            return;
        }
    }
    list->items[list->count++] = item;
}

/* ---- subdivision ---- */

typedef struct node {
    double a, b;
    /* of f at the ends; or just inside, where the end is a root already counted */
    int sign_a, sign_b;
    bool left_root;  /* a is a root, and it is not yet known to be a simple one */
    bool right_root; /* likewise b */
} node;

static double split_point(const node *t, int *sign, const abut_poly_piece *f)
{
    static const double fraction[3] = { 0.5, 0.4140625, 0.5703125 };
    double value, m = 0;
    for (int i = 0; i < 3; ++i) {
        if (t->a == 0)
            m = t->b * (0.0625 * fraction[i]);
        else if (t->b > 4 * t->a)
            m = sqrt(t->a * t->b) * (0.5 + fraction[i]);
        else
            m = t->a + fraction[i] * (t->b - t->a);
        if (!(m > t->a && m < t->b))
            break;
        *sign = abut_poly_plain_sign(f, m, &value);
        if (*sign != ABUT_SIGN_UNKNOWN)
            return m;
    }
    *sign = ABUT_SIGN_UNKNOWN;
    m = t->a == 0 ? t->b * 0.03125 : t->b > 4 * t->a ? sqrt(t->a * t->b) : t->a + 0.5 * (t->b - t->a);
    return m;
}

/* Roots in [first.a, first.b], appended to the list in ascending order. */
static void subdivide(abut_poly_piece *f, node first, item_list *list)
{
    enum { DEPTH = 128 };
    const int n = f->n;
    node stack[DEPTH];
    int top = 0;
    stack[top++] = first;
    bool pending_right = false; /* the end first.b is a simple root, to be listed last */
    while (top > 0) {
        node t = stack[--top];
        double b[ABUT_POLY_TERMS];
        int sign[ABUT_POLY_TERMS];
        const double error = bernstein(f, t.a, t.b, b);
        int unknown = 0;
        for (int i = 0; i <= n; ++i) {
            sign[i] = b[i] > error ? 1 : b[i] < -error ? -1 : ABUT_SIGN_UNKNOWN;
            unknown += sign[i] == ABUT_SIGN_UNKNOWN;
        }
        const bool any = unknown <= n;
        /* At a root end the first coefficient is zero, and the root is simple exactly when the
         * second is not. */
        if (t.left_root && sign[1] != ABUT_SIGN_UNKNOWN) {
            push(list, f, t.a, t.a, 0, 0, true, 1);
            t.left_root = false;
            t.sign_a = sign[1];
        }
        if (t.right_root && sign[n - 1] != ABUT_SIGN_UNKNOWN) {
            pending_right = true;
            t.right_root = false;
            t.sign_b = sign[n - 1];
        }
        if (t.sign_a != ABUT_SIGN_UNKNOWN)
            sign[0] = t.sign_a;
        else
            t.sign_a = sign[0];
        if (t.sign_b != ABUT_SIGN_UNKNOWN)
            sign[n] = t.sign_b;
        else
            t.sign_b = sign[n];
        const int changes = most_changes(sign, t.left_root ? 1 : 0, t.right_root ? n - 1 : n);
        const bool ends_known =
            !t.left_root && !t.right_root && t.sign_a != ABUT_SIGN_UNKNOWN && t.sign_b != ABUT_SIGN_UNKNOWN;
        if (changes == 0 && ends_known)
            continue;
        if (changes == 1 && ends_known) {
            int j = 0; /* start where the control polygon crosses zero */
            while (j + 1 < n && (b[j + 1] > 0) == (sign[0] > 0))
                ++j;
            const double at = b[j] / (b[j] - b[j + 1]);
            double ya = t.a, yb = t.b;
            abut_poly_enclose(f, &ya, &yb, t.sign_a,
                              t.a + (t.b - t.a) * ((j + (at > 0 && at < 1 ? at : 0.5)) / n));
            push(list, f, ya, yb, ya == yb ? 0 : t.sign_a, ya == yb ? 0 : -t.sign_a, true, 1);
            continue;
        }
        const bool narrow = !(t.b - t.a > 0x1p-47 * t.b);
        int sign_m;
        const double m = split_point(&t, &sign_m, f);
        if (!any || narrow || top + 2 > DEPTH || --f->nodes_left < 0 || !(m > t.a && m < t.b)) {
            push(list, f, t.a, t.b, t.left_root ? 0 : t.sign_a, t.right_root ? 0 : t.sign_b, false,
                 changes + t.left_root + t.right_root);
            continue;
        }
        stack[top++] =
            (node){ m, t.b, sign_m, t.right_root ? ABUT_SIGN_UNKNOWN : t.sign_b, false, t.right_root };
        stack[top++] =
            (node){ t.a, m, t.left_root ? ABUT_SIGN_UNKNOWN : t.sign_a, sign_m, t.left_root, false };
    }
    if (pending_right)
        push(list, f, first.b, first.b, 0, 0, true, 1);
}

/* ---- half-lines ---- */

typedef struct side_poly {
    int n;
    bool has_low, has_error;
    double c[ABUT_POLY_TERMS], low[ABUT_POLY_TERMS], error[ABUT_POLY_TERMS];
    int sign[ABUT_POLY_TERMS];  /* certain, or ABUT_SIGN_UNKNOWN; 0 where exactly zero */
    int above[ABUT_POLY_TERMS]; /* |coefficient| < 2^above */
} side_poly;

static int ceil_div(int a, int b)
{
    return a >= 0 ? (a + b - 1) / b : -(-a / b);
}

/* All positive roots are below 2^result: coefficients of the sign opposite to the leading one,
 * c_i of c_n, matter, and 2 max |c_i / c_n|^(1 / (n - i)) bounds the roots. Reversed, the same
 * bounds the reciprocals. */
static int root_exponent(const side_poly *q, bool reversed)
{
    const int n = q->n, lead = reversed ? 0 : n;
    int most = INT32_MIN;
    const double slack = q->has_error ? q->error[lead] : 0;
    const int lead_below =
        piece_exponent_of(fabs(q->c[lead]) - slack - fabs(q->has_low ? q->low[lead] : 0)) - 1;
    for (int i = 0; i <= n; ++i) {
        if (i == lead || q->sign[i] == q->sign[lead] || q->sign[i] == 0)
            continue;
        const int distance = reversed ? i : n - i;
        const int e = ceil_div(q->above[i] - lead_below, distance) + 1;
        if (e > most)
            most = e;
    }
    return most;
}

/* 1 / binomial(n, i), each correctly rounded. */
static void set_inverse_binomials(int n, double out[ABUT_POLY_TERMS])
{
    for (int i = 0; i <= n; ++i)
        out[i] = 1 / abut_binomial[n][i];
}

static void scale_piece(const side_poly *q, int k, abut_poly_piece *f)
{
    const int n = q->n;
    int largest = INT32_MIN;
    for (int i = 0; i <= n; ++i)
        if (q->sign[i] != 0 && q->above[i] + k * i > largest)
            largest = q->above[i] + k * i;
    f->n = n;
    f->k = k;
    f->has_low = q->has_low;
    f->has_error = q->has_error;
    for (int i = 0; i <= n; ++i) {
        const int e = k * i - largest;
        f->c[i] = piece_scale(q->c[i], e);
        if (q->has_low)
            f->low[i] = piece_scale(q->low[i], e);
        double lost = q->has_error ? piece_scale(q->error[i], e) : 0;
        if (q->sign[i] != 0 && q->above[i] + e < -900) {
            /* high, low or error part may have been rounded to a denormal */
            lost += ABUT_POLY_TINY;
            if (!f->has_error) {
                f->has_error = true;
                memset(f->error, 0, sizeof f->error);
            }
        }
        if (f->has_error)
            f->error[i] = lost;
    }
}

/* Roots x = side |x| with a <= |x| <= b, as items in |x|. */
static void isolate_side(const abut_poly *p, double side, double a, double b,
                         const abut_poly_isolate_opts *opts, item_list *list)
{
    /* filled below as far as it is read: clearing all of it would take as long as solving */
    side_poly q;
    const int n = p->degree;
    q.n = n;
    q.sign[0] = 0;
    q.has_low = p->has_low;
    q.has_error = p->has_error;
    for (int i = 0; i <= n; ++i) {
        const double s = i & 1 ? side : 1;
        q.c[i] = s * p->c[i];
        double slack = 0;
        if (q.has_low) {
            q.low[i] = s * p->low[i];
            slack = fabs(q.low[i]);
        }
        if (q.has_error) {
            q.error[i] = p->error[i];
            slack += p->error[i];
        }
        const double size = fabs(q.c[i]);
        /* At least a factor 2 between size and slack keeps the estimates below free of rounding. */
        q.sign[i] = size > 2 * slack          ? (q.c[i] > 0 ? 1 : -1)
                    : size == 0 && slack == 0 ? 0
                                              : ABUT_SIGN_UNKNOWN;
        q.above[i] =
            q.sign[i] == 0 ? 0 : piece_exponent_of(size > slack ? size : slack) + (slack > 0 ? 2 : 1);
    }
    int nonzero[ABUT_POLY_TERMS] = { 0 }, count = 0;
    for (int i = 0; i <= n; ++i)
        if (q.sign[i] != 0)
            nonzero[count++] = q.sign[i];
    const bool zero_known = q.sign[0] != ABUT_SIGN_UNKNOWN;
    if (zero_known && most_changes(nonzero, 0, count - 1) == 0)
        return;
    /* roots that count are at most 2^high */
    int high = b < INFINITY ? piece_exponent_of(b) + 1 : INT32_MAX;
    bool ends_at_b = b < INFINITY;
    if (q.sign[n] != ABUT_SIGN_UNKNOWN) {
        const int bound = root_exponent(&q, false);
        if (bound < high) {
            high = bound;
            ends_at_b = false;
        }
    }
    bool starts_at_zero = !zero_known && a == 0, starts_at_a = a > 0;
    int low = a > 0 ? piece_exponent_of(a) : high;
    if (zero_known) {
        const int bound = -root_exponent(&q, true);
        if (a <= 0 || bound > low) {
            low = bound;
            starts_at_a = false;
        }
    }
    if (!starts_at_zero && low >= high && !(starts_at_a && ends_at_b))
        return;
    if (starts_at_a && a > b)
        return;

    abut_poly_piece f;
    f.side = side;
    f.opts = opts;
    f.nodes_left = 200 + 60 * n;
    double inverse[ABUT_POLY_TERMS];
    set_inverse_binomials(n, inverse);
    f.inverse_binomial = inverse;
    const int orders = 512 / n;
    int sign_before = ABUT_SIGN_UNKNOWN;
    for (int from = low; starts_at_zero || from < high; from += orders) {
        const bool last = starts_at_zero || from + orders >= high, is_first = from == low;
        const int k = last ? high : from + orders;
        scale_piece(&q, k, &f);
        node t = { .sign_a = sign_before, .sign_b = ABUT_SIGN_UNKNOWN };
        t.a = starts_at_zero ? 0 : is_first && starts_at_a ? piece_scale(a, -k) : piece_scale(1, from - k);
        t.b = last && ends_at_b ? piece_scale(b, -k) : 1;
        double value;
        if (is_first && starts_at_a) {
            t.sign_a = abut_poly_best_sign(&f, t.a, &value);
            if (t.sign_a == 0) {
                t.left_root = true;
                t.sign_a = ABUT_SIGN_UNKNOWN;
            }
        } else if (is_first && !starts_at_zero) {
            t.sign_a = q.sign[0]; /* the bound is beyond all roots on that side */
        }
        if (t.a == t.b) { /* the region is one point */
            if (t.left_root && n == 1)
                push(list, &f, t.a, t.b, 0, 0, true, 1);
            else if (t.left_root || t.sign_a == ABUT_SIGN_UNKNOWN)
                push(list, &f, t.a, t.b, 0, 0, false, n);
            return;
        }
        if (last && ends_at_b) {
            t.sign_b = abut_poly_best_sign(&f, t.b, &value);
            if (t.sign_b == 0) {
                t.right_root = true;
                t.sign_b = ABUT_SIGN_UNKNOWN;
            }
        } else if (last) {
            t.sign_b = q.sign[n];
        } else {
            t.sign_b = abut_poly_plain_sign(&f, t.b, &value);
        }
        sign_before = t.sign_b;
        subdivide(&f, t, list);
        if (last)
            break;
    }
}

/* ---- the whole line ---- */

int abut_poly_join(abut_poly_item *items, int count)
{
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        abut_poly_item *last = &items[kept - 1];
        const abut_poly_item *next = &items[i];
        if (kept > 0 &&
            (next->a < last->b || (next->a == last->b && (last->sign_b == 0 || next->sign_a == 0)))) {
            if (next->b >= last->b) {
                last->b = next->b;
                last->sign_b = next->sign_b;
            }
            last->decided = false;
            last->multiplicity += next->multiplicity;
        } else {
            items[kept++] = *next;
        }
    }
    return kept;
}

/* Both sides of zero are open where the constant term may vanish. One simple root it is if the
 * signs at the ends differ and the slope has no zero between: |p'(x) - c_1| is at most the sum
 * of i |c_i| r^(i-1), i >= 2, for |x| <= r. */
static void decide_at_zero(const abut_poly *p, abut_poly_item *item)
{
    if (item->decided || item->sign_a * item->sign_b >= 0 || p->degree < 1)
        return;
    const double r = -item->a > item->b ? -item->a : item->b;
    double change = 0;
    for (int i = p->degree; i >= 2; --i)
        change = (change + i * (fabs(p->c[i]) * (1 + 0x1p-51) + p->error[i])) * r;
    if (fabs(p->c[1]) * (1 - 0x1p-51) > (change + p->error[1]) * (1 + 0x1p-40) + 0x1p-1000) {
        item->decided = true;
        item->multiplicity = 1;
    }
}

int abut_poly_isolate(const abut_poly *p, double lo, double hi, const abut_poly_isolate_opts *opts,
                      abut_poly_item *items)
{
    abut_poly q;
    q.has_low = p->has_low;
    q.has_error = p->has_error;
    int zeros = 0, top = p->degree; /* exact zeros at both ends of the coefficients */
#define IS_ZERO(i) (p->c[i] == 0 && (!p->has_error || p->error[i] == 0))
    while (top > 0 && IS_ZERO(top))
        --top;
    while (zeros < top && IS_ZERO(zeros))
        ++zeros;
#undef IS_ZERO
    q.degree = top - zeros;
    const size_t bytes = (size_t)(q.degree + 1) * sizeof(double);
    memcpy(q.c, p->c + zeros, bytes);
    if (q.has_low)
        memcpy(q.low, p->low + zeros, bytes);
    if (q.has_error)
        memcpy(q.error, p->error + zeros, bytes);

    int count = 0;
    if (q.degree > 0 && lo < 0) {
        abut_poly_item found[ABUT_POLY_MAX_ITEMS / 2];
        item_list list = { found, 0 };
        isolate_side(&q, -1, hi < 0 ? -hi : 0, -lo, opts, &list);
        for (int i = list.count; i-- > 0;) {
            abut_poly_item item = found[i];
            const abut_poly_item mirrored = { -item.b,           -item.a,     item.decided,
                                              item.multiplicity, item.sign_b, item.sign_a };
            items[count++] = mirrored;
        }
    }
    const bool zero_possible =
        q.has_error && fabs(q.c[0]) <= q.error[0]; /* then 0 may be a root, or one more root */
    if (lo <= 0 && hi >= 0 && (zeros > 0 || (zero_possible && lo == hi)))
        items[count++] = (abut_poly_item){ 0, 0, !zero_possible, zero_possible ? top : zeros, 0, 0 };
    if (q.degree > 0 && hi > 0) {
        item_list list = { items + count, 0 };
        isolate_side(&q, 1, lo > 0 ? lo : 0, hi, opts, &list);
        count += list.count;
    }
    if (count > 1)
        count = abut_poly_join(items, count);
    if (zero_possible && zeros == 0)
        for (int i = 0; i < count; ++i)
            if (items[i].a < 0 && items[i].b > 0)
                decide_at_zero(&q, &items[i]);
    return count;
}
