/* SPDX-License-Identifier: MIT */
/* Exact contact of CAD solids whose faces are polygons: they are polyhedra, and the methods for these decide
 * contact by exact signs (narrow/polyhedron, narrow/mesh): face on face, vertex or edge on face, prisms
 * side by side at any angle, a square peg in its hole, a ball on a ledge.
 *
 * An explicit solid is taken at its vertices. That is what it says where the vertices of each face are exactly
 * in one plane, which is asked for; and where no tolerance is stated, since one that is stated means that
 * the vertices may be elsewhere; other verdicts are left to the search, which allows for the default
 * tolerance. The polyhedron is made when it is asked for: bodies seldom touch. */
#include "narrow/brep/polygonal.h"
#include "abut/polyhedron.h"
#include "abut/predicates.h"
#include "math/vec3.h"
#include "solid/solid.h"

enum { MOST_USES = 4000 };

typedef struct builder {
    abut_polyhedron_def def;
    abut_vec3 *vertices;
    uint32_t *face_loops, *loop_sizes, *indices;
} builder;

static bool take(builder *b, size_t vertices, size_t faces, size_t loops, size_t uses, abut_workspace *ws)
{
    abut_polyhedron_def_init(&b->def);
    b->vertices = abut_workspace_take(ws, vertices, sizeof *b->vertices);
    b->face_loops = abut_workspace_take(ws, faces, sizeof *b->face_loops);
    b->loop_sizes = abut_workspace_take(ws, loops, sizeof *b->loop_sizes);
    b->indices = abut_workspace_take(ws, uses, sizeof *b->indices);
    b->def.vertices = b->vertices;
    b->def.vertex_count = vertices;
    b->def.face_loops = b->face_loops;
    b->def.loop_sizes = b->loop_sizes;
    b->def.indices = b->indices;
    return b->vertices && b->face_loops && b->loop_sizes && b->indices;
}

static bool is_polygonal(const abut_shape *s)
{
    const abut_solid *solid = s->u.solid;
    if (solid->stated)
        return false;
    if (s->type == ABUT_SHAPE_EXTRUDE) {
        for (size_t i = 0; i < solid->profile.count; ++i)
            if (solid->profile.sides[i].turn)
                return false;
        return solid->profile.count < MOST_USES / 6;
    }
    if (s->type != ABUT_SHAPE_SOLID)
        return false;
    size_t uses = 0;
    for (size_t i = 0; i < solid->def.face_count; ++i) {
        const abut_solid_face *f = &solid->def.faces[i];
        if (solid->def.surfaces[f->surface].kind != ABUT_SOLID_PLANE)
            return false;
        for (size_t k = 0; k < f->loop_count; ++k)
            uses += f->loops[k].count;
    }
    for (size_t i = 0; i < solid->def.edge_count; ++i)
        if (solid->def.edges[i].kind != ABUT_SOLID_EDGE_LINE)
            return false;
    return uses < MOST_USES;
}

static void add_loop(builder *b, size_t size)
{
    ++b->face_loops[b->def.face_count];
    b->loop_sizes[b->def.loop_count++] = (uint32_t)size;
}

/* Vertices: those of the bottom, then those of the top. */
static bool from_extrude(const abut_solid *s, builder *b, abut_workspace *ws)
{
    const abut_profile *p = &s->profile;
    const size_t n = p->count;
    if (!take(b, 2 * n, n + 2, n + 2 * p->loop_count, 6 * n, ws))
        return false;
    uint32_t *at = b->indices;
    for (size_t i = 0; i < n; ++i) {
        b->vertices[i] = abut_v3(p->sides[i].from.x, p->sides[i].from.y, 0);
        b->vertices[n + i] = abut_v3(p->sides[i].from.x, p->sides[i].from.y, s->height);
    }
    for (size_t l = 0; l < p->loop_count; ++l)
        for (size_t i = p->loop_starts[l]; i < p->loop_starts[l + 1]; ++i) {
            const size_t next = i + 1 == p->loop_starts[l + 1] ? p->loop_starts[l] : i + 1;
            b->face_loops[b->def.face_count] = 0;
            add_loop(b, 4);
            ++b->def.face_count;
            *at++ = (uint32_t)i;
            *at++ = (uint32_t)next;
            *at++ = (uint32_t)(n + next);
            *at++ = (uint32_t)(n + i);
        }
    for (int top = 0; top < 2; ++top) {
        b->face_loops[b->def.face_count] = 0;
        for (size_t l = 0; l < p->loop_count; ++l) {
            const size_t first = p->loop_starts[l], end = p->loop_starts[l + 1];
            add_loop(b, end - first);
            for (size_t i = first; i < end; ++i)
                *at++ = (uint32_t)(top ? n + i : first + end - 1 - i);
        }
        ++b->def.face_count;
    }
    b->def.index_count = 6 * n;
    return true;
}

