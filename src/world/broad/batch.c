/* SPDX-License-Identifier: MIT */
/* All pairs of boxes that meet, from nothing but the boxes: a grid that is never stored.
 *
 * Each box belongs to the cell of its least corner. Cells are at least as large as the boxes, so
 * that boxes that meet are in cells that differ by at most one along y and z; along x cells are
 * finer, and the difference is at most `reach` behind and what the box covers ahead. Boxes are
 * sorted by the number of their cell (radix sort), x fastest. In that order the partners of a box
 * that come later are five runs: the rest of its own row, and a stretch of each of the four rows
 * ahead. The begin of each run only moves forward from box to box: five cursors, no table of cells,
 * so that empty space costs nothing. Rows are padded at their ends, and cursors need no tests for the
 * border.
 *
 * Boxes are compared as floats, relative to the least corner of all and rounded outward: 32 bytes
 * and two SSE comparisons each. What passes is compared as doubles: the answer is exact.
 *
 * Sizes: a level holds boxes whose longest sides are within a factor of 8; a box of a higher level
 * looks up the rows of the lower ones that it covers. Boxes without end are compared with all.
 * Where cells are crowded although their boxes do not meet (clusters far apart, long thin boxes), a
 * sample tells, and the tree does it (tree.h). The method is that of grids in sorted order (for
 * instance Green, "Particle simulation using CUDA", 2008) joined with box pruning (Terdiman, "Box
 * pruning revisited", 2015). */
#include "world/broad/batch.h"

#include "base/parallel.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "world/broad/aabb.h"
#include "world/broad/tree.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
    LEVELS = 8,
    SIZES = 3,     /* exponents of two that a level covers */
    DIGIT = 11,    /* bits of a radix pass, at most */
    FEW = 24,      /* so few boxes are compared each with each */
    CROWDED = 48,  /* comparisons a box from which the tree is tried */
    ALONE = 16384, /* boxes from which threads pay */
    CHUNK = 4096,  /* boxes that one thread joins in one go */
    RUNS = 4       /* rows ahead */
};

/* As floats, outward; `span`: cells that it covers along x, less one. */
typedef struct small_box {
    float lo[3];
    uint32_t id;
    float hi[3];
    uint32_t span;
} small_box;

typedef struct entry {
    uint32_t key, id;
} entry;

typedef struct level {
    double origin[3], per[3]; /* cells per unit of length */
    uint32_t cells[3], stride_y, stride_z;
    uint32_t reach;      /* along x */
    double last[3];      /* the largest of the least corners */
    double extent[3];    /* longest sides */
    size_t begin, count; /* in the arrays of all levels */
    int exponent;        /* of the longest side that it takes */
} level;

typedef struct batch_run {
    const abut_aabb *boxes;
    size_t count;
    entry *entries, *other; /* sorted; room for sorting */
    uint32_t *keys;         /* of the sorted ones, with a sentinel a level */
    small_box *small;
    uint32_t *endless;
    size_t endless_count;
    abut_vec3 base; /* of floats */
    level levels[LEVELS];
    int level_count;
    int threads;
    size_t (*counts)[1 << DIGIT]; /* a thread */
    abut_pair_list *lists;        /* a thread */
    /* of the pass that threads work on */
    const level *now;
    const entry *from;
    entry *to;
    unsigned shift, mask;
} batch_run;

/* ---- memory ---- */

void abut_batch_clear(abut_batch *batch)
{
    abut_base_shrink(&batch->alloc, batch->memory, batch->size, 1);
    batch->memory = NULL;
    batch->size = 0;
}

static void *carve(char **at, size_t count, size_t size)
{
    void *out = *at;
    *at += (count * size + 63) / 64 * 64;
    return out;
}

static bool make_room(abut_batch *batch, batch_run *run)
{
    const size_t n = run->count, each = sizeof(entry) * 2 + 4 + sizeof(small_box) + 4;
    if (n > SIZE_MAX / 4 / each)
        return false;
    const size_t needed = n * each + (size_t)run->threads * sizeof *run->counts + 4096;
    if (needed > batch->size) {
        abut_batch_clear(batch);
        batch->memory = abut_base_alloc(&batch->alloc, needed + needed / 4, 1);
        if (!batch->memory)
            return false;
        batch->size = needed + needed / 4;
    }
    char *at = batch->memory;
    at += (64 - (uintptr_t)at % 64) % 64;
    run->small = carve(&at, n, sizeof *run->small);
    run->entries = carve(&at, n, sizeof *run->entries);
    run->other = carve(&at, n, sizeof *run->other);
    run->keys = carve(&at, n + LEVELS, sizeof *run->keys);
    run->endless = carve(&at, n, sizeof *run->endless);
    run->counts = carve(&at, (size_t)run->threads, sizeof *run->counts);
    return true;
}

