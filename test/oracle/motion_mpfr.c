/* SPDX-License-Identifier: MIT */
#include "oracle/motion_mpfr.h"

#include <stdlib.h>

/* Numbers come from a pool that is emptied at the start of every question, so that formulas can
 * be written as such. */
typedef mpfr_srcptr num;
enum { pool_size = 60000 };
static mpfr_t pool[pool_size];
static size_t used, made;
static mpfr_prec_t precision = 500;

void oracle_set_precision(long bits)
{
    precision = bits;
    for (size_t i = 0; i < made; ++i)
        mpfr_set_prec(pool[i], precision);
    used = 0;
}

void oracle_free(void)
{
    for (size_t i = 0; i < made; ++i)
        mpfr_clear(pool[i]);
    made = used = 0;
    mpfr_free_cache();
}

static mpfr_ptr fresh(void)
{
    if (used == pool_size)
        abort();
    if (used == made)
        mpfr_init2(pool[made++], precision);
    return pool[used++];
}

static num real(double x)
{
    const mpfr_ptr r = fresh();
    mpfr_set_d(r, x, MPFR_RNDN);
    return r;
}

#define BINARY(name, function)        \
    static num name(num a, num b)     \
    {                                 \
        const mpfr_ptr r = fresh();   \
        function(r, a, b, MPFR_RNDN); \
        return r;                     \
    }
BINARY(add, mpfr_add)
BINARY(sub, mpfr_sub)
BINARY(mul, mpfr_mul)
BINARY(quo, mpfr_div)
BINARY(angle_of, mpfr_atan2)

#define UNARY(name, function)       \
    static num name(num a)          \
    {                               \
        const mpfr_ptr r = fresh(); \
        function(r, a, MPFR_RNDN);  \
        return r;                   \
    }
UNARY(root, mpfr_sqrt)
UNARY(sine, mpfr_sin)
UNARY(cosine, mpfr_cos)
UNARY(cotangent, mpfr_cot)

static num pi(void)
{
    const mpfr_ptr r = fresh();
    mpfr_const_pi(r, MPFR_RNDN);
    return r;
}

typedef struct vec {
    num c[3];
} vec;

typedef struct quat {
    num w;
    vec v;
} quat;

typedef struct placement {
    num m[3][3];
    vec p;
} placement;

static vec vec_of(abut_vec3 a)
{
    return (vec){ { real(a.x), real(a.y), real(a.z) } };
}

static vec plus(vec a, vec b)
{
    return (vec){ { add(a.c[0], b.c[0]), add(a.c[1], b.c[1]), add(a.c[2], b.c[2]) } };
}

static vec times(num s, vec a)
{
    return (vec){ { mul(s, a.c[0]), mul(s, a.c[1]), mul(s, a.c[2]) } };
}

static vec minus(vec a, vec b)
{
    return plus(a, times(real(-1), b));
}

static num dot(vec a, vec b)
{
    return add(add(mul(a.c[0], b.c[0]), mul(a.c[1], b.c[1])), mul(a.c[2], b.c[2]));
}

static vec cross(vec a, vec b)
{
    vec r;
    for (int i = 0; i < 3; ++i)
        r.c[i] = sub(mul(a.c[(i + 1) % 3], b.c[(i + 2) % 3]), mul(a.c[(i + 2) % 3], b.c[(i + 1) % 3]));
    return r;
}

static quat product(quat a, quat b)
{
    return (quat){ sub(mul(a.w, b.w), dot(a.v, b.v)),
                   plus(plus(times(a.w, b.v), times(b.w, a.v)), cross(a.v, b.v)) };
}

static quat scaled(num s, quat q)
{
    return (quat){ mul(s, q.w), times(s, q.v) };
}

static num size_sq(quat q)
{
    return add(mul(q.w, q.w), dot(q.v, q.v));
}

/* Columns are q e q* / |q|^2. */
static void matrix_of(quat q, num m[3][3])
{
    const quat back = { q.w, times(real(-1), q.v) };
    const num n = size_sq(q);
    for (int j = 0; j < 3; ++j) {
        const quat e = { real(0), { { real(j == 0), real(j == 1), real(j == 2) } } };
        const quat r = product(product(q, e), back);
        for (int i = 0; i < 3; ++i)
            m[i][j] = quo(r.v.c[i], n);
    }
}

static quat turn_by(vec axis, num angle)
{
    const num half = mul(angle, real(0.5)), length = root(dot(axis, axis));
    return (quat){ cosine(half), times(quo(sine(half), length), axis) };
}

