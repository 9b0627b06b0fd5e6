/* SPDX-License-Identifier: MIT */
/* GJK for two hulls whose vertices are all examined: the loop of gjk.c in one piece, for AVX2.
 *
 * The steps are those of gjk_search.h, and what comes out is the same to the last bit. A support
 * point is a chain of operations that wait for each other, from the direction to the point: so
 * the scans are in line, coordinates go through vectors and never through memory, and vertices
 * come from rows of four. */
#include "narrow/distance/gjk_search.h"
#include "shape/hull/hull_scan.h"

#if ABUT_HULL_HAVE_SCAN

static bool is_wide(const abut_core *core)
{
    return core->kind == ABUT_CORE_HULL && core->hull->floats && core->scale == 1;
}

/* A direction in floats keeps its digits. */
static bool is_usual(double square)
{
    return square > 0x1p-100 && square < 0x1p100;
}

bool abut_gjk_takes_hulls(const abut_convex_pair *pair, abut_vec3 n)
{
    return is_wide(pair->a) && is_wide(pair->b) && is_usual(abut_dot(n, n));
}

/* What is defined from here on may need the unit. */
#include "base/avx2_begin.h"

#define WIDE static inline __attribute__((always_inline))

/* How b is placed. */
typedef struct placed {
    const abut_hull *a, *b;
    __m256d row[3], column[3], t;
} placed;

WIDE __m256d row_of(double x, double y, double z)
{
    return _mm256_set_pd(0, z, y, x);
}

WIDE void place(const abut_convex_pair *pair, placed *out)
{
    const abut_mat3 *r = &pair->r;
    out->a = pair->a->hull;
    out->b = pair->b->hull;
    for (int i = 0; i < 3; ++i) {
        out->row[i] = row_of(r->m[i][0], r->m[i][1], r->m[i][2]);
        out->column[i] = row_of(r->m[0][i], r->m[1][i], r->m[2][i]);
    }
    out->t = row_of(pair->t.x, pair->t.y, pair->t.z);
}

/* In the order of abut_mul. */
WIDE __m256d combine(const __m256d v[3], __m256d x, __m256d y, __m256d z)
{
    return _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(v[0], x), _mm256_mul_pd(v[1], y)),
                         _mm256_mul_pd(v[2], z));
}

/* A direction of K for both hulls, |d|^2 = square. The sum of the sizes of a direction's
 * coordinates is at most sqrt(3) of its length, with room for rounding 1.75. */
typedef struct direction {
    double x, y, z;
    __m256d m; /* minus the direction of b */
    abut_scan_along a, b;
} direction;

WIDE void guess_impact(const placed *k, double x, double y, double z, double square, direction *out)
{
    const __m256 slack = _mm256_broadcastss_ps(
        _mm_mul_ss(_mm_sqrt_ss(_mm_set_ss((float)square)), _mm_set_ss(1.75f * 0x1p-20f)));
    out->x = x;
    out->y = y;
    out->z = z;
    out->m = combine(k->row, _mm256_set1_pd(x), _mm256_set1_pd(y), _mm256_set1_pd(z));
    const __m128 f = _mm_xor_ps(_mm256_cvtpd_ps(out->m), _mm_set1_ps(-0.0f));
    out->a = (abut_scan_along){ _mm256_set1_ps((float)x), _mm256_set1_ps((float)y), _mm256_set1_ps((float)z),
                                slack };
    out->b = (abut_scan_along){ _mm256_broadcastss_ps(f), _mm256_broadcastss_ps(_mm_permute_ps(f, 0x55)),
                                _mm256_broadcastss_ps(_mm_permute_ps(f, 0xaa)), slack };
}

