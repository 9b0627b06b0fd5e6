/* SPDX-License-Identifier: MIT */
/* The small parts of the scene reader: paths, messages, single values. Every message says what
 * is there and what is allowed. Numbers need no test for NaN or infinity: JSON has none, and
 * Jansson refuses those that overflow. */
#include "io/scene_reader.h"

#include "expr/names.h"
#include "io/scene_file.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- where ---- */

static void enter(abut_io_reader *r, abut_io_step step)
{
    /* The depth of the format is bounded (csg by its own limit), so there is always room; count
     * on even if not. */
    if (r->step_count < ABUT_IO_MAX_STEPS)
        r->steps[r->step_count] = step;
    ++r->step_count;
}

void abut_io_enter_key(abut_io_reader *r, const char *key)
{
    enter(r, (abut_io_step){ key, strlen(key), 0 });
}

void abut_io_enter_index(abut_io_reader *r, size_t index)
{
    enter(r, (abut_io_step){ NULL, 0, index });
}

void abut_io_leave(abut_io_reader *r)
{
    --r->step_count;
}

/* ---- failing ---- */

static bool fail(abut_io_reader *r, abut_status status, int64_t index, const char *format, va_list arguments)
{
    char text[sizeof r->error->text];
    vsnprintf(text, sizeof text, format, arguments);
    r->status = abut_base_fail(r->error, status, index, "%s", text);
    if (!r->error)
        return false;
    const size_t steps = r->step_count < ABUT_IO_MAX_STEPS ? r->step_count : ABUT_IO_MAX_STEPS;
    abut_io_set_file(r->error, r->name);
    r->error->line = abut_io_json_line(r->text, r->length, r->steps, steps);
    abut_io_json_print_path(r->steps, steps, r->error->path, sizeof r->error->path);
    abut_io_clean_error(r->error);
    return false;
}

bool abut_io_fail(abut_io_reader *r, abut_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(r, status, -1, format, arguments);
    va_end(arguments);
    return false;
}

bool abut_io_fail_key(abut_io_reader *r, const char *key, abut_status status, const char *format, ...)
{
    va_list arguments;
    abut_io_enter_key(r, key);
    va_start(arguments, format);
    fail(r, status, -1, format, arguments);
    va_end(arguments);
    abut_io_leave(r);
    return false;
}

bool abut_io_fail_memory(abut_io_reader *r)
{
    return abut_io_fail(r, ABUT_ERR_MEMORY, "%s", abut_status_text(ABUT_ERR_MEMORY));
}

/* Adds the steps of a path as creators write it: "x", "position[0]", "rotation.radians";
 * "let.NAME", where the name may be anything. Returns how many. */
static size_t enter_path(abut_io_reader *r, const char *path)
{
    size_t entered = 0;
    const bool is_let = strncmp(path, "let.", 4) == 0;
    while (*path) {
        if (*path == '[' && entered && !is_let) {
            size_t index = 0;
            for (++path; *path >= '0' && *path <= '9'; ++path)
                index = 10 * index + (size_t)(*path - '0');
            path += *path == ']';
            abut_io_enter_index(r, index);
        } else {
            const size_t length = is_let && entered ? strlen(path) : strcspn(path, is_let ? "." : ".[");
            enter(r, (abut_io_step){ path, length, 0 });
            path += length;
        }
        path += *path == '.';
        ++entered;
    }
    return entered;
}

bool abut_io_created(abut_io_reader *r, abut_status status, const abut_error *inner, const char *what)
{
    if (status == ABUT_OK)
        return true;
    if (status == ABUT_ERR_MEMORY)
        return abut_io_fail_memory(r);
    /* What is an argument to the library is a value of the file here. */
    const abut_status ours = status == ABUT_ERR_ARGUMENT ? ABUT_ERR_VALUE : status;
    const char *reason = inner && inner->text[0] ? inner->text : abut_status_text(status);
    const size_t entered = inner ? enter_path(r, inner->path) : 0;
    if (entered)
        abut_io_fail(r, ours, "%s", reason);
    else
        abut_io_fail(r, ours, "this %s is not possible: %s", what, reason);
    for (size_t i = 0; i < entered; ++i)
        abut_io_leave(r);
    if (r->error && inner)
        r->error->index = inner->index;
    return false;
}

static const char *kind_of(json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_STRING: return "a string";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_TRUE: return "true";
    case JSON_FALSE: return "false";
    case JSON_NULL: return "null";
    }
    return "unknown";
}

