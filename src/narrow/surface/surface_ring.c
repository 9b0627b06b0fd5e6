/* SPDX-License-Identifier: MIT */
/* A torus is what is within r of its spine, a circle. So its distance from a body is that of the
 * circle less r, and the interiors meet where that is negative: one unknown is left, the angle u
 * along the circle, where the distance of a point from the body is known in closed form. In the
 * frame of b
 *     p(u) = c + a cos u + b sin u,
 * the squared distance is a sum of squares of soft(y) = y - clamp(y, lo, hi), for y = x, y, z (box)
 * or y = rho, z (bodies about the z axis: cylinder; torus, whose spine is lo = hi = R; capsule,
 * where rho^2 itself is the term), or the distance of (rho, z) from a triangle (cone); rho^2 = x^2
 * + y^2 as one trigonometric polynomial in u: for a coaxial pair it is constant but for rounding,
 * and the search ends at once. Half-spaces and balls need no search.
 *
 * The squared distance D from a convex body is continuously differentiable, with second derivatives
 * that jump; the hull of both sides serves. Intervals of u are dropped where D is above what is
 * known, D' has no zero, or D'' < 0 (a circle has no ends); where D'' > 0 Newton's operator closes
 * in on the only zero of D'. rho has no derivative where the circle meets the axis; there only
 * values count. What is left when values are as wide as at a point is rounding, and done with.
 *
 * Nearest points may be a curve, as of linked tori whose spines run through each other's
 * centres: then D is constant, D' and D'' are 0 but for the width of the interval, whose cube is
 * what the bound is off. Of two tori D = |p|^2 + R^2 - 2 R rho, so that D >= m^2 where X = |p|^2
 * + R^2 - m^2 >= 0 and X^2 - 4 R^2 rho^2 >= 0: that is a trigonometric polynomial of degree two,
 * which has small coefficients wherever D is nearly constant, and few intervals show it. Such
 * searches go on in passes, each for a better bound, so that a budget that is spent leaves what
 * the last one proved. */
#include "narrow/surface/surface_ring.h"

#include "interval/ia3.h"
#include "math/vec3.h"

enum { TERMS = 3, STACK = 160, STARTS = 24, CELLS = 16, STEPS = 8, PASSES = 6 };

static const uint64_t usual_iterations = 20000;

typedef struct jet {
    ia f, d, dd; /* a function of u, and its derivatives */
} jet;

typedef struct term {
    int y;      /* 0..2: a coordinate; 3: rho */
    bool fixed; /* lo = hi */
    ia lo, hi;
} term;

/* A cone about the z axis: unit vectors along its side, from the apex down, and across it, in
 * the plane of rho and z. */
typedef struct cone {
    ia radius, half, side; /* half its height; length of its side */
    ia along[2], across[2];
} cone;

typedef struct ring {
    ia3 c, a, b;
    ia square[5]; /* rho^2: 1, cos u, sin u, cos 2u, sin 2u */
    bool has_square;
    bool has_spine; /* b is a torus: |p|^2 as 1, cos u, sin u, and its major radius */
    ia norm[3], major;
    int count;
    term terms[TERMS];
    bool has_cone;
    cone cone;
    ia swell;      /* around the spine of b */
    ia off;        /* both radii */
    uint64_t most; /* iterations */
    abut_ring_answer *out;
} ring;

/* ---- the squared distance over an interval of angles ---- */

typedef struct angles {
    ia cos, sin, cos2, sin2;
} angles;

static angles angles_of(ia u)
{
    angles t;
    ia_sin_cos(u, &t.sin, &t.cos);
    ia_sin_cos(ia_scale(2, u), &t.sin2, &t.cos2);
    return t;
}

static jet wave(ia constant, ia a, ia b, const angles *t)
{
    const ia sum = ia_add(ia_mul(a, t->cos), ia_mul(b, t->sin));
    return (jet){ ia_add(constant, sum), ia_sub(ia_mul(b, t->cos), ia_mul(a, t->sin)), ia_neg(sum) };
}

