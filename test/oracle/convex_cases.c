/* SPDX-License-Identifier: MIT */
/* See convex_cases.h. */
#include "oracle/convex_cases.h"

#include "support/places.h"

const char *const type_names[TYPES] = { "sphere",    "box",   "capsule", "cylinder", "cone",
                                        "ellipsoid", "hull",  "rounded", "flat",     "triangle",
                                        "segment",   "point", "swept",   "halfspace" };

/* ---- bodies ---- */

abut_vec3 random_direction(test_random *r)
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

/* Points of the grid of DYADIC bodies may be in one plane by chance: in integers, for exactness. */
static bool is_flat_grid(const item *it, double unit)
{
    long e[POINTS][3];
    const size_t count = it->body.count;
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = it->points[i], o = it->points[0];
        e[i][0] = lround(4 * (p.x - o.x) / unit);
        e[i][1] = lround(4 * (p.y - o.y) / unit);
        e[i][2] = lround(4 * (p.z - o.z) / unit);
    }
    for (size_t i = 1; i < count; ++i)
        for (size_t j = 1; j < i; ++j)
            for (size_t k = 1; k < j; ++k)
                if (e[i][0] * (e[j][1] * e[k][2] - e[j][2] * e[k][1]) +
                        e[i][1] * (e[j][2] * e[k][0] - e[j][0] * e[k][2]) +
                        e[i][2] * (e[j][0] * e[k][1] - e[j][1] * e[k][0]) !=
                    0)
                    return false;
    return true;
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
    body->flat = out->type == FLAT || count < 4 || (sizes == DYADIC && is_flat_grid(out, unit));
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

void make_item(test_random *r, enum type type, enum sizes sizes, double unit, item *out)
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

void fill_pool(test_random *r)
{
    static const int exponents[] = { -150, -100, -30, -4, -2, 2, 4, 30, 100, 150 };
    pool_unit = pow(10, exponents[test_below(r, 10)]);
    for (int t = 0; t < TYPES; ++t)
        for (int s = 0; s < SIZES; ++s)
            for (int i = 0; i < ITEMS; ++i) {
                abut_shape_release(pool[t][s][i].shape);
                make_item(r, (enum type)t, (enum sizes)s,
                          s == SCALED ? pool_unit
                          : s == TINY ? 1e-6
                                      : 1,
                          &pool[t][s][i]);
                if (pool[t][s][i].body.core == ORACLE_CORE_POINTS)
                    pool[t][s][i].body.points = pool[t][s][i].points;
            }
}

void empty_pool(void)
{
    for (int t = 0; t < TYPES; ++t)
        for (int s = 0; s < SIZES; ++s)
            for (int i = 0; i < ITEMS; ++i) {
                abut_shape_release(pool[t][s][i].shape);
                pool[t][s][i].shape = NULL;
            }
}

/* ---- placements ---- */

abut_quat random_rotation(test_random *r)
{
    for (;;) {
        const abut_quat q = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                              test_uniform(r, -1, 1) };
        const double square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (square <= 1 && square > 1e-2)
            return q;
    }
}

/* One of the rotations of the cube. */
static abut_quat quarter_turns(test_random *r)
{
    static const abut_quat turns[3] = { { 1, 1, 0, 0 }, { 1, 0, 1, 0 }, { 1, 0, 0, 1 } };
    abut_quat q = { 1, 0, 0, 0 };
    for (unsigned i = test_below(r, 4); i > 0; --i)
        q = quat_product(q, turns[test_below(r, 3)]);
    return q;
}

/* b so that the support points along n touch, then moved on by shift along n. */
abut_vec3 touching_place(const query *q, const long double n[3], long double shift)
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

void world_axis(test_random *r, abut_quat q, long double out[3])
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
            b->rotation = quat_product(a->rotation, quarter_turns(r));
        return;
    }
    if (mode == PARALLEL || mode == TILTED) {
        b->rotation = quat_product(a->rotation, quarter_turns(r));
        if (mode == TILTED) {
            const double angle = pow(10, test_uniform(r, -17, -3));
            b->rotation = quat_product(
                b->rotation, (abut_quat){ 1, angle * random.x, angle * random.y, angle * random.z });
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

void draw_query(test_random *r, query *q)
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
