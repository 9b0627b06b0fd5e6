/* SPDX-License-Identifier: MIT */
/* abut first: the earliest contact of all pairs, with every contact point that comes at the same
 * time. One query for all of them, so that nothing is spent on what comes later. A pair that is
 * not supported yet leaves no answer at all, since the first contact could be its. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

typedef struct first_run {
    cli_session *session;
    cli_many many;
    abut_set_point *points;
    size_t capacity;
    abut_set_result whole;
} first_run;

static bool has_point(const abut_set_point *point)
{
    return point->at.kind != 0;
}

static cli_pair pair_of(const abut_set_point *point)
{
    return (cli_pair){ point->a, point->b };
}

static int prepare(first_run *run)
{
    run->capacity = 256;
    run->points = calloc(run->capacity, sizeof *run->points);
    if (!run->points)
        return cli_out_of_memory();
    return cli_many_open(&run->many, run->session, run->session->range);
}

/* The pair that has no method, and those listed that have none either: an iteration each is enough to
 * find out. */
static int name_unsupported(first_run *run, const abut_body_id missing[2])
{
    cli_session *const session = run->session;
    for (size_t i = 0; session->listed && i < session->pair_count; ++i) {
        const cli_pair *const pair = &session->pairs[i];
        const abut_scene_object a = abut_scene_get_object(session->scene, pair->a),
                                b = abut_scene_get_object(session->scene, pair->b);
        abut_first_opts opts = session->first;
        abut_first_result r;
        opts.max_iterations = 1;
        const abut_status status =
            abut_first_contact(a.shape, a.motion, b.shape, b.motion, &opts, session->workspace, &r);
        const int code = status == ABUT_OK ? CLI_DONE : cli_session_pair_failed(session, pair, status);
        if (code)
            return code;
    }
    if (session->unsupported)
        return CLI_DONE;
    if (missing[0].generation) {
        const cli_pair pair = { missing[0].index, missing[1].index };
        return cli_session_pair_failed(session, &pair, ABUT_ERR_UNSUPPORTED);
    }
    cli_message("a pair is not supported yet");
    return CLI_FAILED;
}

/* Asks once; asks again with room for all points when there were more than fit. */
static int ask(first_run *run)
{
    cli_session *const session = run->session;
    for (;;) {
        abut_body_id missing[2];
        const abut_status status = abut_world_first(run->many.world, &run->many.query, run->points,
                                                    run->capacity, &run->whole, missing);
        if (status == ABUT_ERR_UNSUPPORTED)
            return name_unsupported(run, missing);
        if (status != ABUT_OK)
            return cli_session_failed(session, status);
        if (run->whole.point_count <= run->capacity)
            return CLI_DONE;
        abut_set_point *const larger = realloc(run->points, run->whole.point_count * sizeof *larger);
        if (!larger)
            return cli_out_of_memory();
        run->points = larger;
        run->capacity = run->whole.point_count;
    }
}

/* ---- meshes with themselves ---- */

static int add_self_point(first_run *run, size_t object, const abut_first_result *r,
                          const abut_first_point *at)
{
    if (run->whole.point_count >= run->capacity) {
        const size_t more = 2 * run->capacity;
        abut_set_point *const larger = realloc(run->points, more * sizeof *larger);
        if (!larger)
            return cli_out_of_memory();
        run->points = larger;
        run->capacity = more;
    }
    run->points[run->whole.point_count++] =
        (abut_set_point){ .a = (uint32_t)object, .b = (uint32_t)object, .verdict = r->verdict, .at = *at };
    return CLI_DONE;
}

/* Drops the contacts that are later than the first, with what counts as the same time. */
static void drop_late(first_run *run)
{
    const double last = run->whole.time.hi + run->session->first.simultaneity;
    size_t kept = 0;
    for (size_t i = 0; i < run->whole.point_count; ++i)
        if (run->points[i].at.time.lo <= last)
            run->points[kept++] = run->points[i];
    run->whole.point_count = kept;
}

