/* SPDX-License-Identifier: MIT */
/* Two convex bodies of which neither turns, on straight lines: when they meet first. After the
 * time s the difference of the cores is K + s V, and the bodies touch when the origin is as far
 * from it as the sum of the radii. Six ways, the same promises: boxes by their separating axes
 * (cast_boxes.c), simple cores with a ball by Newton's method on their distance
 * (cast_round.c), ellipsoids, and cylinders and cones, by Newton's method on the plane of
 * contact (cast_ellipsoid.c, cast_cylinders.c), other bodies without balls by a portal
 * (cast_portal.c), all others by a ray (raycast.c). Everything in a's frame. */
#ifndef ABUT_CCD_CAST_LINEAR_CAST_H
#define ABUT_CCD_CAST_LINEAR_CAST_H

#include "narrow/distance/convex.h"

typedef struct abut_linear_cast {
    abut_convex_pair pair; /* at the start; what it is off by is in `error` */
    abut_vec3 v;           /* relative velocity */
    double lo, hi, most;   /* the stretch of time, and its length */
    /* certified: of a computed gap along a unit direction at s = 0, radii taken off, and of a
     * computed point of K */
    double error;
    double slip;  /* the same per unit of time: errors of v, and rounding of s v and of s itself */
    double turns; /* what the rotation of b in a's frame is off by */
    double far;   /* |t| */
    double speed; /* |v| */
} abut_linear_cast;

typedef enum abut_linear_cast_end {
    ABUT_SLIDE_UNSURE, /* nothing proved: take the long way */
    ABUT_SLIDE_MISS,   /* apart over the whole stretch */
    ABUT_SLIDE_HIT     /* apart until hit.lo, overlapping at hit.hi */
} abut_linear_cast_end;

typedef struct abut_linear_cast_hit {
    abut_interval time;
    double s;       /* since the start, about the middle of it: for what users read */
    abut_vec3 n, x; /* the normal, and the point of contact as it is in a */
    abut_feature features[2];
    bool several;         /* an edge or a face may touch all along: x is one of the points */
    uint32_t evaluations; /* set for misses, too */
} abut_linear_cast_hit;

/* Fills what follows from pair, v, lo, hi and turns. drift: what both velocities are off by,
 * turn: the rotation of a. False where sizes are extreme. */
bool abut_linear_cast_begin(abut_linear_cast *cast, double drift, double turn);
/* Whether one of the quick ways, or the ray, gets to the end of it fast: not so for other curved
 * bodies. */
bool abut_linear_cast_is_fast(const abut_convex_pair *pair);
abut_linear_cast_end abut_linear_cast_run(abut_linear_cast *cast, abut_linear_cast_hit *out);
/* The ray against any two cores. */
abut_linear_cast_end abut_linear_cast_ray(abut_linear_cast *cast, abut_linear_cast_hit *out);

/* For tests: not to use what the processor may have. Answers mean the same either way. */
extern int abut_linear_cast_force_plain;

/* Boxes, without balls. */
abut_linear_cast_end abut_linear_cast_boxes(abut_linear_cast *cast, abut_linear_cast_hit *out);
/* Whether abut_linear_cast_round knows the pair: a point and a box or segment, two segments; and
 * at least one ball. */
bool abut_linear_cast_is_round(const abut_convex_pair *pair);
abut_linear_cast_end abut_linear_cast_round(abut_linear_cast *cast, abut_linear_cast_hit *out);

/* Whether abut_linear_cast_ellipsoid knows the pair: two ellipsoids, or one and a point. */
bool abut_linear_cast_is_ellipsoid(const abut_convex_pair *pair);
abut_linear_cast_end abut_linear_cast_ellipsoid(abut_linear_cast *cast, abut_linear_cast_hit *out);
/* Cylinders and cones, without balls. Of how they are turned only their axes count, so that this
 * may be in any frame: of the pair, r is not examined. */
abut_linear_cast_end abut_linear_cast_cylinders(const abut_linear_cast *cast, const abut_vec3 axis[2],
                                                abut_linear_cast_hit *out);
