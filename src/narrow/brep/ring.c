/* SPDX-License-Identifier: MIT */
/* Bounds for faces and edges of revolution about axes that are nearly the same: a bolt in its hole, a
 * ball in its race, a seat and its cone.
 *
 * The map of a point to its distance r from an axis and its height z along it lengthens no distance:
 * |(r, z)(x) - (r, z)(y)| <= |x - y|. So two cells are at least as far apart as their
 * images in the half-plane of the first one's axis. The first is its meridian there: a point,
 * segment or arc. The second is its own meridian, moved by the offset and the tilt of its axis as
 * seen at the middle of the cell, up to an error that is small where the axes are near to each
 * other (derived in docs/notes/cad-solids.md): plane distances of meridians bound those in space,
 * exactly where the axes are one. */
#include "math/vec3.h"
#include "narrow/brep/brep.h"

typedef struct meridian {
    bool arc;
    double x0, y0, x1, y1; /* a segment; its ends are equal for a point */
    double cx, cy, r;      /* a circle that holds the arc */
} meridian;

static bool is_round(abut_cell_kind kind)
{
    return kind == ABUT_CELL_ARC || kind == ABUT_CELL_CYLINDER || kind == ABUT_CELL_CONE ||
           kind == ABUT_CELL_TORUS;
}

/* In the half-plane of the part's own axis. */
static meridian own_meridian(const abut_part *p, const abut_cell *c)
{
    meridian m = { 0 };
    switch (p->kind) {
    case ABUT_CELL_ARC: m.x0 = m.x1 = p->radius; break;
    case ABUT_CELL_CYLINDER:
        m.x0 = m.x1 = p->radius;
        m.y0 = c->v0;
        m.y1 = c->v1;
        break;
    case ABUT_CELL_CONE:
        m.x0 = c->v0 * p->slope;
        m.y0 = c->v0 * p->rise;
        m.x1 = c->v1 * p->slope;
        m.y1 = c->v1 * p->rise;
        break;
    default:
        m.arc = true;
        m.cx = p->major;
        m.r = p->radius;
        break;
    }
    return m;
}

static double segment_point(const meridian *s, double x, double y)
{
    const double dx = s->x1 - s->x0, dy = s->y1 - s->y0, l = dx * dx + dy * dy;
    double t = l > 0 ? ((x - s->x0) * dx + (y - s->y0) * dy) / l : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    const double ex = s->x0 + t * dx - x, ey = s->y0 + t * dy - y;
    return sqrt(ex * ex + ey * ey);
}

static double side_of(const meridian *s, double x, double y)
{
    return (s->x1 - s->x0) * (y - s->y0) - (s->y1 - s->y0) * (x - s->x0);
}

static double plane_distance(const meridian *p, const meridian *q)
{
    if (p->arc && q->arc) {
        const double d = hypot(q->cx - p->cx, q->cy - p->cy);
        return abut_larger(d - p->r - q->r, abut_larger(p->r - d - q->r, q->r - d - p->r));
    }
    if (p->arc != q->arc) {
        const meridian *a = p->arc ? p : q, *s = p->arc ? q : p;
        const double near = segment_point(s, a->cx, a->cy);
        const double far =
            abut_larger(hypot(s->x0 - a->cx, s->y0 - a->cy), hypot(s->x1 - a->cx, s->y1 - a->cy));
        return abut_larger(near - a->r, a->r - far);
    }
    const double a = side_of(p, q->x0, q->y0), b = side_of(p, q->x1, q->y1), c = side_of(q, p->x0, p->y0),
                 d = side_of(q, p->x1, p->y1);
    if (((a <= 0 && b >= 0) || (a >= 0 && b <= 0)) && ((c <= 0 && d >= 0) || (c >= 0 && d <= 0)) &&
        (a != b || c != d))
        return 0;
    return abut_smaller(abut_smaller(segment_point(p, q->x0, q->y0), segment_point(p, q->x1, q->y1)),
                        abut_smaller(segment_point(q, p->x0, p->y0), segment_point(q, p->x1, p->y1)));
}