/* ---- levels ---- */

static double side(const abut_aabb *b, int i)
{
    return i == 0 ? b->hi.x - b->lo.x : i == 1 ? b->hi.y - b->lo.y : b->hi.z - b->lo.z;
}

static double least(const abut_aabb *b, int i)
{
    return i == 0 ? b->lo.x : i == 1 ? b->lo.y : b->lo.z;
}

static double longest(const abut_aabb *b)
{
    return abut_max2(side(b, 0), abut_max2(side(b, 1), side(b, 2)));
}

/* As ilogb of a number that is not negative, but for the smallest ones. */
static inline int exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52) - 1023;
}

/* How far apart things are that floats and cells can tell apart: sides must not overflow. */
static bool is_endless(const abut_aabb *b)
{
    return !(longest(b) < 0x1p120 && fabs(b->lo.x) < 0x1p120 && fabs(b->lo.y) < 0x1p120 &&
             fabs(b->lo.z) < 0x1p120);
}

static int level_of(const batch_run *run, const abut_aabb *b)
{
    const int e = exponent_of(longest(b));
    int l = 0;
    while (l + 1 < run->level_count && e > run->levels[l].exponent)
        ++l;
    return l;
}

/* Levels from the largest exponent down; then ascending. */
static void choose_levels(batch_run *run, const uint32_t histogram[512])
{
    int tops[LEVELS], count = 0;
    for (int e = 511; e >= 0 && count < LEVELS; --e)
        if (histogram[e]) {
            tops[count++] = e;
            e -= SIZES - 1;
        }
    run->level_count = count;
    for (int l = 0; l < count; ++l)
        run->levels[l].exponent = tops[count - 1 - l] - 256;
}

static int bin_of(const abut_aabb *b)
{
    const int e = exponent_of(longest(b)) + 256;
    return e < 0 ? 0 : e > 511 ? 511 : e;
}

/* Adds a box to the spread of the level's boxes. */
static inline void measure(level *v, const abut_aabb *b)
{
    const double lo[3] = { b->lo.x, b->lo.y, b->lo.z }, hi[3] = { b->hi.x, b->hi.y, b->hi.z };
    for (int i = 0; i < 3; ++i) {
        const double wide = hi[i] - lo[i];
        v->origin[i] = lo[i] < v->origin[i] ? lo[i] : v->origin[i];
        v->last[i] = lo[i] > v->last[i] ? lo[i] : v->last[i];
        v->extent[i] = wide > v->extent[i] ? wide : v->extent[i];
    }
}

/* Fills the levels' counts, the boxes without end, and `entries` with the ids by level. */
static void sort_out(batch_run *run)
{
    uint32_t histogram[512] = { 0 };
    size_t kept = 0;
    level *all = &run->levels[0];
    for (int i = 0; i < 3; ++i) {
        all->origin[i] = INFINITY;
        all->last[i] = -INFINITY;
        all->extent[i] = 0;
    }
    for (size_t i = 0; i < run->count; ++i) {
        const abut_aabb *b = &run->boxes[i];
        if (abut_aabb_is_empty(b))
            continue;
        if (is_endless(b)) {
            run->endless[run->endless_count++] = (uint32_t)i;
            continue;
        }
        ++histogram[bin_of(b)];
        measure(all, b);
        run->other[kept++].id = (uint32_t)i;
    }
    run->base = abut_v3(all->origin[0], all->origin[1], all->origin[2]);
    run->level_count = 0;
    if (!kept)
        return;
    choose_levels(run, histogram);
    for (int l = 0; l < run->level_count; ++l)
        run->levels[l].count = 0;
    if (run->level_count == 1) {
        run->levels[0].begin = 0;
        run->levels[0].count = kept;
        entry *swap = run->entries;
        run->entries = run->other;
        run->other = swap;
        return;
    }
    for (size_t k = 0; k < kept; ++k) {
        const uint32_t l = (uint32_t)level_of(run, &run->boxes[run->other[k].id]);
        run->other[k].key = l;
        ++run->levels[l].count;
    }
    size_t begin = 0, fill[LEVELS];
    for (int l = 0; l < run->level_count; ++l) {
        run->levels[l].begin = fill[l] = begin;
        begin += run->levels[l].count;
    }
    for (size_t k = 0; k < kept; ++k)
        run->entries[fill[run->other[k].key]++].id = run->other[k].id;
}

