/* SPDX-License-Identifier: MIT */
/* The bundled scenes of curved surfaces, each against a truth found another way: closed forms,
 * or the referee of smooth bodies. */
#include "abut/query.h"
#include "abut/scene.h"
#include "oracle/surface_referee.h"
#include "support/test.h"

#include <jansson.h>

enum { CAPACITY = 8192 };

typedef struct answer {
    abut_scene *scene;
    abut_set_result r;
    abut_set_point *points;
    size_t count;
} answer;

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s.json", TEST_SCENES, name);
    return path;
}

static answer solve(const char *name)
{
    answer a = { .points = calloc(CAPACITY, sizeof *a.points) };
    abut_error error;
    TEST_CHECK(abut_scene_load(path_of(name), NULL, &a.scene, &error) == ABUT_OK, "%s: %s", name, error.text);
    const size_t count = abut_scene_object_count(a.scene);
    abut_body *bodies = calloc(count, sizeof *bodies);
    for (size_t i = 0; i < count; ++i) {
        const abut_scene_object o = abut_scene_get_object(a.scene, i);
        bodies[i] = (abut_body){ o.shape, o.motion };
    }
    const abut_scene_query query = abut_scene_get_query(a.scene);
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.time = abut_scene_time(a.scene);
    opts.simultaneity = isnan(query.simultaneity) ? 0 : query.simultaneity;
    opts.separation = isnan(query.separation) ? 0 : query.separation;
    const abut_status status =
        abut_first_contact_set(bodies, count, NULL, 0, &opts, NULL, a.points, CAPACITY, &a.r);
    TEST_CHECK(status == ABUT_OK, "%s: %s", name, abut_status_text(status));
    TEST_CHECK(a.r.verdict == ABUT_FIRST_CONTACT, "%s: %s", name, abut_first_verdict_name(a.r.verdict));
    a.count = a.r.point_count < CAPACITY ? a.r.point_count : CAPACITY;
    free(bodies);
    return a;
}

static void done(answer *a)
{
    abut_scene_destroy(a->scene);
    free(a->points);
}

/* The time enclosure holds the truth, and so does that of each point, whose contact may be later
 * by the simultaneity. */
static void check_time(const char *name, const answer *a, real truth, double late)
{
    const double t = (double)truth, slack = 4e-16;
    TEST_CHECK(a->r.time.lo <= t + slack && t - slack <= a->r.time.hi, "%s: [%.17g, %.17g], true is %.17g",
               name, a->r.time.lo, a->r.time.hi, t);
    TEST_CHECK(a->r.time.hi - a->r.time.lo <= 1e-9, "%s: %g wide", name, a->r.time.hi - a->r.time.lo);
    for (size_t i = 0; i < a->count; ++i) {
        const abut_interval at = a->points[i].at.time;
        TEST_CHECK(at.hi >= t - slack && at.lo <= t + late + 1e-9, "%s: point %zu at [%.17g, %.17g]", name, i,
                   at.lo, at.hi);
    }
}

static double away(const abut_vec3 p, const double q[3])
{
    return sqrt((p.x - q[0]) * (p.x - q[0]) + (p.y - q[1]) * (p.y - q[1]) + (p.z - q[2]) * (p.z - q[2]));
}

static double nearest(const answer *a, const double q[3])
{
    double least = INFINITY;
    for (size_t i = 0; i < a->count; ++i)
        least = fmin(least, away(a->points[i].at.point, q));
    return least;
}

static void check_isolated(const char *name, const answer *a, const double q[3])
{
    assert_int_equal(a->r.point_count, 1);
    const abut_first_point *p = &a->points[0].at;
    TEST_CHECK(p->unique && p->kind == ABUT_CONTACT_ISOLATED, "%s: not proved to be alone", name);
    TEST_CHECK(p->time.hi - p->time.lo <= 1e-9, "%s: %g wide", name, p->time.hi - p->time.lo);
    TEST_CHECK(away(p->point, q) < 1e-9, "%s: (%.17g, %.17g, %.17g), true is (%.17g, %.17g, %.17g)", name,
               p->point.x, p->point.y, p->point.z, q[0], q[1], q[2]);
}

/* The cone's side has the normal (4, 3) / 5 in the plane of its axis: the ring touches where (4
 * * 2 + 3 (z - 2)) / 5 = 1 / 2. */
