/* SPDX-License-Identifier: MIT */
/* Rays and points against cylinders, cones, ellipsoids, hulls and swept shapes. Referees: for
 * quadrics the three coefficients as exact rationals and their roots with 6000 bits, cut by the
 * caps; for hulls every point, pair and triple of the points that the line meets, in rationals
 * (Caratheodory: what meets the hull meets one of those). Tidy integers make tangents, rims,
 * apexes, edges, vertices and rays in faces common. */
#include "abut/query.h"
#include "support/places.h"

#include <gmp.h>
#include <mpfr.h>

enum { PREC = 6000, MOST = 12 };

static abut_vec3 random_direction(test_random *r, bool tidy)
{
    abut_vec3 d;
    do
        d = small_vec3(r, tidy);
    while (d.x == 0 && d.y == 0 && d.z == 0);
    return d;
}

/* ---- referee: what a line o + t d meets ---- */

typedef struct range {
    bool none;
    mpfr_t lo, hi; /* equal: touches */
} range;

static void range_init(range *r)
{
    mpfr_inits2(PREC, r->lo, r->hi, (mpfr_ptr)0);
}

static void range_clear(range *r)
{
    mpfr_clears(r->lo, r->hi, (mpfr_ptr)0);
}

typedef struct solid {
    abut_shape_type type;
    double a, b, c; /* radius, height; or radii */
} solid;

/* Is |x - y| so small that they are equal? Numbers here are polynomials of some 1000 bits;
 * differences that are not 0 are far larger. */
static bool same(mpfr_t x, mpfr_t y)
{
    mpfr_t d;
    mpfr_init2(d, PREC);
    mpfr_sub(d, x, y, MPFR_RNDN);
    const bool yes = mpfr_zero_p(d) || mpfr_get_exp(d) < -4000;
    mpfr_clear(d);
    return yes;
}

/* A root that is 0 may have come out as less than nothing. */
static void decide(mpfr_t x)
{
    if (mpfr_number_p(x) && !mpfr_zero_p(x) && mpfr_get_exp(x) < -4000)
        mpfr_set_zero(x, 1);
}

static void clip_low(range *r, mpfr_t t)
{
    if (mpfr_cmp(t, r->lo) > 0)
        mpfr_set(r->lo, t, MPFR_RNDN);
}

static void clip_high(range *r, mpfr_t t)
{
    if (mpfr_cmp(t, r->hi) < 0)
        mpfr_set(r->hi, t, MPFR_RNDN);
}

/* l <= x0 + t x1 <= h */
static void clip_slab(range *r, mpq_t x0, mpq_t x1, double l, double h)
{
    mpq_t q;
    mpfr_t t;
    mpq_init(q);
    mpfr_init2(t, PREC);
    for (int i = 0; i < 2; ++i) {
        mpq_set_d(q, i == 0 ? l : h);
        mpq_sub(q, q, x0);
        if (mpq_sgn(x1) == 0) {
            if (i == 0 ? mpq_sgn(q) > 0 : mpq_sgn(q) < 0)
                r->none = true;
            continue;
        }
        mpq_div(q, q, x1);
        mpfr_set_q(t, q, MPFR_RNDN);
        if ((i == 0) == (mpq_sgn(x1) > 0))
            clip_low(r, t);
        else
            clip_high(r, t);
    }
    mpq_clear(q);
    mpfr_clear(t);
}

/* out += s x y k */
static void add_term(mpq_t out, mpq_t x, mpq_t y, mpq_t k)
{
    mpq_t p;
    mpq_init(p);
    mpq_mul(p, x, y);
    mpq_mul(p, p, k);
    mpq_add(out, out, p);
    mpq_clear(p);
}

/* Clips to a t^2 + 2 b t + c <= 0, where on a steep line of a cone only the part on the side
 * `down` of the apex counts. */
