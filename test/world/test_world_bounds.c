/* SPDX-License-Identifier: MIT */
/* Certified boxes of bodies: points of the body, placed in long double, are inside; and the box is no
 * larger than it must be. The points are made here from the parameters of the shapes. */
#include "abut/abut.h"
#include "support/test.h"

typedef struct body {
    abut_shape *shape;
    abut_vec3 points[64]; /* of its surface */
    int count;
    bool tight; /* the points hold the extreme ones along any direction, nearly: see below */
} body;

static abut_vec3 direction(test_random *r)
{
    for (;;) {
        const abut_vec3 v = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
        const double s = v.x * v.x + v.y * v.y + v.z * v.z;
        if (s > .01 && s <= 1)
            return (abut_vec3){ v.x / sqrt(s), v.y / sqrt(s), v.z / sqrt(s) };
    }
}

static void add(body *b, double x, double y, double z)
{
    b->points[b->count++] = (abut_vec3){ x, y, z };
}

/* A ball of radius *ctx. */
static void support_ball(void *ctx, const abut_vec3 *direction, abut_vec3 *point)
{
    const double radius = *(const double *)ctx;
    const double length = hypot(hypot(direction->x, direction->y), direction->z);
    *point = (abut_vec3){ radius * (direction->x / length), radius * (direction->y / length),
                          radius * (direction->z / length) };
}

enum { SIMPLE = 10, KINDS = 21 };

/* Shapes made of others, CAD solids, surfaces of patches: all that make() below has not. The box of a
 * half-space is infinite; see test_exact. */
