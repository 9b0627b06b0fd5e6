/* SPDX-License-Identifier: MIT */
/* STEP and BREP files: finds and loads the module that reads them (io/occt/), and turns what it gives
 * into definitions of solids.
 *
 * The module lies beside the library or the program, in ../lib from there, or where it was built or
 * installed. It is never unloaded: Open CASCADE registers types and exit handlers. Files that Open
 * CASCADE would only fail on, or crash on, are recognised by their first and last lines beforehand. */
#define _GNU_SOURCE /* dladdr */
#include "abut/solid_file.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "io/mesh/open_file.h"
#include "io/occt/occt.h"
#include "math/nearest.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef ABUT_HAVE_OCCT
#include <dlfcn.h>
#endif

typedef struct part_view {
    abut_solid_part about;
    abut_solid_def def;
} part_view;

struct abut_solid_file {
    abut_allocator alloc;
    abut_workspace memory; /* of all that follows */
    const occt_reader *reader;
    occt_file *content;
    part_view *parts;
    char name[256];
};

/* ---- names ---- */

static bool ends_with(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    if (n <= m)
        return false;
    for (size_t i = 0; i < m; ++i)
        if (tolower((unsigned char)name[n - m + i]) != ending[i])
            return false;
    return true;
}

static bool format_of(const char *file, occt_format *out)
{
    if (file && (ends_with(file, ".step") || ends_with(file, ".stp"))) {
        *out = OCCT_STEP;
        return true;
    }
    *out = OCCT_BREP;
    return file && (ends_with(file, ".brep") || ends_with(file, ".brp"));
}

bool abut_solid_file_known(const char *file)
{
    occt_format format;
    return format_of(file, &format);
}

/* The error carries the file's name, its tail where it is long. */
static abut_status named(abut_error *error, abut_status status, const char *file)
{
    if (error) {
        const size_t length = strlen(file), room = sizeof error->file - 1;
        strcpy(error->file, file + (length > room ? length - room : 0));
    }
    return status;
}

/* ---- the module ---- */

#ifdef ABUT_HAVE_OCCT

#define MODULE_NAME "libabut_occt.so"

static const occt_reader *load_from(const char *folder, size_t length, const char *below)
{
    char path[1024];
    const int written = snprintf(path, sizeof path, "%.*s%s/" MODULE_NAME, (int)length, folder, below);
    if (written < 0 || (size_t)written >= sizeof path)
        return NULL;
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!module)
        return NULL;
    abut_occt_reader_fn get = NULL;
    void *symbol = dlsym(module, ABUT_OCCT_SYMBOL);
    memcpy(&get, &symbol, sizeof get); /* ISO C has no conversion between the two kinds of pointer */
    const occt_reader *reader = get ? get() : NULL;
    return reader && reader->version == ABUT_OCCT_VERSION ? reader : NULL;
}

static const occt_reader *load_module(void)
{
    Dl_info here;
    const occt_reader *reader = NULL;
    static const char anchor = 0; /* an address inside this library or program */
    if (dladdr(&anchor, &here) && here.dli_fname) {
        const char *slash = strrchr(here.dli_fname, '/');
        if (slash) {
            const size_t length = (size_t)(slash - here.dli_fname);
            reader = load_from(here.dli_fname, length, "");
            if (!reader)
                reader = load_from(here.dli_fname, length, "/../lib");
        }
    }
    static const char *const places[] = { ABUT_OCCT_INSTALLED, ABUT_OCCT_BUILT };
    for (size_t i = 0; i < sizeof places / sizeof *places && !reader; ++i)
        reader = load_from(places[i], strlen(places[i]), "");
    return reader;
}

#else

static const occt_reader *load_module(void)
{
    return NULL;
}

#endif

bool abut_solid_file_supported(void)
{
    return load_module() != NULL;
}

/* ---- conversion ---- */

static abut_vec3 vec(const double *v)
{
    return (abut_vec3){ v[0], v[1], v[2] };
}

static void convert_surface(const occt_surface *in, abut_solid_surface *out)
{
    static const abut_solid_surface_kind kinds[] = { ABUT_SOLID_NO_SURFACE, ABUT_SOLID_PLANE,
                                                     ABUT_SOLID_SPHERE,     ABUT_SOLID_CYLINDER,
                                                     ABUT_SOLID_CONE,       ABUT_SOLID_TORUS,
                                                     ABUT_SOLID_QUADRIC };
    *out = (abut_solid_surface){ .kind = kinds[in->kind], .point = vec(in->point), .axis = vec(in->axis) };
    memcpy(out->matrix, in->matrix, sizeof out->matrix);
    if (in->kind == OCCT_CONE)
        out->tangent = in->radius;
    else
        out->radius = in->radius;
    out->minor = in->minor;
}

