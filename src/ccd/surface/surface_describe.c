/* SPDX-License-Identifier: MIT */
/* A solution of a problem as a contact: point, normals, parameters. Everything is taken at the
 * middle of the solution; nothing here is a proof but the times of abut_surface_meeting.
 *
 * Of an edge or vertex the normal is the one of its faces that faces the other body most. A
 * feature that was asked by its fields gets its parameters back by a search for the nearest
 * point: the best of a grid, then Gauss-Newton steps. */
#include "ccd/surface/surface_scene.h"

#include "math/vec3.h"

enum { grid = 9, newton_steps = 12 };

typedef struct face_set {
    abut_vec3 n[ABUT_FEATURE_MAX_NORMALS]; /* unit, in the world */
    int count;
    abut_vec3 tangent; /* of an edge */
} face_set;

typedef struct view {
    abut_vec3 world, local[2];
    face_set sets[2];
    abut_vec3 velocity; /* of one against two, in the world */
    double parameters[2][2];
    abut_vec3 into[2]; /* from there into one and into two, in the frame of two */
} view;

static abut_vec3 unit(ia3 v)
{
    return abut_unit_or(ia3_mid(v), abut_v3(0, 0, 0));
}

/* Normals go by the cofactors, which have the direction of the inverse transpose. */
static ia3 normal_in_world(const ia_affine *at, ia3 n)
{
    const ia3 r0 = ia33_row(&at->linear, 0), r1 = ia33_row(&at->linear, 1), r2 = ia33_row(&at->linear, 2);
    const ia3 c0 = ia3_cross(r1, r2), c1 = ia3_cross(r2, r0), c2 = ia3_cross(r0, r1);
    const ia3 out = { ia3_dot(c0, n), ia3_dot(c1, n), ia3_dot(c2, n) };
    return ia_mid(ia3_dot(r0, c0)) < 0 ? ia3_neg(out) : out;
}

static ia_affine placed(const abut_relative_side *side, ia t)
{
    ia_affine at = { ia33_identity(), { ia_point(0), ia_point(0), ia_point(0) } };
    if (side->motion)
        abut_motion_placement_over(side->motion, t, &at);
    return at;
}

/* Normals and tangent of a feature, from its parameters or, where there are none, from its
 * fields at x. */
static void find_faces(const abut_relative_side *side, const abut_surface_feature *f, const ia *parameters,
                       ia3 x, ia t, const ia_affine *at, ia *scratch, face_set *out)
{
    ia3 n[ABUT_FEATURE_MAX_NORMALS], tangent = { ia_point(0), ia_point(0), ia_point(0) };
    abut_jet jet;
    if (parameters) {
        out->count = f->normal_count;
        abut_feature_normals(side->surface, f, parameters, t, scratch, n);
        if (f->dimension == 1) {
            abut_feature_jet(side->surface, f, parameters, t, 1, scratch, &jet);
            tangent = jet.u;
        }
    } else {
        abut_field_jet field;
        out->count = f->field_count;
        for (int i = 0; i < out->count; ++i) {
            abut_feature_field(side->surface, f, i, x, t, 1, scratch, &field);
            n[i] = field.g;
        }
        if (out->count == 2)
            tangent = ia3_cross(n[0], n[1]);
    }
    for (int i = 0; i < out->count; ++i)
        out->n[i] = unit(normal_in_world(at, n[i]));
    out->tangent = unit(ia33_mul3(&at->linear, tangent));
}

static abut_vec3 point_at(const abut_relative_side *side, const abut_surface_feature *f, const double *at,
                          double t, int order, ia *scratch, abut_jet *jet)
{
    const ia parameters[2] = { ia_point(at[0]), ia_point(at[1]) };
    abut_feature_jet(side->surface, f, parameters, ia_point(t), order, scratch, jet);
    return ia3_mid(jet->p);
}

static double clamp(double x, abut_interval range)
{
    return x < range.lo ? range.lo : x > range.hi ? range.hi : x;
}

