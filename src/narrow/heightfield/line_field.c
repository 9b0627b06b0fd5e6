/* SPDX-License-Identifier: MIT */
/* Where a line meets the boundary of a height field: the surface, and the walls below its border;
 * see line.h and docs/notes/rays.md.
 *
 * Method: the cell walk of F. K. Musgrave (Grid tracing: fast ray tracing for height fields,
 * 1988) over a pyramid. Seen from above the line meets a block of cells when its corners are not
 * all on one side of it; where the line is above or below all heights of the block, the block is
 * skipped, otherwise its four quarters follow in the order of the line, down to cells. There the
 * line enters, may cross the diagonal, and leaves: at each of these it is above, on or below an
 * edge of the surface, which the sign of one determinant tells, exactly. In between the height
 * over the surface is linear, so the signs tell all: a change is a crossing, a zero is a touch,
 * zeros in a row are a run in the surface. A crossing belongs to an edge or a triangle and is
 * found once, whichever cells share it. */
#include "narrow/heightfield/line_field.h"

#include "math/vec3.h"
#include "narrow/heightfield/line_grid.h"

typedef abut_grid_corner corner;
typedef abut_grid_triangle triangle;

typedef enum edge_kind { EDGE_X, EDGE_Y, EDGE_DIAGONAL } edge_kind;

/* Where on the grid a line passes: a vertex or an edge, by the numbers of abut/query.h. */
typedef struct spot {
    abut_feature feature;
    int64_t id;
} spot;

enum { NOTHING_YET = 2, PASSED = 3 };

typedef struct walk {
    abut_grid grid;
    int toward[2]; /* signs of d */
    bool forward;
    abut_field_sink sink;
    void *ctx;
    abut_where below; /* inside, or on a wall for lines in it */
    int64_t below_id;
    /* what the line did last */
    int last;                     /* -1 below, 0 on, 1 above */
    spot run_from, run_to, along; /* ends of a run in the surface, and what it lies in */
    abut_line_end run_end;
    bool pending;
    abut_field_hit hit;
} walk;

/* ---- features ---- */

static int64_t face_number(const walk *w, triangle t)
{
    return 2 * ((int64_t)t.cell.j * (int64_t)(w->grid.field->columns - 1) + (int64_t)t.cell.i) + t.which;
}

static int64_t edge_total(const abut_heightfield_data *f)
{
    const int64_t c = (int64_t)f->columns, r = (int64_t)f->rows;
    return (c - 1) * r + c * (r - 1) + (c - 1) * (r - 1);
}

static spot vertex_spot(const walk *w, corner c)
{
    return (spot){ ABUT_FEATURE_VERTEX, (int64_t)c.j * (int64_t)w->grid.field->columns + (int64_t)c.i };
}

static spot edge_spot(const walk *w, edge_kind kind, corner from)
{
    const int64_t c = (int64_t)w->grid.field->columns, r = (int64_t)w->grid.field->rows;
    const int64_t i = (int64_t)from.i, j = (int64_t)from.j;
    const int64_t id = kind == EDGE_X   ? j * (c - 1) + i
                       : kind == EDGE_Y ? (c - 1) * r + j * c + i
                                        : (c - 1) * r + c * (r - 1) + j * (c - 1) + i;
    return (spot){ ABUT_FEATURE_EDGE, id };
}

/* ---- what happens along the line ---- */

static void flush(walk *w)
{
    if (w->pending)
        w->sink(w->ctx, &w->hit);
    w->pending = false;
}

static void set_after(walk *w, int sign)
{
    w->hit.after = sign > 0 ? ABUT_WHERE_OUT : w->below;
    w->hit.after_id = sign > 0 ? -1 : w->below_id;
}

static void emit(walk *w, const abut_line_end *end, int after)
{
    flush(w);
    w->pending = true;
    w->hit.at = *end;
    set_after(w, after);
}

