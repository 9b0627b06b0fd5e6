/* SPDX-License-Identifier: MIT */
/* Cells of curved surfaces: boxes of their parameters, or of space where a feature is known by fields.
 *
 * The axes of a cell's box are the normal in its middle and two directions across it. Along each the
 * points of the feature are enclosed by mean values (abut_chart_reach), so that the box is thin to
 * second order in the size of the cell. Directions are doubles that steer; enclosures hold for any. */
#include "math/vec3.h"
#include "narrow/cover/cover.h"

enum { STEPS = 4 };
/* Of the body: cells in which a point of it is searched for by trial. */
static const double small = 1e-4;

static const abut_surface_feature *feature_of(const abut_cover_body *body, const abut_cover_cell *cell)
{
    return &body->surface.surface.features[cell->feature];
}

/* Two unit vectors across w, which is one. */
static void across(abut_vec3 w, abut_vec3 *u, abut_vec3 *v)
{
    const abut_vec3 x = { 1, 0, 0 }, y = { 0, 1, 0 };
    *u = abut_unit_or(abut_cross(w, fabs(w.x) < 0.6 ? x : y), x);
    *v = abut_cross(w, *u);
}

static void choose_axes(const abut_chart *middle, int dimension, abut_vec3 axis[3])
{
    const abut_vec3 z = { 0, 0, 1 };
    if (dimension == 2) {
        axis[2] = abut_unit_or(ia3_mid(middle->n), z);
        const abut_vec3 t = ia3_mid(middle->t[0]);
        abut_vec3 u, v;
        across(axis[2], &u, &v);
        axis[0] = abut_unit_or(abut_madd(t, -abut_dot(t, axis[2]), axis[2]), u);
        axis[1] = abut_cross(axis[2], axis[0]);
    } else {
        axis[0] = dimension == 1 ? abut_unit_or(ia3_mid(middle->t[0]), z) : z;
        across(axis[0], &axis[1], &axis[2]);
    }
}

/* Turns the axes of a face so that one is across a wall that ends it: the box ends there, too. */
static void face_wall(const abut_placed_surface *s, const abut_chart_walls *walls, abut_vec3 axis[3])
{
    const ia3 slope = s->moved ? ia33_mul3(&s->covectors, walls->at[0]) : walls->at[0];
    const abut_vec3 g = ia3_mid(slope);
    const abut_vec3 t = abut_madd(g, -abut_dot(g, axis[2]), axis[2]);
    if (!(abut_length(t) > 0x1p-10 * abut_length(g)))
        return;
    axis[0] = abut_unit_or(t, axis[0]);
    axis[1] = abut_cross(axis[2], axis[0]);
}

static double half_width(ia a)
{
    return 0.5 * (ia_hi(a) - ia_lo(a)) * (1 + 0x1p-50);
}

/* The cone of normals over the cell. */
static void fit_normals(const abut_chart *chart, int dimension, abut_cell *at)
{
    at->wide = true;
    if (dimension != 2)
        return;
    const abut_vec3 n = ia3_mid(chart->n);
    const double x = half_width(chart->n.x), y = half_width(chart->n.y), z = half_width(chart->n.z);
    const double length = abut_length(n), off = sqrt(x * x + y * y + z * z);
    const double sine = off / length * (1 + 0x1p-40);
    if (!(sine < 1))
        return;
    at->wide = false;
    at->normal = abut_scale(1 / length, n);
    at->cone_sin = sine;
    at->cone_cos = sqrt((1 - sine) * (1 + sine)) * (1 - 0x1p-40);
}

/* Which unknown to halve: that along which the cell is longest. */
static int longest(const abut_chart *chart, const abut_surface_feature *f, const abut_cover_cell *cell)
{
    int k = 0;
    double most = -1;
    for (int i = 0; i < abut_chart_unknowns(f); ++i) {
        const double width = cell->q[i].hi - cell->q[i].lo;
        double rate = 1;
        if (f->parametric) {
            const ia3 d = chart->dp[i];
            rate = fmax(fmax(ia_hi(ia_abs(d.x)), ia_hi(ia_abs(d.y))), ia_hi(ia_abs(d.z)));
            if (!(rate < INFINITY) || !chart->defined)
                rate = 1 / (f->range[i].hi - f->range[i].lo);
        }
        if (rate * width > most) {
            most = rate * width;
            k = i;
        }
    }
    return k;
}

