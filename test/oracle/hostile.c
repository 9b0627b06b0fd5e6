/* SPDX-License-Identifier: MIT */
/* See hostile.h. Everything is in units of scene.scale, and s = (t - t0) / length runs from 0 to 1. */
#include "oracle/hostile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { /* leaves and bodies */
       BALL,
       CASSINI,
       BUMPY,
       SLAB,
       ROUND_CUBE,
       CSG,
       CLOSED_ELLIPSOID,
       CLOSED_TORUS,
       SHEET,
       BEZIER_SHEET,
       BEZIER_BOX,
       SPHERE,
       BOX,
       ELLIPSOID,
       TORUS,
       CYLINDER,
       CONE,
       CAPSULE,
       HALFSPACE,
       FORMS
};

enum { UNION, INTERSECTION, DIFFERENCE };

typedef struct rng {
    uint64_t state;
} rng;

static uint64_t bits(rng *r)
{
    uint64_t z = (r->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double uniform(rng *r, double lo, double hi)
{
    return lo + (hi - lo) * (double)(bits(r) >> 11) * 0x1p-53;
}

static int below(rng *r, int n)
{
    return (int)(bits(r) % (unsigned)n);
}

static double rounded(rng *r, double lo, double hi)
{
    return round(uniform(r, lo, hi) * 64) / 64;
}

/* ---- fields ---- */

static double square(double x)
{
    return x * x;
}

/* k0 + k1 s + k2 s^2: a square of a radius, or a level; negative: there is nothing. */
static double level_at(const hostile_leaf *l, double s)
{
    return l->k[0] + s * (l->k[1] + s * l->k[2]);
}

static double leaf_field(const hostile_leaf *l, const double q[3], double s)
{
    const double x = q[0] - l->c[0], y = q[1] - l->c[1], z = q[2] - l->c[2];
    switch (l->kind) {
    case BALL: return x * x + y * y + z * z - level_at(l, s);
    case CASSINI: return square(x * x - l->r[0]) + y * y + z * z - level_at(l, s);
    case BUMPY:
        return x * x + y * y + z * z - l->r[0] +
               l->wave[0] * sin(3 * x + l->wave[1] * s + l->wave[2]) * cos(2 * y);
    case SLAB: return l->r[0] * x + l->r[1] * y + l->r[2] * z - (l->k[0] + l->k[1] * s);
    default: return square(x * x) + square(y * y) + square(z * z) - level_at(l, s);
    }
}

static double box_field(const double q[3], const double bounds[2][3])
{
    double most = -HUGE_VAL;
    for (int i = 0; i < 3; ++i)
        most = fmax(most, fmax(bounds[0][i] - q[i], q[i] - bounds[1][i]));
    return most;
}

static double implicit_field(const hostile_body *b, const double q[3], double s)
{
    double value = leaf_field(&b->leaf[0], q, s);
    for (int i = 1; i < b->leaf_count; ++i) {
        const double other = leaf_field(&b->leaf[i], q, s);
        value = b->op == UNION          ? fmin(value, other)
                : b->op == INTERSECTION ? fmax(value, other)
                                        : fmax(value, -other);
    }
    return fmax(value, box_field(q, b->bounds));
}

static double local_field(const hostile_body *b, const double q[3], double s)
{
    const hostile_leaf *const l = &b->leaf[0];
    const double *const r = l->r, radial = hypot(q[0], q[1]);
    switch (b->form) {
    case CLOSED_ELLIPSOID:
    case ELLIPSOID: {
        const double grow = b->form == ELLIPSOID ? 1 : 1 + l->wave[0] * sin(l->wave[1] * s);
        return (sqrt(square(q[0] / r[0]) + square(q[1] / r[1]) + square(q[2] / r[2])) - grow) *
               fmin(r[0], fmin(r[1], r[2]));
    }
    case CLOSED_TORUS:
    case TORUS: {
        const double grow = b->form == TORUS ? 1 : 1 + l->wave[0] * sin(l->wave[1] * s);
        return hypot(radial - r[0], q[2]) - r[1] * grow;
    }
    case SPHERE: return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]) - r[0];
    case BOX:
    case BEZIER_BOX: return fmax(fabs(q[0]) - r[0], fmax(fabs(q[1]) - r[1], fabs(q[2]) - r[2]));
    case CYLINDER: return fmax(radial - r[0], fabs(q[2]) - 0.5 * r[1]);
    case CONE:
        return fmax(-0.5 * r[1] - q[2],
                    (radial - r[0] * (0.5 - q[2] / r[1])) / sqrt(1 + square(r[0] / r[1])));
    case CAPSULE: return hypot(radial, fmax(0, fabs(q[2]) - 0.5 * r[1])) - r[0];
    case HALFSPACE: return q[0] * r[0] + q[1] * r[1] + q[2] * r[2] - l->k[0];
    default: return implicit_field(b, q, s);
    }
}

