/* SPDX-License-Identifier: MIT */
/* Rays, points and segments against one shape. Referee: the same geometry in MPFR with enough
 * bits to be exact where it decides (slabs, discriminants), and for points the exact signs of
 * oracle/sphere_pair.h. Tidy integers make tangents, edges, corners and rays in faces common;
 * hand-made cases fix what is promised for them. */
#include "abut/query.h"
#include "oracle/sphere_pair.h"
#include "support/bodies.h"
#include "support/places.h"

enum { PREC = 1200 };

static oracle_pair make_shape(test_random *r, bool tidy, abut_shape **out)
{
    oracle_pair p = { .kind = (oracle_kind)test_below(r, 4), .pose.rotation = { 1, 0, 0, 0 } };
    p.pose.position = small_vec3(r, tidy);
    p.half = tidy ? v3(1 + test_below(r, 3), 1 + test_below(r, 3), 1 + test_below(r, 3))
                  : v3(test_uniform(r, 0.2, 2), test_uniform(r, 0.2, 2), test_uniform(r, 0.2, 2));
    p.other_radius = tidy ? 1 + test_below(r, 3) : test_uniform(r, 0.2, 2);
    p.height = tidy ? 2 * test_below(r, 3) : test_uniform(r, 0, 3);
    do
        p.normal = small_vec3(r, tidy);
    while (p.normal.x == 0 && p.normal.y == 0 && p.normal.z == 0);
    p.offset = tidy ? small_integer(r) : test_uniform(r, -2, 2);
    abut_status status;
    switch (p.kind) {
    case ORACLE_SPHERE: status = abut_shape_create_sphere(p.other_radius, NULL, out); break;
    case ORACLE_BOX: status = abut_shape_create_box(p.half, NULL, out); break;
    case ORACLE_CAPSULE: status = abut_shape_create_capsule(p.other_radius, p.height, NULL, out); break;
    default: status = abut_shape_create_halfspace(p.normal, p.offset, NULL, out);
    }
    assert_int_equal(status, ABUT_OK);
    return p;
}

/* ---- referee for lines: the parameters where o + t d enters and leaves ---- */

typedef struct range {
    bool none, no_lo, no_hi; /* misses; comes from or goes to infinity inside */
    mpfr_t lo, hi;
} range;

static void widen(range *r, mpfr_t lo, mpfr_t hi)
{
    if (r->none || mpfr_cmp(lo, r->lo) < 0)
        mpfr_set(r->lo, lo, MPFR_RNDN);
    if (r->none || mpfr_cmp(hi, r->hi) > 0)
        mpfr_set(r->hi, hi, MPFR_RNDN);
    r->none = false;
}

/* |o + t d|^2 <= r^2 in n coordinates: [lo, hi]; false where there is none. Only for d != 0. */
static bool ball(mpfr_t *o, mpfr_t *d, int n, double r, mpfr_t lo, mpfr_t hi)
{
    mpfr_t a, b, c, x;
    mpfr_inits2(PREC, a, b, c, x, (mpfr_ptr)0);
    mpfr_set_zero(a, 1);
    mpfr_set_zero(b, 1);
    mpfr_set_d(c, r, MPFR_RNDN);
    mpfr_sqr(c, c, MPFR_RNDN);
    mpfr_neg(c, c, MPFR_RNDN);
    for (int i = 0; i < n; ++i) {
        mpfr_sqr(x, d[i], MPFR_RNDN);
        mpfr_add(a, a, x, MPFR_RNDN);
        mpfr_mul(x, d[i], o[i], MPFR_RNDN);
        mpfr_add(b, b, x, MPFR_RNDN);
        mpfr_sqr(x, o[i], MPFR_RNDN);
        mpfr_add(c, c, x, MPFR_RNDN);
    }
    mpfr_sqr(x, b, MPFR_RNDN);
    mpfr_mul(c, c, a, MPFR_RNDN);
    mpfr_sub(x, x, c, MPFR_RNDN);
    const bool hit = mpfr_sgn(x) >= 0;
    if (hit) {
        mpfr_sqrt(x, x, MPFR_RNDN);
        mpfr_add(lo, b, x, MPFR_RNDN);
        mpfr_neg(lo, lo, MPFR_RNDN);
        mpfr_div(lo, lo, a, MPFR_RNDN);
        mpfr_sub(hi, x, b, MPFR_RNDN);
        mpfr_div(hi, hi, a, MPFR_RNDN);
    }
    mpfr_clears(a, b, c, x, (mpfr_ptr)0);
    return hit;
}

