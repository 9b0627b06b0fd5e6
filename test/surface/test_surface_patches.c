/* SPDX-License-Identifier: MIT */
/* Bezier patches: enclosures against sums of Bernstein polynomials in MPFR; where patches meet;
 * solids. */
#include "support/failing_allocator.h"
#include "surface/check.h"

enum { max_degree = 31, max_points = (max_degree + 1) * (max_degree + 1) };

typedef struct patch {
    int m, n;
    abut_vec3 points[max_points];
    double weights[max_points];
    bool rational;
} patch;

/* C(n, i) s^i (1 - s)^(n - i) for all i. */
static void bernstein(int n, num s, num *out)
{
    num r = o_sub(o_num(1), s), power = o_num(1), binomial = o_num(1);
    for (int i = 0; i <= n; ++i) {
        out[i] = o_mul(binomial, power);
        power = o_mul(power, s);
        binomial = o_div(o_mul(binomial, o_num(n - i)), o_num(i + 1));
    }
    power = o_num(1);
    for (int i = n; i >= 0; --i) {
        out[i] = o_mul(out[i], power);
        power = o_mul(power, r);
    }
}

static void point(const void *ctx, const num *in, num *out)
{
    const patch *p = ctx;
    num b[max_degree + 1], c[max_degree + 1], sum[4];
    bernstein(p->m, in[0], b);
    bernstein(p->n, in[1], c);
    for (int k = 0; k < 4; ++k)
        sum[k] = o_num(0);
    for (int j = 0; j <= p->n; ++j)
        for (int i = 0; i <= p->m; ++i) {
            const int at = j * (p->m + 1) + i;
            num w = o_mul(o_mul(b[i], c[j]), o_num(p->rational ? p->weights[at] : 1));
            const double x[3] = { p->points[at].x, p->points[at].y, p->points[at].z };
            for (int k = 0; k < 3; ++k)
                sum[k] = o_add(sum[k], o_mul(w, o_num(x[k])));
            sum[3] = o_add(sum[3], w);
        }
    for (int k = 0; k < 3; ++k)
        out[k] = p->rational ? o_div(sum[k], sum[3]) : sum[k];
}

static void random_patch(test_random *r, int degree, patch *p)
{
    p->m = 1 + (int)test_below(r, (unsigned)degree);
    p->n = 1 + (int)test_below(r, (unsigned)degree);
    p->rational = test_below(r, 2);
    const double size = exp2(test_uniform(r, -8, 8));
    for (int i = 0; i < (p->m + 1) * (p->n + 1); ++i) {
        const double x = i % (p->m + 1) + test_uniform(r, -0.5, 0.5),
                     y = (double)(i / (p->m + 1)) + test_uniform(r, -0.5, 0.5);
        p->points[i] = (abut_vec3){ size * x, size * y, size * test_uniform(r, -1, 1) };
        p->weights[i] = exp2(test_uniform(r, -2, 2));
    }
}

static abut_status create(const patch *p, const abut_allocator *alloc, abut_shape **out)
{
    const abut_bezier_patch def = { p->m, p->n, p->points, p->rational ? p->weights : NULL };
    return abut_shape_create_bezier(&def, 1, alloc, out, NULL);
}

/* `wide` adds what is beyond the patch by a tenth: the polynomials go on. */
static void check_patches(int degree, uint64_t count, bool wide)
{
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 77 * (uint64_t)degree);
        static patch p;
        random_patch(&r, degree, &p);
        abut_shape *shape;
        assert_int_equal(create(&p, NULL, &shape), ABUT_OK);
        asked a;
        ask(shape, &a);
        static abut_surface_feature face;
        face = a.surface.features[0];
        if (wide)
            face.range[0] = face.range[1] = (abut_interval){ -0.1, 1.1 };
        asked b = a;
        b.surface.features = &face;
        for (uint64_t k = 0; k < 20; ++k) {
            check_jet(&b, 0, point, &p, (abut_interval){ 0, 1 }, 1, seed * 100 + k);
            check_normal_slopes(&b, 0, (abut_interval){ 0, 1 }, seed * 100 + k);
        }
        forget(&a);
        abut_shape_release(shape);
    }
}

