/* SPDX-License-Identifier: MIT */
/* Surfaces in exact coordinates (exact.h).
 *
 * The rotation of a quaternion permutes the coordinates, up to signs, where its components that
 * are not 0 are equal in size and one, two or four in number: with one it is a half turn or none,
 * with two a quarter turn about an axis of coordinates or a half turn about a diagonal of a face,
 * with four a third turn about a diagonal of space. Its matrix is then rounded to -1, 0 and 1. */
#include "intersect/exact.h"
#include "interval/poly_certified.h"

#include <string.h>

static bool turn_of(const abut_quat *q, int turn[3][3])
{
    const double c[4] = { q->w, q->x, q->y, q->z };
    double size = 0;
    int count = 0;
    for (int i = 0; i < 4; ++i) {
        if (c[i] == 0)
            continue;
        if (size != 0 && fabs(c[i]) != size)
            return false;
        size = fabs(c[i]);
        ++count;
    }
    if (count == 0 || count == 3)
        return false;
    int s[4];
    for (int i = 0; i < 4; ++i)
        s[i] = (c[i] > 0) - (c[i] < 0);
    const int w = s[0], x = s[1], y = s[2], z = s[3];
    const int rows[3][3] = { { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
                             { 2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x) },
                             { 2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z } };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            turn[i][j] = rows[i][j] / count;
    return true;
}

/* The turn and shift of a pose: false where it is not exact for this surface. */
static bool exact_pose(const abut_solid_surface *s, const abut_pose *pose, int turn[3][3],
                       abut_vec3 *position)
{
    static const abut_quat none = { 1, 0, 0, 0 };
    *position = pose ? pose->position : (abut_vec3){ 0, 0, 0 };
    if (!pose || turn_of(&pose->rotation, turn))
        return pose || turn_of(&none, turn);
    /* A sphere about the body's origin stands still when the body turns. */
    return s->kind == ABUT_SOLID_SPHERE && s->point.x == 0 && s->point.y == 0 && s->point.z == 0 &&
           turn_of(&none, turn);
}

static double turned(const int row[3], abut_vec3 a)
{
    return row[0] ? row[0] * a.x : row[1] ? row[1] * a.y : row[2] * a.z;
}

/* r = x + y - z */
static void sum_of(double x, double y, double z, abut_number *r)
{
    abut_number other;
    abut_number_from(r, x);
    abut_number_from(&other, y);
    abut_number_add(r, r, &other);
    abut_number_from(&other, z);
    abut_number_sub(r, r, &other);
}

void abut_exact_place(const abut_solid_surface *s, const abut_pose *pose, abut_vec3 origin,
                      abut_exact_surface *out)
{
    int turn[3][3];
    abut_vec3 position;
    memset(out, 0, sizeof *out);
    out->known = exact_pose(s, pose, turn, &position);
    if (!out->known || s->kind == ABUT_SOLID_QUADRIC)
        return;
    const double at[3] = { position.x, position.y, position.z }, from[3] = { origin.x, origin.y, origin.z };
    for (int i = 0; i < 3; ++i) {
        sum_of(at[i], turned(turn[i], s->point), from[i], &out->point[i]);
        abut_number_from(&out->axis[i], s->kind == ABUT_SOLID_SPHERE ? 0 : turned(turn[i], s->axis));
        if (abut_number_is_bad(&out->point[i]) || abut_number_is_bad(&out->axis[i]))
            out->known = false;
    }
}

static void add_term(abut_number *sum, const abut_number *a, const abut_number *b)
{
    abut_number product;
    abut_number_mul(&product, a, b);
    abut_number_add(sum, sum, &product);
}

void abut_exact_dot(const abut_number a[3], const abut_number b[3], abut_number *out)
{
    abut_number_mul(out, &a[0], &b[0]);
    add_term(out, &a[1], &b[1]);
    add_term(out, &a[2], &b[2]);
}

