/* SPDX-License-Identifier: MIT */
/* W1 to W4 (pairs at rest), W6 (sweeps) and what all workloads share. */
#include "workload.h"

#include "hull.h"
#include "referee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint64_t bench_checksum(const double *numbers, size_t count, uint64_t seed)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ seed;
    for (size_t i = 0; i < count; ++i) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (int k = 0; k < 64; k += 8)
            hash = (hash ^ (bits >> k & 0xff)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

void bench_direction(bench_random *r, double out[3])
{
    double square;
    do {
        for (int i = 0; i < 3; ++i)
            out[i] = bench_uniform(r, -1, 1);
        square = out[0] * out[0] + out[1] * out[1] + out[2] * out[2];
    } while (square > 1 || square < 1e-4); /* what is too short has lost its bits */
    const double length = sqrt(square);
    for (int i = 0; i < 3; ++i)
        out[i] /= length;
}

void bench_place_set_quaternion(bench_place *place, const double q[4])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    memcpy(place->quaternion, q, sizeof place->quaternion);
    const double m[3][3] = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                             { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                             { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } };
    memcpy(place->rotation, m, sizeof m);
}

void bench_rotation(bench_random *r, bench_place *out)
{
    double q[4], square;
    do {
        square = 0;
        for (int i = 0; i < 4; ++i) {
            q[i] = bench_uniform(r, -1, 1);
            square += q[i] * q[i];
        }
    } while (square > 1 || square < 1e-4);
    const double length = sqrt(square);
    for (int i = 0; i < 4; ++i)
        q[i] /= length;
    *out = (bench_place){ 0 };
    bench_place_set_quaternion(out, q);
}

/* Rc gives the overlap counts of the classes they were first measured with: 2078, 2030, 2039,
 * 2027, 1989, 2130 of 4096; for the sphere classes it gives 2048. The count grows with Rc one by
 * one, since the centres are inside the bodies and so each pair overlaps up to one distance
 * along its direction and not beyond. */
static const struct {
    const char *name;
    double rc;
} classes[BENCH_CLASS_COUNT] = {
    [BENCH_CLASS_BOX] = { "box", 3.1234 },
    [BENCH_CLASS_CAPSULE] = { "capsule", 1.9784 },
    [BENCH_CLASS_ELLIPSOID] = { "ellipsoid", 2.356 },
    [BENCH_CLASS_HULL32] = { "hull32", 2.1318 },
    [BENCH_CLASS_HULL256] = { "hull256", 2.415 },
    [BENCH_CLASS_ELLIPSOID_ASP10] = { "ellipsoid_asp10", 1.837943 },
    [BENCH_CLASS_SPHERE] = { "sphere", 2.43 },
    [BENCH_CLASS_SPHERE_BOX] = { "sphere_box", 2.725 },
    [BENCH_CLASS_SPHERE_CAPSULE] = { "sphere_capsule", 2.1426 },
    [BENCH_CLASS_CYLINDER] = { "cylinder", 2.8135 },
    [BENCH_CLASS_CONE] = { "cone", 1.98 },
};

const char *bench_class_name(bench_class c)
{
    return classes[c].name;
}

static void draw_sizes(bench_random *r, double lo, double hi, double size[3])
{
    for (int i = 0; i < 3; ++i)
        size[i] = bench_uniform(r, lo, hi);
}

static bench_body draw_body(bench_random *r, bench_body_type type, bench_class c, const bench_hull *hulls)
{
    bench_body body = { .type = type };
    switch (type) {
    case BENCH_SPHERE: body.size[0] = bench_uniform(r, .2, 1); break;
    case BENCH_BOX: draw_sizes(r, .2, 1, body.size); break;
    case BENCH_CAPSULE:
        body.size[0] = bench_uniform(r, .1, .5);
        body.size[1] = bench_uniform(r, .2, 1);
        break;
    case BENCH_ELLIPSOID:
        if (c == BENCH_CLASS_ELLIPSOID_ASP10) {
            body.size[0] = bench_uniform(r, .1, .2);
            body.size[1] = bench_uniform(r, .1, 1);
            body.size[2] = bench_uniform(r, .8, 1);
        } else {
            draw_sizes(r, .2, 1, body.size);
        }
        break;
    case BENCH_CYLINDER:
    case BENCH_CONE:
        body.size[0] = bench_uniform(r, .2, 1);
        body.size[1] = bench_uniform(r, .2, 1);
        break;
    case BENCH_HULL: body.hull = &hulls[bench_bits(r) % BENCH_HULLS]; break;
    }
    return body;
}

