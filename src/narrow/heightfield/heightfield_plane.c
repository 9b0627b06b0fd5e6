/* SPDX-License-Identifier: MIT */
/* A height field (a) against a half-space (b), at one instant.
 *
 * The field goes down without end. Where that leads into the half-space they always penetrate,
 * and nothing parts them but a step without end; otherwise the lowest point of the field over
 * the plane is a vertex, and the gap is its height, found by the pyramid of heights. In doubles
 * it has an error bound known beforehand, as in plane.c; for placements along the axes the sign
 * and the value are exact, since (2 i - columns + 1) dx / 2 is a sum of two doubles. The least
 * translation that parts them goes along the plane's normal, so that the depth is known as the
 * gap is. Sizes beyond 2^100 are left undecided. */
#include "math/vec3.h"
#include "narrow/distance/convex.h"
#include "narrow/pair/pair.h"
#include "shape/heightfield.h"

static const double u = 0x1p-53;

enum { MOST = 64, STACK = 4 * ABUT_HEIGHTFIELD_LEVELS };

typedef struct corner {
    size_t i, j;
} corner;

typedef struct lowest {
    const abut_heightfield_data *field;
    abut_vec3 m; /* the plane's normal in the field's frame */
    double slack;
    double least; /* m . v */
    int count;    /* of vertices that are as low, within the slack */
    corner list[MOST];
    bool axial;   /* m is along an axis: vertices of the same height have the same number for it */
    bool crowded; /* one that is not in the list may be the lowest */
    uint64_t visited;
} lowest;

typedef struct block {
    int level;
    size_t i, j;
    double bound;
} block;

/* ---- the lowest vertices ---- */

/* Twice the coordinate, in steps of the grid. */
static double steps(size_t k, size_t count)
{
    return (double)(2 * k) - (double)(count - 1);
}

static abut_vec3 vertex(const abut_heightfield_data *f, corner c)
{
    return abut_v3(0.5 * steps(c.i, f->columns) * f->dx, 0.5 * steps(c.j, f->rows) * f->dy,
                   abut_heightfield_height(f, c.i, c.j));
}

static void add_vertex(lowest *s, corner c)
{
    const double height = abut_dot(s->m, vertex(s->field, c));
    if (height > s->least + s->slack)
        return;
    if (height < s->least - s->slack) { /* those before are all too high now */
        s->count = 0;
        s->crowded = false;
    }
    s->least = fmin(s->least, height);
    for (int k = 0; k < s->count; ++k)
        if (s->list[k].i == c.i && s->list[k].j == c.j)
            return;
    if (s->count < MOST)
        s->list[s->count++] = c;
    else if (!s->axial)
        s->crowded = true;
    else /* one that is as low will do */
        for (int k = 0; k < MOST; ++k)
            if (abut_dot(s->m, vertex(s->field, s->list[k])) > height) {
                s->list[k] = c;
                return;
            }
}

static block make_block(const lowest *s, int level, size_t i, size_t j)
{
    const abut_heightfield_data *f = s->field;
    const size_t i1 = (i + 1) << level, j1 = (j + 1) << level;
    const corner first = { i << level, j << level },
                 last = { i1 < f->columns ? i1 : f->columns - 1, j1 < f->rows ? j1 : f->rows - 1 };
    const abut_vec3 lo = vertex(f, first), hi = vertex(f, last);
    const abut_range z = abut_heightfield_range(f, level, i, j);
    return (block){ level, i, j,
                    fmin(s->m.x * lo.x, s->m.x * hi.x) + fmin(s->m.y * lo.y, s->m.y * hi.y) +
                        fmin(s->m.z * z.lo, s->m.z * z.hi) };
}

/* Its quarters, the lowest on top. */
static void push_quarters(const lowest *s, const block *b, block *stack, int *count)
{
    const size_t across = abut_heightfield_blocks(s->field->columns - 1, b->level - 1),
                 along = abut_heightfield_blocks(s->field->rows - 1, b->level - 1);
    const int first = *count;
    for (size_t k = 0; k < 4; ++k) {
        const size_t i = 2 * b->i + k % 2, j = 2 * b->j + k / 2;
        if (i >= across || j >= along)
            continue;
        const block next = make_block(s, b->level - 1, i, j);
        int at = (*count)++;
        for (; at > first && stack[at - 1].bound < next.bound; --at)
            stack[at] = stack[at - 1];
        stack[at] = next;
    }
}

