/* SPDX-License-Identifier: MIT */
/* abut first: the earliest contact of all pairs, with every contact point that comes at the same time.
 *
 * Each pair is asked for itself; the answers join so:
 *  - a pair that penetrates at the start makes it `overlapping`: nothing is earlier than the start;
 *  - else the first contact lies in [least lo, least hi] of the pairs that are proved to meet;
 *  - an undecided pair that may meet no later than that makes the whole undecided, one that meets later does not matter;
 *  - without either, all pairs are proved separate.
 * A contact point is listed when its enclosure of time begins no later than `simultaneity` after the end of the first
 * contact's: it may be simultaneous. A pair that is not supported yet leaves no answer at all, since the first contact
 * could be its. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

typedef struct found_point {
    size_t pair, order;
    bool has_point; /* false: the pair's time is known, its points are not */
    abut_first_point at;
} found_point;

typedef struct answer {
    abut_first_verdict verdict;
    abut_proof proof;
    abut_stop stop;
    abut_interval time;
} answer;

typedef struct first_run {
    cli_session *session;
    answer *answers; /* one a pair */
    found_point *points;
    size_t point_count, point_capacity;
    size_t pair; /* the one being asked */
    bool out_of_memory;
    answer whole;
    bool has_time;
} first_run;

static void add_point(first_run *run, const abut_first_point *point, abut_interval time)
{
    if (run->point_count == run->point_capacity) {
        const size_t capacity = run->point_capacity ? 2 * run->point_capacity : 16;
        found_point *const larger = realloc(run->points, capacity * sizeof *larger);
        if (!larger) {
            run->out_of_memory = true;
            return;
        }
        run->points = larger;
        run->point_capacity = capacity;
    }
    found_point *const added = &run->points[run->point_count++];
    *added = (found_point){
        .pair = run->pair, .order = run->point_count, .has_point = point != NULL, .at = { .time = time }
    };
    if (point)
        added->at = *point;
}

static void on_point(void *ctx, const abut_first_point *point)
{
    add_point(ctx, point, point->time);
}

static int ask_pair(first_run *run, size_t index)
{
    cli_session *const session = run->session;
    const cli_pair *const pair = &session->pairs[index];
    const abut_scene_object a = abut_scene_get_object(session->scene, pair->a);
    const abut_scene_object b = abut_scene_get_object(session->scene, pair->b);
    const size_t before = run->point_count;
    abut_first_opts opts = session->first;
    opts.on_point = on_point;
    opts.on_point_ctx = run;
    run->pair = index;
    abut_first_result r;
    const abut_status status =
        abut_first_contact(a.shape, a.motion, b.shape, b.motion, &opts, session->workspace, &r);
    if (status != ABUT_OK)
        return cli_session_pair_failed(session, pair, status);
    cli_session_count(session, &r.counters);
    run->answers[index] = (answer){ r.verdict, r.proof, r.stop, r.time };
    /* Points come through the callback when they are too many for the result, and may come so always. */
    if (run->point_count == before)
        for (size_t i = 0; i < r.point_count && i < ABUT_FIRST_CONTACTS; ++i)
            add_point(run, &r.points[i], r.points[i].time);
    if (run->point_count == before && r.verdict != ABUT_FIRST_SEPARATE)
        add_point(run, NULL, r.time);
    return run->out_of_memory ? cli_out_of_memory() : CLI_DONE;
}

