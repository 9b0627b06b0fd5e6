/* SPDX-License-Identifier: MIT */
/* The scene reader on any bytes; `~` and a character represent a long sum in an expression
 * (grow.h). The scene pretends to lie in a folder that does not exist, so relative file names
 * lead nowhere; absolute ones are left out, so that no file of the machine is opened. */
#include "abut/scene.h"
#include "fuzz.h"
#include "grow.h"

#include <string.h>

/* "file": "/... in any spelling that Jansson reads starts with a slash behind a quote, escaped
 * or not. */
static int names_absolute_file(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 1 < size; ++i)
        if (data[i] == '"' &&
            (data[i + 1] == '/' || (data[i + 1] == '\\' && i + 2 < size && data[i + 2] != '"')))
            return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const terms[] = { "+0.01*sin(%u*t)*cos(%u*t)", "+(t+%u)*(t-%u)",
                                         "-sqrt(%u+t^2)/(%u+exp(t))" };
    if (names_absolute_file(data, size))
        return 0;
    abut_scene *scene;
    abut_error error;
    size_t length;
    char *text = fuzz_grow((const char *)data, size, terms, 3, &length);
    if (!text)
        return 0;
    const abut_status status =
        abut_scene_parse(text, length, "/nonexistent/abut/scene.json", NULL, &scene, &error);
    FUZZ_REQUIRE(status == error.status && (status == ABUT_OK) == (scene != NULL));
    FUZZ_REQUIRE(status == ABUT_OK || (error.text[0] && error.line > 0));
    if (scene) {
        /* Everything that can be asked of it. */
        for (size_t i = 0; i < abut_scene_object_count(scene); ++i) {
            const abut_scene_object object = abut_scene_get_object(scene, i);
            FUZZ_REQUIRE(abut_scene_find(scene, object.name) == (int64_t)i);
        }
        const size_t pairs = abut_scene_pair_count(scene);
        for (size_t i = 0; i < pairs && i < 1000; ++i) {
            size_t a, b;
            abut_scene_get_pair(scene, i, &a, &b);
            FUZZ_REQUIRE(a != b && a < abut_scene_object_count(scene) && b < abut_scene_object_count(scene));
        }
        abut_affine at;
        const abut_interval time = abut_scene_time(scene);
        for (size_t i = 0; i < abut_scene_object_count(scene) && i < 100; ++i)
            FUZZ_REQUIRE(abut_motion_at(abut_scene_get_object(scene, i).motion, time.lo, &at) !=
                         ABUT_ERR_ARGUMENT);
        abut_scene_destroy(scene);
    }
    free(text);
    return 0;
}
