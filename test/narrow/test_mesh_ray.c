/* SPDX-License-Identifier: MIT */
/* Lines, points and segments against meshes of small integers, where every edge, corner and
 * plane is hit all the time; the referee is exact (oracle/voxel_mesh.h). */
#include "oracle/voxel_mesh.h"

enum { MOST = 4 * VOXEL_TRIANGLES };

typedef struct scene {
    uint64_t seed;
    voxel_mesh mesh;
    abut_shape *shape;
    int exponent;
    voxel_int3 shift; /* of the mesh in the world */
} scene;

static bool make_scene(uint64_t seed, test_random *r, scene *s)
{
    static const int exponents[] = { 0, 0, 0, -498, 498, 30, -1000 };
    s->seed = seed;
    if (test_below(r, 3) == 0)
        voxel_mesh_soup(r, &s->mesh);
    else
        voxel_mesh_solid(r, &s->mesh);
    s->exponent = exponents[test_below(r, 7)];
    s->shift = (voxel_int3){ 0, 0, 0 };
    if (test_below(r, 2))
        s->shift = (voxel_int3){ (int64_t)test_below(r, 100) - 50, (int64_t)test_below(r, 1000), 1 << 20 };
    s->shape = voxel_mesh_shape(&s->mesh, s->exponent);
    return s->shape != NULL;
}

static abut_vec3 place(const scene *s, voxel_int3 p, int64_t unit)
{
    return (abut_vec3){ ldexp((double)p.x / (double)unit, s->exponent),
                        ldexp((double)p.y / (double)unit, s->exponent),
                        ldexp((double)p.z / (double)unit, s->exponent) };
}

static voxel_int3 any_point(test_random *r, int64_t unit)
{
    voxel_int3 p;
    p.x = (int64_t)test_below(r, (unsigned)(5 * unit + 1)) - unit;
    p.y = (int64_t)test_below(r, (unsigned)(5 * unit + 1)) - unit;
    p.z = (int64_t)test_below(r, (unsigned)(5 * unit + 1)) - unit;
    return p;
}

static voxel_int3 any_direction(test_random *r)
{
    voxel_int3 d;
    do {
        d.x = (int64_t)test_below(r, 7) - 3;
        d.y = (int64_t)test_below(r, 7) - 3;
        d.z = (int64_t)test_below(r, 7) - 3;
        if (test_below(r, 2))
            d.x = 0;
        if (test_below(r, 3) == 0)
            d.y = 0;
    } while (d.x == 0 && d.y == 0 && d.z == 0);
    return d;
}

static double value_of(voxel_number a)
{
    return (double)a.over / (double)a.under;
}

static void check_rays(scene *s, test_random *r)
{
    static voxel_run runs[MOST];
    static abut_ray_hit hits[MOST];
    const int64_t unit = test_below(r, 2) ? 1 : 4;
    const voxel_int3 o = any_point(r, unit), d = any_direction(r);
    const voxel_int3 world = { o.x + unit * s->shift.x, o.y + unit * s->shift.y, o.z + unit * s->shift.z };
    const abut_pose pose = { place(s, s->shift, 1), { 1, 0, 0, 0 } };
    const size_t expected = voxel_cuts(&s->mesh, o, unit, d, runs);
    const abut_vec3 from = place(s, world, unit), direction = place(s, d, 1);
    for (int all = 0; all < 2; ++all) {
        size_t count = 99999;
        const abut_status status = all ? abut_cast_line(s->shape, &pose, from, direction, hits, MOST, &count)
                                       : abut_cast_ray(s->shape, &pose, from, direction, hits, MOST, &count);
        assert_int_equal(status, ABUT_OK);
        size_t k = 0;
        for (size_t i = 0; i < expected; ++i)
            for (int end = 0; end < 2; ++end) {
                const voxel_number t = end ? runs[i].to : runs[i].from;
                if ((!all && t.over < 0) || (end && voxel_compare(runs[i].from, runs[i].to) == 0))
                    continue;
                TEST_CHECK(k < count, "seed %" PRIu64 ": %zu hits, expected one at %g (%s)", s->seed, count,
                           value_of(t), all ? "line" : "ray");
                TEST_NEAR(hits[k].t, value_of(t), 4e-16 * fabs(value_of(t)), "seed %" PRIu64 " hit %zu",
                          s->seed, k);
                TEST_NEAR(hits[k].normal.x * hits[k].normal.x + hits[k].normal.y * hits[k].normal.y +
                              hits[k].normal.z * hits[k].normal.z,
                          1, 1e-14, "seed %" PRIu64, s->seed);
                ++k;
            }
        TEST_CHECK(k == count, "seed %" PRIu64 ": %zu hits, expected %zu (%s)", s->seed, count, k,
                   all ? "line" : "ray");
    }
}

