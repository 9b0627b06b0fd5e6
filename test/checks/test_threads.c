/* SPDX-License-Identifier: MIT */
/* Shapes and motions are shared between threads, one workspace a thread: every thread must get
 * bit for bit what a single thread got. Run under ThreadSanitizer (`make tsan`), it also shows
 * races that happen not to change an answer. */
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

/* ---- meshes: what joins their triangles is found by whoever asks first ---- */

typedef struct mesh_task {
    const abut_shape *a, *b;
    abut_check_result check[CASES];
    abut_contacts_result contacts[CASES];
    abut_triangle_contact first[CASES][4];
    abut_status status;
} mesh_task;

static void *work_on_meshes(void *argument)
{
    mesh_task *job = argument;
    abut_workspace *ws = NULL;
    job->status = abut_workspace_create(NULL, &ws);
    for (int i = 0; i < CASES && job->status == ABUT_OK; ++i) {
        abut_pose pose = abut_pose_identity();
        pose.position = (abut_vec3){ (i % 8) / 4.0, (i / 8 % 8) / 4.0, (i / 64) / 2.0 };
        job->status = abut_check(job->a, NULL, job->b, &pose, NULL, ws, &job->check[i]);
        if (job->status == ABUT_OK)
            job->status =
                abut_contacts(job->a, NULL, job->b, &pose, NULL, ws, job->first[i], 4, &job->contacts[i]);
    }
    abut_workspace_destroy(ws);
    return NULL;
}

static abut_shape *make_cube(double half)
{
    static const uint32_t triangles[36] = { 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                            2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5 };
    abut_vec3 vertices[8];
    abut_shape *cube;
    for (int i = 0; i < 8; ++i)
        vertices[i] = (abut_vec3){ i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half };
    assert_int_equal(abut_shape_create_mesh(vertices, 8, triangles, 12, true, NULL, &cube, NULL), ABUT_OK);
    return cube;
}

static void every_thread_gets_the_same_meshes(void **state)
{
    (void)state;
    abut_shape *large = make_cube(1), *small = make_cube(0.25);
    static mesh_task alone, tasks[THREADS];
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; ++i) {
        memset(&tasks[i], 0, sizeof tasks[i]);
        tasks[i].a = large;
        tasks[i].b = small;
        assert_int_equal(pthread_create(&threads[i], NULL, work_on_meshes, &tasks[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    memset(&alone, 0, sizeof alone);
    alone.a = large;
    alone.b = small;
    work_on_meshes(&alone);
    for (int i = 0; i < THREADS; ++i) {
        assert_int_equal(tasks[i].status, ABUT_OK);
        assert_memory_equal(tasks[i].check, alone.check, sizeof alone.check);
        assert_memory_equal(tasks[i].contacts, alone.contacts, sizeof alone.contacts);
        assert_memory_equal(tasks[i].first, alone.first, sizeof alone.first);
    }
    abut_shape_release(large);
    abut_shape_release(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_thread_gets_the_same_answers),
                                        cmocka_unit_test(every_thread_gets_the_same_meshes) };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
