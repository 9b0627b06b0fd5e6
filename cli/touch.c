/* SPDX-License-Identifier: MIT */
/* Contacts of two solids by entity, for `check`: one for each cluster, and with --regions what faces and
 * edges have in common. */
#include "cli.h"

#include <stdlib.h>

static bool is_polyhedron(const abut_shape *shape)
{
    return abut_shape_get_type(shape) == ABUT_SHAPE_POLYHEDRON;
}

bool cli_touch_is_asked(const cli_session *session, const cli_pair *pair)
{
    return CLI_GIVEN(session->args, BAND) || CLI_GIVEN(session->args, REGIONS) ||
           is_polyhedron(abut_scene_get_object(session->scene, pair->a).shape) ||
           is_polyhedron(abut_scene_get_object(session->scene, pair->b).shape);
}

/* Room for that many items; false when memory is out, and the old ones stay. */
static bool resize(void **items, size_t *capacity, size_t count, size_t size)
{
    void *larger = realloc(*items, (count + 1) * size);
    if (!larger)
        return false;
    *items = larger;
    *capacity = count;
    return true;
}

/* Room for all that the last question found; true where there was too little. */
static bool grow(cli_touch *touch, bool *memory)
{
    const abut_touch_result *r = &touch->result;
    abut_touch_lists *l = &touch->lists;
    *memory = true;
    if (r->contact_count <= l->contact_capacity && r->region_count <= l->region_capacity &&
        r->point_count <= l->point_capacity)
        return false;
    void *contacts = l->contacts, *regions = l->regions, *points = l->points;
    *memory = resize(&contacts, &l->contact_capacity, r->contact_count, sizeof *l->contacts) &&
              resize(&regions, &l->region_capacity, r->region_count, sizeof *l->regions) &&
              resize(&points, &l->point_capacity, r->point_count, sizeof *l->points);
    l->contacts = contacts;
    l->regions = regions;
    l->points = points;
    return *memory;
}

abut_status cli_touch_find(const cli_session *session, const cli_pair *pair, cli_touch *out)
{
    const abut_scene_object a = abut_scene_get_object(session->scene, pair->a);
    const abut_scene_object b = abut_scene_get_object(session->scene, pair->b);
    abut_touch_opts opts;
    abut_touch_opts_init(&opts);
    opts.band = CLI_GIVEN(session->args, BAND) ? session->args->band : 0;
    opts.regions = CLI_GIVEN(session->args, REGIONS);
    *out = (cli_touch){ 0 };
    bool memory = true;
    abut_status status;
    do
        status = abut_touch_at(a.shape, a.motion, b.shape, b.motion, session->time, &opts, session->workspace,
                               &out->lists, &out->result);
    while (status == ABUT_OK && grow(out, &memory));
    out->found = status == ABUT_OK;
    return memory ? status : ABUT_ERR_MEMORY;
}

void cli_touch_clear(cli_touch *touch)
{
    free(touch->lists.contacts);
    free(touch->lists.regions);
    free(touch->lists.points);
    *touch = (cli_touch){ 0 };
}

void cli_touch_regions_json(const cli_touch *touch, cli_json *json)
{
    cli_json_open(cli_json_key(json, "regions"), '[');
    for (size_t i = 0; i < touch->result.region_count; ++i) {
        const abut_touch_region *const r = &touch->lists.regions[i];
        cli_json_line(json);
        cli_json_open(json, '{');
        cli_json_features(json, r->features);
        cli_json_ids(json, r->ids);
        cli_json_open(cli_json_key(json, "polygon"), '[');
        for (size_t k = 0; k < r->count; ++k)
            cli_json_vec3(json, touch->lists.points[r->first + k]);
        cli_json_close(json, ']');
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}
