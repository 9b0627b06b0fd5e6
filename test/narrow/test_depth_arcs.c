/* SPDX-License-Identifier: MIT */
/* Depths with whole arcs of least directions: a corner, an apex or a point of a rim on the axis
 * that the other body is turned about. Polygons on the sphere lose too much along them, so that
 * such depths stayed 1e-4 to 4e-3 of themselves wide.
 *
 * Bodies made to have an arc are held against the depth of that point in the solid, in closed
 * form; bodies on a lattice, which has such arcs in one place of a thousand, against the
 * shallowest direction that a search in long double over oracle/convex_pair.h finds; and the
 * proof over one cell, by itself, against directions in it. */
#include "abut/abut.h"
#include "narrow/depth/depth.h"
#include "oracle/convex_pair.h"
#include "support/places.h"
#include "support/test.h"

enum kind { BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL, KINDS };

static const char *const names[KINDS] = { "box", "capsule", "cylinder", "cone", "ellipsoid", "hull" };

enum { MOST_POINTS = 8 };

typedef struct body {
    enum kind kind;
    abut_shape *shape;
    abut_vec3 points[MOST_POINTS];
    oracle_body oracle;
} body;

static double size_of(const body *b)
{
    return b->oracle.h.x + b->oracle.h.y + b->oracle.h.z + b->oracle.radius;
}

/* h as in oracle_body; of a capsule x is the radius. */
static void make(body *b, enum kind kind, abut_vec3 h)
{
    abut_status status = ABUT_OK;
    b->kind = kind;
    b->oracle = (oracle_body){ .h = h };
    switch (kind) {
    case BOX:
        b->oracle.core = ORACLE_CORE_BOX;
        status = abut_shape_create_box(h, NULL, &b->shape);
        break;
    case CAPSULE:
        b->points[0] = v3(0, 0, -h.z);
        b->points[1] = v3(0, 0, h.z);
        b->oracle.core = ORACLE_CORE_POINTS;
        b->oracle.points = b->points;
        b->oracle.count = 2;
        b->oracle.radius = h.x;
        status = abut_shape_create_capsule(h.x, 2 * h.z, NULL, &b->shape);
        break;
    case CYLINDER:
        b->oracle.core = ORACLE_CORE_CYLINDER;
        status = abut_shape_create_cylinder(h.x, 2 * h.z, NULL, &b->shape);
        break;
    case CONE:
        b->oracle.core = ORACLE_CORE_CONE;
        status = abut_shape_create_cone(h.x, 2 * h.z, NULL, &b->shape);
        break;
    default: b->oracle.core = ORACLE_CORE_ELLIPSOID; status = abut_shape_create_ellipsoid(h, NULL, &b->shape);
    }
    assert_int_equal(status, ABUT_OK);
}

/* Tetrahedra about a corner at the origin, and anything else of small numbers. */
static void make_hull(test_random *r, body *b, bool corner)
{
    double volume = 0;
    b->kind = HULL;
    while (!(volume > 0)) {
        const size_t count = 4 + test_below(r, MOST_POINTS - 3);
        for (size_t i = 0; i < count; ++i)
            b->points[i] = v3(0.25 * small_integer(r), 0.25 * small_integer(r), 0.25 * small_integer(r));
        if (corner) {
            b->points[0] = v3(0, 0, 0);
            for (size_t i = 1; i < count; ++i) /* above a plane that touches it there alone */
                b->points[i].z = 0.25 + 0.25 * (double)test_below(r, 4);
        }
        b->oracle = (oracle_body){ .core = ORACLE_CORE_POINTS, .points = b->points, .count = count };
        b->oracle.h = v3(1, 1, 1);
        for (size_t i = 3; i < count; ++i) {
            const abut_vec3 o = b->points[0], x = abut_sub(b->points[1], o), y = abut_sub(b->points[2], o),
                            z = abut_sub(b->points[i], o);
            volume = fmax(volume, fabs(abut_dot(abut_cross(x, y), z)));
        }
    }
    assert_int_equal(abut_shape_create_convex(b->points, b->oracle.count, 0, NULL, &b->shape, NULL), ABUT_OK);
}

