/* SPDX-License-Identifier: MIT */
/* Where an edge or vertex went into another body, what they share is a wedge or a corner between
 * several walls: those that vanish at the contact. A witness is at the centre of the ball that
 * touches all of them, found by Newton's method on the fields: f_i / |g_i| = -s for all i, with
 * the shortest step. The normals at a contact are positively dependent, so that the ball is
 * unique in the space that they span; across it the place of contact is kept. */
#include "ccd/surface/surface_deep.h"

#include "math/vec3.h"

enum { WALLS = 6, newton_steps = 4, SPACE = 3 };

typedef struct wall {
    int side;
    const abut_surface_feature *face;
} wall;

typedef struct wedge {
    wall walls[WALLS];
    int count;
} wedge;

/* Part of the size of a body within which a wall is taken to go through the contact. */
static const double close_by = 1e-6;
static const double much_deeper = 4;

static ABUT_NOINLINE void add_walls(const abut_deep *d, int side, abut_vec3 contact, double t, wedge *out)
{
    const abut_surface *const s = &d->parts[side]->surface;
    const ia3 all = ia3_from(&d->parts[side]->cull.local);
    const double size = fmax(ia_mag(all.x), fmax(ia_mag(all.y), ia_mag(all.z)));
    const double most = close_by * (isfinite(size) ? size : d->size + abut_length(contact));
    for (size_t i = 0; s->implicit && i < s->feature_count; ++i) {
        const abut_surface_feature *const f = &s->features[i];
        abut_field_jet jet;
        if (f->dimension != 2 || f->field_count != 1 || out->count == WALLS ||
            !abut_feature_field(s, f, 0, ia3_point(contact), ia_point(t), 1, d->scratch[side], &jet) ||
            !(fabs(ia_mid(jet.f)) <= most * abut_length(ia3_mid(jet.g))))
            continue;
        out->walls[out->count++] = (wall){ side, f };
    }
}

/* The field of a wall and its derivatives by the coordinates of the witness. */
static bool evaluate(const abut_deep *d, const wall *at, const abut_deep_witness *w,
                     const abut_deep_time *time, double *value, double *row)
{
    const bool is_point = w->kind == ABUT_DEEP_POINT;
    const abut_relative *const r = &time->to[w->side];
    ia3 x, columns[SPACE];
    if (is_point) {
        const ia3 unit[SPACE] = { { ia_point(1), ia_point(0), ia_point(0) },
                                  { ia_point(0), ia_point(1), ia_point(0) },
                                  { ia_point(0), ia_point(0), ia_point(1) } };
        x = (ia3){ ia_point(w->at[0]), ia_point(w->at[1]), ia_point(w->at[2]) };
        memcpy(columns, unit, sizeof unit);
    } else {
        const ia q[2] = { ia_point(w->at[0]), ia_point(w->at[1]) };
        abut_jet jet;
        if (!abut_feature_jet(&d->parts[w->side]->surface, w->face[0], q, time->t, 1, d->scratch[w->side],
                              &jet))
            return false;
        x = jet.p;
        for (int i = 0; i < 2; ++i)
            columns[i] =
                ia3_scale(ia_point(w->face[0]->range[i].hi - w->face[0]->range[i].lo), i ? jet.v : jet.u);
    }
    if (at->side != w->side)
        x = abut_relative_point(r, x).x;
    abut_field_jet field;
    if (!abut_feature_field(&d->parts[at->side]->surface, at->face, 0, x, time->t, 1, d->scratch[at->side],
                            &field))
        return false;
    double square = 0;
    for (int i = 0; i < (is_point ? SPACE : 2); ++i) {
        const ia3 way = at->side == w->side ? columns[i] : abut_relative_direction(r, columns[i]);
        row[i] = abut_dot(ia3_mid(field.g), ia3_mid(way));
        square += row[i] * row[i];
    }
    const double length = sqrt(square);
    if (!(length > 0) || !isfinite(length))
        return false;
    for (int i = 0; i < (is_point ? SPACE : 2); ++i)
        row[i] /= length;
    *value = ia_mid(field.f) / length;
    return true;
}

/* Gaussian elimination with pivoting; false where the matrix is singular. */
static bool solve(double m[WALLS][WALLS + 1], int n)
{
    for (int i = 0; i < n; ++i) {
        int best = i;
        for (int k = i + 1; k < n; ++k)
            if (fabs(m[k][i]) > fabs(m[best][i]))
                best = k;
        if (!(fabs(m[best][i]) > 1e-9))
            return false;
        for (int k = 0; k <= n; ++k) {
            const double kept = m[i][k];
            m[i][k] = m[best][k];
            m[best][k] = kept;
        }
        for (int k = 0; k < n; ++k) {
            const double part = k == i ? 0 : m[k][i] / m[i][i];
            for (int j = i; j <= n && k != i; ++j)
                m[k][j] -= part * m[i][j];
        }
    }
    for (int i = 0; i < n; ++i)
        m[i][n] /= m[i][i];
    return true;
}

