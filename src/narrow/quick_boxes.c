/* SPDX-License-Identifier: MIT */
/* The distance of two boxes that are apart, at the cost of its arithmetic: plain doubles, with error bounds known beforehand. In any doubt it answers nothing, and box_box.c does.
 *
 * In the frame of one box, of half sizes h, the other is t + R q, |q_j| <= k_j. The distance of such a point from the box is |w| with w = y - clamp(y), and w R is the slope
 * of |w|^2 / 2 in q. Along w the boxes are apart by L / |w|, L = w . t - sum |w_i| h_i - sum |(w R)_j| k_j: so |w| is an upper and L / |w| a lower bound of their
 * distance, whatever q is, and where they agree q was right. The best of the six faces tells whose frame it is and which vertex q begins at; that is all for every other pair. Else
 * q goes along the edge that leads nearest, by Newton's method on a slope that is linear in pieces, and one such step is enough for nearly all the others. */
#include "narrow/box_axes.h"
#include "narrow/quick.h"

static const double u = 0x1p-53;

enum { STEPS = 4 };

/* Numbers of two bodies side by side. */
typedef double both __attribute__((vector_size(16)));

/* What stands in the frame of one of them: `by` is how far apart entries of r are along a column, `side` along a row. */
typedef struct frame {
    const double *r;
    int by, side;
    const double *t, *h, *k;
} frame;

typedef struct nearest {
    double q[3]; /* on the other box, in its axes */
    double at[3], w[3], square, along;
    unsigned steps;
} nearest;

ABUT_ALWAYS_INLINE double clamp(double x, double h)
{
    const double low = x > -h ? x : -h;
    return low < h ? low : h;
}

ABUT_ALWAYS_INLINE double entry(const frame *f, int i, int j)
{
    return f->r[i * f->by + j * f->side];
}

/* Two of Newton's steps from y along column j of the frame, from q_j on, which is clamped. */
ABUT_ALWAYS_INLINE double go_along(const frame *f, const double y[3], int j, double q)
{
    double to = q;
    for (int step = 0; step < 2; ++step) {
        double slope = 0, bend = 0;
        for (int i = 0; i < 3; ++i) {
            const double e = entry(f, i, j), z = y[i] + (to - q) * e, w = z - clamp(z, f->h[i]);
            slope += w * e;
            bend += w != 0 ? e * e : 0;
        }
        to = bend > 0 ? clamp(to - slope / bend, f->k[j]) : to;
    }
    return to;
}

/* From q to the nearest point; true when both bounds agree to `tolerance`. */
ABUT_ALWAYS_INLINE bool find_nearest(const frame *f, double tolerance, nearest *n)
{
    double *q = n->q, *w = n->w, *at = n->at;
    for (unsigned step = 0; step < STEPS; ++step) {
        double y[3], g[3], square = 0, along = 0;
        for (int i = 0; i < 3; ++i) {
            y[i] = f->t[i] + (entry(f, i, 0) * q[0] + entry(f, i, 1) * q[1] + entry(f, i, 2) * q[2]);
            at[i] = clamp(y[i], f->h[i]);
            w[i] = y[i] - at[i];
            square += w[i] * w[i];
            along += w[i] * f->t[i] - fabs(w[i]) * f->h[i];
        }
        double turned = 0;
        for (int j = 0; j < 3; ++j) {
            g[j] = entry(f, 0, j) * w[0] + entry(f, 1, j) * w[1] + entry(f, 2, j) * w[2];
            turned += fabs(g[j]) * f->k[j];
        }
        along -= turned;
        const double gap = square - along;
        if (gap * gap <= tolerance * tolerance * square) {
            n->square = square;
            n->along = along;
            n->steps = step + 1u;
            return true;
        }
        const double g0 = fabs(q[0] - clamp(q[0] - g[0], f->k[0])),
                     g1 = fabs(q[1] - clamp(q[1] - g[1], f->k[1])),
                     g2 = fabs(q[2] - clamp(q[2] - g[2], f->k[2]));
        const int j01 = g1 > g0, j = g2 > (j01 ? g1 : g0) ? 2 : j01;
        q[j] = go_along(f, y, j, q[j]);
    }
    return false;
}

/* |q|^2 R(q) for two quaternions. */
ABUT_ALWAYS_INLINE both set_matrices(abut_quat p, abut_quat q, both m[3][3])
{
    const both w = { p.w, q.w }, x = { p.x, q.x }, y = { p.y, q.y }, z = { p.z, q.z };
    const both ww = w * w, xx = x * x, yy = y * y, zz = z * z, two = { 2, 2 };
    const both wx = w * x, wy = w * y, wz = w * z, xy = x * y, xz = x * z, yz = y * z;
    m[0][0] = (ww + xx) - (yy + zz);
    m[0][1] = two * (xy - wz);
    m[0][2] = two * (xz + wy);
    m[1][0] = two * (xy + wz);
    m[1][1] = (ww + yy) - (xx + zz);
    m[1][2] = two * (yz - wx);
    m[2][0] = two * (xz - wy);
    m[2][1] = two * (yz + wx);
    m[2][2] = (ww + zz) - (xx + yy);
    return (ww + xx) + (yy + zz);
}

