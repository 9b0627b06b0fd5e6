/* SPDX-License-Identifier: MIT */
/* Bodies that meet several times while they turn: the intervals of contact do not depend on
 * which body comes first nor on which way time runs. Next to a contact, where the gap is lost in
 * rounding, proofs succeed and fail in turn, and what they leave must not be listed as contacts
 * of their own. */
#include "abut/query.h"
#include "support/places.h"

enum { KEYS = 7, MOST = 64 };

static const double pi = 3.14159265358979323846;

static abut_shape *make_shape(test_random *r, unsigned kind)
{
    const double x = test_uniform(r, 0.2, 1), y = test_uniform(r, 0.2, 1), long_one = test_uniform(r, 1, 5);
    abut_vec3 points[10];
    abut_shape *shape = NULL;
    abut_status status = ABUT_OK;
    for (int i = 0; i < 10; ++i)
        points[i] = v3(test_uniform(r, -x, x), test_uniform(r, -y, y), test_uniform(r, -long_one, long_one));
    switch (kind) {
    case 0: status = abut_shape_create_capsule(x, test_below(r, 2) ? long_one : 0, NULL, &shape); break;
    case 1: status = abut_shape_create_box(v3(x, y, long_one), NULL, &shape); break;
    case 2: status = abut_shape_create_cylinder(x, 2 * long_one, NULL, &shape); break;
    case 3: status = abut_shape_create_cone(x, 2 * long_one, NULL, &shape); break;
    default: status = abut_shape_create_convex(points, 10, 0, NULL, &shape, NULL); break;
    }
    assert_int_equal(status, ABUT_OK);
    return shape;
}

/* By turns of less than half a turn about one axis; `back`: as time runs backwards. */
static abut_motion *make_motion(test_random *r, bool back)
{
    abut_keyframe keys[KEYS];
    const abut_vec3 from = random_vec3(r, 2), way = random_vec3(r, 2), axis = random_vec3(r, 1);
    const double turn = test_uniform(r, 0.2, 0.9) * pi;
    for (int i = 0; i < KEYS; ++i) {
        const double s = (double)i / 8;
        abut_keyframe *const key = &keys[back ? KEYS - 1 - i : i];
        *key = (abut_keyframe){ back ? -s : s,
                                { .position = { from.x + s * way.x, from.y + s * way.y, from.z + s * way.z },
                                  .rotation = { ABUT_ROTATION_RADIANS, .axis = axis, .angle = i * turn } } };
    }
    abut_motion *motion;
    assert_int_equal(abut_motion_create_keyframes(keys, KEYS, NULL, &motion, NULL), ABUT_OK);
    return motion;
}

static abut_intervals_result ask(uint64_t seed, bool swapped, bool back, abut_contact_interval *out)
{
    test_random r = test_seed(seed);
    abut_shape *shape[2];
    abut_motion *motion[2];
    abut_intervals_result found;
    for (int i = 0; i < 2; ++i) {
        shape[i] = make_shape(&r, test_below(&r, 5));
        motion[i] = make_motion(&r, back);
    }
    if (seed % 2) {
        abut_motion_release(motion[1]);
        motion[1] = NULL;
    }
    assert_int_equal(abut_contact_intervals(shape[swapped], motion[swapped], shape[!swapped],
                                            motion[!swapped], NULL, NULL, out, MOST, &found),
                     ABUT_OK);
    for (int i = 0; i < 2; ++i) {
        abut_shape_release(shape[i]);
        abut_motion_release(motion[i]);
    }
    for (size_t i = 0; back && i < found.count; ++i) { /* the other way round again, below */
        const abut_contact_interval x = out[i];
        out[i] = (abut_contact_interval){ { -x.exit.hi, -x.exit.lo }, { -x.enter.hi, -x.enter.lo } };
    }
    return found;
}

static bool meet(abut_interval a, abut_interval b)
{
    return a.lo <= b.hi && b.lo <= a.hi;
}

static void either_way_round(void **state)
{
    (void)state;
    size_t contacts = 0, doubtful = 0;
    for (uint64_t seed = 0; seed < test_count(1000); ++seed) {
        abut_contact_interval like[MOST], found[MOST];
        const abut_intervals_result all = ask(seed, false, false, like);
        assert_true(all.count <= MOST);
        contacts += all.count;
        doubtful += all.proof == ABUT_PROOF_TOLERANCE;
        for (int way = 1; way < 4; ++way) {
            const bool swapped = way & 1, back = way & 2;
            const abut_intervals_result other = ask(seed, swapped, back, found);
            TEST_CHECK(other.count == all.count, "seed %" PRIu64 " way %d: %zu intervals, not %zu", seed, way,
                       other.count, all.count);
            for (size_t i = 0; i < all.count; ++i) {
                const abut_contact_interval *const x = &found[back ? all.count - 1 - i : i];
                TEST_CHECK(meet(x->enter, like[i].enter) && meet(x->exit, like[i].exit),
                           "seed %" PRIu64 " way %d: interval %zu is [%a, %a] to [%a, %a]", seed, way, i,
                           x->enter.lo, x->enter.hi, x->exit.lo, x->exit.hi);
            }
        }
    }
    print_message("%zu contacts, %zu undecided\n", contacts, doubtful);
    TEST_CHECK(contacts > 0, "nothing met");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(either_way_round) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
