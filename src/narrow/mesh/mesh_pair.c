/* SPDX-License-Identifier: MIT */
/* Two triangle meshes: whether they meet, how far apart they are, where they touch.
 *
 * Surfaces: the hierarchies name candidates, narrow/triangle.h decides each. That they meet is
 * the work of one pair; that they do not, or how far apart they are, of all that come near.
 * Between solids a crossing pair, or one in a plane with equal normals, proves that the insides
 * meet; whatever else there is goes to mesh_solid_pair.c. Contacts do not depend on the order in
 * which a walk comes by: what is chosen is chosen by position, then by number. */
#include "narrow/mesh/mesh.h"

#include "math/vec3.h"

static bool both_solid(const abut_mesh_pair *pair)
{
    return pair->mesh_a->solid && pair->mesh_b->solid;
}

static abut_proof proof_of(const abut_mesh_pair *pair)
{
    return pair->frame.exact ? ABUT_PROOF_EXACT : ABUT_PROOF_INTERVAL;
}

static void conclude(const abut_mesh_pair *pair, abut_verdict verdict, abut_check_result *out)
{
    out->verdict = verdict;
    out->proof = verdict == ABUT_UNDECIDED ? ABUT_PROOF_NONE : proof_of(pair);
    out->stop = verdict == ABUT_UNDECIDED ? ABUT_STOP_TOLERANCE : ABUT_STOP_DONE;
}

/* ---- whether they meet ---- */

/* One walk that ends as soon as no more can be learned. */
typedef struct meeting {
    abut_mesh_pair *pair;
    bool solids;
    bool touches, unknown, inside; /* some triangles meet; some may; insides meet */
    bool parted;                   /* a plane proves that these do not */
    abut_mesh_parting parting;
    uint32_t a, b; /* of the pair that ended the walk */
} meeting;

/* What one pair says; true where it decides the question. */
static bool learn(meeting *m, uint32_t i, uint32_t j)
{
    const abut_meet meet = abut_mesh_pair_meet(m->pair, i, j);
    if (meet == ABUT_MEET_NONE)
        return false;
    m->a = i;
    m->b = j;
    if (meet == ABUT_MEET_UNKNOWN) {
        m->unknown = true;
        return false;
    }
    m->touches = true;
    if (!m->solids)
        return true;
    m->inside =
        meet == ABUT_MEET_CROSS || (meet == ABUT_MEET_COPLANAR && abut_mesh_same_way(m->pair, i, j) > 0);
    m->parted = !m->inside && meet == ABUT_MEET_COPLANAR && abut_mesh_parted(m->pair, i, &m->parting);
    return m->inside || m->parted;
}

static bool meet_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    meeting *m = ctx;
    for (size_t i = 0; i < count; ++i)
        if (learn(m, pairs[i].a, pairs[i].b))
            return false;
    return true;
}

/* The last pair that met is asked first. */
static bool cached_meets(meeting *m, const abut_cache *cache)
{
    return cache && cache->count == 1 && cache->a[0] < m->pair->mesh_a->face_count &&
           cache->b[0] < m->pair->mesh_b->face_count && learn(m, cache->a[0], cache->b[0]);
}

static void remember(abut_cache *cache, uint32_t a, uint32_t b)
{
    if (!cache)
        return;
    cache->a[0] = a;
    cache->b[0] = b;
    cache->count = 1;
}

/* The verdict for what a walk over the triangles has found. */
static abut_status weigh(abut_mesh_pair *pair, bool inside, bool touches, bool unknown, abut_workspace *ws,
                         abut_verdict *verdict)
{
    const bool solid = pair->mesh_a->solid || pair->mesh_b->solid;
    *verdict = ABUT_UNDECIDED;
    if (inside)
        *verdict = ABUT_PENETRATING;
    else if (!both_solid(pair) && touches)
        *verdict = ABUT_TOUCHING;
    else if (unknown)
        return ABUT_OK;
    else if (solid)
        return abut_mesh_solid_verdict(pair, touches, ws, verdict);
    else
        *verdict = ABUT_SEPARATE;
    return ABUT_OK;
}