static body make_more(int kind, test_random *r)
{
    static double radius = .75;
    body b = { .count = 0 };
    const double x = test_uniform(r, .1, 2), y = test_uniform(r, .1, 2), z = test_uniform(r, .1, 2);
    abut_shape *of[2] = { NULL, NULL };
    abut_motion *at = NULL;
    for (int i = 0; i < 40; ++i) {
        const abut_vec3 d = direction(r);
        const double flat = sqrt(d.x * d.x + d.y * d.y), c = d.x / flat, s = d.y / flat;
        const double side = i & 1 ? x : -x, across = i & 2 ? y : -y, up = i & 4 ? z : 0;
        const double u = (i % 5) / 4., v = (i / 5) / 7.;
        switch (kind) {
        case 10: add(&b, side, across, up); break;                            /* polyhedron */
        case 11: add(&b, i & 1 ? x : -x, i & 2 ? y / 2 : -y / 2, 0); break;   /* height field */
        case 12: add(&b, x * u, y * v, z * u * v); break;                     /* bezier */
        case 13: add(&b, d.x, d.y, .5 * d.z); break;                          /* implicit */
        case 14: add(&b, d.x, d.y, .5 * d.z); break;                          /* csg */
        case 15: add(&b, side, across, up); break;                            /* extrude */
        case 16: add(&b, x * c, x * s, up); break;                            /* revolve */
        case 17: add(&b, y + x * d.x, x * d.y, z + x * d.z); break;           /* solid */
        case 18: add(&b, x * d.x, x * d.y, x * d.z + (i & 1 ? 5 : 0)); break; /* compound */
        case 19: add(&b, side + .25 * d.x, across + .25 * d.y, (i & 4 ? z : -z) + .25 * d.z); break;
        default: add(&b, radius * d.x, radius * d.y, radius * d.z); break; /* support */
        }
    }
    const abut_aabb unit = { { -1, -1, -.5 }, { 1, 1, .5 } };
    abut_status status = ABUT_OK;
    switch (kind) {
    case 10: {
        const abut_vec3 corners[8] = { { -x, -y, 0 }, { x, -y, 0 }, { x, y, 0 }, { -x, y, 0 },
                                       { -x, -y, z }, { x, -y, z }, { x, y, z }, { -x, y, z } };
        static const uint32_t sizes[6] = { 4, 4, 4, 4, 4, 4 },
                              faces[24] = { 3, 2, 1, 0, 4, 5, 6, 7, 0, 1, 5, 4,
                                            1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7 };
        status = abut_shape_create_polyhedron(corners, 8, sizes, 6, faces, 24, NULL, &b.shape, NULL);
        break;
    }
    case 11: {
        const double heights[6] = { 0, -z, 0, 0, z, 0 };
        status = abut_shape_create_heightfield(3, 2, x, y, heights, NULL, &b.shape, NULL);
        break;
    }
    case 12: {
        const abut_vec3 corners[4] = { { 0, 0, 0 }, { x, 0, 0 }, { 0, y, 0 }, { x, y, z } };
        const abut_bezier_patch patch = { 1, 1, corners, NULL };
        status = abut_shape_create_bezier(&patch, 1, NULL, &b.shape, NULL);
        break;
    }
    case 13: status = abut_shape_create_implicit("x*x + y*y + 4*z*z - 1", unit, NULL, &b.shape, NULL); break;
    case 14:
        status = abut_shape_create_implicit("x*x + y*y + 4*z*z - 1", unit, NULL, &of[0], NULL);
        assert_int_equal(status, ABUT_OK);
        status = abut_shape_create_implicit("x*x + y*y + 4*z*z - 1/4", unit, NULL, &of[1], NULL);
        assert_int_equal(status, ABUT_OK);
        status = abut_shape_create_csg(ABUT_CSG_DIFFERENCE, of, 2, NULL, &b.shape, NULL);
        break;
    case 15: {
        const abut_profile_vertex square[4] = { { -x, -y, 0 }, { x, -y, 0 }, { x, y, 0 }, { -x, y, 0 } };
        const abut_profile_loop loop = { square, 4 };
        status = abut_shape_create_extrude(&loop, NULL, 0, z, 0, NULL, &b.shape, NULL);
        break;
    }
    case 16: {
        const abut_profile_vertex square[4] = { { 0, 0, 0 }, { x, 0, 0 }, { x, z, 0 }, { 0, z, 0 } };
        const abut_profile_loop loop = { square, 4 };
        status = abut_shape_create_revolve(&loop, 0, NULL, &b.shape, NULL);
        break;
    }
    case 17: {
        const abut_solid_surface sphere = { .kind = ABUT_SOLID_SPHERE, .point = { y, 0, z }, .radius = x };
        const abut_solid_face face = { .surface = 0, .outward = 1 };
        const abut_solid_def def = {
            .surfaces = &sphere, .surface_count = 1, .faces = &face, .face_count = 1
        };
        status = abut_shape_create_solid(&def, NULL, &b.shape, NULL);
        break;
    }
    case 18: {
        const abut_placement up = { .position = { 0, 0, 5 } };
        assert_int_equal(abut_shape_create_sphere(x, NULL, &of[0]), ABUT_OK);
        assert_int_equal(abut_motion_create_static(&up, NULL, &at, NULL), ABUT_OK);
        const abut_compound_part parts[2] = { { of[0], NULL }, { of[0], at } };
        status = abut_shape_create_compound(parts, 2, NULL, &b.shape, NULL);
        break;
    }
    case 19:
        assert_int_equal(abut_shape_create_box((abut_vec3){ x, y, z }, NULL, &of[0]), ABUT_OK);
        status = abut_shape_create_swept(of[0], .25, NULL, &b.shape, NULL);
        break;
    default: {
        const abut_support_def def = { support_ball, &radius, 1e-12, radius * (1 + 1e-9) };
        status = abut_shape_create_support(&def, NULL, &b.shape, NULL);
        break;
    }
    }
    assert_int_equal(status, ABUT_OK);
    abut_motion_release(at);
    abut_shape_release(of[0]);
    abut_shape_release(of[1]);
    return b;
}

