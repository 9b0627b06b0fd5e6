/* SPDX-License-Identifier: MIT */
/* Cylinders and cones that translate: from the plane through which they meet to times that are
 * proved; see cast_cylinders.h.
 *
 * The plane proves them apart before: n . (t + s v) - S_a - S_b, with S = mean F + |diff| / 2, F =
 * |n x axis|, A = n . axis, diff = 2 h A - apex F. A point that is equally deep below all the faces
 * that meet at the points of contact (abut_cylinders_find_common) proves the overlap after. All in
 * the frame of the cast, whatever that is: only the axes of the bodies count, not how they are
 * turned about them.
 *
 * A length of n that is off by 2^-21 changes nothing but the errors of the cast in comparison, and
 * an axis that is off by e the bodies by e size, and e^2 size: 2^-20 of those errors more have room
 * for that. u = 2^-53. A is off by 3, F by 2 sqrt(2) for the products and 2.5 for the root of the
 * sum: 5.4. S of a cylinder by (5.4 + 1) r + (3 + 1) h and its sum: 7.4 r + 5 h <= 9 size; of a
 * cone by 3.2 r, (8 h + 6.4 r + 2 h + r) / 2 for diff and its sum: 7.9 r + 6 h <= 10 size. n . t by
 * 3 |t|, and the sums of the gap by 3 of all. Together 6 |t| + 13 sizes; abut_linear_cast_begin has
 * 4, 12 more are added here.
 *
 * A point's A and F are off by as much of its distance from the centre, at most its size: 16 u
 * have room for |A|, F, and r (h - A) - 2 h F over the slant, which is off by 9.8. */
#include "ccd/cast/cast_cylinders.h"

static const double u = 0x1p-53;

enum { MOST_PROOFS = 5 };

static const double room = 1 + 0x1p-20;

void abut_cylinders_set_errors(abut_cylinders_climber *k)
{
    const abut_linear_cast *c = k->c;
    k->error = room * c->error + 12 * u * (c->far + c->pair.a->size + c->pair.b->size);
    k->slip = room * c->slip;
}

/* A lower bound of the gap along n, of about unit length. */
static inline void bound_gap(const abut_cylinders_climber *k, abut_vec3 n, abut_linear_cast_line *out)
{
    const both bx = k->own_x, by = k->own_y, bz = k->own_z;
    const both x = n.y * bz - n.z * by, y = n.z * bx - n.x * bz, z = n.x * by - n.y * bx;
    const both along = n.x * bx + n.y * by + n.z * bz, flat = roots(x * x + y * y + z * z);
    const both diff = k->h2 * along - k->apex * flat;
    out->value = abut_dot(n, k->c->pair.t) - sum(k->mean * flat + 0.5 * sizes_of(diff)) - k->error;
    out->slope = abut_dot(n, k->c->v) - k->slip;
}

bool abut_cylinders_parts(const abut_cylinders_climber *k, abut_vec3 n)
{
    const double most = k->c->most * (1 + 4 * u);
    abut_linear_cast_line line;
    bound_gap(k, abut_cylinders_out_of(k, abut_scale(1 / sqrt(abut_dot(n, n)), n)), &line);
    return abut_linear_cast_clear(&line, most) >= most;
}

/* Certified: the ball about p with that radius lies in both cores, b's as far on as `since`. */
static inline bool hold(const abut_cylinders_climber *k, abut_vec3 p, double since, double radius)
{
    const abut_linear_cast *c = k->c;
    const abut_vec3 q = abut_sub(abut_madd(c->pair.t, since, c->v), p);
    const both px = { p.x, q.x }, py = { p.y, q.y }, pz = { p.z, q.z };
    const both bx = k->own_x, by = k->own_y, bz = k->own_z;
    const both x = py * bz - pz * by, y = pz * bx - px * bz, z = px * by - py * bx;
    const both along = px * bx + py * by + pz * bz, flat = roots(x * x + y * y + z * z);
    bool inside = true;
    for (int i = 0; i < 2; ++i) {
        const abut_core *core = i ? c->pair.b : c->pair.a;
        const double margin = radius + 16 * u * core->size, r = core->h[0], h = core->h[2];
        if (core->kind == ABUT_CORE_CYLINDER)
            inside &= (fabs(along[i]) + margin < h) & (flat[i] + margin < r);
        else
            inside &= (along[i] - margin > -h) &
                      (r * (h - along[i]) - 2 * h * flat[i] > margin * sqrt(r * r + 4 * h * h));
    }
    return inside;
}

