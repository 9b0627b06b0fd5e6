/* SPDX-License-Identifier: MIT */
#include "oracle/forms.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum kind {
    SPHERE,
    BOX,
    CAPSULE,
    CYLINDER,
    CONE,
    ELLIPSOID,
    TORUS,
    HALFSPACE,
    CONVEX,
    SWEPT,
    MESH,
    SOLID_MESH,
    POLYHEDRON,
    FIELD,
    SHEET,
    BEZIER,
    IMPLICIT,
    CSG,
    EXTRUDE,
    REVOLVE,
    SOLID,
    COMPOUND,
    BALLOON,
    FLAG,
    BLOB,
    RING,
    STRETCHED,
    VERTICES
};

static const double pi = 3.14159265358979323846;

static const struct {
    const char *name, *shape;
    bool solid;
    int patches;
} table[FORM_KINDS + FORM_CHANGING] = {
    [SPHERE] = { "sphere", "{\"type\":\"sphere\",\"radius\":1}", true, 1 },
    [BOX] = { "box", "{\"type\":\"box\",\"half\":[1,1,1]}", true, 6 },
    [CAPSULE] = { "capsule", "{\"type\":\"capsule\",\"radius\":0.5,\"height\":1}", true, 3 },
    [CYLINDER] = { "cylinder", "{\"type\":\"cylinder\",\"radius\":1,\"height\":1}", true, 3 },
    [CONE] = { "cone", "{\"type\":\"cone\",\"radius\":1,\"height\":1}", true, 2 },
    [ELLIPSOID] = { "ellipsoid", "{\"type\":\"ellipsoid\",\"radii\":[1,0.5,0.7]}", true, 1 },
    [TORUS] = { "torus", "{\"type\":\"torus\",\"major\":1,\"minor\":0.25}", true, 1 },
    [HALFSPACE] = { "halfspace", "{\"type\":\"halfspace\",\"normal\":[0,0,1],\"offset\":0}", true, 1 },
    [CONVEX] = { "convex", "{\"type\":\"convex\",\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}", true, 4 },
    [SWEPT] = { "swept",
                "{\"type\":\"swept\",\"of\":{\"type\":\"cylinder\",\"radius\":1,\"height\":1},\"margin\":0."
                "125}",
                true, 5 },
    [MESH] = { "mesh",
               "{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"triangles\":[[0,2,1],"
               "[0,1,3],[0,3,2],[1,2,3]]}",
               false, 4 },
    [SOLID_MESH] = { "mesh, solid",
                     "{\"type\":\"mesh\",\"solid\":true,\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"
                     "\"triangles\":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}",
                     true, 4 },
    [POLYHEDRON] = { "polyhedron",
                     "{\"type\":\"polyhedron\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"faces\":"
                     "[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}",
                     true, 4 },
    [FIELD] = { "heightfield",
                "{\"type\":\"heightfield\",\"columns\":3,\"rows\":2,\"spacing\":[1,1],\"heights\":"
                "[0,0.5,0,0.25,0,0]}",
                true, 5 },
    [SHEET] = { "parametric",
                "{\"type\":\"parametric\",\"x\":\"u\",\"y\":\"v\",\"z\":\"u*v\",\"u\":[-1,1],\"v\":[-1,1]}",
                false, 1 },
    [BEZIER] = { "bezier",
                 "{\"type\":\"bezier\",\"degree\":[1,1],\"points\":[[0,0,0],[1,0,0],[0,1,0],[1,1,1]]}", false,
                 1 },
    [IMPLICIT] = { "implicit",
                   "{\"type\":\"implicit\",\"f\":\"x^2+y^2+z^4-1\",\"bounds\":[[-2,-2,-2],[2,2,2]]}", true,
                   1 },
    [CSG] = { "csg",
              "{\"type\":\"csg\",\"op\":\"intersection\",\"of\":[{\"type\":\"implicit\",\"f\":"
              "\"x^2+y^2+z^2-1\",\"bounds\":[[-2,-2,-2],[2,2,2]]},{\"type\":\"implicit\",\"f\":\"x\","
              "\"bounds\":[[-2,-2,-2],[2,2,2]]}]}",
              true, 2 },
    [EXTRUDE] = { "extrude", "{\"type\":\"extrude\",\"profile\":[[0,0],[1,0],[1,1,0.25],[0,1]],\"height\":1}",
                  true, 6 },
    [REVOLVE] = { "revolve", "{\"type\":\"revolve\",\"profile\":[[0,0],[1,0],[1,1],[0,1]]}", true, 3 },
    [SOLID] = { "solid",
                "{\"type\":\"solid\",\"surfaces\":[{\"type\":\"sphere\",\"center\":[0,0,0],\"radius\":1}],"
                "\"vertices\":[],\"edges\":[],\"faces\":[{\"surface\":0,\"outward\":1,\"loops\":[]}]}",
                true, 1 },
    [COMPOUND] = { "compound",
                   "{\"type\":\"compound\",\"of\":[{\"shape\":{\"type\":\"sphere\",\"radius\":1}},{\"shape\":"
                   "{\"type\":\"box\",\"half\":[0.5,0.5,0.5]},\"pose\":{\"position\":[1,0,0]}}]}",
                   true, 7 },
    [BALLOON] = { "parametric that deforms", NULL, true, 1 },
    [FLAG] = { "sheet that deforms", NULL, false, 1 },
    [BLOB] = { "implicit that deforms", NULL, true, 1 },
    [RING] = { "csg that deforms", NULL, true, 4 },
    [STRETCHED] = { "ellipsoid, affine", "{\"type\":\"ellipsoid\",\"radii\":[1,0.5,0.7]}", true, 1 },
    [VERTICES] = { "mesh, vertices",
                   "{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"triangles\":[[0,2,1],"
                   "[0,1,3],[0,3,2],[1,2,3]]}",
                   false, 4 },
};

