/* SPDX-License-Identifier: MIT */
/* Which triangles meet: the lists that `check --contacts` and `check --self` add for meshes. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

/* More than this many are searched for only when there are more, so that a generous --contacts
 * costs nothing. */
#define FIRST_CAPACITY ((size_t)1024)

static abut_vec3 place(const abut_affine *at, abut_vec3 p)
{
    const abut_mat3 *const m = &at->linear;
    return (abut_vec3){ m->m[0][0] * p.x + m->m[0][1] * p.y + m->m[0][2] * p.z + at->translation.x,
                        m->m[1][0] * p.x + m->m[1][1] * p.y + m->m[1][2] * p.z + at->translation.y,
                        m->m[2][0] * p.x + m->m[2][1] * p.y + m->m[2][2] * p.z + at->translation.z };
}

void cli_contacts_place(const abut_affine *at, abut_vec3 *point, abut_vec3 *normal)
{
    abut_affine turn = *at;
    turn.translation = (abut_vec3){ 0, 0, 0 };
    *point = place(at, *point);
    *normal = place(&turn, *normal);
}

bool cli_session_asks_about_mesh(const cli_session *session, size_t object)
{
    if (!cli_is_mesh(abut_scene_get_object(session->scene, object).shape))
        return false;
    for (size_t i = 0; i < session->pair_count; ++i)
        if (session->pairs[i].a == object || session->pairs[i].b == object)
            return true;
    return !session->args->pair_count;
}

bool cli_is_mesh(const abut_shape *shape)
{
    return abut_shape_get_type(shape) == ABUT_SHAPE_MESH;
}

static abut_status ask(const cli_session *session, const cli_contacts *list, abut_triangle_contact *to,
                       size_t capacity, abut_contacts_result *result)
{
    const abut_scene_object a = abut_scene_get_object(session->scene, list->pair.a);
    const abut_scene_object b = abut_scene_get_object(session->scene, list->pair.b);
    if (list->pair.a == list->pair.b)
        return abut_self_contacts_at(a.shape, a.motion, session->time, NULL, session->workspace, to, capacity,
                                     result);
    return abut_contacts_at(a.shape, a.motion, b.shape, b.motion, session->time, NULL, session->workspace, to,
                            capacity, result);
}

abut_status cli_contacts_find(const cli_session *session, const cli_pair *pair, size_t limit,
                              cli_contacts *out)
{
    *out = (cli_contacts){ .pair = *pair };
    size_t capacity = limit < FIRST_CAPACITY ? limit : FIRST_CAPACITY;
    for (;;) {
        abut_triangle_contact *const more = realloc(out->items, (capacity ? capacity : 1) * sizeof *more);
        if (!more)
            return ABUT_ERR_MEMORY;
        out->items = more;
        const abut_status status = ask(session, out, more, capacity, &out->result);
        if (status != ABUT_OK)
            return status;
        out->all = out->result.count + out->result.unknown;
        if (out->all <= capacity || capacity == limit)
            break;
        capacity = out->all < limit ? out->all : limit;
    }
    out->count = out->all < capacity ? out->all : capacity;
    /* A mesh meets itself in its own frame. */
    const abut_scene_object a = abut_scene_get_object(session->scene, pair->a);
    abut_affine at;
    if (pair->a == pair->b && abut_motion_at(a.motion, session->time, &at) == ABUT_OK)
        for (size_t i = 0; i < out->count; ++i) {
            out->items[i].from = place(&at, out->items[i].from);
            out->items[i].to = place(&at, out->items[i].to);
        }
    return ABUT_OK;
}

void cli_contacts_clear(cli_contacts *list)
{
    free(list->items);
    *list = (cli_contacts){ 0 };
}

