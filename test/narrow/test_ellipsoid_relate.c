/* SPDX-License-Identifier: MIT */
/* The relation of two ellipsoids, against a referee of hundreds of bits: random pairs, grazing ones,
 * those that touch exactly from outside and inside, and what is a double beside them. */
#include "abut/abut.h"
#include "oracle/ellipsoid_pair.h"
#include "support/places.h"

static void print_map(const char *name, const abut_affine *m)
{
    print_error("%s:", name);
    for (int i = 0; i < 9; ++i)
        print_error(" %a", m->linear.m[i / 3][i % 3]);
    print_error("  %a %a %a\n", m->translation.x, m->translation.y, m->translation.z);
}

static abut_ellipsoid_relation expected(const oracle_ellipsoids *o)
{
    return o->separate              ? ABUT_ELLIPSOIDS_SEPARATE
           : o->touching            ? ABUT_ELLIPSOIDS_TOUCHING
           : o->a_in_b && o->b_in_a ? ABUT_ELLIPSOIDS_EQUAL
           : o->a_in_b              ? ABUT_ELLIPSOIDS_A_IN_B
           : o->b_in_a              ? ABUT_ELLIPSOIDS_B_IN_A
                                    : ABUT_ELLIPSOIDS_CROSSING;
}

typedef struct tally {
    int relation[7], inner, exact, count, planes, points;
} tally;

static void judge_one(const abut_affine *a, const abut_affine *b, int bits, uint64_t seed, tally *t)
{
    abut_ellipsoid_result r;
    const abut_status status = abut_ellipsoid_relate(a, b, &r);
    const oracle_ellipsoids o = oracle_ellipsoid_relate(a, b, bits);
    const abut_ellipsoid_relation wanted = expected(&o);
    if (status != ABUT_OK || r.relation != wanted || r.inner_touch != o.inner_touch) {
        print_map("a", a);
        print_map("b", b);
        TEST_FAIL("seed %" PRIu64 ": status %d, found %s%s (proof %d), expected %s%s, apart %g", seed, status,
                  abut_ellipsoid_relation_name(r.relation), r.inner_touch ? " touching" : "", r.proof,
                  abut_ellipsoid_relation_name(wanted), o.inner_touch ? " touching" : "", o.apart);
    }
    if (r.relation == ABUT_ELLIPSOIDS_SEPARATE && r.has_plane) {
        if (!oracle_ellipsoid_parts(a, b, r.normal, r.offset, bits)) {
            print_map("a", a);
            print_map("b", b);
            TEST_FAIL("seed %" PRIu64 ": no separating plane", seed);
        }
        ++t->planes;
    }
    TEST_CHECK(r.has_plane || r.relation != ABUT_ELLIPSOIDS_SEPARATE || r.counters.exact,
               "seed %" PRIu64 ": no plane", seed);
    if (r.relation >= ABUT_ELLIPSOIDS_CROSSING && r.has_point) {
        TEST_CHECK(oracle_ellipsoid_side(a, r.point, bits) <= 0 &&
                       oracle_ellipsoid_side(b, r.point, bits) <= 0,
                   "seed %" PRIu64 ": the point is not in both", seed);
        ++t->points;
    }
    ++t->relation[r.relation];
    t->inner += r.inner_touch;
    t->exact += r.counters.exact > 0;
    ++t->count;
}

static abut_affine swap_of(const abut_affine *m, test_random *g)
{
    /* The same ellipsoid by another map: columns in another order and of other signs. */
    const int k = (int)test_below(g, 3);
    abut_affine r = *m;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            r.linear.m[i][j] = (j == k ? -1 : 1) * m->linear.m[i][(j + k) % 3];
    return r;
}

static void judge(const abut_affine *a, const abut_affine *b, int bits, uint64_t seed, tally *t)
{
    test_random g = test_seed(seed ^ 77);
    judge_one(a, b, bits, seed, t);
    const abut_affine c = swap_of(a, &g);
    if (test_below(&g, 4) == 0)
        judge_one(b, &c, bits, seed, t);
}

static void print_tally(const char *name, const tally *t)
{
    print_message("%-22s %7d:", name, t->count);
    for (int i = 0; i < 7; ++i)
        print_message(" %s %d", abut_ellipsoid_relation_name((abut_ellipsoid_relation)i), t->relation[i]);
    print_message("; inner touch %d, exact %d, planes %d, points %d\n", t->inner, t->exact, t->planes,
                  t->points);
}

