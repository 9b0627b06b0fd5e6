/* SPDX-License-Identifier: MIT */
/* Fields of planes, quadrics, capsules, cones and tori, placed in another frame, enclosed with their
 * first and second derivatives.
 *
 * Planes and quadrics are kept in the frame they are asked about in: a gradient n, and H x + l with a
 * constant H. Others are evaluated in their own frame, and their derivatives turned back.
 *
 * Values that natural evaluation leaves open in sign are enclosed a second time by mean values, for
 * quadrics by slopes: f(x) - f(m) is exactly grad f((x + m) / 2) (x - m). Boxes that are turned gain
 * most, since the box around a turned box is larger.
 *
 * Surprise: on the axis, where r = 0, the gradient of r does not exist. Its enclosure is the unit square
 * there, which contains all limits and what is between them, so that the normals at an apex are all in
 * it. The distance of a capsule has second derivatives that jump at two planes: boxes across them get
 * both, which is what a mean value of the gradient needs (Clarke's Jacobian). */
#include "surface/csg.h"

#include <math.h>

enum { N_FIRST = 5, N_ALL = 15 };

/* Where second derivatives by x, y, z are in the layout of tape.h. */
static const int second[6] = { 5, 6, 7, 9, 10, 12 };

/* ---- making ---- */

static ia33 scaled_rows(const ia33 *m, const ia k[3])
{
    ia33 out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out.m[i][j] = ia_mul(k[i], m->m[i][j]);
    return out;
}

static bool is_identity(const ia33 *m)
{
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (!ia_is_point(m->m[i][j]) || ia_lo(m->m[i][j]) != (i == j))
                return false;
    return true;
}

static abut_field placed(abut_field_kind kind, const ia_affine *at)
{
    const ia zero = ia_point(0);
    abut_field f = { .kind = kind, .turned = !is_identity(&at->linear), .linear = at->linear };
    f.shift = at->translation;
    f.normal = (ia3){ zero, zero, zero };
    f.offset = f.a = f.b = f.c = f.k[0] = f.k[1] = f.k[2] = zero;
    for (int i = 0; i < 6; ++i)
        f.h[i] = zero;
    return f;
}

abut_field abut_field_plane(const ia_affine *at, ia3 normal, ia offset)
{
    abut_field f = placed(ABUT_FIELD_PLANE, at);
    const ia33 back = ia33_transpose(&at->linear);
    f.normal = ia33_mul3(&back, normal);
    f.offset = ia_add(ia3_dot(normal, at->translation), offset);
    f.scale = ia_mag(offset);
    for (int i = 0; i < 3; ++i)
        f.scale += ia_mag(ia3_part(normal, i)) * ia_mag(ia3_part(at->translation, i));
    return f;
}

abut_field abut_field_quadric(const ia_affine *at, const ia k[3], ia c)
{
    abut_field f = placed(ABUT_FIELD_QUADRIC, at);
    const ia33 back = ia33_transpose(&f.linear), rows = scaled_rows(&f.linear, k);
    const ia33 half = ia33_mul(&back, &rows);
    for (int i = 0, n = 0; i < 3; ++i) {
        f.k[i] = k[i];
        for (int j = i; j < 3; ++j)
            f.h[n++] = ia_mul(ia_point(2), half.m[i][j]);
    }
    f.c = c;
    f.normal =
        ia33_mul3(&back, (ia3){ ia_mul(k[0], f.shift.x), ia_mul(k[1], f.shift.y), ia_mul(k[2], f.shift.z) });
    f.offset = ia_neg(c);
    f.scale = ia_mag(c);
    for (int i = 0; i < 3; ++i) {
        const ia square = ia_mul(k[i], ia_sqr(ia3_part(f.shift, i)));
        f.offset = ia_add(f.offset, square);
        f.scale += ia_mag(square);
    }
    return f;
}

abut_field abut_field_round(abut_field_kind kind, const ia_affine *at, ia a, ia b, ia c)
{
    abut_field f = placed(kind, at);
    f.a = a;
    f.b = b;
    f.c = c;
    return f;
}

abut_field abut_field_map(const ia_affine *at, abut_map map)
{
    abut_field f = placed(ABUT_FIELD_MAP, at);
    f.map = map;
    return f;
}

/* ---- comparing ---- */