/* ---- motions ---- */

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Rodrigues' formula. */
static void turn(const double axis[3], double angle, const double v[3], double out[3])
{
    double w[3], ww[3];
    cross(axis, v, w);
    cross(axis, w, ww);
    for (int i = 0; i < 3; ++i)
        out[i] = v[i] + sin(angle) * w[i] + (1 - cos(angle)) * ww[i];
}

static void place_at(const hostile_body *b, double s, double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = b->from[i] + s * (b->to[i] - b->from[i]);
    out[0] += b->swing[0] * sin(b->swing[1] * s);
}

static void to_local(const hostile_body *b, const double p[3], double s, double q[3])
{
    double at[3], v[3];
    place_at(b, s, at);
    for (int i = 0; i < 3; ++i)
        v[i] = p[i] - at[i];
    turn(b->axis, -(b->angle[0] + b->angle[1] * s), v, q);
}

static void to_world(const hostile_body *b, const double q[3], double s, double p[3])
{
    double at[3];
    place_at(b, s, at);
    turn(b->axis, b->angle[0] + b->angle[1] * s, q, p);
    for (int i = 0; i < 3; ++i)
        p[i] += at[i];
}

static double field_at(const hostile_body *b, const double p[3], double s)
{
    double q[3];
    to_local(b, p, s, q);
    const double value = local_field(b, q, s);
    return b->cavity ? -value : value;
}

/* ---- do they meet? ---- */

static void sheet_point(const hostile_body *b, const double w[2], double s, double p[3])
{
    double q[3] = { 0, 0, 0 };
    if (b->form == SHEET) {
        const hostile_leaf *const l = &b->leaf[0];
        q[0] = w[0];
        q[1] = w[1];
        q[2] = l->wave[0] * sin(2 * w[0] + l->wave[1] * s + l->wave[2]) + l->k[0] * w[0] * w[1] + l->k[1] * s;
    } else {
        const double a[3] = { square(1 - w[0]), 2 * w[0] * (1 - w[0]), square(w[0]) },
                     c[3] = { square(1 - w[1]), 2 * w[1] * (1 - w[1]), square(w[1]) };
        for (int i = 0; i < 9; ++i)
            for (int k = 0; k < 3; ++k)
                q[k] += a[i % 3] * c[i / 3] * b->net[i][k];
    }
    to_world(b, q, s, p);
}

typedef struct search {
    const hostile_scene *scene;
    int sheet; /* its number, or -1 */
    int n;     /* unknowns */
    double s, lo[3], hi[3];
} search;

static double value_at(const search *x, const double w[3], double p[3])
{
    if (x->sheet < 0) {
        memcpy(p, w, 3 * sizeof *p);
        return fmax(field_at(&x->scene->body[0], p, x->s), field_at(&x->scene->body[1], p, x->s));
    }
    sheet_point(&x->scene->body[x->sheet], w, x->s, p);
    return field_at(&x->scene->body[!x->sheet], p, x->s);
}

/* Along the axes, between them and anywhere (fields have kinks), in steps that get shorter. */
static double descend(const search *x, double w[3], double value, double p[3])
{
    rng r = { 7 };
    double step[3];
    for (int i = 0; i < x->n; ++i)
        step[i] = (x->hi[i] - x->lo[i]) / 16;
    for (int round = 0; round < 400; ++round) {
        bool better = false;
        for (int way = 0; way < 54; ++way) {
            const double ways[3] = { way < 27 ? way % 3 - 1 : uniform(&r, -1, 1),
                                     way < 27 ? way / 3 % 3 - 1 : uniform(&r, -1, 1),
                                     way < 27 ? way / 9 - 1 : uniform(&r, -1, 1) };
            double trial[3] = { w[0], w[1], w[2] }, at[3];
            for (int i = 0; i < x->n; ++i)
                trial[i] = fmin(fmax(w[i] + ways[i] * step[i], x->lo[i]), x->hi[i]);
            const double found = value_at(x, trial, at);
            if (found < value) {
                value = found;
                memcpy(w, trial, 3 * sizeof *w);
                memcpy(p, at, 3 * sizeof *p);
                better = true;
            }
        }
        for (int i = 0; i < x->n && !better; ++i)
            step[i] *= 0.5;
        if (step[0] < 1e-9 * (x->hi[0] - x->lo[0]))
            break;
    }
    return value;
}

