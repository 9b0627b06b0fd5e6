/* SPDX-License-Identifier: MIT */
#include "oracle/cloud.h"

#include <math.h>
#include <stdlib.h>

enum { GRID = 24, SHEET = 40, NEAR = 160 };

static double max2(double a, double b)
{
    return a > b ? a : b;
}

static double max3(double a, double b, double c)
{
    return max2(a, max2(b, c));
}

static double length3(const double p[3])
{
    return sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
}

static double ball(const double p[3])
{
    return length3(p) - 1;
}

static double box(const double p[3])
{
    return max3(fabs(p[0]) - 1, fabs(p[1]) - 1, fabs(p[2]) - 1);
}

static double capsule(const double p[3])
{
    const double z = max2(fabs(p[2]) - 0.5, 0);
    return sqrt(p[0] * p[0] + p[1] * p[1] + z * z) - 0.5;
}

static double cylinder(const double p[3])
{
    return max2(hypot(p[0], p[1]) - 1, fabs(p[2]) - 0.5);
}

static double cone(const double p[3])
{
    const double q = hypot(p[0], p[1]);
    return max2(((q - 1) + (p[2] + 0.5)) / sqrt(2), -0.5 - p[2]);
}

static double ellipsoid(const double p[3])
{
    const double s[3] = { p[0], p[1] / 0.5, p[2] / 0.7 };
    return (length3(s) - 1) * 0.5;
}

static double torus(const double p[3])
{
    return hypot(hypot(p[0], p[1]) - 1, p[2]) - 0.25;
}

static double halfspace(const double p[3])
{
    return p[2];
}

static double tetrahedron(const double p[3])
{
    return max2(max3(-p[0], -p[1], -p[2]), (p[0] + p[1] + p[2] - 1) / sqrt(3));
}

static double swept(const double p[3])
{
    const double x = hypot(p[0], p[1]) - 1, z = fabs(p[2]) - 0.5;
    const double far = hypot(max2(x, 0), max2(z, 0));
    return far + fmin(max2(x, z), 0) - 0.125;
}

static double shell(const double p[3])
{
    return fabs(tetrahedron(p));
}

static double height(double x, double y)
{
    static const double h[2][3] = { { 0, 0.5, 0 }, { 0.25, 0, 0 } };
    const double u = fmin(max2(x + 1, 0), 2), v = fmin(max2(y + 0.5, 0), 1);
    const int i = u < 1 ? 0 : 1;
    const double s = u - i;
    const double a = h[0][i], b = h[0][i + 1], c = h[1][i], d = h[1][i + 1];
    return v <= s ? a + (b - a) * s + (d - b) * v : a + (d - c) * s + (c - a) * v;
}

/* Slopes are at most 0.5 along each axis. */
static double field(const double p[3])
{
    return max3(fabs(p[0]) - 1, fabs(p[1]) - 0.5, (p[2] - height(p[0], p[1])) / sqrt(1.5));
}

static void saddle(double u, double v, double p[3])
{
    p[0] = 2 * u - 1;
    p[1] = 2 * v - 1;
    p[2] = p[0] * p[1];
}

static void patch(double u, double v, double p[3])
{
    p[0] = u;
    p[1] = v;
    p[2] = u * v;
}

/* The gradient is at most (2.2, 5.324) where both coordinates are at most 1.1. */
static double implicit(const double p[3])
{
    const double q = hypot(p[0], p[1]), z = fabs(p[2]), qc = fmin(q, 1.1), zc = fmin(z, 1.1);
    return max3(q - 1, z - 1, (qc * qc + zc * zc * zc * zc - 1) / hypot(2.2, 5.324));
}

static double half_ball(const double p[3])
{
    return max2(ball(p), p[0]);
}

static double extrude(const double p[3])
{
    const double arc = hypot(p[0] - 0.5, p[1] - 0.0625) - 1.0625;
    return max2(max3(-p[0], p[0] - 1, -p[1]), max3(arc, -p[2], p[2] - 1));
}

static double revolve(const double p[3])
{
    return max3(hypot(p[0], p[1]) - 1, -p[2], p[2] - 1);
}

