/* SPDX-License-Identifier: MIT */
/* Height fields: rays, points, segments. Referee: the height of the surface in rationals; along
 * a line it is examined wherever the line crosses any grid line or any diagonal of the whole
 * field, without a walk. Small numbers make vertices, edges, runs in the surface and grazed
 * ridges common. */
#include "test_heightfield_support.h"

#include <gmp.h>

enum { MOST = 4 * SIDE + 8 };

/* ---- referee ---- */

/* In steps from the first vertex. */
static void grid_place(const field *f, mpq_t x, mpq_t y, mpq_t u, mpq_t v)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, f->dx);
    mpq_div(u, x, q);
    mpq_set_ui(q, (unsigned long)f->columns - 1, 2);
    mpq_canonicalize(q);
    mpq_add(u, u, q);
    mpq_set_d(q, f->dy);
    mpq_div(v, y, q);
    mpq_set_ui(q, (unsigned long)f->rows - 1, 2);
    mpq_canonicalize(q);
    mpq_add(v, v, q);
    mpq_clear(q);
}

static bool in_domain(const field *f, mpq_t u, mpq_t v)
{
    return mpq_sgn(u) >= 0 && mpq_sgn(v) >= 0 && mpq_cmp_ui(u, (unsigned long)f->columns - 1, 1) <= 0 &&
           mpq_cmp_ui(v, (unsigned long)f->rows - 1, 1) <= 0;
}

static size_t cell_of(mpq_t u, size_t cells)
{
    mpz_t z;
    mpz_init(z);
    mpz_fdiv_q(z, mpq_numref(u), mpq_denref(u));
    const size_t i = mpz_get_ui(z);
    mpz_clear(z);
    return i < cells ? i : cells - 1;
}

static void add_scaled(mpq_t out, mpq_t x, double a, double b)
{
    mpq_t p, q;
    mpq_inits(p, q, (mpq_ptr)0);
    mpq_set_d(p, a);
    mpq_set_d(q, b);
    mpq_sub(p, p, q);
    mpq_mul(p, p, x);
    mpq_add(out, out, p);
    mpq_clears(p, q, (mpq_ptr)0);
}

/* Height of the surface at (u, v) in steps. */
static void height(const field *f, mpq_t u, mpq_t v, mpq_t out)
{
    const size_t i = cell_of(u, f->columns - 1), j = cell_of(v, f->rows - 1);
    const double *h = f->heights + j * f->columns + i;
    mpq_t s, t;
    mpq_inits(s, t, (mpq_ptr)0);
    mpq_set_ui(s, i, 1);
    mpq_sub(s, u, s);
    mpq_set_ui(t, j, 1);
    mpq_sub(t, v, t);
    mpq_set_d(out, h[0]);
    if (mpq_cmp(s, t) >= 0) {
        add_scaled(out, s, h[1], h[0]);
        add_scaled(out, t, h[f->columns + 1], h[1]);
    } else {
        add_scaled(out, t, h[f->columns], h[0]);
        add_scaled(out, s, h[f->columns + 1], h[f->columns]);
    }
    mpq_clears(s, t, (mpq_ptr)0);
}

typedef struct ray {
    mpq_t o[3], d[3]; /* in the field's frame */
} ray;

static void ray_set(ray *l, abut_vec3 o, abut_vec3 at, abut_vec3 d)
{
    const double a[3] = { o.x, o.y, o.z }, b[3] = { at.x, at.y, at.z }, c[3] = { d.x, d.y, d.z };
    mpq_t q;
    mpq_init(q);
    for (int k = 0; k < 3; ++k) {
        mpq_inits(l->o[k], l->d[k], (mpq_ptr)0);
        mpq_set_d(l->o[k], a[k]);
        mpq_set_d(q, b[k]);
        mpq_sub(l->o[k], l->o[k], q);
        mpq_set_d(l->d[k], c[k]);
    }
    mpq_clear(q);
}

static void ray_clear(ray *l)
{
    for (int k = 0; k < 3; ++k)
        mpq_clears(l->o[k], l->d[k], (mpq_ptr)0);
}

