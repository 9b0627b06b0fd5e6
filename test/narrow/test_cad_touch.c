/* SPDX-License-Identifier: MIT */
/* Exact contact of CAD solids with polygonal faces, judged in integers: prisms over convex polygons are apart,
 * touch or overlap as a separating line of their outlines and their ranges of height say. All
 * coordinates are multiples of 2^-20, so that the judge needs 64 bits. */
#include "abut/query.h"
#include "abut/solid.h"
#include "support/test.h"

#include <stdlib.h>

enum { MOST = 8, UNIT = 1 << 20 };

/* Counter-clockwise; in units. */
typedef struct prism {
    int count;
    int64_t x[MOST], y[MOST], z0, z1;
} prism;

static int64_t turn(const prism *p, int a, int b, int c)
{
    return (p->x[b] - p->x[a]) * (p->y[c] - p->y[a]) - (p->y[b] - p->y[a]) * (p->x[c] - p->x[a]);
}

/* Integer points in convex position: random ones, kept where they turn left all along. */
static prism random_prism(test_random *r)
{
    prism p;
    for (;;) {
        p.count = 3 + (int)test_below(r, 4);
        for (int i = 0; i < p.count; ++i) {
            p.x[i] = (int64_t)test_below(r, 13) - 6;
            p.y[i] = (int64_t)test_below(r, 13) - 6;
        }
        bool convex = true;
        for (int i = 0; i < p.count && convex; ++i)
            for (int k = 0; k < p.count && convex; ++k)
                if (k != i && k != (i + 1) % p.count)
                    convex = turn(&p, i, (i + 1) % p.count, k) > 0;
        if (convex)
            break;
    }
    for (int i = 0; i < p.count; ++i) {
        p.x[i] *= UNIT;
        p.y[i] *= UNIT;
    }
    p.z0 = 0;
    p.z1 = (1 + (int64_t)test_below(r, 3)) * UNIT;
    return p;
}

static prism placed(const prism *p, int quarters, const int64_t shift[3])
{
    prism q = *p;
    for (int i = 0; i < p->count; ++i) {
        int64_t x = p->x[i], y = p->y[i];
        for (int k = 0; k < quarters; ++k) {
            const int64_t t = x;
            x = -y;
            y = t;
        }
        q.x[i] = x + shift[0];
        q.y[i] = y + shift[1];
    }
    q.z0 += shift[2];
    q.z1 += shift[2];
    return q;
}

/* The least of what lies to the right of a's sides in b: 1 apart, 0 touching, -1 neither. */
static int beyond_sides(const prism *a, const prism *b)
{
    int best = -1;
    for (int i = 0; i < a->count; ++i) {
        const int j = (i + 1) % a->count;
        int64_t most = INT64_MIN;
        for (int k = 0; k < b->count; ++k) {
            const int64_t t =
                (a->x[j] - a->x[i]) * (b->y[k] - a->y[i]) - (a->y[j] - a->y[i]) * (b->x[k] - a->x[i]);
            most = t > most ? t : most;
        }
        const int s = most < 0 ? 1 : most == 0 ? 0 : -1;
        best = s > best ? s : best;
    }
    return best;
}

static abut_verdict judge(const prism *a, const prism *b)
{
    int s = beyond_sides(a, b);
    const int t = beyond_sides(b, a);
    s = t > s ? t : s;
    const int64_t gap = a->z0 > b->z0 ? a->z0 - b->z1 : b->z0 - a->z1;
    const int z = gap > 0 ? 1 : gap == 0 ? 0 : -1;
    s = z > s ? z : s;
    return s > 0 ? ABUT_SEPARATE : s == 0 ? ABUT_TOUCHING : ABUT_PENETRATING;
}

static abut_shape *make_extrude(const prism *p)
{
    abut_profile_vertex v[MOST];
    for (int i = 0; i < p->count; ++i)
        v[i] = (abut_profile_vertex){ (double)p->x[i] / UNIT, (double)p->y[i] / UNIT, 0 };
    const abut_profile_loop loop = { v, (size_t)p->count };
    abut_shape *shape = NULL;
    (void)abut_shape_create_extrude(&loop, NULL, 0, (double)p->z1 / UNIT, 0, NULL, &shape, NULL);
    return shape;
}

