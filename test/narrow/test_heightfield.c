/* SPDX-License-Identifier: MIT */
/* Height fields: rays, points, segments. Referee: the height of the surface in rationals; along a line it is looked at wherever the line crosses any grid
 * line or any diagonal of the whole field, without a walk. Small numbers make vertices, edges, runs in the surface and grazed ridges common. */
#include "abut/query.h"
#include "support/places.h"

#include <gmp.h>

enum { SIDE = 9, MOST = 4 * SIDE + 8 };

typedef struct field {
    size_t columns, rows;
    double dx, dy, heights[SIDE * SIDE];
} field;

static abut_shape *make(const field *f)
{
    abut_shape *shape;
    assert_int_equal(
        abut_shape_create_heightfield(f->columns, f->rows, f->dx, f->dy, f->heights, NULL, &shape, NULL),
        ABUT_OK);
    return shape;
}

static field random_field(test_random *r, bool tidy)
{
    static const double steps[4] = { 1, 2, 0.5, 0.3 };
    field f = { .columns = 2 + test_below(r, SIDE - 1), .rows = 2 + test_below(r, SIDE - 1) };
    f.dx = tidy ? steps[test_below(r, 3)] : steps[test_below(r, 4)];
    f.dy = tidy ? steps[test_below(r, 3)] : test_uniform(r, 0.2, 2);
    const unsigned kind = test_below(r, 4);
    for (size_t i = 0; i < f.columns * f.rows; ++i)
        f.heights[i] = kind == 0 ? (double)(i % f.columns) /* a plane: long runs */
                       : tidy    ? (double)test_below(r, 4) - 1
                                 : test_uniform(r, -2, 2);
    return f;
}

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

static abut_vec3 vertex_of(const field *f, size_t i, size_t j)
{
    return v3(((double)i - 0.5 * (double)(f->columns - 1)) * f->dx,
              ((double)j - 0.5 * (double)(f->rows - 1)) * f->dy, f->heights[j * f->columns + i]);
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
        /* The same turned by an angle and back: what is told must be true but near the boundary. */
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
        /* At its ends as the points there; a run in the surface is one piece, which passes vertices without a word. */
        abut_piece ends[2];
        assert_int_equal(abut_classify_point(shape, NULL, a, &ends[0]), ABUT_OK);
        assert_int_equal(abut_classify_point(shape, NULL, b, &ends[1]), ABUT_OK);
        for (int i = 0; i < 2; ++i) {
            const abut_where told = pieces[i ? found - 1 : 0].where, is = ends[i].where;
            TEST_CHECK(told == is || (told >= ABUT_WHERE_VERTEX && is >= ABUT_WHERE_VERTEX),
                       "seed %" PRIu64 " end %d: %s, is %s", seed, i, abut_where_name(told),
                       abut_where_name(is));
        }
        abut_shape_release(shape);
    }
}

/* ---- bodies ---- */

static abut_shape *random_body(test_random *r)
{
    abut_shape *shape = NULL, *inner;
    const double a = test_uniform(r, 0.1, 1), b = test_uniform(r, 0.1, 1), c = test_uniform(r, 0.1, 1);
    abut_status status = ABUT_OK;
    switch (test_below(r, 9)) {
    case 0: status = abut_shape_create_sphere(a, NULL, &shape); break;
    case 1: status = abut_shape_create_box(v3(a, b, c), NULL, &shape); break;
    case 2: status = abut_shape_create_capsule(a, b, NULL, &shape); break;
    case 3: status = abut_shape_create_cylinder(a, b, NULL, &shape); break;
    case 4: status = abut_shape_create_cone(a, b, NULL, &shape); break;
    case 5: status = abut_shape_create_ellipsoid(v3(a, b, c), NULL, &shape); break;
    case 6:
        assert_int_equal(abut_shape_create_box(v3(a, b, c), NULL, &inner), ABUT_OK);
        status = abut_shape_create_swept(inner, 0.2, NULL, &shape, NULL);
        abut_shape_release(inner);
        break;
    default: {
        abut_vec3 points[8];
        for (int i = 0; i < 8; ++i)
            points[i] = v3(test_uniform(r, -a, a), test_uniform(r, -b, b), test_uniform(r, -c, c));
        status = abut_shape_create_convex(points, 8, 0, NULL, &shape, NULL);
    }
    }
    assert_int_equal(status, ABUT_OK);
    return shape;
}

