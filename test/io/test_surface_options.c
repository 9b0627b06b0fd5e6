/* SPDX-License-Identifier: MIT */
/* Options and units do not change what is true: random pairs with a curved body, each asked with
 * many combinations of accuracy, Newton method, queue order, unit of length and unit of time.
 * Certified answers must agree. The units are powers of two, so that the scaled scenes are the
 * same scenes exactly. */
#include "abut/query.h"
#include "abut/scene.h"
#include "support/text.h"

enum { TEXT = 8192 };

/* Draws a shape of a size of about 1, in units of `unit`. */
static void add_shape(test_text *t, test_random *r, bool curved, double unit)
{
    const double a = test_uniform(r, 0.3, 1), b = test_uniform(r, 0.3, 1), c = test_uniform(r, 0.3, 1);
    const unsigned which = curved ? test_below(r, 6) : 6 + test_below(r, 6);
    const double p = test_uniform(r, 0, 6), lobes = 2 + test_below(r, 4);
    switch (which) {
    case 0:
        test_add(t, "{\"type\":\"torus\",\"major\":%.17g,\"minor\":%.17g}", unit * a, unit * 0.4 * a);
        break;
    case 1: /* a bumpy ball with poles */
        test_add(
            t,
            "{\"type\":\"parametric\",\"x\":\"%.17g*r*cos(v)*cos(u)\",\"y\":\"%.17g*r*cos(v)*sin(u)\","
            "\"z\":\"%.17g*r*sin(v)\",\"u\":[0,6.283185307179586],\"v\":[-1.5707963267948966,"
            "1.5707963267948966],\"wrap\":[\"u\"],\"let\":{\"r\":\"%.17g+%.17g*cos(v)^3*sin(%g*u+%.17g)\"}}",
            unit, unit, unit, a, 0.15 * a, lobes, p);
        break;
    case 2: /* a wavy sheet */
        test_add(
            t,
            "{\"type\":\"parametric\",\"x\":\"%.17g*u\",\"y\":\"%.17g*v\",\"z\":\"%.17g*sin(%.17g*u+%.17g)*"
            "cos(%.17g*v)\",\"u\":[-1,1],\"v\":[-1,1]}",
            unit, unit, 0.2 * unit, 3 * b, p, 3 * c);
        break;
    case 3:
        test_add(
            t,
            "{\"type\":\"implicit\",\"f\":\"(x/%.17g)^2+(y/%.17g)^2+(z/%.17g)^4-1\",\"bounds\":[[%.17g,%.17g,"
            "%.17g],[%.17g,%.17g,%.17g]]}",
            unit * a, unit * b, unit * c, -1.5 * unit, -1.5 * unit, -1.5 * unit, 1.5 * unit, 1.5 * unit,
            1.5 * unit);
        break;
    case 4:
        test_add(t,
                 "{\"type\":\"csg\",\"op\":\"difference\",\"of\":[{\"type\":\"implicit\",\"f\":\"(x/%.17g)^2+"
                 "(y/%.17g)^2+(z/%.17g)^2-1\",\"bounds\":[[%.17g,%.17g,%.17g],[%.17g,%.17g,%.17g]]},",
                 unit, unit, unit, -1.5 * unit, -1.5 * unit, -1.5 * unit, 1.5 * unit, 1.5 * unit, 1.5 * unit);
        test_add(
            t,
            "{\"type\":\"implicit\",\"f\":\"((x-%.17g)/%.17g)^2+(y/%.17g)^2+(z/%.17g)^2-0.5\",\"bounds\":"
            "[[%.17g,%.17g,%.17g],[%.17g,%.17g,%.17g]]}]}",
            unit * a, unit, unit, unit, -3 * unit, -3 * unit, -3 * unit, 3 * unit, 3 * unit, 3 * unit);
        break;
    case 5:
        test_add(t, "{\"type\":\"bezier\",\"degree\":[2,2],\"points\":[");
        for (int i = 0; i < 9; ++i)
            test_add(t, "%s[%.17g,%.17g,%.17g]", i ? "," : "", unit * (i % 3 - 1), unit * (i / 3 - 1),
                     unit * test_uniform(r, -0.5, 0.5));
        test_add(t, "]}");
        break;
    case 6: test_add(t, "{\"type\":\"sphere\",\"radius\":%.17g}", unit * a); break;
    case 7:
        test_add(t, "{\"type\":\"box\",\"half\":[%.17g,%.17g,%.17g]}", unit * a, unit * b, unit * c);
        break;
    case 8:
        test_add(t, "{\"type\":\"capsule\",\"radius\":%.17g,\"height\":%.17g}", unit * 0.5 * a, unit * b);
        break;
    case 9:
        test_add(t, "{\"type\":\"cylinder\",\"radius\":%.17g,\"height\":%.17g}", unit * a, unit * b);
        break;
    case 10:
        test_add(t, "{\"type\":\"cone\",\"radius\":%.17g,\"height\":%.17g}", unit * a, unit * 2 * b);
        break;
    default:
        test_add(t, "{\"type\":\"ellipsoid\",\"radii\":[%.17g,%.17g,%.17g]}", unit * a, unit * b, unit * c);
    }
}

static void add_pose(test_text *t, const double *position, double unit, const double *axis, double angle)
{
    test_add(
        t, "{\"position\":[%.17g,%.17g,%.17g],\"rotation\":{\"axis\":[%.17g,%.17g,%.17g],\"radians\":%.17g}}",
        unit * position[0], unit * position[1], unit * position[2], axis[0], axis[1], axis[2], angle);
}

