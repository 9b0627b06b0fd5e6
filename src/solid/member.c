/* SPDX-License-Identifier: MIT */
/* Membership in explicit solids by the parity of crossings of a ray (Schoemer, Reichel, Warken 2002,
 * section 2), certified.
 *
 * The boundary of any solid within the tolerance consists of the faces, cut out by edges in tubes of that
 * radius, and of what closes them inside of the tubes. A ray decides only where every crossing is
 * certain: simple, in a short interval (crossing.c), and clearly in or out of its face, which trim.c
 * decides for all points within the tolerance of the one it is given. Otherwise the next direction is
 * taken. A point whose distance from all faces is not proved to be more than the slack and twice the
 * tolerance is undecided.
 *
 * Distances: the part of a plane, cylinder, cone, sphere or ring torus within r of a point is connected
 * and holds the foot of the point (the distance grows with the angle from it, and along the meridian), so
 * that where the foot is not in the face an edge is at least as near as the face. Other quadrics are
 * searched by their cells. */
#include "solid/member.h"
#include "solid/crossing.h"
#include "solid/quadric.h"
#include "solid/trim.h"

#include <inttypes.h>

static double box_distance(const abut_cell *cell, abut_vec3 p)
{
    const abut_vec3 d = abut_sub(p, cell->center);
    double square = 0;
    for (int n = 0; n < 3; ++n) {
        const double out = fmax(0, fabs(abut_dot(d, cell->axis[n])) - cell->half[n]);
        square += out * out;
    }
    return sqrt(square);
}

/* ---- distances ---- */

typedef struct ask {
    const abut_solid *solid;
    abut_vec3 p;
    double least, slack;
} ask;

/* Of a cell of a trimmed face: `limit` where that is less, or where nothing of it is in the face. */
static double cell_clearance(const ask *a, uint32_t face, const abut_cell *cell, double limit,
                             int depth) // NOLINT(misc-no-recursion)
{
    const abut_part *part = &a->solid->features.parts[face];
    const double away = box_distance(cell, a->p);
    if (away >= limit)
        return limit;
    abut_cell_state state = cell->state;
    if (state != ABUT_CELL_IN && a->solid->def.faces[face].loop_count) {
        const bool whole = abut_trim_clearance(a->solid, face, cell->center) > cell->radius + a->slack;
        const int in = whole ? abut_trim_contains(a->solid, face, cell->sample) : -1;
        if (in == 0)
            return limit;
        state = in > 0 ? ABUT_CELL_IN : ABUT_CELL_MIXED;
    }
    if (depth == 0 || cell->radius <= 0.25 * away || cell->radius < 0.1 * a->least ||
        cell->radius < 8 * a->slack)
        return away;
    abut_cell halves[2];
    abut_cell_split(part, cell, halves);
    for (int i = 0; i < 2; ++i) {
        halves[i].state = state;
        abut_cell_fit(part, a->slack, &halves[i]);
    }
    const int first = box_distance(&halves[1], a->p) < box_distance(&halves[0], a->p);
    limit = cell_clearance(a, face, &halves[first], limit, depth - 1);
    return cell_clearance(a, face, &halves[1 - first], limit, depth - 1);
}

/* Lower bound of the distance from the whole surface of a general quadric: |f| <= |g| d + h d^2 / 2, with
 * h a bound of the second derivatives. */
static double quadric_distance(const abut_part *part, abut_vec3 p)
{
    abut_vec3 gradient;
    const double f = fabs(abut_quadric_value(part, p, &gradient)), g = abut_length(gradient);
    const abut_vec3 r = part->radii;
    double h;
    if (part->kind == ABUT_CELL_RING)
        h = 2 * fmax(part->slope, 1 / fmin(r.x * r.x, r.y * r.y));
    else
        h = 2 * fmax(part->rise > 0 ? 1 : 0, fmax(fabs(r.x), fabs(r.y)));
    const double sum = g + sqrt(g * g + 2 * h * f);
    return sum > 0 ? 2 * f / sum * (1 - 1e-12) : 0;
}

static bool is_connected(const abut_part *part)
{
    switch (part->kind) {
    case ABUT_CELL_PLANE:
    case ABUT_CELL_CYLINDER:
    case ABUT_CELL_CONE: return true;
    case ABUT_CELL_TORUS: return part->major == 0 || part->b.cos_half <= -1;
    default: return false;
    }
}

