/* SPDX-License-Identifier: MIT */
/* Every pair of convex types through the public interface, against the referee of oracle/convex_pair.h: random and adversarial placements
 * (touching to 1e-15, parallel, coplanar, concentric, contained, tiny, thin, 1e-150 to 1e150). No certified verdict or enclosure may be wrong; enclosures are
 * narrow, normals part the bodies, the order of the two and a cache change nothing.
 *
 * Failures are gathered by kind and pair of types, and the first of each is printed as a case in hex floats. ABUT_TEST_SCALE=100 makes it 10^7 pairs. */
#include "abut/abut.h"
#include "oracle/convex_pair.h"
#include "support/test.h"

/* ---- bodies ---- */

enum type {
    SPHERE,
    BOX,
    CAPSULE,
    CYLINDER,
    CONE,
    ELLIPSOID,
    HULL,
    ROUNDED, /* a hull with a margin */
    FLAT,    /* the hull of points in a plane */
    TRIANGLE,
    SEGMENT,
    POINT,
    SWEPT,
    HALFSPACE,
    TYPES
};

static const char *const type_names[TYPES] = { "sphere",    "box",   "capsule", "cylinder", "cone",
                                               "ellipsoid", "hull",  "rounded", "flat",     "triangle",
                                               "segment",   "point", "swept",   "halfspace" };

/* How the sizes are drawn. */
enum sizes { ORDINARY, DYADIC, THIN, TINY, SCALED, SIZES };

#define POINTS 40

typedef struct item {
    enum type type;
    oracle_body body;
    abut_vec3 points[POINTS];
    abut_shape *shape;
    double size; /* about that of the body */
} item;

static abut_vec3 random_direction(test_random *r)
{
    for (;;) {
        const abut_vec3 v = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
        const double square = v.x * v.x + v.y * v.y + v.z * v.z;
        if (square <= 1 && square > 1e-3) {
            const double s = 1 / sqrt(square);
            return (abut_vec3){ s * v.x, s * v.y, s * v.z };
        }
    }
}

static double draw_size(test_random *r, enum sizes sizes, double unit)
{
    if (sizes == DYADIC)
        return unit * (1 + test_below(r, 4)) / 4;
    double s = unit * test_uniform(r, .2, 1);
    if (sizes == THIN && test_below(r, 2))
        s *= pow(10, test_uniform(r, -4, 0));
    return s;
}

static void draw_points(test_random *r, enum sizes sizes, double unit, item *out, size_t count, bool flat)
{
    const abut_vec3 axes = { draw_size(r, sizes, unit), draw_size(r, sizes, unit),
                             draw_size(r, sizes, unit) };
    /* Flat sets have exactly one plane: a coordinate plane, or x + y + z = 0 on a grid. */
    const unsigned plane = test_below(r, 4);
    for (size_t i = 0; i < count; ++i) {
        abut_vec3 p = random_direction(r);
        p = (abut_vec3){ p.x * axes.x, p.y * axes.y, p.z * axes.z };
        if (sizes == DYADIC)
            p = (abut_vec3){ unit * ((int)test_below(r, 9) - 4) / 4, unit * ((int)test_below(r, 9) - 4) / 4,
                             unit * ((int)test_below(r, 9) - 4) / 4 };
        if (flat && plane < 3) {
            *(plane == 0 ? &p.x : plane == 1 ? &p.y : &p.z) = sizes == DYADIC ? unit / 2 : 0;
        } else if (flat) {
            const double grid = ldexp(1, ilogb(unit) - 20);
            const double x = grid * floor(p.x / grid), y = grid * floor(p.y / grid);
            p = (abut_vec3){ x, y, -(x + y) };
        }
        out->points[i] = p;
    }
    out->body.core = ORACLE_CORE_POINTS;
    out->body.points = out->points;
    out->body.count = count;
}