static abut_status weigh_meeting(abut_mesh_pair *pair, const meeting *m, abut_workspace *ws,
                                 abut_verdict *verdict)
{
    if (!m->parted)
        return weigh(pair, m->inside, m->touches, m->unknown, ws, verdict);
    *verdict = ABUT_TOUCHING;
    return ABUT_OK;
}

static void find_meeting(abut_mesh_pair *pair, const abut_cache *cache, meeting *m)
{
    *m = (meeting){ .pair = pair, .solids = both_solid(pair), .parting = abut_mesh_parting_begin(pair) };
    if (!cached_meets(m, cache)) {
        const abut_bvh_walk walk = abut_mesh_pair_walk(pair);
        (void)abut_bvh_overlap(&walk, 0, meet_batch, m);
    }
}

static abut_status find_verdict(abut_mesh_pair *pair, abut_cache *cache, abut_workspace *ws,
                                abut_check_result *out)
{
    meeting m;
    find_meeting(pair, cache, &m);
    if (m.touches)
        remember(cache, m.a, m.b);
    abut_verdict verdict;
    const abut_status status = weigh_meeting(pair, &m, ws, &verdict);
    conclude(pair, verdict, out);
    return status;
}

/* ---- closer than a clearance ---- */

typedef struct closeness {
    abut_mesh_pair *pair;
    double clearance;
    /* a pair is nearer than the clearance; exactly at it; one of these, perhaps */
    bool nearer, at, unknown;
} closeness;

static bool close_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    closeness *c = ctx;
    for (size_t i = 0; i < count; ++i) {
        abut_vec3 a[3], b[3];
        abut_triangle_gap gap;
        abut_mesh_corners(c->pair->mesh_a, pairs[i].a, a);
        abut_mesh_corners(c->pair->mesh_b, pairs[i].b, b);
        ++c->pair->counters.triangle_tests;
        if (!abut_triangle_distance(&c->pair->frame, a, b, c->clearance, &gap))
            continue;
        if (gap.distance.hi < c->clearance) {
            c->nearer = true;
            return false;
        }
        if (gap.distance.lo == c->clearance && gap.distance.hi == c->clearance)
            c->at = true;
        else if (gap.distance.lo <= c->clearance)
            c->unknown = true;
    }
    return true;
}

static abut_status find_closeness(abut_mesh_pair *pair, double clearance, abut_workspace *ws,
                                  abut_check_result *out)
{
    closeness c = { .pair = pair, .clearance = clearance };
    const abut_bvh_walk walk = abut_mesh_pair_walk(pair);
    (void)abut_bvh_overlap(&walk, clearance, close_batch, &c);
    abut_verdict verdict = c.nearer    ? ABUT_PENETRATING
                           : c.unknown ? ABUT_UNDECIDED
                           : c.at      ? ABUT_TOUCHING
                                       : ABUT_SEPARATE;
    abut_status status = ABUT_OK;
    if (!c.nearer && (pair->mesh_a->solid || pair->mesh_b->solid)) {
        /* one inside the other has points in common */
        abut_verdict inside;
        status = abut_mesh_solid_verdict(pair, false, ws, &inside);
        if (inside == ABUT_UNDECIDED)
            verdict = ABUT_UNDECIDED;
        else if (inside != ABUT_SEPARATE)
            verdict = ABUT_PENETRATING;
    }
    conclude(pair, verdict, out);
    if (verdict != ABUT_UNDECIDED && out->proof == ABUT_PROOF_EXACT)
        out->proof = ABUT_PROOF_INTERVAL;
    return status;
}

/* ---- distance ---- */

typedef struct nearest {
    abut_mesh_pair *pair;
    double shrink; /* 1 / (1 + relative), rounded down */
    double least;  /* nothing that was examined, or left out, is nearer */
    bool unknown, found;
    double hi, lo; /* of the nearest */
    abut_vec3 x, y;
    uint32_t a, b;
    uint64_t visits;
    double size, slack; /* see give_up */
} nearest;

