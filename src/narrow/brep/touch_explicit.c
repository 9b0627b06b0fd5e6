/* SPDX-License-Identifier: MIT */
/* Supporting planes of explicit solids across the axes, exactly.
 *
 * A solid is on one side of a plane where its boundary is. Faces on planes, cylinders and cones consist of
 * segments between points of their edges (or an apex), so their edges decide; faces on spheres and tori are
 * inside of the whole surface. Lines are between their ends, Bezier curves in the hull of their points,
 * circles as far as their centre and radius say. What is exactly a double is compared as such; other bounds must
 * be clearly below. The edges are taken as they are stated, which is what the solid is where no tolerance
 * allows for another one. */
#include "math/vec3.h"
#include "narrow/brep/touch_top.h"
#include "solid/trim.h"

typedef struct finder {
    const abut_solid *solid;
    int axis;
    double sign;
    double above; /* the largest bound that is exact; what is not exact goes to `doubt` */
    double doubt;
} finder;

static double part_of(abut_vec3 p, int axis)
{
    return abut_part3(p, axis % 3);
}

static void bound(finder *f, bool exact, double value)
{
    if (exact)
        f->above = fmax(f->above, value);
    else
        f->doubt = fmax(f->doubt, value);
}

/* Along which axis a unit vector points exactly; -1. */
static int axis_of(abut_vec3 u)
{
    for (int i = 0; i < 3; ++i)
        if (fabs(part_of(u, i)) == 1 && part_of(u, i + 1) == 0 && part_of(u, i + 2) == 0)
            return i;
    return -1;
}

/* The radius of a circle whose first vertex is exactly along an axis from its centre, which is in the plane of
 * that vertex and whose axis is exactly one of the coordinates. */
static bool exact_circle(const abut_solid *s, const abut_solid_edge *e, int *normal, double *radius)
{
    *radius = 0;
    const abut_vec3 v = s->def.vertices[e->from];
    int off = 0;
    *normal = axis_of(e->axis);
    for (int i = 0; i < 3; ++i) {
        double d;
        if (!abut_exact_sum(part_of(v, i), -part_of(e->center, i), &d) || (d != 0 && i == *normal))
            return false;
        off += d != 0;
        *radius = d != 0 ? fabs(d) : *radius;
    }
    return *normal >= 0 && off == 1;
}

static void bound_edge(finder *f, size_t number)
{
    const abut_solid *s = f->solid;
    const abut_solid_edge *e = &s->def.edges[number];
    int normal;
    double radius, value;
    switch (e->kind) {
    case ABUT_SOLID_EDGE_LINE: return;
    case ABUT_SOLID_EDGE_CONIC: bound(f, true, f->sign * part_of(e->control, f->axis)); return;
    case ABUT_SOLID_EDGE_SPLINE:
        for (size_t i = 0; i < e->point_count; ++i)
            bound(f, true, f->sign * part_of(e->points[i], f->axis));
        return;
    case ABUT_SOLID_EDGE_CIRCLE:
        if (exact_circle(s, e, &normal, &radius)) {
            if (normal == f->axis)
                return;
            if (abut_exact_sum(f->sign * part_of(e->center, f->axis), radius, &value)) {
                bound(f, true, value);
                return;
            }
        }
        break;
    default: break;
    }
    abut_vec3 u = { 0, 0, 0 };
    *(f->axis == 0 ? &u.x : f->axis == 1 ? &u.y : &u.z) = f->sign;
    for (size_t i = s->piece_starts[number]; i < s->piece_starts[number + 1]; ++i)
        bound(f, false,
              abut_dot(s->piece_cells[i].center, u) + abut_cell_extent(&s->piece_cells[i], u) + s->tolerance);
}

/* Do a face on a plane across an axis, or on a cylinder, and its edges say exactly the same? */
static bool agrees(const abut_solid *solid, const abut_solid_face *face, const abut_solid_surface *s)
{
    const int along = axis_of(s->axis);
    for (size_t l = 0; l < face->loop_count; ++l)
        for (size_t k = 0; k < face->loops[l].count; ++k) {
            const abut_solid_edge *e = &solid->def.edges[face->loops[l].coedges[k].edge];
            int normal;
            double radius = 0;
            if (s->kind == ABUT_SOLID_PLANE && along >= 0 &&
                part_of(solid->def.vertices[e->from], along) != part_of(s->point, along))
                return false;
            if (s->kind == ABUT_SOLID_CYLINDER && e->kind == ABUT_SOLID_EDGE_CIRCLE &&
                !(exact_circle(solid, e, &normal, &radius) && radius == s->radius))
                return false;
        }
    return true;
}

