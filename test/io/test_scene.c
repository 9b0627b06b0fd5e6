/* SPDX-License-Identifier: MIT */
/* Good scenes, value by value: what the file says must be what the shapes and motions hold. Then
 * failing allocations and random damage to the same files. Values are written by hand from
 * scenes/good/. */
#include "abut/mesh.h"
#include "abut/query.h"
#include "abut/scene.h"
#include "expr/expr.h"
#include "shape/shape.h"
#include "support/evaluate_graph.h"
#include "support/failing_allocator.h"

#include <fenv.h>

#define FOLDER ABUT_TEST_DATA "/io/scenes/good/"

static abut_scene *load(const char *file)
{
    abut_scene *scene;
    abut_error error;
    const abut_status status = abut_scene_load(file, NULL, &scene, &error);
    TEST_CHECK(status == ABUT_OK, "%s:%d: %s: %s", error.file, error.line, error.path, error.text);
    assert_int_equal(error.status, ABUT_OK);
    return scene;
}

static const abut_shape *shape_of(const abut_scene *scene, const char *name, abut_shape_type type)
{
    const int64_t index = abut_scene_find(scene, name);
    TEST_CHECK(index >= 0, "no object %s", name);
    const abut_scene_object object = abut_scene_get_object(scene, (size_t)index);
    assert_string_equal(object.name, name);
    TEST_CHECK(abut_shape_get_type(object.shape) == type, "%s is a %s", name,
               abut_shape_type_name(abut_shape_get_type(object.shape)));
    assert_int_equal(abut_motion_get_type(object.motion), ABUT_MOTION_STATIC);
    return object.shape;
}

static bool is_vec3(abut_vec3 v, double x, double y, double z)
{
    return v.x == x && v.y == y && v.z == z;
}

static void simple_shapes_hold_what_the_file_says(void **state)
{
    (void)state;
    abut_scene *scene = load(FOLDER "shapes.json");
    assert_int_equal(abut_scene_object_count(scene), 28);
    assert_true(abut_scene_time(scene).lo == -1.5 && abut_scene_time(scene).hi == 2.25);

    assert_true(shape_of(scene, "sphere", ABUT_SHAPE_SPHERE)->u.sphere.radius == 0.1);
    assert_true(is_vec3(shape_of(scene, "box", ABUT_SHAPE_BOX)->u.box.half, 1, 2.5, 0.3));
    const abut_shape *shape = shape_of(scene, "capsule", ABUT_SHAPE_CAPSULE);
    assert_true(shape->u.round.radius == 0.5 && shape->u.round.height == 0);
    shape = shape_of(scene, "cylinder", ABUT_SHAPE_CYLINDER);
    assert_true(shape->u.round.radius == 1.5 && shape->u.round.height == 2);
    shape = shape_of(scene, "cone", ABUT_SHAPE_CONE);
    assert_true(shape->u.round.radius == 3 && shape->u.round.height == 4);
    assert_true(is_vec3(shape_of(scene, "ellipsoid", ABUT_SHAPE_ELLIPSOID)->u.ellipsoid.radii, 1, 2, 3));
    shape = shape_of(scene, "torus", ABUT_SHAPE_TORUS);
    assert_true(shape->u.torus.major == 2 && shape->u.torus.minor == 0.5);
    shape = shape_of(scene, "halfspace", ABUT_SHAPE_HALFSPACE);
    assert_true(is_vec3(shape->u.halfspace.normal, 0, 3, -4) && shape->u.halfspace.offset == -2.5);
    shape = shape_of(scene, "swept", ABUT_SHAPE_SWEPT);
    assert_true(shape->u.swept.margin == 0.25 && is_vec3(shape->u.swept.of->u.box.half, 1, 2, 3));
    shape = shape_of(scene, "swept again", ABUT_SHAPE_SWEPT);
    assert_true(shape->u.swept.margin == 0.5 && shape->u.swept.of->type == ABUT_SHAPE_CONE);
    abut_scene_destroy(scene);
}