/* The same as an explicit solid. */
static abut_shape *make_solid(const prism *p, double tolerance)
{
    const uint32_t n = (uint32_t)p->count;
    abut_vec3 v[2 * MOST];
    abut_solid_edge edges[3 * MOST] = { 0 };
    abut_solid_surface surfaces[MOST + 2] = { 0 };
    abut_solid_coedge uses[6 * MOST];
    abut_solid_loop loops[MOST + 2];
    abut_solid_face faces[MOST + 2];
    for (uint32_t i = 0; i < n; ++i) {
        const uint32_t j = (i + 1) % n;
        v[i] = (abut_vec3){ (double)p->x[i] / UNIT, (double)p->y[i] / UNIT, 0 };
        v[n + i] = (abut_vec3){ v[i].x, v[i].y, (double)p->z1 / UNIT };
        edges[i] = (abut_solid_edge){ .kind = ABUT_SOLID_EDGE_LINE, .from = i, .to = j };
        edges[n + i] = (abut_solid_edge){ .kind = ABUT_SOLID_EDGE_LINE, .from = n + i, .to = n + j };
        edges[2 * n + i] = (abut_solid_edge){ .kind = ABUT_SOLID_EDGE_LINE, .from = i, .to = n + i };
        surfaces[i] = (abut_solid_surface){ .kind = ABUT_SOLID_PLANE,
                                            .point = v[i],
                                            .axis = { (double)(p->y[j] - p->y[i]) / UNIT,
                                                      (double)(p->x[i] - p->x[j]) / UNIT, 0 } };
        abut_solid_coedge *u = &uses[4 * i];
        u[0] = (abut_solid_coedge){ i, 1 };
        u[1] = (abut_solid_coedge){ 2 * n + j, 1 };
        u[2] = (abut_solid_coedge){ n + i, -1 };
        u[3] = (abut_solid_coedge){ 2 * n + i, -1 };
        loops[i] = (abut_solid_loop){ u, 4 };
        faces[i] = (abut_solid_face){ i, 1, &loops[i], 1 };
        uses[4 * n + n - 1 - i] = (abut_solid_coedge){ i, -1 };
        uses[5 * n + i] = (abut_solid_coedge){ n + i, 1 };
    }
    surfaces[n] = (abut_solid_surface){ .kind = ABUT_SOLID_PLANE, .axis = { 0, 0, -1 } };
    surfaces[n + 1] = (abut_solid_surface){ .kind = ABUT_SOLID_PLANE,
                                            .point = { 0, 0, (double)p->z1 / UNIT },
                                            .axis = { 0, 0, 1 } };
    for (uint32_t k = 0; k < 2; ++k) {
        loops[n + k] = (abut_solid_loop){ &uses[(4 + k) * n], n };
        faces[n + k] = (abut_solid_face){ n + k, 1, &loops[n + k], 1 };
    }
    const abut_solid_def def = { surfaces, n + 2, v, 2 * n, edges, 3 * n, faces, n + 2, tolerance };
    abut_shape *shape = NULL;
    abut_error e;
    if (abut_shape_create_solid(&def, NULL, &shape, &e) != ABUT_OK)
        print_error("%s\n", e.text);
    return shape;
}

static abut_pose pose_of(int quarters, const int64_t shift[3])
{
    static const double w[4] = { 1, 1, 0, 1 }, z[4] = { 0, 1, 1, -1 };
    return (abut_pose){ { (double)shift[0] / UNIT, (double)shift[1] / UNIT, (double)shift[2] / UNIT },
                        { w[quarters], 0, 0, z[quarters] } };
}

static bool near_prism(const prism *p, abut_vec3 at)
{
    const double slack = 1e-9;
    if (at.z < (double)p->z0 / UNIT - slack || at.z > (double)p->z1 / UNIT + slack)
        return false;
    for (int i = 0; i < p->count; ++i) {
        const int j = (i + 1) % p->count;
        const double dx = (double)(p->x[j] - p->x[i]) / UNIT, dy = (double)(p->y[j] - p->y[i]) / UNIT;
        if (dx * (at.y - (double)p->y[i] / UNIT) - dy * (at.x - (double)p->x[i] / UNIT) < -slack * 20)
            return false;
    }
    return true;
}