/* Equal but for rounding of terms as large as `scale`. */
static bool near(ia a, ia b, double scale)
{
    const double slack = 0x1p-49 * scale;
    return ia_lo(a) <= ia_hi(b) + slack && ia_lo(b) <= ia_hi(a) + slack;
}

static bool near3(ia3 a, ia3 b, double scale)
{
    return near(a.x, b.x, scale) && near(a.y, b.y, scale) && near(a.z, b.z, scale);
}

static double largest3(ia3 a)
{
    return fmax(ia_mag(a.x), fmax(ia_mag(a.y), ia_mag(a.z)));
}

/* The number that g must be multiplied by for its coefficient to be that of f. */
static ia ratio(ia f, ia g)
{
    return ia_contains_zero(g) ? ia_point(0) : ia_div(f, g);
}

static int same_plane(const abut_field *f, const abut_field *g)
{
    int most = 0;
    for (int i = 1; i < 3; ++i)
        most = ia_mag(ia3_part(g->normal, i)) > ia_mag(ia3_part(g->normal, most)) ? i : most;
    const ia s = ratio(ia3_part(f->normal, most), ia3_part(g->normal, most));
    if (ia_contains_zero(s) || !near3(f->normal, ia3_scale(s, g->normal), largest3(f->normal)) ||
        !near(f->offset, ia_mul(s, g->offset), fmax(f->scale, ia_mag(s) * g->scale)))
        return 0;
    return ia_lo(s) > 0 ? 1 : -1;
}

static int same_quadric(const abut_field *f, const abut_field *g)
{
    int most = 0;
    double size = 0;
    for (int i = 0; i < 6; ++i) {
        size = fmax(size, ia_mag(f->h[i]));
        most = ia_mag(g->h[i]) > ia_mag(g->h[most]) ? i : most;
    }
    const ia s = ratio(f->h[most], g->h[most]);
    if (ia_contains_zero(s))
        return 0;
    for (int i = 0; i < 6; ++i)
        if (!near(f->h[i], ia_mul(s, g->h[i]), size))
            return 0;
    const double reach = fmax(f->scale, ia_mag(s) * g->scale);
    if (!near3(f->normal, ia3_scale(s, g->normal), sqrt(reach * size)) ||
        !near(f->offset, ia_mul(s, g->offset), reach))
        return 0;
    return ia_lo(s) > 0 ? 1 : -1;
}

static bool equal(ia a, ia b)
{
    return ia_lo(a) == ia_lo(b) && ia_hi(a) == ia_hi(b);
}

static int same_placed(const abut_field *f, const abut_field *g)
{
    bool same = equal(f->a, g->a) && equal(f->b, g->b) && equal(f->c, g->c) && f->map.ctx == g->map.ctx &&
                f->map.enclose == g->map.enclose;
    for (int i = 0; i < 3; ++i) {
        same = same && equal(ia3_part(f->shift, i), ia3_part(g->shift, i));
        for (int j = 0; j < 3; ++j)
            same = same && equal(f->linear.m[i][j], g->linear.m[i][j]);
    }
    return same;
}

int abut_field_same(const abut_field *f, const abut_field *g)
{
    if (f->kind != g->kind)
        return 0;
    return f->kind == ABUT_FIELD_PLANE     ? same_plane(f, g)
           : f->kind == ABUT_FIELD_QUADRIC ? same_quadric(f, g)
                                           : same_placed(f, g);
}

void abut_field_join(abut_field *f, const abut_field *g, int sign)
{
    if (f->kind != ABUT_FIELD_PLANE && f->kind != ABUT_FIELD_QUADRIC)
        return;
    /* The zeros matter, not the values: g is scaled to f. */
    ia s = ia_point(sign);
    if (f->kind == ABUT_FIELD_PLANE) {
        int most = 0;
        for (int i = 1; i < 3; ++i)
            most = ia_mag(ia3_part(g->normal, i)) > ia_mag(ia3_part(g->normal, most)) ? i : most;
        s = ratio(ia3_part(f->normal, most), ia3_part(g->normal, most));
    } else {
        int most = 0;
        for (int i = 1; i < 6; ++i)
            most = ia_mag(g->h[i]) > ia_mag(g->h[most]) ? i : most;
        s = ratio(f->h[most], g->h[most]);
    }
    const ia zero = ia_point(0);
    const ia3 normal = ia3_scale(s, g->normal), none = { zero, zero, zero };
    const ia offset = ia_mul(s, g->offset);
    if (!f->joined) {
        f->dnormal = none;
        f->doffset = zero;
    }
    f->dnormal = ia3_hull(f->dnormal, ia3_sub(normal, f->normal));
    f->doffset = ia_hull(f->doffset, ia_sub(offset, f->offset));
    for (int i = 0; i < 6; ++i) {
        const ia h = ia_mul(s, g->h[i]);
        f->dh[i] = ia_hull(f->joined ? f->dh[i] : zero, ia_sub(h, f->h[i]));
        f->h[i] = ia_hull(f->h[i], h);
    }
    f->normal = ia3_hull(f->normal, normal);
    f->offset = ia_hull(f->offset, offset);
    f->joined = true;
}

