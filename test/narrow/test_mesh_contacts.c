/* SPDX-License-Identifier: MIT */
/* Lists of contacts beyond what the pairs are (capacity, streaming, segments, fronts, motions,
 * errors), points against meshes, surfaces in solids, and how deep meshes reach. */
#include "narrow/mesh/mesh.h"
#include "narrow/mesh_cases.h"
#include "oracle/mesh_gmp.h"

/* A box of n squares a side on each face, as one closed surface by place. */
static void set_box(mesh_case *m, abut_vec3 lo, double size, int n)
{
    m->vertex_count = m->triangle_count = 0;
    for (int face = 0; face < 6; ++face)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                abut_vec3 p[4];
                for (int k = 0; k < 4; ++k) {
                    const double u = size * (i + (k == 1 || k == 2)) / n, v = size * (j + (k >= 2)) / n,
                                 w = face % 2 ? size : 0;
                    const double c[3] = { face / 2 == 0   ? w
                                          : face / 2 == 1 ? v
                                                          : u,
                                          face / 2 == 0   ? u
                                          : face / 2 == 1 ? w
                                                          : v,
                                          face / 2 == 0   ? v
                                          : face / 2 == 1 ? u
                                                          : w };
                    p[k] = (abut_vec3){ lo.x + c[0], lo.y + c[1], lo.z + c[2] };
                }
                if (face % 2) {
                    case_add(m, p[0], p[1], p[2]);
                    case_add(m, p[0], p[2], p[3]);
                } else {
                    case_add(m, p[0], p[2], p[1]);
                    case_add(m, p[0], p[3], p[2]);
                }
            }
}

typedef struct stop_after {
    size_t left, seen;
} stop_after;

static bool take_some(void *ctx, const abut_triangle_contact *contacts, size_t count)
{
    stop_after *s = ctx;
    (void)contacts;
    s->seen += count;
    return s->seen < s->left;
}

static double distance_to(const abut_vec3 *t, abut_vec3 p)
{
    abut_feature feature;
    int which;
    const abut_vec3 q = abut_triangle_closest(t, p, &feature, &which);
    return sqrt((q.x - p.x) * (q.x - p.x) + (q.y - p.y) * (q.y - p.y) + (q.z - p.z) * (q.z - p.z));
}

