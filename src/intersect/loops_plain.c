/* SPDX-License-Identifier: MIT */
/* The components of two planes and of two spheres, and of a plane and a cylinder along its axis.
 * Signs are taken from intervals, and exactly where these hold zero and the poses allow it. */
#include "intersect/exact.h"

static bool same_rotation(const abut_pose *a, const abut_pose *b)
{
    static const abut_quat none = { 1, 0, 0, 0 };
    const abut_quat p = a ? a->rotation : none, q = b ? b->rotation : none;
    return p.w == q.w && p.x == q.x && p.y == q.y && p.z == q.z;
}

static void take(abut_vec3 v, abut_number out[3])
{
    abut_number_from(&out[0], v.x);
    abut_number_from(&out[1], v.y);
    abut_number_from(&out[2], v.z);
}

/* Kernel: whether the axes are proved not to be parallel. */
static ABUT_NOINLINE int cross_sign(const abut_meeting *m)
{
    const ia3 c = ia3_cross(m->placed[0].axis, m->placed[1].axis);
    return ia_sign(c.x) != 0 || ia_sign(c.y) != 0 || ia_sign(c.z) != 0;
}

/* Whether the axes are parallel: 1, 0, or 2 where that is not decided. */
static int parallel(const abut_meeting *m, abut_exact_surface placed[2])
{
    const abut_rounding saved = abut_rounding_enter();
    const int crossed = cross_sign(m);
    abut_rounding_leave(saved);
    if (crossed)
        return 0;
    if (same_rotation(m->pose[0], m->pose[1])) {
        abut_number a[3], b[3];
        take(m->surface[0]->axis, a);
        take(m->surface[1]->axis, b);
        return abut_exact_parallel(a, b);
    }
    return placed[0].known && placed[1].known ? abut_exact_parallel(placed[0].axis, placed[1].axis) : 2;
}

static void place_both(const abut_meeting *m, abut_exact_surface placed[2])
{
    for (int i = 0; i < 2; ++i)
        abut_exact_place(m->surface[i], m->pose[i], m->origin, &placed[i]);
}

/* Kernel: a point of both planes, where the axes are not parallel. */
static ABUT_NOINLINE bool line_kernel(abut_meeting *m)
{
    const abut_placed *a = &m->placed[0], *b = &m->placed[1];
    const ia3 along = ia3_cross(a->axis, b->axis);
    /* x = (k_a (n_b x along) + k_b (along x n_a)) / |along|^2 with k = n . point */
    const ia3 x = ia3_add(ia3_scale(ia_neg(a->form[3]), ia3_cross(b->axis, along)),
                          ia3_scale(ia_neg(b->form[3]), ia3_cross(along, a->axis)));
    const ia square = ia3_sqr_norm(along);
    if (ia_contains_zero(square))
        return false;
    return abut_meeting_add(m, ABUT_LOOP_OPEN,
                            (ia3){ ia_div(x.x, square), ia_div(x.y, square), ia_div(x.z, square) });
}

/* Kernel: the sign of n_a . (p_b - p_a). */
static ABUT_NOINLINE int offset_sign(const abut_meeting *m)
{
    return ia_sign(ia3_dot(m->placed[0].axis, ia3_sub(m->placed[1].point, m->placed[0].point)));
}

static int exact_offset(const abut_exact_surface placed[2])
{
    abut_number away[3], value;
    for (int i = 0; i < 3; ++i)
        abut_number_sub(&away[i], &placed[1].point[i], &placed[0].point[i]);
    abut_exact_dot(placed[0].axis, away, &value);
    return abut_number_sign(&value);
}

