/* SPDX-License-Identifier: MIT */
/* Contacts of two solids by entity: which vertices, edges and faces of one touch which of the other.
 *
 * The verdict, distance and depth are those of solid meshes, exact or enclosed. Where they touch, exact signs
 * tell which entities do (touch_exact.c). With a band, pairs of triangles that come within it are examined:
 * each vertex of one with the vertices, edges and face of the other, each edge with each edge. Everything
 * within the band is recorded, once for each pair of entities; a vertex near an edge is also near two
 * faces, and clusters (touch_cluster.c) leave the one that counts. Positions are doubles in the frame of a,
 * and the band is made smaller by their error, so that what is reported is within it. */
#include "narrow/polyhedron/touch.h"
#include "base/options.h"
#include "base/sort.h"
#include "math/nearest.h"

void abut_touch_opts_init(abut_touch_opts *opts)
{
    if (opts)
        *opts = (abut_touch_opts){ .struct_size = sizeof *opts };
}

/* ---- recording ---- */

static bool same_entities(const touch_contact *a, const touch_contact *b)
{
    return a->features[0] == b->features[0] && a->features[1] == b->features[1] && a->ids[0] == b->ids[0] &&
           a->ids[1] == b->ids[1] && a->along == b->along;
}

static size_t slot_of(const touch *t, const touch_contact *c)
{
    uint64_t h = ((uint64_t)c->ids[0] << 32 | c->ids[1]) * 0x9E3779B97F4A7C15u;
    h ^= (uint64_t)((unsigned)c->features[0] * 8 + (unsigned)c->features[1] * 2 + c->along) *
         0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 29) * 0x94D049BB133111EBu;
    return (size_t)(h >> 20) & (t->table_room - 1);
}

static void put(touch *t, uint32_t number)
{
    size_t slot = slot_of(t, &t->found.items[number]);
    while (t->table[slot])
        slot = (slot + 1) & (t->table_room - 1);
    t->table[slot] = number + 1;
}

static bool grow_table(touch *t)
{
    const size_t room = t->table_room ? 2 * t->table_room : 256;
    uint32_t *table = abut_base_alloc_zero(&t->alloc, room, sizeof *table);
    if (!table)
        return false;
    abut_base_free(&t->alloc, t->table, t->table_room, sizeof *t->table);
    t->table = table;
    t->table_room = room;
    for (uint32_t i = 0; i < t->found.count; ++i)
        put(t, i);
    return true;
}

void touch_record(touch *t, const touch_contact *c)
{
    if (t->failed || (2 * (t->found.count + 1) > t->table_room && !grow_table(t))) {
        t->failed = true;
        return;
    }
    for (size_t slot = slot_of(t, c); t->table[slot]; slot = (slot + 1) & (t->table_room - 1))
        if (same_entities(&t->found.items[t->table[slot] - 1], c))
            return;
    if (!ABUT_ARRAY_PUSH(&t->alloc, &t->found, *c))
        t->failed = true;
    else
        put(t, (uint32_t)t->found.count - 1);
}

/* ---- two triangles ---- */

bool touch_edge_of(const touch *t, int side, uint32_t triangle, int k, uint32_t *edge)
{
    const abut_faceted_data *mesh = t->mesh[side];
    const uint32_t *v = mesh->corners + 3 * (size_t)triangle;
    const int64_t found =
        abut_edge_find(mesh, abut_mesh_welded(mesh, v[k]), abut_mesh_welded(mesh, v[(k + 1) % 3]));
    if (found < 0)
        return false;
    *edge = mesh->polyhedron ? mesh->polyhedron->edge_of[found] : (uint32_t)found;
    return *edge <= INT32_MAX;
}

touch_contact touch_contact_of(int side, abut_feature own, uint32_t id, abut_feature other, uint32_t other_id,
                               abut_vec3 point)
{
    touch_contact c = { .point = point };
    c.features[side] = own;
    c.ids[side] = id;
    c.features[!side] = other;
    c.ids[!side] = other_id;
    return c;
}

