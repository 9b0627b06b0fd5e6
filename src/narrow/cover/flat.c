/* SPDX-License-Identifier: MIT */
/* Flat parts of bodies of features (triangles, segments, rectangles, points) against boxes of charts. How far
 * a flat part is from a box is known without halving it: what of it is not beside the box is farther away
 * than is asked, and is cut off. */
#include "math/vec3.h"
#include "narrow/cover/cover.h"

#include <string.h>

/* A triangle, segment, rectangle or point that is all there: its distance from a box is known without
 * halving it. */
bool abut_cover_is_flat(const abut_cover_body *body, const abut_cover_cell *c)
{
    const abut_cell_kind k = c->at.kind;
    return !body->charts && c->at.state == ABUT_CELL_IN && c->at.bulge == 0 &&
           (k == ABUT_CELL_TRIANGLE || k == ABUT_CELL_SEGMENT || k == ABUT_CELL_PLANE ||
            k == ABUT_CELL_POINT);
}

enum { CORNERS = 16 };

typedef struct polygon {
    abut_vec3 at[CORNERS];
    int count;
} polygon;

static void corners_of(const abut_part *part, const abut_cell *c, polygon *out)
{
    if (c->kind == ABUT_CELL_TRIANGLE) {
        out->count = 3;
        memcpy(out->at, c->corner, sizeof c->corner);
    } else if (c->kind == ABUT_CELL_PLANE) {
        const double u[4] = { c->u0, c->u1, c->u1, c->u0 }, v[4] = { c->v0, c->v0, c->v1, c->v1 };
        out->count = 4;
        for (int i = 0; i < 4; ++i)
            out->at[i] = abut_madd(abut_madd(part->o, u[i], part->x), v[i], part->y);
    } else if (c->kind == ABUT_CELL_SEGMENT) {
        out->count = 2;
        out->at[0] = abut_madd(part->o, c->v0, part->z);
        out->at[1] = abut_madd(part->o, c->v1, part->z);
    } else {
        out->count = 1;
        out->at[0] = part->o;
    }
}

/* The part of a polygon, segment or point with (x - c) . u <= most (Sutherland and Hodgman 1974). */
static void cut(const polygon *in, abut_vec3 c, abut_vec3 u, double most, polygon *out)
{
    out->count = 0;
    for (int i = 0; i < in->count; ++i) {
        const abut_vec3 p = in->at[i], q = in->at[(i + 1) % in->count];
        const double a = abut_dot(abut_sub(p, c), u) - most, b = abut_dot(abut_sub(q, c), u) - most;
        if (a <= 0 && out->count < CORNERS)
            out->at[out->count++] = p;
        if ((a < 0) != (b < 0) && a != b && out->count < CORNERS)
            out->at[out->count++] = abut_madd(p, a / (a - b), abut_sub(q, p));
    }
}

static double gap_along(const polygon *flat, const abut_cell *box, abut_vec3 u)
{
    double most = -INFINITY;
    for (int i = 0; i < flat->count; ++i)
        most = fmax(most, abut_dot(abut_sub(flat->at[i], box->center), u));
    return -abut_cell_extent(box, u) - most;
}

/* From a flat part to the box of a cell of charts. Points of the part that are not beside the box, as far
 * as `wanted`, are farther away than that and need not be seen. The others are below or above it:
 * bounds along the normals of both, and along the direction between near points. */
double abut_cover_flat_bound(abut_cover_body *body, const abut_cover_cell *flat, const abut_cell *box,
                             double slack, double wanted)
{
    const abut_part *part = abut_cover_part(body, flat);
    polygon a, b;
    corners_of(part, &flat->at, &a);
    const double reach = wanted + 8 * slack;
    for (int k = 0; k < 2 && reach < INFINITY; ++k) {
        cut(&a, box->center, box->axis[k], box->half[k] + reach, &b);
        cut(&b, box->center, abut_scale(-1, box->axis[k]), box->half[k] + reach, &a);
    }
    if (a.count == 0)
        return wanted;
    double low = -INFINITY;
    for (int i = 0; i < (part->face ? 4 : 2) && low < wanted; ++i)
        low = fmax(low, gap_along(&a, box, abut_scale(i & 1 ? -1 : 1, i < 2 ? box->axis[2] : part->z)));
    abut_vec3 y = box->center;
    for (int i = 0; i < 2 && low < wanted; ++i) {
        const abut_vec3 x = abut_cell_project(part, &flat->at, y);
        y = abut_cell_nearest(box, x);
        const abut_vec3 d = abut_sub(y, x);
        if (!(abut_dot(d, d) > 0))
            break;
        low = fmax(low, gap_along(&a, box, abut_unit_or(d, box->axis[2])));
    }
    return fmin(low - 4 * slack, wanted);
}

/* All the time while the box moves along `way`, and no point of it, in the frame of the flat part, further
 * than `most` or by more than `off` beside that. */
bool abut_cover_flat_parts(abut_cover_body *body, const abut_cover_cell *flat, const abut_cell *box,
                           abut_vec3 way, double most, double off, double need)
{
    const abut_part *part = abut_cover_part(body, flat);
    polygon a, b;
    corners_of(part, &flat->at, &a);
    for (int k = 0; k < 2; ++k) {
        cut(&a, box->center, box->axis[k], box->half[k] + need + most, &b);
        cut(&b, box->center, abut_scale(-1, box->axis[k]), box->half[k] + need + most, &a);
    }
    if (a.count == 0)
        return true;
    for (int i = 0; i < (part->face ? 4 : 2); ++i) {
        const abut_vec3 u = abut_scale(i & 1 ? -1 : 1, i < 2 ? box->axis[2] : part->z);
        if (gap_along(&a, box, u) + fmin(0, abut_dot(way, u)) > need + off)
            return true;
    }
    abut_vec3 y = box->center;
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 x = abut_cell_project(part, &flat->at, y);
        y = abut_cell_nearest(box, x);
        const abut_vec3 d = abut_sub(y, x), u = abut_unit_or(d, box->axis[2]);
        if (!(abut_dot(d, d) > 0))
            return false;
        if (gap_along(&a, box, u) + fmin(0, abut_dot(way, u)) > need + off)
            return true;
    }
    return false;
}
