/* SPDX-License-Identifier: MIT */
/* Two parametric faces that cross: a point that both have, inside the ranges of their
 * parameters, where they are not tangent. Three equations, four parameters: Newton's method goes
 * the shortest way to the curve of crossing; then the parameter that changes fastest along it is
 * held, and Krawczyk's operator proves a solution of the other three. A regular Jacobian says
 * that a tangent of one face is not in the plane of the other: they cross at an angle, and where
 * both bound solids, the interiors meet. So it is with an edge that comes through a face: of a
 * sheet that is next to its edge nothing else may cross. */
#include "narrow/surface/surface_gap.h"

enum { STEPS = 12 };

typedef struct meeting {
    const abut_placed_surface *body[2];
    const abut_surface_feature *face[2];
} meeting;

/* d = p_b - p_a and its derivatives by the four parameters. */
static bool difference(const meeting *m, const ia *q, ia3 *d, ia3 slope[4])
{
    abut_chart a, b;
    int axis = -1;
    abut_chart_enclose(m->body[0], m->face[0], q, 1, &axis, &a);
    abut_chart_enclose(m->body[1], m->face[1], q + 2, 1, &axis, &b);
    *d = ia3_sub(b.p, a.p);
    slope[0] = ia3_neg(a.dp[0]);
    slope[1] = ia3_neg(a.dp[1]);
    slope[2] = b.dp[0];
    slope[3] = b.dp[1];
    return a.defined && b.defined;
}

static double determinant(abut_vec3 a, abut_vec3 b, abut_vec3 c)
{
    return a.x * (b.y * c.z - b.z * c.y) - a.y * (b.x * c.z - b.z * c.x) + a.z * (b.x * c.y - b.y * c.x);
}

/* The direction in which the columns cancel. */
static void null_vector(const abut_vec3 s[4], double out[4])
{
    out[0] = determinant(s[1], s[2], s[3]);
    out[1] = -determinant(s[0], s[2], s[3]);
    out[2] = determinant(s[0], s[1], s[3]);
    out[3] = -determinant(s[0], s[1], s[2]);
}

/* The shortest step x with slope x = -d: any solution less its part along the null vector. */
static bool shortest_step(const abut_vec3 s[4], abut_vec3 d, double x[4])
{
    double z[4], square = 0, along = 0;
    null_vector(s, z);
    int held = 0;
    for (int i = 0; i < 4; ++i) {
        square += z[i] * z[i];
        held = fabs(z[i]) > fabs(z[held]) ? i : held;
    }
    if (!(square > 0) || !(square < HUGE_VAL))
        return false;
    int kept[3] = { 0, 1, 2 }, n = 0;
    for (int i = 0; i < 4; ++i)
        if (i != held)
            kept[n++] = i;
    const abut_vec3 a = s[kept[0]], b = s[kept[1]], c = s[kept[2]];
    const double whole = determinant(a, b, c);
    x[held] = 0;
    x[kept[0]] = -determinant(d, b, c) / whole;
    x[kept[1]] = -determinant(a, d, c) / whole;
    x[kept[2]] = -determinant(a, b, d) / whole;
    for (int i = 0; i < 4; ++i)
        along += x[i] * z[i] / square;
    for (int i = 0; i < 4; ++i)
        x[i] -= along * z[i];
    return true;
}

static bool approach(const meeting *m, double at[4], int *held)
{
    for (int step = 0; step < STEPS; ++step) {
        ia q[4];
        ia3 d, slope[4];
        abut_vec3 s[4];
        double x[4], z[4], change = 0;
        for (int i = 0; i < 4; ++i)
            q[i] = ia_point(at[i]);
        if (!difference(m, q, &d, slope))
            return false;
        for (int i = 0; i < 4; ++i)
            s[i] = ia3_mid(slope[i]);
        if (!shortest_step(s, ia3_mid(d), x))
            return false;
        for (int i = 0; i < 4; ++i) {
            const abut_interval r = m->face[i / 2]->range[i % 2];
            change = fmax(change, fabs(x[i]) / (r.hi - r.lo));
            at[i] += x[i];
        }
        if (!(change < 1))
            return false;
        null_vector(s, z);
        *held = 0;
        for (int i = 1; i < 4; ++i)
            if (fabs(z[i]) > fabs(z[*held]))
                *held = i;
        if (change < 1e-13)
            return true;
    }
    return false;
}

/* A box of three parameters around a solution; it must be inside the ranges, unless they are
 * closed. */
static bool prove(const meeting *m, const double at[4], int held, double size)
{
    ia q[4], middle[4];
    ia3 d, slope[4], at_middle;
    abut_interval box[3], values[3], slopes[9], next[3];
    double mid[3];
    for (int i = 0, n = 0; i < 4; ++i) {
        const abut_interval r = m->face[i / 2]->range[i % 2];
        const double w = size * (r.hi - r.lo);
        middle[i] = q[i] = ia_point(at[i]);
        if (!m->face[i / 2]->wraps[i % 2] && !(at[i] - w > r.lo && at[i] + w < r.hi))
            return false;
        if (i == held)
            continue;
        q[i] = ia_make(at[i] - w, at[i] + w);
        box[n] = ia_to(q[i]);
        mid[n++] = at[i];
    }
    if (!difference(m, middle, &at_middle, slope) || !difference(m, q, &d, slope))
        return false;
    values[0] = ia_to(at_middle.x);
    values[1] = ia_to(at_middle.y);
    values[2] = ia_to(at_middle.z);
    for (int i = 0, n = 0; i < 4; ++i) {
        if (i == held)
            continue;
        slopes[n] = ia_to(slope[i].x);
        slopes[3 + n] = ia_to(slope[i].y);
        slopes[6 + n++] = ia_to(slope[i].z);
    }
    return abut_interval_krawczyk(3, box, mid, values, slopes, next) == ABUT_KRAWCZYK_UNIQUE;
}