static const double corner[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
static const int side[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 0, 3, 2 }, { 1, 2, 3 } };

const char *form_name(int kind)
{
    return table[kind].name;
}

bool form_is_solid(const form *f)
{
    return table[f->kind].solid;
}

/* ---- what changes ----
 * BALLOON: radii 1 + p[i] t. FLAG: (u, v, (p0 + p1 t) u v + p2 t). BLOB: x^2 + y^2 + z^2 < p0 + p1 t. RING: a
 * ball of radius^2 1 + p0 t less a cylinder of radius^2 0.2 + p1 t. STRETCHED: p[0..8] the linear part at
 * t = 1. VERTICES: p[0..11] what is added to the corners at t = 1. */

void form_random(form *f, int kind, double (*uniform)(void *, double, double), void *ctx)
{
    memset(f, 0, sizeof *f);
    f->kind = kind;
    for (int i = 0; i < 3; ++i) {
        f->axis[i] = uniform(ctx, -1, 1);
        f->p[i] = uniform(ctx, -0.3, 0.3);
    }
    f->angle = uniform(ctx, -3, 3);
    f->spin = uniform(ctx, -1, 1);
    if (kind == BLOB) { /* half of them appear or vanish */
        f->p[0] = uniform(ctx, -0.4, 0.6);
        f->p[1] = f->p[0] < 0 ? uniform(ctx, 0.6, 1) : uniform(ctx, -1, 0.5);
    }
    if (kind == RING)
        f->p[1] = uniform(ctx, 0, 0.3);
    for (int i = 0; kind == STRETCHED && i < 9; ++i)
        f->p[i] = (i % 4 == 0) + uniform(ctx, -0.3, 0.3);
    for (int i = 0; kind == VERTICES && i < 12; ++i)
        f->p[i] = uniform(ctx, -0.4, 0.4);
}

