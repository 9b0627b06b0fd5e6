/* SPDX-License-Identifier: MIT */
/* Witnesses next to a contact that was found: where the place of contact is a little later (or
 * earlier, at the end of a contact), and beside it along the normal; points of faces there;
 * crossings on the small loop around it. Everything here is a guess until surface_deep.c has
 * proved it. */
#include "ccd/surface/surface_deep.h"

#include "math/vec3.h"

enum { grid = 7, newton_steps = 8, line_steps = 12 };

/* ---- a point in both ---- */

typedef struct place {
    abut_vec3 local[2];   /* of the contact, in the frames of the bodies, when it was found */
    abut_vec3 carried[2]; /* by now, in the frame of body 1, carried along by either */
    abut_vec3 normal;     /* in that frame */
    double from;          /* when it was found */
} place;

static ABUT_NOINLINE void carry(const abut_deep *d, const abut_first_point *contact, double from, double t,
                                place *out)
{
    const abut_relative_side world = { .surface = NULL, .rigid = true };
    const ia3 point = ia3_point(contact->point);
    abut_relative r;
    out->from = from;
    for (int i = 0; i < 2; ++i) {
        abut_relative_over(&world, &d->sides[i], ia_point(from), &r);
        out->local[i] = ia3_mid(abut_relative_point(&r, point).x);
    }
    out->normal = ia3_mid(abut_relative_direction(&r, ia3_point(contact->normal)));
    out->carried[1] = out->local[1];
    abut_relative_over(&d->sides[0], &d->sides[1], ia_point(t), &r);
    out->carried[0] = ia3_mid(abut_relative_point(&r, ia3_point(out->local[0])).x);
}

static bool try_witness(abut_deep *d, const abut_deep_witness *w, double t)
{
    d->w = *w;
    if (abut_deep_improve(d, t))
        return true;
    d->w.kind = ABUT_DEEP_NONE;
    return false;
}

/* Between both, and along the normal: bodies that deform move their surfaces, not the points
 * that were there, and at an edge or vertex of one the inside is off the point of contact. */
static bool guess_point(abut_deep *d, const place *p, double t)
{
    static const double parts[] = { 0.125, -0.125, 0.5, -0.5, 2, -2 };
    const abut_vec3 middle = abut_scale(0.5, abut_add(p->carried[0], p->carried[1]));
    const abut_vec3 bases[3] = { middle, p->carried[0], p->carried[1] };
    const abut_vec3 moved = abut_sub(p->carried[0], p->carried[1]);
    const double steps[2] = { fabs(abut_dot(moved, p->normal)), abut_length(moved) };
    const int count = (int)(sizeof parts / sizeof *parts);
    abut_deep_witness wedge = { .kind = ABUT_DEEP_POINT, .side = 1, .at = { middle.x, middle.y, middle.z } };
    if (abut_deep_centre(d, p->local, p->from, t, &wedge) && try_witness(d, &wedge, t))
        return true;
    for (int i = -1; i < 2 * count; ++i)
        for (int k = 0; k < 3; ++k) {
            const double far = i < 0 ? 0 : parts[i % count] * steps[i / count];
            const abut_vec3 at = abut_madd(bases[k], far, p->normal);
            const abut_deep_witness w = { .kind = ABUT_DEEP_POINT, .side = 1, .at = { at.x, at.y, at.z } };
            if (try_witness(d, &w, t))
                return true;
        }
    return false;
}

/* ---- points of faces ---- */

static bool is_face(const abut_surface_feature *f)
{
    return f->dimension == 2 && f->parametric && isfinite(f->range[0].hi - f->range[0].lo) &&
           isfinite(f->range[1].hi - f->range[1].lo);
}

static double clamp(double x, abut_interval range)
{
    return x < range.lo ? range.lo : x > range.hi ? range.hi : x;
}

/* A closed parameter comes back at the other end of its range. */
static double turn(const abut_surface_feature *f, int i, double x)
{
    const double length = f->range[i].hi - f->range[i].lo;
    if (!f->wraps[i])
        return x;
    return x < f->range[i].lo ? x + length : x > f->range[i].hi ? x - length : x;
}

