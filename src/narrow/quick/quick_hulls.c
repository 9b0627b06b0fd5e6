/* SPDX-License-Identifier: MIT */
/* The distance of two hulls of up to 32 vertices that are clearly apart: GJK in floats finds the
 * feature (hull_steer.h), doubles prove it.
 *
 * The last search examined all vertices in floats along d, which is nearly the direction v of the
 * feature in doubles. Vertices whose values are below the largest by more than values may be off,
 * both by floats and since d is not v, are not the furthest along v (docs/notes/gjk.md). Mostly
 * that leaves the corners of the feature alone, and then s(v) is known from them. Where the
 * bounds do not decide, nothing is answered.
 *
 * From frame to frame the feature is mostly the same one. A cache has it tried first, for hulls
 * of up to 320 vertices: one look along its direction at the vertices of each body, in its own
 * frame, tells whether it is still the nearest. */
#include "narrow/quick/quick.h"

#include "narrow/quick/hull_steer.h"

#if ABUT_HULL_HAVE_SCAN

static const double u = 0x1p-53;

#include "base/avx2_begin.h"

/* What steering ends with. */
typedef struct found {
    corners c;
    vector v; /* minus the nearest point of the simplex, what `at` was searched along */
    __m256 square;
    values at;
    uint32_t rounds;
} found;

/* False where the bodies seem to meet. */
WIDE bool walk(const steer *k, vector n, found *out)
{
    const __m256 zero = _mm256_setzero_ps(),
                 ahead = _mm256_div_ps(_mm256_set1_ps(1.5f), _mm256_sqrt_ps(dots(n, n)));
    const __m256 close = _mm256_set1_ps((float)(0x1p-17 * (1 + k->ratio + k->far))),
                 close2 = _mm256_mul_ps(close, close);
    uint32_t from = search(k, n, &out->at);
    vector s = point_at(k, from), v = less((vector){ zero, zero, zero }, s);
    __m256 square = dots(s, s);
    corners c = { s, _mm256_castsi256_ps(_mm256_setr_epi32(-1, 0, 0, 0, -1, 0, 0, 0)),
                  _mm256_set1_epi32((int)from), 1 };
    /* The second direction is between n and the first corner: see abut_gjk_between. */
    const __m256 more = _mm256_mul_ps(ahead, _mm256_sqrt_ps(square));
    const vector aside = { _mm256_fmadd_ps(more, n.x, v.x), _mm256_fmadd_ps(more, n.y, v.y),
                           _mm256_fmadd_ps(more, n.z, v.z) };
    from = search(k, aside, &out->at);
    for (uint32_t i = 0; i < STEER_ROUNDS; ++i) {
        s = point_at(k, from);
        if (i > 0) {
            const __m256 gap = _mm256_add_ps(square, dots(v, s));
            if (!(_mm256_cvtss_f32(_mm256_mul_ps(gap, gap)) >
                  _mm256_cvtss_f32(_mm256_mul_ps(close2, square))) ||
                !(_mm256_cvtss_f32(gap) > 0)) {
                out->c = c;
                out->v = v;
                out->square = square;
                out->rounds = i;
                return true;
            }
        }
        const feature f = find_nearest(&c, s);
        if (f.holds)
            return false;
        if (_mm256_cvtss_f32(f.square) < _mm256_cvtss_f32(square)) {
            keep(&c, f.which, s, from);
            v = f.v;
            square = f.square;
        } else if (i > 0) {
            return false;
        }
        from = search(k, v, &out->at);
    }
    return false;
}

/* Vertices with values within `slack` of the largest, as bits by place. */
WIDE uint32_t near_top(const __m256 value[4], float slack)
{
    const __m256 none = _mm256_set1_ps(-INFINITY);
    const __m256 top =
        abut_scan_largest(_mm256_max_ps(_mm256_max_ps(value[1], _mm256_max_ps(value[0], none)),
                                        _mm256_max_ps(value[3], _mm256_max_ps(value[2], none))));
    return abut_scan_near(value, _mm256_sub_ps(top, _mm256_set1_ps(slack)));
}

/* ---- in doubles ---- */

