/* SPDX-License-Identifier: MIT */
/* Samples in a hashed grid whose cells are as wide as the separation, so that what is near a
 * point is in the 27 cells around it. All plain doubles: where samples are is a matter of
 * taste, not of proof. */
#include "ccd/minimise/minimise_samples.h"

#include "ccd/minimise/minimise_queue.h"

/* Cells are numbered by whole doubles; far out, where those lie wider apart than 1, neighbours
 * coincide, which does no harm. */
static size_t chain_of(const abut_samples *s, double x, double y, double z)
{
    uint64_t hash = 0x9e3779b97f4a7c15u;
    const double cell[3] = { x + 0.0, y + 0.0, z + 0.0 };
    for (int i = 0; i < 3; ++i) {
        uint64_t bits;
        memcpy(&bits, &cell[i], sizeof bits);
        hash = (hash ^ bits) * 0xbf58476d1ce4e5b9u;
        hash ^= hash >> 29;
    }
    return (size_t)hash & (s->chain_count - 1);
}

static double cell_of(const abut_samples *s, double x)
{
    return floor(x / s->separation);
}

static void hang(abut_samples *s, uint32_t number)
{
    abut_sample *sample = &s->list[number];
    uint32_t *chain =
        &s->chains[chain_of(s, cell_of(s, sample->at.x), cell_of(s, sample->at.y), cell_of(s, sample->at.z))];
    sample->next = *chain;
    *chain = number + 1;
}

void abut_samples_rebuild(abut_samples *s)
{
    for (size_t i = 0; i < s->chain_count; ++i)
        s->chains[i] = 0;
    for (size_t i = 0; i < s->count; ++i)
        hang(s, (uint32_t)i);
}

bool abut_samples_add(abut_samples *s, const ia3 *place, uint32_t group, uint32_t found)
{
    abut_sample *list = abut_workspace_grow(s->ws, s->list, s->count, &s->capacity, sizeof *list);
    if (!list)
        return false;
    s->list = list;
    list[s->count] =
        (abut_sample){ { ia_mid(place->x), ia_mid(place->y), ia_mid(place->z) }, group, found, 0 };
    if (s->chain_count < s->capacity) {
        uint32_t *chains = abut_workspace_take(s->ws, s->capacity, sizeof *chains);
        if (!chains)
            return false;
        s->chains = chains;
        s->chain_count = s->capacity;
        abut_samples_rebuild(s);
    }
    hang(s, (uint32_t)s->count++);
    return true;
}

static double farthest(ia side, double from)
{
    const double below = from - ia_lo(side), above = ia_hi(side) - from;
    return below > above ? below : above;
}

static bool near(const abut_samples *s, uint32_t number, const ia3 *place, uint32_t group)
{
    const abut_sample *sample = &s->list[number];
    const double x = farthest(place->x, sample->at.x), y = farthest(place->y, sample->at.y),
                 z = farthest(place->z, sample->at.z);
    return sample->group == group && x * x + y * y + z * z < s->separation * s->separation;
}

bool abut_samples_near(const abut_samples *s, const ia3 *place, uint32_t group)
{
    const double widest = 2 * s->separation;
    if (s->count == 0 || !(ia_width(place->x) < widest) || !(ia_width(place->y) < widest) ||
        !(ia_width(place->z) < widest))
        return false;
    const double cx = cell_of(s, ia_mid(place->x)), cy = cell_of(s, ia_mid(place->y)),
                 cz = cell_of(s, ia_mid(place->z));
    for (int k = 0; k < 27; ++k) {
        const int to_x = k % 3 - 1, to_y = k / 3 % 3 - 1, to_z = k / 9 - 1;
        const double x = cx + to_x, y = cy + to_y, z = cz + to_z;
        for (uint32_t i = s->chains[chain_of(s, x, y, z)]; i; i = s->list[i - 1].next)
            if (near(s, i - 1, place, group))
                return true;
    }
    return false;
}

bool abut_samples_near_one(const abut_samples *s, size_t number, const ia3 *place, uint32_t group)
{
    return near(s, (uint32_t)number, place, group);
}

bool abut_samples_alone(const abut_samples *s, size_t number)
{
    const abut_sample *one = &s->list[number];
    const double apart = 2.5 * s->separation;
    for (size_t i = 0; i < s->count; ++i) {
        const abut_sample *other = &s->list[i];
        const double x = one->at.x - other->at.x, y = one->at.y - other->at.y, z = one->at.z - other->at.z;
        if (i != number && other->group == one->group && x * x + y * y + z * z < apart * apart)
            return false;
    }
    return true;
}
