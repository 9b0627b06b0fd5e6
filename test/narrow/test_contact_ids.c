/* SPDX-License-Identifier: MIT */
/* Features and ids of contacts: the point must be on the vertex, edge or face that is named, as
 * the numbers of query.h say. Boxes, cylinders and half-spaces on a lattice, so that corners,
 * edges and faces touch exactly. */
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

/* A side that ends on the round side of another is met where the gap, z^2 / 2 R, is lost in
 * rounding: sqrt(2 R u), 2e-8 here, along it. */
static bool is_on_cylinder(const body *b, const double p[3], abut_feature feature, int64_t id)
{
    const double r = hypot(p[0], p[1]);
    if (feature == ABUT_FEATURE_EDGE)
        return (id == 0 || id == 1) && fabs(p[2] - (id ? b->h[2] : -b->h[2])) < close &&
               fabs(r - b->h[0]) < close;
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

/* Boxes that stand on polygons of the lattice: contacts are points of both, to the rounding of
 * the numbers. */
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

/* ---- capsules, and what is swept ---- */

enum {
    ON_HALFSPACE,
    ON_BOX,
    ON_HULL,
    ON_CYLINDER,
    ON_CAPSULE,
    ON_BALL,
    ON_MESH,
    ON_FIELD,
    ON_RIDGE,
    GROUNDS
};

/* Something whose top is at z = 0, or a line there along x. */
static abut_shape *make_ground(int kind, abut_pose *at)
{
    static const uint32_t triangles[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                            2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
    abut_vec3 corners[8];
    for (int i = 0; i < 8; ++i)
        corners[i] = (abut_vec3){ i & 1 ? 5 : -5, i & 2 ? 5 : -5, i & 4 ? 1 : -1 };
    abut_shape *out = NULL;
    abut_status status = ABUT_OK;
    *at = (abut_pose){ { 0, 0, -1 }, { 1, 0, 0, 0 } };
    switch (kind) {
    case ON_HALFSPACE: status = abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, 1, NULL, &out); break;
    case ON_BOX: status = abut_shape_create_box(corners[7], NULL, &out); break;
    case ON_HULL: status = abut_shape_create_convex(corners, 8, 0, NULL, &out, NULL); break;
    case ON_CYLINDER: status = abut_shape_create_cylinder(6, 2, NULL, &out); break;
    case ON_MESH: status = abut_shape_create_mesh(corners, 8, triangles, 12, true, NULL, &out, NULL); break;
    case ON_BALL: status = abut_shape_create_sphere(1, NULL, &out); break;
    case ON_FIELD: {
        static const double level[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 1 };
        status = abut_shape_create_heightfield(3, 3, 5, 5, level, NULL, &out, NULL);
        break;
    }
    case ON_RIDGE: { /* along x */
        static const double ridge[9] = { -9, -9, -9, 1, 1, 1, -9, -9, -9 };
        status = abut_shape_create_heightfield(3, 3, 5, 5, ridge, NULL, &out, NULL);
        break;
    }
    default: at->rotation = (abut_quat){ 1, 0, 1, 0 }; status = abut_shape_create_capsule(1, 8, NULL, &out);
    }
    assert_int_equal(status, ABUT_OK);
    return out;
}

/* From a point to a face of the capsule. */
static double to_capsule_face(double radius, double half, const double p[3], int64_t id)
{
    const double side = hypot(p[0], p[1]), beyond = id == 1 ? -half - p[2] : p[2] - half;
    if (id == 0)
        return hypot(side - radius, fmax(fabs(p[2]) - half, 0));
    return beyond > 0 ? fabs(hypot(side, beyond) - radius) : hypot(side - radius, beyond);
}

/* Tilted a little, or a lot, and sunk in a little: the face that is named is no further from the
 * contact than the bodies are deep. */
static void capsules_name_the_face_at_the_contact(void **state)
{
    (void)state;
    const double radius = 1, half = 2, pi = 3.14159265358979323846;
    const uint64_t cases = test_count(4000);
    uint64_t seen[3] = { 0 }, pairs = 0;
    abut_shape *capsule, *swept, *round;
    assert_int_equal(abut_shape_create_capsule(radius, 2 * half, NULL, &capsule), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(0.75 * radius, 2 * half, NULL, &round), ABUT_OK);
    assert_int_equal(abut_shape_create_swept(round, 0.25 * radius, NULL, &swept, NULL), ABUT_OK);
    for (uint64_t seed = 0; seed < cases; ++seed) {
        test_random r = test_seed(seed);
        abut_pose ground_at;
        const int kind = (int)test_below(&r, GROUNDS);
        abut_shape *ground = make_ground(kind, &ground_at);
        const double range = test_below(&r, 2) ? 0.05 : 1.5, tilt = test_uniform(&r, -range, range);
        const double half_turn = 0.25 * pi + 0.5 * tilt, sunk = test_uniform(&r, 0.01, 0.5);
        const abut_pose at = { { test_uniform(&r, -1, 1), 0, radius + half * fabs(sin(tilt)) - sunk },
                               { cos(half_turn), 0, sin(half_turn), 0 } };
        abut_check_result c, d;
        assert_int_equal(abut_check(capsule, &at, ground, &ground_at, NULL, NULL, &c), ABUT_OK);
        assert_int_equal(abut_check(ground, &ground_at, swept, &at, NULL, NULL, &d), ABUT_OK);
        for (int i = 0; i < c.contact_count; ++i) {
            const abut_contact *x = &c.contacts[i];
            const double px = x->point.x - at.position.x, pz = x->point.z - at.position.z;
            const double s = sin(2 * half_turn), k = cos(2 * half_turn);
            const double p[3] = { k * px - s * pz, x->point.y, s * px + k * pz };
            const double deep = kind == ON_MESH || kind == ON_FIELD || kind == ON_RIDGE ? 0.51 : c.depth.hi;
            assert_true(x->features[0] == ABUT_FEATURE_FACE && x->ids[0] >= 0 && x->ids[0] < 3);
            TEST_CHECK(to_capsule_face(radius, half, p, x->ids[0]) < deep + 1e-9,
                       "seed %" PRIu64 " ground %d contact %d: face %" PRId64
                       " at (%g %g %g), tilt %g, depth %g",
                       seed, kind, i, x->ids[0], p[0], p[1], p[2], tilt, deep);
            ++seen[x->ids[0]];
        }
        pairs += c.contact_count > 1;
        for (int i = 0; i < d.contact_count; ++i)
            TEST_CHECK(d.contacts[i].features[1] == ABUT_FEATURE_FACE && d.contacts[i].ids[1] == 0,
                       "seed %" PRIu64 " ground %d contact %d: %d %" PRId64, seed, kind, i,
                       (int)d.contacts[i].features[1], d.contacts[i].ids[1]);
        abut_shape_release(ground);
    }
    assert_true(cases < 1000 ||
                (seen[0] > cases / 10 && seen[1] > cases / 10 && seen[2] > cases / 10 && pairs > cases / 10));
    abut_shape_release(capsule);
    abut_shape_release(round);
    abut_shape_release(swept);
}

/* On every ground, flat, on edges and on corners. */
static void swept_bodies_have_one_face(void **state)
{
    (void)state;
    const uint64_t cases = test_count(2000);
    uint64_t seen = 0;
    for (uint64_t seed = 0; seed < cases; ++seed) {
        test_random r = test_seed(seed);
        abut_pose ground_at;
        abut_shape *ground = make_ground((int)test_below(&r, GROUNDS), &ground_at), *inner = NULL, *outer;
        abut_vec3 corners[8];
        for (int i = 0; i < 8; ++i)
            corners[i] = (abut_vec3){ i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1 };
        abut_status status = ABUT_OK;
        switch (test_below(&r, 4)) {
        case 0: status = abut_shape_create_box(corners[7], NULL, &inner); break;
        case 1: status = abut_shape_create_cylinder(1, 2, NULL, &inner); break;
        case 2: status = abut_shape_create_cone(1, 2, NULL, &inner); break;
        default: status = abut_shape_create_convex(corners, 8, 0.25, NULL, &outer, NULL);
        }
        if (inner)
            status = abut_shape_create_swept(inner, 0.25, NULL, &outer, NULL);
        assert_int_equal(status, ABUT_OK);
        const abut_pose at = { { 0, 0, 1.2 }, turns[test_below(&r, 4)] };
        abut_check_result c;
        assert_int_equal(abut_check(outer, &at, ground, &ground_at, NULL, NULL, &c), ABUT_OK);
        for (int i = 0; i < c.contact_count; ++i, ++seen)
            TEST_CHECK(c.contacts[i].features[0] == ABUT_FEATURE_FACE && c.contacts[i].ids[0] == 0,
                       "seed %" PRIu64 " contact %d: %d %" PRId64, seed, i, (int)c.contacts[i].features[0],
                       c.contacts[i].ids[0]);
        abut_shape_release(ground);
        abut_shape_release(inner);
        abut_shape_release(outer);
    }
    assert_true(seen > cases);
}

static void flat_bodies_inside_are_on_no_feature(void **state)
{
    (void)state;
    static const abut_vec3 corners[3] = { { 0.1, 0, -0.1 }, { 0.7, 0, -0.2 }, { 0, 0.8, -0.3 } };
    abut_shape *flat;
    assert_int_equal(abut_shape_create_triangle(corners, 0, NULL, &flat, NULL), ABUT_OK);
    for (int kind = 0; kind < ON_FIELD; ++kind) { /* over fields corners are reported */
        abut_pose at;
        abut_check_result c;
        abut_shape *ground = make_ground(kind, &at);
        assert_int_equal(abut_check(ground, &at, flat, NULL, NULL, NULL, &c), ABUT_OK);
        assert_int_equal(c.verdict, ABUT_TOUCHING);
        assert_int_equal(c.contact_count, 1);
        for (int i = 0; i < 2; ++i) {
            assert_int_equal(c.contacts[0].features[i], ABUT_FEATURE_NONE);
            assert_int_equal(c.contacts[0].ids[i], -1);
        }
        abut_shape_release(ground);
    }
    abut_shape_release(flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(named_features_hold_the_point),
                                        cmocka_unit_test(contacts_are_in_both_bodies),
                                        cmocka_unit_test(capsules_name_the_face_at_the_contact),
                                        cmocka_unit_test(swept_bodies_have_one_face),
                                        cmocka_unit_test(flat_bodies_inside_are_on_no_feature) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
