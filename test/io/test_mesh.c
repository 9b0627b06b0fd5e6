/* SPDX-License-Identifier: MIT */
/* Mesh readers: what was written comes back, bit by bit; and whatever the bytes, nothing breaks,
 * leaks, or takes memory out of proportion. The messages about malformed files are in
 * test_mesh_errors.c. */
#include "support/failing_allocator.h"
#include "test_mesh_writer.h"

#include <fenv.h>
#include <locale.h>

/* Counts what is allocated, and refuses to give more than `limit` bytes at once. */
typedef struct counting {
    size_t outstanding, most;
} counting;

static void *counting_reallocate(void *ctx, void *memory, size_t old_size, size_t new_size)
{
    counting *c = ctx;
    c->outstanding += new_size - old_size;
    if (c->outstanding > c->most)
        c->most = c->outstanding;
    return realloc(memory, new_size);
}

static void counting_release(void *ctx, void *memory, size_t size)
{
    counting *c = ctx;
    if (memory)
        c->outstanding -= size;
    free(memory);
}

static bool same_coordinates(abut_vec3 found, const double expected[3])
{
    const double xyz[3] = { found.x, found.y, found.z };
    return memcmp(xyz, expected, sizeof xyz) == 0;
}

static void check_same(const abut_mesh_data *found, const test_mesh *m, uint64_t seed, int format)
{
    TEST_CHECK(found->vertex_count == m->vertex_count && found->face_count == m->face_count &&
                   found->index_count == m->index_count,
               "seed %" PRIu64 ", format %d: %zu %zu %zu", seed, format, found->vertex_count,
               found->face_count, found->index_count);
    for (size_t i = 0; i < m->vertex_count; ++i)
        TEST_CHECK(same_coordinates(found->vertices[i], m->vertices[i]),
                   "seed %" PRIu64 ", format %d, vertex %zu: %a %a %a, expected %a %a %a", seed, format, i,
                   found->vertices[i].x, found->vertices[i].y, found->vertices[i].z, m->vertices[i][0],
                   m->vertices[i][1], m->vertices[i][2]);
    TEST_CHECK(m->face_count == 0 ||
                   (memcmp(found->face_sizes, m->face_sizes, m->face_count * sizeof(uint32_t)) == 0 &&
                    memcmp(found->indices, m->indices, m->index_count * sizeof(uint32_t)) == 0),
               "seed %" PRIu64 ", format %d: faces differ", seed, format);
}

static void what_was_written_comes_back(void **state)
{
    (void)state;
    static const int modes[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };
    const uint64_t count = test_count(1000);
    buffer b = { 0 };
    static test_mesh m;
    for (uint64_t seed = 0; seed < count; ++seed) {
        for (int format = 0; format < FORMAT_COUNT; ++format) {
            test_random r = test_seed(seed * FORMAT_COUNT + (uint64_t)format);
            const char *name = write_any(&b, &r, format, &m);
            /* A copy of the exact size, so that a sanitizer sees any step beyond it. */
            char *bytes = malloc(b.length);
            memcpy(bytes, b.bytes, b.length);
            counting c = { 0 };
            const abut_allocator alloc = { counting_reallocate, counting_release, &c };
            abut_mesh_data found;
            abut_error error;
            fesetround(modes[seed % 4]);
            const abut_status status = abut_mesh_parse(bytes, b.length, name, "mesh", &alloc, &found, &error);
            fesetround(FE_TONEAREST);
            TEST_CHECK(status == ABUT_OK, "seed %" PRIu64 ", format %d: line %d: %s\n%.*s", seed, format,
                       (int)error.line, error.text, (int)b.length, b.bytes);
            check_same(&found, &m, seed, format);
            TEST_CHECK(c.most <= 64 * b.length + 4096,
                       "seed %" PRIu64 ", format %d: %zu bytes for a file of %zu", seed, format, c.most,
                       b.length);
            abut_mesh_data_clear(&found);
            TEST_CHECK(c.outstanding == 0, "seed %" PRIu64 ", format %d: %zu bytes leaked", seed, format,
                       c.outstanding);
            TEST_CHECK(!found.vertices && !found.face_sizes && !found.indices && found.vertex_count == 0,
                       "not cleared");
            free(bytes);
        }
    }
    free(b.bytes);
}

