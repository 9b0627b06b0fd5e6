/* SPDX-License-Identifier: MIT */
/* Segments, points and boxes that turn at constant rates, at one time: closed forms of the
 * distance and its rate, with what is known of the errors; see turn_round_parts.h. */
#include "ccd/advance/turn_round_parts.h"
#include "ccd/proof/sin_cos.h"

#include "motion/leg.h"

#include <stdint.h>

static const double u = 0x1p-53;

typedef abut_round_lanes lanes;
typedef uint64_t mask __attribute__((vector_size(16)));

/* ---- motions ---- */

/* Sine and cosine for |x| < 2^19, off by less than 8 u, in two lanes: as in path.c, with the
 * terms of the polynomials added pairwise. They are multiplied by less than 0.62, so that their
 * rounding counts for less than 3 u. */
static inline void sin_cos(lanes x, lanes *sine, lanes *cosine)
{
    static const double big = 0x1.8p52;
    const double *const p = abut_sine_terms, *const q = abut_cosine_terms;
    const lanes shifted = x * ABUT_TWO_OVER_PI + big, k = shifted - big;
    const lanes r = (x - k * ABUT_HALF_PI_HIGH) - k * ABUT_HALF_PI_LOW, z = r * r, z2 = z * z, z4 = z2 * z2;
    const lanes sn =
        ((p[0] + z * p[1]) + z2 * (p[2] + z * p[3])) + z4 * ((p[4] + z * p[5]) + z2 * (p[6] + z * p[7]));
    const lanes cs =
        ((q[0] + z * q[1]) + z2 * (q[2] + z * q[3])) + z4 * ((q[4] + z * q[5]) + z2 * (q[6] + z * q[7]));
    const mask s = (mask)(r + (r * z) * sn), c = (mask)(1 + z * cs);
    /* The last bits of `shifted` are those of k. */
    const mask quarter = (mask)shifted, odd = -(quarter & 1);
    const mask s_sign = (quarter & 2) << 62, c_sign = ((quarter + 1) & 2) << 62;
    *sine = (lanes)(((s & ~odd) | (c & odd)) ^ s_sign);
    *cosine = (lanes)(((c & ~odd) | (s & odd)) ^ c_sign);
}

typedef struct angles {
    lanes w, s, v, c;
} angles;

/* As `arc` in path.c. */
static void find_slow(const abut_turn_round_pair *w, angles *out)
{
    static const double sixth = 1.0 / 6, fourth = 1.0 / 24;
    for (int k = 0; k < 2; ++k)
        if (w->arms[k].slow) {
            const double x = out->w[k], xx = (w->arms[k].rate * x) * (w->arms[k].rate * x);
            out->s[k] = x * (1 - xx * (sixth - xx / 120));
            out->v[k] = x * x * (0.5 - xx * (fourth - xx / 720));
            out->c[k] = 1 - xx * (0.5 - xx * (fourth - xx / 720));
        }
}

static inline angles angles_at(const abut_turn_round_pair *w, double t)
{
    angles out;
    out.w = (t - w->t0) * w->per_time;
    sin_cos(out.w * w->angle_rate, &out.s, &out.c);
    out.v = 1 - out.c;
    if (w->slow)
        find_slow(w, &out);
    return out;
}

static inline void find_errors(const abut_turn_round_pair *w, lanes since, abut_round_view *out)
{
    for (int k = 0; k < 2; ++k) {
        const abut_round_arm *m = &w->arms[k];
        const double x = since[k];
        out->turn[k] = m->turn[0] + x * m->turn[1] + x * x * m->turn[2];
        out->drag[k] = m->turns ? m->speed * (out->turn[k] + 16 * u) + m->drag[0] + x * m->drag[1] : 0;
    }
}

static double width(abut_interval x)
{
    return x.hi - x.lo;
}

static double middle(abut_interval x)
{
    return 0.5 * x.lo + 0.5 * x.hi;
}

/* False where it turns otherwise, or is not known well enough. The matrices' errors are those of
 * path.c, which derives them; there phi (6 u + slip) is w (8 u rate + width of the rate). */
