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

static const abut_motion_ops ops = { .at = at,
                                     .next_break = next_break,
                                     .destroy = destroy,
                                     .carry = carry,
                                     .frame = frame,
                                     .check = abut_deform_check_at };

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
    if (!m->times || !m->positions) {
        destroy(&m->base);
        return abut_base_fail_memory(error);
    }
    for (size_t i = 0; i < key_count; ++i) {
        m->times[i] = keys[i].t;
        memcpy(m->positions + i * m->vertex_count, keys[i].vertices, m->vertex_count * sizeof *m->positions);
    }
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
