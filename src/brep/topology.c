/* SPDX-License-Identifier: MIT */
/* Making and checking the topology of a boundary representation.
 *
 * Method: loops are laid out one after another, each edge collects its two co-edges, and the
 * co-edges that leave a vertex are put in the order in which a walk around it (to the previous
 * co-edge of the loop, then to its mate) meets them. A vertex where that walk does not meet all of
 * them has several fans of faces: the boundary touches itself there. Shells are what a walk over
 * mates reaches. All of it is linear in the size. */
#include "brep/topology.h"
#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>

/* ---- memory ---- */

void abut_brep_destroy(abut_brep *brep)
{
    if (!brep)
        return;
    const abut_allocator alloc = brep->alloc;
    abut_base_free(&alloc, brep->edges, brep->edge_count, sizeof *brep->edges);
    abut_base_free(&alloc, brep->coedges, brep->coedge_count, sizeof *brep->coedges);
    abut_base_free(&alloc, brep->loops, brep->loop_count, sizeof *brep->loops);
    abut_base_free(&alloc, brep->faces, brep->face_count, sizeof *brep->faces);
    abut_base_free(&alloc, brep->vertex_starts, brep->vertex_count + 1, sizeof *brep->vertex_starts);
    abut_base_free(&alloc, brep->vertex_coedges, brep->coedge_count, sizeof *brep->vertex_coedges);
    abut_base_free(&alloc, brep->lone_faces, brep->vertex_count, sizeof *brep->lone_faces);
    abut_base_free(&alloc, brep->shell_starts, brep->face_count + 1, sizeof *brep->shell_starts);
    abut_base_free(&alloc, brep->shell_faces, brep->face_count, sizeof *brep->shell_faces);
    abut_base_free(&alloc, brep, 1, sizeof *brep);
}

static bool take_memory(abut_brep *brep, bool lone)
{
    const abut_allocator *alloc = &brep->alloc;
    brep->edges = abut_base_alloc(alloc, brep->edge_count, sizeof *brep->edges);
    brep->coedges = abut_base_alloc(alloc, brep->coedge_count, sizeof *brep->coedges);
    brep->loops = abut_base_alloc(alloc, brep->loop_count, sizeof *brep->loops);
    brep->faces = abut_base_alloc(alloc, brep->face_count, sizeof *brep->faces);
    brep->vertex_starts = abut_base_alloc_zero(alloc, brep->vertex_count + 1, sizeof *brep->vertex_starts);
    brep->vertex_coedges = abut_base_alloc(alloc, brep->coedge_count, sizeof *brep->vertex_coedges);
    brep->shell_starts = abut_base_alloc(alloc, brep->face_count + 1, sizeof *brep->shell_starts);
    brep->shell_faces = abut_base_alloc(alloc, brep->face_count, sizeof *brep->shell_faces);
    if (lone)
        brep->lone_faces = abut_base_alloc(alloc, brep->vertex_count, sizeof *brep->lone_faces);
    return brep->edges && brep->coedges && brep->loops && brep->faces && brep->vertex_starts &&
           brep->vertex_coedges && brep->shell_starts && brep->shell_faces && (!lone || brep->lone_faces);
}

/* ---- edges, loops, faces ---- */

static abut_status copy_edges(abut_brep *brep, const abut_brep_def *def, abut_error *error)
{
    for (size_t e = 0; e < brep->edge_count; ++e) {
        const uint32_t from = def->edge_ends[2 * e], to = def->edge_ends[2 * e + 1];
        if (from != to && (from == ABUT_BREP_NONE || to == ABUT_BREP_NONE))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)e, "edge %zu has only one end", e);
        for (int k = 0; k < 2; ++k) {
            const uint32_t vertex = def->edge_ends[2 * e + (size_t)k];
            if (vertex != ABUT_BREP_NONE && vertex >= brep->vertex_count)
                return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)e,
                                      "edge %zu names vertex %" PRIu32 ", but there are only %zu (counted "
                                      "from 0)",
                                      e, vertex, brep->vertex_count);
        }
        brep->edges[e] = (abut_brep_edge){ from, to, { ABUT_BREP_NONE, ABUT_BREP_NONE } };
    }
    return ABUT_OK;
}

