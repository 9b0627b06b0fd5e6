/* SPDX-License-Identifier: MIT */
/* Contacts of a convex body with a height field, all of them: along lines and faces, and in more
 * than one place.
 *
 * Around a contact the field is the union of its triangles, and the body lies above each plane
 * that it touches it in. Such planes are the one that was found, which may rest on ridges and
 * peaks, and those of triangles that the body stands on. In each plane the face of the body is
 * cut with what triangles (and blocks of level cells, as one rectangle) have in it. Of the
 * samples of all these pieces no two are near each other: faces come first, then edges that
 * nothing else covers, then vertices. Points that are of no face or edge are contacts by
 * themselves. A point in two planes is reported for the first of them. */
#include "ccd/first_region.h"
#include "ccd/mesh/field_piece.h"
#include "math/nearest.h"

enum { MOST_PLANES = 16, MOST_PIECES = 65536 };

/* As in first_region.c. */
static const double meets = 1e-10, points = 1e-7;

typedef struct field_plane {
    abut_vec3 up; /* from the field to the body */
    double height;
} field_plane;

typedef struct field_work {
    const abut_heightfield_data *field;
    const abut_core *core;
    abut_affine ground; /* of the field */
    abut_mat3 r;        /* of the body in the field's frame */
    abut_vec3 t;
    double size, level;
    int pieces;       /* examined */
    abut_vec3 lo, hi; /* around the body, or its face */
    field_plane planes[MOST_PLANES];
    int plane_count;
    /* In the current plane. */
    abut_contact_plane plane;
    abut_face face;
    abut_flat_face flat;
    int pass;
    abut_contact_region region;
    abut_spread *spread;
} field_work;

typedef void (*piece_fn)(field_work *w, const abut_vec3 *corners, int count, abut_vec3 up);

/* Pieces of the field over the rectangle lo to hi whose boxes come as high as `least` along
 * `up`. Level blocks are one piece. */
static void walk(field_work *w, int level, size_t i, size_t j, const abut_vec3 *up, double least,
                 piece_fn visit)
{
    const abut_heightfield_data *f = w->field;
    const abut_field_block block = abut_field_block_at(f, level, i, j);
    const abut_vec3 lo = { abut_field_grid(f, 0, block.i0), abut_field_grid(f, 1, block.j0), block.lo },
                    hi = { abut_field_grid(f, 0, block.i1), abut_field_grid(f, 1, block.j1), block.hi };
    const double slack = points * w->size;
    if (w->pieces > MOST_PIECES || lo.x > w->hi.x + slack || hi.x < w->lo.x - slack ||
        lo.y > w->hi.y + slack || hi.y < w->lo.y - slack)
        return;
    const double most = fmax(up->x * lo.x, up->x * hi.x) + fmax(up->y * lo.y, up->y * hi.y) +
                        fmax(up->z * lo.z, up->z * hi.z);
    if (most < least)
        return;
    ++w->pieces;
    if (block.lo == block.hi) {
        const abut_vec3 corners[4] = {
            { lo.x, lo.y, hi.z }, { hi.x, lo.y, hi.z }, { hi.x, hi.y, hi.z }, { lo.x, hi.y, hi.z }
        };
        visit(w, corners, 4, abut_v3(0, 0, 1));
    } else if (level == 0) {
        for (int k = 0; k < 2; ++k) {
            abut_vec3 corners[3];
            const abut_vec3 own = abut_field_triangle(f, i, j, k, corners);
            if (abut_is_finite3(own))
                visit(w, corners, 3, own);
        }
    } else {
        const size_t columns = abut_heightfield_blocks(f->columns - 1, level - 1),
                     rows = abut_heightfield_blocks(f->rows - 1, level - 1);
        for (size_t k = 0; k < 4; ++k)
            if (2 * i + (k & 1) < columns && 2 * j + (k >> 1) < rows)
                walk(w, level - 1, 2 * i + (k & 1), 2 * j + (k >> 1), up, least, visit);
    }
}

