/* SPDX-License-Identifier: MIT */
/* Meshes as bodies of triangles, through their hierarchies. */
#include "math/nearest.h"
#include "narrow/facets/facets.h"
#include "narrow/mesh/mesh_point.h"

static abut_bv_box box_of(const abut_interval_vec3 *b)
{
    const abut_vec3 centre = { 0.5 * b->x.lo + 0.5 * b->x.hi, 0.5 * b->y.lo + 0.5 * b->y.hi,
                               0.5 * b->z.lo + 0.5 * b->z.hi };
    const double grown = 1 + 0x1p-50;
    return (abut_bv_box){ .centre = centre,
                          .half = { fmax(b->x.hi - centre.x, centre.x - b->x.lo) * grown,
                                    fmax(b->y.hi - centre.y, centre.y - b->y.lo) * grown,
                                    fmax(b->z.hi - centre.z, centre.z - b->z.lo) * grown },
                          .axes = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
}

typedef struct visit {
    const abut_facets *f;
    const abut_interval_vec3 *box;
    double least;
    abut_facet_list *list;
    abut_bv_relative none;
    abut_mesh_counters counters;
} visit;

static abut_bvh_walk walk_of(visit *v)
{
    v->none = (abut_bv_relative){ .r = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    v->counters = (abut_mesh_counters){ 0 };
    return (abut_bvh_walk){ .a = { .tree = v->f->shape->u.faceted.tree },
                            .b = { .box = box_of(v->box) },
                            .b_in_a = &v->none,
                            .counters = &v->counters };
}

static double visit_near(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound)
{
    visit *v = ctx;
    for (size_t i = 0; i < count; ++i) {
        abut_vec3 t[3];
        abut_mesh_corners(&v->f->shape->u.faceted, pairs[i].a, t);
        const abut_interval_vec3 box = {
            { fmin(fmin(t[0].x, t[1].x), t[2].x), fmax(fmax(t[0].x, t[1].x), t[2].x) },
            { fmin(fmin(t[0].y, t[1].y), t[2].y), fmax(fmax(t[0].y, t[1].y), t[2].y) },
            { fmin(fmin(t[0].z, t[1].z), t[2].z), fmax(fmax(t[0].z, t[1].z), t[2].z) }
        };
        v->least = fmin(v->least, abut_facet_box_distance(&box, v->box));
    }
    return v->least == 0 ? -1 : fmin(v->least, bound);
}

static double nearest(const abut_facets *f, const abut_interval_vec3 *box)
{
    visit v = { .f = f, .box = box, .least = INFINITY };
    const abut_bvh_walk walk = walk_of(&v);
    const double left_out = abut_bvh_nearest(&walk, INFINITY, visit_near, &v);
    return fmin(v.least, left_out);
}

static bool visit_within(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    visit *v = ctx;
    for (size_t i = 0; i < count; ++i)
        abut_facet_list_add(v->list, pairs[i].a);
    return !v->list->memory;
}

static void collect(const abut_facets *f, const abut_interval_vec3 *box, double reach, abut_facet_list *out)
{
    visit v = { .f = f, .box = box, .list = out };
    const abut_bvh_walk walk = walk_of(&v);
    (void)abut_bvh_overlap(&walk, reach, visit_within, &v);
}

static void corners(const abut_facets *f, uint32_t face, abut_facet_corner out[3])
{
    const abut_faceted_data *mesh = &f->shape->u.faceted;
    for (int k = 0; k < 3; ++k) {
        const uint32_t vertex = mesh->corners[3 * (size_t)face + (size_t)k];
        const abut_vec3 p = mesh->vertices[vertex];
        out[k] = (abut_facet_corner){ abut_mesh_welded(mesh, vertex),
                                      { { p.x, p.x }, { p.y, p.y }, { p.z, p.z } } };
    }
}

static ABUT_NOINLINE abut_where where_near(const abut_shape *mesh, abut_interval_vec3 x)
{
    const abut_vec3 middle = { 0.5 * x.x.lo + 0.5 * x.x.hi, 0.5 * x.y.lo + 0.5 * x.y.hi,
                               0.5 * x.z.lo + 0.5 * x.z.hi };
    const double half[3] = { fmax(x.x.hi - middle.x, middle.x - x.x.lo),
                             fmax(x.y.hi - middle.y, middle.y - x.y.lo),
                             fmax(x.z.hi - middle.z, middle.z - x.z.lo) };
    const double slack = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    return abut_mesh_where_near(mesh, middle, slack * (1 + 0x1p-48));
}

static abut_truth inside(const void *ctx, ia3 x)
{
    const abut_facets *f = ctx;
    const abut_interval_vec3 box = ia3_to(x);
    if (!(fabs(box.x.lo) + fabs(box.x.hi) + fabs(box.y.lo) + fabs(box.y.hi) + fabs(box.z.lo) +
              fabs(box.z.hi) <
          INFINITY))
        return ABUT_SOMEWHERE;
    const abut_nearest saved = abut_nearest_enter();
    const abut_where where = where_near(f->shape, box);
    abut_nearest_leave(saved);
    return where == ABUT_WHERE_IN ? ABUT_EVERYWHERE : where == ABUT_WHERE_OUT ? ABUT_NOWHERE : ABUT_SOMEWHERE;
}

static int64_t vertex_id(const abut_facets *f, uint32_t vertex)
{
    (void)f;
    return vertex;
}

static int64_t edge_id(const abut_facets *f, uint32_t from, uint32_t to)
{
    const abut_faceted_data *mesh = &f->shape->u.faceted;
    return mesh->solid ? abut_edge_find(mesh, from, to) : -1;
}

static int64_t face_id(const abut_facets *f, uint32_t face)
{
    (void)f;
    return face;
}

static bool part_count(const abut_facets *f, size_t *count)
{
    const abut_mesh_pieces *pieces = abut_shape_pieces(f->shape);
    *count = pieces ? pieces->count : 0;
    return pieces != NULL;
}

static uint32_t part(const abut_facets *f, size_t i)
{
    return abut_shape_pieces(f->shape)->first[i];
}

void abut_facets_of_mesh(const abut_shape *mesh, abut_facets *out)
{
    static const abut_facet_methods methods = { nearest, collect, corners,    inside, vertex_id,
                                                edge_id, face_id, part_count, part };
    const abut_aabb b = mesh->bounds;
    *out = (abut_facets){ .methods = &methods,
                          .shape = mesh,
                          .bounds = { { b.lo.x, b.hi.x }, { b.lo.y, b.hi.y }, { b.lo.z, b.hi.z } },
                          .face_count = mesh->u.faceted.face_count,
                          .solid = mesh->u.faceted.solid };
}
