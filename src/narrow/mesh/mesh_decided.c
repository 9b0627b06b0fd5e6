/* SPDX-License-Identifier: MIT */
/* Which contacts of features of two solids have been decided: a hash table with open addresses,
 * in the workspace. */
#include "base/workspace.h"
#include "narrow/mesh/mesh.h"

#include <string.h>

/* Where the key is, or the empty slot for it. */
static size_t slot_of(const abut_mesh_decided *d, const abut_mesh_contact_key *key)
{
    uint64_t at = (key->feature * 4 + key->kind) * 0x9e3779b97f4a7c15U + key->vertex * 0xd1b54a32d192ed03U;
    at ^= at >> 32;
    for (;; ++at) {
        const abut_mesh_contact_key *slot = &d->slots[at & (d->room - 1)];
        if (slot->kind == 0 ||
            (slot->kind == key->kind && slot->feature == key->feature && slot->vertex == key->vertex))
            return at & (d->room - 1);
    }
}

bool abut_mesh_is_decided(const abut_mesh_decided *d, const abut_mesh_contact_key *key)
{
    return d->room > 0 && d->slots[slot_of(d, key)].kind != 0;
}

/* At most half of the slots are taken; the old ones stay in the workspace until the end of the
 * query. */
static bool grow(abut_mesh_decided *d)
{
    const size_t room = d->room > 0 ? 2 * d->room : 256;
    abut_mesh_decided next = { .ws = d->ws, .room = room, .count = d->count };
    next.slots = abut_workspace_take(d->ws, room, sizeof *next.slots);
    if (!next.slots)
        return false;
    memset(next.slots, 0, room * sizeof *next.slots);
    for (size_t i = 0; i < d->room; ++i)
        if (d->slots[i].kind != 0)
            next.slots[slot_of(&next, &d->slots[i])] = d->slots[i];
    *d = next;
    return true;
}

/* Without memory it is only asked again. */
void abut_mesh_decide(abut_mesh_decided *d, const abut_mesh_contact_key *key)
{
    if (2 * d->count >= d->room && !grow(d))
        return;
    d->slots[slot_of(d, key)] = *key;
    ++d->count;
}