/* Joins the answers (see the head of this file) and keeps the points that belong to the whole. */
static void join(first_run *run)
{
    const cli_session *const session = run->session;
    const size_t count = session->pair_count;
    bool overlapping = false, contact = false, undecided = false;
    abut_interval time = { HUGE_VAL, HUGE_VAL };
    for (size_t i = 0; i < count; ++i) {
        const answer *const each = &run->answers[i];
        overlapping = overlapping || each->verdict == ABUT_FIRST_OVERLAPPING;
        if (each->verdict == ABUT_FIRST_CONTACT) {
            contact = true;
            time.lo = fmin(time.lo, each->time.lo);
            time.hi = fmin(time.hi, each->time.hi);
        }
    }
    double undecided_hi = -HUGE_VAL;
    for (size_t i = 0; i < count; ++i) {
        const answer *const each = &run->answers[i];
        if (each->verdict == ABUT_FIRST_UNDECIDED && each->time.lo <= time.hi) {
            undecided = true;
            time.lo = fmin(time.lo, each->time.lo);
            undecided_hi = fmax(undecided_hi, each->time.hi);
        }
    }
    if (undecided && !contact)
        time.hi = undecided_hi;
    answer *const whole = &run->whole;
    whole->verdict = overlapping ? ABUT_FIRST_OVERLAPPING
                     : undecided ? ABUT_FIRST_UNDECIDED
                     : contact   ? ABUT_FIRST_CONTACT
                                 : ABUT_FIRST_SEPARATE;
    whole->time = overlapping ? (abut_interval){ session->range.lo, session->range.lo } : time;
    run->has_time = overlapping || undecided || contact;

    /* One ulp upwards: the sum may have been rounded down, and a point just inside must stay. */
    const double limit = nextafter(time.hi + session->first.simultaneity, HUGE_VAL);
    size_t kept = 0;
    for (size_t i = 0; i < run->point_count; ++i) {
        const found_point *const point = &run->points[i];
        const bool belongs = overlapping ? run->answers[point->pair].verdict == ABUT_FIRST_OVERLAPPING
                                         : point->at.time.lo <= limit;
        if (belongs)
            run->points[kept++] = *point;
    }
    run->point_count = kept;

    /* The weakest link: of the overlapping pairs, or of all, since each is needed to say that nothing is earlier. */
    whole->proof = ABUT_PROOF_EXACT;
    for (size_t i = 0; i < count; ++i) {
        const answer *const each = &run->answers[i];
        if (overlapping && each->verdict != ABUT_FIRST_OVERLAPPING)
            continue;
        /* That an undecided pair meets no earlier than its time says is known by enclosures. */
        const abut_proof proof = each->verdict == ABUT_FIRST_UNDECIDED && each->proof == ABUT_PROOF_NONE
                                     ? ABUT_PROOF_INTERVAL
                                     : each->proof;
        if (proof < whole->proof)
            whole->proof = proof;
        if (!overlapping && each->verdict == ABUT_FIRST_UNDECIDED && each->stop == ABUT_STOP_BUDGET &&
            each->time.lo <= limit)
            cli_session_pair_unfinished(run->session, &session->pairs[i]);
    }
}

