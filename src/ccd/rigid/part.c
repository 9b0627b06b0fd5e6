/* SPDX-License-Identifier: MIT */
/* Hierarchies of boxes over the pieces of a body; see part.h.
 *
 * Boxes of trees are floats that are off by less than 2^-16 of their size, and their axes are
 * orthonormal to a few units of 2^-23: half sizes are widened by 2^-14 of the box's, which
 * covers both. Coordinates of the body are off by a few ulp of its extent, which the caller
 * covers (window.c). */
#include "ccd/rigid/part.h"

#include "abut/predicates.h"
#include "math/vec3.h"

static const double u = 0x1p-53;

bool abut_part_set(const abut_shape *shape, abut_rigid_part *out)
{
    const abut_aabb box = shape->bounds;
    *out = (abut_rigid_part){ .shape = shape, .unit = 1, .reach = INFINITY };
    out->middle = abut_v3(0.5 * box.lo.x + 0.5 * box.hi.x, 0.5 * box.lo.y + 0.5 * box.hi.y,
                          0.5 * box.lo.z + 0.5 * box.hi.z);
    if (box.lo.x <= 0 && box.hi.x >= 0 && box.lo.y <= 0 && box.hi.y >= 0 && box.lo.z <= 0 && box.hi.z >= 0)
        out->middle = abut_v3(0, 0, 0);
    switch (shape->type) {
    case ABUT_SHAPE_MESH:
    case ABUT_SHAPE_POLYHEDRON:
        out->mesh = &shape->u.faceted;
        if (!out->mesh->tree)
            return false;
        out->wide = out->mesh->tree->wide;
        out->binary = out->mesh->tree->binary;
        out->kind = out->wide ? ABUT_PART_WIDE : ABUT_PART_BINARY;
        out->unit = out->wide ? ldexp(1, out->wide->exponent) : 1;
        break;
    case ABUT_SHAPE_HEIGHTFIELD:
        out->kind = ABUT_PART_FIELD;
        out->field = &shape->u.heightfield;
        out->middle = abut_v3(0, 0, 0);
        return true;
    case ABUT_SHAPE_HALFSPACE:
        out->kind = ABUT_PART_PLANE;
        out->middle = abut_v3(0, 0, 0);
        return true;
    default:
        out->kind = ABUT_PART_BODY;
        if (shape->core.kind == ABUT_CORE_NONE)
            return false;
        break;
    }
    return abut_is_finite3(out->middle);
}

/* ---- height fields ---- */

/* Level, which triangle of a cell (2: all of a level block, 3: an inner node), and place. */
static abut_part_node field_node(int level, int which, size_t i, size_t j)
{
    return (abut_part_node)level << 58 | (abut_part_node)which << 56 | (abut_part_node)i << 28 | j;
}

static abut_field_block field_block(const abut_rigid_part *part, abut_part_node node)
{
    const abut_part_node low = ((abut_part_node)1 << 28) - 1;
    return abut_field_block_at(part->field, (int)(node >> 58), (size_t)(node >> 28 & low),
                               (size_t)(node & low));
}

static abut_part_node field_child(const abut_heightfield_data *field, int level, size_t i, size_t j)
{
    const abut_field_block block = abut_field_block_at(field, level, i, j);
    return field_node(level, block.lo == block.hi ? 2 : 3, i, j);
}

static int field_children(const abut_rigid_part *part, abut_part_node node, abut_part_node *out)
{
    const abut_heightfield_data *field = part->field;
    const abut_field_block block = field_block(part, node);
    int count = 0;
    if (block.level == 0) {
        out[0] = field_node(0, 0, block.i, block.j);
        out[1] = field_node(0, 1, block.i, block.j);
        return 2;
    }
    for (size_t k = 0; k < 4; ++k) {
        const size_t i = 2 * block.i + (k & 1), j = 2 * block.j + (k >> 1);
        if (i < abut_heightfield_blocks(field->columns - 1, block.level - 1) &&
            j < abut_heightfield_blocks(field->rows - 1, block.level - 1))
            out[count++] = field_child(field, block.level - 1, i, j);
    }
    return count;
}