static void clip_quadric(range *r, mpq_t a, mpq_t b, mpq_t c, int down)
{
    mpfr_t A, B, root, t0, t1;
    mpq_t D, p;
    mpfr_inits2(PREC, A, B, root, t0, t1, (mpfr_ptr)0);
    mpq_inits(D, p, (mpq_ptr)0);
    mpq_mul(D, b, b);
    mpq_mul(p, a, c);
    mpq_sub(D, D, p);
    mpfr_set_q(A, a, MPFR_RNDN);
    mpfr_set_q(B, b, MPFR_RNDN);
    mpfr_neg(B, B, MPFR_RNDN);
    if (mpq_sgn(a) == 0 && mpq_sgn(b) == 0)
        r->none |= mpq_sgn(c) > 0;
    else if (mpq_sgn(a) == 0) {
        mpq_div(p, c, b);
        mpfr_set_q(t0, p, MPFR_RNDN);
        mpfr_div_si(t0, t0, -2, MPFR_RNDN);
        if (mpq_sgn(b) > 0)
            clip_high(r, t0);
        else
            clip_low(r, t0);
    } else if (mpq_sgn(D) < 0)
        r->none |= mpq_sgn(a) > 0;
    else {
        mpfr_set_q(root, D, MPFR_RNDN);
        mpfr_sqrt(root, root, MPFR_RNDN);
        mpfr_sub(t0, B, root, MPFR_RNDN);
        mpfr_add(t1, B, root, MPFR_RNDN);
        mpfr_div(t0, t0, A, MPFR_RNDN);
        mpfr_div(t1, t1, A, MPFR_RNDN);
        if (mpq_sgn(a) > 0) {
            clip_low(r, t0);
            clip_high(r, t1);
        } else if (down > 0) /* t1 < t0 now */
            clip_low(r, t0);
        else
            clip_high(r, t1);
    }
    mpfr_clears(A, B, root, t0, t1, (mpfr_ptr)0);
    mpq_clears(D, p, (mpq_ptr)0);
}

static void quadric_range(const solid *s, const abut_vec3 *from, const abut_vec3 *at, const abut_vec3 *along,
                          range *out)
{
    const double f[3] = { from->x, from->y, from->z }, t[3] = { at->x, at->y, at->z },
                 d[3] = { along->x, along->y, along->z };
    mpq_t x[3], y[3], k[3], a, b, c, p;
    mpq_inits(a, b, c, p, (mpq_ptr)0);
    for (int i = 0; i < 3; ++i) {
        mpq_inits(x[i], y[i], k[i], (mpq_ptr)0);
        mpq_set_d(x[i], f[i]);
        mpq_set_d(p, t[i]);
        mpq_sub(x[i], x[i], p);
        mpq_set_d(y[i], d[i]);
    }
    out->none = false;
    mpfr_set_inf(out->lo, -1);
    mpfr_set_inf(out->hi, 1);
    int down = 0;
    if (s->type == ABUT_SHAPE_ELLIPSOID) {
        const double radii[3] = { s->a, s->b, s->c };
        for (int i = 0; i < 3; ++i) {
            mpq_set_d(k[i], radii[i]);
            mpq_mul(k[i], k[i], k[i]);
            mpq_inv(k[i], k[i]);
        }
        mpq_set_si(c, -1, 1);
    } else {
        mpq_set_ui(k[0], 1, 1);
        mpq_set_ui(k[1], 1, 1);
        mpq_set_d(p, s->a);
        if (s->type == ABUT_SHAPE_CYLINDER) {
            mpq_mul(p, p, p);
            mpq_neg(c, p);
            clip_slab(out, x[2], y[2], -s->b / 2, s->b / 2);
        } else { /* x^2 + y^2 - (r / H)^2 w^2, w = H/2 - z */
            mpq_t h;
            mpq_init(h);
            mpq_set_d(h, s->b);
            mpq_div(p, p, h);
            mpq_mul(p, p, p);
            mpq_neg(k[2], p);
            mpq_div_2exp(h, h, 1);
            mpq_sub(x[2], h, x[2]);
            mpq_neg(y[2], y[2]);
            clip_slab(out, x[2], y[2], 0, s->b);
            down = mpq_sgn(y[2]);
            mpq_clear(h);
        }
    }
    for (int i = 0; i < 3; ++i) {
        add_term(a, y[i], y[i], k[i]);
        add_term(b, x[i], y[i], k[i]);
        add_term(c, x[i], x[i], k[i]);
    }
    clip_quadric(out, a, b, c, down);
    if (!out->none && same(out->lo, out->hi))
        mpfr_set(out->hi, out->lo, MPFR_RNDN);
    decide(out->lo);
    decide(out->hi);
    out->none |= mpfr_cmp(out->lo, out->hi) > 0;
    for (int i = 0; i < 3; ++i)
        mpq_clears(x[i], y[i], k[i], (mpq_ptr)0);
    mpq_clears(a, b, c, p, (mpq_ptr)0);
}

/* ---- judging ---- */

static double ulps(double found, mpfr_t truth)
{
    mpfr_t d;
    mpfr_init2(d, PREC);
    mpfr_sub_d(d, truth, found, MPFR_RNDN);
    const double off = fabs(mpfr_get_d(d, MPFR_RNDN)), at = fabs(mpfr_get_d(truth, MPFR_RNDN));
    mpfr_clear(d);
    return off == 0 ? 0 : off / (nextafter(at, INFINITY) - at);
}