static double two(const double p[3])
{
    const double q[3] = { p[0] - 1, p[1], p[2] }, r[3] = { 2 * (p[0] + 0.5), 2 * p[1], 2 * p[2] };
    return fmin((length3(q) - 0.5), 0.5 * box(r));
}

#define TETRAHEDRON "\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]"
#define FACES       "[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]"
#define BOUNDS      "\"bounds\":[[-2,-2,-2],[2,2,2]]"

const cloud_kind cloud_kinds[CLOUD_KINDS] = {
    { "sphere", "{\"type\":\"sphere\",\"radius\":1}", true, true, ball, NULL },
    { "box", "{\"type\":\"box\",\"half\":[1,1,1]}", true, true, box, NULL },
    { "capsule", "{\"type\":\"capsule\",\"radius\":0.5,\"height\":1}", true, true, capsule, NULL },
    { "cylinder", "{\"type\":\"cylinder\",\"radius\":1,\"height\":1}", true, true, cylinder, NULL },
    { "cone", "{\"type\":\"cone\",\"radius\":1,\"height\":1}", true, true, cone, NULL },
    { "ellipsoid", "{\"type\":\"ellipsoid\",\"radii\":[1,0.5,0.7]}", true, true, ellipsoid, NULL },
    { "torus", "{\"type\":\"torus\",\"major\":1,\"minor\":0.25}", true, true, torus, NULL },
    { "halfspace", "{\"type\":\"halfspace\",\"normal\":[0,0,1],\"offset\":0}", true, false, halfspace, NULL },
    { "convex", "{\"type\":\"convex\",\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}", true, true, tetrahedron,
      NULL },
    { "swept",
      "{\"type\":\"swept\",\"of\":{\"type\":\"cylinder\",\"radius\":1,\"height\":1},\"margin\":0.125}", true,
      true, swept, NULL },
    { "mesh", "{\"type\":\"mesh\"," TETRAHEDRON ",\"triangles\":" FACES "}", false, true, shell, NULL },
    { "mesh, solid", "{\"type\":\"mesh\",\"solid\":true," TETRAHEDRON ",\"triangles\":" FACES "}", true, true,
      tetrahedron, NULL },
    { "polyhedron", "{\"type\":\"polyhedron\"," TETRAHEDRON ",\"faces\":" FACES "}", true, true, tetrahedron,
      NULL },
    { "heightfield",
      "{\"type\":\"heightfield\",\"columns\":3,\"rows\":2,\"spacing\":[1,1],\"heights\":[0,0.5,0,0.25,0,0]}",
      true, false, field, NULL },
    { "parametric",
      "{\"type\":\"parametric\",\"x\":\"u\",\"y\":\"v\",\"z\":\"u*v\",\"u\":[-1,1],\"v\":[-1,1]}", false,
      true, NULL, saddle },
    { "bezier", "{\"type\":\"bezier\",\"degree\":[1,1],\"points\":[[0,0,0],[1,0,0],[0,1,0],[1,1,1]]}", false,
      true, NULL, patch },
    { "implicit", "{\"type\":\"implicit\",\"f\":\"x^2+y^2+z^4-1\"," BOUNDS "}", true, true, implicit, NULL },
    { "csg",
      "{\"type\":\"csg\",\"op\":\"intersection\",\"of\":[{\"type\":\"implicit\",\"f\":\"x^2+y^2+z^2-"
      "1\"," BOUNDS "},{\"type\":\"implicit\",\"f\":\"x\"," BOUNDS "}]}",
      true, true, half_ball, NULL },
    { "extrude", "{\"type\":\"extrude\",\"profile\":[[0,0],[1,0],[1,1,0.25],[0,1]],\"height\":1}", true, true,
      extrude, NULL },
    { "revolve", "{\"type\":\"revolve\",\"profile\":[[0,0],[1,0],[1,1],[0,1]]}", true, true, revolve, NULL },
    { "solid",
      "{\"type\":\"solid\",\"surfaces\":[{\"type\":\"sphere\",\"center\":[0,0,0],\"radius\":1}],\"vertices\":"
      "[],"
      "\"edges\":[],\"faces\":[{\"surface\":0,\"outward\":1,\"loops\":[]}]}",
      true, true, ball, NULL },
    { "compound",
      "{\"type\":\"compound\",\"of\":[{\"shape\":{\"type\":\"sphere\",\"radius\":0.5},\"pose\":{\"position\":"
      "[1,0,0]}},{\"shape\":{\"type\":\"box\",\"half\":[0.5,0.5,0.5]},\"pose\":{\"position\":[-0.5,0,0]}}]}",
      true, true, two, NULL },
};

