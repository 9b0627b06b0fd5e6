/* SPDX-License-Identifier: MIT */
/* The library's bodies as surfaces: points, derivatives, normals and fields are contained;
 * features are those of the body; fields and points agree about inside, outside and on. */
#include "surface/body.h"
#include "surface/check.h"

typedef struct body {
    const char *name;
    double size[3];
} body;

enum { sphere, ellipsoid, torus, cylinder, cone, capsule, box, halfspace, body_count };
static const char *const names[] = { "sphere", "ellipsoid", "torus", "cylinder",
                                     "cone",   "capsule",   "box",   "halfspace" };

static abut_shape *make(int kind, const double *size)
{
    abut_shape *shape = NULL;
    const abut_vec3 v = { size[0], size[1], size[2] };
    switch (kind) {
    case sphere: abut_shape_create_sphere(size[0], NULL, &shape); break;
    case ellipsoid: abut_shape_create_ellipsoid(v, NULL, &shape); break;
    case torus: abut_shape_create_torus(size[0] + size[1], size[1], NULL, &shape); break;
    case cylinder: abut_shape_create_cylinder(size[0], size[1], NULL, &shape); break;
    case cone: abut_shape_create_cone(size[0], size[1], NULL, &shape); break;
    case capsule: abut_shape_create_capsule(size[0], size[1], NULL, &shape); break;
    case box: abut_shape_create_box(v, NULL, &shape); break;
    default: abut_shape_create_halfspace(v, size[1], NULL, &shape); break;
    }
    assert_non_null(shape);
    return shape;
}

/* ---- formulas ---- */

typedef struct subject {
    int kind;
    const double *size;
    const abut_surface_feature *feature;
    double v; /* where the parameter v is: chooses the piece of a capsule */
} subject;

static void turn(num radius, num u, num z, num *out)
{
    out[0] = o_mul(radius, o_cos(u));
    out[1] = o_mul(radius, o_sin(u));
    out[2] = z;
}

static void box_point(const subject *s, const num *in, num *out)
{
    const int id = (int)s->feature->id, d = s->feature->dimension;
    int used = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const int fixed = d == 2 ? id / 2 : id / 4;
        const bool runs = d == 2 ? axis != fixed : d == 1 && axis == fixed;
        int upper = d == 2 ? id & 1 : id >> axis & 1;
        if (d == 1) /* bits of the other two, in order */
            upper = id >> (axis > fixed ? axis - 1 : axis) & 1;
        out[axis] = runs ? o_add(in[used++], o_num(0)) : o_num(upper ? s->size[axis] : -s->size[axis]);
    }
}

static void point(const void *ctx, const num *in, num *out)
{
    const subject *s = ctx;
    const double *size = s->size;
    const abut_surface_feature *f = s->feature;
    num u = in[0], v = in[1];
    switch (s->kind) {
    case sphere:
    case ellipsoid:
        turn(o_cos(v), u, o_sin(v), out);
        for (int i = 0; i < 3; ++i)
            out[i] = o_mul(o_num(s->kind == sphere ? size[0] : size[i]), out[i]);
        break;
    case torus:
        turn(o_add(o_num(size[0] + size[1]), o_mul(o_num(size[1]), o_cos(v))), u,
             o_mul(o_num(size[1]), o_sin(v)), out);
        break;
    case cylinder:
    case cone: {
        num half = o_div(o_num(size[1]), o_num(2));
        if (f->dimension == 0)
            turn(o_num(0), u, half, out);
        else if (f->dimension == 1)
            turn(o_num(size[0]), u, f->id == 0 ? o_neg(half) : half, out);
        else if (f->id > 0)
            turn(v, u, f->id == 1 ? o_neg(half) : half, out);
        else if (s->kind == cylinder)
            turn(o_num(size[0]), u, v, out);
        else
            turn(o_mul(o_num(size[0]), o_div(o_sub(half, v), o_num(size[1]))), u, v, out);
        break;
    }
    case capsule: {
        const double half = size[1] / 2, sign = s->v < 0 ? -1 : 1;
        if (fabs(s->v) <= half) {
            turn(o_num(size[0]), u, v, out);
            break;
        }
        num a = o_div(o_sub(o_mul(o_num(sign), v), o_num(half)), o_num(size[0]));
        turn(o_mul(o_num(size[0]), o_cos(a)), u,
             o_mul(o_num(sign), o_add(o_num(half), o_mul(o_num(size[0]), o_sin(a)))), out);
        break;
    }
    default: box_point(s, in, out); break;
    }
}

