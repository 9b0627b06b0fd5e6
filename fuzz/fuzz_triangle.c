/* SPDX-License-Identifier: MIT */
/* Vertex-face and edge-edge contact in time (abut/triangle.h): the first byte chooses the kind,
 * 24 numbers are the corners. A number is one byte on a small grid, or a special one, or any
 * bits. What is not finite must be an error. Everything else must be decided, and the same for
 * other names of the corners and for time reversed; times are narrow, normals unit, and
 * intervals of contact begin at the first contact. */
#include "abut/triangle.h"
#include "fuzz.h"
#include "source.h"

#include <float.h>
#include <math.h>

static double next_number(source *s)
{
    static const double special[] = { 1 + 0x1p-52, 0x1p-52, -0x1p-40, 1e-8,     -1e8,      1e-300, -1e300,
                                      DBL_MIN,     5e-324,  DBL_MAX,  INFINITY, -INFINITY, NAN,    1.0 / 3 };
    const uint8_t tag = next_byte(s);
    if (tag < 240)
        return (double)(tag % 9) - 4;
    if (tag < 254)
        return special[tag - 240];
    return next_bits(s);
}

typedef struct query {
    abut_vec3 start[4], end[4];
} query;

static abut_status ask(const query *q, bool edges, const abut_impact_opts *opts, abut_impact_result *r)
{
    return edges ? abut_edge_edge_contact(q->start, q->end, opts, r)
                 : abut_vertex_face_contact(q->start, q->end, opts, r);
}

static query named(const query *q, const int order[4], bool reversed)
{
    query other;
    for (int i = 0; i < 4; ++i) {
        other.start[i] = reversed ? q->end[order[i]] : q->start[order[i]];
        other.end[i] = reversed ? q->start[order[i]] : q->end[order[i]];
    }
    return other;
}

static void require_same(const query *q, bool edges, const abut_impact_result *r)
{
    static const int orders[2][3][4] = { { { 0, 2, 3, 1 }, { 0, 3, 2, 1 }, { 0, 1, 3, 2 } },
                                         { { 2, 3, 0, 1 }, { 1, 0, 2, 3 }, { 3, 2, 1, 0 } } };
    static const int same[4] = { 0, 1, 2, 3 };
    abut_impact_result other;
    for (int i = 0; i < 3; ++i) {
        const query renamed = named(q, orders[edges][i], false);
        FUZZ_REQUIRE(ask(&renamed, edges, NULL, &other) == ABUT_OK);
        FUZZ_REQUIRE(other.verdict == r->verdict);
        FUZZ_REQUIRE(other.time.lo <= r->time.hi && r->time.lo <= other.time.hi);
    }
    const query back = named(q, same, true);
    FUZZ_REQUIRE(ask(&back, edges, NULL, &other) == ABUT_OK);
    FUZZ_REQUIRE(other.verdict == r->verdict);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source s = { data, data + size, false };
    const bool edges = next_byte(&s) & 1;
    query q;
    bool finite = true;
    for (int i = 0; i < 8; ++i) {
        const abut_vec3 v = next_vector(&s);
        finite = finite && isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
        if (i < 4)
            q.start[i] = v;
        else
            q.end[i - 4] = v;
    }
    abut_impact_result r, first;
    const abut_status status = ask(&q, edges, NULL, &r);
    FUZZ_REQUIRE(status == (finite ? ABUT_OK : ABUT_ERR_ARGUMENT));
    if (!finite) {
        FUZZ_REQUIRE(r.verdict == ABUT_FIRST_UNDECIDED && r.proof == ABUT_PROOF_NONE);
        return 0;
    }
    FUZZ_REQUIRE(r.verdict == ABUT_FIRST_CONTACT || r.verdict == ABUT_FIRST_SEPARATE);
    FUZZ_REQUIRE(r.proof == ABUT_PROOF_EXACT && r.stop == ABUT_STOP_DONE);
    require_same(&q, edges, &r);
    abut_contact_interval list[16];
    abut_impact_opts opts;
    abut_impact_opts_init(&opts);
    opts.intervals = list;
    opts.interval_capacity = 16;
    FUZZ_REQUIRE(ask(&q, edges, &opts, &first) == ABUT_OK);
    FUZZ_REQUIRE(first.verdict == r.verdict &&
                 (first.interval_count > 0) == (r.verdict == ABUT_FIRST_CONTACT));
    if (r.verdict == ABUT_FIRST_CONTACT) {
        FUZZ_REQUIRE(r.time.lo >= 0 && r.time.lo <= r.time.hi && r.time.hi <= 1);
        FUZZ_REQUIRE(nextafter(nextafter(nextafter(nextafter(r.time.lo, 2), 2), 2), 2) >= r.time.hi);
        FUZZ_REQUIRE(fabs(r.normal.x * r.normal.x + r.normal.y * r.normal.y + r.normal.z * r.normal.z - 1) <
                     1e-9);
        FUZZ_REQUIRE(isfinite(r.point.x) && isfinite(r.point.y) && isfinite(r.point.z));
        FUZZ_REQUIRE(list[0].enter.lo <= r.time.hi && list[0].enter.hi >= r.time.lo);
        for (size_t i = 0; i < first.interval_count && i < 16; ++i)
            FUZZ_REQUIRE(list[i].enter.lo <= list[i].exit.hi &&
                         (i == 0 || list[i - 1].exit.hi <= list[i].enter.lo));
        opts.intervals = NULL;
        opts.interval_capacity = 0;
        opts.t_max = r.time.hi;
        FUZZ_REQUIRE(ask(&q, edges, &opts, &first) == ABUT_OK && first.verdict == ABUT_FIRST_CONTACT);
    }
    return 0;
}