/* f along n, from a to b. */
static long double depth_along(const oracle_convex *pair, abut_vec3 n)
{
    long double error;
    return -oracle_convex_separation(pair, n, &error);
}

/* The shallowest direction found from n on and from some others. */
static long double search_depth(test_random *r, const oracle_convex *pair, abut_vec3 n)
{
    long double least = depth_along(pair, n);
    for (int start = 0; start < 8; ++start) {
        abut_vec3 at = start == 0 ? n : abut_unit_or(random_vec3(r, 1), n);
        long double f = depth_along(pair, at);
        for (double step = start == 0 ? 1e-3 : 0.5; step > 1e-9; step *= 0.5)
            for (int i = 0; i < 5; ++i) {
                const abut_vec3 to = abut_unit_or(abut_madd(at, step, random_vec3(r, 1)), at);
                const long double value = depth_along(pair, to);
                if (value < f) {
                    f = value;
                    at = to;
                }
            }
        least = fminl(least, f);
    }
    return least;
}

/* Of pairs that are not quite where they have an arc. */
static uint64_t near_asked, near_wide;

/* truth: within `off` of the sizes, or -1 where it is not known. */
static void check_pair(uint64_t seed, test_random *r, const body bodies[2], const abut_pose poses[2],
                       long double truth, double off, bool search)
{
    for (int i = 0; i < 2; ++i) {
        const body *a = &bodies[i], *b = &bodies[!i];
        abut_check_result c;
        assert_int_equal(abut_check(a->shape, &poses[i], b->shape, &poses[!i], NULL, NULL, &c), ABUT_OK);
        TEST_CHECK(c.counters.evaluations <= 200, "seed %" PRIu64 ": %" PRIu64, seed, c.counters.evaluations);
        if (c.verdict != ABUT_PENETRATING || !c.has_depth || c.depth.hi < 1e-6 * size_of(a)) {
            TEST_CHECK(!(truth > 0), "seed %" PRIu64 ": %s", seed, abut_verdict_name(c.verdict));
            continue;
        }
        const double size = size_of(a) + size_of(b);
        const bool narrow = c.depth.hi - c.depth.lo <= fmax(1e-9 * c.depth.hi, 1e-12 * size);
        near_asked += off > 0;
        near_wide += off > 0 && !narrow;
        TEST_CHECK(narrow || off > 0, "seed %" PRIu64 ", %s - %s: [%.17g, %.17g] is %g wide", seed,
                   names[a->kind], names[b->kind], c.depth.lo, c.depth.hi, c.depth.hi - c.depth.lo);
        const long double slack = (1e-14L + off) * size;
        if (truth > 0)
            TEST_CHECK(c.depth.lo <= truth + slack && truth - slack <= c.depth.hi,
                       "seed %" PRIu64 ", %s - %s: [%.17g, %.17g], truth %.20Lg", seed, names[a->kind],
                       names[b->kind], c.depth.lo, c.depth.hi, truth);
        if (!search)
            continue;
        const oracle_convex pair = { &a->oracle, &b->oracle, poses[i], poses[!i] };
        const long double above = search_depth(r, &pair, c.normal);
        TEST_CHECK(c.depth.lo <= above + 1e-15L * size,
                   "seed %" PRIu64 ", %s - %s: [%.17g, %.17g], but %.20Lg", seed, names[a->kind],
                   names[b->kind], c.depth.lo, c.depth.hi, above);
    }
}

/* ---- made to have an arc ---- */

/* The support function of a spheroid at an angle to its axis, less z cos. */
static long double on_meridian(long double r, long double h, long double z, long double angle)
{
    return hypotl(r * sinl(angle), h * cosl(angle)) - z * cosl(angle);
}

/* The depth of (0, 0, z) in a solid: the least of its support function less z cos, over the
 * angle to its axis; the angle too. */
