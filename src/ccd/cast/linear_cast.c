/* SPDX-License-Identifier: MIT */
/* What the ways to cast have in common: error bounds and the choice; see linear_cast.h.
 *
 * u = 2^-53. pair.error is that of s(n) as narrow/convex.h has it. The gap here also has the
 * radii taken off, sums of four terms and a direction that is unit to 8 u: 4 u (|t| + sizes) and
 * 12 u radii more. Of the velocity: its difference and its turn into a's frame take 6 u,
 * products with n 3 u and with s, itself off by 1 u, another 3; 16 u |v| in all, beside the
 * errors of the motions and the rotation. */
#include "ccd/cast/linear_cast.h"

#include "ccd/proof/moving_plane.h"
#include "narrow/distance/cylinders.h"

static const double u = 0x1p-53;

int abut_linear_cast_force_plain;

static bool is_usual(double x)
{
    return x >= 0x1p-140 && x <= 0x1p140;
}

bool abut_linear_cast_begin(abut_linear_cast *c, double drift, double turn)
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

void abut_linear_cast_plane(const abut_linear_cast *c, const abut_vec3 *n, uint32_t hint_a, uint32_t hint_b,
                            abut_linear_cast_line *out)
{
    const abut_vec3 m = abut_mul_t(&c->pair.r, *n);
    const double reach = abut_core_reach(c->pair.a, *n, &hint_a) +
                         abut_core_reach(c->pair.b, abut_v3(-m.x, -m.y, -m.z), &hint_b);
    out->value = abut_dot(*n, c->pair.t) - reach - c->pair.radii - c->error;
    out->slope = abut_dot(*n, c->v) - c->slip;
}

static bool has_portal(const abut_convex_pair *pair)
{
    return !(pair->radii > 0) && pair->a->kind >= ABUT_CORE_BOX && pair->a->kind <= ABUT_CORE_HULL &&
           pair->b->kind >= ABUT_CORE_BOX && pair->b->kind <= ABUT_CORE_HULL;
}

bool abut_linear_cast_is_fast(const abut_convex_pair *pair)
{
    return (abut_core_is_polytope(pair->a) && abut_core_is_polytope(pair->b)) ||
           abut_linear_cast_is_ellipsoid(pair) || has_portal(pair);
}

static abut_linear_cast_end slide_rims(const abut_linear_cast *c, abut_linear_cast_hit *out)
{
    const abut_mat3 *r = &c->pair.r;
    const abut_vec3 axis[2] = { { 0, 0, 1 }, { r->m[0][2], r->m[1][2], r->m[2][2] } };
    return abut_linear_cast_cylinders(c, axis, out);
}

abut_linear_cast_end abut_linear_cast_run(abut_linear_cast *c, abut_linear_cast_hit *out)
{
    const abut_core *a = c->pair.a, *b = c->pair.b;
    const bool curved = !abut_core_is_polytope(a) || !abut_core_is_polytope(b);
    abut_linear_cast_end end = ABUT_SLIDE_UNSURE;
    out->evaluations = 0;
    if (a->kind == ABUT_CORE_BOX && b->kind == ABUT_CORE_BOX && !(c->pair.radii > 0))
        end = abut_linear_cast_boxes(c, out);
    else if (abut_linear_cast_is_ellipsoid(&c->pair))
        end = abut_linear_cast_ellipsoid(c, out);
    else if (abut_cylinders_knows(&c->pair) && !(c->pair.radii > 0))
        end = slide_rims(c, out);
    else if (has_portal(&c->pair))
        end = abut_linear_cast_portal(c, out);
    else if (abut_linear_cast_is_round(&c->pair))
        end = abut_linear_cast_round(c, out);
    return end != ABUT_SLIDE_UNSURE || curved ? end : abut_linear_cast_ray(c, out);
}

/* Of a hull: the vertices above a plane are connected by edges above it, so that those next to
 * the top tell. */
static int level_count_of_hull(const abut_core *core, abut_vec3 d, double level, uint32_t top)
{
    const abut_hull *hull = core->hull;
    const double least = abut_dot(d, abut_core_vertex(core, top)) - level;
    int count = 1;
    for (uint32_t i = hull->link_begin[top]; i < hull->link_begin[top + 1] && count < 3; ++i)
        count += abut_dot(d, abut_core_vertex(core, hull->links[i])) > least;
    return count;
}

/* Vertices on the plane through the one furthest along d, of unit length; 3 at most: 1 for a
 * corner, 2 for an edge. Faces, rims and lines of curved bodies count likewise, half-spaces as a
 * face. `top`: the vertex of a hull that lies furthest. */