/* So many pairs are examined for the full width. Ordinary meshes take some hundreds; millions
 * are equally near only where triangles lie on each other by the thousand, or face each other
 * over long and level gaps. */
static const uint64_t patience = 1 << 20;

static bool before(const nearest *n, uint32_t i, uint32_t j)
{
    return i < n->a || (i == n->a && j < n->b);
}

static void keep(nearest *n, const abut_triangle_gap *gap, uint32_t i, uint32_t j)
{
    n->found = true;
    n->hi = gap->distance.hi;
    n->lo = gap->distance.lo;
    n->x = gap->x;
    n->y = gap->y;
    n->a = i;
    n->b = j;
}

/* The two do not meet, unless that is unknown. */
static void examine(nearest *n, uint32_t i, uint32_t j, double bound)
{
    abut_vec3 a[3], b[3];
    abut_triangle_gap gap;
    abut_mesh_corners(n->pair->mesh_a, i, a);
    abut_mesh_corners(n->pair->mesh_b, j, b);
    ++n->pair->counters.triangle_tests;
    const bool near = abut_triangle_distance(&n->pair->frame, a, b, bound, &gap);
    n->least = fmin(n->least, gap.distance.lo);
    if (near && (!n->found || gap.distance.hi < n->hi || (gap.distance.hi == n->hi && before(n, i, j))))
        keep(n, &gap, i, j);
}

static double bound_of(const nearest *n, double bound)
{
    return n->found ? fmin(bound, n->hi * n->shrink - n->slack) : bound;
}

/* Then those that could only be nearer by a little are left out, and by more and more: the walk
 * ends, with a lower bound that says what it knows. */
static void give_up(nearest *n)
{
    n->slack = n->slack > 0 ? 2 * n->slack : 0x1p-24 * (n->size + n->hi);
}

static double near_batch(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound)
{
    nearest *n = ctx;
    for (size_t i = 0; i < count; ++i) {
        examine(n, pairs[i].a, pairs[i].b, bound);
        if (n->found && ++n->visits >= patience && n->visits % (patience >> 4) == 0)
            give_up(n);
        bound = bound_of(n, bound);
    }
    return bound;
}

/* Surfaces that do not meet, unless that is unknown; cutoff infinite: none. */
static void find_nearest(abut_mesh_pair *pair, double cutoff, double relative, const abut_cache *cache,
                         nearest *n)
{
    *n = (nearest){ .pair = pair,
                    .shrink = relative > 0 ? (1 - 0x1p-50) / (1 + relative) : 1,
                    .least = INFINITY,
                    .hi = INFINITY,
                    .size = abut_mesh_size(pair->a) + abut_mesh_size(pair->b) };
    if (cache && cache->count == 1 && cache->a[0] < pair->mesh_a->face_count &&
        cache->b[0] < pair->mesh_b->face_count)
        examine(n, cache->a[0], cache->b[0], cutoff);
    const abut_bvh_walk walk = abut_mesh_pair_walk(pair);
    const double left_out = abut_bvh_nearest(&walk, bound_of(n, cutoff), near_batch, n);
    n->least = fmin(n->least, left_out);
}

static abut_vec3 to_world(const abut_mesh_pair *pair, abut_vec3 p)
{
    return abut_affine_apply(&pair->frame.world, p);
}

static void set_gap(const abut_mesh_pair *pair, const nearest *n, abut_check_result *out)
{
    static const abut_vec3 x_axis = { 1, 0, 0 };
    out->distance = (abut_interval){ fmax(0, fmin(n->least, n->hi)), n->hi };
    out->has_points = n->found && n->hi < INFINITY; /* else beyond the range of doubles */
    if (!out->has_points)
        return;
    out->point_a = to_world(pair, n->x);
    out->point_b = to_world(pair, n->y);
    const abut_vec3 d = abut_sub(n->y, n->x);
    out->has_normal = abut_max_norm(d) > 0;
    out->normal = abut_unit_or(abut_mul(&pair->frame.world.linear, abut_unit_or(d, x_axis)), x_axis);
}