static void faceted_shapes_hold_what_the_file_says(void **state)
{
    (void)state;
    abut_scene *scene = load(FOLDER "shapes.json");
    const abut_shape *shape = shape_of(scene, "convex", ABUT_SHAPE_CONVEX);
    assert_int_equal(shape->u.convex.point_count, 4);
    assert_true(is_vec3(shape->u.convex.points[2], 0, 2, 0) && is_vec3(shape->u.convex.points[3], 0, 0, 3));
    assert_true(shape->u.convex.margin == 0.25);
    shape = shape_of(scene, "convex file", ABUT_SHAPE_CONVEX);
    assert_int_equal(shape->u.convex.point_count, 4);
    assert_true(is_vec3(shape->u.convex.points[1], 1.25, 0, 0) &&
                is_vec3(shape->u.convex.points[3], 0, 0, 0.1));
    assert_true(shape->u.convex.margin == 0);
    shape = shape_of(scene, "convex scaled", ABUT_SHAPE_CONVEX);
    assert_true(is_vec3(shape->u.convex.points[1], 2.5, 0, 0) &&
                is_vec3(shape->u.convex.points[3], 0, 0, 0.2));

    shape = shape_of(scene, "mesh", ABUT_SHAPE_MESH);
    static const uint32_t two[] = { 0, 1, 2, 2, 1, 3 };
    assert_false(shape->u.faceted.solid);
    assert_int_equal(shape->u.faceted.vertex_count, 4);
    assert_int_equal(shape->u.faceted.corner_count, 6);
    assert_memory_equal(shape->u.faceted.corners, two, sizeof two);
    assert_true(is_vec3(shape->u.faceted.vertices[3], 1, 1, 0.5));
    shape = shape_of(scene, "solid mesh", ABUT_SHAPE_MESH);
    assert_true(shape->u.faceted.solid);
    assert_int_equal(shape->u.faceted.face_count, 4);
    shape = shape_of(scene, "mesh file", ABUT_SHAPE_MESH);
    assert_true(shape->u.faceted.solid);
    abut_hierarchy_info hierarchy;
    assert_int_equal(abut_shape_get_hierarchy(shape, &hierarchy), ABUT_OK);
    assert_int_equal(hierarchy.volume, ABUT_VOLUME_KDOP18);
    assert_int_equal(hierarchy.builder, ABUT_BUILDER_BOTTOM_UP);
    assert_int_equal(shape->u.faceted.vertex_count, 8);
    assert_int_equal(shape->u.faceted.face_count, 12); /* each square split from its first corner */
    static const uint32_t split[] = { 3, 2, 1, 3, 1, 0, 4, 5, 6, 4, 6, 7 };
    assert_memory_equal(shape->u.faceted.corners, split, sizeof split);

    shape = shape_of(scene, "mesh scaled", ABUT_SHAPE_MESH);
    assert_true(is_vec3(shape->u.faceted.vertices[0], -0.5, -0.5, -0.5) &&
                is_vec3(shape->u.faceted.vertices[6], 0.5, 0.5, 0.5));

    shape = shape_of(scene, "polyhedron", ABUT_SHAPE_POLYHEDRON);
    assert_int_equal(shape->u.faceted.vertex_count, 5);
    assert_int_equal(abut_shape_get_counts(shape).faces, 5);
    assert_int_equal(abut_shape_get_counts(shape).edges, 8);
    assert_int_equal(shape->u.faceted.face_count, 6); /* the base is two triangles */
    static const uint32_t sides[] = { 0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4 };
    assert_memory_equal(shape->u.faceted.corners + 6, sides, sizeof sides);
    shape = shape_of(scene, "polyhedron file", ABUT_SHAPE_POLYHEDRON);
    assert_int_equal(abut_shape_get_counts(shape).faces, 6);
    assert_int_equal(abut_shape_get_counts(shape).edges, 12);

    shape = shape_of(scene, "polyhedron scaled", ABUT_SHAPE_POLYHEDRON);
    assert_true(is_vec3(shape->u.faceted.vertices[1], 4, -4, -4));

    shape = shape_of(scene, "heightfield", ABUT_SHAPE_HEIGHTFIELD);
    static const double heights[] = { 0, 1, 2, 3, 4, -5.5 };
    assert_int_equal(shape->u.heightfield.columns, 3);
    assert_int_equal(shape->u.heightfield.rows, 2);
    assert_true(shape->u.heightfield.dx == 0.5 && shape->u.heightfield.dy == 2);
    assert_memory_equal(shape->u.heightfield.heights, heights, sizeof heights);
    abut_scene_destroy(scene);
}