bool abut_loops_planes(abut_meeting *m)
{
    abut_exact_surface placed[2];
    place_both(m, placed);
    const int along = parallel(m, placed);
    if (along == 2)
        return false;
    abut_rounding saved = abut_rounding_enter();
    const bool done = along == 0 && line_kernel(m);
    int sign = along ? offset_sign(m) : 0;
    abut_rounding_leave(saved);
    if (along == 0)
        return done;
    m->out->proof = ABUT_PROOF_EXACT;
    if (sign != 0)
        return true;
    if (!placed[0].known || !placed[1].known)
        return false;
    sign = exact_offset(placed);
    if (sign == 0)
        m->out->status = ABUT_LOOPS_COINCIDENT;
    return sign != 2;
}

/* Kernel. Signs of |c|^2 - (r + s)^2 and |c|^2 - (r - s)^2. */
static ABUT_NOINLINE void sphere_signs(const abut_meeting *m, int sign[2])
{
    const abut_placed *a = &m->placed[0], *b = &m->placed[1];
    const ia square = ia3_sqr_norm(ia3_sub(b->point, a->point));
    sign[0] = ia_sign(ia_sub(square, ia_sqr(ia_add(a->radius, b->radius))));
    sign[1] = ia_sign(ia_sub(square, ia_sqr(ia_sub(a->radius, b->radius))));
}

static void exact_sphere_signs(const abut_meeting *m, const abut_exact_surface placed[2], int sign[2],
                               int *same)
{
    abut_number away[3], square, r, s, sum;
    for (int i = 0; i < 3; ++i)
        abut_number_sub(&away[i], &placed[1].point[i], &placed[0].point[i]);
    abut_exact_dot(away, away, &square);
    abut_number_from(&r, m->surface[0]->radius);
    abut_number_from(&s, m->surface[1]->radius);
    *same = abut_number_sign(&square) == 0;
    for (int i = 0; i < 2; ++i) {
        if (i == 0)
            abut_number_add(&sum, &r, &s);
        else
            abut_number_sub(&sum, &r, &s);
        abut_number_mul(&sum, &sum, &sum);
        abut_number_sub(&sum, &square, &sum);
        sign[i] = abut_number_sign(&sum);
    }
}

/* Kernel: a point of the circle of two spheres, or their point of contact. */
static ABUT_NOINLINE bool sphere_point(abut_meeting *m, bool touch)
{
    const abut_placed *a = &m->placed[0], *b = &m->placed[1];
    const ia3 c = ia3_sub(b->point, a->point);
    const ia square = ia3_sqr_norm(c), distance = ia_sqrt(square);
    if (!ia_is_positive(distance))
        return false;
    const ia3 n = { ia_div(c.x, distance), ia_div(c.y, distance), ia_div(c.z, distance) };
    const ia h = ia_div(ia_add(square, ia_mul(ia_add(a->radius, b->radius), ia_sub(a->radius, b->radius))),
                        ia_scale(2, distance));
    ia3 at = ia3_add(a->point, ia3_scale(h, n));
    if (!touch) {
        ia3 u, v;
        abut_frame_across(n, &u, &v);
        const ia w = ia_mul(ia_add(a->radius, h), ia_sub(a->radius, h));
        at = ia3_add(at, ia3_scale(ia_sqrt(w), u));
    }
    return abut_meeting_add(m, touch ? ABUT_LOOP_POINT : ABUT_LOOP_CLOSED, at);
}

bool abut_loops_spheres(abut_meeting *m)
{
    int sign[2], same = 0;
    abut_rounding saved = abut_rounding_enter();
    sphere_signs(m, sign);
    abut_rounding_leave(saved);
    if (sign[0] > 0 || sign[1] < 0)
        return true;
    if (sign[0] == 0 || sign[1] == 0) {
        abut_exact_surface placed[2];
        place_both(m, placed);
        if (!placed[0].known || !placed[1].known)
            return false;
        exact_sphere_signs(m, placed, sign, &same);
        if (sign[0] == 2 || sign[1] == 2)
            return false;
        m->out->proof = ABUT_PROOF_EXACT;
    }
    if (sign[0] > 0 || sign[1] < 0)
        return true;
    if (sign[1] == 0 && same) {
        m->out->status = ABUT_LOOPS_COINCIDENT;
        return true;
    }
    saved = abut_rounding_enter();
    const bool done = sphere_point(m, sign[0] == 0 || sign[1] == 0);
    abut_rounding_leave(saved);
    return done;
}

