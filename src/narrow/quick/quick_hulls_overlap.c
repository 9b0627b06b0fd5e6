/* SPDX-License-Identifier: MIT */
/* Whether two hulls meet: balls first; for up to 32 vertices then GJK in floats (hull_steer.h),
 * whose error bounds are enough where the answer is clear. Where they do not decide, nothing
 * is answered.
 *
 * Bodies are apart by more than the limit (radii and clearance) where v . w of the support found
 * exceeds it by what a search may be off: 2^-17 of the sizes for the places in the last bits of
 * values, and less than a sixth of that for rounding (docs/notes/gjk.md). They meet where four
 * points hold the origin, each within 2^-20 of the sizes of a point of -K. */
#include "narrow/distance/simplex.h"
#include "narrow/quick/hull_steer.h"
#include "narrow/quick/quick.h"

ABUT_ALWAYS_INLINE bool is_usual(const abut_core *core)
{
    return core->size >= 0x1p-140 && core->size + core->radius <= 0x1p140;
}

/* As abut_convex_compare_balls. */
ABUT_ALWAYS_INLINE abut_verdict compare_balls(const abut_core *a, const abut_pose *at_a, const abut_core *b,
                                              const abut_pose *at_b, double limit)
{
    const abut_vec3 d = abut_sub(at_b->position, at_a->position);
    const double square = abut_dot(d, d), outer = a->size + b->size + limit,
                 inner = a->inner + b->inner + limit;
    if (square > outer * outer * (1 + 0x1p-48) && square < 0x1p280)
        return ABUT_SEPARATE;
    if (inner > 0 && square < inner * inner * (1 - 0x1p-48) && a->inner + a->radius > 0 &&
        b->inner + b->radius > 0)
        return ABUT_PENETRATING;
    return ABUT_UNDECIDED;
}

#if ABUT_HULL_HAVE_SCAN

#include "base/avx2_begin.h"

enum { CENTRE = 0xffff };

/* The bodies, and how far these may be off: the separation along a direction, and where a point is. */
typedef struct question {
    steer k;
    float apart; /* limit and slack */
    double slack;
} question;

WIDE bool is_apart(const question *q, vector v, vector s)
{
    const float below = -_mm256_cvtss_f32(dots(v, s)), square = _mm256_cvtss_f32(dots(v, v));
    return below > 0 && below * below > q->apart * q->apart * square;
}

/* Points of the origins of the frames and of vertices. */
WIDE vector any_point(const question *q, vector centre, uint32_t from)
{
    return from == CENTRE ? centre : point_at(&q->k, from);
}

WIDE abut_vec3 in_doubles(vector s)
{
    return abut_v3((double)_mm256_cvtss_f32(s.x), (double)_mm256_cvtss_f32(s.y),
                   (double)_mm256_cvtss_f32(s.z));
}

static bool do_hold(const question *q, vector centre, const uint32_t from[4])
{
    abut_vec3 w[4];
    for (int i = 0; i < 4; ++i)
        w[i] = in_doubles(any_point(q, centre, from[i]));
    return abut_simplex_holds(w, q->slack);
}

WIDE void remember_axis(vector v, abut_cache *cache)
{
    if (!cache)
        return;
    const abut_vec3 n = in_doubles(v);
    const double inverse = 1 / sqrt(abut_dot(n, n));
    cache->axis[0] = inverse * n.x;
    cache->axis[1] = inverse * n.y;
    cache->axis[2] = inverse * n.z;
    cache->count = 0;
}

static void remember_points(const uint32_t from[4], abut_cache *cache)
{
    if (!cache)
        return;
    for (int i = 0; i < 4; ++i) {
        cache->a[i] = from[i] == CENTRE ? ABUT_CONVEX_CENTRE : vertex_at(from[i] & 255);
        cache->b[i] = from[i] == CENTRE ? ABUT_CONVEX_CENTRE : vertex_at(from[i] >> 8);
    }
    cache->count = 4;
}

