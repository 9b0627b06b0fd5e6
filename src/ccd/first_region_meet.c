/* SPDX-License-Identifier: MIT */
/* What two faces in one plane have in common; see first_spread.h.
 *
 * A polygon is the half-planes of its sides, so that what two polygons or discs have in common
 * is known by its half-planes and discs alone. Its border is, of each line and each circle, what
 * lies within all the others. */
#include "ccd/first_spread.h"

static double distance(abut_flat a, abut_flat b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

static abut_flat between(abut_flat a, abut_flat b, double part)
{
    return (abut_flat){ a.x + part * (b.x - a.x), a.y + part * (b.y - a.y) };
}

static void add_limits(const abut_flat_face *f, abut_contact_region *out)
{
    if (f->kind == ABUT_FACE_DISC)
        out->discs[out->disc_count++] = (abut_flat_disc){ f->p[0], f->radius };
    for (int i = 0; f->kind == ABUT_FACE_POLYGON && i < f->count; ++i) {
        const abut_flat p = f->p[i], q = f->p[i + 1 < f->count ? i + 1 : 0];
        const double length = distance(p, q);
        if (!(length > 0))
            continue;
        const double x = (q.y - p.y) / length, y = (p.x - q.x) / length;
        out->lines[out->line_count++] = (abut_flat_line){ x, y, x * p.x + y * p.y };
    }
}

/* The part [*lo, *hi] of the line from p on along the unit vector e that is within the limits,
 * but for line `but`. False: none. */
static bool cut(const abut_contact_region *r, abut_flat p, abut_flat e, const abut_flat_line *but, double *lo,
                double *hi)
{
    for (int i = 0; i < r->line_count; ++i) {
        const abut_flat_line *l = &r->lines[i];
        if (l == but)
            continue;
        const double along = l->x * e.x + l->y * e.y,
                     room = l->offset + r->tolerance - l->x * p.x - l->y * p.y;
        if (fabs(along) < 1e-14) {
            if (room < 0)
                return false;
        } else if (along > 0) {
            *hi = fmin(*hi, room / along);
        } else {
            *lo = fmax(*lo, room / along);
        }
    }
    for (int i = 0; i < r->disc_count; ++i) {
        const abut_flat_disc *d = &r->discs[i];
        const double x = d->at.x - p.x, y = d->at.y - p.y, foot = x * e.x + y * e.y, off = x * e.y - y * e.x;
        const double radius = d->radius + r->tolerance, half = (radius - off) * (radius + off);
        if (half < 0)
            return false;
        *lo = fmax(*lo, foot - sqrt(half));
        *hi = fmin(*hi, foot + sqrt(half));
    }
    return *lo <= *hi;
}

/* But for disc `but`. */
static bool is_within(const abut_contact_region *r, abut_flat p, int but)
{
    for (int i = 0; i < r->line_count; ++i)
        if (r->lines[i].x * p.x + r->lines[i].y * p.y > r->lines[i].offset + r->tolerance)
            return false;
    for (int i = 0; i < r->disc_count; ++i)
        if (i != but && distance(p, r->discs[i].at) > r->discs[i].radius + r->tolerance)
            return false;
    return true;
}

/* ---- segments ---- */

static void set_ends(abut_flat from, abut_flat to, double close, abut_contact_region *out)
{
    out->dimension = distance(from, to) > close ? 1 : 0;
    out->from = out->dimension ? from : between(from, to, 0.5);
    out->to = to;
}

/* Lines that part by no more than the tolerance are parallel, and one where they are nearly so:
 * an error of the normal moves those of round bodies sideways. Others cross. */
static void meet_segments(const abut_flat_face *a, const abut_flat_face *b, double close,
                          abut_contact_region *out)
{
    const abut_flat p = a->p[0], q = b->p[0];
    const double la = distance(p, a->p[1]), lb = distance(q, b->p[1]);
    const abut_flat e = { (a->p[1].x - p.x) / la, (a->p[1].y - p.y) / la },
                    f = { (b->p[1].x - q.x) / lb, (b->p[1].y - q.y) / lb };
    const double sine = e.x * f.y - e.y * f.x, cosine = e.x * f.x + e.y * f.y;
    const double along = (q.x - p.x) * e.x + (q.y - p.y) * e.y, off = (q.y - p.y) * e.x - (q.x - p.x) * e.y;
    if (fabs(sine) * fmin(la, lb) > out->tolerance) {
        const double t = ((q.x - p.x) * f.y - (q.y - p.y) * f.x) / sine,
                     u = ((q.x - p.x) * e.y - (q.y - p.y) * e.x) / sine;
        const abut_flat at = between(p, a->p[1], t / la);
        if (t >= -close && t <= la + close && u >= -close && u <= lb + close)
            set_ends(at, at, close, out);
        return;
    }
    const double end = along + cosine * lb, lo = fmax(0, fmin(along, end)), hi = fmin(la, fmax(along, end));
    if (hi - lo < -out->tolerance || fabs(off) > 10 * close)
        return;
    const abut_flat aside = { p.x - 0.5 * off * e.y, p.y + 0.5 * off * e.x };
    set_ends((abut_flat){ aside.x + lo * e.x, aside.y + lo * e.y },
             (abut_flat){ aside.x + hi * e.x, aside.y + hi * e.y }, close, out);
}

static void meet_segment(const abut_flat_face *a, const abut_flat_face *b, double close,
                         abut_contact_region *out)
{
    const double length = distance(a->p[0], a->p[1]);
    const abut_flat e = { (a->p[1].x - a->p[0].x) / length, (a->p[1].y - a->p[0].y) / length };
    double lo = 0, hi = length;
    add_limits(b, out);
    if (cut(out, a->p[0], e, NULL, &lo, &hi))
        set_ends(between(a->p[0], a->p[1], lo / length), between(a->p[0], a->p[1], hi / length), close, out);
}

/* ---- the border ---- */

static void add_sides(abut_contact_region *r)
{
    for (int i = 0; i < r->line_count; ++i) {
        const abut_flat_line *l = &r->lines[i];
        const abut_flat e = { -l->y, l->x }, p = { l->offset * l->x, l->offset * l->y };
        double lo = -INFINITY, hi = INFINITY;
        if (cut(r, p, e, l, &lo, &hi) && isfinite(lo) && isfinite(hi))
            r->pieces[r->piece_count++] = (abut_flat_piece){ .from = { p.x + lo * e.x, p.y + lo * e.y },
                                                             .to = { p.x + hi * e.x, p.y + hi * e.y },
                                                             .disc = -1 };
    }
}

static abut_flat at_angle(const abut_flat_disc *d, double angle)
{
    return (abut_flat){ d->at.x + d->radius * cos(angle), d->at.y + d->radius * sin(angle) };
}

static const double pi = 3.14159265358979323846;

/* Both angles of the circle at which it crosses the border of a limit that lies towards
 * `middle`; `part` is the cosine of half the arc. */
static void add_angles(double middle, double part, double *angles, int *count)
{
    if (!(fabs(part) < 1))
        return;
    for (int k = -1; k <= 1; k += 2) {
        double angle = fmod(middle + k * acos(part), 2 * pi);
        angle += angle < 0 ? 2 * pi : 0;
        int at = (*count)++;
        for (; at > 0 && angles[at - 1] > angle; --at)
            angles[at] = angles[at - 1];
        angles[at] = angle;
    }
}

static void add_arcs(abut_contact_region *r, int k)
{
    const abut_flat_disc *d = &r->discs[k];
    double angles[2 * ABUT_REGION_LINES + 4];
    int count = 0;
    for (int i = 0; i < r->line_count; ++i) {
        const abut_flat_line *l = &r->lines[i];
        add_angles(atan2(l->y, l->x), (l->offset - l->x * d->at.x - l->y * d->at.y) / d->radius, angles,
                   &count);
    }
    for (int i = 0; i < r->disc_count; ++i) {
        const abut_flat_disc *o = &r->discs[i];
        const double x = o->at.x - d->at.x, y = o->at.y - d->at.y, square = x * x + y * y;
        if (i != k && square > 0)
            add_angles(atan2(y, x),
                       (square + d->radius * d->radius - o->radius * o->radius) /
                           (2 * sqrt(square) * d->radius),
                       angles, &count);
    }
    const bool whole = count == 0;
    for (int i = 0; whole && i < 4; ++i)
        angles[count++] = 0.5 * pi * i;
    for (int i = 0; i < count && r->piece_count < ABUT_REGION_PIECES; ++i) {
        const double angle = angles[i], sweep = (i + 1 < count ? angles[i + 1] : angles[0] + 2 * pi) - angle;
        if (is_within(r, at_angle(d, angle + 0.5 * sweep), k))
            r->pieces[r->piece_count++] =
                (abut_flat_piece){ at_angle(d, angle), at_angle(d, angle + sweep), k, angle, sweep };
    }
}

/* Points of the border that tell how large it is: corners, and the middles of arcs. Returns
 * their number. */
static int tell(const abut_contact_region *r, int i, abut_flat out[3])
{
    const abut_flat_piece *p = &r->pieces[i];
    out[0] = p->from;
    out[1] = p->to;
    if (p->disc < 0)
        return 2;
    out[2] = at_angle(&r->discs[p->disc], p->angle + 0.5 * p->sweep);
    return 3;
}

/* The two of them that are furthest from each other, and how far all others are from their line. */
static void measure(const abut_contact_region *r, abut_flat ends[2], double *length, double *width)
{
    abut_flat a[3], b[3];
    *length = -1;
    *width = 0;
    for (int i = 0; i < r->piece_count; ++i)
        for (int k = tell(r, i, a) - 1; k >= 0; --k)
            for (int j = 0; j <= i; ++j)
                for (int m = tell(r, j, b) - 1; m >= 0; --m)
                    if (distance(a[k], b[m]) > *length) {
                        *length = distance(a[k], b[m]);
                        ends[0] = b[m];
                        ends[1] = a[k];
                    }
    for (int i = 0; i<r->piece_count && * length> 0; ++i)
        for (int k = tell(r, i, a) - 1; k >= 0; --k)
            *width = fmax(*width, fabs((a[k].x - ends[0].x) * (ends[1].y - ends[0].y) -
                                       (a[k].y - ends[0].y) * (ends[1].x - ends[0].x)) /
                                      *length);
}

void abut_region_meet(const abut_flat_face *a, const abut_flat_face *b, double tolerance, double close,
                      abut_contact_region *out)
{
    out->dimension = -1;
    out->tolerance = tolerance;
    out->line_count = out->disc_count = out->piece_count = 0;
    if (a->kind == ABUT_FACE_POINT || b->kind == ABUT_FACE_POINT) {
        out->dimension = 0;
        out->from = out->to = a->kind == ABUT_FACE_POINT ? a->p[0] : b->p[0];
    } else if (a->kind == ABUT_FACE_SEGMENT && b->kind == ABUT_FACE_SEGMENT) {
        meet_segments(a, b, close, out);
    } else if (a->kind == ABUT_FACE_SEGMENT) {
        meet_segment(a, b, close, out);
    } else if (b->kind == ABUT_FACE_SEGMENT) {
        meet_segment(b, a, close, out);
    } else {
        abut_flat ends[2] = { { 0, 0 }, { 0, 0 } };
        double length, width, radius = 0;
        add_limits(a, out);
        add_limits(b, out);
        add_sides(out);
        for (int i = 0; i < out->disc_count; ++i) {
            add_arcs(out, i);
            radius = fmax(radius, out->discs[i].radius);
        }
        if (out->piece_count == 0)
            return;
        measure(out, ends, &length, &width);
        if (width > close)
            out->dimension = 2;
        else /* rims that touch are nearer than the tolerance over the root of it */
            set_ends(ends[0], ends[1], fmax(close, 4 * sqrt(tolerance * radius)), out);
    }
}

void abut_region_bounds(const abut_contact_region *r, abut_flat *lo, abut_flat *hi)
{
    abut_flat p[3];
    *lo = (abut_flat){ INFINITY, INFINITY };
    *hi = (abut_flat){ -INFINITY, -INFINITY };
    if (r->dimension < 2) {
        *lo = (abut_flat){ fmin(r->from.x, r->to.x), fmin(r->from.y, r->to.y) };
        *hi = (abut_flat){ fmax(r->from.x, r->to.x), fmax(r->from.y, r->to.y) };
        return;
    }
    for (int i = 0; i < r->piece_count; ++i)
        for (int k = tell(r, i, p) - 1; k >= 0; --k) {
            *lo = (abut_flat){ fmin(lo->x, p[k].x), fmin(lo->y, p[k].y) };
            *hi = (abut_flat){ fmax(hi->x, p[k].x), fmax(hi->y, p[k].y) };
        }
    for (int i = 0; i < 4 * r->disc_count; ++i) {
        const abut_flat q = at_angle(&r->discs[i / 4], 0.5 * pi * (i % 4));
        if (!is_within(r, q, -1))
            continue;
        *lo = (abut_flat){ fmin(lo->x, q.x), fmin(lo->y, q.y) };
        *hi = (abut_flat){ fmax(hi->x, q.x), fmax(hi->y, q.y) };
    }
}

bool abut_flat_holds(const abut_flat_face *f, abut_flat p, double close)
{
    if (f->kind == ABUT_FACE_POINT)
        return distance(f->p[0], p) <= close;
    if (f->kind == ABUT_FACE_DISC)
        return distance(f->p[0], p) <= f->radius + close;
    if (f->kind == ABUT_FACE_SEGMENT) {
        const double x = f->p[1].x - f->p[0].x, y = f->p[1].y - f->p[0].y, square = x * x + y * y;
        const double t = ((p.x - f->p[0].x) * x + (p.y - f->p[0].y) * y) / square;
        return distance(between(f->p[0], f->p[1], fmin(1, fmax(0, t))), p) <= close;
    }
    for (int i = 0; f->kind == ABUT_FACE_POLYGON && i < f->count; ++i) {
        const abut_flat a = f->p[i], b = f->p[i + 1 < f->count ? i + 1 : 0];
        const double x = b.x - a.x, y = b.y - a.y;
        if ((p.y - a.y) * x - (p.x - a.x) * y < -close * hypot(x, y))
            return false;
    }
    return true;
}
