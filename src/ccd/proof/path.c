/* SPDX-License-Identifier: MIT */
/* Places and rates of motions in plain doubles with error bounds; see path.h.
 *
 * Legs of constant velocity and angular velocity have R = M0 + sin(phi) M1 + (1 - cos(phi)) M2, phi
 * = rate w (motion/spin.h), and are evaluated here with bounds known beforehand, because an
 * advancing solver needs a dozen of them. u = 2^-53. Errors, in the spectral norm (Frobenius norms
 * for those of the given matrices, which are known to about an ulp): what is not known of the
 * matrices, e0 + |sin| e1 + (1 - cos) e2; sine and cosine, 8 u each, and 1 u of 1 - cos, times |M1|
 * = |M2| = 1; phi itself, |phi| (6 u + slip); rounding of products and sums, 2 sqrt(2) + 4 sqrt(2)
 * + sqrt(3) < 11 u. So
 *     e0 + e1 + 2 e2 + |phi| (6 u + slip) + 28 u; the code has 32.
 * The rate of turning, rate (cos(phi) M1 + sin(phi) M2), is off by rate times no more than that,
 * and the relative error of the rate. Everything else goes through the enclosures of the motion. */
#include "ccd/proof/path.h"
#include "ccd/proof/sin_cos.h"

#include "motion/kernel.h"
#include "motion/leg.h"

static const double u = 0x1p-53;

/* Sine and cosine for |x| < 2^19, off by less than 8 u. x less a multiple of pi/2, which is
 * taken off in two parts (the first has 33 bits, so that the products are exact), is off by u;
 * Taylor's polynomials to 17th and 16th order leave less than 2^-56, their rounding less than 4
 * u. */
static void sin_cos(double x, double *s, double *c)
{
    static const double big = 0x1.8p52;
    const double k = (x * ABUT_TWO_OVER_PI + big) - big;
    const double r = (x - k * ABUT_HALF_PI_HIGH) - k * ABUT_HALF_PI_LOW, z = r * r;
    double p = abut_sine_terms[7], q = abut_cosine_terms[7];
    for (int i = 6; i >= 0; --i) {
        p = abut_sine_terms[i] + z * p;
        q = abut_cosine_terms[i] + z * q;
    }
    const double sine = r + r * z * p, cosine = 1 + z * q;
    const unsigned quarter = (unsigned)(int)k & 3u;
    const double sn = quarter & 1u ? cosine : sine, cs = quarter & 1u ? sine : cosine;
    *s = quarter & 2u ? -sn : sn;
    *c = (quarter + 1u) & 2u ? -cs : cs;
}

static double middle3(const abut_interval_vec3 *from, abut_vec3 *out)
{
    const abut_interval e[3] = { from->x, from->y, from->z };
    double m[3], off[3];
    for (int i = 0; i < 3; ++i) {
        m[i] = e[i].lo == e[i].hi ? e[i].lo : box_mid(e[i]);
        off[i] = e[i].lo == e[i].hi ? 0 : 0.5 * (e[i].hi - e[i].lo) + u * fabs(m[i]);
    }
    *out = abut_v3(m[0], m[1], m[2]);
    return abut_length(abut_v3(off[0], off[1], off[2])) * (1 + 0x1p-40);
}

static const abut_mat3 identity = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };

static bool place_by_enclosure(const abut_path *path, double t, abut_stance *out)
{
    abut_interval_affine at;
    if (abut_motion_enclose(path->motion, (abut_interval){ t, t }, &at))
        return false;
    if (path->round) {
        out->r = path->rest.r;
        out->turn = path->rest.turn;
    } else
        out->turn = abut_motion_middle(&at.linear, &out->r);
    out->shift = middle3(&at.translation, &out->c);
    return isfinite(out->turn) && isfinite(out->shift);
}

