/* SPDX-License-Identifier: MIT */
/* Shapes under an affine map that need not be rigid, as shapes of their own.
 *
 * What is made of points (boxes, hulls, meshes, polyhedra, Bezier patches) is made of the mapped points, rounded
 * to doubles: those are the body. A half-space has its normal mapped by the cofactors. A parametric
 * surface has the map appended to its expressions. Solids that can be operands of a combination become
 * one with a single, placed operand, whose fields enclose the map.
 *
 * A map that mirrors turns faces over: triangles are reversed, and the side that the normals of a
 * parametric surface tell changes. */
#include "abut/polyhedron.h"
#include "brep/polyhedron.h"
#include "expr/graph.h"
#include "math/vec3.h"
#include "motion/motion.h"
#include "shape/csg/csg.h"
#include "shape/hull/hull.h"
#include "surface/body.h"

#include <math.h>
#include <string.h>

static abut_vec3 mapped(const abut_affine *at, abut_vec3 p)
{
    return abut_add(abut_mul(&at->linear, p), at->translation);
}

static double determinant(const abut_affine *at)
{
    const double(*m)[3] = at->linear.m;
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static abut_status map_points(const abut_affine *at, const abut_vec3 *from, size_t count, abut_workspace *ws,
                              abut_vec3 **out)
{
    *out = abut_workspace_take(ws, count, sizeof **out);
    if (!*out)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < count; ++i)
        (*out)[i] = mapped(at, from[i]);
    return ABUT_OK;
}

static abut_status map_hull(const abut_affine *at, const abut_vec3 *points, size_t count, abut_workspace *ws,
                            const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_vec3 *to;
    if (map_points(at, points, count, ws, &to))
        return abut_base_fail_memory(error);
    return abut_shape_create_convex(to, count, 0, alloc, out, error);
}

static abut_status map_box(const abut_affine *at, abut_vec3 half, abut_workspace *ws,
                           const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_vec3 corners[8];
    for (int i = 0; i < 8; ++i)
        corners[i] = abut_v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    return map_hull(at, corners, 8, ws, alloc, out, error);
}

static abut_status map_halfspace(const abut_affine *at, const abut_shape *of, const abut_allocator *alloc,
                                 abut_shape **out, abut_error *error)
{
    const double sign = determinant(at) < 0 ? -1 : 1;
    const abut_vec3 row[3] = { abut_v3(at->linear.m[0][0], at->linear.m[0][1], at->linear.m[0][2]),
                               abut_v3(at->linear.m[1][0], at->linear.m[1][1], at->linear.m[1][2]),
                               abut_v3(at->linear.m[2][0], at->linear.m[2][1], at->linear.m[2][2]) };
    const abut_vec3 n = of->u.halfspace.normal;
    const abut_vec3 normal = abut_scale(sign, abut_v3(abut_dot(abut_cross(row[1], row[2]), n),
                                                      abut_dot(abut_cross(row[2], row[0]), n),
                                                      abut_dot(abut_cross(row[0], row[1]), n)));
    const double offset = sign * determinant(at) * of->u.halfspace.offset + abut_dot(normal, at->translation);
    const abut_status status = abut_shape_create_halfspace(normal, offset, alloc, out);
    return status ? abut_base_fail(error, status, -1, "the mapped halfspace has no finite normal") : ABUT_OK;
}

static abut_status map_mesh(const abut_affine *at, const abut_faceted_data *mesh, abut_workspace *ws,
                            const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_vec3 *vertices;
    uint32_t *const corners = abut_workspace_take(ws, mesh->corner_count, sizeof *corners);
    if (!corners || map_points(at, mesh->vertices, mesh->vertex_count, ws, &vertices))
        return abut_base_fail_memory(error);
    memcpy(corners, mesh->corners, mesh->corner_count * sizeof *corners);
    for (size_t i = 0; determinant(at) < 0 && i + 2 < mesh->corner_count; i += 3) {
        corners[i + 1] = mesh->corners[i + 2];
        corners[i + 2] = mesh->corners[i + 1];
    }
    return abut_shape_create_mesh(vertices, mesh->vertex_count, corners, mesh->face_count, mesh->solid, alloc,
                                  out, error);
}

/* Faces that were accepted stay so, however the map bends what of them is not planar. */
static const double bent = 1e-2;

