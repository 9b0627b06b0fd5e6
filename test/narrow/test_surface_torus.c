/* SPDX-License-Identifier: MIT */
/* A torus against balls, half-spaces, tori, boxes, capsules, cylinders and cones. Distances: the
 * torus' spine sampled and golden sections, in long double, the other body by its definition.
 * Contact to the last bit: the formula of the gap in MPFR with 4000 bits, where anything below
 * 2^-2000 is 0. */
#include "abut/query.h"
#include "support/test.h"

#include <mpfr.h>

typedef long double real;

/* ---- distances ---- */

enum { BALL, PLANE, RING, BOX, CAPSULE, CYLINDER, CONE, KINDS };

static const char *const names[KINDS] = {
    "sphere", "halfspace", "torus", "box", "capsule", "cylinder", "cone"
};

typedef struct other {
    int kind;
    real size[4];
} other;

static real max_real(real a, real b)
{
    return a > b ? a : b;
}

/* Of a point from the body, or from the spine of a torus or a capsule; of a half-space signed. */
static real distance_from(const other *b, const real p[3])
{
    const real rho = hypotl(p[0], p[1]);
    switch (b->kind) {
    case BALL: return hypotl(rho, p[2]) - b->size[0];
    case PLANE:
        return (b->size[0] * p[0] + b->size[1] * p[1] + b->size[2] * p[2] - b->size[3]) /
               sqrtl(b->size[0] * b->size[0] + b->size[1] * b->size[1] + b->size[2] * b->size[2]);
    case RING: return hypotl(rho - b->size[0], p[2]) - b->size[1];
    case BOX: {
        real d[3];
        for (int i = 0; i < 3; ++i)
            d[i] = max_real(fabsl(p[i]) - b->size[i], 0);
        return hypotl(hypotl(d[0], d[1]), d[2]);
    }
    case CAPSULE: return hypotl(rho, max_real(fabsl(p[2]) - b->size[1] / 2, 0)) - b->size[0];
    case CONE: { /* the nearest point of the outline, unless inside */
        const real r = b->size[0], h = b->size[1], down = p[2] + h / 2;
        if (down >= 0 && rho * h <= r * (h - down))
            return 0;
        const real t = (r * (r - rho) + h * down) / (r * r + h * h), at = t < 0 ? 0 : t > 1 ? 1 : t;
        const real base = hypotl(max_real(rho - r, 0), down),
                   side = hypotl(rho - r * (1 - at), down - h * at);
        return base < side ? base : side;
    }
    default: return hypotl(max_real(rho - b->size[0], 0), max_real(fabsl(p[2]) - b->size[1] / 2, 0));
    }
}

static void turn(const abut_quat *q, const real v[3], bool back, real out[3])
{
    const real w = back ? -(real)q->w : (real)q->w, x = q->x, y = q->y, z = q->z;
    const real n = w * w + x * x + y * y + z * z;
    const real m[9] = { w * w + x * x - y * y - z * z, 2 * (x * y - w * z),
                        2 * (x * z + w * y),           2 * (x * y + w * z),
                        w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                        2 * (x * z - w * y),           2 * (y * z + w * x),
                        w * w - x * x - y * y + z * z };
    for (int i = 0; i < 3; ++i)
        out[i] = (m[3 * i] * v[0] + m[3 * i + 1] * v[1] + m[3 * i + 2] * v[2]) / n;
}

typedef struct scene {
    double major, minor;
    other b;
    abut_pose at[2];
} scene;

static real at_angle(const scene *s, real u)
{
    const real spine[3] = { s->major * cosl(u), s->major * sinl(u), 0 };
    real p[3], q[3];
    turn(&s->at[0].rotation, spine, false, p);
    p[0] += (real)s->at[0].position.x - s->at[1].position.x;
    p[1] += (real)s->at[0].position.y - s->at[1].position.y;
    p[2] += (real)s->at[0].position.z - s->at[1].position.z;
    if (s->b.kind == BALL)
        return distance_from(&s->b, p);
    turn(&s->at[1].rotation, p, true, q);
    return distance_from(&s->b, q);
}

/* `all`: from every lowest sample; otherwise from the lowest of them, which is enough to steer
 * by. */
