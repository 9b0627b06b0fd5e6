/* SPDX-License-Identifier: MIT */
/* NULL given to every public function, one pointer after the other and all of them at once: an
 * argument error or a zero value, never a crash. That no function is left out is read from the
 * headers themselves. */
#include "abut/abut.h"
#include "abut/scene.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is valid ---- */

static const abut_vec3 points[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
static const uint32_t triangles[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 }, sizes[4] = { 3, 3, 3, 3 };
static const double numbers[16] = { 1, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47 };
static const abut_affine unit = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
static const abut_placement here;
static const abut_pose pose = { .rotation = { .w = 1 } };
static const abut_aabb box = { { -2, -2, -2 }, { 2, 2, 2 } };
static const abut_interval span = { 0, 1 };

static abut_shape *ball, *tetrahedron;
static abut_motion *rest;
static abut_graph *graph;
static abut_node nodes[3];
static abut_ellipsoid_set *set;
static abut_scene *scene;
static abut_workspace *ws;
static abut_error error;

/* Made by a call, to be destroyed after it. */
static abut_shape *new_shape;
static abut_motion *new_motion;
static abut_graph *new_graph;
static abut_scene *new_scene;
static abut_workspace *new_ws;
static abut_front *new_front;
static abut_ellipsoid_set *new_set;
static abut_mesh_data new_mesh;

static void drop(void)
{
    abut_shape_release(new_shape);
    abut_motion_release(new_motion);
    abut_graph_destroy(new_graph);
    abut_scene_destroy(new_scene);
    abut_workspace_destroy(new_ws);
    abut_front_destroy(new_front);
    abut_ellipsoid_set_destroy(new_set);
    abut_mesh_data_clear(&new_mesh);
    new_shape = NULL;
    new_motion = NULL;
    new_graph = NULL;
    new_scene = NULL;
    new_ws = NULL;
    new_front = NULL;
    new_set = NULL;
}

static const char least_scene[] =
    "{\"abut\":1,\"objects\":[{\"name\":\"a\",\"shape\":{\"type\":\"sphere\",\"radius\":1}},"
    "{\"name\":\"b\",\"shape\":{\"type\":\"sphere\",\"radius\":1}}]}";

static int set_up(void **state)
{
    (void)state;
    if (abut_shape_create_sphere(1, NULL, &ball) ||
        abut_shape_create_mesh(points, 4, triangles, 4, true, NULL, &tetrahedron, NULL) ||
        abut_motion_create_static(&here, NULL, &rest, NULL) || abut_graph_create(1, NULL, &graph) ||
        abut_ellipsoid_set_create(2, NULL, &set) || abut_workspace_create(NULL, &ws) ||
        abut_scene_parse(least_scene, strlen(least_scene), "x", NULL, &scene, NULL))
        return -1;
    for (int k = 0; k < 3; ++k)
        nodes[k] = abut_graph_variable(graph, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    drop();
    abut_shape_release(ball);
    abut_shape_release(tetrahedron);
    abut_motion_release(rest);
    abut_graph_destroy(graph);
    abut_ellipsoid_set_destroy(set);
    abut_scene_destroy(scene);
    abut_workspace_destroy(ws);
    return 0;
}

static bool inclusion(void *ctx, const abut_interval *x, int order, abut_interval *out)
{
    (void)ctx;
    const int count = order == 0 ? 1 : order == 1 ? 5 : 15;
    for (int k = 0; k < count; ++k)
        out[k] = k == 0 ? x[0] : abut_interval_point(k == 1);
    return true;
}

static double gap(void *ctx, double t)
{
    (void)ctx;
    return 1 - t;
}

static void support(void *ctx, const abut_vec3 *direction, abut_vec3 *out)
{
    (void)ctx;
    *out = (abut_vec3){ direction->x > 0 ? 1 : -1, direction->y > 0 ? 1 : -1, direction->z > 0 ? 1 : -1 };
}

/* ---- the calls ---- */

/* Argument k of the pointers of a call. */
#define P(k, valid) (mask >> (k)&1 ? NULL : (valid))

/* A call with n pointers: each in turn NULL, then all. Those of `needed` (bits) must not be; the
 * others may. */
#define STATUS(n, needed, call)                                                                   \
    for (unsigned k = 0; k <= (n); ++k) {                                                         \
        const unsigned mask = k < (n) ? 1u << k : (1u << (n)) - 1;                                \
        const abut_status status = (call);                                                        \
        TEST_CHECK((mask & (needed)) != 0 ? status < 0 : status == ABUT_OK,                       \
                   "NULL for pointer %u of %s: status %d %s", k, #call, (int)status, error.text); \
        drop();                                                                                   \
    }

/* No status: the condition holds whichever is NULL. */
#define VALUE(n, condition)                                                \
    for (unsigned k = 0; k <= (n); ++k) {                                  \
        const unsigned mask = k < (n) ? 1u << k : (1u << (n)) - 1;         \
        TEST_CHECK(condition, "NULL for pointer %u of %s", k, #condition); \
    }

#define NOTHING(call) ((call), true)

static void shapes(void **state)
{
    (void)state;
    const abut_vec3 one = { 1, 1, 1 };
    STATUS(2, 2, abut_shape_create_sphere(1, P(0, NULL), P(1, &new_shape)))
    STATUS(2, 2, abut_shape_create_box(one, P(0, NULL), P(1, &new_shape)))
    STATUS(2, 2, abut_shape_create_capsule(1, 1, P(0, NULL), P(1, &new_shape)))
    STATUS(2, 2, abut_shape_create_cylinder(1, 1, P(0, NULL), P(1, &new_shape)))
    STATUS(2, 2, abut_shape_create_cone(1, 1, P(0, NULL), P(1, &new_shape)))
    STATUS(2, 2, abut_shape_create_ellipsoid(one, P(0, NULL), P(1, &new_shape)))
    STATUS(2, 2, abut_shape_create_torus(2, 1, P(0, NULL), P(1, &new_shape)))
    STATUS(2, 2, abut_shape_create_halfspace(one, 1, P(0, NULL), P(1, &new_shape)))
    STATUS(3, 3, abut_shape_create_convex(P(0, points), 4, 0, NULL, P(1, &new_shape), P(2, &error)))
    STATUS(2, 1, abut_shape_create_point(one, 0, NULL, P(0, &new_shape), P(1, &error)))
    STATUS(2, 1, abut_shape_create_segment(points[0], one, 0, NULL, P(0, &new_shape), P(1, &error)))
    STATUS(3, 3, abut_shape_create_triangle(P(0, points), 0, NULL, P(1, &new_shape), P(2, &error)))
    STATUS(3, 3, abut_shape_create_swept(P(0, ball), 1, NULL, P(1, &new_shape), P(2, &error)))
    const abut_support_def corners = { .support = support, .radius = 2 };
    STATUS(3, 3, abut_shape_create_support(P(0, &corners), NULL, P(1, &new_shape), P(2, &error)))
    STATUS(4, 7,
           abut_shape_create_mesh(P(0, points), 4, P(1, triangles), 4, true, NULL, P(2, &new_shape),
                                  P(3, &error)))
    STATUS(5, 7,
           abut_shape_create_mesh_with(P(0, points), 4, P(1, triangles), 4, P(4, NULL), NULL,
                                       P(2, &new_shape), P(3, &error)))
    STATUS(5, 15,
           abut_shape_create_polyhedron(P(0, points), 4, P(1, sizes), 4, P(2, triangles), 12, NULL,
                                        P(3, &new_shape), P(4, &error)))
    STATUS(3, 3,
           abut_shape_create_heightfield(2, 2, 1, 1, P(0, numbers), NULL, P(1, &new_shape), P(2, &error)))
    const abut_parametric_def sheet = { .x = "u", .y = "v", .z = "0", .u = { 0, 1 }, .v = { 0, 1 } };
    STATUS(3, 3, abut_shape_create_parametric(P(0, &sheet), NULL, P(1, &new_shape), P(2, &error)))
    const abut_vec3 corner[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } };
    const abut_bezier_patch patch = { 1, 1, corner, NULL };
    STATUS(3, 3, abut_shape_create_bezier(P(0, &patch), 1, NULL, P(1, &new_shape), P(2, &error)))
    const double knots[4] = { 0, 0, 1, 1 };
    const abut_nurbs_surface nurbs = { 1, 1, 2, 2, knots, knots, corner, NULL };
    STATUS(3, 3, abut_shape_create_nurbs(P(0, &nurbs), 1, NULL, P(1, &new_shape), P(2, &error)))
    STATUS(3, 3, abut_shape_create_implicit(P(0, "x^2+y^2+z^2-1"), box, NULL, P(1, &new_shape), P(2, &error)))
    abut_shape *implicit = NULL;
    assert_int_equal(abut_shape_create_implicit("x^2+y^2+z^2-1", box, NULL, &implicit, NULL), ABUT_OK);
    STATUS(3, 3,
           abut_shape_create_csg(ABUT_CSG_UNION, P(0, &implicit), 1, NULL, P(1, &new_shape), P(2, &error)))
    const abut_csg_operand operands[1] = { { implicit, NULL } };
    STATUS(
        3, 3,
        abut_shape_create_csg_placed(ABUT_CSG_UNION, P(0, operands), 1, NULL, P(1, &new_shape), P(2, &error)))
    const abut_affine twice = { { { { 2, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { 0, 0, 0 } };
    STATUS(4, 7,
           abut_shape_create_transformed(P(0, implicit), P(1, &twice), NULL, P(2, &new_shape), P(3, &error)))
    abut_shape_release(implicit);
    abut_shape *part = NULL;
    assert_int_equal(abut_shape_create_sphere(1, NULL, &part), ABUT_OK);
    const abut_compound_part parts[1] = { { part, NULL } };
    STATUS(3, 3, abut_shape_create_compound(P(0, parts), 1, NULL, P(1, &new_shape), P(2, &error)))
    abut_shape_release(part);

    VALUE(1, abut_shape_retain(P(0, NULL)) == NULL)
    VALUE(1, NOTHING(abut_shape_release(P(0, NULL))))
    VALUE(1, abut_shape_get_type(P(0, NULL)) == ABUT_SHAPE_NONE)
    VALUE(1, !abut_shape_deforms(P(0, NULL)))
    VALUE(1, abut_shape_bounds(P(0, NULL)).hi.x == 0)
    VALUE(1, abut_shape_get_counts(P(0, NULL)).vertices == 0)
    STATUS(2, 1, abut_shape_defined_over(P(0, ball), span, P(1, &error)))
}

static void meshes(void **state)
{
    (void)state;
    VALUE(1, NOTHING(abut_mesh_opts_init(P(0, NULL))))
    VALUE(1, NOTHING(abut_contacts_opts_init(P(0, NULL))))
    abut_shape *own = NULL;
    assert_int_equal(abut_shape_create_mesh(points, 4, triangles, 4, true, NULL, &own, NULL), ABUT_OK);
    STATUS(3, 3, abut_shape_update_mesh(P(0, own), P(1, points), 4, P(2, &error)))
    abut_shape_release(own);
    abut_vec3 corners[3];
    abut_hierarchy_info info;
    abut_mesh_report report;
    abut_contacts_result found;
    abut_closest_result closest;
    abut_reach_result reach;
    STATUS(2, 3, abut_shape_get_triangle(P(0, tetrahedron), 0, P(1, corners)))
    STATUS(2, 3, abut_shape_get_hierarchy(P(0, tetrahedron), P(1, &info)))
    STATUS(4, 7, abut_mesh_inspect(P(0, points), 4, P(1, triangles), 4, NULL, P(2, &report), P(3, &error)))
    STATUS(2, 3, abut_shape_inspect(P(0, tetrahedron), P(1, &report)))
    STATUS(2, 2, abut_front_create(P(0, NULL), P(1, &new_front)))
    VALUE(1, NOTHING(abut_front_destroy(P(0, NULL))))
    STATUS(6, 7,
           abut_contacts(P(0, tetrahedron), P(3, &pose), P(1, tetrahedron), P(4, &pose), NULL, P(5, ws), NULL,
                         0, P(2, &found)))
    abut_triangle_contact one[1];
    STATUS(1, 1, abut_contacts(tetrahedron, NULL, tetrahedron, NULL, NULL, ws, P(0, one), 1, &found))
    STATUS(6, 7,
           abut_contacts_at(P(0, tetrahedron), P(3, rest), P(1, tetrahedron), P(4, rest), 0, NULL, P(5, ws),
                            NULL, 0, P(2, &found)))
    STATUS(3, 3, abut_self_contacts(P(0, tetrahedron), NULL, P(2, ws), NULL, 0, P(1, &found)))
    STATUS(3, 3, abut_closest_point(P(0, tetrahedron), P(2, &pose), points[1], 9, P(1, &closest)))
    STATUS(6, 7,
           abut_mesh_reach(P(0, tetrahedron), P(3, &pose), P(1, tetrahedron), P(4, &pose), P(5, ws),
                           P(2, &reach)))
}

static void motions(void **state)
{
    (void)state;
    const abut_vec3 one = { 1, 1, 1 };
    VALUE(1, abut_placement_to_pose(P(0, NULL)).rotation.w == 1)
    STATUS(3, 3, abut_motion_create_static(P(0, &here), NULL, P(1, &new_motion), P(2, &error)))
    STATUS(3, 3, abut_motion_create_static_affine(P(0, &unit), NULL, P(1, &new_motion), P(2, &error)))
    STATUS(4, 7,
           abut_motion_create_linear(0, 1, P(0, &here), P(1, &here), NULL, P(2, &new_motion), P(3, &error)))
    STATUS(3, 3,
           abut_motion_create_velocity(0, 1, P(0, &here), one, one, NULL, P(1, &new_motion), P(2, &error)))
    STATUS(4, 7,
           abut_motion_create_screw(0, 1, P(0, &here), P(1, &here), NULL, P(2, &new_motion), P(3, &error)))
    STATUS(4, 7,
           abut_motion_create_nlerp(0, 1, P(0, &here), P(1, &here), NULL, P(2, &new_motion), P(3, &error)))
    const abut_series series[4] = { { numbers, 1 }, { numbers, 1 }, { numbers, 1 }, { numbers, 1 } };
    STATUS(3, 2,
           abut_motion_create_chebyshev(0, 1, series, P(0, series), NULL, P(1, &new_motion), P(2, &error)))
    STATUS(1, 0, abut_motion_create_chebyshev(0, 1, P(0, series), NULL, NULL, &new_motion, NULL))
    STATUS(3, 3, abut_motion_create_affine(0, 1, P(0, &unit), 1, NULL, P(1, &new_motion), P(2, &error)))
    const abut_keyframe keys[2] = { { .t = 0 }, { .t = 1 } };
    STATUS(3, 3, abut_motion_create_keyframes(P(0, keys), 2, NULL, P(1, &new_motion), P(2, &error)))
    const abut_vertex_key at_rest[2] = { { .t = 0, .vertices = &one, .vertex_count = 1 },
                                         { .t = 1, .vertices = &one, .vertex_count = 1 } };
    STATUS(3, 3, abut_motion_create_vertices(P(0, at_rest), 2, NULL, P(1, &new_motion), P(2, &error)))
    const char *const texts[3] = { "t", "t", "t" }, *const gaps[3] = { "t", NULL, "t" };
    STATUS(4, 3,
           abut_motion_create_expression(0, 1, P(0, texts), one, P(2, "t"), NULL, P(1, &new_motion),
                                         P(3, &error)))
    assert_true(abut_motion_create_expression(0, 1, gaps, one, NULL, NULL, &new_motion, NULL) < 0);
    STATUS(3, 3, abut_motion_create_chain(P(0, &rest), 1, NULL, P(1, &new_motion), P(2, &error)))
    STATUS(5, 7,
           abut_motion_create_expression_graph(0, 1, P(0, graph), P(1, nodes), one, P(3, nodes), NULL,
                                               P(2, &new_motion), P(4, &error)))
    VALUE(1, abut_motion_retain(P(0, NULL)) == NULL)
    VALUE(1, NOTHING(abut_motion_release(P(0, NULL))))
    VALUE(1, abut_motion_get_type(P(0, NULL)) == ABUT_MOTION_NONE)
    VALUE(1, NOTHING(abut_motion_get_range(P(0, NULL))))
    VALUE(1, NOTHING(abut_motion_is_rigid(P(0, NULL))))
    abut_affine at;
    abut_interval_affine over;
    double bound, speed;
    STATUS(2, 1, abut_motion_defined_over(P(0, rest), span, P(1, &error)))
    STATUS(2, 3, abut_motion_at(P(0, rest), 0, P(1, &at)))
    STATUS(2, 3, abut_motion_velocity_at(P(0, rest), 0, P(1, &at)))
    STATUS(2, 3, abut_motion_enclose(P(0, rest), span, P(1, &over)))
    STATUS(2, 3, abut_motion_enclose_velocity(P(0, rest), span, P(1, &over)))
    STATUS(3, 1, abut_motion_travel_bound(P(0, rest), span, 1, P(1, &bound), P(2, &speed)))
}

static void queries(void **state)
{
    (void)state;
    VALUE(1, NOTHING(abut_overlap_opts_init(P(0, NULL))))
    VALUE(1, NOTHING(abut_check_opts_init(P(0, NULL))))
    VALUE(1, NOTHING(abut_distance_opts_init(P(0, NULL))))
    VALUE(1, NOTHING(abut_first_opts_init(P(0, NULL))))
    VALUE(1, NOTHING(abut_sweep_opts_init(P(0, NULL))))
    VALUE(1, NOTHING(abut_backtrack_opts_init(P(0, NULL))))
    STATUS(2, 2, abut_workspace_create(P(0, NULL), P(1, &new_ws)))
    VALUE(1, NOTHING(abut_workspace_destroy(P(0, NULL))))
    abut_check_result check;
    abut_overlap_result overlap;
    abut_distance_result distance;
    abut_first_result first;
    abut_set_result many;
    abut_intervals_result all;
    abut_backtrack_result back;
    STATUS(6, 7, abut_check(P(0, ball), P(3, &pose), P(1, ball), P(4, &pose), NULL, P(5, ws), P(2, &check)))
    STATUS(6, 7,
           abut_check_at(P(0, ball), P(3, rest), P(1, ball), P(4, rest), 0, NULL, P(5, ws), P(2, &check)))
    STATUS(6, 7,
           abut_overlap(P(0, ball), P(3, &pose), P(1, ball), P(4, &pose), NULL, P(5, ws), P(2, &overlap)))
    STATUS(6, 7,
           abut_distance(P(0, ball), P(3, &pose), P(1, ball), P(4, &pose), NULL, P(5, ws), P(2, &distance)))
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.time = span;
    STATUS(6, 7,
           abut_first_contact(P(0, ball), P(3, rest), P(1, ball), P(4, rest), &opts, P(5, ws), P(2, &first)))
    STATUS(1, 0, abut_first_contact(ball, NULL, ball, NULL, P(0, &opts), NULL, &first))
    STATUS(6, 7,
           abut_contact_intervals(P(0, ball), P(3, rest), P(1, ball), P(4, rest), &opts, P(5, ws), NULL, 0,
                                  P(2, &all)))
    abut_contact_interval one[1];
    STATUS(1, 1, abut_contact_intervals(ball, rest, ball, rest, &opts, NULL, P(0, one), 1, &all))
    const abut_body bodies[2] = { { ball, rest }, { ball, NULL } },
                    none[2] = { { ball, rest }, { NULL, NULL } };
    const uint32_t pairs[2] = { 0, 1 };
    STATUS(4, 3,
           abut_first_contact_set(P(0, bodies), 2, P(2, pairs), 1, &opts, P(3, ws), NULL, 0, P(1, &many)))
    assert_true(abut_first_contact_set(none, 2, NULL, 0, &opts, NULL, NULL, 0, &many) < 0);
    STATUS(6, 7,
           abut_sweep_overlap(P(0, ball), P(3, &pose), P(1, ball), P(4, &pose), points[1], NULL, P(5, ws),
                              P(2, &overlap)))
    STATUS(3, 5, abut_backtrack(P(0, gap), P(1, NULL), span, NULL, P(2, &back)))
    abut_ray_hit hits[4];
    abut_piece pieces[4];
    size_t count;
    const abut_vec3 to = { 0, 0, 1 };
    STATUS(4, 7, abut_cast_ray(P(0, ball), P(3, &pose), points[0], to, P(1, hits), 4, P(2, &count)))
    STATUS(4, 7, abut_cast_line(P(0, ball), P(3, &pose), points[0], to, P(1, hits), 4, P(2, &count)))
    STATUS(4, 7, abut_cast_ray_at(P(0, ball), P(3, rest), 0, points[0], to, P(1, hits), 4, P(2, &count)))
    STATUS(3, 3, abut_classify_point(P(0, ball), P(2, &pose), to, P(1, pieces)))
    STATUS(3, 3, abut_classify_point_at(P(0, ball), P(2, rest), 0, to, P(1, pieces)))
    STATUS(4, 7, abut_classify_segment(P(0, ball), P(3, &pose), points[0], to, P(1, pieces), 4, P(2, &count)))
    STATUS(4, 7,
           abut_classify_segment_at(P(0, ball), P(3, rest), 0, points[0], to, P(1, pieces), 4, P(2, &count)))
}

static void ellipsoids(void **state)
{
    (void)state;
    abut_ellipsoid_result related;
    abut_affine map;
    STATUS(3, 7, abut_ellipsoid_relate(P(0, &unit), P(1, &unit), P(2, &related)))
    STATUS(3, 3, abut_ellipsoid_from_shape(P(0, ball), P(2, rest), 0, P(1, &map)))
    STATUS(2, 2, abut_ellipsoid_set_create(2, P(0, NULL), P(1, &new_set)))
    VALUE(1, NOTHING(abut_ellipsoid_set_destroy(P(0, NULL))))
    STATUS(2, 3, abut_ellipsoid_set_map(P(0, set), 0, P(1, &unit)))
    STATUS(2, 3, abut_ellipsoid_set_pose(P(0, set), 0, (abut_vec3){ 1, 1, 1 }, P(1, &pose)))
    const uint32_t pair[2] = { 0, 1 };
    uint8_t verdicts[1];
    abut_counters counters;
    STATUS(4, 7, abut_ellipsoid_set_test(P(0, set), P(1, pair), 1, P(2, verdicts), P(3, &counters)))
    VALUE(1, NOTHING(abut_independent_opts_init(P(0, NULL))))
    abut_independent_opts opts;
    abut_independent_opts_init(&opts);
    opts.s = opts.t = span;
    abut_independent_result result;
    STATUS(6, 7,
           abut_independent_contact(P(0, ball), P(3, rest), P(1, ball), P(4, rest), &opts, P(5, ws), NULL, 0,
                                    NULL, 0, NULL, 0, NULL, 0, P(2, &result)))
    bool found;
    abut_interval at;
    STATUS(3, 7, abut_ellipsoid_find_singular(P(0, rest), P(1, &span), P(2, &found), &at))
    STATUS(1, 1, abut_ellipsoid_find_singular(rest, &span, &found, P(0, &at)))
    const abut_moving_ellipsoid egg = { { 1, 1, 1 }, pose, pose };
    abut_step_contact contact[1];
    abut_step_counters steps;
    size_t count;
    STATUS(6, 15,
           abut_ellipsoid_step(P(0, &egg), 1, P(1, &egg), 1, P(4, ws), P(2, contact), 1, P(3, &count),
                               P(5, &steps)))
    abut_vec3 centre;
    double radius;
    STATUS(3, 3, abut_ellipsoid_fit(P(0, points), 4, 0, NULL, P(1, &map), P(2, &error)))
    STATUS(4, 7, abut_sphere_fit(P(0, points), 4, P(1, &centre), P(2, &radius), P(3, &error)))
    STATUS(
        4, 7,
        abut_ellipsoid_cover_mesh(P(0, tetrahedron), 1, true, NULL, P(1, &map), P(2, &count), P(3, &error)))
}

static void expressions(void **state)
{
    (void)state;
    const abut_domain square = { { 0, 1 }, { 0, 1 }, false, false, false };
    abut_graph *three = NULL, *four = NULL;
    assert_int_equal(abut_graph_create(3, NULL, &three), ABUT_OK);
    assert_int_equal(abut_graph_create(4, NULL, &four), ABUT_OK);
    const abut_node at[3] = { abut_graph_variable(three, 0), abut_graph_variable(three, 1),
                              abut_graph_number(three, 0) };
    const abut_node f = abut_graph_variable(four, 0);
    STATUS(2, 2, abut_graph_create(1, P(0, NULL), P(1, &new_graph)))
    VALUE(1, NOTHING(abut_graph_destroy(P(0, NULL))))
    STATUS(1, 1, abut_graph_status(P(0, graph)))
    STATUS(5, 15,
           abut_shape_create_parametric_graph(P(0, three), P(1, at), P(2, &square), NULL, P(3, &new_shape),
                                              P(4, &error)))
    STATUS(3, 3, abut_shape_create_implicit_graph(P(0, four), f, box, NULL, P(1, &new_shape), P(2, &error)))
    STATUS(4, 7,
           abut_shape_create_parametric_inclusion(P(0, inclusion), NULL, false, P(1, &square), NULL,
                                                  P(2, &new_shape), P(3, &error)))
    STATUS(3, 3,
           abut_shape_create_implicit_inclusion(P(0, inclusion), NULL, false, box, NULL, P(1, &new_shape),
                                                P(2, &error)))
    abut_graph_destroy(three);
    abut_graph_destroy(four);
    const abut_node a = nodes[0];
    VALUE(1, NOTHING(abut_graph_number(P(0, NULL), 1)))
    VALUE(1, NOTHING(abut_graph_pi(P(0, NULL))))
    VALUE(1, NOTHING(abut_graph_variable(P(0, NULL), 0)))
    VALUE(1, NOTHING(abut_graph_negate(P(0, NULL), a)))
    VALUE(1, NOTHING(abut_graph_add(P(0, NULL), a, a)))
    VALUE(1, NOTHING(abut_graph_subtract(P(0, NULL), a, a)))
    VALUE(1, NOTHING(abut_graph_multiply(P(0, NULL), a, a)))
    VALUE(1, NOTHING(abut_graph_divide(P(0, NULL), a, a)))
    VALUE(1, NOTHING(abut_graph_power(P(0, NULL), a, a)))
    VALUE(1, NOTHING(abut_graph_sqrt(P(0, NULL), a)))
    VALUE(1, NOTHING(abut_graph_exp(P(0, NULL), a)))
    VALUE(1, NOTHING(abut_graph_log(P(0, NULL), a)))
    VALUE(1, NOTHING(abut_graph_sin(P(0, NULL), a)))
    VALUE(1, NOTHING(abut_graph_cos(P(0, NULL), a)))
    VALUE(1, NOTHING(abut_graph_tan(P(0, NULL), a)))
    VALUE(1, NOTHING(abut_graph_asin(P(0, NULL), a)))
    VALUE(1, NOTHING(abut_graph_acos(P(0, NULL), a)))
    VALUE(1, NOTHING(abut_graph_atan(P(0, NULL), a)))
    VALUE(1, NOTHING(abut_graph_abs(P(0, NULL), a)))
    VALUE(1, NOTHING(abut_graph_min(P(0, NULL), a, a)))
    VALUE(1, NOTHING(abut_graph_max(P(0, NULL), a, a)))
}

static void scenes(void **state)
{
    (void)state;
    static const char text[] = "v 0 0 0\n";
    STATUS(3, 3,
           abut_scene_load(P(0, ABUT_TEST_DATA "/regress/libccd-25-cubes.json"), NULL, P(1, &new_scene),
                           P(2, &error)))
    STATUS(4, 3,
           abut_scene_parse(P(0, least_scene), strlen(least_scene), P(2, "x"), NULL, P(1, &new_scene),
                            P(3, &error)))
    VALUE(1, NOTHING(abut_scene_destroy(P(0, NULL))))
    VALUE(1, abut_scene_time(P(0, NULL)).lo == 0)
    VALUE(1, abut_scene_object_count(P(0, NULL)) == 0)
    VALUE(1, abut_scene_get_object(P(0, NULL), 0).shape == NULL)
    VALUE(2, abut_scene_find(P(0, scene), P(1, "a")) == -1)
    VALUE(1, abut_scene_pair_count(P(0, NULL)) == 0)
    size_t a, b;
    VALUE(3, NOTHING(abut_scene_get_pair(P(0, scene), 0, P(1, &a), P(2, &b))))
    abut_scene_get_pair(NULL, 0, &a, &b);
    assert_true(a == 0 && b == 0);
    VALUE(1, !abut_scene_has_pair_list(P(0, NULL)))
    VALUE(1, abut_scene_excluded_count(P(0, NULL)) == 0)
    VALUE(3, NOTHING(abut_scene_get_excluded(P(0, scene), 0, P(1, &a), P(2, &b))))
    VALUE(1, abut_scene_get_query(P(0, NULL)).method == NULL)
    STATUS(
        3, 3,
        abut_mesh_load(P(0, ABUT_TEST_DATA "/io/scenes/good/cube.obj"), NULL, P(1, &new_mesh), P(2, &error)))
    STATUS(5, 7,
           abut_mesh_parse(P(0, text), sizeof text - 1, P(1, "obj"), P(3, "x"), NULL, P(2, &new_mesh),
                           P(4, &error)))
    VALUE(1, NOTHING(abut_mesh_data_clear(P(0, NULL))))
    abut_mesh_opts solid;
    abut_mesh_opts_init(&solid);
    STATUS(4, 3,
           abut_shape_load_mesh(P(0, ABUT_TEST_DATA "/io/scenes/good/cube.obj"), P(2, &solid), NULL,
                                P(1, &new_shape), P(3, &error)))
}

static void arithmetic(void **state)
{
    (void)state;
    abut_interval in[9], out[9], two[2], left, right;
    double roots[8], m[16];
    abut_root certified[8];
    abut_vec3 axis, values;
    abut_mat3 vectors;
    for (int k = 0; k < 9; ++k)
        in[k] = abut_interval_point(k % 4 == 0);
    memcpy(m, numbers, sizeof m);
    VALUE(1, NOTHING(abut_interval_div_split(span, span, P(0, two))))
    VALUE(1, NOTHING(abut_interval_chebyshev(P(0, in), 3, span)))
    VALUE(2, NOTHING(abut_interval_chebyshev_derive(P(0, in), 3, P(1, out))))
    VALUE(2, NOTHING(abut_interval_bisect(span, P(0, &left), P(1, &right))))
    VALUE(2, abut_interval_inverse(3, P(0, in), P(1, out)) == ABUT_LINEAR_SINGULAR)
    VALUE(3, abut_interval_solve_lu(3, P(0, in), P(1, in), P(2, out)) == ABUT_LINEAR_SINGULAR)
    VALUE(3, NOTHING(abut_interval_solve_iterate(3, 3, P(0, in), P(1, in), 0.1, 3, P(2, out))))
    VALUE(5, NOTHING(abut_interval_krawczyk(3, P(0, in), P(1, m), P(2, in), P(3, in), P(4, out))))
    VALUE(2, NOTHING(abut_quat_to_axis_angle(pose.rotation, P(0, &axis), P(1, roots))))
    VALUE(1, abut_quat_from_mat3(P(0, NULL)).w == 1)
    VALUE(3, NOTHING(abut_mat3_symmetric_eigen(P(0, &unit.linear), P(1, &values), P(2, &vectors))))
    VALUE(2, abut_polynomial_roots_closed(P(0, numbers), 2, P(1, roots)) <= 0)
    VALUE(2, abut_polynomial_roots_bernstein(P(0, numbers), 2, 0, 1, P(1, roots)) <= 0)
    VALUE(2, abut_polynomial_roots_certified(P(0, numbers), 2, 0, 1, 0, P(1, certified)) <= 0)
    VALUE(3, abut_orient2d(P(0, numbers), P(1, numbers + 2), P(2, numbers + 5)) == 0)
    VALUE(1, abut_det2_sign(P(0, NULL)) == 0)
    VALUE(1, abut_det3_sign(P(0, NULL)) == 0)
    VALUE(1, abut_det4_sign(P(0, NULL)) == 0)
}

/* ---- worlds ---- */

static abut_world *new_world;
static abut_broad *new_broad;

static void drop_worlds(void)
{
    abut_world_destroy(new_world);
    abut_broad_destroy(new_broad);
    new_world = NULL;
    new_broad = NULL;
}

static bool any_pair(void *ctx, abut_body_id a, abut_body_id b, abut_status status,
                     const abut_check_result *r)
{
    return !ctx && a.index != b.index + 2 && !status && r;
}

static bool any_event(void *ctx, abut_pair_event event, abut_body_id a, abut_body_id b)
{
    return !ctx && event && a.index < b.index;
}

static bool any_impact(void *ctx, abut_body_id a, abut_body_id b, double earliest)
{
    return !ctx && a.index < b.index && earliest >= 0;
}

static void worlds(void **state)
{
    (void)state;
    const abut_vec3 one = { 1, 1, 1 };
    abut_aabb out;
    STATUS(3, 5, abut_shape_world_bounds(P(0, ball), P(1, &pose), P(2, &out)))
    STATUS(3, 5, abut_shape_world_bounds_over(P(0, ball), P(1, rest), span, P(2, &out)))
    VALUE(1, NOTHING(abut_broad_opts_init(P(0, NULL))))
    VALUE(1, NOTHING(abut_world_opts_init(P(0, NULL))))
    VALUE(1, NOTHING(abut_world_body_init(P(0, NULL))))
    VALUE(1, NOTHING(abut_world_query_opts_init(P(0, NULL))))
    STATUS(3, 4, (drop_worlds(), abut_broad_create(P(0, NULL), P(1, NULL), P(2, &new_broad))))
    STATUS(3, 4, (drop_worlds(), abut_world_create(P(0, NULL), P(1, NULL), P(2, &new_world))))
    drop_worlds();
    VALUE(1, NOTHING(abut_broad_destroy(P(0, NULL))))
    VALUE(1, NOTHING(abut_world_destroy(P(0, NULL))))
    assert_int_equal(abut_broad_create(NULL, NULL, &new_broad), ABUT_OK);
    const abut_box_pair *found;
    size_t count;
    STATUS(4, 15, abut_broad_update(P(0, new_broad), P(1, &box), 1, P(2, &found), P(3, &count)))

    assert_int_equal(abut_world_create(NULL, NULL, &new_world), ABUT_OK);
    abut_world *w = new_world;
    abut_world_body body;
    abut_body_id id, other;
    abut_world_body_init(&body);
    body.shape = ball;
    STATUS(3, 7, abut_world_add(P(0, w), P(1, &body), P(2, &id)))
    assert_int_equal(abut_world_add(w, &body, &id), ABUT_OK);
    body.pose.position.x = 1.5;
    assert_int_equal(abut_world_add(w, &body, &other), ABUT_OK);
    STATUS(2, 3, abut_world_move(P(0, w), other, P(1, &body.pose)))
    STATUS(2, 3, abut_world_set_motion(P(0, w), id, P(1, rest)))
    STATUS(2, 3, abut_world_set_shape(P(0, w), id, P(1, ball)))
    STATUS(1, 1, abut_world_set_filter(P(0, w), id, 0, 1, 1))
    STATUS(1, 1, abut_world_exclude(P(0, w), id, other))
    STATUS(1, 1, abut_world_include(P(0, w), id, other))
    STATUS(1, 1, abut_world_reset_pair(P(0, w), id, other))
    STATUS(1, 1, abut_world_remove(P(0, w), other))
    assert_int_equal(abut_world_add(w, &body, &other), ABUT_OK);
    STATUS(1, 1, abut_world_commit(P(0, w), (abut_interval){ 0, 1 }))
    assert_int_equal(abut_world_commit(w, span), ABUT_OK);
    VALUE(1, abut_world_body_count(P(0, NULL)) == 0)
    VALUE(1, abut_world_pair_count(P(0, NULL)) == 0)
    VALUE(1, abut_world_index_end(P(0, NULL)) == 0)
    VALUE(1, abut_world_id_at(P(0, NULL), 0).generation == 0)
    VALUE(1, !abut_world_has(P(0, NULL), id))
    STATUS(2, 3, abut_world_get(P(0, w), id, P(1, &body)))
    STATUS(2, 3, abut_world_bounds(P(0, w), id, P(1, &out)))
    abut_world_result result;
    STATUS(4, 1, abut_world_meeting(P(0, w), P(1, NULL), P(2, any_pair), NULL, P(3, &result)))
    STATUS(4, 1, abut_world_check_pairs(P(0, w), P(1, NULL), P(2, any_pair), NULL, P(3, &result)))
    abut_world_nearest_result nearest;
    STATUS(3, 5, abut_world_nearest(P(0, w), P(1, NULL), P(2, &nearest)))
    abut_set_result first;
    abut_set_point at[4];
    abut_body_id missing[2];
    STATUS(5, 21, abut_world_first(P(0, w), P(1, NULL), P(2, at), 4, P(4, &first), P(3, missing)))
    STATUS(3, 1, abut_world_intervals(P(0, w), P(1, NULL), NULL, NULL, P(2, &result)))
    STATUS(2, 3, abut_world_events(P(0, w), P(1, any_event), NULL))
    STATUS(3, 1, abut_world_contacts(P(0, w), P(1, NULL), NULL, NULL, P(2, &result)))
    STATUS(3, 5, abut_world_schedule(P(0, w), P(1, NULL), P(2, any_impact), NULL))
    abut_world_neighbour near[2];
    STATUS(3, 7, abut_world_near_point(P(0, w), one, 2, P(1, near), P(2, &count)))
    abut_world_hit hits[4];
    STATUS(3, 7, abut_world_cast_ray(P(0, w), one, one, 9, false, P(1, hits), 4, P(2, &count)))
    STATUS(3, 3, abut_world_in_box(P(0, w), P(1, &box), P(2, any_pair), NULL))
    STATUS(6, 55,
           abut_world_cast_shape(P(0, w), P(1, ball), P(2, rest), P(3, NULL), P(4, at), 4, P(5, &first)))
    drop_worlds();
}

/* ---- all of them ---- */

static char *read_whole(const char *name)
{
    FILE *stream = fopen(name, "rb");
    assert_non_null(stream);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    const size_t count = fread(text, 1, (1 << 20) - 1, stream);
    assert_true(count > 0 && count < (1 << 20) - 1);
    fclose(stream);
    return text;
}

static void none_is_left_out(void **state)
{
    (void)state;
    static const char *const headers[] = { "base",  "ellipsoid", "expression", "interval",   "math",
                                           "mesh",  "motion",    "polynomial", "predicates", "query",
                                           "scene", "shape",     "world" };
    char *own = read_whole(ABUT_TEST_DATA "/io/test_null.c");
    int count = 0;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i) {
        char name[400];
        snprintf(name, sizeof name, "%s/include/abut/%s.h", ABUT_SOURCE_DIR, headers[i]);
        char *text = read_whole(name);
        for (const char *at = text; (at = strstr(at, "\nABUT_API "));) {
            const char *open = strchr(at, '('), *end = strchr(at, ';');
            const char *from = open;
            while (from[-1] == '_' || (from[-1] >= 'a' && from[-1] <= 'z') ||
                   (from[-1] >= '0' && from[-1] <= '9'))
                --from;
            const bool points_at =
                memchr(open, '*', (size_t)(end - open)) || memchr(open, '[', (size_t)(end - open));
            char call[100];
            snprintf(call, sizeof call, "%.*s(", (int)(open - from), from);
            TEST_CHECK(!points_at || strstr(own, call), "%s) of %s.h is not tried with NULL", call,
                       headers[i]);
            ++count;
            at = end;
        }
        free(text);
    }
    free(own);
    TEST_CHECK(count > 200, "only %d functions were found in the headers", count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),           cmocka_unit_test(meshes),     cmocka_unit_test(motions),
        cmocka_unit_test(queries),          cmocka_unit_test(ellipsoids), cmocka_unit_test(expressions),
        cmocka_unit_test(scenes),           cmocka_unit_test(arithmetic), cmocka_unit_test(worlds),
        cmocka_unit_test(none_is_left_out),
    };
    return cmocka_run_group_tests_name("null", tests, set_up, tear_down);
}
