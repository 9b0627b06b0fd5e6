/* SPDX-License-Identifier: MIT */
/* What all shapes share: birth, reference counts, death, names, bounds, counts. */
#include "shape/shape.h"
#include "brep/polyhedron.h"
#include "bvh/bvh.h"
#include "shape/connect.h"
#include "shape/heightfield.h"
#include "solid/solid.h"
#include "surface/surface.h"

#include "expr/split.h"

#include <math.h>

abut_shape *abut_shape_new(abut_shape_type type, const abut_allocator *alloc)
{
    const abut_allocator from = abut_base_allocator(alloc);
    abut_shape *shape = abut_base_alloc_zero(&from, 1, sizeof *shape);
    if (!shape)
        return NULL;
    shape->type = type;
    shape->alloc = from;
    atomic_init(&shape->references, 1);
    return shape;
}

double abut_shape_add_up(double a, double b)
{
    /* Knuth's two-sum: `lost` is exactly a + b - sum. */
    const double sum = a + b, part = sum - a;
    const double lost = (a - (sum - part)) + (b - part);
    return lost > 0 ? nextafter(sum, INFINITY) : sum;
}

double abut_shape_mul_up(double a, double b)
{
    const double product = a * b;
    if (a == 0 || b == 0)
        return 0;
    /* The residue underflows for products this small; one step up is right for those anyway. */
    return fma(a, b, -product) > 0 || product < 0x1p-960 ? nextafter(product, INFINITY) : product;
}

abut_shape *abut_shape_retain(abut_shape *shape)
{
    if (shape)
        atomic_fetch_add_explicit(&shape->references, 1, memory_order_relaxed);
    return shape;
}

static void free_contents(abut_shape *shape)
{
    const abut_allocator *alloc = &shape->alloc;
    switch (shape->type) {
    case ABUT_SHAPE_CONVEX:
        abut_base_free(alloc, shape->u.convex.points, shape->u.convex.point_count, sizeof(abut_vec3));
        abut_hull_destroy(shape->u.convex.hull, alloc);
        break;
    case ABUT_SHAPE_SWEPT: abut_shape_release(shape->u.swept.of); break;
    case ABUT_SHAPE_MESH:
    case ABUT_SHAPE_POLYHEDRON: {
        abut_faceted_data *mesh = &shape->u.faceted;
        abut_bvh_destroy(mesh->tree);
        abut_base_free(alloc, mesh->vertices, mesh->vertex_count, sizeof *mesh->vertices);
        abut_polyhedron_destroy(mesh->polyhedron);
        abut_base_free(alloc, mesh->corners, mesh->corner_count, sizeof *mesh->corners);
        abut_base_free(alloc, mesh->weld, mesh->vertex_count, sizeof *mesh->weld);
        abut_base_free(alloc, mesh->edge_ends, mesh->edge_count, 2 * sizeof *mesh->edge_ends);
        abut_base_free(alloc, mesh->edge_faces, mesh->edge_count, 2 * sizeof *mesh->edge_faces);
        abut_shape_pieces_destroy(mesh->pieces, mesh->face_count, alloc);
        break;
    }
    case ABUT_SHAPE_HEIGHTFIELD: abut_heightfield_destroy(&shape->u.heightfield, alloc); break;
    case ABUT_SHAPE_BEZIER: {
        abut_patch_data *patches = shape->u.bezier.patches;
        for (size_t i = 0; patches && i < shape->u.bezier.patch_count; ++i) {
            const size_t count = (size_t)(patches[i].degree_u + 1) * (size_t)(patches[i].degree_v + 1);
            abut_base_free(alloc, patches[i].points, count, sizeof(abut_vec3));
            abut_base_free(alloc, patches[i].weights, count, sizeof(double));
        }
        abut_base_free(alloc, patches, shape->u.bezier.patch_count, sizeof *patches);
        break;
    }
    case ABUT_SHAPE_PARAMETRIC:
        abut_expr_destroy(shape->u.parametric.position);
        abut_tape_destroy(shape->u.parametric.tape);
        break;
    case ABUT_SHAPE_IMPLICIT:
        abut_expr_destroy(shape->u.implicit.f);
        abut_tape_destroy(shape->u.implicit.tape);
        if (shape->u.implicit.split) {
            abut_split_release(shape->u.implicit.split);
            abut_base_free(alloc, shape->u.implicit.split, 1, sizeof *shape->u.implicit.split);
        }
        break;
    case ABUT_SHAPE_CSG:
        for (size_t i = 0; shape->u.csg.of && i < shape->u.csg.count; ++i)
            abut_shape_release(shape->u.csg.of[i]);
        abut_base_free(alloc, shape->u.csg.of, shape->u.csg.count, sizeof(abut_shape *));
        abut_base_free(alloc, shape->u.csg.at, shape->u.csg.count, sizeof(abut_csg_place));
        break;
    case ABUT_SHAPE_COMPOUND:
        for (size_t i = 0; i < shape->u.compound.count; ++i) {
            abut_shape_release(shape->u.compound.parts[i].shape);
            shape->u.compound.release(shape->u.compound.parts[i].at);
        }
        abut_base_free(alloc, shape->u.compound.parts, shape->u.compound.count,
                       sizeof *shape->u.compound.parts);
        break;
    default: break;
    }
}