/* Axis 0…2 of a, 3…5 of b. */
ABUT_ALWAYS_INLINE int best_face(const double r[9], const double t[2][3], const double *a, const double *b,
                                 double *best)
{
    double s[6];
    for (int i = 0; i < 3; ++i) {
        s[i] = fabs(t[0][i]) -
               (a[i] + (fabs(r[3 * i]) * b[0] + fabs(r[3 * i + 1]) * b[1] + fabs(r[3 * i + 2]) * b[2]));
        s[3 + i] =
            fabs(t[1][i]) - (b[i] + (fabs(r[i]) * a[0] + fabs(r[3 + i]) * a[1] + fabs(r[6 + i]) * a[2]));
    }
    const double m0 = s[0] > s[3] ? s[0] : s[3], m1 = s[1] > s[4] ? s[1] : s[4],
                 m2 = s[2] > s[5] ? s[2] : s[5], m01 = m0 > m1 ? m0 : m1, m = m01 > m2 ? m01 : m2;
    *best = m;
    const unsigned seen = (unsigned)(s[0] == m) | (unsigned)(s[1] == m) << 1 | (unsigned)(s[2] == m) << 2 |
                          (unsigned)(s[3] == m) << 3 | (unsigned)(s[4] == m) << 4 | 1u << 5;
    return __builtin_ctz(seen);
}

/* Poses in the frame of either body, and what is known before the search. */
typedef struct placed {
    const abut_core *core[2];
    both m[3][3], over; /* |q|^2 R(q) of both, and 1 / |q|^2 */
    double r[9], t[2][3];
    double length, sizes;
} placed;

/* t is off by 20 u D and R by 23 u (convex.c), in either frame. */
ABUT_ALWAYS_INLINE bool place(const abut_pose *pose_a, const abut_pose *pose_b, placed *p)
{
    const both norm = set_matrices(pose_a->rotation, pose_b->rotation, p->m), one = { 1, 1 };
    const abut_vec3 d = abut_sub(pose_b->position, pose_a->position);
    const both x = { d.x, -d.x }, y = { d.y, -d.y }, z = { d.z, -d.z };
    const double far = abut_dot(d, d);
    p->over = one / norm;
    for (int i = 0; i < 3; ++i) {
        const both t = (p->m[0][i] * x + p->m[1][i] * y + p->m[2][i] * z) * p->over;
        p->t[0][i] = t[0];
        p->t[1][i] = t[1];
    }
    const abut_quat q = abut_quat_mul(abut_quat_conjugate(pose_a->rotation), pose_b->rotation);
    double turn[3][3];
    const double over = 1 / abut_quick_norm(q);
    abut_quick_matrix(q, turn);
    for (int i = 0; i < 9; ++i)
        p->r[i] = over * turn[i / 3][i % 3];
    p->length = sqrt(far);
    p->sizes = p->core[0]->size + p->core[1]->size;
    return abut_quick_norm_is_usual(norm[0]) && abut_quick_norm_is_usual(norm[1]) && far <= 0x1p280 &&
           p->sizes >= 0x1p-140 && p->sizes <= 0x1p140;
}

ABUT_ALWAYS_INLINE frame frame_of(const placed *p, int role)
{
    return (frame){ p->r, role ? 1 : 3, role ? 3 : 1, p->t[role], p->core[role]->h, p->core[!role]->h };
}

/* The errors of a separation and of points, as convex.c has them, with the frame's body for a. */
ABUT_ALWAYS_INLINE double error_of(const placed *p, int role)
{
    return u * (32 * p->length + 12 * p->core[role]->size + 56 * p->core[!role]->size);
}

ABUT_ALWAYS_INLINE bool search(const placed *p, int role, nearest *n)
{
    const frame f = frame_of(p, role);
    return find_nearest(&f, error_of(p, role) + 64 * u * (p->length + p->sizes), n);
}

/* ---- what is remembered ---- */

/* Above the axis of quick_overlap.c, in the cache's feature: whether there is something, the frame, and for each coordinate of q which end it is at, 2 for neither. */
enum { AXIS_BITS = 4, KNOWN = 1 << AXIS_BITS, OF_B = KNOWN << 1, ENDS = AXIS_BITS + 2 };

ABUT_ALWAYS_INLINE void remember(const placed *p, int role, const nearest *n, abut_cache *cache)
{
    const double *k = p->core[!role]->h;
    uint32_t code = KNOWN | (role ? OF_B : 0);
    for (int j = 0; j < 3; ++j) {
        const uint32_t end = fabs(n->q[j]) < k[j] ? 2 : n->q[j] > 0;
        code |= end << (ENDS + 2 * j);
    }
    cache->feature = (cache->feature & (KNOWN - 1)) | code;
}