static long double depth_on_axis(const body *b, long double z, long double *angle)
{
    const long double r = b->oracle.h.x, h = b->oracle.h.z, pi = 3.14159265358979323846264338327950288L;
    if (b->kind == CYLINDER) {
        *angle = pi / 2;
        return fminl(r, h - fabsl(z)) == r ? r : -1;
    }
    if (b->kind == CONE) {
        *angle = atan2l(2 * h, r);
        const long double slant = (h - z) * r / sqrtl(4 * h * h + r * r);
        return slant < h + z ? slant : -1;
    }
    /* It has one valley or two, at least a tenth wide. */
    long double least = HUGE_VALL;
    for (int i = 0; i <= 128; ++i) {
        const long double value = on_meridian(r, h, z, i * pi / 128);
        if (value < least) {
            least = value;
            *angle = i * pi / 128;
        }
    }
    long double from = *angle - pi / 128, to = *angle + pi / 128;
    for (int i = 0; i < 100; ++i) { /* thirds */
        const long double p = (2 * from + to) / 3, q = (from + 2 * to) / 3;
        if (on_meridian(r, h, z, p) < on_meridian(r, h, z, q))
            to = q;
        else
            from = p;
    }
    if (fabsl(from - pi / 2) > 1e-9L) /* the equator is exact */
        *angle = from;
    return on_meridian(r, h, z, *angle);
}

static abut_quat about(int axis, double angle)
{
    const double c = cos(angle / 2), s = sin(angle / 2);
    return (abut_quat){ c, axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0 };
}

/* A point of the other body with more than one normal, and one of those that is well inside of
 * them; both in its frame. */
static void choose_point(test_random *r, const body *b, abut_vec3 *p, abut_vec3 *n)
{
    const abut_vec3 h = b->oracle.h;
    switch (b->kind) {
    case BOX:
        *p = h;
        *n = v3(test_uniform(r, 0.2, 1), test_uniform(r, 0.2, 1), test_uniform(r, 0.2, 1));
        break;
    case CAPSULE:
        *p = v3(0, 0, h.z);
        *n = v3(test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, 0.2, 1));
        break;
    case CYLINDER: /* the other normals are in the plane y = 0 */
        *p = v3(h.x, 0, -h.z);
        *n = v3(test_uniform(r, 0.2, 1), 0, -test_uniform(r, 0.2, 1));
        break;
    case CONE:
        *p = test_below(r, 2) ? v3(h.x, 0, -h.z) : v3(0, 0, h.z);
        *n = p->x > 0 ? v3(test_uniform(r, 0.2, 1), 0, -test_uniform(r, 0.2, 1))
                      : v3(test_uniform(r, -0.1, 0.1) * h.z, 0.2 * h.z, h.x);
        break;
    default: *p = v3(0, 0, 0); *n = v3(0, 0, -1);
    }
    *n = abut_unit_or(*n, v3(0, 0, 1));
}

static abut_vec3 turned(abut_quat q, abut_vec3 v)
{
    return abut_pose_apply((abut_pose){ { 0, 0, 0 }, q }, v);
}

/* A rotation that takes n to d and, where a rim has its normals across y, y to the solid's axis
 * z if d is across that. */
static abut_quat take(test_random *r, abut_vec3 n, abut_vec3 d, bool rim)
{
    const abut_vec3 y = rim ? v3(0, 1, 0) : abut_unit_or(abut_cross(n, random_vec3(r, 1)), v3(0, 0, 1)),
                    z = rim ? v3(0, 0, 1) : abut_unit_or(abut_cross(d, random_vec3(r, 1)), v3(1, 0, 0));
    const abut_vec3 from[3] = { n, y, abut_cross(n, y) }, to[3] = { d, z, abut_cross(d, z) };
    double m[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            m[i][j] = 0;
            for (int k = 0; k < 3; ++k)
                m[i][j] += (&to[k].x)[i] * (&from[k].x)[j];
        }
    /* Of the four, the one that does not cancel. */
    const double w = m[0][0] + m[1][1] + m[2][2];
    if (w > 0)
        return (abut_quat){ 1 + w, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1] };
    if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2])
        return (abut_quat){ m[2][1] - m[1][2], 1 + m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0],
                            m[0][2] + m[2][0] };
    if (m[1][1] >= m[2][2])
        return (abut_quat){ m[0][2] - m[2][0], m[0][1] + m[1][0], 1 + m[1][1] - m[0][0] - m[2][2],
                            m[1][2] + m[2][1] };
    return (abut_quat){ m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1],
                        1 + m[2][2] - m[0][0] - m[1][1] };
}

