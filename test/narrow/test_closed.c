/* SPDX-License-Identifier: MIT */
/* Closed forms against MPFR: verdicts, enclosures, points, clearance, cache, order; random
 * pairs, and pairs made to touch, to be parallel, to contain one another, to differ in size. */
#include "closed_bodies.h"

typedef struct tally {
    uint64_t undecided, exact, total;
} tally;

static void check_enclosures(uint64_t seed, const oracle_box *a, const oracle_box *b,
                             const abut_check_result *r, mpfr_t gap, int sign, double size)
{
    WITH(r->verdict == ABUT_UNDECIDED || r->verdict == verdict_of(sign), seed, a, b, "verdict %s, gap %.17g",
         abut_verdict_name(r->verdict), mpfr_get_d(gap, MPFR_RNDN));
    WITH(holds(r->distance, gap, sign, 1), seed, a, b, "distance [%a, %a], gap %a", r->distance.lo,
         r->distance.hi, mpfr_get_d(gap, MPFR_RNDN));
    if (r->verdict == ABUT_UNDECIDED || r->has_depth)
        WITH(holds(r->depth, gap, sign, -1), seed, a, b, "depth [%a, %a], gap %a", r->depth.lo, r->depth.hi,
             mpfr_get_d(gap, MPFR_RNDN));
    WITH(r->distance.hi - r->distance.lo <= 1e-12 * size && r->depth.hi - r->depth.lo <= 1e-12 * size, seed,
         a, b, "distance [%a, %a] depth [%a, %a] are wide", r->distance.lo, r->distance.hi, r->depth.lo,
         r->depth.hi);
    if (r->verdict == ABUT_PENETRATING)
        WITH(r->has_depth, seed, a, b, "no depth");
}

/* The points are of the bodies, and differ by the gap along the normal. */
static void check_points(uint64_t seed, const oracle_box *a, const oracle_box *b, const abut_check_result *r,
                         double gap, double size)
{
    if (r->verdict == ABUT_UNDECIDED)
        return;
    const abut_vec3 n = r->normal, p = r->point_a, q = r->point_b;
    const double tiny = 1e-9 * size, along = n.x * (q.x - p.x) + n.y * (q.y - p.y) + n.z * (q.z - p.z);
    WITH(r->has_normal && r->has_points && fabs(n.x * n.x + n.y * n.y + n.z * n.z - 1) < 1e-12, seed, a, b,
         "no points");
    WITH(fabs(along - gap) <= tiny && fabs(distance_between(p, q) - fabs(gap)) <= tiny, seed, a, b,
         "points %g apart, %g along the normal, gap %g", distance_between(p, q), along, gap);
    WITH(off_body(p, a) <= tiny && off_body(q, b) <= tiny, seed, a, b, "points off the bodies by %g and %g",
         off_body(p, a), off_body(q, b));
}

static void check_overlap(uint64_t seed, const abut_shape *sa, const oracle_box *a, const abut_shape *sb,
                          const oracle_box *b, mpfr_t gap, double clearance, double size, abut_cache *cache,
                          tally *t)
{
    mpfr_t rest;
    mpfr_init2(rest, ORACLE_PRECISION);
    mpfr_sub_d(rest, gap, clearance, MPFR_RNDN);
    const int sign = sign_of(rest, size);
    abut_overlap_opts opts;
    abut_overlap_opts_init(&opts);
    opts.clearance = clearance;
    abut_overlap_result r, c;
    memset(&r, 0x5a, sizeof r);
    assert_int_equal(abut_overlap(sa, &a->pose, sb, &b->pose, &opts, NULL, &r), ABUT_OK);
    WITH(r.verdict == ABUT_UNDECIDED || r.verdict == verdict_of(sign), seed, a, b,
         "overlap %s, clearance %a, rest %a", abut_verdict_name(r.verdict), clearance,
         mpfr_get_d(rest, MPFR_RNDN));
    if (fabs(mpfr_get_d(rest, MPFR_RNDN)) > 1e-12 * size)
        WITH(r.verdict != ABUT_UNDECIDED, seed, a, b, "undecided, clearance %a, rest %a", clearance,
             mpfr_get_d(rest, MPFR_RNDN));
    t->total += clearance == 0;
    t->undecided += clearance == 0 && r.verdict == ABUT_UNDECIDED;
    opts.cache = cache;
    assert_int_equal(abut_overlap(sb, &b->pose, sa, &a->pose, &opts, NULL, &c), ABUT_OK);
    WITH(c.verdict == ABUT_UNDECIDED || c.verdict == verdict_of(sign), seed, a, b,
         "swapped and cached overlap %s", abut_verdict_name(c.verdict));
    mpfr_clear(rest);
}

