/* SPDX-License-Identifier: MIT */
/* Bounds of pairs of cells against points of the cells: no two points are nearer to each other than any bound
 * says, no point of a cell is nearer than the nearest one, and Newton's method never goes away from it.
 * The points are made here from the parameters, with the sine and cosine of the mathematical library. */
#include "narrow/brep/brep.h"
#include "support/test.h"

static const double pi = 3.14159265358979323846;
static test_random rng;

static double uniform(double lo, double hi)
{
    return test_uniform(&rng, lo, hi);
}

static abut_arc_range range(double middle, double half)
{
    return (abut_arc_range){ cos(middle), sin(middle), half >= pi ? -1 : cos(half),
                             half >= pi ? 0 : sin(half) };
}

static const abut_cell_kind kinds[] = { ABUT_CELL_POINT, ABUT_CELL_SEGMENT,  ABUT_CELL_ARC,
                                        ABUT_CELL_PLANE, ABUT_CELL_TRIANGLE, ABUT_CELL_CYLINDER,
                                        ABUT_CELL_CONE,  ABUT_CELL_TORUS,    ABUT_CELL_TORUS };
enum { KINDS = sizeof kinds / sizeof *kinds };

/* One about the axis of another now and then, or nearly. */
static abut_part random_part(const abut_part *beside)
{
    const int which = (int)test_below(&rng, KINDS);
    abut_part p = { .kind = kinds[which], .face = kinds[which] >= ABUT_CELL_PLANE, .sense = 1 };
    p.sense = uniform(0, 1) < 0.5 ? -1 : 1;
    p.radius = uniform(0.2, 1.5);
    p.major = kinds[which] == ABUT_CELL_TORUS && which == KINDS - 1 ? p.radius + uniform(0, 1) : 0;
    const double slant = uniform(0, 0.5 * pi);
    p.slope = sin(slant);
    p.rise = cos(slant);
    p.v0 = kinds[which] == ABUT_CELL_CONE ? uniform(0, 1) : uniform(-2, 0);
    p.v1 = p.v0 + uniform(0.1, 2);
    p.u0 = uniform(-2, 0);
    p.u1 = p.u0 + uniform(0.1, 2);
    p.a = range(uniform(-3, 3), uniform(0, 1) < 0.3 ? 4 : uniform(0.1, 3));
    p.b = range(uniform(-3, 3), uniform(0, 1) < 0.3 && p.major > 0 ? 4 : uniform(0.1, 1.5));
    if (kinds[which] == ABUT_CELL_TORUS && p.major == 0)
        p.b = range(0.3, 1.2);
    const abut_vec3 z =
        abut_unit_or(abut_v3(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)), abut_v3(0, 0, 1));
    p.z = z;
    p.o = abut_v3(uniform(-2, 2), uniform(-2, 2), uniform(-2, 2));
    if (beside && uniform(0, 1) < 0.4) {
        const double tilt = uniform(0, 1) < 0.5 ? 0 : uniform(0, 0.1);
        p.z = abut_unit_or(abut_madd(beside->z, tilt, z), z);
        p.o = abut_madd(abut_madd(beside->o, uniform(-2, 2), beside->z), tilt, z);
    }
    p.x = abut_unit_or(abut_cross(p.z, fabs(p.z.x) < 0.6 ? abut_v3(1, 0, 0) : abut_v3(0, 1, 0)), z);
    p.y = abut_cross(p.z, p.x);
    p.points[0] = p.o;
    p.points[1] = abut_madd(p.o, uniform(0.2, 2), p.x);
    p.points[2] = abut_madd(abut_madd(p.o, uniform(-1, 2), p.x), uniform(0.2, 2), p.y);
    if (p.kind == ABUT_CELL_ARC || p.kind == ABUT_CELL_POINT)
        p.major = 0;
    return p;
}

/* A cell of the part: split a few times. */
static abut_cell random_cell(const abut_part *p)
{
    abut_cell c, halves[2];
    abut_cell_root(p, 0, 0, &c);
    for (int i = (int)test_below(&rng, 7); i > 0 && p->kind != ABUT_CELL_POINT; --i) {
        abut_cell_split(p, &c, halves);
        c = halves[test_below(&rng, 2)];
        abut_cell_fit(p, 0, &c);
    }
    return c;
}

