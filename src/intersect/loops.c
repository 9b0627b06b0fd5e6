/* SPDX-License-Identifier: MIT */
/* abut_surface_loops: which method takes which pair of surfaces.
 *
 * Each method proves what it says, or leaves the pair to the next. Intervals come first; where
 * they do not separate roots, exact arithmetic does, if the poses and axes are exact. */
#include "intersect/loops.h"
#include "math/nearest.h"

#include <math.h>
#include <string.h>

/* ---- placing ----
 *
 * Surfaces placed in the world by intervals: frames, homogeneous matrices and what is common to
 * the methods that find the components of intersections.
 *
 * A pose rotates by N / |q|^2 with N the matrix of quadratic forms in its quaternion q, which is
 * right for every q but 0. The matrices are those of
 *     sphere    |y|^2 - r^2
 *     cylinder  |y|^2 - (a.y)^2 - r^2
 *     cone      |y|^2 - (1 + t^2) (a.y)^2          (both nappes)
 * with y = x - point, a the unit axis, t the tangent of the half-angle. */

static ia33 rotation_of(const abut_quat *q)
{
    const ia w = ia_point(q->w), x = ia_point(q->x), y = ia_point(q->y), z = ia_point(q->z);
    const ia norm = ia_add(ia_add(ia_sqr(w), ia_sqr(x)), ia_add(ia_sqr(y), ia_sqr(z)));
    const ia s = ia_div(ia_point(2), norm);
    const ia xx = ia_mul(s, ia_sqr(x)), yy = ia_mul(s, ia_sqr(y)), zz = ia_mul(s, ia_sqr(z));
    const ia xy = ia_mul(s, ia_mul(x, y)), xz = ia_mul(s, ia_mul(x, z)), yz = ia_mul(s, ia_mul(y, z));
    const ia wx = ia_mul(s, ia_mul(w, x)), wy = ia_mul(s, ia_mul(w, y)), wz = ia_mul(s, ia_mul(w, z));
    const ia one = ia_point(1);
    return (ia33){ { { ia_sub(one, ia_add(yy, zz)), ia_sub(xy, wz), ia_add(xz, wy) },
                     { ia_add(xy, wz), ia_sub(one, ia_add(xx, zz)), ia_sub(yz, wx) },
                     { ia_sub(xz, wy), ia_add(yz, wx), ia_sub(one, ia_add(xx, yy)) } } };
}

/* linear (x - shift) are coordinates of the body */
typedef struct placing {
    ia33 rotation; /* body to world */
    ia3 shift;     /* the body's origin relative to the common one */
    bool turned;
} placing;

static placing placing_of(const abut_pose *pose, abut_vec3 origin)
{
    placing p = { ia33_identity(), ia3_neg(ia3_point(origin)), false };
    if (pose) {
        const abut_quat *q = &pose->rotation;
        p.turned = q->x != 0 || q->y != 0 || q->z != 0;
        if (p.turned)
            p.rotation = rotation_of(q);
        p.shift = ia3_sub(ia3_point(pose->position), ia3_point(origin));
    }
    return p;
}

static ia3 turn(const placing *p, abut_vec3 a)
{
    return p->turned ? ia33_mul3(&p->rotation, ia3_point(a)) : ia3_point(a);
}

static ia3 unit(ia3 a)
{
    /* Scaled by a power of two, so that the square neither overflows nor vanishes. */
    double size = fmax(fmax(ia_mag(a.x), ia_mag(a.y)), ia_mag(a.z));
    int e;
    frexp(size, &e);
    const ia scale = ia_point(ldexp(1, e > 1000 ? -1000 : e < -1000 ? 1000 : -e));
    const ia3 b = ia3_scale(scale, a);
    const ia norm = ia_sqrt(ia3_sqr_norm(b));
    return (ia3){ ia_div(b.x, norm), ia_div(b.y, norm), ia_div(b.z, norm) };
}