/* Whether the points of the box where the fields vanish are of the feature. */
static abut_truth holds(const abut_placed_surface *s, const abut_surface_feature *f, const ia *q,
                        const abut_chart *chart)
{
    for (int k = 0; k < chart->own; ++k)
        if (!ia_contains_zero(chart->f[k]))
            return ABUT_NOWHERE;
    return f->parametric
               ? ABUT_EVERYWHERE
               : abut_feature_on(&s->surface, f, (ia3){ q[0], q[1], q[2] }, abut_placed_time(s), s->scratch);
}

/* Kernel. The part of a box of space in which f(m) + g . (x - m) = 0 for some gradient g of the box, solved for
 * a coordinate. False: nowhere. */
static bool solve_for(ia f, const ia g[3], const double mid[3], int i, ia q[3])
{
    if (ia_contains_zero(g[i]))
        return true;
    ia rest = f;
    for (int j = 0; j < 3; ++j)
        if (j != i)
            rest = ia_add(rest, ia_mul(g[j], ia_sub(q[j], ia_point(mid[j]))));
    q[i] = ia_intersect(q[i], ia_sub(ia_point(mid[i]), ia_div(rest, g[i])));
    return !ia_is_empty(q[i]);
}

/* Rows of about the inverse of two gradients in the coordinates i and k, or of three in all. */
static int find_inverse(double g[3][3], int count, int unknown[3], double rows[3][3])
{
    if (count == 3) {
        double det = 0;
        for (int k = 0; k < 3; ++k) {
            const int a = (k + 1) % 3, b = (k + 2) % 3;
            unknown[k] = k;
            for (int i = 0; i < 3; ++i) {
                const int c = (i + 1) % 3, d = (i + 2) % 3;
                rows[k][i] = g[c][a] * g[d][b] - g[c][b] * g[d][a];
            }
        }
        for (int i = 0; i < 3; ++i)
            det += g[i][0] * rows[0][i];
        for (int k = 0; k < 9; ++k)
            rows[k / 3][k % 3] /= det;
        return isfinite(1 / det) ? 3 : 0;
    }
    double most = 0;
    for (int k = 0; k < 3 && count == 2; ++k) {
        const int a = (k + 1) % 3, b = (k + 2) % 3;
        const double det = g[0][a] * g[1][b] - g[0][b] * g[1][a];
        if (!(fabs(det) > most))
            continue;
        most = fabs(det);
        unknown[0] = a;
        unknown[1] = b;
        rows[0][0] = g[1][b] / det;
        rows[0][1] = -g[0][b] / det;
        rows[1][0] = -g[1][a] / det;
        rows[1][1] = g[0][a] / det;
    }
    return most > 0 && isfinite(1 / most) ? 2 : 0;
}

/* Kernel. The part of a box of space in which the fields may vanish: of each, then of edges and vertices of
 * their combinations that depend on one of the coordinates most (Gauss and Seidel's method). False: nowhere. */
static bool contract(const abut_chart *chart, const abut_chart *middle, const double mid[3], ia q[3])
{
    double g[3][3], rows[3][3];
    int unknown[3];
    for (int f = 0; f < chart->own; ++f) {
        const ia over[3] = { chart->df[f].x, chart->df[f].y, chart->df[f].z };
        for (int i = 0; i < 3; ++i) {
            g[f][i] = ia_mid(over[i]);
            if (!solve_for(middle->f[f], over, mid, i, q))
                return false;
        }
    }
    const int count = find_inverse(g, chart->own, unknown, rows);
    for (int k = 0; k < count; ++k) {
        ia f = ia_point(0), over[3] = { f, f, f };
        for (int i = 0; i < count; ++i) {
            const ia row = ia_point(rows[k][i]);
            f = ia_add(f, ia_mul(row, middle->f[i]));
            for (int j = 0; j < 3; ++j)
                over[j] = ia_add(over[j], ia_mul(row, ia3_part(chart->df[i], j)));
        }
        if (!solve_for(f, over, mid, unknown[k], q))
            return false;
    }
    return true;
}

