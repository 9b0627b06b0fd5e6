/* SPDX-License-Identifier: MIT */
/* Random bodies of every kind: as the referee knows them, and as text of a scene file. */
#include "oracle/patchwork.h"

#include <math.h>
#include <stdarg.h>
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
    PARAMETRIC,
    BEZIER,
    IMPLICIT,
    CSG,
    EXTRUDE,
    REVOLVE,
    SOLID,
    COMPOUND
};

static const char *const names[PATCHWORK_KINDS] = {
    "sphere",   "box",   "capsule", "cylinder",    "cone",       "ellipsoid", "torus",      "halfspace",
    "convex",   "swept", "mesh",    "mesh, solid", "polyhedron", "field",     "parametric", "bezier",
    "implicit", "csg",   "extrude", "revolve",     "solid",      "compound"
};

const char *patchwork_name(int kind)
{
    return names[kind];
}

typedef struct writer {
    double (*uniform)(void *, double, double);
    void *ctx;
    char *out;
    size_t used, room;
    double size;
} writer;

static void say(writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(w->out + w->used, w->room - w->used, format, list);
    va_end(list);
    w->used += n > 0 ? (size_t)n : 0;
}

static double uniform(writer *w, double lo, double hi)
{
    return w->uniform(w->ctx, lo, hi);
}

static int below(writer *w, int n)
{
    const int k = (int)uniform(w, 0, n);
    return k < n ? k : n - 1;
}

/* Mostly of the size; sometimes thin, sometimes round. */
static double part(writer *w)
{
    const int k = below(w, 8);
    return w->size * (k == 0 ? 0.02 : k == 1 ? 0.5 : uniform(w, 0.2, 1));
}

static patchwork_leaf *leaf(patchwork *b, patchwork_type type)
{
    patchwork_leaf *l = &b->leaf[b->count++];
    memset(l, 0, sizeof *l);
    l->type = type;
    for (int i = 0; i < 3; ++i)
        l->turn[i][i] = 1;
    return l;
}

static void set(patchwork_leaf *l, double a, double b, double c)
{
    l->n[0] = a;
    l->n[1] = b;
    l->n[2] = c;
}

/* Corners of a profile; its text. */
static void profile(writer *w, double *n, const double *corners, int count)
{
    say(w, "[");
    for (int i = 0; i < count; ++i) {
        memcpy(n + 3 * (size_t)i, corners + 3 * (size_t)i, 3 * sizeof *n);
        say(w, i ? ",[%.17g,%.17g,%.17g]" : "[%.17g,%.17g,%.17g]", n[3 * i], n[3 * i + 1], n[3 * i + 2]);
    }
    say(w, "]");
}

/* ---- those of rotation ---- */

static void turned(writer *w, patchwork *b, int kind)
{
    const double r = part(w), h = 2 * part(w);
    patchwork_leaf *l = leaf(b, PATCHWORK_TURNED);
    const double c[4][3] = { { 0, -h / 2, 0 }, { r, -h / 2, 0 }, { r, h / 2, 0 }, { 0, h / 2, 0 } },
                 t[3][3] = { { 0, -h / 2, 0 }, { r, -h / 2, 0 }, { 0, h / 2, 0 } };
    l->n[0] = kind == CONE ? 3 : 4;
    memcpy(l->n + 1, kind == CONE ? t[0] : c[0], sizeof(double[3]) * (kind == CONE ? 3 : 4));
    say(w, "{\"type\":\"%s\",\"radius\":%.17g,\"height\":%.17g}", kind == CONE ? "cone" : "cylinder", r, h);
}

static void revolve(writer *w, patchwork *b)
{
    const double s = w->size, r = s * uniform(w, 0.3, 0.9), h = s * uniform(w, 0.3, 1);
    patchwork_leaf *l = leaf(b, PATCHWORK_TURNED);
    const int k = below(w, 4);
    const double bulge = uniform(w, 0.1, 0.9);
    const double a[4][3] = { { 0, -h, 0 }, { r, -h, 0 }, { r, h, 0 }, { 0, h, 0 } },
                 ring[4][3] = { { r, 0, bulge }, { 1.6 * r, 0, 0 }, { 1.6 * r, h, 0 }, { r, h, 0 } },
                 vase[4][3] = { { 0, -h, 0 }, { r, -h, -0.3 }, { r, h, 0 }, { 0, h, 0 } },
                 tip[3][3] = { { 0, 0, 0 }, { r, h, bulge }, { 0, 1.5 * h, 0 } };
    say(w, "{\"type\":\"revolve\",\"profile\":");
    l->n[0] = k == 3 ? 3 : 4;
    profile(w, l->n + 1, k == 0 ? a[0] : k == 1 ? ring[0] : k == 2 ? vase[0] : tip[0], (int)l->n[0]);
    say(w, "}");
}