typedef struct leaf {
    int kind, number;
    const double *size;
    double z;
} leaf;

static void field(const void *ctx, const num *in, num *out)
{
    const leaf *l = ctx;
    const double *size = l->size;
    num x = in[0], y = in[1], z = in[2];
    num half = o_div(o_num(size[1]), o_num(2)), rho2 = o_add(o_sqr(x), o_sqr(y));
    switch (l->kind) {
    case sphere: *out = o_sub(o_add(rho2, o_sqr(z)), o_sqr(o_num(size[0]))); break;
    case ellipsoid:
        *out = o_add(o_sqr(o_div(x, o_num(size[0]))), o_sqr(o_div(y, o_num(size[1]))));
        *out = o_sub(o_add(*out, o_sqr(o_div(z, o_num(size[2])))), o_num(1));
        break;
    case torus:
        *out = o_add(o_sqr(o_sub(o_sqrt(rho2), o_num(size[0] + size[1]))), o_sqr(z));
        *out = o_sub(*out, o_sqr(o_num(size[1])));
        break;
    case capsule:
        z = fabs(l->z) <= size[1] / 2 ? o_num(0) : l->z > 0 ? o_sub(z, half) : o_add(z, half);
        *out = o_sub(o_add(rho2, o_sqr(z)), o_sqr(o_num(size[0])));
        break;
    case cylinder:
    case cone:
        if (l->number > 0)
            *out = o_sub(l->number == 1 ? o_neg(z) : z, half);
        else if (l->kind == cylinder)
            *out = o_sub(rho2, o_sqr(o_num(size[0])));
        else
            *out = o_sub(rho2, o_sqr(o_mul(o_num(size[0]), o_div(o_sub(half, z), o_num(size[1])))));
        break;
    case box: {
        num c = in[l->number / 2];
        *out = o_sub(l->number & 1 ? c : o_neg(c), o_num(size[l->number / 2]));
        break;
    }
    default:
        *out = o_add(o_mul(o_num(size[0]), x), o_mul(o_num(size[1]), y));
        *out = o_sub(o_add(*out, o_mul(o_num(size[2]), z)), o_num(size[1]));
        break;
    }
}

/* ---- tests ---- */

static void random_size(test_random *r, double *size)
{
    const int spread = test_below(r, 4) ? 2 : 20;
    for (int i = 0; i < 3; ++i)
        size[i] = exp2(test_uniform(r, -spread, spread));
}

static const abut_interval still = { 0, 0 };

static void jets_contain(void **state)
{
    (void)state;
    const uint64_t count = test_count(150);
    for (int kind = 0; kind < halfspace; ++kind)
        for (uint64_t seed = 0; seed < count; ++seed) {
            test_random r = test_seed(seed + 1000 * (uint64_t)kind);
            double size[3];
            random_size(&r, size);
            abut_shape *shape = make(kind, size);
            asked a;
            ask(shape, &a);
            for (size_t i = 0; i < a.surface.feature_count; ++i) {
                const abut_surface_feature *f = &a.surface.features[i];
                subject s = { kind, size, f, 0 };
                /* The orientation u x v is outward but on caps below and on every second face of
                 * a box. */
                double sign = 1;
                if ((kind == cylinder && f->id == 2) || (kind == cylinder && f->id == 1))
                    sign = f->id == 1 ? 1 : -1;
                if (kind == cone && f->id == 1)
                    sign = 1;
                if (kind == box)
                    sign = (f->id & 1 ? 1 : -1) * (f->id / 2 == 1 ? -1 : 1);
                if (kind == capsule) {
                    /* Where the formula changes: judged on each side, at a point that tells. */
                    test_random peek = test_seed(seed * 7 + i);
                    double at;
                    random_part(&peek, f->range[0], &at);
                    random_part(&peek, f->range[1], &at);
                    s.v = at;
                }
                check_jet(&a, i, point, &s, still, sign, seed * 7 + i);
                if (f->dimension == 2 && kind != capsule)
                    check_normal_slopes(&a, i, still, seed * 7 + i);
            }
            forget(&a);
            abut_shape_release(shape);
        }
}