/* M = [P, -P c; (-P c)', c' P c - k], P = 1 - w a a'. */
static void matrix_of(ia3 c, ia3 a, ia w, ia k, ia m[4][4])
{
    ia33 p = ia33_identity();
    if (!(ia_is_point(w) && ia_lo(w) == 0)) {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                const ia aa = i == j ? ia_sqr(ia3_part(a, i)) : ia_mul(ia3_part(a, i), ia3_part(a, j));
                p.m[i][j] = ia_sub(p.m[i][j], ia_mul(w, aa));
            }
    }
    const ia3 pc = ia33_mul3(&p, c);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            m[i][j] = p.m[i][j];
        m[i][3] = m[3][i] = ia_neg(ia3_part(pc, i));
    }
    m[3][3] = ia_sub(ia_sub(ia3_sqr_norm(c), ia_mul(w, ia_sqr(ia3_dot(a, c)))), k);
}

static void quadric_of(const double body[4][4], const placing *p, ia m[4][4])
{
    /* y = R' (x - shift): columns of the map, homogeneous. */
    ia map[4][4];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            map[i][j] = p->rotation.m[j][i];
        map[i][3] = ia_neg(ia3_dot((ia3){ map[i][0], map[i][1], map[i][2] }, p->shift));
        map[3][i] = ia_point(0);
    }
    map[3][3] = ia_point(1);
    ia half[4][4];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            half[i][j] = ia_point(0);
            for (int k = 0; k < 4; ++k)
                half[i][j] = ia_add(half[i][j], ia_scale(body[i][k], map[k][j]));
        }
    for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j) {
            ia sum = ia_point(0);
            for (int k = 0; k < 4; ++k)
                sum = ia_add(sum, ia_mul(map[k][i], half[k][j]));
            m[i][j] = m[j][i] = sum;
        }
}

/* Kernel. NULL: at rest at the world's origin. */
static void place_surface(const abut_solid_surface *s, const abut_pose *pose, abut_vec3 origin,
                          abut_placed *out)
{
    const placing p = placing_of(pose, origin);
    *out = (abut_placed){ .kind = s->kind };
    out->radius = ia_point(s->radius);
    out->minor = ia_point(s->minor);
    out->tangent = ia_point(s->tangent);
    if (s->kind == ABUT_SOLID_QUADRIC) {
        quadric_of(s->matrix, &p, out->matrix);
        return;
    }
    out->point = ia3_add(turn(&p, s->point), p.shift);
    if (s->kind != ABUT_SOLID_SPHERE)
        out->axis = unit(turn(&p, s->axis));
    const ia zero = ia_point(0), one = ia_point(1);
    switch (s->kind) {
    case ABUT_SOLID_PLANE:
        out->form[0] = out->axis.x;
        out->form[1] = out->axis.y;
        out->form[2] = out->axis.z;
        out->form[3] = ia_neg(ia3_dot(out->axis, out->point));
        break;
    case ABUT_SOLID_SPHERE: matrix_of(out->point, out->axis, zero, ia_sqr(out->radius), out->matrix); break;
    case ABUT_SOLID_CYLINDER: matrix_of(out->point, out->axis, one, ia_sqr(out->radius), out->matrix); break;
    case ABUT_SOLID_CONE:
        matrix_of(out->point, out->axis, ia_add(one, ia_sqr(out->tangent)), zero, out->matrix);
        break;
    default: break;
    }
}

void abut_frame_across(ia3 axis, ia3 *u, ia3 *v)
{
    const abut_vec3 a = ia3_mid(axis);
    const double x = fabs(a.x), y = fabs(a.y), z = fabs(a.z);
    const abut_vec3 e = { x <= y && x <= z, y < x && y <= z, z < x && z < y };
    *u = unit(ia3_cross(ia3_point(e), axis));
    *v = ia3_cross(axis, *u);
}

/* Kernel. x' M y in four homogeneous coordinates. */
static ia form_value(const ia m[4][4], const ia x[4], const ia y[4])
{
    ia sum = ia_point(0);
    for (int i = 0; i < 4; ++i) {
        ia row = ia_mul(m[i][0], y[0]);
        for (int j = 1; j < 4; ++j)
            row = ia_add(row, ia_mul(m[i][j], y[j]));
        sum = ia_add(sum, ia_mul(x[i], row));
    }
    return sum;
}

