/* SPDX-License-Identifier: MIT */
/* The region of a profile as triangles, by cutting ears (Meisters 1975; holes are joined to the outline
 * by bridges, Eberly 2008). Arcs are replaced by chords of at most 45 degrees, and a triangle at a
 * chord keeps its arc, so that cells of it follow the arc as they are divided.
 *
 * Only that the triangles and the bulges cover the region matters: searches ask the profile itself
 * whether a point is in the face. Chords that cross others are halved and all is tried again; then
 * the caller does without. */
#include "solid/cap.h"
#include "abut/predicates.h"

#include <math.h>
#include <string.h>

enum { MOST_CORNERS = 400, ROUNDS = 4 };

typedef struct corner {
    abut_xy at, center; /* center, radius, bulge: of the chord to the next corner */
    double radius;
    int bulge;
} corner;

typedef struct outline {
    corner *corners;
    size_t count;
    size_t *starts; /* of loops */
} outline;

static int turn_of(abut_xy a, abut_xy b, abut_xy c)
{
    const double p[2] = { a.x, a.y }, q[2] = { b.x, b.y }, r[2] = { c.x, c.y };
    return abut_orient2d(p, q, r);
}

static bool same(abut_xy a, abut_xy b)
{
    return a.x == b.x && a.y == b.y;
}

/* Corners of a side with 2^halvings chords. */
static bool add_side(outline *o, const abut_side *s, int halvings)
{
    const size_t chords = s->turn ? (size_t)1 << halvings : 1;
    if (o->count + chords > MOST_CORNERS)
        return false;
    const size_t first = o->count;
    for (size_t i = 0; i < chords; ++i)
        o->corners[o->count++] = (corner){ { 0, 0 }, s->center, s->radius, s->turn };
    o->corners[first].at = s->from;
    /* Middles of ever shorter arcs: the direction halfway between two directions. */
    for (size_t step = chords; step > 1; step /= 2)
        for (size_t i = 0; i < chords; i += step) {
            const abut_xy a = o->corners[first + i].at,
                          b = i + step < chords ? o->corners[first + i + step].at : s->to;
            double x = 0.5 * (a.x + b.x) - s->center.x, y = 0.5 * (a.y + b.y) - s->center.y;
            if (step == chords) {
                x = s->mid.x;
                y = s->mid.y;
            }
            const double n = s->radius / hypot(x, y);
            o->corners[first + i + step / 2].at = (abut_xy){ s->center.x + n * x, s->center.y + n * y };
        }
    return true;
}

static int halvings_of(const abut_side *s, int more)
{
    int n = 0;
    if (!s->turn)
        return 0;
    /* Half-angles: beyond 90, 45 and 22.5 degrees. */
    n += s->cos_half < 0.9238795325112867;
    n += s->cos_half < 0.7071067811865476;
    n += s->cos_half < 0;
    return n + more;
}

static bool make_outline(const abut_profile *profile, int more, outline *o)
{
    o->count = 0;
    for (size_t k = 0; k < profile->loop_count; ++k) {
        o->starts[k] = o->count;
        for (size_t i = profile->loop_starts[k]; i < profile->loop_starts[k + 1]; ++i)
            if (!add_side(o, &profile->sides[i], halvings_of(&profile->sides[i], more)))
                return false;
    }
    o->starts[profile->loop_count] = o->count;
    return true;
}

/* Do the segments meet other than at equal ends? */
static bool crosses(abut_xy a, abut_xy b, abut_xy c, abut_xy d)
{
    const int p = turn_of(a, b, c), q = turn_of(a, b, d), r = turn_of(c, d, a), s = turn_of(c, d, b);
    if ((p > 0 && q > 0) || (p < 0 && q < 0) || (r > 0 && s > 0) || (r < 0 && s < 0))
        return false;
    const bool joined = same(a, c) || same(a, d) || same(b, c) || same(b, d);
    if (!joined)
        /* collinear ones apart */
        return !(p == 0 && q == 0 &&
                 (fmax(a.x, b.x) < fmin(c.x, d.x) || fmax(c.x, d.x) < fmin(a.x, b.x) ||
                  fmax(a.y, b.y) < fmin(c.y, d.y) || fmax(c.y, d.y) < fmin(a.y, b.y)));
    /* With a common end they meet elsewhere only where they run over each other. */
    if (p != 0 || q != 0)
        return false;
    const abut_xy common = same(a, c) || same(a, d) ? a : b, mine = same(common, a) ? b : a,
                  other = same(common, c) ? d : c;
    return (mine.x - common.x) * (other.x - common.x) + (mine.y - common.y) * (other.y - common.y) > 0;
}

