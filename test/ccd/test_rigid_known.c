/* SPDX-License-Identifier: MIT */
/* Rigid meshes over time with known answers: times in closed form, features and numbers, touches at
 * the start, solids inside each other, spent budgets, memory that is out, every bounding volume. */
#include "abut/mesh.h"
#include "abut/query.h"
#include "support/failing_allocator.h"
#include "support/places.h"

static const uint32_t box_faces[36] = { 0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                        2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3 };

static abut_shape *box_with(double x, double y, double z, const abut_mesh_opts *opts)
{
    abut_vec3 v[8];
    abut_shape *shape;
    for (int i = 0; i < 8; ++i)
        v[i] = v3(i & 4 ? x : -x, i & 2 ? y : -y, i & 1 ? z : -z);
    assert_int_equal(abut_shape_create_mesh_with(v, 8, box_faces, 12, opts, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

static abut_shape *box(double x, double y, double z, bool solid)
{
    abut_mesh_opts opts;
    abut_mesh_opts_init(&opts);
    opts.solid = solid;
    return box_with(x, y, z, &opts);
}

static abut_shape *torus(double major, double minor, unsigned n, unsigned m)
{
    enum { MOST = 4096 };
    static abut_vec3 v[MOST];
    static uint32_t t[6 * MOST];
    size_t count = 0;
    abut_shape *shape;
    for (unsigned i = 0; i < n; ++i)
        for (unsigned j = 0; j < m; ++j) {
            const double a = 6.283185307179586 * i / n, b = 6.283185307179586 * j / m,
                         r = major + minor * cos(b);
            const uint32_t p = i * m + j, q = (i + 1) % n * m + j, u = i * m + (j + 1) % m,
                           w = (i + 1) % n * m + (j + 1) % m;
            const uint32_t two[6] = { p, q, w, p, w, u };
            v[p] = v3(r * cos(a), r * sin(a), minor * sin(b));
            for (int k = 0; k < 6; ++k)
                t[count++] = two[k];
        }
    assert_int_equal(abut_shape_create_mesh(v, (size_t)n * m, t, count / 3, true, NULL, &shape, NULL),
                     ABUT_OK);
    return shape;
}

static abut_motion *moving(abut_vec3 at, abut_vec3 linear, abut_vec3 angular)
{
    abut_motion *motion;
    const abut_placement from = { .position = at };
    assert_int_equal(abut_motion_create_velocity(0, 1, &from, linear, angular, NULL, &motion, NULL), ABUT_OK);
    return motion;
}

static abut_first_result first(const abut_shape *a, const abut_motion *ma, const abut_shape *b)
{
    abut_first_result r;
    assert_int_equal(abut_first_contact(a, ma, b, NULL, NULL, NULL, &r), ABUT_OK);
    return r;
}

static void expect_time(const abut_first_result *r, double t, const char *what)
{
    TEST_CHECK(r->verdict == ABUT_FIRST_CONTACT && r->proof == ABUT_PROOF_INTERVAL, "%s: verdict %d", what,
               (int)r->verdict);
    TEST_CHECK(r->time.lo <= t + 1e-15 && t - 1e-15 <= r->time.hi && r->time.hi - r->time.lo < 1e-12,
               "%s: [%a, %a], expected %a", what, r->time.lo, r->time.hi, t);
}

static void expect_features(const abut_first_result *r, abut_feature a, int64_t id_a, abut_feature b,
                            int64_t id_b, const char *what)
{
    TEST_CHECK(r->point_count == 1, "%s: %zu points", what, r->point_count);
    const abut_first_point *p = &r->points[0];
    TEST_CHECK(p->features[0] == a && p->features[1] == b && p->has_ids, "%s: features %d %d", what,
               (int)p->features[0], (int)p->features[1]);
    TEST_CHECK((id_a < 0 || p->ids[0] == id_a) && (id_b < 0 || p->ids[1] == id_b), "%s: ids %d %d", what,
               (int)p->ids[0], (int)p->ids[1]);
}

/* ---- closed forms ---- */

static void vertex_falls_on_a_face(void **state)
{
    (void)state;
    /* A tetrahedron, its apex down at z = -1, onto the plane z = 0 of a large triangle. */
    const abut_vec3 v[4] = { { 0, 0, -1 }, { 1, 0, 0 }, { -1, 1, 0 }, { -1, -1, 0 } };
    const uint32_t t[12] = { 0, 2, 1, 0, 3, 2, 0, 1, 3, 1, 2, 3 };
    const abut_vec3 floor_at[3] = { { -9, -9, 0 }, { 9, -9, 0 }, { 0, 9, 0 } };
    const uint32_t one[3] = { 0, 1, 2 };
    abut_shape *tip, *floor;
    assert_int_equal(abut_shape_create_mesh(v, 4, t, 4, true, NULL, &tip, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_mesh(floor_at, 3, one, 1, false, NULL, &floor, NULL), ABUT_OK);
    abut_motion *fall = moving(v3(0.1, 0.2, 2.5), v3(0, 0, -2), v3(0, 0, 3));
    abut_first_result r = first(tip, fall, floor);
    expect_time(&r, 0.75, "apex");
    expect_features(&r, ABUT_FEATURE_VERTEX, 0, ABUT_FEATURE_FACE, 0, "apex");
    TEST_NEAR(r.points[0].normal.z, -1, 1e-12, "normal");
    abut_first_result back;
    assert_int_equal(abut_first_contact(floor, NULL, tip, fall, NULL, NULL, &back), ABUT_OK);
    expect_time(&back, 0.75, "apex, swapped");
    expect_features(&back, ABUT_FEATURE_FACE, 0, ABUT_FEATURE_VERTEX, 0, "apex, swapped");
    TEST_NEAR(back.points[0].normal.z, 1, 1e-12, "normal, swapped");
    abut_motion_release(fall);
    abut_shape_release(tip);
    abut_shape_release(floor);
}

static void edges_cross(void **state)
{
    (void)state;
    /* Two roofs, ridge against ridge at right angles. */
    const abut_vec3 up[4] = { { -2, 0, 1 }, { 2, 0, 1 }, { 0, 1, 0 }, { 0, -1, 0 } },
                    down[4] = { { 0, -2, -1 }, { 0, 2, -1 }, { 1, 0, 0 }, { -1, 0, 0 } };
    const uint32_t two[6] = { 0, 1, 2, 1, 0, 3 };
    abut_shape *a, *b;
    assert_int_equal(abut_shape_create_mesh(up, 4, two, 2, false, NULL, &a, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_mesh(down, 4, two, 2, false, NULL, &b, NULL), ABUT_OK);
    abut_motion *fall = moving(v3(0.25, 0.25, 4), v3(0, 0, -4), v3(0, 0, 0));
    const abut_first_result r = first(b, fall, a);
    expect_time(&r, 0.5, "ridges");
    expect_features(&r, ABUT_FEATURE_EDGE, -1, ABUT_FEATURE_EDGE, -1, "ridges");
    TEST_NEAR(r.points[0].point.x, 0.25, 1e-9, "x");
    TEST_NEAR(r.points[0].point.y, 0, 1e-9, "y");
    TEST_NEAR(r.points[0].normal.z, -1, 1e-9, "normal");
    abut_motion_release(fall);
    abut_shape_release(a);
    abut_shape_release(b);
}

/* A bar that turns about its middle meets a wall when its corner is as far out. */
static void corner_swings(void **state)
{
    (void)state;
    abut_shape *bar = box(1, 0.125, 0.25, true), *wall = box(0.5, 4, 4, true);
    abut_motion *swing = moving(v3(-1.25, 0, 0), v3(0, 0, 0), v3(0, 0, 2));
    /* cos w - sin w / 8 or cos w + sin w / 8 = 0.75 is not reached before it starts: it begins at 1 > 0.75 */
    abut_first_result r = first(bar, swing, wall);
    assert_int_equal(r.verdict, ABUT_FIRST_OVERLAPPING);
    abut_motion_release(swing);
    /* Begins upright: sin w + cos w / 8 = 0.75, w = 2 t. */
    const abut_placement upright = {
        .position = { -1.25, 0, 0 }, .rotation = { ABUT_ROTATION_DEGREES, .axis = { 0, 0, 1 }, .angle = 90 }
    };
    assert_int_equal(
        abut_motion_create_velocity(0, 1, &upright, v3(0, 0, 0), v3(0, 0, -2), NULL, &swing, NULL), ABUT_OK);
    r = first(bar, swing, wall);
    const double size = sqrt(1 + 1.0 / 64), w = asin(0.75 / size) - atan(1.0 / 8);
    expect_time(&r, w / 2, "swing");
    for (size_t i = 0; i < r.point_count && i < ABUT_FIRST_CONTACTS; ++i)
        TEST_CHECK(r.points[i].features[0] != ABUT_FEATURE_FACE, "an edge of the bar meets the wall");
    abut_motion_release(swing);
    abut_shape_release(bar);
    abut_shape_release(wall);
}

/* ---- how it starts ---- */

static void touches_at_the_start(void **state)
{
    (void)state;
    static const struct {
        abut_vec3 linear, angular;
        bool contact;
    } cases[] = {
        { { 0, 0, 1 }, { 0, 0, 0 }, false },  { { 1, 0, 1 }, { 0, 0, 2 }, false },
        { { 1, 0.5, 0 }, { 0, 0, 0 }, true }, { { 0, 0, -1 }, { 0, 0, 0 }, true },
        { { 0, 0, -1 }, { 0, 0, 1 }, true },  { { 0.25, 0, 0.125 }, { 0, 0, 0 }, false },
        { { 8, 0, 0 }, { 0, 0, 0 }, true },
    };
    for (unsigned k = 0; k < 4; ++k) {
        abut_shape *a = box(0.5, 0.5, 0.5, k & 1), *b = box(3, 3, 0.5, k & 2);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
            abut_motion *motion = moving(v3(0.25, 0.5, 1), cases[i].linear, cases[i].angular);
            const abut_first_result r = first(a, motion, b);
            TEST_CHECK(r.verdict == (cases[i].contact ? ABUT_FIRST_CONTACT : ABUT_FIRST_SEPARATE),
                       "case %zu, solids %u: verdict %d", i, k, (int)r.verdict);
            if (cases[i].contact)
                TEST_CHECK(r.time.lo == 0 && r.time.hi < 1e-9, "case %zu, solids %u: [%a, %a]", i, k,
                           r.time.lo, r.time.hi);
            abut_motion_release(motion);
        }
        abut_shape_release(a);
        abut_shape_release(b);
    }
}

static void inside_is_overlapping_for_solids(void **state)
{
    (void)state;
    abut_shape *small = box(0.25, 0.25, 0.25, true), *solid = box(2, 2, 2, true),
               *shell = box(2, 2, 2, false), *ball;
    assert_int_equal(abut_shape_create_sphere(0.25, NULL, &ball), ABUT_OK);
    abut_motion *out = moving(v3(0, 0, 0), v3(5, 0, 0), v3(0, 0, 0));
    const abut_shape *inner[2] = { small, ball };
    for (int k = 0; k < 2; ++k) {
        abut_first_result r = first(inner[k], out, solid);
        assert_int_equal(r.verdict, ABUT_FIRST_OVERLAPPING);
        r = first(inner[k], out, shell);
        expect_time(&r, 1.75 / 5, "shell from inside");
        abut_contact_interval in[4];
        abut_intervals_result all;
        assert_int_equal(abut_contact_intervals(inner[k], out, solid, NULL, NULL, NULL, in, 4, &all),
                         ABUT_OK);
        TEST_CHECK(all.count == 1 && in[0].enter.lo == 0 && in[0].enter.hi == 0, "%d: from the start", k);
        TEST_CHECK(in[0].exit.lo <= 0.45 && 0.45 <= in[0].exit.hi && all.proof == ABUT_PROOF_INTERVAL,
                   "%d: exit", k);
        assert_int_equal(abut_contact_intervals(inner[k], out, shell, NULL, NULL, NULL, in, 4, &all),
                         ABUT_OK);
        TEST_CHECK(all.count == 1 && in[0].enter.lo <= 0.35 && 0.35 <= in[0].enter.hi, "%d: shell", k);
    }
    abut_motion_release(out);
    /* Surfaces that cross at the start. */
    abut_motion *aside = moving(v3(2, 0.5, 0.25), v3(1, 0, 0), v3(0, 0, 0));
    assert_int_equal(first(shell, aside, shell).verdict, ABUT_FIRST_OVERLAPPING);
    abut_motion_release(aside);
    abut_shape_release(small);
    abut_shape_release(solid);
    abut_shape_release(shell);
    abut_shape_release(ball);
}

/* ---- several contacts ---- */

typedef struct gathered {
    size_t count, corners;
} gathered;

static void gather(void *ctx, const abut_first_point *p)
{
    gathered *g = ctx;
    ++g->count;
    g->corners += p->features[0] == ABUT_FEATURE_VERTEX;
    TEST_NEAR(p->point.z, 0.5, 1e-9, "point %zu", g->count);
    TEST_NEAR(p->normal.z, -1, 1e-9, "normal %zu", g->count);
}

static void a_table_stands_on_four_legs(void **state)
{
    (void)state;
    abut_shape *table = box(1, 1, 0.5, true), *floor = box(4, 4, 0.5, true);
    abut_motion *fall = moving(v3(0, 0, 2), v3(0, 0, -2), v3(0, 0, 0));
    abut_first_opts opts;
    gathered g = { 0 };
    abut_first_opts_init(&opts);
    opts.on_point = gather;
    opts.on_point_ctx = &g;
    opts.separation = 0.5;
    abut_first_result r;
    assert_int_equal(abut_first_contact(table, fall, floor, NULL, &opts, NULL, &r), ABUT_OK);
    expect_time(&r, 0.5, "table");
    TEST_CHECK(g.corners == 4 && g.count == r.point_count && g.count >= 9 && g.count < 80,
               "%zu points, %zu corners", g.count, g.corners);
    abut_motion_release(fall);
    abut_shape_release(table);
    abut_shape_release(floor);
}

/* ---- limits ---- */

/* Face on face and edge on edge, along straight lines: nothing of the bodies overlaps, and yet times
 * are exact. The other body is a surface, a solid, a box and a hull. */
static void slides_are_exact(void **state)
{
    (void)state;
    abut_vec3 corners[8];
    for (int i = 0; i < 8; ++i)
        corners[i] = v3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    abut_shape *other[4] = { box(1, 1, 1, false), box(1, 1, 1, true) };
    assert_int_equal(abut_shape_create_box(v3(1, 1, 1), NULL, &other[2]), ABUT_OK);
    assert_int_equal(abut_shape_create_convex(corners, 8, 0, NULL, &other[3], NULL), ABUT_OK);
    for (int k = 0; k < 8; ++k) {
        abut_shape *a = box(1, 1, 1, k & 1), *b = other[k / 2];
        for (int edge = 0; edge < 2; ++edge) {
            abut_motion *slide = moving(v3(-3, edge ? 2 : 0.25, 2), v3(6, 0, 0), v3(0, 0, 0));
            for (int swap = 0; swap < 2; ++swap) {
                abut_first_result r;
                abut_contact_interval x[2];
                abut_intervals_result all;
                assert_int_equal(swap ? abut_first_contact(b, NULL, a, slide, NULL, NULL, &r)
                                      : abut_first_contact(a, slide, b, NULL, NULL, NULL, &r),
                                 ABUT_OK);
                TEST_CHECK(r.verdict == ABUT_FIRST_CONTACT && r.proof == ABUT_PROOF_EXACT &&
                               r.time.lo <= 1.0 / 6 && 1.0 / 6 <= r.time.hi &&
                               r.time.hi - r.time.lo < 1e-15 && r.point_count > 0,
                           "%d %d: [%a, %a], %zu points", k, edge, r.time.lo, r.time.hi, r.point_count);
                for (size_t i = 0; i < r.point_count && i < ABUT_FIRST_CONTACTS; ++i)
                    TEST_CHECK(fabs(r.points[i].point.x + 1) < 1e-12 && fabs(r.points[i].point.z - 1) < 1e-12,
                               "%d %d: point %g %g", k, edge, r.points[i].point.x, r.points[i].point.z);
                assert_int_equal(swap ? abut_contact_intervals(b, NULL, a, slide, NULL, NULL, x, 2, &all)
                                      : abut_contact_intervals(a, slide, b, NULL, NULL, NULL, x, 2, &all),
                                 ABUT_OK);
                TEST_CHECK(all.count == 1 && all.proof == ABUT_PROOF_EXACT && x[0].enter.lo <= 1.0 / 6 &&
                               1.0 / 6 <= x[0].enter.hi && x[0].exit.lo <= 5.0 / 6 &&
                               5.0 / 6 <= x[0].exit.hi && x[0].exit.hi - x[0].exit.lo < 1e-15,
                           "%d %d: %zu intervals, [%a, %a] to [%a, %a]", k, edge, all.count, x[0].enter.lo,
                           x[0].enter.hi, x[0].exit.lo, x[0].exit.hi);
            }
            abut_motion_release(slide);
        }
        abut_shape_release(a);
    }
    for (int k = 0; k < 4; ++k)
        abut_shape_release(other[k]);
}

/* A small cube that slides on a wall and then goes through it: a solid holds it from then on, a
 * surface does not. */
static void slides_inside_solids(void **state)
{
    (void)state;
    for (int solid = 0; solid < 2; ++solid) {
        abut_shape *small = box(0.25, 0.25, 0.25, solid), *large = box(1, 1, 1, solid);
        const abut_keyframe keys[4] = { { 0, { .position = { -3, 0, 1.25 } } },
                                        { 1, { .position = { 0, 0, 1.25 } } },
                                        { 2, { .position = { 0, 0, 0 } } },
                                        { 3, { .position = { 0.5, 0, 0 } } } };
        abut_motion *in;
        abut_contact_interval x[2];
        abut_intervals_result all;
        assert_int_equal(abut_motion_create_keyframes(keys, 4, NULL, &in, NULL), ABUT_OK);
        assert_int_equal(abut_contact_intervals(small, in, large, NULL, NULL, NULL, x, 2, &all), ABUT_OK);
        TEST_CHECK(all.count == 1 && all.proof == ABUT_PROOF_EXACT && x[0].enter.lo <= 1.75 / 3 &&
                       1.75 / 3 <= x[0].enter.hi && x[0].enter.hi - x[0].enter.lo < 1e-15,
                   "%d: %zu intervals, proof %d", solid, all.count, (int)all.proof);
        const double leaves = solid ? 3 : 1.4;
        TEST_CHECK(x[0].exit.lo <= leaves && leaves <= x[0].exit.hi && x[0].exit.hi - x[0].exit.lo < 1e-15,
                   "%d: to [%a, %a]", solid, x[0].exit.lo, x[0].exit.hi);
        abut_motion_release(in);
        abut_shape_release(small);
        abut_shape_release(large);
    }
}

static void spent_budgets_enclose(void **state)
{
    (void)state;
    abut_shape *ring = torus(1, 0.25, 48, 16);
    abut_motion *fly = moving(v3(3, 0.25, 0), v3(-3, 0, 0), v3(20, 30, 10));
    abut_first_result full = first(ring, fly, ring);
    assert_int_equal(full.verdict, ABUT_FIRST_CONTACT);
    for (uint64_t budget = 1; budget < full.counters.iterations; budget = 2 * budget + 1) {
        abut_first_opts opts;
        abut_first_result r;
        abut_first_opts_init(&opts);
        opts.max_iterations = budget;
        assert_int_equal(abut_first_contact(ring, fly, ring, NULL, &opts, NULL, &r), ABUT_OK);
        TEST_CHECK(r.verdict == ABUT_FIRST_UNDECIDED ? r.stop == ABUT_STOP_BUDGET
                                                     : r.verdict == ABUT_FIRST_CONTACT,
                   "budget %" PRIu64 ": verdict %d, stop %d", budget, (int)r.verdict, (int)r.stop);
        TEST_CHECK(r.time.lo <= full.time.hi && full.time.lo <= r.time.hi, "budget %" PRIu64 ": [%a, %a]",
                   budget, r.time.lo, r.time.hi);
        abut_contact_interval in[32];
        abut_intervals_result all;
        assert_int_equal(abut_contact_intervals(ring, fly, ring, NULL, &opts, NULL, in, 32, &all), ABUT_OK);
        TEST_CHECK(all.count >= 1 && in[0].enter.lo <= full.time.hi && all.proof == ABUT_PROOF_TOLERANCE,
                   "budget %" PRIu64 ": intervals", budget);
    }
    abut_motion_release(fly);
    abut_shape_release(ring);
}

static bool stop_at_once(void *ctx, double done)
{
    (void)ctx;
    (void)done;
    return false;
}

static void can_be_cancelled(void **state)
{
    (void)state;
    abut_shape *ring = torus(1, 0.25, 48, 16);
    abut_motion *fly = moving(v3(3, 0.25, 0), v3(-3, 0, 0), v3(20, 30, 10));
    abut_first_opts opts;
    abut_first_result r;
    abut_first_opts_init(&opts);
    opts.progress = stop_at_once;
    assert_int_equal(abut_first_contact(ring, fly, ring, NULL, &opts, NULL, &r), ABUT_ERR_CANCELLED);
    assert_int_equal(r.stop, ABUT_STOP_CANCELLED);
    abut_motion_release(fly);
    abut_shape_release(ring);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    abut_shape *ring = torus(1, 0.25, 16, 8);
    abut_motion *fly = moving(v3(3, 0.25, 0), v3(-3, 0, 0), v3(2, 3, 1));
    for (int k = 0; k < 2; ++k) {
        abut_status status = ABUT_OK;
        TEST_EVERY_ALLOCATION_FAILS(
            alloc,
            {
                abut_workspace *ws = NULL;
                abut_first_result r;
                abut_contact_interval in[8];
                abut_intervals_result all;
                status = abut_workspace_create(&alloc, &ws);
                if (!status)
                    status = k ? abut_contact_intervals(ring, fly, ring, NULL, NULL, ws, in, 8, &all)
                               : abut_first_contact(ring, fly, ring, NULL, NULL, ws, &r);
                abut_workspace_destroy(ws);
            },
            status);
        assert_int_equal(status, ABUT_OK);
    }
    abut_motion_release(fly);
    abut_shape_release(ring);
}

/* Whatever the volumes are, the answer is the same. */
static void volumes_agree(void **state)
{
    (void)state;
    abut_shape *ring = torus(1, 0.25, 24, 10);
    abut_motion *fly = moving(v3(-3, 0.25, 0.1), v3(4, 0, 0), v3(1, 2, 1));
    abut_first_result wanted = { 0 };
    for (int volume = 0; volume < ABUT_VOLUME_COUNT; ++volume) {
        abut_mesh_opts opts;
        abut_mesh_opts_init(&opts);
        opts.volume = (abut_volume)volume;
        opts.solid = true;
        abut_shape *body = box_with(0.25, 0.5, 0.375, &opts);
        const abut_first_result r = first(body, fly, ring);
        if (volume == 0)
            wanted = r;
        TEST_CHECK(r.verdict == ABUT_FIRST_CONTACT && r.time.lo <= wanted.time.hi &&
                       wanted.time.lo <= r.time.hi,
                   "%s", abut_volume_name((abut_volume)volume));
        abut_shape_release(body);
    }
    abut_motion_release(fly);
    abut_shape_release(ring);
}

/* 100 turns next to another body, and 100 turns on the way to one. */
static void fast_spin_is_decided(void **state)
{
    (void)state;
    abut_shape *ring = torus(1, 0.25, 24, 8);
    abut_motion *apart = moving(v3(2.6, 0, 0), v3(0, 0, 0), v3(0, 628, 0)),
                *near = moving(v3(4, 0, 0), v3(-2.5, 0, 0), v3(0, 628, 100));
    assert_int_equal(first(ring, apart, ring).verdict, ABUT_FIRST_SEPARATE);
    const abut_first_result r = first(ring, near, ring);
    TEST_CHECK(r.verdict == ABUT_FIRST_CONTACT && r.time.hi - r.time.lo < 1e-10, "verdict %d",
               (int)r.verdict);
    abut_motion_release(apart);
    abut_motion_release(near);
    abut_shape_release(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertex_falls_on_a_face),
        cmocka_unit_test(edges_cross),
        cmocka_unit_test(corner_swings),
        cmocka_unit_test(touches_at_the_start),
        cmocka_unit_test(inside_is_overlapping_for_solids),
        cmocka_unit_test(a_table_stands_on_four_legs),
        cmocka_unit_test(slides_are_exact),
        cmocka_unit_test(slides_inside_solids),
        cmocka_unit_test(spent_budgets_enclose),
        cmocka_unit_test(can_be_cancelled),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(volumes_agree),
        cmocka_unit_test(fast_spin_is_decided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
