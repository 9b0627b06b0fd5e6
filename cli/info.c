/* SPDX-License-Identifier: MIT */
/* abut info: what is in a scene, or through mesh_info.c in a mesh file, solid_info.c in a STEP file.
 *
 * The boxes are of two kinds: a shape's own, and the object's in the world over the whole of the
 * scene's time, which is built from certified enclosures of the placement over slices of the
 * time, so the object never leaves it. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/* Slices of the scene's time for the box of a moving object; an enclosure's excess shrinks with
 * the slice. */
#define SLICES 64

static abut_interval_vec3 place_box(const abut_interval_affine *at, abut_aabb box)
{
    const abut_interval body[3] = { { box.lo.x, box.hi.x }, { box.lo.y, box.hi.y }, { box.lo.z, box.hi.z } };
    abut_interval placed[3] = { at->translation.x, at->translation.y, at->translation.z };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            placed[i] = abut_interval_add(placed[i], abut_interval_mul(at->linear.m[i][j], body[j]));
    return (abut_interval_vec3){ placed[0], placed[1], placed[2] };
}

/* False when the motion cannot be enclosed. */
static bool world_bounds(const abut_scene_object *object, abut_interval time, abut_aabb *out)
{
    const abut_aabb box = abut_shape_bounds(object->shape);
    const bool moves = abut_motion_get_type(object->motion) != ABUT_MOTION_STATIC;
    const int slices = moves ? SLICES : 1;
    /* Turning a ball changes nothing, turning its box would. */
    const bool round =
        abut_shape_get_type(object->shape) == ABUT_SHAPE_SPHERE && abut_motion_is_rigid(object->motion);
    const abut_interval one = { 1, 1 };
    const abut_interval_mat3 unit = { { { one }, { { 0, 0 }, one }, { { 0, 0 }, { 0, 0 }, one } } };
    abut_interval_vec3 all = { abut_interval_empty(), abut_interval_empty(), abut_interval_empty() };
    const abut_interval range = abut_motion_get_range(object->motion);
    const double t0 = fmax(time.lo, range.lo), t1 = fmin(time.hi, range.hi);
    double from = t0;
    for (int i = 1; i <= slices; ++i) {
        const double to = i == slices ? t1 : fmin(t1, t0 + (t1 - t0) * i / slices);
        abut_interval_affine at;
        if (abut_motion_enclose(object->motion, (abut_interval){ from, to }, &at) != ABUT_OK)
            return false;
        if (round)
            at.linear = unit;
        const abut_interval_vec3 part = place_box(&at, box);
        all.x = abut_interval_hull(all.x, part.x);
        all.y = abut_interval_hull(all.y, part.y);
        all.z = abut_interval_hull(all.z, part.z);
        from = to;
    }
    *out = (abut_aabb){ { all.x.lo, all.y.lo, all.z.lo }, { all.x.hi, all.y.hi, all.z.hi } };
    return true;
}

/* ---- JSON ---- */

static void count_field(cli_json *json, const char *key, size_t count)
{
    if (!count)
        return;
    cli_json_count(cli_json_key(json, key), count);
}

/* "mesh":{…} for a mesh. What memory leaves out is left out here too. */
static void mesh_json(const abut_shape *shape, cli_json *json)
{
    abut_mesh_report report;
    abut_hierarchy_info hierarchy;
    if (abut_shape_get_hierarchy(shape, &hierarchy) != ABUT_OK ||
        abut_shape_inspect(shape, &report) != ABUT_OK)
        return;
    cli_json_open(cli_json_key(json, "mesh"), '{');
    cli_mesh_report_json(json, &report);
    cli_hierarchy_json(json, &hierarchy, report.triangles);
    cli_json_close(json, '}');
}

/* "solid":{…} for a CAD solid. */
static void solid_json(const abut_shape *shape, cli_json *json)
{
    abut_solid_info info;
    if (abut_solid_get_info(shape, &info) != ABUT_OK)
        return;
    cli_json_open(cli_json_key(json, "solid"), '{');
    count_field(json, "shells", info.shells);
    cli_json_open(cli_json_key(json, "faces"), '{');
    for (int i = 1; i < ABUT_SOLID_SURFACE_COUNT; ++i)
        count_field(json, abut_solid_surface_name((abut_solid_surface_kind)i), info.faces_by_kind[i]);
    cli_json_close(json, '}');
    cli_json_open(cli_json_key(json, "edges"), '{');
    for (int i = 1; i < ABUT_SOLID_EDGE_COUNT; ++i)
        count_field(json, abut_solid_edge_name((abut_solid_edge_kind)i), info.edges_by_kind[i]);
    cli_json_close(json, '}');
    cli_json_number(cli_json_key(json, "tolerance"), info.tolerance);
    if (info.volume.hi > 0) {
        cli_json_interval(cli_json_key(json, "volume"), info.volume);
        cli_json_interval(cli_json_key(json, "area"), info.area);
    }
    cli_solid_volumes_json(shape, json);
    cli_json_close(json, '}');
}