typedef struct tally {
    uint64_t hits, touches;
    double worst;
} tally;

static void judge(const char *what, uint64_t seed, const abut_shape *shape, const abut_pose *pose,
                  abut_vec3 o, abut_vec3 d, range *truth, double allowed, tally *sum)
{
    abut_ray_hit hits[4];
    size_t count;
    TEST_CHECK(abut_cast_ray(shape, pose, o, d, hits, 4, &count) == ABUT_OK, "%s seed %" PRIu64, what, seed);
    mpfr_t *ends[2];
    size_t expected = 0;
    if (!truth->none) {
        if (mpfr_sgn(truth->lo) >= 0)
            ends[expected++] = &truth->lo;
        if (!mpfr_equal_p(truth->lo, truth->hi) && mpfr_sgn(truth->hi) >= 0)
            ends[expected++] = &truth->hi;
        sum->touches += mpfr_equal_p(truth->lo, truth->hi);
    }
    TEST_CHECK(count == expected,
               "%s seed %" PRIu64
               ": %zu hits, expected %zu; o %a %a %a d %a %a %a at %a %a %a; truth %.17g %.17g",
               what, seed, count, expected, o.x, o.y, o.z, d.x, d.y, d.z, pose->position.x, pose->position.y,
               pose->position.z, truth->none ? NAN : mpfr_get_d(truth->lo, MPFR_RNDN),
               truth->none ? NAN : mpfr_get_d(truth->hi, MPFR_RNDN));
    for (size_t i = 0; i < count; ++i) {
        const double off = ulps(hits[i].t, *ends[i]);
        sum->worst = fmax(sum->worst, off);
        TEST_CHECK(off <= allowed, "%s seed %" PRIu64 ": t = %a is %g ulp off", what, seed, hits[i].t, off);
        const abut_vec3 n = hits[i].normal;
        TEST_NEAR(n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-14, "%s seed %" PRIu64, what, seed);
        const double along = (n.x * d.x + n.y * d.y + n.z * d.z) / sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
        if (!mpfr_equal_p(truth->lo, truth->hi))
            TEST_CHECK(ends[i] == &truth->lo ? along <= 1e-9 : along >= -1e-9,
                       "%s seed %" PRIu64 ": hit %zu of %zu, normal . d = %g", what, seed, i, count, along);
        ++sum->hits;
    }
}

static solid random_solid(test_random *r, bool tidy, abut_shape **out)
{
    solid s = { .type = (abut_shape_type[]){ ABUT_SHAPE_CYLINDER, ABUT_SHAPE_CONE,
                                             ABUT_SHAPE_ELLIPSOID }[test_below(r, 3)] };
    s.a = tidy ? 1 + test_below(r, 3) : test_uniform(r, 0.2, 2);
    s.b = tidy ? 1 + test_below(r, 4) : test_uniform(r, 0.2, 3);
    s.c = tidy ? 1 + test_below(r, 3) : test_uniform(r, 0.2, 2);
    if (!tidy && test_below(r, 4) == 0)
        s.a *= test_bits(r) & 1 ? 1e-4 : 1e4;
    const abut_status status = s.type == ABUT_SHAPE_CYLINDER ? abut_shape_create_cylinder(s.a, s.b, NULL, out)
                               : s.type == ABUT_SHAPE_CONE
                                   ? abut_shape_create_cone(s.a, s.b, NULL, out)
                                   : abut_shape_create_ellipsoid(v3(s.a, s.b, s.c), NULL, out);
    assert_int_equal(status, ABUT_OK);
    return s;
}

/* A point of the boundary, or of the rim, the apex or the axis, exactly where small numbers
 * allow it. */
static abut_vec3 aim(test_random *r, const solid *s)
{
    const double h = s->b / 2;
    static const double circle[5][2] = { { 1, 0 }, { 0, 1 }, { 0.6, 0.8 }, { -0.8, 0.6 }, { -1, 0 } };
    const double *p = circle[test_below(r, 5)];
    if (s->type == ABUT_SHAPE_ELLIPSOID)
        return v3(s->a * p[0], s->b * p[1], 0);
    switch (test_below(r, 4)) {
    case 0: return v3(0, 0, h);
    case 1: return v3(s->a * p[0], s->a * p[1], -h);
    case 2: return v3(0.5 * s->a * p[0], 0.5 * s->a * p[1], 0);
    default: return v3(s->a * p[0], s->a * p[1], h);
    }
}

