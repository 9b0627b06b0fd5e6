/* SPDX-License-Identifier: MIT */
/* Points against meshes: the nearest point against every triangle in long doubles, at all sizes
 * and from far away; where points stand under turned and shifted placements. */
#include "oracle/voxel_mesh.h"

enum { VERTICES = 30, TRIANGLES = 40 };

__extension__ typedef __float128 real; /* 113 bits: slivers lose 50 */

typedef struct l3 {
    real x, y, z;
} l3;

static real least(real a, real b)
{
    return a < b ? a : b;
}

static l3 sub(l3 a, l3 b)
{
    return (l3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static l3 madd(l3 a, real s, l3 b)
{
    return (l3){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static real dot(l3 a, l3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static l3 cross(l3 a, l3 b)
{
    return (l3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

/* Square of the distance of p from a triangle: its edges, and its inside where the foot is
 * there. */
static real square_distance(l3 p, const l3 t[3])
{
    real best = (real)INFINITY;
    for (int k = 0; k < 3; ++k) {
        const l3 a = t[k], e = sub(t[(k + 1) % 3], a), d = sub(p, a);
        const real square = dot(e, e);
        real s = square > 0 ? dot(d, e) / square : 0;
        s = s < 0 ? 0 : s > 1 ? 1 : s;
        const l3 x = madd(d, -s, e);
        best = least(best, dot(x, x));
    }
    const l3 n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    const real nn = dot(n, n);
    for (int k = 0; k < 3; ++k)
        if (!(dot(cross(n, sub(t[(k + 1) % 3], t[k])), sub(p, t[k])) > 0))
            return best;
    const real height = dot(n, sub(p, t[0]));
    return nn > 0 ? least(best, height * height / nn) : best;
}

static l3 turn(abut_quat q, l3 v)
{
    const real w = q.w, x = q.x, y = q.y, z = q.z, n = w * w + x * x + y * y + z * z;
    return (l3){
        ((w * w + x * x - y * y - z * z) * v.x + 2 * (x * y - w * z) * v.y + 2 * (x * z + w * y) * v.z) / n,
        (2 * (x * y + w * z) * v.x + (w * w - x * x + y * y - z * z) * v.y + 2 * (y * z - w * x) * v.z) / n,
        (2 * (x * z - w * y) * v.x + 2 * (y * z + w * x) * v.y + (w * w - x * x - y * y + z * z) * v.z) / n
    };
}

static void test_closest(void **state)
{
    (void)state;
    const unsigned count = (unsigned)test_count(20000);
    double widest = 0;
    for (unsigned seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        static const double sizes[] = { 1, 1, 1, 1e-150, 1e150, 1e6, 1e-300, 1e300 };
        const double size = sizes[test_below(&r, 8)];
        const double thin = test_below(&r, 3) ? 1 : 1e-9, sliver = test_below(&r, 3) ? 1 : 1e-7;
        abut_vec3 v[VERTICES];
        uint32_t t[3 * TRIANGLES];
        const unsigned vertices = 3 + test_below(&r, VERTICES - 3),
                       triangles = 1 + test_below(&r, TRIANGLES - 1);
        for (unsigned i = 0; i < vertices; ++i)
            v[i] = (abut_vec3){ size * test_uniform(&r, -1, 1), size * sliver * test_uniform(&r, -1, 1),
                                size * thin * test_uniform(&r, -1, 1) };
        for (unsigned i = 0; i < 3 * triangles; ++i)
            t[i] = test_below(&r, vertices);
        abut_mesh_opts opts;
        abut_mesh_opts_init(&opts);
        opts.volume = test_below(&r, 2) ? ABUT_VOLUME_AUTO : (abut_volume)test_below(&r, ABUT_VOLUME_COUNT);
        abut_shape *mesh;
        assert_int_equal(abut_shape_create_mesh_with(v, vertices, t, triangles, &opts, NULL, &mesh, NULL),
                         ABUT_OK);
        const abut_quat q = test_below(&r, 2)
                                ? (abut_quat){ 1, 0, 0, 0 }
                                : (abut_quat){ test_uniform(&r, -1, 1), test_uniform(&r, -1, 1),
                                               test_uniform(&r, -1, 1), test_uniform(&r, -1, 1) };
        const abut_pose pose = { { size * test_uniform(&r, -1, 1), size * test_uniform(&r, -1, 1), 0 }, q };
        const double far = test_below(&r, 4) ? 1 : test_below(&r, 2) ? 1e-9 : 1e5;
        abut_vec3 p = { pose.position.x + far * size * test_uniform(&r, -1, 1),
                        pose.position.y + far * size * test_uniform(&r, -1, 1),
                        far * size * test_uniform(&r, -1, 1) };
        if (size > 1e200 && far > 1)
            p = pose.position;
        /* All in units of the size, so that squares stay in range. */
        real square = (real)INFINITY;
        const real unit = 1 / (real)size;
        for (unsigned i = 0; i < triangles; ++i) {
            l3 c[3];
            for (unsigned k = 0; k < 3; ++k) {
                const abut_vec3 w = v[t[3 * i + k]];
                c[k] = turn(q, (l3){ unit * w.x, unit * w.y, unit * w.z });
                c[k] = madd(c[k], unit, (l3){ pose.position.x, pose.position.y, pose.position.z });
            }
            square = least(square, square_distance((l3){ unit * p.x, unit * p.y, unit * p.z }, c));
        }
        const long double best = sqrtl((long double)square) * size;
        abut_closest_result out;
        assert_int_equal(abut_closest_point(mesh, &pose, p, INFINITY, &out), ABUT_OK);
        const long double doubt = 1e-18L * best; /* of the referee */
        TEST_CHECK(out.distance.lo <= best + doubt && out.distance.hi >= best - doubt,
                   "seed %u: [%a, %a], it is %La", seed, out.distance.lo, out.distance.hi, best);
        const double width = (out.distance.hi - out.distance.lo) / (size * fmax(1, far));
        widest = fmax(widest, width);
        TEST_CHECK(out.feature != ABUT_FEATURE_NONE, "seed %u", seed);
        const double reached = hypot(hypot(out.point.x - p.x, out.point.y - p.y), out.point.z - p.z);
        TEST_NEAR(reached, (double)best, 1e-14 * size * fmax(1, far), "seed %u", seed);
        if (best > 1e-6 * size) {
            assert_int_equal(abut_closest_point(mesh, &pose, p, (double)(0.9L * best), &out), ABUT_OK);
            TEST_CHECK(out.distance.lo > (double)(0.9L * best) && out.feature == ABUT_FEATURE_NONE,
                       "seed %u: %a", seed, out.distance.lo);
            assert_int_equal(abut_closest_point(mesh, &pose, p, (double)(1.1L * best), &out), ABUT_OK);
            TEST_CHECK(out.distance.lo <= best + doubt && out.distance.hi >= best - doubt &&
                           out.feature != ABUT_FEATURE_NONE,
                       "seed %u: within: [%a, %a], it is %La", seed, out.distance.lo, out.distance.hi, best);
        }
        abut_shape_release(mesh);
    }
    print_message("widest enclosure: %g of the size\n", widest);
    TEST_CHECK(widest < 1e-6, "%g", widest);
}

/* Placements that are exact, of which the mesh's own coordinates are not doubles: a hair inside
 * or outside of what stands on integers. */
static void test_hair(void **state)
{
    (void)state;
    const unsigned count = (unsigned)test_count(5000);
    for (unsigned seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        voxel_mesh m;
        voxel_mesh_solid(&r, &m);
        abut_shape *mesh = voxel_mesh_shape(&m, 0);
        if (!mesh)
            continue;
        const double hair = ldexp(1, -60 - (int)test_below(&r, 900));
        for (int i = 0; i < 8; ++i) {
            const int64_t x[3] = { (int64_t)test_below(&r, 6) - 1, (int64_t)test_below(&r, 6) - 1,
                                   (int64_t)test_below(&r, 6) - 1 };
            double shift[3];
            voxel_number p[3];
            for (int k = 0; k < 3; ++k) {
                const int way = (int)test_below(&r, 2) ? 1 : -1;
                shift[k] = way * hair;
                p[k] = (voxel_number){ 4 * x[k] - way, 4 }; /* the same cube as a hair away */
            }
            const abut_pose pose = { { shift[0], shift[1], shift[2] }, { 1, 0, 0, 0 } };
            const abut_vec3 q = { (double)x[0], (double)x[1], (double)x[2] };
            abut_piece piece;
            assert_int_equal(abut_classify_point(mesh, &pose, q, &piece), ABUT_OK);
            const abut_where expected = voxel_mesh_where(&m, p) == 1 ? ABUT_WHERE_IN : ABUT_WHERE_OUT;
            TEST_CHECK(piece.where == expected, "seed %u: %s, it is %s (hair %a)", seed,
                       abut_where_name(piece.where), abut_where_name(expected), hair);
        }
        abut_shape_release(mesh);
    }
}

/* Under any rotation: never wrong, and unknown only next to the surface. */
static void test_turned(void **state)
{
    (void)state;
    const unsigned count = (unsigned)test_count(3000);
    unsigned unknown = 0, all = 0;
    for (unsigned seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        voxel_mesh m;
        voxel_mesh_solid(&r, &m);
        abut_shape *mesh = voxel_mesh_shape(&m, 0);
        if (!mesh)
            continue;
        const abut_quat q = { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1),
                              test_uniform(&r, -1, 1) };
        for (int i = 0; i < 8; ++i) {
            const int64_t unit = 4;
            const l3 local = { (long double)((int64_t)test_below(&r, 20) - 4) / unit,
                               (long double)((int64_t)test_below(&r, 20) - 4) / unit,
                               (long double)((int64_t)test_below(&r, 20) - 4) / unit };
            const voxel_number p[3] = { { (int64_t)(4 * local.x), 4 },
                                        { (int64_t)(4 * local.y), 4 },
                                        { (int64_t)(4 * local.z), 4 } };
            const l3 w = turn(q, local);
            const abut_pose pose = { { 0, 0, 0 }, q };
            abut_piece piece;
            assert_int_equal(abut_classify_point(
                                 mesh, &pose, (abut_vec3){ (double)w.x, (double)w.y, (double)w.z }, &piece),
                             ABUT_OK);
            const int where = voxel_mesh_where(&m, p);
            ++all;
            unknown += piece.where == ABUT_WHERE_UNKNOWN;
            TEST_CHECK(where < 0 || piece.where == (where ? ABUT_WHERE_IN : ABUT_WHERE_OUT),
                       "seed %u: %s for %d", seed, abut_where_name(piece.where), where);
        }
        abut_shape_release(mesh);
    }
    print_message("%u of %u unknown, all on the surface\n", unknown, all);
}

/* A vertex that no triangle uses, however far away, takes nothing from the answer. */
static void test_far_vertex(void **state)
{
    (void)state;
    static const double far[] = { 1e199, 1e300, 1e-200, 1.5e308 }, sizes[] = { 1, 1e-150, 1e150, 0x1p-500 };
    for (int i = 0; i < 16; ++i) {
        const double z = sizes[i % 4];
        const abut_vec3 v[4] = { { 0, 0, 0 }, { z, 0, 0 }, { 0, z, 0 }, { far[i / 4], 0, 0 } };
        const uint32_t triangle[3] = { 0, 1, 2 };
        abut_shape *shape;
        abut_closest_result r;
        assert_int_equal(abut_shape_create_mesh(v, 4, triangle, 1, false, NULL, &shape, NULL), ABUT_OK);
        const abut_vec3 p = { .25 * z, .25 * z, 1.25 * z };
        assert_int_equal(abut_closest_point(shape, NULL, p, INFINITY, &r), ABUT_OK);
        TEST_CHECK(r.distance.lo <= 1.25 * z && r.distance.hi >= 1.25 * z &&
                       r.distance.hi - r.distance.lo <= 1e-13 * z,
                   "[%a, %a], size %g, far %g", r.distance.lo, r.distance.hi, z, far[i / 4]);
        abut_shape_release(shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_closest), cmocka_unit_test(test_hair),
                                        cmocka_unit_test(test_turned), cmocka_unit_test(test_far_vertex) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