/* |o + t d| <= h in one coordinate, intersected with [lo, hi]. */
static bool slab(mpfr_t o, mpfr_t d, double h, mpfr_t lo, mpfr_t hi)
{
    if (mpfr_zero_p(d))
        return mpfr_cmpabs_ui(o, 0) == 0 || mpfr_cmp_d(o, h) <= 0 ? mpfr_cmp_d(o, -h) >= 0 : false;
    mpfr_t x, y;
    mpfr_inits2(PREC, x, y, (mpfr_ptr)0);
    mpfr_d_sub(x, mpfr_sgn(d) > 0 ? -h : h, o, MPFR_RNDN);
    mpfr_d_sub(y, mpfr_sgn(d) > 0 ? h : -h, o, MPFR_RNDN);
    mpfr_div(x, x, d, MPFR_RNDN);
    mpfr_div(y, y, d, MPFR_RNDN);
    if (mpfr_cmp(x, lo) > 0)
        mpfr_set(lo, x, MPFR_RNDN);
    if (mpfr_cmp(y, hi) < 0)
        mpfr_set(hi, y, MPFR_RNDN);
    mpfr_clears(x, y, (mpfr_ptr)0);
    return mpfr_cmp(lo, hi) <= 0;
}

static void line_through(const oracle_pair *p, abut_vec3 from, abut_vec3 along, range *out)
{
    mpfr_t o[3], d[3], lo, hi;
    const double f[3] = { from.x, from.y, from.z }, a[3] = { along.x, along.y, along.z };
    const double t[3] = { p->pose.position.x, p->pose.position.y, p->pose.position.z };
    mpfr_inits2(PREC, lo, hi, (mpfr_ptr)0);
    for (int i = 0; i < 3; ++i) {
        mpfr_inits2(PREC, o[i], d[i], (mpfr_ptr)0);
        mpfr_set_d(o[i], f[i], MPFR_RNDN);
        mpfr_sub_d(o[i], o[i], t[i], MPFR_RNDN);
        mpfr_set_d(d[i], a[i], MPFR_RNDN);
    }
    out->none = true;
    out->no_lo = out->no_hi = false;
    switch (p->kind) {
    case ORACLE_SPHERE:
        if (ball(o, d, 3, p->other_radius, lo, hi))
            widen(out, lo, hi);
        break;
    case ORACLE_BOX:
        mpfr_set_inf(lo, -1);
        mpfr_set_inf(hi, 1);
        if (slab(o[0], d[0], p->half.x, lo, hi) && slab(o[1], d[1], p->half.y, lo, hi) &&
            slab(o[2], d[2], p->half.z, lo, hi))
            widen(out, lo, hi);
        break;
    case ORACLE_CAPSULE:
        for (int side = -1; side <= 1; side += 2) {
            mpfr_sub_d(o[2], o[2], side * p->height / 2, MPFR_RNDN);
            if (ball(o, d, 3, p->other_radius, lo, hi))
                widen(out, lo, hi);
            mpfr_add_d(o[2], o[2], side * p->height / 2, MPFR_RNDN);
        }
        if ((a[0] != 0 || a[1] != 0) && ball(o, d, 2, p->other_radius, lo, hi) &&
            slab(o[2], d[2], p->height / 2, lo, hi))
            widen(out, lo, hi);
        break;
    default: {
        const double n[3] = { p->normal.x, p->normal.y, p->normal.z };
        mpfr_set_d(lo, -p->offset, MPFR_RNDN); /* n . o - offset */
        mpfr_set_zero(hi, 1);                  /* n . d */
        for (int i = 0; i < 3; ++i) {
            mpfr_mul_d(o[i], o[i], n[i], MPFR_RNDN);
            mpfr_add(lo, lo, o[i], MPFR_RNDN);
            mpfr_mul_d(d[i], d[i], n[i], MPFR_RNDN);
            mpfr_add(hi, hi, d[i], MPFR_RNDN);
        }
        if (mpfr_zero_p(hi))
            break; /* no crossing */
        out->no_lo = mpfr_sgn(hi) > 0;
        out->no_hi = !out->no_lo;
        mpfr_div(lo, lo, hi, MPFR_RNDN);
        mpfr_neg(lo, lo, MPFR_RNDN);
        widen(out, lo, lo);
    }
    }
    for (int i = 0; i < 3; ++i)
        mpfr_clears(o[i], d[i], (mpfr_ptr)0);
    mpfr_clears(lo, hi, (mpfr_ptr)0);
}