static abut_affine from_radii(test_random *g, double x, double y, double z)
{
    const abut_pose pose = { { 0, 0, 0 }, random_quat(g) };
    abut_affine m = abut_affine_from_pose(pose);
    for (int i = 0; i < 3; ++i) {
        m.linear.m[i][0] *= x;
        m.linear.m[i][1] *= y;
        m.linear.m[i][2] *= z;
    }
    return m;
}

static double size_of(const abut_affine *m)
{
    double s = 0;
    for (int i = 0; i < 9; ++i)
        s = fmax(s, fabs(m->linear.m[i / 3][i % 3]));
    return s;
}

static abut_vec3 random_vector(test_random *g, double s)
{
    return (abut_vec3){ test_uniform(g, -s, s), test_uniform(g, -s, s), test_uniform(g, -s, s) };
}

static void test_random_pairs(void **state)
{
    (void)state;
    static const double aspects[] = { 1, 3, 10, 1e3, 1e6 };
    tally t[5] = { 0 };
    for (int i = 0, n = (int)test_count(3000); i < n; ++i) {
        const int k = i % 5;
        const uint64_t seed = 1000 + (uint64_t)i;
        test_random g = test_seed(seed);
        const double asp = log2(aspects[k]) + 0.5;
        abut_affine a, b;
        a = from_radii(&g, 1, exp2(-test_uniform(&g, 0, asp)), exp2(-test_uniform(&g, 0, asp)));
        b = from_radii(&g, 1, exp2(-test_uniform(&g, 0, asp)), exp2(-test_uniform(&g, 0, asp)));
        const double s = test_below(&g, 3) ? 1 : exp2(test_uniform(&g, -8, 0));
        for (int e = 0; e < 9; ++e)
            b.linear.m[e / 3][e % 3] *= s;
        b.translation = random_vector(&g, test_below(&g, 3) ? 1.2 : 0.2);
        const abut_vec3 shift = random_vector(&g, test_below(&g, 2) ? 10 : 0);
        a.translation = shift;
        b.translation =
            (abut_vec3){ b.translation.x + shift.x, b.translation.y + shift.y, b.translation.z + shift.z };
        judge(&a, &b, 640, seed, &t[k]);
    }
    for (int k = 0; k < 5; ++k) {
        char name[32];
        snprintf(name, sizeof name, "random, aspect %g", aspects[k]);
        print_tally(name, &t[k]);
    }
    /* Doubles decide nearly all of the round ones. */
    TEST_CHECK(t[0].exact + t[1].exact + t[2].exact < (t[0].count + t[1].count + t[2].count) / 200 + 1,
               "exact too often");
}

/* Small integers keep products exact: the image of two balls that touch, under an integer map. */
static abut_affine integer_map(test_random *g, int most)
{
    abut_affine m;
    double det;
    do {
        for (int i = 0; i < 9; ++i)
            m.linear.m[i / 3][i % 3] = (double)test_below(g, (unsigned)(2 * most + 1)) - most;
        double(*e)[3] = m.linear.m;
        det = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
              e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
              e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    } while (det == 0);
    m.translation = (abut_vec3){ (double)test_below(g, 2001) - 1000, (double)test_below(g, 2001) - 1000,
                                 (double)test_below(g, 2001) - 1000 };
    return m;
}

/* Vectors of integer length. */
static const double whole[][4] = { { 1, 0, 0, 1 },   { 1, 2, 2, 3 },  { 2, 3, 6, 7 },  { 1, 4, 8, 9 },
                                   { 4, 4, 7, 9 },   { 2, 6, 9, 11 }, { 6, 6, 7, 11 }, { 3, 4, 0, 5 },
                                   { 2, 5, 14, 15 }, { 8, 9, 12, 17 } };

/* The map of the ball with this radius and centre, under m; everything stays an integer. */
static abut_affine ball_under(const abut_affine *m, double radius, const double c[3])
{
    abut_affine r = *m;
    double *t[3] = { &r.translation.x, &r.translation.y, &r.translation.z };
    for (int i = 0; i < 3; ++i) {
        *t[i] += m->linear.m[i][0] * c[0] + m->linear.m[i][1] * c[1] + m->linear.m[i][2] * c[2];
        for (int j = 0; j < 3; ++j)
            r.linear.m[i][j] = radius * m->linear.m[i][j];
    }
    return r;
}