/* ---- values and derivatives ---- */

static void clear(ia *out, int from, int to)
{
    for (int i = from; i < to; ++i)
        out[i] = ia_point(0);
}

static ia3 local_of(const abut_field *f, ia3 x)
{
    return ia3_add(f->turned ? ia33_mul3(&f->linear, x) : x, f->shift);
}

static void enclose_plane(const abut_field *f, ia3 x, int order, ia *out)
{
    out[0] = ia_add(ia3_dot(f->normal, x), f->offset);
    if (order == 0)
        return;
    clear(out, 4, order >= 2 ? N_ALL : N_FIRST);
    out[1] = f->normal.x;
    out[2] = f->normal.y;
    out[3] = f->normal.z;
}

/* H x */
static ia3 turned_by(const ia h[6], ia3 x)
{
    return (ia3){ ia_add(ia_add(ia_mul(h[0], x.x), ia_mul(h[1], x.y)), ia_mul(h[2], x.z)),
                  ia_add(ia_add(ia_mul(h[1], x.x), ia_mul(h[3], x.y)), ia_mul(h[4], x.z)),
                  ia_add(ia_add(ia_mul(h[2], x.x), ia_mul(h[4], x.y)), ia_mul(h[5], x.z)) };
}

static ia3 middle_of(ia3 x)
{
    return ia3_point(ia3_mid(x));
}

/* x H x / 2 + 2 n x + o, of the coefficients that fields joined to this one may differ by. */
static ia joined_value(const abut_field *f, ia3 x)
{
    const ia3 lean =
        ia3_add(ia3_scale(ia_point(0.5), turned_by(f->dh, x)), ia3_scale(ia_point(2), f->dnormal));
    return ia_add(ia3_dot(lean, x), f->doffset);
}

static ia quadric_value(const abut_field *f, ia3 x)
{
    const ia3 y = local_of(f, x);
    const ia value = ia_sub(ia_add(ia_add(ia_mul(f->k[0], ia_sqr(y.x)), ia_mul(f->k[1], ia_sqr(y.y))),
                                   ia_mul(f->k[2], ia_sqr(y.z))),
                            f->c);
    return f->joined ? ia_add(value, joined_value(f, x)) : value;
}

static void enclose_quadric(const abut_field *f, ia3 x, int order, ia *out)
{
    ia value = quadric_value(f, x);
    if (f->turned && ia_contains_zero(value)) {
        const ia3 m = middle_of(x), between = ia3_scale(ia_point(0.5), ia3_add(x, m));
        const ia3 slope = ia3_add(turned_by(f->h, between), ia3_scale(ia_point(2), f->normal));
        value = ia_intersect(value, ia_add(quadric_value(f, m), ia3_dot(slope, ia3_sub(x, m))));
    }
    out[0] = value;
    if (order == 0)
        return;
    const ia3 g = ia3_add(turned_by(f->h, x), ia3_scale(ia_point(2), f->normal));
    clear(out, 4, order >= 2 ? N_ALL : N_FIRST);
    out[1] = g.x;
    out[2] = g.y;
    out[3] = g.z;
    for (int i = 0; i < 6 && order >= 2; ++i)
        out[second[i]] = f->h[i];
}

/* A jet in the frame of the solid: value, first derivatives, second ones xx xy xz yy yz zz. */
typedef struct local_jet {
    ia f, g[3], h[6];
} local_jet;