/* ---- nodes ---- */

abut_part_node abut_part_root(const abut_rigid_part *part)
{
    switch (part->kind) {
    case ABUT_PART_WIDE: return part->wide->root;
    case ABUT_PART_BINARY: {
        const uint32_t link = abut_binary_link(&part->binary->view, 0);
        return link & ABUT_BINARY_LEAF ? ABUT_PART_TRIANGLE | (link & ~ABUT_BINARY_LEAF) : 0;
    }
    case ABUT_PART_FIELD: return field_child(part->field, part->field->pyramid->levels, 0, 0);
    default: return 0;
    }
}

int abut_part_children(const abut_rigid_part *part, abut_part_node node,
                       abut_part_node out[ABUT_PART_CHILDREN])
{
    int count = 0;
    if (abut_part_is_leaf(part, node))
        return 0;
    if (part->kind == ABUT_PART_FIELD)
        return field_children(part, node, out);
    if (part->kind == ABUT_PART_BINARY) {
        const uint32_t first = abut_binary_link(&part->binary->view, (uint32_t)node);
        for (uint32_t i = 0; i < 2; ++i) {
            const uint32_t link = abut_binary_link(&part->binary->view, first + i);
            out[count++] = link & ABUT_BINARY_LEAF
                               ? ABUT_PART_TRIANGLE | (abut_part_node)(link & ~ABUT_BINARY_LEAF)
                               : first + i;
        }
        return count;
    }
    const uint32_t ref = (uint32_t)node;
    if (wide_is_leaf(part->wide, ref)) {
        const wide_leaf *leaf = &part->wide->leaves[ref];
        for (uint32_t i = 0; i < leaf->head.count; ++i)
            out[count++] = ABUT_PART_TRIANGLE | (abut_part_node)leaf->id[i];
        return count;
    }
    const wide_node *inner = wide_node_of(part->wide, ref);
    for (uint32_t i = 0; i < inner->head.count; ++i)
        out[count++] = inner->first + i;
    return count;
}

/* ---- boxes ---- */

static void set_radius(abut_part_box *box)
{
    box->plane = false;
    box->radius = (1 + 0x1p-40) * sqrt(box->half[0] * box->half[0] + box->half[1] * box->half[1] +
                                       box->half[2] * box->half[2]);
}

static void box_upright(abut_vec3 lo, abut_vec3 hi, double widen, abut_part_box *out)
{
    out->centre = abut_v3(0.5 * lo.x + 0.5 * hi.x, 0.5 * lo.y + 0.5 * hi.y, 0.5 * lo.z + 0.5 * hi.z);
    out->axis[0] = abut_v3(1, 0, 0);
    out->axis[1] = abut_v3(0, 1, 0);
    out->axis[2] = abut_v3(0, 0, 1);
    out->half[0] = (0.5 * hi.x - 0.5 * lo.x) * (1 + widen);
    out->half[1] = (0.5 * hi.y - 0.5 * lo.y) * (1 + widen);
    out->half[2] = (0.5 * hi.z - 0.5 * lo.z) * (1 + widen);
    set_radius(out);
}

static void box_of_wide(const abut_rigid_part *part, uint32_t ref, abut_part_box *out)
{
    const wide_head *head = wide_head_of(part->wide, ref);
    const double s = part->unit, more = 0x1p-14 * s * (double)head->radius;
    const abut_vec3 origin = { head->origin[0], head->origin[1], head->origin[2] };
    out->centre = abut_madd(part->wide->centre, s, origin);
    for (int i = 0; i < 3; ++i) {
        out->axis[i] = abut_v3((double)head->axes[0][i], (double)head->axes[1][i], (double)head->axes[2][i]);
        out->half[i] = s * (double)head->half[i] + more;
    }
    set_radius(out);
}

