/* SPDX-License-Identifier: MIT */
/* Questions about pairs of shapes, at an instant and over time, and about one shape and a ray,
 * point or segment.
 *
 * Three channels: the returned status says whether the call ran, verdict and proof say what is
 * known, stop says why it ended. Results are in world space. `opts` NULL means defaults; `ws`
 * NULL means memory for this call only; a pose NULL means the identity. ABUT_ERR_UNSUPPORTED:
 * there is no method for this combination yet; nothing was computed. A call that fails leaves
 * nothing that reads like an answer: undecided, no proof, no points, counts of 0; stop is
 * CANCELLED where the caller ended it, and DONE otherwise.
 *
 * Where the options have an `error`, a query that fails writes to it which argument is wrong (`path`:
 * "pose_a.rotation") and why (`text`); one that runs leaves it alone. */
#ifndef ABUT_QUERY_H
#define ABUT_QUERY_H

#include "abut/motion.h"
#include "abut/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum abut_verdict {
    ABUT_UNDECIDED = 0, /* not proved either way; the enclosures say how close it is */
    ABUT_SEPARATE,
    ABUT_TOUCHING,   /* they meet, their interiors do not */
    ABUT_PENETRATING /* their interiors meet */
} abut_verdict;

typedef enum abut_proof {
    ABUT_PROOF_NONE = 0,
    ABUT_PROOF_TOLERANCE, /* numerical, within a stated tolerance */
    ABUT_PROOF_INTERVAL,  /* outward-rounded enclosure */
    ABUT_PROOF_EXACT      /* algebraic predicate */
} abut_proof;

typedef enum abut_stop {
    ABUT_STOP_DONE = 0,
    ABUT_STOP_TOLERANCE, /* the enclosure is as narrow as was asked */
    ABUT_STOP_BUDGET,
    ABUT_STOP_CUTOFF,
    ABUT_STOP_CANCELLED
} abut_stop;

typedef enum abut_feature {
    ABUT_FEATURE_NONE = 0,
    ABUT_FEATURE_VERTEX,
    ABUT_FEATURE_EDGE,
    ABUT_FEATURE_FACE
} abut_feature;

/* "separate", "exact", "done", "face": the words of the command's JSON. */
ABUT_API const char *abut_verdict_name(abut_verdict verdict);
ABUT_API const char *abut_proof_name(abut_proof proof);
ABUT_API const char *abut_stop_name(abut_stop stop);
ABUT_API const char *abut_feature_name(abut_feature feature);

/* Work done, whatever the time it took. */
typedef struct abut_counters {
    uint64_t iterations;  /* of the outermost loop of the method */
    uint64_t evaluations; /* of enclosures, supports or distance functions */
    uint64_t exact;       /* decisions that needed exact arithmetic */
} abut_counters;

/* Called now and then by long queries; return false to stop them (status ABUT_ERR_CANCELLED).
 * fraction is in [0, 1], -1 when unknown. */
typedef bool (*abut_progress_fn)(void *ctx, double fraction);

/* ---- at one instant ---- */

/* What a query may remember of a pair for the next time it is asked about the same two shapes in
 * nearly the same places: it then starts there. Answers do not depend on it but for rounding;
 * the work does. Zero-initialised: nothing yet. One for each pair and thread. */
typedef struct abut_cache {
    /* in a's frame: last separating or contact direction, or a point in both */
    double axis[3];
    uint32_t a[4], b[4]; /* hints for the support points of the last simplex */
    uint32_t count;      /* of them */
    /* boxes: last winning axis of a separating-axis test, plus 1; from bit 4 on where the last
     * nearest points were */
    uint32_t feature;
    /* two hulls: numbers of vertices that make up a surface in their difference */
    uint8_t shell[248];
} abut_cache;

/* How two CAD solids are tested; all prove the same, and other pairs do not read it. */
typedef enum abut_check_method {
    ABUT_CHECK_AUTO = 0,
    ABUT_CHECK_SEARCH,   /* branch and bound over cells of the boundaries */
    ABUT_CHECK_FACETEST, /* edges and loops of faces first (abut/intersect.h); the search for what they leave */
    ABUT_CHECK_METHOD_COUNT
} abut_check_method;

/* "auto", "search", "facetest". */
ABUT_API const char *abut_check_method_name(abut_check_method method);

