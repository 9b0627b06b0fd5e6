/* SPDX-License-Identifier: MIT */
/* Cells: rectangles of parameters of faces and edges, their boxes, cones of normals and skeletons.
 *
 * A box is aligned with the normal at the middle of its cell, so that its thickness shrinks with
 * the square of the cell's width (Gottschalk et al. 1996 fit oriented boxes for the same reason).
 * Skeletons: cylinders, spheres and tori are offset surfaces of lines, points and circles, so that
 * distances of their skeletons give distances of faces in closed form (the configuration-space
 * argument of Schoemer, Reichel, Warken 2002, section 3.2). */
#include "solid/feature.h"
#include "solid/quadric.h"

static abut_arc_range halve(abut_arc_range r, int upper)
{
    abut_arc_range h;
    h.cos_half = sqrt(abut_larger(0, 0.5 * (1 + r.cos_half)));
    h.sin_half =
        r.cos_half > 0 ? 0.5 * r.sin_half / h.cos_half : sqrt(abut_larger(0, 0.5 * (1 - r.cos_half)));
    const double turn = upper ? h.sin_half : -h.sin_half;
    h.c = r.c * h.cos_half - r.s * turn;
    h.s = r.s * h.cos_half + r.c * turn;
    const double n = 1 / sqrt(h.c * h.c + h.s * h.s);
    h.c *= n;
    h.s *= n;
    return h;
}

/* Is the direction (x, y) within the range? Any is in the whole circle. */
static bool in_range(const abut_arc_range *r, double x, double y)
{
    if (r->cos_half <= -1)
        return true;
    return x * r->c + y * r->s >= r->cos_half * sqrt(x * x + y * y);
}

/* The direction in the range nearest to (x, y), as a unit vector. */
static void clamp_direction(const abut_arc_range *r, double *x, double *y)
{
    const double n = sqrt(*x * *x + *y * *y);
    if (n == 0) {
        *x = r->c;
        *y = r->s;
        return;
    }
    if (in_range(r, *x, *y)) {
        *x /= n;
        *y /= n;
        return;
    }
    const double side = r->c * *y - r->s * *x >= 0 ? r->sin_half : -r->sin_half;
    *x = r->c * r->cos_half - r->s * side;
    *y = r->s * r->cos_half + r->c * side;
}

static abut_vec3 radial(const abut_part *p, double c, double s)
{
    return abut_add(abut_scale(c, p->x), abut_scale(s, p->y));
}

/* Half the width of the tangential extent of an arc of radius 1. */
static double breadth(const abut_arc_range *r)
{
    return r->cos_half > 0 ? r->sin_half : 1;
}

static void set_box(abut_cell *cell, abut_vec3 base, const abut_vec3 axis[3], const double lo[3],
                    const double hi[3], double slack)
{
    double square = 0;
    cell->center = base;
    for (int i = 0; i < 3; ++i) {
        cell->axis[i] = axis[i];
        cell->half[i] = 0.5 * (hi[i] - lo[i]) + slack;
        cell->center = abut_madd(cell->center, 0.5 * (lo[i] + hi[i]), axis[i]);
        square += cell->half[i] * cell->half[i];
    }
    cell->radius = sqrt(square) * (1 + 0x1p-50);
}

static void set_cone(const abut_part *part, abut_cell *cell, abut_vec3 own, double cos_angle,
                     double sin_angle, bool wide)
{
    cell->normal = part->sense < 0 ? abut_scale(-1, own) : own;
    cell->cone_cos = cos_angle;
    cell->cone_sin = sin_angle;
    cell->wide = wide;
}

static void fit_segment(const abut_part *p, double slack, abut_cell *cell)
{
    const abut_vec3 axis[3] = { p->x, p->y, p->z };
    const double lo[3] = { 0, 0, cell->v0 }, hi[3] = { 0, 0, cell->v1 };
    set_box(cell, p->o, axis, lo, hi, slack);
    cell->has_skeleton = true;
    cell->s0 = abut_madd(p->o, cell->v0, p->z);
    cell->s1 = abut_madd(p->o, cell->v1, p->z);
    cell->offset = 0;
    cell->sample = abut_scale(0.5, abut_add(cell->s0, cell->s1));
}

static void fit_arc(const abut_part *p, double slack, abut_cell *cell)
{
    const abut_arc_range *a = &cell->a;
    const abut_vec3 m = radial(p, a->c, a->s), t = radial(p, -a->s, a->c);
    const abut_vec3 axis[3] = { t, p->z, m };
    const double w = p->radius * breadth(a);
    const double lo[3] = { -w, 0, p->radius * a->cos_half }, hi[3] = { w, 0, p->radius };
    set_box(cell, p->o, axis, lo, hi, slack + p->major);
    cell->has_skeleton = false;
    cell->sample = abut_madd(p->o, p->radius, m);
}

