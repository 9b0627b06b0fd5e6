/* SPDX-License-Identifier: MIT */
/* Polyhedra: from lists of faces to a solid with topology, triangles and a hierarchy.
 *
 * Everything is checked before anything is kept: numbers, the topology (brep/topology.c), the faces
 * (brep/triangulate.c), the boundary against itself (brep/self.c). The triangles are kept as those of a
 * solid mesh, so that whatever is asked of solid meshes can be asked of polyhedra; `solid` leads back
 * from them to faces and edges. */
#include "abut/polyhedron.h"
#include "base/options.h"
#include "brep/index.h"
#include "brep/polyhedron.h"
#include "bvh/bvh.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "shape/arrays.h"
#include "shape/connect.h"

#include <float.h>
#include <inttypes.h>

/* A vertex may lie off the plane of its polygon by this part of the solid's largest extent. Text
 * files carry six or more digits of coordinates as large as the solid, so exact coplanarity
 * would refuse nearly every polygon with more than three corners; a corner further off than the
 * sixth digit is a modelling error that the user should hear of. */
static const double usual_planarity = 1e-6;

void abut_polyhedron_def_init(abut_polyhedron_def *def)
{
    if (def)
        *def = (abut_polyhedron_def){ .struct_size = sizeof *def };
}

/* ---- numbers ---- */

/* Corners in range, at least three of them distinct, no two neighbours equal (a vertex may come
 * twice, as on both sides of a slit that leads to a hole). */
static abut_status check_loop(const uint32_t *corners, size_t count, size_t face, size_t vertex_count,
                              abut_error *error)
{
    if (count < 3)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)face,
                              "face %zu has %zu corners, fewer than 3", face, count);
    for (size_t i = 0; i < count; ++i) {
        if (corners[i] >= vertex_count)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)face,
                                  "face %zu names vertex %" PRIu32
                                  ", but there are only %zu (counted from 0)",
                                  face, corners[i], vertex_count);
        if (corners[i] == corners[(i + 1) % count])
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)face,
                                  "face %zu names vertex %" PRIu32 " twice in a row", face, corners[i]);
    }
    for (size_t i = 2; i < count; ++i)
        if (corners[i] != corners[0] && corners[i] != corners[1])
            return ABUT_OK;
    return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)face, "face %zu has only two distinct corners",
                          face);
}

static abut_status check_def(const abut_polyhedron_def *def, abut_aabb *box, abut_error *error)
{
    if (!def->vertices || !def->loop_sizes || !def->indices || def->vertex_count == 0 || def->face_count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a polyhedron needs vertices and faces");
    if (def->face_count > ABUT_MOST_FACES / 2 || def->index_count > ABUT_MOST_FACES / 2)
        return abut_base_fail(error, ABUT_ERR_LIMIT, -1,
                              "%zu faces with %zu corners are more than the %zu and %zu allowed",
                              def->face_count, def->index_count, ABUT_MOST_FACES / 2, ABUT_MOST_FACES / 2);
    if (!(def->planarity >= 0) || def->planarity > 1)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the planarity must be from 0 to 1");
    abut_status status = abut_check_points(def->vertices, def->vertex_count, "vertex", box, error);
    size_t used = 0, loop = 0;
    for (size_t i = 0; !status && i < def->face_count; ++i) {
        const size_t loops = def->face_loops ? def->face_loops[i] : 1;
        if (loops == 0 || loops > def->loop_count - loop)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "face %zu has %zu loops; at least 1 is needed, and %zu are left", i, loops,
                                  def->loop_count - loop);
        for (const size_t end = loop + loops; !status && loop < end; ++loop) {
            const uint32_t size = def->loop_sizes[loop];
            if (size > def->index_count - used)
                return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                      "face %zu has %" PRIu32 " corners, but only %zu indices are left", i,
                                      size, def->index_count - used);
            status = check_loop(def->indices + used, size, i, def->vertex_count, error);
            used += size;
        }
    }
    if (!status && (used != def->index_count || loop != def->loop_count))
        status = abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "%zu indices belong to no face",
                                def->index_count - used);
    return status;
}

/* ---- making it ---- */

/* Puts joined faces in the place of the topology. */
static abut_status merge_faces(const abut_polyhedron_def *def, const uint32_t *weld, abut_workspace *ws,
                               abut_polyhedron *solid, abut_error *error)
{
    abut_polygons polygons;
    abut_brep_def topology;
    solid->given_count = def->face_count;
    solid->given_faces = abut_base_alloc(&solid->alloc, def->face_count, sizeof *solid->given_faces);
    if (!solid->given_faces ||
        !abut_brep_merge(solid->topology, def->vertices, ws, &polygons, solid->given_faces))
        return abut_base_fail_memory(error);
    polygons.weld = weld;
    if (!abut_polygons_connect(&polygons, ws, &topology))
        return abut_base_fail_memory(error);
    abut_brep_destroy(solid->topology);
    solid->topology = NULL;
    return abut_brep_create(&topology, &solid->alloc, &solid->topology, error);
}