static double angle_in(const abut_arc_range *r, double t)
{
    const double half = r->cos_half <= -1 ? pi : atan2(r->sin_half, r->cos_half);
    return atan2(r->s, r->c) + half * t;
}

/* The point of the cell at places s and t from -1 to 1 of its ranges. */
static abut_vec3 point_of(const abut_part *p, const abut_cell *c, double s, double t)
{
    const double a = angle_in(&c->a, s), v = c->v0 + 0.5 * (1 + t) * (c->v1 - c->v0);
    const abut_vec3 m = abut_add(abut_scale(cos(a), p->x), abut_scale(sin(a), p->y));
    switch (p->kind) {
    case ABUT_CELL_SEGMENT: return abut_madd(p->o, v, p->z);
    case ABUT_CELL_ARC: return abut_madd(p->o, p->radius, m);
    case ABUT_CELL_PLANE:
        return abut_add(abut_madd(p->o, c->u0 + 0.5 * (1 + s) * (c->u1 - c->u0), p->x), abut_scale(v, p->y));
    case ABUT_CELL_TRIANGLE: {
        const double f = 0.5 * (1 + s), g = 0.5 * (1 + t) * (1 - f);
        return abut_madd(abut_madd(c->corner[0], f, abut_sub(c->corner[1], c->corner[0])), g,
                         abut_sub(c->corner[2], c->corner[0]));
    }
    case ABUT_CELL_CYLINDER: return abut_madd(abut_madd(p->o, p->radius, m), v, p->z);
    case ABUT_CELL_CONE: return abut_madd(abut_madd(p->o, v * p->slope, m), v * p->rise, p->z);
    case ABUT_CELL_TORUS: {
        const double b = angle_in(&c->b, t);
        return abut_madd(abut_madd(p->o, p->major + p->radius * cos(b), m), p->radius * sin(b), p->z);
    }
    default: return p->o;
    }
}

static double away(abut_vec3 a, abut_vec3 b)
{
    return abut_length(abut_sub(a, b));
}

/* Is the meridian of a torus on the outer side of its axis? Faces never cross it. */
static bool is_proper(const abut_part *p)
{
    for (int i = -8; i <= 8 && p->kind == ABUT_CELL_TORUS; ++i)
        if (p->major + p->radius * cos(angle_in(&p->b, 0.125 * i)) < 0)
            return false;
    return true;
}

static void nearest(void **state)
{
    (void)state;
    rng = test_seed(7001);
    for (uint64_t i = test_count(3000); i > 0; --i) {
        const abut_part p = random_part(NULL);
        if (!is_proper(&p))
            continue;
        const abut_cell c = random_cell(&p);
        const abut_vec3 x = abut_v3(uniform(-3, 3), uniform(-3, 3), uniform(-3, 3));
        const abut_vec3 foot = abut_cell_project(&p, &c, x);
        const double d = away(foot, x);
        double least = INFINITY, home = INFINITY;
        for (int k = 0; k < 400; ++k) {
            const abut_vec3 q = point_of(&p, &c, k % 20 / 9.5 - 1, k / 20 / 9.5 - 1);
            least = fmin(least, away(q, x));
            home = fmin(home, away(q, foot));
        }
        TEST_CHECK(d <= least + 1e-12, "kind %d: %a, but a point at %a", (int)p.kind, d, least);
        TEST_CHECK(home <= 0.2 * (c.radius + 1e-9), "kind %d: %a from the cell", (int)p.kind, home);
    }
}

