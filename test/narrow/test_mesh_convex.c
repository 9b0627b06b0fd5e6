/* SPDX-License-Identifier: MIT */
/* Meshes against convex bodies. On a lattice, where integers tell exactly what touches and what penetrates; and anywhere, against every triangle on its own as a convex shape
 * (whose solvers have referees of their own) and a winding number in long doubles. */
#include "oracle/voxel_mesh.h"

/* ---- boxes and balls on a lattice ---- */

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

/* Gap of a box (centre, half sizes, times 2) and a triangle along an axis: > 0 apart, 0 touching, < 0 overlapping. */
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

/* 1 apart, 0 touching the box's surface only, -1 reaching into its interior. Degenerate triangles are segments and points. */
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

/* Is the middle of a box that no triangle enters inside the solid? Any point near its corner does, a little inwards. */
static bool box_inside(const lattice *l, voxel_int3 centre, voxel_int3 half)
{
    const voxel_number p[3] = { { 8 * centre.x - 8 * half.x + 1, 16 },
                                { 8 * centre.y - 8 * half.y + 1, 16 },
                                { 8 * centre.z - 8 * half.z + 1, 16 } };
    return voxel_mesh_where(&l->mesh, p) == 1;
}

typedef struct tally {
    unsigned all, undecided, touching, penetrating, separate;
} tally;

static void count_verdict(tally *t, abut_verdict v)
{
    ++t->all;
    t->undecided += v == ABUT_UNDECIDED;
    t->touching += v == ABUT_TOUCHING;
    t->penetrating += v == ABUT_PENETRATING;
    t->separate += v == ABUT_SEPARATE;
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

/* Solids that only touch: what is told of where lies on the mesh, for both, and the body can leave along the normal. */
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
                   "seed %" PRIu64 ": ball at %a, told [%a, %a]", l->seed, d, result.distance.lo,
                   result.distance.hi);
    }
    abut_shape_release(ball);
}

static abut_quat any_turn(test_random *r)
{
    return (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                        test_uniform(r, -1, 1) };
}

static void turn_point(abut_quat q, const long double v[3], long double out[3])
{
    const long double w = q.w, x = q.x, y = q.y, z = q.z, n = w * w + x * x + y * y + z * z;
    out[0] =
        ((w * w + x * x - y * y - z * z) * v[0] + 2 * (x * y - w * z) * v[1] + 2 * (x * z + w * y) * v[2]) /
        n;
    out[1] =
        (2 * (x * y + w * z) * v[0] + (w * w - x * x + y * y - z * z) * v[1] + 2 * (y * z - w * x) * v[2]) /
        n;
    out[2] =
        (2 * (x * z - w * y) * v[0] + 2 * (y * z + w * x) * v[1] + (w * w - x * x - y * y + z * z) * v[2]) /
        n;
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
        const abut_interval told = expected == ABUT_SEPARATE ? result.distance : result.depth;
        TEST_CHECK(told.lo <= fabs(gap) * (1 + 1e-15) && told.hi >= fabs(gap) * (1 - 1e-15) &&
                       told.hi - told.lo <= 1e-14,
                   "seed %" PRIu64 ": half-space at %a, told [%a, %a]", l->seed, gap, told.lo, told.hi);
    }
    abut_shape_release(space);
}

