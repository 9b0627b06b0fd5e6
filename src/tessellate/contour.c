/* SPDX-License-Identifier: MIT */
/* Implicit and csg shapes by dual contouring (Ju, Losasso, Schaefer, Warren: Dual contouring of
 * Hermite data, SIGGRAPH 2002): a vertex in each cell of a grid that the surface passes, where the
 * tangent planes at the crossed edges of the cell meet best, and a quadrilateral for each crossed
 * edge. Creases and corners of csg shapes come out sharp.
 *
 * Blocks of cells that are proved to be all inside or all outside are skipped, so that the work
 * grows with the surface, and the grid is fitted to what is left of the bounds. */
#include "tessellate/tessellate.h"

#include <math.h>

#include "expr/public.h"
#include "expr/tape.h"
#include "surface/body.h"

/* Fields of long expressions (work as abut_tape_work) get fewer cells, and crossings that are known to
 * 1/256 of a cell; those of some thousand terms took minutes. */
enum {
    BLOCK = 4,
    FIT = 16,
    LEAST_CELLS = 48,
    MOST_CELLS = 160,
    LONG_WORK = 1000,
    HALVINGS = 24,
    FEW_HALVINGS = 8
};

/* What is known of the cell that a vertex is made for. */
typedef struct cell_fit {
    double a[6], b[3]; /* normal equations of the tangent planes, about the first point */
    abut_vec3 origin, sum, normal;
    int count;
    const void *wall; /* that all crossings are on; NULL: on several */
} cell_fit;

typedef struct contour {
    abut_tess *t;
    const abut_shape *shape;
    abut_surface surface;
    ia *scratch;
    double *numbers; /* scratch of tapes in doubles */
    abut_vec3 lo, step;
    int n[3];      /* cells */
    double *value; /* at the corners; NaN: in a block that was skipped */
    int32_t *cell; /* vertex of each cell, -1: none */
    ABUT_ARRAY(cell_fit) fits;
    ABUT_ARRAY(abut_vec3) vertices;
    ABUT_ARRAY(abut_vec3) normals;
    ABUT_ARRAY(uint32_t) triangles;
} contour;

/* What decides at a point: the gradient there, and whose it is (a leaf, or its bounds). */
typedef struct wall_at {
    abut_vec3 gradient;
    const void *wall; /* only compared */
} wall_at;

/* ---- the field ---- */

static double largest3(double a, double b, double c)
{
    return fmax(a, fmax(b, c));
}

/* How far outside the box, negative inside, and the direction that leads out. */
static double box_field(const abut_aabb *box, abut_vec3 p, abut_vec3 *gradient)
{
    const double d[6] = { box->lo.x - p.x, box->lo.y - p.y, box->lo.z - p.z,
                          p.x - box->hi.x, p.y - box->hi.y, p.z - box->hi.z };
    int most = 0;
    for (int i = 1; i < 6; ++i)
        most = d[i] > d[most] ? i : most;
    const double s = most < 3 ? -1 : 1;
    *gradient = abut_v3(most % 3 == 0 ? s : 0, most % 3 == 1 ? s : 0, most % 3 == 2 ? s : 0);
    return d[most];
}

static double leaf_field(const contour *c, const abut_shape *shape, abut_vec3 p, abut_vec3 *gradient)
{
    double out[5] = { NAN, 0, 0, 0, 0 };
    if (shape->u.implicit.tape) {
        const double x[4] = { p.x, p.y, p.z, c->t->opts.time };
        abut_tape_evaluate(shape->u.implicit.tape, x, 1, c->numbers, out);
    } else {
        ia enclosed[5];
        const abut_rounding saved = abut_rounding_enter();
        const ia x[4] = { ia_point(p.x), ia_point(p.y), ia_point(p.z), ia_point(c->t->opts.time) };
        if (abut_inclusion_enclose(&shape->u.implicit.inclusion, x, 1, enclosed))
            for (int i = 0; i < 5; ++i)
                out[i] = 0.5 * ia_lo(enclosed[i]) + 0.5 * ia_hi(enclosed[i]);
        abut_rounding_leave(saved);
    }
    /* Undefined is outside. */
    *gradient = abut_v3(out[1], out[2], out[3]);
    return isnan(out[0]) ? 1 : out[0];
}

