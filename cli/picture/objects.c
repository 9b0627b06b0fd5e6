/* SPDX-License-Identifier: MIT */
/* What there is to see in a scene: objects as triangles, where they are, and the first contact. */
#include "picture/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t cli_look_colour(size_t object)
{
    static const uint32_t colours[] = { 0x4c78a8, 0xf2a03d, 0x59a14f, 0xa77cb8, 0x5fb3ae,
                                        0xc98a5e, 0xe3c34a, 0x8891a5, 0xd98aa8, 0x7f9f4a };
    return colours[object % (sizeof colours / sizeof colours[0])];
}

bool cli_look_is_endless(const abut_shape *shape)
{
    return abut_shape_get_type(shape) == ABUT_SHAPE_HALFSPACE;
}

bool cli_look_deforms(const abut_scene_object *object, abut_interval range)
{
    if (abut_motion_get_type(object->motion) == ABUT_MOTION_VERTICES)
        return true;
    switch (abut_shape_get_type(object->shape)) {
    case ABUT_SHAPE_PARAMETRIC:
    case ABUT_SHAPE_IMPLICIT:
    case ABUT_SHAPE_CSG: break;
    default: return false;
    }
    /* Those that depend on the time look different at some of a few times. */
    abut_tessellation first, later;
    abut_tessellate_opts opts;
    abut_tessellate_opts_init(&opts);
    opts.tolerance = 0;
    opts.time = range.lo;
    bool changed = false;
    if (abut_shape_tessellate(object->shape, &opts, NULL, &first, NULL) != ABUT_OK)
        return false;
    for (int i = 1; i < 4 && !changed; ++i) {
        static const double at[4] = { 0, 0.31, 0.62, 1 };
        opts.time = range.lo + at[i] * (range.hi - range.lo);
        if (abut_shape_tessellate(object->shape, &opts, NULL, &later, NULL) != ABUT_OK)
            continue;
        changed = later.vertex_count != first.vertex_count ||
                  (first.vertex_count &&
                   memcmp(later.vertices, first.vertices, first.vertex_count * sizeof *first.vertices) != 0);
        abut_tessellation_clear(&later);
    }
    abut_tessellation_clear(&first);
    return changed;
}

abut_status cli_look_place(const abut_scene_object *object, double time, abut_affine *out)
{
    if (abut_motion_get_type(object->motion) != ABUT_MOTION_VERTICES)
        return abut_motion_at(object->motion, time, out);
    *out = abut_affine_from_pose(abut_pose_identity());
    return ABUT_OK;
}

abut_vec3 cli_look_apply(const abut_affine *at, abut_vec3 p)
{
    const double(*m)[3] = at->linear.m;
    return (abut_vec3){ m[0][0] * p.x + m[0][1] * p.y + m[0][2] * p.z + at->translation.x,
                        m[1][0] * p.x + m[1][1] * p.y + m[1][2] * p.z + at->translation.y,
                        m[2][0] * p.x + m[2][1] * p.y + m[2][2] * p.z + at->translation.z };
}