static ABUT_NOINLINE void fit(const abut_cover_body *body, abut_cover_cell *cell, bool *some)
{
    const abut_placed_surface *s = &body->here;
    const abut_surface_feature *f = feature_of(body, cell);
    const int n = abut_chart_unknowns(f);
    abut_chart chart, middle;
    ia q[3], at[3];
    double mid[3];
    int axis = -1;
    for (int k = 0; k < n; ++k) {
        q[k] = ia_from(cell->q[k]);
        mid[k] = cell->start[k] = ia_mid(q[k]);
        at[k] = ia_point(mid[k]);
    }
    *some = false;
    abut_chart_enclose(s, f, q, 1, &axis, &chart);
    const abut_truth held = holds(s, f, q, &chart);
    if (held == ABUT_NOWHERE)
        return;
    axis = -1;
    abut_chart_enclose(s, f, at, 1, &axis, &middle);
    if (!f->parametric && chart.defined && middle.defined) {
        if (!contract(&chart, &middle, mid, q))
            return;
        bool less = false;
        for (int k = 0; k < 3; ++k) {
            less = less || ia_width(q[k]) < 0.75 * (cell->q[k].hi - cell->q[k].lo);
            cell->q[k] = ia_to(q[k]);
        }
        if (less) {
            fit(body, cell, some);
            return;
        }
        for (int k = 0; k < 3; ++k)
            q[k] = ia_from(cell->q[k]);
        chart.p = (ia3){ q[0], q[1], q[2] };
    }
    abut_cover_box *c = &cell->own;
    const bool useful = chart.defined && middle.defined;
    const ia3 around = useful || !f->parametric ? chart.p : s->bounds;
    const abut_vec3 centre = useful ? ia3_mid(middle.p) : ia3_mid(around);
    choose_axes(&middle, useful ? f->dimension : 0, c->axis);
    abut_chart_walls walls = { .count = 0 };
    if (useful && held == ABUT_SOMEWHERE) {
        abut_chart_find_walls(s, f, q, mid, &walls);
        if (walls.count && f->dimension == 2)
            face_wall(s, &walls, c->axis);
    }
    cell->wall_count = walls.count;
    for (int i = 0; i < walls.count; ++i)
        cell->wall[i] = walls.wall[i];
    abut_vec3 shifted = centre;
    double square = 0;
    for (int k = 0; k < 3; ++k) {
        const ia3 u = ia3_point(c->axis[k]);
        ia reach = ia3_dot(ia3_sub(around, ia3_point(centre)), u);
        if (useful) {
            const ia first = ia3_dot(ia3_sub(middle.p, ia3_point(centre)), u);
            reach = ia_intersect(reach,
                                 ia_add(first, abut_chart_reach(&chart, &middle, q, mid, u, f->parametric)));
            if (walls.count) {
                const double lo = -abut_chart_rise(&chart, &middle, &walls, q, mid, ia3_neg(u)),
                             hi = abut_chart_rise(&chart, &middle, &walls, q, mid, u);
                if (!(lo <= hi)) /* nothing of the body is there */
                    return;
                reach = ia_intersect(reach, ia_add(first, ia_make(lo, hi)));
            }
        }
        if (ia_is_empty(reach))
            return;
        shifted = abut_madd(shifted, ia_mid(reach), c->axis[k]);
        c->half[k] = half_width(reach) + body->own_slack;
        square += c->half[k] * c->half[k];
    }
    c->center = shifted;
    c->radius = sqrt(square) * (1 + 0x1p-40);
    abut_cell *to = &cell->at;
    to->kind = f->dimension == 2 ? ABUT_CELL_PLANE : f->dimension == 1 ? ABUT_CELL_SEGMENT : ABUT_CELL_POINT;
    to->part = cell->feature;
    cell->space = !f->parametric;
    to->state = ABUT_CELL_IN;
    fit_normals(&chart, useful ? f->dimension : 0, to);
    c->normal = to->normal;
    if (body->rounded && !s->surface.solid) /* such spines have no side */
        to->wide = true;
    cell->along = longest(&chart, f, cell);
    *some = true;
}

bool abut_cover_fit_chart(const abut_cover_body *body, abut_cover_cell *cell)
{
    bool some;
    const abut_rounding saved = abut_rounding_enter();
    fit(body, cell, &some);
    abut_rounding_leave(saved);
    return some;
}

/* ---- points ---- */

static double clamp(double x, abut_interval to)
{
    return x < to.lo ? to.lo : x > to.hi ? to.hi : x;
}

