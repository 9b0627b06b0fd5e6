/* SPDX-License-Identifier: MIT */
/* Wavefront .obj: vertices and polygons.
 *
 * Read: v (3 coordinates; a weight w, or colours with or without alpha, may follow and mean
 * nothing here) and f (corners v, v/vt, v//vn, v/vt/vn; from 1, or relative from -1 backwards).
 * Skipped, because no polygon depends on them: texture coordinates, normals, points, lines,
 * groups, names, materials, smoothing, display attributes. Free-form curves and surfaces are an
 * error, because skipping them would lose geometry without a word; so is any other statement. A
 * line that ends with a backslash goes on in the next, except in comments, where it is often the
 * end of a path. Source: Wavefront, Object Files (.obj), appendix B1 of the Advanced Visualizer
 * manual. */
#include "io/mesh/mesh_number.h"
#include "io/mesh/mesh_text.h"

#include <math.h>

/* Past blanks and joined ends of lines. */
static inline void skip_blanks(abut_mesh_reader *r)
{
    for (;;) {
        abut_io_skip_blanks(r);
        if (r->at == r->end || *r->at != '\\' || r->at + 1 == r->end || !abut_io_is_newline(r->at[1]))
            return;
        ++r->at;
        abut_io_skip_newline(r);
    }
}

/* No more words in this statement? */
static inline bool at_end(const abut_mesh_reader *r)
{
    return r->at == r->end || abut_io_is_newline(*r->at) || *r->at == '#';
}

/* A word may also end with a comment, or where a line is joined to the next. */
static inline bool at_break(const char *at, const char *end)
{
    return abut_io_at_break(at, end) || *at == '#' ||
           (*at == '\\' && at + 1 < end && abut_io_is_newline(at[1]));
}

static void skip_statement(abut_mesh_reader *r)
{
    for (; r->at < r->end && !abut_io_is_newline(*r->at); ++r->at) {
        if (*r->at == '\\' && r->at + 1 < r->end && abut_io_is_newline(r->at[1])) {
            ++r->at;
            abut_io_skip_newline(r);
            --r->at;
        } else if (*r->at == '#') {
            abut_io_skip_to_newline(r);
            return;
        }
    }
}

static abut_status read_vertex(abut_mesh_reader *r)
{
    double values[7];
    int count = 0;
    for (skip_blanks(r); !at_end(r); skip_blanks(r)) {
        if (count == 7)
            return abut_io_mesh_fail(
                r, ABUT_ERR_SYNTAX, (int64_t)r->vertices.count,
                "vertex %zu has more than 7 numbers; 3 coordinates, a weight or colours are allowed",
                r->vertices.count);
        const char *after = abut_io_read_double(r->at, r->end, &values[count]);
        if (!after || !at_break(after, r->end) || (count < 3 && !isfinite(values[count]))) {
            if (count < 3 && (!after || abut_io_at_break(after, r->end)))
                return abut_io_read_coordinate(r, count, &values[count]);
            return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, (int64_t)r->vertices.count,
                                     "%s in vertex %zu is not a number", abut_io_word_excerpt(r).text,
                                     r->vertices.count);
        }
        r->at = after;
        ++count;
    }
    if (count != 3 && count != 4 && count < 6)
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, (int64_t)r->vertices.count,
                                 "vertex %zu has %d numbers; allowed are 3, 4 (a weight), 6 or 7 (colours)",
                                 r->vertices.count, count);
    const abut_vec3 vertex = { values[0], values[1], values[2] };
    return ABUT_ARRAY_PUSH(r->alloc, &r->vertices, vertex) ? ABUT_OK : abut_io_mesh_fail_memory(r);
}

