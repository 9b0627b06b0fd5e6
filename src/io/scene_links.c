/* SPDX-License-Identifier: MIT */
/* Default pairs of a scene with parents and groups; see scene_links.h.
 *
 * Of the objects after i those left out are the members of its group and its relatives outside of
 * it: two ascending lists. So how many of i + 1 .. j are left out is two binary searches, and the
 * k-th that is not is one more around them. */
#include "io/scene_links.h"

#include "base/sort.h"

#include <string.h>

/* What objects are sorted by: the names of their groups. */
typedef struct group_names {
    const char *const *of;
} group_names;

static bool group_before(void *ctx, const void *x, const void *y)
{
    const char *const *group = ((const group_names *)ctx)->of;
    const size_t i = *(const size_t *)x, j = *(const size_t *)y;
    const int order = strcmp(group[i], group[j]);
    return order < 0 || (order == 0 && i < j);
}

static bool number_before(void *ctx, const void *x, const void *y)
{
    (void)ctx;
    return *(const size_t *)x < *(const size_t *)y;
}

static size_t *take(abut_io_links *l, size_t count)
{
    return abut_base_alloc(&l->alloc, count ? count : 1, sizeof(size_t));
}

static void give(const abut_io_links *l, size_t *memory, size_t count)
{
    if (memory)
        abut_base_free(&l->alloc, memory, count ? count : 1, sizeof(size_t));
}

static void fill_groups(abut_io_links *l, const char *const *group)
{
    size_t n = 0;
    for (size_t i = 0; i < l->count; ++i) {
        l->group[i] = ABUT_IO_NONE;
        if (group[i])
            l->members[n++] = i;
    }
    abut_base_sort(l->members, n, sizeof *l->members, group_before, &(group_names){ group });
    l->group_count = 0;
    for (size_t k = 0; k < n; ++k) {
        if (k == 0 || strcmp(group[l->members[k]], group[l->members[k - 1]]) != 0)
            l->member_begin[l->group_count++] = k;
        l->group[l->members[k]] = l->group_count - 1;
    }
    l->member_begin[l->group_count] = n;
}

static bool is_apart(const abut_io_links *l, size_t i, size_t j)
{
    return l->group[i] == ABUT_IO_NONE || l->group[i] != l->group[j];
}

/* Visits each relation that groups do not cover: parents, then excluded pairs that are not that. */
typedef struct relations {
    const size_t *parent, *excluded; /* the latter two numbers a pair */
    size_t excluded_count;
} relations;

static bool get_relation(const abut_io_links *l, const relations *of, size_t k, size_t *a, size_t *b)
{
    if (k < l->count) {
        *a = k;
        *b = of->parent[k];
        return *b != ABUT_IO_NONE && is_apart(l, *a, *b);
    }
    *a = of->excluded[2 * (k - l->count)];
    *b = of->excluded[2 * (k - l->count) + 1];
    return of->parent[*a] != *b && of->parent[*b] != *a && is_apart(l, *a, *b);
}

static void fill_others(abut_io_links *l, const relations *of)
{
    const size_t all = l->count + of->excluded_count;
    size_t a, b;
    memset(l->other_begin, 0, (l->count + 1) * sizeof *l->other_begin);
    for (size_t k = 0; k < all; ++k)
        if (get_relation(l, of, k, &a, &b)) {
            ++l->other_begin[a + 1];
            ++l->other_begin[b + 1];
        }
    for (size_t i = 0; i < l->count; ++i)
        l->other_begin[i + 1] += l->other_begin[i];
    /* Filled from the end of each list, whose begin is where the one before ended. */
    for (size_t k = 0; k < all; ++k)
        if (get_relation(l, of, k, &a, &b)) {
            l->others[--l->other_begin[a + 1]] = b;
            l->others[--l->other_begin[b + 1]] = a;
        }
    for (size_t i = 0; i < l->count; ++i)
        l->other_begin[i] = l->other_begin[i + 1];
    l->other_begin[l->count] = l->other_count;
    for (size_t i = 0; i < l->count; ++i)
        abut_base_sort(l->others + l->other_begin[i], l->other_begin[i + 1] - l->other_begin[i],
                       sizeof *l->others, number_before, NULL);
}

/* How many of an ascending list are at most x. */
static size_t count_to(const size_t *list, size_t count, size_t x)
{
    size_t lo = 0, hi = count;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (list[mid] <= x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Of i + 1 .. j, how many are pairs with i. */
static size_t count_pairs(const abut_io_links *l, size_t i, size_t j)
{
    const size_t *others = l->others + l->other_begin[i];
    const size_t n = l->other_begin[i + 1] - l->other_begin[i];
    size_t out = count_to(others, n, j) - count_to(others, n, i);
    if (l->group[i] != ABUT_IO_NONE) {
        const size_t from = l->member_begin[l->group[i]], to = l->member_begin[l->group[i] + 1];
        out += count_to(l->members + from, to - from, j) - count_to(l->members + from, to - from, i);
    }
    return j - i - out;
}

bool abut_io_links_make(const abut_allocator *alloc, size_t count, const size_t *parent,
                        const char *const *group, const size_t *excluded, size_t excluded_count,
                        abut_io_links *out)
{
    const relations of = { parent, excluded, excluded_count };
    *out = (abut_io_links){ .alloc = *alloc, .count = count, .other_count = 2 * excluded_count };
    for (size_t i = 0; i < count; ++i)
        out->other_count += parent[i] == ABUT_IO_NONE ? 0 : 2;
    out->group = take(out, count);
    out->members = take(out, count);
    out->member_begin = take(out, count + 1);
    out->other_begin = take(out, count + 1);
    out->row_begin = take(out, count + 1);
    out->others = take(out, out->other_count);
    if (!out->group || !out->members || !out->member_begin || !out->other_begin || !out->row_begin ||
        !out->others)
        return false;
    const size_t room = out->other_count;
    fill_groups(out, group);
    out->other_count = 0;
    size_t a, b;
    for (size_t k = 0; k < count + excluded_count; ++k)
        out->other_count += get_relation(out, &of, k, &a, &b) ? 2 : 0;
    fill_others(out, &of);
    out->other_count = room; /* as allocated */
    out->row_begin[0] = 0;
    for (size_t i = 0; i < count; ++i)
        out->row_begin[i + 1] = out->row_begin[i] + (i + 1 < count ? count_pairs(out, i, count - 1) : 0);
    return true;
}

void abut_io_links_clear(abut_io_links *l)
{
    if (l->count == 0)
        return;
    give(l, l->group, l->count);
    give(l, l->members, l->count);
    give(l, l->member_begin, l->count + 1);
    give(l, l->other_begin, l->count + 1);
    give(l, l->row_begin, l->count + 1);
    give(l, l->others, l->other_count);
    l->count = 0;
}

size_t abut_io_links_pair_count(const abut_io_links *l)
{
    return l->row_begin[l->count];
}

void abut_io_links_get_pair(const abut_io_links *l, size_t index, size_t *a, size_t *b)
{
    const size_t row = count_to(l->row_begin, l->count + 1, index) - 1;
    const size_t wanted = index - l->row_begin[row] + 1;
    size_t lo = row + 1, hi = l->count - 1;
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (count_pairs(l, row, mid) < wanted)
            lo = mid + 1;
        else
            hi = mid;
    }
    *a = row;
    *b = lo;
}