/* The same for rotations that are not exact, by long doubles. */
static void check_turned_plane(const lattice *l, test_random *r, tally *t)
{
    const abut_vec3 n = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
    const double offset = test_uniform(r, -3, 3);
    const abut_pose pm = { { test_uniform(r, -2, 2), test_uniform(r, -2, 2), test_uniform(r, -2, 2) },
                           any_turn(r) };
    const abut_pose pb = { { test_uniform(r, -2, 2), test_uniform(r, -2, 2), test_uniform(r, -2, 2) },
                           any_turn(r) };
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

/* ---- anything against every triangle on its own ---- */

enum { RING = 14, TUBE = 8, MOST_TRIANGLES = 2 * RING * TUBE };

typedef struct soup {
    abut_vec3 v[RING * TUBE];
    uint32_t t[3 * MOST_TRIANGLES];
    size_t vertices, triangles;
    bool solid;
    abut_shape *shape;
} soup;

static void make_torus(test_random *r, double size, soup *s)
{
    const double pi = 3.14159265358979, thick = test_uniform(r, 0.2, 0.6);
    s->vertices = RING * TUBE;
    s->triangles = 0;
    s->solid = true;
    for (uint32_t i = 0; i < RING; ++i)
        for (uint32_t j = 0; j < TUBE; ++j) {
            const double a = 2 * pi * i / RING, b = 2 * pi * j / TUBE, rho = size * (1 + thick * cos(b));
            s->v[i * TUBE + j] = (abut_vec3){ rho * cos(a), rho * sin(a), size * thick * sin(b) };
            const uint32_t i1 = (i + 1) % RING, j1 = (j + 1) % TUBE;
            const uint32_t c[6] = { i * TUBE + j, i1 * TUBE + j,  i1 * TUBE + j1,
                                    i * TUBE + j, i1 * TUBE + j1, i * TUBE + j1 };
            memcpy(s->t + 3 * s->triangles, c, sizeof c);
            s->triangles += 2;
        }
}

static void make_soup(test_random *r, double size, soup *s)
{
    s->vertices = 3 + test_below(r, RING * TUBE - 3);
    s->triangles = 1 + test_below(r, 60);
    s->solid = false;
    for (size_t i = 0; i < s->vertices; ++i)
        s->v[i] = (abut_vec3){ size * test_uniform(r, -1, 1), size * test_uniform(r, -1, 1),
                               size * test_uniform(r, -1, 1) * (i % 3 ? 1 : 1e-4) };
    for (size_t i = 0; i < 3 * s->triangles; ++i)
        s->t[i] = test_below(r, (unsigned)s->vertices);
}

static void ball_support(void *ctx, const abut_vec3 *d, abut_vec3 *p)
{
    const double radius = *(const double *)ctx, m = fmax(fabs(d->x), fmax(fabs(d->y), fabs(d->z)));
    const double x = d->x / m, y = d->y / m, z = d->z / m, s = radius / sqrt(x * x + y * y + z * z);
    *p = (abut_vec3){ s * x, s * y, s * z };
}

static double support_radius;

static const char *const kinds[] = { "sphere",    "box",    "capsule", "cylinder", "cone",
                                     "ellipsoid", "convex", "swept",   "support",  "flat" };
enum { KINDS = 10 };

static abut_shape *make_body(test_random *r, unsigned kind, double size)
{
    abut_shape *s = NULL, *inner = NULL;
    const double a = size * test_uniform(r, 0.05, 0.5), b = size * test_uniform(r, 0.05, 0.5),
                 c = size * test_uniform(r, 0.05, 0.5);
    abut_vec3 p[20];
    for (int i = 0; i < 20; ++i)
        p[i] = (abut_vec3){ a * test_uniform(r, -1, 1) + 0.3 * size, b * test_uniform(r, -1, 1),
                            c * test_uniform(r, -1, 1) };
    switch (kind) {
    case 0: assert_int_equal(abut_shape_create_sphere(a, NULL, &s), ABUT_OK); break;
    case 1: assert_int_equal(abut_shape_create_box((abut_vec3){ a, b, c }, NULL, &s), ABUT_OK); break;
    case 2: assert_int_equal(abut_shape_create_capsule(a, b, NULL, &s), ABUT_OK); break;
    case 3: assert_int_equal(abut_shape_create_cylinder(a, b, NULL, &s), ABUT_OK); break;
    case 4: assert_int_equal(abut_shape_create_cone(a, b, NULL, &s), ABUT_OK); break;
    case 5: assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ a, b, c }, NULL, &s), ABUT_OK); break;
    case 6: assert_int_equal(abut_shape_create_convex(p, 20, 0, NULL, &s, NULL), ABUT_OK); break;
    case 7:
        assert_int_equal(abut_shape_create_box((abut_vec3){ a, b, c }, NULL, &inner), ABUT_OK);
        assert_int_equal(abut_shape_create_swept(inner, 0.1 * size, NULL, &s, NULL), ABUT_OK);
        abut_shape_release(inner);
        break;
    case 8: {
        support_radius = a;
        const abut_support_def def = { ball_support, &support_radius, 1e-14 * a, 1.01 * a };
        assert_int_equal(abut_shape_create_support(&def, NULL, &s, NULL), ABUT_OK);
        break;
    }
    default: assert_int_equal(abut_shape_create_triangle(p, 0, NULL, &s, NULL), ABUT_OK);
    }
    return s;
}

