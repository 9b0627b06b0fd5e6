/* SPDX-License-Identifier: MIT */
/* Explicit solids and hulls: crossings of a line in doubles, for casts (solid/member.c has the certified ones),
 * cells of trimmed faces, membership. */
#include "narrow/brep/inside.h"
#include "abut/polynomial.h"
#include "math/vec3.h"
#include "solid/member.h"
#include "solid/trim.h"

/* Roots of a t^2 + 2 b t + c; -1 where the discriminant is within rounding of zero. */
static int quadratic(double a, double b, double c, double size, double t[4])
{
    const double det = b * b - a * c, doubt = 1e-9 * (b * b + fabs(a * c));
    if (fabs(a) < 1e-9 * size)
        return fabs(a) == 0 && fabs(b) > 1e-9 * size ? (t[0] = -0.5 * c / b, 1) : -1;
    if (det < -doubt)
        return 0;
    if (det < doubt)
        return -1;
    const double w = b + copysign(sqrt(det), b), x = -w / a, y = -c / w;
    t[0] = fmin(x, y);
    t[1] = fmax(x, y);
    return 2;
}

/* (|x|^2 + R^2 - r^2)^2 = 4 R^2 (x^2 + y^2), with x = p + t d, |d| = 1. */
static int torus_roots(const abut_part *part, const double p[3], const double d[3], double t[4])
{
    const double R = part->major, r = part->radius, pd = p[0] * d[0] + p[1] * d[1] + p[2] * d[2];
    const double k = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + R * R - r * r;
    const double u = p[0] * p[0] + p[1] * p[1], v = p[0] * d[0] + p[1] * d[1], w = d[0] * d[0] + d[1] * d[1];
    const double c[5] = { k * k - 4 * R * R * u, 4 * k * pd - 8 * R * R * v,
                          2 * k + 4 * pd * pd - 4 * R * R * w, 4 * pd, 1 };
    abut_root roots[4];
    const double far = fabs(pd) + sqrt(fabs(k)) + 4 * (R + r);
    const int count = abut_polynomial_roots_certified(c, 4, -far, far, 1e-15 * far, roots);
    for (int i = 0; i < count; ++i) {
        if (roots[i].kind != ABUT_ROOT_SIMPLE)
            return -1;
        t[i] = 0.5 * (roots[i].x.lo + roots[i].x.hi);
        if (i > 0 && t[i] - t[i - 1] < 1e-6 * (R + r))
            return -1;
    }
    return count;
}

/* Roots with the line on the sheet along the part's z axis. */
static int along_axis(const double p[3], const double d[3], int n, double t[4])
{
    int m = 0;
    for (int i = 0; i < n; ++i)
        if (p[2] + t[i] * d[2] > 0)
            t[m++] = t[i];
    return n < 0 ? -1 : m;
}

/* The general quadrics of solid/quadric.h. */
static int quadric_roots(const abut_part *part, const double p[3], const double d[3], double t[4])
{
    const abut_vec3 r = part->radii;
    if (part->kind == ABUT_CELL_RING) {
        const double x = 1 / (r.x * r.x), y = 1 / (r.y * r.y), z = part->slope;
        const int n =
            quadratic(x * d[0] * d[0] + y * d[1] * d[1] - z * d[2] * d[2],
                      x * p[0] * d[0] + y * p[1] * d[1] - z * p[2] * d[2],
                      x * p[0] * p[0] + y * p[1] * p[1] - z * p[2] * p[2] - part->major, x + y + z, t);
        return part->major == 0 ? along_axis(p, d, n, t) : n;
    }
    const double a = -r.x * d[0] * d[0] - r.y * d[1] * d[1], b = -r.x * p[0] * d[0] - r.y * p[1] * d[1],
                 c = -r.x * p[0] * p[0] - r.y * p[1] * p[1], size = fabs(r.x) + fabs(r.y);
    if (part->rise > 0)
        return along_axis(
            p, d, quadratic(a + d[2] * d[2], b + p[2] * d[2], c + p[2] * p[2] - r.z * r.z, size + 1, t), t);
    return quadratic(a, b + 0.5 * d[2], c + p[2], size, t);
}

