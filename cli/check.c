/* SPDX-License-Identifier: MIT */
/* abut check: how each pair stands at one instant. */
#include "cli.h"

static void contacts_json(const abut_check_result *r, cli_json *json)
{
    cli_json_key(json, "contacts");
    cli_json_open(json, '[');
    for (int i = 0; i < r->contact_count; ++i) {
        const abut_contact *const c = &r->contacts[i];
        cli_json_open(json, '{');
        cli_json_key(json, "point");
        cli_json_vec3(json, c->point);
        cli_json_key(json, "normal");
        cli_json_vec3(json, c->normal);
        cli_json_key(json, "features");
        cli_json_open(json, '[');
        cli_json_string(json, abut_feature_name(c->features[0]));
        cli_json_string(json, abut_feature_name(c->features[1]));
        cli_json_close(json, ']');
        cli_json_key(json, "ids");
        cli_json_open(json, '[');
        cli_json_integer(json, c->ids[0]);
        cli_json_integer(json, c->ids[1]);
        cli_json_close(json, ']');
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void pair_json(const cli_session *session, const cli_pair *pair, const abut_check_result *r,
                      cli_json *json)
{
    cli_json_line(json);
    cli_json_open(json, '{');
    cli_session_pair_json(session, pair, json);
    cli_json_key(json, "verdict");
    cli_json_string(json, abut_verdict_name(r->verdict));
    if (r->proof != ABUT_PROOF_NONE) {
        cli_json_key(json, "proof");
        cli_json_string(json, abut_proof_name(r->proof));
    }
    cli_json_key(json, "distance");
    cli_json_interval(json, r->distance);
    if (r->has_depth) {
        cli_json_key(json, "depth");
        cli_json_interval(json, r->depth);
    }
    if (r->has_points) {
        cli_json_key(json, "points");
        cli_json_open(json, '{');
        cli_json_key(json, "a");
        cli_json_vec3(json, r->point_a);
        cli_json_key(json, "b");
        cli_json_vec3(json, r->point_b);
        cli_json_close(json, '}');
    }
    if (r->has_normal) {
        cli_json_key(json, "normal");
        cli_json_vec3(json, r->normal);
    }
    contacts_json(r, json);
    if (CLI_GIVEN(session->args, STATS))
        cli_json_counters(json, &r->counters);
    cli_json_close(json, '}');
}

static void pair_row(const cli_session *session, const cli_pair *pair, const abut_check_result *r,
                     cli_table *table)
{
    cli_text *const text = &table->text;
    cli_session_pair_cells(session, pair, table);
    cli_text_puts(text, abut_verdict_name(r->verdict));
    cli_table_next(table);
    if (r->has_depth) {
        cli_text_puts(text, "depth ");
        cli_text_interval(text, r->depth);
    } else {
        cli_text_interval(text, r->distance);
    }
    cli_table_next(table);
    if (r->has_normal)
        cli_text_vec3(text, r->normal);
    else
        cli_text_puts(text, "-");
    cli_table_next(table);
    cli_text_puts(text, r->proof != ABUT_PROOF_NONE ? abut_proof_name(r->proof) : "-");
    cli_table_next(table);
}

/* Runs the queries and writes each answer to `json`, or to `table` when json is NULL. */
static int check_pairs(cli_session *session, cli_json *json, cli_table *table, bool *contact)
{
    abut_check_opts opts;
    abut_check_opts_init(&opts);
    if (session->to_terminal) {
        opts.progress = cli_session_progress_fn;
        opts.progress_ctx = session;
    }
    int code = CLI_DONE;
    for (size_t i = 0; i < session->pair_count && !code; ++i) {
        const cli_pair *const pair = &session->pairs[i];
        const abut_scene_object a = abut_scene_get_object(session->scene, pair->a);
        const abut_scene_object b = abut_scene_get_object(session->scene, pair->b);
        abut_check_result result;
        cli_session_progress(session, i);
        const abut_status status = abut_check_at(a.shape, a.motion, b.shape, b.motion, session->time, &opts,
                                                 session->workspace, &result);
        if (status != ABUT_OK) {
            code = cli_session_pair_failed(session, pair, status);
            if (!code && !json)
                cli_session_unsupported_row(session, pair, table);
            continue;
        }
        cli_session_count(session, &result.counters);
        *contact = *contact || result.verdict == ABUT_TOUCHING || result.verdict == ABUT_PENETRATING;
        if (result.verdict == ABUT_UNDECIDED && result.stop == ABUT_STOP_BUDGET)
            cli_session_pair_unfinished(session, pair);
        if (json)
            pair_json(session, pair, &result, json);
        else
            pair_row(session, pair, &result, table);
    }
    cli_session_progress_end(session);
    return code;
}

static int check_as_json(cli_session *session)
{
    cli_text out = { 0 };
    cli_json json = { .out = &out };
    bool contact = false;
    cli_json_open(&json, '{');
    cli_json_key(&json, "command");
    cli_json_string(&json, "check");
    cli_json_key(&json, "time");
    cli_json_number(&json, session->time);
    cli_json_key(&json, "pairs");
    cli_json_open(&json, '[');
    const int code = check_pairs(session, &json, NULL, &contact);
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

static int check_as_table(cli_session *session)
{
    static const char *const headings[] = { "A", "B", "VERDICT", "DISTANCE", "NORMAL", "PROOF" };
    cli_text out = { 0 };
    cli_table table;
    bool contact = false;
    cli_text_puts(&out, "at time ");
    cli_text_number(&out, session->time);
    cli_text_puts(&out, "\n\n");
    cli_table_begin(&table, 6, headings);
    const int code = check_pairs(session, NULL, &table, &contact);
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

int cli_run_check(const cli_args *args)
{
    cli_session session;
    int code = cli_session_open(&session, args, true);
    for (size_t i = 0; i < session.pair_count && !code; ++i) {
        code = cli_session_check_time(&session, session.pairs[i].a);
        if (!code)
            code = cli_session_check_time(&session, session.pairs[i].b);
    }
    if (!code)
        code = CLI_GIVEN(args, JSON) ? check_as_json(&session) : check_as_table(&session);
    cli_session_close(&session);
    return code;
}
