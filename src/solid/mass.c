/* SPDX-License-Identifier: MIT */
/* Volume and area of swept profiles: Green's theorem for the area of the profile, the theorems of
 * Pappus for solids of revolution. Sums of a few terms per side; the enclosures are wider than
 * their rounding by far: 1e-12 of the sum of the terms' sizes, where a term carries some 20
 * roundings of 1e-16 and the angle of libm's atan2, good to an ulp. */
#include "solid/solid.h"

#include <math.h>

static const double pi = 3.14159265358979323846, spread = 1e-12;

typedef struct sum {
    double value, size;
} sum;

static void add(sum *s, double term)
{
    s->value += term;
    s->size += fabs(term);
}

static abut_interval enclose(sum s)
{
    return (abut_interval){ s.value - spread * s.size, s.value + spread * s.size };
}

static double half_angle(const abut_side *s)
{
    return atan2(s->sin_half, s->cos_half);
}

static double side_length(const abut_side *s)
{
    return s->turn ? 2 * s->radius * half_angle(s) : hypot(s->to.x - s->from.x, s->to.y - s->from.y);
}

void abut_solid_mass_extrude(abut_solid *solid)
{
    const abut_profile *p = &solid->profile;
    const abut_xy at = p->sides[0].from;
    sum region = { 0, 0 }, area = { 0, 0 };
    for (size_t i = 0; i < p->count; ++i) {
        const abut_side *s = &p->sides[i];
        add(&region, 0.5 * (s->from.x - at.x) * (s->to.y - at.y));
        add(&region, -0.5 * (s->to.x - at.x) * (s->from.y - at.y));
        if (s->turn)
            add(&region, s->turn * s->radius * s->radius * (half_angle(s) - s->sin_half * s->cos_half));
        add(&area, side_length(s) * solid->height);
    }
    solid->volume = enclose((sum){ region.value * solid->height, region.size * solid->height });
    add(&area, 2 * region.value);
    area.size += 2 * region.size;
    solid->area = enclose(area);
}

/* Integrals along the profile: the volume is pi times that of r^2 dz, the area 2 pi times that of r
 * ds. On an arc r = c + R cos f, dz = R cos f df, ds = R df, f from the middle - h to the middle +
 * h (times the turn). */
void abut_solid_mass_revolve(abut_solid *solid)
{
    const abut_profile *p = &solid->profile;
    sum volume = { 0, 0 }, area = { 0, 0 };
    for (size_t i = 0; i < p->count; ++i) {
        const abut_side *s = &p->sides[i];
        if (s->on_axis)
            continue;
        if (!s->turn) {
            const double a = s->from.x, b = s->to.x, dz = s->to.y - s->from.y;
            add(&volume, pi * dz * (a * a + a * b + b * b) / 3);
            add(&area, pi * (a + b) * side_length(s));
            continue;
        }
        const double h = half_angle(s), c = s->center.x, r = s->radius, sine = s->sin_half;
        const double m = s->mid.x, n = s->mid.y;
        /* Integrals of cos f, cos^2 f and cos^3 f over the range. */
        const double one = 2 * sine * m;
        const double two = h + sine * s->cos_half * (m * m - n * n);
        const double sin3 = sine * (3 - 4 * sine * sine), cos3m = m * (4 * m * m - 3);
        const double three = 0.75 * one + sin3 * cos3m / 6;
        add(&volume, s->turn * pi * r * c * c * one);
        add(&volume, s->turn * pi * 2 * c * r * r * two);
        add(&volume, s->turn * pi * r * r * r * three);
        add(&area, 2 * pi * c * r * 2 * h);
        add(&area, 2 * pi * r * r * one);
    }
    solid->volume = enclose(volume);
    solid->area = enclose(area);
}
