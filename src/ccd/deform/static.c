/* SPDX-License-Identifier: MIT */
/* Two triangles at one time of the step, by signs of volumes of four corners.
 *
 * Crossing: both have corners strictly on both sides of the other's plane, and they have more than
 * a point in common. With a0 the corner of a that is alone on its side of b's plane, and b0
 * likewise, both on positive sides, they meet the line of both planes in intervals whose ends
 * compare by two volumes (O. Devillers, P. Guigue, Faster triangle-triangle intersection tests,
 * 2002). A triangle that is a segment crosses the other where it passes through its inside.
 * Triangles of one mesh with one common vertex cross where the opposite side of one passes through
 * the other. Whatever meets without crossing has a vertex on a face or an edge that meets an edge:
 * see docs/deforming.md. */
#include "ccd/deform/deform.h"

#include "abut/predicates.h"

typedef struct corner {
    const abut_deform *m;
    uint32_t v;
} corner;

typedef struct instant {
    double t;
    bool plain;   /* the corners are doubles: at the start, and exact */
    bool pierced; /* by a triangle that is a segment */
    bool unknown;
    abut_status status;
} instant;

/* Sign of det(p - s, q - s, r - s). */
static int side(instant *l, corner p, corner q, corner r, corner s)
{
    int sign = 0;
    if (l->plain)
        return abut_orient3d(p.m->x[0][p.v], q.m->x[0][q.v], r.m->x[0][r.v], s.m->x[0][s.v]);
    abut_deform_query query;
    const abut_deform *const of[4] = { p.m, q.m, r.m, s.m };
    const uint32_t vertex[4] = { p.v, q.v, r.v, s.v };
    abut_deform_set_query(&query, of, vertex, false);
    const abut_status status = abut_impact_side(&query.q, l->t, NULL, &sign);
    if (status)
        l->status = status;
    l->unknown = l->unknown || status || sign == ABUT_IMPACT_UNKNOWN;
    return sign == ABUT_IMPACT_UNKNOWN ? 0 : -sign;
}

/* Does the edge p q pass through the inside of the face, with its ends on both sides? */
static bool pierces(instant *l, corner p, corner q, const corner f[3])
{
    const int sp = side(l, f[0], f[1], f[2], p), sq = side(l, f[0], f[1], f[2], q);
    if (sp * sq >= 0)
        return false;
    const int s = side(l, p, q, f[0], f[1]);
    return s != 0 && s == side(l, p, q, f[1], f[2]) && s == side(l, p, q, f[2], f[0]);
}

static bool any_pierces(instant *l, const corner a[3], const corner b[3])
{
    for (int i = 0; i < 3; ++i)
        if (pierces(l, a[i], a[(i + 1) % 3], b) || pierces(l, b[i], b[(i + 1) % 3], a))
            return true;
    return false;
}

/* The corner that is alone on its side; -1 where there are none on one of the sides. */
static int alone(const int s[3])
{
    for (int i = 0; i < 3; ++i) {
        const int x = s[(i + 1) % 3], y = s[(i + 2) % 3];
        if (s[i] != 0 && x != s[i] && y != s[i] && (x != 0 || y != 0))
            return i;
    }
    return -1;
}

static void rotate(const corner from[3], int first, bool swap, corner to[3])
{
    to[0] = from[first];
    to[swap ? 2 : 1] = from[(first + 1) % 3];
    to[swap ? 1 : 2] = from[(first + 2) % 3];
}

static bool crosses(instant *l, const corner a[3], const corner b[3])
{
    int sa[3], sb[3];
    for (int i = 0; i < 3; ++i)
        sa[i] = side(l, b[0], b[1], b[2], a[i]);
    if (!l->unknown && (sa[0] != 0 || sa[1] != 0 || sa[2] != 0) && alone(sa) < 0)
        return false;
    for (int i = 0; i < 3; ++i)
        sb[i] = side(l, a[0], a[1], a[2], b[i]);
    if (l->unknown)
        return false;
    const bool flat_a = sb[0] == 0 && sb[1] == 0 && sb[2] == 0,
               flat_b = sa[0] == 0 && sa[1] == 0 && sa[2] == 0;
    if (flat_a || flat_b) {
        l->pierced = any_pierces(l, a, b);
        return false;
    }
    const int ia = alone(sa), ib = alone(sb);
    if (ia < 0 || ib < 0)
        return false;
    corner p[3], q[3];
    rotate(a, ia, sb[ib] < 0, p);
    rotate(b, ib, sa[ia] < 0, q);
    return side(l, p[0], p[1], q[0], q[1]) < 0 && side(l, p[0], p[2], q[2], q[0]) < 0;
}