/* z - surface at parameter t; false outside the domain. */
static bool gap_at(const field *f, ray *l, mpq_t t, mpq_t out)
{
    mpq_t p[3], u, v;
    mpq_inits(p[0], p[1], p[2], u, v, (mpq_ptr)0);
    for (int k = 0; k < 3; ++k) {
        mpq_mul(p[k], t, l->d[k]);
        mpq_add(p[k], p[k], l->o[k]);
    }
    grid_place(f, p[0], p[1], u, v);
    const bool in = in_domain(f, u, v);
    if (in) {
        height(f, u, v, out);
        mpq_sub(out, p[2], out);
    }
    mpq_clears(p[0], p[1], p[2], u, v, (mpq_ptr)0);
    return in;
}

typedef struct list {
    int count;
    mpq_t t[4 * MOST];
} list;

static void list_add(list *l, mpq_t t)
{
    int i = l->count;
    for (int k = 0; k < l->count; ++k)
        if (mpq_equal(l->t[k], t))
            return;
    mpq_init(l->t[l->count++]);
    for (; i > 0 && mpq_cmp(l->t[i - 1], t) > 0; --i)
        mpq_set(l->t[i], l->t[i - 1]);
    mpq_set(l->t[i], t);
}

static void list_clear(list *l)
{
    for (int i = 0; i < l->count; ++i)
        mpq_clear(l->t[i]);
    l->count = 0;
}

/* t with a + t b = level */
static void add_level(list *l, mpq_t a, mpq_t b, long level)
{
    mpq_t t;
    if (mpq_sgn(b) == 0)
        return;
    mpq_init(t);
    mpq_set_si(t, level, 1);
    mpq_sub(t, t, a);
    mpq_div(t, t, b);
    list_add(l, t);
    mpq_clear(t);
}

static void line_hits(const field *f, ray *l, list *out)
{
    list breaks = { 0 }, inside = { 0 };
    mpq_t u, v, du, dv, a, b, g, before, t;
    mpq_inits(u, v, du, dv, a, b, g, before, t, (mpq_ptr)0);
    out->count = 0;
    if (mpq_sgn(l->d[0]) == 0 && mpq_sgn(l->d[1]) == 0) {
        if (gap_at(f, l, t, g)) {
            mpq_div(t, g, l->d[2]);
            mpq_neg(t, t);
            list_add(out, t);
        }
    } else {
        grid_place(f, l->o[0], l->o[1], u, v);
        mpq_set_d(a, f->dx);
        mpq_div(du, l->d[0], a);
        mpq_set_d(a, f->dy);
        mpq_div(dv, l->d[1], a);
        for (long i = 0; i < (long)f->columns; ++i)
            add_level(&breaks, u, du, i);
        for (long j = 0; j < (long)f->rows; ++j)
            add_level(&breaks, v, dv, j);
        mpq_sub(a, u, v);
        mpq_sub(b, du, dv);
        for (long k = -(long)f->rows; k <= (long)f->columns; ++k)
            add_level(&breaks, a, b, k);
        for (int i = 0; i < breaks.count; ++i)
            if (gap_at(f, l, breaks.t[i], g))
                list_add(&inside, breaks.t[i]);
        int last = 1;
        for (int i = 0; i < inside.count; ++i) {
            (void)gap_at(f, l, inside.t[i], g);
            const int sign = mpq_sgn(g);
            if (i > 0 && last * sign < 0) { /* t + (t' - t) g / (g - g') */
                mpq_sub(a, before, g);
                mpq_div(a, before, a);
                mpq_sub(b, inside.t[i], inside.t[i - 1]);
                mpq_mul(a, a, b);
                mpq_add(a, a, inside.t[i - 1]);
                list_add(out, a);
            }
            const bool border = i == 0 || i + 1 == inside.count;
            if (sign < 0 && border)
                list_add(out, inside.t[i]); /* a wall */
            int next = 1;
            if (i + 1 < inside.count) {
                (void)gap_at(f, l, inside.t[i + 1], b);
                next = mpq_sgn(b);
            }
            if (sign == 0 && !(i > 0 && last == 0 && i + 1 < inside.count && next == 0))
                list_add(out, inside.t[i]);
            last = sign;
            mpq_set(before, g);
        }
    }
    list_clear(&breaks);
    list_clear(&inside);
    mpq_clears(u, v, du, dv, a, b, g, before, t, (mpq_ptr)0);
}