typedef struct abut_overlap_opts {
    size_t struct_size;
    /* >= 0: bodies nearer than this count as meeting: the answer to "closer than d?"; default 0 */
    double clearance;
    abut_cache *cache;
    abut_error *error;
    abut_check_method method;
} abut_overlap_opts;

/* separate: further apart than the clearance; touching: exactly at it; penetrating: nearer. */
typedef struct abut_overlap_result {
    abut_verdict verdict;
    abut_proof proof;
    abut_stop stop;
    abut_counters counters;
} abut_overlap_result;

ABUT_API void abut_overlap_opts_init(abut_overlap_opts *opts);

#define ABUT_CHECK_CONTACTS 8

/* ids index the input's vertices, faces or edges; -1 where a feature has none. Points inside a
 * body, where a flat one runs through another, are on no feature: NONE and -1. Shapes without
 * such lists are numbered so: sphere and halfspace: face 0. Capsule: face 0 is the side (with
 * its seams), 1 the cap below, 2 the cap above (where it meets a curved surface all of it is
 * face 0). Box: vertex (x > 0) + 2 (y > 0) + 4 (z > 0); face 2 axis + (positive side); edge 4
 * axis + the same bits of the other two axes, in order. Cylinder: face 0 side, 1 cap below, 2
 * cap above; edge 0 rim below, 1 rim above. Cone: face 0 side, 1 base; edge 0 rim; vertex 0
 * apex. Ellipsoid and whatever is swept by a ball, a capsule or hull too: face 0. Convex:
 * vertices are the user's points; edges and faces are those of the hull, flat polygons have the
 * faces 0 and 1. Height field of c x r vertices: vertex c j + i; cell k = (c - 1) j + i has the
 * face 2 k beside its vertex (i + 1, j) and 2 k + 1 beside (i, j + 1); edges along x, (c - 1) j
 * + i, then those along y, c j + i, then the diagonals, by cell. Behind the faces come its
 * walls, -x, +x, -y, +y; behind the edges the vertical ones between walls, (x > 0) + 2 (y > 0).
 * Mesh: vertices (in a solid the first of those at one place) and faces are the user's; edges of
 * a solid are numbered in the order of their ends, the smaller first, and those of a surface
 * have no numbers. Polyhedron: vertices and faces are the user's (abut_polyhedron_find_face where
 * faces are merged), edges are numbered as in a mesh. */
typedef struct abut_contact {
    abut_vec3 point;
    abut_vec3 normal; /* unit, from a to b */
    abut_feature features[2];
    int64_t ids[2];
    int32_t parts[2]; /* of compounds; 0 for other shapes */
} abut_contact;

typedef struct abut_check_opts {
    size_t struct_size;
    abut_progress_fn progress;
    void *progress_ctx;
    /* of the manifold, 1 to ABUT_CHECK_CONTACTS; default 0: 4, and ABUT_CHECK_CONTACTS of compounds */
    int max_contacts;
    abut_cache *cache;
    double relative; /* as in abut_distance_opts */
    /* budget of searches for curved surfaces; default 0: 16000 boxes. Spent: undecided, or a
     * wider enclosure */
    uint64_t max_iterations;
    abut_error *error; /* default NULL: not wanted */
    abut_check_method method;
} abut_check_opts;

typedef struct abut_check_result {
    abut_verdict verdict;
    abut_proof proof;
    abut_stop stop;
    bool has_depth, has_points, has_normal;
    abut_interval distance; /* [0,0] when they meet */
    /* least translation that parts them, when they penetrate. Of convex bodies and of two solid
     * meshes both ends are near it; of other pairs the lower end may be 0, and the upper one is the length
     * of a translation of b along `normal` that is proved to part them */
    abut_interval depth;
    /* closest points; when they penetrate, the points that end up touching */
    abut_vec3 point_a, point_b;
    abut_vec3 normal; /* unit, from a to b */
    int contact_count;
    abut_contact contacts[ABUT_CHECK_CONTACTS];
    abut_counters counters;
} abut_check_result;

ABUT_API void abut_check_opts_init(abut_check_opts *opts);

/* The relation of a and b: separate, touching or penetrating, distance or depth, points and normal. A
 * pose means its rotation exactly (the quaternion over its length), so that quarter turns are
 * exact. Where there is no direction the normal is one of the equally good ones: the x axis for
 * concentric spheres, the capsule's x axis for a centre on its axis. */
