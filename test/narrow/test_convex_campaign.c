/* SPDX-License-Identifier: MIT */
/* Every pair of convex types through the public interface, against the referee of
 * oracle/convex_pair.h: random and adversarial placements (touching to 1e-15, parallel, coplanar,
 * concentric, contained, tiny, thin, 1e-150 to 1e150). No certified verdict or enclosure may be
 * wrong; enclosures are narrow, normals part the bodies, the order of the two and a cache change
 * nothing.
 *
 * Failures are gathered by kind and pair of types, and the first of each is printed as a case in
 * hex floats. ABUT_TEST_SCALE=250 makes it 10^7 pairs. */
#include "abut/abut.h"
#include "oracle/convex_cases.h"

/* ---- gathering what is wrong ---- */

enum fault {
    STATUS,
    VERDICT,  /* a certified verdict that the referee refutes */
    DISTANCE, /* an enclosure that the referee refutes */
    DEPTH,
    OVERLAP,
    CLEARANCE,
    WIDE_DISTANCE,
    WIDE_DEPTH,
    WIDE_UNDECIDED,
    NO_DEPTH,
    NORMAL,
    POINTS_OFF,
    CONTACTS_OFF,
    SLOW,
    SWAPPED,
    CACHED,
    UNJUDGED,
    FAULTS
};

static const char *const fault_names[FAULTS] = { "unsupported or failed",
                                                 "VERDICT REFUTED",
                                                 "DISTANCE REFUTED",
                                                 "DEPTH REFUTED",
                                                 "OVERLAP REFUTED",
                                                 "CLEARANCE REFUTED",
                                                 "distance wider than 1e-12",
                                                 "depth wider than 1e-9",
                                                 "undecided wider than 1e-12",
                                                 "no depth",
                                                 "normal does not part them",
                                                 "points not of the bodies",
                                                 "contacts off",
                                                 "more than 200 evaluations",
                                                 "changes with the order",
                                                 "changes with the cache",
                                                 "referee undecided" };

/* The share of pairs that may have a fault: at most twice what was seen in 2 000 000 drawn pairs
 * and 4 500 000 constructed ones; none where nothing is said. Rings of least directions that are
 * exact, mostly with ellipsoids, leave the depth wide (docs/notes/depth.md); the normal of such
 * a one is not stationary, so that no points of both bodies face each other along it. Of
 * distances 3 in 7 700 000 were up to 1e-10 of the scale wide; a few pairs in 100 000 are beyond
 * the referee. */
static const double allowed_drawn[FAULTS] = { [WIDE_DISTANCE] = 8e-7,
                                              [WIDE_DEPTH] = 7.5e-5,
                                              [WIDE_UNDECIDED] = 6e-6,
                                              [POINTS_OFF] = 1.1e-3,
                                              [UNJUDGED] = 4.6e-5 };
/* One pair of boxes in 4 500 000: 1.3e-12 of a distance that is a hundredth of their size. */
static const double allowed_constructed[FAULTS] = { [WIDE_DISTANCE] = 5e-7 };

static uint64_t faults[FAULTS][TYPES][TYPES];
static uint64_t asked, asked_random, undecided, undecided_random;

static void print_body(const char *name, const item *it)
{
    const oracle_body *b = &it->body;
    print_error("  %s: %s core %d h { %a, %a, %a } offset %a radius %a margin %a flat %d\n", name,
                type_names[it->type], b->core, b->h.x, b->h.y, b->h.z, b->offset, b->radius, b->margin,
                b->flat);
    for (size_t i = 0; b->core == ORACLE_CORE_POINTS && i < b->count; ++i)
        print_error("    { %a, %a, %a },\n", b->points[i].x, b->points[i].y, b->points[i].z);
}

static void print_pose(const char *name, abut_pose p)
{
    print_error("  abut_pose %s = { { %a, %a, %a }, { %a, %a, %a, %a } };\n", name, p.position.x,
                p.position.y, p.position.z, p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z);
}

/* Counts it; the first of its kind and pair of types is printed. */
__attribute__((format(printf, 3, 4))) static void blame(const query *q, enum fault fault, const char *format,
                                                        ...)
{
    if (faults[fault][q->a->type][q->b->type]++ > 0)
        return;
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_error("%s: %s - %s (case %" PRIu64 "): %s\n", fault_names[fault], type_names[q->a->type],
                type_names[q->b->type], asked, text);
    print_body("a", q->a);
    print_body("b", q->b);
    print_pose("pose_a", q->pair.pose_a);
    print_pose("pose_b", q->pair.pose_b);
}