static abut_status make_topology(const abut_polyhedron_def *def, const uint32_t *weld, abut_workspace *ws,
                                 abut_polyhedron *solid, abut_error *error)
{
    const abut_polygons polygons = { .vertices = def->vertices,
                                     .weld = weld,
                                     .vertex_count = def->vertex_count,
                                     .face_count = def->face_count,
                                     .loop_count = def->loop_count,
                                     .corner_count = def->index_count,
                                     .face_loop_count = def->face_loops,
                                     .loop_sizes = def->loop_sizes,
                                     .corners = def->indices };
    abut_brep_def topology;
    if (!abut_polygons_connect(&polygons, ws, &topology))
        return abut_base_fail_memory(error);
    const abut_status status = abut_brep_create(&topology, &solid->alloc, &solid->topology, error);
    return status || !def->merge ? status : merge_faces(def, weld, ws, solid, error);
}

static abut_status make_triangles(abut_shape *shape, abut_polyhedron *solid, double planarity, double size,
                                  abut_workspace *ws, abut_error *error)
{
    const abut_brep *brep = solid->topology;
    abut_faceted_data *mesh = &shape->u.faceted;
    size_t count = 0;
    for (uint32_t f = 0; f < brep->face_count; ++f)
        count += abut_brep_triangle_count(brep, f);
    mesh->face_count = solid->triangle_count = count;
    mesh->corner_count = 3 * count;
    mesh->corners = abut_base_alloc(&shape->alloc, 3 * count, sizeof *mesh->corners);
    solid->face_starts = abut_base_alloc(&shape->alloc, brep->face_count + 1, sizeof *solid->face_starts);
    solid->triangle_face = abut_base_alloc(&shape->alloc, count, sizeof *solid->triangle_face);
    if (!mesh->corners || !solid->face_starts || !solid->triangle_face)
        return abut_base_fail_memory(error);
    const abut_status status = abut_brep_triangulate(brep, mesh->vertices, size, planarity, ws, mesh->corners,
                                                     solid->face_starts, error);
    for (uint32_t f = 0; !status && f < brep->face_count; ++f)
        for (uint32_t t = solid->face_starts[f]; t < solid->face_starts[f + 1]; ++t)
            solid->triangle_face[t] = f;
    return status;
}

/* Edges of the triangulation are in the same order as those of the solid, with diagonals between them. */
static abut_status map_edges(const abut_faceted_data *mesh, abut_polyhedron *solid, abut_error *error)
{
    solid->mesh_edge_count = mesh->edge_count;
    solid->edge_of = abut_base_alloc(&solid->alloc, mesh->edge_count, sizeof *solid->edge_of);
    if (!solid->edge_of)
        return abut_base_fail_memory(error);
    const abut_brep *brep = solid->topology;
    uint32_t edge = 0;
    for (size_t i = 0; i < mesh->edge_count; ++i) {
        const uint32_t *ends = mesh->edge_ends + 2 * i;
        if (edge < brep->edge_count && brep->edges[edge].from == ends[0] && brep->edges[edge].to == ends[1])
            solid->edge_of[i] = edge++;
        else
            solid->edge_of[i] = ~solid->triangle_face[mesh->edge_faces[2 * i]];
    }
    return ABUT_OK;
}

/* The topology is closed already: an edge of more than two triangles is a diagonal of two faces. */
static abut_status connect(abut_shape *shape, const abut_polyhedron *solid, abut_error *error)
{
    abut_error found;
    const abut_status status = abut_shape_connect(&shape->u.faceted, &shape->bounds, &shape->alloc, &found);
    if (status == ABUT_ERR_MEMORY)
        return abut_base_fail_memory(error);
    if (status && found.index >= 0) {
        const uint32_t face = solid->triangle_face[found.index];
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, face,
                              "the boundary touches itself: face %" PRIu32
                              " and another have two vertices, and what is between them, in common",
                              face);
    }
    if (status && error)
        *error = found;
    return status;
}

