/* SPDX-License-Identifier: MIT */
/* The examples of docs/scene-format.md and the bundled scenes are read, and there is an example
 * of everything. Files they name are relative to scenes/. */
#define _POSIX_C_SOURCE 200809L
#include "abut/scene.h"
#include "support/test.h"

#include <dirent.h>

#define DOCUMENT ABUT_SOURCE_DIR "/docs/scene-format.md"
#define SCENES   ABUT_SOURCE_DIR "/scenes/"

typedef struct seen {
    bool shapes[ABUT_SHAPE_TYPE_COUNT], motions[ABUT_MOTION_TYPE_COUNT];
} seen;

static void note(seen *s, const abut_scene *scene)
{
    for (size_t i = 0; i < abut_scene_object_count(scene); ++i) {
        const abut_scene_object object = abut_scene_get_object(scene, i);
        s->shapes[abut_shape_get_type(object.shape)] = true;
        s->motions[abut_motion_get_type(object.motion)] = true;
    }
}

/* kind: what follows "json" behind the fence. */
static void read_example(seen *s, const char *kind, const char *block, int line)
{
    static char text[1 << 15];
    const char *format =
        strcmp(kind, "") == 0         ? "%s"
        : strcmp(kind, " shape") == 0 ? "{\"abut\": 1, \"objects\": [{\"name\": \"a\", \"shape\": %s}]}"
        : strcmp(kind, " pose") == 0
            ? "{\"abut\": 1, \"objects\": [{\"name\": \"a\", \"shape\": {\"type\": \"sphere\", "
              "\"radius\": 1}, \"pose\": %s}]}"
        : strcmp(kind, " motion") == 0
            ? "{\"abut\": 1, \"time\": [0, 2], \"objects\": [{\"name\": \"a\", \"shape\": "
              "{\"type\": \"sphere\", \"radius\": 1}, \"motion\": %s}]}"
            : NULL;
    TEST_CHECK(format, "line %d: what is `json%s`?", line, kind);
    const int length = snprintf(text, sizeof text, format, block);
    assert_true(length > 0 && length < (int)sizeof text);
    abut_scene *scene;
    abut_error error;
    const abut_status status =
        abut_scene_parse(text, (size_t)length, SCENES "example.json", NULL, &scene, &error);
    TEST_CHECK(status == ABUT_OK, "the example at line %d of the document: %s: %s", line, error.path,
               error.text);
    note(s, scene);
    abut_scene_destroy(scene);
}

static void every_example_of_the_document_is_read(void **state)
{
    (void)state;
    FILE *document = fopen(DOCUMENT, "r");
    assert_non_null(document);
    seen s = { { false }, { false } };
    static char row[4096], block[1 << 14];
    char kind[64] = "";
    int line = 0, start = 0, examples = 0;
    bool inside = false, is_json = false;
    while (fgets(row, sizeof row, document)) {
        ++line;
        if (strncmp(row, "```", 3) != 0) {
            if (inside && is_json) {
                assert_true(strlen(block) + strlen(row) < sizeof block);
                strcat(block, row);
            }
            continue;
        }
        if (inside && is_json) {
            read_example(&s, kind, block, start);
            ++examples;
        }
        inside = !inside;
        is_json = inside && strncmp(row, "```json", 7) == 0;
        start = line;
        block[0] = 0;
        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(row + (is_json ? 7 : 3), "\n"),
                 row + (is_json ? 7 : 3));
    }
    fclose(document);
    assert_false(inside);
    assert_true(examples > 25);
    for (int type = ABUT_SHAPE_NONE + 1; type < ABUT_SHAPE_TYPE_COUNT; ++type)
        TEST_CHECK(s.shapes[type] || type == ABUT_SHAPE_SUPPORT /* only programs have those */,
                   "no example of %s", abut_shape_type_name((abut_shape_type)type));
    for (int type = ABUT_MOTION_NONE + 1; type < ABUT_MOTION_CHAIN; ++type) /* a scene has no chains */
        TEST_CHECK(s.motions[type], "no example of %s", abut_motion_type_name((abut_motion_type)type));
}

static void every_bundled_scene_is_read(void **state)
{
    (void)state;
    DIR *folder = opendir(SCENES);
    assert_non_null(folder);
    int scenes = 0;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (!strstr(entry->d_name, ".json"))
            continue;
        char file[600];
        snprintf(file, sizeof file, "%s%s", SCENES, entry->d_name);
        abut_scene *scene;
        abut_error error;
        const abut_status status = abut_scene_load(file, NULL, &scene, &error);
        TEST_CHECK(status == ABUT_OK, "%s:%d: %s: %s", file, error.line, error.path, error.text);
        abut_scene_destroy(scene);
        ++scenes;
    }
    closedir(folder);
    assert_true(scenes >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_of_the_document_is_read),
        cmocka_unit_test(every_bundled_scene_is_read),
    };
    return cmocka_run_group_tests_name("scene_docs", tests, NULL, NULL);
}