static void end_run(walk *w, int after)
{
    if (w->run_from.feature == w->run_to.feature && w->run_from.id == w->run_to.id)
        set_after(w, after);
    else
        emit(w, &w->run_end, after);
}

/* From the height above the surface (sign) where nothing is crossed. */
static void pass(walk *w, int sign, const abut_line_end *wall)
{
    if (w->last == NOTHING_YET && sign < 0)
        emit(w, wall, sign);
    else if (w->last == 0)
        end_run(w, sign);
    w->last = sign;
}

/* At an edge or vertex; `before` is the triangle since the last place, NULL at the first of a
 * cell. */
static void reach(walk *w, int sign, spot at, const abut_line_end *end, const triangle *before,
                  const abut_line_end *wall)
{
    if (sign != 0) {
        if (before && w->last == -sign) {
            /* Seen from above it may run along an edge all the time, and cross that. */
            const bool edge = w->along.feature == ABUT_FEATURE_EDGE;
            const abut_line_end crossing = { abut_grid_plane_parameter(&w->grid, *before),
                                             edge ? ABUT_FEATURE_EDGE : ABUT_FEATURE_FACE,
                                             edge ? w->along.id : face_number(w, *before),
                                             abut_grid_normal(&w->grid, *before) };
            emit(w, &crossing, sign);
            w->last = sign;
        } else
            pass(w, sign, wall);
        return;
    }
    if (w->last != 0) {
        emit(w, end, 0);
        w->run_from = at;
    } else if (before && (w->run_to.feature != at.feature || w->run_to.id != at.id)) {
        w->hit.after = w->along.feature == ABUT_FEATURE_EDGE ? ABUT_WHERE_EDGE : ABUT_WHERE_FACE;
        w->hit.after_id = w->along.id;
    }
    w->last = 0;
    w->run_to = at;
    w->run_end = *end;
}

/* ---- cells ---- */

/* How the line passes a rectangle of the grid, from the sides of its corners 00, 10, 01, 11. */
typedef enum passage { MISSES, TOUCHES, ALONG, THROUGH } passage;

static passage passage_of(const int s[4])
{
    int plus = 0, minus = 0;
    for (int i = 0; i < 4; ++i) {
        plus += s[i] > 0;
        minus += s[i] < 0;
    }
    if (plus > 0 && minus > 0)
        return THROUGH;
    const int on = 4 - plus - minus;
    return on == 0 ? MISSES : on == 1 ? TOUCHES : ALONG;
}

/* The edges of a cell, counter-clockwise, as corners 00, 10, 01, 11. */
static const struct {
    int from, to, axis; /* corners; the axis of the grid line it lies on */
    edge_kind kind;
} sides[4] = { { 0, 1, 1, EDGE_X }, { 1, 3, 0, EDGE_Y }, { 3, 2, 1, EDGE_X }, { 2, 0, 0, EDGE_Y } };

/* Does the line enter the rectangle through its side k, as far as directions go? Leaves: the
 * other way round. */
static bool enters(const walk *w, int k, bool leaves)
{
    const int way = leaves ? -1 : 1;
    switch (k) {
    case 0: return way * w->toward[1] > 0;
    case 1: return way * w->toward[0] < 0;
    case 2: return way * w->toward[1] < 0;
    default: return way * w->toward[0] > 0;
    }
}

/* The side of a rectangle by which the line comes or goes, given that it passes THROUGH or
 * ALONG. */
static int side_of_passage(const walk *w, const int s[4], bool leaves)
{
    for (int k = 0; k < 4; ++k) {
        const int p = s[sides[k].from], q = s[sides[k].to];
        if (enters(w, k, leaves) && p != q && p * q <= 0)
            return k;
    }
    return -1;
}

static corner corner_of(corner first, size_t span_i, size_t span_j, int k)
{
    return (corner){ first.i + (k & 1 ? span_i : 0), first.j + (k & 2 ? span_j : 0) };
}

