/* SPDX-License-Identifier: MIT */
/* Depth of two hulls whose vertices are all examined: the growing polytope of depth.c in one
 * piece, for AVX2 (hull_shell.h).
 *
 * Method and proof are those of docs/notes/depth.md. A growth is a chain of operations that wait
 * for each other, so what counts is that it is short:
 * - One pass over the planes says which see the point and which of the others is nearest.
 * - Distances are taken before the normal has its length, so that the root and the division run
 *   beside them.
 * - The surface that proved the last depth of a pair is kept in the caller's cache as numbers of
 *   vertices. In nearly the same places it proves nearly all of the next; nothing that stands
 *   there is believed but that edges are found once each way, which is examined. What does not
 *   go on in this way (a rim that meets itself, triangles without area, too many points) is left
 *   to depth.c. */
#include "abut/predicates.h"
#include "narrow/depth/depth.h"
#include "shape/hull/hull_scan.h"

#if ABUT_HULL_HAVE_SCAN

/* What the file is made of comes first: only what is defined here may need the unit. */
#include "base/avx2_begin.h"

#include "narrow/depth/hull_shell.h"

/* ---- support points ---- */

/* For unit vectors: the sum of the sizes of their coordinates is at most the root of 3, a little
 * more after rounding. */
WIDE abut_scan_along along(__m256d d, __m128 sign)
{
    const __m128 f = _mm_xor_ps(_mm256_cvtpd_ps(d), sign);
    return (abut_scan_along){ _mm256_broadcastss_ps(f), _mm256_broadcastss_ps(_mm_permute_ps(f, 0x55)),
                              _mm256_broadcastss_ps(_mm_permute_ps(f, 0xaa)), _mm256_set1_ps(0x1.bcp-20f) };
}

/* Point `at` is the difference of two vertices. */
WIDE __m256d put_point(shell *s, uint32_t at, uint32_t a, uint32_t b)
{
    const double *y = s->b->rows + 4 * (size_t)b;
    const __m256d turned =
        combine(s->column, _mm256_broadcast_sd(y), _mm256_broadcast_sd(y + 1), _mm256_broadcast_sd(y + 2));
    const __m256d w = _mm256_sub_pd(_mm256_add_pd(turned, s->t), _mm256_load_pd(s->a->rows + 4 * (size_t)a));
    _mm256_store_pd(s->w[at], w);
    s->of_a[at] = (uint8_t)a;
    s->of_b[at] = (uint8_t)b;
    return w;
}

/* The support point of K along a unit vector, as point `point_count`, which is not counted yet;
 * its f is noted. */
WIDE __m256d probe(shell *s, __m256d u, double *value)
{
    const __m256d m = combine(s->row, spread(u, 0), spread(u, 1), spread(u, 2));
    const abut_scan_along along_a = along(u, _mm_set1_ps(-0.0f)), along_b = along(m, _mm_setzero_ps());
    const uint32_t a = abut_scan_hull(s->a, &along_a, -u[0], -u[1], -u[2]),
                   b = abut_scan_hull(s->b, &along_b, m[0], m[1], m[2]);
    const uint32_t at = s->point_count;
    const __m256d w = put_point(s, at, a, b);
    ++s->supports;
    const double f = dot(u, w);
    const bool less = f < s->f;
    s->u = _mm256_blendv_pd(s->u, u, _mm256_set1_pd(less ? -1.0 : 1.0));
    s->best = less ? at : s->best;
    s->f = less ? f : s->f;
    *value = f;
    return w;
}

/* ---- the start ---- */

WIDE __m256d turn_lanes(__m256d a, const int by)
{
    return by == 1   ? _mm256_permute4x64_pd(a, 0x39)
           : by == 2 ? _mm256_permute4x64_pd(a, 0x4e)
                     : _mm256_permute4x64_pd(a, 0x93);
}

WIDE four turned(four a, const int by)
{
    return (four){ turn_lanes(a.x, by), turn_lanes(a.y, by), turn_lanes(a.z, by) };
}

