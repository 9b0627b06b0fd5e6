/* SPDX-License-Identifier: MIT */
/* A surface that crosses an edge, or an edge of a surface that crosses a triangle: proof that two sheets
 * have a point in common, which no point inside of either could tell.
 *
 * Three unknowns: the parameters of the chart, and where on the segment or triangle. Newton's method in
 * doubles leads to the place; Krawczyk's operator over a small box around it proves that there is a
 * solution in the box (Krawczyk 1969), for all places of the segment or triangle within slack. */
#include "math/vec3.h"
#include "narrow/cover/cover.h"

enum { STEPS = 8, BOXES = 5 };

typedef struct flat {
    abut_vec3 o, d[2];
    int count; /* of directions: points are o + w0 d0 (+ w1 d1), w >= 0, their sum <= 1 */
} flat;

static bool flat_of(const abut_part *part, flat *out)
{
    if (part->kind == ABUT_CELL_SEGMENT) {
        *out = (flat){ .o = abut_madd(part->o, part->v0, part->z),
                       .d = { abut_scale(part->v1 - part->v0, part->z) },
                       .count = 1 };
        return true;
    }
    if (part->kind != ABUT_CELL_TRIANGLE || part->bulge)
        return false;
    *out = (flat){ .o = part->points[0],
                   .d = { abut_sub(part->points[1], part->points[0]),
                          abut_sub(part->points[2], part->points[0]) },
                   .count = 2 };
    return true;
}

/* Rows of the inverse of the matrix with those columns; false where it is singular. */
static bool invert(const abut_vec3 c[3], abut_vec3 rows[3])
{
    const abut_vec3 x = abut_cross(c[1], c[2]), y = abut_cross(c[2], c[0]), z = abut_cross(c[0], c[1]);
    const double det = abut_dot(c[0], x);
    const double size = abut_length(c[0]) * abut_length(c[1]) * abut_length(c[2]);
    if (!(fabs(det) > 1e-6 * size))
        return false;
    rows[0] = abut_scale(1 / det, x);
    rows[1] = abut_scale(1 / det, y);
    rows[2] = abut_scale(1 / det, z);
    return true;
}

typedef struct problem {
    const abut_placed_surface *surface;
    const abut_surface_feature *feature;
    flat flat;
    double slack;
} problem;

/* Kernel. The chart less the flat point, and its derivatives, over a box. */
static bool enclose(const problem *p, const ia z[3], ia3 *f, ia3 columns[3])
{
    const int k = p->feature->dimension;
    const ia blur = ia_make(-p->slack, p->slack);
    const ia3 off = { blur, blur, blur };
    abut_chart c;
    int axis = -1;
    abut_chart_enclose(p->surface, p->feature, z, 1, &axis, &c);
    *f = ia3_sub(c.p, ia3_add(ia3_point(p->flat.o), off));
    for (int i = 0; i < k; ++i)
        columns[i] = c.dp[i];
    for (int i = 0; i < p->flat.count; ++i) {
        const ia3 d = ia3_add(ia3_point(p->flat.d[i]), ia3_add(off, off));
        *f = ia3_sub(*f, ia3_scale(z[k + i], d));
        columns[k + i] = ia3_neg(d);
    }
    return c.defined;
}

static bool newton(const problem *p, double z[3], abut_vec3 rows[3], double *step)
{
    for (int i = 0; i < STEPS; ++i) {
        const ia at[3] = { ia_point(z[0]), ia_point(z[1]), ia_point(z[2]) };
        ia3 f, columns[3];
        if (!enclose(p, at, &f, columns))
            return false;
        const abut_vec3 c[3] = { ia3_mid(columns[0]), ia3_mid(columns[1]), ia3_mid(columns[2]) };
        if (!invert(c, rows))
            return false;
        const abut_vec3 off = ia3_mid(f);
        *step = 0;
        for (int k = 0; k < 3; ++k) {
            const double d = abut_dot(rows[k], off);
            *step = fmax(*step, fabs(d));
            z[k] -= d;
        }
        for (int k = 0; k < p->feature->dimension; ++k)
            if (!(z[k] >= p->feature->range[k].lo && z[k] <= p->feature->range[k].hi))
                return false;
        if (!(*step < 1e3))
            return false;
    }
    return true;
}