/* Anything, what boxes remember above all: numbers of axes and ends, and directions or points of
 * the size of the bodies. */
static void spoil(test_random *r, double size, abut_cache *cache)
{
    static const double odd[] = { NAN, INFINITY, 0, 1e300, 1e-300, -1 };
    const double scale = test_bits(r) & 1 ? 1 : size;
    for (int i = 0; i < 3; ++i)
        cache->axis[i] = test_below(r, 8) ? scale * test_uniform(r, -1, 1) : odd[test_below(r, 6)];
    cache->count = test_below(r, 6);
    for (int i = 0; i < 4; ++i) {
        cache->a[i] = test_below(r, 10);
        cache->b[i] = test_below(r, 10);
    }
    cache->feature = test_below(r, 4) ? test_below(r, 1u << 12) : (uint32_t)test_bits(r);
}

/* What is nearly right is what a wrong answer would come from: the point of a that is nearest to
 * b, moved in by 1e-9, and none of the axes. */
static void set_nearest(const oracle_box *a, abut_vec3 p, abut_cache *cache)
{
    const abut_quat q = a->pose.rotation;
    const double n = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, x = p.x - a->pose.position.x,
                 y = p.y - a->pose.position.y, z = p.z - a->pose.position.z, s = (1 - 1e-9) / n;
    cache->axis[0] = s * ((q.w * q.w + q.x * q.x - q.y * q.y - q.z * q.z) * x +
                          2 * (q.x * q.y + q.w * q.z) * y + 2 * (q.x * q.z - q.w * q.y) * z);
    cache->axis[1] =
        s * (2 * (q.x * q.y - q.w * q.z) * x + (q.w * q.w - q.x * q.x + q.y * q.y - q.z * q.z) * y +
             2 * (q.y * q.z + q.w * q.x) * z);
    cache->axis[2] = s * (2 * (q.x * q.z + q.w * q.y) * x + 2 * (q.y * q.z - q.w * q.x) * y +
                          (q.w * q.w - q.x * q.x - q.y * q.y + q.z * q.z) * z);
    cache->feature = 0;
}

/* Signed distances and verdicts with caches that are empty, right or wrong. */
static void check_warm(uint64_t seed, const abut_shape *sa, const oracle_box *a, const abut_shape *sb,
                       const oracle_box *b, mpfr_t gap, int sign, double size)
{
    test_random r = test_seed(seed ^ 0x5eed);
    abut_cache cache = { 0 };
    abut_distance_opts opts;
    abut_overlap_opts meet;
    abut_distance_opts_init(&opts);
    abut_overlap_opts_init(&meet);
    opts.cache = meet.cache = &cache;
    const double value = mpfr_get_d(gap, MPFR_RNDN);
    for (int i = 0; i < 12; ++i) {
        abut_distance_result d;
        abut_overlap_result o;
        opts.with_depth = i % 3 != 2;
        if (i >= 4)
            spoil(&r, span(a), &cache);
        assert_int_equal(abut_distance(sa, &a->pose, sb, &b->pose, &opts, NULL, &d), ABUT_OK);
        const abut_interval depth = { -d.distance.hi, -d.distance.lo };
        WITH(d.verdict == ABUT_UNDECIDED || d.verdict == verdict_of(sign), seed, a, b,
             "warm distance says %s", abut_verdict_name(d.verdict));
        if (d.verdict == ABUT_PENETRATING && opts.with_depth) {
            WITH(holds(depth, gap, sign, -1), seed, a, b, "warm depth [%a, %a], gap %a", depth.lo, depth.hi,
                 value);
            WITH(depth.hi - depth.lo <= 1e-12 * size, seed, a, b, "warm depth [%a, %a] is wide", depth.lo,
                 depth.hi);
            WITH(d.has_points, seed, a, b, "no points of a depth");
            const abut_check_result c = { .verdict = d.verdict,
                                          .has_points = true,
                                          .has_normal = true,
                                          .point_a = d.point_a,
                                          .point_b = d.point_b,
                                          .normal = d.normal };
            check_points(seed, a, b, &c, value, size);
        } else if (d.verdict != ABUT_UNDECIDED) {
            WITH(holds(d.distance, gap, sign, 1), seed, a, b, "warm distance [%a, %a], gap %a", d.distance.lo,
                 d.distance.hi, value);
        }
        if (i >= 4)
            spoil(&r, span(a), &cache);
        if (i % 2 && d.has_points)
            set_nearest(a, d.point_a, &cache);
        assert_int_equal(abut_overlap(sa, &a->pose, sb, &b->pose, &meet, NULL, &o), ABUT_OK);
        WITH(o.verdict == ABUT_UNDECIDED || o.verdict == verdict_of(sign), seed, a, b, "warm overlap says %s",
             abut_verdict_name(o.verdict));
        if (fabs(value) > 1e-12 * size)
            WITH(o.verdict != ABUT_UNDECIDED && d.verdict != ABUT_UNDECIDED, seed, a, b, "warm, undecided");
    }
}

