/* SPDX-License-Identifier: MIT */
/* The distance of two boxes that are apart, or their depth, at the cost of its arithmetic: plain
 * doubles, with error bounds known beforehand. Where they do not decide, it answers nothing,
 * and box_box.c does.
 *
 * In the frame of one box, of half sizes h, the other is t + R q, |q_j| <= k_j. The distance of
 * such a point from the box is |w| with w = y - clamp(y), and w R is the slope of |w|^2 / 2 in q.
 * Along w the boxes are apart by L / |w|, L = w . t - sum |w_i| h_i - sum |(w R)_j| k_j: so |w| is
 * an upper and L / |w| a lower bound of their distance, whatever q is, and where they agree q was
 * right. The best of the six faces tells whose frame it is and which vertex q begins at; that is
 * all for every other pair. Else q goes along the edge that leads nearest, by Newton's method on a
 * slope that is linear in pieces, and one such step is enough for nearly all the others.
 *
 * Where none of the fifteen axes parts them the largest separation is minus the depth, as in
 * box_box.c. */
#include "narrow/pair/box_axes.h"
#include "narrow/quick/quick.h"

static const double u = 0x1p-53;

enum { STEPS = 4 };

typedef abut_quick_both both;

/* What is in the frame of one of them: `by` is how far apart entries of r are along a
 * column, `side` along a row. */
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

/* Poses in the frame of either body, and what is known before the search. */
typedef struct placed {
    const abut_core *core[2];
    both m[3][3], over; /* |q|^2 R(q) of both, and 1 / |q|^2 */
    abut_boxes x;       /* in a's frame */
    double back[3];     /* the origin of a in b's frame */
    double length, sizes;
} placed;

/* Axis 0…2 of a, 3…5 of b. */
ABUT_ALWAYS_INLINE int best_face(const placed *p, double *best)
{
    const double *a = p->x.a, *b = p->x.b, *r = p->x.r[0];
    double s[6];
    for (int i = 0; i < 3; ++i) {
        s[i] = fabs(p->x.t[i]) -
               (a[i] + (fabs(r[3 * i]) * b[0] + fabs(r[3 * i + 1]) * b[1] + fabs(r[3 * i + 2]) * b[2]));
        s[3 + i] =
            fabs(p->back[i]) - (b[i] + (fabs(r[i]) * a[0] + fabs(r[3 + i]) * a[1] + fabs(r[6 + i]) * a[2]));
    }
    const double m0 = s[0] > s[3] ? s[0] : s[3], m1 = s[1] > s[4] ? s[1] : s[4],
                 m2 = s[2] > s[5] ? s[2] : s[5], m01 = m0 > m1 ? m0 : m1, m = m01 > m2 ? m01 : m2;
    *best = m;
    const unsigned seen = (unsigned)(s[0] == m) | (unsigned)(s[1] == m) << 1 | (unsigned)(s[2] == m) << 2 |
                          (unsigned)(s[3] == m) << 3 | (unsigned)(s[4] == m) << 4 | 1u << 5;
    return __builtin_ctz(seen);
}

/* t is off by 20 u D and R by 23 u (convex.c), in either frame. */
ABUT_ALWAYS_INLINE bool place(const abut_pose *pose_a, const abut_pose *pose_b, placed *p)
{
    const both norm = abut_quick_matrices(pose_a->rotation, pose_b->rotation, p->m), one = { 1, 1 };
    const abut_vec3 d = abut_sub(pose_b->position, pose_a->position);
    const both x = { d.x, -d.x }, y = { d.y, -d.y }, z = { d.z, -d.z };
    const double far = abut_dot(d, d);
    p->over = one / norm;
    for (int i = 0; i < 3; ++i) {
        const both t = (p->m[0][i] * x + p->m[1][i] * y + p->m[2][i] * z) * p->over;
        p->x.t[i] = t[0];
        p->back[i] = t[1];
    }
    const abut_quat q = abut_quat_mul(abut_quat_conjugate(pose_a->rotation), pose_b->rotation);
    const double over = 1 / abut_quick_norm(q);
    abut_quick_matrix(q, p->x.r);
    for (int i = 0; i < 9; ++i)
        p->x.r[i / 3][i % 3] *= over;
    p->x.a = p->core[0]->h;
    p->x.b = p->core[1]->h;
    p->length = sqrt(far);
    p->sizes = p->core[0]->size + p->core[1]->size;
    return abut_quick_norm_is_usual(norm[0]) && abut_quick_norm_is_usual(norm[1]) && far <= 0x1p280 &&
           p->sizes >= 0x1p-140 && p->sizes <= 0x1p140;
}

