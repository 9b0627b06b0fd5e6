/* SPDX-License-Identifier: MIT */
/* FACETEST: do the faces f1 and f2 meet? If an edge of one meets the other they do; otherwise every component of the
 * intersection of their surfaces is all in a face or all outside, so that one point of each decides (Schoemer,
 * Reichel, Warken 2002, section 2). Edges are put into the equations of surfaces (src/intersect/), each in the
 * other body's frame with the placement enclosed; hits are kept or dropped by the point-in-face test.
 *
 * The test takes the data as it is. What holds for every solid within the tolerance is proved by the caller: that
 * bodies overlap, by a point next to a hit that the membership tests of both place inside; that they are apart, by the
 * search (search.c). So wrong answers here cost time, never truth. */
#include "narrow/brep/facetest.h"

#include "abut/loops.h"
#include "interval/ia3.h"
#include "math/vec3.h"
#include "narrow/brep/edge.h"
#include "solid/surface.h"

#include <string.h>

/* More pairs of entities than that are not remembered, and may be tested twice. */
static const size_t most_bits = (size_t)1 << 28;

typedef struct tester {
    const abut_pair *pair;
    abut_brep_body *body;
    double slack;
    abut_interval_affine to[2]; /* from the other body's frame to that of body i */
    abut_affine mid[2];
    abut_aabb *box[2];      /* of the parts, in the frame of their body */
    abut_aabb *face_box[2]; /* of the faces */
    uint32_t *seen[3]; /* bits: pairs of faces; edges of body 0 and faces of body 1; the other way round */
    int attempts;
    abut_brep_faces *out;
} tester;

/* ---- frames ---- */

static ABUT_NOINLINE void relative_map(const abut_interval_affine *from, const abut_interval_affine *to,
                                       abut_interval_affine *out)
{
    const ia33 turn = ia33_from(&to->linear), back = ia33_transpose(&turn), own = ia33_from(&from->linear);
    ia33 product;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            product.m[i][j] = ia_point(0);
            for (int k = 0; k < 3; ++k)
                product.m[i][j] = ia_add(product.m[i][j], ia_mul(back.m[i][k], own.m[k][j]));
        }
    out->linear = ia33_to(&product);
    out->translation =
        ia3_to(ia33_mul3(&back, ia3_sub(ia3_from(&from->translation), ia3_from(&to->translation))));
}

static abut_affine middle(const abut_interval_affine *map)
{
    abut_affine out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.linear.m[i][j] = abut_interval_mid(map->linear.m[i][j]);
    out.translation = abut_v3(abut_interval_mid(map->translation.x), abut_interval_mid(map->translation.y),
                              abut_interval_mid(map->translation.z));
    return out;
}

/* From the frame of body i to that of the other one. */
static abut_vec3 to_other(const tester *t, int i, abut_vec3 p)
{
    return abut_affine_apply(&t->mid[1 - i], p);
}

static abut_vec3 to_common(const tester *t, int i, abut_vec3 p)
{
    return i == 0 ? p : abut_affine_apply(&t->mid[0], p);
}

static bool first_time(uint32_t *bits, size_t at)
{
    if (!bits)
        return true;
    const uint32_t bit = UINT32_C(1) << (at & 31);
    const bool first = !(bits[at >> 5] & bit);
    bits[at >> 5] |= bit;
    return first;
}

/* ---- witnesses ---- */

/* Outward normal of a face, in the common frame, at a point of its own. */
static abut_vec3 normal_at(const tester *t, int i, uint32_t face, abut_vec3 p)
{
    const abut_solid_def *def = &t->body[i].solid->def;
    abut_vec3 n;
    abut_surface_at(&def->surfaces[def->faces[face].surface], p, &n);
    n = abut_scale(def->faces[face].outward, n);
    return i == 0 ? n : abut_mul(&t->mid[0].linear, n);
}

static bool try_at(tester *t, abut_vec3 p)
{
    for (int i = 0; i < 2; ++i) {
        const abut_vec3 local = i == 0 ? p : to_other(t, 0, p);
        if (abut_brep_side(t->body[i].shape, local, t->slack) >= 0)
            return false;
    }
    t->out->inside = true;
    t->out->witness = p;
    return true;
}

