/* SPDX-License-Identifier: MIT */
/* The table of pairs of shapes over time. One more pair: its methods (one line in the list below,
 * where no other pair has the same ones), and one line in the table. A pair that is not there in
 * either order is ABUT_ERR_UNSUPPORTED, unless both bodies are at rest. */
#include "ccd/pair_table.h"
#include "ccd/brep/solids.h"
#include "ccd/first.h"
#include "ccd/rigid/scan.h"
#include "ccd/surface/surface_scene.h"

/* Rows that emit runs of contact. */
#define BY_SCAN .first = abut_first_by_scan, .intervals = abut_intervals_by_scan

/* clang-format off */
static const abut_ccd_row
    balls = { BY_SCAN, .filters = true, .scan = abut_moving_scan, .steps = abut_advance_scan,
              .second = abut_ellipsoids_scan, .max_iterations = ABUT_BALL_ITERATIONS, .can = ABUT_CCD_DEFORMED },
    ball_halfspace = { BY_SCAN, .scan = abut_moving_scan, .steps = abut_advance_scan,
                       .max_iterations = ABUT_BALL_ITERATIONS },
    ellipsoids = { BY_SCAN, .filters = true, .scan = abut_advance_scan, .second = abut_ellipsoids_scan,
                   .max_iterations = ABUT_WALK_ITERATIONS, .can = ABUT_CCD_DEFORMED | ABUT_CCD_SECOND },
    convex = { BY_SCAN, .filters = true, .scan = abut_advance_scan, .max_iterations = ABUT_WALK_ITERATIONS },
    halfspace = { BY_SCAN, .scan = abut_advance_scan, .max_iterations = ABUT_WALK_ITERATIONS },
    field = { BY_SCAN, .scan = abut_field_scan, .max_iterations = ABUT_WALK_ITERATIONS },
    mesh = { BY_SCAN, .scan = abut_rigid_scan, .max_iterations = ABUT_WALK_ITERATIONS, .can = ABUT_CCD_CONTACTS },
    solids = { BY_SCAN, .scan = abut_static_scan, .steps = abut_solids_scan, .max_iterations = 5000,
               .can = ABUT_CCD_COVERS },
    profiles = { .first = abut_ccd_solid_first, .intervals = abut_ccd_solid_intervals, .scan = abut_static_scan,
                 .max_iterations = ABUT_GENERAL_ITERATIONS, .can = ABUT_CCD_COVERS },
    surfaces = { .first = abut_ccd_surface_first, .intervals = abut_ccd_surface_intervals,
                 .max_iterations = ABUT_SURFACE_ITERATIONS, .can = ABUT_CCD_DEFORMED };

const abut_ccd_row abut_ccd_general = { BY_SCAN, .scan = abut_static_scan,
                                        .max_iterations = ABUT_GENERAL_ITERATIONS, .can = ABUT_CCD_COVERS };

/* A pair of types and its methods; the same for a type and each of those with a core but balls. */
#define PAIR(A, B, METHODS) [ABUT_SHAPE_##A][ABUT_SHAPE_##B] = &METHODS
#define EACH_CONVEX(A, METHODS)                                                                     \
    PAIR(A, BOX, METHODS), PAIR(A, CAPSULE, METHODS), PAIR(A, CYLINDER, METHODS),                   \
    PAIR(A, CONE, METHODS), PAIR(A, CONVEX, METHODS), PAIR(A, SWEPT, METHODS),                      \
    PAIR(A, SUPPORT, METHODS)
/* A type against each of the curved surfaces. */
#define EACH_CURVED(A, METHODS)                                                                     \
    PAIR(A, TORUS, METHODS), PAIR(A, PARAMETRIC, METHODS), PAIR(A, BEZIER, METHODS),                \
    PAIR(A, IMPLICIT, METHODS), PAIR(A, CSG, METHODS)
/* Curved surfaces, against all that has a surface. */
#define EACH_SURFACE(A)                                                                             \
    PAIR(A, SPHERE, surfaces), PAIR(A, BOX, surfaces), PAIR(A, CAPSULE, surfaces),                  \
    PAIR(A, CYLINDER, surfaces), PAIR(A, CONE, surfaces), PAIR(A, ELLIPSOID, surfaces),             \
    PAIR(A, HALFSPACE, surfaces), PAIR(A, CONVEX, surfaces), PAIR(A, TORUS, surfaces),              \
    PAIR(A, PARAMETRIC, surfaces), PAIR(A, BEZIER, surfaces), PAIR(A, IMPLICIT, surfaces),          \
    PAIR(A, CSG, surfaces)