void form_shape(const form *f, char *out, size_t room)
{
    const double *p = f->p;
    switch (f->kind) {
    case BALLOON:
        (void)snprintf(out, room,
                       "{\"type\":\"parametric\",\"x\":\"(1+%.17g*t)*cos(u)*cos(v)\",\"y\":"
                       "\"(1+%.17g*t)*sin(u)*cos(v)\",\"z\":\"(1+%.17g*t)*sin(v)\",\"u\":[-%.17g,%.17g],"
                       "\"v\":[-%.17g,%.17g],\"wrap\":[\"u\"]}",
                       p[0], p[1], p[2], pi, pi, pi / 2, pi / 2);
        break;
    case FLAG:
        (void)snprintf(
            out, room,
            "{\"type\":\"parametric\",\"x\":\"u\",\"y\":\"v\",\"z\":\"(%.17g+%.17g*t)*u*v+%.17g*t\","
            "\"u\":[-1,1],\"v\":[-1,1]}",
            p[0], p[1], p[2]);
        break;
    case BLOB:
        (void)snprintf(out, room,
                       "{\"type\":\"implicit\",\"f\":\"x^2+y^2+z^2-(%.17g+%.17g*t)\",\"bounds\":[[-2,-2,-2],"
                       "[2,2,2]]}",
                       p[0], p[1]);
        break;
    case RING:
        (void)snprintf(out, room,
                       "{\"type\":\"csg\",\"op\":\"difference\",\"of\":[{\"type\":\"implicit\",\"f\":"
                       "\"x^2+y^2+z^2-1-%.17g*t\",\"bounds\":[[-2,-2,-2],[2,2,2]]},{\"type\":\"implicit\","
                       "\"f\":\"x^2+y^2-0.2-%.17g*t\",\"bounds\":[[-2,-2,-2],[2,2,2]]}]}",
                       p[0], p[1]);
        break;
    default: (void)snprintf(out, room, "%s", table[f->kind].shape);
    }
}

void form_motion(const form *f, char *out, size_t room)
{
    const double *p = f->p, *a = f->from, *b = f->to;
    if (f->kind == STRETCHED) {
        (void)snprintf(out, room,
                       "{\"type\":\"affine\",\"matrices\":[[[1,0,0,%.17g],[0,1,0,%.17g],[0,0,1,%.17g]],"
                       "[[%.17g,%.17g,%.17g,%.17g],[%.17g,%.17g,%.17g,%.17g],[%.17g,%.17g,%.17g,%.17g]]]}",
                       a[0], a[1], a[2], p[0], p[1], p[2], b[0], p[3], p[4], p[5], b[1], p[6], p[7], p[8],
                       b[2]);
        return;
    }
    if (f->kind == VERTICES) {
        size_t n = (size_t)snprintf(out, room, "{\"type\":\"vertices\",\"keys\":[");
        for (int key = 0; key < 2; ++key) {
            n += (size_t)snprintf(out + n, room - n, "%s{\"t\":%d,\"vertices\":[", key ? "," : "", key);
            for (int i = 0; i < 4; ++i)
                n += (size_t)snprintf(out + n, room - n, "%s[%.17g,%.17g,%.17g]", i ? "," : "",
                                      corner[i][0] + (key ? b[0] + p[3 * i] : a[0]),
                                      corner[i][1] + (key ? b[1] + p[3 * i + 1] : a[1]),
                                      corner[i][2] + (key ? b[2] + p[3 * i + 2] : a[2]));
            n += (size_t)snprintf(out + n, room - n, "]}");
        }
        (void)snprintf(out + n, room - n, "]}");
        return;
    }
    (void)snprintf(out, room,
                   "{\"type\":\"expression\",\"position\":[\"%.17g+t*(%.17g)\",\"%.17g+t*(%.17g)\","
                   "\"%.17g+t*(%.17g)\"],\"rotation\":{\"axis\":[%.17g,%.17g,%.17g],\"radians\":"
                   "\"%.17g+(%.17g)*t\"}}",
                   a[0], b[0] - a[0], a[1], b[1] - a[1], a[2], b[2] - a[2], f->axis[0], f->axis[1],
                   f->axis[2], f->angle, f->spin);
}

/* ---- places ---- */

static void turn_by(const form *f, double t, double r[3][3])
{
    const double n = sqrt(f->axis[0] * f->axis[0] + f->axis[1] * f->axis[1] + f->axis[2] * f->axis[2]);
    const double k[3] = { f->axis[0] / n, f->axis[1] / n, f->axis[2] / n };
    const double c = cos(f->angle + f->spin * t), s = sin(f->angle + f->spin * t);
    const double cross[3][3] = { { 0, -k[2], k[1] }, { k[2], 0, -k[0] }, { -k[1], k[0], 0 } };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            r[i][j] = c * (i == j) + s * cross[i][j] + (1 - c) * k[i] * k[j];
}

