/* SPDX-License-Identifier: MIT */
/* Parametric surfaces over a rectangle of u and v: jets and normals of the face, its edges and
 * vertices.
 *
 * Boxes that reach beyond a closed parameter are folded back, as the expressions need not be
 * periodic: what leaves at one end enters at the other, and the hull of both parts contains
 * everything. Sides that are one point (poles) are vertices; as the normal vanishes there, its
 * derivative away from the side takes its place, which it has the direction of: n(v0 + h) = n_v h +
 * O(h^2).
 *
 * Source of the forms: Snyder et al. 1993, sections 2.1 and A. */
#include "surface/parametric.h"
#include "surface/image.h"

enum { roots = 3, variables = 3, stride1 = 4, stride2 = 10 };

static inline ia3 triple(const ia *values, int stride, int k)
{
    return (ia3){ values[k], values[stride + k], values[2 * stride + k] };
}

bool abut_parametric_jet(const abut_parametric_body *body, const ia parameters[2], ia t, int order,
                         ia *scratch, abut_jet *out)
{
    const ia box[variables] = { parameters[0], parameters[1], t };
    ia *values = scratch, *rest = scratch + roots * stride2;
    const int stride = order == 0 ? 1 : order == 1 ? stride1 : stride2;
    const bool defined = body->def.map.enclose(body->def.map.ctx, box, order, rest, values);
    out->p = triple(values, stride, 0);
    if (order < 1)
        return defined;
    out->u = triple(values, stride, 1);
    out->v = triple(values, stride, 2);
    out->t = triple(values, stride, 3);
    if (order >= 2) {
        out->uu = triple(values, stride, 4);
        out->uv = triple(values, stride, 5);
        out->ut = triple(values, stride, 6);
        out->vv = triple(values, stride, 7);
        out->vt = triple(values, stride, 8);
    }
    abut_jet_normal(order, body->def.normal_in, out);
    return defined;
}

static void hull_jets(int order, abut_jet *a, const abut_jet *b)
{
    a->p = ia3_hull(a->p, b->p);
    if (order >= 1) {
        a->u = ia3_hull(a->u, b->u), a->v = ia3_hull(a->v, b->v), a->t = ia3_hull(a->t, b->t);
        a->n = ia3_hull(a->n, b->n);
    }
    if (order >= 2) {
        a->uu = ia3_hull(a->uu, b->uu), a->uv = ia3_hull(a->uv, b->uv), a->vv = ia3_hull(a->vv, b->vv);
        a->ut = ia3_hull(a->ut, b->ut), a->vt = ia3_hull(a->vt, b->vt);
        a->nu = ia3_hull(a->nu, b->nu), a->nv = ia3_hull(a->nv, b->nv), a->nt = ia3_hull(a->nt, b->nt);
    }
}

/* Ends of a period that is no double are not the same points, and what is between them is on the surface: just
 * beyond an end both count. In parts of the range. */
static const double seam = 0x1p-44;

/* The parts of x in the range after folding; one or two. A box as long as the range is all of
 * it. */
static int fold(abut_interval range, ia x, ia parts[2])
{
    const ia whole = ia_from(range), period = ia_sub(ia_point(range.hi), ia_point(range.lo));
    parts[0] = x;
    if (ia_subset(x, whole))
        return 1;
    if (!(ia_width(x) < ia_lo(period))) {
        parts[0] = whole;
        return 1;
    }
    const ia shifted = ia_lo(x) < range.lo ? ia_add(x, period) : ia_sub(x, period);
    const ia inner = ia_intersect(x, whole), other = ia_intersect(shifted, whole);
    if (ia_is_empty(inner) && ia_is_empty(other)) { /* further away than one period */
        parts[0] = whole;
        return 1;
    }
    const bool above = ia_hi(x) > range.hi;
    const double beyond = above ? ia_lo(x) - range.hi : range.lo - ia_hi(x);
    if (ia_is_empty(inner) && beyond <= seam * ia_lo(period)) {
        parts[0] = ia_point(above ? range.hi : range.lo);
        parts[1] = ia_hull(ia_point(above ? range.lo : range.hi), other);
        return 2;
    }
    parts[0] = ia_is_empty(inner) ? other : inner;
    parts[1] = other;
    return ia_is_empty(inner) || ia_is_empty(other) ? 1 : 2;
}

