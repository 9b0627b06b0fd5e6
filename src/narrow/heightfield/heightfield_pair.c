/* SPDX-License-Identifier: MIT */
/* A height field (a) against a convex body (b), at one instant.
 *
 * The field is the union of the columns under its triangles. A column, cut off below the body, is
 * the hull of six points, so that the solvers for convex pairs give its gap to the body; the
 * field's gap is the least of them. Blocks of cells whose box is further away than the best gap so
 * far are skipped, by the pyramid of heights, nearest first. A body that meets the inside of one
 * column meets the inside of the field; one that is apart from all of them is apart from it. The
 * walls between columns are not part of the boundary: no normal and no contact
 * (heightfield_contacts.c) is taken from them. Depth is not reported: the least of the columns' depths
 * is not that of their union.
 *
 * Coordinates are those of the field's frame less the body's origin, so that far places cost
 * digits only once. */
#include "narrow/heightfield/heightfield_site.h"

static const double u = 0x1p-53;

/* ---- columns ---- */

void abut_field_prism_set(const abut_vec3 top[3], double bottom, abut_field_prism *p)
{
    static const uint32_t links[18] = { 1, 2, 3, 0, 2, 4, 0, 1, 5, 4, 5, 0, 3, 5, 1, 3, 4, 2 };
    static const uint32_t begin[6] = { 0, 3, 6, 10, 14, 18 };
    static const uint32_t faces[18] = { 0, 1, 2, 5, 4, 3, 1, 0, 3, 4, 2, 1, 4, 5, 0, 2, 5, 3 };
    double size = 0;
    for (uint32_t k = 0; k < 8; ++k) {
        const uint32_t v = k < 6 ? k : 0;
        p->x[k] = top[v % 3].x;
        p->y[k] = top[v % 3].y;
        p->z[k] = v < 3 ? top[v].z : bottom;
        p->point_of[k] = v;
        size = fmax(size, abut_length(abut_v3(p->x[k], p->y[k], p->z[k])));
    }
    for (uint32_t k = 0; k < 18; ++k) {
        p->links[k] = links[k];
        p->face_corners[k] = faces[k];
    }
    for (uint32_t k = 0; k < 7; ++k)
        p->link_begin[k] = 3 * k;
    for (uint32_t k = 0; k < 6; ++k)
        p->face_begin[k] = begin[k];
    p->hull = (abut_hull){ .dimension = 3,
                           .vertex_count = 6,
                           .padded_count = 8,
                           .x = p->x,
                           .y = p->y,
                           .z = p->z,
                           .point_of = p->point_of,
                           .link_begin = p->link_begin,
                           .links = p->links,
                           .face_count = 5,
                           .face_normal = p->face_normal,
                           .face_begin = p->face_begin,
                           .face_corners = p->face_corners,
                           .edge_count = 9,
                           .size = size * (1 + 0x1p-48) };
    for (uint32_t f = 0; f < 5; ++f) {
        const uint32_t *c = faces + begin[f];
        const abut_vec3 a = abut_hull_vertex(&p->hull, c[0]), b = abut_hull_vertex(&p->hull, c[1]),
                        d = abut_hull_vertex(&p->hull, c[2]);
        p->face_normal[f] =
            abut_unit_or(abut_cross(abut_sub(b, a), abut_sub(d, a)), abut_v3(0, 0, f == 1 ? -1 : 1));
    }
    p->core = (abut_core){ .kind = ABUT_CORE_HULL,
                           .size = p->hull.size,
                           .error = 8 * u * p->hull.size,
                           .scale = 1,
                           .hull = &p->hull };
}

/* A vertex is off by 3 u of its two parts: the grid's coordinate, and their difference. */
static double vertex_error(const abut_field_site *s, const abut_vec3 t[3])
{
    double size = 0;
    for (int k = 0; k < 3; ++k)
        size = fmax(size, abut_max_norm(t[k]));
    return 8 * u * (size + abut_max_norm(s->origin));
}

