/* SPDX-License-Identifier: MIT */
/* STEP and BREP files: what is recognised in files that make_cad wrote (TEST_CAD), volumes by closed
 * forms, and what is said about files that cannot be used. With ABUT_CAD_DATA set to a folder of files
 * of others, those too. */
#include "abut/query.h"
#include "abut/scene.h"
#include "abut/solid_file.h"
#include "support/failing_allocator.h"
#include "support/test.h"

#define PI 3.14159265358979323846

typedef struct expected {
    const char *file;
    double volume;     /* 0: not known in closed form */
    const char *faces; /* by kind: plane, sphere, cylinder, cone, torus, quadric */
    const char *edges; /* by kind: line, circle, conic, intersection, spline */
    size_t shells;
    size_t recognised; /* faces */
} expected;

/* The volume of two crossing cylinders is an elliptic integral; it is left to the other tests. The
 * dome: x from 0 to 2, pi x^2 under the circle of radius 5 about (-3, 0): with x = 5 cos t - 3,
 * integrated by parts in the note below. */
static double dome_volume(void)
{
    /* int_0^4 pi (sqrt(25 - z^2) - 3)^2 dz = pi int (34 - z^2 - 6 sqrt(25 - z^2)) dz. */
    const double root = 0.5 * (4 * 3 + 25 * asin(0.8));
    return PI * (34 * 4 - 64.0 / 3 - 6 * root);
}

static const expected *table(size_t *count)
{
    static expected rows[] = {
        { "box.step", 48, "6 0 0 0 0 0", "12 0 0 0 0", 1, 0 },
        { "box.brep", 48, "6 0 0 0 0 0", "12 0 0 0 0", 1, 0 },
        { "cylinder.step", 20 * PI, "2 0 1 0 0 0", "0 2 0 0 0", 1, 0 },
        { "cylinder_inch.step", 20 * PI / (25.4 * 25.4 * 25.4), "2 0 1 0 0 0", "0 2 0 0 0", 1, 0 },
        { "sphere.step", 32 * PI / 3, "0 1 0 0 0 0", "0 0 0 0 0", 1, 0 },
        { "torus.step", 6 * PI * PI, "0 0 0 0 1 0", "0 0 0 0 0", 1, 0 },
        { "cone.step", 16 * PI / 3, "1 0 0 1 0 0", "0 1 0 0 0", 1, 0 },
        { "frustum.step", 52 * PI / 3, "2 0 0 1 0 0", "0 2 0 0 0", 1, 0 },
        { "nurbs_box.brep", 48, "6 0 0 0 0 0", "12 0 0 0 0", 1, 6 },
        { "nurbs_cylinder.brep", 20 * PI, "2 0 1 0 0 0", "0 2 0 0 0", 1, 3 },
        { "nurbs_sphere.brep", 32 * PI / 3, "0 1 0 0 0 0", "0 0 0 0 0", 1, 1 },
        { "nurbs_torus.brep", 6 * PI * PI, "0 0 0 0 1 0", "0 0 0 0 0", 1, 1 },
        { "nurbs_frustum.brep", 52 * PI / 3, "2 0 0 1 0 0", "0 2 0 0 0", 1, 3 },
        { "plate.step", 100 - 4 * PI, "6 0 4 0 0 0", "12 8 0 0 0", 1, 0 },
        { "rounded_plate.brep", 100 - 4 * (4 - PI), "6 0 4 0 0 0", "16 8 0 0 0", 1, 0 },
        { "cross.brep", 0, "4 0 3 0 0 0", "0 4 0 4 0", 1, 0 },
        { "slanted.brep", 4 * PI, "2 0 1 0 0 0", "0 1 3 0 0", 1, 0 },
        { "bead.brep", 4 * PI * 5.196152422706632 / 3, "0 1 1 0 0 0", "0 2 0 0 0", 1, 0 },
        { "hollow.brep", 216 - 32 * PI / 3, "6 1 0 0 0 0", "12 0 0 0 0", 2, 0 },
        { "oval.brep", 6 * PI, "2 0 0 0 0 1", "0 0 6 0 0", 1, 1 },
        { "dome.brep", 0, "1 0 0 0 1 0", "0 1 0 0 0", 1, 1 },
    };
    rows[sizeof rows / sizeof *rows - 1].volume = dome_volume();
    *count = sizeof rows / sizeof *rows;
    return rows;
}

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", TEST_CAD, name);
    return path;
}

