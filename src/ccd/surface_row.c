/* SPDX-License-Identifier: MIT */
/* Curved surfaces as rows of the table of pairs over time.
 *
 * Extruded and revolved solids have the fields of their profiles (shape/csg), by which their contacts with
 * curved surfaces are zeros of systems of equations, too. Mostly few regions of those are enough, and the
 * general method takes ten times as long; where so many are not, it is asked. */
#include "ccd/first.h"
#include "ccd/pair_table.h"
#include "ccd/surface/surface_scene.h"
#include "shape/csg/csg.h"
#include "shape/hull/hull.h"

#include <string.h>

/* Point sets with a margin, and flat ones, have spines, not surfaces. */
static bool has_surface(const abut_shape *s)
{
    return s->type != ABUT_SHAPE_CONVEX || (s->u.convex.margin == 0 && s->u.convex.hull->dimension == 3);
}

abut_status abut_ccd_surface_first(const abut_ccd_row *row, const abut_ccd_query *query,
                                   abut_first_result *out)
{
    (void)row;
    if (!has_surface(query->a) || !has_surface(query->b))
        return abut_first_by_scan(&abut_ccd_general, query, out);
    if (!abut_surface_opts_ok(query->opts))
        return ABUT_ERR_ARGUMENT;
    return abut_surface_first(query->a, query->motion_a, query->b, query->motion_b, query->opts, query->range,
                              query->ws, out);
}

abut_status abut_ccd_surface_intervals(const abut_ccd_row *row, const abut_ccd_query *query,
                                       abut_contact_interval *intervals, size_t capacity,
                                       abut_intervals_result *out)
{
    (void)row;
    if (!has_surface(query->a) || !has_surface(query->b))
        return abut_intervals_by_scan(&abut_ccd_general, query, intervals, capacity, out);
    if (!abut_surface_opts_ok(query->opts))
        return ABUT_ERR_ARGUMENT;
    return abut_surface_intervals(query->a, query->motion_a, query->b, query->motion_b, query->opts,
                                  query->range, query->ws, intervals, capacity, out);
}

/* ---- CAD solids ---- */

/* Regions that are tried: some 15 ms. */
enum { FEW = 3000 };

/* A body by its surface; *made is its fields where it has to be made. */
static bool by_surface(const abut_shape *shape, abut_shape **made, const abut_shape **out)
{
    *out = shape;
    if (shape->type != ABUT_SHAPE_EXTRUDE && shape->type != ABUT_SHAPE_REVOLVE)
        return shape->type != ABUT_SHAPE_SOLID && has_surface(shape);
    if (abut_csg_from_solid(shape, made))
        return false;
    *out = *made;
    return true;
}

/* The same query about surfaces. */
typedef struct by_fields {
    abut_shape *made[2];
    abut_ccd_query query;
    abut_first_opts opts;
    double narrow; /* the widest time that is good */
} by_fields;

static bool begin(const abut_ccd_query *query, by_fields *f)
{
    const abut_first_opts *opts = query->opts;
    *f = (by_fields){ .query = *query, .opts = *opts };
    if (opts->method != ABUT_METHOD_AUTO || opts->max_iterations > 0 || !abut_surface_opts_ok(opts))
        return false;
    f->opts.max_iterations = FEW;
    f->opts.on_point = NULL;
    f->query.opts = &f->opts;
    f->narrow = 1e-9 * (query->range.hi - query->range.lo) + opts->accuracy;
    return by_surface(query->a, &f->made[0], &f->query.a) && by_surface(query->b, &f->made[1], &f->query.b);
}

static void end(const by_fields *f)
{
    for (int i = 0; i < 2; ++i)
        if (f->made[i])
            abut_shape_release(f->made[i]);
}

static bool is_narrow(const by_fields *f, abut_interval time)
{
    return time.hi - time.lo <= f->narrow;
}

static abut_status first_of(const by_fields *f, abut_first_result *out)
{
    const abut_ccd_query *q = &f->query;
    return abut_surface_first(q->a, q->motion_a, q->b, q->motion_b, q->opts, q->range, q->ws, out);
}

static bool is_proved(const by_fields *f, const abut_first_result *out)
{
    return out->stop == ABUT_STOP_DONE && out->proof >= ABUT_PROOF_INTERVAL &&
           out->verdict != ABUT_FIRST_UNDECIDED &&
           (out->verdict != ABUT_FIRST_CONTACT || is_narrow(f, out->time));
}

abut_status abut_ccd_solid_first(const abut_ccd_row *row, const abut_ccd_query *query, abut_first_result *out)
{
    by_fields f;
    bool done = begin(query, &f) && first_of(&f, out) == ABUT_OK && is_proved(&f, out);
    if (done && query->opts->on_point) { /* who is given all points is given those of the answer only */
        f.opts.on_point = query->opts->on_point;
        if (out->point_count > ABUT_FIRST_CONTACTS) {
            memset(out, 0, sizeof *out);
            done = first_of(&f, out) == ABUT_OK;
        } else
            for (size_t i = 0; i < out->point_count; ++i)
                f.opts.on_point(f.opts.on_point_ctx, &out->points[i]);
    }
    end(&f);
    if (done)
        return ABUT_OK;
    memset(out, 0, sizeof *out);
    return abut_first_by_scan(row, query, out);
}

abut_status abut_ccd_solid_intervals(const abut_ccd_row *row, const abut_ccd_query *query,
                                     abut_contact_interval *intervals, size_t capacity,
                                     abut_intervals_result *out)
{
    by_fields f;
    const abut_ccd_query *q = &f.query;
    bool done = begin(query, &f) &&
                abut_surface_intervals(q->a, q->motion_a, q->b, q->motion_b, q->opts, q->range, q->ws,
                                       intervals, capacity, out) == ABUT_OK &&
                out->stop == ABUT_STOP_DONE && out->proof >= ABUT_PROOF_INTERVAL && out->count <= capacity;
    for (size_t i = 0; done && i < out->count; ++i)
        done = is_narrow(&f, intervals[i].enter) && is_narrow(&f, intervals[i].exit);
    end(&f);
    if (done)
        return ABUT_OK;
    *out = (abut_intervals_result){ .proof = ABUT_PROOF_NONE };
    return abut_intervals_by_scan(row, query, intervals, capacity, out);
}