static void rays_against_quadrics(void **state)
{
    (void)state;
    range truth;
    range_init(&truth);
    tally sum = { 0 };
    const uint64_t count = test_count(20000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool tidy = test_below(&r, 3) > 0;
        abut_shape *shape;
        const solid s = random_solid(&r, tidy, &shape);
        abut_pose pose = { small_vec3(&r, tidy), { 1, 0, 0, 0 } };
        if (test_below(&r, 6) == 0) /* far away, where the difference of positions is not a double */
            pose.position = v3(1e9 * pose.position.x, pose.position.y + 0.1, 1e6 * pose.position.z);
        abut_vec3 o = small_vec3(&r, tidy), d = random_direction(&r, tidy);
        if (test_below(&r, 3) == 0) { /* through a delicate point */
            const abut_vec3 p = aim(&r, &s);
            const double k = (double)test_below(&r, 4);
            o = v3(p.x - k * d.x + pose.position.x, p.y - k * d.y + pose.position.y,
                   p.z - k * d.z + pose.position.z);
        }
        quadric_range(&s, &o, &pose.position, &d, &truth);
        judge(abut_shape_type_name(s.type), seed, shape, &pose, o, d, &truth, 2, &sum);
        abut_shape_release(shape);
    }
    print_message("%" PRIu64 " rays, %" PRIu64 " hits, %" PRIu64 " touches, worst %g ulp\n", count, sum.hits,
                  sum.touches, sum.worst);
    range_clear(&truth);
}

/* Everything multiplied by a power of two, lengths and direction apart: the same answers,
 * exactly. */
static void sizes_do_not_matter(void **state)
{
    (void)state;
    const uint64_t count = test_count(20000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool tidy = test_below(&r, 2) > 0;
        const int k = (int)test_below(&r, 1000) - 500, m = (int)test_below(&r, 1000) - 500;
        const double a = tidy ? 1 + test_below(&r, 3) : test_uniform(&r, 0.2, 2),
                     b = tidy ? 1 + test_below(&r, 4) : test_uniform(&r, 0.2, 2);
        const abut_vec3 o = small_vec3(&r, tidy), d = random_direction(&r, tidy), at = small_vec3(&r, tidy);
        const unsigned which = test_below(&r, 4);
        abut_vec3 points[MOST];
        for (int i = 0; i < 8; ++i)
            points[i] = small_vec3(&r, tidy);
        abut_ray_hit hits[2][4];
        size_t found[2];
        for (int i = 0; i < 2; ++i) {
            const double s = i ? ldexp(1, k) : 1, e = i ? ldexp(1, m) : 1;
            abut_shape *shape;
            abut_vec3 scaled[MOST];
            for (int j = 0; j < 8; ++j)
                scaled[j] = v3(s * points[j].x, s * points[j].y, s * points[j].z);
            const abut_status status = which == 0   ? abut_shape_create_cylinder(s * a, s * b, NULL, &shape)
                                       : which == 1 ? abut_shape_create_cone(s * a, s * b, NULL, &shape)
                                       : which == 2
                                           ? abut_shape_create_ellipsoid(v3(s * a, s * b, s), NULL, &shape)
                                           : abut_shape_create_convex(scaled, 8, 0, NULL, &shape, NULL);
            assert_int_equal(status, ABUT_OK);
            const abut_pose pose = { v3(s * at.x, s * at.y, s * at.z), { 1, 0, 0, 0 } };
            assert_int_equal(abut_cast_ray(shape, &pose, v3(s * o.x, s * o.y, s * o.z),
                                           v3(e * d.x, e * d.y, e * d.z), hits[i], 4, &found[i]),
                             ABUT_OK);
            abut_shape_release(shape);
        }
        TEST_CHECK(found[0] == found[1], "seed %" PRIu64 " shape %u: %zu and %zu hits", seed, which, found[0],
                   found[1]);
        for (size_t i = 0; i < found[0]; ++i)
            TEST_CHECK(hits[1][i].t == ldexp(hits[0][i].t, k - m), "seed %" PRIu64 " shape %u: %a and %a",
                       seed, which, hits[0][i].t, hits[1][i].t);
    }
}

/* ---- hulls ---- */

typedef mpq_t rational3[3];

static void q3_init(rational3 x)
{
    for (int i = 0; i < 3; ++i)
        mpq_init(x[i]);
}

static void q3_clear(rational3 x)
{
    for (int i = 0; i < 3; ++i)
        mpq_clear(x[i]);
}

static void q3_cross(rational3 a, rational3 b, rational3 out)
{
    mpq_t p;
    mpq_init(p);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        mpq_mul(out[i], a[j], b[k]);
        mpq_mul(p, a[k], b[j]);
        mpq_sub(out[i], out[i], p);
    }
    mpq_clear(p);
}

