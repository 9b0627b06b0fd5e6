/* SPDX-License-Identifier: MIT */
/* Meshes made by rule; see make_mesh.h. */
#include "make_mesh.h"

#include "bench.h"

#include <math.h>
#include <stdlib.h>

/* The octant is found in whole numbers and the series runs for
 * an argument of at most pi/4, in + and * only: the same bits on every machine. Ten terms leave
 * less than (pi/4)^20/20! < 1e-20. */
void bench_turn(size_t k, size_t n, double *cosine, double *sine)
{
    const double pi = 0x1.921fb54442d18p+1;
    const size_t eighths = 8 * (k % n);
    const size_t quarter = (eighths + n) / (2 * n); /* nearest quarter of a turn */
    const double x = ((double)eighths - (double)(2 * n * quarter)) / (double)n * (pi / 4);
    double c = 1, s = 1, term_c = 1, term_s = 1;
    for (int i = 1; i <= 10; ++i) {
        term_c *= -x * x / ((2 * i - 1) * (2 * i));
        term_s *= -x * x / ((2 * i) * (2 * i + 1));
        c += term_c;
        s += term_s;
    }
    s *= x;
    switch (quarter % 4) {
    case 0: *cosine = c, *sine = s; break;
    case 1: *cosine = -s, *sine = c; break;
    case 2: *cosine = -c, *sine = -s; break;
    default: *cosine = s, *sine = -c; break;
    }
}

static double sine_of(size_t k, size_t n)
{
    double c, s;
    bench_turn(k, n, &c, &s);
    return s;
}

static void reserve(bench_mesh *mesh, size_t vertices, size_t triangles)
{
    *mesh = (bench_mesh){ 0 };
    mesh->vertices = bench_alloc(vertices, sizeof *mesh->vertices);
    mesh->triangles = bench_alloc(triangles, sizeof *mesh->triangles);
}

static uint32_t add_vertex(bench_mesh *mesh, double x, double y, double z)
{
    double *v = mesh->vertices[mesh->vertex_count];
    v[0] = x;
    v[1] = y;
    v[2] = z;
    return (uint32_t)mesh->vertex_count++;
}

static void add_triangle(bench_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *t = mesh->triangles[mesh->triangle_count++];
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

/* a, b, c, d run round it. */
static void add_square(bench_mesh *mesh, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_triangle(mesh, a, b, c);
    add_triangle(mesh, a, c, d);
}

void bench_mesh_clear(bench_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->triangles);
    *mesh = (bench_mesh){ 0 };
}

static void make_torus(bench_mesh *mesh, size_t rings, size_t sides, double wrinkle)
{
    reserve(mesh, rings * sides, 2 * rings * sides);
    for (size_t i = 0; i < rings; ++i)
        for (size_t k = 0; k < sides; ++k) {
            double cu, su, cv, sv, r = .4;
            bench_turn(i, rings, &cu, &su);
            bench_turn(k, sides, &cv, &sv);
            if (wrinkle != 0)
                r += wrinkle * sine_of(7 * i, rings) * sine_of(9 * k, sides);
            add_vertex(mesh, (1 + r * cv) * cu, (1 + r * cv) * su, r * sv);
        }
    for (size_t i = 0; i < rings; ++i)
        for (size_t k = 0; k < sides; ++k) {
            const size_t in = (i + 1) % rings * sides, kn = (k + 1) % sides;
            add_square(mesh, (uint32_t)(i * sides + k), (uint32_t)(in + k), (uint32_t)(in + kn),
                       (uint32_t)(i * sides + kn));
        }
}

void bench_torus(bench_mesh *mesh, size_t rings, size_t sides)
{
    make_torus(mesh, rings, sides, 0);
}

void bench_wrinkled_torus(bench_mesh *mesh, size_t rings, size_t sides)
{
    make_torus(mesh, rings, sides, .05);
}

/* Vertices that faces share are made once: corners, then those inside edges, then those inside
 * faces. */
