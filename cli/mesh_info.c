/* SPDX-License-Identifier: MIT */
/* abut info of a mesh file: its size, its box, and what is wrong with it.
 *
 * Vertices are equal when their coordinates are (0 equals -0); equal ones count as one for the rest. A face is degenerate
 * when two of its corners are equal or all of them lie on one line, which the exact predicate decides. An edge is open
 * when it is not run through once in each direction, so a mesh without open edges is closed and oriented. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct keyed_vertex {
    abut_vec3 at;
    size_t index;
} keyed_vertex;

typedef struct directed_edge {
    uint32_t low, high;
    int direction; /* +1: from low to high */
} directed_edge;

typedef struct mesh_report {
    size_t vertices, faces, triangles, duplicates, unused, degenerate, open_edges;
    bool has_bounds;
    abut_aabb bounds;
} mesh_report;

static int compare_number(double x, double y)
{
    return x < y ? -1 : x > y;
}

static int compare_vertices(const void *left, const void *right)
{
    const keyed_vertex *const p = left, *const q = right;
    int order = compare_number(p->at.x, q->at.x);
    if (order == 0)
        order = compare_number(p->at.y, q->at.y);
    if (order == 0)
        order = compare_number(p->at.z, q->at.z);
    return order ? order : p->index < q->index ? -1 : p->index > q->index;
}

static int compare_edges(const void *left, const void *right)
{
    const directed_edge *const p = left, *const q = right;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    return p->high < q->high ? -1 : p->high > q->high;
}

/* welded[i]: the first vertex with the coordinates of vertex i. */
static bool weld(const abut_mesh_data *mesh, uint32_t *welded, mesh_report *report)
{
    keyed_vertex *const sorted = malloc((mesh->vertex_count ? mesh->vertex_count : 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        sorted[i] = (keyed_vertex){ mesh->vertices[i], i };
    if (mesh->vertex_count)
        qsort(sorted, mesh->vertex_count, sizeof *sorted, compare_vertices);
    for (size_t i = 0, first = 0; i < mesh->vertex_count; ++i) {
        const abut_vec3 p = sorted[i].at, q = sorted[first].at;
        if (p.x != q.x || p.y != q.y || p.z != q.z)
            first = i;
        report->duplicates += first != i;
        welded[sorted[i].index] = (uint32_t)sorted[first].index;
    }
    free(sorted);
    return true;
}

/* stamps[v]: the last face (from 1) that has the vertex v, after welding; 0 when none has. */
static bool is_degenerate(const abut_mesh_data *mesh, const uint32_t *welded, size_t *stamps, size_t face,
                          size_t begin)
{
    const uint32_t *const corners = mesh->indices + begin;
    const uint32_t size = mesh->face_sizes[face];
    bool repeated = false, on_a_line = true;
    for (uint32_t i = 0; i < size; ++i) {
        size_t *const stamp = &stamps[welded[corners[i]]];
        repeated = repeated || *stamp == face + 1;
        *stamp = face + 1;
    }
    for (uint32_t i = 2; i < size && on_a_line && !repeated; ++i)
        on_a_line = abut_collinear(mesh->vertices[corners[0]], mesh->vertices[corners[1]],
                                   mesh->vertices[corners[i]]);
    return repeated || on_a_line;
}

static bool count_open_edges(const abut_mesh_data *mesh, const uint32_t *welded, mesh_report *report)
{
    directed_edge *const edges = malloc((mesh->index_count ? mesh->index_count : 1) * sizeof *edges);
    if (!edges)
        return false;
    size_t count = 0, begin = 0;
    for (size_t f = 0; f < mesh->face_count; begin += mesh->face_sizes[f++]) {
        const uint32_t size = mesh->face_sizes[f];
        for (uint32_t k = 0; k < size; ++k) {
            const uint32_t from = welded[mesh->indices[begin + k]];
            const uint32_t to = welded[mesh->indices[begin + (k + 1) % size]];
            if (from < to)
                edges[count++] = (directed_edge){ from, to, 1 };
            else if (from > to)
                edges[count++] = (directed_edge){ to, from, -1 };
        }
    }
    if (count)
        qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0, next; i < count; i = next) {
        int sum = 0;
        for (next = i; next < count && compare_edges(&edges[i], &edges[next]) == 0; ++next)
            sum += edges[next].direction;
        report->open_edges += next - i != 2 || sum != 0;
    }
    free(edges);
    return true;
}

static bool examine(const abut_mesh_data *mesh, mesh_report *report)
{
    *report = (mesh_report){ .vertices = mesh->vertex_count, .faces = mesh->face_count };
    uint32_t *const welded = malloc((mesh->vertex_count ? mesh->vertex_count : 1) * sizeof *welded);
    size_t *const stamps = calloc(mesh->vertex_count ? mesh->vertex_count : 1, sizeof *stamps);
    bool ok = welded && stamps && weld(mesh, welded, report);
    for (size_t f = 0, begin = 0; f < mesh->face_count && ok; begin += mesh->face_sizes[f++]) {
        report->triangles += mesh->face_sizes[f] == 3;
        report->degenerate += is_degenerate(mesh, welded, stamps, f, begin);
    }
    ok = ok && count_open_edges(mesh, welded, report);
    for (size_t i = 0; i < mesh->vertex_count && ok; ++i) {
        const abut_vec3 p = mesh->vertices[i];
        abut_aabb *const box = &report->bounds;
        report->unused += !stamps[welded[i]];
        if (i == 0)
            *box = (abut_aabb){ p, p };
        box->lo.x = p.x < box->lo.x ? p.x : box->lo.x;
        box->lo.y = p.y < box->lo.y ? p.y : box->lo.y;
        box->lo.z = p.z < box->lo.z ? p.z : box->lo.z;
        box->hi.x = p.x > box->hi.x ? p.x : box->hi.x;
        box->hi.y = p.y > box->hi.y ? p.y : box->hi.y;
        box->hi.z = p.z > box->hi.z ? p.z : box->hi.z;
        report->has_bounds = true;
    }
    free(welded);
    free(stamps);
    return ok;
}

static bool is_closed(const mesh_report *report)
{
    return report->faces > report->degenerate && report->open_edges == 0;
}

static void report_json(const cli_args *args, const mesh_report *report, double seconds, cli_text *out)
{
    const struct {
        const char *key;
        size_t count;
    } counts[] = { { "vertices", report->vertices },      { "faces", report->faces },
                   { "triangles", report->triangles },    { "duplicate_vertices", report->duplicates },
                   { "unused_vertices", report->unused }, { "degenerate_faces", report->degenerate },
                   { "open_edges", report->open_edges } };
    cli_json json = { .out = out };
    cli_json_open(&json, '{');
    cli_json_key(&json, "command");
    cli_json_string(&json, "info");
    cli_json_key(&json, "kind");
    cli_json_string(&json, "mesh");
    cli_json_key(&json, "file");
    cli_json_string(&json, args->operands[0]);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i) {
        cli_json_key(&json, counts[i].key);
        cli_json_count(&json, counts[i].count);
    }
    cli_json_key(&json, "closed");
    cli_json_bool(&json, is_closed(report));
    cli_json_key(&json, "bounds");
    if (report->has_bounds)
        cli_json_aabb(&json, report->bounds);
    else
        cli_json_null(&json);
    if (CLI_GIVEN(args, STATS)) {
        cli_json_key(&json, "stats");
        cli_json_open(&json, '{');
        cli_json_key(&json, "read_seconds");
        cli_json_number(&json, seconds);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, '}');
    cli_text_puts(out, "\n");
}

