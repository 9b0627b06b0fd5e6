/* SPDX-License-Identifier: MIT */
/* From two bodies to problems: which features may meet, and in which form they are asked.
 *
 * Each pair of features takes the form with the fewest unknowns. Two faces of which both have both
 * forms: the parametric one is that without poles, else that of the smaller body, since all of it
 * is near the contact.
 *
 * Poles. Where a side of the parameters is one point with one normal, one parameter is no
 * coordinate, and no zero is isolated. There a face that also has a field is asked by both
 * fields over a box around that cap instead; the rest of it keeps its parameters. A contact in
 * both is merged later. Poles that are vertices of their own (`smooth`) are asked as vertices,
 * without tangency: ranges like [-pi/2, pi/2] are rounded, and leave a hole of an ulp there.
 * Whatever solves that is a point of both bodies, if not the first. */
#include "ccd/surface/surface_scene.h"

#include "shape/shape.h"

/* Part of the parameter that goes to the cap at a pole: for a sphere 22.5 degrees. */
static const double cap_part = 0.125;

/* ---- bodies ---- */

static double size_of(const abut_interval_vec3 *box)
{
    const double x = box->x.hi - box->x.lo, y = box->y.hi - box->y.lo, z = box->z.hi - box->z.lo;
    return fmax(x, fmax(y, z));
}

static double largest(ia3 a)
{
    return fmax(ia_mag(a.x), fmax(ia_mag(a.y), ia_mag(a.z)));
}

static double width(ia3 a)
{
    return fmax(ia_width(a.x), fmax(ia_width(a.y), ia_width(a.z)));
}

/* One point with one normal, for all values of the other parameter? Steers only: rounding of the
 * ends of ranges must not hide a pole. */
static bool is_pole(const abut_surface *s, const abut_surface_feature *f, int along, double at, ia t,
                    double size, ia *scratch)
{
    ia parameters[2];
    abut_jet jet;
    parameters[along] = ia_from(f->range[along]);
    parameters[!along] = ia_point(at);
    if (!abut_feature_jet(s, f, parameters, t, 1, scratch, &jet))
        return false;
    const double n = largest(jet.n);
    return largest(along ? jet.v : jet.u) < 1e-9 * size &&
           (width(jet.n) < 1e-6 * n || n < 1e-9 * size * size);
}

static uint8_t find_poles(const abut_surface *s, const abut_surface_feature *f, ia t, double size,
                          ia *scratch)
{
    uint8_t poles = 0;
    if (f->dimension != 2 || !f->parametric)
        return 0;
    for (int end = 0; end < 2; ++end) {
        if (!f->wraps[1] && is_pole(s, f, 0, end ? f->range[1].hi : f->range[1].lo, t, size, scratch))
            poles |= (uint8_t)(ABUT_POLE_V_LO << end);
        if (!f->wraps[0] && is_pole(s, f, 1, end ? f->range[0].hi : f->range[0].lo, t, size, scratch))
            poles |= (uint8_t)(ABUT_POLE_U_LO << end);
    }
    return poles;
}

static ABUT_NOINLINE void measure(abut_surface_parts *parts, const abut_interval *range, ia *scratch)
{
    const abut_surface *const s = &parts->surface;
    const ia t = ia_from(*range);
    const ia3 all = abut_surface_bounds(s, t, scratch);
    const abut_interval_vec3 boundary = ia3_to(all);
    const ia any = ia_entire();
    parts->cull.local = ia3_to(s->outside ? (ia3){ any, any, any } : all);
    const double size = size_of(&boundary);
    for (size_t i = 0; i < s->feature_count; ++i) {
        const abut_surface_feature *const f = &s->features[i];
        abut_jet jet = { .p = all };
        if (f->parametric) {
            const ia parameters[2] = { ia_from(f->range[0]), ia_from(f->range[1]) };
            if (!abut_feature_jet(s, f, parameters, t, 0, scratch, &jet))
                jet.p = all;
        }
        const ia3 both = ia3_intersect(jet.p, all);
        parts->boxes[i] = ia3_to(ia3_is_empty(both) ? all : both);
        parts->poles[i] = find_poles(s, f, t, size, scratch);
    }
}