/* Where it crosses a diagonal: (dx, dy) x (corner - o) over (dx, dy) x d. */
static double diagonal_parameter(const walk *w, corner c)
{
    const abut_terms X = abut_grid_terms(&w->grid, 0, c.i), Y = abut_grid_terms(&w->grid, 1, c.j);
    abut_big x, y, dx, dy, over, under;
    abut_big_double(w->grid.half[0], &dx);
    abut_big_double(w->grid.half[1], &dy);
    abut_big_terms(&X, &x);
    abut_big_terms(&Y, &y);
    abut_big_clear(&over);
    abut_big_add_product(&dx, &y, 1, &over);
    abut_big_add_product(&dy, &x, -1, &over);
    abut_big_terms(&w->grid.line->d[0], &x);
    abut_big_terms(&w->grid.line->d[1], &y);
    abut_big_clear(&under);
    abut_big_add_product(&dx, &y, 1, &under);
    abut_big_add_product(&dy, &x, -1, &under);
    return abut_grid_unscale(&w->grid, abut_big_quotient(&over, &under));
}

/* The place where the line crosses an edge, whose parameter is only found where someone asks. */
static void at_edge(walk *w, edge_kind kind, corner p, corner q, int sp, int sq, const triangle *before,
                    triangle beside, const abut_line_end *wall)
{
    const int sign = abut_grid_above(&w->grid, p, q, sp, sq);
    if (sign != 0) {
        const spot none = { ABUT_FEATURE_NONE, -1 };
        reach(w, sign, none, NULL, before, wall);
        return;
    }
    const corner first = { p.i < q.i ? p.i : q.i, p.j < q.j ? p.j : q.j };
    const spot at = sp == 0 ? vertex_spot(w, p) : sq == 0 ? vertex_spot(w, q) : edge_spot(w, kind, first);
    abut_line_end end = { .feature = at.feature, .id = at.id, .outward = abut_grid_normal(&w->grid, beside) };
    if (kind == EDGE_DIAGONAL)
        end.t = diagonal_parameter(w, p);
    else
        end.t = abut_grid_parameter(&w->grid, kind == EDGE_X ? 1 : 0, kind == EDGE_X ? p.j : p.i);
    reach(w, 0, at, &end, before, wall);
}

/* A line along the edge of two blocks belongs to the one on its left, or to the only one. */
static bool owns(const walk *w, corner lo, corner hi, const int s[4])
{
    bool left = true;
    for (int k = 0; k < 4; ++k)
        left &= s[k] >= 0;
    return left || (s[0] == 0 && s[2] == 0 && lo.i == 0) ||
           (s[1] == 0 && s[3] == 0 && hi.i == w->grid.field->columns - 1) ||
           (s[0] == 0 && s[1] == 0 && lo.j == 0) ||
           (s[2] == 0 && s[3] == 0 && hi.j == w->grid.field->rows - 1);
}

/* What a run in the surface over this cell lies in: an edge, or a triangle. */
static spot run_spot(const walk *w, corner cell, const int s[4], triangle t)
{
    if (s[0] == 0 && s[3] == 0)
        return edge_spot(w, EDGE_DIAGONAL, cell);
    if (s[0] == 0 && s[1] == 0)
        return edge_spot(w, EDGE_X, cell);
    if (s[2] == 0 && s[3] == 0)
        return edge_spot(w, EDGE_X, (corner){ cell.i, cell.j + 1 });
    if (s[0] == 0 && s[2] == 0)
        return edge_spot(w, EDGE_Y, cell);
    if (s[1] == 0 && s[3] == 0)
        return edge_spot(w, EDGE_Y, (corner){ cell.i + 1, cell.j });
    return (spot){ ABUT_FEATURE_FACE, face_number(w, t) };
}

