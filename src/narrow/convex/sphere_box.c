/* SPDX-License-Identifier: MIT */
/* Sphere against box. In the box's frame, with p the centre and h the half sizes, the signed
 * distance of p is
 *     |max(|p| - h, 0)| + min(max_i(|p_i| - h_i), 0),
 * the first part outside, the second inside, and the gap is that less r. Outside, the
 * coordinates with |p_i| > h_i say which feature is nearest: one a face, two an edge, three a
 * vertex. Inside it is the nearest face, and least translation pushes through it. */
#include "interval/ia.h"
#include "math/vec3.h"
#include "narrow/pair/box_features.h"
#include "narrow/pair/pair.h"

typedef struct input {
    const abut_pair *pair;
    double scale;
    abut_vec3 half;
    double radius;
} input;

static ABUT_NOINLINE void enclose_gap(const input *in, abut_interval *out)
{
    ia3 p;
    abut_sphere_pair_enclose(in->pair, in->scale, &p);
    const ia x = ia_sub(ia_abs(p.x), ia_scale(in->scale, ia_point(in->half.x)));
    const ia y = ia_sub(ia_abs(p.y), ia_scale(in->scale, ia_point(in->half.y)));
    const ia z = ia_sub(ia_abs(p.z), ia_scale(in->scale, ia_point(in->half.z)));
    const ia zero = ia_point(0);
    const ia out_sq =
        ia_add(ia_add(ia_sqr(ia_max(x, zero)), ia_sqr(ia_max(y, zero))), ia_sqr(ia_max(z, zero)));
    const ia inside = ia_min(ia_max(ia_max(x, y), z), zero);
    *out = ia_to(ia_sub(ia_add(ia_sqrt(out_sq), inside), ia_scale(in->scale, ia_point(in->radius))));
}

/* How far the centre is beyond each pair of faces (v, its double), and on which side. */
typedef struct region {
    double beyond[3];
    int outside; /* bits of the axes with beyond > 0 */
    bool positive[3];
} region;

static abut_gap exact_gap(const abut_terms p[3], const double half[3], double radius, bool lossy, region *r)
{
    abut_terms v[3];
    r->outside = 0;
    for (int i = 0; i < 3; ++i) {
        v[i] = p[i];
        r->positive[i] = abut_terms_sign(&v[i]) >= 0;
        if (!r->positive[i])
            abut_terms_negate(&v[i]);
        abut_terms_push(&v[i], -half[i]);
        r->beyond[i] = abut_terms_value(&v[i]).h;
        if (abut_terms_sign(&v[i]) > 0)
            r->outside |= 1 << i;
    }
    const abut_terms s = { 1, { radius } };
    if (r->outside) {
        for (int i = 0; i < 3; ++i)
            if (!(r->outside >> i & 1))
                v[i] = (abut_terms){ 1, { 0 } };
        return abut_gap_norm(v, &s, lossy);
    }
    abut_gap gap = abut_gap_linear(&v[0], &s);
    for (int i = 1; i < 3; ++i) {
        const abut_gap other = abut_gap_linear(&v[i], &s);
        gap.value = (abut_interval){ fmax(gap.value.lo, other.value.lo), fmax(gap.value.hi, other.value.hi) };
    }
    return gap;
}

static void find_feature(const region *r, abut_sphere_pair *s)
{
    int nearest = 0;
    for (int i = 1; i < 3; ++i)
        if (r->beyond[i] > r->beyond[nearest])
            nearest = i;
    s->feature = abut_box_feature(r->outside ? r->outside : 1 << nearest, r->positive, &s->id);
}

/* Nearest point of the surface and outward direction, in the box's frame. */
static void find_foot(const region *r, const abut_sphere_pair *s, const double p[3], const double half[3],
                      abut_vec3 *foot, abut_vec3 *outward)
{
    double f[3], n[3] = { 0, 0, 0 };
    for (int i = 0; i < 3; ++i) {
        f[i] = fmax(-half[i], fmin(half[i], p[i]));
        if (r->outside >> i & 1) {
            f[i] = r->positive[i] ? half[i] : -half[i];
            n[i] = r->positive[i] ? r->beyond[i] : -r->beyond[i];
        }
    }
    if (!r->outside) {
        const int axis = (int)s->id / 2;
        n[axis] = r->positive[axis] ? 1 : -1;
        f[axis] = n[axis] * half[axis];
    }
    *foot = abut_v3(f[0], f[1], f[2]);
    *outward = abut_unit_or(abut_v3(n[0], n[1], n[2]), abut_v3(1, 0, 0));
}

abut_status abut_narrow_sphere_box(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    (void)ws;
    const double radius = pair->a->u.sphere.radius;
    const abut_vec3 half = pair->b->u.box.half;
    const double h[3] = { half.x, half.y, half.z };
    const int exponent =
        abut_gap_exponent(fmax(abut_sphere_pair_size(pair), fmax(radius, abut_max_norm(half))));
    const abut_vec3 centre = abut_place_to_local(pair->at_b, pair->at_a->mid.translation);
    const double p[3] = { centre.x, centre.y, centre.z };

    bool exact = abut_sphere_pair_is_exact(pair), lossy = false;
    region r;
    abut_gap gap;
    if (exact) {
        abut_terms offset[3];
        abut_sphere_pair_offset(pair, exponent, &lossy, offset);
        const double r_scaled = abut_gap_shrink(radius, exponent, &lossy);
        const double h_scaled[3] = { abut_gap_shrink(h[0], exponent, &lossy),
                                     abut_gap_shrink(h[1], exponent, &lossy),
                                     abut_gap_shrink(h[2], exponent, &lossy) };
        exact = !lossy || exponent <= 0;
        if (exact)
            gap = exact_gap(offset, h_scaled, r_scaled, lossy, &r);
    }
    if (!exact) {
        const input in = { pair, ldexp(1, -exponent), half, radius };
        abut_interval value;
        const abut_rounding saved = abut_rounding_enter();
        enclose_gap(&in, &value);
        abut_rounding_leave(saved);
        gap = abut_gap_from_interval(value);
        r.outside = 0;
        for (int i = 0; i < 3; ++i) {
            r.positive[i] = p[i] >= 0;
            r.beyond[i] = fabs(p[i]) - h[i];
            if (r.beyond[i] > 0)
                r.outside |= 1 << i;
        }
    }
    abut_sphere_pair s = { .radius = radius, .centre = pair->at_a->mid.translation };
    find_feature(&r, &s);
    abut_vec3 foot, outward;
    find_foot(&r, &s, p, h, &foot, &outward);
    s.outward = abut_place_turn(pair->at_b, outward);
    s.foot = abut_affine_apply(&pair->at_b->mid, foot);
    abut_sphere_pair_finish(&s, gap, exponent, exact ? ABUT_PROOF_EXACT : ABUT_PROOF_INTERVAL, out);
    return ABUT_OK;
}
