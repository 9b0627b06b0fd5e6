/* SPDX-License-Identifier: MIT */
/* Two triangles, each in the frame of its own mesh: whether they meet, exactly; how far apart they
 * are, enclosed.
 *
 * Corners of b are seen from a through a frame: doubles with an error bound that decide nearly
 * everything, and behind them the placement as it was stated, in which every corner is a
 * rational number, so that every sign can be decided. Where the placement is only enclosed (a
 * motion at a time), a sign that the doubles do not decide is unknown. Degenerate triangles are
 * segments and points, and are treated as these. Rounding is to nearest; nothing allocates. */
#ifndef ABUT_NARROW_TRIANGLE_TRIANGLE_H
#define ABUT_NARROW_TRIANGLE_TRIANGLE_H

#include "abut/mesh.h"
#include "bv/relative.h"
#include "narrow/pair/pair.h"

typedef struct abut_triangle_frame {
    abut_bv_relative b_in_a; /* error: for points of b no further than `reach` from its origin */
    abut_affine world;       /* of a, rounded: for what users read */
    double reach;
    bool exact; /* both placements are what the poses say, and the rotation meant is q / |q| */
    bool plain; /* r maps axes to axes and t is exact: r p + t is rounded once or not at all */
    abut_pose pose_a, pose_b;
} abut_triangle_frame;

/* size_b: no point of b is further from the origin of its frame. */
void abut_triangle_frame_set(const abut_pair *pair, double size_b, abut_triangle_frame *out);
/* Of a mesh in its own frame: everything is exact, nothing moves. */
void abut_triangle_frame_identity(double size, abut_triangle_frame *out);

/* Whether a (in a's frame) and b (in b's) meet. *exact counts the tests that needed exact
 * arithmetic. */
abut_meet abut_triangle_meet(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3],
                             uint64_t *exact);
/* Ends of what they have in common, in a's frame, rounded; for a pair that meets. */
void abut_triangle_cut(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3],
                       abut_meet meet, abut_vec3 *from, abut_vec3 *to);

typedef struct abut_triangle_gap {
    /* enclosed, errors of the frame included; lo is 0 where they may meet */
    abut_interval distance;
    abut_vec3 x, y; /* nearest points of a and b, in a's frame, rounded */
} abut_triangle_gap;

/* Distance, found early to be > bound where it is: then only distance.lo > bound is set, and the
 * function returns false. */
bool abut_triangle_distance(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3],
                            double bound, abut_triangle_gap *out);

/* A lower bound of the distance, and no more; 0 where nothing is proved. */
double abut_triangle_separation(const abut_triangle_frame *frame, const abut_vec3 a[3], const abut_vec3 b[3]);

/* Point of the triangle nearest to p, all in one frame; features of the triangle: vertex 0..2,
 * edge k from corner k to k + 1, face. */
abut_vec3 abut_triangle_closest(const abut_vec3 t[3], abut_vec3 p, abut_feature *feature, int *which);

/* Sign of the area of abc seen along an axis, exactly. */
int abut_triangle_turn(abut_vec3 a, abut_vec3 b, abut_vec3 c, int axis);

/* Sign of the side of b's corner or point p (b's frame) against the plane of a, by the frame: +1
 * on the side to which a's normal points (corners counter-clockwise), 0 in it,
 * ABUT_TRIANGLE_UNKNOWN. */
enum { ABUT_TRIANGLE_UNKNOWN = 2 };
int abut_triangle_side_of_a(const abut_triangle_frame *frame, const abut_vec3 a[3], abut_vec3 p);

#endif
