/* SPDX-License-Identifier: MIT */
/* Random meshes, and writers of every mesh format and its variants, for the tests of the
 * readers. Variants are drawn from the random numbers given. Shares nothing with the readers. */
#ifndef ABUT_TEST_MESH_WRITER_H
#define ABUT_TEST_MESH_WRITER_H

#include "abut/scene.h"
#include "support/test.h"

/* ---- text and bytes that grow ---- */

typedef struct buffer {
    char *bytes;
    size_t length, capacity;
} buffer;

static inline void put_bytes(buffer *b, const void *bytes, size_t length)
{
    if (b->length + length > b->capacity) {
        b->capacity = 2 * (b->length + length) + 64;
        b->bytes = realloc(b->bytes, b->capacity);
    }
    memcpy(b->bytes + b->length, bytes, length);
    b->length += length;
}

static inline void put(buffer *b, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put_bytes(b, text, (size_t)length);
}

/* ---- meshes ---- */

enum { MOST_VERTICES = 60, MOST_FACES = 40, MOST_CORNERS = 8 };

typedef struct test_mesh {
    size_t vertex_count, face_count, index_count;
    double vertices[MOST_FACES * 3][3];
    uint32_t face_sizes[MOST_FACES], indices[MOST_FACES * MOST_CORNERS];
} test_mesh;

/* Numbers that writing and reading may get wrong; to_float: those that a float holds. */
static inline double random_coordinate(test_random *r, bool to_float)
{
    double value = 0;
    switch (test_below(r, 6)) {
    case 0: value = test_uniform(r, -10, 10); break;
    case 1: value = (double)test_below(r, 20) - 10; break;
    case 2: value = test_log_uniform(r, -1074, 1023); break;
    case 3: value = test_log_uniform(r, -60, 60); break;
    case 4: value = test_bits(r) & 1 ? 0.0 : -0.0; break;
    default:
        do {
            const uint64_t bits = test_bits(r);
            memcpy(&value, &bits, sizeof value);
        } while (!isfinite(value));
    }
    if (!to_float)
        return value;
    const float narrow = (float)value;
    return isfinite(narrow) ? (double)narrow : 1.5;
}

static inline void random_mesh(test_random *r, bool to_float, test_mesh *m)
{
    *m = (test_mesh){ .vertex_count = 1 + test_below(r, MOST_VERTICES),
                      .face_count = test_below(r, MOST_FACES) };
    for (size_t i = 0; i < m->vertex_count; ++i) {
        for (int axis = 0; axis < 3; ++axis)
            m->vertices[i][axis] = random_coordinate(r, to_float);
    }
    for (size_t f = 0; f < m->face_count; ++f) {
        m->face_sizes[f] = 3 + (test_bits(r) & 1 ? test_below(r, MOST_CORNERS - 2) : 0);
        for (uint32_t i = 0; i < m->face_sizes[f]; ++i)
            m->indices[m->index_count++] = test_below(r, (unsigned)m->vertex_count);
    }
}

/* Triangles with corners of their own, as in .stl files. */
static inline void random_soup(test_random *r, bool to_float, test_mesh *m)
{
    *m = (test_mesh){ .face_count = 1 + test_below(r, MOST_FACES - 1) };
    m->vertex_count = m->index_count = 3 * m->face_count;
    for (size_t i = 0; i < m->vertex_count; ++i) {
        for (int axis = 0; axis < 3; ++axis)
            m->vertices[i][axis] = random_coordinate(r, to_float);
        m->indices[i] = (uint32_t)i;
    }
    for (size_t f = 0; f < m->face_count; ++f)
        m->face_sizes[f] = 3;
}

static inline void put_number(buffer *b, test_random *r, double value)
{
    static const char *const formats[] = { "%.17g", "%.17e", "%.20g", "%+.17g", "%.30e" };
    put(b, formats[test_below(r, 5)], value);
}

static inline void put_blanks(buffer *b, test_random *r)
{
    static const char *const blanks[] = { " ", " ", " ", "  ", "\t", " \t " };
    put(b, "%s", blanks[test_below(r, 6)]);
}

