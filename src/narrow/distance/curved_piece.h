/* SPDX-License-Identifier: MIT */
/* The smooth pieces that cores are made of, as their support functions see them: corners, the
 * rims of cylinders and cones, ellipsoids. A support function is the largest of those of its
 * pieces; edges, sides, caps and faces are where two or more of them agree. */
#ifndef ABUT_NARROW_DISTANCE_CURVED_PIECE_H
#define ABUT_NARROW_DISTANCE_CURVED_PIECE_H

#include "shape/core.h"

typedef enum abut_piece_kind {
    ABUT_PIECE_CORNER = 0,
    ABUT_PIECE_ELLIPSOID,
    ABUT_PIECE_RIM_ABOVE,
    ABUT_PIECE_RIM_BELOW,
    ABUT_PIECE_USER /* a user's body, taken for smooth until it shows otherwise */
} abut_piece_kind;

/* Which piece the support point p of a core along unit d belongs to. Seen along its axis to
 * rounding, a rim is a corner: wherever that lies, it is as good as any other point of the cap. */
static inline abut_piece_kind abut_piece_of(const abut_core *core, abut_vec3 d, abut_vec3 p)
{
    switch (core->kind) {
    case ABUT_CORE_ELLIPSOID: return ABUT_PIECE_ELLIPSOID;
    case ABUT_CORE_CYLINDER:
    case ABUT_CORE_CONE:
        if ((p.x == 0 && p.y == 0) || !(d.x * d.x + d.y * d.y > 0x1p-94))
            return ABUT_PIECE_CORNER;
        return p.z > 0 ? ABUT_PIECE_RIM_ABOVE : ABUT_PIECE_RIM_BELOW;
    case ABUT_CORE_USER: return ABUT_PIECE_USER;
    default: return ABUT_PIECE_CORNER;
    }
}

/* The piece's point furthest along d; p for a corner, and for a rim where d is along its axis. */
static inline abut_vec3 abut_piece_support(const abut_core *core, abut_piece_kind piece, abut_vec3 d,
                                           abut_vec3 p)
{
    if (piece == ABUT_PIECE_CORNER)
        return p;
    if (piece == ABUT_PIECE_ELLIPSOID || piece == ABUT_PIECE_USER) {
        uint32_t unused = 0;
        return abut_core_support(core, d, &unused);
    }
    const double flat = sqrt(d.x * d.x + d.y * d.y);
    if (!(flat > 0))
        return p;
    const double s = core->h[0] / flat;
    return abut_v3(s * d.x, s * d.y, piece == ABUT_PIECE_RIM_ABOVE ? core->h[2] : -core->h[2]);
}

/* Two unit vectors that make a right basis with unit n. */
static inline void abut_tangent_basis(abut_vec3 n, abut_vec3 basis[2])
{
    const double s = n.z < 0 ? -1 : 1, a = -1 / (s + n.z), b = n.x * n.y * a;
    basis[0] = abut_v3(1 + s * n.x * n.x * a, s * b, -s * n.x);
    basis[1] = abut_v3(b, s + n.y * n.y * a, -n.y);
}

/* For differences of a user's support points: wide enough for what callbacks round, narrow
 * enough for Newton's method to lose no step. Smooth surfaces move the point, by less than a
 * jump. */
#define ABUT_PIECE_WIDTH 0x1p-14
#define ABUT_PIECE_JUMP  64

static inline bool abut_piece_user_is_smooth(const abut_core *core, abut_vec3 d, abut_vec3 p)
{
    uint32_t unused = 0;
    abut_vec3 basis[2];
    abut_tangent_basis(d, basis);
    const abut_vec3 q = abut_core_support(core, abut_madd(d, ABUT_PIECE_WIDTH, basis[0]), &unused);
    const double moved = abut_max_norm(abut_sub(q, p));
    return moved > 0 && moved <= ABUT_PIECE_JUMP * ABUT_PIECE_WIDTH * core->size;
}

static inline void abut_piece_user_bend(const abut_core *core, abut_vec3 d, abut_vec3 p,
                                        const abut_vec3 basis[2], double weight, double out[3])
{
    const double width = ABUT_PIECE_WIDTH, jump = ABUT_PIECE_JUMP * core->size;
    abut_vec3 e[2];
    for (int i = 0; i < 2; ++i) {
        uint32_t unused = 0;
        const abut_vec3 q = abut_core_support(core, abut_madd(d, width, basis[i]), &unused);
        e[i] = abut_scale(1 / width, abut_sub(q, p));
        if (!(abut_max_norm(e[i]) <= jump))
            return;
    }
    const double h0 = abut_dot(e[0], basis[0]), h2 = abut_dot(e[1], basis[1]);
    const double h1 = 0.5 * (abut_dot(e[0], basis[1]) + abut_dot(e[1], basis[0]));
    if (!(h0 >= 0 && h2 >= 0 && h1 * h1 <= h0 * h2))
        return;
    out[0] += weight * h0;
    out[1] += weight * h1;
    out[2] += weight * h2;
}

/* Adds weight times the second derivatives of the piece's support function at unit d, along the
 * two directions of a tangent basis: out = { 11, 12, 22 }. p: the support point. Ellipsoid: (D^2
 * - p p^T) / |D d|. Rim: radius / |d_xy| along its tangent. User's bodies: differences, with two
 * more support points; where those jump there is a corner, and nothing to add. */
static inline void abut_piece_bend(const abut_core *core, abut_piece_kind piece, abut_vec3 d, abut_vec3 p,
                                   const abut_vec3 basis[2], double weight, double out[3])
{
    if (piece == ABUT_PIECE_CORNER)
        return;
    if (piece == ABUT_PIECE_ELLIPSOID) {
        const double *h = core->h;
        const abut_vec3 u = abut_v3(h[0] * basis[0].x, h[1] * basis[0].y, h[2] * basis[0].z);
        const abut_vec3 v = abut_v3(h[0] * basis[1].x, h[1] * basis[1].y, h[2] * basis[1].z);
        const double pu = abut_dot(p, basis[0]), pv = abut_dot(p, basis[1]), i = weight / abut_dot(d, p);
        out[0] += i * (abut_dot(u, u) - pu * pu);
        out[1] += i * (abut_dot(u, v) - pu * pv);
        out[2] += i * (abut_dot(v, v) - pv * pv);
        return;
    }
    if (piece == ABUT_PIECE_USER) {
        abut_piece_user_bend(core, d, p, basis, weight, out);
        return;
    }
    const double square = d.x * d.x + d.y * d.y;
    if (!(square > 0))
        return;
    const double i = weight * core->h[0] / (square * sqrt(square));
    const double u = d.x * basis[0].y - d.y * basis[0].x, v = d.x * basis[1].y - d.y * basis[1].x;
    out[0] += i * u * u;
    out[1] += i * u * v;
    out[2] += i * v * v;
}

#endif