/* Vertex k of a triangle of `side` with the other triangle. */
static void examine_vertex(touch *t, int side, uint32_t triangle, int k, abut_vec3 p, uint32_t other,
                           const abut_vec3 q[3])
{
    const abut_faceted_data *mesh = t->mesh[!side];
    const uint32_t vertex =
        abut_mesh_welded(t->mesh[side], t->mesh[side]->corners[3 * (size_t)triangle + (size_t)k]);
    abut_feature feature;
    int which;
    const abut_vec3 nearest = abut_triangle_closest(q, p, &feature, &which);
    if (!(abut_length(abut_sub(p, nearest)) <= t->near))
        return;
    for (int i = 0; i < 3; ++i) {
        if (abut_length(abut_sub(p, q[i])) <= t->near) {
            const uint32_t id = abut_mesh_welded(mesh, mesh->corners[3 * (size_t)other + (size_t)i]);
            const touch_contact c = touch_contact_of(side, ABUT_FEATURE_VERTEX, vertex, ABUT_FEATURE_VERTEX,
                                                     id, abut_scale(0.5, abut_add(p, q[i])));
            touch_record(t, &c);
        }
        const abut_vec3 e = abut_sub(q[(i + 1) % 3], q[i]), d = abut_sub(p, q[i]);
        const double s = abut_dot(d, e) / abut_dot(e, e);
        uint32_t edge;
        if (s > 0 && s < 1 && abut_length(abut_madd(d, -s, e)) <= t->near &&
            touch_edge_of(t, !side, other, i, &edge)) {
            const touch_contact c =
                touch_contact_of(side, ABUT_FEATURE_VERTEX, vertex, ABUT_FEATURE_EDGE, edge,
                                 abut_scale(0.5, abut_add(p, abut_madd(q[i], s, e))));
            touch_record(t, &c);
        }
    }
    const touch_contact c =
        touch_contact_of(side, ABUT_FEATURE_VERTEX, vertex, ABUT_FEATURE_FACE, touch_face_of(t, !side, other),
                         abut_scale(0.5, abut_add(p, nearest)));
    touch_record(t, &c);
}

/* From an edge into a triangle on it, perpendicular to the edge. */
static abut_vec3 into(const touch *t, int side, uint32_t triangle, abut_vec3 from, abut_vec3 along)
{
    abut_vec3 p[3];
    touch_triangle(t, side, triangle, p);
    const abut_vec3 middle = abut_scale(1.0 / 3, abut_add(p[0], abut_add(p[1], p[2]))),
                    d = abut_sub(middle, from);
    return abut_madd(d, -abut_dot(d, along), along);
}

/* A face of each on each other, with opposite normals and on the same side of the line: the edge is only the
 * border of that. along: of unit length. */
static bool faces_rest(const touch *t, uint32_t edge_a, uint32_t edge_b, abut_vec3 from, abut_vec3 along)
{
    uint32_t f[2], g[2];
    touch_edge_triangles(t, 0, edge_a, f);
    touch_edge_triangles(t, 1, edge_b, g);
    for (int i = 0; i < 4; ++i) {
        const uint32_t p = f[i / 2], q = g[i % 2];
        if (abut_dot(touch_face_normal(t, 0, p), touch_face_normal(t, 1, q)) < -1 + 1e-9 &&
            abut_dot(into(t, 0, p, from, along), into(t, 1, q, from, along)) > 0)
            return true;
    }
    return false;
}

abut_vec3 touch_middle(const abut_vec3 p[2], const abut_vec3 q[2])
{
    const abut_vec3 u = abut_sub(p[1], p[0]), n = abut_unit_or(u, u);
    const double length = abut_length(u), s0 = abut_dot(abut_sub(q[0], p[0]), n),
                 s1 = abut_dot(abut_sub(q[1], p[0]), n);
    const double lo = fmax(0, fmin(s0, s1)), hi = fmin(length, fmax(s0, s1));
    return abut_madd(p[0], 0.5 * (lo + hi), n);
}

/* Where two segments that are not parallel come nearest to each other, as parts of them. */
static void cross_at(const abut_vec3 p[2], const abut_vec3 q[2], double *s, double *w)
{
    const abut_vec3 u = abut_sub(p[1], p[0]), v = abut_sub(q[1], q[0]), r = abut_sub(q[0], p[0]),
                    n = abut_cross(u, v);
    const double nn = abut_dot(n, n);
    *s = abut_dot(abut_cross(r, v), n) / nn;
    *w = abut_dot(abut_cross(r, u), n) / nn;
}

