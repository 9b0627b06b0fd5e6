/* SPDX-License-Identifier: MIT */
/* Random solids made of unit cubes, as polyhedra whose faces are as large as they can be: concave, with
 * holes, handles and cavities. What lies where is read from the cubes, which shares nothing with the
 * library; an integer matrix may turn and shear them, and keeps every face exactly planar. */
#ifndef ABUT_TEST_VOXELS_H
#define ABUT_TEST_VOXELS_H

#include "abut/polyhedron.h"
#include "support/test.h"

enum { VOXEL_MOST = 8, VOXEL_POINTS = (VOXEL_MOST + 1) * (VOXEL_MOST + 1) * (VOXEL_MOST + 1) };

typedef struct voxels {
    int n[3]; /* cubes along each axis; the solid is in [0, n] */
    bool full[VOXEL_MOST][VOXEL_MOST][VOXEL_MOST];
    int64_t matrix[3][3];
    /* the polyhedron */
    abut_vec3 vertices[VOXEL_POINTS];
    int16_t places[VOXEL_POINTS][3];
    uint32_t vertex_count, face_count, loop_count, index_count;
    uint32_t face_loops[3 * VOXEL_POINTS], loop_sizes[3 * VOXEL_POINTS], indices[12 * VOXEL_POINTS];
    int32_t vertex_at[VOXEL_MOST + 1][VOXEL_MOST + 1][VOXEL_MOST + 1];
    /* the face of the unit square below or above which a cube is: [axis][x][y][z], -1 none */
    int32_t face_at[3][VOXEL_MOST + 1][VOXEL_MOST + 1][VOXEL_MOST + 1];
    bool pinched; /* a face touches itself in a vertex */
} voxels;

static inline bool voxel_full(const voxels *v, int x, int y, int z)
{
    return x >= 0 && y >= 0 && z >= 0 && x < v->n[0] && y < v->n[1] && z < v->n[2] && v->full[x][y][z];
}

/* The eight cubes around a grid point, bit 1 x, 2 y, 4 z for the upper one. */
static inline unsigned voxel_around(const voxels *v, int x, int y, int z)
{
    unsigned mask = 0;
    for (unsigned k = 0; k < 8; ++k)
        if (voxel_full(v, x - 1 + (int)(k & 1), y - 1 + (int)(k >> 1 & 1), z - 1 + (int)(k >> 2)))
            mask |= 1u << k;
    return mask;
}

/* Is the boundary a manifold at such a point: full cubes joined by faces, and empty ones as well? */
static inline bool voxel_joined(unsigned mask)
{
    if (mask == 0)
        return true;
    unsigned reached = mask & (0u - mask), last = 0;
    while (reached != last) {
        last = reached;
        for (unsigned k = 0; k < 8; ++k)
            if (reached >> k & 1)
                reached |= mask & (1u << (k ^ 1) | 1u << (k ^ 2) | 1u << (k ^ 4));
    }
    return reached == mask;
}

static inline bool voxel_manifold(const voxels *v, int x, int y, int z)
{
    const unsigned mask = voxel_around(v, x, y, z);
    if (!voxel_joined(mask) || !voxel_joined(~mask & 0xff))
        return false;
    /* around each of the six grid edges no two cubes face each other across it alone */
    for (unsigned axis = 0; axis < 3; ++axis)
        for (unsigned up = 0; up < 2; ++up) {
            const unsigned a = 1u << axis, b = 1u << (axis + 1) % 3, c = 1u << (axis + 2) % 3, o = up ? a : 0;
            const bool p = mask >> o & 1, q = mask >> (o | b) & 1, r = mask >> (o | b | c) & 1,
                       s = mask >> (o | c) & 1;
            if (p == r && q == s && p != q)
                return false;
        }
    return true;
}