static real referee(const scene *s, bool all)
{
    enum { SAMPLES = 180 };
    const real step = 6.283185307179586476925286766559L / SAMPLES;
    real value[SAMPLES], best = HUGE_VALL;
    for (int i = 0; i < SAMPLES; ++i)
        value[i] = at_angle(s, i * step);
    for (int i = 0; i < SAMPLES; ++i)
        best = value[i] < best ? value[i] : best;
    const real lowest = best;
    int descents = 0; /* where all samples are as low as each other, a few will do */
    for (int i = 0; i < SAMPLES; ++i) {
        if ((!all && value[i] > lowest) || value[i] > value[(i + 1) % SAMPLES] ||
            value[i] > value[(i + SAMPLES - 1) % SAMPLES])
            continue;
        if (++descents > 8)
            break;
        real lo = (i - 1) * step, hi = (i + 1) * step;
        for (int k = 0; k < (all ? 90 : 60); ++k) {
            const real x = hi - (hi - lo) * 0.618033988749894848L, y = lo + (hi - lo) * 0.618033988749894848L;
            const real f = at_angle(s, x), g = at_angle(s, y);
            best = f < best ? f : best;
            best = g < best ? g : best;
            if (f <= g)
                hi = y;
            else
                lo = x;
        }
    }
    return best - s->minor;
}

static abut_shape *make_other(const other *b)
{
    abut_shape *shape = NULL;
    const double x = (double)b->size[0], y = (double)b->size[1], z = (double)b->size[2];
    abut_status status;
    switch (b->kind) {
    case BALL: status = abut_shape_create_sphere(x, NULL, &shape); break;
    case PLANE:
        status = abut_shape_create_halfspace((abut_vec3){ x, y, z }, (double)b->size[3], NULL, &shape);
        break;
    case RING: status = abut_shape_create_torus(x, y, NULL, &shape); break;
    case BOX: status = abut_shape_create_box((abut_vec3){ x, y, z }, NULL, &shape); break;
    case CAPSULE: status = abut_shape_create_capsule(x, y, NULL, &shape); break;
    case CONE: status = abut_shape_create_cone(x, y, NULL, &shape); break;
    default: status = abut_shape_create_cylinder(x, y, NULL, &shape);
    }
    assert_int_equal(status, ABUT_OK);
    return shape;
}

static double length_of(const scene *s)
{
    double size = s->major;
    for (int i = 0; i < (s->b.kind == PLANE ? 0 : 3); ++i)
        size = fmax(size, (double)s->b.size[i]);
    for (int i = 0; i < 2; ++i)
        size = fmax(size, fabs(s->at[i].position.x) + fabs(s->at[i].position.y) + fabs(s->at[i].position.z));
    return size;
}

typedef struct tally {
    int separate, penetrating, undecided;
} tally;

static void judge(const scene *s, uint64_t seed, tally *n)
{
    abut_shape *torus, *b = make_other(&s->b);
    abut_check_result r, swapped;
    assert_int_equal(abut_shape_create_torus(s->major, s->minor, NULL, &torus), ABUT_OK);
    assert_int_equal(abut_check(torus, &s->at[0], b, &s->at[1], NULL, NULL, &r), ABUT_OK);
    assert_int_equal(abut_check(b, &s->at[1], torus, &s->at[0], NULL, NULL, &swapped), ABUT_OK);
    const double truth = (double)referee(s, true), size = length_of(s), slack = 1e-17 * size;
    TEST_CHECK(swapped.verdict == r.verdict || r.verdict == ABUT_UNDECIDED ||
                   swapped.verdict == ABUT_UNDECIDED,
               "seed %" PRIu64 ", %s: %s, and %s the other way round", seed, names[s->b.kind],
               abut_verdict_name(r.verdict), abut_verdict_name(swapped.verdict));
    switch (r.verdict) {
    case ABUT_SEPARATE:
        /* The referee's distance is that of two points. */
        TEST_CHECK(r.distance.lo <= truth + slack, "seed %" PRIu64 ", %s: [%a, %a], but two points are at %a",
                   seed, names[s->b.kind], r.distance.lo, r.distance.hi, truth);
        TEST_CHECK(r.distance.hi >= truth - 1e-14 * size,
                   "seed %" PRIu64 ", %s: [%.17g, %.17g], the referee's is %.17g", seed, names[s->b.kind],
                   r.distance.lo, r.distance.hi, truth);
        TEST_CHECK(r.distance.hi - r.distance.lo <= 1e-12 * r.distance.hi + 1e-13 * size,
                   "seed %" PRIu64 ", %s: [%.17g, %.17g] is wide", seed, names[s->b.kind], r.distance.lo,
                   r.distance.hi);
        assert_true(r.has_points && r.has_normal);
        const double d[3] = { r.point_b.x - r.point_a.x, r.point_b.y - r.point_a.y,
                              r.point_b.z - r.point_a.z };
        TEST_NEAR(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), r.distance.hi, 1e-12 * size,
                  "seed %" PRIu64 ", %s", seed, names[s->b.kind]);
        ++n->separate;
        break;
    case ABUT_PENETRATING:
        TEST_CHECK(truth < slack, "seed %" PRIu64 ", %s: said to penetrate, but %a apart", seed,
                   names[s->b.kind], truth);
        if (s->b.kind == PLANE) {
            assert_true(r.has_depth && r.has_points);
            TEST_CHECK(r.depth.lo <= -truth + slack && r.depth.hi >= -truth - slack &&
                           r.depth.hi - r.depth.lo < 1e-14 * (size - truth),
                       "seed %" PRIu64 ": depth [%a, %a], but it is %a", seed, r.depth.lo, r.depth.hi,
                       -truth);
        }
        ++n->penetrating;
        break;
    default:
        TEST_CHECK(fabs(truth) < 1e-14 * size, "seed %" PRIu64 ", %s: %s, but the gap is %a", seed,
                   names[s->b.kind], abut_verdict_name(r.verdict), truth);
        ++n->undecided;
    }
    abut_shape_release(torus);
    abut_shape_release(b);
}

