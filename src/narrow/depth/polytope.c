/* SPDX-License-Identifier: MIT */
/* The growing polytope; see polytope.h.
 *
 * A growth removes the faces that see the new point and spans a triangle to it from each edge of
 * their rim. Whatever the set, the result is closed: the fan has the same rim. Each edge is between
 * two faces when no vertex is twice on the rim, which is asked for.
 *
 * The winding number stays: a growth adds the boundaries of the tetrahedra between the removed
 * faces and the point, and none of those holds the origin when all four corners have n . x > 0, for
 * the n of the face.
 *
 * Three loops take most of the time and have wide versions: which faces see a point, the planes
 * of a fan, the least key. They round alike. */
#include "narrow/depth/polytope.h"

#include "abut/predicates.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define HAVE_WIDE 1
#else
#define HAVE_WIDE 0
#endif

enum { LANES = 4, WORDS = (ABUT_POLYTOPE_FACES + 63) / 64 };

static abut_vec3 corner_of(const abut_polytope *p, uint32_t face, int i)
{
    const double *w = p->w[p->face[face].v[i]];
    return abut_v3(w[0], w[1], w[2]);
}

/* Direction away from the origin across the longest edge: for triangles that have no area. */
static abut_vec3 flat_normal(const abut_vec3 v[3])
{
    int longest = 0;
    double most = -1;
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 e = abut_sub(v[(i + 1) % 3], v[i]);
        const double square = abut_dot(e, e);
        if (square > most) {
            most = square;
            longest = i;
        }
    }
    const abut_vec3 e = abut_sub(v[(longest + 1) % 3], v[longest]), x = v[longest];
    const double along = most > 0 ? abut_dot(e, x) / most : 0;
    return abut_unit_or(abut_madd(x, -along, e), abut_unit_or(x, abut_v3(1, 0, 0)));
}