/* The support of two vertices into a free slot; returns its w. */
WIDE abut_vec3 put_point(abut_gjk_search *s, const placed *k, uint32_t a, uint32_t b)
{
    abut_convex_point *p = &s->pool[abut_gjk_free(s)];
    const double *to = k->b->rows + 4 * (size_t)b;
    const __m256d from = _mm256_load_pd(k->a->rows + 4 * (size_t)a);
    const __m256d turned =
        combine(k->column, _mm256_broadcast_sd(to), _mm256_broadcast_sd(to + 1), _mm256_broadcast_sd(to + 2));
    const __m256d there = _mm256_add_pd(turned, k->t), w = _mm256_sub_pd(there, from);
    /* Each leaves something beyond, where the next one goes. */
    _mm256_storeu_pd(&p->w.x, w);
    _mm256_storeu_pd(&p->x.x, from);
    _mm256_storeu_pd(&p->y.x, there);
    p->a = a;
    p->b = b;
    s->last = p;
    ++s->supports;
    return abut_v3(w[0], w[1], w[2]);
}

/* Of up to three vertices the one that abut_scan_decide gives, without asking how many there
 * are. */
WIDE uint32_t decide_three(const abut_hull *hull, double x, double y, double z, uint32_t seen)
{
    const uint32_t less = seen & (seen - 1), least = less & (less - 1);
    if (least & (least - 1))
        return abut_scan_decide(hull, x, y, z, seen);
    const uint32_t at[3] = { (uint32_t)__builtin_ctz(seen), (uint32_t)__builtin_ctz(less ? less : seen),
                             (uint32_t)__builtin_ctz(least ? least : seen) };
    double value[3];
    for (int i = 0; i < 3; ++i) {
        const double *v = hull->rows + 4 * (size_t)at[i];
        value[i] = x * v[0] + y * v[1] + z * v[2];
    }
    uint32_t best = at[0];
    double most = value[0];
    for (int i = 1; i < 3; ++i) {
        const bool better = (value[i] > most) | ((value[i] == most) & (at[i] % 8 < best % 8));
        best = better ? at[i] : best;
        most = better ? value[i] : most;
    }
    return best;
}

/* The vertices of the simplex, as bits. */
WIDE void find_corners(const abut_gjk_search *s, uint32_t *a, uint32_t *b)
{
    *a = *b = 0;
    for (int i = 0; i < 3; ++i) {
        const abut_convex_point *p = &s->pool[s->at[i < s->count ? i : 0]];
        *a |= 1u << (p->a % 32);
        *b |= 1u << (p->b % 32);
    }
}

/* The support along d. At the end of a search the corners of the feature found are the furthest
 * all alike, which is not guessed well: but that there are no others tells that it is the end,
 * and then all of them are examined as a matter of course. */
WIDE abut_vec3 support(abut_gjk_search *s, const placed *k, double x, double y, double z, double square,
                       const bool small)
{
    direction d;
    guess_impact(k, x, y, z, square, &d);
    if (!small)
        return put_point(s, k, abut_scan_hull(k->a, &d.a, x, y, z),
                         abut_scan_hull(k->b, &d.b, -d.m[0], -d.m[1], -d.m[2]));
    uint32_t known_a, known_b;
    find_corners(s, &known_a, &known_b);
    const uint32_t a = abut_scan_block(k->a, &d.a), b = abut_scan_block(k->b, &d.b);
    if (((a & ~known_a) | (b & ~known_b)) == 0)
        return put_point(s, k, decide_three(k->a, x, y, z, a),
                         decide_three(k->b, -d.m[0], -d.m[1], -d.m[2], b));
    return put_point(s, k, abut_scan_decide(k->a, x, y, z, a),
                     abut_scan_decide(k->b, -d.m[0], -d.m[1], -d.m[2], b));
}

/* ---- the nearest point of a tetrahedron ---- */

/* Of three vectors, lane by lane; the last lane is another's. */
typedef struct three {
    __m256d x, y, z;
} three;

WIDE three take_three(const abut_vec3 *p)
{
    return (three){ _mm256_set_pd(p[2].x, p[2].x, p[1].x, p[0].x),
                    _mm256_set_pd(p[2].y, p[2].y, p[1].y, p[0].y),
                    _mm256_set_pd(p[2].z, p[2].z, p[1].z, p[0].z) };
}

WIDE __m256d next_lane(__m256d a)
{
    return _mm256_permute4x64_pd(a, 0xc9);
}

WIDE three next(three a)
{
    return (three){ next_lane(a.x), next_lane(a.y), next_lane(a.z) };
}

