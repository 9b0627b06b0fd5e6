/* SPDX-License-Identifier: MIT */
/* Meshes, polyhedra, height fields; and convex bodies by their support points.
 *
 * A convex body without a form of its own is drawn as the hull of support points in many
 * directions. Those of a swept polytope include the normals of its faces and the directions between
 * them along its edges, so that its flat and cylindrical parts come out right. */
#include "tessellate/tessellate.h"

#include <math.h>
#include <string.h>

#include "shape/heightfield.h"

void abut_tess_mesh(abut_tess *t, const abut_shape *shape)
{
    const abut_faceted_data *mesh = &shape->u.faceted;
    const abut_vec3 *vertices = mesh->vertices;
    if (t->opts.vertices && t->opts.vertex_count == mesh->vertex_count)
        vertices = t->opts.vertices;
    t->solid = mesh->solid;
    if (mesh->weld) {
        uint32_t *corners = abut_workspace_take(&t->ws, mesh->corner_count + 1, sizeof *corners);
        if (!corners) {
            abut_tess_fail(t, ABUT_ERR_MEMORY);
            return;
        }
        for (size_t i = 0; i < mesh->corner_count; ++i)
            corners[i] = mesh->weld[mesh->corners[i]];
        abut_tess_faces(t, vertices, mesh->vertex_count, corners, mesh->face_count);
        return;
    }
    abut_tess_faces(t, vertices, mesh->vertex_count, mesh->corners, mesh->face_count);
}

/* Its faces are cut into triangles already; they are flat, so that every edge is one. */
void abut_tess_polyhedron(abut_tess *t, const abut_shape *shape)
{
    if (t->opts.crease == 0)
        t->opts.crease = 1e-3;
    abut_tess_mesh(t, shape);
}

/* ---- height fields ---- */

/* The wall below a side of the grid: from (i, j) on, `steps` vertices along (di, dj). */
static void wall(abut_tess *t, const abut_vec3 *grid, size_t from, ptrdiff_t step, size_t steps,
                 double bottom, abut_vec3 normal)
{
    uint32_t above = 0, below = 0;
    for (size_t k = 0; k < steps; ++k) {
        const abut_vec3 p = grid[(ptrdiff_t)from + (ptrdiff_t)k * step];
        const uint32_t a = abut_tess_vertex(t, p, normal);
        const uint32_t b = abut_tess_vertex(t, abut_v3(p.x, p.y, bottom), normal);
        if (k > 0) {
            abut_tess_facing(t, below, b, a);
            abut_tess_facing(t, below, a, above);
            abut_tess_edge(t, below, b);
        }
        if (k == 0 || k + 1 == steps)
            abut_tess_edge(t, a, b);
        above = a;
        below = b;
    }
}

void abut_tess_heightfield(abut_tess *t, const abut_shape *shape)
{
    const abut_heightfield_data *field = &shape->u.heightfield;
    const size_t columns = field->columns, rows = field->rows, cells = (columns - 1) * (rows - 1);
    abut_vec3 *grid = abut_workspace_take(&t->ws, columns * rows, sizeof *grid);
    uint32_t *triangles = abut_workspace_take(&t->ws, 6 * cells, sizeof *triangles);
    if (!grid || !triangles) {
        abut_tess_fail(t, ABUT_ERR_MEMORY);
        return;
    }
    for (size_t j = 0; j < rows; ++j)
        for (size_t i = 0; i < columns; ++i)
            grid[j * columns + i] = abut_v3((2 * (double)i - (double)columns + 1) * field->dx / 2,
                                            (2 * (double)j - (double)rows + 1) * field->dy / 2,
                                            abut_heightfield_height(field, i, j));
    uint32_t *to = triangles;
    for (size_t j = 0; j + 1 < rows; ++j)
        for (size_t i = 0; i + 1 < columns; ++i) {
            const uint32_t a = (uint32_t)(j * columns + i), b = a + 1, d = a + (uint32_t)columns, c = d + 1;
            const uint32_t both[6] = { a, b, c, a, c, d };
            memcpy(to, both, sizeof both);
            to += 6;
        }
    abut_tess_faces(t, grid, columns * rows, triangles, 2 * cells);
    const double width = fmax((double)(columns - 1) * field->dx, (double)(rows - 1) * field->dy);
    const double bottom = field->pyramid->whole.lo - 0.08 * width;
    const ptrdiff_t row = (ptrdiff_t)columns;
    wall(t, grid, 0, 1, columns, bottom, abut_v3(0, -1, 0));
    wall(t, grid, (rows - 1) * columns, 1, columns, bottom, abut_v3(0, 1, 0));
    wall(t, grid, 0, row, rows, bottom, abut_v3(-1, 0, 0));
    wall(t, grid, columns - 1, row, rows, bottom, abut_v3(1, 0, 0));
}

