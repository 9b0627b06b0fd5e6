/* SPDX-License-Identifier: MIT */
/* Where a line meets a mesh, exactly; see line_mesh.h and docs/notes/rays.md.
 *
 * Seen along the line, corners p are points of a plane and the line is its origin. The side of an
 * edge is the sign of det[d, p - o, q - o]: with its three signs a triangle is missed, crossed
 * inside, in an edge or in a corner; three zeros mean that the line runs in its plane (or that it
 * is degenerate), and then it meets it in a point or a run. All signs are exact, so that nothing
 * slips through between two triangles. Every end of a meeting is a quotient of determinants; two of
 * them are compared by pairs of doubles, and exactly where these are too close. The meetings are
 * kept sorted and joined where they have a point in common.
 *
 * In or out: a triangle counts as crossed when a line shifted by (e, e^2), for an infinitely small
 * e, crosses it (H. Edelsbrunner, E. Muecke, Simulation of simplicity, 1990). That line meets no
 * edge, unless a triangle is seen edge-on, which counts nothing. Where the true line is off the
 * surface both are on the same side of it; so the sum of the crossings up to there, with their
 * signs, is how often the surface goes round.
 *
 * Surprise: nothing is allocated, whatever the number of meetings. The nearest so many are reported;
 * the others are found again by another walk from there on. */
#include "narrow/mesh/line_mesh.h"

#include "math/vec3.h"
#include "narrow/mesh/mesh.h"
#include "narrow/pair/big.h"

enum { ROOM = 128 };
#define NOWHERE UINT32_MAX

/* ---- ends of meetings ---- */

typedef enum end_kind { AT_VERTEX, AT_PLANE, AT_EDGE } end_kind;

typedef struct end {
    dd t;
    double error; /* of t, absolute */
    end_kind kind;
    uint32_t a, b;  /* the vertex, the face, or the ends of the edge */
    int across;     /* AT_EDGE: the component of d x e that is not 0 */
    uint32_t on[2]; /* ends of the edge that it is on, equal for a vertex; NOWHERE inside a face */
    uint32_t face;  /* where it lies: a part of this face, 0..2 corners, 3..5 edges, 6 inside */
    int part;
    uint32_t front; /* the face whose normal is reported */
} end;

typedef struct meeting {
    end from, to;
    bool run;
    uint32_t between_face; /* what a run is in */
    int between_part;
    int turns; /* change of the winding number behind it */
} meeting;

typedef struct caster {
    const abut_faceted_data *mesh;
    const abut_line *line;
    double scale;
    abut_vec3 o, d; /* rounded */
    double slip;    /* of a coordinate of p - o */
    int axis;       /* largest part of d */
    bool forward, first_pass;
    bool has_start, has_limit;
    end start, limit; /* meetings that begin in [start, limit) are gathered */
    int count, total;
    /* nothing is gathered but where t = 0 is: a part of a face, NOWHERE: on none */
    bool only_start;
    uint32_t start_face;
    int start_part;
    meeting list[ROOM + 1];
} caster;

static abut_vec3 corner(const caster *c, uint32_t v)
{
    return abut_scale(c->scale, c->mesh->vertices[v]);
}

static void exact_from_origin(const caster *c, uint32_t v, abut_big out[3])
{
    const abut_vec3 p = corner(c, v);
    for (int k = 0; k < 3; ++k) {
        abut_terms t = c->line->o[k];
        abut_terms_negate(&t);
        abut_terms_push(&t, abut_part3(p, k));
        abut_big_terms(&t, &out[k]);
    }
}

static void exact_edge(const caster *c, uint32_t v, uint32_t w, abut_big out[3])
{
    const abut_vec3 p = corner(c, v), q = corner(c, w);
    for (int k = 0; k < 3; ++k) {
        const abut_terms t = abut_terms_difference(abut_part3(q, k), abut_part3(p, k));
        abut_big_terms(&t, &out[k]);
    }
}

