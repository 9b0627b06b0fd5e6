/* SPDX-License-Identifier: MIT */
/* Enclosures of the relative motion over cells of time; see cell.h.
 *
 * By the mean value theorem x(t) = x(mid) + s x'(z) for some z in the cell, coordinate by
 * coordinate. x(mid) and x' are enclosed by intervals, c, q, v, w are their middles, and what the
 * intervals are wide is `off`. As x' is enclosed to first order in the length of the cell, off is
 * of second order. Motions with keys are as good as any: their velocity over a key is the hull of
 * both sides. */
#include "ccd/rigid/cell.h"

/* Upper bound of |x - mid(x)| over the intervals, added up as squares. */
static ia spread(ia x, double *middle)
{
    *middle = ia_mid(x);
    return ia_sqr(ia_point(ia_mag(ia_sub(x, ia_point(*middle)))));
}

static ia spread3(ia3 x, abut_vec3 *middle)
{
    return ia_add(spread(x.x, &middle->x), ia_add(spread(x.y, &middle->y), spread(x.z, &middle->z)));
}

static ia spread33(const ia33 *x, abut_mat3 *middle)
{
    ia sum = ia_point(0);
    for (int i = 0; i < 9; ++i)
        sum = ia_add(sum, spread(x->m[i / 3][i % 3], &middle->m[i / 3][i % 3]));
    return sum;
}

static bool is_finite33(const ia33 *x)
{
    for (int i = 0; i < 9; ++i)
        if (!ia_is_finite(x->m[i / 3][i % 3]))
            return false;
    return true;
}

static bool is_finite3(ia3 x)
{
    return ia_is_finite(x.x) && ia_is_finite(x.y) && ia_is_finite(x.z);
}

static ia norm33(const abut_mat3 *m)
{
    ia sum = ia_point(0);
    for (int i = 0; i < 9; ++i)
        sum = ia_add(sum, ia_sqr(ia_point(m->m[i / 3][i % 3])));
    return ia_sqrt(sum);
}

static ABUT_NOINLINE void enclose_kernel(const abut_motion_cells *cells, abut_motion_cell *cell)
{
    abut_relative over, at;
    const ia t = ia_make(cell->lo, cell->hi), mid = ia_point(cell->mid), away = ia_sub(t, mid);
    const ia half = ia_point(ia_mag(away));
    const ia3 p = ia3_point(cells->middle);
    cell->off0 = cell->off1 = cell->turn = INFINITY;
    cell->q = cell->w = (abut_mat3){ { { 0 } } };
    cell->c = cell->v = (abut_vec3){ 0, 0, 0 };
    cell->apart = 0;
    abut_relative_over(&cells->a, &cells->b, t, &over);
    if (over.defined) {
        const ia33 b = ia33_transpose(&over.back);
        const ia3 from = abut_relative_point(&over, p).from,
                  between = ia3_sub(from, abut_relative_turn(over.two_turns, &b, ia3_point(cells->middle_b)));
        if (is_finite3(between))
            cell->apart = ia_lo(ia_sqrt(ia3_sqr_norm(between)));
    }
    abut_relative_rates(&cells->a, &cells->b, &over);
    abut_relative_over(&cells->a, &cells->b, mid, &at);
    if (!over.rates_known || !over.defined || !at.defined)
        return;
    const abut_moved moved = abut_relative_point(&over, p), there = abut_relative_point(&at, p);
    const ia3 rate = abut_relative_velocity(&over, &moved, p, abut_relative_zero());
    if (!is_finite3(there.x) || !is_finite3(rate) || !is_finite33(&at.q) || !is_finite33(&over.q_rate))
        return;
    const ia c = ia_sqrt(spread3(there.x, &cell->c)), v = ia_sqrt(spread3(rate, &cell->v)),
             q = ia_sqrt(spread33(&at.q, &cell->q)), w = ia_sqrt(spread33(&over.q_rate, &cell->w));
    const ia off1 = ia_add(q, ia_mul(half, w));
    cell->off0 = ia_hi(ia_add(c, ia_mul(half, v)));
    cell->off1 = ia_hi(off1);
    cell->turn = ia_hi(ia_add(off1, ia_mul(half, norm33(&cell->w))));
}

static void enclose(const abut_motion_cells *cells, double lo, double hi, abut_motion_cell *out)
{
    *out = (abut_motion_cell){ .lo = lo, .hi = hi, .mid = 0.5 * lo + 0.5 * hi };
    out->last = !(out->mid > lo && out->mid < hi);
    const abut_rounding saved = abut_rounding_enter();
    enclose_kernel(cells, out);
    abut_rounding_leave(saved);
}

abut_status abut_motion_cells_begin(const abut_motion *motion_a, const abut_motion *motion_b,
                                    abut_interval range, abut_vec3 middle_a, abut_vec3 middle_b,
                                    const abut_allocator *alloc, abut_motion_cells *out)
{
    *out = (abut_motion_cells){ .middle = middle_a, .middle_b = middle_b, .alloc = *alloc };
    abut_status status = abut_side_make(NULL, motion_a, range, &out->a);
    if (!status)
        status = abut_side_make(NULL, motion_b, range, &out->b);
    if (status)
        return status;
    abut_motion_cell whole;
    enclose(out, range.lo, range.hi, &whole);
    return ABUT_ARRAY_PUSH(&out->alloc, &out->list, whole) ? ABUT_OK : ABUT_ERR_MEMORY;
}

void abut_motion_cells_end(abut_motion_cells *cells)
{
    ABUT_ARRAY_FREE(&cells->alloc, &cells->list);
}

bool abut_motion_cells_halve(abut_motion_cells *cells, uint32_t cell)
{
    const abut_motion_cell whole = cells->list.items[cell];
    if (whole.left > 0)
        return true;
    if (whole.last || cells->list.count > UINT32_MAX - 2)
        return false;
    if (!ABUT_ARRAY_RESERVE(&cells->alloc, &cells->list, 2)) {
        cells->failed = true;
        return false;
    }
    abut_motion_cell *items = cells->list.items;
    enclose(cells, whole.lo, whole.mid, &items[cells->list.count]);
    enclose(cells, whole.mid, whole.hi, &items[cells->list.count + 1]);
    items[cell].left = (uint32_t)cells->list.count;
    cells->list.count += 2;
    return true;
}