/* A circle of that radius, or a segment of that half length with its ends. */
static void spine_point(const void *ctx, const num *in, num *out)
{
    const subject *s = ctx;
    if (s->kind == torus)
        turn(o_num(s->size[0]), in[0], o_num(0), out);
    else
        turn(o_num(0), o_num(0),
             s->feature->dimension == 1 ? in[0] : o_num(s->feature->id == 0 ? -s->size[0] : s->size[0]), out);
}

static void spines(void **state)
{
    (void)state;
    const uint64_t count = test_count(300);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        double size[3];
        random_size(&r, size);
        size[0] = seed % 5 == 4 ? 0 : size[0];
        const int kind = seed % 2 ? torus : capsule;
        asked a;
        abut_workspace_open(&a.ws, NULL);
        assert_int_equal(kind == torus ? abut_surface_circle(size[0], &a.ws, &a.surface)
                                       : abut_surface_segment(size[0], &a.ws, &a.surface),
                         ABUT_OK);
        a.scratch = abut_workspace_take(&a.ws, a.surface.scratch + 1, sizeof *a.scratch);
        assert_int_equal(a.surface.feature_count, kind == torus || size[0] == 0 ? 1 : 3);
        assert_false(a.surface.solid || a.surface.implicit);
        for (size_t i = 0; i < a.surface.feature_count; ++i) {
            const subject s = { kind, size, &a.surface.features[i], 0 };
            check_jet(&a, i, spine_point, &s, still, 1, seed);
        }
        kernel_job j = { .surface = &a.surface, .scratch = a.scratch };
        run(kernel_bounds, &j);
        assert_true(ia_hi(kind == torus ? j.jet.p.x : j.jet.p.z) == size[0] &&
                    ia_hi(j.jet.p.y) == (kind == torus ? size[0] : 0));
        forget(&a);
    }
}

static void fields_contain(void **state)
{
    (void)state;
    const uint64_t count = test_count(300);
    for (int kind = 0; kind < body_count; ++kind)
        for (uint64_t seed = 0; seed < count; ++seed) {
            test_random r = test_seed(seed + 1000 * (uint64_t)kind);
            double size[3];
            random_size(&r, size);
            abut_shape *shape = make(kind, size);
            asked a;
            ask(shape, &a);
            const double reach = 2 * (size[0] + size[1] + size[2]);
            const abut_interval space[3] = { { -reach, reach }, { -reach, reach }, { -reach, reach } };
            for (size_t i = 0; i < a.surface.feature_count; ++i) {
                const abut_surface_feature *f = &a.surface.features[i];
                for (int k = 0; k < f->field_count; ++k) {
                    leaf l = { kind, (int)(f->data >> (8 * k) & 255), size, 0 };
                    if (kind == capsule) {
                        test_random peek = test_seed((seed * 5 + i) ^ 0xf1e1d);
                        for (int n = 0; n < 3; ++n)
                            random_part(&peek, space[n], &l.z);
                    }
                    check_field(&a, i, k, field, &l, space, still, seed * 5 + i);
                }
            }
            forget(&a);
            abut_shape_release(shape);
        }
}