/* The linear part at t. */
static void linear_at(const form *f, double t, double m[3][3])
{
    if (f->kind != STRETCHED && f->kind != VERTICES) {
        turn_by(f, t, m);
        return;
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            m[i][j] = f->kind == VERTICES ? i == j : (1 - t) * (i == j) + t * f->p[3 * i + j];
}

static void to_world(const form *f, double t, double m[3][3], const double x[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = m[i][0] * x[0] + m[i][1] * x[1] + m[i][2] * x[2] + f->from[i] + t * (f->to[i] - f->from[i]);
}

static void to_local(const form *f, double t, const double p[3], double out[3])
{
    double m[3][3], d[3];
    linear_at(f, t, m);
    for (int i = 0; i < 3; ++i)
        d[i] = p[i] - f->from[i] - t * (f->to[i] - f->from[i]);
    const double det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                       m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                       m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    for (int i = 0; i < 3; ++i) { /* Cramer's rule */
        double c[3][3];
        memcpy(c, m, sizeof c);
        for (int j = 0; j < 3; ++j)
            c[j][i] = d[j];
        out[i] = (c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1]) -
                  c[0][1] * (c[1][0] * c[2][2] - c[1][2] * c[2][0]) +
                  c[0][2] * (c[1][0] * c[2][1] - c[1][1] * c[2][0])) /
                 det;
    }
}

/* ---- points, in the body's frame ---- */

static void set(double out[3], double x, double y, double z)
{
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static void ball(double u, double v, double a, double b, double c, double out[3])
{
    const double lon = 2 * pi * u, lat = pi * (v - 0.5);
    set(out, a * cos(lon) * cos(lat), b * sin(lon) * cos(lat), c * sin(lat));
}

static void disc(double u, double v, double radius, double z, double out[3])
{
    set(out, v * radius * cos(2 * pi * u), v * radius * sin(2 * pi * u), z);
}

static void cube(int face, double u, double v, double half, double shift, double out[3])
{
    const int k = face / 2;
    double x[3];
    x[k] = face & 1 ? half : -half;
    x[(k + 1) % 3] = (2 * u - 1) * half;
    x[(k + 2) % 3] = (2 * v - 1) * half;
    set(out, x[0] + shift, x[1], x[2]);
}

static void pipe(double u, double v, double radius, double z0, double z1, double out[3])
{
    set(out, radius * cos(2 * pi * u), radius * sin(2 * pi * u), z0 + v * (z1 - z0));
}

static double field_height(double x, double y)
{
    static const double h[2][3] = { { 0, 0.5, 0 }, { 0.25, 0, 0 } };
    const int i = x < 0 ? 0 : 1;
    const double s = x + 1 - i, r = y + 0.5;
    const double a = h[0][i], b = h[0][i + 1], c = h[1][i], d = h[1][i + 1];
    return s > r ? a + s * (b - a) + r * (d - b) : a + r * (c - a) + s * (d - c);
}

static void tetra(const form *f, double t, int face, double u, double v, double out[3])
{
    const double w[3] = { 1 - u, u * (1 - v), u * v };
    set(out, 0, 0, 0);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i)
            out[i] += w[k] * (corner[side[face][k]][i] +
                              (f->kind == VERTICES ? t * f->p[3 * side[face][k] + i] : 0));
}

