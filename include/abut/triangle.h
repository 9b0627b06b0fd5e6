/* SPDX-License-Identifier: MIT */
/* Continuous collision detection (CCD) of the features of moving triangles: a vertex with a face,
 * an edge with an edge.
 *
 * A query is eight points: four corners at the start and the same four at the end of a unit of
 * time. Corner i is at (1 - t) start[i] + t end[i] at time t in [0, 1], in exact arithmetic on
 * the doubles that were given. Vertex-face: the vertex is [0], its face [1] to [3]. Edge-edge:
 * one edge is [0] [1], the other [2] [3]. Features are closed sets and may be degenerate: a face
 * that is a segment or a point, an edge without length, at some times or always. They are in
 * contact at the times at which they have a common point. Every finite input is decided exactly:
 * there are no false positives, no false negatives and no tolerances. */
#ifndef ABUT_TRIANGLE_H
#define ABUT_TRIANGLE_H

#include "abut/query.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct abut_impact_opts {
    size_t struct_size;
    /* In [0, 1]: contacts after this time are not searched for. Default 1. */
    double t_max;
    /* >= 0: an enclosure of the time that is this wide or narrower will do. Default 0: at most 4
     * ulp of the time. */
    double accuracy;
    /* A batch searches for its earliest contact only: t_max falls to the earliest time found.
     * Default false. */
    bool earliest;
    /* All stretches of time up to t_max in which they are in contact, ascending, an instant as
     * enter == exit. NULL: not wanted. Not for batches. Stretches that are nearer to each other
     * than doubles can tell are joined. */
    abut_contact_interval *intervals;
    size_t interval_capacity;
    /* For exact arithmetic on coordinates of very different sizes, which is done in memory of
     * its own. NULL: malloc and free. */
    const abut_allocator *allocator;
} abut_impact_opts;

typedef struct abut_impact_result {
    /* ABUT_FIRST_CONTACT or ABUT_FIRST_SEPARATE. Contact at time 0 is a contact.
     * ABUT_FIRST_UNDECIDED only where a call failed, or where roots are nearer to each other
     * than some 2^-5000. */
    abut_first_verdict verdict;
    /* ABUT_PROOF_EXACT whenever there is a verdict. */
    abut_proof proof;
    /* ABUT_STOP_CUTOFF: separate up to t_max, which is less than 1. */
    abut_stop stop;
    /* Of first contact. */
    abut_interval time;
    /* A common point at that time, rounded. */
    abut_vec3 point;
    /* Unit, rounded, from the vertex to the face or from the first edge to the second as they
     * were before: of the face, or of the plane of both edges. Features that stay in one plane,
     * and parallel edges, have the normal of the edge that is hit; two points that meet, the
     * direction in which they met. */
    abut_vec3 normal;
    /* Where the point is, rounded: vertex-face, its weights at corners [2] and [3]; edge-edge,
     * its parameters from [0] to [1] and from [2] to [3]. */
    double parameters[2];
    /* The four corners are in one plane at all times. Known only where exact arithmetic was
     * needed, which is so for all these that are in contact. */
    bool coplanar;
    /* Of opts->intervals; may exceed the capacity. */
    size_t interval_count;
    /* iterations: times that were examined; evaluations: signs that were taken at them; exact: 1
     * where exact arithmetic decided. */
    abut_counters counters;
} abut_impact_result;

/* Which step decided how many of the queries of a batch. They sum up to `queries`. */
typedef struct abut_impact_stats {
    uint64_t queries;
    /* Separate by moving boxes, or by a plane between them that does not turn. */
    uint64_t boxes;
    /* Separate because the corners are in one plane at no time, by the signs of Bernstein
     * coefficients. */
    uint64_t coplanarity;
    /* Decided at the times of coplanarity, in doubles with error bounds. */
    uint64_t roots;
    /* Decided in exact arithmetic. */
    uint64_t exact;
    /* Contacts among all of them. */
    uint64_t contacts;
} abut_impact_stats;

ABUT_API void abut_impact_opts_init(abut_impact_opts *opts);

/* ABUT_ERR_ARGUMENT for coordinates that are not finite, NULL where something is needed, and
 * options outside their range. */
ABUT_API abut_status abut_vertex_face_contact(const abut_vec3 start[4], const abut_vec3 end[4],
                                              const abut_impact_opts *opts, abut_impact_result *out);
ABUT_API abut_status abut_edge_edge_contact(const abut_vec3 start[4], const abut_vec3 end[4],
                                            const abut_impact_opts *opts, abut_impact_result *out);

/* Many queries: number i has the corners start[4 i] to start[4 i + 3], and its result in out[i].
 * Results are those of single calls, but for opts->earliest. stats may be NULL; what it counts
 * is added to it. A query that fails ends the batch; results from there on are undecided. */
ABUT_API abut_status abut_vertex_face_contact_batch(const abut_vec3 *start, const abut_vec3 *end,
                                                    size_t count, const abut_impact_opts *opts,
                                                    abut_impact_result *out, abut_impact_stats *stats);
ABUT_API abut_status abut_edge_edge_contact_batch(const abut_vec3 *start, const abut_vec3 *end, size_t count,
                                                  const abut_impact_opts *opts, abut_impact_result *out,
                                                  abut_impact_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
