/* SPDX-License-Identifier: MIT */
/* Bodies, or parts of them, that come into being inside another body and vanish there: first
 * contact, intervals and instants against a referee that evaluates the same functions in C and
 * searches space and time (oracle/birth_referee.h). */
#include "abut/query.h"
#include "oracle/birth_referee.h"
#include "support/test.h"

#include <stdio.h>

/* Bounds of what is given by fields; all of it lies within. */
static const double reach = 2;

static abut_shape *leaf_shape(const birth_leaf *l)
{
    char f[1024], c[200], d[200], s[200];
    abut_shape *shape = NULL;
    const abut_aabb box = { { -reach, -reach, -reach }, { reach, reach, reach } };
    snprintf(c, sizeof c, "((x-(%.17g))^2+(y-(%.17g))^2+(z-(%.17g))^2)", l->c[0], l->c[1], l->c[2]);
    snprintf(d, sizeof d, "((x-(%.17g))^2+(y-(%.17g))^2+(z-(%.17g))^2)", l->d[0], l->d[1], l->d[2]);
    snprintf(s, sizeof s, "((%.17g)+(%.17g)*t+(%.17g)*t^2)", l->s[0], l->s[1], l->s[2]);
    switch (l->kind) {
    case BIRTH_BALL: snprintf(f, sizeof f, "%s-%s", c, s); break;
    case BIRTH_CASSINI: snprintf(f, sizeof f, "%s*%s-%s", c, d, s); break;
    case BIRTH_RING:
        snprintf(f, sizeof f, "(%s+(%.17g)^2-%s)^2-4*(%.17g)^2*((x-(%.17g))^2+(y-(%.17g))^2)", c, l->d[0], s,
                 l->d[0], l->c[0], l->c[1]);
        break;
    case BIRTH_PLANE:
        snprintf(f, sizeof f, "(%.17g)*x+(%.17g)*y+(%.17g)*z-%s", l->c[0], l->c[1], l->c[2], s);
        break;
    default: snprintf(f, sizeof f, "%s-1/(1+4*%s)-1/(1+4*%s)", s, c, d); break;
    }
    assert_int_equal(abut_shape_create_implicit(f, box, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

static abut_shape *combine(abut_csg_op op, abut_shape *const *of, size_t count)
{
    abut_shape *shape = NULL;
    assert_int_equal(abut_shape_create_csg(op, of, count, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

static abut_shape *fields_shape(const birth_body *b)
{
    abut_shape *leaves[4], *out = NULL, *part = NULL;
    for (int i = 0; i < b->leaf_count; ++i)
        leaves[i] = leaf_shape(&b->leaves[i]);
    switch (b->tree) {
    case BIRTH_SINGLE: out = abut_shape_retain(leaves[0]); break;
    case BIRTH_UNION: out = combine(ABUT_CSG_UNION, leaves, (size_t)b->leaf_count); break;
    case BIRTH_INTERSECTION: out = combine(ABUT_CSG_INTERSECTION, leaves, (size_t)b->leaf_count); break;
    case BIRTH_DIFFERENCE: out = combine(ABUT_CSG_DIFFERENCE, leaves, (size_t)b->leaf_count); break;
    case BIRTH_JOINED_LESS:
    case BIRTH_LESS_CUT: {
        const bool joined = b->tree == BIRTH_JOINED_LESS;
        part = combine(joined ? ABUT_CSG_UNION : ABUT_CSG_DIFFERENCE, leaves, 2);
        abut_shape *const of[2] = { part, leaves[2] };
        out = combine(joined ? ABUT_CSG_DIFFERENCE : ABUT_CSG_INTERSECTION, of, 2);
        break;
    }
    default: {
        part = combine(ABUT_CSG_DIFFERENCE, leaves + 1, 2);
        abut_shape *const of[2] = { leaves[0], part };
        out = combine(ABUT_CSG_DIFFERENCE, of, 2);
    }
    }
    abut_shape_release(part);
    for (int i = 0; i < b->leaf_count; ++i)
        abut_shape_release(leaves[i]);
    return out;
}

/* A ball as a parametric surface, which has no fields. */
static abut_shape *parametric_ball(double radius)
{
    char x[100], y[100], z[100];
    abut_shape *shape = NULL;
    snprintf(x, sizeof x, "%.17g*cos(u)*cos(v)", radius);
    snprintf(y, sizeof y, "%.17g*sin(u)*cos(v)", radius);
    snprintf(z, sizeof z, "%.17g*sin(v)", radius);
    const abut_parametric_def def = { .x = x,
                                      .y = y,
                                      .z = z,
                                      .u = { 0, 6.283185307179586 },
                                      .v = { -1.5707963267948966, 1.5707963267948966 },
                                      .wrap_u = true };
    assert_int_equal(abut_shape_create_parametric(&def, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

static abut_shape *shape_of(const birth_body *b, bool parametric)
{
    abut_shape *shape = NULL;
    abut_status status = ABUT_OK;
    const double *const s = b->size;
    const abut_vec3 sizes = { s[0], s[1], s[2] };
    switch (b->solid) {
    case BIRTH_FIELDS: return fields_shape(b);
    case BIRTH_SPHERE:
        if (parametric)
            return parametric_ball(s[0]);
        status = abut_shape_create_sphere(s[0], NULL, &shape);
        break;
    case BIRTH_BOX: status = abut_shape_create_box(sizes, NULL, &shape); break;
    case BIRTH_HALFSPACE:
        status = abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, s[0], NULL, &shape);
        break;
    case BIRTH_TORUS: status = abut_shape_create_torus(s[0], s[1], NULL, &shape); break;
    case BIRTH_ELLIPSOID: status = abut_shape_create_ellipsoid(sizes, NULL, &shape); break;
    case BIRTH_CAPSULE: status = abut_shape_create_capsule(s[0], s[1], NULL, &shape); break;
    default: {
        const abut_vec3 points[6] = { { s[0], 0, 0 },  { -s[0], 0, 0 }, { 0, s[1], 0 },
                                      { 0, -s[1], 0 }, { 0, 0, s[2] },  { 0, 0, -s[2] } };
        status = abut_shape_create_convex(points, 6, 0, NULL, &shape, NULL);
    }
    }
    assert_int_equal(status, ABUT_OK);
    return shape;
}

static abut_motion *motion_of(const birth_body *b)
{
    abut_motion *motion = NULL;
    const bool grows = b->growth[0] != 0;
    if (grows) { /* does not turn */
        abut_affine ends[2];
        memset(ends, 0, sizeof ends);
        for (int end = 0; end < 2; ++end) {
            for (int i = 0; i < 3; ++i)
                ends[end].linear.m[i][i] = 1 + end * b->growth[i];
            ends[end].translation =
                (abut_vec3){ b->position[0] + end * b->velocity[0], b->position[1] + end * b->velocity[1],
                             b->position[2] + end * b->velocity[2] };
        }
        assert_int_equal(abut_motion_create_affine(0, 1, ends, 2, NULL, &motion, NULL), ABUT_OK);
        return motion;
    }
    abut_placement at = { .position = { 0, 0, 0 } };
    at.position = (abut_vec3){ b->position[0], b->position[1], b->position[2] };
    const abut_vec3 linear = { b->velocity[0], b->velocity[1], b->velocity[2] };
    const abut_vec3 angular = { b->rate * b->axis[0], b->rate * b->axis[1], b->rate * b->axis[2] };
    assert_int_equal(abut_motion_create_velocity(0, 1, &at, linear, angular, NULL, &motion, NULL), ABUT_OK);
    return motion;
}

/* ---- random bodies ---- */

static void random_place(test_random *r, double size, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = test_uniform(r, -size, size);
}

/* s(t) between about -1 and `most`: appears, vanishes, both, or neither. */
static void random_course(test_random *r, double most, double s[3])
{
    const double tau = test_uniform(r, 0.1, 0.9), w = test_below(r, 4) ? test_uniform(r, 0.05, 0.4) : 0.01;
    switch (test_below(r, 6)) {
    case 0:
    case 1: { /* rises through 0 at tau */
        const double b = test_uniform(r, 0.3, 1) * most;
        s[0] = -b * tau, s[1] = b, s[2] = 0;
        break;
    }
    case 2: { /* falls through 0 */
        const double b = test_uniform(r, 0.3, 1) * most;
        s[0] = b * tau, s[1] = -b, s[2] = 0;
        break;
    }
    case 3: s[0] = test_uniform(r, 0.1, 0.6) * most, s[1] = s[2] = 0; break;
    default: { /* b (w^2 - (t - tau)^2) */
        const double b = fmin(test_uniform(r, 0.5, 20), most / (w * w));
        s[0] = b * (w * w - tau * tau), s[1] = 2 * b * tau, s[2] = -b;
    }
    }
}

static void random_leaf(test_random *r, birth_leaf *l)
{
    static const birth_leaf_kind kinds[8] = { BIRTH_BALL,    BIRTH_BALL,    BIRTH_BALL, BIRTH_BALL,
                                              BIRTH_CASSINI, BIRTH_CASSINI, BIRTH_META, BIRTH_META };
    l->kind = kinds[test_below(r, 8)];
    random_place(r, 0.5, l->c);
    random_place(r, 0.5, l->d);
    random_course(r, l->kind == BIRTH_CASSINI ? 0.5 : 1, l->s);
    if (l->kind == BIRTH_META) { /* 2.1 - 1.5 s: from nothing to a sum of 0.6 */
        l->s[0] = 2.1 - 1.5 * l->s[0];
        l->s[1] *= -1.5;
        l->s[2] *= -1.5;
    }
}

static void random_fields(test_random *r, birth_body *b)
{
    b->solid = BIRTH_FIELDS;
    b->tree = BIRTH_SINGLE;
    b->leaf_count = 1;
    const unsigned kind = test_below(r, 12);
    random_leaf(r, &b->leaves[0]);
    if (kind == 0) { /* a circle appears at once */
        b->leaves[0].kind = BIRTH_RING;
        b->leaves[0].d[0] = test_uniform(r, 0.4, 0.8);
        random_course(r, 0.15, b->leaves[0].s);
    } else if (kind == 1) { /* a tetrahedron */
        static const double n[4][3] = { { 1, 1, 1 }, { -1, 1, -1 }, { -1, -1, 1 }, { 1, -1, -1 } };
        b->tree = BIRTH_INTERSECTION;
        b->leaf_count = 4;
        for (int i = 0; i < 4; ++i) {
            b->leaves[i].kind = BIRTH_PLANE;
            for (int k = 0; k < 3; ++k)
                b->leaves[i].c[k] = n[i][k] + test_uniform(r, -0.2, 0.2);
            random_course(r, 0.25, b->leaves[i].s);
        }
    } else if (kind > 4) {
        static const birth_tree trees[8] = { BIRTH_UNION,      BIRTH_INTERSECTION,   BIRTH_INTERSECTION,
                                             BIRTH_DIFFERENCE, BIRTH_DIFFERENCE,     BIRTH_JOINED_LESS,
                                             BIRTH_LESS_CUT,   BIRTH_LESS_DIFFERENCE };
        b->tree = trees[kind - 4];
        b->leaf_count = b->tree >= BIRTH_JOINED_LESS ? 3 : 2 + (int)test_below(r, 2);
        for (int i = 1; i < b->leaf_count; ++i)
            random_leaf(r, &b->leaves[i]);
    }
}

static void random_solid(test_random *r, birth_body *b)
{
    b->solid = (birth_solid)(1 + test_below(r, BIRTH_SOLIDS - 1));
    for (int i = 0; i < 3; ++i)
        b->size[i] = test_uniform(r, 0.3, 1);
    if (b->solid == BIRTH_TORUS) {
        b->size[0] = test_uniform(r, 0.6, 1);
        b->size[1] = test_uniform(r, 0.2, 0.5);
    }
    if (b->solid == BIRTH_HALFSPACE)
        b->size[0] = test_uniform(r, -0.5, 0.5);
}

static void random_motion(test_random *r, birth_body *b)
{
    memset(b->growth, 0, sizeof b->growth);
    memset(b->velocity, 0, sizeof b->velocity);
    b->rate = 0;
    b->axis[0] = b->axis[1] = 0;
    b->axis[2] = 1;
    random_place(r, 0.5, b->position);
    const unsigned kind = test_below(r, 4);
    if (kind == 0)
        return;
    random_place(r, 0.8, b->velocity);
    if (kind == 2) {
        random_place(r, 1, b->axis);
        const double length =
            sqrt(b->axis[0] * b->axis[0] + b->axis[1] * b->axis[1] + b->axis[2] * b->axis[2]);
        for (int i = 0; i < 3; ++i)
            b->axis[i] /= length;
        b->rate = test_uniform(r, -2, 2);
    }
    if (kind == 3 && b->solid == BIRTH_FIELDS)
        random_place(r, 0.4, b->growth);
}

/* ---- judging ---- */

/* As deep as this is overlap whatever the rounding, and as far as that is none. */
static const double deep = -1e-6, clear = 1e-4;

typedef struct tally {
    unsigned first, separate, contact, overlapping, undecided, intervals, tolerance;
} tally;

typedef struct scene {
    birth_body a, b;
    abut_shape *shapes[2];
    abut_motion *motions[2];
    uint64_t number;
} scene;

enum { instants = 16 };

/* The referee finds them together before `time`. */
static void none_before(const scene *s, double time, const char *what)
{
    double at;
    if (!(time > 0))
        return;
    const double least = birth_least_ever(&s->a, &s->b, reach, 0, time, instants, 8, &at);
    TEST_CHECK(!(least < deep), "%s %llu: apart before %.17g, but %g deep at %.17g", what,
               (unsigned long long)s->number, time, least, at);
}

static void judge_first(const scene *s, tally *n)
{
    abut_first_opts opts;
    abut_first_result out;
    abut_first_opts_init(&opts);
    opts.time = (abut_interval){ 0, 1 };
    assert_int_equal(
        abut_first_contact(s->shapes[0], s->motions[0], s->shapes[1], s->motions[1], &opts, NULL, &out),
        ABUT_OK);
    ++n->first;
    n->separate += out.verdict == ABUT_FIRST_SEPARATE;
    n->contact += out.verdict == ABUT_FIRST_CONTACT;
    n->overlapping += out.verdict == ABUT_FIRST_OVERLAPPING;
    n->undecided += out.verdict == ABUT_FIRST_UNDECIDED;
    n->tolerance += out.verdict == ABUT_FIRST_CONTACT && out.proof == ABUT_PROOF_TOLERANCE;
    none_before(s, out.verdict == ABUT_FIRST_SEPARATE ? 1 : out.time.lo, "first");
    if ((out.verdict == ABUT_FIRST_CONTACT || out.verdict == ABUT_FIRST_OVERLAPPING) &&
        out.proof == ABUT_PROOF_INTERVAL) {
        double least = HUGE_VAL;
        for (size_t i = 0; i < out.point_count && i < ABUT_FIRST_CONTACTS; ++i) {
            const abut_vec3 p = out.points[i].point;
            const double x[3] = { p.x, p.y, p.z };
            least = fmin(least, fmax(birth_value(&s->a, x, out.time.hi), birth_value(&s->b, x, out.time.hi)));
        }
        if (least > clear)
            least = birth_least(&s->a, &s->b, reach, out.time.hi, 12, 16);
        if (least > clear)
            least = birth_least(&s->a, &s->b, reach, out.time.hi, 40, 32);
        if (least > clear) /* descents can stay on a ridge: from more places */
            least = birth_least(&s->a, &s->b, reach, out.time.hi, 80, 64);
        TEST_CHECK(least <= clear, "first %llu: together at %.17g, but %g apart",
                   (unsigned long long)s->number, out.time.hi, least);
    }
}

static void judge_intervals(const scene *s, tally *n)
{
    abut_first_opts opts;
    abut_intervals_result out;
    abut_contact_interval list[32];
    abut_first_opts_init(&opts);
    opts.time = (abut_interval){ 0, 1 };
    assert_int_equal(abut_contact_intervals(s->shapes[0], s->motions[0], s->shapes[1], s->motions[1], &opts,
                                            NULL, list, 32, &out),
                     ABUT_OK);
    ++n->intervals;
    if (out.count > 32)
        return;
    for (int i = 0; i <= instants; ++i) {
        const double t = (double)i / instants;
        bool listed = false;
        for (size_t k = 0; k < out.count; ++k)
            listed = listed || (list[k].enter.lo <= t && t <= list[k].exit.hi);
        const double least = listed ? 0 : birth_least(&s->a, &s->b, reach, t, 8, 3);
        TEST_CHECK(!(least < deep), "intervals %llu: %g deep at %g", (unsigned long long)s->number, least, t);
    }
}

static void judge_instant(const scene *s, test_random *r)
{
    const double t = test_uniform(r, 0, 1);
    abut_check_result out;
    if (s->a.growth[0] != 0 || s->b.growth[0] != 0 || s->b.solid == BIRTH_OCTAHEDRON)
        return; /* no method */
    assert_int_equal(
        abut_check_at(s->shapes[0], s->motions[0], s->shapes[1], s->motions[1], t, NULL, NULL, &out),
        ABUT_OK);
    const double least = birth_least(&s->a, &s->b, reach, t, 10, 6);
    TEST_CHECK(!(out.verdict == ABUT_SEPARATE && least < deep), "check %llu: %g deep at %.17g",
               (unsigned long long)s->number, least, t);
    if (out.verdict == ABUT_PENETRATING && least > clear)
        TEST_CHECK(birth_least(&s->a, &s->b, reach, t, 40, 32) <= clear, "check %llu: apart at %.17g",
                   (unsigned long long)s->number, t);
}

static void random_pairs(void **state)
{
    (void)state;
    test_random r = { 20 };
    tally n = { 0 };
    const char *const only = getenv("ABUT_TEST_CASE");
    const uint64_t count = test_count(100);
    for (uint64_t i = 0; i < count; ++i) {
        scene s = { .number = i };
        test_random own = { test_bits(&r) };
        random_fields(&own, &s.a);
        if (test_below(&own, 4) == 0)
            random_fields(&own, &s.b);
        else
            random_solid(&own, &s.b);
        random_motion(&own, &s.a);
        random_motion(&own, &s.b);
        if (only && strtoull(only, NULL, 10) != i)
            continue;
        const bool parametric = test_below(&own, 2);
        s.shapes[0] = shape_of(&s.a, false);
        s.shapes[1] = shape_of(&s.b, parametric);
        s.motions[0] = motion_of(&s.a);
        s.motions[1] = motion_of(&s.b);
        judge_first(&s, &n);
        if (i % 8 == 0 && !(parametric && s.b.solid == BIRTH_SPHERE))
            judge_intervals(&s, &n);
        if (i % 8 == 1)
            judge_instant(&s, &own);
        for (int k = 0; k < 2; ++k) {
            abut_shape_release(s.shapes[k]);
            abut_motion_release(s.motions[k]);
        }
    }
    print_message("%u pairs: %u separate, %u contact (%u within tolerance), %u overlapping, %u undecided\n",
                  n.first, n.separate, n.contact, n.tolerance, n.overlapping, n.undecided);
}

/* ---- known ---- */

static abut_shape *implicit(const char *f, double size)
{
    abut_shape *shape = NULL;
    const abut_aabb box = { { -size, -size, -size }, { size, size, size } };
    assert_int_equal(abut_shape_create_implicit(f, box, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

static abut_first_result first(const abut_shape *a, const abut_shape *b)
{
    abut_first_opts opts;
    abut_first_result out;
    abut_first_opts_init(&opts);
    opts.time = (abut_interval){ 0, 1 };
    assert_int_equal(abut_first_contact(a, NULL, b, NULL, &opts, NULL, &out), ABUT_OK);
    return out;
}

/* Points, curves, surfaces and solids that appear at once, smoothly or not, all inside a ball of
 * radius 1; in the middle, and on the border of the bounds. */
static void appearing_at_once(void **state)
{
    (void)state;
    static const struct {
        const char *f;
        double size, time, wide;
    } cases[] = {
        { "x^2+y^2+z^2-9*(t-0.5)", 3, 0.5, 1e-12 },
        { "x^2+y^2+z^2+100*(t-0.5)^2-0.01", 3, 0.49, 1e-12 },
        { "x^2+y^2+z^2-(t-0.5)^3", 3, 0.5, 1e-8 },
        { "abs(x)+abs(y)+abs(z)-(t-0.5)", 3, 0.5, 1e-3 },
        { "(x^2+y^2+z^2+0.25-(t-0.5))^2-x^2-y^2", 3, 0.5, 1e-8 },
        { "(x-0.1)^2+y^2-(t-0.5)", 2, 0.5, 1e-8 },
        { "x^2-(t-0.5)", 2, 0.5, 1e-8 },
        { "((x-0.3)^2+y^2+z^2)*((x+0.3)^2+y^2+z^2)-(t-0.5)/10", 3, 0.5, 1e-12 },
        { "(x-1)^2+y^2+z^2-t^2", 0.5, 0.5, 1e-12 },
        { "(x-1)^2+(y-1)^2+z^2-t^2", 0.5, 0.70710678118654752, 1e-12 },
        { "(x-1)^2+(y-1)^2+(z-1)^2-t^2", 0.5, 0.86602540378443865, 1e-12 },
    };
    abut_shape *others[3] = { NULL, parametric_ball(1), implicit("x^2+y^2+z^2-1", 2) };
    assert_int_equal(abut_shape_create_sphere(1, NULL, &others[0]), ABUT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        for (int k = 0; k < 3; ++k) {
            abut_shape *const a = implicit(cases[i].f, cases[i].size);
            const abut_first_result r = k & 1 ? first(others[k], a) : first(a, others[k]);
            const double time = cases[i].time;
            TEST_CHECK(r.verdict == ABUT_FIRST_CONTACT && r.proof == ABUT_PROOF_INTERVAL, "%s: %d",
                       cases[i].f, (int)r.verdict);
            TEST_CHECK(r.time.lo <= time + 1e-15 && time - 1e-15 <= r.time.hi &&
                           r.time.hi - r.time.lo <= cases[i].wide,
                       "%s: [%.17g %.17g]", cases[i].f, r.time.lo, r.time.hi);
            abut_shape_release(a);
        }
    for (int k = 0; k < 3; ++k)
        abut_shape_release(others[k]);
}

/* A point for an instant, or not quite: never a proof that there is nothing, nor that there is
 * something. */
static void hardly_appearing(void **state)
{
    (void)state;
    abut_shape *const ball = implicit("x^2+y^2+z^2-1", 2);
    abut_shape *const once = implicit("x^2+y^2+z^2+(t-0.5)^2", 2);
    abut_shape *const never = implicit("x^2+y^2+z^2+(t-0.5)^2+1e-9", 2);
    const abut_first_result at_once = first(once, ball), at_none = first(never, ball);
    assert_true(at_once.verdict != ABUT_FIRST_SEPARATE && at_once.time.lo <= 0.5);
    assert_int_equal(at_none.verdict, ABUT_FIRST_SEPARATE);
    abut_shape_release(once);
    abut_shape_release(never);
    abut_shape_release(ball);
}

/* Of many bodies the pair is named. */
static void in_a_set(void **state)
{
    (void)state;
    abut_shape *const ball = implicit("x^2+y^2+z^2-1", 2), *const born = implicit("x^2+y^2+z^2-9*(t-0.5)", 3);
    abut_shape *const later = implicit("x^2+y^2+z^2-9*(t-0.75)", 3);
    const abut_body bodies[3] = { { later, NULL }, { ball, NULL }, { born, NULL } };
    static const uint32_t pairs[4] = { 0, 1, 1, 2 };
    abut_first_opts opts;
    abut_set_point points[4];
    abut_set_result out;
    abut_first_opts_init(&opts);
    opts.time = (abut_interval){ 0, 1 };
    assert_int_equal(abut_first_contact_set(bodies, 3, pairs, 2, &opts, NULL, points, 4, &out), ABUT_OK);
    assert_int_equal(out.verdict, ABUT_FIRST_CONTACT);
    TEST_CHECK(out.time.lo <= 0.5 && 0.5 <= out.time.hi && out.time.hi < 0.5 + 1e-12, "[%.17g %.17g]",
               out.time.lo, out.time.hi);
    assert_int_equal(out.point_count, 1);
    assert_true(points[0].a == 1 && points[0].b == 2 && points[0].at.kind == 0);
    abut_shape_release(ball);
    abut_shape_release(born);
    abut_shape_release(later);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_pairs),
        cmocka_unit_test(appearing_at_once),
        cmocka_unit_test(hardly_appearing),
        cmocka_unit_test(in_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