static void search(lowest *s)
{
    block stack[STACK];
    int count = 1;
    stack[0] = make_block(s, s->field->pyramid->levels, 0, 0);
    s->least = INFINITY;
    while (count > 0) {
        const block b = stack[--count];
        ++s->visited;
        if (b.bound > s->least + s->slack || (s->axial && s->count == MOST && b.bound >= s->least))
            continue;
        if (b.level > 0)
            push_quarters(s, &b, stack, &count);
        else
            for (size_t k = 0; k < 4; ++k)
                add_vertex(s, (corner){ b.i + k % 2, b.j + k / 2 });
    }
}

/* ---- exactly ---- */

static void push_product(abut_terms *to, double a, double b, bool *lossy)
{
    const dd p = dd_two_product(a, b);
    if (p.h != 0)
        abut_terms_push(to, abut_gap_fit(p.h, 0, lossy));
    if (p.l != 0)
        abut_terms_push(to, abut_gap_fit(p.l, 0, lossy));
}

/* The gap, the clearance taken off, and the sign of the normal along the field's z axis. */
static abut_gap exact_gap(const abut_pair *pair, const lowest *s, int normal_exponent, double clearance,
                          int *rises)
{
    const abut_place *pa = pair->at_a, *pb = pair->at_b;
    const abut_gap unknown = { .sign = ABUT_SIGN_UNKNOWN };
    if (!pa->points || !pb->points || !pa->axes || !pb->axes || s->crowded)
        return unknown;
    double world[3], n[3];
    abut_terms p[3];
    bool lossy = false;
    for (int i = 0; i < 3; ++i)
        world[pb->axis[i]] =
            pb->sign[i] * abut_gap_fit(abut_part3(pair->b->u.halfspace.normal, i), normal_exponent, &lossy);
    for (int i = 0; i < 3; ++i) {
        const int axis = pa->axis[i];
        n[i] = pa->sign[i] * world[axis];
        p[i] = abut_terms_difference(abut_gap_fit(abut_part3(pa->mid.translation, axis), 0, &lossy),
                                     abut_gap_fit(abut_part3(pb->mid.translation, axis), 0, &lossy));
        if (pa->sign[i] < 0)
            abut_terms_negate(&p[i]);
    }
    const double offset = abut_gap_fit(pair->b->u.halfspace.offset, normal_exponent, &lossy);
    abut_gap least = { .value = { INFINITY, INFINITY }, .sign = 1 };
    for (int k = 0; k < s->count && !lossy; ++k) {
        const abut_heightfield_data *f = s->field;
        const corner c = s->list[k];
        abut_terms q[3] = { p[0], p[1], p[2] };
        push_product(&q[0], 0.5 * steps(c.i, f->columns), f->dx, &lossy);
        push_product(&q[1], 0.5 * steps(c.j, f->rows), f->dy, &lossy);
        push_product(&q[2], 1, abut_heightfield_height(f, c.i, c.j), &lossy);
        if (lossy)
            break;
        const bool on = clearance == 0 && abut_plane_side(n, q, offset) == 0;
        const abut_gap one = on ? (abut_gap){ .sign = 0, .exact = true }
                                : abut_gap_plane(n, q, offset, abut_gap_fit(clearance, 0, &lossy), false);
        if (one.sign == ABUT_SIGN_UNKNOWN)
            return unknown;
        least.value =
            (abut_interval){ fmin(least.value.lo, one.value.lo), fmin(least.value.hi, one.value.hi) };
        least.sign = one.sign < least.sign ? one.sign : least.sign;
    }
    if (lossy)
        return unknown;
    *rises = (n[2] > 0) - (n[2] < 0);
    return least;
}