/* ---- cells ---- */

static inline uint32_t cell_of(const level *v, int axis, double x)
{
    const double c = (x - v->origin[axis]) * v->per[axis];
    const double most = v->cells[axis] - 1;
    return c > 0 ? (uint32_t)(int32_t)(c < most ? c : most) : 0;
}

static double cell_total(const double cells[3])
{
    return cells[0] * cells[1] * cells[2];
}

/* Cells at least as large as the boxes, at most 32 for each box in all: with more, runs are no
 * emptier, and radix sorts have more to do. Along x four times finer where there is room for that. The
 * factor keeps what rounding adds below one cell: there are at most 2^18 along an axis. */
static void choose_cells(const batch_run *run, level *v)
{
    for (int i = 0; i < 3 && run->level_count > 1; ++i) {
        v->origin[i] = INFINITY;
        v->last[i] = -INFINITY;
        v->extent[i] = 0;
    }
    for (size_t k = 0; k < v->count && run->level_count > 1; ++k)
        measure(v, &run->boxes[run->entries[v->begin + k].id]);
    const double *hi = v->last;
    const double budget = abut_min2(32.0 * (double)v->count + 64, 0x1p28);
    double size[3], cells[3];
    for (int i = 0; i < 3; ++i) {
        const double spread = hi[i] - v->origin[i];
        size[i] = abut_max2(v->extent[i] * (1 + 0x1p-20), spread * 0x1p-18);
        size[i] = abut_max2(size[i], 0x1p-900);
        cells[i] = floor(spread / size[i]) + 1;
    }
    while (cell_total(cells) > budget) {
        const int most = cells[0] >= cells[1] && cells[0] >= cells[2] ? 0 : cells[1] >= cells[2] ? 1 : 2;
        size[most] *= 1.25;
        cells[most] = floor((hi[most] - v->origin[most]) / size[most]) + 1;
    }
    v->reach = 1;
    while (v->reach < 4 && 2 * cell_total(cells) <= budget) {
        v->reach *= 2;
        size[0] /= 2;
        cells[0] = floor((hi[0] - v->origin[0]) / size[0]) + 1;
    }
    for (int i = 0; i < 3; ++i) {
        v->per[i] = 1 / size[i];
        v->cells[i] = (uint32_t)cells[i] + 1;
    }
    v->stride_y = v->cells[0] + v->reach;
    v->stride_z = v->stride_y * (v->cells[1] + 1);
}

/* ---- sorting ---- */

static void make_keys(void *ctx, int index)
{
    const batch_run *run = ctx;
    const level *v = run->now;
    size_t begin, end;
    abut_parallel_share(v->count, run->threads, index, &begin, &end);
    for (size_t k = v->begin + begin; k < v->begin + end; ++k) {
        const abut_aabb *b = &run->boxes[run->entries[k].id];
        run->entries[k].key = cell_of(v, 2, b->lo.z) * v->stride_z + cell_of(v, 1, b->lo.y) * v->stride_y +
                              cell_of(v, 0, b->lo.x) + v->reach;
    }
}

static void count_digits(void *ctx, int index)
{
    const batch_run *run = ctx;
    size_t *counts = run->counts[index], begin, end;
    abut_parallel_share(run->now->count, run->threads, index, &begin, &end);
    memset(counts, 0, (run->mask + 1) * sizeof *counts);
    for (size_t k = begin; k < end; ++k)
        ++counts[run->from[k].key >> run->shift & run->mask];
}

static void deal_digits(void *ctx, int index)
{
    const batch_run *run = ctx;
    size_t *starts = run->counts[index], begin, end;
    abut_parallel_share(run->now->count, run->threads, index, &begin, &end);
    for (size_t k = begin; k < end; ++k)
        run->to[starts[run->from[k].key >> run->shift & run->mask]++] = run->from[k];
}

