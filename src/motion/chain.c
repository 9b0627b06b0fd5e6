/* SPDX-License-Identifier: MIT */
/* A chain of links, each placed relative to the one before.
 *
 * Method: interval matrices multiplied from the world outward, velocities by the product rule. A
 * product of intervals counts shared time twice, so the placement over an interval is also
 * bounded from its ends and its velocity (box_tighten). Chains of chains are flattened when
 * made, so that evaluation never recurses. */
#include "math/vec3.h"
#include "motion/create.h"
#include "motion/kernel.h"

enum { max_links = 1024, max_halvings = 4 };

typedef struct motion_chain {
    abut_motion base;
    size_t count;
    abut_motion **links;
} motion_chain;

static const motion_chain *self(const abut_motion *motion)
{
    return (const motion_chain *)motion;
}

static abut_status at(const abut_motion *motion, double t, abut_affine *out)
{
    const motion_chain *m = self(motion);
    abut_affine all = abut_affine_identity();
    for (size_t i = 0; i < m->count; ++i) {
        abut_affine link;
        const abut_status status = m->links[i]->ops->at(m->links[i], t, &link);
        if (status != ABUT_OK)
            return status;
        all = i ? abut_affine_compose(&all, &link) : link;
    }
    *out = all;
    return ABUT_OK;
}

static abut_mat3 add(const abut_mat3 *a, const abut_mat3 *b)
{
    abut_mat3 c;
    for (int i = 0; i < 9; ++i)
        c.m[i / 3][i % 3] = a->m[i / 3][i % 3] + b->m[i / 3][i % 3];
    return c;
}

static abut_status velocity_at(const abut_motion *motion, double t, abut_affine *out)
{
    const motion_chain *m = self(motion);
    abut_affine all = abut_affine_identity(), rate = { .translation = { 0, 0, 0 } };
    for (size_t i = 0; i < m->count; ++i) {
        const abut_motion *link = m->links[i];
        abut_affine place, velocity;
        if (!link->ops->velocity_at)
            return ABUT_ERR_UNSUPPORTED;
        abut_status status = link->ops->at(link, t, &place);
        if (status == ABUT_OK)
            status = link->ops->velocity_at(link, t, &velocity);
        if (status != ABUT_OK)
            return status;
        const abut_mat3 one = abut_mat3_mul(&rate.linear, &place.linear);
        const abut_mat3 two = abut_mat3_mul(&all.linear, &velocity.linear);
        rate.translation = abut_add(abut_affine_apply(&rate, place.translation),
                                    abut_mul(&all.linear, velocity.translation));
        rate.linear = add(&one, &two);
        all = abut_affine_compose(&all, &place);
    }
    *out = rate;
    return ABUT_OK;
}

/* Both by the product rule; `rate` may be NULL. */
static void multiply(const motion_chain *m, ia t, ia_affine *out, ia_affine *rate)
{
    for (size_t i = 0; i < m->count; ++i) {
        const abut_motion *link = m->links[i];
        ia_affine place, velocity;
        link->ops->enclose(link, t, &place);
        if (rate)
            link->ops->enclose_velocity(link, t, &velocity);
        if (i == 0) {
            *out = place;
            if (rate)
                *rate = velocity;
            continue;
        }
        if (rate) {
            const ia33 one = ia33_mul(&rate->linear, &place.linear);
            const ia33 two = ia33_mul(&out->linear, &velocity.linear);
            rate->translation =
                ia3_add(rate->translation, ia3_add(ia33_mul3(&rate->linear, place.translation),
                                                   ia33_mul3(&out->linear, velocity.translation)));
            for (int k = 0; k < 9; ++k)
                rate->linear.m[k / 3][k % 3] = ia_add(one.m[k / 3][k % 3], two.m[k / 3][k % 3]);
        }
        out->translation = ia3_add(ia33_mul3(&out->linear, place.translation), out->translation);
        out->linear = ia33_mul(&out->linear, &place.linear);
        if (m->base.rigid)
            for (int k = 0; k < 9; ++k)
                out->linear.m[k / 3][k % 3] = box_within_one(out->linear.m[k / 3][k % 3]);
    }
}

/* Placement and velocity over t, given the placements at its ends. Halves t while that promises
 * much tighter bounds, which only long intervals need. */
