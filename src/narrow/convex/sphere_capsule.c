/* SPDX-License-Identifier: MIT */
/* Sphere against capsule: the distance of the centre p to the segment |z| <= height / 2, x = y =
 * 0, less both radii. In the capsule's frame the vector from the nearest point of the segment is
 * (x, y, max(|z| - height / 2, 0)) up to the sign of z. A centre on the segment has no direction
 * of its own: the normal is then the capsule's x axis, along which the least translation leads
 * as along any other. Features: face 0 is the side, 1 the cap below, 2 the cap above; the seams
 * belong to the side. */
#include "interval/ia.h"
#include "math/vec3.h"
#include "narrow/pair/pair.h"

typedef struct input {
    const abut_pair *pair;
    double scale, half, radii[2];
} input;

static ABUT_NOINLINE void enclose_gap(const input *in, abut_interval *out)
{
    ia3 p;
    abut_sphere_pair_enclose(in->pair, in->scale, &p);
    const ia z = ia_max(ia_sub(ia_abs(p.z), ia_scale(in->scale, ia_point(in->half))), ia_point(0));
    const ia length = ia_sqrt(ia_add(ia_add(ia_sqr(p.x), ia_sqr(p.y)), ia_sqr(z)));
    const ia radii =
        ia_add(ia_scale(in->scale, ia_point(in->radii[0])), ia_scale(in->scale, ia_point(in->radii[1])));
    *out = ia_to(ia_sub(length, radii));
}

abut_status abut_narrow_sphere_capsule(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    (void)ws;
    const double ra = pair->a->u.sphere.radius, rb = pair->b->u.round.radius,
                 height = pair->b->u.round.height;
    const int exponent = abut_gap_exponent(fmax(abut_sphere_pair_size(pair), fmax(fmax(ra, rb), height)));
    const abut_vec3 p = abut_place_to_local(pair->at_b, pair->at_a->mid.translation);

    bool exact = abut_sphere_pair_is_exact(pair), lossy = false;
    abut_gap gap;
    abut_vec3 v = { p.x, p.y, fmax(fabs(p.z) - 0.5 * height, 0) };
    int side = v.z > 0 ? (p.z > 0 ? 1 : -1) : 0;
    if (exact) {
        abut_terms d[3];
        abut_sphere_pair_offset(pair, exponent, &lossy, d);
        const double half = 0.5 * abut_gap_shrink(height, exponent, &lossy);
        const abut_terms s = {
            2, { abut_gap_shrink(ra, exponent, &lossy), abut_gap_shrink(rb, exponent, &lossy) }
        };
        exact = !lossy || exponent <= 0;
        if (exact) {
            side = abut_terms_sign(&d[2]);
            if (side < 0)
                abut_terms_negate(&d[2]);
            abut_terms_push(&d[2], -half);
            if (abut_terms_sign(&d[2]) <= 0) {
                side = 0;
                d[2] = (abut_terms){ 1, { 0 } };
            }
            gap = abut_gap_norm(d, &s, lossy);
            v = abut_v3(abut_terms_value(&d[0]).h, abut_terms_value(&d[1]).h, abut_terms_value(&d[2]).h);
        }
    }
    if (!exact) {
        const input in = { pair, ldexp(1, -exponent), 0.5 * height, { ra, rb } };
        abut_interval value;
        const abut_rounding saved = abut_rounding_enter();
        enclose_gap(&in, &value);
        abut_rounding_leave(saved);
        gap = abut_gap_from_interval(value);
    }
    if (side < 0)
        v.z = -v.z;
    const abut_vec3 outward = abut_unit_or(v, abut_v3(1, 0, 0));
    const double z = side ? side * 0.5 * height : fmax(-0.5 * height, fmin(0.5 * height, p.z));
    abut_sphere_pair s = { .radius = ra,
                           .centre = pair->at_a->mid.translation,
                           .feature = ABUT_FEATURE_FACE };
    s.id = side == 0 ? 0 : side < 0 ? 1 : 2;
    s.outward = abut_place_turn(pair->at_b, outward);
    s.foot = abut_madd(abut_affine_apply(&pair->at_b->mid, abut_v3(0, 0, z)), rb, s.outward);
    abut_sphere_pair_finish(&s, gap, exponent, exact ? ABUT_PROOF_EXACT : ABUT_PROOF_INTERVAL, out);
    return ABUT_OK;
}