static void jets_contain(void **state)
{
    (void)state;
    check_patches(3, test_count(60), false);
    check_patches(7, test_count(10), false);
    check_patches(31, test_count(2), false);
}

static void jets_beyond_the_ends_contain(void **state)
{
    (void)state;
    check_patches(3, test_count(60), true);
}

/* Edges run along sides, in both of their patches. */
static void edges_contain(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(100); ++seed) {
        test_random r = test_seed(seed);
        static patch p;
        random_patch(&r, 4, &p);
        abut_shape *shape;
        assert_int_equal(create(&p, NULL, &shape), ABUT_OK);
        asked a;
        ask(shape, &a);
        expect_counts(&a.surface, 1, 4, 4);
        assert_false(a.surface.solid);
        for (size_t i = 1; i < 5; ++i) {
            const abut_surface_feature *f = &a.surface.features[i];
            kernel_job j = { .surface = &a.surface, .feature = f, .order = 2, .scratch = a.scratch };
            double at;
            j.box[0] = random_part(&r, f->range[0], &at);
            run(kernel_jet, &j);
            assert_int_equal(f->normal_count, 1);
            /* Which side it is shows at its ends; the point at `at` is judged on all four and
             * must be on one. */
            bool found = false;
            for (int side = 0; side < 4; ++side) {
                const double uv[3] = { side < 2 ? side : at, side < 2 ? at : side - 2, 0 };
                oracle_jet o[3];
                oracle_derive(point, &p, 3, 3, uv, o);
                bool here = true;
                const int by = side < 2 ? 1 : 0;
                for (int k = 0; k < 3; ++k) {
                    const ia p0 = part_of(&j.jet.p, k), p1 = part_of(&j.jet.u, k), p2 = part_of(&j.jet.uu, k);
                    here = here && oracle_within(o[k].value, ia_lo(p0), ia_hi(p0)) &&
                           oracle_within(o[k].first[by], ia_lo(p1), ia_hi(p1)) &&
                           oracle_within(o[k].second[by][by], ia_lo(p2), ia_hi(p2));
                }
                found = found || here;
            }
            TEST_CHECK(found, "seed %" PRIu64 ", edge %zu", seed, i);
        }
        forget(&a);
        abut_shape_release(shape);
    }
}

/* Cut down to a piece, the hull of control points exceeds the range by O(h^2). */
static void excess_falls_quadratically(void **state)
{
    (void)state;
    static patch p;
    test_random r = test_seed(5);
    random_patch(&r, 3, &p);
    p.m = p.n = 3;
    p.rational = false;
    for (int i = 0; i < 16; ++i)
        p.points[i] =
            (abut_vec3){ i % 4 + test_uniform(&r, -0.3, 0.3), (double)(i / 4), test_uniform(&r, -1, 1) };
    abut_shape *shape;
    assert_int_equal(create(&p, NULL, &shape), ABUT_OK);
    asked a;
    ask(shape, &a);
    kernel_job j = { .surface = &a.surface, .feature = a.surface.features, .order = 2, .scratch = a.scratch };
    double last = 0;
    for (int k = 2; k < 14; ++k) {
        const double h = exp2(-k), u = 0.3, v = 0.4;
        double lo = HUGE_VAL, hi = -HUGE_VAL;
        for (int i = 0; i <= 16; ++i)
            for (int l = 0; l <= 16; ++l) {
                j.box[0].lo = j.box[0].hi = u + h * i / 16;
                j.box[1].lo = j.box[1].hi = v + h * l / 16;
                run(kernel_jet, &j);
                lo = fmin(lo, ia_mid(j.jet.u.z));
                hi = fmax(hi, ia_mid(j.jet.u.z));
            }
        j.box[0] = (abut_interval){ u, u + h };
        j.box[1] = (abut_interval){ v, v + h };
        run(kernel_jet, &j);
        const double excess = ia_width(j.jet.u.z) - (hi - lo);
        if (k > 4)
            TEST_CHECK(excess < last / 2.5 || excess < 1e-6, "excess %g after %g at h = %g", excess, last, h);
        last = excess;
    }
    j.box[0] = j.box[1] = (abut_interval){ 0.3, 0.3 };
    run(kernel_jet, &j);
    assert_true(ia_width(j.jet.p.z) < 0x1p-46 && ia_width(j.jet.uv.z) < 0x1p-42);
    forget(&a);
    abut_shape_release(shape);
}