static bool fail_type(abut_io_reader *r, json_t *value, const char *needed)
{
    return abut_io_fail(r, ABUT_ERR_VALUE, "this is %s; it must be %s", kind_of(value), needed);
}

/* ---- values at the current place ---- */

bool abut_io_as_number(abut_io_reader *r, json_t *value, abut_io_rule rule, double *out)
{
    if (!json_is_number(value))
        return fail_type(r, value, "a number");
    *out = json_number_value(value);
    if (rule == ABUT_IO_POSITIVE && !(*out > 0))
        return abut_io_fail(r, ABUT_ERR_VALUE, "this is %.9g; it must be positive", *out);
    if (rule == ABUT_IO_NOT_NEGATIVE && !(*out >= 0))
        return abut_io_fail(r, ABUT_ERR_VALUE, "this is %.9g; it must not be negative", *out);
    return true;
}

bool abut_io_as_integer(abut_io_reader *r, json_t *value, uint64_t lo, uint64_t hi, uint64_t *out)
{
    double number = 0;
    if (!abut_io_as_number(r, value, ABUT_IO_ANY, &number))
        return false;
    if (number != floor(number))
        return abut_io_fail(r, ABUT_ERR_VALUE, "this is %.17g; it must be a whole number", number);
    if (!(number >= (double)lo && number <= (double)hi))
        return abut_io_fail(r, ABUT_ERR_VALUE, "this is %.17g; it must be a whole number from %llu to %llu",
                            number, (unsigned long long)lo, (unsigned long long)hi);
    *out = (uint64_t)number;
    return true;
}

bool abut_io_as_string(abut_io_reader *r, json_t *value, const char **out)
{
    if (!json_is_string(value))
        return fail_type(r, value, "a string");
    *out = json_string_value(value);
    if (!**out)
        return abut_io_fail(r, ABUT_ERR_VALUE, "this string is empty");
    return true;
}

bool abut_io_as_object(abut_io_reader *r, json_t *value)
{
    return json_is_object(value) || fail_type(r, value, "an object");
}

bool abut_io_as_array(abut_io_reader *r, json_t *value, size_t count, const char *what)
{
    char needed[80];
    snprintf(needed, sizeof needed, "an array of %zu %s", count, what);
    if (!json_is_array(value))
        return fail_type(r, value, needed);
    if (json_array_size(value) != count)
        return abut_io_fail(r, ABUT_ERR_VALUE, "this array has %zu element%s; it must be %s",
                            json_array_size(value), json_array_size(value) == 1 ? "" : "s", needed);
    return true;
}

bool abut_io_as_list(abut_io_reader *r, json_t *value, size_t least, const char *what, size_t *count)
{
    char needed[80];
    snprintf(needed, sizeof needed, "an array of %s", what);
    if (!json_is_array(value))
        return fail_type(r, value, needed);
    *count = json_array_size(value);
    if (*count < least)
        return abut_io_fail(r, ABUT_ERR_VALUE, "this array has %zu element%s; it must be %s, at least %zu",
                            *count, *count == 1 ? "" : "s", needed, least);
    return true;
}

bool abut_io_as_vec3(abut_io_reader *r, json_t *value, abut_io_rule rule, abut_vec3 *out)
{
    double v[3];
    if (!abut_io_as_array(r, value, 3, "numbers"))
        return false;
    for (size_t i = 0; i < 3; ++i) {
        abut_io_enter_index(r, i);
        if (!abut_io_as_number(r, json_array_get(value, i), rule, &v[i]))
            return false;
        abut_io_leave(r);
    }
    *out = (abut_vec3){ v[0], v[1], v[2] };
    return true;
}

bool abut_io_as_numbers(abut_io_reader *r, json_t *value, size_t least, abut_io_rule rule, double **out,
                        size_t *count)
{
    if (!abut_io_as_list(r, value, least, "numbers", count))
        return false;
    *out = abut_workspace_take(&r->ws, *count, sizeof **out);
    if (!*out)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < *count; ++i) {
        abut_io_enter_index(r, i);
        if (!abut_io_as_number(r, json_array_get(value, i), rule, &(*out)[i]))
            return false;
        abut_io_leave(r);
    }
    return true;
}

static bool as_points(abut_io_reader *r, json_t *value, size_t least, abut_vec3 **out, size_t *count)
{
    if (!abut_io_as_list(r, value, least, "points [x, y, z]", count))
        return false;
    *out = abut_workspace_take(&r->ws, *count, sizeof **out);
    if (!*out)
        return abut_io_fail_memory(r);
    for (size_t i = 0; i < *count; ++i) {
        abut_io_enter_index(r, i);
        if (!abut_io_as_vec3(r, json_array_get(value, i), ABUT_IO_ANY, &(*out)[i]))
            return false;
        abut_io_leave(r);
    }
    return true;
}

