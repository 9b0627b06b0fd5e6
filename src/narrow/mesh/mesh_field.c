/* SPDX-License-Identifier: MIT */
/* A height field (a) against a mesh (b), at one instant.
 *
 * Each triangle is a flat convex body, for which there is a method (heightfield_pair.c); the
 * tree of the mesh hands over those that are near the field's box. The field has no bottom and
 * is connected: so a solid mesh whose surface does not reach into the field has nothing of it
 * inside, and the triangles tell everything. */
#include "math/vec3.h"
#include "narrow/mesh/mesh_convex.h"
#include "shape/heightfield.h"

#include <string.h>

typedef struct site {
    const abut_pair *asked;
    const abut_faceted_data *mesh;
    abut_ask ask;
    abut_shape body; /* one triangle, as a shape */
    abut_mesh_hull hull;
    bool until_met;
    bool reaches;  /* a triangle reaches into the field */
    bool touches;  /* one touches it, exactly */
    bool doubtful; /* one may do either */
    bool exact;
    double lo, hi;
    uint32_t best_face;
    abut_check_result best, contacts; /* the nearest; places where they meet */
    double depth[ABUT_CHECK_CONTACTS];
    int most;
    abut_counters counters;
} site;

/* The triangle's points and ids in the mesh's numbers. */
static void rename_contacts(const site *s, uint32_t face, abut_check_result *r)
{
    const uint32_t *corners = s->mesh->corners + 3 * (size_t)face;
    for (int i = 0; i < r->contact_count; ++i) {
        abut_contact *c = &r->contacts[i];
        if (c->features[1] == ABUT_FEATURE_VERTEX && c->ids[1] >= 0 && c->ids[1] < 3)
            c->ids[1] = abut_mesh_welded(s->mesh, corners[c->ids[1]]);
        else
            c->ids[1] = c->features[1] == ABUT_FEATURE_FACE ? (int64_t)face : -1;
    }
}

/* Keeps those that are not there yet, as many as are wanted. */
static void keep_contacts(site *s, const abut_check_result *r)
{
    abut_check_result *all = &s->contacts;
    const double close = 1e-9 * s->body.core.size;
    if (!all->has_normal && r->has_normal) {
        all->has_normal = true;
        all->normal = r->normal;
        all->has_points = r->has_points;
        all->point_a = r->point_a;
        all->point_b = r->point_b;
    }
    for (int i = 0; i < r->contact_count && all->contact_count < s->most; ++i) {
        bool fresh = true;
        for (int j = 0; j < all->contact_count && fresh; ++j)
            fresh = abut_max_norm(abut_sub(all->contacts[j].point, r->contacts[i].point)) > close;
        if (fresh)
            all->contacts[all->contact_count++] = r->contacts[i];
    }
}

static void visit(site *s, uint32_t face)
{
    abut_vec3 t[3];
    abut_mesh_corners(s->mesh, face, t);
    abut_mesh_hull_set(&s->hull, t);
    s->body.core = s->hull.core;
    s->body.core.inner = -INFINITY;
    const abut_pair pair = { s->asked->a, &s->body, s->asked->at_a, s->asked->at_b, &s->ask };
    abut_check_result r;
    memset(&r, 0, sizeof r);
    bool reaches;
    (void)abut_heightfield_reach(&pair, s->mesh->solid, &reaches, &r); /* cannot fail */
    s->counters.iterations += 1;
    s->counters.evaluations += r.counters.evaluations;
    s->counters.exact += r.counters.exact;
    rename_contacts(s, face, &r);
    if (!(r.distance.lo >= 0 && r.distance.lo <= r.distance.hi)) { /* numbers ran over */
        s->doubtful = true;
        return;
    }
    s->reaches |= reaches || r.verdict == ABUT_PENETRATING;
    s->touches |= r.verdict == ABUT_TOUCHING;
    s->doubtful |= r.verdict == ABUT_UNDECIDED;
    s->exact |= r.proof == ABUT_PROOF_EXACT;
    if (r.verdict == ABUT_TOUCHING || r.verdict == ABUT_PENETRATING) {
        keep_contacts(s, &r);
        s->lo = s->hi = 0;
        return;
    }
    s->lo = r.distance.lo < s->lo ? r.distance.lo : s->lo;
    if (r.distance.hi < s->hi || (r.distance.hi == s->hi && face < s->best_face)) {
        s->hi = r.distance.hi;
        s->best = r;
        s->best_face = face;
    }
}

