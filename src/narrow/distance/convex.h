/* SPDX-License-Identifier: MIT */
/* Pairs of convex bodies: what the solvers get and give.
 *
 * Everything is in the frame of a. The cores' signed gap is the largest separation s(n) over unit
 * directions n (from a to b),
 *     s(n) = n . t - max over a of n . x - max over b of (-R^T n) . y,
 * positive when they are apart (the distance), negative when they overlap (minus the depth).
 * With K = { y - x } the difference of the placed cores, s(n) = - max over K of (-n) . w. Every
 * s(n) is a lower bound of the gap; every pair of points gives an upper bound when apart, and a
 * polytope inside K that holds the origin one when not. `error` says by how much doubles may be
 * off in all of this; the radii are taken off at the end. Rounding is to nearest. Nothing here
 * allocates. */
#ifndef ABUT_NARROW_DISTANCE_CONVEX_H
#define ABUT_NARROW_DISTANCE_CONVEX_H

#include "narrow/pair/pair.h"
#include "shape/core.h"

typedef struct abut_convex_pair {
    const abut_core *a, *b;
    abut_mat3 r; /* rotation of b in a's frame */
    abut_vec3 t; /* origin of b in a's frame */
    /* certified: a computed s(n), |n| = 1 to a few ulp, is within this of the true one; a
     * computed point of K within this of K */
    double error;
    double radii;      /* sum of both balls' */
    abut_affine frame; /* of a in the world, rounded: for what users read */
} abut_convex_pair;

/* Two polytopes; two ellipsoids, or one and a point. */
static inline bool abut_convex_is_polytope_pair(const abut_convex_pair *pair)
{
    return abut_core_is_polytope(pair->a) && abut_core_is_polytope(pair->b);
}

static inline bool abut_convex_is_ellipsoid_pair(const abut_convex_pair *pair)
{
    const abut_core_kind a = pair->a->kind, b = pair->b->kind;
    return (a == ABUT_CORE_ELLIPSOID && (b == ABUT_CORE_ELLIPSOID || b == ABUT_CORE_POINT)) ||
           (a == ABUT_CORE_POINT && b == ABUT_CORE_ELLIPSOID);
}

/* A point of K with where it comes from. */
typedef struct abut_convex_point {
    abut_vec3 w;    /* y - x */
    abut_vec3 x, y; /* of a and of b, both in a's frame */
    uint32_t a, b;  /* hints */
} abut_convex_point;

/* As hints: the origins of both frames, not vertices. */
#define ABUT_CONVEX_CENTRE UINT32_MAX

typedef struct abut_simplex {
    int count;
    abut_convex_point p[4];
    double weight[4]; /* of the point nearest to the origin */
} abut_simplex;

typedef struct abut_convex_answer {
    double lo,
        /* certified enclosure of the cores' signed gap (without the radii); lo may be -infinity,
         * hi infinity */
        hi;
    abut_vec3 normal; /* unit, from a to b */
    abut_vec3 x,
        /* witnesses on the cores: nearest points, or the points that end up touching when b
         * moves by -gap along the normal */
        y;
    uint32_t supports, iterations;
} abut_convex_answer;

/* Point of K least along n: a's furthest along n, b's furthest against it. For warm starts and
 * hulls p->a and p->b are hints on entry. */
static inline void abut_convex_support(const abut_convex_pair *pair, abut_vec3 n, abut_convex_point *p)
{
    p->x = abut_core_support(pair->a, n, &p->a);
    const abut_vec3 m = abut_mul_t(&pair->r, n);
    const abut_vec3 y = abut_core_support(pair->b, abut_v3(-m.x, -m.y, -m.z), &p->b);
    p->y = abut_add(abut_mul(&pair->r, y), pair->t);
    p->w = abut_sub(p->y, p->x);
}

/* Certified lower bound of s(n): evaluates it with all that `error` promises (for hulls: over
 * every vertex, not by climbing). p as in abut_convex_support, on entry the hints of a point
 * thought to be the support, on return the support point. Any length of n but 0. */
double abut_convex_separation(const abut_convex_pair *pair, abut_vec3 n, abut_convex_point *p);
/* The same for a p that is what abut_convex_support gave for n. */
double abut_convex_certify(const abut_convex_pair *pair, abut_vec3 n, const abut_convex_point *p);

/* ---- solvers, one file each ---- */

/* A query evaluates no more than 200 supports, since each solver has a share that it ends at,
 * and they run once each: curved bodies from their first direction 40 (ellipsoids 60), GJK 80
 * (after 32 where it only compares), then deciding until 174 in all, and the depth until 190. A
 * step that is begun is finished, which is what the rest is for; witnesses are searched for again
 * (opposite.c) where GJK's share is left. */
enum {
    ABUT_SHARE_ALL = 200,
    ABUT_SHARE_CURVED = 40,
    ABUT_SHARE_ELLIPSOID = 60,
    ABUT_SHARE_GJK = 80,
    ABUT_SHARE_COMPARE = 32,
    ABUT_SHARE_DECIDE = 80,
    ABUT_DECIDED_BY = 174
};

typedef enum abut_gjk_end {
    ABUT_GJK_APART = 1, /* gap enclosed, lo > limit */
    ABUT_GJK_FAR,       /* stopped: proved that the gap is > cutoff */
    ABUT_GJK_MEETING,   /* the simplex holds the origin, proved: hi < 0 */
    ABUT_GJK_NEAR       /* neither proved: the gap is within error of 0 */
} abut_gjk_end;