/* Tangents and starts on the surface that 106 bits cannot tell from misses: full doubles
 * multiplied by small integers. */
static void make_delicate(test_random *r, oracle_pair *p, abut_shape **shape, abut_vec3 *o, abut_vec3 *d)
{
    abut_shape_release(*shape);
    p->kind = test_bits(r) & 1 ? ORACLE_SPHERE : ORACLE_CAPSULE;
    p->pose.position = v3(0, 0, 0);
    const double k = ldexp((double)(test_bits(r) >> 14), -48); /* 50 bits */
    p->height = 4 * k;
    p->other_radius = 5 * k;
    const double nudge = test_below(r, 3) == 0 ? (test_bits(r) & 1 ? INFINITY : -INFINITY) : 0;
    if (test_bits(r) & 1) { /* tangent at (3k, 4k, z), along (-4, 3, 0) times anything */
        const double s = ldexp((double)(test_bits(r) >> 14), -50);
        *d = v3(-4 * s, 3 * s, 0);
        *o = v3(3 * k + 4 * k, 4 * k - 3 * k, p->kind == ORACLE_SPHERE ? 0 : k);
    } else {
        *o = v3(3 * k, 4 * k, p->kind == ORACLE_SPHERE ? 0 : -k);
        *d = v3(test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1));
    }
    if (nudge != 0)
        o->x = nextafter(o->x, nudge);
    assert_int_equal(p->kind == ORACLE_SPHERE
                         ? abut_shape_create_sphere(p->other_radius, NULL, shape)
                         : abut_shape_create_capsule(p->other_radius, p->height, NULL, shape),
                     ABUT_OK);
}

static void rays_agree(void **state)
{
    (void)state;
    range truth;
    mpfr_inits2(PREC, truth.lo, truth.hi, (mpfr_ptr)0);
    uint64_t hits_seen = 0, touches = 0;
    double worst = 0;
    const uint64_t count = test_count(100000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool tidy = test_below(&r, 3) > 0;
        abut_shape *shape;
        oracle_pair p = make_shape(&r, tidy, &shape);
        abut_vec3 o = small_vec3(&r, tidy), d;
        do
            d = small_vec3(&r, tidy);
        while (d.x == 0 && d.y == 0 && d.z == 0);
        if (test_below(&r, 5) == 0)
            make_delicate(&r, &p, &shape, &o, &d);
        abut_ray_hit hits[4];
        size_t found;
        TEST_CHECK(abut_cast_ray(shape, &p.pose, o, d, hits, 4, &found) == ABUT_OK, "seed %" PRIu64, seed);
        line_through(&p, o, d, &truth);
        mpfr_t *ends[2];
        size_t expected = 0;
        if (!truth.none) {
            const bool once = mpfr_equal_p(truth.lo, truth.hi);
            touches += once && p.kind != ORACLE_HALFSPACE;
            if (mpfr_sgn(truth.lo) >= 0)
                ends[expected++] = &truth.lo;
            if (!once && mpfr_sgn(truth.hi) >= 0)
                ends[expected++] = &truth.hi;
        }
        TEST_CHECK(found == expected, "seed %" PRIu64 " kind %d: %zu hits, not %zu", seed, (int)p.kind, found,
                   expected);
        for (size_t i = 0; i < found; ++i) {
            const double t = mpfr_get_d(*ends[i], MPFR_RNDN);
            const double ulp = nextafter(fabs(t), INFINITY) - fabs(t);
            TEST_NEAR(hits[i].t, t, 2 * ulp, "seed %" PRIu64 " kind %d", seed, (int)p.kind);
            worst = fmax(worst, t != 0 ? fabs(hits[i].t - t) / ulp : 0);
            const abut_vec3 n = hits[i].normal;
            TEST_NEAR(n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-14, "seed %" PRIu64, seed);
            const double side = n.x * d.x + n.y * d.y + n.z * d.z;
            const bool enters = ends[i] == &truth.lo && !truth.no_lo;
            if (!mpfr_equal_p(truth.lo, truth.hi) || p.kind == ORACLE_HALFSPACE)
                TEST_CHECK(enters ? side <= 1e-9 : side >= -1e-9, "seed %" PRIu64 " kind %d: normal . d = %g",
                           seed, (int)p.kind, side);
            ++hits_seen;
        }
        abut_shape_release(shape);
    }
    print_message("%" PRIu64 " rays, %" PRIu64 " hits, %" PRIu64 " tangent lines, worst %g ulp\n", count,
                  hits_seen, touches, worst);
    mpfr_clears(truth.lo, truth.hi, (mpfr_ptr)0);
}

