/* SPDX-License-Identifier: MIT */
/* The JSON results: every document is parsed again and each key that the contract names is
 * checked for its presence, its type and its words; and answers known in closed form are
 * compared. */
#define _POSIX_C_SOURCE 200809L
#include "cli/run.h"

#include <jansson.h>

/* ---- what a value may be ---- */

static bool is_interval(const json_t *v)
{
    if (!json_is_array(v) || json_array_size(v) != 2)
        return false;
    const json_t *const lo = json_array_get(v, 0), *const hi = json_array_get(v, 1);
    if ((!json_is_number(lo) && !json_is_null(lo)) || (!json_is_number(hi) && !json_is_null(hi)))
        return false;
    return json_is_null(lo) || json_is_null(hi) || json_number_value(lo) <= json_number_value(hi);
}

static bool is_vec3(const json_t *v)
{
    if (!json_is_array(v) || json_array_size(v) != 3)
        return false;
    for (size_t i = 0; i < 3; ++i)
        if (!json_is_number(json_array_get(v, i)))
            return false;
    return true;
}

static bool is_unit(const json_t *v)
{
    if (!is_vec3(v))
        return false;
    double sum = 0;
    for (size_t i = 0; i < 3; ++i)
        sum += json_number_value(json_array_get(v, i)) * json_number_value(json_array_get(v, i));
    return fabs(sum - 1) < 1e-12;
}

static bool is_one_of(const json_t *v, const char *words)
{
    char copy[256];
    if (!json_is_string(v))
        return false;
    snprintf(copy, sizeof copy, "%s", words);
    for (char *word = strtok(copy, "|"); word; word = strtok(NULL, "|"))
        if (strcmp(word, json_string_value(v)) == 0)
            return true;
    return false;
}

static bool is_features(const json_t *v)
{
    static const char *const words = "none|vertex|edge|face";
    return json_is_array(v) && json_array_size(v) == 2 && is_one_of(json_array_get(v, 0), words) &&
           is_one_of(json_array_get(v, 1), words);
}

/* No key but those of the list "a|b|c". */
static bool has_only(const json_t *object, const char *keys)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        json_t *const name = json_string(key);
        const bool known = is_one_of(name, keys);
        json_decref(name);
        if (!known) {
            print_error("unexpected key %s\n", key);
            return false;
        }
    }
    return json_is_object(object);
}

#define GET(object, key) json_object_get(object, key)
#define MUST(condition)  TEST_CHECK(condition, "in the answer to abut %s:\n%s", line, text)

/* ---- a document of each command ---- */

/* Contact points, or triangles that meet. */
static void contact_list(const json_t *of, const char *line, const char *text)
{
    size_t k;
    json_t *contact;
    const json_t *const count = GET(of, "contact_count");
    MUST(json_is_array(GET(of, "contacts")));
    MUST(!count || json_array_size(GET(of, "contacts")) <= (size_t)json_integer_value(count));
    json_array_foreach(GET(of, "contacts"), k, contact)
    {
        MUST(has_only(contact,
                      count ? "point|normal|features|ids|meet|segment" : "point|normal|features|ids"));
        MUST(is_vec3(GET(contact, "point")) && is_unit(GET(contact, "normal")));
        MUST(is_features(GET(contact, "features")));
        MUST(json_array_size(GET(contact, "ids")) == 2 &&
             json_is_integer(json_array_get(GET(contact, "ids"), 0)) &&
             json_is_integer(json_array_get(GET(contact, "ids"), 1)));
        if (!count)
            continue;
        MUST(is_one_of(GET(contact, "meet"), "touch|cross|coplanar"));
        MUST(json_array_size(GET(contact, "segment")) == 2 &&
             is_vec3(json_array_get(GET(contact, "segment"), 0)) &&
             is_vec3(json_array_get(GET(contact, "segment"), 1)));
    }
}