static double far_from(abut_deep *d, int side, const abut_surface_feature *f, const double q[2], double t,
                       abut_vec3 p, abut_jet *jet)
{
    const ia at[2] = { ia_point(q[0]), ia_point(q[1]) };
    ++d->evaluations;
    if (!abut_feature_jet(&d->parts[side]->surface, f, at, ia_point(t), 1, d->scratch[side], jet))
        return HUGE_VAL;
    return abut_length(abut_sub(p, ia3_mid(jet->p)));
}

/* A part of a step from q on a face; at a side of it along that. */
static void step_on_face(const abut_surface_feature *f, const abut_jet *jet, abut_vec3 away, double part,
                         const double q[2], double next[2])
{
    const abut_vec3 u = ia3_mid(jet->u), v = ia3_mid(jet->v);
    const double uu = abut_dot(u, u), uv = abut_dot(u, v), vv = abut_dot(v, v);
    const double du = part * abut_dot(away, u), dv = part * abut_dot(away, v), det = uu * vv - uv * uv;
    next[0] = clamp(turn(f, 0, q[0] + (vv * du - uv * dv) / det), f->range[0]);
    next[1] = clamp(turn(f, 1, q[1] + (uu * dv - uv * du) / det), f->range[1]);
    if (next[0] == f->range[0].lo || next[0] == f->range[0].hi)
        next[1] = clamp(q[1] + (dv - uv * (next[0] - q[0])) / vv, f->range[1]);
    else if (next[1] == f->range[1].lo || next[1] == f->range[1].hi)
        next[0] = clamp(q[0] + (du - uv * (next[1] - q[1])) / uu, f->range[0]);
}

/* Gauss-Newton steps to the nearest point of a face, shorter ones where these lead too far, as
 * next to poles. */
static double approach(abut_deep *d, int side, const abut_surface_feature *f, double t, abut_vec3 p,
                       double q[2])
{
    abut_jet jet, then_jet;
    double far = far_from(d, side, f, q, t, p, &jet);
    for (int i = 0; i < newton_steps && !abut_deep_spent(d); ++i) {
        const abut_vec3 away = abut_sub(p, ia3_mid(jet.p)), u = ia3_mid(jet.u), v = ia3_mid(jet.v);
        const double uu = abut_dot(u, u), uv = abut_dot(u, v), vv = abut_dot(v, v);
        if (!(uu * vv - uv * uv > 1e-12 * uu * vv))
            break;
        double next[2], then = HUGE_VAL;
        for (double part = 1; part > 0.01 && !(then < far); part *= 0.25) {
            step_on_face(f, &jet, away, part, q, next);
            then = far_from(d, side, f, next, t, p, &then_jet);
        }
        if (!(then < far))
            break;
        far = then;
        jet = then_jet;
        memcpy(q, next, sizeof next);
    }
    return far;
}

/* The point of the faces of a body nearest to p. */
static ABUT_NOINLINE void find_nearest(abut_deep *d, int side, double t, abut_vec3 p,
                                       const abut_surface_feature **face, double q[2])
{
    const abut_surface *const s = &d->parts[side]->surface;
    double best = HUGE_VAL;
    *face = NULL;
    for (size_t i = 0; i < s->feature_count; ++i) {
        const abut_surface_feature *const f = &s->features[i];
        double start[2] = { 0, 0 }, least = HUGE_VAL;
        if (!is_face(f))
            continue;
        for (int k = 0; k < grid * grid && !abut_deep_spent(d); ++k) {
            const int row = k / grid;
            const double part[2] = { (k % grid + 0.5) / grid, (row + 0.5) / grid };
            double at[2];
            abut_jet jet;
            for (int j = 0; j < 2; ++j)
                at[j] = f->range[j].lo + part[j] * (f->range[j].hi - f->range[j].lo);
            const double far = far_from(d, side, f, at, t, p, &jet);
            if (far < least) {
                least = far;
                memcpy(start, at, sizeof at);
            }
        }
        if (!(least < HUGE_VAL))
            continue;
        const double far = approach(d, side, f, t, p, start);
        if (far < best) {
            best = far;
            *face = f;
            memcpy(q, start, sizeof start);
        }
    }
}

