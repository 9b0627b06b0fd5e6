/* SPDX-License-Identifier: MIT */
/* Boxes, half-spaces, ellipsoids, and bodies of revolution: sphere, capsule, cylinder, cone, torus,
 * and these swept by a ball.
 *
 * A body of revolution is its profile, turned about the z axis. The profile of a core swept by a
 * ball is the outline of the core in the half-plane x >= 0, moved outward by the radius, with an
 * arc at each corner; where the radius is 0 a corner stays sharp and becomes an edge. */
#include "tessellate/tessellate.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* A point of a profile: distance from the axis, height, and the normal's angle above the plane. */
typedef struct profile_point {
    double r, z, angle;
} profile_point;

/* Turns a smooth piece of a profile, run through upward on the outside; rings of `around` + 1
 * vertices, so that no vertex is shared across the seam. */
static void revolve(abut_tess *t, const profile_point *points, int count, int around, bool edge_first)
{
    uint32_t last = 0;
    for (int i = 0; i < count && !t->status; ++i) {
        const profile_point p = points[i];
        const double nr = cos(p.angle), nz = sin(p.angle);
        uint32_t ring = 0;
        for (int k = 0; k <= around; ++k) {
            const double a = k == around ? 0 : 2 * pi * k / around, c = cos(a), s = sin(a);
            const uint32_t v =
                abut_tess_vertex(t, abut_v3(p.r * c, p.r * s, p.z), abut_v3(nr * c, nr * s, nz));
            ring = k == 0 ? v : ring;
        }
        for (uint32_t k = 0; i > 0 && k < (uint32_t)around; ++k) {
            if (points[i - 1].r > 0)
                abut_tess_triangle(t, last + k, last + k + 1, ring + k + 1);
            if (p.r > 0)
                abut_tess_triangle(t, last + k, ring + k + 1, ring + k);
        }
        for (uint32_t k = 0; i == 0 && edge_first && p.r > 0 && k < (uint32_t)around; ++k)
            abut_tess_edge(t, ring + k, ring + k + 1);
        last = ring;
    }
}

/* An arc of the profile about (r, z), from one angle to a larger one. */
static int arc(const abut_tess *t, double r, double z, double radius, double from, double to,
               profile_point *out)
{
    const int steps = radius > 0 ? abut_tess_chords(t, radius, to - from) : 0;
    int count = 0;
    for (int i = 0; i <= steps; ++i) {
        const double a = steps == 0 ? from : from + (to - from) * i / steps;
        /* At the poles cos is not 0 in doubles, but the distance from the axis is. */
        const double c = fabs(fabs(a) - pi / 2) < 1e-12 ? 0 : cos(a);
        out[count++] = (profile_point){ r + radius * c, z + radius * sin(a), a };
    }
    return count;
}

/* The outline of a core: up to four corners from the bottom of the axis to its top. */
static int outline(const abut_core *core, double r[4], double z[4])
{
    int count = 0;
    const double h = core->h[2];
    switch (core->kind) {
    case ABUT_CORE_POINT: r[count] = 0, z[count++] = 0; break;
    case ABUT_CORE_SEGMENT:
        r[count] = 0, z[count++] = -h;
        if (h > 0)
            r[count] = 0, z[count++] = h;
        break;
    case ABUT_CORE_CYLINDER:
        r[count] = 0, z[count++] = -h;
        r[count] = core->h[0], z[count++] = -h;
        r[count] = core->h[0], z[count++] = h;
        r[count] = 0, z[count++] = h;
        break;
    case ABUT_CORE_CONE:
        r[count] = 0, z[count++] = -h;
        r[count] = core->h[0], z[count++] = -h;
        r[count] = 0, z[count++] = h;
        break;
    default: break;
    }
    return count;
}

void abut_tess_round(abut_tess *t, const abut_shape *shape)
{
    enum { ROOM = 520 };
    const abut_core *core = &shape->core;
    const double radius = core->radius;
    double r[4] = { 0 }, z[4] = { 0 };
    const int corners = outline(core, r, z);
    if (corners == 0) {
        abut_tess_convex(t, shape);
        return;
    }
    profile_point points[4 * ROOM];
    int count = 0;
    double widest = radius;
    for (int i = 0; i < corners; ++i)
        widest = fmax(widest, r[i] + radius);
    const int around = abut_tess_chords(t, widest, 2 * pi);
    bool sharp = false;
    for (int i = 0; i < corners; ++i) {
        /* normals of the sides before and behind the corner */
        const double before = i == 0 ? -pi / 2 : atan2(r[i - 1] - r[i], z[i] - z[i - 1]);
        const double behind = i + 1 == corners ? pi / 2 : atan2(r[i] - r[i + 1], z[i + 1] - z[i]);
        if (radius > 0) {
            /* Where the sides run on (the middle of a cap) one point. */
            count += arc(t, r[i], z[i], behind > before ? radius : 0, before, behind, points + count);
            if (!(behind > before))
                points[count - 1].z += before < 0 ? -radius : radius;
            continue;
        }
        if (i > 0) {
            points[count++] = (profile_point){ r[i], z[i], before };
            revolve(t, points, count, around, sharp);
            sharp = true;
        }
        count = 0;
        points[count++] = (profile_point){ r[i], z[i], behind };
    }
    if (radius > 0)
        revolve(t, points, count, around, false);
}

