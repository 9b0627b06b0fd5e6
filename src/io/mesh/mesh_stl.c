/* SPDX-License-Identifier: MIT */
/* Stereolithography .stl, text and binary: triangles, three vertices each, as in the file (nothing
 * is welded here).
 *
 * Binary: 80 bytes of anything, a count, then 50 bytes a facet: normal, three corners (twelve
 * floats, little-endian) and a 16-bit attribute. Normals and attributes are ignored: a proof
 * rests on the corners alone, and normals are often zero. Surprise: binary files may begin with
 * "solid" too, so the size decides: a file of exactly 84 + 50 count bytes is binary. One that
 * begins with "solid" and has another size is text when its second statement is that of a text
 * file. Source: 3D Systems, StereoLithography Interface Specification, 1989. */
#include "io/mesh/mesh_text.h"

#include <math.h>
#include <string.h>

enum { HEADER_BYTES = 84, FACET_BYTES = 50 };

static uint32_t load32(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static abut_status read_binary(abut_mesh_reader *r)
{
    const uint64_t length = (uint64_t)(r->end - r->begin);
    r->line = 0;
    if (length < HEADER_BYTES)
        return abut_io_mesh_fail(
            r, ABUT_ERR_SYNTAX, -1,
            "neither a text file (it does not begin with 'solid') nor a binary one: %llu bytes, "
            "fewer than the 84 of the header",
            (unsigned long long)length);
    const uint64_t count = load32(r->begin + 80), needed = HEADER_BYTES + FACET_BYTES * count;
    if (length < needed)
        return abut_io_mesh_fail(
            r, ABUT_ERR_VALUE, -1,
            "the header claims %llu facets, which take %llu bytes, but the file has only %llu",
            (unsigned long long)count, (unsigned long long)needed, (unsigned long long)length);
    /* A few bytes of padding are harmless; room for a whole facet means that the count is wrong. */
    if (length - needed >= FACET_BYTES)
        return abut_io_mesh_fail(
            r, ABUT_ERR_VALUE, -1,
            "the header claims %llu facets, which take %llu bytes, but the file goes on for %llu "
            "more; fewer than 50 are allowed",
            (unsigned long long)count, (unsigned long long)needed, (unsigned long long)(length - needed));
    if (!ABUT_ARRAY_RESERVE(r->alloc, &r->vertices, 3 * (size_t)count) ||
        !ABUT_ARRAY_RESERVE(r->alloc, &r->indices, 3 * (size_t)count) ||
        !ABUT_ARRAY_RESERVE(r->alloc, &r->face_sizes, (size_t)count))
        return abut_io_mesh_fail_memory(r);
    for (uint32_t facet = 0; facet < count; ++facet) {
        const char *at = r->begin + HEADER_BYTES + (size_t)FACET_BYTES * facet + 12;
        for (uint32_t corner = 0; corner < 3; ++corner) {
            double coordinates[3];
            for (int axis = 0; axis < 3; ++axis, at += 4) {
                const uint32_t bits = load32(at);
                float value;
                memcpy(&value, &bits, sizeof value);
                if (!isfinite(value))
                    return abut_io_mesh_fail(
                        r, ABUT_ERR_VALUE, (int64_t)r->vertices.count,
                        "%c of corner %u of facet %u (at byte %llu) is %f; it must be finite", "xyz"[axis],
                        (unsigned)corner, (unsigned)facet, (unsigned long long)(at - r->begin),
                        (double)value);
                coordinates[axis] = (double)value;
            }
            r->vertices.items[r->vertices.count++] =
                (abut_vec3){ coordinates[0], coordinates[1], coordinates[2] };
            r->indices.items[r->indices.count++] = 3 * facet + corner;
        }
        r->face_sizes.items[r->face_sizes.count++] = 3;
    }
    r->greatest.index = count ? 3 * (uint32_t)count - 1 : 0;
    return ABUT_OK;
}

static abut_status expect(abut_mesh_reader *r, const char *word, const char *where)
{
    abut_io_skip_space(r, '\0');
    if (abut_io_take_word(r, word))
        return ABUT_OK;
    return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, (int64_t)r->face_sizes.count,
                             "expected '%s' %s facet %zu, found %s", word, where, r->face_sizes.count,
                             abut_io_word_excerpt(r).text);
}

