/* SPDX-License-Identifier: MIT */
/* The relation of two meshes of which at least one is solid, beyond what crossing triangles say. Proof:
 * docs/notes/solid-meshes.md.
 *
 * Insides meet when they meet close to a point that both surfaces have in common, or when a
 * piece of one surface that has no point in common with the other lies inside the other. The
 * first is a local question (mesh_solid_local.c) about each pair of triangles that touch, unless
 * a plane of two of them parts the solids. For the second one vertex of the piece represents
 * all: it is placed in doubles, and its inside is counted where nothing of the other surface is
 * within the error of that. */
#include "abut/predicates.h"
#include "base/workspace.h"
#include "math/expansion.h"
#include "math/vec3.h"
#include "narrow/mesh/mesh.h"
#include "narrow/mesh/mesh_point.h"
#include "narrow/triangle/triangle_signs.h"

#include <string.h>

int abut_mesh_same_way(abut_mesh_pair *pair, uint32_t i, uint32_t j)
{
    abut_vec3 a[3], b[3];
    abut_triangle_signs s;
    abut_mesh_corners(pair->mesh_a, i, a);
    abut_mesh_corners(pair->mesh_b, j, b);
    abut_triangle_signs_set(&pair->frame, a, b, &s);
    for (int axis = 0; axis < 3; ++axis) {
        const int p = abut_triangle_area(&s, 0, 1, 2, axis), q = abut_triangle_area(&s, 3, 4, 5, axis);
        if (p != 0 && q != 0 && p != ABUT_TRIANGLE_UNKNOWN && q != ABUT_TRIANGLE_UNKNOWN)
            return p * q;
    }
    return 0;
}

/* ---- a plane between them ---- */

abut_mesh_parting abut_mesh_parting_begin(const abut_mesh_pair *pair)
{
    return (abut_mesh_parting){ .left = 4 * (pair->mesh_a->vertex_count + pair->mesh_b->vertex_count) };
}

typedef struct plane {
    abut_vec3 t[3];
    abut_vec3 n;
    double sum, square; /* of the sizes of n's coordinates; of the largest coordinate of an edge */
} plane;

static plane plane_of(const abut_mesh_pair *pair, uint32_t face)
{
    plane p;
    abut_mesh_corners(pair->mesh_a, face, p.t);
    const abut_vec3 x = abut_sub(p.t[1], p.t[0]), y = abut_sub(p.t[2], p.t[0]);
    p.n = abut_cross(x, y);
    p.sum = fabs(p.n.x) + fabs(p.n.y) + fabs(p.n.z);
    const double size = fmax(abut_max_norm(x), abut_max_norm(y));
    p.square = size * size;
    return p;
}

/* The side of a point that is off by `error`, or 0 where doubles do not tell: the bounds of
 * abut_triangle_meet. */
static int side_by_doubles(const plane *p, abut_vec3 at, double error)
{
    const abut_vec3 v = abut_sub(at, p->t[0]);
    const double d = abut_dot(p->n, v), far = abut_max_norm(v);
    const double off = 60 * 0x1p-53 * p->square * (far + error) + error * p->sum + 0x1p-1000 * (1 + far);
    if (!(off < 0x1p960)) /* a term may have overflowed */
        return 0;
    return d > off ? 1 : d < -off ? -1 : 0;
}

static bool is_behind(const abut_mesh_pair *pair, const plane *p, size_t vertex)
{
    const abut_vec3 at = pair->mesh_a->vertices[vertex];
    const int side = side_by_doubles(p, at, 0);
    return side < 0 || (side == 0 && abut_orient3d(p->t[1], p->t[2], at, p->t[0]) <= 0);
}

static bool is_before(const abut_mesh_pair *pair, const plane *p, size_t vertex)
{
    const abut_bv_relative *r = &pair->frame.b_in_a;
    const abut_vec3 at = pair->mesh_b->vertices[vertex];
    const int side = side_by_doubles(p, abut_add(abut_mul(&r->r, at), r->t), r->error);
    if (side != 0)
        return side > 0;
    const int exact = abut_triangle_side_of_a(&pair->frame, p->t, at);
    return exact == 0 || exact == 1;
}