abut_vec3 touch_crossing(const abut_vec3 p[2], const abut_vec3 q[2])
{
    double s, w;
    cross_at(p, q, &s, &w);
    s = s > 0 ? fmin(s, 1) : 0;
    w = w > 0 ? fmin(w, 1) : 0;
    return abut_scale(
        0.5, abut_add(abut_madd(p[0], s, abut_sub(p[1], p[0])), abut_madd(q[0], w, abut_sub(q[1], q[0]))));
}

/* Two edges on one line. */
static void examine_along(touch *t, uint32_t edge_a, uint32_t edge_b, const abut_vec3 p[2],
                          const abut_vec3 q[2])
{
    const abut_vec3 u = abut_sub(p[1], p[0]);
    const double length = abut_length(u);
    const abut_vec3 n = abut_scale(1 / length, u);
    const double s0 = abut_dot(abut_sub(q[0], p[0]), n), s1 = abut_dot(abut_sub(q[1], p[0]), n);
    const double lo = fmax(0, fmin(s0, s1)), hi = fmin(length, fmax(s0, s1));
    if (hi - lo <= 2 * t->near || abut_length(abut_sub(abut_sub(q[0], p[0]), abut_scale(s0, n))) > t->near ||
        abut_length(abut_sub(abut_sub(q[1], p[0]), abut_scale(s1, n))) > t->near ||
        faces_rest(t, edge_a, edge_b, p[0], n))
        return;
    touch_contact c =
        touch_contact_of(0, ABUT_FEATURE_EDGE, edge_a, ABUT_FEATURE_EDGE, edge_b, touch_middle(p, q));
    c.along = true;
    touch_record(t, &c);
}

static void examine_edges(touch *t, uint32_t edge_a, uint32_t edge_b, const abut_vec3 p[2],
                          const abut_vec3 q[2])
{
    const abut_vec3 u = abut_sub(p[1], p[0]), v = abut_sub(q[1], q[0]), r = abut_sub(q[0], p[0]),
                    n = abut_cross(u, v);
    const double uu = abut_dot(u, u), vv = abut_dot(v, v), nn = abut_dot(n, n);
    if (nn <= 1e-18 * uu * vv) {
        examine_along(t, edge_a, edge_b, p, q);
        return;
    }
    double s, w;
    cross_at(p, q, &s, &w);
    if (!(s > 0 && s < 1 && w > 0 && w < 1) || fabs(abut_dot(r, n)) > t->near * sqrt(nn))
        return;
    /* ends that are there already as vertices */
    const double ls = sqrt(uu) * fmin(s, 1 - s), lw = sqrt(vv) * fmin(w, 1 - w);
    if (ls <= t->near || lw <= t->near)
        return;
    const touch_contact c =
        touch_contact_of(0, ABUT_FEATURE_EDGE, edge_a, ABUT_FEATURE_EDGE, edge_b, touch_crossing(p, q));
    touch_record(t, &c);
}

static void examine(touch *t, uint32_t i, uint32_t j)
{
    abut_vec3 a[3], b[3];
    abut_triangle_gap gap;
    const abut_mesh_pair *pair = t->pair;
    touch_triangle(t, 0, i, a);
    touch_triangle(t, 1, j, b);
    abut_vec3 own[3];
    abut_mesh_corners(pair->mesh_b, j, own);
    if (!abut_triangle_distance(&pair->frame, a, own, t->near, &gap))
        return;
    if (!ABUT_ARRAY_PUSH(&t->alloc, &t->pairs, ((touch_pair){ i, j }))) {
        t->failed = true;
        return;
    }
    if (t->exact) {
        touch_look_exactly(t, i, j);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        examine_vertex(t, 0, i, k, a[k], j, b);
        examine_vertex(t, 1, j, k, b[k], i, a);
    }
    uint32_t ea[3], eb[3];
    bool has_a[3], has_b[3];
    for (int k = 0; k < 3; ++k) {
        has_a[k] = touch_edge_of(t, 0, i, k, &ea[k]);
        has_b[k] = touch_edge_of(t, 1, j, k, &eb[k]);
    }
    for (int k = 0; k < 9; ++k) {
        const int m = k / 3, o = k % 3;
        const abut_vec3 p[2] = { a[m], a[(m + 1) % 3] }, q[2] = { b[o], b[(o + 1) % 3] };
        if (has_a[m] && has_b[o])
            examine_edges(t, ea[m], eb[o], p, q);
    }
}