static void test_lists(void **state)
{
    (void)state;
    static mesh_case box;
    static abut_triangle_contact all[4000], some[4000];
    set_box(&box, (abut_vec3){ 0, 0, 0 }, 1, 5);
    abut_shape *a = case_shape(&box, true, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO);
    abut_shape *b = case_shape(&box, true, ABUT_VOLUME_OBB, ABUT_BUILDER_MEDIAN);
    abut_shape *c = case_shape(&box, true, ABUT_VOLUME_OBB, ABUT_BUILDER_MEAN);
    assert_true(a && b && c);
    const abut_pose pose = { { 0.3, 0.41, 0.52 }, { 1, 0.2, 0.1, 0.3 } };
    abut_contacts_result whole, part;
    abut_contacts_opts opts;
    abut_workspace *ws;
    assert_int_equal(abut_workspace_create(NULL, &ws), ABUT_OK);
    assert_int_equal(abut_contacts(a, NULL, a, &pose, NULL, ws, all, 4000, &whole), ABUT_OK);
    assert_true(whole.count > 20 && whole.count < 4000);
    for (size_t i = 0; i < whole.count; ++i) { /* in order, and ends on both triangles */
        const abut_triangle_contact *p = &all[i];
        abut_vec3 t[3];
        assert_true(i == 0 || all[i - 1].a < p->a || (all[i - 1].a == p->a && all[i - 1].b < p->b));
        for (int k = 0; k < 3; ++k)
            t[k] = box.vertices[box.triangles[3 * p->a + (uint32_t)k]];
        TEST_CHECK(distance_to(t, p->from) < 1e-14 && distance_to(t, p->to) < 1e-14, "contact %zu", i);
    }
    abut_contacts_opts_init(&opts);
    static const size_t capacities[] = { 0, 1, 7, 300 };
    for (size_t k = 0; k < 4; ++k) {
        assert_int_equal(abut_contacts(b, NULL, b, &pose, &opts, ws, some, capacities[k], &part), ABUT_OK);
        assert_int_equal(part.count, whole.count);
        const size_t n = capacities[k] < whole.count ? capacities[k] : whole.count;
        for (size_t i = 0; i < n; ++i)
            assert_true(some[i].a == all[i].a && some[i].b == all[i].b && some[i].meet == all[i].meet);
    }
    assert_int_equal(abut_front_create(NULL, &opts.front), ABUT_OK);
    for (int k = 0; k < 6; ++k) { /* a front from frame to frame, and for another pair */
        abut_pose moved = pose;
        moved.position.x += 0.05 * k;
        opts.descent = k % 2 ? ABUT_DESCENT_BOTH : ABUT_DESCENT_LARGER;
        assert_int_equal(abut_contacts(a, NULL, a, &moved, NULL, ws, all, 4000, &whole), ABUT_OK);
        assert_int_equal(abut_contacts(b, NULL, k == 4 ? c : b, &moved, &opts, ws, some, 4000, &part),
                         ABUT_OK);
        assert_int_equal(part.count, whole.count);
        for (size_t i = 0; i < whole.count; ++i)
            assert_true(some[i].a == all[i].a && some[i].b == all[i].b && some[i].meet == all[i].meet);
    }
    abut_front_destroy(opts.front);
    opts.front = NULL;
    opts.any = true;
    assert_int_equal(abut_contacts(a, NULL, a, &pose, &opts, NULL, some, 10, &part), ABUT_OK);
    assert_true(part.count == 1 && part.verdict == ABUT_TOUCHING);
    opts.any = false;
    stop_after s = { 3, 0 };
    opts.on_contacts = take_some;
    opts.on_contacts_ctx = &s;
    assert_int_equal(abut_contacts(a, NULL, a, &pose, &opts, ws, NULL, 0, &part), ABUT_OK);
    assert_int_equal(part.stop, ABUT_STOP_CANCELLED);
    assert_int_equal(abut_contacts(a, NULL, a, &pose, NULL, ws, NULL, 5, &part), ABUT_ERR_ARGUMENT);
    abut_shape *ball = NULL;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_contacts(a, NULL, ball, &pose, NULL, ws, NULL, 0, &part), ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_self_contacts(ball, NULL, ws, NULL, 0, &part), ABUT_ERR_UNSUPPORTED);
    const abut_pose bad = { { NAN, 0, 0 }, { 1, 0, 0, 0 } };
    assert_int_equal(abut_contacts(a, NULL, a, &bad, NULL, ws, NULL, 0, &part), ABUT_ERR_ARGUMENT);
    const abut_pose turned_bad = { { 0, INFINITY, 0 }, { 1, 0.5, 0, 0.25 } };
    assert_int_equal(abut_contacts(a, &pose, a, &turned_bad, NULL, ws, NULL, 0, &part), ABUT_ERR_ARGUMENT);
    abut_shape_release(ball);
    abut_shape_release(a);
    abut_shape_release(b);
    abut_shape_release(c);
    abut_workspace_destroy(ws);
}

/* A turn by an angle that no quaternion of doubles states: the placement is enclosed, and what
 * touches exactly is unknown. */
static void test_motions(void **state)
{
    (void)state;
    static mesh_case box;
    static abut_triangle_contact found[4000];
    set_box(&box, (abut_vec3){ 0, 0, 0 }, 1, 2);
    abut_shape *a = case_shape(&box, true, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO);
    const abut_placement at = { .position = { 1, 0, 0 } };
    abut_motion *motion = NULL;
    assert_int_equal(abut_motion_create_velocity(0, 1, &at, (abut_vec3){ 0, 0, 0 }, (abut_vec3){ 1, 0, 0 },
                                                 NULL, &motion, NULL),
                     ABUT_OK);
    abut_contacts_result result;
    abut_check_result check;
    assert_int_equal(abut_contacts_at(a, NULL, a, motion, 0.1, NULL, NULL, found, 4000, &result), ABUT_OK);
    assert_true(result.count == 0 && result.unknown > 0 && result.verdict == ABUT_UNDECIDED);
    assert_int_equal(abut_check_at(a, NULL, a, motion, 0.1, NULL, NULL, &check), ABUT_OK);
    assert_int_equal(check.verdict, ABUT_UNDECIDED);
    assert_true(check.distance.lo == 0 && check.distance.hi < 1e-12);
    abut_motion_release(motion);
    abut_shape_release(a);
}

