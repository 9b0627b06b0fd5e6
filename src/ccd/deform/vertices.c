/* SPDX-License-Identifier: MIT */
/* The motion of vertices: keys with all positions of a mesh, linear in between. It places no body as
 * a whole, so it has no placement, velocity or enclosure; queries that know it take its keys. */
#include "ccd/deform/deform.h"

#include "math/vec3.h"
#include "motion/create.h"

#include <math.h>
#include <string.h>

struct abut_vertices_motion {
    abut_motion base;
    size_t key_count, vertex_count;
    double *times;
    abut_vec3 *positions; /* key after key */
    double *ways;         /* from each key to the next: no vertex gets further */
    double radius;        /* no vertex is ever further from the origin */
    /* One that is carried has the keys of another, and none of its own. */
    abut_motion *bare, *carrier;
};

static const abut_vertices_motion *self(const abut_motion *motion)
{
    return (const abut_vertices_motion *)(const void *)motion;
}

/* The one that has the keys. */
static const abut_vertices_motion *keys_of(const abut_vertices_motion *m)
{
    return m->bare ? self(m->bare) : m;
}

static abut_status at(const abut_motion *motion, double t, abut_affine *out)
{
    (void)motion;
    (void)t;
    (void)out;
    return ABUT_ERR_UNSUPPORTED;
}

