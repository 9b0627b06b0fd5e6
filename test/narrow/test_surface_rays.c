/* SPDX-License-Identifier: MIT */
/* Rays, points and segments of surface bodies. Balls, ellipsoids and tori in all their forms
 * against closed forms in long double; lines that people draw: through seams, poles, edges,
 * tangent. */
#include "abut/query.h"
#include "support/test.h"

#define TURN 6.283185307179586

typedef long double real;

static abut_shape *parametric(const char *x, const char *y, const char *z, double v0, double v1, bool wrap_v)
{
    abut_shape *shape;
    abut_error error;
    const abut_parametric_def def = {
        .x = x, .y = y, .z = z, .u = { 0, TURN }, .v = { v0, v1 }, .wrap_u = true, .wrap_v = wrap_v
    };
    TEST_CHECK(abut_shape_create_parametric(&def, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
    return shape;
}

static abut_shape *implicit(const char *f, double half)
{
    abut_shape *shape;
    abut_error error;
    const abut_aabb box = { { -half, -half, -half }, { half, half, half } };
    TEST_CHECK(abut_shape_create_implicit(f, box, NULL, &shape, &error) == ABUT_OK, "%s", error.text);
    return shape;
}

/* Ellipsoid of radii 1, 0.75, 0.5; torus 1, 0.375: each in its forms. */
enum { ELLIPSOIDS = 2, TORI = 3, FORMS = ELLIPSOIDS + TORI };

static void make_forms(abut_shape *out[FORMS])
{
    out[0] = parametric("cos(u)*cos(v)", "0.75*sin(u)*cos(v)", "0.5*sin(v)", -TURN / 4, TURN / 4, false);
    out[1] = implicit("x^2 + (y/0.75)^2 + 4*z^2 - 1", 1.25);
    assert_int_equal(abut_shape_create_torus(1, 0.375, NULL, &out[2]), ABUT_OK);
    out[3] =
        parametric("(1 + 0.375*cos(v))*cos(u)", "(1 + 0.375*cos(v))*sin(u)", "0.375*sin(v)", 0, TURN, true);
    out[4] = implicit("(x^2 + y^2 + z^2 + 0.859375)^2 - 4*(x^2 + y^2)", 1.5);
}

static real field(int form, const real p[3])
{
    if (form < ELLIPSOIDS)
        return p[0] * p[0] + p[1] * p[1] / 0.5625L + 4 * p[2] * p[2] - 1;
    return hypotl(hypotl(p[0], p[1]) - 1, p[2]) - 0.375L;
}

/* Crossings of a line by sampling and bisection; -1 where it comes close to being tangent: the
 * field turns round near 0 between samples. */
static int crossings(int form, const real o[3], const real d[3], real *out)
{
    enum { STEPS = 4000 };
    int n = 0;
    real before = 1, earlier = 1;
    for (int i = 0; i <= STEPS; ++i) {
        real lo = -4 + 8 * (real)(i - 1) / STEPS, hi = -4 + 8 * (real)i / STEPS;
        const real p[3] = { o[0] + hi * d[0], o[1] + hi * d[1], o[2] + hi * d[2] }, now = field(form, p);
        const bool turns = fabsl(before) <= fabsl(earlier) && fabsl(before) <= fabsl(now);
        if (i > 1 && turns && (earlier < 0) == (before < 0) && (before < 0) == (now < 0) &&
            fabsl(before) < 1e-4L)
            return -1;
        if (i > 0 && (before < 0) != (now < 0)) {
            for (int k = 0; k < 70; ++k) {
                const real mid = 0.5L * (lo + hi),
                           q[3] = { o[0] + mid * d[0], o[1] + mid * d[1], o[2] + mid * d[2] };
                if ((field(form, q) < 0) == (before < 0))
                    lo = mid;
                else
                    hi = mid;
            }
            out[n++] = lo;
        }
        earlier = before;
        before = now;
    }
    return n;
}

static void random_lines(void **state)
{
    (void)state;
    abut_shape *forms[FORMS];
    make_forms(forms);
    uint64_t judged = 0;
    const uint64_t count = test_count(600);
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed);
        const int form = (int)test_below(&r, FORMS);
        abut_vec3 o = { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -0.6, 0.6) };
        abut_vec3 d = { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1) };
        if (seed % 3 == 0) { /* along an axis, through the middle: seams and poles */
            o = (abut_vec3){ 0, 0, 0 };
            d = seed % 2 ? (abut_vec3){ 1, 0, 0 } : (abut_vec3){ 0, seed % 4 ? 1 : 0, seed % 4 ? 0 : 1 };
        }
        const real size = sqrtl((real)(d.x * d.x + d.y * d.y + d.z * d.z));
        const real from[3] = { (real)o.x, (real)o.y, (real)o.z };
        const real way[3] = { (real)d.x / size, (real)d.y / size, (real)d.z / size };
        real truth[8];
        const int n = crossings(form, from, way, truth);
        if (n < 0)
            continue;
        ++judged;
        abut_ray_hit hits[8];
        size_t found;
        assert_int_equal(abut_cast_line(forms[form], NULL, o, d, hits, 8, &found), ABUT_OK);
        TEST_CHECK((int)found == n, "seed %" PRIu64 ": form %d: %zu hits, true are %d", seed, form, found, n);
        for (size_t i = 0; i < found; ++i) {
            TEST_NEAR(hits[i].t * (double)size, (double)truth[i], 1e-12, "seed %" PRIu64 ": form %d, hit %zu",
                      seed, form, i);
            const double along = hits[i].normal.x * d.x + hits[i].normal.y * d.y + hits[i].normal.z * d.z;
            TEST_CHECK(i % 2 ? along > 0 : along < 0, "seed %" PRIu64 ": form %d: the normal of hit %zu",
                       seed, form, i);
        }
        abut_piece piece;
        assert_int_equal(abut_classify_point(forms[form], NULL, o, &piece), ABUT_OK);
        const abut_where where = field(form, from) < 0 ? ABUT_WHERE_IN : ABUT_WHERE_OUT;
        TEST_CHECK(fabsl(field(form, from)) < 1e-9L || piece.where == where,
                   "seed %" PRIu64 ": form %d: the start is classified %d", seed, form, (int)piece.where);
        abut_piece pieces[16];
        size_t parts;
        const abut_vec3 a = { o.x - 4 * (double)way[0], o.y - 4 * (double)way[1], o.z - 4 * (double)way[2] };
        const abut_vec3 b = { o.x + 4 * (double)way[0], o.y + 4 * (double)way[1], o.z + 4 * (double)way[2] };
        assert_int_equal(abut_classify_segment(forms[form], NULL, a, b, pieces, 16, &parts), ABUT_OK);
        TEST_CHECK((int)parts == 2 * n + 1, "seed %" PRIu64 ": form %d: %zu pieces, %d crossings", seed, form,
                   parts, n);
        for (size_t i = 0; i < parts; ++i) {
            const abut_where expected = i % 2 ? ABUT_WHERE_FACE : i % 4 ? ABUT_WHERE_IN : ABUT_WHERE_OUT;
            TEST_CHECK(pieces[i].where == expected, "seed %" PRIu64 ": form %d: piece %zu is %d", seed, form,
                       i, (int)pieces[i].where);
        }
    }
    assert_true(judged * 10 > count * 8);
    for (int i = 0; i < FORMS; ++i)
        abut_shape_release(forms[i]);
}

