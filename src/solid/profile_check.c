/* SPDX-License-Identifier: MIT */
/* Validation of profiles: all pairs of sides are intersected. Two sides that come closer than 1e-12
 * of the profile's coordinates elsewhere than at a common end count as meeting: below that,
 * rounding of the arcs' centres decides which is which. */
#include "solid/profile_check.h"

#include <math.h>

static const double contact = 1e-12;

/* "side 3 of the profile", "side 1 of hole 0": as the user wrote it, with its number as a face. */
static const char *loop_name(size_t loop, char text[40])
{
    static const char digits[] = "0123456789";
    if (loop == 0)
        return "the profile";
    /* hole numbers have few digits; written by hand to keep printf out of the library */
    char reversed[24];
    int n = 0;
    size_t k = loop - 1;
    do {
        reversed[n++] = digits[k % 10];
        k /= 10;
    } while (k && n < 20);
    int at = 0;
    for (const char *c = "hole "; *c; ++c)
        text[at++] = *c;
    while (n)
        text[at++] = reversed[--n];
    text[at] = 0;
    return text;
}

abut_status abut_profile_check_loop(const abut_profile_loop *loop, size_t number, size_t first,
                                    abut_profile_kind kind, abut_error *error)
{
    char name[40];
    loop_name(number, name);
    const char *what = loop_name(number, name);
    if (!loop->vertices || loop->count < 2)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)number, "%s needs at least two corners",
                              what);
    bool arcs = false;
    for (size_t i = 0; i < loop->count; ++i) {
        const abut_profile_vertex *p = &loop->vertices[i], *q = &loop->vertices[(i + 1) % loop->count];
        if (!isfinite(p->x) || !isfinite(p->y) || !isfinite(p->bulge))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i, "corner %zu of %s is not finite", i,
                                  what);
        if (fmax(fabs(p->x), fabs(p->y)) > 1e150)
            return abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)i,
                                  "corner %zu of %s is beyond 1e150, the most that is allowed", i, what);
        if (kind == ABUT_PROFILE_HALF_PLANE && p->x < 0)
            return abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)i,
                                  "corner %zu of %s is at r = %.9g: the profile crosses the axis", i, what,
                                  p->x);
        if (p->x == q->x && p->y == q->y)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)(first + i),
                                  "side %zu of %s has no length: its corners are equal", i, what);
        if (p->bulge != 0 && !(fabs(p->bulge) >= 1e-9 && fabs(p->bulge) <= 1e9))
            return abut_base_fail(
                error, ABUT_ERR_VALUE, (int64_t)(first + i),
                "side %zu of %s has the bulge %.9g; it must be 0 or between 1e-9 and 1e9 in size", i, what,
                p->bulge);
        arcs = arcs || p->bulge != 0;
    }
    if (loop->count == 2 && !arcs)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)number,
                              "%s has two corners and no arc: it encloses nothing", what);
    return ABUT_OK;
}

/* Signed area of a loop. */
static double loop_area(const abut_profile *profile, size_t loop)
{
    const abut_xy at = profile->sides[profile->loop_starts[loop]].from;
    double area = 0;
    for (size_t i = profile->loop_starts[loop]; i < profile->loop_starts[loop + 1]; ++i) {
        const abut_side *s = &profile->sides[i];
        area += 0.5 * ((s->from.x - at.x) * (s->to.y - at.y) - (s->to.x - at.x) * (s->from.y - at.y));
        if (s->turn) {
            const double half = atan2(s->sin_half, s->cos_half);
            area += s->turn * s->radius * s->radius * (half - s->sin_half * s->cos_half);
        }
    }
    return area;
}

static bool same(abut_xy p, abut_xy q)
{
    return p.x == q.x && p.y == q.y;
}

static double apart(abut_xy p, abut_xy q)
{
    return hypot(p.x - q.x, p.y - q.y);
}

static void side_box(const abut_side *s, double grow, double box[4])
{
    box[0] = fmin(s->from.x, s->to.x);
    box[1] = fmax(s->from.x, s->to.x);
    box[2] = fmin(s->from.y, s->to.y);
    box[3] = fmax(s->from.y, s->to.y);
    if (s->turn) {
        if (-s->mid.x > s->cos_half)
            box[0] = s->center.x - s->radius;
        if (s->mid.x > s->cos_half)
            box[1] = s->center.x + s->radius;
        if (-s->mid.y > s->cos_half)
            box[2] = s->center.y - s->radius;
        if (s->mid.y > s->cos_half)
            box[3] = s->center.y + s->radius;
    }
    box[0] -= grow;
    box[1] += grow;
    box[2] -= grow;
    box[3] += grow;
}

/* Candidates for common points: ends, and the crossings (or the point of nearest approach) of the
 * whole lines and circles. */
