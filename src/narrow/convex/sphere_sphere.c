/* SPDX-License-Identifier: MIT */
/* Sphere against sphere: the gap is |c_a - c_b| - (r_a + r_b). Where the centres are known
 * exactly, which is always so for poses, the sign is exact, whatever the rotations. Concentric
 * spheres have no direction of their own: the normal is the world's x axis. */
#include "interval/ia.h"
#include "math/vec3.h"
#include "narrow/pair/pair.h"

typedef struct input {
    const abut_pair *pair;
    int exponent;
    double ra, rb;
} input;

static ABUT_NOINLINE void enclose_gap(const input *in, abut_interval *out)
{
    const double scale = ldexp(1, -in->exponent);
    ia3 d;
    abut_sphere_pair_enclose(in->pair, scale, &d);
    const ia length = ia_sqrt(ia_add(ia_add(ia_sqr(d.x), ia_sqr(d.y)), ia_sqr(d.z)));
    const ia radii = ia_add(ia_scale(scale, ia_point(in->ra)), ia_scale(scale, ia_point(in->rb)));
    *out = ia_to(ia_sub(length, radii));
}

static abut_gap general_gap(const abut_pair *pair, bool *is_exact, int *used_exponent)
{
    const double ra = pair->a->u.sphere.radius, rb = pair->b->u.sphere.radius;
    const int exponent = abut_gap_exponent(fmax(abut_sphere_pair_size(pair), fmax(ra, rb)));
    bool exact = abut_sphere_pair_is_exact(pair), lossy = false;
    abut_terms d[3], radii;
    if (exact) {
        abut_sphere_pair_offset(pair, exponent, &lossy, d);
        radii =
            (abut_terms){ 2,
                          { abut_gap_shrink(ra, exponent, &lossy), abut_gap_shrink(rb, exponent, &lossy) } };
        exact = !lossy || exponent <= 0; /* nothing is lost by scaling up */
    }
    abut_gap gap;
    if (exact)
        gap = abut_gap_norm(d, &radii, lossy);
    else {
        const input in = { pair, exponent, ra, rb };
        abut_interval value;
        const abut_rounding saved = abut_rounding_enter();
        enclose_gap(&in, &value);
        abut_rounding_leave(saved);
        gap = abut_gap_from_interval(value);
    }
    *is_exact = exact;
    *used_exponent = exponent;
    return gap;
}

abut_status abut_narrow_sphere_sphere(const abut_pair *pair, abut_workspace *ws, abut_check_result *out)
{
    (void)ws;
    const double ra = pair->a->u.sphere.radius, rb = pair->b->u.sphere.radius;
    const abut_vec3 p = pair->at_a->mid.translation, q = pair->at_b->mid.translation;
    const double pa[3] = { p.x, p.y, p.z }, pb[3] = { q.x, q.y, q.z };
    bool exact = abut_sphere_pair_is_exact(pair);
    int exponent = 0;
    abut_gap gap;
    if (!exact || !abut_gap_balls(pa, pb, ra, rb, &gap))
        gap = general_gap(pair, &exact, &exponent);
    const abut_vec3 direction = abut_sub(p, q);
    abut_sphere_pair s = { .radius = ra,
                           .centre = pair->at_a->mid.translation,
                           .feature = ABUT_FEATURE_FACE };
    s.outward = abut_unit_or(direction, abut_v3(1, 0, 0));
    s.foot = abut_madd(q, rb, s.outward);
    abut_sphere_pair_finish(&s, gap, exponent, exact ? ABUT_PROOF_EXACT : ABUT_PROOF_INTERVAL, out);
    return ABUT_OK;
}
