/* SPDX-License-Identifier: MIT */
/* Formats beyond our own, through Assimp: a Collada file with one tetrahedron placed twice, once
 * by nested transforms. Where the library was built without Assimp, the test says so and checks
 * the message that users get. */
#include "abut/scene.h"
#include "io/mesh/mesh.h"
#include "support/test.h"

#define FOLDER ABUT_TEST_DATA "/io/meshes/"

static bool has_vertex(const abut_mesh_data *mesh, double x, double y, double z)
{
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        if (mesh->vertices[i].x == x && mesh->vertices[i].y == y && mesh->vertices[i].z == z)
            return true;
    }
    return false;
}

static void nodes_place_their_meshes(void **state)
{
    (void)state;
    if (!abut_io_assimp_built()) {
        print_message("built without Assimp: not tested\n");
        skip();
    }
    abut_mesh_data mesh;
    abut_error error;
    TEST_CHECK(abut_mesh_load(FOLDER "pair.dae", NULL, &mesh, &error) == ABUT_OK, "%s", error.text);
    assert_int_equal(mesh.face_count, 8);
    assert_int_equal(mesh.index_count, 24);
    /* outer only */
    assert_true(has_vertex(&mesh, 10, 20, 30) && has_vertex(&mesh, 11, 20, 30) &&
                has_vertex(&mesh, 10, 21, 30) && has_vertex(&mesh, 10, 20, 31));
    /* inner: a quarter turn about z and doubled, then outer */
    assert_true(has_vertex(&mesh, 10, 22, 30) && has_vertex(&mesh, 8, 20, 30) &&
                has_vertex(&mesh, 10, 20, 32));
    for (size_t i = 0; i < mesh.index_count; ++i)
        assert_true(mesh.indices[i] < mesh.vertex_count);
    abut_mesh_data_clear(&mesh);
}

static void mistakes(void **state)
{
    (void)state;
    abut_mesh_data mesh;
    abut_error error;
    if (!abut_io_assimp_built()) {
        assert_int_equal(abut_mesh_load(FOLDER "pair.dae", NULL, &mesh, &error), ABUT_ERR_FILE);
        assert_non_null(
            strstr(error.text, "the ending '.dae' is not known; this build reads .obj, .stl, .ply and .off"));
        assert_non_null(strstr(error.text, "built without Assimp"));
        return;
    }
    assert_int_equal(abut_mesh_load(FOLDER "broken.dae", NULL, &mesh, &error), ABUT_ERR_SYNTAX);
    assert_non_null(strstr(error.text, "Assimp cannot read it: "));
    assert_string_equal(error.file, FOLDER "broken.dae");
    assert_true(!mesh.vertices && mesh.vertex_count == 0);
    assert_int_equal(abut_mesh_load(FOLDER "absent.dae", NULL, &mesh, &error), ABUT_ERR_FILE);
    assert_int_equal(abut_mesh_load(FOLDER "README.md", NULL, &mesh, &error), ABUT_ERR_FILE);
    assert_non_null(strstr(error.text, "the ending '.md' is not known; .obj, .stl, .ply and .off are, and"));
    assert_int_equal(abut_mesh_load(FOLDER "folder.obj/README", NULL, &mesh, &error), ABUT_ERR_FILE);
    assert_non_null(strstr(error.text, "the file name has no ending"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_place_their_meshes),
        cmocka_unit_test(mistakes),
    };
    return cmocka_run_group_tests_name("mesh_assimp", tests, NULL, NULL);
}
