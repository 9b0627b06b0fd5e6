/* SPDX-License-Identifier: MIT */
/* abut info of a STEP or BREP file: the solids in it, their faces and edges by kind, what was
 * recognised, what is not supported, and for those that can be used bounds, volume and area. */
#include "cli.h"

#include <string.h>

typedef struct part_report {
    abut_solid_part part;
    abut_status status; /* of making the shape, where there are no issues */
    abut_error error;
    bool made, measured;
    abut_aabb bounds;
    abut_solid_info info;
    bool has_ball, has_box;
    abut_solid_ball ball;
    abut_solid_obb box;
} part_report;

/* ABUT_ERR_MEMORY stops; everything else is a finding. */
static abut_status examine(const abut_solid_file *file, size_t index, part_report *out)
{
    memset(out, 0, sizeof *out);
    out->error.index = -1;
    abut_solid_def def;
    abut_solid_file_get_part(file, index, &out->part);
    if (out->part.issues)
        return ABUT_OK;
    out->status = abut_solid_file_get_def(file, index, &def, &out->error);
    abut_shape *shape = NULL;
    if (out->status == ABUT_OK)
        out->status = abut_shape_create_solid(&def, NULL, &shape, &out->error);
    if (out->status != ABUT_OK)
        return out->status == ABUT_ERR_MEMORY ? ABUT_ERR_MEMORY : ABUT_OK;
    out->made = true;
    out->bounds = abut_shape_bounds(shape);
    out->measured = abut_solid_get_info(shape, &out->info) == ABUT_OK;
    out->has_ball = abut_solid_enclosing_ball(shape, &out->ball) == ABUT_OK;
    out->has_box = abut_solid_enclosing_box(shape, &out->box) == ABUT_OK;
    abut_shape_release(shape);
    return ABUT_OK;
}

/* ---- JSON ---- */

static void ball_json(cli_json *json, const abut_solid_ball *ball)
{
    cli_json_open(cli_json_key(json, "ball"), '{');
    cli_json_vec3(cli_json_key(json, "center"), ball->center);
    cli_json_number(cli_json_key(json, "radius"), ball->radius);
    cli_json_number(cli_json_key(json, "least"), ball->least);
    cli_json_count(cli_json_key(json, "evaluations"), (size_t)ball->evaluations);
    cli_json_close(json, '}');
}

static void box_json(cli_json *json, const abut_solid_obb *box)
{
    cli_json_open(cli_json_key(json, "box"), '{');
    cli_json_vec3(cli_json_key(json, "center"), box->center);
    cli_json_open(cli_json_key(json, "axes"), '[');
    for (int i = 0; i < 3; ++i)
        cli_json_vec3(json, box->axis[i]);
    cli_json_close(json, ']');
    cli_json_vec3(cli_json_key(json, "half"), box->half);
    cli_json_number(cli_json_key(json, "volume"), box->volume);
    cli_json_count(cli_json_key(json, "evaluations"), (size_t)box->evaluations);
    cli_json_close(json, '}');
}

static void hierarchy_json(cli_json *json, const abut_solid_info *info)
{
    cli_json_open(cli_json_key(json, "hierarchy"), '{');
    cli_json_count(cli_json_key(json, "features"), info->features);
    cli_json_count(cli_json_key(json, "nodes"), info->nodes);
    cli_json_count(cli_json_key(json, "height"), info->height);
    cli_json_close(json, '}');
}

void cli_solid_volumes_json(const abut_shape *shape, cli_json *json)
{
    abut_solid_info info;
    abut_solid_ball ball;
    abut_solid_obb box;
    if (abut_solid_get_info(shape, &info) == ABUT_OK)
        hierarchy_json(json, &info);
    if (abut_solid_enclosing_ball(shape, &ball) == ABUT_OK)
        ball_json(json, &ball);
    if (abut_solid_enclosing_box(shape, &box) == ABUT_OK)
        box_json(json, &box);
}

static void kinds_json(cli_json *json, const abut_solid_part *part)
{
    cli_json_open(cli_json_key(json, "faces_by_kind"), '{');
    for (int k = 1; k < ABUT_SOLID_SURFACE_COUNT; ++k)
        cli_json_count(cli_json_key(json, abut_solid_surface_name((abut_solid_surface_kind)k)),
                       part->faces_by_kind[k]);
    cli_json_count(cli_json_key(json, "unsupported"), part->faces_by_kind[ABUT_SOLID_NO_SURFACE]);
    cli_json_close(json, '}');
    cli_json_open(cli_json_key(json, "edges_by_kind"), '{');
    for (int k = 1; k < ABUT_SOLID_EDGE_COUNT; ++k)
        cli_json_count(cli_json_key(json, abut_solid_edge_name((abut_solid_edge_kind)k)),
                       part->edges_by_kind[k]);
    cli_json_close(json, '}');
}