bool abut_exact_parallel(const abut_number a[3], const abut_number b[3])
{
    for (int i = 0; i < 3; ++i) {
        abut_number x, y;
        abut_number_mul(&x, &a[(i + 1) % 3], &b[(i + 2) % 3]);
        abut_number_mul(&y, &a[(i + 2) % 3], &b[(i + 1) % 3]);
        abut_number_sub(&x, &x, &y);
        if (abut_number_sign(&x) != 0)
            return false;
    }
    return true;
}

static void turned_matrix(const abut_solid_surface *s, const abut_pose *pose, abut_vec3 origin,
                          abut_number m[4][4])
{
    int turn[3][3];
    abut_vec3 position;
    exact_pose(s, pose, turn, &position);
    double t[4][4] = { { 0 } }; /* R M R', where R permutes */
    int from[4] = { 0, 0, 0, 3 }, sign[4] = { 1, 1, 1, 1 };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            if (turn[i][j]) {
                from[i] = j;
                sign[i] = turn[i][j];
            }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            t[i][j] = sign[i] * sign[j] * s->matrix[from[i]][from[j]];
            abut_number_from(&m[i][j], t[i][j]);
        }
    const double at[3] = { position.x, position.y, position.z }, away[3] = { origin.x, origin.y, origin.z };
    abut_number c[3];
    for (int i = 0; i < 3; ++i)
        sum_of(away[i], 0, at[i], &c[i]); /* y = x + c */
    abut_number pc[3];
    for (int i = 0; i < 3; ++i) {
        abut_exact_dot(m[i], c, &pc[i]);
        add_term(&m[3][3], &m[i][3], &c[i]); /* twice, one of them below */
    }
    for (int i = 0; i < 3; ++i) {
        abut_number_add(&m[i][3], &m[i][3], &pc[i]);
        m[3][i] = m[i][3];
        add_term(&m[3][3], &m[i][3], &c[i]);
    }
}

bool abut_exact_matrix(const abut_solid_surface *s, const abut_pose *pose, abut_vec3 origin,
                       const abut_exact_surface *placed, abut_number m[4][4])
{
    if (!placed->known)
        return false;
    if (s->kind == ABUT_SOLID_QUADRIC) {
        turned_matrix(s, pose, origin, m);
    } else {
        /* n |y|^2 - w (axis.y)^2 - n r^2 with n = |axis|^2 */
        const bool sphere = s->kind == ABUT_SOLID_SPHERE, cone = s->kind == ABUT_SOLID_CONE;
        abut_number n, w, radius;
        abut_number_from(&n, 1);
        abut_number_from(&w, sphere ? 0 : 1);
        abut_number_from(&radius, cone ? s->tangent : s->radius);
        abut_number_mul(&radius, &radius, &radius);
        if (!sphere)
            abut_exact_dot(placed->axis, placed->axis, &n);
        if (cone)
            abut_number_add(&w, &w, &radius);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                abut_number product;
                abut_number_mul(&product, &placed->axis[i], &placed->axis[j]);
                abut_number_mul(&product, &product, &w);
                abut_number_from(&m[i][j], 0);
                if (i == j)
                    m[i][j] = n;
                abut_number_sub(&m[i][j], &m[i][j], &product);
            }
        abut_number_from(&m[3][3], 0);
        for (int i = 0; i < 3; ++i) {
            abut_exact_dot(m[i], placed->point, &m[i][3]);
            add_term(&m[3][3], &m[i][3], &placed->point[i]);
        }
        for (int i = 0; i < 3; ++i) {
            abut_number zero;
            abut_number_from(&zero, 0);
            abut_number_sub(&m[i][3], &zero, &m[i][3]);
            m[3][i] = m[i][3];
        }
        if (!cone) {
            abut_number_mul(&radius, &radius, &n);
            abut_number_sub(&m[3][3], &m[3][3], &radius);
        }
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            if (abut_number_is_bad(&m[i][j]))
                return false;
    return true;
}

ia abut_exact_enclose(const abut_number *a)
{
    double terms[ABUT_NUMBER_LIMBS + 4];
    if (!abut_number_split(a, 0, terms, ABUT_NUMBER_LIMBS + 4))
        return ia_entire();
    ia sum = ia_point(0);
    for (int i = 0; i < ABUT_NUMBER_LIMBS + 4; ++i)
        sum = ia_add(sum, ia_point(terms[i]));
    return sum;
}

