/* SPDX-License-Identifier: MIT */
/* Exact verdicts of convex pairs that are placed exactly, and their contact points.
 *
 * Referee: integers. Hulls have small integer corners, so that every candidate for a separating
 * plane (three points of one, an edge of each) is tried in 64-bit arithmetic. Round bodies stand
 * on planes at integer heights, and their footprints (points, rectangles, discs) are compared by
 * squares of integers. Nothing may be undecided that touches: that is what the predicates are
 * for. */
#include "abut/query.h"
#include "narrow/distance/convex.h"
#include "support/test.h"

typedef struct ivec {
    int64_t v[3];
} ivec;

static ivec sub(ivec a, ivec b)
{
    return (ivec){ { a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2] } };
}

static ivec cross(ivec a, ivec b)
{
    return (ivec){ { a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2],
                     a.v[0] * b.v[1] - a.v[1] * b.v[0] } };
}

static int64_t dot(ivec a, ivec b)
{
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

enum { CORNERS = 6 };

typedef struct solid {
    ivec p[CORNERS];
} solid;

static bool is_solid(const solid *s)
{
    for (int i = 1; i < CORNERS; ++i)
        for (int j = i + 1; j < CORNERS; ++j)
            for (int k = j + 1; k < CORNERS; ++k)
                if (dot(sub(s->p[i], s->p[0]), cross(sub(s->p[j], s->p[0]), sub(s->p[k], s->p[0]))) != 0)
                    return true;
    return false;
}

/* Gap along n, both ways: the larger. */
static int64_t gap_along(const solid *a, const solid *b, ivec n)
{
    int64_t lo[2] = { INT64_MAX, INT64_MAX }, hi[2] = { INT64_MIN, INT64_MIN };
    const solid *both[2] = { a, b };
    for (int s = 0; s < 2; ++s)
        for (int i = 0; i < CORNERS; ++i) {
            const int64_t value = dot(n, both[s]->p[i]);
            lo[s] = value < lo[s] ? value : lo[s];
            hi[s] = value > hi[s] ? value : hi[s];
        }
    const int64_t one = lo[1] - hi[0], other = lo[0] - hi[1];
    return one > other ? one : other;
}

static abut_verdict judge(const solid *a, const solid *b)
{
    int64_t best = INT64_MIN;
    const solid *both[2] = { a, b };
    for (int s = 0; s < 2; ++s)
        for (int i = 0; i < CORNERS; ++i)
            for (int j = i + 1; j < CORNERS; ++j)
                for (int k = j + 1; k < CORNERS; ++k) {
                    const solid *c = both[s];
                    const ivec n = cross(sub(c->p[j], c->p[i]), sub(c->p[k], c->p[i]));
                    const int64_t gap = dot(n, n) == 0 ? INT64_MIN : gap_along(a, b, n);
                    best = gap > best ? gap : best;
                }
    for (int i = 0; i < CORNERS; ++i)
        for (int j = i + 1; j < CORNERS; ++j)
            for (int k = 0; k < CORNERS; ++k)
                for (int l = k + 1; l < CORNERS; ++l) {
                    const ivec n = cross(sub(a->p[j], a->p[i]), sub(b->p[l], b->p[k]));
                    const int64_t gap = dot(n, n) == 0 ? INT64_MIN : gap_along(a, b, n);
                    best = gap > best ? gap : best;
                }
    return best > 0 ? ABUT_SEPARATE : best == 0 ? ABUT_TOUCHING : ABUT_PENETRATING;
}

static abut_shape *make_hull(const solid *s, ivec origin, double unit)
{
    abut_vec3 points[CORNERS];
    for (int i = 0; i < CORNERS; ++i) {
        const ivec p = sub(s->p[i], origin);
        points[i] = (abut_vec3){ unit * (double)p.v[0], unit * (double)p.v[1], unit * (double)p.v[2] };
    }
    abut_shape *shape = NULL;
    assert_int_equal(abut_shape_create_convex(points, CORNERS, 0, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

static void hulls_of_integers(void **state)
{
    (void)state;
    int touching = 0;
    for (uint64_t seed = 0; seed < test_count(100000); ++seed) {
        test_random r = test_seed(seed);
        const unsigned range = 3 + test_below(&r, 4);
        solid a, b;
        const int64_t shift = (int64_t)test_below(&r, range + 2);
        for (int i = 0; i < CORNERS; ++i)
            for (int k = 0; k < 3; ++k) {
                a.p[i].v[k] = test_below(&r, range);
                b.p[i].v[k] = test_below(&r, range) + (k == (int)(seed % 3) ? shift : 0);
            }
        if (!is_solid(&a) || !is_solid(&b))
            continue;
        const abut_verdict truth = judge(&a, &b);
        /* The same bodies about an origin of their own, carried there by a pose; lengths times a
         * power of two or a third. */
        const double unit = seed % 2 ? 1 : seed % 4 ? 0x1p-40 : 0x1p30;
        const ivec origin = { { test_below(&r, 9), test_below(&r, 9), test_below(&r, 9) } }, none = { { 0 } };
        abut_shape *sa = make_hull(&a, none, unit), *sb = make_hull(&b, origin, unit);
        const abut_pose pose = { { unit * (double)origin.v[0], unit * (double)origin.v[1],
                                   unit * (double)origin.v[2] },
                                 { 1, 0, 0, 0 } };
        abut_check_result result;
        assert_int_equal(abut_check(sa, NULL, sb, &pose, NULL, NULL, &result), ABUT_OK);
        TEST_CHECK(result.verdict == truth,
                   "seed %" PRIu64 ": %s, should be %s; distance [%a, %a] depth [%a, %a]", seed,
                   abut_verdict_name(result.verdict), abut_verdict_name(truth), result.distance.lo,
                   result.distance.hi, result.depth.lo, result.depth.hi);
        if (truth == ABUT_TOUCHING) {
            ++touching;
            TEST_CHECK(result.proof == ABUT_PROOF_EXACT && result.contact_count > 0, "seed %" PRIu64, seed);
            abut_overlap_result overlap;
            assert_int_equal(abut_overlap(sb, &pose, sa, NULL, NULL, NULL, &overlap), ABUT_OK);
            TEST_CHECK(overlap.verdict == truth, "seed %" PRIu64 ": overlap says %s", seed,
                       abut_verdict_name(overlap.verdict));
        }
        abut_shape_release(sa);
        abut_shape_release(sb);
    }
    print_message("%d touching\n", touching);
    assert_true(touching > 0);
}

/* ---- round bodies on planes ---- */

/* A body with its lower or upper side on the plane z = 0, and what it touches of it. */
typedef struct footing {
    abut_shape *shape;
    double rest; /* height of the origin when it stands on the plane */
    int disc;    /* radius */
    int half[2]; /* of a rectangle */
} footing;

static footing make_footing(test_random *r, bool above)
{
    footing f = { .shape = NULL };
    const int size = 1 + (int)test_below(r, 5), height = 2 * (1 + (int)test_below(r, 4));
    f.rest = (above ? 0.5 : -0.5) * height;
    switch (test_below(r, 6)) {
    case 0:
        abut_shape_create_cylinder(size, height, NULL, &f.shape);
        f.disc = size;
        break;
    case 1:
        abut_shape_create_cone(size, height, NULL, &f.shape);
        f.disc = above ? size : 0;
        break;
    case 2:
        abut_shape_create_box((abut_vec3){ size, size + 1, 0.5 * height }, NULL, &f.shape);
        f.half[0] = size;
        f.half[1] = size + 1;
        break;
    case 3: abut_shape_create_ellipsoid((abut_vec3){ size, 3, 0.5 * height }, NULL, &f.shape); break;
    case 4: {
        const double s = size, h = 0.5 * height;
        const abut_vec3 points[8] = { { -s, -s, -h }, { s, -s, -h }, { s, s, -h }, { -s, s, -h },
                                      { -s, -s, h },  { s, -s, h },  { s, s, h },  { -s, s, h } };
        abut_shape_create_convex(points, 8, 0, NULL, &f.shape, NULL);
        f.half[0] = f.half[1] = size;
        break;
    }
    default: {
        /* A box swept by a ball: the footprint is that of the box, a radius further out. */
        abut_shape *core = NULL;
        abut_shape_create_box((abut_vec3){ size, 2, 0.5 * height }, NULL, &core);
        abut_shape_create_swept(core, 0.25, NULL, &f.shape, NULL);
        abut_shape_release(core);
        f.rest += above ? 0.25 : -0.25;
        f.half[0] = size;
        f.half[1] = 2;
    }
    }
    assert_non_null(f.shape);
    return f;
}

static bool footprints_touch(const footing *a, const footing *b, int dx, int dy)
{
    int64_t x = abs(dx) - a->half[0] - b->half[0], y = abs(dy) - a->half[1] - b->half[1];
    x = x > 0 ? x : 0;
    y = y > 0 ? y : 0;
    const int64_t r = a->disc + b->disc;
    return x * x + y * y <= r * r;
}

static void bodies_on_each_other(void **state)
{
    (void)state;
    /* World axes for the bodies' x, y, z. */
    static const abut_quat turns[] = { { 1, 0, 0, 0 }, { 1, 1, 1, 1 }, { 1, -1, -1, -1 } };
    static const int axes[][3] = { { 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 } };
    int touching = 0;
    for (uint64_t seed = 0; seed < test_count(40000); ++seed) {
        test_random r = test_seed(seed);
        const footing below = make_footing(&r, false), above = make_footing(&r, true);
        const int dx = (int)test_below(&r, 17) - 8, dy = (int)test_below(&r, 17) - 8, turn = (int)(seed % 3);
        const double at_a[3] = { 1, -2, below.rest }, at_b[3] = { 1 + dx, -2 + dy, above.rest };
        double wa[3], wb[3];
        for (int k = 0; k < 3; ++k) {
            wa[axes[turn][k]] = at_a[k];
            wb[axes[turn][k]] = at_b[k];
        }
        const abut_pose pa = { { wa[0], wa[1], wa[2] }, turns[turn] },
                        pb = { { wb[0], wb[1], wb[2] }, turns[turn] };
        abut_check_result result;
        assert_int_equal(abut_check(below.shape, &pa, above.shape, &pb, NULL, NULL, &result), ABUT_OK);
        const bool touch = footprints_touch(&below, &above, dx, dy);
        TEST_CHECK((result.verdict == ABUT_TOUCHING) == touch && (touch || result.verdict == ABUT_SEPARATE),
                   "seed %" PRIu64 ": %s and %s %d %d turn %d are %s; distance [%a, %a]", seed,
                   abut_shape_type_name(abut_shape_get_type(below.shape)),
                   abut_shape_type_name(abut_shape_get_type(above.shape)), dx, dy, turn,
                   abut_verdict_name(result.verdict), result.distance.lo, result.distance.hi);
        touching += touch;
        if (touch) {
            const double apart = fabs(result.point_a.x - result.point_b.x) +
                                 fabs(result.point_a.y - result.point_b.y) +
                                 fabs(result.point_a.z - result.point_b.z);
            TEST_CHECK(result.has_points && apart < 1e-6,
                       "seed %" PRIu64 ": the closest points of %s and %s at %d %d are %g apart", seed,
                       abut_shape_type_name(abut_shape_get_type(below.shape)),
                       abut_shape_type_name(abut_shape_get_type(above.shape)), dx, dy, apart);
        }
        for (int i = 0; i < result.contact_count; ++i) {
            const abut_vec3 p = result.contacts[i].point;
            const double w[3] = { p.x, p.y, p.z };
            /* A normal at a touch is known to the square root of rounding only, and so are such
             * points. */
            TEST_NEAR(w[axes[turn][2]], 0, 1e-7, "seed %" PRIu64 " contact %d of %s and %s at %d %d", seed, i,
                      abut_shape_type_name(abut_shape_get_type(below.shape)),
                      abut_shape_type_name(abut_shape_get_type(above.shape)), dx, dy);
        }
        abut_shape_release(below.shape);
        abut_shape_release(above.shape);
    }
    assert_true(touching > 0);
}

/* ---- contact points ---- */

static void boxes_touch_in_polygons(void **state)
{
    (void)state;
    abut_shape *table = NULL, *crate = NULL;
    abut_shape_create_box((abut_vec3){ 2, 2, 1 }, NULL, &table);
    abut_shape_create_box((abut_vec3){ 1, 1, 1 }, NULL, &crate);
    abut_check_opts opts;
    abut_check_opts_init(&opts);
    for (int most = 1; most <= ABUT_CHECK_CONTACTS; ++most)
        for (int i = 0; i < 8; ++i) {
            const double angle = 0.1 * i, sunk = i % 2 ? 0 : 0.01;
            const abut_pose pose = { { 0.1 * i, 0, 2 - sunk },
                                     abut_quat_from_axis_angle((abut_vec3){ 0, 0, 1 }, angle) };
            abut_check_result result;
            opts.max_contacts = most;
            assert_int_equal(abut_check(table, NULL, crate, &pose, &opts, NULL, &result), ABUT_OK);
            if (result.verdict == ABUT_UNDECIDED)
                continue; /* touching under a rotation that is not exact */
            assert_int_equal(result.contact_count, most < 4 ? most : result.contact_count);
            assert_true(result.contact_count <= most);
            if (most >= 4)
                assert_true(result.contact_count >= 4);
            for (int k = 0; k < result.contact_count; ++k) {
                const abut_contact *c = &result.contacts[k];
                TEST_NEAR(c->point.z, 1 - 0.5 * sunk, 1e-9, "contact %d", k);
                TEST_CHECK(fabs(c->point.x) <= 2 + 1e-6 && fabs(c->point.y) <= 2 + 1e-6, "contact %d", k);
                TEST_NEAR(c->normal.z, 1, 1e-9, "contact %d", k);
            }
        }
    abut_shape_release(table);
    abut_shape_release(crate);
}

/* The direction from a to b turns by no more than the bodies do, through contact and beyond. */
static void normals_are_continuous(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(300); ++seed) {
        test_random r = test_seed(seed);
        abut_shape *egg = NULL, *other = NULL;
        abut_shape_create_ellipsoid((abut_vec3){ 1, 0.7, 0.5 }, NULL, &egg);
        if (seed % 2)
            abut_shape_create_ellipsoid((abut_vec3){ 0.6, 0.8, 1 }, NULL, &other);
        else
            abut_shape_create_box((abut_vec3){ 2, 2, 1 }, NULL, &other);
        const abut_quat q = { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), 1 };
        abut_vec3 last = { 0, 0, 0 };
        double gap = NAN;
        for (int i = -20; i <= 20; ++i) {
            /* The height at which they touch is found first, by halving. */
            double lo = 0.5, hi = 5;
            abut_check_result result;
            for (int k = 0; isnan(gap) && k < 60; ++k) {
                const abut_pose at = { { 0.1, 0.2, 0.5 * (lo + hi) }, q };
                assert_int_equal(abut_check(other, NULL, egg, &at, NULL, NULL, &result), ABUT_OK);
                *(result.verdict == ABUT_SEPARATE ? &hi : &lo) = at.position.z;
            }
            if (isnan(gap))
                gap = hi;
            const abut_pose at = { { 0.1, 0.2, gap + 1e-4 * i }, q };
            assert_int_equal(abut_check(other, NULL, egg, &at, NULL, NULL, &result), ABUT_OK);
            assert_true(result.has_normal);
            const abut_vec3 n = result.normal;
            TEST_NEAR(n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-12, "seed %" PRIu64, seed);
            if (i > -20)
                TEST_CHECK(fabs(n.x - last.x) + fabs(n.y - last.y) + fabs(n.z - last.z) < 5e-3,
                           "seed %" PRIu64 " step %d: (%g %g %g) after (%g %g %g)", seed, i, n.x, n.y, n.z,
                           last.x, last.y, last.z);
            last = n;
        }
        abut_shape_release(egg);
        abut_shape_release(other);
    }
}

/* ---- a point inside both ---- */

/* How deep p lies in the body, at most, in long double, from the definition of the shape:
 * negative outside. */
static long double depth_inside(const abut_shape *shape, abut_vec3 p)
{
    const abut_core *core = &shape->core;
    const long double x = p.x, y = p.y, z = p.z, r = core->h[0], h = core->h[2];
    switch (core->kind) {
    case ABUT_CORE_BOX:
        return fminl(fminl(core->h[0] - fabsl(x), core->h[1] - fabsl(y)), core->h[2] - fabsl(z));
    case ABUT_CORE_CYLINDER: return fminl(h - fabsl(z), r - sqrtl(x * x + y * y));
    case ABUT_CORE_CONE: return fminl(z + h, r * (h - z) / (2 * h) - sqrtl(x * x + y * y));
    case ABUT_CORE_ELLIPSOID: {
        const long double u = x / core->h[0], v = y / core->h[1], w = z / core->h[2];
        return 1 - sqrtl(u * u + v * v + w * w);
    }
    default: {
        /* Every plane through three points that has all points on one side. */
        const size_t count = shape->u.convex.point_count;
        const abut_vec3 *q = shape->u.convex.points;
        long double least = INFINITY;
        for (size_t i = 0; i < count; ++i)
            for (size_t j = 0; j < count; ++j)
                for (size_t k = 0; k < count; ++k) {
                    const long double ux = (long double)q[j].x - q[i].x, uy = (long double)q[j].y - q[i].y,
                                      uz = (long double)q[j].z - q[i].z, vx = (long double)q[k].x - q[i].x,
                                      vy = (long double)q[k].y - q[i].y, vz = (long double)q[k].z - q[i].z;
                    const long double n[3] = { uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx };
                    const long double size = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
                    if (i == j || j == k || i == k || !(size > 0))
                        continue;
                    long double most = 0;
                    for (size_t m = 0; m < count; ++m)
                        if (m != i && m != j && m != k)
                            most = fmaxl(most, n[0] * (q[m].x - q[i].x) + n[1] * (q[m].y - q[i].y) +
                                                   n[2] * (q[m].z - q[i].z));
                    if (most == 0)
                        least = fminl(
                            least, -(n[0] * (x - q[i].x) + n[1] * (y - q[i].y) + n[2] * (z - q[i].z)) / size);
                }
        return least;
    }
    }
}

static abut_shape *any_shape(test_random *r, unsigned which)
{
    abut_shape *shape = NULL;
    const double a = test_uniform(r, 0.1, 1), b = test_uniform(r, 0.1, 1), c = test_uniform(r, 0.1, 1);
    switch (which) {
    case 0: abut_shape_create_box((abut_vec3){ a, b, c }, NULL, &shape); break;
    case 1: abut_shape_create_cylinder(a, b, NULL, &shape); break;
    case 2: abut_shape_create_cone(a, b, NULL, &shape); break;
    case 3: abut_shape_create_ellipsoid((abut_vec3){ a, b, c }, NULL, &shape); break;
    default: {
        abut_vec3 p[7];
        for (int i = 0; i < 7; ++i)
            p[i] = (abut_vec3){ test_uniform(r, -a, a), test_uniform(r, -b, b), test_uniform(r, -c, c) };
        abut_shape_create_convex(p, 7, 0, NULL, &shape, NULL);
    }
    }
    assert_non_null(shape);
    return shape;
}

/* Points within a few rounding errors of the boundary, in and out, and anywhere: what is claimed
 * to be inside both is. */
static void common_points_are_inside(void **state)
{
    (void)state;
    int claimed = 0, close = 0;
    for (uint64_t seed = 0; seed < test_count(6000); ++seed) {
        test_random r = test_seed(seed);
        abut_shape *a = any_shape(&r, (unsigned)(seed % 5)), *b = any_shape(&r, test_below(&r, 5));
        /* b stands where a does, so that local coordinates are those of the pair. */
        const abut_convex_pair pair = {
            .a = &a->core, .b = &b->core, .r = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, .error = 1e-15
        };
        const abut_vec3 d = { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1) };
        /* The last point of a ray from the middle that lies in both, by halving. */
        long double in = 0, out = 4;
        for (int i = 0; i < 70; ++i) {
            const long double t = (in + out) / 2;
            const abut_vec3 p = { (double)(t * d.x), (double)(t * d.y), (double)(t * d.z) };
            *(depth_inside(a, p) > 0 && depth_inside(b, p) > 0 ? &in : &out) = t;
        }
        for (int i = 0; i < 6; ++i) {
            const double t = (double)in * (1 + test_log_uniform(&r, -54, -2));
            const abut_vec3 p = { t * d.x, t * d.y, t * d.z };
            if (!abut_convex_common_point(&pair, p))
                continue;
            const long double depth = fminl(depth_inside(a, p), depth_inside(b, p));
            TEST_CHECK(depth > 0, "seed %" PRIu64 ": (%a, %a, %a) is %Lg outside %s or %s", seed, p.x, p.y,
                       p.z, depth, abut_shape_type_name(abut_shape_get_type(a)),
                       abut_shape_type_name(abut_shape_get_type(b)));
            ++claimed;
            close += depth < 1e-10L;
        }
        abut_shape_release(a);
        abut_shape_release(b);
    }
    TEST_CHECK(claimed > 0, "nothing was claimed");
    print_message("%d claimed, %d of them within 1e-10 of the boundary\n", claimed, close);
}

/* Sign of 2 h sqrt(q) + r (z - h) - s sqrt(4 h^2 + r^2), where the first two are positive
 * together: how a ball of radius s stands to the slant of a cone of radius r and height 2 h. */
static int slant_sign(int64_t r, int64_t h, int64_t q, int64_t z, int64_t s)
{
    const int64_t b = 4 * h * r * (z - h),
                  c = 4 * h * h * q + r * r * (z - h) * (z - h) - s * s * (4 * h * h + r * r);
    const int sb = q == 0 ? 0 : (b > 0) - (b < 0), sc = (c > 0) - (c < 0);
    if (sb * sc >= 0)
        return sc ? sc : sb;
    const int64_t d = c * c - b * b * q;
    return sc * ((d > 0) - (d < 0));
}

/* Pythagoras has many ways to touch with roots, and without. */
static void balls_beside_slants(void **state)
{
    (void)state;
    static const abut_quat up[3] = { { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 1, 0, -1, 0 } };
    uint64_t touching = 0, asked = 0;
    const double unit = 0x1p-3;
    for (int r = 1; r <= 5; ++r)
        for (int h = 1; h <= 4; ++h) {
            abut_shape *cone;
            assert_int_equal(abut_shape_create_cone(r * unit, 2 * h * unit, NULL, &cone), ABUT_OK);
            for (int s = 1; s <= 8; ++s) {
                abut_shape *ball[3];
                for (int i = 0; i < 3; ++i)
                    assert_int_equal(abut_shape_create_sphere(i == 0   ? s * unit
                                                              : i == 1 ? nextafter(s * unit, 0)
                                                                       : nextafter(s * unit, 100),
                                                              NULL, &ball[i]),
                                     ABUT_OK);
                for (int x = 0; x <= 9; ++x)
                    for (int y = 0; y <= x; ++y)
                        for (int z = -5; z <= 9; ++z) {
                            const int q = x * x + y * y;
                            const double along = 2 * h * (z + h) - r * (sqrt(q) - r), all = 4 * h * h + r * r;
                            if (!(along > 1e-3 * all && along < 0.999 * all &&
                                  2 * h * sqrt(q) + r * (z - h) > 0))
                                continue;
                            const int sign = slant_sign(r, h, q, z, s), turn = (x + y + z + 5) % 3;
                            const double at[3][3] = { { x, y, z }, { x, -z, y }, { -z, y, x } };
                            const abut_pose p = { { 0.25, 0, -1 }, up[turn] };
                            const abut_pose c = { { 0.25 + unit * at[turn][0], unit * at[turn][1],
                                                    -1 + unit * at[turn][2] },
                                                  { 1, 0, 0, 0 } };
                            abut_check_result found;
                            ++asked;
                            assert_int_equal(abut_check(cone, &p, ball[0], &c, NULL, NULL, &found), ABUT_OK);
                            TEST_CHECK(found.verdict == (sign > 0   ? ABUT_SEPARATE
                                                         : sign < 0 ? ABUT_PENETRATING
                                                                    : ABUT_TOUCHING),
                                       "cone %d %d, ball %d at %d %d %d, turn %d: %s, sign %d", r, h, s, x, y,
                                       z, turn, abut_verdict_name(found.verdict), sign);
                            if (sign != 0)
                                continue;
                            ++touching;
                            assert_true(found.proof == ABUT_PROOF_EXACT && found.contact_count == 1);
                            assert_int_equal(abut_check(ball[1], &c, cone, &p, NULL, NULL, &found), ABUT_OK);
                            assert_int_equal(found.verdict, ABUT_SEPARATE);
                            assert_int_equal(abut_check(cone, &p, ball[2], &c, NULL, NULL, &found), ABUT_OK);
                            assert_int_equal(found.verdict, ABUT_PENETRATING);
                        }
                for (int i = 0; i < 3; ++i)
                    abut_shape_release(ball[i]);
            }
            abut_shape_release(cone);
        }
    print_message("%" PRIu64 " of %" PRIu64 " balls touch a slant\n", touching, asked);
    assert_true(touching > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_of_integers),        cmocka_unit_test(bodies_on_each_other),
        cmocka_unit_test(boxes_touch_in_polygons),  cmocka_unit_test(normals_are_continuous),
        cmocka_unit_test(common_points_are_inside), cmocka_unit_test(balls_beside_slants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
