/* SPDX-License-Identifier: MIT */
/* A CAD solid inside: its entities as the user numbers them, the profile that an extrude or revolve
 * was made from, and the features that queries work on. All memory is in one workspace of the
 * owner, who releases it at once; nothing changes after creation. */
#ifndef ABUT_SOLID_SOLID_H
#define ABUT_SOLID_SOLID_H

#include "abut/solid.h"
#include "base/error.h"
#include "base/workspace.h"
#include "solid/feature.h"
#include "solid/profile.h"

typedef enum abut_solid_form {
    ABUT_SOLID_EXPLICIT = 0,
    ABUT_SOLID_EXTRUDED,
    ABUT_SOLID_REVOLVED
} abut_solid_form;

/* Faces on the two sides of an edge: [0] the one whose loop runs along it. */
typedef struct abut_solid_sides {
    uint32_t face[2];
} abut_solid_sides;

typedef struct abut_ball {
    abut_vec3 center;
    double radius;
} abut_ball;

/* Ranges of the angles of a face on a torus or sphere, or what its part has. */
typedef struct abut_span {
    abut_arc_range a, b;
} abut_span;

typedef struct abut_solid {
    abut_solid_form form;
    abut_solid_def def; /* owned arrays; axes are of unit length */
    abut_solid_sides *sides;
    size_t shell_count;
    abut_aabb bounds;
    double size;      /* largest extent of the bounds */
    double tolerance; /* a length, never 0 */
    /* How far points may be from where the data put them: the tolerance of explicit solids; of swept ones where it
     * was stated, else 0. */
    double doubt;
    bool stated; /* a tolerance was */
    abut_profile profile;
    double height;          /* of an extrude */
    abut_features features; /* of an explicit solid: part i is face i, then the edges' pieces */
    /* What searches work on: the same, but for discs and rings of an explicit solid, which are their own domains
     * instead of rectangles that loops are cut out of. */
    abut_features shown;
    /* Pieces of the edges of an explicit solid (solid/curve.h), with their cells: pieces[
     * piece_starts[e] .. piece_starts[e + 1] - 1] in the direction of edge e; points[0] and points[3]
     * are their ends. */
    abut_part *pieces;
    abut_cell *piece_cells;
    size_t *piece_starts;
    /* Runs of pieces of one edge: those of edge i are groups[group_starts[i] .. group_starts[i + 1] - 1]. */
    struct abut_piece_group *groups;
    size_t *group_starts;
    unsigned char *reference; /* of each face: whether its reference point is in it (trim.c) */
    uint32_t *shell_first;    /* a face of each shell */
    uint32_t *shell_of;       /* of each face */
    abut_span *spans;         /* of each face of an explicit solid (trim.c) */
    abut_ball *face_balls;    /* of an explicit solid: around each face and what is within the tolerance */
    abut_interval volume, area;
} abut_solid;

#define ABUT_SOLID_NONE UINT32_MAX

/* Fill *solid from the workspace `keep`. On an error nothing in it counts. */
abut_status abut_solid_build(const abut_solid_def *def, abut_workspace *keep, abut_solid *solid,
                             abut_error *error);
abut_status abut_solid_build_extrude(const abut_profile_loop *outer, const abut_profile_loop *holes,
                                     size_t hole_count, double height, double tolerance, abut_workspace *keep,
                                     abut_solid *solid, abut_error *error);
abut_status abut_solid_build_revolve(const abut_profile_loop *loop, double tolerance, abut_workspace *keep,
                                     abut_solid *solid, abut_error *error);

/* The geometry of a copied definition: bounds, checks, features. */
abut_status abut_solid_geometry(abut_workspace *keep, abut_solid *solid, abut_error *error);

/* Volume and area (mass.c). */
void abut_solid_mass_extrude(abut_solid *solid);
void abut_solid_mass_revolve(abut_solid *solid);
/* Needs the features and pieces; bounds only where a face is on a general quadric. Returns a face whose loops
 * certainly run the wrong way round, or ABUT_SOLID_NONE. */
uint32_t abut_solid_mass_explicit(abut_solid *solid);

#endif