ABUT_API abut_status abut_check(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                const abut_pose *pose_b, const abut_check_opts *opts, abut_workspace *ws,
                                abut_check_result *out);
/* The same at time t of two motions, proved for the placements the motions really have then.
 * NULL motion: identity. */
ABUT_API abut_status abut_check_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                   const abut_motion *motion_b, double t, const abut_check_opts *opts,
                                   abut_workspace *ws, abut_check_result *out);

/* Only whether they meet: the least work of all. */
ABUT_API abut_status abut_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                  const abut_pose *pose_b, const abut_overlap_opts *opts, abut_workspace *ws,
                                  abut_overlap_result *out);

typedef struct abut_distance_opts {
    size_t struct_size;
    double cutoff; /* stop once the distance is proved larger; default infinite */
    abut_cache *cache;
    /* >= 0: meshes may stop once distance.hi <= (1 + relative) distance.lo, with points that are
     * distance.hi apart; default 0: as narrow as can be */
    double relative;
    /* the signed distance: of bodies that penetrate it is minus their depth; default false */
    bool with_depth;
    abut_error *error;
} abut_distance_opts;

typedef struct abut_distance_result {
    abut_verdict verdict;
    abut_proof proof;
    abut_stop stop;
    /* [0,0] when they meet; with depth and penetrating [-depth.hi, -depth.lo], down to minus
     * infinity where no method knows it */
    abut_interval distance;
    bool has_points;
    abut_vec3 point_a, point_b; /* closest points; with depth, the points that end up touching */
    /* unit, from a to b: moving b along it by minus the distance parts them */
    abut_vec3 normal;
    abut_counters counters;
} abut_distance_result;

ABUT_API void abut_distance_opts_init(abut_distance_opts *opts);
ABUT_API abut_status abut_distance(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                   const abut_pose *pose_b, const abut_distance_opts *opts,
                                   abut_workspace *ws, abut_distance_result *out);

/* ---- over time ---- */

typedef enum abut_first_verdict {
    ABUT_FIRST_UNDECIDED = 0,
    ABUT_FIRST_CONTACT,
    ABUT_FIRST_SEPARATE,   /* proved: no contact in the whole range */
    ABUT_FIRST_OVERLAPPING /* they penetrate at the start already */
} abut_first_verdict;

typedef enum abut_contact_kind { ABUT_CONTACT_ISOLATED = 1, ABUT_CONTACT_SAMPLED } abut_contact_kind;

#define ABUT_FIRST_CONTACTS 8

typedef struct abut_first_point {
    abut_interval time;
    abut_vec3 point, normal; /* normal: unit, from a to b */
    /* 0: none of these; they overlap at the start, or a part of one comes into being inside the
     * other, there is no normal, and `point` is at most a place in that */
    abut_contact_kind kind;
    /* proved to be one isolated contact; otherwise within tolerance, isolated or not */
    bool unique;
    abut_feature features[2];
    /* Of curved surfaces (torus, parametric, bezier, implicit, csg, and whatever meets one);
     * zeros elsewhere. */
    /* outward unit normals of a and of b there; of an edge or vertex the one of its faces that
     * faces the other body most */
    abut_vec3 normals[2];
    double parameters[2][2]; /* u, v of a face, u of an edge; zeros where a feature has none */
    /* Of meshes: the vertex or face of the input, the edge of a solid (of meshes that deform see
     * abut/deform.h). has_ids: these are set, -1 where a body or feature has no number. */
    bool has_ids;
    int64_t ids[2];
    int32_t parts[2]; /* of compounds; 0 for other shapes */
} abut_first_point;

typedef void (*abut_first_point_fn)(void *ctx, const abut_first_point *point);

/* How the first contact is searched for. All prove the same; AUTO takes the fastest for the pair.
 * RAYCAST, HALVING and BRENT are for two convex bodies that move on straight lines without
 * turning while the query lasts (linear, velocity, screw, nlerp, or between keys), and answer
 * ABUT_ERR_UNSUPPORTED for others. */
typedef enum abut_first_method {
    ABUT_METHOD_AUTO = 0,
    ABUT_METHOD_ADVANCEMENT, /* moving planes */
    ABUT_METHOD_RAYCAST,     /* a ray against the difference of the bodies */
    ABUT_METHOD_HALVING,     /* halving the time by swept bodies */
    ABUT_METHOD_BRENT,       /* root of the signed gap */
    /* two ellipsoids or balls: roots of F(u, t) from the start; see abut/ellipsoid.h */
    ABUT_METHOD_SHOOTING,
    ABUT_METHOD_SAMPLED, /* the same from a start that samples find */
    ABUT_METHOD_COUNT
} abut_first_method;

