/* SPDX-License-Identifier: MIT */
/* Every malformed scene of scenes/bad/ gives the error that expected.txt says: line, path and
 * part of the message, written by hand. Also files that cannot lie in a repository: missing, too
 * large, unreadable. */
#define _POSIX_C_SOURCE 200809L
#include "abut/scene.h"
#include "support/test.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER ABUT_TEST_DATA "/io/scenes/bad/"

/* Cuts the next field off a row, at " | ". */
static char *field(char **row)
{
    char *start = *row, *bar = strstr(start, " | ");
    if (bar) {
        *bar = 0;
        *row = bar + 3;
    }
    return start;
}

static int check_row(char *row)
{
    char file[5000];
    snprintf(file, sizeof file, "%s%s", FOLDER, field(&row));
    const int line = atoi(field(&row));
    const char *path = field(&row), *says = row;
    abut_scene *scene = (abut_scene *)&scene;
    abut_error error;
    const abut_status status = abut_scene_load(file, NULL, &scene, &error);
    const char *tail = strlen(file) > 255 ? file + strlen(file) - 255 : file;
    if (status < 0 && error.status == status && !scene && error.line == line &&
        strcmp(error.path, path) == 0 && strcmp(error.file, tail) == 0 && strstr(error.text, says)) {
        assert_int_equal(abut_scene_load(file, NULL, &scene, NULL), status);
        return 0;
    }
    print_error("%s: status %d\n   found    %d | %s | %s\n   expected %d | %s | %s\n", file, status,
                error.line, error.path, error.text, line, path, says);
    if (status == ABUT_OK)
        abut_scene_destroy(scene);
    return 1;
}

static void every_bad_scene_has_its_message(void **state)
{
    (void)state;
    FILE *table = fopen(FOLDER "expected.txt", "r");
    assert_non_null(table);
    static char row[4096];
    int rows = 0, wrong = 0;
    while (fgets(row, sizeof row, table)) {
        row[strcspn(row, "\n")] = 0;
        if (row[0] == '#')
            continue;
        ++rows;
        wrong += check_row(row);
    }
    fclose(table);
    int files = 0;
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        files += strstr(entry->d_name, ".json") != NULL;
    closedir(folder);
    assert_int_equal(wrong, 0);
    assert_int_equal(rows, files);
    assert_true(rows >= 100);
}

static void check_file(const char *file, abut_status status, const char *says)
{
    abut_scene *scene = (abut_scene *)&scene;
    abut_error error;
    const abut_status found = abut_scene_load(file, NULL, &scene, &error);
    TEST_CHECK(found == status && error.status == status && !scene && strstr(error.text, says) &&
                   error.line == 0 && error.path[0] == 0,
               "%s: %d, %s", file, found, error.text);
}

/* A pipe that nobody writes to would keep a reader for ever. */
static void pipes_do_not_hang(void **state)
{
    (void)state;
    char folder[] = "/tmp/abut_test_pipe_XXXXXX", scene[80], mesh[80], user[80];
    assert_non_null(mkdtemp(folder));
    snprintf(scene, sizeof scene, "%s/pipe.json", folder);
    snprintf(mesh, sizeof mesh, "%s/pipe.obj", folder);
    snprintf(user, sizeof user, "%s/user.json", folder);
    assert_int_equal(mkfifo(scene, 0600), 0);
    assert_int_equal(mkfifo(mesh, 0600), 0);
    alarm(20); /* ends a test that hangs */
    check_file(scene, ABUT_ERR_FILE, "this is a pipe; a scene is a regular file");
    abut_mesh_data data;
    abut_error error;
    assert_int_equal(abut_mesh_load(mesh, NULL, &data, &error), ABUT_ERR_FILE);
    assert_non_null(strstr(error.text, "it must be a regular file, not a pipe"));
    static const char text[] = "{\"abut\":1,\"objects\":[{\"name\":\"a\",\"shape\":{\"type\":\"mesh\","
                               "\"file\":\"pipe.obj\"}}]}";
    abut_scene *out;
    assert_int_equal(abut_scene_parse(text, strlen(text), user, NULL, &out, &error), ABUT_ERR_FILE);
    assert_non_null(strstr(error.text, "pipe.obj\": the file could not be read"));
    alarm(0);
    unlink(scene);
    unlink(mesh);
    rmdir(folder);
}

static void files_that_are_no_scenes(void **state)
{
    (void)state;
    check_file(FOLDER "no_such_file.json", ABUT_ERR_FILE, "could not be opened: No such file");
    check_file("", ABUT_ERR_FILE, "could not be opened");
    if (access("/proc/self/mem", R_OK) == 0) /* opens, but nothing is mapped at its start */
        check_file("/proc/self/mem", ABUT_ERR_FILE, "could not be read");
    check_file(FOLDER, ABUT_ERR_FILE, "this is a folder; a scene is a file");
    check_file("/dev/zero", ABUT_ERR_FILE, "this is a device; a scene is a regular file");

    char large[] = "/tmp/abut_test_large_XXXXXX";
    const int descriptor = mkstemp(large);
    assert_true(descriptor >= 0);
    assert_int_equal(ftruncate(descriptor, (off_t)300 << 20), 0); /* all holes: takes no room */
    check_file(large, ABUT_ERR_LIMIT, "larger than 256 MiB");
    assert_int_equal(ftruncate(descriptor, 0), 0);
    if (geteuid() != 0) {
        assert_int_equal(fchmod(descriptor, 0), 0);
        check_file(large, ABUT_ERR_FILE, "could not be opened: Permission denied");
    }
    close(descriptor);
    unlink(large);
}

static void wrong_arguments(void **state)
{
    (void)state;
    abut_error error;
    abut_scene *scene;
    assert_int_equal(abut_scene_load(NULL, NULL, &scene, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_scene_load("x", NULL, NULL, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_scene_parse(NULL, 1, "x", NULL, &scene, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_scene_parse("{}", 2, "x", NULL, NULL, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_scene_parse(NULL, 0, NULL, NULL, &scene, &error), ABUT_ERR_SYNTAX);
    assert_int_equal(abut_scene_parse("{}", SIZE_MAX, "x", NULL, &scene, &error), ABUT_ERR_LIMIT);
    abut_scene_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_scene_has_its_message),
        cmocka_unit_test(files_that_are_no_scenes),
        cmocka_unit_test(pipes_do_not_hang),
        cmocka_unit_test(wrong_arguments),
    };
    return cmocka_run_group_tests_name("scene_bad", tests, NULL, NULL);
}