static bool meet_batch(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    site *s = ctx;
    for (size_t i = 0; i < count; ++i) {
        visit(s, pairs[i].a);
        if (s->until_met && s->reaches)
            return false;
    }
    return true;
}

static double near_batch(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound)
{
    site *s = ctx;
    for (size_t i = 0; i < count; ++i) {
        visit(s, pairs[i].a);
        if (s->until_met && s->reaches)
            return -1;
    }
    const double hi = s->hi / (1 + s->ask.relative) * (1 + 0x1p-48);
    return hi < bound ? hi : bound;
}

/* The field's box in its own frame, down to where nothing of the mesh is below; false where
 * numbers run over. */
static bool set_walk(const site *s, abut_bv_relative *relative, abut_bvh_walk *walk)
{
    const abut_pair *pair = s->asked;
    const abut_shape *field = pair->a, *mesh = pair->b;
    const abut_place *pf = pair->at_a, *pm = pair->at_b;
    const abut_heightfield_data *f = &field->u.heightfield;
    double turn_f, turn_m, shift_f, shift_m;
    abut_convex_widths(pf, &turn_f, &shift_f);
    abut_convex_widths(pm, &turn_m, &shift_m);
    const double size = abut_mesh_size(mesh);
    const abut_vec3 d = abut_sub(pf->mid.translation, pm->mid.translation);
    const double distance = abut_length(d);
    const abut_range heights = f->pyramid->whole;
    const double below = fmin(heights.lo, -(distance + size) * 1.01);
    const abut_vec3 lo = { field->bounds.lo.x, field->bounds.lo.y, below - size },
                    hi = { field->bounds.hi.x, field->bounds.hi.y, heights.hi };
    *walk = (abut_bvh_walk){ .a = { .tree = s->mesh->tree }, .b_in_a = relative };
    abut_bv_box *box = &walk->b.box;
    box->centre = abut_v3(0.5 * lo.x + 0.5 * hi.x, 0.5 * lo.y + 0.5 * hi.y, 0.5 * lo.z + 0.5 * hi.z);
    box->half = abut_v3(0.5 * hi.x - 0.5 * lo.x, 0.5 * hi.y - 0.5 * lo.y, 0.5 * hi.z - 0.5 * lo.z);
    const double reach =
        abut_length(abut_v3(fabs(lo.x) + fabs(hi.x), fabs(lo.y) + fabs(hi.y), fabs(lo.z) + fabs(hi.z)));
    box->half = abut_add(box->half, abut_v3(0x1p-48 * reach, 0x1p-48 * reach, 0x1p-48 * reach));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            box->axes.m[i][j] = i == j;
    const abut_mat3 back = abut_mat3_transpose(&pm->mid.linear);
    relative->r = abut_mat3_mul(&back, &pf->mid.linear);
    relative->t = abut_mul(&back, d);
    relative->error = shift_f + shift_m + (turn_f + turn_m + 0x1p-48) * (reach + distance) + 0x1p-1000;
    return abut_is_finite3(box->centre) && abut_is_finite3(box->half) && abut_is_finite3(relative->t) &&
           isfinite(relative->error) && isfinite(reach);
}