static ia3 jumped(ia3 x, ia3 from, ia3 to)
{
    return ia3_hull(x, ia3_add(x, ia3_sub(from, to)));
}

/* Beyond an end of a closed parameter values go on from that end; those of the other end, which are taken for
 * them, differ by what both ends do: the rounding of a period that is no double. Without that a mean value
 * theorem across the seam is wrong, and the places between the ends are lost. Of single points, which are what
 * such theorems start from. */
static bool add_jump(const abut_parametric_body *body, int by, const ia *parameters, const ia *folded, ia t,
                     int order, ia *scratch, abut_jet *out)
{
    const abut_interval range = body->def.range[by];
    const bool above = ia_lo(parameters[by]) > range.hi;
    abut_jet from, to;
    ia box[2] = { folded[0], folded[1] };
    box[by] = ia_point(above ? range.hi : range.lo);
    bool defined = abut_parametric_jet(body, box, t, order > 0, scratch, &from);
    box[by] = ia_point(above ? range.lo : range.hi);
    defined = abut_parametric_jet(body, box, t, order > 0, scratch, &to) && defined;
    out->p = jumped(out->p, from.p, to.p);
    if (order >= 1) {
        out->u = jumped(out->u, from.u, to.u), out->v = jumped(out->v, from.v, to.v);
        out->t = jumped(out->t, from.t, to.t), out->n = jumped(out->n, from.n, to.n);
    }
    return defined;
}

static bool is_beyond(const abut_parametric_body *body, int by, const ia *parameters)
{
    const abut_interval range = body->def.range[by];
    return body->side[2 * by] == ABUT_SIDE_SMOOTH && ia_is_point(parameters[0]) &&
           ia_is_point(parameters[1]) &&
           (ia_lo(parameters[by]) > range.hi || ia_hi(parameters[by]) < range.lo);
}

static bool face_jet(const abut_parametric_body *body, const ia *parameters, ia t, int order, ia *scratch,
                     abut_jet *out)
{
    ia u[2] = { parameters[0] }, v[2] = { parameters[1] };
    const int u_count = body->side[0] == ABUT_SIDE_SMOOTH ? fold(body->def.range[0], u[0], u) : 1;
    const int v_count = body->side[2] == ABUT_SIDE_SMOOTH ? fold(body->def.range[1], v[0], v) : 1;
    bool defined = true;
    for (int i = 0; i < u_count; ++i)
        for (int j = 0; j < v_count; ++j) {
            const ia box[2] = { u[i], v[j] };
            abut_jet part;
            const bool first = i == 0 && j == 0;
            defined = abut_parametric_jet(body, box, t, order, scratch, first ? out : &part) && defined;
            if (!first)
                hull_jets(order, out, &part);
        }
    for (int k = 0; k < 2; ++k)
        if (is_beyond(body, k, parameters)) {
            const ia folded[2] = { u[0], v[0] };
            defined = add_jump(body, k, parameters, folded, t, order, scratch, out) && defined;
        }
    return defined;
}

void abut_parametric_place(const abut_parametric_body *body, int side, ia along, ia box[2])
{
    const abut_interval *range = &body->def.range[side >> 1];
    box[side >> 1] = ia_point(side & 1 ? range->hi : range->lo);
    box[!(side >> 1)] = along;
}

ia abut_parametric_piece(const abut_parametric_body *body, int side, int piece, int pieces)
{
    return abut_piece_of(body->def.range[!(side >> 1)], piece, pieces);
}

static void edge_of_face(int side, int order, const abut_jet *face, abut_jet *out)
{
    abut_jet_clear(order, out);
    out->p = face->p;
    if (order >= 1) {
        out->u = side >> 1 ? face->u : face->v;
        out->t = face->t;
    }
    if (order >= 2) {
        out->uu = side >> 1 ? face->uu : face->vv;
        out->ut = side >> 1 ? face->ut : face->vt;
    }
}

static bool edge_jet(const abut_parametric_body *body, int side, ia along, ia t, int order, ia *scratch,
                     abut_jet *out)
{
    ia box[2];
    abut_jet face;
    abut_parametric_place(body, side, along, box);
    const bool defined = face_jet(body, box, t, order, scratch, &face);
    edge_of_face(side, order, &face, out);
    return defined;
}