abut_status abut_surface_parts_make(const abut_shape *shape, const abut_motion *motion, abut_interval range,
                                    abut_workspace *ws, abut_surface_parts *out)
{
    *out = (abut_surface_parts){ .shape = shape, .motion = motion };
    abut_status status = abut_shape_surface_over(shape, range, ws, &out->surface);
    if (!status && out->surface.deforms)
        status = abut_shape_defined_over(shape, range, NULL);
    if (status)
        return status;
    const size_t n = out->surface.feature_count;
    out->boxes = abut_workspace_take(ws, n + 1, sizeof *out->boxes);
    out->poles = abut_workspace_take(ws, n + 1, sizeof *out->poles);
    ia *const scratch = abut_workspace_take(ws, out->surface.scratch + 1, sizeof *scratch);
    if (!out->boxes || !out->poles || !scratch)
        return ABUT_ERR_MEMORY;
    if (out->surface.deforms) {
        /* The same all the time, as was proved above; not at its start, where it may be a point. */
        const double at = range.lo + 0.484375 * (range.hi - range.lo);
        (void)abut_surface_orient(&out->surface, (abut_interval){ at, at }, scratch);
    }
    const abut_rounding saved = abut_rounding_enter();
    measure(out, &range, scratch);
    abut_rounding_leave(saved);
    out->cull.motion = motion;
    abut_cull_prepare(&out->cull, range);
    return ABUT_OK;
}

abut_status abut_surface_pair_make(abut_surface_scene *scene, uint32_t a, uint32_t b, abut_surface_pair *out,
                                   bool *possible)
{
    *out = (abut_surface_pair){ .a = a, .b = b };
    const abut_surface_parts *const body_a = &scene->bodies[a], *const body_b = &scene->bodies[b];
    abut_status status = abut_side_make(&body_a->surface, body_a->motion, scene->range, &out->sides[0]);
    if (!status)
        status = abut_side_make(&body_b->surface, body_b->motion, scene->range, &out->sides[1]);
    if (status)
        return status;
    *possible = abut_cull_time(&body_a->cull, &body_b->cull, scene->range, &out->time);
    return ABUT_OK;
}

/* ---- pairs of features ---- */

typedef struct pairing {
    const abut_surface_scene *scene;
    const abut_surface_pair *pair;
    const abut_surface_parts *parts[2];
    uint32_t group;
    const abut_stage *stage;
    abut_problem *problems;
    abut_contact_problem *contexts;
    size_t count;
    ia *scratch[2];
} pairing;

/* Which side comes first in the problem. */
static bool choose_form(const pairing *s, const size_t at[2], abut_form *form)
{
    const abut_surface_feature *f[2];
    int best = ABUT_PROBLEM_UNKNOWNS + 1;
    bool swapped = false;
    for (int i = 0; i < 2; ++i)
        f[i] = &s->parts[i]->surface.features[at[i]];
    for (int i = 0; i < 2; ++i) {
        const int unknowns = f[i]->dimension + 1;
        if (!f[i]->parametric || f[!i]->field_count == 0 || unknowns > best)
            continue;
        if (unknowns == best) { /* i is 1, and side 0 can do it as well */
            const bool pole_0 = s->parts[0]->poles[at[0]], pole_1 = s->parts[1]->poles[at[1]];
            const double size_0 = size_of(&s->parts[0]->boxes[at[0]]);
            const double size_1 = size_of(&s->parts[1]->boxes[at[1]]);
            if (pole_0 != pole_1 ? pole_1 : size_0 <= size_1)
                continue;
        }
        best = unknowns;
        swapped = i == 1;
        *form = ABUT_FORM_MIXED;
    }
    if (best <= ABUT_PROBLEM_UNKNOWNS)
        return swapped;
    if (f[0]->parametric && f[1]->parametric) {
        *form = ABUT_FORM_PARAMETRIC;
        return f[0]->dimension > f[1]->dimension;
    }
    *form = ABUT_FORM_IMPLICIT; /* x in the smaller of two boxes; that of a half-space has no end */
    if (f[0]->field_count != f[1]->field_count)
        return f[0]->field_count < f[1]->field_count;
    return size_of(&s->parts[1]->boxes[at[1]]) < size_of(&s->parts[0]->boxes[at[0]]);
}

