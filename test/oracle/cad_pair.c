/* SPDX-License-Identifier: MIT */
/* See cad_pair.h. Boxes are taken best first from a heap: those where both values are smallest, so
 * that common points are found early. */
#include "oracle/cad_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- profiles ---- */

/* Distance to a side, and how often a ray from (x, y) to the right crosses it (signed by direction
 * is not needed: parity). */
static double side_distance(const double *from, const double *to, double x, double y)
{
    const double bulge = from[2];
    const double dx = to[0] - from[0], dy = to[1] - from[1];
    if (bulge == 0) {
        const double square = dx * dx + dy * dy;
        double t = ((x - from[0]) * dx + (y - from[1]) * dy) / square;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        return hypot(x - from[0] - t * dx, y - from[1] - t * dy);
    }
    /* Centre: from the middle of the chord along its left normal by c (1 - b^2) / (4 b). */
    const double k = (1 - bulge * bulge) / (4 * bulge);
    const double cx = 0.5 * (from[0] + to[0]) - dy * k, cy = 0.5 * (from[1] + to[1]) + dx * k;
    const double radius = hypot(from[0] - cx, from[1] - cy);
    const double px = x - cx, py = y - cy;
    const double reach = hypot(px, py);
    /* The angle from the start to the point, in the arc's direction, against the arc's own. */
    const double turn = bulge > 0 ? 1 : -1;
    double angle = turn * (atan2(py, px) - atan2(from[1] - cy, from[0] - cx));
    while (angle < 0)
        angle += 2 * CAD_PI;
    while (angle >= 2 * CAD_PI)
        angle -= 2 * CAD_PI;
    if (angle <= 4 * atan(fabs(bulge)))
        return fabs(reach - radius);
    return fmin(hypot(x - from[0], y - from[1]), hypot(x - to[0], y - to[1]));
}

/* The change of the angle seen from (x, y) along the side, over 2 pi when summed up. */
static double side_winding(const double *from, const double *to, double x, double y)
{
    const double ax = from[0] - x, ay = from[1] - y, bx = to[0] - x, by = to[1] - y;
    double angle = atan2(ax * by - ay * bx, ax * bx + ay * by);
    const double bulge = from[2];
    if (bulge == 0)
        return angle;
    /* On the chord: half a turn, the way the arc goes. */
    if (ax * by - ay * bx == 0 && ax * bx + ay * by < 0)
        return bulge > 0 ? CAD_PI : -CAD_PI;
    /* Between chord and arc: a whole turn more. */
    const double dx = to[0] - from[0], dy = to[1] - from[1];
    const double k = (1 - bulge * bulge) / (4 * bulge);
    const double cx = 0.5 * (from[0] + to[0]) - dy * k, cy = 0.5 * (from[1] + to[1]) + dx * k;
    const double radius = hypot(from[0] - cx, from[1] - cy);
    const bool in_disc = hypot(x - cx, y - cy) < radius;
    /* The arc lies to the right of its chord where the bulge is positive. */
    const double left = dx * (y - from[1]) - dy * (x - from[0]);
    if (in_disc && (bulge > 0 ? left < 0 : left > 0))
        angle += bulge > 0 ? 2 * CAD_PI : -2 * CAD_PI;
    return angle;
}

/* Signed distance to the region of the loops in the plane; sides on x = 0 do not count where
 * half_plane. */
static double profile_distance(const cad_loop *loops, int count, double x, double y, bool half_plane)
{
    double best = HUGE_VAL, winding = 0;
    for (int l = 0; l < count; ++l) {
        for (int i = 0; i < loops[l].count; ++i) {
            const double *from = loops[l].corner[i], *to = loops[l].corner[(i + 1) % loops[l].count];
            winding += side_winding(from, to, x, y);
            if (half_plane && from[0] == 0 && to[0] == 0 && from[2] == 0)
                continue;
            best = fmin(best, side_distance(from, to, x, y));
        }
    }
    return fabs(winding) > CAD_PI ? -best : best;
}

/* On the axis the winding number is ambiguous: the profile's mirror image joins it there. */
static double revolve_value(const cad_body *b, double rho, double z)
{
    const double nudge = 1e-13 * (1 + fabs(z) + b->reach);
    return profile_distance(b->loops, 1, fmax(rho, nudge), z, true);
}

/* ---- bodies ---- */