static void check_document(const json_t *doc, const char *line, const char *text)
{
    size_t i;
    json_t *pair;
    MUST(has_only(doc, "command|time|pairs|self|unsupported|stats"));
    MUST(json_is_number(GET(doc, "time")));
    MUST(json_is_array(GET(doc, "pairs")));
    json_array_foreach(GET(doc, "pairs"), i, pair)
    {
        MUST(has_only(
            pair, "a|b|verdict|proof|distance|within|depth|points|normal|contact_count|contacts|counters"));
        MUST(json_is_string(GET(pair, "a")) && json_is_string(GET(pair, "b")));
        MUST(is_one_of(GET(pair, "verdict"), "separate|touching|penetrating|undecided"));
        const bool undecided = is_one_of(GET(pair, "verdict"), "undecided");
        MUST(is_one_of(GET(pair, "proof"), "exact|interval|tolerance") || (undecided && !GET(pair, "proof")));
        MUST(is_interval(GET(pair, "distance")));
        MUST(!GET(pair, "depth") || is_interval(GET(pair, "depth")));
        if (is_one_of(GET(pair, "verdict"), "touching|penetrating")) {
            MUST(json_number_value(json_array_get(GET(pair, "distance"), 0)) == 0);
            MUST(json_number_value(json_array_get(GET(pair, "distance"), 1)) == 0);
        }
        if (is_one_of(GET(pair, "verdict"), "separate|touching") || GET(pair, "depth")) {
            MUST(GET(pair, "points"));
            MUST(is_unit(GET(pair, "normal")));
        }
        if (GET(pair, "points"))
            MUST(is_vec3(GET(GET(pair, "points"), "a")) && is_vec3(GET(GET(pair, "points"), "b")) &&
                 has_only(GET(pair, "points"), "a|b"));
        contact_list(pair, line, text);
    }
    json_array_foreach(GET(doc, "self"), i, pair)
    {
        MUST(has_only(pair, "object|verdict|proof|contact_count|contacts|counters"));
        MUST(json_is_string(GET(pair, "object")) &&
             is_one_of(GET(pair, "verdict"), "separate|touching|undecided"));
        MUST(is_one_of(GET(pair, "proof"), "exact|interval|tolerance"));
        contact_list(pair, line, text);
    }
}

static void first_document(const json_t *doc, const char *line, const char *text)
{
    size_t i;
    json_t *contact;
    MUST(has_only(doc, "command|verdict|proof|time|contacts|iterations|stats"));
    MUST(is_one_of(GET(doc, "verdict"), "contact|separate|overlapping|undecided"));
    const bool separate = is_one_of(GET(doc, "verdict"), "separate");
    MUST(separate ? json_is_null(GET(doc, "time")) : is_interval(GET(doc, "time")));
    MUST(!GET(doc, "proof") || is_one_of(GET(doc, "proof"), "exact|interval|tolerance"));
    MUST(json_is_array(GET(doc, "contacts")) && json_is_integer(GET(doc, "iterations")));
    MUST(!separate || json_array_size(GET(doc, "contacts")) == 0);
    MUST(!is_one_of(GET(doc, "verdict"), "contact|overlapping") || json_array_size(GET(doc, "contacts")) > 0);
    json_array_foreach(GET(doc, "contacts"), i, contact)
    {
        MUST(has_only(contact, "a|b|time|point|normal|kind|proof|features"));
        MUST(json_is_string(GET(contact, "a")) && json_is_string(GET(contact, "b")));
        MUST(is_interval(GET(contact, "time")));
        MUST(is_one_of(GET(contact, "proof"), "unique|tolerance"));
        if (is_one_of(GET(doc, "verdict"), "contact") || GET(contact, "point")) {
            MUST(is_vec3(GET(contact, "point")) && is_unit(GET(contact, "normal")));
            MUST(is_one_of(GET(contact, "kind"), "isolated|sampled"));
            MUST(is_features(GET(contact, "features")));
        }
    }
}

static void intervals_document(const json_t *doc, const char *line, const char *text)
{
    size_t i, k;
    json_t *pair, *interval;
    MUST(has_only(doc, "command|pairs|unsupported|stats"));
    MUST(json_is_array(GET(doc, "pairs")));
    json_array_foreach(GET(doc, "pairs"), i, pair)
    {
        MUST(has_only(pair, "a|b|proof|intervals|stop|counters"));
        MUST(json_is_string(GET(pair, "a")) && json_is_string(GET(pair, "b")));
        MUST(is_one_of(GET(pair, "proof"), "exact|interval|tolerance"));
        MUST(json_is_array(GET(pair, "intervals")));
        json_array_foreach(GET(pair, "intervals"), k, interval)
            MUST(has_only(interval, "enter|exit") && is_interval(GET(interval, "enter")) &&
                 is_interval(GET(interval, "exit")));
    }
}

static void cast_document(const json_t *doc, const char *line, const char *text)
{
    size_t i;
    json_t *hit;
    double last = 0;
    MUST(has_only(doc, "command|time|hits|stats"));
    MUST(json_is_array(GET(doc, "hits")));
    json_array_foreach(GET(doc, "hits"), i, hit)
    {
        MUST(has_only(hit, "object|t|point|normal"));
        MUST(json_is_string(GET(hit, "object")) && json_is_number(GET(hit, "t")));
        MUST(is_vec3(GET(hit, "point")) && is_unit(GET(hit, "normal")));
        MUST(json_number_value(GET(hit, "t")) >= last);
        last = json_number_value(GET(hit, "t"));
    }
}