WIDE three less(three a, three b)
{
    return (three){ _mm256_sub_pd(a.x, b.x), _mm256_sub_pd(a.y, b.y), _mm256_sub_pd(a.z, b.z) };
}

WIDE __m256d dots(three a, three b)
{
    return _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(a.x, b.x), _mm256_mul_pd(a.y, b.y)),
                         _mm256_mul_pd(a.z, b.z));
}

WIDE three crosses(three a, three b)
{
    return (three){ _mm256_sub_pd(_mm256_mul_pd(a.y, b.z), _mm256_mul_pd(a.z, b.y)),
                    _mm256_sub_pd(_mm256_mul_pd(a.z, b.x), _mm256_mul_pd(a.x, b.z)),
                    _mm256_sub_pd(_mm256_mul_pd(a.x, b.y), _mm256_mul_pd(a.y, b.x)) };
}

WIDE __m256d is_less(__m256d a, __m256d b)
{
    return _mm256_cmp_pd(a, b, _CMP_LT_OQ);
}

/* abut_simplex_try_solid with its three faces and three edges side by side: what is not to be
 * tried is infinitely far. Lane i has the face and the edge from a to p[i], the face on to the
 * next. False for tetrahedra without thickness and slim faces, which want more care. */
WIDE bool try_solid(const abut_vec3 *p, abut_vec3 corner, abut_nearest_feature *best)
{
    const __m256d zero = _mm256_setzero_pd(), far = _mm256_set1_pd(INFINITY);
    const three a = { _mm256_set1_pd(corner.x), _mm256_set1_pd(corner.y), _mm256_set1_pd(corner.z) };
    const three b = take_three(p), e = less(b, a), n = crosses(e, next(e)), g = crosses(a, e);
    const __m256d ee = dots(e, e), nn = dots(n, n), height = dots(n, a), volumes = dots(e, next(n));
    const double volume = volumes[0];
    if (!(volume * volume > ABUT_SIMPLEX_FLAT * (ee[0] * nn[1])))
        return false;
    const __m256d sign = _mm256_set1_pd(copysign(1, volume));
    const __m256d out = _mm256_cmp_pd(_mm256_mul_pd(sign, height), zero, _CMP_NLT_UQ);
    const __m256d spread = _mm256_mul_pd(_mm256_set1_pd(ABUT_SIMPLEX_SLIM), _mm256_mul_pd(ee, next_lane(ee)));
    if (_mm256_movemask_pd(_mm256_and_pd(out, _mm256_cmp_pd(nn, spread, _CMP_NGT_UQ))) & 7)
        return false;
    if ((_mm256_movemask_pd(out) & 7) == 0) {
        *best = (abut_nearest_feature){ { 0, 0, 0 }, 0, 7 };
        return true;
    }
    const __m256d per_n = _mm256_div_pd(_mm256_set1_pd(1), nn), per_e = _mm256_div_pd(_mm256_set1_pd(1), ee);
    /* On the inner side of both edges at a, and of the third. */
    const __m256d in_this = is_less(zero, dots(n, g)), in_next = is_less(dots(n, next(g)), zero);
    const __m256d in_third = is_less(zero, dots(n, crosses(b, less(next(b), b))));
    const __m256d in_both = _mm256_and_pd(in_this, in_next);
    const __m256d faces = _mm256_and_pd(out, _mm256_and_pd(in_both, in_third));
    /* Edge i is tried where face i, or the one before, ends beyond it. */
    const __m256d beyond_next = _mm256_andnot_pd(in_next, out);
    const __m256d tried =
        _mm256_or_pd(_mm256_andnot_pd(in_this, out), _mm256_permute4x64_pd(beyond_next, 0xd2));
    const __m256d ahead = is_less(dots(a, e), zero);
    const __m256d edges = _mm256_and_pd(_mm256_and_pd(tried, ahead), is_less(zero, dots(b, e)));
    const __m256d part = _mm256_mul_pd(height, per_n);
    const three to_edge = crosses(e, g);
    const __m256d by_face = _mm256_blendv_pd(far, _mm256_mul_pd(_mm256_mul_pd(height, height), per_n), faces);
    const __m256d by_edge = _mm256_blendv_pd(far, _mm256_mul_pd(per_e, dots(g, g)), edges);
    const __m256d which = is_less(by_edge, by_face), square = _mm256_min_pd(by_edge, by_face);
    const three v = { _mm256_blendv_pd(_mm256_mul_pd(part, n.x), _mm256_mul_pd(per_e, to_edge.x), which),
                      _mm256_blendv_pd(_mm256_mul_pd(part, n.y), _mm256_mul_pd(per_e, to_edge.y), which),
                      _mm256_blendv_pd(_mm256_mul_pd(part, n.z), _mm256_mul_pd(per_e, to_edge.z), which) };
    const int lane =
        square[1] < square[0] ? (square[2] < square[1] ? 2 : 1) : (square[2] < square[0] ? 2 : 0);
    static const unsigned char kept[2][3] = { { 3, 6, 5 }, { 1, 2, 4 } };
    const double own = abut_dot(corner, corner);
    *best = (abut_nearest_feature){ { v.x[lane], v.y[lane], v.z[lane] },
                                    square[lane],
                                    kept[_mm256_movemask_pd(which) >> lane & 1][lane] };
    if ((_mm256_movemask_pd(_mm256_andnot_pd(ahead, tried)) & 7) && own < best->square)
        *best = (abut_nearest_feature){ corner, own, 0 };
    return true;
}

