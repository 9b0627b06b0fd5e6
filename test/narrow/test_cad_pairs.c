/* SPDX-License-Identifier: MIT */
/* Random pairs of CAD solids of the three classes of Schoemer, Reichel, Warken 2002 against the referee
 * of oracle/cad_pair.h: no certified answer may be refuted, and few may stay undecided. Families: random
 * poses, and the arrangements where floating-point methods err: coaxial, parallel, nested, touching. */
#include "abut/query.h"
#include "oracle/cad_cases.h"

typedef struct tally {
    int pairs, apart, meeting, unknown, undecided, refereed_distances;
    int open;      /* undecided, and those that the tolerances leave so */
    double widest; /* enclosure of a distance, over the size */
    double excess; /* the same without what the tolerances of both solids make of it */
} tally;

static void print_body(const char *name, const cad_body *b)
{
    print_error("%s: kind %d height %a at (%a, %a, %a), rotation", name, b->kind, b->height,
                b->translation[0], b->translation[1], b->translation[2]);
    for (int i = 0; i < 9; ++i)
        print_error(" %a", b->rotation[i / 3][i % 3]);
    print_error("\n");
    for (int l = 0; l < b->loop_count; ++l) {
        print_error("  loop %d:", l);
        for (int i = 0; i < b->loops[l].count; ++i)
            print_error(" [%.17g,%.17g,%.17g]", b->loops[l].corner[i][0], b->loops[l].corner[i][1],
                        b->loops[l].corner[i][2]);
        print_error("\n");
    }
    for (int i = 0; i < b->part_count; ++i)
        print_error("  part %d sense %d (%.17g, %.17g, %.17g) radius %.17g\n", b->parts[i].kind,
                    b->parts[i].sense, b->parts[i].point[0], b->parts[i].point[1], b->parts[i].point[2],
                    b->parts[i].radius);
}

#define REFUTE(...)                              \
    do {                                         \
        print_body("a", &a->body);               \
        print_body("b", &b->body);               \
        print_error("%s seed %d: ", what, seed); \
        TEST_FAIL(__VA_ARGS__);                  \
    } while (0)

static double at(const cad_body *body, abut_vec3 p)
{
    const double x[3] = { p.x, p.y, p.z };
    return cad_value(body, x);
}

/* What can be said against the answer, with the solids as far off as their tolerances allow. */
static void judge(const char *what, int seed, const cad_solid *a, const cad_solid *b,
                  const abut_check_result *r, const cad_answer *truth, tally *t)
{
    const double size = a->body.reach + b->body.reach;
    const double slack = a->tolerance + b->tolerance + 1e-9 * size;
    ++t->pairs;
    t->unknown += truth->verdict == CAD_UNKNOWN;
    t->apart += truth->verdict == CAD_SEPARATE;
    t->meeting += truth->verdict == CAD_PENETRATING;
    if (r->verdict == ABUT_UNDECIDED) {
        /* What depends on the solids' tolerance may stay so. */
        const double doubt = 8 * (a->tolerance + b->tolerance);
        t->undecided += truth->verdict == CAD_UNKNOWN || fmax(truth->depth, truth->margin) > doubt;
        ++t->open;
        return;
    }
    if (r->verdict == ABUT_SEPARATE && truth->verdict == CAD_PENETRATING && truth->depth > slack)
        REFUTE("separate, but (%a, %a, %a) is %g deep inside both", truth->point[0], truth->point[1],
               truth->point[2], truth->depth);
    if (r->verdict != ABUT_SEPARATE && truth->verdict == CAD_SEPARATE && truth->margin > slack)
        REFUTE("%s, but they are apart, with a margin of %g", abut_verdict_name(r->verdict), truth->margin);
    if (r->verdict == ABUT_TOUCHING && truth->verdict == CAD_PENETRATING && truth->depth > slack)
        REFUTE("touching, but (%a, %a, %a) is %g deep inside both", truth->point[0], truth->point[1],
               truth->point[2], truth->depth);
    if (r->verdict != ABUT_SEPARATE)
        return;
    t->widest = fmax(t->widest, (r->distance.hi - r->distance.lo) / size);
    t->excess = fmax(t->excess, (r->distance.hi - r->distance.lo - 2 * (a->tolerance + b->tolerance)) / size);
    if (!(r->distance.lo <= r->distance.hi && r->distance.lo >= 0))
        REFUTE("distance %g to %g", r->distance.lo, r->distance.hi);
    if (truth->verdict == CAD_SEPARATE && cad_exact(&a->body) && cad_exact(&b->body) &&
        truth->distance_hi > 0) {
        ++t->refereed_distances;
        if (r->distance.lo > truth->distance_hi + slack || r->distance.hi < truth->distance_lo - slack)
            REFUTE("distance %.17g to %.17g, the referee's is %.17g to %.17g", r->distance.lo, r->distance.hi,
                   truth->distance_lo, truth->distance_hi);
    }
    if (r->has_points) {
        const abut_vec3 p = r->point_a, q = r->point_b;
        const double apart =
            sqrt((p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z));
        const double loose = slack + 1e-6 * size + (r->distance.hi - r->distance.lo);
        if (at(&a->body, p) > loose || at(&b->body, q) > loose)
            REFUTE("the witnesses are %g and %g off their bodies", at(&a->body, p), at(&b->body, q));
        if (fabs(apart - r->distance.hi) > loose)
            REFUTE("the witnesses are %g apart, the distance is at most %g", apart, r->distance.hi);
    }
}