static double segment_value(const cad_segment *s, const double p[3])
{
    const double rho = hypot(p[0], p[1]), z = p[2];
    const double slab = fmax(s->z0 - z, z - s->z1);
    double side;
    if (s->ball)
        side = hypot(rho, z) - 1;
    else {
        /* Beyond the ends the radius of the end counts: slab is positive there. */
        const double at = fmin(fmax(z, s->z0), s->z1);
        side = (rho - sqrt(fmax(0, s->q0 + at * (s->q1 + at * s->q2)))) / sqrt(1 + s->slope * s->slope);
    }
    return fmax(side, slab);
}

static double part_value(const cad_part *part, const double p[3])
{
    const double d[3] = { p[0] - part->point[0], p[1] - part->point[1], p[2] - part->point[2] };
    const double along = d[0] * part->axis[0] + d[1] * part->axis[1] + d[2] * part->axis[2];
    const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double value = part->kind == CAD_HALFSPACE ? along
                         : part->kind == CAD_BALL    ? sqrt(square) - part->radius
                                                     : sqrt(fmax(0, square - along * along)) - part->radius;
    return part->sense * value;
}

static double local_value(const cad_body *b, const double p[3])
{
    switch (b->kind) {
    case CAD_EXTRUDE: {
        const double flat = profile_distance(b->loops, b->loop_count, p[0], p[1], false);
        const double slab = fmax(-p[2], p[2] - b->height);
        return flat <= 0 || slab <= 0 ? fmax(flat, slab) : hypot(flat, slab);
    }
    case CAD_REVOLVE: return revolve_value(b, hypot(p[0], p[1]), p[2]);
    case CAD_SHEAR: {
        double q[3];
        for (int i = 0; i < 3; ++i) {
            q[i] = 0;
            for (int j = 0; j < 3; ++j)
                q[i] += b->inverse[i][j] * (p[j] - b->shift[j]);
        }
        return segment_value(&b->segment, q) / b->gain;
    }
    case CAD_CSG: break;
    }
    double value = -HUGE_VAL;
    for (int i = 0; i < b->part_count; ++i)
        value = fmax(value, part_value(&b->parts[i], p));
    return value;
}

double cad_value(const cad_body *b, const double p[3])
{
    double q[3];
    for (int i = 0; i < 3; ++i) {
        q[i] = 0;
        for (int j = 0; j < 3; ++j)
            q[i] += b->rotation[j][i] * (p[j] - b->translation[j]);
    }
    return local_value(b, q);
}

bool cad_exact(const cad_body *b)
{
    return b->kind == CAD_EXTRUDE || b->kind == CAD_REVOLVE;
}

/* ---- branch and bound ---- */

typedef struct box {
    double key; /* smallest first */
    double center[3], half;
} box;

typedef struct heap {
    box *items;
    size_t count, capacity;
} heap;

static void push(heap *h, box item)
{
    if (h->count == h->capacity) {
        h->capacity = h->capacity ? 2 * h->capacity : 256;
        h->items = realloc(h->items, h->capacity * sizeof *h->items);
        if (!h->items)
            abort();
    }
    size_t at = h->count++;
    while (at > 0 && h->items[(at - 1) / 2].key > item.key) {
        h->items[at] = h->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    h->items[at] = item;
}

static box pop(heap *h)
{
    const box top = h->items[0], last = h->items[--h->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= h->count)
            break;
        if (child + 1 < h->count && h->items[child + 1].key < h->items[child].key)
            ++child;
        if (h->items[child].key >= last.key)
            break;
        h->items[at] = h->items[child];
        at = child;
    }
    h->items[at] = last;
    return top;
}

static void children(const box *b, box out[8])
{
    for (int k = 0; k < 8; ++k) {
        out[k].half = 0.5 * b->half;
        for (int i = 0; i < 3; ++i)
            out[k].center[i] = b->center[i] + ((k >> i & 1) ? 0.5 : -0.5) * b->half;
    }
}

/* Depth beyond which a common point counts, and half widths below which boxes are not split. */
static const double SHALLOW = 1e-7, SMALLEST = 1e-8;