/* Parameters of the point of a feature nearest to p. */
static void find_parameters(const abut_relative_side *side, const abut_surface_feature *f, abut_vec3 p,
                            double t, ia *scratch, double *out)
{
    abut_jet jet;
    double best = HUGE_VAL;
    const int rows = f->dimension > 1 ? grid : 1, columns = f->dimension > 0 ? grid : 1;
    for (int i = 0; i < columns; ++i)
        for (int j = 0; j < rows; ++j) {
            const double s = (i + 0.5) / columns, r = (j + 0.5) / rows;
            const double at[2] = { f->range[0].lo + s * (f->range[0].hi - f->range[0].lo),
                                   f->range[1].lo + r * (f->range[1].hi - f->range[1].lo) };
            const abut_vec3 d = abut_sub(point_at(side, f, at, t, 0, scratch, &jet), p);
            if (abut_dot(d, d) < best) {
                best = abut_dot(d, d);
                out[0] = f->dimension > 0 ? at[0] : 0;
                out[1] = f->dimension > 1 ? at[1] : 0;
            }
        }
    for (int i = 0; i < newton_steps && f->dimension > 0; ++i) {
        const abut_vec3 d = abut_sub(p, point_at(side, f, out, t, 1, scratch, &jet));
        const abut_vec3 u = ia3_mid(jet.u), v = ia3_mid(jet.v);
        const double uu = abut_dot(u, u), uv = abut_dot(u, v), vv = abut_dot(v, v);
        const double du = abut_dot(d, u), dv = abut_dot(d, v), det = uu * vv - uv * uv;
        if (f->dimension == 1 || !(det > 1e-12 * uu * vv)) {
            if (uu > 0)
                out[0] = clamp(out[0] + du / uu, f->range[0]);
            if (f->dimension > 1 && vv > 0)
                out[1] = clamp(out[1] + dv / vv, f->range[1]);
        } else {
            out[0] = clamp(out[0] + (vv * du - uv * dv) / det, f->range[0]);
            out[1] = clamp(out[1] + (uu * dv - uv * du) / det, f->range[1]);
        }
    }
}

/* The middle of the normals at a vertex or edge; *one: they are all the same, as on a seam and
 * at a pole. */
static abut_vec3 mean_normal(const face_set *set, bool *one)
{
    abut_vec3 sum = abut_v3(0, 0, 0);
    *one = set->count > 0;
    for (int i = 0; i < set->count; ++i) {
        sum = abut_add(sum, set->n[i]);
        *one = *one && abut_dot(set->n[i], set->n[0]) > 1 - 1e-9;
    }
    return abut_unit_or(sum, abut_v3(0, 0, 0));
}

/* From the middle of its normals, in the world, into the body, in the frame of two; exact for
 * rigid motions, else a guess. */
static abut_vec3 way_into(const face_set *set, const ia33 *two)
{
    bool one;
    const abut_vec3 n = mean_normal(set, &one);
    double way[3];
    for (int i = 0; i < 3; ++i)
        way[i] = -(ia_mid(two->m[0][i]) * n.x + ia_mid(two->m[1][i]) * n.y + ia_mid(two->m[2][i]) * n.z);
    return abut_v3(way[0], way[1], way[2]);
}

