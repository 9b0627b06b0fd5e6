/* SPDX-License-Identifier: MIT */
/* Roots of the polynomial of a curve on a surface, and what they say.
 *
 * First the coefficients are intervals. Where that leaves anything open (a cluster of roots, a root that may be an
 * end of the curve or at the apex of a cone, a polynomial that may be zero), the exact coefficients follow, if
 * there are any. Roots are isolated a little beyond the ends of a curve, so that one at an end is in one enclosure.
 *
 * A circle has two charts, t = tan(angle / 2) and the same from the opposite point, |t| <= s and |t| <= 1 / s. The
 * power of two s is such that no root is at +-s, so that no root is in both. */
#include "intersect/hits.h"

#include "interval/poly_certified.h"

#include <math.h>
#include <string.h>

typedef struct piece {
    const abut_enclosed_curve *curve;
    const abut_enclosed_surface *surface;
    const abut_interval_vec3 *to;
    bool whole;
    double before, after;  /* where roots are looked for */
    abut_substituted s[2]; /* of the charts */
    abut_interval end;     /* angle of the end of an arc */
    bool through_apex;     /* of a line: proved */
    bool open_ends[2];     /* proved: no root at 0, at 1 */
    abut_piece_hits *out;
} piece;

/* ---- the first stage ---- */

static ABUT_NOINLINE int sign_at(const abut_substituted *s, double t)
{
    ia v = ia_from(s->c[s->degree]);
    for (int i = s->degree; i-- > 0;)
        v = ia_add(ia_scale(t, v), ia_from(s->c[i]));
    return ia_sign(v);
}

static int interval_sign(const abut_substituted *s, double t)
{
    const abut_rounding saved = abut_rounding_enter();
    const int sign = sign_at(s, t);
    abut_rounding_leave(saved);
    return sign;
}

static ABUT_NOINLINE void height_over(const abut_substituted *s, const abut_interval *t, abut_interval *out)
{
    ia v = ia_from(s->height[s->curve_degree]);
    for (int i = s->curve_degree; i-- > 0;)
        v = ia_add(ia_mul(ia_from(*t), v), ia_from(s->height[i]));
    *out = ia_to(v);
}

/* 1, -1: above, below the apex; 0: not known. */
static int nappe_side(const piece *p, const abut_substituted *s, abut_interval t)
{
    if (p->surface->kind != ABUT_SOLID_CONE)
        return 1;
    abut_interval v;
    const abut_rounding saved = abut_rounding_enter();
    height_over(s, &t, &v);
    abut_rounding_leave(saved);
    return v.lo > 0 ? 1 : v.hi < 0 ? -1 : 0;
}

static ABUT_NOINLINE void angle_of(const abut_interval *t, bool turned, abut_interval *out)
{
    ia a = ia_scale(2, ia_atan(ia_from(*t)));
    if (turned)
        a = ia_add(a, ia_pi());
    else if (t->hi < 0)
        a = ia_add(a, ia_scale(2, ia_pi()));
    *out = ia_to(a);
}

/* The angle of `to`, in [0, 2 pi]. */
static ABUT_NOINLINE void angle_to(const abut_enclosed_curve *c, const abut_interval_vec3 *to,
                                   abut_interval *out)
{
    const ia3 center = ia3_from(&c->p[0]), x = ia3_sub(ia3_from(&c->p[1]), center), axis = ia3_from(&c->p[2]);
    const ia3 d = ia3_sub(ia3_from(to), center), y = ia3_cross(axis, x);
    const ia a = ia_atan2(ia_div(ia3_dot(d, y), ia_sqrt(ia3_sqr_norm(axis))), ia3_dot(d, x));
    *out = ia_to(ia_hi(a) < 0 ? ia_add(a, ia_scale(2, ia_pi())) : a);
    if (out->lo < 0)
        *out = (abut_interval){ 0, 6.3 };
}

/* ---- hits ---- */

static bool is_point(abut_interval x)
{
    return x.lo == x.hi;
}

/* Roots are enclosed by adjacent doubles at best: the one that is no root may be left out. */
static void leave_out(abut_interval *t, double end)
{
    if (t->lo == end && t->hi > end)
        t->lo = ia_up(end);
    else if (t->hi == end && t->lo < end)
        t->hi = ia_down(end);
}

