/* SPDX-License-Identifier: MIT */
/* The portal of cast_portal.c for two hulls whose vertices are all examined, in one piece, for
 * AVX2.
 *
 * As in narrow/gjk_hulls.c a support point is a chain of operations that wait for each other, so
 * scans are in line, and coordinates go through vectors. At the end of a search the corners of
 * the portal are the furthest all alike, which is not guessed well: but that there are no others
 * tells that it is the end, and then all of them are examined as a matter of course. */
#include "ccd/cast/cast_portal.h"
#include "narrow/distance/simplex.h"
#include "shape/hull/hull_scan.h"

#if ABUT_HULL_HAVE_SCAN

static const double u = 0x1p-53;

static bool is_small(const abut_core *core)
{
    return core->kind == ABUT_CORE_HULL && core->hull->floats && core->scale == 1 &&
           core->hull->vertex_count <= ABUT_HULL_BLOCK;
}

bool abut_portal_takes_hulls(const abut_convex_pair *pair)
{
    return is_small(pair->a) && is_small(pair->b) && !abut_linear_cast_force_plain;
}

/* What is defined from here on may need the unit. */
#include "base/avx2_begin.h"

#define WIDE static inline __attribute__((always_inline))

/* How b is placed. */
typedef struct finder {
    const abut_hull *a, *b;
    __m256d row[3], column[3], t;
} finder;

WIDE __m256d row_of(double x, double y, double z)
{
    return _mm256_set_pd(0, z, y, x);
}

WIDE __m256d combine(const __m256d v[3], __m256d x, __m256d y, __m256d z)
{
    return _mm256_add_pd(_mm256_add_pd(_mm256_mul_pd(v[0], x), _mm256_mul_pd(v[1], y)),
                         _mm256_mul_pd(v[2], z));
}

WIDE __m256d dots(const __m256d a[3], const __m256d b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Of up to three vertices the one that abut_scan_decide gives, without asking how many there
 * are. */
WIDE uint32_t decide_three(const abut_hull *hull, double x, double y, double z, uint32_t seen)
{
    const uint32_t less = seen & (seen - 1), least = less & (less - 1);
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
        best = value[i] > most ? at[i] : best;
        most = value[i] > most ? value[i] : most;
    }
    return best;
}

/* Vertices a and b, as the spare corner. */
WIDE void put_spare(abut_portal *k, const finder *f, uint32_t a, uint32_t b)
{
    abut_portal_corner *out = k->spare;
    const double *to = f->b->rows + 4 * (size_t)b;
    const __m256d from = _mm256_load_pd(f->a->rows + 4 * (size_t)a);
    const __m256d there = _mm256_add_pd(
        combine(f->column, _mm256_broadcast_sd(to), _mm256_broadcast_sd(to + 1), _mm256_broadcast_sd(to + 2)),
        f->t);
    const __m256d w = _mm256_sub_pd(there, from);
    /* Each leaves something beyond, where the next one goes. */
    _mm256_storeu_pd(&out->p.w.x, w);
    _mm256_storeu_pd(&out->p.x.x, from);
    _mm256_storeu_pd(&out->p.y.x, there);
    out->p.a = a;
    out->p.b = b;
    out->round = abut_cross(k->z, abut_v3(w[0], w[1], w[2]));
}

/* A direction in floats keeps its digits. */
WIDE bool is_usual(double square)
{
    return square > 0x1p-100 && square < 0x1p100;
}

static __attribute__((noinline)) void find_unusual(abut_portal *k, abut_vec3 d)
{
    abut_portal_corner *out = k->spare;
    out->p.a = out->p.b = 0;
    k->seen[0] = k->seen[1] = UINT32_MAX;
    abut_convex_support(&k->c->pair, abut_v3(-d.x, -d.y, -d.z), &out->p);
    out->round = abut_cross(k->z, out->p.w);
}

/* As floats; the sum of the sizes of the coordinates of a direction is at most sqrt(3) of its
 * length, with room for rounding 1.75. */
WIDE void find(abut_portal *k, const finder *f, abut_vec3 d)
{
    const double square = abut_dot(d, d);
    k->d = d;
    ++k->supports;
    if (!is_usual(square)) {
        find_unusual(k, d);
        return;
    }
    const __m256 slack = _mm256_broadcastss_ps(
        _mm_mul_ss(_mm_sqrt_ss(_mm_set_ss((float)square)), _mm_set_ss(1.75f * 0x1p-20f)));
    const __m256d m = combine(f->row, _mm256_set1_pd(d.x), _mm256_set1_pd(d.y), _mm256_set1_pd(d.z));
    const __m128 g = _mm256_cvtpd_ps(m);
    const abut_scan_along along_a = { _mm256_set1_ps(-(float)d.x), _mm256_set1_ps(-(float)d.y),
                                      _mm256_set1_ps(-(float)d.z), slack },
                          along_b = { _mm256_broadcastss_ps(g),
                                      _mm256_broadcastss_ps(_mm_permute_ps(g, 0x55)),
                                      _mm256_broadcastss_ps(_mm_permute_ps(g, 0xaa)), slack };
    const uint32_t seen_a = abut_scan_block(f->a, &along_a), seen_b = abut_scan_block(f->b, &along_b);
    uint32_t known_a = 0, known_b = 0;
    for (int i = 0; i < 3; ++i) {
        known_a |= 1u << (k->at[i]->p.a % 32);
        known_b |= 1u << (k->at[i]->p.b % 32);
    }
    k->seen[0] = seen_a;
    k->seen[1] = seen_b;
    if (((seen_a & ~known_a) | (seen_b & ~known_b)) == 0)
        put_spare(k, f, decide_three(f->a, -d.x, -d.y, -d.z, seen_a),
                  decide_three(f->b, m[0], m[1], m[2], seen_b));
    else
        put_spare(k, f, abut_scan_decide(f->a, -d.x, -d.y, -d.z, seen_a),
                  abut_scan_decide(f->b, m[0], m[1], m[2], seen_b));
}

