/* SPDX-License-Identifier: MIT */
/* Stanford .ply, text and binary in either byte order.
 *
 * The properties x, y, z of the element vertex and the list vertex_indices (or vertex_index) of
 * the element face are read; all other elements and properties are stepped over. Binary floats
 * are widened and doubles kept, both exactly; in text, the decimal is read as a double whatever
 * type the header gives it. In text, numbers are separated by any white space: a line need not
 * be an element. Anything but white space or zero bytes after the last element is an error. */
#include "io/mesh/mesh_ply.h"

#include "io/mesh/mesh_number.h"
#include "io/mesh/mesh_text.h"

#include <math.h>
#include <string.h>

/* ---- text ---- */

/* An integer in text: the length of a list, or an index. */
static abut_status read_text_integer(abut_mesh_reader *r, const char *what, int64_t face, int64_t *value)
{
    abut_io_skip_space(r, '\0');
    const char *after = abut_io_read_integer(r->at, r->end, value);
    if (!after || !abut_io_at_break(after, r->end))
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, face, "%s %lld is %s; it must be an integer", what,
                                 (long long)face, abut_io_word_excerpt(r).text);
    r->at = after;
    return ABUT_OK;
}

static abut_status bad_size(abut_mesh_reader *r, int64_t size)
{
    const int64_t face = (int64_t)r->face_sizes.count;
    return abut_io_mesh_fail(r, ABUT_ERR_VALUE, face, "face %lld has %lld corners; at least 3 are needed",
                             (long long)face, (long long)size);
}

static abut_status bad_index(abut_mesh_reader *r, int64_t index)
{
    const int64_t face = (int64_t)r->face_sizes.count;
    return abut_io_mesh_fail(r, ABUT_ERR_VALUE, face, "face %lld names vertex %lld; indices count from 0",
                             (long long)face, (long long)index);
}

static abut_status list_too_long(abut_mesh_reader *r, uint64_t element, int64_t size)
{
    return abut_io_mesh_fail(
        r, ABUT_ERR_VALUE, (int64_t)element,
        "a list of element %llu claims %lld items, but only %lld bytes are left (at byte %lld)",
        (unsigned long long)element, (long long)size, (long long)(r->end - r->at),
        (long long)(r->at - r->begin));
}

static abut_status read_text_list(abut_mesh_reader *r, const ply_property *property, uint64_t element)
{
    int64_t size, index;
    abut_status status = read_text_integer(r, "the length of a list of element", (int64_t)element, &size);
    if (status != ABUT_OK)
        return status;
    if (property->role == PLY_CORNERS && size < 3)
        return bad_size(r, size);
    if (size < 0 || size > (r->end - r->at + 1) / 2)
        return list_too_long(r, element, size);
    for (int64_t i = 0; i < size; ++i) {
        if (property->role != PLY_CORNERS) {
            abut_io_skip_space(r, '\0');
            if (r->at == r->end)
                return list_too_long(r, element, size);
            abut_io_skip_word(r);
            continue;
        }
        if ((status = read_text_integer(r, "a corner of face", (int64_t)element, &index)) != ABUT_OK)
            return status;
        if (index < 0 || index >= UINT32_MAX)
            return bad_index(r, index);
        if (!abut_io_mesh_corner(r, (uint32_t)index))
            return abut_io_mesh_fail_memory(r);
    }
    if (property->role == PLY_CORNERS && !abut_io_mesh_face(r, (uint32_t)size))
        return abut_io_mesh_fail_memory(r);
    return ABUT_OK;
}

static abut_status read_text_value(abut_mesh_reader *r, const ply_property *property, uint64_t element,
                                   double xyz[3])
{
    if (property->count_type)
        return read_text_list(r, property, element);
    abut_io_skip_space(r, '\0');
    if (property->role != PLY_SKIPPED)
        return abut_io_read_coordinate(r, (int)property->role - PLY_X, &xyz[property->role - PLY_X]);
    if (r->at == r->end)
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, (int64_t)element, "the file ends within element %llu",
                                 (unsigned long long)element);
    abut_io_skip_word(r);
    return ABUT_OK;
}

/* ---- binary ---- */

static inline uint64_t load(const char *at, size_t size, bool big)
{
    const unsigned char *b = (const unsigned char *)at;
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i)
        bits |= (uint64_t)b[i] << 8 * (big ? size - 1 - i : i);
    return bits;
}

static inline int64_t load_integer(const char *at, ply_type type, bool big)
{
    switch (type) {
    case PLY_INT8: return (int8_t)load(at, 1, big);
    case PLY_UINT8: return (uint8_t)load(at, 1, big);
    case PLY_INT16: return (int16_t)load(at, 2, big);
    case PLY_UINT16: return (uint16_t)load(at, 2, big);
    case PLY_INT32: return (int32_t)load(at, 4, big);
    default: return (uint32_t)load(at, 4, big);
    }
}