static void corner_box(const abut_parametric_body *body, uint32_t corner, ia box[2])
{
    const abut_interval *u = &body->def.range[0], *v = &body->def.range[1];
    box[0] = ia_point(corner & 1 ? u->hi : u->lo);
    box[1] = ia_point(corner & 2 ? v->hi : v->lo);
}

static bool vertex_jet(const abut_parametric_body *body, uint32_t data, ia t, int order, ia *scratch,
                       abut_jet *out)
{
    abut_jet face, more;
    ia box[2];
    bool defined = true;
    if (data & ABUT_PARAMETRIC_CORNER) {
        corner_box(body, data, box);
        defined = abut_parametric_jet(body, box, t, order > 0, scratch, &face);
    } else {
        const int side = (int)data;
        for (int i = 0; i < body->pieces[side]; ++i) {
            abut_parametric_place(body, side, abut_parametric_piece(body, side, i, body->pieces[side]), box);
            defined =
                abut_parametric_jet(body, box, t, order > 0, scratch, i == 0 ? &face : &more) && defined;
            if (i > 0)
                hull_jets(order > 0, &face, &more);
        }
    }
    abut_jet_clear(order, out);
    out->p = face.p;
    if (order >= 1)
        out->t = face.t;
    return defined;
}

static bool jet(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t, int order,
                ia *scratch, abut_jet *out)
{
    const abut_parametric_body *body = abut_parametric_of(s);
    if (f->dimension == 2)
        return face_jet(body, parameters, t, order, scratch, out);
    if (f->dimension == 1)
        return edge_jet(body, (int)f->data, parameters[0], t, order, scratch, out);
    return vertex_jet(body, f->data, t, order, scratch, out);
}

ia3 abut_parametric_pole_normal(const abut_parametric_body *body, int side, ia along, ia t, ia *scratch)
{
    abut_jet at;
    ia box[2];
    abut_parametric_place(body, side, along, box);
    abut_parametric_jet(body, box, t, 2, scratch, &at);
    return abut_jet_pole_normal(&at, side);
}

static ia3 normal_at(const abut_parametric_body *body, const ia *box, ia t, ia *scratch)
{
    abut_jet at;
    face_jet(body, box, t, 1, scratch, &at);
    return at.n;
}

static void normals(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                    ia *scratch, ia3 *out)
{
    const abut_parametric_body *body = abut_parametric_of(s);
    ia box[2];
    if (f->dimension == 2) {
        *out = normal_at(body, parameters, t, scratch);
    } else if (f->dimension == 1) {
        for (int i = 0; i < f->normal_count; ++i) {
            abut_parametric_place(body, (int)f->data ^ i, parameters[0], box);
            out[i] = normal_at(body, box, t, scratch);
        }
    } else if (f->data & ABUT_PARAMETRIC_CORNER) {
        /* The corners that are the same point: across seams. */
        int count = 0;
        for (uint32_t i = 0; i < 4 && count < f->normal_count; ++i) {
            if (((i & 1) && body->side[0] != ABUT_SIDE_SEAM) || ((i & 2) && body->side[2] != ABUT_SIDE_SEAM))
                continue;
            corner_box(body, f->data ^ i, box);
            out[count++] = normal_at(body, box, t, scratch);
        }
    } else {
        for (int i = 0; i < f->normal_count; ++i)
            out[i] = abut_parametric_pole_normal(
                body, (int)f->data, abut_parametric_piece(body, (int)f->data, i, f->normal_count), t,
                scratch);
    }
}

enum { bound_pieces = 8 };

/* All of the face over a stretch of time, in a few pieces. */
static ia3 bounds_over(const abut_parametric_body *body, ia t, ia *scratch)
{
    ia3 out = { ia_empty(), ia_empty(), ia_empty() };
    for (int i = 0; i < bound_pieces; ++i)
        for (int j = 0; j < bound_pieces; ++j) {
            const ia box[2] = { abut_parametric_piece(body, 2, i, bound_pieces),
                                abut_parametric_piece(body, 0, j, bound_pieces) };
            abut_jet at;
            abut_parametric_jet(body, box, t, 0, scratch, &at);
            out = ia3_hull(out, at.p);
        }
    return out;
}