/* "auto", "advancement", "raycast", "halving", "brent", "shooting", "sampled". */
ABUT_API const char *abut_first_method_name(abut_first_method method);

/* Curved surfaces: how the system of contact and tangency is narrowed down (Snyder et al. 1993,
 * section 4). */
typedef enum abut_newton_method {
    ABUT_NEWTON_AUTO = 0,
    /* matrix iteration on the interval linear equation; uniqueness by the interval inverse */
    ABUT_NEWTON_LINEAR,
    ABUT_NEWTON_INVERSE,  /* the interval inverse alone */
    ABUT_NEWTON_KRAWCZYK, /* Krawczyk-Moore */
    ABUT_NEWTON_NONE,     /* bisection only */
    ABUT_NEWTON_COUNT
} abut_newton_method;

/* Which region is examined next. */
typedef enum abut_queue_order {
    ABUT_ORDER_AUTO = 0,
    ABUT_ORDER_UPPER, /* least upper bound of the time: for contact along curves and regions */
    ABUT_ORDER_LOWER, /* least lower bound: for isolated contacts */
    ABUT_ORDER_COUNT
} abut_queue_order;

/* Curved surfaces: other ways to narrow the system down than the usual ones, which reproduce the
 * comparisons of Snyder et al. All prove the same. */
typedef struct abut_surface_solver {
    abut_newton_method newton;
    abut_queue_order order;
    /* leave the tangency equations out: to see what they save */
    bool no_tangency;
} abut_surface_solver;

/* A contact that the caller follows already: contacts nearer than `radius` to its path are not
 * reported. The path is a motion's origin. */
typedef struct abut_tracked_point {
    const abut_motion *path;
    double radius;
} abut_tracked_point;

typedef struct abut_first_opts {
    size_t struct_size;
    abut_interval time;  /* default: the common range of the motions ([0,1] when both are static) */
    double simultaneity; /* contacts this much later than the first still count; default 0 */
    /* spacing of samples on contact curves, lines, faces and regions; default 0: a twentieth of
     * the smaller body */
    double separation;
    /* goal for the width of time enclosures; default 0: as narrow as doubles allow */
    double accuracy;
    /* default 0: 1000000 for balls and half-spaces, 50000 for other bodies, 300000 for curved
     * surfaces, where iterations on long expressions count more than one */
    uint64_t max_iterations;
    abut_first_point_fn
        on_point; /* receives every contact point, when there are more than the result holds */
    void *on_point_ctx;
    abut_progress_fn progress;
    void *progress_ctx;
    abut_first_method method;
    /* Curved surfaces only. */
    const abut_surface_solver *surface_solver; /* default NULL: the usual ones */
    int threads;                               /* default 0: 1. The answer does not depend on it */
    const abut_tracked_point *tracked;
    size_t tracked_count;
    abut_error *error; /* default NULL: not wanted */
} abut_first_opts;

typedef struct abut_first_result {
    abut_first_verdict verdict;
    abut_proof proof;
    abut_stop stop;
    /* Of first contact; when undecided, of the earliest possible one. With proof TOLERANCE only
     * the lower end is proved: the upper one is the latest time of the places where they come
     * within 1e-6 of the size of the smaller body, and they may not meet then. */
    abut_interval time;
    size_t point_count; /* all of them; 0 where the time is known but the place is not */
    abut_first_point points[ABUT_FIRST_CONTACTS];
    abut_counters counters;
} abut_first_result;

ABUT_API const char *abut_first_verdict_name(abut_first_verdict verdict);
ABUT_API void abut_first_opts_init(abut_first_opts *opts);
/* The first time at which a and b touch. A touch at the start without penetration counts when
 * the bodies close in or stay; one from which they part does not. Two half-spaces meet at all times
 * unless their normals are opposite. */
ABUT_API abut_status abut_first_contact(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                                        const abut_motion *motion_b, const abut_first_opts *opts,
                                        abut_workspace *ws, abut_first_result *out);