static void kinds(char *out, size_t size, const size_t *counts, int end)
{
    size_t at = 0;
    out[0] = 0;
    for (int k = 1; k < end; ++k)
        at += (size_t)snprintf(out + at, size - at, "%s%zu", k > 1 ? " " : "", counts[k]);
}

static void test_content(void **state)
{
    (void)state;
    size_t count;
    const expected *rows = table(&count);
    for (size_t i = 0; i < count; ++i) {
        const expected *row = &rows[i];
        abut_solid_file *file;
        abut_error error;
        TEST_CHECK(abut_solid_file_open(path_of(row->file), NULL, &file, &error) == ABUT_OK, "%s: %s",
                   row->file, error.text);
        TEST_CHECK(abut_solid_file_part_count(file) == 1, "%s: %zu parts", row->file,
                   abut_solid_file_part_count(file));
        abut_solid_part part;
        assert_int_equal(abut_solid_file_get_part(file, 0, &part), ABUT_OK);
        TEST_CHECK(part.issues == 0, "%s: %s", row->file, abut_solid_file_issue(file, 0, 0, NULL));
        char faces[64], edges[64];
        kinds(faces, sizeof faces, part.faces_by_kind, ABUT_SOLID_SURFACE_COUNT);
        kinds(edges, sizeof edges, part.edges_by_kind, ABUT_SOLID_EDGE_COUNT);
        TEST_CHECK(strcmp(faces, row->faces) == 0, "%s: faces %s, expected %s", row->file, faces, row->faces);
        TEST_CHECK(strcmp(edges, row->edges) == 0, "%s: edges %s, expected %s", row->file, edges, row->edges);
        TEST_CHECK(part.shells == row->shells, "%s: %zu shells", row->file, part.shells);
        TEST_CHECK(part.recognised_faces == row->recognised, "%s: %zu faces recognised", row->file,
                   part.recognised_faces);
        TEST_CHECK(part.tolerance >= 1e-7 * part.size * 0.99 && part.tolerance < 1e-5 * part.size,
                   "%s: tolerance %g", row->file, part.tolerance);
        abut_solid_file_close(file);
    }
}

/* Open CASCADE keeps units in global variables: a file in inches must not change those after it. */
static void test_units(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        double size;
    } files[] = { { "box.step", 7.4833147735 },
                  { "cylinder_inch.step", 0.2972374 },
                  { "box.step", 7.4833147735 },
                  { "cylinder.step", 7.5498344 },
                  { "cylinder_inch.step", 0.2972374 } };
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        abut_solid_file *file;
        abut_solid_part part;
        assert_int_equal(abut_solid_file_open(path_of(files[i].file), NULL, &file, NULL), ABUT_OK);
        assert_int_equal(abut_solid_file_get_part(file, 0, &part), ABUT_OK);
        TEST_NEAR(part.size, files[i].size, 1e-5 * files[i].size, "file %zu, %s", i, files[i].file);
        abut_solid_file_close(file);
    }
}