/* Kernel: the sign of distance - radius for a plane and a line parallel to it, and the lines of a
 * cylinder about it. */
static ABUT_NOINLINE int plane_sign(const abut_meeting *m, int plane)
{
    const abut_placed *p = &m->placed[plane], *c = &m->placed[1 - plane];
    const ia distance = ia_abs(ia3_dot(p->axis, ia3_sub(c->point, p->point)));
    return ia_sign(ia_sub(distance, c->radius));
}

static ABUT_NOINLINE bool plane_lines(abut_meeting *m, int plane, bool touch)
{
    const abut_placed *p = &m->placed[plane], *c = &m->placed[1 - plane];
    const ia distance = ia3_dot(p->axis, ia3_sub(c->point, p->point));
    const ia3 foot = ia3_sub(c->point, ia3_scale(distance, p->axis));
    if (touch)
        return abut_meeting_add(m, ABUT_LOOP_OPEN, foot);
    const ia half = ia_sqrt(ia_mul(ia_add(c->radius, distance), ia_sub(c->radius, distance)));
    const ia3 away = ia3_scale(half, ia3_cross(p->axis, c->axis));
    return abut_meeting_add(m, ABUT_LOOP_OPEN, ia3_add(foot, away)) &&
           abut_meeting_add(m, ABUT_LOOP_OPEN, ia3_sub(foot, away));
}

static int exact_plane_sign(const abut_meeting *m, int plane, const abut_exact_surface placed[2])
{
    abut_number away[3], height, square, radius;
    for (int i = 0; i < 3; ++i)
        abut_number_sub(&away[i], &placed[1 - plane].point[i], &placed[plane].point[i]);
    abut_exact_dot(placed[plane].axis, away, &height);
    abut_number_mul(&height, &height, &height);
    abut_exact_dot(placed[plane].axis, placed[plane].axis, &square);
    abut_number_from(&radius, m->surface[1 - plane]->radius);
    abut_number_mul(&radius, &radius, &radius);
    abut_number_mul(&radius, &radius, &square);
    abut_number_sub(&height, &height, &radius);
    return abut_number_sign(&height);
}

bool abut_loops_plane_along(abut_meeting *m, int plane)
{
    abut_exact_surface placed[2];
    place_both(m, placed);
    abut_number a[3], b[3], product;
    if (same_rotation(m->pose[0], m->pose[1])) {
        take(m->surface[0]->axis, a);
        take(m->surface[1]->axis, b);
        abut_exact_dot(a, b, &product);
    } else if (placed[0].known && placed[1].known) {
        abut_exact_dot(placed[0].axis, placed[1].axis, &product);
    } else {
        return false;
    }
    if (abut_number_sign(&product) != 0)
        return false;
    m->out->count = 0;
    abut_rounding saved = abut_rounding_enter();
    int sign = plane_sign(m, plane);
    abut_rounding_leave(saved);
    if (sign == 0) {
        if (!placed[0].known || !placed[1].known)
            return false;
        sign = exact_plane_sign(m, plane, placed);
        if (sign == 2)
            return false;
        if (sign == 0)
            sign = 3; /* they touch */
    }
    if (sign == 1)
        return true;
    saved = abut_rounding_enter();
    const bool done = plane_lines(m, plane, sign == 3);
    abut_rounding_leave(saved);
    return done;
}

/* On a torus about the z axis, with rho = R + r cos psi and z = r sin psi, the coaxial surfaces
 * are linear in cos and sin of psi: a + b cos + c sin = 0, because rho > 0.
 *
 *     plane      z = h
 *     cylinder   rho = s
 *     cone       rho = t (z - h)
 *     sphere     rho^2 + (z - h)^2 = s^2, rho^2 + z^2 = R^2 + r^2 + 2 R r cos psi
 *     torus      (rho - S)^2 + (z - h)^2 = s^2 */
