/* SPDX-License-Identifier: MIT */
/* Random bodies of every pair of kinds, at rest and moving, against a referee that encloses distances
 * (oracle/patchwork.h) and against themselves with the order swapped: thin and nested bodies, flush and touching ones,
 * large and small units, far from the origin, at times far from 0, under affine placements.
 * ABUT_TEST_SCALE sets the number of cases, ABUT_PAIRS_FROM where to begin, ABUT_PAIRS_ONLY=n runs that case alone,
 * ABUT_PAIRS_SLOW=0.1 prints questions that take longer, ABUT_PAIRS_OPEN=1 what is not proved. */
#include "abut/query.h"
#include "abut/scene.h"
#include "oracle/patchwork.h"
#include "support/test.h"

#include <stdarg.h>
#include <time.h>

enum {
    TEXT = 1 << 14,
    INSTANTS = 7,
    INTERVALS = 16,
    CELLS = 20000,
    FEW = 4000,
    PAIRS = PATCHWORK_KINDS * PATCHWORK_KINDS
};

typedef struct counts {
    uint64_t checks, judged, open, firsts, first_open, lists, doubtful, depths, no_depth, slow[3], wrong;
    double longest[3], total[3], loosest;
} counts;

static counts all;

typedef struct moving {
    uint64_t number;
    patchwork body[2];
    const abut_shape *shape[2];
    abut_motion *own[2]; /* or NULL: the scene's */
    const abut_motion *motion[2];
    abut_placement place[2]; /* at rest */
    bool stretched;          /* the first one, by this: */
    abut_affine map;
    double size, far, t0, t1;
    const char *kind; /* of placement */
    bool over_time;
} moving;

static double now(void)
{
    return (double)clock() / CLOCKS_PER_SEC; /* of this process: other work on the machine does not count */
}

static void complain(const moving *s, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    ++all.wrong;
    print_error("case %" PRIu64 ", %s against %s, %s, size %g: %s\n", s->number,
                patchwork_name(s->body[0].kind), patchwork_name(s->body[1].kind), s->kind, s->size, text);
}

static void note_time(const moving *s, int query, double took, double t)
{
    static const char *const names[] = { "check", "first", "intervals" };
    const char *limit = getenv("ABUT_PAIRS_SLOW");
    all.longest[query] = fmax(all.longest[query], took);
    all.total[query] += took;
    all.slow[query] += took > 0.1;
    if (limit && took > atof(limit))
        print_message("slow: case %" PRIu64 ", %s against %s, %s, t %.17g: %s %.3f s\n", s->number,
                      patchwork_name(s->body[0].kind), patchwork_name(s->body[1].kind), s->kind, t,
                      names[query], took);
}

static bool is_proved(abut_proof proof)
{
    return proof == ABUT_PROOF_INTERVAL || proof == ABUT_PROOF_EXACT;
}

static void place_at(const moving *s, int i, double t, patchwork_place *out)
{
    abut_affine at = s->map;
    if (i > 0 || !s->stretched)
        assert_int_equal(abut_motion_at(s->motion[i], t, &at), ABUT_OK);
    double off = 0;
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            double sum = -(r == c);
            out->m[r][c] = at.linear.m[r][c];
            for (int k = 0; k < 3; ++k)
                sum += at.linear.m[k][r] * at.linear.m[k][c];
            off = fmax(off, fabs(sum));
        }
    out->t[0] = at.translation.x;
    out->t[1] = at.translation.y;
    out->t[2] = at.translation.z;
    out->rigid = off < 1e-12;
}

/* ---- one instant ---- */

/* What rounding of places and the referee may be off by. */
static double blur_of(const moving *s)
{
    return 1e-9 * s->size + 1e-14 * s->far;
}

static double from_body(const moving *s, int i, const patchwork_place *at, const double p[3])
{
    if (s->body[i].leaf[0].type != PATCHWORK_SHEET && at->rigid && s->body[i].solid)
        return fabs(patchwork_level_at(&s->body[i], at, p));
    patchwork dot = { .solid = true, .size = 1e-12 * s->size, .count = 1 };
    dot.leaf[0].type = PATCHWORK_ROUND;
    for (int k = 0; k < 3; ++k) {
        dot.leaf[0].n[k] = dot.size;
        dot.leaf[0].turn[k][k] = 1;
    }
    patchwork_place there = { .m = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, .rigid = true };
    memcpy(there.t, p, sizeof there.t);
    if (s->body[i].leaf[0].type == PATCHWORK_HALF)
        return 0;
    return patchwork_distance(&s->body[i], at, &dot, &there, 1e-7 * s->size, FEW).lo;
}

