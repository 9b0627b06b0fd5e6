/* SPDX-License-Identifier: MIT */
/* Height fields against all kinds of convex bodies with and without margins, at places of a
 * lattice, where they are flush with the walls and diagonals of cells, and at random.
 *
 * Whatever is reported is judged by distances to the bodies from their definitions, and by the
 * height of the ground: points and contacts are in both; bodies that have a ball in common with
 * the ground, found by trying places, penetrate it. */
#include "test_heightfield_support.h"

enum { BALL, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HULL, KINDS, MOST_POINTS = 6 };

typedef struct body {
    int kind, count;
    double h[3],
        /* a ball is its margin about a point; round bodies: radius h[0], half the height h[2] */
        margin;
    abut_vec3 points[MOST_POINTS];
    abut_pose pose;
    double r[3][3];
} body;

static abut_vec3 minus(abut_vec3 a, abut_vec3 b)
{
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static double dot(abut_vec3 a, abut_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static abut_vec3 plus(abut_vec3 a, double t, abut_vec3 b)
{
    return v3(a.x + t * b.x, a.y + t * b.y, a.z + t * b.z);
}

/* ---- distances to the cores ---- */

static double to_segment(abut_vec3 a, abut_vec3 b, abut_vec3 p)
{
    const abut_vec3 e = minus(b, a), d = minus(p, a);
    const double length = dot(e, e), t = length > 0 ? fmin(fmax(dot(d, e) / length, 0), 1) : 0;
    const abut_vec3 off = plus(d, -t, e);
    return sqrt(dot(off, off));
}

static abut_vec3 cross(abut_vec3 a, abut_vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* To the inside of a triangle; infinite where a border is nearer. */
static double to_triangle(const abut_vec3 t[3], abut_vec3 p)
{
    const abut_vec3 n = cross(minus(t[1], t[0]), minus(t[2], t[0]));
    const double size = dot(n, n);
    if (!(size > 1e-20))
        return INFINITY;
    for (int k = 0; k < 3; ++k)
        if (dot(cross(n, minus(t[(k + 1) % 3], t[k])), minus(p, t[k])) < 0)
            return INFINITY;
    return fabs(dot(n, minus(p, t[0]))) / sqrt(size);
}

static bool in_tetrahedron(const abut_vec3 t[4], abut_vec3 p)
{
    for (int k = 0; k < 4; ++k) {
        const abut_vec3 a = t[(k + 1) % 4], n = cross(minus(t[(k + 2) % 4], a), minus(t[(k + 3) % 4], a));
        const double side = dot(n, minus(t[k], a));
        if (fabs(side) < 1e-12 || dot(n, minus(p, a)) * side < 0)
            return false;
    }
    return true;
}

/* The hull is the union of the simplices of its points. */
static double to_hull(const body *b, abut_vec3 p)
{
    double least = INFINITY;
    const abut_vec3 *q = b->points;
    for (int i = 0; i < b->count; ++i)
        for (int j = i; j < b->count; ++j) {
            least = fmin(least, to_segment(q[i], q[j], p));
            for (int k = j + 1; k < b->count && j > i; ++k) {
                least = fmin(least, to_triangle((abut_vec3[]){ q[i], q[j], q[k] }, p));
                for (int l = k + 1; l < b->count; ++l)
                    if (in_tetrahedron((abut_vec3[]){ q[i], q[j], q[k], q[l] }, p))
                        return 0;
            }
        }
    return least;
}

/* The foot is h_i^2 p_i / (t + h_i^2), for the t > 0 that puts it on the surface. */
static double to_ellipsoid(const double h[3], abut_vec3 p)
{
    const double x[3] = { p.x, p.y, p.z };
    double lo = 0, hi = 1e4;
    for (int k = 0; k < 200; ++k) {
        const double t = k == 0 ? 0 : 0.5 * (lo + hi);
        double sum = 0;
        for (int i = 0; i < 3; ++i)
            sum += pow(h[i] * x[i] / (t + h[i] * h[i]), 2);
        if (k == 0 && sum <= 1)
            return 0;
        if (sum > 1)
            lo = t;
        else
            hi = t;
    }
    double square = 0;
    for (int i = 0; i < 3; ++i)
        square += pow(x[i] * hi / (hi + h[i] * h[i]), 2);
    return sqrt(square);
}

static double to_core(const body *b, abut_vec3 p)
{
    const double *h = b->h, side = hypot(p.x, p.y);
    switch (b->kind) {
    case BALL: return sqrt(dot(p, p));
    case CAPSULE: return to_segment(v3(0, 0, -h[2]), v3(0, 0, h[2]), p);
    case BOX:
        return hypot(hypot(fmax(fabs(p.x) - h[0], 0), fmax(fabs(p.y) - h[1], 0)), fmax(fabs(p.z) - h[2], 0));
    case CYLINDER: return hypot(fmax(side - h[0], 0), fmax(fabs(p.z) - h[2], 0));
    case CONE: { /* in the plane of the axis: a triangle */
        const abut_vec3 apex = v3(0, 0, h[2]), rim = v3(h[0], 0, -h[2]), q = v3(side, 0, p.z);
        if (p.z >= -h[2] && side * 2 * h[2] <= h[0] * (h[2] - p.z))
            return 0;
        return fmin(to_segment(apex, rim, q), to_segment(rim, v3(0, 0, -h[2]), q));
    }
    case ELLIPSOID: return to_ellipsoid(h, p);
    default: return to_hull(b, p);
    }
}

/* How far a place of the world is outside. */
static double outside_body(const body *b, abut_vec3 place)
{
    const abut_vec3 d = minus(place, b->pose.position);
    const abut_vec3 p = v3(b->r[0][0] * d.x + b->r[1][0] * d.y + b->r[2][0] * d.z,
                           b->r[0][1] * d.x + b->r[1][1] * d.y + b->r[2][1] * d.z,
                           b->r[0][2] * d.x + b->r[1][2] * d.y + b->r[2][2] * d.z);
    return fmax(to_core(b, p) - b->margin, 0);
}

/* How far above the ground, or beside it. */
static double outside_field(const field *f, abut_vec3 p)
{
    const double s = p.x / f->dx + 0.5 * (double)(f->columns - 1),
                 t = p.y / f->dy + 0.5 * (double)(f->rows - 1);
    const double beside =
        fmax(fmax(-s, s - (double)(f->columns - 1)) * f->dx, fmax(-t, t - (double)(f->rows - 1)) * f->dy);
    const size_t i = (size_t)fmin(fmax(floor(s), 0), (double)(f->columns - 2)),
                 j = (size_t)fmin(fmax(floor(t), 0), (double)(f->rows - 2));
    const double x = s - (double)i, y = t - (double)j, *h = f->heights + j * f->columns + i;
    const double a = h[0], b = h[1], c = h[f->columns], d = h[f->columns + 1];
    const double z = x >= y ? a + x * (b - a) + y * (d - b) : a + y * (c - a) + x * (d - c);
    return fmax(fmax(beside, p.z - z), 0);
}

/* A place such that a ball about it is in both. */
static bool have_ball_in_common(test_random *random, const field *f, const body *b)
{
    const double reach = 3.5, e = 2e-3;
    for (int k = 0; k < 400; ++k) {
        const abut_vec3 p =
            plus(b->pose.position, k < 2 ? 0 : reach * (k % 2 ? 0.3 : 1),
                 v3(test_uniform(random, -1, 1), test_uniform(random, -1, 1), test_uniform(random, -1, 1)));
        if (outside_field(f, p) > 0 || outside_body(b, p) > 0)
            continue;
        bool all = true;
        for (int i = 0; i < 6 && all; ++i) {
            const double s = i % 2 ? e : -e;
            const abut_vec3 q =
                v3(p.x + (i / 2 == 0 ? s : 0), p.y + (i / 2 == 1 ? s : 0), p.z + (i / 2 == 2 ? s : 0));
            all = outside_field(f, q) == 0 && outside_body(b, q) == 0 &&
                  outside_field(f, v3(q.x, q.y, q.z + 8 * e)) == 0;
        }
        if (all)
            return true;
    }
    return false;
}

/* ---- cases ---- */

static double a_number(test_random *r, bool tidy, double lo, double hi)
{
    return tidy ? 0.25 * round(4 * test_uniform(r, lo, hi)) : test_uniform(r, lo, hi);
}

static field a_field(test_random *r, bool tidy)
{
    field f = { .columns = 2 + test_below(r, 4), .rows = 2 + test_below(r, 4) };
    f.dx = tidy ? ldexp(1, (int)test_below(r, 3) - 1) : test_uniform(r, 0.3, 2);
    f.dy = tidy ? ldexp(1, (int)test_below(r, 3) - 1) : test_uniform(r, 0.3, 2);
    const bool level = test_below(r, 4) == 0;
    for (size_t i = 0; i < f.columns * f.rows; ++i)
        f.heights[i] = level ? 0 : tidy ? 0.5 * (double)test_below(r, 4) - 1 : test_uniform(r, -1, 1);
    return f;
}

static void set_rotation(body *b, abut_quat q)
{
    const double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z), w = q.w / n, x = q.x / n,
                 y = q.y / n, z = q.z / n;
    const double m[3][3] = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                             { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                             { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } };
    memcpy(b->r, m, sizeof m);
    b->pose.rotation = q;
}

static body a_body(test_random *r, bool tidy, const field *f)
{
    static const abut_quat turns[4] = { { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 1, 0, 0, 1 }, { 0, 1, 0, 0 } };
    const double x = 0.5 * f->dx * (double)f->columns, y = 0.5 * f->dy * (double)f->rows;
    body b = { .kind = (int)test_below(r, KINDS) };
    for (int i = 0; i < 3; ++i)
        b.h[i] = a_number(r, tidy, 0.25, 1);
    b.margin = b.kind == BALL || b.kind == CAPSULE || test_below(r, 2) ? a_number(r, tidy, 0.25, 1) : 0;
    b.count = 3 + (int)test_below(r, 4); /* triangles too */
    for (int i = 0; i < b.count; ++i)
        b.points[i] = v3(a_number(r, tidy, -1, 1), a_number(r, tidy, -1, 1), a_number(r, tidy, -1, 1));
    if (tidy && test_below(r, 2)) { /* a right triangle, a square, a tetrahedron */
        b.count = 3 + (int)test_below(r, 2);
        b.points[0] = v3(0, 0, 0);
        b.points[1] = v3(1, 0, 0);
        b.points[2] = v3(0, 1, 0);
        b.points[3] = test_below(r, 2) ? v3(1, 1, 0) : v3(0, 0, 1);
    }
    b.pose.position = v3(a_number(r, tidy, -x, x), a_number(r, tidy, -y, y), a_number(r, tidy, -2, 2));
    const abut_quat any = { test_uniform(r, 0.1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                            test_uniform(r, -1, 1) };
    set_rotation(&b, tidy || test_below(r, 4) == 0 ? turns[test_below(r, 4)] : any);
    return b;
}

static abut_shape *shape_of(const body *b)
{
    abut_shape *core = NULL, *swept = NULL;
    abut_status status = ABUT_OK;
    switch (b->kind) {
    case BALL: status = abut_shape_create_sphere(b->margin, NULL, &core); break;
    case CAPSULE: status = abut_shape_create_capsule(b->margin, 2 * b->h[2], NULL, &core); break;
    case BOX: status = abut_shape_create_box(v3(b->h[0], b->h[1], b->h[2]), NULL, &core); break;
    case CYLINDER: status = abut_shape_create_cylinder(b->h[0], 2 * b->h[2], NULL, &core); break;
    case CONE: status = abut_shape_create_cone(b->h[0], 2 * b->h[2], NULL, &core); break;
    case ELLIPSOID: status = abut_shape_create_ellipsoid(v3(b->h[0], b->h[1], b->h[2]), NULL, &core); break;
    default: status = abut_shape_create_convex(b->points, (size_t)b->count, b->margin, NULL, &core, NULL);
    }
    assert_int_equal(status, ABUT_OK);
    if (b->margin == 0 || b->kind == BALL || b->kind == CAPSULE || b->kind == HULL)
        return core;
    assert_int_equal(abut_shape_create_swept(core, b->margin, NULL, &swept, NULL), ABUT_OK);
    abut_shape_release(core);
    return swept;
}

/* ---- what is reported ---- */

static void judge(const field *f, const body *b, const abut_check_result *r, const char *label, uint64_t seed)
{
    const double off = 1e-6 * 3;
    const bool met = r->verdict == ABUT_PENETRATING || r->verdict == ABUT_TOUCHING;
    if (!met)
        return;
    TEST_CHECK(r->has_points == (r->verdict == ABUT_TOUCHING || r->has_depth),
               "%s %" PRIu64 ": points, kind %d %s", label, seed, b->kind, abut_verdict_name(r->verdict));
    TEST_CHECK(r->has_normal && r->contact_count > 0, "%s %" PRIu64 ": no contact, kind %d margin %g", label,
               seed, b->kind, b->margin);
    if (r->has_points && r->verdict == ABUT_TOUCHING) {
        TEST_CHECK(outside_field(f, r->point_a) < off && outside_body(b, r->point_b) < off &&
                       outside_body(b, r->point_a) < off,
                   "%s %" PRIu64 ": points off by %g, %g, kind %d margin %g", label, seed,
                   outside_field(f, r->point_a), outside_body(b, r->point_b), b->kind, b->margin);
    }
    for (int k = 0; k < r->contact_count; ++k) {
        const abut_vec3 p = r->contacts[k].point;
        TEST_CHECK(outside_field(f, p) < off && outside_body(b, p) < off,
                   "%s %" PRIu64 ": contact %d (%g %g %g) of %d off by %g, %g, kind %d margin %g", label,
                   seed, k, p.x, p.y, p.z, r->contact_count, outside_field(f, p), outside_body(b, p), b->kind,
                   b->margin);
        TEST_CHECK(r->contacts[k].normal.z > 0 || r->verdict == ABUT_TOUCHING, "%s %" PRIu64, label, seed);
    }
}

static void everything_told_is_true(void **state)
{
    (void)state;
    const uint64_t count = test_count(6000);
    for (int tidy = 0; tidy < 2; ++tidy) {
        const char *label = tidy ? "lattice" : "random";
        uint64_t verdicts[4] = { 0 };
        for (uint64_t seed = 0; seed < count; ++seed) {
            test_random random = test_seed(2 * seed + (uint64_t)tidy);
            const field f = a_field(&random, tidy);
            const body b = a_body(&random, tidy, &f);
            abut_shape *ground = make(&f), *shape = shape_of(&b);
            abut_check_result r, mirrored;
            assert_int_equal(abut_check(ground, NULL, shape, &b.pose, NULL, NULL, &r), ABUT_OK);
            assert_int_equal(abut_check(shape, &b.pose, ground, NULL, NULL, NULL, &mirrored), ABUT_OK);
            assert_int_equal(r.verdict, mirrored.verdict);
            ++verdicts[r.verdict];
            judge(&f, &b, &r, label, seed);
            TEST_CHECK(r.verdict == ABUT_PENETRATING || !have_ball_in_common(&random, &f, &b),
                       "%s %" PRIu64 ": %s, but a ball is in both, kind %d margin %g", label, seed,
                       abut_verdict_name(r.verdict), b.kind, b.margin);
            abut_shape_release(ground);
            abut_shape_release(shape);
        }
        print_message("%s: undecided %" PRIu64 ", separate %" PRIu64 ", touching %" PRIu64
                      ", penetrating %" PRIu64 "\n",
                      label, verdicts[0], verdicts[1], verdicts[2], verdicts[3]);
        TEST_CHECK(verdicts[0] * 50 <= count, "%" PRIu64 " undecided", verdicts[0]);
    }
}

/* Cases in which a body is flush with walls between columns. */
static void known_verdicts(void **state)
{
    (void)state;
    const struct {
        field f;
        body b;
        abut_verdict verdict;
    } cases[] = {
        { { 2, 2, 2, 2, { -1, 0, 0, 0 } },
          { .kind = BOX, .h = { 0.5, 0.5, 1 }, .pose.position = { 0.5, -0.5, -2 } },
          ABUT_PENETRATING },
        { { 2, 2, 2, 2, { -1, 0, 0, 0 } },
          { .kind = BOX, .h = { 0.5, 0.5, 1 }, .pose.position = { 0.25, -0.5, 0.5 } },
          ABUT_PENETRATING },
        { { 2, 2, 1, 1, { 0 } },
          { .kind = CONE, .h = { 1, 1, 1 }, .pose.position = { 0, -0.5, 1 } },
          ABUT_TOUCHING },
        { { 2, 2, 1, 1, { 0 } }, /* beside it, at its wall */
          { .kind = BOX, .h = { 0.5, 0.5, 0.5 }, .pose.position = { 1, 0, -0.5 } },
          ABUT_TOUCHING },
        { { 3, 2, 1, 1, { 0, 1, 0, 0, 1, 0 } }, /* across a ridge */
          { .kind = BOX, .h = { 0.5, 0.25, 0.5 }, .pose.position = { 0, 0, 1.5 } },
          ABUT_TOUCHING },
        { { 2, 2, 1, 1, { 0 } }, /* beside it, above its wall */
          { .kind = BOX, .h = { 0.5, 0.5, 0.5 }, .pose.position = { 1.25, 0, 0.5 } },
          ABUT_SEPARATE },
        { { 3, 2, 1, 1, { 0 } }, /* in a wall, and too thin for either column */
          { .kind = BOX, .h = { 1e-17, 0.25, 0.25 }, .pose.position = { 0, 0, -1 } },
          ABUT_PENETRATING },
        { { 3, 3, 1, 1, { 0 } }, /* in the wall along a diagonal */
          { .kind = HULL,
            .count = 4,
            .points = { { 0.25, 0.25, 0 }, { 0.75, 0.75, 0 }, { 0.25, 0.25, -1 }, { 0.75, 0.75, -1 } },
            .pose.position = { -1, -1, -1 } },
          ABUT_TOUCHING },
        { { 2, 2, 2, 2, { 0, 0, 1, 0 } },
          { .kind = HULL,
            .count = 3,
            .margin = 1,
            .points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
            .pose.position = { 1.75, 1.25, 0.25 } },
          ABUT_PENETRATING },
        { { 2, 2, 2, 2, { 0, 1, 0, 0 } },
          { .kind = ELLIPSOID, .h = { 1, 1, 0.5 }, .margin = 0.5, .pose.position = { 0.5, -2, 0.75 } },
          ABUT_PENETRATING },
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        body b = cases[k].b;
        set_rotation(&b, (abut_quat){ 1, 0, 0, 0 });
        abut_shape *ground = make(&cases[k].f), *shape = shape_of(&b);
        abut_check_result r;
        assert_int_equal(abut_check(ground, NULL, shape, &b.pose, NULL, NULL, &r), ABUT_OK);
        TEST_CHECK(r.verdict == cases[k].verdict, "case %zu: %s", k, abut_verdict_name(r.verdict));
        assert_true(r.verdict != ABUT_TOUCHING || r.proof == ABUT_PROOF_EXACT || b.kind == HULL);
        judge(&cases[k].f, &b, &r, "known", k);
        abut_shape_release(ground);
        abut_shape_release(shape);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(known_verdicts),
                                        cmocka_unit_test(everything_told_is_true) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
