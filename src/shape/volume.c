/* SPDX-License-Identifier: MIT */
/* The volume that closed, oriented faces enclose, with a sign that is proved.
 *
 * Method: the divergence theorem, a determinant for each triangle of each face's fan.
 * Coordinates are taken from the middle of the box, so that few digits cancel, and in units of a
 * power of two for each axis, so that nothing overflows and flat solids count as full ones;
 * neither changes the sign. First in doubles; where their error bound does not decide (thin
 * solids of many faces, aslant to the axes), once more in pairs of doubles. Rounding is to
 * nearest. */
#include "math/nearest.h"
#include "math/vec3.h"
#include "shape/connect.h"

/* A sum of two doubles, the second at most half an ulp of the first. */
typedef struct pair {
    double high, low;
} pair;

static pair pair_sum(double a, double b)
{
    const double sum = a + b, part = sum - a;
    return (pair){ sum, (a - (sum - part)) + (b - part) };
}

/* Each of these is off by at most 2^-102 of the sizes it works on: the tails are rounded a few
 * times at 2^-53 of 2^-53. */
static pair pair_add(pair a, pair b)
{
    const pair s = pair_sum(a.high, b.high);
    return pair_sum(s.high, s.low + (a.low + b.low));
}

static pair pair_mul(pair a, pair b)
{
    const double product = a.high * b.high;
    const double error = fma(a.high, b.high, -product);
    return pair_sum(product, error + (a.high * b.low + a.low * b.high));
}

static pair pair_negate(pair a)
{
    return (pair){ -a.high, -a.low };
}

static pair pair_minor(pair a, pair b, pair c, pair d)
{
    return pair_add(pair_mul(a, d), pair_negate(pair_mul(b, c)));
}

typedef struct units {
    abut_vec3 centre;
    double scale[3];
} units;

/* 1 / scale near half the extent; 0 for an extent of 0, which makes every determinant 0. */
static double scale_for(double lo, double hi)
{
    const double half = 0.5 * hi - 0.5 * lo;
    if (!(half > 0))
        return 0;
    const int exponent = -ilogb(half);
    return scalbn(1, exponent > 1000 ? 1000 : exponent);
}

static units units_of(const abut_aabb *box)
{
    return (units){ { 0.5 * box->lo.x + 0.5 * box->hi.x, 0.5 * box->lo.y + 0.5 * box->hi.y,
                      0.5 * box->lo.z + 0.5 * box->hi.z },
                    { scale_for(box->lo.x, box->hi.x), scale_for(box->lo.y, box->hi.y),
                      scale_for(box->lo.z, box->hi.z) } };
}

static abut_vec3 in_units(const units *u, abut_vec3 v)
{
    return abut_v3((v.x - u->centre.x) * u->scale[0], (v.y - u->centre.y) * u->scale[1],
                   (v.z - u->centre.z) * u->scale[2]);
}

static double norm1(abut_vec3 v)
{
    return fabs(v.x) + fabs(v.y) + fabs(v.z);
}

/* Six times the volume. A determinant has 14 roundings of terms whose sizes sum to at most the
 * product of the 1-norms, and the sum adds one a triangle: both are covered with room to spare. */
static double volume_in_doubles(const abut_faceted_data *mesh, const abut_vec3 *vertices, const units *u,
                                double *slack)
{
    double volume = 0, size = 0, total = 0;
    for (size_t face = 0; face < mesh->face_count; ++face) {
        const size_t begin = abut_face_begin(mesh, face), end = abut_face_end(mesh, face);
        const abut_vec3 p = in_units(u, vertices[mesh->corners[begin]]);
        abut_vec3 q = in_units(u, vertices[mesh->corners[begin + 1]]);
        for (size_t i = begin + 2; i < end; ++i) {
            const abut_vec3 r = in_units(u, vertices[mesh->corners[i]]);
            const double part = abut_dot(p, abut_cross(q, r));
            volume += part;
            total += fabs(part);
            size += norm1(p) * norm1(q) * norm1(r);
            q = r;
        }
    }
    *slack = 0x1p-53 * (32 * size + 2 * (double)mesh->corner_count * total);
    return volume;
}

