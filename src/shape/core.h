/* SPDX-License-Identifier: MIT */
/* A convex body as the solvers see it: a core in the frame of its shape, swept by a ball. Filled in
 * when the shape is made.
 *
 * abut_core_support is the one access to its geometry. For a direction d of length 2^-200 … 2^200
 * and a core of size 2^-150 … 2^150 (others are shrunk first) it gives a point p that is within
 * `error` of the core, with |d . p - max d . x| <= error |d|. Rounding is to nearest. */
#ifndef ABUT_SHAPE_CORE_H
#define ABUT_SHAPE_CORE_H

#include "math/vec3.h"
#include "shape/hull/hull.h"

#include <stdatomic.h>

typedef enum abut_core_kind {
    ABUT_CORE_NONE = 0,  /* not for the convex solvers */
    ABUT_CORE_POINT,     /* the origin: spheres */
    ABUT_CORE_SEGMENT,   /* (0, 0, -h[2]) to (0, 0, h[2]): capsules */
    ABUT_CORE_BOX,       /* |x_i| <= h[i] */
    ABUT_CORE_CYLINDER,  /* x^2 + y^2 <= h[0]^2, |z| <= h[2] */
    ABUT_CORE_CONE,      /* radius h[0] at z = -h[2], apex at z = h[2] */
    ABUT_CORE_ELLIPSOID, /* semi-axes h[i] */
    ABUT_CORE_HULL,
    ABUT_CORE_USER
} abut_core_kind;

/* A cylinder or cone: balls about points of its axis, one inside (radius rounded down) and one
 * around (rounded up), and its outline in the plane of the axis. */
typedef struct abut_core_round {
    double in_at, in_radius, out_at, out_radius; /* heights of the centres */
    double top;                                  /* radius at z = h[2] */
    double cosine, sine; /* the side's outward normal: away from the axis, and along it */
    double to_side, to_base,
        /* 1 over the distances of the centre inside from the planes of side, base and top */
        to_top;
} abut_core_round;

/* A user's support function, and whether it was seen to answer what no body of its radius can:
 * queries about it are refused from then on. */
typedef struct abut_core_user {
    abut_support_def def;
    atomic_bool failed;
} abut_core_user;

typedef struct abut_core {
    abut_core_kind kind;
    bool swept;    /* by the user's wish: not a sphere or capsule */
    double radius; /* of the ball; sums of margins are rounded up */
    double size;   /* no point of the core is further from the origin of its frame; rounded up */
    /* a ball of this radius about that origin lies in the core; rounded down, -infinity where
     * none is known */
    double inner;
    double error; /* see above */
    double h[3];
    abut_core_round round; /* of a core that is not shrunk */
    /* a power of two by which hulls and user's bodies are multiplied: 1, but for extreme sizes */
    double scale;
    const abut_hull *hull;
    abut_core_user *user;
} abut_core;

static inline bool abut_core_has_failed(const abut_core *core)
{
    return core->kind == ABUT_CORE_USER && atomic_load_explicit(&core->user->failed, memory_order_relaxed);
}

/* What a query that ran with these cores is to return. */
static inline abut_status abut_cores_status(abut_status status, const abut_core *a, const abut_core *b)
{
    return !status && (abut_core_has_failed(a) || abut_core_has_failed(b)) ? ABUT_ERR_ARGUMENT : status;
}

static inline bool abut_core_is_polytope(const abut_core *core)
{
    return core->kind <= ABUT_CORE_BOX || core->kind == ABUT_CORE_HULL;
}

/* Without interior, even swept. */
static inline bool abut_core_is_flat(const abut_core *core)
{
    if (core->radius > 0)
        return false;
    return core->kind == ABUT_CORE_POINT || core->kind == ABUT_CORE_SEGMENT ||
           (core->kind == ABUT_CORE_HULL && core->hull->dimension < 3);
}