static inline const char *random_newline(test_random *r)
{
    static const char *const newlines[] = { "\n", "\n", "\r\n", "\r" };
    return newlines[test_below(r, 4)];
}

/* ---- .obj ---- */

static inline void put_obj_noise(buffer *b, test_random *r, const char *newline)
{
    static const char *const noise[] = {
        "# a comment \\", "g a b c",    "o name",    "s off", "usemtl m#1",  "mtllib m.mtl",
        "vn 0 nan 1",     "vt 0.5 0.5", "",          "   ",   "l 1 2",       "p 1",
        "vp 0.1 0.2 1",   "s 1",        "vn 0 0 \\", "lod 3", "# f 1 2 3 4", "shadow_obj x.obj"
    };
    const unsigned which = test_below(r, 3 * sizeof noise / sizeof *noise);
    if (which >= sizeof noise / sizeof *noise)
        return;
    put(b, "%s%s", noise[which], newline);
    if (noise[which][0] == 'v' && noise[which][strlen(noise[which]) - 1] == '\\')
        put(b, "1%s", newline);
}

static inline void write_obj(buffer *b, test_random *r, const test_mesh *m)
{
    const char *newline = random_newline(r);
    const unsigned extra = test_below(r, 4), form = test_below(r, 5);
    const bool relative = test_bits(r) & 1, faces_first = !relative && test_below(r, 4) == 0,
               joined = test_bits(r) & 1;
    for (int pass = 0; pass < 2; ++pass) {
        if ((pass == 0) != faces_first) {
            for (size_t i = 0; i < m->vertex_count; ++i) {
                put_obj_noise(b, r, newline);
                put(b, "%sv", test_below(r, 8) ? "" : " ");
                for (int axis = 0; axis < 3; ++axis) {
                    if (joined && test_below(r, 4) == 0)
                        put(b, "\\%s", newline);
                    put_blanks(b, r);
                    put_number(b, r, m->vertices[i][axis]);
                }
                put(b, "%s%s",
                    extra == 0   ? ""
                    : extra == 1 ? " 1.0"
                    : extra == 2 ? " 0.5 0.25 1"
                                 : " 0.5 0.25 1 1",
                    test_below(r, 8) ? "" : " # 7");
                put(b, "%s", newline);
            }
            continue;
        }
        size_t next = 0;
        for (size_t f = 0; f < m->face_count; ++f) {
            put_obj_noise(b, r, newline);
            put(b, "%s", test_below(r, 8) ? "f" : "fo");
            for (uint32_t i = 0; i < m->face_sizes[f]; ++i, ++next) {
                const long long index = relative ? (long long)m->indices[next] - (long long)m->vertex_count
                                                 : (long long)m->indices[next] + 1;
                put_blanks(b, r);
                if (joined && test_below(r, 4) == 0)
                    put(b, "\\%s", newline);
                switch (form) {
                case 0: put(b, "%lld", index); break;
                case 1: put(b, "%lld/%u", index, i + 1); break;
                case 2: put(b, "%lld//%u", index, i + 1); break;
                case 3: put(b, "%lld/-1/%u", index, i + 1); break;
                default: put(b, "%+lld", index); break;
                }
            }
            if (f + 1 < m->face_count || test_bits(r) & 1 || faces_first)
                put(b, "%s", newline);
        }
    }
}

/* ---- .stl ---- */