static void check_points(const moving *s, const patchwork_place at[2], const abut_check_result *r, double t)
{
    const double p[2][3] = { { r->point_a.x, r->point_a.y, r->point_a.z },
                             { r->point_b.x, r->point_b.y, r->point_b.z } };
    for (int i = 0; i < 2; ++i) {
        const bool exact = s->body[i].count == 1 || s->body[i].op == PATCHWORK_UNION;
        const double off =
            exact ? from_body(s, i, &at[i], p[i]) : fabs(patchwork_level_at(&s->body[i], &at[i], p[i]));
        if (off > 1e-6 * s->size + blur_of(s))
            complain(s, "t %.17g: point of body %d is %g off it", t, i, off);
    }
    double d = 0, along = 0;
    const double n[3] = { r->normal.x, r->normal.y, r->normal.z };
    for (int k = 0; k < 3; ++k) {
        d += (p[1][k] - p[0][k]) * (p[1][k] - p[0][k]);
        along += (p[1][k] - p[0][k]) * n[k];
    }
    d = sqrt(d);
    if (d < r->distance.lo - 1e-6 * s->size - blur_of(s) || d > r->distance.hi + 1e-6 * s->size + blur_of(s))
        complain(s, "t %.17g: points %.17g apart, distance [%.17g, %.17g]", t, d, r->distance.lo,
                 r->distance.hi);
    if (r->has_normal && d > 1e-3 * s->size && along < 0.999 * d)
        complain(s, "t %.17g: the normal leads elsewhere: %g of %g", t, along, d);
}

static void check_depth(const moving *s, const patchwork_place at[2], const abut_check_result *r, double t,
                        test_random *random)
{
    const patchwork *a = &s->body[0], *b = &s->body[1];
    ++all.depths;
    if (!r->has_depth) {
        ++all.no_depth;
        return;
    }
    const double n[3] = { r->normal.x, r->normal.y, r->normal.z };
    double x[3];
    patchwork_place moved = at[1];
    for (int k = 0; k < 3; ++k)
        moved.t[k] += n[k] * r->depth.hi * (1 + 1e-9);
    const double in = patchwork_common(a, &at[0], b, &moved, x);
    if (in > 1e-6 * s->size + blur_of(s))
        complain(s, "t %.17g: depth [%.17g, %.17g], but %g deep after that", t, r->depth.lo, r->depth.hi, in);
    all.loosest = fmax(all.loosest, r->depth.lo > 0 ? r->depth.hi / r->depth.lo : 0);
    for (int i = 0; i < 7; ++i) {
        double d[3], length = 0;
        for (int k = 0; k < 3; ++k) {
            d[k] = i ? test_uniform(random, -1, 1) : n[k];
            length += d[k] * d[k];
        }
        for (int k = 0; k < 3; ++k)
            moved.t[k] = at[1].t[k] + d[k] / sqrt(length) * 0.999 * r->depth.lo;
        const patchwork_range away = patchwork_distance(a, &at[0], b, &moved, 1e-3 * s->size, FEW);
        if (away.lo > 1e-6 * s->size + blur_of(s))
            complain(s, "t %.17g: depth [%.17g, %.17g], but apart after less", t, r->depth.lo, r->depth.hi);
    }
}

