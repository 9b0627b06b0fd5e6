/* SPDX-License-Identifier: MIT */
/* The problems of contact between features: every form of every pair of features of the
 * library's bodies, under all kinds of motions. Jacobians against difference quotients of the
 * equations, enclosures over boxes against values at points of them, numbers of unknowns and
 * equations against the paper's table, and that the equations vanish at contacts known in closed
 * form. */
#include "ccd/surface/surface_scene.h"
#include "shape/shape.h"
#include "support/places.h"

enum { kinds = 7, capsule = 6 };

static abut_shape *make_shape(test_random *r, unsigned kind)
{
    abut_shape *shape = NULL;
    const double a = test_uniform(r, 0.5, 1.5), b = test_uniform(r, 0.5, 1.5), c = test_uniform(r, 0.5, 1.5);
    switch (kind) {
    case 0: assert_int_equal(abut_shape_create_sphere(a, NULL, &shape), ABUT_OK); break;
    case 1: assert_int_equal(abut_shape_create_ellipsoid(v3(a, b, c), NULL, &shape), ABUT_OK); break;
    case 2: assert_int_equal(abut_shape_create_torus(1 + a, 0.5 * b, NULL, &shape), ABUT_OK); break;
    case 3: assert_int_equal(abut_shape_create_cylinder(a, b, NULL, &shape), ABUT_OK); break;
    case 4: assert_int_equal(abut_shape_create_cone(a, b, NULL, &shape), ABUT_OK); break;
    case 5: assert_int_equal(abut_shape_create_box(v3(a, b, c), NULL, &shape), ABUT_OK); break;
    default: assert_int_equal(abut_shape_create_capsule(a, b, NULL, &shape), ABUT_OK); break;
    }
    return shape;
}

static abut_motion *make_motion(test_random *r, unsigned kind)
{
    abut_motion *motion = NULL;
    const abut_placement from = turned_placement(r, 2), to = turned_placement(r, 2);
    abut_affine matrices[3];
    switch (kind) {
    case 0: return NULL;
    case 1:
        assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motion, NULL), ABUT_OK);
        break;
    case 2:
        assert_int_equal(abut_motion_create_velocity(0, 1, &from, random_vec3(r, 2), random_vec3(r, 2), NULL,
                                                     &motion, NULL),
                         ABUT_OK);
        break;
    case 3: assert_int_equal(abut_motion_create_static(&from, NULL, &motion, NULL), ABUT_OK); break;
    default:
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 9; ++j)
                matrices[i].linear.m[j / 3][j % 3] = (j / 3 == j % 3 ? 1.5 : 0) + test_uniform(r, -0.3, 0.3);
            matrices[i].translation = random_vec3(r, 2);
        }
        assert_int_equal(abut_motion_create_affine(0, 1, matrices, 3, NULL, &motion, NULL), ABUT_OK);
        break;
    }
    return motion;
}

typedef struct bench {
    abut_workspace *ws;
    abut_workspace_mark mark;
    abut_shape *shapes[2];
    abut_motion *motions[2];
    abut_surface surfaces[2];
    abut_relative_side sides[2];
    abut_stage stage;
    abut_stage_thread thread;
} bench;

static void bench_open(bench *b, abut_shape *first, abut_motion *moved_by, abut_shape *second,
                       abut_motion *second_by)
{
    assert_int_equal(abut_workspace_create(NULL, &b->ws), ABUT_OK);
    b->mark = abut_workspace_begin(b->ws);
    b->shapes[0] = first;
    b->shapes[1] = second;
    b->motions[0] = moved_by;
    b->motions[1] = second_by;
    b->stage = (abut_stage){ .threads = &b->thread };
    abut_stage_thread_clear(&b->thread);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(abut_shape_surface(b->shapes[i], b->ws, &b->surfaces[i]), ABUT_OK);
        assert_int_equal(
            abut_side_make(&b->surfaces[i], b->motions[i], (abut_interval){ 0, 1 }, &b->sides[i]), ABUT_OK);
    }
    for (int i = 0; i < 2; ++i)
        b->thread.scratch[i] = abut_workspace_take(b->ws, b->surfaces[0].scratch + b->surfaces[1].scratch + 1,
                                                   sizeof *b->thread.scratch[i]);
}

static void bench_close(bench *b)
{
    abut_workspace_end(b->ws, b->mark);
    abut_workspace_destroy(b->ws);
    for (int i = 0; i < 2; ++i) {
        abut_shape_release(b->shapes[i]);
        abut_motion_release(b->motions[i]);
    }
}

