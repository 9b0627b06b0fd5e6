/* SPDX-License-Identifier: MIT */
/* Sphere against half-space n . x <= offset, for n of any length: the gap is (n . p - offset) /
 * |n| - r with p the centre in the half-space's frame. Its sign is that of (n . p - offset)^2 -
 * r^2 |n|^2 when the centre is outside, and negative otherwise, so that it is exact for every
 * normal, though |n| is irrational for most. */
#include "interval/ia.h"
#include "math/vec3.h"
#include "narrow/pair/pair.h"

typedef struct input {
    const abut_pair *pair;
    double scale;
    double normal[3]; /* near 1 */
    int exponent, normal_exponent;
    double offset, radius; /* as given */
} input;

static ABUT_NOINLINE void enclose_gap(const input *in, abut_interval *out)
{
    ia3 p;
    abut_sphere_pair_enclose(in->pair, in->scale, &p);
    const ia nx = ia_point(in->normal[0]), ny = ia_point(in->normal[1]), nz = ia_point(in->normal[2]);
    const ia dot = ia_add(ia_add(ia_mul(nx, p.x), ia_mul(ny, p.y)), ia_mul(nz, p.z));
    /* Two factors, because their product may be no double. */
    const ia offset = ia_scale(ldexp(1, -in->normal_exponent), ia_scale(in->scale, ia_point(in->offset)));
    const ia length = ia_sqrt(ia_add(ia_add(ia_sqr(nx), ia_sqr(ny)), ia_sqr(nz)));
    *out = ia_to(ia_sub(ia_div(ia_sub(dot, offset), length), ia_scale(in->scale, ia_point(in->radius))));
}

abut_status abut_narrow_sphere_halfspace(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    (void)ws;
    const double radius = pair->a->u.sphere.radius, offset = pair->b->u.halfspace.offset;
    const abut_vec3 normal = pair->b->u.halfspace.normal;
    int normal_exponent;
    (void)frexp(abut_max_norm(normal), &normal_exponent);
    normal_exponent = normal_exponent < -900 ? -900 : normal_exponent - 1;
    bool lossy = false;
    const double n[3] = { abut_gap_shrink(normal.x, normal_exponent, &lossy),
                          abut_gap_shrink(normal.y, normal_exponent, &lossy),
                          abut_gap_shrink(normal.z, normal_exponent, &lossy) };
    const double reach = ldexp(offset, -normal_exponent);
    const int exponent = abut_gap_exponent(fmax(abut_sphere_pair_size(pair), fmax(radius, fabs(reach))));

    bool exact = abut_sphere_pair_is_exact(pair) && !lossy && isfinite(reach);
    abut_gap gap;
    if (exact) {
        abut_terms p[3];
        abut_sphere_pair_offset(pair, exponent, &lossy, p);
        const double r = abut_gap_shrink(radius, exponent, &lossy);
        const double o = abut_gap_shrink(offset, normal_exponent + exponent, &lossy);
        exact = !lossy;
        if (exact)
            gap = abut_gap_plane(n, p, o, r, lossy);
    }
    if (!exact) {
        const input in = { pair,     ldexp(1, -exponent), { n[0], n[1], n[2] },
                           exponent, normal_exponent,     offset,
                           radius };
        abut_interval value;
        const abut_rounding saved = abut_rounding_enter();
        enclose_gap(&in, &value);
        abut_rounding_leave(saved);
        gap = abut_gap_from_interval(value);
    }
    const abut_vec3 unit = abut_unit_or(normal, abut_v3(0, 0, 1));
    const abut_vec3 p = abut_place_to_local(pair->at_b, pair->at_a->mid.translation);
    const double size = abut_length(abut_v3(n[0], n[1], n[2]));
    const double height = abut_dot(unit, p) - reach / size;
    abut_sphere_pair s = { .radius = radius,
                           .centre = pair->at_a->mid.translation,
                           .feature = ABUT_FEATURE_FACE };
    s.outward = abut_place_turn(pair->at_b, unit);
    s.foot = abut_madd(s.centre, -height, s.outward);
    abut_sphere_pair_finish(&s, gap, exponent, exact ? ABUT_PROOF_EXACT : ABUT_PROOF_INTERVAL, out);
    return ABUT_OK;
}
