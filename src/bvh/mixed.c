/* SPDX-License-Identifier: MIT */
/* Walks through two trees that do not go together: different volumes, or a binary and a wide
 * one. Small groups of triangles of a binary tree, in boxes, each against the other tree. Right
 * rather than fast. */
#include "bvh/binary.h"

#include "math/vec3.h"

#include <float.h>

/* Triangles in a group: few, for each candidate represents all of them. */
enum { GROUP = 8 };

typedef struct mixed {
    const abut_bvh_walk *walk; /* the other tree on side a, the box of a group on side b */
    bool turned;               /* the groups are of the caller's a */
    uint32_t ids[GROUP];
    size_t count;
    abut_bvh_pairs_fn pairs;
    abut_bvh_near_fn near;
    void *ctx;
    bool stopped;
    double bound; /* nearest only */
} mixed;

/* The placement of a in b. The inverse of x -> r x + t up to rounding: if y = r x + t + e then x = r^T
 * y - r^T t - r^T e, with |e| <= sqrt(3) error in length. Points of a that matter here can be as
 * far from their origin as they like, so that what r^T lacks of an inverse (some 2^-50) counts
 * with their distance. */
static abut_bv_relative inverse(const abut_bv_relative *b_in_a, double size_a)
{
    abut_bv_relative out;
    out.r = abut_mat3_transpose(&b_in_a->r);
    out.t = abut_scale(-1, abut_mul(&out.r, b_in_a->t));
    out.error =
        2 * b_in_a->error + 0x1p-47 * (size_a + fabs(b_in_a->t.x) + fabs(b_in_a->t.y) + fabs(b_in_a->t.z));
    return out;
}

/* A box around the triangles of the group, which contains them. */
static void set_box(const abut_bvh_def *def, const uint32_t *ids, size_t count, abut_bv_box *box)
{
    abut_vec3 lo = { INFINITY, INFINITY, INFINITY }, hi = { -INFINITY, -INFINITY, -INFINITY };
    for (size_t i = 0; i < 3 * count; ++i) {
        const abut_vec3 p = def->vertices[def->triangles[3 * (size_t)ids[i / 3] + i % 3]];
        lo = abut_v3(p.x < lo.x ? p.x : lo.x, p.y < lo.y ? p.y : lo.y, p.z < lo.z ? p.z : lo.z);
        hi = abut_v3(p.x > hi.x ? p.x : hi.x, p.y > hi.y ? p.y : hi.y, p.z > hi.z ? p.z : hi.z);
    }
    box->axes = abut_mat3_identity();
    box->centre = abut_v3(0.5 * lo.x + 0.5 * hi.x, 0.5 * lo.y + 0.5 * hi.y, 0.5 * lo.z + 0.5 * hi.z);
    const abut_vec3 up = abut_sub(hi, box->centre), down = abut_sub(box->centre, lo);
    /* The differences are rounded once, and never to zero. */
    const double half[3] = { fmax(up.x, down.x), fmax(up.y, down.y), fmax(up.z, down.z) };
    box->half =
        abut_v3(fmin(half[0] * (1 + DBL_EPSILON), DBL_MAX), fmin(half[1] * (1 + DBL_EPSILON), DBL_MAX),
                fmin(half[2] * (1 + DBL_EPSILON), DBL_MAX));
}

static void expand(const mixed *m, const abut_bvh_pair *pair, abut_bvh_pair out[GROUP])
{
    for (size_t i = 0; i < m->count; ++i)
        out[i] = m->turned ? (abut_bvh_pair){ m->ids[i], pair->a } : (abut_bvh_pair){ pair->a, m->ids[i] };
}

static bool on_pairs(void *ctx, const abut_bvh_pair *pairs, size_t count)
{
    mixed *m = ctx;
    abut_bvh_pair out[GROUP];
    for (size_t i = 0; i < count && !m->stopped; ++i) {
        expand(m, &pairs[i], out);
        m->stopped = !m->pairs(m->ctx, out, m->count);
    }
    return !m->stopped;
}

