/* SPDX-License-Identifier: MIT */
/* Samples of a region; see first_spread.h.
 *
 * With s the separation and r = 15/16 s: first the corners, then points of the border at equal
 * distances, then whatever of the border, examined in steps of s/16, is no nearer than r to a
 * sample. Last the inside, by lines s/16 apart: the first point of each that is no nearer than r
 * to a sample becomes one, until there is none. A point of the region is s/32 at most from such
 * a line or, on the way to it, from the border, whose points are within r + s/32 of a sample: so
 * it is within s of one. */
#include "ccd/first_spread.h"

static const double part = 15.0 / 16, room = 1 + 1e-9;

static double distance(abut_flat a, abut_flat b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

void abut_spread_begin(abut_spread *s, abut_flat lo, abut_flat hi, double separation)
{
    const double length = hi.x - lo.x, width = hi.y - lo.y;
    /* No more than 2/sqrt(3) points fit into the square of their distance, but for those at the
     * border. */
    s->separation = fmax(separation, 1e-3 * fmax(length, width) / part);
    while (1.16 * (length / (part * s->separation) + 1) * (width / (part * s->separation) + 1) >
           ABUT_SPREAD_MOST)
        s->separation *= 1.02;
    s->apart = part * s->separation;
    s->step = s->separation / 16;
    s->origin = lo;
    s->columns = s->apart > 0 ? (int)(length / s->apart) + 1 : 1;
    s->rows = s->apart > 0 ? (int)(width / s->apart) + 1 : 1;
    s->count = 0;
    for (int i = 0; i < s->columns * s->rows; ++i)
        s->first[i] = 0;
}

static int cell_of(double x, double width, int count)
{
    const double at = floor(x / width);
    return at > 0 ? at < count - 1 ? (int)at : count - 1 : 0;
}

static void keep(abut_spread *s, abut_flat p, int dimension)
{
    if (s->count >= ABUT_SPREAD_MOST)
        return;
    const int i = s->count++;
    const int cell = cell_of(p.y - s->origin.y, s->apart, s->rows) * s->columns +
                     cell_of(p.x - s->origin.x, s->apart, s->columns);
    s->p[i] = p;
    s->dimension[i] = (uint8_t)dimension;
    s->next[i] = s->first[cell];
    s->first[cell] = (uint16_t)(i + 1);
}

/* A sample nearer to p than `within`, no more than `apart`; -1: none. */
static int find(const abut_spread *s, abut_flat p, double within)
{
    const int column = cell_of(p.x - s->origin.x, s->apart, s->columns),
              row = cell_of(p.y - s->origin.y, s->apart, s->rows);
    for (int j = row > 0 ? row - 1 : 0; j <= row + 1 && j < s->rows; ++j)
        for (int i = column > 0 ? column - 1 : 0; i <= column + 1 && i < s->columns; ++i)
            for (int k = s->first[j * s->columns + i]; k; k = s->next[k - 1]) {
                const double x = s->p[k - 1].x - p.x, y = s->p[k - 1].y - p.y;
                if (x * x + y * y < within * within)
                    return k - 1;
            }
    return -1;
}

static void keep_if_free(abut_spread *s, abut_flat p, int dimension)
{
    if (find(s, p, s->apart / room) < 0)
        keep(s, p, dimension);
}

/* ---- the border ---- */

static abut_flat on_piece(const abut_contact_region *r, const abut_flat_piece *p, double share)
{
    if (p->disc < 0)
        return (abut_flat){ p->from.x + share * (p->to.x - p->from.x),
                            p->from.y + share * (p->to.y - p->from.y) };
    const abut_flat_disc *d = &r->discs[p->disc];
    const double angle = p->angle + share * p->sweep;
    return (abut_flat){ d->at.x + d->radius * cos(angle), d->at.y + d->radius * sin(angle) };
}

static double length_of(const abut_contact_region *r, const abut_flat_piece *p)
{
    return p->disc < 0 ? distance(p->from, p->to) : p->sweep * r->discs[p->disc].radius;
}

/* Equal stretches, none shorter than the separation. */
static int stretches(const abut_spread *s, const abut_contact_region *r, const abut_flat_piece *p)
{
    if (p->disc < 0)
        return (int)(distance(p->from, p->to) / s->separation * room);
    const double sine = s->separation / (2 * r->discs[p->disc].radius);
    return sine < 1 ? (int)(p->sweep / (2 * asin(sine)) * room) : 1;
}

/* Corners that lie no nearer to each other than `close`: all of a few, else some all around. */
static void add_corners(abut_spread *s, const abut_contact_region *r, double close)
{
    const int stride = r->piece_count > 8 ? (r->piece_count + 7) / 8 : 1;
    for (int i = 0; i < r->piece_count; i += stride)
        for (int k = 0; k < 2; ++k) {
            const abut_flat p = k ? r->pieces[i].to : r->pieces[i].from;
            if (find(s, p, fmin(close, s->apart)) < 0)
                keep(s, p, 2);
        }
    for (int i = 0; i < r->piece_count; ++i)
        keep_if_free(s, r->pieces[i].from, 2);
}

static void add_border(abut_spread *s, const abut_contact_region *r)
{
    for (int i = 0; i < r->piece_count; ++i) {
        const int count = stretches(s, r, &r->pieces[i]);
        for (int k = 1; k < count; ++k)
            keep_if_free(s, on_piece(r, &r->pieces[i], (double)k / count), 2);
    }
    for (int i = 0; i < r->piece_count; ++i) {
        const int count = (int)ceil(length_of(r, &r->pieces[i]) / s->step);
        for (int k = 0; k <= count; ++k)
            keep_if_free(s, on_piece(r, &r->pieces[i], count ? (double)k / count : 0), 2);
    }
}

/* ---- the inside ---- */

static bool find_chord(const abut_contact_region *r, double y, double *lo, double *hi)
{
    *lo = -INFINITY;
    *hi = INFINITY;
    for (int i = 0; i < r->line_count; ++i) {
        const abut_flat_line *l = &r->lines[i];
        const double left = l->offset - l->y * y;
        if (fabs(l->x) < 1e-14) {
            if (left < -r->tolerance)
                return false;
        } else if (l->x > 0) {
            *hi = fmin(*hi, left / l->x);
        } else {
            *lo = fmax(*lo, left / l->x);
        }
    }
    for (int i = 0; i < r->disc_count; ++i) {
        const abut_flat_disc *d = &r->discs[i];
        const double half = (d->radius - (y - d->at.y)) * (d->radius + (y - d->at.y));
        if (half < 0)
            return false;
        *lo = fmax(*lo, d->at.x - sqrt(half));
        *hi = fmin(*hi, d->at.x + sqrt(half));
    }
    return *lo <= *hi;
}

static void add_inside(abut_spread *s, const abut_contact_region *r)
{
    abut_flat lo, hi;
    abut_region_bounds(r, &lo, &hi);
    const int lines = (int)ceil((hi.y - lo.y) / s->step);
    for (int i = 1; i < lines; ++i) {
        const double y = lo.y + (hi.y - lo.y) * i / lines;
        double x, end;
        if (!find_chord(r, y, &x, &end))
            continue;
        while (x <= end && s->count < ABUT_SPREAD_MOST) {
            const int near = find(s, (abut_flat){ x, y }, s->apart / room);
            if (near < 0) {
                keep(s, (abut_flat){ x, y }, 2);
                x += s->apart;
            } else { /* on to where this one is far enough */
                const double off = y - s->p[near].y;
                x = fmax(s->p[near].x + sqrt(fmax(0, s->apart * s->apart - off * off)), x + 1e-6 * s->apart);
            }
        }
    }
}

static void add_segment(abut_spread *s, const abut_contact_region *r, bool alone)
{
    const abut_flat_piece line = { .from = r->from, .to = r->to, .disc = -1 };
    if (alone) {
        keep(s, r->from, 1);
        keep(s, r->to, 1);
        const int count = stretches(s, r, &line);
        for (int k = 1; k < count; ++k)
            keep(s, on_piece(r, &line, (double)k / count), 1);
        return;
    }
    const int count = (int)ceil(distance(r->from, r->to) / s->step);
    for (int k = 0; k <= count; ++k)
        keep_if_free(s, on_piece(r, &line, count ? (double)k / count : 0), 1);
}

/* Points stay what they are, however near to others, but for samples of what they are part of. */
static void add_point(abut_spread *s, const abut_contact_region *r, double close)
{
    for (int i = 0; i < s->count; ++i)
        if (distance(s->p[i], r->from) < (s->dimension[i] ? s->apart : close))
            return;
    keep(s, r->from, 0);
}

void abut_spread_add(abut_spread *s, const abut_contact_region *region, bool alone, double close)
{
    if (region->dimension == 0)
        add_point(s, region, close);
    else if (region->dimension == 1)
        add_segment(s, region, alone);
    else if (region->dimension == 2) {
        if (alone)
            add_corners(s, region, close);
        add_border(s, region);
        add_inside(s, region);
    }
}

static void add_corner_of(abut_spread *s, abut_flat p, int dimension, const abut_flat_face *face,
                          double close)
{
    if (find(s, p, fmin(close, s->apart)) >= 0)
        return;
    for (int i = 0; i < face->count && face->kind != ABUT_FACE_DISC; ++i)
        if (distance(face->p[i], p) < close) {
            keep(s, p, dimension);
            return;
        }
}

void abut_spread_add_corners(abut_spread *s, const abut_contact_region *region, const abut_flat_face *face,
                             double close)
{
    if (region->dimension == 1) {
        add_corner_of(s, region->from, 1, face, close);
        add_corner_of(s, region->to, 1, face, close);
    }
    for (int i = 0; region->dimension == 2 && i < region->piece_count; ++i)
        for (int k = 0; k < 2; ++k)
            add_corner_of(s, k ? region->pieces[i].to : region->pieces[i].from, 2, face, close);
}