static void surfaces_hold_what_the_file_says(void **state)
{
    (void)state;
    abut_scene *scene = load(FOLDER "shapes.json");
    const abut_shape *shape = shape_of(scene, "parametric", ABUT_SHAPE_PARAMETRIC);
    assert_true(shape->u.parametric.u[0] == 0 && shape->u.parametric.u[1] == 6.283185307179586);
    assert_true(shape->u.parametric.v[0] == -1 && shape->u.parametric.v[1] == 1);
    assert_true(shape->u.parametric.wrap_u && !shape->u.parametric.wrap_v && shape->u.parametric.normal_in);
    double p[3];
    evaluate_graph(shape->u.parametric.position, (const double[3]){ 0.5, 0.25, 7 }, p);
    assert_true(p[0] == (1 + 0.25 / 4) * cos(0.5) && p[1] == (1 + 0.25 / 4) * sin(0.5) && p[2] == 7.25);

    shape = shape_of(scene, "bezier", ABUT_SHAPE_BEZIER);
    assert_int_equal(shape->u.bezier.patch_count, 1);
    const abut_patch_data *patch = &shape->u.bezier.patches[0];
    assert_true(patch->degree_u == 2 && patch->degree_v == 1);
    assert_true(is_vec3(patch->points[1], 1, 0, 1) && is_vec3(patch->points[5], 2, 1, 0));
    assert_true(patch->weights[1] == 0.5 && patch->weights[5] == 1);
    shape = shape_of(scene, "bezier knots", ABUT_SHAPE_BEZIER);
    assert_int_equal(shape->u.bezier.patch_count, 3);
    patch = shape->u.bezier.patches;
    /* The knot halves the middle span: the pieces share (2, y, 0). */
    assert_true(patch[0].degree_u == 2 && patch[0].degree_v == 1 && !patch[0].weights &&
                patch[2].weights[3] == 2);
    assert_true(is_vec3(patch[0].points[1], 1, 0, 1) && is_vec3(patch[0].points[2], 2, 0, 0));
    assert_true(is_vec3(patch[1].points[3], 2, 1, 0) && is_vec3(patch[1].points[1], 3, 0, -1));
    shape = shape_of(scene, "bezier patches", ABUT_SHAPE_BEZIER);
    assert_int_equal(shape->u.bezier.patch_count, 2);
    patch = shape->u.bezier.patches;
    assert_null(patch[0].weights);
    assert_true(patch[1].weights[3] == 2 && is_vec3(patch[1].points[3], 2, 1, 0));

    const abut_shape *ball = shape_of(scene, "implicit", ABUT_SHAPE_IMPLICIT);
    assert_true(is_vec3(ball->bounds.lo, -1.5, -1.25, -1) && is_vec3(ball->bounds.hi, 1, 1.25, 1.5));
    evaluate_graph(ball->u.implicit.f, (const double[4]){ 1, 2, 3, 99 }, p);
    assert_true(p[0] == 13);
    shape = shape_of(scene, "csg", ABUT_SHAPE_CSG);
    assert_int_equal(shape->u.csg.op, ABUT_CSG_DIFFERENCE);
    assert_int_equal(shape->u.csg.count, 2);
    assert_ptr_equal(shape->u.csg.of[1], ball); /* named shapes are shared, not copied */
    assert_int_equal(shape->u.csg.of[0]->u.csg.op, ABUT_CSG_INTERSECTION);
    assert_ptr_equal(shape->u.csg.of[0]->u.csg.of[0], ball);
    abut_scene_destroy(scene);
}

typedef struct expected_motion {
    const char *name;
    abut_motion_type type;
    double t;
    double m[3][4];
} expected_motion;

