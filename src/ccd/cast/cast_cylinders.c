/* SPDX-License-Identifier: MIT */
/* Cylinders and cones that translate: Newton's method on the plane through which they meet; see
 * linear_cast.h and cast_cylinders.h.
 *
 * As in cast_ellipsoid.c the time of contact is the largest of f(n) / |v| over the planes n = p
 * - v / |v|, p across v, but f has kinks, where a side or a slant lies on the plane: the steps
 * are those of narrow/rims.h. Caps and bases, where f has a peak, are tried first: they are met
 * when the other body's nearest point comes down inside the disc. A step that ends on a kink
 * tells which lines will be on the plane, mostly the first does: from there it is their own
 * business (cast_cylinders_lines.c), and only if they find the bodies to meet elsewhere are more
 * steps taken. */
#include "ccd/cast/cast_cylinders.h"

#include "math/nearest.h"

static const double u = 0x1p-53;

enum { MOST_STEPS = 24, MOST_CUTS = 6, MOST_TRIES = 3 };

#if defined(__clang__)
#define SWAP(v) __builtin_shufflevector(v, v, 1, 0)
#else
#define SWAP(v) __builtin_shuffle(v, (both_bits){ 1, 0 })
#endif

typedef abut_cylinders_climber climber;
typedef abut_cylinders_meeting meeting;

/* A plane: its normal, mostly with n.z = 1, and how both bodies lie on it. */
typedef struct plane {
    abut_vec3 n;
    double f;
    both px, py, pz; /* of n across the axes */
    both flat, per_flat, per_square, diff;
    double sigma[2]; /* where on the line between their ends; of a cap nothing */
} plane;

static inline __attribute__((always_inline)) void evaluate(climber *k, abut_vec3 n, plane *out)
{
    const both zero = { 0, 0 };
    const both along = n.x * k->ax + n.y * k->ay + n.z * k->az;
    const both px = n.x - along * k->ax, py = n.y - along * k->ay, pz = n.z - along * k->az;
    const both square = px * px + py * py + pz * pz;
    /* The quotient does not wait for the root. */
    const both flat = roots(square), per_square = (both)((both_bits)(1 / square) & (square > zero));
    const both diff = k->h2 * along - k->apex * flat;
    ++k->evaluations;
    out->n = n;
    out->px = px;
    out->py = py;
    out->pz = pz;
    out->flat = flat;
    out->per_square = per_square;
    out->per_flat = flat * per_square;
    out->diff = diff;
    out->f = abut_dot(n, k->t) - sum(k->mean * flat + 0.5 * sizes_of(diff));
}

static inline abut_cylinders_view view_of(const plane *p, int i)
{
    return (abut_cylinders_view){ .flat = p->flat[i],
                                  .per_flat = p->per_flat[i],
                                  .diff = p->diff[i],
                                  .u = abut_scale(p->per_flat[i], abut_v3(p->px[i], p->py[i], p->pz[i])) };
}

/* The point of body i, of b minus it from its centre. */
static inline abut_vec3 point_of(const climber *k, const plane *p, int i)
{
    const abut_cylinders_view view = view_of(p, i);
    return abut_cylinders_point(&k->body[i], &view, p->sigma[i]);
}

/* ---- caps ---- */

/* Lane i: the cap of body i that comes first, its normal n, and the other body as it is seen
 * along that. */
typedef struct caps {
    double flat, per_flat; /* of the other body; the same for both */
    both nx, ny, nz, sign, along, diff, sigma, f;
    both x, y, z;     /* from the centre of body i to the point of contact */
    both far;         /* square of that across the axis */
    both_bits usable; /* there is such a cap */
} caps;

