/* SPDX-License-Identifier: MIT */
/* Bounding volumes in floats, and the tests of two of them, one table of functions a kind.
 *
 * Volumes live in the local frame of their tree: the point p of the body is at (p - middle) /
 * 2^exponent, so that all its points have coordinates within [-1, 1], and every number of every
 * volume is smaller than 4 in size, whatever the size of the body. A volume is an array of floats,
 * rounded so that it contains its points.
 *
 * Two volumes are compared in units that fit both trees (abut_bv_pair). First the one of b is
 * placed: its description in a's frame, in doubles. Everything after the floats is computed in
 * doubles, whose errors, and those of the placement, are covered by one margin that is known
 * when the walk begins; docs/notes/hierarchies.md has the sum. Rounding is to nearest. */
#ifndef ABUT_BV_VOLUME_H
#define ABUT_BV_VOLUME_H

#include "abut/mesh.h"
#include "bv/relative.h"

#include <math.h>

typedef struct abut_bv_frame {
    abut_vec3 middle;
    int exponent;
} abut_bv_frame;

/* The local frame for points in these bounds. */
abut_bv_frame abut_bv_frame_of(const abut_aabb *bounds);

/* Coordinates in the local frame. For points that the frame was made for each is within 2^-53 of
 * the true one. */
typedef struct abut_bv_local {
    abut_vec3 middle;
    double half_scale[2]; /* one power of two would overflow for the smallest bodies */
} abut_bv_local;

abut_bv_local abut_bv_local_of(const abut_bv_frame *frame);

static inline abut_vec3 abut_bv_to_local(const abut_bv_local *l, abut_vec3 p)
{
    return (abut_vec3){ (p.x - l->middle.x) * l->half_scale[0] * l->half_scale[1],
                        (p.y - l->middle.y) * l->half_scale[0] * l->half_scale[1],
                        (p.z - l->middle.z) * l->half_scale[0] * l->half_scale[1] };
}

/* The most that one volume has of anything. */
enum { ABUT_BV_FLOATS = 26, ABUT_BV_CORNERS = 8, ABUT_BV_DIRECTIONS = 13 };

/* A direction of a's k-DOP, seen from b, as a sum of three of b's: which, and how much of each. */
typedef struct abut_bv_sum {
    uint8_t which[3], against[3]; /* the bound along each, and the one along its opposite */
    double weight[3];
    double offset; /* of b's middle along the direction */
} abut_bv_sum;

/* The relative placement of two trees, for one walk. In units of 2^exponent and from a's middle. */
typedef struct abut_bv_pair {
    abut_mat3 r;
    abut_vec3 t; /* b's middle */
    double scale_a, scale_b;
    double margin;
    int exponent;
    /* Lengths outside what can be computed with: all is known from the middles (`apart` in units
     * of the bodies, a lower bound), or nothing. */
    bool far;
    double apart;
    abut_bv_sum sums[ABUT_BV_DIRECTIONS]; /* k-DOPs only */
} abut_bv_pair;

/* A volume of b in a's frame. */
typedef struct abut_bv_placed {
    abut_vec3 centre;
    double half[3]; /* or radius first */
    abut_mat3 axes;
    double bounds[2 * ABUT_BV_DIRECTIONS];
} abut_bv_placed;

typedef struct abut_bv_kind {
    abut_volume volume;
    uint32_t floats; /* of one volume */
    bool oriented;   /* fit wants axes of its own; otherwise it ignores them */
    /* Contains the balls around the points (radii NULL: the points), which are each wrong by
     * 2^-50 at most. Axes: columns, the longest extent first. */
    void (*fit)(const abut_vec3 *points, const double *radii, size_t count, const abut_mat3 *axes,
                float *out);
    /* One of these. Contains two others; or points in whose hull the volume is, swept by a ball
     * of the radius. */
    void (*merge)(const float *a, const float *b, float *out);
    size_t (*corners)(const float *volume, abut_vec3 *out, double *radius);
    double (*size)(const float *volume); /* to compare: which of two is the larger */
    void (*start)(abut_bv_pair *pair);   /* or NULL: what depends on the walk only */
    void (*place)(const abut_bv_pair *pair, const float *b, abut_bv_placed *out);
    /* Surely further apart than reach (in the pair's units)? */
    bool (*apart)(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b, double reach);
    /* A lower bound of the distance, in the pair's units; may be negative. */
    double (*lower)(const abut_bv_pair *pair, const float *a, const abut_bv_placed *b);
} abut_bv_kind;

/* Layouts, in this order: sphere: centre 3, radius. aabb: low 3, high 3. obb: rotation 4 (w x y
 * z, of unit length to float precision; what counts is q / |q|), centre 3, half sizes 3. k-DOP:
 * the greatest of d . x for each of its k / 2 directions d, then the greatest of -d . x. lss:
 * ends 3 + 3, radius. rss: rotation 4, centre 3, half sizes along its first two axes, radius. */
