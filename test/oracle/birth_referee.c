/* SPDX-License-Identifier: MIT */
/* See the header. Descent: steps along the axes and across, some at random, and along the last
 * way that helped, halved when none helps. */
#include "oracle/birth_referee.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { most_starts = 32 };

static double square_to(const double *x, const double *c)
{
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        sum += (x[i] - c[i]) * (x[i] - c[i]);
    return sum;
}

static double leaf_value(const birth_leaf *l, const double *x, double t)
{
    const double s = l->s[0] + t * (l->s[1] + t * l->s[2]);
    switch (l->kind) {
    case BIRTH_BALL: return square_to(x, l->c) - s;
    case BIRTH_CASSINI: return square_to(x, l->c) * square_to(x, l->d) - s;
    case BIRTH_RING: {
        const double q = square_to(x, l->c) + l->d[0] * l->d[0] - s;
        const double rho2 = square_to(x, l->c) - (x[2] - l->c[2]) * (x[2] - l->c[2]);
        return q * q - 4 * l->d[0] * l->d[0] * rho2;
    }
    case BIRTH_PLANE: return x[0] * l->c[0] + x[1] * l->c[1] + x[2] * l->c[2] - s;
    default: return s - 1 / (1 + 4 * square_to(x, l->c)) - 1 / (1 + 4 * square_to(x, l->d));
    }
}

static double fields_value(const birth_body *b, const double *x, double t)
{
    double v[4];
    for (int i = 0; i < b->leaf_count; ++i)
        v[i] = leaf_value(&b->leaves[i], x, t);
    double sum = v[0];
    switch (b->tree) {
    case BIRTH_JOINED_LESS: return fmax(fmin(v[0], v[1]), -v[2]);
    case BIRTH_LESS_CUT: return fmax(fmax(v[0], -v[1]), v[2]);
    case BIRTH_LESS_DIFFERENCE: return fmax(v[0], fmin(-v[1], v[2]));
    default: break;
    }
    for (int i = 1; i < b->leaf_count; ++i)
        sum = b->tree == BIRTH_UNION        ? fmin(sum, v[i])
              : b->tree == BIRTH_DIFFERENCE ? fmax(sum, -v[i])
                                            : fmax(sum, v[i]);
    return sum;
}

static double own_value(const birth_body *b, const double *x, double t)
{
    const double *const s = b->size;
    switch (b->solid) {
    case BIRTH_FIELDS: return fields_value(b, x, t);
    case BIRTH_SPHERE: return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - s[0];
    case BIRTH_BOX: return fmax(fabs(x[0]) - s[0], fmax(fabs(x[1]) - s[1], fabs(x[2]) - s[2]));
    case BIRTH_HALFSPACE: return x[2] - s[0];
    case BIRTH_TORUS: return hypot(hypot(x[0], x[1]) - s[0], x[2]) - s[1];
    case BIRTH_ELLIPSOID:
        return x[0] * x[0] / (s[0] * s[0]) + x[1] * x[1] / (s[1] * s[1]) + x[2] * x[2] / (s[2] * s[2]) - 1;
    case BIRTH_CAPSULE: {
        const double z = fmax(fabs(x[2]) - s[1] / 2, 0);
        return sqrt(x[0] * x[0] + x[1] * x[1] + z * z) - s[0];
    }
    default: return fabs(x[0]) / s[0] + fabs(x[1]) / s[1] + fabs(x[2]) / s[2] - 1;
    }
}

/* v turned about the axis. */
static void turn(const double *axis, double angle, const double *v, double *out)
{
    const double c = cos(angle), s = sin(angle);
    const double along = (1 - c) * (axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = c * v[i] + s * (axis[j] * v[k] - axis[k] * v[j]) + along * axis[i];
    }
}

static void to_world(const birth_body *b, const double *p, double t, double *x)
{
    turn(b->axis, b->rate * t, p, x);
    for (int i = 0; i < 3; ++i)
        x[i] = x[i] * (1 + b->growth[i] * t) + b->position[i] + t * b->velocity[i];
}

double birth_value(const birth_body *b, const double x[3], double t)
{
    double from[3], own[3];
    for (int i = 0; i < 3; ++i)
        from[i] = (x[i] - b->position[i] - t * b->velocity[i]) / (1 + b->growth[i] * t);
    turn(b->axis, -b->rate * t, from, own);
    return own_value(b, own, t);
}

/* q: a place in the frame of a, and the time. */
static double both(const birth_body *a, const birth_body *b, double reach, const double q[4], double from,
                   double to)
{
    double x[3];
    for (int i = 0; i < 3; ++i)
        if (!(fabs(q[i]) <= reach))
            return HUGE_VAL;
    if (!(q[3] >= from && q[3] <= to))
        return HUGE_VAL;
    to_world(a, q, q[3], x);
    return fmax(own_value(a, q, q[3]), birth_value(b, x, q[3]));
}