static abut_quat random_rotation(test_random *r, int mode)
{
    if (mode == 0)
        return (abut_quat){ 1, 0, 0, 0 };
    if (mode == 1) { /* about z, so that axes are parallel but for rounding */
        const double a = test_uniform(r, 0, 6);
        return (abut_quat){ cos(a), 0, 0, sin(a) };
    }
    return (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                        test_uniform(r, -1, 1) };
}

/* Anywhere, coaxial or nearly, thin or thick, touching but for 1e-1 to 1e-13 of the size. */
static void scene_make(uint64_t seed, scene *s)
{
    test_random r = test_seed(seed);
    memset(s, 0, sizeof *s);
    s->b.kind = (int)(test_bits(&r) % KINDS);
    s->major = test_uniform(&r, 0.5, 2);
    s->minor = s->major *
               (test_bits(&r) % 4 == 0 ? pow(10, test_uniform(&r, -6, -1)) : test_uniform(&r, 0.05, 0.95));
    const double by = test_bits(&r) % 4 == 0 ? pow(10, test_uniform(&r, -4, 4)) : 1;
    for (int i = 0; i < 3; ++i)
        s->b.size[i] = test_uniform(&r, 0.2, 2) * by;
    if (s->b.kind == RING)
        s->b.size[1] = (double)s->b.size[0] * test_uniform(&r, 0.01, 0.9);
    if (s->b.kind == PLANE)
        s->b.size[3] = test_uniform(&r, -1, 1);
    const int mode = (int)(test_bits(&r) % 4);
    s->at[0].rotation = random_rotation(&r, mode);
    s->at[1].rotation = random_rotation(&r, mode);
    const double away = test_uniform(&r, 0, 4) * fmax(1, by);
    s->at[1].position =
        (abut_vec3){ test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1) };
    s->at[0].position = (abut_vec3){ test_uniform(&r, -1, 1) * away, test_uniform(&r, -1, 1) * away,
                                     test_uniform(&r, -1, 1) * away };
    if (mode <= 1 && test_bits(&r) % 2) { /* on one axis */
        const double off = test_bits(&r) % 2 ? 0 : 1e-9;
        s->at[0].position.x = s->at[1].position.x + off;
        s->at[0].position.y = s->at[1].position.y;
    }
    if (test_bits(&r) % 2)
        return;
    /* Closer and closer along the way between them: the gap changes by no more than the way. */
    const double target = (test_bits(&r) % 2 ? 1 : -1) * pow(10, test_uniform(&r, -13, -1));
    double dir[3] = { s->at[0].position.x - s->at[1].position.x, s->at[0].position.y - s->at[1].position.y,
                      s->at[0].position.z - s->at[1].position.z };
    const double l = sqrt(dir[0] * dir[0] + dir[1] * dir[1] + dir[2] * dir[2]) + 1e-3;
    double lo = -20 * fmax(1, by), hi = 20 * fmax(1, by);
    const abut_vec3 from = s->at[0].position;
    for (int i = 0; i < 45; ++i) {
        const double mid = 0.5 * (lo + hi);
        s->at[0].position =
            (abut_vec3){ from.x + mid * dir[0] / l, from.y + mid * dir[1] / l, from.z + mid * dir[2] / l };
        if (referee(s, false) < target)
            lo = mid;
        else
            hi = mid;
    }
}