/* At a point of a feature its fields vanish and it is on the body; a little along the normal it
 * is outside, against it inside. */
static void forms_agree(void **state)
{
    (void)state;
    const uint64_t count = test_count(300);
    for (int kind = 0; kind < halfspace; ++kind)
        for (uint64_t seed = 0; seed < count; ++seed) {
            test_random r = test_seed(seed + 1000 * (uint64_t)kind);
            double size[3];
            for (int i = 0; i < 3; ++i)
                size[i] = exp2(test_uniform(&r, -2, 2));
            abut_shape *shape = make(kind, size);
            asked a;
            ask(shape, &a);
            assert_true(a.surface.solid && a.surface.implicit && !a.surface.deforms);
            for (size_t i = 0; i < a.surface.feature_count; ++i) {
                const abut_surface_feature *f = &a.surface.features[i];
                kernel_job j = { .surface = &a.surface, .feature = f, .order = 1, .scratch = a.scratch };
                for (int k = 0; k < f->dimension; ++k) {
                    const double w = f->range[k].hi - f->range[k].lo;
                    const double at = test_uniform(&r, f->range[k].lo + 0.02 * w, f->range[k].hi - 0.02 * w);
                    j.box[k] = (abut_interval){ at, at };
                }
                run(kernel_jet, &j);
                for (int k = 0; k < 3; ++k)
                    j.x[k] = ia_to(part_of(&j.jet.p, k));
                for (j.field = 0; j.field < f->field_count; ++j.field) {
                    run(kernel_field, &j);
                    TEST_CHECK(ia_contains_zero(j.field_jet.f),
                               "%s %zu seed %" PRIu64 ": field %d is [%a, %a]", names[kind], i, seed, j.field,
                               ia_lo(j.field_jet.f), ia_hi(j.field_jet.f));
                }
                if (f->field_count > 0) {
                    run(kernel_on, &j);
                    TEST_CHECK(j.truth == ABUT_EVERYWHERE, "%s %zu seed %" PRIu64 ": on %d", names[kind], i,
                               seed, (int)j.truth);
                }
                run(kernel_inside, &j);
                assert_int_equal(j.truth, ABUT_SOMEWHERE);
                run(kernel_normals, &j);
                double n[3], p[3], length = 0;
                for (int k = 0; k < 3; ++k) {
                    n[k] = 0;
                    for (int m = 0; m < f->normal_count; ++m)
                        n[k] += ia_mid(part_of(&j.normals[m], k)) /
                                hypot(ia_mid(j.normals[m].x),
                                      hypot(ia_mid(j.normals[m].y), ia_mid(j.normals[m].z)));
                    p[k] = ia_mid(part_of(&j.jet.p, k));
                    length += n[k] * n[k];
                }
                for (int side = -1; side <= 1; side += 2) {
                    for (int k = 0; k < 3; ++k) {
                        const double x = p[k] + side * 1e-4 * n[k] / sqrt(length);
                        j.x[k] = (abut_interval){ x, x };
                    }
                    run(kernel_inside, &j);
                    TEST_CHECK(j.truth == (side < 0 ? ABUT_EVERYWHERE : ABUT_NOWHERE),
                               "%s %zu seed %" PRIu64 " side %d: %d", names[kind], i, seed, side,
                               (int)j.truth);
                }
                run(kernel_bounds, &j);
                for (int k = 0; k < 3; ++k)
                    assert_true(ia_contains(part_of(&j.jet.p, k), p[k]));
            }
            forget(&a);
            abut_shape_release(shape);
        }
}

/* Over a point enclosures are a few ulp of the body wide; over a box of width h the excess falls
 * as h^2, here: the natural form is exact. */
