/* SPDX-License-Identifier: MIT */
/* Bodies inside one another: every kind of solid small inside every kind large, whose boundaries are
 * far apart, and inside the cavities and holes of others. What the verdict must be is clear from how
 * they are made. */
#include "abut/query.h"
#include "abut/scene.h"
#include "support/test.h"

/* "@3" stands for 3 times the size. Each holds the ball of that size about `middle` (in sizes). */
#define CUBE(a)                                                                                            \
    "[@-" a ",@-" a ",@-" a "],[@" a ",@-" a ",@-" a "],[@-" a ",@" a ",@-" a "],[@" a ",@" a ",@-" a "]," \
    "[@-" a ",@-" a ",@" a "],[@" a ",@-" a ",@" a "],[@-" a ",@" a ",@" a "],[@" a ",@" a ",@" a "]"
#define QUADS "[0,2,3,1],[4,5,7,6],[0,1,5,4],[2,6,7,3],[0,4,6,2],[1,3,7,5]"
#define TRIANGLES \
    "[0,2,3],[0,3,1],[4,5,7],[4,7,6],[0,1,5],[0,5,4],[2,6,7],[2,7,3],[0,4,6],[0,6,2],[1,3,7],[1,7,5]"
#define PATCH(a, b, c, d) "{\"degree\":[1,1],\"points\":[" a "," b "," c "," d "]}"
/* clang-format off */
#define CUBE_OF_PATCHES                                                           \
    PATCH("[@-1,@-1,@-1]", "[@-1,@1,@-1]", "[@1,@-1,@-1]", "[@1,@1,@-1]") ","     \
    PATCH("[@-1,@-1,@1]", "[@1,@-1,@1]", "[@-1,@1,@1]", "[@1,@1,@1]") ","         \
    PATCH("[@-1,@-1,@-1]", "[@1,@-1,@-1]", "[@-1,@-1,@1]", "[@1,@-1,@1]") ","     \
    PATCH("[@-1,@1,@-1]", "[@-1,@1,@1]", "[@1,@1,@-1]", "[@1,@1,@1]") ","         \
    PATCH("[@-1,@-1,@-1]", "[@-1,@-1,@1]", "[@-1,@1,@-1]", "[@-1,@1,@1]") ","     \
    PATCH("[@1,@-1,@-1]", "[@1,@1,@-1]", "[@1,@-1,@1]", "[@1,@1,@1]")
/* clang-format on */
#define BALL(u, v) "\"u\":[0," u "],\"v\":[0," v "],\"wrap\":[\"u\"]}"

typedef struct kind {
    const char *name, *shape;
    double middle[3];
    bool endless; /* only as the large one */
} kind;

