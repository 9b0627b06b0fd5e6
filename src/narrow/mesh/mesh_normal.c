/* SPDX-License-Identifier: MIT */
/* In which direction two triangles that meet would part; declared in mesh.h. Normals of faces
 * come first, then what is perpendicular to two edges; where nothing parts them, the middle
 * between both faces. For people and engines; doubles only, nothing here is certified. */
#include "narrow/mesh/mesh.h"

#include "math/vec3.h"

abut_vec3 abut_mesh_triangle_normal(const abut_vec3 t[3])
{
    const abut_vec3 u = abut_sub(t[1], t[0]), v = abut_sub(t[2], t[0]), zero = { 0, 0, 0 };
    return abut_unit_or(abut_cross(abut_unit_or(u, zero), abut_unit_or(v, zero)), zero);
}

/* Do all of the other's corners lie on one side of the plane (within rounding of it)? The side,
 * or 0. */
static int side_of(abut_vec3 at, abut_vec3 normal, const abut_vec3 t[3])
{
    double lo = 0, hi = 0;
    for (int k = 0; k < 3; ++k) {
        const double s = abut_dot(normal, abut_sub(t[k], at));
        lo = fmin(lo, s);
        hi = fmax(hi, s);
    }
    return hi > 0x1p20 * -lo ? 1 : -lo > 0x1p20 * hi ? -1 : 0;
}

/* Along the common normal of two edges, where that parts the triangles and not both lie across
 * it. */
static bool parted_by_edges(const abut_vec3 a[3], const abut_vec3 b[3], abut_vec3 *out)
{
    const abut_vec3 zero = { 0, 0, 0 };
    for (int i = 0; i < 18; ++i) {
        const int j = i / 2 / 3, k = i / 2 % 3;
        const abut_vec3 u = abut_unit_or(abut_sub(a[(j + 1) % 3], a[j]), zero),
                        v = abut_unit_or(abut_sub(b[(k + 1) % 3], b[k]), zero);
        const abut_vec3 n = abut_scale(i % 2 ? -1 : 1, abut_unit_or(abut_cross(u, v), zero));
        double a_lo = INFINITY, a_hi = -INFINITY, b_lo = INFINITY, b_hi = -INFINITY;
        for (int c = 0; c < 3; ++c) {
            const double x = abut_dot(n, abut_sub(a[c], a[j])), y = abut_dot(n, abut_sub(b[c], a[j]));
            a_lo = fmin(a_lo, x);
            a_hi = fmax(a_hi, x);
            b_lo = fmin(b_lo, y);
            b_hi = fmax(b_hi, y);
        }
        *out = n;
        if (0x1p20 * (a_hi - b_lo) < b_hi - a_lo)
            return true;
    }
    return false;
}

abut_vec3 abut_mesh_contact_normal(const abut_mesh_pair *pair, uint32_t i, uint32_t j, bool *sure)
{
    abut_vec3 a[3], b[3];
    abut_mesh_corners(pair->mesh_a, i, a);
    abut_mesh_corners(pair->mesh_b, j, b);
    const abut_affine in_a = { pair->frame.b_in_a.r, pair->frame.b_in_a.t };
    for (int k = 0; k < 3; ++k)
        b[k] = abut_affine_apply(&in_a, b[k]);
    const abut_vec3 na = abut_mesh_triangle_normal(a), nb = abut_mesh_triangle_normal(b),
                    x_axis = { 1, 0, 0 };
    const abut_vec3 apart =
        abut_sub(abut_add(b[0], abut_add(b[1], b[2])), abut_add(a[0], abut_add(a[1], a[2])));
    const int sa = side_of(a[0], na, b), sb = side_of(b[0], nb, a);
    abut_vec3 n;
    bool sided = false; /* n is turned the right way already */
    *sure = true;
    /* What is behind a face of a solid does not lean on it. */
    if ((pair->mesh_a->solid ? sa > 0 : sa != 0) && abut_max_norm(na) > 0) {
        n = pair->mesh_a->solid ? na : abut_scale(sa, na);
        sided = true;
    } else if ((pair->mesh_b->solid ? sb > 0 : sb != 0) && abut_max_norm(nb) > 0) {
        n = pair->mesh_b->solid ? abut_scale(-1, nb) : abut_scale(-sb, nb);
        sided = true;
    } else if (pair->mesh_a->solid && pair->mesh_b->solid && parted_by_edges(a, b, &n)) {
        sided = true;
    } else if (pair->mesh_a->solid && pair->mesh_b->solid) {
        n = abut_sub(na, nb);
        *sure = sided = abut_max_norm(n) > 0.01;
        if (!sided)
            n = na;
    } else if (pair->mesh_a->solid) {
        n = na;
        sided = true;
    } else if (pair->mesh_b->solid) {
        n = abut_scale(-1, nb);
        sided = true;
    } else
        n = abut_sub(na, abut_scale(abut_dot(na, nb) > 0 ? -1 : 1, nb));
    n = abut_unit_or(n, abut_unit_or(apart, x_axis));
    return !sided && abut_dot(n, apart) < 0 ? abut_scale(-1, n) : n;
}