static jet square_of(const ia *q, const angles *t)
{
    const ia sum = ia_add(ia_mul(q[3], t->cos2), ia_mul(q[4], t->sin2));
    const ia slope = ia_sub(ia_mul(q[4], t->cos2), ia_mul(q[3], t->sin2));
    jet s = wave(q[0], q[1], q[2], t);
    s.f = ia_add(s.f, sum);
    s.d = ia_add(s.d, ia_scale(2, slope));
    s.dd = ia_sub(s.dd, ia_scale(4, sum));
    return s;
}

/* By mean values about the middle as well. */
static jet narrowed(jet over, jet at, ia step)
{
    over.d = ia_intersect(over.d, ia_add(at.d, ia_mul(over.dd, step)));
    over.f = ia_intersect(over.f, ia_add(at.f, ia_mul(over.d, step)));
    return over;
}

static jet root_of(jet square)
{
    const ia rho = ia_sqrt(square.f);
    if (!(ia_lo(rho) > 0))
        return (jet){ rho, ia_entire(), ia_entire() };
    const ia slope = ia_div(ia_scale(0.5, square.d), rho);
    return (jet){ rho, slope, ia_div(ia_sub(ia_scale(0.5, square.dd), ia_sqr(slope)), rho) };
}

static ia soft_of(ia y, const term *k)
{
    const ia zero = ia_point(0);
    return ia_add(ia_min(ia_sub(y, k->lo), zero), ia_max(ia_sub(y, k->hi), zero));
}

/* The slope of soft: 0 where y is between the ends, 1 beyond. */
static ia soft_slope(ia y, const term *k)
{
    if (k->fixed || ia_hi(y) < ia_lo(k->lo) || ia_lo(y) > ia_hi(k->hi))
        return ia_point(1);
    return ia_lo(y) > ia_hi(k->lo) && ia_hi(y) < ia_lo(k->hi) ? ia_point(0) : ia_make(0, 1);
}

static void add_term(const term *k, jet y, jet *sum)
{
    const ia s = soft_of(y.f, k), slope = soft_slope(y.f, k);
    sum->f = ia_add(sum->f, ia_sqr(s));
    sum->d = ia_add(sum->d, ia_scale(2, ia_mul(s, y.d)));
    sum->dd = ia_add(sum->dd, ia_scale(2, ia_add(ia_mul(slope, ia_sqr(y.d)), ia_mul(s, y.dd))));
}

/* y over u, with its derivatives; m in the middle of u. y = 4: rho^2. */
static void examine(const ring *r, int y, const angles *over, const angles *at, ia step, jet *out, jet *mid)
{
    if (y < 3) {
        const ia c = ia3_part(r->c, y), a = ia3_part(r->a, y), b = ia3_part(r->b, y);
        *mid = wave(c, a, b, at);
        *out = narrowed(wave(c, a, b, over), *mid, step);
        return;
    }
    *mid = square_of(r->square, at);
    /* At a point, and close to the axis, the sum of squares is sharper: its error is relative. */
    const jet x = wave(r->c.x, r->a.x, r->b.x, at), z = wave(r->c.y, r->a.y, r->b.y, at);
    mid->f = ia_intersect(mid->f, ia_add(ia_sqr(x.f), ia_sqr(z.f)));
    *out = narrowed(square_of(r->square, over), *mid, step);
    const jet wide_x = narrowed(wave(r->c.x, r->a.x, r->b.x, over), x, step),
              wide_z = narrowed(wave(r->c.y, r->a.y, r->b.y, over), z, step);
    out->f = ia_intersect(out->f, ia_add(ia_sqr(wide_x.f), ia_sqr(wide_z.f)));
    if (y == 3) {
        *mid = root_of(*mid);
        *out = root_of(*out);
    }
}

/* What a point (rho, z) is away from the cone, by the part that is nearest: e, and how e changes
 * with the point, the symmetric matrix k. */
typedef struct away {
    bool any;
    ia e[2], k[3]; /* k: rho rho, rho z, z z */
} away;

static void away_add(away *a, bool possible, ia e0, ia e1, ia k0, ia k1, ia k2)
{
    const ia e[2] = { e0, e1 }, k[3] = { k0, k1, k2 };
    if (!possible)
        return;
    for (int i = 0; i < 2; ++i)
        a->e[i] = a->any ? ia_hull(a->e[i], e[i]) : e[i];
    for (int i = 0; i < 3; ++i)
        a->k[i] = a->any ? ia_hull(a->k[i], k[i]) : k[i];
    a->any = true;
}