static ABUT_NOINLINE void evaluate(const abut_contact_problem *p, const abut_solution *solution, view *out)
{
    const int unknowns = abut_contact_unknowns(p);
    ia x[ABUT_PROBLEM_UNKNOWNS];
    double mid[ABUT_PROBLEM_UNKNOWNS];
    for (int i = 0; i < unknowns; ++i) {
        mid[i] = ia_mid(ia_from(solution->x[i]));
        x[i] = ia_point(mid[i]);
    }
    const ia t = p->reversed ? ia_neg(x[unknowns - 1]) : x[unknowns - 1];
    ia *const *const scratch = p->stage->threads[0].scratch;
    const ia_affine at_one = placed(p->one, t), at_two = placed(p->two, t);
    abut_relative r;
    abut_relative_over(p->one, p->two, t, &r);
    abut_relative_rates(p->one, p->two, &r);
    const bool by_place = p->form == ABUT_FORM_IMPLICIT, by_both = p->form == ABUT_FORM_PARAMETRIC;
    const int k1 = p->feature_one->dimension, k2 = p->feature_two->dimension;
    ia3 one = { x[0], x[1], x[2] }, rate = abut_relative_zero();
    if (!by_place) {
        abut_jet jet;
        abut_feature_jet(p->one->surface, p->feature_one, x, t, 1, scratch[0], &jet);
        one = jet.p;
        rate = jet.t;
    }
    const abut_moved m = abut_relative_point(&r, one);
    ia3 w = abut_relative_velocity(&r, &m, one, rate);
    if (by_both) { /* two may deform */
        abut_jet jet;
        abut_feature_jet(p->two->surface, p->feature_two, x + k1, t, 1, scratch[1], &jet);
        w = ia3_sub(w, jet.t);
    }
    out->world = ia3_mid(m.world);
    out->local[0] = ia3_mid(one);
    out->local[1] = ia3_mid(m.x);
    out->velocity = ia3_mid(ia33_mul3(&at_two.linear, w));
    find_faces(p->one, p->feature_one, by_place ? NULL : x, one, t, &at_one, scratch[0], &out->sets[0]);
    find_faces(p->two, p->feature_two, by_both ? x + k1 : NULL, m.x, t, &at_two, scratch[1], &out->sets[1]);
    for (int i = 0; i < 2; ++i)
        out->into[i] = way_into(&out->sets[i], &at_two.linear);
    memset(out->parameters, 0, sizeof out->parameters);
    for (int i = 0; i < k1 && !by_place; ++i)
        out->parameters[0][i] = mid[i];
    for (int i = 0; i < k2 && by_both; ++i)
        out->parameters[1][i] = mid[k1 + i];
    if (by_place && p->feature_one->parametric)
        find_parameters(p->one, p->feature_one, out->local[0], ia_mid(t), scratch[0], out->parameters[0]);
    if (!by_both && p->feature_two->parametric)
        find_parameters(p->two, p->feature_two, out->local[1], ia_mid(t), scratch[1], out->parameters[1]);
}

static abut_vec3 negative(abut_vec3 v)
{
    return abut_v3(-v.x, -v.y, -v.z);
}

/* The two normals that face each other most. */
static void facing(const view *v, abut_vec3 out[2])
{
    double best = HUGE_VAL;
    out[0] = out[1] = abut_v3(0, 0, 0);
    for (int i = 0; i < v->sets[0].count; ++i)
        for (int j = 0; j < v->sets[1].count; ++j) {
            const double dot = abut_dot(v->sets[0].n[i], v->sets[1].n[j]);
            if (dot < best) {
                best = dot;
                out[0] = v->sets[0].n[i];
                out[1] = v->sets[1].n[j];
            }
        }
}

/* Which sides of sheets face the other body: those they move towards. Bodies that may be inside
 * out are like sheets. */
static void turn_sheets(const abut_contact_problem *p, const view *v, abut_vec3 n[2])
{
    const bool solid_one = p->one->surface->solid;
    const bool solid_two = p->two->surface->solid;
    if (!solid_one && !solid_two && abut_dot(v->velocity, n[0]) < 0)
        n[0] = negative(n[0]);
    if (!solid_one && solid_two && abut_dot(n[0], n[1]) > 0)
        n[0] = negative(n[0]);
    if (!solid_two && abut_dot(n[0], n[1]) > 0)
        n[1] = negative(n[1]);
}

/* A vertex on a vertex or edge: the one normal there is, or between the middles of all. Of
 * sheets no normal says which side is meant. */
static abut_vec3 corner_direction(const abut_contact_problem *p, const view *v, const abut_vec3 n[2])
{
    const bool solid[2] = { p->one->surface->solid, p->two->surface->solid };
    bool one[2];
    const abut_vec3 mean[2] = { mean_normal(&v->sets[0], &one[0]), mean_normal(&v->sets[1], &one[1]) };
    const bool by_one = solid[0] && one[0], by_two = solid[1] && one[1];
    if (by_one != by_two)
        return by_one ? mean[0] : negative(mean[1]);
    const abut_vec3 apart = abut_unit_or(abut_sub(n[0], n[1]), n[0]);
    return solid[0] && solid[1] ? abut_unit_or(abut_sub(mean[0], mean[1]), apart) : apart;
}

