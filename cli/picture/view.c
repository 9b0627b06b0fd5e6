/* SPDX-License-Identifier: MIT */
/* abut view: one page of HTML that shows a scene, and works from a disk without a network. It holds the
 * scene's triangles and answers, its own program (page/), and three.js, which is searched for when the page
 * is written: in the file that ABUT_THREE_JS names, where the build found it, or where packages put it. */
#include "picture/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef ABUT_THREE_JS
#define ABUT_THREE_JS ""
#endif

/* More than this no browser keeps in one string. */
#define MOST_DATA ((size_t)350 << 20)

/* ---- three.js ---- */

static bool read_file(const char *name, cli_text *out)
{
    FILE *const f = name[0] ? fopen(name, "rb") : NULL;
    char block[65536];
    size_t got;
    if (!f)
        return false;
    while ((got = fread(block, 1, sizeof block, f)) > 0)
        cli_text_add(out, block, got);
    const bool fine = !ferror(f) && !out->failed && out->length > 0;
    fclose(f);
    if (!fine)
        cli_text_clear(out);
    return fine;
}

static int find_three(cli_text *out)
{
    static const char *const places[] = {
        ABUT_THREE_JS,
        "/usr/share/javascript/three/three.min.js",
        "/usr/share/nodejs/three/build/three.min.js",
        "/usr/local/lib/node_modules/three/build/three.cjs",
        "/usr/lib/node_modules/three/build/three.cjs",
        "node_modules/three/build/three.min.js",
        "node_modules/three/build/three.cjs",
    };
    const char *const named = getenv("ABUT_THREE_JS");
    if (named && named[0]) {
        if (read_file(named, out))
            return CLI_DONE;
        cli_message("ABUT_THREE_JS: %s cannot be read", named);
        return CLI_FAILED;
    }
    for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i)
        if (read_file(places[i], out))
            return CLI_DONE;
    cli_message(
        "three.js was not found; install it (Debian: apt install libjs-three), or name its three.min.js or "
        "three.cjs in ABUT_THREE_JS");
    return CLI_FAILED;
}

/* ---- text inside a page ---- */

/* In a script element nothing may look like its end. */
static void add_script(cli_text *out, const char *bytes, size_t length)
{
    size_t done = 0;
    for (size_t i = 0; i + 8 <= length; ++i)
        if (bytes[i] == '<' &&
            (memcmp(bytes + i, "</script", 8) == 0 || memcmp(bytes + i, "</SCRIPT", 8) == 0)) {
            cli_text_add(out, bytes + done, i + 1 - done);
            cli_text_add(out, "\\", 1);
            done = i + 1;
        }
    cli_text_add(out, bytes + done, length - done);
}

/* In JSON a < occurs in strings only, where it may be written otherwise. */
static void add_json(cli_text *out, const cli_text *json)
{
    size_t done = 0;
    for (size_t i = 0; i < json->length; ++i)
        if (json->bytes[i] == '<') {
            cli_text_add(out, json->bytes + done, i - done);
            cli_text_puts(out, "\\u003c");
            done = i + 1;
        }
    cli_text_add(out, json->bytes + done, json->length - done);
}

static void add_html(cli_text *out, const char *text)
{
    for (; *text; ++text)
        switch (*text) {
        case '<': cli_text_puts(out, "&lt;"); break;
        case '>': cli_text_puts(out, "&gt;"); break;
        case '&': cli_text_puts(out, "&amp;"); break;
        case '"': cli_text_puts(out, "&quot;"); break;
        default: cli_text_add(out, text, 1);
        }
}

static const char *title_of(const cli_session *session)
{
    const char *const slash = strrchr(session->file, '/');
    return slash ? slash + 1 : session->file;
}

/* ---- the page ---- */

static int scene_json(view_page *page, cli_text *out)
{
    const cli_session *const session = page->session;
    cli_json json = { .out = out };
    const abut_aabb box = cli_look_window(page->box);
    const double half[3] = { 0.5 * (box.hi.x - box.lo.x), 0.5 * (box.hi.y - box.lo.y),
                             0.5 * (box.hi.z - box.lo.z) };
    double start = session->range.lo;
    cli_json_open(&json, '{');
    cli_json_string(cli_json_key(&json, "title"), title_of(session));
    cli_json_interval(cli_json_key(&json, "time"), session->range);
    cli_json_vec3(cli_json_key(&json, "centre"),
                  (abut_vec3){ box.lo.x + half[0], box.lo.y + half[1], box.lo.z + half[2] });
    cli_json_number(cli_json_key(&json, "radius"),
                    sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]));
    cli_json_count(cli_json_key(&json, "triangles"), page->triangles);
    cli_json_open(cli_json_key(&json, "geometries"), '[');
    cli_text_add(out, page->geometry_text.bytes ? page->geometry_text.bytes : "", page->geometry_text.length);
    cli_json_close(&json, ']');
    view_objects_json(page, &json);
    const int code = view_answers_json(page, &json, &start);
    cli_json_number(cli_json_key(&json, "start"), start);
    cli_json_close(&json, '}');
    return code ? code : out->failed ? cli_out_of_memory() : CLI_DONE;
}