static body make(int kind, test_random *r)
{
    body b = { .count = 0 };
    if (kind >= SIMPLE)
        return make_more(kind, r);
    const double scale = kind == 9 ? 1 : exp2(test_uniform(r, -30, 30));
    const double x = scale * test_uniform(r, .1, 2), y = scale * test_uniform(r, .1, 2),
                 z = scale * test_uniform(r, .1, 2);
    abut_status status = ABUT_OK;
    for (int i = 0; i < 40; ++i) {
        const abut_vec3 d = direction(r);
        const double flat = sqrt(d.x * d.x + d.y * d.y), c = d.x / flat, s = d.y / flat;
        switch (kind) {
        case 0: add(&b, x * d.x, x * d.y, x * d.z); break;
        case 1: add(&b, i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z); break;
        case 2: add(&b, x * d.x, x * d.y, x * d.z + (i & 1 ? z : -z)); break;
        case 3: add(&b, x * c, x * s, i & 1 ? z : -z); break;
        case 4: add(&b, i ? x * c : 0, i ? x * s : 0, i ? -z : z); break;
        case 5: add(&b, x * d.x, y * d.y, z * d.z); break;
        case 6: add(&b, (3 * x + x * flat) * c, (3 * x + x * flat) * s, x * d.z); break;
        case 7: add(&b, x + y * d.x, y * d.y, z * d.z); break;
        case 8: add(&b, x + y * d.x, z + y * d.y, z * d.z); break;
        default: add(&b, d.x, d.y, .5 * d.z); break;
        }
    }
    switch (kind) {
    case 0: status = abut_shape_create_sphere(x, NULL, &b.shape); break;
    case 1: status = abut_shape_create_box((abut_vec3){ x, y, z }, NULL, &b.shape); break;
    case 2: status = abut_shape_create_capsule(x, 2 * z, NULL, &b.shape); break;
    case 3: status = abut_shape_create_cylinder(x, 2 * z, NULL, &b.shape); break;
    case 4: status = abut_shape_create_cone(x, 2 * z, NULL, &b.shape); break;
    case 5: status = abut_shape_create_ellipsoid((abut_vec3){ x, y, z }, NULL, &b.shape); break;
    case 6: status = abut_shape_create_torus(3 * x, x, NULL, &b.shape); break;
    case 7: status = abut_shape_create_convex(b.points, 40, 0, NULL, &b.shape, NULL); break;
    case 8: {
        uint32_t triangles[38][3];
        for (uint32_t i = 0; i < 38; ++i)
            for (uint32_t k = 0; k < 3; ++k)
                triangles[i][k] = i + k;
        status = abut_shape_create_mesh(b.points, 40, triangles[0], 38, false, NULL, &b.shape, NULL);
        break;
    }
    default: {
        const abut_parametric_def def = { .x = "sin(v)*cos(u)",
                                          .y = "sin(v)*sin(u)",
                                          .z = "0.5*cos(v)",
                                          .u = { 0, 6.283185307179586 },
                                          .v = { 0, 3.141592653589793 },
                                          .wrap_u = true,
                                          .normal_in = true };
        status = abut_shape_create_parametric(&def, NULL, &b.shape, NULL);
        break;
    }
    }
    assert_int_equal(status, ABUT_OK);
    b.tight = kind == 1 || kind == 7;
    return b;
}

static abut_pose random_pose(test_random *r, double size)
{
    abut_pose p = {
        { test_uniform(r, -1, 1) * size, test_uniform(r, -1, 1) * size, test_uniform(r, -1, 1) * size },
        { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) }
    };
    switch (test_below(r, 5)) {
    case 0: p.rotation = (abut_quat){ 1, 0, 0, 0 }; break;
    case 1: p.rotation = (abut_quat){ 1, 0, 0, 1 }; break;
    case 2: p.rotation = (abut_quat){ 1, test_uniform(r, -1e-9, 1e-9), 0, 0 }; break;
    default: break;
    }
    return p;
}

