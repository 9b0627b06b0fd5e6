/* SPDX-License-Identifier: MIT */
/* General quadrics: principal axes, and cells of the two parametrisations of quadric.h.
 *
 * A box is aligned with the tangents at the middle of its cell. rho and h are convex (or quadratic), so
 * that they exceed their tangent most at the ends of the range: the thickness of a box is exact there,
 * and shrinks with the square of the width. Normals are gradients; the angle between two of them has a
 * sine of at most the length of their difference over that of the middle one. */
#include "solid/quadric.h"

#include <math.h>

/* ---- principal axes ---- */

static void set_axes(abut_part *part, abut_vec3 o, abut_vec3 x, abut_vec3 y)
{
    part->o = o;
    part->x = x;
    part->y = y;
    part->z = abut_cross(x, y);
}

/* z towards `near`, so that the sheet or nappe is along it. */
static void face_near(abut_part *part, abut_vec3 near)
{
    if (abut_dot(abut_sub(near, part->o), part->z) >= 0)
        return;
    part->z = abut_scale(-1, part->z);
    part->x = abut_scale(-1, part->x);
}

/* sum of m_i y_i^2 = 1 about o, odd one last. */
static abut_quadric_sheet central(const double m[3], const abut_vec3 e[3], abut_vec3 o, abut_vec3 near,
                                  abut_part *part)
{
    const int positive = (m[0] > 0) + (m[1] > 0) + (m[2] > 0);
    if (positive == 3) {
        part->kind = ABUT_CELL_ELLIPSOID;
        set_axes(part, o, e[0], e[1]);
        part->radii = abut_v3(1 / sqrt(m[0]), 1 / sqrt(m[1]), 1 / sqrt(m[2]));
        return ABUT_QUADRIC_WHOLE;
    }
    if (positive == 0)
        return ABUT_QUADRIC_NONE;
    /* The axis is that of the single sign. */
    int odd = 0;
    for (int i = 0; i < 3; ++i)
        if ((m[i] > 0) == (positive == 1))
            odd = i;
    const int first = (odd + 1) % 3, second = (odd + 2) % 3;
    set_axes(part, o, e[first], e[second]);
    if (positive == 2) {
        part->kind = ABUT_CELL_RING;
        part->radii = abut_v3(1 / sqrt(m[first]), 1 / sqrt(m[second]), 0);
        part->major = 1;
        part->slope = -m[odd];
        return ABUT_QUADRIC_WHOLE;
    }
    part->kind = ABUT_CELL_GRAPH;
    part->rise = 1;
    part->radii = abut_v3(-m[first] / m[odd], -m[second] / m[odd], 1 / sqrt(m[odd]));
    face_near(part, near);
    return ABUT_QUADRIC_HALF;
}

static abut_quadric_sheet cone(const double l[3], const abut_vec3 e[3], abut_vec3 o, abut_vec3 near,
                               abut_part *part)
{
    const int positive = (l[0] > 0) + (l[1] > 0) + (l[2] > 0);
    if (positive == 0 || positive == 3)
        return ABUT_QUADRIC_NONE;
    int odd = 0;
    for (int i = 0; i < 3; ++i)
        if ((l[i] > 0) == (positive == 1))
            odd = i;
    const int first = (odd + 1) % 3, second = (odd + 2) % 3;
    set_axes(part, o, e[first], e[second]);
    part->kind = ABUT_CELL_RING;
    part->radii = abut_v3(1 / sqrt(fabs(l[first])), 1 / sqrt(fabs(l[second])), 0);
    part->major = 0;
    part->slope = fabs(l[odd]);
    face_near(part, near);
    if (positive == 1)
        part->sense = -part->sense;
    return ABUT_QUADRIC_HALF;
}

/* l0 y0^2 + l1 y1^2 + k = 0 along e[2]. */
static abut_quadric_sheet cylinder(const double l[2], double k, const abut_vec3 e[3], abut_vec3 o,
                                   abut_vec3 near, abut_part *part)
{
    const double m[2] = { -l[0] / k, -l[1] / k };
    if (k > 0)
        part->sense = -part->sense;
    if (m[0] > 0 && m[1] > 0) {
        part->kind = ABUT_CELL_RING;
        set_axes(part, o, e[0], e[1]);
        part->radii = abut_v3(1 / sqrt(m[0]), 1 / sqrt(m[1]), 0);
        part->major = 1;
        part->slope = 0;
        return ABUT_QUADRIC_WHOLE;
    }
    if (m[0] < 0 && m[1] < 0)
        return ABUT_QUADRIC_NONE;
    const int up = m[0] > 0 ? 0 : 1;
    part->kind = ABUT_CELL_GRAPH;
    part->rise = 1;
    part->o = o;
    part->z = e[up];
    part->x = e[1 - up];
    part->y = abut_cross(part->z, part->x);
    part->radii = abut_v3(-m[1 - up] / m[up], 0, 1 / sqrt(m[up]));
    face_near(part, near);
    return ABUT_QUADRIC_HALF;
}

