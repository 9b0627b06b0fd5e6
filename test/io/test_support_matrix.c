/* SPDX-License-Identifier: MIT */
/* docs/support-matrix.md says which pairs of shapes each query answers. It is made here, by
 * asking, and must be the same as the file. ABUT_WRITE_DOCS=1 writes the file anew. */
#include "abut/query.h"
#include "abut/scene.h"
#include "support/text.h"

enum { TEXT = 1 << 16 };

/* One small shape of each kind that a scene file can hold; `%s` of swept is another one. */
static const struct kind {
    const char *name, *shape;
} kinds[] = {
    { "sphere", "{\"type\":\"sphere\",\"radius\":1}" },
    { "box", "{\"type\":\"box\",\"half\":[1,1,1]}" },
    { "capsule", "{\"type\":\"capsule\",\"radius\":0.5,\"height\":1}" },
    { "cylinder", "{\"type\":\"cylinder\",\"radius\":1,\"height\":1}" },
    { "cone", "{\"type\":\"cone\",\"radius\":1,\"height\":1}" },
    { "ellipsoid", "{\"type\":\"ellipsoid\",\"radii\":[1,0.5,0.7]}" },
    { "torus", "{\"type\":\"torus\",\"major\":1,\"minor\":0.25}" },
    { "halfspace", "{\"type\":\"halfspace\",\"normal\":[0,0,1],\"offset\":0}" },
    { "convex", "{\"type\":\"convex\",\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]}" },
    { "swept",
      "{\"type\":\"swept\",\"of\":{\"type\":\"cylinder\",\"radius\":1,\"height\":1},\"margin\":0.125}" },
    { "mesh",
      "{\"type\":\"mesh\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"triangles\":[[0,2,1],[0,1,3],"
      "[0,3,2],[1,2,3]]}" },
    { "mesh, solid", "{\"type\":\"mesh\",\"solid\":true,\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],"
                     "\"triangles\":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}" },
    { "polyhedron",
      "{\"type\":\"polyhedron\",\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]],\"faces\":[[0,2,1],"
      "[0,1,3],[0,3,2],[1,2,3]]}" },
    { "heightfield", "{\"type\":\"heightfield\",\"columns\":3,\"rows\":2,\"spacing\":[1,1],\"heights\":"
                     "[0,0.5,0,0.25,0,0]}" },
    { "parametric",
      "{\"type\":\"parametric\",\"x\":\"u\",\"y\":\"v\",\"z\":\"u*v\",\"u\":[-1,1],\"v\":[-1,1]}" },
    { "bezier", "{\"type\":\"bezier\",\"degree\":[1,1],\"points\":[[0,0,0],[1,0,0],[0,1,0],[1,1,1]]}" },
    { "implicit", "{\"type\":\"implicit\",\"f\":\"x^2+y^2+z^4-1\",\"bounds\":[[-2,-2,-2],[2,2,2]]}" },
    { "csg",
      "{\"type\":\"csg\",\"op\":\"intersection\",\"of\":[{\"type\":\"implicit\",\"f\":\"x^2+y^2+z^2-1\","
      "\"bounds\":[[-2,-2,-2],[2,2,2]]},{\"type\":\"implicit\",\"f\":\"x\",\"bounds\":[[-2,-2,-2],[2,2,2]]}]"
      "}" },
    { "extrude", "{\"type\":\"extrude\",\"profile\":[[0,0],[1,0],[1,1,0.25],[0,1]],\"height\":1}" },
    { "revolve", "{\"type\":\"revolve\",\"profile\":[[0,0],[1,0],[1,1],[0,1]]}" },
    { "solid", "{\"type\":\"solid\",\"surfaces\":[{\"type\":\"sphere\",\"center\":[0,0,0],\"radius\":1}],"
               "\"vertices\":[],"
               "\"edges\":[],\"faces\":[{\"surface\":0,\"outward\":1,\"loops\":[]}]}" },
    { "compound", "{\"type\":\"compound\",\"of\":[{\"shape\":{\"type\":\"sphere\",\"radius\":1}},{\"shape\":"
                  "{\"type\":\"box\",\"half\":[0.5,0.5,0.5]},\"pose\":{\"position\":[1,0,0]}}]}" },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* What changes its form, and how it moves meanwhile. */
#define TETRAHEDRON "\"vertices\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]"
static const struct changing {
    const char *name, *shape, *motion;
} changing[] = {
    { "parametric, closed, in t",
      "{\"type\":\"parametric\",\"x\":\"(1+t/4)*cos(u)*cos(v)\",\"y\":\"sin(u)*cos(v)\",\"z\":\"sin(v)\","
      "\"u\":[-3.141592653589793,3.141592653589793],\"v\":[-1.5707963267948966,1.5707963267948966],\"wrap\":"
      "[\"u\"]}",
      NULL },
    { "parametric, open, in t",
      "{\"type\":\"parametric\",\"x\":\"u\",\"y\":\"v\",\"z\":\"t*u*v\",\"u\":[-1,1],\"v\":[-1,1]}", NULL },
    { "implicit, in t", "{\"type\":\"implicit\",\"f\":\"x^2+y^2+z^2-1+t/2\",\"bounds\":[[-2,-2,-2],[2,2,2]]}",
      NULL },
    { "csg, in t",
      "{\"type\":\"csg\",\"op\":\"difference\",\"of\":[{\"type\":\"implicit\",\"f\":\"x^2+y^2+z^2-1-t\","
      "\"bounds\":[[-2,-2,-2],[2,2,2]]},{\"type\":\"implicit\",\"f\":\"x^2+y^2-0.2\",\"bounds\":[[-2,-2,-2],"
      "[2,2,2]]}]}",
      NULL },
    { "ellipsoid, affine", "{\"type\":\"ellipsoid\",\"radii\":[1,0.5,0.7]}",
      "{\"type\":\"affine\",\"matrices\":[[[1,0,0,0.125],[0,1,0,0.25],[0,0,1,4]],[[1.25,0.125,0,0],[0,0.9,0,"
      "0],"
      "[0,0,1.1,1]]]}" },
    { "mesh, vertices", "{\"type\":\"mesh\"," TETRAHEDRON ",\"triangles\":[[0,2,1],[0,1,3],[0,3,2],[1,2,3]]}",
      "{\"type\":\"vertices\",\"keys\":[{\"t\":0,\"vertices\":[[0,0,4],[1,0,4],[0,1,4],[0,0,5]]},{\"t\":1,"
      "\"vertices\":[[0,0,1],[1.25,0,1],[0,1,1],[0,0,2.25]]}]}" },
};
enum { CHANGING = sizeof changing / sizeof *changing };

#define MOVING                                                                                               \
    "{\"type\":\"linear\",\"from\":{\"position\":[0.125,0.25,4]},\"to\":{\"position\":[0,0,1],\"rotation\":" \
    "{\"axis\":[0,0,1],\"degrees\":20}}}"

/* Object 2 i is kind i at rest near the others, 2 i + 1 the same one moving and turning; then those that
 * change their form. */
static abut_scene *all_kinds(void)
{
    test_text t = { malloc(TEXT), TEXT, 0 };
    test_add(&t, "{\"abut\":1,\"objects\":[");
    for (int i = 0; i < KINDS; ++i)
        test_add(&t,
                 "%s{\"name\":\"a%d\",\"shape\":%s},{\"name\":\"b%d\",\"shape\":%s,\"motion\":" MOVING "}",
                 i ? "," : "", i, kinds[i].shape, i, kinds[i].shape);
    for (int i = 0; i < CHANGING; ++i)
        test_add(&t, ",{\"name\":\"c%d\",\"shape\":%s,\"motion\":%s}", i, changing[i].shape,
                 changing[i].motion ? changing[i].motion : MOVING);
    test_add(&t, "]}");
    abut_scene *scene = NULL;
    abut_error error;
    const abut_status status = abut_scene_parse(t.at, t.length, "kinds", NULL, &scene, &error);
    TEST_CHECK(status == ABUT_OK, "%s: %s", error.path, error.text);
    free(t.at);
    return scene;
}

/* Which queries answer two objects: "c", "f", "i". */
static void ask_objects(const abut_scene *scene, size_t i, size_t j, char out[8])
{
    const abut_scene_object a = abut_scene_get_object(scene, i);
    const abut_scene_object b = abut_scene_get_object(scene, j);
    abut_check_result check;
    abut_first_result first;
    abut_intervals_result intervals;
    abut_contact_interval list[4];
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.max_iterations = 4; /* whether it is answered is asked, not what */
    abut_check_opts check_opts;
    abut_check_opts_init(&check_opts);
    check_opts.max_iterations = 4;
    const abut_status status[3] = {
        abut_check_at(a.shape, a.motion, b.shape, b.motion, 0, &check_opts, NULL, &check),
        abut_first_contact(a.shape, a.motion, b.shape, b.motion, &opts, NULL, &first),
        abut_contact_intervals(a.shape, a.motion, b.shape, b.motion, &opts, NULL, list, 4, &intervals)
    };
    int length = 0;
    for (int k = 0; k < 3; ++k) {
        TEST_CHECK(status[k] == ABUT_OK || status[k] == ABUT_ERR_UNSUPPORTED, "%s against %s: %s", a.name,
                   b.name, abut_status_text(status[k]));
        if (status[k] == ABUT_OK)
            out[length++] = "cfi"[k];
    }
    out[length] = 0;
}

static void ask(const abut_scene *scene, int i, int j, char out[8])
{
    ask_objects(scene, 2 * (size_t)i, 2 * (size_t)j + 1, out);
}

/* A table of bodies that change their form against all others, moving, and against each other. */
static void changing_matrix(const abut_scene *scene, test_text *t)
{
    int cells = 0, missing[3] = { 0, 0, 0 };
    test_add(
        t,
        "\n## Bodies that change their form\n\nThe same queries, at an instant and over time, where one body "
        "deforms: by `t` in its expressions, under an\naffine motion, or by a motion of its vertices. The "
        "other "
        "one moves and turns, or deforms too.\n\n| ");
    for (int i = 0; i < CHANGING; ++i)
        test_add(t, " | %s", changing[i].name);
    test_add(t, " |\n|---");
    for (int i = 0; i < CHANGING; ++i)
        test_add(t, "|---");
    test_add(t, "|\n");
    for (int j = 0; j < KINDS + CHANGING; ++j) {
        test_add(t, "| %s", j < KINDS ? kinds[j].name : changing[j - KINDS].name);
        for (int i = 0; i < CHANGING; ++i) {
            const size_t one = 2 * (size_t)KINDS + (size_t)i,
                         two = j < KINDS ? 2 * (size_t)j + 1 : KINDS + (size_t)j;
            char found[8], mirrored[8];
            ask_objects(scene, one, two, found);
            ask_objects(scene, two, one, mirrored);
            TEST_CHECK(strcmp(found, mirrored) == 0, "%s against %d: %s, the other way %s", changing[i].name,
                       j, found, mirrored);
            test_add(t, " | %s", found[0] ? found : "-");
            for (int k = 0; k < 3; ++k)
                missing[k] += !strchr(found, "cfi"[k]);
            ++cells;
        }
        test_add(t, " |\n");
    }
    test_add(t, "\nOf %d pairs `check` answers %d, `first` %d and `intervals` %d.\n", cells,
             cells - missing[0], cells - missing[1], cells - missing[2]);
}

static void matrix(const abut_scene *scene, test_text *t)
{
    int cells = 0, missing[3] = { 0, 0, 0 };
    test_add(
        t,
        "# Support matrix\n\nWhich pairs of shapes each query answers. This page is made by a test that asks "
        "each of them.\n`c`: `check` (also `abut_distance`, `abut_overlap`); `f`: `first` under rigid "
        "motions; "
        "`i`: `intervals`. A pair\nthat is not answered is named by the command, which exits with 3; in C "
        "the "
        "status is `ABUT_ERR_UNSUPPORTED`.\n\n|");
    for (int j = 0; j < KINDS; ++j)
        test_add(t, " | %s", kinds[j].name);
    test_add(t, " |\n|---");
    for (int j = 0; j < KINDS; ++j)
        test_add(t, "|---");
    test_add(t, "|\n");
    for (int i = 0; i < KINDS; ++i) {
        test_add(t, "| %s", kinds[i].name);
        for (int j = 0; j <= i; ++j) {
            char found[8], mirrored[8];
            ask(scene, i, j, found);
            ask(scene, j, i, mirrored);
            TEST_CHECK(strcmp(found, mirrored) == 0, "%s against %s: %s, the other way %s", kinds[i].name,
                       kinds[j].name, found, mirrored);
            test_add(t, " | %s", found[0] ? found : "-");
            for (int k = 0; k < 3; ++k)
                missing[k] += !strchr(found, "cfi"[k]);
            ++cells;
        }
        for (int j = i + 1; j < KINDS; ++j)
            test_add(t, " | ");
        test_add(t, " |\n");
    }
    test_add(
        t,
        "\nOf %d pairs `check` answers %d, `first` %d and `intervals` %d. Bodies that a program gives by a "
        "support\nfunction (`abut_shape_create_support`) are answered wherever `convex` is, at rest and "
        "under "
        "rigid motions.\n",
        cells, cells - missing[0], cells - missing[1], cells - missing[2]);
}

static void the_page_is_true(void **state)
{
    (void)state;
    static const char path[] = ABUT_SOURCE_DIR "/docs/support-matrix.md";
    abut_scene *scene = all_kinds();
    test_text t = { malloc(TEXT), TEXT, 0 };
    matrix(scene, &t);
    changing_matrix(scene, &t);
    abut_scene_destroy(scene);
    if (getenv("ABUT_WRITE_DOCS")) {
        FILE *to = fopen(path, "wb");
        assert_non_null(to);
        assert_int_equal(fwrite(t.at, 1, t.length, to), t.length);
        assert_int_equal(fclose(to), 0);
    }
    FILE *from = fopen(path, "rb");
    TEST_CHECK(from, "%s is missing; ABUT_WRITE_DOCS=1 writes it", path);
    char *page = malloc(TEXT);
    const size_t length = fread(page, 1, TEXT, from);
    fclose(from);
    TEST_CHECK(length == t.length && memcmp(page, t.at, length) == 0,
               "docs/support-matrix.md is not what the queries say; ABUT_WRITE_DOCS=1 writes it anew:\n%s",
               t.at);
    free(page);
    free(t.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_page_is_true) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
