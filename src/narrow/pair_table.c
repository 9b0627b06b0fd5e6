/* SPDX-License-Identifier: MIT */
/* The table of pairs of shapes at one instant. One more pair: its methods (one line in the list
 * below, where no other pair has the same ones), and one line in the table. A pair that is not
 * there in either order is ABUT_ERR_UNSUPPORTED. */
#include "narrow/pair_table.h"
#include "math/vec3.h"
#include "narrow/brep/solids.h"
#include "narrow/cover/pairs.h"

/* What all pairs of convex bodies can do. */
#define CAN_CONVEX \
    (ABUT_PAIR_DEPTH | ABUT_PAIR_CONTACTS | ABUT_PAIR_CLEARANCE | ABUT_PAIR_DEFORMED | ABUT_PAIR_CONVEX)
#define CAN_CORES (CAN_CONVEX | ABUT_PAIR_DEPTH_PROVES)
/* What pairs with a height field or a mesh can do. */
#define CAN_FIELD   (ABUT_PAIR_CONTACTS | ABUT_PAIR_CLEARANCE | ABUT_PAIR_DEFORMED)
#define CAN_SURFACE (ABUT_PAIR_CONTACTS | ABUT_PAIR_CLEARANCE)

/* clang-format off */
/* Each pair's methods: filters of check, distance and overlap, posed, placed, placed with a
 * clearance, what it can do. */
#define CHECK(NAME) abut_quick_check_##NAME
#define DISTANCE(NAME) abut_quick_distance_##NAME
#define OVERLAP(NAME) abut_quick_overlap_##NAME
static const abut_pair_row
    balls = { CHECK(balls), DISTANCE(balls), OVERLAP(balls), abut_posed_overlap,
              abut_narrow_sphere_sphere, abut_narrow_closed, CAN_CORES },
    ball_box = { CHECK(ball_box), DISTANCE(ball_box), OVERLAP(simple), abut_posed_overlap,
                 abut_narrow_sphere_box, abut_narrow_closed, CAN_CORES },
    ball_capsule = { CHECK(ball_capsule), DISTANCE(ball_capsule), OVERLAP(simple), abut_posed_overlap,
                     abut_narrow_sphere_capsule, abut_narrow_closed, CAN_CORES },
    ball_halfspace = { CHECK(ball_halfspace), DISTANCE(ball_halfspace), NULL, abut_posed_plane_overlap,
                       abut_narrow_sphere_halfspace, abut_narrow_plane, CAN_CONVEX },
    ball_round = { NULL, NULL, NULL, abut_posed_closed, abut_narrow_round, NULL, CAN_CORES },
    capsules = { CHECK(capsules), DISTANCE(capsules), OVERLAP(capsules), abut_posed_closed,
                 abut_narrow_closed, NULL, CAN_CORES },
    boxes = { NULL, DISTANCE(boxes), OVERLAP(simple), abut_posed_closed, abut_narrow_closed, NULL, CAN_CORES },
    box_capsule = { NULL, NULL, OVERLAP(simple), abut_posed_closed, abut_narrow_closed, NULL, CAN_CORES },
    cylinders = { NULL, DISTANCE(cylinders), OVERLAP(round), abut_posed_convex, abut_narrow_convex, NULL, CAN_CORES },
    ellipsoids = { NULL, NULL, OVERLAP(ellipsoids), abut_posed_convex, abut_narrow_convex, NULL, CAN_CORES },
    hulls = { NULL, DISTANCE(hulls), OVERLAP(hulls), abut_posed_convex, abut_narrow_convex, NULL, CAN_CORES },
    /* a swept shape: its type does not tell which filter knows it, nor whether there is a closed form */
    swept = { NULL, DISTANCE(cores), OVERLAP(cores), abut_posed_convex, abut_narrow_convex,
              abut_narrow_closed, CAN_CORES },
    convex = { NULL, NULL, NULL, abut_posed_convex, abut_narrow_convex, NULL, CAN_CORES },
    halfspace = { NULL, NULL, NULL, abut_posed_plane, abut_narrow_plane, NULL, CAN_CONVEX },
    halfspaces = { NULL, NULL, NULL, NULL, abut_narrow_halfspaces, NULL,
                   ABUT_PAIR_DEPTH | ABUT_PAIR_CONTACTS | ABUT_PAIR_CONVEX },
    field_convex = { NULL, NULL, NULL, NULL, abut_narrow_heightfield, NULL, CAN_FIELD },
    field_halfspace = { NULL, NULL, NULL, NULL, abut_narrow_heightfield_plane, NULL, CAN_FIELD },
    field_mesh = { NULL, NULL, NULL, NULL, abut_narrow_mesh_field, NULL, CAN_FIELD },
    mesh_convex = { NULL, NULL, NULL, NULL, abut_narrow_mesh_convex, NULL, CAN_FIELD },
    mesh_halfspace = { NULL, NULL, NULL, NULL, abut_narrow_mesh_plane, NULL, CAN_FIELD | ABUT_PAIR_DEPTH },
    meshes = { NULL, NULL, NULL, abut_posed_meshes, abut_narrow_meshes, NULL, CAN_FIELD | ABUT_PAIR_DEPTH },
    polyhedra = { NULL, NULL, NULL, abut_posed_meshes, abut_narrow_polyhedra, NULL, CAN_FIELD | ABUT_PAIR_DEPTH },
    solids = { NULL, NULL, NULL, NULL, abut_narrow_solids, NULL, ABUT_PAIR_CONTACTS | ABUT_PAIR_CLEARANCE },
    solid_faces = { NULL, NULL, NULL, NULL, abut_narrow_solid_faces, NULL, CAN_SURFACE },
    cover = { NULL, NULL, NULL, NULL, abut_narrow_cover, NULL, CAN_SURFACE },
    surfaces = { NULL, NULL, NULL, NULL, abut_narrow_surfaces, NULL, CAN_SURFACE },
    fields = { NULL, NULL, NULL, NULL, abut_narrow_cover_fields, NULL, CAN_SURFACE },
    facets = { NULL, NULL, NULL, NULL, abut_narrow_cover_facets, NULL, CAN_SURFACE };