static bool coaxial_equation(const abut_solid_surface *t, const abut_solid_surface *o, const abut_number *h,
                             int side, abut_number e[3])
{
    abut_number major, minor, r, two, x;
    abut_number_from(&major, t->radius);
    abut_number_from(&minor, t->minor);
    abut_number_from(&two, 2);
    abut_number_from(&e[0], 0);
    abut_number_from(&e[1], 0);
    abut_number_from(&e[2], 0);
    switch (o->kind) {
    case ABUT_SOLID_PLANE:
        abut_number_sub(&e[0], &e[0], h);
        e[2] = minor;
        break;
    case ABUT_SOLID_CYLINDER:
        abut_number_from(&r, o->radius);
        abut_number_sub(&e[0], &major, &r);
        e[1] = minor;
        break;
    case ABUT_SOLID_CONE:
        abut_number_from(&r, -side * o->tangent);
        abut_number_mul(&e[2], &r, &minor);
        abut_number_mul(&x, &r, h);
        abut_number_sub(&e[0], &major, &x);
        e[1] = minor;
        break;
    default: { /* with S = 0 for the sphere */
        abut_number reach, own;
        abut_number_from(&reach, o->kind == ABUT_SOLID_TORUS ? o->radius : 0);
        abut_number_from(&own, o->kind == ABUT_SOLID_TORUS ? o->minor : o->radius);
        abut_number_sub(&reach, &major, &reach);
        abut_number_mul(&x, &two, &minor);
        abut_number_mul(&e[1], &x, &reach);
        abut_number_mul(&e[2], &x, h);
        abut_number_from(&x, 0);
        abut_number_sub(&e[2], &x, &e[2]);
        abut_number_mul(&e[0], &reach, &reach);
        abut_number_mul(&x, &minor, &minor);
        abut_number_add(&e[0], &e[0], &x);
        abut_number_mul(&x, h, h);
        abut_number_add(&e[0], &e[0], &x);
        abut_number_mul(&x, &own, &own);
        abut_number_sub(&e[0], &e[0], &x);
        break;
    }
    }
    return !abut_number_is_bad(&e[0]) && !abut_number_is_bad(&e[1]) && !abut_number_is_bad(&e[2]);
}

/* Kernel. The circles where a + b cos psi + c sin psi = 0: both, or one where they touch. */
static ABUT_NOINLINE bool add_circles(abut_meeting *m, int torus, const abut_number e[3], bool touch)
{
    const abut_placed *t = &m->placed[torus];
    const ia a = abut_exact_enclose(&e[0]), b = abut_exact_enclose(&e[1]), c = abut_exact_enclose(&e[2]);
    const ia square = ia_add(ia_sqr(b), ia_sqr(c));
    const ia root = touch ? ia_point(0) : ia_sqrt(ia_sub(square, ia_sqr(a)));
    ia3 u, v;
    if (!ia_is_positive(square))
        return false;
    abut_frame_across(t->axis, &u, &v);
    for (int k = 0; k < (touch ? 1 : 2); ++k) {
        const ia s = k ? ia_neg(root) : root;
        const ia cosine = ia_div(ia_neg(ia_add(ia_mul(a, b), ia_mul(c, s))), square);
        const ia sine = ia_div(ia_sub(ia_mul(b, s), ia_mul(a, c)), square);
        const ia3 across = ia3_scale(ia_add(t->radius, ia_mul(t->minor, cosine)), u);
        const ia3 up = ia3_scale(ia_mul(t->minor, sine), t->axis);
        if (!abut_meeting_add(m, ABUT_LOOP_CLOSED, ia3_add(t->point, ia3_add(across, up))))
            return false;
    }
    return true;
}