/* ---- the whole ---- */

/* rises: the sign of the normal along the field's z axis; where it is positive, going down leads
 * into the half-space. */
static void set_result(abut_gap gap, int rises, bool exact, bool all, abut_check_result *out)
{
    const double lo = gap.value.lo, hi = gap.value.hi;
    out->proof = exact ? ABUT_PROOF_EXACT : ABUT_PROOF_INTERVAL;
    out->counters.exact = exact;
    if (rises == 1 || gap.sign == -1) {
        out->verdict = ABUT_PENETRATING;
        out->has_depth = all && (rises == 0 || rises == -1);
        if (out->has_depth)
            out->depth = (abut_interval){ hi < 0 ? -hi : 0, lo < 0 ? -lo : 0 };
    } else if (rises == ABUT_SIGN_UNKNOWN || gap.sign == ABUT_SIGN_UNKNOWN) {
        out->verdict = ABUT_UNDECIDED;
        out->proof = ABUT_PROOF_NONE;
        out->stop = ABUT_STOP_TOLERANCE;
        out->distance = (abut_interval){ 0, hi > 0 ? hi : 0 };
        out->depth = (abut_interval){ 0, rises == ABUT_SIGN_UNKNOWN ? INFINITY : lo < 0 ? -lo : 0 };
    } else if (gap.sign > 0) {
        out->verdict = ABUT_SEPARATE;
        out->distance = (abut_interval){ lo > 0 ? lo : 0x1p-1074, hi > 0 ? hi : 0x1p-1074 };
    } else {
        out->verdict = ABUT_TOUCHING;
    }
}

/* The next vertex of the list after `count` chosen ones: the furthest from them. */
static int furthest(const lowest *s, const int *chosen, int count)
{
    int best = 0;
    double most = -1;
    for (int k = 0; k < s->count; ++k) {
        double near = INFINITY;
        for (int c = 0; c < count; ++c)
            near = fmin(near, abut_length(abut_sub(vertex(s->field, s->list[k]),
                                                   vertex(s->field, s->list[chosen[c]]))));
        if (near > most) {
            most = near;
            best = k;
        }
    }
    return best;
}

/* Lowest vertices and their feet. Where the field goes down into the half-space without a known
 * depth: a point of both under the first. */
static void add_places(const abut_pair *pair, const lowest *s, abut_vec3 normal, double gap, int rises,
                       abut_check_result *out)
{
    const abut_ask *ask = pair->ask;
    const int wanted = ask && ask->max_contacts > 0 ? ask->max_contacts : 4;
    const bool meet = out->verdict == ABUT_TOUCHING || out->verdict == ABUT_PENETRATING;
    const bool through = out->verdict == ABUT_PENETRATING && (rises == 1 || rises == ABUT_SIGN_UNKNOWN);
    const int most = meet && !through && (!ask || ask->want == ABUT_WANT_ALL) ? wanted : 1;
    int chosen[ABUT_CHECK_CONTACTS];
    out->has_normal = out->has_points = true;
    out->normal = abut_sub(abut_v3(0, 0, 0), normal); /* from the field to the half-space */
    if (out->verdict == ABUT_TOUCHING)
        gap = 0;
    for (int k = 0; k < most && k < s->count; ++k) {
        chosen[k] = k == 0 ? 0 : furthest(s, chosen, k);
        const corner c = s->list[chosen[k]];
        abut_vec3 p = abut_affine_apply(&pair->at_a->mid, vertex(s->field, c)),
                  q = abut_madd(p, -gap, normal);
        if (through) {
            const abut_vec3 down = abut_mul(&pair->at_a->mid.linear, abut_v3(0, 0, -1));
            p = q = gap > 0 ? abut_madd(p, gap / s->m.z, down) : p;
        }
        if (k == 0) {
            out->point_a = p;
            out->point_b = q;
        }
        out->contacts[k] = (abut_contact){
            .point = abut_add(abut_scale(0.5, p), abut_scale(0.5, q)),
            .normal = out->normal,
            .features = { through ? ABUT_FEATURE_NONE : ABUT_FEATURE_VERTEX, ABUT_FEATURE_FACE },
            .ids = { through ? -1 : (int64_t)(c.j * s->field->columns + c.i), 0 },
        };
    }
    out->contact_count = meet ? (most < s->count ? most : s->count) : 0;
}