static abut_status make_plain(test_random *r, enum sizes sizes, double unit, item *out)
{
    oracle_body *body = &out->body;
    const abut_vec3 h = { draw_size(r, sizes, unit), draw_size(r, sizes, unit), draw_size(r, sizes, unit) };
    const double margin = draw_size(r, sizes, unit) / 4;
    size_t count = 4 + test_below(r, POINTS - 4);
    switch (out->type) {
    case SPHERE:
    case CAPSULE:
        body->core = ORACLE_CORE_POINTS;
        body->points = out->points;
        body->radius = h.x;
        body->count = 1;
        if (out->type == SPHERE)
            return abut_shape_create_sphere(h.x, NULL, &out->shape);
        body->count = 2;
        out->points[0].z = -h.z;
        out->points[1].z = h.z;
        return abut_shape_create_capsule(h.x, 2 * h.z, NULL, &out->shape);
    case BOX:
        body->core = ORACLE_CORE_BOX;
        body->h = h;
        return abut_shape_create_box(h, NULL, &out->shape);
    case CYLINDER:
        body->core = ORACLE_CORE_CYLINDER;
        body->h = (abut_vec3){ h.x, 0, h.z };
        return abut_shape_create_cylinder(h.x, 2 * h.z, NULL, &out->shape);
    case CONE:
        body->core = ORACLE_CORE_CONE;
        body->h = (abut_vec3){ h.x, 0, h.z };
        return abut_shape_create_cone(h.x, 2 * h.z, NULL, &out->shape);
    case ELLIPSOID:
        body->core = ORACLE_CORE_ELLIPSOID;
        body->h = h;
        return abut_shape_create_ellipsoid(h, NULL, &out->shape);
    case HALFSPACE:
        body->core = ORACLE_CORE_HALFSPACE;
        body->h = sizes == DYADIC ? (abut_vec3){ 0, 0, test_below(r, 2) ? 2 : -1 } : random_direction(r);
        body->offset = test_below(r, 4) ? unit * test_uniform(r, -1, 1) : 0;
        return abut_shape_create_halfspace(body->h, body->offset, NULL, &out->shape);
    case TRIANGLE: count = 3; break;
    case SEGMENT: count = 2; break;
    case POINT: count = 1; break;
    default: break;
    }
    draw_points(r, sizes, unit, out, count, out->type == FLAT);
    body->flat = out->type == FLAT || count < 4;
    if (out->type == ROUNDED || (count < 4 && test_below(r, 4) == 0)) {
        body->margin = margin;
        body->flat = false;
    }
    if (out->type == TRIANGLE)
        return abut_shape_create_triangle(out->points, body->margin, NULL, &out->shape, NULL);
    if (out->type == SEGMENT)
        return abut_shape_create_segment(out->points[0], out->points[1], body->margin, NULL, &out->shape,
                                         NULL);
    if (out->type == POINT)
        return abut_shape_create_point(out->points[0], body->margin, NULL, &out->shape, NULL);
    return abut_shape_create_convex(out->points, count, body->margin, NULL, &out->shape, NULL);
}

static void make_item(test_random *r, enum type type, enum sizes sizes, double unit, item *out)
{
    *out = (item){ .type = type };
    abut_status status;
    if (type == SWEPT) {
        static const enum type of[] = { SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL };
        item inner = { .type = of[test_below(r, 7)] };
        status = make_plain(r, sizes, unit, &inner);
        *out = inner;
        out->type = SWEPT;
        if (out->body.core == ORACLE_CORE_POINTS)
            out->body.points = out->points;
        out->body.margin = draw_size(r, sizes, unit) / 4;
        out->shape = NULL;
        if (!status)
            status = abut_shape_create_swept(inner.shape, out->body.margin, NULL, &out->shape, NULL);
        abut_shape_release(inner.shape);
    } else {
        status = make_plain(r, sizes, unit, out);
    }
    if (status)
        TEST_FAIL("cannot make a %s: %s", type_names[type], abut_status_name(status));
    out->size = unit;
}

/* ---- pools: shapes are dear to make, so each round of pairs shares one ---- */

#define ITEMS 3
static item pool[TYPES][SIZES][ITEMS];
static double pool_unit; /* of SCALED */

static void fill_pool(test_random *r, void (*make)(test_random *, enum type, enum sizes, double, item *))
{
    static const int exponents[] = { -150, -100, -30, -4, -2, 2, 4, 30, 100, 150 };
    pool_unit = pow(10, exponents[test_below(r, 10)]);
    for (int t = 0; t < TYPES; ++t)
        for (int s = 0; s < SIZES; ++s)
            for (int i = 0; i < ITEMS; ++i) {
                abut_shape_release(pool[t][s][i].shape);
                make(r, (enum type)t, (enum sizes)s,
                     s == SCALED ? pool_unit
                     : s == TINY ? 1e-6
                                 : 1,
                     &pool[t][s][i]);
                if (pool[t][s][i].body.core == ORACLE_CORE_POINTS)
                    pool[t][s][i].body.points = pool[t][s][i].points;
            }
}

static void empty_pool(void)
{
    for (int t = 0; t < TYPES; ++t)
        for (int s = 0; s < SIZES; ++s)
            for (int i = 0; i < ITEMS; ++i) {
                abut_shape_release(pool[t][s][i].shape);
                pool[t][s][i].shape = NULL;
            }
}

/* ---- placements ---- */

typedef struct query {
    const item *a, *b;
    oracle_convex pair;
    bool random; /* of the kind of which hardly any may stay undecided */
} query;

static abut_quat random_rotation(test_random *r)
{
    for (;;) {
        const abut_quat q = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                              test_uniform(r, -1, 1) };
        const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (square <= 1 && square > 1e-2)
            return q;
    }
}

static abut_quat times(abut_quat p, abut_quat q)
{
    return (abut_quat){ p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
                        p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
                        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
                        p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w };
}

/* One of the rotations of the cube. */
static abut_quat quarter_turns(test_random *r)
{
    static const abut_quat turns[3] = { { 1, 1, 0, 0 }, { 1, 0, 1, 0 }, { 1, 0, 0, 1 } };
    abut_quat q = { 1, 0, 0, 0 };
    for (unsigned i = test_below(r, 4); i > 0; --i)
        q = times(q, turns[test_below(r, 3)]);
    return q;
}