static bool from_explicit(const abut_solid *s, builder *b, abut_workspace *ws)
{
    const abut_solid_def *d = &s->def;
    size_t loops = 0, uses = 0;
    for (size_t i = 0; i < d->face_count; ++i) {
        loops += d->faces[i].loop_count;
        for (size_t k = 0; k < d->faces[i].loop_count; ++k)
            uses += d->faces[i].loops[k].count;
    }
    if (!take(b, d->vertex_count, d->face_count, loops, uses, ws))
        return false;
    uint32_t *at = b->indices;
    for (size_t i = 0; i < d->vertex_count; ++i)
        b->vertices[i] = d->vertices[i];
    for (size_t i = 0; i < d->face_count; ++i) {
        b->face_loops[i] = 0;
        for (size_t k = 0; k < d->faces[i].loop_count; ++k) {
            const abut_solid_loop *l = &d->faces[i].loops[k];
            add_loop(b, l->count);
            for (size_t c = 0; c < l->count; ++c) {
                const abut_solid_edge *e = &d->edges[l->coedges[c].edge];
                *at++ = l->coedges[c].sense > 0 ? e->from : e->to;
            }
        }
        ++b->def.face_count;
    }
    b->def.index_count = uses;
    return true;
}

/* Are the vertices of each face exactly in one plane? */
static bool is_planar(const builder *b)
{
    const uint32_t *at = b->indices;
    size_t loop = 0;
    for (size_t f = 0; f < b->def.face_count; ++f) {
        size_t count = 0;
        for (uint32_t k = 0; k < b->face_loops[f]; ++k)
            count += b->loop_sizes[loop++];
        /* the widest corner at the first two vertices */
        const abut_vec3 o = b->vertices[at[0]], p = b->vertices[at[1]];
        size_t third = 2;
        double most = -1;
        for (size_t i = 2; i < count; ++i) {
            const double w = abut_max_norm(abut_cross(abut_sub(p, o), abut_sub(b->vertices[at[i]], o)));
            if (w > most) {
                most = w;
                third = i;
            }
        }
        for (size_t i = 2; i < count; ++i)
            if (abut_orient3d(o, p, b->vertices[at[third]], b->vertices[at[i]]) != 0)
                return false;
        at += count;
    }
    return true;
}

/* *out NULL where the shape is no polyhedron. */
static abut_status make_polyhedron(const abut_shape *s, abut_workspace *ws, abut_shape **out)
{
    builder b = { .vertices = NULL };
    *out = NULL;
    const bool made =
        s->type == ABUT_SHAPE_EXTRUDE ? from_extrude(s->u.solid, &b, ws) : from_explicit(s->u.solid, &b, ws);
    if (!made)
        return ABUT_ERR_MEMORY;
    if (!is_planar(&b))
        return ABUT_OK;
    const abut_status status = abut_shape_create_polyhedron_with(&b.def, &ws->alloc, out, NULL);
    return status == ABUT_ERR_MEMORY ? status : ABUT_OK;
}

