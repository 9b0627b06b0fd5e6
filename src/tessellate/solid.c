/* SPDX-License-Identifier: MIT */
/* CAD solids (extrude, revolve, solid), face by face: a grid over the parameters of each face's surface.
 * Where a face is cut out of its surface by a profile or by loops, the corners of the grid are asked
 * whether they are in the face, cells that its border passes are cut by marching squares, and the
 * places where it crosses their sides are found by halving. Edges are drawn from their own curves. */
#include "tessellate/tessellate.h"

#include <math.h>

#include "solid/solid.h"
#include "solid/trim.h"

static const double pi = 3.14159265358979323846;

enum { MOST_PIECES = 256, BORDER_STEPS = 14 };

/* Parameters that run from 0 to 1. */
typedef struct face_at {
    const abut_solid *solid;
    const abut_part *part;
} face_at;

static double half_angle(const abut_arc_range *r)
{
    return r->cos_half <= -1 ? pi : atan2(r->sin_half, r->cos_half);
}

static double angle_at(const abut_arc_range *r, double s)
{
    return atan2(r->s, r->c) + (2 * s - 1) * half_angle(r);
}

static abut_vec3 frame(const abut_part *p, double x, double y, double z)
{
    return abut_madd(abut_madd(abut_madd(p->o, x, p->x), y, p->y), z, p->z);
}

static abut_vec3 point_at(const abut_part *p, double s, double t)
{
    const double u = p->u0 + s * (p->u1 - p->u0), v = p->v0 + t * (p->v1 - p->v0);
    const double a = angle_at(&p->a, s), b = angle_at(&p->b, t);
    switch (p->kind) {
    case ABUT_CELL_PLANE: return frame(p, u, v, 0);
    case ABUT_CELL_CYLINDER: return frame(p, p->radius * cos(a), p->radius * sin(a), v);
    case ABUT_CELL_CONE: return frame(p, v * p->slope * cos(a), v * p->slope * sin(a), v * p->rise);
    case ABUT_CELL_TORUS: {
        const double r = p->major + p->radius * cos(b);
        return frame(p, r * cos(a), r * sin(a), p->radius * sin(b));
    }
    default: return frame(p, p->radii.x * cos(b) * cos(a), p->radii.y * cos(b) * sin(a), p->radii.z * sin(b));
    }
}

static bool is_in(const face_at *f, abut_vec3 p)
{
    if (f->part->trim == ABUT_TRIM_PROFILE)
        return abut_profile_contains(&f->solid->profile, (abut_xy){ p.x, p.y });
    return f->part->trim == ABUT_TRIM_NONE || abut_trim_contains(f->solid, f->part->entity, p) != 0;
}

/* Cells of the grid along both parameters. */
static void choose_grid(const abut_tess *t, const abut_part *p, int border, int n[2])
{
    const double largest = fmax(p->radii.x, fmax(p->radii.y, p->radii.z));
    const double around = p->kind == ABUT_CELL_CYLINDER ? p->radius
                          : p->kind == ABUT_CELL_CONE   ? p->slope * p->v1
                          : p->kind == ABUT_CELL_TORUS  ? p->major + p->radius
                                                        : largest;
    n[0] = p->kind == ABUT_CELL_PLANE ? 1 : abut_tess_chords(t, fmax(around, 1e-300), 2 * half_angle(&p->a));
    n[1] = p->kind == ABUT_CELL_TORUS || p->kind == ABUT_CELL_ELLIPSOID
               ? abut_tess_chords(t, p->kind == ABUT_CELL_TORUS ? p->radius : largest, 2 * half_angle(&p->b))
               : 1;
    for (int i = 0; i < 2; ++i) {
        if (p->trim != ABUT_TRIM_NONE && n[i] < border)
            n[i] = border;
        n[i] = n[i] < 1 ? 1 : n[i] > MOST_PIECES ? MOST_PIECES : n[i];
    }
}