void bench_sphere(bench_mesh *mesh, size_t n)
{
    static const uint8_t faces[20][3] = { { 0, 11, 5 },  { 0, 5, 1 },  { 0, 1, 7 },  { 0, 7, 10 },
                                          { 0, 10, 11 }, { 1, 5, 9 },  { 5, 11, 4 }, { 11, 10, 2 },
                                          { 10, 7, 6 },  { 7, 1, 8 },  { 3, 9, 4 },  { 3, 4, 2 },
                                          { 3, 2, 6 },   { 3, 6, 8 },  { 3, 8, 9 },  { 4, 9, 5 },
                                          { 2, 4, 11 },  { 6, 2, 10 }, { 8, 6, 7 },  { 9, 8, 1 } };
    const double g = (1 + sqrt(5)) / 2;
    const double corner[12][3] = { { -1, g, 0 }, { 1, g, 0 }, { -1, -g, 0 }, { 1, -g, 0 },
                                   { 0, -1, g }, { 0, 1, g }, { 0, -1, -g }, { 0, 1, -g },
                                   { g, 0, -1 }, { g, 0, 1 }, { -g, 0, -1 }, { -g, 0, 1 } };
    static uint32_t edge[12][12]; /* first vertex inside the edge from the lower corner, plus 1 */
    for (int i = 0; i < 12; ++i)
        for (int k = 0; k < 12; ++k)
            edge[i][k] = 0;
    reserve(mesh, 10 * n * n + 2, 20 * n * n);
    for (int i = 0; i < 12; ++i)
        add_vertex(mesh, corner[i][0], corner[i][1], corner[i][2]);
    uint32_t *grid = bench_alloc((n + 1) * (n + 1), sizeof *grid);
    for (int f = 0; f < 20; ++f) {
        const uint8_t *c = faces[f];
        for (size_t i = 0; i <= n; ++i)
            for (size_t k = 0; i + k <= n; ++k) {
                const size_t part[3] = { n - i - k, i, k }; /* of the three corners */
                int used[3], count = 0;
                for (int j = 0; j < 3; ++j)
                    if (part[j] > 0)
                        used[count++] = j;
                uint32_t at;
                double p[3];
                for (int x = 0; x < 3; ++x)
                    p[x] = ((double)part[0] * corner[c[0]][x] + (double)part[1] * corner[c[1]][x] +
                            (double)part[2] * corner[c[2]][x]) /
                           (double)n;
                if (count == 1) {
                    at = c[used[0]];
                } else if (count == 2) {
                    const uint8_t lo = c[used[0]] < c[used[1]] ? c[used[0]] : c[used[1]];
                    const uint8_t hi = c[used[0]] < c[used[1]] ? c[used[1]] : c[used[0]];
                    /* from lo, 1 to n - 1 */
                    const size_t step = part[c[used[0]] == lo ? used[1] : used[0]];
                    if (edge[lo][hi] == 0) {
                        edge[lo][hi] = (uint32_t)mesh->vertex_count + 1;
                        for (size_t s = 1; s < n; ++s) {
                            double q[3];
                            for (int x = 0; x < 3; ++x)
                                q[x] =
                                    ((double)(n - s) * corner[lo][x] + (double)s * corner[hi][x]) / (double)n;
                            add_vertex(mesh, q[0], q[1], q[2]);
                        }
                    }
                    at = edge[lo][hi] - 1 + (uint32_t)(step - 1);
                } else {
                    at = add_vertex(mesh, p[0], p[1], p[2]);
                }
                grid[i * (n + 1) + k] = at;
            }
        for (size_t i = 0; i < n; ++i)
            for (size_t k = 0; i + k < n; ++k) {
                const uint32_t a = grid[i * (n + 1) + k], b = grid[(i + 1) * (n + 1) + k],
                               d = grid[i * (n + 1) + k + 1];
                add_triangle(mesh, a, b, d);
                if (i + k + 1 < n)
                    add_triangle(mesh, b, grid[(i + 1) * (n + 1) + k + 1], d);
            }
    }
    free(grid);
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        double *v = mesh->vertices[i];
        const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int x = 0; x < 3; ++x)
            v[x] /= length;
    }
}

