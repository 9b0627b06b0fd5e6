/* SPDX-License-Identifier: MIT */
#define _DEFAULT_SOURCE
/* From a mesh file to a shape in one call. */
#include "abut/scene.h"

#include "abut/mesh.h"
#include "support/failing_allocator.h"

#define BLOCK ABUT_SOURCE_DIR "/scenes/meshes/block.obj"

static void files_become_shapes(void **state)
{
    (void)state;
    abut_shape *surface = NULL, *solid = NULL;
    abut_mesh_opts opts;
    abut_mesh_report report;
    abut_error error;
    assert_int_equal(abut_shape_load_mesh(BLOCK, NULL, NULL, &surface, &error), ABUT_OK);
    assert_int_equal(abut_shape_get_type(surface), ABUT_SHAPE_MESH);
    abut_mesh_opts_init(&opts);
    opts.solid = true;
    assert_int_equal(abut_shape_load_mesh(BLOCK, &opts, NULL, &solid, &error), ABUT_OK);
    assert_int_equal(abut_shape_inspect(solid, &report), ABUT_OK);
    assert_true(report.closed && report.outward);
    assert_int_equal(abut_shape_get_counts(surface).faces, abut_shape_get_counts(solid).faces);
    abut_shape_release(surface);
    abut_shape_release(solid);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    abut_shape *shape = (abut_shape *)&state;
    abut_error error;
    assert_int_equal(abut_shape_load_mesh("nowhere.obj", NULL, NULL, &shape, &error), ABUT_ERR_FILE);
    assert_null(shape);
    assert_string_equal(error.file, "nowhere.obj");
    assert_int_equal(abut_shape_load_mesh(NULL, NULL, NULL, &shape, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_load_mesh(BLOCK, NULL, NULL, NULL, &error), ABUT_ERR_ARGUMENT);
    /* An open sheet is no solid, and the error says which file it is of. */
    char name[] = "/tmp/abut_load_XXXXXX.obj";
    const int fd = mkstemps(name, 4);
    assert_true(fd >= 0);
    FILE *const f = fdopen(fd, "w");
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4 3\n", f);
    fclose(f);
    abut_mesh_opts opts;
    abut_mesh_opts_init(&opts);
    opts.solid = true;
    assert_int_not_equal(abut_shape_load_mesh(name, &opts, NULL, &shape, &error), ABUT_OK);
    assert_string_equal(error.file, name);
    assert_int_equal(abut_shape_load_mesh(name, NULL, NULL, &shape, &error), ABUT_OK);
    assert_int_equal(abut_shape_get_counts(shape).faces, 2);
    abut_shape_release(shape);
    remove(name);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_shape *shape = NULL;
            status = abut_shape_load_mesh(BLOCK, NULL, &alloc, &shape, NULL);
            abut_shape_release(shape);
        },
        status);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(files_become_shapes),
                                        cmocka_unit_test(mistakes_are_named),
                                        cmocka_unit_test(memory_may_run_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