/* ---- samples ---- */

typedef struct cloud {
    double (*points)[3];
    bool *in;
    size_t count, room;
    double reach;      /* every point of the body is within this of a sample */
    size_t near[NEAR]; /* some that are in it, mostly at its border */
    size_t near_count;
} cloud;

static cloud clouds[CLOUD_KINDS];

static void add(cloud *c, const double p[3], bool in)
{
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 1024;
        c->points = realloc(c->points, c->room * sizeof *c->points);
        c->in = realloc(c->in, c->room * sizeof *c->in);
    }
    for (int k = 0; k < 3; ++k)
        c->points[c->count][k] = p[k];
    c->in[c->count++] = in;
}

/* A body without an end is sampled in the same box as the others, and is never what covers. */
static void sample_grid(const cloud_kind *k, cloud *c)
{
    const double half = 1.6, h = 2 * half / GRID;
    c->reach = 0.5 * sqrt(3) * h;
    for (int i = 0; i < (GRID + 1) * (GRID + 1) * (GRID + 1); ++i) {
        const double p[3] = { h * (i % (GRID + 1)) - half, h * (i / (GRID + 1) % (GRID + 1)) - half,
                              h * (i / (GRID + 1) / (GRID + 1)) - half };
        const double d = k->outside(p);
        if (d <= c->reach)
            add(c, p, k->solid && d <= 0);
    }
}

static void sample_sheet(const cloud_kind *k, cloud *c)
{
    /* Both sheets have derivatives of at most 2 sqrt 2 by each parameter. */
    c->reach = 2 * sqrt(2) * sqrt(2) * 0.5 / SHEET;
    for (int i = 0; i <= SHEET; ++i)
        for (int j = 0; j <= SHEET; ++j) {
            double p[3];
            k->sheet((double)i / SHEET, (double)j / SHEET, p);
            add(c, p, true);
        }
}

