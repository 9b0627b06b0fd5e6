/* SPDX-License-Identifier: MIT */
/* Meshes under motions, piece by piece: between two times without a key in between, all vertices move
 * linearly. A piece that is all of the time between two keys has the given doubles as its ends.
 * Other positions are rational numbers, and rounded here: a time between keys, a mesh that was moved.
 * A mesh that is turned by other than quarter turns has irrational positions, which are enclosed. */
#include "ccd/deform/deform.h"

#include "base/memory.h"
#include "interval/ia3.h"
#include "math/expansion.h"
#include "math/nearest.h"
#include "motion/leg.h"
#include "motion/motion.h"
#include "shape/shape.h"

#include <math.h>

/* ---- opening ---- */

static abut_status open_side(abut_deform_scene *s, abut_deform_side *side, const abut_shape *shape,
                             const abut_motion *motion, abut_interval range, bool solids)
{
    if (shape->type != ABUT_SHAPE_MESH || (shape->u.faceted.solid && !solids))
        return ABUT_ERR_UNSUPPORTED;
    const abut_faceted_data *mesh = &shape->u.faceted;
    const abut_vertices_motion *keys = abut_vertices_of(motion);
    const abut_vec3 *rest = mesh->vertices;
    if (motion && !(motion->t0 <= range.lo && range.hi <= motion->t1))
        return ABUT_ERR_ARGUMENT;
    if (keys) {
        double times[2];
        const abut_vec3 *p[2];
        if (abut_vertices_count(keys) != mesh->vertex_count)
            return ABUT_ERR_ARGUMENT;
        abut_vertices_keys(keys, range.lo, range.lo, times, p);
        rest = p[0];
    }
    side->motion = motion;
    side->vertices = mesh->vertices;
    abut_status status = abut_deform_new(rest, mesh->vertex_count, mesh->corners, mesh->face_count, &s->alloc,
                                         &side->mesh, NULL);
    if (status || !motion || (keys && !abut_vertices_carrier(keys)))
        return status;
    side->turned = abut_base_alloc(&s->alloc, mesh->vertex_count, sizeof *side->turned);
    side->other = abut_base_alloc_zero(&s->alloc, mesh->vertex_count, sizeof *side->other);
    return side->turned && side->other ? ABUT_OK : ABUT_ERR_MEMORY;
}

abut_status abut_deform_open(abut_deform_scene *s, const abut_shape *a, const abut_motion *motion_a,
                             const abut_shape *b, const abut_motion *motion_b, abut_interval range,
                             bool solids)
{
    *s = (abut_deform_scene){ .self = !b, .alloc = abut_base_allocator(NULL) };
    abut_status status = open_side(s, &s->a, a, motion_a, range, solids);
    if (!status && b)
        status = open_side(s, &s->b, b, motion_b, range, solids);
    return status;
}

static void close_side(abut_deform_scene *s, abut_deform_side *side)
{
    if (!side->mesh)
        return;
    const size_t count = side->mesh->vertex_count;
    if (side->turned)
        abut_base_free(&s->alloc, side->turned, count, sizeof *side->turned);
    if (side->other)
        abut_base_free(&s->alloc, side->other, count, sizeof *side->other);
    abut_deform_destroy(side->mesh);
    side->mesh = NULL;
}

void abut_deform_close(abut_deform_scene *s)
{
    close_side(s, &s->a);
    close_side(s, &s->b);
}

abut_deform *abut_deform_other(const abut_deform_scene *s)
{
    return s->self ? s->a.mesh : s->b.mesh;
}

double abut_deform_next(const abut_deform_scene *s, double t, double hi)
{
    double next = hi;
    if (s->a.motion)
        next = fmin(next, abut_motion_next_break(s->a.motion, t));
    if (!s->self && s->b.motion)
        next = fmin(next, abut_motion_next_break(s->b.motion, t));
    return next > t ? next : hi;
}

/* ---- positions ---- */

/* x - y exactly. */
static void difference(double x, double y, double out[2])
{
    out[0] = abut_two_sum(x, -y, &out[1]);
}

/* Weights of p[0] and p[1] at both ends of a piece of the time from t0 to t1. */
static void set_weights(abut_impact_body *body, double t0, double t1, abut_interval piece)
{
    difference(t1, t0, body->divisor);
    for (int when = 0; when < 2; ++when) {
        const double t = when ? piece.hi : piece.lo;
        difference(t1, t, body->weight[when][0]);
        difference(t, t0, body->weight[when][1]);
    }
}

