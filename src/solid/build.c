/* SPDX-License-Identifier: MIT */
/* Explicit solids: structural validation and the copy. Numbers in range, sizes positive, loops that
 * are cycles, every edge used twice in opposite senses. What the geometry must fulfil is checked in
 * geometry.c. */
#include "math/vec3.h"
#include "solid/solid.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double most = 1e150;

#define FAIL(status, index, ...) abut_base_fail(error, (status), (int64_t)(index), __VA_ARGS__)

static bool is_usable(abut_vec3 v)
{
    return abut_is_finite3(v) && abut_max_norm(v) <= most;
}

static abut_status check_surface(const abut_solid_surface *s, size_t i, abut_error *error)
{
    const char *name = abut_solid_surface_name(s->kind);
    if (s->kind <= ABUT_SOLID_NO_SURFACE || s->kind >= ABUT_SOLID_SURFACE_COUNT)
        return FAIL(ABUT_ERR_ARGUMENT, i, "surface %zu is of no known kind", i);
    if (s->kind == ABUT_SOLID_QUADRIC) {
        double largest = 0;
        for (int r = 0; r < 4; ++r)
            for (int c = 0; c < 4; ++c) {
                if (!isfinite(s->matrix[r][c]) || s->matrix[r][c] != s->matrix[c][r])
                    return FAIL(ABUT_ERR_ARGUMENT, i,
                                "the matrix of surface %zu must be finite and symmetric", i);
                if (r < 3 && c < 3)
                    largest = fmax(largest, fabs(s->matrix[r][c]));
            }
        return largest > 0 ? ABUT_OK
                           : FAIL(ABUT_ERR_VALUE, i, "surface %zu, a quadric, has no quadratic part", i);
    }
    if (!is_usable(s->point))
        return FAIL(ABUT_ERR_ARGUMENT, i, "the point of surface %zu, a %s, is not finite or beyond 1e150", i,
                    name);
    if (s->kind != ABUT_SOLID_SPHERE && (!abut_is_finite3(s->axis) || abut_max_norm(s->axis) == 0))
        return FAIL(ABUT_ERR_ARGUMENT, i, "the axis of surface %zu, a %s, must be finite and not zero", i,
                    name);
    const bool round = s->kind == ABUT_SOLID_SPHERE || s->kind == ABUT_SOLID_CYLINDER;
    if (round && (!(s->radius > 0) || !(s->radius <= most)))
        return FAIL(ABUT_ERR_ARGUMENT, i,
                    "the radius of surface %zu, a %s, must be positive and at most 1e150", i, name);
    /* A torus may cross its axis; a face of it lies on one sheet (feature.h). */
    if (s->kind == ABUT_SOLID_TORUS && !(s->minor > 0 && s->minor <= most && fabs(s->radius) <= most &&
                                         s->radius > -s->minor && s->radius != 0))
        return FAIL(
            ABUT_ERR_ARGUMENT, i,
            "surface %zu, a torus, needs a positive minor radius and a major one above minus the minor", i);
    if (s->kind == ABUT_SOLID_CONE && !(s->tangent >= 1e-9 && s->tangent <= 1e9))
        return FAIL(ABUT_ERR_ARGUMENT, i, "the tangent of surface %zu, a cone, must be between 1e-9 and 1e9",
                    i);
    return ABUT_OK;
}

static abut_status check_edge(const abut_solid_def *def, size_t i, abut_error *error)
{
    const abut_solid_edge *e = &def->edges[i];
    const char *name = abut_solid_edge_name(e->kind);
    if (e->kind <= ABUT_SOLID_NO_EDGE || e->kind >= ABUT_SOLID_EDGE_COUNT)
        return FAIL(ABUT_ERR_ARGUMENT, i, "edge %zu is of no known kind", i);
    if (e->from >= def->vertex_count || e->to >= def->vertex_count)
        return FAIL(ABUT_ERR_ARGUMENT, i,
                    "edge %zu names vertex %" PRIu32 ", but there are only %zu (counted from 0)", i,
                    e->from >= def->vertex_count ? e->from : e->to, def->vertex_count);
    if (e->from == e->to && (e->kind == ABUT_SOLID_EDGE_LINE || e->kind == ABUT_SOLID_EDGE_CONIC))
        return FAIL(ABUT_ERR_ARGUMENT, i, "edge %zu, a %s, begins and ends at vertex %" PRIu32, i, name,
                    e->from);
    switch (e->kind) {
    case ABUT_SOLID_EDGE_CIRCLE:
        if (!is_usable(e->center) || !abut_is_finite3(e->axis) || abut_max_norm(e->axis) == 0)
            return FAIL(ABUT_ERR_ARGUMENT, i,
                        "edge %zu, a circle, needs a finite centre and an axis that is not zero", i);
        break;
    case ABUT_SOLID_EDGE_CONIC:
        if (!is_usable(e->control) || !(e->weight > 0) || !(e->weight <= 1e9))
            return FAIL(ABUT_ERR_ARGUMENT, i,
                        "edge %zu, a conic, needs a finite control point and a weight above 0, at most 1e9",
                        i);
        break;
    case ABUT_SOLID_EDGE_INTERSECTION:
        if (e->surfaces[0] >= def->surface_count || e->surfaces[1] >= def->surface_count ||
            e->surfaces[0] == e->surfaces[1])
            return FAIL(ABUT_ERR_ARGUMENT, i,
                        "edge %zu, an intersection, needs two different surfaces of the %zu", i,
                        def->surface_count);
        if (!is_usable(e->through))
            return FAIL(ABUT_ERR_ARGUMENT, i,
                        "edge %zu, an intersection, passes through a point that is not finite", i);
        break;
    case ABUT_SOLID_EDGE_SPLINE:
        if (!e->points || e->point_count < 4 || e->point_count % 3 != 1)
            return FAIL(ABUT_ERR_ARGUMENT, i,
                        "edge %zu, a spline, has %zu points; it needs 3 n + 1, at least 4", i,
                        e->point_count);
        for (size_t k = 0; k < e->point_count; ++k)
            if (!is_usable(e->points[k]))
                return FAIL(ABUT_ERR_ARGUMENT, i, "point %zu of edge %zu, a spline, is not finite", k, i);
        break;
    default: break;
    }
    return ABUT_OK;
}

