/* SPDX-License-Identifier: MIT */
/* A mesh (a) against a half-space (b), at one instant: the gap is that of the mesh's lowest vertex.
 *
 * The tree finds it: a slab far below the mesh, across the plane's normal, is as far from a
 * triangle as its lowest corner is high. In doubles the height has an error bound known
 * beforehand, as in plane.c; for exact placements the sign and the value of all vertices that
 * may be the lowest are exact. The least translation that parts a solid from a half-space goes
 * along the normal, so that its depth is known as the gap is. */
#include "narrow/convex/closed.h"
#include "narrow/convex/plane.h"
#include "narrow/distance/convex.h"
#include "narrow/mesh/mesh.h"

#include "math/vec3.h"

#include <float.h>

static const double u = 0x1p-53;

enum { MOST = 64 };

typedef struct lowest {
    const abut_faceted_data *mesh;
    abut_vec3 m; /* the normal in the mesh's frame */
    double scale, unit, top, slack;
    double least; /* m . v, scaled */
    int count;    /* of vertices that are as low, within the slack */
    uint32_t list[MOST];
    bool axial;   /* m is along an axis: heights are exact */
    bool crowded; /* one that is not in the list may be the lowest */
    uint64_t visited;
} lowest;

static void add_vertex(lowest *s, uint32_t vertex, double height)
{
    if (height < s->least - s->slack) { /* those before are all too high now */
        s->count = 0;
        s->crowded = false;
    }
    s->least = height < s->least ? height : s->least;
    const uint32_t v = abut_mesh_welded(s->mesh, vertex);
    for (int i = 0; i < s->count; ++i)
        if (s->list[i] == v)
            return;
    if (s->count < MOST)
        s->list[s->count++] = v;
    else if (!s->axial)
        s->crowded = true;
    else /* one that is as low will do */
        for (int i = 0; i < MOST; ++i)
            if (abut_dot(s->m, abut_scale(s->scale, s->mesh->vertices[s->list[i]])) > height) {
                s->list[i] = v;
                return;
            }
}

static double visit(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound)
{
    lowest *s = ctx;
    s->visited += count;
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t v = s->mesh->corners[3 * (size_t)pairs[i].a + k];
            const double height = abut_dot(s->m, abut_scale(s->scale, s->mesh->vertices[v]));
            if (height <= s->least + s->slack)
                add_vertex(s, v, height);
        }
    const double next = s->unit * (s->least + 2 * s->slack - s->top);
    return next < bound ? next : bound;
}