/* The last key at or before t, but not the very last. */
static size_t key_at(const abut_vertices_motion *m, double t)
{
    size_t lo = 0, hi = m->key_count - 1;
    while (hi - lo > 1) {
        const size_t mid = lo + (hi - lo) / 2;
        if (m->times[mid] <= t)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static double next_break(const abut_motion *motion, double t)
{
    const abut_vertices_motion *m = keys_of(self(motion));
    const size_t k = key_at(m, t);
    const double key = m->times[k + 1] > t ? m->times[k + 1] : motion->t1;
    const abut_motion *carrier = self(motion)->carrier;
    return fmin(motion->t1, carrier ? fmin(key, abut_motion_next_break(carrier, t)) : key);
}

static void destroy(abut_motion *motion)
{
    abut_vertices_motion *m = (abut_vertices_motion *)(void *)motion;
    const abut_allocator alloc = motion->alloc;
    abut_motion_release(m->bare);
    abut_motion_release(m->carrier);
    if (m->times)
        abut_base_free(&alloc, m->times, m->key_count, sizeof *m->times);
    if (m->ways)
        abut_base_free(&alloc, m->ways, m->key_count, sizeof *m->ways);
    if (m->positions)
        abut_base_free(&alloc, m->positions, m->key_count * m->vertex_count, sizeof *m->positions);
    abut_motion_free(motion, sizeof *m);
}

static abut_status carry(abut_motion *motion, abut_motion *carrier, const abut_allocator *alloc,
                         abut_motion **out, abut_error *error);

static abut_motion *frame(const abut_motion *motion)
{
    return self(motion)->carrier;
}

/* ---- bounds over time ---- */

static double length_up(abut_vec3 v)
{
    return abut_length(v) * (1 + 0x1p-48) + 0x1p-1060;
}

/* Of doubles: differences and lengths are rounded by less than the factor. */
static void measure(abut_vertices_motion *m)
{
    for (size_t k = 0; k < m->key_count; ++k) {
        const abut_vec3 *p = m->positions + k * m->vertex_count;
        m->ways[k] = 0;
        for (size_t i = 0; i < m->vertex_count; ++i) {
            m->radius = fmax(m->radius, length_up(p[i]));
            if (k + 1 < m->key_count)
                m->ways[k] = fmax(m->ways[k], length_up(abut_sub(p[i + m->vertex_count], p[i])));
        }
    }
}

static ABUT_NOINLINE void carrier_travel(const abut_motion *carrier, const abut_interval *t, double radius,
                                         double *out)
{
    double speed;
    if (!abut_motion_travel_over(carrier, ia_from(*t), radius, out, &speed))
        *out = INFINITY;
}

static double travel(const abut_motion *motion, abut_interval t)
{
    const abut_vertices_motion *m = keys_of(self(motion));
    const abut_motion *carrier = self(motion)->carrier;
    double sum = 0, carried = 0;
    for (size_t k = key_at(m, t.lo); k + 1 < m->key_count && m->times[k] < t.hi; ++k) {
        const double from = fmax(t.lo, m->times[k]), to = fmin(t.hi, m->times[k + 1]);
        const double part = (to - from) / (m->times[k + 1] - m->times[k]);
        sum += to > from ? fmin(part * (1 + 0x1p-48), 1) * m->ways[k] * (1 + 0x1p-50) : 0;
    }
    if (carrier) {
        const abut_rounding saved = abut_rounding_enter();
        carrier_travel(carrier, &t, m->radius, &carried);
        abut_rounding_leave(saved);
    }
    return (sum * (1 + 0x1p-40) + carried) * (1 + 0x1p-50);
}

static double reach(const abut_motion *motion, abut_interval t)
{
    const abut_vertices_motion *m = keys_of(self(motion));
    abut_interval_affine at = { .translation = { { 0, 0 }, { 0, 0 }, { 0, 0 } } };
    const abut_motion *carrier = self(motion)->carrier;
    if (carrier && abut_motion_enclose(carrier, t, &at))
        return INFINITY;
    const abut_vec3 far = { fmax(fabs(at.translation.x.lo), fabs(at.translation.x.hi)),
                            fmax(fabs(at.translation.y.lo), fabs(at.translation.y.hi)),
                            fmax(fabs(at.translation.z.lo), fabs(at.translation.z.hi)) };
    return (m->radius + length_up(far)) * (1 + 0x1p-40);
}

static ia coordinate_over(double p, double q, ia s)
{
    return ia_add(ia_point(p), ia_mul(s, ia_sub(ia_point(q), ia_point(p))));
}

/* Over all legs that t has a part of. */
static bool vertex_over(const abut_motion *motion, size_t vertex, ia t, ia3 *out)
{
    const abut_vertices_motion *m = keys_of(self(motion));
    const abut_motion *carrier = self(motion)->carrier;
    ia3 all = { ia_empty(), ia_empty(), ia_empty() };
    for (size_t k = key_at(m, ia_lo(t)); k + 1 < m->key_count; ++k) {
        const ia leg = ia_make(m->times[k], m->times[k + 1]), part = ia_intersect(t, leg);
        if (ia_is_empty(part))
            break;
        const abut_vec3 p = m->positions[k * m->vertex_count + vertex],
                        q = m->positions[(k + 1) * m->vertex_count + vertex];
        const ia way = ia_sub(part, ia_point(m->times[k])),
                 whole = ia_sub(ia_point(m->times[k + 1]), ia_point(m->times[k]));
        const ia s = ia_intersect(ia_div(way, whole), ia_make(0, 1));
        all = ia3_hull(all, (ia3){ coordinate_over(p.x, q.x, s), coordinate_over(p.y, q.y, s),
                                   coordinate_over(p.z, q.z, s) });
    }
    ia_affine place;
    if (carrier && !abut_motion_placement_over(carrier, t, &place))
        return false;
    *out = carrier ? ia_affine_apply(&place, all) : all;
    return !ia3_is_empty(all);
}

static const abut_motion_ops ops = { .at = at,
                                     .next_break = next_break,
                                     .destroy = destroy,
                                     .carry = carry,
                                     .frame = frame,
                                     .check = abut_deform_check_at,
                                     .image = abut_deform_image,
                                     .reach = reach,
                                     .travel = travel,
                                     .vertex_over = vertex_over };

static abut_status carry(abut_motion *motion, abut_motion *carrier, const abut_allocator *alloc,
                         abut_motion **out, abut_error *error)
{
    const abut_vertices_motion *of = self(motion);
    abut_motion *all = NULL;
    if (!carrier->rigid)
        return abut_base_fail(error, ABUT_ERR_UNSUPPORTED, -1,
                              "only rigid motions can carry a mesh whose vertices move");
    abut_motion *const links[2] = { carrier, of->carrier };
    const abut_status status = of->carrier ? abut_motion_create_chain(links, 2, alloc, &all, error) : ABUT_OK;
    if (status)
        return status;
    abut_vertices_motion *m = abut_motion_new(alloc, sizeof *m, ABUT_MOTION_VERTICES, &ops);
    if (!m) {
        abut_motion_release(all);
        return abut_base_fail_memory(error);
    }
    m->carrier = all ? all : abut_motion_retain(carrier);
    m->bare = abut_motion_retain(of->bare ? of->bare : motion);
    m->base.rigid = false;
    m->base.t0 = fmax(motion->t0, carrier->t0);
    m->base.t1 = fmin(motion->t1, carrier->t1);
    *out = &m->base;
    return ABUT_OK;
}

const abut_motion *abut_vertices_carrier(const abut_vertices_motion *m)
{
    return m->carrier;
}

const abut_motion *abut_vertices_bare(const abut_motion *motion)
{
    const abut_vertices_motion *m = abut_vertices_of(motion);
    return m && m->bare ? m->bare : m ? motion : NULL;
}

const abut_vertices_motion *abut_vertices_of(const abut_motion *motion)
{
    return motion && motion->ops == &ops ? self(motion) : NULL;
}

bool abut_deform_wanted(const abut_motion *motion_a, const abut_motion *motion_b)
{
    return abut_vertices_of(motion_a) || abut_vertices_of(motion_b);
}

size_t abut_vertices_count(const abut_vertices_motion *m)
{
    return keys_of(m)->vertex_count;
}

void abut_vertices_keys(const abut_vertices_motion *m, double lo, double hi, double times[2],
                        const abut_vec3 *positions[2])
{
    m = keys_of(m);
    const size_t k = key_at(m, lo);
    (void)hi;
    for (size_t i = 0; i < 2; ++i) {
        times[i] = m->times[k + i];
        positions[i] = m->positions + (k + i) * m->vertex_count;
    }
}

static abut_status check_keys(const abut_vertex_key *keys, size_t count, abut_error *error)
{
    if (!keys || count < 2)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a motion of vertices needs at least two keys");
    for (size_t i = 0; i < count; ++i) {
        const abut_vertex_key *key = &keys[i];
        if (!isfinite(key->t))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i, "the time of key %zu is not finite",
                                  i);
        if (i > 0 && !(keys[i - 1].t < key->t))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "key %zu is at %.17g, which is not after the key before, %.17g", i, key->t,
                                  keys[i - 1].t);
        if (!key->vertices || key->vertex_count == 0)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i, "key %zu has no vertices", i);
        if (key->vertex_count != keys[0].vertex_count)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "key %zu has %zu vertices, but key 0 has %zu", i, key->vertex_count,
                                  keys[0].vertex_count);
        for (size_t v = 0; v < key->vertex_count; ++v)
            if (!isfinite(key->vertices[v].x) || !isfinite(key->vertices[v].y) ||
                !isfinite(key->vertices[v].z))
                return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)v,
                                      "vertex %zu of key %zu is not finite", v, i);
    }
    if (!isfinite(keys[count - 1].t - keys[0].t))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the keys are too far apart in time");
    return ABUT_OK;
}

