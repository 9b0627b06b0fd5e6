/* SPDX-License-Identifier: MIT */
/* The geometry of the page of `abut view`: triangles, where each object is at which time, and boxes.
 *
 * Numbers for the renderer go into one block of bytes: positions and matrices as floats, normals as
 * four signed bytes, indices as 16 or 32 bits. Objects with the same triangles share them. */
#include "picture/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SAMPLES = 512, FRAMES = 40 };

static size_t begin_part(view_page *page)
{
    static const char zeros[4] = { 0 };
    cli_text_add(&page->data, zeros, (4 - page->data.length % 4) % 4);
    return page->data.length;
}

static void put_floats(view_page *page, const double *numbers, int count)
{
    for (int i = 0; i < count; ++i) {
        const float f = (float)numbers[i];
        cli_text_add(&page->data, (const char *)&f, sizeof f);
    }
}

static void put_index(view_page *page, uint32_t index, int width)
{
    const uint16_t small = (uint16_t)index;
    if (width == 2)
        cli_text_add(&page->data, (const char *)&small, sizeof small);
    else
        cli_text_add(&page->data, (const char *)&index, sizeof index);
}

/* A ball around all vertices. */
static void ball_of(const abut_tessellation *mesh, double out[4])
{
    abut_aabb box = cli_look_no_box();
    const abut_affine still = abut_affine_from_pose(abut_pose_identity());
    cli_look_widen(&box, mesh, &still);
    if (!(box.lo.x <= box.hi.x))
        box = (abut_aabb){ { 0, 0, 0 }, { 0, 0, 0 } };
    const double half[3] = { 0.5 * (box.hi.x - box.lo.x), 0.5 * (box.hi.y - box.lo.y),
                             0.5 * (box.hi.z - box.lo.z) };
    out[0] = box.lo.x + half[0];
    out[1] = box.lo.y + half[1];
    out[2] = box.lo.z + half[2];
    out[3] = sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
}

/* ---- geometries ---- */

static uint64_t hash_of(const void *bytes, size_t length, uint64_t seed)
{
    const uint8_t *const b = bytes;
    uint64_t h = seed ^ 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; ++i)
        h = (h ^ b[i]) * 0x100000001b3u;
    return h;
}

static bool same_mesh(const view_page *page, const view_geometry *g, const abut_tessellation *mesh,
                      uint64_t hash)
{
    (void)page;
    return g->hash == hash && g->vertex_count == mesh->vertex_count &&
           g->triangle_count == mesh->triangle_count && g->edge_count == mesh->edge_count;
}

static void geometry_json(view_page *page, const view_geometry *g, const double ball[4], const size_t at[4])
{
    cli_json *const json = &page->geometry_json;
    static const char *const keys[4] = { "v", "n", "i", "e" };
    cli_json_line(json);
    cli_json_open(json, '{');
    for (int i = 0; i < 4; ++i)
        cli_json_count(cli_json_key(json, keys[i]), at[i]);
    cli_json_count(cli_json_key(json, "vc"), g->vertex_count);
    cli_json_count(cli_json_key(json, "ic"), 3 * g->triangle_count);
    cli_json_count(cli_json_key(json, "ec"), 2 * g->edge_count);
    cli_json_count(cli_json_key(json, "w"), g->vertex_count <= 65536 ? 2 : 4);
    cli_json_open(cli_json_key(json, "ball"), '[');
    for (int i = 0; i < 4; ++i)
        cli_json_number(json, ball[i]);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

/* The number of the geometry; SIZE_MAX when memory is out. */
static size_t add_geometry(view_page *page, const abut_tessellation *mesh)
{
    /* Lines of a mesh with very many creases would hide it, and cost more than its faces. */
    const size_t edges = mesh->edge_count < 300000 ? mesh->edge_count : 0;
    uint64_t hash = hash_of(mesh->vertices, mesh->vertex_count * sizeof *mesh->vertices, edges);
    hash = hash_of(mesh->triangles, 3 * mesh->triangle_count * sizeof *mesh->triangles, hash);
    for (size_t i = page->geometry_count; i-- > 0 && page->geometry_count - i < 2000;)
        if (same_mesh(page, &page->geometries[i], mesh, hash))
            return i;
    if (page->geometry_count == page->geometry_capacity) {
        const size_t more = page->geometry_capacity ? 2 * page->geometry_capacity : 64;
        view_geometry *const larger = realloc(page->geometries, more * sizeof *larger);
        if (!larger)
            return SIZE_MAX;
        page->geometries = larger;
        page->geometry_capacity = more;
    }
    const view_geometry g = { hash, mesh->vertex_count, mesh->triangle_count, edges };
    const int width = mesh->vertex_count <= 65536 ? 2 : 4;
    size_t at[4];
    double ball[4];
    ball_of(mesh, ball);
    at[0] = begin_part(page);
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        put_floats(page, (const double[3]){ mesh->vertices[i].x, mesh->vertices[i].y, mesh->vertices[i].z },
                   3);
    at[1] = begin_part(page);
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const abut_vec3 n = mesh->normals[i];
        const int8_t bytes[4] = { (int8_t)lrint(127 * n.x), (int8_t)lrint(127 * n.y),
                                  (int8_t)lrint(127 * n.z), 0 };
        cli_text_add(&page->data, (const char *)bytes, 4);
    }
    at[2] = begin_part(page);
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i)
        put_index(page, mesh->triangles[i], width);
    at[3] = begin_part(page);
    for (size_t i = 0; i < 2 * edges; ++i)
        put_index(page, mesh->edges[i], width);
    geometry_json(page, &g, ball, at);
    page->geometries[page->geometry_count] = g;
    return page->geometry_count++;
}

