/* SPDX-License-Identifier: MIT */
/* Profiles of extruded and revolved solids as formulas of half-planes and discs, each of which becomes a
 * field of the combination.
 *
 * A simple polygon is a monotone formula in which the half-plane of each side occurs once (Dobkin,
 * Guibas, Hershberger, Snoeyink: An efficient algorithm for finding the CSG representation of a simple
 * polygon, Algorithmica 10, 1993): a path that runs on to infinity along its first and last side is
 * split at a vertex of its convex hull; what is to its left is to the left of both parts where it
 * turns left there, of either where it turns right. The sum of the directions in which the ends run
 * in and out gives a direction along which some vertex of the path is farthest of all.
 *
 * An arc stands for the half-plane of its chord with the disc (where it bulges out) or without it
 * (where it bulges in). That needs arcs that bend little: they are cut in two until the path turns the
 * same way along chords as along arcs, and the formula agrees with the profile itself at points on both
 * sides of all sides and all over the plane. The half-plane of a chord is left out where the disc
 * contains the profile, for a monotone formula is then true where it was.
 *
 * Where a tolerance is stated, each surface is thick by it: a monotone formula of surfaces that are moved out
 * (in) contains (is in) all solids whose surfaces are that near, so that what holds for all offsets is proved.
 *
 * A side on the axis of a revolved profile is no surface: what it stands for is always true, and it is
 * on the convex hull, where all are joined by "and". */
#include "shape/csg/csg.h"
#include "solid/solid.h"

#include <math.h>
#include <string.h>

enum { MOST_PIECES = 512, MOST_CUTS = 3, GRID = 24, ALONG = 7 };

typedef struct piece {
    abut_xy from, to;
    const abut_side *side; /* with its disc where it is an arc */
    bool alone;            /* the disc without the chord's half-plane */
} piece;

/* The formula in Polish order; leaves are pieces. */
typedef struct formula {
    piece *pieces;
    size_t count;
    abut_csg_token *tokens;
    size_t token_count;
    bool fails;
} formula;

static double cross(abut_xy a, abut_xy b)
{
    return a.x * b.y - a.y * b.x;
}

static abut_xy minus(abut_xy a, abut_xy b)
{
    return (abut_xy){ a.x - b.x, a.y - b.y };
}

static abut_xy direction(const piece *p)
{
    const abut_xy d = minus(p->to, p->from);
    const double length = hypot(d.x, d.y);
    return (abut_xy){ d.x / length, d.y / length };
}

/* ---- pieces ---- */

/* The tangent of a piece at its beginning (end 0) and end (1). */
static abut_xy tangent(const piece *p, int end)
{
    const abut_xy at = end ? p->to : p->from, c = p->side->center;
    if (!p->side->turn)
        return minus(p->to, p->from);
    return (abut_xy){ -p->side->turn * (at.y - c.y), p->side->turn * (at.x - c.x) };
}

/* The middle of an arc, where it is cut; a little inside the disc, so that the corners of chords that
 * are joined there are covered by the disc, or taken away with it. */
static abut_xy middle(const piece *p)
{
    const abut_xy c = p->side->center, d = minus(p->to, p->from);
    const double length = hypot(d.x, d.y), r = p->side->radius * (1 - 0x1p-44);
    return (abut_xy){ c.x + p->side->turn * r * d.y / length, c.y - p->side->turn * r * d.x / length };
}

static bool add_piece(formula *f, const abut_side *side, abut_xy from, abut_xy to, int cuts)
{
    const piece p = { from, to, side, false };
    if (f->count >= MOST_PIECES)
        return false;
    if (side->turn && cuts > 0) {
        const abut_xy m = middle(&p);
        return add_piece(f, side, from, m, cuts - 1) && add_piece(f, side, m, to, cuts - 1);
    }
    f->pieces[f->count++] = p;
    return true;
}