static void class_types(bench_class c, bench_body_type *a, bench_body_type *b)
{
    static const bench_body_type types[BENCH_CLASS_COUNT][2] = {
        [BENCH_CLASS_BOX] = { BENCH_BOX, BENCH_BOX },
        [BENCH_CLASS_CAPSULE] = { BENCH_CAPSULE, BENCH_CAPSULE },
        [BENCH_CLASS_ELLIPSOID] = { BENCH_ELLIPSOID, BENCH_ELLIPSOID },
        [BENCH_CLASS_HULL32] = { BENCH_HULL, BENCH_HULL },
        [BENCH_CLASS_HULL256] = { BENCH_HULL, BENCH_HULL },
        [BENCH_CLASS_ELLIPSOID_ASP10] = { BENCH_ELLIPSOID, BENCH_ELLIPSOID },
        [BENCH_CLASS_SPHERE] = { BENCH_SPHERE, BENCH_SPHERE },
        [BENCH_CLASS_SPHERE_BOX] = { BENCH_SPHERE, BENCH_BOX },
        [BENCH_CLASS_SPHERE_CAPSULE] = { BENCH_SPHERE, BENCH_CAPSULE },
        [BENCH_CLASS_CYLINDER] = { BENCH_CYLINDER, BENCH_CYLINDER },
        [BENCH_CLASS_CONE] = { BENCH_CONE, BENCH_CONE },
    };
    *a = types[c][0];
    *b = types[c][1];
}

/* BENCH_HULLS hulls of points drawn on ellipsoids with semi-axes U[.2, 1]: every point is a
 * vertex. */
static bench_hull *draw_hulls(bench_random *r, bench_class c)
{
    if (c != BENCH_CLASS_HULL32 && c != BENCH_CLASS_HULL256)
        return NULL;
    bench_hull *hulls = bench_alloc(BENCH_HULLS, sizeof *hulls);
    for (size_t h = 0; h < BENCH_HULLS; ++h) {
        bench_hull *hull = &hulls[h];
        double axes[3];
        draw_sizes(r, .2, 1, axes);
        hull->point_count = c == BENCH_CLASS_HULL32 ? 32 : 256;
        hull->points = bench_alloc(hull->point_count, sizeof *hull->points);
        for (size_t i = 0; i < hull->point_count; ++i) {
            bench_direction(r, hull->points[i]);
            for (int k = 0; k < 3; ++k)
                hull->points[i][k] *= axes[k];
        }
        bench_hull_triangles(hull);
    }
    return hulls;
}

static void draw_pairs(bench_pairs *set)
{
    const bench_class c = set->which;
    bench_random r = { 1000 + (uint64_t)c };
    bench_body_type type_a, type_b;
    class_types(c, &type_a, &type_b);
    set->hulls = draw_hulls(&r, c);
    set->count = BENCH_PAIRS;
    set->pairs = bench_alloc(set->count, sizeof *set->pairs);
    for (size_t i = 0; i < set->count; ++i) {
        bench_pair *p = &set->pairs[i];
        double direction[3];
        p->a = draw_body(&r, type_a, c, set->hulls);
        p->b = draw_body(&r, type_b, c, set->hulls);
        bench_rotation(&r, &p->place_a);
        bench_rotation(&r, &p->place_b);
        for (int k = 0; k < 3; ++k)
            p->place_a.position[k] = bench_uniform(&r, -5, 5);
        bench_direction(&r, direction);
        const double distance = bench_uniform(&r, 0, classes[c].rc);
        for (int k = 0; k < 3; ++k)
            p->place_b.position[k] = p->place_a.position[k] + distance * direction[k];
    }
}

static void judge_pairs(bench_pairs *set)
{
    set->overlap = bench_alloc(set->count, sizeof *set->overlap);
    set->distance = bench_alloc(set->count, sizeof *set->distance);
    for (size_t i = 0; i < set->count; ++i) {
        const bench_pair *p = &set->pairs[i];
        set->distance[i] = bench_referee_distance(&p->a, &p->place_a, &p->b, &p->place_b);
        set->overlap[i] = set->distance[i] == 0;
        set->overlap_count += set->overlap[i];
    }
}

static void judge_depths(bench_pairs *set)
{
    set->depth = bench_alloc(set->count, sizeof *set->depth);
    for (size_t i = 0; i < set->count; ++i) {
        const bench_pair *p = &set->pairs[i];
        if (set->overlap[i])
            set->depth[i] = bench_referee_depth(&p->a, &p->place_a, &p->b, &p->place_b);
    }
}

static bench_pairs *pairs_of(bench_class c)
{
    static bench_pairs sets[BENCH_CLASS_COUNT];
    bench_pairs *set = &sets[c];
    if (set->pairs)
        return set;
    set->which = c;
    draw_pairs(set);
    judge_pairs(set);
    return set;
}

const bench_pairs *bench_pairs_get(bench_class c)
{
    return pairs_of(c);
}

const bench_pairs *bench_pairs_depth(bench_class c)
{
    bench_pairs *set = pairs_of(c);
    if (!set->depth)
        judge_depths(set);
    return set;
}