static void set_verdict(const site *s, abut_check_result *out)
{
    const bool solid = s->mesh->solid || s->ask.clearance > 0;
    out->stop = ABUT_STOP_DONE;
    out->proof = ABUT_PROOF_INTERVAL;
    if (s->reaches)
        out->verdict = solid ? ABUT_PENETRATING : ABUT_TOUCHING;
    else if (s->touches && (!s->doubtful || !solid)) {
        out->verdict = ABUT_TOUCHING;
        out->proof = ABUT_PROOF_EXACT;
    } else if (s->doubtful || s->touches) {
        out->verdict = ABUT_UNDECIDED;
        out->proof = ABUT_PROOF_NONE;
        out->stop = ABUT_STOP_TOLERANCE;
    } else {
        out->verdict = ABUT_SEPARATE;
        out->proof = s->exact ? ABUT_PROOF_EXACT : ABUT_PROOF_INTERVAL;
    }
}

static void tell(const site *s, abut_check_result *out)
{
    const bool apart = out->verdict == ABUT_SEPARATE || out->verdict == ABUT_UNDECIDED;
    const abut_check_result *from = apart ? &s->best : &s->contacts;
    if (apart && s->best_face == UINT32_MAX)
        return;
    out->has_normal = from->has_normal;
    out->has_points = from->has_points;
    out->normal = from->normal;
    out->point_a = from->point_a;
    out->point_b = from->point_b;
    if (apart || s->ask.want != ABUT_WANT_ALL)
        return;
    out->contact_count = from->contact_count;
    memcpy(out->contacts, from->contacts, (size_t)from->contact_count * sizeof *out->contacts);
}

abut_status abut_narrow_mesh_field(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    (void)ws;
    site s;
    memset(&s, 0, sizeof s);
    s.asked = pair;
    s.mesh = &pair->b->u.faceted;
    s.ask = pair->ask ? *pair->ask : (abut_ask){ .want = ABUT_WANT_ALL };
    s.ask.cache = NULL;
    s.until_met = s.ask.want != ABUT_WANT_ALL;
    if (s.ask.want != ABUT_WANT_VERDICT)
        s.ask.clearance = 0;
    s.most = s.ask.max_contacts > 0 ? s.ask.max_contacts : 4;
    s.lo = s.hi = INFINITY;
    s.best_face = UINT32_MAX;
    s.body.type = ABUT_SHAPE_CONVEX;
    abut_mesh_hull_init(&s.hull);
    s.body.u.convex.hull = &s.hull.hull;
    abut_bv_relative relative;
    abut_bvh_walk walk;
    abut_mesh_counters tests = { 0 };
    out->stop = ABUT_STOP_TOLERANCE;
    out->distance = out->depth = (abut_interval){ 0, INFINITY };
    if (!set_walk(&s, &relative, &walk))
        return ABUT_OK; /* beyond the range of doubles: undecided */
    walk.counters = &tests;
    double left = INFINITY;
    const double cutoff = s.ask.want == ABUT_WANT_DISTANCE ? fmax(s.ask.cutoff, 0) * (1 + 0x1p-44) : INFINITY;
    if (s.ask.want == ABUT_WANT_VERDICT)
        (void)abut_bvh_overlap(&walk, s.ask.clearance * (1 + 0x1p-48), meet_batch, &s);
    else
        left = abut_bvh_nearest(&walk, cutoff, near_batch, &s);
    set_verdict(&s, out);
    out->counters = s.counters;
    out->depth = (abut_interval){ 0, 0 };
    if (out->verdict == ABUT_SEPARATE) {
        const double lo = s.lo < left ? s.lo : left;
        out->distance = (abut_interval){ lo > 0 && lo < INFINITY ? lo
                                         : cutoff < INFINITY     ? cutoff
                                                                 : 0x1p-1074,
                                         s.hi };
        if (s.ask.want == ABUT_WANT_VERDICT)
            out->distance = (abut_interval){ 0x1p-1074, INFINITY };
        else if (s.ask.want == ABUT_WANT_DISTANCE && out->distance.lo > s.ask.cutoff)
            out->stop = ABUT_STOP_CUTOFF;
    } else
        out->distance = (abut_interval){ 0, out->verdict == ABUT_UNDECIDED ? s.hi : 0 };
    if (s.ask.want != ABUT_WANT_VERDICT)
        tell(&s, out);
    return ABUT_OK;
}
