/* SPDX-License-Identifier: MIT */
/* abut draw: the files are what they say (read back by libpng), show what is there, and are not
 * written when something is wrong. */
#define _XOPEN_SOURCE 700
#include "run.h"

#include <jansson.h>
#include <png.h>
#include <sys/stat.h>

static char folder[64];

typedef struct image {
    png_image head;
    uint8_t *rgb;
} image;

static void path_to(char *out, size_t size, const char *name)
{
    snprintf(out, size, "%s/%s", folder, name);
}

static bool is_there(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0;
}

static image read_png(const char *path)
{
    image i = { .head = { .version = PNG_IMAGE_VERSION } };
    TEST_CHECK(png_image_begin_read_from_file(&i.head, path), "%s: %s", path, i.head.message);
    i.head.format = PNG_FORMAT_RGB;
    i.rgb = malloc(PNG_IMAGE_SIZE(i.head));
    TEST_CHECK(i.rgb && png_image_finish_read(&i.head, NULL, i.rgb, 0, NULL), "%s: %s", path, i.head.message);
    return i;
}

/* Pixels within 40 of a colour. */
static size_t count_near(const image *i, int r, int g, int b)
{
    size_t n = 0;
    for (size_t k = 0; k < (size_t)i->head.width * i->head.height; ++k) {
        const uint8_t *p = i->rgb + 3 * k;
        n += abs(p[0] - r) + abs(p[1] - g) + abs(p[2] - b) < 40;
    }
    return n;
}

/* Pixels of dots, pale ones included. */
static size_t count_red(const image *i)
{
    size_t n = 0;
    for (size_t k = 0; k < (size_t)i->head.width * i->head.height; ++k) {
        const uint8_t *p = i->rgb + 3 * k;
        n += p[0] > 150 && p[1] < 110 && p[2] > 60 && p[2] < 130;
    }
    return n;
}

/* Runs `abut draw ARGUMENTS -o folder/NAME`, and reads the picture. */
static image draw(const char *arguments, const char *name)
{
    char line[600], path[128];
    path_to(path, sizeof path, name);
    snprintf(line, sizeof line, "draw %s -o %s", arguments, path);
    run_result r = run_line(line);
    run_expect(line, &r, 0);
    TEST_CHECK(strstr(r.out, name) && r.err[0] == 0, "%s: says %s%s", line, r.out, r.err);
    run_free(&r);
    return read_png(path);
}

static void pictures_show_bodies_and_contacts(void **state)
{
    (void)state;
    image i = draw("%ring_and_cone --size 480x360", "ring.png");
    assert_true(i.head.width == 480 && i.head.height == 360);
    /* a blue torus, an orange cone, red dots, a light background */
    const size_t blue = count_near(&i, 76, 120, 168), orange = count_near(&i, 250, 165, 64);
    const size_t red = count_red(&i), light = count_near(&i, 240, 242, 245);
    TEST_CHECK(blue > 1500 && orange > 1500 && red > 30 && light > 8000, "%zu %zu %zu %zu", blue, orange, red,
               light);
    free(i.rgb);
    /* At the start they are apart: no dots. */
    i = draw("%ring_and_cone --size 240x180 --time 0 --dark", "start.png");
    TEST_CHECK(count_red(&i) < 5, "dots without contact");
    TEST_CHECK(count_near(&i, 240, 242, 245) < 200, "light on dark");
    free(i.rgb);
}

static void zoom_and_camera_matter(void **state)
{
    (void)state;
    const char *const ways[4] = { "", "--zoom 2", "--camera 90,80", "--time 0.5" };
    image first = draw("%moving_spheres --size 96x72 ", "a.png");
    for (int k = 1; k < 4; ++k) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "%%moving_spheres --size 96x72 %s", ways[k]);
        image other = draw(arguments, "b.png");
        TEST_CHECK(memcmp(first.rgb, other.rgb, PNG_IMAGE_SIZE(first.head)) != 0, "%s changes nothing",
                   ways[k]);
        free(other.rgb);
    }
    image again = draw("%moving_spheres --size 96x72", "b.png");
    TEST_CHECK(memcmp(first.rgb, again.rgb, PNG_IMAGE_SIZE(first.head)) == 0, "the same picture twice");
    free(again.rgb);
    free(first.rgb);
}

/* Every kind of shape, and odd sizes: 1,000 rows cross bands. */
static void all_bundled_scenes_can_be_drawn(void **state)
{
    (void)state;
    static const char *const scenes[] = { "ball_on_crate", "falling_sheet", "shelf",
                                          "targets",       "cup_rim",       "bumpy" };
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; ++k) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "%%%s --size 50x131", scenes[k]);
        image i = draw(arguments, "any.png");
        size_t different = 0;
        for (size_t p = 3; p < PNG_IMAGE_SIZE(i.head); p += 3)
            different += memcmp(i.rgb + p, i.rgb + p - 3, 3) != 0;
        TEST_CHECK(different > 300, "%s: %zu changes", scenes[k], different);
        free(i.rgb);
    }
}

