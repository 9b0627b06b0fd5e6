/* SPDX-License-Identifier: MIT */
/* Bodies that turn at constant rates: the contact is found in plain doubles first, and proved
 * afterwards by one look back and one look ahead; see docs/notes/advancement.md.
 *
 * Looks are taken by the static solvers at one time after the other: Newton's method on the gap,
 * whose rate is that of the nearest points along the normal; where the nearest feature of
 * polytopes is a facet of their difference, the root of the plane of that facet, which needs no
 * solver. Two evaluations with their rates make the third guess one of third order. They end a few
 * errors before the contact. Looking back from there the gap grows, so that a plane (moving_plane.h)
 * mostly proves the bodies apart since the start; an overlap a few errors later encloses the
 * time. Bodies that pass each other are proved apart from where they are nearest, both ways.
 * Whatever is not proved is left to the walk (advance.c). */
#include "ccd/advance/turn_first.h"

#include "ccd/advance/turn_round.h"
#include "ccd/cast/linear_cast.h"
#include "ccd/proof/instant.h"
#include "motion/leg.h"
#include "narrow/distance/cylinders.h"
#include "narrow/distance/refine.h"

#include <stddef.h>

static const double u = 0x1p-53;

enum { MOST_LOOKS = 16, MOST_ROOT_STEPS = 8, MOST_CUTS = 6, MOST_FRONTS = 8, MOST_PROBES = 5 };

typedef enum solver { BY_GJK, BY_RIMS } solver;

/* The bodies at one time, and what they are seen by. */
typedef struct evaluation {
    abut_instant at; /* t, gap, n, edges, places: what a plane is made of */
    abut_convex_pair pair;
    abut_simplex simplex;
    abut_vec3 n;    /* in a's frame */
    abut_vec3 x, y; /* nearest points of the cores, in a's frame */
    double hi;      /* certified bound of the cores' gap */
    double closing;
    abut_feature features[2];
    bool whole; /* edges and features are there, too */
} evaluation;

typedef struct turner {
    abut_scene_pair scene;
    solver how;
    abut_vec3 v; /* of b's origin relative to a's */
    double lo, hi;
    double error;    /* of a gap near the contact: steers */
    double accuracy; /* wanted of the time */
    abut_counters counters;
    evaluation glances[3];
    evaluation *first, *now, *next, *last; /* of them; `last` is NULL until there are two */
} turner;

/* ---- looking ---- */

static bool place(const turner *w, double t, abut_stance *a, abut_stance *b)
{
    return abut_path_place(&w->scene.path_a, t, a) && abut_path_place(&w->scene.path_b, t, b);
}

/* How fast x of a and y of b come nearer to each other along n. */
static double closing_speed(const turner *w, const abut_stance *a, abut_vec3 n, abut_vec3 x, abut_vec3 from_b)
{
    const abut_vec3 v = abut_mul_t(&a->r, w->v), spin = abut_mul_t(&a->r, w->scene.path_b.spin);
    return abut_dot(w->scene.path_a.own_spin, abut_cross(x, n)) - abut_dot(n, v) -
           abut_dot(spin, abut_cross(from_b, n));
}

/* The points of a simplex as they are now. */
static void move_simplex(const abut_convex_pair *pair, const abut_simplex *from, abut_simplex *out)
{
    out->count = from->count <= 3 ? from->count : 0;
    for (int i = 0; i < out->count; ++i) {
        const abut_convex_point *p = &from->p[i];
        abut_convex_point *q = &out->p[i];
        q->a = p->a;
        q->b = p->b;
        q->x = p->x;
        q->y = abut_add(abut_mul(&pair->r, abut_core_vertex(pair->b, p->b)), pair->t);
        q->w = abut_sub(q->y, q->x);
    }
}

/* Apart, or in each other by a little where that can be measured; `before`: a look not long ago,
 * or NULL. */