static bool meets(abut_interval x, double lo, double hi)
{
    return x.lo <= hi && x.hi >= lo;
}

/* Where the parameter is; false where it is beyond the ends. `t` is the parameter of the polynomial. */
static bool place_of(const piece *p, abut_interval t, bool turned, abut_curve_hit *hit)
{
    const abut_interval enclosed = t;
    if (p->open_ends[0] && !turned)
        leave_out(&t, 0);
    if (p->curve->kind != ABUT_SOLID_EDGE_CIRCLE) {
        if (p->open_ends[1])
            leave_out(&t, 1);
        hit->parameter = enclosed;
        if (t.hi < 0 || t.lo > 1)
            return false;
        hit->place = is_point(t) && t.lo == 0   ? ABUT_HIT_START
                     : is_point(t) && t.lo == 1 ? ABUT_HIT_END
                     : t.lo > 0 && t.hi < 1     ? ABUT_HIT_INSIDE
                                                : ABUT_HIT_NEAR_END;
        return true;
    }
    const abut_rounding saved = abut_rounding_enter();
    angle_of(&t, turned, &hit->parameter);
    abut_rounding_leave(saved);
    if (!turned && meets(t, 0, 0)) {
        hit->place = is_point(t) ? ABUT_HIT_START : ABUT_HIT_NEAR_END;
        return true;
    }
    hit->place = ABUT_HIT_INSIDE;
    if (p->whole)
        return true;
    if (hit->parameter.lo > p->end.hi)
        return false;
    if (hit->parameter.hi >= p->end.lo)
        hit->place = ABUT_HIT_NEAR_END;
    return true;
}

/* The lower end is open where the hit's polynomial has the chart `turned`. False where something is not decided
 * that exact numbers may decide. */
static bool add(piece *p, const abut_root *root, bool turned)
{
    abut_curve_hit hit = { .kind = root->kind == ABUT_ROOT_SIMPLE     ? ABUT_HIT_TRANSVERSAL
                                   : root->kind == ABUT_ROOT_MULTIPLE ? ABUT_HIT_TANGENT
                                                                      : ABUT_HIT_UNDECIDED,
                           .multiplicity = root->multiplicity };
    const abut_substituted *s = &p->s[turned];
    if (!place_of(p, root->x, turned, &hit))
        return true;
    const int side = nappe_side(p, s, root->x);
    if (side < 0)
        return true;
    hit.point = abut_substituted_point(s, root->x);
    bool certain = hit.kind != ABUT_HIT_UNDECIDED && hit.place != ABUT_HIT_NEAR_END && side > 0;
    if (side == 0) {
        /* The apex itself, where it is a point of the curve. */
        const abut_interval_vec3 *q = &hit.point, *apex = &p->surface->point;
        const bool at =
            p->through_apex || (is_point(root->x) && is_point(q->x) && is_point(q->y) && is_point(q->z) &&
                                q->x.lo == apex->x.lo && q->y.lo == apex->y.lo && q->z.lo == apex->z.lo &&
                                is_point(apex->x) && is_point(apex->y) && is_point(apex->z));
        if (!at)
            hit.kind = ABUT_HIT_UNDECIDED;
        certain = at && hit.place != ABUT_HIT_NEAR_END && hit.kind != ABUT_HIT_UNDECIDED;
    }
    p->out->decided = p->out->decided && certain;
    if (p->out->count < ABUT_PIECE_HITS)
        p->out->hit[p->out->count++] = hit;
    return certain;
}

/* All of the piece, where nothing is known. */
static void add_all(piece *p)
{
    abut_piece_hits *out = p->out;
    const bool circle = p->curve->kind == ABUT_SOLID_EDGE_CIRCLE;
    out->decided = false;
    out->count = 1;
    out->hit[0] = (abut_curve_hit){ .kind = ABUT_HIT_UNDECIDED,
                                    .place = ABUT_HIT_NEAR_END,
                                    .multiplicity = out->degree,
                                    .parameter = { 0, circle ? 6.3 : 1 },
                                    .point = abut_substituted_point(&p->s[0], (abut_interval){ 0, 1 }) };
    if (circle) {
        const abut_interval both = { -1, 1 };
        const abut_interval_vec3 a = abut_substituted_point(&p->s[0], both),
                                 b = abut_substituted_point(&p->s[1], both);
        out->hit[0].point = (abut_interval_vec3){ abut_interval_hull(a.x, b.x), abut_interval_hull(a.y, b.y),
                                                  abut_interval_hull(a.z, b.z) };
    }
}

