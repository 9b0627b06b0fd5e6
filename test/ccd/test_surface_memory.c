/* SPDX-License-Identifier: MIT */
/* Curved surfaces when memory is out: creators and queries with the Nth allocation failing, for
 * every N. Each must say ABUT_ERR_MEMORY, or succeed without what it did not get, and leave
 * nothing allocated. */
#include "abut/query.h"
#include "support/failing_allocator.h"

static const abut_aabb bounds = { { -2, -2, -2 }, { 2, 2, 2 } };

/* ---- creators ---- */

enum { TORUS, BALL, IMPLICIT, CSG, DEFORMING, BEZIER, NURBS, KINDS };

static abut_status make_csg(const char *second, const abut_allocator *alloc, abut_shape **out)
{
    abut_shape *parts[2] = { NULL, NULL };
    abut_status status = abut_shape_create_implicit("x^2 + y^2 + z^2 - 1", bounds, alloc, &parts[0], NULL);
    if (!status)
        status = abut_shape_create_implicit(second, bounds, alloc, &parts[1], NULL);
    if (!status)
        status = abut_shape_create_csg(ABUT_CSG_DIFFERENCE, parts, 2, alloc, out, NULL);
    abut_shape_release(parts[0]);
    abut_shape_release(parts[1]);
    return status;
}

static abut_status make(int kind, const abut_allocator *alloc, abut_shape **out)
{
    static const abut_vec3 points[9] = { { -1, -1, 0 },  { 0, -1, 0.5 }, { 1, -1, 0 },
                                         { -1, 0, 0.5 }, { 0, 0, 1 },    { 1, 0, 0.5 },
                                         { -1, 1, 0 },   { 0, 1, 0.5 },  { 1, 1, 0 } };
    static const double knots[5] = { 0, 0, 0.5, 1, 1 };
    const abut_bezier_patch patch = { 2, 2, points, NULL };
    const abut_nurbs_surface nurbs = { 1, 1, 3, 3, knots, knots, points, NULL };
    const abut_let let = { "r", "1 + 0.25*sin(3*u)*cos(v)^3" };
    const abut_parametric_def ball = { .x = "r*cos(u)*cos(v)",
                                       .y = "r*sin(u)*cos(v)",
                                       .z = "r*sin(v)",
                                       .u = { 0, 6.283185307179586 },
                                       .v = { -1.5707963267948966, 1.5707963267948966 },
                                       .wrap_u = true,
                                       .lets = &let,
                                       .let_count = 1 };
    *out = NULL;
    switch (kind) {
    case TORUS: return abut_shape_create_torus(1, 0.25, alloc, out);
    case BALL: return abut_shape_create_parametric(&ball, alloc, out, NULL);
    case IMPLICIT: return abut_shape_create_implicit("x^4 + y^4 + z^4 - 1", bounds, alloc, out, NULL);
    case CSG: return make_csg("x^2 + y^2 - 0.25", alloc, out);
    case DEFORMING: return make_csg("x^2 + y^2 - t/4", alloc, out);
    case BEZIER: return abut_shape_create_bezier(&patch, 1, alloc, out, NULL);
    default: return abut_shape_create_nurbs(&nurbs, 1, alloc, out, NULL);
    }
}

static void creators(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        abut_status status = ABUT_OK;
        TEST_EVERY_ALLOCATION_FAILS(
            alloc,
            {
                abut_shape *shape;
                status = make(kind, &alloc, &shape);
                assert_true((status == ABUT_OK) == (shape != NULL));
                abut_shape_release(shape);
            },
            status);
        TEST_CHECK(status == ABUT_OK, "%d: %d", kind, (int)status);
    }
}

/* ---- queries ---- */

typedef struct bodies {
    abut_shape *a, *b;
    abut_motion *motion;
} bodies;

typedef abut_status (*query_fn)(const bodies *s, abut_workspace *ws);

static const abut_pose there = { .position = { 2.5, 0.25, 0.125 }, .rotation = { 1, 0.25, 0, 0.5 } };

static abut_status ask_check(const bodies *s, abut_workspace *ws)
{
    abut_check_result r;
    return abut_check(s->a, NULL, s->b, &there, NULL, ws, &r);
}