static void torus_over_cone(void **state)
{
    (void)state;
    answer a = solve("ring_and_cone");
    check_time("ring_and_cone", &a, 23.0L / 24, 1e-3);
    for (int i = 0; i < 360; ++i) {
        const double angle = i * 0.017453292519943295,
                     q[3] = { 1.6 * cos(angle), 1.6 * sin(angle), -2.0 / 15 };
        TEST_CHECK(nearest(&a, q) <= 0.1 + 1e-6, "no sample within %g of the circle at %d degrees",
                   nearest(&a, q), i);
    }
    for (size_t i = 0; i < a.count; ++i) {
        const abut_vec3 p = a.points[i].at.point;
        TEST_NEAR(hypot(p.x, p.y), 1.6, 2e-3, "point %zu", i);
        TEST_NEAR(p.z, -2.0 / 15, 4e-3, "point %zu", i);
    }
    done(&a);
}

/* Nearest where the upright ring passes over the axis of the lying one: sqrt(4 + h^2) - 2.2 = 1. */
static void two_tori(void **state)
{
    (void)state;
    answer a = solve("tori");
    const real h = sqrtl(3.2L * 3.2L - 4);
    check_time("tori", &a, (6 - h) / 6, 1e-3);
    assert_int_equal(a.r.point_count, 2);
    for (int side = -1; side <= 1; side += 2) {
        const double q[3] = { side * (2 - 0.5 * 2 / 3.2), 0, 0.5 * (double)h / 3.2 };
        TEST_CHECK(nearest(&a, q) < 1e-9, "%g off", nearest(&a, q));
    }
    assert_true(a.points[0].at.unique && a.points[1].at.unique);
    done(&a);
}

static void to_reals(const double *from, int n, real *to)
{
    for (int i = 0; i < n; ++i)
        to[i] = (real)from[i];
}

static void check_by_referee(const char *name, const referee_body *x, const referee_body *y)
{
    answer a = solve(name);
    referee_contact truth;
    referee_first_contact(x, y, 1, 64, &truth);
    assert_int_equal(truth.verdict, REFEREE_CONTACT);
    check_time(name, &a, truth.time, 0);
    const double q[3] = { (double)truth.point[0], (double)truth.point[1], (double)truth.point[2] };
    assert_int_equal(a.r.point_count, 1);
    /* The referee's parameters are good to the root of its time only. */
    assert_true(a.points[0].at.unique && away(a.points[0].at.point, q) < 1e-6);
    TEST_CHECK(a.r.time.hi - a.r.time.lo <= 1e-9, "%s: %g wide", name, a.r.time.hi - a.r.time.lo);
    done(&a);
}

static void about_axis(const double axis[3], double degrees, real out[4])
{
    const real half = (real)degrees * 3.14159265358979323846264338327950288L / 360;
    const real length = sqrtl((real)(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]));
    out[0] = cosl(half);
    for (int i = 0; i < 3; ++i)
        out[i + 1] = sinl(half) * (real)axis[i] / length;
}

static void two_bumpy_bodies(void **state)
{
    (void)state;
    referee_body x, y;
    referee_bumpy(&x, 0.125L, 3, 5);
    y = x;
    to_reals((const double[]){ -2, 0.125, 0 }, 3, x.position);
    to_reals((const double[]){ 1, 0, 0.0625 }, 3, x.linear);
    to_reals((const double[]){ 0.5, 1, 0.25 }, 3, x.angular);
    to_reals((const double[]){ 1.5, 0, 0.25 }, 3, y.position);
    about_axis((const double[]){ 1, 2, 2 }, 50, y.rotation);
    to_reals((const double[]){ -0.75, 0.125, 0 }, 3, y.linear);
    to_reals((const double[]){ 1, -0.5, 0.75 }, 3, y.angular);
    check_by_referee("bumpy", &x, &y);
}

static void spinning_bar(void **state)
{
    (void)state;
    referee_body x, y;
    referee_ellipsoid(&x, 2, 0.125L, 0.125L);
    referee_torus(&y, 0.5L, 0.125L);
    to_reals((const double[]){ 0.5, 0, 0.125 }, 3, x.linear);
    to_reals((const double[]){ 0, 0, 40 }, 3, x.angular);
    to_reals((const double[]){ 2.75, 0.25, 0 }, 3, y.position);
    about_axis((const double[]){ 1, 1, 0 }, 70, y.rotation);
    check_by_referee("spinning_bar", &y, &x);
}

/* Both are tubes about parallel curves of one plane curve: all along it the same cross-section,
 * two circles, of which one swings. */