static uint32_t add_point(abut_tess *t, const face_at *f, double s, double at)
{
    const abut_vec3 p = point_at(f->part, s, at);
    return abut_tess_vertex(t, p, abut_part_normal(f->part, p));
}

/* Where the border crosses the way from (s0, t0), which is in the face, to (s1, t1), which is not. */
static uint32_t add_crossing(abut_tess *t, const face_at *f, double s0, double t0, double s1, double t1)
{
    double lo = 0, hi = 1;
    for (int i = 0; i < BORDER_STEPS; ++i) {
        const double mid = 0.5 * (lo + hi);
        if (is_in(f, point_at(f->part, s0 + mid * (s1 - s0), t0 + mid * (t1 - t0))))
            lo = mid;
        else
            hi = mid;
    }
    return add_point(t, f, s0 + lo * (s1 - s0), t0 + lo * (t1 - t0));
}

/* The part of a cell that is in the face: its corners and crossings in order, as a fan. */
static void add_cell(abut_tess *t, const face_at *f, const double s[4], const double at[4],
                     const uint8_t in[4], const uint32_t corner[4])
{
    uint32_t polygon[8];
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        const int next = (k + 1) % 4;
        if (in[k])
            polygon[count++] = corner[k];
        if (in[k] && !in[next])
            polygon[count++] = add_crossing(t, f, s[k], at[k], s[next], at[next]);
        else if (!in[k] && in[next])
            polygon[count++] = add_crossing(t, f, s[next], at[next], s[k], at[k]);
    }
    for (int k = 2; k < count; ++k)
        abut_tess_facing(t, polygon[0], polygon[k - 1], polygon[k]);
}

static void add_face(abut_tess *t, const face_at *f, int border)
{
    int n[2];
    choose_grid(t, f->part, border, n);
    const size_t row = (size_t)n[0] + 1;
    const abut_workspace_mark mark = abut_workspace_begin(&t->ws);
    uint32_t *vertex = abut_workspace_take(&t->ws, row * ((size_t)n[1] + 1), sizeof *vertex);
    uint8_t *in = abut_workspace_take(&t->ws, row * ((size_t)n[1] + 1), sizeof *in);
    if (!vertex || !in)
        abut_tess_fail(t, ABUT_ERR_MEMORY);
    for (int j = 0; j <= n[1] && !t->status; ++j)
        for (int i = 0; i <= n[0]; ++i) {
            const size_t at = (size_t)j * row + (size_t)i;
            in[at] = is_in(f, point_at(f->part, (double)i / n[0], (double)j / n[1]));
            vertex[at] = in[at] ? add_point(t, f, (double)i / n[0], (double)j / n[1]) : 0;
        }
    for (int j = 0; j < n[1] && !t->status; ++j)
        for (int i = 0; i < n[0]; ++i) {
            const size_t a = (size_t)j * row + (size_t)i, at[4] = { a, a + 1, a + row + 1, a + row };
            const double s0 = (double)i / n[0], s1 = (i + 1.0) / n[0], t0 = (double)j / n[1],
                         t1 = (j + 1.0) / n[1];
            const uint8_t inside[4] = { in[at[0]], in[at[1]], in[at[2]], in[at[3]] };
            const uint32_t corner[4] = { vertex[at[0]], vertex[at[1]], vertex[at[2]], vertex[at[3]] };
            if (inside[0] || inside[1] || inside[2] || inside[3])
                add_cell(t, f, (const double[4]){ s0, s1, s1, s0 }, (const double[4]){ t0, t0, t1, t1 },
                         inside, corner);
        }
    abut_workspace_end(&t->ws, mark);
}

static abut_vec3 curve_at(const abut_part *p, double s)
{
    const double v = p->v0 + s * (p->v1 - p->v0), a = angle_at(&p->a, s), r = 1 - s;
    const abut_vec3 *c = p->points;
    switch (p->kind) {
    case ABUT_CELL_SEGMENT: return abut_madd(p->o, v, p->z);
    case ABUT_CELL_CUBIC:
        return abut_add(abut_add(abut_scale(r * r * r, c[0]), abut_scale(3 * r * r * s, c[1])),
                        abut_add(abut_scale(3 * r * s * s, c[2]), abut_scale(s * s * s, c[3])));
    case ABUT_CELL_ELLIPSE: return abut_madd(abut_madd(p->o, cos(a), p->x), sin(a), p->y);
    default: return frame(p, p->radius * cos(a), p->radius * sin(a), 0);
    }
}