static void bound_face(finder *f, uint32_t number, abut_top *t)
{
    const abut_solid_face *face = &f->solid->def.faces[number];
    const abut_solid_surface *s = &f->solid->def.surfaces[face->surface];
    const double c = f->sign * part_of(s->point, f->axis);
    double value, more;
    switch (s->kind) {
    case ABUT_SOLID_PLANE:
    case ABUT_SOLID_CYLINDER:
        if (!agrees(f->solid, face, s))
            bound(f, false, INFINITY);
        return;
    case ABUT_SOLID_CONE: bound(f, true, c); return;
    case ABUT_SOLID_SPHERE: {
        const bool exact = abut_exact_sum(c, s->radius, &value);
        bound(f, exact, value);
        if (exact && face->loop_count == 0 && face->outward > 0 && value > t->value) {
            t->value = value;
            t->count = 0;
            const double u = part_of(s->point, f->axis + 1), v = part_of(s->point, f->axis + 2);
            abut_top_add_rectangle(t, u, u, v, v);
        }
        return;
    }
    case ABUT_SOLID_TORUS: {
        const int normal = axis_of(s->axis);
        const bool along = normal == f->axis;
        const bool exact = normal >= 0 && abut_exact_sum(s->minor, along ? 0 : s->radius, &more) &&
                           abut_exact_sum(c, more, &value);
        if (!exact) {
            bound(f, false, c + s->radius + s->minor);
            return;
        }
        bound(f, true, value);
        if (face->loop_count == 0 && face->outward > 0 && value > t->value) {
            t->value = value;
            t->count = 0;
            const double u = part_of(s->point, f->axis + 1), v = part_of(s->point, f->axis + 2);
            if (along)
                abut_top_add_ring(t, u, v, s->radius, s->radius);
            else
                abut_top_add_rectangle(t, u, u, v, v);
        }
        return;
    }
    default: bound(f, false, INFINITY); return;
    }
}

/* Points of the boundary at the value: from vertices and whole circles. */
static void attain(abut_top *t, double value, double u, double v)
{
    if (value > t->value) {
        t->value = value;
        t->count = 0;
    }
    if (value == t->value)
        abut_top_add_rectangle(t, u, u, v, v);
}

static void attain_circle(const finder *f, const abut_solid_edge *e, abut_top *t)
{
    int normal;
    double radius, value;
    const double c = f->sign * part_of(e->center, f->axis);
    const double u = part_of(e->center, f->axis + 1), v = part_of(e->center, f->axis + 2);
    if (e->from != e->to || !exact_circle(f->solid, e, &normal, &radius))
        return;
    if (normal != f->axis) {
        if (abut_exact_sum(c, radius, &value))
            attain(t, value, u, v);
    } else if (c >= t->value) {
        if (c > t->value)
            t->count = 0;
        t->value = c;
        abut_top_add_ring(t, u, v, radius, radius);
    }
}

