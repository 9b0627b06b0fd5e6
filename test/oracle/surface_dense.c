/* SPDX-License-Identifier: MIT */
/* See surface_dense.h. */
#include "oracle/surface_dense.h"

#include "support/test.h"

enum {
    IMPLICIT_ELLIPSOID,
    SUPERQUADRIC,
    IMPLICIT_TORUS,
    TORUS,
    CSG,
    PULSING,
    PARAMETRIC_ELLIPSOID,
    PARAMETRIC_TORUS,
    BUMPY,
    BEZIER,
    WAVES,
    CURVED,
    SPHERE = CURVED,
    BOX,
    CYLINDER,
    HALFSPACE,
    FORMS
};
enum { LINEAR, VELOCITY, SCREW, CHEBYSHEV, KEYFRAMES, EXPRESSION, AFFINE, WAYS };

static const double whole_turn = 6.283185307179586, half_turn = 1.5707963267948966;

/* ---- shapes ---- */

static void write_ball(char *out, size_t size, const double c[4])
{
    snprintf(
        out, size,
        "{\"type\":\"implicit\",\"f\":\"(x-(%.17g))^2+(y-(%.17g))^2+(z-(%.17g))^2-(%.17g)^2\",\"bounds\":[["
        "-3,-3,-3],[3,3,3]]}",
        c[0], c[1], c[2], c[3]);
}

static void make_csg(test_random *r, dense_body *b)
{
    static const char *const ops[] = { "union", "intersection", "difference" };
    char balls[2][256];
    const int op = (int)test_below(r, 3);
    for (int i = 0; i < 2; ++i) {
        double *const c = b->s + 4 * i;
        for (int k = 0; k < 3; ++k)
            c[k] = test_uniform(r, -0.35, 0.35);
        c[3] = test_uniform(r, 0.6, 1);
        write_ball(balls[i], sizeof balls[i], c);
    }
    b->s[8] = op;
    b->reach = 1.7;
    snprintf(b->shape, sizeof b->shape, "{\"type\":\"csg\",\"op\":\"%s\",\"of\":[%s,%s]}", ops[op], balls[0],
             balls[1]);
}

static void make_bezier(test_random *r, dense_body *b)
{
    int n = snprintf(b->shape, sizeof b->shape, "{\"type\":\"bezier\",\"degree\":[2,2],\"points\":[");
    for (int i = 0; i < 9; ++i) {
        b->s[i] = test_uniform(r, -0.8, 0.8);
        n += snprintf(b->shape + n, sizeof b->shape - (size_t)n, "%s[%d,%d,%.17g]", i ? "," : "", i % 3 - 1,
                      i / 3 - 1, b->s[i]);
    }
    snprintf(b->shape + n, sizeof b->shape - (size_t)n, "]}");
    b->sheet = true;
    b->reach = 1.7;
}

static void make_round(test_random *r, dense_body *b)
{
    double *const s = b->s;
    const size_t size = sizeof b->shape;
    for (int i = 0; i < 3; ++i)
        s[i] = test_uniform(r, 0.4, 1.2);
    b->reach = 1.2;
    if (b->form == IMPLICIT_ELLIPSOID || b->form == SUPERQUADRIC) {
        const int power = b->form == SUPERQUADRIC ? 4 : 2;
        b->reach = 2.1;
        snprintf(b->shape, size,
                 "{\"type\":\"implicit\",\"f\":\"(x/%.17g)^%d+(y/%.17g)^%d+(z/"
                 "%.17g)^%d-1\",\"bounds\":[[-1.3,-1.3,"
                 "-1.3],[1.3,1.3,1.3]]}",
                 s[0], power, s[1], power, s[2], power);
    } else if (b->form == PULSING) {
        s[1] = test_uniform(r, 0.05, 0.3);
        s[2] = test_uniform(r, 1, 8);
        b->reach = 1.5;
        snprintf(b->shape, size,
                 "{\"type\":\"implicit\",\"f\":\"x^2+y^2+z^2-(%.17g+%.17g*sin(%.17g*t))^2\",\"bounds\":[[-1."
                 "6,-1.6,-1."
                 "6],[1.6,1.6,1.6]]}",
                 s[0], s[1], s[2]);
    } else {
        snprintf(b->shape, size,
                 "{\"type\":\"parametric\",\"x\":\"%.17g*cos(u)*cos(v)\",\"y\":\"%.17g*sin(u)*cos(v)\",\"z\":"
                 "\"%.17g*"
                 "sin(v)\",\"u\":[0,%.17g],\"v\":[%.17g,%.17g],\"wrap\":[\"u\"]}",
                 s[0], s[1], s[2], whole_turn, -half_turn, half_turn);
    }
}