static void pairs_in_units(const units *u, abut_vec3 v, pair out[3])
{
    const double at[3] = { v.x, v.y, v.z }, centre[3] = { u->centre.x, u->centre.y, u->centre.z };
    for (int k = 0; k < 3; ++k) {
        const pair difference = pair_sum(at[k], -centre[k]);
        out[k] = (pair){ difference.high * u->scale[k], difference.low * u->scale[k] };
    }
}

static double pair_norm1(const pair p[3])
{
    return fabs(p[0].high) + fabs(p[1].high) + fabs(p[2].high);
}

/* The same with some 2^-102 for each operation; 2^-96 covers the 17 of a determinant with the
 * rest of the digits that the 1-norms leave out. What underflows is below 2^-900. */
static double volume_in_pairs(const abut_faceted_data *mesh, const abut_vec3 *vertices, const units *u,
                              double *slack)
{
    pair volume = { 0, 0 };
    double size = 0, total = 0;
    for (size_t face = 0; face < mesh->face_count; ++face) {
        const size_t begin = abut_face_begin(mesh, face), end = abut_face_end(mesh, face);
        pair p[3], q[3], r[3];
        pairs_in_units(u, vertices[mesh->corners[begin]], p);
        pairs_in_units(u, vertices[mesh->corners[begin + 1]], q);
        for (size_t i = begin + 2; i < end; ++i) {
            pairs_in_units(u, vertices[mesh->corners[i]], r);
            pair part = pair_mul(p[0], pair_minor(q[1], q[2], r[1], r[2]));
            part = pair_add(part, pair_mul(p[1], pair_minor(q[2], q[0], r[2], r[0])));
            part = pair_add(part, pair_mul(p[2], pair_minor(q[0], q[1], r[0], r[1])));
            volume = pair_add(volume, part);
            total += fabs(part.high);
            size += pair_norm1(p) * pair_norm1(q) * pair_norm1(r);
            for (int k = 0; k < 3; ++k)
                q[k] = r[k];
        }
    }
    *slack = 0x1p-96 * size + 0x1p-100 * (double)mesh->corner_count * total + 0x1p-900;
    return volume.high;
}

static ABUT_MATH_NOINLINE int sign_of_volume(const abut_faceted_data *mesh, const abut_vec3 *vertices,
                                             const abut_aabb *bounds, double *volume)
{
    const units u = units_of(bounds);
    double slack;
    double six = volume_in_doubles(mesh, vertices, &u, &slack);
    if (!(fabs(six) > slack))
        six = volume_in_pairs(mesh, vertices, &u, &slack);
    const int sign = six > slack ? 1 : six < -slack ? -1 : 0;
    *volume = sign ? six / 6 / u.scale[0] / u.scale[1] / u.scale[2] : 0;
    return sign;
}

int abut_volume_sign(const abut_faceted_data *mesh, const abut_vec3 *vertices, const abut_aabb *bounds,
                     double *volume)
{
    const abut_nearest saved = abut_nearest_enter();
    const int sign = sign_of_volume(mesh, vertices, bounds, volume);
    abut_nearest_leave(saved);
    return sign;
}

abut_status abut_check_outward(const abut_faceted_data *mesh, const abut_vec3 *vertices,
                               const abut_aabb *bounds, abut_error *error)
{
    double volume;
    const int sign = abut_volume_sign(mesh, vertices, bounds, &volume);
    if (sign > 0)
        return ABUT_OK;
    if (sign < 0)
        return abut_base_fail(
            error, ABUT_ERR_ARGUMENT, -1,
            "the faces are turned inward: reverse the order of the corners of every face, so "
            "that they run counter-clockwise seen from outside");
    return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the faces enclose no volume");
}