/* "polyhedron":{…}: shells, mass properties, the index. */
static void polyhedron_json(const abut_shape *shape, cli_json *json)
{
    abut_polyhedron_info info;
    abut_index_info index;
    if (abut_polyhedron_get_info(shape, &info) != ABUT_OK)
        return;
    cli_json_open(cli_json_key(json, "polyhedron"), '{');
    cli_json_count(cli_json_key(json, "shells"), info.shells);
    cli_json_count(cli_json_key(json, "cavities"), info.cavities);
    cli_json_integer(cli_json_key(json, "genus"), info.genus);
    cli_json_count(cli_json_key(json, "loops"), info.loops);
    cli_json_count(cli_json_key(json, "triangles"), info.triangles);
    cli_json_number(cli_json_key(json, "volume"), info.volume);
    cli_json_number(cli_json_key(json, "area"), info.area);
    cli_json_vec3(cli_json_key(json, "centroid"), info.centroid);
    cli_json_open(cli_json_key(json, "inertia"), '[');
    for (int i = 0; i < 3; ++i)
        cli_json_vec3(json, (abut_vec3){ info.inertia.m[i][0], info.inertia.m[i][1], info.inertia.m[i][2] });
    cli_json_close(json, ']');
    if (abut_polyhedron_get_index(shape, &index) == ABUT_OK) {
        cli_json_open(cli_json_key(json, "index"), '{');
        cli_json_count(cli_json_key(json, "nodes"), index.nodes);
        cli_json_count(cli_json_key(json, "height"), index.height);
        cli_json_number(cli_json_key(json, "average_height"), index.average_height);
        cli_json_count(cli_json_key(json, "axis_nodes"), index.axis_nodes);
        cli_json_count(cli_json_key(json, "face_nodes"), index.face_nodes);
        cli_json_count(cli_json_key(json, "edge_nodes"), index.edge_nodes);
        cli_json_count(cli_json_key(json, "vertex_nodes"), index.vertex_nodes);
        cli_json_count(cli_json_key(json, "bytes"), index.bytes);
        cli_json_number(cli_json_key(json, "build_time"), index.seconds);
        cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
}

static void object_json(const cli_session *session, size_t index, cli_json *json)
{
    const abut_scene_object object = abut_scene_get_object(session->scene, index);
    const abut_shape_counts counts = abut_shape_get_counts(object.shape);
    abut_aabb world;
    cli_json_line(json);
    cli_json_open(json, '{');
    cli_json_string(cli_json_key(json, "name"), object.name);
    cli_json_open(cli_json_key(json, "shape"), '{');
    cli_json_string(cli_json_key(json, "type"), abut_shape_type_name(abut_shape_get_type(object.shape)));
    cli_json_aabb(cli_json_key(json, "bounds"), abut_shape_bounds(object.shape));
    count_field(json, "vertices", counts.vertices);
    count_field(json, "edges", counts.edges);
    count_field(json, "faces", counts.faces);
    count_field(json, "patches", counts.patches);
    count_field(json, "operands", counts.operands);
    mesh_json(object.shape, json);
    solid_json(object.shape, json);
    polyhedron_json(object.shape, json);
    cli_json_close(json, '}');
    cli_json_open(cli_json_key(json, "motion"), '{');
    cli_json_string(cli_json_key(json, "type"), abut_motion_type_name(abut_motion_get_type(object.motion)));
    cli_json_bool(cli_json_key(json, "rigid"), abut_motion_is_rigid(object.motion));
    cli_json_interval(cli_json_key(json, "range"), abut_motion_get_range(object.motion));
    cli_json_close(json, '}');
    cli_json_key(json, "bounds");
    if (world_bounds(&object, session->range, &world))
        cli_json_aabb(json, world);
    else
        cli_json_null(json);
    cli_json_close(json, '}');
}

/* Only what the file says. */
static void query_json(const abut_scene_query *query, cli_json *json)
{
    cli_json_open(cli_json_key(json, "query"), '{');
    const struct {
        const char *key;
        double value;
    } numbers[] = { { "simultaneity", query->simultaneity },
                    { "separation", query->separation },
                    { "accuracy", query->accuracy } };
    for (int i = 0; i < 3; ++i) {
        if (isnan(numbers[i].value))
            continue;
        cli_json_number(cli_json_key(json, numbers[i].key), numbers[i].value);
    }
    if (query->max_iterations)
        cli_json_count(cli_json_key(json, "max_iterations"), query->max_iterations);
    if (query->method) {
        cli_json_string(cli_json_key(json, "method"), query->method);
    }
    cli_json_close(json, '}');
}

static void scene_json(const cli_session *session, cli_text *out)
{
    const abut_scene_query query = abut_scene_get_query(session->scene);
    const size_t objects = abut_scene_object_count(session->scene),
                 pairs = abut_scene_pair_count(session->scene);
    cli_json json = { .out = out };
    cli_json_open(&json, '{');
    cli_json_string(cli_json_key(&json, "command"), "info");
    cli_json_string(cli_json_key(&json, "kind"), "scene");
    cli_json_string(cli_json_key(&json, "file"), session->file);
    cli_json_interval(cli_json_key(&json, "time"), session->range);
    query_json(&query, &json);
    cli_json_open(cli_json_key(&json, "objects"), '[');
    for (size_t i = 0; i < objects; ++i)
        object_json(session, i, &json);
    cli_json_close(&json, ']');
    cli_json_open(cli_json_key(&json, "pairs"), '[');
    for (size_t i = 0; i < pairs; ++i) {
        size_t a, b;
        abut_scene_get_pair(session->scene, i, &a, &b);
        cli_json_open(&json, '[');
        cli_json_string(&json, cli_session_name(session, a));
        cli_json_string(&json, cli_session_name(session, b));
        cli_json_close(&json, ']');
    }
    cli_json_close(&json, ']');
    cli_session_stats_json(session, &json, false);
    cli_json_close(&json, '}');
    cli_text_puts(out, "\n");
}

/* ---- table ---- */

/* "12 vertices, 20 faces", "-" for a shape that is not made of parts. */
static void counts_cell(const abut_shape_counts *counts, cli_text *text)
{
    const struct {
        size_t count;
        const char *one, *many;
    } parts[] = { { counts->vertices, "vertex", "vertices" },
                  { counts->faces, "face", "faces" },
                  { counts->patches, "patch", "patches" },
                  { counts->operands, "operand", "operands" } };
    bool any = false;
    for (int i = 0; i < 4; ++i) {
        if (!parts[i].count)
            continue;
        cli_text_printf(text, "%s%zu %s", any ? ", " : "", parts[i].count,
                        parts[i].count == 1 ? parts[i].one : parts[i].many);
        any = true;
    }
    if (!any)
        cli_text_puts(text, "-");
}

static bool unbounded(abut_aabb box)
{
    return !isfinite(box.lo.x) && !isfinite(box.lo.y) && !isfinite(box.lo.z) && !isfinite(box.hi.x) &&
           !isfinite(box.hi.y) && !isfinite(box.hi.z);
}

static void object_row(const cli_session *session, size_t index, cli_table *table)
{
    const abut_scene_object object = abut_scene_get_object(session->scene, index);
    const abut_shape_counts counts = abut_shape_get_counts(object.shape);
    cli_text *const text = &table->text;
    abut_aabb world;
    cli_text_safe(text, object.name);
    cli_table_next(table);
    cli_text_puts(text, abut_shape_type_name(abut_shape_get_type(object.shape)));
    cli_table_next(table);
    counts_cell(&counts, text);
    cli_table_next(table);
    cli_text_puts(text, abut_motion_type_name(abut_motion_get_type(object.motion)));
    cli_table_next(table);
    if (!world_bounds(&object, session->range, &world)) {
        cli_text_puts(text, "unknown");
    } else if (unbounded(world)) {
        cli_text_puts(text, "unbounded");
    } else {
        cli_text_vec3(text, world.lo);
        cli_text_puts(text, " to ");
        cli_text_vec3(text, world.hi);
    }
    cli_table_next(table);
}

/* A second table, when there are meshes: what may be wrong with them. */
static void mesh_table(const cli_session *session, cli_text *out)
{
    static const char *const headings[] = { "MESH",       "SURFACE",   "COMPONENTS", "OPEN EDGES",
                                            "DEGENERATE", "DUPLICATE", "HIERARCHY" };
    cli_table table;
    bool any = false;
    for (size_t i = 0; i < abut_scene_object_count(session->scene); ++i) {
        const abut_scene_object object = abut_scene_get_object(session->scene, i);
        abut_mesh_report report;
        abut_hierarchy_info hierarchy;
        if (abut_shape_get_hierarchy(object.shape, &hierarchy) != ABUT_OK ||
            abut_shape_inspect(object.shape, &report) != ABUT_OK)
            continue;
        if (!any)
            cli_table_begin(&table, 7, headings);
        any = true;
        const size_t counts[] = { report.components, report.open_edges, report.degenerate, report.duplicate };
        cli_text_safe(&table.text, object.name);
        cli_table_next(&table);
        cli_text_puts(&table.text, cli_mesh_kind(&report));
        cli_table_next(&table);
        for (int k = 0; k < 4; ++k) {
            cli_text_printf(&table.text, "%zu", counts[k]);
            cli_table_next(&table);
        }
        cli_hierarchy_text(&table.text, &hierarchy, report.triangles);
        cli_table_next(&table);
    }
    if (!any)
        return;
    cli_text_puts(out, "\n");
    cli_table_end(&table, out);
}

static void scene_table(const cli_session *session, cli_text *out)
{
    static const char *const headings[] = { "NAME", "SHAPE", "MADE OF", "MOTION", "STAYS WITHIN" };
    const size_t objects = abut_scene_object_count(session->scene),
                 pairs = abut_scene_pair_count(session->scene);
    cli_table table;
    cli_text_safe(out, session->file);
    cli_text_printf(out, ": scene with %zu %s, %zu %s, time from ", objects,
                    objects == 1 ? "object" : "objects", pairs, pairs == 1 ? "pair" : "pairs");
    cli_text_number(out, session->range.lo);
    cli_text_puts(out, " to ");
    cli_text_number(out, session->range.hi);
    cli_text_puts(out, "\n\n");
    cli_table_begin(&table, 5, headings);
    for (size_t i = 0; i < objects; ++i)
        object_row(session, i, &table);
    cli_table_end(&table, out);
    mesh_table(session, out);
    cli_session_stats_text(session, out, false);
}

/* ---- which kind of file ---- */

static bool ends_with(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    if (n < m)
        return false;
    for (size_t i = 0; i < m; ++i)
        if (tolower((unsigned char)name[n - m + i]) != ending[i])
            return false;
    return true;
}

/* By the ending of its name; where that says nothing, a file that begins with { is a scene. What
 * cannot be opened, or read twice (a pipe), goes to the scene reader. */
static bool is_mesh_file(const char *name)
{
    static const char *const meshes[] = { ".obj", ".stl", ".ply", ".off", ".gltf", ".glb" };
    if (strcmp(name, "-") == 0 || ends_with(name, ".json"))
        return false;
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; ++i)
        if (ends_with(name, meshes[i]))
            return true;
    struct stat about;
    if (stat(name, &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    FILE *const file = fopen(name, "rb");
    if (!file)
        return false;
    int c = getc(file);
    while (c == ' ' || c == '\t' || c == '\r' || c == '\n')
        c = getc(file);
    const bool failed = ferror(file) != 0;
    fclose(file);
    return !failed && c != '{' && c != EOF;
}

int cli_run_info(const cli_args *args)
{
    if (abut_solid_file_known(args->operands[0]))
        return cli_run_solid_info(args);
    if (is_mesh_file(args->operands[0]))
        return cli_run_mesh_info(args);
    cli_session session;
    int code = cli_session_open(&session, args, CLI_PAIRS_NONE);
    if (!code && !CLI_GIVEN(args, NAMES))
        code = cli_session_check_places(&session);
    if (!code) {
        cli_text out = { 0 };
        if (CLI_GIVEN(args, NAMES)) {
            for (size_t i = 0; i < abut_scene_object_count(session.scene); ++i) {
                cli_text_puts(&out, cli_session_name(&session, i));
                cli_text_puts(&out, "\n");
            }
        } else if (CLI_GIVEN(args, JSON)) {
            scene_json(&session, &out);
        } else {
            scene_table(&session, &out);
        }
        code = cli_text_write(&out, CLI_DONE);
    }
    cli_session_close(&session);
    return code;
}