/* At the angle d from the middle the point is o + cos d m + sin d t, with m and t conjugate radii:
 * along t it spreads, along what of m is perpendicular to t it bends. */
static void fit_ellipse(const abut_part *p, double slack, abut_cell *cell)
{
    const abut_arc_range *a = &cell->a;
    const abut_vec3 m = radial(p, a->c, a->s), t = radial(p, -a->s, a->c);
    const abut_vec3 e = abut_unit_or(t, p->z);
    const double mt = abut_dot(m, e), w = abut_length(t) * breadth(a);
    const abut_vec3 bend = abut_madd(m, -mt, e), n = abut_unit_or(bend, p->z);
    const abut_vec3 axis[3] = { e, abut_cross(n, e), n };
    const double b = abut_length(bend);
    const double lo[3] = { -w + abut_smaller(mt, mt * a->cos_half), 0, b * a->cos_half };
    const double hi[3] = { w + abut_larger(mt, mt * a->cos_half), 0, b };
    set_box(cell, p->o, axis, lo, hi, slack);
    cell->has_skeleton = false;
    cell->sample = abut_add(p->o, m);
}

/* The de Casteljau points of the piece from v0 to v1. */
static void cubic_piece(const abut_vec3 q[4], double v0, double v1, abut_vec3 out[4])
{
    abut_vec3 r[4] = { q[0], q[1], q[2], q[3] };
    for (int level = 1; level < 4; ++level)
        for (int i = 0; i <= 3 - level; ++i)
            r[i] = abut_madd(r[i], v0, abut_sub(r[i + 1], r[i]));
    /* r is the curve from v0 to 1, in order; now cut at v1. */
    const double t = v0 < 1 ? (v1 - v0) / (1 - v0) : 0;
    for (int i = 0; i < 4; ++i)
        out[i] = r[i];
    for (int level = 1; level < 4; ++level)
        for (int i = 3; i >= level; --i)
            out[i] = abut_madd(out[i - 1], t, abut_sub(out[i], out[i - 1]));
}

static abut_vec3 any_normal(abut_vec3 z)
{
    const abut_vec3 a = fabs(z.x) < 0.6 ? abut_v3(1, 0, 0) : abut_v3(0, 1, 0);
    return abut_unit_or(abut_cross(z, a), abut_v3(0, 0, 1));
}

static void fit_cubic(const abut_part *p, double slack, abut_cell *cell)
{
    abut_vec3 q[4];
    cubic_piece(p->points, cell->v0, cell->v1, q);
    const abut_vec3 z = abut_unit_or(abut_sub(q[3], q[0]), abut_v3(0, 0, 1));
    /* In the plane of the curve's bulge, so that the box is thin. */
    abut_vec3 bend = abut_sub(abut_add(q[1], q[2]), abut_add(q[0], q[3]));
    bend = abut_madd(bend, -abut_dot(bend, z), z);
    const abut_vec3 x = abut_max_norm(bend) > 0 ? abut_unit_or(bend, any_normal(z)) : any_normal(z);
    const abut_vec3 axis[3] = { z, abut_cross(z, x), x };
    double lo[3] = { 0, 0, 0 }, hi[3] = { 0, 0, 0 };
    for (int i = 1; i < 4; ++i)
        for (int k = 0; k < 3; ++k) {
            const double d = abut_dot(axis[k], abut_sub(q[i], q[0]));
            lo[k] = abut_smaller(lo[k], d);
            hi[k] = abut_larger(hi[k], d);
        }
    set_box(cell, q[0], axis, lo, hi, slack + p->radius);
    cell->has_skeleton = false;
    abut_vec3 half[4];
    cubic_piece(p->points, 0, 0.5 * (cell->v0 + cell->v1), half);
    cell->sample = half[3];
}

static void fit_plane(const abut_part *p, double slack, abut_cell *cell)
{
    const abut_vec3 axis[3] = { p->x, p->y, p->z };
    const double lo[3] = { cell->u0, cell->v0, 0 }, hi[3] = { cell->u1, cell->v1, 0 };
    set_box(cell, p->o, axis, lo, hi, slack);
    set_cone(p, cell, p->z, 1, 0, false);
    cell->has_skeleton = false;
    cell->sample = cell->center;
}