static void visit_cell(walk *w, corner cell, const int s[4], const abut_line_end *wall)
{
    const int in = side_of_passage(w, s, false), out = side_of_passage(w, s, true);
    if (in < 0 || out < 0)
        return;
    const bool crosses = s[0] * s[3] < 0;
    /* Triangle 0 has the corners 00, 10, 11. */
    const int zeros = (s[0] == 0) + (s[1] == 0) + (s[3] == 0);
    const bool both = (s[0] > 0 || s[1] > 0 || s[3] > 0) && (s[0] < 0 || s[1] < 0 || s[3] < 0);
    triangle first = { cell, in >= 2 }, second = { cell, out >= 2 };
    if (!crosses)
        first.which = second.which = !(both || zeros == 2);
    w->along = run_spot(w, cell, s, first);
    corner c[4];
    for (int k = 0; k < 4; ++k)
        c[k] = corner_of(cell, 1, 1, k);
    at_edge(w, sides[in].kind, c[sides[in].from], c[sides[in].to], s[sides[in].from], s[sides[in].to], NULL,
            first, wall);
    if (crosses)
        at_edge(w, EDGE_DIAGONAL, c[0], c[3], s[0], s[3], &first, first, wall);
    at_edge(w, sides[out].kind, c[sides[out].from], c[sides[out].to], s[sides[out].from], s[sides[out].to],
            &second, second, wall);
}

/* ---- blocks ---- */

typedef struct block {
    int level;
    size_t i, j;
} block;

/* Bounds, wide enough for all rounding, of the parameters at which the line is over [lo, hi] of
 * an axis. */
static void clip(const walk *w, int axis, size_t lo, size_t hi, double *from, double *to)
{
    if (w->toward[axis] == 0)
        return;
    const double a = abut_grid_coordinate(&w->grid, axis, lo), b = abut_grid_coordinate(&w->grid, axis, hi);
    const double inverse = 1 / w->grid.d[axis], ta = (a - w->grid.o[axis]) * inverse,
                 tb = (b - w->grid.o[axis]) * inverse;
    const double error =
        0x1p-49 * ((fabs(a) + fabs(b) + fabs(w->grid.o[axis])) * fabs(inverse) + fabs(ta) + fabs(tb));
    const double least = (ta < tb ? ta : tb) - error, most = (ta < tb ? tb : ta) + error;
    if (least > *from)
        *from = least;
    if (most < *to)
        *to = most;
}

/* 1 above all of the block, -1 below, 0 neither, PASSED: behind the start of the line. */
static int side_of(const walk *w, block b, corner lo, corner hi)
{
    double from = -INFINITY, to = INFINITY;
    clip(w, 0, lo.i, hi.i, &from, &to);
    clip(w, 1, lo.j, hi.j, &from, &to);
    if (w->forward && to < 0)
        return PASSED;
    const double za = w->grid.o[2] + w->grid.d[2] * from, zb = w->grid.o[2] + w->grid.d[2] * to;
    const double error = 0x1p-49 * (fabs(w->grid.o[2]) + fabs(w->grid.d[2] * from) + fabs(w->grid.d[2] * to));
    const abut_range r = abut_heightfield_range(w->grid.field, b.level, b.i, b.j);
    if ((za < zb ? za : zb) - error > w->grid.scale * r.hi)
        return 1;
    if ((za < zb ? zb : za) + error < w->grid.scale * r.lo)
        return -1;
    return 0;
}

