/* SPDX-License-Identifier: MIT */
/* Malformed mesh files: each must give the status, the line, the element and a message that
 * contains the text in the table. Text files are given in full; binary ones are made from a
 * valid one by the functions below. */
#include "abut/scene.h"
#include "support/test.h"
#include "test_mesh_writer.h"

typedef struct malformed {
    const char *format, *bytes;
    abut_status status;
    int line;
    int64_t index;
    const char *text;
} malformed;

#define SYNTAX   ABUT_ERR_SYNTAX
#define VALUE    ABUT_ERR_VALUE
#define PLY      "ply\nformat ascii 1.0\n"
#define XYZ      "property double x\nproperty double y\nproperty double z\n"
#define CORNER   "property list uchar int vertex_indices\n"
#define BODY     "element vertex 3\n" XYZ "element face 1\n" CORNER "end_header\n0 0 0\n1 0 0\n0 1 0\n"
#define OUTER    "solid s\nfacet normal 0 0 1\nouter loop\n"
#define CORNERS3 "vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"

static const malformed cases[] = {
    /* .obj */
    { "obj", "", SYNTAX, 1, -1, "the file is empty" },
    { "obj", "# nothing\n", VALUE, 0, -1, "holds no vertices" },
    { "obj", "f 1 2 3\n", VALUE, 0, -1, "holds no vertices" },
    { "obj", "v 0 0\n", SYNTAX, 1, 0, "vertex 0 has 2 numbers; allowed are 3, 4 (a weight), 6 or 7" },
    { "obj", "v\n", SYNTAX, 1, 0, "vertex 0 has 0 numbers" },
    { "obj", "v 0 0 0 1 1\n", SYNTAX, 1, 0, "vertex 0 has 5 numbers" },
    { "obj", "v 0 0 0\nv 1 2 3 4 5 6 7 8\n", SYNTAX, 2, 1, "vertex 1 has more than 7 numbers" },
    { "obj", "v 0 0 0\nv 0 nan 0\n", SYNTAX, 2, 1,
      "y of vertex 1 is 'nan'; it must be a finite decimal number" },
    { "obj", "v 0 0 inf\n", SYNTAX, 1, 0, "z of vertex 0 is 'inf'" },
    { "obj", "v 0 0 1e999\n", VALUE, 1, 0, "z of vertex 0 is '1e999'" },
    { "obj", "v 0 0x10 0\n", SYNTAX, 1, 0, "'0x10' in vertex 0 is not a number" },
    { "obj", "v 0,5 0 0\n", SYNTAX, 1, 0, "'0,5' in vertex 0 is not a number" },
    { "obj", "v 0 0 0 red\n", SYNTAX, 1, 0, "'red' in vertex 0 is not a number" },
    { "obj", "v 1e 0 0\n", SYNTAX, 1, 0, "'1e' in vertex 0 is not a number" },
    { "obj", "v 0 0 0\nf 1 1\n", VALUE, 2, 0, "face 0 has 2 corners; at least 3 are needed" },
    { "obj", "v 0 0 0\nf\n", VALUE, 2, 0, "face 0 has 0 corners" },
    { "obj", "v 0 0 0\n\n\nf 1 1 0\n", VALUE, 4, 0, "face 0 names vertex 0; vertices count from 1" },
    { "obj", "v 0 0 0\nf 1 1 1\nf 1 1 2\n", VALUE, 3, 1,
      "face 1 names vertex 1 (counted from 0), but there are only 1" },
    { "obj", "v 0 0 0\nf 1 1 -2\n", VALUE, 2, 0,
      "face 0 names vertex -2, but only 1 vertices come before it" },
    { "obj", "v 0 0 0\nf 1 1 -99999999999999999999\n", VALUE, 2, 0, "but only 1 vertices" },
    { "obj", "v 0 0 0\nf 1 1 99999999999999999999\n", VALUE, 2, 0, "beyond any allowed index" },
    { "obj", "v 0 0 0\nf 1 1 4294967295\n", VALUE, 2, 0, "names vertex 4294967294 (counted from 0)" },
    { "obj", "v 0 0 0\nf 1 1 1.5\n", SYNTAX, 2, 0,
      "corner '1.5' of face 0 is not of the form v, v/vt, v//vn or v/vt/vn" },
    { "obj", "v 0 0 0\nf 1/ 1 1\n", SYNTAX, 2, 0, "corner '1/' of face 0" },
    { "obj", "v 0 0 0\nf 1/1/1/1 1 1\n", SYNTAX, 2, 0, "corner '1/1/1/1'" },
    { "obj", "v 0 0 0\nf 1 1 1 x\n", SYNTAX, 2, 0, "corner 'x'" },
    { "obj", "v 0 0 0\nf /1 1 1\n", SYNTAX, 2, 0, "corner '/1'" },
    { "obj", "v 0 0 0\nbanana 1 2 3\n", SYNTAX, 2, -1, "'banana' is not a statement of .obj files" },
    { "obj", "v 0 0 0\nV 0 0 0\n", SYNTAX, 2, -1, "'V' is not a statement" },
    { "obj", "v 0 0 0\ncstype bspline\n", VALUE, 2, -1, "'cstype' belongs to a free-form curve or surface" },
    { "obj", "v 0 0 0 \\\n 1 \\\n 1\n", SYNTAX, 3, 0, "vertex 0 has 5 numbers" },
    { "obj", "\x01\x02\x03\x04", SYNTAX, 1, -1, "'\?\?\?\?' is not a statement" },
    { "obj", "a_word_that_is_far_too_long_to_be_shown 1\n", SYNTAX, 1, -1,
      "'a_word_that_is_far_too_l...' is not" },
    /* .off */
    { "off", "# only\n", SYNTAX, 2, -1, "begins with the end of the file; it must begin with OFF" },
    { "off", "OF 3 1 0\n", SYNTAX, 1, -1, "begins with 'OF'; it must begin with OFF (or COFF" },
    { "off", "3 1 0\n", SYNTAX, 1, -1, "begins with '3'" },
    { "off", "OFFX\n1 0 0\n0 0 0\n", SYNTAX, 1, -1, "begins with 'OFFX'" },
    { "off", "OFF BINARY\n1 0 0\n", VALUE, 1, -1, "binary .off files are not read" },
    { "off", "4OFF\n1 0 0\n0 0 0 1\n", VALUE, 1, -1, "4OFF (homogeneous coordinates) is not read" },
    { "off", "nOFF\n2\n1 0 0\n0 0\n", VALUE, 2, -1, "nOFF of dimension 2 is not read; it must be 3" },
    { "off", "OFF\nx 1 0\n", SYNTAX, 2, -1, "the number of vertices is 'x'" },
    { "off", "OFF\n-1 1 0\n", SYNTAX, 2, -1,
      "the number of vertices is '-1'; it must be an integer from 0 on" },
    { "off", "OFF\n1\n", SYNTAX, 3, -1, "the number of faces is the end of the file" },
    { "off", "OFF\n1 1 z\n", SYNTAX, 2, -1, "the number of edges is 'z'" },
    { "off", "OFF\n0 0 0\n", VALUE, 0, -1, "holds no vertices" },
    { "off", "OFF\n1000000000000 1 0\n0 0 0\n", VALUE, 2, -1,
      "claims 1000000000000 vertices, more than the 7 bytes" },
    { "off", "OFF\n1 99999999999999999999 0\n0 0 0\n", VALUE, 3, -1,
      "faces, more than the 1 bytes after the vertices" },
    { "off", "OFF\n1 1 0\n0 0\n3 0 0 0\n", SYNTAX, 3, 0, "z of vertex 0 is the end of the line" },
    { "off", "OFF\n1 1 0\n0 0 nan\n3 0 0 0\n", SYNTAX, 3, 0, "z of vertex 0 is 'nan'" },
    { "off", "OFF\n1 1 0\n-1e400 0 0\n3 0 0 0\n", VALUE, 3, 0, "x of vertex 0 is '-1e400'" },
    { "off", "OFF\n1 1 0\n0 0 0 red\n3 0 0 0\n", SYNTAX, 3, 0, "'red' after vertex 0 is not a number" },
    { "off", "OFF\n1 1 0\n0 0 0\n2 0 0 0 \n", VALUE, 4, 0, "face 0 has 2 corners; at least 3 are needed" },
    { "off", "OFF\n1 1 0\n0 0 0\n-3 0 0 0\n", VALUE, 4, 0, "face 0 has -3 corners" },
    { "off", "OFF\n1 1 0\n0 0 0\n9999999 0 0 0\n", VALUE, 4, 0,
      "face 0 claims 9999999 corners, more than the file holds" },
    { "off", "OFF\n1 1 0\n0 0 0\n4 0 0 0\n\n\n", SYNTAX, 4, 0, "corner 3 of face 0 is the end of the line" },
    { "off", "OFF\n1 1 0\n0 0 0\n3 0 0 1\n", VALUE, 4, 0,
      "face 0 names vertex 1 (counted from 0), but there are only 1" },
    { "off", "OFF\n1 1 0\n0 0 0\n3 0 -1 0\n", VALUE, 4, 0, "face 0 names vertex -1" },
    { "off", "OFF\n1 1 0\n0 0 0\n3 0 0 0.5\n", SYNTAX, 4, 0, "corner 2 of face 0 is '0.5'" },
    { "off", "OFF\n1 1 0\n0 0 0\n3 0 0 0 blue\n", SYNTAX, 4, 0, "'blue' after face 0 is not a number" },
    { "off", "OFF\n1 1 0\n0 0 0\nx 0 0 0 0\n", SYNTAX, 4, 0, "the number of corners of face 0 is 'x'" },
    { "off", "OFF\n1 1 0\n0 0 0\n3 0 0 0\n3 0 0 0\n", SYNTAX, 5, -1, "'3' follows the last of 1 faces" },
    /* .stl text */
    { "stl", "solid s\nendsolid s\n", VALUE, 0, -1, "holds no vertices" },
    { "stl", "solid s\n", SYNTAX, 2, 0, "expected 'facet' or 'endsolid', found the end of the file" },
    { "stl", "solid s\nfacets\n", SYNTAX, 2, 0, "expected 'facet' or 'endsolid', found 'facets'" },
    { "stl", "solid s\nfacet normal 0 0 1\nvertex 0 0 0\n", SYNTAX, 3, 0,
      "expected 'outer' in facet 0, found 'vertex'" },
    { "stl", "solid s\nfacet normal 0 0 1\nouter\nvertex 0 0 0\n", SYNTAX, 4, 0, "expected 'loop'" },
    { "stl", OUTER "vertex 0 0 0\nvertex 1 0 0\nendloop\n", SYNTAX, 6, 0,
      "expected 'vertex' in facet 0, found 'endloop'" },
    { "stl", OUTER CORNERS3 "vertex 1 1 0\nendloop\n", SYNTAX, 7, 0,
      "expected 'endloop' after the third corner of facet 0" },
    { "stl", OUTER CORNERS3 "endloop\nendsolid\n", SYNTAX, 8, 0,
      "expected 'endfacet' at the end of facet 0" },
    { "stl", OUTER "vertex 0 0\nvertex 1 0 0\n", SYNTAX, 4, 0, "z of vertex 0 is the end of the line" },
    { "stl", OUTER "vertex 0 0 0\nvertex 1 NaN 0\n", SYNTAX, 5, 1, "y of vertex 1 is 'NaN'" },
    { "stl", OUTER "vertex 0 0 1e309\n", VALUE, 4, 0, "z of vertex 0 is '1e309'" },
    { "stl", OUTER CORNERS3 "endloop\nendfacet\n", SYNTAX, 9, 1, "found the end of the file" },
    { "stl", OUTER CORNERS3 "endloop\nendfacet\nendsolid s\njunk\n", SYNTAX, 10, -1,
      "expected 'solid' or the end" },
    { "stl", "hello", SYNTAX, 0, -1,
      "neither a text file (it does not begin with 'solid') nor a binary one: 5 bytes" },
    /* .ply text and headers */
    { "ply", "plx\n", SYNTAX, 1, -1, "begins with 'plx'; it must begin with a line 'ply'" },
    { "ply", "ply", SYNTAX, 1, -1, "must begin with a line 'ply'" },
    { "ply", "ply\n", SYNTAX, 2, -1, "the file ends within the header" },
    { "ply", "ply\nend_header\n", SYNTAX, 2, -1, "the header has no line 'format'" },
    { "ply", "ply\nelement vertex 3\n", SYNTAX, 2, -1, "expected 'format', found 'element'" },
    { "ply", "ply\nformat binary 1.0\n", SYNTAX, 2, -1,
      "the format is 'binary'; it must be ascii, binary_little_endian or" },
    { "ply", "ply\nformat ascii 2.0\n", VALUE, 2, -1, "the version is '2.0'; only 1.0 is known" },
    { "ply", PLY "format ascii 1.0\n", SYNTAX, 3, -1, "'format' is not a line of a header" },
    { "ply", PLY "banana\n", SYNTAX, 3, -1, "'banana' is not a line of a header" },
    { "ply", PLY "property float x\n", SYNTAX, 3, -1, "a property comes before any element" },
    { "ply", PLY "element vertex x\n", SYNTAX, 3, -1, "the number of elements is 'x'" },
    { "ply", PLY "element vertex -5\n", SYNTAX, 3, -1, "the number of elements is '-5'" },
    { "ply", PLY "element vertex\n", SYNTAX, 3, -1, "the number of elements is the end of the line" },
    { "ply", PLY "element vertex 3 4\n", SYNTAX, 3, -1, "'4' is too much on this line" },
    { "ply", PLY "element vertex 3\nelement vertex 3\n", SYNTAX, 4, -1,
      "element 'vertex' is declared twice" },
    { "ply", PLY "element tristrips 3\n", VALUE, 3, -1, "triangle strips (element tristrips) are not read" },
    { "ply", PLY "element vertex 3\nproperty real x\n", SYNTAX, 4, -1, "'real' is not a type (char uchar" },
    { "ply", PLY "element vertex 3\nproperty float\n", SYNTAX, 4, -1, "a property has no name" },
    { "ply", PLY "element vertex 3\nproperty float x\nproperty float x\n", SYNTAX, 5, -1,
      "property 'x' is declared twice" },
    { "ply", PLY "element vertex 3\nproperty list uchar float x\n", VALUE, 4, -1,
      "property 'x' of a vertex is a list" },
    { "ply", PLY "element face 3\nproperty int vertex_index\n", VALUE, 4, -1,
      "property 'vertex_index' of a face is one number" },
    { "ply", PLY "element face 3\nproperty list float int vertex_index\n", SYNTAX, 4, -1,
      "'float' is not an integer type" },
    { "ply", PLY "element face 3\nproperty list int float vertex_index\n", VALUE, 4, -1,
      "is not of an integer type" },
    { "ply", PLY "element vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n", VALUE, 6, -1,
      "lacks a property x, y or z" },
    { "ply", PLY "element vertex 1\n" XYZ "element face 1\nend_header\n0 0 0\n", VALUE, 8, -1,
      "element face lacks a property list" },
    { "ply", PLY "element face 0\n" CORNER "end_header\n", VALUE, 5, -1, "there is no element vertex" },
    { "ply", PLY "element vertex 0\n" XYZ "end_header\n", VALUE, 0, -1, "holds no vertices" },
    { "ply", PLY "element vertex 1\n" XYZ "end_header now\n0 0 0\n", SYNTAX, 7, -1,
      "'now' is too much on the line 'end_header'" },
    { "ply", PLY "element vertex 999999999999\n" XYZ "end_header\n0 0 0\n", VALUE, 8, -1,
      "claims 999999999999 elements (vertex), more than the 6 bytes" },
    { "ply", PLY "element vertex 2\n" XYZ "end_header\n0 0 0\n0 0\n\n\n\n", SYNTAX, 13, 1,
      "z of vertex 1 is the end of the file" },
    { "ply", PLY "element vertex 1\n" XYZ "end_header\n0 nan 0\n", SYNTAX, 8, 0, "y of vertex 0 is 'nan'" },
    { "ply", PLY "element vertex 1\n" XYZ "end_header\n0 0 1e400\n", VALUE, 8, 0,
      "z of vertex 0 is '1e400'" },
    { "ply", PLY BODY "2 0 1 2 2\n", VALUE, 13, 0, "face 0 has 2 corners" },
    { "ply", PLY BODY "-3 0 1 2\n", VALUE, 13, 0, "face 0 has -3 corners" },
    { "ply", PLY BODY "3 0 1 3\n", VALUE, 13, 0,
      "face 0 names vertex 3 (counted from 0), but there are only 3 vertices" },
    { "ply", PLY BODY "3 0 1 -1\n", VALUE, 13, 0, "face 0 names vertex -1; indices count from 0" },
    { "ply", PLY BODY "3 0 1 9999999999\n", VALUE, 13, 0, "face 0 names vertex 9999999999" },
    { "ply", PLY BODY "3 0 1 x\n", SYNTAX, 13, 0, "a corner of face 0 is 'x'; it must be an integer" },
    { "ply", PLY BODY "4 0 1 2\n", SYNTAX, 14, 0, "a corner of face 0 is the end of the file" },
    { "ply", PLY BODY "1000000 0 1 2\n", VALUE, 13, 0,
      "a list of element 0 claims 1000000 items, but only 7 bytes are left" },
    { "ply", PLY BODY "x 0 1 2\n", SYNTAX, 13, 0, "the length of a list of element 0 is 'x'" },
    { "ply", PLY BODY "3 0 1 2\n3 0 1 2\n", SYNTAX, 14, -1, "8 bytes follow the last element" },
};

