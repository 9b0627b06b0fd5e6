/* SPDX-License-Identifier: MIT */
/* abut cast: every hit of a ray with every object, nearest first. An object that rays do not
 * support yet leaves no answer at all: the nearest hit could be its. */
#include "cli.h"

#include <stdlib.h>

typedef struct cast_hit {
    size_t object, order;
    abut_ray_hit at;
} cast_hit;

typedef struct hit_list {
    cast_hit *of;
    size_t count, capacity;
} hit_list;

static bool add_hits(hit_list *list, size_t object, const abut_ray_hit *hits, size_t count)
{
    while (list->capacity - list->count < count) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 16;
        cast_hit *const larger = realloc(list->of, capacity * sizeof *larger);
        if (!larger)
            return false;
        list->of = larger;
        list->capacity = capacity;
    }
    for (size_t i = 0; i < count; ++i, ++list->count)
        list->of[list->count] = (cast_hit){ object, list->count, hits[i] };
    return true;
}

static int cast_at(const cli_session *session, size_t index, hit_list *list)
{
    const abut_scene_object object = abut_scene_get_object(session->scene, index);
    const double *const ray = session->args->ray;
    const abut_vec3 origin = { ray[0], ray[1], ray[2] }, direction = { ray[3], ray[4], ray[5] };
    const int code = cli_session_check_time(session, index);
    if (code)
        return code;
    const double t = session->time;
    abut_ray_hit few[8], *hits = few;
    size_t count = 0;
    abut_status status = abut_cast_ray_at(object.shape, object.motion, t, origin, direction, few, 8, &count);
    if (status == ABUT_OK && count > 8) {
        const size_t capacity = count;
        hits = malloc(capacity * sizeof *hits);
        status =
            hits ? abut_cast_ray_at(object.shape, object.motion, t, origin, direction, hits, capacity, &count)
                 : ABUT_ERR_MEMORY;
        if (count > capacity)
            count = capacity;
    }
    if (status == ABUT_OK && !add_hits(list, index, hits, count))
        status = ABUT_ERR_MEMORY;
    if (hits != few)
        free(hits);
    if (status == ABUT_OK)
        return CLI_DONE;
    return cli_session_object_failed(session, index, status);
}

/* By t, then in the order of the scene. */
static int compare_hits(const void *left, const void *right)
{
    const cast_hit *const x = left, *const y = right;
    if (x->at.t != y->at.t)
        return x->at.t < y->at.t ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void hits_json(const cli_session *session, const hit_list *list, cli_text *out)
{
    cli_json json = { .out = out };
    cli_json_open(&json, '{');
    cli_json_string(cli_json_key(&json, "command"), "cast");
    cli_json_number(cli_json_key(&json, "time"), session->time);
    cli_json_open(cli_json_key(&json, "hits"), '[');
    for (size_t i = 0; i < list->count; ++i) {
        const cast_hit *const hit = &list->of[i];
        cli_json_line(&json);
        cli_json_open(&json, '{');
        cli_json_string(cli_json_key(&json, "object"), cli_session_name(session, hit->object));
        cli_json_number(cli_json_key(&json, "t"), hit->at.t);
        cli_json_vec3(cli_json_key(&json, "point"), hit->at.point);
        cli_json_vec3(cli_json_key(&json, "normal"), hit->at.normal);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_session_stats_json(session, &json, false);
    cli_json_close(&json, '}');
    cli_text_puts(out, "\n");
}

static void hits_table(const cli_session *session, const hit_list *list, cli_text *out)
{
    static const char *const headings[] = { "T", "OBJECT", "POINT", "NORMAL" };
    cli_table table;
    if (!list->count) {
        cli_text_puts(out, "the ray hits nothing\n");
    } else {
        cli_table_begin(&table, 4, headings);
        for (size_t i = 0; i < list->count; ++i) {
            const cast_hit *const hit = &list->of[i];
            cli_text_number(&table.text, hit->at.t);
            cli_table_next(&table);
            cli_text_safe(&table.text, cli_session_name(session, hit->object));
            cli_table_next(&table);
            cli_text_vec3(&table.text, hit->at.point);
            cli_table_next(&table);
            cli_text_vec3(&table.text, hit->at.normal);
            cli_table_next(&table);
        }
        cli_table_end(&table, out);
    }
    cli_session_stats_text(session, out, false);
}

int cli_run_cast(const cli_args *args)
{
    cli_session session;
    hit_list list = { NULL, 0, 0 };
    int code = cli_session_open(&session, args, CLI_PAIRS_NONE);
    const size_t count = session.scene ? abut_scene_object_count(session.scene) : 0;
    for (size_t i = 0; i < count && !code; ++i)
        code = cast_at(&session, i, &list);
    if (!code) {
        cli_text out = { 0 };
        if (list.count)
            qsort(list.of, list.count, sizeof *list.of, compare_hits);
        if (CLI_GIVEN(args, JSON))
            hits_json(&session, &list, &out);
        else
            hits_table(&session, &list, &out);
        code = cli_text_write(&out, cli_session_exit(&session, list.count > 0));
    }
    free(list.of);
    cli_session_close(&session);
    return code;
}
