/* SPDX-License-Identifier: MIT */
/* The first hit of 1024 rays on one body (from 4 away, aimed at a ball of radius 1.2 about its
 * centre) and on a height field: "steep" from above, "shallow" nearly level, over some hundred
 * cells. The referee has closed forms, planes and all triangles along the way, in long double.
 * Wrong: a hit instead of a miss or the reverse, or t off by more than 1e-3, for rays that pass
 * further than 1e-3 from an edge or a tangent; abut must be within 1e-12. */
#include "ray_case.h"

#include "hull.h"

#include <abut/abut.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

typedef struct row {
    const char *name;
    bool field, shallow;
    bench_body body;
    size_t points;
} row;

static const row rows[] = {
    { "ray sphere", false, false, { BENCH_SPHERE, { 1, 0, 0 }, NULL }, 0 },
    { "ray box", false, false, { BENCH_BOX, { 1, 0.7, 0.5 }, NULL }, 0 },
    { "ray capsule", false, false, { BENCH_CAPSULE, { 0.6, 0.7, 0 }, NULL }, 0 },
    { "ray cylinder", false, false, { BENCH_CYLINDER, { 0.7, 0.8, 0 }, NULL }, 0 },
    { "ray cone", false, false, { BENCH_CONE, { 0.9, 0.9, 0 }, NULL }, 0 },
    { "ray ellipsoid", false, false, { BENCH_ELLIPSOID, { 1, 0.7, 0.5 }, NULL }, 0 },
    { "ray hull n=32", false, false, { BENCH_HULL, { 0, 0, 0 }, NULL }, 32 },
    { "ray hull n=256", false, false, { BENCH_HULL, { 0, 0, 0 }, NULL }, 256 },
    { "ray heightfield 1024x1024 steep", true, false, { BENCH_BOX, { 0, 0, 0 }, NULL }, 0 },
    { "ray heightfield 1024x1024 shallow", true, true, { BENCH_BOX, { 0, 0, 0 }, NULL }, 0 },
};

/* ---- the referee: the stretch of the line in the body, as [t[0], t[1]] ---- */

typedef struct stretch {
    real t[2];
} stretch;

static void slab(real o, real d, real lo, real hi, stretch *s)
{
    if (d == 0) {
        if (o < lo || o > hi)
            s->t[0] = INFINITY;
        return;
    }
    const real a = (lo - o) / d, b = (hi - o) / d;
    s->t[0] = fmaxl(s->t[0], fminl(a, b));
    s->t[1] = fminl(s->t[1], fmaxl(a, b));
}

/* a t^2 + 2 b t + c <= 0 */
static stretch between(real a, real b, real c)
{
    const real root = b * b - a * c;
    if (root < 0)
        return (stretch){ { INFINITY, -INFINITY } };
    return (stretch){ { (-b - sqrtl(root)) / a, (-b + sqrtl(root)) / a } };
}

static stretch ball(const real o[3], const real d[3], real z, real radius, int n)
{
    real a = 0, b = 0, c = -radius * radius;
    for (int i = 0; i < n; ++i) {
        const real p = i == 2 ? o[i] - z : o[i];
        a += d[i] * d[i];
        b += p * d[i];
        c += p * p;
    }
    return between(a, b, c);
}

static stretch cone(const real o[3], const real d[3], real radius, real half)
{
    const real k = radius / (2 * half), w = half - o[2];
    const real a = d[0] * d[0] + d[1] * d[1] - k * k * d[2] * d[2];
    const real b = o[0] * d[0] + o[1] * d[1] + k * k * w * d[2];
    const real c = o[0] * o[0] + o[1] * o[1] - k * k * w * w;
    const real root = b * b - a * c;
    stretch s = { { INFINITY, -INFINITY } };
    real t[3];
    int count = 0;
    for (int i = -1; i <= 1 && root > 0; i += 2)
        t[count++] = (-b + i * sqrtl(root)) / a;
    for (int i = 0; i < count; ++i)
        if (fabsl(o[2] + t[i] * d[2]) <= half) {
            s.t[0] = fminl(s.t[0], t[i]);
            s.t[1] = fmaxl(s.t[1], t[i]);
        }
    const real base = (-half - o[2]) / d[2], x = o[0] + base * d[0], y = o[1] + base * d[1];
    if (x * x + y * y <= radius * radius) {
        s.t[0] = fminl(s.t[0], base);
        s.t[1] = fmaxl(s.t[1], base);
    }
    return s;
}