/* To the next double; a zero by what one of its size would. */
static void step(double *x, double size, bool up)
{
    *x = *x == 0 ? (up ? 1 : -1) * 0x1p-53 * size : nextafter(*x, up ? INFINITY : -INFINITY);
}

static double *any_number(abut_affine *m, test_random *g)
{
    const unsigned i = test_below(g, 12);
    return i < 9     ? &m->linear.m[i / 3][i % 3]
           : i == 9  ? &m->translation.x
           : i == 10 ? &m->translation.y
                     : &m->translation.z;
}

static void test_touching_pairs(void **state)
{
    (void)state;
    tally exact = { 0 }, beside = { 0 };
    for (int i = 0, n = (int)test_count(800); i < n; ++i) {
        const uint64_t seed = 50000 + (uint64_t)i;
        test_random g = test_seed(seed);
        const abut_affine m = integer_map(&g, test_below(&g, 2) ? 9 : 1000);
        const double *w = whole[test_below(&g, sizeof whole / sizeof *whole)];
        const double k = 1 + test_below(&g, 20), far = k * w[3];
        const int turn = (int)test_below(&g, 3);
        const double flip = test_below(&g, 2) ? 1 : -1;
        const double c[3] = { flip * k * w[turn], k * w[(turn + 1) % 3], -k * w[(turn + 2) % 3] };
        const double origin[3] = { 0, 0, 0 };
        /* Outside: radii that add up to the distance. Inside: that differ by it. */
        const bool inside = test_below(&g, 2);
        const double ra = inside ? far + 1 + test_below(&g, 50) : 1 + test_below(&g, (unsigned)far);
        const double rb = inside ? ra - far : far - ra;
        if (!(rb > 0))
            continue;
        abut_affine a = ball_under(&m, ra, origin), b = ball_under(&m, rb, c);
        const double s =
            exp2((double)test_below(&g, 200) - 100); /* scaling by powers of two changes nothing */
        for (int e = 0; e < 9; ++e) {
            a.linear.m[e / 3][e % 3] *= s;
            b.linear.m[e / 3][e % 3] *= s;
        }
        a.translation = (abut_vec3){ s * a.translation.x, s * a.translation.y, s * a.translation.z };
        b.translation = (abut_vec3){ s * b.translation.x, s * b.translation.y, s * b.translation.z };
        abut_ellipsoid_result r;
        assert_int_equal(abut_ellipsoid_relate(&a, &b, &r), ABUT_OK);
        TEST_CHECK(inside ? r.relation == ABUT_ELLIPSOIDS_B_IN_A && r.inner_touch
                          : r.relation == ABUT_ELLIPSOIDS_TOUCHING,
                   "seed %" PRIu64 ": %s %d", seed, abut_ellipsoid_relation_name(r.relation), r.inner_touch);
        judge(&a, &b, 640, seed, &exact);
        for (int way = 0; way < 2; ++way) {
            abut_affine near = b;
            step(any_number(&near, &g), size_of(&near), way);
            judge(&a, &near, 900, seed, &beside);
        }
    }
    print_tally("touching", &exact);
    print_tally("a double beside", &beside);
}

/* Equal, concentric, of one form, with common axes: the multiple roots. */
static void judge_special(uint64_t seed, tally *t)
{
    test_random g = test_seed(seed);
    const abut_affine m = integer_map(&g, 5);
    abut_affine a = m, b = m;
    /* Semi-axes 1 to 4 of a and b along the same directions (of the map), centres apart by few
     * of them. */
    double t3[3];
    for (int j = 0; j < 3; ++j) {
        const double ra = 1 + test_below(&g, 4), rb = 1 + test_below(&g, 4);
        for (int k = 0; k < 3; ++k) {
            a.linear.m[k][j] *= ra;
            b.linear.m[k][j] *= rb;
        }
        t3[j] = test_below(&g, 2) ? 0 : 0.5 * ((double)test_below(&g, 13) - 6);
    }
    double *c[3] = { &b.translation.x, &b.translation.y, &b.translation.z };
    for (int k = 0; k < 3; ++k)
        *c[k] += m.linear.m[k][0] * t3[0] + m.linear.m[k][1] * t3[1] + m.linear.m[k][2] * t3[2];
    judge(&a, &b, 640, seed, t);
    if (test_below(&g, 3) == 0) {
        step(any_number(&b, &g), size_of(&b), true);
        judge(&a, &b, 900, seed, t);
    }
}

