/* SPDX-License-Identifier: MIT */
#include "io/mesh/mesh_text.h"

#include "io/mesh/mesh_number.h"

#include <math.h>
#include <string.h>

abut_io_excerpt abut_io_word_excerpt(const abut_mesh_reader *r)
{
    enum { LONGEST = 24 };
    abut_io_excerpt excerpt = { "" };
    if (r->at == r->end) {
        strcpy(excerpt.text, "the end of the file");
        return excerpt;
    }
    if (abut_io_is_newline(*r->at)) {
        strcpy(excerpt.text, "the end of the line");
        return excerpt;
    }
    const char *p = r->at;
    size_t length = 0;
    excerpt.text[length++] = '\'';
    for (; !abut_io_at_break(p, r->end) && length <= LONGEST; ++p)
        excerpt.text[length++] = *p >= ' ' && *p <= '~' ? *p : '?';
    const char *tail = abut_io_at_break(p, r->end) ? "'" : "...'";
    strcpy(excerpt.text + length, tail);
    return excerpt;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

bool abut_io_is_word(const abut_mesh_reader *r, const char *word)
{
    const char *p = r->at;
    for (; *word; ++word, ++p) {
        if (p == r->end || lower(*p) != lower(*word))
            return false;
    }
    return abut_io_at_break(p, r->end);
}

bool abut_io_take_word(abut_mesh_reader *r, const char *word)
{
    if (!abut_io_is_word(r, word))
        return false;
    r->at += strlen(word);
    return true;
}

void abut_io_skip_word(abut_mesh_reader *r)
{
    while (!abut_io_at_break(r->at, r->end))
        ++r->at;
}

abut_status abut_io_read_coordinate(abut_mesh_reader *r, int axis, double *value)
{
    const char *after = abut_io_read_double(r->at, r->end, value);
    if (!after || !abut_io_at_break(after, r->end) || !isfinite(*value)) {
        const int64_t vertex = (int64_t)r->vertices.count;
        const bool missing = r->at == r->end || abut_io_is_newline(*r->at);
        const abut_status status = missing || !after || isfinite(*value) ? ABUT_ERR_SYNTAX : ABUT_ERR_VALUE;
        return abut_io_mesh_fail(r, status, vertex,
                                 "%c of vertex %lld is %s; it must be a finite decimal number", "xyz"[axis],
                                 (long long)vertex, abut_io_word_excerpt(r).text);
    }
    r->at = after;
    return ABUT_OK;
}