static abut_pose random_pose(test_random *r, const field *f)
{
    const double x = 0.7 * f->dx * (double)f->columns, y = 0.7 * f->dy * (double)f->rows;
    abut_pose pose = { { test_uniform(r, -x, x), test_uniform(r, -y, y), test_uniform(r, -2, 4) },
                       { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                         test_uniform(r, 0.1, 1) } };
    if (test_below(r, 4) == 0)
        pose.rotation = (abut_quat){ 1, 0, 0, 0 };
    return pose;
}

/* The column under one triangle as a convex body, to a depth that no body here reaches. */
static abut_shape *column_of(const field *f, size_t i, size_t j, int which)
{
    const abut_vec3 top[3] = { vertex_of(f, i, j),
                               which ? vertex_of(f, i + 1, j + 1) : vertex_of(f, i + 1, j),
                               which ? vertex_of(f, i, j + 1) : vertex_of(f, i + 1, j + 1) };
    abut_vec3 points[6];
    for (int k = 0; k < 6; ++k)
        points[k] = k < 3 ? top[k] : v3(top[k - 3].x, top[k - 3].y, -30);
    abut_shape *shape;
    assert_int_equal(abut_shape_create_convex(points, 6, 0, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

/* Against every column, one by one. */
static void bodies_agree_with_all_columns(void **state)
{
    (void)state;
    uint64_t verdicts[4] = { 0 };
    const uint64_t count = test_count(1500);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        field f = random_field(&r, false);
        abut_shape *shape = make(&f), *body = random_body(&r);
        const abut_pose at = random_pose(&r, &f);
        abut_check_result found, mirrored;
        assert_int_equal(abut_check(shape, NULL, body, &at, NULL, NULL, &found), ABUT_OK);
        assert_int_equal(abut_check(body, &at, shape, NULL, NULL, NULL, &mirrored), ABUT_OK);
        ++verdicts[found.verdict];
        double lo = INFINITY, hi = INFINITY;
        bool meets = false, unclear = false;
        for (size_t j = 0; j + 1 < f.rows; ++j)
            for (size_t i = 0; i + 1 < f.columns; ++i)
                for (int which = 0; which < 2; ++which) {
                    abut_shape *column = column_of(&f, i, j, which);
                    abut_check_result one;
                    assert_int_equal(abut_check(column, NULL, body, &at, NULL, NULL, &one), ABUT_OK);
                    meets |= one.verdict == ABUT_PENETRATING;
                    unclear |= one.verdict == ABUT_UNDECIDED || one.verdict == ABUT_TOUCHING;
                    if (one.verdict == ABUT_SEPARATE) {
                        lo = fmin(lo, one.distance.lo);
                        hi = fmin(hi, one.distance.hi);
                    }
                    abut_shape_release(column);
                }
        TEST_CHECK(found.verdict == mirrored.verdict && found.distance.lo == mirrored.distance.lo,
                   "seed %" PRIu64, seed);
        if (meets)
            TEST_CHECK(found.verdict == ABUT_PENETRATING, "seed %" PRIu64 ": %s, but a column is met", seed,
                       abut_verdict_name(found.verdict));
        else if (!unclear) {
            TEST_CHECK(found.verdict == ABUT_SEPARATE,
                       "seed %" PRIu64 ": %s, but all columns are apart by %g", seed,
                       abut_verdict_name(found.verdict), lo);
            TEST_CHECK(found.distance.lo <= hi && found.distance.hi >= lo,
                       "seed %" PRIu64 ": [%.17g, %.17g], brute [%.17g, %.17g]", seed, found.distance.lo,
                       found.distance.hi, lo, hi);
            TEST_CHECK(found.distance.hi - found.distance.lo < 1e-11, "seed %" PRIu64 " width %g", seed,
                       found.distance.hi - found.distance.lo);
            const abut_vec3 d = v3(found.point_b.x - found.point_a.x, found.point_b.y - found.point_a.y,
                                   found.point_b.z - found.point_a.z);
            TEST_NEAR(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), lo, 1e-9, "seed %" PRIu64, seed);
            TEST_NEAR(d.x * found.normal.x + d.y * found.normal.y + d.z * found.normal.z, lo, 1e-7,
                      "seed %" PRIu64, seed);
        }
        TEST_CHECK(!found.has_normal ||
                       fabs(found.normal.x * found.normal.x + found.normal.y * found.normal.y +
                            found.normal.z * found.normal.z - 1) < 1e-9,
                   "seed %" PRIu64, seed);
        for (int k = 0; k < found.contact_count; ++k) /* never from a wall inside */
            TEST_CHECK(found.contacts[k].normal.z > 0, "seed %" PRIu64, seed);
        abut_shape_release(shape);
        abut_shape_release(body);
    }
    print_message("undecided %" PRIu64 ", separate %" PRIu64 ", touching %" PRIu64 ", penetrating %" PRIu64
                  "\n",
                  verdicts[0], verdicts[1], verdicts[2], verdicts[3]);
    TEST_CHECK(verdicts[0] * 100 <= count, "%" PRIu64 " undecided", verdicts[0]);
}

/* Distance of a point to the region under the surface, in long double: straight from the definition. */
static long double wall_distance(abut_vec3 a, abut_vec3 b, abut_vec3 p)
{
    const long double ex = (long double)b.x - a.x, ey = (long double)b.y - a.y, ez = (long double)b.z - a.z;
    const long double px = (long double)p.x - a.x, py = (long double)p.y - a.y;
    long double best = INFINITY;
    /* Below the edge at parameter s the wall is full: min over s of horizontal^2 + max(0, z - edge(s))^2, convex in s. */
    long double lo = 0, hi = 1;
    for (int k = 0; k < 200; ++k) {
        const long double s[2] = { lo + (hi - lo) / 3, hi - (hi - lo) / 3 };
        long double value[2];
        for (int i = 0; i < 2; ++i) {
            const long double x = px - s[i] * ex, y = py - s[i] * ey, z = (long double)p.z - a.z - s[i] * ez;
            value[i] = x * x + y * y + (z > 0 ? z * z : 0);
            best = value[i] < best ? value[i] : best;
        }
        if (value[0] < value[1])
            hi = s[1];
        else
            lo = s[0];
    }
    return sqrtl(best);
}

static long double column_distance(const abut_vec3 t[3], abut_vec3 p)
{
    const abut_vec3 e = v3(t[1].x - t[0].x, t[1].y - t[0].y, t[1].z - t[0].z),
                    g = v3(t[2].x - t[0].x, t[2].y - t[0].y, t[2].z - t[0].z);
    const long double nx = (long double)e.y * g.z - (long double)e.z * g.y,
                      ny = (long double)e.z * g.x - (long double)e.x * g.z,
                      nz = (long double)e.x * g.y - (long double)e.y * g.x;
    const long double n = sqrtl(nx * nx + ny * ny + nz * nz);
    const long double height = (nx * ((long double)p.x - t[0].x) + ny * ((long double)p.y - t[0].y) +
                                nz * ((long double)p.z - t[0].z)) /
                               n;
    bool over = true, over_foot = true;
    const long double fx = p.x - height * nx / n, fy = p.y - height * ny / n;
    long double best = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 a = t[k], b = t[(k + 1) % 3];
        over &= ((long double)b.x - a.x) * ((long double)p.y - a.y) -
                    ((long double)b.y - a.y) * ((long double)p.x - a.x) >=
                0;
        over_foot &= ((long double)b.x - a.x) * (fy - a.y) - ((long double)b.y - a.y) * (fx - a.x) >= 0;
        best = fminl(best, wall_distance(a, b, p));
    }
    if (over && height <= 0)
        return 0;
    return over_foot && height > 0 ? fminl(best, height) : best;
}