bool abut_surface_crosses(const abut_placed_surface *a, const abut_surface_feature *fa,
                          const abut_placed_surface *b, const abut_surface_feature *fb, const double *start,
                          abut_surface_spot *spot)
{
    const meeting m = { { a, b }, { fa, fb } };
    double at[4] = { start[0], start[1], start[2], start[3] };
    int held = 0;
    if (!approach(&m, at, &held))
        return false;
    for (double size = 0x1p-20; size >= 0x1p-40; size *= 0x1p-5)
        if (prove(&m, at, held, size)) {
            abut_surface_spot_set(b, fb, at + 2, spot);
            abut_surface_spot_set(a, fa, at, spot);
            return true;
        }
    return false;
}

/* ---- an edge through a face ---- */

/* The same for an edge, whose parameter comes first: three equations for three parameters. */
static bool pierce_at(const meeting *m, const ia *q, ia3 *d, ia3 slope[3])
{
    abut_chart edge, face;
    int axis = -1;
    abut_chart_enclose(m->body[0], m->face[0], q, 1, &axis, &edge);
    abut_chart_enclose(m->body[1], m->face[1], q + 1, 1, &axis, &face);
    *d = ia3_sub(face.p, edge.p);
    slope[0] = ia3_neg(edge.dp[0]);
    slope[1] = face.dp[0];
    slope[2] = face.dp[1];
    return edge.defined && face.defined;
}

static bool approach_pierced(const meeting *m, double at[3])
{
    for (int step = 0; step < STEPS; ++step) {
        ia q[3];
        ia3 d, slope[3];
        abut_vec3 s[3];
        for (int i = 0; i < 3; ++i)
            q[i] = ia_point(at[i]);
        if (!pierce_at(m, q, &d, slope))
            return false;
        for (int i = 0; i < 3; ++i)
            s[i] = ia3_mid(slope[i]);
        const abut_vec3 gap = ia3_mid(d);
        const double whole = determinant(s[0], s[1], s[2]);
        const double x[3] = { -determinant(gap, s[1], s[2]) / whole, -determinant(s[0], gap, s[2]) / whole,
                              -determinant(s[0], s[1], gap) / whole };
        double change = 0;
        for (int i = 0; i < 3; ++i) {
            const abut_interval r = m->face[i > 0]->range[i ? i - 1 : 0];
            change = fmax(change, fabs(x[i]) / (r.hi - r.lo));
            at[i] += x[i];
        }
        if (!(change < 1))
            return false;
        if (change < 1e-13)
            return true;
    }
    return false;
}

static bool prove_pierced(const meeting *m, const double at[3], double size)
{
    ia q[3], middle[3];
    ia3 d, slope[3], at_middle;
    abut_interval box[3], slopes[9], next[3];
    for (int i = 0; i < 3; ++i) {
        const abut_surface_feature *const f = m->face[i > 0];
        const int k = i ? i - 1 : 0;
        const double w = size * (f->range[k].hi - f->range[k].lo);
        if (!f->wraps[k] && !(at[i] - w > f->range[k].lo && at[i] + w < f->range[k].hi))
            return false;
        middle[i] = ia_point(at[i]);
        q[i] = ia_make(at[i] - w, at[i] + w);
        box[i] = ia_to(q[i]);
    }
    if (!pierce_at(m, middle, &at_middle, slope) || !pierce_at(m, q, &d, slope))
        return false;
    const abut_interval values[3] = { ia_to(at_middle.x), ia_to(at_middle.y), ia_to(at_middle.z) };
    for (int i = 0; i < 3; ++i) {
        slopes[i] = ia_to(slope[i].x);
        slopes[3 + i] = ia_to(slope[i].y);
        slopes[6 + i] = ia_to(slope[i].z);
    }
    return abut_interval_krawczyk(3, box, at, values, slopes, next) == ABUT_KRAWCZYK_UNIQUE;
}

bool abut_surface_pierces(const abut_placed_surface *a, const abut_surface_feature *edge,
                          const abut_placed_surface *b, const abut_surface_feature *face, const double *start,
                          abut_surface_spot *spot)
{
    const meeting m = { { a, b }, { edge, face } };
    double at[3] = { start[0], start[1], start[2] };
    if (!approach_pierced(&m, at))
        return false;
    for (double size = 0x1p-20; size >= 0x1p-40; size *= 0x1p-5)
        if (prove_pierced(&m, at, size)) {
            abut_surface_spot_set(b, face, at + 1, spot);
            abut_surface_spot_set(a, edge, at, spot);
            return true;
        }
    return false;
}