static void exact_direction(const caster *c, abut_big out[3])
{
    for (int k = 0; k < 3; ++k)
        abut_big_terms(&c->line->d[k], &out[k]);
}

/* Component k of a x b. */
static void exact_cross(const abut_big a[3], const abut_big b[3], int k, abut_big *out)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    abut_big_clear(out);
    abut_big_add_product(&a[i], &b[j], 1, out);
    abut_big_add_product(&a[j], &b[i], -1, out);
}

static void exact_det(const abut_big a[3], const abut_big b[3], const abut_big c[3], abut_big *out)
{
    abut_big minor;
    abut_big_clear(out);
    for (int k = 0; k < 3; ++k) {
        exact_cross(b, c, k, &minor);
        abut_big_add_product(&a[k], &minor, 1, out);
    }
}

/* t = over / under, exactly. */
static void exact_quotient(const caster *c, const end *e, abut_big *over, abut_big *under)
{
    abut_big p[3], d[3], u[3], v[3];
    exact_direction(c, d);
    if (e->kind == AT_VERTEX) {
        exact_from_origin(c, e->a, p);
        *over = p[c->axis];
        *under = d[c->axis];
        return;
    }
    if (e->kind == AT_EDGE) {
        exact_from_origin(c, e->a, p);
        exact_edge(c, e->a, e->b, u);
        exact_cross(p, u, e->across, over);
        exact_cross(d, u, e->across, under);
        return;
    }
    const uint32_t *corners = c->mesh->corners + 3 * (size_t)e->a;
    exact_from_origin(c, corners[0], p);
    exact_edge(c, corners[0], corners[1], u);
    exact_edge(c, corners[0], corners[2], v);
    exact_det(p, u, v, over);
    exact_det(d, u, v, under);
}

/* Relative error 2^-98. */
static dd big_quotient(const abut_big *over, const abut_big *under)
{
    int eo, eu;
    const dd n = abut_big_value(over, &eo), m = abut_big_value(under, &eu);
    if (n.h == 0)
        return n;
    const dd q = dd_div(n, m);
    const int e = eo - eu;
    return (dd){ ldexp(q.h, e), ldexp(q.l, e) };
}

static dd dd_from_origin(const caster *c, double p, int k)
{
    return dd_sub((dd){ p, 0 }, abut_terms_value(&c->line->o[k]));
}

static dd dd_det(const dd a[3], const dd b[3], const dd e[3])
{
    dd sum = { 0, 0 };
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        sum = dd_add(sum, dd_mul(a[k], dd_sub(dd_mul(b[i], e[j]), dd_mul(b[j], e[i]))));
    }
    return sum;
}

static double largest(const dd v[3])
{
    return fmax(fabs(v[0].h), fmax(fabs(v[1].h), fabs(v[2].h)));
}

/* Pairs of doubles where they leave 55 bits: the determinants are off by less than 2^-97 of the
 * product of the largest parts (six products, each of them off by less than 30 units 2^-106 with
 * the sums). */
static bool quick_plane(const caster *c, end *e)
{
    const uint32_t *corners = c->mesh->corners + 3 * (size_t)e->a;
    const abut_vec3 p0 = corner(c, corners[0]), p1 = corner(c, corners[1]), p2 = corner(c, corners[2]);
    dd p[3], u[3], v[3], d[3];
    for (int k = 0; k < 3; ++k) {
        p[k] = dd_from_origin(c, abut_part3(p0, k), k);
        u[k] = dd_two_sum(abut_part3(p1, k), -abut_part3(p0, k));
        v[k] = dd_two_sum(abut_part3(p2, k), -abut_part3(p0, k));
        d[k] = abut_terms_value(&c->line->d[k]);
    }
    const dd over = dd_det(p, u, v), under = dd_det(d, u, v);
    const double area = largest(u) * largest(v), off_over = 0x1p-97 * largest(p) * area,
                 off_under = 0x1p-97 * largest(d) * area;
    if (!(largest(p) * area > 0x1p-700 && largest(d) * area > 0x1p-700) ||
        !(off_over < 0x1p-57 * fabs(over.h)) || !(off_under < 0x1p-57 * fabs(under.h)))
        return false;
    e->t = dd_div(over, under);
    e->error = 2 * fabs(e->t.h) * (off_over / fabs(over.h) + off_under / fabs(under.h) + 0x1p-98);
    return true;
}