static void q3_dot(rational3 a, rational3 b, mpq_t out)
{
    mpq_t p;
    mpq_init(p);
    mpq_set_ui(out, 0, 1);
    for (int i = 0; i < 3; ++i) {
        mpq_mul(p, a[i], b[i]);
        mpq_add(out, out, p);
    }
    mpq_clear(p);
}

static void widen(bool *any, mpq_t lo, mpq_t hi, mpq_t t)
{
    if (!*any || mpq_cmp(t, lo) < 0)
        mpq_set(lo, t);
    if (!*any || mpq_cmp(t, hi) > 0)
        mpq_set(hi, t);
    *any = true;
}

/* Points p_i - o, moments m_i = p_i x d. */
typedef struct scene {
    int n;
    rational3 p[MOST], m[MOST], d;
    mpq_t dd; /* |d|^2 */
} scene;

static void meet_point(scene *s, int i, bool *any, mpq_t lo, mpq_t hi)
{
    mpq_t t;
    mpq_init(t);
    if (mpq_sgn(s->m[i][0]) == 0 && mpq_sgn(s->m[i][1]) == 0 && mpq_sgn(s->m[i][2]) == 0) {
        q3_dot(s->p[i], s->d, t);
        mpq_div(t, t, s->dd);
        widen(any, lo, hi, t);
    }
    mpq_clear(t);
}

/* The moments are opposite: m_i = -c m_j, c >= 0; the point is (p_i + c p_j) / (1 + c). */
static void meet_pair(scene *s, int i, int j, bool *any, mpq_t lo, mpq_t hi)
{
    rational3 x;
    mpq_t ij, jj, t, u;
    q3_init(x);
    mpq_inits(ij, jj, t, u, (mpq_ptr)0);
    q3_cross(s->m[i], s->m[j], x);
    q3_dot(s->m[i], s->m[j], ij);
    q3_dot(s->m[j], s->m[j], jj);
    if (mpq_sgn(x[0]) == 0 && mpq_sgn(x[1]) == 0 && mpq_sgn(x[2]) == 0 && mpq_sgn(ij) < 0) {
        mpq_div(ij, ij, jj);
        mpq_neg(ij, ij);
        q3_dot(s->p[i], s->d, t);
        q3_dot(s->p[j], s->d, u);
        mpq_mul(u, u, ij);
        mpq_add(t, t, u);
        mpq_set_ui(u, 1, 1);
        mpq_add(u, u, ij);
        mpq_mul(u, u, s->dd);
        mpq_div(t, t, u);
        widen(any, lo, hi, t);
    }
    q3_clear(x);
    mpq_clears(ij, jj, t, u, (mpq_ptr)0);
}

/* Barycentric coordinates are det[d, p_j, p_k] and so on. */
static void meet_triple(scene *s, int i, int j, int k, bool *any, mpq_t lo, mpq_t hi)
{
    const int v[3] = { i, j, k };
    rational3 x;
    mpq_t w[3], sum, t, u;
    q3_init(x);
    mpq_inits(w[0], w[1], w[2], sum, t, u, (mpq_ptr)0);
    int plus = 0, minus = 0;
    for (int e = 0; e < 3; ++e) {
        q3_cross(s->p[v[(e + 1) % 3]], s->p[v[(e + 2) % 3]], x);
        q3_dot(x, s->d, w[e]);
        plus += mpq_sgn(w[e]) > 0;
        minus += mpq_sgn(w[e]) < 0;
        mpq_add(sum, sum, w[e]);
    }
    if ((plus == 0 || minus == 0) && mpq_sgn(sum) != 0) {
        for (int e = 0; e < 3; ++e) {
            q3_dot(s->p[v[e]], s->d, u);
            mpq_mul(u, u, w[e]);
            mpq_add(t, t, u);
        }
        mpq_mul(sum, sum, s->dd);
        mpq_div(t, t, sum);
        widen(any, lo, hi, t);
    }
    q3_clear(x);
    mpq_clears(w[0], w[1], w[2], sum, t, u, (mpq_ptr)0);
}