WIDE bool all_behind(const four_planes *p, four v, __m256d slack)
{
    return _mm256_movemask_pd(_mm256_cmp_pd(dot_four(p->n, v), p->d - slack, _CMP_LT_OQ)) == 15;
}

WIDE void clear_planes(shell *s, uint32_t from)
{
    for (uint32_t i = from; i < FACES / LANES; ++i)
        _mm256_store_pd(s->plane[i].d, _mm256_set1_pd(INFINITY));
}

/* An octahedron over the six points. Faces k and 4 + k are above and below the side from corner
 * 1 + k to the next. False where those points are not its corners. */
WIDE bool join_six(shell *s, nearest *first)
{
    const four ring = take_four(s->w[1], s->w[2], s->w[3], s->w[4]), next = turned(ring, 1),
               top = all_four(_mm256_load_pd(s->w[0])), bottom = all_four(_mm256_load_pd(s->w[5]));
    const four_planes upper = planes_of(top, ring, next), lower = planes_of(bottom, next, ring);
    const __m256d slack = _mm256_set1_pd(s->error);
    if ((upper.wide & lower.wide) != 15 || !all_behind(&upper, turned(ring, 2), slack) ||
        !all_behind(&upper, bottom, slack) || !all_behind(&lower, turned(ring, 3), slack))
        return false;
    clear_planes(s, 2);
    put_block(s, 0, &upper);
    put_block(s, 1, &lower);
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t here = 1 + k, there = 1 + (k + 1) % 4;
        s->corner[k] = corners_of(0, here, there);
        s->corner[4 + k] = corners_of(5, there, here);
    }
    s->face_count = 8;
    record r = { upper.d, _mm256_set_pd(3, 2, 1, 0) };
    note(&r, lower.d, _mm256_set_pd(7, 6, 5, 4));
    *first = first_of(&r);
    s->around = (upper.sure & lower.sure) == 15 && first->d > 2 * s->error;
    return true;
}

static void swap_points(shell *s, uint32_t i, uint32_t j)
{
    const __m256d w = _mm256_load_pd(s->w[i]);
    _mm256_store_pd(s->w[i], _mm256_load_pd(s->w[j]));
    _mm256_store_pd(s->w[j], w);
    const uint8_t a = s->of_a[i], b = s->of_b[i];
    s->of_a[i] = s->of_a[j];
    s->of_b[i] = s->of_b[j];
    s->of_a[j] = a;
    s->of_b[j] = b;
    s->best = s->best == i ? j : s->best == j ? i : s->best;
}

/* Makes point `at` the one of those behind it that is furthest off the point, line or plane of
 * those before; false where that is nothing. */
static bool choose_corner(shell *s, uint32_t at)
{
    const abut_vec3 o = point_of(s->w[0]), e = abut_sub(point_of(s->w[1]), o),
                    n = abut_cross(e, abut_sub(point_of(s->w[2]), o));
    uint32_t best = at;
    double most = -1;
    for (uint32_t i = at; i < 6; ++i) {
        const abut_vec3 g = abut_sub(point_of(s->w[i]), o), c = abut_cross(e, g);
        const double off = at == 1   ? abut_dot(g, g)
                           : at == 2 ? abut_dot(c, c) / abut_dot(e, e)
                                     : abut_dot(n, g) * abut_dot(n, g) / abut_dot(n, n);
        best = off > most ? i : best;
        most = off > most ? off : most;
    }
    swap_points(s, at, best);
    return most > 16 * s->error * s->error;
}

