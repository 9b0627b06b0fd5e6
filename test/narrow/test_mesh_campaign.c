/* SPDX-License-Identifier: MIT */
/* Meshes large enough that their hierarchies have levels: the pairs of triangles that meet are
 * those of brute force over all pairs, in the same order and bit for bit the same contacts,
 * whatever the volume, builder, descent, front and vector unit. (The triangle test itself is
 * judged by rationals in test_triangle.c and test_mesh_pairs.c.) And any contact, distance and
 * self-contacts agree with each other and do not depend on the hierarchy either. */
#include "bvh/wide.h"
#include "narrow/mesh_cases.h"
#include "narrow/triangle/triangle.h"

enum { MOST = 20000 };

typedef struct answer {
    size_t count;
    abut_triangle_contact list[MOST];
} answer;

/* A grid of n by n squares bent into a torus, a dome, or left flat; coordinates are multiples of
 * 2^-8, so that much is exactly in one plane or in one place. */
static void make_patch(mesh_case *m, test_random *r, unsigned n, int kind)
{
    m->vertex_count = m->triangle_count = 0;
    for (unsigned i = 0; i <= n; ++i)
        for (unsigned k = 0; k <= n; ++k) {
            const double x = (double)i / n, y = (double)k / n;
            const double z = kind == 0   ? 0
                             : kind == 1 ? 4 * x * (1 - x) * y * (1 - y)
                             : kind == 2 ? test_uniform(r, 0, .3)
                                         : (i + k) % 2 * .125;
            m->vertices[m->vertex_count++] =
                (abut_vec3){ round(256 * x) / 256, round(256 * y) / 256, round(256 * z) / 256 };
        }
    for (unsigned i = 0; i < n; ++i)
        for (unsigned k = 0; k < n; ++k) {
            const uint32_t at = i * (n + 1) + k, next = at + n + 1;
            const uint32_t two[6] = { at, next, next + 1, at, next + 1, at + 1 };
            memcpy(m->triangles + 3 * m->triangle_count, two, sizeof two);
            m->triangle_count += 2;
        }
}

static void make_mesh(mesh_case *m, test_random *r)
{
    const unsigned kind = test_below(r, 6);
    if (kind < 4)
        make_patch(m, r, 3 + test_below(r, 10), (int)kind);
    else
        case_soup(m, r, 20 + test_below(r, 150), kind == 4 ? 0 : 8, 1);
}

static void corners(const mesh_case *m, size_t i, abut_vec3 out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = m->vertices[m->triangles[3 * i + (size_t)k]];
}

static size_t brute_pairs(const mesh_case *a, const mesh_case *b, const abut_shape *shape_a,
                          const abut_pose *pose_a, const abut_shape *shape_b, const abut_pose *pose_b,
                          abut_triangle_contact *list)
{
    abut_place at_a, at_b;
    assert_int_equal(abut_place_from_pose(pose_a, true, &at_a), ABUT_OK);
    assert_int_equal(abut_place_from_pose(pose_b, true, &at_b), ABUT_OK);
    const abut_pair pair = { shape_a, shape_b, &at_a, &at_b, NULL };
    abut_triangle_frame frame;
    abut_triangle_frame_set(&pair, 4, &frame);
    size_t count = 0;
    uint64_t exact = 0;
    for (size_t i = 0; i < a->triangle_count; ++i)
        for (size_t k = 0; k < b->triangle_count; ++k) {
            abut_vec3 s[3], t[3];
            corners(a, i, s);
            corners(b, k, t);
            const abut_meet meet = abut_triangle_meet(&frame, s, t, &exact);
            if (meet != ABUT_MEET_NONE && count < MOST)
                list[count++] = (abut_triangle_contact){ .a = (uint32_t)i, .b = (uint32_t)k, .meet = meet };
        }
    return count;
}

static void ask(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b,
                abut_descent descent, abut_front *front, abut_workspace *ws, answer *out)
{
    abut_contacts_opts opts;
    abut_contacts_result result;
    abut_contacts_opts_init(&opts);
    opts.descent = descent;
    opts.front = front;
    assert_int_equal(abut_contacts(a, pose_a, b, pose_b, &opts, ws, out->list, MOST, &result), ABUT_OK);
    assert_int_equal(result.unknown, 0);
    out->count = result.count;
}