static void walk_all(field_work *w, abut_vec3 up, double least, piece_fn visit)
{
    w->pieces = 0;
    walk(w, w->field->pyramid->levels, 0, 0, &up, least, visit);
}

/* The lowest that the body gets along `up`. */
static double floor_of(const field_work *w, abut_vec3 up)
{
    const abut_vec3 d = abut_mul_t(&w->r, abut_v3(-up.x, -up.y, -up.z));
    uint32_t hint = 0;
    return abut_dot(up, w->t) - abut_dot(d, abut_core_support(w->core, d, &hint)) - w->core->radius;
}

/* ---- planes ---- */

static void add_plane(field_work *w, abut_vec3 up, double height)
{
    for (int i = 0; i < w->plane_count; ++i)
        if (abut_dot(w->planes[i].up, up) > 1 - 1e-12)
            return;
    if (w->plane_count < MOST_PLANES)
        w->planes[w->plane_count++] = (field_plane){ up, height };
}

static void visit_plane(field_work *w, const abut_vec3 *corners, int count, abut_vec3 up)
{
    const double height = abut_dot(up, corners[0]);
    (void)count;
    if (fabs(floor_of(w, up) - height) < w->level)
        add_plane(w, up, height);
}

/* ---- pieces in a plane ---- */

static void visit_piece(field_work *w, const abut_vec3 *corners, int count, abut_vec3 up)
{
    abut_face face = { .count = 0 };
    abut_flat_face flat;
    const double height = abut_dot(w->plane.normal, w->plane.at), close = points * w->size;
    (void)up;
    for (int i = 0; i < count; ++i)
        if (fabs(abut_dot(w->plane.normal, corners[i]) - height) < w->level)
            face.p[face.count++] = corners[i];
    if (face.count == 0)
        return;
    face.kind = face.count == 1 ? ABUT_FACE_POINT : face.count == 2 ? ABUT_FACE_SEGMENT : ABUT_FACE_POLYGON;
    abut_contact_plane_flatten(&w->plane, &face, &flat);
    abut_contact_region *r = &w->region;
    abut_region_meet(&w->flat, &flat, meets * w->size, close, r);
    /* A point of one may be no point of the other. */
    if (r->dimension == 0 && (w->flat.kind == ABUT_FACE_POINT || flat.kind == ABUT_FACE_POINT)) {
        const abut_flat_face *f = flat.kind == ABUT_FACE_POINT ? &w->flat : &flat;
        if (!abut_flat_holds(f, r->from, close))
            return;
    }
    if (r->dimension == w->pass)
        abut_spread_add(w->spread, r, false, close);
    else if (w->pass == 3 && r->dimension > 0)
        abut_spread_add_corners(w->spread, r, &w->flat, close);
}

/* The wall under one side of the border, which faces `up`: a quadrangle a cell, as far down as
 * the body goes. */
static void walk_walls(field_work *w, abut_vec3 up)
{
    const abut_heightfield_data *f = w->field;
    const int axis = fabs(up.x) > fabs(up.y) ? 0 : 1;
    const double side = axis == 0 ? up.x : up.y, bottom = w->lo.z - w->size;
    const size_t last[2] = { f->columns - 1, f->rows - 1 }, fixed = side > 0 ? last[axis] : 0;
    const double step = axis == 0 ? f->dy : f->dx, begin = abut_field_grid(f, 1 - axis, 0);
    const double from = floor(((axis == 0 ? w->lo.y : w->lo.x) - begin) / step) - 1,
                 to = ((axis == 0 ? w->hi.y : w->hi.x) - begin) / step + 1;
    if (fabs(side) < 1 - 1e-12)
        return;
    w->pieces = 0;
    for (double at = fmax(from, 0); at <= to && at < (double)last[1 - axis] && w->pieces < MOST_PIECES;
         ++at) {
        abut_vec3 p[4];
        for (size_t k = 0; k < 2; ++k) {
            const size_t i = axis == 0 ? fixed : (size_t)at + k, j = axis == 0 ? (size_t)at + k : fixed;
            p[k] =
                abut_v3(abut_field_grid(f, 0, i), abut_field_grid(f, 1, j), abut_heightfield_height(f, i, j));
            p[3 - k] = abut_v3(p[k].x, p[k].y, fmin(bottom, p[k].z - w->size));
        }
        visit_piece(w, p, 4, up);
        ++w->pieces;
    }
}