static void box_of_corners(const abut_vec3 *p, size_t count, double radius, const abut_bv_frame *frame,
                           abut_part_box *out)
{
    abut_vec3 lo = p[0], hi = p[0];
    for (size_t i = 1; i < count; ++i) {
        lo = abut_v3(fmin(lo.x, p[i].x), fmin(lo.y, p[i].y), fmin(lo.z, p[i].z));
        hi = abut_v3(fmax(hi.x, p[i].x), fmax(hi.y, p[i].y), fmax(hi.z, p[i].z));
    }
    const double s = ldexp(1, frame->exponent), r = radius + 0x1p-20;
    lo = abut_madd(frame->middle, s, abut_sub(lo, abut_v3(r, r, r)));
    hi = abut_madd(frame->middle, s, abut_add(hi, abut_v3(r, r, r)));
    box_upright(lo, hi, 0x1p-14, out);
}

/* Volumes of all kinds are taken for upright boxes around them: binary trees are for those who
 * choose one, and what counts there is that it is right. */
static void box_of_binary(const abut_rigid_part *part, uint32_t node, abut_part_box *out)
{
    const abut_binary_view *view = &part->binary->view;
    const float *v = abut_binary_node(view, node);
    abut_vec3 p[ABUT_BV_CORNERS];
    double radius = 0;
    size_t count = 2;
    if (view->kind->corners) {
        count = view->kind->corners(v, p, &radius);
    } else if (view->kind->volume == ABUT_VOLUME_SPHERE) {
        p[0] = p[1] = abut_v3((double)v[0], (double)v[1], (double)v[2]);
        radius = (double)v[3];
    } else if (view->kind->volume == ABUT_VOLUME_AABB) {
        p[0] = abut_v3((double)v[0], (double)v[1], (double)v[2]);
        p[1] = abut_v3((double)v[3], (double)v[4], (double)v[5]);
    } else { /* k-DOPs begin with the axes or hold them somewhere */
        const int8_t(*directions)[3];
        const size_t n = abut_bv_kdop_directions(view->kind->volume, &directions);
        double lo[3] = { -4, -4, -4 }, hi[3] = { 4, 4, 4 };
        for (size_t i = 0; i < n; ++i)
            for (int k = 0; k < 3; ++k)
                if (directions[i][k] == 1 && directions[i][(k + 1) % 3] == 0 &&
                    directions[i][(k + 2) % 3] == 0) {
                    hi[k] = (double)v[i];
                    lo[k] = -(double)v[n + i];
                }
        p[0] = abut_v3(lo[0], lo[1], lo[2]);
        p[1] = abut_v3(hi[0], hi[1], hi[2]);
    }
    box_of_corners(p, count, radius, &view->frame, out);
}

static double span_along(const abut_vec3 t[3], abut_vec3 axis, double *middle)
{
    const double a = abut_dot(t[0], axis), b = abut_dot(t[1], axis), c = abut_dot(t[2], axis);
    const double lo = fmin(a, fmin(b, c)), hi = fmax(a, fmax(b, c));
    *middle = 0.5 * (lo + hi);
    return 0.5 * (hi - lo);
}

