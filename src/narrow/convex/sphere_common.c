/* SPDX-License-Identifier: MIT */
/* What the four sphere methods share: from two placements to the centre in the other's frame,
 * and from a gap to a result. */
#include "interval/ia.h"
#include "math/vec3.h"
#include "narrow/pair/pair.h"

bool abut_sphere_pair_is_exact(const abut_pair *pair)
{
    return pair->at_a->points && pair->at_b->points &&
           (pair->at_b->axes || pair->b->type == ABUT_SHAPE_SPHERE);
}

double abut_sphere_pair_size(const abut_pair *pair)
{
    return fmax(abut_max_norm(pair->at_a->mid.translation), abut_max_norm(pair->at_b->mid.translation));
}

void abut_sphere_pair_offset(const abut_pair *pair, int exponent, bool *lossy, abut_terms out[3])
{
    const abut_vec3 c = pair->at_a->mid.translation, t = pair->at_b->mid.translation;
    const double centre[3] = { c.x, c.y, c.z }, origin[3] = { t.x, t.y, t.z };
    const bool turned = pair->b->type != ABUT_SHAPE_SPHERE;
    for (int i = 0; i < 3; ++i) {
        const int axis = turned ? pair->at_b->axis[i] : i;
        out[i] = abut_terms_difference(abut_gap_shrink(centre[axis], exponent, lossy),
                                       abut_gap_shrink(origin[axis], exponent, lossy));
        if (turned && pair->at_b->sign[i] < 0)
            abut_terms_negate(&out[i]);
    }
}

abut_gap abut_gap_from_interval(abut_interval value)
{
    return (abut_gap){ .value = value, .sign = value.lo > 0 ? 1 : value.hi < 0 ? -1 : ABUT_SIGN_UNKNOWN };
}

void abut_sphere_pair_enclose(const abut_pair *pair, double scale, struct ia3 *out)
{
    const abut_interval_vec3 *c = &pair->at_a->enclosure.translation, *t = &pair->at_b->enclosure.translation;
    const ia d[3] = { ia_sub(ia_scale(scale, ia_from(c->x)), ia_scale(scale, ia_from(t->x))),
                      ia_sub(ia_scale(scale, ia_from(c->y)), ia_scale(scale, ia_from(t->y))),
                      ia_sub(ia_scale(scale, ia_from(c->z)), ia_scale(scale, ia_from(t->z))) };
    if (pair->b->type == ABUT_SHAPE_SPHERE) {
        *out = (ia3){ d[0], d[1], d[2] };
        return;
    }
    ia local[3];
    for (int j = 0; j < 3; ++j) {
        const abut_interval_mat3 *m = &pair->at_b->enclosure.linear;
        local[j] = ia_add(ia_add(ia_mul(ia_from(m->m[0][j]), d[0]), ia_mul(ia_from(m->m[1][j]), d[1])),
                          ia_mul(ia_from(m->m[2][j]), d[2]));
    }
    *out = (ia3){ local[0], local[1], local[2] };
}

void abut_sphere_pair_finish(const abut_sphere_pair *s, abut_gap gap, int exponent, abut_proof proof,
                             abut_check_result *out)
{
    const abut_interval value = abut_exact_scale(gap.value, exponent);
    out->proof = proof;
    out->stop = ABUT_STOP_DONE;
    out->counters.evaluations = 1;
    out->counters.exact = gap.exact;
    switch (gap.sign) {
    case 1:
        out->verdict = ABUT_SEPARATE;
        out->distance = (abut_interval){ fmax(value.lo, 0), value.hi };
        break;
    case 0: out->verdict = ABUT_TOUCHING; break;
    case -1:
        out->verdict = ABUT_PENETRATING;
        out->has_depth = true;
        out->depth = (abut_interval){ fmax(-value.hi, 0), -value.lo };
        break;
    default:
        out->verdict = ABUT_UNDECIDED;
        out->proof = ABUT_PROOF_NONE;
        out->stop = ABUT_STOP_TOLERANCE;
        out->distance = (abut_interval){ fmax(value.lo, 0), fmax(value.hi, 0) };
        out->depth = (abut_interval){ fmax(-value.hi, 0), fmax(-value.lo, 0) };
    }
    /* The middle of a wide enclosure of a rotation is none, and what it turns is shortened: no
     * direction is known then. */
    out->has_normal = fabs(abut_dot(s->outward, s->outward) - 1) < 1e-6;
    if (!out->has_normal)
        return;
    /* 0 - 0 is 0, not -0, in what users read */
    out->normal = abut_sub(abut_v3(0, 0, 0), s->outward);
    const abut_vec3 point_a = abut_madd(s->centre, -s->radius, s->outward);
    /* A plane may be further away than doubles reach: offset / |normal| overflows. */
    out->has_points = abut_is_finite3(point_a) && abut_is_finite3(s->foot);
    if (!out->has_points)
        return;
    out->point_a = point_a;
    out->point_b = s->foot;
    if (gap.sign != 1 && gap.sign != ABUT_SIGN_UNKNOWN) {
        out->contact_count = 1;
        out->contacts[0] = (abut_contact){
            .point = { 0.5 * out->point_a.x + 0.5 * out->point_b.x,
                       0.5 * out->point_a.y + 0.5 * out->point_b.y,
                       0.5 * out->point_a.z + 0.5 * out->point_b.z },
            .normal = out->normal,
            .features = { ABUT_FEATURE_FACE, s->feature },
            .ids = { 0, s->id },
        };
    }
}
