/* SPDX-License-Identifier: MIT */
/* Needles, discs and thin cones, aspects to 1e6, near contact with each other and with every other
 * type: how wide the enclosures of their gaps are, through the public interface. Features (caps,
 * rims, sides, slants, apexes and points on them) are put opposite each other with a gap of 1e-12
 * to 1e-1 of the size, to either side, turned about the normal by chance or so that the axes are
 * parallel or cross, and tilted by 1e-17 to 1e-1; sizes differ by up to 1e6.
 *
 * Nothing may be wrong by the referee of oracle/convex_pair.h, which judges a part of them and
 * all that are wide; no query takes more than 200 evaluations. How many may be wider than 1e-12
 * of the scale is about twice what was seen in 1.5 million pairs. */
#include "abut/abut.h"
#include "oracle/convex_cases.h"

static const double pi = 3.14159265358979323846;

/* ---- bodies ---- */

static double draw_part(test_random *r)
{
    return pow(10, test_uniform(r, -6, 0));
}

static void make_thin(test_random *r, enum type type, double unit, item *out)
{
    if (type != CYLINDER && type != CONE && type != ELLIPSOID && type != BOX && type != CAPSULE) {
        make_item(r, type, ORDINARY, unit, out);
        if (out->body.core == ORACLE_CORE_POINTS)
            out->body.points = out->points;
        return;
    }
    *out = (item){ .type = type, .size = unit };
    oracle_body *b = &out->body;
    const double big = unit * test_uniform(r, .2, 1), small = test_below(r, 4) ? big * draw_part(r) : big;
    const bool needle = test_below(r, 2) == 0;
    const double radius = needle ? small : big, half = needle ? big : small;
    abut_status status = ABUT_OK;
    b->h = (abut_vec3){ radius, 0, half };
    if (type == CYLINDER) {
        b->core = ORACLE_CORE_CYLINDER;
        status = abut_shape_create_cylinder(radius, 2 * half, NULL, &out->shape);
    } else if (type == CONE) {
        b->core = ORACLE_CORE_CONE;
        status = abut_shape_create_cone(radius, 2 * half, NULL, &out->shape);
    } else if (type == CAPSULE) {
        b->core = ORACLE_CORE_POINTS;
        b->points = out->points;
        b->radius = radius;
        b->count = 2;
        out->points[0].z = -half;
        out->points[1].z = half;
        status = abut_shape_create_capsule(radius, 2 * half, NULL, &out->shape);
    } else {
        b->h.y = test_below(r, 2) ? radius : unit * test_uniform(r, .2, 1);
        b->core = type == BOX ? ORACLE_CORE_BOX : ORACLE_CORE_ELLIPSOID;
        status = type == BOX ? abut_shape_create_box(b->h, NULL, &out->shape)
                             : abut_shape_create_ellipsoid(b->h, NULL, &out->shape);
    }
    if (status)
        TEST_FAIL("cannot make a %s: %s", type_names[type], abut_status_name(status));
}

static double size_of(const oracle_body *b)
{
    double most =
        b->core == ORACLE_CORE_POINTS ? 0 : sqrt(b->h.x * b->h.x + b->h.y * b->h.y + b->h.z * b->h.z);
    for (size_t i = 0; b->core == ORACLE_CORE_POINTS && i < b->count; ++i) {
        const abut_vec3 p = b->points[i];
        most = fmax(most, sqrt(p.x * p.x + p.y * p.y + p.z * p.z));
    }
    return most + b->radius + b->margin;
}

/* ---- features ---- */

/* A point of the boundary with one of its normals, in the body's frame. */
typedef struct spot {
    abut_vec3 normal;
    long double point[3];
} spot;

static void set_spot(spot *s, abut_vec3 u, double flat, double along, double r, double z)
{
    s->normal = (abut_vec3){ flat * u.x, flat * u.y, along };
    s->point[0] = r * u.x;
    s->point[1] = r * u.y;
    s->point[2] = z;
}