/* Unit normal of a triangle where the object is then; false for one without area. */
static bool triangle_normal(const cli_session *session, size_t object, uint32_t triangle, abut_vec3 *out)
{
    const abut_scene_object of = abut_scene_get_object(session->scene, object);
    abut_vec3 p[3];
    abut_affine at;
    if (abut_shape_get_triangle(of.shape, triangle, p) != ABUT_OK ||
        abut_motion_at(of.motion, session->time, &at) != ABUT_OK)
        return false;
    for (int i = 0; i < 3; ++i)
        p[i] = place(&at, p[i]);
    const abut_vec3 u = { p[1].x - p[0].x, p[1].y - p[0].y, p[1].z - p[0].z };
    const abut_vec3 v = { p[2].x - p[0].x, p[2].y - p[0].y, p[2].z - p[0].z };
    /* Of unit size first: the products of small edges would underflow. */
    const double size =
        fmax(fmax(fmax(fabs(u.x), fabs(u.y)), fabs(u.z)), fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z)));
    const double ux = u.x / size, uy = u.y / size, uz = u.z / size, vx = v.x / size, vy = v.y / size,
                 vz = v.z / size;
    const abut_vec3 n = { uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx };
    const double length = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    if (!(length > 0))
        return false;
    *out = (abut_vec3){ n.x / length, n.y / length, n.z / length };
    return true;
}

/* From a to b: out of a's triangle, or where that has no area into b's. */
static bool contact_normal(const cli_session *session, const cli_contacts *list,
                           const abut_triangle_contact *c, abut_vec3 *out)
{
    if (triangle_normal(session, list->pair.a, c->a, out))
        return true;
    if (!triangle_normal(session, list->pair.b, c->b, out))
        return false;
    *out = (abut_vec3){ -out->x, -out->y, -out->z };
    return true;
}

static abut_vec3 middle(const abut_triangle_contact *c)
{
    return (abut_vec3){ 0.5 * c->from.x + 0.5 * c->to.x, 0.5 * c->from.y + 0.5 * c->to.y,
                        0.5 * c->from.z + 0.5 * c->to.z };
}

static void contact_json(const cli_session *session, const cli_contacts *list, const abut_triangle_contact *c,
                         cli_json *json)
{
    abut_vec3 normal;
    cli_json_open(json, '{');
    if (c->meet != ABUT_MEET_UNKNOWN)
        cli_json_vec3(cli_json_key(json, "point"), middle(c));
    if (contact_normal(session, list, c, &normal)) {
        cli_json_vec3(cli_json_key(json, "normal"), normal);
    }
    cli_json_features(json, (const abut_feature[2]){ ABUT_FEATURE_FACE, ABUT_FEATURE_FACE });
    cli_json_ids(json, (const int64_t[2]){ (int64_t)c->a, (int64_t)c->b });
    cli_json_string(cli_json_key(json, "meet"), abut_meet_name(c->meet));
    if (c->meet != ABUT_MEET_UNKNOWN) {
        cli_json_open(cli_json_key(json, "segment"), '[');
        cli_json_vec3(json, c->from);
        cli_json_vec3(json, c->to);
        cli_json_close(json, ']');
    }
    cli_json_close(json, '}');
}

void cli_contacts_json(const cli_session *session, const cli_contacts *list, cli_json *json)
{
    cli_json_count(cli_json_key(json, "contact_count"), list->all);
    cli_json_open(cli_json_key(json, "contacts"), '[');
    for (size_t i = 0; i < list->count; ++i) {
        cli_json_line(json);
        contact_json(session, list, &list->items[i], json);
    }
    cli_json_close(json, ']');
}

void cli_contacts_rows(const cli_session *session, const cli_contacts *list, cli_table *table)
{
    for (size_t i = 0; i < list->count; ++i) {
        const abut_triangle_contact *const c = &list->items[i];
        cli_session_pair_cells(session, &list->pair, table);
        cli_text_printf(&table->text, "%lu-%lu", (unsigned long)c->a, (unsigned long)c->b);
        cli_table_next(table);
        cli_text_puts(&table->text, abut_meet_name(c->meet));
        cli_table_next(table);
        for (int end = 0; end < 2; ++end) {
            if (c->meet == ABUT_MEET_UNKNOWN)
                cli_text_puts(&table->text, "-");
            else
                cli_text_vec3(&table->text, end ? c->to : c->from);
            cli_table_next(table);
        }
    }
}