/* Gauss and Newton's method for the nearest point, in the parameters of the cell. */
static bool project_parametric(const abut_placed_surface *s, const abut_surface_feature *f,
                               abut_cover_cell *cell, abut_vec3 p, double slack, abut_vec3 *out)
{
    double at[2] = { cell->start[0], cell->start[1] };
    abut_chart c;
    int axis = -1;
    for (int i = 0; i < STEPS; ++i) {
        const ia q[2] = { ia_point(at[0]), ia_point(at[1]) };
        abut_chart_enclose(s, f, q, i + 1 < STEPS && f->dimension > 0, &axis, &c);
        if (!c.defined || i + 1 == STEPS || f->dimension == 0)
            break;
        const abut_vec3 d = abut_sub(p, ia3_mid(c.p)), u = ia3_mid(c.dp[0]);
        double step[2] = { abut_dot(d, u) / abut_dot(u, u), 0 };
        if (f->dimension == 2) {
            const abut_vec3 v = ia3_mid(c.dp[1]);
            const double a = abut_dot(u, u), b = abut_dot(u, v), e = abut_dot(v, v), det = a * e - b * b;
            const double x = abut_dot(d, u), y = abut_dot(d, v);
            if (det > 1e-12 * a * e) {
                step[0] = (x * e - y * b) / det;
                step[1] = (y * a - x * b) / det;
            }
        }
        for (int k = 0; k < f->dimension; ++k)
            at[k] = isfinite(step[k]) ? clamp(at[k] + step[k], cell->q[k]) : at[k];
    }
    cell->start[0] = at[0];
    cell->start[1] = at[1];
    *out = ia3_mid(c.p);
    const double width = fmax(half_width(c.p.x), fmax(half_width(c.p.y), half_width(c.p.z)));
    return c.defined && width <= slack;
}

/* Fields to step on: those of the feature, and of walls that end it those that the point is beyond. */
typedef struct footing {
    const abut_placed_surface *s;
    const abut_surface_feature *f;
    const abut_cover_cell *cell;
    bool beyond[ABUT_FEATURE_MAX_WALLS];
} footing;

enum { SLOPES = 3 };

/* Number of fields, or -1 where they are not defined. */
static int slopes_at(footing *on, abut_vec3 x, double f[SLOPES], abut_vec3 g[SLOPES])
{
    const abut_placed_surface *const s = on->s;
    const ia t = abut_placed_time(s);
    abut_field_jet jet;
    int count = 0;
    for (int i = 0; i < on->f->field_count; ++i, ++count) {
        if (!abut_feature_field(&s->surface, on->f, i, ia3_point(x), t, 1, s->scratch, &jet))
            return -1;
        f[count] = ia_mid(jet.f);
        g[count] = ia3_mid(jet.g);
    }
    for (int i = 0; i < on->cell->wall_count && count < SLOPES; ++i) {
        if (!abut_wall_field(&s->surface, on->cell->wall[i], ia3_point(x), t, 1, s->scratch, &jet))
            continue;
        on->beyond[i] = on->beyond[i] || ia_mid(jet.f) > 0;
        if (on->beyond[i]) {
            f[count] = ia_mid(jet.f);
            g[count++] = ia3_mid(jet.g);
        }
    }
    return count;
}

/* The step of least length to where the fields vanish to first order, after a step along all of them: of d
 * what is across no gradient is taken. *inward: into the material. False where gradients are dependent. */
static bool step_field(footing *on, abut_vec3 x, abut_vec3 d, abut_vec3 *step, abut_vec3 *inward)
{
    abut_vec3 e[SLOPES], g[SLOPES];
    double c[SLOPES], f[SLOPES];
    const int count = slopes_at(on, x, f, g);
    *inward = abut_v3(0, 0, 0);
    *step = d;
    if (count < 0)
        return false;
    for (int i = 0; i < count; ++i) {
        const double size = abut_length(g[i]);
        abut_vec3 rest = g[i];
        double wanted = -f[i];
        for (int k = 0; k < i; ++k) {
            const double along = abut_dot(g[i], e[k]);
            rest = abut_madd(rest, -along, e[k]);
            wanted -= along * c[k];
        }
        const double left = abut_length(rest);
        if (!(left > 1e-6 * size))
            return false;
        e[i] = abut_scale(1 / left, rest);
        c[i] = wanted / left;
        *inward = abut_madd(*inward, -1 / size, g[i]);
    }
    for (int i = 0; i < count; ++i)
        *step = abut_madd(*step, c[i] - abut_dot(d, e[i]), e[i]);
    return true;
}

/* Away from walls that x is on as nearly as `room` tells, too. */
static abut_vec3 away_from_walls(const footing *on, abut_vec3 x, double room, abut_vec3 inward)
{
    const abut_placed_surface *const s = on->s;
    for (int i = 0; i < on->cell->wall_count; ++i) {
        abut_field_jet jet;
        if (on->beyond[i] || !abut_wall_field(&s->surface, on->cell->wall[i], ia3_point(x),
                                              abut_placed_time(s), 1, s->scratch, &jet))
            continue;
        const abut_vec3 g = ia3_mid(jet.g);
        const double size = abut_length(g);
        if (ia_mid(jet.f) > -room * size)
            inward = abut_madd(inward, -1 / size, g);
    }
    return abut_unit_or(inward, abut_v3(0, 0, 0));
}