/* Hulls over all parts that may be nearest: inside, the side, the apex, the base, the rim. */
static away away_from(const cone *c, ia rho, ia z)
{
    const ia zero = ia_point(0), one = ia_point(1), up = ia_sub(z, c->half), down = ia_add(z, c->half);
    const ia s = ia_add(ia_mul(rho, c->along[0]), ia_mul(up, c->along[1])); /* down the side */
    const ia m = ia_add(ia_mul(rho, c->across[0]), ia_mul(up, c->across[1]));
    const ia over = ia_sub(rho, c->radius), end = ia_sub(s, c->side);
    away a = { .any = false };
    away_add(&a, ia_lo(m) <= 0 && ia_hi(down) >= 0, zero, zero, zero, zero, zero);
    if (ia_hi(m) >= 0 && ia_hi(s) >= 0 && ia_lo(end) <= 0) {
        const ia height = ia_max(m, zero);
        away_add(&a, true, ia_mul(height, c->across[0]), ia_mul(height, c->across[1]), ia_sqr(c->across[0]),
                 ia_mul(c->across[0], c->across[1]), ia_sqr(c->across[1]));
    }
    away_add(&a, ia_lo(s) <= 0 && ia_hi(m) >= 0, rho, up, one, zero, one);
    away_add(&a, ia_lo(down) <= 0 && ia_lo(over) <= 0, zero, ia_min(down, zero), zero, zero, one);
    away_add(&a, ia_hi(over) >= 0 && ia_hi(end) >= 0, over, down, one, zero, one);
    return a;
}

static void add_cone(const cone *c, jet rho, jet z, jet *sum)
{
    const away a = away_from(c, rho.f, z.f);
    const ia bent = ia_add(ia_mul(a.e[0], rho.dd), ia_mul(a.e[1], z.dd));
    const ia turned = ia_add(ia_add(ia_mul(a.k[0], ia_sqr(rho.d)), ia_mul(a.k[2], ia_sqr(z.d))),
                             ia_scale(2, ia_mul(a.k[1], ia_mul(rho.d, z.d))));
    sum->f = ia_add(sum->f, ia_add(ia_sqr(a.e[0]), ia_sqr(a.e[1])));
    sum->d = ia_add(sum->d, ia_scale(2, ia_add(ia_mul(a.e[0], rho.d), ia_mul(a.e[1], z.d))));
    sum->dd = ia_add(sum->dd, ia_scale(2, ia_add(turned, bent)));
}

/* D over u and in its middle m. */
static void evaluate(const ring *r, ia u, double m, jet *over, jet *at)
{
    const angles tu = angles_of(u), tm = angles_of(ia_point(m));
    const ia zero = ia_point(0), step = ia_sub(u, ia_point(m));
    jet y, y_mid;
    *over = *at = (jet){ zero, zero, zero };
    if (r->has_square)
        examine(r, 4, &tu, &tm, step, over, at);
    for (int i = 0; i < r->count; ++i) {
        examine(r, r->terms[i].y, &tu, &tm, step, &y, &y_mid);
        add_term(&r->terms[i], y, over);
        add_term(&r->terms[i], y_mid, at);
    }
    if (r->has_cone) {
        jet z, z_mid;
        examine(r, 3, &tu, &tm, step, &y, &y_mid);
        examine(r, 2, &tu, &tm, step, &z, &z_mid);
        add_cone(&r->cone, y, z, over);
        add_cone(&r->cone, y_mid, z_mid, at);
    }
    *over = narrowed(*over, *at, step);
    over->f = ia_intersect(over->f, ia_make(0, INFINITY));
    r->out->counters.evaluations += 1;
}

/* ---- the search ---- */

static double clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

typedef struct search {
    const ring *r;
    double upper, best; /* a distance that is attained, and where */
    double floor;       /* least bound of what is done with */
    double part;        /* of the gap that bounds may miss */
    uint64_t most;      /* iterations */
    bool spent;
    int count;
    abut_interval stack[STACK];
} search;