static void bounds(void **state)
{
    (void)state;
    rng = test_seed(7002);
    long sharp = 0, asked = 0;
    for (uint64_t i = test_count(4000); i > 0; --i) {
        const abut_part p = random_part(NULL), q = random_part(&p);
        if (!is_proper(&p) || !is_proper(&q))
            continue;
        const abut_cell c = random_cell(&p), e = random_cell(&q);
        abut_vec3 at[2] = { c.sample, abut_cell_project(&q, &e, c.sample) };
        const double low[] = { abut_brep_bound(&c, &e, INFINITY),
                               abut_brep_bound_parts(&p, &c, &q, &e, INFINITY),
                               abut_brep_bound_toward(&p, &c, &q, &e, at[0], at[1], 0) };
        double least = INFINITY;
        for (int k = 0; k < 400; ++k) {
            abut_vec3 x = point_of(&p, &c, k % 20 / 9.5 - 1, k / 20 / 9.5 - 1);
            abut_vec3 y = point_of(&q, &e, uniform(-1, 1), uniform(-1, 1));
            least = fmin(least, away(x, y));
            y = abut_cell_project(&q, &e, x);
            x = abut_cell_project(&p, &c, y);
            least = fmin(least, away(x, y));
        }
        for (int k = 0; k < 3; ++k)
            TEST_CHECK(low[k] <= least + 1e-11, "kinds %d %d: bound %d is %a, but points at %a", (int)p.kind,
                       (int)q.kind, k, low[k], least);
        sharp += fmax(low[1], low[2]) > 0.999 * least;
        ++asked;
        const double before = away(at[0], at[1]);
        const bool moved = abut_brep_polish(&p, &q, at);
        double home[2] = { INFINITY, INFINITY };
        abut_cell whole[2];
        abut_cell_root(&p, 0, 0, &whole[0]);
        abut_cell_root(&q, 0, 0, &whole[1]);
        for (int k = 0; k < 400 && moved; ++k) {
            const double s = k % 20 / 9.5 - 1, t = k / 20 / 9.5 - 1;
            home[0] = fmin(home[0], away(point_of(&p, &whole[0], s, t), at[0]));
            home[1] = fmin(home[1], away(point_of(&q, &whole[1], s, t), at[1]));
        }
        TEST_CHECK(!moved ||
                       (home[0] < 0.2 * whole[0].radius + 1e-9 && home[1] < 0.2 * whole[1].radius + 1e-9),
                   "kinds %d %d: not on the parts", (int)p.kind, (int)q.kind);
        TEST_CHECK(!moved || away(at[0], at[1]) <= before * (1 + 1e-14), "kinds %d %d: not nearer",
                   (int)p.kind, (int)q.kind);
    }
    /* The bounds are worth something, too. */
    TEST_CHECK(sharp > asked / 4, "%ld of %ld bounds are sharp", sharp, asked);
}

/* Two cylinders and two tori whose nearest points are known. */
static void newton(void **state)
{
    (void)state;
    abut_part p = { .kind = ABUT_CELL_CYLINDER,
                    .face = true,
                    .sense = 1,
                    .radius = 1,
                    .x = { 1, 0, 0 },
                    .y = { 0, 1, 0 },
                    .z = { 0, 0, 1 },
                    .a = { 1, 0, -1, 0 },
                    .v0 = -5,
                    .v1 = 5 };
    abut_part q = p;
    q.z = abut_v3(0, 1, 0);
    q.y = abut_v3(0, 0, -1);
    q.o = abut_v3(2.01, 0, 0);
    abut_vec3 at[2] = { { cos(0.03), sin(0.03), 0.04 }, { 2.01 - cos(0.02), -0.03, sin(0.02) } };
    TEST_CHECK(abut_brep_polish(&p, &q, at), "cylinders");
    TEST_NEAR(away(at[0], at[1]), 0.01, 1e-9, "cylinders");
    p.kind = q.kind = ABUT_CELL_TORUS;
    p.b = q.b = (abut_arc_range){ 1, 0, -1, 0 };
    p.major = q.major = 2;
    q.o = abut_v3(6.01, 0, 0);
    at[0] = abut_v3(3 * cos(0.1), 3 * sin(0.1), 0);
    at[1] = abut_v3(3.01, 0, 0);
    TEST_CHECK(abut_brep_polish(&p, &q, at), "tori");
    TEST_NEAR(away(at[0], at[1]), 0.01, 1e-9, "tori");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest),
        cmocka_unit_test(bounds),
        cmocka_unit_test(newton),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
