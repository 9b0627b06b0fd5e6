/* SPDX-License-Identifier: MIT */
/* Charts: features of surface bodies over boxes; see surface_chart.h. */
#include "narrow/surface/surface_chart.h"

#include "surface/body.h"

static ABUT_NOINLINE void find_bounds(abut_placed_surface *s)
{
    s->bounds = abut_surface_bounds(&s->surface, abut_placed_time(s), s->scratch);
    s->place = (ia_affine){ ia33_identity(), { ia_point(0), ia_point(0), ia_point(0) } };
    s->covectors = ia33_identity();
}

/* Finds the bounds, and of closed surfaces that deform the side with the material. */
static abut_status make(abut_status status, double t, abut_interval span, abut_workspace *ws,
                        abut_placed_surface *out)
{
    if (status)
        return status;
    out->moved = out->stretched = false;
    out->t = t;
    out->span = span;
    out->scratch = abut_workspace_take(ws, out->surface.scratch + 1, sizeof *out->scratch);
    if (!out->scratch)
        return ABUT_ERR_MEMORY;
    (void)abut_surface_orient(&out->surface, (abut_interval){ t, t }, out->scratch);
    const abut_rounding saved = abut_rounding_enter();
    find_bounds(out);
    abut_rounding_leave(saved);
    return ABUT_OK;
}

abut_status abut_placed_surface_make(const abut_shape *shape, double t, abut_workspace *ws,
                                     abut_placed_surface *out)
{
    *out = (abut_placed_surface){ 0 };
    const abut_interval now = { t, t };
    return make(abut_shape_surface_over(shape, now, ws, &out->surface), t, now, ws, out);
}

abut_status abut_placed_surface_over(const abut_shape *shape, double t, abut_interval span,
                                     abut_workspace *ws, abut_placed_surface *out)
{
    *out = (abut_placed_surface){ 0 };
    return make(abut_shape_surface_over(shape, span, ws, &out->surface), t, span, ws, out);
}

abut_status abut_placed_spine_make(const abut_shape *shape, double t, abut_workspace *ws,
                                   abut_placed_surface *out)
{
    if (shape->surface)
        return abut_placed_surface_make(shape, t, ws, out);
    *out = (abut_placed_surface){ 0 };
    const abut_status status = abut_shape_spine(shape, ws, &out->surface, &out->swell);
    out->spine = out->swell > 0;
    return make(status, t, (abut_interval){ t, t }, ws, out);
}

static void place_by(const ia33 *back, const ia33 *linear, const abut_place *a, const abut_place *b,
                     abut_placed_surface *out)
{
    out->place.linear = out->covectors = ia33_mul(back, linear);
    out->place.translation =
        ia33_mul3(back, ia3_sub(ia3_from(&b->enclosure.translation), ia3_from(&a->enclosure.translation)));
    out->moved = true;
    out->stretched = false;
}

void abut_surface_relate(const abut_place *a, bool turns_a, const abut_place *b, bool turns_b,
                         abut_placed_surface *out)
{
    const ia33 r_a = turns_a ? ia33_from(&a->enclosure.linear) : ia33_identity();
    const ia33 r_b = turns_b ? ia33_from(&b->enclosure.linear) : ia33_identity();
    const ia33 back = ia33_transpose(&r_a);
    place_by(&back, &r_b, a, b, out);
}

bool abut_surface_relate_affine(const abut_place *a, const abut_place *b, abut_placed_surface *out)
{
    const ia33 m_a = ia33_from(&a->enclosure.linear), m_b = ia33_from(&b->enclosure.linear);
    ia33 back, inverse;
    if (!ia33_invert(&m_a, &back))
        return false;
    place_by(&back, &m_b, a, b, out);
    if (!ia33_invert(&out->place.linear, &inverse))
        return false;
    out->covectors = ia33_transpose(&inverse);
    out->stretched = true;
    return true;
}

void abut_chart_range(const abut_placed_surface *s, const abut_surface_feature *f, ia *q)
{
    if (f->parametric) {
        for (int i = 0; i < f->dimension; ++i)
            q[i] = abut_chart_parameters(f, i);
        return;
    }
    q[0] = s->bounds.x;
    q[1] = s->bounds.y;
    q[2] = s->bounds.z;
}

