/* SPDX-License-Identifier: MIT */
/* Signs of polynomials of degree 4 on [0, 1], with interval coefficients in the Bernstein basis:
 * positive at one place, or negative all over.
 *
 * For the second, the polynomial of the upper ends (an upper bound, since the basis is not
 * negative) is cut where it is greatest, about. A part is negative when all its coefficients
 * are, or when it is concave and its tangent at that end keeps it below zero; otherwise it is
 * halved. */
#include "ccd/ellipsoid/ellipsoid_form.h"

enum { HALVINGS = 6, OCTAVES = 160 };

/* In powers of u, which is enough to steer. Samples find the hill, Newton's method its top: a
 * step of 1e-8 leaves 1e-16. */
double abut_peak(const double c[5])
{
    const double p1 = 4 * (c[1] - c[0]), p2 = 6 * ((c[2] - c[1]) - (c[1] - c[0]));
    const double p3 = 4 * ((c[3] - c[0]) - 3 * (c[2] - c[1]));
    const double p4 = ((c[4] - c[3]) - (c[1] - c[0])) - 3 * ((c[3] - c[2]) - (c[2] - c[1]));
    double most = -HUGE_VAL, best = 0.5;
    enum { SAMPLES = 12 };
    for (int i = 1; i < SAMPLES; ++i) {
        const double u = i * (1.0 / SAMPLES), v = u * (p1 + u * (p2 + u * (p3 + u * p4)));
        best = v > most ? u : best;
        most = v > most ? v : most;
    }
    /* Never a place outside, where a value means nothing. */
    double lo = fmax(best - 1.0 / SAMPLES, 0), hi = fmin(best + 1.0 / SAMPLES, 1), u = best;
    for (int i = 0; i < 60; ++i) {
        const double slope = p1 + u * (2 * p2 + u * (3 * p3 + u * (4 * p4)));
        const double bend = 2 * p2 + u * (6 * p3 + u * (12 * p4));
        *(slope > 0 ? &lo : &hi) = u;
        const double step = slope / bend, next = u - step;
        if (bend < 0 && next > lo && next < hi) {
            u = next;
            if (fabs(step) <= 1e-8)
                return u;
        } else {
            u = 0.5 * (lo + hi);
            if (hi - lo <= 1e-16)
                return u;
        }
    }
    return u;
}

double abut_quartic_peak(const abut_quartic *f)
{
    double c[5];
    for (int i = 0; i < 5; ++i)
        c[i] = ia_mid(f->c[i]);
    return abut_peak(c);
}

void abut_quartic_shift(abut_quartic *f, int k)
{
    for (int j = 1; j < 5 && k != 0; ++j)
        f->c[j] = ia_scale(ldexp(1, k * j), f->c[j]);
}

/* Near an end the peak is known to few digits, beyond it to none: a few rounds. Six lengths to
 * the fourth are no more than 2^200 apart in what is not degenerate. */
int abut_quartic_centre(const abut_quartic *f)
{
    enum { ROUNDS = 6, MOST = 40 };
    double c[5];
    int k = 0;
    for (int j = 0; j < 5; ++j)
        c[j] = ia_mid(f->c[j]);
    for (int i = 0; i < ROUNDS; ++i) {
        const double peak = abut_peak(c);
        /* At an end from which f falls there is nothing to examine: one body is in the other. */
        const bool low = peak < 0.125 && (peak > 1e-12 || c[1] > c[0]),
                   high = peak > 0.875 && (peak < 1 - 1e-12 || c[3] > c[4]);
        if (!low && !high)
            break;
        const double shift = floor(log2(peak / (1 - peak)) + 0.5);
        const int by = (int)fmin(fmax(shift, -MOST), MOST);
        for (int j = 1; j < 5; ++j)
            c[j] = ldexp(c[j], by * j);
        k += by;
    }
    return k;
}

ia abut_quartic_at(const abut_quartic *f, ia u)
{
    const ia v = ia_sub(ia_point(1), u);
    ia c[5] = { f->c[0], f->c[1], f->c[2], f->c[3], f->c[4] };
    for (int level = 4; level > 0; --level)
        for (int i = 0; i < level; ++i)
            c[i] = ia_add(ia_mul(v, c[i]), ia_mul(u, c[i + 1]));
    return c[0];
}