/* Slides b along until the judge says that it touches: then by units to and fro. */
static void prisms(void **state)
{
    (void)state;
    test_random r = test_seed(4711);
    long seen[3] = { 0 };
    for (uint64_t n = test_count(400); n > 0; --n) {
        const prism a = random_prism(&r), b = random_prism(&r);
        const int quarters = (int)test_below(&r, 4);
        int64_t shift[3] = { ((int64_t)test_below(&r, 17) - 8) * UNIT,
                             ((int64_t)test_below(&r, 17) - 8) * UNIT,
                             ((int64_t)test_below(&r, 5) - 2) * UNIT };
        const bool solids = test_below(&r, 2);
        abut_shape *sa = solids ? make_solid(&a, 0) : make_extrude(&a),
                   *sb = solids ? make_solid(&b, 0) : make_extrude(&b);
        assert_true(sa && sb);
        /* Along an axis by halves of units, where the outlines have corners. */
        const int axis = (int)test_below(&r, 3);
        prism q = placed(&b, quarters, shift);
        const bool found = judge(&a, &q) == ABUT_TOUCHING;
        for (int k = 0; k < 40 && !found; ++k) {
            shift[axis] += UNIT / 2;
            q = placed(&b, quarters, shift);
            if (judge(&a, &q) == ABUT_TOUCHING)
                break;
        }
        for (int k = 0; k < 4; ++k) {
            int64_t at[3] = { shift[0], shift[1], shift[2] };
            if (k)
                at[axis] += (k == 1 ? 1 : k == 2 ? -1 : (int64_t)test_below(&r, 3) - 1) * (k == 3 ? 4 : 1);
            q = placed(&b, quarters, at);
            const abut_verdict truth = judge(&a, &q);
            const abut_pose pose = pose_of(quarters, at);
            abut_check_result out;
            assert_int_equal(abut_check(sa, NULL, sb, &pose, NULL, NULL, &out), ABUT_OK);
            TEST_CHECK(out.verdict == truth ||
                           (solids && truth != ABUT_TOUCHING && out.verdict == ABUT_UNDECIDED),
                       "%s, %d quarters, at %a %a %a: %s, truly %s", solids ? "solids" : "extrudes", quarters,
                       pose.position.x, pose.position.y, pose.position.z, abut_verdict_name(out.verdict),
                       abut_verdict_name(truth));
            ++seen[truth == ABUT_SEPARATE ? 0 : truth == ABUT_TOUCHING ? 1 : 2];
            if (out.verdict != ABUT_TOUCHING)
                continue;
            TEST_CHECK(out.proof == ABUT_PROOF_EXACT && out.has_normal && out.contact_count > 0, "as exact");
            for (int c = 0; c < out.contact_count; ++c)
                TEST_CHECK(near_prism(&a, out.contacts[c].point) && near_prism(&q, out.contacts[c].point),
                           "contact %d is not on both", c);
            abut_overlap_result overlap;
            assert_int_equal(abut_overlap(sb, &pose, sa, NULL, NULL, NULL, &overlap), ABUT_OK);
            assert_int_equal(overlap.verdict, ABUT_TOUCHING);
        }
        abut_shape_release(sa);
        abut_shape_release(sb);
    }
    print_message("%ld apart, %ld touching, %ld penetrating\n", seen[0], seen[1], seen[2]);
    assert_true(seen[1] > 0);
}

/* Where a tolerance is stated, contact is open. */
static void stated(void **state)
{
    (void)state;
    const prism a = { 4, { 0, UNIT, UNIT, 0 }, { 0, 0, UNIT, UNIT }, 0, UNIT };
    abut_shape *loose = make_solid(&a, 1e-6), *sharp = make_solid(&a, 0), *box = NULL, *ball = NULL;
    assert_int_equal(abut_shape_create_box((abut_vec3){ 0.5, 0.5, 0.5 }, NULL, &box), ABUT_OK);
    assert_int_equal(abut_shape_create_sphere(7, NULL, &ball), ABUT_OK);
    const abut_pose above = { { 0.5, 0.5, 1.5 }, { 1, 0, 0, 0 } }, corner = { { 3, 4, 7 }, { 1, 0, 0, 0 } };
    abut_check_result out;
    assert_int_equal(abut_check(loose, NULL, box, &above, NULL, NULL, &out), ABUT_OK);
    assert_int_equal(out.verdict, ABUT_UNDECIDED);
    assert_int_equal(abut_check(sharp, NULL, box, &above, NULL, NULL, &out), ABUT_OK);
    assert_true(out.verdict == ABUT_TOUCHING && out.proof == ABUT_PROOF_EXACT);
    /* (3, 4, 7) - (1, 1, 1) = (2, 3, 6) */
    assert_int_equal(abut_check(sharp, NULL, ball, &corner, NULL, NULL, &out), ABUT_OK);
    assert_true(out.verdict == ABUT_TOUCHING && out.proof == ABUT_PROOF_EXACT);
    assert_true(out.contacts[0].features[0] == ABUT_FEATURE_VERTEX && out.contacts[0].ids[0] == 6);
    abut_shape_release(loose);
    abut_shape_release(sharp);
    abut_shape_release(box);
    abut_shape_release(ball);
}

