/* SPDX-License-Identifier: MIT */
/* Topology of boundary representations: what is accepted, how it is ordered, what is refused. */
#include "brep/topology.h"
#include "support/failing_allocator.h"

static abut_error e;
#define NONE    ABUT_BREP_NONE
#define F(edge) ((edge) << 1)
#define R(edge) ((edge) << 1 | 1)

/* A tetrahedron: edges 01 02 03 12 13 23. */
static const uint32_t tetra_ends[] = { 0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3 };
static const uint32_t tetra_loops[] = { 1, 1, 1, 1 }, tetra_sizes[] = { 3, 3, 3, 3 };
static const uint32_t tetra_uses[] = {
    F(1), R(3), R(0), F(0), F(4), R(2), F(2), R(5), R(1), F(3), F(5), R(4)
};

static abut_brep_def tetra(void)
{
    return (abut_brep_def){ .vertex_count = 4,
                            .edge_count = 6,
                            .face_count = 4,
                            .loop_count = 4,
                            .use_count = 12,
                            .edge_ends = tetra_ends,
                            .face_loop_count = tetra_loops,
                            .loop_sizes = tetra_sizes,
                            .uses = tetra_uses };
}

static void check_links(const abut_brep *b)
{
    for (uint32_t c = 0; c < b->coedge_count; ++c) {
        assert_int_equal(abut_brep_next(b, abut_brep_previous(b, c)), c);
        assert_int_equal(abut_brep_mate(b, abut_brep_mate(b, c)), c);
        assert_true(abut_brep_mate(b, c) != c);
        assert_int_equal(abut_brep_start(b, abut_brep_next(b, c)), abut_brep_start(b, abut_brep_mate(b, c)));
        assert_int_equal(b->edges[abut_brep_edge_of(b, c)].coedges[abut_brep_is_reversed(b, c)], c);
    }
    for (size_t v = 0; v < b->vertex_count; ++v)
        for (uint32_t i = b->vertex_starts[v]; i < b->vertex_starts[v + 1]; ++i) {
            const uint32_t c = b->vertex_coedges[i];
            const uint32_t after = i + 1 < b->vertex_starts[v + 1] ? i + 1 : b->vertex_starts[v];
            assert_int_equal(abut_brep_start(b, c), v);
            assert_int_equal(b->vertex_coedges[after], abut_brep_mate(b, abut_brep_previous(b, c)));
        }
}

static void tetrahedron(void **state)
{
    (void)state;
    const abut_brep_def def = tetra();
    abut_brep *b;
    assert_int_equal(abut_brep_create(&def, NULL, &b, &e), ABUT_OK);
    check_links(b);
    assert_int_equal(b->shell_count, 1);
    for (size_t v = 0; v < 4; ++v)
        assert_int_equal(b->vertex_starts[v + 1] - b->vertex_starts[v], 3);
    assert_int_equal(abut_brep_edge_face(b, 0, 0), 1);
    assert_int_equal(abut_brep_edge_face(b, 0, 1), 0);
    abut_brep_destroy(b);
    abut_brep_destroy(NULL);
}

/* A can: two discs and a side with two loops, circles without a vertex and with one; a cone with
 * its apex; a sphere without loops. */
static void curved(void **state)
{
    (void)state;
    const uint32_t ends[] = { NONE, NONE, 0, 0 }, loops[] = { 1, 1, 2, 0, 1, 1 },
                   sizes[] = { 1, 1, 1, 1, 1, 1 }, uses[] = { F(0), F(1), R(0), R(1), F(2), R(2) };
    const uint32_t more_ends[] = { NONE, NONE, 0, 0, NONE, NONE };
    const uint32_t lone[] = { NONE, 5, NONE };
    abut_brep_def def = { .vertex_count = 3,
                          .edge_count = 3,
                          .face_count = 6,
                          .loop_count = 6,
                          .use_count = 6,
                          .edge_ends = more_ends,
                          .face_loop_count = loops,
                          .loop_sizes = sizes,
                          .uses = uses,
                          .lone_faces = lone };
    abut_brep *b;
    assert_int_equal(abut_brep_create(&def, NULL, &b, &e), ABUT_OK);
    check_links(b);
    assert_int_equal(b->shell_count, 3);
    assert_int_equal(b->faces[0].shell, 0);
    assert_int_equal(b->faces[2].shell, 0);
    assert_int_equal(b->faces[3].shell, 1);
    assert_int_equal(b->faces[5].shell, 2);
    assert_int_equal(b->shell_starts[3], 6);
    assert_int_equal(b->shell_faces[3], 3);
    assert_int_equal(b->vertex_starts[1] - b->vertex_starts[0], 2);
    assert_int_equal(b->vertex_starts[3] - b->vertex_starts[1], 0);
    assert_int_equal(b->lone_faces[1], 5);
    abut_brep_destroy(b);

    const uint32_t wrong[] = { 5, NONE, NONE }, beyond[] = { NONE, 6, NONE };
    def.lone_faces = wrong;
    assert_int_equal(abut_brep_create(&def, NULL, &b, &e), ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "vertex 0 lies inside face 5"));
    def.lone_faces = beyond;
    assert_int_equal(abut_brep_create(&def, NULL, &b, &e), ABUT_ERR_ARGUMENT);
    def.edge_ends = ends;
    def.edge_count = 2;
    assert_int_equal(abut_brep_create(&def, NULL, &b, &e), ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(e.text, "names edge 2"));
    assert_null(b);
}