static void motions_are_where_the_file_says(void **state)
{
    (void)state;
    const double h = sqrt(0.5);
    const expected_motion expected[] = {
        { "nothing", ABUT_MOTION_STATIC, 7, { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } },
        { "pose", ABUT_MOTION_STATIC, -3, { { 1, 0, 0, 1 }, { 0, 1, 0, 2 }, { 0, 0, 1, 3 } } },
        { "quaternion", ABUT_MOTION_STATIC, 1, { { 1, 0, 0, 0 }, { 0, 0, -1, 0 }, { 0, 1, 0, 0 } } },
        { "rough quaternion", ABUT_MOTION_STATIC, 1, { { -1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, -1, 1 } } },
        { "degrees", ABUT_MOTION_STATIC, 1, { { 0, -1, 0, 0 }, { 1, 0, 0, 0 }, { 0, 0, 1, 0 } } },
        { "radians", ABUT_MOTION_STATIC, 1, { { -1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, -1, 0 } } },
        { "matrix", ABUT_MOTION_STATIC, 1, { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } } },
        { "linear", ABUT_MOTION_LINEAR, 1, { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 4 } } },
        { "linear", ABUT_MOTION_LINEAR, 2, { { h, -h, 0, 1 }, { h, h, 0, 0 }, { 0, 0, 1, 2 } } },
        { "linear", ABUT_MOTION_LINEAR, 3, { { 0, -1, 0, 2 }, { 1, 0, 0, 0 }, { 0, 0, 1, 0 } } },
        { "velocity", ABUT_MOTION_VELOCITY, 2, { { h, -h, 0, 6 }, { h, h, 0, -1 }, { 0, 0, 1, 0.5 } } },
        { "linear velocity", ABUT_MOTION_VELOCITY, 3, { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 6 } } },
        { "angular velocity", ABUT_MOTION_VELOCITY, 2, { { 1, 0, 0, 0 }, { 0, 0, -1, 0 }, { 0, 1, 0, 0 } } },
        { "screw", ABUT_MOTION_SCREW, 2, { { h, -h, 0, h }, { h, h, 0, h }, { 0, 0, 1, 1 } } },
        { "nlerp", ABUT_MOTION_NLERP, 2, { { 1, 0, 0, 0 }, { 0, 0, -1, 3 }, { 0, 1, 0, 0 } } },
        /* at the end s = 1: x = 2/2 + 1, z = 3 T2(1); q = (1, 1, 0, 0) */
        { "chebyshev", ABUT_MOTION_CHEBYSHEV, 3, { { 1, 0, 0, 2 }, { 0, 0, -1, 0 }, { 0, 1, 0, 3 } } },
        { "chebyshev", ABUT_MOTION_CHEBYSHEV, 2, { { 1, 0, 0, 1 }, { 0, 1, 0, 0 }, { 0, 0, 1, -3 } } },
        { "chebyshev position",
          ABUT_MOTION_CHEBYSHEV,
          1,
          { { 1, 0, 0, 0.5 }, { 0, 1, 0, 1 }, { 0, 0, 1, 1.5 } } },
        /* Bernstein of degree 2 in the middle: a quarter, a half, a quarter */
        { "affine", ABUT_MOTION_AFFINE, 2, { { 1.5, 0, 1, 0.5 }, { 0, 1, 0, 0 }, { 0, 0, 1, 2 } } },
        { "expression", ABUT_MOTION_EXPRESSION, 2, { { 0, -1, 0, 4 }, { 1, 0, 0, 3 }, { 0, 0, 1, 0 } } },
        { "expression position",
          ABUT_MOTION_EXPRESSION,
          3,
          { { 1, 0, 0, 3 }, { 0, 1, 0, -3 }, { 0, 0, 1, 3.141592653589793 } } },
        { "keyframes", ABUT_MOTION_KEYFRAMES, 1, { { 1, 0, 0, 2 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } },
        { "keyframes", ABUT_MOTION_KEYFRAMES, 2.25, { { 1, 0, 0, 4 }, { 0, 1, 0, 0.5 }, { 0, 0, 1, 0 } } },
    };
    abut_scene *scene = load(FOLDER "motions.json");
    bool seen[ABUT_MOTION_TYPE_COUNT] = { false };
    for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k) {
        const expected_motion *e = &expected[k];
        const int64_t index = abut_scene_find(scene, e->name);
        TEST_CHECK(index >= 0, "no object %s", e->name);
        const abut_motion *motion = abut_scene_get_object(scene, (size_t)index).motion;
        TEST_CHECK(abut_motion_get_type(motion) == e->type, "%s", e->name);
        seen[e->type] = true;
        abut_affine at;
        assert_int_equal(abut_motion_at(motion, e->t, &at), ABUT_OK);
        const double place[3] = { at.translation.x, at.translation.y, at.translation.z };
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j)
                TEST_NEAR(at.linear.m[i][j], e->m[i][j], 1e-14, "%s at %g, row %d column %d", e->name, e->t,
                          i, j);
            TEST_NEAR(place[i], e->m[i][3], 1e-14, "%s at %g, position %d", e->name, e->t, i);
        }
        const abut_interval range = abut_motion_get_range(motion);
        if (e->type == ABUT_MOTION_STATIC)
            assert_true(range.lo == -INFINITY && range.hi == INFINITY);
        else
            assert_true(range.lo == (e->type == ABUT_MOTION_KEYFRAMES ? 0 : 1) && range.hi == 3);
    }
    for (int type = ABUT_MOTION_STATIC; type < ABUT_MOTION_CHAIN; ++type)
        TEST_CHECK(seen[type], "motion type %d", type);
    abut_scene_destroy(scene);
}

static void pairs_and_query_are_read(void **state)
{
    (void)state;
    abut_scene *scene = load(FOLDER "motions.json");
    static const char *const names[3][2] = { { "linear", "pose" },
                                             { "pose", "nothing" },
                                             { "keyframes", "screw" } };
    assert_int_equal(abut_scene_pair_count(scene), 3);
    for (size_t i = 0; i < 3; ++i) {
        size_t a, b;
        abut_scene_get_pair(scene, i, &a, &b);
        assert_string_equal(abut_scene_get_object(scene, a).name, names[i][0]);
        assert_string_equal(abut_scene_get_object(scene, b).name, names[i][1]);
    }
    const abut_scene_query query = abut_scene_get_query(scene);
    assert_true(query.simultaneity == 1e-3 && query.separation == 0.1 && query.accuracy == 0);
    assert_true(query.max_iterations == (uint64_t)1 << 53);
    assert_string_equal(query.method, "auto");
    assert_int_equal(abut_scene_find(scene, "no such object"), -1);
    assert_int_equal(abut_scene_find(scene, ""), -1);
    assert_int_equal(abut_scene_find(scene, NULL), -1);
    assert_null(abut_scene_get_object(scene, 1000).name);
    abut_scene_destroy(scene);
}

static void defaults_are_those_of_the_format(void **state)
{
    (void)state;
    abut_scene *scene = load(FOLDER "minimal.json");
    assert_true(abut_scene_time(scene).lo == 0 && abut_scene_time(scene).hi == 1);
    assert_int_equal(abut_scene_object_count(scene), 1);
    assert_int_equal(abut_scene_pair_count(scene), 0);
    const abut_scene_query query = abut_scene_get_query(scene);
    assert_true(isnan(query.simultaneity) && isnan(query.separation) && isnan(query.accuracy));
    assert_int_equal(query.max_iterations, 0);
    assert_null(query.method);
    assert_true(shape_of(scene, "\xc3\xa9 \"q\"", ABUT_SHAPE_SPHERE)->u.sphere.radius == 0x1p-1074);
    abut_scene_destroy(scene);
}