/* The box around a body in the world. */
static void world_box(const hostile_body *b, double s, double lo[3], double hi[3])
{
    for (int i = 0; i < 3; ++i) {
        lo[i] = HUGE_VAL;
        hi[i] = -HUGE_VAL;
    }
    for (int corner = 0; corner < 8; ++corner) {
        double q[3], p[3];
        for (int i = 0; i < 3; ++i)
            q[i] = b->bounds[corner >> i & 1][i];
        to_world(b, q, s, p);
        for (int i = 0; i < 3; ++i) {
            lo[i] = fmin(lo[i], p[i]);
            hi[i] = fmax(hi[i], p[i]);
        }
    }
}

/* Where both can be; false: nowhere. */
static bool common_box(search *x)
{
    for (int i = 0; i < 3; ++i) {
        x->lo[i] = -HUGE_VAL;
        x->hi[i] = HUGE_VAL;
    }
    for (int k = 0; k < 2; ++k) {
        double lo[3], hi[3];
        const hostile_body *const b = &x->scene->body[k];
        if (b->unbounded || b->cavity)
            continue;
        world_box(b, x->s, lo, hi);
        for (int i = 0; i < 3; ++i) {
            x->lo[i] = fmax(x->lo[i], lo[i]);
            x->hi[i] = fmin(x->hi[i], hi[i]);
        }
    }
    for (int i = 0; i < 3; ++i)
        if (!(x->lo[i] <= x->hi[i]))
            return false;
    return true;
}

static double local_depth(const hostile_scene *scene, double s, bool thorough, double at[3])
{
    enum { KEPT = 40 };
    const int kept = thorough ? KEPT : 4;
    search x = { .scene = scene, .sheet = -1, .n = 3, .s = s };
    for (int i = 0; i < 2; ++i)
        if (scene->body[i].sheet)
            x.sheet = i;
    if (x.sheet >= 0) {
        x.n = 2;
        for (int i = 0; i < 2; ++i) {
            x.lo[i] = scene->body[x.sheet].form == SHEET ? -0.75 : 0;
            x.hi[i] = scene->body[x.sheet].form == SHEET ? 0.75 : 1;
        }
        x.lo[2] = x.hi[2] = 0;
    } else if (!common_box(&x)) {
        return HUGE_VAL;
    }
    const int side = (x.n == 2 ? 40 : 14) * (thorough ? 5 : 1);
    double best[KEPT], place[KEPT][3];
    for (int i = 0; i < KEPT; ++i)
        best[i] = HUGE_VAL;
    for (int cell = 0; cell < (x.n == 2 ? side * side : side * side * side); ++cell) {
        double w[3] = { 0, 0, 0 }, p[3];
        const int k[3] = { cell % side, cell / side % side, cell / side / side };
        for (int i = 0; i < x.n; ++i)
            w[i] = x.lo[i] + (x.hi[i] - x.lo[i]) * k[i] / (side - 1);
        const double value = value_at(&x, w, p);
        for (int i = 0; i < kept; ++i)
            if (value < best[i]) {
                memmove(best + i + 1, best + i, (size_t)(kept - 1 - i) * sizeof *best);
                memmove(place + i + 1, place + i, (size_t)(kept - 1 - i) * sizeof *place);
                best[i] = value;
                memcpy(place[i], w, sizeof w);
                break;
            }
    }
    double least = HUGE_VAL;
    for (int i = 0; i < kept && best[i] < HUGE_VAL; ++i) {
        double p[3];
        (void)value_at(&x, place[i], p);
        const double value = descend(&x, place[i], best[i], p);
        if (value < least) {
            least = value;
            memcpy(at, p, sizeof p);
        }
    }
    return least;
}

static double part_of(const hostile_scene *scene, double t)
{
    return (t - scene->t0) / scene->length;
}

double hostile_depth(const hostile_scene *scene, double t, bool thorough, double at[3])
{
    const double depth = local_depth(scene, part_of(scene, t), thorough, at);
    for (int i = 0; i < 3; ++i)
        at[i] *= scene->scale;
    return depth;
}

double hostile_field(const hostile_scene *scene, int body, const double p[3], double t)
{
    const double q[3] = { p[0] / scene->scale, p[1] / scene->scale, p[2] / scene->scale };
    return field_at(&scene->body[body], q, part_of(scene, t));
}

