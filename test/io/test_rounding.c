/* SPDX-License-Identifier: MIT */
/* Scenes of every kind of body, read and asked in each of the four rounding modes: the same answers
 * to the last bit, and the caller's mode is kept by every call. */
#include "abut/query.h"
#include "abut/scene.h"
#include "support/test.h"

#include <fenv.h>

enum { VALUES = 512, LISTED = 16, PAIRS = 6, SMALL = 6 };

static const char *const scenes[] = {
    "birth-in-a-cavity",       "born-csg-component",       "bezier-cubes-share-edge",
    "closed-from-nothing",     "compound-bracket",         "heightfield-flush-box",
    "first-apex-accuracy",     "first-field-from-far",     "first-needle-inside",
    "intervals-fast",          "intervals-field-late",     "intervals-bead-in-cylinder",
    "needle-through-diagonal", "parametric-turned-inward", "stacked-round-bodies",
    "turned-by-quaternion",
};

typedef struct answers {
    uint64_t bits[VALUES];
    size_t count;
} answers;

static void put(answers *a, double value)
{
    if (a->count < VALUES)
        memcpy(&a->bits[a->count++], &value, sizeof value);
}

static void put_interval(answers *a, abut_interval i)
{
    put(a, i.lo);
    put(a, i.hi);
}

static void ask_pair(const abut_scene_object *a, const abut_scene_object *b, abut_interval time, answers *to)
{
    abut_check_result check = { .verdict = ABUT_UNDECIDED };
    abut_first_result first = { .verdict = ABUT_FIRST_UNDECIDED };
    abut_intervals_result all = { .count = 0 };
    abut_contact_interval listed[LISTED];
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.time = time;
    opts.max_iterations = 20000;
    put(to, abut_check_at(a->shape, a->motion, b->shape, b->motion, time.lo, NULL, NULL, &check));
    put(to, check.verdict);
    put(to, check.proof);
    put_interval(to, check.distance);
    put(to, abut_first_contact(a->shape, a->motion, b->shape, b->motion, &opts, NULL, &first));
    put(to, first.verdict);
    put(to, first.proof);
    put_interval(to, first.time);
    put(to,
        abut_contact_intervals(a->shape, a->motion, b->shape, b->motion, &opts, NULL, listed, LISTED, &all));
    put(to, all.proof);
    put(to, (double)all.count);
    for (size_t i = 0; i < all.count && i < LISTED; ++i) {
        put_interval(to, listed[i].enter);
        put_interval(to, listed[i].exit);
    }
}

static void ask_body(const abut_scene_object *a, double t, answers *to)
{
    abut_ray_hit hits[LISTED];
    size_t count = 0;
    put(to, abut_cast_ray_at(a->shape, a->motion, t, (abut_vec3){ 0.1, 0.2, 9 },
                             (abut_vec3){ 0.01, 0.02, -1 }, hits, LISTED, &count));
    for (size_t i = 0; i < count && i < LISTED; ++i)
        put(to, hits[i].t);
    const abut_aabb box = abut_shape_bounds(a->shape);
    put(to, box.lo.x);
    put(to, box.hi.z);
}

static void ask(const char *path, int mode, answers *to)
{
    abut_scene *scene = NULL;
    abut_error error;
    to->count = 0;
    (void)fesetround(mode);
    const abut_status status = abut_scene_load(path, NULL, &scene, &error);
    put(to, status);
    const abut_interval time = abut_scene_time(scene);
    const size_t pairs = abut_scene_pair_count(scene);
    for (size_t i = 0; i < pairs && i < PAIRS; ++i) {
        size_t a, b;
        abut_scene_get_pair(scene, i, &a, &b);
        const abut_scene_object one = abut_scene_get_object(scene, a), two = abut_scene_get_object(scene, b);
        ask_pair(&one, &two, time, to);
    }
    for (size_t i = 0; i < abut_scene_object_count(scene) && i < PAIRS; ++i) {
        const abut_scene_object body = abut_scene_get_object(scene, i);
        ask_body(&body, time.lo, to);
    }
    abut_scene_destroy(scene);
    const int kept = fegetround();
    (void)fesetround(FE_TONEAREST);
    TEST_CHECK(kept == mode, "%s: the rounding mode was %d and is %d", path, mode, kept);
    TEST_CHECK(status == ABUT_OK && to->count > 10, "%s: %s", path, error.text);
}

static void every_rounding_mode(void **state)
{
    (void)state;
    static const int modes[] = { FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    const size_t all = sizeof scenes / sizeof *scenes, wanted = (size_t)test_count(all),
                 many = wanted < SMALL ? SMALL
                        : wanted < all ? wanted
                                       : all;
    for (size_t i = 0; i < many; ++i) {
        char path[512];
        answers nearest, other;
        snprintf(path, sizeof path, "%s/%s.json", TEST_REGRESS, scenes[i]);
        ask(path, FE_TONEAREST, &nearest);
        for (size_t m = 0; m < sizeof modes / sizeof *modes; ++m) {
            ask(path, modes[m], &other);
            TEST_CHECK(other.count == nearest.count, "%s: %zu values, %zu", path, nearest.count, other.count);
            for (size_t k = 0; k < nearest.count; ++k)
                TEST_CHECK(nearest.bits[k] == other.bits[k], "%s, mode %d, value %zu: bits %llx, not %llx",
                           path, modes[m], k, (unsigned long long)other.bits[k],
                           (unsigned long long)nearest.bits[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_rounding_mode) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