/* 1 apart, -1 meeting, 0 not proved. */
static int check_at(const moving *s, double t, bool full, test_random *random)
{
    const patchwork *a = &s->body[0], *b = &s->body[1];
    abut_check_result r, other;
    patchwork_place at[2];
    const double start = now();
    const abut_status status =
        abut_check_at(s->shape[0], s->motion[0], s->shape[1], s->motion[1], t, NULL, NULL, &r);
    note_time(s, 0, now() - start, t);
    if (status) {
        complain(s, "check: %s", abut_status_text(status));
        return 0;
    }
    ++all.checks;
    if (getenv("ABUT_PAIRS_ONLY"))
        print_message(
            "t %.17g: %s, distance [%.17g, %.17g], depth [%.17g, %.17g], a (%.17g, %.17g, %.17g), b (%.17g, "
            "%.17g, %.17g), %" PRIu64 " iterations\n",
            t, abut_verdict_name(r.verdict), r.distance.lo, r.distance.hi, r.depth.lo, r.depth.hi,
            r.point_a.x, r.point_a.y, r.point_a.z, r.point_b.x, r.point_b.y, r.point_b.z,
            r.counters.iterations);
    const bool proved = is_proved(r.proof) && r.verdict != ABUT_UNDECIDED;
    const int sign = !proved ? 0 : r.verdict == ABUT_SEPARATE ? 1 : -1;
    all.open += !proved && strcmp(s->kind, "touching") != 0; /* by rounding, of which nothing is known */
    if (!proved && getenv("ABUT_PAIRS_OPEN"))
        print_message("open: case %" PRIu64 ", %s against %s, %s, t %.17g: %s, distance [%g, %g]\n",
                      s->number, patchwork_name(a->kind), patchwork_name(b->kind), s->kind, t,
                      abut_verdict_name(r.verdict), r.distance.lo, r.distance.hi);
    place_at(s, 0, t, &at[0]);
    place_at(s, 1, t, &at[1]);
    double x[3];
    const double in = patchwork_common(a, &at[0], b, &at[1], x);
    const bool solids = a->solid && b->solid;
    if (in > 1e-7 * s->size + blur_of(s)) {
        ++all.judged;
        if (r.verdict == ABUT_SEPARATE || (solids && r.verdict == ABUT_TOUCHING))
            complain(s, "t %.17g: said to be %s, but %g deep at (%g, %g, %g)", t,
                     abut_verdict_name(r.verdict), in, x[0], x[1], x[2]);
        if (r.distance.lo > 0)
            complain(s, "t %.17g: distance [%.17g, %.17g], but they meet", t, r.distance.lo, r.distance.hi);
    } else if (full || proved) {
        const patchwork_range d =
            patchwork_distance(a, &at[0], b, &at[1], 2e-5 * s->size, full ? CELLS : FEW);
        const double blur = blur_of(s);
        all.judged += d.lo > 0;
        if (r.verdict >= ABUT_TOUCHING && d.lo > blur)
            complain(s, "t %.17g: said to be %s, but at least %.17g apart", t, abut_verdict_name(r.verdict),
                     d.lo);
        if (r.distance.lo > d.hi + blur || r.distance.hi < d.lo - blur)
            complain(s, "t %.17g: distance [%.17g, %.17g], truly [%.17g, %.17g]", t, r.distance.lo,
                     r.distance.hi, d.lo, d.hi);
    }
    if (!full)
        return sign;
    if (r.verdict == ABUT_SEPARATE && r.has_points)
        check_points(s, at, &r, t);
    if (r.verdict == ABUT_PENETRATING && solids && !(a->endless && b->endless))
        check_depth(s, at, &r, t, random);
    if (abut_check_at(s->shape[1], s->motion[1], s->shape[0], s->motion[0], t, NULL, NULL, &other))
        complain(s, "swapped: fails");
    const bool both = proved && is_proved(other.proof) && other.verdict != ABUT_UNDECIDED;
    if (both && r.verdict != other.verdict)
        complain(s, "t %.17g: %s, swapped %s", t, abut_verdict_name(r.verdict),
                 abut_verdict_name(other.verdict));
    if (r.distance.lo > other.distance.hi + blur_of(s) || r.distance.hi < other.distance.lo - blur_of(s))
        complain(s, "t %.17g: distance [%.17g, %.17g], swapped [%.17g, %.17g]", t, r.distance.lo,
                 r.distance.hi, other.distance.lo, other.distance.hi);
    return sign;
}

/* ---- over time ---- */

static double apart_at(const moving *s, double t)
{
    patchwork_place at[2];
    place_at(s, 0, t, &at[0]);
    place_at(s, 1, t, &at[1]);
    return patchwork_distance(&s->body[0], &at[0], &s->body[1], &at[1], 1e-4 * s->size, FEW).lo;
}

static double deep_at(const moving *s, double t)
{
    patchwork_place at[2];
    double x[3];
    place_at(s, 0, t, &at[0]);
    place_at(s, 1, t, &at[1]);
    return patchwork_common(&s->body[0], &at[0], &s->body[1], &at[1], x);
}