static void over(const motion_chain *m, ia t, const ia_affine *lo, const ia_affine *hi, int halvings,
                 ia_affine *out, ia_affine *rate)
{
    multiply(m, t, out, rate);
    box_tighten(out, lo, hi, rate, ia_sub(ia_point(ia_hi(t)), ia_point(ia_lo(t))));
    double found = 0, least = 0;
    for (int i = 0; i < box_entries; ++i) {
        found += ia_width(*box_entry(out, i));
        least += ia_width(ia_hull(*box_entry_of(lo, i), *box_entry_of(hi, i)));
    }
    const double middle = ia_mid(t);
    if (found <= 1.25 * least || halvings == 0 || middle <= ia_lo(t) || middle >= ia_hi(t))
        return;
    ia_affine at_middle, right, right_rate;
    multiply(m, ia_point(middle), &at_middle, NULL);
    over(m, ia_make(ia_lo(t), middle), lo, &at_middle, halvings - 1, out, rate);
    over(m, ia_make(middle, ia_hi(t)), &at_middle, hi, halvings - 1, &right, &right_rate);
    for (int i = 0; i < box_entries; ++i) {
        *box_entry(out, i) = ia_hull(*box_entry(out, i), *box_entry(&right, i));
        *box_entry(rate, i) = ia_hull(*box_entry(rate, i), *box_entry(&right_rate, i));
    }
}

static void both(const abut_motion *motion, ia t, ia_affine *out, ia_affine *rate)
{
    ia_affine lo, hi;
    if (ia_is_point(t) || !ia_is_finite(t)) {
        multiply(self(motion), t, out, rate);
        return;
    }
    multiply(self(motion), ia_point(ia_lo(t)), &lo, NULL);
    multiply(self(motion), ia_point(ia_hi(t)), &hi, NULL);
    over(self(motion), t, &lo, &hi, max_halvings, out, rate);
}

static void enclose(const abut_motion *motion, ia t, ia_affine *out)
{
    ia_affine rate;
    both(motion, t, out, &rate);
}

static void enclose_velocity(const abut_motion *motion, ia t, ia_affine *out)
{
    ia_affine place;
    both(motion, t, &place, out);
}

/* Angular velocities of links add up. */
static double angular_speed(const abut_motion *motion, ia t)
{
    const motion_chain *m = self(motion);
    ia sum = ia_point(0);
    for (size_t i = 0; i < m->count; ++i) {
        const abut_motion *link = m->links[i];
        if (link->type == ABUT_MOTION_STATIC)
            continue;
        if (!link->ops->angular_speed)
            return HUGE_VAL;
        sum = ia_add(sum, ia_make(0, link->ops->angular_speed(link, t)));
    }
    return ia_hi(sum);
}

static double next_break(const abut_motion *motion, double t)
{
    double next = motion->t1;
    for (size_t i = 0; i < self(motion)->count; ++i)
        next = fmin(next, abut_motion_next_break(self(motion)->links[i], t));
    return next;
}

static void destroy(abut_motion *motion)
{
    motion_chain *m = (motion_chain *)motion;
    for (size_t i = 0; i < m->count; ++i)
        abut_motion_release(m->links[i]);
    abut_base_free(&motion->alloc, m->links, m->count, sizeof *m->links);
    abut_motion_free(motion, sizeof *m);
}

static abut_status defined_over(const abut_motion *motion, abut_interval time, abut_error *error)
{
    const motion_chain *m = self(motion);
    abut_status status = ABUT_OK;
    for (size_t i = 0; i < m->count && !status; ++i)
        status = m->links[i]->ops->defined_over ? m->links[i]->ops->defined_over(m->links[i], time, error)
                                                : ABUT_OK;
    return status;
}

#define CHAIN_OPS                                                                                   \
    .at = at, .velocity_at = velocity_at, .angular_speed = angular_speed, .next_break = next_break, \
    .defined_over = defined_over, .destroy = destroy
static const abut_motion_ops ops = { CHAIN_OPS, .enclose = enclose, .enclose_velocity = enclose_velocity };
static const abut_motion_ops plain_ops = { CHAIN_OPS };

/* A chain in another unit of time has its type, too, and is none of these. */
static bool is_chain(const abut_motion *motion)
{
    return motion->ops == &ops || motion->ops == &plain_ops;
}

static size_t leaf_count(const abut_motion *motion)
{
    return is_chain(motion) ? self(motion)->count : 1;
}

bool abut_motion_is_still(const abut_motion *motion)
{
    bool still = motion->type == ABUT_MOTION_STATIC || is_chain(motion);
    for (size_t i = 0; is_chain(motion) && i < self(motion)->count; ++i)
        still = still && self(motion)->links[i]->type == ABUT_MOTION_STATIC;
    return still;
}

/* The last link is one that needs a carrier: what the links before it make. */
static abut_status carry_last(abut_motion *const *links, size_t link_count, const abut_allocator *alloc,
                              abut_motion **out, abut_error *error)
{
    abut_motion *last = links[link_count - 1], *carrier = NULL;
    if (link_count == 1) {
        *out = abut_motion_retain(last);
        return ABUT_OK;
    }
    abut_status status = ABUT_OK;
    if (link_count == 2) /* which may be more than a chain is: a straight line */
        carrier = abut_motion_retain(links[0]);
    else
        status = abut_motion_create_chain(links, link_count - 1, alloc, &carrier, error);
    if (status)
        return status;
    const abut_status carried = last->ops->carry(last, carrier, alloc, out, error);
    abut_motion_release(carrier);
    return carried;
}

