/* SPDX-License-Identifier: MIT */
/* abut info of a mesh file, and what it says about the meshes of a scene: sizes, what may be wrong,
 * the hierarchy.
 *
 * A file is taken as the `mesh` that a scene would make of it: faces of more than three
 * corners are split from their first. Nothing in it is refused; a mesh that is not closed is one
 * that is not closed. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what files and scenes have in common ---- */

void cli_mesh_report_json(cli_json *json, const abut_mesh_report *report)
{
    const struct {
        const char *key;
        size_t count;
    } counts[] = { { "triangles", report->triangles },
                   { "duplicate_vertices", report->duplicate_vertices },
                   { "unused_vertices", report->unused_vertices },
                   { "degenerate_faces", report->degenerate },
                   { "duplicate_faces", report->duplicate },
                   { "edges", report->edges },
                   { "open_edges", report->open_edges },
                   { "crowded_edges", report->crowded_edges },
                   { "flipped_edges", report->flipped },
                   { "flipped_faces", report->flipped_faces },
                   { "components", report->components } };
    const struct {
        const char *key;
        bool is;
    } properties[] = { { "closed", report->closed },
                       { "oriented", report->oriented },
                       { "outward", report->outward } };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
        cli_json_count(cli_json_key(json, counts[i].key), counts[i].count);
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; ++i) {
        cli_json_bool(cli_json_key(json, properties[i].key), properties[i].is);
    }
    cli_json_number(cli_json_key(json, "area"), report->area);
    cli_json_key(json, "volume");
    if (report->oriented)
        cli_json_number(json, report->volume);
    else
        cli_json_null(json);
}

void cli_hierarchy_json(cli_json *json, const abut_hierarchy_info *info, size_t triangles)
{
    const double each = 1 / (double)triangles;
    cli_json_open(cli_json_key(json, "hierarchy"), '{');
    cli_json_string(cli_json_key(json, "volume"), abut_volume_name(info->volume));
    cli_json_string(cli_json_key(json, "builder"), abut_builder_name(info->builder));
    cli_json_count(cli_json_key(json, "nodes"), info->nodes);
    cli_json_count(cli_json_key(json, "leaves"), info->leaves);
    cli_json_count(cli_json_key(json, "depth"), info->depth);
    cli_json_count(cli_json_key(json, "bytes"), info->bytes);
    cli_json_number(cli_json_key(json, "bytes_per_triangle"), each * (double)info->bytes);
    cli_json_number(cli_json_key(json, "total_bytes_per_triangle"), each * (double)info->total_bytes);
    cli_json_close(json, '}');
}

const char *cli_mesh_kind(const abut_mesh_report *report)
{
    return !report->closed     ? "not closed"
           : !report->oriented ? "closed, not oriented"
           : report->outward   ? "closed"
                               : "closed, turned inward";
}

void cli_hierarchy_text(cli_text *out, const abut_hierarchy_info *info, size_t triangles)
{
    cli_text_printf(out, "%s, %zu %s, %zu deep, ", abut_volume_name(info->volume), info->nodes,
                    info->nodes == 1 ? "node" : "nodes", info->depth);
    cli_text_printf(out, "%.0f bytes a triangle", (double)info->bytes / (double)triangles);
}

/* ---- a file ---- */

typedef struct mesh_file {
    abut_mesh_data data;
    uint32_t *triangles;
    size_t triangle_count;
    abut_mesh_report report;
    bool has_hierarchy; /* a file without faces has none */
    abut_aabb bounds;
    bool has_round; /* the smallest ball and the smallest ellipsoid around the vertices */
    abut_vec3 centre;
    double radius;
    abut_affine ellipsoid;
    abut_hierarchy_info hierarchy;
} mesh_file;

static bool split_faces(mesh_file *file)
{
    const abut_mesh_data *const data = &file->data;
    for (size_t i = 0; i < data->face_count; ++i)
        file->triangle_count += data->face_sizes[i] - 2;
    file->triangles = malloc((file->triangle_count ? file->triangle_count : 1) * 3 * sizeof *file->triangles);
    if (!file->triangles)
        return false;
    uint32_t *to = file->triangles;
    const uint32_t *corners = data->indices;
    for (size_t i = 0; i < data->face_count; corners += data->face_sizes[i++])
        for (uint32_t k = 2; k < data->face_sizes[i]; ++k) {
            *to++ = corners[0];
            *to++ = corners[k - 1];
            *to++ = corners[k];
        }
    return true;
}