static void make_ring(test_random *r, dense_body *b)
{
    double *const s = b->s;
    const size_t size = sizeof b->shape;
    s[0] = test_uniform(r, 0.6, 1.1);
    s[1] = test_uniform(r, 0.15, 0.45);
    b->reach = s[0] + s[1];
    if (b->form == TORUS)
        snprintf(b->shape, size, "{\"type\":\"torus\",\"major\":%.17g,\"minor\":%.17g}", s[0], s[1]);
    else if (b->form == IMPLICIT_TORUS)
        snprintf(b->shape, size,
                 "{\"type\":\"implicit\",\"f\":\"(x^2+y^2+z^2+%.17g^2-%.17g^2)^2-4*%.17g^2*(x^2+y^2)\","
                 "\"bounds\":[[-"
                 "1.7,-1.7,-0.6],[1.7,1.7,0.6]]}",
                 s[0], s[1], s[0]);
    else
        snprintf(b->shape, size,
                 "{\"type\":\"parametric\",\"x\":\"(%.17g+%.17g*cos(v))*cos(u)\",\"y\":\"(%.17g+%.17g*cos(v))"
                 "*sin(u)\","
                 "\"z\":\"%.17g*sin(v)\",\"u\":[0,%.17g],\"v\":[0,%.17g],\"wrap\":[\"u\",\"v\"]}",
                 s[0], s[1], s[0], s[1], s[1], whole_turn, whole_turn);
}

static void make_other(test_random *r, dense_body *b)
{
    double *const s = b->s;
    const size_t size = sizeof b->shape;
    for (int i = 0; i < 3; ++i)
        s[i] = test_uniform(r, 0.3, 1);
    switch (b->form) {
    case BUMPY:
        s[0] = test_uniform(r, 0.02, 0.15);
        s[1] = 1 + (double)test_below(r, 3);
        b->reach = 1.2;
        snprintf(
            b->shape, size,
            "{\"type\":\"parametric\",\"x\":\"r*cos(u)*cos(v)\",\"y\":\"r*sin(u)*cos(v)\",\"z\":\"r*sin(v)\","
            "\"u\":["
            "0,%.17g],\"v\":[%.17g,%.17g],\"wrap\":[\"u\"],\"let\":{\"r\":\"1+%.17g*sin(%d*u)*cos(v)^%d\"}}",
            whole_turn, -half_turn, half_turn, s[0], (int)s[1], (int)s[1]);
        break;
    case WAVES:
        b->sheet = true;
        b->reach = 1.8;
        snprintf(b->shape, size,
                 "{\"type\":\"parametric\",\"x\":\"u\",\"y\":\"v\",\"z\":\"%.17g*sin(%.17g*u)*cos(%.17g*v)\","
                 "\"u\":[-1,1],"
                 "\"v\":[-1,1]}",
                 s[0], 2 * s[1], 2 * s[2]);
        break;
    case SPHERE:
        b->reach = s[0];
        snprintf(b->shape, size, "{\"type\":\"sphere\",\"radius\":%.17g}", s[0]);
        break;
    case BOX:
        b->reach = 1.8;
        snprintf(b->shape, size, "{\"type\":\"box\",\"half\":[%.17g,%.17g,%.17g]}", s[0], s[1], s[2]);
        break;
    case CYLINDER:
        b->reach = s[0] + s[1];
        snprintf(b->shape, size, "{\"type\":\"cylinder\",\"radius\":%.17g,\"height\":%.17g}", s[0], 2 * s[1]);
        break;
    default:
        b->reach = INFINITY;
        snprintf(b->shape, size, "{\"type\":\"halfspace\",\"normal\":[0,0,1],\"offset\":%.17g}", -s[0]);
    }
}

