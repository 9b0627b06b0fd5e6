/* SPDX-License-Identifier: MIT */
/* Geometry of explicit solids: size and tolerance, edges on their surfaces, shells, bounds. */
#include "solid/geometry.h"
#include "math/vec3.h"
#include "solid/quadric.h"
#include "solid/surface.h"

#include <inttypes.h>
#include <math.h>

static void include(abut_aabb *box, abut_vec3 p, double r)
{
    box->lo = abut_v3(fmin(box->lo.x, p.x - r), fmin(box->lo.y, p.y - r), fmin(box->lo.z, p.z - r));
    box->hi = abut_v3(fmax(box->hi.x, p.x + r), fmax(box->hi.y, p.y + r), fmax(box->hi.z, p.z + r));
}

/* The size that tolerances are measured by: what the vertices, circles, splines and whole surfaces
 * span. */
static double measure(const abut_solid_def *def)
{
    abut_aabb box = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (size_t i = 0; i < def->vertex_count; ++i)
        include(&box, def->vertices[i], 0);
    for (size_t i = 0; i < def->edge_count; ++i) {
        const abut_solid_edge *e = &def->edges[i];
        if (e->kind == ABUT_SOLID_EDGE_CIRCLE)
            include(&box, e->center,
                    e->from == e->to ? abut_length(abut_sub(def->vertices[e->from], e->center)) : 0);
        for (size_t k = 0; k < e->point_count; ++k)
            include(&box, e->points[k], 0);
    }
    for (size_t i = 0; i < def->face_count; ++i) {
        const abut_solid_surface *s = &def->surfaces[def->faces[i].surface];
        if (def->faces[i].loop_count == 0 && s->kind != ABUT_SOLID_QUADRIC)
            include(&box, s->point, s->radius + (s->kind == ABUT_SOLID_TORUS ? s->minor : 0));
        abut_part part = { .sense = 1 };
        if (def->faces[i].loop_count == 0 && s->kind == ABUT_SOLID_QUADRIC &&
            abut_quadric_part(s->matrix, abut_v3(0, 0, 0), &part) && part.kind == ABUT_CELL_ELLIPSOID)
            include(&box, part.o, abut_max_norm(part.radii));
    }
    const double size = abut_max_norm(abut_sub(box.hi, box.lo));
    return isfinite(size) ? size : 0;
}

/* ---- edges on their surfaces ----
 *
 * Along a piece the implicit function f of a surface is a polynomial of known degree n (over a positive
 * weight): of degree 1, 2 or 4 for planes, quadrics and tori, times 1, 2 or 3 for segments, arcs and
 * cubics. A polynomial of degree n is on [-1, 1] nowhere larger than 1 / cos(n pi / (2 N)) times its largest
 * value at the N zeros of a Chebyshev polynomial, N > n (Ehlich, Zeller 1964). So samples bound it
 * everywhere; and the distance from the surface is at most |f| over a bound of what the signed distance
 * was multiplied with. */

typedef struct along {
    const abut_solid_surface *s;
    const abut_part *piece;
    double tolerance, worst; /* worst: the largest distance at a sample */
} along;

static int degree_of(const abut_solid_surface *s)
{
    return s->kind == ABUT_SOLID_PLANE ? 1 : s->kind == ABUT_SOLID_TORUS ? 4 : 2;
}

static double implicit(const abut_solid_surface *s, abut_vec3 p)
{
    const abut_vec3 d = abut_sub(p, s->point);
    const double z = abut_dot(d, s->axis), square = abut_dot(d, d), q2 = fmax(0, square - z * z);
    switch (s->kind) {
    case ABUT_SOLID_PLANE: return z;
    case ABUT_SOLID_SPHERE: return square - s->radius * s->radius;
    case ABUT_SOLID_CYLINDER: {
        const abut_vec3 r = abut_madd(d, -z, s->axis);
        return abut_dot(r, r) - s->radius * s->radius;
    }
    case ABUT_SOLID_CONE: {
        const abut_vec3 r = abut_madd(d, -z, s->axis);
        const double k = s->tangent;
        return (abut_dot(r, r) - k * k * z * z) / (1 + k * k);
    }
    case ABUT_SOLID_TORUS: {
        const double k = square + s->radius * s->radius - s->minor * s->minor;
        return k * k - 4 * s->radius * s->radius * q2;
    }
    default: {
        abut_vec3 g;
        const double first_order = abut_surface_at(s, p, &g);
        abut_vec3 gradient = { 0, 0, 0 };
        for (int i = 0; i < 3; ++i) {
            const double *m = s->matrix[i], sum = 2 * (m[0] * p.x + m[1] * p.y + m[2] * p.z + m[3]);
            *(i == 0 ? &gradient.x : i == 1 ? &gradient.y : &gradient.z) = sum;
        }
        const double l = abut_length(gradient);
        return l > 0 ? first_order * l : first_order;
    }
    }
}

