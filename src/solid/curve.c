/* SPDX-License-Identifier: MIT */
/* Edges as pieces that cells can bound. Lines, circles, ellipses, parabolas and splines are what
 * they are; hyperbolas and intersections of surfaces become cubic Hermite pieces that stay within a
 * quarter of the solid's tolerance of the curve at three points of each, and carry the tolerance as
 * the radius of a tube around them.
 *
 * An intersection is traced from the point it passes through in both directions: a step along the
 * cross product of the normals, Newton's method back to both surfaces, and a step half as long where
 * the cubic is not good enough. */
#include "solid/curve.h"
#include "math/vec3.h"
#include "solid/surface.h"

#include <string.h>

enum { MOST_PIECES = 20000 };

typedef struct context {
    const abut_solid *solid;
    abut_workspace *keep;
    abut_curves *out;
    size_t edge;
    abut_error *error;
} context;

static abut_status fail_edge(const context *c, const char *what)
{
    return abut_base_fail(c->error, ABUT_ERR_VALUE, (int64_t)c->edge, "edge %zu, %s %s", c->edge,
                          c->solid->def.edges[c->edge].kind == ABUT_SOLID_EDGE_INTERSECTION ? "an" : "a",
                          what);
}

static abut_part *push(context *c, abut_cell_kind kind)
{
    abut_curves *out = c->out;
    abut_part *parts = abut_workspace_grow(c->keep, out->parts, out->count, &out->capacity, sizeof *parts);
    if (!parts)
        return NULL;
    out->parts = parts;
    abut_part *p = &out->parts[out->count++];
    *p = abut_part_of(kind, (uint32_t)c->edge);
    p->v1 = 1;
    return p;
}

abut_vec3 abut_piece_at(const abut_part *p, double f, abut_vec3 *tangent)
{
    switch (p->kind) {
    case ABUT_CELL_SEGMENT:
        *tangent = abut_scale(p->v1 - p->v0, p->z);
        return abut_madd(p->o, p->v0 + f * (p->v1 - p->v0), p->z);
    case ABUT_CELL_ARC:
    case ABUT_CELL_ELLIPSE: {
        /* The direction at f of the way from one end to the other, by the angle. */
        const double half =
            p->a.cos_half <= -1 ? 3.14159265358979323846 : atan2(p->a.sin_half, p->a.cos_half);
        const double turn = (2 * f - 1) * half, ct = cos(turn), st = sin(turn);
        const double x = p->a.c * ct - p->a.s * st, y = p->a.s * ct + p->a.c * st;
        *tangent = abut_scale(2 * half * p->radius, abut_madd(abut_scale(-y, p->x), x, p->y));
        return abut_madd(p->o, p->radius, abut_madd(abut_scale(x, p->x), y, p->y));
    }
    case ABUT_CELL_CUBIC: {
        const double g = 1 - f;
        const abut_vec3 *q = p->points;
        abut_vec3 d = abut_scale(3 * g * g, abut_sub(q[1], q[0]));
        d = abut_madd(d, 6 * f * g, abut_sub(q[2], q[1]));
        *tangent = abut_madd(d, 3 * f * f, abut_sub(q[3], q[2]));
        abut_vec3 at = abut_scale(g * g * g, q[0]);
        at = abut_madd(at, 3 * f * g * g, q[1]);
        at = abut_madd(at, 3 * f * f * g, q[2]);
        return abut_madd(at, f * f * f, q[3]);
    }
    default: *tangent = abut_v3(0, 0, 0); return p->o;
    }
}

static abut_status memory(const context *c)
{
    return abut_base_fail_memory(c->error);
}

static abut_status add_cubic(context *c, abut_vec3 p0, abut_vec3 p1, abut_vec3 p2, abut_vec3 p3, double tube)
{
    abut_part *p = push(c, ABUT_CELL_CUBIC);
    if (!p)
        return memory(c);
    p->o = p0;
    p->points[0] = p0;
    p->points[1] = p1;
    p->points[2] = p2;
    p->points[3] = p3;
    p->radius = tube;
    return ABUT_OK;
}

