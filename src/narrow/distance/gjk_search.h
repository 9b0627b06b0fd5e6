/* SPDX-License-Identifier: MIT */
/* The search of GJK: its simplex and its steps, inline, for gjk.c and, where its points come
 * from hulls that are scanned, gjk_hulls.c. */
#ifndef ABUT_NARROW_DISTANCE_GJK_SEARCH_H
#define ABUT_NARROW_DISTANCE_GJK_SEARCH_H

#include "narrow/distance/convex.h"
#include "narrow/distance/simplex.h"

enum { ABUT_GJK_ASIDES = 6 };

/* What certifying may take is kept back. */
enum { ABUT_GJK_SUPPORTS = ABUT_SHARE_GJK - 2 };

/* The points of a simplex stay where they are in the pool; `at` says which are in use, the
 * newest last, and w is a copy of them. */
typedef struct abut_gjk_search {
    const abut_convex_pair *pair;
    abut_convex_point *pool; /* four */
    abut_vec3 w[4];
    unsigned at[4], used; /* used: bits */
    int count;
    abut_vec3 v;                   /* nearest point of the simplex */
    double square;                 /* |v|^2 */
    const abut_convex_point *last; /* support along v, when it is known */
    /* the direction with the largest lower bound seen: not certified */
    abut_vec3 along;
    double along_w, along_square; /* its v . w and |v|^2 */
    uint32_t supports, iterations;
    int asides;
    bool hulls; /* two that are scanned */
} abut_gjk_search;

/* Where the next point goes. */
ABUT_SIMPLEX_INLINE unsigned abut_gjk_free(const abut_gjk_search *s)
{
    static const unsigned char first_free[16] = { 0, 1, 0, 2, 0, 1, 0, 3, 0, 1, 0, 2, 0, 1, 0, 0 };
    return first_free[s->used];
}

/* A distance that did not shrink, but did not grow by more than rounding either: the feature may
 * still be the better one, since the direction of v is worth more than its length. Worth a few
 * steps. */
static inline bool abut_gjk_goes_aside(abut_gjk_search *s, double square)
{
    const double error = s->pair->error;
    if (s->asides == ABUT_GJK_ASIDES || !(square <= s->square + 2 * error * sqrt(s->square) + error * error))
        return false;
    ++s->asides;
    return true;
}

/* Goes on from the last support, whose w is a, to the feature f of the simplex with it; false,
 * and nothing changed, where it is not nearer. */
ABUT_SIMPLEX_INLINE bool abut_gjk_go_to(abut_gjk_search *s, abut_vec3 a, const abut_nearest_feature *f)
{
    if (!(f->square < s->square) && !abut_gjk_goes_aside(s, f->square))
        return false;
    const unsigned slot = (unsigned)(s->last - s->pool);
    unsigned n = 0, used = 1u << slot;
    for (unsigned i = 0; i < 3; ++i) {
        const unsigned kept = f->kept >> i & 1;
        s->w[n] = s->w[i];
        s->at[n] = s->at[i];
        used |= kept << s->at[i];
        n += kept;
    }
    s->w[n] = a;
    s->at[n] = slot;
    s->used = used;
    s->count = (int)n + 1;
    s->v = f->v;
    s->square = f->square;
    s->last = NULL;
    ++s->iterations;
    return true;
}

static inline bool abut_gjk_holds(const abut_gjk_search *s, abut_vec3 w)
{
    for (int i = 0; i < s->count; ++i)
        if (s->w[i].x == w.x && s->w[i].y == w.y && s->w[i].z == w.z)
            return true;
    return false;
}

static inline bool abut_gjk_is_direction(abut_vec3 n)
{
    const double square = abut_dot(n, n);
    return square > 0x1p-400 && square < 0x1p400;
}

/* Remembers the best lower bound v . w / |v|; true when it is positive. */
ABUT_SIMPLEX_INLINE bool abut_gjk_note_bound(abut_gjk_search *s, double below)
{
    if (!(below > 0))
        return false;
    const double old = s->along_w > 0 ? s->along_w : 0;
    if (below * below * s->along_square >= old * old * s->square) {
        s->along = s->v;
        s->along_w = below;
        s->along_square = s->square;
    }
    return true;
}

/* Between the first direction n and that of the point found there, v: a corner where n leads
 * says less about the nearest point than n itself. Asked for the second point, that saves every
 * other pair of hulls a step (docs/notes/gjk.md). */
ABUT_SIMPLEX_INLINE abut_vec3 abut_gjk_between(const abut_gjk_search *s, abut_vec3 n)
{
    return abut_madd(s->v, 1.5 * sqrt(s->square / abut_dot(n, n)), n);
}

/* The support w along v, v . w = square - gap, brings nothing: both bounds agree to rounding, or
 * it is there already. */
ABUT_SIMPLEX_INLINE bool abut_gjk_is_decided(const abut_gjk_search *s, double gap)
{
    const double error = s->pair->error;
    return gap * gap <= 0.25 * (error * error) * s->square || !(gap > 0);
}

ABUT_SIMPLEX_INLINE bool abut_gjk_is_stuck(const abut_gjk_search *s, double gap, abut_vec3 w)
{
    return gap < 0x1p-20 * s->square && abut_gjk_holds(s, w);
}

/* gjk_hulls.c: whether it can search for the distance of the pair from the direction n. */
bool abut_gjk_takes_hulls(const abut_convex_pair *pair, abut_vec3 n);
/* As abut_gjk_distance, without a simplex to begin with and a cutoff. False where that has to go
 * on: a length is extreme. */
bool abut_gjk_walk_hulls(abut_gjk_search *s, abut_vec3 n);

#endif