static ia axis_distance(ia3 y)
{
    return ia_sqrt(ia_add(ia_sqr(y.x), ia_sqr(y.y)));
}

/* Values z - clamp(z, -a, a), and the derivative: 0 within, 1 beyond. */
static ia beyond(ia z, ia a, ia *slope)
{
    const double lo = ia_lo(z), hi = ia_hi(z), low = ia_lo(a), high = ia_hi(a);
    const ia zero = ia_point(0), one = ia_point(1);
    const bool inner = lo <= high && hi >= -high, outer = lo < -low || hi > low;
    *slope = inner && outer ? ia_make(0, 1) : outer ? one : zero;
    ia out = ia_empty();
    if (lo < -low)
        out = ia_hull(out, ia_add(ia_intersect(z, ia_make(-INFINITY, -low)), a));
    if (hi > low)
        out = ia_hull(out, ia_sub(ia_intersect(z, ia_make(low, INFINITY)), a));
    if (inner)
        out = ia_hull(out, zero);
    return out;
}

static void capsule(const abut_field *f, ia3 y, int order, local_jet *out)
{
    const ia two = ia_point(2), zero = ia_point(0);
    ia slope;
    const ia z = beyond(y.z, f->a, &slope);
    out->f = ia_sub(ia_add(ia_add(ia_sqr(y.x), ia_sqr(y.y)), ia_sqr(z)), f->c);
    if (order >= 1) {
        out->g[0] = ia_mul(two, y.x);
        out->g[1] = ia_mul(two, y.y);
        out->g[2] = ia_mul(two, z);
    }
    if (order >= 2) {
        out->h[0] = out->h[3] = two;
        out->h[1] = out->h[2] = out->h[4] = zero;
        out->h[5] = ia_mul(two, slope);
    }
}

/* Derivatives of r: the gradient u, and (h00, h01, h11) of the second ones. False on the axis. */
static bool radial(ia3 y, ia r, int order, ia u[2], ia h[3])
{
    const ia unit = ia_make(-1, 1);
    const bool off = ia_lo(r) > 0;
    u[0] = off ? ia_intersect(ia_div(y.x, r), unit) : unit;
    u[1] = off ? ia_intersect(ia_div(y.y, r), unit) : unit;
    if (order < 2)
        return true;
    h[0] = h[2] = ia_make(0, INFINITY);
    h[1] = ia_entire();
    if (!off)
        return false;
    h[0] = ia_div(ia_sqr(u[1]), r);
    h[1] = ia_neg(ia_div(ia_mul(u[0], u[1]), r));
    h[2] = ia_div(ia_sqr(u[0]), r);
    return true;
}

static bool cone(const abut_field *f, ia3 y, int order, local_jet *out)
{
    const ia r = axis_distance(y), zero = ia_point(0);
    ia u[2], h[3];
    out->f = ia_sub(ia_add(ia_mul(f->a, r), ia_mul(f->b, y.z)), f->c);
    if (order == 0)
        return true;
    const bool defined = radial(y, r, order, u, h);
    out->g[0] = ia_mul(f->a, u[0]);
    out->g[1] = ia_mul(f->a, u[1]);
    out->g[2] = f->b;
    if (order >= 2) {
        out->h[0] = ia_mul(f->a, h[0]);
        out->h[1] = ia_mul(f->a, h[1]);
        out->h[3] = ia_mul(f->a, h[2]);
        out->h[2] = out->h[4] = out->h[5] = zero;
    }
    return defined;
}

/* r^2 and (y2 - b)^2 are smooth; of (r - a)^2 the part -2 a r is that of a cone. */
static bool ring(const abut_field *f, ia3 y, int order, local_jet *out)
{
    const ia r = axis_distance(y), two = ia_point(2), zero = ia_point(0);
    const ia across = ia_sub(r, f->a), up = ia_sub(y.z, f->b);
    ia u[2], h[3];
    out->f = ia_sub(ia_add(ia_sqr(across), ia_sqr(up)), f->c);
    if (order == 0)
        return true;
    const bool defined = radial(y, r, order, u, h);
    out->g[0] = ia_mul(two, ia_mul(across, u[0]));
    out->g[1] = ia_mul(two, ia_mul(across, u[1]));
    out->g[2] = ia_mul(two, up);
    if (order >= 2) {
        const ia lean = ia_mul(ia_point(-2), f->a);
        out->h[0] = ia_add(two, ia_mul(lean, h[0]));
        out->h[1] = ia_mul(lean, h[1]);
        out->h[3] = ia_add(two, ia_mul(lean, h[2]));
        out->h[2] = out->h[4] = zero;
        out->h[5] = two;
    }
    return defined;
}