static void distances(void **state)
{
    (void)state;
    const uint64_t count = test_count(400);
    tally n = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed) {
        scene s;
        scene_make(seed, &s);
        judge(&s, seed, &n);
    }
    print_message("%d separate, %d penetrating, %d undecided\n", n.separate, n.penetrating, n.undecided);
    if (count >= 50)
        assert_true(n.separate > 0 && n.penetrating > 0 && (uint64_t)n.undecided * 20 < count);
}

/* Lengths at the ends of the doubles. */
static void any_size(void **state)
{
    (void)state;
    const int exponents[6] = { -1000, -600, -250, 250, 600, 1000 };
    for (int k = 0; k < KINDS; ++k)
        for (int i = 0; i < 6; ++i) {
            const double s = ldexp(1, exponents[i]);
            const other b = { k,
                              { k == PLANE ? 3 : s, (k == PLANE ? 4 : 0.5 * s), k == PLANE ? 0 : s,
                                k == PLANE ? -5 * s : 0 } };
            abut_shape *torus, *shape = make_other(&b);
            const abut_pose at = { .position = { 6 * s, 0, 0 }, .rotation = { 1, 2, 3, 4 } };
            abut_check_result r;
            assert_int_equal(abut_shape_create_torus(2 * s, 0.5 * s, NULL, &torus), ABUT_OK);
            assert_int_equal(abut_check(torus, &at, shape, NULL, NULL, NULL, &r), ABUT_OK);
            TEST_CHECK(r.verdict == ABUT_SEPARATE && r.distance.lo > s && r.distance.hi < 8 * s,
                       "%s, 2^%d: %s, [%g, %g]", names[k], exponents[i], abut_verdict_name(r.verdict),
                       r.distance.lo / s, r.distance.hi / s);
            abut_shape_release(torus);
            abut_shape_release(shape);
        }
}

/* ---- contact to the last bit ---- */

enum { BITS = 4000 };

typedef struct numbers {
    mpfr_t n[3], z, rho, t, u;
} numbers;

static int sign_of(mpfr_t x)
{
    return mpfr_zero_p(x) || mpfr_get_exp(x) < -2000 ? 0 : mpfr_sgn(x);
}

/* The torus' axis, and z and rho of a point about it. */
static void about_axis(numbers *w, const abut_quat *q, const double d[3])
{
    const double e[3] = { 2 * (q->x * q->z + q->w * q->y), 2 * (q->y * q->z - q->w * q->x),
                          /* small whole numbers */
                          q->w * q->w - q->x * q->x - q->y * q->y + q->z * q->z };
    const double norm = q->w * q->w + q->x * q->x + q->y * q->y + q->z * q->z;
    mpfr_set_zero(w->z, 1);
    mpfr_set_zero(w->rho, 1);
    for (int i = 0; i < 3; ++i) {
        mpfr_set_d(w->n[i], e[i], MPFR_RNDN);
        mpfr_div_d(w->n[i], w->n[i], norm, MPFR_RNDN);
        mpfr_mul_d(w->t, w->n[i], d[i], MPFR_RNDN);
        mpfr_add(w->z, w->z, w->t, MPFR_RNDN);
        mpfr_set_d(w->t, d[i], MPFR_RNDN);
        mpfr_sqr(w->t, w->t, MPFR_RNDN);
        mpfr_add(w->rho, w->rho, w->t, MPFR_RNDN);
    }
    mpfr_sqr(w->t, w->z, MPFR_RNDN);
    mpfr_sub(w->rho, w->rho, w->t, MPFR_RNDN);
    if (mpfr_sgn(w->rho) < 0 || mpfr_get_exp(w->rho) < -3000)
        mpfr_set_zero(w->rho, 1);
    mpfr_sqrt(w->rho, w->rho, MPFR_RNDN);
}