/* False: nothing there. */
static bool point(const form *f, double t, int patch, double u, double v, double out[3])
{
    const double *p = f->p;
    switch (f->kind) {
    case SPHERE:
    case SOLID: ball(u, v, 1, 1, 1, out); break;
    case BOX: cube(patch, u, v, 1, 0, out); break;
    case CAPSULE:
        if (patch == 0)
            pipe(u, v, 0.5, -0.5, 0.5, out);
        else {
            ball(u, patch == 1 ? 0.5 + 0.5 * v : 0.5 * v, 0.5, 0.5, 0.5, out);
            out[2] += patch == 1 ? 0.5 : -0.5;
        }
        break;
    case CYLINDER:
        if (patch == 0)
            pipe(u, v, 1, -0.5, 0.5, out);
        else
            disc(u, v, 1, patch == 1 ? 0.5 : -0.5, out);
        break;
    case CONE: disc(u, v, 1, patch ? -0.5 : 0.5 - v, out); break;
    case ELLIPSOID:
    case STRETCHED: ball(u, v, 1, 0.5, 0.7, out); break;
    case TORUS: {
        const double r = 1 + 0.25 * cos(2 * pi * v);
        set(out, r * cos(2 * pi * u), r * sin(2 * pi * u), 0.25 * sin(2 * pi * v));
        break;
    }
    case HALFSPACE: set(out, 8 * u - 4, 8 * v - 4, 0); break;
    case CONVEX:
    case MESH:
    case SOLID_MESH:
    case POLYHEDRON:
    case VERTICES: tetra(f, t, patch, u, v, out); break;
    case SWEPT:
        if (patch == 0)
            pipe(u, v, 1.125, -0.5, 0.5, out);
        else if (patch < 3)
            disc(u, v, 1, patch == 1 ? 0.625 : -0.625, out);
        else {
            const double w = 0.5 * pi * v, r = 1 + 0.125 * cos(w), z = 0.5 + 0.125 * sin(w);
            set(out, r * cos(2 * pi * u), r * sin(2 * pi * u), patch == 3 ? z : -z);
        }
        break;
    case FIELD: { /* and its walls */
        const double x = patch < 3 && patch ? 2 * patch - 3 : 2 * u - 1, y = patch > 2 ? patch - 3.5
                                                                             : patch   ? u - 0.5
                                                                                       : v - 0.5;
        const double top = field_height(x, y);
        set(out, x, y, patch ? top + v * (-4 - top) : top);
        break;
    }
    case SHEET: set(out, 2 * u - 1, 2 * v - 1, (2 * u - 1) * (2 * v - 1)); break;
    case BEZIER: set(out, u, v, u * v); break;
    case IMPLICIT: {
        const double z = sin(pi * (v - 0.5)), r = sqrt(fmax(0, 1 - z * z * z * z));
        set(out, r * cos(2 * pi * u), r * sin(2 * pi * u), z);
        break;
    }
    case CSG:
        if (patch == 0) {
            const double lon = pi * (0.5 + u), lat = pi * (v - 0.5);
            set(out, cos(lon) * cos(lat), sin(lon) * cos(lat), sin(lat));
        } else {
            set(out, 0, v * cos(2 * pi * u), v * sin(2 * pi * u));
        }
        break;
    case EXTRUDE: {
        const double arc = 0.0625 + sqrt(1.0625 * 1.0625 - (u - 0.5) * (u - 0.5));
        if (patch < 2)
            set(out, patch, u, v);
        else if (patch == 2)
            set(out, u, 0, v);
        else if (patch == 3)
            set(out, u, arc, v);
        else
            set(out, u, v * arc, patch - 4);
        break;
    }
    case REVOLVE:
        if (patch == 0)
            pipe(u, v, 1, 0, 1, out);
        else
            disc(u, v, 1, patch - 1, out);
        break;
    case COMPOUND:
        if (patch < 6)
            cube(patch, u, v, 0.5, 1, out);
        else
            ball(u, v, 1, 1, 1, out);
        break;
    case BALLOON: ball(u, v, 1 + p[0] * t, 1 + p[1] * t, 1 + p[2] * t, out); break;
    case FLAG: {
        const double x = 2 * u - 1, y = 2 * v - 1;
        set(out, x, y, (p[0] + p[1] * t) * x * y + p[2] * t);
        break;
    }
    case BLOB: {
        const double square = p[0] + p[1] * t;
        if (square <= 0)
            return false;
        const double r = sqrt(square);
        ball(u, v, r, r, r, out);
        break;
    }
    default: { /* RING */
        const double outer = 1 + p[0] * t, inner = 0.2 + p[1] * t, h = sqrt(fmax(0, outer - inner));
        if (outer <= inner)
            return false;
        if (patch == 0) {
            pipe(u, v, sqrt(inner), -h, h, out);
        } else {
            const double z = (2 * v - 1) * h, r = sqrt(fmax(0, outer - z * z));
            set(out, r * cos(2 * pi * u), r * sin(2 * pi * u), z);
        }
        return patch < 2;
    }
    }
    return true;
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

size_t form_sample(const form *f, double t, double (*points)[3], double *spacing)
{
    double m[3][3];
    size_t count = 0;
    linear_at(f, t, m);
    *spacing = 0;
    for (int patch = 0; patch < table[f->kind].patches; ++patch) {
        const size_t first = count;
        for (int i = 0; i < FORM_GRID * FORM_GRID; ++i) {
            double x[3];
            const double u = (double)(i % FORM_GRID) / (FORM_GRID - 1),
                         v = (double)(i / FORM_GRID) / (FORM_GRID - 1);
            if (!point(f, t, patch, u, v, x))
                break;
            to_world(f, t, m, x, points[count]);
            ++count;
            const size_t here = count - 1;
            if (i % FORM_GRID > 0)
                *spacing = fmax(*spacing, distance(points[here], points[here - 1]));
            if (here >= first + FORM_GRID)
                *spacing = fmax(*spacing, distance(points[here], points[here - FORM_GRID]));
        }
    }
    return count;
}

/* ---- insides, in the body's frame ---- */

static double box_level(const double x[3], double half)
{
    return fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))) - half;
}

