/* SPDX-License-Identifier: MIT */
/* Axes for oriented volumes: eigenvectors of a covariance (S. Gottschalk, M. C. Lin, D. Manocha,
 * OBBTree, 1996), of the corners of the triangles, of the vertices of their hull, or of its area.
 * The first is drawn to where corners are dense, the second to dense edges of the hull, the third
 * to neither.
 *
 * A flat set has a hull in its plane, one on a line is done with its corners. Where Qhull gives
 * up, the area of all triangles takes the place of the hull's, and where that is zero the
 * corners do. A single triangle has its longest side and its normal. */
#include "bv/volume.h"
#include "math/vec3.h"

/* Below this part of the longest extent a set is flat: three digits above what the covariance in
 * doubles can tell. */
static const double FLAT = 1e-9;

void abut_bv_moments_point(abut_bv_moments *m, double weight, abut_vec3 p)
{
    const double x[3] = { p.x, p.y, p.z };
    m->weight += weight;
    for (int i = 0; i < 3; ++i) {
        m->first[i] += weight * x[i];
        for (int j = i; j < 3; ++j)
            m->second[i][j] += weight * x[i] * x[j];
    }
}

/* Over the area A: the integral of x x^T is A / 12 (9 c c^T + p p^T + q q^T + r r^T), with the
 * centroid c. */
void abut_bv_moments_triangle(abut_bv_moments *m, abut_vec3 p, abut_vec3 q, abut_vec3 r)
{
    const double area = 0.5 * abut_length(abut_cross(abut_sub(q, p), abut_sub(r, p)));
    const abut_vec3 centroid = abut_scale(1.0 / 3, abut_add(p, abut_add(q, r)));
    abut_bv_moments_point(m, area * 0.75, centroid);
    abut_bv_moments_point(m, area / 12, p);
    abut_bv_moments_point(m, area / 12, q);
    abut_bv_moments_point(m, area / 12, r);
}

static abut_vec3 column(const abut_mat3 *m, int k)
{
    return abut_v3(m->m[0][k], m->m[1][k], m->m[2][k]);
}

static void set_columns(abut_mat3 *m, const abut_vec3 axis[3])
{
    for (int k = 0; k < 3; ++k)
        m->m[0][k] = axis[k].x, m->m[1][k] = axis[k].y, m->m[2][k] = axis[k].z;
}

static void eigen_axes(const abut_bv_moments *m, abut_mat3 *axes)
{
    abut_mat3 covariance;
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            covariance.m[i][j] = covariance.m[j][i] =
                m->second[i][j] / m->weight - m->first[i] / m->weight * (m->first[j] / m->weight);
    abut_vec3 values;
    abut_mat3_symmetric_eigen(&covariance, &values, axes);
}

void abut_bv_sort_axes(const abut_vec3 *points, size_t count, abut_mat3 *axes, double extent[3])
{
    double lo[3] = { INFINITY, INFINITY, INFINITY }, hi[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = abut_mul_t(axes, abut_sub(points[i], points[0]));
        const double x[3] = { p.x, p.y, p.z };
        for (int k = 0; k < 3; ++k) {
            lo[k] = x[k] < lo[k] ? x[k] : lo[k];
            hi[k] = x[k] > hi[k] ? x[k] : hi[k];
        }
    }
    int order[3] = { 0, 1, 2 };
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2 - i; ++j)
            if (hi[order[j]] - lo[order[j]] < hi[order[j + 1]] - lo[order[j + 1]]) {
                const int kept = order[j];
                order[j] = order[j + 1];
                order[j + 1] = kept;
            }
    for (int k = 0; k < 3; ++k)
        extent[k] = hi[order[k]] - lo[order[k]];
    abut_vec3 axis[3] = { column(axes, order[0]), column(axes, order[1]) };
    axis[2] = abut_cross(axis[0], axis[1]);
    set_columns(axes, axis);
}

/* Any unit vector that is perpendicular to a unit vector. */
static abut_vec3 perpendicular(abut_vec3 a)
{
    const abut_vec3 e = fabs(a.x) < 0.6 ? abut_v3(1, 0, 0) : abut_v3(0, 1, 0);
    return abut_unit_or(abut_cross(a, e), abut_v3(0, 0, 1));
}

static void triangle_axes(const abut_vec3 t[3], abut_mat3 *axes)
{
    abut_vec3 longest = abut_v3(0, 0, 0), normal = abut_cross(abut_sub(t[1], t[0]), abut_sub(t[2], t[0]));
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 side = abut_sub(t[(k + 1) % 3], t[k]);
        if (abut_dot(side, side) > abut_dot(longest, longest))
            longest = side;
    }
    abut_vec3 axis[3];
    axis[0] = abut_unit_or(longest, abut_v3(1, 0, 0));
    normal = abut_unit_or(normal, perpendicular(axis[0]));
    axis[1] = abut_unit_or(abut_cross(normal, axis[0]), perpendicular(axis[0]));
    axis[2] = abut_cross(axis[0], axis[1]);
    set_columns(axes, axis);
}

static bool all_triangles(const abut_vec3 *corners, size_t count, abut_bv_moments *m)
{
    *m = (abut_bv_moments){ 0 };
    for (size_t i = 0; i + 2 < count; i += 3)
        abut_bv_moments_triangle(m, abut_sub(corners[i], corners[0]), abut_sub(corners[i + 1], corners[0]),
                                 abut_sub(corners[i + 2], corners[0]));
    return m->weight > 0;
}

void abut_bv_axes(const abut_vec3 *corners, size_t count, abut_covariance covariance,
                  const abut_bv_scratch *scratch, abut_mat3 *axes, double extent[3])
{
    if (count == 3) {
        triangle_axes(corners, axes);
        abut_bv_sort_axes(corners, count, axes, extent);
        return;
    }
    abut_bv_moments m = { 0 };
    for (size_t i = 0; i < count; ++i)
        abut_bv_moments_point(&m, 1, abut_sub(corners[i], corners[0]));
    eigen_axes(&m, axes);
    abut_bv_sort_axes(corners, count, axes, extent);
    if (covariance == ABUT_COVARIANCE_VERTICES || !scratch || !scratch->sink || extent[1] <= FLAT * extent[0])
        return;
    const double flat[3] = { extent[0], extent[1], extent[2] > FLAT * extent[0] ? extent[2] : 0 };
    const bool area = covariance == ABUT_COVARIANCE_HULL_AREA;
    m = (abut_bv_moments){ 0 };
    if (!abut_bv_hull_moments(corners, count, area, axes, flat, scratch, &m) &&
        !all_triangles(corners, count, &m))
        return;
    eigen_axes(&m, axes);
    abut_bv_sort_axes(corners, count, axes, extent);
}