/* hypot(max(rho - outer, inner - rho, 0), z) - r - s. */
static int circles_sign(numbers *w, double outer, double inner, double r, double s)
{
    mpfr_sub_d(w->t, w->rho, outer, MPFR_RNDN);
    mpfr_d_sub(w->u, inner, w->rho, MPFR_RNDN);
    mpfr_max(w->t, w->t, w->u, MPFR_RNDN);
    if (mpfr_sgn(w->t) < 0)
        mpfr_set_zero(w->t, 1);
    mpfr_hypot(w->t, w->t, w->z, MPFR_RNDN);
    mpfr_sub_d(w->t, w->t, r, MPFR_RNDN);
    mpfr_sub_d(w->t, w->t, s, MPFR_RNDN);
    return sign_of(w->t);
}

/* m . d - offset - r |m| - R |m x n|; d is the centre's place. */
static int plane_sign(numbers *w, const double m[3], const double d[3], double offset, double major,
                      double minor)
{
    mpfr_set_zero(w->t, 1);
    mpfr_set_zero(w->u, 1);
    mpfr_set_zero(w->z, 1);
    for (int i = 0; i < 3; ++i) {
        mpfr_mul_d(w->rho, w->n[i], m[i], MPFR_RNDN);
        mpfr_add(w->z, w->z, w->rho, MPFR_RNDN); /* m . n */
        mpfr_set_d(w->rho, m[i], MPFR_RNDN);
        mpfr_mul_d(w->n[i], w->rho, d[i], MPFR_RNDN);
        mpfr_add(w->t, w->t, w->n[i], MPFR_RNDN);
        mpfr_sqr(w->rho, w->rho, MPFR_RNDN);
        mpfr_add(w->u, w->u, w->rho, MPFR_RNDN); /* |m|^2 */
    }
    mpfr_sub_d(w->t, w->t, offset, MPFR_RNDN);
    mpfr_sqr(w->z, w->z, MPFR_RNDN);
    mpfr_sub(w->z, w->u, w->z, MPFR_RNDN);
    if (mpfr_sgn(w->z) < 0 || mpfr_get_exp(w->z) < -3000)
        mpfr_set_zero(w->z, 1);
    mpfr_sqrt(w->z, w->z, MPFR_RNDN);
    mpfr_mul_d(w->z, w->z, major, MPFR_RNDN);
    mpfr_sqrt(w->u, w->u, MPFR_RNDN);
    mpfr_mul_d(w->u, w->u, minor, MPFR_RNDN);
    mpfr_sub(w->t, w->t, w->z, MPFR_RNDN);
    mpfr_sub(w->t, w->t, w->u, MPFR_RNDN);
    return sign_of(w->t);
}

static double ulp_step(test_random *r, double x)
{
    const int k = (int)(test_bits(r) % 4);
    return k == 0 ? nextafter(x, 0) : k == 1 ? nextafter(x, 2 * x) : x;
}

static void expect(const abut_shape *a, const abut_pose *at_a, const abut_shape *b, const abut_pose *at_b,
                   int sign, uint64_t seed, int count[3])
{
    static const abut_verdict verdicts[3] = { ABUT_PENETRATING, ABUT_TOUCHING, ABUT_SEPARATE };
    abut_check_result r;
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(i ? abut_check(b, at_b, a, at_a, NULL, NULL, &r)
                           : abut_check(a, at_a, b, at_b, NULL, NULL, &r),
                         ABUT_OK);
        TEST_CHECK(r.verdict == verdicts[sign + 1], "seed %" PRIu64 ": %s, expected %s", seed,
                   abut_verdict_name(r.verdict), abut_verdict_name(verdicts[sign + 1]));
        if (sign == 0) {
            assert_int_equal(r.proof, ABUT_PROOF_EXACT);
            assert_true(r.contact_count == 1 && r.has_normal && r.distance.hi == 0);
        }
    }
    ++count[sign + 1];
}

/* Places d along the axis n and across it, made of triples (3, 4, 5), for quaternions of small
 * whole numbers: d = |q|^2 times whole numbers. */
