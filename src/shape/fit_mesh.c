/* SPDX-License-Identifier: MIT */
/* Ellipsoids or balls around the faces of a mesh: one around all, then the one whose parting saves
 * most is parted, until there are as many as wanted.
 *
 * A face belongs to one of them whole, and is inside of it since its corners are. Parts are made
 * by planes across the axes of the ellipsoid: faces go by the middle of their corners. What is
 * to be saved is volume times faces, the cost of false alarms: volume alone would cut slivers
 * off. Planes are compared for large parts by a sample of the faces, and by rough fits only;
 * what is kept is fitted to all of them. */
#include "math/nearest.h"
#include "math/vec3.h"
#include "shape/arrays.h"
#include "shape/fit.h"

enum { CUTS = 5, SAMPLE = 1024 };

static const double rough = 1e-2;

/* Faces order[begin .. end - 1], and how they would be parted best. */
typedef struct part {
    size_t begin, end;
    abut_affine map;
    double volume; /* in units of the mesh's size */
    bool planned;
    double gain; /* of the best parting, where it is planned; 0: there is none */
    abut_vec3 axis;
    double cut;
} part;

typedef struct cover {
    const abut_faceted_data *mesh;
    abut_allocator alloc;
    bool balls, no_memory;
    double scale;      /* volumes are of lengths times this */
    uint32_t *order;   /* faces */
    uint32_t *seen;    /* by vertex: the number of the last gathering */
    uint32_t gathered; /* gatherings so far */
    abut_vec3 *points; /* room for all vertices */
    part *parts;
    size_t count;
} cover;

static abut_vec3 middle_of(const abut_faceted_data *mesh, uint32_t face)
{
    const size_t begin = abut_face_begin(mesh, face), end = abut_face_end(mesh, face);
    abut_vec3 sum = { 0, 0, 0 };
    const double share = 1 / (double)(end - begin);
    for (size_t i = begin; i < end; ++i)
        sum = abut_madd(sum, share, mesh->vertices[mesh->corners[i]]);
    return sum;
}

/* Volume over 4 pi / 3. */
static double volume_of(const cover *c, const abut_affine *map)
{
    double product = 1;
    for (int j = 0; j < 3; ++j)
        product *=
            c->scale * abut_length(abut_v3(map->linear.m[0][j], map->linear.m[1][j], map->linear.m[2][j]));
    return product;
}

static void gather_face(cover *c, uint32_t face, size_t *count)
{
    for (size_t i = abut_face_begin(c->mesh, face); i < abut_face_end(c->mesh, face); ++i) {
        const uint32_t v = c->mesh->corners[i];
        if (c->seen[v] != c->gathered) {
            c->seen[v] = c->gathered;
            c->points[(*count)++] = c->mesh->vertices[v];
        }
    }
}

/* Around the first `count` points gathered; the volume is infinite where there is no such
 * double. */
static double fit(cover *c, size_t count, double tolerance, abut_affine *out)
{
    abut_aabb box;
    bool found;
    (void)abut_check_points(c->points, count, "vertex", &box, NULL); /* they are finite */
    if (c->balls) {
        double r;
        found = abut_fit_ball(c->points, count, &box, &out->translation, &r);
        r = r > 0 ? r : fmax(0x1p-52 * abut_max_norm(out->translation), 0x1p-500);
        out->linear = (abut_mat3){ { { r, 0, 0 }, { 0, r, 0 }, { 0, 0, r } } };
    } else {
        bool no_memory;
        found = abut_fit_ellipsoid(c->points, count, &box, tolerance, &c->alloc, out, &no_memory);
        c->no_memory = c->no_memory || no_memory;
    }
    return found ? volume_of(c, out) : INFINITY;
}

static void fit_part(cover *c, part *p)
{
    size_t count = 0;
    ++c->gathered;
    for (size_t i = p->begin; i < p->end; ++i)
        gather_face(c, c->order[i], &count);
    p->volume = fit(c, count, 0, &p->map);
}

/* Volume of one side of a plane times its number of faces, of every step-th face. 0: there is no
 * face. */
static double side_weight(cover *c, const part *p, size_t step, abut_vec3 axis, double cut, bool above)
{
    size_t count = 0, faces = 0;
    abut_affine map;
    ++c->gathered;
    for (size_t i = p->begin; i < p->end; i += step)
        if ((abut_dot(axis, middle_of(c->mesh, c->order[i])) > cut) == above) {
            gather_face(c, c->order[i], &count);
            ++faces;
        }
    return count ? (double)(faces * step) * fit(c, count, rough, &map) : 0;
}

