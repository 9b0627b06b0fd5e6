/* SPDX-License-Identifier: MIT */
/* Rays and classification. A line meets the surface of a face where a polynomial of degree 1, 2 or 4
 * vanishes; its roots are certified (src/interval/poly_certified.c), and a double one is a touch.
 * Each point is then searched for in the face. Points on several faces, as on an edge, are one hit. */
#include "narrow/brep/line.h"
#include "abut/polynomial.h"
#include "math/vec3.h"
#include "narrow/brep/brep.h"
#include "solid/trim.h"

#include <stdlib.h>

typedef struct hit {
    double t;
    abut_vec3 point; /* in the solid's frame */
    uint32_t part;
} hit;

enum { MOST = 512 };

typedef struct caster {
    const abut_solid *solid;
    abut_vec3 from, along; /* along is of unit length */
    double near;           /* distances below this are rounding */
    hit hits[MOST];
    size_t count;
} caster;

static bool in_range(const abut_arc_range *r, double x, double y, double near)
{
    if (r->cos_half <= -1)
        return true;
    const double n = sqrt(x * x + y * y);
    /* near is a length at the distance n */
    return x * r->c + y * r->s >= r->cos_half * n - near;
}

static bool in_domain(const caster *c, const abut_part *p, abut_vec3 at)
{
    const abut_vec3 d = abut_sub(at, p->o);
    const double x = abut_dot(d, p->x), y = abut_dot(d, p->y), z = abut_dot(d, p->z), near = c->near;
    if (p->trim == ABUT_TRIM_LOOPS)
        return abut_trim_contains(c->solid, p->entity, at) != 0 &&
               (abut_trim_contains(c->solid, p->entity, at) > 0 ||
                abut_trim_clearance(c->solid, p->entity, at) < near + 4 * c->solid->tolerance);
    if (p->trim == ABUT_TRIM_PROFILE) {
        abut_profile_near close;
        abut_profile_nearest(&c->solid->profile, (abut_xy){ x, y }, false, &close);
        return close.distance <= near;
    }
    switch (p->kind) {
    case ABUT_CELL_PLANE:
        return x >= p->u0 - near && x <= p->u1 + near && y >= p->v0 - near && y <= p->v1 + near;
    case ABUT_CELL_CYLINDER: return z >= p->v0 - near && z <= p->v1 + near && in_range(&p->a, x, y, near);
    case ABUT_CELL_CONE: {
        const double v = p->rise * z + p->slope * sqrt(x * x + y * y);
        return v >= p->v0 - near && v <= p->v1 + near;
    }
    case ABUT_CELL_TORUS: return in_range(&p->b, sqrt(x * x + y * y) - p->major, z, near);
    default: return true;
    }
}

/* The polynomial of the surface along the line; its degree, -1 where the line runs in a plane. */
static int surface_polynomial(const abut_part *part, const double p[3], const double d[3], double c[5])
{
    const double pp = p[0] * p[0] + p[1] * p[1], pd = p[0] * d[0] + p[1] * d[1],
                 ww = d[0] * d[0] + d[1] * d[1];
    const double r = part->radius, R = part->major;
    switch (part->kind) {
    case ABUT_CELL_TRIANGLE:
    case ABUT_CELL_PLANE:
        c[0] = p[2];
        c[1] = d[2];
        return d[2] == 0 ? -1 : 1;
    case ABUT_CELL_CYLINDER:
        c[0] = pp - r * r;
        c[1] = 2 * pd;
        c[2] = ww;
        return ww > 0 ? 2 : -1;
    case ABUT_CELL_CONE: {
        if (part->rise == 0) {
            c[0] = p[2];
            c[1] = d[2];
            return d[2] == 0 ? -1 : 1;
        }
        const double e = part->rise * part->rise, k = part->slope * part->slope;
        c[0] = e * pp - k * p[2] * p[2];
        c[1] = 2 * (e * pd - k * p[2] * d[2]);
        c[2] = e * ww - k * d[2] * d[2];
        return 2;
    }
    case ABUT_CELL_TORUS: {
        if (R == 0) {
            c[0] = pp + p[2] * p[2] - r * r;
            c[1] = 2 * (pd + p[2] * d[2]);
            c[2] = ww + d[2] * d[2];
            return 2;
        }
        const double k = pp + p[2] * p[2] + R * R - r * r, q = pd + p[2] * d[2], w = ww + d[2] * d[2];
        c[0] = k * k - 4 * R * R * pp;
        c[1] = 4 * k * q - 8 * R * R * pd;
        c[2] = 2 * k * w + 4 * q * q - 4 * R * R * ww;
        c[3] = 4 * q * w;
        c[4] = w * w;
        return 4;
    }
    case ABUT_CELL_ELLIPSOID: {
        const double s[3] = { part->radii.x, part->radii.y, part->radii.z };
        c[0] = -1;
        c[1] = c[2] = 0;
        for (int i = 0; i < 3; ++i) {
            c[0] += p[i] * p[i] / (s[i] * s[i]);
            c[1] += 2 * p[i] * d[i] / (s[i] * s[i]);
            c[2] += d[i] * d[i] / (s[i] * s[i]);
        }
        return 2;
    }
    default: return -1;
    }
}