static void begin(piece *p)
{
    p->out->count = 0;
    p->out->decided = true;
    p->out->contained = false;
}

static const double seams[] = { 1, 2, 0.5, 4, 0.25, 8, 0.125, 16, 0.0625, 32, 0.03125 };
enum { SEAMS = sizeof seams / sizeof *seams };

typedef enum stage_end {
    STAGE_FAILED, /* no list of hits */
    STAGE_OPEN,   /* one that exact numbers may improve */
    STAGE_DONE
} stage_end;

static stage_end first_stage(piece *p)
{
    const bool circle = p->curve->kind == ABUT_SOLID_EDGE_CIRCLE;
    double seam = 1;
    begin(p);
    if (circle) {
        int i = 0;
        while (i < SEAMS && (!interval_sign(&p->s[0], seams[i]) || !interval_sign(&p->s[0], -seams[i])))
            ++i;
        if (i == SEAMS)
            return STAGE_FAILED;
        seam = seams[i];
    }
    bool done = true;
    for (int chart = 0; chart < (circle ? 2 : 1); ++chart) {
        abut_root roots[ABUT_SUBSTITUTE_DEGREE];
        const double reach = chart ? 1 / seam : seam;
        const int count =
            abut_poly_roots_interval(p->s[chart].c, p->s[chart].degree, circle ? -reach : p->before,
                                     circle ? reach : p->after, 0, roots);
        if (count < 0)
            return STAGE_FAILED;
        for (int i = 0; i < count; ++i)
            done = add(p, &roots[i], chart) && done;
    }
    return done ? STAGE_DONE : STAGE_OPEN;
}

/* ---- the second stage ---- */

/* A curve in the double cone: in the nappe (1), in the other (-1), or 0: both, or not known. */
static int nappe_of(const piece *p, const abut_substituted_exact *e)
{
    abut_root roots[4];
    if (e->height_degree < 0)
        return 0;
    const int count =
        abut_poly_roots_expansion(&e->height[0][0], ABUT_SUBSTITUTE_TERMS, e->height_degree, 0, 1, 0, roots);
    if (count < 0)
        return 0;
    /* Plane sections through the apex are lines: a circle in the cone does not pass it. */
    const bool circle = p->curve->kind == ABUT_SOLID_EDGE_CIRCLE;
    for (int i = 0; i < count && !circle; ++i)
        if (!is_point(roots[i].x) || (roots[i].x.lo != 0 && roots[i].x.lo != 1))
            return 0;
    abut_substituted_exact height = { .degree = e->height_degree };
    memcpy(height.terms, e->height, sizeof e->height);
    const int sign = abut_substituted_sign(&height, circle ? 0 : 0.5);
    return sign == 2 ? 0 : sign;
}

/* The circle through the exact end: the one root whose angle may be its angle is there. */
static void settle_end(piece *p)
{
    abut_piece_hits *out = p->out;
    int near = -1, count = 0;
    for (int i = 0; i < out->count; ++i)
        if (meets(out->hit[i].parameter, p->end.lo, p->end.hi)) {
            near = i;
            ++count;
        }
    if (count != 1 || out->hit[near].place != ABUT_HIT_NEAR_END)
        return;
    const abut_vec3 q = { p->to->x.lo, p->to->y.lo, p->to->z.lo };
    if (!is_point(p->to->x) || !is_point(p->to->y) || !is_point(p->to->z) ||
        abut_on_surface_exact(p->surface, q) != 1)
        return;
    if (!abut_on_circle_exact(p->curve, q))
        return;
    out->hit[near].place = ABUT_HIT_END;
}

