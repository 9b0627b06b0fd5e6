/* SPDX-License-Identifier: MIT */
/* Boolean combinations: creators, bounds, and the list of leaves with the program that combines them.
 *
 * Combinations of implicit shapes alone, where they are, have the tapes of these as leaves; each
 * counts everywhere within the bounds of the whole, which cut it. As soon as there are other solids,
 * or places, every operand is a solid of its own: plain solids become fields of planes, quadrics and
 * the like in the frame of the whole, and an implicit shape its function and the six sides of its
 * bounds. Nothing is left for the bounds of the whole to cut then.
 *
 * Surfaces that are the same but for rounding, on one side or the other, share a leaf. So faces that
 * are flush are one: what is left of a wall by a pocket as deep as the wall is thick is nothing, not a
 * skin of rounding errors. Where their coefficients differ in the last digits, the leaf encloses all. */
#include "shape/csg/csg.h"
#include "expr/split.h"
#include "math/vec3.h"
#include "motion/motion.h"
#include "solid/solid.h"

#include <math.h>
#include <string.h>

/* ---- leaves ---- */

static bool same_formula(const abut_csg_leaf *a, const abut_csg_leaf *b)
{
    const abut_expr *x = a->formula, *y = b->formula;
    if (!a->field && a->map.ctx == b->map.ctx)
        return true;
    if (!x || !y || x->node_count != y->node_count || x->roots[0] != y->roots[0])
        return false;
    for (size_t i = 0; i < x->node_count; ++i) {
        const abut_expr_node *p = &x->nodes[i], *q = &y->nodes[i];
        if (p->op != q->op || p->a != q->a || p->b != q->b || p->value != q->value ||
            signbit(p->value) != signbit(q->value))
            return false;
    }
    return true;
}

void abut_csg_emit(abut_csg_build *b, abut_csg_step step, uint32_t leaf)
{
    const abut_csg_token token = { (uint32_t)step, leaf };
    if (b->tokens.count >= ABUT_CSG_MAX_TOKENS)
        b->status = ABUT_ERR_LIMIT;
    else if (!b->status && !ABUT_ARRAY_PUSH(b->alloc, &b->tokens, token))
        b->status = ABUT_ERR_MEMORY;
}

static void add_leaf(abut_csg_build *b, const abut_csg_leaf *leaf)
{
    if (b->leaves.count >= ABUT_CSG_MAX_LEAVES)
        b->status = ABUT_ERR_LIMIT;
    else if (!ABUT_ARRAY_PUSH(b->alloc, &b->leaves, *leaf))
        b->status = ABUT_ERR_MEMORY;
}

static bool shape_deforms(const abut_shape *shape)
{
    return shape->u.implicit.tape ? abut_tape_depends_on(shape->u.implicit.tape, 3)
                                  : shape->u.implicit.inclusion_deforms;
}

static void emit_formula(abut_csg_build *b, const abut_csg_leaf *leaf)
{
    size_t i = 0;
    while (i < b->leaves.count && !same_formula(&b->leaves.items[i], leaf))
        ++i;
    if (i == b->leaves.count)
        add_leaf(b, leaf);
    abut_csg_emit(b, ABUT_CSG_STEP_LEAF, (uint32_t)i);
}

typedef struct field_call {
    const abut_csg_frame *at;
    const abut_field_request *request;
    abut_field *field;
    abut_csg_build *build;
    size_t found;
    int sign;
} field_call;

