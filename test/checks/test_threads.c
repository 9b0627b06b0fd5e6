/* SPDX-License-Identifier: MIT */
/* Shapes and motions are shared between threads, one workspace a thread: every thread must get bit for bit what a single
 * thread got. Run under ThreadSanitizer (`make tsan`), it also shows races that happen not to change an answer. */
#include "abut/abut.h"
#include "support/test.h"

#include <pthread.h>

enum { THREADS = 4, CASES = 200 };

typedef struct answers {
    abut_check_result check[CASES];
    abut_first_result first[CASES];
} answers;

typedef struct shared {
    abut_shape *sphere, *box;
    abut_motion *motion[CASES];
} shared;

typedef struct task {
    const shared *with;
    answers out;
    abut_status status;
} task;

static void *work(void *argument)
{
    task *job = argument;
    const shared *s = job->with;
    abut_workspace *ws = NULL;
    job->status = abut_workspace_create(NULL, &ws);
    for (int i = 0; i < CASES && job->status == ABUT_OK; ++i) {
        abut_shape *kept = abut_shape_retain(s->sphere);
        abut_motion *moved = abut_motion_retain(s->motion[i]);
        job->status = abut_check_at(kept, moved, s->box, NULL, 0.25, NULL, ws, &job->out.check[i]);
        if (job->status == ABUT_OK)
            job->status = abut_first_contact(kept, moved, kept, NULL, NULL, ws, &job->out.first[i]);
        abut_motion_release(moved);
        abut_shape_release(kept);
    }
    abut_workspace_destroy(ws);
    return NULL;
}

static void every_thread_gets_the_same_answers(void **state)
{
    (void)state;
    shared s = { 0 };
    assert_int_equal(abut_shape_create_sphere(0.75, NULL, &s.sphere), ABUT_OK);
    assert_int_equal(abut_shape_create_box((abut_vec3){ 1, 2, 3 }, NULL, &s.box), ABUT_OK);
    test_random r = test_seed(1);
    for (int i = 0; i < CASES; ++i) {
        abut_placement from = { 0 }, to = { 0 };
        from.position =
            (abut_vec3){ test_uniform(&r, -4, 4), test_uniform(&r, -4, 4), test_uniform(&r, -4, 4) };
        to.position =
            (abut_vec3){ test_uniform(&r, -4, 4), test_uniform(&r, -4, 4), test_uniform(&r, -4, 4) };
        to.rotation = (abut_rotation){ .kind = ABUT_ROTATION_DEGREES, .axis = { 1, 2, 3 }, .angle = 100 };
        assert_int_equal(abut_motion_create_screw(0, 1, &from, &to, NULL, &s.motion[i], NULL), ABUT_OK);
    }
    static task alone, tasks[THREADS];
    memset(&alone, 0, sizeof alone);
    alone.with = &s;
    work(&alone);
    assert_int_equal(alone.status, ABUT_OK);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        memset(&tasks[i], 0, sizeof tasks[i]);
        tasks[i].with = &s;
        assert_int_equal(pthread_create(&threads[i], NULL, work, &tasks[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(tasks[i].status, ABUT_OK);
        assert_memory_equal(&tasks[i].out, &alone.out, sizeof alone.out);
    }
    for (int i = 0; i < CASES; ++i)
        abut_motion_release(s.motion[i]);
    abut_shape_release(s.sphere);
    abut_shape_release(s.box);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_thread_gets_the_same_answers) };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