static void extrude(writer *w, patchwork *b)
{
    const double s = w->size, x = s * uniform(w, 0.3, 1), y = s * uniform(w, 0.3, 1), h = 2 * part(w);
    patchwork_leaf *l = leaf(b, PATCHWORK_DRAWN);
    const int k = below(w, 3);
    const double bulge = uniform(w, 0.1, 0.8);
    const double a[4][3] = { { 0, 0, 0 }, { x, 0, 0 }, { x, y, bulge }, { 0, y, 0 } },
                 dent[4][3] = { { -x, 0, 0 }, { x, 0, 0 }, { x, y, -0.2 }, { -x, y, 0 } },
                 angle[6][3] = { { 0, 0, 0 },       { x, 0, 0 }, { x, 0.3 * y, 0 }, { 0.3 * x, 0.3 * y, 0 },
                                 { 0.3 * x, y, 0 }, { 0, y, 0 } };
    say(w, "{\"type\":\"extrude\",\"profile\":");
    l->n[0] = h;
    l->n[1] = k == 2 ? 6 : 4;
    profile(w, l->n + 2, k == 0 ? a[0] : k == 1 ? dent[0] : angle[0], (int)l->n[1]);
    say(w, ",\"height\":%.17g}", h);
}

/* ---- of triangles ---- */

static const int tetra[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 0, 3, 2 }, { 1, 2, 3 } };
/* An L, 0 to 5 below, 6 to 11 above: its two flat faces as four triangles each, then its sides. */
static const int angle_faces[20][3] = {
    { 0, 2, 1 },   { 0, 3, 2 },  { 0, 4, 3 },  { 0, 5, 4 },   { 6, 7, 8 }, { 6, 8, 9 }, { 6, 9, 10 },
    { 6, 10, 11 }, { 0, 1, 7 },  { 0, 7, 6 },  { 1, 2, 8 },   { 1, 8, 7 }, { 2, 3, 9 }, { 2, 9, 8 },
    { 3, 4, 10 },  { 3, 10, 9 }, { 4, 5, 11 }, { 4, 11, 10 }, { 5, 0, 6 }, { 5, 6, 11 }
};

static void triangles(writer *w, patchwork *b, int kind)
{
    patchwork_leaf *l = leaf(b, PATCHWORK_TRIANGLES);
    const double s = w->size;
    const bool concave = kind != CONVEX && below(w, 2) == 0;
    double v[12][3];
    if (concave) {
        const double x = part(w), y = part(w), z = part(w);
        static const double at[6][2] = { { 0, 0 }, { 1, 0 }, { 1, 0.4 }, { 0.4, 0.4 }, { 0.4, 1 }, { 0, 1 } };
        for (int i = 0; i < 12; ++i) {
            v[i][0] = x * at[i % 6][0];
            v[i][1] = y * at[i % 6][1];
            v[i][2] = i < 6 ? 0 : z;
        }
    } else {
        double det;
        const bool needle = below(w, 5) == 0;
        do {
            for (int i = 0; i < 4; ++i)
                for (int k = 0; k < 3; ++k)
                    v[i][k] = s * uniform(w, -1, 1) * (needle && k ? 0.03 : 1);
            double e[3][3];
            for (int i = 0; i < 3; ++i)
                for (int k = 0; k < 3; ++k)
                    e[i][k] = v[i + 1][k] - v[0][k];
            det = e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                  e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                  e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
        } while (det < (needle ? 1e-5 : 0.05) * s * s * s);
    }
    const int vertices = concave ? 12 : 4, faces = concave ? 20 : 4;
    l->n[0] = vertices;
    l->n[1] = faces;
    memcpy(l->n + 2, v, sizeof(double[3]) * (size_t)vertices);
    say(w, kind == CONVEX       ? "{\"type\":\"convex\",\"points\":["
           : kind == POLYHEDRON ? "{\"type\":\"polyhedron\",\"vertices\":["
           : kind == MESH       ? "{\"type\":\"mesh\",\"vertices\":["
                                : "{\"type\":\"mesh\",\"solid\":true,\"vertices\":[");
    for (int i = 0; i < vertices; ++i)
        say(w, "%s[%.17g,%.17g,%.17g]", i ? "," : "", v[i][0], v[i][1], v[i][2]);
    if (kind != CONVEX)
        say(w, "],\"%s\":[", kind == POLYHEDRON ? "faces" : "triangles");
    for (int i = 0; i < faces; ++i) {
        const int *f = concave ? angle_faces[i] : tetra[i];
        for (int k = 0; k < 3; ++k)
            l->n[2 + 3 * vertices + 3 * i + k] = f[k];
        const bool flat = concave && kind == POLYHEDRON && i < 8; /* whole faces */
        if (kind != CONVEX && !flat)
            say(w, "%s[%d,%d,%d]", i && !(concave && kind == POLYHEDRON && i == 8) ? "," : "", f[0], f[1],
                f[2]);
    }
    if (concave && kind == POLYHEDRON)
        say(w, ",[0,5,4,3,2,1],[6,7,8,9,10,11]");
    say(w, "]}");
}

