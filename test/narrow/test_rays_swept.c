/* SPDX-License-Identifier: MIT */
/* Rays against swept and support shapes. Referee: the distance of a point to the core in long
 * double, from the definition (boxes and cylinders by clamping, hulls as the least distance to a
 * triangle of their points); each hit is at distance r, and the ray is nearer than r between the
 * hits only. */
#include "abut/query.h"
#include "oracle/real3.h"
#include "support/places.h"

enum { MOST = 8 };

typedef struct core {
    int kind; /* 0 box, 1 cylinder, 2 hull */
    double h[3];
    int n;
    abut_vec3 p[MOST];
} core;

static real over(real x, real h)
{
    const real a = fabsl(x) - h;
    return a > 0 ? a : 0;
}

static real segment_distance(vec a, vec b, vec p)
{
    const vec e = sub(b, a), q = sub(p, a);
    const real ee = dot(e, e);
    real s = ee > 0 ? dot(q, e) / ee : 0;
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    const vec d = { q.x - s * e.x, q.y - s * e.y, q.z - s * e.z };
    return sqrtl(dot(d, d));
}

static real triangle_distance(vec a, vec b, vec c, vec p)
{
    real best = fminl(segment_distance(a, b, p), fminl(segment_distance(b, c, p), segment_distance(c, a, p)));
    const vec n = cross(sub(b, a), sub(c, a));
    const real nn = dot(n, n);
    if (!(nn > 1e-30L))
        return best;
    if (dot(cross(sub(b, a), sub(p, a)), n) >= 0 && dot(cross(sub(c, b), sub(p, b)), n) >= 0 &&
        dot(cross(sub(a, c), sub(p, c)), n) >= 0)
        best = fminl(best, fabsl(dot(n, sub(p, a))) / sqrtl(nn));
    return best;
}

/* Is the point on the inner side of all planes of three points that have all others on one side? */
static bool in_hull(const core *c, vec p)
{
    bool any = false;
    for (int i = 0; i < c->n; ++i)
        for (int j = i + 1; j < c->n; ++j)
            for (int k = j + 1; k < c->n; ++k) {
                const vec a = vec_of(c->p[i]), n = cross(sub(vec_of(c->p[j]), a), sub(vec_of(c->p[k]), a));
                int plus = 0, minus = 0;
                for (int m = 0; m < c->n; ++m) {
                    const real s = m == i || m == j || m == k ? 0 : dot(n, sub(vec_of(c->p[m]), a));
                    plus += s > 0;
                    minus += s < 0;
                }
                if (plus && minus)
                    continue;
                any = true;
                const real s = dot(n, sub(p, a));
                if ((plus && s < 0) || (minus && s > 0))
                    return false;
            }
    return any && c->n > 3;
}

static real distance_to(const core *c, vec p)
{
    if (c->kind == 0) {
        const real x = over(p.x, c->h[0]), y = over(p.y, c->h[1]), z = over(p.z, c->h[2]);
        return sqrtl(x * x + y * y + z * z);
    }
    if (c->kind == 1) {
        const real x = over(sqrtl(p.x * p.x + p.y * p.y), c->h[0]), z = over(p.z, c->h[2]);
        return sqrtl(x * x + z * z);
    }
    if (in_hull(c, p))
        return 0;
    real best = INFINITY;
    for (int i = 0; i < c->n; ++i)
        for (int j = i; j < c->n; ++j)
            for (int k = j; k < c->n; ++k)
                best = fminl(best, triangle_distance(vec_of(c->p[i]), vec_of(c->p[j]), vec_of(c->p[k]), p));
    return best;
}

static core random_core(test_random *r, double margin, abut_shape **out)
{
    core c = { .kind = (int)test_below(r, 3) };
    abut_shape *inner = NULL;
    for (int i = 0; i < 3; ++i)
        c.h[i] = test_uniform(r, 0.1, 1.5);
    c.h[1] = c.kind == 1 ? c.h[0] : c.h[1];
    if (c.kind == 2) {
        c.n = 1 + (int)test_below(r, MOST);
        for (int i = 0; i < c.n; ++i)
            c.p[i] = v3(test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1));
        assert_int_equal(abut_shape_create_convex(c.p, (size_t)c.n, margin, NULL, out, NULL), ABUT_OK);
        return c;
    }
    assert_int_equal(c.kind == 0 ? abut_shape_create_box(v3(c.h[0], c.h[1], c.h[2]), NULL, &inner)
                                 : abut_shape_create_cylinder(c.h[0], 2 * c.h[2], NULL, &inner),
                     ABUT_OK);
    assert_int_equal(abut_shape_create_swept(inner, margin, NULL, out, NULL), ABUT_OK);
    abut_shape_release(inner);
    return c;
}

