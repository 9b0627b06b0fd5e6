/* SPDX-License-Identifier: MIT */
/* Referee for bodies of every kind, at rest or deforming: points of each boundary in doubles, by formulas of
 * its own, and which points are inside. Whatever two bodies do is judged by those. */
#ifndef ORACLE_FORMS_H
#define ORACLE_FORMS_H

#include <stdbool.h>
#include <stddef.h>

enum { FORM_KINDS = 22, FORM_CHANGING = 6, FORM_GRID = 26, FORM_PATCHES = 8, FORM_PARAMETERS = 16 };
enum { FORM_POINTS = FORM_PATCHES * FORM_GRID * FORM_GRID };

/* kind < FORM_KINDS: the kinds of docs/support-matrix.md; the others deform. A body is placed by a turn
 * about `axis` by angle + spin t, and moved by from + t (to - from); the last two of those that deform (an
 * ellipsoid under an affine map, a mesh with moving vertices) say themselves where they are. */
typedef struct form {
    int kind;
    double p[FORM_PARAMETERS];
    double axis[3], angle, spin, from[3], to[3];
} form;

const char *form_name(int kind);
/* The shape of a scene file, and its motion or pose, both as text. */
void form_shape(const form *f, char *out, size_t room);
void form_motion(const form *f, char *out, size_t room);
bool form_is_solid(const form *f);
/* The length of the text is short: 22 kinds at rest and those that deform by random parameters. */
void form_random(form *f, int kind, double (*uniform)(void *ctx, double lo, double hi), void *ctx);

/* Points of the boundary at t, in the world, FORM_POINTS at most; *spacing: no point of the boundary is
 * further from one of them (of those without an end: near the origin only). */
size_t form_sample(const form *f, double t, double (*points)[3], double *spacing);
/* Negative inside, positive outside, of the order of the distance near the boundary. Sheets: 1. */
double form_level(const form *f, double t, const double p[3]);

#endif
