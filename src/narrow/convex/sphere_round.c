/* SPDX-License-Identifier: MIT */
/* A cylinder or a cone (a) against a ball (b): in the plane through the axis and the ball's centre,
 * with x the distance from the axis, the body is a rectangle or a triangle, and the signed distance
 * of (x, z) from that is the gap of the cores.
 *
 * Cylinders that are placed exactly have exact verdicts: x = sqrt(q) with q an exact sum of squares,
 * and the three cases side, cap and rim lead to |v| - s, to a sum without root, or, at the rim,
 * to the sign of (sqrt(q) - r)^2 + e^2 - s^2, which two squarings decide. So have the slants of
 * cones: 2 h sqrt(q) + r (z - h) - s length, where two squarings take away both roots. What else
 * cones touch balls with is left to the exact predicates of convex pairs. */
#include "narrow/convex/closed.h"

static const double u = 0x1p-53;

/* A point of the profile nearest to (x, z), the direction outward there, and the signed
 * distance. */
typedef struct profile {
    double gap, foot[2], out[2];
} profile;

static void set_to_point(double x, double z, double fx, double fz, double ox, double oz, profile *p)
{
    const double dx = x - fx, dz = z - fz, d = sqrt(dx * dx + dz * dz);
    const bool near = !(d > 0x1p-500);
    *p = (profile){ d, { fx, fz }, { near ? ox : dx / d, near ? oz : dz / d } };
}

static void cylinder(double x, double z, double r, double h, profile *p)
{
    const double ex = x - r, ez = fabs(z) - h, side = z < 0 ? -1 : 1;
    if (ex > 0 && ez > 0)
        set_to_point(x, z, r, side * h, 1, 0, p);
    else if (ex > ez)
        *p = (profile){ ex, { r, z }, { 1, 0 } };
    else
        *p = (profile){ ez, { x, side * h }, { 0, side } };
}

/* Slope from (r, -h) to the apex (0, h); outward (2h, r) / length. */
static void cone(double x, double z, double r, double h, profile *p)
{
    const double length = sqrt(4 * h * h + r * r), nx = 2 * h / length, nz = r / length;
    const double slope = nx * x + nz * (z - h), base = -h - z;
    const double along = nx * (z + h) - nz * (x - r); /* from the rim towards the apex */
    if (slope <= 0 && base <= 0) {
        if (slope > base)
            *p = (profile){ slope, { x - slope * nx, z - slope * nz }, { nx, nz } };
        else
            *p = (profile){ base, { x, -h }, { 0, -1 } };
    } else if (along > 0 && slope > 0) {
        if (along >= length)
            set_to_point(x, z, 0, h, 0, 1, p);
        else
            *p = (profile){ slope, { r - along * nz, along * nx - h }, { nx, nz } };
    } else if (x > r)
        set_to_point(x, z, r, -h, 1, 0, p);
    else
        *p = (profile){ base, { x, -h }, { 0, -1 } };
}

/* p = t is known to the pair's error, of which the gap is a function with Lipschitz constant 1;
 * x, the differences, the products with the cone's normal and roots add less than 16 u of D +
 * s_a. */
void abut_closed_round(const abut_convex_pair *pair, abut_convex_answer *out)
{
    const abut_vec3 t = pair->t;
    const double x = sqrt(t.x * t.x + t.y * t.y), *h = pair->a->h;
    profile p;
    (pair->a->kind == ABUT_CORE_CYLINDER ? cylinder : cone)(x, t.z, h[0], h[2], &p);
    const double error = pair->error + 16 * u * (x + fabs(t.z) + pair->a->size);
    const double cx = x > 0 ? t.x / x : 1, cy = x > 0 ? t.y / x : 0;
    *out = (abut_convex_answer){ .lo = p.gap - error, .hi = p.gap + error, .supports = 1 };
    out->normal = abut_v3(p.out[0] * cx, p.out[0] * cy, p.out[1]);
    out->x = abut_v3(p.foot[0] * cx, p.foot[0] * cy, p.foot[1]);
    out->y = t;
}