static void fit_triangle(const abut_part *p, double slack, abut_cell *cell)
{
    const abut_vec3 *t = cell->corner;
    /* Along the first side: the arc's chord, where it has one. */
    const abut_vec3 along = abut_unit_or(abut_sub(t[1], t[0]), p->x);
    const abut_vec3 axis[3] = { along, abut_cross(p->z, along), p->z };
    double lo[3] = { 0, 0, 0 }, hi[3] = { 0, 0, 0 };
    if (cell->bulge > 0) {
        /* The arc is beyond its chord, on the side away from the third corner, and does not reach
         * further along it. */
        const double h = abut_dot(axis[1], abut_sub(p->points[3], t[0])),
                     side = abut_dot(axis[1], abut_sub(t[2], t[0]));
        lo[1] = side > 0 ? abut_smaller(0, h - p->radius) : 0;
        hi[1] = side > 0 ? 0 : abut_larger(0, h + p->radius);
    }
    for (int i = 1; i < 3; ++i)
        for (int k = 0; k < 2; ++k) {
            const double d = abut_dot(axis[k], abut_sub(t[i], t[0]));
            lo[k] = abut_smaller(lo[k], d);
            hi[k] = abut_larger(hi[k], d);
        }
    set_box(cell, t[0], axis, lo, hi, slack);
    set_cone(p, cell, p->z, 1, 0, false);
    cell->has_skeleton = false;
    cell->sample = abut_scale(1.0 / 3, abut_add(abut_add(t[0], t[1]), t[2]));
}

static void fit_cylinder(const abut_part *p, double slack, abut_cell *cell)
{
    const abut_arc_range *a = &cell->a;
    const abut_vec3 m = radial(p, a->c, a->s), t = radial(p, -a->s, a->c);
    const abut_vec3 axis[3] = { t, p->z, m };
    const double w = p->radius * breadth(a);
    const double lo[3] = { -w, cell->v0, p->radius * a->cos_half }, hi[3] = { w, cell->v1, p->radius };
    set_box(cell, p->o, axis, lo, hi, slack);
    set_cone(p, cell, m, a->cos_half, a->sin_half, a->cos_half <= -1);
    cell->has_skeleton = true;
    cell->s0 = abut_madd(p->o, cell->v0, p->z);
    cell->s1 = abut_madd(p->o, cell->v1, p->z);
    cell->offset = p->radius;
    cell->sample = abut_madd(abut_madd(p->o, 0.5 * (cell->v0 + cell->v1), p->z), p->radius, m);
}

/* In the frame of the generator at the middle: g along it, n normal to it, t across. A point at v
 * and the angle f from the middle is v (e^2 + k^2 cos f) along g, v k e (cos f - 1) along n and
 * v k sin f along t, with k = slope and e = rise. The normals there and at the middle make an angle
 * of cosine e^2 cos f + k^2. */
static void fit_cone(const abut_part *p, double slack, abut_cell *cell)
{
    const abut_arc_range *a = &cell->a;
    const double k = p->slope, e = p->rise;
    const abut_vec3 m = radial(p, a->c, a->s), t = radial(p, -a->s, a->c);
    const abut_vec3 g = abut_madd(abut_scale(k, m), e, p->z);
    const abut_vec3 n = abut_madd(abut_scale(e, m), -k, p->z);
    const abut_vec3 axis[3] = { t, g, n };
    const double least = e * e + k * k * a->cos_half;
    const double breadth_t = cell->v1 * k * breadth(a);
    const double lo[3] = { -breadth_t, (least < 0 ? cell->v1 : cell->v0) * least,
                           cell->v1 * k * e * (a->cos_half - 1) };
    const double hi[3] = { breadth_t, cell->v1, 0 };
    set_box(cell, p->o, axis, lo, hi, slack);
    const double c = e * e * a->cos_half + k * k;
    set_cone(p, cell, n, c, sqrt(abut_larger(0, (1 - c) * (1 + c))), c <= -1);
    cell->has_skeleton = false;
    const double v = 0.5 * (cell->v0 + cell->v1);
    cell->sample = abut_madd(p->o, v, g);
}

/* Sum of two half-angles; false where it reaches half a turn. */
static bool add_angles(const abut_arc_range *a, const abut_arc_range *b, double *c, double *s)
{
    *c = a->cos_half * b->cos_half - a->sin_half * b->sin_half;
    *s = a->sin_half * b->cos_half + a->cos_half * b->sin_half;
    return *s >= 0 && a->cos_half > -1 && b->cos_half > -1;
}

/* With n the normal and e the meridian's tangent at the middle (angle b), a point at the angle d
 * from b along the meridian and f from a around the axis is R m + r (cos d n + sin d e)
 * + q ((cos f - 1) m + sin f t), where q = R + r cos(b + d) is its distance from the axis. */
static void box_torus(const abut_part *p, const abut_arc_range *a, const abut_arc_range *b, double lo[3],
                      double hi[3])
{
    const double reach_c = b->c >= b->cos_half ? 1 : b->c * b->cos_half + fabs(b->s) * b->sin_half;
    const double q = abut_larger(0, p->major + p->radius * (b->cos_half <= -1 ? 1 : reach_c));
    const double back = q * (1 - a->cos_half);
    const double w = q * breadth(a), e = p->radius * breadth(b);
    lo[0] = -w;
    hi[0] = w;
    lo[1] = -p->major * b->s - e + abut_smaller(0, b->s * back);
    hi[1] = -p->major * b->s + e + abut_larger(0, b->s * back);
    lo[2] = p->major * b->c + p->radius * b->cos_half + abut_smaller(0, -b->c * back);
    hi[2] = p->major * b->c + p->radius + abut_larger(0, -b->c * back);
}