static void field(writer *w, patchwork *b)
{
    patchwork_leaf *l = leaf(b, PATCHWORK_FIELD);
    const int c = 2 + below(w, 3), r = 2 + below(w, 2);
    l->n[0] = c;
    l->n[1] = r;
    l->n[2] = w->size * uniform(w, 0.3, 1);
    l->n[3] = w->size * uniform(w, 0.3, 1);
    b->endless = true;
    say(w, "{\"type\":\"heightfield\",\"columns\":%d,\"rows\":%d,\"spacing\":[%.17g,%.17g],\"heights\":[", c,
        r, l->n[2], l->n[3]);
    for (int i = 0; i < c * r; ++i) {
        l->n[4 + i] = below(w, 3) ? w->size * uniform(w, -0.5, 0.5) : 0;
        say(w, "%s%.17g", i ? "," : "", l->n[4 + i]);
    }
    say(w, "]}");
}

/* ---- curved ---- */

static void round_body(writer *w, patchwork *b, int way)
{
    double r[3] = { part(w), part(w), part(w) };
    if (way == 1)
        r[1] = r[2] = r[0];
    patchwork_leaf *l = leaf(b, PATCHWORK_ROUND);
    set(l, r[0], r[1], r[2]);
}

/* As a parametric surface: how a ball or a torus would be written. */
static void closed_surface(writer *w, patchwork *b)
{
    const double pi = 3.14159265358979323846;
    if (below(w, 2)) {
        round_body(w, b, 0);
        const double *r = b->leaf[0].n;
        say(w,
            "{\"type\":\"parametric\",\"x\":\"%.17g*cos(u)*cos(v)\",\"y\":\"%.17g*sin(u)*cos(v)\",\"z\":\"%."
            "17g*sin(v)\","
            "\"u\":[%.17g,%.17g],\"v\":[%.17g,%.17g],\"wrap\":[\"u\"]}",
            r[0], r[1], r[2], -pi, pi, -pi / 2, pi / 2);
        return;
    }
    const double big = w->size * uniform(w, 0.4, 0.8), small = big * uniform(w, 0.2, 0.7);
    set(leaf(b, PATCHWORK_TORUS), big, small, 0);
    say(w,
        "{\"type\":\"parametric\",\"x\":\"(%.17g+%.17g*cos(v))*cos(u)\",\"y\":\"(%.17g+%.17g*cos(v))*sin(u)"
        "\","
        "\"z\":\"%.17g*sin(v)\",\"u\":[%.17g,%.17g],\"v\":[%.17g,%.17g],\"wrap\":[\"u\",\"v\"]}",
        big, small, big, small, small, -pi, pi, -pi, pi);
}