static void compare(const answer *found, const answer *expected, const char *what, uint64_t seed)
{
    TEST_CHECK(found->count == expected->count, "%s: %zu pairs, expected %zu; seed %" PRIu64, what,
               found->count, expected->count, seed);
    const size_t n = found->count < MOST ? found->count : MOST;
    for (size_t i = 0; i < n; ++i) {
        const abut_triangle_contact *p = &found->list[i], *q = &expected->list[i];
        TEST_CHECK(p->a == q->a && p->b == q->b && p->meet == q->meet,
                   "%s: contact %zu is (%u, %u, %d), expected (%u, %u, %d); seed %" PRIu64, what, i, p->a,
                   p->b, (int)p->meet, q->a, q->b, (int)q->meet, seed);
        TEST_CHECK(memcmp(&p->from, &q->from, sizeof p->from) == 0 &&
                       memcmp(&p->to, &q->to, sizeof p->to) == 0,
                   "%s: the segment of contact %zu differs; seed %" PRIu64, what, i, seed);
    }
}

/* Not larger than the triangles of the other, and at one of its corners: multiples of 2^-8
 * become multiples of 2^-14 at most. */
static void shrink(mesh_case *m, const mesh_case *onto, test_random *r)
{
    const double scale = ldexp(1, -3 - (int)test_below(r, 4));
    const abut_vec3 at = onto->vertices[test_below(r, (unsigned)onto->vertex_count)];
    for (size_t i = 0; i < m->vertex_count; ++i) {
        abut_vec3 *v = &m->vertices[i];
        *v = (abut_vec3){ at.x + scale * (v->x - .5), at.y + scale * (v->y - .5), at.z + scale * v->z };
    }
}

static void pair_lists_are_brute_force(void **state)
{
    (void)state;
    static mesh_case a, b;
    static answer brute, first, other;
    abut_workspace *ws;
    abut_front *front;
    size_t meeting = 0;
    assert_int_equal(abut_workspace_create(NULL, &ws), ABUT_OK);
    assert_int_equal(abut_front_create(NULL, &front), ABUT_OK);
    const size_t usual = test_count(100),
                 /* so that a quarter of them meet in slow builds, too */
        n = usual < 25 ? 25 : usual;
    for (uint64_t seed = 1; seed <= n; ++seed) {
        test_random r = test_seed(seed);
        make_mesh(&a, &r);
        make_mesh(&b, &r);
        const unsigned small = test_below(&r, 6); /* a, b, or neither */
        if (small < 2)
            shrink(small ? &b : &a, small ? &a : &b, &r);
        abut_shape *wide_a = case_shape(&a, false, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO);
        abut_shape *wide_b = case_shape(&b, false, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO);
        const abut_volume volume = (abut_volume)(1 + test_below(&r, ABUT_VOLUME_COUNT - 1));
        const abut_builder builder = (abut_builder)test_below(&r, ABUT_BUILDER_COUNT);
        abut_shape *tree_a = case_shape(&a, false, volume, builder),
                   *tree_b = case_shape(&b, false, volume, builder);
        assert_non_null(wide_a);
        assert_non_null(wide_b);
        assert_non_null(tree_a);
        assert_non_null(tree_b);
        const int kind = (int)test_below(&r, 5);
        abut_pose pose_a = case_pose(&r, kind, .125, .3), pose_b = case_pose(&r, kind, .125, .3);
        if (small < 2)
            pose_b = pose_a;
        else if (test_below(&r, 4) == 0)
            pose_b.rotation = pose_a.rotation;
        for (int step = 0; step < 4; ++step) {
            brute.count = brute_pairs(&a, &b, wide_a, &pose_a, wide_b, &pose_b, brute.list);
            meeting += brute.count > 0;
            abut_wide_force_plain = 0;
            ask(wide_a, &pose_a, wide_b, &pose_b, ABUT_DESCENT_LARGER, NULL, ws, &first);
            for (size_t i = 0; i < brute.count && i < first.count; ++i) {
                brute.list[i].from = first.list[i].from;
                brute.list[i].to = first.list[i].to;
            }
            compare(&first, &brute, "wide", seed);
            abut_wide_force_plain = 1;
            ask(wide_a, &pose_a, wide_b, &pose_b, ABUT_DESCENT_LARGER, NULL, ws, &other);
            compare(&other, &brute, "wide, plain C", seed);
            abut_wide_force_plain = 0;
            ask(tree_a, &pose_a, tree_b, &pose_b, ABUT_DESCENT_LARGER, NULL, ws, &other);
            compare(&other, &brute, abut_volume_name(volume), seed);
            ask(tree_a, &pose_a, tree_b, &pose_b, ABUT_DESCENT_BOTH, NULL, ws, &other);
            compare(&other, &brute, "both at once", seed);
            ask(tree_a, &pose_a, tree_b, &pose_b, ABUT_DESCENT_LARGER, front, ws, &other);
            compare(&other, &brute, "front", seed);
            ask(tree_a, &pose_a, wide_b, &pose_b, ABUT_DESCENT_LARGER, NULL, ws, &other);
            compare(&other, &brute, "mixed", seed);

            abut_overlap_result any, any_tree;
            assert_int_equal(abut_overlap(wide_a, &pose_a, wide_b, &pose_b, NULL, ws, &any), ABUT_OK);
            assert_int_equal(abut_overlap(tree_a, &pose_a, tree_b, &pose_b, NULL, ws, &any_tree), ABUT_OK);
            TEST_CHECK((any.verdict == ABUT_TOUCHING) == (brute.count > 0) && any_tree.verdict == any.verdict,
                       "verdicts %d and %d, %zu pairs; seed %" PRIu64, (int)any.verdict,
                       (int)any_tree.verdict, brute.count, seed);
            abut_distance_result d, d_tree;
            assert_int_equal(abut_distance(wide_a, &pose_a, wide_b, &pose_b, NULL, ws, &d), ABUT_OK);
            assert_int_equal(abut_distance(tree_a, &pose_a, tree_b, &pose_b, NULL, ws, &d_tree), ABUT_OK);
            TEST_CHECK((d.distance.hi == 0) == (brute.count > 0), "distance %a, %zu pairs; seed %" PRIu64,
                       d.distance.hi, brute.count, seed);
            TEST_CHECK(d.distance.lo <= d_tree.distance.hi && d_tree.distance.lo <= d.distance.hi,
                       "distances [%a, %a] and [%a, %a]; seed %" PRIu64, d.distance.lo, d.distance.hi,
                       d_tree.distance.lo, d_tree.distance.hi, seed);
            /* the next frame */
            pose_b.position.x += kind == 4 ? .01 : .015625;
            pose_b.position.z += kind == 4 ? -.005 : .0625;
        }
        abut_shape_release(wide_a);
        abut_shape_release(wide_b);
        abut_shape_release(tree_a);
        abut_shape_release(tree_b);
    }
    assert_true(meeting > n); /* of 4 n */
    abut_front_destroy(front);
    abut_workspace_destroy(ws);
}