/* ---- making ---- */

typedef struct text {
    char *to;
    unsigned size, used;
} text;

__attribute__((format(printf, 2, 3))) static void put(text *o, const char *format, ...)
{
    __builtin_va_list args;
    __builtin_va_start(args, format);
    const int n = vsnprintf(o->to + o->used, o->size - o->used, format, args);
    __builtin_va_end(args);
    o->used += n > 0 && o->used + (unsigned)n < o->size ? (unsigned)n : 0;
}

/* s by t */
static void put_s(text *o, const hostile_scene *scene)
{
    if (scene->t0 == 0 && scene->length == 1)
        put(o, "t");
    else
        put(o, "((t-(%.17g))/%.17g)", scene->t0, scene->length);
}

static void put_variable(text *o, const hostile_scene *scene, char name, double centre)
{
    if (scene->scale == 1)
        put(o, "(%c-(%.17g))", name, centre);
    else
        put(o, "(%c/%.17g-(%.17g))", name, scene->scale, centre);
}

static void put_level(text *o, const hostile_scene *scene, const hostile_leaf *l)
{
    put(o, "-(%.17g", l->k[0]);
    if (l->k[1] != 0 || l->k[2] != 0) {
        put(o, "+(%.17g)*", l->k[1]);
        put_s(o, scene);
        put(o, "+(%.17g)*", l->k[2]);
        put_s(o, scene);
        put(o, "^2");
    }
    put(o, ")");
}

static void put_leaf(text *o, const hostile_scene *scene, const hostile_leaf *l)
{
    char name[3][80];
    for (int i = 0; i < 3; ++i) {
        text v = { name[i], sizeof name[i], 0 };
        put_variable(&v, scene, "xyz"[i], l -> c[i]);
    }
    const char *const x = name[0], *const y = name[1], *const z = name[2];
    put(o, "{\"type\":\"implicit\",\"f\":\"");
    switch (l->kind) {
    case BALL: put(o, "%s^2+%s^2+%s^2", x, y, z); break;
    case CASSINI: put(o, "(%s^2-%.17g)^2+%s^2+%s^2", x, l->r[0], y, z); break;
    case BUMPY:
        put(o, "%s^2+%s^2+%s^2-%.17g+%.17g*sin(3*%s+%.17g*", x, y, z, l->r[0], l->wave[0], x, l->wave[1]);
        put_s(o, scene);
        put(o, "+%.17g)*cos(2*%s)", l->wave[2], y);
        break;
    case SLAB: put(o, "(%.17g)*%s+(%.17g)*%s+(%.17g)*%s", l->r[0], x, l->r[1], y, l->r[2], z); break;
    default: put(o, "%s^4+%s^4+%s^4", x, y, z);
    }
    if (l->kind != BUMPY)
        put_level(o, scene, l);
    put(o, "\",\"bounds\":[");
    for (int end = 0; end < 2; ++end)
        put(o, "%s[%.17g,%.17g,%.17g]", end ? "," : "", l->bounds[end][0] * scene->scale,
            l->bounds[end][1] * scene->scale, l->bounds[end][2] * scene->scale);
    put(o, "]}");
}

/* Levels by time: at rest; from nothing; to nothing; both. */
static void make_level(rng *r, double size, double k[3])
{
    const double at = rounded(r, 0.1, 0.9), width = rounded(r, 0.05, 0.5);
    k[0] = size;
    k[1] = k[2] = 0;
    switch (below(r, 5)) {
    case 0: break;
    case 1:
        k[0] = -at * size * 2;
        k[1] = 2 * size;
        break;
    case 2:
        k[0] = at * size * 2;
        k[1] = -2 * size;
        break;
    case 3: /* size (1 - ((s - at) / width)^2) */
        k[0] = size * (1 - square(at / width));
        k[1] = 2 * size * at / square(width);
        k[2] = -size / square(width);
        break;
    default: /* vanishes, and comes again */
        k[0] = size * (2 * square(at) - 0.02);
        k[1] = -4 * size * at;
        k[2] = 2 * size;
    }
}