static void classify_document(const json_t *doc, const char *line, const char *text)
{
    size_t i;
    json_t *piece;
    MUST(has_only(doc, "command|object|time|pieces|stats"));
    MUST(json_is_array(GET(doc, "pieces")) && json_array_size(GET(doc, "pieces")) > 0);
    json_array_foreach(GET(doc, "pieces"), i, piece)
    {
        MUST(has_only(piece, "where|id|from|to|point"));
        MUST(is_one_of(GET(piece, "where"), "in|out|vertex|edge|face"));
        MUST(json_is_integer(GET(piece, "id")));
        MUST(json_is_number(GET(piece, "from")) && json_is_number(GET(piece, "to")));
        const double from = json_number_value(GET(piece, "from")), to = json_number_value(GET(piece, "to"));
        MUST(0 <= from && from <= to && to <= 1);
        MUST(from == to ? is_vec3(GET(piece, "point")) : !GET(piece, "point"));
    }
}

static void mesh_report(const json_t *doc, const char *line, const char *text)
{
    static const char *const counts[] = { "triangles",        "duplicate_vertices", "unused_vertices",
                                          "degenerate_faces", "duplicate_faces",    "edges",
                                          "open_edges",       "crowded_edges",      "flipped_edges",
                                          "flipped_faces",    "components" };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        MUST(json_is_integer(GET(doc, counts[i])));
    MUST(json_is_boolean(GET(doc, "closed")) && json_is_boolean(GET(doc, "oriented")));
    MUST(json_is_boolean(GET(doc, "outward")) && json_is_number(GET(doc, "area")));
    MUST(json_is_number(GET(doc, "volume")) == json_is_true(GET(doc, "oriented")));
    const json_t *const hierarchy = GET(doc, "hierarchy");
    MUST(!hierarchy ||
         (json_is_string(GET(hierarchy, "volume")) && json_is_string(GET(hierarchy, "builder")) &&
          json_is_integer(GET(hierarchy, "nodes")) && json_is_integer(GET(hierarchy, "depth")) &&
          json_is_number(GET(hierarchy, "bytes_per_triangle"))));
}

static void info_document(const json_t *doc, const char *line, const char *text)
{
    size_t i;
    json_t *object;
    MUST(json_is_string(GET(doc, "file")));
    if (is_one_of(GET(doc, "kind"), "mesh")) {
        MUST(json_is_integer(GET(doc, "vertices")) && json_is_integer(GET(doc, "faces")));
        MUST(json_array_size(GET(doc, "bounds")) == 2);
        mesh_report(doc, line, text);
        return;
    }
    MUST(has_only(doc, "command|kind|file|time|query|objects|pairs|stats"));
    MUST(is_one_of(GET(doc, "kind"), "scene") && is_interval(GET(doc, "time")));
    MUST(json_is_object(GET(doc, "query")) && json_is_array(GET(doc, "pairs")));
    json_array_foreach(GET(doc, "objects"), i, object)
    {
        MUST(has_only(object, "name|shape|motion|bounds"));
        MUST(json_is_string(GET(object, "name")));
        MUST(json_is_string(GET(GET(object, "shape"), "type")));
        MUST(json_array_size(GET(GET(object, "shape"), "bounds")) == 2);
        if (GET(GET(object, "shape"), "mesh"))
            mesh_report(GET(GET(object, "shape"), "mesh"), line, text);
        MUST(json_is_string(GET(GET(object, "motion"), "type")));
        MUST(json_is_boolean(GET(GET(object, "motion"), "rigid")));
        MUST(is_interval(GET(GET(object, "motion"), "range")));
        MUST(json_is_null(GET(object, "bounds")) || json_array_size(GET(object, "bounds")) == 2);
    }
}

/* Every number of the document, read and written again, gives the same text. */
static void numbers_round_trip(const char *line, const char *text)
{
    bool in_string = false;
    for (const char *c = text; *c; ++c) {
        if (in_string && *c == '\\')
            ++c;
        else if (*c == '"')
            in_string = !in_string;
        else if (!in_string && (*c == '-' || (*c >= '0' && *c <= '9'))) {
            char *end, again[64];
            snprintf(again, sizeof again, "%.17g", strtod(c, &end));
            MUST((size_t)(end - c) == strlen(again) && strncmp(c, again, strlen(again)) == 0);
            c = end - 1;
        }
    }
}

/* Runs `line`, which has --json, and checks its document against the contract. The caller
 * releases it. */