static void make_shape(test_random *r, dense_body *b)
{
    static const char *const names[FORMS] = { "implicit ellipsoid",
                                              "superquadric",
                                              "implicit torus",
                                              "torus",
                                              "csg",
                                              "pulsing",
                                              "param. ellipsoid",
                                              "param. torus",
                                              "bumpy",
                                              "bezier",
                                              "waves",
                                              "sphere",
                                              "box",
                                              "cylinder",
                                              "half-space" };
    b->kind = names[b->form];
    b->sheet = false;
    switch (b->form) {
    case CSG: make_csg(r, b); break;
    case BEZIER: make_bezier(r, b); break;
    case IMPLICIT_ELLIPSOID:
    case SUPERQUADRIC:
    case PULSING:
    case PARAMETRIC_ELLIPSOID: make_round(r, b); break;
    case TORUS:
    case IMPLICIT_TORUS:
    case PARAMETRIC_TORUS: make_ring(r, b); break;
    default: make_other(r, b);
    }
}

static double norm(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; ++i)
        sum += x[i] * x[i];
    return sqrt(sum);
}

static double ball(const double *c, const double p[3])
{
    const double d[3] = { p[0] - c[0], p[1] - c[1], p[2] - c[2] };
    return norm(d, 3) - c[3];
}

/* Negative inside; `steepness`: it changes by no more than that times the distance. */
static double inside(const dense_body *b, const double p[3], double t, double *steepness)
{
    const double *const s = b->s;
    const double across = norm(p, 2), far = norm(p, 3);
    *steepness = 1;
    switch (b->form) {
    case IMPLICIT_ELLIPSOID:
    case PARAMETRIC_ELLIPSOID:
    case SUPERQUADRIC: {
        const double q[3] = { p[0] / s[0], p[1] / s[1], p[2] / s[2] };
        const double least = fmin(s[0], fmin(s[1], s[2]));
        if (b->form != SUPERQUADRIC)
            return least * (norm(q, 3) - 1);
        return least * (pow(pow(q[0], 4) + pow(q[1], 4) + pow(q[2], 4), 0.25) - 1);
    }
    case PULSING: return far - fabs(s[0] + s[1] * sin(s[2] * t));
    case TORUS:
    case IMPLICIT_TORUS:
    case PARAMETRIC_TORUS: return hypot(across - s[0], p[2]) - s[1];
    case CSG: {
        const double one = ball(s, p), two = ball(s + 4, p);
        return s[8] == 0 ? fmin(one, two) : s[8] == 1 ? fmax(one, two) : fmax(one, -two);
    }
    case BUMPY:
        *steepness = 1 + 4 * s[0] * s[1];
        if (far < 0.5)
            return -0.2;
        return far - (1 + s[0] * sin(s[1] * atan2(p[1], p[0])) * pow(across / far, s[1]));
    case SPHERE: return far - s[0];
    case BOX: return fmax(fabs(p[0]) - s[0], fmax(fabs(p[1]) - s[1], fabs(p[2]) - s[2]));
    case CYLINDER: return fmax(across - s[0], fabs(p[2]) - s[1]);
    default: return p[2] + s[0];
    }
}

/* u, v in [-1, 1]; a bound of how fast the point moves with each. */
static double sheet_point(const dense_body *b, double u, double v, double p[3])
{
    p[0] = u;
    p[1] = v;
    if (b->form == WAVES) {
        p[2] = b->s[0] * sin(2 * b->s[1] * u) * cos(2 * b->s[2] * v);
        return 1 + 2 * b->s[0] * fmax(b->s[1], b->s[2]);
    }
    const double x = (u + 1) / 2, y = (v + 1) / 2;
    const double wx[3] = { (1 - x) * (1 - x), 2 * x * (1 - x), x * x };
    const double wy[3] = { (1 - y) * (1 - y), 2 * y * (1 - y), y * y };
    p[2] = 0;
    for (int i = 0; i < 9; ++i)
        p[2] += wx[i % 3] * wy[i / 3] * b->s[i];
    return 1 + 1.6;
}

/* ---- motions ---- */

static void write_pose(char *out, size_t size, const double p[3], const double axis[3], double angle)
{
    snprintf(
        out, size,
        "{\"position\":[%.17g,%.17g,%.17g],\"rotation\":{\"axis\":[%.17g,%.17g,%.17g],\"radians\":%.17g}}",
        p[0], p[1], p[2], axis[0], axis[1], axis[2], angle);
}

static void random_axis(test_random *r, double axis[3])
{
    do
        for (int i = 0; i < 3; ++i)
            axis[i] = test_uniform(r, -1, 1);
    while (norm(axis, 3) > 1 || norm(axis, 3) < 0.2);
}