static stretch hull(const bench_hull *h, const real o[3], const real d[3])
{
    stretch s = { { -INFINITY, INFINITY } };
    for (size_t i = 0; i < h->triangle_count; ++i) {
        const double *a = h->points[h->triangles[i][0]], *b = h->points[h->triangles[i][1]],
                     *c = h->points[h->triangles[i][2]];
        real height = 0, rise = 0;
        for (int k = 0; k < 3; ++k) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            const real n =
                ((real)b[u] - a[u]) * ((real)c[v] - a[v]) - ((real)b[v] - a[v]) * ((real)c[u] - a[u]);
            height += n * (a[k] - o[k]);
            rise += n * d[k];
        }
        if (rise < 0)
            s.t[0] = fmaxl(s.t[0], height / rise);
        else
            s.t[1] = fminl(s.t[1], height / rise);
    }
    return s;
}

static stretch through(const bench_body *body, const real o[3], const real d[3])
{
    const double *e = body->size;
    stretch s = { { -INFINITY, INFINITY } };
    switch (body->type) {
    case BENCH_SPHERE: return ball(o, d, 0, e[0], 3);
    case BENCH_BOX:
        for (int i = 0; i < 3; ++i)
            slab(o[i], d[i], -e[i], e[i], &s);
        return s;
    case BENCH_CYLINDER:
    case BENCH_CAPSULE: {
        s = ball(o, d, 0, e[0], 2);
        slab(o[2], d[2], -e[1], e[1], &s);
        if (body->type == BENCH_CYLINDER)
            return s;
        if (s.t[0] > s.t[1])
            s = (stretch){ { INFINITY, -INFINITY } };
        for (int side = -1; side <= 1; side += 2) {
            const stretch cap = ball(o, d, side * (real)e[1], e[0], 3);
            s.t[0] = fminl(s.t[0], cap.t[0]);
            s.t[1] = fmaxl(s.t[1], cap.t[1]);
        }
        return s;
    }
    case BENCH_CONE: return cone(o, d, e[0], e[1]);
    case BENCH_ELLIPSOID: {
        const real os[3] = { o[0] / e[0], o[1] / e[1], o[2] / e[2] },
                   ds[3] = { d[0] / e[0], d[1] / e[1], d[2] / e[2] };
        return ball(os, ds, 0, 1, 3);
    }
    case BENCH_HULL: return hull(body->hull, o, d);
    }
    return s;
}

static double first_on_body(const bench_ray_job *j, const double origin[3], const double direction[3])
{
    const double *q = j->place.quaternion;
    const real w = q[0], x = q[1], y = q[2], z = q[3], n = w * w + x * x + y * y + z * z;
    const real m[3][3] = { { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
                           { 2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x) },
                           { 2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z } };
    real o[3] = { 0, 0, 0 }, d[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            o[i] += m[k][i] / n * ((real)origin[k] - j->place.position[k]);
            d[i] += m[k][i] / n * direction[k];
        }
    const stretch s = through(&j->body, o, d);
    return s.t[0] <= s.t[1] ? (double)s.t[0] : INFINITY;
}

static real triangle(const real p[3][3], const double o[3], const double d[3])
{
    real n[3], height = 0, rise = 0;
    for (int k = 0; k < 3; ++k) {
        const int u = (k + 1) % 3, v = (k + 2) % 3;
        n[k] = (p[1][u] - p[0][u]) * (p[2][v] - p[0][v]) - (p[1][v] - p[0][v]) * (p[2][u] - p[0][u]);
        height += n[k] * (p[0][k] - o[k]);
        rise += n[k] * d[k];
    }
    const real t = height / rise, x = o[0] + t * d[0], y = o[1] + t * d[1];
    for (int i = 0; i < 3; ++i) {
        const real *a = p[i], *b = p[(i + 1) % 3];
        if ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]) < -1e-15L)
            return INFINITY;
    }
    return t >= 0 ? t : INFINITY;
}