static bool solve(turner *w, const evaluation *before, evaluation *out)
{
    const abut_convex_pair *pair = &out->pair;
    abut_convex_answer answer;
    double gap;
    bool apart;
    out->simplex.count = 0;
    if (w->how == BY_GJK) {
        if (before)
            move_simplex(pair, &before->simplex, &out->simplex);
        apart = abut_gjk_distance(pair, INFINITY, NULL, &out->simplex, &answer) == ABUT_GJK_APART;
        gap = 0.5 * answer.lo + 0.5 * answer.hi;
    } else {
        const abut_vec3 axis = before ? abut_mul_t(&out->at.at_a.r, before->at.n) : pair->t;
        apart = abut_cylinders_distance(pair, &axis, &answer) ||
                answer.lo > -0x1p-10 * (pair->a->size + pair->b->size);
        gap = answer.lo + pair->error;
    }
    w->counters.evaluations += answer.supports;
    out->hi = answer.hi;
    if (!apart)
        return false;
    out->n = answer.normal;
    out->x = answer.x;
    out->y = answer.y;
    out->at.gap = gap - pair->radii;
    return true;
}

/* What the plane needs to know of the feature, as in instant.c. */
static void complete(evaluation *g)
{
    if (g->whole)
        return;
    g->whole = true;
    const abut_simplex *simplex = &g->simplex;
    uint32_t a[3], b[3];
    for (int i = 0; i < simplex->count; ++i) {
        a[i] = simplex->p[i].a;
        b[i] = simplex->p[i].b;
    }
    g->features[0] = abut_instant_feature(g->pair.a, a, simplex->count);
    g->features[1] = abut_instant_feature(g->pair.b, b, simplex->count);
    g->at.edges = simplex->count >= 1 ? simplex->count - 1 : 0;
    for (int i = 0; i < g->at.edges; ++i) {
        const abut_convex_point *p = &simplex->p[i + 1], *q = &simplex->p[0];
        g->at.edge[i] = abut_sub(p->w, q->w);
        g->at.part_a[i] = abut_sub(p->x, q->x);
        g->at.part_b[i] = abut_mul_t(&g->pair.r, abut_sub(p->y, q->y));
    }
}

static bool evaluate(turner *w, double t, const evaluation *before, evaluation *out)
{
    ++w->counters.iterations;
    out->at.t = t;
    out->whole = false;
    out->hi = INFINITY;
    if (!place(w, t, &out->at.at_a, &out->at.at_b) || !abut_instant_pair(&w->scene, &out->at, &out->pair) ||
        !solve(w, before, out))
        return false;
    const abut_vec3 n = abut_mul(&out->at.at_a.r, out->n);
    out->at.sign = 1;
    out->at.n = abut_scale(1 / sqrt(abut_dot(n, n)), n);
    out->closing = closing_speed(w, &out->at.at_a, out->n, out->x, abut_sub(out->y, out->pair.t));
    return true;
}

/* ---- where the contact is ---- */

/* Looks end so many errors before the contact. */
static const double wanted_gap = 1.5, gap_slack = 0.6;

static double excess_of(const turner *w, const evaluation *g)
{
    return g->at.gap - wanted_gap * w->error;
}

/* Newton's method; with another look, the inverse of the gap as a cubic through both with their
 * rates, where that says nearly the same. */
static double next_time(const turner *w, const evaluation *g, const evaluation *last)
{
    const double q = -excess_of(w, g), slope = -1 / g->closing, newton = g->at.t + q * slope;
    if (!last || !(last->closing > 0))
        return newton;
    const double h = excess_of(w, last) + q, other = -1 / last->closing;
    if (!(fabs(h) > 2 * fabs(q)))
        return newton;
    const double chord = (last->at.t - g->at.t) / h;
    const double t =
        newton + q * q * (chord - slope) / h + q * q * (q - h) * (slope + other - 2 * chord) / (h * h);
    return fabs(t - newton) < 0.5 * fabs(newton - g->at.t) ? t : newton;
}

typedef enum root_end { NO_ROOT, ROOT, ROOT_SEEN } root_end;

/* A look without a solver: along n, in which the facet lies, nothing else is nearer. */
static bool take_facet(const turner *w, const evaluation *g, const abut_vec3 x[3], const abut_vec3 y[3],
                       evaluation *out)
{
    abut_convex_point lowest = { .a = g->simplex.p[0].a, .b = g->simplex.p[0].b };
    if (!abut_instant_pair(&w->scene, &out->at, &out->pair))
        return false;
    abut_convex_support(&out->pair, out->n, &lowest);
    if (!(abut_dot(out->n, lowest.w) - out->pair.radii > out->at.gap - 0.5 * w->error))
        return false;
    out->simplex.count = 3;
    for (int i = 0; i < 3; ++i) {
        abut_convex_point *p = &out->simplex.p[i];
        p->a = g->simplex.p[i].a;
        p->b = g->simplex.p[i].b;
        p->x = x[i];
        p->y = abut_add(y[i], out->pair.t);
        p->w = abut_sub(p->y, p->x);
    }
    const abut_vec3 n = abut_mul(&out->at.at_a.r, out->n);
    out->at.n = abut_scale(1 / sqrt(abut_dot(n, n)), n);
    out->at.sign = 1;
    out->whole = false;
    out->hi = INFINITY;
    return true;
}