static void draw_round_spot(test_random *r, const item *it, spot *out)
{
    const double radius = it->body.h.x, half = it->body.h.z, angle = test_uniform(r, 0, 2 * pi);
    const abut_vec3 u = { cos(angle), sin(angle), 0 };
    const bool cone = it->type == CONE;
    const double slope = cone ? atan2(radius, 2 * half) : 0; /* of the normal of the side */
    const unsigned kind = test_below(r, 4);
    const double end = !cone && test_below(r, 2) ? 1 : -1;
    if (kind == 0) {
        set_spot(out, u, 0, end, test_below(r, 4) ? radius * sqrt(test_uniform(r, 0, 1)) : 0, end * half);
        return;
    }
    if (kind == 1) {
        const double t = test_below(r, 4) ? test_uniform(r, -1, 1) : 1 - pow(10, test_uniform(r, -12, 0));
        set_spot(out, u, cos(slope), sin(slope), cone ? radius * (1 - t) / 2 : radius, t * half);
        return;
    }
    /* A rim or an apex: the normal between those beside it, often hardly different from one of
     * them. */
    double part = test_below(r, 3) ? test_uniform(r, 0, 1) : pow(10, test_uniform(r, -12, 0));
    part = test_below(r, 2) ? 1 - part : part;
    const bool apex = cone && kind == 2;
    const double to = apex || end > 0 ? pi / 2 : -pi / 2, turn = slope + part * (to - slope);
    set_spot(out, u, cos(turn), sin(turn), apex ? 0 : radius, apex ? half : end * half);
}

static void draw_spot(test_random *r, const item *it, spot *out)
{
    if (it->type == CYLINDER || it->type == CONE) {
        draw_round_spot(r, it, out);
        return;
    }
    const abut_quat none = { 1, 0, 0, 0 };
    long double d[3];
    out->normal = random_direction(r);
    if (test_below(r, 2)) {
        world_axis(r, none, d);
        out->normal = (abut_vec3){ (double)d[0], (double)d[1], (double)d[2] };
    }
    d[0] = out->normal.x;
    d[1] = out->normal.y;
    d[2] = out->normal.z;
    oracle_convex_support(&it->body, none, d, out->point);
}

/* ---- places ---- */

static abut_quat times(abut_quat p, abut_quat q)
{
    return (abut_quat){ p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
                        p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
                        p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w };
}

static abut_vec3 turned(abut_quat q, abut_vec3 v)
{
    return abut_pose_apply((abut_pose){ { 0, 0, 0 }, q }, v);
}

