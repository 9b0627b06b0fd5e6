/* SPDX-License-Identifier: MIT */
/* Two solid meshes: made of tetrahedra with integer corners, placed by integers and by
 * quaternions of small integers, so that the cells can be compared in integers. Dents, tunnels,
 * cavities, pieces, and contact in every way there is come by themselves. */
#include "narrow/mesh_cases.h"
#include "oracle/mesh_gmp.h"

enum { GRID = 4, CELLS = 6 * 27 }; /* vertices a side, at most */

typedef struct solid {
    int64_t at[GRID * GRID * GRID][3];
    uint32_t tetra[CELLS][4];
    size_t tetra_count;
    mesh_case mesh;
    abut_shape *shape;
} solid;

static int64_t volume(const int64_t *p, const int64_t *q, const int64_t *r, const int64_t *s)
{
    int64_t u[3], v[3], w[3];
    for (int i = 0; i < 3; ++i) {
        u[i] = q[i] - p[i];
        v[i] = r[i] - p[i];
        w[i] = s[i] - p[i];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* The six tetrahedra of a cube from (0,0,0) to (1,1,1), one for each order of the axes. */
static void add_cube(solid *s, int n, int x, int y, int z, unsigned which)
{
    static const int order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
                                     { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
    for (int k = 0; k < 6; ++k) {
        if (!(which >> k & 1))
            continue;
        int c[3] = { x, y, z };
        uint32_t *t = s->tetra[s->tetra_count++];
        for (int m = 0; m < 4; ++m) {
            t[m] = (uint32_t)(c[0] + (n + 1) * (c[1] + (n + 1) * c[2]));
            if (m < 3)
                ++c[order[k][m]];
        }
        if (volume(s->at[t[0]], s->at[t[1]], s->at[t[2]], s->at[t[3]]) < 0) {
            const uint32_t v = t[2];
            t[2] = t[3];
            t[3] = v;
        }
    }
}

static bool same_face(const uint32_t *p, const uint32_t *q)
{
    int found = 0;
    for (int i = 0; i < 9; ++i)
        found += p[i / 3] == q[i % 3];
    return found == 3;
}

/* Faces that one tetrahedron has, turned outward. */
static void make_border(solid *s)
{
    static const int side[4][3] = { { 1, 2, 3 }, { 0, 3, 2 }, { 0, 1, 3 }, { 0, 2, 1 } };
    mesh_case *m = &s->mesh;
    m->triangle_count = 0;
    for (size_t i = 0; i < s->tetra_count; ++i)
        for (int f = 0; f < 4; ++f) {
            uint32_t face[3];
            bool inner = false;
            for (int k = 0; k < 3; ++k)
                face[k] = s->tetra[i][side[f][k]];
            for (size_t j = 0; j < s->tetra_count && !inner; ++j)
                for (int g = 0; g < 4 && j != i && !inner; ++g) {
                    const uint32_t other[3] = { s->tetra[j][side[g][0]], s->tetra[j][side[g][1]],
                                                s->tetra[j][side[g][2]] };
                    inner = same_face(face, other);
                }
            if (!inner && m->triangle_count < CASE_TRIANGLES)
                memcpy(m->triangles + 3 * m->triangle_count++, face, sizeof face);
        }
}

static void finish(solid *s, int n, test_random *r)
{
    make_border(s);
    s->mesh.vertex_count = (size_t)((n + 1) * (n + 1) * (n + 1));
    for (size_t i = 0; i < s->mesh.vertex_count; ++i)
        s->mesh.vertices[i] = (abut_vec3){ (double)s->at[i][0], (double)s->at[i][1], (double)s->at[i][2] };
    s->shape = NULL;
    if (s->mesh.triangle_count >= 4 && s->mesh.triangle_count < CASE_TRIANGLES)
        s->shape =
            case_shape(&s->mesh, true, (abut_volume)test_below(r, ABUT_VOLUME_COUNT), ABUT_BUILDER_AUTO);
}

static void set_grid(solid *s, int n, int64_t scale, int jitter, test_random *r)
{
    s->tetra_count = 0;
    for (int i = 0; i < (n + 1) * (n + 1) * (n + 1); ++i) {
        const int c[3] = { i % (n + 1), i / (n + 1) % (n + 1), i / ((n + 1) * (n + 1)) };
        for (int k = 0; k < 3; ++k)
            s->at[i][k] =
                scale * c[k] + (jitter ? (int64_t)test_below(r, 2 * (unsigned)jitter + 1) - jitter : 0);
    }
}

static bool all_proper(const solid *s)
{
    for (size_t i = 0; i < s->tetra_count; ++i) {
        const uint32_t *t = s->tetra[i];
        if (volume(s->at[t[0]], s->at[t[1]], s->at[t[2]], s->at[t[3]]) <= 0)
            return false;
    }
    return true;
}

/* One tetrahedron, with corners on the corners, edges and faces of the cubes of others. */
static bool draw_one(solid *s, test_random *r)
{
    const int64_t step = test_below(r, 2) ? 2 : 4, most = 8 / step;
    for (int i = 0; i < 8; ++i)
        for (int k = 0; k < 3; ++k)
            s->at[i][k] = step * (int64_t)test_below(r, (unsigned)most + 1);
    int64_t v = volume(s->at[0], s->at[1], s->at[2], s->at[3]);
    s->tetra_count = v != 0;
    for (uint32_t k = 0; k < 4; ++k)
        s->tetra[0][k] = v > 0 || k < 2 ? k : 5 - k;
    s->shape = NULL;
    if (v != 0)
        finish(s, 1, r);
    return true;
}

/* Some solid; NULL shape where the border of what was drawn is no closed surface (edges with
 * four faces). */
static void draw(solid *s, test_random *r)
{
    const int kind = (int)test_below(r, 8);
    const int64_t scale = 4;
    int n = 1;
    if (kind >= 6 && draw_one(s, r))
        return;
    if (kind == 0) { /* a cube, or part of one */
        set_grid(s, n, test_below(r, 2) ? scale : 1 + (int64_t)test_below(r, 4), 0, r);
        add_cube(s, n, 0, 0, 0, test_below(r, 2) ? 63 : 1 + test_below(r, 63));
    } else if (kind == 5) { /* a cube with a cavity, or with tunnels */
        n = 3;
        set_grid(s, n, scale, 0, r);
        const unsigned open = test_below(r, 4);
        for (int i = 0; i < 27; ++i) {
            const int x = i % 3, y = i / 3 % 3, z = i / 9;
            const bool centre = x == 1 && y == 1,
                       hollow = centre && (z == 1 || open == 1 || (open == 2 && z > 0));
            if (!hollow)
                add_cube(s, n, x, y, z, 63);
        }
    } else { /* whole cubes, or loose tetrahedra, with corners moved about */
        n = 2;
        const int jitter = kind < 3 ? 0 : 1;
        const unsigned share = 2 + test_below(r, 6);
        set_grid(s, n, scale, jitter, r);
        for (int i = 0; i < 8; ++i)
            if (kind % 2 ? test_below(r, 8) < share : true)
                add_cube(s, n, i % 2, i / 2 % 2, i / 4,
                         kind % 2                   ? 63
                         : test_below(r, 8) < share ? 63
                                                    : test_below(r, 64));
    }
    if (!all_proper(s))
        s->tetra_count = 0;
    s->shape = NULL;
    if (s->tetra_count > 0)
        finish(s, n, r);
}

/* |q|^2 R(q) v + |q|^2 t, times a factor, in integers; positions are in halves. */
static void place_cells(const solid *s, const abut_pose *pose, int64_t factor, mesh_cell *out)
{
    const int64_t w = (int64_t)pose->rotation.w,
                  q[3] = { (int64_t)pose->rotation.x, (int64_t)pose->rotation.y, (int64_t)pose->rotation.z };
    const int64_t vv = q[0] * q[0] + q[1] * q[1] + q[2] * q[2], norm = w * w + vv;
    const double position[3] = { pose->position.x, pose->position.y, pose->position.z };
    for (size_t i = 0; i < s->tetra_count; ++i)
        for (int m = 0; m < 4; ++m) {
            const int64_t *p = s->at[s->tetra[i][m]];
            const int64_t vp = q[0] * p[0] + q[1] * p[1] + q[2] * p[2];
            for (int c = 0; c < 3; ++c) {
                const int j = (c + 1) % 3, k = (c + 2) % 3;
                const int64_t turned =
                    (w * w - vv) * p[c] + 2 * vp * q[c] + 2 * w * (q[j] * p[k] - q[k] * p[j]);
                out[i].at[m][c] = factor * (2 * turned + norm * (int64_t)(2 * position[c]));
            }
        }
}

static int64_t norm_of(const abut_pose *pose)
{
    const abut_quat q = pose->rotation;
    return (int64_t)(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

static int referee(const solid *a, const abut_pose *pose_a, const solid *b, const abut_pose *pose_b)
{
    static mesh_cell cells_a[CELLS], cells_b[CELLS];
    place_cells(a, pose_a, norm_of(pose_b), cells_a);
    place_cells(b, pose_b, norm_of(pose_a), cells_b);
    return mesh_cells_meet(cells_a, a->tetra_count, cells_b, b->tetra_count);
}

static size_t undecided, decided[3];

/* Shorter than depth.lo they stay in each other, along any direction; as far as hi along the
 * normal they do not. */
static void check_depth(const solid *a, const abut_pose *pose_a, const solid *b, const abut_pose *pose_b,
                        const abut_check_result *check, uint64_t seed, test_random *r)
{
    TEST_CHECK(check->has_depth && check->depth.lo >= 0 && check->depth.lo <= check->depth.hi &&
                   check->depth.hi < INFINITY,
               "seed %" PRIu64 ": depth [%a, %a]", seed, check->depth.lo, check->depth.hi);
    for (int k = 0; k < 8; ++k) {
        abut_pose moved = *pose_b;
        const double x = 0.5 * ((int)test_below(r, 17) - 8), y = 0.5 * ((int)test_below(r, 17) - 8),
                     z = 0.5 * ((int)test_below(r, 17) - 8);
        if (sqrt(x * x + y * y + z * z) >= check->depth.lo)
            continue;
        moved.position.x += x;
        moved.position.y += y;
        moved.position.z += z;
        TEST_CHECK(referee(a, pose_a, b, &moved) == 2, "seed %" PRIu64 ": parted by %g %g %g, below %a", seed,
                   x, y, z, check->depth.lo);
    }
    abut_pose moved = *pose_b;
    const double d = check->depth.hi * (1 + 1e-9) + 1e-9;
    moved.position.x += d * check->normal.x;
    moved.position.y += d * check->normal.y;
    moved.position.z += d * check->normal.z;
    abut_overlap_result apart;
    assert_int_equal(abut_overlap(a->shape, pose_a, b->shape, &moved, NULL, NULL, &apart), ABUT_OK);
    TEST_CHECK(apart.verdict == ABUT_SEPARATE, "seed %" PRIu64 ": not parted by %a", seed, d);
}

static void check_pair(const solid *a, const abut_pose *pose_a, const solid *b, const abut_pose *pose_b,
                       uint64_t seed, test_random *r)
{
    static const abut_verdict verdicts[3] = { ABUT_SEPARATE, ABUT_TOUCHING, ABUT_PENETRATING };
    const int truth = referee(a, pose_a, b, pose_b);
    const abut_verdict expected = verdicts[truth];
    abut_overlap_result overlap;
    abut_check_result check;
    abut_distance_result distance;
    assert_int_equal(abut_overlap(a->shape, pose_a, b->shape, pose_b, NULL, NULL, &overlap), ABUT_OK);
    assert_int_equal(abut_check(a->shape, pose_a, b->shape, pose_b, NULL, NULL, &check), ABUT_OK);
    assert_int_equal(abut_distance(a->shape, pose_a, b->shape, pose_b, NULL, NULL, &distance), ABUT_OK);
    const abut_verdict found[3] = { overlap.verdict, check.verdict, distance.verdict };
    for (int k = 0; k < 3; ++k)
        TEST_CHECK(found[k] == expected || found[k] == ABUT_UNDECIDED,
                   "seed %" PRIu64 ", query %d: found %d, expected %d", seed, k, (int)found[k],
                   (int)expected);
    undecided += overlap.verdict == ABUT_UNDECIDED;
    ++decided[truth];
    if (overlap.verdict == ABUT_UNDECIDED)
        return;
    TEST_CHECK((check.distance.hi == 0) == (expected != ABUT_SEPARATE) && check.distance.lo >= 0,
               "seed %" PRIu64 ": distance [%a, %a]", seed, check.distance.lo, check.distance.hi);
    if (expected == ABUT_PENETRATING)
        check_depth(a, pose_a, b, pose_b, &check, seed, r);
}

static void test_tetrahedra(void **state)
{
    (void)state;
    static solid a, b;
    const uint64_t count = test_count(1500);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        draw(&a, &r);
        if (test_below(&r, 6) == 0)
            b = a;
        else
            draw(&b, &r);
        const int kind = test_below(&r, 2) ? 0 : (int)test_below(&r, 4);
        for (int k = 0; k < 4 && a.shape && b.shape; ++k) {
            const double step = test_below(&r, 2) ? 4 : 1 + test_below(&r, 2);
            abut_pose pose_a = case_pose(&r, kind, step, 1), pose_b = case_pose(&r, kind, step, 1);
            if (test_below(&r, 3) == 0)
                pose_b.rotation = pose_a.rotation;
            if (test_below(&r, 3) == 0)
                pose_b.position.x += 4;
            if (test_below(&r, 4) == 0)
                pose_b.position.y += 0.5 * ((int)test_below(&r, 17) - 8);
            if (kind < 2 && k < 2) {
                /* side by side along an axis, or fitted into a hole of its size */
                pose_a.position = pose_b.position = (abut_vec3){ 0, 0, 0 };
                double *at[3] = { &pose_b.position.x, &pose_b.position.y, &pose_b.position.z };
                for (int i = 0; i < 3; ++i)
                    *at[i] = k == 0 ? 0 : 2 * ((int)test_below(&r, 8) - 2);
                if (k == 1)
                    *at[test_below(&r, 3)] = test_below(&r, 2) ? 8 : 4;
            }
            check_pair(&a, &pose_a, &b, &pose_b, seed, &r);
        }
        if (b.shape != a.shape)
            abut_shape_release(b.shape);
        abut_shape_release(a.shape);
    }
    print_message("apart %zu, touching %zu, inside %zu; undecided %zu\n", decided[0], decided[1], decided[2],
                  undecided);
}

/* ---- insides that meet without any crossing of triangles ---- */

static void move(solid *s, int n, int x, int y, int z, int64_t height)
{
    s->at[x + (n + 1) * (y + (n + 1) * z)][2] = height;
}

static void set_tetra(solid *s, const int64_t at[4][3], test_random *r)
{
    memset(s->at, 0, 8 * sizeof s->at[0]);
    memcpy(s->at, at, 4 * sizeof at[0]);
    const bool turned = volume(at[0], at[1], at[2], at[3]) < 0;
    s->tetra_count = 1;
    for (uint32_t k = 0; k < 4; ++k)
        s->tetra[0][k] = !turned || k < 2 ? k : 5 - k;
    finish(s, 1, r);
    assert_non_null(s->shape);
}

static void set_box(solid *s, int64_t x, int64_t y, int64_t z, int64_t h, test_random *r)
{
    set_grid(s, 1, 1, 0, r);
    for (int i = 0; i < 8; ++i) {
        s->at[i][0] = i & 1 ? 8 - x : x;
        s->at[i][1] = i & 2 ? 8 - y : y;
        s->at[i][2] = i & 4 ? h : z;
    }
    add_cube(s, 1, 0, 0, 0, 63);
    finish(s, 1, r);
    assert_non_null(s->shape);
}

enum { HOSTS = 4 };

/* 0: three cubes of a square, with an inner edge; 1: a cube with a pyramid taken out of its top;
 * 2: with a groove along it; 3: with a cavity. */
static void set_host(solid *s, int which, test_random *r)
{
    const int n = which == 3 ? 3 : 2;
    set_grid(s, n, 4, 0, r);
    if (which == 1)
        move(s, n, 1, 1, 2, 5);
    for (int y = 0; y <= 2 && which == 2; ++y)
        move(s, n, 1, y, 2, 5);
    for (int i = 0; i < n * n * n; ++i) {
        const int x = i % n, y = i / n % n, z = i / (n * n);
        if (which == 0 ? z == 0 && !(x == 1 && y == 1) : which < 3 || !(x == 1 && y == 1 && z == 1))
            add_cube(s, n, x, y, z, 63);
    }
    assert_true(all_proper(s));
    finish(s, n, r);
    assert_non_null(s->shape);
}

/* In place, and both turned the same way; from either side. */
static void check_turned(const solid *a, const solid *b, int truth, uint64_t name, test_random *r)
{
    static const abut_quat turns[3] = { { 1, 0, 0, 0 }, { 1, 2, 2, 0 }, { 3, 1, 1, 1 } };
    for (int k = 0; k < 3; ++k) {
        const abut_pose pose = { { 3 * k, -k, 2 * k }, turns[k] };
        if (truth >= 0)
            assert_int_equal(referee(a, &pose, b, &pose), truth);
        undecided = 0;
        check_pair(a, &pose, b, &pose, name, r);
        check_pair(b, &pose, a, &pose, name, r);
        TEST_CHECK(undecided == 0, "case %" PRIu64 " is undecided", name);
    }
}

static void test_nested(void **state)
{
    (void)state;
    static const struct {
        int host, truth;
        int64_t at[4][3];
    } cases[] = {
        /* an edge across the inner edge */
        { 0, 2, { { 2, 6, 1 }, { 6, 2, 3 }, { 1, 1, 2 }, { 2, 2, 1 } } },
        /* a corner at it, from inside */
        { 0, 2, { { 4, 4, 2 }, { 2, 2, 1 }, { 3, 2, 3 }, { 2, 1, 2 } } },
        { 0, 1, { { 4, 4, 2 }, { 6, 6, 1 }, { 5, 6, 3 }, { 6, 5, 2 } } }, /* from outside */
        { 0, 2, { { 4, 4, 1 }, { 4, 4, 3 }, { 2, 2, 2 }, { 1, 3, 2 } } }, /* an edge along it */
        { 0, 1, { { 4, 4, 1 }, { 4, 4, 3 }, { 6, 6, 2 }, { 7, 5, 2 } } },
        { 0, 1, { { 4, 4, 0 }, { 4, 4, 4 }, { 4, 8, 2 }, { 8, 4, 2 } } }, /* filling the corner */
        { 0, 2, { { 0, 0, 0 }, { 2, 1, 1 }, { 1, 2, 1 }, { 1, 1, 2 } } }, /* a corner in a corner */
        /* in the end of the inner edge */
        { 0, 2, { { 4, 4, 4 }, { 2, 2, 1 }, { 3, 2, 2 }, { 2, 1, 2 } } },
        { 0, 1, { { 4, 4, 4 }, { 6, 6, 1 }, { 7, 6, 2 }, { 6, 7, 2 } } },
        { 0,
          2,
          /* a corner at a face, from inside */
          { { 2, 1, 0 }, { 2, 1, 2 }, { 1, 2, 2 }, { 3, 3, 2 } } },
        /* an edge in a face, from inside */
        { 0, 2, { { 1, 2, 0 }, { 2, 3, 0 }, { 1, 2, 2 }, { 2, 1, 2 } } },
        { 1,
          2,
          /* an edge across the bottom of a pit */
          { { 2, 4, 5 }, { 6, 4, 5 }, { 4, 2, 2 }, { 4, 6, 3 } } },
        /* a corner at it, from inside */
        { 1, 2, { { 4, 4, 5 }, { 3, 4, 2 }, { 5, 4, 2 }, { 4, 5, 2 } } },
        { 1, 1, { { 4, 4, 5 }, { 3, 4, 8 }, { 5, 4, 8 }, { 4, 5, 8 } } }, /* from above */
        { 2,
          2,
          { { 2, 2, 5 },
            { 6, 6, 5 },
            { 4, 2, 2 },
            { 4, 6, 3 } } }, /* an edge across the bottom of a groove */
        { 2, 1, { { 4, 2, 5 }, { 4, 6, 5 }, { 3, 4, 8 }, { 5, 4, 8 } } },
        { 2, 2, { { 4, 2, 5 }, { 4, 6, 5 }, { 3, 4, 1 }, { 5, 4, 1 } } },
        { 3, 0, { { 5, 5, 5 }, { 7, 5, 5 }, { 5, 7, 5 }, { 5, 5, 7 } } }, /* in a cavity */
        { 3, 1, { { 4, 4, 4 }, { 8, 4, 4 }, { 4, 8, 4 }, { 4, 4, 8 } } }, /* fitted into it */
        { 3, 1, { { 4, 6, 6 }, { 7, 5, 5 }, { 5, 7, 5 }, { 5, 5, 7 } } },
        { 3, 2, { { 4, 6, 6 }, { 1, 5, 5 }, { 2, 7, 5 }, { 3, 5, 7 } } }, /* in the wall round it */
        { 3, 2, { { 1, 1, 1 }, { 2, 1, 1 }, { 1, 2, 1 }, { 1, 1, 2 } } },
    };
    static solid host, guest;
    test_random r = test_seed(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        set_host(&host, cases[i].host, &r);
        set_tetra(&guest, cases[i].at, &r);
        check_turned(&host, &guest, cases[i].truth, i, &r);
        abut_shape_release(host.shape);
        abut_shape_release(guest.shape);
    }
    static const int64_t boxes[][4] = {
        { 1, 1, 1, 5 }, { 1, 2, 2, 5 }, { 3, 3, 3, 5 }, { 4, 4, 4, 8 }, { 3, 0, 5, 8 }
    };
    for (int h = 0; h < HOSTS; ++h)
        for (size_t i = 0; i < 5; ++i) {
            set_host(&host, h, &r);
            if (boxes[i][0] == 4) { /* a cube of the size of the cavity */
                set_grid(&guest, 1, 4, 0, &r);
                for (int k = 0; k < 24; ++k)
                    guest.at[k / 3][k % 3] += 4;
                add_cube(&guest, 1, 0, 0, 0, 63);
                finish(&guest, 1, &r);
            } else
                set_box(&guest, boxes[i][0], boxes[i][1], boxes[i][2], boxes[i][3], &r);
            check_turned(&host, &guest, -1, 1000 + 10 * (uint64_t)h + i, &r);
            abut_shape_release(host.shape);
            abut_shape_release(guest.shape);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_nested), cmocka_unit_test(test_tetrahedra) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