/* q p q* / |q|^2 + position, in long double. */
static void place(const abut_pose *pose, abut_vec3 p, long double out[3])
{
    const long double w = pose->rotation.w, x = pose->rotation.x, y = pose->rotation.y, z = pose->rotation.z;
    const long double n = w * w + x * x + y * y + z * z;
    const long double m[3][3] = { { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
                                  { 2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x) },
                                  { 2 * (x * z - w * y), 2 * (y * z + w * x),
                                    w * w - x * x - y * y + z * z } };
    const long double at[3] = { pose->position.x, pose->position.y, pose->position.z };
    for (int i = 0; i < 3; ++i)
        out[i] = (m[i][0] * p.x + m[i][1] * p.y + m[i][2] * p.z) / n + at[i];
}

/* Points of the surface are rounded to doubles themselves. */
static void check_inside(const abut_aabb *box, const long double p[3], double size, const char *what,
                         uint64_t seed)
{
    const double lo[3] = { box->lo.x, box->lo.y, box->lo.z }, hi[3] = { box->hi.x, box->hi.y, box->hi.z };
    for (int i = 0; i < 3; ++i)
        TEST_CHECK(lo[i] <= p[i] + 1e-15L * size && p[i] <= hi[i] + 1e-15L * size,
                   "%s, seed %" PRIu64 ": axis %d: %.20Lg is not in [%.17g, %.17g]", what, seed, i, p[i],
                   lo[i], hi[i]);
}

static void test_poses(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(4000); ++seed) {
        test_random r = test_seed(seed);
        body b = make((int)(seed % KINDS), &r);
        const abut_aabb local = abut_shape_bounds(b.shape);
        const double size = fmax(fabs(local.hi.x), fmax(fabs(local.hi.y), fabs(local.hi.z)));
        const abut_pose pose =
            random_pose(&r, test_below(&r, 3) ? size : size * exp2(test_uniform(&r, 0, 40)));
        abut_aabb box;
        assert_int_equal(abut_shape_world_bounds(b.shape, &pose, &box), ABUT_OK);
        long double least[3] = { INFINITY, INFINITY, INFINITY },
                    most[3] = { -INFINITY, -INFINITY, -INFINITY };
        for (int k = 0; k < b.count; ++k) {
            long double p[3];
            place(&pose, b.points[k], p);
            check_inside(&box, p, size, "pose", seed);
            for (int i = 0; i < 3; ++i) {
                least[i] = p[i] < least[i] ? p[i] : least[i];
                most[i] = p[i] > most[i] ? p[i] : most[i];
            }
        }
        const double lo[3] = { box.lo.x, box.lo.y, box.lo.z }, hi[3] = { box.hi.x, box.hi.y, box.hi.z };
        const double away = fabs(pose.position.x) + fabs(pose.position.y) + fabs(pose.position.z);
        for (int i = 0; b.tight && i < 3; ++i)
            TEST_CHECK(lo[i] >= least[i] - 1e-12L * size - 4e-15L * away &&
                           hi[i] <= most[i] + 1e-12L * size + 4e-15L * away,
                       "seed %" PRIu64 ": axis %d: [%.17g, %.17g] is wider than it must be", seed, i, lo[i],
                       hi[i]);
        abut_shape_release(b.shape);
    }
}