static void make_motion(test_random *r, dense_body *b)
{
    static const char *const names[WAYS] = { "linear",    "velocity",   "screw", "chebyshev",
                                             "keyframes", "expression", "affine" };
    static const char *const joins[] = { "linear", "", "screw" };
    char pose[3][300];
    double mid[3];
    const size_t size = sizeof b->motion;
    b->path = names[b->way];
    random_axis(r, b->axis);
    for (int i = 0; i < 3; ++i) {
        b->turn[i] = test_uniform(r, -3, 3);
        b->curve[i] = test_uniform(r, -0.8, 0.8);
        b->angle[i] = test_uniform(r, -1.4, 1.4);
        mid[i] = 0.5 * (b->from[i] + b->to[i]) + b->curve[i];
    }
    write_pose(pose[0], sizeof pose[0], b->from, b->axis, b->angle[0]);
    write_pose(pose[1], sizeof pose[1], b->to, b->axis, b->angle[1]);
    write_pose(pose[2], sizeof pose[2], mid, b->axis, b->angle[2]);
    switch (b->way) {
    case LINEAR:
    case SCREW:
        snprintf(b->motion, size, "{\"type\":\"%s\",\"from\":%s,\"to\":%s}", joins[b->way], pose[0], pose[1]);
        break;
    case VELOCITY:
        snprintf(b->motion, size,
                 "{\"type\":\"velocity\",\"pose\":%s,\"linear\":[%.17g,%.17g,%.17g],\"angular\":[%.17g,%.17g,"
                 "%.17g]}",
                 pose[0], b->to[0] - b->from[0], b->to[1] - b->from[1], b->to[2] - b->from[2], b->turn[0],
                 b->turn[1], b->turn[2]);
        break;
    case CHEBYSHEV: {
        int n = snprintf(b->motion, size, "{\"type\":\"chebyshev\",\"position\":[");
        for (int i = 0; i < 3; ++i)
            n += snprintf(b->motion + n, size - (size_t)n, "%s[%.17g,%.17g,%.17g]", i ? "," : "",
                          b->from[i] + b->to[i], (b->to[i] - b->from[i]) / 2, b->curve[i]);
        snprintf(b->motion + n, size - (size_t)n, "]}");
        break;
    }
    case KEYFRAMES:
        snprintf(b->motion, size,
                 "{\"type\":\"keyframes\",\"keys\":[{\"t\":0,\"pose\":%s},{\"t\":0.4,\"pose\":%s},{\"t\":1,"
                 "\"pose\":%s}]}",
                 pose[0], pose[2], pose[1]);
        break;
    case EXPRESSION: {
        int n = snprintf(b->motion, size, "{\"type\":\"expression\",\"position\":[");
        for (int i = 0; i < 3; ++i)
            n += snprintf(b->motion + n, size - (size_t)n, "%s\"%.17g+(%.17g)*t+(%.17g)*sin(5*t)\"",
                          i ? "," : "", b->from[i], b->to[i] - b->from[i], b->curve[i]);
        snprintf(b->motion + n, size - (size_t)n,
                 "],\"rotation\":{\"axis\":[%.17g,%.17g,%.17g],\"radians\":\"%.17g*t^2\"}}", b->axis[0],
                 b->axis[1], b->axis[2], b->turn[0]);
        break;
    }
    default: {
        int n = snprintf(b->motion, size, "{\"type\":\"affine\",\"matrices\":[");
        for (int k = 0; k < 2; ++k) {
            const double *const p = k ? b->to : b->from;
            const double x = k ? 1 + 0.3 * b->curve[0] : 1, y = k ? 1 + 0.3 * b->curve[1] : 1;
            n += snprintf(b->motion + n, size - (size_t)n,
                          "%s[[%.17g,0.1,0,%.17g],[0,%.17g,0,%.17g],[0,0,1,%.17g]]", k ? "," : "", x, p[0], y,
                          p[1], p[2]);
        }
        snprintf(b->motion + n, size - (size_t)n, "]}");
    }
    }
}

