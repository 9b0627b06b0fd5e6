/* SPDX-License-Identifier: MIT */
/* Bodies sunk a little into terrain, on slopes, ridges and peaks: each has contacts, in it and
 * in the ground, under normals that lead up. There is no depth, so that there are no points.
 * Judged by the formula of each body and by the plane of the triangle under a point. */
#include "test_heightfield_support.h"

#include "support/formulas.h"

/* Height of the ground under (x, y). */
static double ground(const field *f, double x, double y)
{
    const double s = x / f->dx + 0.5 * (double)(f->columns - 1), t = y / f->dy + 0.5 * (double)(f->rows - 1);
    const size_t i = (size_t)fmin(fmax(floor(s), 0), (double)(f->columns - 2)),
                 j = (size_t)fmin(fmax(floor(t), 0), (double)(f->rows - 2));
    const double p = s - (double)i, q = t - (double)j, *h = f->heights + j * f->columns + i;
    const double a = h[0], b = h[1], c = h[f->columns], d = h[f->columns + 1];
    return p >= q ? a + p * (b - a) + q * (d - b) : a + q * (c - a) + p * (d - c);
}

typedef struct sunk {
    int kind;
    double h[3], r[3][3];
    abut_pose pose;
} sunk;

static double excess(const sunk *b, abut_vec3 point)
{
    return placed_excess(b->kind, b->h, (const double(*)[3])b->r, b->pose.position, point);
}

static void sunk_bodies_have_contacts(void **state)
{
    (void)state;
    const uint64_t count = test_count(8000);
    uint64_t judged = 0, vague = 0, features[4] = { 0 };
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random random = test_seed(seed);
        field f = { .columns = 6, .rows = 7, .dx = test_uniform(&random, 0.3, 2), .dy = 1 };
        for (size_t i = 0; i < f.columns * f.rows; ++i)
            f.heights[i] = test_uniform(&random, -0.15, 0.15);
        sunk b = { .kind = (int)test_below(&random, ELLIPSOID + 1) };
        double q[4];
        for (int i = 0; i < 3; ++i)
            b.h[i] = test_uniform(&random, 0.2, 0.6);
        formula_rotation(&random, q, b.r);
        b.pose = (abut_pose){ { test_uniform(&random, -0.5, 0.5), test_uniform(&random, -1, 1), 2 },
                              { q[0], q[1], q[2], q[3] } };
        if (test_below(&random, 2)) {
            b.pose.rotation = (abut_quat){ 1, 0, 0, 0 };
            for (int i = 0; i < 9; ++i)
                b.r[i / 3][i % 3] = i % 4 == 0;
        }
        abut_shape *shape = make(&f), *body = formula_shape(b.kind, b.h);
        const abut_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
        abut_check_result r;
        /* Down until it is in by 0.01. */
        double lo = 0, hi = 2;
        for (int k = 0; k < 40; ++k) {
            b.pose.position.z = 0.5 * (lo + hi);
            assert_int_equal(abut_check(shape, &still, body, &b.pose, NULL, NULL, &r), ABUT_OK);
            if (r.verdict == ABUT_SEPARATE)
                hi = b.pose.position.z;
            else
                lo = b.pose.position.z;
        }
        b.pose.position.z = lo - 0.01;
        assert_int_equal(abut_check(shape, &still, body, &b.pose, NULL, NULL, &r), ABUT_OK);
        assert_int_equal(r.verdict, ABUT_PENETRATING);
        TEST_CHECK(r.contact_count > 0 && r.has_points && r.has_depth && r.has_normal,
                   "seed %" PRIu64 ": none, kind %d", seed, b.kind);
        const double off = 1e-6;
        for (int k = 0; k < r.contact_count; ++k) {
            const abut_contact *c = &r.contacts[k];
            const abut_vec3 n = c->normal;
            TEST_CHECK(fabs(n.x * n.x + n.y * n.y + n.z * n.z - 1) < 1e-14 && n.z > 0, "seed %" PRIu64, seed);
            TEST_CHECK(excess(&b, c->point) < off && c->point.z < ground(&f, c->point.x, c->point.y) + off,
                       "seed %" PRIu64 ": contact %d off by %g, %g, kind %d", seed, k, excess(&b, c->point),
                       c->point.z - ground(&f, c->point.x, c->point.y), b.kind);
            TEST_CHECK(c->features[0] >= ABUT_FEATURE_VERTEX && c->features[0] <= ABUT_FEATURE_FACE &&
                           c->ids[0] >= 0,
                       "seed %" PRIu64 ": feature %d", seed, (int)c->features[0]);
            ++features[c->features[0]];
            vague += c->ids[1] < 0; /* only a point in common */
            ++judged;
        }
        abut_shape_release(shape);
        abut_shape_release(body);
    }
    print_message("%" PRIu64 " contacts: %" PRIu64 " vertices, %" PRIu64 " edges, %" PRIu64
                  " faces of the field; %" PRIu64 " vague\n",
                  judged, features[ABUT_FEATURE_VERTEX], features[ABUT_FEATURE_EDGE],
                  features[ABUT_FEATURE_FACE], vague);
    assert_true(count < 1000 ||
                (features[ABUT_FEATURE_VERTEX] > count / 100 && features[ABUT_FEATURE_EDGE] > count / 20));
}