static void spheres_agree_with_the_definition(void **state)
{
    (void)state;
    const uint64_t count = test_count(1500);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const field f = random_field(&r, test_bits(&r) & 1);
        abut_shape *shape = make(&f), *ball;
        const double radius = test_uniform(&r, 0.01, 1);
        assert_int_equal(abut_shape_create_sphere(radius, NULL, &ball), ABUT_OK);
        const abut_pose at = random_pose(&r, &f);
        long double distance = INFINITY;
        for (size_t j = 0; j + 1 < f.rows; ++j)
            for (size_t i = 0; i + 1 < f.columns; ++i)
                for (int which = 0; which < 2; ++which) {
                    const abut_vec3 t[3] = { vertex_of(&f, i, j),
                                             which ? vertex_of(&f, i + 1, j + 1) : vertex_of(&f, i + 1, j),
                                             which ? vertex_of(&f, i, j + 1) : vertex_of(&f, i + 1, j + 1) };
                    distance = fminl(distance, column_distance(t, at.position));
                }
        abut_check_result found;
        assert_int_equal(abut_check(shape, NULL, ball, &at, NULL, NULL, &found), ABUT_OK);
        const long double gap = distance - radius;
        if (fabsl(gap) > 1e-9L)
            TEST_CHECK(found.verdict == (gap > 0 ? ABUT_SEPARATE : ABUT_PENETRATING),
                       "seed %" PRIu64 ": %s, gap %Lg", seed, abut_verdict_name(found.verdict), gap);
        if (found.verdict == ABUT_SEPARATE)
            TEST_CHECK(found.distance.lo - 1e-9 <= gap && gap <= found.distance.hi + 1e-9,
                       "seed %" PRIu64 ": gap %Lg, [%g, %g]", seed, gap, found.distance.lo,
                       found.distance.hi);
        abut_shape_release(shape);
        abut_shape_release(ball);
    }
}