/* b so that the support points along n touch, then moved on by shift along n. */
static abut_vec3 touching_place(const query *q, const long double n[3], long double shift)
{
    const long double back[3] = { -n[0], -n[1], -n[2] };
    long double x[3], y[3], at[3];
    const abut_vec3 p = q->pair.pose_a.position;
    const long double from[3] = { p.x, p.y, p.z };
    if (q->b->type == HALFSPACE || q->a->type == HALFSPACE) {
        /* The plane against the other's support point: along its own normal. */
        return (abut_vec3){ (double)(p.x + n[0] * shift), (double)(p.y + n[1] * shift),
                            (double)(p.z + n[2] * shift) };
    }
    oracle_convex_support(&q->a->body, q->pair.pose_a.rotation, n, x);
    oracle_convex_support(&q->b->body, q->pair.pose_b.rotation, back, y);
    for (int i = 0; i < 3; ++i)
        at[i] = from[i] + (x[i] - y[i]) + shift * n[i];
    return (abut_vec3){ (double)at[0], (double)at[1], (double)at[2] };
}

static void world_axis(test_random *r, abut_quat q, long double out[3])
{
    static const abut_vec3 axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const double sign = test_below(r, 2) ? 1 : -1;
    const abut_pose pose = { { 0, 0, 0 }, q };
    const abut_vec3 n = abut_pose_apply(pose, axes[test_below(r, 3)]);
    out[0] = sign * n.x;
    out[1] = sign * n.y;
    out[2] = sign * n.z;
}

enum mode { RANDOM, TANGENT, ALIGNED, CONCENTRIC, PARALLEL, TILTED, MODES };

static void place(test_random *r, enum mode mode, double unit, query *q)
{
    abut_pose *a = &q->pair.pose_a, *b = &q->pair.pose_b;
    const double far = mode == RANDOM || test_below(r, 2) ? 5 * unit : 0;
    *a = (abut_pose){ { test_uniform(r, -far, far), test_uniform(r, -far, far), test_uniform(r, -far, far) },
                      random_rotation(r) };
    b->rotation = random_rotation(r);
    const abut_vec3 random = random_direction(r);
    long double n[3] = { random.x, random.y, random.z };
    static const long double shifts[] = { 0,      0,     1e-17L, 1e-16L, 1e-15L, 1e-14L,
                                          1e-12L, 1e-9L, 1e-6L,  1e-3L,  1e-2L };
    long double shift = unit * shifts[test_below(r, 11)] * test_uniform(r, .5, 2);
    if (test_below(r, 2))
        shift = -shift;
    if (mode == RANDOM) {
        const double size = fmax(q->a->size, q->b->size), along = test_uniform(r, 0, 1.8) * size;
        b->position = (abut_vec3){ a->position.x + along * random.x, a->position.y + along * random.y,
                                   a->position.z + along * random.z };
        return;
    }
    if (mode == ALIGNED) {
        const double grid = unit / 4;
        a->rotation = quarter_turns(r);
        b->rotation = quarter_turns(r);
        a->position = (abut_vec3){ 0, 0, 0 };
        b->position = (abut_vec3){ grid * ((int)test_below(r, 17) - 8), grid * ((int)test_below(r, 17) - 8),
                                   grid * ((int)test_below(r, 17) - 8) };
        return;
    }
    if (mode == CONCENTRIC) {
        const double tiny = test_below(r, 2) ? 0 : unit * pow(10, test_uniform(r, -16, -2));
        b->position = (abut_vec3){ a->position.x + tiny * random.x, a->position.y + tiny * random.y,
                                   a->position.z + tiny * random.z };
        if (test_below(r, 2))
            b->rotation = times(a->rotation, quarter_turns(r));
        return;
    }
    if (mode == PARALLEL || mode == TILTED) {
        b->rotation = times(a->rotation, quarter_turns(r));
        if (mode == TILTED) {
            const double angle = pow(10, test_uniform(r, -17, -3));
            b->rotation =
                times(b->rotation, (abut_quat){ 1, angle * random.x, angle * random.y, angle * random.z });
        }
    }
    if (mode != TANGENT || test_below(r, 2))
        world_axis(r, test_below(r, 2) ? a->rotation : b->rotation, n);
    b->position = touching_place(q, n, shift);
    if (mode != TANGENT && test_below(r, 2)) {
        /* Slides over the face, so that more than the support points meet. */
        const double s = unit * test_uniform(r, 0, .3);
        abut_vec3 d = random_direction(r);
        const double off = d.x * (double)n[0] + d.y * (double)n[1] + d.z * (double)n[2];
        b->position.x += s * (d.x - off * (double)n[0]);
        b->position.y += s * (d.y - off * (double)n[1]);
        b->position.z += s * (d.z - off * (double)n[2]);
    }
}

/* ---- gathering what is wrong ---- */

enum fault {
    STATUS,
    VERDICT,  /* a certified verdict that the referee refutes */
    DISTANCE, /* an enclosure that the referee refutes */
    DEPTH,
    OVERLAP,
    CLEARANCE,
    WIDE_DISTANCE,
    WIDE_DEPTH,
    WIDE_UNDECIDED,
    NO_DEPTH,
    NORMAL,
    POINTS_OFF,
    CONTACTS_OFF,
    SLOW,
    SWAPPED,
    CACHED,
    UNJUDGED,
    FAULTS
};