static abut_status map_polyhedron(const abut_affine *at, const abut_faceted_data *of, abut_workspace *ws,
                                  const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    const abut_brep *b = of->polyhedron->topology;
    abut_vec3 *vertices;
    uint32_t *const face_loops = abut_workspace_take(ws, b->face_count, sizeof *face_loops),
                    *const sizes = abut_workspace_take(ws, b->loop_count, sizeof *sizes),
                    *const indices = abut_workspace_take(ws, b->coedge_count, sizeof *indices);
    if (!face_loops || !sizes || !indices || map_points(at, of->vertices, of->vertex_count, ws, &vertices))
        return abut_base_fail_memory(error);
    const bool mirrors = determinant(at) < 0;
    size_t loops = 0, used = 0;
    for (size_t f = 0; f < b->face_count; ++f) {
        face_loops[f] = b->faces[f].end - b->faces[f].begin;
        for (uint32_t l = b->faces[f].begin; l < b->faces[f].end; ++l) {
            const uint32_t begin = b->loops[l].begin, end = b->loops[l].end;
            sizes[loops++] = end - begin;
            for (uint32_t i = begin; i < end; ++i)
                indices[used++] = abut_brep_start(b, mirrors ? begin + end - 1 - i : i);
        }
    }
    abut_polyhedron_def def;
    abut_polyhedron_def_init(&def);
    def.vertices = vertices;
    def.vertex_count = of->vertex_count;
    def.face_count = b->face_count;
    def.face_loops = face_loops;
    def.loop_count = loops;
    def.loop_sizes = sizes;
    def.index_count = used;
    def.indices = indices;
    def.planarity = bent;
    return abut_shape_create_polyhedron_with(&def, alloc, out, error);
}

static abut_status map_bezier(const abut_affine *at, const abut_shape *of, abut_workspace *ws,
                              const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    const size_t n = of->u.bezier.patch_count;
    abut_bezier_patch *const patches = abut_workspace_take(ws, n, sizeof *patches);
    if (!patches)
        return abut_base_fail_memory(error);
    for (size_t i = 0; i < n; ++i) {
        const abut_patch_data *p = &of->u.bezier.patches[i];
        abut_vec3 *points;
        if (map_points(at, p->points, (size_t)(p->degree_u + 1) * (size_t)(p->degree_v + 1), ws, &points))
            return abut_base_fail_memory(error);
        patches[i] = (abut_bezier_patch){ p->degree_u, p->degree_v, points, p->weights };
    }
    return abut_shape_create_bezier(patches, n, alloc, out, error);
}

/* ---- parametric ---- */

static uint32_t add(abut_expr_graph *g, abut_status *status, abut_expr_op op, uint32_t a, uint32_t b,
                    double value)
{
    uint32_t out = 0;
    if (!*status)
        *status = abut_expr_graph_add(g, op, a, b, value, &out);
    return out;
}

/* a x + b y + c z + d; terms with a factor 0 are left out, so that no rounding enters with them. */
static uint32_t add_row(abut_expr_graph *g, abut_status *status, const uint32_t xyz[3], const double row[3],
                        double shift)
{
    uint32_t sum = 0;
    bool any = false;
    for (int k = 0; k < 4; ++k) {
        const double factor = k < 3 ? row[k] : shift;
        if (factor == 0)
            continue;
        const uint32_t number = add(g, status, ABUT_EXPR_NUMBER, 0, 0, factor);
        const uint32_t term = k == 3        ? number
                              : factor == 1 ? xyz[k]
                                            : add(g, status, ABUT_EXPR_MULTIPLY, number, xyz[k], 0);
        sum = any ? add(g, status, ABUT_EXPR_ADD, sum, term, 0) : term;
        any = true;
    }
    return any ? sum : add(g, status, ABUT_EXPR_NUMBER, 0, 0, 0);
}

static abut_status append_map(abut_expr_graph *g, const abut_affine *at, const abut_expr *from,
                              abut_workspace *ws, uint32_t roots[3])
{
    uint32_t *const index = abut_workspace_take(ws, from->node_count, sizeof *index);
    uint32_t xyz[3];
    abut_status status = index ? ABUT_OK : ABUT_ERR_MEMORY;
    for (size_t i = 0; i < from->node_count && !status; ++i) {
        const abut_expr_node *const n = &from->nodes[i];
        const int operands = abut_expr_operand_count((abut_expr_op)n->op);
        const uint32_t a = operands > 0 ? index[n->a] : n->a, b = operands > 1 ? index[n->b] : n->b;
        index[i] = add(g, &status, (abut_expr_op)n->op, a, b, n->value);
    }
    for (int i = 0; i < 3 && !status; ++i)
        xyz[i] = index[from->roots[i]];
    const double shift[3] = { at->translation.x, at->translation.y, at->translation.z };
    for (int i = 0; i < 3 && !status; ++i)
        roots[i] = add_row(g, &status, xyz, at->linear.m[i], shift[i]);
    return status;
}