static bool is_vertex(const voxel_mesh *m, int64_t id, const voxel_number p[3])
{
    const voxel_int3 v = m->vertices[id];
    return v.x * p[0].under == p[0].over && v.y * p[1].under == p[1].over && v.z * p[2].under == p[2].over;
}

/* Is p (over one denominator) on a triangle? By a line through it along x. */
static bool is_on_face(const voxel_mesh *m, size_t face, const voxel_number p[3])
{
    voxel_run run;
    const voxel_int3 o = { p[0].over, p[1].over, p[2].over };
    const voxel_number zero = { 0, 1 };
    return voxel_cut(m, face, o, p[0].under, (voxel_int3){ 3, 5, 7 }, &run) &&
           voxel_compare(run.from, zero) <= 0 && voxel_compare(run.to, zero) >= 0;
}

static void judge(const scene *s, abut_where where, int64_t id, const voxel_number p[3], const char *what)
{
    size_t holders = 0, lowest = 0;
    bool vertex = false;
    for (size_t i = s->mesh.triangle_count; i-- > 0;)
        if (is_on_face(&s->mesh, i, p)) {
            ++holders;
            lowest = i;
            for (int k = 0; k < 3; ++k)
                vertex |= is_vertex(&s->mesh, s->mesh.triangles[3 * i + (size_t)k], p);
        }
    const int inside = s->mesh.solid ? voxel_mesh_where(&s->mesh, p) : 0;
    const bool agrees = vertex ? where == ABUT_WHERE_VERTEX && is_vertex(&s->mesh, id, p)
                        : holders > 0
                            ? where == ABUT_WHERE_EDGE || (where == ABUT_WHERE_FACE && id == (int64_t)lowest)
                        : inside == 1 ? where == ABUT_WHERE_IN
                                      : where == ABUT_WHERE_OUT;
    TEST_CHECK(agrees, "seed %" PRIu64 ": %s at (%g, %g, %g): %s %" PRId64 "; %zu triangles hold it, %s",
               s->seed, what, value_of(p[0]), value_of(p[1]), value_of(p[2]), abut_where_name(where), id,
               holders,
               vertex        ? "a vertex"
               : inside == 1 ? "inside"
                             : "not inside");
}

static void check_points(scene *s, test_random *r)
{
    const int64_t unit = 1 << test_below(r, 3);
    const voxel_int3 o = any_point(r, unit);
    const voxel_int3 world = { o.x + unit * s->shift.x, o.y + unit * s->shift.y, o.z + unit * s->shift.z };
    const abut_pose pose = { place(s, s->shift, 1), { 1, 0, 0, 0 } };
    abut_piece piece;
    assert_int_equal(abut_classify_point(s->shape, &pose, place(s, world, unit), &piece), ABUT_OK);
    const voxel_number p[3] = { { o.x, unit }, { o.y, unit }, { o.z, unit } };
    judge(s, piece.where, piece.id, p, "point");
    abut_closest_result closest;
    assert_int_equal(abut_closest_point(s->shape, &pose, place(s, world, unit), INFINITY, &closest), ABUT_OK);
    TEST_CHECK(closest.where == piece.where, "seed %" PRIu64 ": closest says %s, classify %s", s->seed,
               abut_where_name(closest.where), abut_where_name(piece.where));
    TEST_CHECK((closest.distance.hi == 0) == (piece.where >= ABUT_WHERE_VERTEX),
               "seed %" PRIu64 ": distance %a", s->seed, closest.distance.hi);
}

