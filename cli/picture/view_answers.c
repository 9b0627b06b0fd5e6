/* SPDX-License-Identifier: MIT */
/* The answers on the page of `abut view`: the first contact, intervals of contact, and checks at even
 * times with distances, depths and contact points. What takes longer than was allowed, or has no method,
 * is left out, and the page says so. */
#include "picture/view.h"

#include <math.h>
#include <stdlib.h>

/* Checks at so many times; pairs that are asked about at all. */
enum { FEW_PAIRS = 15, SOME_PAIRS = 80, MOST_PAIRS = 400, MANY_CHECKS = 61, SOME_CHECKS = 21, ROOM = 512 };

typedef struct answers {
    view_page *page;
    cli_json *json;
    double deadline;
    double first_time; /* NaN: none */
    size_t late, unsupported;
    size_t shown; /* of pairs that the world found */
    abut_contact_interval *intervals;
} answers;

static void number_pair(cli_json *json, const abut_interval v)
{
    cli_json_number(json, v.lo);
    cli_json_number(json, v.hi);
}

/* ---- the first contact ---- */

static int first_json(answers *a)
{
    cli_json *const json = a->json;
    cli_session *const session = a->page->session;
    cli_first first;
    const int code = cli_look_first(session, session->args->seconds, &first);
    if (code)
        return code;
    cli_json_open(cli_json_key(json, "first"), '{');
    cli_json_bool(cli_json_key(json, "known"), first.known);
    if (!first.known) {
        cli_json_string(cli_json_key(json, "why"), first.why);
    } else {
        cli_json_string(cli_json_key(json, "verdict"), abut_first_verdict_name(first.result.verdict));
        cli_json_string(cli_json_key(json, "proof"), abut_proof_name(first.result.proof));
        if (first.result.verdict != ABUT_FIRST_SEPARATE) {
            cli_json_interval(cli_json_key(json, "time"), first.result.time);
            cli_json_number(cli_json_key(json, "width"), first.result.time.hi - first.result.time.lo);
        }
        if (first.result.verdict == ABUT_FIRST_CONTACT)
            a->first_time = first.result.time.hi;
        cli_json_open(cli_json_key(json, "points"), '[');
        for (size_t i = 0; i < first.point_count; ++i) {
            const abut_set_point *const p = &first.points[i];
            if (p->at.kind == 0)
                continue;
            cli_json_open(json, '{');
            cli_json_count(cli_json_key(json, "a"), p->a);
            cli_json_count(cli_json_key(json, "b"), p->b);
            cli_json_vec3(cli_json_key(json, "p"), p->at.point);
            cli_json_close(json, '}');
        }
        cli_json_close(json, ']');
    }
    cli_json_close(json, '}');
    cli_first_clear(&first);
    return CLI_DONE;
}

/* ---- intervals ---- */

static void write_intervals(cli_json *json, const abut_contact_interval *of, const abut_intervals_result *r,
                            size_t room)
{
    cli_json_string(cli_json_key(json, "proof"), abut_proof_name(r->proof));
    cli_json_open(cli_json_key(json, "intervals"), '[');
    for (size_t i = 0; i < r->count && i < room; ++i) {
        cli_json_open(json, '[');
        number_pair(json, of[i].enter);
        number_pair(json, of[i].exit);
        cli_json_close(json, ']');
    }
    cli_json_close(json, ']');
}

static void open_pair(cli_json *json, size_t a, size_t b)
{
    cli_json_line(json);
    cli_json_open(json, '{');
    cli_json_count(cli_json_key(json, "a"), a);
    cli_json_count(cli_json_key(json, "b"), b);
}

static int intervals_json(answers *a, const cli_pair *pair)
{
    cli_session *const session = a->page->session;
    const abut_scene_object x = abut_scene_get_object(session->scene, pair->a);
    const abut_scene_object y = abut_scene_get_object(session->scene, pair->b);
    cli_deadline deadline = { session, a->deadline };
    abut_first_opts opts = session->first;
    abut_intervals_result r;
    if (cli_clock() > a->deadline) {
        ++a->late;
        return CLI_DONE;
    }
    opts.progress = cli_deadline_progress;
    opts.progress_ctx = &deadline;
    const abut_status status = abut_contact_intervals(x.shape, x.motion, y.shape, y.motion, &opts,
                                                      session->workspace, a->intervals, ROOM, &r);
    if (status == ABUT_ERR_MEMORY)
        return cli_out_of_memory();
    if (status) {
        ++*(status == ABUT_ERR_CANCELLED ? &a->late : &a->unsupported);
        return CLI_DONE;
    }
    write_intervals(a->json, a->intervals, &r, ROOM);
    return CLI_DONE;
}

static bool take_intervals(void *ctx, abut_body_id x, abut_body_id y, abut_status status,
                           const abut_contact_interval *of, const abut_intervals_result *r)
{
    answers *const a = ctx;
    if (status) {
        ++a->unsupported;
        return true;
    }
    open_pair(a->json, x.index, y.index);
    write_intervals(a->json, of, r, r->count);
    cli_json_close(a->json, '}');
    ++a->shown;
    return a->shown < MOST_PAIRS;
}

/* Of the pairs that meet, where all are too many: found by the world. */
static int all_intervals_json(answers *a)
{
    cli_session *const session = a->page->session;
    cli_deadline deadline = { session, a->deadline };
    cli_many many;
    const int code = cli_many_open(&many, session, session->range);
    if (!code) {
        many.query.progress = cli_deadline_progress;
        many.query.progress_ctx = &deadline;
        const abut_status status = abut_world_intervals(many.world, &many.query, take_intervals, a, NULL);
        a->late += status != ABUT_OK && a->shown < MOST_PAIRS;
    }
    cli_many_close(&many);
    session->together = false;
    return code;
}