/* How far a unit of each parameter leads. */
static ABUT_NOINLINE void find_speed(abut_deep *d, int side, const abut_surface_feature *f, const double q[2],
                                     double t, double speed[2])
{
    abut_jet jet;
    (void)far_from(d, side, f, q, t, abut_v3(0, 0, 0), &jet);
    speed[0] = fmax(abut_length(ia3_mid(jet.u)), DBL_MIN);
    speed[1] = fmax(abut_length(ia3_mid(jet.v)), DBL_MIN);
}

static bool guess_face(abut_deep *d, int side, const place *p, double t)
{
    abut_deep_witness w = { .kind = ABUT_DEEP_FACE, .side = side };
    double speed[2];
    const abut_rounding saved = abut_rounding_enter();
    find_nearest(d, side, p->from, p->local[side], &w.face[0], w.at);
    if (w.face[0])
        find_speed(d, side, w.face[0], w.at, t, speed);
    abut_rounding_leave(saved);
    if (!w.face[0])
        return false;
    if (try_witness(d, &w, t))
        return true;
    abut_deep_witness wedge = w;
    if (abut_deep_centre(d, p->local, p->from, t, &wedge) && try_witness(d, &wedge, t))
        return true;
    /* An edge or vertex of the other comes through beside it, or the surface itself moves. */
    const double moved = abut_length(abut_sub(p->carried[0], p->carried[1]));
    const double start[2] = { w.at[0], w.at[1] };
    for (int i = 0; i < 24; ++i) {
        const double far = moved * (i < 8 ? 0.5 : i < 16 ? 0.125 : 2);
        for (int k = 0; k < 2; ++k) {
            const double way = (k == 0 ? cos : sin)(i * 0.78539816339744831);
            w.at[k] = clamp(turn(w.face[0], k, start[k] + way * far / speed[k]), w.face[0]->range[k]);
        }
        if (try_witness(d, &w, t))
            return true;
    }
    return false;
}

/* ---- crossings ---- */

/* How far a point of the line along parameter k, at `far` from w->at in parts of the range, is
 * off the other face, with a sign. The parameters there and of the point next to it go to
 * `out`. */
static double gap_along(abut_deep *d, const abut_deep_witness *w, const abut_relative *to_two,
                        const abut_relative *to_one, double t, int k, double far, double out[4])
{
    const int side = k / 2;
    const abut_surface_feature *const f = w->face[side];
    const abut_interval range = f->range[k % 2];
    abut_jet jet;
    memcpy(out, w->at, sizeof w->at);
    out[k] = clamp(turn(f, k % 2, w->at[k] + far * (range.hi - range.lo)), range);
    (void)far_from(d, side, f, out + 2 * (size_t)side, t, abut_v3(0, 0, 0), &jet);
    const abut_vec3 p = ia3_mid(abut_relative_point(side ? to_one : to_two, jet.p).x);
    (void)approach(d, !side, w->face[!side], t, p, out + 2 * (size_t)!side);
    (void)far_from(d, !side, w->face[!side], out + 2 * (size_t)!side, t, p, &jet);
    return abut_dot(abut_sub(p, ia3_mid(jet.p)), abut_cross(ia3_mid(jet.u), ia3_mid(jet.v)));
}

/* Where the line along parameter k comes through the other face; 4 of the way after another, to
 * both sides. */
static ABUT_NOINLINE void follow_line(abut_deep *d, abut_deep_witness *w, double t, int k, double root,
                                      bool *found)
{
    abut_deep_time time;
    double at[4], last_at[4];
    *found = false;
    abut_deep_place(d, ia_point(t), &time);
    if (!time.defined)
        return;
    for (int way = -1; way <= 1 && !*found; way += 2) {
        double last = gap_along(d, w, &time.to[0], &time.to[1], t, k, 0, last_at);
        for (int i = 0; i < line_steps && !*found && !abut_deep_spent(d); ++i) {
            const double gap = gap_along(d, w, &time.to[0], &time.to[1], t, k, way * ldexp(root, i - 3), at);
            if ((gap < 0) != (last < 0)) {
                abut_deep_witness next = *w;
                const double part = last / (last - gap);
                const bool wrapped = fabs(at[k] - last_at[k]) > 0.5 * (w->face[k / 2]->range[k % 2].hi -
                                                                       w->face[k / 2]->range[k % 2].lo);
                memcpy(next.at, at, sizeof at);
                if (!wrapped && part > 0 && part < 1)
                    next.at[k] = last_at[k] + part * (at[k] - last_at[k]);
                *found = abut_deep_decide_line(d, &next, k ^ 1, t) && abut_deep_cross_over(d, &next, t, t);
                if (*found)
                    *w = next;
            }
            last = gap;
            memcpy(last_at, at, sizeof at);
        }
    }
}