/* The torus is decided exactly: lines that touch touch once, and those that miss by an ulp miss. */
static void exact_torus(void **state)
{
    (void)state;
    abut_shape *torus;
    assert_int_equal(abut_shape_create_torus(2, 0.5, NULL, &torus), ABUT_OK);
    static const struct {
        abut_vec3 o, d;
        size_t hits;
    } lines[] = {
        { { -5, 0, 0 }, { 1, 0, 0 }, 4 },
        { { -5, 0, 0.5 }, { 1, 0, 0 }, 2 },                  /* over the top: touches twice */
        { { -5, 0, 0x1.0000000000001p-1 }, { 1, 0, 0 }, 0 }, /* an ulp higher */
        { { -5, 0, 0x1.fffffffffffffp-2 }, { 1, 0, 0 }, 4 }, /* an ulp lower */
        { { -5, 2.5, 0 }, { 1, 0, 0 }, 1 },                  /* touches the outer equator */
        /* and the inner one, between two crossings */
        { { -5, 1.5, 0 }, { 1, 0, 0 }, 3 },
        { { 0, 0, -5 }, { 0, 0, 1 }, 0 }, /* through the hole */
        { { 1.5, 0, -5 }, { 0, 0, 1 }, 1 },
        { { 2, 0, -5 }, { 0, 0, 0.125 }, 2 },
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i) {
        abut_ray_hit hits[8];
        size_t n;
        assert_int_equal(abut_cast_ray(torus, NULL, lines[i].o, lines[i].d, hits, 8, &n), ABUT_OK);
        TEST_CHECK(n == lines[i].hits, "line %zu: %zu hits, %zu expected", i, n, lines[i].hits);
    }
    static const struct {
        abut_vec3 p;
        abut_where where;
    } points[] = {
        { { 2.5, 0, 0 }, ABUT_WHERE_FACE },
        { { 2, 0, 0.5 }, ABUT_WHERE_FACE },
        { { 0, 1.5, 0 }, ABUT_WHERE_FACE },
        { { 0, 0, 0 }, ABUT_WHERE_OUT },
        { { 2.25, 0, 0 }, ABUT_WHERE_IN },
        { { 0x1.4000000000001p+1, 0, 0 }, ABUT_WHERE_OUT },
        { { 0x1.3ffffffffffffp+1, 0, 0 }, ABUT_WHERE_IN },
        { { 0, 1.8, 2.4 }, ABUT_WHERE_OUT },
    };
    for (size_t i = 0; i < sizeof points / sizeof *points; ++i) {
        abut_piece piece;
        assert_int_equal(abut_classify_point(torus, NULL, points[i].p, &piece), ABUT_OK);
        TEST_CHECK(piece.where == points[i].where, "point %zu: %d", i, (int)piece.where);
    }
    abut_shape_release(torus);
}