static abut_status ask_first(const bodies *s, abut_workspace *ws)
{
    abut_first_opts opts;
    abut_first_result r;
    abut_first_opts_init(&opts);
    opts.max_iterations = 40;
    return abut_first_contact(s->a, NULL, s->b, s->motion, &opts, ws, &r);
}

static abut_status ask_set(const bodies *s, abut_workspace *ws)
{
    const abut_body all[3] = { { s->a, NULL }, { s->b, s->motion }, { s->a, s->motion } };
    abut_first_opts opts;
    abut_set_result r;
    abut_set_point points[4];
    abut_first_opts_init(&opts);
    opts.max_iterations = 40;
    opts.threads = 2;
    return abut_first_contact_set(all, 3, NULL, 0, &opts, ws, points, 4, &r);
}

static abut_status ask_intervals(const bodies *s, abut_workspace *ws)
{
    abut_first_opts opts;
    abut_intervals_result r;
    abut_contact_interval found[4];
    abut_first_opts_init(&opts);
    opts.max_iterations = 40;
    return abut_contact_intervals(s->a, NULL, s->b, s->motion, &opts, ws, found, 4, &r);
}

/* Queries with the caller's workspace. */
static void queries(void **state)
{
    (void)state;
    static const query_fn ask[4] = { ask_check, ask_first, ask_set, ask_intervals };
    abut_motion *motion;
    const abut_placement from = { .position = { 3, 0.25, 0 } };
    assert_int_equal(abut_motion_create_velocity(0, 1, &from, (abut_vec3){ -3, 0, 0.25 },
                                                 (abut_vec3){ 0, 1, 0 }, NULL, &motion, NULL),
                     ABUT_OK);
    for (int i = 0; i < KINDS - 1; ++i)
        for (int k = 0; k < 4; ++k) {
            bodies s = { .motion = motion };
            abut_status status = ABUT_OK;
            assert_int_equal(make(i, NULL, &s.a), ABUT_OK);
            assert_int_equal(make((i + 1 + k) % (KINDS - 1), NULL, &s.b), ABUT_OK);
            TEST_EVERY_ALLOCATION_FAILS(
                alloc,
                {
                    abut_workspace *ws;
                    status = abut_workspace_create(&alloc, &ws);
                    if (!status) {
                        status = ask[k](&s, ws);
                        abut_workspace_destroy(ws);
                    }
                },
                status);
            TEST_CHECK(status == ABUT_OK, "%d, query %d: %d", i, k, (int)status);
            abut_shape_release(s.a);
            abut_shape_release(s.b);
        }
    abut_motion_release(motion);
}

/* Queries that take what they need from the shape's allocator. */
static abut_status ask_alone(const abut_shape *shape, int query)
{
    const abut_vec3 p = { -4, 0.125, 0.0625 }, d = { 1, 0, 0.03125 }, q = { 4, 0.25, 0 };
    abut_ray_hit hits[4];
    abut_piece pieces[8];
    abut_check_result r;
    size_t count;
    return query == 0   ? abut_cast_ray(shape, &there, p, d, hits, 4, &count)
           : query == 1 ? abut_classify_point(shape, NULL, p, pieces)
           : query == 2 ? abut_classify_segment(shape, NULL, p, q, pieces, 8, &count)
                        : abut_check(shape, NULL, shape, &there, NULL, NULL, &r);
}

static void rays_and_points(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        test_failing f = { .fail_at = UINT64_MAX };
        const abut_allocator alloc = { test_failing_reallocate, test_failing_release, &f };
        abut_shape *shape;
        assert_int_equal(make(kind, &alloc, &shape), ABUT_OK);
        for (int query = 0; query < 4; ++query) {
            abut_status status = ABUT_ERR_MEMORY;
            for (uint64_t n = 0; status; ++n) {
                const size_t before = f.outstanding_bytes;
                f.fail_at = f.requests + n;
                status = ask_alone(shape, query);
                TEST_CHECK(f.outstanding_bytes == before,
                           "%d, query %d: leaks when allocation %" PRIu64 " fails", kind, query, n);
                TEST_CHECK(status == ABUT_OK || status == ABUT_ERR_MEMORY, "%d, query %d: %d", kind, query,
                           (int)status);
            }
        }
        abut_shape_release(shape);
        assert_int_equal(f.outstanding_bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creators),
        cmocka_unit_test(queries),
        cmocka_unit_test(rays_and_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