static abut_status add_line(context *c, abut_vec3 from, abut_vec3 to)
{
    const abut_vec3 d = abut_sub(to, from);
    const double length = abut_length(d);
    if (!(length > c->solid->tolerance))
        return fail_edge(c, "line, is shorter than the tolerance");
    abut_part *p = push(c, ABUT_CELL_SEGMENT);
    if (!p)
        return memory(c);
    p->o = from;
    p->z = abut_unit_or(d, p->z);
    p->x = abut_unit_or(abut_cross(p->z, fabs(p->z.x) < 0.6 ? abut_v3(1, 0, 0) : abut_v3(0, 1, 0)), p->x);
    p->y = abut_cross(p->z, p->x);
    p->v1 = length;
    return ABUT_OK;
}

static abut_status add_circle(context *c, const abut_solid_edge *e, abut_vec3 from, abut_vec3 to)
{
    const double tolerance = c->solid->tolerance;
    const abut_vec3 d = abut_sub(from, e->center), f = abut_sub(to, e->center);
    const double r = abut_length(d);
    if (fabs(abut_dot(d, e->axis)) > tolerance || fabs(abut_dot(f, e->axis)) > tolerance)
        return fail_edge(c, "circle, has an end off its plane by more than the tolerance");
    if (fabs(abut_length(f) - r) > 2 * tolerance)
        return fail_edge(c, "circle, has ends at different distances from its centre");
    if (!(r > tolerance))
        return fail_edge(c, "circle, has a radius below the tolerance");
    abut_part *p = push(c, ABUT_CELL_ARC);
    if (!p)
        return memory(c);
    p->o = e->center;
    p->z = e->axis;
    p->x = abut_unit_or(abut_madd(d, -abut_dot(d, e->axis), e->axis), p->x);
    p->y = abut_cross(p->z, p->x);
    p->radius = r;
    p->major = tolerance; /* the radius may be off by that */
    if (e->from == e->to) {
        /* The whole circle, from its vertex: the middle is opposite. */
        p->a = (abut_arc_range){ -1, 0, -1, 0 };
        return ABUT_OK;
    }
    /* The angle from x to the last vertex; half of it by square roots. */
    const double x = abut_dot(f, p->x), y = abut_dot(f, p->y), n = hypot(x, y);
    double ch = sqrt(fmax(0, 0.5 * (1 + x / n))), sh = sqrt(fmax(0, 0.5 * (1 - x / n)));
    if (y < 0)
        ch = -ch;
    /* Precise where one of the two is small. */
    if (fabs(ch) < 0.1 && sh > 0)
        ch = 0.5 * (y / n) / sh;
    else if (sh < 0.1 && ch != 0)
        sh = fabs(0.5 * (y / n) / ch);
    p->a = (abut_arc_range){ ch, sh, ch, sh };
    return ABUT_OK;
}

/* A rational quadratic piece (weights 1, w, 1). w < 1: the affine image of a circular arc with
 * cos h = w, from -h to h; w = 1: a parabola; w > 1: a hyperbola, by Hermite pieces. */
static abut_vec3 conic_at(const abut_vec3 q[3], double w, double t, abut_vec3 *tangent)
{
    const double a = (1 - t) * (1 - t), b = 2 * t * (1 - t) * w, d = t * t, n = a + b + d;
    const double da = -2 * (1 - t), db = 2 * (1 - 2 * t) * w, dd = 2 * t, dn = da + db + dd;
    const abut_vec3 sum = abut_madd(abut_madd(abut_scale(a, q[0]), b, q[1]), d, q[2]);
    const abut_vec3 slope = abut_madd(abut_madd(abut_scale(da, q[0]), db, q[1]), dd, q[2]);
    const abut_vec3 at = abut_scale(1 / n, sum);
    *tangent = abut_scale(1 / n, abut_madd(slope, -dn, at));
    return at;
}

static abut_status add_hyperbola(context *c, const abut_vec3 q[3], double w)
{
    const double tolerance = c->solid->tolerance;
    double t = 0, step = 1.0 / 8;
    for (int pieces = 0; t < 1;) {
        const double next = fmin(1, t + step), h = next - t;
        abut_vec3 d0, d1, dm, mid_tangent;
        const abut_vec3 p0 = conic_at(q, w, t, &d0), p3 = conic_at(q, w, next, &d1);
        const abut_part trial = { .kind = ABUT_CELL_CUBIC,
                                  .points = { p0, abut_madd(p0, h / 3, d0), abut_madd(p3, -h / 3, d1), p3 } };
        double off = 0;
        for (int i = 1; i < 4; ++i) {
            const abut_vec3 at = abut_piece_at(&trial, 0.25 * i, &dm);
            const abut_vec3 true_at = conic_at(q, w, t + 0.25 * i * h, &mid_tangent);
            off = fmax(off, abut_length(abut_sub(at, true_at)));
        }
        if (off > 0.25 * tolerance && h > 1e-4) {
            step *= 0.5;
            continue;
        }
        if (off > 0.25 * tolerance || ++pieces > MOST_PIECES)
            return fail_edge(c, "conic, bends too sharply for the tolerance");
        const abut_status status =
            add_cubic(c, trial.points[0], trial.points[1], trial.points[2], trial.points[3], tolerance);
        if (status)
            return status;
        t = next;
        step *= 1.5;
    }
    return ABUT_OK;
}

