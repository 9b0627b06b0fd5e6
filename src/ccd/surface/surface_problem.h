/* SPDX-License-Identifier: MIT */
/* Contact of two features of moving surfaces as a problem for the minimiser: contact, tangency and
 * incoming constraints of Snyder et al. (SIGGRAPH 1993), section 2 and appendix A, for all pairs of
 * features and of their forms. docs/notes/contact-of-surfaces.md derives them.
 *
 * Inside a problem the bodies are `one` and `two`, in the order that gives the fewest unknowns,
 * whatever order the caller had. Everything is in the frame of two. */
#ifndef ABUT_CCD_SURFACE_SURFACE_PROBLEM_H
#define ABUT_CCD_SURFACE_SURFACE_PROBLEM_H

#include "ccd/minimise/minimise.h"
#include "ccd/proof/relative.h"

typedef enum abut_form {
    /* both parametric: the parameters of one, those of two, t. One has no more of them than two */
    ABUT_FORM_PARAMETRIC,
    ABUT_FORM_MIXED, /* one parametric, two implicit: the parameters of one, t */
    /* both implicit: x, y, z in the frame of one, t. One has no fewer fields than two */
    ABUT_FORM_IMPLICIT,
    ABUT_FORM_BIRTH /* a part of one appears inside two: free coordinates in the frame of one, t */
} abut_form;

/* The jet of a feature over a box, as abut_feature_jet gave it. */
typedef struct abut_known_jet {
    const abut_surface_feature *of; /* NULL: none yet */
    const struct abut_surface_body *body;
    ia parameters[2];
    int order;
    bool defined;
    abut_jet jet;
} abut_known_jet;

/* What a thread has for itself. */
enum { ABUT_STAGE_SLOTS = 64, ABUT_STAGE_JETS = 256 };

typedef struct abut_stage_thread {
    /* of evaluations before, by pair and time: boxes are split by parameters more often than by
     * time */
    abut_relative relative[ABUT_STAGE_SLOTS];
    /* of one and of two: halves of a box by an unknown share the parameters of the other body */
    abut_known_jet jets[2][ABUT_STAGE_JETS];
    ia *scratch[2];
} abut_stage_thread;

static inline void abut_stage_thread_clear(abut_stage_thread *thread)
{
    for (int i = 0; i < ABUT_STAGE_SLOTS; ++i)
        thread->relative[i].of = NULL;
    for (int i = 0; i < ABUT_STAGE_JETS; ++i)
        thread->jets[0][i].of = thread->jets[1][i].of = NULL;
}

/* What all problems of a query share. */
typedef struct abut_stage {
    abut_stage_thread *threads;
    const abut_tracked_point *tracked;
    size_t tracked_count;
    bool no_tangency;
} abut_stage;

/* Two features that may touch, or one body that may come into being inside the other. */
typedef struct abut_contact_problem {
    const abut_stage *stage;
    const abut_relative_side *one, *two;
    const abut_surface_feature *feature_one, *feature_two;
    abut_form form;
    /* BIRTH, which has no features: the number of the set of fields, the coordinates that are
     * free, and the values of the others, on the border of the bounds of one. */
    uint32_t birth;
    int free_count;
    int free_axes[3];
    double at[3];
    uint32_t pair; /* for the caller */
    bool swapped;  /* one is the caller's b */
    /* the last unknown is -t: the last contact comes first, and incoming is outgoing */
    bool reversed;
} abut_contact_problem;

int abut_contact_unknowns(const abut_contact_problem *p);
int abut_contact_equations(const abut_contact_problem *p);
/* The `enclose` of abut_problem; ctx is an abut_contact_problem. */
void abut_contact_enclose(const void *ctx, const ia *x, int order, int thread, abut_system *out);
/* Its `times`. */
ia abut_contact_times(const void *ctx, const ia *x, const abut_system *s, int thread);
/* Of these: d . w + w^T m w / 2 for all w of the box and all d and symmetric m of the intervals,
 * k = 1 or 2 of each. */