static void hull_range(const abut_vec3 *points, int n, abut_vec3 from, abut_vec3 at, abut_vec3 along,
                       range *out)
{
    scene s = { .n = n };
    mpq_t lo, hi, q;
    mpq_inits(lo, hi, q, s.dd, (mpq_ptr)0);
    q3_init(s.d);
    const double d[3] = { along.x, along.y, along.z };
    for (int k = 0; k < 3; ++k)
        mpq_set_d(s.d[k], d[k]);
    q3_dot(s.d, s.d, s.dd);
    for (int i = 0; i < n; ++i) {
        const double p[3] = { points[i].x, points[i].y, points[i].z }, o[3] = { from.x, from.y, from.z },
                     t[3] = { at.x, at.y, at.z };
        q3_init(s.p[i]);
        q3_init(s.m[i]);
        for (int k = 0; k < 3; ++k) {
            mpq_set_d(s.p[i][k], p[k]);
            mpq_set_d(q, t[k]);
            mpq_add(s.p[i][k], s.p[i][k], q);
            mpq_set_d(q, o[k]);
            mpq_sub(s.p[i][k], s.p[i][k], q);
        }
        q3_cross(s.p[i], s.d, s.m[i]);
    }
    bool any = false;
    for (int i = 0; i < n; ++i) {
        meet_point(&s, i, &any, lo, hi);
        for (int j = i + 1; j < n; ++j) {
            meet_pair(&s, i, j, &any, lo, hi);
            for (int k = j + 1; k < n; ++k)
                meet_triple(&s, i, j, k, &any, lo, hi);
        }
    }
    out->none = !any;
    if (any) {
        mpfr_set_q(out->lo, lo, MPFR_RNDN);
        mpfr_set_q(out->hi, hi, MPFR_RNDN);
    }
    for (int i = 0; i < n; ++i) {
        q3_clear(s.p[i]);
        q3_clear(s.m[i]);
    }
    q3_clear(s.d);
    mpq_clears(lo, hi, q, s.dd, (mpq_ptr)0);
}

static int random_points(test_random *r, bool tidy, abut_vec3 *points)
{
    const int n = 1 + (int)test_below(r, 9);
    for (int i = 0; i < n; ++i)
        points[i] = small_vec3(r, tidy);
    const unsigned shape = test_below(r, 6);
    for (int i = 0; shape < 2 && i < n; ++i) {
        /* flat, as far as sums are exact */
        points[i].z = shape == 0 ? 1 : points[i].x + points[i].y;
        if (!tidy && shape == 1)
            points[i] =
                v3(ldexp(rint(ldexp(points[i].x, 30)), -30), ldexp(rint(ldexp(points[i].y, 30)), -30),
                   ldexp(rint(ldexp(points[i].x, 30)), -30) + ldexp(rint(ldexp(points[i].y, 30)), -30));
    }
    return n;
}

static void rays_against_hulls(void **state)
{
    (void)state;
    range truth;
    range_init(&truth);
    tally sum = { 0 };
    const uint64_t count = test_count(2500);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool tidy = test_below(&r, 3) > 0;
        abut_vec3 points[MOST];
        const int n = random_points(&r, tidy, points);
        abut_shape *shape;
        assert_int_equal(abut_shape_create_convex(points, (size_t)n, 0, NULL, &shape, NULL), ABUT_OK);
        abut_pose pose = { small_vec3(&r, tidy), { 1, 0, 0, 0 } };
        abut_vec3 o = small_vec3(&r, tidy), d = random_direction(&r, tidy);
        if (test_below(&r, 2) == 0) {
            /* through a vertex, the middle of an edge, or along an edge */
            const abut_vec3 a = points[test_below(&r, (unsigned)n)], b = points[test_below(&r, (unsigned)n)];
            const bool along = test_below(&r, 3) == 0 && (a.x != b.x || a.y != b.y || a.z != b.z);
            if (along)
                d = v3(b.x - a.x, b.y - a.y, b.z - a.z);
            const double k = test_below(&r, 4), f = test_bits(&r) & 1 ? 0.5 : 0;
            o = v3(a.x + f * (b.x - a.x) - k * d.x + pose.position.x,
                   a.y + f * (b.y - a.y) - k * d.y + pose.position.y,
                   a.z + f * (b.z - a.z) - k * d.z + pose.position.z);
        }
        hull_range(points, n, o, pose.position, d, &truth);
        judge("hull", seed, shape, &pose, o, d, &truth, 2, &sum);
        abut_shape_release(shape);
    }
    print_message("%" PRIu64 " rays, %" PRIu64 " hits, %" PRIu64 " touches, worst %g ulp\n", count, sum.hits,
                  sum.touches, sum.worst);
    range_clear(&truth);
}

/* ---- points and segments ---- */

/* -1 in, 0 on, 1 out: where 0 lies in what a line through the point meets, in a direction that
 * is in no face. */
static int side_of(range *truth)
{
    if (truth->none || mpfr_sgn(truth->lo) > 0 || mpfr_sgn(truth->hi) < 0)
        return 1;
    return mpfr_sgn(truth->lo) < 0 && mpfr_sgn(truth->hi) > 0 ? -1 : 0;
}

static const abut_vec3 askew = { 0.7310585786300049, 0.2689414213699951, -0.6213349345596119 };