static void test_special_pairs(void **state)
{
    (void)state;
    tally t = { 0 };
    for (int i = 0, n = (int)test_count(1500); i < n; ++i)
        judge_special(90000 + (uint64_t)i, &t);
    judge_special(147505, &t); /* no offset rounded in the usual way parts them */
    print_tally("common axes", &t);
    for (int k = 1; t.count > 1500 && k < 7; ++k) /* few cases say nothing about coverage */
        assert_true(t.relation[k] > 0);
}

static void judge_extreme(uint64_t seed, tally *t)
{
    test_random g = test_seed(seed);
    abut_affine a = from_radii(&g, 1, exp2(-test_uniform(&g, 0, 20)), exp2(-test_uniform(&g, 0, 20)));
    abut_affine b = from_radii(&g, 1, exp2(-test_uniform(&g, 0, 20)), exp2(-test_uniform(&g, 0, 20)));
    const double sa = exp2(test_uniform(&g, -498, 498)), sb = test_below(&g, 2)
                                                                  ? exp2(test_uniform(&g, -498, 498))
                                                                  : sa * exp2(test_uniform(&g, -3, 3));
    for (int e = 0; e < 9; ++e) {
        a.linear.m[e / 3][e % 3] *= sa;
        b.linear.m[e / 3][e % 3] *= sb;
    }
    b.translation = random_vector(&g, (sa + sb) * exp2(-test_uniform(&g, 0, 40)));
    if (test_below(&g, 3) == 0)
        b.translation = random_vector(&g, 1e9 * (sa + sb));
    judge(&a, &b, 5000, seed, t);
}

static void test_extreme_sizes(void **state)
{
    (void)state;
    tally t = { 0 };
    for (int i = 0, n = (int)test_count(200); i < n; ++i)
        judge_extreme(130000 + (uint64_t)i, &t);
    judge_extreme(135261, &t); /* a point of the larger body that was outside the smaller */
    judge_extreme(135607, &t); /* had no plane */
    print_tally("sizes", &t);
}

/* The whole range of doubles in one pair: nothing is left undecided. Along the axes of both,
 * where the answer is plain. */
