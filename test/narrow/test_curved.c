/* SPDX-License-Identifier: MIT */
/* Curved bodies: distances that are known by construction. Supporting planes of both bodies, with
 * the touching points opposite each other, are put delta apart; position and rotation are doubles,
 * so what rounding the position did to the gap is worked out in long double: the true gap lies
 * between delta + n . e and |delta n + e|, e the rounding. The construction shares no code with the
 * solvers.
 *
 * The touching point is on a feature of the first body chosen by chance: cap, side, slant, base,
 * rim, apex, edge, face, corner. */
#include "abut/query.h"
#include "narrow/distance/refine.h"
#include "shape/shape.h"
#include "support/test.h"

typedef struct vec {
    long double x, y, z;
} vec;

static vec add(vec a, long double s, vec b)
{
    return (vec){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static long double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec normalised(vec a)
{
    const long double l = sqrtl(dot(a, a));
    return (vec){ a.x / l, a.y / l, a.z / l };
}

static vec cross(vec a, vec b)
{
    return (vec){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

/* v turned by q / |q|. */
static vec turn(abut_quat q, vec v)
{
    const vec i = { q.x, q.y, q.z };
    const long double w = q.w, n = w * w + dot(i, i), k = w * w - dot(i, i);
    const vec c = cross(i, v);
    const long double d = 2 * dot(i, v);
    return (vec){ (k * v.x + d * i.x + 2 * w * c.x) / n, (k * v.y + d * i.y + 2 * w * c.y) / n,
                  (k * v.z + d * i.z + 2 * w * c.z) / n };
}

static abut_quat inverse(abut_quat q)
{
    return (abut_quat){ q.w, -q.x, -q.y, -q.z };
}

/* ---- bodies ---- */

typedef enum kind { ELLIPSOID, CYLINDER, CONE, BOX, HULL, CAPSULE, SPHERE, USER, USER_BOX, KINDS } kind;

static const char *const kind_names[] = { "ellipsoid", "cylinder", "cone", "box",     "hull",
                                          "capsule",   "sphere",   "user", "user box" };

enum { CORNERS = 4 };

typedef struct body {
    kind kind;
    /* semi-axes; radius, -, half height; half extents; capsule: radius, -, half length */
    double h[3];
    abut_vec3 corner[CORNERS];
    abut_shape *shape;
} body;

/* The user's bodies: an ellipsoid and a box. */
static void user_support(void *ctx, const abut_vec3 *d, abut_vec3 *p)
{
    const body *b = ctx;
    const abut_vec3 e = { b->h[0] * d->x, b->h[1] * d->y, b->h[2] * d->z };
    const double s = 1 / sqrt(e.x * e.x + e.y * e.y + e.z * e.z);
    *p = (abut_vec3){ s * b->h[0] * e.x, s * b->h[1] * e.y, s * b->h[2] * e.z };
}

static void user_box_support(void *ctx, const abut_vec3 *d, abut_vec3 *p)
{
    const body *b = ctx;
    *p = (abut_vec3){ copysign(b->h[0], d->x), copysign(b->h[1], d->y), copysign(b->h[2], d->z) };
}

static double random_size(test_random *r, double scale, double aspect)
{
    return scale * exp2(test_uniform(r, -log2(aspect), 0));
}

static void make_body(test_random *r, kind k, double scale, double aspect, body *out)
{
    *out = (body){ .kind = k };
    for (int i = 0; i < 3; ++i)
        out->h[i] = random_size(r, scale, aspect);
    out->h[test_below(r, 3)] = scale;
    const abut_vec3 h = { out->h[0], out->h[1], out->h[2] };
    abut_status status = ABUT_OK;
    switch (k) {
    case ELLIPSOID: status = abut_shape_create_ellipsoid(h, NULL, &out->shape); break;
    case CYLINDER: status = abut_shape_create_cylinder(h.x, 2 * h.z, NULL, &out->shape); break;
    case CONE: status = abut_shape_create_cone(h.x, 2 * h.z, NULL, &out->shape); break;
    case BOX: status = abut_shape_create_box(h, NULL, &out->shape); break;
    case HULL: {
        const double s[CORNERS][3] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };
        for (int i = 0; i < CORNERS; ++i)
            out->corner[i] =
                (abut_vec3){ h.x * s[i][0] * test_uniform(r, 0.5, 1), h.y * s[i][1] * test_uniform(r, 0.5, 1),
                             h.z * s[i][2] * test_uniform(r, 0.5, 1) };
        status = abut_shape_create_convex(out->corner, CORNERS, 0, NULL, &out->shape, NULL);
        break;
    }
    case CAPSULE: status = abut_shape_create_capsule(h.x, 2 * h.z, NULL, &out->shape); break;
    case SPHERE: status = abut_shape_create_sphere(h.x, NULL, &out->shape); break;
    default: break;
    }
    assert_int_equal(status, ABUT_OK);
}

/* The body of a user lives where it is declared: the callback refers to it. */
static void make_user(body *b)
{
    const double most = fmax(b->h[0], fmax(b->h[1], b->h[2]));
    const abut_support_def def = { .support = b->kind == USER ? user_support : user_box_support,
                                   .ctx = b,
                                   .error = b->kind == USER ? 4e-16 * most : 0,
                                   .radius = 1.8 * most };
    assert_int_equal(abut_shape_create_support(&def, NULL, &b->shape, NULL), ABUT_OK);
}

/* Furthest point along d, in the body's frame. */
static vec support(const body *b, vec d)
{
    const double *h = b->h;
    const long double flat = sqrtl(d.x * d.x + d.y * d.y);
    const vec u = normalised(d);
    switch (b->kind) {
    case ELLIPSOID:
    case USER: {
        const vec e = { h[0] * d.x, h[1] * d.y, h[2] * d.z };
        const long double l = sqrtl(dot(e, e));
        return (vec){ h[0] * e.x / l, h[1] * e.y / l, h[2] * e.z / l };
    }
    case CYLINDER:
        return (vec){ flat > 0 ? h[0] * d.x / flat : 0, flat > 0 ? h[0] * d.y / flat : 0,
                      d.z > 0 ? h[2] : -h[2] };
    case CONE:
        if (2 * h[2] * d.z > h[0] * flat)
            return (vec){ 0, 0, h[2] };
        return (vec){ flat > 0 ? h[0] * d.x / flat : 0, flat > 0 ? h[0] * d.y / flat : 0, -h[2] };
    case BOX:
    case USER_BOX: return (vec){ d.x > 0 ? h[0] : -h[0], d.y > 0 ? h[1] : -h[1], d.z > 0 ? h[2] : -h[2] };
    case HULL: {
        int best = 0;
        long double value = -INFINITY;
        for (int i = 0; i < CORNERS; ++i) {
            const long double v = d.x * b->corner[i].x + d.y * b->corner[i].y + d.z * b->corner[i].z;
            if (v > value) {
                value = v;
                best = i;
            }
        }
        return (vec){ b->corner[best].x, b->corner[best].y, b->corner[best].z };
    }
    case CAPSULE: return add((vec){ 0, 0, d.z > 0 ? h[2] : -h[2] }, h[0], u);
    default: return (vec){ h[0] * u.x, h[0] * u.y, h[0] * u.z };
    }
}

/* One of the points furthest along d, where there are many. */
static vec support_somewhere(test_random *r, const body *b, vec d)
{
    const double *h = b->h;
    const double turned = test_uniform(r, 0, 6.28), t = test_uniform(r, 0, 1);
    const vec around = { cosl(turned), sinl(turned), 0 };
    vec p = support(b, d);
    switch (b->kind) {
    case CYLINDER:
    case CONE:
        if (d.x == 0 && d.y == 0 && !(b->kind == CONE && d.z > 0))
            p = add((vec){ 0, 0, p.z }, h[0] * (long double)t, around);
        else if (b->kind == CYLINDER && d.z == 0)
            p.z = h[2] * (2 * (long double)t - 1);
        else if (b->kind == CONE &&
                 fabsl(2 * h[2] * d.z - h[0] * sqrtl(d.x * d.x + d.y * d.y)) < 1e-18L * (h[0] + h[2]))
            p = (vec){ h[0] * (1 - (long double)t) * d.x / sqrtl(d.x * d.x + d.y * d.y),
                       h[0] * (1 - (long double)t) * d.y / sqrtl(d.x * d.x + d.y * d.y),
                       h[2] * (2 * (long double)t - 1) };
        break;
    case CAPSULE:
        if (d.z == 0)
            p.z = h[2] * (2 * (long double)t - 1);
        break;
    case BOX:
    case USER_BOX:
        p.x *= d.x == 0 ? test_uniform(r, -1, 1) : 1;
        p.y *= d.y == 0 ? test_uniform(r, -1, 1) : 1;
        p.z *= d.z == 0 ? test_uniform(r, -1, 1) : 1;
        break;
    default: break;
    }
    return p;
}

static vec random_direction(test_random *r)
{
    vec v;
    do
        v = (vec){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
    while (dot(v, v) > 1 || dot(v, v) < 0.01L);
    return normalised(v);
}

/* A normal of a feature of the body, and a touching point on that feature, in its frame. */
static void touch_somewhere(test_random *r, const body *b, vec *n, vec *p)
{
    const double *h = b->h;
    const double t = test_uniform(r, 0, 1), turned = test_uniform(r, 0, 6.28);
    const vec around = { cosl(turned), sinl(turned), 0 };
    *n = random_direction(r);
    *p = support(b, *n);
    if (test_below(r, 2))
        return;
    switch (b->kind) {
    case CYLINDER:
    case CAPSULE:
        if (b->kind == CYLINDER && test_below(r, 2)) {
            *n = (vec){ 0, 0, 1 };
            *p = add((vec){ 0, 0, h[2] }, h[0] * (long double)t, around);
        } else {
            *n = around;
            *p = add((vec){ 0, 0, h[2] * (2 * (long double)t - 1) }, h[0], around);
        }
        break;
    case CONE:
        if (test_below(r, 2)) {
            *n = (vec){ 0, 0, -1 };
            *p = add((vec){ 0, 0, -h[2] }, h[0] * (long double)t, around);
        } else {
            *n = normalised((vec){ 2 * h[2] * around.x, 2 * h[2] * around.y, h[0] });
            *p = add((vec){ 0, 0, h[2] * (2 * (long double)t - 1) }, h[0] * (1 - (long double)t), around);
        }
        break;
    case BOX:
    case USER_BOX: {
        const unsigned axis = test_below(r, 3);
        const long double q[3] = { h[0] * test_uniform(r, -1, 1), h[1] * test_uniform(r, -1, 1),
                                   h[2] * test_uniform(r, -1, 1) };
        if (test_below(r, 2)) {
            *n = (vec){ axis == 0, axis == 1, axis == 2 };
            *p = (vec){ axis == 0 ? h[0] : q[0], axis == 1 ? h[1] : q[1], axis == 2 ? h[2] : q[2] };
        } else {
            *n = normalised((vec){ axis == 0 ? 0 : n->x, axis == 1 ? 0 : n->y, axis == 2 ? 0 : n->z });
            *p = support(b, *n);
            *(axis == 0 ? &p->x : axis == 1 ? &p->y : &p->z) = q[axis];
        }
        break;
    }
    case HULL: {
        const abut_vec3 *c = b->corner;
        const vec o = { c[0].x, c[0].y, c[0].z };
        const vec e = { c[1].x - o.x, c[1].y - o.y, c[1].z - o.z };
        const vec f = { c[2].x - o.x, c[2].y - o.y, c[2].z - o.z };
        const vec g = { c[3].x - o.x, c[3].y - o.y, c[3].z - o.z };
        *n = normalised(cross(e, f));
        if (dot(*n, g) > 0)
            *n = (vec){ -n->x, -n->y, -n->z };
        const double s = test_uniform(r, 0, 1);
        *p = add(add(o, t * (1 - s), e), t * s, f);
        break;
    }
    default: break;
    }
}

/* ---- pairs ---- */

typedef struct pair {
    body a, b;
    abut_pose pose_a, pose_b;
    vec n;              /* unit, in the world */
    long double lo, hi; /* of the gap */
    long double scale;
    uint64_t seed;
} pair;

static abut_quat random_turn(test_random *r)
{
    return (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                        test_uniform(r, 0.1, 1) };
}

/* The gap is ratio times the scale, which is the size of a; b's is `other` times that. */
typedef struct wish {
    kind a, b;
    double scale, other, aspect, ratio;
    enum {
        ANYHOW,
        ALIGNED,
        FLIPPED
    } turned; /* b's axes: any, those of a, those of a turned by half about x */
} wish;

static void make_pair(uint64_t seed, const wish *w, pair *p)
{
    test_random r = test_seed(seed);
    *p = (pair){ .seed = seed };
    make_body(&r, w->a, w->scale, w->aspect, &p->a);
    make_body(&r, w->b, w->scale * w->other, w->aspect, &p->b);
    if (w->a >= USER)
        make_user(&p->a);
    if (w->b >= USER)
        make_user(&p->b);
    p->pose_a = (abut_pose){ { 0, 0, 0 }, random_turn(&r) };
    const abut_quat q = p->pose_a.rotation, half = { -q.x, q.w, q.z, -q.y };
    p->pose_b = (abut_pose){ { 0, 0, 0 },
                             w->turned == ANYHOW    ? random_turn(&r)
                             : w->turned == ALIGNED ? q
                                                    : half };
    vec local, x;
    touch_somewhere(&r, &p->a, &local, &x);
    const vec n = p->n = turn(p->pose_a.rotation, local);
    x = turn(p->pose_a.rotation, x);
    vec back = { -local.x, -local.y, -local.z };
    if (w->turned == FLIPPED)
        back = (vec){ -local.x, local.y, local.z };
    if (w->turned == ANYHOW)
        back = turn(inverse(p->pose_b.rotation), (vec){ -n.x, -n.y, -n.z });
    const vec y = turn(p->pose_b.rotation,
                       w->turned == ANYHOW ? support(&p->b, back) : support_somewhere(&r, &p->b, back));
    const long double delta = (long double)w->ratio * w->scale;
    const vec at = add(add(x, delta, n), -1, y);
    p->pose_b.position = (abut_vec3){ (double)at.x, (double)at.y, (double)at.z };
    const vec e = { p->pose_b.position.x - at.x, p->pose_b.position.y - at.y, p->pose_b.position.z - at.z };
    const vec moved = add(e, delta, n);
    p->scale = w->scale + w->scale * w->other + sqrtl(dot(at, at));
    const long double slack = 1e-18L * p->scale;
    p->lo = delta + dot(n, e) - slack;
    p->hi = sqrtl(dot(moved, moved)) + slack;
}

static void free_pair(pair *p)
{
    abut_shape_release(p->a.shape);
    abut_shape_release(p->b.shape);
}

typedef struct tally {
    uint64_t pairs, supports, most;
    double widest, worst; /* width and error, over the scale */
} tally;

static void judge(const pair *p, const abut_distance_result *d, double width_allowed, tally *t)
{
    const double scale = (double)p->scale, width = (d->distance.hi - d->distance.lo) / scale;
    const double off = (double)fabsl(0.5L * d->distance.lo + 0.5L * d->distance.hi - p->lo) / scale;
    char where[200];
    snprintf(where, sizeof where,
             "%s-%s, seed %" PRIu64 ": [%a, %a], true gap [%La, %La], width %g of the scale, %" PRIu64
             " supports",
             kind_names[p->a.kind], kind_names[p->b.kind], p->seed, d->distance.lo, d->distance.hi, p->lo,
             p->hi, width, d->counters.evaluations);
    TEST_CHECK(d->verdict == ABUT_SEPARATE, "%s", where);
    TEST_CHECK(d->distance.lo <= p->hi && d->distance.hi >= p->lo, "%s", where);
    TEST_CHECK(width <= width_allowed, "%s", where);
    TEST_CHECK(d->counters.evaluations <= 200, "%s", where);
    ++t->pairs;
    t->supports += d->counters.evaluations;
    t->most = d->counters.evaluations > t->most ? d->counters.evaluations : t->most;
    t->widest = fmax(t->widest, width);
    t->worst = fmax(t->worst, off);
}

static void run_pair(uint64_t seed, const wish *w, tally *t)
{
    pair p;
    make_pair(seed, w, &p);
    abut_distance_result d, back;
    assert_int_equal(abut_distance(p.a.shape, &p.pose_a, p.b.shape, &p.pose_b, NULL, NULL, &d), ABUT_OK);
    judge(&p, &d, 1e-13, t);
    assert_int_equal(abut_distance(p.b.shape, &p.pose_b, p.a.shape, &p.pose_a, NULL, NULL, &back), ABUT_OK);
    judge(&p, &back, 1e-13, t);
    free_pair(&p);
}

static void report(const char *name, const tally *t)
{
    if (getenv("ABUT_TEST_VERBOSE"))
        print_message("%-24s %8" PRIu64 " pairs, %5.1f supports, most %3" PRIu64
                      ", widest %.2g, worst %.2g of the scale\n",
                      name, t->pairs, (double)t->supports / (double)t->pairs, t->most, t->widest, t->worst);
}

static void test_known(void **state)
{
    (void)state;
    const uint64_t count = test_count(400);
    for (int ka = 0; ka < KINDS; ++ka)
        for (int kb = 0; kb <= ka; ++kb) {
            tally t = { 0 };
            for (uint64_t i = 0; i < count; ++i)
                run_pair(i * KINDS * KINDS + (uint64_t)(ka * KINDS + kb),
                         &(wish){ (kind)ka, (kind)kb, 0.2, 1, 4, 0.01, ANYHOW }, &t);
            char name[64];
            snprintf(name, sizeof name, "%s-%s", kind_names[ka], kind_names[kb]);
            report(name, &t);
        }
}

static void test_scales(void **state)
{
    (void)state;
    const uint64_t count = test_count(12000);
    tally t = { 0 };
    for (uint64_t i = 0; i < count; ++i) {
        test_random r = test_seed(i + 77);
        const kind ka = (kind)test_below(&r, USER), kb = (kind)test_below(&r, USER);
        const wish w = { ka,
                         kb,
                         exp2(test_uniform(&r, -14, 14)),
                         exp2(test_uniform(&r, -2, 2)),
                         exp2(test_uniform(&r, 0, 13.3)),
                         exp2(test_uniform(&r, -10, 1)),
                         ANYHOW };
        run_pair(i, &w, &t);
    }
    report("scales, aspects", &t);
}

/* Round bodies have one pair of nearest points, on the common normal, however small the gap: the
 * distance alone would leave them loose by the root of its rounding. */
static void test_witnesses(void **state)
{
    (void)state;
    const uint64_t count = test_count(8000);
    for (uint64_t i = 0; i < count; ++i) {
        test_random r = test_seed(i + 555);
        const kind ka = test_below(&r, 3) ? ELLIPSOID : SPHERE;
        const wish w = { ka,
                         ELLIPSOID,
                         0.2,
                         exp2(test_uniform(&r, -1, 1)),
                         exp2(test_uniform(&r, 0, 2)),
                         exp2(test_uniform(&r, -30, 1)),
                         ANYHOW };
        pair p;
        make_pair(i + 1000, &w, &p);
        abut_distance_result d;
        assert_int_equal(abut_distance(p.a.shape, &p.pose_a, p.b.shape, &p.pose_b, NULL, NULL, &d), ABUT_OK);
        TEST_CHECK(d.has_points, "seed %" PRIu64, i);
        const vec n = p.n,
                  between = { (long double)d.point_b.x - d.point_a.x, (long double)d.point_b.y - d.point_a.y,
                              (long double)d.point_b.z - d.point_a.z };
        const vec across = cross(n, between);
        TEST_NEAR((double)sqrtl(dot(across, across)), 0, 1e-12 * (double)p.scale,
                  "%s, seed %" PRIu64 ", gap %Lg", kind_names[ka], i, p.lo);
        free_pair(&p);
    }
}

/* Parallel sides, caps on caps and faces, coaxial cones, slants along slants: the nearest points
 * are not unique. */
static void test_aligned(void **state)
{
    (void)state;
    const uint64_t count = test_count(20000);
    tally t = { 0 };
    for (uint64_t i = 0; i < count; ++i) {
        test_random r = test_seed(i + 99);
        const wish w = {
            (kind)test_below(&r, KINDS),   (kind)test_below(&r, KINDS),  0.2,
            exp2(test_uniform(&r, -4, 4)), exp2(test_uniform(&r, 0, 4)), exp2(test_uniform(&r, -10, 1)),
            i % 2 ? ALIGNED : FLIPPED
        };
        run_pair(i, &w, &t);
    }
    report("aligned", &t);
}

static void test_extremes(void **state)
{
    (void)state;
    const uint64_t count = test_count(3000);
    static const struct {
        const char *name;
        double other, aspect, ratio;
    } families[] = { { "needles and discs, 1e6", 1, 1e6, 0.01 },
                     { "nearly spherical", 1, 1 + 1e-9, 0.01 },
                     { "a millionth against 1", 1e-6, 4, 0.01 },
                     { "a million against 1", 1e6, 4, 0.01 },
                     { "far apart", 1, 4, 1e6 },
                     { "1e-7 apart", 1, 4, 1e-7 },
                     { "1e-10 apart", 1, 4, 1e-10 } };
    for (size_t f = 0; f < sizeof families / sizeof *families; ++f) {
        tally t = { 0 };
        for (uint64_t i = 0; i < count; ++i) {
            test_random r = test_seed(i + 55);
            const kind ka = (kind)test_below(&r, USER), kb = i % 3 ? (kind)test_below(&r, USER) : ELLIPSOID;
            run_pair(i,
                     &(wish){ ka, kb, 1, families[f].other, families[f].aspect, families[f].ratio, ANYHOW },
                     &t);
        }
        report(families[f].name, &t);
    }
}

static bool is_round(kind k)
{
    return k == ELLIPSOID || k == CAPSULE || k == SPHERE || k == USER;
}

/* Within 1e-12 of touching, on either side: what is said is true; whether it can be said is up
 * to rounding. */
static void test_touching(void **state)
{
    (void)state;
    const uint64_t count = test_count(12000);
    for (uint64_t i = 0; i < count; ++i) {
        test_random r = test_seed(i + 33);
        const wish w = { (kind)test_below(&r, KINDS),
                         (kind)test_below(&r, KINDS),
                         1,
                         exp2(test_uniform(&r, -4, 4)),
                         exp2(test_uniform(&r, 0, 4)),
                         test_log_uniform(&r, -56, -40),
                         (i % 3) == 0   ? ANYHOW
                         : (i % 3) == 1 ? ALIGNED
                                        : FLIPPED };
        pair p;
        make_pair(i, &w, &p);
        abut_distance_result d;
        abut_overlap_result o;
        assert_int_equal(abut_distance(p.a.shape, &p.pose_a, p.b.shape, &p.pose_b, NULL, NULL, &d), ABUT_OK);
        assert_int_equal(abut_overlap(p.a.shape, &p.pose_a, p.b.shape, &p.pose_b, NULL, NULL, &o), ABUT_OK);
        char where[160];
        snprintf(where, sizeof where,
                 "%s-%s, seed %" PRIu64 ": gap [%La, %La], verdicts %d %d, distance [%a, %a]",
                 kind_names[w.a], kind_names[w.b], i, p.lo, p.hi, d.verdict, o.verdict, d.distance.lo,
                 d.distance.hi);
        TEST_CHECK(d.distance.hi >= p.lo && d.distance.hi <= fmax((double)p.hi, 0) + 1e-12 * (double)p.scale,
                   "%s", where);
        TEST_CHECK(d.distance.lo <= p.hi, "%s", where);
        if (p.lo > 0)
            TEST_CHECK(d.verdict != ABUT_PENETRATING && o.verdict != ABUT_PENETRATING, "%s", where);
        /* Of round bodies it is sure that they overlap. */
        if (p.lo < -1e-15L * p.scale && is_round(w.a) && is_round(w.b))
            TEST_CHECK(d.verdict != ABUT_SEPARATE && o.verdict != ABUT_SEPARATE && d.distance.lo == 0, "%s",
                       where);
        free_pair(&p);
    }
}

/* ---- depth ---- */

/* The direction n of a shallow overlap, found again from one that is off by up to `off`.
 * Anything against an ellipsoid whose radii of curvature exceed the depth has a local maximum of
 * s at n; for two of them it is the only one. */
static void run_depth(uint64_t seed, kind ka, kind kb, double aspect, double ratio, double off, tally *t)
{
    pair p;
    make_pair(seed, &(wish){ ka, kb, 0.2, 1, aspect, -ratio, ANYHOW }, &p);
    test_random r = test_seed(seed + 1);
    abut_convex_pair convex;
    assert_true(abut_convex_pair_from_poses(p.a.shape, &p.pose_a, p.b.shape, &p.pose_b, &convex));
    const vec n = turn(inverse(p.pose_a.rotation), p.n), aside = random_direction(&r);
    const vec from = normalised(add(n, off, aside));
    abut_convex_answer out = { .lo = -INFINITY, .hi = INFINITY };
    out.normal = (abut_vec3){ (double)from.x, (double)from.y, (double)from.z };
    (void)abut_convex_refine_depth(&convex, &out);
    const double gap = (double)(p.lo + convex.radii), missing = gap - out.lo;
    TEST_CHECK(missing <= 2.5 * convex.error,
               "%s-%s, seed %" PRIu64 ": s %a, expected %a, off by %g, error %g", kind_names[ka],
               kind_names[kb], seed, out.lo, gap, missing, convex.error);
    const abut_vec3 w = abut_sub(out.y, out.x);
    TEST_NEAR(abut_dot(w, out.normal), out.lo, 3 * convex.error, "seed %" PRIu64, seed);
    ++t->pairs;
    t->supports += out.supports;
    t->most = out.supports > t->most ? out.supports : t->most;
    t->worst = fmax(t->worst, missing / 0.4);
    free_pair(&p);
}

static void test_depth(void **state)
{
    (void)state;
    const uint64_t count = test_count(4000);
    tally t = { 0 };
    for (uint64_t i = 0; i < count; ++i)
        run_depth(i, ELLIPSOID, ELLIPSOID, 3, i % 2 ? 0.01 : 0.1, 0.3, &t);
    report("depth of ellipsoids", &t);
    for (int k = CYLINDER; k < USER; ++k) {
        t = (tally){ 0 };
        for (uint64_t i = 0; i < count / 4; ++i)
            run_depth(i, (kind)k, ELLIPSOID, 3, 0.01, 0.05, &t);
        report(kind_names[k], &t);
    }
}

/* ---- two ellipsoids against a limit ---- */

/* Least radius of curvature of an ellipsoid. */
static double rolling_ball(const double radii[3])
{
    const double least = fmin(radii[0], fmin(radii[1], radii[2])),
                 most = fmax(radii[0], fmax(radii[1], radii[2]));
    return least * least / most;
}

/* Ellipsoids about one centre, or nearly: no direction may part them sooner than the depth that
 * is proved. */
static void test_one_centre(void **state)
{
    (void)state;
    const uint64_t count = test_count(1500);
    for (uint64_t i = 0; i < count; ++i) {
        test_random r = test_seed(i + 31);
        body a, b;
        make_body(&r, ELLIPSOID, 1, exp2(test_uniform(&r, 0, 3)), &a);
        make_body(&r, ELLIPSOID, exp2(test_uniform(&r, -1, 1)), exp2(test_uniform(&r, 0, 3)), &b);
        const abut_pose at_a = { { 0, 0, 0 }, random_turn(&r) };
        abut_pose at_b = { { 0, 0, 0 }, random_turn(&r) };
        if (test_below(&r, 3) == 0)
            at_b.position.x = exp2(test_uniform(&r, -400, -4));
        abut_check_result c;
        assert_int_equal(abut_check(a.shape, &at_a, b.shape, &at_b, NULL, NULL, &c), ABUT_OK);
        TEST_CHECK(c.verdict == ABUT_PENETRATING && c.has_depth, "seed %" PRIu64, i);
        for (int k = 0; k < 400; ++k) {
            const vec n = normalised(
                (vec){ test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1) });
            const vec x = turn(at_a.rotation, support(&a, turn(inverse(at_a.rotation), n)));
            const vec back = { -n.x, -n.y, -n.z };
            const vec y = turn(at_b.rotation, support(&b, turn(inverse(at_b.rotation), back)));
            const long double parts = dot(n, x) - dot(n, y) - n.x * at_b.position.x;
            TEST_CHECK(c.depth.lo <= parts * (1 + 1e-12L), "seed %" PRIu64 ": depth %a, but %La parts them",
                       i, c.depth.lo, parts);
        }
        abut_shape_release(a.shape);
        abut_shape_release(b.shape);
    }
}

/* The same two of which a minimum was taken for the least because cells on neither side of the
 * centre were examined. */
static void test_one_centre_seen(void **state)
{
    (void)state;
    const abut_vec3 of_a = { 0x1.e34dd554cdfabp+4, 0x1.6420a66de084ap+5, 0x1.20ba4e3b2d0fcp+6 },
                    of_b = { 0x1.4f685212af6f1p+6, 0x1.879f630ea265ap+5, 0x1.295613637839ap+6 };
    const abut_pose at_a = { { 0, 0, 0 },
                             { -0x1.e553fcaafda9cp-2, 0x1.290bd3aeffe7p-3, 0x1.9b5aefaa5846p-2,
                               -0x1.9249e3b12389cp-2 } };
    const abut_pose at_b = { { 0, 0, 0 },
                             { 0x1.43edd9da0ed3ep-1, 0x1.9ecccbf80c8f8p-3, -0x1.4011611b6e37p-3,
                               0x1.664d4720167eap-1 } };
    abut_shape *a, *b;
    abut_check_result c;
    assert_int_equal(abut_shape_create_ellipsoid(of_a, NULL, &a), ABUT_OK);
    assert_int_equal(abut_shape_create_ellipsoid(of_b, NULL, &b), ABUT_OK);
    assert_int_equal(abut_check(a, &at_a, b, &at_b, NULL, NULL, &c), ABUT_OK);
    assert_true(c.verdict == ABUT_PENETRATING && c.depth.lo <= 112.33567399530133 && c.depth.hi >= 110.844);
    abut_shape_release(a);
    abut_shape_release(b);
}

static void test_compare(void **state)
{
    (void)state;
    const uint64_t count = test_count(20000);
    for (uint64_t i = 0; i < count; ++i) {
        test_random r = test_seed(i + 11);
        const double aspect = exp2(test_uniform(&r, 0, i % 4 ? 2 : 10));
        const wish w = { ELLIPSOID, ELLIPSOID, 1, 1, aspect, test_log_uniform(&r, -50, 0), ANYHOW };
        pair p;
        make_pair(i, &w, &p);
        abut_convex_pair convex;
        assert_true(abut_convex_pair_from_poses(p.a.shape, &p.pose_a, p.b.shape, &p.pose_b, &convex));
        abut_convex_answer out;
        const int side = abut_ellipsoid_compare(&convex, 0, &out);
        /* Deeper than the rolling balls one may have passed through the other. */
        const double balls = rolling_ball(convex.a->h) + rolling_ball(convex.b->h);
        const bool clear = fabsl(p.lo) > 1e-12L * p.scale * aspect,
                   meet = w.ratio < 0 && -p.lo < 0.5L * balls;
        if (p.lo > 0)
            TEST_CHECK(clear ? side == 1 : side >= 0, "seed %" PRIu64 ": gap %La, said %d", i, p.lo, side);
        if (p.lo < -1e-15L * p.scale && meet)
            TEST_CHECK(clear ? side == -1 : side <= 0, "seed %" PRIu64 ": gap %La, said %d", i, p.lo, side);
        TEST_CHECK(p.lo <= 0 || (out.lo <= p.hi && out.hi >= p.lo), "seed %" PRIu64, i);
        TEST_CHECK(!meet || out.lo <= 0, "seed %" PRIu64, i);
        TEST_CHECK(!meet || out.hi >= p.lo - 1e-15L * p.scale, "seed %" PRIu64, i);
        if (p.lo > 0) {
            const double limit = (double)p.lo * exp2(test_log_uniform(&r, -30, 2));
            const int far = abut_ellipsoid_compare(&convex, limit, &out);
            TEST_CHECK(far <= 0 || p.hi > limit, "seed %" PRIu64 ": gap %La, limit %a", i, p.lo, limit);
            TEST_CHECK(far >= 0 || p.lo < limit, "seed %" PRIu64 ": gap %La, limit %a", i, p.lo, limit);
            if (fabsl(p.lo - limit) > 1e-13L * p.scale)
                TEST_CHECK(far == (p.lo > limit ? 1 : -1), "seed %" PRIu64 ": gap %La, limit %a, said %d", i,
                           p.lo, limit, far);
        }
        free_pair(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),      cmocka_unit_test(test_scales),
        cmocka_unit_test(test_aligned),    cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_touching),   cmocka_unit_test(test_depth),
        cmocka_unit_test(test_compare),    cmocka_unit_test(test_witnesses),
        cmocka_unit_test(test_one_centre), cmocka_unit_test(test_one_centre_seen)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