static const kind kinds[] = {
    { .name = "sphere", .shape = "{\"type\":\"sphere\",\"radius\":@1}" },
    { .name = "box", .shape = "{\"type\":\"box\",\"half\":[@1,@1,@1.5]}" },
    { .name = "capsule", .shape = "{\"type\":\"capsule\",\"radius\":@1,\"height\":@1}" },
    { .name = "cylinder", .shape = "{\"type\":\"cylinder\",\"radius\":@1,\"height\":@2}" },
    { .name = "cone", .shape = "{\"type\":\"cone\",\"radius\":@4,\"height\":@6}", .middle = { 0, 0, -1 } },
    { .name = "ellipsoid", .shape = "{\"type\":\"ellipsoid\",\"radii\":[@1,@1.25,@1.5]}" },
    { .name = "torus", .shape = "{\"type\":\"torus\",\"major\":@3,\"minor\":@1.25}", .middle = { 3, 0, 0 } },
    { .name = "halfspace",
      .shape = "{\"type\":\"halfspace\",\"normal\":[0,0,1],\"offset\":@1}",
      .endless = true },
    { .name = "convex", .shape = "{\"type\":\"convex\",\"points\":[" CUBE("1") "]}" },
    { .name = "rounded", .shape = "{\"type\":\"convex\",\"points\":[" CUBE("0.75") "],\"margin\":@0.25}" },
    { .name = "swept",
      .shape = "{\"type\":\"swept\",\"of\":{\"type\":\"cylinder\",\"radius\":@1,\"height\":@2},\"margin\":@0."
               "25}" },
    { .name = "mesh, solid",
      .shape =
          "{\"type\":\"mesh\",\"solid\":true,\"vertices\":[" CUBE("1") "],\"triangles\":[" TRIANGLES "]}" },
    { .name = "polyhedron",
      .shape = "{\"type\":\"polyhedron\",\"vertices\":[" CUBE("1") "],\"faces\":[" QUADS "]}" },
    { .name = "heightfield",
      .shape = "{\"type\":\"heightfield\",\"columns\":2,\"rows\":2,\"spacing\":[@4,@4],\"heights\":[@1,@1,@1,"
               "@1.5]}",
      .endless = true },
    { .name = "parametric",
      .shape = "{\"type\":\"parametric\",\"x\":\"@1*cos(u)*sin(v)\",\"y\":\"-@1*sin(u)*sin(v)\",\"z\":\"@1*"
               "cos(v)\"," BALL("6.283185307179586", "3.141592653589793") },
    { .name = "bezier", .shape = "{\"type\":\"bezier\",\"patches\":[" CUBE_OF_PATCHES "]}" },
    { .name = "implicit",
      .shape = "{\"type\":\"implicit\",\"f\":\"x^4+y^4+z^4-@1^4\",\"bounds\":[[@-2,@-2,@-2],[@2,@2,@2]]}" },
    { .name = "implicit, cut",
      .shape = "{\"type\":\"implicit\",\"f\":\"x^2+y^2-@1^2\",\"bounds\":[[@-2,@-2,@-1],[@2,@2,@1]]}" },
    { .name = "csg",
      .shape = "{\"type\":\"csg\",\"op\":\"intersection\",\"of\":[{\"type\":\"sphere\",\"radius\":@1.25},"
               "{\"type\":\"box\",\"half\":[@1,@1,@1]}]}" },
    { .name = "extrude",
      .shape = "{\"type\":\"extrude\",\"profile\":[[@-1,@-1],[@1,@-1],[@1,@1,0.25],[@-1,@1]],\"height\":@2}",
      .middle = { 0, 0, 1 } },
    { .name = "revolve",
      .shape = "{\"type\":\"revolve\",\"profile\":[[0,@-1],[@1,@-1],[@1.25,0],[@1,@1,0.125],[0,@1]]}" },
    { .name = "solid",
      .shape = "{\"type\":\"solid\",\"surfaces\":[{\"type\":\"sphere\",\"center\":[0,0,0],\"radius\":@1}],"
               "\"vertices\":[],\"edges\":[],\"faces\":[{\"surface\":0,\"outward\":1,\"loops\":[]}]}" },
    { .name = "compound",
      .shape = "{\"type\":\"compound\",\"of\":[{\"shape\":{\"type\":\"sphere\",\"radius\":@1}},{\"shape\":"
               "{\"type\":\"box\",\"half\":[@0.5,@0.5,@0.5]},\"pose\":{\"position\":[@1,0,0]}}]}" },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Material between 3 and 5 sizes from the origin, at least along the axes x and y. */
static const kind hollow[] = {
    { .name = "parametric, inverted",
      .shape = "{\"type\":\"parametric\",\"x\":\"@3*cos(u)*sin(v)\",\"y\":\"@3*sin(u)*sin(v)\",\"z\":\"@3*"
               "cos(v)\"," BALL("6.283185307179586", "3.141592653589793") },
    { .name = "polyhedron",
      .shape = "{\"type\":\"polyhedron\",\"vertices\":[" CUBE("5") "," CUBE(
          "3") "],\"faces\":[" QUADS
               ",[9,11,10,8],[14,15,13,12],[12,13,9,8],[11,15,14,10],[10,14,12,8],[13,15,11,9]]}" },
    { .name = "csg",
      .shape = "{\"type\":\"csg\",\"op\":\"difference\",\"of\":[{\"type\":\"sphere\",\"radius\":@5},"
               "{\"type\":\"sphere\",\"radius\":@3}]}" },
    { .name = "implicit",
      .shape =
          "{\"type\":\"implicit\",\"f\":\"(x^2+y^2+z^2-@3^2)*(x^2+y^2+z^2-@5^2)\",\"bounds\":[[@-6,@-6,@-6],"
          "[@6,@6,@6]]}" },
    { .name = "torus", .shape = "{\"type\":\"torus\",\"major\":@5,\"minor\":@2}" },
    { .name = "revolve", .shape = "{\"type\":\"revolve\",\"profile\":[[@3,@-5],[@5,@-5],[@5,@5],[@3,@5]]}" },
    { .name = "solid",
      .shape = "{\"type\":\"solid\",\"surfaces\":[{\"type\":\"sphere\",\"center\":[0,0,0],\"radius\":@5},{"
               "\"type\":"
               "\"sphere\",\"center\":[0,0,0],\"radius\":@3}],\"vertices\":[],\"edges\":[],\"faces\":[{"
               "\"surface\":0,"
               "\"outward\":1,\"loops\":[]},{\"surface\":1,\"outward\":-1,\"loops\":[]}]}" },
};
enum { HOLLOW = sizeof hollow / sizeof *hollow, ALL = 2 * KINDS + HOLLOW, TEXT = 1 << 16, SPREAD = 197 };

static abut_scene *scene;

static size_t expand(const char *shape, double size, char *out)
{
    size_t n = 0;
    while (*shape)
        if (*shape == '@') {
            char *end;
            const double x = strtod(shape + 1, &end) * size;
            n += (size_t)sprintf(out + n, "%.17g", x);
            shape = end;
        } else {
            out[n++] = *shape++;
        }
    return n;
}

/* Small ones, large ones, hollow ones. */
static int open_scene(void **state)
{
    (void)state;
    static char text[TEXT];
    size_t n = (size_t)sprintf(text, "{\"abut\":1,\"objects\":[");
    for (int i = 0; i < ALL; ++i) {
        const kind *k = i < KINDS ? &kinds[i] : i < 2 * KINDS ? &kinds[i - KINDS] : &hollow[i - 2 * KINDS];
        n += (size_t)sprintf(text + n, "%s{\"name\":\"k%d\",\"shape\":", i ? "," : "", i);
        n += expand(k->shape, i < KINDS ? 0.125 : i < 2 * KINDS ? 4 : 1, text + n);
        n += (size_t)sprintf(text + n, "}");
        assert_true(n + 2048 < TEXT);
    }
    n += (size_t)sprintf(text + n, "]}");
    abut_error error;
    const abut_status status = abut_scene_parse(text, n, "nested", NULL, &scene, &error);
    TEST_CHECK(status == ABUT_OK, "%s: %s", error.path, error.text);
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    abut_scene_destroy(scene);
    return 0;
}

static const abut_shape *shape_of(int i)
{
    return abut_scene_get_object(scene, (size_t)i).shape;
}

static abut_quat random_turn(test_random *r)
{
    const abut_quat q = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                          test_uniform(r, -1, 1) };
    const double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return n > 0.1 ? (abut_quat){ q.w / n, q.x / n, q.y / n, q.z / n } : (abut_quat){ 1, 0, 0, 0 };
}