/* Parents, groups and pairs at random, against a nested loop. */
static void parents_and_groups_are_no_pairs(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(300); ++seed) {
        static char text[16384];
        enum { MOST = 24 };
        int parent[MOST], group[MOST];
        test_random r = test_seed(seed);
        const int n = 1 + (int)test_below(&r, MOST), groups = 1 + (int)test_below(&r, 5);
        char *end = text + sprintf(text, "{\"abut\": 1, \"objects\": [");
        for (int i = 0; i < n; ++i) {
            /* towards higher numbers in odd cases: parents may come later in the file */
            const int low = seed % 2 ? i + 1 : 0, count = seed % 2 ? n - 1 - i : i;
            parent[i] = count > 0 && test_below(&r, 2) ? low + (int)test_below(&r, (unsigned)count) : -1;
            group[i] = test_below(&r, 2) ? (int)test_below(&r, (unsigned)groups) : -1;
            end += sprintf(end, "%s{\"name\": \"o%d\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}",
                           i ? "," : "", i);
            if (parent[i] >= 0)
                end += sprintf(end, ", \"parent\": \"o%d\"", parent[i]);
            if (group[i] >= 0)
                end += sprintf(end, ", \"group\": \"g%d\"", group[i]);
            end += sprintf(end, "}");
        }
        end += sprintf(end, "]}");
        abut_scene *scene;
        assert_int_equal(abut_scene_parse(text, (size_t)(end - text), NULL, NULL, &scene, NULL), ABUT_OK);
        size_t index = 0, a, b;
        for (int i = 0; i < n; ++i) {
            const abut_scene_object object = abut_scene_get_object(scene, (size_t)i);
            TEST_CHECK(object.parent == parent[i] && !object.group == (group[i] < 0), "seed %" PRIu64, seed);
            for (int j = i + 1; j < n; ++j) {
                if (parent[i] == j || parent[j] == i || (group[i] >= 0 && group[i] == group[j]))
                    continue;
                abut_scene_get_pair(scene, index++, &a, &b);
                TEST_CHECK(a == (size_t)i && b == (size_t)j, "seed %" PRIu64 ": pair %zu is %zu, %zu", seed,
                           index - 1, a, b);
            }
        }
        assert_int_equal(abut_scene_pair_count(scene), index);
        abut_scene_destroy(scene);
    }
}

/* A child's place is its parent's times its own; velocities are in the parent's axes. */
static void children_move_with_their_parents(void **state)
{
    (void)state;
    static const char text[] =
        "{\"abut\": 1, \"objects\": ["
        "{\"name\": \"hand\", \"parent\": \"arm\", \"shape\": {\"type\": \"sphere\", \"radius\": 1},"
        " \"motion\": {\"type\": \"velocity\", \"pose\": {\"position\": [0, 0, 2]}, \"linear\": [1, 0, 0]}},"
        "{\"name\": \"base\", \"shape\": {\"type\": \"sphere\", \"radius\": 1},"
        " \"pose\": {\"position\": [10, 0, 0], \"rotation\": {\"axis\": [0, 0, 1], \"degrees\": 90}}},"
        "{\"name\": \"arm\", \"parent\": \"base\", \"shape\": {\"type\": \"sphere\", \"radius\": 1},"
        " \"pose\": {\"position\": [3, 0, 0], \"rotation\": {\"axis\": [0, 1, 0], \"degrees\": 90}}}],"
        "\"pairs\": [[\"hand\", \"arm\"]]}";
    abut_scene *scene;
    abut_affine at;
    assert_int_equal(abut_scene_parse(text, sizeof text - 1, NULL, NULL, &scene, NULL), ABUT_OK);
    assert_int_equal(abut_scene_pair_count(scene), 1); /* asked for */
    assert_int_equal(abut_motion_at(abut_scene_get_object(scene, 0).motion, 0.5, &at), ABUT_OK);
    /* In the frame of the arm (0.5, 0, 2); the arm's x axis is the base's -z, its z the base's x; so
     * (3 + 2, 0, -0.5) in that of the base, whose x axis is the world's y. */
    TEST_NEAR(at.translation.x, 10, 1e-14, "x");
    TEST_NEAR(at.translation.y, 5, 1e-14, "y");
    TEST_NEAR(at.translation.z, -0.5, 1e-14, "z");
    assert_int_equal(abut_scene_get_object(scene, 0).parent, 2);
    assert_int_equal(abut_scene_get_object(scene, 1).parent, -1);
    abut_scene_destroy(scene);
}