/* A tetrahedron of four of the six points, and what grows from it by the other two. */
static bool join_four(shell *s, nearest *first)
{
    if (!choose_corner(s, 1) || !choose_corner(s, 2) || !choose_corner(s, 3))
        return false;
    /* Outward are the faces of corners 0, 1, 2 seen counter-clockwise from where 3 is not. */
    const abut_vec3 o = point_of(s->w[0]),
                    n = abut_cross(abut_sub(point_of(s->w[1]), o), abut_sub(point_of(s->w[2]), o));
    if (abut_dot(n, abut_sub(point_of(s->w[3]), o)) > 0)
        swap_points(s, 1, 2);
    const four_planes p = planes_of(take_four(s->w[0], s->w[0], s->w[1], s->w[2]),
                                    take_four(s->w[1], s->w[3], s->w[3], s->w[3]),
                                    take_four(s->w[2], s->w[1], s->w[2], s->w[0]));
    clear_planes(s, 1);
    put_block(s, 0, &p);
    s->corner[0] = corners_of(0, 1, 2);
    s->corner[1] = corners_of(0, 3, 1);
    s->corner[2] = corners_of(1, 3, 2);
    s->corner[3] = corners_of(2, 3, 0);
    s->face_count = s->point_count = 4;
    s->around = false;
    const record r = { p.d, _mm256_set_pd(3, 2, 1, 0) };
    *first = first_of(&r);
    for (uint32_t i = 4; i < 6 && p.wide == 15; ++i) {
        uint64_t seen[2];
        record others;
        swap_points(s, i, s->point_count);
        const __m256d w = _mm256_load_pd(s->w[s->point_count]);
        find_seen(s, all_four(w), seen, &others);
        if (seen[0] != 0 && !grow(s, w, first))
            return false;
    }
    if (s->best >= s->point_count) { /* no corner, and its place is taken soon */
        const uint32_t from = s->best;
        _mm256_store_pd(s->w[SPARE], _mm256_load_pd(s->w[from]));
        s->of_a[SPARE] = s->of_a[from];
        s->of_b[SPARE] = s->of_b[from];
        s->best = SPARE;
    }
    return p.wide == 15;
}

/* Support points along e, four directions 53 degrees around it, and -e. False where K is flat or
 * ends at the origin. */
static bool begin(shell *s, abut_vec3 e, abut_vec3 f, abut_vec3 g, nearest *first)
{
    const __m256d ve = _mm256_set_pd(0, e.z, e.y, e.x), vf = 0.8 * _mm256_set_pd(0, f.z, f.y, f.x),
                  vg = 0.8 * _mm256_set_pd(0, g.z, g.y, g.x), ahead = 0.6 * ve;
    const __m256d directions[6] = { ve, ahead + vf, ahead + vg, ahead - vf, ahead - vg, -ve };
    double value;
    s->f = INFINITY;
    s->point_count = 0;
    for (int i = 0; i < 6; ++i) {
        (void)probe(s, directions[i], &value);
        ++s->point_count;
        if (i == 0 && !(value > 4 * s->error))
            return false;
    }
    return s->f > 4 * s->error && (join_six(s, first) || join_four(s, first));
}

/* ---- what is kept of a surface ---- */

/* In the cache: how many points and faces, then the vertices of a and b of each point, then the
 * corners of each face. */
enum { KEPT_POINTS = 32, KEPT_FACES = 60 };
_Static_assert(sizeof((abut_cache *)0)->shell >= 2 + 2 * KEPT_POINTS + 3 * KEPT_FACES, "room");

static void keep(const shell *s, uint8_t *kept)
{
    uint64_t used = 0;
    uint32_t faces = 0;
    for (uint32_t i = 0; i < s->face_count; ++i) {
        if (s->plane[i / LANES].d[i % LANES] == INFINITY)
            continue;
        const uint32_t c = s->corner[i];
        used |= (uint64_t)1 << (c & 255) | (uint64_t)1 << (c >> 8 & 255) | (uint64_t)1 << (c >> 16 & 255);
        ++faces;
    }
    const uint32_t points = (uint32_t)__builtin_popcountll(used);
    kept[0] = kept[1] = 0;
    if (points > KEPT_POINTS || faces > KEPT_FACES)
        return;
    kept[0] = (uint8_t)points;
    kept[1] = (uint8_t)faces;
    uint8_t number[POINTS], *to = kept + 2;
    for (uint64_t left = used; left; left &= left - 1) {
        const uint32_t i = (uint32_t)__builtin_ctzll(left);
        number[i] = (uint8_t)((to - kept) / 2 - 1);
        *to++ = s->of_a[i];
        *to++ = s->of_b[i];
    }
    for (uint32_t i = 0; i < s->face_count; ++i) {
        if (s->plane[i / LANES].d[i % LANES] == INFINITY)
            continue;
        const uint32_t c = s->corner[i];
        *to++ = number[c & 255];
        *to++ = number[c >> 8 & 255];
        *to++ = number[c >> 16 & 255];
    }
}