static const char *const fault_names[FAULTS] = { "unsupported or failed",
                                                 "VERDICT REFUTED",
                                                 "DISTANCE REFUTED",
                                                 "DEPTH REFUTED",
                                                 "OVERLAP REFUTED",
                                                 "CLEARANCE REFUTED",
                                                 "distance wider than 1e-12",
                                                 "depth wider than 1e-9",
                                                 "undecided wider than 1e-12",
                                                 "no depth",
                                                 "normal does not part them",
                                                 "points not of the bodies",
                                                 "contacts off",
                                                 "more than 200 evaluations",
                                                 "changes with the order",
                                                 "changes with the cache",
                                                 "referee in doubt" };

static uint64_t faults[FAULTS][TYPES][TYPES];
static uint64_t asked, asked_random, undecided, undecided_random;

static void print_body(const char *name, const item *it)
{
    const oracle_body *b = &it->body;
    print_error("  %s: %s core %d h { %a, %a, %a } offset %a radius %a margin %a flat %d\n", name,
                type_names[it->type], b->core, b->h.x, b->h.y, b->h.z, b->offset, b->radius, b->margin,
                b->flat);
    for (size_t i = 0; b->core == ORACLE_CORE_POINTS && i < b->count; ++i)
        print_error("    { %a, %a, %a },\n", b->points[i].x, b->points[i].y, b->points[i].z);
}

static void print_pose(const char *name, abut_pose p)
{
    print_error("  abut_pose %s = { { %a, %a, %a }, { %a, %a, %a, %a } };\n", name, p.position.x,
                p.position.y, p.position.z, p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z);
}

/* Counts it; the first of its kind and pair of types is printed. */
__attribute__((format(printf, 3, 4))) static void blame(const query *q, enum fault fault, const char *format,
                                                        ...)
{
    if (faults[fault][q->a->type][q->b->type]++ > 0)
        return;
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_error("%s: %s - %s (case %" PRIu64 "): %s\n", fault_names[fault], type_names[q->a->type],
                type_names[q->b->type], asked, text);
    print_body("a", q->a);
    print_body("b", q->b);
    print_pose("pose_a", q->pair.pose_a);
    print_pose("pose_b", q->pair.pose_b);
}

/* ---- claims and their judging ---- */

typedef struct claim {
    enum fault fault;
    long double lo, hi; /* of the gap */
} claim;

#define CLAIMS 12

typedef struct claims {
    int count;
    claim list[CLAIMS];
} claims;

static void add_claim(claims *c, enum fault fault, long double lo, long double hi)
{
    c->list[c->count++] = (claim){ fault, lo, hi };
}

static void claim_verdict(claims *c, enum fault fault, abut_verdict verdict, bool flat, double from)
{
    const long double least = LDBL_TRUE_MIN, far = HUGE_VALL, base = from;
    switch (verdict) {
    case ABUT_SEPARATE: add_claim(c, fault, from > 0 ? base : least, far); break;
    case ABUT_TOUCHING: add_claim(c, fault, flat && from == 0 ? -far : base, base); break;
    case ABUT_PENETRATING:
        add_claim(c, fault, flat && from == 0 ? far : -far, from > 0 ? base : -least);
        break;
    case ABUT_UNDECIDED: break;
    }
}

static void claim_distance(claims *c, abut_verdict verdict, abut_interval d)
{
    if (verdict == ABUT_SEPARATE)
        add_claim(c, DISTANCE, d.lo, d.hi);
    else if (verdict == ABUT_UNDECIDED)
        add_claim(c, DISTANCE, -HUGE_VALL, d.hi);
    else if (d.lo != 0 || d.hi != 0)
        add_claim(c, DISTANCE, HUGE_VALL, -HUGE_VALL);
}

static void claim_depth(claims *c, const abut_check_result *r)
{
    if (r->verdict == ABUT_PENETRATING && r->has_depth)
        add_claim(c, DEPTH, -(long double)r->depth.hi, -(long double)r->depth.lo);
    else if (r->verdict == ABUT_UNDECIDED && r->depth.hi < INFINITY)
        add_claim(c, DEPTH, -(long double)r->depth.hi, HUGE_VALL);
}

static bool is_refuted(const claim *c, const oracle_gap *g)
{
    return g->hi < c->lo || g->lo > c->hi;
}

static bool is_accepted(const claim *c, const oracle_gap *g)
{
    return (g->lo >= c->lo && g->hi <= c->hi) || (!is_refuted(c, g) && g->hi - g->lo <= 1e-24L * g->scale);
}

/* What the referee can do no better on: a polytope closes in on a circle of equally good directions by the square of its
 * facets only, as do simplices on a line of contact. Not refuted by any direction it tried, then. */
static bool is_weak(const claim *c, const oracle_gap *g)
{
    return !is_refuted(c, g) && g->hi - g->lo <= (g->hi < -1e-9L * g->scale ? 1e-3L : 1e-14L) * g->scale;
}

