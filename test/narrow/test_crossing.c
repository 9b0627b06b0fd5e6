/* SPDX-License-Identifier: MIT */
/* Bodies without inside (points, segments, triangles, flat hulls, surfaces) that run through
 * others touch them: the points and contacts that are reported must be in both. Judged by distances
 * in closed form, written here. */
#include "support/places.h"

#include <abut/abut.h>

enum { SIDE = 7, FACES = 6 };
static const double step = 0.6;

static abut_vec3 sub(abut_vec3 a, abut_vec3 b)
{
    return v3(a.x - b.x, a.y - b.y, a.z - b.z);
}

static abut_vec3 along(abut_vec3 a, double s, abut_vec3 d)
{
    return v3(a.x + s * d.x, a.y + s * d.y, a.z + s * d.z);
}

static double dot(abut_vec3 a, abut_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static abut_vec3 cross(abut_vec3 a, abut_vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static double length(abut_vec3 a)
{
    return sqrt(dot(a, a));
}

/* ---- how far p is from a body, in its frame ---- */

typedef struct body {
    enum { THIN, SPHERE, BOX, CAPSULE, CYLINDER, CONE, ELLIPSOID, HALFSPACE, FIELD, SOLID } kind;
    double size[3];
    size_t count;
    abut_vec3 faces[FACES][3]; /* of thin ones; segments and points too */
    double heights[SIDE * SIDE];
    abut_shape *shape;
} body;

static double from_segment(abut_vec3 a, abut_vec3 b, abut_vec3 p)
{
    const abut_vec3 d = sub(b, a);
    const double dd = dot(d, d), s = dd > 0 ? fmax(0, fmin(1, dot(sub(p, a), d) / dd)) : 0;
    return length(sub(p, along(a, s, d)));
}

static double from_triangle(const abut_vec3 t[3], abut_vec3 p)
{
    double best = INFINITY;
    const abut_vec3 n = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    bool over = dot(n, n) > 0;
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 a = t[k], b = t[(k + 1) % 3];
        best = fmin(best, from_segment(a, b, p));
        over = over && dot(cross(sub(b, a), sub(p, a)), n) >= 0;
    }
    return over ? fmin(best, fabs(dot(n, sub(p, t[0]))) / length(n)) : best;
}

/* How far above the ground, straight up; infinite beside the field. */
static double from_field(const body *b, abut_vec3 p)
{
    const double edge = 0.5 * step * (SIDE - 1), x = (p.x + edge) / step, y = (p.y + edge) / step;
    if (fabs(p.x) > edge + 1e-9 || fabs(p.y) > edge + 1e-9)
        return INFINITY;
    const int i = (int)fmax(0, fmin(SIDE - 2, floor(x))), j = (int)fmax(0, fmin(SIDE - 2, floor(y)));
    const double u = x - i, v = y - j, *h = b->heights + j * SIDE + i;
    const double ground = u >= v ? h[0] + u * (h[1] - h[0]) + v * (h[SIDE + 1] - h[1])
                                 : h[0] + v * (h[SIDE] - h[0]) + u * (h[SIDE + 1] - h[SIDE]);
    return fmax(0, p.z - ground);
}

static double outside(const body *b, abut_vec3 p)
{
    const double *s = b->size, r = hypot(p.x, p.y);
    double best = INFINITY;
    switch (b->kind) {
    case SPHERE: return fmax(0, length(p) - s[0]);
    case BOX:
        return length(v3(fmax(0, fabs(p.x) - s[0]), fmax(0, fabs(p.y) - s[1]), fmax(0, fabs(p.z) - s[2])));
    case CAPSULE: return fmax(0, from_segment(v3(0, 0, -s[1] / 2), v3(0, 0, s[1] / 2), p) - s[0]);
    case CYLINDER: return hypot(fmax(0, r - s[0]), fmax(0, fabs(p.z) - s[1] / 2));
    case CONE: /* beside the side, below the base */
        return fmax(fmax(0, -p.z - s[1] / 2), (r * s[1] - s[0] * (s[1] / 2 - p.z)) / hypot(s[0], s[1]));
    case ELLIPSOID: return fmax(0, (length(v3(p.x / s[0], p.y / s[1], p.z / s[2])) - 1) * s[0]);
    case HALFSPACE: return fmax(0, p.z - s[0]);
    case FIELD: return from_field(b, p);
    case SOLID: return fmax(fmax(0, (p.x + p.y + p.z - s[0]) / sqrt(3)), fmax(fmax(-p.x, -p.y), -p.z));
    default: break;
    }
    for (size_t i = 0; i < b->count; ++i)
        best = fmin(best, from_triangle(b->faces[i], p));
    return best;
}

static double outside_at(const body *b, const abut_pose *at, abut_vec3 p)
{
    const abut_quat q = at->rotation;
    const double w = q.w, n = w * w + q.x * q.x + q.y * q.y + q.z * q.z;
    const abut_vec3 d = sub(p, at->position), axis = v3(-q.x, -q.y, -q.z);
    const abut_vec3 c = cross(axis, d), cc = cross(axis, c);
    return outside(b, along(along(d, 2 * w / n, c), 2 / n, cc));
}

/* ---- making them ---- */

static abut_vec3 any_point(test_random *r, double size)
{
    return v3(test_uniform(r, -size, size), test_uniform(r, -size, size), test_uniform(r, -size, size));
}

static void make_thin(test_random *r, body *b)
{
    abut_vec3 p[3 * FACES];
    uint32_t of[3 * FACES];
    b->kind = THIN;
    const unsigned kind = test_below(r, 5);
    b->count = kind == 4 ? 1 + test_below(r, FACES) : kind == 3 ? 2 : 1;
    const abut_vec3 x = any_point(r, 1.5), y = any_point(r, 1.5), c = any_point(r, 0.5);
    for (size_t i = 0; i < 3 * b->count; ++i) {
        p[i] = any_point(r, 1.5);
        of[i] = (uint32_t)i;
    }
    if (kind == 3) /* four points round an ellipse, in a plane without rounding */
        for (int i = 0; i < 4; ++i) {
            p[i] = along(along(c, i == 0 ? 1 : i == 2 ? -1 : 0, x), i == 1 ? 1 : i == 3 ? -1 : 0, y);
            p[i].z = 0.5;
        }
    for (size_t i = 0; i < b->count; ++i)
        for (size_t k = 0; k < 3; ++k)
            b->faces[i][k] = kind == 0   ? p[0]
                             : kind == 1 ? p[k % 2]
                             : kind == 3 ? p[k == 0 ? 0 : i + k]
                                         : p[3 * i + k];
    abut_status status;
    if (kind == 4)
        status = abut_shape_create_mesh(p, 3 * b->count, of, b->count, false, NULL, &b->shape, NULL);
    else
        status = abut_shape_create_convex(p, kind + 1, 0, NULL, &b->shape, NULL);
    assert_int_equal(status, ABUT_OK);
}

/* The corner of a cube, as a mesh. */
static abut_status make_corner(double size, abut_shape **out)
{
    static const uint32_t faces[12] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3 };
    const abut_vec3 v[4] = { v3(0, 0, 0), v3(size, 0, 0), v3(0, size, 0), v3(0, 0, size) };
    return abut_shape_create_mesh(v, 4, faces, 4, true, NULL, out, NULL);
}

