/* SPDX-License-Identifier: MIT */
/* Bounding volumes: they contain their points, overlap and lower bounds are never wrong, and
 * they are tight where they should be. Judged in long double by what the layouts in bv/volume.h
 * mean. */
#include "bv/volume.h"
#include "math/vec3.h"
#include "oracle/volume_contains.h"
#include "support/test.h"

enum { MOST = 40 }; /* triangles in a set */

typedef struct set {
    abut_vec3 p[3 * MOST];
    size_t count; /* corners */
} set;

static const abut_volume volumes[] = {
    ABUT_VOLUME_SPHERE, ABUT_VOLUME_AABB,        ABUT_VOLUME_OBB,
    ABUT_VOLUME_KDOP6,  ABUT_VOLUME_KDOP14,      ABUT_VOLUME_KDOP18,
    ABUT_VOLUME_KDOP26, ABUT_VOLUME_LINE_SPHERE, ABUT_VOLUME_RECTANGLE_SPHERE
};
enum { VOLUMES = sizeof volumes / sizeof volumes[0] };

static abut_mat3 random_rotation(test_random *r)
{
    if (test_below(r, 4) == 0) {
        const double s = test_below(r, 2) ? 1 : -1;
        return (abut_mat3){ { { 0, s, 0 }, { -1, 0, 0 }, { 0, 0, s } } };
    }
    const abut_quat q = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                          test_uniform(r, -1, 1) };
    return abut_quat_to_mat3(abut_quat_normalize(q));
}

/* Clouds, flat sets, lines, points, needles and clusters, turned, within [-1, 1]. */
static void random_set(test_random *r, set *out)
{
    out->count = 3 * (1 + test_below(r, MOST));
    const unsigned form = test_below(r, 7);
    double scale[3] = { 1, 1, 1 };
    if (form == 1)
        scale[2] = 0;
    if (form == 2)
        scale[1] = scale[2] = 0;
    if (form == 3)
        scale[0] = scale[1] = scale[2] = 0;
    if (form == 4)
        scale[1] = 1e-4, scale[2] = 1e-8;
    if (form == 5)
        scale[2] = 1e-3;
    const double size = test_below(r, 2) ? 0.5 : fabs(test_log_uniform(r, -30, -1));
    const abut_mat3 turn = form == 6 ? abut_mat3_identity() : random_rotation(r);
    const abut_vec3 at = { test_uniform(r, -0.2, 0.2), test_uniform(r, -0.2, 0.2),
                           test_uniform(r, -0.2, 0.2) };
    for (size_t i = 0; i < out->count; ++i) {
        abut_vec3 p = { test_uniform(r, -0.9, 0.9), test_uniform(r, -0.9, 0.9), test_uniform(r, -0.9, 0.9) };
        if (form == 6) /* a grid */
            p = abut_v3(0.25 * test_below(r, 4), 0.25 * test_below(r, 4), 0.25 * test_below(r, 4));
        p = abut_mul(&turn, abut_v3(scale[0] * p.x, scale[1] * p.y, scale[2] * p.z));
        out->p[i] = abut_madd(at, size, p);
    }
}

/* ---- containment ---- */

static void fit(const abut_bv_kind *kind, const set *s, abut_covariance covariance,
                const abut_bv_scratch *scratch, float *out)
{
    abut_mat3 axes = abut_mat3_identity();
    double extent[3];
    if (kind->oriented)
        abut_bv_axes(s->p, s->count, covariance, scratch, &axes, extent);
    kind->fit(s->p, NULL, s->count, &axes, out);
}

static void check_contains(const abut_bv_kind *kind, const float *v, const set *s, uint64_t seed)
{
    for (size_t i = 0; i < s->count; ++i)
        for (int k = -1; k < 6; ++k) {
            /* A point may be wrong by 2^-50. */
            brute_point p = { { s->p[i].x, s->p[i].y, s->p[i].z } };
            if (k >= 0)
                p.x[k / 2] += k % 2 ? 0x1p-50L : -0x1p-50L;
            const long double off = volume_outside(kind, v, p);
            TEST_CHECK(off <= 0, "seed %" PRIu64 ": %s leaves point %zu of %zu out by %Lg", seed,
                       abut_volume_name(kind->volume), i, s->count, off);
        }
}