/* A pair of types and its methods; the same for a type and each of those with a core. */
#define PAIR(A, B, METHODS) [ABUT_SHAPE_##A][ABUT_SHAPE_##B] = &METHODS
#define EACH_CONVEX(A, METHODS)                                                                     \
    PAIR(A, SPHERE, METHODS), PAIR(A, BOX, METHODS), PAIR(A, CAPSULE, METHODS),                     \
    PAIR(A, CYLINDER, METHODS), PAIR(A, CONE, METHODS), PAIR(A, ELLIPSOID, METHODS),                \
    PAIR(A, CONVEX, METHODS), PAIR(A, SWEPT, METHODS), PAIR(A, SUPPORT, METHODS)
/* A type against each of the curved surfaces. */
#define EACH_CURVED(A, METHODS)                                                                     \
    PAIR(A, TORUS, METHODS), PAIR(A, PARAMETRIC, METHODS), PAIR(A, BEZIER, METHODS),                \
    PAIR(A, IMPLICIT, METHODS), PAIR(A, CSG, METHODS)
/* Curved surfaces, against all that has a surface. */
#define EACH_SURFACE(A, METHODS)                                                                    \
    PAIR(A, SPHERE, METHODS), PAIR(A, BOX, METHODS), PAIR(A, CAPSULE, METHODS),                     \
    PAIR(A, CYLINDER, METHODS), PAIR(A, CONE, METHODS), PAIR(A, ELLIPSOID, METHODS),                \
    PAIR(A, HALFSPACE, METHODS), PAIR(A, CONVEX, METHODS), PAIR(A, SWEPT, METHODS),                 \
    PAIR(A, TORUS, METHODS), PAIR(A, PARAMETRIC, METHODS), PAIR(A, BEZIER, METHODS),                \
    PAIR(A, IMPLICIT, fields), PAIR(A, CSG, fields)

