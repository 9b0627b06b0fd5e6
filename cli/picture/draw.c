/* SPDX-License-Identifier: MIT */
/* abut draw: a picture of a scene at one instant, by default that of its first contact, with the
 * contact points as dots and the nearest points of bodies that are apart joined by lines. SVG files
 * hold the shaded picture as PNG, with the marks as vectors over it. */
#include "picture/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With more pairs than this no distances are drawn: one could not tell them apart; no more dots than
 * MOST_MARKS either. */
enum { FEW_PAIRS = 6, MOST_PAIRS = 400, MOST_MARKS = 20000 };

typedef struct drawing {
    cli_session session;
    cli_figure *figures;
    size_t figure_count;
    cli_mark *marks;
    size_t mark_count, mark_capacity;
    cli_first first;
    bool at_first; /* the time is that of the first contact */
    cli_canvas canvas;
    size_t triangles;
} drawing;

/* Figures with meshes of their own that were made last: thousands of objects have few shapes. */
typedef struct recent {
    const abut_shape *shapes[16];
    size_t figures[16];
    unsigned next;
} recent;

static bool share_mesh(drawing *d, const abut_scene_object *object, const recent *last, cli_figure *f)
{
    for (size_t i = 0; i < sizeof last->shapes / sizeof *last->shapes; ++i)
        if (last->shapes[i] == object->shape &&
            abut_motion_get_type(object->motion) != ABUT_MOTION_VERTICES) {
            f->mesh = d->figures[last->figures[i]].mesh;
            f->shared = true;
        }
    return f->shared;
}

static void remember(recent *last, const abut_scene_object *object, size_t figure)
{
    const unsigned at = last->next++ % 16;
    if (abut_motion_get_type(object->motion) == ABUT_MOTION_VERTICES)
        return;
    last->shapes[at] = object->shape;
    last->figures[at] = figure;
}

static int make_figures(drawing *d)
{
    recent last = { .next = 0 };
    const cli_session *const session = &d->session;
    const double time = session->time;
    d->figure_count = abut_scene_object_count(session->scene);
    d->figures = calloc(d->figure_count + 1, sizeof *d->figures);
    if (!d->figures)
        return cli_out_of_memory();
    abut_aabb box = cli_look_no_box();
    /* What has no end comes last, cut to where the others are. */
    for (int endless = 0; endless < 2; ++endless) {
        const abut_aabb window = cli_look_window(box);
        for (size_t i = 0; i < d->figure_count; ++i) {
            const abut_scene_object object = abut_scene_get_object(session->scene, i);
            cli_figure *const f = &d->figures[i];
            abut_error error = { .index = -1 };
            if (cli_look_is_endless(object.shape) != (endless == 1))
                continue;
            abut_status status = cli_look_place(&object, time, &f->at);
            if (!status && !(endless == 0 && share_mesh(d, &object, &last, f))) {
                remember(&last, &object, i);
                status = cli_look_triangles(&object, cli_look_share(d->figure_count), time,
                                            (abut_interval){ time, time }, endless ? &window : NULL, &f->mesh,
                                            &error);
            }
            if (status)
                return cli_look_failed(session, i, status, &error);
            f->colour =
                endless ? (session->args->given & CLI_BIT(DARK) ? 0x4a515c : 0xd9dde3) : cli_look_colour(i);
            f->endless = endless;
            d->triangles += f->mesh.triangle_count;
            if (!endless)
                cli_look_widen(&box, &f->mesh, &f->at);
        }
    }
    return CLI_DONE;
}

static bool add_mark(drawing *d, cli_mark_kind kind, abut_vec3 from, abut_vec3 to)
{
    if (d->mark_count == d->mark_capacity) {
        const size_t more = d->mark_capacity ? 2 * d->mark_capacity : 64;
        cli_mark *const larger = realloc(d->marks, more * sizeof *larger);
        if (!larger)
            return false;
        d->marks = larger;
        d->mark_capacity = more;
    }
    d->marks[d->mark_count++] = (cli_mark){ .kind = kind, .from = from, .to = to };
    return true;
}