/* The solids that the files make: valid, and of the right volume, within what the tolerance allows. */
static void test_volumes(void **state)
{
    (void)state;
    size_t count;
    const expected *rows = table(&count);
    for (size_t i = 0; i < count; ++i) {
        const expected *row = &rows[i];
        abut_shape *shape;
        abut_error error;
        abut_solid_info info;
        TEST_CHECK(abut_shape_load_solid(path_of(row->file), ABUT_SOLID_ONLY_PART, 0, NULL, &shape, &error) ==
                       ABUT_OK,
                   "%s: %s", row->file, error.text);
        assert_int_equal(abut_shape_get_type(shape), ABUT_SHAPE_SOLID);
        assert_int_equal(abut_solid_get_info(shape, &info), ABUT_OK);
        TEST_CHECK(info.shells == row->shells, "%s: %zu shells", row->file, info.shells);
        if (row->volume > 0 && info.volume.hi > 0) {
            const double slack = info.area.hi * info.tolerance;
            TEST_CHECK(info.volume.lo - slack <= row->volume && row->volume <= info.volume.hi + slack,
                       "%s: volume %.17g to %.17g, expected %.17g", row->file, info.volume.lo, info.volume.hi,
                       row->volume);
            TEST_CHECK(info.volume.lo == 0 ||
                           info.volume.hi - info.volume.lo <= 0.01 * row->volume + 2 * slack,
                       "%s: volume %g to %g", row->file, info.volume.lo, info.volume.hi);
        }
        abut_shape_release(shape);
    }
}

static void fails(const char *path, size_t part, abut_status status, const char *text)
{
    abut_shape *shape = (abut_shape *)&shape;
    abut_error error;
    const abut_status found = abut_shape_load_solid(path, part, 0, NULL, &shape, &error);
    TEST_CHECK(found == status, "%s: %s, %s", path, abut_status_name(found), error.text);
    TEST_CHECK(shape == NULL, "%s: a shape was left", path);
    TEST_CHECK(strstr(error.text, text) != NULL, "%s: '%s' does not say '%s'", path, error.text, text);
    TEST_CHECK(error.status == status && (!path || strcmp(error.file, path) == 0), "%s: file %s", path,
               error.file);
}

static void write_file(const char *path, const char *text, size_t length)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fwrite(text, 1, length, file) == length);
    assert_int_equal(fclose(file), 0);
}