static void cast_part(caster *c, uint32_t number)
{
    const abut_part *part = &c->solid->features.parts[number];
    /* From the point of the line nearest to the part, so that no digits are lost from afar. */
    const double start = abut_dot(abut_sub(part->o, c->from), c->along);
    const abut_vec3 e = abut_sub(abut_madd(c->from, start, c->along), part->o);
    const double p[3] = { abut_dot(e, part->x), abut_dot(e, part->y), abut_dot(e, part->z) };
    const double d[3] = { abut_dot(c->along, part->x), abut_dot(c->along, part->y),
                          abut_dot(c->along, part->z) };
    double poly[5];
    abut_root roots[4];
    const int degree = surface_polynomial(part, p, d, poly);
    if (degree < 0)
        return;
    const int n = abut_polynomial_roots_certified(poly, degree, -INFINITY, INFINITY, 0, roots);
    for (int i = 0; i < n && c->count < MOST; ++i) {
        const double t = 0.5 * (roots[i].x.lo + roots[i].x.hi);
        if (!isfinite(t))
            continue;
        const abut_vec3 at = abut_madd(c->from, start + t, c->along);
        if (part->kind == ABUT_CELL_CONE && part->rise > 0 && p[2] + t * d[2] < -c->near)
            continue; /* on the other nappe */
        if (part->kind == ABUT_CELL_TORUS &&
            fabs(abut_part_offset(part, at)) > 1e3 * c->near + 1e-9 * part->radius)
            continue; /* of a torus that crosses its axis, the part beyond it */
        if (in_domain(c, part, at))
            c->hits[c->count++] = (hit){ start + t, at, number };
    }
}

static int by_t(const void *a, const void *b)
{
    const hit *p = a, *q = b;
    if (p->t != q->t)
        return p->t < q->t ? -1 : 1;
    return p->part < q->part ? -1 : p->part > q->part;
}

abut_status abut_solids_cast(const abut_shape *shape, const abut_place *place, abut_vec3 from,
                             abut_vec3 along, bool all, abut_ray_hit *out, size_t capacity, size_t *count)
{
    const abut_solid *solid = abut_shape_solid(shape);
    const abut_mat3 *turn = &place->mid.linear;
    const double length = abut_length(along);
    const abut_vec3 to = abut_sub(from, place->mid.translation);
    caster c = { .solid = solid,
                 .from = abut_mul_t(turn, to),
                 .along = abut_unit_or(abut_mul_t(turn, along), abut_v3(0, 0, 1)) };
    c.near = 1e-12 * (solid->features.scale + 1e-3 * abut_length(to));
    for (uint32_t i = 0; i < solid->features.count; ++i)
        /* of a face of several parts, the first stands for all */
        if (solid->features.parts[i].face &&
            (i == 0 || !solid->features.parts[i - 1].face ||
             solid->features.parts[i - 1].entity != solid->features.parts[i].entity))
            cast_part(&c, i);
    qsort(c.hits, c.count, sizeof *c.hits, by_t);
    *count = 0;
    double last = -INFINITY;
    for (size_t i = 0; i < c.count; ++i) {
        const hit *h = &c.hits[i];
        if (h->t - last <= 4 * c.near)
            continue;
        last = h->t;
        double t = h->t / length;
        if (fabs(h->t) <= c.near)
            t = 0;
        if (!all && !(t >= 0))
            continue;
        if (*count < capacity) {
            const abut_vec3 n = abut_part_normal(&solid->features.parts[h->part], h->point);
            out[*count] = (abut_ray_hit){ t, abut_madd(from, t, along), abut_mul(turn, n) };
        }
        ++*count;
    }
    return c.count == MOST ? ABUT_ERR_LIMIT : ABUT_OK;
}

/* ---- points ---- */

static abut_piece piece(abut_where where, int64_t id)
{
    return (abut_piece){ .where = where, .id = id };
}

static bool is_near(double x, double y, double near)
{
    return fabs(x) <= near && fabs(y) <= near;
}

/* On the boundary: which corner or side of the profile is it at? *corner is -1 where it is none. */
static size_t profile_feature(const abut_profile *profile, abut_xy p, double near, int64_t *corner)
{
    abut_profile_near close;
    abut_profile_nearest(profile, p, true, &close);
    *corner = -1;
    for (size_t i = 0; i < profile->count && *corner < 0; ++i)
        if (is_near(profile->sides[i].from.x - p.x, profile->sides[i].from.y - p.y, near))
            *corner = (int64_t)i;
    return close.side;
}