/* Periods like 2 pi are no doubles: the ends of a closed parameter overlap a little, so that no
 * contact is between them. */
static abut_interval closed(abut_interval range)
{
    const double more = 8 * DBL_EPSILON * fmax(fabs(range.lo), fabs(range.hi));
    return (abut_interval){ range.lo - more, range.hi + more };
}

static void add_problem(pairing *s, const size_t at[2], abut_form form, bool swapped, abut_interval time,
                        const abut_interval *box, const bool *wraps)
{
    const size_t index = s->count++;
    if (!s->problems)
        return;
    abut_contact_problem *const context = &s->contexts[index];
    *context = (abut_contact_problem){ .stage = s->stage,
                                       .one = &s->pair->sides[swapped],
                                       .two = &s->pair->sides[!swapped],
                                       .feature_one = &s->parts[swapped]->surface.features[at[swapped]],
                                       .feature_two = &s->parts[!swapped]->surface.features[at[!swapped]],
                                       .form = form,
                                       .pair = s->group,
                                       .swapped = swapped,
                                       .reversed = s->scene->reversed };
    abut_problem *const problem = &s->problems[index];
    *problem = (abut_problem){ .unknowns = abut_contact_unknowns(context),
                               .equations = abut_contact_equations(context),
                               .rank = context->feature_one->dimension + context->feature_two->dimension,
                               .cost = abut_work_cost(abut_surface_parts_work(s->parts[0]) +
                                                      abut_surface_parts_work(s->parts[1])),
                               .group = s->group,
                               .enclose = abut_contact_enclose,
                               .times = abut_contact_times,
                               .ctx = context };
    for (int i = 0; i + 1 < problem->unknowns; ++i) {
        problem->box[i] = wraps[i] ? closed(box[i]) : box[i];
        problem->wraps[i] = wraps[i];
    }
    problem->box[problem->unknowns - 1] = context->reversed ? (abut_interval){ -time.hi, -time.lo } : time;
}

/* Box of a cap in space, for the implicit form. */
static ABUT_NOINLINE void cap_kernel(const abut_surface *surface, const abut_surface_feature *f,
                                     const abut_interval *range, const abut_interval *t, ia *scratch,
                                     abut_interval *out)
{
    const ia parameters[2] = { ia_from(range[0]), ia_from(range[1]) };
    abut_jet jet;
    abut_feature_jet(surface, f, parameters, ia_from(*t), 0, scratch, &jet);
    out[0] = ia_to(jet.p.x);
    out[1] = ia_to(jet.p.y);
    out[2] = ia_to(jet.p.z);
}

static bool all_finite(const abut_interval *box, int n)
{
    for (int i = 0; i < n; ++i)
        if (!isfinite(box[i].lo) || !isfinite(box[i].hi))
            return false;
    return true;
}

/* A little more than the box: a flat one leaves the proof that a zero is the only one no room.
 * What is not on the feature is refused later. */
static void loosen(abut_interval box[3])
{
    double size = 0;
    for (int i = 0; i < 3; ++i)
        size = fmax(size, box[i].hi - box[i].lo);
    for (int i = 0; i < 3; ++i) {
        box[i].lo -= size / 64;
        box[i].hi += size / 64;
    }
}

/* Takes the caps at the poles off `range` and asks for them by fields. */
static void add_caps(pairing *s, const size_t at[2], bool swapped, abut_interval time, abut_interval range[2])
{
    const abut_surface *const surface = &s->parts[swapped]->surface;
    const abut_surface_feature *const f = &surface->features[at[swapped]];
    const uint8_t poles = s->parts[swapped]->poles[at[swapped]];
    const bool none[3] = { false, false, false };
    for (int side = 0; side < 4; ++side) {
        if (!(poles & (1 << side)))
            continue;
        const int by = side < 2;
        const abut_interval whole = f->range[by];
        const double part = cap_part * (whole.hi - whole.lo);
        abut_interval cap[2] = { range[0], range[1] }, rest = range[by], box[3];
        if (side & 1)
            cap[by].lo = rest.hi = whole.hi - part;
        else
            cap[by].hi = rest.lo = whole.lo + part;
        const abut_rounding saved = abut_rounding_enter();
        cap_kernel(surface, f, cap, &time, s->scratch[swapped], box);
        abut_rounding_leave(saved);
        loosen(box);
        if (!all_finite(box, 3))
            continue;
        add_problem(s, at, ABUT_FORM_IMPLICIT, swapped, time, box, none);
        range[by] = rest;
    }
}