static void at(voxel_int3 o, voxel_int3 d, int64_t unit, voxel_number t, voxel_number p[3])
{
    const int64_t under = unit * t.under;
    p[0] = (voxel_number){ o.x * t.under + t.over * d.x, under };
    p[1] = (voxel_number){ o.y * t.under + t.over * d.y, under };
    p[2] = (voxel_number){ o.z * t.under + t.over * d.z, under };
}

static void check_segments(scene *s, test_random *r)
{
    static voxel_run runs[MOST];
    static abut_piece pieces[MOST];
    const int64_t unit = 1 << test_below(r, 2);
    const voxel_int3 o = any_point(r, unit), e = any_point(r, unit), d = { e.x - o.x, e.y - o.y, e.z - o.z };
    if (d.x == 0 && d.y == 0 && d.z == 0)
        return;
    const voxel_int3 from = { o.x + unit * s->shift.x, o.y + unit * s->shift.y, o.z + unit * s->shift.z };
    const voxel_int3 to = { e.x + unit * s->shift.x, e.y + unit * s->shift.y, e.z + unit * s->shift.z };
    const abut_pose pose = { place(s, s->shift, 1), { 1, 0, 0, 0 } };
    size_t count = 0;
    assert_int_equal(abut_classify_segment(s->shape, &pose, place(s, from, unit), place(s, to, unit), pieces,
                                           MOST, &count),
                     ABUT_OK);
    /* The ends of all that the segment has in common with the mesh, between 0 and 1: cuts of the
     * unit of parameter. */
    const voxel_number zero = { 0, 1 }, one = { 1, 1 };
    const size_t all = voxel_cuts(&s->mesh, o, unit, d, runs);
    voxel_number last = zero;
    size_t k = 0;
    for (size_t i = 0; i <= all; ++i) {
        /* d is times unit: parameters of voxel_cuts are for o / unit + t d. */
        voxel_number a = i < all ? runs[i].from : one, b = i < all ? runs[i].to : one;
        if (i < all) {
            a.over *= unit;
            b.over *= unit;
            if (voxel_compare(b, zero) < 0)
                continue;
        }
        const bool end = i == all || voxel_compare(a, one) > 0, point = voxel_compare(a, b) == 0;
        const bool before = voxel_compare(a, zero) < 0;
        voxel_number p[3];
        const voxel_number stop = end ? one : before ? zero : a;
        if (voxel_compare(stop, last) > 0) {
            const voxel_number middle = { last.over * stop.under + stop.over * last.under,
                                          2 * last.under * stop.under };
            TEST_CHECK(k < count, "seed %" PRIu64 ": %zu pieces are too few", s->seed, count);
            TEST_NEAR(pieces[k].from, value_of(last), 1e-15, "seed %" PRIu64 " piece %zu", s->seed, k);
            TEST_NEAR(pieces[k].to, value_of(stop), 1e-15, "seed %" PRIu64 " piece %zu", s->seed, k);
            at(o, d, unit, middle, p);
            for (int j = 0; j < 3; ++j)
                assert_true(p[j].under > 0);
            judge(s, pieces[k].where, pieces[k].id, p, "piece");
            ++k;
        }
        last = stop;
        if (end)
            break;
        if (!before) {
            TEST_CHECK(k < count && pieces[k].from == pieces[k].to, "seed %" PRIu64 ": no point piece at %g",
                       s->seed, value_of(a));
            at(o, d, unit, a, p);
            judge(s, pieces[k].where, pieces[k].id, p, "point piece");
            ++k;
        }
        if (!point) {
            const bool beyond = voxel_compare(b, one) > 0;
            const voxel_number until = beyond ? one : b;
            if (voxel_compare(until, last) > 0) {
                TEST_CHECK(k < count && pieces[k].where >= ABUT_WHERE_EDGE, "seed %" PRIu64 ": no run at %g",
                           s->seed, value_of(a));
                TEST_NEAR(pieces[k].to, value_of(until), 1e-15, "seed %" PRIu64 " piece %zu", s->seed, k);
                ++k;
            }
            last = until;
            if (!beyond) {
                TEST_CHECK(k < count && pieces[k].from == pieces[k].to,
                           "seed %" PRIu64 ": run without end at %g", s->seed, value_of(b));
                ++k;
            } else
                break;
        }
    }
    TEST_CHECK(k == count, "seed %" PRIu64 ": %zu pieces, expected %zu", s->seed, count, k);
}

