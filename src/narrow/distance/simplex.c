/* SPDX-License-Identifier: MIT */
/* What GJK wants of a simplex once only: weights of the nearest point, and how deep the origin
 * lies inside; see simplex.h. */
#include "narrow/distance/simplex.h"

static const double u = 0x1p-53;

/* ab x ac, bc = ac - ab: the product of any two edges, with an error of a few u of their
 * lengths; so that of the shortest. */
static abut_vec3 normal_of(abut_vec3 ab, abut_vec3 ac, abut_vec3 bc)
{
    const double b = abut_dot(ab, ab), c = abut_dot(ac, ac), d = abut_dot(bc, bc);
    if (d >= b && d >= c)
        return abut_cross(ab, ac);
    return b >= c ? abut_cross(ac, bc) : abut_cross(ab, bc);
}

/* With the sine s = |n| / (|e| |f|) of the angle between those edges, n is off by u / s. The
 * part of that along the longest edge is taken off; what turns n about the length L of the
 * triangle stays, and at the distance d of its plane costs d u^2 / s^2. An edge instead costs
 * the square of the height, s L, over d. Both are of the order of u L when s^2 = u d / L:
 * beyond, edges are better. */
bool abut_simplex_is_needle(abut_vec3 a, abut_vec3 ab, abut_vec3 ac, abut_vec3 *n)
{
    const abut_vec3 bc = abut_sub(ac, ab), m = normal_of(ab, ac, bc);
    const double b = abut_dot(ab, ab), c = abut_dot(ac, ac), d = abut_dot(bc, bc), nn = abut_dot(m, m);
    const double bc2 = b > c ? b : c, longest = bc2 > d ? bc2 : d;
    const double spread = longest == d ? b * c : longest == b ? c * d : b * d;
    const abut_vec3 e = longest == d ? bc : longest == b ? ab : ac;
    *n = m;
    if (!(nn > ABUT_SIMPLEX_FLAT * spread))
        return true;
    *n = abut_madd(m, -abut_dot(m, e) / longest, e);
    return u * fabs(abut_dot(*n, a)) * spread > nn * sqrt(nn * longest);
}

/* GJK with the points themselves for K: from one feature to the next that a point brings nearer.
 * There are 15 of them. */
abut_nearest_feature abut_simplex_nearest(const abut_vec3 *p, int count)
{
    abut_nearest_feature f = { p[0], abut_dot(p[0], p[0]), 1 };
    unsigned spent = 1; /* points that brought nothing since the last step */
    for (int steps = 0; steps < 16 && f.kept != 15; ++steps) {
        int best = -1;
        double least = f.square;
        for (int i = 0; i < count; ++i)
            if (!(f.kept >> i & 1) && !(spent >> i & 1) && abut_dot(f.v, p[i]) < least) {
                least = abut_dot(f.v, p[i]);
                best = i;
            }
        if (best < 0)
            break;
        abut_vec3 old[3];
        unsigned bit[3] = { 0, 0, 0 };
        int n = 0;
        for (int i = 0; i < count; ++i)
            if (f.kept >> i & 1) {
                old[n] = p[i];
                bit[n++] = 1u << i;
            }
        abut_nearest_feature g;
        abut_simplex_grow(old, n, p[best], &g);
        spent |= 1u << best;
        if (!(g.square < f.square))
            continue;
        spent = 0;
        f.v = g.v;
        f.square = g.square;
        f.kept =
            1u << best | (g.kept & 1 ? bit[0] : 0) | (g.kept & 2 ? bit[1] : 0) | (g.kept & 4 ? bit[2] : 0);
    }
    return f;
}

static void normalise(double *weight, int count)
{
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        weight[i] = weight[i] > 0 ? weight[i] : 0;
        sum += weight[i];
    }
    if (!(sum > 0)) {
        weight[0] = sum = 1;
        for (int i = 1; i < count; ++i)
            weight[i] = 0;
    }
    for (int i = 0; i < count; ++i)
        weight[i] /= sum;
}

/* The nearest point measured from the nearer end, so that the smaller weight is accurate
 * relative to the larger. */
static void edge_weights(const abut_vec3 *p, double *weight)
{
    const abut_vec3 e = abut_sub(p[1], p[0]);
    weight[0] = abut_dot(p[1], e);
    weight[1] = -abut_dot(p[0], e);
    normalise(weight, 2);
}

static double square_at(const abut_vec3 *p, const double *weight)
{
    const abut_vec3 v = abut_madd(abut_madd(abut_scale(weight[0], p[0]), weight[1], p[1]), weight[2], p[2]);
    return abut_dot(v, v);
}

/* Takes off the part along the edge from i to j, which should be zero. */
static void straighten(const abut_vec3 *p, int i, int j, double *weight)
{
    const abut_vec3 e = abut_sub(p[j], p[i]);
    const abut_vec3 v = abut_madd(abut_madd(abut_scale(weight[0], p[0]), weight[1], p[1]), weight[2], p[2]);
    const double shift = abut_dot(v, e) / abut_dot(e, e);
    weight[i] += shift;
    weight[j] -= shift;
    normalise(weight, 3);
}