/* Lines between vertices at the top that are along an axis; generators between the tops of two circles; faces. */
static void extend(const finder *f, abut_top *t)
{
    const abut_solid_def *d = &f->solid->def;
    const int a = f->axis;
    for (size_t i = 0; i < d->edge_count; ++i) {
        const abut_vec3 p = d->vertices[d->edges[i].from], q = d->vertices[d->edges[i].to];
        if (d->edges[i].kind != ABUT_SOLID_EDGE_LINE || f->sign * part_of(p, a) != t->value ||
            f->sign * part_of(q, a) != t->value)
            continue;
        const double u0 = part_of(p, a + 1), u1 = part_of(q, a + 1), v0 = part_of(p, a + 2),
                     v1 = part_of(q, a + 2);
        if (u0 == u1 || v0 == v1)
            abut_top_add_rectangle(t, fmin(u0, u1), fmax(u0, u1), fmin(v0, v1), fmax(v0, v1));
    }
    for (uint32_t i = 0; i < d->face_count; ++i) {
        const abut_solid_face *face = &d->faces[i];
        const abut_solid_surface *s = &d->surfaces[face->surface];
        const abut_solid_edge *e[2] = { NULL, NULL };
        for (size_t l = 0; l < face->loop_count && l < 2; ++l)
            e[l] = &d->edges[face->loops[l].coedges[0].edge];
        if (s->kind == ABUT_SOLID_CYLINDER && face->loop_count == 2) {
            int normal[2];
            double r[2], value[2];
            bool whole = true;
            for (int k = 0; k < 2; ++k)
                whole = whole && face->loops[k].count == 1 && e[k]->kind == ABUT_SOLID_EDGE_CIRCLE &&
                        e[k]->from == e[k]->to && exact_circle(f->solid, e[k], &normal[k], &r[k]) &&
                        abut_exact_sum(f->sign * part_of(e[k]->center, a), r[k], &value[k]) &&
                        value[k] == t->value && normal[k] != a;
            if (whole && normal[0] == normal[1]) {
                const double u0 = part_of(e[0]->center, a + 1), u1 = part_of(e[1]->center, a + 1),
                             v0 = part_of(e[0]->center, a + 2), v1 = part_of(e[1]->center, a + 2);
                if (u0 == u1 || v0 == v1)
                    abut_top_add_rectangle(t, fmin(u0, u1), fmax(u0, u1), fmin(v0, v1), fmax(v0, v1));
            }
        }
        if (s->kind != ABUT_SOLID_PLANE || axis_of(s->axis) != a)
            continue;
        /* Its inside, where its vertices are at the top. */
        bool at_top = face->loop_count > 0;
        double lo[2] = { INFINITY, INFINITY }, hi[2] = { -INFINITY, -INFINITY };
        for (size_t l = 0; l < face->loop_count; ++l)
            for (size_t k = 0; k < face->loops[l].count; ++k) {
                const uint32_t edge = face->loops[l].coedges[k].edge;
                at_top = at_top && f->sign * part_of(d->vertices[d->edges[edge].from], a) == t->value;
                for (size_t n = f->solid->piece_starts[edge]; n < f->solid->piece_starts[edge + 1]; ++n)
                    for (int j = 0; j < 2; ++j) {
                        const abut_cell *c = &f->solid->piece_cells[n];
                        lo[j] = fmin(lo[j], part_of(c->center, a + 1 + j) - c->radius);
                        hi[j] = fmax(hi[j], part_of(c->center, a + 1 + j) + c->radius);
                    }
            }
        if (at_top && t->count < ABUT_TOP_PATCHES)
            t->patches[t->count++] = (abut_contact_patch){
                .kind = ABUT_PATCH_FACE, .lo = { lo[0], lo[1] }, .hi = { hi[0], hi[1] }, .face = i
            };
    }
}

void abut_top_of_explicit(const abut_solid *solid, int axis, double sign, abut_top *t)
{
    const abut_solid_def *d = &solid->def;
    finder f = { solid, axis, sign, -INFINITY, -INFINITY };
    if (d->tolerance > 0)
        return;
    t->value = -INFINITY;
    for (size_t i = 0; i < d->edge_count; ++i) {
        bound_edge(&f, i);
        const abut_vec3 v = d->vertices[d->edges[i].from], w = d->vertices[d->edges[i].to];
        attain(t, sign * part_of(v, axis), part_of(v, axis + 1), part_of(v, axis + 2));
        if (d->edges[i].to != d->edges[i].from)
            attain(t, sign * part_of(w, axis), part_of(w, axis + 1), part_of(w, axis + 2));
        if (d->edges[i].kind == ABUT_SOLID_EDGE_CIRCLE)
            attain_circle(&f, &d->edges[i], t);
    }
    for (uint32_t i = 0; i < d->face_count; ++i)
        bound_face(&f, i, t);
    t->known = t->count > 0 && f.above <= t->value && f.doubt < t->value - 1e-9 * solid->size;
    if (t->known)
        extend(&f, t);
}

bool abut_top_on_face(const abut_solid *solid, uint32_t face, int axis, const double q[2], double level)
{
    const double c[3] = { level, q[0], q[1] };
    double p[3];
    for (int i = 0; i < 3; ++i)
        p[(axis + i) % 3] = c[i];
    const abut_vec3 at = { p[0], p[1], p[2] };
    const abut_solid_face *f = &solid->def.faces[face];
    if (abut_trim_contains(solid, face, at) <= 0)
        return false;
    for (size_t l = 0; l < f->loop_count; ++l)
        for (size_t k = 0; k < f->loops[l].count; ++k) {
            const uint32_t edge = f->loops[l].coedges[k].edge;
            for (size_t n = solid->piece_starts[edge]; n < solid->piece_starts[edge + 1]; ++n) {
                const abut_vec3 d = abut_sub(abut_cell_nearest(&solid->piece_cells[n], at), at);
                const abut_vec3 e =
                    abut_sub(abut_cell_project(&solid->pieces[n], &solid->piece_cells[n], at), at);
                /* Outside of the box of the piece, or, where its kind is projected to exactly, away from it. */
                const abut_cell_kind kind = solid->pieces[n].kind;
                const bool exact = kind == ABUT_CELL_SEGMENT || kind == ABUT_CELL_ARC;
                if (abut_length(d) < 1e-6 * solid->size && !(exact && abut_length(e) > 1e-6 * solid->size))
                    return false;
            }
        }
    return true;
}