static void rays_against_swept_shapes(void **state)
{
    (void)state;
    uint64_t seen = 0;
    real worst = 0;
    const uint64_t count = test_count(2000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        abut_shape *shape;
        const double margin = test_uniform(&r, 0.01, 1);
        const core c = random_core(&r, margin, &shape);
        const abut_vec3 o = v3(test_uniform(&r, -4, 4), test_uniform(&r, -4, 4), test_uniform(&r, -4, 4));
        abut_vec3 d = v3(-o.x + test_uniform(&r, -1.5, 1.5), -o.y + test_uniform(&r, -1.5, 1.5),
                         -o.z + test_uniform(&r, -1.5, 1.5));
        if (test_below(&r, 3) == 0)
            d = test_bits(&r) & 1 ? v3(1, 0, 0) : v3(0, 0, -2);
        const double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
        abut_ray_hit hits[4];
        size_t found;
        assert_int_equal(abut_cast_line(shape, NULL, o, d, hits, 4, &found), ABUT_OK);
        TEST_CHECK(found <= 2, "seed %" PRIu64, seed);
        for (size_t i = 0; i < found; ++i) {
            const vec p = { o.x + (real)hits[i].t * d.x, o.y + (real)hits[i].t * d.y,
                            o.z + (real)hits[i].t * d.z };
            const real off = fabsl(distance_to(&c, p) - margin);
            worst = fmaxl(worst, off);
            TEST_CHECK(off < 1e-13L, "seed %" PRIu64 " kind %d: hit %zu at t %.17g is %Lg off", seed, c.kind,
                       i, hits[i].t, off);
            const abut_vec3 n = hits[i].normal;
            const double along = n.x * d.x + n.y * d.y + n.z * d.z;
            TEST_NEAR(n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-13, "seed %" PRIu64, seed);
            TEST_CHECK(i == 0 ? along <= 1e-5 : along >= -1e-5, "seed %" PRIu64 ": normal . d = %g", seed,
                       along);
            const vec q = { p.x + 1e-4L * n.x, p.y + 1e-4L * n.y,
                            p.z + 1e-4L * n.z }; /* straight away from the core */
            TEST_CHECK(fabsl(distance_to(&c, q) - margin - 1e-4L) < 1e-8L,
                       "seed %" PRIu64 ": normal off by %Lg", seed, distance_to(&c, q) - margin - 1e-4L);
            ++seen;
        }
        for (int k = 0; k <= 200; ++k) {
            const double t = (k / 100.0 - 1) * 10 / length;
            const real gap =
                distance_to(&c, (vec){ o.x + (real)t * d.x, o.y + (real)t * d.y, o.z + (real)t * d.z }) -
                margin;
            const bool inside = found == 2 && t > hits[0].t && t < hits[1].t;
            TEST_CHECK(inside ? gap < 1e-13L : gap > -1e-13L,
                       "seed %" PRIu64 " kind %d: at %.17g gap %Lg, %zu hits", seed, c.kind, t, gap, found);
        }
        abut_shape_release(shape);
    }
    print_message("%" PRIu64 " lines, %" PRIu64 " hits, worst %Lg\n", count, seen, worst);
}

static void box_support(void *ctx, const abut_vec3 *d, abut_vec3 *out)
{
    const double *h = ctx;
    *out = v3(d->x > 0 ? h[0] : -h[0], d->y > 0 ? h[1] : -h[1], d->z > 0 ? h[2] : -h[2]);
}

static void rays_against_support_shapes(void **state)
{
    (void)state;
    double h[3] = { 1, 0.5, 0.75 };
    const abut_support_def def = { box_support, h, 0, 1.5 };
    abut_shape *user, *box;
    assert_int_equal(abut_shape_create_support(&def, NULL, &user, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_box(v3(1, 0.5, 0.75), NULL, &box), ABUT_OK);
    const uint64_t count = test_count(5000);
    uint64_t differ = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const abut_vec3 o = v3(test_uniform(&r, -3, 3), test_uniform(&r, -3, 3), test_uniform(&r, -3, 3)),
                        d = v3(test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1));
        abut_ray_hit a[2], b[2];
        size_t na, nb;
        assert_int_equal(abut_cast_ray(user, NULL, o, d, a, 2, &na), ABUT_OK);
        assert_int_equal(abut_cast_ray(box, NULL, o, d, b, 2, &nb), ABUT_OK);
        differ += na != nb;
        for (size_t i = 0; i < na && na == nb; ++i)
            TEST_NEAR(a[i].t, b[i].t, 1e-12 * (1 + fabs(b[i].t)), "seed %" PRIu64, seed);
        abut_piece at, is;
        assert_int_equal(abut_classify_point(user, NULL, o, &at), ABUT_OK);
        assert_int_equal(abut_classify_point(box, NULL, o, &is), ABUT_OK);
        TEST_CHECK(at.where == is.where, "seed %" PRIu64 ": %s, is %s", seed, abut_where_name(at.where),
                   abut_where_name(is.where));
    }
    TEST_CHECK(differ * 1000 <= count, "%" PRIu64 " of %" PRIu64 " differ in the number of hits", differ,
               count);
    abut_shape_release(user);
    abut_shape_release(box);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_against_swept_shapes),
        cmocka_unit_test(rays_against_support_shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
