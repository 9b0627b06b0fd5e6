/* SPDX-License-Identifier: MIT */
/* Pieces of triangles while the index is built: convex polygons, segments and points in doubles that hold
 * what of an entity is in a region, and a little more.
 *
 * They decide only where an entity is searched for, and must not lose it. A corner that is a vertex has an
 * exact sign against every function; one on an edge of the triangle has it where both ends of that edge
 * agree; all others are believed only when they are further from the zero set than `slack`, which is 2^-36
 * of the size: each cut moves corners by a few units of 2^-53, cuts leave `slack` standing beyond the zero
 * set, and no piece is cut more than 2^10 times. */
#ifndef ABUT_BREP_INDEX_PIECE_H
#define ABUT_BREP_INDEX_PIECE_H

#include "abut/predicates.h"
#include "brep/index.h"
#include "math/vec3.h"

enum { PIECE_CORNERS = 10 };
#define PIECE_NONE UINT32_MAX

typedef enum piece_kind { PIECE_TRIANGLE, PIECE_EDGE, PIECE_CUT, PIECE_POINT, PIECE_PIERCE } piece_kind;

typedef struct piece_corner {
    abut_vec3 at;
    uint32_t u, v; /* equal: that vertex; else on the edge between them; NONE: anywhere */
} piece_corner;

typedef struct piece {
    uint32_t id; /* triangle (TRIANGLE, CUT), edge of the triangulation (EDGE, PIERCE), vertex (POINT) */
    uint8_t kind, count, axis; /* axis: of PIERCE, along which its triangle has an area */
    /* bit k: edge k (from corner k), or vertex k, of a triangle is on a plane above; of an edge: vertex k */
    uint8_t edges_gone, vertices_gone;
    piece_corner corner[PIECE_CORNERS];
} piece;

/* A function with its values in doubles: n . (x - o), n of unit length. */
typedef struct piece_cutter {
    abut_index_node test;
    abut_vec3 n, o;
} piece_cutter;

static inline double cutter_height(const piece_cutter *c, abut_vec3 p)
{
    return abut_dot(c->n, abut_sub(p, c->o));
}

enum { CAN_ABOVE = 1, CAN_BELOW = 2, IS_ON = 4 };

/* Where a corner may be: CAN_ABOVE, CAN_BELOW, both, or IS_ON alone. */
static inline unsigned corner_side(const piece_cutter *c, const abut_vec3 *vertices, const piece_corner *p,
                                   double slack)
{
    unsigned may = CAN_ABOVE | CAN_BELOW;
    if (p->u != PIECE_NONE) {
        const int s = abut_index_side(&c->test, vertices, vertices[p->u]),
                  t = p->v == p->u ? s : abut_index_side(&c->test, vertices, vertices[p->v]);
        if (s == 0 && t == 0)
            return IS_ON;
        if (s >= 0 && t >= 0)
            may = CAN_ABOVE;
        else if (s <= 0 && t <= 0)
            may = CAN_BELOW;
        if (p->u == p->v || (s > 0 && t > 0) || (s < 0 && t < 0))
            return may;
    }
    const double height = cutter_height(c, p->at);
    if (height > slack)
        return may & CAN_ABOVE ? CAN_ABOVE : may;
    if (height < -slack)
        return may & CAN_BELOW ? CAN_BELOW : may;
    return may;
}

/* The edge of the triangle that both corners are on. */
static inline void common_edge(const piece_corner *a, const piece_corner *b, uint32_t *u, uint32_t *v)
{
    *u = *v = PIECE_NONE;
    if (a->u == PIECE_NONE || b->u == PIECE_NONE)
        return;
    const uint32_t ends[4] = { a->u, a->v, b->u, b->v };
    uint32_t first = ends[0], second = PIECE_NONE;
    for (int k = 1; k < 4; ++k) {
        if (ends[k] == first || ends[k] == second)
            continue;
        if (second != PIECE_NONE)
            return;
        second = ends[k];
    }
    if (second != PIECE_NONE) {
        *u = first;
        *v = second;
    }
}

/* What of the piece has a height >= -slack, times sign. More corners than there is room for: as it is. */
static inline void piece_clip(piece *p, const piece_cutter *c, int sign, double slack)
{
    piece_corner out[PIECE_CORNERS];
    int count = 0;
    for (int i = 0; i < p->count; ++i) {
        const piece_corner *a = &p->corner[i], *b = &p->corner[i + 1 < p->count ? i + 1 : 0];
        const double ha = sign * cutter_height(c, a->at) + slack, hb = sign * cutter_height(c, b->at) + slack;
        if (ha >= 0) {
            if (count == PIECE_CORNERS)
                return;
            out[count++] = *a;
        }
        if ((ha < 0) != (hb < 0) && (p->count > 2 || i == 0)) {
            if (count == PIECE_CORNERS)
                return;
            piece_corner *cut = &out[count++];
            cut->at = abut_madd(a->at, ha / (ha - hb), abut_sub(b->at, a->at));
            common_edge(a, b, &cut->u, &cut->v);
        }
    }
    p->count = (uint8_t)count;
    for (int i = 0; i < count; ++i)
        p->corner[i] = out[i];
}

#endif