static void fit_torus(const abut_part *p, double slack, abut_cell *cell)
{
    const abut_arc_range *a = &cell->a, *b = &cell->b;
    const abut_vec3 m = radial(p, a->c, a->s), t = radial(p, -a->s, a->c);
    const abut_vec3 n = abut_madd(abut_scale(b->c, m), b->s, p->z);
    const abut_vec3 e = abut_madd(abut_scale(-b->s, m), b->c, p->z);
    const abut_vec3 axis[3] = { t, e, n };
    double lo[3], hi[3], c, s;
    box_torus(p, a, b, lo, hi);
    set_box(cell, p->o, axis, lo, hi, slack);
    const bool narrow = add_angles(a, b, &c, &s);
    set_cone(p, cell, n, c, s, !narrow);
    cell->has_skeleton = p->major == 0;
    cell->s0 = cell->s1 = p->o;
    cell->offset = p->radius;
    cell->sample = abut_madd(abut_madd(p->o, p->major, m), p->radius, n);
}

/* The box of the cell on the unit sphere, mapped: with n' along D^-1 n the images of the tangents
 * stay perpendicular to it, so that the box keeps its quadratic thickness. Normals: the map w ->
 * D^-1 w / |D^-1 w| of unit vectors stretches angles by at most the ratio of the radii. */
static void fit_ellipsoid(const abut_part *p, double slack, abut_cell *cell)
{
    const abut_arc_range *a = &cell->a, *b = &cell->b;
    const abut_part ball = { .radius = 1, .major = 0 };
    double lo[3], hi[3], c, s;
    box_torus(&ball, a, b, lo, hi);
    const abut_vec3 r = p->radii;
    const abut_vec3 f[3] = { { -a->s, a->c, 0 },
                             { -b->s * a->c, -b->s * a->s, b->c },
                             { b->c * a->c, b->c * a->s, b->s } };
    abut_vec3 g[3];
    for (int i = 0; i < 3; ++i)
        g[i] = abut_v3(f[i].x * r.x, f[i].y * r.y, f[i].z * r.z);
    const abut_vec3 n = abut_unit_or(abut_v3(f[2].x / r.x, f[2].y / r.y, f[2].z / r.z), abut_v3(0, 0, 1));
    const abut_vec3 t = abut_unit_or(g[0], any_normal(n)), e = abut_cross(n, t);
    const abut_vec3 local[3] = { t, e, n };
    double from[3] = { 0, 0, 0 }, to[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            const double d = abut_dot(local[k], g[i]), x = d * lo[i], y = d * hi[i];
            from[k] += abut_smaller(x, y);
            to[k] += abut_larger(x, y);
        }
    abut_vec3 axis[3];
    for (int i = 0; i < 3; ++i)
        axis[i] = abut_add(abut_add(abut_scale(local[i].x, p->x), abut_scale(local[i].y, p->y)),
                           abut_scale(local[i].z, p->z));
    set_box(cell, p->o, axis, from, to, slack);
    const double most = abut_larger(r.x, abut_larger(r.y, r.z)),
                 least = abut_smaller(r.x, abut_smaller(r.y, r.z)), ratio = most / least;
    bool narrow = add_angles(a, b, &c, &s);
    /* sin(k f) <= k sin f for k >= 1 and k f below a right angle. */
    const double sine = s * ratio;
    narrow = narrow && c > 0 && sine < 0.7;
    set_cone(p, cell, axis[2], narrow ? sqrt(1 - sine * sine) : -1, sine, !narrow);
    cell->has_skeleton = false;
    const abut_vec3 at = g[2];
    cell->sample =
        abut_add(abut_add(abut_madd(p->o, at.x, p->x), abut_scale(at.y, p->y)), abut_scale(at.z, p->z));
}