static abut_status fill(abut_shape *shape, const abut_polyhedron_def *def, abut_workspace *ws,
                        abut_error *error)
{
    abut_faceted_data *mesh = &shape->u.faceted;
    abut_polyhedron *solid = mesh->polyhedron =
        abut_base_alloc_zero(&shape->alloc, 1, sizeof *mesh->polyhedron);
    uint32_t *weld = abut_workspace_take(ws, def->vertex_count, sizeof *weld);
    mesh->vertex_count = def->vertex_count;
    mesh->solid = true;
    mesh->vertices = abut_copy_items(&shape->alloc, def->vertices, def->vertex_count, sizeof *def->vertices);
    if (solid)
        solid->alloc = shape->alloc;
    if (!solid || !weld || !mesh->vertices ||
        !abut_weld_vertices(def->vertices, def->vertex_count, weld, &shape->alloc))
        return abut_base_fail_memory(error);
    const double size = fmin(abut_max_norm(abut_sub(shape->bounds.hi, shape->bounds.lo)), DBL_MAX);
    abut_status status = make_topology(def, weld, ws, solid, error);
    if (!status)
        status = make_triangles(shape, solid, def->planarity > 0 ? def->planarity : usual_planarity, size, ws,
                                error);
    if (!status)
        status = connect(shape, solid, error);
    if (!status)
        status = map_edges(mesh, solid, error);
    if (status)
        return status;
    const abut_bvh_def tree = { .vertices = mesh->vertices,
                                .triangles = mesh->corners,
                                .vertex_count = mesh->vertex_count,
                                .triangle_count = mesh->face_count };
    mesh->tree = abut_bvh_create(&tree, &shape->alloc);
    solid->shell_signs =
        abut_base_alloc(&shape->alloc, solid->topology->shell_count, sizeof *solid->shell_signs);
    if (!mesh->tree || !solid->shell_signs)
        return abut_base_fail_memory(error);
    const abut_brep_triangles triangles = { .brep = solid->topology,
                                            .vertices = mesh->vertices,
                                            .triangles = mesh->corners,
                                            .starts = solid->face_starts,
                                            .face_of = solid->triangle_face,
                                            .tree = mesh->tree,
                                            .box = shape->bounds };
    status = abut_brep_check_self(&triangles, error);
    if (!status)
        status = abut_brep_check_shells(&triangles, solid->shell_signs, error);
    if (!status)
        abut_brep_mass_of(mesh->vertices, mesh->corners, mesh->face_count, &solid->mass);
    return status;
}

static ABUT_MATH_NOINLINE abut_status create(const abut_polyhedron_def *def, const abut_aabb *box,
                                             const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_shape *shape = abut_shape_new(ABUT_SHAPE_POLYHEDRON, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    shape->bounds = *box;
    abut_workspace ws;
    abut_workspace_open(&ws, &shape->alloc);
    const abut_status status = fill(shape, def, &ws, error);
    abut_workspace_close(&ws);
    if (status)
        return abut_shape_fail(shape, status);
    *out = shape;
    return ABUT_OK;
}

abut_status abut_shape_create_polyhedron_with(const abut_polyhedron_def *def, const abut_allocator *alloc,
                                              abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    abut_polyhedron_def known;
    abut_polyhedron_def_init(&known);
    if (!def || !abut_options_read(&known, sizeof known, def))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "the definition is not set up: abut_polyhedron_def_init does that");
    abut_aabb box;
    abut_status status = check_def(&known, &box, error);
    if (!status) {
        const abut_nearest saved = abut_nearest_enter();
        status = create(&known, &box, alloc, out, error);
        if (status == ABUT_ERR_ARGUMENT && known.merge) {
            /* what is wrong, by the numbers of the input; or faces that are better left as they are */
            known.merge = false;
            status = create(&known, &box, alloc, out, error);
        }
        abut_nearest_leave(saved);
    }
    return status;
}

abut_status abut_shape_create_polyhedron(const abut_vec3 *vertices, size_t vertex_count,
                                         const uint32_t *face_sizes, size_t face_count,
                                         const uint32_t *indices, size_t index_count,
                                         const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    const abut_polyhedron_def def = { .struct_size = sizeof def,
                                      .vertices = vertices,
                                      .vertex_count = vertex_count,
                                      .face_count = face_count,
                                      .loop_count = face_count,
                                      .loop_sizes = face_sizes,
                                      .index_count = index_count,
                                      .indices = indices };
    return abut_shape_create_polyhedron_with(&def, alloc, out, error);
}

/* ---- what it is ---- */

abut_status abut_polyhedron_get_info(const abut_shape *shape, abut_polyhedron_info *out)
{
    if (!out || abut_shape_get_type(shape) != ABUT_SHAPE_POLYHEDRON)
        return ABUT_ERR_ARGUMENT;
    const abut_polyhedron *solid = shape->u.faceted.polyhedron;
    const abut_brep *brep = solid->topology;
    *out = (abut_polyhedron_info){ .edges = brep->edge_count,
                                   .faces = brep->face_count,
                                   .loops = brep->loop_count,
                                   .shells = brep->shell_count,
                                   .triangles = solid->triangle_count,
                                   .volume = solid->mass.volume,
                                   .area = solid->mass.area,
                                   .centroid = solid->mass.centroid,
                                   .inertia = solid->mass.inertia };
    for (size_t v = 0; v < brep->vertex_count; ++v)
        out->vertices += brep->vertex_starts[v + 1] > brep->vertex_starts[v];
    for (size_t s = 0; s < brep->shell_count; ++s)
        out->cavities += solid->shell_signs[s] < 0;
    /* Euler-Poincare: v - e + f - holes = 2 (shells - genus) */
    const int64_t holes = (int64_t)brep->loop_count - (int64_t)brep->face_count;
    const int64_t euler =
        (int64_t)out->vertices - (int64_t)brep->edge_count + (int64_t)brep->face_count - holes;
    out->genus = (int64_t)brep->shell_count - euler / 2;
    return ABUT_OK;
}