static inline void write_stl_text(buffer *b, test_random *r, const test_mesh *m)
{
    const char *newline = random_newline(r);
    const bool upper = test_below(r, 4) == 0;
    put(b, upper ? "SOLID%s" : "solid some facet name%s", newline);
    for (size_t f = 0; f < m->face_count; ++f) {
        if (f && test_below(r, 8) == 0)
            put(b, "endsolid some name%s%ssolid%s", newline, newline, newline);
        static const char *const normals[] = { " normal 0 0 1", " normal nan nan nan", "",
                                               " normal 0e0 1.5e-3 -1" };
        put(b, "  %s%s%s outer loop%s", upper ? "FACET" : "facet", normals[test_below(r, 4)], newline,
            newline);
        for (int i = 0; i < 3; ++i) {
            put(b, "   vertex");
            for (int axis = 0; axis < 3; ++axis) {
                put_blanks(b, r);
                put_number(b, r, m->vertices[3 * f + (size_t)i][axis]);
            }
            put(b, "%s", newline);
        }
        put(b, " endloop%s endfacet%s", newline, newline);
    }
    put(b, "endsolid%s", test_bits(r) & 1 ? newline : "");
}

static inline void put_little(buffer *b, uint64_t bits, int size)
{
    for (int i = 0; i < size; ++i)
        put_bytes(b, &(char){ (char)(bits >> 8 * i) }, 1);
}

static inline void put_big(buffer *b, uint64_t bits, int size)
{
    for (int i = size - 1; i >= 0; --i)
        put_bytes(b, &(char){ (char)(bits >> 8 * i) }, 1);
}