static void report_text(const cli_args *args, const mesh_report *report, double seconds, cli_text *out)
{
    cli_text_safe(out, args->operands[0]);
    cli_text_printf(out, ": mesh with %zu %s, %zu %s (%zu triangles), %s\n\n", report->vertices,
                    report->vertices == 1 ? "vertex" : "vertices", report->faces,
                    report->faces == 1 ? "face" : "faces", report->triangles,
                    is_closed(report) ? "closed" : "not closed");
    if (report->has_bounds) {
        cli_text_puts(out, "box                 ");
        cli_text_vec3(out, report->bounds.lo);
        cli_text_puts(out, " to ");
        cli_text_vec3(out, report->bounds.hi);
        cli_text_puts(out, "\n");
    }
    cli_text_printf(out,
                    "duplicate vertices  %zu\nunused vertices     %zu\ndegenerate faces    %zu\nopen edges   "
                    "       %zu\n",
                    report->duplicates, report->unused, report->degenerate, report->open_edges);
    if (CLI_GIVEN(args, STATS))
        cli_text_printf(out, "\nread in %.3g ms\n", 1e3 * seconds);
}

int cli_run_mesh_info(const cli_args *args)
{
    abut_mesh_data mesh;
    abut_error error = { .index = -1 };
    mesh_report report;
    memset(&mesh, 0, sizeof mesh);
    if (CLI_GIVEN(args, NAMES)) {
        cli_message("info: --names goes with a scene; '%s' is a mesh file", args->operands[0]);
        return CLI_USAGE;
    }
    const double opened = cli_clock();
    const abut_status status = abut_mesh_load(args->operands[0], NULL, &mesh, &error);
    const double seconds = cli_clock() - opened;
    if (status != ABUT_OK)
        return cli_report(status, &error);
    const bool examined = examine(&mesh, &report);
    abut_mesh_data_clear(&mesh);
    if (!examined)
        return cli_out_of_memory();
    cli_text out = { 0 };
    if (CLI_GIVEN(args, JSON))
        report_json(args, &report, seconds, &out);
    else
        report_text(args, &report, seconds, &out);
    return cli_text_write(&out, CLI_DONE);
}