/* Does the answer about one mesh belong to that about all? If so, *whole says it. */
static bool merge(first_run *run, const abut_first_result *r)
{
    abut_set_result *const whole = &run->whole;
    const double slack = run->session->first.simultaneity;
    const abut_proof least =
        whole->proof == ABUT_PROOF_NONE || r->proof < whole->proof ? r->proof : whole->proof;
    if (r->verdict == ABUT_FIRST_SEPARATE) {
        if (whole->verdict == ABUT_FIRST_SEPARATE)
            whole->proof = least;
        return false;
    }
    if (r->verdict == ABUT_FIRST_OVERLAPPING || whole->verdict == ABUT_FIRST_SEPARATE) {
        if (whole->verdict != ABUT_FIRST_OVERLAPPING)
            whole->point_count = 0;
        whole->verdict = r->verdict;
        whole->proof = least;
        whole->stop = r->stop;
        whole->time = r->time;
        return true;
    }
    if (whole->verdict == ABUT_FIRST_OVERLAPPING || r->time.lo > whole->time.hi + slack)
        return false;
    if (r->verdict == ABUT_FIRST_UNDECIDED || whole->verdict == ABUT_FIRST_UNDECIDED) {
        if (r->verdict == ABUT_FIRST_UNDECIDED)
            whole->stop = r->stop;
        whole->verdict = ABUT_FIRST_UNDECIDED;
        whole->proof = ABUT_PROOF_NONE;
        whole->time.lo = fmin(whole->time.lo, r->time.lo);
        return true;
    }
    whole->proof = least;
    whole->time = (abut_interval){ fmin(whole->time.lo, r->time.lo), fmin(whole->time.hi, r->time.hi) };
    drop_late(run);
    return true;
}

typedef struct self_points {
    abut_first_point *items;
    size_t count, capacity;
    bool no_memory;
} self_points;

static void take_self_point(void *ctx, const abut_first_point *point)
{
    self_points *const p = ctx;
    if (p->count == p->capacity) {
        const size_t more = p->capacity ? 2 * p->capacity : 64;
        abut_first_point *const larger = realloc(p->items, more * sizeof *larger);
        if (!larger) {
            p->no_memory = true;
            return;
        }
        p->items = larger;
        p->capacity = more;
    }
    p->items[p->count++] = *point;
}

static int ask_self(first_run *run, size_t object)
{
    cli_session *const session = run->session;
    const abut_scene_object body = abut_scene_get_object(session->scene, object);
    abut_first_opts opts = session->first;
    abut_first_result r;
    self_points points = { 0 };
    opts.on_point = take_self_point;
    opts.on_point_ctx = &points;
    opts.method = ABUT_METHOD_AUTO;
    const abut_status status =
        abut_self_first_contact(body.shape, body.motion, &opts, session->workspace, &r);
    int code = CLI_DONE;
    if (status != ABUT_OK)
        code = cli_session_object_failed(session, object, status);
    else if (points.no_memory)
        code = cli_out_of_memory();
    abut_affine at;
    const bool moved = abut_motion_get_type(body.motion) != ABUT_MOTION_VERTICES &&
                       abut_motion_at(body.motion, session->range.lo, &at) == ABUT_OK;
    if (!code && merge(run, &r)) {
        for (size_t i = 0; i < points.count && !code; ++i) {
            if (moved) /* it meets itself in its own frame */
                cli_contacts_place(&at, &points.items[i].point, &points.items[i].normal);
            code = add_self_point(run, object, &r, &points.items[i]);
        }
        const abut_first_point none = { .time = r.time };
        if (!points.count && !code)
            code = add_self_point(run, object, &r, &none);
    }
    if (!code) {
        run->whole.counters.iterations += r.counters.iterations;
        run->whole.counters.evaluations += r.counters.evaluations;
        run->whole.counters.exact += r.counters.exact;
    }
    free(points.items);
    return code;
}

static int ask_selves(first_run *run)
{
    int code = CLI_DONE;
    for (size_t i = 0; i < abut_scene_object_count(run->session->scene) && !code; ++i)
        if (cli_session_asks_about_mesh(run->session, i))
            code = ask_self(run, i);
    return code;
}

/* By time, then in the order given, which is that of the pairs. */
static void sort_points(first_run *run)
{
    for (size_t i = 1; i < run->whole.point_count; ++i) {
        const abut_set_point kept = run->points[i];
        size_t at = i;
        for (; at > 0 && run->points[at - 1].at.time.lo > kept.at.time.lo; --at)
            run->points[at] = run->points[at - 1];
        run->points[at] = kept;
    }
}

static bool has_time(const abut_set_result *whole)
{
    return whole->verdict != ABUT_FIRST_SEPARATE;
}

static bool has_normals(const abut_set_point *point)
{
    const abut_vec3 n = point->at.normals[0];
    return n.x != 0 || n.y != 0 || n.z != 0;
}