/* CAD solids, against all that has features (narrow/brep/convert.c). */
#define EACH_SOLID(A)                                                                               \
    PAIR(A, SPHERE, solids), PAIR(A, BOX, solids), PAIR(A, CAPSULE, solids),                        \
    PAIR(A, CYLINDER, solids), PAIR(A, CONE, solids), PAIR(A, ELLIPSOID, solids),                   \
    PAIR(A, TORUS, solids), PAIR(A, HALFSPACE, solids), PAIR(A, CONVEX, solid_faces),               \
    PAIR(A, MESH, solid_faces), PAIR(A, POLYHEDRON, solid_faces), PAIR(A, EXTRUDE, solids),         \
    PAIR(A, REVOLVE, solids), PAIR(A, SOLID, solids),                                               \
    PAIR(A, SWEPT, cover), PAIR(A, HEIGHTFIELD, cover), PAIR(A, PARAMETRIC, cover),                 \
    PAIR(A, BEZIER, cover), PAIR(A, IMPLICIT, cover), PAIR(A, CSG, cover)

const abut_pair_row *const abut_pair_rows[ABUT_SHAPE_TYPE_COUNT][ABUT_SHAPE_TYPE_COUNT] = {
    PAIR(SPHERE, SPHERE, balls),
    PAIR(SPHERE, BOX, ball_box),
    PAIR(SPHERE, CAPSULE, ball_capsule),
    PAIR(SPHERE, HALFSPACE, ball_halfspace),

    PAIR(BOX, BOX, boxes),
    PAIR(BOX, CAPSULE, box_capsule),
    PAIR(BOX, HALFSPACE, halfspace),

    PAIR(CAPSULE, CAPSULE, capsules),
    PAIR(CAPSULE, HALFSPACE, halfspace),

    /* The solvers work in the frame of the first: the one with the costlier support mapping. */
    PAIR(CYLINDER, SPHERE, ball_round),
    PAIR(CYLINDER, BOX, convex),
    PAIR(CYLINDER, CAPSULE, convex),
    PAIR(CYLINDER, CYLINDER, cylinders),
    PAIR(CYLINDER, HALFSPACE, halfspace),

    PAIR(CONE, SPHERE, ball_round),
    PAIR(CONE, BOX, convex),
    PAIR(CONE, CAPSULE, convex),
    PAIR(CONE, CYLINDER, cylinders),
    PAIR(CONE, CONE, cylinders),
    PAIR(CONE, HALFSPACE, halfspace),

    PAIR(ELLIPSOID, SPHERE, convex),
    PAIR(ELLIPSOID, BOX, convex),
    PAIR(ELLIPSOID, CAPSULE, convex),
    PAIR(ELLIPSOID, CYLINDER, convex),
    PAIR(ELLIPSOID, CONE, convex),
    PAIR(ELLIPSOID, ELLIPSOID, ellipsoids),
    PAIR(ELLIPSOID, HALFSPACE, halfspace),

    PAIR(CONVEX, SPHERE, convex),
    PAIR(CONVEX, BOX, convex),
    PAIR(CONVEX, CAPSULE, convex),
    PAIR(CONVEX, CYLINDER, convex),
    PAIR(CONVEX, CONE, convex),
    PAIR(CONVEX, ELLIPSOID, convex),
    PAIR(CONVEX, CONVEX, hulls),
    PAIR(CONVEX, HALFSPACE, halfspace),

    EACH_CONVEX(SWEPT, swept),
    PAIR(SWEPT, HALFSPACE, halfspace),

    EACH_CONVEX(SUPPORT, convex),
    PAIR(SUPPORT, HALFSPACE, halfspace),

    PAIR(HALFSPACE, HALFSPACE, halfspaces),

    EACH_CONVEX(HEIGHTFIELD, field_convex),
    PAIR(HEIGHTFIELD, HALFSPACE, field_halfspace),
    PAIR(HEIGHTFIELD, MESH, field_mesh),

    EACH_CONVEX(MESH, mesh_convex),
    PAIR(MESH, HALFSPACE, mesh_halfspace),
    PAIR(MESH, MESH, meshes),

    EACH_CONVEX(POLYHEDRON, mesh_convex),
    PAIR(POLYHEDRON, HALFSPACE, mesh_halfspace),
    PAIR(POLYHEDRON, MESH, polyhedra),
    PAIR(POLYHEDRON, POLYHEDRON, polyhedra),
    PAIR(HEIGHTFIELD, POLYHEDRON, field_mesh),
    PAIR(HEIGHTFIELD, HEIGHTFIELD, cover),

    EACH_SURFACE(TORUS, surfaces),
    EACH_SURFACE(PARAMETRIC, surfaces),
    EACH_SURFACE(BEZIER, surfaces),
    EACH_SURFACE(IMPLICIT, fields),
    EACH_SURFACE(CSG, fields),

    EACH_SOLID(EXTRUDE),
    EACH_SOLID(REVOLVE),
    EACH_SOLID(SOLID),
    EACH_CURVED(MESH, facets),
    EACH_CURVED(POLYHEDRON, facets),
    EACH_CURVED(HEIGHTFIELD, facets),
};
/* clang-format on */