/* Many bodies at once: the earliest contact of any pair, and all contacts simultaneous with it.
 * Pairs that cannot meet are culled by their boxes through time and by bounding balls; nothing
 * is spent on what comes after the first contact. */
typedef struct abut_body {
    const abut_shape *shape;
    const abut_motion *motion; /* NULL: identity */
} abut_body;

typedef struct abut_set_point {
    uint32_t a, b; /* indices of bodies */
    /* of the pair: contact or overlapping; undecided where it may be one */
    abut_first_verdict verdict;
    abut_first_point at; /* kind 0: only the time is known */
} abut_set_point;

typedef struct abut_set_result {
    abut_first_verdict verdict;
    abut_proof proof;
    abut_stop stop;
    abut_interval time;
    size_t point_count;   /* all of them; may exceed the capacity */
    size_t pairs, culled; /* pairs asked for, and those that their bounds dismissed */
    abut_counters counters;
} abut_set_result;

/* pairs: 2 * pair_count indices of bodies; NULL: all pairs. Points ascend by a, b, then the
 * order in which abut_first_contact gives them. */
ABUT_API abut_status abut_first_contact_set(const abut_body *bodies, size_t body_count, const uint32_t *pairs,
                                            size_t pair_count, const abut_first_opts *opts,
                                            abut_workspace *ws, abut_set_point *points, size_t capacity,
                                            abut_set_result *out);

/* An end at an end of the time range carries that end exactly. */
typedef struct abut_contact_interval {
    abut_interval enter, exit;
} abut_contact_interval;

typedef struct abut_intervals_result {
    abut_proof proof;
    /* BUDGET: some listed intervals are only possible contacts, and proof says TOLERANCE */
    abut_stop stop;
    size_t count; /* may exceed the capacity given */
    abut_counters counters;
} abut_intervals_result;

/* All intervals of time in which a and b meet (touching counts), ascending. Writes at most
 * `capacity` of them. */
ABUT_API abut_status abut_contact_intervals(const abut_shape *a, const abut_motion *motion_a,
                                            const abut_shape *b, const abut_motion *motion_b,
                                            const abut_first_opts *opts, abut_workspace *ws,
                                            abut_contact_interval *intervals, size_t capacity,
                                            abut_intervals_result *out);

/* ---- sweeps ---- */

typedef enum abut_sweep_form {
    /* the support point is moved by the translation where that takes it further */
    ABUT_SWEEP_SWITCHED = 0,
    ABUT_SWEEP_DOUBLED /* support over the bodies at the start and at the end */
} abut_sweep_form;

typedef struct abut_sweep_opts {
    size_t struct_size;
    abut_sweep_form form;
} abut_sweep_opts;

ABUT_API void abut_sweep_opts_init(abut_sweep_opts *opts);
/* Does a, moved from pose_a by `translation` without turning, meet b on its way? separate:
 * proved that it does not; touching and penetrating: that it does (flat bodies have nothing to
 * penetrate). For convex bodies, half-spaces included; both forms agree. */
ABUT_API abut_status abut_sweep_overlap(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                                        const abut_pose *pose_b, abut_vec3 translation,
                                        const abut_sweep_opts *opts, abut_workspace *ws,
                                        abut_overlap_result *out);

/* ---- backtracking, for those who only have a test at one instant ---- */

/* Signed gap at time t: free when positive, colliding otherwise. Only the sign must be right;
 * sizes that shrink with the gap save calls. NaN stops the search with ABUT_ERR_VALUE. */
typedef double (*abut_gap_fn)(void *ctx, double t);

typedef struct abut_backtrack_opts {
    size_t struct_size;
    double accuracy; /* of first_colliding - last_free; default 0: as narrow as doubles allow */
    /* in which the range is searched for the first colliding sample; default 0: 64 */
    uint64_t steps;
} abut_backtrack_opts;

/* contact: free at the start and last free at last_free, colliding at first_colliding.
 * overlapping: the start collides, and both times are the start. separate: no sample collided.
 * As good as the test and the samples: proof is TOLERANCE. */
typedef struct abut_backtrack_result {
    abut_first_verdict verdict;
    abut_proof proof;
    double last_free, first_colliding;
    abut_counters counters; /* evaluations: calls of the test */
} abut_backtrack_result;

ABUT_API void abut_backtrack_opts_init(abut_backtrack_opts *opts);
ABUT_API abut_status abut_backtrack(abut_gap_fn test, void *ctx, abut_interval time,
                                    const abut_backtrack_opts *opts, abut_backtrack_result *out);