abut_aabb cli_look_no_box(void)
{
    return (abut_aabb){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
}

static void widen(abut_aabb *box, abut_vec3 p)
{
    box->lo = (abut_vec3){ fmin(box->lo.x, p.x), fmin(box->lo.y, p.y), fmin(box->lo.z, p.z) };
    box->hi = (abut_vec3){ fmax(box->hi.x, p.x), fmax(box->hi.y, p.y), fmax(box->hi.z, p.z) };
}

void cli_look_widen(abut_aabb *box, const abut_tessellation *mesh, const abut_affine *at)
{
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        widen(box, cli_look_apply(at, mesh->vertices[i]));
}

abut_aabb cli_look_window(abut_aabb box)
{
    if (!(box.lo.x <= box.hi.x))
        return (abut_aabb){ { -1, -1, -1 }, { 1, 1, 1 } };
    const double size = fmax(fmax(box.hi.x - box.lo.x, box.hi.y - box.lo.y), box.hi.z - box.lo.z);
    const double more = size > 0 ? 0.05 * size : 0.5;
    return (abut_aabb){ { box.lo.x - more, box.lo.y - more, box.lo.z - more },
                        { box.hi.x + more, box.hi.y + more, box.hi.z + more } };
}

/* The box around a box of the world in the frame of a body; the body's placement is a rotation, or
 * nearly: for the size of a drawn plane that will do. */
static abut_aabb in_frame(const abut_affine *at, const abut_aabb *box)
{
    abut_aabb out = cli_look_no_box();
    for (int i = 0; i < 8; ++i) {
        const abut_vec3 d = { (i & 1 ? box->hi.x : box->lo.x) - at->translation.x,
                              (i & 2 ? box->hi.y : box->lo.y) - at->translation.y,
                              (i & 4 ? box->hi.z : box->lo.z) - at->translation.z };
        const double(*m)[3] = at->linear.m;
        widen(&out, (abut_vec3){ m[0][0] * d.x + m[1][0] * d.y + m[2][0] * d.z,
                                 m[0][1] * d.x + m[1][1] * d.y + m[2][1] * d.z,
                                 m[0][2] * d.x + m[1][2] * d.y + m[2][2] * d.z });
    }
    return out;
}

/* Longest side of its box that has an end; 0: none has. */
static double extent_of(const abut_shape *shape)
{
    const abut_aabb b = abut_shape_bounds(shape);
    const double sides[3] = { b.hi.x - b.lo.x, b.hi.y - b.lo.y, b.hi.z - b.lo.z };
    double longest = 0;
    for (int i = 0; i < 3; ++i)
        if (isfinite(sides[i]))
            longest = fmax(longest, sides[i]);
    return longest;
}

double cli_look_share(size_t objects)
{
    /* Of thousands each covers a few pixels only. */
    return objects <= 12      ? 1.0 / 4000
           : objects <= 100   ? 1.0 / 1500
           : objects <= 2000  ? 1.0 / 500
           : objects <= 20000 ? 1.0 / 100
                              : 1.0 / 30;
}

abut_status cli_look_triangles(const abut_scene_object *object, double share, double time, abut_interval span,
                               const abut_aabb *window, abut_tessellation *out, abut_error *error)
{
    abut_tessellate_opts opts;
    abut_affine at;
    abut_vec3 *vertices = NULL;
    abut_tessellate_opts_init(&opts);
    *out = (abut_tessellation){ .vertices = NULL };
    opts.time = time;
    opts.span = span;
    opts.tolerance = share * extent_of(object->shape);
    abut_status status = cli_look_place(object, time, &at);
    if (!status && window)
        opts.window = in_frame(&at, window);
    if (!status && abut_motion_get_type(object->motion) == ABUT_MOTION_VERTICES) {
        const size_t count = abut_shape_get_counts(object->shape).vertices;
        vertices = malloc((count + 1) * sizeof *vertices);
        status = vertices ? abut_motion_vertices_at(object->motion, time, vertices, count) : ABUT_ERR_MEMORY;
        opts.vertices = vertices;
        opts.vertex_count = count;
    }
    if (!status)
        status = abut_shape_tessellate(object->shape, &opts, NULL, out, error);
    free(vertices);
    return status;
}

int cli_look_failed(const cli_session *session, size_t object, abut_status status, const abut_error *error)
{
    if (status == ABUT_ERR_MEMORY)
        return cli_out_of_memory();
    cli_text words = { 0 };
    cli_session_describe(session, object, &words);
    cli_message("%s: objects[%zu]: %s cannot be drawn: %s", session->file, object,
                words.failed ? "" : words.bytes, error->text[0] ? error->text : abut_status_text(status));
    cli_text_clear(&words);
    return status == ABUT_ERR_UNSUPPORTED ? CLI_FAILED : CLI_USAGE;
}

/* ---- files ---- */

int cli_look_write(const char *file, const cli_text *bytes)
{
    FILE *const to = strcmp(file, "-") == 0 ? stdout : fopen(file, "wb");
    if (!to) {
        cli_message("%s: it cannot be written", file);
        return CLI_FAILED;
    }
    const bool wrote = fwrite(bytes->bytes, 1, bytes->length, to) == bytes->length;
    const bool closed = to == stdout ? fflush(to) == 0 : fclose(to) == 0;
    if (wrote && closed)
        return CLI_DONE;
    cli_message("%s: it could not be written to its end", file);
    return CLI_FAILED;
}

/* ---- the first contact ---- */

bool cli_deadline_progress(void *ctx, double fraction)
{
    const cli_deadline *const d = ctx;
    if (d->session->to_terminal)
        cli_session_progress_fn(d->session, fraction);
    return cli_clock() < d->at;
}

void cli_first_clear(cli_first *first)
{
    free(first->points);
    *first = (cli_first){ .known = false };
}

bool cli_look_is_unlisted(const cli_session *session)
{
    return !session->listed && session->pair_count == 0 && session->considered > 0;
}

/* Of the pairs listed. */
static int first_of_list(cli_session *session, cli_deadline *deadline, cli_first *out, abut_status *status)
{
    const size_t objects = abut_scene_object_count(session->scene);
    abut_first_opts opts = session->first;
    abut_body *bodies = calloc(objects + 1, sizeof *bodies);
    uint32_t *pairs = calloc(2 * session->pair_count + 1, sizeof *pairs);
    if (!bodies || !pairs) {
        free(bodies);
        free(pairs);
        return cli_out_of_memory();
    }
    for (size_t i = 0; i < objects; ++i) {
        const abut_scene_object object = abut_scene_get_object(session->scene, i);
        bodies[i] = (abut_body){ object.shape, object.motion };
    }
    for (size_t i = 0; i < session->pair_count; ++i) {
        pairs[2 * i] = (uint32_t)session->pairs[i].a;
        pairs[2 * i + 1] = (uint32_t)session->pairs[i].b;
    }
    opts.progress = cli_deadline_progress;
    opts.progress_ctx = deadline;
    session->together = true;
    *status = abut_first_contact_set(bodies, objects, pairs, session->pair_count, &opts, session->workspace,
                                     out->points, CLI_LOOK_POINTS, &out->result);
    free(bodies);
    free(pairs);
    return CLI_DONE;
}

/* Of all, found by the world. */
static int first_of_all(cli_session *session, cli_deadline *deadline, cli_first *out, abut_status *status)
{
    cli_many many;
    const int code = cli_many_open(&many, session, session->range);
    if (!code) {
        many.query.progress = cli_deadline_progress;
        many.query.progress_ctx = deadline;
        *status = abut_world_first(many.world, &many.query, out->points, CLI_LOOK_POINTS, &out->result, NULL);
    }
    cli_many_close(&many);
    return code;
}

int cli_look_first(cli_session *session, double seconds, cli_first *out)
{
    cli_deadline deadline = { session, cli_clock() + seconds };
    abut_status status = ABUT_OK;
    *out = (cli_first){ .known = false };
    out->points = calloc(CLI_LOOK_POINTS, sizeof *out->points);
    if (!out->points)
        return cli_out_of_memory();
    const int code = cli_look_is_unlisted(session) ? first_of_all(session, &deadline, out, &status)
                                                   : first_of_list(session, &deadline, out, &status);
    session->together = false;
    cli_session_progress_end(session);
    if (code)
        return code;
    if (status == ABUT_ERR_MEMORY)
        return cli_out_of_memory();
    out->known = status == ABUT_OK;
    out->point_count = out->result.point_count < CLI_LOOK_POINTS ? out->result.point_count : CLI_LOOK_POINTS;
    if (status)
        out->point_count = 0;
    out->why = status == ABUT_OK              ? NULL
               : status == ABUT_ERR_CANCELLED ? "it takes longer than was allowed"
                                              : abut_status_text(status);
    return CLI_DONE;
}
