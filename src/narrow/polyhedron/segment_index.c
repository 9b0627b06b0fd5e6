/* SPDX-License-Identifier: MIT */
/* A segment through the index of a polyhedron (section 2.4 of Vanecek's paper): at each node the part of the
 * segment there goes to one side, or is cut where the node's function is zero into a part on one side, the
 * point in between, and a part on the other. What arrives at a leaf is in one entity. Cuts come in order, and
 * are parameters that are compared exactly. */
#include "narrow/polyhedron/segment.h"

/* A part of the segment: a point, or a stretch with or without its ends. */
typedef struct part {
    segment_place from, to;
    bool point, has_from, has_to;
} part;

typedef struct tracer {
    segment_walker *w;
    const abut_index *index;
    bool all;
} tracer;

static segment_place zero_of(const segment_walker *w, const abut_index_node *node)
{
    segment_place z = { .axis = node->axis };
    switch (node->kind) {
    case ABUT_INDEX_AXIS:
        z.kind = AT_NUMBER;
        z.number = node->u.at;
        break;
    case ABUT_INDEX_PLACE:
        z.kind = AT_NUMBER;
        z.number = abut_part3(w->mesh->vertices[node->u.vertices[0]], node->axis);
        break;
    default:
        z.kind = node->kind == ABUT_INDEX_LINE ? AT_LINE : AT_PLANE;
        for (int k = 0; k < (node->kind == ABUT_INDEX_LINE ? 2 : 3); ++k)
            z.v[k] = node->u.vertices[k];
    }
    segment_place_set(w, &z);
    return z;
}

static part point_at(const segment_place *at)
{
    return (part){ *at, *at, true, true, true };
}

/* What of a part is before, at and after the zero of a function, and on which side each is. */
typedef struct cut_parts {
    int count;
    int side[3];
    part items[3];
} cut_parts;

static void add(cut_parts *to, int side, const part *p)
{
    to->side[to->count] = side;
    to->items[to->count++] = *p;
}

static void cut(const segment_walker *w, const abut_index_node *node, const part *p, cut_parts *out)
{
    const abut_vec3 *vertices = w->mesh->vertices;
    const int g = abut_index_side(node, vertices, w->p), h = abut_index_side(node, vertices, w->q);
    out->count = 0;
    if (g == h) {
        add(out, g, p);
        return;
    }
    const segment_place z = g == 0 ? segment_start() : h == 0 ? segment_end() : zero_of(w, node);
    const int from = segment_compare(w, &p->from, &z), to = p->point ? from : segment_compare(w, &p->to, &z);
    if (p->point || to < 0 || from > 0 || (to == 0 && !p->has_to) || (from == 0 && !p->has_from)) {
        add(out, p->point && from == 0 ? 0 : to <= 0 && from < 0 ? g : h, p);
        return;
    }
    /* what is above a half-open plane holds the plane */
    const bool half_open = node->kind == ABUT_INDEX_AXIS && node->on == node->above;
    part before = *p, after = *p;
    before.to = after.from = z;
    before.has_to = half_open && g > 0;
    after.has_from = half_open && h > 0;
    const part at = point_at(&z);
    if (from < 0)
        add(out, g, &before);
    if (!(before.has_to && from < 0) && !(after.has_from && to > 0))
        add(out, 0, &at);
    if (to > 0)
        add(out, h, &after);
}

static void add_span(tracer *t, const part *p, int64_t leaf, const abut_piece *known)
{
    segment_span s = {
        .from = p->from, .to = p->to, .leaf = leaf, .point = p->point, .known = known != NULL
    };
    if (known)
        s.piece = *known;
    t->all = t->all && s.known;
    if (!ABUT_ARRAY_PUSH(&t->w->alloc, &t->w->spans, s))
        t->w->failed = true;
}

static void at_leaf(tracer *t, int64_t leaf, const part *p)
{
    unsigned where = ABUT_WHERE_OUT;
    abut_piece piece = { .id = -1 };
    const bool known = abut_index_know(t->index, leaf, &where, &piece.id);
    piece.where = (abut_where)where;
    add_span(t, p, leaf, known ? &piece : NULL);
}

static void at_entity(tracer *t, abut_where where, uint32_t id, const part *p)
{
    abut_piece piece = { .where = where, .id = id };
    abut_entity_of_piece(t->w->shape, &piece);
    add_span(t, p, -1, &piece);
}

static void walk(tracer *t, int32_t at, const part *p);

/* Along the line of an edge: before its first vertex, the vertex, the edge, the other vertex, after it. */
static void walk_run(tracer *t, const abut_index_run *run, const part *p)
{
    const abut_index_node first = { .kind = ABUT_INDEX_PLACE,
                                    .axis = run->axis,
                                    .u.vertices = { run->u, 0, 0 } },
                          second = { .kind = ABUT_INDEX_PLACE,
                                     .axis = run->axis,
                                     .u.vertices = { run->v, 0, 0 } };
    cut_parts by_first, by_second;
    cut(t->w, &first, p, &by_first);
    for (int i = 0; i < by_first.count && !t->w->failed; ++i) {
        const part *own = &by_first.items[i];
        if (by_first.side[i] == 0) {
            at_entity(t, ABUT_WHERE_VERTEX, run->u, own);
            continue;
        }
        if (by_first.side[i] < 0) {
            walk(t, run->before, own);
            continue;
        }
        cut(t->w, &second, own, &by_second);
        for (int k = 0; k < by_second.count && !t->w->failed; ++k) {
            if (by_second.side[k] > 0)
                walk(t, run->after, &by_second.items[k]);
            else if (by_second.side[k] == 0)
                at_entity(t, ABUT_WHERE_VERTEX, run->v, &by_second.items[k]);
            else
                at_entity(t, ABUT_WHERE_EDGE, run->edge, &by_second.items[k]);
        }
    }
}

static void walk(tracer *t, int32_t at, const part *p)
{
    if (t->w->failed)
        return;
    if (at < 0) {
        at_leaf(t, ~at, p);
        return;
    }
    const abut_index_node *node = &t->index->nodes[at];
    cut_parts parts;
    cut(t->w, node, p, &parts);
    for (int i = 0; i < parts.count; ++i) {
        const int side = parts.side[i];
        if (side == 0 && node->run)
            walk_run(t, &t->index->runs[node->on], &parts.items[i]);
        else
            walk(t, side > 0 ? node->above : side < 0 ? node->below : node->on, &parts.items[i]);
    }
}

void segment_walk_index(segment_walker *w, const abut_index *index, bool *all)
{
    tracer t = { w, index, true };
    const part whole = { segment_start(), segment_end(), false, true, true };
    walk(&t, index->root, &whole);
    *all = t.all;
}
