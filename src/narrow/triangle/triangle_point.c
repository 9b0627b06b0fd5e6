/* SPDX-License-Identifier: MIT */
/* One triangle and a point in its own frame; see triangle.h. */
#include "abut/predicates.h"
#include "math/vec3.h"
#include "narrow/triangle/triangle.h"

static double clamp(double s)
{
    return s > 0 ? s < 1 ? s : 1 : 0;
}

/* Nearest point of edge k; its feature. */
static double try_edge(const abut_vec3 t[3], int k, abut_vec3 p, abut_vec3 *at, abut_feature *feature,
                       int *which)
{
    const int next = k == 2 ? 0 : k + 1;
    const abut_vec3 e = abut_sub(t[next], t[k]), r = abut_sub(p, t[k]);
    const double ee = abut_dot(e, e), s = ee > 0 ? clamp(abut_dot(r, e) / ee) : 0;
    *at = s == 0 ? t[k] : s == 1 ? t[next] : abut_madd(t[k], s, e);
    *feature = s > 0 && s < 1 ? ABUT_FEATURE_EDGE : ABUT_FEATURE_VERTEX;
    *which = s == 1 ? next : k;
    const abut_vec3 d = abut_sub(p, *at);
    return abut_dot(d, d);
}

abut_vec3 abut_triangle_closest(const abut_vec3 t[3], abut_vec3 p, abut_feature *feature, int *which)
{
    const abut_vec3 n = abut_cross(abut_sub(t[1], t[0]), abut_sub(t[2], t[0]));
    const double nn = abut_dot(n, n);
    double over[3] = { 0, 0, 0 }; /* edge k: times 1 / |n|^2, the weight of the corner opposite */
    bool inside = nn > 0;
    for (int k = 0; inside && k < 3; ++k) {
        over[k] = abut_dot(abut_cross(n, abut_sub(t[(k + 1) % 3], t[k])), abut_sub(p, t[k]));
        inside = over[k] > 0;
    }
    if (inside) {
        /* put together from the corners: on the triangle even where a sliver's normal is badly
         * known */
        *feature = ABUT_FEATURE_FACE;
        *which = 0;
        const double one = clamp(over[2] / nn), most = 1 - one, two = clamp(over[0] / nn);
        return abut_madd(abut_madd(t[0], one, abut_sub(t[1], t[0])), two < most ? two : most,
                         abut_sub(t[2], t[0]));
    }
    abut_vec3 best = t[0];
    double least = HUGE_VAL;
    *feature = ABUT_FEATURE_VERTEX;
    *which = 0;
    for (int k = 0; k < 3; ++k) {
        abut_vec3 at;
        abut_feature kind;
        int number;
        const double off = try_edge(t, k, p, &at, &kind, &number);
        if (off < least) {
            least = off;
            best = at;
            *feature = kind;
            *which = number;
        }
    }
    return best;
}

int abut_triangle_turn(abut_vec3 a, abut_vec3 b, abut_vec3 c, int axis)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    const double pa[2] = { abut_part3(a, u), abut_part3(a, v) },
                 pb[2] = { abut_part3(b, u), abut_part3(b, v) },
                 pc[2] = { abut_part3(c, u), abut_part3(c, v) };
    return abut_orient2d(pa, pb, pc);
}