static void scene_text(test_text *t, uint64_t seed, double length, double duration)
{
    test_random r = test_seed(seed);
    test_add(t, "{\"abut\":1,\"time\":[0,%.17g],\"objects\":[{\"name\":\"a\",\"shape\":", duration);
    add_shape(t, &r, true, length);
    double from[3], to[3], axis[3];
    for (int i = 0; i < 3; ++i) {
        from[i] = test_uniform(&r, -3, 3);
        to[i] = -0.6 * from[i] + test_uniform(&r, -0.8, 0.8);
        axis[i] = test_uniform(&r, -1, 1);
    }
    const double angle = test_uniform(&r, -2, 2);
    test_add(t, ",\"pose\":");
    add_pose(t, (double[3]){ 0, 0, 0 }, 1, axis, test_uniform(&r, -3, 3));
    test_add(t, "},{\"name\":\"b\",\"shape\":");
    add_shape(t, &r, test_below(&r, 2), length);
    test_add(t, ",\"motion\":{\"type\":\"linear\",\"from\":");
    add_pose(t, from, length, axis, 0);
    test_add(t, ",\"to\":");
    add_pose(t, to, length, axis, angle);
    test_add(t, "}}]}");
}

typedef struct answer {
    abut_first_verdict verdict;
    bool certified;
    double lo, hi; /* of the time, as part of the range */
} answer;

/* The options and units of one combination. */
typedef struct combination {
    double accuracy; /* part of the range */
    abut_newton_method newton;
    abut_queue_order order;
    double length, duration;
} combination;

static const double accuracies[] = { 0, 0.03, 1e-3, 1e-6, 1e-12 };
static const abut_newton_method newtons[] = { ABUT_NEWTON_AUTO, ABUT_NEWTON_LINEAR, ABUT_NEWTON_INVERSE,
                                              ABUT_NEWTON_KRAWCZYK };
static const double units[] = { 1, 0x1p-20, 0x1p20 };
enum { COMBINATIONS = 5 * 4 * 3 * 3 * 3 };

static combination combination_of(unsigned number)
{
    combination c = { .accuracy = accuracies[number % 5] };
    number /= 5;
    c.newton = newtons[number % 4];
    number /= 4;
    c.order = (abut_queue_order)(number % 3);
    number /= 3;
    c.length = units[number % 3];
    c.duration = units[number / 3];
    return c;
}

static answer ask(uint64_t seed, const combination *c)
{
    char written[TEXT];
    test_text t = { written, TEXT, 0 };
    scene_text(&t, seed, c->length, c->duration);
    abut_scene *scene = NULL;
    abut_error error;
    const abut_status parsed = abut_scene_parse(t.at, t.length, "random", NULL, &scene, &error);
    TEST_CHECK(parsed == ABUT_OK, "seed %" PRIu64 ": %s\n%s", seed, error.text, t.at);
    const abut_scene_object a = abut_scene_get_object(scene, 0), b = abut_scene_get_object(scene, 1);
    abut_first_opts opts;
    abut_first_opts_init(&opts);
    opts.time = abut_scene_time(scene);
    opts.accuracy = c->accuracy * c->duration;
    const abut_surface_solver by = { .newton = c->newton, .order = c->order };
    opts.surface_solver = &by;
    opts.max_iterations = 20000;
    abut_first_result r;
    const abut_status status = abut_first_contact(a.shape, a.motion, b.shape, b.motion, &opts, NULL, &r);
    TEST_CHECK(status == ABUT_OK, "seed %" PRIu64 ": %s\n%s", seed, abut_status_text(status), t.at);
    abut_scene_destroy(scene);
    return (answer){ r.verdict, r.proof == ABUT_PROOF_INTERVAL || r.proof == ABUT_PROOF_EXACT,
                     r.time.lo / c->duration, r.time.hi / c->duration };
}

static bool meets(const answer *a)
{
    return a->verdict == ABUT_FIRST_CONTACT || a->verdict == ABUT_FIRST_OVERLAPPING;
}

/* Certified answers about the same scene. */
static bool agree(const answer *a, const answer *b)
{
    if (!a->certified || !b->certified)
        return true;
    if (meets(a) != meets(b))
        return false;
    const double slack = 1e-15; /* times are rounded when they are brought to one unit */
    return !meets(a) || (a->lo <= b->hi + slack && b->lo <= a->hi + slack);
}

static void answers_do_not_depend_on_options(void **state)
{
    (void)state;
    const int pairs = test_count(30);
    const unsigned stride = 27; /* odd and large: each pair sees other combinations */
    int decided = 0, asked = 0;
    for (int i = 0; i < pairs; ++i) {
        const uint64_t seed = 5000 + (uint64_t)i;
        const combination usual = combination_of(0);
        const answer first = ask(seed, &usual);
        answer kept = first;
        for (unsigned k = (unsigned)i % stride; k < COMBINATIONS; k += stride) {
            const combination c = combination_of(k);
            const answer each = ask(seed, &c);
            ++asked;
            decided += each.certified && each.verdict != ABUT_FIRST_UNDECIDED;
            const bool fine = agree(&each, &kept) && agree(&each, &first);
            TEST_CHECK(fine,
                       "seed %" PRIu64
                       ", combination %u: %s [%.17g, %.17g], without options %s [%.17g, %.17g]",
                       seed, k, abut_first_verdict_name(each.verdict), each.lo, each.hi,
                       abut_first_verdict_name(kept.verdict), kept.lo, kept.hi);
            if (each.certified)
                kept = each;
        }
    }
    print_message("%d of %d answers are certified\n", decided, asked);
    TEST_CHECK(decided > asked * 9 / 10, "%d of %d answers are certified", decided, asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_do_not_depend_on_options) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