static void tube_and_cushion(void **state)
{
    (void)state;
    answer a = solve("tube_and_cushion");
    const real cosine = (2.8L * 2.8L + 16 - 1.69L) / (8 * 2.8L), swing = acosl(cosine);
    check_time("tube_and_cushion", &a, 1 - swing / 1.2L, 1e-3);
    const double y = 2.8 * sin((double)swing) / 1.3, w = -1 + (4 - 2.8 * (double)cosine) / 1.3;
    for (int i = -200; i <= 200; ++i) {
        const double s = 0.01 * i, n = 0.2 * sin(s), k = 1 / sqrt(1 + n * n);
        const double q[3] = { s + w * n * k, y, 0.2 * cos(s) + w * k };
        TEST_CHECK(nearest(&a, q) <= 0.1 + 1e-6, "no sample within %g of the curve at %g", nearest(&a, q), s);
    }
    done(&a);
}

/* At t = 1 the waves are gone and all tiles are touched at once. */
static void wavy_on_checkerboard(void **state)
{
    (void)state;
    answer a = solve("checkerboard");
    check_time("checkerboard", &a, 1, 0.001);
    assert_int_equal(a.r.point_count, a.count);
    const double pi = 3.141592653589793;
    size_t on = 0, covered = 0;
    for (int i = 0; i <= 110; ++i)
        for (int j = 0; j <= 110; ++j) {
            const double q[3] = { 0.125 + 0.025 * i, 0.125 + 0.025 * j, 0.1 };
            if (!(0.4 * sin(pi * q[0]) * sin(pi * q[1]) >= 0.1))
                continue;
            ++on;
            covered += nearest(&a, q) <= 0.04;
        }
    TEST_CHECK(covered == on, "of %zu points on the tiles %zu have a sample nearby", on, covered);
    for (size_t i = 0; i < a.count; ++i) {
        const abut_vec3 p = a.points[i].at.point;
        TEST_CHECK(0.4 * sin(pi * p.x) * sin(pi * p.y) >= 0.1 - 2e-3 && fabs(p.z - 0.1) < 2e-3,
                   "sample (%g, %g, %g) is beside the tiles", p.x, p.y, p.z);
    }
    done(&a);
}

static void ball_on_rim(void **state)
{
    (void)state;
    answer a = solve("cup_rim");
    /* The doubles nearest 1.7, 0.05 and 2.56 are off by parts of 1e-16, and so is this. */
    const real z = sqrtl(1.7L * 1.7L - 1.55L * 1.55L);
    check_time("cup_rim", &a, (3 - z) / 3, 0);
    check_isolated("cup_rim", &a, (const double[]){ 1.6, 0, 0 });
    const abut_first_point *p = &a.points[0].at;
    const bool edge = p->features[0] == ABUT_FEATURE_EDGE || p->features[1] == ABUT_FEATURE_EDGE;
    assert_true(edge);
    done(&a);
}

/* The distance of the bead's centre from the sheet at t, by Newton's method from the point
 * below. */
static real bead_distance(real t, real q[2])
{
    const real c[3] = { -300.3L + 600 * t, 0.2L, 500 - 1000 * t };
    for (int i = 0; i < 60; ++i) {
        const real s = sinl(3 * q[0] + t), k = cosl(3 * q[0] + t), m = cosl(2 * q[1]), n = sinl(2 * q[1]);
        const real z = 0.05L * s * m, zu = 0.15L * k * m, zv = -0.1L * s * n;
        const real zuu = -0.45L * s * m, zuv = -0.3L * k * n, zvv = -0.2L * s * m;
        const real e[3] = { q[0] - c[0], q[1] - c[1], z - c[2] };
        const real gu = e[0] + e[2] * zu, gv = e[1] + e[2] * zv;
        const real uu = 1 + zu * zu + e[2] * zuu, uv = zu * zv + e[2] * zuv, vv = 1 + zv * zv + e[2] * zvv;
        const real d = uu * vv - uv * uv;
        q[0] -= (vv * gu - uv * gv) / d;
        q[1] -= (uu * gv - uv * gu) / d;
    }
    const real z = 0.05L * sinl(3 * q[0] + t) * cosl(2 * q[1]);
    return sqrtl((q[0] - c[0]) * (q[0] - c[0]) + (q[1] - c[1]) * (q[1] - c[1]) + (z - c[2]) * (z - c[2]));
}