/* gjk.c: distance. Stops early once the gap is proved > cutoff (infinite: never). `simplex`:
 * warm start when count > 0, and the final one on return. `axis`: first direction, unit; NULL:
 * from the centres. */
abut_gjk_end abut_gjk_distance(const abut_convex_pair *pair, double cutoff, const abut_vec3 *axis,
                               abut_simplex *simplex, abut_convex_answer *out);
/* gjk.c: the same with so many supports at most. */
abut_gjk_end abut_gjk_distance_within(const abut_convex_pair *pair, const abut_vec3 *axis, uint32_t supports,
                                      abut_simplex *simplex, abut_convex_answer *out);
/* gjk.c: of a point, in the core's frame, from a core. */
abut_gjk_end abut_gjk_point(const abut_core *core, abut_vec3 p, abut_convex_answer *out);
/* gjk.c: only whether the cores' gap is > or < limit >= 0: 1, -1, or 0 where it is too close to
 * tell. *axis as above, and the last direction on return. */
int abut_gjk_compare(const abut_convex_pair *pair, double limit, abut_vec3 *axis, abut_simplex *simplex,
                     abut_convex_answer *out);
/* depth.c: the cores overlap or nearly so: the simplex is what GJK ended with. Encloses the gap,
 * mostly <= 0. */
void abut_convex_depth(const abut_convex_pair *pair, const abut_simplex *simplex, abut_convex_answer *out);
/* refine.c: Newton's method on the common normal of the features at out->normal (curved bodies);
 * keeps what certifies better. Ends when out->supports, which it adds to, reaches `most` or a
 * little more (6). True when the enclosure got narrower. */
bool abut_convex_refine(const abut_convex_pair *pair, uint32_t most, abut_convex_answer *out);
/* manifold.c: contact points in a's frame and their features, at most `most`, for a gap <= 0
 * along the answer's normal. */
int abut_convex_manifold(const abut_convex_pair *pair, const abut_convex_answer *answer, int most,
                         abut_contact *contacts);
/* convex.c: points, normal and contacts of bodies that are known to touch, of which one may have
 * no interior. */
void abut_convex_touch(const abut_convex_pair *pair, const abut_convex_answer *answer, const abut_ask *ask,
                       int exponent, abut_check_result *out);
/* opposite.c: whether the witnesses of a gap <= 0 lie on the cores and face each other along the
 * normal; points that do. */
bool abut_convex_is_opposite(const abut_convex_pair *pair, const abut_convex_answer *answer);
void abut_convex_set_opposite(const abut_convex_pair *pair, abut_convex_answer *answer);
/* common.c: certified: p (in a's frame) is in the interior of both cores. False proves nothing. */
bool abut_convex_common_point(const abut_convex_pair *pair, abut_vec3 p);
/* common.c: of bodies that meet: a point of both, `guess` where that is one. In a's frame; adds
 * to *supports. */
abut_vec3 abut_convex_crossing(const abut_convex_pair *pair, abut_vec3 guess, uint32_t *supports);
/* exact_convex.c: the sign of the gap (radii included) by exact predicates, for placements that
 * are exact; ABUT_SIGN_UNKNOWN where it has no predicate. `answer`: what the solvers found. */
int abut_convex_exact_sign(const abut_pair *pair, const abut_convex_pair *convex,
                           const abut_convex_answer *answer);

/* ---- setting up and finishing (convex.c) ---- */

/* The usual case: false, and nothing of use written, where a pose is not a valid one or sizes
 * are extreme. */
bool abut_convex_pair_from_poses(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                 const abut_pose *pose_b, abut_convex_pair *out);
/* Any placements; *scratch holds shrunken cores where sizes are extreme, and lengths are then in
 * units of 2^*exponent (0 mostly). */
typedef struct abut_convex_scratch {
    abut_core a, b;
} abut_convex_scratch;

void abut_convex_pair_from_places(const abut_pair *places, abut_convex_scratch *scratch, int *exponent,
                                  abut_convex_pair *out);
/* The same for other cores than the shapes'. `size`: nothing else that will take part is larger. */
void abut_convex_pair_from_cores(const abut_core *a, const abut_place *pa, const abut_core *b,
                                 const abut_place *pb, double size, abut_convex_scratch *scratch,
                                 int *exponent, abut_convex_pair *out);
/* Bounds of how far the mid of a placement is from the true one: rotation (spectral norm),
 * translation. */
void abut_convex_widths(const abut_place *place, double *turn, double *shift);

/* The quickest: 1 when balls around the bodies are further apart than the clearance, -1 when
 * balls inside them are nearer, 0 otherwise. */
int abut_convex_compare_balls(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                              const abut_pose *pose_b, double clearance);
/* The side of the clearance that the gap (radii included) is on: 1, -1, or 0 where it is too
 * close to tell. */
int abut_convex_compare(const abut_convex_pair *pair, double clearance, abut_cache *cache,
                        abut_convex_answer *out);
/* Gap enclosed, with witnesses: all of the solvers in turn. */
void abut_convex_solve(const abut_convex_pair *pair, const abut_ask *ask, abut_convex_answer *out);
/* From the cores' gap to a result in the world, lengths times 2^exponent: verdict by the signs
 * of lo and hi less the radii. Witnesses that do not face each other are replaced. */
void abut_convex_finish(const abut_convex_pair *pair, abut_convex_answer *answer, const abut_ask *ask,
                        int exponent, abut_check_result *out);
/* The whole of a query for poses, where the solvers decide it, or `exactly` exact signs from what they
 * found; false where they do not, or there is no core. */
bool abut_convex_poses(const abut_posed_pair *pair, bool exactly, abut_check_result *out);

#endif