static double coordinates[9 * MOST];

static void test_contains(void **state)
{
    (void)state;
    abut_bv_scratch scratch = { .coordinates = coordinates };
    abut_bv_scratch_open(&scratch);
    for (uint64_t seed = 0; seed < test_count(800); ++seed) {
        test_random r = test_seed(seed);
        set s[2];
        random_set(&r, &s[0]);
        random_set(&r, &s[1]);
        for (int n = 0; n < VOLUMES; ++n) {
            const abut_bv_kind *kind = abut_bv_kind_of(volumes[n]);
            float v[3][ABUT_BV_FLOATS];
            for (int k = 0; k < 2; ++k) {
                fit(kind, &s[k], (abut_covariance)test_below(&r, ABUT_COVARIANCE_COUNT), &scratch, v[k]);
                check_contains(kind, v[k], &s[k], seed);
                for (uint32_t i = 0; i < kind->floats; ++i)
                    TEST_CHECK(fabsf(v[k][i]) < 4, "seed %" PRIu64 ": %s has a number %a", seed,
                               abut_volume_name(volumes[n]), (double)v[k][i]);
            }
            const float *both[2] = { v[0], v[1] };
            abut_bv_merge(kind, both, 2, v[2]);
            for (uint32_t i = 0; i < kind->floats; ++i)
                assert_true(fabsf(v[2][i]) < 4);
            check_contains(kind, v[2], &s[0], seed);
            check_contains(kind, v[2], &s[1], seed);
            abut_vec3 corners[ABUT_BV_CORNERS];
            double radius;
            TEST_CHECK(kind->merge ||
                           (kind->corners(v[0], corners, &radius) <= ABUT_BV_CORNERS && radius >= 0),
                       "seed %" PRIu64, seed);
        }
    }
    abut_bv_scratch_close(&scratch);
}

/* ---- overlap and lower bounds ---- */

static brute_point placed(const abut_bv_relative *rel, const abut_vec3 *p, const double off[3])
{
    const long double x[3] = { p->x, p->y, p->z }, t[3] = { rel->t.x, rel->t.y, rel->t.z };
    brute_point out;
    for (int i = 0; i < 3; ++i)
        out.x[i] = rel->r.m[i][0] * x[0] + rel->r.m[i][1] * x[1] + rel->r.m[i][2] * x[2] + t[i] + off[i];
    return out;
}

static brute_point brute_vec(abut_vec3 p)
{
    return (brute_point){ { p.x, p.y, p.z } };
}

typedef struct scene {
    set s[2]; /* in the bodies' units */
    abut_bv_frame frame[2];
    set local[2];
    abut_bv_relative rel;
    long double distance; /* of the triangles, by the true placement */
    double unit;
} scene;

static void to_local(scene *c, int k)
{
    abut_aabb box = { c->s[k].p[0], c->s[k].p[0] };
    for (size_t i = 1; i < c->s[k].count; ++i) {
        const abut_vec3 p = c->s[k].p[i];
        box.lo = abut_v3(fmin(box.lo.x, p.x), fmin(box.lo.y, p.y), fmin(box.lo.z, p.z));
        box.hi = abut_v3(fmax(box.hi.x, p.x), fmax(box.hi.y, p.y), fmax(box.hi.z, p.z));
    }
    c->frame[k] = abut_bv_frame_of(&box);
    const abut_bv_local local = abut_bv_local_of(&c->frame[k]);
    c->local[k].count = c->s[k].count;
    for (size_t i = 0; i < c->s[k].count; ++i) {
        c->local[k].p[i] = abut_bv_to_local(&local, c->s[k].p[i]);
        assert_true(abut_max_norm(c->local[k].p[i]) <= 1);
    }
}

