/* SPDX-License-Identifier: MIT */
/* Referee for deforming meshes: all pairs of features, each by the integer referee of impacts
 * (impact_gmp.h), and all pairs of triangles at the start by rationals (triangle_gmp.h). Only boxes of
 * swept features, by comparing the given numbers, come before. */
#ifndef ABUT_TEST_ORACLE_DEFORM_BRUTE_H
#define ABUT_TEST_ORACLE_DEFORM_BRUTE_H

#include "abut/mesh.h"
#include "oracle/impact_gmp.h"

enum { BRUTE_VERTICES = 128, BRUTE_TRIANGLES = 160, BRUTE_EDGES = 480, BRUTE_CONTACTS = 60000 };

typedef struct brute_mesh {
    size_t vertex_count, triangle_count, edge_count;
    abut_vec3 start[BRUTE_VERTICES], end[BRUTE_VERTICES];
    uint32_t triangles[3 * BRUTE_TRIANGLES];
    uint32_t edges[2 * BRUTE_EDGES]; /* ascending; brute_find_edges */
} brute_mesh;

typedef struct brute_contact {
    bool edges;        /* edge and edge; otherwise vertex and face */
    bool face_first;   /* the face is a's */
    uint32_t ids[2];   /* of a and b */
    oracle_impact *at; /* owned */
} brute_contact;

typedef struct brute_list {
    size_t count;
    brute_contact items[BRUTE_CONTACTS];
} brute_list;

void brute_find_edges(brute_mesh *m);
/* All contacts of a step; b == a: of features without a common vertex, vertex before face, the
 * smaller edge first. */
void brute_contacts(const brute_mesh *a, const brute_mesh *b, brute_list *out);
void brute_clear(brute_list *list);
/* Is the first contact of all in [lo, hi]? */
bool brute_first_in(const brute_list *list, double lo, double hi);
/* Pairs of triangles without a common vertex that cross at the start; of one mesh each once. */
size_t brute_crossings(const brute_mesh *a, const brute_mesh *b);
/* Pairs of triangles that meet at the start at all, likewise. */
size_t brute_meetings(const brute_mesh *a, const brute_mesh *b);

#endif
