/* SPDX-License-Identifier: MIT */
/* Curves against surfaces, judged by exact rationals (test/oracle/cad_roots.h): every common point is in a hit of
 * the right kind and place, no hit is false, and what has few bits is decided: tangents, ends on surfaces, curves in
 * surfaces, apexes. */
#include "abut/intersect.h"
#include "oracle/cad_roots.h"
#include "support/test.h"

typedef struct sample {
    abut_curve curve;
    abut_solid_surface surface;
    abut_vec3 vertices[2], points[7];
    bool few_bits;
} sample;

typedef struct tally {
    uint64_t cases, hits, transversal, tangent, undecided, ends, contained, open;
} tally;

static const char *const edge_names[] = { "none", "line", "circle", "conic", "intersection", "spline" };

/* ---- cases ---- */

static const abut_vec3 axes[] = { { 1, 0, 0 }, { 0, 1, 0 },  { 0, 0, 1 },   { 3, 4, 0 },
                                  { 1, 2, 2 }, { 2, -3, 6 }, { -2, 1, -2 }, { 0, 0, -3 } };

static double coordinate(test_random *r, bool few)
{
    return few ? 0.5 * ((double)test_below(r, 9) - 4) : test_uniform(r, -2, 2);
}

static abut_vec3 place(test_random *r, bool few)
{
    return (abut_vec3){ coordinate(r, few), coordinate(r, few), coordinate(r, few) };
}

static abut_vec3 axis_of(test_random *r, bool few)
{
    if (few)
        return axes[test_below(r, sizeof axes / sizeof *axes)];
    for (;;) {
        const abut_vec3 v = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
        const double n = v.x * v.x + v.y * v.y + v.z * v.z;
        if (n > 0.05 && n < 1)
            return v;
    }
}

static double size_of(test_random *r, bool few)
{
    static const double sizes[] = { 0.5, 1, 1.5, 2, 0.75, 2.5 };
    return few ? sizes[test_below(r, 6)] : test_uniform(r, 0.2, 2);
}