static bool convert_edge(const occt_edge *in, abut_workspace *ws, abut_solid_edge *out)
{
    static const abut_solid_edge_kind kinds[] = { ABUT_SOLID_NO_EDGE,           ABUT_SOLID_EDGE_LINE,
                                                  ABUT_SOLID_EDGE_CIRCLE,       ABUT_SOLID_EDGE_CONIC,
                                                  ABUT_SOLID_EDGE_INTERSECTION, ABUT_SOLID_EDGE_SPLINE };
    *out = (abut_solid_edge){ .kind = kinds[in->kind], .from = (uint32_t)in->from, .to = (uint32_t)in->to };
    if (in->kind == OCCT_CIRCLE) {
        out->center = vec(in->point);
        out->axis = vec(in->axis);
    } else if (in->kind == OCCT_CONIC) {
        out->control = vec(in->point);
        out->weight = in->weight;
    } else if (in->kind == OCCT_INTERSECTION) {
        out->through = vec(in->point);
        out->surfaces[0] = (uint32_t)in->surfaces[0];
        out->surfaces[1] = (uint32_t)in->surfaces[1];
    } else if (in->kind == OCCT_SPLINE) {
        abut_vec3 *points = abut_workspace_take(ws, in->point_count, sizeof *points);
        if (!points)
            return false;
        for (size_t i = 0; i < in->point_count; ++i)
            points[i] = vec(in->points + 3 * i);
        out->points = points;
        out->point_count = in->point_count;
    }
    return true;
}

static bool convert_face(const occt_face *in, abut_workspace *ws, abut_solid_face *out)
{
    abut_solid_loop *loops = abut_workspace_take(ws, in->loop_count + 1, sizeof *loops);
    if (!loops)
        return false;
    *out = (abut_solid_face){
        .surface = (uint32_t)in->surface, .outward = in->outward, .loops = loops, .loop_count = in->loop_count
    };
    for (size_t i = 0; i < in->loop_count; ++i) {
        abut_solid_coedge *coedges = abut_workspace_take(ws, in->loops[i].count, sizeof *coedges);
        if (!coedges)
            return false;
        for (size_t k = 0; k < in->loops[i].count; ++k)
            coedges[k] =
                (abut_solid_coedge){ (uint32_t)in->loops[i].coedges[k].edge, in->loops[i].coedges[k].sense };
        loops[i] = (abut_solid_loop){ coedges, in->loops[i].count };
    }
    return true;
}

static void count_kinds(const occt_part *in, abut_solid_part *out)
{
    for (size_t i = 0; i < in->face_count; ++i) {
        abut_solid_surface surface = { 0 };
        if (in->faces[i].surface >= 0)
            convert_surface(&in->surfaces[in->faces[i].surface], &surface);
        ++out->faces_by_kind[surface.kind];
    }
    for (size_t i = 0; i < in->edge_count; ++i)
        ++out->edges_by_kind[in->edges[i].kind]; /* the two lists have one order */
}

/* False: memory is out. The definition stays empty where the part has issues. */
static bool convert_part(const occt_part *in, abut_workspace *ws, part_view *out)
{
    *out = (part_view){ .about = { .vertices = in->vertex_count,
                                   .edges = in->edge_count,
                                   .faces = in->face_count,
                                   .shells = in->shell_count,
                                   .tolerance = in->tolerance,
                                   .measured = in->measured,
                                   .size = in->size,
                                   .seams = in->seams,
                                   .recognised_faces = in->recognised_faces,
                                   .recognised_edges = in->recognised_edges,
                                   .issues = in->issue_count } };
    count_kinds(in, &out->about);
    if (in->issue_count)
        return true;
    abut_solid_surface *surfaces = abut_workspace_take(ws, in->surface_count + 1, sizeof *surfaces);
    abut_vec3 *vertices = abut_workspace_take(ws, in->vertex_count + 1, sizeof *vertices);
    abut_solid_edge *edges = abut_workspace_take(ws, in->edge_count + 1, sizeof *edges);
    abut_solid_face *faces = abut_workspace_take(ws, in->face_count + 1, sizeof *faces);
    if (!surfaces || !vertices || !edges || !faces)
        return false;
    for (size_t i = 0; i < in->surface_count; ++i)
        convert_surface(&in->surfaces[i], &surfaces[i]);
    for (size_t i = 0; i < in->vertex_count; ++i)
        vertices[i] = vec(in->vertices + 3 * i);
    for (size_t i = 0; i < in->edge_count; ++i)
        if (!convert_edge(&in->edges[i], ws, &edges[i]))
            return false;
    for (size_t i = 0; i < in->face_count; ++i)
        if (!convert_face(&in->faces[i], ws, &faces[i]))
            return false;
    out->def =
        (abut_solid_def){ surfaces, in->surface_count, vertices,     in->vertex_count, edges, in->edge_count,
                          faces,    in->face_count,    in->tolerance };
    return true;
}