/* All pairs, in the order a nested loop gives them; the names are in no order. */
static void all_pairs_come_in_order(void **state)
{
    (void)state;
    for (unsigned n = 1; n < 60; n += n < 8 ? 1 : 17) {
        static char text[8192];
        char *end = text;
        end += sprintf(end, "{\"abut\": 1, \"objects\": [");
        for (unsigned i = 0; i < n; ++i)
            end += sprintf(end, "%s{\"name\": \"%x\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}}",
                           i ? "," : "", i * 0x9e3779b9u);
        end += sprintf(end, "]}");
        abut_scene *scene;
        assert_int_equal(abut_scene_parse(text, (size_t)(end - text), NULL, NULL, &scene, NULL), ABUT_OK);
        assert_int_equal(abut_scene_pair_count(scene), n * (n - 1) / 2);
        size_t index = 0, a, b;
        for (unsigned i = 0; i < n; ++i)
            for (unsigned j = i + 1; j < n; ++j) {
                abut_scene_get_pair(scene, index++, &a, &b);
                TEST_CHECK(a == i && b == j, "pair %zu of %u objects is %zu, %zu", index - 1, n, a, b);
            }
        for (unsigned i = 0; i < n; ++i) {
            char name[16];
            sprintf(name, "%x", i * 0x9e3779b9u);
            assert_int_equal(abut_scene_find(scene, name), i);
        }
        abut_scene_destroy(scene);
    }
}

/* Numbers must be the nearest doubles, however they are written. */
static void numbers_are_the_nearest_doubles(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(20000); ++seed) {
        test_random r = test_seed(seed);
        const double radius = fabs(test_log_uniform(&r, -1070, 1023));
        char text[300];
        const int length =
            snprintf(text, sizeof text,
                     "{\"abut\": 1.0, \"objects\": [{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", "
                     "\"radius\": %.17g}}]}",
                     radius);
        abut_scene *scene;
        assert_int_equal(abut_scene_parse(text, (size_t)length, "a", NULL, &scene, NULL), ABUT_OK);
        const double found = shape_of(scene, "a", ABUT_SHAPE_SPHERE)->u.sphere.radius;
        TEST_CHECK(found == radius, "seed %" PRIu64 ": %a read as %a", seed, radius, found);
        abut_scene_destroy(scene);
    }
}

/* Whatever the caller rounds to, and it finds that mode again. The decimals lie just above and
 * below what is nearest to them. */
static void the_rounding_mode_does_not_matter(void **state)
{
    (void)state;
    static const char text[] =
        "{\"abut\":1,\"time\":[0,0.3],\"objects\":[{\"name\":\"a\",\"shape\":{\"type\":\"sphere\","
        "\"radius\":0.1},\"pose\":{\"position\":[0.1,0.3,0.7]}},"
        "{\"name\":\"f\",\"shape\":{\"type\":\"implicit\",\"f\":\"x+0.1*y+0.3\",\"bounds\":"
        "[[-1,-1,-1],[1,1,0.7]]}}]}";
    static const char mesh_text[] = "v 0.1 0.3 0.7\n";
    static const int modes[4] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    for (int k = 0; k < 4; ++k) {
        abut_scene *scene, *loaded;
        abut_mesh_data mesh;
        fesetround(modes[k]);
        const abut_status parsed = abut_scene_parse(text, strlen(text), "a", NULL, &scene, NULL);
        const abut_status read = abut_scene_load(FOLDER "motions.json", NULL, &loaded, NULL);
        const abut_status other =
            abut_mesh_parse(mesh_text, strlen(mesh_text), "obj", "m", NULL, &mesh, NULL);
        abut_shape *own = NULL;
        const abut_status made =
            abut_shape_create_implicit("x-0.1", (abut_aabb){ { -1, -1, -1 }, { 1, 1, 1 } }, NULL, &own, NULL);
        const int found = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(found, modes[k]);
        assert_true(parsed == ABUT_OK && read == ABUT_OK && other == ABUT_OK && made == ABUT_OK);
        assert_true(shape_of(scene, "a", ABUT_SHAPE_SPHERE)->u.sphere.radius == 0.1);
        assert_true(abut_scene_time(scene).hi == 0.3);
        abut_affine at;
        assert_int_equal(abut_motion_at(abut_scene_get_object(scene, 0).motion, 0, &at), ABUT_OK);
        assert_true(at.translation.x == 0.1 && at.translation.y == 0.3 && at.translation.z == 0.7);
        assert_true(mesh.vertices[0].x == 0.1 && mesh.vertices[0].y == 0.3 && mesh.vertices[0].z == 0.7);
        const abut_vec3 on[2] = { { 0.1, 0, 0 }, { nextafter(0.1, 0), 0, 0 } };
        abut_piece piece[2];
        for (int i = 0; i < 2; ++i)
            assert_int_equal(abut_classify_point(own, NULL, on[i], &piece[i]), ABUT_OK);
        TEST_CHECK(piece[0].where != ABUT_WHERE_IN && piece[0].where != ABUT_WHERE_OUT &&
                       piece[1].where == ABUT_WHERE_IN,
                   "mode %d: %d %d", k, (int)piece[0].where, (int)piece[1].where);
        abut_scene_destroy(scene);
        abut_scene_destroy(loaded);
        abut_mesh_data_clear(&mesh);
        abut_shape_release(own);
    }
}