static abut_status lay_out(abut_brep *brep, const abut_brep_def *def, abut_error *error)
{
    size_t loop = 0, use = 0;
    for (size_t f = 0; f < brep->face_count; ++f) {
        if (def->face_loop_count[f] > brep->loop_count - loop)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)f,
                                  "face %zu has %" PRIu32 " loops, but only %zu are left", f,
                                  def->face_loop_count[f], brep->loop_count - loop);
        brep->faces[f] =
            (abut_brep_face){ ABUT_BREP_NONE, (uint32_t)loop, (uint32_t)(loop + def->face_loop_count[f]) };
        for (size_t end = brep->faces[f].end; loop < end; ++loop) {
            const uint32_t size = def->loop_sizes[loop];
            if (size == 0 || size > brep->coedge_count - use)
                return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)f,
                                      "a loop of face %zu has %" PRIu32 " edges; at least 1 is needed, and "
                                      "%zu are left",
                                      f, size, brep->coedge_count - use);
            brep->loops[loop] = (abut_brep_loop){ (uint32_t)f, (uint32_t)use, (uint32_t)(use + size) };
            for (size_t last = use + size; use < last; ++use)
                brep->coedges[use] = (abut_brep_coedge){ def->uses[use], (uint32_t)loop };
        }
    }
    if (loop != brep->loop_count || use != brep->coedge_count)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "%zu loops belong to no face",
                              brep->loop_count - loop);
    return ABUT_OK;
}

static abut_status fail_edge(const abut_brep *brep, size_t e, const char *what, abut_error *error)
{
    const abut_brep_edge *edge = &brep->edges[e];
    if (edge->from == ABUT_BREP_NONE)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)e, "edge %zu %s", e, what);
    return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)e,
                          "the edge from vertex %" PRIu32 " to %" PRIu32 " (edge %zu) %s", edge->from,
                          edge->to, e, what);
}

/* Each edge gets its co-edges. The faces that the messages name are those of the co-edges. */
static abut_status pair_coedges(abut_brep *brep, abut_error *error)
{
    for (size_t c = 0; c < brep->coedge_count; ++c) {
        const uint32_t e = brep->coedges[c].use >> 1;
        const uint32_t face = brep->loops[brep->coedges[c].loop].face;
        if (e >= brep->edge_count)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)face,
                                  "face %" PRIu32 " names edge %" PRIu32 ", but there are only %zu (counted "
                                  "from 0)",
                                  face, e, brep->edge_count);
        uint32_t *place = &brep->edges[e].coedges[brep->coedges[c].use & 1];
        if (*place != ABUT_BREP_NONE) {
            size_t uses = 0;
            for (size_t k = 0; k < brep->coedge_count; ++k)
                uses += brep->coedges[k].use >> 1 == e;
            return fail_edge(brep, e,
                             uses > 2 ? "belongs to more than two faces; in a solid each edge has two"
                                      : "has two faces that run the same way along it; one of them must be "
                                        "turned round",
                             error);
        }
        *place = (uint32_t)c;
    }
    for (size_t e = 0; e < brep->edge_count; ++e) {
        const uint32_t *pair = brep->edges[e].coedges;
        if (pair[0] == ABUT_BREP_NONE && pair[1] == ABUT_BREP_NONE)
            return fail_edge(brep, e, "belongs to no face", error);
        if (pair[0] == ABUT_BREP_NONE || pair[1] == ABUT_BREP_NONE)
            return fail_edge(brep, e, "has a face on one side only: the solid is not closed", error);
    }
    return ABUT_OK;
}

static uint32_t end_of(const abut_brep *brep, uint32_t coedge)
{
    const abut_brep_edge *edge = &brep->edges[abut_brep_edge_of(brep, coedge)];
    return abut_brep_is_reversed(brep, coedge) ? edge->from : edge->to;
}

static abut_status check_cycles(const abut_brep *brep, abut_error *error)
{
    for (uint32_t c = 0; c < brep->coedge_count; ++c) {
        const uint32_t face = abut_brep_face_of(brep, c), next = abut_brep_next(brep, c);
        const uint32_t end = end_of(brep, c), start = abut_brep_start(brep, next);
        if (end != start || (end == ABUT_BREP_NONE && next != c))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, face,
                                  "a loop of face %" PRIu32 " is not closed: edge %" PRIu32
                                  " does not start where edge %" PRIu32 " ends",
                                  face, abut_brep_edge_of(brep, next), abut_brep_edge_of(brep, c));
    }
    return ABUT_OK;
}

/* ---- vertices ---- */

/* The co-edges that leave each vertex, ascending. */
static void list_leaving(abut_brep *brep)
{
    uint32_t *starts = brep->vertex_starts;
    for (uint32_t c = 0; c < brep->coedge_count; ++c)
        if (abut_brep_start(brep, c) != ABUT_BREP_NONE)
            ++starts[abut_brep_start(brep, c) + 1];
    for (size_t v = 0; v < brep->vertex_count; ++v)
        starts[v + 1] += starts[v];
    for (uint32_t c = 0; c < brep->coedge_count; ++c)
        if (abut_brep_start(brep, c) != ABUT_BREP_NONE)
            brep->vertex_coedges[starts[abut_brep_start(brep, c)]++] = c;
    /* each start has moved on to the next one */
    for (size_t v = brep->vertex_count; v > 0; --v)
        starts[v] = starts[v - 1];
    starts[0] = 0;
}

/* The next co-edge that leaves the same vertex. */
static uint32_t turn(const abut_brep *brep, uint32_t coedge)
{
    return abut_brep_mate(brep, abut_brep_previous(brep, coedge));
}