/* K holds the solid less the point, so that no direction is shallower than the point is deep;
 * and along one of the point's normals that is all there is. */
static void made_arc(uint64_t seed, bool moved)
{
    test_random r = test_seed(seed + 77000000);
    static const enum kind solids[] = { CYLINDER, CONE, ELLIPSOID };
    body bodies[2];
    const enum kind kind = solids[test_below(&r, 3)], other = (enum kind)test_below(&r, KINDS);
    const double radius = test_uniform(&r, 0.2, 1.5);
    make(&bodies[0], kind, v3(radius, radius, test_uniform(&r, 0.2, 1.5)));
    if (other == HULL)
        make_hull(&r, &bodies[1], true);
    else
        make(&bodies[1], other == ELLIPSOID ? BOX : other,
             v3(test_uniform(&r, 0.2, 1.5), test_uniform(&r, 0.2, 1.5), test_uniform(&r, 0.2, 1.5)));
    abut_vec3 p, n;
    choose_point(&r, &bodies[1], &p, &n);
    const bool rim = p.x > 0 && bodies[1].kind != BOX;
    const double h = bodies[0].oracle.h.z;
    double z = test_uniform(&r, -0.95, 0.95) * h;
    if (test_below(&r, 3) == 0 || (rim && kind == ELLIPSOID))
        z = 0;
    long double angle = 0;
    const long double depth = depth_on_axis(&bodies[0], z, &angle) + bodies[1].oracle.radius;
    const bool across = fabsl(angle - 1.57079632679489661923132169163975144L) < 1e-9L;
    if (depth > bodies[1].oracle.radius && (!rim || across)) {
        /* The solid is left along -d, which is a normal of the other body's at p. */
        const double turn = test_uniform(&r, -3, 3), s = across ? 1 : (double)sinl(angle);
        const abut_vec3 d = v3(s * cos(turn), s * sin(turn), across ? 0 : (double)cosl(angle));
        const abut_quat q = take(&r, n, abut_scale(-1, d), rim),
                        all = test_below(&r, 2) ? (abut_quat){ 1, 0, 0, 0 } : random_quat(&r);
        /* No point moves by more than `off` of the size. */
        const double off = moved ? exp2(test_uniform(&r, -45, -10)) : 0;
        const abut_quat tilt = { 1, test_uniform(&r, -0.1, 0.1) * off, test_uniform(&r, -0.1, 0.1) * off, 0 };
        const abut_vec3 beside = random_vec3(&r, 0.1 * off * size_of(&bodies[1])),
                        at = abut_add(beside, abut_sub(v3(0, 0, z), turned(q, p)));
        const abut_pose poses[2] = { { { 0, 0, 0 }, all },
                                     { turned(all, at), quat_product(all, quat_product(tilt, q)) } };
        check_pair(seed, &r, bodies, poses, depth, off, test_below(&r, 50) == 0);
    }
    for (int i = 0; i < 2; ++i)
        abut_shape_release(bodies[i].shape);
}

static void points_on_an_axis(void **state)
{
    (void)state;
    const uint64_t count = test_count(10000);
    for (uint64_t i = 0; i < count; ++i)
        made_arc(i, false);
}

/* The arc becomes a valley that is nearly level. Few are too level for polygons and too far from
 * an arc. */
static void points_near_an_axis(void **state)
{
    (void)state;
    uint64_t count = test_count(10000);
    if (count < 2500 && !test_is_sanitized()) /* a rate of one in a thousand needs some thousands */
        count = 2500;
    for (uint64_t i = 0; i < count; ++i)
        made_arc(i + 1000000, true);
    print_message("%" PRIu64 " of %" PRIu64 " are wider than 1e-9\n", near_wide, near_asked);
    TEST_CHECK(1000 * near_wide <= near_asked, "%" PRIu64 " of %" PRIu64, near_wide, near_asked);
}