/* CAD solids, against all that has features, and by CURVED against curved surfaces. */
#define EACH_SOLID(A, CURVED)                                                                       \
    PAIR(A, SPHERE, solids), PAIR(A, BOX, solids), PAIR(A, CAPSULE, solids),                        \
    PAIR(A, CYLINDER, solids), PAIR(A, CONE, solids), PAIR(A, ELLIPSOID, solids),                   \
    PAIR(A, HALFSPACE, solids), PAIR(A, CONVEX, solids), PAIR(A, MESH, solids),                     \
    PAIR(A, POLYHEDRON, solids), PAIR(A, EXTRUDE, solids), PAIR(A, REVOLVE, solids),                \
    PAIR(A, SOLID, solids), PAIR(A, SWEPT, abut_ccd_general),                                       \
    PAIR(A, HEIGHTFIELD, abut_ccd_general), EACH_CURVED(A, CURVED)

static const abut_ccd_row *const table[ABUT_SHAPE_TYPE_COUNT][ABUT_SHAPE_TYPE_COUNT] = {
    PAIR(SPHERE, SPHERE, balls),
    PAIR(SPHERE, HALFSPACE, ball_halfspace),
    PAIR(SPHERE, ELLIPSOID, ellipsoids),
    EACH_CONVEX(SPHERE, convex),

    PAIR(ELLIPSOID, ELLIPSOID, ellipsoids),
    PAIR(ELLIPSOID, HALFSPACE, halfspace),
    EACH_CONVEX(ELLIPSOID, convex),

    EACH_CONVEX(BOX, convex),
    PAIR(BOX, ELLIPSOID, convex),
    PAIR(BOX, HALFSPACE, halfspace),

    EACH_CONVEX(CAPSULE, convex),
    PAIR(CAPSULE, ELLIPSOID, convex),
    PAIR(CAPSULE, HALFSPACE, halfspace),

    EACH_CONVEX(CYLINDER, convex),
    PAIR(CYLINDER, ELLIPSOID, convex),
    PAIR(CYLINDER, HALFSPACE, halfspace),

    EACH_CONVEX(CONE, convex),
    PAIR(CONE, ELLIPSOID, convex),
    PAIR(CONE, HALFSPACE, halfspace),

    EACH_CONVEX(CONVEX, convex),
    PAIR(CONVEX, ELLIPSOID, convex),
    PAIR(CONVEX, HALFSPACE, halfspace),

    EACH_CONVEX(SWEPT, convex),
    PAIR(SWEPT, ELLIPSOID, convex),
    PAIR(SWEPT, HALFSPACE, halfspace),

    EACH_CONVEX(SUPPORT, convex),
    PAIR(SUPPORT, ELLIPSOID, convex),
    PAIR(SUPPORT, HALFSPACE, halfspace),

    PAIR(HEIGHTFIELD, SPHERE, field),
    PAIR(HEIGHTFIELD, ELLIPSOID, field),
    EACH_CONVEX(HEIGHTFIELD, field),

    PAIR(MESH, MESH, mesh),
    PAIR(MESH, SPHERE, mesh),
    PAIR(MESH, ELLIPSOID, mesh),
    PAIR(MESH, HALFSPACE, mesh),
    PAIR(MESH, HEIGHTFIELD, mesh),
    EACH_CONVEX(MESH, mesh),

    PAIR(POLYHEDRON, POLYHEDRON, mesh),
    PAIR(POLYHEDRON, MESH, mesh),
    PAIR(POLYHEDRON, SPHERE, mesh),
    PAIR(POLYHEDRON, ELLIPSOID, mesh),
    PAIR(POLYHEDRON, HALFSPACE, mesh),
    PAIR(POLYHEDRON, HEIGHTFIELD, mesh),
    EACH_CONVEX(POLYHEDRON, mesh),

    EACH_SURFACE(TORUS),
    EACH_SURFACE(PARAMETRIC),
    EACH_SURFACE(BEZIER),
    EACH_SURFACE(IMPLICIT),
    EACH_SURFACE(CSG),

    EACH_SOLID(EXTRUDE, profiles),
    EACH_SOLID(REVOLVE, profiles),
    EACH_SOLID(SOLID, abut_ccd_general),
    EACH_CURVED(SWEPT, abut_ccd_general),
    EACH_CURVED(MESH, abut_ccd_general),
    EACH_CURVED(POLYHEDRON, abut_ccd_general),
    EACH_CURVED(HEIGHTFIELD, abut_ccd_general),
    PAIR(HEIGHTFIELD, HEIGHTFIELD, abut_ccd_general),
    PAIR(HEIGHTFIELD, HALFSPACE, abut_ccd_general),
    PAIR(HALFSPACE, HALFSPACE, abut_ccd_general),
};
/* clang-format on */

const abut_ccd_row *abut_ccd_find_row(abut_shape_type a, abut_shape_type b, bool *swapped)
{
    const abut_ccd_row *row = table[a][b];
    *swapped = !row && table[b][a];
    return row ? row : table[b][a];
}