/* The sides of a loop, counter-clockwise: those of holes backwards, with arcs that turn the other way. */
static bool add_loop(formula *f, abut_side *sides, size_t count, bool hole, int cuts)
{
    f->count = 0;
    for (size_t i = 0; i < count; ++i) {
        abut_side *const s = &sides[hole ? count - 1 - i : i];
        if (hole) {
            const abut_xy from = s->from;
            s->from = s->to;
            s->to = from;
            s->turn = -s->turn;
        }
        /* More than a half circle has no chord to be beyond of. */
        if (!add_piece(f, s, s->from, s->to, cuts == 0 && s->turn && s->cos_half < 0 ? 1 : cuts))
            return false;
    }
    return true;
}

/* Along chords it must turn as it does along the arcs. */
static bool turns_alike(const formula *f)
{
    for (size_t i = 0; i < f->count; ++i) {
        const piece *p = &f->pieces[i], *q = &f->pieces[(i + 1) % f->count];
        if (p->side == q->side || (!p->side->turn && !q->side->turn))
            continue;
        const abut_xy a = tangent(p, 1), b = tangent(q, 0);
        const double arcs = cross(a, b), chords = cross(minus(p->to, p->from), minus(q->to, q->from));
        const double slack = 0x1p-40 * hypot(a.x, a.y) * hypot(b.x, b.y);
        if ((arcs > slack && chords <= 0) || (arcs < -slack && chords >= 0))
            return false;
    }
    return true;
}

static bool is_in_disc(const abut_side *disc, const abut_side *s)
{
    const double r = disc->radius * (1 + 0x1p-40);
    if (s->turn && s->center.x == disc->center.x && s->center.y == disc->center.y &&
        s->radius == disc->radius)
        return true;
    if (s->turn)
        return hypot(s->center.x - disc->center.x, s->center.y - disc->center.y) + s->radius <= r;
    return hypot(s->from.x - disc->center.x, s->from.y - disc->center.y) <= r &&
           hypot(s->to.x - disc->center.x, s->to.y - disc->center.y) <= r;
}

static void find_alone(formula *f, const abut_side *sides, size_t count)
{
    for (size_t i = 0; i < f->count; ++i) {
        bool alone = f->pieces[i].side->turn > 0;
        for (size_t k = 0; k < count && alone; ++k)
            alone = is_in_disc(f->pieces[i].side, &sides[k]);
        f->pieces[i].alone = alone;
    }
}

/* ---- the formula ---- */

static void put(formula *f, uint32_t step, size_t leaf)
{
    f->tokens[f->token_count++] = (abut_csg_token){ step, (uint32_t)leaf };
}

/* Pieces from .. from + n - 1 of the ring as a path. */
static void split(formula *f, size_t from, size_t n)
{
    if (n == 1) {
        put(f, ABUT_CSG_STEP_LEAF, from % f->count);
        return;
    }
    const piece *const pieces = f->pieces;
    const abut_xy in = direction(&pieces[from % f->count]),
                  out = direction(&pieces[(from + n - 1) % f->count]);
    abut_xy along = minus(in, out);
    if (hypot(along.x, along.y) < 0x1p-40)
        along = (abut_xy){ in.y, -in.x };
    size_t best = 1;
    double most = -INFINITY;
    for (size_t i = 1; i < n; ++i) {
        const abut_xy at = minus(pieces[(from + i) % f->count].from, pieces[from % f->count].from);
        const double reach = at.x * along.x + at.y * along.y;
        if (reach > most) {
            most = reach;
            best = i;
        }
    }
    const abut_xy a = direction(&pieces[(from + best - 1) % f->count]);
    const abut_xy b = direction(&pieces[(from + best) % f->count]);
    const double turn = cross(a, b);
    const bool left = fabs(turn) > 0x1p-45 ? turn > 0 : cross(along, a) > 0;
    split(f, from, best);
    split(f, from + best, n - best);
    put(f, left ? ABUT_CSG_STEP_AND : ABUT_CSG_STEP_OR, 0);
}

