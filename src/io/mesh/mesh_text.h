/* SPDX-License-Identifier: MIT */
/* Reading text from an abut_mesh_reader: blanks, lines, words, numbers. Lines end with LF, CR LF
 * or CR. */
#ifndef ABUT_IO_MESH_MESH_TEXT_H
#define ABUT_IO_MESH_MESH_TEXT_H

#include "io/mesh/mesh.h"

static inline bool abut_io_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static inline bool abut_io_is_newline(char c)
{
    return c == '\n' || c == '\r';
}

/* At the end of the text, of a line, or between words. */
static inline bool abut_io_at_break(const char *at, const char *end)
{
    return at == end || abut_io_is_blank(*at) || abut_io_is_newline(*at);
}

static inline void abut_io_skip_blanks(abut_mesh_reader *r)
{
    while (r->at < r->end && abut_io_is_blank(*r->at))
        ++r->at;
}

/* Past the end of a line, when `at` is there. */
static inline void abut_io_skip_newline(abut_mesh_reader *r)
{
    if (r->at == r->end)
        return;
    if (*r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n')
        ++r->at;
    ++r->at;
    ++r->line;
}

/* To the end of the line, not past it. */
static inline void abut_io_skip_to_newline(abut_mesh_reader *r)
{
    while (r->at < r->end && !abut_io_is_newline(*r->at))
        ++r->at;
}

/* Past blanks and ends of lines, and past comments from `comment` to the end of a line ('\0':
 * there are none). */
static inline void abut_io_skip_space(abut_mesh_reader *r, char comment)
{
    for (;;) {
        abut_io_skip_blanks(r);
        if (r->at < r->end && comment && *r->at == comment)
            abut_io_skip_to_newline(r);
        if (r->at == r->end || !abut_io_is_newline(*r->at))
            return;
        abut_io_skip_newline(r);
    }
}

/* The word at `at` as printable text for a message: 'abc', 'abc...' when long, or "the end of
 * the file". */
typedef struct abut_io_excerpt {
    char text[40];
} abut_io_excerpt;

abut_io_excerpt abut_io_word_excerpt(const abut_mesh_reader *r);

/* Does the word at `at` equal `word` (in either case)? */
bool abut_io_is_word(const abut_mesh_reader *r, const char *word);
/* The same, and steps past it when it does. */
bool abut_io_take_word(abut_mesh_reader *r, const char *word);
void abut_io_skip_word(abut_mesh_reader *r);

/* A coordinate of a vertex (axis 0, 1, 2) at `at`: a finite number that a blank or the end of a
 * line follows. */
abut_status abut_io_read_coordinate(abut_mesh_reader *r, int axis, double *value);

/* A byte order mark of UTF-8 at the start means nothing. */
static inline void abut_io_skip_mark(abut_mesh_reader *r)
{
    if (r->end - r->at >= 3 && (unsigned char)r->at[0] == 0xef && (unsigned char)r->at[1] == 0xbb &&
        (unsigned char)r->at[2] == 0xbf)
        r->at += 3;
}

#endif