/* ---- round bodies about the origin ---- */

static abut_shape *explicit_cylinder(double r, double half)
{
    const abut_solid_surface surfaces[] = {
        { .kind = ABUT_SOLID_CYLINDER, .axis = { 0, 0, 1 }, .radius = r },
        { .kind = ABUT_SOLID_PLANE, .point = { 0, 0, -half }, .axis = { 0, 0, -1 } },
        { .kind = ABUT_SOLID_PLANE, .point = { 0, 0, half }, .axis = { 0, 0, 1 } },
    };
    const abut_vec3 vertices[] = { { r, 0, -half }, { 0, r, half } }, low = { 0, 0, -half },
                    high = { 0, 0, half };
    const abut_solid_edge edges[] = {
        { .kind = ABUT_SOLID_EDGE_CIRCLE, .from = 0, .to = 0, .center = low, .axis = { 0, 0, 1 } },
        { .kind = ABUT_SOLID_EDGE_CIRCLE, .from = 1, .to = 1, .center = high, .axis = { 0, 0, 1 } },
    };
    const abut_solid_coedge uses[] = { { 0, 1 }, { 1, -1 }, { 0, -1 }, { 1, 1 } };
    const abut_solid_loop loops[] = { { &uses[0], 1 }, { &uses[1], 1 }, { &uses[2], 1 }, { &uses[3], 1 } };
    const abut_solid_face faces[] = { { 0, 1, &loops[0], 2 },
                                      { 1, 1, &loops[2], 1 },
                                      { 2, 1, &loops[3], 1 } };
    const abut_solid_def def = { surfaces, 3, vertices, 2, edges, 2, faces, 3, 0 };
    abut_shape *shape = NULL;
    assert_int_equal(abut_shape_create_solid(&def, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

static abut_shape *whole_surface(abut_solid_surface surface)
{
    const abut_solid_face face = { 0, 1, NULL, 0 };
    const abut_solid_def def = { &surface, 1, NULL, 0, NULL, 0, &face, 1, 0 };
    abut_shape *shape = NULL;
    assert_int_equal(abut_shape_create_solid(&def, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

static abut_shape *turned(const abut_profile_vertex *v, size_t count)
{
    const abut_profile_loop loop = { v, count };
    abut_shape *shape = NULL;
    assert_int_equal(abut_shape_create_revolve(&loop, 0, NULL, &shape, NULL), ABUT_OK);
    return shape;
}

/* Bodies that reach `across` along x and y and `along` along z, and are met there in the middle. */
typedef struct body {
    abut_shape *shape;
    double across, along;
} body;

enum { BODIES = 7 };

static void make_bodies(body out[BODIES])
{
    /* tan(pi / 8), rounded down: the arc ends before it is along an axis */
    const double q = 0.41421356237309503;
    const abut_profile_vertex drum[] = { { 0, -0.5, 0 }, { 1.25, -0.5, 0 }, { 1.25, 0.5, 0 }, { 0, 0.5, 0 } };
    const abut_profile_vertex ball[] = { { 0, -1.5, 1 }, { 0, 1.5, 0 } };
    const abut_profile_vertex rounded[] = { { 0, -1, 0 },   { 0.75, -1, q }, { 1, -0.75, 0 },
                                            { 1, 0.75, q }, { 0.75, 1, 0 },  { 0, 1, 0 } };
    out[0] = (body){ explicit_cylinder(0.75, 1), 0.75, 1 };
    out[1] = (body){ whole_surface((abut_solid_surface){ .kind = ABUT_SOLID_SPHERE, .radius = 1.25 }), 1.25,
                     1.25 };
    out[2] = (body){ turned(drum, 4), 1.25, 0.5 };
    out[3] = (body){ turned(ball, 2), 1.5, 1.5 };
    out[4] = (body){ turned(rounded, 6), 1, 1 };
    assert_int_equal(abut_shape_create_box((abut_vec3){ 0.5, 0.5, 2 }, NULL, &out[5].shape), ABUT_OK);
    out[5].across = 0.5;
    out[5].along = 2;
    assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ 0.5, 0.5, 0.75 }, NULL, &out[6].shape),
                     ABUT_OK);
    out[6].across = 0.5;
    out[6].along = 0.75;
}

/* One on another, along each axis and in each quarter turn: touching where the reaches add up, not where one is
 * moved by a hair. */
static void one_on_another(void **state)
{
    (void)state;
    static const abut_quat turns[3] = { { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 1, 0, 1, 0 } };
    static const int z_of[3] = { 2, 1, 0 }; /* the world's axis that z is along */
    static const double hairs[5] = { 0, 0x1p-44, -0x1p-44, 0x1p-20, -0x1p-20 };
    body of[BODIES];
    make_bodies(of);
    long touching = 0;
    for (int i = 0; i < BODIES; ++i)
        for (int k = 0; k < BODIES; ++k)
            for (int n = 0; n < 9 && i + k < 10; ++n)
                for (int side = 0; side < 6; ++side) {
                    if (i >= 5 && k >= 5)
                        continue; /* neither is a CAD solid */
                    const int axis = side / 2, ta = n % 3, tb = n / 3;
                    const double sign = side & 1 ? -1 : 1;
                    const double reach = (z_of[ta] == axis ? of[i].along : of[i].across) +
                                         (z_of[tb] == axis ? of[k].along : of[k].across);
                    const double hair = hairs[(i + k + n + side) % 5];
                    if (hair != 0 && (n + 2 * side + i) % 5)
                        continue;
                    double p[3] = { 0, 0, 0 };
                    p[axis] = sign * (reach + hair);
                    const abut_pose at_a = { { 0, 0, 0 }, turns[ta] },
                                    at_b = { { p[0], p[1], p[2] }, turns[tb] };
                    abut_check_result out;
                    assert_int_equal(abut_check(of[i].shape, &at_a, of[k].shape, &at_b, NULL, NULL, &out),
                                     ABUT_OK);
                    const char *what = abut_verdict_name(out.verdict);
                    if (hair == 0)
                        TEST_CHECK(out.verdict == ABUT_TOUCHING && out.proof == ABUT_PROOF_EXACT,
                                   "%d on %d, turns %d %d, side %d: %s", k, i, ta, tb, side, what);
                    else
                        TEST_CHECK(out.verdict != ABUT_TOUCHING &&
                                       out.verdict != (hair > 0 ? ABUT_PENETRATING : ABUT_SEPARATE),
                                   "%d on %d, turns %d %d, side %d, %g apart: %s", k, i, ta, tb, side, hair,
                                   what);
                    touching += hair == 0;
                    if (hair == 0)
                        TEST_CHECK(fabs((axis == 0   ? out.normal.x
                                         : axis == 1 ? out.normal.y
                                                     : out.normal.z) -
                                        sign) < 1e-12,
                                   "normal of %d on %d", k, i);
                }
    print_message("%ld touching\n", touching);
    for (int i = 0; i < BODIES; ++i)
        abut_shape_release(of[i].shape);
}

/* The distance of a cylinder from another, in units of any size: the enclosure is as wide for its size. */
static void any_unit(void **state)
{
    (void)state;
    static const double units[] = { 1, 1e-9, 1e-3, 1e6 };
    for (int i = 0; i < 4; ++i) {
        const double u = units[i];
        abut_shape *a = explicit_cylinder(u, u), *b = explicit_cylinder(0.5 * u, 2 * u);
        const abut_pose at = { { 3 * u, 4 * u, 0 }, { 1, 0, 0, 0 } };
        abut_check_result out;
        assert_int_equal(abut_check(a, NULL, b, &at, NULL, NULL, &out), ABUT_OK);
        TEST_CHECK(out.verdict == ABUT_SEPARATE && out.distance.lo <= 3.5 * u * (1 + 1e-15) &&
                       out.distance.hi >= 3.5 * u * (1 - 1e-15) &&
                       out.distance.hi - out.distance.lo < 1e-6 * u,
                   "unit %g: %a to %a", u, out.distance.lo, out.distance.hi);
        abut_shape_release(a);
        abut_shape_release(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(prisms), cmocka_unit_test(stated),
                                        cmocka_unit_test(one_on_another), cmocka_unit_test(any_unit) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