static void test_whole_range(void **state)
{
    (void)state;
    for (int i = 0, n = (int)test_count(120); i < n; ++i) {
        const uint64_t seed = 170000 + (uint64_t)i;
        test_random g = test_seed(seed);
        /* Columns mixed by a quarter turn of small integers would lose bits at the ends of the
         * range: a shear in the middle does not. */
        const double big = 0x1p1000, small = 0x1p-1060;
        abut_affine a = { { { { big, 0, 0 }, { 0, small, 0 }, { 0, 0, 1 } } }, { 0, 0, 0 } }, b = a;
        const double k = 1 + test_below(&g, 7), l = 1 + test_below(&g, 5);
        b.linear.m[0][0] = k * big;
        b.linear.m[1][1] = l * small;
        b.linear.m[2][2] = 1 + test_below(&g, 3);
        const int how = (int)test_below(&g, 4);
        const int axis = (int)test_below(&g, 3);
        const double ra[3] = { big, small, 1 }, rb[3] = { k * big, l * small, b.linear.m[2][2] };
        double *c = axis == 0 ? &b.translation.x : axis == 1 ? &b.translation.y : &b.translation.z;
        *c = ra[axis] + rb[axis];
        if (how == 1)
            *c = nextafter(*c, INFINITY);
        if (how == 2)
            *c = nextafter(*c, 0);
        if (how == 3)
            *c = rb[axis] - ra[axis];
        abut_ellipsoid_result r, s;
        assert_int_equal(abut_ellipsoid_relate(&a, &b, &r), ABUT_OK);
        assert_int_equal(abut_ellipsoid_relate(&b, &a, &s), ABUT_OK);
        const abut_ellipsoid_relation wanted = how == 0   ? ABUT_ELLIPSOIDS_TOUCHING
                                               : how == 1 ? ABUT_ELLIPSOIDS_SEPARATE
                                                          : ABUT_ELLIPSOIDS_CROSSING;
        if (how < 3)
            TEST_CHECK(r.relation == wanted && s.relation == wanted, "seed %" PRIu64 ": %s, %s", seed,
                       abut_ellipsoid_relation_name(r.relation), abut_ellipsoid_relation_name(s.relation));
        else /* a touches b from inside in that direction; whether it sticks out beside it depends on the curvature */
            TEST_CHECK(r.relation >= ABUT_ELLIPSOIDS_CROSSING &&
                           (r.relation == ABUT_ELLIPSOIDS_A_IN_B) == (s.relation == ABUT_ELLIPSOIDS_B_IN_A) &&
                           r.inner_touch == s.inner_touch,
                       "seed %" PRIu64 ": %s, %s", seed, abut_ellipsoid_relation_name(r.relation),
                       abut_ellipsoid_relation_name(s.relation));
    }
    /* Any numbers at all. */
    int unknown = 0;
    for (int i = 0, n = (int)test_count(150); i < n; ++i) {
        test_random g = test_seed(180000 + (uint64_t)i);
        abut_affine m[2];
        for (int k = 0; k < 2; ++k) {
            for (int e = 0; e < 9; ++e)
                m[k].linear.m[e / 3][e % 3] = test_log_uniform(&g, -1073, 1023);
            m[k].translation =
                (abut_vec3){ test_log_uniform(&g, -1073, 1023), test_log_uniform(&g, -1073, 1023),
                             test_log_uniform(&g, -1073, 1023) };
        }
        abut_ellipsoid_result r;
        assert_int_equal(abut_ellipsoid_relate(&m[0], &m[1], &r), ABUT_OK);
        unknown += r.relation == ABUT_ELLIPSOIDS_UNKNOWN;
    }
    assert_int_equal(unknown, 0);
}

static void test_bad_maps(void **state)
{
    (void)state;
    abut_ellipsoid_result r;
    test_random g = test_seed(5);
    const abut_affine good = from_radii(&g, 1, 2, 3);
    const double bad[] = { NAN, INFINITY, -INFINITY };
    for (int e = 0; e < 12; ++e)
        for (int k = 0; k < 3; ++k) {
            abut_affine m = good;
            double *x = e < 9 ? &m.linear.m[e / 3][e % 3] : &(&m.translation.x)[e - 9];
            *x = bad[k];
            assert_int_equal(abut_ellipsoid_relate(&m, &good, &r), ABUT_ERR_ARGUMENT);
            assert_int_equal(abut_ellipsoid_relate(&good, &m, &r), ABUT_ERR_ARGUMENT);
        }
    abut_affine flat = { { { { 0 } } }, { 0, 0, 0 } };
    assert_int_equal(abut_ellipsoid_relate(&flat, &good, &r), ABUT_ERR_ARGUMENT);
    /* Rank 2, exactly, and a double beside: regular. */
    flat.linear = (abut_mat3){ { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } } };
    assert_int_equal(abut_ellipsoid_relate(&good, &flat, &r), ABUT_ERR_ARGUMENT);
    flat.linear.m[2][2] = nextafter(9, 10);
    assert_int_equal(abut_ellipsoid_relate(&good, &flat, &r), ABUT_OK);
    tally t = { 0 };
    judge(&good, &flat, 640, 0, &t);
    assert_int_equal(abut_ellipsoid_relate(NULL, &good, &r), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_relate(&good, NULL, &r), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_relate(&good, &good, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_ellipsoid_relate(&good, &good, &r), ABUT_OK);
    assert_int_equal(r.relation, ABUT_ELLIPSOIDS_EQUAL);
}

static int free_all(void **state)
{
    (void)state;
    oracle_ellipsoid_free();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_pairs),  cmocka_unit_test(test_touching_pairs),
        cmocka_unit_test(test_special_pairs), cmocka_unit_test(test_extreme_sizes),
        cmocka_unit_test(test_whole_range),   cmocka_unit_test(test_bad_maps),
    };
    return cmocka_run_group_tests(tests, NULL, free_all);
}
