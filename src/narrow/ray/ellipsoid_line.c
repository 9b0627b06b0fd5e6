/* SPDX-License-Identifier: MIT */
/* A line through an ellipsoid that is the image of a ball under a map that need not be rigid:
 * the line as the unit ball has it, in pairs of doubles. */
#include "narrow/ray/line.h"

#include "math/vec3.h"
#include "narrow/ellipsoid/ellipsoid_place.h"

#include <string.h>

/* ---- lines ---- */

static dd dd_cross(const dd a[3], const dd b[3], int i)
{
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    return dd_sub(dd_mul(a[j], b[k]), dd_mul(a[k], b[j]));
}

static dd dd_dot(const dd a[3], const dd b[3])
{
    return dd_add(dd_add(dd_mul(a[0], b[0]), dd_mul(a[1], b[1])), dd_mul(a[2], b[2]));
}

/* Rows of the inverse of L diag(r), times `scale`, in pairs of doubles. */
static void inverse_rows(const abut_place *place, double scale, dd rows[3][3])
{
    const double r[3] = { place->radii.x, place->radii.y, place->radii.z };
    dd c[3][3];
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            c[j][i] = dd_two_product(place->map.linear.m[i][j] * scale, r[j]);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            rows[j][i] = dd_cross(c[(j + 1) % 3], c[(j + 2) % 3], i);
    const dd det = dd_dot(c[0], rows[0]);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 3; ++i)
            rows[j][i] = dd_div(rows[j][i], det);
}

static void set_terms(dd rows[3][3], const dd world[3], double shrink, abut_terms out[3])
{
    for (int i = 0; i < 3; ++i) {
        const dd x = dd_dot(rows[i], world);
        out[i] = (abut_terms){ 2, { x.h * shrink, x.l * shrink } };
    }
}

/* The line as the unit ball has it: parameters stay, and pairs of doubles keep them whatever the
 * map's condition, to 2^-100 of it. */
void abut_ellipsoid_through(const abut_shape *image, const abut_place *place, abut_vec3 from,
                            const abut_vec3 *to, abut_vec3 direction, abut_line_hit *out)
{
    int exponent;
    (void)frexp(fmax(image->core.size + image->core.radius, 0x1p-900), &exponent);
    const double scale = ldexp(1, -exponent);
    const abut_vec3 c = place->map.translation, end = to ? *to : direction,
                    start = to ? from : abut_v3(0, 0, 0);
    const dd o[3] = { dd_two_sum(from.x * scale, -c.x * scale), dd_two_sum(from.y * scale, -c.y * scale),
                      dd_two_sum(from.z * scale, -c.z * scale) };
    int steep;
    (void)frexp(fmax(abut_max_norm(end), abut_max_norm(start)), &steep);
    const double unit = ldexp(1, steep < -1000 ? 1000 : -steep);
    const dd d[3] = { dd_two_sum(end.x * unit, -start.x * unit), dd_two_sum(end.y * unit, -start.y * unit),
                      dd_two_sum(end.z * unit, -start.z * unit) };
    dd rows[3][3];
    inverse_rows(place, scale, rows);
    abut_line line = { .unnamed = true };
    set_terms(rows, o, 1, line.o);
    const double far = fmax(1, fmax(fabs(line.o[0].t[0]), fmax(fabs(line.o[1].t[0]), fabs(line.o[2].t[0]))));
    (void)frexp(far, &line.length_exponent);
    set_terms(rows, o, ldexp(1, -line.length_exponent), line.o);
    set_terms(rows, d, 1, line.d);
    const double fast = fmax(fabs(line.d[0].t[0]), fmax(fabs(line.d[1].t[0]), fabs(line.d[2].t[0])));
    int size;
    (void)frexp(fast, &size);
    set_terms(rows, d, ldexp(1, -size), line.d);
    /* o was multiplied by `scale` as the map was, d by `unit` instead. */
    line.direction_exponent = size - exponent + (steep < -1000 ? -1000 : steep);
    abut_shape ball;
    memset(&ball, 0, sizeof ball);
    ball.type = ABUT_SHAPE_SPHERE;
    ball.u.sphere.radius = 1;
    (void)abut_line_through(&ball, &line, out);
    for (int i = 0; i < out->count; ++i) {
        /* The normal of the image is the inverse transposed times that of the ball. */
        const abut_vec3 y = out->end[i].outward;
        abut_vec3 n;
        n.x = rows[0][0].h * y.x + rows[1][0].h * y.y + rows[2][0].h * y.z;
        n.y = rows[0][1].h * y.x + rows[1][1].h * y.y + rows[2][1].h * y.z;
        n.z = rows[0][2].h * y.x + rows[1][2].h * y.y + rows[2][2].h * y.z;
        out->end[i].outward = abut_unit_or(n, abut_v3(1, 0, 0));
    }
    /* A line that starts on the boundary meets it there. */
    if (place->mapped && out->count > 0) {
        const int nearest = out->count == 2 && fabs(out->end[1].t) < fabs(out->end[0].t);
        if (fabs(out->end[nearest].t) <= 0x1p-40 && abut_ellipsoid_point_side(image, place, NULL, from) == 0)
            out->end[nearest].t = 0;
    }
}