static quat stated(const abut_rotation *r)
{
    switch (r->kind) {
    case ABUT_ROTATION_QUATERNION: {
        const quat q = { real(r->quaternion.w),
                         vec_of((abut_vec3){ r->quaternion.x, r->quaternion.y, r->quaternion.z }) };
        return scaled(quo(real(1), root(size_sq(q))), q);
    }
    case ABUT_ROTATION_RADIANS: return turn_by(vec_of(r->axis), real(r->angle));
    case ABUT_ROTATION_DEGREES: return turn_by(vec_of(r->axis), quo(mul(real(r->angle), pi()), real(180)));
    default: return (quat){ real(1), { { real(0), real(0), real(0) } } };
    }
}

/* `to` or its opposite, so that the way from `from` is the shorter; a tie (to 2^-75) leaves the
 * sign as stated. */
static quat nearer(quat from, quat to)
{
    const num w = add(mul(from.w, to.w), dot(from.v, to.v));
    return mpfr_cmp_d(w, -0x1p-75) < 0 ? scaled(real(-1), to) : to;
}

static void joined(const oracle_motion *m, abut_motion_type type, num s, placement *out)
{
    const quat p = stated(&m->from.rotation), q = nearer(p, stated(&m->to.rotation));
    const vec from = vec_of(m->from.position), d = minus(vec_of(m->to.position), from);
    out->p = plus(from, times(s, d));
    if (type == ABUT_MOTION_NLERP) {
        const num r = sub(real(1), s);
        const quat a = scaled(r, p), b = scaled(s, q);
        matrix_of((quat){ add(a.w, b.w), plus(a.v, b.v) }, out->m);
        return;
    }
    const quat turn = product(q, (quat){ p.w, times(real(-1), p.v) });
    const num length = root(dot(turn.v, turn.v));
    /* Equal rotations stated in two ways leave a turn at the level of the precision. */
    if (mpfr_zero_p(length) || mpfr_get_exp(length) < 40 - precision) {
        matrix_of(p, out->m);
        return;
    }
    const num angle = mul(real(2), angle_of(length, turn.w)), part = mul(s, angle);
    const quat now = product(turn_by(turn.v, part), p);
    matrix_of(now, out->m);
    if (type != ABUT_MOTION_SCREW)
        return;
    const vec n = times(quo(real(1), length), turn.v);
    const num along = dot(n, d);
    const vec flat = minus(d, times(along, n));
    const vec centre =
        plus(from, times(real(0.5), plus(flat, times(cotangent(mul(angle, real(0.5))), cross(n, d)))));
    num spin[3][3];
    matrix_of(turn_by(n, part), spin);
    const vec arm = minus(from, centre);
    vec turned;
    for (int i = 0; i < 3; ++i)
        turned.c[i] = dot((vec){ { spin[i][0], spin[i][1], spin[i][2] } }, arm);
    out->p = plus(centre, plus(turned, times(mul(s, along), n)));
}

static num chebyshev_sum(const double *c, size_t count, num x)
{
    num before = real(1), now = x, sum = count ? mul(real(0.5), real(c[0])) : real(0);
    for (size_t k = 1; k < count; ++k) {
        sum = add(sum, mul(real(c[k]), now));
        const num next = sub(mul(mul(real(2), x), now), before);
        before = now;
        now = next;
    }
    return sum;
}

static double matrix_entry(const abut_affine *a, int e)
{
    const double p[3] = { a->translation.x, a->translation.y, a->translation.z };
    return e < 9 ? a->linear.m[e / 3][e % 3] : p[e - 9];
}

static num bernstein_sum(const oracle_motion *m, int e, num s)
{
    const size_t n = m->matrix_count - 1;
    const num r = sub(real(1), s);
    num sum = real(0);
    double choose = 1;
    for (size_t i = 0; i <= n; ++i) {
        num term = mul(real(choose), real(matrix_entry(&m->matrices[i], e)));
        for (size_t k = 0; k < i; ++k)
            term = mul(term, s);
        for (size_t k = i; k < n; ++k)
            term = mul(term, r);
        sum = add(sum, term);
        choose = choose * (double)(n - i) / (double)(i + 1);
    }
    return sum;
}

static void set_entry(placement *p, int e, num x)
{
    if (e < 9)
        p->m[e / 3][e % 3] = x;
    else
        p->p.c[e - 9] = x;
}

