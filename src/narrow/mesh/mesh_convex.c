/* SPDX-License-Identifier: MIT */
/* A mesh (a) against a convex body (b), at one instant.
 *
 * Every triangle is a flat hull, so that the solvers for convex pairs enclose its gap to the body;
 * the mesh's gap is the least of them, and the tree hands over those that may have it. What a
 * surface meets it touches. A solid penetrates where a triangle reaches into the body (gap < 0,
 * proved), or where the body is inside of it: as long as no triangle reaches into the body's
 * interior, all of that is on one side of the surface, and one point of it tells on which. Touching
 * is proved by exact signs, triangle by triangle.
 *
 * Coordinates are those of the mesh's frame less the body's origin, so that far places cost
 * digits only once. Contacts are made in mesh_manifold.c. */
#include "narrow/mesh/mesh_convex.h"

#include "math/vec3.h"
#include "narrow/distance/refine.h"
#include "narrow/mesh/mesh_point.h"
#include "narrow/ray/line.h"
#include "narrow/triangle/point_triangle.h"

#include <string.h>

static const double u = 0x1p-53;

/* ---- triangles as hulls ---- */

void abut_mesh_hull_init(abut_mesh_hull *h)
{
    static const uint32_t links[6] = { 1, 2, 0, 2, 0, 1 }, faces[6] = { 0, 1, 2, 2, 1, 0 };
    for (uint32_t k = 0; k < 6; ++k) {
        h->links[k] = links[k];
        h->face_corners[k] = faces[k];
    }
    for (uint32_t k = 0; k < 4; ++k)
        h->link_begin[k] = 2 * k;
    for (uint32_t k = 0; k < 3; ++k) {
        h->point_of[k] = k;
        h->face_begin[k] = 3 * k;
    }
    h->hull = (abut_hull){ .dimension = 2,
                           .vertex_count = 3,
                           .padded_count = 8,
                           .x = h->x,
                           .y = h->y,
                           .z = h->z,
                           .point_of = h->point_of,
                           .link_begin = h->link_begin,
                           .links = h->links,
                           .face_count = 2,
                           .face_normal = h->face_normal,
                           .face_begin = h->face_begin,
                           .face_corners = h->face_corners,
                           .edge_count = 3 };
    /* inner: 0, its middle */
    h->core = (abut_core){ .kind = ABUT_CORE_HULL, .scale = 1, .hull = &h->hull };
}

void abut_mesh_hull_set(abut_mesh_hull *h, const abut_vec3 t[3])
{
    for (int k = 0; k < 8; ++k) {
        const abut_vec3 p = t[k < 3 ? k : 0];
        h->x[k] = p.x;
        h->y[k] = p.y;
        h->z[k] = p.z;
    }
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        const double square = abut_dot(t[k], t[k]);
        most = square > most ? square : most;
    }
    h->hull.size = h->core.size = sqrt(most) * (1 + 0x1p-48) + 0x1p-500;
    h->core.error = 8 * u * h->core.size;
    const abut_vec3 n =
        abut_unit_or(abut_cross(abut_sub(t[1], t[0]), abut_sub(t[2], t[0])), abut_v3(0, 0, 1));
    h->face_normal[0] = n;
    h->face_normal[1] = abut_v3(-n.x, -n.y, -n.z);
}

/* ---- one triangle ---- */

static double max3(abut_vec3 v)
{
    const double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z), m = x > y ? x : y;
    return m > z ? m : z;
}

static void site_corners(const abut_mesh_site *s, uint32_t face, abut_vec3 t[3])
{
    abut_mesh_corners(s->mesh, face, t);
    for (int k = 0; k < 3; ++k)
        t[k] = s->scale == 1 ? abut_sub(t[k], s->origin) : abut_sub(abut_scale(s->scale, t[k]), s->origin);
}

/* The pair of a triangle and the body, seen from the triangle's middle. A corner is off by u of
 * itself in each coordinate twice, on top of what the solvers round (convex.c: 12 and 20). */