WIDE bool grow(abut_gjk_search *s, abut_vec3 a)
{
    abut_nearest_feature f;
    if (s->count != 3 || !try_solid(s->w, a, &f))
        abut_simplex_grow(s->w, s->count, a, &f);
    return abut_gjk_go_to(s, a, &f);
}

/* ---- the search ---- */

WIDE bool walk(abut_gjk_search *s, abut_vec3 n, const bool small)
{
    placed k;
    place(s->pair, &k);
    const double near = s->pair->error * s->pair->error;
    s->used = 0;
    s->pool[0].a = s->pool[0].b = 0;
    s->count = 1;
    s->v = s->w[0] = support(s, &k, n.x, n.y, n.z, abut_dot(n, n), small);
    s->used = 1;
    s->last = NULL;
    s->square = abut_dot(s->v, s->v);
    const abut_vec3 aside = abut_gjk_between(s, n);
    const double square = abut_dot(aside, aside);
    if (!(is_usual(square) && s->square > near))
        return false;
    const abut_vec3 second = support(s, &k, aside.x, aside.y, aside.z, square, small);
    if (!grow(s, second))
        s->last = NULL;
    while (s->count < 4 && s->square > near && s->supports < ABUT_GJK_SUPPORTS) {
        if (!is_usual(s->square))
            return false;
        const abut_vec3 w = support(s, &k, s->v.x, s->v.y, s->v.z, s->square, small);
        const double below = abut_dot(s->v, w), gap = s->square - below;
        if (abut_gjk_is_decided(s, gap))
            break;
        (void)abut_gjk_note_bound(s, below);
        if (abut_gjk_is_stuck(s, gap, w) || !grow(s, w))
            break;
    }
    return true;
}

/* All in line: a call would put every vector into memory and back. */
static __attribute__((flatten)) bool walk_small(abut_gjk_search *s, abut_vec3 n)
{
    return walk(s, n, true);
}

static __attribute__((flatten)) bool walk_large(abut_gjk_search *s, abut_vec3 n)
{
    return walk(s, n, false);
}

bool abut_gjk_walk_hulls(abut_gjk_search *s, abut_vec3 n)
{
    return s->pair->a->hull->vertex_count <= ABUT_HULL_BLOCK &&
                   s->pair->b->hull->vertex_count <= ABUT_HULL_BLOCK
               ? walk_small(s, n)
               : walk_large(s, n);
}

#include "base/avx2_end.h"

#else

bool abut_gjk_takes_hulls(const abut_convex_pair *pair, abut_vec3 n)
{
    (void)pair;
    (void)n;
    return false;
}

bool abut_gjk_walk_hulls(abut_gjk_search *s, abut_vec3 n)
{
    (void)s;
    (void)n;
    return false;
}

#endif
