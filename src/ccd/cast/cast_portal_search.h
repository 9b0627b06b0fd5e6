/* SPDX-License-Identifier: MIT */
/* The search of cast_portal.c, in line: for whoever has defined a type `finder` and
 *     static void find(abut_portal *k, const finder *f, abut_vec3 d)
 * which puts K's point furthest along d, hints and all, into the spare corner, d into k->d, and
 * counts. */
#ifndef ABUT_CCD_CAST_CAST_PORTAL_SEARCH_H
#define ABUT_CCD_CAST_CAST_PORTAL_SEARCH_H

#include "ccd/cast/cast_portal.h"

enum { MOST_STEPS = 48 };

/* How far directions across the velocity are tilted to it for the first portal; how far a body
 * reaches on average, in parts of what it reaches at most; the part of that, squared, beyond
 * which a line that passes is thought to miss. Measured. */
static const double tilt = 0.5, reach = 0.8, beside = 0.6;

/* The spare corner becomes corner i. */
static inline void put(abut_portal *k, int i)
{
    abut_portal_corner *old = k->at[i];
    k->at[i] = k->spare;
    k->spare = old;
}

/* Twice the area of the triangle of the origin, a and b, seen along z: positive when a to b goes
 * round it to the left. */
static inline double turn(const abut_portal_corner *a, const abut_portal_corner *b)
{
    return abut_dot(a->round, b->p.w);
}

/* A point beyond the origin along g, across z: one that leans to z where there is one. False:
 * there is none, and k->d is g. */
static inline bool find_beyond(abut_portal *k, const finder *f, abut_vec3 g)
{
    find(k, f, abut_madd(g, tilt * (fabs(g.x) + fabs(g.y) + fabs(g.z)), k->z));
    if (abut_dot(k->spare->p.w, g) > 0)
        return true;
    find(k, f, g);
    return abut_dot(k->spare->p.w, g) > 0;
}

/* Three corners round the origin, counterclockwise. */
static inline abut_portal_end open_portal(abut_portal *k, const finder *f)
{
    const abut_vec3 t = k->c->pair.t, z = k->z, across = abut_madd(t, -abut_dot(t, z), z);
    const double sizes = k->c->pair.a->size + k->c->pair.b->size, square = abut_dot(across, across);
    const double most = reach * reach * sizes * sizes;
    k->shrink = 1 / (sizes * sizes);
    const abut_vec3 back = abut_v3(-across.x, -across.y, -across.z);
    if (square > beside * most) { /* likely to miss */
        find(k, f, back);
        if (!(abut_dot(k->spare->p.w, back) > 0))
            return ABUT_PORTAL_MISSED;
    } else
        find(k, f, abut_madd(back, sqrt(most - square), z));
    put(k, 0);
    const abut_vec3 w = k->at[0]->p.w;
    abut_vec3 g = abut_madd(w, -abut_dot(w, z), z);
    if (!(abut_dot(g, g) > 0x1p-80 * most))
        g = abut_cross(z, fabs(z.x) > 0.6 ? abut_v3(0, 1, 0) : abut_v3(1, 0, 0));
    if (!find_beyond(k, f, abut_v3(-g.x, -g.y, -g.z)))
        return ABUT_PORTAL_MISSED;
    put(k, 1);
    /* Away from the edge, to the side where the origin is. */
    for (int i = 0; i < MOST_STEPS; ++i) {
        if (turn(k->at[0], k->at[1]) < 0) {
            abut_portal_corner *swap = k->at[0];
            k->at[0] = k->at[1];
            k->at[1] = swap;
        }
        /* The origin is to the left of the edge from at[0] to at[1]. */
        const abut_vec3 side = abut_sub(k->at[1]->round, k->at[0]->round);
        if (!find_beyond(k, f, side))
            return abut_dot(k->spare->p.w, side) < 0 ? ABUT_PORTAL_MISSED : ABUT_PORTAL_LOST;
        if (turn(k->at[1], k->spare) < 0)
            put(k, 0);
        else if (turn(k->spare, k->at[0]) < 0)
            put(k, 1);
        else {
            put(k, 2);
            return ABUT_PORTAL_FOUND;
        }
    }
    return ABUT_PORTAL_LOST;
}

/* Moves the portal out to K's boundary; k->d becomes its normal. */
static inline bool push_portal(abut_portal *k, const finder *f)
{
    /* Which corner the new one takes the place of: by which of the three it has on its left, as
     * it sees the origin. */
    static const signed char place[8] = { -1, 2, 0, 0, 1, 2, 1, -1 };
    const double least = 4 * k->c->error, square = least * least;
    for (int i = 0; i < MOST_STEPS; ++i) {
        const abut_vec3 base = k->at[0]->p.w;
        const abut_vec3 n =
            abut_scale(k->shrink, abut_cross(abut_sub(k->at[1]->p.w, base), abut_sub(k->at[2]->p.w, base)));
        if (!(abut_dot(n, k->z) > 0))
            return false;
        find(k, f, n);
        const abut_portal_corner *next = k->spare;
        const double beyond = abut_dot(n, abut_sub(next->p.w, base));
        if (!(beyond > 0 && beyond * beyond > square * abut_dot(n, n)))
            return true;
        const int which =
            (turn(next, k->at[0]) >= 0) | (turn(next, k->at[1]) >= 0) << 1 | (turn(next, k->at[2]) >= 0) << 2;
        if (place[which] < 0)
            return false;
        put(k, place[which]);
    }
    return false;
}

static inline abut_portal_end search(abut_portal *k, const finder *f)
{
    const abut_portal_end end = open_portal(k, f);
    return end == ABUT_PORTAL_FOUND && !push_portal(k, f) ? ABUT_PORTAL_LOST : end;
}

#endif