int abut_brep_line_roots(const abut_part *part, abut_vec3 at, abut_vec3 along, double t[4])
{
    const abut_vec3 e = abut_sub(at, part->o);
    const double p[3] = { abut_dot(e, part->x), abut_dot(e, part->y), abut_dot(e, part->z) };
    const double d[3] = { abut_dot(along, part->x), abut_dot(along, part->y), abut_dot(along, part->z) };
    switch (part->kind) {
    case ABUT_CELL_PLANE:
        if (fabs(d[2]) < 1e-6)
            return -1;
        t[0] = -p[2] / d[2];
        return 1;
    case ABUT_CELL_CYLINDER:
        return quadratic(d[0] * d[0] + d[1] * d[1], p[0] * d[0] + p[1] * d[1],
                         p[0] * p[0] + p[1] * p[1] - part->radius * part->radius, 1, t);
    case ABUT_CELL_CONE: {
        const double k = part->slope * part->slope, r = part->rise * part->rise;
        const int n = quadratic(r * (d[0] * d[0] + d[1] * d[1]) - k * d[2] * d[2],
                                r * (p[0] * d[0] + p[1] * d[1]) - k * p[2] * d[2],
                                r * (p[0] * p[0] + p[1] * p[1]) - k * p[2] * p[2], 1, t);
        return along_axis(p, d, n, t); /* only the nappe along the axis */
    }
    case ABUT_CELL_TORUS:
        if (part->major == 0)
            return quadratic(1, p[0] * d[0] + p[1] * d[1] + p[2] * d[2],
                             p[0] * p[0] + p[1] * p[1] + p[2] * p[2] - part->radius * part->radius, 1, t);
        return torus_roots(part, p, d, t);
    case ABUT_CELL_ELLIPSOID: {
        const double r[3] = { part->radii.x, part->radii.y, part->radii.z };
        double a = 0, b = 0, c = -1;
        for (int i = 0; i < 3; ++i) {
            a += d[i] * d[i] / (r[i] * r[i]);
            b += p[i] * d[i] / (r[i] * r[i]);
            c += p[i] * p[i] / (r[i] * r[i]);
        }
        return quadratic(a, b, c, a, t);
    }
    case ABUT_CELL_RING:
    case ABUT_CELL_GRAPH: return quadric_roots(part, p, d, t);
    default: return -1;
    }
}

int abut_brep_explicit_side(const abut_solid *solid, abut_vec3 p, double slack)
{
    return abut_member_side(solid, p, slack);
}

bool abut_brep_explicit_on_face(const abut_solid *solid, uint32_t face, abut_vec3 p)
{
    return abut_trim_contains(solid, face, p) > 0;
}

bool abut_brep_explicit_trim(const abut_brep_body *body, const abut_part *placed, double slack,
                             abut_cell *cell)
{
    const abut_solid *solid = body->solid;
    const abut_vec3 c = body->moved
                            ? abut_mul_t(&body->map.linear, abut_sub(cell->center, body->map.translation))
                            : cell->center;
    const abut_vec3 at = body->moved
                             ? abut_mul_t(&body->map.linear, abut_sub(cell->sample, body->map.translation))
                             : cell->sample;
    const bool whole = abut_trim_clearance(solid, placed->entity, c) > cell->radius + slack;
    const int in = abut_trim_contains(solid, placed->entity, at);
    if (whole && in == 0)
        return false;
    cell->state = whole && in > 0 ? ABUT_CELL_IN : ABUT_CELL_MIXED;
    cell->sampled = in > 0;
    return true;
}

double abut_brep_hull_distance(const abut_shape *shape, abut_vec3 p)
{
    const abut_hull *h = shape->u.convex.hull;
    double most = -INFINITY;
    for (uint32_t i = 0; i < h->face_count; ++i) {
        const uint32_t v = h->face_corners[h->face_begin[i]];
        const abut_vec3 d = { p.x - h->x[v], p.y - h->y[v], p.z - h->z[v] };
        most = fmax(most, abut_dot(d, h->face_normal[i]));
    }
    return most;
}