static abut_status map_parametric(const abut_affine *at, const abut_shape *of, abut_workspace *ws,
                                  const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    const double *u = of->u.parametric.u, *v = of->u.parametric.v;
    const abut_domain domain = { { u[0], u[1] },
                                 { v[0], v[1] },
                                 of->u.parametric.wrap_u,
                                 of->u.parametric.wrap_v,
                                 of->u.parametric.normal_in != (determinant(at) < 0) };
    const abut_allocator own = abut_base_allocator(alloc);
    abut_expr_graph graph;
    abut_expr *expr = NULL;
    uint32_t roots[3];
    abut_expr_graph_open(&graph, &own);
    abut_status status = append_map(&graph, at, of->u.parametric.position, ws, roots);
    if (!status)
        status = abut_expr_graph_finish(&graph, roots, 3, 3, &expr);
    abut_expr_graph_close(&graph);
    if (status)
        return status == ABUT_ERR_MEMORY ? abut_base_fail_memory(error)
                                         : abut_base_fail(error, status, -1, "the expressions are too large");
    return abut_shape_make_parametric(expr, &domain, alloc, out, error);
}

/* ---- all of them ---- */

static abut_status map_operand(const abut_affine *at, abut_shape *of, const abut_allocator *alloc,
                               abut_shape **out, abut_error *error)
{
    abut_motion *place = NULL;
    abut_status status = abut_motion_create_static_affine(at, alloc, &place, error);
    const abut_csg_operand operand = { of, place };
    if (!status)
        status = abut_shape_create_csg_placed(ABUT_CSG_UNION, &operand, 1, alloc, out, error);
    abut_motion_release(place);
    return status;
}

static abut_status map_shape(const abut_affine *at, abut_shape *of, abut_workspace *ws,
                             const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    switch (of->type) {
    case ABUT_SHAPE_BOX: return map_box(at, of->u.box.half, ws, alloc, out, error);
    case ABUT_SHAPE_HALFSPACE: return map_halfspace(at, of, alloc, out, error);
    case ABUT_SHAPE_MESH: return map_mesh(at, &of->u.faceted, ws, alloc, out, error);
    case ABUT_SHAPE_POLYHEDRON: return map_polyhedron(at, &of->u.faceted, ws, alloc, out, error);
    case ABUT_SHAPE_BEZIER: return map_bezier(at, of, ws, alloc, out, error);
    case ABUT_SHAPE_CONVEX:
        if (of->u.convex.margin == 0)
            return map_hull(at, of->u.convex.points, of->u.convex.point_count, ws, alloc, out, error);
        break;
    case ABUT_SHAPE_PARAMETRIC:
        if (of->u.parametric.position)
            return map_parametric(at, of, ws, alloc, out, error);
        break;
    case ABUT_SHAPE_SPHERE:
    case ABUT_SHAPE_ELLIPSOID:
    case ABUT_SHAPE_CAPSULE:
    case ABUT_SHAPE_CYLINDER:
    case ABUT_SHAPE_CONE:
    case ABUT_SHAPE_TORUS:
    case ABUT_SHAPE_IMPLICIT:
    case ABUT_SHAPE_CSG:
    case ABUT_SHAPE_EXTRUDE:
    case ABUT_SHAPE_REVOLVE: return map_operand(at, of, alloc, out, error);
    default: break;
    }
    return abut_base_fail(error, ABUT_ERR_UNSUPPORTED, -1, "a %s%s is not mapped by a matrix",
                          abut_shape_type_name(of->type),
                          of->type == ABUT_SHAPE_CONVEX ? " with a margin" : "");
}

typedef struct inverse_call {
    const abut_mat3 *linear;
    bool regular;
} inverse_call;

static ABUT_NOINLINE void examine_inverse(inverse_call *c)
{
    const ia33 m = ia33_point(c->linear);
    ia33 inverse;
    c->regular = ia33_invert(&m, &inverse);
}

static abut_status check_map(const abut_affine *at, abut_error *error)
{
    inverse_call call = { .linear = &at->linear };
    bool finite = abut_is_finite3(at->translation);
    for (int i = 0; i < 9; ++i)
        finite = finite && isfinite(at->linear.m[i / 3][i % 3]);
    if (!finite)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the matrix has a number that is not finite");
    const abut_rounding saved = abut_rounding_enter();
    examine_inverse(&call);
    abut_rounding_leave(saved);
    return call.regular ? ABUT_OK
                        : abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                                         "the matrix is singular, or nearly: it flattens the body");
}

abut_status abut_shape_create_transformed(abut_shape *of, const abut_affine *at, const abut_allocator *alloc,
                                          abut_shape **out, abut_error *error)
{
    abut_workspace ws;
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    if (!of || !at)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a shape and a map are needed");
    abut_status status = check_map(at, error);
    if (status)
        return status;
    abut_workspace_open(&ws, alloc);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    status = map_shape(at, of, &ws, alloc, out, error);
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
    return status;
}