static void each_thread(batch_run *run, void (*work)(void *ctx, int index))
{
    abut_parallel_run(run->threads, work, run);
}

static void radix_sort(batch_run *run, const level *v)
{
    const uint64_t last = (uint64_t)v->stride_z * v->cells[2];
    unsigned bits = 1;
    while (bits < 32 && last >> bits)
        ++bits;
    const unsigned passes = (bits + DIGIT - 1) / DIGIT, digit = (bits + passes - 1) / passes;
    entry *from = run->entries + v->begin, *to = run->other + v->begin;
    run->mask = (1u << digit) - 1;
    for (unsigned p = 0; p < passes; ++p) {
        run->from = from;
        run->to = to;
        run->shift = p * digit;
        each_thread(run, count_digits);
        size_t sum = 0;
        for (unsigned d = 0; d <= run->mask; ++d)
            for (int t = 0; t < run->threads; ++t) {
                const size_t here = run->counts[t][d];
                run->counts[t][d] = sum;
                sum += here;
            }
        each_thread(run, deal_digits);
        entry *swap = from;
        from = to;
        to = swap;
    }
    if (passes % 2)
        memcpy(run->entries + v->begin, from, v->count * sizeof *from);
}

/* Two units in the last place: one for the conversion, one for the difference before it. */
static float float_down(double x)
{
    const float f = (float)x;
    return f - fabsf(f) * 0x1p-22f - 0x1p-140f;
}

static float float_up(double x)
{
    const float f = (float)x;
    return f + fabsf(f) * 0x1p-22f + 0x1p-140f;
}

static void shrink_boxes(void *ctx, int index)
{
    const batch_run *run = ctx;
    const level *v = run->now;
    const abut_vec3 base = run->base;
    uint32_t *keys = run->keys + v->begin + (size_t)(v - run->levels);
    size_t begin, end;
    abut_parallel_share(v->count, run->threads, index, &begin, &end);
    for (size_t k = begin; k < end; ++k) {
        const entry e = run->entries[v->begin + k];
#if defined(__GNUC__)
        if (k + 12 < end) {
            __builtin_prefetch(&run->boxes[run->entries[v->begin + k + 12].id]);
            __builtin_prefetch(&run->boxes[run->entries[v->begin + k + 12].id].hi.z);
        }
#endif
        const abut_aabb *b = &run->boxes[e.id];
        const uint32_t x = cell_of(v, 0, b->lo.x), last = cell_of(v, 0, b->hi.x);
        keys[k] = e.key;
        run->small[v->begin + k] = (small_box){
            { float_down(b->lo.x - base.x), float_down(b->lo.y - base.y), float_down(b->lo.z - base.z) },
            e.id,
            { float_up(b->hi.x - base.x), float_up(b->hi.y - base.y), float_up(b->hi.z - base.z) },
            last - x
        };
    }
}

static const uint32_t *keys_of(const batch_run *run, const level *v)
{
    return run->keys + v->begin + (size_t)(v - run->levels);
}

static void make_level(batch_run *run, level *v)
{
    run->now = v;
    choose_cells(run, v);
    each_thread(run, make_keys);
    radix_sort(run, v);
    each_thread(run, shrink_boxes);
    run->keys[v->begin + (size_t)(v - run->levels) + v->count] = UINT32_MAX;
}

/* ---- joining ---- */

#if defined(__SSE2__)
static inline bool small_meet(const small_box *a, const small_box *b)
{
    /* with the numbers behind lo and hi as fourth parts, which do not count */
    const float *x = (const float *)(const void *)a, *y = (const float *)(const void *)b;
    const __m128 la = _mm_loadu_ps(x), ha = _mm_loadu_ps(x + 4);
    const __m128 lb = _mm_loadu_ps(y), hb = _mm_loadu_ps(y + 4);
    return (_mm_movemask_ps(_mm_and_ps(_mm_cmple_ps(la, hb), _mm_cmple_ps(lb, ha))) & 7) == 7;
}
#else
static inline bool small_meet(const small_box *a, const small_box *b)
{
    return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] && b->lo[1] <= a->hi[1] &&
           a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}
#endif