bool abut_mesh_parted(const abut_mesh_pair *pair, uint32_t face, abut_mesh_parting *parting)
{
    const plane p = plane_of(pair, face);
    const size_t count_a = pair->mesh_a->vertex_count, count_b = pair->mesh_b->vertex_count;
    if (!pair->frame.exact || parting->left == 0 || abut_collinear(p.t[0], p.t[1], p.t[2]) ||
        !is_behind(pair, &p, parting->a) || !is_before(pair, &p, parting->b))
        return false;
    for (size_t i = 0; i < count_a + count_b; ++i) {
        if (parting->left == 0)
            return false;
        --parting->left;
        if (i < count_b ? is_before(pair, &p, i) : is_behind(pair, &p, i - count_b))
            continue;
        if (i < count_b)
            parting->b = (uint32_t)i;
        else
            parting->a = (uint32_t)(i - count_b);
        return false;
    }
    return true;
}

/* ---- pieces without contact ---- */

static bool is_sum(double a, double b)
{
    double e;
    (void)abut_two_sum(a, b, &e);
    return e == 0;
}

/* Where a vertex of b is in the solid a. */
static abut_where vertex_where(const abut_mesh_pair *pair, abut_vec3 v)
{
    const abut_bv_relative *r = &pair->frame.b_in_a;
    const abut_vec3 turned = abut_mul(&r->r, v), p = abut_add(turned, r->t);
    const bool exact =
        pair->frame.plain && is_sum(turned.x, r->t.x) && is_sum(turned.y, r->t.y) && is_sum(turned.z, r->t.z);
    abut_mesh_counters counters = { 0 };
    if (exact) /* and not on the surface */
        return abut_mesh_winding(pair->a, p, &counters) > 0 ? ABUT_WHERE_IN : ABUT_WHERE_OUT;
    /* each coordinate is off by less than the error: less than twice it altogether */
    return abut_mesh_where_near(pair->a, p, 2 * r->error);
}

enum { TRIES = 24 };

/* Is a piece of b, known not to touch the solid a, inside it? 1, 0, or -1 where no vertex that
 * was tried is far enough from a's surface to tell. */
static int piece_inside(const abut_mesh_pair *pair, const abut_mesh_pieces *pieces, uint32_t piece)
{
    const abut_faceted_data *mesh = pair->mesh_b;
    int tries = 0;
    for (size_t face = pieces->first[piece]; face < mesh->face_count && tries < TRIES; ++face) {
        if (pieces->of_face[face] != piece)
            continue;
        const abut_where where =
            vertex_where(pair, mesh->vertices[mesh->corners[3 * face + (size_t)tries % 3]]);
        if (where == ABUT_WHERE_IN || where == ABUT_WHERE_OUT)
            return where == ABUT_WHERE_IN;
        ++tries;
    }
    return -1;
}

/* Of the pieces of b that are not marked, does one lie inside the solid a? */
static abut_status pieces_inside(const abut_mesh_pair *pair, const unsigned char *marks, int *inside)
{
    const abut_mesh_pieces *pieces = abut_shape_pieces(pair->b);
    *inside = 0;
    if (!pieces)
        return ABUT_ERR_MEMORY;
    for (uint32_t i = 0; i < pieces->count; ++i) {
        if (marks && marks[i])
            continue;
        const int found = piece_inside(pair, pieces, i);
        if (found != 0)
            *inside = found;
        if (found > 0)
            break;
    }
    return ABUT_OK;
}

/* ---- pieces with contact ---- */

typedef struct touching {
    abut_mesh_pair *pair, *turned;
    const abut_mesh_pieces *pieces_a, *pieces_b;
    unsigned char *marks_a, *marks_b; /* pieces that touch */
    bool inside, unknown, parted;
    abut_mesh_parting parting;
    abut_mesh_decided decided;
} touching;