static inline __attribute__((always_inline)) bool examine_caps(const climber *k, caps *out)
{
    const abut_vec3 w = abut_cross(k->body[0].axis, k->body[1].axis);
    const double square = abut_dot(w, w), flat = sqrt(square);
    if (!(square > 0x1p-40))
        return false;
    const both mean = SWAP(k->mean), apex = SWAP(k->apex), h2 = SWAP(k->h2), h = 0.5 * k->h2;
    const both zero = { 0, 0 }, sign = signs_of(k->az);
    const both along = sign * abut_dot(k->body[0].axis, k->body[1].axis), diff = h2 * along - apex * flat;
    const both nx = sign * k->ax, ny = sign * k->ay, nz = sign * k->az, sigma = signs_of(diff);
    out->flat = flat;
    out->per_flat = flat * (1 / square);
    const both part = (mean - 0.5 * sigma * apex) * out->per_flat, back = 0.5 * sigma * h2 - part * along;
    const both gap = (nx * k->t.x + ny * k->t.y + nz * k->t.z) - (h + (mean * flat + 0.5 * sizes_of(diff)));
    out->f = gap / nz;
    out->x = k->t.x - (part * nx + back * SWAP(k->ax));
    out->y = k->t.y - (part * ny + back * SWAP(k->ay));
    out->z = (k->t.z - out->f) - (part * nz + back * SWAP(k->az));
    out->far = (out->x * out->x + out->y * out->y + out->z * out->z) - h * h;
    out->usable = (nz > 0x1p-20) & ~((k->apex > zero) & (sign > zero));
    out->nx = nx;
    out->ny = ny;
    out->nz = nz;
    out->sign = sign;
    out->along = along;
    out->diff = diff;
    out->sigma = sigma;
    return true;
}

static inline __attribute__((always_inline)) void take_cap(const climber *k, const caps *c, int i,
                                                           meeting *out)
{
    const int j = 1 - i;
    const abut_vec3 over = abut_v3(c->x[i], c->y[i], c->z[i]);
    const abut_vec3 seen = abut_sub(abut_v3(k->t.x, k->t.y, k->t.z - c->f[i]), over);
    out->n = abut_v3(c->nx[i], c->ny[i], c->nz[i]);
    out->cap = i;
    out->sigma[i] = c->sign[i];
    out->sigma[j] = c->sigma[i];
    out->view[i].u = abut_v3(0, 0, 0);
    out->view[i].flat = out->view[i].diff = 0;
    out->view[j].u = abut_scale(c->per_flat, abut_madd(out->n, -c->along[i], k->body[j].axis));
    out->view[j].flat = c->flat;
    out->view[j].diff = c->diff[i];
    out->x = i ? seen : over;
    out->y = abut_sub(k->t, i ? over : seen);
}

/* A cap's plane that is not the one they meet through: f, and the way it has to turn to be. */
typedef struct tip {
    double f;
    abut_vec3 n, way; /* both of unit length */
} tip;

/* Whether the other body meets one of the caps inside its rim. If not, *top is the higher one. */
static inline __attribute__((always_inline)) bool try_caps(const climber *k, meeting *out, tip *top)
{
    caps c;
    top->f = -INFINITY;
    if (!examine_caps(k, &c))
        return false;
    const both r = k->mean + 0.5 * k->apex;
    const both_bits inside = c.usable & (c.far <= r * r);
    if (inside[0] | inside[1]) {
        take_cap(k, &c, inside[0] ? 0 : 1, out);
        return true;
    }
    const double f0 = c.usable[0] ? c.f[0] : -INFINITY, f1 = c.usable[1] ? c.f[1] : -INFINITY;
    const int i = f1 > f0;
    const abut_vec3 n = abut_v3(c.nx[i], c.ny[i], c.nz[i]);
    const abut_vec3 across = abut_madd(abut_v3(c.x[i], c.y[i], c.z[i]), -k->body[i].h, n);
    *top = (tip){ i ? f1 : f0, n, abut_scale(1 / sqrt(c.far[i]), across) };
    return false;
}

