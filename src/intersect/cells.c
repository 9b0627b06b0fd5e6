/* SPDX-License-Identifier: MIT */
/* Common points of three surfaces of which one is a torus, where no resultant serves: cells of the torus's box.
 *
 * A cell in which an equation has no zero is left out; one in which the Krawczyk-Moore test, on a box a little larger,
 * proves a single common point gives it, and all cells inside of that box are done. Others are halved. Tangents are
 * never decided: cells narrower than rounding tells apart are hits of unknown kind. */
#include "intersect/cells.h"

#include "interval/ia3.h"

#include <math.h>

enum { STACK = 256, MOST_CELLS = 6000, FOUND = ABUT_COMMON_POINTS };

typedef struct cells {
    const abut_common_equation *equation;
    double size;
    int count;
    abut_interval found[FOUND][3], only[FOUND][3]; /* the point; the box in which it is the only one */
    bool proved[FOUND];
} cells;

/* Value and gradient over a box. */
static void torus_at(const abut_solid_surface *s, ia3 x, ia *value, ia3 *gradient)
{
    const ia3 d = ia3_sub(x, ia3_point(s->point)), a = ia3_point(s->axis);
    const ia size = ia3_sqr_norm(a), h = ia_div(ia3_dot(a, d), size), square = ia3_sqr_norm(d);
    const ia major = ia_sqr(ia_point(s->radius)), k = ia_sub(major, ia_sqr(ia_point(s->minor)));
    const ia sum = ia_add(square, k), four = ia_scale(4, major);
    const ia3 across = ia3_sub(d, ia3_scale(h, a));
    *value = ia_sub(ia_sqr(sum), ia_mul(four, ia3_sqr_norm(across)));
    *gradient = ia3_sub(ia3_scale(ia_scale(4, sum), d), ia3_scale(ia_scale(2, four), across));
}

static void quadric_at(const abut_interval m[4][4], ia3 x, ia *value, ia3 *gradient)
{
    const ia v[4] = { x.x, x.y, x.z, ia_point(1) };
    ia row[4];
    *value = ia_point(0);
    for (int i = 0; i < 4; ++i) {
        row[i] = ia_point(0);
        for (int j = 0; j < 4; ++j)
            row[i] = ia_add(row[i], ia_mul(ia_from(m[i][j]), v[j]));
        *value = ia_add(*value, ia_mul(row[i], v[i]));
    }
    *gradient = ia3_scale(ia_point(2), ia3_make(row[0], row[1], row[2]));
}

static void at(const abut_common_equation *e, ia3 x, ia *value, ia3 *gradient)
{
    if (e->torus)
        torus_at(e->torus, x, value, gradient);
    else
        quadric_at((const abut_interval(*)[4])e->m, x, value, gradient);
}

/* False where an equation has no zero in the box; values at mid and derivatives over the box otherwise. */
static ABUT_NOINLINE bool look(const cells *c, const abut_interval box[3], const double mid[3],
                               abut_interval f[3], abut_interval jacobian[9])
{
    const ia3 x = ia3_make(ia_from(box[0]), ia_from(box[1]), ia_from(box[2]));
    const ia3 m = ia3_make(ia_point(mid[0]), ia_point(mid[1]), ia_point(mid[2])), off = ia3_sub(x, m);
    for (int k = 0; k < 3; ++k) {
        ia value, middle;
        ia3 gradient, unused;
        at(&c->equation[k], x, &value, &gradient);
        at(&c->equation[k], m, &middle, &unused);
        const ia mean = ia_add(middle, ia3_dot(gradient, off));
        if (!ia_contains_zero(value) || !ia_contains_zero(mean))
            return false;
        f[k] = ia_to(middle);
        jacobian[3 * k] = ia_to(gradient.x);
        jacobian[3 * k + 1] = ia_to(gradient.y);
        jacobian[3 * k + 2] = ia_to(gradient.z);
    }
    return true;
}

static bool inside(const abut_interval a[3], const abut_interval of[3])
{
    for (int i = 0; i < 3; ++i)
        if (a[i].lo < of[i].lo || a[i].hi > of[i].hi)
            return false;
    return true;
}

static void middle_of(const abut_interval box[3], double mid[3])
{
    for (int i = 0; i < 3; ++i)
        mid[i] = abut_interval_mid(box[i]);
}

static bool examine(const cells *c, const abut_interval box[3], abut_interval f[3], abut_interval jacobian[9],
                    double mid[3])
{
    middle_of(box, mid);
    const abut_rounding saved = abut_rounding_enter();
    const bool possible = look(c, box, mid, f, jacobian);
    abut_rounding_leave(saved);
    return possible;
}

