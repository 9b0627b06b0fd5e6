/* SPDX-License-Identifier: MIT */
/* The face test against branch and bound and against the referee that knows no faces (oracle/cad_pair.h): what it says
 * of random pairs of CAD solids of the three classes must not be refuted, and its witnesses must be inside both. */
#include "abut/intersect.h"
#include "narrow/brep/facetest.h"
#include "oracle/cad_cases.h"
#include "support/failing_allocator.h"

typedef struct tally {
    int pairs, apart, meeting, doubtful, inside, nested, truly_meeting, truly_apart;
    uint64_t face_pairs, edges;
} tally;

static double value_at(const cad_body *body, abut_vec3 p)
{
    const double x[3] = { p.x, p.y, p.z };
    return cad_value(body, x);
}

/* What the face test says by itself. */
static abut_brep_faces raw(const cad_solid *a, const abut_pose *pose_a, const cad_solid *b,
                           const abut_pose *pose_b)
{
    abut_workspace ws;
    abut_brep_body body[2];
    abut_brep_faces out;
    double slack, rounding;
    abut_place at_a, at_b;
    const abut_posed_pair posed = { a->shape, b->shape, pose_a, pose_b, NULL };
    assert_int_equal(abut_posed_place(&posed, &at_a, &at_b), ABUT_OK);
    const abut_pair pair = { a->shape, b->shape, &at_a, &at_b, NULL };
    const abut_allocator *alloc = &a->shape->alloc;
    abut_workspace_open(&ws, alloc);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    assert_int_equal(abut_brep_bodies(&pair, &ws, body, &slack, &rounding), ABUT_OK);
    assert_int_equal(abut_brep_faces_meet(&pair, body, slack, 24, &ws, &out), ABUT_OK);
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
    out.point = abut_affine_apply(&at_a.mid, out.point);
    out.witness = abut_affine_apply(&at_a.mid, out.witness);
    return out;
}

static void judge(const char *what, int seed, cad_solid *a, const abut_pose *pose_a, cad_solid *b,
                  const abut_pose *pose_b, tally *t)
{
    cad_place(&a->body, pose_a);
    cad_place(&b->body, pose_b);
    cad_answer truth;
    cad_judge(&a->body, &b->body, false, 4000, &truth);
    const double slack = a->tolerance + b->tolerance + 1e-9 * (a->body.reach + b->body.reach);
    const abut_brep_faces faces = raw(a, pose_a, b, pose_b);
    ++t->pairs;
    t->apart += faces.meeting == ABUT_BREP_APART;
    t->meeting += faces.meeting == ABUT_BREP_MEET;
    t->doubtful += faces.meeting == ABUT_BREP_DOUBTFUL;
    t->inside += faces.inside;
    t->face_pairs += faces.pairs;
    t->edges += faces.edges;
    const bool apart = truth.verdict == CAD_SEPARATE && truth.margin > slack,
               meet = truth.verdict == CAD_PENETRATING && truth.depth > slack;
    t->truly_apart += apart;
    t->truly_meeting += meet;
    TEST_CHECK(!apart || faces.meeting != ABUT_BREP_MEET, "%s seed %d: faces meet, but the bodies are apart",
               what, seed);
    if (faces.inside)
        TEST_CHECK(value_at(&a->body, faces.witness) < slack && value_at(&b->body, faces.witness) < slack,
                   "%s seed %d: the witness is not in both", what, seed);
    if (faces.meeting == ABUT_BREP_MEET)
        TEST_CHECK(fabs(value_at(&a->body, faces.point)) < slack + faces.radius &&
                       fabs(value_at(&b->body, faces.point)) < slack + faces.radius,
                   "%s seed %d: the common point is off a body by %g, %g", what, seed,
                   value_at(&a->body, faces.point), value_at(&b->body, faces.point));
    /* Whole answers: with the search alone, and with the face test first. */
    abut_check_opts opts;
    abut_check_opts_init(&opts);
    abut_check_result by_search, by_faces;
    opts.method = ABUT_CHECK_SEARCH;
    assert_int_equal(abut_check(a->shape, pose_a, b->shape, pose_b, &opts, NULL, &by_search), ABUT_OK);
    opts.method = ABUT_CHECK_FACETEST;
    assert_int_equal(abut_check(a->shape, pose_a, b->shape, pose_b, &opts, NULL, &by_faces), ABUT_OK);
    TEST_CHECK(by_search.verdict == by_faces.verdict || by_search.verdict == ABUT_UNDECIDED,
               "%s seed %d: the search says %s, the face test %s", what, seed,
               abut_verdict_name(by_search.verdict), abut_verdict_name(by_faces.verdict));
    TEST_CHECK(!meet || by_faces.verdict != ABUT_SEPARATE, "%s seed %d: separate, but they meet", what, seed);
    TEST_CHECK(!apart || by_faces.verdict != ABUT_PENETRATING, "%s seed %d: penetrating, but they are apart",
               what, seed);
    t->nested += meet && faces.meeting == ABUT_BREP_APART;
    if (meet && faces.meeting == ABUT_BREP_APART)
        TEST_CHECK(by_faces.verdict == ABUT_PENETRATING,
                   "%s seed %d: boundaries are apart, nothing is nested", what, seed);
}

