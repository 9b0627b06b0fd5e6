/* SPDX-License-Identifier: MIT */
/* abut classify: where a point, or each piece of a segment, lies in or on one object. */
#include "cli.h"

#include <stdlib.h>

typedef struct piece_list {
    abut_piece *of;
    size_t count;
} piece_list;

/* Pieces of the point or segment asked about; asks again with room for all when there were more
 * than fit. */
static int classify(const cli_session *session, size_t index, piece_list *list)
{
    const cli_args *const args = session->args;
    const abut_scene_object object = abut_scene_get_object(session->scene, index);
    const int code = cli_session_check_time(session, index);
    if (code)
        return code;
    const double t = session->time;
    abut_status status = ABUT_OK;
    size_t capacity = CLI_GIVEN(args, POINT) ? 1 : 64;
    for (;;) {
        abut_piece *const larger = realloc(list->of, capacity * sizeof *larger);
        if (!larger)
            return cli_out_of_memory();
        list->of = larger;
        list->count = 1;
        if (CLI_GIVEN(args, POINT)) {
            const abut_vec3 point = { args->point[0], args->point[1], args->point[2] };
            status = abut_classify_point_at(object.shape, object.motion, t, point, list->of);
        } else {
            const double *const s = args->segment;
            const abut_vec3 from = { s[0], s[1], s[2] }, to = { s[3], s[4], s[5] };
            status = abut_classify_segment_at(object.shape, object.motion, t, from, to, list->of, capacity,
                                              &list->count);
        }
        if (status != ABUT_OK)
            return cli_session_object_failed(session, index, status);
        if (list->count <= capacity)
            return CLI_DONE;
        capacity = list->count;
    }
}

static void pieces_json(const cli_session *session, const piece_list *list, cli_text *out)
{
    cli_json json = { .out = out };
    cli_json_open(&json, '{');
    cli_json_string(cli_json_key(&json, "command"), "classify");
    cli_json_string(cli_json_key(&json, "object"), session->args->operands[1]);
    cli_json_number(cli_json_key(&json, "time"), session->time);
    cli_json_open(cli_json_key(&json, "pieces"), '[');
    for (size_t i = 0; i < list->count; ++i) {
        const abut_piece *const piece = &list->of[i];
        cli_json_line(&json);
        cli_json_open(&json, '{');
        cli_json_string(cli_json_key(&json, "where"), abut_where_name(piece->where));
        cli_json_integer(cli_json_key(&json, "id"), piece->id);
        cli_json_number(cli_json_key(&json, "from"), piece->from);
        cli_json_number(cli_json_key(&json, "to"), piece->to);
        if (piece->from == piece->to)
            cli_json_vec3(cli_json_key(&json, "point"), piece->point);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_session_stats_json(session, &json, false);
    cli_json_close(&json, '}');
    cli_text_puts(out, "\n");
}

static void where_cells(const abut_piece *piece, cli_table *table)
{
    cli_text_puts(&table->text, abut_where_name(piece->where));
    cli_table_next(table);
    if (piece->id >= 0)
        cli_text_printf(&table->text, "%lld", (long long)piece->id);
    else
        cli_text_puts(&table->text, "-");
    cli_table_next(table);
}

static void pieces_table(const cli_session *session, const piece_list *list, cli_text *out)
{
    static const char *const point_headings[] = { "WHERE", "ID", "POINT" };
    static const char *const segment_headings[] = { "FROM", "TO", "WHERE", "ID", "POINT" };
    const bool of_point = CLI_GIVEN(session->args, POINT);
    cli_table table;
    cli_table_begin(&table, of_point ? 3 : 5, of_point ? point_headings : segment_headings);
    for (size_t i = 0; i < list->count; ++i) {
        const abut_piece *const piece = &list->of[i];
        if (!of_point) {
            cli_text_number(&table.text, piece->from);
            cli_table_next(&table);
            cli_text_number(&table.text, piece->to);
            cli_table_next(&table);
        }
        where_cells(piece, &table);
        if (piece->from == piece->to)
            cli_text_vec3(&table.text, piece->point);
        else
            cli_text_puts(&table.text, "-");
        cli_table_next(&table);
    }
    cli_table_end(&table, out);
    cli_session_stats_text(session, out, false);
}

int cli_run_classify(const cli_args *args)
{
    cli_session session;
    piece_list list = { NULL, 0 };
    int code = cli_session_open(&session, args, CLI_PAIRS_NONE);
    if (!code) {
        const int64_t object = cli_session_find(&session, args->operands[1]);
        code = object < 0 ? CLI_USAGE : classify(&session, (size_t)object, &list);
    }
    if (!code) {
        cli_text out = { 0 };
        bool contact = false;
        bool unknown = false;
        for (size_t i = 0; i < list.count; ++i) {
            const bool known = list.of[i].where != ABUT_WHERE_UNKNOWN;
            contact = contact || (known && list.of[i].where != ABUT_WHERE_OUT);
            unknown = unknown || !known;
        }
        if (unknown) {
            const int64_t object = cli_session_find(&session, args->operands[1]);
            cli_session_pair_undecided(&session, &(cli_pair){ (size_t)object, (size_t)object },
                                       ABUT_STOP_DONE);
        }
        if (CLI_GIVEN(args, JSON))
            pieces_json(&session, &list, &out);
        else
            pieces_table(&session, &list, &out);
        code = cli_text_write(&out, cli_session_exit(&session, contact));
    }
    free(list.of);
    cli_session_close(&session);
    return code;
}