static bool step(const abut_deep *d, const wedge *g, const abut_deep_time *time, abut_deep_witness *w)
{
    const int n = w->kind == ABUT_DEEP_POINT ? SPACE : 2;
    double rows[WALLS][SPACE] = { { 0 } }, m[WALLS][WALLS + 1] = { { 0 } };
    for (int i = 0; i < g->count; ++i) {
        if (!evaluate(d, &g->walls[i], w, time, &m[i][g->count], rows[i]))
            return false;
        m[i][g->count] = -m[i][g->count];
    }
    for (int i = 0; i < g->count; ++i)
        for (int k = 0; k < g->count; ++k) {
            m[i][k] = 1;
            for (int j = 0; j < n; ++j)
                m[i][k] += rows[i][j] * rows[k][j];
        }
    if (!solve(m, g->count))
        return false;
    for (int j = 0; j < n; ++j) {
        double far = 0;
        for (int i = 0; i < g->count; ++i)
            far += rows[i][j] * m[i][g->count];
        if (n == SPACE) {
            w->at[j] += far;
            continue;
        }
        const abut_interval range = w->face[0]->range[j];
        w->at[j] = fmin(fmax(w->at[j] + far * (range.hi - range.lo), range.lo), range.hi);
    }
    return true;
}

static ABUT_NOINLINE void centre(const abut_deep *d, const abut_vec3 contact[2], double from, double t,
                                 abut_deep_witness *w, bool *found)
{
    wedge g = { .count = 0 };
    abut_deep_time time;
    for (int side = 0; side < 2; ++side)
        if (w->kind == ABUT_DEEP_POINT || side != w->side)
            add_walls(d, side, contact[side], from, &g);
    abut_deep_place(d, ia_point(t), &time);
    *found = time.defined && g.count >= 2;
    for (int i = 0; i < newton_steps && *found; ++i)
        *found = step(d, &g, &time, w);
}

bool abut_deep_centre(const abut_deep *d, const abut_vec3 contact[2], double from, double t,
                      abut_deep_witness *w)
{
    bool found;
    const abut_rounding saved = abut_rounding_enter();
    centre(d, contact, from, t, w, &found);
    abut_rounding_leave(saved);
    return found;
}

/* ---- about a witness that holds ---- */

/* Walls that it is not much deeper behind than what is shared is thick. */
static bool walls_about(const abut_deep *d, const abut_deep_witness *w, const abut_deep_time *time,
                        wedge *out)
{
    double thick = 0;
    out->count = 0;
    for (int round = 0; round < 2; ++round)
        for (int side = 0; side < 2; ++side) {
            const abut_surface *const s = &d->parts[side]->surface;
            double least = HUGE_VAL;
            if (!s->implicit || (w->kind == ABUT_DEEP_FACE && side == w->side))
                continue;
            for (size_t i = 0; i < s->feature_count; ++i) {
                const wall at = { side, &s->features[i] };
                double value, row[SPACE];
                if (at.face->dimension != 2 || at.face->field_count != 1 ||
                    !evaluate(d, &at, w, time, &value, row))
                    continue;
                least = fmin(least, fabs(value));
                if (round == 0 || !(fabs(value) <= much_deeper * thick))
                    continue;
                if (out->count == WALLS)
                    return false;
                out->walls[out->count++] = at;
            }
            thick += round == 0 ? least : 0;
        }
    return true;
}

/* The direction that leads along all of the walls; none where they span space. */
static bool find_along(const abut_deep *d, const wedge *g, const abut_deep_time *time,
                       const abut_deep_witness *w, double along[SPACE])
{
    double rows[WALLS][SPACE] = { { 0 } }, value, best = 0;
    for (int i = 0; i < g->count; ++i)
        if (!evaluate(d, &g->walls[i], w, time, &value, rows[i]))
            return false;
    if (w->kind == ABUT_DEEP_FACE) {
        along[0] = -rows[0][1];
        along[1] = rows[0][0];
        along[2] = 0;
        return true;
    }
    for (int i = 0; i < g->count; ++i)
        for (int k = 0; k < i; ++k) {
            const abut_vec3 one = { rows[i][0], rows[i][1], rows[i][2] };
            const abut_vec3 two = { rows[k][0], rows[k][1], rows[k][2] }, across = abut_cross(one, two);
            const double length = abut_length(across);
            if (!(length > best))
                continue;
            best = length;
            along[0] = across.x / length;
            along[1] = across.y / length;
            along[2] = across.z / length;
        }
    return best > 0.01;
}

bool abut_deep_recentre(const abut_deep *d, const abut_deep_time *time, abut_deep_witness *w,
                        double along[SPACE])
{
    wedge g;
    const int least = w->kind == ABUT_DEEP_POINT ? 3 : 2;
    if (!time->defined || !walls_about(d, w, time, &g) || g.count < least)
        return false;
    for (int i = 0; i < newton_steps; ++i)
        if (!step(d, &g, time, w))
            return false;
    return find_along(d, &g, time, w, along);
}