void abut_mesh_site_pair(abut_mesh_site *s, uint32_t face, abut_convex_pair *pair)
{
    abut_vec3 t[3];
    site_corners(s, face, t);
    const abut_vec3 c = abut_scale(1.0 / 3, abut_add(t[0], abut_add(t[1], t[2])));
    for (int k = 0; k < 3; ++k)
        t[k] = abut_sub(t[k], c);
    abut_mesh_hull_set(&s->hull, t);
    *pair = s->base;
    pair->a = &s->hull.core;
    pair->t = abut_v3(-c.x, -c.y, -c.z);
    pair->error += u * (20 * s->hull.core.size + 48 * max3(c)) + s->hull.core.error;
}

static void move(abut_vec3 by, abut_convex_answer *answer)
{
    answer->x = abut_sub(answer->x, by);
    answer->y = abut_sub(answer->y, by);
}

static void decide_exactly(abut_mesh_site *s, uint32_t face);

static void note_doubt(abut_mesh_site *s, uint32_t face)
{
    if (s->open_count < ABUT_MESH_FACES)
        s->open[s->open_count++] = face;
    else
        decide_exactly(s, face);
}

static void note_met(abut_mesh_site *s, uint32_t face)
{
    s->meets = true;
    if (s->wants_places)
        abut_mesh_manifold_add(s, face);
}

static int side_of(const abut_mesh_site *s, const abut_convex_answer *answer)
{
    const double slack = 4 * u * s->limit;
    return answer->lo > s->limit + slack ? 1 : answer->hi < s->limit - slack ? -1 : 0;
}

/* Balls: the distance of their centre, in closed form. False where it is proved > cutoff: then
 * only lo is set. */
static bool point_gap(const abut_mesh_site *s, uint32_t face, double cutoff, abut_convex_answer *answer)
{
    abut_vec3 t[3];
    abut_point_triangle d;
    const double error = s->base.error;
    site_corners(s, face, t);
    const bool near = abut_point_triangle_set(t, cutoff + error, &d);
    *answer = (abut_convex_answer){ .lo = d.lo - error, .hi = INFINITY, .supports = 1 };
    if (!near)
        return false;
    answer->hi = d.hi + error;
    answer->x = d.x;
    answer->normal = abut_unit_or(abut_v3(-d.x.x, -d.x.y, -d.x.z), s->axis);
    return !(answer->lo > cutoff);
}

/* On which side of the limit a triangle is. */
static int compare(abut_mesh_site *s, uint32_t face)
{
    abut_convex_pair pair;
    if (s->base.b->kind == ABUT_CORE_POINT) {
        abut_convex_answer gap;
        ++s->visited;
        (void)point_gap(s, face, s->limit * (1 + 8 * u), &gap);
        return side_of(s, &gap);
    }
    abut_mesh_site_pair(s, face, &pair);
    abut_simplex simplex = { .count = 0 };
    abut_convex_answer answer = { .supports = 0 };
    ++s->visited;
    pair.error += 0x1p-51 * s->limit;
    int side = abut_gjk_compare(&pair, s->limit, &s->axis, &simplex, &answer);
    if (side == 0 && s->curved && answer.lo > -INFINITY) {
        (void)abut_curved_decide(&pair, &answer);
        side = side_of(s, &answer);
    }
    if (side == 0 && answer.lo <= 0) {
        /* as for all convex pairs: a polytope inside may prove what a simplex did not */
        abut_convex_depth(&pair, &simplex, &answer);
        side = side_of(s, &answer);
    }
    s->supports += answer.supports;
    return side;
}

static bool meet_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    abut_mesh_site *s = ctx;
    for (size_t i = 0; i < count; ++i) {
        const int side = compare(s, pairs[i].a);
        if (side < 0) {
            note_met(s, pairs[i].a);
            if (s->until_met)
                return false;
        } else if (side == 0)
            note_doubt(s, pairs[i].a);
        if (s->until_met && s->reaches)
            return false;
    }
    return true;
}

/* The gap of one triangle. False where it is proved > cutoff: then only lo is set. */
static bool enclose_gap(abut_mesh_site *s, uint32_t face, double cutoff, abut_convex_answer *answer)
{
    if (s->base.b->kind == ABUT_CORE_POINT)
        return point_gap(s, face, cutoff, answer);
    abut_convex_pair pair;
    abut_mesh_site_pair(s, face, &pair);
    abut_simplex simplex = { .count = 0 };
    const abut_gjk_end end = abut_gjk_distance(&pair, cutoff, &s->axis, &simplex, answer);
    if (end == ABUT_GJK_FAR)
        return false;
    if (s->curved && (end == ABUT_GJK_APART || end == ABUT_GJK_NEAR) && answer->lo > -INFINITY)
        (void)abut_curved_decide(&pair, answer);
    s->axis = answer->normal;
    move(pair.t, answer);
    return true;
}