/* In a needle the normal is off by u / sin, and the weights are by u |w| / height, which leads
 * astray along its length. So the point is straightened along each edge, or put on one: the
 * nearest counts. Across, there is no room for an error that does. */
static void needle_weights(const abut_vec3 *p, double *weight)
{
    double least = square_at(p, weight);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        double moved[3] = { weight[0], weight[1], weight[2] }, edge[2], onto[3] = { 0, 0, 0 };
        const abut_vec3 ends[2] = { p[i], p[j] };
        straighten(p, i, j, moved);
        edge_weights(ends, edge);
        onto[i] = edge[0];
        onto[j] = edge[1];
        for (int k = 0; k < 2; ++k) {
            const double *other = k ? onto : moved, square = square_at(p, other);
            if (square < least) {
                least = square;
                for (int l = 0; l < 3; ++l)
                    weight[l] = other[l];
            }
        }
    }
}

static void face_weights(const abut_vec3 *p, double *weight)
{
    const abut_vec3 ab = abut_sub(p[1], p[0]), ac = abut_sub(p[2], p[0]), bc = abut_sub(p[2], p[1]);
    const abut_vec3 n = normal_of(ab, ac, bc);
    weight[0] = abut_dot(n, abut_cross(p[1], bc));
    weight[1] = abut_dot(n, abut_cross(ac, p[0]));
    weight[2] = abut_dot(n, abut_cross(p[0], ab));
    normalise(weight, 3);
    if (abut_dot(n, n) < 0x1p-16 * (abut_dot(ab, ab) * abut_dot(ac, ac)))
        needle_weights(p, weight);
}

void abut_simplex_weights(const abut_vec3 *p, int count, double *weight)
{
    switch (count) {
    case 1: weight[0] = 1; break;
    case 2: edge_weights(p, weight); break;
    default: face_weights(p, weight); break;
    }
}

/* Certified lower bound of the distance of the plane through a, b, c from the origin, on whose
 * inner side d lies; negative where the origin is not proved to be on d's side. The normal n = e
 * x f comes with an error of at most 6 u |e| |f|: 2 u |e| |f| from the rounded edges, and each
 * of its coordinates is off by 2 u (|e_i f_j| + |e_j f_i|), together 2 sqrt(2) u |e| |f|. So n .
 * a / |n| is off by 6 u |e| |f| |a| / |n| for n, as much for its length, and 5 u |a| for the
 * operations: 20 u |e| |f| |a| / |n| has room for all, since |n| <= |e| |f|. */
static double plane_margin(abut_vec3 a, abut_vec3 b, abut_vec3 c, abut_vec3 d)
{
    const abut_vec3 e = abut_sub(b, a), f = abut_sub(c, a), n = abut_cross(e, f);
    const double length = sqrt(abut_dot(n, n));
    const double spread = sqrt(abut_dot(e, e) * abut_dot(f, f)), far = sqrt(abut_dot(a, a));
    const double height = abut_dot(n, a), side = abut_dot(n, abut_sub(d, a));
    /* The plane is on the far side of the origin from d. */
    const double reach = side > 0 ? -height : height;
    const double slack = 20 * u * spread;
    if (!(length > 2 * slack) || !(fabs(side) > slack * sqrt(abut_dot(d, d)) + slack * far))
        return -1;
    return (reach - slack * far) / length;
}

double abut_simplex_margin(const abut_vec3 *p)
{
    double least = plane_margin(p[0], p[1], p[2], p[3]);
    least = fmin(least, plane_margin(p[0], p[2], p[3], p[1]));
    least = fmin(least, plane_margin(p[0], p[3], p[1], p[2]));
    return fmin(least, plane_margin(p[1], p[2], p[3], p[0]));
}

/* With W the largest |w|, edges are at most 2 W, |e| |f| and |n| at most 4 W^2: heights over 4
 * W^2 (least + 20 u W) will do. */
bool abut_simplex_holds(const abut_vec3 *p, double least)
{
    const abut_vec3 *a = &p[0], *b = &p[1], *c = &p[2], *d = &p[3];
    const abut_vec3 ab = abut_sub(*b, *a), ac = abut_sub(*c, *a), ad = abut_sub(*d, *a);
    const abut_vec3 abc = abut_cross(ab, ac), acd = abut_cross(ac, ad), adb = abut_cross(ad, ab);
    const abut_vec3 bcd = abut_cross(abut_sub(*c, *b), abut_sub(*d, *b));
    const double sign = abut_dot(ab, acd) > 0 ? 1 : -1;
    const double aa = abut_dot(*a, *a), bb = abut_dot(*b, *b), cc = abut_dot(*c, *c), dd = abut_dot(*d, *d);
    const double ab2 = aa > bb ? aa : bb, cd2 = cc > dd ? cc : dd, square = ab2 > cd2 ? ab2 : cd2;
    const double need = 4.5 * square * (least + 20 * u * sqrt(square));
    return -sign * abut_dot(abc, *a) > need && -sign * abut_dot(acd, *a) > need &&
           -sign * abut_dot(adb, *a) > need && sign * abut_dot(bcd, *b) > need;
}