static void check_pair(uint64_t seed, kind ka, const oracle_box *a, kind kb, const oracle_box *b,
                       double clearance, tally *t)
{
    mpfr_t gap;
    mpfr_init2(gap, ORACLE_PRECISION);
    oracle_box_gap(a, b, gap);
    const double value = mpfr_get_d(gap, MPFR_RNDN), size = span(a) + span(b) + fabs(value);
    const double far = distance_between(a->pose.position, b->pose.position);
    const int sign = sign_of(gap, size + far);
    abut_shape *sa = make_shape(a, ka), *sb = make_shape(b, kb);
    abut_check_result r, m;
    abut_check_opts opts;
    abut_cache cache = { 0 };
    abut_check_opts_init(&opts);
    memset(&r, 0x5a, sizeof r);
    assert_int_equal(abut_check(sa, &a->pose, sb, &b->pose, NULL, NULL, &r), ABUT_OK);
    check_enclosures(seed, a, b, &r, gap, sign, size + far);
    check_points(seed, a, b, &r, value, size + far);
    if (r.verdict == ABUT_PENETRATING || r.verdict == ABUT_TOUCHING)
        WITH(r.contact_count >= 1, seed, a, b, "no contact, %s", abut_verdict_name(r.verdict));
    t->exact += r.proof == ABUT_PROOF_EXACT;
    /* The other way round, and with a cache. */
    opts.cache = &cache;
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(abut_check(sb, &b->pose, sa, &a->pose, &opts, NULL, &m), ABUT_OK);
        check_enclosures(seed, b, a, &m, gap, sign, size + far);
        if (fabs(value) > 1e-12 * (size + far))
            WITH(m.verdict == r.verdict, seed, a, b, "swapped %s", abut_verdict_name(m.verdict));
    }
    abut_distance_result d;
    assert_int_equal(abut_distance(sa, &a->pose, sb, &b->pose, NULL, NULL, &d), ABUT_OK);
    WITH(d.verdict == ABUT_UNDECIDED || d.verdict == verdict_of(sign), seed, a, b, "distance says %s",
         abut_verdict_name(d.verdict));
    WITH(holds(d.distance, gap, sign, 1), seed, a, b, "distance [%a, %a], gap %a", d.distance.lo,
         d.distance.hi, value);
    check_warm(seed, sa, a, sb, b, gap, sign, size + far);
    check_overlap(seed, sa, a, sb, b, gap, 0, size + far, &cache, t);
    check_overlap(seed, sa, a, sb, b, gap, clearance, size + far, &cache, t);
    if (sign > 0) { /* not for a touch, where the value is the referee's rounding */
        check_overlap(seed, sa, a, sb, b, gap, value, size + far, &cache, t);
        check_overlap(seed, sa, a, sb, b, gap, value * (1 + 1e-9), size + far, &cache, t);
    }
    abut_shape_release(sa);
    abut_shape_release(sb);
    mpfr_clear(gap);
}

static void random_pairs(void **state)
{
    (void)state;
    const uint64_t count = test_count(1200);
    tally t = { 0 };
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const kind ka = (kind)test_below(&r, KINDS), kb = (kind)test_below(&r, KINDS);
        const oracle_box a = random_box(&r, ka, 1),
                         b = random_box(&r, kb, test_below(&r, 5) ? 1 : fabs(test_log_uniform(&r, -12, 4)));
        check_pair(seed, ka, &a, kb, &b, test_uniform(&r, 0, 2), &t);
    }
    assert_true(t.exact > count / 50);
    assert_true(10 * t.undecided <= t.total);
}

/* Moved along the normal until the referee's gap is nearly what is wanted: touching, just apart,
 * just in. */