/* A random solid: cubes are flipped wherever that leaves a manifold. */
static inline void voxel_random(voxels *v, test_random *r, int size, int flips)
{
    memset(v->full, 0, sizeof v->full);
    for (int k = 0; k < 3; ++k) {
        v->n[k] = 1 + (int)test_below(r, (unsigned)size);
        for (int j = 0; j < 3; ++j)
            v->matrix[k][j] = k == j;
    }
    for (int x = 0; x < v->n[0]; ++x)
        for (int y = 0; y < v->n[1]; ++y)
            for (int z = 0; z < v->n[2]; ++z)
                v->full[x][y][z] = true;
    for (int i = 0; i < flips; ++i) {
        const int x = (int)test_below(r, (unsigned)v->n[0]), y = (int)test_below(r, (unsigned)v->n[1]),
                  z = (int)test_below(r, (unsigned)v->n[2]);
        v->full[x][y][z] = !v->full[x][y][z];
        bool good = true;
        for (unsigned k = 0; k < 8; ++k)
            good = good && voxel_manifold(v, x + (int)(k & 1), y + (int)(k >> 1 & 1), z + (int)(k >> 2));
        if (!good)
            v->full[x][y][z] = !v->full[x][y][z];
    }
}

static inline abut_vec3 voxel_map(const voxels *v, double x, double y, double z)
{
    const int64_t(*m)[3] = v->matrix;
    return (abut_vec3){ (double)m[0][0] * x + (double)m[0][1] * y + (double)m[0][2] * z,
                        (double)m[1][0] * x + (double)m[1][1] * y + (double)m[1][2] * z,
                        (double)m[2][0] * x + (double)m[2][1] * y + (double)m[2][2] * z };
}

/* Is there a square of that axis with the cube on its lower side full, at place p? +1 the boundary looks up,
 * -1 down, 0 none. */
static inline int voxel_square(const voxels *v, int axis, const int p[3])
{
    int q[3] = { p[0], p[1], p[2] };
    const bool above = voxel_full(v, q[0], q[1], q[2]);
    --q[axis];
    const bool below = voxel_full(v, q[0], q[1], q[2]);
    return below == above ? 0 : below ? 1 : -1;
}

static inline void voxel_fill(voxels *v, int axis, const int p[3], int face, int sign)
{
    if (p[0] < 0 || p[1] < 0 || p[2] < 0 || p[0] > v->n[0] || p[1] > v->n[1] || p[2] > v->n[2] ||
        v->face_at[axis][p[0]][p[1]][p[2]] >= 0 || voxel_square(v, axis, p) != sign)
        return;
    v->face_at[axis][p[0]][p[1]][p[2]] = face;
    for (int k = 0; k < 4; ++k) {
        int q[3] = { p[0], p[1], p[2] };
        q[(axis + 1 + k / 2) % 3] += k % 2 ? 1 : -1;
        voxel_fill(v, axis, q, face, sign);
    }
}

static inline uint32_t voxel_vertex(voxels *v, const int p[3])
{
    int32_t *at = &v->vertex_at[p[0]][p[1]][p[2]];
    if (*at < 0) {
        *at = (int32_t)v->vertex_count++;
        v->vertices[*at] = voxel_map(v, p[0], p[1], p[2]);
        for (int k = 0; k < 3; ++k)
            v->places[*at][k] = (int16_t)p[k];
    }
    return (uint32_t)*at;
}

/* Where the boundary is straight along no axis. */
static inline bool voxel_is_vertex(const voxels *v, const int p[3])
{
    const unsigned mask = voxel_around(v, p[0], p[1], p[2]);
    for (unsigned axis = 0; axis < 3; ++axis) {
        bool along = true;
        for (unsigned k = 0; k < 8; ++k)
            along = along && (mask >> k & 1) == (mask >> (k ^ 1u << axis) & 1);
        if (along)
            return false;
    }
    return true;
}

/* Sides of unit squares of a face that no other square of it shares, as steps in the plane with the face on
 * the left, are followed from corner to corner; straight on adds no vertex. */
