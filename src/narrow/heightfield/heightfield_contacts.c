/* SPDX-License-Identifier: MIT */
/* Contacts of a height field and a convex body that meets it.
 *
 * Every contact is given by a point of both: halfway between the place of the body and the triangle
 * above it, or as far up as the body goes.
 *
 * Places of the body under the planes of the triangles, within these: corners, places of rims,
 * or what is furthest down. And ridges and peaks of the field in the body: points of an edge, or
 * a vertex, that are deepest in it (abut_core_excess), where the body's own normal stands
 * between those of the triangles around, so that no place beside them is deeper. The walls
 * between columns are not part of the boundary, and give none. */
#include "narrow/heightfield/heightfield_site.h"

/* Cells that are examined. */
enum { MOST_CELLS = 4096, MOST_EDGE_CELLS = 1024, MOST_FACES = 1024 };

bool abut_field_ground_under(const abut_field_site *s, size_t from[2], size_t to[2])
{
    for (int k = 0; k < 2; ++k) {
        const size_t cells = (k == 0 ? s->field->columns : s->field->rows) - 1;
        const double step = s->scale * (k == 0 ? s->field->dx : s->field->dy),
                     at = k == 0 ? s->origin.x : s->origin.y;
        const double r = s->base.radii, middle = 0.5 * (double)cells;
        const double lo = floor((at + s->lo[k] - r) / step + middle),
                     hi = floor((at + s->hi[k] + r) / step + middle);
        if (!(hi >= 0 && lo <= (double)(cells - 1)))
            return false;
        from[k] = lo > 0 ? (size_t)lo : 0;
        to[k] = hi < (double)(cells - 1) ? (size_t)hi : cells - 1;
    }
    return true;
}

static bool cells_under(const abut_field_site *s, size_t from[2], size_t to[2])
{
    return abut_field_ground_under(s, from, to) && to[0] - from[0] < MOST_CELLS &&
           to[1] - from[1] < MOST_CELLS && (to[0] - from[0] + 1) * (to[1] - from[1] + 1) <= MOST_CELLS;
}

/* Is (x, y) over the triangle, with a little room? */
static bool is_over(const abut_vec3 t[3], abut_vec3 p)
{
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 a = t[k], b = t[(k + 1) % 3];
        const double area = (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
        const double size = fabs(b.x - a.x) + fabs(b.y - a.y);
        if (area < -1e-12 * size * size)
            return false;
    }
    return true;
}

typedef struct gathering {
    const abut_field_site *s;
    abut_field_contact *list;
    int count, most;
    bool through; /* the body has no inside: its own places will do */
} gathering;

/* Keeps the deepest; a place that is there already (two triangles share it) only once. */
static void keep(gathering *g, const abut_field_contact *f)
{
    const abut_core *core = g->s->base.b;
    abut_field_contact *list = g->list;
    int *count = &g->count;
    const int most = g->most;
    const double near = 1e-9 * (core->size + core->radius);
    for (int k = 0; k < *count; ++k)
        if (abut_max_norm(abut_sub(list[k].contact.point, f->contact.point)) <= near) {
            if (f->depth > list[k].depth)
                list[k] = *f;
            return;
        }
    int at = *count;
    if (at == most) {
        at = 0;
        for (int k = 1; k < most; ++k)
            if (list[k].depth < list[at].depth)
                at = k;
        if (list[at].depth >= f->depth)
            return;
    } else
        ++*count;
    list[at] = *f;
}

/* Below the triangle that it is over, as far as doubles tell. */
static bool is_in_ground(const abut_field_site *s, abut_vec3 p)
{
    size_t at[2];
    const double tolerance = 1e-11 * (s->base.b->size + abut_max_norm(s->origin));
    for (int k = 0; k < 2; ++k) {
        const size_t cells = (k == 0 ? s->field->columns : s->field->rows) - 1;
        const double step = s->scale * (k == 0 ? s->field->dx : s->field->dy);
        const double x = (k == 0 ? p.x + s->origin.x : p.y + s->origin.y) - abut_field_grid(s, k, 0);
        if (!(x >= -tolerance && x <= step * (double)cells + tolerance))
            return false;
        at[k] = x <= 0 ? 0 : (size_t)fmin(floor(x / step), (double)(cells - 1));
    }
    for (int which = 0; which < 2; ++which) {
        abut_vec3 t[3];
        abut_field_corners(s, at[0], at[1], which, t);
        const abut_vec3 n = abut_field_upward(t);
        const double height = abut_dot(n, abut_sub(p, t[0]));
        if (height <= tolerance && is_over(t, abut_v3(p.x, p.y, p.z - height / n.z)))
            return true;
    }
    return false;
}