/* Of a combination of all kinds of solids; undefined is outside. */
static double mixed_field(const contour *c, abut_vec3 p, wall_at *by)
{
    abut_csg_decision d;
    const abut_rounding saved = abut_rounding_enter();
    const bool defined = abut_surface_csg_decide(&c->surface, p, c->t->opts.time, c->scratch, &d);
    abut_rounding_leave(saved);
    *by = defined ? (wall_at){ d.gradient, d.leaf } : (wall_at){ { 0, 0, 0 }, NULL };
    return defined ? d.value : 1;
}

/* Negative inside; with the leaf that decides. Fields are no distances, so that where several
 * decide any of them may. */
static double field(const contour *c, const abut_shape *shape, abut_vec3 p, wall_at *by)
{
    if (shape->type == ABUT_SHAPE_CSG && shape->u.csg.mixed)
        return mixed_field(c, p, by);
    if (shape->type == ABUT_SHAPE_IMPLICIT) {
        abut_vec3 g;
        const double f = leaf_field(c, shape, p, &by->gradient), box = box_field(&shape->bounds, p, &g);
        by->wall = shape;
        if (box > 0)
            *by = (wall_at){ g, &shape->bounds };
        return box > 0 ? box : f;
    }
    double best = NAN;
    for (size_t i = 0; i < shape->u.csg.count; ++i) {
        wall_at one;
        double f = field(c, shape->u.csg.of[i], p, &one);
        if (shape->u.csg.op == ABUT_CSG_DIFFERENCE && i > 0) {
            f = -f;
            one.gradient = abut_scale(-1, one.gradient);
        }
        if (i == 0 || (shape->u.csg.op == ABUT_CSG_UNION ? f < best : f > best)) {
            best = f;
            *by = one;
        }
    }
    return best;
}

/* What the tapes of all leaves need at most. */
static size_t scratch_of(const abut_shape *shape)
{
    size_t most = 0;
    if (shape->type == ABUT_SHAPE_IMPLICIT)
        return shape->u.implicit.tape ? abut_tape_scratch(shape->u.implicit.tape, 1) : 0;
    if (shape->u.csg.mixed)
        return 0;
    for (size_t i = 0; i < shape->u.csg.count; ++i) {
        const size_t one = scratch_of(shape->u.csg.of[i]);
        most = one > most ? one : most;
    }
    return most;
}

/* ---- the grid ---- */

static abut_vec3 corner_at(const contour *c, int i, int j, int k)
{
    return abut_v3(c->lo.x + i * c->step.x, c->lo.y + j * c->step.y, c->lo.z + k * c->step.z);
}

static size_t corner_index(const contour *c, int i, int j, int k)
{
    return ((size_t)k * (size_t)(c->n[1] + 1) + (size_t)j) * (size_t)(c->n[0] + 1) + (size_t)i;
}

static abut_truth inside(const contour *c, abut_vec3 lo, abut_vec3 hi)
{
    const abut_rounding saved = abut_rounding_enter();
    const ia3 box = { ia_make(lo.x, hi.x), ia_make(lo.y, hi.y), ia_make(lo.z, hi.z) };
    const abut_truth truth = abut_surface_inside(&c->surface, box, ia_point(c->t->opts.time), c->scratch);
    abut_rounding_leave(saved);
    return truth;
}

/* Evaluates the corners of all blocks that the surface may pass. */
static void evaluate(contour *c)
{
    for (int k = 0; k < c->n[2]; k += BLOCK)
        for (int j = 0; j < c->n[1]; j += BLOCK)
            for (int i = 0; i < c->n[0]; i += BLOCK) {
                const int to[3] = { i + BLOCK < c->n[0] ? i + BLOCK : c->n[0],
                                    j + BLOCK < c->n[1] ? j + BLOCK : c->n[1],
                                    k + BLOCK < c->n[2] ? k + BLOCK : c->n[2] };
                if (inside(c, corner_at(c, i, j, k), corner_at(c, to[0], to[1], to[2])) != ABUT_SOMEWHERE)
                    continue;
                for (int z = k; z <= to[2]; ++z)
                    for (int y = j; y <= to[1]; ++y)
                        for (int x = i; x <= to[0]; ++x) {
                            double *v = &c->value[corner_index(c, x, y, z)];
                            wall_at by;
                            if (isnan(*v))
                                *v = field(c, c->shape, corner_at(c, x, y, z), &by);
                        }
            }
}