const abut_pair_row *abut_narrow_row_of(const abut_shape *a, const abut_shape *b, bool stand_in,
                                        bool *swapped)
{
    const abut_pair_row *row = abut_narrow_find_row(a->type, b->type, swapped);
    if (!row || !stand_in || row->can & ABUT_PAIR_DEFORMED)
        return row;
    *swapped = false;
    return abut_cover_takes(a) && abut_cover_takes(b) ? &cover : NULL;
}

bool abut_narrow_has_pair(abut_shape_type a, abut_shape_type b)
{
    return abut_pair_rows[a][b] || abut_pair_rows[b][a];
}

void abut_narrow_mirror(abut_check_result *r)
{
    const abut_vec3 zero = { 0, 0, 0 };
    const abut_vec3 point = r->point_a;
    r->point_a = r->point_b;
    r->point_b = point;
    r->normal = abut_sub(zero, r->normal);
    for (int i = 0; i < r->contact_count; ++i) {
        abut_contact *c = &r->contacts[i];
        c->normal = abut_sub(zero, c->normal);
        const abut_feature feature = c->features[0];
        c->features[0] = c->features[1];
        c->features[1] = feature;
        const int64_t id = c->ids[0];
        c->ids[0] = c->ids[1];
        c->ids[1] = id;
    }
}

static bool is_interval(abut_interval a)
{
    return a.lo >= 0 && a.lo <= a.hi;
}

/* Sizes at the end of the doubles, and placements of which next to nothing is known, overflow on
 * the way: then nothing is known. */
static void drop_overflow(abut_check_result *r)
{
    const abut_interval any = { 0, INFINITY };
    r->has_points = r->has_points && abut_is_finite3(r->point_a) && abut_is_finite3(r->point_b);
    r->has_normal = r->has_normal && fabs(abut_dot(r->normal, r->normal) - 1) < 1e-6;
    for (int i = 0; i < r->contact_count; ++i)
        if (!abut_is_finite3(r->contacts[i].point) || !r->has_normal)
            r->contact_count = i;
    if (is_interval(r->distance) && is_interval(r->depth))
        return;
    *r = (abut_check_result){ .verdict = ABUT_UNDECIDED,
                              .stop = ABUT_STOP_TOLERANCE,
                              .distance = any,
                              .depth = any,
                              .counters = r->counters };
}

abut_status abut_narrow_run_placed(abut_pair_fn method, const abut_pair *pair, abut_workspace *ws,
                                   abut_check_result *out)
{
    const abut_status status = method(pair, ws, out);
    if (method != abut_narrow_polyhedra) /* which names entities itself */
        abut_entity_of_contacts(pair->a, pair->b, out);
    drop_overflow(out);
    return status;
}

abut_status abut_narrow_run_pair(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    bool swapped;
    const abut_pair_row *row = abut_narrow_find_row(pair->a->type, pair->b->type, &swapped);
    if (!row)
        return ABUT_ERR_UNSUPPORTED;
    if (!swapped)
        return abut_narrow_run_placed(row->placed, pair, ws, out);
    const abut_pair reversed = { pair->b, pair->a, pair->at_b, pair->at_a, pair->ask };
    const abut_status status = abut_narrow_run_placed(row->placed, &reversed, ws, out);
    if (!status)
        abut_narrow_mirror(out);
    return status;
}