/* ---- places of the body ---- */

static double tolerance_of(const abut_field_site *s)
{
    return 2 * s->base.error + 1e-12 * (s->base.b->size + s->base.b->radius);
}

/* Distance of p, in the core's frame, from a core whose excess is none: less than zero inside. */
static double core_distance(const abut_core *core, abut_vec3 p)
{
    abut_convex_answer answer;
    const abut_gjk_end end = abut_gjk_point(core, p, &answer);
    if (end == ABUT_GJK_APART)
        return fmax(0.5 * (answer.lo + answer.hi), 0);
    return fmin(
        end == ABUT_GJK_MEETING && core->kind != ABUT_CORE_USER ? abut_core_excess(core, p) : answer.hi, 0);
}

/* How far p is outside the body, below zero inside. What abut_core_excess says of places outside
 * hulls and ellipsoids is less than their distance, and of flat hulls it only knows the plane. */
static double excess(const abut_field_site *s, abut_vec3 p)
{
    const abut_core *core = s->base.b;
    const abut_vec3 q = abut_mul_t(&s->base.r, p);
    const bool vague = core->kind == ABUT_CORE_USER ||
                       (core->kind == ABUT_CORE_HULL && (core->radius > 0 || core->hull->dimension < 3)) ||
                       (core->kind == ABUT_CORE_ELLIPSOID && core->radius > 0);
    return (vague ? core_distance(core, q) : abut_core_excess(core, q)) - core->radius;
}

/* A place of the core, in its frame, and what it is. */
typedef struct place {
    abut_vec3 y;
    abut_feature feature;
    int64_t id;
} place;

enum { MOST_CORNERS = 64 };

/* Four places of a rim, of which the first is the lowest one for a ground of normal m. */
static int add_rim(const abut_core *core, abut_vec3 m, double z, int64_t id, place *out)
{
    const double side = sqrt(m.x * m.x + m.y * m.y), c = side > 0 ? -m.x / side : 1,
                 d = side > 0 ? -m.y / side : 0, r = core->h[0];
    const double x[4] = { c, -d, -c, d }, y[4] = { d, c, -d, -c };
    for (int k = 0; k < 4; ++k)
        out[k] = (place){ { r * x[k], r * y[k], z }, ABUT_FEATURE_EDGE, id };
    return 4;
}

/* All places that may be the lowest over a ground of normal m, in the core's frame. */
static int find_places(const abut_core *core, abut_vec3 m, place out[MOST_CORNERS])
{
    int count = 0;
    uint32_t hint = 0;
    switch (core->kind) {
    case ABUT_CORE_SEGMENT:
    case ABUT_CORE_BOX:
        for (uint32_t v = 0; v < (core->kind == ABUT_CORE_BOX ? 8u : 2u); ++v)
            out[count++] = (place){ abut_core_vertex(core, v), ABUT_FEATURE_VERTEX, v };
        break;
    case ABUT_CORE_CYLINDER:
        count += add_rim(core, m, -core->h[2], 0, out);
        count += add_rim(core, m, core->h[2], 1, out + count);
        break;
    case ABUT_CORE_CONE:
        count += add_rim(core, m, -core->h[2], 0, out);
        out[count++] = (place){ { 0, 0, core->h[2] }, ABUT_FEATURE_VERTEX, 0 };
        break;
    default:
        if (core->kind == ABUT_CORE_HULL && core->hull->vertex_count <= MOST_CORNERS) {
            for (uint32_t v = 0; v < core->hull->vertex_count; ++v)
                out[count++] =
                    (place){ abut_core_vertex(core, v), ABUT_FEATURE_VERTEX, core->hull->point_of[v] };
            break;
        }
        out[count].y = abut_core_support(core, abut_v3(-m.x, -m.y, -m.z), &hint);
        out[count].feature = core->kind == ABUT_CORE_HULL ? ABUT_FEATURE_VERTEX : ABUT_FEATURE_FACE;
        out[count].id = core->kind == ABUT_CORE_HULL ? (int64_t)core->hull->point_of[hint] : 0;
        ++count;
    }
    for (int k = 0; k < count && core->radius > 0; ++k) {
        out[k].feature = ABUT_FEATURE_FACE;
        out[k].id = 0;
    }
    return count;
}

