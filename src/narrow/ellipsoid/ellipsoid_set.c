/* SPDX-License-Identifier: MIT */
/* Many pairs of ellipsoids at once: bodies as records of doubles for the kernel
 * (ellipsoid_batch.h), and their maps for what that leaves undecided. */
#include "narrow/ellipsoid/ellipsoid_set.h"

#include "base/memory.h"
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/ellipsoid/ellipsoid_sym.h"

#include <string.h>

struct abut_ellipsoid_set {
    abut_allocator alloc;
    size_t count;
    double *records;
    abut_affine *maps;
};

int abut_ellipsoid_force_plain = 0;

static const double nothing = NAN;

static void set_record(double *record, const abut_affine *map, double around, double inside)
{
    const sym3 p = abut_sym3_square(&map->linear);
    const bool usual = around >= 0x1p-100 && around <= 0x1p100 && abut_max_norm(map->translation) <= 0x1p140;
    const double values[ABUT_ELLIPSOID_RECORD] = { map->translation.x,
                                                   map->translation.y,
                                                   map->translation.z,
                                                   usual ? around : nothing,
                                                   usual ? inside : nothing,
                                                   p.xx,
                                                   p.yy,
                                                   p.zz,
                                                   p.xy,
                                                   p.xz,
                                                   p.yz,
                                                   0 };
    memcpy(record, values, sizeof values);
}

/* Largest and smallest |L y| of unit y, by the discs of Gershgorin about V^T P V for nearly the
 * eigenvectors V. That is off by 40 u tr P: 3 u for P, 6 u for each product, and as much as V is
 * off orthogonal, which is seen to be at most 2^-48; so 2^-45 tr P is taken. */
static void find_radii(const abut_affine *map, double *around, double *inside)
{
    const sym3 p = abut_sym3_square(&map->linear);
    const double trace = p.xx + p.yy + p.zz, slack = 0x1p-45 * trace;
    const abut_mat3 full = { { { p.xx, p.xy, p.xz }, { p.xy, p.yy, p.yz }, { p.xz, p.yz, p.zz } } };
    abut_vec3 values;
    abut_mat3 v;
    abut_mat3_symmetric_eigen(&full, &values, &v);
    const abut_mat3 back = abut_mat3_transpose(&v), unit = abut_mat3_mul(&back, &v);
    const abut_mat3 right = abut_mat3_mul(&full, &v), turned = abut_mat3_mul(&back, &right);
    double most = 0, least = INFINITY, off = 0;
    for (int i = 0; i < 3; ++i) {
        double others = 0;
        for (int j = 0; j < 3; ++j) {
            others += i == j ? 0 : fabs(turned.m[i][j]);
            off = fmax(off, fabs(unit.m[i][j] - (i == j)));
        }
        most = fmax(most, turned.m[i][i] + others);
        least = fmin(least, turned.m[i][i] - others);
    }
    const bool good = off <= 0x1p-48;
    *around = sqrt(good ? most + slack : trace * (1 + 0x1p-45));
    *inside = good && least > slack ? sqrt(least - slack) * (1 - 0x1p-50) : 0;
}

abut_status abut_ellipsoid_set_create(size_t count, const abut_allocator *alloc, abut_ellipsoid_set **out)
{
    if (!out)
        return ABUT_ERR_ARGUMENT;
    *out = NULL;
    if (count > UINT32_MAX)
        return ABUT_ERR_LIMIT;
    const abut_allocator own = abut_base_allocator(alloc);
    abut_ellipsoid_set *set = abut_base_alloc(&own, 1, sizeof *set);
    const size_t room = count ? count : 1;
    double *records = set ? abut_base_alloc(&own, ABUT_ELLIPSOID_RECORD * room, sizeof *records) : NULL;
    abut_affine *maps = records ? abut_base_alloc(&own, room, sizeof *maps) : NULL;
    if (!maps) {
        abut_base_free(&own, records, ABUT_ELLIPSOID_RECORD * room, sizeof *records);
        abut_base_free(&own, set, 1, sizeof *set);
        return ABUT_ERR_MEMORY;
    }
    *set = (abut_ellipsoid_set){ own, count, records, maps };
    for (size_t i = 0; i < count; ++i) {
        maps[i] = abut_affine_identity();
        set_record(records + ABUT_ELLIPSOID_RECORD * i, &maps[i], 1, 1);
    }
    *out = set;
    return ABUT_OK;
}

void abut_ellipsoid_set_destroy(abut_ellipsoid_set *set)
{
    if (!set)
        return;
    const abut_allocator own = set->alloc;
    const size_t room = set->count ? set->count : 1;
    abut_base_free(&own, set->records, ABUT_ELLIPSOID_RECORD * room, sizeof *set->records);
    abut_base_free(&own, set->maps, room, sizeof *set->maps);
    abut_base_free(&own, set, 1, sizeof *set);
}