/* ---- points ---- */

static int point_sign(oracle_pair p, abut_vec3 at, mpfr_t gap)
{
    p.centre = at;
    p.radius = 0;
    if (p.kind != ORACLE_HALFSPACE)
        return oracle_sphere_gap(&p, gap);
    mpfr_t x;
    const double d[3] = { at.x, at.y, at.z },
                 t[3] = { p.pose.position.x, p.pose.position.y, p.pose.position.z };
    const double n[3] = { p.normal.x, p.normal.y, p.normal.z };
    mpfr_init2(x, PREC);
    mpfr_set_prec(gap, PREC);
    mpfr_set_d(gap, -p.offset, MPFR_RNDN);
    for (int i = 0; i < 3; ++i) {
        mpfr_set_d(x, d[i], MPFR_RNDN);
        mpfr_sub_d(x, x, t[i], MPFR_RNDN);
        mpfr_mul_d(x, x, n[i], MPFR_RNDN);
        mpfr_add(gap, gap, x, MPFR_RNDN);
    }
    mpfr_clear(x);
    return mpfr_sgn(gap);
}

static void points_agree(void **state)
{
    (void)state;
    mpfr_t gap;
    mpfr_init2(gap, 512);
    uint64_t on = 0, unknown = 0;
    const uint64_t count = test_count(100000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool tidy = test_below(&r, 3) > 0;
        abut_shape *shape;
        oracle_pair p = make_shape(&r, tidy, &shape);
        const bool turned = test_below(&r, 5) == 0;
        if (turned)
            p.pose.rotation = (abut_quat){ 1, test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), 0.25 };
        const abut_vec3 at = small_vec3(&r, tidy);
        abut_piece piece;
        TEST_CHECK(abut_classify_point(shape, &p.pose, at, &piece) == ABUT_OK, "seed %" PRIu64, seed);
        if (turned && p.kind == ORACLE_HALFSPACE) {
            TEST_CHECK(piece.where == ABUT_WHERE_IN || piece.where == ABUT_WHERE_OUT ||
                           piece.where == ABUT_WHERE_UNKNOWN,
                       "seed %" PRIu64, seed);
            abut_shape_release(shape);
            continue;
        }
        const int sign = point_sign(p, at, gap);
        if (piece.where == ABUT_WHERE_UNKNOWN) {
            ++unknown;
            TEST_CHECK(turned && fabs(mpfr_get_d(gap, MPFR_RNDN)) < 1e-14, "seed %" PRIu64, seed);
        } else
            TEST_CHECK(sign < 0    ? piece.where == ABUT_WHERE_IN
                       : sign == 0 ? piece.where >= ABUT_WHERE_VERTEX
                                   : piece.where == ABUT_WHERE_OUT,
                       "seed %" PRIu64 " kind %d: %s, sign %d", seed, (int)p.kind,
                       abut_where_name(piece.where), sign);
        on += sign == 0;
        if (sign == 0 && p.kind == ORACLE_BOX && !turned) {
            /* which feature, from the coordinates */
            const double x[3] = { at.x - p.pose.position.x, at.y - p.pose.position.y,
                                  at.z - p.pose.position.z };
            const double h[3] = { p.half.x, p.half.y, p.half.z };
            int faces = 0;
            for (int i = 0; i < 3; ++i)
                faces += fabs(x[i]) == h[i];
            TEST_CHECK(piece.where == (faces == 1   ? ABUT_WHERE_FACE
                                       : faces == 2 ? ABUT_WHERE_EDGE
                                                    : ABUT_WHERE_VERTEX),
                       "seed %" PRIu64, seed);
            for (int i = 0; i < 3; ++i)
                if (faces == 3)
                    TEST_CHECK((piece.id >> i & 1) == (x[i] > 0), "seed %" PRIu64, seed);
                else if (faces == 1 && fabs(x[i]) == h[i])
                    TEST_CHECK(piece.id == 2 * i + (x[i] > 0), "seed %" PRIu64, seed);
        }
        abut_shape_release(shape);
    }
    print_message("%" PRIu64 " points, %" PRIu64 " on the boundary, %" PRIu64 " unknown\n", count, on,
                  unknown);
    TEST_CHECK(unknown * 1000 <= count, "%" PRIu64 " unknown", unknown);
    mpfr_clear(gap);
}