/* ---- solids ---- */

/* The six faces of a cube as patches of one degree, outward; `turned`: inward. */
static void cube_faces(bool turned, abut_vec3 points[6][4], abut_bezier_patch patches[6])
{
    for (int face = 0; face < 6; ++face) {
        const int axis = face / 2, a = (axis + 1) % 3, b = (axis + 2) % 3;
        const bool flip = (face % 2 == 0) != turned;
        for (int k = 0; k < 4; ++k) {
            double x[3];
            x[axis] = face % 2;
            x[flip ? b : a] = k & 1;
            x[flip ? a : b] = k >> 1;
            points[face][k] = (abut_vec3){ x[0], x[1], x[2] };
        }
        patches[face] = (abut_bezier_patch){ 1, 1, points[face], NULL };
    }
}

static void a_cube_has_six_twelve_eight(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; ++turned) {
        abut_vec3 points[6][4];
        abut_bezier_patch patches[6];
        cube_faces(turned, points, patches);
        abut_shape *shape;
        assert_int_equal(abut_shape_create_bezier(patches, 6, NULL, &shape, NULL), ABUT_OK);
        asked a;
        ask(shape, &a);
        expect_counts(&a.surface, 6, 12, 8);
        assert_true(a.surface.solid);
        for (size_t i = 0; i < a.surface.feature_count; ++i) {
            const abut_surface_feature *f = &a.surface.features[i];
            kernel_job j = { .surface = &a.surface, .feature = f, .order = 1, .scratch = a.scratch };
            j.box[0] = j.box[1] = (abut_interval){ 0.5, 0.5 };
            assert_int_equal(f->normal_count, 3 - f->dimension);
            assert_false(f->smooth);
            run(kernel_jet, &j);
            run(kernel_normals, &j);
            for (int k = 0; k < f->normal_count; ++k) /* away from the middle */
                TEST_NEAR((ia_mid(j.jet.p.x) - 0.5) * ia_mid(j.normals[k].x) +
                              (ia_mid(j.jet.p.y) - 0.5) * ia_mid(j.normals[k].y) +
                              (ia_mid(j.jet.p.z) - 0.5) * ia_mid(j.normals[k].z),
                          0.5, 1e-14, "feature %zu, normal %d", i, k);
        }
        const abut_aabb box = abut_shape_bounds(shape);
        assert_true(box.lo.x == 0 && box.hi.z == 1);
        forget(&a);
        abut_shape_release(shape);
        /* One face turned: an error that names it. One is missing: a sheet. */
        abut_vec3 other[4] = { points[2][0], points[2][2], points[2][1], points[2][3] };
        abut_error error;
        patches[2].points = other;
        assert_int_equal(abut_shape_create_bezier(patches, 6, NULL, &shape, &error), ABUT_ERR_VALUE);
        assert_int_equal(error.index, 2);
        assert_non_null(strstr(error.text, "turned against its neighbours"));
        patches[2].points = points[2];
        assert_int_equal(abut_shape_create_bezier(patches + 1, 5, NULL, &shape, NULL), ABUT_OK);
        ask(shape, &a);
        expect_counts(&a.surface, 5, 12, 8);
        assert_false(a.surface.solid);
        forget(&a);
        abut_shape_release(shape);
    }
}

