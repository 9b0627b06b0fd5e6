/* SPDX-License-Identifier: MIT */
/* Height fields against half-spaces. The referee examines every vertex in long double, and at
 * whether going down leads into the half-space. */
#include "abut/query.h"
#include "support/test.h"

enum { SIDE = 9 };

typedef struct scene {
    size_t columns, rows;
    double dx, dy, heights[SIDE * SIDE];
    abut_vec3 normal;
    double offset;
    abut_pose pose_a, pose_b;
    abut_shape *field, *space;
} scene;

static void make_shapes(scene *s)
{
    assert_int_equal(
        abut_shape_create_heightfield(s->columns, s->rows, s->dx, s->dy, s->heights, NULL, &s->field, NULL),
        ABUT_OK);
    assert_int_equal(abut_shape_create_halfspace(s->normal, s->offset, NULL, &s->space), ABUT_OK);
}

static void free_shapes(scene *s)
{
    abut_shape_release(s->field);
    abut_shape_release(s->space);
}

static abut_quat any_turn(test_random *r)
{
    abut_quat q = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                    test_uniform(r, -1, 1) };
    const double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (abut_quat){ q.w / length, q.x / length, q.y / length, q.z / length };
}

/* Whole: small numbers and turns along the axes, so that vertices lie on the plane now and then. */
static void make_scene(test_random *r, bool whole, scene *s)
{
    static const abut_quat turns[] = {
        { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0.5, 0.5, 0.5, 0.5 }, { 0.5, -0.5, 0.5, 0.5 }
    };
    s->columns = 2 + test_below(r, SIDE - 1);
    s->rows = 2 + test_below(r, SIDE - 1);
    s->dx = whole ? 1 + test_below(r, 3) : test_uniform(r, 0.1, 2);
    s->dy = whole ? 1 + test_below(r, 3) : test_uniform(r, 0.1, 2);
    const bool flat = test_below(r, 4) == 0;
    for (size_t k = 0; k < s->columns * s->rows; ++k)
        s->heights[k] = flat ? 1 : whole ? (int)test_below(r, 5) - 2 : test_uniform(r, -1, 1);
    do {
        s->normal =
            whole ? (abut_vec3){ (int)test_below(r, 5) - 2, (int)test_below(r, 5) - 2,
                                 (int)test_below(r, 5) - 2 }
                  : (abut_vec3){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
    } while (s->normal.x == 0 && s->normal.y == 0 && s->normal.z == 0);
    s->offset = whole ? (int)test_below(r, 41) - 20 : test_uniform(r, -4, 4);
    abut_pose *const poses[] = { &s->pose_a, &s->pose_b };
    for (int k = 0; k < 2; ++k) {
        poses[k]->position =
            whole ? (abut_vec3){ (int)test_below(r, 7) - 3, (int)test_below(r, 7) - 3,
                                 (int)test_below(r, 7) - 3 }
                  : (abut_vec3){ test_uniform(r, -2, 2), test_uniform(r, -2, 2), test_uniform(r, -2, 2) };
        poses[k]->rotation = whole ? turns[test_below(r, 4)] : any_turn(r);
    }
    make_shapes(s);
}

typedef struct number3 {
    long double x, y, z;
} number3;

static number3 turned(abut_quat q, number3 v)
{
    const long double w = q.w, x = q.x, y = q.y, z = q.z, n = w * w + x * x + y * y + z * z;
    return (number3){
        ((w * w + x * x - y * y - z * z) * v.x + 2 * (x * y - w * z) * v.y + 2 * (x * z + w * y) * v.z) / n,
        (2 * (x * y + w * z) * v.x + (w * w - x * x + y * y - z * z) * v.y + 2 * (y * z - w * x) * v.z) / n,
        (2 * (x * z - w * y) * v.x + 2 * (y * z + w * x) * v.y + (w * w - x * x - y * y + z * z) * v.z) / n
    };
}

static long double above(const scene *s, number3 p)
{
    const number3 n = turned(s->pose_b.rotation, (number3){ s->normal.x, s->normal.y, s->normal.z });
    const abut_vec3 o = s->pose_b.position;
    return (n.x * (p.x - o.x) + n.y * (p.y - o.y) + n.z * (p.z - o.z) - s->offset) /
           sqrtl(n.x * n.x + n.y * n.y + n.z * n.z);
}

static number3 place(const scene *s, size_t i, size_t j)
{
    const number3 v = { (2.0L * i - (s->columns - 1)) * s->dx / 2, (2.0L * j - (s->rows - 1)) * s->dy / 2,
                        s->heights[j * s->columns + i] };
    const number3 t = turned(s->pose_a.rotation, v);
    return (number3){ t.x + s->pose_a.position.x, t.y + s->pose_a.position.y, t.z + s->pose_a.position.z };
}

/* How fast the height over the plane grows along the field's z axis. */
static long double rising(const scene *s)
{
    const number3 up = turned(s->pose_a.rotation, (number3){ 0, 0, 1 });
    const abut_vec3 o = s->pose_b.position;
    return above(s, (number3){ up.x + o.x, up.y + o.y, up.z + o.z }) - above(s, (number3){ o.x, o.y, o.z });
}

static long double gap_of(const scene *s)
{
    long double least = HUGE_VALL;
    for (size_t j = 0; j < s->rows; ++j)
        for (size_t i = 0; i < s->columns; ++i)
            least = fminl(least, above(s, place(s, i, j)));
    return least;
}

static void judge_points(unsigned long long seed, const scene *s, const abut_check_result *r)
{
    const number3 p = { r->point_a.x, r->point_a.y, r->point_a.z },
                  q = { r->point_b.x, r->point_b.y, r->point_b.z };
    TEST_CHECK(r->has_points && r->has_normal, "seed %llu", seed);
    TEST_CHECK(fabsl(above(s, q)) < 1e-12L ||
                   (r->verdict == ABUT_PENETRATING && !r->has_depth && above(s, q) < 1e-12L),
               "seed %llu: %Lg beside the plane", seed, above(s, q));
    if (r->verdict == ABUT_PENETRATING && !r->has_depth) {
        TEST_CHECK(p.x == q.x && p.y == q.y && p.z == q.z, "seed %llu: two points", seed);
        return;
    }
    bool found = false; /* a vertex of the field */
    for (size_t j = 0; j < s->rows; ++j)
        for (size_t i = 0; i < s->columns; ++i) {
            const number3 v = place(s, i, j);
            found = found || fabsl(v.x - p.x) + fabsl(v.y - p.y) + fabsl(v.z - p.z) < 1e-12L;
        }
    TEST_CHECK(found, "seed %llu: no vertex", seed);
}

static void judge(unsigned long long seed, const scene *s, int verdicts[4])
{
    abut_check_result r, mirrored;
    assert_int_equal(abut_check(s->field, &s->pose_a, s->space, &s->pose_b, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(abut_check(s->space, &s->pose_b, s->field, &s->pose_a, NULL, NULL, &mirrored), ABUT_OK);
    TEST_CHECK(mirrored.verdict == r.verdict && mirrored.normal.x == -r.normal.x, "seed %llu: mirrored",
               seed);
    const long double gap = gap_of(s), rise = rising(s);
    ++verdicts[r.verdict];
    switch (r.verdict) {
    case ABUT_SEPARATE:
        TEST_CHECK(rise < 1e-12L && gap > -1e-12L && r.distance.lo <= gap + 1e-12L &&
                       r.distance.hi >= gap - 1e-12L && r.distance.hi - r.distance.lo < 1e-12,
                   "seed %llu: [%a, %a], %Lg", seed, r.distance.lo, r.distance.hi, gap);
        break;
    case ABUT_TOUCHING:
        TEST_CHECK(rise < 1e-12L && fabsl(gap) < 1e-15L && r.proof == ABUT_PROOF_EXACT, "seed %llu: %Lg",
                   seed, gap);
        break;
    case ABUT_PENETRATING:
        TEST_CHECK(rise > -1e-12L || gap < 1e-12L, "seed %llu: %Lg", seed, gap);
        TEST_CHECK(r.has_depth == (rise < 1e-12L), "seed %llu: depth", seed);
        if (r.has_depth)
            TEST_CHECK(r.depth.lo <= -gap + 1e-12L && r.depth.hi >= -gap - 1e-12L &&
                           r.depth.hi - r.depth.lo < 1e-12,
                       "seed %llu: [%a, %a], %Lg", seed, r.depth.lo, r.depth.hi, gap);
        break;
    default: TEST_CHECK(fabsl(gap) < 1e-12L || fabsl(rise) < 1e-12L, "seed %llu: undecided, %Lg", seed, gap);
    }
    if (r.verdict != ABUT_UNDECIDED)
        judge_points(seed, s, &r);
    /* Closer than that? */
    abut_overlap_opts opts;
    abut_overlap_result within;
    abut_overlap_opts_init(&opts);
    opts.clearance = 0.5;
    assert_int_equal(abut_overlap(s->field, &s->pose_a, s->space, &s->pose_b, &opts, NULL, &within), ABUT_OK);
    if (fabsl(gap - 0.5L) > 1e-9L && fabsl(rise) > 1e-9L)
        TEST_CHECK(within.verdict == (rise > 0 || gap < 0.5L ? ABUT_PENETRATING : ABUT_SEPARATE),
                   "seed %llu: within", seed);
}

static void every_vertex_is_looked_at(void **state)
{
    (void)state;
    const uint64_t count = test_count(20000);
    int verdicts[4] = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed);
        scene s = { .columns = 0 };
        make_scene(&r, seed % 2, &s);
        judge(seed, &s, verdicts);
        free_shapes(&s);
    }
    assert_true((uint64_t)verdicts[ABUT_SEPARATE] > count / 20 &&
                (uint64_t)verdicts[ABUT_PENETRATING] > count / 20);
    assert_true((uint64_t)verdicts[ABUT_TOUCHING] > count / 400);
    assert_true((uint64_t)verdicts[ABUT_UNDECIDED] < count / 20);
}

/* One ulp decides; a wall stands on the plane; below there is no end. */
static void known_cases(void **state)
{
    (void)state;
    scene s = { .columns = 3,
                .rows = 2,
                .dx = 0.1,
                .dy = 1,
                .heights = { 1, 2, 1, 1, 1, 1 },
                .normal = { 0, 0, -1 },
                .offset = -2 };
    abut_check_result r;
    make_shapes(&s);
    assert_int_equal(abut_check(s.field, NULL, s.space, NULL, NULL, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_TOUCHING && r.proof == ABUT_PROOF_EXACT && r.contact_count == 1);
    assert_true(r.point_a.x == 0 && r.point_a.y == -0.5 && r.point_a.z == 2 && r.normal.z == 1);
    assert_true(r.contacts[0].ids[0] == 1 && r.contacts[0].features[0] == ABUT_FEATURE_VERTEX);
    free_shapes(&s);
    s.offset = -nextafter(2, 3);
    make_shapes(&s);
    assert_int_equal(abut_check(s.field, NULL, s.space, NULL, NULL, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_SEPARATE && r.distance.lo == 0x1p-51 && r.distance.hi == 0x1p-51);
    free_shapes(&s);
    /* The side at x = -0.1, which no double states. */
    s.normal = (abut_vec3){ 1, 0, 0 };
    s.offset = -0.1;
    make_shapes(&s);
    assert_int_equal(abut_check(s.field, NULL, s.space, NULL, NULL, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_TOUCHING && r.proof == ABUT_PROOF_EXACT);
    free_shapes(&s);
    s.normal = (abut_vec3){ 0, 0, 1 };
    s.offset = -1e9;
    make_shapes(&s);
    assert_int_equal(abut_check(s.field, NULL, s.space, NULL, NULL, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_PENETRATING && !r.has_depth && r.point_a.z == -1e9);
    free_shapes(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_vertex_is_looked_at),
                                        cmocka_unit_test(known_cases) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
