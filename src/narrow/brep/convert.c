/* SPDX-License-Identifier: MIT */
/* Bodies of other kinds as features: primitives are a few parts, half-spaces a rectangle that covers
 * all that can matter, hulls and solid meshes their triangles and edges. */
#include "math/vec3.h"
#include "narrow/brep/brep.h"

static const abut_vec3 unit_x = { 1, 0, 0 }, unit_y = { 0, 1, 0 }, unit_z = { 0, 0, 1 };

bool abut_brep_is_body(const abut_shape *shape)
{
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE:
    case ABUT_SHAPE_BOX:
    case ABUT_SHAPE_CAPSULE:
    case ABUT_SHAPE_CYLINDER:
    case ABUT_SHAPE_CONE:
    case ABUT_SHAPE_ELLIPSOID:
    case ABUT_SHAPE_TORUS:
    case ABUT_SHAPE_HALFSPACE:
    case ABUT_SHAPE_EXTRUDE:
    case ABUT_SHAPE_REVOLVE:
    case ABUT_SHAPE_SOLID: return true;
    case ABUT_SHAPE_CONVEX: return shape->u.convex.margin == 0 && shape->u.convex.hull->dimension == 3;
    case ABUT_SHAPE_MESH:
    case ABUT_SHAPE_POLYHEDRON: return shape->u.faceted.solid;
    default: return false;
    }
}

static abut_part *add(abut_features *f, abut_cell_kind kind, uint32_t entity)
{
    abut_part *p = &f->parts[f->count++];
    *p = abut_part_of(kind, entity);
    return p;
}

static void add_ring(abut_features *f, double radius, double z, uint32_t a, uint32_t b, uint32_t entity)
{
    abut_part *p = add(f, ABUT_CELL_ARC, entity);
    p->radius = radius;
    p->o = abut_v3(0, 0, z);
    p->side[0] = a;
    p->side[1] = b;
}

/* A disc whose outward normal is `up` z. */
static void add_disc(abut_features *f, double radius, double z, double up, uint32_t entity)
{
    abut_part *p = add(f, ABUT_CELL_CONE, entity);
    p->o = abut_v3(0, 0, z);
    p->slope = 1;
    p->z = abut_v3(0, 0, -up);
    p->y = abut_scale(-up, unit_y);
    p->v1 = radius;
}

static void add_wall(abut_features *f, double radius, double half, uint32_t entity)
{
    abut_part *p = add(f, ABUT_CELL_CYLINDER, entity);
    p->radius = radius;
    p->v0 = -half;
    p->v1 = half;
}

static void add_segment(abut_features *f, abut_vec3 from, abut_vec3 to, uint32_t a, uint32_t b,
                        uint32_t entity)
{
    abut_part *p = add(f, ABUT_CELL_SEGMENT, entity);
    const abut_vec3 d = abut_sub(to, from);
    p->o = from;
    p->z = abut_unit_or(d, unit_z);
    p->x = abut_unit_or(abut_cross(p->z, fabs(p->z.x) < 0.6 ? unit_x : unit_y), unit_x);
    p->y = abut_cross(p->z, p->x);
    p->v1 = abut_length(d);
    p->side[0] = a;
    p->side[1] = b;
}

/* Faces 2 axis + (positive), edges by the axis they run along. */
static void add_box(abut_features *f, abut_vec3 half)
{
    const double h[3] = { half.x, half.y, half.z };
    const abut_vec3 unit[3] = { unit_x, unit_y, unit_z };
    for (int i = 0; i < 3; ++i)
        for (int side = 0; side < 2; ++side) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            abut_part *p = add(f, ABUT_CELL_PLANE, (uint32_t)(2 * i + side));
            const double s = side ? 1 : -1;
            p->o = abut_scale(s * h[i], unit[i]);
            p->z = abut_scale(s, unit[i]);
            p->x = unit[j];
            p->y = abut_cross(p->z, p->x);
            p->u0 = -h[j];
            p->u1 = h[j];
            p->v0 = -h[k];
            p->v1 = h[k];
        }
    for (int i = 0; i < 3; ++i)
        for (int s = 0; s < 4; ++s) {
            const int j = (i + 1) % 3, k = (i + 2) % 3, sj = s & 1, sk = s >> 1;
            const abut_vec3 at =
                abut_add(abut_scale(sj ? h[j] : -h[j], unit[j]), abut_scale(sk ? h[k] : -h[k], unit[k]));
            add_segment(f, abut_madd(at, -h[i], unit[i]), abut_madd(at, h[i], unit[i]),
                        (uint32_t)(2 * j + sj), (uint32_t)(2 * k + sk), (uint32_t)(4 * i + s));
        }
}