static bool examine_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    touch *t = ctx;
    for (size_t i = 0; i < count && !t->failed; ++i)
        examine(t, pairs[i].a, pairs[i].b);
    return !t->failed;
}

/* ---- the answer ---- */

static bool entities_before(void *ctx, const void *a, const void *b)
{
    (void)ctx;
    const touch_contact *p = a, *q = b;
    for (int k = 0; k < 2; ++k) {
        if (p->features[k] != q->features[k])
            return p->features[k] < q->features[k];
        if (p->ids[k] != q->ids[k])
            return p->ids[k] < q->ids[k];
    }
    return p->along < q->along;
}

static void hand_out(const touch *t, const uint32_t *chosen, size_t count, const abut_touch_lists *lists,
                     abut_touch_result *out)
{
    const abut_affine *world = &t->pair->frame.world;
    for (size_t i = 0; i < count; ++i) {
        const touch_contact *c = &t->found.items[chosen ? chosen[i] : i];
        if (i < lists->contact_capacity)
            lists->contacts[i] = (abut_contact){ .point = abut_affine_apply(world, c->point),
                                                 .normal = abut_mul(&world->linear, touch_normal(t, c)),
                                                 .features = { c->features[0], c->features[1] },
                                                 .ids = { c->ids[0], c->ids[1] } };
    }
    out->contact_count = count;
}

static void find_contacts(touch *t)
{
    const abut_bvh_walk walk = abut_mesh_pair_walk(t->pair);
    (void)abut_bvh_overlap(&walk, t->near, examine_batch, t);
    for (size_t i = 0; t->exact && t->found.count == 0 && i < t->pairs.count && !t->failed; ++i)
        touch_look_at_diagonals(t, t->pairs.items[i].a, t->pairs.items[i].b);
}

static abut_status list_contacts(touch *t, const abut_touch_opts *opts, const abut_touch_lists *lists,
                                 abut_touch_result *out)
{
    find_contacts(t);
    if (t->found.count == 0 && !t->exact && !t->failed) { /* nearer than what errors leave of the band */
        t->pairs.count = 0;
        t->near += 2 * t->slack;
        find_contacts(t);
    }
    if (t->failed)
        return ABUT_ERR_MEMORY;
    abut_base_sort(t->found.items, t->found.count, sizeof *t->found.items, entities_before, NULL);
    out->found = t->found.count;
    if (opts->regions && !touch_regions(t, lists, out))
        return ABUT_ERR_MEMORY;
    if (opts->every || t->exact || t->found.count == 0) {
        hand_out(t, NULL, t->found.count, lists, out);
        return ABUT_OK;
    }
    const size_t room = t->found.count;
    uint32_t *chosen = abut_base_alloc(&t->alloc, room, sizeof *chosen);
    size_t count = 0;
    const bool ok = chosen && touch_cluster(t, chosen, &count);
    if (ok)
        hand_out(t, chosen, count, lists, out);
    abut_base_free(&t->alloc, chosen, room, sizeof *chosen);
    return ok ? ABUT_OK : ABUT_ERR_MEMORY;
}

/* Closer or shallower than the band is touching. */
static void apply_band(double band, abut_touch_result *out)
{
    if (!(band > 0) || (out->verdict != ABUT_SEPARATE && out->verdict != ABUT_PENETRATING))
        return;
    const abut_interval by = out->verdict == ABUT_SEPARATE ? out->distance : out->depth;
    if (by.lo >= band)
        return;
    out->verdict = by.hi < band ? ABUT_TOUCHING : ABUT_UNDECIDED;
    out->proof = by.hi < band ? ABUT_PROOF_INTERVAL : ABUT_PROOF_NONE;
    out->stop = by.hi < band ? ABUT_STOP_DONE : ABUT_STOP_TOLERANCE;
}

static double extent(const abut_shape *shape)
{
    return abut_max_norm(abut_sub(shape->bounds.hi, shape->bounds.lo));
}