/* What contacts of surfaces have besides. */
static void surface_fields(cli_json *json, const abut_first_point *at)
{
    cli_json_open(cli_json_key(json, "normals"), '[');
    cli_json_vec3(json, at->normals[0]);
    cli_json_vec3(json, at->normals[1]);
    cli_json_close(json, ']');
    cli_json_open(cli_json_key(json, "parameters"), '[');
    for (int i = 0; i < 2; ++i) {
        cli_json_open(json, '[');
        for (int j = 0; j < 2; ++j)
            cli_json_number(json, at->parameters[i][j]);
        cli_json_close(json, ']');
    }
    cli_json_close(json, ']');
}

/* Pairs without a contact in the list: proved to have none until then. Contacts are sorted by time, so
 * those of a pair may be apart. */
static size_t count_others(const first_run *run)
{
    size_t listed = 0;
    for (size_t i = 0; i < run->whole.point_count; ++i) {
        bool first = run->points[i].a != run->points[i].b;
        for (size_t j = 0; j < i && first; ++j)
            first = run->points[j].a != run->points[i].a || run->points[j].b != run->points[i].b;
        listed += first;
    }
    return run->session->considered - listed;
}

static int print_json(const first_run *run)
{
    const cli_session *const session = run->session;
    const abut_set_result *const whole = &run->whole;
    cli_text out = { 0 };
    cli_json json = { .out = &out };
    cli_json_open(&json, '{');
    cli_json_string(cli_json_key(&json, "command"), "first");
    cli_json_string(cli_json_key(&json, "verdict"), abut_first_verdict_name(whole->verdict));
    if (whole->proof != ABUT_PROOF_NONE && whole->verdict != ABUT_FIRST_UNDECIDED)
        cli_json_string(cli_json_key(&json, "proof"), abut_proof_name(whole->proof));
    cli_json_key(&json, "time");
    if (has_time(whole))
        cli_json_interval(&json, whole->time);
    else
        cli_json_null(&json);
    cli_json_open(cli_json_key(&json, "contacts"), '[');
    for (size_t i = 0; i < whole->point_count; ++i) {
        const abut_set_point *const point = &run->points[i];
        cli_json_line(&json);
        cli_json_open(&json, '{');
        const cli_pair pair = pair_of(point);
        cli_session_pair_json(session, &pair, &json);
        cli_json_interval(cli_json_key(&json, "time"), point->at.time);
        if (has_point(point)) {
            cli_json_vec3(cli_json_key(&json, "point"), point->at.point);
            cli_json_vec3(cli_json_key(&json, "normal"), point->at.normal);
            cli_json_string(cli_json_key(&json, "kind"),
                            point->at.kind == ABUT_CONTACT_SAMPLED ? "sampled" : "isolated");
            cli_json_features(&json, point->at.features);
            if (point->at.has_ids)
                cli_json_ids(&json, point->at.ids);
            cli_session_parts_json(session, &pair, point->at.parts, &json);
            if (has_normals(point))
                surface_fields(&json, &point->at);
        }
        cli_json_string(cli_json_key(&json, "proof"), point->at.unique ? "unique" : "tolerance");
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    if (CLI_GIVEN(session->args, MEETING))
        cli_json_count(cli_json_key(&json, "separate"), count_others(run));
    cli_json_count(cli_json_key(&json, "iterations"), session->counters.iterations);
    cli_session_stats_json(session, &json, true);
    cli_json_close(&json, '}');
    cli_text_puts(&out, "\n");
    return cli_text_write(&out, CLI_DONE);
}

static void headline(const first_run *run, cli_text *out)
{
    const cli_session *const session = run->session;
    const abut_set_result *const whole = &run->whole;
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
    if (whole->verdict != ABUT_FIRST_UNDECIDED && whole->proof != ABUT_PROOF_NONE &&
        (session->considered || CLI_GIVEN(session->args, SELF)))
        cli_text_printf(out, "; proof: %s", abut_proof_name(whole->proof));
    cli_text_puts(out, "\n");
}

/* Samples of one curve or region of contact, as far as they can be decided: of one pair and kind of
 * features. */
static bool is_of_one_set(const abut_set_point *p, const abut_set_point *q)
{
    return p->at.kind == ABUT_CONTACT_SAMPLED && q->at.kind == ABUT_CONTACT_SAMPLED && p->a == q->a &&
           p->b == q->b && p->at.features[0] == q->at.features[0] && p->at.features[1] == q->at.features[1];
}

/* How many samples the row of point i represents; 0: an earlier row has it. */
static size_t row_count(const first_run *run, size_t i)
{
    size_t count = 1;
    if (CLI_GIVEN(run->session->args, ALL))
        return 1;
    for (size_t j = 0; j < i; ++j)
        if (is_of_one_set(&run->points[j], &run->points[i]))
            return 0;
    for (size_t j = i + 1; j < run->whole.point_count; ++j)
        count += is_of_one_set(&run->points[i], &run->points[j]);
    return count;
}

/* The time of all samples that the row represents. */
static abut_interval row_time(const first_run *run, size_t i, size_t count)
{
    abut_interval time = run->points[i].at.time;
    for (size_t j = i + 1; count > 1 && j < run->whole.point_count; ++j)
        if (is_of_one_set(&run->points[i], &run->points[j])) {
            time.lo = fmin(time.lo, run->points[j].at.time.lo);
            time.hi = fmax(time.hi, run->points[j].at.time.hi);
        }
    return time;
}

static int print_table(const first_run *run)
{
    static const char *const headings[] = { "A", "B", "TIME", "POINT", "NORMAL", "FEATURES", "PROOF" };
    const cli_session *const session = run->session;
    const abut_set_result *const whole = &run->whole;
    cli_text out = { 0 };
    cli_table table;
    bool joined = false;
    headline(run, &out);
    if (whole->point_count) {
        cli_text_puts(&out, "\n");
        cli_table_begin(&table, 7, headings);
        for (size_t i = 0; i < whole->point_count; ++i) {
            const abut_set_point *const point = &run->points[i];
            const cli_pair pair = pair_of(point);
            const size_t samples = row_count(run, i);
            if (!samples)
                continue;
            cli_session_pair_cells(session, &pair, &table);
            cli_text_interval(&table.text, row_time(run, i, samples));
            cli_table_next(&table);
            if (has_point(point))
                cli_text_vec3(&table.text, point->at.point);
            else
                cli_text_puts(&table.text, "-");
            if (samples > 1) {
                cli_text_printf(&table.text, " and %zu more", samples - 1);
                joined = true;
            }
            cli_table_next(&table);
            if (has_point(point))
                cli_text_vec3(&table.text, point->at.normal);
            else
                cli_text_puts(&table.text, "-");
            cli_table_next(&table);
            if (has_point(point) && point->at.has_ids)
                cli_text_printf(&table.text, "%s %lld - %s %lld", abut_feature_name(point->at.features[0]),
                                (long long)point->at.ids[0], abut_feature_name(point->at.features[1]),
                                (long long)point->at.ids[1]);
            else if (has_point(point))
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
        if (joined)
            cli_text_puts(&out, "\nsamples of one contact curve or region share a row; --all lists them\n");
    }
    cli_session_stats_text(session, &out, true);
    return cli_text_write(&out, CLI_DONE);
}

/* Pairs of which it is not clear whether they belong to the answer. */
static void name_undecided(first_run *run)
{
    const abut_set_result *const whole = &run->whole;
    size_t named = 0;
    if (whole->verdict == ABUT_FIRST_OVERLAPPING)
        return;
    for (size_t i = 0; i < whole->point_count; ++i)
        if (run->points[i].verdict == ABUT_FIRST_UNDECIDED) {
            const cli_pair pair = pair_of(&run->points[i]);
            cli_session_pair_undecided(run->session, &pair, whole->stop);
            ++named;
        }
    if (named || !run->session->considered ||
        !(whole->verdict == ABUT_FIRST_UNDECIDED || whole->stop == ABUT_STOP_BUDGET))
        return;
    cli_pair pair = { 0, 1 };
    if (run->session->listed)
        pair = run->session->pairs[0];
    else
        abut_scene_get_pair(run->session->scene, 0, &pair.a, &pair.b);
    cli_session_pair_undecided(run->session, &pair, whole->stop);
}

static int first(first_run *run)
{
    cli_session *const session = run->session;
    int code = prepare(run);
    if (!code)
        code = ask(run);
    if (!code && !session->unsupported && CLI_GIVEN(session->args, SELF))
        code = ask_selves(run);
    cli_session_progress_end(session);
    if (code)
        return code;
    if (session->unsupported)
        return cli_session_exit(session, false);
    cli_session_count(session, &run->whole.counters);
    name_undecided(run);
    sort_points(run);
    code = CLI_GIVEN(session->args, JSON) ? print_json(run) : print_table(run);
    if (code)
        return code;
    return cli_session_exit(session, run->whole.verdict == ABUT_FIRST_CONTACT ||
                                         run->whole.verdict == ABUT_FIRST_OVERLAPPING);
}

int cli_run_first(const cli_args *args)
{
    cli_session session;
    int code = cli_session_open(&session, args, CLI_PAIRS_LISTED);
    if (!code) {
        first_run run = { .session = &session };
        code = first(&run);
        cli_many_close(&run.many);
        free(run.points);
    }
    cli_session_close(&session);
    return code;
}