/* ---- files ---- */

/* What Open CASCADE says badly or not at all. */
static abut_status examine(const char *file, occt_format format, abut_error *error)
{
    abut_io_opened opened;
    FILE *stream = abut_io_open(file, &opened);
    if (!stream && opened.kind)
        return abut_base_fail(error, ABUT_ERR_FILE, -1, "this is %s, not a file", opened.kind);
    if (!stream)
        return abut_base_fail(error, ABUT_ERR_FILE, -1,
                              "the file could not be opened; it must exist and be readable");
    char head[512], tail[512];
    const size_t first = fread(head, 1, sizeof head - 1, stream);
    head[first] = 0;
    const long back = opened.size < (int64_t)sizeof tail ? (long)opened.size : (long)sizeof tail - 1;
    size_t last = 0;
    if (fseek(stream, -back, SEEK_END) == 0)
        last = fread(tail, 1, sizeof tail - 1, stream);
    tail[last] = 0;
    const bool failed = ferror(stream) != 0;
    fclose(stream);
    if (failed)
        return abut_base_fail(error, ABUT_ERR_FILE, -1, "the file could not be read");
    if (first == 0)
        return abut_base_fail(error, ABUT_ERR_SYNTAX, -1, "the file is empty");
    if (format == OCCT_STEP && !strstr(head, "ISO-10303-21"))
        return abut_base_fail(error, ABUT_ERR_SYNTAX, -1,
                              "this is no STEP file: it does not begin with ISO-10303-21");
    if (format == OCCT_STEP && !strstr(tail, "END-ISO-10303-21"))
        return abut_base_fail(error, ABUT_ERR_SYNTAX, -1,
                              "the STEP file ends without END-ISO-10303-21; it may have been cut short");
    if (format == OCCT_BREP && !strstr(head, "CASCADE Topology"))
        return abut_base_fail(error, ABUT_ERR_SYNTAX, -1,
                              "this is no BREP file: it does not begin with CASCADE Topology");
    return ABUT_OK;
}

static abut_status fill(abut_solid_file *file, const char *path, occt_format format, abut_error *error)
{
    char message[256];
    const occt_status status = file->reader->read(path, format, &file->content, message, sizeof message);
    if (status == OCCT_MEMORY)
        return abut_base_fail_memory(error);
    if (status != OCCT_OK)
        return abut_base_fail(error, status == OCCT_EMPTY ? ABUT_ERR_VALUE : ABUT_ERR_SYNTAX, -1, "%s",
                              message);
    const size_t count = file->content->part_count;
    if (count == 0)
        return abut_base_fail(error, ABUT_ERR_VALUE, -1,
                              "there is no solid in the file, only %zu faces that enclose nothing",
                              file->content->loose_faces);
    file->parts = abut_workspace_take(&file->memory, count, sizeof *file->parts);
    if (!file->parts)
        return abut_base_fail_memory(error);
    for (size_t i = 0; i < count; ++i)
        if (!convert_part(&file->content->parts[i], &file->memory, &file->parts[i]))
            return abut_base_fail_memory(error);
    return ABUT_OK;
}

static ABUT_MATH_NOINLINE abut_status open_file(const char *path, const abut_allocator *alloc,
                                                abut_solid_file **out, abut_error *error)
{
    occt_format format;
    if (!format_of(path, &format))
        return abut_base_fail(error, ABUT_ERR_FILE, -1,
                              "a solid is read from .step, .stp, .brep or .brp files");
    abut_status status = examine(path, format, error);
    if (status != ABUT_OK)
        return status;
    const occt_reader *reader = load_module();
    if (!reader)
        return abut_base_fail(error, ABUT_ERR_FILE, -1,
                              "%s files are read through Open CASCADE, which this build of abut is without",
                              format == OCCT_STEP ? "STEP" : "BREP");
    abut_solid_file *file = abut_base_alloc_zero(alloc, 1, sizeof *file);
    if (!file)
        return abut_base_fail_memory(error);
    file->alloc = *alloc;
    file->reader = reader;
    abut_workspace_open(&file->memory, alloc);
    snprintf(file->name, sizeof file->name, "%s", path);
    status = fill(file, path, format, error);
    if (status != ABUT_OK) {
        abut_solid_file_close(file);
        return status;
    }
    *out = file;
    return ABUT_OK;
}