/* From p, on both boundaries, into both: `in` leads into one body, `to` into the other, and `along` an edge of the
 * first into the second (or is zero). */
static void find_witness(tester *t, abut_vec3 p, abut_vec3 in, abut_vec3 to, abut_vec3 along)
{
    static const double parts[5][3] = {
        { 1, 1, 0 }, { 0.3, 0, 1 }, { 0.4, 0.2, 1 }, { 1, 0.3, 0.3 }, { 0.3, 1, 0.3 }
    };
    const double size = fmin(t->body[0].size, t->body[1].size);
    if (t->attempts <= 0)
        return;
    --t->attempts;
    for (double step = 0.05 * size; step > 8 * t->slack; step *= 0.125)
        for (int i = 0; i < 5; ++i) {
            const abut_vec3 sum =
                abut_madd(abut_madd(abut_scale(parts[i][0], in), parts[i][1], to), parts[i][2], along);
            if (abut_dot(sum, sum) > 1e-8 && try_at(t, abut_madd(p, step, abut_unit_or(sum, in))))
                return;
        }
}

/* ---- hits ---- */

typedef struct place_of_hit {
    abut_brep_meeting meeting;
    abut_face_step step;
    uint32_t edge, face[2];
    abut_vec3 point;
    double radius;
} place_of_hit;

static void note(tester *t, const place_of_hit *h)
{
    abut_brep_faces *out = t->out;
    if (out->meeting == ABUT_BREP_MEET || h->meeting == ABUT_BREP_APART ||
        (out->meeting == ABUT_BREP_DOUBTFUL && h->meeting == ABUT_BREP_DOUBTFUL))
        return;
    out->meeting = h->meeting;
    out->step = h->step;
    out->edge = h->edge;
    out->face[0] = h->face[0];
    out->face[1] = h->face[1];
    out->point = h->point;
    out->radius = h->radius;
}

static double width_of(const abut_interval_vec3 *box)
{
    return fmax(box->x.hi - box->x.lo, fmax(box->y.hi - box->y.lo, box->z.hi - box->z.lo));
}

static bool overlap(const abut_aabb *a, const abut_aabb *b, double slack)
{
    return a->lo.x <= b->hi.x + slack && b->lo.x <= a->hi.x + slack && a->lo.y <= b->hi.y + slack &&
           b->lo.y <= a->hi.y + slack && a->lo.z <= b->hi.z + slack && b->lo.z <= a->hi.z + slack;
}

/* A hit of an edge of body i on a face of the other, in that one's frame. */
static void examine_hit(tester *t, int i, uint32_t edge, uint32_t own_face, uint32_t face,
                        const abut_edge_piece *piece, const abut_curve_hit *hit)
{
    const int j = 1 - i;
    const abut_solid *solid = t->body[j].solid;
    place_of_hit h = { .step = i == 0 ? ABUT_FACE_STEP_EDGE_A : ABUT_FACE_STEP_EDGE_B, .edge = edge };
    h.face[i] = own_face;
    h.face[j] = face;
    const double width = width_of(&hit->point);
    const bool precise = width <= 16 * t->slack + 1e-9 * solid->size;
    const abut_vec3 p = { abut_interval_mid(hit->point.x), abut_interval_mid(hit->point.y),
                          abut_interval_mid(hit->point.z) };
    const int in = precise ? abut_face_contains(solid, face, p, t->slack + width) : -1;
    if (in == 0)
        return;
    h.meeting = in > 0 && hit->kind != ABUT_HIT_UNDECIDED && hit->place != ABUT_HIT_NEAR_END
                    ? ABUT_BREP_MEET
                    : ABUT_BREP_DOUBTFUL;
    h.point = to_common(t, j, p);
    h.radius = width + t->slack + (piece->traced ? t->body[i].solid->tolerance : 0);
    note(t, &h);
    if (!precise)
        return;
    /* Inward of both faces at the edge, inward of the face, and along the edge from before the face to behind it. */
    const abut_solid_sides *sides = &t->body[i].solid->sides[edge];
    const abut_vec3 own = to_other(t, j, p), to = abut_scale(-1, normal_at(t, j, face, p));
    const abut_vec3 n0 = normal_at(t, i, sides->face[0], own), n1 = normal_at(t, i, sides->face[1], own);
    const abut_vec3 in_both = abut_unit_or(abut_scale(-1, abut_add(n0, n1)), abut_scale(-1, n0));
    abut_vec3 along = abut_unit_or(abut_cross(n0, n1), abut_v3(0, 0, 0));
    if (abut_dot(along, to) < 0)
        along = abut_scale(-1, along);
    find_witness(t, h.point, in_both, to, along);
}