/* The face of a capsule that has a point of its surface, in the frame of the field about the
 * body's origin; its seams are of the side. */
static int64_t capsule_face(const abut_field_site *s, abut_vec3 p)
{
    const abut_core *core = s->base.b;
    const double z = abut_mul_t(&s->base.r, p).z, end = core->h[2] + 1e-9 * (core->h[2] + core->radius);
    return z > end ? 2 : z < -end ? 1 : 0;
}

/* From the place of the body, which is in the ground or beyond its other side, halfway to the
 * triangle above it, if the body goes so far; false where no point of both was found. A body
 * without inside represents the solid that it is a face of. */
static bool move_up(const abut_field_site *s, abut_field_contact *f)
{
    const abut_core *core = s->base.b;
    const abut_vec3 from = f->contact.point, n = f->contact.normal;
    double in = 0, out = fmax(f->depth, 0);
    const double room = 1e-12 * (core->size + core->radius);
    if (abut_core_is_flat(core) || excess(s, abut_madd(from, out, n)) <= room)
        in = out;
    for (int k = 0; k < 40 && in < out; ++k) {
        const double middle = 0.5 * (in + out);
        if (excess(s, abut_madd(from, middle, n)) <= room)
            in = middle;
        else
            out = middle;
    }
    in = in > 1e-9 * (core->size + core->radius) ? in : 0; /* no further than the room */
    f->contact.point = abut_madd(from, 0.5 * in, n);
    if (is_in_ground(s, f->contact.point))
        return true;
    f->contact.point = abut_madd(from, in, n);
    return is_in_ground(s, f->contact.point);
}

static void try_triangle(gathering *g, size_t i, size_t j, int which)
{
    const abut_field_site *s = g->s;
    const abut_core *core = s->base.b;
    const double tolerance = tolerance_of(s);
    abut_vec3 t[3];
    place places[MOST_CORNERS];
    abut_field_corners(s, i, j, which, t);
    const abut_vec3 n = abut_field_upward(t);
    const int count = find_places(core, abut_mul_t(&s->base.r, n), places);
    for (int k = 0; k < count; ++k) {
        const abut_vec3 p = abut_madd(abut_mul(&s->base.r, places[k].y), -core->radius, n);
        const double height = abut_dot(n, abut_sub(p, t[0]));
        if (height > tolerance || !is_over(t, abut_madd(p, -height, n)))
            continue;
        abut_field_contact f = { .depth = -height,
                                 .contact = { .point = p,
                                              .normal = n,
                                              .features = { ABUT_FEATURE_FACE, places[k].feature },
                                              .ids = { abut_field_face(s, i, j, which), places[k].id } } };
        if (core->kind == ABUT_CORE_SEGMENT && !core->swept)
            f.contact.ids[1] = capsule_face(s, p);
        if (g->through ? is_in_ground(s, p) : move_up(s, &f))
            keep(g, &f);
    }
}

/* ---- ridges and peaks of the field ---- */

/* The unit vector in which p gets deeper into the body fastest; zero where there is none. */
static abut_vec3 inward(const abut_field_site *s, abut_vec3 p)
{
    const double step = 1e-6 * (s->base.b->size + s->base.b->radius);
    double g[3];
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 d = abut_v3(k == 0 ? step : 0, k == 1 ? step : 0, k == 2 ? step : 0);
        g[k] = excess(s, abut_sub(p, d)) - excess(s, abut_add(p, d));
    }
    return abut_unit_or(abut_v3(g[0], g[1], g[2]), abut_v3(0, 0, 0));
}

/* Which face of the body faces against n; p is the point where the body ends against it. */
static int64_t body_face(const abut_field_site *s, abut_vec3 p, abut_vec3 n)
{
    const abut_core *core = s->base.b;
    const abut_vec3 m = abut_mul_t(&s->base.r, abut_sub(abut_v3(0, 0, 0), n));
    if (core->kind == ABUT_CORE_SEGMENT && !core->swept)
        return capsule_face(s, p);
    if (core->radius > 0)
        return 0;
    switch (core->kind) {
    case ABUT_CORE_BOX: {
        const int axis = fabs(m.x) >= fabs(m.y) && fabs(m.x) >= fabs(m.z) ? 0
                         : fabs(m.y) >= fabs(m.z)                         ? 1
                                                                          : 2;
        return 2 * axis + ((axis == 0 ? m.x : axis == 1 ? m.y : m.z) > 0);
    }
    case ABUT_CORE_CYLINDER: return m.z > 0.999 ? 2 : m.z < -0.999 ? 1 : 0;
    case ABUT_CORE_CONE: return m.z < -0.999 ? 1 : 0;
    case ABUT_CORE_HULL: {
        int64_t best = 0;
        for (uint32_t k = 1; k < core->hull->face_count; ++k)
            if (abut_dot(core->hull->face_normal[k], m) > abut_dot(core->hull->face_normal[best], m))
                best = k;
        return best;
    }
    default: return 0;
    }
}