/* The page with its @NAMES@ filled in. */
static void assemble(const view_page *page, const cli_text *json, const cli_text *three, cli_text *out)
{
    const char *rest = cli_page_html;
    for (const char *at; (at = strchr(rest, '@'));) {
        const char *const end = strchr(at + 1, '@');
        if (!end)
            break;
        const size_t length = (size_t)(end - at - 1);
        cli_text_add(out, rest, (size_t)(at - rest));
        rest = end + 1;
        if (strncmp(at + 1, "TITLE", length) == 0)
            add_html(out, title_of(page->session));
        else if (strncmp(at + 1, "STYLE", length) == 0)
            cli_text_puts(out, cli_page_style);
        else if (strncmp(at + 1, "SCENE", length) == 0)
            add_json(out, json);
        else if (strncmp(at + 1, "DATA", length) == 0)
            cli_base64(out, page->data.bytes ? page->data.bytes : "", page->data.length);
        else if (strncmp(at + 1, "THREE", length) == 0)
            add_script(out, three->bytes, three->length);
        else if (strncmp(at + 1, "SCRIPT", length) == 0)
            add_script(out, cli_page_script, strlen(cli_page_script));
        else
            cli_text_add(out, at, length + 2);
    }
    cli_text_puts(out, rest);
}

/* Without -o the page has the name of the scene. */
static void choose_name(const cli_session *session, cli_text *out)
{
    const char *const title = title_of(session), *const dot = strrchr(title, '.');
    if (session->args->output) {
        cli_text_puts(out, session->args->output);
    } else if (strcmp(session->args->operands[0], "-") == 0) {
        cli_text_puts(out, "scene.html");
    } else {
        cli_text_add(out, title, dot && dot != title ? (size_t)(dot - title) : strlen(title));
        cli_text_puts(out, ".html");
    }
    cli_text_add(out, "", 1);
}

static int say(const view_page *page, const char *file, size_t bytes)
{
    const cli_session *const session = page->session;
    cli_text out = { 0 };
    if (CLI_GIVEN(session->args, JSON)) {
        cli_json json = { .out = &out };
        cli_json_open(&json, '{');
        cli_json_string(cli_json_key(&json, "command"), "view");
        cli_json_string(cli_json_key(&json, "file"), file);
        cli_json_count(cli_json_key(&json, "objects"), page->object_count);
        cli_json_count(cli_json_key(&json, "triangles"), page->triangles);
        cli_json_count(cli_json_key(&json, "bytes"), bytes);
        cli_session_stats_json(session, &json, false);
        cli_json_close(&json, '}');
        cli_text_puts(&out, "\n");
    } else {
        cli_text_printf(&out, "%s: %zu objects, %zu triangles, %.1f MB; open it in a browser\n", file,
                        page->object_count, page->triangles, 1e-6 * (double)bytes);
        cli_session_stats_text(session, &out, false);
    }
    return cli_text_write(&out, CLI_DONE);
}

static int write_page(view_page *page, const cli_text *three)
{
    cli_text json = { 0 }, out = { 0 }, name = { 0 };
    int code = scene_json(page, &json);
    choose_name(page->session, &name);
    if (!code && page->data.length > MOST_DATA) {
        cli_message("%s: %zu triangles are too many for a page", page->session->file, page->triangles);
        code = CLI_FAILED;
    }
    if (!code) {
        assemble(page, &json, three, &out);
        code = out.failed || name.failed ? cli_out_of_memory() : cli_look_write(name.bytes, &out);
    }
    if (!code && strcmp(name.bytes, "-") != 0)
        code = say(page, name.bytes, out.length);
    cli_text_clear(&json);
    cli_text_clear(&out);
    cli_text_clear(&name);
    return code;
}

int cli_run_view(const cli_args *args)
{
    cli_session session;
    cli_text three = { 0 };
    view_page page = { .session = &session, .box = cli_look_no_box() };
    page.geometry_json.out = &page.geometry_text;
    int code = cli_session_open(&session, args, CLI_PAIRS_FEW);
    for (size_t i = 0; !code && CLI_GIVEN(args, TIME) && i < abut_scene_object_count(session.scene); ++i)
        code = cli_session_check_time(&session, i);
    if (!code)
        code = find_three(&three);
    if (!code)
        code = view_add_objects(&page);
    if (!code)
        code = write_page(&page, &three);
    cli_text_clear(&three);
    view_page_clear(&page);
    cli_session_close(&session);
    return code;
}