static double least(abut_vec3 n, const abut_vec3 v[3])
{
    const double a = abut_dot(n, v[0]), b = abut_dot(n, v[1]), c = abut_dot(n, v[2]);
    const double ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Below this sine of an angle the normal of a triangle is mostly rounding. */
static const double thin = 0x1p-40;

/* Another plane for a triangle whose normal is rounding, or not a number, if it is better. */
static void set_thin(abut_polytope *p, uint32_t face)
{
    const abut_vec3 v[3] = { corner_of(p, face, 0), corner_of(p, face, 1), corner_of(p, face, 2) };
    const abut_vec3 other = flat_normal(v);
    const double d = least(other, v);
    if (!(p->d[face] >= d)) {
        p->nx[face] = other.x;
        p->ny[face] = other.y;
        p->nz[face] = other.z;
        p->d[face] = p->key[face] = d;
    }
}

/* A ray along v that leaves through the face within the radius r has v . n > d / r: v is within
 * acos(d / r) of n. Where all such v are in the cap, this face is done. */
static double key_of(const abut_polytope *p, uint32_t face)
{
    const abut_depth_cap *cap = &p->cap;
    const double d = p->d[face];
    if (cap->radius == INFINITY)
        return d;
    if (d >= cap->radius)
        return INFINITY;
    const double a = abut_dot(abut_polytope_normal(p, face), cap->u), b = d / cap->radius;
    if (!(a > 0 && b > 0))
        return d;
    const double aa = 1 - a * a, bb = 1 - b * b;
    const double cosine = a * b - sqrt((aa > 0 ? aa : 0) * (bb > 0 ? bb : 0));
    return cosine >= cap->cosine ? INFINITY : d;
}

void abut_polytope_set_cap(abut_polytope *p, const abut_depth_cap *cap)
{
    if (cap)
        p->cap = *cap;
    else
        p->cap.radius = INFINITY;
    for (uint32_t i = 0; i < p->face_count; ++i)
        p->key[i] = key_of(p, i);
    p->least = ABUT_POLYTOPE_UNKNOWN;
}

void abut_polytope_set_aside(abut_polytope *p, uint32_t face)
{
    p->key[face] = INFINITY;
    p->least = ABUT_POLYTOPE_UNKNOWN;
}

/* ---- planes of LANES faces; bit k of what they return: face k is too thin for its normal ---- */

static unsigned planes_plain(abut_polytope *p, const uint16_t faces[LANES])
{
    unsigned doubtful = 0;
    for (int k = 0; k < LANES; ++k) {
        const uint32_t f = faces[k];
        const abut_vec3 a = corner_of(p, f, 0), b = corner_of(p, f, 1), w = corner_of(p, f, 2);
        const abut_vec3 e = abut_sub(a, w), g = abut_sub(b, w), c = abut_cross(e, g);
        const double square = abut_dot(c, c), s = 1 / sqrt(square);
        const abut_vec3 n = abut_scale(s, c), v[3] = { a, b, w };
        p->nx[f] = n.x;
        p->ny[f] = n.y;
        p->nz[f] = n.z;
        p->d[f] = p->key[f] = least(n, v);
        const bool wide = square > abut_dot(e, e) * abut_dot(g, g) * (thin * thin);
        doubtful |= (unsigned)!wide << k;
    }
    return doubtful;
}

#if HAVE_WIDE
#define WIDE static inline __attribute__((target("avx2"), always_inline))

typedef struct four {
    __m256d x, y, z;
} four;

WIDE four take_four(const double *a, const double *b, const double *c, const double *d)
{
    const __m256d r0 = _mm256_loadu_pd(a), r1 = _mm256_loadu_pd(b), r2 = _mm256_loadu_pd(c),
                  r3 = _mm256_loadu_pd(d);
    const __m256d lo = _mm256_unpacklo_pd(r0, r1), hi = _mm256_unpackhi_pd(r0, r1),
                  lo2 = _mm256_unpacklo_pd(r2, r3), hi2 = _mm256_unpackhi_pd(r2, r3);
    return (four){ _mm256_permute2f128_pd(lo, lo2, 0x20), _mm256_permute2f128_pd(hi, hi2, 0x20),
                   _mm256_permute2f128_pd(lo, lo2, 0x31) };
}

/* Returns the d. */
WIDE __m256d planes_of(abut_polytope *p, const uint16_t faces[LANES], four a, four b, four w,
                       unsigned *doubtful)
{
    const __m256d ex = a.x - w.x, ey = a.y - w.y, ez = a.z - w.z, gx = b.x - w.x, gy = b.y - w.y,
                  gz = b.z - w.z;
    const __m256d cx = ey * gz - ez * gy, cy = ez * gx - ex * gz, cz = ex * gy - ey * gx;
    const __m256d square = cx * cx + cy * cy + cz * cz;
    const __m256d sizes = (ex * ex + ey * ey + ez * ez) * (gx * gx + gy * gy + gz * gz) * (thin * thin);
    const __m256d s = 1 / _mm256_sqrt_pd(square), nx = s * cx, ny = s * cy, nz = s * cz;
    const __m256d da = nx * a.x + ny * a.y + nz * a.z, db = nx * b.x + ny * b.y + nz * b.z,
                  dw = nx * w.x + ny * w.y + nz * w.z, d = _mm256_min_pd(_mm256_min_pd(da, db), dw);
    for (int k = 0; k < LANES; ++k) {
        const uint32_t place = faces[k];
        p->nx[place] = nx[k];
        p->ny[place] = ny[k];
        p->nz[place] = nz[k];
        p->d[place] = p->key[place] = d[k];
    }
    *doubtful = (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(square, sizes, _CMP_NGT_UQ));
    return d;
}

__attribute__((target("avx2"))) static unsigned planes_avx2(abut_polytope *p, const uint16_t faces[LANES])
{
    const uint16_t *v[LANES] = { p->face[faces[0]].v, p->face[faces[1]].v, p->face[faces[2]].v,
                                 p->face[faces[3]].v };
    four corner[3];
    for (int i = 0; i < 3; ++i)
        corner[i] = take_four(p->w[v[0][i]], p->w[v[1][i]], p->w[v[2][i]], p->w[v[3][i]]);
    unsigned doubtful;
    (void)planes_of(p, faces, corner[0], corner[1], corner[2], &doubtful);
    return doubtful;
}
#endif

/* Planes and keys of LANES faces, of which some may be the same. */
static void set_planes(abut_polytope *p, bool wide, const uint16_t faces[LANES])
{
#if HAVE_WIDE
    unsigned doubtful = wide ? planes_avx2(p, faces) : planes_plain(p, faces);
#else
    (void)wide;
    unsigned doubtful = planes_plain(p, faces);
#endif
    for (int k = 0; doubtful; ++k, doubtful >>= 1)
        if (doubtful & 1)
            set_thin(p, faces[k]);
    for (int k = 0; k < LANES && p->cap.radius < INFINITY; ++k)
        p->key[faces[k]] = key_of(p, faces[k]);
}

static bool has_wide(void)
{
#if HAVE_WIDE
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

/* Vertex v is behind the plane of a face, by more than rounding. */
static bool is_behind(const abut_polytope *p, uint32_t face, uint32_t v)
{
    const double *w = p->w[v];
    return p->nx[face] * w[0] + p->ny[face] * w[1] + p->nz[face] * w[2] < p->d[face] - p->slack;
}

static void clear(abut_polytope *p, double slack)
{
    p->vertex_count = p->face_count = 0;
    p->growths = 0;
    p->around = false;
    p->cap.radius = INFINITY;
    p->slack = slack;
    p->least = ABUT_POLYTOPE_UNKNOWN;
}

static void add_vertex(abut_polytope *p, const abut_convex_point *v)
{
    const uint32_t i = p->vertex_count++;
    p->vertex[i] = *v;
    p->w[i][0] = v->w.x;
    p->w[i][1] = v->w.y;
    p->w[i][2] = v->w.z;
    p->w[i][3] = 0;
}

void abut_polytope_begin(abut_polytope *p, double slack, const abut_convex_point corner[4])
{
    static const uint16_t places[LANES] = { 0, 1, 2, 3 };
    static const abut_polytope_face faces[4] = { { { 0, 1, 2 }, { 1 * 4 + 2, 2 * 4 + 2, 3 * 4 + 2 } },
                                                 { { 0, 3, 1 }, { 3 * 4 + 1, 2 * 4 + 0, 0 * 4 + 0 } },
                                                 { { 1, 3, 2 }, { 1 * 4 + 1, 3 * 4 + 0, 0 * 4 + 1 } },
                                                 { { 2, 3, 0 }, { 2 * 4 + 1, 1 * 4 + 0, 0 * 4 + 2 } } };
    /* Outward are the faces of corners 0, 1, 2 seen counter-clockwise from where 3 is not. */
    const abut_vec3 o = corner[0].w;
    const abut_vec3 normal = abut_cross(abut_sub(corner[1].w, o), abut_sub(corner[2].w, o));
    const bool turned = abut_dot(normal, abut_sub(corner[3].w, o)) > 0;
    clear(p, slack);
    for (int i = 0; i < 4; ++i) {
        add_vertex(p, &corner[turned && i == 1 ? 2 : turned && i == 2 ? 1 : i]);
        p->face[i] = faces[i];
    }
    p->face_count = 4;
    set_planes(p, has_wide(), places);
}

/* Faces k and 4 + k are above and below the side from corner 1 + k to the next. */
bool abut_polytope_begin_octahedron(abut_polytope *p, double slack, const abut_convex_point corner[6])
{
    static const uint16_t places[2 * LANES] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    clear(p, slack);
    for (int i = 0; i < 6; ++i)
        add_vertex(p, &corner[i]);
    for (unsigned k = 0; k < 4; ++k) {
        const unsigned next = (k + 1) % 4, last = (k + 3) % 4;
        p->face[k] = (abut_polytope_face){ { 0, (uint16_t)(1 + k), (uint16_t)(1 + next) },
                                           { (uint16_t)(last * 4 + 2), (uint16_t)((4 + k) * 4 + 1),
                                             (uint16_t)(next * 4) } };
        p->face[4 + k] = (abut_polytope_face){ { 5, (uint16_t)(1 + next), (uint16_t)(1 + k) },
                                               { (uint16_t)((4 + next) * 4 + 2), (uint16_t)(k * 4 + 1),
                                                 (uint16_t)((4 + last) * 4) } };
    }
    p->face_count = 8;
    set_planes(p, has_wide(), places);
    set_planes(p, has_wide(), places + LANES);
    /* Of the two faces at an edge one has the other's third corner behind it: then both have. */
    bool bulges = true;
    for (uint32_t k = 0; k < 4; ++k) {
        const uint32_t next = (k + 1) % 4, after = 1 + (k + 2) % 4;
        bulges = bulges && is_behind(p, k, after) && is_behind(p, k, 5) && is_behind(p, 4 + next, 1 + k);
    }
    return bulges;
}

/* ---- the least key ---- */

static uint32_t least_plain(const abut_polytope *p)
{
    uint32_t best = 0;
    double value = p->key[0];
    for (uint32_t i = 1; i < p->face_count; ++i) {
        best = p->key[i] < value ? i : best;
        value = p->key[i] < value ? p->key[i] : value;
    }
    return best;
}

#if HAVE_WIDE
/* In each lane the least key seen and the first place that has it. */
typedef struct record {
    __m256d key, place;
} record;

WIDE void note_keys(record *r, __m256d key, __m256d place)
{
    const __m256d first =
        _mm256_and_pd(_mm256_cmp_pd(key, r->key, _CMP_EQ_OQ), _mm256_cmp_pd(place, r->place, _CMP_LT_OQ));
    const __m256d better = _mm256_or_pd(first, _mm256_cmp_pd(key, r->key, _CMP_LT_OQ));
    r->place = _mm256_blendv_pd(r->place, place, better);
    r->key = _mm256_min_pd(key, r->key);
}

WIDE __m256d spread_least(__m256d a)
{
    a = _mm256_min_pd(a, _mm256_permute2f128_pd(a, a, 1));
    return _mm256_min_pd(a, _mm256_permute_pd(a, 5));
}

WIDE uint32_t first_of(const record *r)
{
    const __m256d other = _mm256_cmp_pd(r->key, spread_least(r->key), _CMP_NEQ_UQ);
    const __m256d far = _mm256_set1_pd(ABUT_POLYTOPE_FACES);
    return (uint32_t)_mm256_cvtsd_f64(spread_least(_mm256_blendv_pd(r->place, far, other)));
}

/* The keys behind the last face are infinite up to a multiple of LANES. */
__attribute__((target("avx2"))) static uint32_t least_avx2(const abut_polytope *p)
{
    const __m256d step = _mm256_set1_pd(LANES);
    __m256d place = _mm256_set_pd(3, 2, 1, 0);
    record r = { _mm256_loadu_pd(p->key), place };
    for (uint32_t i = LANES; i < p->face_count; i += LANES) {
        place = _mm256_add_pd(place, step);
        note_keys(&r, _mm256_loadu_pd(p->key + i), place);
    }
    return first_of(&r);
}
#endif

uint32_t abut_polytope_least(const abut_polytope *p)
{
    if (p->least != ABUT_POLYTOPE_UNKNOWN)
        return p->least;
#if HAVE_WIDE
    if (has_wide())
        return least_avx2(p);
#endif
    return least_plain(p);
}

/* ---- growth ---- */

/* Faces that have w beyond their plane. Where the winding is known, only those whose tetrahedron
 * to w is sure not to hold the origin: d > 2 slack, so that n . w > d + slack is positive too. */
static void examine_plain(const abut_polytope *p, const abut_vec3 *w, double low, uint64_t seen[WORDS])
{
    memset(seen, 0, WORDS * sizeof *seen);
    for (uint32_t i = 0; i < p->face_count; ++i) {
        const double height = p->nx[i] * w->x + p->ny[i] * w->y + p->nz[i] * w->z;
        const bool sees = height > p->d[i] + p->slack && p->d[i] > low;
        seen[i / 64] |= (uint64_t)sees << (i & 63);
    }
}

#if HAVE_WIDE
__attribute__((target("avx2"))) static void examine_avx2(const abut_polytope *p, const abut_vec3 *w,
                                                         double low, uint64_t seen[WORDS])
{
    const __m256d x = _mm256_set1_pd(w->x), y = _mm256_set1_pd(w->y), z = _mm256_set1_pd(w->z),
                  slack = _mm256_set1_pd(p->slack), floor = _mm256_set1_pd(low);
    for (uint32_t i = 0, word = 0; i < p->face_count; ++word) {
        uint64_t bits = 0;
        for (uint32_t k = 0; k < 64 && i < p->face_count; k += LANES, i += LANES) {
            const __m256d d = _mm256_loadu_pd(p->d + i);
            const __m256d height = _mm256_loadu_pd(p->nx + i) * x + _mm256_loadu_pd(p->ny + i) * y +
                                   _mm256_loadu_pd(p->nz + i) * z;
            const __m256d sees = _mm256_and_pd(_mm256_cmp_pd(height, d + slack, _CMP_GT_OQ),
                                               _mm256_cmp_pd(d, floor, _CMP_GT_OQ));
            bits |= (uint64_t)(unsigned)_mm256_movemask_pd(sees) << k;
        }
        seen[word] = bits;
    }
    /* Places behind the last face. */
    if (p->face_count & 63)
        seen[p->face_count / 64] &= ((uint64_t)1 << (p->face_count & 63)) - 1;
}
#endif

/* Edges of the rim and faces to remove; one place more than can be kept, to be written and not
 * used. */
typedef struct rim {
    uint64_t seen[WORDS];
    uint32_t removed, edges;
    uint16_t face[ABUT_POLYTOPE_FACES + LANES];
    struct {
        uint16_t a, b, across;
    } edge[ABUT_POLYTOPE_VERTICES + 3];
} rim;

static bool has(const uint64_t seen[WORDS], uint32_t face)
{
    return seen[face / 64] >> (face & 63) & 1;
}

static void put(uint64_t seen[WORDS], uint32_t face)
{
    seen[face / 64] |= (uint64_t)1 << (face & 63);
}

/* The rim of a set of faces; false where it is no set of simple loops. */
static bool find_rim(abut_polytope *p, const uint64_t seen[WORDS], rim *r)
{
    uint32_t removed = 0, edges = 0;
    for (uint32_t word = 0; word * 64 < p->face_count; ++word)
        for (uint64_t left = seen[word]; left; left &= left - 1) {
            const uint16_t place = (uint16_t)(word * 64 + (uint32_t)__builtin_ctzll(left));
            const abut_polytope_face *f = &p->face[place];
            if (edges > ABUT_POLYTOPE_VERTICES)
                return false;
            r->face[removed++] = place;
            for (int i = 0; i < 3; ++i) {
                r->edge[edges].a = f->v[i];
                r->edge[edges].b = f->v[i == 2 ? 0 : i + 1];
                r->edge[edges].across = f->across[i];
                edges += !has(seen, f->across[i] >> 2);
            }
        }
    r->removed = removed;
    r->edges = edges;
    if (r->edges < 3 || r->edges > ABUT_POLYTOPE_VERTICES)
        return false;
    for (uint32_t k = 0; k < r->edges; ++k)
        p->fan[r->edge[k].a] = (uint16_t)k;
    bool simple = true;
    for (uint32_t k = 0; k < r->edges; ++k)
        simple &= p->fan[r->edge[k].a] == k;
    return simple;
}

/* Of the faces seen those that are reached from one of them across edges. */
static void keep_connected(const abut_polytope *p, uint32_t from, uint64_t seen[WORDS])
{
    uint16_t list[ABUT_POLYTOPE_FACES];
    uint64_t kept[WORDS] = { 0 };
    uint32_t count = 1;
    list[0] = (uint16_t)from;
    put(kept, from);
    for (uint32_t k = 0; k < count; ++k)
        for (int i = 0; i < 3; ++i) {
            const uint32_t next = p->face[list[k]].across[i] >> 2;
            if (has(seen, next) && !has(kept, next)) {
                put(kept, next);
                list[count++] = (uint16_t)next;
            }
        }
    memcpy(seen, kept, (size_t)WORDS * sizeof *seen);
}

/* The faces to replace, `from` among them, and their rim. */
static bool find_faces(abut_polytope *p, bool wide, uint32_t from, const abut_vec3 *w, rim *r)
{
    uint64_t *seen = r->seen;
    const double low = p->around ? 2 * p->slack : -INFINITY;
#if HAVE_WIDE
    if (wide)
        examine_avx2(p, w, low, seen);
    else
        examine_plain(p, w, low, seen);
#else
    (void)wide;
    examine_plain(p, w, low, seen);
#endif
    put(seen, from);
    if (find_rim(p, seen, r))
        return true;
    keep_connected(p, from, seen);
    return find_rim(p, seen, r);
}

#if HAVE_WIDE
/* The planes of a fan to w, four at a time, and the least key of all. Nothing that is written
 * one by one is read four at a time soon: the processor would wait until it is in the cache. So
 * the keys of the faces that stay are compared apart from those of the fan. */
__attribute__((target("avx2"))) static void fan_avx2(abut_polytope *p, const rim *r, uint32_t old_count,
                                                     double x, double y, double z)
{
    const __m256i lanes = _mm256_set_epi64x(8, 4, 2, 1);
    const __m256d none = _mm256_set1_pd(INFINITY), step = _mm256_set1_pd(LANES);
    __m256d place = _mm256_set_pd(3, 2, 1, 0);
    record best = { none, place };
    for (uint32_t i = 0; i < old_count; i += LANES, place = _mm256_add_pd(place, step)) {
        const __m256i gone = _mm256_set1_epi64x((long long)(r->seen[i / 64] >> (i & 63)));
        const __m256i mask = _mm256_cmpeq_epi64(_mm256_and_si256(gone, lanes), lanes);
        note_keys(&best, _mm256_blendv_pd(_mm256_loadu_pd(p->key + i), none, _mm256_castsi256_pd(mask)),
                  place);
    }
    const four w = { _mm256_set1_pd(x), _mm256_set1_pd(y), _mm256_set1_pd(z) };
    unsigned thin_ones = 0;
    for (uint32_t k = 0; k < r->edges; k += LANES) {
        const uint16_t *face = r->face + k;
        const four a = take_four(p->w[r->edge[k].a], p->w[r->edge[k + 1].a], p->w[r->edge[k + 2].a],
                                 p->w[r->edge[k + 3].a]);
        const four b = take_four(p->w[r->edge[k].b], p->w[r->edge[k + 1].b], p->w[r->edge[k + 2].b],
                                 p->w[r->edge[k + 3].b]);
        unsigned doubtful;
        note_keys(&best, planes_of(p, face, a, b, w, &doubtful),
                  _mm256_set_pd(face[3], face[2], face[1], face[0]));
        for (thin_ones |= doubtful; doubtful; doubtful &= doubtful - 1)
            set_thin(p, face[__builtin_ctz(doubtful)]);
    }
    p->least = thin_ones ? ABUT_POLYTOPE_UNKNOWN : first_of(&best);
}
#endif

static void set_fan(abut_polytope *p, const rim *r, uint32_t old_count, abut_vec3 w)
{
#if HAVE_WIDE
    if (has_wide() && p->cap.radius == INFINITY) {
        fan_avx2(p, r, old_count, w.x, w.y, w.z);
        return;
    }
#endif
    (void)old_count;
    (void)w;
    p->least = ABUT_POLYTOPE_UNKNOWN;
    for (uint32_t k = 0; k < r->edges; k += LANES)
        set_planes(p, has_wide(), r->face + k);
}

bool abut_polytope_grow(abut_polytope *p, uint32_t from)
{
    rim r;
    const abut_vec3 w = p->vertex[p->vertex_count].w;
    if (p->vertex_count == ABUT_POLYTOPE_VERTICES || !find_faces(p, has_wide(), from, &w, &r))
        return false;
    const uint32_t fresh = r.edges > r.removed ? r.edges - r.removed : 0, old_count = p->face_count;
    if (p->face_count + fresh > ABUT_POLYTOPE_FACES)
        return false;
    /* Removed all the same: then the winding is to be proved anew. */
    if (!(p->d[from] > 2 * p->slack))
        p->around = false;
    const uint16_t apex = (uint16_t)p->vertex_count++;
    p->w[apex][0] = w.x;
    p->w[apex][1] = w.y;
    p->w[apex][2] = w.z;
    p->w[apex][3] = 0;
    ++p->growths;
    /* Places of removed faces are taken first. */
    for (uint32_t k = 0; k < fresh; ++k)
        r.face[r.removed + k] = (uint16_t)(p->face_count + k);
    p->face_count += fresh;
    for (uint32_t k = r.edges; k < r.removed; ++k)
        p->key[r.face[k]] = p->d[r.face[k]] = INFINITY;
    for (uint32_t k = 0; k < r.edges; ++k) {
        const uint16_t place = r.face[k], across = r.edge[k].across, next = r.face[p->fan[r.edge[k].b]];
        abut_polytope_face *f = &p->face[place];
        f->v[0] = r.edge[k].a;
        f->v[1] = r.edge[k].b;
        f->v[2] = apex;
        f->across[0] = across;
        f->across[1] = (uint16_t)(next * 4 + 2);
        p->face[next].across[2] = (uint16_t)(place * 4 + 1);
        p->face[across >> 2].across[across & 3] = (uint16_t)(place * 4);
    }
    for (uint32_t k = r.edges; k % LANES; ++k) {
        r.face[k] = r.face[0];
        r.edge[k] = r.edge[0];
    }
    set_fan(p, &r, old_count, w);
    for (uint32_t k = p->face_count; k % LANES; ++k)
        p->key[k] = INFINITY;
    return true;
}

bool abut_polytope_prove(abut_polytope *p)
{
    const abut_vec3 zero = { 0, 0, 0 };
    bool some = false;
    for (uint32_t k = 0; k < p->face_count && !p->around; ++k) {
        if (p->d[k] == INFINITY)
            continue;
        if (!(p->d[k] > 2 * p->slack))
            return false;
        const int sign = abut_orient3d(corner_of(p, k, 0), corner_of(p, k, 1), corner_of(p, k, 2), zero);
        if (sign < 0)
            return false;
        some |= sign > 0;
    }
    return p->around |= some;
}

void abut_polytope_nearest(const abut_polytope *p, uint32_t face, double weight[3])
{
    /* Areas of the triangles that the projection of the origin spans with the edges. */
    const abut_vec3 n = abut_polytope_normal(p, face), foot = abut_scale(p->d[face], n);
    abut_vec3 v[3];
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        v[i] = abut_sub(corner_of(p, face, i), foot);
    for (int i = 0; i < 3; ++i) {
        const double area = abut_dot(n, abut_cross(v[(i + 1) % 3], v[(i + 2) % 3]));
        weight[i] = area > 0 ? area : 0;
        sum += weight[i];
    }
    for (int i = 0; i < 3; ++i)
        weight[i] = sum > 0 ? weight[i] / sum : 1.0 / 3;
}

uint32_t abut_polytope_pierced(const abut_polytope *p, abut_vec3 u, double weight[3])
{
    for (uint32_t face = 0; face < p->face_count; ++face) {
        if (!(p->d[face] < INFINITY))
            continue;
        const abut_vec3 v[3] = { corner_of(p, face, 0), corner_of(p, face, 1), corner_of(p, face, 2) };
        /* Volumes of u with the edges: of one sign where the ray passes between them, positive
         * on its way out. */
        double sum = 0, least = INFINITY;
        for (int i = 0; i < 3; ++i) {
            weight[i] = abut_dot(u, abut_cross(v[(i + 1) % 3], v[(i + 2) % 3]));
            sum += weight[i];
            least = weight[i] < least ? weight[i] : least;
        }
        if (!(least >= 0 && sum > 0))
            continue;
        for (int i = 0; i < 3; ++i)
            weight[i] /= sum;
        return face;
    }
    return ABUT_POLYTOPE_UNKNOWN;
}