/* ---- rays, points, segments ----
 *
 * Exact where the placement is: any translation, and rotations that map axes to axes. Other
 * rotations are irrational. A point is then classified by an enclosure of its place, UNKNOWN
 * where that does not decide; rays and segments are answered for the nearest doubles of the
 * rotation, so that t, from and to are good to a few ulp, but what happens within rounding of an
 * edge or a tangent is not proved. */

typedef struct abut_ray_hit {
    double t;                /* in units of the direction */
    abut_vec3 point, normal; /* normal: outward, unit */
} abut_ray_hit;

/* Every crossing of the boundary with t >= 0, nearest first; a tangent touch once; a start on
 * the boundary is a hit at 0, unless the ray runs on in it. A ray that runs in a face hits where
 * it enters and leaves that face; one in the boundary of a halfspace has no hit. Writes at most
 * `capacity` hits, and the number of all to *count. The direction is not zero. Flat shapes are
 * crossed at one t; a ray in the plane of one hits where it enters and leaves. A height field is
 * solid below its surface, and the walls under its border belong to its boundary; it has no
 * bottom. A run in its surface is one, whatever triangles it passes. Shapes swept by a ball and
 * support shapes are met within rounding (and the error of the latter): t to some 1e-15 of the
 * sizes over the sine of the angle at which they are crossed, and a ray that passes at less than
 * that may hit or miss. Of a mesh every point on the ray is one hit, whatever triangles it is
 * on, so that no crossing of an edge or a corner is lost or doubled; a run in it is one, too,
 * whatever triangles it passes. Normals are those of the triangles by the order of their
 * corners, of surfaces as well, and where several meet of the one with the lowest number. */
ABUT_API abut_status abut_cast_ray(const abut_shape *shape, const abut_pose *pose, abut_vec3 origin,
                                   abut_vec3 direction, abut_ray_hit *hits, size_t capacity, size_t *count);
/* The same for the whole line: crossings with t < 0 come first. */
ABUT_API abut_status abut_cast_line(const abut_shape *shape, const abut_pose *pose, abut_vec3 origin,
                                    abut_vec3 direction, abut_ray_hit *hits, size_t capacity, size_t *count);
/* Rays for the placement that a motion has at time t, which a pose may not be able to state: 90
 * degrees are exact. NULL motion: identity. ABUT_ERR_UNSUPPORTED where that placement is not
 * rigid, but for spheres and ellipsoids; for points and segments below also where the motion has
 * no enclosure. */
ABUT_API abut_status abut_cast_ray_at(const abut_shape *shape, const abut_motion *motion, double t,
                                      abut_vec3 origin, abut_vec3 direction, abut_ray_hit *hits,
                                      size_t capacity, size_t *count);

typedef enum abut_where {
    ABUT_WHERE_UNKNOWN = 0,
    ABUT_WHERE_IN,
    ABUT_WHERE_OUT,
    ABUT_WHERE_VERTEX,
    ABUT_WHERE_EDGE,
    ABUT_WHERE_FACE
} abut_where;

/* A piece of a segment, parameters from 0 to 1 along it; a point piece has from == to. id: of
 * the vertex, edge or face; -1 for in, out and unknown. */
typedef struct abut_piece {
    abut_where where;
    int64_t id;
    double from, to;
    abut_vec3 point; /* of a point piece */
} abut_piece;

ABUT_API const char *abut_where_name(abut_where where);
ABUT_API abut_status abut_classify_point(const abut_shape *shape, const abut_pose *pose, abut_vec3 point,
                                         abut_piece *out);
ABUT_API abut_status abut_classify_point_at(const abut_shape *shape, const abut_motion *motion, double t,
                                            abut_vec3 point, abut_piece *out);
/* Pieces in order, covering [0, 1]. A run in a mesh is one piece, named after the first triangle
 * or edge that it is in. */
ABUT_API abut_status abut_classify_segment(const abut_shape *shape, const abut_pose *pose, abut_vec3 from,
                                           abut_vec3 to, abut_piece *pieces, size_t capacity, size_t *count);
ABUT_API abut_status abut_classify_segment_at(const abut_shape *shape, const abut_motion *motion, double t,
                                              abut_vec3 from, abut_vec3 to, abut_piece *pieces,
                                              size_t capacity, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