static abut_vec3 cross(abut_vec3 a, abut_vec3 b)
{
    return (abut_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static abut_vec3 along(abut_vec3 a, double s, abut_vec3 b)
{
    return (abut_vec3){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static void make_surface(test_random *r, abut_solid_surface_kind kind, bool few, abut_solid_surface *s)
{
    *s = (abut_solid_surface){ .kind = kind, .point = place(r, few), .axis = axis_of(r, few) };
    s->radius = size_of(r, few);
    s->tangent = size_of(r, few);
    if (kind == ABUT_SOLID_TORUS) {
        s->minor = s->radius;
        s->radius += size_of(r, few);
    }
    if (kind == ABUT_SOLID_QUADRIC)
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j <= i; ++j)
                s->matrix[i][j] = s->matrix[j][i] =
                    few ? (i == j || test_below(r, 4) == 0 ? (double)test_below(r, 5) - 2 : 0)
                        : coordinate(r, few);
}

/* A point of the surface, where it has one of few bits that is easily named. */
static abut_vec3 point_on(test_random *r, const abut_solid_surface *s)
{
    abut_vec3 u = cross(s->axis, axes[test_below(r, 3)]);
    const double n = sqrt(u.x * u.x + u.y * u.y + u.z * u.z),
                 a = sqrt(s->axis.x * s->axis.x + s->axis.y * s->axis.y + s->axis.z * s->axis.z);
    if (!(n > 0))
        return s->point;
    switch (s->kind) {
    case ABUT_SOLID_PLANE: return along(s->point, 0.5, u);
    case ABUT_SOLID_SPHERE: return along(s->point, s->radius / n, u);
    case ABUT_SOLID_CYLINDER: return along(along(s->point, s->radius / n, u), 0.5, s->axis);
    case ABUT_SOLID_CONE: return along(along(s->point, a * s->tangent / n, u), 1, s->axis);
    case ABUT_SOLID_TORUS:
        return test_below(r, 2) ? along(s->point, (s->radius + s->minor) / n, u)
                                : along(along(s->point, s->radius / n, u), s->minor / a, s->axis);
    default: return (abut_vec3){ 0, 0, 0 };
    }
}

static void make_curve(test_random *r, abut_solid_edge_kind kind, bool few, sample *c)
{
    c->curve =
        (abut_curve){ .edge = { .kind = kind, .from = 0, .to = 1, .weight = 1 }, .vertices = c->vertices };
    abut_solid_edge *e = &c->curve.edge;
    const abut_solid_surface *s = &c->surface;
    c->vertices[0] = place(r, few);
    do
        c->vertices[1] = place(r, few);
    while (memcmp(&c->vertices[0], &c->vertices[1], sizeof c->vertices[0]) == 0);
    const unsigned trick = test_below(r, 6);
    if (trick == 0)
        c->vertices[0] = point_on(r, s);
    else if (trick == 1)
        c->vertices[1] = point_on(r, s);
    if (kind == ABUT_SOLID_EDGE_LINE && trick == 2) {
        /* Along the surface from a point of it, both ways: tangent, or in it. */
        const abut_vec3 at = point_on(r, s), d = axis_of(r, few);
        c->vertices[0] = along(at, -1, d);
        c->vertices[1] = along(at, 2, d);
    } else if (kind == ABUT_SOLID_EDGE_LINE && trick == 3) {
        c->vertices[0] = along(s->point, -0.5, axes[test_below(r, 8)]);
        c->vertices[1] = along(s->point, 1, s->axis);
    }
    if (kind == ABUT_SOLID_EDGE_CIRCLE) {
        e->center = trick == 2 ? s->point : place(r, few);
        e->axis = trick == 3 || trick == 2 ? s->axis : axis_of(r, few);
        abut_vec3 u = cross(e->axis, axis_of(r, few));
        if (u.x == 0 && u.y == 0 && u.z == 0)
            u = (abut_vec3){ e->axis.y, -e->axis.x, e->axis.z == 0 ? 0 : 1 };
        if (u.x == 0 && u.y == 0)
            u.x = 1;
        c->vertices[0] = along(e->center, few ? 0.5 : size_of(r, few), u);
        if (trick == 4) {
            /* Through a point of the surface, from a centre beside it: tangent now and then. */
            c->vertices[0] = point_on(r, s);
            e->center = test_below(r, 2) ? along(c->vertices[0], 0.5, u) : s->point;
        }
        e->to = test_below(r, 3) ? 0 : 1;
        /* The end of an arc: a quarter, or half a turn. */
        const abut_vec3 y = cross(e->axis, u);
        const double n = sqrt(e->axis.x * e->axis.x + e->axis.y * e->axis.y + e->axis.z * e->axis.z);
        const double k = few ? 0.5 : 0.3;
        c->vertices[1] = test_below(r, 2) ? along(e->center, k / n, y) : along(e->center, -k, u);
    } else if (kind == ABUT_SOLID_EDGE_CONIC) {
        e->control = place(r, few);
        e->weight = few ? 0.25 * (1 + test_below(r, 8)) : test_uniform(r, 0.1, 4);
    } else if (kind == ABUT_SOLID_EDGE_SPLINE) {
        const int pieces = 1 + (int)test_below(r, 2);
        for (int i = 0; i <= 3 * pieces; ++i)
            c->points[i] = place(r, few);
        if (trick == 2)
            c->points[3] = point_on(r, s);
        e->points = c->points;
        e->point_count = (size_t)(3 * pieces + 1);
        c->vertices[0] = c->points[0];
        c->vertices[1] = c->points[3 * pieces];
    }
}

/* ---- judging ---- */

static bool in_box(const cad_root *root, const abut_interval_vec3 *box)
{
    const abut_interval x[3] = { box->x, box->y, box->z };
    mpq_t t, slack;
    mpq_inits(t, slack, NULL);
    mpq_set_d(slack, 0x1p-80);
    bool in = true;
    for (int i = 0; i < 3 && in; ++i) {
        if (isfinite(x[i].lo)) {
            mpq_set_d(t, x[i].lo);
            mpq_sub(t, t, slack);
            in = mpq_cmp(root->point[i], t) >= 0;
        }
        if (isfinite(x[i].hi)) {
            mpq_set_d(t, x[i].hi);
            mpq_add(t, t, slack);
            in = in && mpq_cmp(root->point[i], t) <= 0;
        }
    }
    mpq_clears(t, slack, NULL);
    return in;
}

static double angle_of(const cad_root *root)
{
    const double pi = 3.14159265358979323846;
    const double a = root->far ? pi : 2 * atan(root->at);
    return a < 0 ? a + 2 * pi : a;
}

static bool in_range(const cad_root *root, double t, abut_interval x)
{
    if (isnan(t)) { /* a parameter as the polynomial has it */
        mpq_t v;
        mpq_init(v);
        mpq_set_d(v, x.hi);
        bool in = mpq_cmp(root->lo, v) < 0;
        mpq_set_d(v, x.lo);
        in = in && mpq_cmp(root->hi, v) >= 0;
        mpq_clear(v);
        return in;
    }
    return (t >= x.lo - 1e-14 && t <= x.hi + 1e-14) || (t + 6.283185307179586 <= x.hi + 1e-14) ||
           (t - 6.283185307179586 >= x.lo - 1e-14);
}

/* Where on the edge: -1 off it, 0 inside, 1 start, 2 end, 3 too near to an end to be said in doubles. */
static int where(const sample *c, const cad_root *root)
{
    const abut_solid_edge *e = &c->curve.edge;
    if (e->kind != ABUT_SOLID_EDGE_CIRCLE) {
        /* A root in (lo, hi] that is 0 or 1 has hi within 2^-160 of it. */
        mpq_t t;
        mpq_init(t);
        mpq_set(t, root->hi);
        int at = 0;
        for (int end = 0; end < 2; ++end) {
            mpq_set_si(t, end, 1);
            mpq_sub(t, root->hi, t);
            at = fabs(mpq_get_d(t)) < 0x1p-155 ? end + 1
                 : at                          ? at
                 : mpq_sgn(t) < 0              ? (end ? 0 : -1)
                                               : (end ? -1 : 0);
        }
        mpq_clear(t);
        return at;
    }
    const double a = angle_of(root);
    if (root->far ? 0 : fabs(root->at) < 0x1p-155)
        return 1;
    if (a < 1e-9 || a > 6.283185307179586 - 1e-9)
        return e->from == e->to ? 0 : 3;
    if (e->from == e->to)
        return 0;
    const abut_vec3 x = along(c->vertices[0], -1, e->center), d = along(c->vertices[1], -1, e->center);
    const abut_vec3 y = cross(e->axis, x);
    const double n = sqrt(e->axis.x * e->axis.x + e->axis.y * e->axis.y + e->axis.z * e->axis.z);
    double end = atan2((y.x * d.x + y.y * d.y + y.z * d.z) / n, x.x * d.x + x.y * d.y + x.z * d.z);
    if (end < 0)
        end += 6.283185307179586;
    return fabs(a - end) < 1e-9 ? 3 : a < end ? 0 : -1;
}

static void fail_case(const sample *c, const char *what, uint64_t seed)
{
    const abut_solid_edge *e = &c->curve.edge;
    print_error("%s against %s, seed %" PRIu64 ": %s\n", edge_names[e->kind],
                abut_solid_surface_name(c->surface.kind), seed, what);
    for (int i = 0; i < 2; ++i)
        print_error("vertex %a %a %a\n", c->vertices[i].x, c->vertices[i].y, c->vertices[i].z);
    print_error("centre %a %a %a, axis %a %a %a, control %a %a %a, weight %a\n", e->center.x, e->center.y,
                e->center.z, e->axis.x, e->axis.y, e->axis.z, e->control.x, e->control.y, e->control.z,
                e->weight);
    const abut_solid_surface *s = &c->surface;
    TEST_FAIL("surface at %a %a %a, axis %a %a %a, %a, %a, %a", s->point.x, s->point.y, s->point.z, s->axis.x,
              s->axis.y, s->axis.z, s->radius, s->minor, s->tangent);
}

static void judge(const sample *c, uint64_t seed, tally *sum)
{
    enum { MOST = 2 * CAD_ROOTS_MOST };
    abut_curve_hit hits[MOST];
    abut_curve_hits found;
    const abut_solid_edge *e = &c->curve.edge;
    assert_int_equal(abut_intersect_curve(&c->curve, &c->surface, hits, MOST, &found), ABUT_OK);
    if (found.count > MOST)
        fail_case(c, "too many hits", seed);
    const uint32_t pieces = e->kind == ABUT_SOLID_EDGE_SPLINE ? (uint32_t)(e->point_count - 1) / 3 : 1;
    const bool circle = e->kind == ABUT_SOLID_EDGE_CIRCLE;
    bool contained = false;
    int in_hit[MOST] = { 0 }, roots_in_hit[MOST] = { 0 };
    for (uint32_t piece = 0; piece < pieces; ++piece) {
        cad_roots roots;
        cad_roots_find(&c->curve, piece, &c->surface, &roots);
        contained = contained || roots.contained;
        for (int i = 0; i < roots.count; ++i) {
            const cad_root *root = &roots.root[i];
            const int at = where(c, root);
            int owner = -1;
            for (size_t k = 0; k < found.count; ++k)
                if (hits[k].piece == piece &&
                    in_range(root, circle ? angle_of(root) : NAN, hits[k].parameter) &&
                    in_box(root, &hits[k].point)) {
                    owner = (int)k;
                    if (!circle || at == 0 || (at == 1) == (hits[k].place == ABUT_HIT_START))
                        break;
                }
            if (owner >= 0) {
                in_hit[owner] += root->multiplicity;
                ++roots_in_hit[owner];
                if (root->nappe < 0 && hits[owner].kind != ABUT_HIT_UNDECIDED)
                    fail_case(c, "a hit on the other nappe", seed);
                const abut_hit_place said = hits[owner].place;
                if (said != ABUT_HIT_NEAR_END && at != 3 &&
                    (int)said != (at < 0                              ? 9
                                  : at == 2 && said == ABUT_HIT_START ? 0
                                                                      : at)) {
                    print_error("place %d kind %d, t [%a, %a], at %d, t = %a\n", (int)said,
                                (int)hits[owner].kind, hits[owner].parameter.lo, hits[owner].parameter.hi, at,
                                root->at);
                    fail_case(c, "a hit in the wrong place", seed);
                }
                sum->ends += said == ABUT_HIT_START || said == ABUT_HIT_END;
            } else if (at >= 0 && at != 3 && root->nappe >= 0)
                fail_case(c, "a common point is missing", seed);
        }
        cad_roots_clear(&roots);
    }
    for (size_t k = 0; k < found.count; ++k) {
        const abut_curve_hit *h = &hits[k];
        const bool fits = h->kind == ABUT_HIT_TRANSVERSAL ? in_hit[k] == 1 && roots_in_hit[k] == 1
                          : h->kind == ABUT_HIT_TANGENT ? in_hit[k] == h->multiplicity && roots_in_hit[k] == 1
                                                        : in_hit[k] <= h->multiplicity;
        if (!fits && !contained)
            fail_case(c, "a hit of the wrong kind", seed);
        sum->transversal += h->kind == ABUT_HIT_TRANSVERSAL;
        sum->tangent += h->kind == ABUT_HIT_TANGENT;
        sum->undecided += h->kind == ABUT_HIT_UNDECIDED;
    }
    if (found.contained && !contained)
        fail_case(c, "said to be contained, and is not", seed);
    sum->contained += found.contained;
    sum->hits += found.count;
    sum->open += !found.decided;
    ++sum->cases;
}

static void run(abut_solid_edge_kind edge, abut_solid_surface_kind surface, uint64_t count, tally sum[2])
{
    for (uint64_t n = 0; n < count; ++n) {
        const uint64_t seed = n * 64 + (uint64_t)edge * 8 + (uint64_t)surface;
        test_random r = test_seed(seed);
        sample c = { .few_bits = n % 2 };
        make_surface(&r, surface, c.few_bits, &c.surface);
        make_curve(&r, edge, c.few_bits, &c);
        judge(&c, seed, &sum[c.few_bits]);
    }
}

static void test_pairs(void **state)
{
    (void)state;
    static const abut_solid_edge_kind edges[] = { ABUT_SOLID_EDGE_LINE, ABUT_SOLID_EDGE_CIRCLE,
                                                  ABUT_SOLID_EDGE_CONIC, ABUT_SOLID_EDGE_SPLINE };
    for (int e = 0; e < 4; ++e)
        for (int s = ABUT_SOLID_PLANE; s <= ABUT_SOLID_QUADRIC; ++s) {
            tally sum[2] = { { 0 } };
            run(edges[e], (abut_solid_surface_kind)s, test_count(300), sum);
            for (int few = 0; few < 2; ++few)
                print_message("%-7s %-8s %s: %4" PRIu64 " cases, %5" PRIu64 " transversal, %4" PRIu64
                              " tangent, %3" PRIu64 " undecided, %3" PRIu64 " contained, %3" PRIu64
                              " at ends, %3" PRIu64 " open\n",
                              edge_names[edges[e]], abut_solid_surface_name((abut_solid_surface_kind)s),
                              few ? "few bits" : "random  ", sum[few].cases, sum[few].transversal,
                              sum[few].tangent, sum[few].undecided, sum[few].contained, sum[few].ends,
                              sum[few].open);
            /* Random data has ends on surfaces, up to rounding; circles of few bits may have irrational axes. */
            TEST_CHECK(sum[1].open * 20 <= sum[1].cases, "%s against %s: too much is left open",
                       edge_names[edges[e]], abut_solid_surface_name((abut_solid_surface_kind)s));
        }
}

/* What the answer is, without a referee. */
static void expect(const abut_curve *curve, const abut_solid_surface *surface, size_t count,
                   abut_hit_kind kind, int multiplicity, bool contained)
{
    abut_curve_hit hits[12];
    abut_curve_hits found;
    assert_int_equal(abut_intersect_curve(curve, surface, hits, 12, &found), ABUT_OK);
    assert_true(found.decided);
    assert_int_equal(found.count, count);
    assert_int_equal(found.contained, contained);
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(hits[i].kind, kind);
        assert_int_equal(hits[i].multiplicity, multiplicity);
        assert_int_equal(hits[i].place, ABUT_HIT_INSIDE);
        assert_true(i == 0 || hits[i - 1].parameter.hi < hits[i].parameter.lo);
    }
}

/* Tangents that rounding would tell either way: one unit in the last place off, they are none. */
static void test_tangents(void **state)
{
    (void)state;
    abut_vec3 v[2] = { { -1, 1.5, 0.25 }, { 2, 1.5, 0.25 } };
    abut_curve line = { .edge = { .kind = ABUT_SOLID_EDGE_LINE, .from = 0, .to = 1 }, .vertices = v };
    abut_solid_surface s = { .kind = ABUT_SOLID_CYLINDER, .axis = { 0, 0, 1 }, .radius = 1.5 };
    expect(&line, &s, 1, ABUT_HIT_TANGENT, 2, false);
    v[0].y = nextafter(1.5, 2);
    v[1].y = v[0].y;
    expect(&line, &s, 0, ABUT_HIT_TANGENT, 2, false);
    v[0].y = v[1].y = nextafter(1.5, 1);
    expect(&line, &s, 2, ABUT_HIT_TRANSVERSAL, 1, false);
    /* Along a ruling; beside it. */
    v[0] = (abut_vec3){ 0.9, 1.2, -3 };
    v[1] = (abut_vec3){ 0.9, 1.2, 4 };
    s.radius = 1.5;
    expect(&line, &s, 0, ABUT_HIT_TANGENT, 2,
           false); /* 0.9 and 1.2 are no sides of a right triangle in doubles */
    v[0] = (abut_vec3){ 3, 4, -3 };
    v[1] = (abut_vec3){ 3, 4, 4 };
    s.radius = 5;
    expect(&line, &s, 0, ABUT_HIT_TANGENT, 2, true);
    /* The top of a torus: a line across it touches twice; one through the hole's edge. */
    s = (abut_solid_surface){ .kind = ABUT_SOLID_TORUS, .axis = { 0, 0, 2 }, .radius = 3, .minor = 1 };
    v[0] = (abut_vec3){ -8, 0, 1 };
    v[1] = (abut_vec3){ 9, 0, 1 };
    expect(&line, &s, 2, ABUT_HIT_TANGENT, 2, false);
    v[0] = (abut_vec3){ 2, -8, 0 };
    v[1] = (abut_vec3){ 2, 9, 0 };
    v[0].x = v[1].x = 4;
    expect(&line, &s, 1, ABUT_HIT_TANGENT, 2, false);
    /* A circle about the torus's axis: on its top all along; a circle across it in a ball of its tube. */
    v[0] = (abut_vec3){ 3, 0, 1 };
    abut_curve circle = {
        .edge = { .kind = ABUT_SOLID_EDGE_CIRCLE, .axis = { 0, 0, 1 }, .center = { 0, 0, 1 } }, .vertices = v
    };
    expect(&circle, &s, 0, ABUT_HIT_TANGENT, 2, true);
    circle.edge.center = (abut_vec3){ 3, 0, 0 };
    circle.edge.axis = (abut_vec3){ 0, -1, 0 };
    v[0] = (abut_vec3){ 4, 0, 0 };
    expect(&circle, &s, 0, ABUT_HIT_TANGENT, 2, true); /* the section itself */
    circle.edge.center = (abut_vec3){ 4.5, 0, 0 };
    v[0] = (abut_vec3){ 5, 0, 0 };
    expect(&circle, &s, 1, ABUT_HIT_TANGENT, 2, false);
    /* A ball on a plate: great circle and plane. */
    s = (abut_solid_surface){ .kind = ABUT_SOLID_PLANE, .point = { 7, -2, 0.5 }, .axis = { 0, 0, 3 } };
    circle.edge.center = (abut_vec3){ 0, 0, 1.25 };
    circle.edge.axis = (abut_vec3){ 3, 4, 0 };
    v[0] = (abut_vec3){ 0, 0, 2 };
    expect(&circle, &s, 1, ABUT_HIT_TANGENT, 2, false);
    /* A cubic that crosses the plane at an inflection with its tangent in it. */
    const abut_vec3 bezier[4] = { { 0, 0, 0.375 }, { 1, 0, 0.625 }, { 2, 0, 0.375 }, { 3, 0, 0.625 } };
    abut_curve spline = { .edge = { .kind = ABUT_SOLID_EDGE_SPLINE, .points = bezier, .point_count = 4 } };
    s.point.z = 0.5;
    expect(&spline, &s, 1, ABUT_HIT_TANGENT, 3, false);
}

static void test_arguments(void **state)
{
    (void)state;
    const abut_vec3 v[2] = { { 0, 0, 0 }, { 1, 0, 0 } };
    abut_curve line = { .edge = { .kind = ABUT_SOLID_EDGE_LINE, .from = 0, .to = 1 }, .vertices = v };
    abut_solid_surface s = { .kind = ABUT_SOLID_SPHERE, .radius = 0.5 };
    abut_curve_hits found;
    assert_int_equal(abut_intersect_curve(&line, &s, NULL, 0, &found), ABUT_OK);
    assert_int_equal(found.count, 1);
    assert_int_equal(abut_intersect_curve(&line, &s, NULL, 2, &found), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_intersect_curve(NULL, &s, NULL, 0, &found), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_intersect_curve(&line, &s, NULL, 0, NULL), ABUT_ERR_ARGUMENT);
    s.radius = -1;
    assert_int_equal(abut_intersect_curve(&line, &s, NULL, 0, &found), ABUT_ERR_VALUE);
    s.radius = HUGE_VAL;
    assert_int_equal(abut_intersect_curve(&line, &s, NULL, 0, &found), ABUT_ERR_VALUE);
    s = (abut_solid_surface){ .kind = ABUT_SOLID_PLANE };
    assert_int_equal(abut_intersect_curve(&line, &s, NULL, 0, &found), ABUT_ERR_VALUE);
    s = (abut_solid_surface){ .kind = ABUT_SOLID_SPHERE, .radius = 0.5 };
    line.edge.kind = ABUT_SOLID_EDGE_SPLINE;
    assert_int_equal(abut_intersect_curve(&line, &s, NULL, 0, &found), ABUT_ERR_VALUE);
    assert_string_equal(abut_hit_kind_name(ABUT_HIT_TANGENT), "tangent");
    assert_string_equal(abut_hit_kind_name((abut_hit_kind)17), "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_tangents), cmocka_unit_test(test_arguments),
                                        cmocka_unit_test(test_pairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
