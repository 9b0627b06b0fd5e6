/* SPDX-License-Identifier: MIT */
/* Persistent sweep and prune along three axes (Baraff 1992; Cohen, Lin, Manocha and Ponamgi,
 * "I-COLLIDE", 1995).
 *
 * Three sorted lists of the ends of all boxes are kept. New values are put in, and insertion sort
 * mends the order: when boxes move little, in time linear in the boxes and the exchanges. A begin that
 * moves before an end starts the overlap of two boxes along that axis, an end that moves before a begin
 * ends it. Pairs that start to overlap are compared as boxes; those that stop leave the set.
 * I-COLLIDE keeps a flag for each axis and pair, in a matrix; here the set holds the pairs that overlap
 * along all three, and a start is checked with the boxes themselves.
 *
 * At equal values begins come before ends, since boxes are closed. Where boxes come and go, or so many
 * ends change places that sorting anew is cheaper, the lists are made anew: by sorting, and the pairs by
 * the one-shot method. */
#include "world/broad/persist.h"

#include "base/sort.h"
#include "world/broad/aabb.h"

/* owner: twice the box, plus 1 for an end. */
typedef struct end {
    double at;
    uint32_t owner;
} end;

struct abut_sweep {
    abut_allocator alloc;
    end *ends[3];
    size_t capacity; /* of boxes */
    size_t count, present;
    uint8_t *is_in; /* boxes that are in the lists */
    abut_pair_set set;
    bool valid;
};

abut_sweep *abut_sweep_create(const abut_allocator *alloc)
{
    abut_sweep *s = abut_base_alloc_zero(alloc, 1, sizeof *s);
    if (s)
        s->alloc = s->set.alloc = *alloc;
    return s;
}

static void free_lists(abut_sweep *s)
{
    for (int i = 0; i < 3; ++i) {
        abut_base_shrink(&s->alloc, s->ends[i], 2 * s->capacity, sizeof *s->ends[i]);
        s->ends[i] = NULL;
    }
    abut_base_shrink(&s->alloc, s->is_in, s->capacity, 1);
    s->is_in = NULL;
    s->capacity = 0;
}

void abut_sweep_destroy(abut_sweep *s)
{
    if (!s)
        return;
    const abut_allocator alloc = s->alloc;
    free_lists(s);
    abut_pair_set_clear(&s->set);
    abut_base_free(&alloc, s, 1, sizeof *s);
}

static double end_value(const abut_aabb *box, int axis, bool upper)
{
    const abut_vec3 *v = upper ? &box->hi : &box->lo;
    return axis == 0 ? v->x : axis == 1 ? v->y : v->z;
}

/* Begins before ends at equal values. */
static inline bool comes_before(const end *a, const end *b)
{
    return a->at != b->at ? a->at < b->at : (a->owner & 1) < (b->owner & 1);
}

static bool sorts_before(void *ctx, const void *x, const void *y)
{
    const end *a = x, *b = y;
    (void)ctx;
    if (a->at != b->at)
        return a->at < b->at;
    return (a->owner & 1) != (b->owner & 1) ? (a->owner & 1) < (b->owner & 1) : a->owner < b->owner;
}

static bool make_room(abut_sweep *s, size_t count)
{
    if (count <= s->capacity)
        return true;
    free_lists(s);
    const size_t wanted = count + count / 4 + 16;
    s->is_in = abut_base_alloc(&s->alloc, wanted, 1);
    for (int i = 0; i < 3; ++i)
        s->ends[i] = abut_base_alloc(&s->alloc, 2 * wanted, sizeof *s->ends[i]);
    s->capacity = wanted;
    if (s->is_in && s->ends[0] && s->ends[1] && s->ends[2])
        return true;
    free_lists(s);
    return false;
}

/* Lists by sorting, pairs by the one-shot method. */
static abut_status start_anew(abut_sweep *s, const abut_aabb *boxes, size_t count, abut_batch *batch,
                              abut_pair_list *out)
{
    s->valid = false;
    if (!make_room(s, count))
        return ABUT_ERR_MEMORY;
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        s->is_in[i] = !abut_aabb_is_empty(&boxes[i]);
        for (int axis = 0; s->is_in[i] && axis < 3; ++axis) {
            s->ends[axis][2 * n] = (end){ end_value(&boxes[i], axis, false), (uint32_t)(2 * i) };
            s->ends[axis][2 * n + 1] = (end){ end_value(&boxes[i], axis, true), (uint32_t)(2 * i + 1) };
        }
        n += s->is_in[i];
    }
    for (int axis = 0; axis < 3; ++axis)
        abut_base_sort(s->ends[axis], 2 * n, sizeof *s->ends[axis], sorts_before, NULL);
    s->present = n;
    s->count = count;
    abut_status status = abut_batch_pairs(batch, boxes, count, 1, out);
    abut_pair_set_empty(&s->set);
    for (size_t i = 0; i < out->count && !status; ++i)
        if (!abut_pair_set_add(&s->set, out->items[i].a, out->items[i].b))
            status = ABUT_ERR_MEMORY;
    s->valid = !status;
    return status;
}

/* Insertion sort of one list; false when there are too many exchanges, or memory is out. */
static bool mend_list(abut_sweep *s, int axis, const abut_aabb *boxes, size_t *budget)
{
    end *list = s->ends[axis];
    for (size_t i = 1; i < 2 * s->present; ++i) {
        const end moved = list[i];
        size_t at = i;
        while (at > 0 && comes_before(&moved, &list[at - 1])) {
            const uint32_t other = list[at - 1].owner;
            list[at] = list[at - 1];
            --at;
            if (*budget == 0)
                return false;
            --*budget;
            if (((moved.owner ^ other) & 1) == 0 || moved.owner >> 1 == other >> 1)
                continue;
            const uint32_t a = moved.owner >> 1, b = other >> 1;
            if (moved.owner & 1) /* an end before a begin */
                abut_pair_set_remove(&s->set, a, b);
            else if (abut_aabb_meet(&boxes[a], &boxes[b]) && !abut_pair_set_add(&s->set, a, b))
                return false;
        }
        list[at] = moved;
    }
    return true;
}

static bool same_boxes(const abut_sweep *s, const abut_aabb *boxes, size_t count)
{
    if (!s->valid || s->count != count)
        return false;
    for (size_t i = 0; i < count; ++i)
        if (s->is_in[i] == abut_aabb_is_empty(&boxes[i]))
            return false;
    return true;
}

abut_status abut_sweep_update(abut_sweep *s, const abut_aabb *boxes, size_t count, abut_batch *batch,
                              abut_pair_list *out)
{
    if (count > UINT32_MAX / 2)
        return ABUT_ERR_LIMIT;
    bool kept = same_boxes(s, boxes, count);
    size_t budget = 64 * s->present + 1024;
    for (int axis = 0; axis < 3 && kept; ++axis) {
        for (size_t i = 0; i < 2 * s->present; ++i) {
            const uint32_t owner = s->ends[axis][i].owner;
            s->ends[axis][i].at = end_value(&boxes[owner >> 1], axis, owner & 1);
        }
        kept = mend_list(s, axis, boxes, &budget);
    }
    if (!kept)
        return start_anew(s, boxes, count, batch, out);
    return abut_pair_set_list(&s->set, out);
}