static bool has_form(const abut_surface_feature *one, const abut_surface_feature *two, abut_form form)
{
    switch (form) {
    case ABUT_FORM_PARAMETRIC: return one->parametric && two->parametric && one->dimension <= two->dimension;
    case ABUT_FORM_MIXED: return one->parametric && two->field_count > 0;
    case ABUT_FORM_IMPLICIT:
    default: return one->field_count >= two->field_count && two->field_count > 0;
    }
}

static void random_point(test_random *r, const abut_contact_problem *p, double *x)
{
    int n = 0;
    if (p->form == ABUT_FORM_IMPLICIT)
        for (; n < 3; ++n)
            x[n] = test_uniform(r, -1.5, 1.5);
    else
        for (; n < p->feature_one->dimension; ++n)
            x[n] = test_uniform(r, p->feature_one->range[n].lo, p->feature_one->range[n].hi);
    if (p->form == ABUT_FORM_PARAMETRIC)
        for (int i = 0; i < p->feature_two->dimension; ++i, ++n)
            x[n] = test_uniform(r, p->feature_two->range[i].lo, p->feature_two->range[i].hi);
    x[n] = test_uniform(r, 0.1, 0.9);
}

static ABUT_NOINLINE void enclose(const abut_contact_problem *p, const abut_interval *x, int order,
                                  abut_system *out)
{
    ia box[ABUT_PROBLEM_UNKNOWNS];
    for (int i = 0; i < abut_contact_unknowns(p); ++i)
        box[i] = ia_from(x[i]);
    *out = (abut_system){ .holds = 0, .defined = true };
    abut_contact_enclose(p, box, order, 0, out);
}

static abut_system system_over(const abut_contact_problem *p, const abut_interval *x, int order)
{
    abut_system out;
    const abut_rounding saved = abut_rounding_enter();
    enclose(p, x, order, &out);
    abut_rounding_leave(saved);
    return out;
}

static abut_system system_at(const abut_contact_problem *p, const double *x, int order)
{
    abut_interval box[ABUT_PROBLEM_UNKNOWNS];
    for (int i = 0; i < abut_contact_unknowns(p); ++i)
        box[i] = (abut_interval){ x[i], x[i] };
    return system_over(p, box, order);
}

/* Fourth-order difference quotients by unknown j; false where something is not defined near x. */
static bool quotients(const abut_contact_problem *p, const double *x, int j, double h, double *out)
{
    static const double steps[4] = { -2, -1, 1, 2 }, weights[4] = { 1, -8, 8, -1 };
    const int equations = abut_contact_equations(p);
    bool smooth = true;
    for (int i = 0; i < equations; ++i)
        out[i] = 0;
    for (int k = 0; k < 4; ++k) {
        double y[ABUT_PROBLEM_UNKNOWNS];
        memcpy(y, x, sizeof y);
        y[j] += steps[k] * h;
        const abut_system s = system_at(p, y, 0);
        smooth = smooth && s.defined;
        for (int i = 0; i < equations; ++i)
            out[i] += weights[k] * (0.5 * ia_lo(s.f[i]) + 0.5 * ia_hi(s.f[i])) / (12 * h);
    }
    return smooth;
}

/* Three steps tell how good the quotients are, which is 1e-10 unless something is near a
 * singularity (two may agree there by accident). */
static void check_jacobian(const abut_contact_problem *p, const double *x, uint64_t seed)
{
    const int unknowns = abut_contact_unknowns(p), equations = abut_contact_equations(p);
    const abut_system at = system_at(p, x, 1);
    double near[ABUT_PROBLEM_EQUATIONS], far[ABUT_PROBLEM_EQUATIONS], farther[ABUT_PROBLEM_EQUATIONS];
    for (int j = 0; j < unknowns && at.defined; ++j) {
        if (!quotients(p, x, j, 8e-4, farther) || !quotients(p, x, j, 4e-4, far) ||
            !quotients(p, x, j, 2e-4, near))
            continue;
        for (int i = 0; i < equations; ++i) {
            const ia d = at.jacobian[i][j];
            const double mid = 0.5 * ia_lo(d) + 0.5 * ia_hi(d), size = 1 + fabs(mid);
            const double doubt = fmax(fabs(far[i] - near[i]), fabs(farther[i] - far[i]) / 16);
            TEST_NEAR(mid, near[i], 1e-8 * size + doubt + ia_hi(d) - ia_lo(d),
                      "seed %" PRIu64 " form %d dimensions %d %d equation %d unknown %d", seed, (int)p->form,
                      p->feature_one->dimension, p->feature_two->dimension, i, j);
        }
    }
}