static bool mapped(const abut_field *f, ia3 y, ia t, int order, ia *scratch, local_jet *out, ia *timed)
{
    const ia box[4] = { y.x, y.y, y.z, t };
    ia *const v = scratch;
    const bool defined = f->map.enclose(f->map.ctx, box, order, scratch + N_ALL, v);
    out->f = v[0];
    for (int i = 0; i < 3 && order >= 1; ++i)
        out->g[i] = v[1 + i];
    for (int i = 0; i < 6 && order >= 2; ++i)
        out->h[i] = v[second[i]];
    if (order >= 1)
        timed[0] = v[4];
    if (order >= 2) {
        timed[1] = v[8];
        timed[2] = v[11];
        timed[3] = v[13];
        timed[4] = v[14];
    }
    return defined;
}

/* timed: by t, xt, yt, zt, tt. */
static bool local(const abut_field *f, ia3 y, ia t, int order, ia *scratch, local_jet *out, ia timed[5])
{
    switch (f->kind) {
    case ABUT_FIELD_CAPSULE: capsule(f, y, order, out); return true;
    case ABUT_FIELD_CONE: return cone(f, y, order, out);
    case ABUT_FIELD_RING: return ring(f, y, order, out);
    default: return mapped(f, y, t, order, scratch, out, timed);
    }
}

/* L' g */
static ia3 turn_back(const abut_field *f, const ia g[3])
{
    const ia33 back = ia33_transpose(&f->linear);
    const ia3 v = { g[0], g[1], g[2] };
    return f->turned ? ia33_mul3(&back, v) : v;
}

/* L' H L */
static void turn_second(const abut_field *f, ia h[6])
{
    if (!f->turned)
        return;
    const ia33 full = { { { h[0], h[1], h[2] }, { h[1], h[3], h[4] }, { h[2], h[4], h[5] } } };
    const ia33 back = ia33_transpose(&f->linear), right = ia33_mul(&full, &f->linear);
    const ia33 all = ia33_mul(&back, &right);
    for (int i = 0, n = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j)
            h[n++] = ia_intersect(all.m[i][j], all.m[j][i]);
}

/* By the mean value along the box and the time; nothing is said where it is not defined. */
static ia mean_value(const abut_field *f, ia3 x, ia t, ia value, ia *scratch)
{
    const ia3 m = middle_of(x);
    const ia mt = ia_point(ia_mid(t));
    local_jet at, over;
    ia timed[5];
    clear(timed, 0, 5);
    if (!local(f, local_of(f, m), mt, 0, scratch, &at, timed) ||
        !local(f, local_of(f, x), t, 1, scratch, &over, timed))
        return value;
    const ia change = ia_add(ia3_dot(turn_back(f, over.g), ia3_sub(x, m)), ia_mul(timed[0], ia_sub(t, mt)));
    const ia both = ia_intersect(value, ia_add(at.f, change));
    return ia_is_empty(both) ? value : both;
}

/* r >= u0 y0 + u1 y1 for every u of length 1 or less: a plane through the apex that touches the cone along
 * a line, below the field all over space (above it where a < 0). */
static ia cone_beside(const abut_field *f, ia3 x, ia value)
{
    const ia3 y = local_of(f, middle_of(x));
    const double y0 = ia_mid(y.x), y1 = ia_mid(y.y), r = sqrt(y0 * y0 + y1 * y1) * (1 + 0x1p-48);
    const ia u0 = ia_point(r > 0 ? y0 / r : 0), u1 = ia_point(r > 0 ? y1 / r : 0);
    const ia lean[3] = { ia_mul(f->a, u0), ia_mul(f->a, u1), f->b };
    const ia3 n = turn_back(f, lean);
    const ia offset = ia_sub(ia3_dot((ia3){ lean[0], lean[1], lean[2] }, f->shift), f->c);
    const ia plane = ia_add(ia3_dot(n, x), offset);
    ia both = value;
    if (ia_lo(f->a) >= 0)
        both = ia_intersect(value, ia_make(ia_lo(plane), INFINITY));
    else if (ia_hi(f->a) <= 0)
        both = ia_intersect(value, ia_make(-INFINITY, ia_hi(plane)));
    return ia_is_empty(both) ? value : both;
}