void abut_cell_fit(const abut_part *part, double slack, abut_cell *cell)
{
    cell->wide = true;
    cell->sampled = false;
    cell->split = false;
    cell->child[0] = cell->child[1] = NULL;
    cell->s0 = cell->s1 = part->o;
    cell->offset = 0;
    switch (part->kind) {
    case ABUT_CELL_POINT: {
        const abut_vec3 axis[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
        const double none[3] = { 0, 0, 0 };
        set_box(cell, part->o, axis, none, none, slack);
        cell->has_skeleton = true;
        cell->sample = part->o;
        break;
    }
    case ABUT_CELL_SEGMENT: fit_segment(part, slack, cell); break;
    case ABUT_CELL_ARC: fit_arc(part, slack, cell); break;
    case ABUT_CELL_ELLIPSE: fit_ellipse(part, slack, cell); break;
    case ABUT_CELL_CUBIC: fit_cubic(part, slack, cell); break;
    case ABUT_CELL_PLANE: fit_plane(part, slack, cell); break;
    case ABUT_CELL_TRIANGLE: fit_triangle(part, slack, cell); break;
    case ABUT_CELL_CYLINDER: fit_cylinder(part, slack, cell); break;
    case ABUT_CELL_CONE: fit_cone(part, slack, cell); break;
    case ABUT_CELL_TORUS: fit_torus(part, slack, cell); break;
    case ABUT_CELL_ELLIPSOID: fit_ellipsoid(part, slack, cell); break;
    case ABUT_CELL_RING:
    case ABUT_CELL_GRAPH: abut_quadric_fit(part, slack, cell); break;
    default: break;
    }
}

void abut_cell_root(const abut_part *part, uint32_t number, double slack, abut_cell *cell)
{
    cell->kind = part->kind;
    cell->part = number;
    cell->a = part->a;
    cell->b = part->b;
    cell->u0 = part->u0;
    cell->u1 = part->u1;
    cell->v0 = part->v0;
    cell->v1 = part->v1;
    cell->bulge = part->bulge;
    for (int i = 0; i < 3; ++i)
        cell->corner[i] = part->points[i];
    cell->state = part->trim ? ABUT_CELL_UNTESTED : ABUT_CELL_IN;
    abut_cell_fit(part, slack, cell);
}

/* Across the longest side; an arc counts for more, because its bend makes cells larger than the face. */
static void split_triangle(const abut_part *part, const abut_cell *cell, abut_cell halves[2])
{
    const abut_vec3 *t = cell->corner;
    int longest = 0;
    double most = -1;
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 d = abut_sub(t[(i + 1) % 3], t[i]);
        const double l = abut_dot(d, d) * (i == 0 && cell->bulge ? 4 : 1);
        if (l > most) {
            most = l;
            longest = i;
        }
    }
    const abut_vec3 a = t[longest], b = t[(longest + 1) % 3], c = t[(longest + 2) % 3];
    abut_vec3 m = abut_scale(0.5, abut_add(a, b));
    halves[0].bulge = halves[1].bulge = 0;
    if (longest == 0) {
        halves[0].bulge = halves[1].bulge = cell->bulge;
        if (cell->bulge) {
            const abut_vec3 o = part->points[3], d = abut_sub(m, o);
            m = abut_madd(o, part->radius / sqrt(abut_dot(d, d)), d);
        }
        halves[0].corner[0] = a;
        halves[0].corner[1] = m;
        halves[0].corner[2] = c;
        halves[1].corner[0] = m;
        halves[1].corner[1] = b;
        halves[1].corner[2] = c;
        return;
    }
    /* One half keeps the first side. */
    halves[0].bulge = cell->bulge;
    halves[0].corner[0] = t[0];
    halves[0].corner[1] = t[1];
    halves[0].corner[2] = m;
    halves[1].corner[0] = longest == 1 ? t[0] : m;
    halves[1].corner[1] = longest == 1 ? m : t[1];
    halves[1].corner[2] = t[2];
}

/* The largest cosine of the latitudes of a range. */
static double widest_parallel(const abut_arc_range *b)
{
    return b->c >= b->cos_half ? 1 : abut_larger(0, b->c * b->cos_half + fabs(b->s) * b->sin_half);
}