/* The column and the body. */
static void set_column(const abut_field_site *s, size_t i, size_t j, int which, abut_field_prism *p,
                       abut_convex_pair *pair)
{
    abut_vec3 top[3];
    abut_field_corners(s, i, j, which, top);
    abut_field_prism_set(top, abut_field_bottom(s, top, 0), p);
    *pair = s->base;
    pair->a = &p->core;
    pair->error += 12 * u * p->core.size + p->core.error + vertex_error(s, top);
}

/* GJK ends as soon as the origin is on its simplex, which may be on a face while the body is
 * deep inside: flush with a wall of the column, say. */
static void examine_deeper(const abut_convex_pair *pair, const abut_simplex *simplex,
                           abut_convex_answer *answer)
{
    const double lo = answer->lo;
    const abut_vec3 normal = answer->normal;
    abut_convex_depth(pair, simplex, answer);
    if (answer->lo == lo && lo > -INFINITY)
        answer->normal = normal;
}

static bool is_met(const abut_field_site *s, const abut_convex_answer *answer)
{
    return answer->hi < s->base.radii && answer->hi - s->base.radii + u * s->base.radii < 0;
}

/* True where the body meets the column, or where there is no use in examining others. */
static bool visit_column(abut_field_site *s, size_t i, size_t j, int which)
{
    abut_field_prism p;
    abut_convex_pair pair;
    set_column(s, i, j, which, &p, &pair);
    abut_simplex simplex = { .count = 0 };
    abut_convex_answer answer = { .lo = -INFINITY, .hi = INFINITY };
    const abut_gjk_end end = abut_gjk_distance(&pair, s->hi_gap, NULL, &simplex, &answer);
    if (end == ABUT_GJK_NEAR && !is_met(s, &answer))
        examine_deeper(&pair, &simplex, &answer);
    s->supports += answer.supports;
    ++s->visited;
    if (end == ABUT_GJK_FAR)
        return false;
    const bool met = is_met(s, &answer), margin = !met && answer.lo <= s->base.radii * (1 + 16 * u);
    if (s->exact) {
        const int sign = margin ? abut_field_column_sign(s, i, j, which, &answer) : 1;
        if (sign == 0 && !s->touches) {
            s->best = answer;
            s->best_i = i;
            s->best_j = j;
            s->best_which = which;
        }
        s->touches |= sign == 0;
        s->unknown |= sign == ABUT_SIGN_UNKNOWN;
        return s->unknown || (s->rests && s->touches);
    }
    if (margin) {
        s->doubtful = abut_add(s->doubtful, answer.y);
        ++s->doubts;
    }
    s->lo_gap = fmin(s->lo_gap, answer.lo);
    if (answer.hi < s->hi_gap) {
        s->hi_gap = answer.hi;
        s->best = answer;
        s->best_i = i;
        s->best_j = j;
        s->best_which = which;
    }
    return met;
}

/* ---- blocks ---- */

typedef struct block {
    int level;
    size_t i, j;
    double bound; /* no point of it is nearer to the body's core */
} block;

static double outside(double lo, double hi, double from, double to)
{
    return lo > to ? lo - to : from > hi ? from - hi : 0;
}

static block make_block(const abut_field_site *s, int level, size_t i, size_t j)
{
    const size_t across = s->field->columns - 1, along = s->field->rows - 1;
    const size_t i1 = (i + 1) << level, j1 = (j + 1) << level;
    const abut_range r = abut_heightfield_range(s->field, level, i, j);
    const double x = outside(s->lo[0], s->hi[0], abut_field_grid(s, 0, i << level) - s->origin.x,
                             abut_field_grid(s, 0, i1 < across ? i1 : across) - s->origin.x);
    const double y = outside(s->lo[1], s->hi[1], abut_field_grid(s, 1, j << level) - s->origin.y,
                             abut_field_grid(s, 1, j1 < along ? j1 : along) - s->origin.y);
    const double top = s->scale * r.hi - s->origin.z, z = s->lo[2] > top ? s->lo[2] - top : 0;
    const double size = fabs(top) + fabs(s->origin.x) + fabs(s->origin.y) + fabs(s->origin.z);
    return (block){ level, i, j, sqrt(x * x + y * y + z * z) * (1 - 0x1p-48) - 16 * u * size };
}