/* ---- exactly ---- */

static int sign_of_difference(const abut_exact *a, const abut_exact *b, abut_exact *difference)
{
    *difference = *a;
    for (int i = 0; i < b->count; ++i)
        abut_exact_add_double(difference, -b->c[i]);
    return abut_exact_sign(difference);
}

/* sqrt((sqrt(q) - r)^2 + e^2) - s for q = v_0^2 + v_1^2, v and e and s sums, sqrt(q) > r. Sign:
 * with T = q + r^2 + e^2 - s^2 that of T - 2 r sqrt(q). */
static abut_gap rim_gap(const abut_terms v[2], double r, const abut_terms *e, const abut_terms *s)
{
    abut_exact x, q, sum, radius, left, right, rest;
    abut_exact_clear(&q);
    for (int i = 0; i < 2; ++i) {
        abut_terms_exact(&v[i], &x);
        abut_exact_add_product(&x, &x, &q);
    }
    sum = q;
    abut_terms_exact(e, &x);
    abut_exact_add_product(&x, &x, &sum);
    abut_terms_exact(s, &x);
    abut_exact_sub_product(&x, &x, &sum);
    abut_exact_clear(&radius);
    abut_exact_add_double(&radius, r);
    abut_exact_clear(&right);
    abut_exact_add_product(&radius, &radius, &right); /* r^2 */
    abut_exact_add_product(&radius, &radius, &sum);
    abut_gap gap = { .sign = -1, .exact = true };
    if (2 * sum.count * sum.count > ABUT_EXACT_CAPACITY || 8 * q.count > ABUT_EXACT_CAPACITY)
        return (abut_gap){ .sign = ABUT_SIGN_UNKNOWN };
    if (abut_exact_sign(&sum) > 0) {
        abut_exact_clear(&left);
        abut_exact_add_product(&sum, &sum, &left);
        abut_exact four;
        abut_exact_clear(&four);
        abut_exact_add_product(&right, &q, &four);
        for (int i = 0; i < four.count; ++i)
            four.c[i] *= 4;
        gap.sign = sign_of_difference(&left, &four, &rest);
    }
    if (gap.sign == 0)
        return gap;
    const dd length = dd_sub(dd_sqrt(abut_exact_value(&q, NULL)), (dd){ r, 0 }), up = abut_terms_value(e);
    const dd value = dd_sub(dd_sqrt(dd_add(dd_sqr(length), dd_sqr(up))), abut_terms_value(s));
    const double size =
        abut_terms_size(&v[0]) + abut_terms_size(&v[1]) + r + abut_terms_size(e) + abut_terms_size(s);
    gap.value = abut_exact_interval(value, 0x1p-97 * size);
    if (gap.sign > 0 && gap.value.lo < 0)
        gap.value.lo = 0;
    if (gap.sign < 0 && gap.value.hi > 0)
        gap.value.hi = 0;
    return gap;
}

/* Room for out + a b. */
static bool has_room(const abut_exact *a, const abut_exact *b, const abut_exact *out)
{
    return 2 * a->count * b->count + out->count <= ABUT_EXACT_CAPACITY;
}

/* (2 h sqrt(q) + r (z - h)) / length - s, q the sum of squares of v, length^2 = 4 h^2 + r^2, where
 * the ball is beside the slant: the first two are positive together. Squared, the sign is that of
 *     c + b sqrt(q),    c = 4 h^2 q + r^2 (z - h)^2 - s^2 length^2,    b = 4 h r (z - h). */