static bool is_finite_map(const abut_affine *m)
{
    for (int i = 0; i < 9; ++i)
        if (!isfinite(m->linear.m[i / 3][i % 3]))
            return false;
    return abut_is_finite3(m->translation);
}

static ABUT_MATH_NOINLINE abut_status set_map(abut_ellipsoid_set *set, size_t index, const abut_affine *map)
{
    if (abut_ellipsoid_is_singular(map))
        return ABUT_ERR_ARGUMENT;
    double around, inside;
    find_radii(map, &around, &inside);
    set->maps[index] = *map;
    set_record(set->records + ABUT_ELLIPSOID_RECORD * index, map, around, inside);
    return ABUT_OK;
}

abut_status abut_ellipsoid_set_map(abut_ellipsoid_set *set, size_t index, const abut_affine *map)
{
    if (!set || !map || index >= set->count || !is_finite_map(map))
        return ABUT_ERR_ARGUMENT;
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = set_map(set, index, map);
    abut_nearest_leave(saved);
    return status;
}

/* The matrix of q is off by 12 u where |q| is usual, and the products by u: the semi-axes by
 * less than 2^-48 of themselves. */
static ABUT_MATH_NOINLINE abut_status set_pose(abut_ellipsoid_set *set, size_t index, abut_vec3 radii,
                                               const abut_pose *pose)
{
    abut_affine map = abut_affine_from_pose(*pose);
    for (int i = 0; i < 3; ++i) {
        map.linear.m[i][0] *= radii.x;
        map.linear.m[i][1] *= radii.y;
        map.linear.m[i][2] *= radii.z;
    }
    const double norm = abut_quat_dot(pose->rotation, pose->rotation), most = abut_max_norm(radii),
                 least = fmin(radii.x, fmin(radii.y, radii.z));
    if (!(norm >= 0x1p-100 && norm <= 0x1p100 && least >= 0x1p-100 && most <= 0x1p100))
        return is_finite_map(&map) ? set_map(set, index, &map) : ABUT_ERR_ARGUMENT;
    set->maps[index] = map;
    set_record(set->records + ABUT_ELLIPSOID_RECORD * index, &map, most * (1 + 0x1p-47),
               least * (1 - 0x1p-47));
    return ABUT_OK;
}

abut_status abut_ellipsoid_set_pose(abut_ellipsoid_set *set, size_t index, abut_vec3 radii,
                                    const abut_pose *pose)
{
    if (!set || !pose || index >= set->count || !abut_is_finite3(radii) ||
        !(radii.x > 0 && radii.y > 0 && radii.z > 0) || !abut_is_finite3(pose->position))
        return ABUT_ERR_ARGUMENT;
    const abut_quat q = pose->rotation;
    if (!isfinite(q.w) || !isfinite(q.x) || !isfinite(q.y) || !isfinite(q.z) ||
        (q.w == 0 && q.x == 0 && q.y == 0 && q.z == 0))
        return ABUT_ERR_ARGUMENT;
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = set_pose(set, index, radii, pose);
    abut_nearest_leave(saved);
    return status;
}

static ABUT_MATH_NOINLINE void test(const abut_ellipsoid_set *set, const abut_ellipsoid_job *job,
                                    abut_counters *counters)
{
#if defined(__x86_64__)
    if (!abut_ellipsoid_force_plain && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        abut_ellipsoid_decide_avx2(job);
    else
#endif
        abut_ellipsoid_decide_plain(job);
    counters->evaluations += job->count;
    for (size_t i = 0; i < job->count; ++i) {
        if (job->verdicts[i] != ABUT_UNDECIDED)
            continue;
        bool exact;
        job->verdicts[i] = (uint8_t)abut_ellipsoid_decide(&set->maps[job->pairs[2 * i]],
                                                          &set->maps[job->pairs[2 * i + 1]], &exact);
        counters->exact += exact;
        ++counters->iterations;
    }
}

abut_status abut_ellipsoid_set_test(const abut_ellipsoid_set *set, const uint32_t *pairs, size_t count,
                                    uint8_t *verdicts, abut_counters *counters)
{
    if (!set || (count > 0 && (!pairs || !verdicts)) || count > UINT32_MAX)
        return ABUT_ERR_ARGUMENT;
    for (size_t i = 0; i < 2 * count; ++i)
        if (pairs[i] >= set->count)
            return ABUT_ERR_ARGUMENT;
    abut_counters own = { 0 };
    abut_ellipsoid_job job = { .records = set->records, .pairs = pairs, .count = count };
    job.verdicts = verdicts;
    const abut_nearest saved = abut_nearest_enter();
    test(set, &job, &own);
    abut_nearest_leave(saved);
    if (counters)
        *counters = own;
    return ABUT_OK;
}