/* The part of the bounds that a coarse look does not rule out. */
static bool fit_bounds(const contour *c, abut_aabb *box)
{
    const abut_vec3 lo = box->lo, step = abut_scale(1.0 / FIT, abut_sub(box->hi, box->lo));
    abut_aabb found = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    for (int k = 0; k < FIT; ++k)
        for (int j = 0; j < FIT; ++j)
            for (int i = 0; i < FIT; ++i) {
                const abut_vec3 a = { lo.x + i * step.x, lo.y + j * step.y, lo.z + k * step.z };
                const abut_vec3 b = abut_add(a, step);
                if (inside(c, a, b) == ABUT_NOWHERE)
                    continue;
                found.lo = abut_v3(fmin(found.lo.x, a.x), fmin(found.lo.y, a.y), fmin(found.lo.z, a.z));
                found.hi = abut_v3(fmax(found.hi.x, b.x), fmax(found.hi.y, b.y), fmax(found.hi.z, b.z));
            }
    *box = found;
    return found.lo.x < found.hi.x;
}

static bool make_grid(contour *c)
{
    abut_aabb box = c->shape->bounds;
    if (!(box.lo.x < box.hi.x && box.lo.y < box.hi.y && box.lo.z < box.hi.z) || !fit_bounds(c, &box))
        return false;
    const abut_vec3 size = abut_sub(box.hi, box.lo);
    const double largest = largest3(size.x, size.y, size.z);
    /* A chord of length h on a surface of curvature 4 / size is off by h^2 / (2 size); four times
     * finer than that, for the sake of small parts. */
    const double wanted = 4 * sqrt(largest / (2 * c->t->tolerance));
    const double work = (double)c->surface.work,
                 most = work > LONG_WORK ? MOST_CELLS * sqrt(LONG_WORK / work) : MOST_CELLS;
    const double cell = largest / fmax(fmin(wanted, most), LEAST_CELLS);
    const double parts[3] = { size.x, size.y, size.z };
    for (int i = 0; i < 3; ++i)
        c->n[i] = (int)ceil(parts[i] / cell * (1 - 1e-9)) + 2;
    /* One cell more at each end; a little off, so that no corner is on a face of the bounds. */
    c->step = abut_scale(cell * 1.0009765625, abut_v3(1, 1, 1));
    const abut_vec3 mid = abut_scale(0.5, abut_add(box.lo, box.hi));
    c->lo =
        abut_v3(mid.x - c->step.x * (0.5 * c->n[0] + 0.0137), mid.y - c->step.y * (0.5 * c->n[1] + 0.0171),
                mid.z - c->step.z * (0.5 * c->n[2] + 0.0193));
    const size_t corners = (size_t)(c->n[0] + 1) * (size_t)(c->n[1] + 1) * (size_t)(c->n[2] + 1);
    c->value = abut_workspace_take(&c->t->ws, corners, sizeof *c->value);
    c->cell = abut_workspace_take(&c->t->ws, corners, sizeof *c->cell);
    if (!c->value || !c->cell) {
        abut_tess_fail(c->t, ABUT_ERR_MEMORY);
        return false;
    }
    for (size_t i = 0; i < corners; ++i) {
        c->value[i] = NAN;
        c->cell[i] = -1;
    }
    return true;
}

/* ---- vertices ---- */

/* Where the field changes its sign between p (inside is as at_p says) and q. */
static abut_vec3 crossing(const contour *c, abut_vec3 p, abut_vec3 q, bool at_p, wall_at *by)
{
    double lo = 0, hi = 1;
    const int halvings = c->surface.work > LONG_WORK ? FEW_HALVINGS : HALVINGS;
    for (int i = 0; i < halvings; ++i) {
        const double mid = 0.5 * (lo + hi);
        if ((field(c, c->shape, abut_madd(p, mid, abut_sub(q, p)), by) < 0) == at_p)
            lo = mid;
        else
            hi = mid;
    }
    /* The normal is that of the side that ends the solid there: just outside, that one decides. */
    field(c, c->shape, abut_madd(p, at_p ? hi : lo, abut_sub(q, p)), by);
    by->gradient = abut_unit_or(by->gradient, abut_v3(0, 0, 0));
    return abut_madd(p, 0.5 * (lo + hi), abut_sub(q, p));
}