/* abut_overlap and abut_distance must not contradict abut_check, which the columns have judged. */
static void clearances_and_cutoffs(void **state)
{
    (void)state;
    uint64_t stopped = 0;
    const uint64_t count = test_count(1500);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const field f = random_field(&r, false);
        abut_shape *shape = make(&f), *body = random_body(&r);
        const abut_pose at = random_pose(&r, &f);
        abut_check_result full;
        assert_int_equal(abut_check(shape, NULL, body, &at, NULL, NULL, &full), ABUT_OK);
        const double lo = full.distance.lo, hi = full.distance.hi;
        for (int k = 0; k < 4; ++k) {
            const double limit = k == 0   ? 0
                                 : k == 1 ? 0.5 * lo
                                 : k == 2 ? 2 * hi + 0.1
                                          : test_uniform(&r, 0, 2);
            abut_overlap_opts near;
            abut_overlap_opts_init(&near);
            near.clearance = limit;
            abut_overlap_result o, mirrored;
            assert_int_equal(abut_overlap(shape, NULL, body, &at, &near, NULL, &o), ABUT_OK);
            assert_int_equal(abut_overlap(body, &at, shape, NULL, &near, NULL, &mirrored), ABUT_OK);
            const abut_verdict expected = full.verdict == ABUT_PENETRATING || hi < limit ? ABUT_PENETRATING
                                          : full.verdict == ABUT_SEPARATE && lo > limit  ? ABUT_SEPARATE
                                                                                         : ABUT_UNDECIDED;
            TEST_CHECK(expected == ABUT_UNDECIDED || (o.verdict == expected && mirrored.verdict == expected),
                       "seed %" PRIu64 ": %s at clearance %a, distance [%a, %a]", seed,
                       abut_verdict_name(o.verdict), limit, lo, hi);
            abut_distance_opts far;
            abut_distance_opts_init(&far);
            far.cutoff = limit;
            abut_distance_result d;
            assert_int_equal(abut_distance(shape, NULL, body, &at, &far, NULL, &d), ABUT_OK);
            TEST_CHECK(d.verdict == full.verdict, "seed %" PRIu64 ": %s at cutoff %a, distance [%a, %a]",
                       seed, abut_verdict_name(d.verdict), limit, lo, hi);
            TEST_CHECK(d.distance.lo <= hi && d.distance.hi >= lo,
                       "seed %" PRIu64 ": [%a, %a] at cutoff %a, distance [%a, %a]", seed, d.distance.lo,
                       d.distance.hi, limit, lo, hi);
            stopped += d.stop == ABUT_STOP_CUTOFF;
            if (d.stop == ABUT_STOP_CUTOFF)
                TEST_CHECK(d.distance.lo > limit, "seed %" PRIu64 ": stopped at %a, cutoff %a", seed,
                           d.distance.lo, limit);
            else
                TEST_CHECK(d.distance.hi - d.distance.lo <= 1e-11, "seed %" PRIu64 ": width %g", seed,
                           d.distance.hi - d.distance.lo);
        }
        abut_shape_release(shape);
        abut_shape_release(body);
    }
    print_message("%" PRIu64 " stopped at the cutoff\n", stopped);
}