static void pairs_near_contact(void **state)
{
    (void)state;
    static const double wanted[] = { 0, 1e-6, -1e-6, 1e-9, -1e-9, 1e-12, -1e-12, 1e-15, -1e-15 };
    const uint64_t count = test_count(600);
    tally t = { 0 };
    mpfr_t gap;
    mpfr_init2(gap, ORACLE_PRECISION);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(1000000 + seed);
        const kind ka = (kind)test_below(&r, KINDS), kb = (kind)test_below(&r, KINDS);
        oracle_box a = random_box(&r, ka, 1), b = random_box(&r, kb, 1);
        if (test_below(&r, 3) == 0)
            b.pose.rotation = a.pose.rotation;
        const double goal = wanted[test_below(&r, 9)];
        abut_vec3 d = { test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1) };
        if (test_below(&r, 2))
            d = (abut_vec3){ 0, 0, 1 };
        b.pose.position = (abut_vec3){ a.pose.position.x + 3 * d.x, a.pose.position.y + 3 * d.y,
                                       a.pose.position.z + 3 * d.z };
        abut_shape *sa = make_shape(&a, ka), *sb = make_shape(&b, kb);
        for (int i = 0; i < 6; ++i) {
            abut_check_result x;
            assert_int_equal(abut_check(sa, &a.pose, sb, &b.pose, NULL, NULL, &x), ABUT_OK);
            oracle_box_gap(&a, &b, gap);
            const double step = goal - mpfr_get_d(gap, MPFR_RNDN);
            b.pose.position.x += step * x.normal.x;
            b.pose.position.y += step * x.normal.y;
            b.pose.position.z += step * x.normal.z;
        }
        abut_shape_release(sa);
        abut_shape_release(sb);
        check_pair(seed, ka, &a, kb, &b, 1e-9, &t);
    }
    mpfr_clear(gap);
}

/* Along the axes, sizes and places whole numbers: exact verdicts, the touching ones above all. */
static void standing_pairs(void **state)
{
    (void)state;
    static const abut_quat turns[] = { { 1, 0, 0, 0 },
                                       { 0, 1, 0, 0 },
                                       { 1, 1, 0, 0 },
                                       { 1, 0, -1, 0 },
                                       { 0, 0, 1, 1 },
                                       { 1, 1, 1, 1 },
                                       { 0.7071067811865476, 0, 0, 0.7071067811865476 } };
    const uint64_t count = test_count(1500);
    uint64_t touching = 0;
    mpfr_t gap;
    mpfr_init2(gap, ORACLE_PRECISION);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(2000000 + seed);
        const kind ka = (kind)test_below(&r, KINDS), kb = (kind)test_below(&r, KINDS);
        const double scale = test_below(&r, 3) ? 1 : test_log_uniform(&r, -30, 30);
        oracle_box a = random_box(&r, ka, 1), b = random_box(&r, kb, 1), *both[2] = { &a, &b };
        for (int k = 0; k < 2; ++k) {
            oracle_box *x = both[k];
            x->pose.rotation = turns[test_below(&r, 7)];
            x->pose.position =
                (abut_vec3){ scale * ((int)test_below(&r, 9) - 4), scale * ((int)test_below(&r, 9) - 4),
                             scale * ((int)test_below(&r, 9) - 4) };
            x->radius = x->radius > 0 ? fabs(scale) * (1 + test_below(&r, 3)) : 0;
            for (int i = 0; i < 3; ++i)
                x->half[i] = x->half[i] > 0 ? fabs(scale) * (1 + test_below(&r, 3)) : 0;
        }
        /* Quarter turns are exact for abut, and not for the referee when the quaternion is not:
         * give it the exact one. */
        oracle_box fa = a, fb = b;
        if (fa.pose.rotation.z == 0.7071067811865476)
            fa.pose.rotation = (abut_quat){ 1, 0, 0, 1 };
        if (fb.pose.rotation.z == 0.7071067811865476)
            fb.pose.rotation = (abut_quat){ 1, 0, 0, 1 };
        oracle_box_gap(&fa, &fb, gap);
        const int sign = sign_of(gap, span(&a) + span(&b));
        abut_shape *sa = make_shape(&a, ka), *sb = make_shape(&b, kb);
        abut_check_result x;
        abut_overlap_result o;
        assert_int_equal(abut_check(sa, &a.pose, sb, &b.pose, NULL, NULL, &x), ABUT_OK);
        WITH(x.verdict == verdict_of(sign) && x.proof == ABUT_PROOF_EXACT, seed, &a, &b, "%s %s, gap %g",
             abut_verdict_name(x.verdict), abut_proof_name(x.proof), mpfr_get_d(gap, MPFR_RNDN));
        WITH(holds(x.distance, gap, sign, 1) && holds(x.depth, gap, sign, -1), seed, &a, &b,
             "distance [%a, %a] depth [%a, %a]", x.distance.lo, x.distance.hi, x.depth.lo, x.depth.hi);
        const double value = fabs(mpfr_get_d(gap, MPFR_RNDN)), ulp = nextafter(value, INFINITY) - value;
        WITH(x.distance.hi - x.distance.lo <= 2 * ulp && x.depth.hi - x.depth.lo <= 2 * ulp, seed, &a, &b,
             "distance [%a, %a] depth [%a, %a]", x.distance.lo, x.distance.hi, x.depth.lo, x.depth.hi);
        WITH(sign > 0 || x.contact_count > 0, seed, &a, &b, "no contact");
        assert_int_equal(abut_overlap(sa, &a.pose, sb, &b.pose, NULL, NULL, &o), ABUT_OK);
        WITH(o.verdict == verdict_of(sign), seed, &a, &b, "overlap %s", abut_verdict_name(o.verdict));
        touching += sign == 0;
        abut_shape_release(sa);
        abut_shape_release(sb);
    }
    assert_true(touching >= count / 50);
    mpfr_clear(gap);
}