/* From a tip that is higher than *p, down to where f is smooth but still higher. */
static ABUT_MATH_NOINLINE void leave_tip(climber *k, const tip *top, plane *p)
{
    double angle = 0.5;
    for (int i = 0; i < 4; ++i, angle *= 0.125) {
        const abut_vec3 n = abut_madd(top->n, angle, top->way);
        plane next;
        if (!(n.z > 0x1p-4))
            continue;
        evaluate(k, abut_v3(n.x / n.z, n.y / n.z, 1), &next);
        if (!(next.f > p->f))
            continue;
        *p = next;
        if (p->f > top->f)
            return;
    }
}

/* ---- steps ---- */

/* The model about p, as abut_cylinders_build has it; its kinks also as lanes. */
typedef struct model {
    abut_cylinders_model m;
    both ax, ay;
} model;

static inline __attribute__((always_inline)) void build(const climber *k, const plane *p,
                                                        const double sigma[2], model *out)
{
    /* The tangents of rims: along n's part across the axis and along the axis nothing, hence the
     * identity minus both twice. */
    const both share = { sigma[0], sigma[1] }, bend = (k->mean - 0.5 * share * k->apex) * p->per_flat;
    const both qx = p->px * p->per_square, qy = p->py * p->per_square;
    const both ux = p->px * p->per_flat, uy = p->py * p->per_flat;
    out->ax = k->h2 * k->ax - k->apex * ux;
    out->ay = k->h2 * k->ay - k->apex * uy;
    for (int i = 0; i < 2; ++i) {
        out->m.a[i][0] = out->ax[i];
        out->m.a[i][1] = out->ay[i];
    }
    out->m.g[0] = k->t.x - sum(k->mean * ux);
    out->m.g[1] = k->t.y - sum(k->mean * uy);
    out->m.m[0] = sum(bend * (k->xx - qx * p->px));
    out->m.m[1] = sum(bend * (k->xy - qx * p->py));
    out->m.m[2] = sum(bend * (k->yy - qy * p->py));
}

/* Without branches, which would be guessed wrong half the time. */
static inline double clamp(double x)
{
    const double y = x < -1 ? -1 : x;
    return y > 1 ? 1 : y;
}

/* The least of the quadratic program in two shares of -1 to 1. If its top is outside the square,
 * the best is on a side that it is beyond: then on that of the first share if it holds that
 * there, else on that of the second, or inside. Branches only where kinks are nearly parallel. */
static inline __attribute__((always_inline)) void find_best(both diag, double off, both p, double sigma[2])
{
    const double aa = diag[0], bb = diag[1], product = aa * bb, det = product - off * off;
    if (!(det > 0x1p-40 * product)) {
        abut_cylinders_square(aa, off, bb, p[0], p[1], sigma);
        return;
    }
    const both per = 1 / diag;
    const double inverse = 1 / det, x = clamp(inverse * (bb * p[0] - off * p[1])),
                 y = clamp(inverse * (aa * p[1] - off * p[0]));
    const double other_y = clamp((p[1] - off * x) * per[1]), other_x = clamp((p[0] - off * y) * per[0]);
    const bool beyond = (fabs(x) >= 1) & (x * (aa * x + off * other_y - p[0]) <= 0);
    sigma[0] = beyond ? x : other_x;
    sigma[1] = beyond ? other_y : y;
}

/* What the step s->d makes of the kinks, and what it promises. */
static inline double set_gain(const model *k, both kink, abut_cylinders_step *s)
{
    const double *m = k->m.m, *g = k->m.g, d0 = s->d[0], d1 = s->d[1];
    const both diff = kink + k->ax * d0 + k->ay * d1;
    s->diff[0] = diff[0];
    s->diff[1] = diff[1];
    s->gain = (g[0] * d0 + g[1] * d1) - 0.5 * (d0 * (m[0] * d0 + 2 * m[1] * d1) + m[2] * d1 * d1) +
              0.5 * sum(sizes_of(kink) - sizes_of(diff));
    return s->gain;
}