static inline void voxel_loops(voxels *v, int axis, int level, int face, int sign)
{
    const int a = sign > 0 ? (axis + 1) % 3 : (axis + 2) % 3, b = sign > 0 ? (axis + 2) % 3 : (axis + 1) % 3;
    static bool step[VOXEL_MOST + 2][VOXEL_MOST + 2][4]; /* from a point, direction +a +b -a -b */
    memset(step, 0, sizeof step);
    const int da[4] = { 1, 0, -1, 0 }, db[4] = { 0, 1, 0, -1 };
    for (int i = 0; i < v->n[a]; ++i)
        for (int j = 0; j < v->n[b]; ++j) {
            int p[3];
            p[axis] = level;
            p[a] = i;
            p[b] = j;
            if (v->face_at[axis][p[0]][p[1]][p[2]] != face)
                continue;
            for (int k = 0; k < 4; ++k) { /* the neighbour across side k: below, right, above, left */
                int q[3];
                q[axis] = level;
                q[a] = i + (k == 1) - (k == 3);
                q[b] = j + (k == 2) - (k == 0);
                const bool same = q[a] >= 0 && q[b] >= 0 && q[a] < v->n[a] && q[b] < v->n[b] &&
                                  v->face_at[axis][q[0]][q[1]][q[2]] == face;
                if (!same)
                    step[i + (k == 1 || k == 2)][j + (k == 2 || k == 3)][k] = true;
            }
        }
    for (int i = 0; i <= v->n[a]; ++i)
        for (int j = 0; j <= v->n[b]; ++j)
            for (int k = 0; k < 4; ++k) {
                int x = i, y = j, way = k;
                /* loops start at a corner */
                if (!step[i][j][k] || (i - da[k] >= 0 && j - db[k] >= 0 && step[i - da[k]][j - db[k]][k]))
                    continue;
                uint32_t size = 0;
                while (step[x][y][way]) {
                    step[x][y][way] = false;
                    int p[3];
                    p[axis] = level;
                    p[a] = x;
                    p[b] = y;
                    v->indices[v->index_count + size++] = voxel_vertex(v, p);
                    while (true) {
                        x += da[way];
                        y += db[way];
                        if (!step[x][y][way])
                            break;
                        step[x][y][way] = false;
                        p[a] = x;
                        p[b] = y;
                        if (voxel_is_vertex(v, p)) /* other faces turn here */
                            v->indices[v->index_count + size++] = voxel_vertex(v, p);
                    }
                    const int left = (way + 1) % 4, right = (way + 3) % 4;
                    v->pinched = v->pinched || (step[x][y][left] && step[x][y][right]);
                    way = step[x][y][left] ? left : right;
                }
                v->loop_sizes[v->loop_count++] = size;
                v->index_count += size;
                ++v->face_loops[face];
            }
}

/* Vertices, faces and loops; false where a face touches itself. */
static inline bool voxel_build(voxels *v)
{
    v->vertex_count = v->face_count = v->loop_count = v->index_count = 0;
    v->pinched = false;
    memset(v->face_loops, 0, sizeof v->face_loops);
    for (size_t i = 0; i < sizeof v->face_at / sizeof(int32_t); ++i)
        ((int32_t *)v->face_at)[i] = -1;
    for (size_t i = 0; i < sizeof v->vertex_at / sizeof(int32_t); ++i)
        ((int32_t *)v->vertex_at)[i] = -1;
    for (int axis = 0; axis < 3; ++axis)
        for (int x = 0; x <= v->n[0]; ++x)
            for (int y = 0; y <= v->n[1]; ++y)
                for (int z = 0; z <= v->n[2]; ++z) {
                    const int p[3] = { x, y, z }, sign = voxel_square(v, axis, p);
                    if (sign == 0 || v->face_at[axis][x][y][z] >= 0)
                        continue;
                    voxel_fill(v, axis, p, (int)v->face_count, sign);
                    voxel_loops(v, axis, p[axis], (int)v->face_count, sign);
                    ++v->face_count;
                }
    return !v->pinched && v->face_count > 0;
}