static void check(const char *format, const void *bytes, size_t length, abut_status status, int line,
                  int64_t index, const char *text, const char *label)
{
    char *copy = malloc(length ? length : 1);
    if (length)
        memcpy(copy, bytes, length);
    abut_mesh_data found;
    abut_error error;
    memset(&error, 0xff, sizeof error);
    const abut_status got = abut_mesh_parse(copy, length, format, "folder/file", NULL, &found, &error);
    free(copy);
    TEST_CHECK(got == status && error.status == status, "%s: %s, expected %s (\"%s\")", label,
               abut_status_name(got), abut_status_name(status), got == ABUT_OK ? "" : error.text);
    TEST_CHECK(strstr(error.text, text) != NULL, "%s: \"%s\" lacks \"%s\"", label, error.text, text);
    TEST_CHECK(error.line == line, "%s: line %d, expected %d (\"%s\")", label, (int)error.line, line,
               error.text);
    TEST_CHECK(error.index == index, "%s: index %" PRId64 ", expected %" PRId64 " (\"%s\")", label,
               error.index, index, error.text);
    TEST_CHECK(strcmp(error.file, "folder/file") == 0, "%s: file '%s'", label, error.file);
    TEST_CHECK(strlen(error.text) < sizeof error.text - 1, "%s: the message is cut off", label);
    TEST_CHECK(!found.vertices && !found.indices && !found.face_sizes && found.vertex_count == 0,
               "%s: not zero", label);
}