/* A point that two triangles have in common; which pair, and so which point, is up to the walk. */
static void set_common(const abut_mesh_pair *pair, uint32_t i, uint32_t j, abut_check_result *out)
{
    abut_vec3 a[3], b[3], from, to;
    uint64_t exact = 0;
    abut_mesh_corners(pair->mesh_a, i, a);
    abut_mesh_corners(pair->mesh_b, j, b);
    const abut_meet meet = abut_triangle_meet(&pair->frame, a, b, &exact);
    abut_triangle_cut(&pair->frame, a, b, meet, &from, &to);
    out->point_a = out->point_b = to_world(pair, abut_add(abut_scale(0.5, from), abut_scale(0.5, to)));
    out->has_points = true;
    out->distance = (abut_interval){ 0, 0 };
}

/* One solid holds the other, or a surface: no distance, and no place that represents it. */
static void set_held(abut_check_result *out)
{
    out->distance = (abut_interval){ 0, 0 };
    out->has_points = out->has_normal = false;
}

/* With surfaces apart, or perhaps apart. */
static abut_status finish_apart(abut_mesh_pair *pair, const nearest *n, abut_workspace *ws,
                                abut_check_result *out)
{
    abut_verdict verdict;
    set_gap(pair, n, out);
    const abut_status status = weigh(pair, false, false, n->unknown, ws, &verdict);
    conclude(pair, verdict, out);
    if (verdict == ABUT_TOUCHING || verdict == ABUT_PENETRATING)
        set_held(out);
    else if (verdict == ABUT_UNDECIDED)
        out->distance.lo = 0;
    else if (n->slack > 0)
        out->stop = ABUT_STOP_BUDGET;
    return status;
}

/* Whether they meet is asked first: it costs next to nothing beside a distance. */
static abut_status find_distance(abut_mesh_pair *pair, const abut_ask *ask, abut_workspace *ws,
                                 abut_check_result *out)
{
    meeting m;
    nearest n;
    find_meeting(pair, ask->cache, &m);
    if (m.touches) {
        abut_verdict verdict;
        const abut_status status = weigh_meeting(pair, &m, ws, &verdict);
        conclude(pair, verdict, out);
        remember(ask->cache, m.a, m.b);
        set_common(pair, m.a, m.b, out);
        return status;
    }
    find_nearest(pair, fmax(0, ask->cutoff), ask->relative, ask->cache, &n);
    n.unknown = m.unknown;
    if (n.found)
        remember(ask->cache, n.a, n.b);
    const abut_status status = finish_apart(pair, &n, ws, out);
    if (!n.found && out->verdict == ABUT_SEPARATE)
        out->stop = ABUT_STOP_CUTOFF;
    return status;
}

/* ---- contacts ---- */

/* Pairs that reach furthest along these directions and their opposites, so that what is kept
 * spans the region; ties go to smaller numbers. Pairs with an area in common come before those
 * that cross, and these before those that only touch: round a face that lies on another there
 * are many of the latter, whose normals say little. */
enum { SPREAD = 14 };
static const signed char spread[SPREAD / 2][3] = { { 1, 0, 0 },  { 0, 1, 0 },  { 0, 0, 1 }, { 1, 1, 1 },
                                                   { 1, -1, 1 }, { 1, 1, -1 }, { -1, 1, 1 } };

typedef struct candidate {
    double value;
    uint32_t a, b;
    abut_meet meet;
    abut_vec3 point; /* in a's frame: the middle of a segment, a corner of an area */
} candidate;

/* A direction that parts two triangles of solids which only touch; of those that are the same
 * the one of smallest numbers. */
typedef struct parting {
    abut_vec3 normal;
    uint32_t a, b;
} parting;