static int level_count_at(const abut_core *core, abut_vec3 d, uint32_t top)
{
    const double level = 0x1p-30 * core->size, *h = core->h;
    const double flat = sqrt(d.x * d.x + d.y * d.y);
    uint32_t n = 2, hint = 0;
    int count = 0;
    switch (core->kind) {
    case ABUT_CORE_NONE: return 3;
    case ABUT_CORE_CYLINDER: return h[0] * flat < level ? 3 : h[2] * fabs(d.z) < level ? 2 : 1;
    case ABUT_CORE_CONE:
        return d.z < 0 && h[0] * flat < level ? 3 : fabs(2 * h[2] * d.z - h[0] * flat) < level ? 2 : 1;
    case ABUT_CORE_SEGMENT: break;
    case ABUT_CORE_BOX: n = 8; break;
    case ABUT_CORE_HULL: return level_count_of_hull(core, d, level, top);
    default: return 1;
    }
    const double least = abut_core_reach(core, d, &hint) - level;
    for (uint32_t i = 0; i < n && count < 3; ++i)
        count += abut_dot(d, abut_core_vertex(core, i)) > least;
    return count;
}

static uint32_t top_of(const abut_core *core, abut_vec3 d)
{
    return core->kind == ABUT_CORE_HULL ? abut_hull_support(core->hull, d, 0) : 0;
}

static int level_count(const abut_core *core, abut_vec3 d)
{
    return level_count_at(core, d, top_of(core, d));
}

/* One point does not suffice where neither has a corner there, but for edges that cross. */
static bool are_several(int of_a, int of_b, const abut_feature *features)
{
    return of_a > 1 && of_b > 1 &&
           !(of_a == 2 && of_b == 2 && features[0] == ABUT_FEATURE_EDGE && features[1] == ABUT_FEATURE_EDGE);
}

bool abut_linear_cast_may_be_several(const abut_core *a, const abut_vec3 *along_a, const abut_core *b,
                                     const abut_vec3 *along_b, const abut_feature *features)
{
    const int of_a = level_count(a, *along_a);
    return of_a > 1 && are_several(of_a, level_count(b, *along_b), features);
}

/* The direction of the side, slant or segment that lies on the plane. */
static bool line_of(const abut_core *core, abut_vec3 d, abut_vec3 *out)
{
    const double flat = sqrt(d.x * d.x + d.y * d.y);
    if (level_count(core, d) != 2)
        return false;
    if (core->kind == ABUT_CORE_CYLINDER || core->kind == ABUT_CORE_SEGMENT)
        *out = abut_v3(0, 0, 1);
    else if (core->kind == ABUT_CORE_CONE)
        *out = abut_v3(-core->h[0] * d.x / flat, -core->h[0] * d.y / flat, 2 * core->h[2]);
    else
        return false;
    return true;
}

bool abut_linear_cast_lines_cross(const abut_core *a, const abut_mat3 *at_a, const abut_core *b,
                                  const abut_mat3 *at_b, abut_vec3 n)
{
    abut_vec3 p, q;
    if (!line_of(a, abut_mul_t(at_a, n), &p) || !line_of(b, abut_mul_t(at_b, abut_v3(-n.x, -n.y, -n.z)), &q))
        return false;
    const abut_vec3 across = abut_cross(abut_mul(at_a, p), abut_mul(at_b, q));
    return abut_dot(across, across) > 0x1p-40 * (abut_dot(p, p) * abut_dot(q, q));
}

bool abut_linear_cast_is_several_at(const abut_linear_cast *c, const abut_linear_cast_hit *hit,
                                    const uint32_t top[2])
{
    static const abut_mat3 own = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    const abut_vec3 m = abut_mul_t(&c->pair.r, abut_v3(-hit->n.x, -hit->n.y, -hit->n.z));
    const int of_a = level_count_at(c->pair.a, hit->n, top[0]);
    return of_a > 1 && are_several(of_a, level_count_at(c->pair.b, m, top[1]), hit->features) &&
           !abut_linear_cast_lines_cross(c->pair.a, &own, c->pair.b, &c->pair.r, hit->n);
}

bool abut_linear_cast_is_several(const abut_linear_cast *c, const abut_linear_cast_hit *hit)
{
    const abut_vec3 m = abut_mul_t(&c->pair.r, abut_v3(-hit->n.x, -hit->n.y, -hit->n.z));
    const uint32_t top[2] = { top_of(c->pair.a, hit->n), top_of(c->pair.b, m) };
    return abut_linear_cast_is_several_at(c, hit, top);
}