void abut_cell_split(const abut_part *part, const abut_cell *cell, abut_cell halves[2])
{
    halves[0].kind = halves[1].kind = cell->kind;
    halves[0].part = halves[1].part = cell->part;
    halves[0].state = halves[1].state = cell->state == ABUT_CELL_IN ? ABUT_CELL_IN : ABUT_CELL_UNTESTED;
    for (int i = 0; i < 2; ++i) {
        halves[i].a = cell->a;
        halves[i].b = cell->b;
        halves[i].u0 = cell->u0;
        halves[i].u1 = cell->u1;
        halves[i].v0 = cell->v0;
        halves[i].v1 = cell->v1;
        halves[i].bulge = 0;
    }
    if (part->kind == ABUT_CELL_TRIANGLE) {
        split_triangle(part, cell, halves);
        return;
    }
    const double u = 0.5 * (cell->u0 + cell->u1), v = 0.5 * (cell->v0 + cell->v1);
    bool along_v = false, along_b = false, along_u = false;
    switch (part->kind) {
    case ABUT_CELL_SEGMENT:
    case ABUT_CELL_CUBIC: along_v = true; break;
    case ABUT_CELL_PLANE:
        along_u = cell->u1 - cell->u0 > cell->v1 - cell->v0;
        along_v = !along_u;
        break;
    /* The bend counts for more than the straight: only it makes boxes thick and cones wide. */
    case ABUT_CELL_CYLINDER:
        along_v = cell->v1 - cell->v0 > 4 * part->radius * breadth(&cell->a) && cell->a.cos_half > 0;
        break;
    case ABUT_CELL_CONE:
        along_v =
            cell->v1 - cell->v0 > 4 * part->slope * cell->v1 * breadth(&cell->a) && cell->a.cos_half > 0;
        break;
    case ABUT_CELL_TORUS:
    case ABUT_CELL_ELLIPSOID: {
        const bool ring = part->kind == ABUT_CELL_TORUS;
        if (ring && part->major > 0) {
            const double q = part->major + part->radius * abut_larger(0, cell->b.c);
            along_b = (1 - cell->b.cos_half) * part->radius > (1 - cell->a.cos_half) * q;
            break;
        }
        /* By lengths: next to a pole parallels are short, and wedges are all about the same place. */
        const double r = ring ? part->radius : part->radii.z;
        const double q = ring ? part->radius : abut_larger(part->radii.x, part->radii.y);
        along_b = breadth(&cell->b) * r > breadth(&cell->a) * q * widest_parallel(&cell->b);
        break;
    }
    case ABUT_CELL_RING:
    case ABUT_CELL_GRAPH: {
        const int way = abut_quadric_split(part, cell);
        along_u = way == 2;
        along_v = way == 1;
        break;
    }
    default: break;
    }
    if (along_u)
        halves[0].u1 = halves[1].u0 = u;
    else if (along_v)
        halves[0].v1 = halves[1].v0 = v;
    else if (along_b) {
        halves[0].b = halve(cell->b, 0);
        halves[1].b = halve(cell->b, 1);
    } else {
        halves[0].a = halve(cell->a, 0);
        halves[1].a = halve(cell->a, 1);
    }
}

/* ---- nearest points ---- */

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* Nearest point of a triangle (Ericson 2005, 5.1.5). */
static abut_vec3 project_triangle(const abut_vec3 t[3], abut_vec3 p)
{
    const abut_vec3 ab = abut_sub(t[1], t[0]), ac = abut_sub(t[2], t[0]), ap = abut_sub(p, t[0]);
    const double d1 = abut_dot(ab, ap), d2 = abut_dot(ac, ap);
    if (d1 <= 0 && d2 <= 0)
        return t[0];
    const abut_vec3 bp = abut_sub(p, t[1]), cp = abut_sub(p, t[2]);
    const double d3 = abut_dot(ab, bp), d4 = abut_dot(ac, bp), d5 = abut_dot(ab, cp), d6 = abut_dot(ac, cp);
    if (d3 >= 0 && d4 <= d3)
        return t[1];
    if (d6 >= 0 && d5 <= d6)
        return t[2];
    const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
        return abut_madd(t[0], d1 > d3 ? d1 / (d1 - d3) : 0, ab);
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
        return abut_madd(t[0], d2 > d6 ? d2 / (d2 - d6) : 0, ac);
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        const double w = d4 - d3 + d5 - d6;
        return abut_madd(t[1], w > 0 ? (d4 - d3) / w : 0, abut_sub(t[2], t[1]));
    }
    const double sum = va + vb + vc;
    return abut_madd(abut_madd(t[0], vb / sum, ab), vc / sum, ac);
}

/* Nearest point of a triangle with an arc, nearly: of the chord's triangle, then beyond the chord, or out
 * of what the arc cuts off. */
static abut_vec3 project_curved(const abut_part *part, const abut_cell *cell, abut_vec3 p)
{
    const abut_vec3 *t = cell->corner, o = part->points[3];
    const abut_vec3 along = abut_sub(t[1], t[0]);
    abut_vec3 in = abut_cross(part->z, along);
    if (abut_dot(in, abut_sub(t[2], t[0])) < 0)
        in = abut_scale(-1, in);
    const double r = part->radius;
    if (cell->bulge < 0) {
        const abut_vec3 q = project_triangle(t, p), d = abut_sub(q, o);
        const double n = sqrt(abut_dot(d, d));
        /* between the chord and the arc */
        return n < r && n > 0 ? abut_madd(o, r / n, d) : q;
    }
    const abut_vec3 flat = abut_madd(p, -abut_dot(abut_sub(p, o), part->z), part->z);
    if (abut_dot(abut_sub(flat, t[0]), in) < 0) {
        const abut_vec3 d = abut_sub(flat, o);
        const double n = sqrt(abut_dot(d, d));
        const abut_vec3 q = n <= r ? flat : abut_madd(o, r / n, d);
        const abut_vec3 from = abut_sub(q, t[0]);
        const double s = abut_dot(from, along);
        if (abut_dot(from, in) <= 0 && s >= 0 && s <= abut_dot(along, along))
            return q;
    }
    return project_triangle(t, p);
}

