/* SPDX-License-Identifier: MIT */
/* Lines from far away (line.h): their start is moved along them to where they pass the body.
 *
 * What a line meets is decided by numbers as small as the body. From a place 2^1000 times as far away
 * these would be lost below its digits, or under- and overflow. So the start is moved to about the
 * point nearest to the body's origin: o + (t_1 + t_2 + ...) d, each step a double of few bits and
 * the sum exact, until what is left is across the line or as small as the body. Parameters are then
 * counted from there, and `base` is what is to be added to them. */
#include "narrow/ray/line.h"

#include "math/vec3.h"
#include "narrow/pair/big.h"

#include <float.h>

/* In sizes of the body: nearer ones are handled from where they start. What is found by enclosures
 * gets wider with the distance. */
static double far_away(const abut_shape *shape)
{
    const bool enclosed = shape->type == ABUT_SHAPE_PARAMETRIC || shape->type == ABUT_SHAPE_BEZIER ||
                          shape->type == ABUT_SHAPE_IMPLICIT || shape->type == ABUT_SHAPE_CSG;
    return enclosed ? 0x1p4 : 0x1p30;
}

/* Values near 1 and their common exponent; false where all are zero. */
static bool scaled(const abut_big x[3], double out[3], int *exponent)
{
    dd value[3];
    int e[3];
    bool any = false;
    for (int i = 0; i < 3; ++i) {
        value[i] = abut_big_value(&x[i], &e[i]);
        if (value[i].h != 0 && (!any || e[i] > *exponent))
            *exponent = e[i];
        any |= value[i].h != 0;
    }
    for (int i = 0; i < 3; ++i)
        out[i] = value[i].h == 0 ? 0 : ldexp(value[i].h, e[i] - *exponent);
    return any;
}

/* x of 30 bits, so that sums stay short. */
static double few_bits(double x)
{
    int e;
    const double m = frexp(x, &e);
    return ldexp(nearbyint(ldexp(m, 30)), e - 30);
}

/* Moves o; *base is by how much. */
static void approach(abut_big o[3], const abut_big d[3], int enough, abut_big *base)
{
    enum { STEPS = 100 }; /* 2100 bits by 28 at a time, and some more */
    abut_big_clear(base);
    for (int k = 0; k < STEPS; ++k) {
        double x[3], y[3];
        int ex = 0, ey = 0;
        if (!scaled(o, x, &ex) || !scaled(d, y, &ey) || ex <= enough)
            return;
        const double along = x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
        const double step = few_bits(-along / (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]));
        if (!(fabs(step) > 0x1p-20)) /* the rest is across the line */
            return;
        abut_big t;
        abut_big_double(step, &t);
        t.e += ex - ey;
        abut_big_add(&t, 1, base);
        for (int i = 0; i < 3; ++i)
            abut_big_add_product(&t, &d[i], 1, &o[i]);
    }
}

static void difference(double a, double b, abut_big *out)
{
    abut_big y;
    abut_big_double(a, out);
    abut_big_double(b, &y);
    abut_big_add(&y, -1, out);
}

static double value_at(const abut_big *x, int exponent, double *low)
{
    int e;
    const dd value = abut_big_value(x, &e);
    *low = ldexp(value.l, e - exponent);
    return ldexp(value.h, e - exponent);
}

void abut_line_approach(const abut_shape *shape, const abut_place *place, abut_vec3 from, const abut_vec3 *to,
                        abut_vec3 direction, abut_line *out)
{
    const abut_vec3 t = place->mid.translation;
    const double size = abut_line_size(shape);
    const double away = abut_max_norm(abut_sub(abut_scale(0.5, from), abut_scale(0.5, t)));
    abut_line_make(shape, place, from, to, direction, out);
    if (shape->type == ABUT_SHAPE_HALFSPACE || !(away > far_away(shape) * size))
        return;
    const double a[3] = { from.x, from.y, from.z }, b[3] = { t.x, t.y, t.z };
    const double end[3] = { to ? to->x : direction.x, to ? to->y : direction.y, to ? to->z : direction.z };
    abut_big o[3], d[3], base;
    for (int i = 0; i < 3; ++i) {
        difference(a[i], b[i], &o[i]);
        difference(end[i], to ? a[i] : 0, &d[i]);
    }
    int enough;
    (void)frexp(size, &enough);
    approach(o, d, enough + 1, &base);
    double x[3];
    int largest = enough, low_exponent = 0;
    if (scaled(o, x, &low_exponent) && low_exponent + 1 > largest)
        largest = low_exponent + 1;
    out->moved = true;
    out->base.h = value_at(&base, 0, &out->base.l);
    out->length_exponent = abut_line_exponent(shape, largest > DBL_MAX_EXP ? DBL_MAX : ldexp(0.5, largest));
    abut_terms world[3];
    double near[3], low;
    for (int i = 0; i < 3; ++i) {
        world[i].count = 2;
        world[i].t[0] = value_at(&o[i], out->length_exponent, &world[i].t[1]);
        near[i] = value_at(&o[i], 0, &low);
    }
    out->offset = abut_v3(near[0], near[1], near[2]);
    abut_line_turn(shape, place, world, out->o);
}