static void text_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const malformed *c = &cases[i];
        char label[64];
        snprintf(label, sizeof label, "case %zu (%s)", i, c->format);
        check(c->format, c->bytes, strlen(c->bytes), c->status, c->line, c->index, c->text, label);
    }
    print_message("%zu malformed text files\n", sizeof cases / sizeof *cases);
}

/* One facet with corner 1's y replaced. */
static void make_stl(buffer *b, uint32_t claimed, uint32_t held, uint32_t y_bits)
{
    static const char header[80] = "solid";
    b->length = 0;
    put_bytes(b, header, sizeof header);
    put_little(b, claimed, 4);
    for (uint32_t f = 0; f < held; ++f) {
        for (int i = 0; i < 12; ++i)
            put_little(b, i == 7 ? y_bits : 0x3f800000, 4);
        put_little(b, 0, 2);
    }
}

static void binary_stl(void **state)
{
    (void)state;
    buffer b = { 0 };
    make_stl(&b, 0, 0, 0);
    check("stl", b.bytes, b.length, VALUE, 0, -1, "holds no vertices", "no facets");
    make_stl(&b, 2, 1, 0);
    check("stl", b.bytes, b.length, VALUE, 0, -1,
          "claims 2 facets, which take 184 bytes, but the file has only 134", "short");
    make_stl(&b, 0xffffffffu, 1, 0);
    check("stl", b.bytes, b.length, VALUE, 0, -1, "claims 4294967295 facets, which take 214748364834 bytes",
          "huge count");
    make_stl(&b, 1, 2, 0);
    check("stl", b.bytes, b.length, VALUE, 0, -1,
          "but the file goes on for 50 more; fewer than 50 are allowed", "long");
    make_stl(&b, 1, 1, 0x7fc00000);
    check("stl", b.bytes, b.length, VALUE, 0, 1,
          "y of corner 1 of facet 0 (at byte 112) is nan; it must be finite", "nan");
    make_stl(&b, 2, 2, 0x7f800000);
    check("stl", b.bytes, b.length, VALUE, 0, 1, "y of corner 1 of facet 0 (at byte 112) is inf", "inf");
    make_stl(&b, 1, 1, 0);
    check("stl", b.bytes, 83, SYNTAX, 0, -1, "83 bytes, fewer than the 84 of the header", "cut header");
    check("stl", b.bytes, 133, VALUE, 0, -1, "claims 1 facets", "cut facet");
    /* Padding is no error. */
    put_bytes(&b, "padding", 7);
    abut_mesh_data found;
    assert_int_equal(abut_mesh_parse(b.bytes, b.length, "stl", NULL, NULL, &found, NULL), ABUT_OK);
    assert_int_equal(found.face_count, 1);
    abut_mesh_data_clear(&found);
    free(b.bytes);
}