static json_t *document(const char *line, int code)
{
    static const struct {
        const char *command;
        void (*check)(const json_t *doc, const char *line, const char *text);
    } commands[] = { { "check", check_document },         { "first", first_document },
                     { "intervals", intervals_document }, { "cast", cast_document },
                     { "classify", classify_document },   { "info", info_document } };
    run_result r = run_line(line);
    json_error_t error;
    run_expect(line, &r, code);
    json_t *const doc = json_loads(r.out, JSON_REJECT_DUPLICATES, &error);
    TEST_CHECK(doc, "abut %s: %s at line %d of\n%s", line, error.text, error.line, r.out);
    bool known = false;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        if (strncmp(line, commands[i].command, strlen(commands[i].command)) != 0)
            continue;
        known = true;
        TEST_CHECK(is_one_of(GET(doc, "command"), commands[i].command), "%s", r.out);
        commands[i].check(doc, line, r.out);
    }
    TEST_CHECK(known, "%s", line);
    if (!strstr(line, "--stats"))
        numbers_round_trip(line, r.out);
    TEST_CHECK(r.out[r.out_length - 1] == '\n', "no newline at the end");
    run_free(&r);
    return doc;
}

static double end_of(const json_t *interval, int which)
{
    return json_number_value(json_array_get(interval, (size_t)which));
}

/* The enclosure holds x, up to the rounding of x, and is narrow. */
static void assert_encloses(const json_t *interval, double x)
{
    assert_true(is_interval(interval));
    TEST_CHECK(end_of(interval, 0) <= x + 1e-15 && end_of(interval, 1) >= x - 1e-15 &&
                   end_of(interval, 1) - end_of(interval, 0) < 1e-12,
               "[%.17g, %.17g] and %.17g", end_of(interval, 0), end_of(interval, 1), x);
}

static json_t *pair_of(const json_t *doc, const char *a, const char *b)
{
    size_t i;
    json_t *pair;
    json_array_foreach(GET(doc, "pairs"), i,
                       pair) if (strcmp(json_string_value(GET(pair, "a")), a) == 0 &&
                                 strcmp(json_string_value(GET(pair, "b")), b) == 0) return pair;
    TEST_FAIL("there is no pair %s, %s", a, b);
    return NULL;
}

/* ---- the tests ---- */

static void check_gives_known_answers(void **state)
{
    (void)state;
    static const struct {
        const char *b, *verdict;
        double distance, depth;
    } known[] = { { "near", "separate", 1.5, -1 },   { "touching", "touching", 0, -1 },
                  { "deep", "penetrating", 0, 0.5 }, { "crate", "separate", 1, -1 },
                  { "pill", "separate", 1.5, -1 },   { "floor", "separate", 3, -1 } };
    json_t *const doc = document("check @still --json", 0);
    assert_true(json_number_value(GET(doc, "time")) == 2);
    assert_int_equal(json_array_size(GET(doc, "pairs")), 6);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        const json_t *const pair = pair_of(doc, "ball", known[i].b);
        TEST_CHECK(is_one_of(GET(pair, "verdict"), known[i].verdict), "ball and %s", known[i].b);
        assert_encloses(GET(pair, "distance"), known[i].distance);
        if (known[i].depth > 0)
            assert_encloses(GET(pair, "depth"), known[i].depth);
    }
    /* Near enough? The distance 1.5 itself is. */
    json_t *const within = document("check @still --within 1.5 --exit-code --json", 1);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        const json_t *const says = GET(pair_of(within, "ball", known[i].b), "within");
        TEST_CHECK(json_is_boolean(says) && json_is_true(says) == (known[i].distance <= 1.5), "ball and %s",
                   known[i].b);
    }
    json_decref(within);
    json_decref(document("check @still --pair ball floor --within 2.9 --exit-code --json", 0));
    /* From a to b. */
    const json_t *const normal = GET(pair_of(doc, "ball", "near"), "normal");
    assert_true(json_number_value(json_array_get(normal, 0)) == 1);
    json_decref(doc);

    /* Static objects have no range of time. */
    json_decref(document("check @still --time 99 --json", 0));
    /* --pair takes the order of the command line, and pairs that the scene does not list. */
    json_t *const turned = document("check @still --pair near ball --pair near touching --json", 0);
    assert_int_equal(json_array_size(GET(turned, "pairs")), 2);
    assert_true(json_number_value(json_array_get(GET(pair_of(turned, "near", "ball"), "normal"), 0)) == -1);
    json_decref(turned);
}

