/* SPDX-License-Identifier: MIT */
/* Segments and rays against what is known of points and of the same lines.
 *
 * The ends of a segment are where abut_classify_point says that they are, by the same feature: on a
 * lattice many ends lie on vertices, edges and faces. A line is the same wherever it is said to
 * start: with small whole numbers and steps of 2^k all is exact, and its meetings are those of the
 * near start, with the same normals. */
#include "abut/query.h"

#include "support/test.h"

#include <inttypes.h>
#include <math.h>

typedef struct body {
    const char *name;
    abut_shape *shape;
} body;

enum { BODIES = 14 };

static int make_bodies(body list[BODIES], test_random *r)
{
    static const abut_vec3 cube[8] = { { -0.5, -0.5, -0.5 }, { 0.5, -0.5, -0.5 }, { -0.5, 0.5, -0.5 },
                                       { 0.5, 0.5, -0.5 },   { -0.5, -0.5, 0.5 }, { 0.5, -0.5, 0.5 },
                                       { -0.5, 0.5, 0.5 },   { 0.5, 0.5, 0.5 } };
    static const uint32_t sides[36] = { 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5 };
    static const abut_vec3 tetrahedron[4] = { { -1, -1, -1 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    double heights[16];
    const size_t columns = 2 + test_below(r, 3), rows = 2 + test_below(r, 3);
    for (int k = 0; k < 16; ++k)
        heights[k] = 0.5 * (int)test_below(r, 4) - 0.5;
    int n = 0;
    abut_status status = ABUT_OK;
#define MAKE(text, call)               \
    list[n].name = text;               \
    list[n].shape = NULL;              \
    status = (call);                   \
    assert_int_equal(status, ABUT_OK); \
    ++n
    MAKE("field", abut_shape_create_heightfield(columns, rows, 0.5, 1, heights, NULL, &list[n].shape, NULL));
    MAKE("sphere", abut_shape_create_sphere(1, NULL, &list[n].shape));
    MAKE("box", abut_shape_create_box((abut_vec3){ 0.5, 0.25, 1 }, NULL, &list[n].shape));
    MAKE("capsule", abut_shape_create_capsule(0.5, 1, NULL, &list[n].shape));
    MAKE("cylinder", abut_shape_create_cylinder(0.5, 1, NULL, &list[n].shape));
    MAKE("cone", abut_shape_create_cone(1, 1, NULL, &list[n].shape));
    MAKE("ellipsoid", abut_shape_create_ellipsoid((abut_vec3){ 0.5, 1, 0.75 }, NULL, &list[n].shape));
    MAKE("hull", abut_shape_create_convex(tetrahedron, 4, 0, NULL, &list[n].shape, NULL));
    MAKE("cube", abut_shape_create_convex(cube, 8, 0, NULL, &list[n].shape, NULL));
    MAKE("mesh", abut_shape_create_mesh(cube, 8, sides, 12, true, NULL, &list[n].shape, NULL));
    MAKE("surface", abut_shape_create_mesh(cube, 8, sides, 9, false, NULL, &list[n].shape, NULL));
    MAKE("torus", abut_shape_create_torus(1, 0.5, NULL, &list[n].shape));
    MAKE("rounded", abut_shape_create_convex(tetrahedron, 4, 0.25, NULL, &list[n].shape, NULL));
    MAKE("implicit", abut_shape_create_implicit("x^2+y^2+z^4-1", (abut_aabb){ { -2, -2, -2 }, { 2, 2, 2 } },
                                                NULL, &list[n].shape, NULL));
#undef MAKE
    return n;
}

static void drop_bodies(body *list, int count)
{
    for (int k = 0; k < count; ++k)
        abut_shape_release(list[k].shape);
}

static bool is_boundary(abut_where where)
{
    return where >= ABUT_WHERE_VERTEX;
}

static abut_vec3 lattice(test_random *r, double step, unsigned most)
{
    const double x = step * ((int)test_below(r, 2 * most + 1) - (int)most),
                 y = step * ((int)test_below(r, 2 * most + 1) - (int)most),
                 z = step * ((int)test_below(r, 2 * most + 1) - (int)most);
    return (abut_vec3){ x, y, z };
}

static void check_end(const body *b, const abut_piece *p, const abut_piece *end, const abut_vec3 at[2],
                      uint64_t seed)
{
    if (end->where == ABUT_WHERE_UNKNOWN || p->where == ABUT_WHERE_UNKNOWN)
        return;
    /* Within a run in the boundary an end is part of that. */
    const bool same = p->from == p->to        ? p->where == end->where && p->id == end->id
                      : is_boundary(p->where) ? is_boundary(end->where)
                                              : p->where == end->where;
    TEST_CHECK(same, "%s, seed %" PRIu64 ": (%g, %g, %g) to (%g, %g, %g): %s %d, the point is %s %d", b->name,
               seed, at[0].x, at[0].y, at[0].z, at[1].x, at[1].y, at[1].z, abut_where_name(p->where),
               (int)p->id, abut_where_name(end->where), (int)end->id);
}

static void ends_of_segments_are_points(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(40); ++seed) {
        test_random r = test_seed(seed);
        body list[BODIES];
        const int count = make_bodies(list, &r);
        for (int b = 0; b < count; ++b)
            for (int k = 0; k < (b == 0 ? 400 : b == 13 ? 4 : 40); ++k) {
                const abut_vec3 at[2] = { lattice(&r, 0.25, 6), lattice(&r, 0.25, 6) };
                abut_piece ends[2], pieces[64];
                size_t n;
                for (int i = 0; i < 2; ++i)
                    assert_int_equal(abut_classify_point(list[b].shape, NULL, at[i], &ends[i]), ABUT_OK);
                assert_int_equal(abut_classify_segment(list[b].shape, NULL, at[0], at[1], pieces, 64, &n),
                                 ABUT_OK);
                assert_true(n > 0 && n <= 64);
                check_end(&list[b], &pieces[0], &ends[0], at, seed);
                check_end(&list[b], &pieces[n - 1], &ends[1], at, seed);
            }
        drop_bodies(list, count);
    }
}

/* Rounded and curved bodies whose lines are found by search: grazes within rounding may be seen
 * from one place and not from the other. */
static bool is_searched(const body *b)
{
    return b->name[0] == 'r' || b->name[0] == 'i';
}

static void lines_do_not_depend_on_their_start(void **state)
{
    (void)state;
    static const int steps[] = { 8, 20, 29, 33, 40, 50 };
    for (uint64_t seed = 0; seed < test_count(30); ++seed) {
        test_random r = test_seed(seed + 1000);
        body list[BODIES];
        const int count = make_bodies(list, &r);
        for (int b = 0; b < count; ++b)
            for (int k = 0; k < 24; ++k) {
                /* Far starts are exact: along an axis any distance will do, otherwise 53 bits hold
                 * both ends. */
                const bool axial = k % 2;
                abut_vec3 near = lattice(&r, 0.25, 5), d = lattice(&r, 1, 2);
                int exponent = steps[test_below(&r, sizeof steps / sizeof *steps)];
                if (axial) {
                    const unsigned axis = test_below(&r, 3);
                    d = (abut_vec3){ axis == 0, axis == 1, axis == 2 };
                    if (axis == 0)
                        near.x = 0;
                    else if (axis == 1)
                        near.y = 0;
                    else
                        near.z = 0;
                    exponent = 40 + (int)test_below(&r, 980);
                }
                if (d.x == 0 && d.y == 0 && d.z == 0)
                    continue;
                const double step = ldexp(1, exponent);
                const abut_vec3 far = { near.x - step * d.x, near.y - step * d.y, near.z - step * d.z };
                if (far.x + step * d.x != near.x || far.y + step * d.y != near.y ||
                    far.z + step * d.z != near.z)
                    continue;
                abut_ray_hit here[32], there[32];
                size_t n, m;
                assert_int_equal(abut_cast_line(list[b].shape, NULL, near, d, here, 32, &n), ABUT_OK);
                const abut_status status = abut_cast_ray(list[b].shape, NULL, far, d, there, 32, &m);
                assert_int_equal(status, ABUT_OK);
                if (n != m && is_searched(&list[b]))
                    continue;
                TEST_CHECK(n == m,
                           "%s, seed %" PRIu64
                           ": (%g, %g, %g) along (%g, %g, %g): %zu hits, %zu from 2^%d away",
                           list[b].name, seed, near.x, near.y, near.z, d.x, d.y, d.z, n, m, exponent);
                for (size_t i = 0; i < n && i < 32; ++i) {
                    TEST_CHECK(fabs(there[i].t - (here[i].t + step)) <= 0x1p-50 * step,
                               "%s, seed %" PRIu64 ": t %a, not %a", list[b].name, seed, there[i].t,
                               here[i].t + step);
                    const double off = fabs(here[i].normal.x - there[i].normal.x) +
                                       fabs(here[i].normal.y - there[i].normal.y) +
                                       fabs(here[i].normal.z - there[i].normal.z);
                    TEST_CHECK(off < 1e-6,
                               "%s, seed %" PRIu64
                               ": (%g, %g, %g) along (%g, %g, %g) from 2^%d: normal (%g, %g, "
                               "%g), not (%g, %g, %g)",
                               list[b].name, seed, near.x, near.y, near.z, d.x, d.y, d.z, exponent,
                               there[i].normal.x, there[i].normal.y, there[i].normal.z, here[i].normal.x,
                               here[i].normal.y, here[i].normal.z);
                }
            }
        drop_bodies(list, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_of_segments_are_points),
        cmocka_unit_test(lines_do_not_depend_on_their_start),
    };
    return cmocka_run_group_tests_name("segment_ends", tests, NULL, NULL);
}