static void make_ply(buffer *b, const char *vertex_count, const char *face_count, const char *list)
{
    b->length = 0;
    put(b,
        "ply\nformat binary_little_endian 1.0\nelement vertex %s\n" XYZ "element face %s\nproperty list %s "
        "vertex_indices\nend_header\n",
        vertex_count, face_count, list);
}

static void put_double(buffer *b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_little(b, bits, 8);
}

static void binary_ply(void **state)
{
    (void)state;
    buffer b = { 0 };
    make_ply(&b, "1", "0", "uchar int");
    check("ply", b.bytes, b.length, VALUE, 0, -1,
          "claims 1 elements (vertex), more than the 0 bytes left can hold", "none");
    make_ply(&b, "9223372036854775807", "0", "uchar int");
    check("ply", b.bytes, b.length, VALUE, 0, -1, "claims 9223372036854775807 elements (vertex)", "huge");
    make_ply(&b, "1", "0", "uchar int");
    char text[80];
    snprintf(text, sizeof text, "y of vertex 0 (at byte %zu) is nan; it must be finite", b.length + 8);
    put_double(&b, 1);
    put_double(&b, NAN);
    put_double(&b, 1);
    check("ply", b.bytes, b.length, VALUE, 0, 0, text, "nan");
    for (int i = 0; i < 8; ++i) {
        static const struct {
            const char *faces, *list;
            uint32_t count;
            int count_bytes;
            uint32_t index;
            int64_t at;
            const char *text;
        } ply[] = {
            { "1", "uchar int", 2, 1, 0, 0, "face 0 has 2 corners; at least 3 are needed" },
            { "1", "uchar int", 3, 1, 1, 0,
              "face 0 names vertex 1 (counted from 0), but there are only 1 vertices" },
            { "1", "uchar int", 3, 1, 0xffffffff, 0, "face 0 names vertex -1; indices count from 0" },
            { "1", "uchar uint", 3, 1, 0xffffffff, 0, "face 0 names vertex 4294967295" },
            { "1", "uchar int", 200, 1, 0, 0, "claims 200 items, but only 12 bytes are left" },
            { "1", "int int", 0x7fffffff, 4, 0, 0, "claims 2147483647 items" },
            { "1", "int int", 0x80000000, 4, 0, 0, "claims -2147483648 items" },
            { "2", "uchar int", 3, 1, 0, -1,
              "claims 2 elements (face), more than the 13 bytes left can hold" },
        };
        make_ply(&b, "1", ply[i].faces, ply[i].list);
        for (int k = 0; k < 3; ++k)
            put_double(&b, k);
        put_little(&b, ply[i].count, ply[i].count_bytes);
        for (int k = 0; k < 3; ++k)
            put_little(&b, ply[i].index, 4);
        check("ply", b.bytes, b.length, VALUE, 0, ply[i].at, ply[i].text, ply[i].text);
    }
    make_ply(&b, "1", "0", "uchar int");
    for (int k = 0; k < 3; ++k)
        put_double(&b, k);
    put(&b, "\n\nx");
    check("ply", b.bytes, b.length, SYNTAX, 0, -1, "1 bytes follow the last element", "trailing");
    free(b.bytes);
}