/* The loop is split at its first and last vertex, from left to right. */
static void make_formula(formula *f)
{
    size_t low = 0, high = 0;
    f->token_count = 0;
    for (size_t i = 1; i < f->count; ++i) {
        const abut_xy p = f->pieces[i].from, l = f->pieces[low].from, h = f->pieces[high].from;
        if (p.x < l.x || (p.x == l.x && p.y < l.y))
            low = i;
        if (p.x > h.x || (p.x == h.x && p.y > h.y))
            high = i;
    }
    const size_t n = (high + f->count - low) % f->count;
    split(f, low, n);
    split(f, high, f->count - n);
    put(f, ABUT_CSG_STEP_AND, 0);
}

static bool holds(const piece *p, abut_xy at)
{
    if (p->side->on_axis)
        return true;
    const bool left = cross(minus(p->to, p->from), minus(at, p->from)) >= 0;
    if (!p->side->turn)
        return left;
    const bool disc = hypot(at.x - p->side->center.x, at.y - p->side->center.y) <= p->side->radius;
    return p->side->turn > 0 ? disc || (left && !p->alone) : left && !disc;
}

static bool value_at(const formula *f, abut_xy at, bool *stack)
{
    size_t top = 0;
    for (size_t i = 0; i < f->token_count; ++i) {
        const abut_csg_token t = f->tokens[i];
        if (t.step == ABUT_CSG_STEP_LEAF) {
            stack[top++] = holds(&f->pieces[t.leaf], at);
            continue;
        }
        --top;
        stack[top - 1] =
            t.step == ABUT_CSG_STEP_AND ? stack[top - 1] && stack[top] : stack[top - 1] || stack[top];
    }
    return stack[0];
}

/* Against the loop itself, where it is not within rounding of a side. */
static bool agrees(const formula *f, const abut_profile *loop, bool turned, abut_xy at, bool *stack)
{
    abut_profile_near near;
    if (turned && at.x <= 0)
        return true;
    abut_profile_nearest(loop, at, false, &near);
    return fabs(near.distance) < 1e-12 * loop->scale || (near.distance < 0) == value_at(f, at, stack);
}

/* Points beside all pieces, and a grid that reaches well beyond them. */
static bool is_right(const formula *f, const abut_profile *loop, bool turned, bool *stack)
{
    const double w = loop->hi.x - loop->lo.x, h = loop->hi.y - loop->lo.y, size = fmax(w, h);
    bool right = true;
    for (size_t i = 0; i < f->count && right; ++i) {
        const piece *const p = &f->pieces[i];
        const abut_xy d = direction(p), along = minus(p->to, p->from);
        for (int k = 0; k < 2 * ALONG && right; ++k) {
            const int step_along = k / 2;
            const double s = (step_along + 0.5) / ALONG, side = k % 2 ? -1 : 1;
            abut_xy at = { p->from.x + s * along.x, p->from.y + s * along.y }, out = { d.y, -d.x };
            if (p->side->turn) {
                const abut_xy from = minus(at, p->side->center);
                const double n = hypot(from.x, from.y), r = p->side->radius;
                at = n > 0
                         ? (abut_xy){ p->side->center.x + r * from.x / n, p->side->center.y + r * from.y / n }
                         : at;
                out = n > 0 ? (abut_xy){ from.x / n, from.y / n } : out;
            }
            for (double step = 1e-2; step > 1e-9 && right; step *= 1e-2)
                right = agrees(
                    f, loop, turned,
                    (abut_xy){ at.x + side * step * size * out.x, at.y + side * step * size * out.y }, stack);
        }
    }
    for (int i = 0; i < GRID * GRID && right; ++i) {
        const int column = i % GRID, row = i / GRID;
        const double x = (column + 0.51) / GRID, y = (row + 0.47) / GRID;
        right = agrees(f, loop, turned,
                       (abut_xy){ loop->lo.x + (3 * x - 1) * w, loop->lo.y + (3 * y - 1) * h }, stack);
    }
    return right;
}

