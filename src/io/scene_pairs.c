/* SPDX-License-Identifier: MIT */
/* The pairs of a scene: those that the file lists, or all by default but for those that parents,
 * groups and the list of exclusions leave out. */
#include "io/scene_data.h"

#include "base/sort.h"

#include <math.h>

/* ---- pairs by default ---- */

static bool link_pairs(abut_io_reader *r, abut_scene *scene)
{
    const size_t count = scene->object_count;
    bool any = false;
    for (size_t i = 0; i < count && !any; ++i)
        any = scene->objects[i].parent != ABUT_IO_NONE || scene->objects[i].group;
    if (!any && !scene->excluded.count)
        return true;
    size_t *parent = abut_workspace_take(&r->ws, count, sizeof *parent);
    const char **group = abut_workspace_take(&r->ws, count, sizeof *group);
    if (!parent || !group)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < count; ++i) {
        parent[i] = scene->objects[i].parent;
        group[i] = scene->objects[i].group;
    }
    _Static_assert(sizeof(scene_pair) == 2 * sizeof(size_t), "two numbers a pair");
    const size_t *const excluded = scene->excluded.count ? &scene->excluded.items[0].a : NULL;
    return abut_io_links_make(&scene->alloc, count, parent, group, excluded, scene->excluded.count,
                              &scene->links) ||
           abut_io_fail_memory(r);
}

/* ---- lists of pairs ---- */

typedef struct pair_key {
    size_t low, high, number;
} pair_key;

static bool key_before(void *ctx, const void *x, const void *y)
{
    (void)ctx;
    const pair_key *a = x, *b = y;
    if (a->low != b->low)
        return a->low < b->low;
    return a->high != b->high ? a->high < b->high : a->number < b->number;
}

static pair_key *sorted_keys(abut_io_reader *r, const scene_pairs *pairs)
{
    pair_key *keys = abut_workspace_take(&r->ws, pairs->count, sizeof *keys);
    if (!keys) {
        abut_io_fail_memory(r);
        return NULL;
    }
    for (size_t i = 0; i < pairs->count; ++i) {
        const scene_pair p = pairs->items[i];
        keys[i] = (pair_key){ p.a < p.b ? p.a : p.b, p.a < p.b ? p.b : p.a, i };
    }
    abut_base_sort(keys, pairs->count, sizeof *keys, key_before, NULL);
    return keys;
}

static bool check_repeated_pairs(abut_io_reader *r, const scene_pairs *pairs)
{
    const pair_key *keys = sorted_keys(r, pairs);
    if (!keys)
        return false;
    for (size_t i = 1; i < pairs->count; ++i) {
        if (keys[i].low != keys[i - 1].low || keys[i].high != keys[i - 1].high)
            continue;
        abut_io_enter_index(r, keys[i].number);
        return abut_io_fail(r, ABUT_ERR_VALUE, "this pair is in the list already, as number %zu",
                            keys[i - 1].number);
    }
    return true;
}

/* A list of pairs of names, under its key. */
static bool read_pair_list(abut_io_reader *r, json_t *list, const char *key, const abut_scene *scene,
                           scene_pairs *out)
{
    size_t count;
    abut_io_enter_key(r, key);
    if (!abut_io_as_list(r, list, 0, "pairs of names", &count))
        return false;
    out->items = abut_base_alloc(&scene->alloc, count, sizeof *out->items);
    if (!out->items)
        return abut_io_fail_memory(r);
    out->capacity = count;
    for (size_t i = 0; i < count; ++i) {
        json_t *pair = json_array_get(list, i);
        size_t ends[2];
        abut_io_enter_index(r, i);
        if (!abut_io_as_array(r, pair, 2, "names of objects"))
            return false;
        for (size_t k = 0; k < 2; ++k) {
            abut_io_enter_index(r, k);
            if (!abut_io_read_object_name(r, scene, json_array_get(pair, k), &ends[k]))
                return false;
            abut_io_leave(r);
        }
        if (ends[0] == ends[1])
            return abut_io_fail(r, ABUT_ERR_VALUE, "a pair needs two objects; this is \"%.80s\" with itself",
                                scene->objects[ends[0]].name);
        out->items[out->count++] = (scene_pair){ ends[0], ends[1] };
        abut_io_leave(r);
    }
    if (!check_repeated_pairs(r, out))
        return false;
    abut_io_leave(r);
    return true;
}

