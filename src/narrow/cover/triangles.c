/* SPDX-License-Identifier: MIT */
/* Large meshes: features of all triangles would take longer than the search, which looks at few of them. So
 * a group is a range of the list of triangles, halved by the middle of its box when the search comes to it
 * (as in quicksort: twice the number of triangles in all, where it goes down in one place), and a triangle,
 * its edges and its vertices become parts when their group is opened. */
#include "math/vec3.h"
#include "narrow/cover/cover.h"

#include <string.h>

enum { LARGE = 192, ROOM = 256, PARTS = 7 };

bool abut_cover_is_large(const abut_shape *shape)
{
    return abut_shape_has_triangles(shape->type) && shape->u.faceted.face_count > LARGE;
}

static abut_vec3 corner(const abut_faceted_data *mesh, uint32_t face, int k)
{
    return mesh->vertices[mesh->corners[3 * (size_t)face + (size_t)k]];
}

/* Room for the parts of one more triangle. */
static bool reserve(abut_cover_body *body, abut_workspace *ws)
{
    abut_brep_body *b = &body->parts;
    const size_t count = b->own.count;
    if (count + PARTS <= body->part_room)
        return true;
    const size_t room = body->part_room ? 2 * body->part_room : ROOM;
    abut_part *own = abut_workspace_take(ws, room, sizeof *own),
              *parts = abut_workspace_take(ws, room, sizeof *parts);
    bool *placed = abut_workspace_take(ws, room, sizeof *placed);
    if (!own || !parts || !placed)
        return false;
    memset(placed, 0, room * sizeof *placed);
    if (count > 0) {
        memcpy(own, b->own.parts, count * sizeof *own);
        memcpy(parts, b->parts, count * sizeof *parts);
        memcpy(placed, b->placed, count * sizeof *placed);
    }
    b->own.parts = own;
    b->parts = parts;
    b->placed = placed;
    body->part_room = room;
    return true;
}

abut_status abut_cover_open_large(abut_cover_body *body, abut_workspace *ws)
{
    abut_brep_body *b = &body->parts;
    const size_t count = body->shape->u.faceted.face_count;
    const abut_aabb *bounds = &body->shape->bounds;
    body->order = abut_workspace_take(ws, count, sizeof *body->order);
    if (!body->order)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < count; ++i)
        body->order[i] = (uint32_t)i;
    b->own = (abut_features){ .scale = fmax(abut_max_norm(bounds->lo), abut_max_norm(bounds->hi)) };
    b->features = &b->own;
    body->scale = b->own.scale;
    body->empty = false;
    return reserve(body, ws) ? ABUT_OK : ABUT_ERR_MEMORY;
}

static abut_vec3 least(abut_vec3 a, abut_vec3 b)
{
    return abut_v3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}

static abut_vec3 most(abut_vec3 a, abut_vec3 b)
{
    return abut_v3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}

/* A group of triangles: `feature` is the first in the order, `along` how many they are. Of a group of parts
 * `along` is below zero. */
static abut_status enter(abut_cover_body *body, uint32_t first, size_t count, double slack,
                         abut_workspace *ws, abut_cover_cell **out)
{
    const abut_faceted_data *mesh = &body->shape->u.faceted;
    abut_cover_cell *c = abut_cover_new(body, ws);
    *out = c;
    if (!c)
        return ABUT_ERR_MEMORY;
    abut_aabb box = { corner(mesh, body->order[first], 0), corner(mesh, body->order[first], 0) };
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) {
            const abut_vec3 p = corner(mesh, body->order[first + i], k);
            box.lo = least(box.lo, p);
            box.hi = most(box.hi, p);
        }
    abut_cover_fit_group(body, &box, slack, &c->at);
    c->feature = first;
    c->along = (int)count;
    return ABUT_OK;
}

abut_status abut_cover_begin_large(abut_cover_body *body, double slack, abut_workspace *ws)
{
    return enter(body, 0, body->shape->u.faceted.face_count, slack, ws, &body->root);
}

static double middle(const abut_faceted_data *mesh, uint32_t face, int axis)
{
    return abut_part3(corner(mesh, face, 0), axis) + abut_part3(corner(mesh, face, 1), axis) +
           abut_part3(corner(mesh, face, 2), axis);
}

