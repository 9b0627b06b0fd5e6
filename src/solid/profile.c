/* SPDX-License-Identifier: MIT */
/* Profiles: sides from corners and bulges, nearest points, membership.
 *
 * bulge b = tan(angle / 4): with chord length L the radius is L (1 + b^2) / (4 |b|), the centre lies
 * L (1 - b^2) / (4 b) to the left of the chord's middle, and half the angle has the cosine
 * (1 - b^2) / (1 + b^2). No elementary function is needed. */
#include "solid/profile.h"
#include "solid/profile_check.h"

#include <math.h>

static abut_side make_side(const abut_profile_vertex *p, const abut_profile_vertex *q)
{
    abut_side s = { .from = { p->x, p->y }, .to = { q->x, q->y } };
    const double dx = q->x - p->x, dy = q->y - p->y, b = p->bulge;
    if (b == 0)
        return s;
    const double length = hypot(dx, dy), left = (1 - b * b) / (4 * b);
    s.bulge = b;
    s.turn = b > 0 ? 1 : -1;
    s.radius = length * ((1 + b * b) / (4 * fabs(b)));
    s.center = (abut_xy){ 0.5 * (p->x + q->x) - dy * left, 0.5 * (p->y + q->y) + dx * left };
    s.mid = (abut_xy){ s.turn * dy / length, -s.turn * dx / length };
    s.cos_half = (1 - b * b) / (1 + b * b);
    s.sin_half = 2 * fabs(b) / (1 + b * b);
    return s;
}

static double distance_to(abut_xy a, abut_xy p)
{
    return sqrt((a.x - p.x) * (a.x - p.x) + (a.y - p.y) * (a.y - p.y));
}

double abut_side_distance(const abut_side *s, abut_xy p, abut_xy *nearest)
{
    if (!s->turn) {
        const double dx = s->to.x - s->from.x, dy = s->to.y - s->from.y;
        const double t = ((p.x - s->from.x) * dx + (p.y - s->from.y) * dy) / (dx * dx + dy * dy);
        *nearest = t <= 0 ? s->from : t >= 1 ? s->to : (abut_xy){ s->from.x + t * dx, s->from.y + t * dy };
        return distance_to(*nearest, p);
    }
    const double x = p.x - s->center.x, y = p.y - s->center.y, n = sqrt(x * x + y * y);
    if (n > 0 && x * s->mid.x + y * s->mid.y >= s->cos_half * n) {
        const double f = s->radius / n;
        *nearest = (abut_xy){ s->center.x + f * x, s->center.y + f * y };
        return fabs(n - s->radius);
    }
    const double a = distance_to(s->from, p), b = distance_to(s->to, p);
    *nearest = a <= b ? s->from : s->to;
    return fmin(a, b);
}

/* Does a piece that rises (or falls) from y0 to y1 cross the ray from p to the right? */
static bool crosses(double y0, double y1, double py)
{
    return (y0 <= py) != (y1 <= py);
}

/* An arc in pieces between its highest and lowest points. A counter-clockwise arc rises on its
 * right half, a clockwise one on its left half: the direction of a piece tells its half, so that
 * rounding at the extreme points cannot put two pieces on the same one. */
static unsigned arc_crossings(const abut_side *s, abut_xy p)
{
    double y[4];
    int count = 0;
    const bool top = s->mid.y > s->cos_half, bottom = -s->mid.y > s->cos_half;
    const double high = s->center.y + s->radius, low = s->center.y - s->radius;
    /* Does the arc start upwards? */
    const bool rises = (s->from.x > s->center.x) == (s->turn > 0);
    y[count++] = s->from.y;
    if (top && (rises || !bottom))
        y[count++] = high;
    if (bottom)
        y[count++] = low;
    if (top && !rises && bottom)
        y[count++] = high;
    y[count++] = s->to.y;
    unsigned crossings = 0;
    const double dx = p.x - s->center.x, dy = p.y - s->center.y;
    const bool inside = dx * dx + dy * dy < s->radius * s->radius;
    for (int i = 0; i + 1 < count; ++i) {
        if (!crosses(y[i], y[i + 1], p.y))
            continue;
        const bool right = (y[i + 1] > y[i]) == (s->turn > 0);
        crossings += right ? (dx <= 0 || inside) : (dx < 0 && !inside);
    }
    return crossings;
}