/* ---- half-spaces ---- */

static void planes(void **state)
{
    (void)state;
    const uint64_t count = test_count(2500);
    uint64_t exact = 0, touching = 0;
    mpfr_t gap;
    mpfr_init2(gap, ORACLE_PRECISION);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(3000000 + seed);
        const int which = (int)test_below(&r, 6);
        const oracle_round round = which < 3 ? ORACLE_ROUND_BOX : (oracle_round)(which - 2);
        oracle_box a = random_box(&r, which < 3 ? (kind)which : BOX, 1);
        const bool whole = test_below(&r, 3) == 0;
        if (which == 3 || which == 4)
            a.half[1] = a.half[0];
        if (whole) {
            a.pose.rotation = (abut_quat){ 1, test_below(&r, 2), 0, 0 };
            a.pose.position =
                (abut_vec3){ (int)test_below(&r, 7), (int)test_below(&r, 7), (int)test_below(&r, 7) };
            a.half[2] = a.half[2] > 0 ? 1 + test_below(&r, 3) : 0;
            a.half[0] = a.half[0] > 0 ? 1 + test_below(&r, 3) : 0;
            a.half[1] = which == 3 || which == 4 ? a.half[0] : a.half[1] > 0 ? 1 + test_below(&r, 3) : 0;
            a.radius = a.radius > 0 ? 1 + test_below(&r, 3) : 0;
        }
        abut_vec3 n = { (int)test_below(&r, 9) - 4, (int)test_below(&r, 9) - 4, (int)test_below(&r, 3) - 1 };
        if (whole && test_below(&r, 2))
            n = (abut_vec3){ 3 * (int)test_below(&r, 2), 4, 0 };
        if (n.x == 0 && n.y == 0 && n.z == 0)
            n.z = 2;
        double offset = whole ? (int)test_below(&r, 60) - 30 : test_uniform(&r, -4, 4);
        const abut_pose at = { { 1, 2, 3 }, whole ? (abut_quat){ 1, 0, 0, 0 } : random_turn(&r) };
        if (test_below(&r, 2)) { /* to contact, or near it */
            oracle_plane_gap(round, &a, &at, n, offset, gap);
            offset += mpfr_get_d(gap, MPFR_RNDN) * sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
        }
        oracle_plane_gap(round, &a, &at, n, offset, gap);
        const double size = 20 + fabs(offset), value = mpfr_get_d(gap, MPFR_RNDN);
        const int sign = sign_of(gap, size);
        abut_shape *sa = NULL, *space = NULL;
        if (which < 3)
            sa = make_shape(&a, (kind)which);
        else if (which == 3)
            abut_shape_create_cylinder(a.half[0], 2 * a.half[2], NULL, &sa);
        else if (which == 4)
            abut_shape_create_cone(a.half[0], 2 * a.half[2], NULL, &sa);
        else
            abut_shape_create_ellipsoid((abut_vec3){ a.half[0], a.half[1], a.half[2] }, NULL, &sa);
        assert_int_equal(abut_shape_create_halfspace(n, offset, NULL, &space), ABUT_OK);
        abut_check_result x, y;
        memset(&x, 0x5a, sizeof x);
        assert_int_equal(abut_check(sa, &a.pose, space, &at, NULL, NULL, &x), ABUT_OK);
        if (x.verdict != ABUT_UNDECIDED && x.verdict != verdict_of(sign))
            print_error("kind %d, normal %a %a %a offset %a\n", which, n.x, n.y, n.z, offset);
        check_enclosures(seed, &a, &a, &x, gap, sign, size);
        if (whole)
            WITH(x.proof == ABUT_PROOF_EXACT, seed, &a, &a, "kind %d: %s, gap %g, normal %g %g %g offset %a",
                 which, abut_verdict_name(x.verdict), value, n.x, n.y, n.z, offset);
        exact += x.proof == ABUT_PROOF_EXACT;
        touching += x.verdict == ABUT_TOUCHING;
        if (x.verdict != ABUT_UNDECIDED) {
            const abut_vec3 p = x.point_a, q = x.point_b, w = { q.x - p.x, q.y - p.y, q.z - p.z };
            WITH(x.has_points &&
                     fabs(w.x * x.normal.x + w.y * x.normal.y + w.z * x.normal.z - value) < 1e-9 * size &&
                     fabs(distance_between(p, q) - fabs(value)) < 1e-9 * size,
                 seed, &a, &a, "kind %d: points %g %g %g and %g %g %g, normal %g %g %g, gap %g", which, p.x,
                 p.y, p.z, q.x, q.y, q.z, x.normal.x, x.normal.y, x.normal.z, value);
            WITH(sign > 0 || (x.contact_count > 0 && x.contacts[0].features[1] == ABUT_FEATURE_FACE &&
                              x.contacts[0].ids[1] == 0),
                 seed, &a, &a, "kind %d: no contact", which);
        }
        assert_int_equal(abut_check(space, &at, sa, &a.pose, NULL, NULL, &y), ABUT_OK);
        WITH(y.verdict == x.verdict && y.proof == x.proof && y.distance.lo == x.distance.lo &&
                 y.depth.hi == x.depth.hi && y.normal.x == -x.normal.x && y.point_a.x == x.point_b.x,
             seed, &a, &a, "swapped: %s", abut_verdict_name(y.verdict));
        for (int i = 0; i < 3; ++i) {
            abut_overlap_opts opts;
            abut_overlap_result o;
            abut_overlap_opts_init(&opts);
            opts.clearance = i == 0 ? 0 : i == 1 ? 0.5 : sign > 0 ? value : 1;
            mpfr_t rest;
            mpfr_init2(rest, ORACLE_PRECISION);
            mpfr_sub_d(rest, gap, opts.clearance, MPFR_RNDN);
            assert_int_equal(abut_overlap(space, &at, sa, &a.pose, &opts, NULL, &o), ABUT_OK);
            WITH(o.verdict == ABUT_UNDECIDED ? fabs(mpfr_get_d(rest, MPFR_RNDN)) < 1e-12 * size
                                             : o.verdict == verdict_of(sign_of(rest, size)),
                 seed, &a, &a, "kind %d: overlap %s with clearance %a, gap %a", which,
                 abut_verdict_name(o.verdict), opts.clearance, value);
            mpfr_clear(rest);
        }
        abut_shape_release(sa);
        abut_shape_release(space);
    }
    assert_true(exact > count / 4);
    assert_true(touching > count / 50);
    mpfr_clear(gap);
}