abut_status abut_motion_create_chain(abut_motion *const *links, size_t link_count,
                                     const abut_allocator *alloc, abut_motion **out, abut_error *error)
{
    abut_base_clear(error);
    if (!out)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1,
                              "there is nowhere to put the motion: out is NULL");
    *out = NULL;
    size_t count = 0;
    double t0 = -HUGE_VAL, t1 = HUGE_VAL;
    bool partial = false, rigid = true, enclosed = true;
    if (!links || link_count == 0)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a chain needs at least one link");
    for (size_t i = 0; i < link_count; ++i) {
        if (!links[i])
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i, "link %zu of the chain is missing",
                                  i);
        count += leaf_count(links[i]);
        if (count > max_links)
            return abut_base_fail(error, ABUT_ERR_LIMIT, (int64_t)i,
                                  "a chain may have at most %d links in all", max_links);
        t0 = fmax(t0, links[i]->t0);
        t1 = fmin(t1, links[i]->t1);
        if (!(t0 < t1))
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "link %zu has no time range in common with the links before it", i);
        if (links[i]->ops->carry && i + 1 < link_count)
            return abut_base_fail(error, ABUT_ERR_ARGUMENT, (int64_t)i,
                                  "link %zu moves vertices; it can only be the last one", i);
        rigid = rigid && links[i]->rigid;
        partial = partial || links[i]->partial;
        enclosed = enclosed && links[i]->ops->enclose;
    }
    if (links[link_count - 1]->ops->carry)
        return carry_last(links, link_count, alloc, out, error);
    motion_chain *m = abut_motion_new(alloc, sizeof *m, ABUT_MOTION_CHAIN, enclosed ? &ops : &plain_ops);
    if (!m)
        return abut_base_fail_memory(error);
    m->links = abut_base_alloc(&m->base.alloc, count, sizeof *m->links);
    if (!m->links) {
        abut_motion_free(&m->base, sizeof *m);
        return abut_base_fail_memory(error);
    }
    for (size_t i = 0; i < link_count; ++i) {
        abut_motion *const *leaves = is_chain(links[i]) ? self(links[i])->links : &links[i];
        for (size_t k = 0; k < leaf_count(links[i]); ++k)
            m->links[m->count++] = abut_motion_retain(leaves[k]);
    }
    m->base.t0 = t0;
    m->base.t1 = t1;
    m->base.rigid = rigid;
    m->base.partial = partial;
    for (size_t i = 0; i < link_count; ++i)
        m->base.work += links[i]->work;
    *out = &m->base;
    return ABUT_OK;
}

/* ---- what two chains begin with ---- */

/* One that is no chain is its own only link. */
static const abut_motion *link_of(const abut_motion *motion, size_t i)
{
    return is_chain(motion) ? self(motion)->links[i] : motion;
}

/* The links from .. to - 1 as a motion of their own; NULL: none. */
static abut_status take_links(const abut_motion *motion, size_t from, size_t to, const abut_allocator *alloc,
                              abut_motion **out)
{
    *out = NULL;
    if (from == to)
        return ABUT_OK;
    if (to - from > 1)
        return abut_motion_create_chain(self(motion)->links + from, to - from, alloc, out, NULL);
    *out = abut_motion_retain(abut_motion_unlocked(link_of(motion, from)));
    return ABUT_OK;
}

abut_status abut_motion_split_common(const abut_motion *a, const abut_motion *b, abut_interval time,
                                     const abut_allocator *alloc, abut_motion_split *out)
{
    *out = (abut_motion_split){ 0 };
    if (!a || !b)
        return ABUT_OK;
    const size_t n = leaf_count(a), m = leaf_count(b);
    size_t count = 0;
    for (; count < n && count < m; ++count) {
        const abut_motion *link = link_of(a, count);
        if (link != link_of(b, count) || !link->rigid || link->partial || link->ops->carry ||
            !(link->t0 <= time.lo && time.hi <= link->t1))
            break;
    }
    if (count == 0)
        return ABUT_OK;
    abut_status status = take_links(a, 0, count, alloc, &out->common);
    if (!status)
        status = take_links(a, count, n, alloc, &out->rest[0]);
    if (!status)
        status = take_links(b, count, m, alloc, &out->rest[1]);
    if (status)
        abut_motion_split_clear(out);
    return status;
}

void abut_motion_split_clear(abut_motion_split *split)
{
    abut_motion_release(split->common);
    abut_motion_release(split->rest[0]);
    abut_motion_release(split->rest[1]);
    *split = (abut_motion_split){ 0 };
}