abut_status abut_solid_file_open(const char *path, const abut_allocator *alloc, abut_solid_file **out,
                                 abut_error *error)
{
    abut_base_clear(error);
    if (out)
        *out = NULL;
    if (!out || !path)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "file and out must not be NULL");
    const abut_allocator allocator = abut_base_allocator(alloc);
    const abut_nearest_library saved = abut_nearest_enter_library();
    const abut_status status = open_file(path, &allocator, out, error);
    abut_nearest_leave_library(saved);
    return status == ABUT_OK ? status : named(error, status, path);
}

void abut_solid_file_close(abut_solid_file *file)
{
    if (!file)
        return;
    if (file->content)
        file->reader->close(file->content);
    abut_workspace_close(&file->memory);
    const abut_allocator alloc = file->alloc;
    abut_base_free(&alloc, file, 1, sizeof *file);
}

size_t abut_solid_file_part_count(const abut_solid_file *file)
{
    return file ? file->content->part_count : 0;
}

size_t abut_solid_file_loose_faces(const abut_solid_file *file)
{
    return file ? file->content->loose_faces : 0;
}

const char *abut_solid_file_unit(const abut_solid_file *file)
{
    return file ? file->content->unit : "";
}

abut_status abut_solid_file_get_part(const abut_solid_file *file, size_t part, abut_solid_part *out)
{
    if (!file || !out || part >= file->content->part_count)
        return ABUT_ERR_ARGUMENT;
    *out = file->parts[part].about;
    return ABUT_OK;
}

const char *abut_solid_file_issue(const abut_solid_file *file, size_t part, size_t issue, int64_t *face)
{
    if (face)
        *face = -1;
    if (!file || part >= file->content->part_count || issue >= file->content->parts[part].issue_count)
        return "";
    const occt_issue *found = &file->content->parts[part].issues[issue];
    if (face)
        *face = found->face;
    return found->text;
}

abut_status abut_solid_file_get_def(const abut_solid_file *file, size_t part, abut_solid_def *out,
                                    abut_error *error)
{
    abut_base_clear(error);
    if (!file || !out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "file and out must not be NULL");
    const size_t count = file->content->part_count;
    if (part >= count)
        return named(error,
                     abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                                    "there is no part %zu; the file has %zu, counted from 0", part, count),
                     file->name);
    int64_t face = -1;
    const char *text = abut_solid_file_issue(file, part, 0, &face);
    const size_t issues = file->content->parts[part].issue_count;
    if (issues > 1)
        return named(error,
                     abut_base_fail(error, ABUT_ERR_UNSUPPORTED, face,
                                    "%s; there are %zu such (abut info lists them)", text, issues),
                     file->name);
    if (issues)
        return named(error, abut_base_fail(error, ABUT_ERR_UNSUPPORTED, face, "%s", text), file->name);
    *out = file->parts[part].def;
    return ABUT_OK;
}

abut_status abut_shape_load_solid(const char *path, size_t part, double tolerance,
                                  const abut_allocator *alloc, abut_shape **out, abut_error *error)
{
    abut_base_clear(error);
    if (out)
        *out = NULL;
    if (!out || !path || !(tolerance >= 0) || isinf(tolerance))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "file and out must not be NULL, tolerance finite and not negative");
    abut_solid_file *file;
    abut_status status = abut_solid_file_open(path, alloc, &file, error);
    if (status != ABUT_OK)
        return status;
    const size_t count = abut_solid_file_part_count(file);
    abut_solid_def def;
    if (part == ABUT_SOLID_ONLY_PART && count > 1)
        status = abut_base_fail(error, ABUT_ERR_VALUE, -1,
                                "there are %zu solids in the file; choose one by its part number, 0 to %zu",
                                count, count - 1);
    else
        status = abut_solid_file_get_def(file, part == ABUT_SOLID_ONLY_PART ? 0 : part, &def, error);
    if (status == ABUT_OK) {
        if (tolerance > 0)
            def.tolerance = tolerance;
        status = abut_shape_create_solid(&def, alloc, out, error);
    }
    abut_solid_file_close(file);
    return status == ABUT_OK ? status : named(error, status, path);
}