/* Coefficients on [0, u] and on [u, 1]. */
static void cut(const abut_quartic *f, double u, abut_quartic *left, abut_quartic *right)
{
    const ia s = ia_point(u), r = ia_sub(ia_point(1), s);
    abut_quartic c = *f;
    for (int level = 4; level >= 0; --level) {
        left->c[4 - level] = c.c[0];
        right->c[level] = c.c[level];
        for (int i = 0; i < level; ++i)
            c.c[i] = ia_add(ia_mul(r, c.c[i]), ia_mul(s, c.c[i + 1]));
    }
}

/* The part on [lo, hi]. */
static void part(const abut_quartic *f, double lo, double hi, abut_quartic *out)
{
    abut_quartic ignored;
    *out = *f;
    if (hi < 1)
        cut(f, hi, out, &ignored);
    if (lo > 0) {
        /* lo / hi is rounded: take in a little more on the left. */
        const abut_quartic c = *out;
        cut(&c, fmax(0, ia_lo(ia_div(ia_point(lo), ia_point(hi)))), &ignored, out);
    }
}

ia abut_quartic_over(const abut_quartic *f, ia u)
{
    if (ia_lo(u) == ia_hi(u))
        return abut_quartic_at(f, u);
    abut_quartic p;
    part(f, ia_lo(u), ia_hi(u), &p);
    ia all = p.c[0];
    for (int i = 1; i < 5; ++i)
        all = ia_hull(all, p.c[i]);
    return all;
}

static bool all_negative(const abut_quartic *f)
{
    for (int i = 0; i < 5; ++i)
        if (!ia_is_negative(f->c[i]))
            return false;
    return true;
}

/* Concave, and negative by the parabola through one end, the right one for end = 1: with second
 * differences of -m at most, f is below last + 4 rise x - 6 m x^2 at the distance x from it, and
 * so below last + 4 rise, and below last + 2 rise^2 / (3 m), for which 3/4 rise^2 / m is taken.
 * The end is where f is greatest, up to rounding: rise is next to nothing. */
static bool is_capped(const abut_quartic *f, int end)
{
    ia bend = ia_point(-HUGE_VAL);
    for (int i = 0; i < 3; ++i)
        bend = ia_max(bend, ia_sub(ia_add(f->c[i], f->c[i + 2]), ia_scale(2, f->c[i + 1])));
    if (!ia_is_nonpositive(bend))
        return false;
    const ia last = f->c[end ? 4 : 0], rise = ia_max(ia_sub(f->c[end ? 3 : 1], last), ia_point(0));
    if (ia_is_negative(ia_add(last, ia_scale(4, rise))))
        return true;
    return ia_is_negative(bend) && ia_is_negative(ia_sub(last, ia_div(ia_scale(0.75, ia_sqr(rise)), bend)));
}

static bool is_negative_part(const abut_quartic *f, int peak_end, int depth)
{
    if (all_negative(f))
        return true;
    if (!ia_is_negative(f->c[0]) || !ia_is_negative(f->c[4]))
        return false;
    if (is_capped(f, peak_end))
        return true;
    if (depth == 0)
        return false;
    abut_quartic left, right;
    cut(f, 0.5, &left, &right);
    return is_negative_part(&left, peak_end, depth - 1) && is_negative_part(&right, peak_end, depth - 1);
}

static abut_quartic upper(const abut_quartic *f)
{
    abut_quartic h;
    for (int i = 0; i < 5; ++i)
        h.c[i] = ia_is_finite(f->c[i]) ? ia_point(ia_hi(f->c[i])) : f->c[i];
    return h;
}

/* An upper bound that is greatest at `peak`, about. */
static bool is_negative_around(const abut_quartic *h, double peak)
{
    abut_quartic left, right;
    cut(h, peak, &left, &right);
    return is_negative_part(&left, 1, HALVINGS) && is_negative_part(&right, 0, HALVINGS);
}