/* The surface of the request, or any within the slack of it: an offset that contains both. */
static abut_field_request thick(const abut_field_request *request, double slack)
{
    abut_field_request r = *request;
    const ia off = ia_make(-slack, slack);
    if (slack == 0)
        return r;
    switch (r.kind) {
    case ABUT_FIELD_PLANE: {
        const ia length = ia_sqrt(ia3_sqr_norm(ia3_from(&r.normal)));
        r.offset = ia_to(ia_add(ia_from(r.offset), ia_mul(off, length)));
        break;
    }
    case ABUT_FIELD_CONE: {
        const ia length = ia_sqrt(ia_add(ia_sqr(ia_from(r.a)), ia_sqr(ia_from(r.b))));
        r.c = ia_to(ia_add(ia_from(r.c), ia_mul(off, length)));
        break;
    }
    default: { /* a squared radius */
        const ia radius = ia_add(ia_sqrt(ia_from(r.c)), off);
        r.c = ia_to(ia_sqr(ia_max(radius, ia_point(0))));
    }
    }
    return r;
}

static ABUT_NOINLINE void make_field(field_call *c)
{
    const abut_field_request own = thick(c->request, c->build->slack), *const r = &own;
    const ia_affine back = ia_affine_from(&c->at->back);
    switch (r->kind) {
    case ABUT_FIELD_PLANE:
        *c->field = abut_field_plane(&back, ia3_from(&r->normal), ia_from(r->offset));
        break;
    case ABUT_FIELD_QUADRIC: {
        const ia k[3] = { ia_from(r->k[0]), ia_from(r->k[1]), ia_from(r->k[2]) };
        const ia3 center = ia3_point(r->center);
        ia_affine at = { back.linear, ia3_sub(back.translation, center) };
        /* A ball does not turn, so that its centre stays what it is. */
        if (c->at->rigid && ia_lo(k[0]) == ia_lo(k[1]) && ia_lo(k[1]) == ia_lo(k[2])) {
            at.linear = ia33_identity();
            const ia_affine forward = ia_affine_from(&c->at->forward);
            at.translation = ia3_neg(ia_affine_apply(&forward, center));
        }
        *c->field = abut_field_quadric(&at, k, ia_from(r->c));
        break;
    }
    case ABUT_FIELD_MAP: *c->field = abut_field_map(&back, *r->map); break;
    default: *c->field = abut_field_round(r->kind, &back, ia_from(r->a), ia_from(r->b), ia_from(r->c));
    }
}