static void verdict(const cad_body *a, const cad_body *b, size_t budget, cad_answer *out)
{
    const cad_body *small = a->reach < b->reach ? a : b;
    const double scale = small->reach;
    heap h = { 0 };
    box root = { .half = small->reach };
    memcpy(root.center, small->translation, sizeof root.center);
    push(&h, root);
    double margin = HUGE_VAL;
    out->verdict = CAD_SEPARATE;
    while (h.count) {
        const box top = pop(&h);
        box parts[8];
        if (out->boxes++ > budget || top.half < SMALLEST * scale) {
            out->verdict = CAD_UNKNOWN;
            break;
        }
        children(&top, parts);
        for (int k = 0; k < 8; ++k) {
            const double va = cad_value(a, parts[k].center), vb = cad_value(b, parts[k].center);
            const double value = fmax(va, vb), radius = sqrt(3) * parts[k].half;
            if (value < -SHALLOW * scale) {
                out->verdict = CAD_PENETRATING;
                out->depth = -value;
                memcpy(out->point, parts[k].center, sizeof out->point);
                free(h.items);
                return;
            }
            if (value > radius * (1 + 1e-9) + 1e-12 * scale) {
                margin = fmin(margin, value - radius);
                continue;
            }
            parts[k].key = value - 0.5 * radius;
            push(&h, parts[k]);
        }
    }
    out->margin = out->verdict == CAD_SEPARATE ? margin : 0;
    free(h.items);
}

/* x moved to the nearest point of the body, by its exact distance and a difference gradient. */
static void nearest(const cad_body *b, double x[3])
{
    for (int step = 0; step < 3; ++step) {
        const double value = cad_value(b, x);
        if (value <= 0)
            return;
        const double h = 1e-6 * b->reach;
        double g[3], norm = 0;
        for (int i = 0; i < 3; ++i) {
            double lo[3], hi[3];
            memcpy(lo, x, sizeof lo);
            memcpy(hi, x, sizeof hi);
            lo[i] -= h;
            hi[i] += h;
            g[i] = (cad_value(b, hi) - cad_value(b, lo)) / (2 * h);
            norm += g[i] * g[i];
        }
        if (!(norm > 0.25))
            return;
        for (int i = 0; i < 3; ++i)
            x[i] -= value * g[i] / sqrt(norm);
    }
}

/* An upper bound of the distance: alternating projections from a point. Both ends count by how far
 * they are off their bodies. */
static double alternate(const cad_body *a, const cad_body *b, const double start[3])
{
    double x[3], y[3], best = HUGE_VAL;
    memcpy(x, start, sizeof x);
    for (int i = 0; i < 60; ++i) {
        nearest(a, x);
        memcpy(y, x, sizeof y);
        nearest(b, y);
        const double length = sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                                   (x[2] - y[2]) * (x[2] - y[2]));
        best = fmin(best, length + fmax(0, cad_value(a, x)) + fmax(0, cad_value(b, y)));
        memcpy(x, y, sizeof x);
    }
    return best;
}

/* min of b's distance over the points of a. */
static void between(const cad_body *a, const cad_body *b, size_t budget, cad_answer *out)
{
    heap h = { 0 };
    box root = { .half = a->reach };
    memcpy(root.center, a->translation, sizeof root.center);
    root.key = -HUGE_VAL;
    push(&h, root);
    double hi = alternate(a, b, a->translation), lo = 0;
    const double goal = 1e-4 * (a->reach + b->reach);
    for (size_t n = 0; h.count && n < budget; ++n, ++out->boxes) {
        const box top = pop(&h);
        lo = fmax(lo, fmin(top.key, hi));
        if (top.key >= hi - goal)
            break;
        box parts[8];
        children(&top, parts);
        for (int k = 0; k < 8; ++k) {
            const double va = cad_value(a, parts[k].center), vb = cad_value(b, parts[k].center);
            const double radius = sqrt(3) * parts[k].half * (1 + 1e-9) + 1e-12 * a->reach;
            if (va > radius || vb - radius >= hi)
                continue;
            parts[k].key = vb - radius;
            if (n < 64 || n % 64 == 0)
                hi = fmin(hi, alternate(a, b, parts[k].center));
            push(&h, parts[k]);
        }
        if (!h.count)
            lo = hi;
    }
    free(h.items);
    out->distance_lo = lo;
    out->distance_hi = hi;
}

void cad_judge(const cad_body *a, const cad_body *b, bool distance, size_t budget, cad_answer *out)
{
    memset(out, 0, sizeof *out);
    double square = 0;
    for (int i = 0; i < 3; ++i) {
        const double d = a->translation[i] - b->translation[i];
        square += d * d;
    }
    if (sqrt(square) > (a->reach + b->reach) * (1 + 1e-12)) {
        out->verdict = CAD_SEPARATE;
        out->margin = sqrt(square) - a->reach - b->reach;
    } else
        verdict(a, b, budget, out);
    if (distance && out->verdict == CAD_SEPARATE && cad_exact(a) && cad_exact(b)) {
        if (a->reach < b->reach)
            between(a, b, budget, out);
        else
            between(b, a, budget, out);
    }
}