static void check_inclusion(const abut_contact_problem *p, const double *x, test_random *r, uint64_t seed)
{
    const int unknowns = abut_contact_unknowns(p), equations = abut_contact_equations(p);
    abut_interval box[ABUT_PROBLEM_UNKNOWNS];
    const double width = exp2(test_uniform(r, -12, -1));
    for (int i = 0; i < unknowns; ++i) {
        const double below = test_uniform(r, 0, 1);
        box[i] = (abut_interval){ x[i] - below * width, x[i] + (1 - below) * width };
    }
    box[unknowns - 1].lo = fmax(box[unknowns - 1].lo, 0);
    box[unknowns - 1].hi = fmin(box[unknowns - 1].hi, 1);
    const abut_system at = system_at(p, x, 1), over = system_over(p, box, 1);
    const bool whole = abut_system_may_vanish(&over, equations);
    for (int i = 0; i < equations; ++i)
        TEST_CHECK(ia_lo(over.f[i]) <= ia_hi(at.f[i]) && ia_lo(at.f[i]) <= ia_hi(over.f[i]),
                   "seed %" PRIu64 " form %d equation %d: [%a %a] and [%a %a]", seed, (int)p->form, i,
                   ia_lo(over.f[i]), ia_hi(over.f[i]), ia_lo(at.f[i]), ia_hi(at.f[i]));
    for (int i = 0; i < equations && whole; ++i)
        for (int j = 0; j < unknowns; ++j)
            TEST_CHECK(ia_lo(over.jacobian[i][j]) <= ia_hi(at.jacobian[i][j]) &&
                           ia_lo(at.jacobian[i][j]) <= ia_hi(over.jacobian[i][j]),
                       "seed %" PRIu64 " form %d entry %d %d", seed, (int)p->form, i, j);
    TEST_CHECK(ia_lo(over.place.x) <= ia_hi(at.place.x) && ia_lo(at.place.x) <= ia_hi(over.place.x),
               "seed %" PRIu64 " place", seed);
}

static void all_forms(void **state)
{
    (void)state;
    const size_t cases = test_count(400);
    size_t seen[3][3][3] = { { { 0 } } };
    for (size_t seed = 0; seed < cases; ++seed) {
        test_random r = test_seed(seed);
        bench b;
        const unsigned first = test_below(&r, kinds), second = test_below(&r, kinds);
        abut_shape *const shape_one = make_shape(&r, first), *const shape_two = make_shape(&r, second);
        abut_motion *const by_one = make_motion(&r, test_below(&r, 5)), *const by_two = make_motion(
                                                                            &r, test_below(&r, 5));
        bench_open(&b, shape_one, by_one, shape_two, by_two);
        b.stage.no_tangency = test_below(&r, 8) == 0;
        for (size_t i = 0; i < b.surfaces[0].feature_count; ++i)
            for (size_t j = 0; j < b.surfaces[1].feature_count; ++j)
                for (int form = 0; form < 3; ++form) {
                    const abut_contact_problem p = { .stage = &b.stage,
                                                     .one = &b.sides[0],
                                                     .two = &b.sides[1],
                                                     .feature_one = &b.surfaces[0].features[i],
                                                     .feature_two = &b.surfaces[1].features[j],
                                                     .form = (abut_form)form };
                    if (!has_form(p.feature_one, p.feature_two, p.form))
                        continue;
                    ++seen[form][p.feature_one->dimension][p.feature_two->dimension];
                    double x[ABUT_PROBLEM_UNKNOWNS];
                    random_point(&r, &p, x);
                    if (first != capsule && second != capsule) /* second derivatives jump at its seams */
                        check_jacobian(&p, x, seed);
                    check_inclusion(&p, x, &r, seed);
                }
        bench_close(&b);
    }
    for (int k1 = 0; k1 < 3 && cases >= 400; ++k1)
        for (int k2 = k1; k2 < 3; ++k2) {
            assert_true(seen[ABUT_FORM_PARAMETRIC][k1][k2] > 0);
            assert_true(seen[ABUT_FORM_MIXED][k1][k2] > 0 && seen[ABUT_FORM_MIXED][k2][k1] > 0);
            assert_true(seen[ABUT_FORM_IMPLICIT][k1][k2] > 0);
        }
}