abut_status abut_narrow_heightfield_plane(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    (void)ws;
    const abut_place *pa = pair->at_a, *pb = pair->at_b;
    const abut_heightfield_data *f = &pair->a->u.heightfield;
    const abut_want want = pair->ask ? pair->ask->want : ABUT_WANT_ALL;
    const double clearance = want == ABUT_WANT_VERDICT ? pair->ask->clearance : 0;
    const abut_vec3 n = pair->b->u.halfspace.normal;
    int normal_exponent;
    (void)frexp(abut_max_norm(n), &normal_exponent);
    --normal_exponent; /* max |n_i| in [1, 2) after it */
    const abut_vec3 scaled = { ldexp(n.x, -normal_exponent), ldexp(n.y, -normal_exponent),
                               ldexp(n.z, -normal_exponent) };
    const double reach = ldexp(pair->b->u.halfspace.offset, -normal_exponent) / abut_length(scaled);
    const abut_range z = f->pyramid->whole;
    const double size = abut_length(abut_v3(0.5 * steps(0, f->columns) * f->dx,
                                            0.5 * steps(0, f->rows) * f->dy, fmax(fabs(z.lo), fabs(z.hi))));
    const double largest = fmax(fmax(size, fabs(reach)),
                                fmax(abut_max_norm(pa->mid.translation), abut_max_norm(pb->mid.translation)));
    out->distance = out->depth = (abut_interval){ 0, INFINITY };
    out->stop = ABUT_STOP_TOLERANCE;
    if (!(largest >= 0x1p-100 && largest <= 0x1p100))
        return ABUT_OK;
    const abut_vec3 normal = abut_mul(&pb->mid.linear, abut_unit_or(n, abut_v3(0, 0, 1)));
    lowest s = { .field = f, .m = abut_mul_t(&pa->mid.linear, normal), .slack = 64 * u * size };
    s.axial = (s.m.x == 0) + (s.m.y == 0) + (s.m.z == 0) == 2;
    search(&s);
    /* As in plane.c; the field for the core. */
    double turn_a, turn_b, shift_a, shift_b;
    abut_convex_widths(pa, &turn_a, &shift_a);
    abut_convex_widths(pb, &turn_b, &shift_b);
    const abut_vec3 d = abut_sub(pa->mid.translation, pb->mid.translation);
    const double above = abut_dot(normal, d) - reach + s.least, tilt = turn_a + turn_b + 32 * u;
    const double error =
        tilt * size + (turn_b + 16 * u) * abut_length(d) + shift_a + shift_b + 8 * u * fabs(reach);
    const double off = error + 4 * u * (clearance + fabs(above));
    int rises = s.m.z > tilt ? 1 : s.m.z < -tilt ? -1 : ABUT_SIGN_UNKNOWN;
    abut_gap gap = exact_gap(pair, &s, normal_exponent, clearance, &rises);
    const bool exact = gap.sign != ABUT_SIGN_UNKNOWN;
    if (!exact) {
        gap.value = (abut_interval){ above - clearance - off, above - clearance + off };
        gap.sign = gap.value.lo > 0 ? 1 : gap.value.hi < 0 ? -1 : ABUT_SIGN_UNKNOWN;
    }
    out->distance = out->depth = (abut_interval){ 0, 0 };
    out->stop = ABUT_STOP_DONE;
    out->counters.evaluations = s.visited;
    set_result(gap, rises, exact, want == ABUT_WANT_ALL, out);
    if (want == ABUT_WANT_VERDICT)
        return ABUT_OK;
    add_places(pair, &s, normal, above, rises, out);
    if (want == ABUT_WANT_DISTANCE && out->distance.lo > pair->ask->cutoff)
        out->stop = ABUT_STOP_CUTOFF;
    return ABUT_OK;
}