static double on_near(void *ctx, const abut_bvh_pair *pairs, size_t count, double bound)
{
    mixed *m = ctx;
    abut_bvh_pair out[GROUP];
    for (size_t i = 0; i < count && bound >= 0; ++i) {
        expand(m, &pairs[i], out);
        bound = m->near(m->ctx, out, m->count, bound);
    }
    m->bound = bound;
    return bound;
}

/* Which of a walk's trees is cut in groups: b where it is binary. */
typedef struct plan {
    const abut_bvh *groups;
    abut_bv_relative relative;
    abut_bvh_walk walk;
    bool turned;
} plan;

static double size_of(const abut_bvh *tree)
{
    const abut_bv_frame *f = &tree->binary->view.frame;
    return fabs(f->middle.x) + fabs(f->middle.y) + fabs(f->middle.z) + ldexp(4, f->exponent);
}

static void make_plan(const abut_bvh_walk *walk, plan *out)
{
    out->turned = !walk->b.tree->binary;
    out->groups = out->turned ? walk->a.tree : walk->b.tree;
    out->relative = out->turned ? inverse(walk->b_in_a, size_of(walk->a.tree)) : *walk->b_in_a;
    /* a box has corners up to sqrt(3) times further out than triangles have */
    if (!out->turned)
        out->relative.error *= 2;
    out->walk = *walk;
    out->walk.a.tree = out->turned ? walk->b.tree : walk->a.tree;
    out->walk.b.tree = NULL;
    out->walk.b_in_a = &out->relative;
    out->walk.front = NULL;
}

/* Calls `visit` with every group until it returns false. */
static void each_group(const plan *p, mixed *m, bool (*visit)(mixed *m, void *ctx), void *ctx)
{
    const abut_binary_view *view = &p->groups->binary->view;
    abut_bvh_walk walk = p->walk;
    uint32_t stack[ABUT_BVH_DEPTH + 2];
    size_t used = 0;
    m->walk = &walk;
    m->turned = p->turned;
    stack[used++] = 0;
    while (used > 0) {
        const uint32_t node = stack[--used];
        m->count = abut_binary_triangles(view, node, GROUP, m->ids);
        if (m->count == 0) {
            stack[used++] = abut_binary_link(view, node) + 1;
            stack[used++] = abut_binary_link(view, node);
            continue;
        }
        set_box(&p->groups->def, m->ids, m->count, &walk.b.box);
        if (!visit(m, ctx))
            return;
    }
}

static bool visit_pairs(mixed *m, void *ctx)
{
    const double *reach = ctx;
    (void)abut_bvh_overlap(m->walk, *reach, on_pairs, m);
    return !m->stopped;
}

void abut_mixed_overlap(const abut_bvh_walk *walk, double reach, abut_bvh_pairs_fn leaf, void *ctx)
{
    plan p;
    mixed m = { .pairs = leaf, .ctx = ctx };
    make_plan(walk, &p);
    each_group(&p, &m, visit_pairs, &reach);
}

static bool visit_near(mixed *m, void *ctx)
{
    double *left_out = ctx;
    if (m->bound < 0) { /* ended by the callback: of the rest nothing is known */
        *left_out = 0;
        return false;
    }
    const double lower = abut_bvh_nearest(m->walk, m->bound, on_near, m);
    *left_out = lower < *left_out ? lower : *left_out;
    return true;
}

double abut_mixed_nearest(const abut_bvh_walk *walk, double bound, abut_bvh_near_fn leaf, void *ctx)
{
    plan p;
    mixed m = { .near = leaf, .ctx = ctx, .bound = bound };
    double left_out = INFINITY;
    make_plan(walk, &p);
    each_group(&p, &m, visit_near, &left_out);
    return left_out;
}