/* What is asked for and excluded at once is a mistake. */
static bool check_contradictions(abut_io_reader *r, const abut_scene *scene)
{
    const pair_key *const asked = sorted_keys(r, &scene->pairs), *const none =
                                                                     asked ? sorted_keys(r, &scene->excluded)
                                                                           : NULL;
    if (!none)
        return false;
    for (size_t i = 0, j = 0; i < scene->pairs.count && j < scene->excluded.count;) {
        const pair_key *x = &asked[i], *y = &none[j];
        if (x->low == y->low && x->high == y->high) {
            abut_io_enter_key(r, "exclude");
            abut_io_enter_index(r, y->number);
            return abut_io_fail(r, ABUT_ERR_VALUE, "this pair is asked for, as number %zu of \"pairs\"",
                                x->number);
        }
        const bool first = x->low != y->low ? x->low < y->low : x->high < y->high;
        i += first;
        j += !first;
    }
    return true;
}

bool abut_io_read_pairs(abut_io_reader *r, json_t *root, abut_scene *scene)
{
    json_t *list = abut_io_get(root, "pairs"), *excluded = abut_io_get(root, "exclude");
    scene->all_pairs = !list;
    if (list && !read_pair_list(r, list, "pairs", scene, &scene->pairs))
        return false;
    if (excluded && !read_pair_list(r, excluded, "exclude", scene, &scene->excluded))
        return false;
    if (!list)
        return link_pairs(r, scene);
    return !excluded || check_contradictions(r, scene);
}

/* ---- what a scene answers ---- */

/* n (n - 1) / 2 without overflow before the division. */
static size_t triangle(size_t n)
{
    return n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
}

size_t abut_scene_pair_count(const abut_scene *scene)
{
    if (!scene)
        return 0;
    if (!scene->all_pairs)
        return scene->pairs.count;
    if (scene->links.count)
        return abut_io_links_pair_count(&scene->links);
    return scene->object_count ? triangle(scene->object_count) : 0;
}

void abut_scene_get_pair(const abut_scene *scene, size_t index, size_t *a, size_t *b)
{
    size_t unwanted;
    a = a ? a : &unwanted;
    b = b ? b : &unwanted;
    *a = *b = 0;
    const size_t count = abut_scene_pair_count(scene);
    if (index >= count)
        return;
    const size_t n = scene->object_count;
    if (!scene->all_pairs) {
        *a = scene->pairs.items[index].a;
        *b = scene->pairs.items[index].b;
        return;
    }
    if (scene->links.count) {
        abut_io_links_get_pair(&scene->links, index, a, b);
        return;
    }
    /* Pairs are in the order (0,1) (0,2) ... (1,2) ...; counted from the end, with objects
     * counted from the end too, those of larger object k are triangle(k) and following. The root
     * finds k up to rounding. */
    const size_t from_end = count - 1 - index;
    size_t k = (size_t)((1 + sqrt(1 + 8 * (double)from_end)) / 2);
    while (triangle(k) > from_end)
        --k;
    while (triangle(k + 1) <= from_end)
        ++k;
    *a = n - 1 - k;
    *b = n - 1 - (from_end - triangle(k));
}

bool abut_scene_has_pair_list(const abut_scene *scene)
{
    return scene && !scene->all_pairs;
}

size_t abut_scene_excluded_count(const abut_scene *scene)
{
    return scene ? scene->excluded.count : 0;
}

void abut_scene_get_excluded(const abut_scene *scene, size_t index, size_t *a, size_t *b)
{
    const bool there = index < abut_scene_excluded_count(scene);
    if (a)
        *a = there ? scene->excluded.items[index].a : 0;
    if (b)
        *b = there ? scene->excluded.items[index].b : 0;
}