/* Proved to be negative on all of [0, 1]: for every function with coefficients in the intervals. */
static bool is_negative(const abut_quartic *f)
{
    if (all_negative(f))
        return true;
    const abut_quartic h = upper(f);
    return is_negative_around(&h, abut_quartic_peak(&h));
}

/* An interval around `peak` outside which f is proved negative. */
static ia peak_cap(const abut_quartic *f, double peak)
{
    const abut_quartic h = upper(f);
    double lo = 0, hi = 1;
    for (int i = 0; i < 30; ++i) {
        const double mid = 0.5 * (lo + peak);
        abut_quartic p;
        part(&h, lo, mid, &p);
        if (!(mid > lo && mid < peak) || !is_negative_part(&p, 1, 2))
            break;
        lo = mid;
    }
    for (int i = 0; i < 30; ++i) {
        const double mid = 0.5 * (hi + peak);
        abut_quartic p;
        part(&h, mid, hi, &p);
        if (!(mid < hi && mid > peak) || !is_negative_part(&p, 0, 2))
            break;
        hi = mid;
    }
    return ia_make(lo, hi);
}

/* The same octave by octave of u : 1 - u, as far as the ends do not decide: hills may be crowded
 * against an end, and are alike after a shift. */
static bool is_negative_by_octaves(const abut_quartic *h)
{
    for (int side = 0; side < 2; ++side)
        for (int k = 0;; ++k) {
            abut_quartic g = *h, p;
            abut_quartic_shift(&g, side ? k : -k);
            part(&g, side ? 0.5 : 0, side ? 1 : 0.5, &p);
            if (is_negative_part(&p, !side, 1))
                break;
            part(&g, side ? 0.5 : 0.333, side ? 0.667 : 0.5, &p); /* 1 : 1 to 2 : 1 */
            if (k == OCTAVES || !is_negative_part(&p, !side, HALVINGS))
                return false;
        }
    return true;
}

int abut_quartic_sign(const abut_quartic *f, double peak)
{
    const ia top = abut_quartic_at(f, ia_point(peak));
    if (!ia_is_negative(top)) /* nor will more be seen */
        return ia_is_positive(top);
    const abut_quartic h = upper(f);
    return all_negative(f) || is_negative_around(&h, peak) || is_negative_by_octaves(&h) ? -1 : 0;
}

/* Over the part U of u: bounds of the slopes are narrow where U is. */
static abut_quartic combine(const abut_quartic_terms *f, double lo, double hi)
{
    abut_quartic out, slope;
    part(&f->centre, lo, hi, &out);
    for (int k = 0; k < f->count; ++k) {
        part(&f->slope[k], lo, hi, &slope);
        for (int j = 0; j < 5; ++j)
            out.c[j] = ia_add(out.c[j], ia_mul(slope.c[j], f->off[k]));
    }
    return out;
}

int abut_quartic_decide(const abut_quartic_terms *f, ia *cap)
{
    const ia u = ia_point(abut_quartic_peak(&f->centre));
    ia at_peak = abut_quartic_at(&f->centre, u);
    for (int k = 0; k < f->count; ++k)
        at_peak = ia_add(at_peak, ia_mul(abut_quartic_at(&f->slope[k], u), f->off[k]));
    if (ia_is_positive(at_peak))
        return 1;
    double lo = 0, hi = 1;
    for (int i = 0; i < 8; ++i) {
        const abut_quartic over = combine(f, lo, hi);
        if (is_negative(&over))
            return -1;
        const abut_quartic h = upper(&over);
        const ia inner = peak_cap(&over, abut_quartic_peak(&h));
        /* Back to u; the part began up to an ulp of 1 before lo. */
        const double width = hi - lo, from = lo + width * ia_lo(inner) - 0x1p-50,
                     to = lo + width * ia_hi(inner) + 0x1p-50;
        lo = from > lo ? from : lo;
        hi = to < hi ? to : hi;
        if (hi - lo > 0.7 * width || hi - lo < 0x1p-40)
            break;
    }
    *cap = ia_make(lo, hi);
    return 0;
}