/* verdict: without the band. */
static touch touch_begin(const abut_pair *pair, abut_mesh_pair *meshes, double band, abut_verdict verdict,
                         const abut_workspace *ws)
{
    abut_mesh_pair_set(pair, meshes);
    const double size = fmax(extent(pair->a), extent(pair->b));
    touch t = { .pair = meshes,
                .mesh = { meshes->mesh_a, meshes->mesh_b },
                .shape = { pair->a, pair->b },
                .alloc = ws ? ws->alloc : abut_base_allocator(NULL),
                .slack = 0x1p-44 * size + 4 * meshes->frame.b_in_a.error,
                .exact = verdict == ABUT_TOUCHING && meshes->frame.exact && !(band > 0) };
    /* what is found by its distance is as near as stated, whatever rounding does */
    t.near = band > 2 * t.slack ? band - t.slack : fmax(band, 1e-10 * size);
    t.merge = 4 * fmax(band, t.near);
    return t;
}

static void touch_end(touch *t)
{
    ABUT_ARRAY_FREE(&t->alloc, &t->found);
    ABUT_ARRAY_FREE(&t->alloc, &t->pairs);
    abut_base_free(&t->alloc, t->table, t->table_room, sizeof *t->table);
}

static abut_status touch_placed(const abut_pair *pair, const abut_touch_opts *opts, abut_workspace *ws,
                                const abut_touch_lists *lists, abut_touch_result *out)
{
    abut_check_result check = { .verdict = ABUT_UNDECIDED };
    abut_status status = abut_narrow_meshes(pair, ws, &check);
    if (status)
        return status;
    out->verdict = check.verdict;
    out->proof = check.proof;
    out->stop = check.stop;
    out->distance = check.distance;
    out->depth = check.depth;
    out->counters = check.counters;
    out->inside = check.verdict == ABUT_PENETRATING && check.contact_count == 0;
    apply_band(opts->band, out);
    if (out->verdict != ABUT_TOUCHING)
        return ABUT_OK;
    abut_mesh_pair meshes;
    touch t = touch_begin(pair, &meshes, opts->band, check.verdict, ws);
    status = list_contacts(&t, opts, lists, out);
    touch_end(&t);
    return status;
}

/* ---- for abut_check ---- */

/* The first contact, then always the one that is furthest from those chosen; their number. */
static int spread(const touch *t, const uint32_t *from, size_t count, int most, uint32_t *chosen)
{
    int taken = 0;
    for (size_t next = 0; taken < most && next < count;) {
        chosen[taken++] = from[next];
        double furthest = 0;
        next = count;
        for (size_t i = 0; i < count; ++i) {
            double near = INFINITY;
            for (int k = 0; k < taken; ++k)
                near = fmin(near, abut_length(abut_sub(t->found.items[from[i]].point,
                                                       t->found.items[chosen[k]].point)));
            if (near > furthest) {
                furthest = near;
                next = i;
            }
        }
    }
    return taken;
}

/* Puts contacts by entity in the place of those by triangle. */
static bool set_contacts(touch *t, int most, abut_check_result *out)
{
    find_contacts(t);
    abut_base_sort(t->found.items, t->found.count, sizeof *t->found.items, entities_before, NULL);
    const size_t room = t->found.count;
    size_t count = room;
    uint32_t *from = abut_base_alloc(&t->alloc, room, sizeof *from), chosen[ABUT_CHECK_CONTACTS];
    bool ok = !t->failed && from;
    for (uint32_t i = 0; ok && i < room; ++i)
        from[i] = i;
    if (ok && !t->exact && room > 0)
        ok = touch_cluster(t, from, &count);
    if (ok && count > 0) {
        const abut_touch_lists lists = { .contacts = out->contacts, .contact_capacity = ABUT_CHECK_CONTACTS };
        abut_touch_result told = { 0 };
        hand_out(t, chosen, (size_t)spread(t, from, count, most, chosen), &lists, &told);
        out->contact_count = (int)told.contact_count;
        out->point_a = out->point_b = out->contacts[0].point;
    }
    abut_base_free(&t->alloc, from, room, sizeof *from);
    return ok;
}

static bool is_solid(const abut_shape *shape)
{
    return abut_shape_has_triangles(shape->type) && shape->u.faceted.solid;
}

