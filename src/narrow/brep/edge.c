/* SPDX-License-Identifier: MIT */
/* Edges of solids as curves, and points in faces.
 *
 * Whether a point is in a face of an explicit solid is asked of solid/trim.c: its paths are the rays of Schoemer,
 * Reichel and Warken on the surface (a ruling, a meridian, on a torus a section circle and then a parallel), with the
 * parity of all crossings in place of the determinant at the first one, so that no crossing need be computed. Faces
 * of swept profiles are sides of their profile. */
#include "narrow/brep/edge.h"

#include "math/vec3.h"
#include "solid/trim.h"

size_t abut_edge_pieces(const abut_solid *solid, uint32_t edge)
{
    const abut_solid_edge *e = &solid->def.edges[edge];
    if (e->kind == ABUT_SOLID_EDGE_SPLINE)
        return (e->point_count - 1) / 3;
    if (e->kind == ABUT_SOLID_EDGE_INTERSECTION)
        return solid->piece_starts[edge + 1] - solid->piece_starts[edge];
    return 1;
}

static ia3 moved(const ia33 *turn, ia3 shift, abut_vec3 p)
{
    return ia3_add(ia33_mul3(turn, ia3_point(p)), shift);
}

/* Circles of a revolve have no vertex: one in the half-plane of the profile. */
static abut_vec3 start_of(const abut_solid *solid, uint32_t edge)
{
    const abut_solid_edge *e = &solid->def.edges[edge];
    if (e->from != ABUT_SOLID_NONE)
        return solid->def.vertices[e->from];
    uint32_t number = 0;
    for (size_t i = 0; i < solid->profile.count; ++i)
        if (solid->profile.sides[i].from.x > 0 && number++ == edge)
            return abut_v3(solid->profile.sides[i].from.x, 0, solid->profile.sides[i].from.y);
    return e->center;
}

static void cover(abut_aabb *box, abut_interval_vec3 p)
{
    box->lo.x = fmin(box->lo.x, p.x.lo);
    box->lo.y = fmin(box->lo.y, p.y.lo);
    box->lo.z = fmin(box->lo.z, p.z.lo);
    box->hi.x = fmax(box->hi.x, p.x.hi);
    box->hi.y = fmax(box->hi.y, p.y.hi);
    box->hi.z = fmax(box->hi.z, p.z.hi);
}

static ABUT_NOINLINE void place(const abut_solid *solid, uint32_t edge, size_t piece,
                                const abut_interval_affine *map, abut_edge_piece *out)
{
    const abut_solid_edge *e = &solid->def.edges[edge];
    const ia33 turn = ia33_from(&map->linear);
    const ia3 shift = ia3_from(&map->translation), none = ia3_point(abut_v3(0, 0, 0));
    const abut_vec3 *p = NULL;
    abut_enclosed_curve *c = &out->curve;
    out->box = (abut_aabb){ { HUGE_VAL, HUGE_VAL, HUGE_VAL }, { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL } };
    out->traced = e->kind == ABUT_SOLID_EDGE_INTERSECTION;
    out->whole = false;
    c->kind = e->kind;
    c->turned = false;
    if (e->kind == ABUT_SOLID_EDGE_SPLINE)
        p = e->points + 3 * piece;
    if (out->traced) {
        const abut_part *part = &solid->pieces[solid->piece_starts[edge] + piece];
        p = part->points;
        c->kind = part->kind == ABUT_CELL_CUBIC ? ABUT_SOLID_EDGE_SPLINE : ABUT_SOLID_EDGE_LINE;
    }
    if (p) {
        const bool cubic = c->kind == ABUT_SOLID_EDGE_SPLINE;
        for (int i = 0; i < (cubic ? 4 : 2); ++i) {
            c->p[i] = ia3_to(moved(&turn, shift, p[cubic ? i : 3 * i]));
            cover(&out->box, c->p[i]);
        }
        return;
    }
    const abut_vec3 start = start_of(solid, edge);
    const abut_interval_vec3 from = ia3_to(moved(&turn, shift, start));
    out->to = e->from == e->to ? from : ia3_to(moved(&turn, shift, solid->def.vertices[e->to]));
    c->p[0] = from;
    c->p[1] = out->to;
    if (e->kind == ABUT_SOLID_EDGE_CIRCLE) {
        const ia3 center = moved(&turn, shift, e->center);
        const ia r = ia_sqrt(ia3_sqr_norm(ia3_sub(ia3_point(start), ia3_point(e->center))));
        const ia reach = ia_make(-ia_hi(r), ia_hi(r));
        c->p[0] = ia3_to(center);
        c->p[1] = from;
        c->p[2] = ia3_to(moved(&turn, none, e->axis));
        out->whole = e->from == e->to;
        cover(&out->box, ia3_to(ia3_add(center, ia3_make(reach, reach, reach))));
        return;
    }
    cover(&out->box, from);
    cover(&out->box, out->to);
    if (e->kind == ABUT_SOLID_EDGE_CONIC) {
        c->p[1] = ia3_to(moved(&turn, shift, e->control));
        c->p[2] = out->to;
        c->weight = (abut_interval){ e->weight, e->weight };
        cover(&out->box, c->p[1]);
    }
}

void abut_edge_place(const abut_solid *solid, uint32_t edge, size_t piece, const abut_interval_affine *map,
                     abut_edge_piece *out)
{
    const abut_rounding saved = abut_rounding_enter();
    place(solid, edge, piece, map, out);
    abut_rounding_leave(saved);
}

/* ---- points in faces ---- */

static double apart(abut_xy a, abut_xy b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

/* Of a point near the whole line or circle of the side. */
static int on_side(const abut_side *side, abut_xy p, double slack)
{
    abut_xy near;
    if (abut_side_distance(side, p, &near) > 2 * slack)
        return 0;
    return apart(p, side->from) > 4 * slack && apart(p, side->to) > 4 * slack ? 1 : -1;
}

int abut_face_contains(const abut_solid *solid, uint32_t face, abut_vec3 p, double slack)
{
    const abut_profile *profile = &solid->profile;
    switch (solid->form) {
    case ABUT_SOLID_EXPLICIT:
        /* The equation has the other sheet of a hyperboloid, or of a torus that crosses its axis, too. */
        if (fabs(abut_part_offset(&solid->features.parts[face], p)) > slack + 1e-6 * solid->size)
            return 0;
        return abut_trim_contains(solid, face, p);
    case ABUT_SOLID_REVOLVED: {
        const abut_side *side = &profile->sides[face];
        return side->on_axis ? 0 : on_side(side, (abut_xy){ sqrt(p.x * p.x + p.y * p.y), p.z }, slack);
    }
    case ABUT_SOLID_EXTRUDED: {
        const abut_xy at = { p.x, p.y };
        if (face < profile->count) {
            const int in = on_side(&profile->sides[face], at, slack);
            const double out = fmax(-p.z, p.z - solid->height);
            return out > slack ? 0 : out < -slack ? in : in == 0 ? 0 : -1;
        }
        abut_profile_near near;
        abut_profile_nearest(profile, at, false, &near);
        return near.distance > slack ? 0 : near.distance < -slack ? 1 : -1;
    }
    default: return -1;
    }
}
