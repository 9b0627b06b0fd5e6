/* SPDX-License-Identifier: MIT */
/* Many pairs of ellipsoids at once. */
#include "abut/ellipsoid.h"

struct abut_ellipsoid_set {
    size_t count;
};

abut_status abut_ellipsoid_set_create(size_t count, const abut_allocator *alloc, abut_ellipsoid_set **out)
{
    (void)count;
    (void)alloc;
    *out = NULL;
    return ABUT_ERR_UNSUPPORTED;
}

void abut_ellipsoid_set_destroy(abut_ellipsoid_set *set)
{
    (void)set;
}

abut_status abut_ellipsoid_set_map(abut_ellipsoid_set *set, size_t index, const abut_affine *map)
{
    (void)set;
    (void)index;
    (void)map;
    return ABUT_ERR_UNSUPPORTED;
}

abut_status abut_ellipsoid_set_pose(abut_ellipsoid_set *set, size_t index, abut_vec3 radii,
                                    const abut_pose *pose)
{
    (void)set;
    (void)index;
    (void)radii;
    (void)pose;
    return ABUT_ERR_UNSUPPORTED;
}

abut_status abut_ellipsoid_set_test(const abut_ellipsoid_set *set, const uint32_t *pairs, size_t count,
                                    uint8_t *verdicts, abut_counters *counters)
{
    (void)set;
    (void)pairs;
    (void)count;
    (void)verdicts;
    (void)counters;
    return ABUT_ERR_UNSUPPORTED;
}