/* The best step, as abut_cylinders_solve finds it, with M + floor in place of M: the shares, and
 * the step for those. */
static inline __attribute__((always_inline)) bool find_shares(const model *k, double floor, both kink,
                                                              abut_cylinders_step *s)
{
    const both ax = k->ax, ay = k->ay;
    const double *m = k->m.m, *g = k->m.g, m0 = m[0] + floor, m1 = m[1], m2 = m[2] + floor;
    const double det = m0 * m2 - m1 * m1;
    if (!(det > 0))
        return false;
    /* All times det, but for its quotient at the end. */
    const double ga = m2 * g[0] - m1 * g[1], gb = m0 * g[1] - m1 * g[0], inverse = 1 / det;
    const both bx = m2 * ax - m1 * ay, by = m0 * ay - m1 * ax, diag = 0.5 * (ax * bx + ay * by);
    const double off = 0.5 * (ax[0] * bx[1] + ay[0] * by[1]);
    const both sigma = signs_of(kink);
    s->sigma[0] = sigma[0];
    s->sigma[1] = sigma[1];
    find_best(diag, off, det * kink + ax * ga + ay * gb, s->sigma);
    s->d[0] = inverse * (ga - 0.5 * (s->sigma[0] * bx[0] + s->sigma[1] * bx[1]));
    s->d[1] = inverse * (gb - 0.5 * (s->sigma[0] * by[0] + s->sigma[1] * by[1]));
    return true;
}

/* The step ends on a kink. */
static inline bool ends_on_line(const abut_cylinders_step *s)
{
    return fabs(s->sigma[0]) < 1 || fabs(s->sigma[1]) < 1;
}

/* From there: onto the kinks it ends on, and what it gains. */
static inline __attribute__((always_inline)) void complete(const model *k, both kink, abut_cylinders_step *s)
{
    if (ends_on_line(s)) {
        const double edges[2] = { kink[0], kink[1] };
        const int i = fabs(s->sigma[1]) < 1;
        abut_cylinders_step placed = *s;
        if ((i && fabs(s->sigma[0]) < 1 ? abut_cylinders_on_kinks(&k->m, edges, &placed)
                                        : abut_cylinders_on_kink(&k->m, edges, i, &placed)) &&
            set_gain(k, kink, &placed) > 0) {
            /* a kink may lead too far where little bends along it */
            *s = placed;
            return;
        }
    }
    set_gain(k, kink, s);
}

static inline abut_vec3 moved(const plane *p, double part, const double d[2])
{
    return abut_v3(p->n.x + part * d[0], p->n.y + part * d[1], 1);
}

/* The step did not rise: kinks of cones are bent, and are taken where the step met them; then
 * shorter steps. */
static ABUT_MATH_NOINLINE bool step_shorter(climber *k, const model *m, double floor,
                                            const abut_cylinders_step *step, double part, const plane *p,
                                            plane *next)
{
    abut_cylinders_step s = *step;
    const both kink = p->diff + (next->diff - (both){ s.diff[0], s.diff[1] });
    if (part == 1 && k->body[0].apex + k->body[1].apex > 0 && find_shares(m, floor, kink, &s)) {
        complete(m, kink, &s);
        evaluate(k, moved(p, 1, s.d), next);
        if (next->f > p->f)
            return true;
    }
    for (int i = 0; i < MOST_CUTS; ++i) {
        part *= 0.25;
        evaluate(k, moved(p, part, step->d), next);
        if (next->f > p->f)
            return true;
    }
    return false;
}

static inline abut_cylinders_found meet_on_lines(const climber *k, const plane *p,
                                                 const abut_cylinders_step *s, meeting *out)
{
    const int i = fabs(s->sigma[1]) < 1;
    if (i && fabs(s->sigma[0]) < 1)
        return abut_cylinders_meet_on_lines(k, p->n, out);
    return abut_cylinders_meet_on_line(k, view_of(p, i).u, p->flat[i], s, i, out);
}