/* Bodies of a world in fixed cubes, and every type of shape but the half-space among the kinds. */
static void test_cubes(void **state)
{
    (void)state;
    bool seen[ABUT_SHAPE_TYPE_COUNT] = { [ABUT_SHAPE_HALFSPACE] = true };
    for (uint64_t seed = 0; seed < KINDS + test_count(1000); ++seed) {
        test_random r = test_seed(seed + 5000);
        body b = make((int)(seed % KINDS), &r);
        const abut_aabb local = abut_shape_bounds(b.shape);
        const double size = fmax(fabs(local.hi.x), fmax(fabs(local.hi.y), fabs(local.hi.z)));
        abut_world *world;
        abut_world_body def;
        abut_body_id id;
        abut_aabb box, first;
        seen[abut_shape_get_type(b.shape)] = true;
        abut_world_body_init(&def);
        def.shape = b.shape;
        def.box = ABUT_BOX_CUBE;
        assert_int_equal(abut_world_create(NULL, NULL, &world), ABUT_OK);
        assert_int_equal(abut_world_add(world, &def, &id), ABUT_OK);
        for (int turn = 0; turn < 4; ++turn) {
            const abut_pose pose = random_pose(&r, size);
            assert_int_equal(abut_world_move(world, id, &pose), ABUT_OK);
            assert_int_equal(abut_world_commit(world, (abut_interval){ 0, 0 }), ABUT_OK);
            assert_int_equal(abut_world_bounds(world, id, &box), ABUT_OK);
            for (int k = 0; k < b.count; ++k) {
                long double p[3];
                place(&pose, b.points[k], p);
                check_inside(&box, p, size, "cube", seed);
            }
            if (turn == 0)
                first = box;
            /* a height field is solid below, without end */
            TEST_CHECK(isinf(local.lo.z) ||
                           (fabs((box.hi.x - box.lo.x) - (first.hi.x - first.lo.x)) <= 1e-12 * size &&
                            fabs((box.hi.x - box.lo.x) - (box.hi.z - box.lo.z)) <= 1e-12 * size),
                       "seed %" PRIu64 ": no fixed cube", seed);
        }
        abut_world_destroy(world);
        abut_shape_release(b.shape);
    }
    for (int i = 1; i < ABUT_SHAPE_TYPE_COUNT; ++i)
        TEST_CHECK(seen[i], "%s: no kind of it", abut_shape_type_name((abut_shape_type)i));
}

static void test_motions(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(1500); ++seed) {
        test_random r = test_seed(seed + 77);
        body b = make((int)(seed % KINDS), &r);
        const abut_aabb local = abut_shape_bounds(b.shape);
        const double size = fmax(fabs(local.hi.x), fmax(fabs(local.hi.y), fabs(local.hi.z)));
        const abut_placement from = abut_placement_from_pose(random_pose(&r, 3 * size)),
                             to = abut_placement_from_pose(random_pose(&r, 3 * size));
        abut_motion *motion = NULL;
        abut_status status;
        switch (test_below(&r, 5)) {
        case 0: status = abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, NULL); break;
        case 1: status = abut_motion_create_screw(0, 1, &from, &to, NULL, &motion, NULL); break;
        case 2: status = abut_motion_create_nlerp(0, 1, &from, &to, NULL, &motion, NULL); break;
        case 3: status = abut_motion_create_static(&from, NULL, &motion, NULL); break;
        default:
            status = abut_motion_create_velocity(0, 1, &from, (abut_vec3){ size, 0, 0 },
                                                 (abut_vec3){ test_uniform(&r, -20, 20), 3, 0 }, NULL,
                                                 &motion, NULL);
            break;
        }
        assert_int_equal(status, ABUT_OK);
        const double t0 = test_uniform(&r, 0, 1), t1 = test_below(&r, 3) ? test_uniform(&r, t0, 1) : t0;
        abut_aabb box;
        assert_int_equal(abut_shape_world_bounds_over(b.shape, motion, (abut_interval){ t0, t1 }, &box),
                         ABUT_OK);
        for (int s = 0; s <= 8; ++s) {
            abut_affine at;
            assert_int_equal(abut_motion_at(motion, t0 + (t1 - t0) * s / 8, &at), ABUT_OK);
            for (int k = 0; k < b.count; k += 3) {
                long double p[3];
                const double shift[3] = { at.translation.x, at.translation.y, at.translation.z };
                for (int i = 0; i < 3; ++i)
                    p[i] = (long double)at.linear.m[i][0] * b.points[k].x +
                           (long double)at.linear.m[i][1] * b.points[k].y +
                           (long double)at.linear.m[i][2] * b.points[k].z + shift[i];
                /* abut_motion_at is rounded: a few ulp of what it moves */
                check_inside(&box, p, 100 * size, "motion", seed);
            }
        }
        abut_motion_release(motion);
        abut_shape_release(b.shape);
    }
}