static void note_value(search *s, const jet *at, double u)
{
    const double upper = ia_hi(ia_sqrt(ia_intersect(at->f, ia_make(0, INFINITY))));
    if (upper < s->upper) {
        s->upper = upper;
        s->best = u;
    }
}

static void descend(search *s, double u)
{
    jet over, at;
    for (int i = 0; i < STEPS; ++i) {
        evaluate(s->r, ia_point(u), u, &over, &at);
        note_value(s, &at, u);
        const double slope = ia_mid(at.d), curve = ia_mid(at.dd), step = slope / curve;
        if (!(curve > 0) || !(fabs(step) < 0.25) || !(fabs(step) > 0x1p-50))
            return;
        u -= step;
    }
}

static abut_vec3 foot_on_cone(const cone *c, abut_vec3 p)
{
    const double rho = hypot(p.x, p.y), radius = ia_mid(c->radius), half = ia_mid(c->half),
                 side = ia_mid(c->side);
    const double t[2] = { ia_mid(c->along[0]), ia_mid(c->along[1]) }, up = p.z - half;
    const double s = rho * t[0] + up * t[1], m = rho * ia_mid(c->across[0]) + up * ia_mid(c->across[1]);
    double to = rho, z = p.z;
    if (p.z < -half && rho <= radius) {
        z = -half;
    } else if (m > 0 || p.z < -half) {
        to = clamp(s, 0, side) * t[0];
        z = half + clamp(s, 0, side) * t[1];
    }
    const double k = rho > 0 ? to / rho : 0;
    return abut_v3(k * p.x, k * p.y, z);
}

/* The nearest point of b, or of its spine. */
static abut_vec3 foot_of(const ring *r, abut_vec3 p)
{
    double y[3] = { p.x, p.y, p.z };
    if (r->has_cone)
        return foot_on_cone(&r->cone, p);
    if (r->has_square)
        y[0] = y[1] = 0;
    for (int i = 0; i < r->count; ++i) {
        const term *k = &r->terms[i];
        if (k->y < 3) {
            y[k->y] = clamp(y[k->y], ia_mid(k->lo), ia_mid(k->hi));
            continue;
        }
        const double rho = hypot(p.x, p.y), to = clamp(rho, ia_mid(k->lo), ia_mid(k->hi));
        if (to != rho) {
            y[0] = rho > 0 ? p.x * (to / rho) : to;
            y[1] = rho > 0 ? p.y * (to / rho) : 0;
        }
    }
    return abut_v3(y[0], y[1], y[2]);
}

/* D in plain doubles, which only steer. */
static double rough(const ring *r, abut_vec3 p)
{
    const double rho = sqrt(p.x * p.x + p.y * p.y), y[4] = { p.x, p.y, p.z, rho };
    double sum = r->has_square ? rho * rho : 0;
    for (int i = 0; i < r->count; ++i) {
        const term *k = &r->terms[i];
        const double soft = y[k->y] - clamp(y[k->y], ia_lo(k->lo), ia_hi(k->hi));
        sum += soft * soft;
    }
    if (r->has_cone) {
        const abut_vec3 q = foot_of(r, p);
        sum += (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y) + (p.z - q.z) * (p.z - q.z);
    }
    return sum;
}

/* Points around the circle, and downhill from the lowest. */
static void sample(search *s)
{
    static const double cosine[STARTS / 4] = {
        1, 0.9659258262890683, 0.8660254037844387, 0.7071067811865476, 0.5, 0.25881904510252074
    };
    const abut_vec3 c = ia3_mid(s->r->c), a = ia3_mid(s->r->a), b = ia3_mid(s->r->b);
    const double turn = 6.283185307179586 / STARTS;
    const int quarter = STARTS / 4;
    double value[STARTS];
    for (int i = 0; i < quarter; ++i) {
        const double x = cosine[i], y = i ? cosine[quarter - i] : 0;
        value[i] = rough(s->r, abut_madd(abut_madd(c, x, a), y, b));
        value[i + quarter] = rough(s->r, abut_madd(abut_madd(c, -y, a), x, b));
        value[i + 2 * quarter] = rough(s->r, abut_madd(abut_madd(c, -x, a), -y, b));
        value[i + 3 * quarter] = rough(s->r, abut_madd(abut_madd(c, y, a), -x, b));
    }
    for (int i = 0; i < STARTS; ++i) {
        const double left = value[(i + STARTS - 1) % STARTS], right = value[(i + 1) % STARTS];
        if (value[i] <= left && value[i] <= right && (value[i] < left || value[i] < right || i == 0) &&
            s->upper >= ia_lo(s->r->off))
            descend(s, i * turn);
    }
}