/* Bounds of the body's face: nothing else of it is in the plane. */
static void bound_face(field_work *w, abut_flat *lo, abut_flat *hi)
{
    const double r = w->face.kind == ABUT_FACE_DISC ? w->face.radius : 0;
    w->lo = abut_v3(INFINITY, INFINITY, INFINITY);
    w->hi = abut_v3(-INFINITY, -INFINITY, -INFINITY);
    *lo = (abut_flat){ INFINITY, INFINITY };
    *hi = (abut_flat){ -INFINITY, -INFINITY };
    for (int i = 0; i < w->face.count; ++i) {
        const abut_vec3 p = abut_contact_plane_point(&w->plane, w->flat.p[i]);
        const abut_flat q = w->flat.p[i];
        w->lo = abut_v3(fmin(w->lo.x, p.x - r), fmin(w->lo.y, p.y - r), fmin(w->lo.z, p.z - r));
        w->hi = abut_v3(fmax(w->hi.x, p.x + r), fmax(w->hi.y, p.y + r), fmax(w->hi.z, p.z + r));
        *lo = (abut_flat){ fmin(lo->x, q.x - r), fmin(lo->y, q.y - r) };
        *hi = (abut_flat){ fmax(hi->x, q.x + r), fmax(hi->y, q.y + r) };
    }
}

static bool is_told(const field_work *w, int plane, abut_vec3 p)
{
    for (int i = 0; i < plane; ++i)
        if (fabs(abut_dot(w->planes[i].up, p) - w->planes[i].height) < w->level)
            return true;
    return false;
}

/* Contacts in plane k; how many. */
static int add_plane_contacts(abut_first_state *s, field_work *w, int k, abut_vec3 near,
                              const abut_first_point *like)
{
    static const abut_feature names[3] = { ABUT_FEATURE_VERTEX, ABUT_FEATURE_EDGE, ABUT_FEATURE_FACE };
    const field_plane *plane = &w->planes[k];
    const abut_vec3 d = abut_mul_t(&w->r, abut_v3(-plane->up.x, -plane->up.y, -plane->up.z));
    const bool field_first = s->a->type == ABUT_SHAPE_HEIGHTFIELD;
    const double close = points * w->size;
    abut_flat lo, hi;
    int kept = 0;
    abut_face_of(w->core, d, ABUT_FACE_LEVEL * w->core->size, &w->face);
    for (int i = 0; i < w->face.count; ++i)
        w->face.p[i] = abut_add(abut_mul(&w->r, abut_madd(w->face.p[i], w->core->radius, d)), w->t);
    abut_contact_plane_set(plane->up, near, plane->height, &w->face, &w->face, &w->plane);
    abut_contact_plane_flatten(&w->plane, &w->face, &w->flat);
    bound_face(w, &lo, &hi);
    abut_spread_begin(w->spread, lo, hi, abut_first_separation(s));
    for (w->pass = 3; w->pass >= 0; --w->pass) {
        walk_all(w, plane->up, plane->height - w->level, visit_piece);
        walk_walls(w, plane->up);
    }
    const abut_vec3 up = abut_mul(&w->ground.linear, plane->up);
    for (int i = 0; i < w->spread->count; ++i) {
        const abut_vec3 p = abut_contact_plane_point(&w->plane, w->spread->p[i]);
        abut_first_point point = *like;
        if (is_told(w, k, p))
            continue;
        point.point = abut_affine_apply(&w->ground, p);
        point.normal = field_first ? up : abut_scale(-1, up);
        point.kind = w->spread->dimension[i] ? ABUT_CONTACT_SAMPLED : ABUT_CONTACT_ISOLATED;
        point.unique = false;
        point.features[!field_first] = names[w->spread->dimension[i]];
        point.features[field_first] = abut_flat_feature(&w->face, &w->flat, w->spread->p[i], close);
        abut_first_keep_point(s, &point);
        ++kept;
    }
    return kept;
}