bool abut_loops_torus_coaxial(abut_meeting *m, int torus)
{
    abut_exact_surface placed[2];
    place_both(m, placed);
    const abut_solid_surface *o = m->surface[1 - torus];
    const abut_exact_surface *own = &placed[torus], *other = &placed[1 - torus];
    if (!own->known || !other->known || o->kind == ABUT_SOLID_QUADRIC)
        return false;
    /* Heights along it are exact then. */
    const int k = abut_exact_axis(own);
    if (k < 0)
        return false;
    if (o->kind != ABUT_SOLID_SPHERE && !abut_exact_parallel(own->axis, other->axis))
        return false;
    abut_number away[3], e[3], x, y;
    for (int i = 0; i < 3; ++i) {
        abut_number_sub(&away[i], &other->point[i], &own->point[i]);
        if (i != k && o->kind != ABUT_SOLID_PLANE && abut_number_sign(&away[i]) != 0)
            return false;
    }
    /* Heights count along the torus's axis. */
    const int side = abut_number_sign(&own->axis[k]);
    abut_number_from(&x, side);
    abut_number_mul(&away[k], &away[k], &x);
    if (!coaxial_equation(m->surface[torus], o, &away[k], side * abut_number_sign(&other->axis[k]), e))
        return false;
    m->out->count = 0;
    abut_number_mul(&x, &e[1], &e[1]);
    abut_number_mul(&y, &e[2], &e[2]);
    abut_number_add(&x, &x, &y);
    const int round = abut_number_sign(&x);
    abut_number_mul(&y, &e[0], &e[0]);
    abut_number_sub(&x, &x, &y);
    const int sign = abut_number_sign(&x);
    if (sign == 2 || round == 2)
        return false;
    if (round == 0) {
        if (sign == 0)
            m->out->status = ABUT_LOOPS_COINCIDENT;
        return true;
    }
    if (sign < 0)
        return true;
    const abut_rounding saved = abut_rounding_enter();
    const bool done = add_circles(m, torus, e, sign == 0);
    abut_rounding_leave(saved);
    return done;
}

/* Kernel. The top of the cross section of a torus towards a point. */
static ABUT_NOINLINE bool add_top(abut_meeting *m, const abut_placed *t, const ia3 *towards)
{
    const ia length = ia_sqrt(ia3_sqr_norm(*towards));
    if (!ia_is_positive(length))
        return false;
    const ia3 foot = ia3_scale(ia_div(t->radius, length), *towards);
    return abut_meeting_add(m, ABUT_LOOP_SINGULAR,
                            ia3_add(t->point, ia3_add(foot, ia3_scale(t->minor, t->axis))));
}

/* Kernel. From the centre of torus `t` to the foot on the cylinder's axis, or to the other centre. */
static ABUT_NOINLINE ia3 towards_of(const abut_placed *t, const abut_placed *o)
{
    ia3 d = ia3_sub(o->point, t->point);
    if (o->kind == ABUT_SOLID_CYLINDER)
        d = ia3_sub(d, ia3_scale(ia3_dot(d, o->axis), o->axis));
    return d;
}

/* Bends of pipes: tubes of one radius r whose centre lines, circles of radii R and S or a line,
 * are tangent in a plane. With p and q the distances from the centres across that plane, z^2 = r^2
 * - (p - R)^2 = r^2 - (q - S)^2, so p - R = q - S or p - R = S - q. One of these is the common
 * cross section, a circle; the other is in the plane a conic through the point of contact, along
 * which |p - R| grows up to r on both sides (or all around an ellipse), and with z = +-sqrt(r^2 -
 * (p - R)^2) a curve that meets the circle at its top and bottom. So there is one component. */