static uint32_t start_of(const abut_solid_def *def, abut_solid_coedge c)
{
    return c.sense > 0 ? def->edges[c.edge].from : def->edges[c.edge].to;
}

static uint32_t end_of(const abut_solid_def *def, abut_solid_coedge c)
{
    return c.sense > 0 ? def->edges[c.edge].to : def->edges[c.edge].from;
}

static abut_status check_loop(const abut_solid_def *def, size_t face, size_t loop, abut_solid_sides *sides,
                              abut_error *error)
{
    const abut_solid_loop *l = &def->faces[face].loops[loop];
    if (!l->coedges || l->count == 0)
        return FAIL(ABUT_ERR_ARGUMENT, face, "loop %zu of face %zu is empty", loop, face);
    for (size_t k = 0; k < l->count; ++k) {
        const abut_solid_coedge c = l->coedges[k];
        if (c.edge >= def->edge_count)
            return FAIL(ABUT_ERR_ARGUMENT, face, "face %zu names edge %" PRIu32 ", but there are only %zu",
                        face, c.edge, def->edge_count);
        if (c.sense != 1 && c.sense != -1)
            return FAIL(ABUT_ERR_ARGUMENT, face,
                        "face %zu uses edge %" PRIu32 " in the sense %d; it must be 1 or -1", face, c.edge,
                        c.sense);
        uint32_t *side = &sides[c.edge].face[c.sense < 0];
        if (*side != ABUT_SOLID_NONE)
            return FAIL(ABUT_ERR_VALUE, c.edge,
                        "edge %" PRIu32 " is used twice in the same sense, by faces %" PRIu32
                        " and %zu: a face is turned the wrong way, or more than two meet there",
                        c.edge, *side, face);
        *side = (uint32_t)face;
    }
    for (size_t k = 0; k < l->count; ++k) {
        const abut_solid_coedge c = l->coedges[k], next = l->coedges[(k + 1) % l->count];
        if (end_of(def, c) != start_of(def, next))
            return FAIL(ABUT_ERR_VALUE, face,
                        "loop %zu of face %zu is not closed: edge %" PRIu32 " ends at vertex %" PRIu32
                        ", edge %" PRIu32 " starts at vertex %" PRIu32,
                        loop, face, c.edge, end_of(def, c), next.edge, start_of(def, next));
    }
    return ABUT_OK;
}

static abut_status check_faces(const abut_solid_def *def, abut_solid_sides *sides, abut_error *error)
{
    memset(sides, 0xFF, def->edge_count * sizeof *sides);
    for (size_t i = 0; i < def->face_count; ++i) {
        const abut_solid_face *f = &def->faces[i];
        if (f->surface >= def->surface_count)
            return FAIL(ABUT_ERR_ARGUMENT, i, "face %zu names surface %" PRIu32 ", but there are only %zu", i,
                        f->surface, def->surface_count);
        if (f->outward != 1 && f->outward != -1)
            return FAIL(ABUT_ERR_ARGUMENT, i, "face %zu has outward %d; it must be 1 or -1", i, f->outward);
        if (f->loop_count && !f->loops)
            return FAIL(ABUT_ERR_ARGUMENT, i, "face %zu has no loops where %zu are announced", i,
                        f->loop_count);
        const abut_solid_surface_kind kind = def->surfaces[f->surface].kind;
        if (f->loop_count == 0 && kind != ABUT_SOLID_SPHERE && kind != ABUT_SOLID_TORUS &&
            kind != ABUT_SOLID_QUADRIC)
            return FAIL(ABUT_ERR_VALUE, i,
                        "face %zu has no loops; only whole spheres, ellipsoids and tori may, not a %s", i,
                        abut_solid_surface_name(kind));
        for (size_t k = 0; k < f->loop_count; ++k) {
            const abut_status status = check_loop(def, i, k, sides, error);
            if (status)
                return status;
        }
    }
    for (size_t i = 0; i < def->edge_count; ++i)
        if (sides[i].face[0] == ABUT_SOLID_NONE || sides[i].face[1] == ABUT_SOLID_NONE)
            return FAIL(ABUT_ERR_VALUE, i, "edge %zu has a face on %s: the shell is open there", i,
                        sides[i].face[0] == sides[i].face[1] ? "no side" : "one side only");
    return ABUT_OK;
}