/* How often the torus goes round p, by solid angles; p in the world. */
static bool inside(const soup *s, const abut_pose *pose, const long double p[3])
{
    long double sum = 0;
    for (size_t i = 0; i < s->triangles; ++i) {
        long double c[3][3], length[3];
        for (size_t k = 0; k < 3; ++k) {
            const abut_vec3 v = s->v[s->t[3 * i + k]];
            const long double local[3] = { v.x, v.y, v.z };
            turn_point(pose->rotation, local, c[k]);
            c[k][0] += pose->position.x - p[0];
            c[k][1] += pose->position.y - p[1];
            c[k][2] += pose->position.z - p[2];
            length[k] = sqrtl(c[k][0] * c[k][0] + c[k][1] * c[k][1] + c[k][2] * c[k][2]);
        }
        const long double det = c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                                c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
                                c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0]);
#define DOT(a, b) (c[a][0] * c[b][0] + c[a][1] * c[b][1] + c[a][2] * c[b][2])
        sum += 2 * atan2l(det, length[0] * length[1] * length[2] + DOT(0, 1) * length[2] +
                                   DOT(1, 2) * length[0] + DOT(2, 0) * length[1]);
    }
    return sum > 6.28L;
}

typedef struct brute {
    double lo, hi;
    bool meets, doubt;
} brute;

/* Every triangle on its own. */
static brute all_triangles(const soup *s, const abut_pose *pm, const abut_shape *body, const abut_pose *pb)
{
    brute b = { INFINITY, INFINITY, false, false };
    for (size_t i = 0; i < s->triangles; ++i) {
        const abut_vec3 c[3] = { s->v[s->t[3 * i]], s->v[s->t[3 * i + 1]], s->v[s->t[3 * i + 2]] };
        abut_shape *one;
        abut_check_result t;
        assert_int_equal(abut_shape_create_triangle(c, 0, NULL, &one, NULL), ABUT_OK);
        assert_int_equal(abut_check(one, pm, body, pb, NULL, NULL, &t), ABUT_OK);
        b.meets |= t.verdict == ABUT_TOUCHING || t.verdict == ABUT_PENETRATING;
        b.doubt |= t.verdict == ABUT_UNDECIDED;
        b.lo = fmin(b.lo, t.distance.lo);
        b.hi = fmin(b.hi, t.distance.hi);
        abut_shape_release(one);
    }
    return b;
}

/* Moved along the normal until they touch, to rounding and a little more or less: nobody may contradict another. */
static void check_close(const soup *s, const abut_pose *pm, abut_shape *body, abut_pose pb,
                        const abut_check_result *apart, double size, test_random *r, unsigned seed,
                        const char *name)
{
    static const double more[] = {
        0, 1e-16, -1e-16, 1e-15, -1e-15, 3e-14, -3e-14, 1e-11, -1e-11, 1e-7, -1e-7
    };
    const double by = -apart->distance.lo + size * more[test_below(r, 11)];
    pb.position.x += by * apart->normal.x;
    pb.position.y += by * apart->normal.y;
    pb.position.z += by * apart->normal.z;
    const brute b = all_triangles(s, pm, body, &pb);
    abut_check_result c;
    abut_distance_result d;
    abut_overlap_result o;
    assert_int_equal(abut_check(s->shape, pm, body, &pb, NULL, NULL, &c), ABUT_OK);
    assert_int_equal(abut_distance(body, &pb, s->shape, pm, NULL, NULL, &d), ABUT_OK);
    assert_int_equal(abut_overlap(body, &pb, s->shape, pm, NULL, NULL, &o), ABUT_OK);
    TEST_CHECK(!(b.meets &&
                 (c.verdict == ABUT_SEPARATE || d.verdict == ABUT_SEPARATE || o.verdict == ABUT_SEPARATE)),
               "seed %u: %s meets a triangle; check %s, distance %s, overlap %s", seed, name,
               abut_verdict_name(c.verdict), abut_verdict_name(d.verdict), abut_verdict_name(o.verdict));
    const bool apart_all = !b.meets && !b.doubt;
    TEST_CHECK(!(apart_all && (c.verdict == ABUT_TOUCHING || c.verdict == ABUT_PENETRATING ||
                               d.verdict == ABUT_TOUCHING || d.verdict == ABUT_PENETRATING ||
                               o.verdict == ABUT_TOUCHING || o.verdict == ABUT_PENETRATING)),
               "seed %u: %s meets no triangle; check %s, distance %s, overlap %s", seed, name,
               abut_verdict_name(c.verdict), abut_verdict_name(d.verdict), abut_verdict_name(o.verdict));
    TEST_CHECK(c.distance.lo <= b.hi && c.distance.hi >= b.lo && d.distance.lo <= b.hi &&
                   d.distance.hi >= b.lo,
               "seed %u: %s: [%a, %a], [%a, %a], it is [%a, %a]", seed, name, c.distance.lo, c.distance.hi,
               d.distance.lo, d.distance.hi, b.lo, b.hi);
}