static void contact_to_the_last_bit(void **state)
{
    (void)state;
    static const double triple[5][3] = {
        { 3, 4, 5 }, { 5, 12, 13 }, { 8, 15, 17 }, { 0, 7, 7 }, { 6, 0, 6 }
    };
    const uint64_t count = test_count(3000);
    int seen[3][3] = { { 0 } };
    numbers w;
    mpfr_inits2(BITS, w.n[0], w.n[1], w.n[2], w.z, w.rho, w.t, w.u, (mpfr_ptr)0);
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed);
        abut_quat q;
        do {
            q = (abut_quat){ (double)(test_bits(&r) % 7) - 3, (double)(test_bits(&r) % 7) - 3,
                             (double)(test_bits(&r) % 7) - 3, (double)(test_bits(&r) % 7) - 3 };
        } while (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0);
        const double norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        const double *k = triple[test_bits(&r) % 5];
        const int what = (int)(test_bits(&r) % 3);
        double major = norm * (double)(20 + test_bits(&r) % 20), sum = norm * k[2];
        double minor = 0.375 * sum, rest;
        /* Columns of the rotation times |q|^2: across and along the axis. */
        const double x[3] = { q.w * q.w + q.x * q.x - q.y * q.y - q.z * q.z, 2 * (q.x * q.y + q.w * q.z),
                              2 * (q.x * q.z - q.w * q.y) };
        const double n[3] = { 2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x),
                              q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z };
        double d[3];
        abut_pose at = { .rotation = q }, there = { .rotation = q };
        abut_shape *torus, *b;
        /* Any size: signs do not change with a power of two. */
        static const int exponents[8] = { 0, 0, 0, 0, -900, -300, 300, 900 };
        const double unit = ldexp(1, exponents[test_bits(&r) % 8]);
        if (what < 2) {
            rest = ulp_step(&r, sum - minor);
            const double other_major = what == 0 ? 0 : norm * 14;
            /* outside both, inside, or one above the other */
            const int side = (int)(test_bits(&r) % 3);
            double across =
                       (side == 0 ? major + other_major + norm * k[0] : major - other_major - norm * k[0]) /
                       norm,
                   along = (test_bits(&r) % 2 ? 1 : -1) * k[1];
            if (what == 1 && side == 2) {
                across = major / norm;
                along = k[2];
            }
            for (int i = 0; i < 3; ++i)
                d[i] = across * x[i] + along * n[i];
            at.position = (abut_vec3){ unit, 2 * unit, 3 * unit };
            there.position = (abut_vec3){ (1 + d[0]) * unit, (2 + d[1]) * unit, (3 + d[2]) * unit };
            assert_int_equal(what == 0 ? abut_shape_create_sphere(rest * unit, NULL, &b)
                                       : abut_shape_create_torus(other_major * unit, rest * unit, NULL, &b),
                             ABUT_OK);
            about_axis(&w, &q, d);
            if (what == 1 && test_bits(&r) % 2) /* the other way round, its axis is the same */
                there.rotation =
                    (abut_quat){ q.w + q.z, q.x - q.y, q.y + q.x, q.z - q.w }; /* q times 1 - k */
            const int sign = circles_sign(&w, major + other_major, major - other_major, minor, rest);
            assert_int_equal(abut_shape_create_torus(major * unit, minor * unit, NULL, &torus), ABUT_OK);
            expect(torus, &at, b, &there, sign, seed, seen[what]);
        } else {
            /* |m| and |m x n| are whole for m = 3 x + 4 n of whole columns; otherwise any. */
            double m[3];
            const bool whole = test_bits(&r) % 4 != 0;
            for (int i = 0; i < 3; ++i) {
                m[i] = whole ? k[0] * x[i] + k[1] * n[i] : (double)(test_bits(&r) % 9) - 4;
                d[i] = (double)(test_bits(&r) % 100) - 50;
            }
            if (m[0] == 0 && m[1] == 0 && m[2] == 0)
                m[2] = 1;
            double offset = m[0] * d[0] + m[1] * d[1] + m[2] * d[2];
            offset -= whole ? minor * norm * k[2] + major * norm * k[0] : minor;
            offset = ulp_step(&r, offset);
            at.position = (abut_vec3){ d[0] * unit, d[1] * unit, d[2] * unit };
            assert_int_equal(
                abut_shape_create_halfspace((abut_vec3){ m[0], m[1], m[2] }, offset * unit, NULL, &b),
                ABUT_OK);
            about_axis(&w, &q, d);
            const int sign = plane_sign(&w, m, d, offset, major, minor);
            assert_int_equal(abut_shape_create_torus(major * unit, minor * unit, NULL, &torus), ABUT_OK);
            expect(torus, &at, b, NULL, sign, seed, seen[2]);
        }
        abut_shape_release(torus);
        abut_shape_release(b);
    }
    mpfr_clears(w.n[0], w.n[1], w.n[2], w.z, w.rho, w.t, w.u, (mpfr_ptr)0);
    for (int i = 0; i < 3; ++i) {
        print_message("%d penetrating, %d touching, %d separate\n", seen[i][0], seen[i][1], seen[i][2]);
        if (count >= 1000)
            assert_true(seen[i][0] > 20 && seen[i][1] > 20 && seen[i][2] > 20);
    }
}