/* Two sets, placed at random, or so that a point of one is next to a point of the other. */
static void random_scene(test_random *r, scene *c)
{
    const bool extreme = test_below(r, 6) == 0;
    const double exponent = extreme ? test_uniform(r, -480, 480) : test_uniform(r, -3, 3);
    const double ratio = test_below(r, 4) == 0 ? test_uniform(r, -40, 40) : 0;
    for (int k = 0; k < 2; ++k) {
        random_set(r, &c->s[k]);
        c->s[k].count = c->s[k].count > 24 ? 24 : c->s[k].count;
        for (size_t i = 0; i < c->s[k].count; ++i)
            c->s[k].p[i] = abut_scale(exp2(exponent + (k ? ratio : 0)), c->s[k].p[i]);
        to_local(c, k);
    }
    c->unit = exp2(exponent + fmax(ratio, 0));
    c->rel.r = random_rotation(r);
    const double error_size = test_below(r, 3) == 0 ? exp2(test_uniform(r, -30, -3)) : 0x1p-50;
    double off[3];
    const abut_vec3 turned = abut_mul(&c->rel.r, c->s[1].p[test_below(r, (unsigned)c->s[1].count)]);
    const double near_by = test_below(r, 3) == 0 ? 1 : test_below(r, 2) ? 0 : exp2(test_uniform(r, -40, 0));
    const abut_vec3 gap = { near_by * test_uniform(r, -2, 2), near_by * test_uniform(r, -2, 2),
                            near_by * test_uniform(r, -2, 2) };
    c->rel.t = abut_madd(abut_sub(c->s[0].p[test_below(r, (unsigned)c->s[0].count)], turned), c->unit, gap);
    if (test_below(r, 20) == 0)
        c->rel.t.x += c->unit * exp2(test_uniform(r, 0, 520));
    c->rel.error = error_size * (4 * c->unit + abut_max_norm(c->rel.t));
    for (int k = 0; k < 3; ++k)
        off[k] = c->rel.error * (test_below(r, 3) - 1.0);
    c->distance = INFINITY;
    for (size_t i = 0; i < c->s[0].count; i += 3)
        for (size_t j = 0; j < c->s[1].count; j += 3) {
            brute_point p[3], q[3];
            for (size_t k = 0; k < 3; ++k) {
                p[k] = brute_vec(c->s[0].p[i + k]);
                q[k] = placed(&c->rel, &c->s[1].p[j + k], off);
            }
            c->distance = fminl(c->distance, brute_triangles(p, q));
        }
}

static void check_scene(const scene *c, const abut_bv_kind *kind, test_random *r,
                        const abut_bv_scratch *scratch, uint64_t seed, uint64_t apart[2])
{
    float v[2][ABUT_BV_FLOATS];
    const abut_covariance covariance = (abut_covariance)test_below(r, ABUT_COVARIANCE_COUNT);
    for (int k = 0; k < 2; ++k)
        fit(kind, &c->local[k], covariance, scratch, v[k]);
    abut_bv_pair pair;
    abut_bv_pair_set(kind, &c->frame[0], &c->frame[1], &c->rel, &pair);
    const double distance = (double)c->distance; /* rounded; reaches below are a little larger */
    const double reach = distance * (1 + 1e-15);
    if (pair.far) {
        TEST_CHECK(pair.apart <= reach, "seed %" PRIu64 ": far by %a, distance %a", seed, pair.apart,
                   distance);
        return;
    }
    abut_bv_placed b;
    kind->place(&pair, v[1], &b);
    TEST_CHECK(!kind->apart(&pair, v[0], &b, abut_bv_pair_length(&pair, reach)),
               "seed %" PRIu64 ": %s calls apart what is within %a", seed, abut_volume_name(kind->volume),
               reach);
    const double lower = abut_bv_pair_lower(&pair, kind->lower(&pair, v[0], &b));
    TEST_CHECK(lower <= reach, "seed %" PRIu64 ": %s says distance > %a, it is %a", seed,
               abut_volume_name(kind->volume), lower, distance);
    apart[0] += kind->apart(&pair, v[0], &b, 0);
    apart[1] += lower > 0;
}