static abut_status add_conic(context *c, const abut_solid_edge *e, abut_vec3 from, abut_vec3 to)
{
    const double w = e->weight;
    const abut_vec3 q[3] = { from, e->control, to };
    const abut_vec3 middle = abut_scale(0.5, abut_add(from, to)), rise = abut_sub(e->control, middle);
    if (!(abut_length(abut_cross(rise, abut_sub(to, from))) > 0))
        return fail_edge(c, "conic, has its control point on its chord");
    if (w > 1 - 1e-6 && w < 1 + 1e-6) {
        /* As a parabola it is off by |w - 1| / 2 of its extent; that goes into the tube. */
        const double off = 0.5 * fabs(w - 1) * (abut_length(rise) + abut_length(abut_sub(to, from)));
        if (off > c->solid->tolerance)
            return add_hyperbola(c, q, w);
        const abut_vec3 p1 = abut_madd(abut_scale(1.0 / 3, from), 2.0 / 3, e->control);
        const abut_vec3 p2 = abut_madd(abut_scale(1.0 / 3, to), 2.0 / 3, e->control);
        return add_cubic(c, from, p1, p2, to, off);
    }
    if (w > 1)
        return add_hyperbola(c, q, w);
    const double s2 = (1 - w) * (1 + w), s = sqrt(s2);
    abut_part *p = push(c, ABUT_CELL_ELLIPSE);
    if (!p)
        return memory(c);
    p->o = abut_madd(middle, -w * w / s2, rise);
    p->x = abut_scale(w / s2, rise);
    p->y = abut_scale(0.5 / s, abut_sub(to, from));
    p->z = abut_unit_or(abut_cross(p->x, p->y), p->z);
    p->radius = 1;
    p->a = (abut_arc_range){ 1, 0, w, s };
    return ABUT_OK;
}

static abut_status add_spline(context *c, const abut_solid_edge *e, abut_vec3 from, abut_vec3 to)
{
    const double tolerance = c->solid->tolerance;
    if (abut_length(abut_sub(e->points[0], from)) > tolerance ||
        abut_length(abut_sub(e->points[e->point_count - 1], to)) > tolerance)
        return fail_edge(c, "spline, does not begin and end at its vertices");
    for (size_t i = 0; i + 3 < e->point_count; i += 3) {
        const abut_vec3 *q = e->points + i;
        const abut_status status = add_cubic(c, q[0], q[1], q[2], q[3], tolerance);
        if (status)
            return status;
    }
    return ABUT_OK;
}

/* ---- intersections ---- */

typedef struct trace {
    const abut_solid_surface *f, *g;
    double size, tolerance;
} trace;

/* Newton's method to both surfaces, in the plane of their normals; *direction along the curve. */
static bool decide(const trace *t, abut_vec3 *p, abut_vec3 *direction)
{
    for (int i = 0; i < 12; ++i) {
        abut_vec3 n, m;
        const double a = abut_surface_at(t->f, *p, &n), b = abut_surface_at(t->g, *p, &m);
        const double c = abut_dot(n, m), det = 1 - c * c;
        const abut_vec3 cross = abut_cross(n, m);
        *direction = abut_unit_or(cross, *direction);
        if (fmax(fabs(a), fabs(b)) <= 1e-14 * t->size)
            return true;
        if (!(det > 1e-14))
            return fmax(fabs(a), fabs(b)) <= 0.1 * t->tolerance;
        *p = abut_madd(*p, -(a - c * b) / det, n);
        *p = abut_madd(*p, -(b - c * a) / det, m);
    }
    abut_vec3 n;
    return fmax(fabs(abut_surface_at(t->f, *p, &n)), fabs(abut_surface_at(t->g, *p, &n))) <=
           0.1 * t->tolerance;
}