static ABUT_NOINLINE bool second_stage(piece *p)
{
    const bool circle = p->curve->kind == ABUT_SOLID_EDGE_CIRCLE;
    abut_enclosed_curve curve = *p->curve;
    abut_substituted_exact e;
    double seam = 1;
    for (int chart = 0; chart < (circle ? 2 : 1); ++chart) {
        curve.turned = chart;
        if (!abut_substitute_exact(&curve, p->surface, &e))
            return false;
        if (e.degree < 0) {
            begin(p);
            const int side = p->surface->kind == ABUT_SOLID_CONE ? nappe_of(p, &e) : 1;
            if (side == 0)
                add_all(p);
            p->out->contained = side > 0;
            return true;
        }
        if (chart == 0) {
            int i = 0;
            while (
                circle && i < SEAMS &&
                (!(abut_substituted_sign(&e, seams[i]) % 2) || !(abut_substituted_sign(&e, -seams[i]) % 2)))
                ++i;
            if (i == SEAMS)
                return false;
            seam = seams[i];
            p->open_ends[0] = abut_substituted_sign(&e, 0) % 2 != 0;
            p->open_ends[1] = abut_substituted_sign(&e, 1) % 2 != 0;
            if (p->curve->kind == ABUT_SOLID_EDGE_LINE)
                p->through_apex = abut_substituted_apex(&e);
            begin(p);
        }
        const double reach = chart ? 1 / seam : seam;
        abut_root roots[ABUT_SUBSTITUTE_DEGREE];
        const int count =
            abut_poly_roots_expansion(&e.terms[0][0], ABUT_SUBSTITUTE_TERMS, e.degree,
                                      circle ? -reach : p->before, circle ? reach : p->after, 0, roots);
        if (count < 0)
            return false;
        for (int i = 0; i < count; ++i)
            add(p, &roots[i], chart);
    }
    return true;
}

/* By parameter; hits that may be the start of a circle come first. */
static void sort(abut_piece_hits *out)
{
    for (int i = 1; i < out->count; ++i)
        for (int j = i; j > 0 && out->hit[j].parameter.lo < out->hit[j - 1].parameter.lo; --j) {
            const abut_curve_hit t = out->hit[j];
            out->hit[j] = out->hit[j - 1];
            out->hit[j - 1] = t;
        }
}

static bool all_certain(const abut_piece_hits *out)
{
    for (int i = 0; i < out->count; ++i)
        if (out->hit[i].kind == ABUT_HIT_UNDECIDED || out->hit[i].place == ABUT_HIT_NEAR_END)
            return false;
    return true;
}

void abut_intersect_piece(const abut_enclosed_curve *curve, bool whole, const abut_interval_vec3 *to,
                          const abut_enclosed_surface *surface, abut_piece_hits *out)
{
    piece p = { .curve = curve, .surface = surface, .to = to, .whole = whole, .out = out };
    p.before = -0x1p-12;
    p.after = 1 + 0x1p-12;
    if (curve->kind == ABUT_SOLID_EDGE_CONIC && curve->weight.hi > 256) {
        /* The denominator is positive from -1 / (4 w) on. */
        p.before = 0;
        p.after = 1;
    }
    abut_enclosed_curve turned = *curve;
    abut_substitute(curve, surface, &p.s[0]);
    if (curve->kind == ABUT_SOLID_EDGE_CIRCLE) {
        turned.turned = true;
        abut_substitute(&turned, surface, &p.s[1]);
        if (!whole) {
            const abut_rounding saved = abut_rounding_enter();
            angle_to(curve, to, &p.end);
            abut_rounding_leave(saved);
        }
    }
    *out = (abut_piece_hits){ .degree = p.s[0].degree };
    const stage_end end = first_stage(&p);
    if (end != STAGE_DONE) {
        /* The hits of the first stage stand where the second cannot do its work. */
        const abut_piece_hits kept = *out;
        if (second_stage(&p)) {
            out->exact = true;
            if (!whole && curve->kind == ABUT_SOLID_EDGE_CIRCLE)
                settle_end(&p);
            out->decided =
                out->contained || (out->count == 0 && out->decided) || (out->count > 0 && all_certain(out));
        } else if (end == STAGE_OPEN) {
            *out = kept;
            out->decided = false;
        } else {
            add_all(&p);
        }
    }
    sort(out);
}
