/* SPDX-License-Identifier: MIT */
/* The header of .ply files, line by line. Lines end as the first one does, so that in a binary
 * file the first data byte is known even when it happens to be a line feed. Source: G. Turk, The
 * PLY Polygon File Format, 1994; the type names int8 ... float64 are those of later writers. */
#include "io/mesh/mesh_number.h"
#include "io/mesh/mesh_ply.h"
#include "io/mesh/mesh_text.h"

static const struct {
    const char *old_name, *name;
    size_t size;
} types[] = {
    [PLY_INT8] = { "char", "int8", 1 },        [PLY_UINT8] = { "uchar", "uint8", 1 },
    [PLY_INT16] = { "short", "int16", 2 },     [PLY_UINT16] = { "ushort", "uint16", 2 },
    [PLY_INT32] = { "int", "int32", 4 },       [PLY_UINT32] = { "uint", "uint32", 4 },
    [PLY_FLOAT32] = { "float", "float32", 4 }, [PLY_FLOAT64] = { "double", "float64", 8 },
};

size_t abut_io_ply_size(ply_type type)
{
    return types[type].size;
}

static abut_status read_type(abut_mesh_reader *r, bool integer, ply_type *type)
{
    abut_io_skip_blanks(r);
    for (int i = PLY_INT8; i <= (integer ? PLY_UINT32 : PLY_FLOAT64); ++i) {
        if (abut_io_take_word(r, types[i].old_name) || abut_io_take_word(r, types[i].name)) {
            *type = (ply_type)i;
            return ABUT_OK;
        }
    }
    return abut_io_mesh_fail(
        r, ABUT_ERR_SYNTAX, -1,
        integer ? "%s is not an integer type (char uchar short ushort int uint, int8 ... uint32)"
                : "%s is not a type (char uchar short ushort int uint float double, int8 ... "
                  "float64)",
        abut_io_word_excerpt(r).text);
}

static bool at_end_of_line(abut_mesh_reader *r)
{
    abut_io_skip_blanks(r);
    return r->at == r->end || abut_io_is_newline(*r->at);
}

static abut_status read_element(abut_mesh_reader *r, ply_header *header)
{
    ply_element element = { .first_property = header->properties.count };
    abut_io_skip_blanks(r);
    if (abut_io_is_word(r, "vertex"))
        element.kind = PLY_VERTEX;
    else if (abut_io_is_word(r, "face"))
        element.kind = PLY_FACE;
    else if (abut_io_is_word(r, "tristrips"))
        return abut_io_mesh_fail(r, ABUT_ERR_VALUE, -1,
                                 "triangle strips (element tristrips) are not read; write them as faces");
    if (element.kind != PLY_OTHER) {
        for (size_t i = 0; i < header->elements.count; ++i) {
            if (header->elements.items[i].kind == element.kind)
                return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1, "element %s is declared twice",
                                         abut_io_word_excerpt(r).text);
        }
    }
    abut_io_skip_word(r);
    abut_io_skip_blanks(r);
    int64_t count;
    const char *after = abut_io_read_integer(r->at, r->end, &count);
    if (!after || !abut_io_at_break(after, r->end) || count < 0)
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1,
                                 "the number of elements is %s; it must be an integer from 0 on",
                                 abut_io_word_excerpt(r).text);
    r->at = after;
    element.count = (uint64_t)count;
    return ABUT_ARRAY_PUSH(r->alloc, &header->elements, element) ? ABUT_OK : abut_io_mesh_fail_memory(r);
}

/* What the property named at `at` is for. */
static ply_role role_of(const abut_mesh_reader *r, ply_kind kind)
{
    if (kind == PLY_VERTEX)
        return abut_io_is_word(r, "x")   ? PLY_X
               : abut_io_is_word(r, "y") ? PLY_Y
               : abut_io_is_word(r, "z") ? PLY_Z
                                         : PLY_SKIPPED;
    if (kind == PLY_FACE && (abut_io_is_word(r, "vertex_indices") || abut_io_is_word(r, "vertex_index")))
        return PLY_CORNERS;
    return PLY_SKIPPED;
}

static abut_status read_property(abut_mesh_reader *r, ply_header *header)
{
    if (header->elements.count == 0)
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1, "a property comes before any element");
    ply_element *element = &header->elements.items[header->elements.count - 1];
    ply_property property = { 0 };
    abut_io_skip_blanks(r);
    const bool list = abut_io_take_word(r, "list");
    abut_status status = list ? read_type(r, true, &property.count_type) : ABUT_OK;
    if (status != ABUT_OK || (status = read_type(r, false, &property.type)) != ABUT_OK)
        return status;
    if (at_end_of_line(r))
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1, "a property has no name");
    property.role = role_of(r, element->kind);
    if (property.role != PLY_SKIPPED) {
        if (list != (property.role == PLY_CORNERS))
            return abut_io_mesh_fail(r, ABUT_ERR_VALUE, -1,
                                     list ? "property %s of a vertex is a list; it must be one number"
                                          : "property %s of a face is one number; it must be a list",
                                     abut_io_word_excerpt(r).text);
        if (list && property.type >= PLY_FLOAT32)
            return abut_io_mesh_fail(r, ABUT_ERR_VALUE, -1, "property list %s is not of an integer type",
                                     abut_io_word_excerpt(r).text);
        for (size_t i = 0; i < element->property_count; ++i) {
            if (header->properties.items[element->first_property + i].role == property.role)
                return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1, "property %s is declared twice",
                                         abut_io_word_excerpt(r).text);
        }
    }
    abut_io_skip_word(r);
    ++element->property_count;
    return ABUT_ARRAY_PUSH(r->alloc, &header->properties, property) ? ABUT_OK : abut_io_mesh_fail_memory(r);
}

