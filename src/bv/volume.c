/* SPDX-License-Identifier: MIT */
/* The table of volumes, and the relative placement of two trees. */
#include "bv/volume.h"

#include "math/vec3.h"

#include <float.h>
#include <string.h>

const abut_bv_kind *abut_bv_kind_of(abut_volume volume)
{
    static const abut_bv_kind *const kinds[] = {
        &abut_bv_sphere, &abut_bv_aabb,   &abut_bv_obb, &abut_bv_kdop6, &abut_bv_kdop14,
        &abut_bv_kdop18, &abut_bv_kdop26, &abut_bv_lss, &abut_bv_rss,
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
        if (kinds[i]->volume == volume)
            return kinds[i];
    return NULL;
}

abut_bv_frame abut_bv_frame_of(const abut_aabb *bounds)
{
    const abut_vec3 lo = bounds->lo, hi = bounds->hi;
    abut_bv_frame frame = { { 0.5 * lo.x + 0.5 * hi.x, 0.5 * lo.y + 0.5 * hi.y, 0.5 * lo.z + 0.5 * hi.z },
                            0 };
    const abut_vec3 up = abut_sub(hi, frame.middle), down = abut_sub(frame.middle, lo);
    const double largest = fmax(abut_max_norm(up), abut_max_norm(down));
    if (largest > 0)
        (void)frexp(largest, &frame.exponent);
    else if (abut_max_norm(frame.middle) > 0)
        frame.exponent = ilogb(abut_max_norm(frame.middle)); /* a point: any unit of its order */
    return frame;
}

abut_bv_local abut_bv_local_of(const abut_bv_frame *frame)
{
    const int first = frame->exponent / 2;
    return (abut_bv_local){ frame->middle, { ldexp(1, -first), ldexp(1, first - frame->exponent) } };
}

static void fit_cube(const abut_bv_kind *kind, float *out)
{
    abut_vec3 points[8];
    const abut_mat3 axes = abut_mat3_identity();
    for (int i = 0; i < 8; ++i)
        points[i] = abut_v3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    kind->fit(points, NULL, 8, &axes, out);
}

void abut_bv_merge(const abut_bv_kind *kind, const float *const *volumes, size_t count, float *out)
{
    if (kind->merge) {
        memcpy(out, volumes[0], kind->floats * sizeof *out);
        for (size_t i = 1; i < count; ++i)
            kind->merge(out, volumes[i], out);
        return;
    }
    abut_vec3 points[ABUT_BV_MERGE * ABUT_BV_CORNERS];
    double radii[ABUT_BV_MERGE * ABUT_BV_CORNERS];
    size_t used = 0;
    for (size_t i = 0; i < count; ++i) {
        double radius;
        const size_t end = used + kind->corners(volumes[i], points + used, &radius);
        while (used < end)
            radii[used++] = radius;
    }
    abut_mat3 axes = abut_mat3_identity();
    double extent[3];
    if (kind->oriented)
        abut_bv_axes(points, used, ABUT_COVARIANCE_VERTICES, NULL, &axes, extent);
    kind->fit(points, radii, used, &axes, out);
    for (uint32_t i = 0; i < kind->floats; ++i)
        if (!(fabsf(out[i]) < 4)) {
            /* loose after many merges: all is within the cube of the frame */
            fit_cube(kind, out);
            return;
        }
}

void abut_bv_quaternion(const abut_mat3 *axes, float q[4])
{
    const abut_quat unit = abut_quat_normalize(abut_quat_from_mat3(axes));
    q[0] = abut_bv_round(unit.w), q[1] = abut_bv_round(unit.x), q[2] = abut_bv_round(unit.y),
    q[3] = abut_bv_round(unit.z);
}

static double sum_norm(abut_vec3 a)
{
    return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* b's middle from a's, in the bodies' units, and how far off it, and any point of b from there,
 * may be in length. */
static abut_vec3 middle_offset(const abut_bv_frame *a, const abut_bv_frame *b, const abut_bv_relative *rel,
                               double *error)
{
    const abut_vec3 offset = abut_sub(abut_add(abut_mul(&rel->r, b->middle), rel->t), a->middle);
    /* Five roundings on the way of each coordinate: less than 2^-50 of the sum of all that is
     * added, sqrt(3) for length. */
    *error = 2 * rel->error + 0x1p-49 * (sum_norm(b->middle) + sum_norm(rel->t) + sum_norm(a->middle));
    return offset;
}

void abut_bv_pair_set(const abut_bv_kind *kind, const abut_bv_frame *a, const abut_bv_frame *b,
                      const abut_bv_relative *b_in_a, abut_bv_pair *out)
{
    double error;
    const abut_vec3 offset = middle_offset(a, b, b_in_a, &error);
    const int exponent = a->exponent > b->exponent ? a->exponent : b->exponent;
    out->r = b_in_a->r;
    out->exponent = exponent;
    out->t = abut_v3(ldexp(offset.x, -exponent), ldexp(offset.y, -exponent), ldexp(offset.z, -exponent));
    out->scale_a = ldexp(1, a->exponent - exponent);
    out->scale_b = ldexp(1, b->exponent - exponent);
    const double distance = sum_norm(out->t);
    out->margin = ldexp(error, -exponent) + 0x1p-43 * (8 + distance);
    out->far = !(distance < 0x1p200) || !(out->margin < 0x1p200);
    /* Far: the sizes of the bodies are less than 2^-190 of the offset, and vanish in what is
     * taken off it. */
    const double lower = abut_max_norm(offset) * (1 - 0x1p-40) - error;
    out->apart = isfinite(lower) && distance >= 0x1p200 ? lower : 0;
    if (kind->start && !out->far)
        kind->start(out);
}

double abut_bv_pair_length(const abut_bv_pair *pair, double length)
{
    return pair->far ? length : ldexp(length, -pair->exponent);
}

double abut_bv_pair_lower(const abut_bv_pair *pair, double lower)
{
    if (!(lower > 0))
        return 0;
    if (pair->far || isinf(lower))
        return lower;
    const double length = ldexp(lower, pair->exponent);
    if (length < DBL_MIN) /* may have been rounded up */
        return 0;
    return isinf(length) ? DBL_MAX : length;
}