typedef struct gathering {
    abut_mesh_pair *pair;
    bool solids, touches, unknown, inside;
    bool ended; /* before all pairs were seen */
    /* pairs that meet so far, and after how many of them no more are examined */
    uint64_t meets, most;
    candidate best[SPREAD];
    int partings;
    parting parting[ABUT_CHECK_CONTACTS]; /* ascending */
} gathering;

/* Is a pair with this value a better one? Kinds of meeting ascend from touching to an area. */
static bool is_better(const candidate *c, double value, const candidate *than)
{
    if (c->meet != than->meet)
        return c->meet > than->meet;
    if (value != than->value)
        return value > than->value;
    return c->a < than->a || (c->a == than->a && c->b < than->b);
}

enum { AREA_CORNERS = 9 };

/* Corners of the area that two triangles in one plane have in common, in doubles: b's, cut along
 * a's edges. */
static int common_corners(const abut_vec3 a[3], const abut_vec3 b[3], abut_vec3 out[AREA_CORNERS])
{
    const abut_vec3 n = abut_mesh_triangle_normal(a), zero = { 0, 0, 0 };
    abut_vec3 from[AREA_CORNERS];
    int count = 3;
    for (int k = 0; k < 3; ++k)
        out[k] = b[k];
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 inward = abut_cross(n, abut_unit_or(abut_sub(a[(k + 1) % 3], a[k]), zero));
        const int all = count;
        for (int i = 0; i < all; ++i)
            from[i] = out[i];
        count = 0;
        for (int i = 0; i < all; ++i) {
            const abut_vec3 p = from[i], q = from[(i + 1) % all];
            const double s = abut_dot(inward, abut_sub(p, a[k])), t = abut_dot(inward, abut_sub(q, a[k]));
            if (s >= 0 && count < AREA_CORNERS)
                out[count++] = p;
            if (((s < 0 && t > 0) || (s > 0 && t < 0)) && count < AREA_CORNERS)
                out[count++] = abut_madd(p, s / (s - t), abut_sub(q, p));
        }
    }
    return count;
}

static bool comes_before(const parting *p, const parting *q)
{
    return p->a < q->a || (p->a == q->a && p->b < q->b);
}

static void add_parting(gathering *g, uint32_t i, uint32_t j)
{
    bool sure;
    const parting p = { abut_mesh_contact_normal(g->pair, i, j, &sure), i, j };
    if (!sure)
        return;
    int at = 0;
    while (at < g->partings && !(abut_dot(p.normal, g->parting[at].normal) > 1 - 1e-6))
        ++at;
    if (at == ABUT_CHECK_CONTACTS)
        --at;
    else if (at == g->partings)
        g->parting[g->partings++] = p;
    if (comes_before(&p, &g->parting[at]))
        g->parting[at] = p;
    for (; at > 0 && comes_before(&g->parting[at], &g->parting[at - 1]); --at) {
        const parting moved = g->parting[at];
        g->parting[at] = g->parting[at - 1];
        g->parting[at - 1] = moved;
    }
}

static void offer(gathering *g, const candidate *c)
{
    for (int k = 0; k < SPREAD; ++k) {
        const signed char *d = spread[k / 2];
        const double value = (d[0] * c->point.x + d[1] * c->point.y + d[2] * c->point.z) * (k % 2 ? -1 : 1);
        candidate *best = &g->best[k];
        if (g->touches && !is_better(c, value, best))
            continue;
        *best = *c;
        best->value = value;
    }
    g->touches = true;
}