static void judge_first(const moving *s, const abut_first_result *first)
{
    const double unit = s->t1 - s->t0;
    if (first->verdict != ABUT_FIRST_CONTACT)
        return;
    const double slop =
        1e-5 * s->size + 40 * s->size * (first->time.hi - first->time.lo) / unit + 10 * blur_of(s);
    const double gap = apart_at(s, first->time.hi);
    if (gap > slop)
        complain(s, "first contact until %.17g, but %g apart then", first->time.hi, gap);
    if (first->time.lo > s->t0) {
        const double before = fmax(s->t0, first->time.lo - 1e-3 * unit), in = deep_at(s, before);
        if (in > 1e-6 * s->size + blur_of(s))
            complain(s, "first contact from %.17g on, but %g deep at %.17g", first->time.lo, in, before);
    }
}

static void judge_lists(const moving *s, const abut_first_result *first, const abut_intervals_result *lists,
                        const abut_contact_interval *list, const int *sign)
{
    const bool certain = is_proved(first->proof), sure = is_proved(lists->proof);
    for (int i = 0; i < INSTANTS; ++i) {
        const double t = s->t0 + (s->t1 - s->t0) * i / (double)(INSTANTS - 1);
        if (sign[i] < 0 && first->verdict == ABUT_FIRST_SEPARATE)
            complain(s, "t %.17g: meeting, first says separate", t);
        if (sign[i] < 0 && first->verdict == ABUT_FIRST_CONTACT && first->time.lo > t && i > 0)
            complain(s, "t %.17g: meeting, first says %.17g", t, first->time.lo);
        if (sign[i] > 0 && i == 0 && first->verdict == ABUT_FIRST_OVERLAPPING)
            complain(s, "apart at the start, first says overlapping");
        bool may = lists->count > INTERVALS, must = false;
        for (size_t k = 0; k < lists->count && k < INTERVALS; ++k) {
            may = may || (list[k].enter.lo <= t && t <= list[k].exit.hi);
            must = must || (list[k].enter.hi <= t && t <= list[k].exit.lo);
        }
        if (sign[i] < 0 && !may)
            complain(s, "t %.17g: meeting, but in no interval", t);
        if (sign[i] > 0 && must && sure)
            complain(s, "t %.17g: apart, but in an interval", t);
    }
    if (first->verdict == ABUT_FIRST_SEPARATE && sure && lists->count > 0 &&
        list[0].enter.hi < list[0].exit.lo)
        complain(s, "first says separate, intervals from %.17g on", list[0].enter.lo);
    if (certain && sure && first->verdict == ABUT_FIRST_CONTACT && first->time.lo > s->t0) {
        if (lists->count == 0)
            complain(s, "first contact at %.17g, no intervals", first->time.lo);
        else if (list[0].enter.lo > first->time.hi ||
                 (list[0].enter.hi < first->time.lo && list[0].enter.hi > s->t0 &&
                  list[0].exit.lo > list[0].enter.hi))
            complain(s, "first contact in [%.17g, %.17g], intervals from [%.17g, %.17g] on", first->time.lo,
                     first->time.hi, list[0].enter.lo, list[0].enter.hi);
    }
    for (size_t k = 0; k < lists->count && k < INTERVALS && sure; ++k)
        if (list[k].enter.hi < list[k].exit.lo) {
            const double t = 0.5 * list[k].enter.hi + 0.5 * list[k].exit.lo, gap = apart_at(s, t);
            if (gap > 1e-6 * s->size + 10 * blur_of(s))
                complain(s, "contact from %.17g to %.17g, but %g apart between", list[k].enter.hi,
                         list[k].exit.lo, gap);
        }
    for (size_t k = 0; k < lists->count && k + 1 < INTERVALS; ++k) { /* between two of them */
        const double from = list[k].exit.hi, to = k + 1 < lists->count ? list[k + 1].enter.lo : s->t1;
        const double t = 0.5 * from + 0.5 * to, in = from < to ? deep_at(s, t) : 0;
        if (in > 1e-6 * s->size + blur_of(s))
            complain(s, "no contact from %.17g to %.17g, but %g deep between", from, to, in);
    }
}

