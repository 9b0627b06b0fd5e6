/* SPDX-License-Identifier: MIT */
/* Checks a file of rows written by abut_bench --json: an array of objects with exactly the
 * agreed keys, the ratio that of the times, and abut refuted nowhere. usage: test_rows FILE */
#include <jansson.h>

#include <math.h>
#include <stdio.h>

static int bad(size_t row, const char *what, const char *key)
{
    printf("row %zu: %s%s\n", row, what, key);
    return 1;
}

static int check_row(size_t index, json_t *row)
{
    static const char *const keys[] = { "family", "case",       "abut_ns",    "peer",    "peer_ns",
                                        "ratio",  "abut_wrong", "peer_wrong", "counters" };
    const size_t count = sizeof keys / sizeof keys[0];
    int failures = 0;
    if (!json_is_object(row) || json_object_size(row) != count)
        return bad(index, "not an object of nine keys", "");
    for (size_t k = 0; k < count; ++k)
        if (!json_object_get(row, keys[k]))
            failures += bad(index, "no key ", keys[k]);
    if (failures)
        return failures;
    if (!json_is_string(json_object_get(row, "family")) || !json_is_string(json_object_get(row, "case")))
        failures += bad(index, "family and case are text", "");
    const json_t *counters = json_object_get(row, "counters");
    if (!json_is_object(json_object_get(counters, "abut")) ||
        !json_is_object(json_object_get(counters, "peer")))
        failures += bad(index, "counters of abut and peer are objects", "");

    const json_t *abut = json_object_get(row, "abut_ns"), *peer = json_object_get(row, "peer_ns");
    const json_t *ratio = json_object_get(row, "ratio");
    if (json_is_number(abut) && json_is_number(peer)) {
        const double wanted = json_number_value(peer) / json_number_value(abut);
        if (!json_is_number(ratio) || !(fabs(json_number_value(ratio) - wanted) <= 1e-3 * wanted))
            failures += bad(index, "ratio is not peer_ns / abut_ns", "");
    } else if (!json_is_null(ratio)) {
        failures += bad(index, "a ratio without two times", "");
    }
    if (json_is_number(peer) != json_is_string(json_object_get(row, "peer")))
        failures += bad(index, "a peer without a time, or a time without a peer", "");
    const json_t *wrong = json_object_get(row, "abut_wrong");
    if (!json_is_null(wrong) && json_integer_value(wrong) != 0)
        failures +=
            bad(index, "the referee refutes abut in ", json_string_value(json_object_get(row, "case")));
    return failures;
}

int main(int argc, char **argv)
{
    json_error_t error;
    json_t *rows = argc == 2 ? json_load_file(argv[1], 0, &error) : NULL;
    if (!json_is_array(rows) || json_array_size(rows) == 0) {
        printf("%s is not a JSON array with rows\n", argc == 2 ? argv[1] : "(no file)");
        return 1;
    }
    int failures = 0;
    for (size_t i = 0; i < json_array_size(rows); ++i)
        failures += check_row(i, json_array_get(rows, i));
    json_decref(rows);
    return failures != 0;
}