/* Parses bytes of any kind; when they are accepted the mesh must be a valid one, otherwise the
 * error must say something and *out must be zero. */
static abut_status parse_anything(const char *bytes, size_t length, const char *format)
{
    char *copy = malloc(length ? length : 1);
    memcpy(copy, bytes, length);
    counting c = { 0 };
    const abut_allocator alloc = { counting_reallocate, counting_release, &c };
    abut_mesh_data found;
    abut_error error;
    memset(&found, 0xff, sizeof found);
    const abut_status status = abut_mesh_parse(copy, length, format, "mesh", &alloc, &found, &error);
    TEST_CHECK(c.most <= 64 * length + 4096, "%zu bytes for a file of %zu", c.most, length);
    if (status == ABUT_OK) {
        size_t corners = 0;
        for (size_t f = 0; f < found.face_count; ++f) {
            assert_true(found.face_sizes[f] >= 3);
            corners += found.face_sizes[f];
        }
        assert_int_equal(corners, found.index_count);
        for (size_t i = 0; i < found.index_count; ++i)
            assert_true(found.indices[i] < found.vertex_count);
        assert_true(found.vertex_count > 0);
        for (size_t i = 0; i < found.vertex_count; ++i)
            assert_true(isfinite(found.vertices[i].x) && isfinite(found.vertices[i].y) &&
                        isfinite(found.vertices[i].z));
    } else {
        assert_true(status == ABUT_ERR_SYNTAX || status == ABUT_ERR_VALUE);
        assert_int_equal(error.status, status);
        assert_true(strlen(error.text) > 10);
        assert_string_equal(error.file, "mesh");
        assert_true(!found.vertices && !found.face_sizes && !found.indices && !found.vertex_count &&
                    !found.face_count && !found.index_count);
    }
    abut_mesh_data_clear(&found);
    TEST_CHECK(c.outstanding == 0, "%zu bytes leaked", c.outstanding);
    free(copy);
    return status;
}

static void truncation_at_every_byte(void **state)
{
    (void)state;
    const uint64_t count = test_count(6);
    buffer b = { 0 };
    static test_mesh m;
    for (uint64_t seed = 0; seed < count; ++seed) {
        for (int format = 0; format < FORMAT_COUNT; ++format) {
            test_random r = test_seed(seed * FORMAT_COUNT + (uint64_t)format + 77777);
            const char *name = write_any(&b, &r, format, &m);
            size_t accepted = 0;
            for (size_t length = 0; length < b.length; ++length)
                accepted += parse_anything(b.bytes, length, name) == ABUT_OK;
            /* Formats with counts miss what was cut off, but for white space and for digits or
             * extras of the last number; .obj has no counts, and a text .stl may end after any
             * of its solids. */
            if (format != 0 && format != 1)
                TEST_CHECK(accepted <= 64, "seed %" PRIu64 ", format %d: %zu of %zu cut files were accepted",
                           seed, format, accepted, b.length);
        }
    }
    free(b.bytes);
}

static void random_mutations(void **state)
{
    (void)state;
    const uint64_t count = test_count(20000);
    buffer b = { 0 };
    static test_mesh m;
    uint64_t accepted = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 5000000);
        const char *name = write_any(&b, &r, (int)(seed % FORMAT_COUNT), &m);
        static const char *const words[] = {
            "-1", "999999999999", "4294967295", "1e999", "nan",     "\n",           "\r", "\\\n",  "#",  "/",
            "//", "v ",           "f ",         "list",  "element", "end_header\n", " ",  "facet", "OFF"
        };
        const unsigned changes = 1 + test_below(&r, 4);
        for (unsigned i = 0; i < changes && b.length > 0; ++i) {
            const size_t at = (size_t)(test_bits(&r) % (test_bits(&r) & 1 ? b.length
                                                        : b.length < 200  ? b.length
                                                                          : 200));
            switch (test_below(&r, 4)) {
            case 0: b.bytes[at] = (char)test_bits(&r); break;
            case 1: b.bytes[at] = (char)(b.bytes[at] ^ 1 << test_below(&r, 8)); break;
            case 2:
                memmove(b.bytes + at, b.bytes + at + 1, b.length - at - 1);
                --b.length;
                break;
            default: {
                const char *word = words[test_below(&r, sizeof words / sizeof *words)];
                const size_t length = strlen(word);
                if (at + length <= b.length)
                    memcpy(b.bytes + at, word, length);
            }
            }
        }
        accepted += parse_anything(b.bytes, b.length, name) == ABUT_OK;
    }
    /* Both outcomes must be common, or the mutations test nothing. */
    TEST_CHECK(count < 1000 || (accepted > count / 50 && accepted < count - count / 10),
               "%" PRIu64 " of %" PRIu64 " accepted", accepted, count);
    free(b.bytes);
}

