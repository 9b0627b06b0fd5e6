/* SPDX-License-Identifier: MIT */
/* The winding number of a closed surface about a point, by the crossings of a ray from it, each
 * counted with its sign.
 *
 * With two vectors a and b, the ray is where a.y = b.y = 0 and d.y > 0, d being about a x b. A box
 * of u and v that may hold a crossing, with d.y > 0 all over it, holds as many as the closed curve
 * (a.y, b.y) along its border winds about 0: the degree of a map of the plane. No derivative is
 * asked for, so that poles, creases and roots are no trouble, and the border is all that must keep
 * clear of the ray. As all enclosures may be over a stretch of time, too, the number holds
 * throughout it. Boxes that do not tell are halved. Sides of a piece must keep clear of the ray by
 * the slack: there the next piece begins, or the same one again.
 *
 * Source: the degree by the border, e.g. R. B. Kearfott, "An efficient degree-computation method
 * for a generalized method of bisection", 1979. */
#include "surface/winding.h"

#include <math.h>

enum { stack_size = 256, border_depth = 10, ways = 6 };

typedef struct cell {
    abut_interval q[2];
} cell;

typedef struct ray {
    const abut_winding_map *map;
    uint32_t piece;
    abut_vec3 a, b, d;
    ia *scratch;
    uint64_t cells;
    int label,
        /* half-plane of the border's last and first segment: x > 0, y > 0, x < 0, y < 0; -1:
         * none yet */
        first;
    int quarters;
} ray;

typedef struct image {
    ia x, y, ahead;
} image;

static ia along(abut_vec3 w, ia3 y)
{
    return ia_add(ia_add(ia_scale(w.x, y.x), ia_scale(w.y, y.y)), ia_scale(w.z, y.z));
}

static bool evaluate(ray *r, const ia box[2], double slack, image *out)
{
    ia3 y;
    if (r->cells == 0)
        return false;
    --r->cells;
    if (!r->map->enclose(r->map->ctx, r->piece, box, r->scratch, &y) || ia3_is_empty(y))
        return false;
    const ia around = ia_make(-slack, slack);
    y = (ia3){ ia_add(y.x, around), ia_add(y.y, around), ia_add(y.z, around) };
    *out = (image){ along(r->a, y), along(r->b, y), along(r->d, y) };
    return true;
}

static bool misses(const image *at)
{
    return !ia_contains_zero(at->x) || !ia_contains_zero(at->y) || ia_hi(at->ahead) < 0;
}

/* ---- the border of a box ---- */

static int half_plane(const image *at, int before)
{
    const bool in[4] = { ia_is_positive(at->x), ia_is_positive(at->y), ia_is_negative(at->x),
                         ia_is_negative(at->y) };
    if (before >= 0 && in[before])
        return before;
    for (int i = 0; i < 4; ++i)
        if (in[i])
            return i;
    return -1;
}

static bool step(ray *r, int label)
{
    if (r->label < 0) {
        r->first = label;
    } else {
        const int turn = (label - r->label) & 3;
        if (turn == 2) /* opposite half-planes have no point in common */
            return false;
        r->quarters += turn == 3 ? -1 : turn;
    }
    r->label = label;
    return true;
}

/* A segment of the border from `from` to `to` in parameter k, the other one being fixed. */
static bool follow(ray *r, int k, double fixed, double from, double to, int depth)
{
    ia box[2];
    image at;
    box[!k] = ia_point(fixed);
    box[k] = from < to ? ia_make(from, to) : ia_make(to, from);
    if (!evaluate(r, box, 0, &at))
        return false;
    const int label = half_plane(&at, r->label);
    if (label >= 0)
        return step(r, label);
    const double mid = 0.5 * from + 0.5 * to;
    return depth > 0 && mid != from && mid != to && follow(r, k, fixed, from, mid, depth - 1) &&
           follow(r, k, fixed, mid, to, depth - 1);
}

static bool degree(ray *r, const cell *c, int *out)
{
    const abut_interval u = c->q[0], v = c->q[1];
    r->label = -1;
    r->quarters = 0;
    if (!follow(r, 0, v.lo, u.lo, u.hi, border_depth) || !follow(r, 1, u.hi, v.lo, v.hi, border_depth) ||
        !follow(r, 0, v.hi, u.hi, u.lo, border_depth) || !follow(r, 1, u.lo, v.hi, v.lo, border_depth) ||
        !step(r, r->first) || r->quarters % 4 != 0)
        return false;
    *out = r->quarters / 4;
    return true;
}

/* ---- one piece ---- */