static void self_contacts_do_not_depend_on_the_tree(void **state)
{
    (void)state;
    static mesh_case m;
    static answer first, other;
    const size_t n = test_count(100);
    size_t meeting = 0;
    for (uint64_t seed = 1; seed <= n; ++seed) {
        test_random r = test_seed(1000000 + seed);
        make_mesh(&m, &r);
        const abut_volume volume = (abut_volume)(1 + test_below(&r, ABUT_VOLUME_COUNT - 1));
        abut_shape *wide = case_shape(&m, false, ABUT_VOLUME_AUTO, ABUT_BUILDER_AUTO);
        abut_shape *tree = case_shape(&m, false, volume, (abut_builder)test_below(&r, ABUT_BUILDER_COUNT));
        assert_non_null(wide);
        assert_non_null(tree);
        for (int frame = 0; frame < 2; ++frame) {
            abut_contacts_result result;
            abut_wide_force_plain = frame;
            assert_int_equal(abut_self_contacts(wide, NULL, NULL, first.list, MOST, &result), ABUT_OK);
            first.count = result.count;
            meeting += result.count > 0;
            assert_int_equal(abut_self_contacts(tree, NULL, NULL, other.list, MOST, &result), ABUT_OK);
            other.count = result.count;
            compare(&other, &first, abut_volume_name(volume), seed);
            for (size_t i = 0; i < m.vertex_count;
                 ++i) /* the mesh deforms: its corners are drawn to one side */
                m.vertices[i].z = .25 * m.vertices[i].z + .125 * round(4 * m.vertices[i].x);
            assert_int_equal(abut_shape_update_mesh(wide, m.vertices, m.vertex_count, NULL), ABUT_OK);
            assert_int_equal(abut_shape_update_mesh(tree, m.vertices, m.vertex_count, NULL), ABUT_OK);
        }
        abut_wide_force_plain = 0;
        abut_shape_release(wide);
        abut_shape_release(tree);
    }
    assert_true(meeting > n / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pair_lists_are_brute_force),
        cmocka_unit_test(self_contacts_do_not_depend_on_the_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