bool abut_meeting_add(abut_meeting *m, abut_loop_kind kind, ia3 at)
{
    abut_loops *out = m->out;
    const ia3 world = ia3_add(at, ia3_point(m->origin));
    if (out->count == ABUT_LOOPS_MAX || ia3_is_empty(at) || !ia_is_finite(world.x) ||
        !ia_is_finite(world.y) || !ia_is_finite(world.z))
        return false;
    const abut_vec3 mid = ia3_mid(world);
    const double radius = ia_hi(ia_sqrt(ia3_sqr_norm(ia3_sub(world, ia3_point(mid)))));
    if (!(radius < HUGE_VAL))
        return false;
    out->loops[out->count++] = (abut_loop){ kind, mid, radius };
    return true;
}

int abut_meeting_nappes(const abut_meeting *m, ia3 at)
{
    int all = 1;
    for (int i = 0; i < 2; ++i) {
        const abut_placed *p = &m->placed[i];
        if (p->kind != ABUT_SOLID_CONE)
            continue;
        const int sign = ia_sign(ia3_dot(p->axis, ia3_sub(at, p->point)));
        if (sign < 0)
            return 0;
        if (sign == 0)
            all = -1;
    }
    return all;
}

/* ---- the question ---- */

const char *abut_loop_kind_name(abut_loop_kind kind)
{
    static const char *const names[] = { "unknown", "closed", "open", "singular", "singular open", "point" };
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "none";
}

const char *abut_loops_status_name(abut_loops_status status)
{
    static const char *const names[] = { "unproved", "complete", "coincident" };
    return (unsigned)status < sizeof names / sizeof *names ? names[status] : "none";
}

static bool finite3(abut_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static bool positive(double x)
{
    return x > 0 && isfinite(x);
}

static bool valid_surface(const abut_solid_surface *s)
{
    if (!s)
        return false;
    if (s->kind == ABUT_SOLID_QUADRIC) {
        bool any = false;
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) {
                if (!isfinite(s->matrix[i][j]) || s->matrix[i][j] != s->matrix[j][i])
                    return false;
                any = any || s->matrix[i][j] != 0;
            }
        return any;
    }
    if (!finite3(s->point))
        return false;
    const bool axis = finite3(s->axis) && (s->axis.x != 0 || s->axis.y != 0 || s->axis.z != 0);
    switch (s->kind) {
    case ABUT_SOLID_PLANE: return axis;
    case ABUT_SOLID_SPHERE: return positive(s->radius);
    case ABUT_SOLID_CYLINDER: return axis && positive(s->radius);
    case ABUT_SOLID_CONE: return axis && positive(s->tangent);
    case ABUT_SOLID_TORUS: return axis && positive(s->minor) && positive(s->radius) && s->radius > s->minor;
    default: return false;
    }
}

static bool valid_pose(const abut_pose *p)
{
    const abut_quat *q = p ? &p->rotation : NULL;
    return !p || (finite3(p->position) && isfinite(q->w) && isfinite(q->x) && isfinite(q->y) &&
                  isfinite(q->z) && (q->w != 0 || q->x != 0 || q->y != 0 || q->z != 0));
}

static bool same_pose(const abut_pose *a, const abut_pose *b)
{
    return a && b && a->position.x == b->position.x && a->position.y == b->position.y &&
           a->position.z == b->position.z && a->rotation.w == b->rotation.w &&
           a->rotation.x == b->rotation.x && a->rotation.y == b->rotation.y && a->rotation.z == b->rotation.z;
}

static ABUT_NOINLINE void place_both(abut_meeting *m)
{
    for (int i = 0; i < 2; ++i)
        place_surface(m->surface[i], m->pose[i], m->origin, &m->placed[i]);
}

/* Kernel. */
static bool off_torus(const abut_placed *t, ia3 p)
{
    const ia3 y = ia3_sub(p, t->point);
    const ia square = ia3_sqr_norm(y), height = ia3_dot(y, t->axis), major = ia_sqr(t->radius);
    const ia inner = ia_add(square, ia_sub(major, ia_sqr(t->minor)));
    return !ia_contains_zero(
        ia_sub(ia_sqr(inner), ia_mul(ia_scale(4, major), ia_sub(square, ia_sqr(height)))));
}