static bool same_number(abut_interval a, abut_interval b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

static bool same_request(const abut_field_request *a, const abut_field_request *b)
{
    bool same = a->kind == b->kind && same_number(a->normal.x, b->normal.x) &&
                same_number(a->normal.y, b->normal.y) && same_number(a->normal.z, b->normal.z) &&
                same_number(a->offset, b->offset) && same_number(a->a, b->a) && same_number(a->b, b->b) &&
                same_number(a->c, b->c) && a->center.x == b->center.x && a->center.y == b->center.y &&
                a->center.z == b->center.z;
    for (int i = 0; i < 3; ++i)
        same = same && same_number(a->k[i], b->k[i]);
    return same;
}

/* Surfaces that may be off are the same only where they are one of one solid: others, however near, may have
 * something between them. */
static int same_leaf(const abut_csg_build *b, const abut_csg_leaf *leaf, const field_call *c)
{
    if (!leaf->field)
        return 0;
    if (b->loose || leaf->loose)
        return b->loose == leaf->loose && same_request(&leaf->request, c->request);
    return abut_field_same(leaf->field, c->field);
}

/* The leaf that this field is the same as. */
static ABUT_NOINLINE void find_field(field_call *c)
{
    c->sign = 0;
    for (c->found = 0; c->found < c->build->leaves.count; ++c->found) {
        const abut_csg_leaf *const leaf = &c->build->leaves.items[c->found];
        c->sign = same_leaf(c->build, leaf, c);
        if (c->sign != 0) {
            if (!leaf->loose)
                abut_field_join(leaf->field, c->field, c->sign);
            return;
        }
    }
}

void abut_csg_emit_field(abut_csg_build *b, const abut_csg_frame *at, const abut_field_request *request,
                         bool outside)
{
    abut_field field;
    field_call call = { .at = at, .request = request, .field = &field, .build = b };
    if (b->status)
        return;
    const abut_rounding saved = abut_rounding_enter();
    make_field(&call);
    find_field(&call);
    abut_rounding_leave(saved);
    if (call.found == b->leaves.count) {
        abut_field *const kept = abut_workspace_take(b->keep, 1, sizeof *kept);
        if (!kept) {
            b->status = ABUT_ERR_MEMORY;
            return;
        }
        *kept = field;
        const abut_csg_leaf leaf = { .field = kept, .loose = b->loose, .request = *request };
        add_leaf(b, &leaf);
    }
    abut_csg_emit(b, ABUT_CSG_STEP_LEAF, (uint32_t)call.found);
    if (outside != (call.sign < 0))
        abut_csg_emit(b, ABUT_CSG_STEP_NOT, 0);
}

void abut_csg_emit_side(abut_csg_build *b, const abut_csg_frame *at, int axis, double sign, double offset)
{
    const abut_interval zero = { 0, 0 }, one = { sign, sign };
    const abut_field_request request = { .kind = ABUT_FIELD_PLANE,
                                         .normal = { axis == 0 ? one : zero, axis == 1 ? one : zero,
                                                     axis == 2 ? one : zero },
                                         .offset = { -offset, -offset } };
    abut_csg_emit_field(b, at, &request, false);
}

void abut_csg_emit_quadric(abut_csg_build *b, const abut_csg_frame *at, const abut_interval k[3],
                           abut_interval c)
{
    const abut_field_request request = { .kind = ABUT_FIELD_QUADRIC, .k = { k[0], k[1], k[2] }, .c = c };
    abut_csg_emit_field(b, at, &request, false);
}

/* {f <= 0}, of the smooth parts of f where it has kinks. */
static void emit_leaf(abut_csg_build *b, const abut_csg_frame *at, const abut_csg_leaf *leaf)
{
    const abut_field_request request = { .kind = ABUT_FIELD_MAP, .map = &leaf->map };
    if (!b->mixed || at->identity)
        emit_formula(b, leaf);
    else
        abut_csg_emit_field(b, at, &request, false);
}

static void emit_function(abut_csg_build *b, const abut_csg_frame *at, const abut_shape *shape)
{
    const abut_split *split = shape->u.implicit.split;
    b->deforms = b->deforms || shape_deforms(shape);
    if (!split) {
        const abut_csg_leaf leaf = { .formula = shape->u.implicit.f,
                                     .map = shape->u.implicit.tape
                                                ? abut_map_of_field(shape->u.implicit.tape)
                                                : abut_map_of_inclusion(&shape->u.implicit.inclusion),
                                     .field = NULL };
        emit_leaf(b, at, &leaf);
        return;
    }
    for (size_t i = 0; i < split->step_count; ++i) {
        const abut_split_step step = split->steps[i];
        if (step.op == ABUT_SPLIT_PART) {
            const abut_csg_leaf leaf = { .formula = split->parts[step.part],
                                         .map = abut_map_of_field(split->tapes[step.part]) };
            emit_leaf(b, at, &leaf);
        } else {
            abut_csg_emit(b, step.op == ABUT_SPLIT_MAX ? ABUT_CSG_STEP_AND : ABUT_CSG_STEP_OR, 0);
        }
    }
}

/* An implicit shape; among other solids as one of its own. */
static void emit_implicit(abut_csg_build *b, const abut_csg_frame *at, const abut_shape *shape)
{
    emit_function(b, at, shape);
    if (!b->mixed)
        return;
    for (int i = 0; i < 3; ++i) {
        const double lo = abut_part3(shape->bounds.lo, i), hi = abut_part3(shape->bounds.hi, i);
        abut_csg_emit_side(b, at, i, 1, hi);
        abut_csg_emit(b, ABUT_CSG_STEP_AND, 0);
        abut_csg_emit_side(b, at, i, -1, -lo);
        abut_csg_emit(b, ABUT_CSG_STEP_AND, 0);
    }
}

/* ---- frames ---- */

static abut_csg_frame identity_frame(void)
{
    abut_csg_frame out = { .identity = true, .rigid = true };
    for (int i = 0; i < 3; ++i)
        out.forward.linear.m[i][i] = out.back.linear.m[i][i] = abut_csg_exactly(1);
    return out;
}

typedef struct compose_call {
    const abut_csg_frame *above;
    const abut_csg_place *place;
    abut_csg_frame *out;
    bool regular;
} compose_call;

/* The way back of a rigid placement is exact: its matrix is transposed. */
static ABUT_NOINLINE void compose(compose_call *c)
{
    const ia_affine own = ia_affine_from(&c->place->at), above = ia_affine_from(&c->above->forward);
    const ia_affine above_back = ia_affine_from(&c->above->back);
    ia_affine back, forward;
    c->regular = true;
    if (c->place->rigid)
        back.linear = ia33_transpose(&own.linear);
    else
        c->regular = ia33_invert(&own.linear, &back.linear);
    back.translation = ia3_neg(ia33_mul3(&back.linear, own.translation));
    if (c->above->identity) {
        forward = own;
    } else {
        forward.linear = ia33_mul(&above.linear, &own.linear);
        forward.translation = ia_affine_apply(&above, own.translation);
        const ia33 linear = back.linear;
        back.linear = ia33_mul(&linear, &above_back.linear);
        back.translation = ia3_add(ia33_mul3(&linear, above_back.translation), back.translation);
    }
    c->out->forward = ia_affine_to(&forward);
    c->out->back = ia_affine_to(&back);
    c->out->identity = false;
    c->out->rigid = c->above->rigid && c->place->rigid;
}

static bool enter_frame(const abut_csg_frame *above, const abut_csg_place *place, abut_csg_frame *out)
{
    *out = *above;
    if (!place || place->identity)
        return true;
    compose_call call = { above, place, out, true };
    const abut_rounding saved = abut_rounding_enter();
    compose(&call);
    abut_rounding_leave(saved);
    return call.regular;
}

/* ---- the program ---- */

static void flatten(abut_csg_build *b, const abut_shape *shape, const abut_csg_frame *at, int nesting)
{
    if (b->status)
        return;
    if (nesting >= ABUT_CSG_MAX_NESTING) {
        b->status = ABUT_ERR_LIMIT;
        return;
    }
    if (shape->type == ABUT_SHAPE_IMPLICIT) {
        emit_implicit(b, at, shape);
        return;
    }
    if (shape->type != ABUT_SHAPE_CSG) {
        abut_csg_emit_solid(b, at, shape);
        return;
    }
    const bool join = shape->u.csg.op == ABUT_CSG_UNION, less = shape->u.csg.op == ABUT_CSG_DIFFERENCE;
    for (size_t i = 0; i < shape->u.csg.count && !b->status; ++i) {
        abut_csg_frame own;
        if (!enter_frame(at, shape->u.csg.at ? &shape->u.csg.at[i] : NULL, &own)) {
            b->status = ABUT_ERR_VALUE;
            return;
        }
        flatten(b, shape->u.csg.of[i], &own, nesting + 1);
        if (i > 0 && less)
            abut_csg_emit(b, ABUT_CSG_STEP_NOT, 0);
        if (i > 0)
            abut_csg_emit(b, join ? ABUT_CSG_STEP_OR : ABUT_CSG_STEP_AND, 0);
    }
}

/* Room around a solid that fields alone bound, so that points on it are well within. */
static abut_aabb widened(abut_aabb b)
{
    const double x = b.hi.x - b.lo.x, y = b.hi.y - b.lo.y, z = b.hi.z - b.lo.z;
    const double room = 0.125 * fmax(x, fmax(y, z));
    if (!(x >= 0))
        return b;
    return (abut_aabb){ { b.lo.x - room, b.lo.y - room, b.lo.z - room },
                        { b.hi.x + room, b.hi.y + room, b.hi.z + room } };
}

/* Copies to what the shape keeps. */
static abut_status keep_program(const abut_csg_build *b, abut_shape *shape, abut_surface_csg_def *def)
{
    const size_t n = b->leaves.count;
    abut_csg_token *tokens = abut_workspace_take(&shape->keep, b->tokens.count, sizeof *tokens);
    abut_map *leaves = abut_workspace_take(&shape->keep, n, sizeof *leaves);
    if (!tokens || !leaves)
        return ABUT_ERR_MEMORY;
    memcpy(tokens, b->tokens.items, b->tokens.count * sizeof *tokens);
    *def = (abut_surface_csg_def){ .leaves = leaves,
                                   .leaf_count = n,
                                   .tokens = tokens,
                                   .token_count = b->tokens.count,
                                   .bounds = b->mixed ? widened(shape->bounds) : shape->bounds,
                                   .uncut = b->mixed,
                                   .deforms = b->deforms };
    for (size_t i = 0; i < n; ++i) {
        const abut_csg_leaf *leaf = &b->leaves.items[i];
        leaves[i] = leaf->field ? abut_field_as_map(leaf->field) : leaf->map;
    }
    return ABUT_OK;
}

/* At shape->surface, in shape->keep: what `of` is. */
static abut_status keep_surface(abut_shape *shape, const abut_shape *of, abut_error *error)
{
    const abut_csg_frame here = identity_frame();
    abut_csg_build b = { .alloc = &shape->alloc,
                         .keep = &shape->keep,
                         .mixed = shape->type == ABUT_SHAPE_CSG && shape->u.csg.mixed };
    abut_surface_csg_def def = { 0 };
    abut_workspace_open(&shape->keep, &shape->alloc);
    shape->surface = abut_workspace_take(&shape->keep, 1, sizeof *shape->surface);
    b.status = shape->surface ? ABUT_OK : ABUT_ERR_MEMORY;
    flatten(&b, of, &here, 0);
    abut_status status = b.status;
    if (!status)
        status = keep_program(&b, shape, &def);
    ABUT_ARRAY_FREE(b.alloc, &b.tokens);
    ABUT_ARRAY_FREE(b.alloc, &b.leaves);
    if (status == ABUT_ERR_LIMIT)
        return abut_base_fail(error, status, -1, "too many operands, or nested deeper than %d",
                              (int)ABUT_CSG_MAX_NESTING);
    if (status == ABUT_ERR_VALUE)
        return abut_base_fail(error, status, -1, "the placement of an operand is singular");
    if (status == ABUT_ERR_UNSUPPORTED)
        return abut_base_fail(
            error, status, -1,
            "no formula was found for the profile of an operand: its arcs bend too far around "
            "other sides");
    if (status)
        return abut_base_fail_memory(error);
    return abut_surface_csg(&def, &shape->keep, shape->surface, error);
}

abut_status abut_shape_keep_csg(abut_shape *shape, abut_error *error)
{
    return keep_surface(shape, shape, error);
}

/* ---- bounds ---- */

static abut_vec3 least3(abut_vec3 a, abut_vec3 b)
{
    return (abut_vec3){ fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z) };
}