/* The root of the plane of a facet of the difference, three points of which are in the simplex.
 * `next` is the evaluation there, where the facet is still the nearest. */
static root_end find_root(turner *w, const evaluation *g, double *out)
{
    evaluation *there = w->next;
    abut_stance *a = &there->at.at_a, *b = &there->at.at_b;
    abut_vec3 x[3], own[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = g->simplex.p[i].x;
        own[i] = abut_core_vertex(w->scene.b, g->simplex.p[i].b);
    }
    const abut_vec3 normal = abut_cross(abut_sub(g->simplex.p[1].w, g->simplex.p[0].w),
                                        abut_sub(g->simplex.p[2].w, g->simplex.p[0].w));
    const double sense = abut_dot(normal, g->n) < 0 ? -1 : 1, wanted = wanted_gap * w->error;
    double t = g->at.t + excess_of(w, g) / g->closing;
    for (int step = 0; step < MOST_ROOT_STEPS; ++step) {
        abut_vec3 y[3], p[3];
        if (!(t > w->lo && t < w->hi) || !place(w, t, a, b))
            return NO_ROOT;
        const abut_vec3 d = abut_mul_t(&a->r, abut_sub(b->c, a->c));
        for (int i = 0; i < 3; ++i) {
            y[i] = abut_mul_t(&a->r, abut_mul(&b->r, own[i]));
            p[i] = abut_sub(abut_add(y[i], d), x[i]);
        }
        const abut_vec3 e = abut_sub(p[1], p[0]), f = abut_sub(p[2], p[0]), m = abut_cross(e, f);
        const double square = abut_dot(m, m), length = sqrt(square);
        if (!(length > 0))
            return NO_ROOT;
        const abut_vec3 n = abut_scale(sense / length, m);
        const double gap = abut_dot(n, p[0]) - g->pair.radii;
        /* Shares of the three points in the one nearest to the origin. */
        const double s1 = -abut_dot(abut_cross(p[0], f), m) / square,
                     s2 = -abut_dot(abut_cross(e, p[0]), m) / square;
        const abut_vec3 foot = abut_madd(abut_madd(x[0], s1, abut_sub(x[1], x[0])), s2, abut_sub(x[2], x[0]));
        const abut_vec3 over = abut_madd(abut_madd(y[0], s1, abut_sub(y[1], y[0])), s2, abut_sub(y[2], y[0]));
        const double closing = closing_speed(w, a, n, foot, over), excess = gap - wanted;
        if (!(closing > 0))
            return NO_ROOT;
        if (fabs(excess) < 0.25 * w->error) {
            *out = there->at.t = t;
            there->at.gap = gap;
            there->closing = closing;
            there->n = n;
            there->x = foot;
            there->y = abut_add(over, d);
            ++w->counters.evaluations;
            /* Beside the triangle there may still be the facet: the solver knows. */
            return s1 >= 0 && s2 >= 0 && s1 + s2 <= 1 && take_facet(w, g, x, y, there) ? ROOT_SEEN : ROOT;
        }
        t += excess / closing;
    }
    return NO_ROOT;
}

typedef enum guess_end { LOST, PASSING, MEETING } guess_end;

/* Past the place where they are nearest: back to about there, from where both ways are clear
 * soonest. */
static void turn_back(turner *w)
{
    const evaluation *g = w->now, *last = w->last;
    if (w->how == BY_RIMS || !last || !(last->closing > 0) ||
        !(g->closing < 0)) /* a look of rims costs more than it saves */
        return;
    const double t = last->at.t + (g->at.t - last->at.t) * (last->closing / (last->closing - g->closing));
    if (t > last->at.t && t < g->at.t && evaluate(w, t, last, w->next)) {
        evaluation *swap = w->now;
        w->now = w->next;
        w->next = swap;
    }
}