/* Unknowns and equations by form and dimensions. */
static void sizes(void **state)
{
    (void)state;
    static const struct {
        abut_form form;
        int k1, k2, unknowns, equations;
    } table[] = {
        { ABUT_FORM_PARAMETRIC, 2, 2, 5, 5 }, { ABUT_FORM_PARAMETRIC, 1, 2, 4, 4 },
        { ABUT_FORM_PARAMETRIC, 1, 1, 3, 3 }, { ABUT_FORM_PARAMETRIC, 0, 2, 3, 3 },
        { ABUT_FORM_PARAMETRIC, 0, 1, 2, 3 }, { ABUT_FORM_PARAMETRIC, 0, 0, 1, 3 },
        { ABUT_FORM_MIXED, 2, 2, 3, 3 },      { ABUT_FORM_MIXED, 2, 1, 3, 3 },
        { ABUT_FORM_MIXED, 1, 2, 2, 2 },      { ABUT_FORM_MIXED, 1, 1, 2, 2 },
        { ABUT_FORM_MIXED, 2, 0, 3, 3 },      { ABUT_FORM_MIXED, 0, 2, 1, 1 },
        { ABUT_FORM_MIXED, 0, 1, 1, 2 },      { ABUT_FORM_MIXED, 1, 0, 2, 3 },
        { ABUT_FORM_MIXED, 0, 0, 1, 3 },      { ABUT_FORM_IMPLICIT, 2, 2, 4, 5 },
        { ABUT_FORM_IMPLICIT, 1, 2, 4, 4 },   { ABUT_FORM_IMPLICIT, 1, 1, 4, 4 },
        { ABUT_FORM_IMPLICIT, 0, 2, 4, 4 },   { ABUT_FORM_IMPLICIT, 0, 1, 4, 5 },
        { ABUT_FORM_IMPLICIT, 0, 0, 4, 6 },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
        const abut_stage stage = { .no_tangency = false };
        const abut_surface_feature one = { .dimension = table[i].k1, .field_count = 3 - table[i].k1 };
        const abut_surface_feature two = { .dimension = table[i].k2, .field_count = 3 - table[i].k2 };
        const abut_contact_problem p = {
            .stage = &stage, .feature_one = &one, .feature_two = &two, .form = table[i].form
        };
        assert_int_equal(abut_contact_unknowns(&p), table[i].unknowns);
        assert_int_equal(abut_contact_equations(&p), table[i].equations);
    }
}

/* Two balls of radius 1 touch at t = 1/2, one above the other: equations vanish, the constraints
 * hold; backwards they do not. */
static void known_contact(void **state)
{
    (void)state;
    for (int backwards = 0; backwards < 2; ++backwards)
        for (int form = 0; form < 3; ++form) {
            bench b;
            abut_shape *ball, *other;
            abut_motion *motion;
            const abut_placement from = { .position = v3(0, 3, 0) }, to = { .position = v3(0, 1, 0) };
            assert_int_equal(abut_shape_create_sphere(1, NULL, &ball), ABUT_OK);
            assert_int_equal(abut_shape_create_sphere(1, NULL, &other), ABUT_OK);
            assert_int_equal(abut_motion_create_linear(0, 1, backwards ? &to : &from, backwards ? &from : &to,
                                                       NULL, &motion, NULL),
                             ABUT_OK);
            bench_open(&b, ball, motion, other, NULL);
            const abut_contact_problem p = { .stage = &b.stage,
                                             .one = &b.sides[0],
                                             .two = &b.sides[1],
                                             .feature_one = &b.surfaces[0].features[0],
                                             .feature_two = &b.surfaces[1].features[0],
                                             .form = (abut_form)form };
            const double half_pi = 1.5707963267948966, e = 1e-6;
            double x[ABUT_PROBLEM_UNKNOWNS] = { 3 * half_pi, 0, half_pi, 0, 0.5 };
            if (form == ABUT_FORM_MIXED)
                x[2] = 0.5;
            if (form == ABUT_FORM_IMPLICIT) {
                x[0] = x[2] = 0;
                x[1] = -1;
                x[3] = 0.5;
            }
            abut_interval box[ABUT_PROBLEM_UNKNOWNS];
            for (int i = 0; i < abut_contact_unknowns(&p); ++i)
                box[i] = (abut_interval){ x[i] - e, x[i] + e };
            const abut_system s = system_over(&p, box, 1);
            assert_true(abut_system_may_vanish(&s, abut_contact_equations(&p)));
            assert_int_equal(s.holds, backwards ? -1 : 1);
            assert_true(ia_contains(s.place.y, 1) && ia_contains(s.place.x, 0));
            if (form == ABUT_FORM_IMPLICIT)
                assert_int_equal(s.sufficient, 0x17); /* without the middle row of the product: y */
            bench_close(&b);
        }
}