/* An edge of body i against a face of the other. */
static void edge_on_face(tester *t, int i, uint32_t edge, uint32_t own_face, uint32_t face)
{
    const int j = 1 - i;
    const abut_solid *own = t->body[i].solid, *other = t->body[j].solid;
    abut_enclosed_surface surface;
    ++t->out->edges;
    abut_enclosed_surface_from(&surface, &other->def.surfaces[other->def.faces[face].surface]);
    const size_t pieces = abut_edge_pieces(own, edge);
    for (size_t k = 0; k < pieces && !t->out->inside; ++k) {
        abut_edge_piece piece;
        abut_piece_hits found;
        abut_edge_place(own, edge, k, &t->to[j], &piece);
        if (!overlap(&piece.box, &t->face_box[j][face], t->slack))
            continue;
        abut_intersect_piece(&piece.curve, piece.whole, &piece.to, &surface, &found);
        if (found.contained) {
            place_of_hit h = { .meeting = ABUT_BREP_DOUBTFUL,
                               .step = i == 0 ? ABUT_FACE_STEP_EDGE_A : ABUT_FACE_STEP_EDGE_B,
                               .edge = edge };
            h.face[i] = own_face;
            h.face[j] = face;
            h.point = to_common(t, j,
                                abut_v3(abut_interval_mid(piece.curve.p[0].x),
                                        abut_interval_mid(piece.curve.p[0].y),
                                        abut_interval_mid(piece.curve.p[0].z)));
            note(t, &h);
        }
        for (int n = 0; n < found.count && !t->out->inside; ++n)
            examine_hit(t, i, edge, own_face, face, &piece, &found.hit[n]);
    }
}

static void edges_on_face(tester *t, int i, uint32_t own_face, uint32_t face)
{
    const abut_solid_face *f = &t->body[i].solid->def.faces[own_face];
    const size_t faces = t->body[1 - i].solid->def.face_count;
    for (size_t k = 0; k < f->loop_count; ++k)
        for (size_t n = 0; n < f->loops[k].count && !t->out->inside; ++n) {
            const uint32_t edge = f->loops[k].coedges[n].edge;
            if (first_time(t->seen[1 + i], edge * faces + face))
                edge_on_face(t, i, edge, own_face, face);
        }
}

/* ---- loops ---- */