/* From `first`, which is seen, to a few errors before the contact, or to where they are nearest:
 * that is `now` then. */
static guess_end guess_contact(turner *w)
{
    bool near = false;
    for (int i = 0; i < MOST_LOOKS; ++i) {
        evaluation *g = w->now;
        if (fabs(excess_of(w, g)) <= gap_slack * w->error)
            return MEETING;
        if (!(g->closing > 0)) {
            turn_back(w);
            return PASSING;
        }
        double t = next_time(w, g, w->last), newton = g->at.t + excess_of(w, g) / g->closing;
        const root_end root =
            w->how == BY_GJK && g->simplex.count == 3 && !near ? find_root(w, g, &t) : NO_ROOT;
        near = root == ROOT;
        if (!(t > w->lo))
            return LOST;
        if (t >= w->hi) {
            if (g->at.t >= w->hi)
                return PASSING;
            t = w->hi;
        }
        int cuts = 0;
        w->counters.iterations += root == ROOT_SEEN;
        while (root != ROOT_SEEN && !evaluate(w, t, g, w->next)) {
            if (!(g->at.gap > 0) || ++cuts > MOST_CUTS || !(t > g->at.t))
                return LOST;
            near = false;
            t = newton < t ? newton : 0.5 * g->at.t + 0.5 * t;
        }
        w->last = g;
        w->now = w->next;
        for (int k = 0; k < 3; ++k)
            if (&w->glances[k] != w->first && &w->glances[k] != w->now)
                w->next = &w->glances[k];
    }
    return LOST;
}

/* ---- proofs ---- */

/* Apart from g on to `limit`, later. Overwrites `next`. */
static bool clear_until(turner *w, evaluation *g, double limit)
{
    double closing, error;
    for (int i = 0; i < MOST_FRONTS; ++i) {
        const double t = g->at.t, room = limit - t;
        if (!(room > 0))
            return true;
        if (abut_instant_balls(&w->scene, t, room) >= room)
            return true;
        complete(g);
        const double s = abut_instant_clear(&w->scene, &g->at, room * (1 + 4 * u), &closing, &error);
        if (s >= room * (1 + 2 * u))
            return true;
        const double next = abut_moving_plane_end(t, s);
        if (!(next > t) || !evaluate(w, next, g, w->next))
            return false;
        g = w->next;
    }
    return false;
}

/* Apart from `lo` on to g. */
static bool clear_since(turner *w, evaluation *g, double lo)
{
    double closing, error;
    const double t = g->at.t, room = t - lo;
    if (!(room > 0))
        return false;
    complete(g);
    const double s = abut_instant_clear(&w->scene, &g->at, -room * (1 + 4 * u), &closing, &error);
    if (s >= room * (1 + 2 * u))
        return true;
    const double until = abut_moving_plane_end(t, -s);
    return until < t && w->first != g && clear_until(w, w->first, until);
}

/* An overlap at t, by what evaluations are made with: a common point, points nearer to each other
 * than the radii, or a tetrahedron. */
static bool overlaps_at(turner *w, double t, const evaluation *g)
{
    const bool measured = evaluate(w, t, g, w->next);
    const double radii = w->scene.a->radius + w->scene.b->radius;
    return w->next->hi < (measured ? radii * (1 - 4 * u) : 0);
}

/* They overlap soon after g: when. At last by all that there is to prove it. */
static bool find_overlap(turner *w, const evaluation *g, double *when)
{
    double deep = w->how == BY_RIMS ? 5 : 2;
    for (int i = 0; i < MOST_PROBES; ++i, deep *= 2) {
        abut_instant there;
        const double t = g->at.t + (g->at.gap + deep * w->error) / g->closing;
        if (!(t > g->at.t) || !(t <= w->hi))
            return false;
        *when = t;
        if (overlaps_at(w, t, g))
            return true;
        if (i > 0 && abut_instant_make(&w->scene, t, &g->at.n, false, &w->counters, &there) &&
            (there.sign == -1 || there.sign == 1))
            return there.sign == -1;
    }
    return false;
}

/* Overlaps at t, proved by all that there is: more than evaluations are made with, and slower. */
static bool overlaps_after_all(turner *w, double t, const evaluation *g)
{
    abut_instant there;
    return abut_instant_make(&w->scene, t, &g->at.n, false, &w->counters, &there) && there.sign == -1;
}