static bool meets_field(const pairing *s, const size_t at[2])
{
    return s->parts[0]->surface.features[at[0]].field_count == 1 &&
           s->parts[1]->surface.features[at[1]].field_count == 1;
}

static void add_features(pairing *s, const size_t at[2], abut_interval time)
{
    abut_form form;
    const bool swapped = choose_form(s, at, &form);
    const abut_surface_feature *const one = &s->parts[swapped]->surface.features[at[swapped]];
    const abut_surface_feature *const two = &s->parts[!swapped]->surface.features[at[!swapped]];
    abut_interval box[4] = { one->range[0], one->range[1] };
    bool wraps[4] = { one->wraps[0], one->wraps[1] };
    if (form == ABUT_FORM_PARAMETRIC) {
        for (int i = 0; i < two->dimension; ++i) {
            box[one->dimension + i] = two->range[i];
            wraps[one->dimension + i] = two->wraps[i];
        }
    } else if (form == ABUT_FORM_IMPLICIT) {
        const abut_interval_vec3 *const local = &s->parts[swapped]->boxes[at[swapped]];
        box[0] = local->x;
        box[1] = local->y;
        box[2] = local->z;
        loosen(box);
        wraps[0] = wraps[1] = wraps[2] = false;
    } else if (one->dimension == 2 && meets_field(s, at) && s->parts[swapped]->poles[at[swapped]]) {
        add_caps(s, at, swapped, time, box);
    }
    add_problem(s, at, form, swapped, time, box, wraps);
}

/* Stretch of the pair's time in which the boxes of two features meet. */
static bool features_meet(const abut_interval_vec3 *a, const abut_interval_vec3 *b, abut_interval range,
                          abut_interval *out)
{
    int first = ABUT_CULL_PIECES, last = -1;
    for (int i = 0; i < ABUT_CULL_PIECES; ++i)
        if (abut_boxes_meet(&a[i], &b[i])) {
            first = i < first ? i : first;
            last = i;
        }
    if (last < 0)
        return false;
    *out = (abut_interval){ abut_cull_piece(range, first).lo, abut_cull_piece(range, last).hi };
    return true;
}

abut_status abut_surface_pair_problems(const abut_surface_scene *scene, const abut_surface_pair *pair,
                                       uint32_t group, const abut_stage *stage, abut_workspace *ws,
                                       abut_problem *problems, abut_contact_problem *contexts, size_t *count)
{
    pairing s = { .scene = scene, .pair = pair, .group = group, .stage = stage, .problems = problems };
    abut_interval_vec3 *pieces[2];
    s.parts[0] = &scene->bodies[pair->a];
    s.parts[1] = &scene->bodies[pair->b];
    s.contexts = contexts;
    s.count = *count;
    const abut_workspace_mark mark = abut_workspace_begin(ws);
    abut_status status = ABUT_OK;
    for (int i = 0; i < 2 && !status; ++i) {
        const size_t n = s.parts[i]->surface.feature_count;
        pieces[i] = abut_workspace_take(ws, (n + 1) * ABUT_CULL_PIECES, sizeof *pieces[i]);
        s.scratch[i] = abut_workspace_take(ws, s.parts[i]->surface.scratch + 1, sizeof(ia));
        if (!pieces[i] || !s.scratch[i])
            status = ABUT_ERR_MEMORY;
        if (!status)
            abut_cull_boxes(s.parts[i]->motion, s.parts[i]->boxes, n, pair->time, pieces[i]);
    }
    if (!status)
        for (size_t i = 0; i < s.parts[0]->surface.feature_count; ++i)
            for (size_t j = 0; j < s.parts[1]->surface.feature_count; ++j) {
                const size_t at[2] = { i, j };
                abut_interval time;
                if (features_meet(pieces[0] + i * ABUT_CULL_PIECES, pieces[1] + j * ABUT_CULL_PIECES,
                                  pair->time, &time))
                    add_features(&s, at, time);
            }
    abut_workspace_end(ws, mark);
    *count = s.count;
    return status;
}