/* ---- fields ---- */

typedef struct line_call {
    abut_xy from, to;
    abut_interval a, b, c; /* a x + b y <= c to its left */
} line_call;

static ABUT_NOINLINE void enclose_line(line_call *l)
{
    const ia dx = ia_sub(ia_point(l->to.x), ia_point(l->from.x));
    const ia dy = ia_sub(ia_point(l->to.y), ia_point(l->from.y));
    l->a = ia_to(dy);
    l->b = ia_to(ia_neg(dx));
    l->c = ia_to(ia_sub(ia_mul(dy, ia_point(l->from.x)), ia_mul(dx, ia_point(l->from.y))));
}

static ABUT_NOINLINE void enclose_square(double x, abut_interval *out)
{
    *out = ia_to(ia_sqr(ia_point(x)));
}

static abut_interval square(double x)
{
    abut_interval out;
    const abut_rounding saved = abut_rounding_enter();
    enclose_square(x, &out);
    abut_rounding_leave(saved);
    return out;
}

static void emit_line(abut_csg_build *b, const abut_csg_frame *at, const piece *p, bool turned)
{
    const abut_interval zero = { 0, 0 }, one = { 1, 1 };
    line_call l = { .from = p->from, .to = p->to };
    const abut_rounding saved = abut_rounding_enter();
    enclose_line(&l);
    abut_rounding_leave(saved);
    const abut_interval offset = { -l.c.hi, -l.c.lo };
    abut_field_request r = { .kind = ABUT_FIELD_PLANE, .normal = { l.a, l.b, zero }, .offset = offset };
    if (!turned) {
        abut_csg_emit_field(b, at, &r, false);
    } else if (p->from.y == p->to.y) {
        r.normal = (abut_interval_vec3){ zero, zero, l.b };
        abut_csg_emit_field(b, at, &r, false);
    } else if (p->from.x == p->to.x) { /* r <= x, or r >= x */
        r = (abut_field_request){ .kind = ABUT_FIELD_QUADRIC,
                                  .k = { one, one, zero },
                                  .c = square(p->from.x) };
        abut_csg_emit_field(b, at, &r, p->to.y < p->from.y);
    } else {
        r = (abut_field_request){ .kind = ABUT_FIELD_CONE, .a = l.a, .b = l.b, .c = l.c };
        abut_csg_emit_field(b, at, &r, false);
    }
}

static void emit_disc(abut_csg_build *b, const abut_csg_frame *at, const abut_side *s, bool turned,
                      bool outside)
{
    const abut_interval zero = { 0, 0 }, one = { 1, 1 };
    abut_field_request r = { .kind = ABUT_FIELD_QUADRIC,
                             .k = { one, one, turned ? one : zero },
                             .c = square(s->radius),
                             .center = { turned ? 0 : s->center.x, turned ? 0 : s->center.y,
                                         turned ? s->center.y : 0 } };
    if (turned && s->center.x != 0) {
        r.kind = ABUT_FIELD_RING;
        r.a = abut_csg_exactly(s->center.x);
        r.b = abut_csg_exactly(s->center.y);
    }
    abut_csg_emit_field(b, at, &r, outside);
}

/* False: always true, and nothing was emitted. */
static bool emit_piece(abut_csg_build *b, const abut_csg_frame *at, const piece *p, bool turned)
{
    if (p->side->on_axis)
        return false;
    if (!p->alone)
        emit_line(b, at, p, turned);
    if (p->side->turn)
        emit_disc(b, at, p->side, turned, p->side->turn < 0);
    if (p->side->turn && !p->alone)
        abut_csg_emit(b, p->side->turn > 0 ? ABUT_CSG_STEP_OR : ABUT_CSG_STEP_AND, 0);
    return true;
}

