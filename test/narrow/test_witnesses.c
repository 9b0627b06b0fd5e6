/* SPDX-License-Identifier: MIT */
/* Points of bodies that overlap: on the bodies, and opposite each other along the normal. Bodies
 * about one centre, with axes along each other or square, offer faces and lines where a solver
 * searches for points; judged by the formula of each body. Flat bodies have one point, that is in
 * both. */
#include "abut/query.h"
#include "support/formulas.h"

typedef struct body {
    int kind;
    double h[3], r[3][3], size;
    abut_pose pose;
    abut_shape *shape;
} body;

static const abut_quat quarters[6] = { { 1, 0, 0, 0 },           { 0, 1, 0, 0 },
                                       { 0.5, 0.5, 0.5, -0.5 },  { 0.5, 0.5, 0.5, 0.5 },
                                       { 0.5, -0.5, 0.5, -0.5 }, { 0.5, 0.5, -0.5, 0.5 } };

static void make(test_random *random, bool square, body *b)
{
    double q[4];
    b->kind = (int)test_below(random, ELLIPSOID + 1);
    for (int i = 0; i < 3; ++i)
        b->h[i] = test_uniform(random, 0.3, 2);
    b->size = b->h[0] + b->h[1] + b->h[2];
    b->shape = formula_shape(b->kind, b->h);
    formula_rotation(random, q, b->r);
    b->pose.rotation = (abut_quat){ q[0], q[1], q[2], q[3] };
    if (square) {
        const abut_quat t = quarters[test_below(random, 6)];
        formula_matrix((const double[4]){ t.w, t.x, t.y, t.z }, b->r);
        b->pose.rotation = t;
    }
    const double room = test_below(random, 3) ? 1.5 : 0;
    b->pose.position = (abut_vec3){ test_uniform(random, -room, room), test_uniform(random, -room, room),
                                    test_uniform(random, -room, room) };
}

static double excess(const body *b, abut_vec3 point)
{
    return placed_excess(b->kind, b->h, (const double(*)[3])b->r, b->pose.position, point);
}

/* A depth that is known within w has a normal that is known within sqrt(2 w / depth), more or
 * less. */
static void judge(uint64_t seed, const char *how, double close, const body *a, const body *b,
                  const abut_interval *depth, abut_vec3 p, abut_vec3 q, abut_vec3 n)
{
    const double d = depth->hi, allowed = close * (a->size + b->size) + 4 * sqrt((d - depth->lo) * d);
    const double x = q.x - p.x + d * n.x, y = q.y - p.y + d * n.y, z = q.z - p.z + d * n.z;
    TEST_CHECK(excess(a, p) < allowed && excess(b, q) < allowed,
               "seed %" PRIu64 ", %s: %g, %g off kinds %d, %d", seed, how, excess(a, p), excess(b, q),
               a->kind, b->kind);
    TEST_CHECK(sqrt(x * x + y * y + z * z) < allowed, "seed %" PRIu64 ", %s: not opposite, kinds %d, %d",
               seed, how, a->kind, b->kind);
}