/* All cells within one of the line's shadow, row by row. */
static double first_on_field(const double *heights, const double o[3], const double d[3])
{
    const int side = BENCH_FIELD_SIDE;
    const real half = (side - 1) / 2.0L;
    real best = INFINITY;
    const real last = (-1e-3L - o[2]) / d[2]; /* heights are not negative */
    for (int row_of = 0; row_of < side - 1; ++row_of) {
        const real t0 = (row_of - 0.1L - half - o[1]) / d[1], t1 = (row_of + 1.1L - half - o[1]) / d[1];
        const real lo = fminl(t0, t1), hi = fminl(fmaxl(t0, t1), last);
        if (hi < 0 || lo > fminl(best, last))
            continue;
        const real a = o[0] + fmaxl(lo, 0) * d[0] + half, b = o[0] + hi * d[0] + half;
        const real from = floorl(fminl(a, b)) - 1, to = fmaxl(a, b) + 1;
        for (int i = from > 0 ? (int)from : 0; i < side - 1 && i <= to; ++i) {
            real c[4][3];
            for (int k = 0; k < 4; ++k) {
                const int x = i + (k & 1), y = row_of + (k >> 1);
                c[k][0] = x - half;
                c[k][1] = y - half;
                c[k][2] = heights[y * side + x];
            }
            real p[3][3], q[3][3];
            memcpy(p[0], c[0], sizeof p[0]);
            memcpy(p[1], c[1], sizeof p[0]);
            memcpy(p[2], c[3], sizeof p[0]);
            memcpy(q[0], c[0], sizeof p[0]);
            memcpy(q[1], c[3], sizeof p[0]);
            memcpy(q[2], c[2], sizeof p[0]);
            best =
                fminl(best, fminl(triangle((const real(*)[3])p, o, d), triangle((const real(*)[3])q, o, d)));
        }
    }
    return (double)best;
}

/* ---- inputs ---- */

/* Hills of 16 cells and 6 high, with stones on them. */
static double *make_heights(bench_random *r)
{
    enum { SIDE = BENCH_FIELD_SIDE, HILLS = SIDE / 16 + 1 };
    static double hills[HILLS][HILLS];
    for (int j = 0; j < HILLS; ++j)
        for (int i = 0; i < HILLS; ++i)
            hills[j][i] = bench_uniform(r, 0, 6);
    double *h = bench_alloc((size_t)SIDE * SIDE, sizeof *h);
    for (int j = 0; j < SIDE; ++j)
        for (int i = 0; i < SIDE; ++i) {
            const int x = i / 16, y = j / 16;
            const double u = (i % 16) / 16.0, v = (j % 16) / 16.0;
            h[j * SIDE + i] = (1 - v) * ((1 - u) * hills[y][x] + u * hills[y][x + 1]) +
                              v * ((1 - u) * hills[y + 1][x] + u * hills[y + 1][x + 1]) +
                              bench_uniform(r, 0, 0.25);
        }
    return h;
}

static void aim(const double from[3], const double to[3], double direction[3])
{
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        direction[k] = to[k] - from[k];
        square += direction[k] * direction[k];
    }
    for (int k = 0; k < 3; ++k)
        direction[k] /= sqrt(square);
}

static void make_ray(const bench_ray_job *j, const row *w, bench_random *r, double o[3], double d[3])
{
    double to[3];
    if (w->field) {
        bench_direction(r, d);
        for (int k = 0; k < 2; ++k) {
            o[k] = bench_uniform(r, -400, 400);
            to[k] = o[k] + d[k] * (w->shallow ? 200 : 4);
        }
        o[2] = w->shallow ? 12 : 30;
        to[2] = 0;
        aim(o, to, d);
        return;
    }
    double out[3];
    bench_direction(r, out);
    bench_direction(r, to);
    const double s = bench_uniform(r, 0, 1.2);
    for (int k = 0; k < 3; ++k) {
        o[k] = j->place.position[k] + 4 * out[k];
        to[k] = j->place.position[k] + s * to[k];
    }
    aim(o, to, d);
}

static double first(const bench_ray_job *j, const double o[3], const double d[3])
{
    return j->field ? first_on_field(j->heights, o, d) : first_on_body(j, o, d);
}

/* Neighbouring rays see about the same: the answer does not hang on rounding, not even of
 * floats. */
static bool is_clear(const bench_ray_job *j, const double o[3], const double d[3])
{
    const double t = first(j, o, d);
    for (int k = 0; k < 6; ++k) {
        double moved[3] = { o[0], o[1], o[2] };
        moved[k / 2] += k % 2 ? 1e-3 : -1e-3;
        const double other = first(j, moved, d);
        if (isinf(t) != isinf(other) || (!isinf(t) && fabs(t - other) > 0.1))
            return false;
    }
    return true;
}

static void teardown(void *data)
{
    bench_ray_job *j = data;
    free(j->hull.points);
    free(j->hull.triangles);
    free(j->heights);
    free(j);
}

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    const row *w = c->param;
    if (quick && w->field)
        return NULL;
    bench_random r = { 9090 + w->points };
    bench_ray_job *j = bench_alloc(1, sizeof *j);
    j->field = w->field;
    j->body = w->body;
    j->reach = !w->field ? 10 : w->shallow ? 250 : 50;
    bench_rotation(&r, &j->place);
    for (int k = 0; k < 3; ++k)
        j->place.position[k] = w->field ? 0 : bench_uniform(&r, -1, 1);
    if (w->field)
        j->heights = make_heights(&r);
    if (w->points) {
        j->hull.point_count = w->points;
        j->hull.points = bench_alloc(w->points, sizeof *j->hull.points);
        for (size_t i = 0; i < w->points; ++i)
            bench_direction(&r, j->hull.points[i]);
        bench_hull_triangles(&j->hull);
        j->body.hull = &j->hull;
    }
    for (int i = 0; i < BENCH_RAYS; ++i) {
        do
            make_ray(j, w, &r, j->origin[i], j->direction[i]);
        while (!is_clear(j, j->origin[i], j->direction[i]));
        j->truth[i] = first(j, j->origin[i], j->direction[i]);
    }
    *questions = BENCH_RAYS;
    return j;
}