/* False: take it by enclosures. */
static bool begin_leg(const abut_leg *leg, abut_path *path)
{
    const abut_spin *spin = &leg->spin;
    const bool turns = spin->turns && !path->round;
    if (leg->screws || (turns && spin->rational))
        return false;
    path->kind = ABUT_PATH_STEADY;
    path->by_rate = leg->by_rate;
    path->t0 = leg->t0;
    path->t1 = leg->t1;
    path->per_time = leg->by_rate ? 1 : 1 / (leg->t1 - leg->t0);
    path->from = leg->from;
    path->to = leg->to;
    path->step = leg->by_rate ? leg->rate : abut_sub(leg->to, leg->from);
    path->from_size = abut_length(leg->from);
    path->step_size = abut_length(path->step);
    path->turns = turns;
    path->translates = !turns && !path->wobbles;
    path->slow = spin->slow;
    abut_stance *rest = &path->rest;
    rest->v = leg->rate;
    rest->shift_rate = leg->by_rate ? 0 : 4 * u * abut_length(leg->rate);
    if (!turns) {
        if (!path->round) {
            rest->r = leg->middle[0];
            rest->turn = leg->off[0];
        }
        path->turn = rest->turn;
        return true;
    }
    path->rings = !spin->slow;
    path->m0 = &leg->middle[0];
    path->e0 = leg->off[0];
    path->m1 = &leg->middle[1];
    path->m2 = &leg->middle[2];
    path->e1 = leg->off[1];
    path->e2 = leg->off[2];
    path->angle_rate = box_mid(spin->rate);
    if (spin->slow) /* the series takes the rate in its second term */
        path->e1 += spin->rate.hi - spin->rate.lo;
    path->angle_slip = spin->slow ? 0 : (spin->rate.hi - spin->rate.lo) / spin->rate.lo + 2 * u;
    const double whole = spin->rate.hi * (leg->by_rate ? leg->t1 - leg->t0 : 1);
    rest->speed = spin->rate.hi * path->per_time * (1 + 8 * u);
    rest->bend = rest->speed * rest->speed * (1 + 4 * u);
    const double rate = spin->slow ? path->per_time : path->per_time * path->angle_rate;
    path->spin =
        abut_v3(rate * box_mid(spin->axis.x), rate * box_mid(spin->axis.y), rate * box_mid(spin->axis.z));
    path->own_spin = abut_mul_t(path->m0, path->spin);
    path->turn = path->e0 + path->e1 + 2 * path->e2 + whole * (6 * u + path->angle_slip) + 32 * u;
    return whole < 0x1p19 && isfinite(rest->bend) && path->angle_slip < 0x1p-20;
}

/* A body that is round about axis k of its frame and turns about nearly that. With its own axis
 * in place of that of the motion, which is an angle d away, each point is off by 2 d of its
 * distance at most, at whatever angle; and the turn about its own axis changes nothing. So it
 * stands as at the start. Where d is no more than rounding leaves. */
static bool turns_about_own_axis(const abut_leg *leg, int k, abut_path *path)
{
    const abut_spin *spin = &leg->spin;
    if (!spin->turns || spin->slow)
        return false;
    abut_vec3 axis;
    const double off = middle3(&spin->axis, &axis);
    const abut_vec3 own = abut_mul_t(&leg->middle[0], axis);
    const double c[3] = { own.x, own.y, own.z };
    const double across = sqrt(c[(k + 1) % 3] * c[(k + 1) % 3] + c[(k + 2) % 3] * c[(k + 2) % 3]);
    if (!(across + off < 0x1p-48) || !(fabs(c[k]) > 0.5))
        return false;
    path->rest.r = leg->middle[0];
    path->rest.turn = leg->off[0] + 2 * (across + off + leg->off[0] + 8 * u) * (1 + 0x1p-20);
    return true;
}

