/* SPDX-License-Identifier: MIT */
/* Long bodies that turn, near their origin against small ones: their far ends are fast, and where
 * they meet nothing is. How long an overlap is proved to last (ccd/proof/common_ball.h), judged by
 * MPFR and certified gaps in long double; and the work it takes to list the contacts. */
#include "ccd/proof/instant.h"
#include "ccd/test_advance_support.h"

static void make_long(test_random *r, unsigned kind, double length, body *out)
{
    oracle_body *o = &out->oracle;
    *o = (oracle_body){ .core = ORACLE_CORE_POINTS, .points = out->points };
    const double x = test_uniform(r, 0.3, 1), y = test_uniform(r, 0.3, 1);
    abut_status status = ABUT_OK;
    o->h = v3(x, y, length);
    switch (kind) {
    case 0:
        status = abut_shape_create_box(o->h, NULL, &out->shape);
        o->core = ORACLE_CORE_BOX;
        break;
    case 1:
        status = abut_shape_create_capsule(x, 2 * length, NULL, &out->shape);
        out->points[0] = v3(0, 0, -length);
        out->points[1] = v3(0, 0, length);
        o->count = 2;
        o->radius = x;
        break;
    case 2:
        status = abut_shape_create_cylinder(x, 2 * length, NULL, &out->shape);
        o->core = ORACLE_CORE_CYLINDER;
        break;
    case 3:
        status = abut_shape_create_cone(x, 2 * length, NULL, &out->shape);
        o->core = ORACLE_CORE_CONE;
        break;
    case 4:
        status = abut_shape_create_ellipsoid(o->h, NULL, &out->shape);
        o->core = ORACLE_CORE_ELLIPSOID;
        break;
    case 5: {
        abut_shape *core;
        o->core = ORACLE_CORE_BOX;
        o->margin = 0.5 * x;
        assert_int_equal(abut_shape_create_box(o->h, NULL, &core), ABUT_OK);
        status = abut_shape_create_swept(core, o->margin, NULL, &out->shape, NULL);
        abut_shape_release(core);
        break;
    }
    default: /* a spike */
        o->count = 5 + test_below(r, 10);
        for (size_t i = 0; i < o->count; ++i)
            out->points[i] = random_vec3(r, 1);
        out->points[test_below(r, (unsigned)o->count)] = v3(x, length, y);
        status = abut_shape_create_convex(out->points, o->count, 0, NULL, &out->shape, NULL);
    }
    assert_int_equal(status, ABUT_OK);
}

/* Either body is the long one, or both are. */
static void make_trial(test_random *r, uint64_t seed, trial *c)
{
    const double length = exp2(test_uniform(r, 3, 17));
    const bool both = seed % 4 == 3;
    body *small = seed % 2 ? &c->a : &c->b, *large = seed % 2 ? &c->b : &c->a;
    if (both) {
        make_long(r, test_below(r, 7), length, small);
    } else {
        const unsigned kind = test_below(r, 8);
        make_body(r, kind < 7 ? kind : 8, 1, small); /* with an interior */
    }
    make_long(r, test_below(r, 7), length, large);
    make_course(r, test_below(r, KINDS), 1.5, 1, &c->ca);
    make_course(r, test_below(r, KINDS), 1.5, 1, &c->cb);
    c->tolerance = 1e-14 * length + 1e-12;
}

static bool begin_pair(const trial *c, double t, abut_scene_pair *out)
{
    double lo = 0, hi = 1;
    for (double at = 0; at < 1 && at <= t;) {
        lo = at;
        hi = fmin(abut_motion_next_break(c->ca.motion, at), abut_motion_next_break(c->cb.motion, at));
        at = hi;
    }
    *out = (abut_scene_pair){ .shape_a = c->a.shape, .shape_b = c->b.shape };
    out->a = &c->a.shape->core;
    out->b = &c->b.shape->core;
    out->flat = abut_core_is_flat(out->a) || abut_core_is_flat(out->b);
    abut_path_begin(c->ca.motion, lo, hi, abut_instant_symmetry(out->a), &out->path_a);
    abut_path_begin(c->cb.motion, lo, hi, abut_instant_symmetry(out->b), &out->path_b);
    return t > lo && t < hi;
}

static void overlaps_last(void **state)
{
    (void)state;
    oracle_set_precision(120);
    const uint64_t count = test_count(1000);
    uint64_t overlaps = 0, lasting = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 95000000);
        trial c;
        make_trial(&r, seed, &c);
        abut_scene_pair pair;
        abut_instant at;
        abut_counters counters = { 0 };
        const double t = test_uniform(&r, 0, 1);
        if (begin_pair(&c, t, &pair) && abut_instant_make(&pair, t, NULL, true, &counters, &at) &&
            at.sign == -1) {
            const double room = test_below(&r, 2) ? pair.path_a.hi - t : pair.path_a.lo - t;
            const double s = abut_instant_cover(&pair, &at, room);
            const double fast = pair.a->size * at.at_a.speed + pair.b->size * at.at_b.speed;
            ++overlaps;
            lasting += s * fast > 4 * at.margin;
            TEST_CHECK(s >= 0 && s <= fabs(room), "seed %" PRIu64 ": lasts for %a", seed, s);
            for (int k = 0; k < 4; ++k) {
                const double when = t + (room < 0 ? -s : s) * (k == 0 ? 1 : 0.25 * k);
                long double gap;
                TEST_CHECK(judge(&c, fmin(fmax(when, 0), 1), NULL, &gap) != 1,
                           "seed %" PRIu64 ": gap %Lg at %a, overlap for %a from %a", seed, gap, when, s, t);
            }
        }
        free_trial(&c);
    }
    oracle_free();
    print_message("%" PRIu64 " overlaps, %" PRIu64 " last for longer than the far ends tell\n", overlaps,
                  lasting);
    assert_true(overlaps > count / 4 && lasting > overlaps / 4);
}

/* By the speed of the far ends alone the looks grow with the length, until the budget is spent. */
static void contacts_take_little_work(void **state)
{
    (void)state;
    enum { ROOM = 64 };
    oracle_set_precision(120);
    const uint64_t count = test_count(150);
    uint64_t all_looks = 0, most = 0, worst = 0, spent = 0;
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed + 96000000);
        trial c;
        make_trial(&r, seed, &c);
        abut_motion_release(c.ca.motion);
        abut_motion_release(c.cb.motion);
        make_course(&r, 0, 1.5, 1, &c.ca);
        make_course(&r, 2, 1.5, 1, &c.cb);
        abut_contact_interval in[ROOM];
        abut_intervals_result result;
        assert_int_equal(abut_contact_intervals(c.a.shape, c.ca.motion, c.b.shape, c.cb.motion, NULL, NULL,
                                                in, ROOM, &result),
                         ABUT_OK);
        if (seed % 10 == 0 && result.count <= ROOM)
            judge_intervals(&c, in, &result, seed, 8);
        const uint64_t looks = result.counters.iterations;
        all_looks += looks;
        spent += result.stop == ABUT_STOP_BUDGET;
        if (looks > most) {
            most = looks;
            worst = seed;
        }
        free_trial(&c);
    }
    oracle_free();
    print_message("%.1f looks a pair, %" PRIu64 " at most (seed %" PRIu64 "); %" PRIu64 " budgets spent\n",
                  (double)all_looks / (double)count, most, worst, spent);
    assert_true(all_looks < 400 * count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_last),
        cmocka_unit_test(contacts_take_little_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