abut_quadric_sheet abut_quadric_part(const double matrix[4][4], abut_vec3 near, abut_part *part)
{
    abut_mat3 a, vectors;
    abut_vec3 eigenvalues, e[3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a.m[i][j] = matrix[i][j];
    abut_mat3_symmetric_eigen(&a, &eigenvalues, &vectors);
    const double l[3] = { eigenvalues.x, eigenvalues.y, eigenvalues.z };
    double most = 0;
    for (int i = 0; i < 3; ++i) {
        e[i] = abut_v3(vectors.m[0][i], vectors.m[1][i], vectors.m[2][i]);
        most = fmax(most, fabs(l[i]));
    }
    if (!(most > 0))
        return ABUT_QUADRIC_NONE;
    /* About a point near the face, so that what counts as 0 is judged by the face's own size. */
    const double zero = 1e-11 * most;
    const abut_vec3 b = { matrix[0][3], matrix[1][3], matrix[2][3] };
    double linear[3], k = matrix[3][3];
    abut_vec3 o = { 0, 0, 0 };
    int rank = 0, order[3], flat = 2;
    for (int i = 0; i < 3; ++i)
        if (fabs(l[i]) > zero)
            order[rank++] = i;
    for (int i = 0; i < 3; ++i)
        if (!(fabs(l[i]) > zero))
            order[flat--] = i;
    double values[3];
    abut_vec3 axes[3];
    for (int i = 0; i < 3; ++i) {
        values[i] = l[order[i]];
        axes[i] = e[order[i]];
        linear[i] = abut_dot(b, axes[i]);
        if (i < rank) {
            o = abut_madd(o, -linear[i] / values[i], axes[i]);
            k -= linear[i] * linear[i] / values[i];
        }
    }
    /* Right-handed. */
    if (abut_dot(abut_cross(axes[0], axes[1]), axes[2]) < 0)
        axes[2] = abut_scale(-1, axes[2]), linear[2] = -linear[2];
    const double size = abut_length(abut_sub(near, o));
    const double least = 1e-11 * most * size * size;
    if (rank == 3 && fabs(k) <= least)
        return cone(values, axes, o, near, part);
    if (rank == 3) {
        const double m[3] = { -values[0] / k, -values[1] / k, -values[2] / k };
        if (k > 0)
            part->sense = -part->sense;
        return central(m, axes, o, near, part);
    }
    abut_vec3 g = { 0, 0, 0 }; /* the linear part that is left */
    for (int i = rank; i < 3; ++i)
        g = abut_madd(g, linear[i], axes[i]);
    const double steep = abut_length(g);
    if (steep <= 1e-11 * most * size) {
        if (rank == 1 || fabs(k) <= least)
            return ABUT_QUADRIC_NONE;
        return cylinder(values, k, axes, o, near, part);
    }
    /* l0 u^2 + l1 v^2 + 2 steep t + k = 0. */
    part->kind = ABUT_CELL_GRAPH;
    part->rise = 0;
    part->z = abut_scale(1 / steep, g);
    part->x = axes[0];
    part->y = abut_cross(part->z, part->x);
    part->o = abut_madd(o, -k / (2 * steep), part->z);
    part->radii = abut_v3(-values[0] / (2 * steep), rank == 2 ? -values[1] / (2 * steep) : 0, 0);
    return ABUT_QUADRIC_WHOLE;
}

/* ---- cells ---- */

static double rho_at(const abut_part *p, double v)
{
    return sqrt(fmax(0, p->major + p->slope * v * v));
}

static double height_at(const abut_part *p, double u, double v)
{
    const double sum = p->radii.x * u * u + p->radii.y * v * v;
    return p->rise > 0 ? sqrt(p->radii.z * p->radii.z + sum) : sum;
}

/* Derivatives of h. */
static void slopes_at(const abut_part *p, double u, double v, double *hu, double *hv)
{
    const double f = p->rise > 0 ? 1 / height_at(p, u, v) : 2;
    *hu = f * p->radii.x * u;
    *hv = f * p->radii.y * v;
}

/* Sums of multiples of vectors, each multiple in a range, along three axes. */
typedef struct spread {
    const abut_vec3 *axis;
    double lo[3], hi[3];
} spread;

static void add(spread *s, abut_vec3 along, double lo, double hi)
{
    for (int k = 0; k < 3; ++k) {
        const double d = abut_dot(s->axis[k], along), x = d * lo, y = d * hi;
        s->lo[k] += fmin(x, y);
        s->hi[k] += fmax(x, y);
    }
}

static void finish(const abut_part *p, const spread *s, abut_vec3 base, abut_vec3 own, double sine,
                   double slack, abut_cell *cell)
{
    double square = 0;
    cell->center = base;
    for (int k = 0; k < 3; ++k) {
        cell->axis[k] = s->axis[k];
        cell->half[k] = 0.5 * (s->hi[k] - s->lo[k]) + slack;
        cell->center = abut_madd(cell->center, 0.5 * (s->lo[k] + s->hi[k]), s->axis[k]);
        square += cell->half[k] * cell->half[k];
    }
    cell->radius = sqrt(square) * (1 + 0x1p-50);
    cell->wide = !(sine < 0.7);
    cell->normal = abut_scale(p->sense < 0 ? -1 : 1, own);
    cell->cone_cos = cell->wide ? -1 : sqrt(1 - sine * sine);
    cell->cone_sin = cell->wide ? 0 : sine;
    cell->has_skeleton = false;
    cell->sample = base;
}

static void fit_ring(const abut_part *p, double slack, abut_cell *cell)
{
    const abut_arc_range *a = &cell->a;
    const abut_vec3 m = abut_add(abut_scale(p->radii.x * a->c, p->x), abut_scale(p->radii.y * a->s, p->y));
    const abut_vec3 t = abut_add(abut_scale(-p->radii.x * a->s, p->x), abut_scale(p->radii.y * a->c, p->y));
    const double v = 0.5 * (cell->v0 + cell->v1), dv = 0.5 * (cell->v1 - cell->v0);
    const double rho = rho_at(p, v), rise = rho > 0 ? p->slope * v / rho : sqrt(p->slope);
    const double ends[2] = { rho_at(p, cell->v0), rho_at(p, cell->v1) };
    const double widest = fmax(ends[0], ends[1]);
    const double excess = fmax(0, fmax(ends[0] - (rho - rise * dv), ends[1] - (rho + rise * dv)));
    const double sine = a->cos_half > 0 ? a->sin_half : 1;
    const abut_vec3 g = abut_madd(p->z, rise, m);
    const abut_vec3 first = abut_unit_or(t, p->x);
    const abut_vec3 n = abut_unit_or(abut_cross(t, g), p->x);
    const abut_vec3 axis[3] = { first, abut_cross(n, first), n };
    spread s = { .axis = axis };
    add(&s, g, -dv, dv);
    add(&s, m, widest * (a->cos_half - 1), excess);
    add(&s, t, -widest * sine, widest * sine);
    /* (cos / r0, sin / r1, -slope v / rho); the last is monotonic in v. */
    const double middle = rise;
    double change = 0;
    for (int i = 0; i < 2; ++i) {
        const double at = i ? cell->v1 : cell->v0;
        const double tau = ends[i] > 0 ? p->slope * at / ends[i] : middle;
        change = fmax(change, fabs(tau - middle));
    }
    const double inverse = 1 / fmin(p->radii.x, p->radii.y);
    const double turned = inverse * sqrt(fmax(0, 2 * (1 - a->cos_half))) + change;
    const double c = a->c / p->radii.x, q = a->s / p->radii.y;
    finish(p, &s, abut_madd(abut_madd(p->o, v, p->z), rho, m), n,
           turned / sqrt(c * c + q * q + middle * middle), slack, cell);
}

static void fit_graph(const abut_part *p, double slack, abut_cell *cell)
{
    const double u = 0.5 * (cell->u0 + cell->u1), du = 0.5 * (cell->u1 - cell->u0);
    const double v = 0.5 * (cell->v0 + cell->v1), dv = 0.5 * (cell->v1 - cell->v0);
    double hu, hv, lo = 0, hi = 0;
    slopes_at(p, u, v, &hu, &hv);
    const double h = height_at(p, u, v);
    /* Above the tangent plane: a convex function is at most its value at the corners there; a quadratic
     * one is the sum of two. */
    if (p->rise > 0) {
        for (int i = 0; i < 4; ++i) {
            const double x = i & 1 ? du : -du, y = i & 2 ? dv : -dv;
            hi = fmax(hi, height_at(p, u + x, v + y) - h - hu * x - hv * y);
        }
    } else {
        const double x = p->radii.x * du * du, y = p->radii.y * dv * dv;
        lo = fmin(0, x) + fmin(0, y);
        hi = fmax(0, x) + fmax(0, y);
    }
    const abut_vec3 gu = abut_madd(p->x, hu, p->z), gv = abut_madd(p->y, hv, p->z);
    const abut_vec3 first = abut_unit_or(gu, p->x), n = abut_unit_or(abut_cross(gu, gv), p->z);
    const abut_vec3 axis[3] = { first, abut_cross(n, first), n };
    spread s = { .axis = axis };
    add(&s, gu, -du, du);
    add(&s, gv, -dv, dv);
    add(&s, p->z, lo, hi);
    /* (-hu, -hv, 1); second derivatives of the root are at most those at u = v = 0. */
    const double f = p->rise > 0 ? 1 / p->radii.z : 2;
    const double x = f * fabs(p->radii.x) * du, y = f * fabs(p->radii.y) * dv;
    const double mixed = p->rise > 0 ? f * sqrt(fabs(p->radii.x * p->radii.y)) : 0;
    const double turned = sqrt((x + mixed * dv) * (x + mixed * dv) + (y + mixed * du) * (y + mixed * du));
    const abut_vec3 base = abut_madd(abut_madd(abut_madd(p->o, u, p->x), v, p->y), h, p->z);
    finish(p, &s, base, n, turned / sqrt(1 + hu * hu + hv * hv), slack, cell);
}

void abut_quadric_fit(const abut_part *part, double slack, abut_cell *cell)
{
    if (part->kind == ABUT_CELL_RING)
        fit_ring(part, slack, cell);
    else
        fit_graph(part, slack, cell);
}

int abut_quadric_split(const abut_part *part, const abut_cell *cell)
{
    if (part->kind == ABUT_CELL_GRAPH)
        return cell->u1 - cell->u0 > cell->v1 - cell->v0 ? 2 : 1;
    const double rho = fmax(rho_at(part, cell->v0), rho_at(part, cell->v1));
    const double around =
        (cell->a.cos_half > 0 ? cell->a.sin_half : 2) * rho * fmax(part->radii.x, part->radii.y);
    return cell->v1 - cell->v0 > 2 * around ? 1 : 0;
}

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* The direction of the range nearest to (x, y), as a unit vector. */
static void clamp_direction(const abut_arc_range *r, double *x, double *y)
{
    const double n = sqrt(*x * *x + *y * *y);
    if (!(n > 0)) {
        *x = r->c;
        *y = r->s;
        return;
    }
    *x /= n;
    *y /= n;
    if (r->cos_half <= -1 || *x * r->c + *y * r->s >= r->cos_half)
        return;
    const double side = r->c * *y - r->s * *x >= 0 ? r->sin_half : -r->sin_half;
    *x = r->c * r->cos_half - r->s * side;
    *y = r->s * r->cos_half + r->c * side;
}

abut_vec3 abut_quadric_project(const abut_part *part, const abut_cell *cell, abut_vec3 p)
{
    const abut_vec3 d = abut_sub(p, part->o);
    double x = abut_dot(d, part->x), y = abut_dot(d, part->y);
    const double z = abut_dot(d, part->z);
    if (part->kind == ABUT_CELL_GRAPH) {
        const double u = clamp(x, cell->u0, cell->u1), v = clamp(y, cell->v0, cell->v1);
        return abut_madd(abut_madd(abut_madd(part->o, u, part->x), v, part->y), height_at(part, u, v),
                         part->z);
    }
    x /= part->radii.x;
    y /= part->radii.y;
    clamp_direction(&cell->a, &x, &y);
    const double v = clamp(z, cell->v0, cell->v1), rho = rho_at(part, v);
    return abut_madd(abut_madd(abut_madd(part->o, v, part->z), rho * part->radii.x * x, part->x),
                     rho * part->radii.y * y, part->y);
}

double abut_quadric_value(const abut_part *part, abut_vec3 p, abut_vec3 *gradient)
{
    const abut_vec3 d = abut_sub(p, part->o), r = part->radii;
    const double x = abut_dot(d, part->x), y = abut_dot(d, part->y), z = abut_dot(d, part->z);
    double gx, gy, gz, value;
    if (part->kind == ABUT_CELL_RING) {
        gx = 2 * x / (r.x * r.x);
        gy = 2 * y / (r.y * r.y);
        gz = -2 * part->slope * z;
        value = 0.5 * (gx * x + gy * y + gz * z) - part->major;
    } else if (part->rise > 0) {
        gx = -2 * r.x * x;
        gy = -2 * r.y * y;
        gz = 2 * z;
        value = 0.5 * (gx * x + gy * y + gz * z) - r.z * r.z;
    } else {
        gx = -2 * r.x * x;
        gy = -2 * r.y * y;
        gz = 1;
        value = 0.5 * (gx * x + gy * y) + z;
    }
    *gradient = abut_madd(abut_madd(abut_scale(gx, part->x), gy, part->y), gz, part->z);
    return value;
}