static void move(const moving *s, test_random *random)
{
    abut_first_result first, swapped;
    abut_intervals_result lists;
    abut_contact_interval list[INTERVALS];
    int sign[INSTANTS];
    for (int i = 0; i < INSTANTS; ++i)
        sign[i] = check_at(s, s->t0 + (s->t1 - s->t0) * i / (double)(INSTANTS - 1), false, random);
    double start = now();
    abut_status status =
        abut_first_contact(s->shape[0], s->motion[0], s->shape[1], s->motion[1], NULL, NULL, &first);
    note_time(s, 1, now() - start, 0);
    if (status) {
        complain(s, "first: %s", abut_status_text(status));
        return;
    }
    start = now();
    status = abut_contact_intervals(s->shape[0], s->motion[0], s->shape[1], s->motion[1], NULL, NULL, list,
                                    INTERVALS, &lists);
    note_time(s, 2, now() - start, 0);
    if (status) {
        complain(s, "intervals: %s", abut_status_text(status));
        return;
    }
    ++all.firsts;
    all.first_open += first.verdict == ABUT_FIRST_UNDECIDED;
    ++all.lists;
    all.doubtful += !is_proved(lists.proof);
    if (getenv("ABUT_PAIRS_OPEN") && (first.verdict == ABUT_FIRST_UNDECIDED || !is_proved(lists.proof)))
        print_message("doubtful: case %" PRIu64 ", %s against %s, %s: first %d [%.9g, %.9g], %zu intervals\n",
                      s->number, patchwork_name(s->body[0].kind), patchwork_name(s->body[1].kind), s->kind,
                      (int)first.verdict, first.time.lo, first.time.hi, lists.count);
    judge_first(s, &first);
    judge_lists(s, &first, &lists, list, sign);
    if (abut_first_contact(s->shape[1], s->motion[1], s->shape[0], s->motion[0], NULL, NULL, &swapped))
        complain(s, "first, swapped: fails");
    else if (is_proved(first.proof) && is_proved(swapped.proof) && first.verdict != ABUT_FIRST_UNDECIDED &&
             swapped.verdict != ABUT_FIRST_UNDECIDED &&
             (first.verdict != swapped.verdict || first.time.lo > swapped.time.hi ||
              first.time.hi < swapped.time.lo))
        complain(s, "first %d in [%.17g, %.17g], swapped %d in [%.17g, %.17g]", (int)first.verdict,
                 first.time.lo, first.time.hi, (int)swapped.verdict, swapped.time.lo, swapped.time.hi);
}

/* ---- cases ---- */

static double random_number(void *ctx, double lo, double hi)
{
    return test_uniform(ctx, lo, hi);
}

static abut_quat random_turn(test_random *r, bool quarters)
{
    abut_quat q;
    double n;
    do {
        q = (abut_quat){ test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                         test_uniform(r, -1, 1) };
        n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    } while (n < 0.1 || n > 1);
    static const abut_quat plain[4] = { { 1, 0, 0, 0 }, { 1, 1, 0, 0 }, { 1, 0, 1, 0 }, { 0, 0, 0, 1 } };
    if (quarters)
        return plain[test_below(r, 4)];
    return (abut_quat){ q.w / n, q.x / n, q.y / n, q.z / n };
}

static abut_placement random_place(test_random *r, double spread, double far, bool quarters)
{
    abut_pose p = { { test_uniform(r, -spread, spread), test_uniform(r, -spread, spread),
                      test_uniform(r, -spread, spread) },
                    random_turn(r, quarters) };
    if (quarters) {
        p.position.x = round(4 * p.position.x / spread) * spread / 4;
        p.position.y = round(4 * p.position.y / spread) * spread / 4;
    }
    p.position.x += far;
    p.position.y -= 0.5 * far;
    return abut_placement_from_pose(p);
}

/* Kinds that may be stretched, and are judged then. */
static bool may_stretch(int kind)
{
    const char *name = patchwork_name(kind);
    static const char *const some[] = { "convex",    "mesh",  "mesh, solid", "polyhedron",
                                        "ellipsoid", "torus", "bezier" };
    for (size_t i = 0; i < sizeof some / sizeof *some; ++i)
        if (strcmp(name, some[i]) == 0)
            return true;
    return false;
}