/* ---- lattices ---- */

static void make_any(test_random *r, body *b)
{
    static const double sizes[] = { 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 3 };
    const enum kind kind = (enum kind)test_below(r, KINDS);
    abut_vec3 h = v3(sizes[test_below(r, 8)], sizes[test_below(r, 8)], sizes[test_below(r, 8)]);
    if (kind == ELLIPSOID && test_below(r, 2))
        h.y = h.x;
    if (kind == HULL)
        make_hull(r, b, false);
    else
        make(b, kind, h);
}

/* Axes to axes, one time in five and then turned by 45 degrees. */
static abut_quat lattice_turn(test_random *r)
{
    abut_quat q = { 1, 0, 0, 0 };
    for (unsigned i = test_below(r, 4); i > 0; --i) {
        const int axis = (int)test_below(r, 3);
        const double sign = test_below(r, 2) ? 0.5 : -0.5;
        q = quat_product(
            q, (abut_quat){ 0.5, axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0 });
    }
    return test_below(r, 5) ? q : quat_product(q, about((int)test_below(r, 3), 0.78539816339744830962));
}

static double lattice_shift(test_random *r)
{
    return test_below(r, 3) == 0 ? 0 : 0.25 * ((double)test_below(r, 17) - 8);
}

static void lattices(void **state)
{
    (void)state;
    const uint64_t count = test_count(20000);
    for (uint64_t i = 0; i < count; ++i) {
        test_random r = test_seed(i + 78000000);
        body bodies[2];
        make_any(&r, &bodies[0]);
        make_any(&r, &bodies[1]);
        const abut_quat first = test_below(&r, 8) ? (abut_quat){ 1, 0, 0, 0 } : lattice_turn(&r);
        const abut_pose poses[2] = { { { 0, 0, 0 }, first },
                                     { v3(lattice_shift(&r), lattice_shift(&r), lattice_shift(&r)),
                                       lattice_turn(&r) } };
        check_pair(i, &r, bodies, poses, -1, 0, test_below(&r, 50) == 0);
        for (int j = 0; j < 2; ++j)
            abut_shape_release(bodies[j].shape);
    }
}

/* What was wide before depth_arc.c: a point inside a solid's axis, at its end, on a rim whose
 * bend counts, in the middle of a ball; and last, where the axis of a rim is least, with no
 * slope to one side. */
static void pairs_that_were_wide(void **state)
{
    (void)state;
    static const struct {
        enum kind kind[2];
        abut_vec3 h[2];
        abut_quat q;
        abut_vec3 t;
        double depth;
    } pins[] = {
        { { CYLINDER, CYLINDER }, { { 2, 2, 1.25 }, { 1, 1, 0.75 } }, { 1, 0, 1, 0 }, { 0, -2, -1.25 }, 1 },
        { { CYLINDER, CYLINDER }, { { 2, 2, 2 }, { 1, 1, 0.25 } }, { 1, -1, -1, -1 }, { 2, -0.25, -2 }, 1 },
        { { CYLINDER, CONE },
          { { 1.25, 1.25, 1 }, { 1.5, 1.5, 1 } },
          { 1, -1, -1, -1 },
          { 1.5, 1, -1 },
          1.25 },
        { { CONE, CONE }, { { 1.5, 1.5, 0.5 }, { 0.25, 0.25, 2 } }, { 1, 0, 1, 0 }, { 2, 1.5, -0.5 }, 0.25 },
        { { CONE, ELLIPSOID },
          { { 1.25, 1.25, 2 }, { 1.25, 1.25, 0.5 } },
          { 1, 1, -1, 1 },
          { -1.25, 0, -2 },
          1.25 },
        { { CYLINDER, ELLIPSOID },
          { { 0.5, 0.5, 1.25 }, { 2, 2, 2 } },
          { 1, 0, 0, 0.4142 },
          { 0, -0.5, 1.25 },
          2 },
        { { BOX, ELLIPSOID }, { { 1.5, 1, 2 }, { 0.25, 0.25, 2 } }, { 1, 0, 0, 0 }, { 1.5, 1, 1.5 }, 0.25 },
        { { CAPSULE, ELLIPSOID },
          { { 1.25, 0, 1.25 }, { 0.5, 0.5, 2 } },
          { 1, 1, 1, -1 },
          { 0, 0, 1.25 },
          1.75 },
        { { CYLINDER, ELLIPSOID },
          { { 2, 2, 0.75 }, { 0.75, 3, 0.75 } },
          { 0.92387953251128674, 0, 0.38268343236508977, 0 },
          { 0, -2, 0 },
          1.5 },
        { { CYLINDER, ELLIPSOID },
          { { 1.25, 1.25, 0.25 }, { 0.75, 0.75, 1 } },
          { 0.92387953251128674, -0.92387953251128674, 0.38268343236508977, 0.38268343236508977 },
          { 0, -1.25, 0 },
          1 },
    };
    test_random r = test_seed(79000000);
    for (size_t i = 0; i < sizeof pins / sizeof *pins; ++i) {
        body bodies[2];
        for (int j = 0; j < 2; ++j)
            make(&bodies[j], pins[i].kind[j], pins[i].h[j]);
        const abut_pose poses[2] = { { { 0, 0, 0 }, { 1, 0, 0, 0 } }, { pins[i].t, pins[i].q } };
        check_pair(i, &r, bodies, poses, pins[i].depth, 0, true);
        for (int j = 0; j < 2; ++j)
            abut_shape_release(bodies[j].shape);
    }
}