static double entry(const abut_vec3 *v, int k)
{
    return k == 0 ? v->x : k == 1 ? v->y : v->z;
}

/* One coordinate, rounded; *exact is cleared where it is not what it should be. */
static double coordinate(double p, double sp, double q, double sq, const double w[2], bool *exact)
{
    double e[3] = { 0, 0, 0 };
    if (w[1] == 0 && w[0] == 1) {
        const double x = abut_two_sum(p, sp, &e[0]);
        *exact = *exact && e[0] == 0;
        return x;
    }
    if (w[0] == 0 && w[1] == 1) {
        const double x = abut_two_sum(q, sq, &e[0]);
        *exact = *exact && e[0] == 0;
        return x;
    }
    if (sp == 0 && sq == 0 && w[0] + w[1] == 1 && w[0] == 1 - w[1]) {
        const double d = abut_two_sum(q, -p, &e[0]), m = abut_two_product(w[1], d, &e[1]),
                     x = abut_two_sum(p, m, &e[2]);
        /* products of numbers of ordinary size only */
        if (e[0] == 0 && e[1] == 0 && e[2] == 0 &&
            (m == 0 ? d == 0 : fabs(m) > 0x1p-900 && fabs(d) < 0x1p900))
            return x;
    }
    *exact = *exact && p + sp == 0 && q + sq == 0 && p == 0 && q == 0;
    return w[0] * (p + sp) + w[1] * (q + sq);
}

/* Rounded weight over divisor; *exact is cleared where it is not that. */
static double fraction(const double w[2], const double d[2], bool *exact)
{
    double e;
    if (w[0] == 0 && w[1] == 0)
        return 0;
    if (w[0] == d[0] && w[1] == d[1])
        return 1;
    const double f = w[0] / d[0], back = abut_two_product(f, d[0], &e);
    *exact = *exact && w[1] == 0 && d[1] == 0 && e == 0 && back == w[0] && (f == 0 || fabs(back) > 0x1p-900);
    return f;
}

/* x at both ends from body and p. */
static void evaluate(abut_deform *m)
{
    const abut_impact_body *body = &m->body;
    bool exact = true;
    double most[3] = { 0, 0, 0 };
    for (int when = 0; when < 2; ++when) {
        const double w[2] = { fraction(body->weight[when][0], body->divisor, &exact),
                              fraction(body->weight[when][1], body->divisor, &exact) };
        const double f[2] = { fmax(fabs(w[0]), 1), fmax(fabs(w[1]), 1) };
        for (size_t i = 0; i < m->vertex_count; ++i) {
            double x[3];
            for (int k = 0; k < 3; ++k) {
                const double p = entry(&m->p[0][i], k), q = entry(&m->p[1][i], k),
                             sp = entry(&body->shift[0], k), sq = entry(&body->shift[1], k);
                x[k] = coordinate(p, sp, q, sq, w, &exact);
                most[k] = fmax(most[k], f[0] * (fabs(p) + fabs(sp)) + f[1] * (fabs(q) + fabs(sq)));
            }
            m->room[when][i] = (abut_vec3){ x[0], x[1], x[2] };
        }
    }
    for (int k = 0; k < 3; ++k)
        m->blur[k] = exact ? 0 : 0x1p-49 * most[k] + 0x1p-1060;
}

/* ---- what moves as a whole ---- */

/* Turns the vertices; how far each coordinate may be off. False: it is exact. */
static bool turn(const abut_vec3 *from, size_t count, const abut_interval_mat3 *r, abut_vec3 *to,
                 double off[3])
{
    bool exact = true;
    double size[3] = { 0, 0, 0 };
    abut_mat3 middle;
    for (int i = 0; i < 9; ++i) {
        const abut_interval e = r->m[i / 3][i % 3];
        exact = exact && e.lo == e.hi && (e.lo == 0 || fabs(e.lo) == 1);
        middle.m[i / 3][i % 3] = 0.5 * e.lo + 0.5 * e.hi;
    }
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 v = from[i];
        double x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = middle.m[k][0] * v.x + middle.m[k][1] * v.y + middle.m[k][2] * v.z;
            size[k] = fmax(size[k], fabs(entry(&v, k)));
        }
        to[i] = (abut_vec3){ x[0], x[1], x[2] };
    }
    for (int k = 0; k < 3; ++k) {
        off[k] = 0;
        for (int j = 0; j < 3 && !exact; ++j)
            off[k] += size[j] * ((r->m[k][j].hi - r->m[k][j].lo) + 0x1p-49 * fabs(middle.m[k][j]));
        off[k] += exact ? 0 : 0x1p-1060;
    }
    /* A quarter turn has one entry a row: with more the sums round. */
    for (int k = 0; k < 3 && exact; ++k) {
        const double *row = middle.m[k];
        exact = (row[0] != 0) + (row[1] != 0) + (row[2] != 0) == 1;
        off[k] = exact ? 0 : 0x1p-49 * (size[0] + size[1] + size[2]);
    }
    return !exact;
}