/* A csg body: faces of both parts, edges between them, material that is not there. */
static void combined(void **state)
{
    (void)state;
    abut_shape *parts[2] = { implicit("x^2 + y^2 + z^2 - 1", 1.25),
                             implicit("(x - 1)^2 + y^2 + z^2 - 0.25", 2) };
    abut_shape *cut;
    assert_int_equal(abut_shape_create_csg(ABUT_CSG_DIFFERENCE, parts, 2, NULL, &cut, NULL), ABUT_OK);
    abut_ray_hit hits[8];
    size_t n;
    assert_int_equal(abut_cast_ray(cut, NULL, (abut_vec3){ -3, 0, 0 }, (abut_vec3){ 1, 0, 0 }, hits, 8, &n),
                     ABUT_OK);
    assert_int_equal(n, 2);
    TEST_NEAR(hits[0].t, 2, 1e-14, "enters");
    TEST_NEAR(hits[1].t, 3.5, 1e-14, "leaves into the hollow");
    assert_true(hits[1].normal.x > 0.999);
    abut_piece piece;
    assert_int_equal(abut_classify_point(cut, NULL, (abut_vec3){ 0.75, 0, 0 }, &piece), ABUT_OK);
    assert_int_equal(piece.where, ABUT_WHERE_OUT);
    assert_int_equal(abut_classify_point(cut, NULL, (abut_vec3){ 0.25, 0, 0 }, &piece), ABUT_OK);
    assert_int_equal(piece.where, ABUT_WHERE_IN);
    assert_int_equal(abut_classify_point(cut, NULL, (abut_vec3){ 0.5, 0, 0 }, &piece), ABUT_OK);
    assert_int_equal(piece.where, ABUT_WHERE_FACE);
    abut_shape_release(cut);
    abut_shape_release(parts[0]);
    abut_shape_release(parts[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(random_lines), cmocka_unit_test(exact_torus),
                                        cmocka_unit_test(combined) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