/* After the word facet. */
static abut_status read_facet(abut_mesh_reader *r)
{
    abut_io_skip_space(r, '\0');
    if (abut_io_take_word(r, "normal")) {
        for (int axis = 0; axis < 3; ++axis) {
            abut_io_skip_blanks(r);
            abut_io_skip_word(r); /* whatever it is: exporters write nan here */
        }
    }
    abut_status status = expect(r, "outer", "in");
    if (status == ABUT_OK)
        status = expect(r, "loop", "in");
    for (int corner = 0; corner < 3 && status == ABUT_OK; ++corner) {
        double xyz[3] = { 0 };
        status = expect(r, "vertex", "in");
        for (int axis = 0; axis < 3 && status == ABUT_OK; ++axis) {
            abut_io_skip_blanks(r);
            status = abut_io_read_coordinate(r, axis, &xyz[axis]);
        }
        if (status != ABUT_OK)
            break;
        const abut_vec3 vertex = { xyz[0], xyz[1], xyz[2] };
        if (!abut_io_mesh_corner(r, (uint32_t)r->vertices.count) ||
            !ABUT_ARRAY_PUSH(r->alloc, &r->vertices, vertex))
            return abut_io_mesh_fail_memory(r);
    }
    if (status == ABUT_OK)
        status = expect(r, "endloop", "after the third corner of");
    if (status == ABUT_OK)
        status = expect(r, "endfacet", "at the end of");
    if (status != ABUT_OK)
        return status;
    return abut_io_mesh_face(r, 3) ? ABUT_OK : abut_io_mesh_fail_memory(r);
}

/* One solid after another, to the end of the file. */
static abut_status read_text(abut_mesh_reader *r)
{
    for (;;) {
        abut_io_skip_space(r, '\0');
        if (r->at == r->end)
            return ABUT_OK;
        if (!abut_io_take_word(r, "solid"))
            return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1,
                                     "expected 'solid' or the end of the file, found %s",
                                     abut_io_word_excerpt(r).text);
        abut_io_skip_to_newline(r); /* its name */
        for (;;) {
            abut_io_skip_space(r, '\0');
            if (abut_io_take_word(r, "endsolid"))
                break;
            if (!abut_io_take_word(r, "facet"))
                return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, (int64_t)r->face_sizes.count,
                                         "expected 'facet' or 'endsolid', found %s",
                                         abut_io_word_excerpt(r).text);
            const abut_status status = read_facet(r);
            if (status != ABUT_OK)
                return status;
        }
        abut_io_skip_to_newline(r);
    }
}

/* Does it begin with a solid whose next statement is that of a text file, or is it all text? */
static bool looks_like_text(const abut_mesh_reader *r)
{
    abut_mesh_reader probe = *r;
    abut_io_skip_space(&probe, '\0');
    if (!abut_io_take_word(&probe, "solid"))
        return false;
    abut_io_skip_to_newline(&probe);
    if (memchr(r->begin, '\0', (size_t)(probe.at - r->begin)))
        return false;
    abut_io_skip_space(&probe, '\0');
    const size_t rest = (size_t)(probe.end - probe.at);
    return abut_io_is_word(&probe, "facet") || abut_io_is_word(&probe, "endsolid") ||
           !memchr(probe.at, '\0', rest < HEADER_BYTES ? rest : HEADER_BYTES);
}

abut_status abut_io_read_stl(abut_mesh_reader *r)
{
    const uint64_t length = (uint64_t)(r->end - r->begin);
    if (length >= HEADER_BYTES && length == HEADER_BYTES + FACET_BYTES * (uint64_t)load32(r->begin + 80))
        return read_binary(r);
    abut_io_skip_mark(r);
    return looks_like_text(r) ? read_text(r) : read_binary(r);
}
