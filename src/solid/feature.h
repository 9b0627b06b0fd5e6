/* SPDX-License-Identifier: MIT */
/* What the searches over the boundary of a solid work on: features (faces, edges, isolated points)
 * in a rotational or planar parametrisation, cells of them (rectangles of parameters, with boxes,
 * cones of normals and skeletons), and a binary tree over the features.
 *
 * Angles are never computed: an angular range is the unit vector to its middle and the cosine and
 * sine of half its width, and it is halved with square roots alone, so that no elementary function
 * needs to be trusted. Everything is plain doubles with errors of a few ulp of the coordinates;
 * boxes are widened by ABUT_CELL_SLACK of the coordinates, far more than that (docs/notes/
 * cad-solids.md has the count). */
#ifndef ABUT_SOLID_FEATURE_H
#define ABUT_SOLID_FEATURE_H

#include "abut/interval.h"
#include "base/workspace.h"
#include "math/vec3.h"

struct abut_solid;

/* All that the cells say is right up to this part of the largest coordinate involved. */
#define ABUT_CELL_SLACK 1e-13

typedef enum abut_cell_kind {
    ABUT_CELL_GROUP = 0, /* a node of the tree */
    ABUT_CELL_POINT,
    ABUT_CELL_SEGMENT,
    ABUT_CELL_ARC,
    ABUT_CELL_ELLIPSE, /* an elliptic arc; x and y are conjugate radii */
    ABUT_CELL_CUBIC,   /* a cubic Bezier curve, within `radius` of the edge */
    ABUT_CELL_PLANE,
    /* of points[0] to [2]; z is the normal. With a bulge the side from [0] to [1] is an arc about
     * points[3] of that radius, at most 90 degrees, beyond the chord (1) or short of it (-1) */
    ABUT_CELL_TRIANGLE,
    ABUT_CELL_CYLINDER,
    ABUT_CELL_CONE,
    ABUT_CELL_TORUS, /* a sphere where major is 0 */
    ABUT_CELL_ELLIPSOID,
    ABUT_CELL_RING, /* other quadrics: solid/quadric.h */
    ABUT_CELL_GRAPH
} abut_cell_kind;

/* An angular range; cos_half = -1 is the whole circle. */
typedef struct abut_arc_range {
    double c, s; /* unit vector to the middle */
    double cos_half, sin_half;
} abut_arc_range;

typedef enum abut_trim {
    ABUT_TRIM_NONE = 0, /* the face is its domain */
    ABUT_TRIM_PROFILE,  /* a cap of an extrude */
    ABUT_TRIM_LOOPS     /* edges of an explicit solid */
} abut_trim;

/* Frame: o, and orthonormal x, y, z. Points of a
 * plane       o + u x + v y, normal z
 * cylinder    o + radius (cos a x + sin a y) + v z
 * cone        o + v (slope (cos a x + sin a y) + rise z), v >= 0, slope^2 + rise^2 = 1; rise 0: a disc
 * torus       o + (major + radius cos b) (cos a x + sin a y) + radius sin b z
 * ellipsoid   o + r0 cos b cos a x + r1 cos b sin a y + r2 sin b z
 * segment     o + v z
 * arc         o + radius (cos a x + sin a y)
 * ellipse     the same with x and y of any length and angle, radius 1
 * cubic       Bezier curve of `points`, v from 0 to 1 */
typedef struct abut_part {
    abut_cell_kind kind;
    bool face;
    int bulge; /* of a triangle */
    int sense; /* of a face: 1 where its own normal leaves the material, else -1 */
    abut_trim trim;
    uint32_t entity;  /* number of the face, edge or vertex */
    uint32_t side[2]; /* of an edge: the parts on both sides; ABUT_PART_NONE */
    abut_vec3 o, x, y, z;
    double radius, major, slope, rise;
    abut_vec3 radii;
    abut_vec3 points[4];
    abut_arc_range a, b;
    double u0, u1, v0, v1;
} abut_part;

#define ABUT_PART_NONE UINT32_MAX

/* A part with the axes of space, whole turns and no faces at its sides. */
static inline abut_part abut_part_of(abut_cell_kind kind, uint32_t entity)
{
    return (abut_part){ .kind = kind,
                        .face = kind >= ABUT_CELL_PLANE,
                        .sense = 1,
                        .entity = entity,
                        .side = { ABUT_PART_NONE, ABUT_PART_NONE },
                        .x = { 1, 0, 0 },
                        .y = { 0, 1, 0 },
                        .z = { 0, 0, 1 },
                        .a = { 1, 0, -1, 0 },
                        .b = { 1, 0, -1, 0 } };
}