static double pipe_level(const double x[3], double radius, double z0, double z1)
{
    return fmax(hypot(x[0], x[1]) - radius, fmax(z0 - x[2], x[2] - z1));
}

static double ball_level(const double x[3], double a, double b, double c)
{
    return (sqrt(x[0] * x[0] / (a * a) + x[1] * x[1] / (b * b) + x[2] * x[2] / (c * c)) - 1) *
           fmin(a, fmin(b, c));
}

double form_level(const form *f, double t, const double world[3])
{
    double x[3];
    const double *p = f->p;
    to_local(f, t, world, x);
    const double r = hypot(x[0], x[1]);
    switch (f->kind) {
    case SPHERE:
    case SOLID: return ball_level(x, 1, 1, 1);
    case BOX: return box_level(x, 1);
    case CAPSULE: return hypot(r, fmax(0, fabs(x[2]) - 0.5)) - 0.5;
    case CYLINDER: return pipe_level(x, 1, -0.5, 0.5);
    case CONE: return fmax((r + x[2] - 0.5) / sqrt(2), -0.5 - x[2]);
    case ELLIPSOID:
    case STRETCHED: return ball_level(x, 1, 0.5, 0.7);
    case TORUS: return hypot(r - 1, x[2]) - 0.25;
    case HALFSPACE: return x[2];
    case CONVEX:
    case SOLID_MESH:
    case POLYHEDRON: return fmax((x[0] + x[1] + x[2] - 1) / sqrt(3), fmax(-x[0], fmax(-x[1], -x[2])));
    case SWEPT: {
        const double out = pipe_level(x, 1, -0.5, 0.5);
        return (out < 0 ? out : hypot(fmax(0, r - 1), fmax(0, fabs(x[2]) - 0.5))) - 0.125;
    }
    case FIELD:
        return fmax(fabs(x[0]) - 1,
                    fmax(fabs(x[1]) - 0.5,
                         (x[2] - field_height(fmax(-1, fmin(x[0], 1)), fmax(-0.5, fmin(x[1], 0.5)))) / 1.5));
    case IMPLICIT: return (r * r + x[2] * x[2] * x[2] * x[2] - 1) / 4;
    case CSG: return fmax(ball_level(x, 1, 1, 1), x[0]);
    case EXTRUDE:
        return fmax(fmax(fmax(-x[0], x[0] - 1), fmax(-x[1], hypot(x[0] - 0.5, x[1] - 0.0625) - 1.0625)),
                    fmax(-x[2], x[2] - 1));
    case REVOLVE: return pipe_level(x, 1, 0, 1);
    case COMPOUND: {
        const double y[3] = { x[0] - 1, x[1], x[2] };
        return fmin(ball_level(x, 1, 1, 1), box_level(y, 0.5));
    }
    case BALLOON: return ball_level(x, 1 + p[0] * t, 1 + p[1] * t, 1 + p[2] * t);
    case BLOB: return (r * r + x[2] * x[2] - p[0] - p[1] * t) / 2;
    case RING: return fmax((r * r + x[2] * x[2] - 1 - p[0] * t) / 2.5, (0.2 + p[1] * t - r * r) / 2.5);
    default: return 1;
    }
}