static void emit_formula(abut_csg_build *b, const abut_csg_frame *at, const formula *f, bool turned,
                         bool *stack)
{
    size_t top = 0; /* of the stack: whether there is an operand */
    for (size_t i = 0; i < f->token_count; ++i) {
        const abut_csg_token t = f->tokens[i];
        if (t.step == ABUT_CSG_STEP_LEAF) {
            stack[top++] = emit_piece(b, at, &f->pieces[t.leaf], turned);
            continue;
        }
        --top;
        const bool both = stack[top - 1] && stack[top];
        if (both)
            abut_csg_emit(b, (abut_csg_step)t.step, 0);
        else if (t.step == ABUT_CSG_STEP_OR) /* the axis is on the hull: "and" alone joins it */
            b->status = ABUT_ERR_UNSUPPORTED;
        stack[top - 1] = stack[top - 1] || stack[top];
    }
    if (!stack[0] && !b->status)
        b->status = ABUT_ERR_UNSUPPORTED;
}

static abut_profile loop_of(const abut_profile *profile, size_t i, size_t starts[2])
{
    abut_profile loop = *profile;
    starts[0] = 0;
    starts[1] = profile->loop_starts[i + 1] - profile->loop_starts[i];
    loop.sides = profile->sides + profile->loop_starts[i];
    loop.count = starts[1];
    loop.loop_starts = starts;
    loop.loop_count = 1;
    return loop;
}

static void emit_loop(abut_csg_build *b, const abut_csg_frame *at, const abut_profile *profile, size_t which,
                      bool turned, abut_workspace *ws)
{
    size_t starts[2];
    const abut_profile loop = loop_of(profile, which, starts);
    formula f = { .count = 0 };
    f.pieces = abut_workspace_take(ws, MOST_PIECES, sizeof *f.pieces);
    f.tokens = abut_workspace_take(ws, 2 * MOST_PIECES, sizeof *f.tokens);
    abut_side *const sides = abut_workspace_take(ws, loop.count, sizeof *sides);
    bool *const stack = abut_workspace_take(ws, MOST_PIECES + 1, sizeof *stack);
    if (!f.pieces || !f.tokens || !sides || !stack) {
        b->status = ABUT_ERR_MEMORY;
        return;
    }
    for (int cuts = 0; cuts <= MOST_CUTS && !b->status; ++cuts) {
        memcpy(sides, loop.sides, loop.count * sizeof *sides);
        if (!add_loop(&f, sides, loop.count, which > 0, cuts))
            break;
        find_alone(&f, sides, loop.count);
        make_formula(&f);
        if (!turns_alike(&f) || !is_right(&f, &loop, turned, stack))
            continue;
        emit_formula(b, at, &f, turned, stack);
        return;
    }
    if (!b->status)
        b->status = ABUT_ERR_UNSUPPORTED;
}

void abut_csg_emit_profile(abut_csg_build *b, const abut_csg_frame *at, const abut_solid *solid)
{
    const bool turned = solid->form == ABUT_SOLID_REVOLVED;
    if (solid->stated) {
        b->slack = solid->tolerance;
        b->loose = ++b->loose_count;
    }
    abut_workspace ws;
    abut_workspace_open(&ws, b->alloc);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    for (size_t i = 0; i < solid->profile.loop_count && !b->status; ++i) {
        emit_loop(b, at, &solid->profile, i, turned, &ws);
        if (i > 0) {
            abut_csg_emit(b, ABUT_CSG_STEP_NOT, 0);
            abut_csg_emit(b, ABUT_CSG_STEP_AND, 0);
        }
    }
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
    for (int i = 0; i < 2 && !turned; ++i) {
        abut_csg_emit_side(b, at, 2, i ? 1 : -1, i ? solid->height : 0);
        abut_csg_emit(b, ABUT_CSG_STEP_AND, 0);
    }
    b->slack = 0;
    b->loose = 0;
}