static void test_lattice(void **state)
{
    (void)state;
    const unsigned count = (unsigned)test_count(20000);
    unsigned made = 0;
    for (unsigned seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        scene s;
        if (!make_scene(seed, &r, &s))
            continue;
        ++made;
        for (int i = 0; i < 3; ++i) {
            check_rays(&s, &r);
            check_points(&s, &r);
            check_segments(&s, &r);
        }
        abut_shape_release(s.shape);
    }
    TEST_CHECK(made > count / 3, "only %u meshes of %u were solids", made, count);
}

/* A comb of many sheets: more hits than there is room for at once, and a run through many
 * triangles. */
static void test_many(void **state)
{
    (void)state;
    enum { SHEETS = 1000 };
    abut_vec3 *v = malloc(4 * SHEETS * sizeof *v);
    uint32_t *t = malloc(6 * SHEETS * sizeof *t);
    abut_ray_hit *hits = malloc(2 * SHEETS * sizeof *hits);
    for (uint32_t i = 0; i < SHEETS; ++i) {
        const uint32_t at = (i * 619) % SHEETS; /* in no order */
        for (uint32_t k = 0; k < 4; ++k)
            v[4 * i + k] = (abut_vec3){ at, k == 1 || k == 2, k >= 2 };
        const uint32_t corners[6] = { 4 * i, 4 * i + 1, 4 * i + 2, 4 * i, 4 * i + 2, 4 * i + 3 };
        memcpy(t + 6 * i, corners, sizeof corners);
    }
    abut_shape *shape;
    assert_int_equal(abut_shape_create_mesh(v, 4 * SHEETS, t, 2 * SHEETS, false, NULL, &shape, NULL),
                     ABUT_OK);
    size_t count;
    assert_int_equal(abut_cast_ray(shape, NULL, (abut_vec3){ -1, 0.5, 0.5 }, (abut_vec3){ 1, 0, 0 }, hits,
                                   2 * SHEETS, &count),
                     ABUT_OK);
    assert_int_equal(count, SHEETS);
    for (size_t i = 0; i < count; ++i)
        assert_true(hits[i].t == (double)i + 1);
    abut_shape_release(shape);
    /* A strip in a plane, its triangles in no order. */
    for (uint32_t i = 0; i < SHEETS; ++i) {
        const uint32_t at = (i * 619) % SHEETS;
        for (uint32_t k = 0; k < 4; ++k)
            v[4 * i + k] = (abut_vec3){ at + (k == 1 || k == 2), k >= 2, 0 };
    }
    assert_int_equal(abut_shape_create_mesh(v, 4 * SHEETS, t, 2 * SHEETS, false, NULL, &shape, NULL),
                     ABUT_OK);
    assert_int_equal(abut_cast_line(shape, NULL, (abut_vec3){ 3.5, 0.25, 0 }, (abut_vec3){ 1, 0, 0 }, hits,
                                    2 * SHEETS, &count),
                     ABUT_OK);
    assert_int_equal(count, 2);
    assert_true(hits[0].t == -3.5 && hits[1].t == SHEETS - 3.5);
    abut_shape_release(shape);
    free(v);
    free(t);
    free(hits);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_lattice), cmocka_unit_test(test_many) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