/* ---- failures ---- */

static char *read_file(const char *file, size_t *length)
{
    FILE *stream = fopen(file, "rb");
    assert_non_null(stream);
    char *text = malloc(1 << 16);
    *length = fread(text, 1, 1 << 16, stream);
    assert_true(*length > 0 && *length < 1 << 16);
    fclose(stream);
    return text;
}

static void every_failing_allocation_is_survived(void **state)
{
    (void)state;
    static const char *const files[] = { FOLDER "shapes.json", FOLDER "motions.json" };
    for (size_t i = 0; i < 2; ++i) {
        abut_status status = ABUT_OK;
        TEST_EVERY_ALLOCATION_FAILS(
            alloc,
            {
                abut_scene *scene = (abut_scene *)&scene;
                abut_error error;
                status = abut_scene_load(files[i], &alloc, &scene, &error);
                TEST_CHECK(status == error.status && (scene != NULL) == (status == ABUT_OK), "%s",
                           error.text);
                abut_scene_destroy(scene);
            },
            status)
        assert_int_equal(status, ABUT_OK);
    }
}

/* A scene of one object in which one list is long, so that the memory for it fails where nothing
 * larger was asked before. */
static char *scene_with_list(const char *before, const char *item, int count, const char *after)
{
    char *text = malloc(200 + strlen(before) + strlen(after) + (size_t)count * (strlen(item) + 20)),
         *end = text;
    end += sprintf(end, "{\"abut\": 1, \"time\": [0, 1], \"objects\": [{\"name\": \"a\", %s", before);
    for (int i = 0; i < count; ++i) {
        end += sprintf(end, "%s", i ? "," : "");
        end += sprintf(end, item, i);
    }
    sprintf(end, "%s}]}", after);
    return text;
}

static void failing_allocations_of_long_lists_are_survived(void **state)
{
    (void)state;
#define SPHERE   "\"shape\": {\"type\": \"sphere\", \"radius\": 1}, "
#define VERTICES "\"vertices\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], "
#define PATCH    "{\"degree\": [1, 1], \"points\": [[0,0,0],[1,0,0],[0,1,0],[%d,1,0]]}"
#define IMPLICIT "{\"type\": \"implicit\", \"f\": \"x\", \"bounds\": [[0,0,0],[1,1,%d.5]]}"
    const struct {
        const char *before, *item;
        int count;
        const char *after;
        abut_status status;
    } lists[] = {
        { "\"shape\": {\"type\": \"convex\", \"points\": [", "[%d,0,0]", 3000, "]}", ABUT_OK },
        { "\"shape\": {\"type\": \"mesh\", " VERTICES "\"triangles\": [", "[0,1,2]", 3000, "]}", ABUT_OK },
        { "\"shape\": {\"type\": \"polyhedron\", " VERTICES "\"faces\": [", "[0,1,2]", 6000, "]}",
          ABUT_ERR_VALUE },
        { "\"shape\": {\"type\": \"heightfield\", \"columns\": 2, \"rows\": 3000, \"spacing\": [1,1], "
          "\"heights\": [",
          "%d", 6000, "]}", ABUT_OK },
        { "\"shape\": {\"type\": \"parametric\", \"x\": \"u\", \"y\": \"v\", \"z\": \"0\", \"u\": [0,1], "
          "\"v\": [0,1], \"let\": {",
          "\"l%d\": \"1\"", 1100, "}}", ABUT_ERR_LIMIT },
        { "\"shape\": {\"type\": \"bezier\", \"patches\": [", PATCH, 600, "]}", ABUT_OK },
        { "\"shape\": {\"type\": \"csg\", \"op\": \"union\", \"of\": [", IMPLICIT, 2100, "]}", ABUT_OK },
        { SPHERE "\"motion\": {\"type\": \"chebyshev\", \"position\": [[], [], [", "%d", 4000, "]]}",
          ABUT_ERR_LIMIT },
        { SPHERE "\"motion\": {\"type\": \"affine\", \"matrices\": [", "[[1,0,0,%d],[0,1,0,0],[0,0,1,0]]",
          300, "]}", ABUT_ERR_LIMIT },
        { SPHERE "\"motion\": {\"type\": \"keyframes\", \"keys\": [", "{\"t\": %d, \"pose\": {}}", 300, "]}",
          ABUT_OK },
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        char *text = scene_with_list(lists[i].before, lists[i].item, lists[i].count, lists[i].after);
        abut_status status = ABUT_OK;
        abut_error error;
        /* later ones are those of the items, and all alike */
        const uint64_t step = test_is_sanitized() ? 4999 : 997;
        for (uint64_t n = 0;; n += n < 30 ? 1 : step) {
            test_failing f = { .fail_at = n };
            const abut_allocator alloc = { test_failing_reallocate, test_failing_release, &f };
            abut_scene *scene;
            status = abut_scene_parse(text, strlen(text), "a", &alloc, &scene, &error);
            abut_scene_destroy(scene);
            TEST_CHECK(f.outstanding_bytes == 0,
                       "list %zu: %zu bytes leaked when allocation %" PRIu64 " fails", i, f.outstanding_bytes,
                       n);
            if (f.requests <= n)
                break;
            TEST_CHECK(status == ABUT_ERR_MEMORY || status == ABUT_OK,
                       "list %zu: allocation %" PRIu64 " fails: %d", i, n, status);
        }
        TEST_CHECK(status == lists[i].status, "list %zu: %d, %s: %s", i, status, error.path, error.text);
        free(text);
    }
}

