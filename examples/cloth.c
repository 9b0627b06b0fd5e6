/* SPDX-License-Identifier: MIT */
/* A cloth falls on a ball, both as meshes, step by step: a solver moves the vertices freely, and each
 * step is cut where it first meets something. Vertices that meet the ball stay where they are. */
#include <abut/deform.h>

#include <math.h>
#include <stdio.h>

enum { N = 20, VERTICES = (N + 1) * (N + 1), RINGS = 12, SEGMENTS = 24, BALL = RINGS * SEGMENTS + 2 };

static abut_vec3 cloth[VERTICES], next[VERTICES], ball[BALL];
static uint32_t cloth_of[6 * N * N], ball_of[6 * RINGS * SEGMENTS];
static bool held[VERTICES];

static size_t make_cloth(void)
{
    size_t count = 0;
    for (uint32_t j = 0; j <= N; ++j)
        for (uint32_t i = 0; i <= N; ++i)
            cloth[j * (N + 1) + i] = (abut_vec3){ 3.0 * i / N - 1.5, 3.0 * j / N - 1.5, 1.25 };
    for (uint32_t j = 0; j < N; ++j)
        for (uint32_t i = 0; i < N; ++i) {
            const uint32_t v = j * (N + 1) + i, of[6] = { v, v + 1, v + N + 2, v, v + N + 2, v + N + 1 };
            for (int k = 0; k < 6; ++k)
                cloth_of[count++] = of[k];
        }
    return count / 3;
}

static size_t make_ball(void)
{
    const double pi = 3.14159265358979323846;
    size_t count = 0;
    for (int r = 0; r < RINGS; ++r)
        for (int s = 0; s < SEGMENTS; ++s) {
            const double up = pi * (r + 1) / (RINGS + 1), around = 2 * pi * s / SEGMENTS;
            ball[r * SEGMENTS + s] = (abut_vec3){ sin(up) * cos(around), sin(up) * sin(around), cos(up) };
        }
    ball[BALL - 2] = (abut_vec3){ 0, 0, 1 };
    ball[BALL - 1] = (abut_vec3){ 0, 0, -1 };
    for (uint32_t s = 0; s < SEGMENTS; ++s) {
        const uint32_t t = (s + 1) % SEGMENTS, last = (RINGS - 1) * SEGMENTS;
        const uint32_t caps[6] = { BALL - 2, s, t, BALL - 1, last + t, last + s };
        for (int k = 0; k < 6; ++k)
            ball_of[count++] = caps[k];
        for (uint32_t r = 0; r + 1 < RINGS; ++r) {
            const uint32_t v = r * SEGMENTS, w = v + SEGMENTS;
            const uint32_t of[6] = { v + s, w + s, w + t, v + s, w + t, v + t };
            for (int k = 0; k < 6; ++k)
                ball_of[count++] = of[k];
        }
    }
    return count / 3;
}

/* What the solver wants: everything falls, more at the rim. */
static void fall(void)
{
    for (int i = 0; i < VERTICES; ++i) {
        const double rim = cloth[i].x * cloth[i].x + cloth[i].y * cloth[i].y;
        next[i] = cloth[i];
        if (!held[i])
            next[i].z -= 0.02 + 0.01 * rim;
    }
}

/* Holds the vertices of a contact that belong to the cloth, feature a. */
static void hold(const abut_deform *sheet, const abut_deform_contact *c)
{
    uint32_t ends[2];
    if (c->features[0] == ABUT_FEATURE_VERTEX)
        held[c->ids[0]] = true;
    else if (c->features[0] == ABUT_FEATURE_FACE)
        for (int k = 0; k < 3; ++k)
            held[cloth_of[3 * c->ids[0] + (uint32_t)k]] = true;
    else if (!abut_deform_get_edge(sheet, c->ids[0], ends))
        held[ends[0]] = held[ends[1]] = true;
}

int main(void)
{
    static abut_deform_contact contacts[4096];
    abut_deform *sheet = NULL, *body = NULL;
    abut_error error;
    const size_t cloth_triangles = make_cloth(), ball_triangles = make_ball();
    int failed = abut_deform_create(cloth, VERTICES, cloth_of, cloth_triangles, NULL, &sheet, &error) ||
                 abut_deform_create(ball, BALL, ball_of, ball_triangles, NULL, &body, &error);
    size_t first_step = 0, touching = 0;
    for (size_t step = 1; step <= 60 && !failed; ++step) {
        abut_deform_result with_ball, with_itself;
        fall();
        /* Vertices that would meet something are held, until a step meets nothing. */
        for (int pass = 0; pass < 50 && !failed; ++pass) {
            failed = abut_deform_update(sheet, cloth, next, VERTICES, &error) ||
                     abut_deform_contacts(sheet, body, NULL, contacts, 4096, &with_ball);
            if (failed || with_ball.count == 0)
                break;
            if (!first_step)
                first_step = step;
            for (size_t i = 0; i < with_ball.count && i < 4096; ++i)
                hold(sheet, &contacts[i]);
            for (int i = 0; i < VERTICES; ++i)
                if (held[i])
                    next[i] = cloth[i];
        }
        failed = failed || abut_deform_contacts(sheet, NULL, NULL, NULL, 0, &with_itself);
        if (failed || with_ball.count > 0 || with_itself.count > 0 ||
            with_ball.verdict == ABUT_FIRST_OVERLAPPING) {
            printf("step %zu went wrong\n", step);
            failed = 1;
        }
        for (int i = 0; i < VERTICES; ++i)
            cloth[i] = next[i];
    }
    for (int i = 0; i < VERTICES; ++i)
        touching += held[i];
    printf("the cloth reached the ball in step %zu; %zu of its %d vertices are held\n", first_step, touching,
           VERTICES);
    abut_deform_destroy(sheet);
    abut_deform_destroy(body);
    return failed || first_step == 0 || touching == 0 || touching == VERTICES;
}