/* The least gap over all columns, as far as the limits ask for it. */
static void search(abut_field_site *s, bool until_meeting)
{
    const size_t across = s->field->columns - 1, along = s->field->rows - 1;
    block stack[4 * ABUT_HEIGHTFIELD_LEVELS + 1];
    int depth = 0;
    stack[depth++] = make_block(s, s->field->pyramid->levels, 0, 0);
    while (depth > 0) {
        const block b = stack[--depth];
        if (b.bound > s->hi_gap)
            continue;
        if (b.level == 0) {
            for (int which = 0; which < 2; ++which)
                if (visit_column(s, b.i, b.j, which) && until_meeting)
                    return;
            continue;
        }
        block next[4];
        int count = 0;
        for (size_t k = 0; k < 4; ++k) {
            const size_t i = 2 * b.i + (k & 1), j = 2 * b.j + (k >> 1);
            if (i >= abut_heightfield_blocks(across, b.level - 1) ||
                j >= abut_heightfield_blocks(along, b.level - 1))
                continue;
            const block child = make_block(s, b.level - 1, i, j);
            int at = count++;
            for (; at > 0 && next[at - 1].bound < child.bound; --at)
                next[at] = next[at - 1];
            next[at] = child;
        }
        for (int k = 0; k < count; ++k) /* furthest first, so that the nearest is on top */
            stack[depth++] = next[k];
    }
}

/* ---- the whole ---- */

static bool set_up(const abut_pair *pair, abut_field_site *s)
{
    *s = (abut_field_site){
        .asked = pair, .field = &pair->a->u.heightfield, .lo_gap = INFINITY, .hi_gap = INFINITY
    };
    abut_convex_pair_from_places(pair, &s->scratch, &s->exponent, &s->base);
    s->scale = ldexp(1, -s->exponent);
    s->origin = s->base.t;
    s->base.t = abut_v3(0, 0, 0);
    const abut_core *core = s->base.b;
    for (int k = 0; k < 3; ++k) {
        const abut_vec3 up = { s->base.r.m[k][0], s->base.r.m[k][1], s->base.r.m[k][2] };
        uint32_t hint = 0;
        const double slack = s->base.error + 8 * u * core->size + 2 * core->error;
        s->hi[k] = abut_dot(up, abut_core_support(core, up, &hint)) + slack;
        s->lo[k] = abut_dot(up, abut_core_support(core, abut_v3(-up.x, -up.y, -up.z), &hint)) - slack;
    }
    return isfinite(s->lo[0] + s->hi[0] + s->lo[1] + s->hi[1] + s->lo[2] + s->hi[2] +
                    abut_max_norm(s->origin));
}

static abut_vec3 to_world(const abut_field_site *s, abut_vec3 p)
{
    const abut_affine *frame = &s->base.frame;
    return abut_madd(frame->translation, ldexp(1, s->exponent),
                     abut_mul(&frame->linear, abut_add(p, s->origin)));
}

/* A point of both: in the column that the body was found to meet or to be nearest to, or the
 * place inside. Where it is at a wall at the field's sides and the body is beside that, the
 * normal is the wall's; walls between columns have none. */
static abut_field_contact common_point(const abut_field_site *s)
{
    abut_field_prism p;
    abut_convex_pair pair;
    abut_vec3 t[3];
    uint32_t supports = 0;
    set_column(s, s->best_i, s->best_j, s->best_which, &p, &pair);
    abut_field_corners(s, s->best_i, s->best_j, s->best_which, t);
    abut_field_contact f = {
        .contact = { .point = s->is_inside ? s->inside : abut_convex_crossing(&pair, s->best.x, &supports),
                     .normal = abut_field_upward(t),
                     .features = { ABUT_FEATURE_FACE, ABUT_FEATURE_FACE },
                     .ids = { abut_field_face(s, s->best_i, s->best_j, s->best_which), -1 } }
    };
    const size_t count[2] = { s->field->columns - 1, s->field->rows - 1 };
    const double close = 1e-9 * (s->base.b->size + s->base.b->radius + abut_max_norm(s->origin));
    for (int k = 0; k < 4 && !is_met(s, &s->best); ++k) {
        const int axis = k / 2;
        const double at = abut_field_grid(s, axis, k % 2 ? count[axis] : 0) - abut_part3(s->origin, axis);
        const double side = (k % 2 ? 1 : -1) * abut_part3(s->best.normal, axis);
        if (fabs(abut_part3(f.contact.point, axis) - at) <= close && side > 1 - 1e-9) {
            f.contact.normal = s->best.normal;
            f.contact.ids[0] = 2 * (int64_t)(count[0] * count[1]) + k;
        }
    }
    return f;
}