static void enclosures_are_tight(void **state)
{
    (void)state;
    const double size[3] = { 1.25, 0.75, 2 };
    for (int kind = 0; kind < halfspace; ++kind)
        for (uint64_t seed = 0; seed < 200; ++seed) {
            test_random r = test_seed(seed);
            abut_shape *shape = make(kind, size);
            asked a;
            ask(shape, &a);
            for (size_t i = 0; i < a.surface.feature_count; ++i) {
                const abut_surface_feature *f = &a.surface.features[i];
                kernel_job j = { .surface = &a.surface, .feature = f, .order = 2, .scratch = a.scratch };
                for (int k = 0; k < f->dimension; ++k) {
                    const double at = test_uniform(&r, f->range[k].lo, f->range[k].hi);
                    j.box[k] = (abut_interval){ at, at };
                }
                run(kernel_jet, &j);
                const ia3 parts[] = { j.jet.p, j.jet.u, j.jet.v, j.jet.n, j.jet.uu, j.jet.uv, j.jet.vv };
                for (size_t m = 0; m < sizeof parts / sizeof *parts; ++m)
                    for (int k = 0; k < 3; ++k)
                        TEST_CHECK(!(ia_width(part_of(&parts[m], k)) > 0x1p-49),
                                   "%s %zu: part %zu[%d] is %g wide", names[kind], i, m, k,
                                   ia_width(part_of(&parts[m], k)));
            }
            forget(&a);
            abut_shape_release(shape);
        }
}

static void features_are_those_of_the_body(void **state)
{
    (void)state;
    static const size_t expected[body_count][3] = { { 1, 0, 0 }, { 1, 0, 0 }, { 1, 0, 0 },  { 3, 2, 0 },
                                                    { 2, 1, 1 }, { 1, 0, 0 }, { 6, 12, 8 }, { 1, 0, 0 } };
    const double size[3] = { 2, 1, 3 };
    for (int kind = 0; kind < body_count; ++kind) {
        abut_shape *shape = make(kind, size);
        asked a;
        ask(shape, &a);
        expect_counts(&a.surface, expected[kind][0], expected[kind][1], expected[kind][2]);
        forget(&a);
        abut_shape_release(shape);
    }
}

/* Sectors of the apex together hold all normals of the cone. */
static void the_apex_has_all_normals(void **state)
{
    (void)state;
    abut_shape *shape = make(cone, (const double[]){ 1.5, 2.5, 0 });
    asked a;
    ask(shape, &a);
    kernel_job j = { .surface = &a.surface, .feature = &a.surface.features[3], .scratch = a.scratch };
    run(kernel_normals, &j);
    assert_int_equal(j.feature->normal_count, 8);
    for (uint64_t i = 0; i < 10000; ++i) {
        const double u = 6.283185307179586 * (double)i / 10000, n[3] = { 2.5 * cos(u), 2.5 * sin(u), 1.5 };
        bool found = false;
        for (int k = 0; k < 8; ++k)
            found =
                found || (ia_lo(j.normals[k].x) <= n[0] + 1e-15 && ia_hi(j.normals[k].x) >= n[0] - 1e-15 &&
                          ia_lo(j.normals[k].y) <= n[1] + 1e-15 && ia_hi(j.normals[k].y) >= n[1] - 1e-15 &&
                          ia_contains(j.normals[k].z, n[2]));
        TEST_CHECK(found, "no sector holds the normal at %g", u);
    }
    forget(&a);
    abut_shape_release(shape);
}

/* Hulls of random points: vertices, edges and faces agree with one another, and with plain
 * evaluation about inside. */
