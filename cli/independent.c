/* SPDX-License-Identifier: MIT */
/* abut intervals --independent: each object runs through its motion by itself, so a pair has two
 * times, s of the first and t of the second; which s, and which t, are covered by contacts. */
#include "cli.h"

#include <stdlib.h>

/* Room for all of a pair; grows with the pair that has most. */
typedef struct cover_buffer {
    abut_cover_interval *intervals[2];
    abut_extreme_point *extremes[2];
    size_t interval_capacity, extreme_capacity;
} cover_buffer;

static bool grow(cover_buffer *buffer, size_t intervals, size_t extremes)
{
    for (int i = 0; i < 2; ++i) {
        abut_cover_interval *const more = realloc(buffer->intervals[i], (intervals + 1) * sizeof *more);
        if (more)
            buffer->intervals[i] = more;
        abut_extreme_point *const points = realloc(buffer->extremes[i], (extremes + 1) * sizeof *points);
        if (points)
            buffer->extremes[i] = points;
        if (!more || !points)
            return false;
    }
    buffer->interval_capacity = intervals;
    buffer->extreme_capacity = extremes;
    return true;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static abut_status ask(cli_session *session, const cli_pair *pair, cover_buffer *buffer,
                       abut_independent_result *result)
{
    const abut_scene_object a = abut_scene_get_object(session->scene, pair->a);
    const abut_scene_object b = abut_scene_get_object(session->scene, pair->b);
    abut_independent_opts opts;
    abut_independent_opts_init(&opts);
    opts.s = opts.t = session->range;
    opts.accuracy = session->first.accuracy;
    opts.max_iterations = session->first.max_iterations;
    opts.progress = session->first.progress;
    opts.progress_ctx = session->first.progress_ctx;
    for (;;) {
        const abut_status status = abut_independent_contact(
            a.shape, a.motion, b.shape, b.motion, &opts, session->workspace, buffer->intervals[0],
            buffer->interval_capacity, buffer->intervals[1], buffer->interval_capacity, buffer->extremes[0],
            buffer->extreme_capacity, buffer->extremes[1], buffer->extreme_capacity, result);
        const size_t intervals = larger(result->s_count, result->t_count);
        const size_t extremes = larger(result->s_extremes, result->t_extremes);
        if (status != ABUT_OK ||
            (intervals <= buffer->interval_capacity && extremes <= buffer->extreme_capacity))
            return status;
        if (!grow(buffer, larger(intervals, buffer->interval_capacity),
                  larger(extremes, buffer->extreme_capacity)))
            return ABUT_ERR_MEMORY;
    }
}

static void pair_json(const cli_session *session, const cli_pair *pair, const cover_buffer *buffer,
                      const abut_independent_result *r, cli_json *json)
{
    static const char *const lists[2][2] = { { "s", "s_extremes" }, { "t", "t_extremes" } };
    const size_t counts[2][2] = { { r->s_count, r->s_extremes }, { r->t_count, r->t_extremes } };
    cli_json_line(json);
    cli_json_open(json, '{');
    cli_session_pair_json(session, pair, json);
    cli_json_string(cli_json_key(json, "proof"), abut_proof_name(r->proof));
    for (int k = 0; k < 2; ++k) {
        cli_json_open(cli_json_key(json, lists[k][0]), '[');
        for (size_t i = 0; i < counts[k][0]; ++i) {
            cli_json_open(json, '{');
            cli_json_string(cli_json_key(json, "cover"), abut_cover_name(buffer->intervals[k][i].cover));
            cli_json_interval(cli_json_key(json, "from"), buffer->intervals[k][i].from);
            cli_json_interval(cli_json_key(json, "to"), buffer->intervals[k][i].to);
            cli_json_close(json, '}');
        }
        cli_json_close(json, ']');
        cli_json_open(cli_json_key(json, lists[k][1]), '[');
        for (size_t i = 0; i < counts[k][1]; ++i) {
            const abut_extreme_point *const at = &buffer->extremes[k][i];
            cli_json_open(json, '{');
            cli_json_interval(cli_json_key(json, "s"), at->s);
            cli_json_interval(cli_json_key(json, "t"), at->t);
            cli_json_interval(cli_json_key(json, "u"), at->u);
            cli_json_bool(cli_json_key(json, "unique"), at->unique);
            cli_json_close(json, '}');
        }
        cli_json_close(json, ']');
    }
    cli_session_pair_end(session, json, r->stop, &r->counters);
}

/* One line an interval. */
static void pair_rows(const cli_session *session, const cli_pair *pair, const cover_buffer *buffer,
                      const abut_independent_result *r, cli_table *table)
{
    for (int k = 0; k < 2; ++k)
        for (size_t i = 0; i < (k ? r->t_count : r->s_count); ++i) {
            const abut_cover_interval *const at = &buffer->intervals[k][i];
            cli_session_pair_cells(session, pair, table);
            cli_text_puts(&table->text, k ? "of B" : "of A");
            cli_table_next(table);
            cli_text_puts(&table->text, abut_cover_name(at->cover));
            cli_table_next(table);
            cli_text_interval(&table->text, at->from);
            cli_table_next(table);
            cli_text_interval(&table->text, at->to);
            cli_table_next(table);
        }
}

static abut_status answer(cli_session *session, const cli_pair *pair, void *room, cli_answers *to)
{
    cover_buffer *const buffer = room;
    abut_independent_result result = { .s_count = 0 };
    const abut_status status = ask(session, pair, buffer, &result);
    if (status != ABUT_OK)
        return status;
    cli_session_count(session, &result.counters);
    for (size_t k = 0; k < result.s_count; ++k)
        to->contact = to->contact || buffer->intervals[0][k].cover > ABUT_COVER_SEPARATE;
    if (result.stop == ABUT_STOP_BUDGET)
        cli_session_pair_undecided(session, pair, result.stop);
    if (to->json)
        pair_json(session, pair, buffer, &result, to->json);
    else
        pair_rows(session, pair, buffer, &result, &to->table);
    return ABUT_OK;
}

int cli_run_independent(cli_session *session)
{
    static const char *const headings[] = { "A", "B", "TIME", "COVER", "FROM", "TO" };
    static const cli_question question = {
        "times of each that contacts cover,", "independent", headings, 6, answer, NULL
    };
    cover_buffer buffer = { .interval_capacity = 0 };
    const int code = grow(&buffer, 16, 16) ? cli_ask_pairs(session, &question, &buffer) : cli_out_of_memory();
    for (int i = 0; i < 2; ++i) {
        free(buffer.intervals[i]);
        free(buffer.extremes[i]);
    }
    return code;
}