static void place(const oracle_motion *m, num t, double side, placement *out)
{
    const num span = sub(real(m->t1), real(m->t0)), since = sub(t, real(m->t0));
    switch (m->type) {
    case ABUT_MOTION_STATIC:
        if (m->has_matrix) {
            for (int e = 0; e < 12; ++e)
                set_entry(out, e, real(matrix_entry(&m->matrices[0], e)));
            return;
        }
        matrix_of(stated(&m->from.rotation), out->m);
        out->p = vec_of(m->from.position);
        return;
    case ABUT_MOTION_LINEAR:
    case ABUT_MOTION_SCREW:
    case ABUT_MOTION_NLERP: joined(m, m->type, quo(since, span), out); return;
    case ABUT_MOTION_VELOCITY: {
        const vec w = vec_of(m->angular);
        const quat start = stated(&m->from.rotation);
        const num speed = root(dot(w, w));
        matrix_of(mpfr_zero_p(speed) ? start : product(turn_by(w, mul(speed, since)), start), out->m);
        out->p = plus(vec_of(m->from.position), times(since, vec_of(m->linear)));
        return;
    }
    case ABUT_MOTION_CHEBYSHEV: {
        const num x = sub(mul(real(2), quo(since, span)), real(1));
        num c[7];
        for (int i = 0; i < 7; ++i)
            c[i] = chebyshev_sum(m->series[i], m->counts[i], x);
        out->p = (vec){ { c[0], c[1], c[2] } };
        const bool still = m->counts[3] + m->counts[4] + m->counts[5] + m->counts[6] == 0;
        matrix_of((quat){ still ? real(1) : c[3], { { c[4], c[5], c[6] } } }, out->m);
        return;
    }
    case ABUT_MOTION_AFFINE:
        for (int e = 0; e < 12; ++e)
            set_entry(out, e, bernstein_sum(m, e, quo(since, span)));
        return;
    case ABUT_MOTION_EXPRESSION: {
        num c[4];
        for (int i = 0; i < 4; ++i) {
            const double *k = m->terms[i];
            const num line = add(real(k[0]), mul(real(k[1]), t)),
                      wave = mul(real(k[2]), sine(mul(real(k[3]), t)));
            const num rest = quo(mul(real(k[4]), mul(t, t)), add(real(2), cosine(mul(real(k[5]), t))));
            c[i] = add(add(line, wave), rest);
        }
        out->p = (vec){ { c[0], c[1], c[2] } };
        matrix_of(turn_by(vec_of(m->angular), c[3]), out->m);
        return;
    }
    case ABUT_MOTION_KEYFRAMES: {
        size_t k = 0;
        while (k + 2 < m->key_count && m->keys[k + 1].t <= side)
            ++k;
        const oracle_motion piece = { .from = m->keys[k].at, .to = m->keys[k + 1].at };
        const num start = real(m->keys[k].t);
        joined(&piece, ABUT_MOTION_LINEAR, quo(sub(t, start), sub(real(m->keys[k + 1].t), start)), out);
        return;
    }
    case ABUT_MOTION_CHAIN: {
        place(m->links[0], t, side, out);
        for (size_t i = 1; i < m->link_count; ++i) {
            placement next, both;
            place(m->links[i], t, side, &next);
            for (int r = 0; r < 3; ++r) {
                const vec row = { { out->m[r][0], out->m[r][1], out->m[r][2] } };
                for (int c = 0; c < 3; ++c)
                    both.m[r][c] = dot(row, (vec){ { next.m[0][c], next.m[1][c], next.m[2][c] } });
                both.p.c[r] = add(dot(row, next.p), out->p.c[r]);
            }
            *out = both;
        }
        return;
    }
    default: abort();
    }
}

static oracle_place entries(const placement *p)
{
    oracle_place out;
    for (int e = 0; e < 12; ++e)
        out.v[e] = e < 9 ? p->m[e / 3][e % 3] : p->p.c[e - 9];
    return out;
}

oracle_place oracle_motion_at(const oracle_motion *m, double t)
{
    placement p;
    used = 0;
    place(m, real(t), t, &p);
    return entries(&p);
}

oracle_place oracle_motion_velocity(const oracle_motion *m, double t, double side)
{
    used = 0;
    const mpfr_ptr h = fresh();
    /* 2^-(precision / 4) of the duration; a tenth of a million turns in it still leaves 200
     * bits. */
    mpfr_set_d(h, m->type == ABUT_MOTION_STATIC ? 1 : m->t1 - m->t0, MPFR_RNDN);
    mpfr_div_2ui(h, h, (unsigned long)precision / 4, MPFR_RNDN);
    placement before, after;
    place(m, sub(real(t), h), side, &before);
    place(m, add(real(t), h), side, &after);
    const oracle_place a = entries(&before), b = entries(&after);
    oracle_place out;
    const num step = mul(real(2), h);
    for (int e = 0; e < 12; ++e)
        out.v[e] = quo(sub(b.v[e], a.v[e]), step);
    return out;
}
