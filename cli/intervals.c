/* SPDX-License-Identifier: MIT */
/* abut intervals: for each pair, all time intervals of contact. */
#include "cli.h"

static void pair_json(const cli_session *session, const cli_pair *pair,
                      const abut_contact_interval *intervals, const abut_intervals_result *r, cli_json *json)
{
    cli_json_line(json);
    cli_json_open(json, '{');
    cli_session_pair_json(session, pair, json);
    if (r->proof != ABUT_PROOF_NONE)
        cli_json_string(cli_json_key(json, "proof"), abut_proof_name(r->proof));
    cli_json_open(cli_json_key(json, "intervals"), '[');
    for (size_t i = 0; i < r->count; ++i) {
        cli_json_open(json, '{');
        cli_json_interval(cli_json_key(json, "enter"), intervals[i].enter);
        cli_json_interval(cli_json_key(json, "exit"), intervals[i].exit);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_session_pair_end(session, json, r->stop, &r->counters);
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

/* Whether some interval may be none: it may begin later than it may end, by more than a touch within
 * tolerance does. */
static bool is_only_possible(const cli_session *session, const abut_contact_interval *intervals,
                             const abut_intervals_result *r)
{
    const double touch = 1e-6 * (session->range.hi - session->range.lo);
    for (size_t i = 0; r->proof == ABUT_PROOF_TOLERANCE && i < r->count; ++i)
        if (intervals[i].enter.hi - intervals[i].exit.lo > touch)
            return true;
    return false;
}

typedef struct intervals_run {
    cli_session *session;
    cli_answers *to;
    int code;
} intervals_run;

static bool take_pair(void *ctx, abut_body_id a, abut_body_id b, abut_status status,
                      const abut_contact_interval *intervals, const abut_intervals_result *result)
{
    intervals_run *const run = ctx;
    cli_session *const session = run->session;
    cli_answers *const to = run->to;
    const cli_pair pair = { a.index, b.index };
    if (!status && !result->count && CLI_GIVEN(session->args, MEETING))
        return true;
    ++to->listed;
    if (status) {
        run->code = cli_session_pair_failed(session, &pair, status);
        if (!run->code && !to->json)
            cli_session_unsupported_row(session, &pair, &to->table);
        return run->code == CLI_DONE;
    }
    to->contact = to->contact || result->count > 0;
    if (result->stop == ABUT_STOP_BUDGET || is_only_possible(session, intervals, result))
        cli_session_pair_undecided(session, &pair, result->stop);
    if (to->json)
        pair_json(session, &pair, intervals, result, to->json);
    else
        pair_rows(session, &pair, intervals, result, &to->table);
    return true;
}

/* All pairs through the world behind the scene. */
static int ask_world(cli_session *session, void *room, cli_answers *to)
{
    intervals_run run = { .session = session, .to = to };
    abut_world_result result = { 0 };
    cli_many many;
    (void)room;
    int code = cli_many_open(&many, session, session->range);
    const abut_status status =
        code ? ABUT_OK : abut_world_intervals(many.world, &many.query, take_pair, &run, &result);
    to->considered = many.considered;
    cli_many_close(&many);
    cli_session_progress_end(session);
    cli_session_count(session, &result.counters);
    if (!code)
        code = run.code;
    return code || !status ? code : cli_session_failed(session, status);
}

/* ---- what both questions over time have in common ---- */

static int ask_each(cli_session *session, const cli_question *question, void *room, cli_answers *to)
{
    int code = CLI_DONE;
    if (question->ask_all)
        return question->ask_all(session, room, to);
    to->considered = session->pair_count;
    for (size_t i = 0; i < session->pair_count && !code; ++i) {
        const cli_pair *const pair = &session->pairs[i];
        cli_session_progress(session, i);
        const abut_status status = question->ask(session, pair, room, to);
        if (status == ABUT_OK)
            continue;
        code = cli_session_pair_failed(session, pair, status);
        if (!code && !to->json)
            cli_session_unsupported_row(session, pair, &to->table);
    }
    cli_session_progress_end(session);
    return code;
}

static int ask_as_json(cli_session *session, const cli_question *question, void *room)
{
    cli_text out = { 0 };
    cli_json json = { .out = &out };
    cli_answers to = { .json = &json };
    cli_json_open(&json, '{');
    cli_json_string(cli_json_key(&json, "command"), "intervals");
    if (question->flag)
        cli_json_bool(cli_json_key(&json, question->flag), true);
    cli_json_open(cli_json_key(&json, "pairs"), '[');
    const int code = ask_each(session, question, room, &to);
    if (code) {
        cli_text_clear(&out);
        return code;
    }
    cli_json_close(&json, ']');
    if (CLI_GIVEN(session->args, MEETING))
        cli_json_count(cli_json_key(&json, "separate"), to.considered - to.listed);
    cli_session_unsupported_json(session, &json);
    cli_session_stats_json(session, &json, true);
    cli_json_close(&json, '}');
    cli_text_puts(&out, "\n");
    return cli_text_write(&out, cli_session_exit(session, to.contact));
}

static int ask_as_table(cli_session *session, const cli_question *question, void *room)
{
    cli_text out = { 0 };
    cli_answers to = { .json = NULL };
    cli_text_printf(&out, "%s from ", question->sentence);
    cli_text_number(&out, session->range.lo);
    cli_text_puts(&out, " to ");
    cli_text_number(&out, session->range.hi);
    cli_text_puts(&out, "\n\n");
    cli_table_begin(&to.table, question->columns, question->headings);
    const int code = ask_each(session, question, room, &to);
    cli_table_end(&to.table, &out);
    if (code) {
        cli_text_clear(&out);
        return code;
    }
    if (!to.considered)
        cli_text_puts(&out, "there are no pairs\n");
    else if (CLI_GIVEN(session->args, MEETING))
        cli_text_printf(&out, "\n%zu pairs have no contact\n", to.considered - to.listed);
    cli_session_stats_text(session, &out, true);
    return cli_text_write(&out, cli_session_exit(session, to.contact));
}

int cli_ask_pairs(cli_session *session, const cli_question *question, void *room)
{
    return CLI_GIVEN(session->args, JSON) ? ask_as_json(session, question, room)
                                          : ask_as_table(session, question, room);
}

/* ---- the command ---- */

static int run_plain(cli_session *session)
{
    static const char *const headings[] = { "A", "B", "ENTER", "EXIT", "PROOF" };
    static const cli_question question = {
        "intervals of contact in the time", NULL, headings, 5, NULL, ask_world
    };
    return cli_ask_pairs(session, &question, NULL);
}

int cli_run_intervals(const cli_args *args)
{
    cli_session session;
    const bool few = CLI_GIVEN(args, MEETING) && !CLI_GIVEN(args, INDEPENDENT);
    int code = cli_session_open(&session, args, few ? CLI_PAIRS_LISTED : CLI_PAIRS_ALL);
    /* Where all pairs are to be listed, the world is given the list. */
    if (!few)
        session.listed = true;
    if (!code)
        code = CLI_GIVEN(args, INDEPENDENT) ? cli_run_independent(&session) : run_plain(&session);
    cli_session_close(&session);
    return code;
}