void abut_shape_release(abut_shape *shape)
{
    if (!shape || atomic_fetch_sub_explicit(&shape->references, 1, memory_order_acq_rel) != 1)
        return;
    free_contents(shape);
    abut_workspace_close(&shape->keep);
    const abut_allocator alloc = shape->alloc;
    abut_base_free(&alloc, shape, 1, sizeof *shape);
}

abut_shape_type abut_shape_get_type(const abut_shape *shape)
{
    return shape ? shape->type : ABUT_SHAPE_NONE;
}

const char *abut_shape_type_name(abut_shape_type type)
{
    switch (type) {
#define NAME(name, text) \
    case ABUT_SHAPE_##name: return text;
        ABUT_SHAPE_LIST(NAME)
#undef NAME
    default: return "none";
    }
}

abut_aabb abut_shape_bounds(const abut_shape *shape)
{
    const abut_aabb nothing = { { 0, 0, 0 }, { 0, 0, 0 } };
    return shape ? shape->bounds : nothing;
}

abut_shape_counts abut_shape_get_counts(const abut_shape *shape)
{
    abut_shape_counts counts = { 0 };
    switch (abut_shape_get_type(shape)) {
    case ABUT_SHAPE_BOX:
        counts.vertices = 8;
        counts.edges = 12;
        counts.faces = 6;
        break;
    case ABUT_SHAPE_CONVEX:
        counts.vertices = shape->u.convex.hull->vertex_count;
        counts.edges = shape->u.convex.hull->edge_count;
        counts.faces = shape->u.convex.hull->face_count;
        break;
    case ABUT_SHAPE_POLYHEDRON:
        counts.vertices = shape->u.faceted.vertex_count;
        counts.edges = shape->u.faceted.polyhedron->topology->edge_count;
        counts.faces = shape->u.faceted.polyhedron->topology->face_count;
        break;
    case ABUT_SHAPE_MESH:
        counts.vertices = shape->u.faceted.vertex_count;
        counts.edges = shape->u.faceted.solid ? shape->u.faceted.edge_count
                                              : abut_count_edges(&shape->u.faceted, &shape->alloc);
        counts.faces = shape->u.faceted.face_count;
        break;
    case ABUT_SHAPE_HEIGHTFIELD: {
        /* Grid edges both ways and one diagonal a cell. */
        const size_t c = shape->u.heightfield.columns, r = shape->u.heightfield.rows;
        counts.vertices = c * r;
        counts.faces = 2 * (c - 1) * (r - 1);
        counts.edges = (c - 1) * r + c * (r - 1) + (c - 1) * (r - 1);
        break;
    }
    case ABUT_SHAPE_PARAMETRIC: counts.patches = 1; break;
    case ABUT_SHAPE_BEZIER: counts.patches = shape->u.bezier.patch_count; break;
    case ABUT_SHAPE_EXTRUDE:
    case ABUT_SHAPE_REVOLVE:
    case ABUT_SHAPE_SOLID:
        counts.vertices = shape->u.solid->def.vertex_count;
        counts.edges = shape->u.solid->def.edge_count;
        for (size_t i = 0; i < shape->u.solid->def.face_count; ++i)
            counts.faces += shape->u.solid->def.surfaces[shape->u.solid->def.faces[i].surface].kind !=
                            ABUT_SOLID_NO_SURFACE;
        break;
    case ABUT_SHAPE_CSG: counts.operands = shape->u.csg.count; break;
    case ABUT_SHAPE_COMPOUND: counts.operands = shape->u.compound.count; break;
    default: break;
    }
    return counts;
}

bool abut_shape_deforms(const abut_shape *shape)
{
    if (!shape || shape->type != ABUT_SHAPE_COMPOUND)
        return shape && shape->surface && shape->surface->deforms;
    for (size_t i = 0; i < shape->u.compound.count; ++i)
        if (abut_shape_deforms(shape->u.compound.parts[i].shape))
            return true;
    return false;
}