/* Whether each edge is there once, and once the other way round; the corners are below
 * KEPT_POINTS. */
static bool is_closed(const uint32_t *corner, uint32_t faces)
{
    uint8_t times[KEPT_POINTS * KEPT_POINTS] = { 0 };
    unsigned wrong = 0;
    for (uint32_t i = 0; i < faces; ++i)
        for (int k = 0; k < 3; ++k) {
            const uint32_t edge = corner[i] >> 8 * k & 0xffff;
            ++times[(edge & 255) * KEPT_POINTS + (edge >> 8)];
        }
    for (uint32_t i = 0; i < faces; ++i)
        for (int k = 0; k < 3; ++k) {
            const uint32_t edge = corner[i] >> 8 * k & 0xffff, a = edge & 255, b = edge >> 8;
            wrong |= (unsigned)(times[a * KEPT_POINTS + b] ^ 1) | (unsigned)(times[b * KEPT_POINTS + a] ^ 1);
        }
    return wrong == 0;
}

/* The surface that was kept, over the points as they are now. False where it is none. */
static bool begin_kept(shell *s, const uint8_t *kept, nearest *first)
{
    const uint32_t points = kept[0], faces = kept[1];
    if (points < 4 || points > KEPT_POINTS || faces < 4 || faces > KEPT_FACES)
        return false;
    const uint8_t *from = kept + 2;
    for (uint32_t i = 0; i < points; ++i, from += 2) {
        if (from[0] >= s->a->vertex_count || from[1] >= s->b->vertex_count)
            return false;
        put_point(s, i, from[0], from[1]);
    }
    for (uint32_t i = 0; i < faces; ++i, from += 3) {
        if (from[0] >= points || from[1] >= points || from[2] >= points)
            return false;
        s->corner[i] = corners_of(from[0], from[1], from[2]);
    }
    if (!is_closed(s->corner, faces))
        return false;
    const __m256d last = _mm256_set1_pd(faces), step = _mm256_set1_pd(LANES), none = _mm256_set1_pd(INFINITY);
    __m256d place = _mm256_set_pd(3, 2, 1, 0);
    record r = { none, place };
    unsigned wide = 15, sure = 15;
    for (uint32_t i = faces; i % LANES; ++i)
        s->corner[i] = s->corner[0];
    for (uint32_t i = 0; i < faces; i += LANES, place += step) {
        const uint32_t *c = s->corner + i;
        four_planes p =
            planes_of(take_four(s->w[c[0] & 255], s->w[c[1] & 255], s->w[c[2] & 255], s->w[c[3] & 255]),
                      take_four(s->w[c[0] >> 8 & 255], s->w[c[1] >> 8 & 255], s->w[c[2] >> 8 & 255],
                                s->w[c[3] >> 8 & 255]),
                      take_four(s->w[c[0] >> 16 & 255], s->w[c[1] >> 16 & 255], s->w[c[2] >> 16 & 255],
                                s->w[c[3] >> 16 & 255]));
        p.d = _mm256_blendv_pd(none, p.d, _mm256_cmp_pd(place, last, _CMP_LT_OQ));
        put_block(s, i / LANES, &p);
        note(&r, p.d, place);
        wide &= p.wide;
        sure &= p.sure;
    }
    clear_planes(s, (faces + LANES - 1) / LANES);
    s->f = INFINITY;
    s->point_count = points;
    s->face_count = faces;
    *first = first_of(&r);
    s->around = sure == 15 && first->d > 2 * s->error;
    return wide == 15;
}

/* ---- growth ---- */

/* Grows the polytope until its nearest face and f agree. True when that is so and the surface
 * winds around the origin; *bound: its least d. */