static void test_bodies(void **state)
{
    (void)state;
    const unsigned count = (unsigned)test_count(1800);
    tally all[KINDS] = { { 0 } };
    double widest = 0;
    for (unsigned seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 1000000);
        static soup s;
        static const double sizes[] = { 1, 1, 1, 1e3, 1e-3, 1e150, 1e-150, 1e9 };
        const double size = sizes[test_below(&r, 8)],
                     ratio = test_below(&r, 8) ? 1 : exp(test_uniform(&r, -14, 3));
        const unsigned kind = test_below(&r, KINDS);
        if (test_below(&r, 3))
            make_torus(&r, size, &s);
        else
            make_soup(&r, size, &s);
        abut_mesh_opts opts;
        abut_mesh_opts_init(&opts);
        opts.solid = s.solid;
        opts.volume = test_below(&r, 2) ? ABUT_VOLUME_AUTO : (abut_volume)test_below(&r, ABUT_VOLUME_COUNT);
        assert_int_equal(
            abut_shape_create_mesh_with(s.v, s.vertices, s.t, s.triangles, &opts, NULL, &s.shape, NULL),
            ABUT_OK);
        abut_shape *body = make_body(&r, kind, size * ratio);
        const double far = test_below(&r, 4) ? 1.6 : 4;
        const abut_pose pm = { { size * test_uniform(&r, -1, 1), size * test_uniform(&r, -1, 1), 3 * size },
                               any_turn(&r) };
        const abut_pose pb = { { pm.position.x + far * size * test_uniform(&r, -1, 1),
                                 pm.position.y + far * size * test_uniform(&r, -1, 1),
                                 pm.position.z + far * size * test_uniform(&r, -1, 1) },
                               any_turn(&r) };
        const brute every = all_triangles(&s, &pm, body, &pb);
        const double lo = every.lo, hi = every.hi;
        const bool meets = every.meets, doubt = every.doubt;
        /* A point of the body: of those that are not around their origin, their point furthest along x. */
        long double p[3] = { pb.position.x, pb.position.y, pb.position.z };
        bool within = false;
        if (s.solid && kind != 6 && kind != 9)
            within = inside(&s, &pm, p);
        abut_check_result r1;
        abut_distance_result r2;
        abut_overlap_result r3;
        assert_int_equal(abut_check(s.shape, &pm, body, &pb, NULL, NULL, &r1), ABUT_OK);
        assert_int_equal(abut_distance(body, &pb, s.shape, &pm, NULL, NULL, &r2), ABUT_OK);
        assert_int_equal(abut_overlap(body, &pb, s.shape, &pm, NULL, NULL, &r3), ABUT_OK);
        count_verdict(&all[kind], r1.verdict);
        const char *name = kinds[kind];
        if (!doubt && kind != 6 && !(kind == 9 && s.solid)) {
            const abut_verdict expected =
                meets || within ? (s.solid && kind != 9 ? ABUT_PENETRATING : ABUT_TOUCHING) : ABUT_SEPARATE;
            TEST_CHECK(r1.verdict == expected || r1.verdict == ABUT_UNDECIDED,
                       "seed %u: %s: check says %s, it is %s", seed, name, abut_verdict_name(r1.verdict),
                       abut_verdict_name(expected));
            TEST_CHECK(r2.verdict == expected || r2.verdict == ABUT_UNDECIDED,
                       "seed %u: %s: distance says %s, it is %s", seed, name, abut_verdict_name(r2.verdict),
                       abut_verdict_name(expected));
            TEST_CHECK(r3.verdict == expected || r3.verdict == ABUT_UNDECIDED,
                       "seed %u: %s: overlap says %s, it is %s", seed, name, abut_verdict_name(r3.verdict),
                       abut_verdict_name(expected));
        }
        TEST_CHECK(r1.verdict != ABUT_SEPARATE || !meets, "seed %u: %s: separate", seed, name);
        if (r1.verdict == ABUT_SEPARATE && size < 1e100 && size > 1e-100)
            check_close(&s, &pm, body, pb, &r1, size * (1 + ratio), &r, seed, name);
        if (r1.verdict == ABUT_SEPARATE) {
            TEST_CHECK(r1.distance.lo <= hi && r1.distance.hi >= lo, "seed %u: %s: [%a, %a], it is [%a, %a]",
                       seed, name, r1.distance.lo, r1.distance.hi, lo, hi);
            TEST_CHECK(r2.distance.lo <= hi && r2.distance.hi >= lo, "seed %u: %s: [%a, %a], it is [%a, %a]",
                       seed, name, r2.distance.lo, r2.distance.hi, lo, hi);
            const double width = (r1.distance.hi - r1.distance.lo) / (size * (1 + ratio));
            widest = fmax(widest, width);
            TEST_CHECK(width < 1e-9, "seed %u: %s: [%a, %a] for [%a, %a]", seed, name, r1.distance.lo,
                       r1.distance.hi, lo, hi);
            TEST_CHECK(r1.has_points, "seed %u: %s: no points", seed, name);
            const double dx = r1.point_b.x - r1.point_a.x, dy = r1.point_b.y - r1.point_a.y,
                         dz = r1.point_b.z - r1.point_a.z;
            TEST_NEAR(hypot(hypot(dx, dy), dz), r1.distance.hi, 1e-9 * size * (1 + ratio), "seed %u: %s",
                      seed, name);
            /* Clearance, cutoff, relative. */
            abut_overlap_opts oo;
            abut_overlap_opts_init(&oo);
            oo.clearance = r1.distance.lo * 0.999;
            assert_int_equal(abut_overlap(s.shape, &pm, body, &pb, &oo, NULL, &r3), ABUT_OK);
            TEST_CHECK(r3.verdict == ABUT_SEPARATE, "seed %u: %s: %s within %g", seed, name,
                       abut_verdict_name(r3.verdict), oo.clearance);
            oo.clearance = r1.distance.hi * 1.001;
            assert_int_equal(abut_overlap(s.shape, &pm, body, &pb, &oo, NULL, &r3), ABUT_OK);
            TEST_CHECK(r3.verdict == ABUT_PENETRATING, "seed %u: %s: %s within %g", seed, name,
                       abut_verdict_name(r3.verdict), oo.clearance);
            abut_distance_opts od;
            abut_distance_opts_init(&od);
            od.cutoff = 0.5 * r1.distance.lo;
            assert_int_equal(abut_distance(s.shape, &pm, body, &pb, &od, NULL, &r2), ABUT_OK);
            TEST_CHECK(r2.verdict == ABUT_SEPARATE && r2.distance.lo > od.cutoff && r2.distance.lo <= hi &&
                           r2.distance.hi >= lo,
                       "seed %u: %s: cutoff %a, told [%a, %a] %s", seed, name, od.cutoff, r2.distance.lo,
                       r2.distance.hi, abut_verdict_name(r2.verdict));
            od.cutoff = test_below(&r, 2) ? 0 : -1;
            assert_int_equal(abut_distance(s.shape, &pm, body, &pb, &od, NULL, &r2), ABUT_OK);
            TEST_CHECK(r2.verdict == ABUT_SEPARATE && r2.distance.lo > 0 && r2.distance.lo <= hi,
                       "seed %u: %s: no cutoff, told [%a, %a] %s", seed, name, r2.distance.lo, r2.distance.hi,
                       abut_verdict_name(r2.verdict));
            abut_distance_opts_init(&od);
            od.relative = 0.5;
            assert_int_equal(abut_distance(s.shape, &pm, body, &pb, &od, NULL, &r2), ABUT_OK);
            TEST_CHECK(r2.distance.lo <= hi && r2.distance.hi >= lo && r2.distance.hi <= 1.6 * r2.distance.lo,
                       "seed %u: %s: relative, told [%a, %a]", seed, name, r2.distance.lo, r2.distance.hi);
            abut_check_opts oc;
            abut_check_opts_init(&oc);
            oc.relative = 0.5;
            abut_check_result r4;
            assert_int_equal(abut_check(s.shape, &pm, body, &pb, &oc, NULL, &r4), ABUT_OK);
            TEST_CHECK(r4.verdict == r1.verdict && r4.distance.lo <= hi && r4.distance.hi >= lo &&
                           r4.distance.hi <= 1.6 * r4.distance.lo,
                       "seed %u: %s: relative check, told [%a, %a]", seed, name, r4.distance.lo,
                       r4.distance.hi);
        } else if (r1.verdict != ABUT_UNDECIDED) {
            for (int i = 0; i < r1.contact_count; ++i) {
                const abut_vec3 n = r1.contacts[i].normal;
                TEST_NEAR(n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-9, "seed %u: %s contact %d", seed, name,
                          i);
            }
            TEST_CHECK(!meets || r1.contact_count > 0, "seed %u: %s: no contacts", seed, name);
            abut_distance_opts od;
            abut_distance_opts_init(&od);
            od.cutoff = -1;
            assert_int_equal(abut_distance(s.shape, &pm, body, &pb, &od, NULL, &r2), ABUT_OK);
            TEST_CHECK(r2.verdict == r1.verdict, "seed %u: %s: %s, with a cutoff %s", seed, name,
                       abut_verdict_name(r1.verdict), abut_verdict_name(r2.verdict));
        }
        abut_shape_release(body);
        abut_shape_release(s.shape);
    }
    for (int k = 0; k < KINDS; ++k)
        print_message("%s: %u, %u separate, %u touching, %u penetrating, %u undecided\n", kinds[k],
                      all[k].all, all[k].separate, all[k].touching, all[k].penetrating, all[k].undecided);
    print_message("widest enclosure: %g of the size\n", widest);
}