/* Climbs from at[0]; returns where it ends, in one of the two planes, or NULL: where it gets
 * stuck, or *met says that lines meet, or that they pass. Stops once f is above `most`. */
static inline plane *climb(climber *k, double most, plane at[2], meeting *hit, abut_cylinders_found *met)
{
    const double error = k->error;
    const double converged = 0x1p-16 * error * (k->body[0].r + k->body[0].h + k->body[1].r + k->body[1].h);
    plane *p = &at[0], *next = &at[1];
    abut_cylinders_step s = { .sigma = { copysign(1, p->diff[0]), copysign(1, p->diff[1]) } };
    double blunt = 0x1p-6;
    int tries = MOST_TRIES;
    for (int i = 0; i < MOST_STEPS && !(p->f > most); ++i) {
        model m;
        build(k, p, s.sigma, &m);
        const double floor = blunt * (m.m.m[0] + m.m.m[2]) + 0x1p-20 * (k->body[0].r + k->body[1].r);
        if (!find_shares(&m, floor, p->diff, &s))
            return NULL;
        const double square = abut_dot(p->n, p->n);
        if (tries > 0 && ends_on_line(&s) && s.d[0] * s.d[0] + s.d[1] * s.d[1] <= 4 * square) {
            --tries;
            *met = meet_on_lines(k, p, &s, hit);
            if (*met != ABUT_RIMS_LOST)
                return NULL;
        }
        complete(&m, p->diff, &s);
        p->sigma[0] = s.sigma[0];
        p->sigma[1] = s.sigma[1];
        const double size = s.d[0] * s.d[0] + s.d[1] * s.d[1];
        if (!(s.gain * s.gain > 0x1p-4 * error * error * square) || !(s.gain > 0))
            return p;
        if (size > 4 * square) { /* far out; to the end of it, which parts them all the way? */
            evaluate(k, abut_v3(s.d[0], s.d[1], 0), next);
            if (next->f > 0 && abut_cylinders_parts(k, next->n))
                return next;
        }
        const double part = size > 4 * square ? 2 * sqrt(square / size) : 1;
        evaluate(k, moved(p, part, s.d), next);
        if (next->f > p->f) {
            if (s.gain * s.gain < converged) { /* what is left is of the order of its square */
                next->sigma[0] = s.sigma[0];
                next->sigma[1] = s.sigma[1];
                return next;
            }
            blunt *= 0x1p-6;
        } else if (!step_shorter(k, &m, floor, &s, part, p, next))
            return s.gain * s.gain < 256 * error * error * square ? p : NULL;
        plane *swap = p;
        p = next;
        next = swap;
    }
    return p->f > most ? p : NULL;
}

/* ---- the whole of it ---- */

/* On the plane where a climb has ended. */
static void meet_at(const climber *k, const plane *p, meeting *out)
{
    const double scale = 1 / sqrt(abut_dot(p->n, p->n));
    out->n = abut_scale(scale, p->n);
    out->cap = -1;
    for (int i = 0; i < 2; ++i) {
        out->view[i] = view_of(p, i);
        out->view[i].flat *= scale;
        out->view[i].diff *= scale;
        out->sigma[i] = p->sigma[i];
    }
    out->x = point_of(k, p, 0);
    out->y = abut_sub(k->t, point_of(k, p, 1));
}