/* Largest part of the directions of a range along an axis, whose cosine and sine from the middle are
 * given. */
static double arc_reach(const abut_arc_range *r, double along, double across)
{
    return along >= r->cos_half ? 1 : along * r->cos_half + across * r->sin_half;
}

double abut_brep_ring_bound(const abut_part *pp, const abut_cell *p, const abut_part *pq, const abut_cell *q)
{
    if (!is_round(p->kind) || !is_round(q->kind))
        return -INFINITY;
    const double tilt_cos = abut_dot(pp->z, pq->z), turn = tilt_cos < 0 ? -1 : 1;
    const abut_vec3 sine = abut_cross(pp->z, pq->z);
    const double tilt2 = abut_dot(sine, sine), tilt = sqrt(tilt2);
    if (tilt > 0.3)
        return -INFINITY;
    const meridian m = own_meridian(pp, p);
    meridian n = own_meridian(pq, q);
    /* Heights of q's points along its own axis, and how far they are from it at most. */
    const double low = n.arc ? -n.r * arc_reach(&q->b, -q->b.s, fabs(q->b.c)) : abut_smaller(n.y0, n.y1),
                 high = n.arc ? n.r * arc_reach(&q->b, q->b.s, fabs(q->b.c)) : abut_larger(n.y0, n.y1);
    const double most = n.arc ? n.cx + n.r * arc_reach(&q->b, q->b.c, fabs(q->b.s)) : abut_larger(n.x0, n.x1),
                 half = 0.5 * (high - low), mid = 0.5 * (high + low);
    /* The point of q's axis at the middle height, from p's axis. */
    const abut_vec3 at = abut_madd(abut_sub(pq->o, pp->o), mid, pq->z);
    const double height = abut_dot(at, pp->z);
    const abut_vec3 off = abut_madd(at, -height, pp->z);
    const double away = sqrt(abut_dot(off, off)), reach = away + half * tilt;
    const double least =
        n.arc ? n.cx - n.r * arc_reach(&q->b, -q->b.c, fabs(q->b.s)) : abut_smaller(n.x0, n.x1);
    /* The direction at the middle of the cell, and the shifts there. */
    const abut_vec3 w = abut_add(abut_scale(q->a.c, pq->x), abut_scale(q->a.s, pq->y));
    const abut_vec3 t = abut_add(abut_scale(-q->a.s, pq->x), abut_scale(q->a.c, pq->y));
    const double cos_half = q->a.cos_half, sin_half = cos_half > 0 ? q->a.sin_half : 1;
    const double om = abut_dot(off, w), ot = abut_dot(off, t), zm = abut_dot(pp->z, w),
                 zt = abut_dot(pp->z, t);
    /* u from p's axis to the point of q's axis, v on to the point: |u + v| is between |v| + u.v / |v|
     * and that plus |u|^2 / (2 |v|); and within |u| of |v|. */
    double shift = 0, error = reach;
    const double turned = fabs(om) * (1 - cos_half) + fabs(ot) * sin_half;
    if (least > 2 * reach && turned < away) {
        shift = om;
        error = abut_smaller(reach, turned + half * tilt + 1.05 * reach * reach / (2 * (least - reach)));
        /* `reach` bounds the change from |v|, not from |v| + om. */
        if (error == reach)
            shift = 0;
    }
    error += 0.54 * tilt2 * (most + half + reach);
    /* Heights: r times z.w, which varies with the distance r from q's axis and with the angle. */
    const double middle = 0.5 * (most + abut_larger(least, 0)), spread = most - middle;
    const double wave = fabs(zm) * (1 - cos_half) + fabs(zt) * sin_half;
    const double lift = wave < tilt ? middle * zm : 0;
    const double rise = wave < tilt ? spread * fabs(zm) + most * wave : most * tilt;
    /* q's meridian as seen along p's axis: mirrored where the axes are opposite. */
    const double base = height - turn * mid + lift;
    if (n.arc) {
        n.cx += shift;
        n.cy = base;
        return plane_distance(&m, &n) - error - rise;
    }
    n.x0 += shift;
    n.x1 += shift;
    n.y0 = base + turn * n.y0;
    n.y1 = base + turn * n.y1;
    if (n.x0 != n.x1)
        return plane_distance(&m, &n) - error - rise;
    /* Along the axis heights may be off by `rise`, which makes it that much longer. */
    const double top = abut_larger(n.y0, n.y1) + rise, bottom = abut_smaller(n.y0, n.y1) - rise;
    n.y0 = bottom;
    n.y1 = top;
    return plane_distance(&m, &n) - error;
}

