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
        return fmax(d - p->r - q->r, fmax(p->r - d - q->r, q->r - d - p->r));
    }
    if (p->arc != q->arc) {
        const meridian *a = p->arc ? p : q, *s = p->arc ? q : p;
        const double near = segment_point(s, a->cx, a->cy);
        const double far = fmax(hypot(s->x0 - a->cx, s->y0 - a->cy), hypot(s->x1 - a->cx, s->y1 - a->cy));
        return fmax(near - a->r, a->r - far);
    }
    const double a = side_of(p, q->x0, q->y0), b = side_of(p, q->x1, q->y1), c = side_of(q, p->x0, p->y0),
                 d = side_of(q, p->x1, p->y1);
    if (((a <= 0 && b >= 0) || (a >= 0 && b <= 0)) && ((c <= 0 && d >= 0) || (c >= 0 && d <= 0)) &&
        (a != b || c != d))
        return 0;
    return fmin(fmin(segment_point(p, q->x0, q->y0), segment_point(p, q->x1, q->y1)),
                fmin(segment_point(q, p->x0, p->y0), segment_point(q, p->x1, p->y1)));
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
    const double low = n.arc ? -n.r * arc_reach(&q->b, -q->b.s, fabs(q->b.c)) : fmin(n.y0, n.y1),
                 high = n.arc ? n.r * arc_reach(&q->b, q->b.s, fabs(q->b.c)) : fmax(n.y0, n.y1);
    const double most = n.arc ? n.cx + n.r * arc_reach(&q->b, q->b.c, fabs(q->b.s)) : fmax(n.x0, n.x1),
                 half = 0.5 * (high - low), mid = 0.5 * (high + low);
    /* The point of q's axis at the middle height, from p's axis. */
    const abut_vec3 at = abut_madd(abut_sub(pq->o, pp->o), mid, pq->z);
    const double height = abut_dot(at, pp->z);
    const abut_vec3 off = abut_madd(at, -height, pp->z);
    const double away = sqrt(abut_dot(off, off)), reach = away + half * tilt;
    const double least = n.arc ? n.cx - n.r * arc_reach(&q->b, -q->b.c, fabs(q->b.s)) : fmin(n.x0, n.x1);
    /* The direction at the middle of the cell, and the shifts there. */
    const abut_vec3 w = abut_add(abut_scale(q->a.c, pq->x), abut_scale(q->a.s, pq->y));
    const abut_vec3 t = abut_add(abut_scale(-q->a.s, pq->x), abut_scale(q->a.c, pq->y));
    const double cos_half = q->a.cos_half, sin_half = cos_half > 0 ? q->a.sin_half : 1;
    const double om = abut_dot(off, w), ot = abut_dot(off, t), zm = abut_dot(pp->z, w),
                 zt = abut_dot(pp->z, t);
    /* u from p's axis to the point of q's axis, v on to the point: |u + v| is between |v| + u.v / |v|
     * and that plus |u|^2 / (2 |v|). */
    double shift = 0, error = reach;
    if (least > 2 * reach) {
        const double turned = fabs(om) * (1 - cos_half) + fabs(ot) * sin_half;
        shift = turned < away ? om : 0;
        error = fmin(turned, away) + half * tilt + 1.05 * reach * reach / (2 * (least - reach));
    }
    error += 0.54 * tilt2 * (most + half + reach);
    /* Heights: r times z.w, which varies with the distance r from q's axis and with the angle. */
    const double middle = 0.5 * (most + fmax(least, 0)), spread = most - middle;
    const double wave = fabs(zm) * (1 - cos_half) + fabs(zt) * sin_half;
    const double lift = wave < tilt ? middle * zm : 0;
    error += wave < tilt ? spread * fabs(zm) + most * wave : most * tilt;
    /* q's meridian as seen along p's axis: mirrored where the axes are opposite. */
    const double base = height - turn * mid + lift;
    if (n.arc) {
        n.cx += shift;
        n.cy = base;
    } else {
        n.x0 += shift;
        n.x1 += shift;
        n.y0 = base + turn * n.y0;
        n.y1 = base + turn * n.y1;
    }
    return plane_distance(&m, &n) - error;
}
