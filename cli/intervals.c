/* SPDX-License-Identifier: MIT */
/* abut intervals: for each pair, all time intervals of contact. */
#include "cli.h"

#include <stdlib.h>

/* Grows with the pair that has most. */
typedef struct interval_buffer {
    abut_contact_interval *of;
    size_t capacity;
} interval_buffer;

/* Asks once; asks again with room for all when there were more than fit. */
static abut_status ask(cli_session *session, const cli_pair *pair, interval_buffer *buffer,
                       abut_intervals_result *result)
{
    const abut_scene_object a = abut_scene_get_object(session->scene, pair->a);
    const abut_scene_object b = abut_scene_get_object(session->scene, pair->b);
    for (;;) {
        const abut_status status =
            abut_contact_intervals(a.shape, a.motion, b.shape, b.motion, &session->first, session->workspace,
                                   buffer->of, buffer->capacity, result);
        if (status != ABUT_OK || result->count <= buffer->capacity)
            return status;
        if (result->count > SIZE_MAX / sizeof *buffer->of)
            return ABUT_ERR_MEMORY;
        abut_contact_interval *const larger = realloc(buffer->of, result->count * sizeof *larger);
        if (!larger)
            return ABUT_ERR_MEMORY;
        buffer->of = larger;
        buffer->capacity = result->count;
    }
}

static void pair_json(const cli_session *session, const cli_pair *pair,
                      const abut_contact_interval *intervals, const abut_intervals_result *r, cli_json *json)
{
    cli_json_line(json);
    cli_json_open(json, '{');
    cli_session_pair_json(session, pair, json);
    if (r->proof != ABUT_PROOF_NONE) {
        cli_json_key(json, "proof");
        cli_json_string(json, abut_proof_name(r->proof));
    }
    cli_json_key(json, "intervals");
    cli_json_open(json, '[');
    for (size_t i = 0; i < r->count; ++i) {
        cli_json_open(json, '{');
        cli_json_key(json, "enter");
        cli_json_interval(json, intervals[i].enter);
        cli_json_key(json, "exit");
        cli_json_interval(json, intervals[i].exit);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    if (r->stop == ABUT_STOP_BUDGET) {
        cli_json_key(json, "stop");
        cli_json_string(json, abut_stop_name(r->stop));
    }
    if (CLI_GIVEN(session->args, STATS))
        cli_json_counters(json, &r->counters, false);
    cli_json_close(json, '}');
}

/* One line an interval. */
static void pair_rows(const cli_session *session, const cli_pair *pair,
                      const abut_contact_interval *intervals, const abut_intervals_result *r,
                      cli_table *table)
{
    for (size_t i = 0; i < r->count || i == 0; ++i) {
        cli_session_pair_cells(session, pair, table);
        if (r->count)
            cli_text_interval(&table->text, intervals[i].enter);
        else
            cli_text_puts(&table->text, "no contact");
        cli_table_next(table);
        if (r->count)
            cli_text_interval(&table->text, intervals[i].exit);
        else
            cli_text_puts(&table->text, "-");
        cli_table_next(table);
        cli_text_puts(&table->text, r->proof != ABUT_PROOF_NONE ? abut_proof_name(r->proof) : "-");
        cli_table_next(table);
    }
}

/* Runs the queries and writes each answer to `json`, or to `table` when json is NULL. */
static int ask_pairs(cli_session *session, cli_json *json, cli_table *table, bool *contact)
{
    interval_buffer buffer = { NULL, 0 };
    int code = CLI_DONE;
    for (size_t i = 0; i < session->pair_count && !code; ++i) {
        const cli_pair *const pair = &session->pairs[i];
        abut_intervals_result result;
        cli_session_progress(session, i);
        const abut_status status = ask(session, pair, &buffer, &result);
        if (status != ABUT_OK) {
            code = cli_session_pair_failed(session, pair, status);
            if (!code && !json)
                cli_session_unsupported_row(session, pair, table);
            continue;
        }
        cli_session_count(session, &result.counters);
        *contact = *contact || result.count > 0;
        if (result.stop == ABUT_STOP_BUDGET)
            cli_session_pair_unfinished(session, pair);
        if (json)
            pair_json(session, pair, buffer.of, &result, json);
        else
            pair_rows(session, pair, buffer.of, &result, table);
    }
    cli_session_progress_end(session);
    free(buffer.of);
    return code;
}

static int intervals_as_json(cli_session *session)
{
    cli_text out = { 0 };
    cli_json json = { .out = &out };
    bool contact = false;
    cli_json_open(&json, '{');
    cli_json_key(&json, "command");
    cli_json_string(&json, "intervals");
    cli_json_key(&json, "pairs");
    cli_json_open(&json, '[');
    const int code = ask_pairs(session, &json, NULL, &contact);
    if (code) {
        cli_text_clear(&out);
        return code;
    }
    cli_json_close(&json, ']');
    cli_session_unsupported_json(session, &json);
    cli_session_stats_json(session, &json, true);
    cli_json_close(&json, '}');
    cli_text_puts(&out, "\n");
    return cli_text_write(&out, cli_session_exit(session, contact));
}

static int intervals_as_table(cli_session *session)
{
    static const char *const headings[] = { "A", "B", "ENTER", "EXIT", "PROOF" };
    cli_text out = { 0 };
    cli_table table;
    bool contact = false;
    cli_text_puts(&out, "intervals of contact in the time from ");
    cli_text_number(&out, session->range.lo);
    cli_text_puts(&out, " to ");
    cli_text_number(&out, session->range.hi);
    cli_text_puts(&out, "\n\n");
    cli_table_begin(&table, 5, headings);
    const int code = ask_pairs(session, NULL, &table, &contact);
    cli_table_end(&table, &out);
    if (code) {
        cli_text_clear(&out);
        return code;
    }
    if (!session->pair_count)
        cli_text_puts(&out, "there are no pairs\n");
    cli_session_stats_text(session, &out, true);
    return cli_text_write(&out, cli_session_exit(session, contact));
}

int cli_run_intervals(const cli_args *args)
{
    cli_session session;
    int code = cli_session_open(&session, args, true);
    if (!code && CLI_GIVEN(args, INDEPENDENT))
        code = cli_run_independent(&session);
    else if (!code)
        code = CLI_GIVEN(args, JSON) ? intervals_as_json(&session) : intervals_as_table(&session);
    cli_session_close(&session);
    return code;
}