/* ---- rays ---- */

static double ulps(double found, mpq_t truth)
{
    mpq_t q;
    mpq_init(q);
    mpq_set_d(q, found);
    mpq_sub(q, q, truth);
    const double off = fabs(mpq_get_d(q)), at = fabs(mpq_get_d(truth));
    mpq_clear(q);
    return off == 0 ? 0 : off / (nextafter(at, INFINITY) - at);
}

static abut_vec3 random_vertex(test_random *r, const field *f)
{
    return vertex_of(f, test_below(r, (unsigned)f->columns), test_below(r, (unsigned)f->rows));
}

static void random_ray(test_random *r, const field *f, bool tidy, abut_vec3 *o, abut_vec3 *d)
{
    *o = tidy ? v3((double)test_below(r, 13) / 2 - 3, (double)test_below(r, 13) / 2 - 3,
                   (double)test_below(r, 7) - 2)
              : v3(test_uniform(r, -4, 4), test_uniform(r, -4, 4), test_uniform(r, -3, 3));
    do
        *d = tidy ? v3((double)test_below(r, 5) - 2, (double)test_below(r, 5) - 2,
                       (double)test_below(r, 5) - 2)
                  : v3(test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1));
    while (d->x == 0 && d->y == 0 && d->z == 0);
    switch (test_below(r, 8)) {
    case 0: /* through two vertices */
    case 1: {
        const abut_vec3 a = random_vertex(r, f), b = random_vertex(r, f);
        if (a.x == b.x && a.y == b.y && a.z == b.z)
            break;
        *d = v3(b.x - a.x, b.y - a.y, b.z - a.z);
        const double k = (double)test_below(r, 4) - 1;
        *o = v3(a.x - k * d->x, a.y - k * d->y, a.z - k * d->z);
        break;
    }
    case 2: { /* through one vertex or the middle of an edge */
        const abut_vec3 a = random_vertex(r, f), b = random_vertex(r, f);
        const double s = test_bits(r) & 1 ? 0.5 : 0, k = (double)test_below(r, 3);
        *o = v3(a.x + s * (b.x - a.x) - k * d->x, a.y + s * (b.y - a.y) - k * d->y,
                a.z + s * (b.z - a.z) - k * d->z);
        break;
    }
    case 3: *d = v3(0, 0, test_bits(r) & 1 ? 1 : -2); break; /* vertical */
    case 4:
        *d = v3(test_bits(r) & 1 ? 1 : 0, d->y, d->z);
        d->x == 0 && d->y == 0 ? (void)(d->y = 1) : (void)0;
        break;
    case 5: *d = v3(f->dx, f->dy, d->z); break; /* along diagonals */
    default: break;
    }
}