static inline bool begin_arm(const abut_motion *motion, const abut_core *core, double lo, double hi,
                             abut_round_arm *out)
{
    static const abut_mat3 identity = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
                           zero = { { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } } };
    *out = (abut_round_arm){ .m0 = &identity, .m1 = &zero, .m2 = &zero, .t0 = lo, .per_time = 1 };
    if (!motion || core->kind == ABUT_CORE_POINT)
        return true;
    out->m0 = &motion->track.r;
    out->turn[0] = motion->track.turn;
    if (!motion->track.turns)
        return out->turn[0] < 0x1p-42;
    const abut_leg *leg = abut_motion_leg(motion, lo);
    if (!leg || leg->spin.rational)
        return false;
    const abut_spin *spin = &leg->spin;
    const double rate = middle(spin->rate), slip = width(spin->rate), most = spin->rate.hi;
    out->turns = true;
    out->slow = spin->slow;
    out->m0 = &leg->middle[0];
    out->m1 = &leg->middle[1];
    out->m2 = &leg->middle[2];
    out->t0 = leg->t0;
    out->per_time = leg->by_rate ? 1 : 1 / (leg->t1 - leg->t0);
    out->rate = rate;
    out->scale = spin->slow ? out->per_time : out->per_time * rate;
    out->speed = most * out->per_time * (1 + 8 * u);
    const double *off = leg->off;
    if (spin->slow) {
        out->turn[0] = off[0] + 16 * u;
        out->turn[1] = off[1] + slip;
        out->turn[2] = off[2];
        out->drag[0] = out->per_time * (off[1] + slip);
        out->drag[1] = out->per_time * off[2];
    } else {
        out->turn[0] = off[0] + off[1] + 2 * off[2] + 32 * u;
        out->turn[1] = 8 * u * most + 2 * slip;
        out->drag[0] = out->per_time * (2 * slip + 2 * u * most);
    }
    const double per = spin->slow ? 1 : rate;
    out->spin = abut_scale(out->per_time * per,
                           abut_v3(middle(spin->axis.x), middle(spin->axis.y), middle(spin->axis.z)));
    out->blur = out->per_time * (1 + 8 * u) *
                    (per * (width(spin->axis.x) + width(spin->axis.y) + width(spin->axis.z)) +
                     (spin->slow ? 0 : slip)) +
                8 * u * out->speed;
    const double whole = (hi - leg->t0) * out->per_time;
    return most * whole < 0x1p10 && out->turn[0] + whole * (out->turn[1] + whole * out->turn[2]) < 0x1p-42 &&
           out->drag[0] + out->blur <= 0x1p-40 * (out->speed + 1) && isfinite(out->speed * out->speed);
}

/* The origin at lo as in quick_first.c, which derives the bound. */
static inline void begin_line(const abut_motion *motion, double lo, abut_vec3 *c, abut_vec3 *v,
                              abut_turn_round_pair *w)
{
    *c = *v = abut_v3(0, 0, 0);
    if (!motion)
        return;
    const abut_motion_track *track = &motion->track;
    const double since = lo - motion->t0;
    *c = track->from;
    *v = track->rate;
    w->drift += track->rate_error;
    w->fast += track->rate_size;
    if (since > 0 && track->rate_size > 0) {
        *c = abut_madd(track->from, since, track->rate);
        w->shift += u * (2 * track->from_size + 16 * since * track->rate_size) + 0x1p-1060;
    }
}

bool abut_round_begin(const abut_core *a, const abut_motion *motion_a, const abut_core *b,
                      const abut_motion *motion_b, double lo, double hi, abut_turn_round_pair *w)
{
    abut_vec3 start, rate;
    w->a = a;
    w->b = b;
    w->box_is_a = a->kind == ABUT_CORE_BOX;
    w->box = w->box_is_a ? a : b->kind == ABUT_CORE_BOX ? b : NULL;
    w->lo = lo;
    w->hi = hi;
    if (!begin_arm(motion_a, a, lo, hi, &w->arms[0]) || !begin_arm(motion_b, b, lo, hi, &w->arms[1]))
        return false;
    w->shift = w->drift = w->fast = 0;
    begin_line(motion_a, lo, &w->start, &w->rate, w);
    begin_line(motion_b, lo, &start, &rate, w);
    const double sense = w->box && !w->box_is_a ? -1 : 1;
    w->d = abut_scale(sense, abut_sub(start, w->start));
    w->v = abut_scale(sense, abut_sub(rate, w->rate));
    w->shift += 2 * u * abut_round_norm1(w->d) + 0x1p-1060;
    w->drift += 4 * u * w->fast;
    const abut_round_arm *p = &w->arms[0], *q = &w->arms[1];
    w->slow = p->slow || q->slow;
    w->t0 = (lanes){ p->t0, q->t0 };
    w->per_time = (lanes){ p->per_time, q->per_time };
    w->angle_rate = (lanes){ p->slow ? 0 : p->rate, q->slow ? 0 : q->rate };
    w->scale = (lanes){ p->scale, q->scale };
    if (w->box) {
        const abut_round_arm *own = w->box_is_a ? p : q;
        w->spin = abut_mul_t(own->m0, own->spin);
    } else {
        const abut_mat3 *of_p[3] = { p->m0, p->m1, p->m2 }, *of_q[3] = { q->m0, q->m1, q->m2 };
        for (int i = 0; i < 3; ++i) {
            const double(*m)[3] = of_p[i]->m, (*n)[3] = of_q[i]->m;
            w->axis[i] =
                (abut_round_column){ { m[0][2], n[0][2] }, { m[1][2], n[1][2] }, { m[2][2], n[2][2] } };
        }
    }
    w->radii = a->radius + b->radius;
    w->sizes = a->size + b->size;
    w->swift = w->fast + a->size * p->speed + b->size * q->speed;
    w->counters = (abut_counters){ 0 };
    /* Squares of lengths must neither overflow nor vanish. */
    const double far = w->sizes + w->radii, most = abut_round_norm1(w->d) + (hi - lo) * w->fast;
    return far > 0x1p-140 && most + far < 0x1p140 && w->swift < 0x1p140 && w->radii > 0x1p-140;
}