/* ---- convex bodies ---- */

/* Without a radius: the faces of the hull as they are. */
static void plain_hull(abut_tess *t, const abut_hull *hull)
{
    abut_vec3 *vertices = abut_workspace_take(&t->ws, hull->vertex_count + 1, sizeof *vertices);
    const uint32_t faces = hull->dimension == 2 ? 1 : hull->face_count;
    const size_t corners = hull->face_count ? hull->face_begin[faces] : 0;
    uint32_t *triangles = abut_workspace_take(&t->ws, 3 * corners + 1, sizeof *triangles);
    if (!vertices || !triangles) {
        abut_tess_fail(t, ABUT_ERR_MEMORY);
        return;
    }
    for (uint32_t i = 0; i < hull->vertex_count; ++i)
        vertices[i] = abut_hull_vertex(hull, i);
    t->solid = hull->dimension == 3;
    if (hull->dimension < 2) { /* a point or a segment */
        const uint32_t a = abut_tess_vertex(t, vertices[0], abut_v3(0, 0, 1));
        if (hull->dimension == 1)
            abut_tess_edge(t, a, abut_tess_vertex(t, vertices[1], abut_v3(0, 0, 1)));
        return;
    }
    size_t made = 0;
    for (uint32_t i = 0; i < faces; ++i) {
        const uint32_t begin = hull->face_begin[i], count = hull->face_begin[i + 1] - begin;
        for (uint32_t k = 1; k + 1 < count; ++k, ++made) {
            triangles[3 * made] = hull->face_corners[begin];
            triangles[3 * made + 1] = hull->face_corners[begin + k];
            triangles[3 * made + 2] = hull->face_corners[begin + k + 1];
        }
    }
    abut_tess_faces(t, vertices, hull->vertex_count, triangles, made);
}

typedef struct samples {
    ABUT_ARRAY(abut_vec3) points;
    ABUT_ARRAY(abut_vec3) normals;
} samples;

static void add_sample(abut_tess *t, samples *s, abut_vec3 at, double radius, abut_vec3 normal)
{
    if (t->status)
        return;
    if (!ABUT_ARRAY_RESERVE(t->alloc, &s->points, 1) || !ABUT_ARRAY_RESERVE(t->alloc, &s->normals, 1)) {
        abut_tess_fail(t, ABUT_ERR_MEMORY);
        return;
    }
    s->points.items[s->points.count++] = abut_madd(at, radius, normal);
    s->normals.items[s->normals.count++] = normal;
}

/* Faces moved outward, and the quarter-pipes along their edges. */
static void sample_polytope(abut_tess *t, samples *s, const abut_hull *hull, double radius)
{
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        const uint32_t begin = hull->face_begin[f], count = hull->face_begin[f + 1] - begin;
        const abut_vec3 n = hull->face_normal[f];
        for (uint32_t k = 0; k < count && !t->status; ++k) {
            const uint32_t p = hull->face_corners[begin + k], q = hull->face_corners[begin + (k + 1) % count];
            const abut_vec3 at = abut_hull_vertex(hull, p);
            add_sample(t, s, at, radius, n);
            /* the face beyond the edge: the one that has it the other way round */
            for (uint32_t l = hull->link_begin[q]; p < q && hull->link_face && l < hull->link_begin[q + 1];
                 ++l) {
                if (hull->links[l] != p)
                    continue;
                const abut_vec3 m = hull->face_normal[hull->link_face[l]];
                const double angle = acos(fmax(-1, fmin(1, abut_dot(n, m))));
                const int steps = abut_tess_chords(t, radius, angle);
                for (int i = 1; i < steps; ++i) {
                    const double a = sin(angle * (1 - (double)i / steps)), b = sin(angle * i / steps);
                    const abut_vec3 d = abut_unit_or(abut_add(abut_scale(a, n), abut_scale(b, m)), n);
                    add_sample(t, s, at, radius, d);
                    add_sample(t, s, abut_hull_vertex(hull, q), radius, d);
                }
            }
        }
    }
}