/* The triangles whose middles are below the mean, along the longest side of the box, come first. */
static size_t divide(abut_cover_body *body, const abut_cover_cell *cell)
{
    const abut_faceted_data *mesh = &body->shape->u.faceted;
    uint32_t *list = body->order + cell->feature;
    const size_t count = (size_t)cell->along;
    const double *half = cell->at.half;
    const int axis = half[0] >= half[1] && half[0] >= half[2] ? 0 : half[1] >= half[2] ? 1 : 2;
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += middle(mesh, list[i], axis);
    const double mean = sum / (double)count;
    size_t left = 0;
    for (size_t i = 0; i < count; ++i)
        if (middle(mesh, list[i], axis) < mean) {
            const uint32_t face = list[i];
            list[i] = list[left];
            list[left++] = face;
        }
    return left == 0 || left == count ? count / 2 : left;
}

static ABUT_NOINLINE void fetch(const abut_facets *f, uint32_t face, abut_facet_corner out[3])
{
    f->methods->corners(f, face, out);
}

/* Parts of one triangle. Of a solid each edge belongs to the side that runs up the numbers of vertices. */
static bool make_parts(abut_cover_body *body, uint32_t face, abut_workspace *ws)
{
    const abut_facets *facets = &body->facets;
    abut_features *f = &body->parts.own;
    abut_facet_corner c[3];
    abut_vec3 p[3];
    if (!reserve(body, ws))
        return false;
    const abut_rounding saved = abut_rounding_enter();
    fetch(facets, face, c);
    abut_rounding_leave(saved);
    for (int k = 0; k < 3; ++k)
        p[k] = abut_v3(c[k].at.x.lo, c[k].at.y.lo, c[k].at.z.lo);
    const abut_vec3 up = { 0, 0, 1 }, normal = abut_cross(abut_sub(p[1], p[0]), abut_sub(p[2], p[0]));
    abut_part *t = abut_cover_add_part(f, ABUT_CELL_TRIANGLE, p[0], abut_unit_or(normal, up));
    t->x = abut_unit_or(abut_sub(p[1], p[0]), t->x);
    t->y = abut_cross(t->z, t->x);
    memcpy(t->points, p, sizeof p);
    t->entity = (uint32_t)facets->methods->face_id(facets, face);
    for (int k = 0; k < 3; ++k) {
        const int next = (k + 1) % 3;
        const abut_vec3 d = abut_sub(p[next], p[k]);
        const double length = abut_length(d);
        if (!(length > 0) || (facets->solid && c[k].vertex > c[next].vertex))
            continue;
        abut_part *e = abut_cover_add_part(f, ABUT_CELL_SEGMENT, p[k], abut_scale(1 / length, d));
        e->v1 = length;
        e->entity = (uint32_t)facets->methods->edge_id(facets, c[k].vertex, c[next].vertex);
    }
    for (int k = 0; k < 3; ++k)
        abut_cover_add_part(f, ABUT_CELL_POINT, p[k], up)->entity =
            (uint32_t)facets->methods->vertex_id(facets, c[k].vertex);
    return true;
}

/* A group of parts, in the box of the triangle; or the part itself. */
static abut_status enter_parts(abut_cover_body *body, const abut_cell *box, uint32_t first, int count,
                               double slack, abut_workspace *ws, abut_cover_cell **out)
{
    if (count == 1)
        return abut_cover_enter_part(body, ~(int32_t)first, slack, ws, out);
    abut_cover_cell *c = abut_cover_new(body, ws);
    *out = c;
    if (!c)
        return ABUT_ERR_MEMORY;
    c->at = *box;
    c->feature = first;
    c->along = -count;
    return ABUT_OK;
}

abut_status abut_cover_expand_large(abut_cover_body *body, abut_cover_cell *cell, double slack,
                                    abut_workspace *ws)
{
    if (cell->along > 1) {
        const size_t left = divide(body, cell), count = (size_t)cell->along;
        const abut_status status = enter(body, cell->feature, left, slack, ws, &cell->child[0]);
        return status ? status
                      : enter(body, cell->feature + (uint32_t)left, count - left, slack, ws, &cell->child[1]);
    }
    uint32_t first = cell->feature;
    int count = -cell->along, left = count / 2;
    if (cell->along > 0) {
        const uint32_t face = body->order[first];
        first = (uint32_t)body->parts.own.count;
        if (!make_parts(body, face, ws))
            return ABUT_ERR_MEMORY;
        count = (int)(body->parts.own.count - first);
        left = 1; /* the triangle */
    }
    const abut_status status = enter_parts(body, &cell->at, first, left, slack, ws, &cell->child[0]);
    return status ? status
                  : enter_parts(body, &cell->at, first + (uint32_t)left, count - left, slack, ws,
                                &cell->child[1]);
}