static abut_status read_format(abut_mesh_reader *r, ply_header *header)
{
    abut_io_skip_blanks(r);
    header->encoding = abut_io_take_word(r, "ascii")                  ? PLY_ASCII
                       : abut_io_take_word(r, "binary_little_endian") ? PLY_LITTLE
                       : abut_io_take_word(r, "binary_big_endian")    ? PLY_BIG
                                                                      : (ply_encoding)0;
    if (!header->encoding)
        return abut_io_mesh_fail(
            r, ABUT_ERR_SYNTAX, -1,
            "the format is %s; it must be ascii, binary_little_endian or binary_big_endian",
            abut_io_word_excerpt(r).text);
    abut_io_skip_blanks(r);
    if (!abut_io_take_word(r, "1.0"))
        return abut_io_mesh_fail(r, ABUT_ERR_VALUE, -1, "the version is %s; only 1.0 is known",
                                 abut_io_word_excerpt(r).text);
    return ABUT_OK;
}

/* Do the vertices have all coordinates and the faces their corners? */
static abut_status check_header(abut_mesh_reader *r, const ply_header *header)
{
    bool vertices = false;
    for (size_t i = 0; i < header->elements.count; ++i) {
        const ply_element *element = &header->elements.items[i];
        unsigned roles = 0;
        for (size_t p = 0; p < element->property_count; ++p)
            roles |= 1u << header->properties.items[element->first_property + p].role;
        const unsigned xyz = 1u << PLY_X | 1u << PLY_Y | 1u << PLY_Z;
        if (element->kind == PLY_VERTEX && (roles & xyz) != xyz)
            return abut_io_mesh_fail(r, ABUT_ERR_VALUE, -1,
                                     "element vertex lacks a property x, y or z; all three are needed");
        if (element->kind == PLY_FACE && element->count > 0 && !(roles & 1u << PLY_CORNERS))
            return abut_io_mesh_fail(r, ABUT_ERR_VALUE, -1,
                                     "element face lacks a property list vertex_indices (or vertex_index)");
        vertices |= element->kind == PLY_VERTEX;
    }
    if (!vertices)
        return abut_io_mesh_fail(r, ABUT_ERR_VALUE, -1, "there is no element vertex");
    return ABUT_OK;
}

abut_status abut_io_read_ply_header(abut_mesh_reader *r, ply_header *header)
{
    if (!abut_io_take_word(r, "ply") || r->at == r->end || !abut_io_is_newline(*r->at)) {
        r->at = r->begin;
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1,
                                 "the file begins with %s; it must begin with a line 'ply'",
                                 abut_io_word_excerpt(r).text);
    }
    const bool lone_return = *r->at == '\r' && r->at + 1 < r->end && r->at[1] != '\n';
    for (;;) {
        abut_io_skip_newline(r);
        abut_io_skip_blanks(r);
        abut_status status = ABUT_OK;
        if (r->at == r->end)
            return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1,
                                     "the file ends within the header, before 'end_header'");
        if (abut_io_is_newline(*r->at))
            continue;
        if (abut_io_is_word(r, "comment") || abut_io_is_word(r, "obj_info")) {
            abut_io_skip_to_newline(r);
            continue;
        }
        if (abut_io_take_word(r, "end_header"))
            break;
        if (!header->encoding && !abut_io_is_word(r, "format"))
            return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1, "expected 'format', found %s",
                                     abut_io_word_excerpt(r).text);
        if (!header->encoding && abut_io_take_word(r, "format"))
            status = read_format(r, header);
        else if (abut_io_take_word(r, "element"))
            status = read_element(r, header);
        else if (abut_io_take_word(r, "property"))
            status = read_property(r, header);
        else
            status = abut_io_mesh_fail(
                r, ABUT_ERR_SYNTAX, -1,
                "%s is not a line of a header (element, property, comment, obj_info, end_header)",
                abut_io_word_excerpt(r).text);
        if (status == ABUT_OK && !at_end_of_line(r))
            status = abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1, "%s is too much on this line of the header",
                                       abut_io_word_excerpt(r).text);
        if (status != ABUT_OK)
            return status;
    }
    if (!header->encoding)
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1, "the header has no line 'format'");
    if (!at_end_of_line(r))
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1, "%s is too much on the line 'end_header'",
                                 abut_io_word_excerpt(r).text);
    const abut_status status = check_header(r, header);
    if (lone_return && r->at < r->end && *r->at == '\r') {
        ++r->at;
        ++r->line;
    } else {
        abut_io_skip_newline(r);
    }
    return status;
}