static void set_parameter(const caster *c, end *e)
{
    if (e->kind == AT_PLANE && quick_plane(c, e))
        return;
    if (e->kind == AT_VERTEX) {
        const dd p = dd_from_origin(c, abut_part3(corner(c, e->a), c->axis), c->axis);
        if (fabs(p.h) > 0x1p-800) {
            e->t = dd_div(p, abut_terms_value(&c->line->d[c->axis]));
            e->error = 0x1p-98 * fabs(e->t.h);
            return;
        }
    }
    abut_big over, under;
    exact_quotient(c, e, &over, &under);
    e->t = big_quotient(&over, &under);
    e->error = 0x1p-96 * fabs(e->t.h) + (e->t.h != 0 ? 0x1p-1070 : 0);
}

static bool same_place(const caster *c, uint32_t v, uint32_t w)
{
    const abut_vec3 p = c->mesh->vertices[v], q = c->mesh->vertices[w];
    return v == w || (p.x == q.x && p.y == q.y && p.z == q.z);
}

/* On one vertex, or one edge that the line crosses: decided without arithmetic. */
static bool same_end(const caster *c, const end *a, const end *b)
{
    if (a->on[0] == NOWHERE || b->on[0] == NOWHERE)
        return a->kind == AT_PLANE && b->kind == AT_PLANE && a->a == b->a;
    return (same_place(c, a->on[0], b->on[0]) && same_place(c, a->on[1], b->on[1])) ||
           (same_place(c, a->on[0], b->on[1]) && same_place(c, a->on[1], b->on[0]));
}

static int compare(const caster *c, const end *a, const end *b)
{
    const double gap = dd_sub(a->t, b->t).h;
    if (fabs(gap) > 2 * (a->error + b->error))
        return gap > 0 ? 1 : -1;
    if (same_end(c, a, b))
        return 0;
    abut_big over_a, under_a, over_b, under_b, sum;
    exact_quotient(c, a, &over_a, &under_a);
    exact_quotient(c, b, &over_b, &under_b);
    abut_big_clear(&sum);
    abut_big_add_product(&over_a, &under_b, 1, &sum);
    abut_big_add_product(&over_b, &under_a, -1, &sum);
    return abut_big_sign(&sum) * abut_big_sign(&under_a) * abut_big_sign(&under_b);
}

/* ---- the list ---- */

/* Of two that are at one place: corner before edge before inside, then the lower face. */
static void join_end(const end *b, end *a)
{
    const int rank_a = a->part / 3, rank_b = b->part / 3;
    const uint32_t front = a->front < b->front ? a->front : b->front;
    if (rank_b < rank_a || (rank_b == rank_a && b->face < a->face)) {
        a->face = b->face;
        a->part = b->part;
    }
    a->front = front;
}

static void join(const caster *c, const meeting *b, meeting *a)
{
    const int from = compare(c, &b->from, &a->from), to = compare(c, &b->to, &a->to);
    if ((from < 0 && b->run) || !a->run) {
        a->between_face = b->between_face;
        a->between_part = b->between_part;
    }
    if (from < 0)
        a->from = b->from;
    else if (from == 0)
        join_end(&b->from, &a->from);
    if (to > 0)
        a->to = b->to;
    else if (to == 0)
        join_end(&b->to, &a->to);
    a->turns += b->turns;
    a->run = compare(c, &a->from, &a->to) < 0;
}