static void rays_agree(void **state)
{
    (void)state;
    uint64_t hits_seen = 0, lines = 0;
    double worst = 0;
    const uint64_t count = test_count(20000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool tidy = test_below(&r, 3) > 0;
        const field f = random_field(&r, tidy);
        abut_shape *shape = make(&f);
        abut_vec3 o, d;
        random_ray(&r, &f, tidy, &o, &d);
        abut_pose pose = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
        if (test_below(&r, 4) == 0) {
            pose.position = tidy ? v3(3, -5, 8) : v3(0.1, 1e6, -0.7);
            o = v3(o.x + pose.position.x, o.y + pose.position.y, o.z + pose.position.z);
        }
        ray l;
        list truth;
        ray_set(&l, o, pose.position, d);
        line_hits(&f, &l, &truth);
        abut_ray_hit hits[MOST];
        for (int all = 0; all < 2; ++all) {
            size_t found;
            const abut_status status = all ? abut_cast_line(shape, &pose, o, d, hits, MOST, &found)
                                           : abut_cast_ray(shape, &pose, o, d, hits, MOST, &found);
            assert_int_equal(status, ABUT_OK);
            int from = 0;
            while (!all && from < truth.count && mpq_sgn(truth.t[from]) < 0)
                ++from;
            if ((int)found != truth.count - from) {
                for (int i = 0; i < truth.count; ++i)
                    print_error("true %.17g\n", mpq_get_d(truth.t[i]));
                for (size_t i = 0; i < found; ++i)
                    print_error("found %.17g\n", hits[i].t);
            }
            TEST_CHECK((int)found == truth.count - from,
                       "seed %" PRIu64 ": %zu hits, expected %d; %zu x %zu, o %a %a %a d %a %a %a", seed,
                       found, truth.count - from, f.columns, f.rows, o.x, o.y, o.z, d.x, d.y, d.z);
            for (size_t i = 0; i < found; ++i) {
                const double off = ulps(hits[i].t, truth.t[(size_t)from + i]);
                worst = fmax(worst, off);
                TEST_CHECK(off <= 2, "seed %" PRIu64 ": t = %a, %g ulp off", seed, hits[i].t, off);
                const abut_vec3 n = hits[i].normal;
                TEST_NEAR(n.x * n.x + n.y * n.y + n.z * n.z, 1, 1e-14, "seed %" PRIu64, seed);
                ++hits_seen;
            }
            ++lines;
        }
        list_clear(&truth);
        ray_clear(&l);
        abut_shape_release(shape);
    }
    print_message("%" PRIu64 " rays and lines, %" PRIu64 " hits, worst %g ulp\n", lines, hits_seen, worst);
}

/* ---- points and segments ---- */

/* -1 inside, 0 on the boundary, 1 outside */
static int point_sign(const field *f, abut_vec3 p)
{
    ray l;
    mpq_t t, g, u, v;
    mpq_inits(t, g, u, v, (mpq_ptr)0);
    ray_set(&l, p, v3(0, 0, 0), v3(0, 0, 1));
    int sign = gap_at(f, &l, t, g) ? mpq_sgn(g) : 1;
    if (sign < 0) {
        grid_place(f, l.o[0], l.o[1], u, v);
        if (mpq_sgn(u) == 0 || mpq_sgn(v) == 0 || mpq_cmp_ui(u, (unsigned long)f->columns - 1, 1) == 0 ||
            mpq_cmp_ui(v, (unsigned long)f->rows - 1, 1) == 0)
            sign = 0;
    }
    ray_clear(&l);
    mpq_clears(t, g, u, v, (mpq_ptr)0);
    return sign;
}