static void ask(const char *what, int seed, cad_solid *a, const abut_pose *pose_a, cad_solid *b,
                const abut_pose *pose_b, abut_workspace *ws, tally *t)
{
    cad_place(&a->body, pose_a);
    cad_place(&b->body, pose_b);
    abut_check_result r;
    const abut_status status = abut_check(a->shape, pose_a, b->shape, pose_b, NULL, ws, &r);
    if (status != ABUT_OK)
        REFUTE("status %s", abut_status_name(status));
    cad_answer truth;
    cad_judge(&a->body, &b->body, seed % 8 == 0, 4000, &truth);
    judge(what, seed, a, b, &r, &truth, t);
    /* The other way round. */
    if (seed % 16 == 0) {
        abut_check_result swapped;
        if (abut_check(b->shape, pose_b, a->shape, pose_a, NULL, ws, &swapped) != ABUT_OK)
            REFUTE("swapped: no answer");
        if (swapped.verdict != r.verdict && swapped.verdict != ABUT_UNDECIDED && r.verdict != ABUT_UNDECIDED)
            REFUTE("%s, and swapped %s", abut_verdict_name(r.verdict), abut_verdict_name(swapped.verdict));
    }
    /* Overlap alone must agree. */
    abut_overlap_result only;
    if (abut_overlap(a->shape, pose_a, b->shape, pose_b, NULL, ws, &only) != ABUT_OK)
        REFUTE("overlap: no answer");
    if (only.verdict != ABUT_UNDECIDED && r.verdict != ABUT_UNDECIDED &&
        (only.verdict == ABUT_SEPARATE) != (r.verdict == ABUT_SEPARATE))
        REFUTE("check %s, overlap %s", abut_verdict_name(r.verdict), abut_verdict_name(only.verdict));
}

static void report(const char *what, const tally *t)
{
    print_message("%s: %d pairs, %d apart, %d meeting, %d not known to the referee, %d undecided (%d with "
                  "those that the tolerances leave open), widest enclosure "
                  "%.2g of the size, %.2g beyond the tolerances, %d distances refereed\n",
                  what, t->pairs, t->apart, t->meeting, t->unknown, t->undecided, t->open, t->widest,
                  t->excess, t->refereed_distances);
}

static const abut_pose HOME = { { 0, 0, 0 }, { 1, 0, 0, 0 } };