/* The same placements by motions: at rest, and half way along a line. */
static void test_motions(void **state)
{
    (void)state;
    const unsigned count = (unsigned)test_count(600);
    unsigned undecided = 0;
    for (unsigned seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 2000000);
        static soup s;
        if (test_below(&r, 2))
            make_torus(&r, 1, &s);
        else
            make_soup(&r, 1, &s);
        assert_int_equal(
            abut_shape_create_mesh(s.v, s.vertices, s.t, s.triangles, s.solid, NULL, &s.shape, NULL),
            ABUT_OK);
        const unsigned kind = test_below(&r, KINDS);
        abut_shape *body = make_body(&r, kind, 1);
        const abut_pose pm = { { test_uniform(&r, -1, 1), 0, 0 }, any_turn(&r) };
        abut_pose pb = { { test_uniform(&r, -2, 2), test_uniform(&r, -2, 2), test_uniform(&r, -2, 2) },
                         any_turn(&r) };
        const double step[3] = { 0.25 * (int)test_below(&r, 9), 0.5, -0.125 };
        const abut_placement from = { { pb.position.x - step[0], pb.position.y - step[1],
                                        pb.position.z - step[2] },
                                      { ABUT_ROTATION_QUATERNION, pb.rotation, { 0, 0, 0 }, 0 } };
        const abut_placement to = { { pb.position.x + step[0], pb.position.y + step[1],
                                      pb.position.z + step[2] },
                                    { ABUT_ROTATION_QUATERNION, pb.rotation, { 0, 0, 0 }, 0 } };
        const abut_placement still = { pm.position,
                                       { ABUT_ROTATION_QUATERNION, pm.rotation, { 0, 0, 0 }, 0 } };
        abut_motion *ma, *mb;
        assert_int_equal(abut_motion_create_static(&still, NULL, &ma, NULL), ABUT_OK);
        assert_int_equal(abut_motion_create_linear(0, 2, &from, &to, NULL, &mb, NULL), ABUT_OK);
        abut_check_result by_motion, by_pose;
        assert_int_equal(abut_check_at(s.shape, ma, body, mb, 1, NULL, NULL, &by_motion), ABUT_OK);
        assert_int_equal(abut_check(s.shape, &pm, body, &pb, NULL, NULL, &by_pose), ABUT_OK);
        undecided += by_motion.verdict == ABUT_UNDECIDED;
        /* The middle of the line is rounded by an ulp or two. */
        TEST_CHECK(by_motion.verdict == by_pose.verdict || by_motion.verdict == ABUT_UNDECIDED ||
                       by_pose.verdict == ABUT_UNDECIDED,
                   "seed %u: %s: %s by motions, %s by poses", seed, kinds[kind],
                   abut_verdict_name(by_motion.verdict), abut_verdict_name(by_pose.verdict));
        TEST_CHECK(by_motion.distance.lo <= by_pose.distance.hi + 1e-14 &&
                       by_pose.distance.lo <= by_motion.distance.hi + 1e-14 &&
                       by_motion.distance.hi - by_motion.distance.lo < 1e-12,
                   "seed %u: %s: [%a, %a] by motions, [%a, %a] by poses", seed, kinds[kind],
                   by_motion.distance.lo, by_motion.distance.hi, by_pose.distance.lo, by_pose.distance.hi);
        abut_motion_release(ma);
        abut_motion_release(mb);
        abut_shape_release(body);
        abut_shape_release(s.shape);
    }
    print_message("%u of %u undecided\n", undecided, count);
}