static void make_body(test_random *r, body *b)
{
    double *s = b->size;
    for (int i = 0; i < 3; ++i)
        s[i] = test_uniform(r, 0.3, 1.5);
    b->kind = SPHERE + test_below(r, 9);
    abut_status status = ABUT_OK;
    switch (b->kind) {
    case SPHERE: status = abut_shape_create_sphere(s[0], NULL, &b->shape); break;
    case BOX: status = abut_shape_create_box(v3(s[0], s[1], s[2]), NULL, &b->shape); break;
    case CAPSULE: status = abut_shape_create_capsule(s[0], s[1], NULL, &b->shape); break;
    case CYLINDER: status = abut_shape_create_cylinder(s[0], s[1], NULL, &b->shape); break;
    case CONE: status = abut_shape_create_cone(s[0], s[1], NULL, &b->shape); break;
    case ELLIPSOID: status = abut_shape_create_ellipsoid(v3(s[0], s[1], s[2]), NULL, &b->shape); break;
    case SOLID: status = make_corner(s[0], &b->shape); break;
    case HALFSPACE: status = abut_shape_create_halfspace(v3(0, 0, 1), s[0], NULL, &b->shape); break;
    default:
        for (int i = 0; i < SIDE * SIDE; ++i)
            b->heights[i] = test_uniform(r, -1, 1);
        status = abut_shape_create_heightfield(SIDE, SIDE, step, step, b->heights, NULL, &b->shape, NULL);
    }
    assert_int_equal(status, ABUT_OK);
}

