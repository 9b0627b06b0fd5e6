/* SPDX-License-Identifier: MIT */
/* Meshes against convex bodies anywhere: against every triangle on its own as a convex shape
 * (whose solvers have referees of their own) and a winding number in long doubles. */
#include "test_mesh_convex_support.h"

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

/* Moved along the normal until they touch, to rounding and a little more or less: nobody may
 * contradict another. */
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
                               random_quat(&r) };
        const abut_pose pb = { { pm.position.x + far * size * test_uniform(&r, -1, 1),
                                 pm.position.y + far * size * test_uniform(&r, -1, 1),
                                 pm.position.z + far * size * test_uniform(&r, -1, 1) },
                               random_quat(&r) };
        const brute every = all_triangles(&s, &pm, body, &pb);
        const double lo = every.lo, hi = every.hi;
        const bool meets = every.meets, doubt = every.doubt;
        /* A point of the body: of those that are not around their origin, their point furthest
         * along x. */
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
                       "seed %u: %s: cutoff %a, reported [%a, %a] %s", seed, name, od.cutoff, r2.distance.lo,
                       r2.distance.hi, abut_verdict_name(r2.verdict));
            od.cutoff = test_below(&r, 2) ? 0 : -1;
            assert_int_equal(abut_distance(s.shape, &pm, body, &pb, &od, NULL, &r2), ABUT_OK);
            TEST_CHECK(r2.verdict == ABUT_SEPARATE && r2.distance.lo > 0 && r2.distance.lo <= hi,
                       "seed %u: %s: no cutoff, reported [%a, %a] %s", seed, name, r2.distance.lo,
                       r2.distance.hi, abut_verdict_name(r2.verdict));
            abut_distance_opts_init(&od);
            od.relative = 0.5;
            assert_int_equal(abut_distance(s.shape, &pm, body, &pb, &od, NULL, &r2), ABUT_OK);
            TEST_CHECK(r2.distance.lo <= hi && r2.distance.hi >= lo && r2.distance.hi <= 1.6 * r2.distance.lo,
                       "seed %u: %s: relative, reported [%a, %a]", seed, name, r2.distance.lo,
                       r2.distance.hi);
            abut_check_opts oc;
            abut_check_opts_init(&oc);
            oc.relative = 0.5;
            abut_check_result r4;
            assert_int_equal(abut_check(s.shape, &pm, body, &pb, &oc, NULL, &r4), ABUT_OK);
            TEST_CHECK(r4.verdict == r1.verdict && r4.distance.lo <= hi && r4.distance.hi >= lo &&
                           r4.distance.hi <= 1.6 * r4.distance.lo,
                       "seed %u: %s: relative check, reported [%a, %a]", seed, name, r4.distance.lo,
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
        const abut_pose pm = { { test_uniform(&r, -1, 1), 0, 0 }, random_quat(&r) };
        abut_pose pb = { { test_uniform(&r, -2, 2), test_uniform(&r, -2, 2), test_uniform(&r, -2, 2) },
                         random_quat(&r) };
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

/* A large box on a finely meshed solid plate: more triangles undecided than are remembered. */
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
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_bodies), cmocka_unit_test(test_motions),
                                        cmocka_unit_test(test_plate) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