static bool expand(shell *s, nearest at, double *bound)
{
    int tries = TRIES;
    uint32_t last_a = 0, last_b = 0;
    const double agree = 4 * s->error;
    while (at.d + agree < s->f && s->f > 2 * s->error) {
        if (!s->around && at.d > 2 * s->error && tries > 0) {
            --tries;
            s->around = prove(s);
        }
        const plane_block *p = &s->plane[at.face / LANES];
        const uint32_t lane = at.face % LANES;
        double value;
        const __m256d w = probe(s, _mm256_set_pd(0, p->z[lane], p->y[lane], p->x[lane]), &value);
        /* Contacts are searched for there, in the end: the corners of the last face were all found
         * here. */
        abut_hull_prefetch_fan(s->a, last_a);
        abut_hull_prefetch_fan(s->b, last_b);
        last_a = s->of_a[s->point_count];
        last_b = s->of_b[s->point_count];
        abut_hull_prefetch_links(s->a, last_a);
        abut_hull_prefetch_links(s->b, last_b);
        if (!(value > at.d + agree))
            break;
        if (!grow(s, w, &at))
            return false;
    }
    *bound = at.d;
    abut_hull_prefetch_faces(s->a, s->of_a[s->best]);
    abut_hull_prefetch_faces(s->b, s->of_b[s->best]);
    return s->f > 2 * s->error && at.d > 2 * s->error && (s->around || prove(s));
}

/* ---- what comes out ---- */

/* The witnesses of the face nearest to the origin, or of one that is as near: of those over the
 * foot of u, the points that end up touching. */
static void find_witnesses(const shell *s, const abut_convex_pair *pair, abut_vec3 u, abut_convex_answer *out)
{
    const abut_vec3 foot = abut_scale(s->f, u);
    out->x = abut_hull_vertex(s->a, s->of_a[s->best]);
    out->y = abut_affine_apply(&(abut_affine){ pair->r, pair->t }, abut_hull_vertex(s->b, s->of_b[s->best]));
    abut_vec3 off = abut_sub(abut_sub(out->y, out->x), foot);
    double least = abut_dot(off, off);
    uint64_t near[2] = { 0, 0 };
    const __m256d reach = _mm256_set1_pd(s->f + 4 * s->error);
    for (uint32_t i = 0; i < s->face_count; i += LANES) {
        const __m256d d = _mm256_load_pd(s->plane[i / LANES].d); /* infinite beyond the last */
        near[i / 64] |= (uint64_t)(unsigned)_mm256_movemask_pd(_mm256_cmp_pd(d, reach, _CMP_LE_OQ)) << i % 64;
    }
    while (near[0] | near[1]) {
        const uint32_t word = near[0] == 0, i = 64 * word + (uint32_t)__builtin_ctzll(near[word]);
        near[word] &= near[word] - 1;
        const uint32_t c = s->corner[i], v[3] = { c & 255, c >> 8 & 255, c >> 16 & 255 };
        abut_vec3 p[3], x = { 0, 0, 0 }, y = x;
        double weight[3], sum = 0;
        for (int k = 0; k < 3; ++k)
            p[k] = abut_sub(point_of(s->w[v[k]]), foot);
        for (int k = 0; k < 3; ++k) {
            const double area = abut_dot(u, abut_cross(p[(k + 1) % 3], p[(k + 2) % 3]));
            weight[k] = area > 0 ? area : 0;
            sum += weight[k];
        }
        for (int k = 0; k < 3; ++k) {
            const double part = sum > 0 ? weight[k] / sum : 1.0 / 3;
            x = abut_madd(x, part, abut_hull_vertex(s->a, s->of_a[v[k]]));
            y = abut_madd(y, part, abut_hull_vertex(s->b, s->of_b[v[k]]));
        }
        y = abut_affine_apply(&(abut_affine){ pair->r, pair->t }, y);
        off = abut_sub(abut_sub(y, x), foot);
        if (abut_dot(off, off) < least) {
            least = abut_dot(off, off);
            out->x = x;
            out->y = y;
        }
    }
}