static void first_gives_known_answers(void **state)
{
    (void)state;
    json_t *doc = document("first @balls --json", 0);
    assert_true(is_one_of(GET(doc, "verdict"), "contact"));
    assert_encloses(GET(doc, "time"), (4 - sqrt(1.25)) / 8);
    assert_int_equal(json_array_size(GET(doc, "contacts")), 1);
    const json_t *const contact = json_array_get(GET(doc, "contacts"), 0);
    assert_string_equal(json_string_value(GET(contact, "a")), "red");
    assert_string_equal(json_string_value(GET(contact, "b")), "green");
    json_decref(doc);

    /* Half a unit of time later red meets blue too. */
    doc = document("first @balls --json --simultaneity 0.5", 0);
    assert_int_equal(json_array_size(GET(doc, "contacts")), 2);
    assert_encloses(GET(json_array_get(GET(doc, "contacts"), 1), "time"), 0.84375);
    json_decref(doc);

    doc = document("first @balls --json --pair blue red", 0);
    assert_encloses(GET(doc, "time"), 0.84375);
    json_decref(doc);

    doc = document("first @apart --json", 0);
    assert_true(is_one_of(GET(doc, "verdict"), "separate"));
    json_decref(doc);

    doc = document("first @overlap --json", 0);
    assert_true(is_one_of(GET(doc, "verdict"), "overlapping"));
    assert_true(end_of(GET(doc, "time"), 0) == 0 && end_of(GET(doc, "time"), 1) == 0);
    assert_int_equal(json_array_size(GET(doc, "contacts")), 1);
    assert_string_equal(json_string_value(GET(json_array_get(GET(doc, "contacts"), 0), "b")), "b");
    json_decref(doc);

    /* mid is met from both sides at 1; the third comes 1/16 later. */
    doc = document("first @simultaneous --json", 0);
    assert_encloses(GET(doc, "time"), 1);
    assert_int_equal(json_array_size(GET(doc, "contacts")), 2);
    json_decref(doc);
    doc = document("first @simultaneous --json --simultaneity 0.0625", 0);
    assert_int_equal(json_array_size(GET(doc, "contacts")), 3);
    assert_encloses(GET(json_array_get(GET(doc, "contacts"), 2), "time"), 1.0625);
    json_decref(doc);

    /* The same from the scene's query; the command line overrides it. */
    doc = document("first @query --json", 0);
    assert_int_equal(json_array_size(GET(doc, "contacts")), 3);
    json_decref(doc);
    doc = document("first @query --json --simultaneity 0", 0);
    assert_int_equal(json_array_size(GET(doc, "contacts")), 2);
    json_decref(doc);
    doc = document("info @query --json", 0);
    assert_true(json_number_value(GET(GET(doc, "query"), "simultaneity")) == 0.0625);
    assert_int_equal(json_integer_value(GET(GET(doc, "query"), "max_iterations")), 1000);
    assert_string_equal(json_string_value(GET(GET(doc, "query"), "method")), "auto");
    json_decref(doc);

    doc = document("first @single --json", 0);
    assert_true(is_one_of(GET(doc, "verdict"), "separate"));
    json_decref(doc);
}

static void intervals_give_known_answers(void **state)
{
    (void)state;
    json_t *const doc = document("intervals @balls --json", 0);
    const json_t *const green = GET(pair_of(doc, "red", "green"), "intervals");
    assert_int_equal(json_array_size(green), 1);
    assert_encloses(GET(json_array_get(green, 0), "enter"), (4 - sqrt(1.25)) / 8);
    assert_encloses(GET(json_array_get(green, 0), "exit"), (4 + sqrt(1.25)) / 8);
    const json_t *const blue = GET(pair_of(doc, "red", "blue"), "intervals");
    assert_int_equal(json_array_size(blue), 1);
    assert_encloses(GET(json_array_get(blue, 0), "enter"), 0.84375);
    assert_true(end_of(GET(json_array_get(blue, 0), "exit"), 0) == 1);
    assert_true(end_of(GET(json_array_get(blue, 0), "exit"), 1) == 1);
    assert_int_equal(json_array_size(GET(pair_of(doc, "green", "blue"), "intervals")), 0);
    json_decref(doc);
}

