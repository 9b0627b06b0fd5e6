/* SPDX-License-Identifier: MIT */
/* Referee for vertex-face and edge-edge queries (abut/triangle.h), in integers by GMP.
 *
 * Another method than the library's: contact is a formula over signs of polynomials in powers of
 * t (barycentric coordinates by dot products with the normal, of degree 4; or a corner on an
 * edge, by a cross product and a dot product), roots are isolated by Sturm sequences, and the
 * sign of a polynomial at a root is a Tarski query (the Sturm sequence of f and f' q). */
#ifndef ABUT_TEST_ORACLE_IMPACT_GMP_H
#define ABUT_TEST_ORACLE_IMPACT_GMP_H

#include "abut/triangle.h"

typedef struct oracle_impact oracle_impact;

oracle_impact *oracle_impact_create(const abut_vec3 start[4], const abut_vec3 end[4], bool edges);
void oracle_impact_destroy(oracle_impact *o);

/* Is there contact in [0, 1]? */
bool oracle_impact_contact(const oracle_impact *o);
/* Is the first contact in [lo, hi]? */
bool oracle_impact_first_in(const oracle_impact *o, double lo, double hi);
/* Is there contact at this time in [0, 1]? */
bool oracle_impact_at(const oracle_impact *o, double t);
/* Are the corners in one plane at all times? */
bool oracle_impact_coplanar(const oracle_impact *o);
/* How many of the times at which contact may begin or end are in [lo, hi] and have contact? */
int oracle_impact_events(const oracle_impact *o, double lo, double hi);

#endif