/* The rotation of a (which = 0), or of b in a's frame (1). */
WIDE abut_vec3 turn(const double m[18], int which, abut_vec3 v)
{
    m += which;
    return abut_v3(m[0] * v.x + m[2] * v.y + m[4] * v.z, m[6] * v.x + m[8] * v.y + m[10] * v.z,
                   m[12] * v.x + m[14] * v.y + m[16] * v.z);
}

/* Of three points, lane by lane; the last lane is another's. */
typedef struct three {
    __m256d x, y, z;
} three;

WIDE three take_three(const double *a, const double *b, const double *c)
{
    const __m256d r0 = _mm256_load_pd(a), r1 = _mm256_load_pd(b), r2 = _mm256_load_pd(c);
    const __m256d lo = _mm256_unpacklo_pd(r0, r1), hi = _mm256_unpackhi_pd(r0, r1),
                  lo2 = _mm256_unpacklo_pd(r2, r2), hi2 = _mm256_unpackhi_pd(r2, r2);
    return (three){ _mm256_permute2f128_pd(lo, lo2, 0x20), _mm256_permute2f128_pd(hi, hi2, 0x20),
                    _mm256_permute2f128_pd(lo, lo2, 0x31) };
}

WIDE __m256d next_of(__m256d a)
{
    return _mm256_permute4x64_pd(a, 0xc9);
}

WIDE three next_three(three a)
{
    return (three){ next_of(a.x), next_of(a.y), next_of(a.z) };
}

WIDE three less_three(three a, three b)
{
    return (three){ a.x - b.x, a.y - b.y, a.z - b.z };
}