/* What is no deeper than rounding. */
static int only_touching(const abut_field_site *s, abut_field_contact *list, int count)
{
    int kept = 0;
    for (int k = 0; k < count; ++k)
        if (list[k].depth <= 1e-9 * (s->base.b->size + s->base.b->radius + abut_max_norm(s->origin)))
            list[kept++] = list[k];
    return kept;
}

/* `through`: the body has no inside. */
static void tell_contacts(const abut_field_site *s, const abut_ask *ask, bool through, abut_check_result *out)
{
    abut_field_contact list[ABUT_CHECK_CONTACTS];
    const int wanted = ask && ask->max_contacts > 0 ? ask->max_contacts : 4;
    const int most = wanted < ABUT_CHECK_CONTACTS ? wanted : ABUT_CHECK_CONTACTS;
    const bool flat = abut_core_is_flat(s->base.b), penetrates = out->verdict == ABUT_PENETRATING;
    int count = abut_field_contacts(s, most, through, list);
    const abut_vec3 zero = { 0, 0, 0 };
    int deepest = 0;
    if (!flat && !penetrates)
        count = only_touching(s, list, count);
    if (count == 0)
        list[count++] = common_point(s);
    for (int k = 0; k < count; ++k) {
        if (list[k].depth > list[deepest].depth)
            deepest = k;
        out->contacts[k] = list[k].contact;
        out->contacts[k].point = to_world(s, list[k].contact.point);
        out->contacts[k].normal = abut_add(abut_mul(&s->base.frame.linear, list[k].contact.normal), zero);
    }
    out->contact_count = count;
    out->has_normal = true;
    out->normal = out->contacts[deepest].normal;
    /* Points would have to say how to part them, which without a depth is not known. */
    out->has_points = !penetrates && abut_is_finite3(out->contacts[deepest].point);
    if (out->has_points)
        out->point_a = out->point_b = out->contacts[deepest].point;
}

static void tell_nearest(const abut_field_site *s, abut_check_result *out)
{
    const abut_vec3 n = s->best.normal, zero = { 0, 0, 0 };
    out->has_normal = fabs(abut_dot(n, n) - 1) < 1e-6;
    if (!out->has_normal)
        return;
    out->normal = abut_add(abut_mul(&s->base.frame.linear, n), zero);
    out->point_a = to_world(s, s->best.x);
    out->point_b = to_world(s, abut_madd(s->best.y, -s->base.b->radius, n));
    out->has_points = true;
}

abut_status abut_narrow_heightfield(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    bool reaches;
    (void)ws;
    return abut_heightfield_reach(pair, false, &reaches, out);
}

/* The exact sign of the gap, by one column after the other. */
static int sign_by_columns(abut_field_site *s)
{
    abut_field_site again = *s;
    again.exact = true;
    /* what is further away is apart */
    again.hi_gap = fmax(s->hi_gap, s->base.radii * (1 + 16 * u));
    search(&again, true);
    s->visited = again.visited;
    s->supports = again.supports;
    return again.unknown ? ABUT_SIGN_UNKNOWN : again.touches ? 0 : 1;
}

/* A body that stands on the highest ground under it, which is known before any column is examined:
 * large bodies on level or even ground touch thousands of them. */