static void random_class(cad_class kind, const char *what, uint64_t full)
{
    tally t = { 0 };
    const int count = (int)test_count_at_least(full, 48); /* a share of them is judged, too */
    test_random r = test_seed(0);
    cad_solid a = { 0 }, b = { 0 };
    for (int seed = 0; seed < count; ++seed) {
        if (seed % 8 == 0) {
            r = test_seed((uint64_t)seed + 1000 * (uint64_t)kind);
            abut_shape_release(a.shape);
            abut_shape_release(b.shape);
            a = cad_random_solid(kind, &r);
            b = cad_random_solid(kind, &r);
        }
        const abut_pose pose_a = cad_random_pose(&r, 0.5), pose_b = cad_random_pose(&r, 1.2);
        judge(what, seed, &a, &pose_a, &b, &pose_b, &t);
    }
    abut_shape_release(a.shape);
    abut_shape_release(b.shape);
    print_message(
        "%s: %d pairs, faces apart %d, meeting %d, doubtful %d; witnesses %d, nested %d; of %d that meet "
        "and %d apart; %.1f pairs of faces and %.1f edges on faces a pair\n",
        what, t.pairs, t.apart, t.meeting, t.doubtful, t.inside, t.nested, t.truly_meeting, t.truly_apart,
        (double)t.face_pairs / t.pairs, (double)t.edges / t.pairs);
    TEST_CHECK(t.inside + t.nested >= 0.9 * t.truly_meeting, "%s: too few witnesses", what);
    TEST_CHECK(4 * t.doubtful <= t.pairs, "%s: too much is left open", what);
}

static void test_random_solids(void **state)
{
    (void)state;
    random_class(CAD_CLASS_1, "class 1", 600);
    random_class(CAD_CLASS_2, "class 2", 600);
    random_class(CAD_CLASS_3, "class 3", 300);
}

/* ---- single faces ---- */

/* [-2, 2]^2 x [0, 1]: faces 0 to 3 are the sides, 4 the bottom, 5 the top. */
static abut_shape *plate(const abut_allocator *alloc)
{
    const abut_profile_vertex corners[4] = { { -2, -2, 0 }, { 2, -2, 0 }, { 2, 2, 0 }, { -2, 2, 0 } };
    const abut_profile_loop loop = { corners, 4 };
    abut_shape *out = NULL;
    (void)abut_shape_create_extrude(&loop, NULL, 0, 1, 0, alloc, &out, NULL);
    return out;
}

/* Of radius 0.5 about the origin: one face. */
static abut_shape *ball(void)
{
    const abut_profile_vertex corners[2] = { { 0, -0.5, 1 }, { 0, 0.5, 0 } };
    const abut_profile_loop loop = { corners, 2 };
    abut_shape *out = NULL;
    assert_int_equal(abut_shape_create_revolve(&loop, 0, NULL, &out, NULL), ABUT_OK);
    return out;
}

static void expect(const abut_shape *a, size_t face_a, const abut_shape *b, size_t face_b,
                   const abut_pose *pose_b, abut_verdict verdict, abut_face_step step)
{
    abut_face_result r, swapped;
    assert_int_equal(abut_face_test(a, face_a, NULL, b, face_b, pose_b, NULL, &r), ABUT_OK);
    assert_int_equal(r.step, step);
    assert_int_equal(abut_face_test(b, face_b, pose_b, a, face_a, NULL, NULL, &swapped), ABUT_OK);
    assert_int_equal(swapped.verdict, verdict);
    assert_true((r.edge < 0) == (step != ABUT_FACE_STEP_EDGE_A && step != ABUT_FACE_STEP_EDGE_B));
}