/* How far from p the body ends against n. */
static double depth_along(const abut_field_site *s, abut_vec3 p, abut_vec3 n)
{
    double in = 0, out = 4 * (s->base.b->size + s->base.b->radius);
    for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (in + out);
        if (excess(s, abut_madd(p, -middle, n)) > 0)
            out = middle;
        else
            in = middle;
    }
    return in;
}

/* p, in the body, is a point of an edge or a vertex of the field, from which these directions
 * lead along its surface. */
static void try_point(gathering *g, abut_vec3 p, const abut_vec3 *along, int count, abut_feature feature,
                      int64_t id)
{
    const abut_field_site *s = g->s;
    const abut_vec3 n = inward(s, p);
    if (!(n.z > 0))
        return;
    int falling = 0;
    for (int k = 0; k < count; ++k) {
        const double rise = abut_dot(n, along[k]), size = abut_max_norm(along[k]);
        if (rise > 1e-6 * size)
            return;
        falling += rise < -1e-6 * size;
    }
    if (falling == 0 && count > 1) /* level ground, of which triangles tell */
        return;
    const double depth = depth_along(s, p, n);
    const abut_vec3 middle = abut_madd(p, -0.5 * depth, n);
    const abut_field_contact f = { .depth = depth,
                                   .contact = { .point = is_in_ground(s, middle) ? middle : p,
                                                .normal = n,
                                                .features = { feature, ABUT_FEATURE_FACE },
                                                .ids = { id, body_face(s, abut_madd(p, -depth, n), n) } } };
    keep(g, &f);
}

/* From the edge p to q into the triangle that has the corner r besides, at a right angle. */
static abut_vec3 into(abut_vec3 p, abut_vec3 q, abut_vec3 r)
{
    const abut_vec3 e = abut_sub(q, p), d = abut_sub(r, p);
    return abut_madd(d, -abut_dot(d, e) / abut_dot(e, e), e);
}

/* Up to where p + x e, from x = at towards `end`, is about as deep. */
static double end_of_floor(const abut_field_site *s, abut_vec3 p, abut_vec3 e, double at, double end,
                           double least)
{
    const double level = least + 1e-9 * (s->base.b->size + s->base.b->radius);
    double in = at, out = end;
    if (excess(s, abut_madd(p, end, e)) <= level)
        return end;
    for (int k = 0; k < 40; ++k) {
        const double middle = 0.5 * (in + out);
        if (excess(s, abut_madd(p, middle, e)) <= level)
            in = middle;
        else
            out = middle;
    }
    return in;
}

/* An edge from p to q, and the other corners of the one or two triangles that share it. The
 * excess is convex along it. */
static void try_edge(gathering *g, abut_vec3 p, abut_vec3 q, const abut_vec3 *corner, int count, int64_t id)
{
    abut_vec3 along[2];
    double lo = 0, hi = 1;
    const abut_vec3 e = abut_sub(q, p);
    if (excess(g->s, abut_madd(p, 0.5, e)) > 0.5 * abut_length(e) + tolerance_of(g->s))
        return;
    for (int k = 0; k < count; ++k)
        along[k] = into(p, q, corner[k]);
    /* A ridge: the one triangle goes down from the plane of the other. */
    if (count == 2) {
        const abut_vec3 n = abut_cross(e, along[0]);
        if (!(abut_dot(n.z > 0 ? n : abut_sub(abut_v3(0, 0, 0), n), along[1]) <
              -1e-9 * abut_max_norm(n) * abut_max_norm(along[1])))
            return;
    }
    for (int k = 0; k < 48; ++k) {
        const double a = lo + (hi - lo) * 0.382, b = lo + (hi - lo) * 0.618;
        if (excess(g->s, abut_madd(p, a, e)) <= excess(g->s, abut_madd(p, b, e)))
            hi = b;
        else
            lo = a;
    }
    const double at = 0.5 * (lo + hi), least = excess(g->s, abut_madd(p, at, e));
    if (!(least <= tolerance_of(g->s)))
        return;
    /* As deep from one place to another: both, but not where the body's next face begins. */
    const double inset = 1e-5 * (g->s->base.b->size + g->s->base.b->radius) / abut_length(e);
    const double first = end_of_floor(g->s, p, e, at, 0, least) + inset,
                 last = end_of_floor(g->s, p, e, at, 1, least) - inset;
    const bool floor = last - first > 1e-3;
    const double ends[2] = { floor ? first : at, last };
    for (int k = 0; k < (floor ? 2 : 1); ++k)
        if (ends[k] > 2 * inset && ends[k] < 1 - 2 * inset)
            try_point(g, abut_madd(p, ends[k], e), along, count, ABUT_FEATURE_EDGE, id);
}