/* The same for a box: quarter-pipes along each axis, whose ends are the faces' normals. */
static void sample_box(abut_tess *t, samples *s, const abut_core *core)
{
    const double quarter = 1.5707963267948966;
    const int steps = abut_tess_chords(t, core->radius, quarter);
    for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (int k = 0; k < 8; ++k)
            for (int i = 0; i <= steps; ++i) {
                const double a = quarter * i / steps, su = k & 1 ? 1 : -1, sv = k & 2 ? 1 : -1;
                double p[3], d[3] = { 0, 0, 0 };
                p[axis] = k & 4 ? core->h[axis] : -core->h[axis];
                p[u] = su * core->h[u];
                p[v] = sv * core->h[v];
                d[u] = i == steps ? 0 : su * cos(a);
                d[v] = sv * sin(a);
                add_sample(t, s, abut_v3(p[0], p[1], p[2]), core->radius, abut_v3(d[0], d[1], d[2]));
            }
    }
}

/* Directions spread over the sphere on a spiral of the golden angle. */
static void sample_sphere(abut_tess *t, samples *s, const abut_core *core, int count)
{
    uint32_t hint = 0;
    for (int i = 0; i < count && !t->status; ++i) {
        const double z = 1 - (2.0 * i + 1) / count, r = sqrt(1 - z * z), a = 2.399963229728653 * i;
        const abut_vec3 d = { r * cos(a), r * sin(a), z };
        const abut_vec3 p = abut_core_support(core, d, &hint);
        if (abut_is_finite3(p))
            add_sample(t, s, p, core->radius, d);
    }
}

/* Their hull, with the direction that found each point for its normal. */
static void hull_of_samples(abut_tess *t, const samples *s)
{
    abut_status status = ABUT_OK;
    abut_hull *hull = abut_hull_create(s->points.items, s->points.count, t->alloc, &status, t->error);
    if (!hull) {
        abut_tess_fail(t, status ? status : ABUT_ERR_MEMORY);
        return;
    }
    if (hull->dimension < 3) {
        plain_hull(t, hull);
    } else {
        const uint32_t first = (uint32_t)t->vertices.count;
        for (uint32_t i = 0; i < hull->vertex_count; ++i)
            abut_tess_vertex(t, abut_hull_vertex(hull, i), s->normals.items[hull->point_of[i]]);
        for (uint32_t f = 0; f < hull->face_count && !t->status; ++f) {
            const uint32_t begin = hull->face_begin[f], end = hull->face_begin[f + 1];
            for (uint32_t k = begin + 1; k + 1 < end; ++k)
                abut_tess_triangle(t, first + hull->face_corners[begin], first + hull->face_corners[k],
                                   first + hull->face_corners[k + 1]);
        }
    }
    abut_hull_destroy(hull, t->alloc);
}

void abut_tess_convex(abut_tess *t, const abut_shape *shape)
{
    const abut_core *core = &shape->core;
    if (core->kind == ABUT_CORE_NONE) {
        abut_tess_fail(t, ABUT_ERR_UNSUPPORTED);
        return;
    }
    if (core->kind == ABUT_CORE_HULL && core->radius == 0) {
        plain_hull(t, core->hull);
        return;
    }
    samples s = { 0 };
    const double size = core->radius > 0 && core->kind != ABUT_CORE_USER && core->kind != ABUT_CORE_ELLIPSOID
                            ? core->radius
                            : core->size + core->radius;
    const double step = 2 * acos(1 - fmin(t->tolerance / size, 0.5));
    if (core->kind == ABUT_CORE_HULL && core->hull->face_count)
        sample_polytope(t, &s, core->hull, core->radius);
    if (core->kind == ABUT_CORE_BOX)
        sample_box(t, &s, core);
    sample_sphere(t, &s, core, (int)fmin(fmax(12.6 / (step * step), 400), 4000));
    if (!t->status)
        hull_of_samples(t, &s);
    ABUT_ARRAY_FREE(t->alloc, &s.points);
    ABUT_ARRAY_FREE(t->alloc, &s.normals);
}
