/* SPDX-License-Identifier: MIT */
/* Cells of features: of CAD solids and of what narrow/brep makes into them, and of the triangles of
 * meshes and height fields that are near enough to count. */
#include "base/sort.h"
#include "math/vec3.h"
#include "narrow/cover/cover.h"

#include <string.h>

/* ---- triangles ---- */

static const abut_vec3 unit_x = { 1, 0, 0 }, unit_y = { 0, 1, 0 }, unit_z = { 0, 0, 1 };

abut_part *abut_cover_add_part(abut_features *f, abut_cell_kind kind, abut_vec3 o, abut_vec3 z)
{
    abut_part *p = &f->parts[f->count++];
    *p = abut_part_of(kind, ABUT_PART_NONE);
    p->o = o;
    p->z = z;
    p->x = abut_unit_or(abut_cross(z, fabs(z.x) < 0.6 ? unit_x : unit_y), unit_x);
    p->y = abut_cross(z, p->x);
    return p;
}

typedef struct side {
    uint32_t from, to;  /* vertices, the smaller first */
    uint32_t face, end; /* the triangle, and which of its sides */
} side;

static bool side_before(void *ctx, const void *a, const void *b)
{
    const side *x = a, *y = b;
    (void)ctx;
    return x->from != y->from ? x->from < y->from : x->to != y->to ? x->to < y->to : x->face < y->face;
}

static ABUT_NOINLINE void fetch(const abut_facets *f, const abut_facet_list *list, abut_facet_corner *out)
{
    for (size_t i = 0; i < list->count; ++i)
        f->methods->corners(f, list->faces[i], out + 3 * i);
}

static abut_vec3 middle(const abut_interval_vec3 *b)
{
    return abut_v3(0.5 * b->x.lo + 0.5 * b->x.hi, 0.5 * b->y.lo + 0.5 * b->y.hi,
                   0.5 * b->z.lo + 0.5 * b->z.hi);
}

static void add_edge(const abut_facets *facets, abut_features *f, const abut_facet_corner *corner,
                     const side *run, size_t count)
{
    const abut_facet_corner *p = &corner[3 * (size_t)run->face + run->end],
                            *q = &corner[3 * (size_t)run->face + (run->end + 1) % 3];
    const abut_vec3 from = middle(&p->at), d = abut_sub(middle(&q->at), from);
    const double length = abut_length(d);
    if (!(length > 0))
        return;
    abut_part *e = abut_cover_add_part(f, ABUT_CELL_SEGMENT, from, abut_scale(1 / length, d));
    e->v1 = length;
    e->entity = (uint32_t)facets->methods->edge_id(facets, p->vertex, q->vertex);
    for (size_t i = 0; i < 2 && i < count; ++i)
        e->side[i] = run[i].face;
}

static bool number_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    return ((const abut_facet_corner *)a)->vertex < ((const abut_facet_corner *)b)->vertex;
}

static void add_vertices(const abut_facets *facets, abut_features *f, abut_facet_corner *corner, size_t count)
{
    abut_base_sort(corner, count, sizeof *corner, number_before, NULL);
    for (size_t i = 0; i < count; ++i)
        if (i == 0 || corner[i].vertex != corner[i - 1].vertex)
            abut_cover_add_part(f, ABUT_CELL_POINT, middle(&corner[i].at), unit_z)->entity =
                (uint32_t)facets->methods->vertex_id(facets, corner[i].vertex);
}

/* Features of the triangles of a list: part i is the i-th triangle, then all edges and vertices. Degenerate
 * triangles have no normal; their cells say so by kind: they are left out, their edges are not. */
static abut_status make_parts(const abut_facets *facets, const abut_facet_list *list, abut_workspace *ws,
                              abut_features *f)
{
    const size_t n = list->count;
    abut_facet_corner *corner = abut_workspace_take(ws, 3 * n + 1, sizeof *corner);
    side *sides = abut_workspace_take(ws, 3 * n + 1, sizeof *sides);
    *f = (abut_features){ .parts = abut_workspace_take(ws, 7 * n + 1, sizeof *f->parts) };
    if (!corner || !sides || !f->parts)
        return ABUT_ERR_MEMORY;
    const abut_rounding saved = abut_rounding_enter();
    fetch(facets, list, corner);
    abut_rounding_leave(saved);
    for (size_t i = 0; i < n; ++i) {
        abut_vec3 p[3];
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t a = corner[3 * i + k].vertex, b = corner[3 * i + (k + 1) % 3].vertex;
            sides[3 * i + k] = (side){ a < b ? a : b, a < b ? b : a, (uint32_t)i, k };
            p[k] = middle(&corner[3 * i + k].at);
            f->scale = fmax(f->scale, abut_max_norm(p[k]));
        }
        const abut_vec3 normal = abut_cross(abut_sub(p[1], p[0]), abut_sub(p[2], p[0]));
        abut_part *t = abut_cover_add_part(f, ABUT_CELL_TRIANGLE, p[0], abut_unit_or(normal, unit_z));
        t->x = abut_unit_or(abut_sub(p[1], p[0]), t->x);
        t->y = abut_cross(t->z, t->x);
        memcpy(t->points, p, sizeof p);
        t->entity = (uint32_t)facets->methods->face_id(facets, list->faces[i]);
    }
    abut_base_sort(sides, 3 * n, sizeof *sides, side_before, NULL);
    for (size_t i = 0, next; i < 3 * n; i = next) {
        for (next = i + 1;
             next < 3 * n && sides[next].from == sides[i].from && sides[next].to == sides[i].to;)
            ++next;
        add_edge(facets, f, corner, &sides[i], next - i);
    }
    add_vertices(facets, f, corner, 3 * n);
    return abut_features_build(f, ws) ? ABUT_OK : ABUT_ERR_MEMORY;
}