static size_t next_in_loop(const outline *o, size_t loops, size_t i)
{
    for (size_t k = 0; k < loops; ++k)
        if (i + 1 == o->starts[k + 1])
            return o->starts[k];
    return i + 1;
}

static bool crosses_any(const outline *o, size_t loops, abut_xy a, abut_xy b)
{
    for (size_t i = 0; i < o->count; ++i)
        if (crosses(a, b, o->corners[i].at, o->corners[next_in_loop(o, loops, i)].at))
            return true;
    return false;
}

static bool is_simple(const outline *o, size_t loops)
{
    for (size_t i = 0; i < o->count; ++i) {
        const size_t n = next_in_loop(o, loops, i);
        for (size_t j = i + 1; j < o->count; ++j)
            if (crosses(o->corners[i].at, o->corners[n].at, o->corners[j].at,
                        o->corners[next_in_loop(o, loops, j)].at))
                return false;
    }
    return true;
}

/* Joins the holes to the outer loop: a cycle of corners, some of them twice; false where no bridge is
 * found. A bridge's own chord is straight. */
static bool join(const outline *o, size_t loops, corner *cycle, size_t *length)
{
    *length = o->starts[1];
    memcpy(cycle, o->corners, *length * sizeof *cycle);
    bool done[MOST_CORNERS] = { false };
    for (size_t round = 1; round < loops; ++round) {
        bool found = false;
        for (size_t k = 1; k < loops && !found; ++k) {
            if (done[k])
                continue;
            const size_t begin = o->starts[k], n = o->starts[k + 1] - begin;
            double least = INFINITY;
            size_t from = 0, to = 0;
            for (size_t i = 0; i < *length; ++i)
                for (size_t j = 0; j < n; ++j) {
                    const abut_xy a = cycle[i].at, b = o->corners[begin + j].at;
                    const double d = hypot(a.x - b.x, a.y - b.y);
                    if (d >= least || crosses_any(o, loops, a, b))
                        continue;
                    /* nor over bridges */
                    bool clear = true;
                    for (size_t m = 0; m < *length && clear; ++m)
                        clear = !crosses(a, b, cycle[m].at, cycle[(m + 1) % *length].at);
                    if (clear) {
                        least = d;
                        from = i;
                        to = j;
                    }
                }
            if (!(least < INFINITY) || *length + n + 2 > 3 * MOST_CORNERS)
                continue;
            /* ... from, to .. all of the hole .. to, from ... */
            memmove(cycle + from + n + 2, cycle + from, (*length - from) * sizeof *cycle);
            cycle[from].bulge = 0;
            for (size_t j = 0; j < n; ++j)
                cycle[from + 1 + j] = o->corners[begin + (to + j) % n];
            cycle[from + 1 + n] = o->corners[begin + to];
            cycle[from + 1 + n].bulge = 0;
            *length += n + 2;
            done[k] = found = true;
        }
        if (!found)
            return false;
    }
    return true;
}

static bool is_ear(const corner *c, const size_t *ring, size_t count, size_t at)
{
    const abut_xy a = c[ring[(at + count - 1) % count]].at, b = c[ring[at]].at,
                  d = c[ring[(at + 1) % count]].at;
    if (!(turn_of(a, b, d) > 0))
        return false;
    for (size_t i = 0; i < count; ++i) {
        const abut_xy p = c[ring[i]].at;
        if (same(p, a) || same(p, b) || same(p, d))
            continue;
        if (turn_of(a, b, p) >= 0 && turn_of(b, d, p) >= 0 && turn_of(d, a, p) >= 0)
            return false;
    }
    return true;
}

/* Sides of the ring that are chords of arcs: from ring[i] to ring[i + 1], while no ear was cut there. */
typedef struct clip {
    const corner *corners;
    size_t ring[3 * MOST_CORNERS];
    bool chord[3 * MOST_CORNERS];
    size_t count;
} clip;

static void emit(const corner *c[3], const bool arc[3], abut_cap_triangle *out, size_t *count)
{
    int arcs = 0, first = 0;
    for (int i = 0; i < 3; ++i)
        if (arc[i] && c[i]->bulge) {
            ++arcs;
            first = i;
        }
    const abut_xy p[3] = { c[0]->at, c[1]->at, c[2]->at };
    if (arcs <= 1) {
        const corner *f = c[first];
        out[(*count)++] = (abut_cap_triangle){
            { p[first], p[(first + 1) % 3], p[(first + 2) % 3] }, f->center, f->radius, arcs ? f->bulge : 0
        };
        return;
    }
    /* One triangle to a side, about the middle. */
    const abut_xy mid = { (p[0].x + p[1].x + p[2].x) / 3, (p[0].y + p[1].y + p[2].y) / 3 };
    for (int i = 0; i < 3; ++i)
        out[(*count)++] = (abut_cap_triangle){
            { p[i], p[(i + 1) % 3], mid }, c[i]->center, c[i]->radius, arc[i] ? c[i]->bulge : 0
        };
}