/* Distance from the surface of points in the ball about c where |f| <= most; infinite where not bounded. */
static double distance_bound(const abut_solid_surface *s, abut_vec3 c, double radius, double most)
{
    const abut_vec3 d = abut_sub(c, s->point);
    const double z = abut_dot(d, s->axis);
    const abut_vec3 r = abut_madd(d, -z, s->axis);
    const double q = sqrt(abut_dot(r, r));
    double factor = 0;
    switch (s->kind) {
    case ABUT_SOLID_PLANE: factor = 1; break;
    case ABUT_SOLID_SPHERE:
    case ABUT_SOLID_CYLINDER: factor = s->radius; break;
    case ABUT_SOLID_CONE: {
        /* f = (e q - k z) (e q + k z) with e, k the cosine and sine. */
        const double e = 1 / sqrt(1 + s->tangent * s->tangent);
        factor = e * q + e * s->tangent * z - radius;
        break;
    }
    case ABUT_SOLID_TORUS: {
        /* f = ((q - R)^2 + z^2 - r^2) ((q + R)^2 + z^2 - r^2), the second from a 1-Lipschitz root. */
        const double h = sqrt((q + s->radius) * (q + s->radius) + z * z), lo = h - radius, hi = h + radius;
        factor = s->minor *
                 fmax(lo > 0 ? (lo - s->minor) * (lo + s->minor) : 0, (s->minor - hi) * (s->minor + hi));
        break;
    }
    default: {
        /* g d - h d^2 / 2 <= |f| along the gradient. */
        double h = 0;
        abut_vec3 gradient = { 0, 0, 0 };
        for (int i = 0; i < 3; ++i) {
            const double *m = s->matrix[i], sum = 2 * (m[0] * c.x + m[1] * c.y + m[2] * c.z + m[3]);
            *(i == 0 ? &gradient.x : i == 1 ? &gradient.y : &gradient.z) = sum;
            h += m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
        }
        h = 2 * sqrt(h);
        const double g = abut_length(gradient) - h * radius, det = g * g - 2 * h * most;
        return g > 0 && det > 0 ? 2 * most / (g + sqrt(det)) : INFINITY;
    }
    }
    return factor > 0 ? most / factor : INFINITY;
}

/* The largest weighted |f| at the N Chebyshev nodes of the cell, times the factor of Ehlich and Zeller. */
static double sampled(along *a, const abut_cell *cell, int per_degree)
{
    const abut_part *p = a->piece;
    const bool round = p->kind == ABUT_CELL_ARC || p->kind == ABUT_CELL_ELLIPSE;
    const int own = degree_of(a->s), degree = own * (round ? 2 : p->kind == ABUT_CELL_CUBIC ? 3 : 1);
    const int nodes = per_degree * degree;
    const double pi = 3.14159265358979323846;
    double most = 0;
    for (int k = 0; k < nodes; ++k) {
        const double x = cos((2 * k + 1) * pi / (2 * nodes));
        abut_vec3 at, tangent;
        double weight = 1;
        if (round) {
            /* By w = tan(angle / 2), over (1 + w^2) to the power of the degree. */
            const double w = x * cell->a.sin_half / (1 + cell->a.cos_half), n = 1 + w * w;
            const double c = (1 - w * w) / n, t = 2 * w / n;
            const double u = cell->a.c * c - cell->a.s * t, v = cell->a.s * c + cell->a.c * t;
            at = abut_madd(p->o, p->radius, abut_madd(abut_scale(u, p->x), v, p->y));
            for (int i = 0; i < own; ++i)
                weight *= n;
        } else {
            const double f = 0.5 * (cell->v0 + cell->v1) + 0.5 * (cell->v1 - cell->v0) * x;
            at = p->kind == ABUT_CELL_SEGMENT ? abut_madd(p->o, f, p->z) : abut_piece_at(p, f, &tangent);
        }
        most = fmax(most, weight * fabs(implicit(a->s, at)));
        a->worst = fmax(a->worst, fabs(abut_surface_at(a->s, at, &tangent)));
    }
    return most / cos(degree * pi / (2 * nodes));
}