/* One axis along an edge, one across the triangle. */
static void box_of_triangle(const abut_rigid_part *part, uint32_t face, abut_part_box *out)
{
    abut_vec3 t[3], e[3];
    abut_mesh_corners(part->mesh, face, t);
    int longest = 0;
    double most = -1;
    for (int k = 0; k < 3; ++k) {
        e[k] = abut_sub(t[(k + 1) % 3], t[k]);
        const double square = abut_dot(e[k], e[k]);
        if (square > most) {
            most = square;
            longest = k;
        }
    }
    const abut_vec3 n = abut_cross(e[0], e[1]);
    const double across = abut_dot(n, n);
    if (!(most > 0x1p-400 && most < 0x1p400) || !(across > 0x1p-80 * most * most)) {
        const abut_vec3 lo = { fmin(t[0].x, fmin(t[1].x, t[2].x)), fmin(t[0].y, fmin(t[1].y, t[2].y)),
                               fmin(t[0].z, fmin(t[1].z, t[2].z)) },
                        hi = { fmax(t[0].x, fmax(t[1].x, t[2].x)), fmax(t[0].y, fmax(t[1].y, t[2].y)),
                               fmax(t[0].z, fmax(t[1].z, t[2].z)) };
        box_upright(lo, hi, 0x1p-40, out);
        return;
    }
    out->axis[0] = abut_scale(1 / sqrt(most), e[longest]);
    out->axis[1] = abut_scale(1 / sqrt(across), n);
    out->axis[2] = abut_cross(out->axis[0], out->axis[1]);
    /* Relative to a corner, so that what is far from the origin loses nothing. The cross product
     * of a thin triangle is off by 2^-50 most over its length, 2^-10 at worst. */
    const abut_vec3 from[3] = { { 0, 0, 0 }, e[0], abut_sub(t[2], t[0]) };
    const double tilt = 0x1p-48 * most / sqrt(across);
    abut_vec3 at = t[0];
    for (int i = 0; i < 3; ++i) {
        double middle;
        out->half[i] = span_along(from, out->axis[i], &middle) + (0x1p-45 + tilt) * sqrt(most);
        at = abut_madd(at, middle, out->axis[i]);
    }
    out->centre = at;
    set_radius(out);
}

static void box_of_field(const abut_rigid_part *part, abut_part_node node, abut_part_box *out)
{
    const abut_field_block b = field_block(part, node);
    const abut_vec3 lo = { abut_field_grid(part->field, 0, b.i0), abut_field_grid(part->field, 1, b.j0),
                           part->bottom },
                    hi = { abut_field_grid(part->field, 0, b.i1), abut_field_grid(part->field, 1, b.j1),
                           b.hi };
    box_upright(lo, hi, 0x1p-40, out);
    for (int i = 0; i < 2; ++i)
        out->half[i] += 8 * u * (fabs(i ? lo.y : lo.x) + fabs(i ? hi.y : hi.x));
    set_radius(out);
}

static void box_of_plane(const abut_shape *shape, abut_part_box *out)
{
    const abut_vec3 n = shape->u.halfspace.normal;
    *out = (abut_part_box){ .plane = true };
    out->axis[0] = abut_unit_or(n, abut_v3(0, 0, 1));
    const double big = fmax(fabs(n.x), fmax(fabs(n.y), fabs(n.z)));
    const abut_vec3 m = abut_scale(1 / big, n);
    out->offset = shape->u.halfspace.offset / big / sqrt(abut_dot(m, m));
}

void abut_part_box_of(const abut_rigid_part *part, abut_part_node node, abut_part_box *out)
{
    switch (part->kind) {
    case ABUT_PART_WIDE:
    case ABUT_PART_BINARY:
        if (node >= ABUT_PART_TRIANGLE)
            box_of_triangle(part, abut_part_face(node), out);
        else if (part->kind == ABUT_PART_WIDE)
            box_of_wide(part, (uint32_t)node, out);
        else
            box_of_binary(part, (uint32_t)node, out);
        return;
    case ABUT_PART_FIELD: box_of_field(part, node, out); return;
    case ABUT_PART_PLANE: box_of_plane(part->shape, out); return;
    default: box_upright(part->shape->bounds.lo, part->shape->bounds.hi, 0x1p-40, out); return;
    }
}

static double reach_below(const abut_rigid_part *part, abut_part_node node, int levels)
{
    abut_part_node nodes[ABUT_PART_CHILDREN];
    const int count = levels > 0 ? abut_part_children(part, node, nodes) : 0;
    double most = 0;
    if (count == 0 && abut_part_is_mesh(part) && abut_part_is_leaf(part, node)) {
        abut_vec3 t[3];
        abut_mesh_corners(part->mesh, abut_part_face(node), t);
        for (int k = 0; k < 3; ++k)
            most = fmax(most, abut_length(abut_sub(t[k], part->middle)) + 0x1p-44 * abut_length(t[k]));
        return (1 + 0x1p-40) * most;
    }
    if (count == 0) {
        abut_part_box box;
        abut_part_box_of(part, node, &box);
        return (1 + 0x1p-40) * (abut_length(abut_sub(box.centre, part->middle)) + box.radius) +
               0x1p-44 * abut_length(box.centre);
    }
    for (int i = 0; i < count; ++i)
        most = fmax(most, reach_below(part, nodes[i], levels - 1));
    return most;
}

