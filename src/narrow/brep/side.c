/* SPDX-License-Identifier: MIT */
/* Membership: on which side of a body's boundary a point is, with all that is within `slack` of it.
 * Distances in closed form, in doubles whose errors the slack covers. */
#include "math/vec3.h"
#include "narrow/brep/brep.h"
#include "narrow/mesh/mesh_point.h"
#include "solid/member.h"

static int by_distance(double distance, double slack)
{
    return distance < -slack ? -1 : distance > slack ? 1 : 0;
}

/* Signed distance from a swept profile: exact inside, and outside at most that. */
static double from_profile(const abut_solid *solid, abut_vec3 p)
{
    abut_profile_near near;
    if (solid->form == ABUT_SOLID_REVOLVED) {
        abut_profile_nearest(&solid->profile, (abut_xy){ sqrt(p.x * p.x + p.y * p.y), p.z }, true, &near);
        return near.distance;
    }
    const double below = fmax(-p.z, p.z - solid->height);
    if (below > solid->size)
        return below;
    abut_profile_nearest(&solid->profile, (abut_xy){ p.x, p.y }, false, &near);
    return fmax(near.distance, below);
}

/* Signed distance from the planes of a hull. */
static double hull_distance(const abut_shape *shape, abut_vec3 p)
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

/* Signed distance, where it has a closed form: negative inside; its size is a lower bound of the
 * distance from the boundary. */
static bool closed_form(const abut_shape *shape, abut_vec3 p, double *out)
{
    const double q = sqrt(p.x * p.x + p.y * p.y);
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE: *out = sqrt(abut_dot(p, p)) - shape->u.sphere.radius; return true;
    case ABUT_SHAPE_BOX: {
        const abut_vec3 h = shape->u.box.half;
        *out = fmax(fabs(p.x) - h.x, fmax(fabs(p.y) - h.y, fabs(p.z) - h.z));
        return true;
    }
    case ABUT_SHAPE_CAPSULE: {
        const double z = fmax(fabs(p.z) - 0.5 * shape->u.round.height, 0);
        *out = sqrt(q * q + z * z) - shape->u.round.radius;
        return true;
    }
    case ABUT_SHAPE_CYLINDER:
        *out = fmax(q - shape->u.round.radius, fabs(p.z) - 0.5 * shape->u.round.height);
        return true;
    case ABUT_SHAPE_CONE: {
        const double r = shape->u.round.radius, h = shape->u.round.height;
        *out = fmax(((q - r) * h + (p.z + 0.5 * h) * r) / sqrt(r * r + h * h), -0.5 * h - p.z);
        return true;
    }
    case ABUT_SHAPE_TORUS: {
        const double w = q - shape->u.torus.major;
        *out = sqrt(w * w + p.z * p.z) - shape->u.torus.minor;
        return true;
    }
    case ABUT_SHAPE_ELLIPSOID: {
        /* |D^-1 x| is Lipschitz with the inverse of the least radius. */
        const abut_vec3 r = shape->u.ellipsoid.radii, s = { p.x / r.x, p.y / r.y, p.z / r.z };
        *out = (sqrt(abut_dot(s, s)) - 1) * fmin(r.x, fmin(r.y, r.z));
        return true;
    }
    case ABUT_SHAPE_HALFSPACE: {
        const abut_vec3 n = shape->u.halfspace.normal;
        *out = (abut_dot(n, p) - shape->u.halfspace.offset) / abut_length(n);
        return true;
    }
    case ABUT_SHAPE_CONVEX: *out = hull_distance(shape, p); return true;
    case ABUT_SHAPE_EXTRUDE:
    case ABUT_SHAPE_REVOLVE: *out = from_profile(shape->u.solid, p); return true;
    default: return false;
    }
}

int abut_brep_side(const abut_shape *shape, abut_vec3 p, double slack)
{
    double distance;
    if (closed_form(shape, p, &distance))
        return by_distance(distance, slack);
    if (shape->type == ABUT_SHAPE_MESH || shape->type == ABUT_SHAPE_POLYHEDRON) {
        const abut_where where = abut_mesh_where_near(shape, p, slack);
        return where == ABUT_WHERE_IN ? -1 : where == ABUT_WHERE_OUT ? 1 : 0;
    }
    const abut_solid *solid = abut_shape_solid(shape);
    return solid ? abut_member_side(solid, p, slack) : 0;
}

/* ---- boxes ---- */

/* A rectangle of half sides h about c, widened by slack, and a side: are they proved not to meet? */
static bool avoids(const abut_side *s, abut_xy c, abut_xy h, double slack)
{
    const abut_xy w = { h.x + slack, h.y + slack }, d = { s->to.x - s->from.x, s->to.y - s->from.y };
    if (s->turn) {
        const double x = fabs(s->center.x - c.x), y = fabs(s->center.y - c.y);
        const double near = hypot(fmax(x - w.x, 0), fmax(y - w.y, 0)), far = hypot(x + w.x, y + w.y);
        abut_xy ignored;
        return s->radius < near - slack || s->radius > far + slack ||
               abut_side_distance(s, c, &ignored) > hypot(w.x, w.y) + slack;
    }
    if (fmin(s->from.x, s->to.x) > c.x + w.x || fmax(s->from.x, s->to.x) < c.x - w.x ||
        fmin(s->from.y, s->to.y) > c.y + w.y || fmax(s->from.y, s->to.y) < c.y - w.y)
        return true;
    const double across = fabs(d.x * (s->from.y - c.y) - d.y * (s->from.x - c.x));
    return across > fabs(d.y) * w.x + fabs(d.x) * w.y + slack * (fabs(d.x) + fabs(d.y));
}

static bool holds_rectangle(const abut_profile *p, abut_xy c, abut_xy h, double slack, bool faces_only)
{
    for (size_t i = 0; i < p->count; ++i)
        if (!(faces_only && p->sides[i].on_axis) && !avoids(&p->sides[i], c, h, slack))
            return false;
    /* A point of it, off the axis. */
    return abut_profile_contains(p, (abut_xy){ faces_only ? fmax(c.x, slack) : c.x, c.y });
}

bool abut_brep_holds_box(const abut_shape *shape, abut_vec3 mid, abut_vec3 half, double slack)
{
    const abut_solid *solid = abut_shape_solid(shape);
    if (!solid || solid->form == ABUT_SOLID_EXPLICIT)
        return false;
    if (solid->form == ABUT_SOLID_REVOLVED)
        return holds_rectangle(&solid->profile, (abut_xy){ hypot(mid.x, mid.y), mid.z },
                               (abut_xy){ hypot(half.x, half.y), half.z }, slack, true);
    return mid.z - half.z > slack && mid.z + half.z < solid->height - slack &&
           holds_rectangle(&solid->profile, (abut_xy){ mid.x, mid.y }, (abut_xy){ half.x, half.y }, slack,
                           false);
}

double abut_brep_depth(const abut_shape *shape, abut_vec3 p, double most)
{
    double distance;
    if (closed_form(shape, p, &distance))
        return -distance;
    if (abut_brep_side(shape, p, 0) >= 0)
        return 0;
    const abut_solid *solid = abut_shape_solid(shape);
    if (solid)
        return abut_member_clearance(solid, p, most, 1e-6 * most);
    /* The largest of a few radii with nothing of the boundary in them. */
    for (double radius = most; radius > 1e-6 * most; radius *= 0.5)
        if (abut_brep_side(shape, p, radius) < 0)
            return radius;
    return 0;
}