abut_status abut_narrow_polyhedra(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    const abut_status status = abut_narrow_meshes(pair, ws, out);
    if (status)
        return status;
    abut_entity_of_contacts(pair->a, pair->b, out);
    if ((pair->ask && pair->ask->want != ABUT_WANT_ALL) || out->verdict != ABUT_TOUCHING ||
        !is_solid(pair->a) || !is_solid(pair->b))
        return ABUT_OK;
    abut_mesh_pair meshes;
    touch t = touch_begin(pair, &meshes, 0, out->verdict, ws);
    const bool ok =
        set_contacts(&t, pair->ask && pair->ask->max_contacts > 0 ? pair->ask->max_contacts : 4, out);
    touch_end(&t);
    return ok ? ABUT_OK : ABUT_ERR_MEMORY;
}

/* ---- for callers ---- */

static ABUT_MATH_NOINLINE abut_status touch_stated(const abut_shape *a, const abut_stated *at_a,
                                                   const abut_shape *b, const abut_stated *at_b,
                                                   const abut_touch_opts *opts, abut_workspace *ws,
                                                   const abut_touch_lists *lists, abut_touch_result *out)
{
    abut_place place_a, place_b;
    abut_status status = abut_place_from_stated(at_a, true, &place_a);
    if (!status)
        status = abut_place_from_stated(at_b, true, &place_b);
    if (status)
        return status;
    const abut_pair pair = { a, b, &place_a, &place_b, NULL };
    return touch_placed(&pair, opts, ws, lists, out);
}

static abut_status touch_read(const abut_shape *a, const abut_stated *at_a, const abut_shape *b,
                              const abut_stated *at_b, const abut_touch_opts *opts, abut_workspace *ws,
                              const abut_touch_lists *lists, abut_touch_result *out)
{
    abut_touch_opts known;
    const abut_touch_lists none = { 0 };
    const abut_touch_lists *to = lists ? lists : &none;
    abut_touch_opts_init(&known);
    if (out)
        *out = (abut_touch_result){ .verdict = ABUT_UNDECIDED };
    if (!a || !b || !out || !abut_options_read(&known, sizeof known, opts) || !(known.band >= 0) ||
        isinf(known.band) || (!to->contacts && to->contact_capacity) ||
        (!to->regions && to->region_capacity) || (!to->points && to->point_capacity))
        return ABUT_ERR_ARGUMENT;
    if (!is_solid(a) || !is_solid(b))
        return ABUT_ERR_UNSUPPORTED;
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = touch_stated(a, at_a, b, at_b, &known, ws, to, out);
    abut_nearest_leave(saved);
    return status;
}

abut_status abut_touch(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                       const abut_pose *pose_b, const abut_touch_opts *opts, abut_workspace *ws,
                       const abut_touch_lists *lists, abut_touch_result *out)
{
    const abut_stated at_a = { .pose = pose_a }, at_b = { .pose = pose_b };
    return touch_read(a, &at_a, b, &at_b, opts, ws, lists, out);
}

abut_status abut_touch_at(const abut_shape *a, const abut_motion *motion_a, const abut_shape *b,
                          const abut_motion *motion_b, double t, const abut_touch_opts *opts,
                          abut_workspace *ws, const abut_touch_lists *lists, abut_touch_result *out)
{
    const abut_stated at_a = { .motion = motion_a, .t = t, .by_motion = true },
                      at_b = { .motion = motion_b, .t = t, .by_motion = true };
    return isfinite(t) ? touch_read(a, &at_a, b, &at_b, opts, ws, lists, out) : ABUT_ERR_ARGUMENT;
}

abut_status abut_touch_track(const abut_contact *before, size_t before_count, const abut_contact *now,
                             size_t now_count, size_t *was)
{
    if ((!before && before_count) || (!now && now_count) || (!was && now_count))
        return ABUT_ERR_ARGUMENT;
    for (size_t i = 0; i < now_count; ++i) {
        was[i] = SIZE_MAX;
        for (size_t k = 0; k < before_count && was[i] == SIZE_MAX; ++k)
            if (now[i].features[0] == before[k].features[0] && now[i].features[1] == before[k].features[1] &&
                now[i].ids[0] == before[k].ids[0] && now[i].ids[1] == before[k].ids[1])
                was[i] = k;
    }
    return ABUT_OK;
}