static unsigned side_crossings(const abut_side *s, abut_xy p)
{
    /* Nothing that is asked about a revolve is to the left of its axis. */
    if (s->on_axis)
        return 0;
    if (s->turn)
        return arc_crossings(s, p);
    if (!crosses(s->from.y, s->to.y, p.y))
        return 0;
    const double det = (s->to.x - s->from.x) * (p.y - s->from.y) - (s->to.y - s->from.y) * (p.x - s->from.x);
    /* p is left of an upward side: the side is to its right. */
    return (det > 0) == (s->to.y > s->from.y);
}

bool abut_profile_loop_contains(const abut_profile *profile, size_t loop, abut_xy p)
{
    unsigned crossings = 0;
    for (size_t i = profile->loop_starts[loop]; i < profile->loop_starts[loop + 1]; ++i)
        crossings += side_crossings(&profile->sides[i], p);
    return crossings & 1;
}

bool abut_profile_contains(const abut_profile *profile, abut_xy p)
{
    if (!(p.x >= profile->lo.x && p.x <= profile->hi.x && p.y >= profile->lo.y && p.y <= profile->hi.y))
        return false;
    unsigned crossings = 0;
    for (size_t i = 0; i < profile->count; ++i)
        crossings += side_crossings(&profile->sides[i], p);
    return crossings & 1;
}

void abut_profile_nearest(const abut_profile *profile, abut_xy p, bool faces_only, abut_profile_near *out)
{
    double least = INFINITY;
    for (size_t i = 0; i < profile->count; ++i) {
        const abut_side *s = &profile->sides[i];
        if (faces_only && s->on_axis)
            continue;
        abut_xy q;
        const double d = abut_side_distance(s, p, &q);
        if (d < least) {
            least = d;
            out->side = i;
            out->point = q;
        }
    }
    out->distance = abut_profile_contains(profile, p) ? -least : least;
}

static void bound_side(const abut_side *s, abut_profile *out)
{
    out->lo.x = fmin(out->lo.x, s->from.x);
    out->lo.y = fmin(out->lo.y, s->from.y);
    out->hi.x = fmax(out->hi.x, s->from.x);
    out->hi.y = fmax(out->hi.y, s->from.y);
    out->scale = fmax(out->scale, fmax(fabs(s->from.x), fabs(s->from.y)));
    if (!s->turn)
        return;
    const double slack = 1e-15 * (s->radius + fabs(s->center.x) + fabs(s->center.y));
    if (-s->mid.x > s->cos_half)
        out->lo.x = fmin(out->lo.x, s->center.x - s->radius - slack);
    if (s->mid.x > s->cos_half)
        out->hi.x = fmax(out->hi.x, s->center.x + s->radius + slack);
    if (-s->mid.y > s->cos_half)
        out->lo.y = fmin(out->lo.y, s->center.y - s->radius - slack);
    if (s->mid.y > s->cos_half)
        out->hi.y = fmax(out->hi.y, s->center.y + s->radius + slack);
    out->scale = fmax(out->scale, s->radius + fmax(fabs(s->center.x), fabs(s->center.y)));
}

abut_status abut_profile_build(const abut_profile_loop *loops, size_t loop_count, abut_profile_kind kind,
                               abut_workspace *keep, abut_profile *out, abut_error *error)
{
    size_t count = 0;
    for (size_t k = 0; k < loop_count; ++k) {
        const abut_status status = abut_profile_check_loop(&loops[k], k, count, kind, error);
        if (status)
            return status;
        count += loops[k].count;
        if (count > ABUT_PROFILE_MOST_SIDES)
            return abut_base_fail(error, ABUT_ERR_LIMIT, -1, "the profile has more than %d sides",
                                  ABUT_PROFILE_MOST_SIDES);
    }
    *out = (abut_profile){
        .count = count, .loop_count = loop_count, .lo = { INFINITY, INFINITY }, .hi = { -INFINITY, -INFINITY }
    };
    out->sides = abut_workspace_take(keep, count, sizeof *out->sides);
    out->loop_starts = abut_workspace_take(keep, loop_count + 1, sizeof *out->loop_starts);
    if (!out->sides || !out->loop_starts)
        return abut_base_fail_memory(error);
    size_t at = 0;
    for (size_t k = 0; k < loop_count; ++k) {
        out->loop_starts[k] = at;
        for (size_t i = 0; i < loops[k].count; ++i) {
            const abut_profile_vertex *v = loops[k].vertices;
            abut_side *s = &out->sides[at++];
            *s = make_side(&v[i], &v[(i + 1) % loops[k].count]);
            s->on_axis = kind == ABUT_PROFILE_HALF_PLANE && !s->turn && s->from.x == 0 && s->to.x == 0;
            bound_side(s, out);
        }
    }
    out->loop_starts[loop_count] = at;
    return abut_profile_check(out, kind, error);
}
