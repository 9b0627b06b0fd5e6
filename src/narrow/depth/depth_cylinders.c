/* SPDX-License-Identifier: MIT */
/* The depth of cylinders and cones: go down to the least depth first, then prove that no direction
 * is shallower (depth_point.h, depth_grid.c, depth_disc.c).
 *
 * In the outward sense of depth.c, f(v) = max over K of v . w. Many least depths need no search:
 * along an axis, where the other's point is over the cap; and across both sides or slants, where
 * these cross. Others are found by abut_cylinders_depth, and curvature proves them to be least
 * nearby (depth_cap.c). */
#include "narrow/depth/depth_disc.h"
#include "narrow/depth/depth_point.h"
#include "narrow/distance/refine.h"

/* No descent is begun after so many evaluations, no proof; and of proofs what each may take, of
 * the grid in lines. */
enum {
    MOST_ROUNDS = 4,
    MOST_DESCENTS = 40,
    MOST_BEFORE = 80,
    MOST_LINES = 64,
    MOST_EVALUATIONS = 32,
    MOST_BARE = 16
};

/* Of the size: what is not deeper is left to the solvers that tell touching bodies from others. */
static const double shallow = 0x1p-16;
/* What is deeper is mostly proved over a grid without a cap. */
static const double deep = 0x1p-4;

/* A direction with what is known about it. */
typedef struct valley {
    abut_vec3 u;
    double f;
    bool steep; /* a least one, and f is steep about it: the cap is known, or not needed */
    bool held;  /* the witnesses are in their bodies */
    bool capped;
    double lo; /* certified along -u, or -infinity */
    abut_depth_cap cap;
} valley;

static void set_valley(valley *v, abut_vec3 u, double f, double lo)
{
    v->u = u;
    v->f = f;
    v->lo = lo;
    v->steep = v->held = v->capped = false;
}

/* Both kinks: the lines of both bodies are in the plane. */
static bool find_crossing(const abut_disc *d, const abut_convex_pair *pair, valley *out)
{
    const abut_cylinders_body *a = &d->body[0], *b = &d->body[1];
    if (!(d->s > 0x1p-4))
        return false;
    const double x = d->kink[0], w = (d->kink[1] - d->c * x) / d->s, square = 1 - x * x - w * w;
    if (!(square > 0x1p-10))
        return false;
    const double z = sqrt(square);
    const double f =
        d->t1 * x + d->t2 * w - d->tau * z + abut_disc_support(a, x) + abut_disc_support(b, d->kink[1]);
    if (!(f < out->f))
        return false;
    const abut_vec3 u = abut_disc_direction(d, x, w, z);
    abut_vec3 line[2], foot[2];
    for (int i = 0; i < 2; ++i) {
        const abut_cylinders_body *body = &d->body[i];
        const double along = d->kink[i];
        const abut_vec3 across = abut_scale(1 / sqrt(1 - along * along), abut_madd(u, -along, body->axis));
        foot[i] = abut_scale(body->mean, across);
        line[i] = abut_madd(abut_scale(body->h, body->axis), -0.5 * body->apex, across);
    }
    const abut_vec3 middle = abut_add(pair->t, abut_add(foot[0], foot[1])), off = abut_madd(middle, -f, u);
    /* off + alpha line_0 + beta line_1 = 0 */
    const double area = abut_dot(u, abut_cross(line[0], line[1])), p = abut_dot(u, abut_cross(off, line[1])),
                 q = abut_dot(u, abut_cross(line[0], off));
    const double alpha = -p / area, beta = -q / area;
    out->u = u;
    out->f = f;
    out->steep = out->held = false;
    if (!(fabs(alpha) < 1 && fabs(beta) < 1))
        return true;
    /* How far the edges are from the origin. */
    const double c0 = (fabs(area) - fabs(q)) / sqrt(abut_dot(line[0], line[0])),
                 c1 = (fabs(area) - fabs(p)) / sqrt(abut_dot(line[1], line[1])), steep = c0 < c1 ? c0 : c1;
    /* Of two cylinders all pieces are alike, and bent by the least eigenvalue of both at least. */
    double bend = 0;
    if (a->apex + b->apex <= 0) {
        const double sum = a->r + b->r, root = sum * sum - 4 * a->r * b->r * d->s * d->s;
        bend = 0.5 * (sum - sqrt(root > 0 ? root : 0)) * (1 - 0x1p-40);
    }
    const double tangent = f > bend ? 0.99 * steep / (f - bend) : 0,
                 half = tangent < 1e4 ? tangent * tangent : 1e8;
    out->steep = out->capped = out->held = true;
    out->cap.u = u;
    out->cap.cosine = f > bend ? (1 - half) / (1 + half) + 1e-9 : -1;
    out->cap.radius = f;
    out->cap.x = abut_scale(-1, abut_madd(foot[0], alpha, line[0]));
    out->cap.y = abut_add(pair->t, abut_madd(foot[1], beta, line[1]));
    return true;
}