/* Other cores without balls. */
abut_linear_cast_end abut_linear_cast_portal(abut_linear_cast *cast, abut_linear_cast_hit *out);

/* Whether bodies whose contact has these normals (outward, each in its body's frame) and
 * features may touch in more than a point: one does not suffice where neither has a corner
 * there, but for edges that cross. */
bool abut_linear_cast_may_be_several(const abut_core *a, const abut_vec3 *along_a, const abut_core *b,
                                     const abut_vec3 *along_b, const abut_feature *features);
/* Sides of cylinders and slants of cones that meet on the plane across n (from a to b, in the
 * frame the rotations lead to), but not along each other: in one point. */
bool abut_linear_cast_lines_cross(const abut_core *a, const abut_mat3 *at_a, const abut_core *b,
                                  const abut_mat3 *at_b, abut_vec3 n);
bool abut_linear_cast_is_several(const abut_linear_cast *cast, const abut_linear_cast_hit *hit);
/* The same where it is known which vertices of hulls lie furthest along hit->n and against it. */
bool abut_linear_cast_is_several_at(const abut_linear_cast *cast, const abut_linear_cast_hit *hit,
                                    const uint32_t top[2]);

/* A cylinder or cone touches along an outward normal with this part along its axis: at a rim,
 * the apex, or a face; of other bodies it is `known`. Normals are right to 1e-8 at least. */
static inline abut_feature abut_linear_cast_feature(const abut_core *core, double z, abut_feature known)
{
    if ((core->kind != ABUT_CORE_CYLINDER && core->kind != ABUT_CORE_CONE) || core->radius > 0)
        return known;
    const double close = 1e-6, rest = 1 - z * z, side = rest > 0 ? sqrt(rest) : 0;
    if (core->kind == ABUT_CORE_CYLINDER)
        return side < close || fabs(z) < close ? ABUT_FEATURE_FACE : ABUT_FEATURE_EDGE;
    /* 0 across the slant */
    const double h = 2 * core->h[2], r = core->h[0], over = z * h - side * r;
    if (fabs(over) < close * (h + r) || (z < 0 && side < close))
        return ABUT_FEATURE_FACE;
    return over > 0 ? ABUT_FEATURE_VERTEX : ABUT_FEATURE_EDGE;
}

/* Of a straight line F(s) <= the gap along n (unit to a few ulp): F(0) and the slope. h: hints,
 * a and b. */
typedef struct abut_linear_cast_line {
    double value, slope;
} abut_linear_cast_line;

void abut_linear_cast_plane(const abut_linear_cast *cast, const abut_vec3 *n, uint32_t hint_a,
                            uint32_t hint_b, abut_linear_cast_line *out);

/* How long F stays positive: the largest s up to `most`, nearly; 0 where F(0) is not. */
static inline double abut_linear_cast_clear(const abut_linear_cast_line *f, double most)
{
    if (!(f->value > 0))
        return 0;
    if (f->value + most * f->slope * (1 + 0x1p-50) > f->value * 0x1p-50)
        return most;
    /* the rounding of the line's value and of the quotient */
    const double s = f->value / -f->slope * (1 - 0x1p-49);
    return s < most ? s : most;
}

/* F(s) > 0, rounding included. */
static inline bool abut_linear_cast_is_clear(const abut_linear_cast_line *f, double s)
{
    return f->value + s * f->slope > 0x1p-50 * (fabs(f->value) + fabs(s * f->slope));
}

/* A time no later than lo + clear, by a few ulp; for 0 < clear; false where there is none after
 * lo. */
static inline bool abut_linear_cast_time_before(double lo, double clear, double *out)
{
    double t = lo + clear * (1 - 0x1p-51); /* which mostly does */
    for (int i = 0; i < 2 && (t - lo) * (1 + 0x1p-52) > clear; ++i)
        t = nextafter(t, lo);
    *out = t;
    return !((t - lo) * (1 + 0x1p-52) > clear);
}

#endif