static void test_points(void **state)
{
    (void)state;
    static mesh_case box;
    abut_mesh_counters counters = { 0 };
    set_box(&box, (abut_vec3){ -1, -1, -1 }, 2, 4);
    mesh_case hollow = box;
    static mesh_case inner;
    set_box(&inner, (abut_vec3){ -0.5, -0.5, -0.5 }, 1, 2);
    for (size_t i = 0; i < inner.triangle_count; ++i) { /* turned inside out: a cavity */
        const abut_vec3 *v = inner.vertices;
        const uint32_t *t = inner.triangles + 3 * i;
        case_add(&hollow, v[t[0]], v[t[2]], v[t[1]]);
    }
    abut_shape *shape = case_shape(&hollow, true, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO);
    assert_non_null(shape);
    mesh_gmp *gmp =
        mesh_gmp_create(hollow.vertices, hollow.vertex_count, hollow.triangles, hollow.triangle_count, NULL);
    const uint64_t count = test_count(400);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        abut_vec3 p = case_point(&r, seed % 4 ? 12 : 0, seed % 4 ? 3 : 1.2);
        if (seed % 4)
            p = (abut_vec3){ p.x - 1.5, p.y - 1.5, p.z - 1.5 };
        if (seed % 7 == 0)
            p.x = nextafter(p.x, 2);
        abut_mesh_spot spot;
        abut_mesh_where(shape, p, &counters, &spot);
        const int winding = mesh_gmp_winding(gmp, p);
        const bool on =
            spot.where == ABUT_WHERE_FACE || spot.where == ABUT_WHERE_EDGE || spot.where == ABUT_WHERE_VERTEX;
        TEST_CHECK(on == (winding == MESH_GMP_ON) && (on || (spot.where == ABUT_WHERE_IN) == (winding > 0)),
                   "seed %" PRIu64 ": %a %a %a is %d, winding %d", seed, p.x, p.y, p.z, (int)spot.where,
                   winding);
        if (on)
            TEST_CHECK(spot.id >= 0 && spot.face >= 0, "seed %" PRIu64, seed);
    }
    mesh_gmp_destroy(gmp);
    abut_shape_release(shape);
}

/* A surface inside a solid has points in common with it; a solid inside a closed surface has
 * none with it. */
static void test_surfaces(void **state)
{
    (void)state;
    static mesh_case outer, inner;
    set_box(&outer, (abut_vec3){ -1, -1, -1 }, 2, 3);
    set_box(&inner, (abut_vec3){ -0.25, -0.25, -0.25 }, 0.5, 2);
    abut_shape *shapes[4] = { case_shape(&outer, true, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO),
                              case_shape(&outer, false, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO),
                              case_shape(&inner, true, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO),
                              case_shape(&inner, false, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO) };
    static const abut_verdict expected[4] = { ABUT_PENETRATING, ABUT_TOUCHING, ABUT_SEPARATE, ABUT_SEPARATE };
    const abut_pose poses[2] = { { { 0.1, 0, 0 }, { 1, 0, 0, 0 } },
                                 { { 0.1, 0.2, 0 }, { 1, 0.3, 0.2, 0.7 } } };
    for (int k = 0; k < 16; ++k) {
        abut_shape *a = shapes[k / 4 % 2], *b = shapes[2 + k % 2];
        const int which = 2 * (k / 4 % 2) + k % 2;
        const abut_pose *pose = &poses[k / 8];
        abut_check_result check;
        abut_overlap_result overlap;
        abut_distance_result distance;
        const bool swap = k / 2 % 2;
        abut_shape *x = swap ? b : a, *y = swap ? a : b;
        const abut_pose *px = swap ? pose : NULL, *py = swap ? NULL : pose;
        assert_int_equal(abut_check(x, px, y, py, NULL, NULL, &check), ABUT_OK);
        assert_int_equal(abut_overlap(x, px, y, py, NULL, NULL, &overlap), ABUT_OK);
        assert_int_equal(abut_distance(x, px, y, py, NULL, NULL, &distance), ABUT_OK);
        TEST_CHECK(check.verdict == expected[which] && overlap.verdict == expected[which] &&
                       distance.verdict == expected[which],
                   "case %d: %d %d %d", k, (int)check.verdict, (int)overlap.verdict, (int)distance.verdict);
        assert_true((check.distance.hi == 0) == (expected[which] != ABUT_SEPARATE));
        assert_true((distance.distance.hi == 0) == (expected[which] != ABUT_SEPARATE));
        if (check.verdict == ABUT_PENETRATING)
            assert_true(check.has_depth && check.depth.lo > 0.2 && check.depth.hi < 2 &&
                        check.depth.lo <= check.depth.hi);
        abut_overlap_opts clear;
        abut_overlap_opts_init(&clear);
        clear.clearance = 1e-3;
        assert_int_equal(abut_overlap(x, px, y, py, &clear, NULL, &overlap), ABUT_OK);
        assert_int_equal(overlap.verdict,
                         expected[which] == ABUT_SEPARATE ? ABUT_SEPARATE : ABUT_PENETRATING);
    }
    for (int k = 0; k < 4; ++k)
        abut_shape_release(shapes[k]);
}