/* ---- claims and their judging ---- */

typedef struct claim {
    enum fault fault;
    long double lo, hi; /* of the gap */
} claim;

#define CLAIMS 12

typedef struct claims {
    int count;
    claim list[CLAIMS];
} claims;

static void add_claim(claims *c, enum fault fault, long double lo, long double hi)
{
    c->list[c->count++] = (claim){ fault, lo, hi };
}

static void claim_verdict(claims *c, enum fault fault, abut_verdict verdict, bool flat, double from)
{
    const long double least = LDBL_TRUE_MIN, far = HUGE_VALL, base = from;
    switch (verdict) {
    case ABUT_SEPARATE: add_claim(c, fault, from > 0 ? base : least, far); break;
    case ABUT_TOUCHING: add_claim(c, fault, flat && from == 0 ? -far : base, base); break;
    case ABUT_PENETRATING:
        add_claim(c, fault, flat && from == 0 ? far : -far, from > 0 ? base : -least);
        break;
    case ABUT_UNDECIDED: break;
    }
}

static void claim_distance(claims *c, abut_verdict verdict, abut_interval d)
{
    if (verdict == ABUT_SEPARATE)
        add_claim(c, DISTANCE, d.lo, d.hi);
    else if (verdict == ABUT_UNDECIDED)
        add_claim(c, DISTANCE, -HUGE_VALL, d.hi);
    else if (d.lo != 0 || d.hi != 0)
        add_claim(c, DISTANCE, HUGE_VALL, -HUGE_VALL);
}

static void claim_depth(claims *c, const abut_check_result *r)
{
    if (r->verdict == ABUT_PENETRATING && r->has_depth)
        add_claim(c, DEPTH, -(long double)r->depth.hi, -(long double)r->depth.lo);
    else if (r->verdict == ABUT_UNDECIDED && r->depth.hi < INFINITY)
        add_claim(c, DEPTH, -(long double)r->depth.hi, HUGE_VALL);
}

static bool is_refuted(const claim *c, const oracle_gap *g)
{
    return g->hi < c->lo || g->lo > c->hi;
}

/* The referee is good to 1e-24: so are its upper bounds of gaps that are to be 0 at most. */
static bool is_accepted(const claim *c, const oracle_gap *g)
{
    const long double fine = 1e-24L * g->scale;
    return (g->lo >= c->lo && g->hi <= (c->hi == 0 ? fine : c->hi)) ||
           (!is_refuted(c, g) && g->hi - g->lo <= fine);
}

/* What the referee can do no better on: a polytope closes in on a circle of equally good
 * directions by the square of its facets only, as do simplices on a line of contact. Not refuted
 * by any direction it tried, then. */
static bool is_weak(const claim *c, const oracle_gap *g)
{
    return !is_refuted(c, g) && g->hi - g->lo <= (g->hi < -1e-9L * g->scale ? 1e-3L : 1e-14L) * g->scale;
}

static bool all_judged(const claims *c, const oracle_gap *g)
{
    for (int i = 0; i < c->count; ++i)
        if (!is_refuted(&c->list[i], g) && !is_accepted(&c->list[i], g))
            return false;
    return true;
}

static uint64_t thorough, quads, weak;

static oracle_gap judge(const query *q, const claims *c, const abut_vec3 *hints, int hint_count)
{
    long double lo = -HUGE_VALL, hi = HUGE_VALL;
    for (int i = 0; i < c->count; ++i) {
        lo = fmaxl(lo, c->list[i].lo);
        hi = fminl(hi, c->list[i].hi);
    }
    if (lo > hi) {
        lo = HUGE_VALL; /* they contradict each other: as narrow as can be */
        hi = -HUGE_VALL;
    }
    oracle_gap gap = oracle_convex_gap(&q->pair, hints, hint_count, ORACLE_QUICK, lo, hi);
    if (!all_judged(c, &gap)) {
        ++thorough;
        gap = oracle_convex_gap(&q->pair, hints, hint_count, ORACLE_THOROUGH, lo, hi);
    }
    if (!all_judged(c, &gap)) {
        ++quads;
        gap = oracle_convex_gap(&q->pair, hints, hint_count, ORACLE_QUAD, lo, hi);
    }
    for (int i = 0; i < c->count; ++i) {
        const claim *one = &c->list[i];
        if (is_accepted(one, &gap))
            continue;
        if (is_weak(one, &gap)) {
            ++weak;
            break;
        }
        blame(q, is_refuted(one, &gap) ? one->fault : UNJUDGED,
              "claimed [%.20Lg, %.20Lg], true [%.20Lg, %.20Lg], scale %Lg", one->lo, one->hi, gap.lo, gap.hi,
              gap.scale);
        if (!is_refuted(one, &gap))
            break;
    }
    return gap;
}