/* The solids are drawn anew every few pairs: making one costs as much as several questions. */
static void random_pairs(cad_class kind, const char *what, uint64_t full, double undecided)
{
    abut_workspace *ws;
    assert_int_equal(abut_workspace_create(NULL, &ws), ABUT_OK);
    tally t = { 0 };
    const int count = (int)test_count(full);
    for (int i = 0; i < count; i += 4) {
        test_random r = test_seed(1000000u * kind + (unsigned)i);
        cad_solid a = cad_random_solid(kind, &r), b = cad_random_solid(kind, &r);
        for (int k = 0; k < 4; ++k) {
            const abut_pose at_a = cad_random_pose(&r, 1.4), at_b = cad_random_pose(&r, 0.4);
            ask(what, i + k, &a, &at_a, &b, &at_b, ws, &t);
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    report(what, &t);
    TEST_CHECK(t.undecided <= undecided * t.pairs, "%s: %d of %d undecided", what, t.undecided, t.pairs);
    /* a few can well be all of one kind */
    TEST_CHECK(t.pairs < 40 || (t.apart * 8 >= t.pairs && t.meeting * 8 >= t.pairs), "%s: one-sided", what);
    abut_workspace_destroy(ws);
}

static void test_class_1(void **state)
{
    (void)state;
    random_pairs(CAD_CLASS_1, "class 1", 1500, 1e-3);
}

static void test_class_2(void **state)
{
    (void)state;
    random_pairs(CAD_CLASS_2, "class 2", 2500, 1e-3);
}

static void test_class_3(void **state)
{
    (void)state;
    random_pairs(CAD_CLASS_3, "class 3", 400, 1e-3);
}

/* Axes that coincide or run parallel, quarter turns, the same body twice, one far smaller. */
static void test_arranged(void **state)
{
    (void)state;
    abut_workspace *ws;
    assert_int_equal(abut_workspace_create(NULL, &ws), ABUT_OK);
    tally coaxial = { 0 }, parallel = { 0 }, twins = { 0 };
    const double half = sqrt(0.5);
    const int count = (int)test_count(200);
    for (int i = 0; i < count; ++i) {
        test_random r = test_seed(5000000u + (unsigned)i);
        cad_solid a = cad_random_revolve(&r, i % 2), b = cad_random_revolve(&r, i % 3 == 0);
        const abut_pose up = { { 0, 0, test_uniform(&r, -2, 2) }, { 1, 0, 0, 0 } };
        const abut_pose over = { { 0, 0, test_uniform(&r, -2, 2) }, { 0, 1, 0, 0 } };
        ask("coaxial", i, &a, &up, &b, &HOME, ws, &coaxial);
        ask("coaxial", i, &a, &over, &b, &HOME, ws, &coaxial);
        const abut_pose beside = { { test_uniform(&r, -2, 2), test_uniform(&r, -2, 2), 0 }, { 1, 0, 0, 0 } };
        const abut_pose quarter = { { test_uniform(&r, -2, 2), 0, test_uniform(&r, -2, 2) },
                                    { half, 0, half, 0 } };
        ask("parallel", i, &a, &beside, &b, &HOME, ws, &parallel);
        ask("perpendicular", i, &a, &quarter, &b, &HOME, ws, &parallel);
        const abut_pose little = { { test_uniform(&r, -0.01, 0.01), 0, 0 }, { 1, 0, 0, 0 } };
        ask("twin", i, &a, &little, &a, &HOME, ws, &twins);
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    report("coaxial", &coaxial);
    report("parallel", &parallel);
    report("twins", &twins);
    abut_workspace_destroy(ws);
}

static cad_loop box_loop(double x, double y)
{
    return (cad_loop){ 4, { { -x, -y, 0 }, { x, -y, 0 }, { x, y, 0 }, { -x, y, 0 } } };
}

/* Pins, rings and cones in holes and about each other, tilted a little: the bounds of nearly coaxial faces. */
static void test_tilted(void **state)
{
    (void)state;
    abut_workspace *ws;
    assert_int_equal(abut_workspace_create(NULL, &ws), ABUT_OK);
    tally t = { 0 };
    const int count = (int)test_count(100);
    for (int i = 0; i < count; ++i) {
        test_random r = test_seed(6500000u + (unsigned)i);
        const double radius = test_uniform(&r, 0.4, 1), gap = pow(10, test_uniform(&r, -3, -0.7)),
                     slope = i % 3 ? 0 : test_uniform(&r, -0.3, 0.3), top = radius + gap;
        const cad_loop pin = { 4,
                               { { 0, -2, 0 },
                                 { radius, -2, 0 },
                                 { radius * (1 + slope), 2, i % 5 ? 0 : test_uniform(&r, -0.2, 0.2) },
                                 { 0, 2, 0 } } };
        const cad_loop hole[2] = { box_loop(3, 2.5), { 2, { { -top, 0, -1 }, { top, 0, -1 } } } };
        const cad_loop ring = {
            4, { { top, 0, 0 }, { 2.5, 0, 0 }, { 2.5, 1, 0 }, { top * (1 + slope), 1, 0 } }
        };
        cad_solid a = cad_make_revolve(&pin),
                  b = i % 2 ? cad_make_extrude(hole, 2, 1) : cad_make_revolve(&ring);
        if (a.shape && b.shape) {
            const double tilt = pow(10, test_uniform(&r, -4, -0.5)), turn = test_uniform(&r, -3.2, 3.2);
            const double shift = gap * test_uniform(&r, 0, 1.5);
            const abut_pose pose = {
                { shift * cos(2 * turn), shift * sin(2 * turn), test_uniform(&r, -1, 2) },
                { cos(0.5 * tilt), sin(0.5 * tilt) * cos(turn), sin(0.5 * tilt) * sin(turn), 0 }
            };
            ask("tilted", 8 * i, &a, &pose, &b, &HOME, ws, &t);
            ask("tilted, swapped", 8 * i, &b, &HOME, &a, &pose, ws, &t);
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    report("tilted", &t);
    TEST_CHECK(t.undecided <= 2 && t.pairs > count, "%d of %d undecided", t.undecided, t.pairs);
    abut_workspace_destroy(ws);
}

/* A block in a box-shaped cavity is not to be had from one extrude; a disc inside a ring is: apart, and
 * inside of what the ring's hull is. And a small body inside a large one, meeting nothing of its boundary:
 * penetrating. */
static void test_nested(void **state)
{
    (void)state;
    abut_workspace *ws;
    assert_int_equal(abut_workspace_create(NULL, &ws), ABUT_OK);
    tally inside = { 0 }, hole = { 0 };
    const int count = (int)test_count(300);
    for (int i = 0; i < count; ++i) {
        test_random r = test_seed(6000000u + (unsigned)i);
        const cad_loop wide = box_loop(6, 5);
        cad_solid big = cad_make_extrude(&wide, 1, 8);
        cad_solid small = cad_random_solid((cad_class)(1 + i % 3), &r);
        abut_pose pose = cad_random_pose(&r, 1);
        pose.position.z += 4;
        ask("inside", i, &small, &pose, &big, &HOME, ws, &inside);
        abut_shape_release(big.shape);
        cad_loop frame[2] = { wide, { 2, { { -3.5, 0, -1 }, { 3.5, 0, -1 } } } };
        cad_solid ring = cad_make_extrude(frame, 2, 8);
        ask("in a hole", i, &small, &pose, &ring, &HOME, ws, &hole);
        abut_shape_release(ring.shape);
        abut_shape_release(small.shape);
    }
    report("inside", &inside);
    report("in a hole", &hole);
    TEST_CHECK(inside.undecided == 0 && hole.undecided == 0, "%d and %d undecided", inside.undecided,
               hole.undecided);
    abut_workspace_destroy(ws);
}

/* Contacts that are exact in the input: faces flush, a cylinder on a plane, a ball in a corner. They are
 * `touching`, proved. */
static void test_touching(void **state)
{
    (void)state;
    abut_workspace *ws;
    assert_int_equal(abut_workspace_create(NULL, &ws), ABUT_OK);
    const cad_loop square = box_loop(1, 1),
                   profile = { 4, { { 0, -1, 0 }, { 1, -1, 0 }, { 1, 1, 0 }, { 0, 1, 0 } } };
    const cad_loop globe = { 2, { { 0, -1, 1 }, { 0, 1, 0 } } };
    cad_solid block = cad_make_extrude(&square, 1, 2), rod = cad_make_revolve(&profile),
              ball = cad_make_revolve(&globe);
    assert_true(block.shape && rod.shape && ball.shape);
    const double half = sqrt(0.5);
    const struct {
        const cad_solid *a;
        abut_pose pose;
        const cad_solid *b;
    } cases[] = {
        { &block, { { 2, 0, 0 }, { 1, 0, 0, 0 } }, &block },
        { &block, { { 2, 2, 0 }, { 1, 0, 0, 0 } }, &block },
        { &block, { { 2, 2, 2 }, { 1, 0, 0, 0 } }, &block },
        { &block, { { 0.25, 0.5, 2 }, { 1, 0, 0, 0 } }, &block },
        { &rod, { { 2, 0, 1 }, { 1, 0, 0, 0 } }, &block },
        { &rod, { { 0, 0, 3 }, { 1, 0, 0, 0 } }, &block },
        { &rod, { { 0, 0, 3 }, { half, half, 0, 0 } }, &block },
        { &rod, { { 2, 0, 0 }, { 1, 0, 0, 0 } }, &rod },
        { &rod, { { 0, 0, 2 }, { 1, 0, 0, 0 } }, &rod },
        { &rod, { { 0, 2, 0 }, { half, 0, half, 0 } }, &rod },
        { &ball, { { 2, 0, 1 }, { 1, 0, 0, 0 } }, &block },
        { &ball, { { 0, 0, 3 }, { 1, 0, 0, 0 } }, &block },
        { &ball, { { 2, 0, 0 }, { 1, 0, 0, 0 } }, &ball },
        { &ball, { { 0, 2, 0.5 }, { 1, 0, 0, 0 } }, &rod },
        { &ball, { { 0, 0, 2 }, { 1, 0, 0, 0 } }, &rod },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        abut_check_result r;
        assert_int_equal(
            abut_check(cases[i].a->shape, &cases[i].pose, cases[i].b->shape, &HOME, NULL, ws, &r), ABUT_OK);
        /* Quarter turns are exact, too: only the ratios of a quaternion count. */
        TEST_CHECK(r.verdict == ABUT_TOUCHING, "case %zu: %s", i, abut_verdict_name(r.verdict));
        TEST_CHECK(r.proof == ABUT_PROOF_EXACT && r.distance.hi == 0 && r.has_normal, "case %zu: no proof",
                   i);
        /* A hair closer and farther. */
        for (int way = -1; way <= 1; way += 2) {
            abut_pose pose = cases[i].pose;
            const double f = 1 + way * 1e-4;
            pose.position = (abut_vec3){ f * pose.position.x, f * pose.position.y, f * pose.position.z };
            assert_int_equal(abut_check(cases[i].a->shape, &pose, cases[i].b->shape, &HOME, NULL, ws, &r),
                             ABUT_OK);
            TEST_CHECK(r.verdict == (way < 0 ? ABUT_PENETRATING : ABUT_SEPARATE), "case %zu %s: %s", i,
                       way < 0 ? "closer" : "farther", abut_verdict_name(r.verdict));
        }
    }
    abut_shape_release(block.shape);
    abut_shape_release(rod.shape);
    abut_shape_release(ball.shape);
    abut_workspace_destroy(ws);
}

static abut_shape *simple(abut_shape_type type, double a, double b, double c)
{
    abut_shape *out = NULL;
    switch (type) {
    case ABUT_SHAPE_SPHERE: (void)abut_shape_create_sphere(a, NULL, &out); break;
    case ABUT_SHAPE_BOX: (void)abut_shape_create_box((abut_vec3){ a, b, c }, NULL, &out); break;
    case ABUT_SHAPE_CYLINDER: (void)abut_shape_create_cylinder(a, b, NULL, &out); break;
    case ABUT_SHAPE_CAPSULE: (void)abut_shape_create_capsule(a, b, NULL, &out); break;
    case ABUT_SHAPE_CONE: (void)abut_shape_create_cone(a, b, NULL, &out); break;
    case ABUT_SHAPE_TORUS: (void)abut_shape_create_torus(a, b, NULL, &out); break;
    case ABUT_SHAPE_ELLIPSOID: (void)abut_shape_create_ellipsoid((abut_vec3){ a, b, c }, NULL, &out); break;
    default: (void)abut_shape_create_halfspace((abut_vec3){ 0, 0, a }, b, NULL, &out); break;
    }
    assert_non_null(out);
    return out;
}

/* Solids against simple bodies, shafts in bores, and the same an ulp away, which is no contact that could be
 * proved, and must not be. */
static void test_exact_contact(void **state)
{
    (void)state;
    abut_workspace *ws;
    assert_int_equal(abut_workspace_create(NULL, &ws), ABUT_OK);
    /* A plate of thickness 0.5 with a hole of radius 0.5 about (2, 1), a bolt that fits it with its head down
     * to z = 0.5, a ring with a bore of 0.5, a washer, a stepped shaft. */
    const cad_loop plate_loops[2] = { { 4, { { -3, -2, 0 }, { 3, -2, 0 }, { 3, 2, 0 }, { -3, 2, 0 } } },
                                      { 2, { { 2.5, 1, -1 }, { 1.5, 1, -1 } } } };
    const cad_loop bolt_loop = {
        6, { { 0, -1, 0 }, { 0.5, -1, 0 }, { 0.5, 0.5, 0 }, { 0.875, 0.5, 0 }, { 0.875, 1, 0 }, { 0, 1, 0 } }
    };
    const cad_loop ring_loop = { 4, { { 0.5, 0, 0 }, { 1.5, 0, 0 }, { 1.5, 1, 0 }, { 0.5, 1, 0 } } };
    const cad_loop rounded_loop = { 6,
                                    { { 0, -1, 0 },
                                      { 0.25, -1, 0.375 },
                                      { 0.5, -0.75, 0 },
                                      { 0.5, 2, 0 },
                                      { 0.25, 2.5, 0 },
                                      { 0, 2.5, 0 } } };
    cad_solid plate = cad_make_extrude(plate_loops, 2, 0.5), bolt = cad_make_revolve(&bolt_loop),
              ring = cad_make_revolve(&ring_loop), shaft = cad_make_revolve(&rounded_loop);
    assert_true(plate.shape && bolt.shape && ring.shape && shaft.shape);
    abut_shape *ball = simple(ABUT_SHAPE_SPHERE, 0.75, 0, 0), *box = simple(ABUT_SHAPE_BOX, 0.25, 0.5, 1),
               *rod = simple(ABUT_SHAPE_CYLINDER, 0.5, 3, 0), *pill = simple(ABUT_SHAPE_CAPSULE, 0.25, 2, 0),
               *cone = simple(ABUT_SHAPE_CONE, 1, 2, 0), *donut = simple(ABUT_SHAPE_TORUS, 1, 0.25, 0),
               *egg = simple(ABUT_SHAPE_ELLIPSOID, 1, 0.5, 0.25),
               *floor = simple(ABUT_SHAPE_HALFSPACE, 1, -0.25, 0);
    const abut_quat none = { 1, 0, 0, 0 }, over = { 0, 1, 0, 0 }, onto = { 0.5, 0.5, 0.5, 0.5 };
    const struct {
        const char *name;
        const abut_shape *a;
        abut_pose pose;
        const abut_shape *b;
        int axis; /* along which an ulp makes a difference */
    } cases[] = {
        { "ball on plate", ball, { { 0.125, 0.375, 1.25 }, none }, plate.shape, 2 },
        { "ball below plate", ball, { { 0.125, 0.375, -0.75 }, none }, plate.shape, 2 },
        { "ball beside plate", ball, { { 3.75, 0.375, 0.25 }, none }, plate.shape, 0 },
        { "box on plate", box, { { 0.125, 0.375, 1.5 }, none }, plate.shape, 2 },
        { "box on its side", box, { { 0.125, 0.375, 1 }, onto }, plate.shape, 2 },
        { "box at the edge", box, { { 3.25, 0.375, 1 }, none }, plate.shape, 0 },
        { "rod on plate", rod, { { -1, 0.375, 2 }, none }, plate.shape, 2 },
        { "rod lying", rod, { { -1, 0.375, 1 }, onto }, plate.shape, 2 },
        { "rod in the hole", rod, { { 2, 1, 0.25 }, none }, plate.shape, 0 },
        { "rod in the ring", rod, { { 0, 0, 0.25 }, none }, ring.shape, 0 },
        { "pill lying", pill, { { -1, 0.375, 0.75 }, onto }, plate.shape, 2 },
        { "pill standing", pill, { { -1, 0.375, 1.75 }, none }, plate.shape, 2 },
        { "cone on its base", cone, { { -1, 0.375, 1.5 }, none }, plate.shape, 2 },
        { "cone on its tip", cone, { { -1, 0.375, 1.5 }, over }, plate.shape, 2 },
        { "donut", donut, { { -1, 0.375, 0.75 }, none }, plate.shape, 2 },
        { "donut standing", donut, { { -1, 0.375, 1.75 }, onto }, plate.shape, 2 },
        { "egg", egg, { { -1, 0.375, 0.75 }, none }, plate.shape, 2 },
        { "plate on the floor", plate.shape, { { 0, 0, -0.25 }, none }, floor, 2 },
        { "bolt in its hole", bolt.shape, { { 2, 1, 0 }, none }, plate.shape, 2 },
        { "bolt in the ring", bolt.shape, { { 0, 0, 0.5 }, none }, ring.shape, 2 },
        { "bolt, not down", bolt.shape, { { 2, 1, 0.25 }, none }, plate.shape, 0 },
        { "shaft in its hole", shaft.shape, { { 2, 1, 0 }, none }, plate.shape, 0 },
        { "shaft in the ring", shaft.shape, { { 0, 0, -0.25 }, none }, ring.shape, 0 },
        { "ring on plate", ring.shape, { { -1, 0.375, 0.5 }, none }, plate.shape, 2 },
        { "ring about the hole", ring.shape, { { 2, 1, 0.5 }, none }, plate.shape, 2 },
        { "ring on ring", ring.shape, { { 2, 0, 1 }, none }, ring.shape, 2 },
        { "ring beside ring", ring.shape, { { 3, 0, 0.5 }, none }, ring.shape, 0 },
        { "plate on plate", plate.shape, { { 0.5, 0.25, 0.5 }, none }, plate.shape, 2 },
        { "plate edge on plate", plate.shape, { { 6, 3.75, 0.5 }, none }, plate.shape, -1 },
        { "plate corner on plate", plate.shape, { { 6, 4, 0.5 }, none }, plate.shape, -1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        for (int swapped = 0; swapped < 2; ++swapped) {
            abut_check_result r;
            assert_int_equal(swapped
                                 ? abut_check(cases[i].b, &HOME, cases[i].a, &cases[i].pose, NULL, ws, &r)
                                 : abut_check(cases[i].a, &cases[i].pose, cases[i].b, &HOME, NULL, ws, &r),
                             ABUT_OK);
            TEST_CHECK(r.verdict == ABUT_TOUCHING && r.proof == ABUT_PROOF_EXACT && r.distance.hi == 0,
                       "%s%s: %s", cases[i].name, swapped ? ", swapped" : "", abut_verdict_name(r.verdict));
            abut_overlap_result only;
            assert_int_equal(abut_overlap(cases[i].a, &cases[i].pose, cases[i].b, &HOME, NULL, ws, &only),
                             ABUT_OK);
            TEST_CHECK(only.verdict == ABUT_TOUCHING, "%s: overlap says %s", cases[i].name,
                       abut_verdict_name(only.verdict));
        }
        for (int way = -1; way <= 1 && cases[i].axis >= 0; way += 2) {
            abut_pose pose = cases[i].pose;
            double *c = cases[i].axis == 0 ? &pose.position.x : &pose.position.z;
            *c = nextafter(*c == 0 ? 0x1p-50 : *c, way * INFINITY);
            abut_check_result r;
            assert_int_equal(abut_check(cases[i].a, &pose, cases[i].b, &HOME, NULL, ws, &r), ABUT_OK);
            /* A shaft that is moved along its bore is still in it; all others are not in contact, or
             * penetrate by less than can be said. */
            TEST_CHECK(
                r.verdict == ABUT_UNDECIDED || (strstr(cases[i].name, "bolt") && r.verdict == ABUT_TOUCHING &&
                                                (cases[i].axis == 2 && way > 0)),
                "%s, an ulp %s: %s", cases[i].name, way < 0 ? "less" : "more", abut_verdict_name(r.verdict));
        }
    }
    abut_shape *all[] = { plate.shape, bolt.shape, ring.shape, shaft.shape, ball, box,
                          rod,         pill,       cone,       donut,       egg,  floor };
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        abut_shape_release(all[i]);
    abut_workspace_destroy(ws);
}

/* With an argument: only the tests whose names match it. */
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_touching), cmocka_unit_test(test_exact_contact), cmocka_unit_test(test_nested),
        cmocka_unit_test(test_arranged), cmocka_unit_test(test_tilted),        cmocka_unit_test(test_class_2),
        cmocka_unit_test(test_class_1),  cmocka_unit_test(test_class_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