static bool is_inside(const abut_placed_surface *s, abut_vec3 y)
{
    return abut_surface_inside(&s->surface, ia3_point(y), abut_placed_time(s), s->scratch) == ABUT_EVERYWHERE;
}

/* Along the feature toward p, and back to it; then a little into the material. *singular: gradients do not say
 * how. */
static bool project_along(const abut_placed_surface *s, const abut_surface_feature *f, abut_cover_cell *cell,
                          abut_vec3 to, double slack, abut_vec3 *out, bool *singular)
{
    const abut_vec3 none = { 0, 0, 0 };
    abut_vec3 x = { cell->start[0], cell->start[1], cell->start[2] }, inward = { 0, 0, 0 };
    footing on = { s, f, cell, { false } };
    for (int i = 0; i < STEPS + 1; ++i) {
        abut_vec3 step;
        *singular = !step_field(&on, x, i + 1 < STEPS ? abut_sub(to, x) : none, &step, &inward);
        if (*singular)
            return false;
        x = abut_add(x, step);
        x = abut_v3(clamp(x.x, cell->q[0]), clamp(x.y, cell->q[1]), clamp(x.z, cell->q[2]));
    }
    if (!abut_is_finite3(x))
        return false;
    inward = away_from_walls(&on, x, 16 * slack, inward);
    for (double off = 2; off < 1e5; off *= 16) {
        *out = abut_madd(x, off * slack, inward);
        if (!is_inside(s, *out))
            continue;
        cell->start[0] = x.x;
        cell->start[1] = x.y;
        cell->start[2] = x.z;
        return true;
    }
    return false;
}

/* At an apex, or where surfaces touch, gradients say nothing: of points around the cell, the one in the body that
 * is nearest. */
static bool find_beside(const abut_placed_surface *s, const abut_cover_cell *cell, abut_vec3 to, double slack,
                        abut_vec3 *out)
{
    const double half[3] = { 0.5 * (cell->q[0].hi - cell->q[0].lo), 0.5 * (cell->q[1].hi - cell->q[1].lo),
                             0.5 * (cell->q[2].hi - cell->q[2].lo) };
    const abut_vec3 mid = { cell->q[0].lo + half[0], cell->q[1].lo + half[1], cell->q[2].lo + half[2] };
    const double radius = fmax(half[0], fmax(half[1], half[2])) + 2 * slack;
    double best = INFINITY;
    for (int i = 0; i < 27; ++i) {
        const int x = i % 3 - 1, y = i / 3 % 3 - 1, z = i / 9 - 1;
        const abut_vec3 p = abut_add(mid, abut_scale(radius, abut_v3(x, y, z))), d = abut_sub(p, to);
        if (abut_dot(d, d) < best && is_inside(s, p)) {
            best = abut_dot(d, d);
            *out = p;
        }
    }
    return best < INFINITY;
}

static bool project_field(const abut_cover_body *body, const abut_surface_feature *f, abut_cover_cell *cell,
                          abut_vec3 p, double slack, abut_vec3 *out)
{
    const abut_placed_surface *s = &body->surface;
    if (!s->surface.implicit)
        return false;
    const abut_vec3 to = ia3_mid(abut_placed_local(s, ia3_point(p)));
    abut_vec3 y;
    bool singular = false;
    if (!project_along(s, f, cell, to, slack, &y, &singular) &&
        !((singular || cell->own.radius < small * body->size) && find_beside(s, cell, to, slack, &y)))
        return false;
    *out = ia3_mid(s->moved ? ia_affine_apply(&s->place, ia3_point(y)) : ia3_point(y));
    return true;
}

static ABUT_NOINLINE void project(const abut_cover_body *body, abut_cover_cell *cell, const abut_vec3 *p,
                                  double slack, abut_vec3 *out, bool *found)
{
    const abut_surface_feature *f = feature_of(body, cell);
    *found = f->parametric ? project_parametric(&body->surface, f, cell, *p, slack, out)
                           : project_field(body, f, cell, *p, slack, out);
}

bool abut_cover_project_chart(const abut_cover_body *body, abut_cover_cell *cell, abut_vec3 p, double slack,
                              abut_vec3 *out)
{
    bool found;
    const abut_rounding saved = abut_rounding_enter();
    project(body, cell, &p, slack, out, &found);
    abut_rounding_leave(saved);
    return found;
}