static abut_gap slant_gap(const abut_terms v[2], const abut_terms *z, double r, double h, const abut_terms *s)
{
    const abut_gap unknown = { .sign = ABUT_SIGN_UNKNOWN };
    const abut_exact two_h = { 1, { 2 * h } }, radius = { 1, { r } };
    abut_terms below = *z;
    abut_terms_push(&below, -h);
    abut_exact x, q, hq, b, ball, length, c, left, right, rest;
    abut_exact_clear(&q);
    for (int i = 0; i < 2; ++i) {
        abut_terms_exact(&v[i], &x);
        abut_exact_add_product(&x, &x, &q);
    }
    abut_exact_clear(&hq); /* 2 h q */
    abut_exact_add_product(&two_h, &q, &hq);
    abut_exact_clear(&c);
    abut_exact_add_product(&two_h, &hq, &c);
    abut_terms_exact(&below, &x);
    abut_exact_clear(&b); /* r (z - h) */
    abut_exact_add_product(&radius, &x, &b);
    abut_exact_clear(&length);
    abut_exact_add_product(&two_h, &two_h, &length);
    abut_exact_add_product(&radius, &radius, &length);
    abut_terms_exact(s, &x);
    abut_exact_clear(&ball);
    abut_exact_add_product(&x, &x, &ball);
    if (!has_room(&b, &b, &c))
        return unknown;
    abut_exact_add_product(&b, &b, &c);
    if (!has_room(&ball, &length, &c))
        return unknown;
    abut_exact_sub_product(&ball, &length, &c);
    abut_gap gap = { .exact = true };
    const int signs = abut_exact_sign(&c), sign_b = abut_exact_sign(&q) ? abut_exact_sign(&b) : 0;
    if (signs * sign_b >= 0) {
        gap.sign = signs ? signs : sign_b;
    } else {
        /* c^2 against (4 h r (z - h))^2 q, which is 8 h (2 h q) b^2 */
        abut_exact_clear(&left);
        abut_exact_clear(&right);
        abut_exact_clear(&rest);
        if (!has_room(&c, &c, &left) || !has_room(&b, &b, &rest))
            return unknown;
        abut_exact_add_product(&c, &c, &left);
        abut_exact_add_product(&b, &b, &rest);
        abut_exact_clear(&x);
        abut_exact_add_product(&two_h, &hq, &x); /* 4 h^2 q */
        if (!has_room(&x, &rest, &right))
            return unknown;
        abut_exact_add_product(&x, &rest, &right);
        for (int i = 0; i < right.count; ++i)
            right.c[i] *= 4;
        gap.sign = signs * sign_of_difference(&left, &right, &rest);
    }
    if (gap.sign == 0)
        return gap;
    const dd across = dd_mul((dd){ 2 * h, 0 }, dd_sqrt(abut_exact_value(&q, NULL))),
             along = dd_mul((dd){ r, 0 }, abut_terms_value(&below)),
             slope = dd_div(dd_add(across, along), dd_sqrt(abut_exact_value(&length, NULL)));
    const double size =
        abut_terms_size(&v[0]) + abut_terms_size(&v[1]) + abut_terms_size(&below) + abut_terms_size(s);
    gap.value = abut_exact_interval(dd_sub(slope, abut_terms_value(s)), 0x1p-95 * size);
    if (gap.sign > 0 && gap.value.lo < 0)
        gap.value.lo = 0;
    if (gap.sign < 0 && gap.value.hi > 0)
        gap.value.hi = 0;
    return gap;
}

/* Beside the slant, clearly so. */
static bool is_beside_slant(const abut_terms d[3], double r, double h)
{
    const double x = hypot(abut_terms_value(&d[0]).h, abut_terms_value(&d[1]).h),
                 z = abut_terms_value(&d[2]).h;
    const double length = 4 * h * h + r * r, along = 2 * h * (z + h) - r * (x - r);
    return along > 0x1p-20 * length && along < (1 - 0x1p-20) * length && 2 * h * x + r * (z - h) > 0;
}

static abut_gap larger(abut_gap a, abut_gap b)
{
    return (abut_gap){ { fmax(a.value.lo, b.value.lo), fmax(a.value.hi, b.value.hi) },
                       a.sign > b.sign ? a.sign : b.sign,
                       a.exact || b.exact };
}