static void add_to_cell(contour *c, size_t index, abut_vec3 p, const wall_at *by)
{
    const abut_vec3 n = by->gradient;
    if (c->t->status)
        return;
    if (c->cell[index] < 0) {
        if (!ABUT_ARRAY_RESERVE(c->t->alloc, &c->fits, 1)) {
            abut_tess_fail(c->t, ABUT_ERR_MEMORY);
            return;
        }
        c->cell[index] = (int32_t)c->fits.count;
        c->fits.items[c->fits.count++] = (cell_fit){ .origin = p, .wall = by->wall };
    }
    cell_fit *f = &c->fits.items[c->cell[index]];
    const double d = abut_dot(n, abut_sub(p, f->origin));
    f->a[0] += n.x * n.x, f->a[1] += n.x * n.y, f->a[2] += n.x * n.z;
    f->a[3] += n.y * n.y, f->a[4] += n.y * n.z, f->a[5] += n.z * n.z;
    f->b[0] += n.x * d, f->b[1] += n.y * d, f->b[2] += n.z * d;
    f->sum = abut_add(f->sum, abut_sub(p, f->origin));
    f->normal = abut_add(f->normal, n);
    f->wall = f->wall == by->wall ? f->wall : NULL;
    ++f->count;
}

/* The normal of a vertex where the surface is smooth; zero where planes of several leaves meet, or
 * one bends by more than a curved surface would in a cell. */
static abut_vec3 smooth_normal(const cell_fit *f)
{
    const double mean = abut_length(f->normal) / f->count;
    return mean > (f->wall ? 0.8 : 0.97) ? abut_unit_or(f->normal, abut_v3(0, 0, 0)) : abut_v3(0, 0, 0);
}

/* The point that is best on all tangent planes, nearest to the mean of the crossings where there
 * are several; directions in which the planes say little (a tenth of the most) stay at the mean. */
static abut_vec3 solve(const cell_fit *f, double reach)
{
    const abut_mat3 a = {
        { { f->a[0], f->a[1], f->a[2] }, { f->a[1], f->a[3], f->a[4] }, { f->a[2], f->a[4], f->a[5] } }
    };
    const abut_vec3 mean = abut_scale(1.0 / f->count, f->sum);
    const abut_vec3 rest = abut_sub(abut_v3(f->b[0], f->b[1], f->b[2]), abut_mul(&a, mean));
    abut_vec3 values, move = { 0, 0, 0 };
    abut_mat3 vectors;
    abut_mat3_symmetric_eigen(&a, &values, &vectors);
    for (int i = 0; i < 3; ++i) {
        const double value = abut_part3(values, i);
        if (!(value > 0.1 * values.z))
            continue;
        const abut_vec3 axis = { vectors.m[0][i], vectors.m[1][i], vectors.m[2][i] };
        move = abut_madd(move, abut_dot(axis, rest) / value, axis);
    }
    const double length = abut_length(move);
    if (length > reach)
        move = abut_scale(reach / length, move);
    return abut_add(f->origin, abut_add(mean, move));
}

/* ---- quadrilaterals ---- */

static void add_triangle(contour *c, uint32_t p, uint32_t q, uint32_t r)
{
    if (c->t->status || p == q || q == r || r == p)
        return;
    if (!ABUT_ARRAY_RESERVE(c->t->alloc, &c->triangles, 3)) {
        abut_tess_fail(c->t, ABUT_ERR_MEMORY);
        return;
    }
    c->triangles.items[c->triangles.count++] = p;
    c->triangles.items[c->triangles.count++] = q;
    c->triangles.items[c->triangles.count++] = r;
}