/* Whether it was judged. */
static bool judge_pair(uint64_t seed)
{
    test_random random = test_seed(seed);
    body a, b;
    const bool square = test_below(&random, 2);
    make(&random, square, &a);
    make(&random, square, &b);
    abut_check_result r;
    abut_distance_result d;
    abut_distance_opts opts;
    abut_distance_opts_init(&opts);
    opts.with_depth = true;
    assert_int_equal(abut_check(a.shape, &a.pose, b.shape, &b.pose, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(abut_distance(a.shape, &a.pose, b.shape, &b.pose, &opts, NULL, &d), ABUT_OK);
    TEST_CHECK(r.counters.evaluations <= 200 && d.counters.evaluations <= 200, "seed %" PRIu64 ": too many",
               seed);
    const bool judged = r.verdict == ABUT_PENETRATING && r.has_points && r.has_depth;
    if (judged)
        judge(seed, "check", 1e-6, &a, &b, &r.depth, r.point_a, r.point_b, r.normal);
    if (d.verdict == ABUT_PENETRATING && d.has_points) {
        const abut_interval depth = { -d.distance.hi, -d.distance.lo };
        judge(seed, "distance", 1e-6, &a, &b, &depth, d.point_a, d.point_b, d.normal);
    }
    abut_shape_release(a.shape);
    abut_shape_release(b.shape);
    return judged;
}

/* Seeds at the end: swept bodies whose cores hardly meet, or nearly do, with points along the
 * line between the cores' and not along the normal. */
static void points_are_opposite(void **state)
{
    (void)state;
    const uint64_t count = test_count(20000);
    uint64_t judged = 0;
    for (uint64_t seed = 1; seed <= count; ++seed)
        judged += judge_pair(seed);
    assert_true(judged > count / 3);
    assert_true(judge_pair(259071) && judge_pair(751825));
}

static void flat_bodies_meet_in_points_of_both(void **state)
{
    (void)state;
    const uint64_t count = test_count(20000);
    uint64_t judged = 0;
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random random = test_seed(seed);
        body a;
        make(&random, test_below(&random, 2), &a);
        /* A triangle in the plane of x = z, turned; the referee of it is its own frame. */
        const double k = 1.5;
        abut_vec3 corner[3];
        for (int i = 0; i < 3; ++i) {
            const double x = test_uniform(&random, -k, k);
            corner[i] = (abut_vec3){ x, test_uniform(&random, -k, k), x };
        }
        abut_shape *flat;
        assert_int_equal(abut_shape_create_convex(corner, 3, 0, NULL, &flat, NULL), ABUT_OK);
        const abut_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
        abut_check_result r;
        const bool first = test_below(&random, 2);
        assert_int_equal(first ? abut_check(flat, &still, a.shape, &a.pose, NULL, NULL, &r)
                               : abut_check(a.shape, &a.pose, flat, &still, NULL, NULL, &r),
                         ABUT_OK);
        if (r.verdict == ABUT_TOUCHING && r.has_points) {
            ++judged;
            const abut_vec3 p = r.point_a, q = r.point_b;
            double off = fmax(fabs(p.x - p.z), excess(&a, p)), turn = 0;
            for (int i = 0; i < 3; ++i) {
                const abut_vec3 s = corner[i], t = corner[(i + 1) % 3], o = corner[(i + 2) % 3];
                const double length = hypot(t.x - s.x, t.y - s.y);
                const double side = ((t.x - s.x) * (p.y - s.y) - (t.y - s.y) * (p.x - s.x)) / length;
                turn = (t.x - s.x) * (o.y - s.y) - (t.y - s.y) * (o.x - s.x);
                off = fmax(off, turn > 0 ? -side : side);
            }
            TEST_CHECK(off < 1e-6, "seed %" PRIu64 ": (%a, %a, %a) is %g off kind %d", seed, p.x, p.y, p.z,
                       off, a.kind);
            TEST_CHECK(p.x == q.x && p.y == q.y && p.z == q.z, "seed %" PRIu64 ": two points", seed);
        }
        abut_shape_release(a.shape);
        abut_shape_release(flat);
    }
    assert_true(judged > count / 5);
}

/* GJK ends with a tetrahedron that holds the origin, too thin for a proof. */
static void thin_tetrahedron(void **state)
{
    (void)state;
    static const abut_vec3 points[7] = { { -0.92037324223878147, -0.84499849450453757, -0.92037324223878147 },
                                         { -0.42008656010586676, -0.18020083083524674, -0.42008656010586676 },
                                         { 0.65560946831676103, 1.0550153101416475, 0.65560946831676103 },
                                         { 0.58523113890589684, -0.058503593961953371, 0.58523113890589684 },
                                         { 1.0983578523687196, 0.62147774367491326, 1.0983578523687196 },
                                         { 0.59295773891744341, -0.13983737403925156, 0.59295773891744341 },
                                         { 0.54418402003394428, -0.64678287645334542, 0.54418402003394428 } };
    const abut_pose at = { { 1.5594438774659012, 1.4102255087596918, 0.94989203672164679 },
                           { -0.77247232639597752, 0.26904532643393336, -0.35757562674612448,
                             -0.45060047540316822 } },
                    to = { { 1.9014597234216433, 0.11286661790880285, 0.65646623287693395 },
                           { 0.50000010410600859, 0.49999984962370536, 0.50000006028580135,
                             -0.49999998598444734 } };
    abut_shape *cone, *flat;
    assert_int_equal(abut_shape_create_cone(0.77237983677263811, 0.33381269325860069, NULL, &cone), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(points, 7, 0, NULL, &flat, NULL), ABUT_OK);
    abut_check_result r;
    assert_int_equal(abut_check(cone, &at, flat, &to, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_TOUCHING);
    assert_true(r.has_points);
    /* The flat one is turned by 120 degrees about (1, 1, -1), but for 2e-7: its x is the world's
     * -z, its z the world's -y. */
    TEST_NEAR(r.point_a.y - to.position.y, r.point_a.z - to.position.z, 1e-6, "off the plane x = z");
    abut_shape_release(cone);
    abut_shape_release(flat);
}

static void support_of_cylinder(void *ctx, const abut_vec3 *d, abut_vec3 *p)
{
    const double *h = ctx, across = sqrt(d->x * d->x + d->y * d->y);
    p->x = across > 0 ? h[0] * (d->x / across) : 0;
    p->y = across > 0 ? h[0] * (d->y / across) : 0;
    p->z = d->z >= 0 ? h[1] / 2 : -h[1] / 2;
}

static bool judge_user(uint64_t seed)
{
    test_random random = test_seed(seed);
    body a, b;
    make(&random, false, &a);
    make(&random, false, &b);
    abut_shape_release(a.shape);
    a.kind = CYLINDER;
    const abut_support_def def = { support_of_cylinder, a.h, 1e-15, a.size };
    assert_int_equal(abut_shape_create_support(&def, NULL, &a.shape, NULL), ABUT_OK);
    abut_check_result r;
    const bool first = test_below(&random, 2);
    const body *p = first ? &a : &b, *q = first ? &b : &a;
    assert_int_equal(abut_check(p->shape, &p->pose, q->shape, &q->pose, NULL, NULL, &r), ABUT_OK);
    TEST_CHECK(r.counters.evaluations <= 200, "seed %" PRIu64 ": too many", seed);
    const bool judged = r.verdict == ABUT_PENETRATING && r.has_points && r.has_depth;
    if (judged)
        judge(seed, "user", 1e-5, p, q, &r.depth, r.point_a, r.point_b, r.normal);
    abut_shape_release(a.shape);
    abut_shape_release(b.shape);
    return judged;
}

/* A body of which only supports are known takes more of them, and the points have to be found
 * without. Seeds at the end: points up to 0.3 off the body, guessed opposite the other's. */
static void points_of_users_bodies(void **state)
{
    (void)state;
    static const uint64_t guessed[] = { 20216, 64790, 99236, 171138, 212706, 213738, 225086, 281098, 369168 };
    const uint64_t count = test_count(4000);
    uint64_t judged = 0;
    for (uint64_t seed = 1; seed <= count; ++seed)
        judged += judge_user(seed);
    assert_true(judged > count / 3);
    for (size_t i = 0; i < sizeof guessed / sizeof *guessed; ++i)
        assert_true(judge_user(guessed[i]));
}

/* Many directions are as deep: the points have to belong to the one that is reported. */
static void points_along_one_of_many_normals(void **state)
{
    (void)state;
    double h[3] = { 1.86, 11.2, 0 };
    const abut_support_def def = { support_of_cylinder, h, 1e-14, 8 };
    abut_shape *wide, *needle;
    assert_int_equal(abut_shape_create_support(&def, NULL, &wide, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_cylinder(0.00128, 1.7, NULL, &needle), ABUT_OK);
    for (int k = 0; k < 6; ++k) {
        const abut_pose at = { { 0, 0, 0 }, quarters[k] };
        abut_check_result r;
        assert_int_equal(abut_check(wide, &at, needle, NULL, NULL, NULL, &r), ABUT_OK);
        assert_int_equal(r.verdict, ABUT_PENETRATING);
        const abut_vec3 p = r.point_a, q = r.point_b, n = r.normal;
        const double along = (p.x - q.x) * n.x + (p.y - q.y) * n.y + (p.z - q.z) * n.z;
        assert_true(along >= r.depth.lo - 1e-6 && along <= r.depth.hi + 1e-6);
        assert_true(r.counters.evaluations <= 200);
    }
    abut_shape_release(wide);
    abut_shape_release(needle);
}

/* Capsules along each other, one beyond the end of the other: caps meet, in one contact between
 * the points. */
static void capsules_past_their_ends(void **state)
{
    (void)state;
    abut_shape *a, *b;
    assert_int_equal(abut_shape_create_capsule(0.1, 0.2, NULL, &a), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(1, 1, NULL, &b), ABUT_OK);
    for (int k = 0; k < 12; ++k) {
        const abut_pose at = { { 0.6, 0, 0.65 + 0.05 * k }, { 1, 0, 0, 0 } },
                        still = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
        for (int swapped = 0; swapped < 2; ++swapped) {
            abut_check_result r;
            assert_int_equal(swapped ? abut_check(b, &still, a, &at, NULL, NULL, &r)
                                     : abut_check(a, &at, b, &still, NULL, NULL, &r),
                             ABUT_OK);
            assert_int_equal(r.verdict, ABUT_PENETRATING);
            assert_int_equal(r.contact_count, 1);
            const abut_vec3 c = r.contacts[0].point, p = r.point_a, q = r.point_b;
            assert_true(fabs(2 * c.x - p.x - q.x) + fabs(2 * c.y - p.y - q.y) + fabs(2 * c.z - p.z - q.z) <
                        1e-12);
        }
    }
    abut_shape_release(a);
    abut_shape_release(b);
}

static void flatten(test_random *r, body *b)
{
    abut_vec3 p[8];
    for (int i = 0; i < 8; ++i)
        p[i] = (abut_vec3){ test_uniform(r, -2, 2), 0, test_uniform(r, -2, 2) };
    abut_shape_release(b->shape);
    assert_int_equal(abut_shape_create_convex(p, 8, 0, NULL, &b->shape, NULL), ABUT_OK);
}

/* Bodies nearly in contact: the points reported are as far apart as the distance says. Those of
 * swept bodies were off along the surface by the root of rounding; those of flat ones that the
 * solver of depths called apart were anywhere. */
static void points_are_as_far_apart_as_told(void **state)
{
    (void)state;
    uint64_t apart = 0;
    const uint64_t count = test_count(6000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 66000000);
        body bodies[2];
        for (int i = 0; i < 2; ++i) {
            make(&r, false, &bodies[i]);
            if (test_below(&r, 2)) {
                abut_shape *of = bodies[i].shape;
                assert_int_equal(
                    abut_shape_create_swept(of, test_uniform(&r, 0.1, 1), NULL, &bodies[i].shape, NULL),
                    ABUT_OK);
                abut_shape_release(of);
            }
        }
        if (test_below(&r, 4) == 0)
            flatten(&r, &bodies[1]);
        const body *a = &bodies[0], *b = &bodies[1];
        abut_pose at = b->pose;
        abut_distance_opts opts;
        abut_distance_result d;
        abut_check_result c;
        abut_distance_opts_init(&opts);
        opts.with_depth = true;
        const double wanted = pow(10, -test_uniform(&r, 2, 13));
        for (int i = 0; i < 4; ++i) { /* moved along the normal until the gap is that */
            assert_int_equal(abut_distance(a->shape, &a->pose, b->shape, &at, &opts, NULL, &d), ABUT_OK);
            const double by = wanted - (d.distance.lo + d.distance.hi) / 2;
            at.position.x += by * d.normal.x;
            at.position.y += by * d.normal.y;
            at.position.z += by * d.normal.z;
        }
        assert_int_equal(abut_check(a->shape, &a->pose, b->shape, &at, NULL, NULL, &c), ABUT_OK);
        assert_int_equal(abut_distance(a->shape, &a->pose, b->shape, &at, NULL, NULL, &d), ABUT_OK);
        if (c.verdict == ABUT_SEPARATE && d.verdict == ABUT_SEPARATE) {
            const double slack = 1e-14 * (a->size + b->size + 10);
            const double by_check = hypot(hypot(c.point_b.x - c.point_a.x, c.point_b.y - c.point_a.y),
                                          c.point_b.z - c.point_a.z),
                         by_distance = hypot(hypot(d.point_b.x - d.point_a.x, d.point_b.y - d.point_a.y),
                                             d.point_b.z - d.point_a.z);
            ++apart;
            TEST_CHECK(by_check <= c.distance.hi + slack && by_distance <= d.distance.hi + slack,
                       "seed %" PRIu64 ": %g and %g apart, reported %g and %g, kinds %d, %d", seed, by_check,
                       by_distance, c.distance.hi, d.distance.hi, a->kind, b->kind);
        }
        abut_shape_release(a->shape);
        abut_shape_release(b->shape);
    }
    assert_true(apart > count / 2);
}

/* The apex of a cone a few rounding errors below a polygon: a direction of the solver of depths
 * parts them, whose points were 1e-4 apart and beside the polygon. */
static void cone_below_a_polygon(void **state)
{
    (void)state;
    static const abut_vec3 corners[8] = {
        { 1.759363995922963, 0, -0.055866298260398031 },  { 8.8225044034919673, 0, -1.0131756198193305 },
        { 13.971640995539831, 0, 1.6685171229965423 },    { -7.3888785669264685, 0, -1.4708234322461209 },
        { -5.8185058061845654, 0, -1.9159332257887265 },  { 7.310581470855114, 0, 1.5634179394196974 },
        { -3.3376649779413619, 0, 0.021990697213175477 }, { -3.808533809252407, 0, 1.5743025472389807 }
    };
    const abut_pose at_cone = { { 6.7745403207946078, 8.0901248355442803, 2.9673724690614289 },
                                { 1, 0, 0, 0 } },
                    at_polygon = { { 5.912500773908028, 4.0175772773565344, 26.049535303737027 },
                                   { 0.77953399476161445, 0.86040050638247578, 1.030253189919393,
                                     -0.46882550975923354 } };
    abut_shape *cone, *polygon;
    abut_check_result c;
    assert_int_equal(abut_shape_create_cone(14.263611454862581, 19.282216696759445, NULL, &cone), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(corners, 8, 0, NULL, &polygon, NULL), ABUT_OK);
    assert_int_equal(abut_check(cone, &at_cone, polygon, &at_polygon, NULL, NULL, &c), ABUT_OK);
    assert_int_equal(c.verdict, ABUT_SEPARATE);
    const double apart =
        hypot(hypot(c.point_b.x - c.point_a.x, c.point_b.y - c.point_a.y), c.point_b.z - c.point_a.z);
    TEST_CHECK(apart <= c.distance.hi + 1e-13, "%g apart, reported %g", apart, c.distance.hi);
    /* at the apex */
    assert_true(fabs(c.point_b.x - at_cone.position.x) < 1e-9 &&
                fabs(c.point_b.y - at_cone.position.y) < 1e-9);
    abut_shape_release(cone);
    abut_shape_release(polygon);
}

typedef struct fickle {
    bool changed;
    test_random random;
} fickle;

/* A ball, and once it was accepted anything. */
static void support_of_fickle(void *ctx, const abut_vec3 *d, abut_vec3 *p)
{
    fickle *f = ctx;
    const double over = 1 / sqrt(d->x * d->x + d->y * d->y + d->z * d->z);
    const double r = f->changed ? test_uniform(&f->random, -3, 3) : 1;
    *p = (abut_vec3){ r * over * d->x, r * over * d->y, r * over * d->z };
}

/* Bounds that contradict each other are an error, and never reported. */
static void bodies_that_change_are_refused(void **state)
{
    (void)state;
    uint64_t refused = 0;
    const uint64_t count = test_count(400);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 67000000);
        fickle what = { .random = r };
        const abut_support_def def = {
            .support = support_of_fickle, .ctx = &what, .error = 1e-15, .radius = 3
        };
        body b;
        abut_shape *shape;
        assert_int_equal(abut_shape_create_support(&def, NULL, &shape, NULL), ABUT_OK);
        what.changed = true;
        make(&r, false, &b);
        b.pose.position.x += test_uniform(&r, 0, 5);
        abut_check_result c;
        abut_distance_result d;
        const abut_status checked = abut_check(shape, NULL, b.shape, &b.pose, NULL, NULL, &c),
                          measured = abut_distance(shape, NULL, b.shape, &b.pose, NULL, NULL, &d);
        assert_true(checked == ABUT_OK || (checked == ABUT_ERR_ARGUMENT && c.verdict == ABUT_UNDECIDED));
        assert_true(measured == ABUT_OK || (measured == ABUT_ERR_ARGUMENT && d.verdict == ABUT_UNDECIDED));
        TEST_CHECK(c.distance.lo <= c.distance.hi && c.depth.lo <= c.depth.hi &&
                       d.distance.lo <= d.distance.hi,
                   "seed %" PRIu64 ": [%g, %g], [%g, %g]", seed, c.distance.lo, c.distance.hi, d.distance.lo,
                   d.distance.hi);
        refused += (checked != ABUT_OK) + (measured != ABUT_OK);
        abut_shape_release(shape);
        abut_shape_release(b.shape);
    }
    assert_true(refused > count / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(points_are_opposite),
                                        cmocka_unit_test(flat_bodies_meet_in_points_of_both),
                                        cmocka_unit_test(thin_tetrahedron),
                                        cmocka_unit_test(points_of_users_bodies),
                                        cmocka_unit_test(points_along_one_of_many_normals),
                                        cmocka_unit_test(capsules_past_their_ends),
                                        cmocka_unit_test(points_are_as_far_apart_as_told),
                                        cmocka_unit_test(cone_below_a_polygon),
                                        cmocka_unit_test(bodies_that_change_are_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