#include "ccd/cast/cast_portal_search.h"

abut_portal_end abut_portal_search_hulls(abut_portal *k)
{
    const abut_convex_pair *pair = &k->c->pair;
    const abut_mat3 *r = &pair->r;
    finder f = { .a = pair->a->hull, .b = pair->b->hull, .t = row_of(pair->t.x, pair->t.y, pair->t.z) };
    for (int i = 0; i < 3; ++i) {
        f.row[i] = row_of(r->m[i][0], r->m[i][1], r->m[i][2]);
        f.column[i] = row_of(r->m[0][i], r->m[1][i], r->m[2][i]);
    }
    return search(k, &f);
}

/* What floats cannot tell from the furthest (16 2^-24 of it, which has 6 2^-24 more than they
 * are off by) has all that linear_cast.c counts as level with it. So where that is one vertex of a
 * body, or two of each and edges that cross, they touch in one point. */
bool abut_portal_hulls_cross(const abut_portal *k, const abut_feature features[2])
{
    const int a = __builtin_popcount(k->seen[0]), b = __builtin_popcount(k->seen[1]);
    return a == 1 || b == 1 ||
           (a == 2 && b == 2 && features[0] == ABUT_FEATURE_EDGE && features[1] == ABUT_FEATURE_EDGE);
}

/* As plane_margin in narrow/simplex.c, for four planes at once. */
WIDE __m256d margins(const __m256d a[3], const __m256d b[3], const __m256d c[3], const __m256d d[3])
{
    __m256d e[3], f[3], g[3];
    for (int i = 0; i < 3; ++i) {
        e[i] = b[i] - a[i];
        f[i] = c[i] - a[i];
        g[i] = d[i] - a[i];
    }
    const __m256d n[3] = { e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0] };
    const __m256d length = _mm256_sqrt_pd(dots(n, n)), spread = _mm256_sqrt_pd(dots(e, e) * dots(f, f)),
                  far = _mm256_sqrt_pd(dots(a, a)), height = dots(n, a), side = dots(n, g);
    const __m256d minus = _mm256_set1_pd(-0.0), margin = 20 * u * spread;
    /* The plane is on the far side of the origin from d: minus the height where d is above it. */
    const __m256d below = _mm256_xor_pd(height, _mm256_andnot_pd(side, minus));
    const __m256d sure =
        _mm256_and_pd(_mm256_cmp_pd(length, 2 * margin, _CMP_GT_OQ),
                      _mm256_cmp_pd(_mm256_andnot_pd(minus, side),
                                    margin * _mm256_sqrt_pd(dots(d, d)) + margin * far, _CMP_GT_OQ));
    return _mm256_blendv_pd(_mm256_set1_pd(-1), (below - margin * far) / length, sure);
}

double abut_portal_margin(const abut_vec3 w[4])
{
    static const int corner[4][4] = { { 0, 0, 0, 1 }, { 1, 2, 3, 2 }, { 2, 3, 1, 3 }, { 3, 1, 2, 0 } };
    __m256d p[4][3];
    for (int i = 0; i < 4; ++i) {
        const abut_vec3 *q[4];
        for (int j = 0; j < 4; ++j)
            q[j] = &w[corner[i][j]];
        p[i][0] = _mm256_set_pd(q[3]->x, q[2]->x, q[1]->x, q[0]->x);
        p[i][1] = _mm256_set_pd(q[3]->y, q[2]->y, q[1]->y, q[0]->y);
        p[i][2] = _mm256_set_pd(q[3]->z, q[2]->z, q[1]->z, q[0]->z);
    }
    const __m256d m = margins(p[0], p[1], p[2], p[3]);
    const double m01 = m[0] < m[1] ? m[0] : m[1], m23 = m[2] < m[3] ? m[2] : m[3];
    return m01 < m23 ? m01 : m23;
}

#include "base/avx2_end.h"

#else
bool abut_portal_takes_hulls(const abut_convex_pair *pair)
{
    (void)pair;
    return false;
}

abut_portal_end abut_portal_search_hulls(abut_portal *k)
{
    (void)k;
    return ABUT_PORTAL_LOST;
}

double abut_portal_margin(const abut_vec3 w[4])
{
    return abut_simplex_margin(w);
}

bool abut_portal_hulls_cross(const abut_portal *k, const abut_feature features[2])
{
    (void)k;
    (void)features;
    return false;
}
#endif