static void visit_blocks(walk *w, const abut_line_end *wall)
{
    const size_t across = w->grid.field->columns - 1, along = w->grid.field->rows - 1;
    block stack[4 * ABUT_HEIGHTFIELD_LEVELS + 1];
    int depth = 0;
    stack[depth++] = (block){ w->grid.field->pyramid->levels, 0, 0 };
    /* Quarters in the order of the line: near, the two beside, far. A line along an axis must
     * finish one row before the next. */
    const size_t x_near = w->toward[0] < 0, y_near = w->toward[1] < 0;
    const bool rows_first = w->toward[0] == 0;
    while (depth > 0) {
        const block b = stack[--depth];
        const corner lo = { b.i << b.level, b.j << b.level };
        corner hi = { (b.i + 1) << b.level, (b.j + 1) << b.level };
        hi.i = hi.i < across ? hi.i : across;
        hi.j = hi.j < along ? hi.j : along;
        int s[4];
        for (int k = 0; k < 4; ++k)
            s[k] = abut_grid_side(&w->grid, corner_of(lo, hi.i - lo.i, hi.j - lo.j, k));
        const passage passes = passage_of(s);
        if (passes == MISSES || passes == TOUCHES || (passes == ALONG && !owns(w, lo, hi, s)))
            continue;
        const int standing = side_of(w, b, lo, hi);
        if (standing == PASSED) {
            w->last = PASSED;
            continue;
        }
        if (standing != 0) {
            pass(w, standing, wall);
            continue;
        }
        if (b.level == 0) {
            visit_cell(w, lo, s, wall);
            continue;
        }
        for (int k = 3; k >= 0; --k) { /* the last pushed comes first */
            const size_t major = (size_t)k >> 1, minor = (size_t)k & 1;
            const size_t x = (rows_first ? minor : major) ^ x_near, y = (rows_first ? major : minor) ^ y_near;
            const block child = { b.level - 1, 2 * b.i + x, 2 * b.j + y };
            if (child.i < abut_heightfield_blocks(across, child.level) &&
                child.j < abut_heightfield_blocks(along, child.level))
                stack[depth++] = child;
        }
    }
}

/* ---- the whole field ---- */

static abut_line_end wall_end(const walk *w, const int s[4], int k)
{
    const size_t across = w->grid.field->columns - 1, along = w->grid.field->rows - 1;
    static const int number[4] = { 2, 1, 3, 0 }; /* -x, +x, -y, +y */
    const double n = k == 1 || k == 2 ? 1 : -1;
    abut_line_end end = { .feature = ABUT_FEATURE_FACE };
    end.id = 2 * (int64_t)(across * along) + number[k];
    end.outward = sides[k].axis == 0 ? abut_v3(n, 0, 0) : abut_v3(0, n, 0);
    end.t = abut_grid_parameter(&w->grid, sides[k].axis, k == 1 ? across : k == 2 ? along : 0);
    const int at = s[sides[k].from] == 0 ? sides[k].from : s[sides[k].to] == 0 ? sides[k].to : -1;
    if (at >= 0) {
        end.feature = ABUT_FEATURE_EDGE;
        end.id = edge_total(w->grid.field) + at;
    }
    return end;
}

/* The line meets the field in one vertical edge of its walls. */
static void touch_corner(walk *w, const int s[4])
{
    int k = 0;
    while (s[k] != 0)
        ++k;
    const corner c = corner_of((corner){ 0, 0 }, w->grid.field->columns - 1, w->grid.field->rows - 1, k);
    const int axis = w->toward[0] != 0 ? 0 : 1;
    /* The sign of g at the corner: an edge along the other axis ends there. */
    const corner q =
        axis == 0 ? (corner){ c.i, c.j == 0 ? 1 : c.j - 1 } : (corner){ c.i == 0 ? 1 : c.i - 1, c.j };
    const int sign = abut_grid_above(&w->grid, c, q, 0, abut_grid_side(&w->grid, q));
    if (sign > 0)
        return;
    abut_line_end end = { abut_grid_parameter(&w->grid, axis, axis == 0 ? c.i : c.j), ABUT_FEATURE_EDGE,
                          edge_total(w->grid.field) + k,
                          abut_unit_or(abut_v3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, 0), abut_v3(0, 0, 1)) };
    if (sign == 0) {
        end.feature = ABUT_FEATURE_VERTEX;
        end.id = vertex_spot(w, c).id;
    }
    emit(w, &end, 1);
    flush(w);
}