static void add_triangle(abut_features *f, abut_vec3 a, abut_vec3 b, abut_vec3 c, uint32_t entity)
{
    abut_part *p = add(f, ABUT_CELL_TRIANGLE, entity);
    p->o = a;
    p->points[0] = a;
    p->points[1] = b;
    p->points[2] = c;
    p->z = abut_unit_or(abut_cross(abut_sub(b, a), abut_sub(c, a)), unit_z);
    p->x = abut_unit_or(abut_sub(b, a), unit_x);
    p->y = abut_cross(p->z, p->x);
}

static abut_vec3 hull_point(const abut_hull *h, uint32_t i)
{
    return abut_v3(h->x[i], h->y[i], h->z[i]);
}

static void add_hull(abut_features *f, const abut_hull *h)
{
    for (uint32_t i = 0; i < h->face_count; ++i) {
        const uint32_t *v = h->face_corners + h->face_begin[i], n = h->face_begin[i + 1] - h->face_begin[i];
        for (uint32_t k = 2; k < n; ++k)
            add_triangle(f, hull_point(h, v[0]), hull_point(h, v[k - 1]), hull_point(h, v[k]), i);
    }
    uint32_t edge = 0;
    for (uint32_t i = 0; i < h->vertex_count; ++i)
        for (uint32_t k = h->link_begin[i]; k < h->link_begin[i + 1]; ++k)
            if (h->links[k] > i)
                add_segment(f, hull_point(h, i), hull_point(h, h->links[k]), ABUT_PART_NONE, ABUT_PART_NONE,
                            edge++);
}

static abut_vec3 corner(const abut_faceted_data *m, size_t face, int i)
{
    return m->vertices[m->corners[abut_face_begin(m, face) + (size_t)i]];
}

/* The edges that are not concave by a clear margin. */
static void add_mesh(abut_features *f, const abut_faceted_data *m)
{
    for (size_t i = 0; i < m->face_count; ++i)
        add_triangle(f, corner(m, i, 0), corner(m, i, 1), corner(m, i, 2), (uint32_t)i);
    for (size_t e = 0; e < m->edge_count; ++e) {
        const uint32_t a = m->edge_faces[2 * e], b = m->edge_faces[2 * e + 1];
        const abut_vec3 from = m->vertices[m->edge_ends[2 * e]], to = m->vertices[m->edge_ends[2 * e + 1]];
        const abut_vec3 na = f->parts[a].z, nb = f->parts[b].z;
        const double turn = abut_dot(abut_cross(na, nb), abut_unit_or(abut_sub(to, from), unit_z));
        if (turn < -1e-9 && abut_dot(na, nb) > -0.999999)
            continue;
        add_segment(f, from, to, a, b, (uint32_t)e);
    }
}

static size_t most_parts(const abut_shape *shape)
{
    if (shape->type == ABUT_SHAPE_CONVEX) {
        const abut_hull *h = shape->u.convex.hull;
        return (size_t)h->face_begin[h->face_count] + h->edge_count + h->link_begin[h->vertex_count];
    }
    if (shape->type == ABUT_SHAPE_MESH || shape->type == ABUT_SHAPE_POLYHEDRON)
        return shape->u.faceted.face_count + shape->u.faceted.edge_count;
    return 18;
}