/* From both ends, once: the errors that count are often smaller than those that steered. What
 * evaluations do not prove anywhere (rims that just cross, mostly) is asked of the walk's proofs. */
static void tighten(turner *w, evaluation *g, abut_interval *time)
{
    double closing, error;
    const double room = time->hi - time->lo;
    const double s = abut_instant_clear(&w->scene, &g->at, room, &closing, &error);
    const double lo = s < room ? abut_moving_plane_end(time->lo, s) : time->lo;
    if (lo > time->lo && lo < time->hi)
        time->lo = lo;
    const double begin = time->lo, length = time->hi - begin;
    for (int i = 2; i <= 7; ++i) {
        const double t = begin + 0.2 * (i <= 4 ? i : i - 3) * length;
        if (t > begin && (i <= 4 ? overlaps_at(w, t, g) : overlaps_after_all(w, t, g))) {
            time->hi = t;
            break;
        }
    }
}

/* ---- the query ---- */

static bool find_solver(const abut_core *a, const abut_core *b, solver *how)
{
    const abut_convex_pair pair = { .a = a, .b = b };
    const bool balls = a->kind == ABUT_CORE_POINT && b->kind == ABUT_CORE_POINT;
    if (a->kind == ABUT_CORE_NONE || b->kind == ABUT_CORE_NONE || balls || abut_core_is_flat(a) ||
        abut_core_is_flat(b))
        return false;
    if (abut_cylinders_knows(&pair) && a->radius + b->radius <= 0)
        *how = BY_RIMS;
    else if (!abut_convex_is_polytope_pair(&pair))
        return false;
    else
        *how = BY_GJK;
    return true;
}

/* What the path is made of, while there is still something else to do. */
static void fetch(const abut_motion *motion)
{
    const char *leg = motion ? (const char *)abut_motion_leg(motion, motion->t0) : NULL;
    for (size_t i = 0; leg && i < offsetof(abut_leg, spin) + sizeof(abut_interval_mat3); i += 64)
        __builtin_prefetch(leg + i);
}

static bool is_steady(const abut_motion *motion, const abut_core *core, bool *turns)
{
    if (!motion)
        return true;
    *turns = *turns || (motion->track.turns && core->kind != ABUT_CORE_POINT);
    return motion->track.straight;
}

static abut_symmetry symmetry_of(const abut_core *core)
{
    return core->kind == ABUT_CORE_POINT ? ABUT_SYMMETRY_ALL : ABUT_SYMMETRY_NONE;
}

/* Paths and rates; the pair is known. */
static bool begin(turner *w, const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                  const abut_motion *motion_b)
{
    abut_scene_pair *scene = &w->scene;
    scene->shape_a = a;
    scene->shape_b = b;
    scene->a = &a->core;
    scene->b = &b->core;
    scene->flat = scene->translates = false;
    abut_path_begin(motion_a, w->lo, w->hi, symmetry_of(&a->core), &scene->path_a);
    abut_path_begin(motion_b, w->lo, w->hi, symmetry_of(&b->core), &scene->path_b);
    const abut_core *ca = scene->a, *cb = scene->b;
    const double turn_a = scene->path_a.turn, turn_b = scene->path_b.turn,
                 far = ca->size + cb->size + ca->radius + cb->radius;
    w->v = abut_sub(scene->path_b.rest.v, scene->path_a.rest.v);
    w->error =
        turn_a * far + (turn_a + turn_b) * cb->size + u * (32 * far + 24 * cb->size) + ca->error + cb->error;
    w->counters = (abut_counters){ 0 };
    w->first = w->now = &w->glances[0];
    w->next = &w->glances[1];
    w->last = NULL;
    /* Squares of lengths must neither overflow nor vanish. */
    return scene->path_a.kind != ABUT_PATH_ANY && scene->path_b.kind != ABUT_PATH_ANY && far > 0x1p-140 &&
           far < 0x1p140;
}

static void answer(const turner *w, abut_first_verdict verdict, abut_first_result *out)
{
    out->verdict = verdict;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    out->time = (abut_interval){ 0, 0 };
    out->point_count = 0;
    out->counters = w->counters;
}

