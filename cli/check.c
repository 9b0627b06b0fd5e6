/* SPDX-License-Identifier: MIT */
/* abut check: the verdict of each pair at one instant. */
#include "cli.h"

static bool has_mesh(const cli_session *session, const cli_pair *pair)
{
    return cli_is_mesh(abut_scene_get_object(session->scene, pair->a).shape) ||
           cli_is_mesh(abut_scene_get_object(session->scene, pair->b).shape);
}

static bool both_meshes(const cli_session *session, const cli_pair *pair)
{
    return cli_is_mesh(abut_scene_get_object(session->scene, pair->a).shape) &&
           cli_is_mesh(abut_scene_get_object(session->scene, pair->b).shape);
}

static size_t contact_limit(const cli_session *session)
{
    const uint64_t limit = CLI_GIVEN(session->args, CONTACTS) ? session->args->contacts : 0;
    return limit > SIZE_MAX ? SIZE_MAX : (size_t)limit;
}

static void contacts_json(const cli_session *session, const cli_pair *pair, const abut_contact *contacts,
                          size_t count, cli_json *json)
{
    cli_json_open(cli_json_key(json, "contacts"), '[');
    for (size_t i = 0; i < count; ++i) {
        const abut_contact *const c = &contacts[i];
        cli_json_open(json, '{');
        cli_json_vec3(cli_json_key(json, "point"), c->point);
        cli_json_vec3(cli_json_key(json, "normal"), c->normal);
        cli_json_features(json, c->features);
        cli_json_ids(json, c->ids);
        cli_session_parts_json(session, pair, c->parts, json);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* Whether they are no farther apart than --within says: 1 proved, 0 proved that they are, -1 not
 * known. */
static int is_within(const cli_session *session, const abut_check_result *r)
{
    const double most = session->args->within;
    return r->distance.hi <= most ? 1 : r->distance.lo > most ? 0 : -1;
}

/* Contacts: triangle by triangle, by entity, or those of the check. */
static void all_contacts_json(const cli_session *session, const cli_pair *pair, const abut_check_result *r,
                              const cli_contacts *list, const cli_touch *touch, cli_json *json)
{
    if (list)
        cli_contacts_json(session, list, json);
    else if (touch->found && r->verdict == ABUT_TOUCHING)
        contacts_json(session, pair, touch->lists.contacts, touch->result.contact_count, json);
    else
        contacts_json(session, pair, r->contacts, (size_t)r->contact_count, json);
    if (touch->found && CLI_GIVEN(session->args, REGIONS))
        cli_touch_regions_json(touch, json);
}

/* `list` is NULL where the contacts are those of the check. */
static void pair_json(const cli_session *session, const cli_pair *pair, const abut_check_result *r,
                      const cli_contacts *list, const cli_touch *touch, cli_json *json)
{
    cli_json_line(json);
    cli_json_open(json, '{');
    cli_session_pair_json(session, pair, json);
    cli_json_string(cli_json_key(json, "verdict"), abut_verdict_name(r->verdict));
    if (r->proof != ABUT_PROOF_NONE)
        cli_json_string(cli_json_key(json, "proof"), abut_proof_name(r->proof));
    cli_json_interval(cli_json_key(json, "distance"), r->distance);
    if (CLI_GIVEN(session->args, WITHIN)) {
        const int within = is_within(session, r);
        cli_json_key(json, "within");
        if (within < 0)
            cli_json_null(json);
        else
            cli_json_bool(json, within);
    }
    if (r->has_depth)
        cli_json_interval(cli_json_key(json, "depth"), r->depth);
    if (r->has_points) {
        cli_json_open(cli_json_key(json, "points"), '{');
        cli_json_vec3(cli_json_key(json, "a"), r->point_a);
        cli_json_vec3(cli_json_key(json, "b"), r->point_b);
        cli_json_close(json, '}');
    }
    if (r->has_normal)
        cli_json_vec3(cli_json_key(json, "normal"), r->normal);
    all_contacts_json(session, pair, r, list, touch, json);
    if (CLI_GIVEN(session->args, STATS))
        cli_json_counters(json, &r->counters, has_mesh(session, pair));
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
    } else if (r->verdict == ABUT_PENETRATING) {
        cli_text_puts(text, "depth unknown");
    } else {
        cli_text_interval(text, r->distance);
    }
    cli_table_next(table);
    for (int i = 0; i < 2; ++i) {
        if (r->has_points)
            cli_text_vec3(text, i ? r->point_b : r->point_a);
        else
            cli_text_puts(text, "-");
        cli_table_next(table);
    }
    if (r->has_normal)
        cli_text_vec3(text, r->normal);
    else
        cli_text_puts(text, "-");
    cli_table_next(table);
    cli_text_puts(text, r->proof != ABUT_PROOF_NONE ? abut_proof_name(r->proof) : "-");
    cli_table_next(table);
    if (CLI_GIVEN(session->args, WITHIN)) {
        const int within = is_within(session, r);
        cli_text_puts(text, within < 0 ? "?" : within ? "yes" : "no");
        cli_table_next(table);
    }
}

/* A line for each contact point. */
static void contact_rows(const cli_session *session, const cli_pair *pair, const abut_check_result *r,
                         cli_table *table)
{
    cli_text *const text = &table->text;
    for (int i = 0; i < r->contact_count; ++i) {
        const abut_contact *const c = &r->contacts[i];
        cli_session_pair_cells(session, pair, table);
        cli_text_vec3(text, c->point);
        cli_table_next(table);
        cli_text_vec3(text, c->normal);
        cli_table_next(table);
        for (int k = 0; k < 2; ++k) {
            cli_text_printf(text, "%s%s", k ? " - " : "", abut_feature_name(c->features[k]));
            if (c->ids[k] >= 0)
                cli_text_printf(text, " %lld", (long long)c->ids[k]);
        }
        cli_table_next(table);
    }
}

/* Where answers go: `json`, or the tables when it is NULL. */
typedef struct check_output {
    cli_json *json;
    cli_table pairs, touches, self, contacts;
    bool contact;
    size_t considered, listed; /* pairs */
} check_output;

static abut_check_opts check_options(cli_session *session)
{
    abut_check_opts opts;
    abut_check_opts_init(&opts);
    const size_t limit = contact_limit(session);
    if (limit)
        opts.max_contacts = limit < ABUT_CHECK_CONTACTS ? (int)limit : ABUT_CHECK_CONTACTS;
    if (CLI_GIVEN(session->args, RELATIVE))
        opts.relative = session->args->relative;
    opts.max_iterations = session->first.max_iterations;
    opts.method = session->check_method;
    return opts;
}

/* The triangles of two meshes that meet, when they are asked for. */
static abut_status list_triangles(const cli_session *session, const cli_pair *pair, cli_contacts *list,
                                  bool *listed)
{
    *listed = false;
    if (!contact_limit(session) || !both_meshes(session, pair))
        return ABUT_OK;
    const abut_status status = cli_contacts_find(session, pair, contact_limit(session), list);
    *listed = status == ABUT_OK;
    return status == ABUT_ERR_UNSUPPORTED ? ABUT_OK : status;
}

/* Contacts by entity where two solids touch, and the verdict with the band. */
static abut_status check_touch(const cli_session *session, const cli_pair *pair, abut_check_result *result,
                               cli_touch *touch)
{
    if (!cli_touch_is_asked(session, pair) ||
        (result->verdict != ABUT_TOUCHING && !CLI_GIVEN(session->args, BAND)))
        return ABUT_OK;
    const abut_status status = cli_touch_find(session, pair, touch);
    if (touch->found) {
        result->verdict = touch->result.verdict;
        result->proof = touch->result.proof;
        result->stop = touch->result.stop;
    }
    return status == ABUT_ERR_UNSUPPORTED ? ABUT_OK : status;
}

static int write_pair(cli_session *session, const cli_pair *pair, abut_status status,
                      const abut_check_result *found, check_output *to)
{
    cli_contacts list = { 0 };
    cli_touch touch = { 0 };
    bool listed = false;
    abut_check_result own;
    const abut_check_result *result = &own;
    if (!status)
        status = list_triangles(session, pair, &list, &listed);
    if (!status) {
        own = *found;
        status = check_touch(session, pair, &own, &touch);
    }
    if (status != ABUT_OK) {
        const int code = cli_session_pair_failed(session, pair, status);
        if (!code && !to->json)
            cli_session_unsupported_row(session, pair, &to->pairs);
        cli_contacts_clear(&list);
        cli_touch_clear(&touch);
        return code;
    }
    const bool within = CLI_GIVEN(session->args, WITHIN);
    to->contact = to->contact || result->verdict == ABUT_TOUCHING || result->verdict == ABUT_PENETRATING ||
                  (within && is_within(session, result) > 0);
    if (result->verdict == ABUT_UNDECIDED || (within && is_within(session, result) < 0))
        cli_session_pair_undecided(session, pair, result->stop);
    if (to->json) {
        pair_json(session, pair, result, listed ? &list : NULL, &touch, to->json);
    } else {
        pair_row(session, pair, result, &to->pairs);
        if (listed)
            cli_contacts_rows(session, &list, &to->contacts);
        else
            contact_rows(session, pair, result, &to->touches);
    }
    cli_contacts_clear(&list);
    cli_touch_clear(&touch);
    return CLI_DONE;
}

typedef struct check_run {
    cli_session *session;
    check_output *to;
    int code;
} check_run;

static bool take_pair(void *ctx, abut_body_id a, abut_body_id b, abut_status status,
                      const abut_check_result *result)
{
    check_run *const run = ctx;
    const cli_pair pair = { a.index, b.index };
    ++run->to->listed;
    run->code = write_pair(run->session, &pair, status, result, run->to);
    return run->code == CLI_DONE;
}

static abut_status find_nearest(cli_many *many, check_run *run)
{
    abut_world_nearest_result r;
    const abut_status status = abut_world_nearest(many->world, &many->query, &r);
    if (!status && r.has_pair)
        (void)take_pair(run, r.a, r.b, r.status, &r.check);
    if (!status && r.has_pair && !r.status)
        cli_session_count(run->session, &r.check.counters);
    /* Pairs without an answer may be nearer. */
    if (!status && r.has_pair && !r.status && r.distance.lo < r.check.distance.lo) {
        const cli_pair pair = { r.a.index, r.b.index };
        cli_session_pair_undecided(run->session, &pair, ABUT_STOP_DONE);
    }
    return status;
}

static int check_pairs(cli_session *session, check_output *to)
{
    const abut_check_opts opts = check_options(session);
    check_run run = { .session = session, .to = to };
    abut_world_result result = { 0 };
    cli_many many;
    int code = cli_many_open(&many, session, (abut_interval){ session->time, session->time });
    abut_status status = ABUT_OK;
    many.query.check = &opts;
    if (!code && CLI_GIVEN(session->args, NEAREST)) {
        status = find_nearest(&many, &run);
    } else if (!code && CLI_GIVEN(session->args, MEETING)) {
        many.query.within = CLI_GIVEN(session->args, WITHIN) ? session->args->within : 0;
        status = abut_world_meeting(many.world, &many.query, take_pair, &run, &result);
    } else if (!code) {
        status = abut_world_check_pairs(many.world, &many.query, take_pair, &run, &result);
    }
    to->considered = many.considered;
    cli_many_close(&many);
    cli_session_progress_end(session);
    cli_session_count(session, &result.counters);
    if (!code)
        code = run.code;
    return code || !status ? code : cli_session_failed(session, status);
}

/* ---- meshes against themselves ---- */

static void self_json(const cli_session *session, const cli_contacts *list, cli_json *json)
{
    cli_json_line(json);
    cli_json_open(json, '{');
    cli_json_string(cli_json_key(json, "object"), cli_session_name(session, list->pair.a));
    cli_json_string(cli_json_key(json, "verdict"), abut_verdict_name(list->result.verdict));
    cli_json_string(cli_json_key(json, "proof"), abut_proof_name(list->result.proof));
    cli_contacts_json(session, list, json);
    if (CLI_GIVEN(session->args, STATS)) {
        const abut_mesh_counters *const c = &list->result.counters;
        cli_json_counters(json, &(abut_counters){ c->volume_tests, c->triangle_tests, c->exact }, true);
    }
    cli_json_close(json, '}');
}

static void self_row(const cli_session *session, const cli_contacts *list, cli_table *table)
{
    cli_text_safe(&table->text, cli_session_name(session, list->pair.a));
    cli_table_next(table);
    cli_text_puts(&table->text, abut_verdict_name(list->result.verdict));
    cli_table_next(table);
    cli_text_printf(&table->text, "%zu", list->all);
    cli_table_next(table);
    cli_text_puts(&table->text, abut_proof_name(list->result.proof));
    cli_table_next(table);
}

static int check_selves(cli_session *session, check_output *to)
{
    for (size_t i = 0; i < abut_scene_object_count(session->scene); ++i) {
        const cli_pair pair = { i, i };
        cli_contacts list;
        if (!cli_session_asks_about_mesh(session, i))
            continue;
        const abut_status status = cli_contacts_find(session, &pair, contact_limit(session), &list);
        if (status != ABUT_OK) {
            cli_contacts_clear(&list);
            return cli_session_object_failed(session, i, status);
        }
        to->contact = to->contact || list.result.count > 0;
        if (list.result.verdict == ABUT_UNDECIDED)
            cli_session_pair_undecided(session, &pair, ABUT_STOP_DONE);
        if (to->json) {
            self_json(session, &list, to->json);
        } else {
            self_row(session, &list, &to->self);
            cli_contacts_rows(session, &list, &to->contacts);
        }
        cli_contacts_clear(&list);
    }
    return CLI_DONE;
}

/* ---- the whole ---- */

static int check_as_json(cli_session *session)
{
    cli_text out = { 0 };
    cli_json json = { .out = &out };
    check_output to = { .json = &json };
    cli_json_open(&json, '{');
    cli_json_string(cli_json_key(&json, "command"), "check");
    cli_json_number(cli_json_key(&json, "time"), session->time);
    cli_json_open(cli_json_key(&json, "pairs"), '[');
    int code = check_pairs(session, &to);
    cli_json_close(&json, ']');
    if (CLI_GIVEN(session->args, MEETING))
        cli_json_count(cli_json_key(&json, "separate"), to.considered - to.listed);
    if (!code && CLI_GIVEN(session->args, SELF)) {
        cli_json_open(cli_json_key(&json, "self"), '[');
        code = check_selves(session, &to);
        cli_json_close(&json, ']');
    }
    if (code) {
        cli_text_clear(&out);
        return code;
    }
    cli_session_unsupported_json(session, &json);
    cli_session_stats_json(session, &json, true);
    cli_json_close(&json, '}');
    cli_text_puts(&out, "\n");
    return cli_text_write(&out, cli_session_exit(session, to.contact));
}

/* Adds the table when it has lines besides its headings. */
static void add_table(cli_table *table, cli_text *out)
{
    if (table->cells > (size_t)table->columns)
        cli_text_puts(out, "\n");
    else
        table->text.length = table->cells = 0;
    cli_table_end(table, out);
}

static int check_as_table(cli_session *session)
{
    static const char *const headings[] = { "A",          "B",      "VERDICT", "DISTANCE", "POINT ON A",
                                            "POINT ON B", "NORMAL", "PROOF",   "WITHIN" };
    static const char *const touch_headings[] = { "A", "B", "CONTACT", "NORMAL", "FEATURES" };
    static const char *const self_headings[] = { "MESH", "WITH ITSELF", "CONTACTS", "PROOF" };
    static const char *const contact_headings[] = { "A", "B", "TRIANGLES", "MEET", "FROM", "TO" };
    cli_text out = { 0 };
    check_output to = { .json = NULL };
    cli_text_puts(&out, "at time ");
    cli_text_number(&out, session->time);
    cli_text_puts(&out, "\n\n");
    cli_table_begin(&to.pairs, CLI_GIVEN(session->args, WITHIN) ? 9 : 8, headings);
    cli_table_begin(&to.touches, 5, touch_headings);
    cli_table_begin(&to.self, 4, self_headings);
    cli_table_begin(&to.contacts, 6, contact_headings);
    int code = check_pairs(session, &to);
    if (!code && CLI_GIVEN(session->args, SELF))
        code = check_selves(session, &to);
    if (to.listed || !to.considered)
        cli_table_end(&to.pairs, &out);
    else
        add_table(&to.pairs, &out);
    if (!to.considered)
        cli_text_puts(&out, "there are no pairs\n");
    else if (CLI_GIVEN(session->args, MEETING))
        cli_text_printf(&out, "%s%zu pairs are %s\n", to.listed ? "\n" : "", to.considered - to.listed,
                        CLI_GIVEN(session->args, WITHIN) ? "farther apart than that" : "separate");
    add_table(&to.touches, &out);
    add_table(&to.self, &out);
    add_table(&to.contacts, &out);
    if (code) {
        cli_text_clear(&out);
        return code;
    }
    cli_session_stats_text(session, &out, true);
    return cli_text_write(&out, cli_session_exit(session, to.contact));
}

/* Every object that is asked about has a place at that time. */
static int check_times(const cli_session *session)
{
    const size_t count = abut_scene_object_count(session->scene);
    int code = CLI_DONE;
    for (size_t i = 0; session->listed && i < session->pair_count && !code; ++i) {
        code = cli_session_check_time(session, session->pairs[i].a);
        if (!code)
            code = cli_session_check_time(session, session->pairs[i].b);
    }
    for (size_t i = 0; i < count && !code; ++i)
        if ((!session->listed && count > 1) ||
            (CLI_GIVEN(session->args, SELF) && cli_session_asks_about_mesh(session, i)))
            code = cli_session_check_time(session, i);
    return code;
}

int cli_run_check(const cli_args *args)
{
    cli_session session;
    const bool few = CLI_GIVEN(args, MEETING) || CLI_GIVEN(args, NEAREST);
    if (CLI_GIVEN(args, MEETING) && CLI_GIVEN(args, NEAREST)) {
        cli_message("check: --meeting and --nearest exclude each other");
        return CLI_USAGE;
    }
    int code = cli_session_open(&session, args, few ? CLI_PAIRS_LISTED : CLI_PAIRS_ALL);
    /* Where all pairs are to be listed, the world is given the list. */
    if (!code && !few && !session.listed) {
        code = check_times(&session);
        session.listed = true;
    } else if (!code) {
        code = check_times(&session);
    }
    if (!code)
        code = CLI_GIVEN(args, JSON) ? check_as_json(&session) : check_as_table(&session);
    cli_session_close(&session);
    return code;
}