abut_status abut_brep_convert(const abut_shape *shape, abut_vec3 centre, double reach, abut_workspace *ws,
                              abut_features *out)
{
    abut_features *f = out;
    *f = (abut_features){ 0 };
    f->parts = abut_workspace_take(ws, most_parts(shape), sizeof *f->parts);
    if (!f->parts)
        return ABUT_ERR_MEMORY;
    const double r = shape->u.round.radius, half = 0.5 * shape->u.round.height;
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE: {
        abut_part *p = add(f, ABUT_CELL_TORUS, 0);
        p->radius = shape->u.sphere.radius;
        p->b = (abut_arc_range){ 1, 0, 0, 1 };
        f->scale = p->radius;
        break;
    }
    case ABUT_SHAPE_BOX:
        add_box(f, shape->u.box.half);
        f->scale = abut_max_norm(shape->u.box.half);
        break;
    case ABUT_SHAPE_CAPSULE:
        if (half > 0)
            add_wall(f, r, half, 0);
        for (int i = 0; i < 2; ++i) {
            abut_part *p = add(f, ABUT_CELL_TORUS, (uint32_t)i + 1);
            p->radius = r;
            p->o = abut_v3(0, 0, i ? half : -half);
            p->z = abut_v3(0, 0, i ? 1 : -1);
            p->y = abut_scale(p->z.z, unit_y);
            p->b = (abut_arc_range){ sqrt(0.5), sqrt(0.5), sqrt(0.5), sqrt(0.5) };
        }
        f->scale = half + r;
        break;
    case ABUT_SHAPE_CYLINDER:
        add_wall(f, r, half, 0);
        add_disc(f, r, -half, -1, 1);
        add_disc(f, r, half, 1, 2);
        add_ring(f, r, -half, 0, 1, 0);
        add_ring(f, r, half, 0, 2, 1);
        f->scale = half + r;
        break;
    case ABUT_SHAPE_CONE: {
        abut_part *p = add(f, ABUT_CELL_CONE, 0);
        const double h = 2 * half, w = sqrt(r * r + h * h);
        p->o = abut_v3(0, 0, half);
        p->z = abut_v3(0, 0, -1);
        p->y = abut_scale(-1, unit_y);
        p->slope = r / w;
        p->rise = h / w;
        p->v1 = w;
        add_disc(f, r, -half, -1, 1);
        add_ring(f, r, -half, 0, 1, 0);
        add(f, ABUT_CELL_POINT, 0)->o = abut_v3(0, 0, half);
        f->scale = half + r;
        break;
    }
    case ABUT_SHAPE_ELLIPSOID: {
        abut_part *p = add(f, ABUT_CELL_ELLIPSOID, 0);
        p->radii = shape->u.ellipsoid.radii;
        p->b = (abut_arc_range){ 1, 0, 0, 1 };
        f->scale = abut_max_norm(p->radii);
        break;
    }
    case ABUT_SHAPE_TORUS: {
        abut_part *p = add(f, ABUT_CELL_TORUS, 0);
        p->major = shape->u.torus.major;
        p->radius = shape->u.torus.minor;
        f->scale = p->major + p->radius;
        break;
    }
    case ABUT_SHAPE_HALFSPACE: {
        abut_part *p = add(f, ABUT_CELL_PLANE, 0);
        const double n = abut_length(shape->u.halfspace.normal);
        p->z = abut_unit_or(shape->u.halfspace.normal, unit_z);
        p->x = abut_unit_or(abut_cross(p->z, fabs(p->z.x) < 0.6 ? unit_x : unit_y), unit_x);
        p->y = abut_cross(p->z, p->x);
        const double offset = shape->u.halfspace.offset / n, away = abut_dot(centre, p->z) - offset;
        p->o = abut_madd(centre, -away, p->z);
        p->u0 = p->v0 = -reach;
        p->u1 = p->v1 = reach;
        f->scale = abut_max_norm(p->o) + reach + fabs(offset);
        break;
    }
    case ABUT_SHAPE_CONVEX:
        add_hull(f, shape->u.convex.hull);
        f->scale = shape->u.convex.hull->size;
        break;
    case ABUT_SHAPE_MESH:
    case ABUT_SHAPE_POLYHEDRON:
        add_mesh(f, &shape->u.faceted);
        f->scale = fmax(abut_max_norm(shape->bounds.lo), abut_max_norm(shape->bounds.hi));
        break;
    default: return ABUT_ERR_UNSUPPORTED;
    }
    return abut_features_build(f, ws) ? ABUT_OK : ABUT_ERR_MEMORY;
}