static void sheet(writer *w, patchwork *b, bool bezier)
{
    patchwork_leaf *l = leaf(b, PATCHWORK_SHEET);
    const int m = bezier ? 1 + below(w, 3) : 1, n = bezier ? 1 + below(w, 3) : 1;
    const double s = w->size, bend = uniform(w, -1, 1), x = part(w), y = part(w);
    b->solid = false;
    l->n[0] = m;
    l->n[1] = n;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= m; ++i) {
            double *p = l->n + 2 + 3 * (j * (m + 1) + i);
            p[0] = x * (2.0 * i / m - 1) + (bezier ? 0.1 * s * uniform(w, -1, 1) : 0);
            p[1] = y * (2.0 * j / n - 1) + (bezier ? 0.1 * s * uniform(w, -1, 1) : 0);
            p[2] = bezier ? 0.4 * s * uniform(w, -1, 1) : bend * s * (2.0 * i - 1) * (2.0 * j - 1);
        }
    if (!bezier) {
        say(w,
            "{\"type\":\"parametric\",\"x\":\"%.17g*u\",\"y\":\"%.17g*v\",\"z\":\"%.17g*u*v\",\"u\":[-1,1],"
            "\"v\":[-1,1]}",
            x, y, bend * s);
        return;
    }
    say(w, "{\"type\":\"bezier\",\"degree\":[%d,%d],\"points\":[", m, n);
    for (int i = 0; i < (m + 1) * (n + 1); ++i)
        say(w, "%s[%.17g,%.17g,%.17g]", i ? "," : "", l->n[2 + 3 * i], l->n[3 + 3 * i], l->n[4 + 3 * i]);
    say(w, "]}");
}

static void bezier_box(writer *w, patchwork *b)
{
    const double h[3] = { part(w), part(w), part(w) };
    set(leaf(b, PATCHWORK_BOX), h[0], h[1], h[2]);
    say(w, "{\"type\":\"bezier\",\"patches\":[");
    for (int f = 0; f < 6; ++f) {
        const int k = f / 2;
        say(w, "%s{\"degree\":[1,1],\"points\":[", f ? "," : "");
        for (int i = 0; i < 4; ++i) {
            double p[3];
            const int first = f & 1 ? i & 1 : i / 2, second = f & 1 ? i / 2 : i & 1;
            p[k] = f & 1 ? h[k] : -h[k];
            p[(k + 1) % 3] = first ? h[(k + 1) % 3] : -h[(k + 1) % 3];
            p[(k + 2) % 3] = second ? h[(k + 2) % 3] : -h[(k + 2) % 3];
            say(w, "%s[%.17g,%.17g,%.17g]", i ? "," : "", p[0], p[1], p[2]);
        }
        say(w, "]}");
    }
    say(w, "]}");
}

static void implicit(writer *w, patchwork *b)
{
    const double s = 2.5 * w->size;
    const int k = below(w, 3);
    say(w, "{\"type\":\"implicit\",\"f\":\"");
    if (k == 0) {
        round_body(w, b, 0);
        const double *r = b->leaf[0].n;
        say(w, "(x/%.17g)^2+(y/%.17g)^2+(z/%.17g)^2-1", r[0], r[1], r[2]);
    } else if (k == 1) {
        const double big = w->size * uniform(w, 0.4, 0.8), small = big * uniform(w, 0.2, 0.7);
        set(leaf(b, PATCHWORK_TORUS), big, small, 0);
        say(w, "(sqrt(x^2+y^2)-%.17g)^2+z^2-%.17g^2", big, small);
    } else {
        const double h[3] = { part(w), part(w), part(w) };
        set(leaf(b, PATCHWORK_BOX), h[0], h[1], h[2]);
        say(w, "max(abs(x)-%.17g,max(abs(y)-%.17g,abs(z)-%.17g))", h[0], h[1], h[2]);
    }
    say(w, "\",\"bounds\":[[%.17g,%.17g,%.17g],[%.17g,%.17g,%.17g]]}", -s, -s, -s, s, s, s);
}

/* ---- combinations ---- */