static bool touch_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    touching *t = ctx;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t a = pairs[i].a, b = pairs[i].b;
        const abut_meet meet = abut_mesh_pair_meet(t->pair, a, b);
        if (meet == ABUT_MEET_NONE)
            continue;
        t->parted = meet == ABUT_MEET_COPLANAR && abut_mesh_parted(t->pair, a, &t->parting);
        if (t->parted)
            return false;
        t->marks_a[t->pieces_a->of_face[a]] = 1;
        t->marks_b[t->pieces_b->of_face[b]] = 1;
        const int local = meet == ABUT_MEET_UNKNOWN ? -1
                          : meet == ABUT_MEET_CROSS
                              ? 1
                              : abut_mesh_solid_local(t->pair, t->turned, &t->decided, a, b);
        t->inside = local > 0;
        t->unknown = t->unknown || local < 0;
        if (t->inside)
            return false;
    }
    return true;
}

static abut_status solids_verdict(abut_mesh_pair *pair, bool touches, abut_workspace *ws,
                                  abut_verdict *verdict)
{
    abut_mesh_pair turned;
    touching t = {
        .pair = pair, .turned = &turned, .parting = abut_mesh_parting_begin(pair), .decided = { .ws = ws }
    };
    t.pieces_a = abut_shape_pieces(pair->a);
    t.pieces_b = abut_shape_pieces(pair->b);
    if (!t.pieces_a || !t.pieces_b)
        return ABUT_ERR_MEMORY;
    abut_mesh_pair_turn(pair, &turned);
    if (touches) {
        t.marks_a = abut_workspace_take(ws, t.pieces_a->count, 1);
        t.marks_b = abut_workspace_take(ws, t.pieces_b->count, 1);
        if (!t.marks_a || !t.marks_b)
            return ABUT_ERR_MEMORY;
        memset(t.marks_a, 0, t.pieces_a->count);
        memset(t.marks_b, 0, t.pieces_b->count);
        const abut_bvh_walk walk = abut_mesh_pair_walk(pair);
        (void)abut_bvh_overlap(&walk, 0, touch_batch, &t);
        if (t.parted) {
            *verdict = ABUT_TOUCHING;
            return ABUT_OK;
        }
    }
    int held_b = 0, held_a = 0;
    abut_status status = ABUT_OK;
    if (!t.inside)
        status = pieces_inside(pair, t.marks_b, &held_b);
    if (!status && !t.inside && held_b <= 0)
        status = pieces_inside(&turned, t.marks_a, &held_a);
    *verdict = t.inside || held_a > 0 || held_b > 0    ? ABUT_PENETRATING
               : t.unknown || held_a < 0 || held_b < 0 ? ABUT_UNDECIDED
               : touches                               ? ABUT_TOUCHING
                                                       : ABUT_SEPARATE;
    return status;
}

abut_status abut_mesh_solid_verdict(abut_mesh_pair *pair, bool touches, abut_workspace *ws,
                                    abut_verdict *verdict)
{
    *verdict = ABUT_UNDECIDED;
    if (pair->mesh_a->solid && pair->mesh_b->solid) {
        abut_workspace own;
        abut_workspace *const use = ws ? ws : &own;
        if (!ws)
            abut_workspace_open(&own, NULL);
        const abut_workspace_mark mark = abut_workspace_begin(use);
        const abut_status status = solids_verdict(pair, touches, use, verdict);
        abut_workspace_end(use, mark);
        if (!ws)
            abut_workspace_close(&own);
        return status;
    }
    int held;
    abut_mesh_pair turned;
    if (!pair->mesh_a->solid)
        abut_mesh_pair_turn(pair, &turned);
    const abut_status status = pieces_inside(pair->mesh_a->solid ? pair : &turned, NULL, &held);
    *verdict = held > 0 || touches ? ABUT_TOUCHING : held < 0 ? ABUT_UNDECIDED : ABUT_SEPARATE;
    return status;
}