static void test_single_faces(void **state)
{
    (void)state;
    abut_shape *a = plate(NULL), *b = ball(), *c = plate(NULL);
    abut_pose at = { { 0.25, -0.5, 1.25 }, { 0.6, 0.8, 0, 0 } };
    /* A cap of the ball through the top: one loop, and no edge. */
    expect(a, 5, b, 0, &at, ABUT_TOUCHING, ABUT_FACE_STEP_LOOP);
    expect(a, 4, b, 0, &at, ABUT_SEPARATE, ABUT_FACE_STEP_NONE);
    expect(a, 0, b, 0, &at, ABUT_SEPARATE, ABUT_FACE_STEP_NONE);
    /* Touching it from above: never "separate", and no common point is claimed that is not there. */
    at = (abut_pose){ { 0.25, -0.5, 1.5 }, { 1, 0, 0, 0 } };
    abut_face_result r;
    assert_int_equal(abut_face_test(a, 5, NULL, b, 0, &at, NULL, &r), ABUT_OK);
    assert_true(r.verdict != ABUT_SEPARATE);
    /* Beside the plate, in its plane. */
    at.position = (abut_vec3){ 2.25, 0, 1.25 };
    assert_int_equal(abut_face_test(a, 5, NULL, b, 0, &at, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_TOUCHING);
    assert_int_equal(r.step, ABUT_FACE_STEP_EDGE_A);
    at.position = (abut_vec3){ 3, 0, 1 };
    expect(a, 5, b, 0, &at, ABUT_SEPARATE, ABUT_FACE_STEP_NONE);
    /* Two plates across each other. */
    at = (abut_pose){ { 0.5, 0, 0.25 }, { 0.8, 0.6, 0, 0 } };
    assert_int_equal(abut_face_test(a, 5, NULL, c, 5, &at, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_TOUCHING);
    assert_int_equal(r.proof, ABUT_PROOF_INTERVAL);
    assert_true(r.edge >= 0 && fabs(r.point.z - 1) < 1e-12 && r.radius < 1e-9);
    /* Face on face. */
    at = (abut_pose){ { 1, 0, 1 }, { 1, 0, 0, 0 } };
    assert_int_equal(abut_face_test(a, 5, NULL, c, 4, &at, NULL, &r), ABUT_OK);
    assert_true(r.verdict != ABUT_SEPARATE);
    /* Points. */
    abut_where where;
    assert_int_equal(abut_point_in_face(a, 5, (abut_vec3){ 1, 1, 1 }, &where), ABUT_OK);
    assert_int_equal(where, ABUT_WHERE_FACE);
    assert_int_equal(abut_point_in_face(a, 5, (abut_vec3){ 1, 2.001, 1 }, &where), ABUT_OK);
    assert_int_equal(where, ABUT_WHERE_OUT);
    assert_int_equal(abut_point_in_face(a, 5, (abut_vec3){ 1, 2, 1 }, &where), ABUT_OK);
    assert_int_equal(where, ABUT_WHERE_UNKNOWN);
    assert_int_equal(abut_point_in_face(a, 1, (abut_vec3){ 2, 0.5, 0.5 }, &where), ABUT_OK);
    assert_int_equal(where, ABUT_WHERE_FACE);
    assert_int_equal(abut_point_in_face(a, 1, (abut_vec3){ 2, 0.5, -0.5 }, &where), ABUT_OK);
    assert_int_equal(where, ABUT_WHERE_OUT);
    /* What is no face. */
    assert_int_equal(abut_point_in_face(a, 6, (abut_vec3){ 0, 0, 0 }, &where), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_face_test(a, 6, NULL, c, 0, NULL, NULL, &r), ABUT_ERR_ARGUMENT);
    abut_shape *sphere;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &sphere), ABUT_OK);
    assert_int_equal(abut_face_test(a, 0, NULL, sphere, 0, NULL, NULL, &r), ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_point_in_face(sphere, 0, (abut_vec3){ 0, 0, 0 }, &where), ABUT_ERR_UNSUPPORTED);
    abut_check_opts opts;
    abut_check_result whole;
    abut_check_opts_init(&opts);
    opts.method = ABUT_CHECK_METHOD_COUNT;
    assert_int_equal(abut_check(a, NULL, c, NULL, &opts, NULL, &whole), ABUT_ERR_ARGUMENT);
    assert_string_equal(abut_check_method_name(ABUT_CHECK_FACETEST), "facetest");
    abut_shape_release(sphere);
    abut_shape_release(a);
    abut_shape_release(b);
    abut_shape_release(c);
}

/* Every allocation fails once. */
static void test_memory(void **state)
{
    (void)state;
    abut_shape *b = ball();
    const abut_pose at = { { 0.25, -0.5, 1.25 }, { 0.6, 0.8, 0, 0 } };
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_shape *a = plate(&alloc);
            status = ABUT_ERR_MEMORY;
            if (a) {
                abut_face_result r;
                abut_check_opts opts;
                abut_check_result whole;
                abut_check_opts_init(&opts);
                opts.method = ABUT_CHECK_FACETEST;
                status = abut_face_test(a, 5, NULL, b, 0, &at, NULL, &r);
                if (!status)
                    status = abut_check(a, NULL, b, &at, &opts, NULL, &whole);
            }
            abut_shape_release(a);
        },
        status);
    abut_shape_release(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_single_faces), cmocka_unit_test(test_memory),
                                        cmocka_unit_test(test_random_solids) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
