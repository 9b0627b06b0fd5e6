/* SPDX-License-Identifier: MIT */
/* Meshes of more triangles than covers make features of, against curved surfaces and CAD solids that are a
 * ball or a box: the same mesh against the ball or box itself goes through the mesh's hierarchy, which
 * shares nothing with covers. Both enclosures hold the distance, and verdicts must agree. */
#include "abut/query.h"
#include "abut/scene.h"
#include "support/test.h"

enum { ROWS = 16, COLUMNS = 24, TEXT = 1 << 16 };

static const char *const others[][2] = {
    { "{\"type\":\"implicit\",\"f\":\"x^2+y^2+z^2-0.25\",\"bounds\":[[-1,-1,-1],[1,1,1]]}",
      "{\"type\":\"sphere\",\"radius\":0.5}" },
    { "{\"type\":\"solid\",\"surfaces\":[{\"type\":\"sphere\",\"center\":[0,0,0],\"radius\":0.5}],"
      "\"vertices\":"
      "[],\"edges\":[],\"faces\":[{\"surface\":0,\"outward\":1,\"loops\":[]}]}",
      "{\"type\":\"sphere\",\"radius\":0.5}" },
    { "{\"type\":\"csg\",\"op\":\"intersection\",\"of\":[{\"type\":\"implicit\",\"f\":\"x^2+y^2+z^2-0.25\","
      "\"bounds\":[[-1,-1,-1],[1,1,1]]},{\"type\":\"implicit\",\"f\":\"x-2\",\"bounds\":[[-1,-1,-1],[1,1,1]]}"
      "]}",
      "{\"type\":\"sphere\",\"radius\":0.5}" },
};

enum { OTHERS = sizeof others / sizeof *others };

static abut_scene *scene;

/* A closed mesh about the origin: a ball with bumps, or without its poles an open sheet of them. */
static size_t mesh_text(char *text, bool solid)
{
    size_t n = (size_t)sprintf(text, "{\"type\":\"mesh\",\"solid\":%s,\"vertices\":[[0,0,1],[0,0,-1]",
                               solid ? "true" : "false");
    for (int i = 1; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j) {
            const double a = acos(-1.0) * i / ROWS, b = 2 * acos(-1.0) * j / COLUMNS;
            const double r = 1 + 0.15 * sin(4 * a) * cos(3 * b);
            n += (size_t)sprintf(text + n, ",[%.6f,%.6f,%.6f]", r * sin(a) * cos(b), r * sin(a) * sin(b),
                                 r * cos(a));
        }
    n += (size_t)sprintf(text + n, "],\"triangles\":[");
    bool first = true;
    for (int i = 0; i < ROWS; ++i)
        for (int j = 0; j < COLUMNS; ++j) {
            const int k = (j + 1) % COLUMNS;
            const int a = i == 0 ? 0 : 2 + (i - 1) * COLUMNS + j, b = i == 0 ? 0 : 2 + (i - 1) * COLUMNS + k;
            const int c = i == ROWS - 1 ? 1 : 2 + i * COLUMNS + j,
                      d = i == ROWS - 1 ? 1 : 2 + i * COLUMNS + k;
            if (i < ROWS - 1 && (solid || i > 0)) {
                n += (size_t)sprintf(text + n, "%s[%d,%d,%d]", first ? "" : ",", a, c, d);
                first = false;
            }
            if (i > 0 && (solid || i < ROWS - 1))
                n += (size_t)sprintf(text + n, "%s[%d,%d,%d]", first ? "" : ",", a, d, b);
        }
    return n + (size_t)sprintf(text + n, "]}");
}

static int open_scene(void **state)
{
    (void)state;
    char *text = malloc(TEXT);
    size_t n = (size_t)sprintf(text, "{\"abut\":1,\"objects\":[");
    for (int solid = 0; solid < 2; ++solid) {
        n += (size_t)sprintf(text + n, "%s{\"name\":\"m%d\",\"shape\":", solid ? "," : "", solid);
        n += mesh_text(text + n, solid != 0);
        n += (size_t)sprintf(text + n, "}");
    }
    for (int i = 0; i < OTHERS; ++i)
        for (int k = 0; k < 2; ++k)
            n += (size_t)sprintf(text + n, ",{\"name\":\"o%d%d\",\"shape\":%s}", i, k, others[i][k]);
    n += (size_t)sprintf(text + n, "]}");
    abut_error error;
    const abut_status status = abut_scene_parse(text, n, "meshes", NULL, &scene, &error);
    TEST_CHECK(status == ABUT_OK, "%s: %s", error.path, error.text);
    free(text);
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    abut_scene_destroy(scene);
    return 0;
}

static bool meets(const abut_check_result *r)
{
    return r->verdict == ABUT_TOUCHING || r->verdict == ABUT_PENETRATING;
}

static void agree_with_the_hierarchy(void **state)
{
    (void)state;
    const uint64_t count = test_count(60);
    int apart = 0, together = 0;
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random random = test_seed(seed);
        const int mesh = (int)(seed & 1), other = (int)(seed % OTHERS);
        abut_quat q;
        double square;
        do {
            q = (abut_quat){ test_uniform(&random, -1, 1), test_uniform(&random, -1, 1),
                             test_uniform(&random, -1, 1), test_uniform(&random, -1, 1) };
            square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        } while (square < 0.1 || square > 1);
        const double size = sqrt(square);
        const abut_pose at = { { test_uniform(&random, -1.6, 1.6), test_uniform(&random, -1.6, 1.6),
                                 test_uniform(&random, -1.6, 1.6) },
                               { q.w / size, q.x / size, q.y / size, q.z / size } };
        const abut_pose origin = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
        abut_check_result found[2];
        for (int k = 0; k < 2; ++k)
            assert_int_equal(abut_check(abut_scene_get_object(scene, (size_t)mesh).shape, &at,
                                        abut_scene_get_object(scene, (size_t)(2 + 2 * other + k)).shape,
                                        &origin, NULL, NULL, &found[k]),
                             ABUT_OK);
        const abut_check_result *r = &found[0], *truth = &found[1];
        if (truth->verdict == ABUT_UNDECIDED)
            continue;
        TEST_CHECK(r->verdict != ABUT_UNDECIDED, "seed %" PRIu64 ": undecided", seed);
        TEST_CHECK(meets(r) == meets(truth), "seed %" PRIu64 ": %s, the hierarchy says %s", seed,
                   abut_verdict_name(r->verdict), abut_verdict_name(truth->verdict));
        apart += !meets(r);
        together += meets(r);
        if (meets(r))
            continue;
        TEST_CHECK(r->distance.lo <= truth->distance.hi + 2e-9 && r->distance.hi >= truth->distance.lo - 2e-9,
                   "seed %" PRIu64 ": distance [%.17g, %.17g], the hierarchy's [%.17g, %.17g]", seed,
                   r->distance.lo, r->distance.hi, truth->distance.lo, truth->distance.hi);
        TEST_CHECK(r->distance.hi - r->distance.lo < 1e-5, "seed %" PRIu64 ": distance [%.17g, %.17g]", seed,
                   r->distance.lo, r->distance.hi);
        TEST_CHECK(r->counters.iterations < 20000, "seed %" PRIu64 ": %" PRIu64 " pairs of cells", seed,
                   r->counters.iterations);
    }
    print_message("%d apart, %d together\n", apart, together);
    if (count >= 40)
        assert_true(apart > 5 && together > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(agree_with_the_hierarchy) };
    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