/* Whether both apexes are proved to be off the other surface; then a component is on one nappe of
 * each cone. */
static ABUT_NOINLINE bool apexes_apart(const abut_meeting *m)
{
    for (int i = 0; i < 2; ++i) {
        if (m->placed[i].kind != ABUT_SOLID_CONE)
            continue;
        const abut_placed *o = &m->placed[1 - i];
        const ia3 p = m->placed[i].point;
        const ia x[4] = { p.x, p.y, p.z, ia_point(1) };
        if (o->kind == ABUT_SOLID_TORUS) {
            if (!off_torus(o, p))
                return false;
            continue;
        }
        const ia value = o->kind == ABUT_SOLID_PLANE ? ia_add(ia3_dot(o->axis, p), o->form[3])
                                                     : form_value(o->matrix, x, x);
        if (ia_contains_zero(value))
            return false;
    }
    return true;
}

/* Moves the points of a body's frame to the world. */
static ABUT_NOINLINE void carry(const abut_pose *pose, abut_loops *out)
{
    for (size_t i = 0; i < out->count; ++i) {
        abut_loop *l = &out->loops[i];
        const abut_solid_surface at = { .kind = ABUT_SOLID_SPHERE, .point = l->point, .radius = 1 };
        abut_placed placed;
        place_surface(&at, pose, (abut_vec3){ 0, 0, 0 }, &placed);
        l->point = ia3_mid(placed.point);
        const ia off = ia_sqrt(ia3_sqr_norm(ia3_sub(placed.point, ia3_point(l->point))));
        l->radius = ia_hi(ia_add(off, ia_point(l->radius)));
    }
}

static bool is_ruled(abut_solid_surface_kind kind)
{
    return kind == ABUT_SOLID_PLANE || kind == ABUT_SOLID_CYLINDER || kind == ABUT_SOLID_CONE;
}

/* The order in which ruled surfaces serve as such. */
static int rank(const abut_solid_surface *s)
{
    return s->kind == ABUT_SOLID_PLANE      ? 3
           : s->kind == ABUT_SOLID_CYLINDER ? 2
           : s->kind == ABUT_SOLID_CONE     ? 1
                                            : 0;
}

static bool solve_quadrics(abut_meeting *m)
{
    const abut_solid_surface *const *s = m->surface;
    if (s[0]->kind == ABUT_SOLID_PLANE && s[1]->kind == ABUT_SOLID_PLANE)
        return abut_loops_planes(m);
    if (s[0]->kind == ABUT_SOLID_SPHERE && s[1]->kind == ABUT_SOLID_SPHERE)
        return abut_loops_spheres(m);
    int first = rank(s[0]) >= rank(s[1]) ? 0 : 1;
    if (rank(s[0]) == rank(s[1]) && s[1]->radius < s[0]->radius)
        first = 1;
    const abut_rounding saved = abut_rounding_enter();
    const bool apart = apexes_apart(m);
    abut_rounding_leave(saved);
    const bool plane = s[first]->kind == ABUT_SOLID_PLANE;
    m->out->proof = ABUT_PROOF_INTERVAL;
    for (int i = 0; i < 2 && apart; ++i) {
        const int ruled = i ? 1 - first : first;
        if (is_ruled(s[ruled]->kind) && s[1 - ruled]->kind != ABUT_SOLID_PLANE && abut_loops_ruled(m, ruled))
            return true;
    }
    if (apart && !plane && abut_loops_bilinear(m))
        return true;
    m->out->proof = ABUT_PROOF_EXACT;
    if (plane && s[1 - first]->kind == ABUT_SOLID_CYLINDER && abut_loops_plane_along(m, first))
        return true;
    for (int i = 0; i < 2; ++i) {
        const int ruled = i ? 1 - first : first;
        if (is_ruled(s[ruled]->kind) && s[1 - ruled]->kind != ABUT_SOLID_PLANE &&
            abut_loops_ruled_exact(m, ruled))
            return true;
    }
    return s[0]->kind != ABUT_SOLID_PLANE && s[1]->kind != ABUT_SOLID_PLANE && abut_loops_same_quadric(m);
}