/* The distance that a bound must reach to be good enough. */
static double target_of(const search *s)
{
    const double off = ia_hi(s->r->off);
    return s->upper > off ? off + (s->upper - off) * (1 - s->part) : s->upper;
}

static void push(search *s, ia u)
{
    s->stack[s->count++] = ia_to(u);
}

/* Whether the spine of b is at least that far from the points at u; m is in the middle of u. */
static bool is_beyond(const ring *r, ia u, double m, double distance)
{
    const angles over = angles_of(u), at = angles_of(ia_point(m));
    const ia step = ia_sub(u, ia_point(m)), square = ia_sqr(r->major), *p = r->norm;
    const ia x0 = ia_sub(ia_add(p[0], square), ia_sqr(ia_point(distance)));
    const ia same[5] = { ia_add(ia_sqr(x0), ia_scale(0.5, ia_add(ia_sqr(p[1]), ia_sqr(p[2])))),
                         ia_scale(2, ia_mul(x0, p[1])), ia_scale(2, ia_mul(x0, p[2])),
                         ia_scale(0.5, ia_sub(ia_sqr(p[1]), ia_sqr(p[2]))), ia_mul(p[1], p[2]) };
    ia f[5];
    for (int i = 0; i < 5; ++i)
        f[i] = ia_sub(same[i], ia_scale(4, ia_mul(square, r->square[i])));
    const jet x = narrowed(wave(x0, p[1], p[2], &over), wave(x0, p[1], p[2], &at), step);
    return ia_lo(x.f) >= 0 && ia_lo(narrowed(square_of(f, &over), square_of(f, &at), step).f) >= 0;
}

/* One interval: dropped, done with, narrowed, or halved. */
static void work(search *s, ia u)
{
    jet over, at;
    const double m = ia_mid(u);
    evaluate(s->r, u, m, &over, &at);
    note_value(s, &at, m);
    const double lower = ia_is_empty(over.f) ? INFINITY : ia_lo(ia_sqrt(over.f));
    if (lower > s->upper || !ia_contains_zero(over.d) || ia_is_negative(over.dd))
        return;
    const bool rounding = !(ia_width(over.f) > 4 * ia_width(at.f)) || ia_width(u) < 0x1p-46;
    const double target = target_of(s);
    const bool beyond = lower < target && s->r->has_spine && is_beyond(s->r, u, m, target);
    if (lower >= target || beyond || rounding) {
        s->floor = fmin(s->floor, beyond ? target : lower);
        return;
    }
    if (s->count + 2 > STACK) {
        s->spent = true;
        s->floor = fmin(s->floor, lower);
        return;
    }
    if (ia_is_positive(over.dd)) {
        const ia next = ia_intersect(u, ia_sub(ia_point(m), ia_div(at.d, over.dd)));
        if (ia_is_empty(next))
            return;
        if (ia_width(next) < 0.75 * ia_width(u)) {
            push(s, next);
            return;
        }
    }
    push(s, ia_make(ia_lo(u), m));
    push(s, ia_make(m, ia_hi(u)));
}

/* All angles, with bounds as good as the pass wants. Spent: some were not examined, and floor
 * says nothing. */
static void run_pass(search *s)
{
    const double turn = 0x1.921fb54442d19p+2; /* not less than a whole turn */
    s->count = 0;
    s->floor = INFINITY;
    s->spent = false;
    for (int i = 0; i < CELLS; ++i)
        push(s, ia_make(i * (turn / CELLS), (i + 1) * (turn / CELLS)));
    while (s->count > 0 && s->upper >= ia_lo(s->r->off)) {
        if (s->r->out->counters.iterations >= s->most) {
            s->spent = true;
            return;
        }
        s->r->out->counters.iterations += 1;
        const ia u = ia_from(s->stack[--s->count]);
        work(s, u);
    }
}