static void check_place(uint64_t seed, const char *what, int sign, const abut_piece *at)
{
    TEST_CHECK(sign < 0    ? at->where == ABUT_WHERE_IN
               : sign == 0 ? at->where >= ABUT_WHERE_VERTEX && at->id >= 0
                           : at->where == ABUT_WHERE_OUT,
               "%s seed %" PRIu64 ": %s %d, sign %d", what, seed, abut_where_name(at->where), (int)at->id,
               sign);
}

static void points_against_quadrics(void **state)
{
    (void)state;
    range truth;
    range_init(&truth);
    uint64_t on = 0, unknown = 0;
    const uint64_t count = test_count(15000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool tidy = test_below(&r, 3) > 0;
        abut_shape *shape;
        const solid s = random_solid(&r, tidy, &shape);
        const abut_vec3 p = test_bits(&r) & 1 ? aim(&r, &s) : small_vec3(&r, tidy), zero = { 0, 0, 0 };
        quadric_range(&s, &p, &zero, &askew, &truth);
        const int sign = side_of(&truth);
        abut_piece at;
        assert_int_equal(abut_classify_point(shape, NULL, p, &at), ABUT_OK);
        check_place(seed, abut_shape_type_name(s.type), sign, &at);
        if (sign == 0 && s.type == ABUT_SHAPE_CYLINDER) {
            const bool cap = fabs(p.z) == s.b / 2;
            if (at.where == ABUT_WHERE_EDGE)
                TEST_CHECK(cap && at.id == (p.z > 0), "seed %" PRIu64, seed);
            else
                TEST_CHECK(at.where == ABUT_WHERE_FACE && at.id == (cap ? 1 + (p.z > 0) : 0), "seed %" PRIu64,
                           seed);
        }
        if (sign == 0 && s.type == ABUT_SHAPE_CONE && p.z == s.b / 2)
            TEST_CHECK(at.where == ABUT_WHERE_VERTEX && at.id == 0, "seed %" PRIu64, seed);
        on += sign == 0;
        /* Turned, and judged where it is clear. */
        const abut_pose turned = { { 0, 0, 0 }, { 3, 0, 0, 1 } };
        const abut_vec3 q = v3(0.8 * p.x - 0.6 * p.y, 0.6 * p.x + 0.8 * p.y, p.z);
        assert_int_equal(abut_classify_point(shape, &turned, q, &at), ABUT_OK);
        TEST_CHECK(at.where < ABUT_WHERE_VERTEX || s.type == ABUT_SHAPE_ELLIPSOID, "seed %" PRIu64, seed);
        bool clear = sign != 0;
        for (int k = 0; clear && k < 9; ++k) {
            /* the last: towards the inside, as sharp rims need */
            const double e = (at.where == ABUT_WHERE_UNKNOWN ? 1e-13 : 1e-14) * (1 + s.a);
            const abut_vec3 near =
                k == 8 ? v3(p.x * (1 - 1e-13), p.y * (1 - 1e-13), p.z - 1e-13 * (p.z + 0.25 * s.b))
                       : v3(p.x + (k & 1 ? e : -e), p.y + (k & 2 ? e : -e), p.z + (k & 4 ? e : -e));
            quadric_range(&s, &near, &zero, &askew, &truth);
            clear = side_of(&truth) == sign;
        }
        unknown += clear && at.where == ABUT_WHERE_UNKNOWN;
        if (clear && at.where != ABUT_WHERE_UNKNOWN)
            TEST_CHECK(at.where == (sign < 0 ? ABUT_WHERE_IN : ABUT_WHERE_OUT), "seed %" PRIu64 " turned: %s",
                       seed, abut_where_name(at.where));
        abut_shape_release(shape);
    }
    print_message("%" PRIu64 " points, %" PRIu64 " on the boundary, %" PRIu64 " turned ones off it unknown\n",
                  count, on, unknown);
    TEST_CHECK(unknown * 1000 <= count, "%" PRIu64 " unknown", unknown);
    range_clear(&truth);
}