/* ---- looking ---- */

static inline double clamp(double x, double most)
{
    return x < -most ? -most : x > most ? most : x;
}

/* Two segments, in the world. s and t solve a . between = b . between = 0 with between = d + t b
 * - s a; where a and b are nearly parallel s is arbitrary, but t and s as found from it still
 * fulfil both to rounding. */
static bool examine_segments(const abut_turn_round_pair *w, double t, abut_round_view *out)
{
    const angles at = angles_at(w, t);
    const abut_round_column *m = w->axis;
    const lanes ax = m[0].x + (at.s * m[1].x + at.v * m[2].x), ay = m[0].y + (at.s * m[1].y + at.v * m[2].y),
                az = m[0].z + (at.s * m[1].z + at.v * m[2].z);
    const lanes rx = w->scale * (at.c * m[1].x + at.s * m[2].x),
                ry = w->scale * (at.c * m[1].y + at.s * m[2].y),
                rz = w->scale * (at.c * m[1].z + at.s * m[2].z);
    const abut_vec3 a = { ax[0], ay[0], az[0] }, b = { ax[1], ay[1], az[1] };
    const abut_vec3 d = abut_madd(w->d, t - w->lo, w->v);
    const double ha = w->a->h[2], hb = w->b->h[2];
    const double ab = abut_dot(a, b), ad = abut_dot(a, d), bd = abut_dot(b, d), det = 1 - ab * ab;
    const double first = clamp(det > 0 ? (ad - ab * bd) / det : ad, ha);
    const double zb = clamp(first * ab - bd, hb), za = clamp(zb * ab + ad, ha);
    const abut_vec3 between = abut_madd(abut_madd(d, zb, b), -za, a);
    out->t = t;
    out->d = d;
    out->v = w->v;
    out->axis[0] = a;
    out->axis[1] = b;
    out->axis_rate[0] = abut_v3(rx[0], ry[0], rz[0]);
    out->axis_rate[1] = abut_v3(rx[1], ry[1], rz[1]);
    out->z[0] = za;
    out->z[1] = zb;
    out->between = between;
    out->rate = abut_madd(abut_madd(w->v, zb, out->axis_rate[1]), -za, out->axis_rate[0]);
    find_errors(w, at.w, out);
    const double square = abut_dot(between, between), size = sqrt(square);
    out->length = size;
    out->gap = size - w->radii;
    out->closing = -abut_dot(between, out->rate) / size;
    return size > 0;
}

/* A point and a box, in the frame of the box. */
static bool examine_box(const abut_turn_round_pair *w, double t, abut_round_view *out)
{
    const angles at = angles_at(w, t);
    const int k = w->box_is_a ? 0 : 1;
    const abut_round_arm *m = &w->arms[k];
    const double s = at.s[k], v = at.v[k];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            out->r.m[i][j] = m->m0->m[i][j] + (s * m->m1->m[i][j] + v * m->m2->m[i][j]);
    const double *h = w->box->h;
    const abut_vec3 p = abut_mul_t(&out->r, abut_madd(w->d, t - w->lo, w->v));
    const abut_vec3 foot = { clamp(p.x, h[0]), clamp(p.y, h[1]), clamp(p.z, h[2]) };
    out->t = t;
    out->d = p;
    out->v = abut_mul_t(&out->r, w->v);
    out->foot = foot;
    out->between = abut_sub(p, foot);
    out->rate = abut_sub(out->v, abut_cross(w->spin, foot));
    find_errors(w, at.w, out);
    const double square = abut_dot(out->between, out->between), size = sqrt(square);
    out->length = size;
    out->gap = size - w->radii;
    out->closing = -abut_dot(out->between, out->rate) / size;
    return size > 0;
}

bool abut_turn_round_distance(abut_turn_round_pair *w, double t, abut_round_view *out)
{
    ++w->counters.iterations;
    ++w->counters.evaluations;
    return w->box ? examine_box(w, t, out) : examine_segments(w, t, out);
}