static void make_leaf(rng *r, hostile_leaf *l)
{
    static const int kinds[] = { BALL, BALL, CASSINI, BUMPY, ROUND_CUBE, SLAB };
    l->kind = kinds[below(r, 6)];
    double reach = 1.5;
    for (int i = 0; i < 3; ++i)
        l->c[i] = l->kind == SLAB ? 0 : rounded(r, -0.4, 0.4);
    switch (l->kind) {
    case BALL: make_level(r, rounded(r, 0.1, 0.8), l->k); break;
    case CASSINI:
        l->r[0] = rounded(r, 0.2, 0.6);
        make_level(r, rounded(r, 0.05, 0.4), l->k);
        break;
    case BUMPY:
        l->r[0] = rounded(r, 0.3, 0.8);
        l->wave[0] = rounded(r, 0.1, 0.6);
        l->wave[1] = rounded(r, 0, 9);
        l->wave[2] = rounded(r, 0, 6);
        break;
    case SLAB:
        for (int i = 0; i < 3; ++i)
            l->r[i] = rounded(r, -1, 1);
        l->r[below(r, 3)] = 1;
        l->k[0] = rounded(r, -0.7, 0.7);
        l->k[1] = rounded(r, -1.2, 1.2);
        break;
    default: make_level(r, rounded(r, 0.05, 0.5), l->k);
    }
    /* Levels get larger than they begin with. */
    for (int i = 0; i <= 8; ++i) {
        const double level = level_at(l, i / 8.0);
        if (level > 0 && l->kind != SLAB)
            reach = fmax(reach, 0.5 + (l->kind == CASSINI ? sqrt(l->r[0] + sqrt(level)) : sqrt(level)) +
                                    (l->kind == ROUND_CUBE ? sqrt(sqrt(level)) : 0));
    }
    for (int i = 0; i < 3; ++i) {
        l->bounds[0][i] = -reach;
        l->bounds[1][i] = reach;
    }
    if (below(r, 3) == 0) /* bounds that cut */
        l->bounds[below(r, 2)][below(r, 3)] = rounded(r, -0.3, 0.3) + 0.0078125;
    for (int i = 0; i < 3; ++i)
        if (!(l->bounds[0][i] < l->bounds[1][i]))
            l->bounds[1][i] = l->bounds[0][i] + 1;
}

static void make_implicit(rng *r, const hostile_scene *scene, hostile_body *b)
{
    text o = { b->shape, sizeof b->shape, 0 };
    static const char *const ops[] = { "union", "intersection", "difference" };
    b->kind = b->form == CSG ? "csg" : "implicit";
    b->leaf_count = b->form == CSG ? 2 + below(r, 3) : 1;
    b->op = below(r, 3);
    if (b->form == CSG)
        put(&o, "{\"type\":\"csg\",\"op\":\"%s\",\"of\":[", ops[b->op]);
    for (int i = 0; i < b->leaf_count; ++i) {
        hostile_leaf *const l = &b->leaf[i];
        do
            make_leaf(r, l);
        while (b->form != CSG && l->kind == SLAB && below(r, 4));
        if (i)
            put(&o, ",");
        put_leaf(&o, scene, l);
        for (int j = 0; j < 3; ++j) {
            const double lo = l->bounds[0][j], hi = l->bounds[1][j];
            if (i == 0) {
                b->bounds[0][j] = lo;
                b->bounds[1][j] = hi;
            } else if (b->op == UNION) {
                b->bounds[0][j] = fmin(b->bounds[0][j], lo);
                b->bounds[1][j] = fmax(b->bounds[1][j], hi);
            } else if (b->op == INTERSECTION) {
                b->bounds[0][j] = fmax(b->bounds[0][j], lo);
                b->bounds[1][j] = fmin(b->bounds[1][j], hi);
            }
        }
    }
    if (b->form == CSG)
        put(&o, "]}");
}

