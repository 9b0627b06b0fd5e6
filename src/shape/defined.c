/* SPDX-License-Identifier: MIT */
/* Whether the expressions of shapes are defined on all of their ranges: a surface of which a
 * part is missing has no inside, and a proof about it would be none. */
#include "expr/tape.h"
#include "shape/shape.h"
#include "surface/body.h"

#include <math.h>
#include <stdio.h>

enum { MOST_VARIABLES = 4 };

/* The expression that is not defined there, as far as its value tells. */
static const char *name_of(const abut_tape *tape, const double *at, double *scratch, const char *const *names)
{
    double value[3];
    abut_tape_evaluate(tape, at, 0, scratch, value);
    for (size_t i = 0; i < abut_tape_root_count(tape) && i < 3; ++i)
        if (!isfinite(value[i]))
            return names[i];
    return NULL;
}

static abut_status evaluate(const abut_shape *shape, const abut_tape *tape, const abut_interval *box,
                            const char *const *names, const char *const *variables, int count,
                            abut_error *error)
{
    const size_t room = abut_tape_scratch(tape, 0) + 1;
    ia *scratch = abut_base_alloc(&shape->alloc, room, sizeof *scratch);
    double *plain = abut_base_alloc(&shape->alloc, room, sizeof *plain);
    double at[MOST_VARIABLES] = { 0 };
    abut_status status = scratch && plain ? ABUT_OK : abut_base_fail_memory(error);
    if (!status && abut_tape_find_undefined(tape, box, scratch, at)) {
        const char *name = name_of(tape, at, plain, names);
        char place[160];
        size_t used = 0;
        for (int i = 0; i < count; ++i)
            if (abut_tape_depends_on(tape, (size_t)i) && used < sizeof place)
                used += (size_t)snprintf(place + used, sizeof place - used, "%s%s = %.17g", used ? ", " : "",
                                         variables[i], at[i]);
        status = abut_base_fail(error, ABUT_ERR_VALUE, -1, "%s %s not defined%s%s",
                                name ? name : "the expressions", name ? "is" : "are", used ? " at " : "",
                                used ? place : "");
    }
    if (scratch)
        abut_base_free(&shape->alloc, scratch, room, sizeof *scratch);
    if (plain)
        abut_base_free(&shape->alloc, plain, room, sizeof *plain);
    return status;
}

/* A closed surface must have its inside on one side all the time. */
static abut_status examine_sides(const abut_shape *shape, abut_interval time, abut_error *error)
{
    abut_surface surface = *shape->surface;
    const size_t room = surface.scratch + 1;
    ia *scratch = abut_base_alloc(&shape->alloc, room, sizeof *scratch);
    if (!scratch)
        return abut_base_fail_memory(error);
    const abut_orientation way = abut_surface_orient(&surface, time, scratch);
    abut_base_free(&shape->alloc, scratch, room, sizeof *scratch);
    if (way.sign == 1 || time.lo == time.hi) /* at one instant queries say so themselves */
        return ABUT_OK;
    return abut_base_fail(error, ABUT_ERR_VALUE, -1,
                          way.sign == 2
                              ? "the surface is closed, but turns inside out, at about t = %.9g at the latest"
                              : "the surface is closed, but which side of it u x v leads to could not be "
                                "proved at about t = %.9g; does it enclose any volume then?",
                          way.at);
}

static abut_status examine_parametric(const abut_shape *shape, abut_interval time, abut_error *error)
{
    static const char *const names[3] = { "x", "y", "z" }, *const variables[3] = { "u", "v", "t" };
    const double *u = shape->u.parametric.u, *v = shape->u.parametric.v;
    const abut_interval box[3] = { { u[0], u[1] }, { v[0], v[1] }, time };
    const abut_tape *tape = shape->u.parametric.tape;
    const abut_status status = tape ? evaluate(shape, tape, box, names, variables, 3, error) : ABUT_OK;
    return status || !shape->surface->deforms ? status : examine_sides(shape, time, error);
}

static abut_status examine_implicit(const abut_shape *shape, abut_interval time, abut_error *error)
{
    static const char *const names[1] = { "f" }, *const variables[4] = { "x", "y", "z", "t" };
    const abut_vec3 lo = shape->bounds.lo, hi = shape->bounds.hi;
    const abut_interval box[4] = { { lo.x, hi.x }, { lo.y, hi.y }, { lo.z, hi.z }, time };
    const abut_tape *tape = shape->u.implicit.tape;
    return tape ? evaluate(shape, tape, box, names, variables, 4, error) : ABUT_OK;
}

static abut_status examine_csg(const abut_shape *shape, abut_interval time, int nesting, abut_error *error)
{
    if (shape->type == ABUT_SHAPE_IMPLICIT)
        return examine_implicit(shape, time, error);
    if (shape->type != ABUT_SHAPE_CSG)
        return ABUT_OK;
    abut_status status = nesting < ABUT_CSG_MAX_NESTING ? ABUT_OK : ABUT_ERR_LIMIT;
    for (size_t i = 0; i < shape->u.csg.count && !status; ++i)
        status = examine_csg(shape->u.csg.of[i], time, nesting + 1, error);
    return status;
}

abut_status abut_shape_defined_over(const abut_shape *shape, abut_interval time, abut_error *error)
{
    abut_base_clear(error);
    if (!shape || !(time.lo <= time.hi) || !isfinite(time.lo) || !isfinite(time.hi))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "a shape and a finite stretch of time are needed");
    switch (shape->type) {
    case ABUT_SHAPE_PARAMETRIC: return examine_parametric(shape, time, error);
    case ABUT_SHAPE_IMPLICIT:
    case ABUT_SHAPE_CSG: return examine_csg(shape, time, 0, error);
    case ABUT_SHAPE_COMPOUND: {
        abut_status status = ABUT_OK;
        for (size_t i = 0; i < shape->u.compound.count && !status; ++i)
            status = abut_shape_defined_over(shape->u.compound.parts[i].shape, time, error);
        return status;
    }
    default: return ABUT_OK;
    }
}
