/* SPDX-License-Identifier: MIT */
/* What the ways to cast have in common: error bounds and the choice; see slide.h.
 *
 * u = 2^-53. pair.error is that of s(n) as narrow/convex.h has it. The gap here also has the radii taken off, sums of four terms and a direction that is unit to
 * 8 u: 4 u (|t| + sizes) and 12 u radii more. Of the velocity: its difference and its turn into a's frame take 6 u, products with n 3 u and with s, itself off by
 * 1 u, another 3; 16 u |v| in all, beside the errors of the motions and the rotation. */
#include "ccd/slide.h"

#include "ccd/front.h"

static const double u = 0x1p-53;

static bool is_usual(double x)
{
    return x >= 0x1p-140 && x <= 0x1p140;
}

bool abut_slide_begin(abut_slide *c, double drift, double turn)
{
    const double sizes = c->pair.a->size + c->pair.b->size;
    c->most = c->hi - c->lo;
    c->far = sqrt(abut_dot(c->pair.t, c->pair.t));
    c->speed = sqrt(abut_dot(c->v, c->v));
    c->error = c->pair.error + u * (4 * (c->far + sizes) + 12 * c->pair.radii);
    c->slip = drift + c->speed * (turn + 16 * u) + 0x1p-1060;
    return is_usual(c->speed) && is_usual(c->speed * c->most) && is_usual(c->most) &&
           is_usual(c->far + sizes + c->pair.radii) && c->slip < 0x1p-20 * c->speed;
}

void abut_slide_plane(const abut_slide *c, const abut_vec3 *n, uint32_t hint_a, uint32_t hint_b,
                      abut_slide_line *out)
{
    const abut_vec3 m = abut_mul_t(&c->pair.r, *n);
    const double reach = abut_core_reach(c->pair.a, *n, &hint_a) +
                         abut_core_reach(c->pair.b, abut_v3(-m.x, -m.y, -m.z), &hint_b);
    out->value = abut_dot(*n, c->pair.t) - reach - c->pair.radii - c->error;
    out->slope = abut_dot(*n, c->v) - c->slip;
}

bool abut_slide_is_fast(const abut_convex_pair *pair)
{
    return (abut_core_is_polytope(pair->a) && abut_core_is_polytope(pair->b)) ||
           abut_slide_is_ellipsoid(pair);
}

abut_slide_end abut_slide_run(abut_slide *c, abut_slide_hit *out)
{
    const abut_core *a = c->pair.a, *b = c->pair.b;
    abut_slide_end end = ABUT_SLIDE_UNSURE;
    out->evaluations = 0;
    if (a->kind == ABUT_CORE_BOX && b->kind == ABUT_CORE_BOX && !(c->pair.radii > 0))
        end = abut_slide_boxes(c, out);
    else if (abut_core_is_polytope(a) && abut_core_is_polytope(b) && !(c->pair.radii > 0))
        end = abut_slide_portal(c, out);
    else if (abut_slide_is_round(&c->pair))
        end = abut_slide_round(c, out);
    else if (abut_slide_is_ellipsoid(&c->pair))
        return abut_slide_ellipsoid(c, out);
    return end != ABUT_SLIDE_UNSURE ? end : abut_slide_ray(c, out);
}