static bool all_judged(const claims *c, const oracle_gap *g)
{
    for (int i = 0; i < c->count; ++i)
        if (!is_refuted(&c->list[i], g) && !is_accepted(&c->list[i], g))
            return false;
    return true;
}

static uint64_t thorough, quads, weak;

static oracle_gap judge(const query *q, const claims *c, const abut_vec3 *hints, int hint_count)
{
    long double lo = -HUGE_VALL, hi = HUGE_VALL;
    for (int i = 0; i < c->count; ++i) {
        lo = fmaxl(lo, c->list[i].lo);
        hi = fminl(hi, c->list[i].hi);
    }
    if (lo > hi) {
        lo = HUGE_VALL; /* they contradict each other: as narrow as can be */
        hi = -HUGE_VALL;
    }
    oracle_gap gap = oracle_convex_gap(&q->pair, hints, hint_count, ORACLE_QUICK, lo, hi);
    if (!all_judged(c, &gap)) {
        ++thorough;
        gap = oracle_convex_gap(&q->pair, hints, hint_count, ORACLE_THOROUGH, lo, hi);
    }
    if (!all_judged(c, &gap)) {
        ++quads;
        gap = oracle_convex_gap(&q->pair, hints, hint_count, ORACLE_QUAD, lo, hi);
    }
    for (int i = 0; i < c->count; ++i)
        if (!is_accepted(&c->list[i], &gap) && is_weak(&c->list[i], &gap)) {
            ++weak;
            break;
        } else if (!is_accepted(&c->list[i], &gap))
            blame(q, is_refuted(&c->list[i], &gap) ? c->list[i].fault : UNJUDGED,
                  "claimed [%.20Lg, %.20Lg], true [%.20Lg, %.20Lg], scale %Lg", c->list[i].lo, c->list[i].hi,
                  gap.lo, gap.hi, gap.scale);
    return gap;
}

/* ---- the checks ---- */

#define GAP_FORMAT "distance [%.17g, %.17g] depth [%.17g, %.17g]"
#define GAP_OF(r)  (r)->distance.lo, (r)->distance.hi, (r)->depth.lo, (r)->depth.hi

static void check_width(const query *q, const abut_check_result *r, double scale, bool flat)
{
    const double distance = r->distance.hi - r->distance.lo, depth = r->depth.hi - r->depth.lo;
    if (r->verdict == ABUT_SEPARATE && !(distance <= 1e-12 * scale))
        blame(q, WIDE_DISTANCE, GAP_FORMAT " scale %g", GAP_OF(r), scale);
    if (r->verdict == ABUT_PENETRATING && !flat && !r->has_depth)
        blame(q, NO_DEPTH, GAP_FORMAT, GAP_OF(r));
    if (r->verdict == ABUT_PENETRATING && r->has_depth && !(depth <= 1e-9 * r->depth.hi + 1e-12 * scale))
        blame(q, WIDE_DEPTH, GAP_FORMAT " scale %g", GAP_OF(r), scale);
    if (r->verdict == ABUT_UNDECIDED && !(r->distance.hi + r->depth.hi <= 1e-12 * scale))
        blame(q, WIDE_UNDECIDED, GAP_FORMAT " scale %g", GAP_OF(r), scale);
}

static double length3(abut_vec3 v)
{
    const double most = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    if (!(most > 0))
        return most;
    const double x = v.x / most, y = v.y / most, z = v.z / most;
    return most * sqrt(x * x + y * y + z * z);
}

