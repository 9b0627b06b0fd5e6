/* SPDX-License-Identifier: MIT */
/* Object file format .off of Geomview: counts, a vertex a line, a face a line.
 *
 * Header words: OFF with any of the prefixes ST (texture), C (colours), N (normals); what they
 * add to a vertex follows its coordinates on the line and is skipped, as are colours without the
 * C, which are common. The counts may follow on the header's line, even without a blank (files
 * of ModelNet). The count of edges may be missing. nOFF is read when its dimension is 3; 4OFF
 * (homogeneous coordinates, which a division would round) and binary files are an error. Source:
 * Geomview manual, section OFF files. */
#include "io/mesh/mesh_number.h"
#include "io/mesh/mesh_text.h"

#include <string.h>

static bool take_text(abut_mesh_reader *r, const char *text)
{
    const size_t length = strlen(text);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

static abut_status read_count(abut_mesh_reader *r, const char *what, int64_t *count)
{
    const char *after = abut_io_read_integer(r->at, r->end, count);
    if (!after || !(abut_io_at_break(after, r->end) || *after == '#') || *count < 0)
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1,
                                 "the number of %s is %s; it must be an integer from 0 on", what,
                                 abut_io_word_excerpt(r).text);
    r->at = after;
    return ABUT_OK;
}

static abut_status read_header(abut_mesh_reader *r, int64_t *vertex_count, int64_t *face_count)
{
    const char *start = r->at;
    take_text(r, "ST");
    take_text(r, "C");
    take_text(r, "N");
    const bool four = take_text(r, "4"), any_dimension = take_text(r, "n");
    if (!take_text(r, "OFF") ||
        !(abut_io_at_break(r->at, r->end) || (*r->at >= '0' && *r->at <= '9') || *r->at == '#')) {
        r->at = start;
        return abut_io_mesh_fail(
            r, ABUT_ERR_SYNTAX, -1,
            "the file begins with %s; it must begin with OFF (or COFF, NOFF, CNOFF, STOFF, ...)",
            abut_io_word_excerpt(r).text);
    }
    abut_io_skip_blanks(r);
    if (abut_io_is_word(r, "BINARY"))
        return abut_io_mesh_fail(r, ABUT_ERR_VALUE, -1, "binary .off files are not read; write it as text");
    if (four)
        return abut_io_mesh_fail(r, ABUT_ERR_VALUE, -1,
                                 "4OFF (homogeneous coordinates) is not read; vertices have 3 coordinates");
    abut_status status = ABUT_OK;
    if (any_dimension) {
        int64_t dimension;
        abut_io_skip_space(r, '#');
        if ((status = read_count(r, "dimensions", &dimension)) != ABUT_OK)
            return status;
        if (dimension != 3)
            return abut_io_mesh_fail(r, ABUT_ERR_VALUE, -1,
                                     "nOFF of dimension %lld is not read; it must be 3",
                                     (long long)dimension);
    }
    abut_io_skip_space(r, '#');
    if ((status = read_count(r, "vertices", vertex_count)) != ABUT_OK)
        return status;
    abut_io_skip_space(r, '#');
    if ((status = read_count(r, "faces", face_count)) != ABUT_OK)
        return status;
    int64_t edge_count;
    abut_io_skip_blanks(r);
    if (r->at < r->end && !abut_io_is_newline(*r->at) && *r->at != '#')
        status = read_count(r, "edges", &edge_count);
    return status;
}

/* Numbers to the end of the line, a comment perhaps, and no more. */
static abut_status skip_numbers(abut_mesh_reader *r, const char *what, size_t index)
{
    for (;;) {
        abut_io_skip_blanks(r);
        if (r->at == r->end || abut_io_is_newline(*r->at) || *r->at == '#')
            return ABUT_OK;
        double unused;
        const char *after = abut_io_read_double(r->at, r->end, &unused);
        if (!after || !(abut_io_at_break(after, r->end) || *after == '#'))
            return abut_io_mesh_fail(
                r, ABUT_ERR_SYNTAX, (int64_t)index,
                "%s after %s %zu is not a number; only colours, normals and texture coordinates "
                "may follow on its line",
                abut_io_word_excerpt(r).text, what, index);
        r->at = after;
    }
}