/* False where the sizes are beyond what boxes can hold. */
static bool search(const abut_shape *shape, lowest *s)
{
    static const abut_bv_relative in_place = { .r = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    const abut_vec3 lo = abut_scale(s->scale, shape->bounds.lo), hi = abut_scale(s->scale, shape->bounds.hi);
    const abut_vec3 centre = abut_scale(0.5, abut_add(lo, hi));
    const double reach =
        abut_length(abut_sub(hi, lo)) + 0x1p-20 * s->scale * abut_mesh_size(shape) + 0x1p-900;
    abut_mesh_counters counters = { 0 };
    const abut_bvh_walk walk = {
        .a = { .tree = s->mesh->tree },
        .b = { .box = { abut_scale(s->unit, abut_madd(centre, -3 * reach, s->m)),
                        abut_scale(s->unit, abut_v3(reach, 2 * reach, 2 * reach)), abut_basis_along(s->m) } },
        .b_in_a = &in_place,
        .counters = &counters,
    };
    /* A little lower than the slab reaches: its axes are good to a few ulp. */
    s->top = abut_dot(s->m, centre) - 2 * reach - 0x1p-40 * reach;
    s->least = INFINITY;
    if (!abut_is_finite3(walk.b.box.centre) || !isfinite(s->unit * reach))
        return false;
    (void)abut_bvh_nearest(&walk, INFINITY, visit, s);
    return s->count > 0;
}

/* ---- exactly ---- */

/* The gap in units of 2^exponent, the clearance taken off. */
static abut_gap exact_gap(const abut_pair *pair, const lowest *s, int exponent, int normal_exponent,
                          double clearance)
{
    const abut_place *pa = pair->at_a, *pb = pair->at_b;
    const abut_gap unknown = { .sign = ABUT_SIGN_UNKNOWN };
    double sign;
    const int across = abut_plane_axis(pair->b, pb);
    if (!pa->points || !pb->points || !pb->axes || s->crowded ||
        (!pa->axes && (across < 0 || abut_place_local_axis(pa, across, &sign) < 0)))
        return unknown;
    const abut_vec3 own = pair->b->u.halfspace.normal;
    double world[3], n[3];
    abut_terms p[3];
    bool lossy = false;
    for (int i = 0; i < 3; ++i)
        world[pb->axis[i]] = pb->sign[i] * abut_gap_fit(abut_part3(own, i), normal_exponent, &lossy);
    for (int i = 0; i < 3; ++i) {
        const int axis = pa->axis[i];
        if (axis < 0) { /* not across the plane: nothing counts along it */
            n[i] = 0;
            p[i] = (abut_terms){ .count = 0 };
            continue;
        }
        n[i] = pa->sign[i] * world[axis];
        p[i] = abut_terms_difference(abut_gap_fit(abut_part3(pa->mid.translation, axis), exponent, &lossy),
                                     abut_gap_fit(abut_part3(pb->mid.translation, axis), exponent, &lossy));
        if (pa->sign[i] < 0)
            abut_terms_negate(&p[i]);
    }
    const double offset = abut_gap_fit(pair->b->u.halfspace.offset, normal_exponent + exponent, &lossy),
                 taken = abut_gap_fit(clearance, exponent, &lossy);
    abut_gap least = { .value = { INFINITY, INFINITY }, .sign = 1 };
    for (int i = 0; i < s->count && !lossy; ++i) {
        const abut_vec3 v = s->mesh->vertices[s->list[i]];
        abut_terms q[3] = { p[0], p[1], p[2] };
        for (int k = 0; k < 3; ++k)
            if (abut_part3(v, k) != 0)
                abut_terms_push(&q[k], abut_gap_fit(abut_part3(v, k), exponent, &lossy));
        if (lossy)
            break;
        /* abut_gap_plane is for balls */
        const bool on = taken == 0 && abut_plane_side(n, q, offset) == 0;
        const abut_gap one =
            on ? (abut_gap){ .sign = 0, .exact = true } : abut_gap_plane(n, q, offset, taken, false);
        if (one.sign == ABUT_SIGN_UNKNOWN)
            return unknown;
        least.value =
            (abut_interval){ fmin(least.value.lo, one.value.lo), fmin(least.value.hi, one.value.hi) };
        least.sign = one.sign < least.sign ? one.sign : least.sign;
    }
    return lossy ? unknown : least;
}

/* ---- the whole ---- */

static void set_result(abut_gap gap, bool exact, bool solid, double clearance, abut_want want,
                       abut_check_result *out)
{
    const double lo = gap.value.lo, hi = gap.value.hi;
    const int sign = gap.sign;
    out->proof = exact ? ABUT_PROOF_EXACT : ABUT_PROOF_INTERVAL;
    out->stop = ABUT_STOP_DONE;
    out->counters.exact = exact;
    if (sign == ABUT_SIGN_UNKNOWN) {
        out->verdict = ABUT_UNDECIDED;
        out->proof = ABUT_PROOF_NONE;
        out->stop = ABUT_STOP_TOLERANCE;
        out->distance = (abut_interval){ 0, hi > 0 ? hi : 0 };
        out->depth = (abut_interval){ 0, lo < 0 ? -lo : 0 };
    } else if (sign > 0) {
        out->verdict = ABUT_SEPARATE;
        out->distance = (abut_interval){ lo > 0 ? lo : 0x1p-1074, hi > 0 ? hi : 0x1p-1074 };
    } else if (sign == 0 || (!solid && clearance == 0)) {
        out->verdict = ABUT_TOUCHING;
    } else {
        out->verdict = ABUT_PENETRATING;
        out->has_depth = solid && want == ABUT_WANT_ALL;
        if (out->has_depth)
            out->depth = (abut_interval){ hi < 0 ? -hi : 0, lo < 0 ? -lo : 0 };
    }
}

/* Lowest vertices, those that spread furthest first. */
static void add_places(const abut_pair *pair, const lowest *s, abut_vec3 normal, double gap,
                       abut_check_result *out)
{
    const abut_ask *ask = pair->ask;
    const abut_want want = ask ? ask->want : ABUT_WANT_ALL;
    const int wanted = ask && ask->max_contacts > 0 ? ask->max_contacts : 4;
    const abut_vec3 zero = { 0, 0, 0 };
    out->has_normal = true;
    out->normal = abut_sub(zero, normal); /* from the mesh down to the half-space */
    if (out->verdict == ABUT_TOUCHING)    /* a surface: its lowest vertices are in both */
        gap = 0;
    uint32_t order[MOST];
    for (int i = 0; i < s->count; ++i) {
        int at = i;
        for (; at > 0 && order[at - 1] > s->list[i]; --at)
            order[at] = order[at - 1];
        order[at] = s->list[i];
    }
    const int most =
        want != ABUT_WANT_ALL || out->verdict == ABUT_SEPARATE || out->verdict == ABUT_UNDECIDED ? 1 : wanted;
    for (int k = 0; k < most && k < s->count; ++k) {
        int best = k;
        double value = -1;
        for (int i = k; k > 0 && i < s->count; ++i) {
            double least = INFINITY;
            for (int j = 0; j < k; ++j) {
                const abut_vec3 d = abut_sub(s->mesh->vertices[order[i]], s->mesh->vertices[order[j]]);
                least = fmin(least, abut_length(d));
            }
            if (least > value) {
                value = least;
                best = i;
            }
        }
        const uint32_t v = order[best];
        for (int i = best; i > k; --i)
            order[i] = order[i - 1];
        order[k] = v;
        const abut_vec3 p = abut_affine_apply(&pair->at_a->mid, s->mesh->vertices[v]);
        if (k == 0) {
            out->point_a = p;
            out->point_b = abut_madd(p, -gap, normal);
            out->has_points = true;
        }
        out->contacts[k] = (abut_contact){ .point = abut_madd(p, -0.5 * gap, normal),
                                           .normal = out->normal,
                                           .features = { ABUT_FEATURE_VERTEX, ABUT_FEATURE_FACE },
                                           .ids = { v, 0 } };
    }
    const bool meet = out->verdict == ABUT_TOUCHING || out->verdict == ABUT_PENETRATING;
    out->contact_count = meet && want == ABUT_WANT_ALL ? (most < s->count ? most : s->count) : 0;
}

abut_status abut_narrow_mesh_plane(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    (void)ws;
    const abut_place *pa = pair->at_a, *pb = pair->at_b;
    const abut_want want = pair->ask ? pair->ask->want : ABUT_WANT_ALL;
    const double clearance = want == ABUT_WANT_VERDICT ? pair->ask->clearance : 0;
    const abut_vec3 n = pair->b->u.halfspace.normal;
    int normal_exponent, exponent = 0;
    (void)frexp(abut_max_norm(n), &normal_exponent);
    --normal_exponent; /* max |n_i| in [1, 2) after it */
    const abut_vec3 scaled = { ldexp(n.x, -normal_exponent), ldexp(n.y, -normal_exponent),
                               ldexp(n.z, -normal_exponent) };
    const double reach = ldexp(pair->b->u.halfspace.offset, -normal_exponent) / abut_length(scaled),
                 size = abut_mesh_size(pair->a);
    const double largest = fmax(fmax(size, fabs(reach)),
                                fmax(abut_max_norm(pa->mid.translation), abut_max_norm(pb->mid.translation)));
    if (!(largest >= 0x1p-100 && largest <= 0x1p100)) {
        (void)frexp(fmin(largest, DBL_MAX), &exponent);
        exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
    }
    lowest s = { .mesh = &pair->a->u.faceted, .scale = ldexp(1, -exponent), .unit = ldexp(1, exponent) };
    const abut_vec3 normal = abut_mul(&pb->mid.linear, abut_unit_or(n, abut_v3(0, 0, 1)));
    s.m = abut_mul_t(&pa->mid.linear, normal);
    s.axial = (s.m.x == 0) + (s.m.y == 0) + (s.m.z == 0) == 2;
    s.slack = 64 * u * s.scale * size + 0x1p-1000;
    if (!isfinite(largest) || !search(pair->a, &s)) {
        out->distance = out->depth = (abut_interval){ 0, INFINITY };
        out->stop = ABUT_STOP_TOLERANCE;
        return ABUT_OK;
    }
    /* As in plane.c; the mesh for the core. */
    double turn_a, turn_b, shift_a, shift_b;
    abut_convex_widths(pa, &turn_a, &shift_a);
    abut_convex_widths(pb, &turn_b, &shift_b);
    const abut_vec3 d =
        abut_sub(abut_scale(s.scale, pa->mid.translation), abut_scale(s.scale, pb->mid.translation));
    const double distance = abut_length(d), above = abut_dot(normal, d) - s.scale * reach + s.least;
    const double error = (turn_a + turn_b + 24 * u) * s.scale * size + (turn_b + 16 * u) * distance +
                         s.scale * (shift_a + shift_b) + 8 * u * fabs(s.scale * reach) + 0x1p-1000;
    const double taken = s.scale * clearance, less = above - taken,
                 off = error + 4 * u * (taken + fabs(above));
    abut_gap gap = exact_gap(pair, &s, exponent, normal_exponent, clearance);
    const bool exact = gap.sign != ABUT_SIGN_UNKNOWN;
    if (!exact) {
        gap.value = (abut_interval){ less - off, less + off };
        gap.sign = gap.value.lo > 0 ? 1 : gap.value.hi < 0 ? -1 : ABUT_SIGN_UNKNOWN;
    }
    gap.value = abut_exact_scale(gap.value, exponent);
    out->counters.evaluations = s.visited;
    set_result(gap, exact, s.mesh->solid, clearance, want, out);
    if (want == ABUT_WANT_VERDICT)
        return ABUT_OK;
    add_places(pair, &s, normal, s.unit * above, out);
    if (want == ABUT_WANT_DISTANCE && out->distance.lo > pair->ask->cutoff)
        out->stop = ABUT_STOP_CUTOFF;
    return ABUT_OK;
}
