/* SPDX-License-Identifier: MIT */
/* Cylinders and cones that translate, inside cast_cylinders.c and its neighbours: the frame of the
 * search, and where they meet.
 *
 * The search runs in a frame with z against the velocity and only steers; what is certified
 * (cast_cylinders_proof.c) is computed in the frame of the cast. The two bodies are the two lanes of
 * a vector: what is done with one is done with both at once. b is seen as minus its points from
 * its centre, as in narrow/rims.h. */
#ifndef ABUT_CCD_CAST_CAST_CYLINDERS_H
#define ABUT_CCD_CAST_CAST_CYLINDERS_H

#include "ccd/cast/linear_cast.h"
#include "narrow/distance/cylinders.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* A number of each body. */
typedef double both __attribute__((vector_size(16)));
typedef long long both_bits __attribute__((vector_size(16)));

static inline double sum(both a)
{
    return a[0] + a[1];
}

static inline both roots(both a)
{
#if defined(__SSE2__)
    return (both)_mm_sqrt_pd((__m128d)a);
#else
    return (both){ sqrt(a[0]), sqrt(a[1]) };
#endif
}

static inline both sizes_of(both a)
{
    const both_bits all = { INT64_MAX, INT64_MAX };
    return (both)((both_bits)a & all);
}

static inline both signs_of(both a)
{
    const both_bits minus = { INT64_MIN, INT64_MIN };
    const both one = { 1, 1 };
    return (both)(((both_bits)a & minus) | (both_bits)one);
}

typedef struct abut_cylinders_climber {
    const abut_linear_cast *c;
    abut_cylinders_body body[2];
    both ax, ay, az, apex, mean, h2; /* h2: 2 h */
    /* what leaves of a vector the part across the axis: the identity minus the axis twice */
    both xx, xy, yy;
    both own_x, own_y, own_z; /* the axes in the frame of the cast */
    abut_vec3 t;
    abut_vec3 e[3];     /* the frame's axes in that of the cast */
    double error, slip; /* the cast's, and that of the gap as it is computed here */
    uint32_t evaluations;
} abut_cylinders_climber;

/* Where they meet: the plane's unit normal, how both bodies lie on it (flat, diff and u of a
 * view; of a cap nothing), and their points there, of b as it is at the start. */
typedef struct abut_cylinders_meeting {
    abut_vec3 n, x, y;
    abut_cylinders_view view[2];
    double sigma[2];
    int cap; /* the body that has a cap on the plane, -1: neither */
} abut_cylinders_meeting;

typedef enum abut_cylinders_found {
    ABUT_RIMS_LOST,  /* they meet elsewhere, if at all */
    ABUT_RIMS_MET,   /* as found; not proved */
    ABUT_RIMS_PASSED /* proved: apart over the whole stretch */
} abut_cylinders_found;

/* From the frame to that of the cast. */
static inline abut_vec3 abut_cylinders_out_of(const abut_cylinders_climber *k, abut_vec3 p)
{
    return abut_madd(abut_madd(abut_scale(p.x, k->e[0]), p.y, k->e[1]), p.z, k->e[2]);
}

/* cast_cylinders_lines.c: body i has its side or slant on the plane, the other one the end of its
 * own that s->sigma says. From the plane of normal n + s->d, u: the unit part of n across body
 * i's axis, of the length flat. */
abut_cylinders_found abut_cylinders_meet_on_line(const abut_cylinders_climber *k, abut_vec3 u, double flat,
                                                 const abut_cylinders_step *s, int i,
                                                 abut_cylinders_meeting *out);
/* Both have: of the two such planes, the one that faces that side. */
abut_cylinders_found abut_cylinders_meet_on_lines(const abut_cylinders_climber *k, abut_vec3 side,
                                                  abut_cylinders_meeting *out);

/* Rotations may be off by so much: what counts their errors once has room for their squares. */
#define ABUT_RIMS_MOST_TURN 0x1p-24

/* cast_cylinders_proof.c: from those of the cast. */
void abut_cylinders_set_errors(abut_cylinders_climber *k);
/* Proved: the plane across n (of any length) parts them all the way. */
bool abut_cylinders_parts(const abut_cylinders_climber *k, abut_vec3 n);
/* From where they meet to what is proved. */
abut_linear_cast_end abut_cylinders_prove(const abut_cylinders_climber *k, const abut_cylinders_meeting *m,
                                          abut_linear_cast_hit *out);

#endif