/* The greater of two functions has a ridge: ways across the axes, too. */
static const double ways[13][3] = { { 1, 0, 0 },  { 0, 1, 0 },  { 0, 0, 1 },  { 1, 1, 0 },  { 1, -1, 0 },
                                    { 1, 0, 1 },  { 1, 0, -1 }, { 0, 1, 1 },  { 0, 1, -1 }, { 1, 1, 1 },
                                    { 1, 1, -1 }, { 1, -1, 1 }, { 1, -1, -1 } };

static double descend(const birth_body *a, const birth_body *b, double reach, double q[4], double step,
                      double step_t, double fine, double from, double to)
{
    double best = both(a, b, reach, q, from, to), last[4] = { 0, 0, 0, 0 };
    uint64_t seed = 1;
    for (int round = 0; round < 400 && step > fine * reach; ++round) {
        double next[4], found = best, move[4] = { 0, 0, 0, 0 };
        for (int i = -2; i < 26; ++i) {
            double m[4] = { 0, 0, 0, 0 };
            if (i < 0)
                m[3] = i == -1 ? step_t : -step_t;
            for (int k = 0; i >= 0 && k < 3; ++k)
                m[k] = (i & 1 ? -step : step) * ways[i / 2][k];
            for (int k = 0; k < 4; ++k)
                next[k] = q[k] + m[k];
            const double value = both(a, b, reach, next, from, to);
            if (value < found) {
                found = value;
                memcpy(move, m, sizeof move);
            }
        }
        for (int i = 0; i < 12; ++i) { /* and any way, lest it stays on a ridge */
            double m[4] = { 0, 0, 0, 0 };
            for (int k = 0; k < 4; ++k) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                const double part = (double)(int64_t)seed * 0x1p-63;
                m[k] = part * (k < 3 ? step : step_t);
                next[k] = q[k] + m[k];
            }
            const double value = both(a, b, reach, next, from, to);
            if (value < found) {
                found = value;
                memcpy(move, m, sizeof move);
            }
        }
        for (int k = 0; k < 4; ++k)
            next[k] = q[k] + 2 * last[k];
        const double far = both(a, b, reach, next, from, to);
        if (far < found) {
            found = far;
            for (int k = 0; k < 4; ++k)
                move[k] = 2 * last[k];
        }
        if (!(found < best)) {
            step *= 0.5;
            step_t *= 0.5;
            continue;
        }
        best = found;
        for (int k = 0; k < 4; ++k)
            q[k] += move[k];
        memcpy(last, move, sizeof last);
    }
    return best;
}

typedef struct start {
    double value, q[4];
} start;

/* Keeps the best, apart from each other. */
static void keep(start *list, int *count, int most, double value, const double q[4], double apart)
{
    int worst = -1;
    for (int i = 0; i < *count; ++i) {
        if (square_to(q, list[i].q) < apart * apart) {
            if (value < list[i].value) {
                list[i].value = value;
                memcpy(list[i].q, q, sizeof list[i].q);
            }
            return;
        }
        if (worst < 0 || list[i].value > list[worst].value)
            worst = i;
    }
    if (*count < most)
        worst = (*count)++;
    else if (!(value < list[worst].value))
        return;
    list[worst].value = value;
    memcpy(list[worst].q, q, sizeof list[worst].q);
}

static int sample(const birth_body *a, const birth_body *b, double reach, double t, int grid, int most,
                  start *list)
{
    int count = 0;
    const double step = 2 * reach / grid;
    for (int i = 0; i < grid * grid * grid; ++i) {
        const int at[3] = { i % grid, i / grid % grid, i / grid / grid };
        double q[4] = { 0, 0, 0, t };
        for (int k = 0; k < 3; ++k)
            q[k] = -reach + (at[k] + 0.5) * step;
        keep(list, &count, most, both(a, b, reach, q, t, t), q, 1.8 * step);
    }
    return count;
}

double birth_least(const birth_body *a, const birth_body *b, double reach, double t, int grid, int starts)
{
    start list[most_starts];
    double best = HUGE_VAL;
    const int count = sample(a, b, reach, t, grid, starts < most_starts ? starts : most_starts, list);
    for (int i = 0; i < count; ++i)
        best = fmin(best, descend(a, b, reach, list[i].q, reach / grid, 0, 1e-10, t, t));
    return best;
}

double birth_least_ever(const birth_body *a, const birth_body *b, double reach, double from, double to,
                        int instants, int grid, double *at)
{
    double best = HUGE_VAL;
    *at = from;
    for (int i = 0; i < instants; ++i) {
        start list[2];
        const double part = (to - from) / instants;
        const int count = sample(a, b, reach, from + (i + 0.5) * part, grid, 2, list);
        for (int k = 0; k < count; ++k) {
            const double value = descend(a, b, reach, list[k].q, reach / grid, 0.5 * part, 1e-5, from, to);
            if (value < best) {
                best = value;
                *at = list[k].q[3];
            }
        }
    }
    return best;
}