/* ---- one cell ---- */

static abut_vec3 near_to(test_random *r, abut_vec3 v, double by)
{
    return abut_unit_or(abut_madd(v, by, random_vec3(r, 1)), v);
}

/* How far v is along unit e and across it. */
static void parts_of(abut_vec3 v, abut_vec3 e, long double *along, long double *across)
{
    const long double x = v.x, y = v.y, z = v.z, p = y * e.z - z * e.y, q = z * e.x - x * e.z,
                      o = x * e.y - y * e.x, l = sqrtl(x * x + y * y + z * z);
    *along = (x * e.x + y * e.y + z * e.z) / l;
    *across = sqrtl(p * p + q * q + o * o) / l;
}

/* What touch and solid reach along v, in long double. */
static long double reach(const abut_depth_solid *k, const abut_depth_touch *t, abut_vec3 v)
{
    const long double x = v.x, y = v.y, z = v.z, l = sqrtl(x * x + y * y + z * z);
    long double c, s, own, wide;
    parts_of(v, k->axis, &c, &s);
    const long double at = (t->w.x * x + t->w.y * y + t->w.z * z) / l;
    const long double solid = k->kind == ABUT_CORE_ELLIPSOID
                                  ? hypotl(k->rho[0] * s, k->z[0] * c)
                                  : fmaxl(k->rho[0] * s + k->z[0] * c, k->rho[1] * s + k->z[1] * c);
    if (!(t->r > 0))
        return at + solid;
    parts_of(v, t->axis, &own, &wide);
    return at + solid + t->r * (wide - (t->p.x * x + t->p.y * y + t->p.z * z) / l);
}