abut_status abut_motion_create_vertices(const abut_vertex_key *keys, size_t key_count,
                                        const abut_allocator *alloc, abut_motion **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "there is nowhere to put the motion: out is NULL");
    *out = NULL;
    const abut_status status = check_keys(keys, key_count, error);
    if (status)
        return status;
    abut_vertices_motion *m = abut_motion_new(alloc, sizeof *m, ABUT_MOTION_VERTICES, &ops);
    if (!m)
        return abut_base_fail_memory(error);
    m->base.rigid = false;
    m->base.t0 = keys[0].t;
    m->base.t1 = keys[key_count - 1].t;
    m->key_count = key_count;
    m->vertex_count = keys[0].vertex_count;
    m->times = abut_base_alloc(&m->base.alloc, key_count, sizeof *m->times);
    m->positions = m->vertex_count <= SIZE_MAX / key_count
                       ? abut_base_alloc(&m->base.alloc, key_count * m->vertex_count, sizeof *m->positions)
                       : NULL;
    m->ways = abut_base_alloc(&m->base.alloc, key_count, sizeof *m->ways);
    if (!m->times || !m->positions || !m->ways) {
        destroy(&m->base);
        return abut_base_fail_memory(error);
    }
    for (size_t i = 0; i < key_count; ++i) {
        m->times[i] = keys[i].t;
        memcpy(m->positions + i * m->vertex_count, keys[i].vertices, m->vertex_count * sizeof *m->positions);
    }
    measure(m);
    *out = &m->base;
    return ABUT_OK;
}

abut_status abut_motion_vertices_at(const abut_motion *motion, double t, abut_vec3 *vertices,
                                    size_t vertex_count)
{
    const abut_vertices_motion *m = abut_vertices_of(motion);
    double times[2];
    const abut_vec3 *p[2];
    if (!m || !vertices || vertex_count != keys_of(m)->vertex_count || !(motion->t0 <= t && t <= motion->t1))
        return ABUT_ERR_ARGUMENT;
    abut_affine place = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } };
    const abut_status status = m->carrier ? abut_motion_at(m->carrier, t, &place) : ABUT_OK;
    if (status)
        return status;
    abut_vertices_keys(m, t, t, times, p);
    const double s = (t - times[0]) / (times[1] - times[0]);
    for (size_t i = 0; i < vertex_count; ++i) {
        vertices[i].x = s == 1 ? p[1][i].x : (1 - s) * p[0][i].x + s * p[1][i].x;
        vertices[i].y = s == 1 ? p[1][i].y : (1 - s) * p[0][i].y + s * p[1][i].y;
        vertices[i].z = s == 1 ? p[1][i].z : (1 - s) * p[0][i].z + s * p[1][i].z;
        if (m->carrier)
            vertices[i] = abut_affine_apply(&place, vertices[i]);
    }
    return ABUT_OK;
}