/* A pyramid: four triangles as patches with a side that is one point, and a base. */
static void poles_are_no_edges(void **state)
{
    (void)state;
    static const abut_vec3 ring[4] = { { 1, 1, 0 }, { -1, 1, 0 }, { -1, -1, 0 }, { 1, -1, 0 } },
                           tip = { 0, 0, 1 };
    abut_vec3 points[5][4];
    abut_bezier_patch patches[5];
    for (int i = 0; i < 4; ++i) {
        const abut_vec3 side[4] = { ring[i], ring[(i + 1) % 4], tip, tip };
        memcpy(points[i], side, sizeof side);
        patches[i] = (abut_bezier_patch){ 1, 1, points[i], NULL };
    }
    const abut_vec3 base[4] = { ring[1], ring[0], ring[2], ring[3] };
    memcpy(points[4], base, sizeof base);
    patches[4] = (abut_bezier_patch){ 1, 1, points[4], NULL };
    abut_shape *shape;
    assert_int_equal(abut_shape_create_bezier(patches, 5, NULL, &shape, NULL), ABUT_OK);
    asked a;
    ask(shape, &a);
    expect_counts(&a.surface, 5, 8, 5);
    assert_true(a.surface.solid);
    bool seen = false;
    for (size_t i = 0; i < a.surface.feature_count; ++i) {
        const abut_surface_feature *f = &a.surface.features[i];
        if (f->kind != ABUT_FEATURE_VERTEX)
            continue;
        kernel_job j = { .surface = &a.surface, .feature = f, .order = 1, .scratch = a.scratch };
        run(kernel_jet, &j);
        if (ia_mid(j.jet.p.z) != 1)
            continue;
        seen = true;
        run(kernel_normals, &j);
        assert_int_equal(f->normal_count, 8);
        for (int k = 0; k < 8; ++k) /* equal slopes: |x| + |y| = z, outward */
            TEST_NEAR(fabs(ia_mid(j.normals[k].x)) + fabs(ia_mid(j.normals[k].y)), ia_mid(j.normals[k].z),
                      1e-12, "normal %d", k);
    }
    assert_true(seen);
    forget(&a);
    abut_shape_release(shape);
}

/* ---- NURBS ---- */

/* Cox and de Boor's functions, as they are defined. */
static long double basis(const double *knots, int i, int degree, long double x)
{
    if (degree == 0)
        return knots[i] <= x && x < knots[i + 1];
    long double sum = 0;
    if (knots[i + degree] > knots[i])
        sum += (x - knots[i]) / ((long double)knots[i + degree] - knots[i]) * basis(knots, i, degree - 1, x);
    if (knots[i + degree + 1] > knots[i + 1])
        sum += (knots[i + degree + 1] - x) / ((long double)knots[i + degree + 1] - knots[i + 1]) *
               basis(knots, i + 1, degree - 1, x);
    return sum;
}

static void random_knots(test_random *r, int degree, int count, double *knots)
{
    knots[0] = test_uniform(r, -1, 1);
    int run = 1;
    for (int i = 1; i < count + degree + 1; ++i) {
        const bool repeat = run < degree && test_below(r, 3) == 0;
        run = repeat ? run + 1 : 1;
        knots[i] = repeat ? knots[i - 1] : knots[i - 1] + exp2(test_uniform(r, -3, 2));
    }
}

/* Number of the span that x is in, and where in it. */
static int span_of(const double *knots, int degree, int count, double x, double *local)
{
    int span = -1;
    for (int k = degree; k < count; ++k) {
        span += knots[k] < knots[k + 1];
        if (knots[k] <= x && x < knots[k + 1]) {
            *local = (x - knots[k]) / (knots[k + 1] - knots[k]);
            return span;
        }
    }
    return -1;
}

static int count_spans(const double *knots, int degree, int count)
{
    int spans = 0;
    for (int k = degree; k < count; ++k)
        spans += knots[k] < knots[k + 1];
    return spans;
}