abut_status abut_polyhedron_get_edge(const abut_shape *shape, size_t edge, uint32_t vertices[2],
                                     uint32_t faces[2])
{
    if (abut_shape_get_type(shape) != ABUT_SHAPE_POLYHEDRON)
        return ABUT_ERR_ARGUMENT;
    const abut_brep *brep = shape->u.faceted.polyhedron->topology;
    if (edge >= brep->edge_count)
        return ABUT_ERR_ARGUMENT;
    if (vertices) {
        vertices[0] = brep->edges[edge].from;
        vertices[1] = brep->edges[edge].to;
    }
    for (int k = 0; faces && k < 2; ++k)
        faces[k] = abut_brep_edge_face(brep, (uint32_t)edge, k);
    return ABUT_OK;
}

int64_t abut_polyhedron_find_edge(const abut_shape *shape, uint32_t a, uint32_t b)
{
    if (abut_shape_get_type(shape) != ABUT_SHAPE_POLYHEDRON)
        return -1;
    const abut_faceted_data *mesh = &shape->u.faceted;
    if (a >= mesh->vertex_count || b >= mesh->vertex_count)
        return -1;
    const int64_t found = abut_edge_find(mesh, mesh->weld[a], mesh->weld[b]);
    if (found < 0 || mesh->polyhedron->edge_of[found] > INT32_MAX)
        return -1;
    return (int64_t)mesh->polyhedron->edge_of[found];
}

int64_t abut_polyhedron_find_face(const abut_shape *shape, size_t given)
{
    if (abut_shape_get_type(shape) != ABUT_SHAPE_POLYHEDRON)
        return -1;
    const abut_polyhedron *solid = shape->u.faceted.polyhedron;
    if (given >= (solid->given_faces ? solid->given_count : solid->topology->face_count))
        return -1;
    return solid->given_faces ? (int64_t)solid->given_faces[given] : (int64_t)given;
}

const abut_index *abut_shape_index(const abut_shape *shape)
{
    /* Shapes are made by abut_shape_new, so the object is not const, and only this field ever changes. */
    const abut_faceted_data *mesh = &shape->u.faceted;
    abut_polyhedron *solid = mesh->polyhedron;
    abut_index *kept = atomic_load_explicit(&solid->index, memory_order_acquire);
    if (kept)
        return kept;
    const abut_index_def def = { .of = { .brep = solid->topology,
                                         .vertices = mesh->vertices,
                                         .triangles = mesh->corners,
                                         .starts = solid->face_starts,
                                         .face_of = solid->triangle_face,
                                         .tree = mesh->tree,
                                         .box = shape->bounds },
                                 .triangle_count = mesh->face_count,
                                 .edge_count = mesh->edge_count,
                                 .edge_ends = mesh->edge_ends,
                                 .edge_triangles = mesh->edge_faces,
                                 .edge_of = solid->edge_of };
    abut_index *made = abut_index_create(&def, &shape->alloc);
    if (!made)
        return NULL;
    if (atomic_compare_exchange_strong(&solid->index, &kept, made))
        return made;
    abut_index_destroy(made);
    return kept;
}

abut_status abut_polyhedron_get_index(const abut_shape *shape, abut_index_info *out)
{
    if (!out || abut_shape_get_type(shape) != ABUT_SHAPE_POLYHEDRON)
        return ABUT_ERR_ARGUMENT;
    const abut_nearest saved = abut_nearest_enter();
    const abut_index *index = abut_shape_index(shape);
    abut_nearest_leave(saved);
    if (!index)
        return ABUT_ERR_MEMORY;
    *out = (abut_index_info){ .nodes = index->node_count,
                              .axis_nodes = index->axis_nodes,
                              .face_nodes = index->face_nodes,
                              .edge_nodes = index->edge_nodes,
                              .vertex_nodes = index->vertex_nodes,
                              .leaves = index->leaf_count,
                              .height = index->height,
                              .average_height = index->average_height,
                              .seconds = index->seconds,
                              .bytes = sizeof *index + index->node_count * sizeof *index->nodes +
                                       index->run_count * sizeof *index->runs +
                                       index->grid.count * sizeof *index->grid.cells +
                                       index->leaf_count * sizeof *index->leaves };
    return ABUT_OK;
}
