/* SPDX-License-Identifier: MIT */
/* Hostile scenes of two bodies, and what is true of them: parts that come into being and vanish,
 * split and merge, csg leaves that appear late, bounds that cut, surfaces turned inward, sheets,
 * poles, times far from 0, lengths from 1e-3 to 1e3. Shares no code with abut.
 *
 * Each body is a field, negative inside, written here in C beside the text of the scene; a sheet is
 * points. They meet at an instant where some point makes both fields negative, which a grid and a
 * pattern search search for. A point found is certain; that there is none is not, but likely where
 * the least value that is found is far from zero. */
#ifndef ABUT_TEST_ORACLE_HOSTILE_H
#define ABUT_TEST_ORACLE_HOSTILE_H

#include <stdbool.h>
#include <stdint.h>

enum { HOSTILE_LEAVES = 4, HOSTILE_NET = 9 };

typedef struct hostile_leaf {
    int kind;
    double c[3];    /* centre */
    double r[3];    /* sizes */
    double k[3];    /* of the radius or level by time: see radius_at */
    double wave[3]; /* size, rate, phase */
    double bounds[2][3];
} hostile_leaf;

typedef struct hostile_body {
    const char *kind;
    char shape[6000], motion[800];
    int form; /* of the generator */
    bool sheet, cavity, unbounded;
    int op; /* of csg */
    int leaf_count;
    hostile_leaf leaf[HOSTILE_LEAVES];
    double bounds[2][3]; /* of the body, in its own frame */
    double net[HOSTILE_NET][3];
    double from[3], to[3];    /* positions */
    double axis[3], angle[2]; /* turns by angle[0] + angle[1] s */
    double swing[2];          /* position + swing[0] sin(swing[1] s) along x */
} hostile_body;

typedef struct hostile_scene {
    hostile_body body[2];
    double t0, length; /* of the time */
    double scale;      /* of all lengths */
} hostile_scene;

void hostile_make(uint64_t seed, hostile_scene *out);
/* The scene as text. */
void hostile_write(const hostile_scene *scene, char *out, unsigned size);
/* The least value over all points of the greater of both fields, about a length by the scale, as
 * far as it is found; where. `thorough`: from a hundred times as many places. */
double hostile_depth(const hostile_scene *scene, double t, bool thorough, double at[3]);
/* The field of one body at a place of the world, as above. Not of sheets. */
double hostile_field(const hostile_scene *scene, int body, const double p[3], double t);

#endif