static ABUT_NOINLINE abut_interval times_over(const abut_contact_problem *p, const abut_interval *x,
                                              const abut_system *s)
{
    ia box[ABUT_PROBLEM_UNKNOWNS];
    const abut_rounding saved = abut_rounding_enter();
    for (int i = 0; i < abut_contact_unknowns(p); ++i)
        box[i] = ia_from(x[i]);
    const abut_interval out = ia_to(abut_contact_times(p, box, s, 0));
    abut_rounding_leave(saved);
    return out;
}

/* The ring and the cone by expressions, with parameters at any angle to the circle on which they
 * touch. */
static abut_shape *sheared(bool cone)
{
    abut_shape *shape = NULL;
    const abut_parametric_def torus_def = { .x = "(2 + 0.5*cos(v - 0.4*u))*cos(u + 0.6*v)",
                                            .y = "(2 + 0.5*cos(v - 0.4*u))*sin(u + 0.6*v)",
                                            .z = "0.5*sin(v - 0.4*u)",
                                            .u = { -9, 9 },
                                            .v = { -9, 9 } };
    const abut_parametric_def cone_def = { .x = "3*(1 - 0.5*v - 0.1*u)*cos(u + 0.8*v)",
                                           .y = "3*(1 - 0.5*v - 0.1*u)*sin(u + 0.8*v)",
                                           .z = "2*v + 0.4*u - 2",
                                           .u = { -9, 9 },
                                           .v = { -9, 9 } };
    assert_int_equal(abut_shape_create_parametric(cone ? &cone_def : &torus_def, NULL, &shape, NULL),
                     ABUT_OK);
    return shape;
}

/* Parameters of the point of the circle at that angle. */
static void sheared_at(bool cone, double angle, double *out)
{
    const double b = cone ? 0.8 : 0.6, c = cone ? 0.1 : -0.4, d = cone ? 0.5 : 1;
    const double other = cone ? 7.0 / 15 : 3.7850937623830774;
    out[0] = (d * angle - b * other) / (d - b * c);
    out[1] = (other - c * angle) / (d - b * c);
}

static abut_shape *library(bool cone)
{
    abut_shape *shape = NULL;
    const abut_status status =
        cone ? abut_shape_create_cone(3, 4, NULL, &shape) : abut_shape_create_torus(2, 0.5, NULL, &shape);
    assert_int_equal(status, ABUT_OK);
    return shape;
}

static abut_motion *carried(test_random *r, unsigned kind, abut_motion *motion)
{
    abut_motion *carrier = make_motion(r, kind), *chain;
    abut_motion *links[2] = { carrier, motion };
    assert_int_equal(abut_motion_create_chain(links, 2, NULL, &chain, NULL), ABUT_OK);
    abut_motion_release(carrier);
    abut_motion_release(motion);
    return chain;
}

/* The ring and the cone of the scene, carried by the same motion: boxes around points of the
 * circle at which they touch keep its time, and narrow ones, far wider in time than in space,
 * lose nearly all that is earlier. */
