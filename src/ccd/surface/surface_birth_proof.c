/* SPDX-License-Identifier: MIT */
/* Proofs that what was born inside another body is there: a point in the middle of it, a little
 * later, that is inside both. */
#include "ccd/surface/surface_scene.h"

#include "math/vec3.h"
#include "narrow/surface/surface_pair.h"

typedef struct witness {
    ia3 at;           /* the birth, in the frame of one */
    double inward[3]; /* what all the fields there lose at equal rates */
} witness;

/* y = (m + e 1)^-1 b, by elimination; rough. */
static void solve_roughly(int n, double m[ABUT_BIRTH_MAX_FIELDS][ABUT_BIRTH_MAX_FIELDS], double *b)
{
    double trace = 0;
    for (int i = 0; i < n; ++i)
        trace += m[i][i];
    for (int i = 0; i < n; ++i)
        m[i][i] += 1e-9 * trace + DBL_MIN;
    for (int k = 0; k < n; ++k)
        for (int i = k + 1; i < n; ++i) {
            const double l = m[i][k] / m[k][k];
            for (int j = k; j < n; ++j)
                m[i][j] -= l * m[k][j];
            b[i] -= l * b[k];
        }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j)
            b[i] -= m[i][j] * b[j];
        b[i] /= m[i][i];
    }
}

/* The velocity v with g_i . v + dF_i/dt the same for all fields, as far as it goes: the middle
 * of the new part goes that way. */
static ABUT_NOINLINE void find_way(const abut_contact_problem *p, const abut_solution *solution, witness *out)
{
    enum { N = ABUT_BIRTH_MAX_FIELDS };
    ia x[ABUT_PROBLEM_UNKNOWNS];
    for (int i = 0; i <= p->free_count; ++i)
        x[i] = ia_point(ia_mid(ia_from(solution->x[i])));
    const ia t = p->reversed ? ia_neg(x[p->free_count]) : x[p->free_count];
    const int k = abut_birth_field_count(p->one->surface, p->birth);
    double g[N][3], rate[N], mean[3] = { 0, 0, 0 }, mean_rate = 0, m[N][N], b[N];
    out->at = abut_birth_place(p, x);
    memset(out->inward, 0, sizeof out->inward);
    for (int i = 0; i < k; ++i) {
        abut_field_jet jet;
        (void)abut_birth_field(p->one->surface, p->birth, i, out->at, t, 1, p->stage->threads[0].scratch[0],
                               &jet);
        rate[i] = p->reversed ? -ia_mid(jet.t) : ia_mid(jet.t);
        mean_rate += rate[i] / k;
        for (int j = 0; j < 3; ++j) {
            g[i][j] = 0;
            for (int axis = 0; axis < p->free_count; ++axis)
                if (p->free_axes[axis] == j)
                    g[i][j] = ia_mid(ia3_part(jet.g, j));
            mean[j] += g[i][j] / k;
        }
    }
    if (k == 1)
        return;
    for (int i = 0; i < k; ++i) {
        b[i] = mean_rate - rate[i];
        for (int j = 0; j < 3; ++j)
            g[i][j] -= mean[j];
    }
    for (int i = 0; i < k; ++i)
        for (int j = 0; j < k; ++j)
            m[i][j] = g[i][0] * g[j][0] + g[i][1] * g[j][1] + g[i][2] * g[j][2];
    solve_roughly(k, m, b);
    for (int i = 0; i < k; ++i)
        for (int j = 0; j < 3; ++j)
            out->inward[j] += b[i] * g[i][j];
}

/* Whether the middle of the new part is proved inside both, `later` after the birth. */
static ABUT_NOINLINE void meet_at(const abut_contact_problem *p, const witness *w, double t, double later,
                                  bool *meet)
{
    const ia at = ia_point(t);
    ia *const *const scratch = p->stage->threads[0].scratch;
    abut_relative r;
    *meet = false;
    abut_relative_over(p->one, p->two, at, &r);
    if (!r.defined)
        return;
    const abut_vec3 from = ia3_mid(w->at);
    for (int i = 0; i < 2 && !*meet; ++i) {
        const double far = i ? 0 : later;
        const ia3 x =
            ia3_point(abut_add(from, abut_v3(far * w->inward[0], far * w->inward[1], far * w->inward[2])));
        *meet = abut_birth_inside(p->one->surface, x, at, scratch[0]) &&
                abut_surface_inside_over(p->two->surface, abut_relative_point(&r, x).x, at, scratch[1],
                                         NULL) == ABUT_EVERYWHERE;
    }
}

static bool meet_proved(const abut_contact_problem *p, const witness *w, double t, double from)
{
    bool meet;
    const abut_rounding saved = abut_rounding_enter();
    meet_at(p, w, p->reversed ? -t : t, t - from, &meet);
    abut_rounding_leave(saved);
    return meet;
}

/* Looks later and later from `from` on, four times as far each time, then halves back once it is
 * found. */
double abut_birth_meeting(const abut_contact_problem *p, const abut_solution *solution, abut_interval range,
                          double from, double until, abut_vec3 *place)
{
    witness w;
    const abut_rounding saved = abut_rounding_enter();
    find_way(p, solution, &w);
    abut_rounding_leave(saved);
    *place = ia3_mid(w.at);
    const double least = 0x1p-44 * (range.hi - range.lo), end = fmin(range.hi, until);
    const double born = solution->x[p->free_count].lo;
    double before = from, found = HUGE_VAL;
    for (double ahead = least; !isfinite(found) && before < end; ahead *= 4) {
        const double t = fmin(from + ahead, end);
        if (meet_proved(p, &w, t, born))
            found = t;
        else
            before = t;
    }
    for (int i = 0; i < 48 && isfinite(found) && found - before > least; ++i) {
        const double mid = 0.5 * before + 0.5 * found;
        if (!(mid > before && mid < found))
            break;
        if (meet_proved(p, &w, mid, born))
            found = mid;
        else
            before = mid;
    }
    return found;
}
