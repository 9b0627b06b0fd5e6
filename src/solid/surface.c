/* SPDX-License-Identifier: MIT */
/* Implicit functions of the surfaces. All but quadrics are signed distances in closed form. */
#include "solid/surface.h"

double abut_surface_at(const abut_solid_surface *s, abut_vec3 p, abut_vec3 *normal)
{
    const abut_vec3 d = abut_sub(p, s->point);
    const double z = abut_dot(d, s->axis);
    const abut_vec3 r = abut_madd(d, -z, s->axis);
    switch (s->kind) {
    case ABUT_SOLID_PLANE: *normal = s->axis; return z;
    case ABUT_SOLID_SPHERE: *normal = abut_unit_or(d, s->axis); return sqrt(abut_dot(d, d)) - s->radius;
    case ABUT_SOLID_CYLINDER: *normal = abut_unit_or(r, s->axis); return sqrt(abut_dot(r, r)) - s->radius;
    case ABUT_SOLID_CONE: {
        const double w = 1 / sqrt(1 + s->tangent * s->tangent), q = sqrt(abut_dot(r, r));
        *normal = abut_madd(abut_scale(q > 0 ? w / q : 0, r), -s->tangent * w, s->axis);
        return w * (q - s->tangent * z);
    }
    case ABUT_SOLID_TORUS: {
        const double q = sqrt(abut_dot(r, r)), f = q > 0 ? (q - s->radius) / q : 0;
        *normal = abut_unit_or(abut_madd(abut_scale(f, r), z, s->axis), s->axis);
        return sqrt((q - s->radius) * (q - s->radius) + z * z) - s->minor;
    }
    case ABUT_SOLID_QUADRIC: {
        const double v[4] = { p.x, p.y, p.z, 1 };
        double g[4] = { 0, 0, 0, 0 }, f = 0;
        for (int i = 0; i < 4; ++i) {
            for (int k = 0; k < 4; ++k)
                g[i] += s->matrix[i][k] * v[k];
            f += g[i] * v[i];
        }
        const abut_vec3 gradient = { 2 * g[0], 2 * g[1], 2 * g[2] };
        const double l = abut_length(gradient);
        *normal = abut_unit_or(gradient, abut_v3(0, 0, 1));
        return l > 0 ? f / l : f;
    }
    default: *normal = s->axis; return INFINITY;
    }
}