static inline uint64_t float_bits(double value)
{
    const float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

static inline void write_stl_binary(buffer *b, test_random *r, const test_mesh *m)
{
    char header[80] = "solid that is binary";
    if (test_bits(r) & 1)
        memset(header, (int)test_below(r, 256), sizeof header);
    put_bytes(b, header, sizeof header);
    put_little(b, m->face_count, 4);
    for (size_t f = 0; f < m->face_count; ++f) {
        for (int axis = 0; axis < 3; ++axis)
            put_little(b, 0x7fc00000, 4); /* the normal: nan */
        for (size_t i = 0; i < 9; ++i)
            put_little(b, float_bits(m->vertices[3 * f + i / 3][i % 3]), 4);
        put_little(b, test_bits(r), 2);
    }
}

/* ---- .off ---- */

static inline void write_off(buffer *b, test_random *r, const test_mesh *m)
{
    static const struct {
        const char *word, *extra;
    } kinds[] = { { "OFF", "" },
                  { "OFF", " 0.5 0.5 0.5" },
                  { "OFF", " 255 128 0 255" },
                  { "COFF", " 1 0 0 1" },
                  { "NOFF", " 0 0 1" },
                  { "STOFF", " 0.5 0.5" },
                  { "CNOFF", " 0 0 1 1 0 0 1" },
                  { "STCNOFF", " 0 0 1 1 0 0 1 0.5 0.5" },
                  { "nOFF 3", "" },
                  { "OFF", "" } };
    const char *newline = random_newline(r);
    const unsigned kind = test_below(r, sizeof kinds / sizeof *kinds), counts = test_below(r, 4);
    if (test_bits(r) & 1)
        put(b, "# before%s%s", newline, newline);
    put(b, "%s%s", kinds[kind].word, counts == 0 ? " " : newline);
    if (counts == 1)
        put(b, "# between%s%s", newline, newline);
    put(b, "%zu %zu%s%s", m->vertex_count, m->face_count, counts == 2 ? "" : " 0", newline);
    for (size_t i = 0; i < m->vertex_count; ++i) {
        if (test_below(r, 8) == 0)
            put(b, " # a comment%s%s", newline, newline);
        for (int axis = 0; axis < 3; ++axis) {
            if (axis || test_bits(r) & 1)
                put_blanks(b, r);
            put_number(b, r, m->vertices[i][axis]);
        }
        put(b, "%s%s%s", kinds[kind].extra, test_below(r, 8) ? "" : " # c", newline);
    }
    size_t next = 0;
    for (size_t f = 0; f < m->face_count; ++f) {
        put(b, "%u", m->face_sizes[f]);
        for (uint32_t i = 0; i < m->face_sizes[f]; ++i) {
            put_blanks(b, r);
            put(b, "%u", m->indices[next++]);
        }
        static const char *const colours[] = { "", "", " 1", " 255 0 0", " 0.1 0.2 0.3 1", " # c" };
        put(b, "%s%s", colours[test_below(r, 6)], f + 1 < m->face_count ? newline : "");
    }
}

/* ---- .ply ---- */

typedef enum ply_writing { WRITE_ASCII, WRITE_LITTLE, WRITE_BIG } ply_writing;

typedef struct ply_writer {
    buffer *b;
    test_random *r;
    ply_writing how;
    const char *newline;
} ply_writer;

static const struct {
    const char *names[2];
    int size;
    double lo, hi; /* 0, 0: floats */
} ply_types[] = {
    { { "char", "int8" }, 1, -128, 127 },
    { { "uchar", "uint8" }, 1, 0, 255 },
    { { "short", "int16" }, 2, -32768, 32767 },
    { { "ushort", "uint16" }, 2, 0, 65535 },
    { { "int", "int32" }, 4, -2147483648.0, 2147483647.0 },
    { { "uint", "uint32" }, 4, 0, 4294967295.0 },
    { { "float", "float32" }, 4, 0, 0 },
    { { "double", "float64" }, 8, 0, 0 },
};

static inline void put_ply_value(ply_writer *w, int type, double value)
{
    if (w->how == WRITE_ASCII) {
        if (type >= 6)
            put_number(w->b, w->r, value);
        else
            put(w->b, "%.0f", value);
        put(w->b, "%s", test_below(w->r, 10) ? " " : "\n");
        return;
    }
    uint64_t bits;
    if (type == 7)
        memcpy(&bits, &value, sizeof bits);
    else
        bits = type == 6 ? float_bits(value) : (uint64_t)(int64_t)value;
    (w->how == WRITE_LITTLE ? put_little : put_big)(w->b, bits, ply_types[type].size);
}

static inline const char *ply_name(ply_writer *w, int type)
{
    return ply_types[type].names[test_below(w->r, 2)];
}

static inline void put_ply_junk(ply_writer *w, const int *types, int count)
{
    for (int i = 0; i < count; ++i) {
        if (types[i] < 8) {
            put_ply_value(w, types[i], 7);
            continue;
        }
        const int length = (int)test_below(w->r, 4);
        put_ply_value(w, 1, length);
        for (int k = 0; k < length; ++k)
            put_ply_value(w, types[i] - 8, 9);
    }
}

static inline void put_ply_junk_header(ply_writer *w, const int *types, int count)
{
    for (int i = 0; i < count; ++i) {
        if (types[i] < 8)
            put(w->b, "property %s p%d%s", ply_name(w, types[i]), i, w->newline);
        else
            put(w->b, "property list uchar %s p%d%s", ply_name(w, types[i] - 8), i, w->newline);
    }
}

/* Coordinates must fit the type (0 .. 7 of ply_types). */
static inline void write_ply(buffer *b, test_random *r, const test_mesh *m, ply_writing how, int type)
{
    ply_writer w = { b, r, how, random_newline(r) };
    static const char *const formats[] = { "ascii", "binary_little_endian", "binary_big_endian" };
    int before[3], between[3], after[3], junk_count = (int)test_below(r, 4);
    for (int i = 0; i < 3; ++i) {
        before[i] = (int)test_below(r, 16);
        between[i] = (int)test_below(r, 16);
        after[i] = (int)test_below(r, 16);
    }
    const bool faces_first = test_below(r, 4) == 0, extra_element = test_bits(r) & 1;
    int count_type = (int)test_below(r, 6), index_type;
    do
        index_type = (int)test_below(r, 6);
    while (m->vertex_count > 127 && index_type < 2);
    put(b, "ply%s", w.newline);
    if (test_bits(r) & 1)
        put(b, "comment element vertex 5%s", w.newline);
    put(b, "format %s 1.0%sobj_info x%s", formats[how], w.newline, w.newline);
    for (int pass = 0; pass < 2; ++pass) {
        if (pass == 1 && extra_element) {
            put(b, "element other 3%s", w.newline);
            put_ply_junk_header(&w, after, 3);
            put(b, "element nothing 1000000000000%s", w.newline);
        }
        if ((pass == 0) != faces_first) {
            put(b, "element vertex %zu%s", m->vertex_count, w.newline);
            put_ply_junk_header(&w, before, junk_count);
            put(b, "property %s x%s", ply_name(&w, type), w.newline);
            put_ply_junk_header(&w, between, junk_count);
            put(b, "property %s y%sproperty   %s\tz%s", ply_name(&w, type), w.newline, ply_name(&w, type),
                w.newline);
            put_ply_junk_header(&w, after, junk_count);
        } else {
            put(b, "element face %zu%s", m->face_count, w.newline);
            put_ply_junk_header(&w, after, junk_count);
            put(b, "property list %s %s %s%s", ply_name(&w, count_type), ply_name(&w, index_type),
                test_bits(r) & 1 ? "vertex_indices" : "vertex_index", w.newline);
            put_ply_junk_header(&w, before, junk_count);
        }
    }
    put(b, "end_header%s", w.newline);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < 3 && pass == 1 && extra_element; ++i)
            put_ply_junk(&w, after, 3);
        if ((pass == 0) != faces_first) {
            for (size_t i = 0; i < m->vertex_count; ++i) {
                put_ply_junk(&w, before, junk_count);
                put_ply_value(&w, type, m->vertices[i][0]);
                put_ply_junk(&w, between, junk_count);
                put_ply_value(&w, type, m->vertices[i][1]);
                put_ply_value(&w, type, m->vertices[i][2]);
                put_ply_junk(&w, after, junk_count);
            }
        } else {
            size_t next = 0;
            for (size_t f = 0; f < m->face_count; ++f) {
                put_ply_junk(&w, after, junk_count);
                put_ply_value(&w, count_type, m->face_sizes[f]);
                for (uint32_t i = 0; i < m->face_sizes[f]; ++i)
                    put_ply_value(&w, index_type, m->indices[next++]);
                put_ply_junk(&w, before, junk_count);
            }
        }
    }
}