static void find_best_axis(const abut_disc *d, valley *out, int *body)
{
    int best = -1;
    for (int i = 0; i < 4; ++i)
        if (d->axis[i].value < (best < 0 ? out->f * (1 + 0x1p-40) : d->axis[best].value))
            best = i;
    if (best < 0)
        return;
    const double sign = best & 1 ? -1 : 1;
    *body = best >> 1;
    out->f = d->axis[best].value;
    out->steep = out->held = abut_disc_is_steep(d, &d->axis[best]);
    out->u = out->steep ? abut_scale(sign, d->body[*body].axis) : abut_disc_beside(d, *body, sign);
}

static bool has_cap(const abut_cylinders_body *b, double along)
{
    return !(b->apex > 0 && along > 0);
}

/* Of an axis: the other body's point, and where it is over the cap. Of two caps that face each
 * other both share what they are off. */
static void set_axis_witnesses(const abut_convex_pair *pair, const abut_disc *d, int body, valley *v)
{
    abut_convex_point p = { .a = 0 };
    abut_convex_support(pair, abut_scale(-1, v->u), &p);
    double part = body == 0 ? 0 : 1; /* of b */
    if (d->s <= 0) {                 /* from the middles of both caps */
        const abut_cylinders_body *a = &d->body[0], *b = &d->body[1];
        const double along_a = abut_dot(v->u, a->axis), along_b = abut_dot(v->u, b->axis);
        const double ra = has_cap(a, along_a) ? a->r : 0, rb = has_cap(b, along_b) ? b->r : 0;
        part = ra + rb > 0 ? rb / (ra + rb) : 0;
        p.x = abut_scale(-copysign(a->h, along_a), a->axis);
        p.y = abut_madd(pair->t, copysign(b->h, along_b), b->axis);
    }
    const abut_vec3 off = abut_sub(abut_madd(p.x, v->f, v->u), p.y);
    v->cap.x = abut_madd(p.x, -(1 - part), off);
    v->cap.y = abut_madd(p.y, part, off);
}

/* The point of body i with the share sigma, seen along u; from its centre, b's outward, a's
 * inward. */
static abut_vec3 point_of(const abut_cylinders_body *b, abut_vec3 u, double sigma)
{
    const double along = abut_dot(u, b->axis);
    const abut_vec3 across = abut_madd(u, -along, b->axis);
    return abut_madd(abut_scale((b->mean - 0.5 * sigma * b->apex) / sqrt(abut_dot(across, across)), across),
                     sigma * b->h, b->axis);
}

/* At a bottom. The points that the shares give face each other. */
static bool set_bottom(const abut_convex_pair *pair, const abut_disc *d, const double sigma[2], valley *v)
{
    abut_convex_point p = { .a = 0 };
    const double lo = abut_convex_separation(pair, abut_scale(-1, v->u), &p);
    set_valley(v, v->u, -lo - pair->error, lo);
    const abut_vec3 x = abut_scale(-1, point_of(&d->body[0], v->u, sigma[0])),
                    y = abut_add(pair->t, point_of(&d->body[1], v->u, sigma[1]));
    const bool facing = fabs(abut_dot(v->u, abut_sub(abut_sub(y, x), p.w))) <= 2 * pair->error;
    v->cap.x = facing ? x : p.x;
    v->cap.y = facing ? y : p.y;
    v->held = true;
    return v->f > shallow * d->size;
}

/* Goes down from v->u. */
static bool descend(const abut_convex_pair *pair, const abut_disc *d, valley *v, uint32_t *supports)
{
    double sigma[2];
    if (abut_disc_descend(d, pair->error, &v->u, sigma, supports)) {
        ++*supports;
        return set_bottom(pair, d, sigma, v);
    }
    abut_convex_answer at = { .lo = -INFINITY, .hi = INFINITY, .normal = abut_scale(-1, v->u) };
    if (!abut_cylinders_descend(pair, &at))
        return false;
    *supports += at.supports;
    set_valley(v, abut_scale(-1, at.normal), -at.lo - pair->error, at.lo);
    for (int i = 0; i < 2; ++i)
        if (fabs(abut_dot(v->u, d->body[i].axis)) > 1 - 0x1p-50) {
            v->steep = true;
            set_axis_witnesses(pair, d, i, v);
            return true;
        }
    if (!(v->f > shallow * d->size))
        return false;
    v->cap.x = at.x;
    v->cap.y = at.y;
    v->held = true;
    return true;
}

/* The best direction that needs no search, or the one given. */
static void find_start(const abut_convex_pair *pair, const abut_disc *d, abut_vec3 n, valley *v)
{
    const double x = -abut_dot(n, d->e[0]), w = -abut_dot(n, d->e[1]);
    set_valley(v, abut_scale(-1, n),
               -abut_dot(n, pair->t) + abut_disc_support(&d->body[0], x) +
                   abut_disc_support(&d->body[1], d->c * x + d->s * w),
               -INFINITY);
    if (!(v->f > 0))
        return;
    int body = -1;
    find_best_axis(d, v, &body);
    if (find_crossing(d, pair, v))
        body = -1;
    if (v->steep && body >= 0)
        set_axis_witnesses(pair, d, body, v);
}