static void add_grid(bench_mesh *mesh, size_t n)
{
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < n; ++k) {
            const uint32_t at = (uint32_t)(i * (n + 1) + k), next = at + (uint32_t)n + 1;
            add_square(mesh, at, next, next + 1, at + 1);
        }
}

void bench_land(bench_mesh *mesh, size_t n)
{
    reserve(mesh, (n + 1) * (n + 1), 2 * n * n);
    for (size_t i = 0; i <= n; ++i)
        for (size_t k = 0; k <= n; ++k) {
            const double x = -4 + 8 * (double)i / (double)n, y = -4 + 8 * (double)k / (double)n;
            const double dimples = sine_of(12 * i, n) * sine_of(12 * k, n);
            double z = .3 * sine_of(2 * i + k, n) + .2 * sine_of(3 * k, n) - .1 * dimples * dimples;
            if (i % 16 == 8 && k % 16 == 8)
                z += .15;
            z += 3 / (1 + 40 * (x * x + y * y)); /* the stalagmite */
            add_vertex(mesh, x, y, z);
        }
    add_grid(mesh, n);
}

/* One open pipe from -1 to 1 along `axis`. */
static void add_pipe(bench_mesh *mesh, int axis, double u, double v, double radius, size_t sides,
                     size_t pieces)
{
    const uint32_t first = (uint32_t)mesh->vertex_count;
    for (size_t i = 0; i <= pieces; ++i)
        for (size_t k = 0; k < sides; ++k) {
            double c, s, p[3];
            bench_turn(k, sides, &c, &s);
            p[axis] = -1 + 2 * (double)i / (double)pieces;
            p[(axis + 1) % 3] = u + radius * c;
            p[(axis + 2) % 3] = v + radius * s;
            add_vertex(mesh, p[0], p[1], p[2]);
        }
    for (size_t i = 0; i < pieces; ++i)
        for (size_t k = 0; k < sides; ++k) {
            const uint32_t a = first + (uint32_t)(i * sides + k),
                           b = first + (uint32_t)(i * sides + (k + 1) % sides);
            add_square(mesh, a, b, b + (uint32_t)sides, a + (uint32_t)sides);
        }
}

void bench_pipes(bench_mesh *mesh, size_t count, size_t sides, size_t pieces)
{
    const size_t pipes = 3 * count * count;
    reserve(mesh, pipes * (pieces + 1) * sides, 2 * pipes * pieces * sides);
    const double step = 2 / (double)count, radius = step / 6;
    for (int axis = 0; axis < 3; ++axis)
        for (size_t i = 0; i < count; ++i)
            for (size_t k = 0; k < count;
                 ++k) /* a third of a step aside for each axis, so that pipes pass each other */
                add_pipe(mesh, axis, -1 + step * ((double)i + .5 + (axis - 1) / 3.),
                         -1 + step * ((double)k + .5 - (axis - 1) / 3.), radius, sides, pieces);
}

/* Profile of the torpedo: radius at height -1 + 2 s. */
static double torpedo_radius(double s)
{
    const double nose = s > .8 ? (s - .8) / .2 : 0, tail = s < .3 ? (.3 - s) / .3 : 0;
    return .15 * sqrt(1 - nose * nose) * (1 - .8 * tail * tail) + 1e-3;
}