bool abut_loops_bend(abut_meeting *m, int torus)
{
    abut_exact_surface placed[2];
    const abut_solid_surface *t = m->surface[torus], *o = m->surface[1 - torus];
    const bool cylinder = o->kind == ABUT_SOLID_CYLINDER;
    if ((cylinder ? o->radius : o->minor) != t->minor)
        return false;
    place_both(m, placed);
    const abut_exact_surface *own = &placed[torus], *other = &placed[1 - torus];
    if (!own->known || !other->known)
        return false;
    abut_number away[3], x, y, z;
    for (int i = 0; i < 3; ++i)
        abut_number_sub(&away[i], &other->point[i], &own->point[i]);
    abut_exact_dot(away, own->axis, &x);
    if (abut_number_sign(&x) != 0)
        return false;
    int from = torus;
    if (cylinder) {
        /* |away|^2 |a|^2 - (away.a)^2 = R^2 |a|^2 */
        abut_exact_dot(own->axis, other->axis, &x);
        if (abut_number_sign(&x) != 0)
            return false;
        abut_exact_dot(other->axis, other->axis, &y);
        abut_exact_dot(away, away, &x);
        abut_number_from(&z, t->radius);
        abut_number_mul(&z, &z, &z);
        abut_number_sub(&x, &x, &z);
        abut_number_mul(&x, &x, &y);
        abut_exact_dot(away, other->axis, &z);
        abut_number_mul(&z, &z, &z);
        abut_number_sub(&x, &x, &z);
        if (abut_number_sign(&x) != 0)
            return false;
    } else {
        if (!abut_exact_parallel(own->axis, other->axis))
            return false;
        abut_exact_dot(away, away, &x);
        if (abut_number_sign(&x) != 1)
            return false;
        bool touch = false;
        for (int s = -1; s <= 1; s += 2) {
            abut_number_from(&y, t->radius);
            abut_number_from(&z, s * o->radius);
            abut_number_add(&y, &y, &z);
            abut_number_mul(&y, &y, &y);
            abut_number_sub(&y, &y, &x);
            touch = touch || abut_number_sign(&y) == 0;
        }
        if (!touch)
            return false;
        if (o->radius > t->radius) /* from the larger one, in case the other is inside */
            from = 1 - torus;
    }
    m->out->count = 0;
    const abut_rounding saved = abut_rounding_enter();
    const ia3 towards = towards_of(&m->placed[from], &m->placed[1 - from]);
    const bool done = add_top(m, &m->placed[from], &towards);
    abut_rounding_leave(saved);
    return done;
}

/* Kernel. Whether a quadric has a two-dimensional part: its form takes both signs on lines of
 * coordinates or between them. */
static ABUT_NOINLINE bool is_surface(const abut_placed *q)
{
    bool up = false, down = false;
    for (int i = 0; i < 4; ++i)
        for (int j = i; j < 4; ++j)
            for (int s = -1; s <= 1; s += 2) {
                ia value = q->matrix[i][i];
                if (i != j)
                    value = ia_add(ia_add(value, q->matrix[j][j]), ia_scale(2 * s, q->matrix[i][j]));
                up = up || ia_is_positive(value);
                down = down || ia_is_negative(value);
            }
    return up && down;
}

bool abut_loops_same_quadric(abut_meeting *m)
{
    abut_exact_surface placed[2];
    abut_number matrix[2][4][4];
    place_both(m, placed);
    for (int i = 0; i < 2; ++i)
        if (!abut_exact_matrix(m->surface[i], m->pose[i], m->origin, &placed[i], matrix[i]))
            return false;
    abut_number(*a)[4] = matrix[0], (*b)[4] = matrix[1];
    /* All products with an entry that is not 0. */
    int p = 0, q = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            if (abut_number_sign(&a[i][j]) != 0) {
                p = i;
                q = j;
            }
    if (abut_number_sign(&b[p][q]) == 0)
        return false;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            abut_number x, y;
            abut_number_mul(&x, &a[i][j], &b[p][q]);
            abut_number_mul(&y, &b[i][j], &a[p][q]);
            abut_number_sub(&x, &x, &y);
            if (abut_number_sign(&x) != 0)
                return false;
        }
    const abut_rounding saved = abut_rounding_enter();
    const bool real = is_surface(&m->placed[0]);
    abut_rounding_leave(saved);
    if (real)
        m->out->status = ABUT_LOOPS_COINCIDENT;
    return real;
}