static void standing_on_level_ground(void **state)
{
    (void)state;
    field f = { .columns = 6, .rows = 5, .dx = 1, .dy = 0.7 };
    for (int i = 0; i < 30; ++i)
        f.heights[i] = 0.1;
    abut_shape *shape = make(&f), *body[4];
    assert_int_equal(abut_shape_create_box(v3(0.5, 0.6, 0.25), NULL, &body[0]), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(0.25, NULL, &body[1]), ABUT_OK);
    assert_int_equal(abut_shape_create_cylinder(0.3, 0.5, NULL, &body[2]), ABUT_OK);
    assert_int_equal(abut_shape_create_capsule(0.125, 0.25, NULL, &body[3]), ABUT_OK);
    for (int k = 0; k < 4; ++k)
        for (int step = -1; step <= 1; ++step) {
            /* 0.1 + 0.25 is rounded: the ground is put at z = -0.1 instead, by the pose of the field. */
            const abut_pose ground = { { 0, 0, -0.1 }, { 1, 0, 0, 0 } };
            const abut_pose at = { { 0.1, 0.2, step == 0 ? 0.25 : nextafter(0.25, step > 0 ? 1 : 0) },
                                   { 1, 0, 0, 0 } };
            abut_check_result r;
            assert_int_equal(abut_check(shape, &ground, body[k], &at, NULL, NULL, &r), ABUT_OK);
            assert_int_equal(r.verdict, step < 0    ? ABUT_PENETRATING
                                        : step == 0 ? ABUT_TOUCHING
                                                    : ABUT_SEPARATE);
            assert_int_equal(r.proof, ABUT_PROOF_EXACT);
            if (step == 0) {
                assert_true(r.contact_count >= (k == 0 ? 4 : 1));
                assert_true(r.has_normal && r.normal.z > 0.999999);
            }
        }
    for (int k = 0; k < 4; ++k)
        abut_shape_release(body[k]);
    abut_shape_release(shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_agree),
        cmocka_unit_test(points_agree),
        cmocka_unit_test(segments_are_covered),
        cmocka_unit_test(bodies_agree_with_all_columns),
        cmocka_unit_test(spheres_agree_with_the_definition),
        cmocka_unit_test(clearances_and_cutoffs),
        cmocka_unit_test(standing_on_level_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