static bool begin(const abut_first_state *s, double t, field_work *w)
{
    const bool first = s->a->type == ABUT_SHAPE_HEIGHTFIELD;
    const abut_shape *field = first ? s->a : s->b, *body = first ? s->b : s->a;
    const abut_motion *moves_field = first ? s->motion_a : s->motion_b,
                      *moves_body = first ? s->motion_b : s->motion_a;
    abut_affine at = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    w->ground = at;
    w->field = &field->u.heightfield;
    w->core = &body->core;
    w->plane_count = 0;
    if (body->core.kind == ABUT_CORE_NONE || !abut_first_is_rigid(moves_field) ||
        !abut_first_is_rigid(moves_body) || (moves_field && abut_motion_at(moves_field, t, &w->ground)) ||
        (moves_body && abut_motion_at(moves_body, t, &at)))
        return false;
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 column =
            abut_mul_t(&w->ground.linear, abut_v3(at.linear.m[0][i], at.linear.m[1][i], at.linear.m[2][i]));
        w->r.m[0][i] = column.x;
        w->r.m[1][i] = column.y;
        w->r.m[2][i] = column.z;
    }
    w->t = abut_mul_t(&w->ground.linear, abut_sub(at.translation, w->ground.translation));
    w->size = w->core->size + w->core->radius;
    w->level = ABUT_FACE_LEVEL * w->size;
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 axis = { i == 0, i == 1, i == 2 };
        const double lo = floor_of(w, axis), hi = -floor_of(w, abut_scale(-1, axis));
        *(i == 0 ? &w->lo.x : i == 1 ? &w->lo.y : &w->lo.z) = lo;
        *(i == 0 ? &w->hi.x : i == 1 ? &w->hi.y : &w->hi.z) = hi;
    }
    return w->size > 0x1p-140 && w->size < 0x1p140;
}

ABUT_MATH_NOINLINE bool abut_first_add_field_region(abut_first_state *s, double t,
                                                    const abut_first_point *like)
{
    field_work w;
    abut_spread spread;
    if (!begin(s, t, &w))
        return false;
    w.spread = &spread;
    const bool field_first = s->a->type == ABUT_SHAPE_HEIGHTFIELD;
    const abut_vec3 n = abut_mul_t(&w.ground.linear, like->normal), up = field_first ? n : abut_scale(-1, n);
    const abut_vec3 near = abut_mul_t(&w.ground.linear, abut_sub(like->point, w.ground.translation));
    /* Of nearly equal directions those of triangles are the exact ones. */
    walk_all(&w, abut_v3(0, 0, 1), w.lo.z - w.level, visit_plane);
    int kept = 0, chosen = -1;
    for (int i = 0; i < w.plane_count; ++i)
        chosen = abut_dot(w.planes[i].up, up) > 1 - 1e-11 ? i : chosen;
    if (chosen < 0) {
        add_plane(&w, up, floor_of(&w, up));
        chosen = w.plane_count - 1;
    }
    const field_plane swap = w.planes[0];
    w.planes[0] = w.planes[chosen];
    w.planes[chosen] = swap;
    for (int i = 0; i < w.plane_count; ++i)
        kept += add_plane_contacts(s, &w, i, near, like);
    return kept > 0;
}