static void polytopes_are_their_planes(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(60); ++seed) {
        test_random r = test_seed(seed);
        abut_vec3 points[24];
        const size_t count = 4 + test_below(&r, 20);
        const bool grid = test_below(&r, 2); /* points on a grid: polygons with many corners */
        for (size_t i = 0; i < count; ++i) {
            double x[3];
            for (int k = 0; k < 3; ++k)
                x[k] = grid ? (double)test_below(&r, 3) : test_uniform(&r, -1, 1);
            points[i] = (abut_vec3){ x[0], x[1], x[2] };
        }
        abut_shape *shape;
        assert_int_equal(abut_shape_create_convex(points, count, 0, NULL, &shape, NULL), ABUT_OK);
        asked a;
        abut_workspace_open(&a.ws, NULL);
        const abut_status status = abut_shape_surface(shape, &a.ws, &a.surface);
        if (shape->u.convex.hull->dimension < 3) {
            assert_int_equal(status, ABUT_ERR_UNSUPPORTED);
        } else {
            assert_int_equal(status, ABUT_OK);
            const abut_shape_counts n = abut_shape_get_counts(shape);
            expect_counts(&a.surface, n.faces, n.edges, n.vertices);
            kernel_job j = { .surface = &a.surface, .order = 1, .scratch = NULL };
            for (size_t i = 0; i < a.surface.feature_count; ++i) {
                const abut_surface_feature *f = &a.surface.features[i];
                j.feature = f;
                if (!f->parametric)
                    continue;
                j.box[0] = (abut_interval){ 0.25, 0.25 };
                run(kernel_jet, &j);
                run(kernel_normals, &j);
                for (int k = 0; k < 3; ++k)
                    j.x[k] = ia_to(part_of(&j.jet.p, k));
                run(kernel_inside, &j);
                assert_int_equal(j.truth, ABUT_SOMEWHERE);
                for (j.field = 0; j.field < f->field_count; ++j.field) {
                    run(kernel_field, &j);
                    assert_true(ia_contains_zero(j.field_jet.f));
                    assert_true(ia_lo(ia3_dot(j.field_jet.g, j.normals[j.field])) > 0);
                }
                if (f->dimension == 0) {
                    const abut_vec3 p = points[f->id];
                    assert_true(ia_mid(j.jet.p.x) == p.x && ia_mid(j.jet.p.y) == p.y &&
                                ia_mid(j.jet.p.z) == p.z);
                } else {
                    run(kernel_on, &j);
                    assert_true(j.truth != ABUT_NOWHERE);
                }
                /* No point of the set is beyond a face beside the feature. */
                for (int k = 0; k < f->normal_count && f->normal_count < ABUT_FEATURE_MAX_NORMALS; ++k)
                    for (size_t l = 0; l < count; ++l) {
                        const double d = (points[l].x - ia_mid(j.jet.p.x)) * ia_mid(j.normals[k].x) +
                                         (points[l].y - ia_mid(j.jet.p.y)) * ia_mid(j.normals[k].y) +
                                         (points[l].z - ia_mid(j.jet.p.z)) * ia_mid(j.normals[k].z);
                        assert_true(d <= 1e-12);
                    }
            }
            abut_vec3 middle = { 0, 0, 0 };
            for (size_t l = 0; l < count; ++l)
                middle = (abut_vec3){ middle.x + points[l].x / (double)count,
                                      middle.y + points[l].y / (double)count,
                                      middle.z + points[l].z / (double)count };
            j.x[0] = (abut_interval){ middle.x, middle.x };
            j.x[1] = (abut_interval){ middle.y, middle.y };
            j.x[2] = (abut_interval){ middle.z, middle.z };
            run(kernel_inside, &j);
            assert_int_equal(j.truth, ABUT_EVERYWHERE);
            j.x[0] = (abut_interval){ 3, 4 };
            run(kernel_inside, &j);
            assert_int_equal(j.truth, ABUT_NOWHERE);
        }
        forget(&a);
        abut_shape_release(shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jets_contain),
        cmocka_unit_test(spines),
        cmocka_unit_test(fields_contain),
        cmocka_unit_test(forms_agree),
        cmocka_unit_test(enclosures_are_tight),
        cmocka_unit_test(features_are_those_of_the_body),
        cmocka_unit_test(the_apex_has_all_normals),
        cmocka_unit_test(polytopes_are_their_planes),
    };
    return cmocka_run_group_tests(tests, oracle_set_up, oracle_tear_down);
}