/* ---- motions ---- */

static abut_status matrix_at(const abut_scene_object *object, double t, double out[12])
{
    abut_affine at;
    const abut_status status = cli_look_place(object, t, &at);
    const double shift[3] = { at.translation.x, at.translation.y, at.translation.z };
    for (int i = 0; i < 3 && !status; ++i) {
        memcpy(out + 4 * i, at.linear.m[i], 3 * sizeof(double));
        out[4 * i + 3] = shift[i];
    }
    return status;
}

/* How far a point of the body is at most from where interpolation between two samples puts it. */
static double miss(const double a[12], const double b[12], const double middle[12], double radius)
{
    double turn = 0, shift = 0;
    for (int i = 0; i < 12; ++i) {
        const double d = middle[i] - 0.5 * (a[i] + b[i]);
        *(i % 4 == 3 ? &shift : &turn) += d * d;
    }
    return sqrt(shift) + radius * sqrt(turn);
}

/* Samples of the placement at even times, as many as interpolation needs to be within a thousandth
 * of the body's size; 0 where the object has no place at some time. */
static int sample_motion(view_page *page, const abut_scene_object *object, double radius, double *to)
{
    const abut_interval range = page->session->range;
    const bool rests = abut_motion_get_type(object->motion) == ABUT_MOTION_STATIC ||
                       abut_motion_get_type(object->motion) == ABUT_MOTION_VERTICES || !(range.hi > range.lo);
    for (int count = rests ? 1 : 2;; count = 2 * count - 1) {
        double worst = 0;
        for (int i = 0; i < count; ++i)
            if (matrix_at(object, count > 1 ? range.lo + (range.hi - range.lo) * i / (count - 1) : range.lo,
                          to + 12 * i))
                return 0;
        for (int i = 0; i + 1 < count; ++i) {
            double middle[12];
            if (matrix_at(object, range.lo + (range.hi - range.lo) * (i + 0.5) / (count - 1), middle))
                return 0;
            worst = fmax(worst, miss(to + 12 * i, to + 12 * (i + 1), middle, radius));
        }
        if (rests || 2 * count - 1 > MOST_SAMPLES || (worst <= 1e-3 * radius && count >= 3))
            return count;
        if (worst == 0 && count == 2) { /* a straight path: the middle alone does not say so */
            double quarter[12], mean[12];
            if (matrix_at(object, range.lo + 0.25 * (range.hi - range.lo), quarter))
                return 0;
            for (int k = 0; k < 12; ++k)
                mean[k] = 0.75 * to[k] + 0.25 * to[12 + k] - quarter[k];
            double off = 0;
            for (int k = 0; k < 12; ++k)
                off = fmax(off, fabs(mean[k]));
            if (off <= 1e-9 * (radius + fabs(to[3]) + fabs(to[7]) + fabs(to[11])))
                return 2;
        }
    }
}

/* ---- objects ---- */

