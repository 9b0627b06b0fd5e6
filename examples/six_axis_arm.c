/* SPDX-License-Identifier: MIT */
/* Does a robot arm get from one posture to another without hitting anything, and if not, when,
 * where and with which link?
 *
 * Six links turn about six axes, each relative to the one before: chains of motions. All joints run
 * at constant speed from the first posture to the second. One query asks about all links and all
 * obstacles: links that cannot come near an obstacle are dismissed by their bounds before any
 * triangle is examined, and nothing is spent on what comes after the first contact. A motion that
 * is called free is proved to be free at every instant, not at samples.
 *
 * Then the arm is moved only as far as it is free, and asked again. */
#include <abut/abut.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINKS = 6, SIDES = 10, OBSTACLES = 2, BODIES = LINKS + OBSTACLES };

typedef struct link_def {
    const char *name;
    double at, length, radius; /* height of the joint in the link before; size of the link */
    abut_vec3 axis;
} link_def;

static const link_def links[LINKS] = {
    { "shoulder", 0.40, 0.25, 0.15, { 0, 0, 1 } }, { "upper arm", 0.25, 0.95, 0.10, { 0, 1, 0 } },
    { "forearm", 0.95, 0.80, 0.08, { 0, 1, 0 } },  { "wrist", 0.82, 0.20, 0.05, { 0, 0, 1 } },
    { "flange", 0.20, 0.10, 0.04, { 0, 1, 0 } },   { "tool", 0.10, 0.25, 0.03, { 0, 0, 1 } }
};

/* A closed prism along z, a little off both joints. */
static abut_shape *make_link(const link_def *def)
{
    abut_vec3 v[2 * SIDES + 2];
    uint32_t t[12 * SIDES];
    size_t n = 0;
    for (int i = 0; i < SIDES; ++i) {
        const double a = 6.283185307179586 * i / SIDES;
        v[i] = (abut_vec3){ def->radius * cos(a), def->radius * sin(a), 0.01 };
        v[SIDES + i] = (abut_vec3){ v[i].x, v[i].y, def->length - 0.01 };
    }
    v[2 * SIDES] = (abut_vec3){ 0, 0, v[0].z };
    v[2 * SIDES + 1] = (abut_vec3){ 0, 0, v[SIDES].z };
    for (uint32_t i = 0; i < SIDES; ++i) {
        const uint32_t j = (i + 1) % SIDES;
        const uint32_t faces[12] = { i, j, SIDES + j,     i,         SIDES + j, SIDES + i, 2 * SIDES,
                                     j, i, 2 * SIDES + 1, SIDES + i, SIDES + j };
        for (int k = 0; k < 12; ++k)
            t[n++] = faces[k];
    }
    abut_shape *shape = NULL;
    abut_error error;
    if (abut_shape_create_mesh(v, 2 * SIDES + 2, t, n / 3, true, NULL, &shape, &error) != ABUT_OK)
        fprintf(stderr, "%s: %s\n", def->name, error.text);
    return shape;
}

/* A joint that turns from one angle to another; all links before it are part of the chain. */
static abut_motion *make_joint(const link_def *def, double from, double to, abut_motion *before)
{
    abut_motion *own = NULL, *chain = NULL;
    const abut_placement start = { .position = { 0, 0, def->at },
                                   .rotation = {
                                       .kind = ABUT_ROTATION_DEGREES, .axis = def->axis, .angle = from } };
    const double rate = (to - from) * 0.017453292519943295;
    const abut_vec3 turn = { rate * def->axis.x, rate * def->axis.y, rate * def->axis.z };
    if (abut_motion_create_velocity(0, 1, &start, (abut_vec3){ 0, 0, 0 }, turn, NULL, &own, NULL) != ABUT_OK)
        return NULL;
    if (!before)
        return own;
    abut_motion *const both[2] = { before, own };
    if (abut_motion_create_chain(both, 2, NULL, &chain, NULL) != ABUT_OK)
        chain = NULL;
    abut_motion_release(own);
    return chain;
}