/* Products of eight lengths keep their low parts. */
static double fit(double x, int exponent, bool *lossy)
{
    const double y = ldexp(x, -exponent);
    if (x != 0 && !(fabs(y) >= 0x1p-78 && fabs(y) <= 0x1p78))
        *lossy = true;
    return y;
}

static bool exact_gap(const abut_pair *pair, abut_gap *gap, int *used)
{
    const abut_place *pa = pair->at_a, *pb = pair->at_b;
    const bool cone = pair->a->type == ABUT_SHAPE_CONE;
    if ((!cone && pair->a->type != ABUT_SHAPE_CYLINDER) || pair->b->type != ABUT_SHAPE_SPHERE ||
        !pa->points || !pa->axes || !pb->points)
        return false;
    const double clearance = pair->ask && pair->ask->want == ABUT_WANT_VERDICT ? pair->ask->clearance : 0;
    const abut_vec3 ta = pa->mid.translation, tb = pb->mid.translation;
    const double at_a[3] = { ta.x, ta.y, ta.z }, at_b[3] = { tb.x, tb.y, tb.z };
    const double largest = fmax(fmax(abut_max_norm(ta), abut_max_norm(tb)),
                                fmax(fmax(clearance, pair->b->u.sphere.radius), pair->a->core.size));
    const int exponent = *used = abut_gap_exponent(largest);
    bool lossy = false;
    abut_terms d[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = abut_terms_difference(fit(at_b[pa->axis[i]], exponent, &lossy),
                                     fit(at_a[pa->axis[i]], exponent, &lossy));
        if (i == 2 && (cone ? pa->sign[2] < 0 : abut_terms_sign(&d[2]) < 0))
            abut_terms_negate(&d[2]);
    }
    const double r = fit(pair->a->u.round.radius, exponent, &lossy),
                 h = 0.5 * fit(pair->a->u.round.height, exponent, &lossy);
    const double ball = fit(pair->b->u.sphere.radius, exponent, &lossy),
                 more = fit(clearance, exponent, &lossy);
    if (lossy || (cone && !is_beside_slant(d, r, h)))
        return false;
    const abut_terms taken = { 2, { ball, more } };
    if (cone) {
        *gap = slant_gap(d, &d[2], r, h, &taken);
        return gap->sign != ABUT_SIGN_UNKNOWN;
    }
    const abut_terms side[3] = { d[0], d[1], { 1, { 0 } } };
    const abut_terms own = { 1, { r } }, all = { 3, { r, ball, more } };
    abut_terms e = d[2];
    abut_terms_push(&e, -h);
    const int sx = abut_gap_norm(side, &own, false).sign, sz = abut_terms_sign(&e);
    if (sx == ABUT_SIGN_UNKNOWN)
        return false;
    if (sx > 0 && sz > 0)
        *gap = rim_gap(d, r, &e, &taken);
    else if (sz > 0)
        *gap = abut_gap_linear(&e, &taken);
    else {
        *gap = abut_gap_norm(side, &all, false);
        if (sx <= 0)
            *gap = larger(*gap, abut_gap_linear(&e, &taken));
    }
    return gap->sign != ABUT_SIGN_UNKNOWN;
}

abut_status abut_narrow_round(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    abut_convex_pair convex;
    abut_convex_scratch scratch;
    abut_convex_answer answer;
    abut_gap gap;
    int exponent, used;
    abut_convex_pair_from_places(pair, &scratch, &exponent, &convex);
    abut_closed_round(&convex, &answer);
    const bool exact = exact_gap(pair, &gap, &used);
    if (exact)
        abut_closed_agree(&convex, pair->ask, exponent, gap.sign, &answer);
    abut_convex_finish(&convex, &answer, pair->ask, exponent, out);
    if (exact)
        abut_closed_set_exact(gap, used, out);
    else if (out->verdict == ABUT_UNDECIDED) {
        abut_check_result other = { .contact_count = 0 };
        if (abut_narrow_convex(pair, ws, &other) == ABUT_OK && other.verdict != ABUT_UNDECIDED)
            *out = other;
    }
    return ABUT_OK;
}