extern const abut_bv_kind abut_bv_sphere, abut_bv_aabb, abut_bv_obb, abut_bv_kdop6, abut_bv_kdop14,
    abut_bv_kdop18, abut_bv_kdop26, abut_bv_lss, abut_bv_rss;

/* NULL for AUTO and for numbers that are no volume. */
const abut_bv_kind *abut_bv_kind_of(abut_volume volume);

/* The k / 2 directions of a k-DOP, entries -1, 0, 1. */
size_t abut_bv_kdop_directions(abut_volume volume, const int8_t (**out)[3]);

/* Contains some volumes of one frame, ABUT_BV_MERGE at most. */
enum { ABUT_BV_MERGE = 16 };
void abut_bv_merge(const abut_bv_kind *kind, const float *const *volumes, size_t count, float *out);

/* Sets up the comparison of volumes of two trees. */
void abut_bv_pair_set(const abut_bv_kind *kind, const abut_bv_frame *a, const abut_bv_frame *b,
                      const abut_bv_relative *b_in_a, abut_bv_pair *out);
/* A length of the bodies in the pair's units, to compare with lower bounds, from which the
 * margin was taken; and a lower bound the other way. */
double abut_bv_pair_length(const abut_bv_pair *pair, double length);
double abut_bv_pair_lower(const abut_bv_pair *pair, double lower);

/* ---- axes ---- */

/* Scratch for hulls; zero: none is made. */
typedef struct abut_bv_scratch {
    double *coordinates; /* 3 for each point of the largest set */
    void *sink;          /* for what Qhull has to say: a FILE that keeps what fits here */
    char said[64];
} abut_bv_scratch;

/* Opens and closes the sink. Without one there are no hulls. */
void abut_bv_scratch_open(abut_bv_scratch *scratch);
void abut_bv_scratch_close(abut_bv_scratch *scratch);

/* Axes (columns of a rotation) for corners of triangles, three each, and the extents along them,
 * longest first. Plain doubles: it steers. */
void abut_bv_axes(const abut_vec3 *corners, size_t count, abut_covariance covariance,
                  const abut_bv_scratch *scratch, abut_mat3 *axes, double extent[3]);

/* Orders given axes by the extents of the points along them, longest first, right-handed. */
void abut_bv_sort_axes(const abut_vec3 *points, size_t count, abut_mat3 *axes, double extent[3]);

/* Sums for a covariance: a weight, first and second moments. */
typedef struct abut_bv_moments {
    double weight, first[3], second[3][3]; /* second: upper triangle */
} abut_bv_moments;

void abut_bv_moments_point(abut_bv_moments *m, double weight, abut_vec3 p);
void abut_bv_moments_triangle(abut_bv_moments *m, abut_vec3 p, abut_vec3 q, abut_vec3 r);
/* Sums of the hull of the points, by its vertices or its area; false where it has none that
 * Qhull finds. `stretch` makes the points round for Qhull: coordinates along axes, divided by
 * extents. */
bool abut_bv_hull_moments(const abut_vec3 *points, size_t count, bool area, const abut_mat3 *axes,
                          const double extent[3], const abut_bv_scratch *scratch, abut_bv_moments *m);

/* ---- rounding ---- */

/* What fits add before they round: their own errors are below (docs/notes/hierarchies.md). */
#define ABUT_BV_SLACK 0x1p-44

/* Rounds to nearest. Through memory: GCC 12 turns two of these side by side, read back as
 * doubles, into no rounding at all when it vectorises. */
static inline float abut_bv_round(double x)
{
    volatile float f = (float)x;
    return f;
}

static inline float abut_bv_up(double x)
{
    const float f = abut_bv_round(x);
    return (double)f < x ? nextafterf(f, INFINITY) : f;
}

static inline float abut_bv_down(double x)
{
    return -abut_bv_up(-x);
}

/* Rotation of a quaternion of nearly unit length, scaled to a rotation to 2^-50: 1 / |q|^2 = 1 +
 * e + e^2 + e^3 + ... with e = 1 - |q|^2, |e| < 2^-20. */
static inline abut_mat3 abut_bv_rotation(const float q[4])
{
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double e = 1 - (w * w + x * x + y * y + z * z), s = 2 * (1 + e * (1 + e * (1 + e)));
    return (abut_mat3){ {
        { 1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y) },
        { s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x) },
        { s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y) },
    } };
}

/* Floats of the unit quaternion of a rotation. */
void abut_bv_quaternion(const abut_mat3 *axes, float q[4]);

#endif