static void points_against_hulls(void **state)
{
    (void)state;
    range truth;
    range_init(&truth);
    uint64_t on = 0;
    const uint64_t count = test_count(2500);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool tidy = test_below(&r, 3) > 0;
        abut_vec3 points[MOST];
        const int n = random_points(&r, tidy, points);
        abut_shape *shape;
        assert_int_equal(abut_shape_create_convex(points, (size_t)n, 0, NULL, &shape, NULL), ABUT_OK);
        const abut_vec3 a = points[test_below(&r, (unsigned)n)], b = points[test_below(&r, (unsigned)n)];
        const unsigned kind = test_below(&r, 3);
        const abut_vec3 p = kind == 0   ? a
                            : kind == 1 ? v3(0.5 * (a.x + b.x), 0.5 * (a.y + b.y), 0.5 * (a.z + b.z))
                                        : small_vec3(&r, tidy);
        hull_range(points, n, p, v3(0, 0, 0), askew, &truth);
        const int sign = side_of(&truth);
        abut_piece at;
        assert_int_equal(abut_classify_point(shape, NULL, p, &at), ABUT_OK);
        check_place(seed, "hull", sign, &at);
        if (at.where == ABUT_WHERE_VERTEX) {
            const abut_vec3 v = points[at.id];
            TEST_CHECK(v.x == p.x && v.y == p.y && v.z == p.z, "seed %" PRIu64 ": vertex %d", seed,
                       (int)at.id);
        }
        on += sign == 0;
        abut_shape_release(shape);
    }
    print_message("%" PRIu64 " points, %" PRIu64 " on the boundary\n", count, on);
    range_clear(&truth);
}

/* Pieces of a segment, each judged at its middle. */
static void segments_against_hulls_and_quadrics(void **state)
{
    (void)state;
    range truth;
    range_init(&truth);
    const uint64_t count = test_count(2500);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool tidy = test_below(&r, 3) > 0, hull = test_bits(&r) & 1;
        abut_vec3 points[MOST];
        const int n = random_points(&r, tidy, points);
        abut_shape *shape = NULL;
        solid s = { 0 };
        if (hull)
            assert_int_equal(abut_shape_create_convex(points, (size_t)n, 0, NULL, &shape, NULL), ABUT_OK);
        else
            s = random_solid(&r, tidy, &shape);
        const abut_vec3 a = hull && test_bits(&r) & 1 ? points[0] : small_vec3(&r, tidy),
                        b = small_vec3(&r, tidy), zero = { 0, 0, 0 };
        abut_piece pieces[8], ends[2];
        size_t found;
        assert_int_equal(abut_classify_segment(shape, NULL, a, b, pieces, 8, &found), ABUT_OK);
        TEST_CHECK(found >= 1 && found <= 5 && pieces[0].from == 0 && pieces[found - 1].to == 1,
                   "seed %" PRIu64, seed);
        for (size_t i = 0; i < found; ++i) {
            TEST_CHECK(pieces[i].from <= pieces[i].to && (i == 0 || pieces[i].from == pieces[i - 1].to),
                       "seed %" PRIu64, seed);
            if (pieces[i].to - pieces[i].from < 1e-12)
                continue; /* points of the boundary: judged as hits of rays */
            const double k = 0.5 * pieces[i].from + 0.5 * pieces[i].to;
            const abut_vec3 mid = v3(a.x + k * (b.x - a.x), a.y + k * (b.y - a.y), a.z + k * (b.z - a.z));
            if (hull)
                hull_range(points, n, mid, zero, askew, &truth);
            else
                quadric_range(&s, &mid, &zero, &askew, &truth);
            const int sign = side_of(&truth);
            const bool same = sign < 0   ? pieces[i].where == ABUT_WHERE_IN
                              : sign > 0 ? pieces[i].where == ABUT_WHERE_OUT
                                         : pieces[i].where >= ABUT_WHERE_VERTEX;
            /* A run in a face whose middle is rounded off it. */
            const bool near = pieces[i].where >= ABUT_WHERE_VERTEX && (k != 0.5 || !tidy);
            TEST_CHECK(same || near, "seed %" PRIu64 " piece %zu: %s from %.17g to %.17g, sign %d", seed, i,
                       abut_where_name(pieces[i].where), pieces[i].from, pieces[i].to, sign);
        }
        assert_int_equal(abut_classify_point(shape, NULL, a, &ends[0]), ABUT_OK);
        assert_int_equal(abut_classify_point(shape, NULL, b, &ends[1]), ABUT_OK);
        if (a.x != b.x || a.y != b.y || a.z != b.z)
            for (int i = 0; i < 2; ++i)
                TEST_CHECK(pieces[i ? found - 1 : 0].where == ends[i].where,
                           "seed %" PRIu64 " end %d: %s, is %s", seed, i,
                           abut_where_name(pieces[i ? found - 1 : 0].where), abut_where_name(ends[i].where));
        abut_shape_release(shape);
    }
    range_clear(&truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_against_quadrics), cmocka_unit_test(sizes_do_not_matter),
        cmocka_unit_test(rays_against_hulls),    cmocka_unit_test(points_against_quadrics),
        cmocka_unit_test(points_against_hulls),  cmocka_unit_test(segments_against_hulls_and_quadrics),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