/* ---- forms ---- */

void abut_form_reset(abut_exact_form *f, int degree)
{
    memset(f, 0, sizeof *f);
    f->degree = degree;
}

void abut_form_add(abut_number *sum, const abut_number *value, double factor)
{
    abut_number f;
    abut_number_from(&f, factor);
    abut_number_mul(&f, &f, value);
    abut_number_add(sum, sum, &f);
}

/* out += factor x y */
void abut_form_add_product(abut_exact_form *out, const abut_exact_form *x, const abut_exact_form *y,
                           double factor)
{
    for (int i = 0; i <= x->degree; ++i)
        for (int j = 0; j <= y->degree; ++j) {
            abut_number product;
            abut_number_mul(&product, &x->c[i], &y->c[j]);
            abut_form_add(&out->c[i + j], &product, factor);
        }
}

bool abut_form_is_zero(const abut_exact_form *f)
{
    for (int i = 0; i <= f->degree; ++i)
        if (abut_number_sign(&f->c[i]) != 0)
            return false;
    return true;
}

bool abut_form_is_bad(const abut_exact_form *f)
{
    for (int i = 0; i <= f->degree; ++i)
        if (abut_number_is_bad(&f->c[i]))
            return true;
    return false;
}

enum { MOST_TERMS = 64 };

static bool split(const abut_exact_form *f, bool second, double (*terms)[MOST_TERMS])
{
    int top = INT32_MIN;
    for (int i = 0; i <= f->degree; ++i)
        if (abut_number_sign(&f->c[i]) != 0 && abut_number_top(&f->c[i]) > top)
            top = abut_number_top(&f->c[i]);
    for (int i = 0; i <= f->degree; ++i) {
        const int to = second ? f->degree - i : i;
        if (!abut_number_split(&f->c[i], -top, terms[to], MOST_TERMS))
            return false;
        if (second && (to & 1))
            for (int j = 0; j < MOST_TERMS; ++j)
                terms[to][j] = -terms[to][j];
    }
    return true;
}

/* The distinct real roots of a form that is not 0 at the cuts; -1 where they are not separated. */
int abut_form_roots(const abut_exact_form *f, abut_ruled_event *out)
{
    int count = 0;
    for (int chart = 0; chart < 2; ++chart) {
        double terms[5][MOST_TERMS];
        abut_root roots[ABUT_POLYNOMIAL_MAX_DEGREE];
        if (!split(f, chart == 1, terms))
            return -1;
        const int n = abut_poly_roots_expansion(&terms[0][0], MOST_TERMS, f->degree, -1, 1, 0, roots);
        if (n < 0)
            return -1;
        for (int i = 0; i < n; ++i) {
            if (roots[i].kind == ABUT_ROOT_CLUSTER)
                return -1;
            double lo = roots[i].x.lo, hi = roots[i].x.hi;
            if (chart == 1 && lo == hi && (2 + lo) - 2 == lo) {
                lo = hi = 2 + lo;
            } else if (chart == 1) {
                lo = fmax(1, ia_down(2 + lo));
                hi = fmin(3, ia_up(2 + hi));
            }
            out[count++] = (abut_ruled_event){ lo, hi, roots[i].multiplicity, 0 };
        }
    }
    return count;
}

void abut_form_cuts(const abut_exact_form *f, int sign[2])
{
    abut_number even, odd, sum;
    abut_number_from(&even, 0);
    abut_number_from(&odd, 0);
    for (int i = 0; i <= f->degree; ++i)
        abut_number_add(i & 1 ? &odd : &even, i & 1 ? &odd : &even, &f->c[i]);
    abut_number_sub(&sum, &even, &odd);
    sign[0] = abut_number_sign(&sum);
    abut_number_add(&sum, &even, &odd);
    sign[1] = abut_number_sign(&sum);
}

bool abut_form_clear(const abut_exact_form *f)
{
    int sign[2];
    abut_form_cuts(f, sign);
    return abut_form_is_zero(f) || (sign[0] != 0 && sign[1] != 0);
}