/* Is the whole box in the feature and on the flat one? */
static bool is_within(const problem *p, const ia z[3])
{
    const int k = p->feature->dimension;
    ia sum = ia_point(0);
    for (int i = 0; i < k; ++i)
        if (ia_lo(z[i]) < p->feature->range[i].lo || ia_hi(z[i]) > p->feature->range[i].hi)
            return false;
    for (int i = 0; i < p->flat.count; ++i) {
        if (ia_lo(z[k + i]) < 0)
            return false;
        sum = ia_add(sum, z[k + i]);
    }
    return ia_hi(sum) <= 1;
}

static bool krawczyk(const problem *p, const double z[3], const abut_vec3 rows[3], double radius)
{
    ia at[3], box[3], found[3];
    ia3 f, over, columns[3], ignored[3];
    for (int k = 0; k < 3; ++k) {
        at[k] = ia_point(z[k]);
        box[k] = ia_make(z[k] - radius, z[k] + radius);
    }
    if (!is_within(p, box) || !enclose(p, at, &f, ignored) || !enclose(p, box, &over, columns))
        return false;
    const ia around = ia_make(-radius, radius);
    for (int k = 0; k < 3; ++k) {
        const ia3 row = ia3_point(rows[k]);
        ia sum = ia_sub(at[k], ia3_dot(row, f));
        for (int j = 0; j < 3; ++j) {
            const ia entry = ia_sub(ia_point(j == k), ia3_dot(row, columns[j]));
            sum = ia_add(sum, ia_mul(entry, around));
        }
        found[k] = sum;
        if (!(ia_lo(sum) > ia_lo(box[k]) && ia_hi(sum) < ia_hi(box[k])))
            return false;
    }
    return is_within(p, found);
}

static ABUT_NOINLINE void prove(const problem *p, double z[3], bool *out)
{
    abut_vec3 rows[3];
    double step = 0;
    *out = false;
    if (!newton(p, z, rows, &step))
        return;
    const double most = fmax(abut_length(rows[0]), fmax(abut_length(rows[1]), abut_length(rows[2])));
    double radius = 16 * (step + most * p->slack);
    for (int i = 0; i < BOXES && !*out; ++i, radius *= 16)
        *out = krawczyk(p, z, rows, radius);
}

bool abut_cover_crosses(const abut_cover_body *curved, const abut_cover_cell *cell, const abut_part *part,
                        abut_vec3 near, double slack)
{
    problem p = { &curved->surface, &curved->surface.surface.features[cell->feature], .slack = 2 * slack };
    if (!p.feature->parametric || !flat_of(part, &p.flat) || p.feature->dimension + p.flat.count != 3)
        return false;
    double z[3] = { cell->start[0], cell->start[1], cell->start[2] };
    const abut_vec3 off = abut_sub(near, p.flat.o);
    if (p.flat.count == 1) {
        z[2] = abut_dot(off, p.flat.d[0]) / abut_dot(p.flat.d[0], p.flat.d[0]);
    } else {
        const abut_vec3 u = p.flat.d[0], v = p.flat.d[1];
        const double a = abut_dot(u, u), b = abut_dot(u, v), c = abut_dot(v, v), det = a * c - b * b;
        z[1] = (abut_dot(off, u) * c - abut_dot(off, v) * b) / det;
        z[2] = (abut_dot(off, v) * a - abut_dot(off, u) * b) / det;
    }
    if (!isfinite(z[0]) || !isfinite(z[1]) || !isfinite(z[2]))
        return false;
    bool found;
    const abut_rounding saved = abut_rounding_enter();
    prove(&p, z, &found);
    abut_rounding_leave(saved);
    return found;
}