/* Where the axes are off each other by u the gap is smallest along u: there a search by projections would
 * creep along the faces, which are nearly parallel. */
int abut_brep_ring_seeds(const abut_part *pp, const abut_cell *p, const abut_part *pq, const abut_cell *q,
                         abut_vec3 seeds[2])
{
    if ((p->kind != ABUT_CELL_CYLINDER && p->kind != ABUT_CELL_ARC) ||
        (q->kind != ABUT_CELL_CYLINDER && q->kind != ABUT_CELL_ARC) || p->a.cos_half > 0 || q->a.cos_half > 0)
        return 0;
    const abut_vec3 sine = abut_cross(pp->z, pq->z);
    if (abut_dot(sine, sine) > 0.09)
        return 0;
    int count = 0;
    for (int i = 0; i < (q->kind == ABUT_CELL_ARC ? 1 : 2); ++i) {
        const abut_vec3 c = q->kind == ABUT_CELL_ARC ? pq->o : abut_madd(pq->o, i ? q->v1 : q->v0, pq->z);
        const abut_vec3 d = abut_sub(c, pp->o);
        abut_vec3 u = abut_madd(d, -abut_dot(d, pp->z), pp->z);
        u = abut_madd(u, -abut_dot(u, pq->z), pq->z);
        const double away = sqrt(abut_dot(u, u));
        if (!(away > 0) || away > abut_larger(pp->radius, pq->radius))
            continue;
        seeds[count++] = abut_madd(c, (pq->radius > pp->radius ? -1 : 1) * pq->radius / away, u);
    }
    return count;
}

/* Points of a plane that is nearly across the axis are at least as far from a round face as from the point
 * where the axis meets the plane, less the face's radius. A cell of a triangle is inside of the triangle of
 * its corners unless its arc is beyond the chord; with the arc short of it, it is outside of the arc's
 * circle. */
double abut_brep_ring_plane_bound(const abut_part *pp, const abut_cell *p, const abut_part *pq,
                                  const abut_cell *q)
{
    if ((p->kind != ABUT_CELL_CYLINDER && p->kind != ABUT_CELL_ARC && p->kind != ABUT_CELL_CONE) ||
        q->kind != ABUT_CELL_TRIANGLE || q->bulge > 0)
        return -INFINITY;
    const double along = abut_dot(pp->z, pq->z);
    if (fabs(along) < 0.9)
        return -INFINITY;
    const double most = p->kind == ABUT_CELL_CONE ? p->v1 * pp->slope : pp->radius + fabs(pp->major);
    const abut_vec3 at = abut_madd(pp->o, abut_dot(abut_sub(q->corner[0], pp->o), pq->z) / along, pp->z);
    double away = 0;
    if (pq->bulge < 0)
        away = pq->radius - abut_length(abut_sub(at, pq->points[3]));
    abut_cell flat = *q;
    flat.bulge = 0;
    away = abut_larger(away, abut_length(abut_sub(abut_cell_project(pq, &flat, at), at)));
    return away * fabs(along) - most;
}