static inline double load_number(const char *at, ply_type type, bool big)
{
    if (type == PLY_FLOAT64) {
        const uint64_t bits = load(at, 8, big);
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (type == PLY_FLOAT32) {
        const uint32_t bits = (uint32_t)load(at, 4, big);
        float value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    return (double)load_integer(at, type, big);
}

static abut_status ends_early(abut_mesh_reader *r, uint64_t element)
{
    return abut_io_mesh_fail(r, ABUT_ERR_VALUE, (int64_t)element,
                             "the file ends within element %llu (at byte %lld)", (unsigned long long)element,
                             (long long)(r->end - r->begin));
}

static abut_status read_binary_corners(abut_mesh_reader *r, const ply_property *property, int64_t size,
                                       bool big)
{
    if (size < 3)
        return bad_size(r, size);
    const size_t step = abut_io_ply_size(property->type);
    for (int64_t i = 0; i < size; ++i, r->at += step) {
        const int64_t index = load_integer(r->at, property->type, big);
        if (index < 0 || index >= UINT32_MAX)
            return bad_index(r, index);
        if (!abut_io_mesh_corner(r, (uint32_t)index))
            return abut_io_mesh_fail_memory(r);
    }
    return abut_io_mesh_face(r, (uint32_t)size) ? ABUT_OK : abut_io_mesh_fail_memory(r);
}

static abut_status read_binary_value(abut_mesh_reader *r, const ply_property *property, uint64_t element,
                                     bool big, double xyz[3])
{
    const size_t size = abut_io_ply_size(property->count_type ? property->count_type : property->type);
    if ((size_t)(r->end - r->at) < size)
        return ends_early(r, element);
    const char *at = r->at;
    r->at += size;
    if (property->count_type) {
        const int64_t items = load_integer(at, property->count_type, big);
        const size_t step = abut_io_ply_size(property->type);
        if (items < 0 || (uint64_t)items > (uint64_t)(r->end - r->at) / step)
            return list_too_long(r, element, items);
        if (property->role == PLY_CORNERS)
            return read_binary_corners(r, property, items, big);
        r->at += step * (size_t)items;
    } else if (property->role != PLY_SKIPPED) {
        const int axis = (int)property->role - PLY_X;
        xyz[axis] = load_number(at, property->type, big);
        if (!isfinite(xyz[axis]))
            return abut_io_mesh_fail(r, ABUT_ERR_VALUE, (int64_t)element,
                                     "%c of vertex %llu (at byte %lld) is %f; it must be finite", "xyz"[axis],
                                     (unsigned long long)element, (long long)(at - r->begin), xyz[axis]);
    }
    return ABUT_OK;
}

/* ---- both ---- */

/* The fewest bytes that `count` such elements take; 0 where they take none. */
static uint64_t least_bytes(const ply_header *header, const ply_element *element)
{
    uint64_t bytes = 0;
    for (size_t p = 0; p < element->property_count; ++p) {
        const ply_property *property = &header->properties.items[element->first_property + p];
        const ply_type first = property->count_type ? property->count_type : property->type;
        bytes += header->encoding == PLY_ASCII ? 2 : abut_io_ply_size(first);
        if (property->role == PLY_CORNERS)
            bytes += header->encoding == PLY_ASCII ? 6 : 3 * abut_io_ply_size(property->type);
    }
    return bytes;
}

static abut_status read_elements(abut_mesh_reader *r, const ply_header *header, const ply_element *element)
{
    const uint64_t least = least_bytes(header, element);
    /* In text the last number may end with the file: one byte less. */
    const uint64_t left = (uint64_t)(r->end - r->at) + (header->encoding == PLY_ASCII);
    if (least == 0)
        return ABUT_OK; /* however many: they have no properties */
    if (element->count > left / least)
        return abut_io_mesh_fail(
            r, ABUT_ERR_VALUE, -1,
            "the header claims %llu elements (%s), more than the %lld bytes left can hold",
            (unsigned long long)element->count,
            element->kind == PLY_VERTEX ? "vertex"
            : element->kind == PLY_FACE ? "face"
                                        : "other",
            (long long)(r->end - r->at));
    const size_t count = (size_t)element->count;
    if (element->kind == PLY_VERTEX && !ABUT_ARRAY_RESERVE(r->alloc, &r->vertices, count))
        return abut_io_mesh_fail_memory(r);
    if (element->kind == PLY_FACE && !(ABUT_ARRAY_RESERVE(r->alloc, &r->face_sizes, count) &&
                                       ABUT_ARRAY_RESERVE(r->alloc, &r->indices, 3 * count)))
        return abut_io_mesh_fail_memory(r);
    const ply_property *properties = header->properties.items + element->first_property;
    for (uint64_t i = 0; i < element->count; ++i) {
        double xyz[3] = { 0 };
        for (size_t p = 0; p < element->property_count; ++p) {
            const abut_status status =
                header->encoding == PLY_ASCII
                    ? read_text_value(r, &properties[p], i, xyz)
                    : read_binary_value(r, &properties[p], i, header->encoding == PLY_BIG, xyz);
            if (status != ABUT_OK)
                return status;
        }
        if (element->kind == PLY_VERTEX)
            r->vertices.items[r->vertices.count++] = (abut_vec3){ xyz[0], xyz[1], xyz[2] };
    }
    return ABUT_OK;
}

static abut_status check_end(abut_mesh_reader *r)
{
    const bool text = r->line > 0;
    do
        abut_io_skip_space(r, '\0');
    while (r->at < r->end && *r->at == '\0' && ++r->at);
    if (!text)
        r->line = 0;
    if (r->at == r->end)
        return ABUT_OK;
    return abut_io_mesh_fail(
        r, ABUT_ERR_SYNTAX, -1,
        "%lld bytes follow the last element (from byte %lld); the header does not claim them",
        (long long)(r->end - r->at), (long long)(r->at - r->begin));
}

abut_status abut_io_read_ply(abut_mesh_reader *r)
{
    ply_header header = { 0 };
    abut_status status = abut_io_read_ply_header(r, &header);
    if (header.encoding != PLY_ASCII && status == ABUT_OK)
        r->line = 0;
    for (size_t i = 0; i < header.elements.count && status == ABUT_OK; ++i)
        status = read_elements(r, &header, &header.elements.items[i]);
    if (status == ABUT_OK)
        status = check_end(r);
    ABUT_ARRAY_FREE(r->alloc, &header.elements);
    ABUT_ARRAY_FREE(r->alloc, &header.properties);
    return status;
}