static void gather(gathering *g, uint32_t i, uint32_t j, abut_meet meet)
{
    abut_vec3 a[3], b[3], from, to;
    if (g->touches && meet < g->best[0].meet)
        return;
    abut_mesh_corners(g->pair->mesh_a, i, a);
    abut_mesh_corners(g->pair->mesh_b, j, b);
    abut_triangle_cut(&g->pair->frame, a, b, meet, &from, &to);
    candidate c = { .a = i, .b = j, .meet = meet };
    c.point = abut_add(abut_scale(0.5, from), abut_scale(0.5, to));
    if (g->touches && meet > g->best[0].meet)
        g->partings = 0;
    if (meet != ABUT_MEET_CROSS && g->solids)
        add_parting(g, i, j);
    if (meet != ABUT_MEET_COPLANAR) {
        offer(g, &c);
        return;
    }
    abut_vec3 corners[AREA_CORNERS];
    for (int k = 0; k < 3; ++k)
        b[k] = abut_add(abut_mul(&g->pair->frame.b_in_a.r, b[k]), g->pair->frame.b_in_a.t);
    const int count = common_corners(a, b, corners);
    if (count == 0) /* a sliver that rounding has closed */
        offer(g, &c);
    for (int k = 0; k < count; ++k) {
        c.point = corners[k];
        offer(g, &c);
    }
}

static bool gather_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    gathering *g = ctx;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t a = pairs[i].a, b = pairs[i].b;
        const abut_meet meet = abut_mesh_pair_meet(g->pair, a, b);
        if (meet == ABUT_MEET_UNKNOWN)
            g->unknown = true;
        else if (meet != ABUT_MEET_NONE) {
            gather(g, a, b, meet);
            if (g->solids && !g->inside)
                g->inside = meet == ABUT_MEET_CROSS ||
                            (meet == ABUT_MEET_COPLANAR && abut_mesh_same_way(g->pair, a, b) > 0);
            g->ended = ++g->meets >= g->most;
            if (g->ended)
                return false;
        }
    }
    return true;
}

/* A mesh that lies on its like has some 13 meetings a triangle, those with its neighbours. Soups
 * whose triangles all lie on each other have as many as pairs: which of these are shown matters
 * little, and that they meet is known after the first. */
static uint64_t enough_meets(const abut_mesh_pair *pair)
{
    return 16 * ((uint64_t)pair->mesh_a->face_count + pair->mesh_b->face_count) + (1 << 14);
}

/* The verdict after `g` has ended early: where only the insides of two solids count, those of the
 * pairs that were not seen may be what tells. */
static abut_status weigh_gathering(abut_mesh_pair *pair, gathering *g, abut_workspace *ws,
                                   abut_verdict *verdict)
{
    if (g->ended && g->solids && !g->inside) {
        meeting m;
        find_meeting(pair, NULL, &m);
        return weigh_meeting(pair, &m, ws, verdict);
    }
    return weigh(pair, g->inside, g->touches, g->unknown, ws, verdict);
}

/* The one of smallest numbers first, then always the one furthest from those chosen. */
static int choose_contacts(const gathering *g, int most, int chosen[ABUT_CHECK_CONTACTS])
{
    int count = 0, first = 0;
    for (int k = 1; k < SPREAD; ++k)
        if (g->best[k].a < g->best[first].a ||
            (g->best[k].a == g->best[first].a && g->best[k].b < g->best[first].b))
            first = k;
    for (int next = first; next >= 0 && count < most;) {
        chosen[count++] = next;
        double furthest = -1;
        next = -1;
        for (int k = 0; k < SPREAD; ++k) {
            double near = INFINITY;
            for (int c = 0; c < count; ++c)
                near = fmin(near, abut_length(abut_sub(g->best[k].point, g->best[chosen[c]].point)));
            if (near > furthest) {
                furthest = near;
                next = k;
            }
        }
        if (!(furthest > 0)) /* what is at the same place as another adds nothing */
            next = -1;
    }
    return count;
}