static bool cut_ears(clip *k, abut_cap_triangle *out, size_t *count)
{
    *count = 0;
    size_t at = 0, misses = 0;
    while (k->count > 3) {
        if (misses > k->count)
            return false;
        at %= k->count;
        if (!is_ear(k->corners, k->ring, k->count, at)) {
            ++at;
            ++misses;
            continue;
        }
        misses = 0;
        const size_t before = (at + k->count - 1) % k->count, after = (at + 1) % k->count;
        const corner *c[3] = { &k->corners[k->ring[before]], &k->corners[k->ring[at]],
                               &k->corners[k->ring[after]] };
        const bool arc[3] = { k->chord[before], k->chord[at], false };
        emit(c, arc, out, count);
        k->chord[before] = false;
        memmove(&k->ring[at], &k->ring[at + 1], (k->count - at - 1) * sizeof *k->ring);
        memmove(&k->chord[at], &k->chord[at + 1], (k->count - at - 1) * sizeof *k->chord);
        --k->count;
        ++at;
    }
    const corner *c[3] = { &k->corners[k->ring[0]], &k->corners[k->ring[1]], &k->corners[k->ring[2]] };
    emit(c, k->chord, out, count);
    return true;
}

/* The sum of the triangles is the area of the outline: they cover it, since all turn the same way. */
static bool covers(const corner *cycle, size_t length, const abut_cap_triangle *t, size_t count)
{
    double area = 0, sum = 0;
    const abut_xy o = cycle[0].at;
    for (size_t i = 0; i < length; ++i) {
        const abut_xy a = cycle[i].at, b = cycle[(i + 1) % length].at;
        area += (a.x - o.x) * (b.y - o.y) - (b.x - o.x) * (a.y - o.y);
    }
    for (size_t i = 0; i < count; ++i) {
        const abut_xy *c = t[i].corner;
        sum += (c[1].x - c[0].x) * (c[2].y - c[0].y) - (c[2].x - c[0].x) * (c[1].y - c[0].y);
    }
    return fabs(area - sum) <= 1e-9 * fabs(area);
}

static bool triangulate(const abut_profile *profile, abut_workspace *ws, abut_cap_triangle **out,
                        size_t *count)
{
    outline o = { 0 };
    const size_t loops = profile->loop_count;
    o.corners = abut_workspace_take(ws, MOST_CORNERS, sizeof *o.corners);
    o.starts = abut_workspace_take(ws, loops + 1, sizeof *o.starts);
    corner *cycle = abut_workspace_take(ws, 3 * MOST_CORNERS, sizeof *cycle);
    clip *k = abut_workspace_take(ws, 1, sizeof *k);
    *out = abut_workspace_take(ws, 9 * MOST_CORNERS, sizeof **out);
    if (!o.corners || !o.starts || !cycle || !k || !*out)
        return false;
    for (int more = 0; more < ROUNDS; ++more) {
        size_t length;
        if (!make_outline(profile, more, &o))
            return true;
        if (!is_simple(&o, loops) || !join(&o, loops, cycle, &length))
            continue;
        k->corners = cycle;
        k->count = length;
        for (size_t i = 0; i < length; ++i) {
            k->ring[i] = i;
            k->chord[i] = true;
        }
        if (cut_ears(k, *out, count) && covers(cycle, length, *out, *count))
            return true;
        *count = 0;
    }
    return true;
}

bool abut_cap_triangles(const abut_profile *profile, abut_workspace *keep, abut_cap_triangle **out,
                        size_t *count)
{
    *count = 0;
    *out = NULL;
    if (profile->count > MOST_CORNERS || profile->loop_count > 64)
        return true;
    abut_workspace own;
    abut_cap_triangle *found = NULL;
    abut_workspace_open(&own, &keep->alloc);
    bool ok = triangulate(profile, &own, &found, count);
    if (ok && *count) {
        *out = abut_workspace_take(keep, *count, sizeof **out);
        ok = *out != NULL;
        if (ok)
            memcpy(*out, found, *count * sizeof **out);
    }
    abut_workspace_close(&own);
    return ok;
}
