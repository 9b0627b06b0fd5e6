/* SPDX-License-Identifier: MIT */
/* Bodies that turn many times; see full_turn.h.
 *
 * Steps of a moving plane are parts of a turn. But seen from a body that turns about a fixed axis, a
 * direction n of the world runs round a ring, p + q (cos f e + sin f e'), so that along n the body
 * never reaches further than the largest value H of its support function h on that ring. With H in
 * place of h the gap is bounded by a straight line in time.
 *
 * H from above: h is convex and no steeper than the size of the core; each point of an arc is no
 * further from its chord than q (1 - cos(d / 2)) <= q d^2 / 8, d its angle, and on the chord h
 * is no larger than at its ends. Arcs are halved until that is below a limit, which takes long
 * only around the places where h is largest. */
#include "ccd/advance/full_turn.h"

static const double u = 0x1p-53;

enum { MOST_SUPPORTS = 2048, MOST_LEVELS = 24 };

/* Values of h on a ring. */
typedef struct full_turn {
    const abut_core *core;
    abut_vec3 ring[3];
    double radius, error; /* of the ring; of a value */
    double high, room;    /* the largest value so far, and how large it may be */
    uint32_t hint;
    int supports;
} full_turn;

typedef struct spoke {
    double c, s, h;
} spoke;

static bool begin_full_turn(const abut_core *core, const abut_path *path, abut_vec3 n, full_turn *out)
{
    double off;
    *out = (full_turn){ .core = core, .high = -INFINITY };
    if (!abut_path_ring(path, n, out->ring, &off))
        return false;
    out->radius = fmax(abut_length(out->ring[1]), abut_length(out->ring[2])) * (1 + 8 * u);
    out->error = core->error * (1 + 8 * u) + core->size * (off + 32 * u);
    return true;
}

static spoke spoke_at(full_turn *w, double c, double s)
{
    ++w->supports;
    const abut_vec3 d = abut_madd(abut_madd(w->ring[0], c, w->ring[1]), s, w->ring[2]);
    const double h = abut_core_reach(w->core, d, &w->hint);
    if (h > w->high)
        w->high = h;
    return (spoke){ c, s, h };
}

/* The largest of some values. */
static double sample(full_turn *w)
{
    static const double c[5] = { 1, 0x1.d906bcf328d46p-1, 0x1.6a09e667f3bcdp-1, 0x1.87de2a6aea963p-2, 0 };
    (void)spoke_at(w, 1, 0);
    for (int i = 0; i < 4 && w->radius > 16 * u; ++i) { /* four quarters */
        (void)spoke_at(w, c[i], c[4 - i]);
        (void)spoke_at(w, -c[4 - i], c[i]);
        (void)spoke_at(w, -c[i], -c[4 - i]);
        (void)spoke_at(w, c[4 - i], -c[i]);
    }
    return w->high;
}

/* A tenth of the way from the largest value known to where they would meet. */
static double limit_of(const full_turn *w)
{
    return w->high + 0.1 * (w->room - w->high);
}

/* All of the arc between two spokes that are a quarter of a turn apart. */
static bool is_arc_below(full_turn *w, spoke a, spoke b)
{
    struct {
        spoke end;
        int level;
    } stack[MOST_LEVELS];
    const double whole = 0.30843 * w->radius * w->core->size; /* (pi / 4)^2 / 2 */
    int depth = 0, level = 0;
    while (w->high < w->room && w->supports < MOST_SUPPORTS) {
        if (fmax(a.h, b.h) + ldexp(whole, -2 * level) * (1 + 0x1p-20) < limit_of(w)) {
            if (depth == 0)
                return true;
            a = b;
            b = stack[--depth].end;
            level = stack[depth].level;
            continue;
        }
        if (level + 1 >= MOST_LEVELS)
            break;
        const double c = a.c + b.c, s = a.s + b.s, length = sqrt(c * c + s * s);
        stack[depth].end = b;
        stack[depth++].level = ++level;
        b = spoke_at(w, c / length, s / length);
    }
    return false;
}

/* Whether H is below `room`; *limit is above it. */
static bool find_limit(full_turn *w, double room, double *limit)
{
    w->room = room;
    bool found = w->high < room;
    if (w->radius > 16 * u) { /* otherwise all of the ring is that near */
        const spoke x = spoke_at(w, 1, 0), y = spoke_at(w, 0, 1), back = spoke_at(w, -1, 0),
                    down = spoke_at(w, 0, -1);
        found = found && is_arc_below(w, x, y) && is_arc_below(w, y, back) && is_arc_below(w, back, down) &&
                is_arc_below(w, down, x);
    }
    *limit = limit_of(w);
    return found;
}

/* What remains of its motion is that of its origin. */
static void halt(abut_stance *at)
{
    memset(&at->dr, 0, sizeof at->dr);
    memset(&at->dr_off, 0, sizeof at->dr_off);
    at->speed = at->bend = at->turn_rate = 0;
}

double abut_full_turn_clear(const abut_scene_pair *pair, const abut_instant *at, abut_vec3 n, double room,
                            abut_counters *counters)
{
    const double most = fabs(room), sense = room < 0 ? -1 : 1;
    const abut_vec3 back = { -n.x, -n.y, -n.z }, zero = { 0, 0, 0 };
    abut_stance at_a = at->at_a, at_b = at->at_b;
    abut_moving_plane f;
    full_turn a, b = { 0 };
    if ((!pair->b && (pair->path_b.kind == ABUT_PATH_ANY || pair->path_b.turns)) ||
        !abut_path_rates(&pair->path_a, at->t, room, &at_a) ||
        !abut_path_rates(&pair->path_b, at->t, room, &at_b) ||
        !begin_full_turn(pair->a, &pair->path_a, n, &a) ||
        (pair->b && !begin_full_turn(pair->b, &pair->path_b, back, &b)))
        return 0;
    halt(&at_a);
    halt(&at_b);
    if (pair->b)
        abut_moving_plane_between(pair->a, &at_a, pair->b, &at_b, n, zero, sense, &f);
    else
        abut_moving_plane_above(pair->a, &at_a, pair->shape_b, &at_b, sense, most, &f);
    const double base = f.k0 - f.e0 - a.error - b.error, slope = f.k1 - f.e1;
    const double high_b = pair->b ? sample(&b) : 0;
    double limit_a = 0, limit_b = 0;
    const bool proved = sample(&a) + high_b < base && find_limit(&a, base - high_b, &limit_a) &&
                        (!pair->b || find_limit(&b, base - limit_a, &limit_b));
    const double value = base - limit_a - limit_b - 8 * u * (fabs(base) + fabs(limit_a) + fabs(limit_b));
    counters->evaluations += (uint64_t)(a.supports + b.supports);
    if (!proved || !(value > 0))
        return 0;
    if (value + most * slope * (1 + 8 * u) > value * 8 * u)
        return most;
    return fmin(value / -slope * (1 - 16 * u), most);
}