/* From one to two. */
static abut_vec3 direction(const abut_contact_problem *p, const view *v, const abut_vec3 n[2])
{
    const int k1 = p->feature_one->dimension, k2 = p->feature_two->dimension;
    const abut_vec3 apart = abut_sub(n[0], n[1]);
    if (k1 == 2 || k2 == 2)
        return k1 == 2 ? n[0] : negative(n[1]);
    if (k1 == 1 && k2 == 1) {
        const abut_vec3 across = abut_cross(v->sets[0].tangent, v->sets[1].tangent);
        if (abut_dot(across, across) > 1e-12) {
            const abut_vec3 u = abut_unit_or(across, apart);
            /* They close in; the normals tell only of solids that slide, as those of edges that
             * end in a pole are of any direction. */
            const bool solid = p->one->surface->solid && p->two->surface->solid;
            const double closing = abut_dot(u, v->velocity);
            const bool slides = fabs(closing) <= 1e-3 * abut_length(v->velocity);
            return (solid && slides ? abut_dot(u, apart) : closing) < 0 ? negative(u) : u;
        }
    }
    return corner_direction(p, v, n);
}

bool abut_surface_describe(const abut_contact_problem *p, const abut_solution *solution,
                           abut_first_point *out)
{
    view v;
    abut_vec3 n[2];
    const abut_rounding saved = abut_rounding_enter();
    evaluate(p, solution, &v);
    abut_rounding_leave(saved);
    facing(&v, n);
    turn_sheets(p, &v, n);
    const abut_vec3 along = direction(p, &v, n);
    const int one = p->swapped ? 1 : 0;
    *out = (abut_first_point){ .time = solution->x[abut_contact_unknowns(p) - 1],
                               .point = v.world,
                               .normal = p->swapped ? negative(along) : along,
                               .unique = solution->unique && solution->common };
    out->kind = out->unique || solution->point ? ABUT_CONTACT_ISOLATED : ABUT_CONTACT_SAMPLED;
    out->features[one] = p->feature_one->kind;
    out->features[!one] = p->feature_two->kind;
    for (int i = 0; i < 2; ++i) {
        out->normals[i == 0 ? one : !one] = n[i];
        memcpy(out->parameters[i == 0 ? one : !one], v.parameters[i], sizeof v.parameters[i]);
    }
    return abut_is_finite3(v.world) && fabs(abut_dot(along, along) - 1) < 1e-6;
}

/* ---- a proof that they meet ---- */

/* A point of one's surface, or close to it, at a later time: in the frame of two, and whether it
 * is proved to be a point of one. */
typedef struct witness {
    ia one[3];    /* parameters, or the place */
    ia two[2];    /* parameters, where both have them */
    double to[3]; /* a point in the frame of two */
    /* Ways into one and into two from there, in that frame, as long as the points go in a unit
     * of time: at an edge of which only fields are known no point is in the interior, but one
     * beside it is. */
    abut_vec3 into[2];
    double from;
} witness;

/* Parts of the way that the points went since the contact. */
static const double depths[] = { 0.25, 0.03125 };
enum { depth_count = sizeof depths / sizeof *depths };

/* Whether a point of both is proved at time t: a point of one in the interior of two, the other
 * way round, or a point between them in both interiors. */