/* Points are on both planes, x + 2 y + 2 z = 3 and `far`, and one above the other. */
static void expect_feet(const abut_check_result *r, double far)
{
    const abut_vec3 p = r->point_a, q = r->point_b, n = r->normal;
    assert_true(r->has_points && r->has_normal);
    TEST_NEAR(p.x + 2 * p.y + 2 * p.z, 3, 1e-14, "%a %a %a", p.x, p.y, p.z);
    TEST_NEAR(q.x + 2 * q.y + 2 * q.z, far, 1e-14, "%a %a %a", q.x, q.y, q.z);
    const double d = (far - 3) / 3;
    TEST_NEAR(q.x - p.x, d * n.x, 1e-14, "%a", d);
    TEST_NEAR(q.y - p.y, d * n.y, 1e-14, "%a", d);
    TEST_NEAR(q.z - p.z, d * n.z, 1e-14, "%a", d);
    assert_int_equal(r->contact_count, far > 3 ? 0 : 1);
}

static void two_halfspaces(void **state)
{
    (void)state;
    abut_shape *up, *down, *skew;
    assert_int_equal(abut_shape_create_halfspace((abut_vec3){ 1, 2, 2 }, 3, NULL, &up), ABUT_OK);
    assert_int_equal(abut_shape_create_halfspace((abut_vec3){ -2, -4, -4 }, -12, NULL, &down), ABUT_OK);
    assert_int_equal(abut_shape_create_halfspace((abut_vec3){ -1, -2, -2.0000000000000004 }, 3, NULL, &skew),
                     ABUT_OK);
    abut_check_result r;
    assert_int_equal(abut_check(up, NULL, down, NULL, NULL, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_SEPARATE && r.proof == ABUT_PROOF_EXACT && r.distance.lo <= 1 &&
                r.distance.hi >= 1 && r.distance.hi - r.distance.lo < 1e-15);
    expect_feet(&r, 6);
    const abut_pose near = { { -1, 0, -1 }, { 1, 0, 0, 0 } }, deep = { { -3, 0, -3 }, { 1, 0, 0, 0 } };
    assert_int_equal(abut_check(up, NULL, down, &near, NULL, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_TOUCHING && r.proof == ABUT_PROOF_EXACT);
    expect_feet(&r, 3);
    assert_int_equal(abut_check(up, NULL, down, &deep, NULL, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_PENETRATING && r.has_depth && r.depth.lo <= 2 && r.depth.hi >= 2);
    expect_feet(&r, -3);
    assert_int_equal(abut_check(up, NULL, skew, NULL, NULL, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_PENETRATING && !r.has_depth);
    const abut_pose turned = { { 0, 0, 0 }, { 0.9, 0.1, -0.3, 0.2 } };
    assert_int_equal(abut_check(up, &turned, down, NULL, NULL, NULL, &r), ABUT_OK);
    assert_true(r.verdict == ABUT_PENETRATING && !r.has_depth);
    assert_int_equal(abut_check(up, &turned, down, &turned, NULL, NULL, &r), ABUT_OK);
    assert_int_equal(r.verdict, ABUT_UNDECIDED);
    abut_shape_release(up);
    abut_shape_release(down);
    abut_shape_release(skew);
}

/* ---- a ball and a cylinder or cone ---- */

static void balls_and_round_bodies(void **state)
{
    (void)state;
    const uint64_t count = test_count(4000);
    uint64_t exact = 0, touching = 0;
    mpfr_t gap;
    mpfr_init2(gap, ORACLE_PRECISION);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(5000000 + seed);
        const bool cone = test_below(&r, 2), whole = test_below(&r, 2);
        oracle_box b = random_box(&r, BOX, 1);
        b.half[1] = b.half[0];
        abut_vec3 c = { test_uniform(&r, -4, 4), test_uniform(&r, -4, 4), test_uniform(&r, -4, 4) };
        double radius = test_uniform(&r, 0.1, 2);
        if (whole) { /* rims at distances 3, 4, 5 and the like */
            b.pose.rotation = (abut_quat){ 1, test_below(&r, 2), 0, 0 };
            b.pose.position =
                (abut_vec3){ (int)test_below(&r, 5), (int)test_below(&r, 5), (int)test_below(&r, 5) };
            b.half[0] = b.half[1] = 1 + test_below(&r, 3);
            b.half[2] = 1 + test_below(&r, 4);
            c = (abut_vec3){ (int)test_below(&r, 13) - 6, (int)test_below(&r, 13) - 6,
                             (int)test_below(&r, 13) - 6 };
            radius = 1 + test_below(&r, 5);
            if (test_below(&r, 4)) /* in a plane with the axis */
                c = (abut_vec3){ b.pose.position.x, c.y, c.z };
        }
        const oracle_round round = cone ? ORACLE_ROUND_CONE : ORACLE_ROUND_CYLINDER;
        oracle_ball_round_gap(radius, c, round, &b, gap);
        if (!whole && test_below(&r, 2)) {
            radius += mpfr_get_d(gap, MPFR_RNDN);
            if (!(radius > 0.01))
                continue;
            oracle_ball_round_gap(radius, c, round, &b, gap);
        }
        const double size = 20, value = mpfr_get_d(gap, MPFR_RNDN);
        const int sign = sign_of(gap, size);
        const abut_pose at = { c, whole ? (abut_quat){ 1, 0, 0, 0 } : random_turn(&r) };
        abut_shape *ball = NULL, *other = NULL;
        assert_int_equal(abut_shape_create_sphere(radius, NULL, &ball), ABUT_OK);
        if (cone)
            abut_shape_create_cone(b.half[0], 2 * b.half[2], NULL, &other);
        else
            abut_shape_create_cylinder(b.half[0], 2 * b.half[2], NULL, &other);
        abut_check_result x, y;
        memset(&x, 0x5a, sizeof x);
        assert_int_equal(abut_check(ball, &at, other, &b.pose, NULL, NULL, &x), ABUT_OK);
        if (x.verdict != ABUT_UNDECIDED && x.verdict != verdict_of(sign))
            print_error("cone %d, ball %a at %a %a %a\n", cone, radius, c.x, c.y, c.z);
        check_enclosures(seed, &b, &b, &x, gap, sign, size);
        if (whole && !cone)
            WITH(x.proof == ABUT_PROOF_EXACT, seed, &b, &b, "%s, ball %g at %g %g %g, gap %g",
                 abut_verdict_name(x.verdict), radius, c.x, c.y, c.z, value);
        exact += x.proof == ABUT_PROOF_EXACT;
        touching += x.verdict == ABUT_TOUCHING;
        if (x.verdict != ABUT_UNDECIDED) {
            const abut_vec3 p = x.point_a, q = x.point_b, w = { q.x - p.x, q.y - p.y, q.z - p.z };
            mpfr_t off;
            mpfr_init2(off, ORACLE_PRECISION);
            oracle_ball_round_gap(0, q, round, &b, off);
            WITH(x.has_points &&
                     fabs(w.x * x.normal.x + w.y * x.normal.y + w.z * x.normal.z - value) < 1e-9 &&
                     fabs(distance_between(p, c) - radius) < 1e-9 && fabs(mpfr_get_d(off, MPFR_RNDN)) < 1e-9,
                 seed, &b, &b, "points of %s, ball %g at %g %g %g", cone ? "cone" : "cylinder", radius, c.x,
                 c.y, c.z);
            mpfr_clear(off);
            WITH(sign > 0 || x.contact_count > 0, seed, &b, &b, "no contact");
        }
        assert_int_equal(abut_check(other, &b.pose, ball, &at, NULL, NULL, &y), ABUT_OK);
        WITH(y.verdict == x.verdict && y.normal.z == -x.normal.z && y.distance.hi == x.distance.hi, seed, &b,
             &b, "swapped");
        abut_overlap_result o;
        assert_int_equal(abut_overlap(ball, &at, other, &b.pose, NULL, NULL, &o), ABUT_OK);
        WITH(o.verdict == ABUT_UNDECIDED ? fabs(value) < 1e-12 * size : o.verdict == verdict_of(sign), seed,
             &b, &b, "overlap %s, gap %g", abut_verdict_name(o.verdict), value);
        abut_shape_release(ball);
        abut_shape_release(other);
    }
    assert_true(exact > count / 5);
    assert_true(touching > count / 100);
    mpfr_clear(gap);
}

/* ---- what peers get wrong ---- */

static void bad_poses(void **state)
{
    (void)state;
    const abut_pose bad[] = {
        { { NAN, 0, 0 }, { 1, 0, 0, 0 } },       { { INFINITY, 0, 0 }, { 1, 0, 0, 0 } },
        { { 0, -INFINITY, 0 }, { 1, 0, 0, 0 } }, { { 0, 0, 0 }, { NAN, 0, 0, 0 } },
        { { 50, 0, 0 }, { 0, 0, 0, 0 } },        { { 0, 0, 0 }, { 0, INFINITY, 0, 0 } }
    };
    abut_shape *shapes[4] = { 0 };
    abut_shape_create_sphere(1, NULL, &shapes[0]);
    abut_shape_create_capsule(1, 2, NULL, &shapes[1]);
    abut_shape_create_box((abut_vec3){ 1, 1, 1 }, NULL, &shapes[2]);
    abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, 0, NULL, &shapes[3]);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
                abut_check_result r;
                abut_overlap_result o;
                abut_distance_result d;
                assert_int_equal(abut_check(shapes[i], &bad[k], shapes[j], NULL, NULL, NULL, &r),
                                 ABUT_ERR_ARGUMENT);
                assert_int_equal(abut_check(shapes[i], NULL, shapes[j], &bad[k], NULL, NULL, &r),
                                 ABUT_ERR_ARGUMENT);
                assert_int_equal(abut_overlap(shapes[i], &bad[k], shapes[j], NULL, NULL, NULL, &o),
                                 ABUT_ERR_ARGUMENT);
                assert_int_equal(abut_overlap(shapes[i], NULL, shapes[j], &bad[k], NULL, NULL, &o),
                                 ABUT_ERR_ARGUMENT);
                assert_int_equal(abut_distance(shapes[i], &bad[k], shapes[j], NULL, NULL, NULL, &d),
                                 ABUT_ERR_ARGUMENT);
            }
    for (int i = 0; i < 4; ++i)
        abut_shape_release(shapes[i]);
}

/* Boxes with gaps of 1e-9 and 1e-12 (libccd calls them colliding), boxes of size 1e-4 and 1e-6
 * (false answers both ways), tiny balls against large ones, and the same at the ends of the
 * range. */
static void scales(void **state)
{
    (void)state;
    const uint64_t count = test_count(400);
    tally t = { 0 };
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(4000000 + seed);
        static const double sizes[] = { 1e-4, 1e-6, 1e4, 1e6, 1e-30, 1e30, 1e-60, 1e60, 1e-150, 1e150 };
        const double scale = sizes[test_below(&r, 10)];
        const kind ka = (kind)test_below(&r, KINDS), kb = (kind)test_below(&r, KINDS);
        oracle_box a = random_box(&r, ka, scale), b = random_box(&r, kb, scale);
        if (test_below(&r, 4) == 0) {
            b = random_box(&r, kb, scale * 1e-6);
            b.pose.position =
                (abut_vec3){ a.pose.position.x + scale * test_uniform(&r, -1, 1), a.pose.position.y,
                             a.pose.position.z + scale * test_uniform(&r, -1, 1) };
        }
        check_pair(seed, ka, &a, kb, &b, scale * test_uniform(&r, 0, 1), &t);
    }
    assert_true(10 * t.undecided <= t.total);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_poses),
        cmocka_unit_test(two_halfspaces),
        cmocka_unit_test(standing_pairs),
        cmocka_unit_test(random_pairs),
        cmocka_unit_test(pairs_near_contact),
        cmocka_unit_test(planes),
        cmocka_unit_test(balls_and_round_bodies),
        cmocka_unit_test(scales),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