static void ask(test_random *r, int inner, int outer, abut_vec3 at, const double middle[3], bool meets,
                const char *name)
{
    const abut_pose still = { { -4 * middle[0], -4 * middle[1], -4 * middle[2] }, { 1, 0, 0, 0 } };
    const abut_pose pose = { at, random_turn(r) };
    const bool swapped = test_below(r, 2);
    const abut_shape *a = shape_of(inner), *b = shape_of(outer);
    abut_check_result c;
    assert_int_equal(swapped ? abut_check(b, &still, a, &pose, NULL, NULL, &c)
                             : abut_check(a, &pose, b, &still, NULL, NULL, &c),
                     ABUT_OK);
    TEST_CHECK(c.verdict == (meets ? ABUT_PENETRATING : ABUT_SEPARATE), "%s: %s, distance %g to %g", name,
               abut_verdict_name(c.verdict), c.distance.lo, c.distance.hi);
    TEST_CHECK(meets || (c.distance.lo > 0.5 && c.distance.hi < 4), "%s: distance %g to %g", name,
               c.distance.lo, c.distance.hi);
    abut_overlap_result o;
    abut_distance_result d;
    assert_int_equal(swapped ? abut_overlap(b, &still, a, &pose, NULL, NULL, &o)
                             : abut_overlap(a, &pose, b, &still, NULL, NULL, &o),
                     ABUT_OK);
    assert_int_equal(swapped ? abut_distance(b, &still, a, &pose, NULL, NULL, &d)
                             : abut_distance(a, &pose, b, &still, NULL, NULL, &d),
                     ABUT_OK);
    TEST_CHECK(o.verdict == c.verdict && d.verdict == c.verdict && d.distance.lo <= c.distance.hi &&
                   c.distance.lo <= d.distance.hi,
               "%s: overlap says %s, distance %s, %g to %g", name, abut_verdict_name(o.verdict),
               abut_verdict_name(d.verdict), d.distance.lo, d.distance.hi);
    abut_motion *by, *rest;
    const abut_placement start = abut_placement_from_pose(pose), there = abut_placement_from_pose(still);
    const abut_vec3 none = { 0, 0, 0 }, speed = { 0.25, 0, 0 };
    assert_int_equal(abut_motion_create_velocity(0, 1, &start, speed, none, NULL, &by, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_static(&there, NULL, &rest, NULL), ABUT_OK);
    abut_first_result f;
    assert_int_equal(swapped ? abut_first_contact(b, rest, a, by, NULL, NULL, &f)
                             : abut_first_contact(a, by, b, rest, NULL, NULL, &f),
                     ABUT_OK);
    TEST_CHECK(f.verdict == (meets ? ABUT_FIRST_OVERLAPPING : ABUT_FIRST_SEPARATE), "%s: first says %s", name,
               abut_first_verdict_name(f.verdict));
    abut_motion_release(by);
    abut_motion_release(rest);
}

static abut_vec3 near_origin(test_random *r)
{
    return (abut_vec3){ test_uniform(r, -0.5, 0.5), test_uniform(r, -0.5, 0.5), test_uniform(r, -0.5, 0.5) };
}

/* Small ones in so many others, of which the first is that object of the scene; SPREAD: the first pairs of a
 * short run are of all kinds. */
static void ask_all(const kind *outers, uint64_t count, int first, bool meets)
{
    for (uint64_t i = 0; i < test_count(KINDS * count); ++i) {
        const uint64_t pair = i * SPREAD % (KINDS * count);
        const int inner = (int)(pair % KINDS), outer = (int)(pair / KINDS);
        test_random r = test_seed(i);
        char name[96];
        if (kinds[inner].endless)
            continue;
        (void)snprintf(name, sizeof name, "seed %" PRIu64 ", %s in %s", i, kinds[inner].name,
                       outers[outer].name);
        ask(&r, inner, first + outer, near_origin(&r), outers[outer].middle, meets, name);
    }
}

static void nested(void **state)
{
    (void)state;
    ask_all(kinds, KINDS, KINDS, true);
}

static void in_cavities(void **state)
{
    (void)state;
    ask_all(hollow, HOLLOW, 2 * KINDS, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nested), cmocka_unit_test(in_cavities) };
    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