/* What lies on the plane, as linear_cast.c counts it: 1 for a point of a rim or an apex, 2 for a line,
 * 3 for a cap. */
static int level_count(const abut_cylinders_body *b, const abut_cylinders_view *v, double sigma)
{
    const double level = 0x1p-29 * (b->r + b->h);
    if (b->r * v->flat < level && !(b->apex > 0 && sigma > 0))
        return 3;
    return fabs(v->diff) < level ? 2 : 1;
}

/* They may touch in more than a point: not where one has a point only, nor where lines cross. */
static bool is_several(const abut_cylinders_climber *k, const abut_cylinders_meeting *m)
{
    const int a = level_count(&k->body[0], &m->view[0], m->sigma[0]),
              b = level_count(&k->body[1], &m->view[1], m->sigma[1]);
    if (a != 2 || b != 2)
        return a > 1 && b > 1;
    abut_vec3 line[2];
    for (int i = 0; i < 2; ++i)
        line[i] = abut_madd(abut_scale(2 * k->body[i].h, k->body[i].axis), -k->body[i].apex, m->view[i].u);
    const abut_vec3 across = abut_cross(line[0], line[1]);
    return !(abut_dot(across, across) > 0x1p-40 * (abut_dot(line[0], line[0]) * abut_dot(line[1], line[1])));
}

/* A side or slant, a cap, or an end of them: the apex of a cone, or a rim. */
static abut_feature feature_of(const abut_cylinders_climber *k, const abut_cylinders_meeting *m, int i)
{
    if (m->cap == i || fabs(m->sigma[i]) < 1)
        return ABUT_FEATURE_FACE;
    if (k->body[i].apex > 0 && m->sigma[i] > 0)
        return ABUT_FEATURE_VERTEX;
    return m->view[i].flat < 1e-6 ? ABUT_FEATURE_FACE : ABUT_FEATURE_EDGE; /* seen along the axis */
}

abut_linear_cast_end abut_cylinders_prove(const abut_cylinders_climber *k, const abut_cylinders_meeting *m,
                                          abut_linear_cast_hit *out)
{
    const abut_linear_cast *c = k->c;
    const double most = c->most * (1 + 4 * u);
    abut_linear_cast_line line;
    const abut_vec3 n = abut_cylinders_out_of(k, m->n);
    bound_gap(k, n, &line);
    const double clear = abut_linear_cast_clear(&line, most), square = abut_dot(n, n);
    if (!(fabs(square - 1) < 0x1p-21))
        return ABUT_SLIDE_UNSURE;
    if (clear >= most)
        return ABUT_SLIDE_MISS;
    if (!(clear > 0) || !(line.slope < 0) || !abut_linear_cast_time_before(c->lo, clear, &out->time.lo))
        return ABUT_SLIDE_UNSURE;
    abut_cylinders_common where;
    abut_cylinders_find_common(k->body, m->view, m->sigma, m->cap, m->n, &where);
    /* Of the gap at `clear` no more is left than twice its error. */
    const double margin = room * c->error + 16 * u * (c->pair.a->size + c->pair.b->size),
                 per_slope = -1 / line.slope;
    double deep = 2 * k->error + 1.125 * where.needed * margin;
    for (int i = 0; i < MOST_PROOFS; ++i, deep *= 3) {
        const double s = clear + (deep + clear * k->slip * (2 + where.needed)) * per_slope;
        out->time.hi = c->lo + s;
        if (!(out->time.hi < c->hi))
            return ABUT_SLIDE_UNSURE;
        const double since = out->time.hi - c->lo; /* off by u of itself, which `slip` has */
        const abut_vec3 there = abut_v3(m->y.x, m->y.y, m->y.z - since * c->speed);
        const abut_vec3 p = abut_cylinders_out_of(k, abut_cylinders_place_common(&where, m->n, m->x, there));
        if (hold(k, p, since, room * c->error + since * k->slip)) {
            out->s = clear;
            out->n = abut_scale(1.5 - 0.5 * square, n); /* of unit length to its square */
            out->x = abut_cylinders_out_of(k, m->x);
            out->features[0] = feature_of(k, m, 0);
            out->features[1] = feature_of(k, m, 1);
            out->several = is_several(k, m);
            return ABUT_SLIDE_HIT;
        }
    }
    return ABUT_SLIDE_UNSURE;
}