static void one_cell(uint64_t seed, uint64_t *asked, uint64_t *proved)
{
    test_random r = test_seed(seed + 80000000);
    static const abut_core_kind kinds[] = { ABUT_CORE_CYLINDER, ABUT_CORE_CONE, ABUT_CORE_ELLIPSOID };
    const abut_vec3 axes[3] = { v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1) };
    abut_core core = { .kind = kinds[test_below(&r, 3)] };
    core.h[0] = core.h[1] = test_uniform(&r, 0.2, 1.5);
    core.h[2] = test_below(&r, 4) ? test_uniform(&r, 0.2, 1.5) : core.h[0];
    core.size = core.h[0] + core.h[2];
    abut_depth_solid solid;
    assert_true(abut_depth_set_solid(&core, axes, test_below(&r, 2) ? 1 : -1, &solid));
    /* Off the axis by much, little or nothing; the rim across it or not. */
    const double off = test_below(&r, 3) ? 0.05 * exp2(test_uniform(&r, -50, 0)) : 0;
    const abut_vec3 w = v3(test_uniform(&r, -off, off), test_uniform(&r, -off, off),
                           test_below(&r, 4) ? test_uniform(&r, -1, 1) * core.h[2] : 0);
    abut_depth_touch t = { .w = w };
    if (test_below(&r, 2)) {
        const double turn = test_uniform(&r, -3, 3),
                     tilt = test_below(&r, 2) ? 0 : exp2(test_uniform(&r, -50, -18));
        t.r = test_uniform(&r, 0.1, 3);
        t.axis = abut_unit_or(v3(cos(turn), sin(turn), tilt), v3(1, 0, 0));
        t.p = abut_unit_or(abut_cross(t.axis, near_to(&r, v3(0, 0, 1), tilt)), v3(0, 1, 0));
    }
    /* A cell of three to six corners, about any direction or one across the axis; the axis may
     * be one of them. */
    const double wide = exp2(test_uniform(&r, -12, 0.5));
    abut_vec3 m = abut_unit_or(random_vec3(&r, 1), v3(0, 0, 1)), e[2], corner[6];
    if (test_below(&r, 2)) {
        m.z = 0;
        m = abut_unit_or(m, v3(1, 0, 0));
    }
    e[0] = abut_unit_or(abut_cross(m, random_vec3(&r, 1)), v3(0, 0, 1));
    e[1] = abut_cross(m, e[0]);
    const int count = 3 + (int)test_below(&r, 4);
    const double start = test_uniform(&r, 0, 3);
    for (int j = 0; j < count; ++j) {
        const double turn = start + 6.283185307179586 * j / count;
        corner[j] = abut_unit_or(abut_madd(abut_madd(m, wide * cos(turn), e[0]), wide * sin(turn), e[1]), m);
    }
    long double least = HUGE_VALL;
    abut_vec3 lowest = m;
    for (int i = 0; i < 400; ++i) {
        abut_vec3 v = v3(0, 0, 0);
        for (int j = 0; j < count; ++j)
            v = abut_madd(v, i < count ? i == j : pow(test_uniform(&r, 0, 1), i % 7), corner[j]);
        const long double value = reach(&solid, &t, v);
        if (value < least) {
            least = value;
            lowest = v;
        }
    }
    for (double step = 0.5; step > 1e-9; step *= 0.7) /* on to the corners, which keeps it inside */
        for (int j = 0; j < count; ++j) {
            const abut_vec3 v = abut_unit_or(abut_madd(lowest, step, corner[j]), lowest);
            const long double value = reach(&solid, &t, v);
            if (value < least) {
                least = value;
                lowest = v;
            }
        }
    if (!(least > 0.01L))
        return;
    const double size = 2 * core.size + t.r;
    /* Never what is not so, to rounding; and what is so by a hundredth where nothing but the
     * point and the solid counts, in cells that are not large. */
    const double above = (double)least + 1e-14 * size * exp2(test_uniform(&r, 0, 40)),
                 below = 0.99 * (double)least;
    TEST_CHECK(!abut_depth_is_deep_about(&solid, &t, corner, count, above),
               "seed %" PRIu64 ": %.17g is proved, but %.20Lg is reached, kind %d", seed, above, least,
               core.kind);
    if (wide < 0.1 && off < 1e-3 && !(t.r > 0)) {
        ++*asked;
        *proved += abut_depth_is_deep_about(&solid, &t, corner, count, below);
    }
}

static void cells_are_proved(void **state)
{
    (void)state;
    uint64_t asked = 0, proved = 0;
    const uint64_t count = test_count(15000);
    for (uint64_t i = 0; i < count; ++i)
        one_cell(i, &asked, &proved);
    print_message("%" PRIu64 " of %" PRIu64 " cells\n", proved, asked);
    TEST_CHECK(100 * proved >= 99 * asked, "%" PRIu64 " of %" PRIu64, proved, asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_that_were_wide), cmocka_unit_test(points_on_an_axis),
        cmocka_unit_test(points_near_an_axis),  cmocka_unit_test(lattices),
        cmocka_unit_test(cells_are_proved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