/* ---- checks ---- */

static void check_json(cli_json *json, double t, const abut_check_result *r)
{
    cli_json_line(json);
    cli_json_open(json, '{');
    cli_json_number(cli_json_key(json, "t"), t);
    cli_json_string(cli_json_key(json, "verdict"), abut_verdict_name(r->verdict));
    cli_json_string(cli_json_key(json, "proof"), abut_proof_name(r->proof));
    cli_json_interval(cli_json_key(json, "distance"), r->distance);
    if (r->has_depth)
        cli_json_interval(cli_json_key(json, "depth"), r->depth);
    if (r->has_points && (r->verdict == ABUT_SEPARATE || r->has_depth)) {
        cli_json_open(cli_json_key(json, "points"), '[');
        cli_json_vec3(json, r->point_a);
        cli_json_vec3(json, r->point_b);
        cli_json_close(json, ']');
    }
    if (r->contact_count > 0) {
        cli_json_open(cli_json_key(json, "contacts"), '[');
        for (int i = 0; i < r->contact_count; ++i)
            cli_json_vec3(json, r->contacts[i].point);
        cli_json_close(json, ']');
    }
    cli_json_close(json, '}');
}

/* At even times, and at the first contact in its place among them. */
static int checks_json(answers *a, const cli_pair *pair, int count)
{
    cli_session *const session = a->page->session;
    const abut_interval range = session->range;
    const abut_scene_object x = abut_scene_get_object(session->scene, pair->a);
    const abut_scene_object y = abut_scene_get_object(session->scene, pair->b);
    cli_deadline deadline = { session, a->deadline };
    abut_check_opts opts;
    abut_check_opts_init(&opts);
    opts.max_contacts = ABUT_CHECK_CONTACTS;
    opts.max_iterations = session->first.max_iterations;
    opts.progress = cli_deadline_progress;
    opts.progress_ctx = &deadline;
    cli_json_open(cli_json_key(a->json, "checks"), '[');
    bool with_first = !isnan(a->first_time);
    for (int i = 0; i < count;) {
        double t = count > 1 ? range.lo + (range.hi - range.lo) * i / (count - 1) : range.lo;
        if (with_first && a->first_time <= t) {
            i += a->first_time == t;
            t = a->first_time;
            with_first = false;
        } else {
            ++i;
        }
        abut_check_result r;
        if (cli_clock() > a->deadline) {
            ++a->late;
            break;
        }
        const abut_status status = abut_check_at(x.shape, x.motion, y.shape, y.motion, fmin(t, range.hi),
                                                 &opts, session->workspace, &r);
        if (status == ABUT_ERR_MEMORY)
            return cli_out_of_memory();
        if (status) {
            ++*(status == ABUT_ERR_CANCELLED ? &a->late : &a->unsupported);
            break;
        }
        check_json(a->json, t, &r);
    }
    cli_json_close(a->json, ']');
    return CLI_DONE;
}

/* ---- the whole ---- */

static void notes_json(const answers *a)
{
    const cli_session *const session = a->page->session;
    char line[160];
    cli_json_open(cli_json_key(a->json, "notes"), '[');
    if (session->considered > MOST_PAIRS) {
        snprintf(line, sizeof line, "Intervals and distances are shown for up to %d pairs; there are %zu.",
                 MOST_PAIRS, session->considered);
        cli_json_string(a->json, line);
    }
    if (a->late)
        cli_json_string(
            a->json,
            "Some intervals or distances were left out: they take longer than was allowed (--seconds).");
    if (a->unsupported)
        cli_json_string(a->json, "Some pairs have no method for intervals or distances yet.");
    cli_json_close(a->json, ']');
}

int view_answers_json(view_page *page, cli_json *json, double *start)
{
    cli_session *const session = page->session;
    answers a = { .page = page, .json = json, .first_time = NAN };
    a.intervals = malloc(ROOM * sizeof *a.intervals);
    if (!a.intervals)
        return cli_out_of_memory();
    int code = first_json(&a);
    a.deadline = cli_clock() + session->args->seconds;
    const size_t pairs = session->pair_count <= MOST_PAIRS ? session->pair_count : 0;
    const bool moves = session->range.hi > session->range.lo;
    const int checks = !moves ? 1 : pairs <= FEW_PAIRS ? MANY_CHECKS : pairs <= SOME_PAIRS ? SOME_CHECKS : 0;
    cli_json_open(cli_json_key(json, "pairs"), '[');
    if (!code && cli_look_is_unlisted(session) && moves)
        code = all_intervals_json(&a);
    for (size_t i = 0; i < pairs && !code; ++i) {
        const cli_pair *const pair = &session->pairs[i];
        cli_session_progress(session, i);
        open_pair(json, pair->a, pair->b);
        code = intervals_json(&a, pair);
        if (!code && checks)
            code = checks_json(&a, pair, checks);
        cli_json_close(json, '}');
    }
    cli_session_progress_end(session);
    cli_json_close(json, ']');
    cli_json_number(cli_json_key(json, "checkStep"),
                    checks > 1 ? (session->range.hi - session->range.lo) / (checks - 1) : 1e300);
    notes_json(&a);
    free(a.intervals);
    *start = CLI_GIVEN(session->args, TIME) ? session->time : session->range.lo;
    return code;
}