static inline void begin(climber *k, const abut_linear_cast *c, const abut_vec3 axis[2])
{
    k->c = c;
    k->evaluations = 0;
    /* A frame without a root: T. Duff and others, Building an Orthonormal Basis, Revisited,
     * 2017. */
    /* Here and below a quotient by a root does not wait for the root. */
    const abut_vec3 z = abut_scale(-c->speed * (1 / abut_dot(c->v, c->v)), c->v), t = c->pair.t;
    const double sign = copysign(1, z.z), a = -1 / (sign + z.z), b = z.x * z.y * a;
    const abut_vec3 e0 = abut_v3(1 + sign * z.x * z.x * a, sign * b, -sign * z.x),
                    e1 = abut_v3(b, sign + z.y * z.y * a, -z.y);
    k->e[0] = e0;
    k->e[1] = e1;
    k->e[2] = z;
    k->t = abut_v3(abut_dot(t, e0), abut_dot(t, e1), abut_dot(t, z));
    k->own_x = (both){ axis[0].x, -axis[1].x };
    k->own_y = (both){ axis[0].y, -axis[1].y };
    k->own_z = (both){ axis[0].z, -axis[1].z };
    k->ax = e0.x * k->own_x + e0.y * k->own_y + e0.z * k->own_z;
    k->ay = e1.x * k->own_x + e1.y * k->own_y + e1.z * k->own_z;
    k->az = z.x * k->own_x + z.y * k->own_y + z.z * k->own_z;
    for (int i = 0; i < 2; ++i) {
        const abut_core *core = i ? c->pair.b : c->pair.a;
        const bool cone = core->kind == ABUT_CORE_CONE;
        const double r = core->h[0], h = core->h[2];
        k->body[i].axis = abut_v3(k->ax[i], k->ay[i], k->az[i]);
        k->body[i].r = r;
        k->body[i].h = h;
        k->body[i].mean = k->mean[i] = cone ? 0.5 * r : r;
        k->body[i].apex = k->apex[i] = cone ? r : 0;
        k->h2[i] = 2 * h;
    }
    k->xx = 1 - k->ax * k->ax;
    k->xy = -k->ax * k->ay;
    k->yy = 1 - k->ay * k->ay;
    abut_cylinders_set_errors(k);
}

abut_linear_cast_end abut_linear_cast_cylinders(const abut_linear_cast *c, const abut_vec3 axis[2],
                                                abut_linear_cast_hit *out)
{
    climber k;
    plane at[2], *p = &at[0];
    meeting hit;
    tip top;
    begin(&k, c, axis);
    out->evaluations = 0;
    if (!(c->turns < ABUT_RIMS_MOST_TURN))
        return ABUT_SLIDE_UNSURE;
    /* The line of centres when balls of about the same size would meet; beyond them, whether the
     * plane across it parts the bodies all the way. */
    const double size = 0.55 * (k.body[0].r + k.body[0].h + k.body[1].r + k.body[1].h), square = size * size;
    const double past = k.t.x * k.t.x + k.t.y * k.t.y;
    if (past > 0.5 * square) {
        evaluate(&k, abut_v3(k.t.x, k.t.y, 0), p);
        out->evaluations = k.evaluations;
        if (p->f > 0 && abut_cylinders_parts(&k, p->n))
            return ABUT_SLIDE_MISS;
    }
    abut_cylinders_found met = try_caps(&k, &hit, &top) ? ABUT_RIMS_MET : ABUT_RIMS_LOST;
    if (met == ABUT_RIMS_LOST) {
        const double left = square - past > 0.1 * square ? square - past : 0.1 * square;
        const double scale = sqrt(left) * (1 / left);
        evaluate(&k, abut_v3(scale * k.t.x, scale * k.t.y, 1), p);
        if (top.f > p->f)
            leave_tip(&k, &top, p);
        const double most = c->most * (1 + 4 * u) * c->speed;
        p = climb(&k, most + 16 * k.error * (1 + fabs(p->n.x) + fabs(p->n.y)), at, &hit, &met);
    }
    out->evaluations = k.evaluations;
    if (met == ABUT_RIMS_PASSED)
        return ABUT_SLIDE_MISS;
    if (met == ABUT_RIMS_LOST) {
        if (!p)
            return ABUT_SLIDE_UNSURE;
        meet_at(&k, p, &hit);
    }
    return abut_cylinders_prove(&k, &hit, out);
}