/* Corners 0 are the same vertex: does side 1 2 of a pass through b, its edge 1 2 included? */
static bool passes(instant *l, const corner a[3], const corner b[3])
{
    const int s1 = side(l, b[0], b[1], b[2], a[1]), s2 = side(l, b[0], b[1], b[2], a[2]);
    if (s1 * s2 >= 0)
        return false;
    const int s = side(l, a[1], a[2], b[0], b[1]), far = side(l, a[1], a[2], b[1], b[2]);
    return s != 0 && s == side(l, a[1], a[2], b[2], b[0]) && far != -s;
}

static int shared_corners(const corner a[3], const corner b[3], int *in_a, int *in_b)
{
    int count = 0;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            if (a[i].m == b[k].m && a[i].v == b[k].v) {
                *in_a = i;
                *in_b = k;
                ++count;
            }
    return count;
}

static void corners_of(const abut_deform *m, uint32_t t, corner c[3])
{
    for (int i = 0; i < 3; ++i)
        c[i] = (corner){ m, m->triangles[3 * (size_t)t + (size_t)i] };
}

static bool is_exact(const abut_deform *m)
{
    return m->blur[0] == 0 && m->blur[1] == 0 && m->blur[2] == 0;
}

abut_status abut_deform_cross_at(const abut_deform *a, const abut_deform *b, uint32_t ta, uint32_t tb,
                                 double t, abut_meet *out)
{
    corner p[3], q[3], pr[3], qr[3];
    int i = 0, k = 0;
    instant l = { .t = t, .plain = t == 0 && is_exact(a) && is_exact(b) };
    corners_of(a, ta, p);
    corners_of(b, tb, q);
    const int shared = a == b ? shared_corners(p, q, &i, &k) : 0;
    bool found = false;
    if (shared == 0) {
        found = crosses(&l, p, q);
    } else if (shared == 1) {
        rotate(p, i, false, pr);
        rotate(q, k, false, qr);
        found = passes(&l, pr, qr) || passes(&l, qr, pr);
    }
    *out = found       ? ABUT_MEET_CROSS
           : l.pierced ? ABUT_MEET_TOUCH
           : l.unknown ? ABUT_MEET_UNKNOWN
                       : ABUT_MEET_NONE;
    return l.status;
}

/* ---- touching ---- */

typedef struct touch {
    bool self, unknown;
    abut_deform_counters *counters;
} touch;

static abut_status features_touch(touch *w, const abut_deform *const of[4], const uint32_t v[4], bool edges,
                                  bool *out)
{
    abut_deform_query query;
    abut_impact_opts opts;
    abut_impact_result r;
    *out = false;
    if (w->self)
        for (int i = 0; i < (edges ? 2 : 1); ++i)
            for (int k = edges ? 2 : 1; k < 4; ++k)
                if (v[i] == v[k])
                    return ABUT_OK;
    abut_deform_set_query(&query, of, v, edges);
    for (int i = 0; i < 4; ++i) /* only the start counts */
        query.end[i] = query.start[i];
    abut_impact_opts_init(&opts);
    opts.t_max = 0;
    ++w->counters->feature_tests;
    const abut_status status = abut_impact_run(&query.q, &opts, &r);
    w->counters->exact += r.counters.exact;
    *out = !status && r.verdict == ABUT_FIRST_CONTACT;
    w->unknown = w->unknown || (!status && r.verdict == ABUT_FIRST_UNDECIDED);
    return status;
}

abut_status abut_deform_meet_at(const abut_deform *a, const abut_deform *b, uint32_t ta, uint32_t tb,
                                double t, abut_deform_counters *counters, abut_meet *out)
{
    const uint32_t *p = a->triangles + 3 * (size_t)ta, *q = b->triangles + 3 * (size_t)tb;
    touch w = { .self = a == b, .counters = counters };
    bool met = false;
    abut_status status = abut_deform_cross_at(a, b, ta, tb, t, out);
    if (status || *out == ABUT_MEET_CROSS || *out == ABUT_MEET_TOUCH)
        return status;
    const bool unknown = *out == ABUT_MEET_UNKNOWN;
    for (int i = 0; i < 3 && !met && !status; ++i) {
        const abut_deform *const ab[4] = { a, b, b, b }, *const ba[4] = { b, a, a, a };
        status = features_touch(&w, ab, (const uint32_t[4]){ p[i], q[0], q[1], q[2] }, false, &met);
        if (!met && !status)
            status = features_touch(&w, ba, (const uint32_t[4]){ q[i], p[0], p[1], p[2] }, false, &met);
        for (int k = 0; k < 3 && !met && !status; ++k) {
            const abut_deform *const ee[4] = { a, a, b, b };
            status = features_touch(&w, ee, (const uint32_t[4]){ p[i], p[(i + 1) % 3], q[k], q[(k + 1) % 3] },
                                    true, &met);
        }
    }
    *out = met ? ABUT_MEET_TOUCH : unknown || w.unknown ? ABUT_MEET_UNKNOWN : ABUT_MEET_NONE;
    return status;
}