/* How far p, in the core's frame, is outside it, more or less: exact for points and segments,
 * and outside of boxes, cylinders and cones; below zero inside, where there is an inside.
 * Convex, and 1 per unit at most. Infinite for users' bodies. */
double abut_core_excess(const abut_core *core, abut_vec3 p);

/* Vertex of a hull, a box (bits x, y, z) or a segment. */
static inline abut_vec3 abut_core_vertex(const abut_core *core, uint32_t i)
{
    switch (core->kind) {
    case ABUT_CORE_SEGMENT: return abut_v3(0, 0, i ? core->h[2] : -core->h[2]);
    case ABUT_CORE_BOX:
        return abut_v3(i & 1 ? core->h[0] : -core->h[0], i & 2 ? core->h[1] : -core->h[1],
                       i & 4 ? core->h[2] : -core->h[2]);
    case ABUT_CORE_HULL: return abut_scale(core->scale, abut_hull_vertex(core->hull, i));
    default: return abut_v3(0, 0, 0);
    }
}

/* The user's bodies. */
abut_vec3 abut_core_support_user(const abut_core *core, const abut_vec3 *d);

/* A square below this may have lost digits to underflow. What it is the square of is then
 * 2^-450, so far below u times the rest (see the sizes above) that a point of the core on the
 * axis, or at its centre, does as well. */
#define ABUT_CORE_TINY 0x1p-900

/* *hint: the vertex found, for polytopes; for hulls also where the search begins. */
static inline abut_vec3 abut_core_support(const abut_core *core, abut_vec3 d, uint32_t *hint)
{
    const double *h = core->h;
    switch (core->kind) {
    case ABUT_CORE_POINT: return abut_v3(0, 0, 0);
    case ABUT_CORE_SEGMENT: *hint = !signbit(d.z); return abut_v3(0, 0, copysign(h[2], d.z));
    case ABUT_CORE_BOX:
        *hint = (uint32_t)!signbit(d.x) | (uint32_t)!signbit(d.y) << 1 | (uint32_t)!signbit(d.z) << 2;
        return abut_v3(copysign(h[0], d.x), copysign(h[1], d.y), copysign(h[2], d.z));
    case ABUT_CORE_CYLINDER: {
        const double square = d.x * d.x + d.y * d.y;
        const double s = square > ABUT_CORE_TINY ? h[0] / sqrt(square) : 0;
        return abut_v3(s * d.x, s * d.y, copysign(h[2], d.z));
    }
    case ABUT_CORE_CONE: {
        /* The apex beats the rim where 2 h_z d_z >= r |d_xy|. */
        const double square = d.x * d.x + d.y * d.y, flat = sqrt(square);
        if (2 * h[2] * d.z >= h[0] * flat)
            return abut_v3(0, 0, h[2]);
        const double s = square > ABUT_CORE_TINY ? h[0] / flat : 0;
        return abut_v3(s * d.x, s * d.y, -h[2]);
    }
    case ABUT_CORE_ELLIPSOID: {
        const abut_vec3 e = abut_v3(h[0] * d.x, h[1] * d.y, h[2] * d.z);
        const double square = abut_dot(e, e), s = square > ABUT_CORE_TINY ? 1 / sqrt(square) : 0;
        return abut_v3(s * h[0] * e.x, s * h[1] * e.y, s * h[2] * e.z);
    }
    case ABUT_CORE_HULL:
        *hint = abut_hull_support(core->hull, d, *hint);
        return abut_scale(core->scale, abut_hull_vertex(core->hull, *hint));
    default: return abut_core_support_user(core, &d);
    }
}

/* Fills shape->core from what the creator has set; ABUT_CORE_NONE for shapes that are not convex
 * bodies of finite size. */
struct abut_shape;
void abut_core_set(struct abut_shape *shape);
/* The same core times 2^-exponent, exactly but for what underflows. */
abut_core abut_core_shrink(const abut_core *core, int exponent);

#endif
