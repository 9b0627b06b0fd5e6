/* SPDX-License-Identifier: MIT */
/* Bodies that turn many times; see whirl.h.
 *
 * Steps of a front are parts of a turn. But seen from a body that turns about a fixed axis, a direction n of the world runs round a ring, p + q (cos f e + sin f e'), so that along n the body never
 * reaches further than the largest value H of its support function h on that ring. With H in place of h the gap is bounded by a straight line in time.
 *
 * H from above: h is convex and no steeper than the size of the core; each point of an arc is no further from its chord than q (1 - cos(d / 2)) <= q d^2 / 8, d its angle, and on the chord h is no larger than at
 * its ends. Arcs are halved until that is below a limit, which takes long only around the places where h is largest. */
#include "ccd/whirl.h"

static const double u = 0x1p-53;

enum { MOST_SUPPORTS = 2048, MOST_LEVELS = 24, SAMPLES = 16 };

/* Values of h on a ring. */
typedef struct whirl {
    const abut_core *core;
    abut_vec3 ring[3];
    double radius, error; /* of the ring; of a value */
    uint32_t hint;
    int supports;
} whirl;

typedef struct spoke {
    double c, s, h;
} spoke;

static bool begin_whirl(const abut_core *core, const abut_path *path, abut_vec3 n, whirl *out)
{
    double off;
    *out = (whirl){ .core = core };
    if (!abut_path_ring(path, n, out->ring, &off))
        return false;
    out->radius = fmax(abut_length(out->ring[1]), abut_length(out->ring[2])) * (1 + 8 * u);
    out->error = core->error * (1 + 8 * u) + core->size * (off + 32 * u);
    return true;
}

static spoke spoke_at(whirl *w, double c, double s)
{
    ++w->supports;
    const abut_vec3 d = abut_madd(abut_madd(w->ring[0], c, w->ring[1]), s, w->ring[2]);
    return (spoke){ c, s, abut_core_reach(w->core, d, &w->hint) };
}

/* The largest of some values. */
static double sample(whirl *w)
{
    static const double c[5] = { 1, 0x1.d906bcf328d46p-1, 0x1.6a09e667f3bcdp-1, 0x1.87de2a6aea963p-2, 0 };
    double most = spoke_at(w, 1, 0).h;
    if (!(w->radius > 16 * u))
        return most;
    for (int k = 1; k < SAMPLES; ++k) {
        const int i = k % 4, quarter = k / 4;
        const double x = c[i], y = c[4 - i];
        most = fmax(most, quarter == 0   ? spoke_at(w, x, y).h
                          : quarter == 1 ? spoke_at(w, -y, x).h
                          : quarter == 2 ? spoke_at(w, -x, -y).h
                                         : spoke_at(w, y, -x).h);
    }
    return most;
}

/* All of the arc between two spokes, which are pi / 2 / 2^level apart. */
static bool is_arc_below(whirl *w, spoke a, spoke b, double limit)
{
    struct {
        spoke end;
        int level;
    } stack[MOST_LEVELS + 1];
    int depth = 0, level = 0;
    double part = 0.30843 * w->radius * w->core->size; /* (pi / 4)^2 / 2 */
    const double whole = part;
    for (;;) {
        if (!(fmax(a.h, b.h) < limit) || w->supports > MOST_SUPPORTS || level >= MOST_LEVELS)
            return false;
        if (fmax(a.h, b.h) + part * (1 + 0x1p-20) < limit) {
            if (depth == 0)
                return true;
            a = b;
            b = stack[--depth].end;
            level = stack[depth].level;
            part = ldexp(whole, -2 * level);
            continue;
        }
        const double c = a.c + b.c, s = a.s + b.s, length = sqrt(c * c + s * s);
        stack[depth].end = b;
        stack[depth++].level = ++level;
        part *= 0.25;
        b = spoke_at(w, c / length, s / length);
    }
}

static bool is_below(whirl *w, double limit)
{
    if (!(w->radius > 16 * u)) /* all of the ring is that near */
        return true;
    const spoke x = spoke_at(w, 1, 0), y = spoke_at(w, 0, 1), back = spoke_at(w, -1, 0),
                down = spoke_at(w, 0, -1);
    return is_arc_below(w, x, y, limit) && is_arc_below(w, y, back, limit) &&
           is_arc_below(w, back, down, limit) && is_arc_below(w, down, x, limit);
}

/* The same body at the same place, not turning. */
static abut_stance halt(const abut_stance *at)
{
    abut_stance still = *at;
    memset(&still.dr, 0, sizeof still.dr);
    still.speed = still.bend = still.turn_rate = 0;
    return still;
}

double abut_whirl_clear(const abut_scene_pair *pair, const abut_sight *at, double room,
                        abut_counters *counters)
{
    const double most = fabs(room), sense = room < 0 ? -1 : 1;
    const abut_vec3 n = at->n, back = { -n.x, -n.y, -n.z }, zero = { 0, 0, 0 };
    const abut_stance at_a = halt(&at->at_a), at_b = halt(&at->at_b);
    abut_front f;
    whirl a, b = { 0 };
    if (pair->path_b.kind == ABUT_PATH_ANY || (!pair->b && pair->path_b.turns) ||
        !begin_whirl(pair->a, &pair->path_a, n, &a) ||
        (pair->b && !begin_whirl(pair->b, &pair->path_b, back, &b)))
        return 0;
    if (pair->b)
        abut_front_between(pair->a, &at_a, pair->b, &at_b, n, zero, sense, &f);
    else
        abut_front_above(pair->a, &at_a, pair->shape_b, &at_b, sense, most, &f);
    const double base = f.k0 - f.e0 - a.error - b.error, slope = f.k1 - f.e1;
    const double high_a = sample(&a), high_b = pair->b ? sample(&b) : 0, left = base - high_a - high_b;
    const double limit_a = high_a + 0.1 * left, limit_b = pair->b ? high_b + 0.1 * left : 0;
    const double value = base - limit_a - limit_b - 8 * u * (fabs(base) + fabs(limit_a) + fabs(limit_b));
    const bool proved = left > 0 && value > 0 && is_below(&a, limit_a) && (!pair->b || is_below(&b, limit_b));
    counters->evaluations += (uint64_t)(a.supports + b.supports);
    if (!proved)
        return 0;
    if (value + most * slope * (1 + 8 * u) > value * 8 * u)
        return most;
    return fmin(value / -slope * (1 - 16 * u), most);
}