abut_vec3 abut_cell_project(const abut_part *part, const abut_cell *cell, abut_vec3 p)
{
    const abut_vec3 d = abut_sub(p, part->o);
    double x = abut_dot(d, part->x), y = abut_dot(d, part->y);
    const double z = abut_dot(d, part->z);
    switch (part->kind) {
    case ABUT_CELL_SEGMENT: return abut_madd(part->o, clamp(z, cell->v0, cell->v1), part->z);
    case ABUT_CELL_TRIANGLE:
        return cell->bulge ? project_curved(part, cell, p) : project_triangle(cell->corner, p);
    case ABUT_CELL_PLANE:
        return abut_add(abut_madd(part->o, clamp(x, cell->u0, cell->u1), part->x),
                        abut_scale(clamp(y, cell->v0, cell->v1), part->y));
    case ABUT_CELL_ARC:
        clamp_direction(&cell->a, &x, &y);
        return abut_madd(part->o, part->radius, radial(part, x, y));
    case ABUT_CELL_CYLINDER:
        clamp_direction(&cell->a, &x, &y);
        return abut_madd(abut_madd(part->o, clamp(z, cell->v0, cell->v1), part->z), part->radius,
                         radial(part, x, y));
    case ABUT_CELL_CONE: {
        double c = x, s = y;
        clamp_direction(&cell->a, &c, &s);
        const double v = clamp(part->rise * z + part->slope * (x * c + y * s), cell->v0, cell->v1);
        x = c;
        y = s;
        return abut_madd(abut_madd(part->o, v * part->rise, part->z), v * part->slope, radial(part, x, y));
    }
    case ABUT_CELL_TORUS: {
        double c = x, s = y, h = z;
        clamp_direction(&cell->a, &c, &s);
        double q = x * c + y * s - part->major;
        clamp_direction(&cell->b, &q, &h);
        x = c;
        y = s;
        return abut_madd(abut_madd(part->o, part->major + part->radius * q, radial(part, x, y)),
                         part->radius * h, part->z);
    }
    case ABUT_CELL_ELLIPSOID: {
        /* The direction of the foot, good enough for samples: one step of scaling. */
        const abut_vec3 r = part->radii;
        double c = x / r.x, s = y / r.y;
        double q = sqrt(c * c + s * s), h = z / r.z;
        clamp_direction(&cell->a, &c, &s);
        clamp_direction(&cell->b, &q, &h);
        return abut_add(abut_add(abut_madd(part->o, r.x * q * c, part->x), abut_scale(r.y * q * s, part->y)),
                        abut_scale(r.z * h, part->z));
    }
    case ABUT_CELL_ELLIPSE: {
        /* Seen in the plane where it is a circle: right to first order. */
        const abut_vec3 n = abut_cross(part->x, part->y);
        const double det = abut_dot(n, n);
        x = abut_dot(abut_cross(d, part->y), n) / det;
        y = abut_dot(abut_cross(part->x, d), n) / det;
        clamp_direction(&cell->a, &x, &y);
        return abut_add(part->o, radial(part, x, y));
    }
    case ABUT_CELL_CUBIC: {
        /* A few points of the piece: samples need no more. */
        const double v0 = cell->v0, v1 = cell->v1;
        abut_vec3 q[4], best = cell->sample;
        double least = INFINITY;
        for (int i = 0; i <= 4; ++i) {
            cubic_piece(part->points, 0, v0 + 0.25 * i * (v1 - v0), q);
            const abut_vec3 w = abut_sub(q[3], p);
            if (abut_dot(w, w) < least) {
                least = abut_dot(w, w);
                best = q[3];
            }
        }
        return best;
    }
    case ABUT_CELL_RING:
    case ABUT_CELL_GRAPH: return abut_quadric_project(part, cell, p);
    default: return cell->sample;
    }
}

abut_vec3 abut_part_normal(const abut_part *part, abut_vec3 p)
{
    const abut_vec3 d = abut_sub(p, part->o);
    const double x = abut_dot(d, part->x), y = abut_dot(d, part->y), z = abut_dot(d, part->z);
    abut_vec3 n = part->z;
    switch (part->kind) {
    case ABUT_CELL_CYLINDER: n = radial(part, x, y); break;
    case ABUT_CELL_CONE: {
        const double q = sqrt(x * x + y * y), f = q > 0 ? part->rise / q : 0;
        n = abut_madd(radial(part, x * f, y * f), -part->slope, part->z);
        break;
    }
    case ABUT_CELL_TORUS: {
        const double q = sqrt(x * x + y * y), f = q > 0 ? (q - part->major) / q : 0;
        n = abut_madd(radial(part, x * f, y * f), z, part->z);
        break;
    }
    case ABUT_CELL_ELLIPSOID: {
        const abut_vec3 r = part->radii;
        n = abut_madd(radial(part, x / (r.x * r.x), y / (r.y * r.y)), z / (r.z * r.z), part->z);
        break;
    }
    case ABUT_CELL_RING:
    case ABUT_CELL_GRAPH: abut_quadric_value(part, p, &n); break;
    default: break;
    }
    return abut_scale(part->sense, abut_unit_or(n, part->z));
}