static void random_turn(writer *w, double m[3][3], double q[4])
{
    double n = 0;
    do {
        n = 0;
        for (int i = 0; i < 4; ++i) {
            q[i] = uniform(w, -1, 1);
            n += q[i] * q[i];
        }
    } while (n < 0.1 || n > 1);
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(n);
    const double a = q[0], x = q[1], y = q[2], z = q[3];
    const double r[3][3] = { { 1 - 2 * (y * y + z * z), 2 * (x * y - a * z), 2 * (x * z + a * y) },
                             { 2 * (x * y + a * z), 1 - 2 * (x * x + z * z), 2 * (y * z - a * x) },
                             { 2 * (x * z - a * y), 2 * (y * z + a * x), 1 - 2 * (x * x + y * y) } };
    memcpy(m, r, sizeof r);
}

static void one(writer *w, patchwork *b, int kind);

static void combine(writer *w, patchwork *b, bool compound)
{
    static const char *const ops[] = { "union", "intersection", "difference" };
    static const int kinds[] = { SPHERE, BOX, CYLINDER, TORUS, CONE, ELLIPSOID };
    b->op = compound ? PATCHWORK_UNION : (patchwork_op)below(w, 3);
    const int count = 2 + (below(w, 3) == 0);
    if (compound)
        say(w, "{\"type\":\"compound\",\"of\":[");
    else
        say(w, "{\"type\":\"csg\",\"op\":\"%s\",\"of\":[", ops[b->op]);
    for (int i = 0; i < count; ++i) {
        double q[4], at[3];
        say(w, "%s{\"shape\":", i ? "," : "");
        one(w, b, kinds[below(w, 6)]);
        patchwork_leaf *l = &b->leaf[b->count - 1];
        random_turn(w, l->turn, q);
        if (below(w, 2)) {
            memset(l->turn, 0, sizeof l->turn);
            for (int k = 0; k < 3; ++k)
                l->turn[k][k] = 1;
            q[0] = 1;
            q[1] = q[2] = q[3] = 0;
        }
        for (int k = 0; k < 3; ++k)
            l->at[k] = at[k] = i == 0 ? 0 : w->size * uniform(w, -0.7, 0.7) * (compound ? 1.5 : 0.7);
        say(w, ",\"pose\":{\"position\":[%.17g,%.17g,%.17g],\"rotation\":[%.17g,%.17g,%.17g,%.17g]}}", at[0],
            at[1], at[2], q[0], q[1], q[2], q[3]);
    }
    say(w, "]}");
}

static void solid(writer *w, patchwork *b)
{
    const int k = below(w, 3);
    if (k == 0) {
        round_body(w, b, 1);
        say(w,
            "{\"type\":\"solid\",\"surfaces\":[{\"type\":\"sphere\",\"center\":[0,0,0],\"radius\":%.17g}],"
            "\"vertices\":[],"
            "\"edges\":[],\"faces\":[{\"surface\":0,\"outward\":1,\"loops\":[]}]}",
            b->leaf[0].n[0]);
        return;
    }
    if (k == 1) {
        const double big = w->size * uniform(w, 0.4, 0.8), small = big * uniform(w, 0.2, 0.7);
        set(leaf(b, PATCHWORK_TORUS), big, small, 0);
        say(w,
            "{\"type\":\"solid\",\"surfaces\":[{\"type\":\"torus\",\"center\":[0,0,0],\"axis\":[0,0,1],"
            "\"major\":%.17g,"
            "\"minor\":%.17g}],\"vertices\":[],\"edges\":[],\"faces\":[{\"surface\":0,\"outward\":1,"
            "\"loops\":[]}]}",
            big, small);
        return;
    }
    /* A cylinder of two whole circles. */
    const double r = part(w), h = 2 * part(w);
    patchwork_leaf *l = leaf(b, PATCHWORK_TURNED);
    const double c[4][3] = { { 0, 0, 0 }, { r, 0, 0 }, { r, h, 0 }, { 0, h, 0 } };
    l->n[0] = 4;
    memcpy(l->n + 1, c, sizeof c);
    say(w,
        "{\"type\":\"solid\",\"surfaces\":[{\"type\":\"cylinder\",\"point\":[0,0,0],\"axis\":[0,0,1],"
        "\"radius\":%.17g},"
        "{\"type\":\"plane\",\"normal\":[0,0,-1],\"offset\":0},{\"type\":\"plane\",\"normal\":[0,0,1],"
        "\"offset\":%.17g}],"
        "\"vertices\":[[%.17g,0,0],[%.17g,0,%.17g]],\"edges\":[{\"type\":\"circle\",\"center\":[0,0,0],"
        "\"axis\":[0,0,1],"
        "\"from\":0,\"to\":0},{\"type\":\"circle\",\"center\":[0,0,%.17g],\"axis\":[0,0,1],\"from\":1,\"to\":"
        "1}],"
        "\"faces\":[{\"surface\":0,\"outward\":1,\"loops\":[[[0,1]],[[1,-1]]]},{\"surface\":1,\"outward\":1,"
        "\"loops\":"
        "[[[0,-1]]]},{\"surface\":2,\"outward\":1,\"loops\":[[[1,1]]]}]}",
        r, h, r, r, h, h);
}