static abut_vec3 most3(abut_vec3 a, abut_vec3 b)
{
    return (abut_vec3){ fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z) };
}

/* Where the result of the operation can be. An intersection of operands that are apart is empty,
 * and so is its box: [inf, -inf]. */
static abut_aabb bounds_of(abut_csg_op op, abut_shape *const *of, const abut_csg_place *at, size_t count)
{
    const abut_csg_frame here = identity_frame();
    abut_aabb box = { { 0, 0, 0 }, { 0, 0, 0 } };
    for (size_t i = 0; i < (op == ABUT_CSG_DIFFERENCE ? 1 : count); ++i) {
        abut_csg_frame own;
        (void)enter_frame(&here, at ? &at[i] : NULL, &own);
        const abut_aabb b = abut_csg_box_of(of[i], &own);
        if (i == 0)
            box = b;
        else if (op == ABUT_CSG_UNION)
            box = (abut_aabb){ least3(box.lo, b.lo), most3(box.hi, b.hi) };
        else
            box = (abut_aabb){ most3(box.lo, b.lo), least3(box.hi, b.hi) };
    }
    if (box.lo.x > box.hi.x || box.lo.y > box.hi.y || box.lo.z > box.hi.z)
        box = (abut_aabb){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    return box;
}

static bool is_unbounded(const abut_aabb *b)
{
    const double ends[6] = { -b->lo.x, -b->lo.y, -b->lo.z, b->hi.x, b->hi.y, b->hi.z };
    for (int i = 0; i < 6; ++i)
        if (ends[i] == INFINITY || isnan(ends[i]))
            return true;
    return false;
}

static abut_status tighten(abut_shape *shape, abut_error *error)
{
    abut_workspace ws;
    if (!shape->u.csg.mixed)
        return ABUT_OK;
    abut_workspace_open(&ws, &shape->alloc);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    const abut_status status = abut_surface_csg_shrink(shape->surface, &shape->bounds, &ws);
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
    return status ? abut_base_fail_memory(error) : ABUT_OK;
}

/* ---- creators ---- */

static abut_status check_operands(abut_csg_op op, abut_shape *const *of, size_t count, abut_error *error)
{
    if (op < ABUT_CSG_UNION || op > ABUT_CSG_DIFFERENCE)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "the operation must be union, intersection or difference");
    if (!of || count < (op == ABUT_CSG_DIFFERENCE ? 2u : 1u))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              op == ABUT_CSG_DIFFERENCE ? "a difference needs at least two operands"
                                                        : "at least one operand is needed");
    for (size_t i = 0; i < count; ++i) {
        const char *why = NULL;
        if (!of[i] || !abut_csg_takes(of[i], &why))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i, "operand %zu is a %s; %s", i,
                                  abut_shape_type_name(abut_shape_get_type(of[i])),
                                  why ? why : "it cannot be combined");
    }
    return ABUT_OK;
}