static void test_apart(void **state)
{
    (void)state;
    abut_bv_scratch scratch = { .coordinates = coordinates };
    abut_bv_scratch_open(&scratch);
    uint64_t apart[VOLUMES][2] = { { 0 } }, separate = 0;
    const uint64_t count = test_count(5000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        scene c;
        random_scene(&r, &c);
        separate += c.distance > 2 * (long double)c.rel.error;
        for (int n = 0; n < VOLUMES; ++n)
            check_scene(&c, abut_bv_kind_of(volumes[n]), &r, &scratch, seed, apart[n]);
    }
    abut_bv_scratch_close(&scratch);
    /* Always together is never wrong: so how often do they say apart, and by the two functions
     * alike? */
    for (int n = 0; n < VOLUMES && count > 1000; ++n) {
        const double part = (double)apart[n][0] / (double)separate;
        print_message("%s: %.3f of the separate pairs are seen\n", abut_volume_name(volumes[n]), part);
        TEST_CHECK(part > 0.5, "%s", abut_volume_name(volumes[n]));
        TEST_CHECK(1.01 * (double)apart[n][1] >= (double)apart[n][0],
                   "%s: lower bounds see %" PRIu64 " apart, overlap %" PRIu64, abut_volume_name(volumes[n]),
                   apart[n][1], apart[n][0]);
    }
}

/* ---- tightness ---- */

/* A flat grid, tilted: its box is flat, and so are those of swept spheres, by every covariance. */
static void test_flat(void **state)
{
    (void)state;
    abut_bv_scratch scratch = { .coordinates = coordinates };
    abut_bv_scratch_open(&scratch);
    for (uint64_t seed = 0; seed < test_count(300); ++seed) {
        test_random r = test_seed(seed);
        const abut_mat3 turn = random_rotation(&r);
        set s = { .count = 3 * MOST };
        for (size_t i = 0; i < s.count; ++i)
            s.p[i] = abut_mul(&turn, abut_v3(test_uniform(&r, -0.5, 0.5), test_uniform(&r, -0.25, 0.25), 0));
        for (int covariance = 0; covariance < ABUT_COVARIANCE_COUNT; ++covariance) {
            float v[ABUT_BV_FLOATS];
            fit(&abut_bv_obb, &s, (abut_covariance)covariance, &scratch, v);
            TEST_CHECK(fminf(v[7], fminf(v[8], v[9])) < 1e-6F, "seed %" PRIu64 ": box %g %g %g", seed,
                       (double)v[7], (double)v[8], (double)v[9]);
            fit(&abut_bv_rss, &s, (abut_covariance)covariance, &scratch, v);
            TEST_CHECK(v[9] < 1e-6F, "seed %" PRIu64 ": radius %g", seed, (double)v[9]);
        }
    }
    abut_bv_scratch_close(&scratch);
}

/* A plate with a dense cluster of points inside, tilted against it. The scatter of the vertices
 * follows the cluster, that of the hull does not; and a dense edge of the hull draws its
 * vertices, but not its area. */