static void points_agree(void **state)
{
    (void)state;
    uint64_t on = 0, unknown = 0, turned = 0;
    const uint64_t count = test_count(40000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool tidy = test_below(&r, 3) > 0;
        const field f = random_field(&r, tidy);
        abut_shape *shape = make(&f);
        abut_vec3 p, d;
        random_ray(&r, &f, tidy, &p, &d);
        const int sign = point_sign(&f, p);
        abut_piece at;
        assert_int_equal(abut_classify_point(shape, NULL, p, &at), ABUT_OK);
        TEST_CHECK(sign < 0    ? at.where == ABUT_WHERE_IN
                   : sign == 0 ? at.where >= ABUT_WHERE_VERTEX && at.id >= 0
                               : at.where == ABUT_WHERE_OUT,
                   "seed %" PRIu64 ": %s, sign %d at %a %a %a", seed, abut_where_name(at.where), sign, p.x,
                   p.y, p.z);
        on += sign == 0;
        /* The same turned by an angle and back: what is reported must be true but near the boundary. */
        const double c = 0.8, s = 0.6;
        const abut_pose pose = { { 0, 0, 0 }, { 3, 0, 0, 1 } }; /* cos 0.8, sin 0.6 */
        const abut_vec3 q = v3(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
        assert_int_equal(abut_classify_point(shape, &pose, q, &at), ABUT_OK);
        if (sign != 0) {
            ++turned;
            if (at.where == ABUT_WHERE_UNKNOWN)
                ++unknown;
            else { /* q is rounded: only what is clear may be judged */
                const abut_vec3 lo = v3(p.x - 1e-14, p.y - 1e-14, p.z - 1e-13),
                                hi = v3(p.x + 1e-14, p.y + 1e-14, p.z + 1e-13);
                if (point_sign(&f, lo) == sign && point_sign(&f, hi) == sign)
                    TEST_CHECK(at.where == (sign < 0 ? ABUT_WHERE_IN : ABUT_WHERE_OUT),
                               "seed %" PRIu64 " turned: %s, sign %d", seed, abut_where_name(at.where), sign);
            }
        }
        abut_shape_release(shape);
    }
    print_message("%" PRIu64 " points, %" PRIu64 " on the boundary; %" PRIu64 " turned, %" PRIu64
                  " unknown\n",
                  count, on, turned, unknown);
    TEST_CHECK(unknown * 20 < turned, "%" PRIu64 " unknown", unknown);
}

static void segments_are_covered(void **state)
{
    (void)state;
    const uint64_t count = test_count(15000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const bool tidy = test_below(&r, 3) > 0;
        const field f = random_field(&r, tidy);
        abut_shape *shape = make(&f);
        abut_vec3 a, d;
        random_ray(&r, &f, tidy, &a, &d);
        const abut_vec3 b = v3(a.x + 4 * d.x, a.y + 4 * d.y, a.z + 4 * d.z);
        abut_piece pieces[2 * MOST];
        size_t found;
        assert_int_equal(abut_classify_segment(shape, NULL, a, b, pieces, 2 * MOST, &found), ABUT_OK);
        TEST_CHECK(found >= 1 && pieces[0].from == 0 && pieces[found - 1].to == 1, "seed %" PRIu64, seed);
        for (size_t i = 0; i < found; ++i) {
            TEST_CHECK(pieces[i].from <= pieces[i].to && (i == 0 || pieces[i].from == pieces[i - 1].to),
                       "seed %" PRIu64, seed);
            const double s = 0.5 * pieces[i].from + 0.5 * pieces[i].to;
            const abut_vec3 mid =
                v3((1 - s) * a.x + s * b.x, (1 - s) * a.y + s * b.y, (1 - s) * a.z + s * b.z);
            const int sign = point_sign(&f, mid);
            const bool same = sign < 0   ? pieces[i].where == ABUT_WHERE_IN
                              : sign > 0 ? pieces[i].where == ABUT_WHERE_OUT
                                         : pieces[i].where >= ABUT_WHERE_VERTEX;
            if (same)
                continue;
            /* The middle is rounded: near the boundary it may be on any side. */
            bool near = false;
            for (int k = 0; k < 54; ++k) {
                const double e = k < 27 ? 1e-13 : 2e-15;
                const int other = point_sign(&f, v3(mid.x + e * (k % 3 - 1), mid.y + e * (k / 3 % 3 - 1),
                                                    mid.z + 1e-12 * (k / 9 % 3 - 1)));
                near |= other != sign;
            }
            TEST_CHECK(near, "seed %" PRIu64 " piece %zu of %zu: %s from %.17g to %.17g, sign %d", seed, i,
                       found, abut_where_name(pieces[i].where), pieces[i].from, pieces[i].to, sign);
        }
        /* At its ends as the points there; a run in the surface is one piece, which passes
         * vertices without a word. */
        abut_piece ends[2];
        assert_int_equal(abut_classify_point(shape, NULL, a, &ends[0]), ABUT_OK);
        assert_int_equal(abut_classify_point(shape, NULL, b, &ends[1]), ABUT_OK);
        for (int i = 0; i < 2; ++i) {
            const abut_where reported = pieces[i ? found - 1 : 0].where, is = ends[i].where;
            TEST_CHECK(reported == is || (reported >= ABUT_WHERE_VERTEX && is >= ABUT_WHERE_VERTEX),
                       "seed %" PRIu64 " end %d: %s, is %s", seed, i, abut_where_name(reported),
                       abut_where_name(is));
        }
        abut_shape_release(shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_agree),
        cmocka_unit_test(points_agree),
        cmocka_unit_test(segments_are_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
