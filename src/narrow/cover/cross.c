/* SPDX-License-Identifier: MIT */
/* A surface that crosses an edge, or an edge of a surface that crosses a triangle: proof that two sheets
 * have a point in common, which no point inside of either could tell.
 *
 * Three unknowns: the parameters of the chart, and where on the segment or triangle. Newton's method in
 * doubles leads to the place; Krawczyk's operator over a small box around it proves that there is a
 * solution in the box (Krawczyk 1969), for all places of the segment or triangle within slack: also for
 * much more than that, which says how far the bodies may move and still cross there. */
#include "math/vec3.h"
#include "narrow/cover/cover.h"

#include <string.h>

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
    ia3 o, d[2]; /* of the flat one, all that they may be */
    int count;
    double slack; /* how much that is */
} problem;

/* Kernel. */
static void set_flat(const flat *f, double slack, problem *p)
{
    const ia blur = ia_make(-slack, slack);
    const ia3 off = { blur, blur, blur };
    p->o = ia3_add(ia3_point(f->o), off);
    p->count = f->count;
    p->slack = slack;
    for (int i = 0; i < f->count; ++i)
        p->d[i] = ia3_add(ia3_point(f->d[i]), ia3_add(off, off));
}

/* Kernel. The chart less the flat point, and its derivatives, over a box. */
static bool enclose(const problem *p, const ia z[3], ia3 *f, ia3 columns[3])
{
    const int k = p->feature->dimension;
    abut_chart c;
    int axis = -1;
    abut_chart_enclose(p->surface, p->feature, z, 1, &axis, &c);
    *f = ia3_sub(c.p, p->o);
    for (int i = 0; i < k; ++i)
        columns[i] = c.dp[i];
    for (int i = 0; i < p->count; ++i) {
        *f = ia3_sub(*f, ia3_scale(z[k + i], p->d[i]));
        columns[k + i] = ia3_neg(p->d[i]);
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
    for (int i = 0; i < p->count; ++i) {
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
    double radius = 4 * (step + most * p->slack);
    for (int i = 0; i < BOXES && !*out; ++i, radius *= 8)
        *out = krawczyk(p, z, rows, radius);
}

/* Kernel, as is what it calls. */
static ABUT_NOINLINE void cross(problem *p, const flat *f, double slack, double *reach, double z[3],
                                abut_cover_crossing *found)
{
    set_flat(f, 2 * slack, p);
    prove(p, z, &found->known);
    memcpy(found->z, z, sizeof found->z);
    bool more = found->known && reach;
    for (double by = 0.0625 * abut_length(f->d[0]); more && by > 64 * slack; by *= 0.25) {
        double start[3] = { z[0], z[1], z[2] };
        bool proved;
        set_flat(f, by + 2 * slack, p);
        prove(p, start, &proved);
        if (proved)
            *reach = by;
        more = !proved;
    }
}

/* In the frame of its own body. */
static void keep_flat(const abut_cover_body *body, const abut_part *placed, uint32_t number,
                      abut_cover_crossing *out)
{
    flat own;
    if (!flat_of(body->moved ? &body->parts.features->parts[number] : placed, &own))
        return;
    out->count = own.count;
    out->o = own.o;
    out->d[0] = own.d[0];
    out->d[1] = own.d[1];
}

bool abut_cover_crosses(const abut_cover_body *curved, const abut_cover_cell *cell, abut_cover_body *other,
                        const abut_cover_cell *part_cell, abut_vec3 near, double slack, double *reach,
                        abut_cover_crossing *found)
{
    const abut_part *part = abut_cover_part(other, part_cell);
    problem p = { .surface = &curved->surface, .feature = &curved->surface.surface.features[cell->feature] };
    flat f;
    *found = (abut_cover_crossing){ .feature = cell->feature };
    if (!p.feature->parametric || !flat_of(part, &f) || p.feature->dimension + f.count != 3)
        return false;
    double z[3] = { cell->start[0], cell->start[1], cell->start[2] };
    const abut_vec3 off = abut_sub(near, f.o);
    if (f.count == 1) {
        z[2] = abut_dot(off, f.d[0]) / abut_dot(f.d[0], f.d[0]);
    } else {
        const abut_vec3 u = f.d[0], v = f.d[1];
        const double a = abut_dot(u, u), b = abut_dot(u, v), c = abut_dot(v, v), det = a * c - b * b;
        z[1] = (abut_dot(off, u) * c - abut_dot(off, v) * b) / det;
        z[2] = (abut_dot(off, v) * a - abut_dot(off, u) * b) / det;
    }
    if (!isfinite(z[0]) || !isfinite(z[1]) || !isfinite(z[2]))
        return false;
    const abut_rounding saved = abut_rounding_enter();
    cross(&p, &f, slack, reach, z, found);
    abut_rounding_leave(saved);
    keep_flat(other, part, part_cell->at.part, found);
    return found->known;
}

bool abut_cover_keeps_crossing(const abut_placed_surface *curved, const abut_cover_crossing *c, double slack,
                               ia3 o, const ia3 d[2])
{
    const ia blur = ia_make(-slack, slack);
    const ia3 off = { blur, blur, blur };
    problem p = { .surface = curved,
                  .feature = &curved->surface.features[c->feature],
                  .o = ia3_add(o, off),
                  .count = c->count };
    const double x = ia_width(o.x), y = ia_width(o.y), w = ia_width(o.z);
    p.slack = 0.5 * (x > y ? x > w ? x : w : y > w ? y : w) + slack;
    for (int i = 0; i < c->count; ++i)
        p.d[i] = ia3_add(d[i], ia3_add(off, off));
    double z[3] = { c->z[0], c->z[1], c->z[2] };
    bool out = false;
    if (p.slack < HUGE_VAL && p.feature->dimension + c->count == 3)
        prove(&p, z, &out);
    return out;
}