static void nurbs_are_their_patches(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(100); ++seed) {
        test_random r = test_seed(seed);
        const int m = 1 + (int)test_below(&r, 4), n = 1 + (int)test_below(&r, 4);
        const int cu = m + 1 + (int)test_below(&r, 5), cv = n + 1 + (int)test_below(&r, 5);
        double ku[32], kv[32], weights[128];
        abut_vec3 points[128];
        random_knots(&r, m, cu, ku);
        random_knots(&r, n, cv, kv);
        if (ku[m] == ku[cu] || kv[n] == kv[cv])
            continue; /* no surface */
        for (int i = 0; i < cu * cv; ++i) {
            points[i] = (abut_vec3){ i % cu + test_uniform(&r, -0.4, 0.4), (double)(i / cu),
                                     test_uniform(&r, -1, 1) };
            weights[i] = exp2(test_uniform(&r, -2, 2));
        }
        const bool rational = test_below(&r, 2);
        const abut_nurbs_surface s = {
            m, n, (size_t)cu, (size_t)cv, ku, kv, points, rational ? weights : NULL
        };
        abut_shape *shape;
        abut_error error;
        TEST_CHECK(abut_shape_create_nurbs(&s, 1, NULL, &shape, &error) == ABUT_OK, "seed %" PRIu64 ": %s",
                   seed, error.text);
        asked a;
        ask(shape, &a);
        const int su = count_spans(ku, m, cu), sv = count_spans(kv, n, cv);
        expect_counts(&a.surface, (size_t)(su * sv), (size_t)(su * (sv + 1) + sv * (su + 1)),
                      (size_t)((su + 1) * (sv + 1)));
        for (int k = 0; k < 20; ++k) {
            const double u = test_uniform(&r, ku[m], ku[cu]), v = test_uniform(&r, kv[n], kv[cv]);
            double at[2] = { 0, 0 };
            const int pu = span_of(ku, m, cu, u, &at[0]), pv = span_of(kv, n, cv, v, &at[1]);
            long double sum[4] = { 0 };
            for (int j = 0; j < cv; ++j)
                for (int i = 0; i < cu; ++i) {
                    const int l = j * cu + i;
                    const long double w =
                        basis(ku, i, m, u) * basis(kv, j, n, v) * (rational ? weights[l] : 1);
                    sum[0] += w * points[l].x, sum[1] += w * points[l].y, sum[2] += w * points[l].z,
                        sum[3] += w;
                }
            kernel_job j = { .surface = &a.surface,
                             .feature = &a.surface.features[pv * su + pu],
                             .box = { { at[0], at[0] }, { at[1], at[1] } },
                             .scratch = a.scratch };
            run(kernel_jet, &j);
            for (int c = 0; c < 3; ++c)
                TEST_NEAR(ia_mid(part_of(&j.jet.p, c)), (double)(sum[c] / sum[3]), 1e-12, "seed %" PRIu64,
                          seed);
        }
        forget(&a);
        abut_shape_release(shape);
    }
}

/* A torus of two circles of nine points: sixteen patches, closed, smooth everywhere. */
static void a_torus_of_circles_is_a_smooth_solid(void **state)
{
    (void)state;
    static const double knots[12] = { 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4 };
    static const double c[9] = { 1, 1, 0, -1, -1, -1, 0, 1, 1 }, s[9] = { 0, 1, 1, 1, 0, -1, -1, -1, 0 };
    abut_vec3 points[81];
    double weights[81];
    for (int j = 0; j < 9; ++j)
        for (int i = 0; i < 9; ++i) {
            const double ring = 2 + 0.5 * c[j];
            points[9 * j + i] = (abut_vec3){ ring * c[i], ring * s[i], 0.5 * s[j] };
            weights[9 * j + i] = (i % 2 ? 0.70710678118654757 : 1) * (j % 2 ? 0.70710678118654757 : 1);
        }
    const abut_nurbs_surface torus = { 2, 2, 9, 9, knots, knots, points, weights };
    abut_shape *shape;
    assert_int_equal(abut_shape_create_nurbs(&torus, 1, NULL, &shape, NULL), ABUT_OK);
    asked a;
    ask(shape, &a);
    expect_counts(&a.surface, 16, 32, 16);
    assert_true(a.surface.solid);
    test_random r = test_seed(1);
    for (size_t i = 0; i < a.surface.feature_count; ++i) {
        const abut_surface_feature *f = &a.surface.features[i];
        assert_true(f->smooth == (f->dimension < 2));
        assert_int_equal(f->normal_count, f->dimension == 2 ? 1 : f->dimension == 1 ? 2 : 4);
        kernel_job j = { .surface = &a.surface, .feature = f, .scratch = a.scratch };
        const double u = test_uniform(&r, 0, 1), v = test_uniform(&r, 0, 1);
        j.box[0] = (abut_interval){ u, u };
        j.box[1] = (abut_interval){ v, v };
        run(kernel_jet, &j);
        const double x = ia_mid(j.jet.p.x), y = ia_mid(j.jet.p.y), z = ia_mid(j.jet.p.z);
        TEST_NEAR(hypot(hypot(x, y) - 2, z), 0.5, 1e-14, "feature %zu", i);
        run(kernel_normals, &j);
        const double ring = hypot(x, y), out[3] = { x - 2 * x / ring, y - 2 * y / ring, z };
        for (int k = 0; k < f->normal_count; ++k) {
            const double n[3] = { ia_mid(j.normals[k].x), ia_mid(j.normals[k].y), ia_mid(j.normals[k].z) };
            const double along = n[0] * out[0] + n[1] * out[1] + n[2] * out[2];
            TEST_NEAR(along / hypot(n[0], hypot(n[1], n[2])), 0.5, 1e-12, "feature %zu, normal %d", i, k);
        }
    }
    forget(&a);
    abut_shape_release(shape);
}