/* Where they touch, as seen just before. False where that may be in more than a point. */
static bool take_point(const turner *w, const evaluation *g, abut_interval time, abut_first_point *out)
{
    const abut_core *a = w->scene.a, *b = w->scene.b;
    const abut_stance *at_a = &g->at.at_a, *at_b = &g->at.at_b;
    const abut_vec3 n = g->at.n, along_a = abut_mul_t(&at_a->r, n);
    const abut_vec3 along_b = abut_mul_t(&at_b->r, abut_v3(-n.x, -n.y, -n.z));
    if (abut_linear_cast_may_be_several(a, &along_a, b, &along_b, g->features) &&
        !abut_linear_cast_lines_cross(a, &at_a->r, b, &at_b->r, n))
        return false;
    const abut_vec3 x = abut_add(abut_mul(&at_a->r, g->x), at_a->c);
    const abut_vec3 y = abut_add(abut_mul(&at_a->r, g->y), at_a->c);
    const abut_vec3 middle = abut_scale(0.5, abut_add(x, y)), between = abut_sub(y, x);
    const double most = a->radius + b->radius + 0x1p-20 * (a->size + b->size);
    if (!(abut_dot(between, between) < most * most)) /* the normal is right, the points are not yet */
        return false;
    *out = (abut_first_point){ .time = time,
                               .point = abut_madd(middle, 0.5 * (a->radius - b->radius), n),
                               .normal = n,
                               .kind = ABUT_CONTACT_ISOLATED,
                               .features = { abut_linear_cast_feature(a, along_a.z, g->features[0]),
                                             abut_linear_cast_feature(b, along_b.z, g->features[1]) } };
    return true;
}

static bool run(turner *w, abut_first_result *out)
{
    const double length = w->hi - w->lo;
    const double s = abut_instant_balls(&w->scene, w->lo, length * (1 + 4 * u));
    if (s >= length * (1 + 2 * u)) {
        answer(w, ABUT_FIRST_SEPARATE, out);
        return true;
    }
    const double from = abut_moving_plane_end(w->lo, s);
    if (!evaluate(w, from, NULL, w->first))
        return false;
    const guess_end end = guess_contact(w);
    if (end == LOST || (end == MEETING && w->now == w->first) ||
        (w->now != w->first && !clear_since(w, w->now, from)))
        return false;
    if (end == PASSING) {
        if (!clear_until(w, w->now, w->hi))
            return false;
        answer(w, ABUT_FIRST_SEPARATE, out);
        return true;
    }
    abut_first_point point = { 0 };
    double when;
    if (!find_overlap(w, w->now, &when))
        return false;
    abut_interval time = { w->now->at.t, when };
    if (time.hi - time.lo > w->accuracy)
        tighten(w, w->now, &time);
    if (!take_point(w, w->now, time, &point))
        return false;
    answer(w, ABUT_FIRST_CONTACT, out);
    out->time = time;
    out->point_count = 1;
    out->points[0] = point;
    return true;
}

bool abut_turn_first(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                     const abut_motion *motion_b, const abut_interval *time, double accuracy,
                     abut_first_result *out)
{
    turner w;
    bool turns = false;
    fetch(motion_a);
    fetch(motion_b);
    if (a->core.kind == ABUT_CORE_USER || b->core.kind == ABUT_CORE_USER ||
        !find_solver(&a->core, &b->core, &w.how) || !is_steady(motion_a, &a->core, &turns) ||
        !is_steady(motion_b, &b->core, &turns) || !turns)
        return false;
    double lo = motion_a ? motion_a->t0 : -INFINITY, hi = motion_a ? motion_a->t1 : INFINITY;
    if (motion_b && motion_b->t0 > lo)
        lo = motion_b->t0;
    if (motion_b && motion_b->t1 < hi)
        hi = motion_b->t1;
    const bool all = isnan(time->lo) && isnan(time->hi);
    w.lo = all ? lo : time->lo;
    w.hi = all ? hi : time->hi;
    w.accuracy = accuracy;
    /* Squares of rates must neither overflow nor vanish. */
    if (!(w.hi - w.lo >= 0x1p-64) || !(w.hi - w.lo <= 0x1p64) || !(w.lo >= lo) || !(w.hi <= hi))
        return false;
    if (abut_turn_round_knows(&a->core, &b->core))
        return abut_turn_round(a, motion_a, b, motion_b, w.lo, w.hi, accuracy, out);
    return begin(&w, a, motion_a, b, motion_b) && run(&w, out);
}