/* From the difference of the centres, which is in K. */
WIDE abut_verdict walk(const question *q, vector centre, abut_cache *cache)
{
    const __m256 zero = _mm256_setzero_ps();
    vector v = less((vector){ zero, zero, zero }, centre);
    __m256 square = dots(v, v);
    corners c = { centre, _mm256_castsi256_ps(_mm256_setr_epi32(-1, 0, 0, 0, -1, 0, 0, 0)),
                  _mm256_set1_epi32(CENTRE), 1 };
    values at;
    for (int i = 0; i < STEER_ROUNDS; ++i) {
        const uint32_t from = search(&q->k, v, &at);
        const vector s = point_at(&q->k, from);
        if (is_apart(q, v, s)) {
            remember_axis(v, cache);
            return ABUT_SEPARATE;
        }
        const feature f = find_nearest(&c, s);
        if (f.holds) {
            uint32_t all[8];
            _mm256_storeu_si256((__m256i *)(void *)all, c.from);
            all[3] = from;
            if (!do_hold(q, centre, all))
                return ABUT_UNDECIDED;
            remember_points(all, cache);
            return ABUT_PENETRATING;
        }
        if (!(_mm256_cvtss_f32(f.square) < _mm256_cvtss_f32(square)))
            return ABUT_UNDECIDED;
        keep(&c, f.which, s, from);
        v = f.v;
        square = f.square;
    }
    return ABUT_UNDECIDED;
}

/* What was found the last time, for the bodies as they are now. */
WIDE abut_verdict try_again(const question *q, const abut_hull *a, const abut_hull *b, vector centre,
                            const abut_cache *cache)
{
    if (cache->count == 4) {
        uint32_t from[4];
        for (int i = 0; i < 4; ++i) {
            const uint32_t p = cache->a[i], r = cache->b[i];
            const bool known = p < a->vertex_count && r < b->vertex_count;
            if (!known && !(p == ABUT_CONVEX_CENTRE && r == p))
                return ABUT_UNDECIDED;
            from[i] = known ? place_of(p) | place_of(r) << 8 : CENTRE;
        }
        return do_hold(q, centre, from) ? ABUT_PENETRATING : ABUT_UNDECIDED;
    }
    const vector n = spread((float)cache->axis[0], (float)cache->axis[1], (float)cache->axis[2]);
    const float square = _mm256_cvtss_f32(dots(n, n));
    if (!(square > 0.5f && square < 2))
        return ABUT_UNDECIDED;
    values at;
    return is_apart(q, n, point_at(&q->k, search(&q->k, n, &at))) ? ABUT_SEPARATE : ABUT_UNDECIDED;
}

static __attribute__((flatten)) abut_verdict compare(const abut_core *a, const abut_pose *at_a,
                                                     const abut_core *b, const abut_pose *at_b, double limit,
                                                     abut_cache *cache)
{
    placed p;
    question q;
    if (!place(a, at_a, b, at_b, &p) || !place_bodies(a->hull, b->hull, p.m, p.t, &q.k) ||
        !(q.k.far > 0x1p-10) || !(limit * q.k.unit < 64))
        return ABUT_UNDECIDED;
    const double sizes = 1 + q.k.ratio + q.k.far, error = p.error * q.k.unit;
    q.apart = (float)((limit * q.k.unit + 0x1.4p-17 * sizes + error) * (1 + 0x1p-18));
    q.slack = 0x1p-20 * sizes + error;
    const vector centre =
        spread((float)(-q.k.unit * p.t.x), (float)(-q.k.unit * p.t.y), (float)(-q.k.unit * p.t.z));
    if (cache) {
        const abut_verdict verdict = try_again(&q, a->hull, b->hull, centre, cache);
        if (verdict != ABUT_UNDECIDED)
            return verdict;
    }
    return walk(&q, centre, cache);
}

#include "base/avx2_end.h"

#endif

abut_verdict abut_quick_overlap_hulls(const abut_shape *shape_a, const abut_pose *at_a,
                                      const abut_shape *shape_b, const abut_pose *at_b, double clearance,
                                      abut_cache *cache)
{
    const abut_core *a = &shape_a->core, *b = &shape_b->core;
    if (!is_usual(a) || !is_usual(b) || !abut_quick_norm_is_usual(abut_quick_norm(at_a->rotation)) ||
        !abut_quick_norm_is_usual(abut_quick_norm(at_b->rotation)))
        return ABUT_UNDECIDED;
    const double limit = a->radius + b->radius + clearance;
    const abut_verdict balls = compare_balls(a, at_a, b, at_b, limit);
    if (balls != ABUT_UNDECIDED)
        return balls;
#if ABUT_HULL_HAVE_SCAN
    /* Bodies without interior touch at most; where an origin is outside, the difference of the
     * centres says nothing. */
    if (is_steered(a) && is_steered(b) && a->inner >= 0 && b->inner >= 0 && a->hull->dimension == 3 &&
        b->hull->dimension == 3)
        return compare(a, at_a, b, at_b, limit, cache);
#endif
    return ABUT_UNDECIDED;
}