/* ---- the checks ---- */

#define GAP_FORMAT "distance [%.17g, %.17g] depth [%.17g, %.17g]"
#define GAP_OF(r)  (r)->distance.lo, (r)->distance.hi, (r)->depth.lo, (r)->depth.hi

static void check_width(const query *q, const abut_check_result *r, double scale, bool flat)
{
    const double distance = r->distance.hi - r->distance.lo, depth = r->depth.hi - r->depth.lo;
    if (r->verdict == ABUT_SEPARATE && !(distance <= 1e-12 * scale))
        blame(q, WIDE_DISTANCE, GAP_FORMAT " scale %g", GAP_OF(r), scale);
    if (r->verdict == ABUT_PENETRATING && !flat && !r->has_depth)
        blame(q, NO_DEPTH, GAP_FORMAT, GAP_OF(r));
    if (r->verdict == ABUT_PENETRATING && r->has_depth && !(depth <= 1e-9 * r->depth.hi + 1e-12 * scale))
        blame(q, WIDE_DEPTH, GAP_FORMAT " scale %g", GAP_OF(r), scale);
    if (r->verdict == ABUT_UNDECIDED && !(r->distance.hi + r->depth.hi <= 1e-12 * scale))
        blame(q, WIDE_UNDECIDED, GAP_FORMAT " scale %g", GAP_OF(r), scale);
}

static double length3(abut_vec3 v)
{
    const double most = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    if (!(most > 0))
        return most;
    const double x = v.x / most, y = v.y / most, z = v.z / most;
    return most * sqrt(x * x + y * y + z * z);
}