/* The triangles of one object at all its frames; false after a message. */
static int add_object(view_page *page, size_t index, const abut_aabb *window)
{
    const cli_session *const session = page->session;
    const abut_scene_object object = abut_scene_get_object(session->scene, index);
    const abut_interval range = session->range;
    const size_t objects = abut_scene_object_count(session->scene);
    view_object *const o = &page->objects[index];
    o->deforms = cli_look_deforms(&object, range);
    const int frames = o->deforms ? FRAMES : 1;
    const double share = o->deforms ? 1.0 / 500 : cli_look_share(objects);
    o->geometries = calloc((size_t)frames, sizeof *o->geometries);
    double *const samples = malloc(sizeof *samples * 12 * (MOST_SAMPLES + 1));
    if (!o->geometries || !samples) {
        free(samples);
        return cli_out_of_memory();
    }
    o->morph = o->deforms;
    size_t vertices = 0, triangles = 0;
    double ball[4] = { 0, 0, 0, 0 };
    int code = CLI_DONE;
    for (int f = 0; f < frames && !code; ++f) {
        const double t = frames > 1 ? range.lo + (range.hi - range.lo) * f / (frames - 1) : session->range.lo;
        abut_tessellation mesh;
        abut_error error = { .index = -1 };
        const abut_status status = cli_look_triangles(&object, share, t, range, window, &mesh, &error);
        if (status) {
            code = cli_look_failed(session, index, status, &error);
            break;
        }
        if (f > 0 && (mesh.vertex_count != vertices || mesh.triangle_count != triangles))
            o->morph = false;
        vertices = mesh.vertex_count;
        triangles = mesh.triangle_count;
        o->solid = mesh.solid;
        o->geometries[f] = add_geometry(page, &mesh);
        double own[4];
        ball_of(&mesh, own);
        ball[3] = fmax(ball[3], own[3] + sqrt(own[0] * own[0] + own[1] * own[1] + own[2] * own[2]));
        if (f == 0)
            page->triangles += mesh.triangle_count;
        abut_affine at;
        if (!window && cli_look_place(&object, t, &at) == ABUT_OK)
            cli_look_widen(&page->box, &mesh, &at);
        /* its whole way counts for the size of the picture */
        for (int k = 1; !window && !o->deforms && k <= 12; ++k)
            if (mesh.vertex_count < 200000 &&
                cli_look_place(&object, range.lo + (range.hi - range.lo) * k / 12, &at) == ABUT_OK)
                cli_look_widen(&page->box, &mesh, &at);
        abut_tessellation_clear(&mesh);
        if (o->geometries[f] == SIZE_MAX)
            code = cli_out_of_memory();
    }
    o->frames = frames;
    if (!code) {
        o->samples = sample_motion(page, &object, fmax(ball[3], 1e-300), samples);
        if (o->samples == 0)
            code = cli_look_failed(session, index, ABUT_ERR_VALUE, &(abut_error){ .index = -1 });
        o->matrices = begin_part(page);
        put_floats(page, samples, 12 * o->samples);
    }
    free(samples);
    return code;
}

int view_add_objects(view_page *page)
{
    const cli_session *const session = page->session;
    page->object_count = abut_scene_object_count(session->scene);
    page->objects = calloc(page->object_count + 1, sizeof *page->objects);
    if (!page->objects)
        return cli_out_of_memory();
    int code = CLI_DONE;
    for (int endless = 0; endless < 2 && !code; ++endless) {
        const abut_aabb window = cli_look_window(page->box);
        for (size_t i = 0; i < page->object_count && !code; ++i) {
            const abut_scene_object object = abut_scene_get_object(session->scene, i);
            if (cli_look_is_endless(object.shape) == (endless == 1))
                code = add_object(page, i, endless ? &window : NULL);
        }
    }
    return page->data.failed ? cli_out_of_memory() : code;
}

void view_objects_json(const view_page *page, cli_json *json)
{
    cli_json_open(cli_json_key(json, "objects"), '[');
    for (size_t i = 0; i < page->object_count; ++i) {
        const abut_scene_object object = abut_scene_get_object(page->session->scene, i);
        const view_object *const o = &page->objects[i];
        cli_json_line(json);
        cli_json_open(json, '{');
        cli_json_string(cli_json_key(json, "name"), object.name);
        cli_json_string(cli_json_key(json, "type"), abut_shape_type_name(abut_shape_get_type(object.shape)));
        cli_json_string(cli_json_key(json, "motion"),
                        abut_motion_type_name(abut_motion_get_type(object.motion)));
        cli_json_count(cli_json_key(json, "colour"),
                       cli_look_is_endless(object.shape) ? 0xe4e8ed : cli_look_colour(i));
        cli_json_bool(cli_json_key(json, "solid"), o->solid);
        if (cli_look_is_endless(object.shape))
            cli_json_bool(cli_json_key(json, "endless"), true);
        if (o->deforms) {
            cli_json_bool(cli_json_key(json, "morph"), o->morph);
        }
        cli_json_open(cli_json_key(json, "g"), '[');
        for (int f = 0; f < o->frames; ++f)
            cli_json_count(json, o->geometries[f]);
        cli_json_close(json, ']');
        cli_json_count(cli_json_key(json, "m"), o->matrices);
        cli_json_count(cli_json_key(json, "samples"), (uint64_t)o->samples);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

void view_page_clear(view_page *page)
{
    for (size_t i = 0; page->objects && i < page->object_count; ++i)
        free(page->objects[i].geometries);
    free(page->objects);
    free(page->geometries);
    cli_text_clear(&page->data);
    cli_text_clear(&page->geometry_text);
}
