/* SPDX-License-Identifier: MIT */
/* Meshes against boxes, balls and half-spaces on a lattice, where integers tell exactly what
 * touches and what penetrates. */
#include "test_mesh_convex_support.h"

typedef struct lattice {
    uint64_t seed;
    voxel_mesh mesh;
    abut_shape *shape;
} lattice;

static int64_t dot(voxel_int3 a, voxel_int3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static voxel_int3 cross(voxel_int3 a, voxel_int3 b)
{
    return (voxel_int3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static voxel_int3 sub(voxel_int3 a, voxel_int3 b)
{
    return (voxel_int3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

/* Gap of a box (centre, half sizes, times 2) and a triangle along an axis: > 0 apart, 0
 * touching, < 0 overlapping. */
static int64_t gap_along(voxel_int3 axis, voxel_int3 centre, voxel_int3 half, const voxel_int3 t[3])
{
    const int64_t c = dot(axis, centre),
                  r = llabs(axis.x) * half.x + llabs(axis.y) * half.y + llabs(axis.z) * half.z;
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    for (int k = 0; k < 3; ++k) {
        const int64_t v = 2 * dot(axis, t[k]);
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    return lo - c - r > c - r - hi ? lo - c - r : c - r - hi;
}

/* 1 apart, 0 touching the box's surface only, -1 reaching into its interior. Degenerate
 * triangles are segments and points. */
static int box_side(voxel_int3 centre, voxel_int3 half, const voxel_int3 t[3])
{
    const voxel_int3 unit[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    int sign = -1;
    voxel_int3 axes[16];
    int count = 0;
    const voxel_int3 n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    for (int i = 0; i < 3; ++i) {
        axes[count++] = unit[i];
        for (int k = 0; k < 3; ++k) {
            axes[count++] = cross(unit[i], sub(t[(k + 1) % 3], t[k]));
        }
    }
    axes[count++] = n;
    for (int i = 0; i < count; ++i) {
        if (dot(axes[i], axes[i]) == 0)
            continue;
        const int64_t gap = gap_along(axes[i], centre, half, t);
        const int s = gap > 0 ? 1 : gap == 0 ? 0 : -1;
        sign = s > sign ? s : sign;
    }
    return sign;
}

static void corners_of(const voxel_mesh *m, size_t i, voxel_int3 t[3])
{
    for (size_t k = 0; k < 3; ++k)
        t[k] = m->vertices[m->triangles[3 * i + k]];
}

/* Is the middle of a box that no triangle enters inside the solid? Any point near its corner
 * does, a little inwards. */
static bool box_inside(const lattice *l, voxel_int3 centre, voxel_int3 half)
{
    const voxel_number p[3] = { { 8 * centre.x - 8 * half.x + 1, 16 },
                                { 8 * centre.y - 8 * half.y + 1, 16 },
                                { 8 * centre.z - 8 * half.z + 1, 16 } };
    return voxel_mesh_where(&l->mesh, p) == 1;
}

static const abut_pose turns[4] = { { { 0, 0, 0 }, { 1, 0, 0, 0 } },
                                    { { 0, 0, 0 }, { 1, 1, 0, 0 } },
                                    { { 0, 0, 0 }, { 1, 1, 1, 1 } },
                                    { { 0, 0, 0 }, { 0, 0, 1, 0 } } };

/* A whole world of mesh and body turned and moved. */
static void place(int turn, voxel_int3 shift, voxel_int3 centre, abut_pose *mesh, abut_pose *body)
{
    *mesh = turns[turn];
    mesh->position = (abut_vec3){ (double)shift.x, (double)shift.y, (double)shift.z };
    *body = *mesh;
    const abut_vec3 c = { 0.5 * (double)centre.x, 0.5 * (double)centre.y, 0.5 * (double)centre.z };
    abut_vec3 r = c;
    if (turn == 1)
        r = (abut_vec3){ c.x, -c.z, c.y };
    else if (turn == 2)
        r = (abut_vec3){ c.z, c.x, c.y };
    else if (turn == 3)
        r = (abut_vec3){ -c.x, c.y, -c.z };
    body->position.x += r.x;
    body->position.y += r.y;
    body->position.z += r.z;
}

/* Solids that only touch: what is reported of where lies on the mesh, for both, and the body can
 * leave along the normal. */
static void judge_touch(const lattice *l, abut_shape *body, const abut_pose *pm, const abut_pose *pb,
                        const abut_check_result *r, const char *what)
{
    const abut_vec3 a = r->point_a, b = r->point_b;
    TEST_CHECK(r->has_points && r->has_normal && r->contact_count > 0 &&
                   fabs(a.x - b.x) + fabs(a.y - b.y) + fabs(a.z - b.z) < 1e-6,
               "seed %" PRIu64 ": %s: points (%g, %g, %g) and (%g, %g, %g)", l->seed, what, a.x, a.y, a.z,
               b.x, b.y, b.z);
    for (int k = 0; k < r->contact_count; ++k) {
        abut_closest_result near;
        const abut_vec3 p = r->contacts[k].point;
        assert_int_equal(abut_closest_point(l->shape, pm, p, INFINITY, &near), ABUT_OK);
        TEST_CHECK(near.distance.lo < 1e-6, "seed %" PRIu64 ": %s: contact (%g, %g, %g) is %g away", l->seed,
                   what, p.x, p.y, p.z, near.distance.lo);
    }
    abut_pose left = *pb;
    left.position.x += 1e-3 * r->normal.x;
    left.position.y += 1e-3 * r->normal.y;
    left.position.z += 1e-3 * r->normal.z;
    abut_overlap_result o;
    assert_int_equal(abut_overlap(l->shape, pm, body, &left, NULL, NULL, &o), ABUT_OK);
    if (o.verdict != ABUT_PENETRATING)
        return;
    /* It sticks: then no other way along axes or diagonals may be free. */
    for (int k = 0; k < 27; ++k) {
        const abut_vec3 d = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
        left.position = (abut_vec3){ pb->position.x + 1e-3 * d.x, pb->position.y + 1e-3 * d.y,
                                     pb->position.z + 1e-3 * d.z };
        assert_int_equal(abut_overlap(l->shape, pm, body, &left, NULL, NULL, &o), ABUT_OK);
        TEST_CHECK(k == 13 || o.verdict != ABUT_SEPARATE,
                   "seed %" PRIu64 ": %s: sticks along (%g, %g, %g), not along (%g, %g, %g)", l->seed, what,
                   r->normal.x, r->normal.y, r->normal.z, d.x, d.y, d.z);
    }
}

static void judge(const lattice *l, abut_shape *body, const abut_pose *pm, const abut_pose *pb,
                  abut_verdict expected, tally *t, const char *what)
{
    abut_check_result r;
    abut_distance_result d;
    abut_overlap_result o;
    assert_int_equal(abut_check(l->shape, pm, body, pb, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(abut_distance(body, pb, l->shape, pm, NULL, NULL, &d), ABUT_OK);
    assert_int_equal(abut_overlap(l->shape, pm, body, pb, NULL, NULL, &o), ABUT_OK);
    count_verdict(t, r.verdict);
    TEST_CHECK(r.verdict == expected || r.verdict == ABUT_UNDECIDED,
               "seed %" PRIu64 ": %s: check says %s, it is %s", l->seed, what, abut_verdict_name(r.verdict),
               abut_verdict_name(expected));
    TEST_CHECK(d.verdict == expected || d.verdict == ABUT_UNDECIDED,
               "seed %" PRIu64 ": %s: distance says %s, it is %s", l->seed, what,
               abut_verdict_name(d.verdict), abut_verdict_name(expected));
    TEST_CHECK(o.verdict == expected || o.verdict == ABUT_UNDECIDED,
               "seed %" PRIu64 ": %s: overlap says %s, it is %s", l->seed, what, abut_verdict_name(o.verdict),
               abut_verdict_name(expected));
    TEST_CHECK((r.distance.lo > 0) == (r.verdict == ABUT_SEPARATE) && r.distance.lo <= r.distance.hi,
               "seed %" PRIu64 ": %s: distance [%a, %a]", l->seed, what, r.distance.lo, r.distance.hi);
    if (r.verdict == ABUT_TOUCHING && l->mesh.solid)
        judge_touch(l, body, pm, pb, &r, what);
    if (r.verdict == ABUT_SEPARATE && d.verdict == ABUT_SEPARATE)
        TEST_CHECK(d.distance.lo <= r.distance.hi && r.distance.lo <= d.distance.hi,
                   "seed %" PRIu64 ": %s: [%a, %a] and [%a, %a]", l->seed, what, r.distance.lo, r.distance.hi,
                   d.distance.lo, d.distance.hi);
}

static void check_box(const lattice *l, test_random *r, tally *t)
{
    const voxel_int3 half = { 1 + test_below(r, 4), 1 + test_below(r, 3), 1 + test_below(r, 5) };
    const voxel_int3 centre = { (int64_t)test_below(r, 13) - 3, (int64_t)test_below(r, 13) - 3,
                                (int64_t)test_below(r, 13) - 3 };
    const voxel_int3 shift = { (int64_t)test_below(r, 9) - 4, (int64_t)test_below(r, 1000), 7 };
    int least = 1;
    for (size_t i = 0; i < l->mesh.triangle_count; ++i) {
        voxel_int3 c[3];
        corners_of(&l->mesh, i, c);
        const int side = box_side(centre, half, c);
        least = side < least ? side : least;
    }
    abut_verdict expected = least > 0 ? ABUT_SEPARATE : ABUT_TOUCHING;
    if (l->mesh.solid && (least < 0 || box_inside(l, centre, half)))
        expected = ABUT_PENETRATING;
    abut_shape *box;
    assert_int_equal(
        abut_shape_create_box((abut_vec3){ 0.5 * (double)half.x, 0.5 * (double)half.y, 0.5 * (double)half.z },
                              NULL, &box),
        ABUT_OK);
    abut_pose pm, pb;
    place((int)test_below(r, 4), shift, centre, &pm, &pb);
    judge(l, box, &pm, &pb, expected, t, "box");
    abut_shape_release(box);
}

/* Square of the distance of p / 2 from a triangle, as a quotient. */
static voxel_number square_distance(voxel_int3 p, const voxel_int3 t[3])
{
    voxel_number best = { INT64_MAX, 1 };
    for (int k = 0; k < 3; ++k) {
        const voxel_int3 a = { 2 * t[k].x, 2 * t[k].y, 2 * t[k].z },
                         b = { 2 * t[(k + 1) % 3].x, 2 * t[(k + 1) % 3].y, 2 * t[(k + 1) % 3].z };
        const voxel_int3 e = sub(b, a), d = sub(p, a), m = cross(d, e);
        const int64_t along = dot(d, e), square = dot(e, e);
        voxel_number s = { dot(d, d), 4 };
        if (along > 0 && along < square)
            s = (voxel_number){ dot(m, m), 4 * square };
        if (k == 0 || voxel_compare(s, best) < 0)
            best = s;
    }
    const voxel_int3 n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    if (dot(n, n) == 0)
        return best;
    for (int k = 0; k < 3; ++k) {
        const voxel_int3 d = { p.x - 2 * t[k].x, p.y - 2 * t[k].y, p.z - 2 * t[k].z };
        if (dot(cross(n, sub(t[(k + 1) % 3], t[k])), d) < 0)
            return best;
    }
    const voxel_int3 d = { p.x - 2 * t[0].x, p.y - 2 * t[0].y, p.z - 2 * t[0].z };
    const int64_t height = dot(n, d);
    return (voxel_number){ height * height, 4 * dot(n, n) };
}

static void check_ball(const lattice *l, test_random *r, tally *t)
{
    const voxel_int3 p = { (int64_t)test_below(r, 13) - 3, (int64_t)test_below(r, 13) - 3,
                           (int64_t)test_below(r, 13) - 3 };
    const voxel_int3 shift = { (int64_t)test_below(r, 9) - 4, (int64_t)test_below(r, 1000), 7 };
    const int64_t radius = 1 + test_below(r, 5); /* times 1/2 */
    const voxel_number r2 = { radius * radius, 4 };
    voxel_number least = { INT64_MAX, 1 };
    for (size_t i = 0; i < l->mesh.triangle_count; ++i) {
        voxel_int3 c[3];
        corners_of(&l->mesh, i, c);
        const voxel_number s = square_distance(p, c);
        least = i == 0 || voxel_compare(s, least) < 0 ? s : least;
    }
    const int side = voxel_compare(least, r2);
    const voxel_number q[3] = { { p.x, 2 }, { p.y, 2 }, { p.z, 2 } };
    abut_verdict expected = side > 0 ? ABUT_SEPARATE : ABUT_TOUCHING;
    if (l->mesh.solid && (side < 0 || voxel_mesh_where(&l->mesh, q) == 1))
        expected = ABUT_PENETRATING;
    abut_shape *ball;
    assert_int_equal(abut_shape_create_sphere(0.5 * (double)radius, NULL, &ball), ABUT_OK);
    abut_pose pm, pb;
    place((int)test_below(r, 4), shift, p, &pm, &pb);
    judge(l, ball, &pm, &pb, expected, t, "ball");
    abut_check_result result;
    assert_int_equal(abut_check(l->shape, &pm, ball, &pb, NULL, NULL, &result), ABUT_OK);
    if (result.verdict == ABUT_SEPARATE) {
        const double d = sqrt((double)least.over / (double)least.under) - 0.5 * (double)radius;
        TEST_CHECK(result.distance.lo <= d * (1 + 1e-14) && result.distance.hi >= d * (1 - 1e-14) &&
                       result.distance.hi - result.distance.lo < 1e-11,
                   "seed %" PRIu64 ": ball at %a, reported [%a, %a]", l->seed, d, result.distance.lo,
                   result.distance.hi);
    }
    abut_shape_release(ball);
}

static void check_plane(const lattice *l, test_random *r, tally *t)
{
    const voxel_int3 n = { (int64_t)test_below(r, 5) - 2, (int64_t)test_below(r, 5) - 2,
                           1 + test_below(r, 2) };
    const int64_t offset = (int64_t)test_below(r, 31) - 15; /* times 1/2 */
    const voxel_int3 shift = { (int64_t)test_below(r, 9) - 4, (int64_t)test_below(r, 1000), 7 };
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < 3 * l->mesh.triangle_count; ++i) {
        const int64_t height = 2 * dot(n, l->mesh.vertices[l->mesh.triangles[i]]) - offset;
        least = height < least ? height : least;
    }
    abut_shape *space;
    assert_int_equal(abut_shape_create_halfspace((abut_vec3){ (double)n.x, (double)n.y, (double)n.z },
                                                 0.5 * (double)offset, NULL, &space),
                     ABUT_OK);
    abut_pose pm, pb;
    place((int)test_below(r, 4), shift, (voxel_int3){ 0, 0, 0 }, &pm, &pb);
    const abut_verdict expected = least > 0                      ? ABUT_SEPARATE
                                  : least == 0 || !l->mesh.solid ? ABUT_TOUCHING
                                                                 : ABUT_PENETRATING;
    judge(l, space, &pm, &pb, expected, t, "half-space");
    abut_check_result result;
    assert_int_equal(abut_check(l->shape, &pm, space, &pb, NULL, NULL, &result), ABUT_OK);
    const double gap = 0.5 * (double)least / sqrt((double)dot(n, n));
    if (expected != ABUT_TOUCHING) {
        const abut_interval reported = expected == ABUT_SEPARATE ? result.distance : result.depth;
        TEST_CHECK(reported.lo <= fabs(gap) * (1 + 1e-15) && reported.hi >= fabs(gap) * (1 - 1e-15) &&
                       reported.hi - reported.lo <= 1e-14,
                   "seed %" PRIu64 ": half-space at %a, reported [%a, %a]", l->seed, gap, reported.lo,
                   reported.hi);
    }
    abut_shape_release(space);
}

/* The same for rotations that are not exact, by long doubles. */
static void check_turned_plane(const lattice *l, test_random *r, tally *t)
{
    const abut_vec3 n = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
    const double offset = test_uniform(r, -3, 3);
    const abut_pose pm = { { test_uniform(r, -2, 2), test_uniform(r, -2, 2), test_uniform(r, -2, 2) },
                           random_quat(r) };
    const abut_pose pb = { { test_uniform(r, -2, 2), test_uniform(r, -2, 2), test_uniform(r, -2, 2) },
                           random_quat(r) };
    const long double own[3] = { n.x, n.y, n.z },
                      length = sqrtl(own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
    long double normal[3], least = INFINITY;
    turn_point(pb.rotation, own, normal);
    for (size_t i = 0; i < 3 * l->mesh.triangle_count; ++i) {
        const voxel_int3 v = l->mesh.vertices[l->mesh.triangles[i]];
        const long double local[3] = { (long double)v.x, (long double)v.y, (long double)v.z };
        long double p[3];
        turn_point(pm.rotation, local, p);
        const long double height = (normal[0] * (p[0] + pm.position.x - pb.position.x) +
                                    normal[1] * (p[1] + pm.position.y - pb.position.y) +
                                    normal[2] * (p[2] + pm.position.z - pb.position.z) - offset) /
                                   length;
        least = height < least ? height : least;
    }
    abut_shape *space;
    abut_check_result result;
    assert_int_equal(abut_shape_create_halfspace(n, offset, NULL, &space), ABUT_OK);
    assert_int_equal(abut_check(space, &pb, l->shape, &pm, NULL, NULL, &result), ABUT_OK);
    count_verdict(t, result.verdict);
    const abut_verdict expected = least > 0       ? ABUT_SEPARATE
                                  : l->mesh.solid ? ABUT_PENETRATING
                                                  : ABUT_TOUCHING;
    TEST_CHECK(result.verdict == expected || result.verdict == ABUT_UNDECIDED, "seed %" PRIu64 ": %s at %Lg",
               l->seed, abut_verdict_name(result.verdict), least);
    if (result.verdict == ABUT_SEPARATE)
        TEST_CHECK(result.distance.lo <= (double)least && result.distance.hi >= (double)least &&
                       result.distance.hi - result.distance.lo < 2e-14 * (10 + fabs(offset) / (double)length),
                   "seed %" PRIu64 ": [%a, %a] for %La", l->seed, result.distance.lo, result.distance.hi,
                   least);
    if (result.verdict == ABUT_PENETRATING)
        TEST_CHECK(result.depth.lo <= (double)-least && result.depth.hi >= (double)-least,
                   "seed %" PRIu64 ": [%a, %a] for %La", l->seed, result.depth.lo, result.depth.hi, -least);
    abut_shape_release(space);
}

static void test_lattice(void **state)
{
    (void)state;
    const unsigned count = (unsigned)test_count(1500);
    tally boxes = { 0 }, balls = { 0 }, planes = { 0 };
    for (unsigned seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        lattice l = { .seed = seed };
        if (test_below(&r, 3) == 0)
            voxel_mesh_soup(&r, &l.mesh);
        else
            voxel_mesh_solid(&r, &l.mesh);
        l.shape = voxel_mesh_shape(&l.mesh, 0);
        if (!l.shape)
            continue;
        for (int i = 0; i < 4; ++i) {
            check_box(&l, &r, &boxes);
            check_ball(&l, &r, &balls);
            check_plane(&l, &r, &planes);
            check_turned_plane(&l, &r, &planes);
        }
        abut_shape_release(l.shape);
    }
    print_message("boxes: %u, %u separate, %u touching, %u penetrating, %u undecided\n", boxes.all,
                  boxes.separate, boxes.touching, boxes.penetrating, boxes.undecided);
    print_message("half-spaces: %u, %u separate, %u touching, %u penetrating, %u undecided\n", planes.all,
                  planes.separate, planes.touching, planes.penetrating, planes.undecided);
    print_message("balls: %u, %u separate, %u touching, %u penetrating, %u undecided\n", balls.all,
                  balls.separate, balls.touching, balls.penetrating, balls.undecided);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_lattice) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