static void allocation_fails(void **state)
{
    (void)state;
    buffer b = { 0 };
    static test_mesh m;
    for (uint64_t seed = 0; seed < 20; ++seed) {
        for (int format = 0; format < FORMAT_COUNT; ++format) {
            test_random r = test_seed(seed * FORMAT_COUNT + (uint64_t)format);
            const char *name = write_any(&b, &r, format, &m);
            abut_mesh_data found;
            abut_error error;
            abut_status status;
            TEST_EVERY_ALLOCATION_FAILS(
                alloc,
                {
                    status = abut_mesh_parse(b.bytes, b.length, name, "mesh", &alloc, &found, &error);
                    assert_true(status == ABUT_OK ||
                                (!found.vertices && !found.indices && error.status == status));
                    abut_mesh_data_clear(&found);
                },
                status);
        }
    }
    free(b.bytes);
}

static const char *temporary_name(const char *ending)
{
    static char name[256];
    const char *folder = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/abut_test_mesh_%p.%s", folder ? folder : "/tmp", (void *)name, ending);
    return name;
}

static void loading_files(void **state)
{
    (void)state;
    static const char *const endings[] = { "obj", "stl", "STL", "Off", "ply", "ply",
                                           "ply", "PLY", "ply", "ply", "ply" };
    buffer b = { 0 };
    static test_mesh m;
    for (int format = 0; format < FORMAT_COUNT; ++format) {
        test_random r = test_seed((uint64_t)format + 99);
        write_any(&b, &r, format, &m);
        const char *name = temporary_name(endings[format]);
        FILE *file = fopen(name, "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(b.bytes, 1, b.length, file), b.length);
        fclose(file);
        abut_mesh_data found;
        abut_error error;
        TEST_CHECK(abut_mesh_load(name, NULL, &found, &error) == ABUT_OK, "%s", error.text);
        check_same(&found, &m, 99, format);
        abut_mesh_data_clear(&found);
        assert_int_equal(abut_mesh_load(name, NULL, &found, NULL), ABUT_OK);
        abut_mesh_data_clear(&found);
        abut_status status;
        TEST_EVERY_ALLOCATION_FAILS(
            alloc,
            {
                status = abut_mesh_load(name, &alloc, &found, &error);
                abut_mesh_data_clear(&found);
            },
            status);
        remove(name);
    }
    free(b.bytes);
}

/* A comma as decimal point must change nothing, where such a locale is installed. */
static void locale_means_nothing(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        print_message("no locale with a decimal comma is installed: not tested\n");
    static const char text[] = "v 1.5 2.25 3.125\n";
    abut_mesh_data found;
    assert_int_equal(abut_mesh_parse(text, sizeof text - 1, "obj", NULL, NULL, &found, NULL), ABUT_OK);
    assert_true(found.vertices[0].x == 1.5 && found.vertices[0].y == 2.25 && found.vertices[0].z == 3.125);
    abut_mesh_data_clear(&found);
    setlocale(LC_ALL, "C");
}

static void clearing_nothing(void **state)
{
    (void)state;
    abut_mesh_data none = { 0 };
    abut_mesh_data_clear(&none);
    abut_mesh_data_clear(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_comes_back),
        cmocka_unit_test(truncation_at_every_byte),
        cmocka_unit_test(random_mutations),
        cmocka_unit_test(allocation_fails),
        cmocka_unit_test(loading_files),
        cmocka_unit_test(locale_means_nothing),
        cmocka_unit_test(clearing_nothing),
    };
    return cmocka_run_group_tests_name("mesh", tests, NULL, NULL);
}
