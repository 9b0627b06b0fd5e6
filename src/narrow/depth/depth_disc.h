/* SPDX-License-Identifier: MIT */
/* Cylinders and cones: that no direction is shallower than r, proved over a disc of directions.
 * Signs as in depth.c: f(v) = max over K of v . w.
 *
 * Let e1 be the axis of a, e1 and e2 span both axes, b = (c, s), and e3 be across them, so that t =
 * t1 e1 + t2 e2 - tau e3, tau >= 0. For v = (x, w, z), z = (1 - x^2 - w^2)^1/2 (the other half of
 * the sphere has larger f),
 *     f = t1 x + t2 w + S_a(x) + S_b(c x + s w) - tau z,
 * and S, a function of one number, is concave on both sides of its kink: h |x| + r (1 - x^2)^1/2
 * for cylinders. Only -tau z is convex. */
#ifndef ABUT_NARROW_DEPTH_DEPTH_DISC_H
#define ABUT_NARROW_DEPTH_DEPTH_DISC_H

#include "narrow/depth/depth.h"
#include "narrow/distance/cylinders.h"

/* What is seen along an axis of body i: f, the other body's point, and the cap. */
typedef struct abut_disc_axis {
    double value;
    /* of the other body's point: along e1 x e3 turned to the axis; its height is -tau */
    double across;
    double disc; /* the radius of the cap, 0 for an apex */
    double r;    /* of the other's rim there */
} abut_disc_axis;

typedef struct abut_disc {
    /* their axes as they are along outward directions: minus a's, b's */
    abut_cylinders_body body[2];
    abut_vec3 e[3];
    double c, s, t1, t2, tau;
    double kink[2];         /* of x, and of y = c x + s w */
    double size;            /* nothing in K is further off */
    abut_disc_axis axis[4]; /* of a, -a, b, -b */
} abut_disc;

typedef enum abut_disc_end { ABUT_DISC_PROVED = 1, ABUT_DISC_SHALLOWER, ABUT_DISC_OPEN } abut_disc_end;

/* False where b's axis is no unit vector to rounding. */
bool abut_disc_begin(const abut_convex_pair *pair, abut_disc *d);
/* Whether f >= *r in every direction, up to what pair->error covers; *r is lowered for rounding,
 * and what stays is proved. u: where f is least as far as is known; cap: where that is known,
 * NULL: nowhere. *at: a direction where f is less. Ends when it has evaluated f in about `most`
 * directions. */
abut_disc_end abut_disc_prove(const abut_disc *d, double *r, abut_vec3 u, const abut_depth_cap *cap,
                              uint32_t most, abut_vec3 *at, uint32_t *evaluations);

/* depth_descend.c: goes down from *u. True at a bottom, where sigma are the shares of both points
 * on their lines; otherwise *u is as far as it goes. */
bool abut_disc_descend(const abut_disc *d, double error, abut_vec3 *u, double sigma[2],
                       uint32_t *evaluations);

/* depth_grid.c: the same as abut_disc_prove, quicker, for axes that are not nearly parallel. *r
 * stays as it is where that is not proved. cap: the cosine of a cap about u, 2 where none is
 * known. */
abut_disc_end abut_grid_prove(const abut_disc *d, double *r, abut_vec3 u, double cap, uint32_t most,
                              abut_vec3 *at, uint32_t *evaluations);
/* depth_grid_avx2.c */
abut_disc_end abut_grid_prove_avx2(const abut_disc *d, double *r, abut_vec3 u, double cap, uint32_t most,
                                   abut_vec3 *at, uint32_t *evaluations);
/* For tests: not the one above. */
extern int abut_grid_force_plain;

static inline abut_vec3 abut_disc_direction(const abut_disc *d, double x, double w, double z)
{
    return abut_madd(abut_madd(abut_scale(x, d->e[0]), w, d->e[1]), z, d->e[2]);
}

static inline double abut_disc_support(const abut_cylinders_body *b, double along)
{
    const double square = 1 - along * along, flat = square > 0 ? sqrt(square) : 0;
    return b->mean * flat + 0.5 * fabs(2 * b->h * along - b->apex * flat);
}

/* Whether f has a least value along an axis: the other's point is over the cap. */
static inline bool abut_disc_is_steep(const abut_disc *d, const abut_disc_axis *at)
{
    return at->disc * at->disc > at->across * at->across + d->tau * d->tau;
}

/* A direction near the axis, where f is least steep: what leads away from one that is not least. */
abut_vec3 abut_disc_beside(const abut_disc *d, int i, double sign);

#endif