ia abut_paraboloid(int k, const ia d[2], const ia m[2][2], const ia w[2]);

/* ---- between the files of the problems; kernels ---- */

/* What the incoming constraints examine, in the frame of two. */
typedef struct abut_incoming {
    ia3 velocity; /* of the point of one against that of two */
    bool has_velocity;
    ia3 normals_one[ABUT_FEATURE_MAX_NORMALS], normals_two[ABUT_FEATURE_MAX_NORMALS];
    int count_one, count_two; /* 0: a sheet, or not known */
    /* how fast the point of one leaves two along each of its normals, times their lengths */
    ia rates_two[ABUT_FEATURE_MAX_NORMALS];
    bool has_rates; /* otherwise velocity . normal */
} abut_incoming;

/* The signs may hold: -1 nowhere, 1 everywhere, 0 not known. */
int abut_incoming_holds(abut_incoming *in, bool reversed);
/* -1: all of the place is within a tracked radius all the time, 1: outside all of them. */
int abut_tracked_holds(const abut_stage *stage, ia3 place, ia t);

const abut_relative *abut_contact_relative(const abut_contact_problem *p, ia t, bool rates, int thread);
/* The jet of the feature of one (side 0) or two (side 1) at x; it stays until the next call for
 * the same side. */
const abut_known_jet *abut_contact_jet(const abut_contact_problem *p, int side, const ia *x, ia t, int order,
                                       int thread);
void abut_contact_parametric(const abut_contact_problem *p, const ia *x, int order, int thread,
                             abut_system *out);
void abut_contact_mixed(const abut_contact_problem *p, const ia *x, int order, int thread, abut_system *out);
/* The same, order 1, with the jacobian even where the box holds no solution. */
void abut_contact_mixed_all(const abut_contact_problem *p, const ia *x, int thread, abut_system *out);
void abut_contact_implicit(const abut_contact_problem *p, const ia *x, int order, int thread,
                           abut_system *out);
void abut_contact_birth(const abut_contact_problem *p, const ia *x, int order, int thread, abut_system *out);
int abut_birth_equations(const abut_contact_problem *p);
/* No points are reported of births, so that few samples do where a curve, a surface or a solid
 * appears at once: places in the world, which thin them out, are divided by this. */
enum { ABUT_BIRTH_THINNING = 8 };
/* The place in the frame of one. */
ia3 abut_birth_place(const abut_contact_problem *p, const ia *x);

/* Whether all of the first `count` equations may vanish. */
static inline bool abut_system_may_vanish(const abut_system *s, int count)
{
    for (int i = 0; i < count; ++i)
        if (!ia_contains_zero(s->f[i]))
            return false;
    return true;
}

/* Boxes that the contact equations refuse need no more: what is left out is entire. Points are
 * the middles of Newton steps, and need all of it. */
static inline bool abut_box_is_point(const ia *x, int n)
{
    for (int i = 0; i < n; ++i)
        if (!ia_is_point(x[i]))
            return false;
    return true;
}

static inline void abut_system_fill(abut_system *s, int from, int equations, int unknowns, int order)
{
    for (int i = from; i < equations; ++i)
        s->f[i] = ia_entire();
    if (order > 0)
        for (int i = 0; i < equations; ++i)
            for (int j = 0; j < unknowns; ++j)
                s->jacobian[i][j] = ia_entire();
}

static inline double abut_widest_side(ia3 box)
{
    return fmax(ia_width(box.x), fmax(ia_width(box.y), ia_width(box.z)));
}

static inline int abut_holds_and(int a, int b)
{
    return a < b ? a : b;
}

static inline ia3 abut_hessian_times(const ia h[6], ia3 v)
{
    return (ia3){ ia3_dot((ia3){ h[0], h[1], h[2] }, v), ia3_dot((ia3){ h[1], h[3], h[4] }, v),
                  ia3_dot((ia3){ h[2], h[4], h[5] }, v) };
}

#endif