static abut_status place_rigid(abut_deform_side *side, abut_interval piece)
{
    abut_deform *m = side->mesh;
    const abut_motion *motion = side->motion;
    abut_motion_line line;
    abut_interval_affine at;
    const struct abut_leg *leg = abut_motion_leg(motion, piece.lo);
    const bool still = motion->type == ABUT_MOTION_STATIC;
    if (piece.lo < piece.hi && !still && (!leg || leg->spin.turns))
        return ABUT_ERR_UNSUPPORTED;
    abut_status status = abut_motion_enclose(motion, (abut_interval){ piece.lo, piece.lo }, &at);
    if (status)
        return status;
    double off[3];
    const bool turned = turn(side->vertices, m->vertex_count, &at.linear, side->turned, off);
    m->body = (abut_impact_body){ .divisor = { 1, 0 } };
    m->p[0] = m->p[1] = side->turned;
    if (!abut_motion_origin_line(motion, piece.lo, &line)) {
        if (piece.lo < piece.hi)
            return ABUT_ERR_UNSUPPORTED;
        /* At an instant an enclosure will do. */
        const abut_interval t[3] = { at.translation.x, at.translation.y, at.translation.z };
        double middle[3];
        for (int k = 0; k < 3; ++k) {
            middle[k] = 0.5 * t[k].lo + 0.5 * t[k].hi;
            off[k] += t[k].hi - t[k].lo + 0x1p-50 * fabs(middle[k]);
        }
        m->body.weight[0][0][0] = m->body.weight[1][0][0] = 1;
        m->body.shift[0] = (abut_vec3){ middle[0], middle[1], middle[2] };
        m->rational = false;
    } else {
        m->rational = !turned;
        m->body.shift[0] = line.from;
        if (still || isinf(line.t0)) {
            m->body.weight[0][0][0] = m->body.weight[1][0][0] = 1;
        } else if (line.by_rate) {
            m->p[1] = side->other;
            m->body.shift[1] = line.rate;
            for (int when = 0; when < 2; ++when) {
                m->body.weight[when][0][0] = 1;
                difference(when ? piece.hi : piece.lo, line.t0, m->body.weight[when][1]);
            }
        } else {
            m->body.shift[1] = line.to;
            set_weights(&m->body, line.t0, line.t1, piece);
        }
    }
    evaluate(m);
    for (int k = 0; k < 3 && !m->rational; ++k)
        m->blur[k] = 1.0625 * (m->blur[k] + off[k]);
    return ABUT_OK;
}

/* ---- what deforms and moves as a whole ---- */

/* Where a line is at any time, and by how much that may be off. */
static ABUT_NOINLINE void enclose_line(const abut_motion_line *line, double t, double middle[3],
                                       double off[3])
{
    const ia dt = ia_sub(ia_point(t), ia_point(line->t0));
    for (int k = 0; k < 3; ++k) {
        const ia from = ia_point(entry(&line->from, k));
        const ia rate = line->by_rate ? ia_point(entry(&line->rate, k))
                                      : ia_div(ia_sub(ia_point(entry(&line->to, k)), from),
                                               ia_sub(ia_point(line->t1), ia_point(line->t0)));
        const ia x = ia_add(from, ia_mul(rate, dt));
        middle[k] = ia_mid(x);
        off[k] = ia_width(x);
    }
}

/* The same where it is a double; false where it may not be. */
static bool find_on_line(const abut_motion_line *line, double t, double out[3])
{
    double e[3];
    const double dt = abut_two_sum(t, -line->t0, &e[0]);
    for (int k = 0; k < 3; ++k) {
        const double from = entry(&line->from, k), to = entry(&line->to, k);
        if (t == line->t0 || (!line->by_rate && t == line->t1)) {
            out[k] = t == line->t0 ? from : to;
            continue;
        }
        const double way = abut_two_product(entry(&line->rate, k), dt, &e[1]);
        out[k] = abut_two_sum(from, way, &e[2]);
        const bool tiny = fabs(way) < 0x1p-900 && entry(&line->rate, k) != 0; /* its error may be lost */
        if (!line->by_rate || tiny || e[0] != 0 || e[1] != 0 || e[2] != 0 || !isfinite(out[k]))
            return false;
    }
    return true;
}