static void cast_and_classify_give_known_answers(void **state)
{
    (void)state;
    json_t *doc = document("cast @balls --ray 0,1,12,0,0,-2 --json", 0);
    assert_int_equal(json_array_size(GET(doc, "hits")), 2);
    assert_true(json_number_value(GET(json_array_get(GET(doc, "hits"), 0), "t")) == 4.75);
    assert_true(json_number_value(GET(json_array_get(GET(doc, "hits"), 1), "t")) == 5.25);
    json_decref(doc);
    /* Red has come to the origin half-way. */
    doc = document("cast @balls --ray 0,0,12,0,0,-1 --time 0.5 --json", 0);
    assert_string_equal(json_string_value(GET(json_array_get(GET(doc, "hits"), 0), "object")), "red");
    json_decref(doc);
    doc = document("cast @balls --ray 0,0,12,0,0,1 --json", 0);
    assert_int_equal(json_array_size(GET(doc, "hits")), 0);
    json_decref(doc);

    doc = document("classify @balls green --point 0,1,2 --json", 0);
    assert_true(is_one_of(GET(json_array_get(GET(doc, "pieces"), 0), "where"), "in"));
    json_decref(doc);
    doc = document("classify @balls green --point 0,1,2.5 --json", 0);
    assert_true(is_one_of(GET(json_array_get(GET(doc, "pieces"), 0), "where"), "face"));
    json_decref(doc);
    doc = document("classify @balls green --segment 0,1,0,0,1,4 --json", 0);
    size_t i;
    json_t *piece;
    double at = 0;
    /* Pieces follow each other from 0 to 1. */
    json_array_foreach(GET(doc, "pieces"), i, piece)
    {
        assert_true(json_number_value(GET(piece, "from")) == at);
        at = json_number_value(GET(piece, "to"));
    }
    assert_true(at == 1);
    assert_true(is_one_of(GET(json_array_get(GET(doc, "pieces"), 2), "where"), "in"));
    json_decref(doc);
}

static void info_tells_what_is_there(void **state)
{
    (void)state;
    json_t *doc = document("info @still --json", 0);
    assert_int_equal(json_array_size(GET(doc, "objects")), 7);
    assert_int_equal(json_array_size(GET(doc, "pairs")), 6);
    json_decref(doc);
    doc = document("info @balls --json", 0);
    /* Red moves along x from -4 to 4 and has radius 1; the box is certified, hence not smaller. */
    const json_t *const bounds = GET(json_array_get(GET(doc, "objects"), 0), "bounds");
    const double lo = json_number_value(json_array_get(json_array_get(bounds, 0), 0));
    const double hi = json_number_value(json_array_get(json_array_get(bounds, 1), 0));
    assert_true(lo <= -5 && lo > -5.001 && hi >= 5 && hi < 5.001);
    json_decref(doc);

    doc = document("info test/cli/scenes/tetra.off --json", 0);
    assert_int_equal(json_integer_value(GET(doc, "vertices")), 5);
    assert_int_equal(json_integer_value(GET(doc, "faces")), 5);
    assert_int_equal(json_integer_value(GET(doc, "duplicate_vertices")), 1);
    assert_int_equal(json_integer_value(GET(doc, "unused_vertices")), 0);
    assert_int_equal(json_integer_value(GET(doc, "degenerate_faces")), 1);
    /* The degenerate face, of two places, takes no part. */
    assert_int_equal(json_integer_value(GET(doc, "open_edges")), 0);
    assert_true(json_is_true(GET(doc, "closed")) && json_is_true(GET(doc, "outward")));
    json_decref(doc);
    doc = document("info test/cli/scenes/cracked.off --json", 0);
    assert_int_equal(json_integer_value(GET(doc, "faces")), 7);
    assert_int_equal(json_integer_value(GET(doc, "triangles")), 9); /* two squares are split */
    assert_int_equal(json_integer_value(GET(doc, "components")), 2);
    assert_int_equal(json_integer_value(GET(doc, "duplicate_faces")), 2);
    assert_int_equal(json_integer_value(GET(doc, "unused_vertices")), 1);
    assert_int_equal(json_integer_value(GET(doc, "degenerate_faces")), 2);
    assert_int_equal(json_integer_value(GET(doc, "crowded_edges")), 3);
    assert_int_equal(json_integer_value(GET(doc, "flipped_edges")), 2);
    assert_int_equal(json_integer_value(GET(doc, "flipped_faces")), 1);
    assert_true(json_is_false(GET(doc, "closed")) && json_is_null(GET(doc, "volume")));
    json_decref(doc);
    doc = document("info @meshes --json", 0);
    const json_t *const objects = GET(doc, "objects");
    const json_t *const block = GET(GET(json_array_get(objects, 0), "shape"), "mesh");
    assert_true(json_is_true(GET(block, "outward")));
    assert_int_equal(json_integer_value(GET(block, "triangles")), 12);
    assert_true(is_one_of(GET(GET(block, "hierarchy"), "volume"), "rss"));
    assert_null(GET(GET(json_array_get(objects, 3), "shape"), "mesh"));
    json_decref(doc);
}

static size_t contacts_of(const json_t *doc, const char *list, size_t index, size_t *count)
{
    const json_t *const of = json_array_get(GET(doc, list), index);
    *count = (size_t)json_integer_value(GET(of, "contact_count"));
    return json_array_size(GET(of, "contacts"));
}