static void one(writer *w, patchwork *b, int kind)
{
    switch (kind) {
    case SPHERE: {
        const double r = part(w);
        set(leaf(b, PATCHWORK_ROUND), r, r, r);
        say(w, "{\"type\":\"sphere\",\"radius\":%.17g}", r);
        break;
    }
    case BOX: {
        const double x = part(w), y = part(w), z = part(w);
        set(leaf(b, PATCHWORK_BOX), x, y, z);
        say(w, "{\"type\":\"box\",\"half\":[%.17g,%.17g,%.17g]}", x, y, z);
        break;
    }
    case CAPSULE: {
        const double r = 0.6 * part(w), h = part(w);
        set(leaf(b, PATCHWORK_CAPSULE), r, h, 0);
        say(w, "{\"type\":\"capsule\",\"radius\":%.17g,\"height\":%.17g}", r, h);
        break;
    }
    case CYLINDER:
    case CONE: turned(w, b, kind); break;
    case ELLIPSOID: {
        round_body(w, b, 0);
        const double *r = b->leaf[b->count - 1].n;
        say(w, "{\"type\":\"ellipsoid\",\"radii\":[%.17g,%.17g,%.17g]}", r[0], r[1], r[2]);
        break;
    }
    case TORUS: {
        const double big = w->size * uniform(w, 0.4, 0.8), small = big * uniform(w, 0.05, 0.8);
        set(leaf(b, PATCHWORK_TORUS), big, small, 0);
        say(w, "{\"type\":\"torus\",\"major\":%.17g,\"minor\":%.17g}", big, small);
        break;
    }
    case HALFSPACE: {
        patchwork_leaf *l = leaf(b, PATCHWORK_HALF);
        l->n[2] = 1;
        l->n[3] = w->size * uniform(w, -0.3, 0.3);
        b->endless = true;
        say(w, "{\"type\":\"halfspace\",\"normal\":[0,0,1],\"offset\":%.17g}", l->n[3]);
        break;
    }
    case SWEPT: {
        static const int kinds[] = { CYLINDER, BOX, CONE, ELLIPSOID, CONVEX };
        b->margin = w->size * uniform(w, 0.05, 0.4);
        say(w, "{\"type\":\"swept\",\"of\":");
        one(w, b, kinds[below(w, 5)]);
        say(w, ",\"margin\":%.17g}", b->margin);
        break;
    }
    case MESH:
        b->solid = false;
        triangles(w, b, kind);
        break;
    case CONVEX:
    case SOLID_MESH:
    case POLYHEDRON: triangles(w, b, kind); break;
    case FIELD: field(w, b); break;
    case PARAMETRIC:
        if (below(w, 2))
            closed_surface(w, b);
        else
            sheet(w, b, false);
        break;
    case BEZIER:
        if (below(w, 3) == 0)
            bezier_box(w, b);
        else
            sheet(w, b, true);
        break;
    case IMPLICIT: implicit(w, b); break;
    case CSG: combine(w, b, false); break;
    case EXTRUDE: extrude(w, b); break;
    case REVOLVE: revolve(w, b); break;
    case SOLID: solid(w, b); break;
    default: combine(w, b, true); break;
    }
}

void patchwork_random(int kind, double size, double (*random)(void *ctx, double lo, double hi), void *ctx,
                      patchwork *out, char *shape, size_t room)
{
    writer w = { .uniform = random, .ctx = ctx, .out = shape, .room = room, .size = size };
    memset(out, 0, sizeof *out);
    out->kind = kind;
    out->solid = true;
    out->size = size;
    one(&w, out, kind);
}
