/* SPDX-License-Identifier: MIT */
/* A pile of mixed bodies: spheres, boxes, capsules, cylinders, hulls, ellipsoids and compounds pressed together over
 * a floor. All contacts of the pile, the nearest body to a point, what a ray hits first, and what
 * changes when one body is taken away. */
#include <abut/abut.h>

#include <stdio.h>
#include <stdlib.h>

enum { KINDS = 7, LAYERS = 6, SIDE = 6 };

static abut_shape *make(int kind)
{
    static const abut_vec3 corners[6] = { { .5, 0, 0 },  { -.5, 0, 0 }, { 0, .5, 0 },
                                          { 0, -.5, 0 }, { 0, 0, .5 },  { 0, 0, -.5 } };
    abut_shape *out = NULL;
    switch (kind) {
    case 0: abut_shape_create_sphere(.5, NULL, &out); break;
    case 1: abut_shape_create_box((abut_vec3){ .5, .5, .5 }, NULL, &out); break;
    case 2: abut_shape_create_capsule(.3, .5, NULL, &out); break;
    case 3: abut_shape_create_cylinder(.5, 1, NULL, &out); break;
    case 4: abut_shape_create_convex(corners, 6, 0, NULL, &out, NULL); break;
    case 5: abut_shape_create_ellipsoid((abut_vec3){ .5, .4, .5 }, NULL, &out); break;
    default: { /* a dumb-bell */
        abut_compound_part parts[3] = { { NULL, NULL } };
        const abut_placement left = { .position = { -.3, 0, 0 } }, right = { .position = { .3, 0, 0 } };
        abut_shape_create_sphere(.25, NULL, &parts[0].shape);
        parts[1].shape = abut_shape_retain(parts[0].shape);
        abut_shape_create_box((abut_vec3){ .3, .1, .1 }, NULL, &parts[2].shape);
        abut_motion_create_static(&left, NULL, &parts[0].at, NULL);
        abut_motion_create_static(&right, NULL, &parts[1].at, NULL);
        abut_shape_create_compound(parts, 3, NULL, &out, NULL);
        for (int i = 0; i < 3; ++i) {
            abut_shape_release(parts[i].shape);
            abut_motion_release(parts[i].at);
        }
        break;
    }
    }
    return out;
}

typedef struct totals {
    int touching, penetrating, contacts, began, ended;
} totals;

static bool count_contacts(void *ctx, abut_body_id a, abut_body_id b, const abut_check_result *check,
                           const abut_world_contact *contacts, int count)
{
    totals *t = ctx;
    (void)a;
    (void)b;
    (void)contacts;
    t->touching += check->verdict == ABUT_TOUCHING;
    t->penetrating += check->verdict == ABUT_PENETRATING;
    t->contacts += count;
    return true;
}

static bool count_events(void *ctx, abut_pair_event event, abut_body_id a, abut_body_id b)
{
    totals *t = ctx;
    (void)a;
    (void)b;
    t->began += event == ABUT_PAIR_BEGIN;
    t->ended += event == ABUT_PAIR_END;
    return true;
}

int main(void)
{
    abut_shape *shapes[KINDS], *floor;
    abut_world *world;
    abut_world_body body;
    abut_body_id id, top = { 0, 0 };
    totals t = { 0 };
    int wrong = abut_world_create(NULL, NULL, &world) != ABUT_OK;
    for (int i = 0; i < KINDS; ++i)
        shapes[i] = make(i);
    wrong |= abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, 0, NULL, &floor) != ABUT_OK;
    abut_world_body_init(&body);
    body.shape = floor;
    wrong |= abut_world_add(world, &body, &id) != ABUT_OK;
    /* rows of bodies a little closer than they are wide, on the floor exactly */
    for (int z = 0; z < LAYERS; ++z)
        for (int y = 0; y < SIDE; ++y)
            for (int x = 0; x < SIDE; ++x) {
                body.shape = shapes[(x + 2 * y + 3 * z) % KINDS];
                body.pose.position = (abut_vec3){ .9375 * x, .9375 * y, .5 + .9375 * z };
                wrong |= abut_world_add(world, &body, &id) != ABUT_OK;
                if (body.shape == shapes[1])
                    top = id;
            }
    wrong |= abut_world_commit(world, (abut_interval){ 0, 0 }) != ABUT_OK;

    abut_world_result result;
    wrong |= abut_world_contacts(world, NULL, count_contacts, &t, &result) != ABUT_OK;
    printf("%zu bodies, %zu pairs of boxes: %d pairs touch, %d penetrate, %d contact points\n",
           abut_world_body_count(world), abut_world_pair_count(world), t.touching, t.penetrating, t.contacts);
    wrong |= t.penetrating < 100 || t.touching < 10 || result.failed > 0;

    abut_world_neighbour near;
    abut_world_hit hit;
    size_t count;
    const abut_vec3 above = { 0, 0, 10 }, down = { 0, 0, -1 };
    wrong |= abut_world_near_point(world, above, 1, &near, &count) != ABUT_OK || count != 1;
    printf("nearest to (0, 0, 10): body %u, %.6g away\n", near.id.index, near.distance.lo);
    wrong |= abut_world_cast_ray(world, above, down, 100, true, &hit, 1, &count) != ABUT_OK || count != 1;
    printf("a ray down from there hits body %u at z = %.6g\n", hit.id.index, hit.hit.point.z);

    wrong |= abut_world_remove(world, top) != ABUT_OK;
    wrong |= abut_world_commit(world, (abut_interval){ 0, 0 }) != ABUT_OK;
    wrong |= abut_world_events(world, count_events, &t) != ABUT_OK;
    printf("without body %u: %d pairs ended, %d began\n", top.index, t.ended, t.began);
    wrong |= t.ended < 3 || t.began != 0;

    abut_world_destroy(world);
    abut_shape_release(floor);
    for (int i = 0; i < KINDS; ++i)
        abut_shape_release(shapes[i]);
    return wrong;
}