void abut_path_begin(const abut_motion *motion, double lo, double hi, abut_symmetry symmetry, abut_path *out)
{
    memset(out, 0, sizeof *out);
    out->motion = motion;
    out->lo = lo;
    out->hi = hi;
    out->round = symmetry == ABUT_SYMMETRY_ALL;
    out->kind = ABUT_PATH_FIXED;
    out->rest.r = identity;
    if (!motion) {
        out->translates = true;
        return;
    }
    if (motion->type == ABUT_MOTION_STATIC) {
        out->translates = true;
        (void)place_by_enclosure(out, lo, &out->rest);
        return;
    }
    const abut_leg *leg = abut_motion_leg(motion, lo);
    if (leg && (symmetry == ABUT_SYMMETRY_X || symmetry == ABUT_SYMMETRY_Y || symmetry == ABUT_SYMMETRY_Z))
        out->round = out->wobbles = turns_about_own_axis(leg, (int)symmetry - (int)ABUT_SYMMETRY_X, out);
    const abut_mat3 r = out->rest.r;
    const double turn = out->rest.turn;
    if (leg && begin_leg(leg, out))
        return;
    out->kind = ABUT_PATH_ANY;
    out->translates = false;
    out->rest = (abut_stance){ .r = r, .turn = turn };
}

static double parameter(const abut_path *path, double t)
{
    const double since = t - path->t0;
    return path->by_rate ? since : t >= path->t1 ? 1 : since * path->per_time;
}

/* sin and 1 - cos, divided by the rate (and its square) where slow, and cos. */
static void arc(const abut_path *path, double w, double *s, double *v, double *c)
{
    if (path->slow) { /* cut off where the rest is below 2^-60 of it, for phi < 2^-8 */
        static const double sixth = 1.0 / 6, fourth = 1.0 / 24;
        const double xx = (path->angle_rate * w) * (path->angle_rate * w);
        *s = w * (1 - xx * (sixth - xx / 120));
        *v = w * w * (0.5 - xx * (fourth - xx / 720));
        *c = 1 - xx * (0.5 - xx * (fourth - xx / 720));
        return;
    }
    sin_cos(path->angle_rate * w, s, c);
    *v = 1 - *c;
}

/* Of paths that are not ABUT_PATH_ANY: where the origin is, and w. */
static double place_origin(const abut_path *path, double t, abut_vec3 *c, double *shift)
{
    if (path->kind == ABUT_PATH_FIXED) {
        *c = path->rest.c;
        *shift = path->rest.shift;
        return 0;
    }
    const double w = parameter(path, t);
    if (!path->by_rate && w == 1) {
        *c = path->to;
        *shift = 0;
    } else { /* the fraction 3 u, the difference of the ends 1 u, product and sum 2 u */
        *c = abut_madd(path->from, w, path->step);
        *shift = w == 0 ? 0 : u * (path->from_size + 8 * w * path->step_size) * (1 + 0x1p-40) + 0x1p-1070;
    }
    return w;
}

bool abut_path_line(const abut_path *path, double t, abut_stance *out)
{
    if (path->kind == ABUT_PATH_ANY)
        return false;
    (void)place_origin(path, t, &out->c, &out->shift);
    out->v = path->rest.v;
    out->shift_rate = path->rest.shift_rate;
    return true;
}

/* See the head. */
static double turn_error(const abut_path *path, double w)
{
    return path->slow ? path->e0 + w * path->e1 + w * w * path->e2 + 16 * u
                      : path->e0 + path->e1 + 2 * path->e2 +
                            path->angle_rate * w * (6 * u + path->angle_slip) + 32 * u;
}

bool abut_path_place(const abut_path *path, double t, abut_stance *out)
{
    if (path->kind == ABUT_PATH_ANY)
        return place_by_enclosure(path, t, out);
    out->r = path->rest.r;
    out->turn = path->rest.turn;
    const double w = place_origin(path, t, &out->c, &out->shift);
    if (!path->turns)
        return true;
    double s, v, c;
    arc(path, w, &s, &v, &c);
    out->sine = s;
    out->cosine = c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->r.m[i][j] = path->m0->m[i][j] + (s * path->m1->m[i][j] + v * path->m2->m[i][j]);
    out->turn = turn_error(path, w);
    return true;
}