/* A large box on a finely meshed solid plate: more triangles in doubt than are remembered. */
static void test_plate(void **state)
{
    (void)state;
    enum { SIDE = 24, COUNT = (SIDE + 1) * (SIDE + 1) };
    static abut_vec3 v[2 * COUNT];
    static uint32_t t[3 * (4 * SIDE * SIDE + 8 * SIDE)];
    size_t n = 0;
    for (uint32_t k = 0; k < 2; ++k)
        for (uint32_t j = 0; j <= SIDE; ++j)
            for (uint32_t i = 0; i <= SIDE; ++i)
                v[k * COUNT + j * (SIDE + 1) + i] = (abut_vec3){ 0.25 * i - 3, 0.25 * j - 3, k ? 0 : -1 };
#define QUAD(a, b, c, d)                                        \
    do {                                                        \
        const uint32_t q[6] = { (a), (b), (c), (a), (c), (d) }; \
        memcpy(t + n, q, sizeof q);                             \
        n += 6;                                                 \
    } while (0)
    const uint32_t row = SIDE + 1;
    for (uint32_t j = 0; j < SIDE; ++j)
        for (uint32_t i = 0; i < SIDE; ++i) {
            const uint32_t a = j * row + i;
            QUAD(a, a + row, a + row + 1, a + 1);
            QUAD(COUNT + a, COUNT + a + 1, COUNT + a + row + 1, COUNT + a + row);
        }
    for (uint32_t i = 0; i < SIDE; ++i) {
        const uint32_t y0 = i, y1 = SIDE * row + i, x0 = i * row, x1 = i * row + SIDE;
        QUAD(y0, y0 + 1, COUNT + y0 + 1, COUNT + y0);
        QUAD(y1 + 1, y1, COUNT + y1, COUNT + y1 + 1);
        QUAD(x0 + row, x0, COUNT + x0, COUNT + x0 + row);
        QUAD(x1, x1 + row, COUNT + x1 + row, COUNT + x1);
    }
    abut_shape *plate, *box;
    abut_error error;
    const abut_status made = abut_shape_create_mesh(v, 2 * COUNT, t, n / 3, true, NULL, &plate, &error);
    TEST_CHECK(made == ABUT_OK, "%s", error.text);
    assert_int_equal(abut_shape_create_box((abut_vec3){ 2, 2, 1 }, NULL, &box), ABUT_OK);
    static const struct {
        double z;
        abut_verdict verdict;
    } cases[] = { { 1, ABUT_TOUCHING },
                  { 1 + 0x1p-52, ABUT_SEPARATE },
                  { 1 - 0x1p-53, ABUT_PENETRATING },
                  { -2, ABUT_TOUCHING } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const abut_pose pose = { { 0.125, -0.0625, cases[i].z }, { 1, 0, 0, 0 } };
        abut_check_result c;
        assert_int_equal(abut_check(plate, NULL, box, &pose, NULL, NULL, &c), ABUT_OK);
        TEST_CHECK(c.verdict == cases[i].verdict && c.proof == ABUT_PROOF_EXACT, "z = %.17g: %s, %s",
                   cases[i].z, abut_verdict_name(c.verdict), abut_proof_name(c.proof));
        if (c.verdict == ABUT_TOUCHING) {
            assert_int_equal(c.contact_count, 4);
            for (int k = 0; k < 4; ++k) /* spread over the box's face, the way from the plate to the box */
                TEST_CHECK(c.contacts[k].normal.z == (cases[i].z > 0 ? 1 : -1), "%g", c.contacts[k].normal.z);
        }
    }
    abut_shape_release(plate);
    abut_shape_release(box);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_lattice), cmocka_unit_test(test_bodies),
                                        cmocka_unit_test(test_motions), cmocka_unit_test(test_plate) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