static void bad_nurbs_are_refused(void **state)
{
    (void)state;
    abut_vec3 points[9];
    for (int i = 0; i < 9; ++i)
        points[i] = (abut_vec3){ i % 3, (double)(i / 3), 0 };
    double knots[6] = { 0, 0, 0, 1, 1, 1 };
    const double good[6] = { 0, 0, 0, 1, 1, 1 };
    abut_nurbs_surface s = { 2, 2, 3, 3, knots, good, points, NULL };
    static const double bad[][6] = {
        { 0, 0, 0, 1, 1, NAN }, { 0, 0, 1, 0, 1, 1 }, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0, 1, 1, INFINITY }
    };
    abut_shape *shape;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        memcpy(knots, bad[i], sizeof knots);
        assert_int_equal(abut_shape_create_nurbs(&s, 1, NULL, &shape, NULL), ABUT_ERR_ARGUMENT);
    }
    memcpy(knots, good, sizeof knots);
    s.count_u = 2;
    assert_int_equal(abut_shape_create_nurbs(&s, 1, NULL, &shape, NULL), ABUT_ERR_ARGUMENT);
    s.count_u = 3;
    s.degree_u = 32;
    assert_int_equal(abut_shape_create_nurbs(&s, 1, NULL, &shape, NULL), ABUT_ERR_ARGUMENT);
    s.degree_u = 2;
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            status = abut_shape_create_nurbs(&s, 1, &alloc, &shape, NULL);
            abut_shape_release(shape);
        },
        status)
    assert_int_equal(status, ABUT_OK);
}

static void bad_patches_are_refused(void **state)
{
    (void)state;
    abut_vec3 points[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } };
    double weights[4] = { 1, 1, 1, 0 };
    abut_bezier_patch p = { 1, 1, points, weights };
    abut_shape *shape;
    assert_int_equal(abut_shape_create_bezier(&p, 1, NULL, &shape, NULL), ABUT_ERR_ARGUMENT);
    p.weights = NULL;
    points[1].y = NAN;
    assert_int_equal(abut_shape_create_bezier(&p, 1, NULL, &shape, NULL), ABUT_ERR_ARGUMENT);
    points[1].y = 1.5e308;
    assert_int_equal(abut_shape_create_bezier(&p, 1, NULL, &shape, NULL), ABUT_ERR_VALUE);
    points[1].y = 0;
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            status = abut_shape_create_bezier(&p, 1, &alloc, &shape, NULL);
            abut_shape_release(shape);
        },
        status)
    assert_int_equal(status, ABUT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jets_contain),
        cmocka_unit_test(jets_beyond_the_ends_contain),
        cmocka_unit_test(edges_contain),
        cmocka_unit_test(excess_falls_quadratically),
        cmocka_unit_test(a_cube_has_six_twelve_eight),
        cmocka_unit_test(poles_are_no_edges),
        cmocka_unit_test(nurbs_are_their_patches),
        cmocka_unit_test(a_torus_of_circles_is_a_smooth_solid),
        cmocka_unit_test(bad_nurbs_are_refused),
        cmocka_unit_test(bad_patches_are_refused),
    };
    return cmocka_run_group_tests(tests, oracle_set_up, oracle_tear_down);
}