/* Edges by the numbers of the CAD solid. */
static void name_edges(const abut_shape *of, const abut_shape *polyhedron, int body, abut_check_result *out)
{
    for (int i = 0; i < out->contact_count; ++i) {
        abut_contact *c = &out->contacts[i];
        uint32_t ends[2];
        if (c->features[body] != ABUT_FEATURE_EDGE || c->ids[body] < 0 ||
            abut_polyhedron_get_edge(polyhedron, (size_t)c->ids[body], ends, NULL) != ABUT_OK)
            continue;
        const abut_solid *s = of->u.solid;
        c->ids[body] = -1;
        if (of->type == ABUT_SHAPE_SOLID) {
            for (size_t e = 0; e < s->def.edge_count; ++e)
                if ((s->def.edges[e].from == ends[0] && s->def.edges[e].to == ends[1]) ||
                    (s->def.edges[e].from == ends[1] && s->def.edges[e].to == ends[0]))
                    c->ids[body] = (int64_t)e;
            continue;
        }
        /* Of the bottom, of the top, vertical: n of each. The side from i leads to the next of its loop. */
        const uint32_t n = (uint32_t)s->profile.count, top = ends[0] < n ? 0 : n;
        const uint32_t u = ends[0] - top, v = ends[1] - top;
        if (ends[0] < n && ends[1] >= n) {
            c->ids[body] = 2 * n + ends[0];
            continue;
        }
        const abut_side *sides = s->profile.sides;
        const bool along = sides[u].to.x == sides[v].from.x && sides[u].to.y == sides[v].from.y;
        c->ids[body] = top + (along ? u : v);
    }
}

static abut_status ask(const abut_pair *pair, const abut_shape *a, const abut_shape *b, abut_workspace *ws,
                       abut_check_result *out)
{
    const abut_shape *with = b ? b : pair->b;
    const abut_pair faceted = { a, with, pair->at_a, pair->at_b, pair->ask };
    abut_status status = ABUT_OK;
    switch (with->type) {
    case ABUT_SHAPE_MESH:
    case ABUT_SHAPE_POLYHEDRON:
        status = b ? abut_narrow_polyhedra(&faceted, ws, out) : abut_narrow_meshes(&faceted, ws, out);
        break;
    case ABUT_SHAPE_HALFSPACE: status = abut_narrow_mesh_plane(&faceted, ws, out); break;
    case ABUT_SHAPE_SPHERE:
    case ABUT_SHAPE_BOX:
    case ABUT_SHAPE_CAPSULE:
    case ABUT_SHAPE_CYLINDER:
    case ABUT_SHAPE_CONE:
    case ABUT_SHAPE_ELLIPSOID:
    case ABUT_SHAPE_CONVEX: status = abut_narrow_mesh_convex(&faceted, ws, out); break;
    default: return ABUT_OK;
    }
    if (status)
        return status;
    /* Polyhedra name entities themselves; of other partners the caller finds them. */
    if (!b)
        abut_entity_of_contacts(a, pair->a, out);
    name_edges(pair->a, a, 0, out);
    if (b)
        name_edges(pair->b, b, 1, out);
    return ABUT_OK;
}

abut_status abut_brep_ask_polygonal(const abut_pair *pair, abut_workspace *ws, bool *decided,
                                    abut_check_result *out)
{
    const bool both = abut_shape_solid(pair->b) != NULL;
    *decided = false;
    /* Exact signs need placements that are known exactly. */
    if (!pair->at_a->points || !pair->at_b->points || !abut_shape_solid(pair->a) || !is_polygonal(pair->a) ||
        (both && !is_polygonal(pair->b)))
        return ABUT_OK;
    abut_shape *a = NULL, *b = NULL;
    abut_status status = make_polyhedron(pair->a, ws, &a);
    if (!status && both)
        status = make_polyhedron(pair->b, ws, &b);
    if (!status && a && (b || !both)) {
        status = ask(pair, a, b, ws, out);
        const bool swept = pair->a->type == ABUT_SHAPE_EXTRUDE && pair->b->type != ABUT_SHAPE_SOLID;
        *decided = !status && out->proof == ABUT_PROOF_EXACT &&
                   (out->verdict == ABUT_TOUCHING || (swept && out->verdict != ABUT_UNDECIDED));
    }
    abut_shape_release(a);
    abut_shape_release(b);
    return status;
}