static double face_clearance(const ask *a, uint32_t face, double limit)
{
    const abut_part *part = &a->solid->features.parts[face];
    const bool quadric = part->kind == ABUT_CELL_RING || part->kind == ABUT_CELL_GRAPH;
    const double away = quadric ? quadric_distance(part, a->p) : fabs(abut_part_offset(part, a->p));
    if (away >= limit)
        return limit;
    abut_cell root;
    abut_cell_root(part, face, a->slack, &root);
    if (box_distance(&root, a->p) >= limit)
        return limit;
    if (!is_connected(part))
        return cell_clearance(a, face, &root, limit, 60);
    const abut_vec3 foot = abut_cell_project(part, &root, a->p);
    if (abut_trim_contains(a->solid, face, foot) != 0)
        return fmin(limit, abut_length(abut_sub(foot, a->p)));
    return fmin(limit, fmax(away, abut_trim_clearance(a->solid, face, a->p)));
}

double abut_member_clearance(const abut_solid *solid, abut_vec3 p, double most, double least)
{
    const double rounding = ABUT_CELL_SLACK * (solid->features.scale + abut_max_norm(p));
    const ask a = { solid, p, least, rounding };
    double limit = most;
    for (uint32_t i = 0; i < solid->def.face_count; ++i)
        limit = face_clearance(&a, i, limit);
    return limit < most ? limit - 4 * rounding : most;
}

/* ---- rays ---- */

typedef struct hit {
    abut_interval t;
    uint32_t face;
    abut_vec3 at;
} hit;

enum { MOST_HITS = 256, DIRECTIONS = 24 };

/* Spread over the sphere, in no plane of the coordinates. */
static abut_vec3 direction(int i)
{
    static const double turn[2] = { -0.73736887807831990, 0.67549029426152364 }; /* the golden angle */
    double c = 0.48, s = 0.8772684879784524;
    for (int k = 0; k < i; ++k) {
        const double x = c * turn[0] - s * turn[1];
        s = s * turn[0] + c * turn[1];
        c = x;
    }
    const double z = 1 - (2 * (i * 7 % DIRECTIONS) + 1.137) / DIRECTIONS, q = sqrt(1 - z * z);
    return abut_v3(q * c, q * s, z);
}

/* Crossings of the boundary with p + t d, t > 0, in no order: their number, or -1 where one is doubtful.
 * Surfaces that pass through p do not count: no face is there. */
static int trace(const abut_solid *solid, abut_vec3 p, abut_vec3 d, hit hits[MOST_HITS])
{
    int count = 0;
    const double far = 4 * (abut_max_norm(p) + solid->features.scale);
    for (uint32_t i = 0; i < solid->def.face_count; ++i) {
        const abut_part *part = &solid->features.parts[i];
        const abut_ball *ball = &solid->face_balls[i];
        const abut_vec3 w = abut_sub(ball->center, p);
        const double along = abut_dot(w, d);
        const abut_vec3 off = abut_madd(w, -along, d);
        if (along < -ball->radius || abut_dot(off, off) > ball->radius * ball->radius)
            continue;
        abut_interval t[4];
        const int n = abut_crossings(part, p, d, far, t);
        if (n < 0)
            return -1;
        for (int k = 0; k < n; ++k) {
            if (t[k].hi < 0 || (t[k].lo <= 0 && t[k].hi - t[k].lo <= solid->tolerance))
                continue;
            if (t[k].hi - t[k].lo > solid->tolerance || count == MOST_HITS)
                return -1;
            const abut_vec3 at = abut_madd(p, 0.5 * (t[k].lo + t[k].hi), d);
            const int in = abut_trim_contains(solid, i, at);
            if (in < 0)
                return -1;
            if (in)
                hits[count++] = (hit){ t[k], i, at };
        }
    }
    return count;
}