static void set_walls(walk *w, const int s[4])
{
    static const int on[4][2] = { { 0, 2 }, { 1, 3 }, { 0, 1 }, { 2, 3 } };
    for (int k = 0; k < 4; ++k)
        if (s[on[k][0]] == 0 && s[on[k][1]] == 0) {
            w->below = ABUT_WHERE_FACE;
            w->below_id = 2 * (int64_t)((w->grid.field->columns - 1) * (w->grid.field->rows - 1)) + k;
        }
}

/* Index of the cell along an axis that holds the line's start, lowest where two do; -1 outside.
 * *on: it is on the grid line below (1) or above (2) it. */
static int64_t find_cell(const walk *w, int axis, int *on)
{
    const size_t cells = (axis == 0 ? w->grid.field->columns : w->grid.field->rows) - 1;
    const double guess = floor((w->grid.o[axis] / w->grid.half[axis] + (double)cells) / 2);
    size_t i = guess > 0 ? (guess < (double)(cells - 1) ? (size_t)guess : cells - 1) : 0;
    abut_terms t;
    /* Signs of grid line less o; the guess is at most a few cells off. */
    while (i > 0 && (t = abut_grid_terms(&w->grid, axis, i), abut_terms_sign(&t) > 0))
        --i;
    while (i + 1 < cells && (t = abut_grid_terms(&w->grid, axis, i + 1), abut_terms_sign(&t) < 0))
        ++i;
    t = abut_grid_terms(&w->grid, axis, i);
    const int low = abut_terms_sign(&t);
    t = abut_grid_terms(&w->grid, axis, i + 1);
    const int high = abut_terms_sign(&t);
    *on = low == 0 ? 1 : high == 0 ? 2 : 0;
    return low > 0 || high < 0 ? -1 : (int64_t)i;
}

/* The triangle, and the vertex or edge if any, under the start of the line; false outside the
 * field. *wall: on which feature of the border it is. */
static bool locate(const walk *w, triangle *t, spot *at, spot *wall)
{
    int on_x, on_y;
    const int64_t i = find_cell(w, 0, &on_x), j = find_cell(w, 1, &on_y);
    if (i < 0 || j < 0)
        return false;
    const corner cell = { (size_t)i, (size_t)j };
    const abut_terms X = abut_grid_terms(&w->grid, 0, cell.i), Y = abut_grid_terms(&w->grid, 1, cell.j);
    abut_big x, y, dx, dy, sum;
    abut_big_terms(&X, &x); /* corner less o */
    abut_big_terms(&Y, &y);
    abut_big_double(w->grid.half[0], &dx);
    abut_big_double(w->grid.half[1], &dy);
    abut_big_clear(&sum); /* (dx, dy) x (o - corner) */
    abut_big_add_product(&dx, &y, -1, &sum);
    abut_big_add_product(&dy, &x, 1, &sum);
    const int diagonal = abut_big_sign(&sum);
    *t = (triangle){ cell, diagonal >= 0 };
    const corner near = { cell.i + (on_x == 2), cell.j + (on_y == 2) };
    *at = on_x && on_y    ? vertex_spot(w, near)
          : on_x          ? edge_spot(w, EDGE_Y, near)
          : on_y          ? edge_spot(w, EDGE_X, near)
          : diagonal == 0 ? edge_spot(w, EDGE_DIAGONAL, cell)
                          : (spot){ ABUT_FEATURE_FACE, face_number(w, *t) };
    const size_t across = w->grid.field->columns - 1, along = w->grid.field->rows - 1;
    const bool x0 = on_x && near.i == 0, x1 = on_x && near.i == across, y0 = on_y && near.j == 0,
               y1 = on_y && near.j == along;
    const int64_t faces = 2 * (int64_t)(across * along);
    *wall = (x0 || x1) && (y0 || y1) ? (spot){ ABUT_FEATURE_EDGE, edge_total(w->grid.field) + x1 + 2 * y1 }
            : x0 || x1               ? (spot){ ABUT_FEATURE_FACE, faces + x1 }
            : y0 || y1               ? (spot){ ABUT_FEATURE_FACE, faces + 2 + y1 }
                                     : (spot){ ABUT_FEATURE_NONE, -1 };
    return true;
}