static int candidates(const abut_side *s, const abut_side *t, double near, abut_xy out[8])
{
    int n = 0;
    out[n++] = s->from;
    out[n++] = s->to;
    out[n++] = t->from;
    out[n++] = t->to;
    if (!s->turn && !t->turn) {
        const double ax = s->to.x - s->from.x, ay = s->to.y - s->from.y;
        const double bx = t->to.x - t->from.x, by = t->to.y - t->from.y, det = ax * by - ay * bx;
        if (det != 0) {
            const double f = ((t->from.x - s->from.x) * by - (t->from.y - s->from.y) * bx) / det;
            if (f >= 0 && f <= 1)
                out[n++] = (abut_xy){ s->from.x + f * ax, s->from.y + f * ay };
        }
        return n;
    }
    if (!s->turn || !t->turn) {
        const abut_side *line = s->turn ? t : s, *arc = s->turn ? s : t;
        const double dx = line->to.x - line->from.x, dy = line->to.y - line->from.y, l = hypot(dx, dy);
        const double ex = dx / l, ey = dy / l;
        const double along = (arc->center.x - line->from.x) * ex + (arc->center.y - line->from.y) * ey;
        const double off = (arc->center.x - line->from.x) * -ey + (arc->center.y - line->from.y) * ex;
        if (fabs(off) > arc->radius + near)
            return n;
        const double w = sqrt(fmax(0, (arc->radius - off) * (arc->radius + off)));
        for (int i = -1; i <= 1; i += 2)
            out[n++] = (abut_xy){ line->from.x + (along + i * w) * ex, line->from.y + (along + i * w) * ey };
        return n;
    }
    const double dx = t->center.x - s->center.x, dy = t->center.y - s->center.y, d = hypot(dx, dy);
    if (d == 0 || d > s->radius + t->radius + near || d < fabs(s->radius - t->radius) - near)
        return n;
    const double along = 0.5 * (d + (s->radius - t->radius) * (s->radius + t->radius) / d);
    const double w = sqrt(fmax(0, (s->radius - along) * (s->radius + along)));
    for (int i = -1; i <= 1; i += 2)
        out[n++] = (abut_xy){ s->center.x + (along * dx - i * w * dy) / d,
                              s->center.y + (along * dy + i * w * dx) / d };
    return n;
}

/* Do they meet other than at a common end? *where is one such point. */
static bool sides_meet(const abut_side *s, const abut_side *t, double near, abut_xy *where)
{
    abut_xy points[8], q;
    const int n = candidates(s, t, near, points);
    for (int i = 0; i < n; ++i) {
        const abut_xy p = points[i];
        if (abut_side_distance(s, p, &q) > near || abut_side_distance(t, p, &q) > near)
            continue;
        /* Common ends are where they may meet; an angle below about 1e-4 between them makes the
         * neighbourhood of the end that counts as the end wider. */
        const bool at_end = (same(s->to, t->from) && apart(p, s->to) < 1e4 * near) ||
                            (same(s->from, t->to) && apart(p, s->from) < 1e4 * near);
        if (at_end)
            continue;
        *where = p;
        return true;
    }
    return false;
}

/* Do two neighbours leave their common corner the same way, side by side? */
static bool folds_back(const abut_side *s, const abut_side *t)
{
    const abut_xy a = abut_side_tangent(s, 1), b = abut_side_tangent(t, 0);
    const double l = hypot(a.x, a.y) * hypot(b.x, b.y);
    return !s->turn && !t->turn && fabs(a.x * b.y - a.y * b.x) < 1e-12 * l && a.x * b.x + a.y * b.y < 0;
}

static abut_status check_sides(const abut_profile *p, abut_error *error)
{
    const double near = contact * p->scale;
    for (size_t k = 0; k < p->loop_count; ++k) {
        const size_t begin = p->loop_starts[k], end = p->loop_starts[k + 1];
        for (size_t i = begin; i < end; ++i) {
            const size_t next = i + 1 < end ? i + 1 : begin;
            if (folds_back(&p->sides[i], &p->sides[next]))
                return abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)i,
                                      "sides %zu and %zu run back over each other", i, next);
        }
    }
    for (size_t i = 0; i < p->count; ++i) {
        double box[4];
        side_box(&p->sides[i], near, box);
        for (size_t j = i + 1; j < p->count; ++j) {
            double other[4];
            side_box(&p->sides[j], near, other);
            abut_xy at;
            if (box[0] <= other[1] && other[0] <= box[1] && box[2] <= other[3] && other[2] <= box[3] &&
                sides_meet(&p->sides[i], &p->sides[j], near, &at))
                return abut_base_fail(
                    error, ABUT_ERR_VALUE, (int64_t)i,
                    "sides %zu and %zu meet at (%.9g, %.9g): sides may meet only at common ends", i, j, at.x,
                    at.y);
        }
    }
    return ABUT_OK;
}

static abut_status check_axis(const abut_profile *p, abut_error *error)
{
    for (size_t i = 0; i < p->count; ++i) {
        const abut_side *s = &p->sides[i];
        if (s->turn && -s->mid.x > s->cos_half && s->center.x - s->radius < contact * p->scale)
            return abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)i,
                                  "side %zu, an arc, reaches r = %.9g: it may touch the axis only at an end",
                                  i, s->center.x - s->radius);
    }
    return ABUT_OK;
}

abut_status abut_profile_check(const abut_profile *p, abut_profile_kind kind, abut_error *error)
{
    char name[40], other[40];
    abut_status status = kind == ABUT_PROFILE_HALF_PLANE ? check_axis(p, error) : ABUT_OK;
    if (!status)
        status = check_sides(p, error);
    const double least = 1e-14 * p->scale * p->scale;
    for (size_t k = 0; !status && k < p->loop_count; ++k) {
        const double area = loop_area(p, k), wanted = k == 0 ? area : -area;
        if (!(wanted > least))
            status =
                abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)p->loop_starts[k], "%s %s", loop_name(k, name),
                               fabs(area) <= least ? "encloses no area"
                               : k == 0            ? "runs clockwise; it must run counter-clockwise"
                                                   : "runs counter-clockwise; holes must run clockwise");
    }
    for (size_t k = 1; !status && k < p->loop_count; ++k) {
        const abut_xy at = p->sides[p->loop_starts[k]].from;
        if (!abut_profile_loop_contains(p, 0, at))
            return abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)p->loop_starts[k],
                                  "%s is not inside the profile", loop_name(k, name));
        for (size_t j = 1; j < p->loop_count; ++j)
            if (j != k && abut_profile_loop_contains(p, j, at))
                return abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)p->loop_starts[k], "%s is inside %s",
                                      loop_name(k, name), loop_name(j, other));
    }
    return status;
}
