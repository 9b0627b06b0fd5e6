/* SPDX-License-Identifier: MIT */
/* A mesh against a convex body: what the files about it share. */
#ifndef ABUT_NARROW_MESH_MESH_CONVEX_H
#define ABUT_NARROW_MESH_MESH_CONVEX_H

#include "narrow/distance/convex.h"
#include "narrow/mesh/mesh.h"

/* A triangle as a hull, without memory of its own. */
typedef struct abut_mesh_hull {
    abut_hull hull;
    abut_core core;
    double x[8], y[8], z[8];
    uint32_t point_of[3], link_begin[4], links[6], face_begin[3], face_corners[6];
    abut_vec3 face_normal[2];
} abut_mesh_hull;

void abut_mesh_hull_init(abut_mesh_hull *h);
void abut_mesh_hull_set(abut_mesh_hull *h, const abut_vec3 t[3]);

/* Triangles that are remembered for exact signs, places for contacts. */
enum { ABUT_MESH_FACES = 64 };

/* A place where they meet, in the site's coordinates. */
typedef struct abut_mesh_place {
    abut_contact contact;
    double depth;
    uint32_t face;
    int number;
} abut_mesh_place;

typedef struct abut_mesh_places {
    int count;
    abut_mesh_place items[ABUT_MESH_FACES];
} abut_mesh_places;

typedef struct abut_mesh_site {
    const abut_pair *asked;
    const abut_faceted_data *mesh;
    abut_convex_scratch scratch;
    abut_convex_pair base; /* its a is not set; t is 0 */
    int exponent;
    double scale, unit;
    abut_vec3 origin; /* of the body in the mesh's frame, scaled */
    double clearance, limit, relative, cutoff;
    abut_bv_relative relative_place;
    abut_mesh_counters tests;
    abut_bvh_walk walk;
    abut_mesh_hull hull;
    abut_vec3 axis; /* the last direction that parted a triangle and the body */
    /* meets: a triangle reaches into the body, by its enclosure; reaches: exactly; touches: it
     * has a point in common, exactly */
    bool curved, until_met, meets, reaches, touches, inside, undecided, decided;
    double lo_gap, hi_gap,
        /* of the cores: of all that were enclosed, and the least of those that were only found to
         * be far */
        far_gap;
    abut_convex_answer best;
    uint32_t best_face;
    int open_count, exact;
    uint32_t open[ABUT_MESH_FACES];
    uint64_t supports, visited;
    bool wants_places;
    abut_vec3 middle; /* of the body */
    int touched;
    abut_mesh_places places;
    uint32_t touch[ABUT_MESH_FACES]; /* triangles that touch, exactly; ascending */
} abut_mesh_site;

void abut_mesh_site_pair(abut_mesh_site *s, uint32_t face, abut_convex_pair *pair);

abut_vec3 abut_mesh_site_world(const abut_mesh_site *s, abut_vec3 p);

/* mesh_exact.c: the sign of the gap of a triangle and a ball, a box or a flat hull that are placed
 * exactly: 1 apart, 0 touching, -1 the triangle reaches into the interior; ABUT_SIGN_UNKNOWN for
 * others. */
int abut_mesh_exact_sign(const abut_pair *pair, uint32_t face);

/* mesh_manifold.c: a triangle that meets the body, or one that only touches it; then normal,
 * points and contacts from all of them. */
void abut_mesh_manifold_add(abut_mesh_site *s, uint32_t face);
void abut_mesh_manifold_touch(abut_mesh_site *s, uint32_t face);
void abut_mesh_manifold(abut_mesh_site *s, const abut_ask *ask, abut_check_result *out);

#endif