static void run_search(ring *r, abut_interval *distance, double *best)
{
    /* At once to rounding, which isolated points soon are; then from pass to pass. */
    static const struct {
        double part;
        uint64_t most;
    } passes[PASSES] = { { 0x1p-40, 1000 },       { 0x1p-4, UINT64_MAX },  { 0x1p-12, UINT64_MAX },
                         { 0x1p-20, UINT64_MAX }, { 0x1p-27, UINT64_MAX }, { 0x1p-33, UINT64_MAX } };
    search s = { .r = r, .upper = INFINITY };
    double lower = 0;
    sample(&s);
    for (int i = 0; i < PASSES; ++i) {
        const uint64_t left = r->most - r->out->counters.iterations;
        s.part = passes[i].part;
        s.most = r->out->counters.iterations + (left < passes[i].most ? left : passes[i].most);
        run_pass(&s);
        if (s.upper < ia_lo(r->off)) /* they meet: no more is asked */
            break;
        if (!s.spent)
            lower = fmax(lower, fmin(s.floor, s.upper));
        r->out->stop = s.spent ? ABUT_STOP_BUDGET : i > 0 ? ABUT_STOP_TOLERANCE : ABUT_STOP_DONE;
        if (i == 0 ? !s.spent : s.spent)
            break;
    }
    *distance = (abut_interval){ fmin(lower, s.upper), s.upper };
    *best = s.best;
}

/* ---- bodies ---- */

static void place_ring(const abut_shape *torus, const abut_place *at_a, const abut_place *at_b, bool turned_b,
                       double scale, ring *r)
{
    const ia33 r_a = ia33_from(&at_a->enclosure.linear);
    const ia33 r_b = turned_b ? ia33_from(&at_b->enclosure.linear) : ia33_identity();
    const ia33 back = ia33_transpose(&r_b), q = ia33_mul(&back, &r_a);
    const ia s = ia_point(scale), major = ia_scale(scale, ia_point(torus->u.torus.major));
    const ia3 t_a = ia3_scale(s, ia3_from(&at_a->enclosure.translation)),
              t_b = ia3_scale(s, ia3_from(&at_b->enclosure.translation));
    const ia3 e[3] = { { ia_point(1), ia_point(0), ia_point(0) }, { ia_point(0), ia_point(1), ia_point(0) } };
    r->c = ia33_mul3(&back, ia3_sub(t_a, t_b));
    r->a = ia3_scale(major, ia33_mul3(&q, e[0]));
    r->b = ia3_scale(major, ia33_mul3(&q, e[1]));
    r->off = ia_scale(scale, ia_point(torus->u.torus.minor));
}

static ia flat_dot(ia3 a, ia3 b)
{
    return ia_add(ia_mul(a.x, b.x), ia_mul(a.y, b.y));
}

static ia flat_square(ia3 a)
{
    return ia_add(ia_sqr(a.x), ia_sqr(a.y));
}

/* About the z axis of b. a and b are at right angles and of length R, so that sums over x and y
 * are those over z with the other sign. */
static void square_ring(ring *r, ia major)
{
    const ia across = ia_sub(ia_sqr(r->b.z), ia_sqr(r->a.z)), tilt = ia_neg(ia_mul(r->a.z, r->b.z));
    const ia sum = ia_sub(ia_scale(2, ia_sqr(major)), ia_add(ia_sqr(r->a.z), ia_sqr(r->b.z)));
    r->square[0] = ia_add(flat_square(r->c), ia_scale(0.5, sum));
    r->square[1] = ia_scale(2, flat_dot(r->c, r->a));
    r->square[2] = ia_scale(2, flat_dot(r->c, r->b));
    r->square[3] = ia_scale(0.5, across);
    r->square[4] = tilt;
    r->norm[0] = ia_add(ia3_sqr_norm(r->c), ia_sqr(major));
    r->norm[1] = ia_scale(2, ia3_dot(r->c, r->a));
    r->norm[2] = ia_scale(2, ia3_dot(r->c, r->b));
}

static term between(int y, double scale, double half)
{
    const ia h = ia_scale(scale, ia_point(half));
    return (term){ y, false, ia_neg(h), h };
}