/* ---- segments ---- */

static void segments_are_covered_by_what_they_cross(void **state)
{
    (void)state;
    mpfr_t gap;
    mpfr_init2(gap, 512);
    const uint64_t count = test_count(30000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool tidy = test_below(&r, 3) > 0;
        abut_shape *shape;
        const oracle_pair p = make_shape(&r, tidy, &shape);
        const abut_vec3 a = small_vec3(&r, tidy), b = small_vec3(&r, tidy);
        abut_piece pieces[8];
        size_t found;
        TEST_CHECK(abut_classify_segment(shape, &p.pose, a, b, pieces, 8, &found) == ABUT_OK, "seed %" PRIu64,
                   seed);
        TEST_CHECK(found >= 1 && found <= 5 && pieces[0].from == 0 && pieces[found - 1].to == 1,
                   "seed %" PRIu64, seed);
        for (size_t i = 0; i < found; ++i) {
            TEST_CHECK(pieces[i].from <= pieces[i].to && (i == 0 || pieces[i].from == pieces[i - 1].to),
                       "seed %" PRIu64, seed);
            const double s = 0.5 * pieces[i].from + 0.5 * pieces[i].to;
            const abut_vec3 mid =
                v3((1 - s) * a.x + s * b.x, (1 - s) * a.y + s * b.y, (1 - s) * a.z + s * b.z);
            const int sign = point_sign(p, mid, gap);
            const double off = mpfr_get_d(gap, MPFR_RNDN);
            const bool same = sign < 0   ? pieces[i].where == ABUT_WHERE_IN
                              : sign > 0 ? pieces[i].where == ABUT_WHERE_OUT
                                         : pieces[i].where >= ABUT_WHERE_VERTEX;
            TEST_CHECK(same || fabs(off) < 1e-13,
                       "seed %" PRIu64 " kind %d piece %zu: %s from %.17g to %.17g, off by %g", seed,
                       (int)p.kind, i, abut_where_name(pieces[i].where), pieces[i].from, pieces[i].to, off);
            if (pieces[i].from == pieces[i].to)
                TEST_CHECK(pieces[i].where >= ABUT_WHERE_VERTEX, "seed %" PRIu64, seed);
        }
        abut_piece end;
        assert_int_equal(abut_classify_point(shape, &p.pose, b, &end), ABUT_OK);
        TEST_CHECK(pieces[found - 1].where == end.where && (end.id < 0 || pieces[found - 1].id == end.id),
                   "seed %" PRIu64, seed);
        assert_int_equal(abut_classify_point(shape, &p.pose, a, &end), ABUT_OK);
        TEST_CHECK(pieces[0].where == end.where, "seed %" PRIu64, seed);
        abut_shape_release(shape);
    }
    mpfr_clear(gap);
}