static void make_closed(rng *r, const hostile_scene *scene, hostile_body *b)
{
    text o = { b->shape, sizeof b->shape, 0 };
    hostile_leaf *const l = &b->leaf[0];
    const bool torus = b->form == CLOSED_TORUS, mirrored = below(r, 2), in = below(r, 4) == 0,
               swapped = below(r, 3) == 0;
    const double c = scene->scale;
    const int deforms = below(r, 2);
    char grow[160];
    text g = { grow, sizeof grow, 0 };
    l->wave[0] = deforms ? rounded(r, -0.6, 0.6) : 0;
    l->wave[1] = deforms ? rounded(r, 1, 12) : 1;
    put(&g, "(1+(%.17g)*sin(%.17g*", l->wave[0], l->wave[1]);
    put_s(&g, scene);
    put(&g, "))");
    if (!deforms)
        snprintf(grow, sizeof grow, "1");
    const char *const u = swapped ? "v" : "u", *const v = swapped ? "u" : "v";
    for (int i = 0; i < 3; ++i)
        l->r[i] = rounded(r, 0.3, 1);
    put(&o, "{\"type\":\"parametric\",");
    if (torus) {
        l->r[0] = rounded(r, 0.8, 1.2);
        l->r[1] = rounded(r, 0.15, 0.4);
        put(&o, "\"x\":\"%.17g*(%.17g+%.17g*%s*cos(%s))*cos(%s)\",", c, l->r[0], l->r[1], grow, v, u);
        put(&o, "\"y\":\"%s%.17g*(%.17g+%.17g*%s*cos(%s))*sin(%s)\",", mirrored ? "-" : "", c, l->r[0],
            l->r[1], grow, v, u);
        put(&o, "\"z\":\"%.17g*%s*sin(%s)\",", c * l->r[1], grow, v);
        put(&o, "\"u\":[0,6.283185307179586],\"v\":[0,6.283185307179586],\"wrap\":[\"u\",\"v\"]");
    } else {
        put(&o, "\"x\":\"%.17g*%s*cos(%s)*cos(%s)\",", c * l->r[0], grow, u, v);
        put(&o, "\"y\":\"%s%.17g*%s*sin(%s)*cos(%s)\",", mirrored ? "-" : "", c * l->r[1], grow, u, v);
        put(&o, "\"z\":\"%.17g*%s*sin(%s)\",", c * l->r[2], grow, v);
        put(&o, "\"%s\":[0,6.283185307179586],\"%s\":[-1.5707963267948966,1.5707963267948966],", u, v);
        put(&o, "\"wrap\":[\"%s\"]", u);
    }
    put(&o, ",\"normal\":\"%s\"}", in ? "in" : "out");
    b->cavity = mirrored ^ in ^ swapped;
    b->kind = b->cavity ? "cavity" : torus ? "closed torus" : "closed ellipsoid";
    const double most = 1 + fabs(l->wave[0]);
    for (int i = 0; i < 3; ++i) {
        const double reach = torus ? (i < 2 ? l->r[0] : 0) + most * l->r[1] : most * l->r[i];
        b->bounds[0][i] = -reach;
        b->bounds[1][i] = reach;
    }
}

static void make_sheet(rng *r, const hostile_scene *scene, hostile_body *b)
{
    text o = { b->shape, sizeof b->shape, 0 };
    const double c = scene->scale;
    b->sheet = true;
    b->kind = b->form == SHEET ? "sheet" : "bezier sheet";
    if (b->form == SHEET) {
        hostile_leaf *const l = &b->leaf[0];
        l->wave[0] = rounded(r, -0.5, 0.5);
        l->wave[1] = below(r, 2) ? rounded(r, 0, 9) : 0;
        l->wave[2] = rounded(r, 0, 6);
        l->k[0] = rounded(r, -0.7, 0.7);
        l->k[1] = below(r, 2) ? rounded(r, -0.5, 0.5) : 0;
        put(&o,
            "{\"type\":\"parametric\",\"x\":\"%.17g*u\",\"y\":\"%.17g*v\",\"z\":\"%.17g*(%.17g*sin(2*u+%."
            "17g*",
            c, c, c, l->wave[0], l->wave[1]);
        put_s(&o, scene);
        put(&o, "+%.17g)+(%.17g)*u*v+(%.17g)*", l->wave[2], l->k[0], l->k[1]);
        put_s(&o, scene);
        put(&o, ")\",\"u\":[-0.75,0.75],\"v\":[-0.75,0.75]}");
        return;
    }
    put(&o, "{\"type\":\"bezier\",\"degree\":[2,2],\"points\":[");
    for (int i = 0; i < 9; ++i) {
        b->net[i][0] = 0.7 * (i % 3 - 1) + rounded(r, -0.2, 0.2);
        b->net[i][1] = 0.7 * (i / 3 - 1) + rounded(r, -0.2, 0.2);
        b->net[i][2] = rounded(r, -0.6, 0.6);
        put(&o, "%s[%.17g,%.17g,%.17g]", i ? "," : "", c * b->net[i][0], c * b->net[i][1], c * b->net[i][2]);
    }
    put(&o, "]}");
}