static bool is_mixed(abut_shape *const *of, const abut_csg_place *at, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        if ((at && !at[i].identity) ||
            !(of[i]->type == ABUT_SHAPE_IMPLICIT || (of[i]->type == ABUT_SHAPE_CSG && !of[i]->u.csg.mixed)))
            return true;
    return false;
}

static abut_status fill(abut_shape *shape, abut_csg_op op, abut_shape *const *of, const abut_csg_place *at,
                        size_t count, abut_error *error)
{
    shape->u.csg.op = op;
    shape->u.csg.count = count;
    shape->u.csg.mixed = is_mixed(of, at, count);
    shape->u.csg.of = abut_base_alloc_zero(&shape->alloc, count, sizeof *shape->u.csg.of);
    if (!shape->u.csg.of)
        return abut_base_fail_memory(error);
    for (size_t i = 0; i < count; ++i)
        shape->u.csg.of[i] = abut_shape_retain(of[i]);
    if (at) {
        shape->u.csg.at = abut_base_alloc(&shape->alloc, count, sizeof *shape->u.csg.at);
        if (!shape->u.csg.at)
            return abut_base_fail_memory(error);
        memcpy(shape->u.csg.at, at, count * sizeof *at);
    }
    shape->bounds = bounds_of(op, of, at, count);
    if (is_unbounded(&shape->bounds))
        return abut_base_fail(error, ABUT_ERR_VALUE, -1,
                              "the result is unbounded: other operands must bound a halfspace on all sides");
    const abut_status status = abut_shape_keep_csg(shape, error);
    return status ? status : tighten(shape, error);
}