/* One of the witnesses may do; the other is then over it. */
static bool is_proved_by_point(const abut_convex_pair *pair, valley *v, double least)
{
    if (abut_depth_of_point(pair->a, v->cap.y) >= least) {
        v->cap.x = abut_madd(v->cap.y, -v->f, v->u);
        return true;
    }
    if (abut_depth_of_point(pair->b, abut_mul_t(&pair->r, abut_sub(v->cap.x, pair->t))) >= least) {
        v->cap.y = abut_madd(v->cap.x, v->f, v->u);
        return true;
    }
    return false;
}

/* Where the witnesses do not face each other, as on a ring, there are others. */
static void mend_witnesses(const abut_convex_pair *pair, const abut_disc *d, valley *v)
{
    const abut_vec3 off = abut_madd(abut_sub(v->cap.y, v->cap.x), -v->f, v->u);
    if (!v->steep && abut_dot(off, off) > 0x1p-50 * d->size * d->size)
        (void)abut_depth_cap_at(pair, v->u, v->f, &v->cap);
}

/* The proof for a valley: what is proved in *r; a shallower one is begun at in *v. */
static abut_disc_end prove(const abut_convex_pair *pair, const abut_disc *d, valley *v, double *r,
                           uint32_t *supports)
{
    const double error = 4 * pair->error;
    *r = v->f * (1 - 0x1p-34) - error;
    if (v->held && is_proved_by_point(pair, v, *r + error))
        return ABUT_DISC_PROVED;
    if (*supports > MOST_BEFORE)
        return ABUT_DISC_OPEN;
    abut_vec3 at;
    abut_disc_end end = ABUT_DISC_OPEN;
    if (v->steep || v->capped || v->f > deep * d->size)
        end = abut_grid_prove(d, r, v->u, v->capped ? v->cap.cosine : 2, MOST_LINES, &at, supports);
    if (end == ABUT_DISC_OPEN && !v->steep && !v->capped) {
        v->capped = abut_depth_cap_at(pair, v->u, v->f, &v->cap);
        if (v->capped && v->cap.radius - error < *r)
            *r = v->cap.radius - error;
        if (v->capped && v->cap.cosine <= -1)
            return ABUT_DISC_PROVED;
        if (v->capped && *supports <= MOST_BEFORE)
            end = abut_grid_prove(d, r, v->u, v->cap.cosine, MOST_LINES, &at, supports);
    }
    /* Where a grid with a cap does not do, the polytope is the quicker one. */
    if (end == ABUT_DISC_OPEN && *supports <= MOST_BEFORE && !(v->capped && d->s > 0.125 && !v->steep)) {
        const bool ring = d->tau < 0x1p-30 * d->size;
        end = abut_disc_prove(d, r, v->u, v->capped ? &v->cap : NULL,
                              v->capped || v->steep || ring ? MOST_EVALUATIONS : MOST_BARE, &at, supports);
    }
    if (end == ABUT_DISC_SHALLOWER)
        set_valley(v, at, v->f, -INFINITY);
    return end;
}

bool abut_depth_of_cylinders(const abut_convex_pair *pair, const abut_vec3 *axis, abut_convex_answer *out)
{
    abut_disc d;
    *out = (abut_convex_answer){ .lo = -INFINITY, .hi = INFINITY, .supports = 6 };
    out->normal = abut_unit_or(axis ? *axis : pair->t, abut_v3(1, 0, 0));
    if (!abut_disc_begin(pair, &d))
        return false;
    valley v;
    find_start(pair, &d, out->normal, &v);
    if (!(v.f > shallow * d.size)) {
        out->normal = abut_unit_or(abut_scale(-1, v.u), out->normal);
        return false;
    }
    double r = 0;
    abut_disc_end end = ABUT_DISC_SHALLOWER;
    for (int round = 0; round < MOST_ROUNDS && end == ABUT_DISC_SHALLOWER; ++round) {
        if (!v.steep && out->supports > MOST_DESCENTS)
            end = ABUT_DISC_OPEN;
        else if (!v.steep && !descend(pair, &d, &v, &out->supports))
            break;
        else
            end = prove(pair, &d, &v, &r, &out->supports);
    }
    ++out->supports;
    out->normal = v.lo > -INFINITY ? abut_scale(-1, v.u) : abut_unit_or(abut_scale(-1, v.u), out->normal);
    if (end == ABUT_DISC_OPEN) {
        const abut_simplex none = { .count = 0 };
        abut_convex_depth(pair, &none, out);
        return out->hi < 0 || out->supports > 110;
    }
    if (end != ABUT_DISC_PROVED)
        return false;
    abut_convex_point p = { .a = 0 };
    out->lo = v.lo > -INFINITY ? v.lo : abut_convex_separation(pair, out->normal, &p);
    out->hi = -(r - 2 * pair->error);
    mend_witnesses(pair, &d, &v);
    out->x = v.cap.x;
    out->y = v.cap.y;
    return out->hi < 0;
}