static void add_edge(abut_tess *t, const abut_part *p)
{
    const int pieces =
        p->kind == ABUT_CELL_SEGMENT ? 1
        : p->kind == ABUT_CELL_CUBIC
            ? 16
            : abut_tess_chords(t, fmax(p->kind == ABUT_CELL_ARC ? p->radius : abut_length(p->x), 1e-300),
                               2 * half_angle(&p->a));
    uint32_t last = 0;
    for (int i = 0; i <= pieces && !t->status; ++i) {
        const uint32_t v =
            abut_tess_vertex(t, curve_at(p, (double)i / (pieces > 0 ? pieces : 1)), abut_v3(0, 0, 1));
        if (i > 0)
            abut_tess_edge(t, last, v);
        last = v;
    }
}

static void add_triangle(abut_tess *t, const abut_part *p)
{
    uint32_t v[3];
    for (int k = 0; k < 3; ++k)
        v[k] = abut_tess_vertex(t, p->points[k], abut_scale(p->sense, p->z));
    abut_tess_facing(t, v[0], v[1], v[2]);
}

/* Bottom and top of an extrude: the rectangle of its profile, cut out by it. (Its own triangles only
 * cover the region.) */
static void add_caps(abut_tess *t, const abut_solid *solid, int border)
{
    for (int top = 0; top < 2; ++top) {
        const abut_part cap = { .kind = ABUT_CELL_PLANE,
                                .face = true,
                                .sense = top ? 1 : -1,
                                .trim = ABUT_TRIM_PROFILE,
                                .o = { 0, 0, top ? solid->height : 0 },
                                .x = { 1, 0, 0 },
                                .y = { 0, 1, 0 },
                                .z = { 0, 0, 1 },
                                .u0 = solid->profile.lo.x,
                                .u1 = solid->profile.hi.x,
                                .v0 = solid->profile.lo.y,
                                .v1 = solid->profile.hi.y };
        const face_at f = { solid, &cap };
        add_face(t, &f, border);
    }
}

void abut_tess_solid(abut_tess *t, const abut_shape *shape)
{
    const abut_solid *solid = abut_shape_solid(shape);
    if (!solid) {
        abut_tess_fail(t, ABUT_ERR_UNSUPPORTED);
        return;
    }
    size_t trimmed = 1;
    for (size_t i = 0; i < solid->features.count; ++i)
        trimmed += solid->features.parts[i].face && solid->features.parts[i].trim != ABUT_TRIM_NONE;
    /* Solids of many faces have small ones. */
    const int border = (int)fmin(fmax(sqrt(60000.0 / (double)trimmed), 20), 112);
    const bool extruded = solid->form == ABUT_SOLID_EXTRUDED;
    if (extruded)
        add_caps(t, solid, 112);
    for (size_t i = 0; i < solid->features.count && !t->status; ++i) {
        const abut_part *p = &solid->features.parts[i];
        const face_at f = { solid, p };
        if (extruded && p->face && p->trim == ABUT_TRIM_PROFILE)
            continue;
        switch (p->kind) {
        case ABUT_CELL_PLANE:
        case ABUT_CELL_CYLINDER:
        case ABUT_CELL_CONE:
        case ABUT_CELL_TORUS:
        case ABUT_CELL_ELLIPSOID: add_face(t, &f, border); break;
        case ABUT_CELL_TRIANGLE: add_triangle(t, p); break;
        case ABUT_CELL_SEGMENT:
        case ABUT_CELL_ARC:
        case ABUT_CELL_ELLIPSE:
        case ABUT_CELL_CUBIC: add_edge(t, p); break;
        default: break;
        }
    }
}