static void triangles_that_meet_are_listed(void **state)
{
    (void)state;
    size_t count;
    json_t *doc = document("check @meshes --contacts 1000000 --json", 0);
    assert_null(GET(doc, "self"));
    /* The lid stands on two triangles of the block: each pair of triangles with a common point,
     * by hand. */
    assert_true(contacts_of(doc, "pairs", 0, &count) == 22 && count == 22);
    const size_t all = contacts_of(doc, "pairs", 1, &count);
    assert_true(all == count && all > 3);
    /* a ball has no triangles */
    assert_null(GET(json_array_get(GET(doc, "pairs"), 2), "contact_count"));
    json_decref(doc);

    doc = document("check @meshes --contacts 3 --self --json --stats", 0);
    assert_true(contacts_of(doc, "pairs", 0, &count) == 3 && count == 22);
    assert_true(contacts_of(doc, "pairs", 1, &count) == 3 && count == all);
    assert_int_equal(json_array_size(GET(doc, "self")), 3);
    assert_true(contacts_of(doc, "self", 0, &count) == 0 && count == 0);
    assert_true(contacts_of(doc, "self", 2, &count) == 1 && count == 1);
    const json_t *const bow = json_array_get(GET(doc, "self"), 2);
    const json_t *const cross = json_array_get(GET(bow, "contacts"), 0);
    assert_true(is_one_of(GET(cross, "meet"), "cross"));
    /* The object is at x = 1. */
    const json_t *const point = GET(cross, "point");
    assert_true(json_number_value(json_array_get(point, 0)) == 1 &&
                json_number_value(json_array_get(point, 1)) == 0);
    assert_true(json_is_integer(GET(GET(bow, "counters"), "triangle_tests")));
    assert_true(json_is_integer(GET(GET(json_array_get(GET(doc, "pairs"), 0), "counters"), "volume_tests")));
    json_decref(doc);

    /* Only what was asked about; found, but not listed. */
    doc = document("check @meshes --self --pair bow ball --exit-code --json", 1);
    assert_int_equal(json_array_size(GET(doc, "self")), 1);
    assert_true(contacts_of(doc, "self", 0, &count) == 0 && count == 1);
    json_decref(doc);
    doc = document("check @meshes --self --pair lid ball --exit-code --json", 0);
    assert_true(json_array_size(GET(doc, "self")) == 1 && contacts_of(doc, "self", 0, &count) == 0 &&
                count == 0);
    json_decref(doc);
    /* Of other bodies the manifold is cut. */
    doc = document("check @still --contacts 1 --json", 0);
    size_t i;
    json_t *pair;
    json_array_foreach(GET(doc, "pairs"), i, pair) assert_true(json_array_size(GET(pair, "contacts")) <= 1);
    json_decref(doc);
}

static void interval_of(const json_t *pair, const char *key, double out[2])
{
    for (size_t k = 0; k < 2; ++k)
        out[k] = json_number_value(json_array_get(GET(pair, key), k));
}

/* The same distances and wider: the true one is in both, and points are where the upper end
 * says. */
static void distances_may_be_wide(void **state)
{
    (void)state;
    static const char *const scenes[] = { "check %two_tori --json", "check %part_in_fixture --json",
                                          "check @meshes --json" };
    size_t apart = 0, wide = 0;
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; ++s) {
        char line[128];
        snprintf(line, sizeof line, "%s --relative 0.5", scenes[s]);
        json_t *const narrow = document(scenes[s], 0), *const about = document(line, 0);
        for (size_t i = 0; i < json_array_size(GET(narrow, "pairs")); ++i) {
            const json_t *const one = json_array_get(GET(narrow, "pairs"), i), *const two = json_array_get(
                                                                                   GET(about, "pairs"), i);
            assert_true(json_equal(GET(one, "verdict"), GET(two, "verdict")));
            double known[2], reported[2];
            interval_of(one, "distance", known);
            interval_of(two, "distance", reported);
            assert_true(reported[0] <= known[1] && reported[1] >= known[0] &&
                        reported[1] <= 1.5 * (1 + 1e-9) * reported[0]);
            if (known[0] == 0)
                continue;
            double square = 0;
            for (size_t k = 0; k < 3; ++k) {
                const json_t *const points = GET(two, "points");
                const double d = json_number_value(json_array_get(GET(points, "a"), k)) -
                                 json_number_value(json_array_get(GET(points, "b"), k));
                square += d * d;
            }
            TEST_NEAR(sqrt(square), reported[1], 1e-12 * (1 + reported[1]), "%s, pair %zu", line, i);
            ++apart;
            wide += reported[1] > 1.01 * reported[0];
        }
        json_decref(narrow);
        json_decref(about);
    }
    assert_true(apart >= 4 && wide >= 1); /* wide ones save work; the others come so */
}