/* A mesh whose vertices move, on a carrier that does not turn in the meantime. The origin of the carrier
 * is where its line has it at the two keys: in doubles, where these state it exactly; otherwise
 * enclosed. */
static abut_status place_carried(abut_deform_side *side, const abut_vertices_motion *keys,
                                 abut_interval piece)
{
    abut_deform *m = side->mesh;
    const abut_motion *carrier = abut_vertices_carrier(keys);
    abut_motion_line line;
    abut_interval_affine at;
    double times[2], off[2][3], shift[2][3];
    const abut_vec3 *p[2];
    const struct abut_leg *leg = abut_motion_leg(carrier, piece.lo);
    const bool still = abut_motion_is_still(carrier), instant = piece.lo == piece.hi;
    if (!instant && !still && (!leg || leg->spin.turns))
        return ABUT_ERR_UNSUPPORTED;
    const abut_status status = abut_motion_enclose(carrier, (abut_interval){ piece.lo, piece.lo }, &at);
    if (status)
        return status;
    abut_vertices_keys(keys, piece.lo, piece.hi, times, p);
    const bool turned = turn(p[0], m->vertex_count, &at.linear, side->turned, off[0]);
    (void)turn(p[1], m->vertex_count, &at.linear, side->other, off[1]);
    m->p[0] = side->turned;
    m->p[1] = side->other;
    m->rational = !turned;
    m->body = (abut_impact_body){ .divisor = { 1, 0 } };
    set_weights(&m->body, times[0], times[1], piece);
    const bool lined = abut_motion_origin_line(carrier, piece.lo, &line);
    if (lined && (carrier->type == ABUT_MOTION_STATIC || isinf(line.t0))) {
        m->body.shift[0] = m->body.shift[1] = line.from;
    } else if (lined && !instant && find_on_line(&line, times[0], shift[0]) &&
               find_on_line(&line, times[1], shift[1])) {
        for (int i = 0; i < 2; ++i)
            m->body.shift[i] = (abut_vec3){ shift[i][0], shift[i][1], shift[i][2] };
    } else if (still || instant || lined) {
        const abut_interval here[3] = { at.translation.x, at.translation.y, at.translation.z };
        const bool point = (still || instant) && here[0].lo == here[0].hi && here[1].lo == here[1].hi &&
                           here[2].lo == here[2].hi;
        m->rational = m->rational && point;
        for (int i = 0; i < 2; ++i) {
            double more[3];
            if (lined && !still && !instant) {
                const abut_rounding saved = abut_rounding_enter();
                enclose_line(&line, times[i], shift[i], more);
                abut_rounding_leave(saved);
            }
            for (int k = 0; k < 3; ++k) {
                if (!lined || still || instant) {
                    shift[i][k] = point ? here[k].lo : 0.5 * here[k].lo + 0.5 * here[k].hi;
                    more[k] = here[k].hi - here[k].lo;
                }
                off[i][k] += point ? 0 : more[k] + 0x1p-50 * fabs(shift[i][k]);
            }
            m->body.shift[i] = (abut_vec3){ shift[i][0], shift[i][1], shift[i][2] };
        }
    } else {
        return ABUT_ERR_UNSUPPORTED;
    }
    evaluate(m);
    for (int k = 0; k < 3 && !m->rational; ++k)
        m->blur[k] = 1.0625 * (m->blur[k] + fmax(off[0][k], off[1][k])) + 0x1p-1060;
    return ABUT_OK;
}

/* ---- both ---- */

static abut_status place_side(abut_deform_side *side, abut_interval piece)
{
    abut_deform *m = side->mesh;
    const abut_vertices_motion *keys = abut_vertices_of(side->motion);
    m->x[0] = m->room[0];
    m->x[1] = m->room[1];
    m->moves = true;
    m->rational = true;
    m->blur[0] = m->blur[1] = m->blur[2] = 0;
    if (side->motion && !keys)
        return place_rigid(side, piece);
    if (keys && abut_vertices_carrier(keys))
        return place_carried(side, keys, piece);
    if (!side->motion) {
        m->x[0] = m->x[1] = side->vertices;
        m->moves = false;
    } else {
        double times[2];
        abut_vertices_keys(keys, piece.lo, piece.hi, times, m->p);
        if (piece.lo == times[0] && piece.hi == times[1]) {
            m->x[0] = m->p[0];
            m->x[1] = m->p[1];
        } else {
            m->body = (abut_impact_body){ .divisor = { 1, 0 } };
            set_weights(&m->body, times[0], times[1], piece);
            evaluate(m);
        }
    }
    return ABUT_OK;
}