static void arguments_and_files(void **state)
{
    (void)state;
    abut_mesh_data found;
    abut_error error;
    assert_int_equal(abut_mesh_parse("v 0 0 0", 7, "dae", "x", NULL, &found, &error), ABUT_ERR_ARGUMENT);
    assert_non_null(strstr(error.text, "there is no mesh format 'dae'; there are obj, stl, ply and off"));
    assert_int_equal(abut_mesh_parse("v 0 0 0", 7, NULL, NULL, NULL, &found, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_mesh_parse(NULL, 7, "obj", "x", NULL, &found, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_mesh_parse("v 0 0 0", 7, "obj", "x", NULL, NULL, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_mesh_parse(NULL, 0, "obj", "x", NULL, &found, &error), ABUT_ERR_SYNTAX);
    /* The length is judged before any byte is read. */
    assert_int_equal(abut_mesh_parse("v", ((size_t)1 << 30) + 1, "obj", "x", NULL, &found, &error),
                     ABUT_ERR_LIMIT);
    assert_non_null(strstr(error.text, "larger than 1 GiB"));
    assert_int_equal(abut_mesh_load(NULL, NULL, &found, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_mesh_load("x.obj", NULL, NULL, &error), ABUT_ERR_ARGUMENT);
    assert_int_equal(abut_mesh_load("/no/such/folder/file.obj", NULL, &found, &error), ABUT_ERR_FILE);
    assert_non_null(strstr(error.text, "could not be opened; it must exist and be readable"));
    assert_string_equal(error.file, "/no/such/folder/file.obj");
    assert_int_equal(abut_mesh_load("/no/such/folder/file.obj", NULL, &found, NULL), ABUT_ERR_FILE);

    /* A folder with the ending of a mesh. */
    assert_int_equal(abut_mesh_load(ABUT_TEST_DATA "/io/meshes/folder.obj", NULL, &found, &error),
                     ABUT_ERR_FILE);
    assert_non_null(strstr(error.text, "could not be read; it must be a regular file, not a folder"));
    assert_true(!found.vertices && found.vertex_count == 0);

    /* Only the tail of a long name fits. */
    char name[600];
    memset(name, 'x', sizeof name);
    strcpy(name + 590, ".obj");
    assert_int_equal(abut_mesh_load(name, NULL, &found, &error), ABUT_ERR_FILE);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
    assert_string_equal(error.file + sizeof error.file - 5, ".obj");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_files),
        cmocka_unit_test(binary_stl),
        cmocka_unit_test(binary_ply),
        cmocka_unit_test(arguments_and_files),
    };
    return cmocka_run_group_tests_name("mesh_errors", tests, NULL, NULL);
}