static abut_status make(abut_csg_op op, abut_shape *const *of, const abut_csg_place *at, size_t count,
                        const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_status status = check_operands(op, of, count, error);
    if (status)
        return status;
    abut_shape *shape = abut_shape_new(ABUT_SHAPE_CSG, alloc);
    if (!shape)
        return abut_base_fail_memory(error);
    status = fill(shape, op, of, at, count, error);
    if (status)
        abut_shape_release(shape);
    else
        *out = shape;
    return status;
}

abut_status abut_csg_from_solid(const abut_shape *solid, abut_shape **out)
{
    const abut_csg_frame here = identity_frame();
    const abut_solid *of = abut_shape_solid(solid);
    if (of && of->stated)
        return ABUT_ERR_UNSUPPORTED;
    abut_shape *shape = abut_shape_new(ABUT_SHAPE_CSG, &solid->alloc);
    if (!shape)
        return ABUT_ERR_MEMORY;
    shape->u.csg.op = ABUT_CSG_UNION;
    shape->u.csg.mixed = true;
    shape->bounds = abut_csg_box_of(solid, &here);
    abut_status status = keep_surface(shape, solid, NULL);
    if (!status)
        status = tighten(shape, NULL);
    if (status)
        abut_shape_release(shape);
    else
        *out = shape;
    return status;
}