double abut_part_offset(const abut_part *part, abut_vec3 p)
{
    const abut_vec3 d = abut_sub(p, part->o);
    const double x = abut_dot(d, part->x), y = abut_dot(d, part->y), z = abut_dot(d, part->z);
    const double q = sqrt(x * x + y * y);
    double f = 0;
    switch (part->kind) {
    case ABUT_CELL_PLANE:
    case ABUT_CELL_TRIANGLE: f = z; break;
    case ABUT_CELL_CYLINDER: f = q - part->radius; break;
    case ABUT_CELL_CONE: f = q * part->rise - part->slope * z; break;
    case ABUT_CELL_TORUS: f = sqrt((q - part->major) * (q - part->major) + z * z) - part->radius; break;
    case ABUT_CELL_ELLIPSOID: {
        const abut_vec3 r = part->radii;
        const double least = abut_smaller(r.x, abut_smaller(r.y, r.z));
        f = (sqrt(x * x / (r.x * r.x) + y * y / (r.y * r.y) + z * z / (r.z * r.z)) - 1) * least;
        break;
    }
    case ABUT_CELL_RING:
    case ABUT_CELL_GRAPH: {
        abut_vec3 gradient;
        f = abut_quadric_value(part, p, &gradient) / abut_larger(abut_length(gradient), 0x1p-1000);
        break;
    }
    default: break;
    }
    return part->sense * f;
}

void abut_part_place(const abut_part *part, const abut_affine *map, abut_part *out)
{
    *out = *part;
    out->o = abut_affine_apply(map, part->o);
    out->x = abut_mul(&map->linear, part->x);
    out->y = abut_mul(&map->linear, part->y);
    out->z = abut_mul(&map->linear, part->z);
    if (part->kind == ABUT_CELL_CUBIC || part->kind == ABUT_CELL_TRIANGLE)
        for (int i = 0; i < 4; ++i)
            out->points[i] = abut_affine_apply(map, part->points[i]);
}

/* ---- support ---- */

/* Largest value of x cos f + y sin f in the range. */
static double arc_most(const abut_arc_range *r, double x, double y)
{
    const double w = sqrt(x * x + y * y), along = x * r->c + y * r->s;
    if (r->cos_half <= -1 || along >= r->cos_half * w)
        return w;
    return along * r->cos_half + fabs(y * r->c - x * r->s) * r->sin_half;
}

static double box_support(const abut_cell *c, abut_vec3 u)
{
    return abut_dot(c->center, u) + fabs(abut_dot(c->axis[0], u)) * c->half[0] +
           fabs(abut_dot(c->axis[1], u)) * c->half[1] + fabs(abut_dot(c->axis[2], u)) * c->half[2];
}

double abut_cell_support(const abut_part *p, const abut_cell *c, abut_vec3 u, double slack)
{
    const double x = abut_dot(u, p->x), y = abut_dot(u, p->y), z = abut_dot(u, p->z);
    switch (p->kind) {
    case ABUT_CELL_ARC: return abut_dot(u, p->o) + p->radius * arc_most(&c->a, x, y) + p->major + slack;
    case ABUT_CELL_CYLINDER:
        return abut_dot(u, p->o) + p->radius * arc_most(&c->a, x, y) + abut_larger(c->v0 * z, c->v1 * z) +
               slack;
    case ABUT_CELL_CONE: {
        const double along = p->slope * arc_most(&c->a, x, y) + p->rise * z;
        return abut_dot(u, p->o) + abut_larger(c->v0 * along, c->v1 * along) + slack;
    }
    case ABUT_CELL_TORUS: {
        /* The distance from the axis is never negative, so the best angle around it is the same for
         * all of the meridian. */
        const double around = arc_most(&c->a, x, y);
        return abut_dot(u, p->o) + p->major * around + p->radius * arc_most(&c->b, around, z) + slack;
    }
    case ABUT_CELL_TRIANGLE: {
        double most = abut_larger(abut_dot(u, c->corner[0]),
                                  abut_larger(abut_dot(u, c->corner[1]), abut_dot(u, c->corner[2])));
        /* With an arc beyond the chord, its whole circle where the direction points that way. */
        if (c->bulge > 0) {
            const double w = sqrt(abut_larger(0, (1 - z) * (1 + z)));
            most =
                abut_larger(most, abut_smaller(abut_dot(u, p->points[3]) + p->radius * w, box_support(c, u)));
        }
        return most + slack;
    }
    case ABUT_CELL_ELLIPSOID: {
        const double a = p->radii.x * x, b = p->radii.y * y, d = p->radii.z * z;
        return abut_smaller(box_support(c, u), abut_dot(u, p->o) + sqrt(a * a + b * b + d * d) + slack);
    }
    default: return box_support(c, u);
    }
}