/* Is the cubic from p (tangent d) to q (tangent e) on the curve at its quarters? */
static bool fits(const trace *t, const abut_part *cubic)
{
    for (int i = 1; i < 4; ++i) {
        abut_vec3 tangent, at = abut_piece_at(cubic, 0.25 * i, &tangent), on = at;
        abut_vec3 direction = abut_unit_or(tangent, abut_v3(1, 0, 0));
        if (!decide(t, &on, &direction) || abut_length(abut_sub(on, at)) > 0.25 * t->tolerance)
            return false;
    }
    return true;
}

static abut_part hermite(abut_vec3 p, abut_vec3 d, abut_vec3 q, abut_vec3 e)
{
    /* Arms a third of the arc's length, which the chord and the turn of the tangents give. */
    const double chord = abut_length(abut_sub(q, p)), turn = fmin(1, fmax(-1, abut_dot(d, e)));
    const double arm = chord * 2 / 3 / (1 + sqrt(0.5 * (1 + turn)));
    return (abut_part){ .kind = ABUT_CELL_CUBIC,
                        .points = { p, abut_madd(p, arm, d), abut_madd(q, -arm, e), q } };
}

/* Does the piece pass through the point, other than at its start? */
static bool passes(const abut_part *cubic, abut_vec3 at, double tolerance)
{
    const abut_vec3 chord = abut_sub(cubic->points[3], cubic->points[0]);
    const double square = abut_dot(chord, chord),
                 f = abut_dot(abut_sub(at, cubic->points[0]), chord) / square;
    if (!(f > 0 && f <= 1))
        return false;
    abut_vec3 tangent;
    const abut_vec3 near = abut_piece_at(cubic, f, &tangent);
    return abut_length(abut_sub(near, at)) <= 0.05 * sqrt(square) + tolerance;
}

/* From p along `sign` times the direction of the curve until `target`; the pieces go to out[]. On a
 * closed curve both ways lead there: the one that meets the other end first is not it. */
static abut_status walk(context *c, const trace *t, abut_vec3 p, int sign, abut_vec3 target,
                        const abut_vec3 *other)
{
    abut_vec3 d = { 0, 0, 0 };
    if (!decide(t, &p, &d))
        return fail_edge(c, "intersection, passes through a point that is not on both of its surfaces");
    d = abut_scale(sign, d);
    const abut_vec3 start = p;
    double step = t->size / 64, length = 0;
    for (int pieces = 0; pieces < MOST_PIECES;) {
        const abut_vec3 way = abut_sub(target, p);
        const double left = abut_length(way);
        const bool last = left <= 1.5 * step && (abut_dot(way, d) > 0.5 * left || left < 1e-3 * t->size) &&
                          (pieces > 0 || left <= step);
        abut_vec3 q = last ? target : abut_madd(p, step, d), e = d;
        if (!decide(t, &q, &e) && !last)
            return fail_edge(c, "intersection, leaves its surfaces before it reaches its ends");
        if (last)
            q = target;
        if (abut_dot(e, d) < 0)
            e = abut_scale(-1, e);
        /* At a point where the surfaces touch the tangent is that of the circle through both. */
        const abut_vec3 chord = abut_unit_or(abut_sub(q, p), d);
        if (last && abut_dot(e, chord) < 0.5)
            e = abut_unit_or(abut_madd(abut_scale(-1, d), 2 * abut_dot(d, chord), chord), d);
        const abut_part cubic = hermite(p, d, q, e);
        if (left <= t->tolerance)
            return ABUT_OK;
        if (other && abut_length(abut_sub(*other, target)) > 4 * t->tolerance &&
            passes(&cubic, *other, t->tolerance) && abut_length(abut_sub(*other, p)) < left)
            break;
        if (abut_dot(chord, d) < 0.7 || !fits(t, &cubic)) {
            step = last ? 0.45 * left : 0.5 * step;
            if (step < 1e-7 * t->size && !last)
                return fail_edge(c, "intersection, bends too sharply for the tolerance");
            if (step < 0.1 * t->tolerance)
                return ABUT_OK;
            continue;
        }
        const abut_status status =
            add_cubic(c, cubic.points[0], cubic.points[1], cubic.points[2], cubic.points[3], t->tolerance);
        if (status)
            return status;
        if (last)
            return ABUT_OK;
        ++pieces;
        length += abut_length(abut_sub(q, p));
        /* Once around without meeting the end. */
        if (pieces > 3 && length > 4 * step && abut_length(abut_sub(start, q)) < 0.5 * step)
            break;
        p = q;
        d = e;
        step *= 1.3;
    }
    return fail_edge(c, "intersection, does not reach its ends from the point it passes through");
}