/* The index of a corner v, v/vt, v//vn or v/vt/vn. */
static abut_status read_corner(abut_mesh_reader *r)
{
    const int64_t face = (int64_t)r->face_sizes.count;
    int64_t index, unused;
    const char *p = abut_io_read_integer(r->at, r->end, &index);
    for (int part = 1; p && part < 3 && p < r->end && *p == '/'; ++part) {
        ++p;
        if (part == 1 && p < r->end && *p == '/')
            continue;
        p = abut_io_read_integer(p, r->end, &unused);
    }
    if (!p || !at_break(p, r->end))
        return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, face,
                                 "corner %s of face %lld is not of the form v, v/vt, v//vn or v/vt/vn",
                                 abut_io_word_excerpt(r).text, (long long)face);
    const int64_t count = (int64_t)r->vertices.count, from_zero = index < 0 ? count + index : index - 1;
    if (index == 0)
        return abut_io_mesh_fail(r, ABUT_ERR_VALUE, face, "face %lld names vertex 0; vertices count from 1",
                                 (long long)face);
    if (from_zero < 0)
        return abut_io_mesh_fail(r, ABUT_ERR_VALUE, face,
                                 "face %lld names vertex %lld, but only %lld vertices come before it",
                                 (long long)face, (long long)index, (long long)count);
    if (from_zero >= UINT32_MAX)
        return abut_io_mesh_fail(r, ABUT_ERR_VALUE, face,
                                 "face %lld names vertex %lld, beyond any allowed index", (long long)face,
                                 (long long)index);
    r->at = p;
    return abut_io_mesh_corner(r, (uint32_t)from_zero) ? ABUT_OK : abut_io_mesh_fail_memory(r);
}

static abut_status read_face(abut_mesh_reader *r)
{
    const size_t first = r->indices.count;
    for (skip_blanks(r); !at_end(r); skip_blanks(r)) {
        const abut_status status = read_corner(r);
        if (status != ABUT_OK)
            return status;
    }
    const size_t size = r->indices.count - first;
    if (size < 3)
        return abut_io_mesh_fail(r, ABUT_ERR_VALUE, (int64_t)r->face_sizes.count,
                                 "face %zu has %zu corners; at least 3 are needed", r->face_sizes.count,
                                 size);
    return abut_io_mesh_face(r, (uint32_t)size) ? ABUT_OK : abut_io_mesh_fail_memory(r);
}

static bool is_one_of(const abut_mesh_reader *r, const char *const *words)
{
    for (; *words; ++words) {
        if (abut_io_is_word(r, *words))
            return true;
    }
    return false;
}

static abut_status read_other(abut_mesh_reader *r)
{
    static const char *const harmless[] = {
        "vt",       "vn",     "vp",     "g",     "o",          "s",         "l",
        "p",        "usemtl", "mtllib", "mg",    "bevel",      "usemap",    "c_interp",
        "d_interp", "lod",    "maplib", "illum", "shadow_obj", "trace_obj", NULL,
    };
    static const char *const free_form[] = {
        "cstype", "deg", "bmat", "step", "curv", "curv2", "surf", "parm",  "trim",  "hole", "scrv",
        "sp",     "end", "con",  "bzp",  "bsp",  "cdc",   "cdp",  "ctech", "stech", "res",  NULL,
    };
    if (is_one_of(r, harmless)) {
        skip_statement(r);
        return ABUT_OK;
    }
    if (is_one_of(r, free_form))
        return abut_io_mesh_fail(
            r, ABUT_ERR_VALUE, -1,
            "%s belongs to a free-form curve or surface; only polygons (v and f) are read",
            abut_io_word_excerpt(r).text);
    return abut_io_mesh_fail(r, ABUT_ERR_SYNTAX, -1,
                             "%s is not a statement of .obj files (v, f, vt, vn, g, o, s, usemtl, ...)",
                             abut_io_word_excerpt(r).text);
}

abut_status abut_io_read_obj(abut_mesh_reader *r)
{
    abut_io_skip_mark(r);
    for (;;) {
        skip_blanks(r);
        if (r->at == r->end)
            return ABUT_OK;
        const char c = *r->at;
        abut_status status = ABUT_OK;
        if (abut_io_is_newline(c)) {
            abut_io_skip_newline(r);
            continue;
        }
        if (c == '#') {
            abut_io_skip_to_newline(r);
        } else if ((c == 'v' || c == 'f') && at_break(r->at + 1, r->end)) {
            ++r->at;
            status = c == 'v' ? read_vertex(r) : read_face(r);
        } else if (abut_io_take_word(r, "fo")) {
            status = read_face(r); /* its name in old files */
        } else {
            status = read_other(r);
        }
        if (status != ABUT_OK)
            return status;
    }
}
