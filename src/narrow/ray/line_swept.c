/* SPDX-License-Identifier: MIT */
/* Where a line enters and leaves any convex core swept by a ball, by distances; see line.h.
 *
 * The distance from a moving point to a convex body is a convex function of the parameter. At a
 * point outside, the distance solver gives a plane between the point and the core; the place
 * where the line comes within the radius of that plane is a bound for where it enters, and the
 * next point to ask about. That is Newton's method on a convex function from outside: it never
 * passes the entry, converges quadratically where the line crosses, and by halves where it
 * grazes (G. van den Bergen, Ray casting against general convex objects, 2004, with the plane's
 * certified bound). The exit is the entry of the reversed line. */
#include "math/vec3.h"
#include "narrow/distance/convex.h"
#include "narrow/ray/line.h"

typedef struct swept_line {
    abut_core core;
    abut_vec3 o, d;
    double square; /* |d|^2 */
} swept_line;

static const abut_core point_core = { .kind = ABUT_CORE_POINT, .scale = 1 };

/* The core and one point, in the scaled frame of the core. */
static abut_convex_pair pair_at(const swept_line *s, double t)
{
    abut_convex_pair pair = { .a = &s->core,
                              .b = &point_core,
                              .radii = s->core.radius,
                              .r = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    pair.frame.linear = pair.r;
    pair.t = abut_madd(s->o, t, s->d);
    pair.error = 0x1p-53 * (20 * abut_length(pair.t) + 12 * s->core.size) + s->core.error + 0x1p-1060;
    return pair;
}

static void distance_at(const swept_line *s, double t, abut_convex_answer *out, double *error)
{
    const abut_convex_pair pair = pair_at(s, t);
    abut_simplex simplex = { .count = 0 };
    *error = pair.error;
    (void)abut_gjk_distance(&pair, INFINITY, NULL, &simplex, out);
}

int abut_line_point_side(const abut_core *core, int exponent, abut_vec3 p, double slack)
{
    const swept_line s = { .core = abut_core_shrink(core, exponent), .o = p };
    abut_convex_pair pair = pair_at(&s, 0);
    pair.error += slack + 0x1p-51 * s.core.radius;
    abut_convex_answer answer;
    const int side = abut_convex_compare(&pair, 0, NULL, &answer);
    return side ? side : ABUT_SIGN_UNKNOWN;
}

/* From t, which is before the body, to where it is entered. False: it is not. */
static bool enter(const swept_line *s, double t, double way, double *at, abut_vec3 *normal)
{
    const double r = s->core.radius, speed = sqrt(s->square);
    *normal = abut_scale(-way / speed, s->d);
    for (int round = 0; round < 128; ++round) {
        abut_convex_answer answer = { .lo = -INFINITY };
        double error;
        distance_at(s, t, &answer, &error);
        const double over = answer.lo - r, closing = -way * abut_dot(answer.normal, s->d);
        if (answer.lo > 0)
            *normal = answer.normal;
        if (!(over > 4 * error))
            break;
        if (!(closing > 0))
            return false;
        const double next = t + way * (over / closing);
        if (!isfinite(next) || fabs(next - t) * speed > 8 * (s->core.size + r + abut_length(s->o)))
            return false; /* further on than the body reaches */
        if (fabs(next - t) <= 0x1p-52 * fabs(t))
            break;
        t = next;
    }
    *at = t;
    return true;
}

void abut_line_through_swept(const abut_core *core, const abut_line *line, abut_line_hit *out)
{
    swept_line s = { .core = abut_core_shrink(core, line->length_exponent) };
    const double o[3] = { abut_terms_value(&line->o[0]).h, abut_terms_value(&line->o[1]).h,
                          abut_terms_value(&line->o[2]).h };
    const double d[3] = { abut_terms_value(&line->d[0]).h, abut_terms_value(&line->d[1]).h,
                          abut_terms_value(&line->d[2]).h };
    s.o = abut_v3(o[0], o[1], o[2]);
    s.d = abut_v3(d[0], d[1], d[2]);
    s.square = abut_dot(s.d, s.d);
    const double reach = (s.core.size + s.core.radius + s.core.error) * (1 + 0x1p-40);
    const double middle = -abut_dot(s.o, s.d) / s.square;
    const abut_vec3 nearest = abut_madd(s.o, middle, s.d);
    const double off = abut_dot(nearest, nearest), slack = 0x1p-48 * abut_length(s.o);
    if (off > (reach + slack) * (reach + slack))
        return;
    const double half = sqrt(fmax((reach + slack) * (reach + slack) - off, 0) / s.square) * (1 + 0x1p-40);
    double t[2] = { 0, 0 };
    abut_vec3 normal[2];
    if (!enter(&s, middle - half, 1, &t[0], &normal[0]) || !enter(&s, middle + half, -1, &t[1], &normal[1]))
        return;
    if (t[0] > t[1]) /* grazes, within rounding */
        t[0] = t[1] = 0.5 * (t[0] + t[1]);
    out->count = t[0] < t[1] ? 2 : 1;
    for (int i = 0; i < out->count; ++i)
        out->end[i] = (abut_line_end){ ldexp(t[i], line->length_exponent - line->direction_exponent),
                                       ABUT_FEATURE_FACE, 0, abut_unit_or(normal[i], abut_v3(1, 0, 0)) };
}