static void test_covariance(void **state)
{
    (void)state;
    abut_bv_scratch scratch = { .coordinates = coordinates };
    abut_bv_scratch_open(&scratch);
    set s = { .count = 3 * MOST };
    test_random r = test_seed(1);
    for (size_t i = 0; i < s.count; ++i)
        if (i < 8)
            s.p[i] = abut_v3(i & 1 ? 0.8 : -0.8, i & 2 ? 0.5 : -0.5, i & 4 ? 0.1 : -0.1);
        else {
            const double along = test_uniform(&r, -0.4, 0.4); /* the diagonal within */
            s.p[i] = abut_v3(along, along, 0.2 * along);
        }
    float v[3][ABUT_BV_FLOATS];
    double size[3];
    for (int k = 0; k < 3; ++k) {
        fit(&abut_bv_obb, &s, (abut_covariance)k, &scratch, v[k]);
        size[k] = (double)v[k][7] * v[k][8] * v[k][9];
    }
    const double best = 0.8 * 0.5 * 0.1;
    TEST_CHECK(size[0] > 1.3 * best, "%g", size[0] / best);
    TEST_CHECK(size[1] < 1.01 * best, "%g", size[1] / best);
    TEST_CHECK(size[2] < 1.01 * best, "%g", size[2] / best);
    for (size_t i = 8; i < s.count; ++i) {
        /* on a corner of the hull, bulging, so that all are vertices */
        const double a = 0.3 * (double)(i - 8) / (double)(s.count - 9);
        s.p[i] = abut_v3(0.8 + 0.02 * sin(10 * a), 0.5 + 0.02 * cos(10 * a), -0.1 + 0.2 * a / 0.3);
    }
    for (int k = 1; k < 3; ++k) {
        fit(&abut_bv_obb, &s, (abut_covariance)k, &scratch, v[k]);
        size[k] = (double)v[k][7] * v[k][8] * v[k][9];
    }
    TEST_CHECK(size[2] < 0.9 * size[1], "by area %g, by vertices %g", size[2] / best, size[1] / best);
    abut_bv_scratch_close(&scratch);
}

/* Spheres of balls in known places; balls around two points. */
static void test_known(void **state)
{
    (void)state;
    const set s = { { { 0.5, 0, 0 }, { -0.5, 0, 0 }, { 0, 0.5, 0 } }, 3 };
    float v[ABUT_BV_FLOATS];
    fit(&abut_bv_sphere, &s, ABUT_COVARIANCE_VERTICES, NULL, v);
    TEST_NEAR(v[3], 0.5, 0.02, "radius");
    fit(&abut_bv_lss, &s, ABUT_COVARIANCE_VERTICES, NULL, v);
    TEST_CHECK(v[6] < 0.26F, "radius %g", (double)v[6]);
    /* Boxes at a known distance, edge to edge and corner to corner. */
    const float unit[2][6] = { { -0.5F, -0.5F, -0.5F, 0.5F, 0.5F, 0.5F },
                               { -0.5F, -0.5F, -0.5F, 0.5F, 0.5F, 0.5F } };
    const abut_bv_frame frame = { { 0, 0, 0 }, 0 };
    abut_bv_relative rel = { { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }, { 2, 2, 2 }, 0 };
    abut_bv_pair pair;
    abut_bv_placed b;
    abut_bv_pair_set(&abut_bv_aabb, &frame, &frame, &rel, &pair);
    abut_bv_aabb.place(&pair, unit[1], &b);
    TEST_NEAR(abut_bv_aabb.lower(&pair, unit[0], &b), sqrt(3), 1e-11, "corners");
    const double h = sqrt(0.5);
    rel.r = (abut_mat3){ { { h, -h, 0 }, { h, h, 0 }, { 0, 0, 1 } } };
    rel.t = abut_v3(0.5 + h + 0.25, 0, 0);
    abut_bv_pair_set(&abut_bv_aabb, &frame, &frame, &rel, &pair);
    abut_bv_aabb.place(&pair, unit[1], &b);
    TEST_NEAR(abut_bv_aabb.lower(&pair, unit[0], &b), 0.25, 1e-11, "an edge before a face");
    assert_true(abut_bv_aabb.apart(&pair, unit[0], &b, 0.2499));
    assert_false(abut_bv_aabb.apart(&pair, unit[0], &b, 0.25));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contains),   cmocka_unit_test(test_apart), cmocka_unit_test(test_flat),
        cmocka_unit_test(test_covariance), cmocka_unit_test(test_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
