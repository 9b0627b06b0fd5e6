/* SPDX-License-Identifier: MIT */
/* Features and ids of contacts: the point must be on the vertex, edge or face that is named, as the numbers of query.h say. Boxes, cylinders and half-spaces on a lattice, so that corners, edges
 * and faces touch exactly. */
#include "support/test.h"

#include <abut/abut.h>

/* Rims that touch lines and rims are met to the root of rounding along them, and to this across. */
static const double close = 1e-7, close_flat = 1e-9;

typedef struct body {
    enum { BOX, CYLINDER, HALFSPACE } kind;
    double h[3];
    abut_pose at;
    abut_shape *shape;
} body;

static const abut_quat turns[4] = { { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 1, 0, 1, 0 }, { 1, 0, 0, 1 } };

/* In the frame of the body, whose turn is a quarter about an axis. */
static void to_local(const body *b, abut_vec3 p, double out[3])
{
    const double x = p.x - b->at.position.x, y = p.y - b->at.position.y, z = p.z - b->at.position.z;
    const abut_quat q = b->at.rotation;
    out[0] = q.y != 0 ? -z : q.z != 0 ? y : x;
    out[1] = q.x != 0 ? z : q.z != 0 ? -x : y;
    out[2] = q.x != 0 ? -y : q.y != 0 ? x : z;
}

static bool at_end(const body *b, const double p[3], int axis, bool positive)
{
    return fabs(p[axis] - (positive ? b->h[axis] : -b->h[axis])) < close_flat;
}

static bool is_on_box(const body *b, const double p[3], abut_feature feature, int64_t id)
{
    if (feature == ABUT_FEATURE_FACE)
        return id >= 0 && id < 6 && at_end(b, p, (int)id / 2, id % 2);
    if (feature == ABUT_FEATURE_EDGE) {
        const int axis = (int)id / 4, first = axis == 0 ? 1 : 0, second = axis == 2 ? 1 : 2;
        return id >= 0 && id < 12 && at_end(b, p, first, id & 1) && at_end(b, p, second, id >> 1 & 1);
    }
    return feature == ABUT_FEATURE_VERTEX && id >= 0 && id < 8 && at_end(b, p, 0, id & 1) &&
           at_end(b, p, 1, id >> 1 & 1) && at_end(b, p, 2, id >> 2 & 1);
}

static bool is_on_cylinder(const body *b, const double p[3], abut_feature feature, int64_t id)
{
    const double r = hypot(p[0], p[1]);
    if (feature == ABUT_FEATURE_EDGE)
        return (id == 0 || id == 1) && at_end(b, p, 2, id) && fabs(r - b->h[0]) < close;
    if (feature != ABUT_FEATURE_FACE)
        return false;
    return id == 0 ? fabs(r - b->h[0]) < close : at_end(b, p, 2, id == 2) && r < b->h[0] + close;
}

static bool is_on(const body *b, abut_vec3 p, abut_feature feature, int64_t id)
{
    double x[3];
    to_local(b, p, x);
    if (b->kind == HALFSPACE)
        return feature == ABUT_FEATURE_FACE && id == 0 && fabs(x[2]) < close_flat;
    return b->kind == BOX ? is_on_box(b, x, feature, id) : is_on_cylinder(b, x, feature, id);
}

static void make(test_random *r, body *b)
{
    b->kind = test_below(r, 5) == 0 ? HALFSPACE : test_below(r, 3) == 0 ? CYLINDER : BOX;
    for (int i = 0; i < 3; ++i)
        b->h[i] = 0.5 + 0.5 * test_below(r, 3);
    b->at.position = (abut_vec3){ 0.5 * test_below(r, 7), 0.5 * test_below(r, 7), 0.5 * test_below(r, 7) };
    b->at.rotation = turns[test_below(r, 4)];
    abut_status status;
    if (b->kind == HALFSPACE)
        status = abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, 0, NULL, &b->shape);
    else if (b->kind == CYLINDER)
        status = abut_shape_create_cylinder(b->h[0], 2 * b->h[2], NULL, &b->shape);
    else
        status = abut_shape_create_box((abut_vec3){ b->h[0], b->h[1], b->h[2] }, NULL, &b->shape);
    assert_int_equal(status, ABUT_OK);
}