static abut_vec3 minus3(abut_vec3 a, abut_vec3 b)
{
    return (abut_vec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

static void check_normal(const query *q, const abut_check_result *r, double scale)
{
    if (r->verdict == ABUT_UNDECIDED)
        return;
    if (!r->has_normal) {
        if (r->verdict != ABUT_TOUCHING)
            blame(q, NORMAL, "none");
        return;
    }
    const double length = length3(r->normal);
    long double error;
    const long double s = oracle_convex_separation(&q->pair, r->normal, &error);
    const double slack = 1e-10 * scale;
    bool parts = true;
    if (r->verdict == ABUT_SEPARATE)
        parts = s >= r->distance.lo - slack;
    else if (r->has_depth)
        parts = -s >= r->depth.lo - slack && -s <= r->depth.hi + slack;
    if (!(fabs(length - 1) <= 1e-14) || !parts)
        blame(q, NORMAL, "{ %.17g, %.17g, %.17g }, length - 1 = %g, parts them by %.20Lg, " GAP_FORMAT,
              r->normal.x, r->normal.y, r->normal.z, length - 1, s, GAP_OF(r));
}

/* Is the point within slack of the body? */
static bool is_of(const item *it, abut_pose pose, abut_vec3 point, long double slack)
{
    const abut_vec3 origin = { 0, 0, 0 };
    const oracle_body body = { .core = ORACLE_CORE_POINTS, .points = &origin, .count = 1 };
    const oracle_convex pair = { &it->body, &body, pose, { point, { 1, 0, 0, 0 } } };
    return oracle_convex_gap(&pair, NULL, 0, ORACLE_QUICK, -HUGE_VALL, slack).lo <= slack;
}

/* Where the contact is shallow against the curvature, points are as good as the root of the
 * depth's accuracy. */
static void check_points(const query *q, const abut_check_result *r, double scale)
{
    if (!r->has_points) {
        if (r->verdict == ABUT_SEPARATE)
            blame(q, POINTS_OFF, "none");
        return;
    }
    const double slack = 1e-4 * scale, fine = 1e-9 * scale + 1e-14 * length3(q->pair.pose_a.position);
    const double apart = length3(minus3(r->point_b, r->point_a));
    bool right = true;
    if (r->verdict == ABUT_SEPARATE) {
        right = apart >= r->distance.lo - fine && apart <= r->distance.hi + fine;
    } else if (r->verdict == ABUT_UNDECIDED || r->has_depth) {
        /* b's point moved out by the depth meets a's. */
        const double depth = r->has_depth ? r->depth.hi : 0;
        const abut_vec3 n = r->normal, p = r->point_b;
        const abut_vec3 moved = { p.x + depth * n.x, p.y + depth * n.y, p.z + depth * n.z };
        right = length3(minus3(moved, r->point_a)) <= slack;
    }
    if (!right || !is_of(q->a, q->pair.pose_a, r->point_a, slack) ||
        !is_of(q->b, q->pair.pose_b, r->point_b, slack))
        blame(q, POINTS_OFF,
              "%s a { %.17g, %.17g, %.17g } b { %.17g, %.17g, %.17g } apart %.17g, " GAP_FORMAT,
              abut_verdict_name(r->verdict), r->point_a.x, r->point_a.y, r->point_a.z, r->point_b.x,
              r->point_b.y, r->point_b.z, apart, GAP_OF(r));
}

static void check_contacts(const query *q, const abut_check_result *r, double scale, double overlap)
{
    const double slack = 1e-6 * scale + 1e-14 * length3(q->pair.pose_a.position) + overlap;
    const bool meeting = r->verdict == ABUT_TOUCHING || r->verdict == ABUT_PENETRATING;
    if (r->contact_count < meeting || r->contact_count > (meeting ? ABUT_CHECK_CONTACTS : 0)) {
        blame(q, CONTACTS_OFF, "%d of them, %s", r->contact_count, abut_verdict_name(r->verdict));
        return;
    }
    for (int i = 0; i < r->contact_count; ++i) {
        const abut_contact *c = &r->contacts[i];
        if (!(fabs(length3(c->normal) - 1) <= 1e-14) || !is_of(q->a, q->pair.pose_a, c->point, slack) ||
            !is_of(q->b, q->pair.pose_b, c->point, slack)) {
            blame(q, CONTACTS_OFF,
                  "%d of %d { %.17g, %.17g, %.17g } normal { %.17g, %.17g, %.17g }, " GAP_FORMAT, i,
                  r->contact_count, c->point.x, c->point.y, c->point.z, c->normal.x, c->normal.y, c->normal.z,
                  GAP_OF(r));
            return;
        }
    }
}

static bool meets(abut_verdict v)
{
    return v == ABUT_TOUCHING || v == ABUT_PENETRATING;
}

static void check_same(const query *q, enum fault fault, const abut_check_result *r,
                       const abut_check_result *other)
{
    if (r->verdict != ABUT_UNDECIDED && other->verdict != ABUT_UNDECIDED && r->verdict != other->verdict)
        blame(q, fault, "%s " GAP_FORMAT " and %s " GAP_FORMAT, abut_verdict_name(r->verdict), GAP_OF(r),
              abut_verdict_name(other->verdict), GAP_OF(other));
}

static void ask(const query *q, uint64_t number)
{
    abut_check_result r, swapped, cached;
    abut_overlap_result o, oc;
    abut_distance_result d;
    abut_cache cache = { 0 };
    abut_check_opts with_cache;
    abut_overlap_opts with_clearance;
    abut_check_opts_init(&with_cache);
    with_cache.cache = &cache;
    const abut_pose *pa = &q->pair.pose_a, *pb = &q->pair.pose_b;
    const abut_shape *a = q->a->shape, *b = q->b->shape;
    ++asked;
    asked_random += q->random;
    abut_status status = abut_check(a, pa, b, pb, NULL, NULL, &r);
    if (!status)
        status = abut_check(b, pb, a, pa, NULL, NULL, &swapped);
    if (!status)
        status = abut_overlap(a, pa, b, pb, NULL, NULL, &o);
    if (!status)
        status = abut_distance(a, pa, b, pb, NULL, NULL, &d);
    for (int i = 0; i < 2 && !status; ++i)
        status = abut_check(a, pa, b, pb, &with_cache, NULL, &cached);
    abut_overlap_opts_init(&with_clearance);
    static const double near[] = { 0.5, 1 - 1e-9, 1, 1 + 1e-9, 2 };
    if (!status) {
        with_clearance.clearance = r.verdict == ABUT_SEPARATE ? r.distance.hi * near[number % 5] : q->a->size;
        if (with_clearance.clearance > 0x1p1000)
            with_clearance.clearance = 0;
        status = abut_overlap(a, pa, b, pb, &with_clearance, NULL, &oc);
    }
    if (status) {
        blame(q, STATUS, "%s", abut_status_name(status));
        return;
    }
    const bool flat = q->a->body.flat || q->b->body.flat;
    claims c = { 0 };
    claim_verdict(&c, VERDICT, r.verdict, flat, 0);
    claim_distance(&c, r.verdict, r.distance);
    claim_depth(&c, &r);
    claim_verdict(&c, SWAPPED, swapped.verdict, flat, 0);
    claim_distance(&c, swapped.verdict, swapped.distance);
    claim_depth(&c, &swapped);
    claim_verdict(&c, OVERLAP, o.verdict, flat, 0);
    claim_distance(&c, d.verdict, d.distance);
    claim_verdict(&c, CLEARANCE, oc.verdict, flat, with_clearance.clearance);
    claim_distance(&c, cached.verdict, cached.distance);
    claim_depth(&c, &cached);
    const abut_vec3 hints[3] = { r.normal,
                                 { -swapped.normal.x, -swapped.normal.y, -swapped.normal.z },
                                 cached.normal };
    const oracle_gap gap = judge(q, &c, hints, r.has_normal ? (number % 8 ? 1 : 3) : 0);
    const double scale = (double)gap.scale;
    if (r.verdict == ABUT_UNDECIDED) {
        ++undecided;
        undecided_random += q->random;
    }
    check_width(q, &r, scale, flat);
    check_normal(q, &r, scale);
    check_same(q, SWAPPED, &r, &swapped);
    check_same(q, CACHED, &r, &cached);
    if (meets(o.verdict) != meets(r.verdict) && o.verdict != ABUT_UNDECIDED && r.verdict != ABUT_UNDECIDED)
        blame(q, OVERLAP, "not as abut_check");
    if (r.counters.evaluations > 200 || o.counters.evaluations > 200 || d.counters.evaluations > 200 ||
        cached.counters.evaluations > 200)
        blame(q, SLOW, "check %" PRIu64 " overlap %" PRIu64 " distance %" PRIu64, r.counters.evaluations,
              o.counters.evaluations, d.counters.evaluations);
    if (number % 8 == 0) {
        check_points(q, &r, scale);
        check_contacts(q, &r, scale, fmax(0, -(double)gap.lo));
    }
}

static void finish_campaign(const double *allowed)
{
    bool failed = false;
    for (int f = 0; f < FAULTS; ++f) {
        uint64_t all = 0;
        for (int i = 0; i < TYPES; ++i)
            for (int k = 0; k < TYPES; ++k)
                all += faults[f][i][k];
        if (all == 0)
            continue;
        print_error("%s: %" PRIu64 " of %" PRIu64 " pairs:", fault_names[f], all, asked);
        for (int i = 0; i < TYPES; ++i)
            for (int k = 0; k < TYPES; ++k)
                if (faults[f][i][k])
                    print_error(" %s-%s %" PRIu64, type_names[i], type_names[k], faults[f][i][k]);
        print_error("\n");
        failed |= (double)all > allowed[f] * (double)asked;
    }
    print_message("%" PRIu64 " pairs (%" PRIu64 " random), undecided %" PRIu64 " (%" PRIu64
                  " of the random), %" PRIu64 " judged thoroughly, %" PRIu64 " in 113 bits, %" PRIu64
                  " within 1e-3 only\n",
                  asked, asked_random, undecided, undecided_random, thorough, quads, weak);
    failed |= undecided_random * 100000 > asked_random || weak * 50 > asked;
    memset(faults, 0, sizeof faults);
    asked = asked_random = undecided = undecided_random = thorough = quads = weak = 0;
    if (failed)
        fail();
}

static void campaign(void **state)
{
    (void)state;
    const uint64_t count = test_count(40000);
    const char *only = getenv("ABUT_CAMPAIGN_PAIR"); /* "box-cone": these types only */
    /* number of the first case, a multiple of 4096 */
    const char *begin = getenv("ABUT_CAMPAIGN_FIRST");
    const uint64_t first = begin ? strtoull(begin, NULL, 10) / 4096 * 4096 : 0;
    for (uint64_t i = first; i < first + count; ++i) {
        test_random r = test_seed(i);
        if (i % 4096 == 0) {
            test_random p = test_seed(i ^ 0x5eed);
            fill_pool(&p);
        }
        query q;
        draw_query(&r, &q);
        if (only) {
            char name[40];
            snprintf(name, sizeof name, "%s-%s", type_names[q.a->type], type_names[q.b->type]);
            if (strcmp(name, only) != 0)
                continue;
        }
        ask(&q, i);
    }
    empty_pool();
    finish_campaign(allowed_drawn);
}

/* ---- tangent pairs moved by 1 % of their size ---- */

/* Bodies of 20 cm, 2 mm apart or into each other, and the same at 1e-4 to 1e4 of that: the
 * distance is good to 1e-12 of itself, the depth to 1e-9. */
static void ask_constructed(test_random *r, const item *a, const item *b, double unit, bool apart)
{
    query q = {
        a,
        b,
        { &a->body, &b->body, { { 0, 0, 0 }, random_rotation(r) }, { { 0, 0, 0 }, random_rotation(r) } },
        false
    };
    const abut_vec3 random = random_direction(r);
    long double n[3] = { random.x, random.y, random.z };
    if (test_below(r, 2))
        world_axis(r, test_below(r, 2) ? q.pair.pose_a.rotation : q.pair.pose_b.rotation, n);
    q.pair.pose_b.position = touching_place(&q, n, (apart ? .01L : -.01L) * unit);
    abut_check_result c;
    abut_distance_result d;
    ++asked;
    if (abut_check(a->shape, &q.pair.pose_a, b->shape, &q.pair.pose_b, NULL, NULL, &c) != ABUT_OK ||
        abut_distance(a->shape, &q.pair.pose_a, b->shape, &q.pair.pose_b, NULL, NULL, &d) != ABUT_OK) {
        blame(&q, STATUS, "constructed");
        return;
    }
    const bool flat = a->body.flat || b->body.flat, moot = flat && c.verdict == ABUT_TOUCHING;
    claims list = { 0 };
    claim_verdict(&list, VERDICT, c.verdict, flat, 0);
    claim_distance(&list, c.verdict, c.distance);
    claim_depth(&list, &c);
    claim_distance(&list, d.verdict, d.distance);
    judge(&q, &list, &c.normal, 1);
    const oracle_gap gap = oracle_convex_gap(&q.pair, &c.normal, 1, ORACLE_QUICK, HUGE_VALL, -HUGE_VALL);
    if (fabsl(gap.lo) < 1e-6L * gap.scale)
        return; /* moved along an edge */
    if (c.verdict == ABUT_UNDECIDED || (c.verdict != ABUT_SEPARATE && !c.has_depth && !moot))
        blame(&q, NO_DEPTH, "%s " GAP_FORMAT, abut_verdict_name(c.verdict), GAP_OF(&c));
    if (c.verdict == ABUT_SEPARATE) {
        const double middle = c.distance.lo + (c.distance.hi - c.distance.lo) / 2;
        const double again = d.distance.lo + (d.distance.hi - d.distance.lo) / 2;
        if (!(fmaxl(fabsl(middle - gap.lo), fabsl(again - gap.lo)) <= 1e-12L * fmaxl(gap.lo, .01L * unit)))
            blame(&q, WIDE_DISTANCE, "constructed: " GAP_FORMAT ", true %.20Lg", GAP_OF(&c), gap.lo);
    } else if (c.has_depth && !((c.depth.hi - c.depth.lo) / 2 <= 1e-9L * fmaxl(-gap.lo, .01L * unit))) {
        blame(&q, WIDE_DEPTH, "constructed: " GAP_FORMAT ", true %.20Lg", GAP_OF(&c), -gap.lo);
    }
}

static void constructed(void **state)
{
    (void)state;
    const uint64_t rounds = test_count(4);
    for (uint64_t round = 0; round < rounds; ++round)
        for (int e = -4; e <= 4; ++e) {
            const double unit = .2 * pow(10, e);
            test_random r = test_seed(round * 100 + (uint64_t)(e + 50));
            static item items[TYPES];
            for (int t = 0; t < HALFSPACE; ++t) {
                make_item(&r, (enum type)t, ORDINARY, unit, &items[t]);
                if (items[t].body.core == ORACLE_CORE_POINTS)
                    items[t].body.points = items[t].points;
            }
            for (int a = 0; a < HALFSPACE; ++a)
                for (int b = 0; b < HALFSPACE; ++b) {
                    ask_constructed(&r, &items[a], &items[b], unit, true);
                    ask_constructed(&r, &items[a], &items[b], unit, false);
                }
            for (int t = 0; t < HALFSPACE; ++t)
                abut_shape_release(items[t].shape);
        }
    finish_campaign(allowed_constructed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(campaign),
        cmocka_unit_test(constructed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