/* From where it was the last time; along the edge, where it was on one. */
ABUT_ALWAYS_INLINE bool search_again(const placed *p, uint32_t code, int *role, nearest *n)
{
    *role = (code & OF_B) != 0;
    const frame f = frame_of(p, *role);
    int edge = -1;
    for (int j = 0; j < 3; ++j) {
        const uint32_t end = code >> (ENDS + 2 * j) & 3;
        n->q[j] = end >= 2 ? 0 : end ? f.k[j] : -f.k[j];
        edge = end >= 2 ? j : edge;
    }
    if (edge >= 0) {
        double y[3];
        for (int i = 0; i < 3; ++i)
            y[i] =
                f.t[i] + (entry(&f, i, 0) * n->q[0] + entry(&f, i, 1) * n->q[1] + entry(&f, i, 2) * n->q[2]);
        n->q[edge] = go_along(&f, y, edge, n->q[edge]);
    }
    return search(p, *role, n);
}

/* ---- the whole of it ---- */

/* Whether they seem to be apart along the product of two edges. */
static __attribute__((noinline)) bool edges_part(const placed *p)
{
    abut_boxes x = { .a = p->core[0]->h, .b = p->core[1]->h };
    double s[9], most = 0;
    for (int i = 0; i < 3; ++i) {
        x.t[i] = p->t[0][i];
        for (int j = 0; j < 3; ++j) {
            x.r[i][j] = p->r[3 * i + j];
            x.s[i][j] = fabs(x.r[i][j]);
        }
    }
    abut_boxes_edges(&x, s);
    for (int i = 0; i < 9; ++i)
        most = s[i] > most ? s[i] : most;
    return most > 0;
}

ABUT_ALWAYS_INLINE bool search_from_faces(const placed *p, int *role, nearest *n)
{
    double best;
    const int axis = best_face(p->r, (const double(*)[3])p->t, p->core[0]->h, p->core[1]->h, &best);
    if (!(best > 0) && !edges_part(p))
        return false;
    *role = axis >= 3;
    const frame f = frame_of(p, *role);
    const int i = axis - 3 * *role;
    for (int j = 0; j < 3; ++j)
        n->q[j] = copysign(f.k[j], -(f.t[i] * entry(&f, i, j)));
    return search(p, *role, n);
}

/* From the frame that was searched in to the world. */
ABUT_ALWAYS_INLINE void set_points(const placed *p, int role, const abut_pose *pose, const nearest *n,
                                   double inverse, abut_distance_result *out)
{
    double at[3], w[3];
    const double over = p->over[role];
    for (int i = 0; i < 3; ++i) {
        const double x = p->m[i][0][role] * over, y = p->m[i][1][role] * over, z = p->m[i][2][role] * over;
        at[i] = x * n->at[0] + y * n->at[1] + z * n->at[2];
        w[i] = x * n->w[0] + y * n->w[1] + z * n->w[2];
    }
    const abut_vec3 difference = abut_v3(w[0], w[1], w[2]), zero = { 0, 0, 0 };
    const abut_vec3 here = abut_add(pose->position, abut_v3(at[0], at[1], at[2])),
                    there = abut_add(here, difference);
    out->has_points = true;
    out->point_a = role ? there : here;
    out->point_b = role ? here : there;
    out->normal = abut_add(abut_scale(role ? -inverse : inverse, difference), zero); /* no -0 */
}

bool abut_narrow_quick_boxes(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                             const abut_pose *pose_b, double cutoff, abut_cache *cache,
                             abut_distance_result *out)
{
    if (a->type != ABUT_SHAPE_BOX || b->type != ABUT_SHAPE_BOX || !pose_a || !pose_b ||
        !(abut_quick_is_turned(pose_a->rotation) || abut_quick_is_turned(pose_b->rotation)))
        return false;
    placed p;
    nearest n;
    int role = 0;
    p.core[0] = &a->core;
    p.core[1] = &b->core;
    if (!place(pose_a, pose_b, &p))
        return false;
    const uint32_t code = cache ? cache->feature : 0;
    if (!((code & KNOWN) && search_again(&p, code, &role, &n)) && !search_from_faces(&p, &role, &n))
        return false;
    const double size = sqrt(n.square), inverse = 1 / size, error = error_of(&p, role);
    const double below = n.along * inverse - error, above = size * (1 + 4 * u) + error;
    const double lo = below - 4 * u * below, hi = above + 4 * u * above;
    if (!(lo > 0 && n.square > 0x1p-400))
        return false;
    if (cache)
        remember(&p, role, &n, cache);
    set_points(&p, role, role ? pose_b : pose_a, &n, inverse, out);
    out->verdict = ABUT_SEPARATE;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = lo > cutoff ? ABUT_STOP_CUTOFF : ABUT_STOP_DONE;
    out->distance = (abut_interval){ lo, hi };
    out->counters = (abut_counters){ .iterations = 1, .evaluations = 6 + n.steps };
    return true;
}