static bool overlap(const abut_interval a[3], const abut_interval b[3])
{
    for (int i = 0; i < 3; ++i)
        if (a[i].lo > b[i].hi || b[i].lo > a[i].hi)
            return false;
    return true;
}

static void add(cells *c, const abut_interval point[3], const abut_interval only[3], bool proved)
{
    /* Doubtful ones that touch are one; a point that may be another one is doubtful with it. */
    for (int k = 0; k < c->count; ++k)
        if (overlap(point, c->found[k])) {
            for (int i = 0; i < 3; ++i)
                c->found[k][i] = abut_interval_hull(c->found[k][i], point[i]);
            c->proved[k] = false;
            return;
        }
    if (c->count < FOUND) {
        for (int i = 0; i < 3; ++i) {
            c->found[c->count][i] = point[i];
            c->only[c->count][i] = only[i];
        }
        c->proved[c->count++] = proved;
        return;
    }
    /* No room: the last one takes all that is left. */
    for (int i = 0; i < 3; ++i)
        c->found[FOUND - 1][i] = abut_interval_hull(c->found[FOUND - 1][i], point[i]);
    c->proved[FOUND - 1] = false;
}

/* A single common point in a box a little larger than the cell? */
static bool single(cells *c, const abut_interval cell[3])
{
    abut_interval box[3], next[3], f[3], jacobian[9];
    double mid[3];
    for (int i = 0; i < 3; ++i) {
        const double more = 0.125 * (cell[i].hi - cell[i].lo) + 0x1p-48 * c->size;
        box[i] = (abut_interval){ cell[i].lo - more, cell[i].hi + more };
    }
    if (!examine(c, box, f, jacobian, mid) ||
        abut_interval_krawczyk(3, box, mid, f, jacobian, next) != ABUT_KRAWCZYK_UNIQUE)
        return false;
    for (int pass = 0; pass < 6; ++pass) {
        abut_interval tighter[3];
        if (!examine(c, next, f, jacobian, mid) ||
            abut_interval_krawczyk(3, next, mid, f, jacobian, tighter) == ABUT_KRAWCZYK_NONE)
            break;
        for (int i = 0; i < 3; ++i)
            next[i] = tighter[i];
    }
    for (int k = 0; k < c->count; ++k)
        if (c->proved[k] && (inside(next, c->only[k]) || inside(c->found[k], box)))
            return true; /* that one again */
    add(c, next, box, true);
    return true;
}

static bool known(const cells *c, const abut_interval cell[3])
{
    for (int k = 0; k < c->count; ++k)
        if (c->proved[k] && inside(cell, c->only[k]))
            return true;
    return false;
}

static int widest(const abut_interval cell[3])
{
    int at_most = 0;
    for (int i = 1; i < 3; ++i)
        if (cell[i].hi - cell[i].lo > cell[at_most].hi - cell[at_most].lo)
            at_most = i;
    return at_most;
}

bool abut_points_by_cells(const abut_common_equation equation[3], const abut_interval region[3],
                          abut_interval points[ABUT_COMMON_POINTS][3], bool proved[ABUT_COMMON_POINTS],
                          int *count)
{
    cells c = { .equation = equation };
    abut_interval stack[STACK][3];
    int depth = 1, looked = 0;
    bool complete = true;
    for (int i = 0; i < 3; ++i) {
        stack[0][i] = region[i];
        c.size = fmax(c.size, fmax(fabs(region[i].lo), fabs(region[i].hi)));
    }
    while (depth > 0) {
        abut_interval cell[3], f[3], jacobian[9];
        double mid[3];
        for (int i = 0; i < 3; ++i)
            cell[i] = stack[depth - 1][i];
        --depth;
        if (known(&c, cell) || !examine(&c, cell, f, jacobian, mid) || single(&c, cell))
            continue;
        const int w = widest(cell);
        const bool spent = ++looked > MOST_CELLS;
        if (spent || depth + 2 > STACK || cell[w].hi - cell[w].lo < 1e-7 * c.size) {
            add(&c, cell, cell, false);
            complete = complete && !spent;
            continue;
        }
        for (int half = 0; half < 2; ++half, ++depth) {
            for (int i = 0; i < 3; ++i)
                stack[depth][i] = cell[i];
            if (half)
                stack[depth][w].lo = mid[w];
            else
                stack[depth][w].hi = mid[w];
        }
    }
    for (int k = 0; k < c.count; ++k) {
        for (int i = 0; i < 3; ++i)
            points[k][i] = c.found[k][i];
        proved[k] = c.proved[k];
    }
    *count = c.count;
    return complete;
}