static void refuse(const abut_brep_def *def, int64_t index, const char *text)
{
    abut_brep *b;
    const abut_status status = abut_brep_create(def, NULL, &b, &e);
    TEST_CHECK(status == ABUT_ERR_ARGUMENT && e.index == index && strstr(e.text, text), "%d, %d: %s",
               (int)status, (int)e.index, e.text);
    assert_null(b);
    assert_int_equal(abut_brep_create(def, NULL, &b, NULL), ABUT_ERR_ARGUMENT);
}

static void refused(void **state)
{
    (void)state;
    abut_brep_def def = tetra();
    def.face_count = def.loop_count = 3;
    def.use_count = 9;
    refuse(&def, 3, "(edge 3) has a face on one side only");
    def = tetra();
    const uint32_t turned[] = { F(0), F(3), R(1), F(0), F(4), R(2), F(2), R(5), R(1), F(3), F(5), R(4) };
    def.uses = turned;
    refuse(&def, 0, "run the same way");
    const uint32_t jumps[] = { F(1), R(0), R(3), F(0), F(4), R(2), F(2), R(5), R(1), F(3), F(5), R(4) };
    def.uses = jumps;
    refuse(&def, 0, "face 0 is not closed");
    def = tetra();
    const uint32_t half[] = { 0, NONE, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3 },
                   beyond[] = { 0, 4, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3 };
    def.edge_ends = half;
    refuse(&def, 0, "only one end");
    def.edge_ends = beyond;
    refuse(&def, 0, "names vertex 4");
    def = tetra();
    const uint32_t many[] = { 1, 1, 1, 2 }, few[] = { 1, 1, 1, 0 }, empty[] = { 3, 3, 0, 3 };
    def.face_loop_count = many;
    refuse(&def, 3, "face 3 has 2 loops");
    def.face_loop_count = few;
    refuse(&def, -1, "belong to no face");
    def = tetra();
    def.loop_sizes = empty;
    refuse(&def, 2, "face 2 has 0 edges");
    def = tetra();
    def.face_count = 0;
    refuse(&def, -1, "at least one face");
    def = tetra();
    const uint32_t more_ends[] = { 0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3, 0, 1 };
    def.edge_ends = more_ends;
    def.edge_count = 7;
    refuse(&def, 6, "belongs to no face");
}

/* Two tetrahedra with a common vertex, and three faces at an edge. */
static void not_manifold(void **state)
{
    (void)state;
    uint32_t ends[24], uses[24], loops[8], sizes[8];
    for (uint32_t i = 0; i < 12; ++i) {
        ends[i] = tetra_ends[i];
        ends[12 + i] = tetra_ends[i] == 0 ? 0 : tetra_ends[i] + 3;
        uses[i] = tetra_uses[i];
        uses[12 + i] = tetra_uses[i] + 12;
    }
    for (int i = 0; i < 8; ++i) {
        loops[i] = 1;
        sizes[i] = 3;
    }
    abut_brep_def def = { .vertex_count = 7,
                          .edge_count = 12,
                          .face_count = 8,
                          .loop_count = 8,
                          .use_count = 24,
                          .edge_ends = ends,
                          .face_loop_count = loops,
                          .loop_sizes = sizes,
                          .uses = uses };
    refuse(&def, 0, "vertex 0 is not manifold");
    uses[12] = uses[0];
    refuse(&def, 1, "more than two faces");
}

static void memory_runs_out(void **state)
{
    (void)state;
    const abut_brep_def def = tetra();
    abut_brep *b;
    abut_status status;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            status = abut_brep_create(&def, &alloc, &b, &e);
            abut_brep_destroy(b);
        },
        status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tetrahedron),  cmocka_unit_test(curved),          cmocka_unit_test(refused),
        cmocka_unit_test(not_manifold), cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