void abut_part_find_reach(abut_rigid_part *part)
{
    if (part->kind == ABUT_PART_PLANE)
        return;
    const bool small = abut_part_is_mesh(part) && part->mesh->face_count <= 4096;
    part->reach = reach_below(part, abut_part_root(part),
                              small                          ? ABUT_BVH_DEPTH
                              : part->kind == ABUT_PART_WIDE ? 3
                                                             : 8);
}

/* ---- pieces ---- */

/* Corners of a degenerate triangle that span it: two, or one. */
static int spanning(const abut_vec3 t[3], abut_vec3 out[3])
{
    int from = 0, to = 0;
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 a = t[k], b = t[(k + 1) % 3];
        const double d = fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z)));
        if (d > most) {
            most = d;
            from = k;
            to = (k + 1) % 3;
        }
    }
    out[0] = t[from];
    out[1] = t[to];
    out[2] = t[from];
    return most > 0 ? 2 : 1;
}

static void piece_of_triangle(const abut_rigid_part *part, uint32_t face, abut_part_piece *out)
{
    abut_vec3 t[3];
    abut_mesh_hull *h = &out->own.triangle.hull;
    abut_shape *shape = &out->own.triangle.shape;
    abut_mesh_corners(part->mesh, face, t);
    abut_mesh_hull_init(h);
    int corners = 3;
    /* Exact, as the proofs are: a triangle on a line is a segment. */
    if (abut_collinear(t[0], t[1], t[2])) {
        abut_vec3 ends[3];
        corners = spanning(t, ends);
        memcpy(t, ends, sizeof t);
    }
    abut_mesh_hull_set(h, t);
    if (corners < 3) {
        h->hull.dimension = corners - 1;
        h->hull.vertex_count = (uint32_t)corners;
        h->hull.face_count = 0;
        h->hull.edge_count = (uint32_t)corners - 1;
        h->links[0] = 1;
        h->links[1] = 0;
        h->link_begin[0] = 0;
        h->link_begin[1] = (uint32_t)corners - 1;
        h->link_begin[2] = 2;
    }
    memset(shape, 0, sizeof *shape);
    shape->type = ABUT_SHAPE_CONVEX;
    shape->core = h->core;
    shape->core.inner = -INFINITY;
    shape->u.convex.hull = &h->hull;
    shape->bounds.lo = abut_v3(fmin(t[0].x, fmin(t[1].x, t[2].x)), fmin(t[0].y, fmin(t[1].y, t[2].y)),
                               fmin(t[0].z, fmin(t[1].z, t[2].z)));
    shape->bounds.hi = abut_v3(fmax(t[0].x, fmax(t[1].x, t[2].x)), fmax(t[0].y, fmax(t[1].y, t[2].y)),
                               fmax(t[0].z, fmax(t[1].z, t[2].z)));
    out->shape = shape;
    out->flat = true;
}

void abut_part_piece_of(const abut_rigid_part *part, abut_part_node leaf, abut_part_piece *out)
{
    out->shape = part->shape;
    out->flat = false;
    if (abut_part_is_mesh(part)) {
        piece_of_triangle(part, abut_part_face(leaf), out);
    } else if (part->kind == ABUT_PART_FIELD) {
        const abut_field_block block = field_block(part, leaf);
        abut_field_piece_make(part->field, &block, (int)(leaf >> 56 & 3), part->bottom, false,
                              &out->own.column);
        out->shape = &out->own.column.shape;
    }
}
