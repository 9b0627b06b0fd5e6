/* SPDX-License-Identifier: MIT */
/* Jansson keeps no positions, so when a scene turns out wrong this walks the text again, along
 * the path of the error. Runs once for each failure, in time proportional to the text. All
 * functions stay inside the text, whatever it holds. */
#include "io/json_locate.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct cursor {
    const char *text;
    size_t at, length;
} cursor;

static char current(const cursor *c)
{
    return c->at < c->length ? c->text[c->at] : 0;
}

static void skip_space(cursor *c)
{
    while (c->at < c->length && strchr(" \t\r\n", c->text[c->at]) && c->text[c->at])
        ++c->at;
}

/* Over a string, from its opening quote to behind the closing one. */
static void skip_string(cursor *c)
{
    for (++c->at; c->at < c->length && c->text[c->at] != '"'; ++c->at)
        if (c->text[c->at] == '\\')
            ++c->at;
    c->at = c->at < c->length ? c->at + 1 : c->length;
}

/* Over a value: brackets are counted, so nesting costs no stack. */
static void skip_value(cursor *c)
{
    size_t depth = 0;
    while (c->at < c->length) {
        const char ch = c->text[c->at];
        if (ch == '"') {
            skip_string(c);
            continue;
        }
        if (ch == '{' || ch == '[')
            ++depth;
        else if (depth == 0 && (ch == ',' || ch == '}' || ch == ']'))
            return;
        else if (ch == '}' || ch == ']')
            --depth;
        ++c->at;
    }
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : 0;
}

static uint32_t hex4(const char *c)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i)
        value = 16 * value + (uint32_t)hex_digit(c[i]);
    return value;
}

static size_t put_utf8(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 63));
        out[2] = (char)(0x80 | (code & 63));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 63));
    out[2] = (char)(0x80 | (code >> 6 & 63));
    out[3] = (char)(0x80 | (code & 63));
    return 4;
}

/* The next character of a string, escapes undone: its UTF-8 bytes, and how much of the text it
 * took. */
static size_t decode(const char *raw, size_t left, char out[4], size_t *taken)
{
    *taken = 1;
    if (raw[0] != '\\' || left < 2) {
        out[0] = raw[0];
        return 1;
    }
    *taken = 2;
    if (raw[1] == 'u' && left >= 6) {
        uint32_t code = hex4(raw + 2);
        *taken = 6;
        if (code >= 0xd800 && code < 0xdc00 && left >= 12 && raw[6] == '\\' && raw[7] == 'u') {
            code = 0x10000 + ((code - 0xd800) << 10) + ((hex4(raw + 8) - 0xdc00) & 0x3ff);
            *taken = 12;
        }
        return put_utf8(code, out);
    }
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *known = strchr(from, raw[1]);
    out[0] = known && *known ? to[known - from] : raw[1];
    return 1;
}

/* Is the string between the quotes, escapes undone, that key? */
static bool same_key(const char *raw, size_t raw_length, const abut_io_step *step)
{
    size_t matched = 0, taken;
    for (size_t i = 0; i < raw_length; i += taken) {
        char bytes[4];
        const size_t n = decode(raw + i, raw_length - i, bytes, &taken);
        if (n > step->length - matched || memcmp(step->key + matched, bytes, n) != 0)
            return false;
        matched += n;
    }
    return matched == step->length;
}

/* From the opening brace to the value of that key; *found is set to where the key stands. */
static bool enter_key(cursor *c, const abut_io_step *step, size_t *found)
{
    if (current(c) != '{')
        return false;
    do {
        ++c->at;
        skip_space(c);
        if (current(c) != '"')
            return false;
        const size_t key = c->at;
        skip_string(c);
        const size_t key_end = c->at;
        skip_space(c);
        if (current(c) != ':')
            return false;
        ++c->at;
        skip_space(c);
        if (same_key(c->text + key + 1, key_end - key - 2, step)) {
            *found = key;
            return true;
        }
        skip_value(c);
    } while (current(c) == ',');
    return false;
}