/* The bundled scenes of meshes: what is in them by construction. */
static void bundled_meshes_stand_as_built(void **state)
{
    (void)state;
    static const struct {
        const char *line, *verdicts[6];
    } scenes[] = { { "check %part_in_fixture --json",
                     { "touching", "separate", "touching", "penetrating", "separate", "touching" } },
                   { "check %two_tori --json", { "separate", "touching", "touching" } } };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i) {
        json_t *const doc = document(scenes[i].line, 0);
        size_t k;
        json_t *pair;
        json_array_foreach(GET(doc, "pairs"), k, pair) TEST_CHECK(
            is_one_of(GET(pair, "verdict"), scenes[i].verdicts[k]), "%s, pair %zu", scenes[i].line, k);
        json_decref(doc);
    }
    json_t *const doc =
        document("classify %part_in_fixture fixture --segment 0.5,0.25,-2,0.5,0.25,1 --json", 0);
    static const char *const where[] = { "out", "face", "in", "face", "out" };
    assert_int_equal(json_array_size(GET(doc, "pieces")), 5);
    for (size_t i = 0; i < 5; ++i)
        assert_true(is_one_of(GET(json_array_get(GET(doc, "pieces"), i), "where"), where[i]));
    json_decref(doc);
}

static void names_survive(void **state)
{
    (void)state;
    json_t *const doc = document("info @names --json", 0);
    assert_string_equal(json_string_value(GET(json_array_get(GET(doc, "objects"), 0), "name")),
                        "a \"quoted\" \\ name");
    assert_string_equal(json_string_value(GET(json_array_get(GET(doc, "objects"), 1), "name")), "Käfig Δ 球");
    json_decref(doc);
    json_decref(document("check @names --json", 0));
    /* A name cannot drive the terminal. */
    char *const argv[] = { (char *)(uintptr_t) "abut",
                           (char *)(uintptr_t) "check",
                           (char *)(uintptr_t) "-",
                           (char *)(uintptr_t) "--pair",
                           (char *)(uintptr_t) "a\033[31m\a\xff",
                           (char *)(uintptr_t) "b",
                           NULL };
    const run_setup piped = {
        .input = "{\"abut\":1,\"objects\":[{\"name\":\"a\",\"shape\":{\"type\":\"sphere\",\"radius\":1}}]}"
    };
    run_result r = run_argv(&piped, argv);
    run_expect("check - --pair ...", &r, 2);
    assert_non_null(strstr(r.err, "'a\\x1b[31m\\x07\\xff'"));
    run_free(&r);
}

static void stats_are_added(void **state)
{
    (void)state;
    static const char *const lines[] = { "check @balls --stats --json",
                                         "first @balls --stats --json",
                                         "intervals @balls --stats --json",
                                         "cast @balls --stats --ray 0,0,9,0,0,-1 --json",
                                         "classify @balls green --stats --point 0,0,0 --json",
                                         "info @balls --stats --json" };
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i) {
        json_t *const doc = document(lines[i], 0);
        const json_t *const stats = GET(doc, "stats");
        assert_true(json_is_number(GET(stats, "read_seconds")) &&
                    json_is_number(GET(stats, "query_seconds")));
        if (i < 3)
            assert_true(json_is_integer(GET(stats, "iterations")) &&
                        json_is_integer(GET(stats, "evaluations")) && json_is_integer(GET(stats, "exact")) &&
                        json_integer_value(GET(stats, "pairs")) == 3);
        json_decref(doc);
    }
}

/* Supported pairs are answered, the others listed; the exit code says that something is missing. */
static void unsupported_pairs_are_listed(void **state)
{
    (void)state;
    static const char *const lines[] = { "check @unsupported --json", "intervals @unsupported --json" };
    for (size_t i = 0; i < 2; ++i) {
        json_t *const doc = document(lines[i], 3);
        assert_int_equal(json_array_size(GET(doc, "pairs")), 1);
        const json_t *const missing = json_array_get(GET(doc, "unsupported"), 0);
        assert_string_equal(json_string_value(GET(missing, "a")), "ring");
        assert_string_equal(json_string_value(GET(missing, "b")), "block");
        assert_string_equal(json_string_value(GET(missing, "reason")),
                            "ring (heightfield, affine) against block (heightfield): not supported yet");
        json_decref(doc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_gives_known_answers),
        cmocka_unit_test(first_gives_known_answers),
        cmocka_unit_test(intervals_give_known_answers),
        cmocka_unit_test(cast_and_classify_give_known_answers),
        cmocka_unit_test(info_tells_what_is_there),
        cmocka_unit_test(triangles_that_meet_are_listed),
        cmocka_unit_test(distances_may_be_wide),
        cmocka_unit_test(bundled_meshes_stand_as_built),
        cmocka_unit_test(names_survive),
        cmocka_unit_test(stats_are_added),
        cmocka_unit_test(unsupported_pairs_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