bool abut_path_ring(const abut_path *path, abut_vec3 n, abut_vec3 ring[3], double *off)
{
    if (!path->rings) {
        ring[0] = abut_mul_t(&path->rest.r, n);
        ring[1] = ring[2] = abut_v3(0, 0, 0);
        *off = path->rest.turn + 8 * u;
        return path->round || (path->kind != ABUT_PATH_ANY && !path->turns);
    }
    const abut_vec3 m2 = abut_mul_t(path->m2, n);
    ring[0] = abut_add(abut_mul_t(path->m0, n), m2);
    ring[1] = abut_scale(-1, m2);
    ring[2] = abut_mul_t(path->m1, n);
    *off = path->e0 + path->e1 + 2 * path->e2 + 32 * u;
    return true;
}

/* Of the middle of an interval, whichever way it was rounded. */
static double off_by(abut_interval x)
{
    return x.lo == x.hi ? 0 : (0.5 * (x.hi - x.lo) + 0.5 * u * (fabs(x.lo) + fabs(x.hi))) * (1 + 0x1p-40);
}

double abut_stance_slack(const abut_stance *at, abut_vec3 n, double size)
{
    if (!at->boxed)
        return at->shift_rate + size * at->turn_rate;
    const double m[3] = { fabs(n.x), fabs(n.y), fabs(n.z) };
    double part[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            part[j] += m[i] * at->dr_off.m[i][j];
    const abut_vec3 v = at->v_off;
    const double turn = sqrt(part[0] * part[0] + part[1] * part[1] + part[2] * part[2]);
    return (m[0] * v.x + m[1] * v.y + m[2] * v.z + size * turn) * (1 + 16 * u) + 0x1p-1040 +
           (turn < 0x1p-500 ? size * 0x1p-500 : 0);
}

/* Beyond the piece nothing is asked for: there another one begins. */
static bool rates_by_enclosure(const abut_path *path, double t, double h, abut_stance *out)
{
    abut_interval_affine rate;
    const double end = fmin(fmax(t + h, path->lo), path->hi);
    const abut_interval span = { fmin(t, end), fmax(t, end) };
    if (abut_motion_enclose_velocity(path->motion, span, &rate))
        return false;
    out->shift_rate = middle3(&rate.translation, &out->v);
    out->bend = 0;
    out->boxed = true;
    out->v_off = abut_v3(off_by(rate.translation.x), off_by(rate.translation.y), off_by(rate.translation.z));
    if (path->round) {
        memset(&out->dr, 0, sizeof out->dr);
        memset(&out->dr_off, 0, sizeof out->dr_off);
        out->turn_rate = out->speed = 0;
        return isfinite(out->shift_rate);
    }
    out->turn_rate = abut_motion_middle(&rate.linear, &out->dr);
    for (int i = 0; i < 9; ++i)
        out->dr_off.m[i / 3][i % 3] = off_by(rate.linear.m[i / 3][i % 3]);
    double sum = 0;
    for (int i = 0; i < 9; ++i)
        sum += out->dr.m[i / 3][i % 3] * out->dr.m[i / 3][i % 3];
    out->speed = sqrt(sum) * (1 + 16 * u) + out->turn_rate;
    return isfinite(out->turn_rate) && isfinite(out->shift_rate) && isfinite(out->speed);
}

bool abut_path_rates(const abut_path *path, double t, double h, abut_stance *out)
{
    if (path->kind == ABUT_PATH_ANY)
        return rates_by_enclosure(path, t, h, out);
    out->v = path->rest.v;
    out->shift_rate = path->rest.shift_rate;
    out->speed = path->rest.speed;
    out->bend = path->rest.bend;
    out->boxed = false;
    out->turn_rate = 0;
    if (!path->turns) {
        memset(&out->dr, 0, sizeof out->dr);
        return true;
    }
    const double w = parameter(path, t);
    const double s = out->sine, c = out->cosine;
    const double scale = path->slow ? path->per_time : path->per_time * path->angle_rate;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->dr.m[i][j] = scale * (c * path->m1->m[i][j] + s * path->m2->m[i][j]);
    out->turn_rate = path->rest.speed * (out->turn + path->angle_slip + 16 * u) +
                     (path->slow ? path->per_time * (path->e1 + w * path->e2) : 0);
    return true;
}