int abut_member_side(const abut_solid *solid, abut_vec3 p, double slack)
{
    const double near = slack + 2 * solid->tolerance + 8 * ABUT_CELL_SLACK * solid->features.scale;
    const abut_aabb *b = &solid->bounds;
    if (p.x < b->lo.x - near || p.y < b->lo.y - near || p.z < b->lo.z - near || p.x > b->hi.x + near ||
        p.y > b->hi.y + near || p.z > b->hi.z + near)
        return 1;
    if (!(abut_member_clearance(solid, p, 1.25 * near, near) > near))
        return 0;
    hit hits[MOST_HITS];
    for (int i = 0; i < DIRECTIONS; ++i) {
        const int count = trace(solid, p, direction(i), hits);
        if (count >= 0)
            return count & 1 ? -1 : 1;
    }
    return 0;
}

/* ---- orientation ---- */

/* A point that is clearly in the face. */
static bool point_of(const abut_solid *solid, uint32_t face, int which, abut_vec3 *out)
{
    enum { MOST = 64 };
    const abut_part *part = &solid->features.parts[face];
    abut_cell cells[MOST];
    int count = 1;
    abut_cell_root(part, face, 0, &cells[0]);
    /* Breadth first: cell i is split into two at the end. */
    for (int i = 0; i < count; ++i) {
        if (abut_trim_contains(solid, face, cells[i].sample) > 0 && which-- == 0) {
            *out = cells[i].sample;
            return true;
        }
        if (count + 2 > MOST)
            continue;
        abut_cell_split(part, &cells[i], &cells[count]);
        abut_cell_fit(part, 0, &cells[count]);
        abut_cell_fit(part, 0, &cells[count + 1]);
        count += 2;
    }
    return false;
}

/* Sorted by t; false where two are not distinguished. */
static bool sort(hit *hits, int count)
{
    for (int i = 1; i < count; ++i) {
        const hit h = hits[i];
        int k = i;
        for (; k > 0 && hits[k - 1].t.lo > h.t.lo; --k)
            hits[k] = hits[k - 1];
        hits[k] = h;
    }
    for (int i = 1; i < count; ++i)
        if (hits[i - 1].t.hi >= hits[i].t.lo)
            return false;
    return true;
}

/* A ray towards a point of the face, from far outside: sets known[] of the shells it meets. *wrong is a face
 * that is turned the wrong way. */
static void examine(const abut_solid *solid, abut_vec3 at, abut_vec3 d, bool *known, uint32_t *wrong)
{
    const abut_vec3 size = abut_sub(solid->bounds.hi, solid->bounds.lo);
    hit hits[MOST_HITS];
    const int count = trace(solid, abut_madd(at, -1.25 * abut_length(size), d), d, hits);
    if (count <= 0 || !sort(hits, count))
        return;
    for (int i = 0; i < count; ++i) {
        const abut_vec3 n = abut_part_normal(&solid->features.parts[hits[i].face], hits[i].at);
        const double c = abut_dot(n, d);
        if (fabs(c) < 1e-3)
            continue;
        known[solid->shell_of[hits[i].face]] = true;
        if ((c < 0) != (i % 2 == 0)) {
            *wrong = hits[i].face;
            return;
        }
    }
}

abut_status abut_member_check_orientation(const abut_solid *solid, abut_workspace *keep, abut_error *error)
{
    bool *known = abut_workspace_take(keep, solid->shell_count, sizeof *known);
    if (!known)
        return abut_base_fail_memory(error);
    for (size_t i = 0; i < solid->shell_count; ++i)
        known[i] = false;
    uint32_t wrong = ABUT_SOLID_NONE;
    for (int round = 0; round < 4; ++round)
        for (uint32_t face = 0; face < solid->def.face_count && wrong == ABUT_SOLID_NONE; ++face) {
            abut_vec3 at;
            for (int k = 0; k < DIRECTIONS / 4 && !known[solid->shell_of[face]]; ++k)
                if (point_of(solid, face, round, &at))
                    examine(solid, at, direction(4 * k + round), known, &wrong);
        }
    if (wrong != ABUT_SOLID_NONE)
        return abut_base_fail(error, ABUT_ERR_VALUE, wrong,
                              "the solid is inside out: face %" PRIu32 " is turned towards the material",
                              wrong);
    for (size_t i = 0; i < solid->shell_count; ++i)
        if (!known[i])
            return abut_base_fail(error, ABUT_ERR_VALUE, solid->shell_first[i],
                                  "face %" PRIu32 ": no ray decides on which side its material is",
                                  solid->shell_first[i]);
    return ABUT_OK;
}