static void test_exact(void **state)
{
    (void)state;
    abut_shape *box, *space;
    abut_aabb out;
    assert_int_equal(abut_shape_create_box((abut_vec3){ 1, 2, 3 }, NULL, &box), ABUT_OK);
    const abut_pose pose = { { 10, 20, 30 }, { 2, 0, 0, 0 } };
    assert_int_equal(abut_shape_world_bounds(box, &pose, &out), ABUT_OK);
    assert_true(out.lo.x == 9 && out.lo.y == 18 && out.lo.z == 27 && out.hi.x == 11 && out.hi.y == 22 &&
                out.hi.z == 33);
    assert_int_equal(abut_shape_world_bounds(box, NULL, &out), ABUT_OK);
    assert_true(out.hi.z == 3);
    /* the next double outside */
    const abut_pose far = { { 1e16, 0, 0 }, { 1, 0, 0, 0 } };
    assert_int_equal(abut_shape_world_bounds(box, &far, &out), ABUT_OK);
    assert_true(out.hi.x == 1e16 + 2 && out.lo.x == 1e16 - 2);
    assert_int_equal(abut_shape_create_halfspace((abut_vec3){ 0, 0, 2 }, 4, NULL, &space), ABUT_OK);
    assert_int_equal(abut_shape_world_bounds(space, NULL, &out), ABUT_OK);
    assert_true(isinf(out.lo.x) && isinf(out.hi.y) && isinf(out.lo.z) && out.hi.z >= 2 && out.hi.z < 2.001);
    const abut_pose bad[] = { { { NAN, 0, 0 }, { 1, 0, 0, 0 } },
                              { { 0, 0, 0 }, { 0, 0, 0, 0 } },
                              { { 0, INFINITY, 0 }, { 1, 0, 0, 0 } } };
    for (int i = 0; i < 3; ++i)
        assert_int_equal(abut_shape_world_bounds(box, &bad[i], &out), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_world_bounds(NULL, NULL, &out), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_world_bounds_over(box, NULL, (abut_interval){ 1, 0 }, &out),
                     ABUT_ERR_ARGUMENT);
    /* meshes whose vertices move */
    const abut_vec3 at[2][3] = { { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
                                 { { 0, 0, 5 }, { 1, 0, -1 }, { 0, 1, 0 } } };
    const uint32_t triangle[3] = { 0, 1, 2 };
    const abut_vertex_key keys[2] = { { 0, at[0], 3 }, { 1, at[1], 3 } };
    abut_shape *mesh;
    abut_motion *motion;
    assert_int_equal(abut_shape_create_mesh(at[0], 3, triangle, 1, false, NULL, &mesh, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_vertices(keys, 2, NULL, &motion, NULL), ABUT_OK);
    assert_int_equal(abut_shape_world_bounds_over(mesh, motion, (abut_interval){ 0, 1 }, &out), ABUT_OK);
    assert_true(out.lo.z == -1 && out.hi.z == 5 && out.hi.x == 1);
    assert_int_equal(abut_shape_world_bounds_over(mesh, motion, (abut_interval){ 0, 2 }, &out),
                     ABUT_ERR_ARGUMENT);
    abut_motion_release(motion);
    abut_shape_release(mesh);
    abut_shape_release(box);
    abut_shape_release(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_poses), cmocka_unit_test(test_cubes),
                                        cmocka_unit_test(test_motions), cmocka_unit_test(test_exact) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