static ia3 bounds(const abut_surface *s, ia t, ia *scratch)
{
    const abut_parametric_body *body = abut_parametric_of(s);
    return body->def.deforms ? bounds_over(body, t, scratch) : body->bounds;
}

/* The strip between a side and the one opposite is in the hull of both, piece by piece. */
static bool strip_avoids(const abut_parametric_body *body, int side, ia3 x, ia t, int *budget, ia *scratch)
{
    abut_interval stack[64];
    int n = 1;
    stack[0] = body->def.range[!(side >> 1)];
    while (n > 0) {
        const abut_interval c = stack[--n];
        const double middle = 0.5 * c.lo + 0.5 * c.hi;
        abut_jet end[2];
        bool defined = --*budget >= 0;
        for (int i = 0; i < 2 && defined; ++i) {
            ia box[2];
            abut_parametric_place(body, side ^ i, ia_from(c), box);
            defined = abut_parametric_jet(body, box, t, 0, scratch, &end[i]);
        }
        if (!defined)
            return false;
        if (ia3_is_empty(ia3_intersect(ia3_hull(end[0].p, end[1].p), x)))
            continue;
        if (n + 2 > 64 || !(c.lo < middle && middle < c.hi))
            return false;
        stack[n++] = (abut_interval){ c.lo, middle };
        stack[n++] = (abut_interval){ middle, c.hi };
    }
    return true;
}

static bool seams_avoid(const abut_surface *s, ia3 x, ia t, int *budget, ia *scratch)
{
    const abut_parametric_body *body = abut_parametric_of(s);
    for (int side = 0; side < ABUT_SIDES; side += 2)
        if ((body->side[side] == ABUT_SIDE_SMOOTH || body->side[side] == ABUT_SIDE_SEAM) &&
            !strip_avoids(body, side, x, t, budget, scratch))
            return false;
    return true;
}

static const abut_surface_methods parametric_methods = {
    .jet = jet, .normals = normals, .bounds = bounds, .seams_avoid = seams_avoid
};

static ABUT_NOINLINE void study_kernel(abut_parametric_body *body, ia *scratch, bool *solid,
                                       abut_domain_trouble *trouble)
{
    *solid = abut_domain_study(body, scratch, trouble);
}

abut_status abut_surface_parametric(const abut_surface_parametric_def *def, abut_workspace *ws,
                                    abut_surface *out, abut_error *error)
{
    *out = (abut_surface){ .scratch = def->map.scratch + roots * stride2,
                           .work = def->map.work,
                           .deforms = def->deforms };
    abut_parametric_body *body = abut_workspace_take(ws, 1, sizeof *body);
    ia *scratch = abut_workspace_take(ws, out->scratch, sizeof *scratch);
    if (!body || !scratch)
        return abut_base_fail_memory(error);
    memset(body, 0, sizeof *body);
    body->base.methods = &parametric_methods;
    body->def = *def;
    abut_domain_trouble trouble = { false, false, 0, 0, 0 };
    const abut_rounding saved = abut_rounding_enter();
    study_kernel(body, scratch, &out->solid, &trouble);
    abut_rounding_leave(saved);
    if (trouble.undefined)
        return abut_base_fail(error, ABUT_ERR_VALUE, -1,
                              "the expressions are not defined at u = %.17g, v = %.17g", trouble.u,
                              trouble.v);
    if (trouble.apart)
        return abut_base_fail(
            error, ABUT_ERR_VALUE, trouble.parameter,
            "%s cannot wrap: the points at both ends of its range differ, at %s = %.17g for example",
            trouble.parameter ? "v" : "u", trouble.parameter ? "u" : "v",
            trouble.parameter ? trouble.u : trouble.v);
    out->features = body->features;
    out->feature_count = body->feature_count;
    out->body = &body->base;
    if (!out->solid || def->deforms)
        return ABUT_OK;
    const abut_orientation way = abut_parametric_orient(out, (abut_interval){ 0, 0 }, scratch);
    out->outside = way.sign == -1;
    return way.sign == 1 || way.sign == -1
               ? ABUT_OK
               : abut_base_fail(error, ABUT_ERR_VALUE, -1,
                                way.sign == 2
                                    ? "the surface is closed, but crosses itself: u x v leads out of "
                                      "one part of it and into another"
                                    : "the surface is closed, but which side of it u x v leads to "
                                      "could not be proved; does it enclose any volume?");
}