/* ---- members of an object ---- */

/* "a, b, c", cut where there is no room. */
static void list_words(const char *const *words, char *out, size_t size)
{
    size_t n = 0;
    out[0] = 0;
    for (size_t i = 0; words[i] && n + strlen(words[i]) + 3 < size; ++i)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "", words[i]);
}

static const char *closest(const char *wanted, const char *const *words)
{
    abut_expr_guess guess = { .wanted = wanted, .length = strlen(wanted) };
    for (size_t i = 0; words[i]; ++i)
        abut_expr_guess_offer(&guess, words[i]);
    return guess.best;
}

static bool is_among(const char *word, const char *const *words, size_t *number)
{
    for (size_t i = 0; words[i]; ++i) {
        if (strcmp(word, words[i]) == 0) {
            *number = i;
            return true;
        }
    }
    return false;
}

static bool fail_word(abut_io_reader *r, const char *what, const char *word, const char *const *allowed)
{
    char list[200];
    list_words(allowed, list, sizeof list);
    const char *meant = closest(word, allowed);
    if (meant)
        return abut_io_fail(r, ABUT_ERR_VALUE, "unknown %s \"%.40s\", did you mean \"%s\"? Allowed: %s", what,
                            word, meant, list);
    return abut_io_fail(r, ABUT_ERR_VALUE, "unknown %s \"%.40s\". Allowed: %s", what, word, list);
}

bool abut_io_check_keys(abut_io_reader *r, json_t *object, const char *const *allowed)
{
    size_t number;
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        const char *key = json_object_iter_key(i);
        if (is_among(key, allowed, &number))
            continue;
        abut_io_enter_key(r, key);
        fail_word(r, "key", key, allowed);
        abut_io_leave(r);
        return false;
    }
    return true;
}

json_t *abut_io_get(json_t *object, const char *key)
{
    return json_object_get(object, key);
}

json_t *abut_io_need(abut_io_reader *r, json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!value)
        abut_io_fail(r, ABUT_ERR_VALUE, "the key \"%s\" is missing here", key);
    return value;
}

bool abut_io_number(abut_io_reader *r, json_t *object, const char *key, abut_io_rule rule, double *out)
{
    json_t *value = abut_io_need(r, object, key);
    if (!value)
        return false;
    abut_io_enter_key(r, key);
    if (!abut_io_as_number(r, value, rule, out))
        return false;
    abut_io_leave(r);
    return true;
}

bool abut_io_integer(abut_io_reader *r, json_t *object, const char *key, uint64_t lo, uint64_t hi,
                     uint64_t *out)
{
    json_t *value = abut_io_need(r, object, key);
    if (!value)
        return false;
    abut_io_enter_key(r, key);
    if (!abut_io_as_integer(r, value, lo, hi, out))
        return false;
    abut_io_leave(r);
    return true;
}

bool abut_io_string(abut_io_reader *r, json_t *object, const char *key, const char **out)
{
    json_t *value = abut_io_need(r, object, key);
    if (!value)
        return false;
    abut_io_enter_key(r, key);
    if (!abut_io_as_string(r, value, out))
        return false;
    abut_io_leave(r);
    return true;
}

bool abut_io_vec3(abut_io_reader *r, json_t *object, const char *key, abut_io_rule rule, abut_vec3 *out)
{
    json_t *value = abut_io_need(r, object, key);
    if (!value)
        return false;
    abut_io_enter_key(r, key);
    if (!abut_io_as_vec3(r, value, rule, out))
        return false;
    abut_io_leave(r);
    return true;
}

bool abut_io_points(abut_io_reader *r, json_t *object, const char *key, size_t least, abut_vec3 **out,
                    size_t *count)
{
    json_t *value = abut_io_need(r, object, key);
    if (!value)
        return false;
    abut_io_enter_key(r, key);
    if (!as_points(r, value, least, out, count))
        return false;
    abut_io_leave(r);
    return true;
}

bool abut_io_word(abut_io_reader *r, json_t *object, const char *key, const char *what,
                  const char *const *words, size_t *out)
{
    const char *word;
    if (!abut_io_string(r, object, key, &word))
        return false;
    if (is_among(word, words, out))
        return true;
    abut_io_enter_key(r, key);
    fail_word(r, what, word, words);
    abut_io_leave(r);
    return false;
}
