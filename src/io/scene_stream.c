/* SPDX-License-Identifier: MIT */
/* The objects of a scene one by one; see the header. The scan knows strings and brackets and no more:
 * what is wrong in between shows when the pieces are parsed, and then the whole is parsed for a
 * message that says where. */
#include "io/scene_stream.h"

#include "io/scene_file.h"

#include <string.h>

enum { SMALL = 1 << 16 };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static size_t skip_space(const char *text, size_t at, size_t length)
{
    while (at < length && is_space(text[at]))
        ++at;
    return at;
}

/* Behind the string that begins at `at`; length where it has no end. */
static size_t skip_string(const char *text, size_t at, size_t length)
{
    for (++at; at < length; ++at)
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    return length;
}

/* Behind the value that begins at `at`. */
static size_t skip_value(const char *text, size_t at, size_t length)
{
    size_t depth = 0;
    while (at < length) {
        const char c = text[at];
        if (c == '"') {
            at = skip_string(text, at, length);
        } else if (c == '[' || c == '{') {
            ++depth;
            ++at;
        } else if (c == ']' || c == '}') {
            if (depth == 0)
                return at;
            --depth;
            ++at;
        } else if (depth == 0 && (c == ',' || is_space(c))) {
            return at;
        } else {
            ++at;
            continue; /* in a number or word */
        }
        if (depth == 0)
            return at;
    }
    return at;
}

/* The value of the key "objects" of the whole, if there is exactly one. */
static bool find_list(const char *text, size_t length, size_t *begin)
{
    size_t at = skip_space(text, 0, length);
    bool found = false;
    if (at >= length || text[at] != '{')
        return false;
    for (++at;;) {
        at = skip_space(text, at, length);
        if (at >= length || text[at] != '"')
            return false;
        const size_t key = at;
        at = skip_string(text, at, length);
        const bool is_it = at - key == 9 && memcmp(text + key, "\"objects\"", 9) == 0;
        at = skip_space(text, at, length);
        if (at >= length || text[at] != ':')
            return false;
        at = skip_space(text, at + 1, length);
        if (is_it && found)
            return false;
        if (is_it) {
            *begin = at;
            found = true;
        }
        at = skip_space(text, skip_value(text, at, length), length);
        if (at < length && text[at] == '}')
            return found && skip_space(text, at + 1, length) == length;
        if (at >= length || text[at] != ',')
            return false;
        ++at;
    }
}

static bool find_pieces(abut_io_stream *s, const char *text, size_t length, size_t begin)
{
    if (begin >= length || text[begin] != '[')
        return false;
    size_t at = begin + 1;
    for (;;) {
        at = skip_space(text, at, length);
        if (at >= length || text[at] != '{')
            return false;
        const size_t end = skip_value(text, at, length);
        const abut_io_piece piece = { (uint32_t)at, (uint32_t)end };
        if (!abut_base_grow(&s->alloc, (void **)&s->pieces, &s->capacity, s->count, 1, sizeof piece))
            return false;
        s->pieces[s->count++] = piece;
        at = skip_space(text, end, length);
        if (at < length && text[at] == ']')
            break;
        if (at >= length || text[at] != ',')
            return false;
        ++at;
    }
    s->list = (abut_io_piece){ (uint32_t)begin, (uint32_t)(at + 1) };
    return true;
}

bool abut_io_stream_open(abut_io_stream *stream, const char *text, size_t length, const abut_allocator *alloc)
{
    size_t begin = 0;
    *stream = (abut_io_stream){ .alloc = *alloc };
    if (length < SMALL || length >= UINT32_MAX)
        return false;
    if (find_list(text, length, &begin) && find_pieces(stream, text, length, begin))
        return true;
    abut_io_stream_close(stream);
    return false;
}

void abut_io_stream_close(abut_io_stream *stream)
{
    abut_base_shrink(&stream->alloc, stream->pieces, stream->capacity, sizeof *stream->pieces);
    stream->pieces = NULL;
    stream->count = stream->capacity = 0;
}

json_t *abut_io_stream_rest(const abut_io_stream *stream, const char *text, size_t length)
{
    const size_t before = stream->list.begin + 1, after = length - (stream->list.end - 1);
    char *rest = abut_base_alloc(&stream->alloc, before + after, 1);
    if (!rest)
        return NULL;
    memcpy(rest, text, before);
    memcpy(rest + before, text + length - after, after);
    json_t *root = json_loadb(rest, before + after, ABUT_IO_JSON_FLAGS, NULL);
    abut_base_free(&stream->alloc, rest, before + after, 1);
    return root;
}

json_t *abut_io_stream_get(const abut_io_stream *stream, const char *text, size_t index)
{
    const abut_io_piece piece = stream->pieces[index];
    return json_loadb(text + piece.begin, piece.end - piece.begin, ABUT_IO_JSON_FLAGS, NULL);
}