static void turned(const double axis[3], double angle, const double x[3], double out[3])
{
    const double n = norm(axis, 3);
    const double k[3] = { axis[0] / n, axis[1] / n, axis[2] / n };
    const double along = k[0] * x[0] + k[1] * x[1] + k[2] * x[2], c = cos(angle), s = sin(angle);
    const double across[3] = { k[1] * x[2] - k[2] * x[1], k[2] * x[0] - k[0] * x[2],
                               k[0] * x[1] - k[1] * x[0] };
    double y[3];
    for (int i = 0; i < 3; ++i)
        y[i] = c * x[i] + s * across[i] + (1 - c) * along * k[i];
    memcpy(out, y, sizeof y);
}

/* Where the origin is at t, and the angle about the axis. */
static void screw_at(const dense_body *b, double t, double p[3])
{
    const double whole = b->angle[1] - b->angle[0], n = norm(b->axis, 3);
    double k[3], d[3], moved[3], c[3], from[3], along = 0;
    turned(b->axis, whole, b->from, moved);
    for (int i = 0; i < 3; ++i) {
        k[i] = b->axis[i] / n;
        d[i] = b->to[i] - moved[i];
        along += k[i] * d[i];
    }
    const double across[3] = { k[1] * d[2] - k[2] * d[1], k[2] * d[0] - k[0] * d[2],
                               k[0] * d[1] - k[1] * d[0] };
    for (int i = 0; i < 3; ++i) {
        c[i] = 0.5 * (d[i] - along * k[i] + across[i] / tan(whole / 2));
        from[i] = b->from[i] - c[i];
    }
    turned(b->axis, t * whole, from, p);
    for (int i = 0; i < 3; ++i)
        p[i] += c[i] + t * along * k[i];
}

static void origin_at(const dense_body *b, double t, double p[3])
{
    if (b->way == SCREW) {
        screw_at(b, t, p);
        return;
    }
    for (int i = 0; i < 3; ++i) {
        const double a = b->from[i], d = b->to[i] - a, mid = 0.5 * (a + b->to[i]) + b->curve[i];
        p[i] = a + t * d;
        if (b->way == CHEBYSHEV)
            p[i] += b->curve[i] * (2 * (2 * t - 1) * (2 * t - 1) - 1);
        else if (b->way == EXPRESSION)
            p[i] += b->curve[i] * sin(5 * t);
        else if (b->way == KEYFRAMES)
            p[i] = t < 0.4 ? a + (mid - a) * t / 0.4 : mid + (b->to[i] - mid) * (t - 0.4) / 0.6;
    }
}

static double angle_at(const dense_body *b, double t)
{
    const double *const a = b->angle;
    switch (b->way) {
    case LINEAR:
    case SCREW: return a[0] + t * (a[1] - a[0]);
    case KEYFRAMES: return t < 0.4 ? a[0] + (a[2] - a[0]) * t / 0.4 : a[2] + (a[1] - a[2]) * (t - 0.4) / 0.6;
    case EXPRESSION: return b->turn[0] * t * t;
    case VELOCITY: return a[0];
    default: return 0;
    }
}

static void to_world(const dense_body *b, double t, const double x[3], double out[3])
{
    double p[3], y[3] = { x[0], x[1], x[2] };
    origin_at(b, t, p);
    if (b->way == AFFINE) {
        y[0] = (1 + 0.3 * t * b->curve[0]) * x[0] + 0.1 * x[1];
        y[1] = (1 + 0.3 * t * b->curve[1]) * x[1];
    } else {
        turned(b->axis, angle_at(b, t), x, y);
        if (b->way == VELOCITY)
            turned(b->turn, norm(b->turn, 3) * t, y, y);
    }
    for (int i = 0; i < 3; ++i)
        out[i] = y[i] + p[i];
}

static void to_body(const dense_body *b, double t, const double world[3], double out[3])
{
    double p[3], y[3];
    origin_at(b, t, p);
    for (int i = 0; i < 3; ++i)
        y[i] = world[i] - p[i];
    if (b->way == AFFINE) {
        out[1] = y[1] / (1 + 0.3 * t * b->curve[1]);
        out[0] = (y[0] - 0.1 * out[1]) / (1 + 0.3 * t * b->curve[0]);
        out[2] = y[2];
        return;
    }
    if (b->way == VELOCITY)
        turned(b->turn, -norm(b->turn, 3) * t, y, y);
    turned(b->axis, -angle_at(b, t), y, out);
}