static inline abut_polyhedron_def voxel_def(const voxels *v)
{
    abut_polyhedron_def def;
    abut_polyhedron_def_init(&def);
    def.vertices = v->vertices;
    def.vertex_count = v->vertex_count;
    def.face_count = v->face_count;
    def.face_loops = v->face_loops;
    def.loop_count = v->loop_count;
    def.loop_sizes = v->loop_sizes;
    def.index_count = v->index_count;
    def.indices = v->indices;
    return def;
}

/* A matrix of small integers with a positive determinant, which it returns. */
static inline int64_t voxel_shear(voxels *v, test_random *r, unsigned size)
{
    for (;;) {
        int64_t(*m)[3] = v->matrix;
        for (int i = 0; i < 9; ++i)
            m[i / 3][i % 3] = (int64_t)test_below(r, 2 * size + 1) - (int64_t)size;
        const int64_t det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                            m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                            m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        if (det > 0)
            return det;
    }
}

/* Where a point is that has the coordinates p / unit before the matrix: counted in cubes. Ids of faces and
 * vertices are those of the polyhedron; of an edge -1. */
static inline abut_where voxel_where(const voxels *v, const int64_t p[3], int64_t unit, int64_t *id)
{
    int lo[3], on = 0, cell[3];
    *id = -1;
    for (int k = 0; k < 3; ++k) {
        const int64_t floor4 = p[k] >= 0 ? p[k] / unit : -((-p[k] + unit - 1) / unit);
        lo[k] = cell[k] = (int)(floor4 < -1 ? -1 : floor4 > VOXEL_MOST ? VOXEL_MOST : floor4);
        if (floor4 * unit == p[k]) {
            on |= 1 << k;
            --lo[k];
        }
    }
    /* cubes that hold the point: one to eight */
    int full = 0, all = 0;
    unsigned mask = 0;
    for (unsigned k = 0; k < 8; ++k) {
        if (k & ~(unsigned)on & 7u)
            continue;
        const bool is = voxel_full(v, lo[0] + (int)(k & 1), lo[1] + (int)(k >> 1 & 1), lo[2] + (int)(k >> 2));
        ++all;
        full += is;
        mask |= (unsigned)is << k;
    }
    if (full == 0)
        return ABUT_WHERE_OUT;
    if (full == all)
        return ABUT_WHERE_IN;
    /* on a face where the cubes differ along one axis only */
    for (int axis = 0; axis < 3; ++axis) {
        if (!(on >> axis & 1))
            continue;
        bool flat = true;
        for (unsigned k = 0; k < 8; ++k) {
            if (k & ~(unsigned)on & 7u)
                continue;
            const unsigned first = k & 1u << axis;
            flat = flat && (mask >> k & 1) == (mask >> first & 1);
        }
        if (flat) {
            *id = v->face_at[axis][cell[0]][cell[1]][cell[2]];
            if (*id >= 0)
                return ABUT_WHERE_FACE;
            /* at the far side of the grid the square that begins here is another */
            int q[3] = { cell[0], cell[1], cell[2] };
            for (int k = 1; k <= 2; ++k)
                if (on >> (axis + k) % 3 & 1)
                    --q[(axis + k) % 3];
            *id = v->face_at[axis][q[0]][q[1]][q[2]];
            return ABUT_WHERE_FACE;
        }
    }
    for (int axis = 0; axis < 3; ++axis) { /* on an edge along this axis where it does not matter */
        if (!(on >> axis & 1))
            return ABUT_WHERE_EDGE;
        bool along = true;
        for (unsigned k = 0; k < 8; ++k)
            along = along && (mask >> k & 1) == (mask >> (k ^ 1u << axis) & 1);
        if (along && on == 7)
            return ABUT_WHERE_EDGE;
    }
    *id = v->vertex_at[cell[0]][cell[1]][cell[2]];
    return ABUT_WHERE_VERTEX;
}

#endif