/* A torus that lies on a box, leans on it with its side, and does so beside it. */
static void on_a_box(void **state)
{
    (void)state;
    abut_shape *torus, *box;
    abut_check_result r;
    assert_int_equal(abut_shape_create_torus(2, 0.1, NULL, &torus), ABUT_OK);
    assert_int_equal(abut_shape_create_box((abut_vec3){ 3, 4, 0.3 }, NULL, &box), ABUT_OK);
    const struct {
        abut_vec3 at;
        abut_verdict verdict;
    } cases[] = {
        { { 0, 0, 0.4 }, ABUT_SEPARATE }, /* by the rounding of 0.1, 0.3 and 0.4: 2.8e-17 */
        { { 0, 0, 0.39999999999999997 }, ABUT_PENETRATING },
        { { 4.5, 0, 0.5 }, ABUT_SEPARATE },
        { { 0, 0, 0.4000000000000001 }, ABUT_SEPARATE },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const abut_pose at = { .position = cases[i].at, .rotation = { 1, 0, 0, 0 } };
        assert_int_equal(abut_check(torus, &at, box, NULL, NULL, NULL, &r), ABUT_OK);
        TEST_CHECK(r.verdict == cases[i].verdict, "%zu: %s", i, abut_verdict_name(r.verdict));
    }
    abut_shape_release(torus);
    abut_shape_release(box);
    assert_int_equal(abut_shape_create_torus(2, 0.5, NULL, &torus), ABUT_OK);
    assert_int_equal(abut_shape_create_box((abut_vec3){ 3, 4, 1 }, NULL, &box), ABUT_OK);
    const abut_quat flat = { 1, 0, 0, 0 }, upright = { 1, 1, 0, 0 };
    const struct {
        abut_vec3 at;
        abut_quat turned;
        abut_verdict verdict;
    } exact[] = {
        { { 0, 0, 1.5 }, flat, ABUT_TOUCHING },       { { 1, 2, -1.5 }, flat, ABUT_TOUCHING },
        { { 5, 0, 1.5 }, flat, ABUT_TOUCHING }, /* with one point of the ring over the edge */
        { { 5.5, 0, 1.5 }, flat, ABUT_SEPARATE },     { { 5.5, 0, 0 }, flat, ABUT_TOUCHING },
        { { 5.5, 3, -0.75 }, flat, ABUT_TOUCHING },   { { 5.5, 4, 1 }, flat, ABUT_TOUCHING },
        { { 5.5, 4.25, 0 }, flat, ABUT_SEPARATE },    { { 0, 0, 3.5 }, upright, ABUT_TOUCHING },
        { { 3, -4, 3.5 }, upright, ABUT_TOUCHING },   { { 0, 4.5, 0 }, upright, ABUT_TOUCHING },
        { { 0, 4.5, 2.75 }, upright, ABUT_TOUCHING }, { { 0, 0, 3.25 }, upright, ABUT_PENETRATING },
    };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
        const abut_pose at = { .position = exact[i].at, .rotation = exact[i].turned };
        assert_int_equal(abut_check(torus, &at, box, NULL, NULL, NULL, &r), ABUT_OK);
        TEST_CHECK(r.verdict == exact[i].verdict, "%zu: %s", i, abut_verdict_name(r.verdict));
    }
    abut_shape_release(torus);
    abut_shape_release(box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(any_size),
        cmocka_unit_test(contact_to_the_last_bit),
        cmocka_unit_test(on_a_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