static void bound(mesh_file *file)
{
    for (size_t i = 0; i < file->data.vertex_count; ++i) {
        const abut_vec3 p = file->data.vertices[i];
        abut_aabb *const box = &file->bounds;
        if (i == 0)
            *box = (abut_aabb){ p, p };
        box->lo.x = p.x < box->lo.x ? p.x : box->lo.x;
        box->lo.y = p.y < box->lo.y ? p.y : box->lo.y;
        box->lo.z = p.z < box->lo.z ? p.z : box->lo.z;
        box->hi.x = p.x > box->hi.x ? p.x : box->hi.x;
        box->hi.y = p.y > box->hi.y ? p.y : box->hi.y;
        box->hi.z = p.z > box->hi.z ? p.z : box->hi.z;
    }
}

static abut_status examine(mesh_file *file, abut_error *error)
{
    const abut_mesh_data *const data = &file->data;
    if (!split_faces(file))
        return ABUT_ERR_MEMORY;
    bound(file);
    /* Files whose bounds are larger than doubles have none. */
    file->has_round =
        data->vertex_count > 0 &&
        abut_sphere_fit(data->vertices, data->vertex_count, &file->centre, &file->radius, NULL) == ABUT_OK &&
        abut_ellipsoid_fit(data->vertices, data->vertex_count, 1e-12, NULL, &file->ellipsoid, NULL) ==
            ABUT_OK;
    abut_status status = abut_mesh_inspect(data->vertices, data->vertex_count, file->triangles,
                                           file->triangle_count, NULL, &file->report, error);
    if (status != ABUT_OK || file->triangle_count == 0)
        return status;
    abut_shape *shape;
    status = abut_shape_create_mesh(data->vertices, data->vertex_count, file->triangles, file->triangle_count,
                                    false, NULL, &shape, error);
    if (status != ABUT_OK)
        return status;
    file->has_hierarchy = abut_shape_get_hierarchy(shape, &file->hierarchy) == ABUT_OK;
    abut_shape_release(shape);
    return ABUT_OK;
}