static abut_status ask(abut_shape *const shapes[BODIES], const double from[LINKS], const double to[LINKS],
                       abut_set_point *point, abut_set_result *result)
{
    abut_motion *motions[LINKS] = { NULL };
    abut_body bodies[BODIES];
    uint32_t pairs[2 * LINKS * OBSTACLES];
    size_t count = 0;
    abut_status status = ABUT_OK;
    for (int i = 0; i < LINKS && !status; ++i) {
        motions[i] = make_joint(&links[i], from[i], to[i], i ? motions[i - 1] : NULL);
        status = motions[i] ? ABUT_OK : ABUT_ERR_MEMORY;
        bodies[i] = (abut_body){ shapes[i], motions[i] };
        for (int k = 0; k < OBSTACLES; ++k) {
            pairs[count++] = (uint32_t)i;
            pairs[count++] = (uint32_t)(LINKS + k);
        }
    }
    for (int k = LINKS; k < BODIES; ++k)
        bodies[k] = (abut_body){ shapes[k], NULL };
    if (!status)
        status = abut_first_contact_set(bodies, BODIES, pairs, count / 2, NULL, NULL, point, 1, result);
    for (int i = 0; i < LINKS; ++i)
        abut_motion_release(motions[i]);
    return status;
}

int main(void)
{
    const double from[LINKS] = { -60, 10, 90, 0, -30, 0 }, to[LINKS] = { 75, 55, 40, 90, 25, 120 };
    double shorter[LINKS];
    abut_shape *shapes[BODIES] = { NULL };
    abut_set_point point = { 0 };
    abut_set_result result, again;
    bool right = false;

    for (int i = 0; i < LINKS; ++i)
        shapes[i] = make_link(&links[i]);
    const abut_vec3 corners[8] = {
        { 0.7, 0.6, 0 },   { 1.2, 0.6, 0 },   { 0.7, 1.1, 0 },   { 1.2, 1.1, 0 },
        { 0.7, 0.6, 1.5 }, { 1.2, 0.6, 1.5 }, { 0.7, 1.1, 1.5 }, { 1.2, 1.1, 1.5 }
    };
    abut_shape_create_convex(corners, 8, 0, NULL, &shapes[LINKS], NULL);
    abut_shape_create_halfspace((abut_vec3){ 0, 0, 1 }, 0, NULL, &shapes[LINKS + 1]);

    abut_status status = ask(shapes, from, to, &point, &result);
    if (status == ABUT_OK) {
        printf("%s at [%.17g, %.17g]\n", abut_first_verdict_name(result.verdict), result.time.lo,
               result.time.hi);
        if (result.verdict == ABUT_FIRST_CONTACT && result.point_count > 0)
            printf("the %s meets obstacle %d at (%g, %g, %g)\n", links[point.a].name, (int)point.b - LINKS,
                   point.at.point.x, point.at.point.y, point.at.point.z);
        /* As far as it is free, a little less. */
        const double free_until = 0.999 * result.time.lo;
        for (int i = 0; i < LINKS; ++i)
            shorter[i] = from[i] + free_until * (to[i] - from[i]);
        status = ask(shapes, from, shorter, &point, &again);
    }
    if (status == ABUT_OK) {
        printf("up to there: %s, proof %s\n", abut_first_verdict_name(again.verdict),
               abut_proof_name(again.proof));
        right = result.verdict == ABUT_FIRST_CONTACT && result.time.hi - result.time.lo < 1e-9 &&
                again.verdict == ABUT_FIRST_SEPARATE;
    } else {
        fprintf(stderr, "%s\n", abut_status_text(status));
    }
    for (int i = 0; i < BODIES; ++i)
        abut_shape_release(shapes[i]);
    return right ? 0 : 1;
}