static abut_status order_fans(abut_brep *brep, abut_error *error)
{
    for (size_t v = 0; v < brep->vertex_count; ++v) {
        const uint32_t begin = brep->vertex_starts[v], end = brep->vertex_starts[v + 1];
        if (begin == end)
            continue;
        const uint32_t first = brep->vertex_coedges[begin];
        uint32_t at = begin;
        for (uint32_t c = first; at < end; ++at) {
            brep->vertex_coedges[at] = c;
            c = turn(brep, c);
            if (c == first) {
                ++at;
                break;
            }
        }
        if (at < end)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)v,
                                  "vertex %zu is not manifold: several parts of the boundary touch there", v);
    }
    return ABUT_OK;
}

static abut_status copy_lone(abut_brep *brep, const abut_brep_def *def, abut_error *error)
{
    for (size_t v = 0; def->lone_faces && v < brep->vertex_count; ++v) {
        const uint32_t face = def->lone_faces[v];
        if (face != ABUT_BREP_NONE && face >= brep->face_count)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)v,
                                  "vertex %zu lies in face %" PRIu32 ", but there are only %zu (counted from "
                                  "0)",
                                  v, face, brep->face_count);
        if (face != ABUT_BREP_NONE && brep->vertex_starts[v] != brep->vertex_starts[v + 1])
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)v,
                                  "vertex %zu lies inside face %" PRIu32 ", but edges end at it", v, face);
        brep->lone_faces[v] = face;
    }
    return ABUT_OK;
}

/* ---- shells ---- */

/* shell_faces serves as the queue: faces of a shell are found one after another. */
static void find_shells(abut_brep *brep)
{
    uint32_t filled = 0;
    for (uint32_t seed = 0; seed < brep->face_count; ++seed) {
        if (brep->faces[seed].shell != ABUT_BREP_NONE)
            continue;
        const uint32_t shell = (uint32_t)brep->shell_count++;
        brep->shell_starts[shell] = filled;
        brep->faces[seed].shell = shell;
        brep->shell_faces[filled++] = seed;
        for (uint32_t at = brep->shell_starts[shell]; at < filled; ++at) {
            const abut_brep_face *face = &brep->faces[brep->shell_faces[at]];
            for (uint32_t l = face->begin; l < face->end; ++l)
                for (uint32_t c = brep->loops[l].begin; c < brep->loops[l].end; ++c) {
                    const uint32_t other = abut_brep_face_of(brep, abut_brep_mate(brep, c));
                    if (brep->faces[other].shell == ABUT_BREP_NONE) {
                        brep->faces[other].shell = shell;
                        brep->shell_faces[filled++] = other;
                    }
                }
        }
    }
    brep->shell_starts[brep->shell_count] = filled;
    /* ascending within each shell: dealt out again in the order of the faces */
    for (uint32_t f = 0; f < brep->face_count; ++f)
        brep->shell_faces[brep->shell_starts[brep->faces[f].shell]++] = f;
    for (size_t s = brep->shell_count; s > 0; --s)
        brep->shell_starts[s] = brep->shell_starts[s - 1];
    brep->shell_starts[0] = 0;
}

abut_status abut_brep_create(const abut_brep_def *def, const abut_allocator *alloc, abut_brep **out,
                             abut_error *error)
{
    *out = NULL;
    if (def->face_count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a solid needs at least one face");
    if (def->edge_count > INT32_MAX || def->use_count >= ABUT_BREP_NONE ||
        def->loop_count >= ABUT_BREP_NONE || def->face_count >= ABUT_BREP_NONE ||
        def->vertex_count >= ABUT_BREP_NONE)
        return abut_base_fail(error, ABUT_ERR_LIMIT, -1,
                              "%zu faces with %zu edges are more than can be numbered", def->face_count,
                              def->edge_count);
    const abut_allocator from = abut_base_allocator(alloc);
    abut_brep *brep = abut_base_alloc_zero(&from, 1, sizeof *brep);
    if (!brep)
        return abut_base_fail_memory(error);
    brep->alloc = from;
    brep->vertex_count = def->vertex_count;
    brep->edge_count = def->edge_count;
    brep->coedge_count = def->use_count;
    brep->loop_count = def->loop_count;
    brep->face_count = def->face_count;
    abut_status status =
        take_memory(brep, def->lone_faces) ? copy_edges(brep, def, error) : abut_base_fail_memory(error);
    if (!status)
        status = lay_out(brep, def, error);
    if (!status)
        status = pair_coedges(brep, error);
    if (!status)
        status = check_cycles(brep, error);
    if (!status) {
        list_leaving(brep);
        status = order_fans(brep, error);
    }
    if (!status)
        status = copy_lone(brep, def, error);
    if (status) {
        abut_brep_destroy(brep);
        return status;
    }
    find_shells(brep);
    *out = brep;
    return ABUT_OK;
}