/* Six bilinear patches; all turned inward at times. */
static void put_bezier_box(text *o, const double r[3], double c, bool inward)
{
    static const int corners[6][4] = { { 0, 4, 2, 6 }, { 1, 3, 5, 7 }, { 0, 1, 4, 5 },
                                       { 2, 6, 3, 7 }, { 0, 2, 1, 3 }, { 4, 5, 6, 7 } };
    put(o, "{\"type\":\"bezier\",\"patches\":[");
    for (int i = 0; i < 6; ++i) {
        put(o, "%s{\"degree\":[1,1],\"points\":[", i ? "," : "");
        for (int j = 0; j < 4; ++j) {
            const int k = corners[i][inward ? (j == 1 ? 2 : j == 2 ? 1 : j) : j];
            put(o, "%s[%.17g,%.17g,%.17g]", j ? "," : "", c * (k & 1 ? r[0] : -r[0]),
                c * (k & 2 ? r[1] : -r[1]), c * (k & 4 ? r[2] : -r[2]));
        }
        put(o, "]}");
    }
    put(o, "]}");
}

static void make_primitive(rng *r, const hostile_scene *scene, hostile_body *b)
{
    static const char *const names[] = { "bezier box", "sphere", "box",     "ellipsoid", "torus",
                                         "cylinder",   "cone",   "capsule", "halfspace" };
    text o = { b->shape, sizeof b->shape, 0 };
    hostile_leaf *const l = &b->leaf[0];
    const double c = scene->scale;
    double *const x = l->r, reach[3];
    for (int i = 0; i < 3; ++i)
        x[i] = rounded(r, 0.2, 0.9);
    b->kind = names[b->form - BEZIER_BOX];
    memcpy(reach, x, sizeof reach);
    switch (b->form) {
    case BEZIER_BOX: put_bezier_box(&o, x, c, below(r, 2)); break;
    case SPHERE:
        put(&o, "{\"type\":\"sphere\",\"radius\":%.17g}", c * x[0]);
        reach[1] = reach[2] = x[0];
        break;
    case BOX: put(&o, "{\"type\":\"box\",\"half\":[%.17g,%.17g,%.17g]}", c * x[0], c * x[1], c * x[2]); break;
    case ELLIPSOID:
        put(&o, "{\"type\":\"ellipsoid\",\"radii\":[%.17g,%.17g,%.17g]}", c * x[0], c * x[1], c * x[2]);
        break;
    case TORUS:
        x[0] = rounded(r, 0.6, 1);
        x[1] = rounded(r, 0.1, 0.5);
        put(&o, "{\"type\":\"torus\",\"major\":%.17g,\"minor\":%.17g}", c * x[0], c * x[1]);
        reach[0] = reach[1] = x[0] + x[1];
        reach[2] = x[1];
        break;
    case CYLINDER:
    case CONE:
    case CAPSULE:
        put(&o, "{\"type\":\"%s\",\"radius\":%.17g,\"height\":%.17g}", names[b->form - BEZIER_BOX], c * x[0],
            c * x[1]);
        reach[0] = reach[1] = x[0];
        reach[2] = 0.5 * x[1] + (b->form == CAPSULE ? x[0] : 0);
        break;
    default: {
        const double size = sqrt(square(x[0]) + square(x[1]) + square(x[2]));
        for (int i = 0; i < 3; ++i)
            x[i] /= size;
        l->k[0] = rounded(r, -1, 0.5);
        put(&o, "{\"type\":\"halfspace\",\"normal\":[%.17g,%.17g,%.17g],\"offset\":%.17g}", x[0], x[1], x[2],
            c * l->k[0]);
        b->unbounded = true;
    }
    }
    for (int i = 0; i < 3; ++i) {
        b->bounds[0][i] = -reach[i];
        b->bounds[1][i] = reach[i];
    }
}

static void put_vector(text *o, const double v[3], double c)
{
    put(o, "[%.17g,%.17g,%.17g]", c * v[0], c * v[1], c * v[2]);
}