/* Straight from the contact: edges that pass through each other, corners. */
static ABUT_NOINLINE void pass_line(abut_deep *d, abut_deep_witness *w, double t, int held, bool *found)
{
    abut_deep_witness next = *w;
    *found = abut_deep_decide_line(d, &next, held, t) && abut_deep_cross_over(d, &next, t, t);
    if (*found)
        *w = next;
}

/* Faces that touched cross in a loop about the contact, as large as the square root of the time
 * since; edges of sheets in what is left of one, or between them. */
static bool guess_crossing(abut_deep *d, const place *p, double t)
{
    abut_deep_witness w = { .kind = ABUT_DEEP_CROSS };
    bool found = false;
    const abut_rounding saved = abut_rounding_enter();
    for (int i = 0; i < 2; ++i)
        find_nearest(d, i, p->from, p->local[i], &w.face[i], w.at + 2 * (size_t)i);
    if (w.face[0] && w.face[1]) {
        const double root = 0.3 * sqrt(fabs(t - p->from) / d->length);
        for (int k = 0; k < 4 && !found; ++k)
            pass_line(d, &w, t, k, &found);
        for (int k = 0; k < 4 && !found; ++k)
            follow_line(d, &w, t, k, root, &found);
    }
    abut_rounding_leave(saved);
    if (found)
        d->w = w;
    return found;
}

/* Where a part of one came into being inside the other, as carried along by either; between the
 * walls that it came out of. In the frame of what is born first: that small it leaves a point of the other's
 * frame at once. */
static bool guess_birth(abut_deep *d, const place *p, double t)
{
    const int born = d->parts[1]->surface.deforms && !d->parts[0]->surface.deforms;
    for (int i = 0; i < 2 && abut_deep_knows(d, 0) && abut_deep_knows(d, 1); ++i) {
        const int side = i ? !born : born;
        const abut_vec3 at = p->local[side];
        const abut_deep_witness w = { .kind = ABUT_DEEP_POINT, .side = side, .at = { at.x, at.y, at.z } };
        abut_deep_witness wedge = w;
        if ((abut_deep_centre(d, p->local, p->from, t, &wedge) && try_witness(d, &wedge, t)) ||
            try_witness(d, &w, t))
            return true;
    }
    return false;
}

bool abut_deep_set_point(abut_deep *d, int side, abut_vec3 at, double t)
{
    d->w = (abut_deep_witness){ .kind = ABUT_DEEP_POINT, .side = side, .at = { at.x, at.y, at.z } };
    if (abut_deep_over(d, t, t))
        return true;
    d->w.kind = ABUT_DEEP_NONE;
    return false;
}

bool abut_deep_guess(abut_deep *d, const abut_first_point *contact, double from, double t)
{
    const bool fields[2] = { d->parts[0]->surface.implicit, d->parts[1]->surface.implicit };
    place p;
    d->w.kind = ABUT_DEEP_NONE;
    const abut_rounding saved = abut_rounding_enter();
    carry(d, contact, from, t, &p);
    abut_rounding_leave(saved);
    if (contact->kind == 0)
        return guess_birth(d, &p, t);
    if (fields[0] && fields[1])
        return guess_point(d, &p, t);
    for (int side = 0; side < 2; ++side)
        if (fields[!side] && guess_face(d, side, &p, t))
            return true;
    return !fields[0] && !fields[1] && guess_crossing(d, &p, t);
}