static double diagonal(const abut_interval_vec3 *b)
{
    const double x = b->x.hi - b->x.lo, y = b->y.hi - b->y.lo, z = b->z.hi - b->z.lo;
    return sqrt(x * x + y * y + z * z);
}

/* Those that may be nearest to what is in the box `other`, in their frame. The nearest triangle's box
 * is `nearest` away, and no two points of it and of the other body are farther apart than that and
 * both sizes; the size of one triangle is bounded by doubling the reach until one is found. */
abut_status abut_cover_take_triangles(abut_cover_body *body, const abut_interval_vec3 *other,
                                      abut_workspace *ws)
{
    const abut_facets *f = &body->facets;
    const size_t words = f->face_count / 64 + 1;
    abut_facet_list list = { .ws = ws, .marks = abut_workspace_take(ws, words, sizeof(uint64_t)) };
    if (!list.marks)
        return ABUT_ERR_MEMORY;
    memset(list.marks, 0, words * sizeof(uint64_t));
    const double size = diagonal(other), near = f->methods->nearest(f, other);
    if (size < INFINITY && near < INFINITY) {
        f->methods->collect(f, other, near * (1 + 0x1p-40), &list);
        /* A triangle of that first set is all within its own size. */
        double reach = 0;
        abut_facet_corner c[3];
        for (size_t i = 0; i < list.count && i < 1; ++i) {
            const abut_rounding saved = abut_rounding_enter();
            f->methods->corners(f, list.faces[i], c);
            abut_rounding_leave(saved);
            for (int k = 0; k < 3; ++k)
                reach = fmax(reach, abut_length(abut_sub(middle(&c[k].at), middle(&c[(k + 1) % 3].at))));
        }
        if (list.count > 0)
            f->methods->collect(f, other, (near + size + 2 * reach) * (1 + 0x1p-40), &list);
    }
    if (list.count == 0)
        for (size_t i = 0; i < f->face_count; ++i)
            abut_facet_list_add(&list, (uint32_t)i);
    if (list.memory)
        return ABUT_ERR_MEMORY;
    const abut_status status = make_parts(f, &list, ws, &body->parts.own);
    body->parts.features = &body->parts.own;
    return status;
}

/* ---- cells ---- */

const abut_part *abut_cover_part(abut_cover_body *body, const abut_cover_cell *cell)
{
    return abut_brep_part(&body->parts, cell->at.part);
}

void abut_cover_fit_group(const abut_cover_body *body, const abut_aabb *box, double slack, abut_cell *c)
{
    const abut_brep_body *b = &body->parts;
    const abut_vec3 mid = abut_scale(0.5, abut_add(box->lo, box->hi)),
                    half = abut_scale(0.5, abut_sub(box->hi, box->lo));
    *c = (abut_cell){ .kind = ABUT_CELL_GROUP, .state = ABUT_CELL_IN, .wide = true };
    c->half[0] = half.x + slack;
    c->half[1] = half.y + slack;
    c->half[2] = half.z + slack;
    c->radius = sqrt(c->half[0] * c->half[0] + c->half[1] * c->half[1] + c->half[2] * c->half[2]);
    c->center = b->moved ? abut_affine_apply(&b->map, mid) : mid;
    for (int i = 0; i < 3; ++i)
        c->axis[i] = b->moved ? abut_v3(b->map.linear.m[0][i], b->map.linear.m[1][i], b->map.linear.m[2][i])
                              : abut_v3(i == 0, i == 1, i == 2);
}

abut_status abut_cover_enter_part(abut_cover_body *body, int32_t reference, double slack, abut_workspace *ws,
                                  abut_cover_cell **out)
{
    abut_brep_body *b = &body->parts;
    abut_cover_cell *c = abut_cover_new(body, ws);
    *out = c;
    if (!c)
        return ABUT_ERR_MEMORY;
    if (reference >= 0) {
        abut_cover_fit_group(body, &b->features->nodes[reference].box, slack, &c->at);
        c->at.part = (uint32_t)reference;
        return ABUT_OK;
    }
    const uint32_t number = (uint32_t)~reference;
    const abut_part *part = abut_brep_part(b, number);
    abut_cell_root(part, number, slack, &c->at);
    c->two = !body->solid && part->face;
    if (part->trim) {
        if (!abut_brep_trim(b, part, slack, &c->at))
            *out = NULL;
    } else {
        c->at.sampled = true;
    }
    return ABUT_OK;
}