void dense_make(uint64_t seed, dense_body out[2])
{
    test_random r = test_seed(seed);
    memset(out, 0, 2 * sizeof *out);
    out[0].form = (int)test_below(&r, CURVED);
    out[1].form = (int)test_below(&r, FORMS);
    double way[3];
    random_axis(&r, way);
    const double n = norm(way, 3), away = test_uniform(&r, 0.5, 3.5), on = test_uniform(&r, -0.5, 3);
    /* Some pass beside each other. */
    double aside[3] = { 0, 0, 0 };
    if (test_below(&r, 2) == 0)
        for (int k = 0; k < 3; ++k)
            aside[k] = test_uniform(&r, -1.8, 1.8);
    for (int i = 0; i < 2; ++i) {
        make_shape(&r, &out[i]);
        out[i].way = (int)test_below(&r, WAYS);
        for (int k = 0; k < 3; ++k) {
            out[i].from[k] = test_uniform(&r, -0.3, 0.3) + (i ? away * way[k] / n + aside[k] : 0);
            out[i].to[k] = test_uniform(&r, -0.3, 0.3) + (i ? aside[k] - on * way[k] / n : 0);
        }
        make_motion(&r, &out[i]);
    }
}

/* ---- their relation ---- */

typedef struct cell {
    double c[3], r; /* middle and half the side */
} cell;

enum { STACK = 4096, BUDGET = 30000 };

static double value(const dense_body *b, double t, const double world[3], double *steepness)
{
    double x[3];
    to_body(b, t, world, x);
    const double f = inside(b, x, t, steepness);
    if (b->way == AFFINE)
        *steepness *= 1.6;
    return f;
}

static dense_verdict in_space(const dense_body b[2], double t)
{
    static cell stack[STACK];
    const int one = isfinite(b[0].reach) ? 0 : 1;
    int count = 1, left = BUDGET;
    bool unsure = false;
    origin_at(&b[one], t, stack[0].c);
    stack[0].r = 1.4 * b[one].reach;
    while (count > 0) {
        const cell c = stack[--count];
        double steepness[2];
        const double f[2] = { value(&b[0], t, c.c, &steepness[0]), value(&b[1], t, c.c, &steepness[1]) };
        const double reach = 1.7320509 * c.r;
        if (f[0] < -1e-9 && f[1] < -1e-9)
            return DENSE_MEET;
        if (f[0] > steepness[0] * reach + 1e-9 || f[1] > steepness[1] * reach + 1e-9)
            continue;
        if (--left < 0 || c.r < 1e-4 || count + 8 > STACK) {
            unsure = true;
            if (left < 0)
                break;
            continue;
        }
        for (int k = 0; k < 8; ++k) {
            cell *const next = &stack[count++];
            next->r = c.r / 2;
            for (int i = 0; i < 3; ++i)
                next->c[i] = c.c[i] + (k >> i & 1 ? 0.5 : -0.5) * c.r;
        }
    }
    return unsure ? DENSE_UNSURE : DENSE_APART;
}

static dense_verdict on_sheet(const dense_body *sheet, const dense_body *other, double t)
{
    static cell stack[STACK];
    int count = 1, left = BUDGET;
    bool unsure = false;
    stack[0] = (cell){ { 0, 0, 0 }, 1 };
    while (count > 0) {
        const cell c = stack[--count];
        double p[3], world[3], steepness;
        const double speed = sheet_point(sheet, c.c[0], c.c[1], p) * (sheet->way == AFFINE ? 1.4 : 1);
        to_world(sheet, t, p, world);
        const double f = value(other, t, world, &steepness);
        if (f < -1e-9)
            return DENSE_MEET;
        if (f > steepness * 2 * speed * c.r + 1e-9)
            continue;
        if (--left < 0 || c.r < 1e-4 || count + 4 > STACK) {
            unsure = true;
            if (left < 0)
                break;
            continue;
        }
        for (int k = 0; k < 4; ++k)
            stack[count++] =
                (cell){ { c.c[0] + (k & 1 ? 0.5 : -0.5) * c.r, c.c[1] + (k & 2 ? 0.5 : -0.5) * c.r, 0 },
                        c.r / 2 };
    }
    return unsure ? DENSE_UNSURE : DENSE_APART;
}

dense_verdict dense_judge(const dense_body b[2], double t)
{
    if (b[0].sheet && b[1].sheet)
        return DENSE_UNSURE;
    if (b[0].sheet)
        return on_sheet(&b[0], &b[1], t);
    return b[1].sheet ? on_sheet(&b[1], &b[0], t) : in_space(b, t);
}