static void round_json(cli_json *json, const mesh_file *file)
{
    const double at[3] = { file->ellipsoid.translation.x, file->ellipsoid.translation.y,
                           file->ellipsoid.translation.z };
    cli_json_open(cli_json_key(json, "ball"), '{');
    cli_json_vec3(cli_json_key(json, "centre"), file->centre);
    cli_json_number(cli_json_key(json, "radius"), file->radius);
    cli_json_close(json, '}');
    cli_json_open(cli_json_key(json, "ellipsoid"), '{');
    cli_json_open(cli_json_key(json, "matrix"), '[');
    for (int i = 0; i < 3; ++i) {
        cli_json_open(json, '[');
        for (int j = 0; j < 4; ++j)
            cli_json_number(json, j < 3 ? file->ellipsoid.linear.m[i][j] : at[i]);
        cli_json_close(json, ']');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static void file_json(const cli_args *args, const mesh_file *file, double seconds, cli_text *out)
{
    cli_json json = { .out = out };
    cli_json_open(&json, '{');
    cli_json_string(cli_json_key(&json, "command"), "info");
    cli_json_string(cli_json_key(&json, "kind"), "mesh");
    cli_json_string(cli_json_key(&json, "file"), args->operands[0]);
    cli_json_count(cli_json_key(&json, "vertices"), file->data.vertex_count);
    cli_json_count(cli_json_key(&json, "faces"), file->data.face_count);
    cli_mesh_report_json(&json, &file->report);
    cli_json_key(&json, "bounds");
    if (file->data.vertex_count)
        cli_json_aabb(&json, file->bounds);
    else
        cli_json_null(&json);
    if (file->has_round)
        round_json(&json, file);
    if (file->has_hierarchy)
        cli_hierarchy_json(&json, &file->hierarchy, file->triangle_count);
    if (CLI_GIVEN(args, STATS)) {
        cli_json_open(cli_json_key(&json, "stats"), '{');
        cli_json_number(cli_json_key(&json, "read_seconds"), seconds);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, '}');
    cli_text_puts(out, "\n");
}

static void count_line(cli_text *out, const char *what, size_t count)
{
    cli_text_printf(out, "%-19s %zu\n", what, count);
}

static void number_line(cli_text *out, const char *what, double x)
{
    cli_text_printf(out, "%-19s ", what);
    cli_text_number(out, x);
    cli_text_puts(out, "\n");
}

/* What is rounding beside the size of it all is 0 for the eye. */
static abut_vec3 rounded(abut_vec3 v, double size)
{
    const double least = 1e-9 * size;
    return (abut_vec3){ fabs(v.x) < least ? 0 : v.x, fabs(v.y) < least ? 0 : v.y,
                        fabs(v.z) < least ? 0 : v.z };
}

static void round_text(cli_text *out, const mesh_file *file)
{
    cli_text_puts(out, "ball                ");
    cli_text_number(out, file->radius);
    cli_text_puts(out, " about ");
    cli_text_vec3(out, rounded(file->centre, file->radius));
    cli_text_puts(out, "\nellipsoid           ");
    for (int j = 0; j < 3; ++j) {
        const double(*m)[3] = file->ellipsoid.linear.m;
        cli_text_number(out, hypot(hypot(m[0][j], m[1][j]), m[2][j]));
        cli_text_puts(out, j < 2 ? " x " : " about ");
    }
    cli_text_vec3(out, rounded(file->ellipsoid.translation, file->radius));
    cli_text_puts(out, "\n");
}

static void file_text(const cli_args *args, const mesh_file *file, double seconds, cli_text *out)
{
    const abut_mesh_report *const report = &file->report;
    cli_text_safe(out, args->operands[0]);
    cli_text_printf(out, ": mesh with %zu %s, %zu %s (%zu triangles), %s\n\n", file->data.vertex_count,
                    file->data.vertex_count == 1 ? "vertex" : "vertices", file->data.face_count,
                    file->data.face_count == 1 ? "face" : "faces", report->triangles, cli_mesh_kind(report));
    if (file->data.vertex_count) {
        cli_text_puts(out, "box                 ");
        cli_text_vec3(out, file->bounds.lo);
        cli_text_puts(out, " to ");
        cli_text_vec3(out, file->bounds.hi);
        cli_text_puts(out, "\n");
    }
    if (file->has_round)
        round_text(out, file);
    count_line(out, "components", report->components);
    count_line(out, "edges", report->edges);
    count_line(out, "open edges", report->open_edges);
    count_line(out, "crowded edges", report->crowded_edges);
    count_line(out, "flipped edges", report->flipped);
    count_line(out, "flipped faces", report->flipped_faces);
    count_line(out, "degenerate faces", report->degenerate);
    count_line(out, "duplicate faces", report->duplicate);
    count_line(out, "duplicate vertices", report->duplicate_vertices);
    count_line(out, "unused vertices", report->unused_vertices);
    number_line(out, "area", report->area);
    if (report->oriented)
        number_line(out, "volume", report->volume);
    if (file->has_hierarchy) {
        cli_text_puts(out, "hierarchy           ");
        cli_hierarchy_text(out, &file->hierarchy, file->triangle_count);
        cli_text_puts(out, "\n");
    }
    if (CLI_GIVEN(args, STATS))
        cli_text_printf(out, "\nread in %.3g ms\n", 1e3 * seconds);
}

int cli_run_mesh_info(const cli_args *args)
{
    mesh_file file;
    abut_error error = { .index = -1 };
    memset(&file, 0, sizeof file);
    if (CLI_GIVEN(args, NAMES)) {
        cli_message("info: --names goes with a scene; '%s' is a mesh file", args->operands[0]);
        return CLI_USAGE;
    }
    const double opened = cli_clock();
    abut_status status = abut_mesh_load(args->operands[0], NULL, &file.data, &error);
    const double seconds = cli_clock() - opened;
    if (status == ABUT_OK)
        status = examine(&file, &error);
    cli_text out = { 0 };
    if (status == ABUT_OK && CLI_GIVEN(args, JSON))
        file_json(args, &file, seconds, &out);
    else if (status == ABUT_OK)
        file_text(args, &file, seconds, &out);
    abut_mesh_data_clear(&file.data);
    free(file.triangles);
    if (status == ABUT_ERR_MEMORY)
        return cli_out_of_memory();
    return status == ABUT_OK ? cli_text_write(&out, CLI_DONE) : cli_report(status, &error);
}
