/* SPDX-License-Identifier: MIT */
/* Bodies known by a support function that answers well when the shape is made and nonsense
 * later: every query refuses them, with nothing in its result. The same ball when it answers
 * well: points in it and outside, by its formula. */
#include "abut/abut.h"
#include "math/vec3.h"
#include "support/test.h"

typedef enum fault { HONEST, NOT_A_NUMBER, INFINITE, TOO_FAR, AT_TIMES, FAULTS } fault;

typedef struct ball {
    fault fault;
    unsigned calls;
    bool told; /* nonsense */
} ball;

static void answer(void *ctx, const abut_vec3 *d, abut_vec3 *p)
{
    ball *b = ctx;
    *p = abut_scale(1 / abut_length(*d), *d);
    ++b->calls;
    b->told = b->told || (b->fault == AT_TIMES ? b->calls % 3 == 0 : b->fault != HONEST);
    switch (b->fault) {
    case NOT_A_NUMBER: p->x = NAN; break;
    case INFINITE: p->y = -INFINITY; break;
    case TOO_FAR: *p = abut_scale(3, *p); break;
    case AT_TIMES: p->z = b->calls % 3 == 0 ? NAN : p->z; break;
    default: break;
    }
}

typedef struct scene {
    const abut_shape *user, *other;
    abut_pose place;
    abut_motion *motion;
} scene;

typedef abut_status (*query_fn)(const scene *s, bool *empty);

static abut_status by_check(const scene *s, bool *empty)
{
    abut_check_result r;
    const abut_status status = abut_check(s->user, NULL, s->other, &s->place, NULL, NULL, &r);
    *empty = r.verdict == ABUT_UNDECIDED && !r.has_points && !r.has_depth && r.contact_count == 0;
    return status;
}

static abut_status by_check_at(const scene *s, bool *empty)
{
    abut_check_result r;
    const abut_status status = abut_check_at(s->other, s->motion, s->user, NULL, 0.5, NULL, NULL, &r);
    *empty = r.verdict == ABUT_UNDECIDED && !r.has_points && !r.has_depth && r.contact_count == 0;
    return status;
}

static abut_status by_distance(const scene *s, bool *empty)
{
    abut_distance_result r;
    const abut_status status = abut_distance(s->other, &s->place, s->user, NULL, NULL, NULL, &r);
    *empty = r.verdict == ABUT_UNDECIDED && !r.has_points;
    return status;
}

static abut_status by_overlap(const scene *s, bool *empty)
{
    abut_overlap_result r;
    const abut_status status = abut_overlap(s->user, NULL, s->other, &s->place, NULL, NULL, &r);
    *empty = r.verdict == ABUT_UNDECIDED && r.proof == ABUT_PROOF_NONE;
    return status;
}

static abut_status by_first(const scene *s, bool *empty)
{
    abut_first_result r;
    const abut_status status = abut_first_contact(s->user, NULL, s->other, s->motion, NULL, NULL, &r);
    *empty = r.verdict == ABUT_FIRST_UNDECIDED && r.point_count == 0;
    return status;
}

static abut_status by_intervals(const scene *s, bool *empty)
{
    abut_intervals_result r;
    abut_contact_interval spans[4];
    const abut_status status =
        abut_contact_intervals(s->other, s->motion, s->user, NULL, NULL, NULL, spans, 4, &r);
    *empty = r.count == 0 && r.proof == ABUT_PROOF_NONE;
    return status;
}

static abut_status by_sweep(const scene *s, bool *empty)
{
    abut_overlap_result r;
    const abut_status status =
        abut_sweep_overlap(s->other, &s->place, s->user, NULL, abut_v3(-4, 0, 0), NULL, NULL, &r);
    *empty = r.verdict == ABUT_UNDECIDED && r.proof == ABUT_PROOF_NONE;
    return status;
}

static abut_status by_ray(const scene *s, bool *empty)
{
    abut_ray_hit hits[2];
    size_t count;
    const abut_status status =
        abut_cast_ray(s->user, NULL, abut_v3(-5, 0.125, 0.25), abut_v3(1, 0, 0), hits, 2, &count);
    *empty = count == 0;
    return status;
}