/* Some unit vector across a unit vector. */
static abut_vec3 across(abut_vec3 e)
{
    const double x = fabs(e.x), y = fabs(e.y), z = fabs(e.z);
    const abut_vec3 least = x <= y && x <= z ? abut_v3(1, 0, 0)
                            : y <= z         ? abut_v3(0, 1, 0)
                                             : abut_v3(0, 0, 1);
    return abut_unit_or(abut_cross(e, least), abut_v3(1, 0, 0));
}

/* A search of a large hull ends at any row, and where that is not at hand all waits for it: a
 * score of times, so that it is worth asking for all of them. */
static void prefetch_rows(const abut_hull *hull)
{
    if (hull->vertex_count > 64)
        for (uint32_t i = 0; i < hull->vertex_count; i += 2)
            __builtin_prefetch(hull->rows + 4 * (size_t)i);
}

static bool begin_anew(shell *s, abut_vec3 t, nearest *first)
{
    prefetch_rows(s->a);
    prefetch_rows(s->b);
    const abut_vec3 e = abut_unit_or(abut_scale(-1, t), abut_v3(1, 0, 0)), f = across(e);
    return begin(s, e, f, abut_cross(e, f), first);
}

static __attribute__((noinline)) bool solve(const abut_convex_pair *pair, abut_cache *cache,
                                            abut_convex_answer *out)
{
    const abut_mat3 *r = &pair->r;
    shell s;
    s.a = pair->a->hull;
    s.b = pair->b->hull;
    for (int i = 0; i < 3; ++i) {
        s.row[i] = _mm256_set_pd(0, r->m[i][2], r->m[i][1], r->m[i][0]);
        s.column[i] = _mm256_set_pd(0, r->m[2][i], r->m[1][i], r->m[0][i]);
    }
    s.t = _mm256_set_pd(0, pair->t.z, pair->t.y, pair->t.x);
    s.error = pair->error;
    s.u = _mm256_setzero_pd();
    s.best = s.supports = 0;
    s.corner[NO_FACE] = 0;
    double bound = -INFINITY;
    nearest first;
    bool done = false, apart = false;
    uint32_t before = 0;
    if (cache && begin_kept(&s, cache->shell, &first)) {
        before = s.point_count;
        done = expand(&s, first, &bound);
        apart = s.f <= 2 * s.error;
        cache->shell[0] = done ? cache->shell[0] : 0;
    }
    if (!done && !apart && begin_anew(&s, pair->t, &first)) {
        before = 6;
        done = expand(&s, first, &bound);
    }
    out->supports += s.supports;
    if (cache && (!done || s.point_count != cache->shell[0])) {
        cache->shell[0] = 0;
        if (done)
            keep(&s, cache->shell);
    }
    if (!done)
        return false;
    const abut_vec3 u = abut_v3(s.u[0], s.u[1], s.u[2]), n = abut_scale(-1, u);
    const abut_convex_point at = { .w = point_of(s.w[s.best]) };
    find_witnesses(&s, pair, u, out);
    const abut_vec3 v = abut_sub(out->y, out->x);
    const double lo = abut_convex_certify(pair, n, &at), near = sqrt(abut_dot(v, v)) + 2 * pair->error;
    if (!(lo < out->lo)) {
        out->lo = lo;
        out->normal = n;
    }
    out->hi = near < out->hi ? near : out->hi;
    out->hi = 2 * pair->error - bound < out->hi ? 2 * pair->error - bound : out->hi;
    out->iterations += s.point_count - before;
    return true;
}
#include "base/avx2_end.h"

static bool is_scanned(const abut_core *core)
{
    return core->kind == ABUT_CORE_HULL && core->scale == 1 && core->hull->floats &&
           core->hull->vertex_count <= 256;
}

bool abut_depth_of_hulls(const abut_convex_pair *pair, abut_cache *cache, abut_convex_answer *out)
{
    return is_scanned(pair->a) && is_scanned(pair->b) && solve(pair, cache, out);
}
#else
bool abut_depth_of_hulls(const abut_convex_pair *pair, abut_cache *cache, abut_convex_answer *out)
{
    (void)pair;
    (void)cache;
    (void)out;
    return false;
}
#endif