static void make_motion(rng *r, const hostile_scene *scene, hostile_body *b, double reach)
{
    text o = { b->motion, sizeof b->motion, 0 };
    const double c = scene->scale;
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        b->from[i] = rounded(r, -reach, reach);
        b->to[i] = rounded(r, -reach, reach);
        b->axis[i] = uniform(r, -1, 1);
        size += square(b->axis[i]);
    }
    for (int i = 0; i < 3; ++i)
        b->axis[i] /= sqrt(size);
    b->angle[0] = below(r, 2) ? rounded(r, -3, 3) : 0;
    b->angle[1] = 0;
    switch (below(r, 4)) {
    case 0: /* at rest */
        memcpy(b->to, b->from, sizeof b->to);
        put(&o, "\"pose\":{\"position\":");
        put_vector(&o, b->from, c);
        put(&o, ",\"rotation\":{\"axis\":");
        put_vector(&o, b->axis, 1);
        put(&o, ",\"radians\":%.17g}}", b->angle[0]);
        break;
    case 1: /* straight */
        put(&o, "\"motion\":{\"type\":\"linear\",\"from\":{\"position\":");
        put_vector(&o, b->from, c);
        b->angle[0] = 0;
        put(&o, "},\"to\":{\"position\":");
        put_vector(&o, b->to, c);
        put(&o, "}}");
        break;
    case 2: { /* turning */
        double v[3], w[3];
        b->angle[1] = rounded(r, -6, 6);
        b->angle[0] = 0;
        for (int i = 0; i < 3; ++i) {
            v[i] = (b->to[i] - b->from[i]) / scene->length;
            w[i] = b->axis[i] * b->angle[1] / scene->length;
        }
        put(&o, "\"motion\":{\"type\":\"velocity\",\"pose\":{\"position\":");
        put_vector(&o, b->from, c);
        put(&o, "},\"linear\":");
        put_vector(&o, v, c);
        put(&o, ",\"angular\":");
        put_vector(&o, w, 1);
        put(&o, "}");
        break;
    }
    default: /* by expressions */
        b->angle[1] = rounded(r, -6, 6);
        b->swing[0] = rounded(r, 0, 0.5);
        b->swing[1] = rounded(r, 1, 12);
        put(&o, "\"motion\":{\"type\":\"expression\",\"position\":[");
        for (int i = 0; i < 3; ++i) {
            put(&o, "%s\"%.17g*(%.17g+(%.17g)*", i ? "," : "", c, b->from[i], b->to[i] - b->from[i]);
            put_s(&o, scene);
            if (i == 0) {
                put(&o, "+%.17g*sin(%.17g*", b->swing[0], b->swing[1]);
                put_s(&o, scene);
                put(&o, ")");
            }
            put(&o, ")\"");
        }
        put(&o, "],\"rotation\":{\"axis\":");
        put_vector(&o, b->axis, 1);
        put(&o, ",\"radians\":\"%.17g+(%.17g)*", b->angle[0], b->angle[1]);
        put_s(&o, scene);
        put(&o, "\"}}");
    }
}

void hostile_make(uint64_t seed, hostile_scene *out)
{
    static const double starts[] = { 0, 0, 0, -3, 1000, 1e6, -1e5 }, lengths[] = { 1, 1, 1, 0.01, 50, 1e4 },
                        scales[] = { 1, 1, 1, 1e-3, 1e3 };
    static const int first[] = { BALL, BALL, CSG, CSG, CLOSED_ELLIPSOID, CLOSED_TORUS };
    rng r = { seed * 0x9e3779b97f4a7c15u + 99 };
    memset(out, 0, sizeof *out);
    out->t0 = starts[below(&r, 7)];
    out->length = lengths[below(&r, 6)];
    out->scale = scales[below(&r, 5)];
    for (int i = 0; i < 2; ++i) {
        hostile_body *const b = &out->body[i];
        b->form = i == 0 ? first[below(&r, 6)] : below(&r, FORMS);
        if (b->form < CSG)
            b->form = BALL;
        if (b->form <= CSG)
            make_implicit(&r, out, b);
        else if (b->form <= CLOSED_TORUS)
            make_closed(&r, out, b);
        else if (b->form <= BEZIER_SHEET)
            make_sheet(&r, out, b);
        else
            make_primitive(&r, out, b);
        make_motion(&r, out, b, i ? 1.6 : 0.2);
    }
    /* Two that fill all space, all the time: not much to find out. */
    if ((out->body[0].cavity || out->body[0].unbounded) && (out->body[1].cavity || out->body[1].unbounded)) {
        hostile_body *const b = &out->body[1];
        memset(b, 0, sizeof *b);
        b->form = SPHERE;
        make_primitive(&r, out, b);
        make_motion(&r, out, b, 1.2);
    }
}

void hostile_write(const hostile_scene *scene, char *out, unsigned size)
{
    text o = { out, size, 0 };
    put(&o, "{\"abut\":1,\"time\":[%.17g,%.17g],\"objects\":[", scene->t0, scene->t0 + scene->length);
    for (int i = 0; i < 2; ++i)
        put(&o, "%s\n{\"name\":\"%c\",\"shape\":%s,%s}", i ? "," : "", "ab"[i], scene -> body[i].shape,
            scene->body[i].motion);
    put(&o, "]}\n");
}