static void set_contacts(const gathering *g, int most, abut_check_result *out, abut_mesh_hint *hints)
{
    int chosen[ABUT_CHECK_CONTACTS];
    const int count = choose_contacts(g, most, chosen);
    abut_vec3 sum = { 0, 0, 0 };
    bool sure[ABUT_CHECK_CONTACTS];
    for (int k = 0; k < count; ++k) {
        const candidate *c = &g->best[chosen[k]];
        const abut_vec3 n = abut_mesh_contact_normal(g->pair, c->a, c->b, &sure[k]),
                        world = abut_mul(&g->pair->frame.world.linear, n);
        hints[k] = (abut_mesh_hint){ c->point, n };
        if (sure[k])
            sum = abut_add(sum, world);
        out->contacts[k] = (abut_contact){ .point = to_world(g->pair, c->point),
                                           .normal = abut_unit_or(world, world),
                                           .features = { ABUT_FEATURE_FACE, ABUT_FEATURE_FACE },
                                           .ids = { c->a, c->b } };
    }
    if (g->partings > 0) {
        sum = abut_v3(0, 0, 0);
        for (int k = 0; k < g->partings; ++k)
            sum = abut_add(sum, abut_mul(&g->pair->frame.world.linear, g->parting[k].normal));
    }
    out->contact_count = count;
    out->has_points = out->has_normal = true;
    out->point_a = out->point_b = out->contacts[0].point;
    out->normal =
        abut_max_norm(sum) > 1e-3 ? abut_unit_or(sum, out->contacts[0].normal) : out->contacts[0].normal;
    /* Sides in one plane that touch at an edge tell nothing of their own. */
    for (int k = 0; k < count; ++k)
        if (!sure[k])
            out->contacts[k].normal = out->normal;
}

static abut_status check_all(abut_mesh_pair *pair, const abut_ask *ask, abut_workspace *ws,
                             abut_check_result *out)
{
    const int most = ask && ask->max_contacts > 0 ? ask->max_contacts : 4;
    gathering g = { .pair = pair, .solids = both_solid(pair), .most = enough_meets(pair) };
    abut_mesh_hint hints[ABUT_CHECK_CONTACTS] = { { { 0, 0, 0 }, { 0, 0, 0 } } };
    const abut_bvh_walk walk = abut_mesh_pair_walk(pair);
    (void)abut_bvh_overlap(&walk, 0, gather_batch, &g);
    abut_status status;
    if (!g.touches) {
        nearest n;
        find_nearest(pair, INFINITY, ask ? ask->relative : 0, NULL, &n);
        n.unknown = g.unknown;
        status = finish_apart(pair, &n, ws, out);
    } else {
        abut_verdict verdict;
        set_contacts(&g, most, out, hints);
        status = weigh_gathering(pair, &g, ws, &verdict);
        conclude(pair, verdict, out);
    }
    if (out->verdict == ABUT_PENETRATING) {
        out->has_points = false;
        abut_mesh_depth(pair, hints, out->contact_count, &out->depth, &out->normal);
        out->has_depth = out->has_normal = true;
    }
    return status;
}

static void add_counters(const abut_mesh_pair *pair, abut_check_result *out)
{
    out->counters = (abut_counters){ .iterations = pair->counters.volume_tests,
                                     .evaluations = pair->counters.triangle_tests,
                                     .exact = pair->counters.exact };
}

bool abut_posed_meshes(const abut_posed_pair *posed, abut_workspace *ws, abut_check_result *out,
                       abut_status *status)
{
    const abut_ask *ask = posed->ask;
    abut_mesh_pair pair;
    if (ask->want != ABUT_WANT_VERDICT ||
        !abut_mesh_pair_quick(posed->a, posed->at_a, posed->b, posed->at_b, &pair))
        return false;
    *status = ask->clearance > 0 ? find_closeness(&pair, ask->clearance, ws, out)
                                 : find_verdict(&pair, ask->cache, ws, out);
    add_counters(&pair, out);
    return true;
}

abut_status abut_narrow_meshes(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    abut_mesh_pair meshes;
    abut_status status;
    abut_mesh_pair_set(pair, &meshes);
    if (!pair->ask || pair->ask->want == ABUT_WANT_ALL)
        status = check_all(&meshes, pair->ask, ws, out);
    else if (pair->ask->want == ABUT_WANT_DISTANCE)
        status = find_distance(&meshes, pair->ask, ws, out);
    else if (pair->ask->clearance > 0)
        status = find_closeness(&meshes, pair->ask->clearance, ws, out);
    else
        status = find_verdict(&meshes, pair->ask->cache, ws, out);
    add_counters(&meshes, out);
    return status;
}