static ia3 unit_of(int i, ia value)
{
    const ia zero = ia_point(0);
    return (ia3){ i == 0 ? value : zero, i == 1 ? value : zero, i == 2 ? value : zero };
}

static void place_vector(const abut_placed_surface *s, ia3 *x)
{
    if (s->moved)
        *x = ia33_mul3(&s->place.linear, *x);
}

static void place_covector(const abut_placed_surface *s, ia3 *x)
{
    if (s->moved)
        *x = ia33_mul3(&s->covectors, *x);
}

/* ---- parametric ---- */

static void enclose_parametric(const abut_placed_surface *s, const abut_surface_feature *f, const ia *q,
                               int order, abut_chart *out)
{
    const ia zero = ia_point(0);
    const ia parameters[2] = { f->dimension > 0 ? q[0] : zero, f->dimension > 1 ? q[1] : zero };
    abut_jet jet;
    out->defined =
        abut_feature_jet(&s->surface, f, parameters, abut_placed_time(s), order, s->scratch, &jet) &&
        !ia3_is_empty(jet.p);
    out->p = s->moved ? ia_affine_apply(&s->place, jet.p) : jet.p;
    if (order < 1 || f->dimension == 0)
        return;
    place_vector(s, &jet.u);
    out->dp[0] = out->t[0] = jet.u;
    if (f->dimension == 2) {
        place_vector(s, &jet.v);
        place_covector(s, &jet.n);
        out->dp[1] = out->t[1] = jet.v;
        out->n = jet.n;
    }
    if (order < 2)
        return;
    place_vector(s, &jet.uu);
    out->dt[0][0] = jet.uu;
    if (f->dimension < 2)
        return;
    place_vector(s, &jet.uv);
    place_vector(s, &jet.vv);
    out->dt[0][1] = out->dt[1][0] = jet.uv;
    out->dt[1][1] = jet.vv;
    place_covector(s, &jet.nu);
    place_covector(s, &jet.nv);
    out->dn[0] = jet.nu;
    out->dn[1] = jet.nv;
}

/* ---- implicit ---- */

static ia3 hessian_column(const ia *h, int j)
{
    static const int at[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };
    return (ia3){ h[at[0][j]], h[at[1][j]], h[at[2][j]] };
}

static int steepest(ia3 g)
{
    const double size[3] = { fabs(ia_mid(g.x)), fabs(ia_mid(g.y)), fabs(ia_mid(g.z)) };
    return size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
}

/* e_i g_k - e_k g_i */
static ia3 across(ia3 g, int i, int k)
{
    const ia3 p = unit_of(i, ia3_part(g, k)), q = unit_of(k, ia3_part(g, i));
    return ia3_sub(p, q);
}

static void enclose_implicit(const abut_placed_surface *s, const abut_surface_feature *f, const ia *q,
                             int order, int *axis, abut_chart *out)
{
    const ia3 x = { q[0], q[1], q[2] };
    abut_field_jet jet[3];
    out->p = s->moved ? ia_affine_apply(&s->place, x) : x;
    out->defined = true;
    for (int i = 0; i < f->field_count; ++i) {
        if (!abut_feature_field(&s->surface, f, i, x, abut_placed_time(s), order, s->scratch, &jet[i]))
            out->defined = false;
        out->f[i] = jet[i].f;
        if (order > 0)
            out->df[i] = jet[i].g;
    }
    if (order < 1)
        return;
    for (int j = 0; j < 3; ++j) {
        out->dp[j] = unit_of(j, ia_point(1));
        place_vector(s, &out->dp[j]);
    }
    if (f->dimension == 2) {
        if (*axis < 0)
            *axis = steepest(jet[0].g);
        const int k = *axis, others[2] = { (k + 1) % 3, (k + 2) % 3 };
        out->n = jet[0].g;
        for (int i = 0; i < 2; ++i)
            out->t[i] = across(jet[0].g, others[i], k);
        for (int j = 0; order > 1 && j < 3; ++j) {
            const ia3 column = hessian_column(jet[0].h, j);
            out->dn[j] = column;
            for (int i = 0; i < 2; ++i)
                out->dt[i][j] = across(column, others[i], k);
        }
    } else if (f->dimension == 1) {
        out->t[0] = ia3_cross(jet[0].g, jet[1].g);
        for (int j = 0; order > 1 && j < 3; ++j)
            out->dt[0][j] = ia3_add(ia3_cross(hessian_column(jet[0].h, j), jet[1].g),
                                    ia3_cross(jet[0].g, hessian_column(jet[1].h, j)));
    }
    if (f->dimension == 2)
        place_covector(s, &out->n);
    for (int i = 0; i < f->dimension; ++i)
        place_vector(s, &out->t[i]);
    for (int j = 0; order > 1 && j < 3; ++j) {
        if (f->dimension == 2)
            place_covector(s, &out->dn[j]);
        for (int i = 0; i < f->dimension; ++i)
            place_vector(s, &out->dt[i][j]);
    }
}