/* All of the cell within the tolerance of the surface? */
static bool is_on(along *a, const abut_cell *cell, int depth) // NOLINT(misc-no-recursion)
{
    abut_vec3 normal;
    const bool round = a->piece->kind == ABUT_CELL_ARC || a->piece->kind == ABUT_CELL_ELLIPSE;
    /* Distances are 1-Lipschitz; that of a quadric is so only near it. */
    if (a->s->kind != ABUT_SOLID_QUADRIC &&
        fabs(abut_surface_at(a->s, cell->center, &normal)) + cell->radius <= a->tolerance)
        return true;
    if (!round || cell->a.cos_half > 0.7) {
        for (int per = 4; per <= 16 && !(a->worst > a->tolerance); per *= 4)
            if (distance_bound(a->s, cell->center, cell->radius, sampled(a, cell, per)) <= a->tolerance)
                return true;
        if (a->worst > a->tolerance)
            return false;
    }
    if (depth == 0)
        return false;
    abut_cell halves[2];
    abut_cell_split(a->piece, cell, halves);
    abut_cell_fit(a->piece, 0, &halves[0]);
    abut_cell_fit(a->piece, 0, &halves[1]);
    return is_on(a, &halves[0], depth - 1) && is_on(a, &halves[1], depth - 1);
}

/* Every piece of every edge on the surfaces of both faces. */
static abut_status check_on_surfaces(const abut_solid *solid, const abut_curves *curves, abut_error *error)
{
    const abut_solid_def *def = &solid->def;
    for (size_t i = 0; i < def->edge_count; ++i)
        for (size_t k = curves->starts[i]; k < curves->starts[i + 1]; ++k)
            for (int side = 0; side < 2; ++side) {
                const uint32_t face = solid->sides[i].face[side];
                along a = { &def->surfaces[def->faces[face].surface], &curves->parts[k], solid->tolerance,
                            0 };
                abut_cell root;
                abut_cell_root(a.piece, 0, 0, &root);
                if (is_on(&a, &root, 48))
                    continue;
                if (a.worst > solid->tolerance)
                    return abut_base_fail(
                        error, ABUT_ERR_VALUE, (int64_t)i,
                        "edge %zu is %.3g off the surface of face %" PRIu32 ", a %s; the tolerance is %.3g",
                        i, a.worst, face, abut_solid_surface_name(a.s->kind), solid->tolerance);
                return abut_base_fail(
                    error, ABUT_ERR_VALUE, (int64_t)i,
                    "edge %zu is not proved to be within the tolerance, %.3g, of the surface "
                    "of face %" PRIu32 ", a %s",
                    i, solid->tolerance, face, abut_solid_surface_name(a.s->kind));
            }
    return ABUT_OK;
}

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

/* Faces joined by edges. */
static bool count_shells(abut_solid *solid, abut_workspace *keep)
{
    const abut_solid_def *def = &solid->def;
    uint32_t *parent = abut_workspace_take(keep, def->face_count, sizeof *parent);
    if (!parent)
        return false;
    for (uint32_t i = 0; i < def->face_count; ++i)
        parent[i] = i;
    for (size_t i = 0; i < def->edge_count; ++i)
        parent[root_of(parent, solid->sides[i].face[0])] = root_of(parent, solid->sides[i].face[1]);
    for (uint32_t i = 0; i < def->face_count; ++i)
        solid->shell_count += root_of(parent, i) == i;
    solid->shell_first = abut_workspace_take(keep, solid->shell_count, sizeof *solid->shell_first);
    if (!solid->shell_first)
        return false;
    size_t at = 0;
    for (uint32_t i = 0; i < def->face_count; ++i)
        if (root_of(parent, i) == i)
            solid->shell_first[at++] = i;
    solid->shell_of = abut_workspace_take(keep, def->face_count, sizeof *solid->shell_of);
    if (!solid->shell_of)
        return false;
    for (uint32_t i = 0; i < def->face_count; ++i)
        for (uint32_t k = 0; k < solid->shell_count; ++k)
            if (solid->shell_first[k] == root_of(parent, i))
                solid->shell_of[i] = k;
    return true;
}

abut_status abut_solid_geometry(abut_workspace *keep, abut_solid *solid, abut_error *error)
{
    solid->size = measure(&solid->def);
    solid->stated = solid->def.tolerance > 0;
    solid->tolerance = solid->stated ? solid->def.tolerance : 1e-9 * solid->size;
    solid->doubt = solid->tolerance;
    abut_curves curves;
    abut_status status = abut_curves_build(solid, keep, &curves, error);
    if (!status)
        status = check_on_surfaces(solid, &curves, error);
    if (status)
        return status;
    if (!count_shells(solid, keep))
        return abut_base_fail_memory(error);
    status = abut_solid_make_features(solid, &curves, keep, error);
    if (status)
        return status;
    const uint32_t turned = abut_solid_mass_explicit(solid);
    if (turned != ABUT_SOLID_NONE)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, turned,
                              "the loops of face %" PRIu32
                              " run the wrong way round: seen from outside, the face must be on their left",
                              turned);
    return ABUT_OK;
}