/* Pieces from `middle` on come before those from `begin` to there. */
static abut_status swap_runs(context *c, size_t begin, size_t middle)
{
    const size_t end = c->out->count, back = end - middle;
    abut_part *parts = c->out->parts;
    abut_part *sorted = abut_workspace_take(c->keep, end - begin, sizeof *sorted);
    if (!sorted)
        return memory(c);
    memcpy(sorted, parts + middle, back * sizeof *sorted);
    memcpy(sorted + back, parts + begin, (middle - begin) * sizeof *sorted);
    memcpy(parts + begin, sorted, (end - begin) * sizeof *sorted);
    return ABUT_OK;
}

/* All of a closed curve, along its direction: from the point that it passes through to the vertex, and from
 * there to the point, which comes first. */
static abut_status add_closed(context *c, const trace *t, abut_vec3 through, abut_vec3 vertex)
{
    const size_t begin = c->out->count;
    abut_vec3 p = through, d = { 0, 0, 0 };
    (void)decide(t, &p, &d);
    if (abut_length(abut_sub(p, vertex)) <= 4 * t->tolerance)
        return fail_edge(
            c, "intersection, is closed and passes through its own vertex: another point is needed");
    abut_status status = walk(c, t, through, 1, vertex, NULL);
    const size_t middle = c->out->count;
    if (!status)
        status = walk(c, t, vertex, 1, p, NULL);
    return status ? status : swap_runs(c, begin, middle);
}

static abut_status add_intersection(context *c, const abut_solid_edge *e, abut_vec3 from, abut_vec3 to)
{
    const abut_solid_def *def = &c->solid->def;
    trace t = { &def->surfaces[e->surfaces[0]], &def->surfaces[e->surfaces[1]], c->solid->size,
                c->solid->tolerance };
    const size_t begin = c->out->count;
    if (e->from == e->to)
        return add_closed(c, &t, e->through, from);
    /* To the last vertex one way or the other; to the first the opposite way. */
    int sign = 1;
    abut_status status = walk(c, &t, e->through, 1, to, &from);
    if (status && status != ABUT_ERR_MEMORY) {
        c->out->count = begin;
        sign = -1;
        status = walk(c, &t, e->through, -1, to, &from);
    }
    if (status)
        return status;
    const size_t middle = c->out->count;
    status = walk(c, &t, e->through, -sign, from, &to);
    if (status)
        return status;
    /* Those walked from `through` back to `from` come first, turned round. */
    abut_part *parts = c->out->parts;
    for (size_t i = middle, k = c->out->count; i < k--; ++i) {
        const abut_part swap = parts[i];
        parts[i] = parts[k];
        parts[k] = swap;
    }
    for (size_t i = middle; i < c->out->count; ++i) {
        abut_vec3 *q = parts[i].points;
        const abut_vec3 a = q[0], b = q[1];
        q[0] = q[3];
        q[1] = q[2];
        q[2] = b;
        q[3] = a;
        parts[i].o = q[0];
    }
    return swap_runs(c, begin, middle);
}

abut_status abut_curves_build(const abut_solid *solid, abut_workspace *keep, abut_curves *out,
                              abut_error *error)
{
    const abut_solid_def *def = &solid->def;
    *out = (abut_curves){ 0 };
    out->starts = abut_workspace_take(keep, def->edge_count + 1, sizeof *out->starts);
    if (!out->starts)
        return abut_base_fail_memory(error);
    for (size_t i = 0; i < def->edge_count; ++i) {
        const abut_solid_edge *e = &def->edges[i];
        const abut_vec3 from = def->vertices[e->from], to = def->vertices[e->to];
        context c = { solid, keep, out, i, error };
        abut_status status = ABUT_OK;
        out->starts[i] = out->count;
        switch (e->kind) {
        case ABUT_SOLID_EDGE_LINE: status = add_line(&c, from, to); break;
        case ABUT_SOLID_EDGE_CIRCLE: status = add_circle(&c, e, from, to); break;
        case ABUT_SOLID_EDGE_CONIC: status = add_conic(&c, e, from, to); break;
        case ABUT_SOLID_EDGE_SPLINE: status = add_spline(&c, e, from, to); break;
        default: status = add_intersection(&c, e, from, to); break;
        }
        if (status)
            return status;
    }
    out->starts[def->edge_count] = out->count;
    return ABUT_OK;
}
