/* SPDX-License-Identifier: MIT */
/* Contacts of polyhedra at the time of first contact, by entity: where that time is known exactly and they
 * touch then, the static method (narrow/polyhedron) lists every contact. So it is for bodies at rest and
 * for those that slide from the start; other times are enclosed, and first_rigid.c lists places. */
#include "ccd/first_entities.h"
#include "abut/polyhedron.h"
#include "base/memory.h"
#include "shape/shape.h"

static bool is_solid(const abut_shape *shape)
{
    return abut_shape_has_triangles(shape->type) && shape->u.faceted.solid;
}

bool abut_first_entities(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                         const abut_motion *motion_b, double t,
                         void (*keep)(void *ctx, const abut_contact *contact), void *ctx)
{
    if ((a->type != ABUT_SHAPE_POLYHEDRON && b->type != ABUT_SHAPE_POLYHEDRON) || !is_solid(a) ||
        !is_solid(b))
        return false;
    const abut_allocator alloc = abut_base_allocator(&a->alloc);
    abut_contact few[16], *contacts = few;
    abut_touch_lists lists = { .contacts = few, .contact_capacity = sizeof few / sizeof *few };
    abut_touch_result r;
    abut_status status = abut_touch_at(a, motion_a, b, motion_b, t, NULL, NULL, &lists, &r);
    const size_t room = status ? 0 : r.contact_count;
    if (room > lists.contact_capacity) {
        lists.contacts = contacts = abut_base_alloc(&alloc, room, sizeof *contacts);
        lists.contact_capacity = room;
        status =
            contacts ? abut_touch_at(a, motion_a, b, motion_b, t, NULL, NULL, &lists, &r) : ABUT_ERR_MEMORY;
    }
    const bool ok = !status && r.verdict == ABUT_TOUCHING && r.contact_count > 0;
    for (size_t i = 0; ok && i < r.contact_count; ++i)
        keep(ctx, &contacts[i]);
    if (contacts != few)
        abut_base_free(&alloc, contacts, room, sizeof *contacts);
    return ok;
}