static double near_batch(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound)
{
    abut_mesh_site *s = ctx;
    for (size_t i = 0; i < count; ++i) {
        abut_convex_answer answer;
        const double cutoff = s->hi_gap < s->cutoff ? s->hi_gap : s->cutoff;
        const bool near = enclose_gap(s, pairs[i].a, cutoff, &answer);
        ++s->visited;
        s->supports += answer.supports;
        if (!near) {
            s->far_gap = answer.lo < s->far_gap ? answer.lo : s->far_gap;
            continue;
        }
        s->lo_gap = answer.lo < s->lo_gap ? answer.lo : s->lo_gap;
        if (answer.hi < s->hi_gap || s->best_face == UINT32_MAX) {
            s->hi_gap = answer.hi;
            s->best = answer;
            s->best_face = pairs[i].a;
        }
        if (s->decided)
            continue;
        int side = side_of(s, &answer);
        if (side == 0) /* the other search may prove what this one could not */
            side = compare(s, pairs[i].a);
        if (side < 0)
            s->meets = true;
        else if (side == 0)
            note_doubt(s, pairs[i].a);
    }
    if ((s->meets || s->reaches) && !s->decided)
        return -1;
    const double apart = s->hi_gap > s->base.radii ? s->hi_gap - s->base.radii : 0;
    const double hi = s->unit * (s->base.radii + apart / (1 + s->relative)) * (1 + 0x1p-48);
    return hi < bound ? hi : bound;
}

/* ---- the body's box ---- */