static void times_on_a_circle(void **state)
{
    (void)state;
    const double truth = 23.0 / 24;
    for (size_t seed = 0; seed < test_count(4000); ++seed) {
        test_random r = test_seed(seed + 300), same;
        bench b;
        abut_motion *motions[2];
        const abut_placement from = { .position = v3(0, 0, 4) }, to = { .position = v3(0, 0, 0) };
        assert_int_equal(abut_motion_create_linear(0, 1, &from, &to, NULL, &motions[0], NULL), ABUT_OK);
        assert_int_equal(abut_motion_create_static(&to, NULL, &motions[1], NULL), ABUT_OK);
        const unsigned kind = 1 + test_below(&r, 3);
        same = r;
        motions[0] = carried(&r, kind, motions[0]);
        motions[1] = carried(&same, kind, motions[1]);
        const bool swapped = test_below(&r, 2), parametric = test_below(&r, 2);
        bench_open(&b, sheared(swapped), motions[swapped], parametric ? sheared(!swapped) : library(!swapped),
                   motions[!swapped]);
        const abut_contact_problem p = { .stage = &b.stage,
                                         .one = &b.sides[0],
                                         .two = &b.sides[1],
                                         .feature_one = &b.surfaces[0].features[0],
                                         .feature_two = &b.surfaces[1].features[0],
                                         .form = parametric ? ABUT_FORM_PARAMETRIC : ABUT_FORM_MIXED };
        const double angle = test_uniform(&r, 0.5, 5.5);
        double at[5] = { 0, 0, 0, 0, truth };
        sheared_at(swapped, angle, at);
        sheared_at(!swapped, angle, at + 2);
        const double size = pow(10, test_uniform(&r, -3.5, -0.5)),
                     later = pow(10, test_uniform(&r, -4, -1.4));
        const int n = abut_contact_unknowns(&p);
        abut_interval x[ABUT_PROBLEM_UNKNOWNS];
        for (int i = 0; i < n; ++i) {
            const double mid = at[i + 1 < n ? i : 4],
                         part = i + 1 < n ? size * pow(10, test_uniform(&r, -2, 0)) : later;
            x[i] = (abut_interval){ mid - test_uniform(&r, 0, part), mid + test_uniform(&r, 0, part) };
        }
        const abut_system s = system_over(&p, x, 1);
        const abut_interval t = s.defined ? times_over(&p, x, &s) : x[n - 1];
        TEST_CHECK(t.lo <= truth + 1e-13 && truth - 1e-13 <= t.hi, "seed %zu: [%a %a]", seed, t.lo, t.hi);
        /* Third order in space, second in time: that is narrowed again and again. */
        const double most = 1000 * size * size * size + 200 * (size + later) * later;
        TEST_CHECK(size > 0.01 || later > 3e-3 || t.lo > truth - 1e-13 - most,
                   "seed %zu: %g early, of size %g and %g", seed, truth - t.lo, size, later);
        bench_close(&b);
    }
}

/* Around `at`, or not. */
static ia around(test_random *r, double at, double width)
{
    return ia_make(at - width * test_uniform(r, 0, 1), at + width * test_uniform(r, 0, 1));
}

static ABUT_NOINLINE void paraboloid_at(test_random *r, int k, const double *d, const double *m,
                                        const double *w, double wide, double narrow, abut_interval *out)
{
    const ia across = around(r, m[1], narrow);
    const ia over[2] = { around(r, w[0], wide), around(r, w[1], wide) },
             slope[2] = { around(r, d[0], narrow), around(r, d[1], narrow) },
             bend[2][2] = { { around(r, m[0], narrow), across }, { across, around(r, m[2], narrow) } };
    const abut_rounding saved = abut_rounding_enter();
    *out = ia_to(abut_paraboloid(k, slope, bend, over));
    abut_rounding_leave(saved);
}

/* Values at points are held, in boxes that hold the middle and in narrow ones that do not; those
 * are as narrow as they should be. */
static void paraboloids_hold_their_values(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < test_count(20000); ++seed) {
        test_random r = test_seed(seed + 700);
        double d[2], m[3], w[2];
        for (int i = 0; i < 3; ++i)
            m[i] = test_below(&r, 6) ? test_uniform(&r, -3, 3) : 0;
        for (int i = 0; i < 2; ++i) {
            d[i] = test_below(&r, 6) ? test_uniform(&r, -1, 1) : 0;
            w[i] = test_uniform(&r, -1, 1);
        }
        const int k = 1 + (int)test_below(&r, 2);
        const double wide = pow(10, test_uniform(&r, -6, 0)), narrow = test_below(&r, 2) ? 0.1 * wide : 0;
        abut_interval found;
        paraboloid_at(&r, k, d, m, w, wide, narrow, &found);
        const long double x = w[0], y = k == 2 ? w[1] : 0;
        const long double value = d[0] * x + d[1] * y + m[0] * x * x / 2 + m[1] * x * y + m[2] * y * y / 2;
        TEST_CHECK((double)value >= found.lo - 1e-15 && (double)value <= found.hi + 1e-15,
                   "seed %" PRIu64 ": %g is not in [%g, %g]", seed, (double)value, found.lo, found.hi);
        TEST_CHECK(found.hi - found.lo <= 30 * wide * (1 + wide), "seed %" PRIu64 ": width %g of %g", seed,
                   found.hi - found.lo, wide);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(sizes), cmocka_unit_test(all_forms),
                                        cmocka_unit_test(known_contact), cmocka_unit_test(times_on_a_circle),
                                        cmocka_unit_test(paraboloids_hold_their_values) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