/* ---- all of it ---- */

/* Vertices and edges from (i, j) on, to the right and up. */
static void try_ridges(gathering *g, size_t i, size_t j, bool edges)
{
    const abut_field_site *s = g->s;
    const size_t c = s->field->columns, r = s->field->rows;
    const int64_t cell = (int64_t)((c - 1) * j + i), along_y = (int64_t)((c - 1) * r),
                  diagonals = along_y + (int64_t)(c * (r - 1)), here = (int64_t)(c * j + i);
    const bool right = i + 1 < c, up = j + 1 < r, left = i > 0, down = j > 0;
    const abut_vec3 p = abut_field_vertex(s, i, j);
    abut_vec3 around[6];
    int count = 0;
    if (excess(s, p) <= tolerance_of(s)) {
        if (right)
            around[count++] = abut_sub(abut_field_vertex(s, i + 1, j), p);
        if (up)
            around[count++] = abut_sub(abut_field_vertex(s, i, j + 1), p);
        if (right && up)
            around[count++] = abut_sub(abut_field_vertex(s, i + 1, j + 1), p);
        if (left)
            around[count++] = abut_sub(abut_field_vertex(s, i - 1, j), p);
        if (down)
            around[count++] = abut_sub(abut_field_vertex(s, i, j - 1), p);
        if (left && down)
            around[count++] = abut_sub(abut_field_vertex(s, i - 1, j - 1), p);
        try_point(g, p, around, count, ABUT_FEATURE_VERTEX, here);
    }
    if (!edges)
        return;
    count = 0;
    if (right) {
        if (up)
            around[count++] = abut_field_vertex(s, i + 1, j + 1);
        if (down)
            around[count++] = abut_field_vertex(s, i, j - 1);
        try_edge(g, p, abut_field_vertex(s, i + 1, j), around, count, cell);
    }
    count = 0;
    if (up) {
        if (right)
            around[count++] = abut_field_vertex(s, i + 1, j + 1);
        if (left)
            around[count++] = abut_field_vertex(s, i - 1, j);
        try_edge(g, p, abut_field_vertex(s, i, j + 1), around, count, along_y + here);
    }
    if (right && up) {
        const abut_vec3 beside[2] = { abut_field_vertex(s, i + 1, j), abut_field_vertex(s, i, j + 1) };
        try_edge(g, p, abut_field_vertex(s, i + 1, j + 1), beside, 2, diagonals + cell);
    }
}

int abut_field_contacts(const abut_field_site *s, int most, bool through, abut_field_contact *list)
{
    gathering g = { .s = s, .list = list, .most = most, .through = through };
    const abut_core *core = s->base.b;
    size_t from[2], to[2];
    if (!cells_under(s, from, to))
        return 0;
    const double lowest = s->lo[2] - core->radius - 1e-9 * (core->size + core->radius);
    for (size_t j = from[1]; j <= to[1]; ++j)
        for (size_t i = from[0]; i <= to[0]; ++i)
            if (s->scale * abut_heightfield_range(s->field, 0, i, j).hi - s->origin.z >= lowest) {
                try_triangle(&g, i, j, 0);
                try_triangle(&g, i, j, 1);
            }
    const bool formula = core->kind != ABUT_CORE_USER &&
                         (core->kind != ABUT_CORE_HULL || core->hull->face_count <= MOST_FACES);
    const bool edges = (to[0] - from[0] + 1) * (to[1] - from[1] + 1) <= MOST_EDGE_CELLS;
    for (size_t j = from[1]; j <= to[1] + 1 && formula && !through; ++j)
        for (size_t i = from[0]; i <= to[0] + 1; ++i)
            try_ridges(&g, i, j, edges);
    return g.count;
}