void abut_tess_torus(abut_tess *t, const abut_shape *shape)
{
    profile_point points[520];
    const double minor = shape->u.torus.minor, major = shape->u.torus.major;
    const int count = arc(t, major, 0, minor, 0, 2 * pi, points);
    revolve(t, points, count, abut_tess_chords(t, major + minor, 2 * pi), false);
}

void abut_tess_ellipsoid(abut_tess *t, const abut_shape *shape)
{
    profile_point points[520];
    const abut_vec3 a = shape->u.ellipsoid.radii;
    const double largest = fmax(a.x, fmax(a.y, a.z)), smallest = fmin(a.x, fmin(a.y, a.z));
    abut_tess of_ball = *t;
    /* The ball of radius 1 is stretched, so its chords are, too. */
    of_ball.tolerance = fmax(t->tolerance / largest * fmax(smallest / largest, 0.25), 1e-4);
    const int count = arc(&of_ball, 0, 0, 1, -pi / 2, pi / 2, points);
    const int around = abut_tess_chords(&of_ball, 1, 2 * pi);
    const size_t first = t->vertices.count;
    revolve(t, points, count, around, false);
    for (size_t i = first; i < t->vertices.count && !t->status; ++i) {
        const abut_vec3 p = t->vertices.items[i];
        t->vertices.items[i] = abut_v3(p.x * a.x, p.y * a.y, p.z * a.z);
        t->normals.items[i] =
            abut_unit_or(abut_v3(p.x * (smallest / a.x), p.y * (smallest / a.y), p.z * (smallest / a.z)), p);
    }
}

void abut_tess_box(abut_tess *t, const abut_shape *shape)
{
    const double half[3] = { shape->u.box.half.x, shape->u.box.half.y, shape->u.box.half.z };
    for (int face = 0; face < 6; ++face) {
        const int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        const double side = face & 1 ? 1 : -1;
        uint32_t corner[4];
        for (int k = 0; k < 4; ++k) {
            double p[3], n[3] = { 0, 0, 0 };
            p[axis] = side * half[axis];
            p[u] = side * (k == 0 || k == 3 ? -half[u] : half[u]);
            p[v] = k < 2 ? -half[v] : half[v];
            n[axis] = side;
            corner[k] = abut_tess_vertex(t, abut_v3(p[0], p[1], p[2]), abut_v3(n[0], n[1], n[2]));
        }
        abut_tess_triangle(t, corner[0], corner[1], corner[2]);
        abut_tess_triangle(t, corner[0], corner[2], corner[3]);
        /* Each of the twelve edges once: the two along v of the faces of each axis. */
        abut_tess_edge(t, corner[1], corner[2]);
        abut_tess_edge(t, corner[3], corner[0]);
    }
}

/* A square of the plane with a grid on it, about the middle of the window. */
void abut_tess_halfspace(abut_tess *t, const abut_shape *shape)
{
    enum { CELLS = 12 };
    const abut_aabb *w = &t->opts.window;
    const abut_vec3 mid = abut_scale(0.5, abut_add(w->lo, w->hi)), n = shape->u.halfspace.normal;
    const double length = abut_length(n), reach = 0.5 * abut_length(abut_sub(w->hi, w->lo));
    const abut_vec3 unit = abut_unit_or(n, abut_v3(0, 0, 1));
    const abut_mat3 basis = abut_basis_along(unit);
    const abut_vec3 x = { basis.m[0][1], basis.m[1][1], basis.m[2][1] };
    const abut_vec3 y = { basis.m[0][2], basis.m[1][2], basis.m[2][2] };
    const abut_vec3 foot = abut_madd(mid, shape->u.halfspace.offset / length - abut_dot(mid, unit), unit);
    uint32_t grid[CELLS + 1][CELLS + 1];
    for (int i = 0; i <= CELLS; ++i)
        for (int k = 0; k <= CELLS; ++k) {
            const double a = reach * (2.0 * i / CELLS - 1), b = reach * (2.0 * k / CELLS - 1);
            grid[i][k] = abut_tess_vertex(t, abut_madd(abut_madd(foot, a, x), b, y), unit);
        }
    for (int i = 0; i <= CELLS; ++i)
        for (int k = 0; k <= CELLS; ++k) {
            if (i < CELLS && k < CELLS) {
                abut_tess_facing(t, grid[i][k], grid[i + 1][k], grid[i + 1][k + 1]);
                abut_tess_facing(t, grid[i][k], grid[i + 1][k + 1], grid[i][k + 1]);
            }
            if (i < CELLS)
                abut_tess_edge(t, grid[i][k], grid[i + 1][k]);
            if (k < CELLS)
                abut_tess_edge(t, grid[i][k], grid[i][k + 1]);
        }
    t->solid = false; /* one side of it is drawn */
}