/* First that does not end before t. */
static int find(const caster *c, const end *t)
{
    int lo = 0, hi = c->count;
    while (lo < hi) {
        const int mid = (lo + hi) / 2;
        if (compare(c, &c->list[mid].to, t) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void note_start(caster *c, const meeting *m)
{
    if (m->from.t.h > 0)
        return;
    const end *e = m->from.t.h == 0 ? &m->from : m->to.t.h == 0 ? &m->to : NULL;
    const uint32_t face = e ? e->face : m->between_face;
    const int part = e ? e->part : m->between_part;
    if (c->start_face == NOWHERE || part / 3 < c->start_part / 3 ||
        (part / 3 == c->start_part / 3 && face < c->start_face)) {
        c->start_face = face;
        c->start_part = part;
    }
}

static void insert(caster *c, meeting m)
{
    if (c->forward && m.to.t.h < 0)
        return;
    if (c->first_pass)
        c->total += m.turns;
    if (c->only_start) {
        note_start(c, &m);
        return;
    }
    if ((c->has_limit && compare(c, &m.from, &c->limit) >= 0) ||
        (c->has_start && compare(c, &m.from, &c->start) < 0))
        return;
    const int at = find(c, &m.from);
    int next = at;
    for (; next < c->count && compare(c, &c->list[next].from, &m.to) <= 0; ++next)
        join(c, &c->list[next], &m);
    if (next == at) {
        for (int i = c->count; i > at; --i)
            c->list[i] = c->list[i - 1];
        ++c->count;
    } else {
        for (int i = next; i < c->count; ++i)
            c->list[at + 1 + i - next] = c->list[i];
        c->count -= next - at - 1;
    }
    c->list[at] = m;
    if (c->count > ROOM) {
        c->limit = c->list[--c->count].from;
        c->has_limit = true;
    }
}

/* ---- one triangle ---- */

static int exact_side(const caster *c, uint32_t v, uint32_t w)
{
    abut_big d[3], p[3], q[3], det;
    exact_direction(c, d);
    exact_from_origin(c, v, p);
    exact_from_origin(c, w, q);
    exact_det(d, p, q, &det);
    return abut_big_sign(&det);
}

/* Sign of component k of (p_v - o) x d, or of (p_v - p_w) x d where w is not v. */
static int moment_sign(const caster *c, uint32_t v, uint32_t w, int k)
{
    abut_big d[3], p[3], m;
    exact_direction(c, d);
    if (v == w)
        exact_from_origin(c, v, p);
    else
        exact_edge(c, w, v, p);
    exact_cross(p, d, k, &m);
    return abut_big_sign(&m);
}

static double max3(abut_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z), m = x > y ? x : y;
    return m > z ? m : z;
}

/* det[d, p - o, q - o]; its six products are off by 6 (slip (|p| + |q| + slip) + 8 u |p| |q|)
 * times |d| <= 1. */
static int side(const caster *c, abut_vec3 p, abut_vec3 q, uint32_t v, uint32_t w)
{
    const double det = abut_dot(c->d, abut_cross(p, q)), P = max3(p), Q = max3(q);
    const double error = 8 * (c->slip * (P + Q + c->slip) + 0x1p-50 * P * Q) + 0x1p-900;
    if (fabs(det) > error)
        return det > 0 ? 1 : -1;
    return v == w ? 0 : exact_side(c, v, w);
}

/* The side after the shift; 0 for an edge along the line. Antisymmetric, as `side` is. */
static int shifted_side(const caster *c, int plain, uint32_t v, uint32_t w)
{
    if (plain != 0)
        return plain;
    const int s = moment_sign(c, v, w, (c->axis + 1) % 3);
    return s != 0 ? s : moment_sign(c, v, w, (c->axis + 2) % 3);
}

static bool is_flat(const caster *c, const uint32_t v[3])
{
    const abut_vec3 p = corner(c, v[0]), q = corner(c, v[1]), r = corner(c, v[2]);
    return max3(abut_cross(abut_sub(q, p), abut_sub(r, p))) == 0;
}

/* The line is in the plane of the triangle, or of what is left of it. */
static void meet_in_plane(caster *c, uint32_t face)
{
    const uint32_t *v = c->mesh->corners + 3 * (size_t)face;
    const uint32_t front = is_flat(c, v) ? NOWHERE : face;
    int s[3] = { 0, 0, 0 }, across = 0;
    for (; across < 3; ++across) {
        for (int i = 0; i < 3; ++i)
            s[i] = moment_sign(c, v[i], v[i], across);
        if (s[0] != 0 || s[1] != 0 || s[2] != 0)
            break;
    }
    meeting m = { .turns = 0 };
    int found = 0, on = 0, corners[3];
    for (int i = 0; i < 6; ++i) {
        end e = { .face = face, .part = i, .front = front };
        const int j = i % 3, k = (j + 1) % 3;
        if (i < 3 && s[i] == 0) {
            e.kind = AT_VERTEX;
            e.a = e.on[0] = e.on[1] = v[i];
            corners[on++] = i;
        } else if (i >= 3 && s[j] * s[k] < 0) {
            e.kind = AT_EDGE;
            e.a = e.on[0] = v[j];
            e.b = e.on[1] = v[k];
            e.across = across; /* of the normal of the plane, which d x e is along, too */
        } else
            continue;
        set_parameter(c, &e);
        const meeting one = { .from = e, .to = e, .between_face = face, .between_part = 6 };
        if (found++ == 0)
            m = one;
        else
            join(c, &one, &m);
    }
    if (found == 0)
        return;
    m.between_face = face;
    m.between_part = 6;
    if (on >= 2) /* along an edge: the longest of those that are there */
        m.between_part = on == 3 ? 3 + (m.from.part % 3 + 1 == m.to.part % 3   ? m.from.part % 3
                                        : m.to.part % 3 + 1 == m.from.part % 3 ? m.to.part % 3
                                                                               : 2)
                         : corners[1] - corners[0] == 1 ? 3 + corners[0]
                                                        : 5;
    insert(c, m);
}

static void meet(caster *c, uint32_t face)
{
    const uint32_t *v = c->mesh->corners + 3 * (size_t)face;
    abut_vec3 p[3];
    int s[3], zeros = 0;
    for (int i = 0; i < 3; ++i)
        p[i] = abut_sub(corner(c, v[i]), c->o);
    for (int i = 0; i < 3; ++i) {
        const int j = i == 2 ? 0 : i + 1;
        s[i] = side(c, p[i], p[j], v[i], v[j]);
        zeros += s[i] == 0;
        for (int k = 0; k < i; ++k)
            if (s[i] * s[k] < 0)
                return;
    }
    if (zeros == 3) {
        meet_in_plane(c, face);
        return;
    }
    end e = { .kind = AT_PLANE, .a = face, .on = { NOWHERE }, .face = face, .part = 6, .front = face };
    int turns = s[0] + s[1] + s[2] > 0 ? -1 : 1; /* out through the front, or in */
    if (zeros > 0) {
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, before = (i + 2) % 3;
            if (s[i] == 0 && zeros == 1) {
                e.part = 3 + i;
                e.on[0] = v[i];
                e.on[1] = v[j];
            } else if (s[i] == 0 && s[before] == 0) {
                e.part = i;
                e.kind = AT_VERTEX;
                e.a = e.on[0] = e.on[1] = v[i];
            }
            if (shifted_side(c, s[i], v[i], v[j]) != -turns)
                turns = 2;
        }
        if (turns == 2)
            turns = 0;
    }
    set_parameter(c, &e);
    insert(c, (meeting){ .from = e, .to = e, .between_face = face, .between_part = e.part, .turns = turns });
}

/* ---- the whole mesh ---- */

static bool meet_all(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        meet(ctx, pairs[i].a);
    return true;
}

/* Parameters between which the line is in a box around the mesh, widened for all that is
 * rounded; false where it misses it. */
static bool clip(const caster *c, const abut_aabb *bounds, double slack, double *from, double *to)
{
    for (int k = 0; k < 3; ++k) {
        const double lo = c->scale * abut_part3(bounds->lo, k) - slack - abut_part3(c->o, k),
                     hi = c->scale * abut_part3(bounds->hi, k) + slack - abut_part3(c->o, k),
                     d = abut_part3(c->d, k);
        if (fabs(d) < 0x1p-900) { /* it goes nowhere along this axis, within the box or at all */
            if (lo > slack || hi < -slack)
                return false;
            continue;
        }
        const double a = lo / d, b = hi / d, near = a < b ? a : b, far = a < b ? b : a;
        const double least = near - 0x1p-40 * fabs(near), most = far + 0x1p-40 * fabs(far);
        *from = least > *from ? least : *from;
        *to = most < *to ? most : *to;
    }
    return *from <= *to;
}

/* Hands over every triangle that the line, or its part with from <= t <= to, may meet. */
static void walk(caster *c, const abut_shape *shape, double from, double to)
{
    static const abut_bv_relative in_place = { .r = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    const double slack = 0x1p-44 * (abut_max_norm(c->o) + c->scale * abut_mesh_size(shape)) + 0x1p-1000;
    if (!clip(c, &shape->bounds, slack, &from, &to))
        return;
    const abut_vec3 a = abut_madd(c->o, from, c->d), b = abut_madd(c->o, to, c->d);
    const double length = abut_length(abut_sub(b, a)), unit = ldexp(1, c->line->length_exponent),
                 thick = unit * (slack + 0x1p-44 * length);
    const abut_mat3 axes = abut_basis_along(abut_unit_or(c->d, abut_v3(1, 0, 0)));
    abut_mesh_counters counters = { 0 };
    const abut_bvh_walk tree = {
        .a = { .tree = c->mesh->tree },
        .b = { .box = { abut_scale(0.5 * unit, abut_add(a, b)),
                        abut_v3(unit * 0.5 * length + thick, thick, thick), axes } },
        .b_in_a = &in_place,
        .counters = &counters,
    };
    (void)abut_bvh_overlap(&tree, 0, meet_all, c); /* only fronts take memory */
}

static void begin(const abut_shape *shape, const abut_line *line, bool forward, caster *c)
{
    c->mesh = &shape->u.faceted;
    c->line = line;
    c->scale = ldexp(1, -line->length_exponent);
    double o[3], d[3];
    for (int k = 0; k < 3; ++k) {
        o[k] = abut_terms_value(&line->o[k]).h;
        d[k] = abut_terms_value(&line->d[k]).h;
    }
    c->o = abut_v3(o[0], o[1], o[2]);
    c->d = abut_v3(d[0], d[1], d[2]);
    c->axis = fabs(d[1]) > fabs(d[0]) ? 1 : 0;
    c->axis = fabs(d[2]) > fabs(d[c->axis]) ? 2 : c->axis;
    c->slip = 0x1p-51 * (abut_max_norm(c->o) + c->scale * abut_mesh_size(shape));
    c->forward = forward;
    c->first_pass = true;
    c->has_start = c->has_limit = false;
    c->count = c->total = 0;
    c->only_start = false;
    c->start_face = NOWHERE;
    c->start_part = 0;
}

static int64_t part_id(const caster *c, uint32_t face, int part)
{
    const uint32_t *v = c->mesh->corners + 3 * (size_t)face;
    if (part >= 6)
        return face;
    if (part < 3)
        return abut_mesh_welded(c->mesh, v[part]);
    return c->mesh->solid ? abut_edge_find(c->mesh, abut_mesh_welded(c->mesh, v[part - 3]),
                                           abut_mesh_welded(c->mesh, v[(part - 2) % 3]))
                          : -1;
}

static const abut_where where_of[3] = { ABUT_WHERE_VERTEX, ABUT_WHERE_EDGE, ABUT_WHERE_FACE };
static const abut_feature feature_of[3] = { ABUT_FEATURE_VERTEX, ABUT_FEATURE_EDGE, ABUT_FEATURE_FACE };

static abut_vec3 normal_of(const caster *c, uint32_t face)
{
    const abut_vec3 back = abut_unit_or(abut_scale(-1, c->d), abut_v3(0, 0, 1));
    if (face == NOWHERE)
        return back;
    const uint32_t *v = c->mesh->corners + 3 * (size_t)face;
    const abut_vec3 p = corner(c, v[0]), e = abut_sub(corner(c, v[1]), p), f = abut_sub(corner(c, v[2]), p);
    return abut_unit_or(abut_cross(abut_unit_or(e, back), abut_unit_or(f, back)), back);
}

static abut_where outside(const caster *c, int winding)
{
    return c->mesh->solid && winding > 0 ? ABUT_WHERE_IN : ABUT_WHERE_OUT;
}

static void tell(const caster *c, const end *e, abut_where after, int64_t after_id, abut_field_sink sink,
                 void *ctx)
{
    const int exponent = c->line->length_exponent - c->line->direction_exponent;
    const abut_field_hit hit = { .at = { .t = ldexp(e->t.h, exponent),
                                         .feature = feature_of[e->part / 3],
                                         .id = c->line->unnamed ? -1 : part_id(c, e->face, e->part),
                                         .outward = normal_of(c, e->front) },
                                 .after = after,
                                 .after_id = after_id };
    sink(ctx, &hit);
}

/* All that end before the limit; the one that does not is kept for the next pass. */
static void tell_all(caster *c, int *winding, abut_field_sink sink, void *ctx)
{
    int i = 0;
    for (; i < c->count; ++i) {
        const meeting *m = &c->list[i];
        if (c->has_limit && compare(c, &m->to, &c->limit) >= 0)
            break;
        *winding += m->turns;
        const abut_where after = outside(c, *winding);
        if (m->run)
            tell(c, &m->from, where_of[m->between_part / 3],
                 c->line->unnamed ? -1 : part_id(c, m->between_face, m->between_part), sink, ctx);
        tell(c, &m->to, after, -1, sink, ctx);
    }
    if (i < c->count)
        c->list[0] = c->list[i];
    c->count -= i;
}

void abut_line_through_mesh(const abut_shape *shape, const abut_line *line, bool forward, abut_where *before,
                            abut_field_sink sink, void *ctx)
{
    caster c;
    begin(shape, line, forward, &c);
    int winding = 0;
    do {
        walk(&c, shape, forward ? 0 : -INFINITY, INFINITY);
        if (c.first_pass) {
            winding = forward ? -c.total : 0; /* far away it is 0 */
            *before = outside(&c, winding);
        }
        tell_all(&c, &winding, sink, ctx);
        c.first_pass = false;
        c.has_start = c.has_limit;
        c.start = c.limit;
        c.has_limit = false;
    } while (c.has_start);
}

/* ---- points ---- */

void abut_line_mesh_point(const abut_shape *shape, const abut_line *line, abut_piece *out)
{
    caster c;
    begin(shape, line, true, &c);
    c.only_start = true;
    walk(&c, shape, 0, c.mesh->solid ? INFINITY : 0);
    *out = (abut_piece){ .where = outside(&c, -c.total), .id = -1 };
    if (c.start_face == NOWHERE)
        return;
    out->where = where_of[c.start_part / 3];
    out->id = part_id(&c, c.start_face, c.start_part);
}