static void bead_hits_sheet(void **state)
{
    (void)state;
    answer a = solve("bead_and_sheet");
    real lo = 0.49995L, hi = 0.50001L, q[2] = { -0.3L, 0.2L };
    assert_true(bead_distance(lo, q) > 0.01L && bead_distance(hi, q) < 0.01L);
    for (int i = 0; i < 80; ++i) {
        const real mid = 0.5L * (lo + hi);
        if (bead_distance(mid, q) > 0.01L)
            lo = mid;
        else
            hi = mid;
    }
    check_time("bead_and_sheet", &a, lo, 0);
    (void)bead_distance(lo, q);
    const double p[3] = { (double)q[0], (double)q[1],
                          (double)(0.05L * sinl(3 * q[0] + lo) * cosl(2 * q[1])) };
    check_isolated("bead_and_sheet", &a, p);
    done(&a);
}

/* ---- fruit ---- */

static void fruit_point(const referee_body *b, real u, real v, real p[3])
{
    const real s = sinl(v), c = cosl(v);
    real r, squash = 1;
    switch (b->waves[0]) {
    case 0: r = 0.25L * (1 - 0.15L * s * s * s); break;
    case 1: r = 0.22L * (1 - 0.2L * s), squash = 1.25L; break;
    case 2: r = 0.2L * (1 + 0.3L * s * s * s * s), squash = 1.2L; break;
    default: r = 0.22L * (1 + 0.15L * cosl(5 * u) * c * c * c * c * c);
    }
    p[0] = r * cosl(u) * c;
    p[1] = r * sinl(u) * c;
    p[2] = squash * r * s;
}

/* Steep far from the dish; the referee takes shorter steps for it. */
static real dish_inside(const referee_body *b, const real p[3])
{
    (void)b;
    const real square = p[0] * p[0] + p[1] * p[1];
    const real z = p[2] - 0.03125L * square + 0.25L * cosl(1.5L * p[0]) * cosl(1.5L * p[1]);
    return sqrtl(0.0625L * square + z * z) - 1;
}

static void read_reals(const json_t *list, real out[3])
{
    for (size_t i = 0; i < 3; ++i)
        out[i] = (real)json_number_value(json_array_get(list, i));
}

static void fruit_on_dish(void **state)
{
    (void)state;
    json_t *file = json_load_file(path_of("fruit"), 0, NULL);
    assert_non_null(file);
    json_t *objects = json_object_get(file, "objects");
    assert_int_equal(json_array_size(objects), 201);
    referee_body dish;
    referee_ellipsoid(&dish, 4, 4, 1);
    dish.inside = dish_inside;
    dish.steepness = 2;
    real first = 2;
    size_t which = 0;
    for (size_t i = 1; i < json_array_size(objects); ++i) {
        json_t *motion = json_object_get(json_array_get(objects, i), "motion");
        referee_body fruit;
        referee_ellipsoid(&fruit, 0.35L, 0.35L, 0.35L);
        fruit.point = fruit_point;
        fruit.waves[0] = (int)((i - 1) % 4);
        read_reals(json_object_get(json_object_get(motion, "pose"), "position"), fruit.position);
        read_reals(json_object_get(motion, "linear"), fruit.linear);
        read_reals(json_object_get(motion, "angular"), fruit.angular);
        if (fruit.position[2] > 3.5L) /* the upper layers come later */
            continue;
        referee_contact truth;
        referee_first_contact(&fruit, &dish, first < 1 ? first : 1, 24, &truth);
        if (truth.verdict == REFEREE_CONTACT && truth.time < first) {
            first = truth.time;
            which = i;
        }
    }
    assert_true(first < 1);
    answer a = solve("fruit");
    /* Fruits that meet each other first would be earlier: they do not. */
    check_time("fruit", &a, first, 1e-3);
    bool found = false;
    for (size_t i = 0; i < a.count; ++i)
        found = found || (a.points[i].a == 0 && a.points[i].b == which);
    assert_true(found);
    done(&a);
    json_decref(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torus_over_cone),      cmocka_unit_test(two_tori),
        cmocka_unit_test(two_bumpy_bodies),     cmocka_unit_test(spinning_bar),
        cmocka_unit_test(tube_and_cushion),     cmocka_unit_test(ball_on_rim),
        cmocka_unit_test(bead_hits_sheet),      cmocka_unit_test(fruit_on_dish),
        cmocka_unit_test(wavy_on_checkerboard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