/* Face on face: the corners of the area, and the normal of the faces. */
static void test_faces(void **state)
{
    (void)state;
    static mesh_case box;
    set_box(&box, (abut_vec3){ 0, 0, 0 }, 1, 3);
    abut_shape *a = case_shape(&box, true, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO);
    abut_check_result check;
    const abut_pose pose = { { 1, 0.25, 0.5 }, { 1, 0, 0, 0 } };
    assert_int_equal(abut_check(a, NULL, a, &pose, NULL, NULL, &check), ABUT_OK);
    assert_int_equal(check.verdict, ABUT_TOUCHING);
    assert_int_equal(check.proof, ABUT_PROOF_EXACT);
    assert_int_equal(check.contact_count, 4);
    TEST_NEAR(check.normal.x, 1, 1e-12, "normal");
    int corners = 0;
    for (int k = 0; k < 4; ++k) {
        const abut_vec3 p = check.contacts[k].point;
        TEST_NEAR(check.contacts[k].normal.x, 1, 1e-12, "contact %d", k);
        TEST_NEAR(p.x, 1, 1e-12, "contact %d", k);
        corners |= 1 << ((fabs(p.y - 1) < 1e-12 ? 1 : 0) + (fabs(p.z - 1) < 1e-12 ? 2 : 0));
    }
    assert_int_equal(corners, 15);
    abut_shape_release(a);
}

static void test_reach(void **state)
{
    (void)state;
    static mesh_case box;
    set_box(&box, (abut_vec3){ 0, 0, 0 }, 1, 2);
    abut_shape *a = case_shape(&box, true, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO);
    abut_shape *surface = case_shape(&box, false, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO);
    abut_reach_result reach;
    abut_check_result check;
    /* x overlaps by a quarter */
    const abut_pose pose = { { 0.75, 0.125, 0.0625 }, { 1, 0, 0, 0 } };
    assert_int_equal(abut_mesh_reach(a, NULL, a, &pose, NULL, &reach), ABUT_OK);
    TEST_NEAR(reach.depth, 0.25, 1e-12, "depth");
    TEST_NEAR(reach.normal.x, 1, 1e-12, "normal");
    assert_int_equal(reach.vertices_b, 4); /* of the 3 x 3 of the face, those inside in y and z */
    assert_int_equal(abut_check(a, NULL, a, &pose, NULL, NULL, &check), ABUT_OK);
    assert_int_equal(check.verdict, ABUT_PENETRATING);
    assert_true(check.has_depth && check.depth.lo <= 0.25 && check.depth.hi >= 0.25 && check.depth.lo > 0.2);
    TEST_NEAR(check.depth.hi, 0.25, 1e-12, "depth");
    TEST_NEAR(check.normal.x, 1, 1e-12, "normal");
    const abut_pose apart = { { 3, 0, 0 }, { 1, 0, 0, 0 } };
    assert_int_equal(abut_mesh_reach(a, NULL, a, &apart, NULL, &reach), ABUT_OK);
    assert_true(reach.depth == 0 && reach.vertices_a == 0 && reach.vertices_b == 0);
    assert_int_equal(abut_mesh_reach(a, NULL, surface, &pose, NULL, &reach), ABUT_ERR_UNSUPPORTED);
    abut_shape_release(a);
    abut_shape_release(surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_lists),  cmocka_unit_test(test_motions),
                                        cmocka_unit_test(test_points), cmocka_unit_test(test_surfaces),
                                        cmocka_unit_test(test_faces),  cmocka_unit_test(test_reach) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
