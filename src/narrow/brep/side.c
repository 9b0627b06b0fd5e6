/* SPDX-License-Identifier: MIT */
/* Membership: on which side of a body's boundary a point is, with all that is within `slack` of it.
 * Distances in closed form, in doubles whose errors the slack covers. */
#include "math/vec3.h"
#include "narrow/brep/brep.h"
#include "narrow/brep/inside.h"
#include "narrow/mesh/mesh_point.h"

static int by_distance(double distance, double slack)
{
    return distance < -slack ? -1 : distance > slack ? 1 : 0;
}

static int side_of_solid(const abut_solid *solid, abut_vec3 p, double slack)
{
    abut_profile_near near;
    switch (solid->form) {
    case ABUT_SOLID_EXTRUDED: {
        const double below = fmax(-p.z, p.z - solid->height);
        if (below > slack)
            return 1;
        abut_profile_nearest(&solid->profile, (abut_xy){ p.x, p.y }, false, &near);
        return by_distance(fmax(near.distance, below), slack);
    }
    case ABUT_SOLID_REVOLVED: {
        const abut_xy at = { sqrt(p.x * p.x + p.y * p.y), p.z };
        abut_profile_nearest(&solid->profile, at, true, &near);
        return by_distance(near.distance, slack);
    }
    default: return abut_brep_explicit_side(solid, p, slack);
    }
}

/* All planes of a hull. */
static int side_of_hull(const abut_shape *shape, abut_vec3 p, double slack)
{
    const abut_where where = abut_brep_hull_where(shape, p, slack);
    return where == ABUT_WHERE_IN ? -1 : where == ABUT_WHERE_OUT ? 1 : 0;
}

int abut_brep_side(const abut_shape *shape, abut_vec3 p, double slack)
{
    const double q = sqrt(p.x * p.x + p.y * p.y);
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE: return by_distance(sqrt(abut_dot(p, p)) - shape->u.sphere.radius, slack);
    case ABUT_SHAPE_BOX: {
        const abut_vec3 h = shape->u.box.half;
        return by_distance(fmax(fabs(p.x) - h.x, fmax(fabs(p.y) - h.y, fabs(p.z) - h.z)), slack);
    }
    case ABUT_SHAPE_CAPSULE: {
        const double z = fmax(fabs(p.z) - 0.5 * shape->u.round.height, 0);
        return by_distance(sqrt(q * q + z * z) - shape->u.round.radius, slack);
    }
    case ABUT_SHAPE_CYLINDER:
        return by_distance(fmax(q - shape->u.round.radius, fabs(p.z) - 0.5 * shape->u.round.height), slack);
    case ABUT_SHAPE_CONE: {
        const double r = shape->u.round.radius, h = shape->u.round.height;
        const double slant = ((q - r) * h + (p.z + 0.5 * h) * r) / sqrt(r * r + h * h);
        return by_distance(fmax(slant, -0.5 * h - p.z), slack);
    }
    case ABUT_SHAPE_TORUS: {
        const double w = q - shape->u.torus.major;
        return by_distance(sqrt(w * w + p.z * p.z) - shape->u.torus.minor, slack);
    }
    case ABUT_SHAPE_ELLIPSOID: {
        /* |D^-1 x| is Lipschitz with the inverse of the least radius. */
        const abut_vec3 r = shape->u.ellipsoid.radii, s = { p.x / r.x, p.y / r.y, p.z / r.z };
        return by_distance((sqrt(abut_dot(s, s)) - 1) * fmin(r.x, fmin(r.y, r.z)), slack);
    }
    case ABUT_SHAPE_HALFSPACE: {
        const abut_vec3 n = shape->u.halfspace.normal;
        return by_distance((abut_dot(n, p) - shape->u.halfspace.offset) / abut_length(n), slack);
    }
    case ABUT_SHAPE_CONVEX: return side_of_hull(shape, p, slack);
    case ABUT_SHAPE_MESH: {
        const abut_where where = abut_mesh_where_near(shape, p, slack);
        return where == ABUT_WHERE_IN ? -1 : where == ABUT_WHERE_OUT ? 1 : 0;
    }
    default: {
        const abut_solid *solid = abut_shape_solid(shape);
        return solid ? side_of_solid(solid, p, slack) : 0;
    }
    }
}