static abut_piece on_extrude(const abut_solid *solid, abut_vec3 p, double near)
{
    const int64_t n = (int64_t)solid->profile.count;
    int64_t corner;
    const abut_xy at = { p.x, p.y };
    abut_profile_near close;
    abut_profile_nearest(&solid->profile, at, false, &close);
    const bool bottom = fabs(p.z) <= near, top = fabs(p.z - solid->height) <= near;
    const int64_t side = (int64_t)profile_feature(&solid->profile, at, near, &corner);
    if (fabs(close.distance) > near)
        return piece(ABUT_WHERE_FACE, bottom ? n : n + 1);
    if (corner >= 0)
        return bottom || top ? piece(ABUT_WHERE_VERTEX, corner + (top ? n : 0))
                             : piece(ABUT_WHERE_EDGE, 2 * n + corner);
    return bottom || top ? piece(ABUT_WHERE_EDGE, side + (top ? n : 0)) : piece(ABUT_WHERE_FACE, side);
}

static abut_piece on_revolve(const abut_solid *solid, abut_vec3 p, double near)
{
    const abut_profile *profile = &solid->profile;
    int64_t corner;
    const size_t side =
        profile_feature(profile, (abut_xy){ sqrt(p.x * p.x + p.y * p.y), p.z }, near, &corner);
    if (corner < 0)
        return piece(ABUT_WHERE_FACE, (int64_t)side);
    if (profile->sides[corner].from.x > 0) {
        int64_t edge = 0;
        for (int64_t i = 0; i < corner; ++i)
            edge += profile->sides[i].from.x > 0;
        return piece(ABUT_WHERE_EDGE, edge);
    }
    for (size_t i = 0; i < solid->def.vertex_count; ++i)
        if (fabs(solid->def.vertices[i].z - p.z) <= near)
            return piece(ABUT_WHERE_VERTEX, (int64_t)i);
    return piece(ABUT_WHERE_FACE, (int64_t)side);
}

static abut_piece on_explicit(const abut_solid *solid, abut_vec3 p, double near)
{
    for (size_t i = 0; i < solid->def.vertex_count; ++i)
        if (abut_length(abut_sub(solid->def.vertices[i], p)) <= near)
            return piece(ABUT_WHERE_VERTEX, (int64_t)i);
    for (size_t i = 0; i < solid->def.edge_count; ++i)
        for (size_t k = solid->piece_starts[i]; k < solid->piece_starts[i + 1]; ++k) {
            const abut_vec3 q = abut_cell_project(&solid->pieces[k], &solid->piece_cells[k], p);
            if (abut_length(abut_sub(q, p)) <= near)
                return piece(ABUT_WHERE_EDGE, (int64_t)i);
        }
    for (uint32_t i = 0; i < solid->def.face_count; ++i)
        if (fabs(abut_part_offset(&solid->features.parts[i], p)) <= near &&
            abut_trim_contains(solid, i, p) > 0)
            return piece(ABUT_WHERE_FACE, i);
    return piece(ABUT_WHERE_UNKNOWN, -1);
}

abut_piece abut_solids_classify(const abut_shape *shape, const abut_place *place, abut_vec3 point)
{
    const abut_solid *solid = abut_shape_solid(shape);
    const abut_vec3 d = abut_sub(point, place->mid.translation), p = abut_mul_t(&place->mid.linear, d);
    double width = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            width = fmax(width, place->enclosure.linear.m[i][j].hi - place->enclosure.linear.m[i][j].lo);
    const abut_interval *t[3] = { &place->enclosure.translation.x, &place->enclosure.translation.y,
                                  &place->enclosure.translation.z };
    double shift = 0;
    for (int i = 0; i < 3; ++i)
        shift = fmax(shift, t[i]->hi - t[i]->lo);
    const double slack = ABUT_CELL_SLACK * (solid->features.scale + abut_length(d)) +
                         4 * width * abut_length(d) + 2 * shift + solid->doubt;
    const int side = abut_brep_side(shape, p, slack);
    if (side)
        return piece(side < 0 ? ABUT_WHERE_IN : ABUT_WHERE_OUT, -1);
    if (!place->points || !place->axes)
        return piece(ABUT_WHERE_UNKNOWN, -1);
    const double near = 4 * slack;
    return solid->form == ABUT_SOLID_EXTRUDED   ? on_extrude(solid, p, near)
           : solid->form == ABUT_SOLID_REVOLVED ? on_revolve(solid, p, near)
                                                : on_explicit(solid, p, near);
}