uint64_t bench_ray_wrong(void *state, int variant)
{
    const bench_answers *answers = state;
    const bench_ray_job *j = answers->job;
    const double allowed = variant < 0 ? 1e-12 : 1e-3;
    uint64_t wrong = 0;
    for (int i = 0; i < BENCH_RAYS; ++i) {
        const double found = answers->value[i], truth = j->truth[i];
        wrong += isinf(truth) ? found != truth : !(fabs(found - truth) <= allowed * (1 + truth));
    }
    return wrong;
}

/* ---- abut ---- */

typedef struct state {
    bench_answers answers;
    abut_shape *shape;
    abut_pose pose;
} state;

static void *prepare(void *data, int variant)
{
    (void)variant;
    const bench_ray_job *j = data;
    const double *e = j->body.size, *p = j->place.position, *q = j->place.quaternion;
    state *s = bench_alloc(1, sizeof *s);
    bench_answers_init(&s->answers, j, BENCH_RAYS);
    s->pose = (abut_pose){ { p[0], p[1], p[2] }, { q[0], q[1], q[2], q[3] } };
    if (j->field) {
        s->pose.rotation = (abut_quat){ 1, 0, 0, 0 };
        abut_shape_create_heightfield(BENCH_FIELD_SIDE, BENCH_FIELD_SIDE, 1, 1, j->heights, NULL, &s->shape,
                                      NULL);
        return s;
    }
    switch (j->body.type) {
    case BENCH_SPHERE: abut_shape_create_sphere(e[0], NULL, &s->shape); break;
    case BENCH_BOX: abut_shape_create_box((abut_vec3){ e[0], e[1], e[2] }, NULL, &s->shape); break;
    case BENCH_CAPSULE: abut_shape_create_capsule(e[0], 2 * e[1], NULL, &s->shape); break;
    case BENCH_CYLINDER: abut_shape_create_cylinder(e[0], 2 * e[1], NULL, &s->shape); break;
    case BENCH_CONE: abut_shape_create_cone(e[0], 2 * e[1], NULL, &s->shape); break;
    case BENCH_ELLIPSOID:
        abut_shape_create_ellipsoid((abut_vec3){ e[0], e[1], e[2] }, NULL, &s->shape);
        break;
    case BENCH_HULL:
        abut_shape_create_convex((const abut_vec3 *)(const void *)j->hull.points, j->hull.point_count, 0,
                                 NULL, &s->shape, NULL);
        break;
    }
    return s;
}

static double run(void *data, int variant)
{
    (void)variant;
    state *s = data;
    const bench_ray_job *j = s->answers.job;
    for (int i = 0; i < BENCH_RAYS; ++i) {
        const double *o = j->origin[i], *d = j->direction[i];
        abut_ray_hit hit;
        size_t count = 0;
        abut_cast_ray(s->shape, &s->pose, (abut_vec3){ o[0], o[1], o[2] }, (abut_vec3){ d[0], d[1], d[2] },
                      &hit, 1, &count);
        s->answers.value[i] = count > 0 ? hit.t : INFINITY;
    }
    return s->answers.value[0];
}

static void finish(void *data, int variant)
{
    (void)variant;
    state *s = data;
    abut_shape_release(s->shape);
    bench_answers_clear(&s->answers);
    free(s);
}

void bench_register_ray(void);
void bench_register_ray(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        bench_case c = { .family = "ray",
                         .name = rows[i].name,
                         .param = &rows[i],
                         .setup = setup,
                         .teardown = teardown,
                         .abut = { "abut_cast_ray", -1, prepare, run, bench_ray_wrong, NULL, finish } };
        const bench_body *body = rows[i].field ? NULL : &rows[i].body;
        int used = 0;
#ifdef BENCH_HAVE_ODE
        used += bench_ode_rays(body, c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_BULLET
        used += bench_bullet_rays(body, c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_EMBREE
        used += bench_embree_rays(body, c.peers + used, BENCH_PEERS - used);
#endif
        (void)body;
        (void)used;
        bench_add(&c);
    }
}