/* Of a type that has no method here yet. */
static void what_is_promised_for_special_rays(void **state)
{
    (void)state;
    abut_shape *box, *plane, *polyhedron;
    abut_ray_hit hits[4];
    size_t count;
    assert_int_equal(abut_shape_create_box(v3(1, 1, 1), NULL, &box), ABUT_OK);
    assert_int_equal(abut_shape_create_halfspace(v3(0, 0, 1), 0, NULL, &plane), ABUT_OK);
    polyhedron = test_polyhedron();
    /* In a face: where it enters and leaves it. */
    assert_int_equal(abut_cast_ray(box, NULL, v3(-3, 0, 1), v3(1, 0, 0), hits, 4, &count), ABUT_OK);
    assert_int_equal(count, 2);
    assert_true(hits[0].t == 2 && hits[1].t == 4 && hits[0].normal.x == -1 && hits[1].normal.x == 1);
    /* Through an edge only: once. */
    assert_int_equal(abut_cast_ray(box, NULL, v3(0, -2, 0), v3(1, 1, 0), hits, 4, &count), ABUT_OK);
    assert_int_equal(count, 1);
    assert_true(hits[0].t == 1);
    /* From the inside: the exit. On the boundary: t = 0. */
    assert_int_equal(abut_cast_ray(box, NULL, v3(0, 0, 0), v3(0, 0, 2), hits, 4, &count), ABUT_OK);
    assert_true(count == 1 && hits[0].t == 0.5 && hits[0].normal.z == 1);
    assert_int_equal(abut_cast_ray(box, NULL, v3(0, 0, 1), v3(0, 0, 1), hits, 4, &count), ABUT_OK);
    assert_true(count == 1 && hits[0].t == 0);
    assert_int_equal(abut_cast_ray(plane, NULL, v3(0, 0, 0), v3(1, 0, 0), hits, 4, &count), ABUT_OK);
    assert_int_equal(count, 0);
    /* No room is no error. */
    assert_int_equal(abut_cast_ray(box, NULL, v3(-3, 0, 0), v3(1, 0, 0), NULL, 0, &count), ABUT_OK);
    assert_int_equal(count, 2);
    assert_int_equal(abut_cast_ray(polyhedron, NULL, v3(-3, 0.25, 0.25), v3(1, 0, 0), hits, 4, &count),
                     ABUT_OK);
    assert_true(count == 2 && hits[0].t == 3 && hits[1].t == 3.5);
    assert_int_equal(abut_cast_ray(box, NULL, v3(-3, 0, 0), v3(0, 0, 0), hits, 4, &count), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_cast_ray(box, NULL, v3(NAN, 0, 0), v3(1, 0, 0), hits, 4, &count),
                     ABUT_ERR_ARGUMENT);
    const abut_pose nowhere = { { 0, 0, 0 }, { 0, 0, 0, 0 } };
    assert_int_equal(abut_cast_ray(box, &nowhere, v3(-3, 0, 0), v3(1, 0, 0), hits, 4, &count),
                     ABUT_ERR_ARGUMENT);
    abut_piece piece;
    assert_int_equal(abut_classify_point(polyhedron, NULL, v3(0, 0, 0), &piece), ABUT_OK);
    assert_true(piece.where == ABUT_WHERE_VERTEX && piece.id == 0);
    assert_int_equal(abut_classify_point(box, NULL, v3(INFINITY, 0, 0), &piece), ABUT_ERR_ARGUMENT);
    abut_shape_release(box);
    abut_shape_release(plane);
    abut_shape_release(polyhedron);
}

/* A quarter turn stated in degrees is exact, so points on its faces, edges and vertices are
 * known to be there. No pose states 90 degrees about (1, 1, 0), and none a placement between two
 * doubles: then a point on the boundary is not known to be there. */