static abut_where where_of(abut_feature feature)
{
    return feature == ABUT_FEATURE_VERTEX ? ABUT_WHERE_VERTEX
           : feature == ABUT_FEATURE_EDGE ? ABUT_WHERE_EDGE
           : feature == ABUT_FEATURE_FACE ? ABUT_WHERE_FACE
                                          : ABUT_WHERE_IN;
}

static abut_where through_vertically(walk *w)
{
    triangle t;
    spot at, wall;
    if (!locate(w, &t, &at, &wall))
        return ABUT_WHERE_OUT;
    w->below = where_of(wall.feature);
    w->below_id = wall.id;
    const int up = abut_terms_sign(&w->grid.line->d[2]);
    const abut_line_end end = { abut_grid_plane_parameter(&w->grid, t), at.feature, at.id,
                                abut_grid_normal(&w->grid, t) };
    emit(w, &end, up);
    flush(w);
    return up > 0 ? w->below : ABUT_WHERE_OUT;
}

static void set_walk(const abut_shape *shape, const abut_line *line, walk *w)
{
    const abut_heightfield_data *f = &shape->u.heightfield;
    *w = (walk){
        .grid = { .field = f, .line = line }, .below = ABUT_WHERE_IN, .below_id = -1, .last = NOTHING_YET
    };
    w->grid.scale = ldexp(1, -line->length_exponent);
    w->grid.half[0] = 0.5 * w->grid.scale * f->dx;
    w->grid.half[1] = 0.5 * w->grid.scale * f->dy;
    for (int k = 0; k < 3; ++k) {
        w->grid.o[k] = abut_terms_value(&line->o[k]).h;
        w->grid.d[k] = abut_terms_value(&line->d[k]).h;
    }
    const double x = abut_grid_coordinate(&w->grid, 0, f->columns - 1),
                 y = abut_grid_coordinate(&w->grid, 1, f->rows - 1);
    const double z = w->grid.scale * fmax(fabs(f->pyramid->whole.lo), fabs(f->pyramid->whole.hi));
    w->grid.slip = 0x1p-51 * (x + y + z + abut_max_norm(abut_v3(w->grid.o[0], w->grid.o[1], w->grid.o[2])));
    w->toward[0] = abut_terms_sign(&line->d[0]);
    w->toward[1] = abut_terms_sign(&line->d[1]);
}

abut_where abut_line_through_field(const abut_shape *shape, const abut_line *line, bool forward,
                                   abut_field_sink sink, void *ctx)
{
    walk w;
    set_walk(shape, line, &w);
    w.forward = forward;
    w.sink = sink;
    w.ctx = ctx;
    if (w.toward[0] == 0 && w.toward[1] == 0)
        return through_vertically(&w);
    int s[4];
    for (int k = 0; k < 4; ++k)
        s[k] = abut_grid_side(
            &w.grid, corner_of((corner){ 0, 0 }, w.grid.field->columns - 1, w.grid.field->rows - 1, k));
    const passage passes = passage_of(s);
    if (passes == TOUCHES)
        touch_corner(&w, s);
    if (passes == MISSES || passes == TOUCHES)
        return ABUT_WHERE_OUT;
    if (passes == ALONG)
        set_walls(&w, s);
    const abut_line_end first = wall_end(&w, s, side_of_passage(&w, s, false));
    const abut_line_end last = wall_end(&w, s, side_of_passage(&w, s, true));
    visit_blocks(&w, &first);
    if (w.last == 0)
        end_run(&w, 1);
    else if (w.last == -1)
        emit(&w, &last, 1);
    flush(&w);
    return ABUT_WHERE_OUT;
}