static abut_vec3 cross3(abut_vec3 a, abut_vec3 b)
{
    return (abut_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static double dot3(abut_vec3 a, abut_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* Takes unit a to unit b. */
static abut_quat rotation_between(abut_vec3 a, abut_vec3 b)
{
    abut_vec3 c = cross3(a, b);
    double w = 1 + dot3(a, b);
    if (w < 1e-6) {
        c = cross3(a, fabs(a.x) < .8 ? (abut_vec3){ 1, 0, 0 } : (abut_vec3){ 0, 1, 0 });
        w = 0;
    }
    return (abut_quat){ w, c.x, c.y, c.z };
}

static abut_quat rotation_about(abut_vec3 n, double angle)
{
    const double s = sin(angle / 2);
    return (abut_quat){ cos(angle / 2), s * n.x, s * n.y, s * n.z };
}

/* About n: what brings the z axis of q beside that of p, as n sees them. */
static double angle_to_parallel(abut_quat p, abut_quat q, abut_vec3 n)
{
    const abut_vec3 z = { 0, 0, 1 }, a = turned(p, z), b = turned(q, z);
    const double da = dot3(a, n), db = dot3(b, n);
    const abut_vec3 ea = { a.x - da * n.x, a.y - da * n.y, a.z - da * n.z };
    const abut_vec3 eb = { b.x - db * n.x, b.y - db * n.y, b.z - db * n.z };
    return atan2(dot3(cross3(eb, ea), n), dot3(ea, eb));
}

static void turn_point(abut_quat q, const long double p[3], long double out[3])
{
    const long double w = q.w, x = q.x, y = q.y, z = q.z, n = w * w + x * x + y * y + z * z;
    const long double m[3][3] = { { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
                                  { 2 * (x * y + w * z), w * w + y * y - x * x - z * z, 2 * (y * z - w * x) },
                                  { 2 * (x * z - w * y), 2 * (y * z + w * x),
                                    w * w + z * z - x * x - y * y } };
    for (int i = 0; i < 3; ++i)
        out[i] = (m[i][0] * p[0] + m[i][1] * p[1] + m[i][2] * p[2]) / n;
}

static void place(test_random *r, query *q)
{
    abut_pose *pa = &q->pair.pose_a, *pb = &q->pair.pose_b;
    spot a, b;
    *pa = (abut_pose){ { 0, 0, 0 }, test_below(r, 4) ? random_rotation(r) : (abut_quat){ 1, 0, 0, 0 } };
    if (test_below(r, 2))
        pa->position = (abut_vec3){ test_uniform(r, -3, 3), test_uniform(r, -3, 3), test_uniform(r, -3, 3) };
    const double size = fmin(size_of(&q->a->body), size_of(&q->b->body));
    const double gap = size * pow(10, test_uniform(r, -12, -1)) * (test_below(r, 3) ? 1 : -1);
    draw_spot(r, q->a, &a);
    draw_spot(r, q->b, &b);
    const abut_vec3 n = turned(pa->rotation, a.normal), back = { -n.x, -n.y, -n.z };
    const unsigned mode = test_below(r, 5);
    long double x[3], y[3];
    if (mode == 0) { /* any rotation: its support point */
        const long double d[3] = { back.x, back.y, back.z };
        pb->rotation = random_rotation(r);
        oracle_convex_support(&q->b->body, pb->rotation, d, y);
    } else {
        abut_quat s = rotation_between(b.normal, back);
        double angle = test_uniform(r, -pi, pi);
        if (mode > 2)
            angle = angle_to_parallel(pa->rotation, s, n) + pi / 2 * test_below(r, 4);
        s = times(rotation_about(n, angle), s);
        if (mode == 2 || mode == 4) {
            const double tilt = pow(10, test_uniform(r, mode == 2 ? -4 : -17, -1));
            const abut_vec3 d = random_direction(r);
            s = times((abut_quat){ 1, tilt * d.x, tilt * d.y, tilt * d.z }, s);
        }
        pb->rotation = s;
        turn_point(s, b.point, y);
    }
    turn_point(pa->rotation, a.point, x);
    pb->position = (abut_vec3){ (double)(pa->position.x + x[0] - y[0] + gap * n.x),
                                (double)(pa->position.y + x[1] - y[1] + gap * n.y),
                                (double)(pa->position.z + x[2] - y[2] + gap * n.z) };
}

/* ---- checks ---- */

static void print_pair(const query *q)
{
    const item *items[2] = { q->a, q->b };
    const abut_pose poses[2] = { q->pair.pose_a, q->pair.pose_b };
    for (int i = 0; i < 2; ++i) {
        const oracle_body *b = &items[i]->body;
        const abut_pose p = poses[i];
        print_error("  %s { %a, %a, %a } radius %a margin %a at { { %a, %a, %a }, { %a, %a, %a, %a } }\n",
                    type_names[items[i]->type], b->h.x, b->h.y, b->h.z, b->radius, b->margin, p.position.x,
                    p.position.y, p.position.z, p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z);
        for (size_t k = 0; b->core == ORACLE_CORE_POINTS && k < b->count; ++k)
            print_error("    { %a, %a, %a },\n", b->points[k].x, b->points[k].y, b->points[k].z);
    }
}

typedef struct answer {
    abut_verdict verdict;
    abut_interval distance;
    double depth; /* at most; infinite where that is not reported */
    abut_vec3 normal;
    uint64_t evaluations;
} answer;

/* True when wide. */
static bool check_answer(const query *q, const answer *a, bool judged, const char *what, uint64_t seed)
{
    if (a->evaluations > 200) {
        print_pair(q);
        TEST_FAIL("seed %" PRIu64 ", %s: %" PRIu64 " evaluations", seed, what, a->evaluations);
    }
    if (a->verdict != ABUT_SEPARATE && a->verdict != ABUT_UNDECIDED)
        return false;
    const abut_vec3 p = q->pair.pose_a.position, s = q->pair.pose_b.position;
    const double scale =
        size_of(&q->a->body) + size_of(&q->b->body) + hypot(hypot(s.x - p.x, s.y - p.y), s.z - p.z);
    const bool apart = a->verdict == ABUT_SEPARATE;
    const double width = apart             ? a->distance.hi - a->distance.lo
                         : isinf(a->depth) ? a->distance.hi
                                           : a->distance.hi + a->depth;
    const bool wide = !(width <= 1e-12 * scale);
    if (!judged && !wide)
        return false;
    const long double lo = apart ? (long double)a->distance.lo : -(long double)a->depth, hi = a->distance.hi;
    const oracle_gap gap = oracle_convex_gap(&q->pair, &a->normal, 1, ORACLE_QUICK, lo, hi);
    if (gap.hi < lo || gap.lo > hi) {
        print_pair(q);
        TEST_FAIL("seed %" PRIu64 ", %s: claimed [%.20Lg, %.20Lg], true [%.20Lg, %.20Lg]", seed, what, lo, hi,
                  gap.lo, gap.hi);
    }
    return wide;
}

static void check_near_contact(void **state)
{
    (void)state;
    static const enum type partners[] = { CYLINDER, CONE,      CYLINDER, CONE,     SPHERE,  BOX,
                                          CAPSULE,  ELLIPSOID, HULL,     TRIANGLE, SEGMENT, SWEPT };
    const uint64_t count = test_count(60000);
    uint64_t asked = 0, wide = 0, wide_round = 0, undecided_wide = 0;
    for (uint64_t i = 0; i < count; ++i) {
        test_random r = test_seed(i);
        item items[2];
        const unsigned first = test_below(&r, 2);
        make_thin(&r, test_below(&r, 2) ? CYLINDER : CONE, 1, &items[first]);
        make_thin(&r, partners[test_below(&r, 12)], test_below(&r, 4) ? 1 : pow(10, test_uniform(&r, -6, 6)),
                  &items[1 - first]);
        for (int k = 0; k < 2; ++k)
            if (items[k].body.core == ORACLE_CORE_POINTS)
                items[k].body.points = items[k].points;
        query q = { .a = &items[0], .b = &items[1], .pair = { .a = &items[0].body, .b = &items[1].body } };
        place(&r, &q);
        abut_check_result c;
        abut_distance_result d;
        assert_int_equal(
            abut_check(items[0].shape, &q.pair.pose_a, items[1].shape, &q.pair.pose_b, NULL, NULL, &c),
            ABUT_OK);
        assert_int_equal(
            abut_distance(items[0].shape, &q.pair.pose_a, items[1].shape, &q.pair.pose_b, NULL, NULL, &d),
            ABUT_OK);
        const answer all = { c.verdict, c.distance, c.depth.hi, c.normal, c.counters.evaluations };
        const answer one = { d.verdict, d.distance, INFINITY, d.normal, d.counters.evaluations };
        const bool judged = i % 16 == 0;
        const bool wide_all = check_answer(&q, &all, judged, "check", i);
        const bool wide_one = check_answer(&q, &one, judged, "distance", i);
        ++asked;
        wide += wide_one || (wide_all && c.verdict == ABUT_SEPARATE);
        undecided_wide += wide_all && c.verdict == ABUT_UNDECIDED;
        wide_round += (wide_one || (wide_all && c.verdict == ABUT_SEPARATE)) &&
                      (items[1 - first].type == CYLINDER || items[1 - first].type == CONE);
        abut_shape_release(items[0].shape);
        abut_shape_release(items[1].shape);
    }
    print_message("%" PRIu64 " pairs, wider than 1e-12: %" PRIu64 " distances (%" PRIu64
                  " of cylinders and cones), %" PRIu64 " undecided\n",
                  asked, wide, wide_round, undecided_wide);
    const double n = (double)asked;
    TEST_CHECK((double)wide <= 4 + 1.5e-4 * n, "%" PRIu64 " distances are wide", wide);
    TEST_CHECK((double)wide_round <= 3 + 6e-5 * n, "%" PRIu64 " distances of cylinders and cones are wide",
               wide_round);
    TEST_CHECK((double)undecided_wide <= 8 + 5e-4 * n, "%" PRIu64 " undecided ones are wide", undecided_wide);
}

/* ---- cases that were wide ---- */

static const struct {
    bool cone; /* of b */
    double ra, ha, rb, hb;
    abut_pose a, b;
} known[] = {
    { false,
      0.72497204102417101,
      0.1150056998051133,
      0.00051011018309915696,
      0.46933375126606558,
      { { 2.9545080742886798, 2.9776483102740521, 2.4222377115710225 }, { 0, 1, 0, 0 } },
      { { 3.6228569812474807, 2.460796476005719, 2.3646441779536875 }, { 0.5, 0.5, 0.5, -0.5 } } },
    { true,
      0.0019405447531053409,
      0.75119606712826048,
      1.7673387196156964,
      1.1216613785973095,
      { { -1.1447879781960122, -2.2173931303947185, -1.6873493406083317 }, { 0.5, 0.5, 0.5, -0.5 } },
      { { 0.61259116268042457, -1.6364965407318657, -1.1260852872497051 }, { 1, 0, 0, 0 } } },
};

static void check_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        item items[2] = { { .type = CYLINDER }, { .type = known[i].cone ? CONE : CYLINDER } };
        items[0].body =
            (oracle_body){ .core = ORACLE_CORE_CYLINDER, .h = { known[i].ra, 0, known[i].ha / 2 } };
        items[1].body = (oracle_body){ .core = known[i].cone ? ORACLE_CORE_CONE : ORACLE_CORE_CYLINDER,
                                       .h = { known[i].rb, 0, known[i].hb / 2 } };
        abut_status status = abut_shape_create_cylinder(known[i].ra, known[i].ha, NULL, &items[0].shape);
        assert_int_equal(status, ABUT_OK);
        status = known[i].cone ? abut_shape_create_cone(known[i].rb, known[i].hb, NULL, &items[1].shape)
                               : abut_shape_create_cylinder(known[i].rb, known[i].hb, NULL, &items[1].shape);
        assert_int_equal(status, ABUT_OK);
        const query q = {
            .a = &items[0],
            .b = &items[1],
            .pair = { &items[0].body, &items[1].body, known[i].a, known[i].b },
        };
        abut_check_result c;
        assert_int_equal(abut_check(items[0].shape, &known[i].a, items[1].shape, &known[i].b, NULL, NULL, &c),
                         ABUT_OK);
        const answer all = { c.verdict, c.distance, c.depth.hi, c.normal, c.counters.evaluations };
        TEST_CHECK(!check_answer(&q, &all, true, "known", i), "case %zu: [%.17g, %.17g]", i, c.distance.lo,
                   c.distance.hi);
        abut_shape_release(items[0].shape);
        abut_shape_release(items[1].shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_known),
        cmocka_unit_test(check_near_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
