/* SPDX-License-Identifier: MIT */
/* Clusters of contacts and the one that stands for each.
 *
 * Contacts nearer to each other than `merge` are one cluster (single linkage, through cells of a grid). The
 * paper reduces a cluster by priorities and leaves the right choice open. Here the entities of each solid in
 * a cluster are examined: if all of them are incident to one of them (edges and faces at a vertex, faces
 * at an edge), that is what the solid touches with; with one for each solid the contact is between these
 * (its figure 7: a vertex on an edge), whether or not it was itself within the band. Where there is none the
 * priorities decide. */
#include "base/sort.h"
#include "narrow/polyhedron/touch.h"

/* ---- clusters ---- */

typedef struct cell {
    int64_t x, y, z;
    uint32_t contact;
} cell;

static bool cell_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const cell *p = a, *q = b;
    if (p->x != q->x)
        return p->x < q->x;
    if (p->y != q->y)
        return p->y < q->y;
    if (p->z != q->z)
        return p->z < q->z;
    return p->contact < q->contact;
}

static uint32_t root_of(touch *t, uint32_t i)
{
    while (t->found.items[i].cluster != i) {
        t->found.items[i].cluster = t->found.items[t->found.items[i].cluster].cluster;
        i = t->found.items[i].cluster;
    }
    return i;
}

static void join(touch *t, uint32_t i, uint32_t j)
{
    const uint32_t p = root_of(t, i), q = root_of(t, j);
    if (p < q)
        t->found.items[q].cluster = p;
    else
        t->found.items[p].cluster = q;
}

static size_t first_cell(const cell *cells, size_t count, int64_t x, int64_t y, int64_t z)
{
    size_t lo = 0, hi = count;
    const cell key = { x, y, z, 0 };
    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;
        if (cell_before(NULL, &cells[mid], &key))
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void join_near(touch *t, const cell *cells, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        for (int k = 0; k < 27; ++k) {
            const int64_t x = cells[i].x + k % 3 - 1, y = cells[i].y + k / 3 % 3 - 1,
                          z = cells[i].z + k / 9 - 1;
            for (size_t j = first_cell(cells, count, x, y, z);
                 j < count && cells[j].x == x && cells[j].y == y && cells[j].z == z; ++j)
                if (cells[j].contact < cells[i].contact &&
                    abut_length(abut_sub(t->found.items[cells[i].contact].point,
                                         t->found.items[cells[j].contact].point)) <= t->merge)
                    join(t, cells[i].contact, cells[j].contact);
        }
}

/* ---- which one stands for a cluster ---- */

static bool edge_has(const touch *t, int side, uint32_t edge, uint32_t vertex)
{
    uint32_t ends[2];
    touch_edge_ends(t, side, edge, ends);
    return ends[0] == vertex || ends[1] == vertex;
}

static bool face_has_vertex(const touch *t, int side, uint32_t face, uint32_t vertex)
{
    const abut_faceted_data *mesh = t->mesh[side];
    const abut_polyhedron *solid = mesh->polyhedron;
    const uint32_t from = solid ? solid->face_starts[face] : face,
                   to = solid ? solid->face_starts[face + 1] : face + 1;
    for (size_t i = 3 * (size_t)from; i < 3 * (size_t)to; ++i)
        if (abut_mesh_welded(mesh, mesh->corners[i]) == vertex)
            return true;
    return false;
}

/* Is the second entity the first, or does it end at it? */
static bool is_incident(const touch *t, int side, abut_feature to, uint32_t id, abut_feature other,
                        uint32_t other_id)
{
    if (to == other)
        return id == other_id;
    if (to == ABUT_FEATURE_VERTEX)
        return other == ABUT_FEATURE_EDGE ? edge_has(t, side, other_id, id)
                                          : face_has_vertex(t, side, other_id, id);
    if (to == ABUT_FEATURE_EDGE && other == ABUT_FEATURE_FACE) {
        uint32_t triangles[2];
        touch_edge_triangles(t, side, id, triangles);
        return touch_face_of(t, side, triangles[0]) == other_id ||
               touch_face_of(t, side, triangles[1]) == other_id;
    }
    return false;
}

/* The contact of a cluster whose entity of a solid all others of that solid are incident to; UINT32_MAX: there
 * is none. */
static uint32_t main_of(const touch *t, const uint32_t *members, size_t count, int side)
{
    uint32_t best = members[0];
    for (int pass = 0; pass < 2; ++pass) /* the lowest so far, then whether it holds for all */
        for (size_t i = 0; i < count; ++i) {
            const touch_contact *c = &t->found.items[members[i]], *own = &t->found.items[best];
            if (is_incident(t, side, own->features[side], own->ids[side], c->features[side], c->ids[side]))
                continue;
            if (pass == 1)
                return UINT32_MAX;
            if (is_incident(t, side, c->features[side], c->ids[side], own->features[side], own->ids[side]))
                best = members[i];
        }
    return best;
}

/* Where a vertex or edge of a solid is nearest to a point. */
static abut_vec3 nearest_of(const touch *t, int side, abut_feature feature, uint32_t id, abut_vec3 p)
{
    if (feature == ABUT_FEATURE_VERTEX)
        return touch_vertex(t, side, id);
    uint32_t ends[2];
    touch_edge_ends(t, side, id, ends);
    const abut_vec3 a = touch_vertex(t, side, ends[0]), u = abut_sub(touch_vertex(t, side, ends[1]), a);
    const double s = abut_dot(abut_sub(p, a), u) / abut_dot(u, u);
    return abut_madd(a, s > 0 ? fmin(s, 1) : 0, u);
}

/* The contact between the main entities of a cluster: one of those found, or a new one at the end of them.
 * Only a vertex with a vertex or edge can be new: a face or two edges that are main were found together. */
static bool main_contact(touch *t, const uint32_t *members, size_t count, uint32_t *out)
{
    uint32_t of[2];
    for (int side = 0; side < 2; ++side) {
        of[side] = main_of(t, members, count, side);
        if (of[side] == UINT32_MAX)
            return false;
    }
    touch_contact c = t->found.items[of[0]];
    c.features[1] = t->found.items[of[1]].features[1];
    c.ids[1] = t->found.items[of[1]].ids[1];
    for (size_t i = 0; i < count; ++i) {
        const touch_contact *m = &t->found.items[members[i]];
        if (m->features[0] == c.features[0] && m->ids[0] == c.ids[0] && m->features[1] == c.features[1] &&
            m->ids[1] == c.ids[1]) {
            *out = members[i];
            return true;
        }
    }
    const int vertex = c.features[0] == ABUT_FEATURE_VERTEX ? 0 : 1;
    if (c.features[vertex] != ABUT_FEATURE_VERTEX || c.features[!vertex] == ABUT_FEATURE_FACE)
        return false;
    const abut_vec3 p = touch_vertex(t, vertex, c.ids[vertex]),
                    q = nearest_of(t, !vertex, c.features[!vertex], c.ids[!vertex], p);
    if (!(abut_length(abut_sub(p, q)) <= t->merge))
        return false;
    c.point = abut_scale(0.5, abut_add(p, q));
    c.along = false;
    *out = (uint32_t)t->found.count;
    if (!ABUT_ARRAY_PUSH(&t->alloc, &t->found, c))
        t->failed = true;
    return !t->failed;
}

/* Small first: vertex-face, edge-edge, edge-vertex, vertex-vertex. */
static int priority(const touch_contact *c)
{
    if (c->features[0] == ABUT_FEATURE_FACE || c->features[1] == ABUT_FEATURE_FACE)
        return 0;
    return 1 + (c->features[0] == ABUT_FEATURE_VERTEX) + (c->features[1] == ABUT_FEATURE_VERTEX);
}

static bool contact_before(const touch_contact *a, const touch_contact *b)
{
    if (priority(a) != priority(b))
        return priority(a) < priority(b);
    for (int k = 0; k < 2; ++k) {
        if (a->features[k] != b->features[k])
            return a->features[k] < b->features[k];
        if (a->ids[k] != b->ids[k])
            return a->ids[k] < b->ids[k];
    }
    return false;
}

static uint32_t choose(touch *t, const uint32_t *members, size_t count)
{
    uint32_t best = members[0];
    if (count > 1 && main_contact(t, members, count, &best))
        return best;
    for (size_t i = 1; i < count; ++i)
        if (contact_before(&t->found.items[members[i]], &t->found.items[best]))
            best = members[i];
    return best;
}

typedef struct member {
    uint32_t cluster, contact;
} member;

static bool member_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const member *p = a, *q = b;
    return p->cluster != q->cluster ? p->cluster < q->cluster : p->contact < q->contact;
}