static bool solve_torus(abut_meeting *m)
{
    const int torus = m->surface[0]->kind == ABUT_SOLID_TORUS ? 0 : 1;
    m->out->proof = ABUT_PROOF_EXACT;
    if (abut_loops_torus_coaxial(m, torus))
        return true;
    m->out->proof = ABUT_PROOF_INTERVAL;
    const abut_rounding saved = abut_rounding_enter();
    const bool apart = apexes_apart(m);
    abut_rounding_leave(saved);
    if (!apart)
        return false;
    const abut_solid_surface_kind other = m->surface[1 - torus]->kind;
    if (other == ABUT_SOLID_PLANE || other == ABUT_SOLID_SPHERE) {
        if (abut_loops_torus_sheet(m, torus))
            return true;
        m->out->proof = ABUT_PROOF_EXACT;
        if (abut_loops_sheet_exact(m, torus))
            return true;
        m->out->proof = ABUT_PROOF_INTERVAL;
    }
    if (other == ABUT_SOLID_CYLINDER || other == ABUT_SOLID_CONE || other == ABUT_SOLID_TORUS)
        for (int i = 0; i < (other == ABUT_SOLID_TORUS ? 2 : 1); ++i)
            if (abut_loops_torus_space(m, i == 0 ? torus : 1 - torus))
                return true;
    if (other == ABUT_SOLID_CYLINDER || other == ABUT_SOLID_TORUS) {
        m->out->proof = ABUT_PROOF_EXACT;
        if (abut_loops_bend(m, torus))
            return true;
        m->out->proof = ABUT_PROOF_INTERVAL;
    }
    return abut_loops_torus_grid(m, torus) ||
           (other == ABUT_SOLID_TORUS && abut_loops_torus_grid(m, 1 - torus));
}

static void solve(abut_meeting *m)
{
    abut_loops *out = m->out;
    out->proof = ABUT_PROOF_INTERVAL;
    const bool torus = m->surface[0]->kind == ABUT_SOLID_TORUS || m->surface[1]->kind == ABUT_SOLID_TORUS;
    const bool done = torus ? solve_torus(m) : solve_quadrics(m);
    if (!done) {
        out->proof = ABUT_PROOF_TOLERANCE;
        out->status = ABUT_LOOPS_UNPROVED;
    } else if (out->status == ABUT_LOOPS_COINCIDENT) {
        out->count = 0;
    } else {
        out->status = ABUT_LOOPS_COMPLETE;
        out->distinct = true;
    }
}

abut_status abut_surface_loops(const abut_solid_surface *a, const abut_pose *pose_a,
                               const abut_solid_surface *b, const abut_pose *pose_b, abut_loops *out)
{
    if (!out)
        return ABUT_ERR_ARGUMENT;
    memset(out, 0, sizeof *out);
    if (!valid_surface(a) || !valid_surface(b) || !valid_pose(pose_a) || !valid_pose(pose_b))
        return ABUT_ERR_ARGUMENT;
    const abut_nearest nearest = abut_nearest_enter();
    abut_meeting m = { .surface = { a, b }, .pose = { pose_a, pose_b }, .out = out };
    const bool together = same_pose(pose_a, pose_b);
    if (together)
        m.pose[0] = m.pose[1] = NULL;
    /* The origin: a point of the surface that has a place, if one has. */
    const int from = a->kind == ABUT_SOLID_PLANE || a->kind == ABUT_SOLID_QUADRIC ? 1 : 0;
    const abut_vec3 at =
        m.surface[from]->kind == ABUT_SOLID_QUADRIC ? (abut_vec3){ 0, 0, 0 } : m.surface[from]->point;
    m.origin = m.pose[from] ? abut_pose_apply(*m.pose[from], at) : at;
    abut_rounding saved = abut_rounding_enter();
    place_both(&m);
    abut_rounding_leave(saved);
    solve(&m);
    if (together) {
        saved = abut_rounding_enter();
        carry(pose_a, out);
        abut_rounding_leave(saved);
    }
    abut_nearest_leave(nearest);
    return ABUT_OK;
}
