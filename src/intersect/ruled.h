/* SPDX-License-Identifier: MIT */
/* A quadric and a ruled quadric whose rulings are a polynomial family, over the projective line of
 * rulings:
 *
 *     x(u, s) = s0 X0(u) + s1 X1(u),   x' M x = a(u) s0^2 + b(u) s0 s1 + c(u) s1^2
 *
 * with u = (u0 : u1), forms X0 and X1 of degrees d0 + d1 <= 2. D = b^2 - 4 a c has degree at most
 * 4. On each ruling with D > 0 there are two points, on the sheets sign(2 a s0 + b s1) sign(s1) =
 * -sign(2 c s1 + b s0) sign(s0) = +1 and -1; they meet where D = 0. The points at infinity are on
 * the rulings where E = a w1^2 - b w1 w0 + c w0^2 is 0, with w0, w1 the last coordinates of X0 and
 * X1.
 *
 * The projective line is cut into two charts, (1 : t) and (-t : 1), t in [-1, 1]; tau = t and 2 +
 * t count along both. */
#ifndef ABUT_INTERSECT_RULED_H
#define ABUT_INTERSECT_RULED_H

#include "intersect/loops.h"

struct abut_torus;

typedef struct abut_ruled {
    /* A torus with a plane or sphere instead: u and s are half of its angles psi and phi, as (cos :
     * sin), a, b, c of degree 2 each, and nothing is at infinity. Turned by p, q. */
    const struct abut_torus *torus;
    int p, q;
    int d0, d1;
    ia x0[2][4], x1[3][4]; /* coefficients of u0^(n-i) u1^i */
    ia m[4][4];
    ia a[5], b[5], c[5], d[5], e[5];
} abut_ruled;

/* A root of D or E. lo == hi may be. */
typedef struct abut_ruled_event {
    double lo, hi;
    int multiplicity, sheet;
} abut_ruled_event;

typedef struct abut_ruled_events {
    int d_count, e_count, sign; /* of D at the cut, tau = -1 and 3 */
    bool double_sheet;          /* D is 0 everywhere, exactly */
    abut_ruled_event d[8], e[8];
} abut_ruled_events;

/* Kernel. The components from the events, as points appended to m->out; false where something is
 * not decided (then m->out has points of the curve at most). */
bool abut_ruled_graph(const abut_ruled *r, abut_ruled_events *events, abut_meeting *m);

/* The simple roots of a form that is not 0 at the cuts, in order; -1 where they are not separated.
 * At most 8. In any rounding mode. */
int abut_ruled_roots(const ia *f, int degree, abut_ruled_event *out);
/* Kernel. The signs of a form at the two cuts, (1 : -1) and (1 : 1). */
void abut_ruled_cuts(const ia *f, int degree, int sign[2]);

/* All of it, no kernel: turns the basis until the cuts are clear of roots. */
bool abut_ruled_solve(abut_ruled *r, abut_meeting *m);

#endif