/* ---- points ---- */

void abut_line_field_point(const abut_shape *shape, const abut_line *line, abut_piece *out)
{
    walk w;
    triangle t;
    spot at, wall;
    set_walk(shape, line, &w);
    *out = (abut_piece){ .where = ABUT_WHERE_OUT, .id = -1 };
    if (!locate(&w, &t, &at, &wall))
        return;
    abut_big height, slope;
    abut_grid_exact_form(&w.grid, t, &height, &slope);
    const int sign = abut_big_sign(&height);
    if (sign > 0)
        return;
    const spot *on = sign == 0 ? &at : &wall;
    out->where = where_of(on->feature);
    out->id = on->id;
}

int abut_line_field_side(const abut_shape *shape, const abut_interval box[3])
{
    const abut_heightfield_data *f = &shape->u.heightfield;
    const double step[2] = { f->dx, f->dy };
    const size_t cells[2] = { f->columns - 1, f->rows - 1 };
    size_t from[2], to[2];
    bool within = true;
    if (box[2].lo > f->pyramid->whole.hi)
        return 1;
    for (int k = 0; k < 2; ++k) { /* in cells from the low corner, and a little more */
        const double lo = box[k].lo / step[k] + 0.5 * (double)cells[k],
                     hi = box[k].hi / step[k] + 0.5 * (double)cells[k];
        const double slack = 0x1p-48 * (double)cells[k], most = (double)(cells[k] - 1);
        if (lo - slack > (double)cells[k] || hi + slack < 0)
            return 1;
        if (!(hi - lo < 4))
            return ABUT_SIGN_UNKNOWN;
        within &= lo - slack > 0 && hi + slack < (double)cells[k];
        from[k] = lo - slack > 0 ? (size_t)fmin(lo - slack, most) : 0;
        to[k] = hi + slack > 0 ? (size_t)fmin(hi + slack, most) : 0;
    }
    /* No height of the surface over the box differs from that at the box's middle by more than
     * the steepest rise along either axis, over half its width. */
    double rise[2] = { 0, 0 }, size = 0;
    for (size_t j = from[1]; j <= to[1]; ++j)
        for (size_t i = from[0]; i <= to[0]; ++i) {
            const double a = abut_heightfield_height(f, i, j), b = abut_heightfield_height(f, i + 1, j),
                         c = abut_heightfield_height(f, i, j + 1),
                         d = abut_heightfield_height(f, i + 1, j + 1);
            rise[0] = fmax(rise[0], fmax(fabs(b - a), fabs(d - c)));
            rise[1] = fmax(rise[1], fmax(fabs(c - a), fabs(d - b)));
            size = fmax(fmax(size, fmax(fabs(a), fabs(b))), fmax(fabs(c), fabs(d)));
        }
    const size_t i = from[0], j = from[1];
    const double u = (0.5 * box[0].lo + 0.5 * box[0].hi) / step[0] + 0.5 * (double)cells[0] - (double)i;
    const double v = (0.5 * box[1].lo + 0.5 * box[1].hi) / step[1] + 0.5 * (double)cells[1] - (double)j;
    const double a = abut_heightfield_height(f, i, j), b = abut_heightfield_height(f, i + 1, j),
                 c = abut_heightfield_height(f, i, j + 1), d = abut_heightfield_height(f, i + 1, j + 1);
    const double height = u >= v ? a + u * (b - a) + v * (d - b) : a + v * (c - a) + u * (d - c);
    /* The middle may be a cell further than (i, j): its plane there is another, but no steeper. */
    double margin = 0x1p-45 * size;
    for (int k = 0; k < 2; ++k)
        margin += 2 * rise[k] * ((box[k].hi - box[k].lo) / step[k] + 0x1p-46 * (double)cells[k]);
    return box[2].lo > height + margin ? 1 : within && box[2].hi < height - margin ? -1 : ABUT_SIGN_UNKNOWN;
}