static int mark_pair(drawing *d, const cli_pair *pair, cli_deadline *deadline)
{
    const abut_scene_object a = abut_scene_get_object(d->session.scene, pair->a);
    const abut_scene_object b = abut_scene_get_object(d->session.scene, pair->b);
    abut_check_opts opts;
    abut_check_result r;
    abut_check_opts_init(&opts);
    opts.max_contacts = ABUT_CHECK_CONTACTS;
    opts.max_iterations = d->session.first.max_iterations;
    opts.progress = cli_deadline_progress;
    opts.progress_ctx = deadline;
    const abut_status status =
        abut_check_at(a.shape, a.motion, b.shape, b.motion, d->session.time, &opts, d->session.workspace, &r);
    if (status == ABUT_ERR_MEMORY)
        return cli_out_of_memory();
    if (status)
        return CLI_DONE; /* the picture goes without */
    bool fine = true;
    for (int i = 0; i < r.contact_count && fine && !d->at_first; ++i)
        fine = add_mark(d, CLI_MARK_DOT, r.contacts[i].point, r.contacts[i].point);
    if (d->session.pair_count <= FEW_PAIRS && r.has_points &&
        (r.verdict == ABUT_SEPARATE || (r.verdict == ABUT_PENETRATING && r.has_depth)))
        fine = fine && add_mark(d, CLI_MARK_ARROW, r.point_a, r.point_b);
    return fine ? CLI_DONE : cli_out_of_memory();
}

static bool mark_meeting(void *ctx, abut_body_id a, abut_body_id b, abut_status status,
                         const abut_check_result *r)
{
    drawing *const d = ctx;
    (void)a;
    (void)b;
    for (int i = 0; !status && i < r->contact_count && d->mark_count < MOST_MARKS; ++i)
        if (!add_mark(d, CLI_MARK_DOT, r->contacts[i].point, r->contacts[i].point))
            return false;
    return d->mark_count < MOST_MARKS;
}

/* Contacts of all pairs, found by the world; the picture goes without those that take too long. */
static int mark_all(drawing *d, cli_deadline *deadline)
{
    cli_many many;
    const int code = cli_many_open(&many, &d->session, (abut_interval){ d->session.time, d->session.time });
    if (!code) {
        many.query.progress = cli_deadline_progress;
        many.query.progress_ctx = deadline;
        (void)abut_world_meeting(many.world, &many.query, mark_meeting, d, NULL);
    }
    cli_many_close(&many);
    d->session.together = false;
    return code;
}

static int make_marks(drawing *d)
{
    cli_deadline deadline = { &d->session, cli_clock() + d->session.args->seconds };
    int code = CLI_DONE;
    if (d->at_first)
        for (size_t i = 0; i < d->first.point_count; ++i)
            if (d->first.points[i].at.kind != 0 &&
                !add_mark(d, CLI_MARK_DOT, d->first.points[i].at.point, d->first.points[i].at.point))
                return cli_out_of_memory();
    if (cli_look_is_unlisted(&d->session) && !d->at_first)
        code = mark_all(d, &deadline);
    for (size_t i = 0; i < d->session.pair_count && d->session.pair_count <= MOST_PAIRS && !code; ++i)
        if (cli_clock() < deadline.at)
            code = mark_pair(d, &d->session.pairs[i], &deadline);
    cli_session_progress_end(&d->session);
    return code;
}

/* ---- files ---- */

static void svg_marks(const drawing *d, cli_text *out)
{
    const double scale = cli_mark_scale(d->canvas.width), radius = cli_mark_radius(d->mark_count) * scale;
    const char *const arrow = d->canvas.dark ? "#ffd166" : "#b00040";
    for (size_t i = 0; i < d->mark_count; ++i) {
        const cli_mark *const m = &d->marks[i];
        if (m->kind == CLI_MARK_ARROW)
            cli_text_printf(out,
                            "<path d=\"M%.2f %.2fL%.2f %.2f\" stroke=\"%s\" stroke-width=\"%.2f\"/>"
                            "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"%s\"/>"
                            "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"%s\"/>\n",
                            m->x[0], m->y[0], m->x[1], m->y[1], arrow, 2.6 * scale, m->x[0], m->y[0],
                            3 * scale, arrow, m->x[1], m->y[1], 3 * scale, arrow);
        else
            cli_text_printf(out,
                            "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"#d6003c\" stroke=\"#fff\" "
                            "stroke-width=\"%.2f\"%s/>\n",
                            m->x[0], m->y[0], radius + 0.75 * scale, 1.5 * scale,
                            m->hidden ? " opacity=\".65\"" : "");
    }
}