static void set_terms(const abut_shape *b, double scale, ring *r)
{
    r->has_square = r->has_spine = false;
    r->swell = ia_point(0);
    switch (b->type) {
    case ABUT_SHAPE_BOX:
        r->count = 3;
        r->terms[0] = between(0, scale, b->u.box.half.x);
        r->terms[1] = between(1, scale, b->u.box.half.y);
        r->terms[2] = between(2, scale, b->u.box.half.z);
        return;
    case ABUT_SHAPE_CYLINDER:
        r->count = 2;
        r->terms[0] = between(3, scale, b->u.round.radius);
        r->terms[1] = between(2, 0.5 * scale, b->u.round.height);
        return;
    case ABUT_SHAPE_CONE: {
        const ia radius = ia_scale(scale, ia_point(b->u.round.radius)),
                 height = ia_scale(scale, ia_point(b->u.round.height));
        const ia side = ia_sqrt(ia_add(ia_sqr(radius), ia_sqr(height)));
        r->count = 0;
        r->has_cone = true;
        r->cone = (cone){ radius,
                          ia_scale(0.5, height),
                          side,
                          { ia_div(radius, side), ia_neg(ia_div(height, side)) },
                          { ia_div(height, side), ia_div(radius, side) } };
        return;
    }
    case ABUT_SHAPE_CAPSULE:
        r->has_square = true;
        r->count = 1;
        r->terms[0] = between(2, 0.5 * scale, b->u.round.height);
        r->swell = ia_scale(scale, ia_point(b->u.round.radius));
        return;
    default: {
        const ia major = ia_scale(scale, ia_point(b->u.torus.major)), zero = ia_point(0);
        r->count = 2;
        r->has_spine = true;
        r->major = major;
        r->terms[0] = (term){ 3, true, major, major };
        r->terms[1] = (term){ 2, true, zero, zero };
        r->swell = ia_scale(scale, ia_point(b->u.torus.minor));
    }
    }
}

static abut_vec3 on_spine(const ring *r, double u)
{
    const abut_vec3 c = ia3_mid(r->c), a = ia3_mid(r->a), b = ia3_mid(r->b);
    return abut_madd(abut_madd(c, cos(u), a), sin(u), b);
}

static ia distance_to_ball(const ring *r, ia major, const ia33 *turn)
{
    /* In the frame of the torus, where the ball's centre is at -c turned back. */
    const ia33 back = ia33_transpose(turn);
    const ia3 p = ia33_mul3(&back, ia3_neg(r->c));
    const ia rho = ia_sqrt(ia_add(ia_sqr(p.x), ia_sqr(p.y)));
    return ia_sqrt(ia_add(ia_sqr(ia_sub(rho, major)), ia_sqr(p.z)));
}

typedef struct task {
    const abut_shape *a, *b;
    const abut_place *at_a, *at_b;
    double scale;
    uint64_t most;
    abut_ring_answer *out;
} task;

static void solve_ball(const task *k, ring *r, ia major)
{
    const ia33 turn = ia33_from(&k->at_a->enclosure.linear);
    const ia d = distance_to_ball(r, major, &turn);
    const abut_vec3 c = ia3_mid(r->c), a = ia3_mid(r->a), b = ia3_mid(r->b);
    const double x = -abut_dot(c, a), y = -abut_dot(c, b);
    r->off = ia_add(r->off, ia_scale(k->scale, ia_point(k->b->u.sphere.radius)));
    k->out->gap = ia_to(ia_sub(d, r->off));
    k->out->spine = on_spine(r, x != 0 || y != 0 ? atan2(y, x) : 0);
    k->out->foot = abut_v3(0, 0, 0);
    k->out->swell = k->scale * k->b->u.sphere.radius;
    k->out->counters.evaluations = 1;
}