static void test_errors(void **state)
{
    (void)state;
    const char *const only = "ISO-10303-21;\nHEADER;\n";
    char copy[512];
    fails(path_of("none.step"), 0, ABUT_ERR_FILE, "could not be opened");
    fails(TEST_CAD, 0, ABUT_ERR_FILE, "a solid is read from");
    write_file(path_of("empty.step"), "", 0);
    fails(path_of("empty.step"), 0, ABUT_ERR_SYNTAX, "empty");
    write_file(path_of("junk.stp"), "junk\n", 5);
    fails(path_of("junk.stp"), 0, ABUT_ERR_SYNTAX, "no STEP file");
    write_file(path_of("junk.brep"), "junk\n", 5);
    fails(path_of("junk.brep"), 0, ABUT_ERR_SYNTAX, "no BREP file");
    write_file(path_of("cut.step"), only, strlen(only));
    fails(path_of("cut.step"), 0, ABUT_ERR_SYNTAX, "cut short");
    const char *const hollow = "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\n"
                               "FILE_NAME('','',(''),(''),'','','');\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\n"
                               "ENDSEC;\nDATA;\nENDSEC;\nEND-ISO-10303-21;\n";
    write_file(path_of("nothing.step"), hollow, strlen(hollow));
    fails(path_of("nothing.step"), 0, ABUT_ERR_SYNTAX, "STEP file");
    const char *const start = "\nCASCADE Topology V1, (c) Matra-Datavision\nLocations 3\n";
    write_file(path_of("broken.brep"), start, strlen(start));
    fails(path_of("broken.brep"), 0, ABUT_ERR_SYNTAX, "BREP file");
    fails(path_of("two.step"), ABUT_SOLID_ONLY_PART, ABUT_ERR_VALUE, "there are 2 solids");
    fails(path_of("two.step"), 2, ABUT_ERR_ARGUMENT, "no part 2");
    fails(path_of("shell_only.brep"), ABUT_SOLID_ONLY_PART, ABUT_ERR_VALUE, "no solid");
    fails(path_of("loft.brep"), ABUT_SOLID_ONLY_PART, ABUT_ERR_UNSUPPORTED,
          "face 0 is a Geom_BSplineSurface that is no plane, quadric or torus");
    abut_shape *shape;
    assert_int_equal(abut_shape_load_solid(path_of("two.step"), 1, 0, NULL, &shape, NULL), ABUT_OK);
    abut_shape_release(shape);
    strcpy(copy, path_of("box.step"));
    assert_int_equal(abut_shape_load_solid(copy, 0, -1, NULL, &shape, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_load_solid(copy, 0, NAN, NULL, &shape, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_load_solid(NULL, 0, 0, NULL, &shape, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_shape_load_solid(copy, 0, 0, NULL, NULL, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_solid_file_open(NULL, NULL, NULL, NULL), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_solid_file_part_count(NULL), 0);
    assert_string_equal(abut_solid_file_issue(NULL, 0, 0, NULL), "");
    abut_solid_file_close(NULL);
    assert_true(abut_solid_file_known("a.STEP") && abut_solid_file_known("b.brp"));
    assert_false(abut_solid_file_known(".step") || abut_solid_file_known("a.obj") ||
                 abut_solid_file_known(NULL));
}

/* Damaged files: cut short, bytes changed, numbers made huge. Whatever Open CASCADE does with them, the answer is a
 * solid or a sentence, and this process goes on. */
static void test_damage(void **state)
{
    (void)state;
    static const char *const names[] = { "plate.step", "cross.brep", "frustum.step", "nurbs_torus.brep" };
    static char text[1 << 20];
    int refused = 0, read = 0;
    const int count = (int)test_count(40);
    for (int i = 0; i < count; ++i) {
        const char *name = names[i % 4];
        test_random r = test_seed(8800u + (unsigned)i);
        FILE *file = fopen(path_of(name), "rb");
        assert_non_null(file);
        size_t size = fread(text, 1, sizeof text - 64, file);
        fclose(file);
        switch (i / 4 % 4) {
        case 0: size = (size_t)test_below(&r, (uint32_t)size); break;
        case 1:
            for (int k = 0; k < 5; ++k)
                text[test_below(&r, (uint32_t)size)] = (char)test_below(&r, 256);
            break;
        case 2:
            /* Digits, so that counts and references go astray. */
            for (int k = 0; k < 40; ++k) {
                const size_t at = test_below(&r, (uint32_t)size);
                if (text[at] >= '0' && text[at] <= '9')
                    text[at] = (char)('0' + test_below(&r, 10));
            }
            break;
        default: {
            /* The first number after some place becomes huge. */
            size_t at = test_below(&r, (uint32_t)(size / 2));
            while (at + 1 < size && !(text[at] == ' ' && text[at + 1] >= '0' && text[at + 1] <= '9'))
                ++at;
            if (at + 1 < size) {
                memmove(text + at + 10, text + at + 1, size - at - 1);
                memcpy(text + at + 1, "999999999", 9);
                size += 9;
            }
            break;
        }
        }
        const bool step = strstr(name, ".step") != NULL;
        char path[512];
        strcpy(path, path_of(step ? "damaged.step" : "damaged.brep"));
        write_file(path, text, size);
        abut_shape *shape = NULL;
        abut_error error;
        const abut_status status = abut_shape_load_solid(path, 0, 0, NULL, &shape, &error);
        TEST_CHECK(status == ABUT_OK || error.text[0], "%s, case %d: %s without a word", name, i,
                   abut_status_name(status));
        refused += status != ABUT_OK;
        read += status == ABUT_OK;
        if (status == ABUT_OK)
            abut_shape_release(shape);
    }
    print_message("%d damaged files refused, %d read\n", refused, read);
    TEST_CHECK(refused > count / 4, "almost nothing was refused");
}

static void test_memory(void **state)
{
    (void)state;
    char path[512];
    strcpy(path, path_of("slanted.brep"));
    abut_status status = ABUT_OK;
    TEST_EVERY_ALLOCATION_FAILS(
        alloc,
        {
            abut_solid_file *file;
            status = abut_solid_file_open(path, &alloc, &file, NULL);
            if (status == ABUT_OK)
                abut_solid_file_close(file);
            else
                assert_null(file);
        },
        status);
}

/* The plate's bolt hole, through the scene reader: a pin of radius 0.9 in the hole about (3, 3). */
static void test_scene_file(void **state)
{
    (void)state;
    const char *const text =
        "{\"abut\":1,\"objects\":["
        "{\"name\":\"plate\",\"shape\":{\"type\":\"solid\",\"file\":\"plate.step\"}},"
        "{\"name\":\"pin\",\"shape\":{\"type\":\"cylinder\",\"radius\":0.9,\"height\":4},"
        "\"pose\":{\"position\":[3,3,0.5]}}]}";
    abut_scene *scene;
    abut_error error;
    TEST_CHECK(abut_scene_parse(text, strlen(text), path_of("scene.json"), NULL, &scene, &error) == ABUT_OK,
               "%s", error.text);
    const abut_scene_object plate = abut_scene_get_object(scene, 0), pin = abut_scene_get_object(scene, 1);
    abut_check_result result;
    const abut_status status =
        abut_check_at(plate.shape, plate.motion, pin.shape, pin.motion, 0, NULL, NULL, &result);
    assert_int_equal(status, ABUT_OK);
    assert_int_equal(result.verdict, ABUT_SEPARATE);
    TEST_NEAR(result.distance.lo, 0.1, 3e-5, "distance");
    TEST_NEAR(result.distance.hi, 0.1, 3e-5, "distance");
    abut_scene_destroy(scene);
    const char *const bad =
        "{\"abut\":1,\"objects\":[{\"name\":\"p\",\"shape\":{\"type\":\"solid\",\"file\":\"two.step\"}}]}";
    assert_int_equal(abut_scene_parse(bad, strlen(bad), path_of("scene.json"), NULL, &scene, &error),
                     ABUT_ERR_VALUE);
    TEST_CHECK(strstr(error.text, "2 solids"), "%s", error.text);
    TEST_CHECK(strstr(error.path, "objects[0].shape.file"), "%s", error.path);
    const char *const part = "{\"abut\":1,\"objects\":[{\"name\":\"p\",\"shape\":{\"type\":\"solid\","
                             "\"file\":\"two.step\",\"part\":1}}]}";
    assert_int_equal(abut_scene_parse(part, strlen(part), path_of("scene.json"), NULL, &scene, &error),
                     ABUT_OK);
    abut_scene_destroy(scene);
}

/* Files of others, where there are any: the screws, the nut and the rod are solids, the crank arm is
 * not, and says which of its faces are missing. */
static void test_others(void **state)
{
    (void)state;
    const char *folder = getenv("ABUT_CAD_DATA");
    if (!folder) {
        print_message("ABUT_CAD_DATA is not set: files of others are not tried\n");
        skip();
        return;
    }
    static const char *const names[] = { "screw.step", "mal_vis.brep", "mal_ecrou.brep", "mal_tige.brep",
                                         "Pump_Nut.brep" };
    char path[1024];
    abut_shape *shape;
    abut_error error;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        TEST_CHECK(abut_shape_load_solid(path, ABUT_SOLID_ONLY_PART, 0, NULL, &shape, &error) == ABUT_OK,
                   "%s: %s", names[i], error.text);
        abut_shape_release(shape);
    }
    snprintf(path, sizeof path, "%s/CrankArm.brep", folder);
    assert_int_equal(abut_shape_load_solid(path, 0, 0, NULL, &shape, NULL), ABUT_OK);
    abut_shape_release(shape);
    assert_int_equal(abut_shape_load_solid(path, 1, 0, NULL, &shape, &error), ABUT_ERR_UNSUPPORTED);
    TEST_CHECK(strstr(error.text, "face 8 is a Geom_BSplineSurface"), "%s", error.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_content),    cmocka_unit_test(test_units),  cmocka_unit_test(test_volumes),
        cmocka_unit_test(test_errors),     cmocka_unit_test(test_damage), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_scene_file), cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