typedef enum abut_cell_state {
    ABUT_CELL_UNTESTED, /* against the profile of its face */
    ABUT_CELL_IN,       /* all of it belongs to the face */
    ABUT_CELL_MIXED     /* some of it may not */
} abut_cell_state;

typedef struct abut_cell {
    abut_vec3 center, axis[3]; /* box; axis[2] is along the normal of a face */
    double half[3];
    double radius; /* of a ball about center */
    /* Outward normals are within the angle (cone_cos, cone_sin) of this; wide: anywhere. */
    abut_vec3 normal;
    double cone_cos, cone_sin;
    bool wide;
    /* Skeleton: all points are at the distance `offset` from some point of the segment s0 s1 (and
     * from the whole line through it). */
    bool has_skeleton;
    abut_vec3 s0, s1;
    double offset;
    /* A point of the cell; it belongs to the body where sampled. */
    abut_vec3 sample;
    bool sampled;
    abut_cell_state state;
    abut_cell_kind kind;
    uint32_t part; /* of a group: its number in the tree */
    abut_arc_range a, b;
    double u0, u1, v0, v1;
    abut_vec3 corner[3]; /* of a triangle */
    int bulge;
    struct abut_cell *child[2]; /* once split; an absent second child is NULL */
    bool split;
} abut_cell;

/* fmax and fmin are calls. A second argument that is not a number is ignored. */
static inline double abut_larger(double a, double b)
{
    return b > a ? b : a;
}

static inline double abut_smaller(double a, double b)
{
    return b < a ? b : a;
}

/* How far the box of a cell reaches from its centre along u. */
static inline double abut_cell_extent(const abut_cell *c, abut_vec3 u)
{
    return fabs(abut_dot(c->axis[0], u)) * c->half[0] + fabs(abut_dot(c->axis[1], u)) * c->half[1] +
           fabs(abut_dot(c->axis[2], u)) * c->half[2];
}

/* The point of its box that is nearest to p. */
static inline abut_vec3 abut_cell_nearest(const abut_cell *c, abut_vec3 p)
{
    const abut_vec3 d = abut_sub(p, c->center);
    abut_vec3 out = c->center;
    for (int i = 0; i < 3; ++i) {
        const double x = abut_dot(d, c->axis[i]), h = c->half[i];
        out = abut_madd(out, x > h ? h : x < -h ? -h : x, c->axis[i]);
    }
    return out;
}

/* A node: inner ones have children, leaves one part. */
typedef struct abut_feature_node {
    abut_aabb box;
    int32_t child[2]; /* nodes; ~part where negative */
    uint32_t count;   /* of parts below */
} abut_feature_node;

typedef struct abut_features {
    abut_part *parts;
    size_t count;
    abut_feature_node *nodes; /* the last one is the root; none where there is one part */
    size_t node_count;
    double scale; /* the largest coordinate that goes into a part */
} abut_features;

/* Fills bounds, normals, skeleton and sample of a cell from its parameters. */
void abut_cell_fit(const abut_part *part, double slack, abut_cell *cell);
/* The cell of the whole part. */
void abut_cell_root(const abut_part *part, uint32_t number, double slack, abut_cell *cell);
/* The two halves, across the longer side. Bounds are not filled. */
void abut_cell_split(const abut_part *part, const abut_cell *cell, abut_cell halves[2]);

/* Point of the part's whole surface or curve nearest to p (a critical one that is nearest), its
 * outward normal (faces) and whether its parameters are in the cell; then it is clamped to the
 * cell. */
abut_vec3 abut_cell_project(const abut_part *part, const abut_cell *cell, abut_vec3 p);
/* Outward normal of a face at a point on it. */
abut_vec3 abut_part_normal(const abut_part *part, abut_vec3 p);
/* Signed distance to the part's whole surface, positive outside of the material. Of ellipsoids
 * only the sign is right, and the size a lower bound to first order. */
double abut_part_offset(const abut_part *part, abut_vec3 p);

/* No point of the cell is further along u, a unit vector; as good as the box or better. */
double abut_cell_support(const abut_part *part, const abut_cell *cell, abut_vec3 u, double slack);

/* The part moved by a rigid map. */
void abut_part_place(const abut_part *part, const abut_affine *map, abut_part *out);

/* Builds the tree; false when memory is out. */
bool abut_features_build(abut_features *features, abut_workspace *keep);

#endif