ABUT_ALWAYS_INLINE frame frame_of(const placed *p, int role)
{
    return (frame){ p->x.r[0],        role ? 1 : 3,     role ? 3 : 1, role ? p->back : p->x.t,
                    p->core[role]->h, p->core[!role]->h };
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

/* Above the axis of quick_overlap.c, in the cache's feature: whether there is something, the
 * frame, and for each coordinate of q which end it is at, 2 for neither. */
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

/* What the fifteen axes say: the best face, its separation, and those of edges. */
typedef struct axes {
    int face;
    double best, edges[9];
} axes;

/* Whether they seem to be apart along the product of two edges. */
static __attribute__((noinline)) bool do_edges_part(placed *p, double edges[9])
{
    double most = -INFINITY;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            p->x.s[i][j] = fabs(p->x.r[i][j]);
    abut_boxes_edges(&p->x, edges);
    for (int i = 0; i < 9; ++i)
        most = edges[i] > most ? edges[i] : most;
    return most > 0;
}

ABUT_ALWAYS_INLINE bool search_from_face(const placed *p, int axis, int *role, nearest *n)
{
    *role = axis >= 3;
    const frame f = frame_of(p, *role);
    const int i = axis - 3 * *role;
    for (int j = 0; j < 3; ++j)
        n->q[j] = copysign(f.k[j], -(f.t[i] * entry(&f, i, j)));
    return search(p, *role, n);
}

/* ---- overlapping ---- */

/* A depth: the axis, its separation over its length, which is below 0, and bounds of the gap;
 * points and their difference in the frame of `role`. */
typedef struct deep {
    int axis, role;
    double gap, lo, hi;
    double per; /* 1 over the length of the axis */
    double at[3], w[3], n[3];
} deep;

/* The square of the length of the axis of edges i and j. */
ABUT_ALWAYS_INLINE double square_of(const abut_boxes *x, int axis)
{
    const double p = x->r[(axis / 3 + 1) % 3][axis % 3], q = x->r[(axis / 3 + 2) % 3][axis % 3];
    return p * p + q * q;
}

/* An axis of edges in place of the one there is, if it is better by more than `tie`. */
ABUT_ALWAYS_INLINE void offer(const axes *x, int edge, double square, double tie, deep *out)
{
    const double per = 1 / sqrt(square), gap = x->edges[edge] * per;
    if (gap > out->gap + tie) {
        out->axis = 6 + edge;
        out->gap = gap;
        out->per = per;
    }
}

/* The best axis, one of edges only when it is clearly better than a face, and what the gap is at
 * least and at most. False where edges are so nearly parallel that their axis says too little, or
 * the depth is not clear.
 *
 * What an edge's separation s < 0, times its length L, may be is below hi < 0 where (s +
 * error)^2 >= hi^2 L^2: no root is taken for these, which are mostly all, if `hint` is right
 * where an edge is the best. */
ABUT_ALWAYS_INLINE bool find_axis(const placed *p, const axes *x, int hint, double error, deep *out)
{
    const double tie = 8 * error, least = 0x1p-40;
    double square[9];
    out->axis = x->face;
    out->gap = x->best;
    out->per = 1;
    for (int i = 0; i < 9; ++i)
        square[i] = square_of(&p->x, i);
    if (hint >= 6 && square[hint - 6] > least)
        offer(x, hint - 6, square[hint - 6], tie, out);
    double hi = out->gap + error * out->per;
    if (!(hi < 0))
        return false;
    unsigned more = 0;
    for (int i = 0; i < 9; ++i) {
        const double s = x->edges[i] + error;
        more |= (unsigned)!((s < 0) & (s * s >= hi * hi * square[i])) << i;
    }
    for (; more; more &= more - 1) {
        const int i = __builtin_ctz(more);
        if (!(square[i] > least))
            return false;
        offer(x, i, square[i], tie, out);
        const double bound = (x->edges[i] + error) / sqrt(square[i]);
        hi = bound > hi ? bound : hi;
    }
    out->lo = out->gap - error * out->per;
    out->hi = hi;
    return hi < 0;
}

ABUT_ALWAYS_INLINE double part_of(const frame *f, const double q[3], int i)
{
    return f->t[i] + (entry(f, i, 0) * q[0] + entry(f, i, 1) * q[1] + entry(f, i, 2) * q[2]);
}

/* The lowest vertex of the other box and its foot on the face; where that is beside the face, by
 * turns the nearest point of either that is left when b has moved out. */
ABUT_ALWAYS_INLINE bool find_on_face(const placed *p, deep *d)
{
    d->role = d->axis >= 3;
    const frame f = frame_of(p, d->role);
    const int i = d->axis - 3 * d->role;
    const double side = copysign(1, f.t[i]), close = 1e-9 * p->sizes;
    double q[3], y[3], off = 0;
    for (int j = 0; j < 3; ++j)
        q[j] = copysign(f.k[j], -(side * entry(&f, i, j)));
    for (int round = 0; round < 4; ++round) {
        off = 0;
        for (int k = 0; k < 3; ++k) {
            y[k] = part_of(&f, q, k);
            d->n[k] = k == i ? side : 0;
            d->at[k] = k == i ? side * f.h[k] : clamp(y[k], f.h[k]);
            d->w[k] = y[k] - d->at[k];
            off += k == i ? 0 : fabs(d->w[k]);
        }
        if (off <= close)
            break;
        for (int j = 0; j < 3; ++j) {
            double along = 0;
            for (int k = 0; k < 3; ++k)
                along += entry(&f, k, j) * (d->at[k] + d->gap * d->n[k] - f.t[k]);
            q[j] = clamp(along, f.k[j]);
        }
    }
    return off <= close && fabs(side * d->w[i] - d->gap) <= close;
}

/* Where the lines through two edges are nearest, if that is on both. */
ABUT_ALWAYS_INLINE bool find_on_edges(const placed *p, deep *d)
{
    const int i = (d->axis - 6) / 3, j = (d->axis - 6) % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    const frame f = frame_of(p, 0);
    const double over = d->per * d->per, side = f.t[i2] * p->x.r[i1][j] - f.t[i1] * p->x.r[i2][j],
                 per = copysign(d->per, side);
    double q[3], r[3], along = 0;
    d->role = 0;
    d->n[i] = 0;
    d->n[i1] = -per * p->x.r[i2][j];
    d->n[i2] = per * p->x.r[i1][j];
    for (int k = 0; k < 3; ++k) {
        const double m = p->x.r[0][k] * d->n[0] + p->x.r[1][k] * d->n[1] + p->x.r[2][k] * d->n[2];
        q[k] = k == j ? 0 : copysign(f.k[k], -m);
        d->at[k] = k == i ? 0 : copysign(f.h[k], d->n[k]);
    }
    for (int k = 0; k < 3; ++k) {
        r[k] = part_of(&f, q, k) - d->at[k];
        along += r[k] * p->x.r[k][j];
    }
    const double cosine = p->x.r[i][j], s = (r[i] - cosine * along) * over,
                 t = (cosine * r[i] - along) * over;
    for (int k = 0; k < 3; ++k)
        d->w[k] = r[k] + t * p->x.r[k][j];
    d->at[i] = s;
    d->w[i] -= s;
    return fabs(s) <= f.h[i] && fabs(t) <= f.k[j];
}

/* In units u, S = D + s_a + s_b: a separation along an axis of edges, times its length, is off
 * by 20 D for t, 23 (D + s_a + s_b) for R, of which the axis is made, 23 s_b for R in b, and 6 S
 * by rounding; its length, by which that is divided, by 25, and a separation over it is at most
 * S. Together below 80 S; those of faces are off by less. */
ABUT_ALWAYS_INLINE double axis_error(const placed *p)
{
    return 80 * u * (p->length + p->sizes);
}

ABUT_ALWAYS_INLINE bool find_depth(const placed *p, const axes *x, int hint, deep *out)
{
    const double error = axis_error(p);
    return find_axis(p, x, hint, error, out) && out->hi - out->lo <= 4 * error + 1e-13 * p->sizes &&
           (out->axis < 6 ? find_on_face(p, out) : find_on_edges(p, out));
}

/* ---- results ---- */

/* From the frame that was searched in to the world. */
ABUT_ALWAYS_INLINE abut_vec3 turn_out(const placed *p, int role, const double v[3])
{
    double w[3];
    const double over = p->over[role];
    for (int i = 0; i < 3; ++i)
        w[i] =
            p->m[i][0][role] * over * v[0] + p->m[i][1][role] * over * v[1] + p->m[i][2][role] * over * v[2];
    return abut_v3(w[0], w[1], w[2]);
}

/* `up` points away from the box of that frame. */
ABUT_ALWAYS_INLINE void set_points(const abut_pose *pose, int role, abut_vec3 at, abut_vec3 difference,
                                   abut_vec3 up, abut_distance_result *out)
{
    const abut_vec3 here = abut_add(pose->position, at), there = abut_add(here, difference),
                    zero = { 0, 0, 0 };
    out->has_points = true;
    out->point_a = role ? there : here;
    out->point_b = role ? here : there;
    out->normal = role ? abut_sub(zero, up) : abut_add(zero, up); /* no -0 */
}

ABUT_ALWAYS_INLINE void set_answer(abut_verdict verdict, double lo, double hi, double cutoff,
                                   uint32_t evaluations, abut_distance_result *out)
{
    out->verdict = verdict;
    out->proof = ABUT_PROOF_INTERVAL;
    out->stop = lo > cutoff ? ABUT_STOP_CUTOFF : ABUT_STOP_DONE;
    out->distance = (abut_interval){ lo, hi };
    out->counters = (abut_counters){ .iterations = 1, .evaluations = evaluations };
}

ABUT_ALWAYS_INLINE bool answer_apart(const placed *p, int role, const nearest *n, const abut_pose *pose,
                                     double cutoff, abut_cache *cache, abut_distance_result *out)
{
    const double size = sqrt(n->square), inverse = 1 / size, error = error_of(p, role);
    const double below = n->along * inverse - error, above = size * (1 + 4 * u) + error;
    const double lo = below - 4 * u * below, hi = above + 4 * u * above;
    if (!(lo > 0 && n->square > 0x1p-400))
        return false;
    if (cache)
        remember(p, role, n, cache);
    const abut_vec3 w = turn_out(p, role, n->w);
    set_points(pose, role, turn_out(p, role, n->at), w, abut_scale(inverse, w), out);
    set_answer(ABUT_SEPARATE, lo, hi, cutoff, 6 + n->steps, out);
    return true;
}

static __attribute__((noinline)) bool answer_deep(const placed *p, const axes *x, const abut_pose *pose_a,
                                                  const abut_pose *pose_b, double cutoff, abut_cache *cache,
                                                  abut_distance_result *out)
{
    deep d;
    if (!find_depth(p, x, cache ? (int)(cache->feature % KNOWN) - 1 : -1, &d))
        return false;
    if (cache)
        cache->feature = (uint32_t)d.axis + 1;
    set_points(d.role ? pose_b : pose_a, d.role, turn_out(p, d.role, d.at), turn_out(p, d.role, d.w),
               turn_out(p, d.role, d.n), out);
    set_answer(ABUT_PENETRATING, d.lo + 4 * u * d.lo, d.hi - 4 * u * d.hi, cutoff, 15, out);
    return true;
}

/* At distance 0, without points. What was remembered of boxes apart is of no more use. */
static __attribute__((noinline)) bool answer_meeting(const placed *p, const axes *x, double cutoff,
                                                     abut_cache *cache, abut_distance_result *out)
{
    const double error = axis_error(p);
    if (!(x->best < -error && p->length <= p->sizes &&
          abut_boxes_meet(&p->x, x->best, x->edges, error, p->sizes)))
        return false;
    if (cache)
        cache->feature &= KNOWN - 1;
    *out = (abut_distance_result){ .has_points = false };
    set_answer(ABUT_PENETRATING, 0, 0, cutoff, 15, out);
    return true;
}

bool abut_quick_distance_boxes(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b,
                               const abut_pose *pose_b, const abut_distance_opts *opts,
                               abut_distance_result *out)
{
    if (!(abut_quick_is_turned(pose_a->rotation) || abut_quick_is_turned(pose_b->rotation)))
        return false;
    placed p;
    nearest n;
    axes x;
    int role = 0;
    abut_cache *cache = opts->cache;
    p.core[0] = &a->core;
    p.core[1] = &b->core;
    if (!place(pose_a, pose_b, &p))
        return false;
    const uint32_t code = cache ? cache->feature : 0;
    if (!((code & KNOWN) && search_again(&p, code, &role, &n))) {
        x.face = best_face(&p, &x.best);
        if (!(x.best > 0) && !do_edges_part(&p, x.edges))
            return opts->with_depth ? answer_deep(&p, &x, pose_a, pose_b, opts->cutoff, cache, out)
                                    : answer_meeting(&p, &x, opts->cutoff, cache, out);
        if (!search_from_face(&p, x.face, &role, &n))
            return false;
    }
    return answer_apart(&p, role, &n, role ? pose_b : pose_a, opts->cutoff, cache, out);
}