static void svg_has_a_circle_for_each_contact(void **state)
{
    (void)state;
    run_result first = run_line("first %ring_and_cone --json");
    json_t *root = json_loads(first.out, 0, NULL);
    const size_t contacts = json_array_size(json_object_get(root, "contacts"));
    json_decref(root);
    run_free(&first);
    run_result r = run_line("draw %ring_and_cone --size 64x48 -o -");
    run_expect("draw -o -", &r, 0);
    size_t circles = 0;
    for (const char *p = r.out; (p = strstr(p, "fill=\"#d6003c\"")); ++p) /* others end arrows */
        ++circles;
    TEST_CHECK(strncmp(r.out, "<svg ", 5) == 0 && strstr(r.out, "data:image/png;base64,iVBORw0KGgo"),
               "no picture");
    TEST_CHECK(circles == contacts && contacts > 20, "%zu circles, %zu contacts", circles, contacts);
    run_free(&r);
}

static void mistakes_write_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *arguments, *message;
        int code;
    } cases[] = {
        { "@broken_not_there", "No such file", 2 },    { "%ring_and_cone --time 7", "moves from", 2 },
        { "%ring_and_cone --size 5x5", "960x720", 2 }, { "%ring_and_cone --size 99999x40", "960x720", 2 },
        { "%ring_and_cone --camera 4", "angles", 2 },  { "%ring_and_cone --camera 4,100", "angles", 2 },
        { "%ring_and_cone --zoom 0", "0.01", 2 },
    };
    char path[128], line[600];
    path_to(path, sizeof path, "nothing.png");
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        snprintf(line, sizeof line, "draw %s -o %s", cases[k].arguments, path);
        run_result r = run_line(line);
        run_expect(line, &r, cases[k].code);
        TEST_CHECK(strstr(r.err, cases[k].message), "%s: %s", line, r.err);
        TEST_CHECK(!is_there(path) && r.out[0] == 0, "%s: wrote something", line);
        run_free(&r);
    }
    run_result r = run_line("draw %ring_and_cone");
    run_expect("without -o", &r, 2);
    assert_non_null(strstr(r.err, "-o FILE is missing"));
    run_free(&r);
    r = run_line("draw %ring_and_cone -o picture.gif");
    run_expect("gif", &r, 2);
    assert_non_null(strstr(r.err, ".svg or .png"));
    run_free(&r);
    r = run_line("draw %ball_on_crate --size 20x20 -o /nowhere/picture.png");
    run_expect("no folder", &r, 3);
    run_free(&r);
}

static void json_says_what_was_drawn(void **state)
{
    (void)state;
    char path[128], line[600];
    path_to(path, sizeof path, "said.svg");
    snprintf(line, sizeof line, "draw %%ring_and_cone --json --size 40x30 -o %s", path);
    run_result r = run_line(line);
    run_expect(line, &r, 0);
    json_t *root = json_loads(r.out, 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "file")), path);
    assert_true(fabs(json_number_value(json_object_get(root, "time")) - 23.0 / 24) < 1e-9);
    assert_int_equal(json_integer_value(json_object_get(root, "objects")), 2);
    json_decref(root);
    run_free(&r);
}

/* More pairs than are listed: a world finds those that meet. A row of 90 balls, each touching the next. */
static void many_objects_are_drawn_with_their_contacts(void **state)
{
    (void)state;
    enum { BALLS = 90 };
    char scene[128], path[128], line[600];
    path_to(scene, sizeof scene, "row.json");
    path_to(path, sizeof path, "row.svg");
    FILE *to = fopen(scene, "w");
    assert_non_null(to);
    fputs("{\"abut\":1,\"objects\":[", to);
    for (int i = 0; i < BALLS; ++i)
        fprintf(to,
                "%s{\"name\":\"b%d\",\"shape\":{\"type\":\"sphere\",\"radius\":0.5},"
                "\"pose\":{\"position\":[%d,0,0]}}",
                i ? "," : "", i, i);
    fputs("]}", to);
    fclose(to);
    snprintf(line, sizeof line, "draw %s --time 0 --json --size 60x40 -o %s", scene, path);
    run_result r = run_line(line);
    run_expect(line, &r, 0);
    json_t *root = json_loads(r.out, 0, NULL);
    assert_non_null(root);
    assert_int_equal(json_integer_value(json_object_get(root, "objects")), BALLS);
    assert_int_equal(json_integer_value(json_object_get(root, "marks")), BALLS - 1);
    json_decref(root);
    run_free(&r);
}

int main(void)
{
    snprintf(folder, sizeof folder, "/tmp/abut_draw_XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_show_bodies_and_contacts),
        cmocka_unit_test(zoom_and_camera_matter),
        cmocka_unit_test(all_bundled_scenes_can_be_drawn),
        cmocka_unit_test(svg_has_a_circle_for_each_contact),
        cmocka_unit_test(mistakes_write_nothing),
        cmocka_unit_test(json_says_what_was_drawn),
        cmocka_unit_test(many_objects_are_drawn_with_their_contacts),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const names[] = { "ring.png", "start.png", "a.png",    "b.png",
                                         "any.png",  "said.svg",  "row.json", "row.svg" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char path[128];
        path_to(path, sizeof path, names[i]);
        remove(path);
    }
    rmdir(folder);
    return failed;
}