static int write_picture(drawing *d, bool svg)
{
    cli_canvas *const c = &d->canvas;
    cli_text png = { 0 }, out = { 0 };
    int code = CLI_DONE;
    if (!svg)
        cli_raster_marks(c, d->marks, d->mark_count);
    if (!cli_png(&png, c->rgb, c->width, c->height)) {
        code = cli_out_of_memory();
    } else if (!svg) {
        code = cli_look_write(d->session.args->output, &png);
    } else {
        cli_text_printf(&out,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                        "height=\"%d\">\n<image width=\"%d\" height=\"%d\" href=\"data:image/png;base64,",
                        c->width, c->height, c->width, c->height, c->width, c->height);
        cli_base64(&out, png.bytes, png.length);
        cli_text_puts(&out, "\"/>\n");
        svg_marks(d, &out);
        cli_text_puts(&out, "</svg>\n");
        code = out.failed ? cli_out_of_memory() : cli_look_write(d->session.args->output, &out);
    }
    cli_text_clear(&png);
    cli_text_clear(&out);
    return code;
}

/* ---- the command ---- */

static bool ends_with(const char *name, const char *ending)
{
    const size_t a = strlen(name), b = strlen(ending);
    return a >= b && strcmp(name + a - b, ending) == 0;
}

/* The time: --time, or that of the first contact, or the start. */
static int choose_time(drawing *d)
{
    cli_session *const session = &d->session;
    int code = CLI_DONE;
    if (CLI_GIVEN(session->args, TIME)) {
        for (size_t i = 0; i < abut_scene_object_count(session->scene) && !code; ++i)
            code = cli_session_check_time(session, i);
        return code;
    }
    code = cli_look_first(session, session->args->seconds, &d->first);
    if (!code && d->first.known && d->first.result.verdict == ABUT_FIRST_CONTACT) {
        d->at_first = true;
        session->time = fmin(d->first.result.time.hi, session->range.hi);
    }
    return code;
}

static int say(const drawing *d)
{
    const cli_session *const session = &d->session;
    cli_text out = { 0 };
    if (strcmp(session->args->output, "-") == 0)
        return CLI_DONE;
    if (CLI_GIVEN(session->args, JSON)) {
        cli_json json = { .out = &out };
        cli_json_open(&json, '{');
        cli_json_string(cli_json_key(&json, "command"), "draw");
        cli_json_string(cli_json_key(&json, "file"), session->args->output);
        cli_json_number(cli_json_key(&json, "time"), session->time);
        cli_json_count(cli_json_key(&json, "objects"), d->figure_count);
        cli_json_count(cli_json_key(&json, "triangles"), d->triangles);
        cli_json_count(cli_json_key(&json, "marks"), d->mark_count);
        cli_session_stats_json(session, &json, false);
        cli_json_close(&json, '}');
        cli_text_puts(&out, "\n");
    } else {
        cli_text_printf(&out, "%s: %zu objects at time ", session->args->output, d->figure_count);
        cli_text_number(&out, session->time);
        cli_text_printf(&out, "%s, %zu triangles\n", d->at_first ? " (first contact)" : "", d->triangles);
        cli_session_stats_text(session, &out, false);
    }
    return cli_text_write(&out, CLI_DONE);
}

int cli_run_draw(const cli_args *args)
{
    const char *const file = args->output;
    const bool svg = ends_with(file, ".svg") || strcmp(file, "-") == 0;
    if (!svg && !ends_with(file, ".png")) {
        cli_message("--output: '%s' should end in .svg or .png", file);
        return CLI_USAGE;
    }
    drawing d = { .figures = NULL };
    const cli_camera camera = { args->camera[0], args->camera[1], args->zoom };
    d.canvas = (cli_canvas){ .width = args->size[0], .height = args->size[1], .dark = CLI_GIVEN(args, DARK) };
    int code = cli_session_open(&d.session, args, CLI_PAIRS_FEW);
    if (!code)
        code = choose_time(&d);
    if (!code)
        code = make_figures(&d);
    if (!code)
        code = make_marks(&d);
    if (!code)
        code = cli_raster(&d.canvas, &camera, d.figures, d.figure_count, d.marks, d.mark_count);
    if (!code)
        code = write_picture(&d, svg);
    if (!code)
        code = say(&d);
    for (size_t i = 0; d.figures && i < d.figure_count; ++i)
        if (!d.figures[i].shared)
            abut_tessellation_clear(&d.figures[i].mesh);
    free(d.figures);
    free(d.marks);
    free(d.canvas.rgb);
    cli_first_clear(&d.first);
    cli_session_close(&d.session);
    return code;
}
