/* SPDX-License-Identifier: MIT */
/* Ellipsoids and balls as bounds: around a cloud of points, and around the faces of a mesh,
 * proved to hold them. The bound then replaces the mesh in a question that is asked often:
 * far away the answer costs next to nothing, and it is never wrong. */
#include <abut/abut.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { AROUND = 16, ALONG = 33, MOST = 6 };

/* A bone: a tube along x that is thick at its ends. */
static abut_shape *make_bone(abut_vec3 *v)
{
    static uint32_t t[(ALONG - 1) * AROUND * 6];
    const double turn = 6.283185307179586;
    size_t n = 0;
    for (int i = 0; i < ALONG; ++i)
        for (int j = 0; j < AROUND; ++j) {
            const double x = -2 + 4.0 * i / (ALONG - 1), r = 0.15 + 0.3 * x * x * x * x / 16;
            v[i * AROUND + j] = (abut_vec3){ x, r * cos(turn * j / AROUND), r * sin(turn * j / AROUND) };
        }
    for (uint32_t i = 0; i + 1 < ALONG; ++i)
        for (uint32_t j = 0; j < AROUND; ++j) {
            const uint32_t a = i * AROUND + j, b = i * AROUND + (j + 1) % AROUND, c = a + AROUND,
                           d = b + AROUND;
            t[n++] = a;
            t[n++] = b;
            t[n++] = d;
            t[n++] = a;
            t[n++] = d;
            t[n++] = c;
        }
    abut_shape *mesh = NULL;
    abut_shape_create_mesh(v, ALONG * AROUND, t, n / 3, false, NULL, &mesh, NULL);
    return mesh;
}

static double volume(const abut_affine *map)
{
    double product = 4.18879020478639;
    for (int j = 0; j < 3; ++j)
        product *=
            sqrt(map->linear.m[0][j] * map->linear.m[0][j] + map->linear.m[1][j] * map->linear.m[1][j] +
                 map->linear.m[2][j] * map->linear.m[2][j]);
    return product;
}

int main(void)
{
    abut_vec3 v[ALONG * AROUND], centre;
    abut_shape *bone = make_bone(v);
    double radius;
    abut_affine one, some[MOST];
    size_t count;
    abut_error error;
    if (!bone || abut_sphere_fit(v, ALONG * AROUND, &centre, &radius, &error) ||
        abut_ellipsoid_fit(v, ALONG * AROUND, 0, NULL, &one, &error) ||
        abut_ellipsoid_cover_mesh(bone, MOST, false, NULL, some, &count, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += volume(&some[i]);
    const double ball = 4.18879020478639 * radius * radius * radius;
    printf("a ball of %.3f, an ellipsoid of %.3f, %zu ellipsoids of %.3f in all\n", ball, volume(&one), count,
           sum);

    /* The ellipsoid as a shape: the unit ball under a motion that maps it. Apart from it is
     * apart from the bone. */
    abut_shape *unit, *probe;
    abut_motion *around, *place;
    const abut_placement at = { .position = { 0.3, 0.9, 0.1 } };
    abut_check_result bound, mesh;
    if (abut_shape_create_sphere(1, NULL, &unit) || abut_shape_create_sphere(0.2, NULL, &probe) ||
        abut_motion_create_static_affine(&one, NULL, &around, NULL) ||
        abut_motion_create_static(&at, NULL, &place, NULL) ||
        abut_check_at(unit, around, probe, place, 0, NULL, NULL, &bound) ||
        abut_check_at(bone, NULL, probe, place, 0, NULL, NULL, &mesh))
        return 1;
    printf("the ellipsoid is %s from the probe, at %.4f; the mesh is %s, at %.4f\n",
           abut_verdict_name(bound.verdict), bound.distance.lo, abut_verdict_name(mesh.verdict),
           mesh.distance.lo);
    const bool right = volume(&one) < ball && sum < volume(&one) && bound.verdict == ABUT_SEPARATE &&
                       mesh.verdict == ABUT_SEPARATE && bound.distance.lo <= mesh.distance.hi;
    abut_motion_release(place);
    abut_motion_release(around);
    abut_shape_release(probe);
    abut_shape_release(unit);
    abut_shape_release(bone);
    return right ? 0 : 1;
}