static abut_status by_point(const scene *s, bool *empty)
{
    abut_piece piece;
    const abut_status status = abut_classify_point(s->user, NULL, abut_v3(0.25, 0.375, 0.125), &piece);
    *empty = piece.where == ABUT_WHERE_UNKNOWN;
    return status;
}

static abut_status by_segment(const scene *s, bool *empty)
{
    abut_piece pieces[4];
    size_t count;
    const abut_status status =
        abut_classify_segment(s->user, NULL, abut_v3(-2, 0.125, 0), abut_v3(2, 0, 0.25), pieces, 4, &count);
    *empty = count == 0;
    return status;
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    static const query_fn queries[] = { by_check,     by_check_at, by_distance, by_overlap, by_first,
                                        by_intervals, by_sweep,    by_ray,      by_point,   by_segment };
    scene s = { .place = { { 2.0001, 0, 0 }, { 1, 0.25, 0, 0 } } };
    abut_shape *box;
    assert_int_equal(abut_shape_create_box(abut_v3(1, 1, 1), NULL, &box), ABUT_OK);
    s.other = box;
    abut_placement start = abut_placement_from_pose(s.place);
    start.position.x = 5;
    assert_int_equal(abut_motion_create_velocity(0, 1, &start, abut_v3(-4, 0, 0), abut_v3(0, 0, 0.25), NULL,
                                                 &s.motion, NULL),
                     ABUT_OK);
    for (int f = HONEST; f < FAULTS; ++f)
        for (size_t i = 0; i < sizeof queries / sizeof *queries; ++i)
            for (int swept = 0; swept < 2; ++swept) {
                ball b = { HONEST, 0, false };
                const abut_support_def def = { answer, &b, 1e-15, 1 };
                abut_shape *bare, *user;
                bool empty;
                assert_int_equal(abut_shape_create_support(&def, NULL, &bare, NULL), ABUT_OK);
                assert_int_equal(abut_shape_create_swept(bare, swept ? 0.125 : 0, NULL, &user, NULL),
                                 ABUT_OK);
                s.user = user;
                b.fault = (fault)f;
                const abut_status status = queries[i](&s, &empty);
                TEST_CHECK(b.told ? status == ABUT_ERR_ARGUMENT && empty : status == ABUT_OK && !empty,
                           "fault %d, query %zu, swept %d: %s, %s", f, i, swept, abut_status_name(status),
                           empty ? "empty" : "not empty");
                assert_true(b.told || f == HONEST || f == AT_TIMES);
                abut_shape_release(user);
                abut_shape_release(bare);
            }
    abut_motion_release(s.motion);
    abut_shape_release(box);
}

static void points_are_in_or_out(void **state)
{
    (void)state;
    ball b = { HONEST, 0, false };
    const abut_support_def def = { answer, &b, 1e-15, 1 };
    abut_shape *user;
    assert_int_equal(abut_shape_create_support(&def, NULL, &user, NULL), ABUT_OK);
    const uint64_t count = test_count(3000);
    for (uint64_t seed = 0; seed < count; ++seed) {
        test_random r = test_seed(seed);
        const abut_pose place = { { test_uniform(&r, -4, 4), test_uniform(&r, -4, 4),
                                    test_uniform(&r, -4, 4) },
                                  { 1, test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), 0 } };
        const abut_vec3 n =
            abut_unit_or(abut_v3(test_uniform(&r, -1, 1), test_uniform(&r, -1, 1), test_uniform(&r, -1, 1)),
                         abut_v3(1, 0, 0));
        const double length = 1 + test_log_uniform(&r, -30, 0);
        abut_piece piece;
        assert_int_equal(abut_classify_point(user, &place, abut_madd(place.position, length, n), &piece),
                         ABUT_OK);
        const bool near = fabs(length - 1) < 0x1p-26; /* flat tetrahedra prove little there */
        TEST_CHECK(piece.where == (length > 1 ? ABUT_WHERE_OUT : ABUT_WHERE_IN) ||
                       (near && piece.where == ABUT_WHERE_UNKNOWN),
                   "seed %" PRIu64 ": %d at %a of the radius", seed, (int)piece.where, length);
    }
    abut_shape_release(user);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(nonsense_is_refused),
                                        cmocka_unit_test(points_are_in_or_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