static void named_features_hold_the_point(void **state)
{
    (void)state;
    const uint64_t cases = test_count(60000);
    uint64_t seen[4] = { 0 };
    for (uint64_t seed = 0; seed < cases; ++seed) {
        test_random r = test_seed(seed);
        body a, b;
        abut_check_result c;
        make(&r, &a);
        make(&r, &b);
        assert_int_equal(abut_check(a.shape, &a.at, b.shape, &b.at, NULL, NULL, &c), ABUT_OK);
        for (int i = 0; i < c.contact_count && c.verdict == ABUT_TOUCHING; ++i) {
            const abut_contact *x = &c.contacts[i];
            TEST_CHECK(is_on(&a, x->point, x->features[0], x->ids[0]) &&
                           is_on(&b, x->point, x->features[1], x->ids[1]),
                       "seed %" PRIu64 " kinds %d %d contact %d: features %d %d, ids %" PRId64 " %" PRId64,
                       seed, (int)a.kind, (int)b.kind, i, (int)x->features[0], (int)x->features[1], x->ids[0],
                       x->ids[1]);
            ++seen[x->features[0]];
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
    assert_true(cases < 1000 ||
                (seen[ABUT_FEATURE_VERTEX] > cases / 100 && seen[ABUT_FEATURE_EDGE] > cases / 100 &&
                 seen[ABUT_FEATURE_FACE] > cases / 100));
}

/* ---- where contacts are ---- */

/* By how much a point is outside the flat hull of points of one height. */
static double polygon_excess(const abut_vec3 *p, int count, abut_vec3 x)
{
    double worst = fabs(x.z - p[0].z);
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < count; ++j) {
            const double dx = p[j].x - p[i].x, dy = p[j].y - p[i].y;
            bool side = dx != 0 || dy != 0;
            for (int k = 0; k < count && side; ++k)
                side = dx * (p[k].y - p[i].y) - dy * (p[k].x - p[i].x) >= 0;
            if (side)
                worst = fmax(worst, -(dx * (x.y - p[i].y) - dy * (x.x - p[i].x)) / hypot(dx, dy));
        }
    return worst;
}

static double box_excess(const double h[3], const abut_pose *at, abut_vec3 x)
{
    const double d[3] = { x.x - at->position.x, x.y - at->position.y, x.z - at->position.z };
    double worst = -INFINITY;
    for (int i = 0; i < 3; ++i) /* local axis i is the next of the world where it is turned */
        worst = fmax(worst, fabs(d[at->rotation.x != 0 ? (i + 1) % 3 : i]) - h[i]);
    return worst;
}

/* Boxes that stand on polygons of the lattice: contacts are points of both, to the rounding of the numbers. */
static void contacts_are_in_both_bodies(void **state)
{
    (void)state;
    const uint64_t cases = test_count(30000);
    uint64_t seen = 0;
    for (uint64_t seed = 0; seed < cases; ++seed) {
        test_random r = test_seed(seed);
        abut_vec3 points[6];
        for (int i = 0; i < 6; ++i)
            points[i] = (abut_vec3){ (double)test_below(&r, 5) - 2, (double)test_below(&r, 5) - 2, 1 };
        const double h[3] = { 0.5 + 0.5 * test_below(&r, 4), 0.5 + 0.5 * test_below(&r, 4),
                              0.5 + 0.5 * test_below(&r, 4) };
        const bool turned = test_below(&r, 2);
        const abut_pose at = { { 0.5 * test_below(&r, 9) - 2, 0.5 * test_below(&r, 9) - 2,
                                 1 + (turned ? h[1] : h[2]) },
                               turned ? (abut_quat){ 1, 1, 1, 1 } : (abut_quat){ 1, 0, 0, 0 } };
        abut_shape *box, *polygon;
        abut_check_result c;
        assert_int_equal(abut_shape_create_box((abut_vec3){ h[0], h[1], h[2] }, NULL, &box), ABUT_OK);
        assert_int_equal(abut_shape_create_convex(points, 6, 0, NULL, &polygon, NULL), ABUT_OK);
        assert_int_equal(abut_check(box, &at, polygon, NULL, NULL, NULL, &c), ABUT_OK);
        for (int i = 0; i < c.contact_count && c.verdict == ABUT_TOUCHING; ++i) {
            const abut_vec3 x = c.contacts[i].point;
            TEST_CHECK(polygon_excess(points, 6, x) < 1e-14 && box_excess(h, &at, x) < 1e-14,
                       "seed %" PRIu64 " contact %d: (%.17g %.17g %.17g), %g and %g", seed, i, x.x, x.y, x.z,
                       polygon_excess(points, 6, x), box_excess(h, &at, x));
            ++seen;
        }
        abut_shape_release(box);
        abut_shape_release(polygon);
    }
    assert_true(cases < 1000 || seen > cases / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(named_features_hold_the_point),
                                        cmocka_unit_test(contacts_are_in_both_bodies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