void abut_chart_enclose(const abut_placed_surface *s, const abut_surface_feature *f, const ia *q, int order,
                        int *axis, abut_chart *out)
{
    out->unknowns = abut_chart_unknowns(f);
    out->own = f->parametric ? 0 : f->field_count;
    out->tangents = f->dimension;
    out->face = f->dimension == 2;
    if (f->parametric)
        enclose_parametric(s, f, q, order, out);
    else
        enclose_implicit(s, f, q, order, axis, out);
}

/* Multipliers of the gradients g whose sum is as near to n as can be: the normal equations, by elimination. Of
 * gradients that are dependent on others before them, 0. */
static void fit_multipliers(double g[3][3], int count, const double n[3], double l[3])
{
    double a[3][4] = { { 0 } };
    for (int i = 0; i < count; ++i) {
        a[i][3] = n[0] * g[i][0] + n[1] * g[i][1] + n[2] * g[i][2];
        for (int k = 0; k < count; ++k)
            a[i][k] = g[i][0] * g[k][0] + g[i][1] * g[k][1] + g[i][2] * g[k][2];
    }
    for (int i = 0; i < count; ++i) {
        const double square = g[i][0] * g[i][0] + g[i][1] * g[i][1] + g[i][2] * g[i][2];
        l[i] = a[i][i] > 1e-12 * square ? 1 : 0;
        for (int k = i + 1; k < count && l[i] > 0; ++k) {
            const double part = a[k][i] / a[i][i];
            for (int j = i; j < 4; ++j)
                a[k][j] -= part * a[i][j];
        }
    }
    for (int i = count - 1; i >= 0; --i) {
        double rest = a[i][3];
        for (int k = i + 1; k < count; ++k)
            rest -= a[i][k] * l[k];
        l[i] = l[i] > 0 ? rest / a[i][i] : 0;
    }
}

/* Parametric: the mean value form. Implicit: with n the direction and any number l, a point x of
 * the feature has
 *     n . (x - m) = (n - l g) . (x - m) + l g . (x - m),    g . (x - m) = -f(m)
 * for some gradient g in the box, so that for l = n . g / g . g the first factor is as small as
 * the gradient varies. Edges have two such fields, and vertices three: all are taken out together. */
ia abut_chart_reach(const abut_chart *chart, const abut_chart *middle, const ia *q, const double *mid,
                    ia3 direction, bool parametric)
{
    ia sum = ia_point(0);
    if (parametric) {
        for (int i = 0; i < chart->unknowns; ++i)
            sum = ia_add(sum, ia_mul(ia3_dot(chart->dp[i], direction), ia_sub(q[i], ia_point(mid[i]))));
        return sum;
    }
    ia n[3]; /* the direction in the body's frame: dp are the columns of its linear part */
    double way[3], g[3][3], l[3];
    for (int i = 0; i < 3; ++i) {
        n[i] = ia3_dot(chart->dp[i], direction);
        way[i] = ia_mid(n[i]);
    }
    for (int k = 0; k < chart->own; ++k) {
        g[k][0] = ia_mid(middle->df[k].x);
        g[k][1] = ia_mid(middle->df[k].y);
        g[k][2] = ia_mid(middle->df[k].z);
    }
    fit_multipliers(g, chart->own, way, l);
    for (int k = 0; k < chart->own; ++k) {
        if (l[k] == 0 || !(fabs(l[k]) < HUGE_VAL))
            continue;
        for (int i = 0; i < 3; ++i)
            n[i] = ia_sub(n[i], ia_scale(l[k], ia3_part(chart->df[k], i)));
        sum = ia_sub(sum, ia_scale(l[k], middle->f[k]));
    }
    for (int i = 0; i < 3; ++i)
        sum = ia_add(sum, ia_mul(n[i], ia_sub(q[i], ia_point(mid[i]))));
    return sum;
}