WIDE __m256d dot_three(three a, three b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

WIDE three cross_three(three a, three b)
{
    return (three){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

/* ---- the feature ---- */

/* What a feature says: the nearest point of K is per n; along n the furthest point of a and the
 * least of b. */
typedef struct facts {
    abut_vec3 n;
    double per, inverse; /* inverse: 1 / |n| */
    double top, low;
    double weight[4]; /* of the corners */
} facts;

/* Corners of the simplex: vertices, the first repeated where there are fewer than three. */
typedef struct origins {
    uint32_t a[3], b[3];
    const double *x[3], *y[3];
    uint32_t seen_a, seen_b; /* as bits */
} origins;

WIDE void take_origin(const abut_hull *a, const abut_hull *b, uint32_t x, uint32_t y, int i, origins *out)
{
    out->a[i] = x;
    out->b[i] = y;
    out->x[i] = a->rows + 4 * (size_t)x;
    out->y[i] = b->rows + 4 * (size_t)y;
}

WIDE void take_origins(const abut_hull *a, const abut_hull *b, const corners *c, origins *out)
{
    uint32_t from[8];
    _mm256_storeu_si256((__m256i *)(void *)from, c->from);
    const unsigned used = (unsigned)_mm256_movemask_ps(c->used) & 7, less_one = used & (used - 1),
                   less_two = less_one & (less_one - 1);
    const unsigned lane[3] = { (unsigned)__builtin_ctz(used),
                               (unsigned)__builtin_ctz(less_one ? less_one : used),
                               (unsigned)__builtin_ctz(less_two ? less_two : used) };
    out->seen_a = out->seen_b = 0;
    for (int i = 0; i < 3; ++i) {
        const uint32_t code = from[lane[i]];
        take_origin(a, b, vertex_at(code & 255), vertex_at(code >> 8), i, out);
        out->seen_a |= 1u << out->a[i];
        out->seen_b |= 1u << out->b[i];
    }
}

WIDE double most_of(double a, double b)
{
    return a > b ? a : b;
}

WIDE double least_of(double a, double b)
{
    return a < b ? a : b;
}

/* A triangle; its normal comes from the two shortest edges. */
WIDE bool find_face(const placed *p, const origins *o, facts *out)
{
    const three x = take_three(o->x[0], o->x[1], o->x[2]), b = take_three(o->y[0], o->y[1], o->y[2]);
    const double *m = p->m;
    __m256d r[9];
    for (int i = 0; i < 9; ++i)
        r[i] = _mm256_broadcast_sd(m + 2 * i + 1);
    const three y = { r[0] * b.x + r[1] * b.y + r[2] * b.z + _mm256_broadcast_sd(&p->t.x),
                      r[3] * b.x + r[4] * b.y + r[5] * b.z + _mm256_broadcast_sd(&p->t.y),
                      r[6] * b.x + r[7] * b.y + r[8] * b.z + _mm256_broadcast_sd(&p->t.z) };
    const three w = less_three(y, x), q = next_three(w), e = less_three(q, w),
                f = less_three(next_three(q), q);
    const three normals = cross_three(e, f), areas = cross_three(q, f);
    const __m256d ee = dot_three(e, e);
    double nx[4] __attribute__((aligned(32))), ny[4] __attribute__((aligned(32))),
        nz[4] __attribute__((aligned(32)));
    _mm256_store_pd(nx, normals.x);
    _mm256_store_pd(ny, normals.y);
    _mm256_store_pd(nz, normals.z);
    /* Lane i is of edges i and i + 1. */
    const int lane = ee[0] >= ee[1] && ee[0] >= ee[2] ? 1 : ee[1] >= ee[2] ? 2 : 0;
    const three n = { _mm256_broadcast_sd(nx + lane), _mm256_broadcast_sd(ny + lane),
                      _mm256_broadcast_sd(nz + lane) };
    const double nn = _mm256_cvtsd_f64(dot_three(n, n));
    const __m256d weight = dot_three(n, areas), along_x = dot_three(n, x), along_y = dot_three(n, y);
    const double height = along_y[0] - along_x[0], side = copysign(1, height);
    const __m256d sign = _mm256_set1_pd(side), sx = sign * along_x, sy = sign * along_y;
    const double sum = weight[0] + weight[1] + weight[2];
    _mm256_storeu_pd(out->weight, weight * _mm256_set1_pd(1 / sum));
    out->n = abut_v3(side * n.x[0], side * n.y[0], side * n.z[0]);
    out->per = fabs(height) / nn;
    out->inverse = 1 / sqrt(nn);
    out->top = most_of(most_of(sx[0], sx[1]), sx[2]);
    out->low = least_of(least_of(sy[0], sy[1]), sy[2]);
    return (_mm256_movemask_pd(weight) & 7) == 0 && sum > 0;
}

WIDE abut_vec3 take(const double *row)
{
    return abut_v3(row[0], row[1], row[2]);
}

/* An edge or a corner. */
static bool find_edge(const placed *p, const origins *o, bool edge, facts *out)
{
    abut_vec3 x[2], y[2], w[2];
    for (int i = 0; i < 2; ++i) {
        x[i] = take(o->x[i]);
        y[i] = abut_add(turn(p->m, 1, take(o->y[i])), p->t);
        w[i] = abut_sub(y[i], x[i]);
    }
    const abut_vec3 e = abut_sub(w[1], w[0]), g = abut_cross(e, w[0]);
    const double along[2] = { abut_dot(w[1], e), -abut_dot(w[0], e) }, sum = along[0] + along[1];
    const abut_vec3 n = edge ? abut_cross(g, e) : w[0];
    out->n = n;
    out->per = edge ? 1 / abut_dot(e, e) : 1;
    out->inverse = 1 / sqrt(abut_dot(n, n));
    out->top = most_of(abut_dot(n, x[0]), abut_dot(n, x[1]));
    out->low = least_of(abut_dot(n, y[0]), abut_dot(n, y[1]));
    out->weight[0] = edge ? along[0] / sum : 1;
    out->weight[1] = edge ? along[1] / sum : 0;
    out->weight[2] = 0;
    return !edge || (along[0] > 0 && along[1] > 0);
}

/* No vertex but those of the feature is furthest along v. */
WIDE bool is_furthest(const steer *k, const found *g, const facts *f, const origins *o)
{
    const double per = k->unit * f->per;
    const double x = per * f->n.x - (double)_mm256_cvtss_f32(g->v.x),
                 y = per * f->n.y - (double)_mm256_cvtss_f32(g->v.y),
                 z = per * f->n.z - (double)_mm256_cvtss_f32(g->v.z);
    const double off = 2.1 * (fabs(x) + fabs(y) + fabs(z)),
                 length = sqrt((double)_mm256_cvtss_f32(g->square));
    const double slack_a = off + 0x1p-20 * length,
                 slack_b = off * k->ratio + 0x1p-19 * length * (k->ratio + k->far);
    return ((near_top(g->at.a, (float)slack_a) & ~o->seen_a) |
            (near_top(g->at.b, (float)slack_b) & ~o->seen_b)) == 0;
}

/* Weighted rows. */
WIDE abut_vec3 weigh(const double *const row[3], const double weight[3])
{
    __m256d sum = _mm256_broadcast_sd(weight) * _mm256_load_pd(row[0]);
    for (int i = 1; i < 3; ++i)
        sum += _mm256_broadcast_sd(weight + i) * _mm256_load_pd(row[i]);
    return abut_v3(sum[0], sum[1], sum[2]);
}

/* ---- answers ---- */

/* What is written, where both bounds agree. */
WIDE bool answer(const abut_core *a, const abut_pose *at_a, const abut_core *b, const placed *p,
                 const origins *o, const facts *f, abut_distance_result *out)
{
    const abut_vec3 x = weigh(o->x, f->weight), y = abut_add(turn(p->m, 1, weigh(o->y, f->weight)), p->t),
                    v = abut_sub(y, x);
    const double below = (f->low - f->top) * f->inverse - p->error, above = sqrt(abut_dot(v, v)) + p->error,
                 radii = a->radius + b->radius;
    const double lo = below - radii - 4 * u * (radii + below), hi = above - radii + 4 * u * (radii + above);
    if (!(lo > 0 && above - below <= 4 * p->error))
        return false;
    const abut_vec3 normal = abut_scale(f->inverse, f->n);
    out->verdict = ABUT_SEPARATE;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    out->distance = (abut_interval){ lo, hi };
    out->has_points = true;
    out->point_a = abut_add(at_a->position, turn(p->m, 0, abut_madd(x, a->radius, normal)));
    out->point_b = abut_add(at_a->position, turn(p->m, 0, abut_madd(y, -b->radius, normal)));
    out->normal = abut_add(turn(p->m, 0, normal), abut_v3(0, 0, 0)); /* no -0 */
    return true;
}

WIDE void remember(const origins *o, uint32_t count, const facts *f, abut_cache *cache)
{
    cache->axis[0] = f->inverse * f->n.x;
    cache->axis[1] = f->inverse * f->n.y;
    cache->axis[2] = f->inverse * f->n.z;
    for (int i = 0; i < 3; ++i) {
        cache->a[i] = o->a[i];
        cache->b[i] = o->b[i];
    }
    cache->count = count;
}

/* No vertex but these three is furthest along d. */
WIDE bool are_furthest(const abut_hull *hull, abut_vec3 d, const uint32_t those[3])
{
    enum { BLOCK = ABUT_HULL_BLOCK, MOST_BLOCKS = ABUT_HULL_FLOATS / BLOCK };
    const abut_scan_along along = abut_scan_begin(d.x, d.y, d.z, fabs(d.x) + fabs(d.y) + fabs(d.z));
    if (hull->vertex_count <= BLOCK)
        return (abut_scan_block(hull, &along) & ~(1u << those[0] | 1u << those[1] | 1u << those[2])) == 0;
    const uint32_t blocks = (hull->vertex_count + BLOCK - 1) / BLOCK;
    __m256 value[MOST_BLOCKS][4], top = _mm256_set1_ps(-INFINITY);
    uint32_t known[MOST_BLOCKS] = { 0 }, others = 0;
    for (uint32_t i = 0; i < blocks; ++i)
        top = _mm256_max_ps(abut_scan_values(hull->floats + (size_t)i * 3 * BLOCK, &along, value[i]), top);
    for (int i = 0; i < 3; ++i)
        known[those[i] / BLOCK] |= 1u << those[i] % BLOCK;
    const __m256 least = _mm256_sub_ps(abut_scan_largest(top), along.slack);
    for (uint32_t i = 0; i < blocks; ++i)
        others |= abut_scan_near(value[i], least) & ~known[i];
    return others == 0;
}

/* The feature of the last time, if there was one, and if it still is the nearest. What is
 * in the cache names points of both bodies and a direction, whose bounds hold. */
static __attribute__((flatten)) bool try_again(const abut_core *a, const abut_pose *at_a, const abut_core *b,
                                               const abut_pose *at_b, abut_cache *cache,
                                               abut_distance_result *out)
{
    const abut_hull *ha = a->hull, *hb = b->hull;
    const uint32_t count = cache->count;
    placed p;
    origins o;
    facts f;
    if (count - 1 > 2)
        return false;
    for (uint32_t i = 0; i < 3; ++i) {
        const uint32_t from = i < count ? i : 0, x = cache->a[from], y = cache->b[from];
        if (x >= ha->vertex_count || y >= hb->vertex_count)
            return false;
        take_origin(ha, hb, x, y, (int)i, &o);
    }
    if (!place(a, at_a, b, at_b, &p) || !(b->size >= 0x1p-140 && b->size <= 0x1p140) ||
        !(count == 3 ? find_face(&p, &o, &f) : find_edge(&p, &o, count == 2, &f)) ||
        !(f.inverse >= 0x1p-450 && f.inverse <= 0x1p450)) /* as long as squares tell */
        return false;
    const abut_vec3 n = abut_scale(f.inverse, f.n);
    const double *m = p.m + 1;
    const abut_vec3 down =
        abut_v3(-(m[0] * n.x + m[6] * n.y + m[12] * n.z), -(m[2] * n.x + m[8] * n.y + m[14] * n.z),
                -(m[4] * n.x + m[10] * n.y + m[16] * n.z));
    if (!are_furthest(ha, n, o.a) || !are_furthest(hb, down, o.b) || !answer(a, at_a, b, &p, &o, &f, out))
        return false;
    out->counters = (abut_counters){ .iterations = 0, .evaluations = 1 };
    remember(&o, count, &f, cache);
    return true;
}

/* The inner balls overlap: there is nothing to be found. */
WIDE bool do_balls_meet(const abut_core *a, const abut_core *b, abut_vec3 t)
{
    const double inner = most_of(a->inner, 0) + most_of(b->inner, 0);
    return abut_dot(t, t) < inner * inner;
}

static __attribute__((flatten)) bool solve(const abut_core *a, const abut_pose *at_a, const abut_core *b,
                                           const abut_pose *at_b, abut_cache *cache,
                                           abut_distance_result *out)
{
    placed p;
    steer k;
    found g;
    origins o;
    facts f;
    if (!place(a, at_a, b, at_b, &p) || do_balls_meet(a, b, p.t) ||
        !place_bodies(a->hull, b->hull, p.m, p.t, &k) || !(k.far > 0x1p-10) ||
        !walk(&k, spread((float)(k.unit * p.t.x), (float)(k.unit * p.t.y), (float)(k.unit * p.t.z)), &g))
        return false;
    take_origins(a->hull, b->hull, &g.c, &o);
    if (!(g.c.count == 3 ? find_face(&p, &o, &f) : find_edge(&p, &o, g.c.count == 2, &f)) ||
        !is_furthest(&k, &g, &f, &o) || !answer(a, at_a, b, &p, &o, &f, out))
        return false;
    out->counters = (abut_counters){ .iterations = g.rounds, .evaluations = g.rounds + 2 };
    if (cache)
        remember(&o, g.c.count, &f, cache);
    return true;
}

#include "base/avx2_end.h"

ABUT_ALWAYS_INLINE bool is_scanned(const abut_core *core)
{
    return core->kind == ABUT_CORE_HULL && core->hull->floats && core->scale == 1;
}

static bool find_apart(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                       const abut_pose *pose_b, abut_cache *cache, abut_distance_result *out)
{
    if (cache && is_scanned(&a->core) && is_scanned(&b->core) &&
        try_again(&a->core, pose_a, &b->core, pose_b, cache, out))
        return true;
    return is_steered(&a->core) && is_steered(&b->core) &&
           solve(&a->core, pose_a, &b->core, pose_b, cache, out);
}

#else

static bool find_apart(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                       const abut_pose *pose_b, abut_cache *cache, abut_distance_result *out)
{
    (void)cache;
    (void)a;
    (void)pose_a;
    (void)b;
    (void)pose_b;
    (void)out;
    return false;
}

#endif

bool abut_quick_distance_hulls(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                               const abut_pose *pose_b, const abut_distance_opts *opts,
                               abut_distance_result *out)
{
    const bool close = abut_quick_is_likely_to_meet(&a->core, pose_a, &b->core, pose_b);
    if (opts->with_depth && close)
        return false;
    if (find_apart(a, pose_a, b, pose_b, opts->cache, out)) {
        if (out->distance.lo > opts->cutoff)
            out->stop = ABUT_STOP_CUTOFF;
        return true;
    }
    return abut_quick_distance_meeting(a, pose_a, b, pose_b, abut_quick_overlap_hulls, opts, out);
}
