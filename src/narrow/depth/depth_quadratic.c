/* SPDX-License-Identifier: MIT */
/* The bound over one cell of depth_cells.c: a quadratic below g(v) - r |v|, and its least value
 * over the polygon.
 *
 * g(v) = L . v + |M_a v| + |M_b v| is the support function of a piece of either body. About a
 * direction m let v = m + d, d across m. |M v| = l + x + N / (l^2 (|M v| + l + x)), l = |M m|, x
 * its slope along d, N a form in d; the divisor is convex in d, and with its largest value at a
 * corner, and |v| <= 1 + d^2 / 2, what is left is a constant, a slope and a form: exact at m,
 * and above by no more than the third order. Rounding: docs/notes/depth.md. */
#include "narrow/depth/depth_cell.h"

/* c + e . d + d . s d / 2 over the plane across m. */
typedef struct model {
    abut_vec3 m, t[2];
    double c, e[2], s[3]; /* s: 11, 12, 22 */
    double x[ABUT_DEPTH_CORNERS], y[ABUT_DEPTH_CORNERS];
} model;

static double model_at(const model *q, double x, double y)
{
    return q->c + q->e[0] * x + q->e[1] * y + 0.5 * (q->s[0] * x * x + 2 * q->s[1] * x * y + q->s[2] * y * y);
}

/* With l = |M m| and x the slope of it along d, |M v| - (l + x) = N / (l^2 (|M v| + l + x)), N =
 * |cof(M) (m x d)|^2 a form in d. The divisor is convex in d, and largest at a corner. */
static void add_length(const abut_depth_body *b, const abut_depth_piece *p, const abut_depth_cell *c,
                       model *q)
{
    const double cof[3] = { p->h[1] * p->h[2], p->h[0] * p->h[2], p->h[0] * p->h[1] };
    double square = 0, e[2] = { 0, 0 }, s[3] = { 0, 0, 0 };
    if (!(p->h[0] > 0))
        return;
    for (int j = 0; j < 3; ++j) {
        const double h = p->h[j], along = h * abut_dot(b->axis[j], q->m);
        const double x = abut_dot(b->axis[j], q->t[0]), y = abut_dot(b->axis[j], q->t[1]);
        square += along * along;
        e[0] += along * h * x;
        e[1] += along * h * y;
        /* m x t0 = t1, m x t1 = -t0 */
        s[0] += cof[j] * y * cof[j] * y;
        s[1] -= cof[j] * y * cof[j] * x;
        s[2] += cof[j] * x * cof[j] * x;
    }
    const double l = sqrt(square);
    if (!(l > 0))
        return;
    double most = 0;
    for (int j = 0; j < c->count; ++j) {
        const double far = abut_depth_length(b, p, c->corner[j]) / abut_dot(c->corner[j], q->m);
        const double sum = far + l + (e[0] * q->x[j] + e[1] * q->y[j]) / l;
        most = sum > most ? sum : most;
    }
    const double over = (2 - 0x1p-39) / (square * (most + 0x1p-45 * b->size));
    q->c += l;
    for (int j = 0; j < 2; ++j)
        q->e[j] += e[j] / l;
    for (int j = 0; j < 3; ++j)
        q->s[j] += over * s[j];
}

static void set_model(const abut_depth_body b[2], const abut_depth_cell *c, double least, abut_vec3 m,
                      model *q)
{
    const abut_vec3 axis = fabs(m.x) < 0.6 ? abut_v3(1, 0, 0) : abut_v3(0, 1, 0);
    q->m = m;
    q->t[0] = abut_depth_unit(abut_cross(m, axis));
    q->t[1] = abut_cross(m, q->t[0]);
    const abut_vec3 linear = abut_add(c->of[0].at, c->of[1].at);
    q->c = abut_dot(linear, m) - least;
    q->e[0] = abut_dot(linear, q->t[0]);
    q->e[1] = abut_dot(linear, q->t[1]);
    q->s[0] = q->s[2] = -least;
    q->s[1] = 0;
    for (int j = 0; j < c->count; ++j) {
        const double over = 1 / abut_dot(c->corner[j], m);
        q->x[j] = over * abut_dot(c->corner[j], q->t[0]);
        q->y[j] = over * abut_dot(c->corner[j], q->t[1]);
    }
    for (int i = 0; i < 2; ++i)
        add_length(&b[i], &c->of[i], c, q);
}

/* The least over the polygon, and where. Otherwise the bottom counts as inside: that is lower. A
 * form that is not clearly positive is lowered until it has no bottom: its least is on an edge. */
static double least_of_model(model *q, int count, double *at_x, double *at_y)
{
    const double mean = 0.5 * (q->s[0] + q->s[2]), half = 0.5 * (q->s[0] - q->s[2]),
                 root = sqrt(half * half + q->s[1] * q->s[1]), low = mean - root, high = fabs(mean) + root;
    double least = INFINITY;
    if (low > 0x1p-30 * high) {
        const double det = q->s[0] * q->s[2] - q->s[1] * q->s[1];
        const double x = -(q->s[2] * q->e[0] - q->s[1] * q->e[1]) / det,
                     y = -(q->s[0] * q->e[1] - q->s[1] * q->e[0]) / det;
        bool inside = true;
        for (int j = 0; j < count && inside; ++j) {
            const int i = j + 1 == count ? 0 : j + 1;
            const double dx = q->x[i] - q->x[j], dy = q->y[i] - q->y[j];
            inside = dx * (y - q->y[j]) - dy * (x - q->x[j]) >=
                     -0x1p-40 * (fabs(dx) + fabs(dy)) - 0x1p-46 * (1 + fabs(x) + fabs(y));
        }
        if (inside) {
            const double off = 0x1p-48 * (high * (fabs(x) + fabs(y)) + fabs(q->e[0]) + fabs(q->e[1]));
            *at_x = x;
            *at_y = y;
            return model_at(q, x, y) - off * off / low;
        }
    } else if (low > 0) {
        q->s[0] -= low + 0x1p-40 * high;
        q->s[2] -= low + 0x1p-40 * high;
    }
    for (int j = 0; j < count; ++j) {
        const int i = j + 1 == count ? 0 : j + 1;
        const double dx = q->x[i] - q->x[j], dy = q->y[i] - q->y[j];
        const double bend = q->s[0] * dx * dx + 2 * q->s[1] * dx * dy + q->s[2] * dy * dy,
                     slope = (q->e[0] + q->s[0] * q->x[j] + q->s[1] * q->y[j]) * dx +
                             (q->e[1] + q->s[1] * q->x[j] + q->s[2] * q->y[j]) * dy;
        double s = 0, value = model_at(q, q->x[j], q->y[j]);
        if (bend > 0 && slope < 0 && slope > -bend) {
            s = -slope / bend;
            value -= 0.5 * slope * slope / bend;
        }
        if (!(value > -INFINITY)) /* nor a number */
            return -INFINITY;
        if (value < least) {
            least = value;
            *at_x = q->x[j] + s * dx;
            *at_y = q->y[j] + s * dy;
        }
    }
    return least;
}

double abut_depth_below(const abut_depth_body b[2], const abut_depth_cell *c, double least, abut_vec3 m,
                        abut_vec3 *worst)
{
    model q;
    double x = 0, y = 0;
    set_model(b, c, least, m, &q);
    const double below = least_of_model(&q, c->count, &x, &y);
    *worst = abut_depth_unit(abut_madd(abut_madd(m, x, q.t[0]), y, q.t[1]));
    return below;
}
