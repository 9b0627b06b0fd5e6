/* SPDX-License-Identifier: MIT */
/* A proof by continuity; see crossing.h.
 *
 * A vertex and a polygon: the vertex changes from one side of the plane to the other between two
 * times, and in between its foot never leaves the polygon. Two edges: their volume changes its
 * sign, and in between the nearest points of their lines never leave them. Then they meet on the
 * way. Signs at the two times come from enclosures of the placements there, what holds in between
 * from enclosures over all of that time, which is short: a few times what the contact is known to,
 * or what rounding of the places needs.
 *
 * With c_i the corners of the polygon in order, N = sum (c_i - c_0) x (c_i+1 - c_0) is normal to
 * it, and the foot of p is inside where ((c_i+1 - c_i) x (p - c_i)) . N > 0 for all i. For edges
 * p + s d and q + t e with D = d x e the nearest points are at s |D|^2 = ((q - p) x e) . D and t
 * |D|^2 = ((q - p) x d) . D, and the volume is (q - p) . D. */
#include "ccd/proof/crossing.h"

#include "interval/ia3.h"
#include "math/vec3.h"
#include "motion/motion.h"

enum { CORNERS = 8 };

/* Corners of a body, in order around it: where they are when the time begins, when it ends, and
 * over all of it. */
typedef struct outline {
    int count;
    ia3 at[3][CORNERS];
} outline;

enum { BEGIN, END, ALL };

typedef struct passing {
    outline body[2];
    abut_interval_affine place[2][3];
    const abut_hull *hull[2];
    /* found: */
    int sign; /* of the distance from a to b along `normal`, when it begins */
    ia3 point, normal;
    abut_feature features[2];
    bool proved;
} passing;

static const abut_hull *hull_of(const abut_shape *shape)
{
    const abut_core *core = &shape->core;
    const bool flat = core->kind == ABUT_CORE_HULL && core->radius == 0 && core->scale == 1 &&
                      core->hull->dimension < 3 && core->hull->vertex_count <= CORNERS;
    return flat ? core->hull : NULL;
}

bool abut_crossing_knows(const abut_exact_touch *s)
{
    return hull_of(s->a) && hull_of(s->b);
}

static void set_outline(const abut_hull *hull, const abut_interval_affine place[3], outline *out)
{
    out->count = (int)hull->vertex_count;
    for (int i = 0; i < out->count; ++i) {
        const uint32_t corner =
            hull->dimension == 2 ? hull->face_corners[hull->face_begin[0] + (uint32_t)i] : (uint32_t)i;
        const ia3 v = ia3_point(abut_hull_vertex(hull, corner));
        for (int when = BEGIN; when <= ALL; ++when) {
            const abut_interval_affine *at = &place[when];
            ia x[3];
            for (int k = 0; k < 3; ++k)
                x[k] = ia3_dot(ia3_make(ia_from(at->linear.m[k][0]), ia_from(at->linear.m[k][1]),
                                        ia_from(at->linear.m[k][2])),
                               v);
            out->at[when][i] = ia3_add(ia3_make(x[0], x[1], x[2]), ia3_from(&at->translation));
        }
    }
}

static ia3 normal_of(const outline *o, int when)
{
    const ia3 *c = o->at[when];
    ia3 sum = ia3_point(abut_v3(0, 0, 0));
    for (int i = 1; i + 1 < o->count; ++i)
        sum = ia3_add(sum, ia3_cross(ia3_sub(c[i], c[0]), ia3_sub(c[i + 1], c[0])));
    return sum;
}

/* 1 or -1 where a number changes its sign between the times, the one that it begins with; else
 * 0. */
static int changes(ia begin, ia end)
{
    return ia_lo(begin) > 0 && ia_hi(end) < 0 ? 1 : ia_hi(begin) < 0 && ia_lo(end) > 0 ? -1 : 0;
}

static ia height(const outline *polygon, ia3 p, int when)
{
    return ia3_dot(normal_of(polygon, when), ia3_sub(p, polygon->at[when][0]));
}

/* Vertices of one body through the other, a polygon. */
static bool pass_vertex(passing *w, int of)
{
    const outline *vertices = &w->body[of], *polygon = &w->body[1 - of];
    if (polygon->count < 3)
        return false;
    const ia3 n = normal_of(polygon, ALL), *c = polygon->at[ALL];
    for (int v = 0; v < vertices->count; ++v) {
        const int sign = changes(height(polygon, vertices->at[BEGIN][v], BEGIN),
                                 height(polygon, vertices->at[END][v], END));
        const ia3 p = vertices->at[ALL][v];
        bool inside = sign != 0;
        for (int i = 0; i < polygon->count && inside; ++i) {
            const ia3 along = ia3_sub(c[(i + 1) % polygon->count], c[i]);
            inside = ia_lo(ia3_dot(ia3_cross(along, ia3_sub(p, c[i])), n)) > 0;
        }
        if (!inside)
            continue;
        w->sign = of == 0 ? -sign : sign;
        w->point = p;
        w->normal = n;
        w->features[of] = ABUT_FEATURE_VERTEX;
        w->features[1 - of] = ABUT_FEATURE_FACE;
        return true;
    }
    return false;
}