static bool enter_index(cursor *c, size_t index, size_t *found)
{
    if (current(c) != '[')
        return false;
    for (size_t i = 0;; ++i) {
        ++c->at;
        skip_space(c);
        if (current(c) == ']')
            return false;
        if (i == index) {
            *found = c->at;
            return true;
        }
        skip_value(c);
        if (current(c) != ',')
            return false;
    }
}

int32_t abut_io_json_line(const char *text, size_t length, const abut_io_step *steps, size_t count)
{
    cursor c = { text, 0, length };
    skip_space(&c);
    size_t found = c.at;
    for (size_t i = 0; i < count; ++i)
        if (!(steps[i].key ? enter_key(&c, &steps[i], &found) : enter_index(&c, steps[i].index, &found)))
            break;
    int32_t line = 1;
    for (size_t i = 0; i < found && i < length; ++i)
        line += text[i] == '\n';
    return line;
}

size_t abut_io_json_path_at(const char *text, size_t length, size_t position, abut_io_step *steps)
{
    /* Of each open bracket: what was met last in it. An object starts without a key, as an index
     * out of range. */
    const abut_io_step no_key = { NULL, 0, SIZE_MAX };
    bool is_object[ABUT_IO_MAX_STEPS] = { false }, wants_key[ABUT_IO_MAX_STEPS] = { false };
    size_t depth = 0, ignored = 0;
    cursor c = { text, 0, position < length ? position : length };
    while (c.at < c.length) {
        const char ch = c.text[c.at];
        const size_t from = c.at;
        if (ch == '"')
            skip_string(&c);
        else
            ++c.at;
        if (ch == '{' || ch == '[') {
            if (depth == ABUT_IO_MAX_STEPS) {
                ++ignored;
                continue;
            }
            is_object[depth] = wants_key[depth] = ch == '{';
            steps[depth] = no_key;
            if (ch == '[')
                steps[depth].index = 0;
            ++depth;
        } else if (ignored) {
            ignored -= ch == '}' || ch == ']';
        } else if (depth == 0) {
            continue;
        } else if (ch == '}' || ch == ']') {
            --depth;
        } else if (ch == ',') {
            wants_key[depth - 1] = is_object[depth - 1];
            if (is_object[depth - 1])
                steps[depth - 1] = no_key;
            else
                ++steps[depth - 1].index;
        } else if (ch == '"' && wants_key[depth - 1]) {
            const size_t end = c.at > from + 1 && c.text[c.at - 1] == '"' ? c.at - 1 : c.at;
            steps[depth - 1] = (abut_io_step){ text + from + 1, end - from - 1, 0 };
            wants_key[depth - 1] = false;
        }
    }
    size_t count = 0;
    for (size_t i = 0; i < depth; ++i) /* an object without a key ends the path */
        if (steps[i].key || !is_object[i])
            steps[count++] = steps[i];
    return count;
}

static bool is_plain(const abut_io_step *step)
{
    for (size_t i = 0; i < step->length; ++i) {
        const char c = step->key[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
              c == '-'))
            return false;
    }
    return step->length > 0;
}

void abut_io_json_print_path(const abut_io_step *steps, size_t count, char *out, size_t size)
{
    enum { LONGEST_KEY = 60 };
    char whole[ABUT_IO_MAX_STEPS * (LONGEST_KEY + 24) + 1];
    size_t n = 0;
    whole[0] = 0;
    for (size_t i = 0; i < count && i < ABUT_IO_MAX_STEPS; ++i) {
        const int shown = (int)(steps[i].length < LONGEST_KEY ? steps[i].length : LONGEST_KEY);
        char *const end = whole + n;
        const size_t room = sizeof whole - n;
        int written;
        if (!steps[i].key)
            written = snprintf(end, room, "[%zu]", steps[i].index);
        else if (is_plain(&steps[i]))
            written = snprintf(end, room, n ? ".%.*s" : "%.*s", shown, steps[i].key);
        else
            written = snprintf(end, room, "[\"%.*s\"]", shown, steps[i].key);
        n += written > 0 ? (size_t)written : 0;
    }
    if (n < size) {
        memcpy(out, whole, n + 1);
        return;
    }
    size_t start = n - (size - 1 - 3);
    while (start < n && (whole[start] & 0xc0) == 0x80) /* not into the middle of a UTF-8 character */
        ++start;
    snprintf(out, size, "...%s", whole + start);
}