abut_status abut_shape_create_csg(abut_csg_op op, abut_shape *const *of, size_t count,
                                  const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    return make(op, of, NULL, count, alloc, out, error);
}

static bool is_place_identity(const abut_interval_affine *at)
{
    const abut_interval t[3] = { at->translation.x, at->translation.y, at->translation.z };
    for (int i = 0; i < 3; ++i) {
        if (t[i].lo != 0 || t[i].hi != 0)
            return false;
        for (int j = 0; j < 3; ++j)
            if (at->linear.m[i][j].lo != (i == j) || at->linear.m[i][j].hi != (i == j))
                return false;
    }
    return true;
}

static abut_status find_place(const abut_motion *motion, size_t i, abut_csg_place *out, abut_error *error)
{
    const abut_interval zero = { 0, 0 }, one = { 1, 1 };
    *out = (abut_csg_place){ .identity = true, .rigid = true };
    for (int k = 0; k < 9; ++k)
        out->at.linear.m[k / 3][k % 3] = k % 4 == 0 ? one : zero;
    if (!motion)
        return ABUT_OK;
    if (motion->type != ABUT_MOTION_STATIC)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                              "operand %zu has a placement that moves it", i);
    const abut_status status = abut_motion_enclose(motion, zero, &out->at);
    if (status)
        return abut_base_fail(error, status, (int64_t)i, "the placement of operand %zu is not known", i);
    out->rigid = motion->rigid;
    out->identity = is_place_identity(&out->at);
    abut_csg_frame frame;
    const abut_csg_frame here = identity_frame();
    if (!enter_frame(&here, out, &frame))
        return abut_base_fail(error, ABUT_ERR_VALUE, (int64_t)i,
                              "the placement of operand %zu is singular: it flattens the body", i);
    return ABUT_OK;
}

abut_status abut_shape_create_csg_placed(abut_csg_op op, const abut_csg_operand *of, size_t count,
                                         const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_workspace ws;
    abut_status status = ABUT_OK;
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "nowhere to put the shape");
    *out = NULL;
    abut_workspace_open(&ws, alloc);
    const abut_workspace_mark mark = abut_workspace_begin(&ws);
    const size_t n = of ? count : 0;
    abut_shape **const shapes = abut_workspace_take(&ws, n, sizeof *shapes);
    abut_csg_place *const at = abut_workspace_take(&ws, n, sizeof *at);
    if (!shapes || !at)
        status = abut_base_fail_memory(error);
    for (size_t i = 0; i < n && !status; ++i) {
        shapes[i] = of[i].shape;
        status = find_place(of[i].at, i, &at[i], error);
    }
    if (!status)
        status = make(op, of ? shapes : NULL, at, n, alloc, out, error);
    abut_workspace_end(&ws, mark);
    abut_workspace_close(&ws);
    return status;
}