static void solve_halfspace(const task *k, ring *r)
{
    const abut_vec3 normal = k->b->u.halfspace.normal;
    const double size = abut_max_norm(normal);
    const ia3 n = ia3_scale(ia_div(ia_point(1), ia_point(size)), ia3_point(normal));
    const ia length = ia_sqrt(ia3_sqr_norm(n));
    const ia offset = ia_div(ia_scale(k->scale, ia_point(k->b->u.halfspace.offset)), ia_point(size));
    const ia x = ia3_dot(n, r->a), y = ia3_dot(n, r->b);
    const ia low = ia_sub(ia_sub(ia3_dot(n, r->c), offset), ia_sqrt(ia_add(ia_sqr(x), ia_sqr(y))));
    const ia height = ia_div(low, length);
    k->out->gap = ia_to(ia_sub(height, r->off));
    k->out->spine = on_spine(r, ia_mid(x) != 0 || ia_mid(y) != 0 ? atan2(-ia_mid(y), -ia_mid(x)) : 0);
    const abut_vec3 unit = abut_unit_or(normal, abut_v3(0, 0, 1));
    k->out->foot = abut_madd(k->out->spine, -ia_mid(height), unit);
    k->out->counters.evaluations = 1;
}

static ABUT_NOINLINE void solve(const task *k)
{
    ring r = { .most = k->most, .out = k->out };
    const ia major = ia_scale(k->scale, ia_point(k->a->u.torus.major));
    place_ring(k->a, k->at_a, k->at_b, k->b->type != ABUT_SHAPE_SPHERE, k->scale, &r);
    if (k->b->type == ABUT_SHAPE_SPHERE) {
        solve_ball(k, &r, major);
        return;
    }
    if (k->b->type == ABUT_SHAPE_HALFSPACE) {
        solve_halfspace(k, &r);
        return;
    }
    abut_interval distance;
    double best;
    square_ring(&r, major);
    set_terms(k->b, k->scale, &r);
    r.off = ia_add(r.off, r.swell);
    run_search(&r, &distance, &best);
    k->out->gap = ia_to(ia_sub(ia_from(distance), r.off));
    k->out->spine = on_spine(&r, best);
    k->out->foot = foot_of(&r, k->out->spine);
    k->out->swell = ia_mid(r.swell);
}

bool abut_ring_takes(const abut_shape *a, const abut_shape *b)
{
    if (a->type != ABUT_SHAPE_TORUS)
        return false;
    switch (b->type) {
    case ABUT_SHAPE_SPHERE:
    case ABUT_SHAPE_HALFSPACE:
    case ABUT_SHAPE_TORUS:
    case ABUT_SHAPE_BOX:
    case ABUT_SHAPE_CAPSULE:
    case ABUT_SHAPE_CYLINDER:
    case ABUT_SHAPE_CONE: return true;
    default: return false;
    }
}

static double size_of(const abut_shape *s, const abut_place *at)
{
    const double p = abut_max_norm(at->mid.translation);
    switch (s->type) {
    case ABUT_SHAPE_TORUS: return fmax(p, s->u.torus.major);
    case ABUT_SHAPE_SPHERE: return fmax(p, s->u.sphere.radius);
    case ABUT_SHAPE_BOX: return fmax(p, abut_max_norm(s->u.box.half));
    case ABUT_SHAPE_HALFSPACE: return p;
    default: return fmax(p, fmax(s->u.round.radius, s->u.round.height));
    }
}

/* Unusual lengths are scaled, so that squares neither overflow nor vanish. */
static double scale_for(double size)
{
    int exponent;
    (void)frexp(size, &exponent);
    return exponent > -200 && exponent < 200 ? 1 : ldexp(1, exponent < -1000 ? 1000 : -exponent);
}

void abut_ring_solve(const abut_shape *a, const abut_place *at_a, const abut_shape *b, const abut_place *at_b,
                     uint64_t max_iterations, abut_ring_answer *out)
{
    *out = (abut_ring_answer){ .stop = ABUT_STOP_DONE };
    const task k = { a,
                     b,
                     at_a,
                     at_b,
                     scale_for(fmax(size_of(a, at_a), size_of(b, at_b))),
                     max_iterations ? max_iterations : usual_iterations,
                     out };
    const abut_rounding saved = abut_rounding_enter();
    solve(&k);
    abut_rounding_leave(saved);
    if (k.scale == 1)
        return;
    int exponent;
    (void)frexp(k.scale, &exponent);
    const double back = 1 / k.scale;
    out->gap = abut_exact_scale(out->gap, 1 - exponent);
    out->spine = abut_scale(back, out->spine);
    out->foot = abut_scale(back, out->foot);
    out->swell *= back;
}