static void open_motion(moving *s, int i, test_random *r, double spread, int way)
{
    const double far = s->far;
    const bool quarters = way == 3;
    abut_placement from = random_place(r, spread, far, quarters), to = random_place(r, spread, far, quarters);
    abut_status status;
    s->place[i] = from;
    if (!s->over_time) {
        status = s->stretched && i == 0 ? ABUT_OK : abut_motion_create_static(&from, NULL, &s->own[i], NULL);
    } else {
        const unsigned k = test_below(r, 4);
        const double d = s->t1 - s->t0, w = test_uniform(r, -3, 3) / d, u = 2 * s->size / d;
        const abut_vec3 linear = { test_uniform(r, -u, u), test_uniform(r, -u, u), test_uniform(r, -u, u) },
                        angular = { w, test_uniform(r, -1, 1) / d, 0.5 * w };
        if (k == 0)
            status =
                abut_motion_create_velocity(s->t0, s->t1, &from, linear, angular, NULL, &s->own[i], NULL);
        else if (k == 1)
            status = abut_motion_create_screw(s->t0, s->t1, &from, &to, NULL, &s->own[i], NULL);
        else if (k == 2)
            status = abut_motion_create_nlerp(s->t0, s->t1, &from, &to, NULL, &s->own[i], NULL);
        else
            status = abut_motion_create_linear(s->t0, s->t1, &from, &to, NULL, &s->own[i], NULL);
    }
    if (status == ABUT_ERR_VALUE)
        status = abut_motion_create_static(&from, NULL, &s->own[i], NULL);
    assert_int_equal(status, ABUT_OK);
    s->motion[i] = s->own[i];
}

/* b to where the points that were found meet. */
static void let_touch(moving *s)
{
    abut_check_result r;
    abut_placement at = s->place[1];
    if (abut_check_at(s->shape[0], s->motion[0], s->shape[1], s->motion[1], 0, NULL, NULL, &r) ||
        !r.has_points)
        return;
    abut_motion *moved = NULL;
    const abut_vec3 d = { r.point_b.x - r.point_a.x, r.point_b.y - r.point_a.y, r.point_b.z - r.point_a.z };
    const double sign = r.verdict == ABUT_PENETRATING ? -1 : 1;
    at.position.x -= sign * d.x;
    at.position.y -= sign * d.y;
    at.position.z -= sign * d.z;
    if (abut_motion_create_static(&at, NULL, &moved, NULL))
        return;
    abut_motion_release(s->own[1]);
    s->motion[1] = s->own[1] = moved;
}