static bool enclose_placed(const abut_field *f, ia3 x, ia t, int order, ia *scratch, ia *out)
{
    local_jet jet;
    ia timed[5];
    clear(timed, 0, 5);
    const bool defined = local(f, local_of(f, x), t, order, scratch, &jet, timed);
    const bool open = defined && f->turned && !ia_is_empty(jet.f) && ia_contains_zero(jet.f);
    out[0] = jet.f;
    if (open && f->kind == ABUT_FIELD_CONE)
        out[0] = cone_beside(f, x, jet.f);
    else if (open && order == 0)
        out[0] = mean_value(f, x, t, jet.f, scratch);
    if (order == 0)
        return defined;
    const ia3 g = turn_back(f, jet.g);
    out[1] = g.x;
    out[2] = g.y;
    out[3] = g.z;
    out[4] = timed[0];
    if (order >= 2) {
        const ia3 across = turn_back(f, timed + 1);
        turn_second(f, jet.h);
        for (int i = 0; i < 6; ++i)
            out[second[i]] = jet.h[i];
        out[8] = across.x;
        out[11] = across.y;
        out[13] = across.z;
        out[14] = timed[4];
    }
    return defined;
}

static bool enclose(const void *ctx, const ia *box, int order, ia *scratch, ia *out)
{
    const abut_field *const f = ctx;
    const ia3 x = { box[0], box[1], box[2] };
    if (f->kind == ABUT_FIELD_PLANE)
        enclose_plane(f, x, order, out);
    else if (f->kind == ABUT_FIELD_QUADRIC)
        enclose_quadric(f, x, order, out);
    else
        return enclose_placed(f, x, box[3], order, scratch, out);
    return true;
}

abut_map abut_field_as_map(const abut_field *f)
{
    if (f->kind != ABUT_FIELD_MAP)
        return (abut_map){ .enclose = enclose,
                           .ctx = f,
                           .work = f->kind == ABUT_FIELD_PLANE     ? 12
                                   : f->kind == ABUT_FIELD_QUADRIC ? 40
                                                                   : 160 };
    return (abut_map){ .enclose = enclose, .ctx = f, .scratch = f->map.scratch + N_ALL, .work = f->map.work };
}

/* ---- the apex of a cone ---- */

int abut_field_apex(const abut_map *leaf, ia3 *apex)
{
    const abut_field *const f = leaf->ctx;
    ia33 inverse = ia33_identity();
    if (leaf->enclose != enclose || f->kind != ABUT_FIELD_CONE || ia_contains_zero(f->b) ||
        ia_contains_zero(f->a) || (f->turned && !ia33_invert(&f->linear, &inverse)))
        return 0;
    const ia3 tip = { ia_point(0), ia_point(0), ia_div(f->c, f->b) };
    const ia3 from = ia3_sub(tip, f->shift);
    *apex = f->turned ? ia33_mul3(&inverse, from) : from;
    return ia_lo(f->a) > 0 ? 1 : -1;
}

void abut_field_apex_normals(const abut_map *leaf, int sign, ia3 *out)
{
    /* Sines of the eighths of a circle, enclosed: sectors share their ends and cover it. */
    static const double half_root = 0x1.6a09e667f3bcdp-1;
    const abut_field *const f = leaf->ctx;
    const ia root = ia_make(half_root, half_root + 0x1p-52), one = ia_point(1), zero = ia_point(0);
    const ia cosines[10] = {
        one, root, zero, ia_neg(root), ia_neg(one), ia_neg(root), zero, root, one, root
    };
    for (int i = 0; i < ABUT_FEATURE_MAX_NORMALS; ++i) {
        const ia c = ia_hull(cosines[i], cosines[i + 1]),
                 s = ia_hull(cosines[(i + 6) % 8], cosines[(i + 7) % 8]);
        const ia g[3] = { ia_mul(f->a, c), ia_mul(f->a, s), f->b };
        out[i] = turn_back(f, g);
        if (sign < 0)
            out[i] = ia3_neg(out[i]);
    }
}