static void placements_by_motions(void **state)
{
    (void)state;
    abut_shape *box, *ball;
    abut_motion *turned, *moving, *stretched, *flipped;
    const abut_placement quarter = {
        .position = { 10, 0, 0 }, .rotation = { ABUT_ROTATION_DEGREES, .axis = { 0, 0, 1 }, .angle = 90 }
    };
    const abut_placement origin = { .position = { 0, 0, 0 } }, end = { .position = { 1, 0, 0 } };
    const abut_affine twice = { .linear = { { { 2, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    const abut_affine flip = { .linear = { { { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } } } };
    assert_int_equal(abut_shape_create_box(v3(1, 2, 3), NULL, &box), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
    assert_int_equal(abut_motion_create_static(&quarter, NULL, &turned, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_linear(0, 3, &origin, &end, NULL, &moving, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_static_affine(&twice, NULL, &stretched, NULL), ABUT_OK);
    assert_int_equal(abut_motion_create_static_affine(&flip, NULL, &flipped, NULL), ABUT_OK);

    /* Now x reaches from 8 to 12 and y from -1 to 1; local x is the world's y, local y its -x. */
    const struct {
        abut_vec3 point;
        abut_where where;
        int64_t id;
    } known[] = {
        { { 8, 0, 0 }, ABUT_WHERE_FACE, 3 },      { { 10, 1, 0 }, ABUT_WHERE_FACE, 1 },
        { { 12, -1, 0 }, ABUT_WHERE_EDGE, 8 },    { { 12, 1, 3 }, ABUT_WHERE_VERTEX, 5 },
        { { 12, 0, 0.5 }, ABUT_WHERE_FACE, 2 },   { { 11.5, 0.5, 0 }, ABUT_WHERE_IN, -1 },
        { { 11.5, 1.5, 0 }, ABUT_WHERE_OUT, -1 },
    };
    abut_piece p;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        assert_int_equal(abut_classify_point_at(box, turned, 7, known[i].point, &p), ABUT_OK);
        assert_int_equal(p.where, known[i].where);
        assert_int_equal(p.id, known[i].id);
    }
    abut_ray_hit hits[2];
    size_t count;
    assert_int_equal(abut_cast_ray_at(box, turned, 0, v3(0, 0, 0), v3(1, 0, 0), hits, 2, &count), ABUT_OK);
    assert_int_equal(count, 2);
    assert_true(hits[0].t == 8 && hits[1].t == 12 && hits[0].normal.x == -1 && hits[1].normal.x == 1);
    abut_piece pieces[8];
    assert_int_equal(abut_classify_segment_at(box, turned, 0, v3(12, -3, 3), v3(12, 1, 3), pieces, 8, &count),
                     ABUT_OK);
    assert_int_equal(count, 4);
    assert_true(pieces[0].where == ABUT_WHERE_OUT && pieces[0].to == 0.5);
    assert_true(pieces[1].where == ABUT_WHERE_VERTEX && pieces[1].id == 4);
    assert_true(pieces[2].where == ABUT_WHERE_EDGE && pieces[2].id == 2);
    assert_true(pieces[3].where == ABUT_WHERE_VERTEX && pieces[3].id == 5 && pieces[3].from == 1);

    /* At t = 1 the centre is at 1/3. */
    assert_int_equal(abut_classify_point_at(ball, moving, 1, v3(1 + 1.0 / 3, 0, 0), &p), ABUT_OK);
    assert_int_equal(p.where, ABUT_WHERE_UNKNOWN);
    assert_int_equal(abut_classify_point_at(ball, moving, 1, v3(1.3333, 0, 0), &p), ABUT_OK);
    assert_int_equal(p.where, ABUT_WHERE_IN);
    assert_int_equal(abut_classify_point_at(ball, moving, 3, v3(2, 0, 0), &p), ABUT_OK);
    assert_int_equal(p.where, ABUT_WHERE_FACE);
    assert_int_equal(abut_classify_point_at(ball, moving, 4, v3(2, 0, 0), &p), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_classify_point_at(ball, moving, NAN, v3(2, 0, 0), &p), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_cast_ray_at(ball, moving, INFINITY, v3(0, 0, 0), v3(1, 0, 0), hits, 2, &count),
                     ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_classify_point_at(ball, NULL, 0, v3(1, 0, 0), &p), ABUT_OK);
    assert_int_equal(p.where, ABUT_WHERE_FACE);
    assert_int_equal(abut_cast_ray_at(box, stretched, 0, v3(0, 0, 0), v3(1, 0, 0), hits, 2, &count),
                     ABUT_ERR_UNSUPPORTED);
    assert_int_equal(abut_classify_point_at(box, stretched, 0, v3(1, 0, 0), &p), ABUT_ERR_UNSUPPORTED);
    /* A matrix that maps axes to axes is as good as a rotation, even where it mirrors. */
    assert_int_equal(abut_classify_point_at(box, flipped, 0, v3(2, 1, 0), &p), ABUT_OK);
    assert_int_equal(p.where, ABUT_WHERE_EDGE);
    /* An expression is as good as other motions where it is defined. */
    const char *const position[3] = { "t", "0", "0" };
    abut_motion *written;
    assert_int_equal(abut_motion_create_expression(0, 1, position, v3(0, 0, 1), NULL, NULL, &written, NULL),
                     ABUT_OK);
    assert_int_equal(abut_cast_ray_at(ball, written, 0.5, v3(-2, 0, 0), v3(1, 0, 0), hits, 2, &count),
                     ABUT_OK);
    assert_true(count == 2 && hits[0].t == 1.5 && hits[1].t == 3.5);
    assert_int_equal(abut_classify_point_at(ball, written, 0.5, v3(0, 0, 0), &p), ABUT_OK);
    assert_int_equal(p.where, ABUT_WHERE_IN);
    abut_motion_release(written);
    abut_shape_release(box);
    abut_shape_release(ball);
    abut_motion_release(turned);
    abut_motion_release(moving);
    abut_motion_release(stretched);
    abut_motion_release(flipped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_agree),
        cmocka_unit_test(points_agree),
        cmocka_unit_test(segments_are_covered_by_what_they_cross),
        cmocka_unit_test(what_is_promised_for_special_rays),
        cmocka_unit_test(placements_by_motions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