static ia volume(const ia3 *p, int i, int i1, const ia3 *q, int j, int j1)
{
    return ia3_dot(ia3_sub(q[j], p[i]), ia3_cross(ia3_sub(p[i1], p[i]), ia3_sub(q[j1], q[j])));
}

static bool is_between(ia x, ia all)
{
    return ia_lo(x) > 0 && ia_hi(x) < ia_lo(all);
}

static int edge_count(const outline *o)
{
    return o->count < 3 ? o->count - 1 : o->count;
}

static bool pass_edges(passing *w)
{
    const outline *a = &w->body[0], *b = &w->body[1];
    const ia3 *p = a->at[ALL], *q = b->at[ALL];
    for (int i = 0; i < edge_count(a); ++i)
        for (int j = 0; j < edge_count(b); ++j) {
            const int i1 = (i + 1) % a->count, j1 = (j + 1) % b->count;
            const int sign = changes(volume(a->at[BEGIN], i, i1, b->at[BEGIN], j, j1),
                                     volume(a->at[END], i, i1, b->at[END], j, j1));
            if (sign == 0)
                continue;
            const ia3 d = ia3_sub(p[i1], p[i]), e = ia3_sub(q[j1], q[j]), way = ia3_sub(q[j], p[i]),
                      n = ia3_cross(d, e);
            const ia square = ia3_sqr_norm(n), s = ia3_dot(ia3_cross(way, e), n),
                     t = ia3_dot(ia3_cross(way, d), n);
            if (!is_between(s, square) || !is_between(t, square))
                continue;
            w->sign = sign;
            w->point = ia3_add(p[i], ia3_scale(ia_div(s, square), d));
            w->normal = n;
            w->features[0] = w->features[1] = ABUT_FEATURE_EDGE;
            return true;
        }
    return false;
}

static ABUT_NOINLINE void prove(passing *w)
{
    for (int i = 0; i < 2; ++i)
        set_outline(w->hull[i], w->place[i], &w->body[i]);
    w->proved = pass_vertex(w, 0) || pass_vertex(w, 1) || pass_edges(w);
}

static bool enclose(const abut_motion *motion, abut_interval time, abut_interval_affine *out)
{
    static const abut_interval_affine identity = { .linear = { { { { 1, 1 }, { 0, 0 }, { 0, 0 } },
                                                                 { { 0, 0 }, { 1, 1 }, { 0, 0 } },
                                                                 { { 0, 0 }, { 0, 0 }, { 1, 1 } } } } };
    *out = identity;
    return !motion || !abut_motion_enclose(motion, time, out);
}

static bool is_proved(passing *w, const abut_exact_touch *s, abut_interval time)
{
    const abut_motion *const motion[2] = { s->motion_a, s->motion_b };
    const abut_interval begin = { time.lo, time.lo }, end = { time.hi, time.hi };
    for (int i = 0; i < 2; ++i)
        if (!enclose(motion[i], begin, &w->place[i][BEGIN]) || !enclose(motion[i], end, &w->place[i][END]) ||
            !enclose(motion[i], time, &w->place[i][ALL]))
            return false;
    const abut_rounding saved = abut_rounding_enter();
    prove(w);
    abut_rounding_leave(saved);
    return w->proved;
}

bool abut_crossing_find(const abut_exact_touch *s, abut_interval time, abut_interval range,
                        abut_crossing *out)
{
    passing w = { .hull = { hull_of(s->a), hull_of(s->b) } };
    const double length = range.hi - range.lo;
    /* From what is known of it, by eights to a thousandth of the range. */
    for (double more = fmax(time.hi - time.lo, 0x1p-46 * length); more < 0x1p-10 * length; more *= 8) {
        const abut_interval wider = { fmax(time.lo - more, range.lo), fmin(time.hi + more, range.hi) };
        if (!is_proved(&w, s, wider))
            continue;
        const abut_interval_vec3 n = ia3_to(w.normal), p = ia3_to(w.point);
        const abut_vec3 normal =
            abut_v3(0.5 * (n.x.lo + n.x.hi), 0.5 * (n.y.lo + n.y.hi), 0.5 * (n.z.lo + n.z.hi));
        out->time = (abut_interval){ fmax(time.lo, range.lo), wider.hi };
        out->point = abut_v3(0.5 * (p.x.lo + p.x.hi), 0.5 * (p.y.lo + p.y.hi), 0.5 * (p.z.lo + p.z.hi));
        out->normal = abut_scale(w.sign / abut_length(normal), normal);
        out->features[0] = w.features[0];
        out->features[1] = w.features[1];
        return true;
    }
    return false;
}