static abut_vec3 minus3(abut_vec3 a, abut_vec3 b)
{
    return (abut_vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static void check_normal(const query *q, const abut_check_result *r, double scale)
{
    if (r->verdict == ABUT_UNDECIDED)
        return;
    if (!r->has_normal) {
        if (r->verdict != ABUT_TOUCHING)
            blame(q, NORMAL, "none");
        return;
    }
    const double length = length3(r->normal);
    long double error;
    const long double s = oracle_convex_separation(&q->pair, r->normal, &error);
    const double slack = 1e-10 * scale;
    bool parts = true;
    if (r->verdict == ABUT_SEPARATE)
        parts = s >= r->distance.lo - slack;
    else if (r->has_depth)
        parts = -s >= r->depth.lo - slack && -s <= r->depth.hi + slack;
    if (!(fabs(length - 1) <= 1e-14) || !parts)
        blame(q, NORMAL, "{ %.17g, %.17g, %.17g }, length - 1 = %g, parts them by %.20Lg, " GAP_FORMAT,
              r->normal.x, r->normal.y, r->normal.z, length - 1, s, GAP_OF(r));
}

/* Is the point within slack of the body? */
static bool is_of(const item *it, abut_pose pose, abut_vec3 point, long double slack)
{
    const abut_vec3 origin = { 0, 0, 0 };
    const oracle_body body = { .core = ORACLE_CORE_POINTS, .points = &origin, .count = 1 };
    const oracle_convex pair = { &it->body, &body, pose, { point, { 1, 0, 0, 0 } } };
    return oracle_convex_gap(&pair, NULL, 0, ORACLE_QUICK, -HUGE_VALL, slack).lo <= slack;
}

/* Where the contact is shallow against the curvature, points are as good as the root of the depth's accuracy. */
static void check_points(const query *q, const abut_check_result *r, double scale)
{
    if (!r->has_points) {
        if (r->verdict == ABUT_SEPARATE)
            blame(q, POINTS_OFF, "none");
        return;
    }
    const double slack = 1e-4 * scale, fine = 1e-9 * scale + 1e-14 * length3(q->pair.pose_a.position);
    const double apart = length3(minus3(r->point_b, r->point_a));
    bool right = true;
    if (r->verdict == ABUT_SEPARATE) {
        right = apart >= r->distance.lo - fine && apart <= r->distance.hi + fine;
    } else if (r->verdict == ABUT_UNDECIDED || r->has_depth) {
        /* b's point moved out by the depth meets a's. */
        const double depth = r->has_depth ? r->depth.hi : 0;
        const abut_vec3 n = r->normal, p = r->point_b;
        const abut_vec3 moved = { p.x + depth * n.x, p.y + depth * n.y, p.z + depth * n.z };
        right = length3(minus3(moved, r->point_a)) <= slack;
    }
    if (!right || !is_of(q->a, q->pair.pose_a, r->point_a, slack) ||
        !is_of(q->b, q->pair.pose_b, r->point_b, slack))
        blame(q, POINTS_OFF,
              "%s a { %.17g, %.17g, %.17g } b { %.17g, %.17g, %.17g } apart %.17g, " GAP_FORMAT,
              abut_verdict_name(r->verdict), r->point_a.x, r->point_a.y, r->point_a.z, r->point_b.x,
              r->point_b.y, r->point_b.z, apart, GAP_OF(r));
}

static void check_contacts(const query *q, const abut_check_result *r, double scale, double overlap)
{
    const double slack = 1e-9 * (scale + length3(q->pair.pose_a.position)) + overlap;
    const bool meeting = r->verdict == ABUT_TOUCHING || r->verdict == ABUT_PENETRATING;
    if (r->contact_count < meeting || r->contact_count > (meeting ? ABUT_CHECK_CONTACTS : 0)) {
        blame(q, CONTACTS_OFF, "%d of them, %s", r->contact_count, abut_verdict_name(r->verdict));
        return;
    }
    for (int i = 0; i < r->contact_count; ++i) {
        const abut_contact *c = &r->contacts[i];
        if (!(fabs(length3(c->normal) - 1) <= 1e-14) || !is_of(q->a, q->pair.pose_a, c->point, slack) ||
            !is_of(q->b, q->pair.pose_b, c->point, slack)) {
            blame(q, CONTACTS_OFF,
                  "%d of %d { %.17g, %.17g, %.17g } normal { %.17g, %.17g, %.17g }, " GAP_FORMAT, i,
                  r->contact_count, c->point.x, c->point.y, c->point.z, c->normal.x, c->normal.y, c->normal.z,
                  GAP_OF(r));
            return;
        }
    }
}

static bool meets(abut_verdict v)
{
    return v == ABUT_TOUCHING || v == ABUT_PENETRATING;
}

static void check_same(const query *q, enum fault fault, const abut_check_result *r,
                       const abut_check_result *other)
{
    if (r->verdict != ABUT_UNDECIDED && other->verdict != ABUT_UNDECIDED && r->verdict != other->verdict)
        blame(q, fault, "%s " GAP_FORMAT " and %s " GAP_FORMAT, abut_verdict_name(r->verdict), GAP_OF(r),
              abut_verdict_name(other->verdict), GAP_OF(other));
}

static void ask(const query *q, uint64_t number)
{
    abut_check_result r, swapped, cached;
    abut_overlap_result o, oc;
    abut_distance_result d;
    abut_cache cache = { 0 };
    abut_check_opts with_cache;
    abut_overlap_opts with_clearance;
    abut_check_opts_init(&with_cache);
    with_cache.cache = &cache;
    const abut_pose *pa = &q->pair.pose_a, *pb = &q->pair.pose_b;
    const abut_shape *a = q->a->shape, *b = q->b->shape;
    ++asked;
    asked_random += q->random;
    abut_status status = abut_check(a, pa, b, pb, NULL, NULL, &r);
    if (!status)
        status = abut_check(b, pb, a, pa, NULL, NULL, &swapped);
    if (!status)
        status = abut_overlap(a, pa, b, pb, NULL, NULL, &o);
    if (!status)
        status = abut_distance(a, pa, b, pb, NULL, NULL, &d);
    for (int i = 0; i < 2 && !status; ++i)
        status = abut_check(a, pa, b, pb, &with_cache, NULL, &cached);
    abut_overlap_opts_init(&with_clearance);
    static const double near[] = { 0.5, 1 - 1e-9, 1, 1 + 1e-9, 2 };
    if (!status) {
        with_clearance.clearance = r.verdict == ABUT_SEPARATE ? r.distance.hi * near[number % 5] : q->a->size;
        if (with_clearance.clearance > 0x1p1000)
            with_clearance.clearance = 0;
        status = abut_overlap(a, pa, b, pb, &with_clearance, NULL, &oc);
    }
    if (status) {
        blame(q, STATUS, "%s", abut_status_name(status));
        return;
    }
    const bool flat = q->a->body.flat || q->b->body.flat;
    claims c = { 0 };
    claim_verdict(&c, VERDICT, r.verdict, flat, 0);
    claim_distance(&c, r.verdict, r.distance);
    claim_depth(&c, &r);
    claim_verdict(&c, SWAPPED, swapped.verdict, flat, 0);
    claim_distance(&c, swapped.verdict, swapped.distance);
    claim_depth(&c, &swapped);
    claim_verdict(&c, OVERLAP, o.verdict, flat, 0);
    claim_distance(&c, d.verdict, d.distance);
    claim_verdict(&c, CLEARANCE, oc.verdict, flat, with_clearance.clearance);
    claim_distance(&c, cached.verdict, cached.distance);
    claim_depth(&c, &cached);
    const abut_vec3 hints[3] = { r.normal,
                                 { -swapped.normal.x, -swapped.normal.y, -swapped.normal.z },
                                 cached.normal };
    const oracle_gap gap = judge(q, &c, hints, r.has_normal ? (number % 8 ? 1 : 3) : 0);
    const double scale = (double)gap.scale;
    if (r.verdict == ABUT_UNDECIDED) {
        ++undecided;
        undecided_random += q->random;
    }
    check_width(q, &r, scale, flat);
    check_normal(q, &r, scale);
    check_same(q, SWAPPED, &r, &swapped);
    check_same(q, CACHED, &r, &cached);
    if (meets(o.verdict) != meets(r.verdict) && o.verdict != ABUT_UNDECIDED && r.verdict != ABUT_UNDECIDED)
        blame(q, OVERLAP, "not as abut_check");
    if (r.counters.evaluations > 200 || o.counters.evaluations > 200 || d.counters.evaluations > 200 ||
        cached.counters.evaluations > 200)
        blame(q, SLOW, "check %" PRIu64 " overlap %" PRIu64 " distance %" PRIu64, r.counters.evaluations,
              o.counters.evaluations, d.counters.evaluations);
    if (number % 8 == 0) {
        check_points(q, &r, scale);
        check_contacts(q, &r, scale, fmax(0, -(double)gap.lo));
    }
}

static void draw(test_random *r, query *q)
{
    const enum type ta = (enum type)test_below(r, TYPES);
    const enum type tb = (enum type)test_below(r, ta == HALFSPACE ? HALFSPACE : TYPES);
    const unsigned kind = test_below(r, 10);
    enum mode mode = kind < 4 ? RANDOM : (enum mode)(1 + test_below(r, MODES - 1));
    enum sizes sa = ORDINARY, sb = ORDINARY;
    double unit = 1;
    if (mode == ALIGNED) {
        sa = sb = DYADIC;
    } else if (mode != RANDOM) {
        static const enum sizes other[] = { ORDINARY, ORDINARY, THIN, TINY, SCALED, DYADIC };
        sa = other[test_below(r, 6)];
        sb = sa == SCALED ? SCALED
             : sa == TINY ? (test_below(r, 2) ? TINY : ORDINARY)
                          : other[test_below(r, 4)];
        unit = sa == SCALED ? pool_unit : sa == TINY && sb == TINY ? 1e-6 : 1;
    }
    q->a = &pool[ta][sa][test_below(r, ITEMS)];
    q->b = &pool[tb][sb][test_below(r, ITEMS)];
    q->pair.a = &q->a->body;
    q->pair.b = &q->b->body;
    q->random = mode == RANDOM;
    place(r, mode, unit, q);
}

static void finish_campaign(void)
{
    bool failed = false;
    for (int f = 0; f < FAULTS; ++f) {
        uint64_t all = 0;
        for (int i = 0; i < TYPES; ++i)
            for (int k = 0; k < TYPES; ++k)
                all += faults[f][i][k];
        if (all == 0)
            continue;
        print_error("%s: %" PRIu64 " of %" PRIu64 " pairs:", fault_names[f], all, asked);
        for (int i = 0; i < TYPES; ++i)
            for (int k = 0; k < TYPES; ++k)
                if (faults[f][i][k])
                    print_error(" %s-%s %" PRIu64, type_names[i], type_names[k], faults[f][i][k]);
        print_error("\n");
        /* The referee may pass on one pair in 10^5. */
        failed |= f != UNJUDGED || all * 100000 > asked;
    }
    print_message("%" PRIu64 " pairs (%" PRIu64 " random), undecided %" PRIu64 " (%" PRIu64
                  " of the random), %" PRIu64 " judged thoroughly, %" PRIu64 " in 113 bits, %" PRIu64
                  " within 1e-3 only\n",
                  asked, asked_random, undecided, undecided_random, thorough, quads, weak);
    failed |= undecided_random * 100000 > asked_random || weak * 50 > asked;
    memset(faults, 0, sizeof faults);
    asked = asked_random = undecided = undecided_random = thorough = quads = weak = 0;
    if (failed)
        fail();
}

static void campaign(void **state)
{
    (void)state;
    const uint64_t count = test_count(100000);
    const char *only = getenv("ABUT_CAMPAIGN_PAIR"); /* "box-cone": these types only */
    for (uint64_t i = 0; i < count; ++i) {
        test_random r = test_seed(i);
        if (i % 4096 == 0) {
            test_random p = test_seed(i ^ 0x5eed);
            fill_pool(&p, make_item);
        }
        query q;
        draw(&r, &q);
        if (only) {
            char name[40];
            snprintf(name, sizeof name, "%s-%s", type_names[q.a->type], type_names[q.b->type]);
            if (strcmp(name, only) != 0)
                continue;
        }
        ask(&q, i);
    }
    empty_pool();
    finish_campaign();
}

/* ---- tangent pairs moved by 1 % of their size ---- */

/* Bodies of 20 cm, 2 mm apart or into each other, and the same at 1e-4 to 1e4 of that: the distance is good to 1e-12 of itself, the depth to 1e-9. */
static void ask_constructed(test_random *r, const item *a, const item *b, double unit, bool apart)
{
    query q = {
        a,
        b,
        { &a->body, &b->body, { { 0, 0, 0 }, random_rotation(r) }, { { 0, 0, 0 }, random_rotation(r) } },
        false
    };
    const abut_vec3 random = random_direction(r);
    long double n[3] = { random.x, random.y, random.z };
    if (test_below(r, 2))
        world_axis(r, test_below(r, 2) ? q.pair.pose_a.rotation : q.pair.pose_b.rotation, n);
    q.pair.pose_b.position = touching_place(&q, n, (apart ? .01L : -.01L) * unit);
    abut_check_result c;
    abut_distance_result d;
    ++asked;
    if (abut_check(a->shape, &q.pair.pose_a, b->shape, &q.pair.pose_b, NULL, NULL, &c) != ABUT_OK ||
        abut_distance(a->shape, &q.pair.pose_a, b->shape, &q.pair.pose_b, NULL, NULL, &d) != ABUT_OK) {
        blame(&q, STATUS, "constructed");
        return;
    }
    const bool flat = a->body.flat || b->body.flat, moot = flat && c.verdict == ABUT_TOUCHING;
    claims list = { 0 };
    claim_verdict(&list, VERDICT, c.verdict, flat, 0);
    claim_distance(&list, c.verdict, c.distance);
    claim_depth(&list, &c);
    claim_distance(&list, d.verdict, d.distance);
    judge(&q, &list, &c.normal, 1);
    const oracle_gap gap = oracle_convex_gap(&q.pair, &c.normal, 1, ORACLE_QUICK, HUGE_VALL, -HUGE_VALL);
    if (fabsl(gap.lo) < 1e-6L * gap.scale)
        return; /* moved along an edge */
    if (c.verdict == ABUT_UNDECIDED || (c.verdict != ABUT_SEPARATE && !c.has_depth && !moot))
        blame(&q, NO_DEPTH, "%s " GAP_FORMAT, abut_verdict_name(c.verdict), GAP_OF(&c));
    if (c.verdict == ABUT_SEPARATE) {
        const double middle = c.distance.lo + (c.distance.hi - c.distance.lo) / 2;
        const double again = d.distance.lo + (d.distance.hi - d.distance.lo) / 2;
        if (!(fmaxl(fabsl(middle - gap.lo), fabsl(again - gap.lo)) <= 1e-12L * fmaxl(gap.lo, .01L * unit)))
            blame(&q, WIDE_DISTANCE, "constructed: " GAP_FORMAT ", true %.20Lg", GAP_OF(&c), gap.lo);
    } else if (c.has_depth && !((c.depth.hi - c.depth.lo) / 2 <= 1e-9L * fmaxl(-gap.lo, .01L * unit))) {
        blame(&q, WIDE_DEPTH, "constructed: " GAP_FORMAT ", true %.20Lg", GAP_OF(&c), -gap.lo);
    }
}

static void constructed(void **state)
{
    (void)state;
    const uint64_t rounds = test_count(8);
    for (uint64_t round = 0; round < rounds; ++round)
        for (int e = -4; e <= 4; ++e) {
            const double unit = .2 * pow(10, e);
            test_random r = test_seed(round * 100 + (uint64_t)(e + 50));
            static item items[TYPES];
            for (int t = 0; t < HALFSPACE; ++t) {
                make_item(&r, (enum type)t, ORDINARY, unit, &items[t]);
                if (items[t].body.core == ORACLE_CORE_POINTS)
                    items[t].body.points = items[t].points;
            }
            for (int a = 0; a < HALFSPACE; ++a)
                for (int b = 0; b < HALFSPACE; ++b) {
                    ask_constructed(&r, &items[a], &items[b], unit, true);
                    ask_constructed(&r, &items[a], &items[b], unit, false);
                }
            for (int t = 0; t < HALFSPACE; ++t)
                abut_shape_release(items[t].shape);
        }
    finish_campaign();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(campaign),
        cmocka_unit_test(constructed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