static void loops_of_faces(tester *t, const uint32_t face[2])
{
    const abut_solid_def *def[2] = { &t->body[0].solid->def, &t->body[1].solid->def };
    const abut_solid_surface *s[2] = { &def[0]->surfaces[def[0]->faces[face[0]].surface],
                                       &def[1]->surfaces[def[1]->faces[face[1]].surface] };
    /* A line that is in a plane face has an end there, and is met as an edge. */
    if (s[0]->kind == ABUT_SOLID_PLANE && s[1]->kind == ABUT_SOLID_PLANE)
        return;
    place_of_hit h = { .step = ABUT_FACE_STEP_LOOP, .face = { face[0], face[1] } };
    abut_loops found;
    const abut_quat q = abut_quat_from_mat3(&t->mid[0].linear);
    const abut_pose pose = { t->mid[0].translation, q };
    const bool known = abut_surface_loops(s[0], NULL, s[1], &pose, &found) == ABUT_OK;
    if (!known || found.status != ABUT_LOOPS_COMPLETE) {
        h.meeting = ABUT_BREP_DOUBTFUL;
        h.point = s[0]->point;
        note(t, &h);
    }
    for (size_t k = 0; known && k < found.count && !t->out->inside; ++k) {
        const abut_loop *l = &found.loops[k];
        /* A face is bounded: what goes on without end meets its edges. */
        if (l->kind == ABUT_LOOP_OPEN || l->kind == ABUT_LOOP_SINGULAR_OPEN)
            continue;
        const bool precise = l->radius <= 16 * t->slack + 1e-9 * t->body[0].solid->size;
        const abut_vec3 there = to_other(t, 0, l->point);
        const double slack = t->slack + l->radius;
        const int a = precise ? abut_face_contains(t->body[0].solid, face[0], l->point, slack) : -1;
        const int b =
            a != 0 ? (precise ? abut_face_contains(t->body[1].solid, face[1], there, slack) : -1) : 0;
        if (a == 0 || b == 0)
            continue;
        h.meeting = a > 0 && b > 0 ? ABUT_BREP_MEET : ABUT_BREP_DOUBTFUL;
        h.point = l->point;
        h.radius = l->radius;
        note(t, &h);
        find_witness(t, l->point, abut_scale(-1, normal_at(t, 0, face[0], l->point)),
                     abut_scale(-1, normal_at(t, 1, face[1], there)), abut_v3(0, 0, 0));
    }
}

static void two_faces(tester *t, uint32_t a, uint32_t b)
{
    if (!first_time(t->seen[0], (size_t)a * t->body[1].solid->def.face_count + b))
        return;
    ++t->out->pairs;
    const uint32_t face[2] = { a, b };
    edges_on_face(t, 0, a, b);
    if (!t->out->inside)
        edges_on_face(t, 1, b, a);
    /* Where an edge meets a face, that is known already. */
    if (!t->out->inside && t->out->meeting != ABUT_BREP_MEET)
        loops_of_faces(t, face);
}

/* ---- pairs ---- */

static abut_aabb turned(const abut_aabb *box, const abut_affine *map, double slack)
{
    const abut_vec3 mid = abut_affine_apply(map, abut_scale(0.5, abut_add(box->lo, box->hi))),
                    half = abut_scale(0.5, abut_sub(box->hi, box->lo));
    double h[3];
    for (int i = 0; i < 3; ++i)
        h[i] = fabs(map->linear.m[i][0]) * half.x + fabs(map->linear.m[i][1]) * half.y +
               fabs(map->linear.m[i][2]) * half.z + slack;
    return (abut_aabb){ { mid.x - h[0], mid.y - h[1], mid.z - h[2] },
                        { mid.x + h[0], mid.y + h[1], mid.z + h[2] } };
}

static abut_aabb box_of(const abut_features *f, const abut_aabb *parts, int32_t node)
{
    return node < 0 ? parts[~node] : f->nodes[node].box;
}

static double extent(const abut_aabb *b)
{
    return (b->hi.x - b->lo.x) + (b->hi.y - b->lo.y) + (b->hi.z - b->lo.z);
}

static void walk(tester *t, int32_t a, int32_t b) // NOLINT(misc-no-recursion)
{
    const abut_features *fa = t->body[0].features, *fb = t->body[1].features;
    const abut_aabb box_a = box_of(fa, t->box[0], a), box_b = box_of(fb, t->box[1], b);
    const abut_aabb there = turned(&box_b, &t->mid[0], t->slack);
    if (t->out->inside || !overlap(&box_a, &there, t->slack))
        return;
    if (a < 0 && b < 0) {
        const abut_part *p = &fa->parts[~a], *q = &fb->parts[~b];
        if (p->face && q->face)
            two_faces(t, p->entity, q->entity);
        return;
    }
    const bool split_a = b < 0 || (a >= 0 && extent(&box_a) >= extent(&there));
    for (int i = 0; i < 2; ++i)
        walk(t, split_a ? fa->nodes[a].child[i] : a, split_a ? b : fb->nodes[b].child[i]);
}