void bench_torpedo(bench_mesh *mesh, size_t rings, size_t sides)
{
    reserve(mesh, (rings + 1) * sides + 16, 2 * rings * sides + 2 * sides + 32);
    for (size_t i = 0; i <= rings; ++i)
        for (size_t k = 0; k < sides; ++k) {
            double c, s;
            const double along = (double)i / (double)rings, r = torpedo_radius(along);
            bench_turn(k, sides, &c, &s);
            add_vertex(mesh, r * c, r * s, -1 + 2 * along);
        }
    for (size_t i = 0; i < rings; ++i)
        for (size_t k = 0; k < sides; ++k) {
            const uint32_t a = (uint32_t)(i * sides + k), b = (uint32_t)(i * sides + (k + 1) % sides);
            add_square(mesh, a, b, b + (uint32_t)sides, a + (uint32_t)sides);
        }
    for (int f = 0; f < 4; ++f) { /* fins, each two triangles */
        const double c = f == 0 ? 1 : f == 2 ? -1 : 0, s = f == 1 ? 1 : f == 3 ? -1 : 0;
        const uint32_t a = add_vertex(mesh, .05 * c, .05 * s, -1), b = add_vertex(mesh, .16 * c, .16 * s, -1);
        const uint32_t d = add_vertex(mesh, .16 * c, .16 * s, -.85),
                       e = add_vertex(mesh, .1 * c, .1 * s, -.7);
        add_square(mesh, a, b, d, e);
    }
}

void bench_cradle(bench_mesh *mesh, size_t rings, size_t sides)
{
    reserve(mesh, 2 * (rings + 1) * sides, 4 * rings * sides + 4 * sides);
    for (int wall = 0; wall < 2; ++wall)
        for (size_t i = 0; i <= rings; ++i)
            for (size_t k = 0; k < sides; ++k) {
                double c, s;
                bench_turn(k, sides, &c, &s);
                const double r = (wall ? .3 : .17) + .01 * sine_of(8 * k, sides) * sine_of(5 * i, rings);
                add_vertex(mesh, r * c, r * s, -1.2 + 2.4 * (double)i / (double)rings);
            }
    const uint32_t outer = (uint32_t)((rings + 1) * sides);
    for (size_t i = 0; i < rings; ++i)
        for (size_t k = 0; k < sides; ++k) {
            const uint32_t a = (uint32_t)(i * sides + k), b = (uint32_t)(i * sides + (k + 1) % sides),
                           n = (uint32_t)sides;
            add_square(mesh, a, a + n, b + n, b);
            add_square(mesh, outer + a, outer + b, outer + b + n, outer + a + n);
        }
    for (size_t k = 0; k < sides; ++k) {
        const uint32_t a = (uint32_t)k, b = (uint32_t)((k + 1) % sides), top = (uint32_t)(rings * sides);
        add_square(mesh, a, b, outer + b, outer + a);
        add_square(mesh, top + a, outer + top + a, outer + top + b, top + b);
    }
}

void bench_sheet(bench_mesh *mesh, size_t n)
{
    reserve(mesh, (n + 1) * (n + 1), 2 * n * n);
    for (size_t i = 0; i <= n; ++i)
        for (size_t k = 0; k <= n; ++k)
            add_vertex(mesh, (double)i / (double)n, (double)k / (double)n, 0);
    add_grid(mesh, n);
}

/* The sheet is a scroll whose turns come nearer with every frame, and waves run along it: in the
 * end neighbouring turns touch. */
void bench_wave_sheet(const bench_mesh *sheet, size_t n, size_t frame, double (*vertices)[3])
{
    (void)sheet;
    /* no two turns have their edges at one angle */
    const size_t period = (n + 1) % 3 ? n + 1 : n + 2;
    for (size_t i = 0; i <= n; ++i) {
        double c, s;
        const double along = (double)i / (double)n, pitch = .02 - .0006 * (double)(frame % 32);
        bench_turn(3 * i, period, &c, &s); /* three turns */
        for (size_t k = 0; k <= n; ++k) {
            const double r = .1 + 3 * pitch * along + .004 * sine_of(6 * k + 8 * i + 3 * frame, n);
            double *v = vertices[i * (n + 1) + k];
            v[0] = r * c;
            v[1] = r * s;
            /* no two turns have their edges at one height */
            v[2] = (double)k / (double)n + .0137 * along;
        }
    }
}