/* Any format and variant; the mesh is made to fit. Returns the format's name. */
static inline const char *write_any(buffer *b, test_random *r, int format, test_mesh *m)
{
    b->length = 0;
    switch (format) {
    case 0:
        random_mesh(r, false, m);
        write_obj(b, r, m);
        return "obj";
    case 1:
        random_soup(r, false, m);
        write_stl_text(b, r, m);
        return "stl";
    case 2:
        random_soup(r, true, m);
        write_stl_binary(b, r, m);
        return "stl";
    case 3:
        random_mesh(r, false, m);
        write_off(b, r, m);
        return "off";
    case 4:
        random_mesh(r, false, m);
        write_ply(b, r, m, WRITE_ASCII, 7);
        return "ply";
    case 5:
        random_mesh(r, false, m);
        write_ply(b, r, m, WRITE_ASCII, 6);
        return "ply";
    case 6:
        random_mesh(r, false, m);
        write_ply(b, r, m, WRITE_LITTLE, 7);
        return "ply";
    case 7:
        random_mesh(r, false, m);
        write_ply(b, r, m, WRITE_BIG, 7);
        return "ply";
    case 8:
        random_mesh(r, true, m);
        write_ply(b, r, m, WRITE_LITTLE, 6);
        return "ply";
    case 9:
        random_mesh(r, true, m);
        write_ply(b, r, m, WRITE_BIG, 6);
        return "ply";
    default: {
        /* Integer coordinates, with the ends of their range. */
        const int type = (int)test_below(r, 6);
        random_mesh(r, false, m);
        for (size_t i = 0; i < 3 * m->vertex_count; ++i)
            m->vertices[i / 3][i % 3] = test_below(r, 4) == 0   ? ply_types[type].lo
                                        : test_below(r, 3) == 0 ? ply_types[type].hi
                                                                : (double)test_below(r, 100);
        write_ply(b, r, m, (ply_writing)test_below(r, 3), type);
        return "ply";
    }
    }
}

enum { FORMAT_COUNT = 11 };

#endif