static bool make_boxes(tester *t, int i, abut_workspace *ws)
{
    const abut_features *f = t->body[i].features;
    const size_t faces = t->body[i].solid->def.face_count;
    t->box[i] = abut_workspace_take(ws, f->count, sizeof *t->box[i]);
    t->face_box[i] = abut_workspace_take(ws, faces, sizeof *t->face_box[i]);
    if (!t->box[i] || !t->face_box[i])
        return false;
    for (size_t k = 0; k < faces; ++k)
        t->face_box[i][k] =
            (abut_aabb){ { HUGE_VAL, HUGE_VAL, HUGE_VAL }, { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL } };
    for (size_t k = 0; k < f->count; ++k) {
        abut_cell cell;
        abut_cell_root(&f->parts[k], (uint32_t)k, t->slack, &cell);
        const abut_vec3 h = { abut_cell_extent(&cell, abut_v3(1, 0, 0)),
                              abut_cell_extent(&cell, abut_v3(0, 1, 0)),
                              abut_cell_extent(&cell, abut_v3(0, 0, 1)) };
        const abut_aabb box = { abut_sub(cell.center, h), abut_add(cell.center, h) };
        t->box[i][k] = box;
        if (!f->parts[k].face)
            continue;
        abut_aabb *b = &t->face_box[i][f->parts[k].entity];
        b->lo = abut_v3(fmin(box.lo.x, b->lo.x), fmin(box.lo.y, b->lo.y), fmin(box.lo.z, b->lo.z));
        b->hi = abut_v3(fmax(box.hi.x, b->hi.x), fmax(box.hi.y, b->hi.y), fmax(box.hi.z, b->hi.z));
    }
    return true;
}

static bool make_bits(tester *t, abut_workspace *ws)
{
    const abut_solid_def *a = &t->body[0].solid->def, *b = &t->body[1].solid->def;
    const size_t counts[3] = { a->face_count * b->face_count, a->edge_count * b->face_count,
                               b->edge_count * a->face_count };
    for (int i = 0; i < 3; ++i) {
        t->seen[i] = NULL;
        if (counts[i] > most_bits)
            continue;
        t->seen[i] = abut_workspace_take(ws, counts[i] / 32 + 1, sizeof *t->seen[i]);
        if (!t->seen[i])
            return false;
        memset(t->seen[i], 0, (counts[i] / 32 + 1) * sizeof *t->seen[i]);
    }
    return true;
}

static bool prepare(tester *t, abut_workspace *ws)
{
    const abut_interval_affine *at[2] = { &t->pair->at_a->enclosure, &t->pair->at_b->enclosure };
    for (int i = 0; i < 2; ++i) {
        const abut_rounding saved = abut_rounding_enter();
        relative_map(at[1 - i], at[i], &t->to[i]);
        abut_rounding_leave(saved);
        t->mid[i] = middle(&t->to[i]);
    }
    return make_boxes(t, 0, ws) && make_boxes(t, 1, ws) && make_bits(t, ws);
}

abut_status abut_brep_faces_meet(const abut_pair *pair, abut_brep_body body[2], double slack, int attempts,
                                 abut_workspace *ws, abut_brep_faces *out)
{
    tester t = { .pair = pair, .body = body, .slack = slack, .attempts = attempts, .out = out };
    *out = (abut_brep_faces){ 0 };
    if (!body[0].solid || !body[1].solid)
        return ABUT_ERR_UNSUPPORTED;
    if (!prepare(&t, ws))
        return ABUT_ERR_MEMORY;
    const abut_features *fa = body[0].features, *fb = body[1].features;
    walk(&t, fa->node_count ? (int32_t)fa->node_count - 1 : ~0,
         fb->node_count ? (int32_t)fb->node_count - 1 : ~0);
    return ABUT_OK;
}

abut_status abut_brep_two_faces(const abut_pair *pair, abut_brep_body body[2], double slack, uint32_t face_a,
                                uint32_t face_b, abut_workspace *ws, abut_brep_faces *out)
{
    tester t = { .pair = pair, .body = body, .slack = slack, .out = out };
    *out = (abut_brep_faces){ 0 };
    if (!prepare(&t, ws))
        return ABUT_ERR_MEMORY;
    two_faces(&t, face_a, face_b);
    return ABUT_OK;
}
