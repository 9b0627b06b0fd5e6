/* SPDX-License-Identifier: MIT */
/* Faces cut out of their surfaces: whether a point, or a cell, belongs to the face. */
#include "solid/trim.h"
#include "math/vec3.h"
#include "narrow/brep/brep.h"

bool abut_brep_on_face(const abut_brep_body *body, const abut_part *placed, abut_vec3 p)
{
    const abut_vec3 d = abut_sub(p, placed->o);
    const double u = abut_dot(d, placed->x), v = abut_dot(d, placed->y);
    switch (placed->trim) {
    case ABUT_TRIM_PROFILE: return abut_profile_contains(&body->solid->profile, (abut_xy){ u, v });
    case ABUT_TRIM_LOOPS: {
        const abut_vec3 local =
            body->moved ? abut_mul_t(&body->map.linear, abut_sub(p, body->map.translation)) : p;
        return abut_trim_contains(body->solid, placed->entity, local) > 0;
    }
    default: return true;
    }
}

/* Triangles follow the border by themselves; whether a point is in the face is asked of the profile. What an arc short
 * of its chord cuts off may be in cells that have lost the arc, or in a thin triangle's neighbour: those that are
 * outside by more than their size hold nothing of the face. */
static bool trim_triangle(const abut_brep_body *body, const abut_part *placed, double slack, abut_cell *cell)
{
    cell->state = ABUT_CELL_MIXED;
    cell->sampled = abut_brep_on_face(body, placed, cell->sample);
    if (cell->sampled)
        return true;
    const abut_vec3 d = abut_sub(cell->center, placed->o);
    abut_profile_near near;
    abut_profile_nearest(&body->solid->profile, (abut_xy){ abut_dot(d, placed->x), abut_dot(d, placed->y) },
                         false, &near);
    return near.distance <= cell->radius + slack;
}

/* A cell whose middle is further from the border than its corners are from the middle is all in or
 * all out. */
static bool trim_by_profile(const abut_brep_body *body, const abut_part *placed, double slack,
                            abut_cell *cell)
{
    const abut_xy at = { 0.5 * (cell->u0 + cell->u1), 0.5 * (cell->v0 + cell->v1) };
    const double du = 0.5 * (cell->u1 - cell->u0), dv = 0.5 * (cell->v1 - cell->v0);
    const double radius = sqrt(du * du + dv * dv) + slack;
    abut_profile_near near;
    abut_profile_nearest(&body->solid->profile, at, false, &near);
    if (near.distance > radius)
        return false;
    cell->state = near.distance < -radius ? ABUT_CELL_IN : ABUT_CELL_MIXED;
    cell->sampled = near.distance <= 0;
    if (!cell->sampled && fabs(near.point.x - at.x) <= du && fabs(near.point.y - at.y) <= dv) {
        cell->sample =
            abut_add(abut_madd(placed->o, near.point.x, placed->x), abut_scale(near.point.y, placed->y));
        cell->sampled = true;
    }
    return true;
}

static bool trim_by_loops(const abut_brep_body *body, const abut_part *placed, double slack, abut_cell *cell)
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

bool abut_brep_trim(const abut_brep_body *body, const abut_part *placed, double slack, abut_cell *cell)
{
    if (placed->kind == ABUT_CELL_TRIANGLE)
        return trim_triangle(body, placed, slack, cell);
    if (placed->trim == ABUT_TRIM_PROFILE)
        return trim_by_profile(body, placed, slack, cell);
    return trim_by_loops(body, placed, slack, cell);
}

bool abut_brep_boundary_point(const abut_brep_body *body, const abut_part *part, abut_vec3 *out)
{
    const abut_solid *solid = body->solid;
    if (part->trim == ABUT_TRIM_PROFILE) {
        const abut_xy at = solid->profile.sides[0].from;
        *out = abut_add(abut_madd(part->o, at.x, part->x), abut_scale(at.y, part->y));
        return true;
    }
    const uint32_t edge = solid->def.faces[part->entity].loops[0].coedges[0].edge;
    *out = solid->def.vertices[solid->def.edges[edge].from];
    return true;
}