static void add_quad(contour *c, const uint32_t q[4])
{
    const abut_vec3 *p = c->vertices.items;
    if (abut_length(abut_sub(p[q[0]], p[q[2]])) <= abut_length(abut_sub(p[q[1]], p[q[3]]))) {
        add_triangle(c, q[0], q[1], q[2]);
        add_triangle(c, q[0], q[2], q[3]);
    } else {
        add_triangle(c, q[0], q[1], q[3]);
        add_triangle(c, q[1], q[2], q[3]);
    }
}

/* The crossed edges along one axis, twice: first they tell their four cells, then, when these
 * have vertices, they make quadrilaterals. */
static void walk_edges(contour *c, int axis, bool quads)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    int at[3];
    for (at[2] = 0; at[2] <= c->n[2]; ++at[2])
        for (at[1] = 0; at[1] <= c->n[1]; ++at[1])
            for (at[0] = 0; at[0] <= c->n[0]; ++at[0]) {
                if (c->t->status || at[axis] == c->n[axis] || at[u] == 0 || at[u] == c->n[u] || at[v] == 0 ||
                    at[v] == c->n[v])
                    continue;
                int to[3] = { at[0], at[1], at[2] };
                ++to[axis];
                const double f = c->value[corner_index(c, at[0], at[1], at[2])];
                const double g = c->value[corner_index(c, to[0], to[1], to[2])];
                if (isnan(f) || isnan(g) || (f < 0) == (g < 0))
                    continue;
                wall_at by = { .wall = NULL };
                abut_vec3 p = { 0, 0, 0 };
                if (!quads)
                    p = crossing(c, corner_at(c, at[0], at[1], at[2]), corner_at(c, to[0], to[1], to[2]),
                                 f < 0, &by);
                uint32_t around[4];
                for (int k = 0; k < 4; ++k) {
                    int of[3] = { at[0], at[1], at[2] };
                    of[u] -= k == 0 || k == 3;
                    of[v] -= k < 2;
                    const size_t index = corner_index(c, of[0], of[1], of[2]);
                    if (quads)
                        around[f < 0 ? k : 3 - k] = (uint32_t)c->cell[index];
                    else
                        add_to_cell(c, index, p, &by);
                }
                if (quads)
                    add_quad(c, around);
            }
}

static void run(contour *c)
{
    if (!make_grid(c))
        return;
    evaluate(c);
    for (int axis = 0; axis < 3; ++axis)
        walk_edges(c, axis, false);
    if (c->t->status || c->fits.count == 0)
        return;
    if (!ABUT_ARRAY_RESERVE(c->t->alloc, &c->vertices, c->fits.count) ||
        !ABUT_ARRAY_RESERVE(c->t->alloc, &c->normals, c->fits.count)) {
        abut_tess_fail(c->t, ABUT_ERR_MEMORY);
        return;
    }
    for (size_t i = 0; i < c->fits.count; ++i) {
        c->vertices.items[c->vertices.count++] = solve(&c->fits.items[i], c->step.x);
        c->normals.items[c->normals.count++] = smooth_normal(&c->fits.items[i]);
    }
    for (int axis = 0; axis < 3; ++axis)
        walk_edges(c, axis, true);
    abut_tess_faces_with(c->t, c->vertices.items, c->normals.items, c->vertices.count, c->triangles.items,
                         c->triangles.count / 3);
}

void abut_tess_implicit(abut_tess *t, const abut_shape *shape)
{
    contour c = { .t = t, .shape = shape };
    const abut_status status = abut_shape_surface(shape, &t->ws, &c.surface);
    c.scratch = status ? NULL : abut_workspace_take(&t->ws, c.surface.scratch + 16, sizeof *c.scratch);
    c.numbers = status ? NULL : abut_workspace_take(&t->ws, scratch_of(shape) + 8, sizeof *c.numbers);
    if (!c.scratch || !c.numbers)
        abut_tess_fail(t, status ? status : ABUT_ERR_MEMORY);
    else
        run(&c);
    ABUT_ARRAY_FREE(t->alloc, &c.fits);
    ABUT_ARRAY_FREE(t->alloc, &c.vertices);
    ABUT_ARRAY_FREE(t->alloc, &c.normals);
    ABUT_ARRAY_FREE(t->alloc, &c.triangles);
}