/* Finds the best plane to part at. */
static void plan(cover *c, part *p)
{
    const size_t step = 1 + (p->end - p->begin - 1) / SAMPLE;
    p->planned = true;
    p->gain = 0;
    const double weight = (double)(p->end - p->begin) * p->volume;
    for (int j = 0; j < 3 && !c->no_memory; ++j) {
        const abut_vec3 across = { p->map.linear.m[0][j], p->map.linear.m[1][j], p->map.linear.m[2][j] };
        const abut_vec3 axis = abut_unit_or(across, abut_v3(1, 0, 0));
        double lo = INFINITY, hi = -INFINITY;
        for (size_t i = p->begin; i < p->end; ++i) {
            const double x = abut_dot(axis, middle_of(c->mesh, c->order[i]));
            lo = fmin(lo, x);
            hi = fmax(hi, x);
        }
        for (int k = 1; k <= CUTS; ++k) {
            const double cut = lo + (hi - lo) * ((double)k / (CUTS + 1));
            if (!(cut >= lo && cut < hi))
                continue;
            const double below = side_weight(c, p, step, axis, cut, false);
            const double above = side_weight(c, p, step, axis, cut, true);
            if (below > 0 && above > 0 && weight - below - above > p->gain) {
                p->gain = weight - below - above;
                p->axis = axis;
                p->cut = cut;
            }
        }
    }
}

static void divide(cover *c, part *p)
{
    size_t kept = p->begin;
    for (size_t i = p->begin; i < p->end; ++i) {
        const uint32_t face = c->order[i];
        if (abut_dot(p->axis, middle_of(c->mesh, face)) <= p->cut) {
            c->order[i] = c->order[kept];
            c->order[kept++] = face;
        }
    }
    part *q = c->parts + c->count++;
    *q = (part){ .begin = kept, .end = p->end };
    *p = (part){ .begin = p->begin, .end = kept };
    fit_part(c, p);
    fit_part(c, q);
}

static void divide_all(cover *c, size_t wanted)
{
    while (c->count < wanted && !c->no_memory) {
        part *best = c->parts;
        for (part *p = c->parts; p < c->parts + c->count; ++p) {
            if (!p->planned)
                plan(c, p);
            if (p->gain > best->gain)
                best = p;
        }
        if (!(best->gain > 0))
            break;
        divide(c, best);
    }
}

static ABUT_MATH_NOINLINE abut_status cover_mesh(cover *c, const abut_aabb *box, size_t wanted,
                                                 abut_affine *out, size_t *out_count)
{
    abut_vec3 middle;
    c->scale = ldexp(1, -abut_fit_scale(box, &middle));
    for (size_t i = 0; i < c->mesh->face_count; ++i)
        c->order[i] = (uint32_t)i;
    c->count = 1;
    c->parts[0] = (part){ .begin = 0, .end = c->mesh->face_count };
    fit_part(c, &c->parts[0]);
    divide_all(c, wanted);
    if (c->no_memory)
        return ABUT_ERR_MEMORY;
    for (size_t i = 0; i < c->count; ++i)
        if (!(c->parts[i].volume < INFINITY))
            return ABUT_ERR_LIMIT;
    for (size_t i = 0; i < c->count; ++i)
        out[i] = c->parts[i].map;
    *out_count = c->count;
    return ABUT_OK;
}

abut_status abut_ellipsoid_cover_mesh(const abut_shape *mesh, size_t count, bool balls,
                                      const abut_allocator *alloc, abut_affine *out, size_t *out_count,
                                      abut_error *error)
{
    abut_base_clear(error);
    if (!mesh || !out || !out_count || count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "mesh, out or out_count is NULL, or no ellipsoid is allowed");
    *out_count = 0;
    if (mesh->type != ABUT_SHAPE_MESH && mesh->type != ABUT_SHAPE_POLYHEDRON)
        return abut_base_fail(error, ABUT_ERR_UNSUPPORTED, -1,
                              "only meshes and polyhedra have faces to cover");
    const abut_faceted_data *faces = &mesh->u.faceted;
    const size_t most = count < faces->face_count ? count : faces->face_count;
    cover c = { .mesh = faces, .alloc = abut_base_allocator(alloc), .balls = balls };
    c.order = abut_base_alloc(&c.alloc, faces->face_count, sizeof *c.order);
    c.seen = abut_base_alloc_zero(&c.alloc, faces->vertex_count, sizeof *c.seen);
    c.points = abut_base_alloc(&c.alloc, faces->vertex_count, sizeof *c.points);
    c.parts = abut_base_alloc(&c.alloc, most, sizeof *c.parts);
    abut_status status = ABUT_ERR_MEMORY;
    if (c.order && c.seen && c.points && c.parts) {
        const abut_nearest saved = abut_nearest_enter();
        status = cover_mesh(&c, &mesh->bounds, most, out, out_count);
        abut_nearest_leave(saved);
    }
    abut_base_free(&c.alloc, c.parts, most, sizeof *c.parts);
    abut_base_free(&c.alloc, c.points, faces->vertex_count, sizeof *c.points);
    abut_base_free(&c.alloc, c.seen, faces->vertex_count, sizeof *c.seen);
    abut_base_free(&c.alloc, c.order, faces->face_count, sizeof *c.order);
    if (status == ABUT_ERR_MEMORY)
        return abut_base_fail_memory(error);
    if (status)
        return abut_base_fail(error, status, -1, "an ellipsoid around the faces is larger than doubles are");
    return ABUT_OK;
}
