/* SPDX-License-Identifier: MIT */
/* Meshes of small integers; see voxel_mesh.h. */
#include "oracle/voxel_mesh.h"

__extension__ typedef __int128 wide;

static voxel_int3 sub(voxel_int3 a, voxel_int3 b)
{
    return (voxel_int3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static voxel_int3 scale(int64_t s, voxel_int3 a)
{
    return (voxel_int3){ s * a.x, s * a.y, s * a.z };
}

static voxel_int3 cross(voxel_int3 a, voxel_int3 b)
{
    return (voxel_int3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static int64_t dot(voxel_int3 a, voxel_int3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static bool is_zero(voxel_int3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

static voxel_number quotient(int64_t over, int64_t under)
{
    return under < 0 ? (voxel_number){ -over, -under } : (voxel_number){ over, under };
}

int voxel_compare(voxel_number a, voxel_number b)
{
    const wide gap = (wide)a.over * b.under - (wide)b.over * a.under;
    return (gap > 0) - (gap < 0);
}

static uint32_t vertex(voxel_mesh *m, voxel_int3 p)
{
    for (size_t i = 0; i < m->vertex_count; ++i)
        if (is_zero(sub(m->vertices[i], p)))
            return (uint32_t)i;
    m->vertices[m->vertex_count] = p;
    return (uint32_t)m->vertex_count++;
}

static void triangle(voxel_mesh *m, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = m->triangles + 3 * m->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static bool filled(const voxel_mesh *m, int64_t x, int64_t y, int64_t z)
{
    return x >= 0 && y >= 0 && z >= 0 && x < VOXEL_SIDE && y < VOXEL_SIDE && z < VOXEL_SIDE &&
           m->cube[x][y][z];
}

static void add_faces(voxel_mesh *m, test_random *r, int64_t x, int64_t y, int64_t z)
{
    for (int k = 0; k < 6; ++k) {
        const int axis = k / 2, up = k % 2;
        int64_t n[3] = { x, y, z }, c[4][3];
        n[axis] += up ? 1 : -1;
        if (filled(m, n[0], n[1], n[2]))
            continue;
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (int i = 0; i < 4; ++i) {
            const int64_t at[3] = { x, y, z };
            const int q = up ? i : 3 - i;
            for (int j = 0; j < 3; ++j)
                c[i][j] = at[j];
            c[i][axis] += up;
            c[i][u] += q == 1 || q == 2;
            c[i][v] += q >= 2;
        }
        uint32_t w[4];
        for (int i = 0; i < 4; ++i)
            w[i] = vertex(m, (voxel_int3){ c[i][0], c[i][1], c[i][2] });
        const int turn = (int)test_below(r, 4);
        triangle(m, w[turn], w[(turn + 1) % 4], w[(turn + 2) % 4]);
        triangle(m, w[turn], w[(turn + 2) % 4], w[(turn + 3) % 4]);
    }
}

void voxel_mesh_solid(test_random *r, voxel_mesh *out)
{
    *out = (voxel_mesh){ .solid = true };
    int64_t p[3] = { 1, 1, 1 };
    /* A walk through the cubes: mostly connected, often with edges that only two faces have. */
    const unsigned steps = 1 + test_below(r, 14);
    for (unsigned i = 0; i < steps; ++i) {
        out->cube[p[0]][p[1]][p[2]] = true;
        const unsigned axis = test_below(r, 3);
        p[axis] += test_below(r, 2) ? 1 : -1;
        p[axis] = p[axis] < 0 ? 0 : p[axis] >= VOXEL_SIDE ? VOXEL_SIDE - 1 : p[axis];
    }
    for (int x = 0; x < VOXEL_SIDE; ++x)
        for (int y = 0; y < VOXEL_SIDE; ++y)
            for (int z = 0; z < VOXEL_SIDE; ++z)
                if (out->cube[x][y][z])
                    add_faces(out, r, x, y, z);
}

void voxel_mesh_soup(test_random *r, voxel_mesh *out)
{
    *out = (voxel_mesh){ .solid = false };
    const unsigned count = 1 + test_below(r, 24), vertices = 4 + test_below(r, 20);
    for (unsigned i = 0; i < vertices; ++i)
        out->vertices[out->vertex_count++] =
            (voxel_int3){ test_below(r, 4), test_below(r, 4), test_below(r, 4) };
    for (unsigned i = 0; i < count; ++i)
        triangle(out, test_below(r, vertices), test_below(r, vertices), test_below(r, vertices));
}

static int64_t floor_of(voxel_number a)
{
    return a.over >= 0 ? a.over / a.under : -((-a.over + a.under - 1) / a.under);
}

int voxel_mesh_where(const voxel_mesh *mesh, const voxel_number p[3])
{
    /* The (up to eight) cubes around the point: all filled, all empty, or both. */
    int in = 0, all = 0;
    int64_t lo[3], hi[3];
    for (int k = 0; k < 3; ++k) {
        lo[k] = hi[k] = floor_of(p[k]);
        if (lo[k] * p[k].under == p[k].over)
            --lo[k];
    }
    for (int64_t x = lo[0]; x <= hi[0]; ++x)
        for (int64_t y = lo[1]; y <= hi[1]; ++y)
            for (int64_t z = lo[2]; z <= hi[2]; ++z, ++all)
                in += filled(mesh, x, y, z);
    return in == all ? 1 : in == 0 ? 0 : -1;
}

/* ---- lines ---- */

static bool narrow(voxel_run *run, bool *set, bool above, voxel_number t)
{
    if (above ? voxel_compare(t, run->from) > 0 || !set[0] : voxel_compare(t, run->to) < 0 || !set[1]) {
        if (above)
            run->from = t;
        else
            run->to = t;
    }
    set[above ? 0 : 1] = true;
    return true;
}

/* The line in the plane with normal n: clipped by the sides. */
static bool cut_in_plane(const voxel_int3 p[3], voxel_int3 n, voxel_int3 o, int64_t unit, voxel_int3 d,
                         voxel_run *out)
{
    bool set[2] = { false, false };
    for (int k = 0; k < 3; ++k) {
        const voxel_int3 m = cross(n, sub(p[(k + 1) % 3], p[k])); /* inward */
        const int64_t start = dot(m, sub(o, scale(unit, p[k]))), slope = unit * dot(m, d);
        if (slope == 0) {
            if (start < 0)
                return false;
            continue;
        }
        (void)narrow(out, set, slope > 0, quotient(-start, slope));
    }
    return set[0] && set[1] && voxel_compare(out->from, out->to) <= 0;
}

static bool cut_segment(voxel_int3 p, voxel_int3 q, voxel_int3 o, int64_t unit, voxel_int3 d, voxel_run *out)
{
    const voxel_int3 e = sub(q, p), from = sub(scale(unit, p), o), across = cross(d, e);
    const int64_t dd = unit * dot(d, d);
    if (is_zero(across)) { /* parallel, or a point */
        if (!is_zero(cross(from, d)))
            return false;
        const voxel_number a = quotient(dot(from, d), dd), b = quotient(dot(sub(scale(unit, q), o), d), dd);
        out->from = voxel_compare(a, b) < 0 ? a : b;
        out->to = voxel_compare(a, b) < 0 ? b : a;
        return true;
    }
    if (dot(from, across) != 0)
        return false;
    const int64_t square = unit * dot(across, across), s = dot(cross(from, d), across);
    if (s < 0 || s > square)
        return false;
    out->from = out->to = quotient(dot(cross(from, e), across), square);
    return true;
}

bool voxel_cut(const voxel_mesh *mesh, size_t i, voxel_int3 o, int64_t unit, voxel_int3 d, voxel_run *out)
{
    const uint32_t *t = mesh->triangles + 3 * i;
    const voxel_int3 p[3] = { mesh->vertices[t[0]], mesh->vertices[t[1]], mesh->vertices[t[2]] };
    const voxel_int3 n = cross(sub(p[1], p[0]), sub(p[2], p[0]));
    if (is_zero(n)) {
        voxel_run r;
        bool any = false;
        for (int k = 0; k < 3; ++k)
            if (cut_segment(p[k], p[(k + 1) % 3], o, unit, d, &r)) {
                if (!any || voxel_compare(r.from, out->from) < 0)
                    out->from = r.from;
                if (!any || voxel_compare(r.to, out->to) > 0)
                    out->to = r.to;
                any = true;
            }
        return any;
    }
    const int64_t slope = dot(n, d), height = dot(n, sub(scale(unit, p[0]), o));
    if (slope == 0)
        return height == 0 && cut_in_plane(p, n, o, unit, d, out);
    /* The point times unit slope. */
    const voxel_int3 x = { slope * o.x + height * d.x, slope * o.y + height * d.y,
                           slope * o.z + height * d.z };
    for (int k = 0; k < 3; ++k) {
        const voxel_int3 m = cross(n, sub(p[(k + 1) % 3], p[k]));
        const int64_t side = dot(m, sub(x, scale(unit * slope, p[k])));
        if (slope > 0 ? side < 0 : side > 0)
            return false;
    }
    out->from = out->to = quotient(height, unit * slope);
    return true;
}

size_t voxel_cuts(const voxel_mesh *mesh, voxel_int3 o, int64_t unit, voxel_int3 d, voxel_run *out)
{
    size_t count = 0;
    for (size_t i = 0; i < mesh->triangle_count; ++i)
        if (voxel_cut(mesh, i, o, unit, d, &out[count]))
            ++count;
    for (size_t i = 1; i < count; ++i)
        for (size_t j = i; j > 0 && voxel_compare(out[j].from, out[j - 1].from) < 0; --j) {
            const voxel_run moved = out[j];
            out[j] = out[j - 1];
            out[j - 1] = moved;
        }
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        if (kept > 0 && voxel_compare(out[i].from, out[kept - 1].to) <= 0) {
            if (voxel_compare(out[i].to, out[kept - 1].to) > 0)
                out[kept - 1].to = out[i].to;
        } else
            out[kept++] = out[i];
    }
    return kept;
}

abut_shape *voxel_mesh_shape(const voxel_mesh *mesh, int exponent)
{
    abut_vec3 v[VOXEL_VERTICES];
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        v[i] = (abut_vec3){ ldexp((double)mesh->vertices[i].x, exponent),
                            ldexp((double)mesh->vertices[i].y, exponent),
                            ldexp((double)mesh->vertices[i].z, exponent) };
    abut_shape *shape = NULL;
    const abut_status status = abut_shape_create_mesh(v, mesh->vertex_count, mesh->triangles,
                                                      mesh->triangle_count, mesh->solid, NULL, &shape, NULL);
    return status ? NULL : shape;
}