static void run_case(uint64_t number, bool over_time)
{
    test_random r = test_seed(number * 7919 + 17 + over_time);
    static const double sizes[] = { 1, 1, 1, 1, 1e-6, 1e6 };
    static const struct {
        double t0, t1;
    } times[] = { { 0, 1 }, { 0, 1 }, { 1000, 1001 }, { -5, -4.9 }, { 1e6, 1e6 + 100 } };
    static char shape[2][TEXT], text[3 * TEXT];
    const int pair = (int)(number * 101 % PAIRS),
              kind[2] = { pair / PATCHWORK_KINDS, pair % PATCHWORK_KINDS };
    const int way = (int)test_below(&r, 8), when = (int)test_below(&r, 5);
    moving s = { .number = number,
                 .size = sizes[test_below(&r, 6)],
                 .t0 = times[when].t0,
                 .t1 = times[when].t1,
                 .over_time = over_time };
    s.kind = way == 0 ? "far" : way == 1 ? "nested" : way == 2 ? "touching" : way == 3 ? "aligned" : "near";
    s.far = way == 0 ? 1e3 * s.size : 0;
    for (int i = 0; i < 2; ++i)
        patchwork_random(kind[i], way == 1 && i ? 0.15 * s.size : s.size, random_number, &r, &s.body[i],
                         shape[i], TEXT);
    s.stretched = way == 4 && !over_time && may_stretch(kind[0]);
    s.map.linear.m[0][0] = s.map.linear.m[1][1] = s.map.linear.m[2][2] = 1;
    for (int i = 0; i < 9 && s.stretched; ++i)
        s.map.linear.m[i / 3][i % 3] += test_uniform(&r, -0.4, 0.4);
    s.kind = s.stretched ? "stretched" : s.kind;
    double(*m)[3] = s.map.linear.m;
    (void)snprintf(text, sizeof text,
                   "{\"abut\":1,\"objects\":[{\"name\":\"a\",\"shape\":%s,\"pose\":{\"matrix\":[[%.17g,%.17g,"
                   "%.17g,0],[%.17g,%.17g,%.17g,0],[%.17g,%.17g,%.17g,0]]}},{\"name\":\"b\",\"shape\":%s}]}",
                   shape[0], m[0][0], m[0][1], m[0][2], m[1][0], m[1][1], m[1][2], m[2][0], m[2][1], m[2][2],
                   shape[1]);
    if (!s.stretched) /* most shapes take no matrix */
        (void)snprintf(
            text, sizeof text,
            "{\"abut\":1,\"objects\":[{\"name\":\"a\",\"shape\":%s},{\"name\":\"b\",\"shape\":%s}]}",
            shape[0], shape[1]);
    abut_scene *scene;
    abut_error error;
    const abut_status status = abut_scene_parse(text, strlen(text), "pair", NULL, &scene, &error);
    if (status) { /* an expression with no surface in it, and the like */
        complain(&s, "%s: %s\n%s", error.path, error.text, text);
        return;
    }
    const double spread = s.size * (way == 1 ? 0.3 : test_uniform(&r, 0.3, 1.6));
    for (int i = 0; i < 2; ++i) {
        s.shape[i] = abut_scene_get_object(scene, (size_t)i).shape;
        open_motion(&s, i, &r, spread, way);
    }
    if (s.stretched)
        s.motion[0] = abut_scene_get_object(scene, 0).motion;
    if (way == 2 && !over_time)
        let_touch(&s);
    for (int i = 0; i < 2 && getenv("ABUT_PAIRS_ONLY"); ++i) {
        const abut_pose p = abut_placement_to_pose(&s.place[i]);
        print_message(
            "%s%s,\"pose\":{\"position\":[%.17g,%.17g,%.17g],\"rotation\":[%.17g,%.17g,%.17g,%.17g]}}%s\n",
            i ? " {\"name\":\"b\",\"shape\":" : "{\"abut\":1,\"objects\":[\n {\"name\":\"a\",\"shape\":",
            shape[i], p.position.x, p.position.y, p.position.z, p.rotation.w, p.rotation.x, p.rotation.y,
            p.rotation.z, i ? "]}" : ",");
    }
    if (over_time)
        move(&s, &r);
    else
        (void)check_at(&s, 0, true, &r);
    for (int i = 0; i < 2; ++i)
        abut_motion_release(s.own[i]);
    abut_scene_destroy(scene);
}

static void run(bool over_time, uint64_t full)
{
    const char *only = getenv("ABUT_PAIRS_ONLY"), *first = getenv("ABUT_PAIRS_FROM");
    const uint64_t from = only    ? strtoull(only, NULL, 10)
                          : first ? strtoull(first, NULL, 10)
                                  : 1,
                   count = only ? 1 : test_count(full);
    memset(&all, 0, sizeof all);
    for (uint64_t i = from; i < from + count; ++i)
        run_case(i, over_time);
    print_message("%" PRIu64 " instants (%" PRIu64 " judged), %" PRIu64 " open; %" PRIu64 " first, %" PRIu64
                  " undecided; %" PRIu64 " lists, %" PRIu64 " within tolerance; %" PRIu64 " depths, %" PRIu64
                  " not known\n",
                  all.checks, all.judged, all.open, all.firsts, all.first_open, all.lists, all.doubtful,
                  all.depths, all.no_depth);
    print_message("longest: check %.3f s, first %.3f s, intervals %.3f s; above 100 ms: %" PRIu64 ", %" PRIu64
                  ", %" PRIu64 "; sums %.1f, %.1f, %.1f s\n",
                  all.longest[0], all.longest[1], all.longest[2], all.slow[0], all.slow[1], all.slow[2],
                  all.total[0], all.total[1], all.total[2]);
    TEST_CHECK(all.wrong == 0, "%" PRIu64 " contradictions", all.wrong);
    if (!only)
        TEST_CHECK(20 * all.open <= all.checks + 20, "%" PRIu64 " of %" PRIu64 " open", all.open, all.checks);
}

static void pairs_at_rest(void **state)
{
    (void)state;
    run(false, 240);
}

static void pairs_that_move(void **state)
{
    (void)state;
    run(true, 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(pairs_at_rest), cmocka_unit_test(pairs_that_move) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