static abut_status read_vertex(abut_mesh_reader *r)
{
    double xyz[3] = { 0 };
    abut_io_skip_space(r, '#');
    for (int axis = 0; axis < 3; ++axis) {
        abut_io_skip_blanks(r);
        const abut_status status = abut_io_read_coordinate(r, axis, &xyz[axis]);
        if (status != ABUT_OK)
            return status;
    }
    const abut_status status = skip_numbers(r, "vertex", r->vertices.count);
    r->vertices.items[r->vertices.count++] = (abut_vec3){ xyz[0], xyz[1], xyz[2] };
    return status;
}

static abut_status read_face(abut_mesh_reader *r)
{
    const int64_t face = (int64_t)r->face_sizes.count;
    int64_t size;
    abut_io_skip_space(r, '#');
    const char *after = abut_io_read_integer(r->at, r->end, &size);
    if (!after || !abut_io_at_break(after, r->end))
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, face,
                                 "the number of corners of face %lld is %s; it must be an integer",
                                 (long long)face, abut_io_word_excerpt(r).text);
    if (size < 3)
        return abut_io_mesh_fail(r, ABUT_ERR_VALUE, face, "face %lld has %lld corners; at least 3 are needed",
                                 (long long)face, (long long)size);
    r->at = after;
    if (size > (r->end - r->at) / 2)
        return abut_io_mesh_fail(r, ABUT_ERR_VALUE, face,
                                 "face %lld claims %lld corners, more than the file holds", (long long)face,
                                 (long long)size);
    for (int64_t corner = 0; corner < size; ++corner) {
        int64_t index;
        abut_io_skip_blanks(r);
        after = abut_io_read_integer(r->at, r->end, &index);
        if (!after || !(abut_io_at_break(after, r->end) || *after == '#'))
            return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, face,
                                     "corner %lld of face %lld is %s; it must be an index from 0 to %lld",
                                     (long long)corner, (long long)face, abut_io_word_excerpt(r).text,
                                     (long long)r->vertices.count - 1);
        if (index < 0 || index >= (int64_t)r->vertices.count)
            return abut_io_mesh_fail(
                r, ABUT_ERR_VALUE, face,
                "face %lld names vertex %lld (counted from 0), but there are only %zu vertices",
                (long long)face, (long long)index, r->vertices.count);
        r->at = after;
        if (!abut_io_mesh_corner(r, (uint32_t)index))
            return abut_io_mesh_fail_memory(r);
    }
    r->face_sizes.items[r->face_sizes.count++] = (uint32_t)size;
    return skip_numbers(r, "face", (size_t)face);
}

abut_status abut_io_read_off(abut_mesh_reader *r)
{
    /* The shortest lines: "0 0 0" and "3 0 0 0", each with an end of line but the last. */
    enum { VERTEX_BYTES = 6, FACE_BYTES = 8 };
    int64_t vertex_count, face_count;
    abut_io_skip_mark(r);
    abut_io_skip_space(r, '#');
    abut_status status = read_header(r, &vertex_count, &face_count);
    if (status != ABUT_OK)
        return status;
    if (vertex_count > (r->end - r->at) / VERTEX_BYTES)
        return abut_io_mesh_fail(
            r, ABUT_ERR_VALUE, -1,
            "the header claims %lld vertices, more than the %lld bytes after it can hold",
            (long long)vertex_count, (long long)(r->end - r->at));
    if (!ABUT_ARRAY_RESERVE(r->alloc, &r->vertices, (size_t)vertex_count))
        return abut_io_mesh_fail_memory(r);
    for (int64_t i = 0; i < vertex_count && status == ABUT_OK; ++i)
        status = read_vertex(r);
    if (status != ABUT_OK)
        return status;
    if (face_count > (r->end - r->at) / FACE_BYTES)
        return abut_io_mesh_fail(
            r, ABUT_ERR_VALUE, -1,
            "the header claims %lld faces, more than the %lld bytes after the vertices can hold",
            (long long)face_count, (long long)(r->end - r->at));
    if (!ABUT_ARRAY_RESERVE(r->alloc, &r->face_sizes, (size_t)face_count) ||
        !ABUT_ARRAY_RESERVE(r->alloc, &r->indices, 3 * (size_t)face_count))
        return abut_io_mesh_fail_memory(r);
    for (int64_t i = 0; i < face_count && status == ABUT_OK; ++i)
        status = read_face(r);
    if (status != ABUT_OK)
        return status;
    abut_io_skip_space(r, '#');
    if (r->at < r->end)
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1, "%s follows the last of %lld faces; nothing may",
                                 abut_io_word_excerpt(r).text, (long long)face_count);
    return ABUT_OK;
}