void cloud_open(void)
{
    for (int i = 0; i < CLOUD_KINDS; ++i) {
        const cloud_kind *k = &cloud_kinds[i];
        cloud *c = &clouds[i];
        if (k->sheet)
            sample_sheet(k, c);
        else
            sample_grid(k, c);
        if (!k->solid && !k->sheet) { /* points of the tetrahedron's faces */
            static const double v[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
            for (int f = 0; f < 4; ++f)
                for (int s = 0; s <= 8; ++s)
                    for (int t = 0; s + t <= 8; ++t) {
                        double p[3];
                        for (int d = 0; d < 3; ++d)
                            p[d] = (s * v[(f + 1) % 4][d] + t * v[(f + 2) % 4][d] +
                                    (8 - s - t) * v[(f + 3) % 4][d]) /
                                   8;
                        add(c, p, true);
                    }
        }
        for (size_t n = 0; n < 4 * NEAR * NEAR && c->near_count < NEAR; ++n) {
            const size_t at = n * 7919 % c->count;
            const bool border = k->sheet || !k->outside || k->outside(c->points[at]) > -c->reach;
            if (c->in[at] && (border || n > 2 * NEAR * NEAR))
                c->near[c->near_count++] = at;
        }
    }
}

void cloud_close(void)
{
    for (int i = 0; i < CLOUD_KINDS; ++i) {
        free(clouds[i].points);
        free(clouds[i].in);
        clouds[i] = (cloud){ 0 };
    }
}

static void to_world(const cloud_place *at, const double p[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = at->r[i][0] * p[0] + at->r[i][1] * p[1] + at->r[i][2] * p[2] + at->t[i];
}

static void to_body(const cloud_place *at, const double p[3], double out[3])
{
    const double d[3] = { p[0] - at->t[0], p[1] - at->t[1], p[2] - at->t[2] };
    for (int i = 0; i < 3; ++i)
        out[i] = at->r[0][i] * d[0] + at->r[1][i] * d[1] + at->r[2][i] * d[2];
}

/* Samples of a, by the function of b. */
static void by_function(int a, const cloud_place *at_a, int b, const cloud_place *at_b, cloud_judgement *out)
{
    const cloud *c = &clouds[a];
    double least = INFINITY;
    for (size_t i = 0; i < c->count; ++i) {
        double w[3], p[3];
        to_world(at_a, c->points[i], w);
        to_body(at_b, w, p);
        const double d = cloud_kinds[b].outside(p);
        least = fmin(least, d);
        out->meets = out->meets || (c->in[i] && d < -1e-9 && cloud_kinds[b].solid);
    }
    if (cloud_kinds[a].bounded && least - c->reach > 1e-9) {
        out->apart = true;
        out->at_least = fmax(out->at_least, least - c->reach - 1e-9);
    }
}

/* ---- sheets ---- */

/* All sheets here are bilinear patches, triangles among them: each is in the hull of its corners, its
 * middle is the mean of those, and its halves are such patches again. */
typedef struct patch4 {
    double c[4][3]; /* at (0, 0), (1, 0), (0, 1), (1, 1) */
} patch4;

typedef struct task {
    double low;
    patch4 p, q;
} task;

enum { TASKS = 1 << 15, STEPS = 12000 };
static const double fine = 1e-3; /* what at_least and at_most of two sheets may differ by */

static void middle_of(const patch4 *p, double m[3], double *radius)
{
    *radius = 0;
    for (int d = 0; d < 3; ++d)
        m[d] = 0.25 * (p->c[0][d] + p->c[1][d] + p->c[2][d] + p->c[3][d]);
    for (int i = 0; i < 4; ++i) {
        const double e[3] = { p->c[i][0] - m[0], p->c[i][1] - m[1], p->c[i][2] - m[2] };
        *radius = max2(*radius, length3(e));
    }
}

static double squared(const double a[3], const double b[3])
{
    const double e[3] = { a[0] - b[0], a[1] - b[1], a[2] - b[2] };
    return e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
}

/* Across its longer sides. */
static void halve(const patch4 *p, patch4 out[2])
{
    const bool along_u = squared(p->c[0], p->c[1]) + squared(p->c[2], p->c[3]) >=
                         squared(p->c[0], p->c[2]) + squared(p->c[1], p->c[3]);
    const int pair[2][2] = { { 0, along_u ? 1 : 2 }, { along_u ? 2 : 1, 3 } };
    out[0] = out[1] = *p;
    for (int i = 0; i < 2; ++i)
        for (int d = 0; d < 3; ++d)
            out[0].c[pair[i][1]][d] = out[1].c[pair[i][0]][d] =
                0.5 * (p->c[pair[i][0]][d] + p->c[pair[i][1]][d]);
}

/* The patches of a sheet in the world; 0: it is none. */
static int patches_of(int kind, const cloud_place *at, patch4 out[4])
{
    static const double v[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const cloud_kind *k = &cloud_kinds[kind];
    if (k->solid)
        return 0;
    const int count = k->sheet ? 1 : 4;
    for (int f = 0; f < count; ++f)
        for (int i = 0; i < 4; ++i) {
            double p[3];
            if (k->sheet)
                k->sheet(i & 1, i / 2, p);
            else /* a face of the tetrahedron; two corners in one place */
                for (int d = 0; d < 3; ++d)
                    p[d] = v[(f + (i < 3 ? i : 2)) % 4][d];
            for (int d = 0; d < 3; ++d)
                out[f].c[i][d] = at->r[d][0] * p[0] + at->r[d][1] * p[1] + at->r[d][2] * p[2] + at->t[d];
        }
    return count;
}

static task tasks[TASKS];

static void push_task(size_t *count, const task *t)
{
    size_t i = (*count)++;
    for (; i > 0 && tasks[(i - 1) / 2].low > t->low; i = (i - 1) / 2)
        tasks[i] = tasks[(i - 1) / 2];
    tasks[i] = *t;
}

static task pop_task(size_t *count)
{
    const task top = tasks[0], last = tasks[--*count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < *count; i = child) {
        child += child + 1 < *count && tasks[child + 1].low < tasks[child].low;
        if (tasks[child].low >= last.low)
            break;
        tasks[i] = tasks[child];
    }
    tasks[i] = last;
    return top;
}

/* The bounds of the distance of two sheets, by branch and bound; or of a sheet and a body known by its
 * function: then only from below. */
static void by_patches(int a, const cloud_place *at_a, int b, const cloud_place *at_b, cloud_judgement *out)
{
    patch4 p[4], q[4];
    const int n = patches_of(a, at_a, p), m = patches_of(b, at_b, q);
    const cloud_kind *body = n == 0 ? &cloud_kinds[a] : m == 0 ? &cloud_kinds[b] : NULL;
    const cloud_place *at = n == 0 ? at_a : at_b;
    double most = INFINITY, least = INFINITY;
    size_t count = 0;
    if ((n == 0 && m == 0) || (body && !body->outside))
        return;
    for (int i = 0; i < max2(n, 1); ++i)
        for (int j = 0; j < max2(m, 1); ++j) {
            task t = { 0, n ? p[i] : q[j], m ? q[j] : p[i] };
            push_task(&count, &t);
        }
    for (int steps = 0; count > 0; ++steps) {
        task t = pop_task(&count);
        double x[3], y[3], r, s = 0, d;
        if (t.low >= most - fine || steps >= STEPS || count + 4 > TASKS) {
            least = t.low;
            break;
        }
        middle_of(&t.p, x, &r);
        middle_of(&t.q, y, &s);
        if (body) {
            to_body(at, x, y);
            d = body->outside(y);
            s = 0;
        } else {
            d = sqrt(squared(x, y));
        }
        most = fmin(most, max2(d, 0));
        t.low = max2(t.low, d - r - s);
        patch4 half[2];
        halve(r >= s ? &t.p : &t.q, half);
        for (int i = 0; i < 2; ++i) {
            task next = t;
            *(r >= s ? &next.p : &next.q) = half[i];
            push_task(&count, &next);
        }
    }
    if (least > 1e-9 && least < INFINITY) {
        out->apart = true;
        out->at_least = fmax(out->at_least, least - 1e-9);
    }
    if (!body)
        out->at_most = fmin(out->at_most, most);
}

cloud_judgement cloud_judge(int a, const cloud_place *at_a, int b, const cloud_place *at_b)
{
    cloud_judgement out = { false, false, 0, INFINITY };
    const cloud *ca = &clouds[a], *cb = &clouds[b];
    if (cloud_kinds[b].outside)
        by_function(a, at_a, b, at_b, &out);
    if (cloud_kinds[a].outside)
        by_function(b, at_b, a, at_a, &out);
    for (size_t i = 0; i < ca->near_count; ++i) {
        double p[3];
        to_world(at_a, ca->points[ca->near[i]], p);
        for (size_t j = 0; j < cb->near_count; ++j) {
            double q[3];
            to_world(at_b, cb->points[cb->near[j]], q);
            out.at_most =
                fmin(out.at_most, sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
                                       (p[2] - q[2]) * (p[2] - q[2])));
        }
    }
    by_patches(a, at_a, b, at_b, &out);
    out.at_most += 1e-9;
    if (!cloud_kinds[a].outside && !cloud_kinds[b].outside) {
        double least = INFINITY;
        for (size_t i = 0; i < ca->count; ++i) {
            double p[3];
            to_world(at_a, ca->points[i], p);
            for (size_t j = 0; j < cb->count; ++j) {
                double q[3];
                to_world(at_b, cb->points[j], q);
                const double d[3] = { p[0] - q[0], p[1] - q[1], p[2] - q[2] };
                least = fmin(least, length3(d));
            }
        }
        if (least - ca->reach - cb->reach > 1e-9) {
            out.apart = true;
            out.at_least = least - ca->reach - cb->reach;
        }
    }
    return out;
}