/* By time, then in the order found, which is that of the pairs. */
static int compare_points(const void *left, const void *right)
{
    const found_point *const x = left, *const y = right;
    if (x->at.time.lo != y->at.time.lo)
        return x->at.time.lo < y->at.time.lo ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int print_json(const first_run *run)
{
    const cli_session *const session = run->session;
    const answer *const whole = &run->whole;
    cli_text out = { 0 };
    cli_json json = { .out = &out };
    cli_json_open(&json, '{');
    cli_json_key(&json, "command");
    cli_json_string(&json, "first");
    cli_json_key(&json, "verdict");
    cli_json_string(&json, abut_first_verdict_name(whole->verdict));
    if (whole->proof != ABUT_PROOF_NONE && whole->verdict != ABUT_FIRST_UNDECIDED) {
        cli_json_key(&json, "proof");
        cli_json_string(&json, abut_proof_name(whole->proof));
    }
    cli_json_key(&json, "time");
    if (run->has_time)
        cli_json_interval(&json, whole->time);
    else
        cli_json_null(&json);
    cli_json_key(&json, "contacts");
    cli_json_open(&json, '[');
    for (size_t i = 0; i < run->point_count; ++i) {
        const found_point *const point = &run->points[i];
        cli_json_line(&json);
        cli_json_open(&json, '{');
        cli_session_pair_json(session, &session->pairs[point->pair], &json);
        cli_json_key(&json, "time");
        cli_json_interval(&json, point->at.time);
        if (point->has_point) {
            cli_json_key(&json, "point");
            cli_json_vec3(&json, point->at.point);
            cli_json_key(&json, "normal");
            cli_json_vec3(&json, point->at.normal);
            cli_json_key(&json, "kind");
            cli_json_string(&json, point->at.kind == ABUT_CONTACT_SAMPLED ? "sampled" : "isolated");
            cli_json_key(&json, "features");
            cli_json_open(&json, '[');
            cli_json_string(&json, abut_feature_name(point->at.features[0]));
            cli_json_string(&json, abut_feature_name(point->at.features[1]));
            cli_json_close(&json, ']');
        }
        cli_json_key(&json, "proof");
        cli_json_string(&json, point->at.unique ? "unique" : "tolerance");
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    cli_json_key(&json, "iterations");
    cli_json_count(&json, session->counters.iterations);
    cli_session_stats_json(session, &json, true);
    cli_json_close(&json, '}');
    cli_text_puts(&out, "\n");
    return cli_text_write(&out, CLI_DONE);
}

static void headline(const first_run *run, cli_text *out)
{
    const cli_session *const session = run->session;
    const answer *const whole = &run->whole;
    switch (whole->verdict) {
    case ABUT_FIRST_CONTACT:
        cli_text_puts(out, "first contact at ");
        cli_text_interval(out, whole->time);
        break;
    case ABUT_FIRST_SEPARATE:
        cli_text_puts(out, "no contact from ");
        cli_text_number(out, session->range.lo);
        cli_text_puts(out, " to ");
        cli_text_number(out, session->range.hi);
        break;
    case ABUT_FIRST_OVERLAPPING:
        cli_text_puts(out, "overlapping at the start, ");
        cli_text_number(out, session->range.lo);
        break;
    case ABUT_FIRST_UNDECIDED:
    default:
        cli_text_puts(out, "undecided; the first contact, if there is one, comes at ");
        cli_text_interval(out, whole->time);
        break;
    }
    if (whole->verdict != ABUT_FIRST_UNDECIDED && whole->proof != ABUT_PROOF_NONE && session->pair_count)
        cli_text_printf(out, "; proof: %s", abut_proof_name(whole->proof));
    cli_text_puts(out, "\n");
}

static int print_table(const first_run *run)
{
    static const char *const headings[] = { "A", "B", "TIME", "POINT", "NORMAL", "FEATURES", "PROOF" };
    const cli_session *const session = run->session;
    cli_text out = { 0 };
    cli_table table;
    headline(run, &out);
    if (run->point_count) {
        cli_text_puts(&out, "\n");
        cli_table_begin(&table, 7, headings);
        for (size_t i = 0; i < run->point_count; ++i) {
            const found_point *const point = &run->points[i];
            cli_session_pair_cells(session, &session->pairs[point->pair], &table);
            cli_text_interval(&table.text, point->at.time);
            cli_table_next(&table);
            if (point->has_point)
                cli_text_vec3(&table.text, point->at.point);
            else
                cli_text_puts(&table.text, "-");
            cli_table_next(&table);
            if (point->has_point)
                cli_text_vec3(&table.text, point->at.normal);
            else
                cli_text_puts(&table.text, "-");
            cli_table_next(&table);
            if (point->has_point)
                cli_text_printf(&table.text, "%s-%s", abut_feature_name(point->at.features[0]),
                                abut_feature_name(point->at.features[1]));
            else
                cli_text_puts(&table.text, "-");
            cli_table_next(&table);
            cli_text_printf(&table.text, "%s%s", point->at.unique ? "unique" : "tolerance",
                            point->at.kind == ABUT_CONTACT_SAMPLED ? ", sampled" : "");
            cli_table_next(&table);
        }
        cli_table_end(&table, &out);
    }
    cli_session_stats_text(session, &out, true);
    return cli_text_write(&out, CLI_DONE);
}

static int first(first_run *run)
{
    cli_session *const session = run->session;
    run->answers = calloc(session->pair_count ? session->pair_count : 1, sizeof *run->answers);
    if (!run->answers)
        return cli_out_of_memory();
    int code = CLI_DONE;
    for (size_t i = 0; i < session->pair_count && !code; ++i) {
        cli_session_progress(session, i);
        code = ask_pair(run, i);
    }
    cli_session_progress_end(session);
    if (code)
        return code;
    if (session->unsupported)
        return cli_session_exit(session, false);
    join(run);
    if (run->point_count)
        qsort(run->points, run->point_count, sizeof *run->points, compare_points);
    code = CLI_GIVEN(session->args, JSON) ? print_json(run) : print_table(run);
    if (code)
        return code;
    return cli_session_exit(session, run->whole.verdict == ABUT_FIRST_CONTACT ||
                                         run->whole.verdict == ABUT_FIRST_OVERLAPPING);
}

int cli_run_first(const cli_args *args)
{
    cli_session session;
    int code = cli_session_open(&session, args, true);
    if (!code) {
        first_run run = { .session = &session };
        code = first(&run);
        free(run.answers);
        free(run.points);
    }
    cli_session_close(&session);
    return code;
}