/* Random damage: bytes changed, pieces cut out, doubled, or taken from the other file. Whatever
 * comes out, the reader says yes or no, and when it says no, it names the file, a line that
 * exists and a reason. */
static void damaged_scenes_never_crash(void **state)
{
    (void)state;
    size_t lengths[2];
    char *const sources[2] = { read_file(FOLDER "shapes.json", &lengths[0]),
                               read_file(FOLDER "motions.json", &lengths[1]) };
    static const char *const spices[] = { "{",    "}",     "[",       "]",     ",",        "\"",   ":",
                                          "-1",   "1e999", "0",       "1e308", "\"\"",     "null", "true",
                                          "[[]]", "{}",    "\\u0000", "\xff",  "\"type\"", "1.5" };
    uint64_t accepted = 0;
    for (uint64_t seed = 0; seed < test_count(40000); ++seed) {
        test_random r = test_seed(seed);
        const unsigned which = test_below(&r, 2);
        size_t length = lengths[which];
        char *text = malloc((1 << 17) + 1);
        memcpy(text, sources[which], length);
        for (unsigned k = 1 + test_below(&r, 3); k > 0; --k) {
            const size_t at = test_below(&r, (unsigned)length),
                         cut = test_below(&r, 4) ? test_below(&r, 8) : test_below(&r, 400);
            const size_t behind = at + cut < length ? at + cut : length;
            const char *piece = spices[test_below(&r, sizeof spices / sizeof *spices)];
            size_t piece_length = test_below(&r, 4) ? strlen(piece) : 0;
            if (test_below(&r, 5) == 0) {
                const unsigned other = test_below(&r, 2);
                const size_t from = test_below(&r, (unsigned)lengths[other]);
                piece = sources[other] + from;
                piece_length =
                    test_below(&r, (unsigned)(lengths[other] - from < 200 ? lengths[other] - from : 200));
            }
            memmove(text + at + piece_length, text + behind, length - behind);
            memcpy(text + at, piece, piece_length);
            length = length - (behind - at) + piece_length;
        }
        char *exact = malloc(length ? length : 1);
        memcpy(exact, text, length);
        abut_scene *scene;
        abut_error error;
        const abut_status status = abut_scene_parse(exact, length, FOLDER "x.json", NULL, &scene, &error);
        int32_t lines = 1;
        for (size_t i = 0; i < length; ++i)
            lines += text[i] == '\n';
        if (status == ABUT_OK)
            ++accepted;
        else
            TEST_CHECK(!scene && error.status == status && error.line >= 1 && error.line <= lines &&
                           error.text[0] && strcmp(error.file, FOLDER "x.json") == 0,
                       "seed %" PRIu64 ": %d, line %d of %d: %s", seed, status, error.line, lines,
                       error.text);
        abut_scene_destroy(scene);
        free(exact);
        free(text);
    }
    TEST_CHECK(accepted > 0, "no damage was harmless, so the damage is too heavy to reach far");
    free(sources[0]);
    free(sources[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_shapes_hold_what_the_file_says),
        cmocka_unit_test(faceted_shapes_hold_what_the_file_says),
        cmocka_unit_test(surfaces_hold_what_the_file_says),
        cmocka_unit_test(motions_are_where_the_file_says),
        cmocka_unit_test(pairs_and_query_are_read),
        cmocka_unit_test(defaults_are_those_of_the_format),
        cmocka_unit_test(all_pairs_come_in_order),
        cmocka_unit_test(parents_and_groups_are_no_pairs),
        cmocka_unit_test(children_move_with_their_parents),
        cmocka_unit_test(numbers_are_the_nearest_doubles),
        cmocka_unit_test(the_rounding_mode_does_not_matter),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(failing_allocations_of_long_lists_are_survived),
        cmocka_unit_test(damaged_scenes_never_crash),
    };
    return cmocka_run_group_tests_name("scene", tests, NULL, NULL);
}