static void place(test_random *r, abut_pose *at)
{
    at->position = any_point(r, 1);
    at->rotation = (abut_quat){ 1, 0, 0, 0 };
    if (test_below(r, 3) > 0)
        at->rotation = (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                                    test_uniform(r, -1, 1) };
}

static void points_are_in_both(void **state)
{
    (void)state;
    static const double close = 1e-9;
    const uint64_t cases = test_count(40000);
    uint64_t touching = 0;
    for (uint64_t seed = 0; seed < cases; ++seed) {
        test_random r = test_seed(seed);
        body thin = { .count = 0 }, other = { .count = 0 };
        abut_pose at[2];
        abut_check_result c;
        make_thin(&r, &thin);
        if (test_below(&r, 5) == 0)
            make_thin(&r, &other);
        else
            make_body(&r, &other);
        const bool swap = test_below(&r, 2);
        const body *const a = swap ? &other : &thin, *const b = swap ? &thin : &other;
        place(&r, &at[0]);
        place(&r, &at[1]);
        assert_int_equal(abut_check(a->shape, &at[0], b->shape, &at[1], NULL, NULL, &c), ABUT_OK);
        TEST_CHECK(c.verdict != ABUT_PENETRATING, "seed %" PRIu64, seed);
        if (c.verdict == ABUT_TOUCHING) {
            ++touching;
            TEST_CHECK(c.has_points && c.has_normal && c.contact_count > 0, "seed %" PRIu64 " kind %d", seed,
                       (int)other.kind);
            TEST_CHECK(length(sub(c.point_a, c.point_b)) <= close, "seed %" PRIu64 " kind %d", seed,
                       (int)other.kind);
            for (int i = -1; i < c.contact_count; ++i) {
                const abut_vec3 p = i < 0 ? c.point_a : c.contacts[i].point;
                const double off_a = outside_at(a, &at[0], p), off_b = outside_at(b, &at[1], p);
                TEST_CHECK(off_a <= close && off_b <= close,
                           "seed %" PRIu64 " kinds %d %d contact %d: %g and %g off", seed, (int)a->kind,
                           (int)b->kind, i, off_a, off_b);
            }
        }
        abut_shape_release(thin.shape);
        abut_shape_release(other.shape);
    }
    assert_true(cases < 1000 || touching > cases / 4);
}

/* A point that is in a cylinder by 7e-13: a depth for which no direction was evaluated was
 * reported to be 0. */
static void a_point_just_inside(void **state)
{
    (void)state;
    const abut_vec3 p = { 0x1.0297f078af747p-4, -0x1.fc5a714e784dp-5, 0x1.6b239786a8b0cp-2 };
    const abut_pose at_point = { { 0x1.d7f05b779e64p-2, -0x1.6bece36f00d6p-1, -0x1.6baec0c7f3211p+1 },
                                 { -0x1.ba6399f0c1554p-2, 0x1.a5010dcd24148p-3, 0x1.e856921f74058p-3,
                                   0x1.0944d8bd3a5fap-1 } };
    const abut_pose at_cylinder = { { -0x1.35e5073b1ff6dp-4, -0x1.5b076dd367a7fp+0, -0x1.545ee893a6b84p+1 },
                                    { 0x1.31789beae7828p-3, 0x1.371d6f7f4e492p-1, 0x1.2598df4321978p-2,
                                      -0x1.4a91f761824e8p-2 } };
    abut_shape *point, *cylinder;
    abut_check_result c;
    assert_int_equal(abut_shape_create_point(p, 0, NULL, &point, NULL), ABUT_OK);
    assert_int_equal(abut_shape_create_cylinder(0x1.0bc133173a3a9p-1, 0x1.b7231e446f03ep+0, NULL, &cylinder),
                     ABUT_OK);
    assert_int_equal(abut_check(point, &at_point, cylinder, &at_cylinder, NULL, NULL, &c), ABUT_OK);
    assert_true(c.verdict == ABUT_TOUCHING || (c.verdict == ABUT_UNDECIDED && c.depth.hi >= 7.02e-13));
    abut_shape_release(point);
    abut_shape_release(cylinder);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(points_are_in_both),
                                        cmocka_unit_test(a_point_just_inside) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