/* In the body's frame, around its core. */
static abut_bv_box core_box(const abut_shape *body)
{
    const abut_core *core = &body->core;
    abut_bv_box box = { .axes = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    const double *h = core->h;
    switch (core->kind) {
    case ABUT_CORE_POINT: break;
    case ABUT_CORE_SEGMENT: box.half.z = h[2]; break;
    case ABUT_CORE_HULL: {
        double margin = 0;
        while (body->type == ABUT_SHAPE_SWEPT)
            body = body->u.swept.of;
        if (body->type == ABUT_SHAPE_CONVEX)
            margin = body->u.convex.margin;
        const abut_vec3 lo = body->bounds.lo, hi = body->bounds.hi;
        box.centre = abut_v3(0.5 * lo.x + 0.5 * hi.x, 0.5 * lo.y + 0.5 * hi.y, 0.5 * lo.z + 0.5 * hi.z);
        const double slack = 8 * u * (core->size + margin);
        box.half = abut_v3(0.5 * hi.x - 0.5 * lo.x - margin + slack, 0.5 * hi.y - 0.5 * lo.y - margin + slack,
                           0.5 * hi.z - 0.5 * lo.z - margin + slack);
        box.half = abut_v3(fmax(box.half.x, slack), fmax(box.half.y, slack), fmax(box.half.z, slack));
        break;
    }
    case ABUT_CORE_USER: box.half = abut_v3(core->size, core->size, core->size); break;
    default: box.half = abut_v3(h[0], h[1], h[2]);
    }
    return box;
}

static bool set_up(const abut_pair *pair, abut_mesh_site *s)
{
    static const abut_core none = { .kind = ABUT_CORE_NONE, .scale = 1 };
    const abut_ask *ask = pair->ask;
    /* the list of places is long, and mostly stays empty */
    memset(s, 0, offsetof(abut_mesh_site, places));
    s->places.count = 0;
    s->asked = pair;
    s->mesh = &pair->a->u.faceted;
    s->lo_gap = s->hi_gap = s->far_gap = s->cutoff = INFINITY;
    s->best_face = UINT32_MAX;
    abut_convex_pair_from_cores(&none, pair->at_a, &pair->b->core, pair->at_b, abut_mesh_size(pair->a),
                                &s->scratch, &s->exponent, &s->base);
    s->scale = ldexp(1, -s->exponent);
    s->unit = ldexp(1, s->exponent);
    s->origin = s->base.t;
    s->base.t = abut_v3(0, 0, 0);
    s->base.radii = s->base.b->radius;
    s->clearance = ask && ask->want == ABUT_WANT_VERDICT ? s->scale * ask->clearance : 0;
    s->limit = s->base.radii + s->clearance;
    s->relative = ask ? ask->relative : 0;
    s->curved = !abut_core_is_polytope(s->base.b);
    abut_mesh_hull_init(&s->hull);
    if (!abut_is_finite3(s->origin) || !isfinite(s->base.error) || !isfinite(s->unit) || !(s->scale > 0))
        return false;
    /* Corners of the box are at most twice as far out as the core is. */
    s->relative_place =
        (abut_bv_relative){ s->base.r, abut_scale(s->unit, s->origin), 2 * s->unit * s->base.error };
    s->walk = (abut_bvh_walk){ .a = { .tree = s->mesh->tree },
                               .b = { .box = core_box(pair->b) },
                               .b_in_a = &s->relative_place,
                               .counters = &s->tests };
    return abut_is_finite3(s->relative_place.t) && isfinite(s->relative_place.error);
}

/* ---- proofs ---- */

/* The sign of one triangle's gap, exactly. */
static int exact_sign(abut_mesh_site *s, uint32_t face)
{
    const abut_pair *pair = s->asked;
    if (s->clearance > 0)
        return ABUT_SIGN_UNKNOWN;
    const int sign = abut_mesh_exact_sign(pair, face);
    if (sign != ABUT_SIGN_UNKNOWN) {
        ++s->exact;
        return sign;
    }
    if (s->exponent != 0 || !pair->at_a->points || !pair->at_a->axes || !pair->at_b->points)
        return ABUT_SIGN_UNKNOWN;
    abut_convex_pair convex;
    abut_mesh_site_pair(s, face, &convex);
    abut_convex_answer answer;
    abut_simplex simplex = { .count = 0 };
    (void)abut_gjk_distance(&convex, INFINITY, &s->axis, &simplex, &answer);
    abut_vec3 t[3];
    abut_mesh_corners(s->mesh, face, t);
    abut_mesh_hull_set(&s->hull, t);
    ++s->exact;
    return abut_convex_exact_sign(pair, &convex, &answer);
}

/* An undecided triangle. */
static void decide_exactly(abut_mesh_site *s, uint32_t face)
{
    const int sign = exact_sign(s, face);
    s->undecided = s->undecided || sign == ABUT_SIGN_UNKNOWN;
    if (sign > 0) /* ABUT_SIGN_UNKNOWN is */
        return;
    s->touches = true;
    s->reaches = s->reaches || sign < 0;
    if (s->wants_places && sign < 0)
        abut_mesh_manifold_add(s, face);
    else if (s->wants_places)
        abut_mesh_manifold_touch(s, face);
}

/* All of them, until it is clear what they mean; false where one stays undecided. */
static bool decide_open(abut_mesh_site *s)
{
    const bool surface = !s->mesh->solid && !s->wants_places;
    for (int i = 0; i < s->open_count && !s->reaches && !(surface && s->touches); ++i)
        decide_exactly(s, s->open[i]);
    return !s->undecided;
}

static abut_vec3 some_support(const abut_core *core, int i)
{
    uint32_t hint = 0;
    return abut_core_support(core, abut_v3(i & 1 ? 0.9 : -1.1, i & 2 ? 1.2 : -0.8, i & 4 ? 1 : -0.7), &hint);
}

/* A point of the body in its frame, deep inside where that is easy. */
static abut_vec3 middle_of(const abut_mesh_site *s)
{
    abut_vec3 middle = { 0, 0, 0 };
    for (int i = 0; i < 8 && !(s->asked->b->core.inner >= 0); ++i)
        middle = abut_madd(middle, 0.125, some_support(s->base.b, i));
    return middle;
}

/* Where the body's interior is, when no triangle reaches into it. */
static abut_where where_is_body(const abut_mesh_site *s)
{
    const abut_core *core = s->base.b;
    const double slack = s->base.error + 32 * u * (core->size + abut_max_norm(s->origin));
    for (int i = -1; i < 8; ++i) {
        const abut_vec3 q = i < 0 ? middle_of(s) : some_support(core, i);
        const abut_vec3 p = abut_scale(s->unit, abut_add(abut_mul(&s->base.r, q), s->origin));
        const abut_where where =
            abut_is_finite3(p) ? abut_mesh_where_near(s->asked->a, p, s->unit * slack) : ABUT_WHERE_UNKNOWN;
        if (where != ABUT_WHERE_UNKNOWN)
            return where;
    }
    return ABUT_WHERE_UNKNOWN;
}

/* ---- results ---- */

static void set_verdict(abut_verdict verdict, abut_proof proof, abut_check_result *out)
{
    out->verdict = verdict;
    out->proof = proof;
    out->stop = verdict == ABUT_UNDECIDED ? ABUT_STOP_TOLERANCE : ABUT_STOP_DONE;
}

/* Some triangle meets the body, or the body is inside: what that is called. */
static abut_verdict meeting_verdict(const abut_mesh_site *s)
{
    const bool flat = s->clearance == 0 && (!s->mesh->solid || abut_core_is_flat(s->base.b));
    return flat ? ABUT_TOUCHING : ABUT_PENETRATING;
}

static double down(const abut_mesh_site *s, double gap)
{
    return s->unit * (gap - s->base.radii - 4 * u * (s->base.radii + fabs(gap)));
}

static double up(const abut_mesh_site *s, double gap)
{
    return s->unit * (gap - s->base.radii + 4 * u * (s->base.radii + fabs(gap)));
}

abut_vec3 abut_mesh_site_world(const abut_mesh_site *s, abut_vec3 p)
{
    const abut_affine *frame = &s->base.frame;
    return abut_madd(frame->translation, s->unit, abut_mul(&frame->linear, abut_add(p, s->origin)));
}

static void tell_nearest(const abut_mesh_site *s, abut_check_result *out)
{
    const abut_vec3 n = s->best.normal, zero = { 0, 0, 0 };
    if (s->best_face == UINT32_MAX || !(fabs(abut_dot(n, n) - 1) < 1e-6))
        return;
    out->has_normal = true;
    out->normal = abut_add(abut_mul(&s->base.frame.linear, n), zero);
    out->point_a = abut_mesh_site_world(s, s->best.x);
    out->point_b = abut_mesh_site_world(s, abut_madd(s->best.y, -s->base.b->radius, n));
    out->has_points = true;
}

/* The body is inside: of one that has none itself, any point is a point of both. */
static void tell_held(const abut_mesh_site *s, abut_want want, abut_check_result *out)
{
    out->has_points = out->has_points && meeting_verdict(s) == ABUT_TOUCHING;
    out->point_a = out->point_b;
    if (!out->has_points || want != ABUT_WANT_ALL)
        return;
    out->contact_count = 1;
    out->contacts[0] = (abut_contact){ .point = out->point_b,
                                       .normal = out->normal,
                                       .features = { ABUT_FEATURE_NONE, ABUT_FEATURE_NONE },
                                       .ids = { -1, -1 } };
}

/* Nothing meets, and nothing is undecided. */
static bool is_inside(const abut_mesh_site *s, bool *known)
{
    *known = true;
    if (!s->mesh->solid)
        return false;
    const abut_where where = where_is_body(s);
    *known = where != ABUT_WHERE_UNKNOWN;
    return where == ABUT_WHERE_IN;
}

/* The verdict from what was gathered: true when they meet or may meet. */
static bool decide(abut_mesh_site *s, abut_check_result *out)
{
    if (s->meets) {
        set_verdict(meeting_verdict(s), ABUT_PROOF_INTERVAL, out);
        return true;
    }
    const bool decided = s->open_count == 0 || decide_open(s);
    const abut_proof proof = s->exact > 0 ? ABUT_PROOF_EXACT : ABUT_PROOF_INTERVAL;
    if (s->reaches) {
        set_verdict(meeting_verdict(s), proof, out);
        return true;
    }
    if (s->touches && (!s->mesh->solid || abut_core_is_flat(s->base.b))) {
        set_verdict(ABUT_TOUCHING, proof, out);
        return true;
    }
    if (!decided) {
        set_verdict(ABUT_UNDECIDED, ABUT_PROOF_NONE, out);
        return true;
    }
    bool known;
    if (is_inside(s, &known)) {
        set_verdict(meeting_verdict(s), proof, out);
        s->inside = true;
        return true;
    }
    if (!known) {
        set_verdict(ABUT_UNDECIDED, ABUT_PROOF_NONE, out);
        return true;
    }
    set_verdict(s->touches ? ABUT_TOUCHING : ABUT_SEPARATE, proof, out);
    return s->touches;
}

static void find_distance(abut_mesh_site *s, const abut_ask *ask, abut_check_result *out)
{
    const bool cut = ask && ask->want == ABUT_WANT_DISTANCE && ask->cutoff < INFINITY;
    s->cutoff = cut ? (s->scale * fmax(ask->cutoff, 0) + s->base.radii) * (1 + 0x1p-44) : INFINITY;
    const double left = abut_bvh_nearest(&s->walk, cut ? s->unit * s->cutoff : INFINITY, near_batch, s);
    double lo = s->lo_gap < s->far_gap ? s->lo_gap : s->far_gap;
    lo = s->scale * left < lo ? s->scale * left : lo;
    out->distance = (abut_interval){ fmax(down(s, lo), 0), up(s, s->hi_gap) };
}

abut_status abut_narrow_mesh_convex(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    (void)ws;
    const abut_ask *ask = pair->ask;
    const abut_want want = ask ? ask->want : ABUT_WANT_ALL;
    abut_mesh_site s;
    if (!set_up(pair, &s)) { /* beyond the range of doubles */
        set_verdict(ABUT_UNDECIDED, ABUT_PROOF_NONE, out);
        out->distance = out->depth = (abut_interval){ 0, INFINITY };
        return ABUT_OK;
    }
    s.until_met = want == ABUT_WANT_VERDICT;
    s.wants_places = want == ABUT_WANT_ALL;
    if (s.wants_places)
        s.middle = abut_mul(&s.base.r, middle_of(&s));
    bool meets;
    if (want == ABUT_WANT_DISTANCE) {
        find_distance(&s, ask, out);
        meets = decide(&s, out);
    } else {
        (void)abut_bvh_overlap(&s.walk, s.unit * s.limit * (1 + 0x1p-48), meet_batch, &s);
        meets = decide(&s, out);
        s.decided = true;
        if (want == ABUT_WANT_ALL && (!meets || out->verdict == ABUT_UNDECIDED))
            find_distance(&s, ask, out);
    }
    out->counters =
        (abut_counters){ .iterations = s.visited, .evaluations = s.supports, .exact = (uint64_t)s.exact };
    if (out->verdict == ABUT_TOUCHING || out->verdict == ABUT_PENETRATING)
        out->distance = (abut_interval){ 0, 0 };
    else if (out->verdict == ABUT_UNDECIDED)
        out->distance =
            (abut_interval){ 0, want == ABUT_WANT_VERDICT ? INFINITY : fmax(out->distance.hi, 0) };
    else if (want == ABUT_WANT_VERDICT)
        out->distance = (abut_interval){ 0x1p-1074, INFINITY };
    else if (!(out->distance.lo > 0))
        out->distance.lo = 0x1p-1074; /* apart by an exact sign */
    if (want == ABUT_WANT_VERDICT)
        return ABUT_OK;
    if (out->verdict == ABUT_SEPARATE) {
        if (want == ABUT_WANT_DISTANCE && out->distance.lo > ask->cutoff)
            out->stop = ABUT_STOP_CUTOFF;
        tell_nearest(&s, out);
    } else if (out->verdict == ABUT_UNDECIDED || want == ABUT_WANT_DISTANCE)
        tell_nearest(&s, out);
    else if (s.inside) {
        s.relative = 0;
        find_distance(&s, ask, out);
        out->distance = (abut_interval){ 0, 0 };
        tell_nearest(&s, out);
        out->normal = abut_sub(abut_v3(0, 0, 0), out->normal); /* the way out */
        tell_held(&s, want, out);
    } else
        abut_mesh_manifold(&s, ask, out);
    return ABUT_OK;
}
