/* SPDX-License-Identifier: MIT */
/* A height field and a convex body at one instant, as heightfield_pair.c and heightfield_contacts.c
 * see them.
 *
 * Coordinates are those of the field's frame less the body's origin, so that far places cost
 * digits only once. */
#ifndef ABUT_NARROW_HEIGHTFIELD_HEIGHTFIELD_SITE_H
#define ABUT_NARROW_HEIGHTFIELD_HEIGHTFIELD_SITE_H

#include "math/vec3.h"
#include "narrow/distance/convex.h"
#include "shape/heightfield.h"

/* A column, cut off below. */
typedef struct abut_field_prism {
    abut_hull hull;
    abut_core core;
    double x[8], y[8], z[8];
    uint32_t point_of[8], link_begin[7], links[18], face_begin[6], face_corners[18];
    abut_vec3 face_normal[5];
} abut_field_prism;

void abut_field_prism_set(const abut_vec3 top[3], double bottom, abut_field_prism *p);

typedef struct abut_field_site {
    const abut_pair *asked;
    const abut_heightfield_data *field;
    abut_convex_scratch scratch;
    abut_convex_pair base; /* its a is not set; t is 0 */
    int exponent;
    double scale;
    abut_vec3 origin; /* of the body in the field's frame */
    /* box around the body's core, from there, wide enough for all rounding */
    double lo[3], hi[3];
    double lo_gap, hi_gap; /* of the cores, over all columns so far */
    abut_convex_answer best;
    size_t best_i, best_j;
    int best_which;
    uint64_t supports, visited;
    bool exact;         /* undecided columns are asked for exact signs */
    bool touches;       /* one of them is touched */
    bool unknown;       /* one of them does not tell */
    bool rests;         /* the body reaches into nothing: one column that it touches is enough */
    int doubts;         /* undecided columns so far */
    abut_vec3 doubtful; /* sum of the body's nearest points to them */
    bool is_inside;     /* found: */
    abut_vec3 inside;   /* a place of the body inside the field */
} abut_field_site;

static inline double abut_field_grid(const abut_field_site *s, int axis, size_t i)
{
    const size_t count = axis == 0 ? s->field->columns : s->field->rows;
    const double step = axis == 0 ? s->field->dx : s->field->dy;
    return (2 * (double)i - (double)(count - 1)) * (0.5 * s->scale * step);
}

static inline abut_vec3 abut_field_vertex(const abut_field_site *s, size_t i, size_t j)
{
    return abut_v3(abut_field_grid(s, 0, i) - s->origin.x, abut_field_grid(s, 1, j) - s->origin.y,
                   s->scale * abut_heightfield_height(s->field, i, j) - s->origin.z);
}

/* Corners of a triangle, counter-clockwise from above. */
static inline void abut_field_corners(const abut_field_site *s, size_t i, size_t j, int which,
                                      abut_vec3 out[3])
{
    out[0] = abut_field_vertex(s, i, j);
    out[1] = which ? abut_field_vertex(s, i + 1, j + 1) : abut_field_vertex(s, i + 1, j);
    out[2] = which ? abut_field_vertex(s, i, j + 1) : abut_field_vertex(s, i + 1, j + 1);
}

static inline abut_vec3 abut_field_upward(const abut_vec3 t[3])
{
    return abut_unit_or(abut_cross(abut_sub(t[1], t[0]), abut_sub(t[2], t[0])), abut_v3(0, 0, 1));
}

static inline int64_t abut_field_face(const abut_field_site *s, size_t i, size_t j, int which)
{
    return 2 * (int64_t)(j * (s->field->columns - 1) + i) + which;
}

/* A height at which a column may be cut off, since no point of it below the core's lowest is
 * nearest to the body; `up` is where the corners' origin has the body's. */
static inline double abut_field_bottom(const abut_field_site *s, const abut_vec3 top[3], double up)
{
    const double least = fmin(fmin(top[0].z, top[1].z), fmin(top[2].z, s->lo[2] + up));
    return least - fmax(s->hi[2] - s->lo[2], abut_max_norm(abut_sub(top[1], top[2])));
}

/* ---- heightfield_exact.c ---- */

/* Exact sign of the gap (radii included) to a column that the solvers leave undecided: 0 where
 * they touch, 1; ABUT_SIGN_UNKNOWN. */
int abut_field_column_sign(const abut_field_site *s, size_t i, size_t j, int which,
                           const abut_convex_answer *answer);
/* For bodies placed exactly: the sign of the height of their lowest point over the highest ground
 * under them; 0: they may touch that, and reach into nothing. *level: the ground is, and under all
 * of the body. ABUT_SIGN_UNKNOWN elsewhere. */
int abut_field_rests(const abut_field_site *s, bool *level);
/* The sign of the gap to the field, for bodies placed exactly over ground that is level under
 * all of them. */
int abut_field_level_ground(const abut_field_site *s);
/* Searches for a place of the core in the field's interior; false proves nothing. */
bool abut_field_find_inside(abut_field_site *s);

/* ---- heightfield_contacts.c ---- */

/* First and last cell under the body; false where there are none. */
bool abut_field_ground_under(const abut_field_site *s, size_t from[2], size_t to[2]);

typedef struct abut_field_contact {
    abut_contact contact; /* in the field's coordinates; its point is in both bodies */
    double depth;         /* along the normal */
} abut_field_contact;

/* The deepest contacts of a body that meets the field, at most `most`; perhaps none. `through`:
 * the body has no inside, and the points are to be in it. */
int abut_field_contacts(const abut_field_site *s, int most, bool through, abut_field_contact *list);

#endif