static ABUT_NOINLINE void meet_at(const abut_contact_problem *p, const witness *w, double t, double later,
                                  bool *meet)
{
    const ia at = ia_point(t);
    ia *const *const scratch = p->stage->threads[0].scratch;
    const abut_surface *const one = p->one->surface, *const two = p->two->surface;
    abut_relative r, back;
    *meet = false;
    abut_relative_over(p->one, p->two, at, &r);
    abut_relative_over(p->two, p->one, at, &back);
    if (!r.defined || !back.defined)
        return;
    ia3 p1 = { w->one[0], w->one[1], w->one[2] };
    const bool on_one = p->form != ABUT_FORM_IMPLICIT;
    if (on_one) {
        abut_jet jet;
        if (!abut_feature_jet(one, p->feature_one, w->one, at, 0, scratch[0], &jet))
            return;
        p1 = jet.p;
    }
    const ia3 x = abut_relative_point(&r, p1).x;
    const ia3 y = { ia_point(w->to[0]), ia_point(w->to[1]), ia_point(w->to[2]) };
    if (on_one && two->implicit && abut_surface_inside(two, x, at, scratch[1]) == ABUT_EVERYWHERE) {
        *meet = true;
        return;
    }
    if (p->form == ABUT_FORM_PARAMETRIC && one->implicit) {
        abut_jet jet;
        *meet =
            abut_feature_jet(two, p->feature_two, w->two, at, 0, scratch[1], &jet) &&
            abut_surface_inside(one, abut_relative_point(&back, jet.p).x, at, scratch[0]) == ABUT_EVERYWHERE;
    }
    if (*meet || !one->implicit || !two->implicit)
        return;
    const abut_vec3 at_x = ia3_mid(x), at_y = ia3_mid(y), between = ia3_mid(ia3_add(x, y));
    abut_vec3 tries[3 + 2 * depth_count] = { abut_scale(0.5, between), at_x, at_y };
    for (int i = 0; i < depth_count; ++i) {
        const double far = depths[i] * later;
        tries[3 + 2 * i] = abut_add(at_x, abut_scale(far, w->into[0]));
        tries[4 + 2 * i] = abut_add(at_y, abut_scale(far, w->into[1]));
    }
    for (int i = 0; i < 3 + 2 * depth_count && !*meet; ++i) {
        const ia3 here = ia3_point(tries[i]);
        *meet =
            abut_surface_inside(two, here, at, scratch[1]) == ABUT_EVERYWHERE &&
            abut_surface_inside(one, abut_relative_point(&back, here).x, at, scratch[0]) == ABUT_EVERYWHERE;
    }
}

static bool meet_proved(const abut_contact_problem *p, const witness *w, double t)
{
    bool meet;
    const abut_rounding saved = abut_rounding_enter();
    meet_at(p, w, p->reversed ? -t : t, t - w->from, &meet);
    abut_rounding_leave(saved);
    return meet;
}

static ia middle_of(const abut_solution *solution, int unknown, int unknowns)
{
    const abut_interval *const x = &solution->x[unknown];
    return unknown + 1 < unknowns ? ia_point(0.5 * x->lo + 0.5 * x->hi) : ia_point(0);
}

/* Looks later and later from `from` on, four times as far each time, then halves back once it is
 * found. */
double abut_surface_meeting(const abut_contact_problem *p, const abut_solution *solution, abut_interval range,
                            double from)
{
    const int unknowns = abut_contact_unknowns(p);
    view v;
    witness w;
    abut_rounding saved = abut_rounding_enter();
    evaluate(p, solution, &v);
    abut_rounding_leave(saved);
    const int k1 = p->feature_one->dimension;
    for (int i = 0; i < 3; ++i)
        w.one[i] = middle_of(solution, i, unknowns);
    for (int i = 0; i < 2; ++i)
        w.two[i] = middle_of(solution, k1 + i, unknowns);
    w.to[0] = v.local[1].x;
    w.to[1] = v.local[1].y;
    w.to[2] = v.local[1].z;
    w.from = from;
    const double speed = abut_length(v.velocity);
    for (int i = 0; i < 2; ++i)
        w.into[i] = abut_scale(speed, v.into[i]);
    const double least = 0x1p-44 * (range.hi - range.lo);
    double before = from, found = HUGE_VAL;
    for (double ahead = least; !isfinite(found) && before < range.hi; ahead *= 4) {
        const double t = fmin(from + ahead, range.hi);
        if (meet_proved(p, &w, t))
            found = t;
        else
            before = t;
    }
    for (int i = 0; i < 48 && isfinite(found) && found - before > least; ++i) {
        const double mid = 0.5 * before + 0.5 * found;
        if (!(mid > before && mid < found))
            break;
        if (meet_proved(p, &w, mid))
            found = mid;
        else
            before = mid;
    }
    return found;
}