static void *copy(abut_workspace *keep, const void *items, size_t count, size_t size)
{
    void *out = abut_workspace_take(keep, count, size);
    if (out && count)
        memcpy(out, items, count * size);
    return out;
}

/* Copies the definition, which is structurally valid, into `keep`; false when memory is out. */
static bool copy_def(const abut_solid_def *def, abut_workspace *keep, abut_solid_def *out)
{
    abut_solid_surface *surfaces = copy(keep, def->surfaces, def->surface_count, sizeof *surfaces);
    abut_vec3 *vertices = copy(keep, def->vertices, def->vertex_count, sizeof *vertices);
    abut_solid_edge *edges = copy(keep, def->edges, def->edge_count, sizeof *edges);
    abut_solid_face *faces = copy(keep, def->faces, def->face_count, sizeof *faces);
    if (!surfaces || !vertices || !edges || !faces)
        return false;
    for (size_t i = 0; i < def->surface_count; ++i)
        surfaces[i].axis = abut_unit_or(surfaces[i].axis, abut_v3(0, 0, 1));
    for (size_t i = 0; i < def->edge_count; ++i) {
        edges[i].axis = abut_unit_or(edges[i].axis, abut_v3(0, 0, 1));
        if (edges[i].kind == ABUT_SOLID_EDGE_SPLINE) {
            edges[i].points = copy(keep, edges[i].points, edges[i].point_count, sizeof *edges[i].points);
            if (!edges[i].points)
                return false;
        } else {
            edges[i].points = NULL;
            edges[i].point_count = 0;
        }
    }
    for (size_t i = 0; i < def->face_count; ++i) {
        abut_solid_loop *loops = copy(keep, faces[i].loops, faces[i].loop_count, sizeof *loops);
        if (!loops)
            return false;
        faces[i].loops = loops;
        for (size_t k = 0; k < faces[i].loop_count; ++k) {
            loops[k].coedges = copy(keep, loops[k].coedges, loops[k].count, sizeof *loops[k].coedges);
            if (!loops[k].coedges)
                return false;
        }
    }
    *out = (abut_solid_def){ surfaces,      def->surface_count, vertices, def->vertex_count,
                             edges,         def->edge_count,    faces,    def->face_count,
                             def->tolerance };
    return true;
}

abut_status abut_solid_build(const abut_solid_def *def, abut_workspace *keep, abut_solid *solid,
                             abut_error *error)
{
    *solid = (abut_solid){ .form = ABUT_SOLID_EXPLICIT };
    if (!def || !def->surfaces || !def->faces || def->face_count == 0 || def->surface_count == 0 ||
        (def->edge_count && !def->edges) || (def->vertex_count && !def->vertices))
        return FAIL(ABUT_ERR_ARGUMENT, -1, "a solid needs surfaces and faces");
    if (def->face_count > INT32_MAX / 8 || def->edge_count > INT32_MAX / 8 ||
        def->vertex_count > INT32_MAX / 8)
        return FAIL(ABUT_ERR_LIMIT, -1, "the solid has more entities than can be numbered");
    if (!(def->tolerance >= 0) || isinf(def->tolerance))
        return FAIL(ABUT_ERR_ARGUMENT, -1, "the tolerance must be finite and not negative");
    abut_status status = ABUT_OK;
    for (size_t i = 0; !status && i < def->surface_count; ++i)
        status = check_surface(&def->surfaces[i], i, error);
    for (size_t i = 0; !status && i < def->vertex_count; ++i)
        if (!is_usable(def->vertices[i]))
            status = FAIL(ABUT_ERR_ARGUMENT, i, "vertex %zu is not finite or beyond 1e150", i);
    for (size_t i = 0; !status && i < def->edge_count; ++i)
        status = check_edge(def, i, error);
    if (status)
        return status;
    solid->sides = abut_workspace_take(keep, def->edge_count, sizeof *solid->sides);
    if (!solid->sides)
        return abut_base_fail_memory(error);
    status = check_faces(def, solid->sides, error);
    if (status)
        return status;
    if (!copy_def(def, keep, &solid->def))
        return abut_base_fail_memory(error);
    return abut_solid_geometry(keep, solid, error);
}

/* ---- names ---- */

const char *abut_solid_surface_name(abut_solid_surface_kind kind)
{
    switch (kind) {
#define NAME(name, text) \
    case ABUT_SOLID_##name: return text;
        ABUT_SOLID_SURFACE_LIST(NAME)
#undef NAME
    default: return "none";
    }
}

const char *abut_solid_edge_name(abut_solid_edge_kind kind)
{
    switch (kind) {
#define NAME(name, text) \
    case ABUT_SOLID_EDGE_##name: return text;
        ABUT_SOLID_EDGE_LIST(NAME)
#undef NAME
    default: return "none";
    }
}