static bool rests(abut_field_site *s, abut_check_result *out)
{
    bool level;
    if (abut_field_rests(s, &level) != 0)
        return false;
    abut_field_site again = *s;
    again.exact = again.rests = true;
    again.hi_gap = s->base.radii * (1 + 16 * u) + 4 * s->base.error;
    search(&again, true);
    s->visited = again.visited;
    s->supports = again.supports;
    if (!again.touches || again.unknown)
        return false;
    s->best = again.best;
    s->best_i = again.best_i;
    s->best_j = again.best_j;
    s->best_which = again.best_which;
    out->verdict = ABUT_TOUCHING;
    out->proof = ABUT_PROOF_EXACT;
    out->counters.exact = 1;
    out->distance = (abut_interval){ 0, 0 };
    return true;
}

/* The gap is within rounding of zero, or a body is flush with walls. */
static void decide(abut_field_site *s, bool flat, double hi, bool *reaches, abut_check_result *out)
{
    int sign = abut_field_level_ground(s);
    if (sign == ABUT_SIGN_UNKNOWN && abut_field_find_inside(s)) {
        *reaches = true;
        out->verdict = flat ? ABUT_TOUCHING : ABUT_PENETRATING;
        return;
    }
    if (sign == ABUT_SIGN_UNKNOWN)
        sign = sign_by_columns(s);
    *reaches = sign < 0;
    out->verdict = sign > 0 ? ABUT_SEPARATE : sign == 0 || flat ? ABUT_TOUCHING : ABUT_PENETRATING;
    out->proof = ABUT_PROOF_EXACT;
    out->counters.exact = 1;
    if (sign == 1)
        out->distance = (abut_interval){ 0x1p-1074, fmax(hi, 0x1p-1074) };
    if (sign != ABUT_SIGN_UNKNOWN)
        return;
    out->verdict = ABUT_UNDECIDED;
    out->proof = ABUT_PROOF_NONE;
    out->counters.exact = 0;
    out->stop = ABUT_STOP_TOLERANCE;
    out->distance = (abut_interval){ 0, fmax(hi, 0) };
}

abut_status abut_heightfield_reach(const abut_pair *pair, bool of_solid, bool *reaches,
                                   abut_check_result *out)
{
    const abut_ask *ask = pair->ask;
    const bool verdict_only = ask && ask->want == ABUT_WANT_VERDICT;
    abut_field_site s;
    *reaches = false;
    out->stop = ABUT_STOP_DONE;
    if (!set_up(pair, &s))
        return ABUT_OK; /* beyond the range of doubles: undecided */
    const double clearance = verdict_only ? ldexp(ask->clearance, -s.exponent) : 0;
    const double taken = s.base.radii + clearance, slack = 4 * u * taken;
    const bool touching = clearance == 0 && rests(&s, out);
    if (!touching)
        search(&s, clearance == 0);
    const double lo = s.lo_gap - taken - slack - u * fabs(s.lo_gap),
                 hi = s.hi_gap - taken + slack + u * fabs(s.hi_gap);
    const bool flat = clearance == 0 && abut_core_is_flat(s.base.b);
    const double unit = ldexp(1, s.exponent);
    if (!touching)
        out->proof = ABUT_PROOF_INTERVAL;
    if (touching)
        out->stop = ABUT_STOP_DONE;
    else if (lo > 0) {
        out->verdict = ABUT_SEPARATE;
        out->distance = (abut_interval){ unit * lo, unit * hi };
    } else if (hi < 0) { /* of a flat body a point is inside */
        *reaches = true;
        out->verdict = flat ? ABUT_TOUCHING : ABUT_PENETRATING;
    } else if (clearance == 0)
        decide(&s, flat, unit * hi, reaches, out);
    else {
        out->proof = ABUT_PROOF_NONE;
        out->stop = ABUT_STOP_TOLERANCE;
        out->distance = (abut_interval){ 0, unit * hi };
    }
    out->counters.iterations = s.visited;
    out->counters.evaluations = s.supports;
    if (verdict_only)
        return ABUT_OK;
    if (out->verdict == ABUT_SEPARATE || (out->verdict == ABUT_UNDECIDED && s.best.lo > 0))
        tell_nearest(&s, out);
    else
        tell_contacts(&s, ask, flat && !of_solid, out);
    if (out->verdict == ABUT_UNDECIDED || (ask && ask->want != ABUT_WANT_ALL))
        out->contact_count = 0;
    return ABUT_OK;
}