void abut_chart_find_walls(const abut_placed_surface *s, const abut_surface_feature *f, const ia *q,
                           const double *mid, abut_chart_walls *out)
{
    uint32_t wall[ABUT_FEATURE_MAX_WALLS];
    const ia3 x = { q[0], q[1], q[2] }, m = { ia_point(mid[0]), ia_point(mid[1]), ia_point(mid[2]) };
    const ia t = abut_placed_time(s);
    const int count = f->parametric ? 0 : abut_feature_walls(&s->surface, f, x, t, s->scratch, wall);
    out->count = 0;
    for (int i = 0; i < count; ++i) {
        abut_field_jet over, at;
        const int k = out->count;
        if (!abut_wall_field(&s->surface, wall[i], x, t, 1, s->scratch, &over) ||
            !abut_wall_field(&s->surface, wall[i], m, t, 1, s->scratch, &at))
            continue;
        out->wall[k] = wall[i];
        out->f[k] = at.f;
        out->at[k] = at.g;
        out->over[k] = over.g;
        ++out->count;
    }
}

/* One of the fields of a feature or of the walls that end it. */
typedef struct slope {
    ia f; /* in the middle */
    ia3 at, over;
    bool wall;
} slope;

/* Least squares, without the walls that would get negative multipliers. The number of what is left. */
static int fit_slopes(slope *s, int count, const double way[3], double l[3])
{
    for (;;) {
        double g[3][3];
        int worst = -1;
        for (int k = 0; k < count; ++k) {
            const abut_vec3 v = ia3_mid(s[k].at);
            g[k][0] = v.x;
            g[k][1] = v.y;
            g[k][2] = v.z;
        }
        fit_multipliers(g, count, way, l);
        for (int k = 0; k < count; ++k)
            if (s[k].wall && !(l[k] >= 0) && (worst < 0 || l[k] < l[worst]))
                worst = k;
        if (worst < 0)
            return count;
        --count;
        for (int k = worst; k < count; ++k)
            s[k] = s[k + 1];
    }
}

/* With f = 0 on the feature and g <= 0 where a wall ends it, for any number l and any u >= 0
 *     n . (x - m) = (n - l df - u dg) . (x - m) - l f(m) + u (g(x) - g(m))
 *                <= (n - l df - u dg) . (x - m) - l f(m) - u g(m). */
double abut_chart_rise(const abut_chart *chart, const abut_chart *middle, const abut_chart_walls *walls,
                       const ia *q, const double *mid, ia3 direction)
{
    enum { MOST = 3 };
    slope used[MOST];
    ia n[3], sum = ia_point(0);
    double way[3], l[MOST];
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        n[i] = ia3_dot(chart->dp[i], direction);
        way[i] = ia_mid(n[i]);
    }
    for (int k = 0; k < chart->own && count < MOST; ++k)
        used[count++] = (slope){ middle->f[k], middle->df[k], chart->df[k], false };
    for (int k = 0; k < walls->count && count < MOST; ++k)
        used[count++] = (slope){ walls->f[k], walls->at[k], walls->over[k], true };
    count = fit_slopes(used, count, way, l);
    for (int k = 0; k < count; ++k) {
        if (l[k] == 0 || !(fabs(l[k]) < HUGE_VAL))
            continue;
        for (int j = 0; j < 3; ++j)
            n[j] = ia_sub(n[j], ia_scale(l[k], ia3_part(used[k].over, j)));
        sum = ia_sub(sum, ia_scale(l[k], used[k].f));
    }
    for (int i = 0; i < 3; ++i)
        sum = ia_add(sum, ia_mul(n[i], ia_sub(q[i], ia_point(mid[i]))));
    return ia_hi(sum);
}

ia3 abut_placed_local(const abut_placed_surface *s, ia3 x)
{
    if (!s->moved)
        return x;
    const ia33 back = ia33_transpose(&s->covectors);
    return ia33_mul3(&back, ia3_sub(x, s->place.translation));
}

abut_truth abut_placed_inside(const abut_placed_surface *s, ia3 x)
{
    if (!s->surface.implicit)
        return ABUT_SOMEWHERE;
    return abut_surface_inside(&s->surface, abut_placed_local(s, x), abut_placed_time(s), s->scratch);
}