static ABUT_MATH_NOINLINE abut_status place_both(abut_deform_scene *s, abut_interval piece)
{
    abut_status status = place_side(&s->a, piece);
    if (!status && !s->self)
        status = place_side(&s->b, piece);
    if (status)
        return status;
    const double *blur = s->a.mesh->blur;
    abut_deform_fit(s->a.mesh, s->self && blur[0] + blur[1] + blur[2] == 0);
    if (!s->self)
        abut_deform_fit(s->b.mesh, false);
    return ABUT_OK;
}

abut_status abut_deform_place(abut_deform_scene *s, abut_interval piece)
{
    s->piece = piece;
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = place_both(s, piece);
    abut_nearest_leave(saved);
    if (status)
        return status;
    for (int i = 0; i < (s->self ? 1 : 2); ++i) { /* exact ones say what they are, too */
        abut_deform *m = i ? s->b.mesh : s->a.mesh;
        if (m->blur[0] + m->blur[1] + m->blur[2] == 0) {
            m->rational = true;
            m->body = (abut_impact_body){ .weight = { { { 1, 0 }, { 0, 0 } }, { { 0, 0 }, { 1, 0 } } },
                                          .divisor = { 1, 0 } };
            m->p[0] = m->x[0];
            m->p[1] = m->x[1];
        }
    }
    return ABUT_OK;
}

/* ---- times ---- */

static ABUT_NOINLINE abut_interval map_time(const abut_interval *piece, const abut_interval *unit)
{
    const ia from = ia_point(piece->lo), length = ia_sub(ia_point(piece->hi), from);
    const ia lo = ia_add(from, ia_mul(ia_point(unit->lo), length)),
             hi = ia_add(from, ia_mul(ia_point(unit->hi), length));
    return (abut_interval){ ia_lo(lo), ia_hi(hi) };
}

abut_interval abut_deform_time(const abut_deform_scene *s, abut_interval unit)
{
    const abut_interval *piece = &s->piece;
    if (piece->lo == 0 && piece->hi == 1)
        return unit;
    const abut_rounding saved = abut_rounding_enter();
    abut_interval t = map_time(piece, &unit);
    abut_rounding_leave(saved);
    t.lo = unit.lo == 0 ? piece->lo : unit.lo == 1 ? piece->hi : fmax(t.lo, piece->lo);
    t.hi = unit.hi == 0 ? piece->lo : unit.hi == 1 ? piece->hi : fmin(t.hi, piece->hi);
    return t;
}

/* ---- crossing ---- */

typedef struct crossing_walk {
    const abut_deform *a, *b;
    double t;
    bool found, unknown;
    abut_status status;
} crossing_walk;

static bool examine(void *ctx, uint32_t ta, uint32_t tb)
{
    crossing_walk *w = ctx;
    abut_meet meet;
    w->status = abut_deform_cross_at(w->a, w->b, ta, tb, w->t, &meet);
    w->found = meet == ABUT_MEET_CROSS || meet == ABUT_MEET_TOUCH;
    w->unknown = w->unknown || meet == ABUT_MEET_UNKNOWN;
    return !w->status && !w->found;
}

static ABUT_MATH_NOINLINE void run_walk(abut_deform_walk *walk)
{
    abut_deform_run_walk(walk);
}

abut_status abut_deform_crossing_at(abut_deform_scene *s, double t, int *out)
{
    crossing_walk w = { .a = s->a.mesh, .b = abut_deform_other(s), .t = t };
    abut_deform_counters counters = { 0 };
    abut_deform_walk walk = { .a = s->a.mesh,
                              .b = abut_deform_other(s),
                              .curvature = true,
                              .leaf = examine,
                              .ctx = &w,
                              .counters = &counters };
    const abut_nearest saved = abut_nearest_enter();
    run_walk(&walk);
    abut_nearest_leave(saved);
    *out = w.found ? 1 : w.unknown ? -1 : 0;
    return w.status;
}