static inline bool try_pair(const batch_run *run, const small_box *a, const small_box *b, abut_pair_list *out)
{
    return !small_meet(a, b) || !abut_aabb_meet(&run->boxes[a->id], &run->boxes[b->id]) ||
           abut_pair_list_add(out, a->id, b->id);
}

static size_t first_from(const uint32_t *keys, size_t count, uint32_t key)
{
    size_t lo = 0, hi = count;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (keys[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The boxes begin .. end - 1 of a level with all that come after them. */
static void join_stretch(const batch_run *run, const level *v, size_t begin, size_t end, abut_pair_list *out)
{
    const uint32_t *keys = keys_of(run, v);
    const small_box *small = run->small + v->begin;
    const uint32_t ahead[RUNS] = { v->stride_y - v->reach, v->stride_z - v->stride_y - v->reach,
                                   v->stride_z - v->reach, v->stride_z + v->stride_y - v->reach };
    size_t cursor[RUNS];
    for (int r = 0; r < RUNS && begin < end; ++r)
        cursor[r] = first_from(keys, v->count, keys[begin] + ahead[r]);
    for (size_t i = begin; i < end; ++i) {
        const small_box *a = &small[i];
        const uint32_t key = keys[i], span = a->span;
        for (size_t j = i + 1; keys[j] <= key + span; ++j)
            if (!try_pair(run, a, &small[j], out))
                return;
        for (int r = 0; r < RUNS; ++r) {
            const uint32_t from = key + ahead[r], to = from + v->reach + span;
            size_t j = cursor[r];
            while (keys[j] < from)
                ++j;
            cursor[r] = j;
            for (; keys[j] <= to; ++j)
                if (!try_pair(run, a, &small[j], out))
                    return;
        }
    }
}

/* A box of a higher level with all of a lower one: the rows that it covers. */
static bool examine_up(const batch_run *run, const level *v, const small_box *a, abut_pair_list *out)
{
    const abut_aabb *box = &run->boxes[a->id];
    const uint32_t *keys = keys_of(run, v);
    const small_box *small = run->small + v->begin;
    uint32_t lo[3], hi[3];
    for (int i = 0; i < 3; ++i) {
        /* one cell more, for what rounding may do to the difference */
        lo[i] = cell_of(v, i, least(box, i) - v->extent[i]);
        lo[i] -= lo[i] > 0;
        hi[i] = cell_of(v, i, i == 0 ? box->hi.x : i == 1 ? box->hi.y : box->hi.z);
    }
    const double rows = (double)(hi[1] - lo[1] + 1) * (double)(hi[2] - lo[2] + 1);
    if (8 * rows > (double)v->count) {
        for (size_t j = 0; j < v->count; ++j)
            if (!try_pair(run, a, &small[j], out))
                return false;
        return true;
    }
    for (uint32_t z = lo[2]; z <= hi[2]; ++z)
        for (uint32_t y = lo[1]; y <= hi[1]; ++y) {
            const uint32_t row = z * v->stride_z + y * v->stride_y + v->reach;
            for (size_t j = first_from(keys, v->count, row + lo[0]); keys[j] <= row + hi[0]; ++j)
                if (!try_pair(run, a, &small[j], out))
                    return false;
        }
    return true;
}

static bool join_endless(const batch_run *run, uint32_t id, size_t number, abut_pair_list *out)
{
    const abut_aabb *box = &run->boxes[id];
    for (int l = 0; l < run->level_count; ++l) {
        const level *v = &run->levels[l];
        for (size_t k = v->begin; k < v->begin + v->count; ++k)
            if (abut_aabb_meet(box, &run->boxes[run->entries[k].id]) &&
                !abut_pair_list_add(out, id, run->entries[k].id))
                return false;
    }
    for (size_t k = number + 1; k < run->endless_count; ++k)
        if (abut_aabb_meet(box, &run->boxes[run->endless[k]]) &&
            !abut_pair_list_add(out, id, run->endless[k]))
            return false;
    return true;
}

/* Whole chunks, so that the order of pairs does not depend on the number of threads. */
static void join_share(void *ctx, int index)
{
    const batch_run *run = ctx;
    const level *v = run->now;
    abut_pair_list *out = &run->lists[index];
    size_t chunk, last;
    abut_parallel_share((v->count + CHUNK - 1) / CHUNK, run->threads, index, &chunk, &last);
    for (; chunk < last && !out->status; ++chunk) {
        const size_t begin = chunk * CHUNK, end = begin + CHUNK < v->count ? begin + CHUNK : v->count;
        join_stretch(run, v, begin, end, out);
        for (const level *lower = run->levels; lower < v; ++lower)
            for (size_t i = begin; i < end; ++i)
                if (!examine_up(run, lower, &run->small[v->begin + i], out))
                    return;
    }
}

/* Are cells crowded with boxes that do not meet? From some of them. */
static bool is_crowded(const batch_run *run, const level *v)
{
    enum { SAMPLES = 64, MOST = 256 };
    const uint32_t *keys = keys_of(run, v);
    const uint32_t ahead[RUNS + 1] = { 0, v->stride_y, v->stride_z - v->stride_y, v->stride_z,
                                       v->stride_z + v->stride_y };
    double work = 0, tried = 0, met = 0;
    if (v->count < SAMPLES * SAMPLES)
        return false;
    for (size_t s = 0; s < SAMPLES; ++s) {
        const size_t i = v->count / SAMPLES * s;
        const small_box *a = &run->small[v->begin + i];
        for (int r = 0; r <= RUNS; ++r) {
            const size_t from = r ? first_from(keys, v->count, keys[i] + ahead[r] - v->reach) : i + 1;
            const size_t to = first_from(keys, v->count, keys[i] + ahead[r] + a->span + 1);
            work += (double)(to - from);
            for (size_t j = from; j < to && j < from + MOST; ++j) {
                tried += 1;
                met += small_meet(a, &run->small[v->begin + j]);
            }
        }
    }
    return work > CROWDED * (double)SAMPLES && 8 * met < tried;
}

static abut_status join_all(batch_run *run, abut_pair_list *out)
{
    const int threads = run->threads;
    for (int l = 0; l < run->level_count; ++l) {
        run->now = &run->levels[l];
        /* Lists of threads one behind the other are what one thread would find. */
        for (int t = 0; t < threads; ++t)
            run->lists[t] =
                threads == 1 ? *out : (abut_pair_list){ .alloc = out->alloc, .limit = out->limit };
        each_thread(run, join_share);
        if (threads == 1) {
            *out = run->lists[0];
        } else {
            for (int t = 0; t < threads; ++t) {
                abut_pair_list_append(out, &run->lists[t]);
                abut_pair_list_clear(&run->lists[t]);
            }
        }
        if (out->status)
            return out->status;
    }
    for (size_t k = 0; k < run->endless_count; ++k)
        if (!join_endless(run, run->endless[k], k, out))
            return out->status;
    return ABUT_OK;
}

/* Few boxes: each with each, by halves of the work that a grid would be. */
static abut_status join_few(const abut_aabb *boxes, size_t count, abut_pair_list *out)
{
    for (size_t i = 0; i < count; ++i) {
        if (abut_aabb_is_empty(&boxes[i]))
            continue;
        for (size_t j = i + 1; j < count; ++j)
            if (!abut_aabb_is_empty(&boxes[j]) && abut_aabb_meet(&boxes[i], &boxes[j]) &&
                !abut_pair_list_add(out, (uint32_t)i, (uint32_t)j))
                return out->status;
    }
    return ABUT_OK;
}

static ABUT_MATH_NOINLINE abut_status find_pairs(abut_batch *batch, batch_run *run, abut_pair_list *out)
{
    if (!make_room(batch, run))
        return ABUT_ERR_MEMORY;
    sort_out(run);
    for (int l = 0; l < run->level_count; ++l) {
        level *v = &run->levels[l];
        make_level(run, v);
        if (is_crowded(run, v))
            return abut_tree_pairs(run->boxes, run->count, out);
    }
    return join_all(run, out);
}

abut_status abut_batch_pairs(abut_batch *batch, const abut_aabb *boxes, size_t count, int threads,
                             abut_pair_list *out)
{
    if (count >= UINT32_MAX)
        return ABUT_ERR_LIMIT;
    if (count <= FEW)
        return join_few(boxes, count, out);
    abut_pair_list lists[ABUT_PARALLEL_MOST];
    batch_run run = {
        .lists = lists, .boxes = boxes, .count = count, .threads = count < ALONE ? 1 : threads
    };
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = find_pairs(batch, &run, out);
    abut_nearest_leave(saved);
    return status;
}