static void choose_all(touch *t, member *members, uint32_t *numbers, uint32_t *best, size_t *count)
{
    const size_t all = t->found.count;
    for (uint32_t i = 0; i < all; ++i)
        members[i] = (member){ root_of(t, i), i };
    for (uint32_t i = 0; i < all; ++i)
        t->found.items[i].cluster = members[i].cluster;
    abut_base_sort(members, all, sizeof *members, member_before, NULL);
    for (size_t i = 0; i < all; ++i)
        numbers[i] = members[i].contact;
    *count = 0;
    for (size_t i = 0, end; i < all; i = end) {
        for (end = i + 1; end < all && members[end].cluster == members[i].cluster;)
            ++end;
        best[(*count)++] = choose(t, numbers + i, end - i);
    }
}

bool touch_cluster(touch *t, uint32_t *best, size_t *count)
{
    const size_t all = t->found.count;
    cell *cells = abut_base_alloc(&t->alloc, all, sizeof *cells);
    member *members = abut_base_alloc(&t->alloc, all, sizeof *members);
    uint32_t *numbers = abut_base_alloc(&t->alloc, all, sizeof *numbers);
    const bool ok = cells && members && numbers;
    for (uint32_t i = 0; ok && i < all; ++i) {
        const abut_vec3 p = abut_scale(1 / t->merge, t->found.items[i].point);
        t->found.items[i].cluster = i;
        cells[i] = (cell){ (int64_t)floor(p.x), (int64_t)floor(p.y), (int64_t)floor(p.z), i };
    }
    if (ok) {
        abut_base_sort(cells, all, sizeof *cells, cell_before, NULL);
        join_near(t, cells, all);
        choose_all(t, members, numbers, best, count);
    }
    abut_base_free(&t->alloc, cells, all, sizeof *cells);
    abut_base_free(&t->alloc, members, all, sizeof *members);
    abut_base_free(&t->alloc, numbers, all, sizeof *numbers);
    return ok && !t->failed;
}