/* Whether the ray keeps clear of a side. */
static bool is_clear(ray *r, int k, double fixed, double from, double to, int depth)
{
    ia box[2];
    image at;
    box[!k] = ia_point(fixed);
    box[k] = ia_make(from, to);
    if (!evaluate(r, box, r->map->slack, &at))
        return false;
    if (misses(&at))
        return true;
    const double mid = 0.5 * from + 0.5 * to;
    return depth > 0 && from < mid && mid < to && is_clear(r, k, fixed, from, mid, depth - 1) &&
           is_clear(r, k, fixed, mid, to, depth - 1);
}

/* The parameter to halve: the wider one; of small boxes that without which the image is
 * narrower, lest needles be cut lengthwise for ever. */
static int to_halve(ray *r, const cell *c, const double part[2])
{
    double width[2] = { part[1], part[0] };
    for (int k = 0; k < 2 && fmax(part[0], part[1]) < 0.2; ++k) {
        ia box[2] = { ia_from(c->q[0]), ia_from(c->q[1]) };
        image at;
        box[k] = ia_point(0.5 * c->q[k].lo + 0.5 * c->q[k].hi);
        if (!evaluate(r, box, 0, &at))
            return part[1] > part[0];
        width[k] = ia_width(at.x) + ia_width(at.y) + ia_width(at.ahead);
    }
    return width[1] < width[0];
}

static bool count_piece(ray *r, int *turns)
{
    enum { side_depth = 24 };
    cell stack[stack_size];
    const abut_interval *range = r->map->range;
    int n = 1;
    stack[0] = (cell){ { range[0], range[1] } };
    bool sides = false;
    while (n > 0) {
        const cell c = stack[--n];
        const ia box[2] = { ia_from(c.q[0]), ia_from(c.q[1]) };
        image at;
        int found;
        const bool defined = evaluate(r, box, sides ? 0 : r->map->slack, &at);
        if (r->cells == 0)
            return false;
        if (defined && misses(&at))
            continue;
        if (!sides) {
            /* the first box is the whole piece: only where the ray comes near do its sides
             * matter */
            sides = true;
            for (int i = 0; i < 4; ++i) {
                const int k = i < 2 ? 0 : 1;
                if (!is_clear(r, k, i & 1 ? range[!k].hi : range[!k].lo, range[k].lo, range[k].hi,
                              side_depth))
                    return false;
            }
        }
        if (defined && ia_lo(at.ahead) > 0 && degree(r, &c, &found)) {
            *turns += found;
            continue;
        }
        const double part[2] = { (c.q[0].hi - c.q[0].lo) / (range[0].hi - range[0].lo),
                                 (c.q[1].hi - c.q[1].lo) / (range[1].hi - range[1].lo) };
        const int k = to_halve(r, &c, part);
        const double lo = c.q[k].lo, mid = lo + 0.484375 * (c.q[k].hi - lo);
        if (n + 2 > stack_size || part[k] < 0x1p-40 || !(lo < mid && mid < c.q[k].hi))
            return false;
        stack[n] = stack[n + 1] = c;
        stack[n].q[k].lo = mid;
        stack[n + 1].q[k].hi = mid;
        n += 2;
    }
    return true;
}

static bool count_along(const abut_winding_map *map, int way, ia *scratch, uint64_t *cells, int *turns)
{
    /* Pairs a, b; the ray leads along a x b. No direction that people draw lines in. */
    static const abut_vec3 frames[ways][2] = {
        { { 0.7992, -0.0117, -0.5954 }, { -0.1902, 0.9428, -0.2551 } },
        { { 0.0937, 0.4863, -0.8672 }, { 0.7754, 0.4961, 0.3887 } },
        { { 0.9727, 0.2285, 0.0352 }, { 0.0859, -0.5137, 0.8535 } },
        { { -0.4277, 0.9023, 0.0508 }, { 0.8047, 0.4043, 0.4316 } },
        { { 0.6191, 0.5332, -0.5762 }, { -0.0195, 0.7441, 0.6680 } },
        { { -0.2441, -0.0859, 0.9648 }, { 0.3262, -0.9453, -0.0039 } },
    };
    const abut_vec3 a = frames[way][0], b = frames[way][1];
    ray r = { .map = map, .a = a, .b = b, .scratch = scratch, .cells = *cells };
    r.d = (abut_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
    bool known = true;
    *turns = 0;
    for (size_t i = 0; i < map->piece_count && known; ++i) {
        r.piece = map->pieces ? map->pieces[i] : (uint32_t)i;
        known = count_piece(&r, turns);
    }
    *cells = r.cells;
    return known;
}

bool abut_winding_find(const abut_winding_map *map, ia *scratch, uint64_t each, uint64_t *cells, int *turns)
{
    for (int way = 0; way<ways && * cells> 0; ++way) {
        uint64_t left = each < *cells ? each : *cells;
        const uint64_t had = left;
        const bool known = count_along(map, way, scratch, &left, turns);
        *cells -= had - left;
        if (known)
            return true;
    }
    return false;
}
