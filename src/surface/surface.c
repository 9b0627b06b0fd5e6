/* SPDX-License-Identifier: MIT */
/* The functions of surface.h: by kind of body. */
#include "surface/body.h"

bool abut_feature_jet(const abut_surface *s, const abut_surface_feature *f, const ia parameters[2], ia t,
                      int order, ia *scratch, abut_jet *out)
{
    return s->body->methods->jet(s, f, parameters, t, order, scratch, out);
}

void abut_feature_normals(const abut_surface *s, const abut_surface_feature *f, const ia parameters[2], ia t,
                          ia *scratch, ia3 *out)
{
    s->body->methods->normals(s, f, parameters, t, scratch, out);
}

bool abut_feature_field(const abut_surface *s, const abut_surface_feature *f, int i, ia3 x, ia t, int order,
                        ia *scratch, abut_field_jet *out)
{
    return s->body->methods->field(s, f, i, x, t, order, scratch, out);
}

abut_truth abut_feature_on(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch)
{
    return s->body->methods->on(s, f, x, t, scratch);
}

abut_limit abut_feature_limit(const abut_surface *s, const abut_surface_feature *f,
                              const abut_surface_feature *part, int i, ia3 x, ia t, ia *scratch)
{
    return s->body->methods->limit ? s->body->methods->limit(s, f, part, i, x, t, scratch) : ABUT_LIMIT_NONE;
}

int abut_feature_walls(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch,
                       uint32_t out[ABUT_FEATURE_MAX_WALLS])
{
    return s->body->methods->walls ? s->body->methods->walls(s, f, x, t, scratch, out) : 0;
}

bool abut_wall_field(const abut_surface *s, uint32_t wall, ia3 x, ia t, int order, ia *scratch,
                     abut_field_jet *out)
{
    return s->body->methods->wall_field(s, wall, x, t, order, scratch, out);
}

abut_truth abut_surface_inside(const abut_surface *s, ia3 x, ia t, ia *scratch)
{
    return s->body->methods->inside(s, x, t, scratch);
}

bool abut_feature_needed(const abut_surface *s, const abut_surface_feature *f, ia3 x, ia t, ia *scratch)
{
    return !s->body->methods->needed || s->body->methods->needed(s, f, x, t, scratch);
}

bool abut_surface_seams_avoid(const abut_surface *s, ia3 x, ia t, int *budget, ia *scratch)
{
    return !s->body->methods->seams_avoid || s->body->methods->seams_avoid(s, x, t, budget, scratch);
}

bool abut_surface_stays(const abut_surface *s, const abut_passage *path, ia *scratch)
{
    return s->body->methods->stays(s, path, scratch);
}

ia3 abut_surface_bounds(const abut_surface *s, ia t, ia *scratch)
{
    return s->body->methods->bounds(s, t, scratch);
}
