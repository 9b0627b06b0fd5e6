/* SPDX-License-Identifier: MIT */
/* The multi-body simulation of I-COLLIDE (Cohen, Lin, Manocha, Ponamgi 1995): polytopes in a cube, each
 * turning and moving every frame, all collisions found every frame. Sweeps over the number of polytopes,
 * their faces, the density and the rotation, as in the paper's graphs.
 *
 *     example_polytopes            100 polytopes, 20 frames: a test, judged against all pairs
 *     example_polytopes --sweep    the paper's settings and sweeps around them, as tables
 *
 * Defaults of the paper: 1000 polytopes of 36 faces, 10 degrees and 10 % of the radius a frame, 1 % of
 * the volume filled. Their machine (HP-9000/750) made 23 frames a second. */
#define _POSIX_C_SOURCE 200809L
#include <abut/abut.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct settings {
    size_t count;
    int points; /* of a hull: 2 points - 4 faces */
    double degrees, step, density;
} settings;

typedef struct polytope {
    abut_body_id id;
    abut_pose pose;
    abut_vec3 velocity, axis;
} polytope;

static double uniform(double lo, double hi)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return lo + (hi - lo) * (double)(state >> 11) * 0x1p-53;
}

static abut_vec3 direction(void)
{
    for (;;) {
        const abut_vec3 v = { uniform(-1, 1), uniform(-1, 1), uniform(-1, 1) };
        const double s = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
        if (s > .1 && s <= 1)
            return (abut_vec3){ v.x / s, v.y / s, v.z / s };
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static abut_shape *random_hull(int points)
{
    abut_vec3 at[256];
    abut_shape *shape = NULL;
    for (int i = 0; i < points; ++i)
        at[i] = direction();
    return abut_shape_create_convex(at, (size_t)points, 0, NULL, &shape, NULL) == ABUT_OK ? shape : NULL;
}

static abut_quat turn(abut_quat q, abut_vec3 axis, double radians)
{
    const abut_quat by = abut_quat_from_axis_angle(axis, radians);
    return abut_quat_normalize((abut_quat){ by.w * q.w - by.x * q.x - by.y * q.y - by.z * q.z,
                                            by.w * q.x + by.x * q.w + by.y * q.z - by.z * q.y,
                                            by.w * q.y - by.x * q.z + by.y * q.w + by.z * q.x,
                                            by.w * q.z + by.x * q.y - by.y * q.x + by.z * q.w });
}

static double bounce(double *x, double *v, double edge)
{
    *x += *v;
    if (*x < 0 || *x > edge)
        *v = -*v;
    return *x;
}

static void move(polytope *p, const settings *s, double edge)
{
    bounce(&p->pose.position.x, &p->velocity.x, edge);
    bounce(&p->pose.position.y, &p->velocity.y, edge);
    bounce(&p->pose.position.z, &p->velocity.z, edge);
    p->pose.rotation = turn(p->pose.rotation, p->axis, s->degrees * 0.017453292519943295);
}

/* What a frame costs and finds, on average. */
typedef struct outcome {
    double seconds, pairs, contacts;
    bool right;
} outcome;

static bool agrees(const abut_world *world, const polytope *p, size_t count, abut_shape *const *shapes,
                   size_t found)
{
    size_t all = 0;
    for (size_t i = 0; i < count; ++i)
        for (size_t k = i + 1; k < count; ++k) {
            abut_overlap_result r;
            if (abut_overlap(shapes[i % 16], &p[i].pose, shapes[k % 16], &p[k].pose, NULL, NULL, &r) !=
                ABUT_OK)
                return false;
            all += r.verdict != ABUT_SEPARATE;
        }
    (void)world;
    return all == found;
}

static outcome simulate(const settings *s, int frames, bool judge)
{
    outcome out = { .right = true };
    abut_shape *shapes[16];
    abut_world *world = NULL;
    abut_world_opts opts;
    polytope *p = calloc(s->count, sizeof *p);
    /* a hull of points on the unit sphere fills a little less than the ball */
    const double edge = cbrt((double)s->count * 3.6 / s->density);
    abut_world_opts_init(&opts);
    if (!p || abut_world_create(&opts, NULL, &world) != ABUT_OK) {
        free(p);
        return (outcome){ .right = false };
    }
    for (int i = 0; i < 16; ++i)
        shapes[i] = random_hull(s->points);
    for (size_t i = 0; i < s->count; ++i) {
        abut_world_body body;
        abut_world_body_init(&body);
        p[i].pose = (abut_pose){ { uniform(0, edge), uniform(0, edge), uniform(0, edge) }, { 1, 0, 0, 0 } };
        const abut_vec3 d = direction();
        p[i].velocity = (abut_vec3){ s->step * d.x, s->step * d.y, s->step * d.z };
        p[i].axis = direction();
        body.shape = shapes[i % 16];
        body.pose = p[i].pose;
        out.right = out.right && abut_world_add(world, &body, &p[i].id) == ABUT_OK;
    }
    for (int f = 0; f < frames && out.right; ++f) {
        for (size_t i = 0; i < s->count; ++i)
            move(&p[i], s, edge);
        abut_world_query_opts query;
        abut_world_result result;
        abut_world_query_opts_init(&query);
        query.threads = 1;
        const double begin = now();
        for (size_t i = 0; i < s->count; ++i)
            abut_world_move(world, p[i].id, &p[i].pose);
        out.right = abut_world_commit(world, (abut_interval){ 0, 0 }) == ABUT_OK &&
                    abut_world_contacts(world, &query, NULL, NULL, &result) == ABUT_OK;
        out.seconds += (now() - begin) / frames;
        out.pairs += (double)abut_world_pair_count(world) / frames;
        out.contacts += (double)result.found / frames;
        if (judge && f % 10 == 0)
            out.right = out.right && agrees(world, p, s->count, shapes, result.found);
    }
    abut_world_destroy(world);
    for (int i = 0; i < 16; ++i)
        abut_shape_release(shapes[i]);
    free(p);
    return out;
}

static int row(const char *what, const settings *s, int frames)
{
    const outcome o = simulate(s, frames, false);
    printf("| %s | %.3f ms | %.0f | %.1f | %.1f |\n", what, 1e3 * o.seconds, 1 / o.seconds, o.pairs,
           o.contacts);
    return o.right ? 0 : 1;
}

static int sweep(void)
{
    const settings usual = { 1000, 20, 10, .1, .01 };
    int wrong = 0;
    char what[80];
    printf("| setting | a frame | frames a second | pairs of boxes | pairs that meet "
           "|\n|---|---|---|---|---|\n");
    wrong |= row("1000 polytopes, 36 faces, 10°, 10 %, density 1 %", &usual, 50);
    for (size_t n = 20; n <= 2000; n *= 10) {
        settings s = usual;
        s.count = n;
        snprintf(what, sizeof what, "%zu polytopes", n);
        wrong |= row(what, &s, 50);
    }
    for (int points = 8; points <= 128; points *= 4) {
        settings s = usual;
        s.points = points;
        snprintf(what, sizeof what, "%d faces", 2 * points - 4);
        wrong |= row(what, &s, 50);
    }
    for (double density = .001; density < .2; density *= 10) {
        settings s = usual;
        s.density = density;
        snprintf(what, sizeof what, "density %g %%", 100 * density);
        wrong |= row(what, &s, 50);
    }
    for (double degrees = 1; degrees <= 100; degrees *= 10) {
        settings s = usual;
        s.degrees = degrees;
        snprintf(what, sizeof what, "%g degrees a frame", degrees);
        wrong |= row(what, &s, 50);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--sweep") == 0)
        return sweep();
    const settings few = { 100, 20, 10, .1, .05 };
    const outcome o = simulate(&few, 20, true);
    printf("%zu polytopes: %.1f pairs of boxes, %.1f meet, %.3f ms a frame\n", few.count, o.pairs, o.contacts,
           1e3 * o.seconds);
    if (!o.right)
        printf("the world disagrees with all pairs asked one by one\n");
    return o.right ? 0 : 1;
}