/* ---- W6 ---- */

/* Rotation by the vector v (angle |v|) as a quaternion; the series is enough for |v| <= 2 and
 * needs no libm: the remainder is below (1/2)^2k / (2k)! with |v|/2 <= 1, under 1e-17 after ten
 * terms. */
static void rotation_vector(const double v[3], double q[4])
{
    const double half_sq = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 4;
    double cosine = 1, sinc = 1, term_c = 1, term_s = 1;
    for (int k = 1; k <= 10; ++k) {
        term_c *= -half_sq / ((2 * k - 1) * (2 * k));
        term_s *= -half_sq / ((2 * k) * (2 * k + 1));
        cosine += term_c;
        sinc += term_s;
    }
    q[0] = cosine;
    for (int i = 0; i < 3; ++i)
        q[1 + i] = sinc * v[i] / 2;
}

void bench_sweep_at(const bench_place *place, const double linear[3], const double angular[3], double t,
                    bench_place *out)
{
    double turn[4], v[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = t * angular[i];
        out->position[i] = place->position[i] + t * linear[i];
    }
    rotation_vector(v, turn);
    const double *p = turn, *q = place->quaternion;
    const double product[4] = { p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                                p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                                p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                                p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0] };
    bench_place_set_quaternion(out, product);
}

/* ---- coherent pairs ---- */

const bench_pairs *bench_pairs_coherent(bench_class c)
{
    static bench_pairs sets[BENCH_CLASS_COUNT];
    bench_pairs *set = &sets[c];
    if (set->pairs)
        return set;
    const bench_pairs *from = bench_pairs_get(c);
    static const double still[3];
    bench_random r = { 1100 + (uint64_t)c };
    *set = (bench_pairs){
        .which = c, .count = BENCH_PAIRS, .period = BENCH_PAIRS / BENCH_FRAMES, .hulls = from->hulls
    };
    set->pairs = bench_alloc(set->count, sizeof *set->pairs);
    for (size_t p = 0; p < set->period; ++p) {
        double drift[3], spin[2][3];
        bench_direction(&r, drift);
        bench_direction(&r, spin[0]);
        bench_direction(&r, spin[1]);
        for (int k = 0; k < 3; ++k) {
            drift[k] *= .5;
            spin[0][k] *= .5;
            spin[1][k] *= .5;
        }
        for (size_t f = 0; f < BENCH_FRAMES; ++f) {
            const double t = (double)f / BENCH_FRAMES;
            bench_pair *pair = &set->pairs[f * set->period + p];
            *pair = from->pairs[p];
            bench_sweep_at(&from->pairs[p].place_a, still, spin[0], t, &pair->place_a);
            bench_sweep_at(&from->pairs[p].place_b, drift, spin[1], t, &pair->place_b);
        }
    }
    judge_pairs(set);
    judge_depths(set);
    return set;
}

static void draw_sweeps(bench_sweeps *set, bool turning)
{
    const bench_class c = set->which;
    bench_random r = { 6000 + (uint64_t)c };
    bench_body_type type_a, type_b;
    class_types(c, &type_a, &type_b);
    set->hulls = draw_hulls(&r, c);
    set->count = BENCH_SWEEPS;
    set->sweeps = bench_alloc(set->count, sizeof *set->sweeps);
    for (size_t i = 0; i < set->count; ++i) {
        bench_sweep *s = &set->sweeps[i];
        double u[3], spin[2][3];
        s->a = draw_body(&r, type_a, c, set->hulls);
        s->b = draw_body(&r, type_b, c, set->hulls);
        bench_rotation(&r, &s->place_a);
        bench_rotation(&r, &s->place_b);
        bench_direction(&r, u);
        bench_direction(&r, spin[0]);
        bench_direction(&r, spin[1]);
        const double turn_a = bench_uniform(&r, 0, 2), turn_b = bench_uniform(&r, 0, 2);
        for (int k = 0; k < 3; ++k) {
            s->place_b.position[k] = 4 * u[k];
            s->linear_b[k] = -8 * u[k] + bench_uniform(&r, -2, 2); /* the jitter */
            s->angular_a[k] = turning ? turn_a * spin[0][k] : 0;
            s->angular_b[k] = turning ? turn_b * spin[1][k] : 0;
        }
    }
}

const bench_sweeps *bench_sweeps_get(bench_class c, bool turning)
{
    static bench_sweeps sets[BENCH_CLASS_COUNT][2];
    bench_sweeps *set = &sets[c][turning];
    if (set->sweeps)
        return set;
    set->which = c;
    draw_sweeps(set, turning);
    set->toc = bench_alloc(set->count, sizeof *set->toc);
    for (size_t i = 0; i < set->count; ++i) {
        set->toc[i] = bench_referee_first_contact(&set->sweeps[i]);
        set->hit_count += set->toc[i] <= 1;
    }
    return set;
}