/* A can, a box and a ball on level ground, and a box on a ridge: as many contacts as they are
 * on. */
static void known_contacts(void **state)
{
    (void)state;
    field f = { .columns = 5, .rows = 5, .dx = 1, .dy = 1 };
    abut_shape *level = make(&f), *body[3];
    assert_int_equal(abut_shape_create_cylinder(0.3, 1, NULL, &body[0]), ABUT_OK);
    assert_int_equal(abut_shape_create_box(v3(0.3, 0.3, 0.5), NULL, &body[1]), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(0.5, NULL, &body[2]), ABUT_OK);
    const abut_pose still = { { 0, 0, 0 }, { 1, 0, 0, 0 } }, at = { { 0.1, 0.05, 0.49 }, { 1, 0, 0, 0 } };
    abut_check_result r;
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(abut_check(level, &still, body[k], &at, NULL, NULL, &r), ABUT_OK);
        assert_int_equal(r.contact_count, k < 2 ? 4 : 1);
        for (int c = 0; c < r.contact_count; ++c) {
            assert_int_equal(r.contacts[c].features[0], ABUT_FEATURE_FACE);
            assert_int_equal(r.contacts[c].features[1], k == 0   ? ABUT_FEATURE_EDGE
                                                        : k == 1 ? ABUT_FEATURE_VERTEX
                                                                 : ABUT_FEATURE_FACE);
            assert_true(r.contacts[c].normal.z == 1 && fabs(r.contacts[c].point.z + 0.005) < 1e-12);
        }
    }
    /* A ridge along y at x = 0; the box lies across it. */
    for (int j = 0; j < 5; ++j)
        f.heights[5 * j + 2] = 0.2;
    abut_shape *ridge = make(&f);
    const abut_pose over = { { 0.1, 0.5, 0.69 }, { 1, 0, 0, 0 } };
    assert_int_equal(abut_check(ridge, &still, body[1], &over, NULL, NULL, &r), ABUT_OK);
    assert_true(r.contact_count >= 2);
    for (int c = 0; c < r.contact_count; ++c) {
        assert_int_equal(r.contacts[c].features[0], ABUT_FEATURE_EDGE);
        assert_int_equal(r.contacts[c].features[1], ABUT_FEATURE_FACE);
        assert_int_equal(r.contacts[c].ids[1], 4);
        assert_true(fabs(r.contacts[c].point.x) < 1e-9 && fabs(r.contacts[c].point.z - 0.195) < 1e-6);
        assert_true(r.contacts[c].normal.z > 0.999999);
    }
    for (int k = 0; k < 3; ++k)
        abut_shape_release(body[k]);
    abut_shape_release(level);
    abut_shape_release(ridge);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sunk_bodies_have_contacts),
                                        cmocka_unit_test(known_contacts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