static void issues_json(cli_json *json, const abut_solid_file *file, size_t index, const part_report *report)
{
    cli_json_open(cli_json_key(json, "issues"), '[');
    for (size_t i = 0; i < report->part.issues; ++i) {
        int64_t face;
        const char *text = abut_solid_file_issue(file, index, i, &face);
        cli_json_open(json, '{');
        if (face >= 0)
            cli_json_count(cli_json_key(json, "face"), (size_t)face);
        cli_json_string(cli_json_key(json, "text"), text);
        cli_json_close(json, '}');
    }
    if (!report->part.issues && !report->made) {
        cli_json_open(json, '{');
        cli_json_string(cli_json_key(json, "text"), report->error.text);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void part_json(cli_json *json, const abut_solid_file *file, size_t index, const part_report *report)
{
    const abut_solid_part *part = &report->part;
    cli_json_line(json);
    cli_json_open(json, '{');
    cli_json_count(cli_json_key(json, "vertices"), part->vertices);
    cli_json_count(cli_json_key(json, "edges"), part->edges);
    cli_json_count(cli_json_key(json, "faces"), part->faces);
    cli_json_count(cli_json_key(json, "shells"), part->shells);
    kinds_json(json, part);
    cli_json_number(cli_json_key(json, "size"), part->size);
    cli_json_number(cli_json_key(json, "tolerance"), part->tolerance);
    cli_json_number(cli_json_key(json, "measured"), part->measured);
    cli_json_count(cli_json_key(json, "seams"), part->seams);
    cli_json_count(cli_json_key(json, "recognised_faces"), part->recognised_faces);
    cli_json_count(cli_json_key(json, "recognised_edges"), part->recognised_edges);
    cli_json_bool(cli_json_key(json, "usable"), report->made);
    issues_json(json, file, index, report);
    if (report->made)
        cli_json_aabb(cli_json_key(json, "bounds"), report->bounds);
    if (report->measured) {
        cli_json_interval(cli_json_key(json, "volume"), report->info.volume);
        cli_json_interval(cli_json_key(json, "area"), report->info.area);
        hierarchy_json(json, &report->info);
    }
    if (report->has_ball)
        ball_json(json, &report->ball);
    if (report->has_box)
        box_json(json, &report->box);
    cli_json_close(json, '}');
}

/* ---- text ---- */

static void kind_text(cli_text *out, const char *name, size_t count, bool *first)
{
    if (!count)
        return;
    cli_text_printf(out, "%s%zu %s", *first ? "" : ", ", count, name);
    *first = false;
}

static void part_text(cli_text *out, const abut_solid_file *file, size_t index, const part_report *report)
{
    const abut_solid_part *part = &report->part;
    cli_text_printf(out, "\nsolid %zu: %zu faces, %zu edges, %zu vertices, %zu %s%s\n", index, part->faces,
                    part->edges, part->vertices, part->shells, part->shells == 1 ? "shell" : "shells",
                    report->made ? "" : "; it cannot be used");
    bool first = true;
    cli_text_puts(out, "  faces       ");
    for (int k = 1; k < ABUT_SOLID_SURFACE_COUNT; ++k)
        kind_text(out, abut_solid_surface_name((abut_solid_surface_kind)k), part->faces_by_kind[k], &first);
    kind_text(out, "unsupported", part->faces_by_kind[ABUT_SOLID_NO_SURFACE], &first);
    first = true;
    cli_text_puts(out, "\n  edges       ");
    for (int k = 1; k < ABUT_SOLID_EDGE_COUNT; ++k)
        kind_text(out, abut_solid_edge_name((abut_solid_edge_kind)k), part->edges_by_kind[k], &first);
    cli_text_printf(out, "\n  recognised  %zu faces, %zu edges; %zu seams left out\n  tolerance   ",
                    part->recognised_faces, part->recognised_edges, part->seams);
    cli_text_number(out, part->tolerance);
    cli_text_puts(out, ", measured ");
    cli_text_number(out, part->measured);
    cli_text_puts(out, "\n");
    if (report->made) {
        cli_text_puts(out, "  box         ");
        cli_text_vec3(out, report->bounds.lo);
        cli_text_puts(out, " to ");
        cli_text_vec3(out, report->bounds.hi);
        cli_text_puts(out, "\n");
    }
    if (report->measured) {
        cli_text_puts(out, "  volume      ");
        cli_text_interval(out, report->info.volume);
        cli_text_puts(out, "\n  area        ");
        cli_text_interval(out, report->info.area);
        cli_text_printf(out, "\n  hierarchy   %zu features, %zu nodes, %zu high\n", report->info.features,
                        report->info.nodes, report->info.height);
    }
    if (report->has_ball) {
        cli_text_puts(out, "  ball        radius ");
        cli_text_number(out, report->ball.radius);
        cli_text_puts(out, " about ");
        cli_text_vec3(out, report->ball.center);
        cli_text_puts(out, "\n");
    }
    if (report->has_box) {
        cli_text_puts(out, "  least box   ");
        cli_text_number(out, 2 * report->box.half.x);
        cli_text_puts(out, " x ");
        cli_text_number(out, 2 * report->box.half.y);
        cli_text_puts(out, " x ");
        cli_text_number(out, 2 * report->box.half.z);
        cli_text_puts(out, " about ");
        cli_text_vec3(out, report->box.center);
        cli_text_puts(out, "\n");
    }
    for (size_t i = 0; i < part->issues; ++i) {
        cli_text_puts(out, "  missing     ");
        cli_text_safe(out, abut_solid_file_issue(file, index, i, NULL));
        cli_text_puts(out, "\n");
    }
    if (!part->issues && !report->made) {
        cli_text_puts(out, "  refused     ");
        cli_text_safe(out, report->error.text);
        cli_text_puts(out, "\n");
    }
}

/* ---- the command ---- */

static abut_status describe(const cli_args *args, const abut_solid_file *file, double seconds, cli_text *out)
{
    const bool as_json = CLI_GIVEN(args, JSON);
    const size_t count = abut_solid_file_part_count(file), loose = abut_solid_file_loose_faces(file);
    const char *unit = abut_solid_file_unit(file);
    cli_json json = { .out = out };
    if (as_json) {
        cli_json_open(&json, '{');
        cli_json_string(cli_json_key(&json, "command"), "info");
        cli_json_string(cli_json_key(&json, "kind"), "solid");
        cli_json_string(cli_json_key(&json, "file"), args->operands[0]);
        cli_json_string(cli_json_key(&json, "unit"), unit);
        cli_json_count(cli_json_key(&json, "loose_faces"), loose);
        cli_json_open(cli_json_key(&json, "parts"), '[');
    } else {
        cli_text_safe(out, args->operands[0]);
        cli_text_printf(out, ": %zu %s", count, count == 1 ? "solid" : "solids");
        if (loose)
            cli_text_printf(out, ", %zu faces outside of any", loose);
        if (*unit) {
            cli_text_puts(out, ", lengths in ");
            cli_text_safe(out, unit);
        }
        cli_text_puts(out, "\n");
    }
    for (size_t i = 0; i < count; ++i) {
        part_report report;
        if (examine(file, i, &report) != ABUT_OK)
            return ABUT_ERR_MEMORY;
        if (as_json)
            part_json(&json, file, i, &report);
        else
            part_text(out, file, i, &report);
    }
    if (as_json) {
        cli_json_close(&json, ']');
        if (CLI_GIVEN(args, STATS)) {
            cli_json_open(cli_json_key(&json, "stats"), '{');
            cli_json_number(cli_json_key(&json, "read_seconds"), seconds);
            cli_json_close(&json, '}');
        }
        cli_json_close(&json, '}');
        cli_text_puts(out, "\n");
    } else if (CLI_GIVEN(args, STATS))
        cli_text_printf(out, "\nread in %.3g ms\n", 1e3 * seconds);
    return ABUT_OK;
}

int cli_run_solid_info(const cli_args *args)
{
    if (CLI_GIVEN(args, NAMES)) {
        cli_message("info: --names goes with a scene; '%s' is a file of solids", args->operands[0]);
        return CLI_USAGE;
    }
    abut_solid_file *file;
    abut_error error = { .index = -1 };
    const double opened = cli_clock();
    abut_status status = abut_solid_file_open(args->operands[0], NULL, &file, &error);
    if (status != ABUT_OK)
        return status == ABUT_ERR_MEMORY ? cli_out_of_memory() : cli_report(status, &error);
    cli_text out = { 0 };
    status = describe(args, file, cli_clock() - opened, &out);
    abut_solid_file_close(file);
    if (status == ABUT_ERR_MEMORY) {
        cli_text_clear(&out);
        return cli_out_of_memory();
    }
    return cli_text_write(&out, CLI_DONE);
}
