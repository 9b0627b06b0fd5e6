/* SPDX-License-Identifier: MIT */
/* Ellipsoids and balls under maps that are not rigid. The image is an ellipsoid again, and a
 * stand-in for it is made: semi-axes and a rotation, with a bound of how far it is from the true
 * one, which the solvers then take for the error of a core.
 *
 * Method: one-sided Jacobi rotations make the columns of A = L diag(r) orthogonal, A V = W; their
 * lengths are the semi-axes h, their directions the rotation R of a quaternion. (J. Demmel, K.
 * Veselic, Jacobi's method is more accurate than QR, 1992: short columns keep their digits.) For
 * the orthogonal matrix V' nearest to V the body { A y } is { A V' y }, so its distance from { R
 * diag(h) y } is at most
 *     |A V - R diag(h)| + |A| |V^T V - I|,
 * which intervals bound, the width of the enclosure of L included.
 *
 * Surprise: nothing of that stand-in is exact, so its placement says that it is not; what is,
 * for the predicates that want it, is kept beside it. A ball, and an ellipsoid along the axes of
 * the world, whose radii are doubles represent themselves. */
#include "narrow/ellipsoid/ellipsoid_place.h"

#include "interval/ia3.h"
#include "math/vec3.h"

#include <string.h>

bool abut_is_ellipsoid(const abut_shape *shape)
{
    return shape->type == ABUT_SHAPE_SPHERE || shape->type == ABUT_SHAPE_ELLIPSOID;
}

abut_vec3 abut_ellipsoid_radii(const abut_shape *shape)
{
    if (shape->type == ABUT_SHAPE_ELLIPSOID)
        return shape->u.ellipsoid.radii;
    const double r = shape->u.sphere.radius;
    return abut_v3(r, r, r);
}

/* ---- semi-axes ---- */

static double column_dot(const abut_mat3 *m, int i, int j)
{
    return m->m[0][i] * m->m[0][j] + m->m[1][i] * m->m[1][j] + m->m[2][i] * m->m[2][j];
}

static void rotate_columns(abut_mat3 *m, int i, int j, double c, double s)
{
    for (int k = 0; k < 3; ++k) {
        const double x = m->m[k][i], y = m->m[k][j];
        m->m[k][i] = c * x - s * y;
        m->m[k][j] = s * x + c * y;
    }
}

/* w: A, of size about 1, on return A V. */
static void orthogonalise(abut_mat3 *w, abut_mat3 *v)
{
    enum { MOST_SWEEPS = 30 };
    *v = abut_mat3_identity();
    for (int sweep = 0; sweep < MOST_SWEEPS; ++sweep) {
        bool done = true;
        for (int i = 0; i < 2; ++i)
            for (int j = i + 1; j < 3; ++j) {
                const double p = column_dot(w, i, i), q = column_dot(w, j, j), r = column_dot(w, i, j);
                if (!(fabs(r) > 0x1p-52 * sqrt(p) * sqrt(q)))
                    continue;
                done = false;
                const double z = (q - p) / (2 * r), t = copysign(1, z) / (fabs(z) + sqrt(1 + z * z)),
                             c = 1 / sqrt(1 + t * t);
                rotate_columns(w, i, j, c, c * t);
                rotate_columns(v, i, j, c, c * t);
            }
        if (done)
            return;
    }
}

/* The rotation whose columns are nearly those of w. */
static abut_quat rotation_of(abut_mat3 w)
{
    for (int j = 0; j < 3; ++j) {
        const double s = 1 / sqrt(column_dot(&w, j, j));
        for (int i = 0; i < 3; ++i)
            w.m[i][j] *= s;
    }
    if (abut_mat3_det(&w) < 0) /* the body has all its mirror images */
        for (int i = 0; i < 3; ++i)
            w.m[i][2] = -w.m[i][2];
    return abut_quat_from_mat3(&w);
}

/* ---- how far off it is ---- */

typedef struct judged {
    const abut_interval_mat3 *linear;
    double r[3], h[3];
    const abut_mat3 *v;
    const abut_interval_mat3 *rotation;
    double scale; /* a power of two that brings A near 1 */
    double error; /* of what is scaled */
    int det;      /* its sign, 0 where it is not clear */
} judged;

static ia frobenius(const ia33 *m)
{
    ia sum = ia_point(0);
    for (int i = 0; i < 9; ++i)
        sum = ia_add(sum, ia_sqr(m->m[i / 3][i % 3]));
    return ia_sqrt(sum);
}

static ABUT_NOINLINE void judge(judged *in)
{
    ia33 a = ia33_from(in->linear), body = ia33_from(in->rotation);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            a.m[i][j] = ia_mul(ia_scale(in->scale, a.m[i][j]), ia_point(in->r[j]));
            body.m[i][j] = ia_mul(body.m[i][j], ia_point(in->h[j]));
        }
    const ia33 v = ia33_point(in->v), turned = ia33_mul(&a, &v), back = ia33_transpose(&v),
               unit = ia33_mul(&back, &v), identity = ia33_identity();
    /* Columns of the rotation may be turned round: the body is the same. */
    ia33 off;
    for (int j = 0; j < 3; ++j) {
        double same = 0;
        for (int i = 0; i < 3; ++i)
            same += ia_mid(turned.m[i][j]) * ia_mid(body.m[i][j]);
        for (int i = 0; i < 3; ++i)
            off.m[i][j] =
                same < 0 ? ia_add(turned.m[i][j], body.m[i][j]) : ia_sub(turned.m[i][j], body.m[i][j]);
    }
    const ia33 skew = ia33_sub(&unit, &identity);
    in->error = ia_hi(ia_add(frobenius(&off), ia_mul(frobenius(&a), frobenius(&skew))));
    const ia det = ia3_dot(ia33_row(&a, 0), ia3_cross(ia33_row(&a, 1), ia33_row(&a, 2)));
    in->det = ia_sign(det);
}

/* ---- placements ---- */

static bool is_point_map(const abut_interval_affine *m)
{
    for (int i = 0; i < 9; ++i)
        if (m->linear.m[i / 3][i % 3].lo != m->linear.m[i / 3][i % 3].hi)
            return false;
    const abut_interval_vec3 *t = &m->translation;
    return t->x.lo == t->x.hi && t->y.lo == t->y.hi && t->z.lo == t->z.hi;
}

static double middle(abut_interval a)
{
    return a.lo == a.hi ? a.lo : 0.5 * a.lo + 0.5 * a.hi;
}

/* A zeroed shape with that core; nobody keeps it. */
static void make_image(const double h[3], double error, abut_shape *image)
{
    memset(image, 0, sizeof *image);
    image->type = ABUT_SHAPE_ELLIPSOID;
    image->u.ellipsoid.radii = abut_v3(h[0], h[1], h[2]);
    abut_core_set(image);
    image->core.error += error;
    image->core.size = (image->core.size + error) * (1 + 0x1p-50);
    image->core.inner = (image->core.inner - error) * (1 - 0x1p-50);
    if (!(image->core.inner > 0))
        image->core.inner = 0;
    const double reach = image->core.size;
    image->bounds = (abut_aabb){ { -reach, -reach, -reach }, { reach, reach, reach } };
}

/* Along the axes of the world, with semi-axes that doubles state: one entry in each row and
 * column. */
static bool is_upright(const abut_mat3 *m, const double r[3], double h[3])
{
    h[0] = h[1] = h[2] = 0;
    for (int j = 0; j < 3; ++j) {
        int row = -1;
        for (int i = 0; i < 3; ++i) {
            if (m->m[i][j] != 0 && row >= 0)
                return false;
            row = m->m[i][j] != 0 ? i : row;
        }
        if (row < 0 || h[row] != 0)
            return false;
        const dd product = dd_two_product(fabs(m->m[row][j]), r[j]);
        /* Below 2^-900 the low part may be lost. */
        if (product.l != 0 || !(product.h >= 0x1p-900 && product.h <= 0x1p900))
            return false;
        h[row] = product.h;
    }
    return true;
}

/* An image that is exactly a ball, or an ellipsoid along the axes: placed without a rotation, as
 * itself. */
static bool place_exactly(const abut_affine *map, abut_vec3 radii, abut_place *out, abut_shape *image)
{
    const double r[3] = { radii.x, radii.y, radii.z };
    const abut_ellipsoid_given given = { .radii = radii, .map = *map };
    const abut_pose pose = { map->translation, { 1, 0, 0, 0 } };
    double h[3];
    if (!is_upright(&map->linear, r, h)) {
        if (!abut_ellipsoid_exact_ball(&given, &h[0]))
            return false;
        h[1] = h[2] = h[0];
    }
    if (!(h[0] >= 0x1p-900 && h[0] <= 0x1p900) || abut_place_from_pose(&pose, true, out))
        return false;
    make_image(h, 0, image);
    if (h[0] == h[1] && h[1] == h[2]) {
        image->type = ABUT_SHAPE_SPHERE;
        image->u.sphere.radius = h[0];
        abut_core_set(image);
    }
    out->mapped = true;
    out->map = *map;
    out->radii = radii;
    return true;
}

static abut_status deform(const abut_shape *shape, const abut_interval_affine *at, abut_place *out,
                          abut_shape *image)
{
    const abut_vec3 radii = abut_ellipsoid_radii(shape);
    const double r[3] = { radii.x, radii.y, radii.z };
    abut_affine mid;
    abut_mat3 w, v;
    double largest = 0;
    for (int i = 0; i < 9; ++i) {
        mid.linear.m[i / 3][i % 3] = middle(at->linear.m[i / 3][i % 3]);
        largest = fmax(largest, fabs(mid.linear.m[i / 3][i % 3] * 0x1p-40) * r[i % 3]);
    }
    mid.translation =
        abut_v3(middle(at->translation.x), middle(at->translation.y), middle(at->translation.z));
    if (is_point_map(at) && place_exactly(&mid, radii, out, image))
        return ABUT_OK;
    int exponent;
    if (!(largest > 0 && largest <= 0x1p980))
        return largest > 0 ? ABUT_ERR_LIMIT : ABUT_ERR_VALUE;
    (void)frexp(largest, &exponent);
    exponent += 40;
    const double scale = ldexp(1, -exponent);
    for (int i = 0; i < 9; ++i)
        w.m[i / 3][i % 3] = mid.linear.m[i / 3][i % 3] * scale * r[i % 3];
    orthogonalise(&w, &v);
    judged j = { .linear = &at->linear, .r = { r[0], r[1], r[2] }, .v = &v, .scale = scale };
    double h[3];
    for (int i = 0; i < 3; ++i)
        j.h[i] = sqrt(column_dot(&w, i, i));
    if (!(j.h[0] > 0 && j.h[1] > 0 && j.h[2] > 0))
        return ABUT_ERR_VALUE;
    const abut_pose pose = { mid.translation, rotation_of(w) };
    const abut_status status = abut_place_from_pose(&pose, true, out);
    if (status)
        return status;
    j.rotation = &out->enclosure.linear;
    const abut_rounding saved = abut_rounding_enter();
    judge(&j);
    abut_rounding_leave(saved);
    out->enclosure.translation = at->translation;
    out->points = out->axes = out->stated = false;
    out->axis[0] = out->axis[1] = out->axis[2] = -1;
    out->mapped = is_point_map(at);
    out->map = mid;
    out->radii = radii;
    /* Singular, or not to be distinguished from it. */
    if (out->mapped ? abut_ellipsoid_exact_determinant(&mid.linear) == 0 : j.det == 0)
        return ABUT_ERR_VALUE;
    for (int i = 0; i < 3; ++i) {
        h[i] = ldexp(j.h[i], exponent);
        if (!(h[i] >= 0x1p-1000 && h[i] <= 0x1p1000))
            return ABUT_ERR_LIMIT;
    }
    make_image(h, ldexp(j.error, exponent) * (1 + 0x1p-50) + 0x1p-1060, image);
    return ABUT_OK;
}

abut_status abut_place_of(const abut_shape *shape, const abut_motion *motion, double t, abut_shape *image,
                          abut_place *out, const abut_shape **body)
{
    *body = shape;
    abut_status status = abut_place_from_motion(motion, t, out);
    if (status != ABUT_ERR_UNSUPPORTED || !abut_is_ellipsoid(shape) || abut_motion_is_rigid(motion))
        return status;
    *body = image;
    abut_interval_affine at;
    status = abut_motion_enclose(motion, (abut_interval){ t, t }, &at);
    if (status)
        return status;
    status = deform(shape, &at, out, image);
    image->alloc = shape->alloc; /* methods take scratch memory from it */
    out->t = t;
    return status;
}

bool abut_place_given(const abut_shape *shape, const abut_place *place, abut_ellipsoid_given *out)
{
    if (!abut_is_ellipsoid(shape))
        return false;
    *out = (abut_ellipsoid_given){ .radii = place->mapped ? place->radii : abut_ellipsoid_radii(shape) };
    if (place->mapped)
        out->map = place->map;
    else if (shape->type == ABUT_SHAPE_SPHERE || place->axes) {
        if (!place->points)
            return false;
        out->map = place->mid;
        if (shape->type == ABUT_SHAPE_SPHERE)
            out->map.linear = abut_mat3_identity();
    } else {
        if (!place->stated)
            return false;
        out->posed = true;
        out->pose = place->pose;
    }
    return true;
}

int abut_ellipsoid_pair_sign(const abut_pair *pair)
{
    abut_ellipsoid_given a, b;
    if (!abut_place_given(pair->a, pair->at_a, &a) || !abut_place_given(pair->b, pair->at_b, &b))
        return ABUT_SIGN_UNKNOWN;
    return abut_ellipsoid_given_sign(&a, &b);
}

int abut_ellipsoid_given_sign(const abut_ellipsoid_given *a, const abut_ellipsoid_given *b)
{
    switch (abut_ellipsoid_exact(a, b, false).relation) {
    case ABUT_ELLIPSOIDS_UNKNOWN: return ABUT_SIGN_UNKNOWN;
    case ABUT_ELLIPSOIDS_SEPARATE: return 1;
    case ABUT_ELLIPSOIDS_TOUCHING: return 0;
    default: return -1;
    }
}

/* ---- points ---- */

typedef struct point_input {
    const abut_interval_affine *at;
    abut_vec3 point;
    double r[3];
    double scale;
    int side;
} point_input;

/* |adj(A) d|^2 against det(A)^2 for A = L diag(r): Cramer's rule column by column. */
static ABUT_NOINLINE void judge_point(point_input *in)
{
    const ia33 l = ia33_from(&in->at->linear);
    ia3 c[3], d = ia3_sub(ia3_point(in->point), ia3_from(&in->at->translation));
    const ia s = ia_point(in->scale);
    d = ia3_scale(s, d);
    for (int j = 0; j < 3; ++j)
        c[j] = ia3_scale(ia_mul(s, ia_point(in->r[j])), ia3_make(l.m[0][j], l.m[1][j], l.m[2][j]));
    const ia det = ia3_dot(c[0], ia3_cross(c[1], c[2]));
    const ia x = ia3_dot(d, ia3_cross(c[1], c[2])), y = ia3_dot(d, ia3_cross(c[2], c[0])),
             z = ia3_dot(d, ia3_cross(c[0], c[1]));
    in->side = ia_sign(ia_sub(ia3_sqr_norm(ia3_make(x, y, z)), ia_sqr(det)));
}

int abut_ellipsoid_point_side(const abut_shape *shape, const abut_place *place,
                              const abut_interval_affine *at, abut_vec3 p)
{
    const abut_vec3 r = place->mapped ? place->radii : abut_ellipsoid_radii(shape);
    int exponent;
    (void)frexp(fmax(shape->core.size + shape->core.radius, 0x1p-900), &exponent);
    point_input in = { at, p, { r.x, r.y, r.z }, ldexp(1, -exponent), 0 };
    if (at) {
        const abut_rounding saved = abut_rounding_enter();
        judge_point(&in);
        abut_rounding_leave(saved);
    }
    abut_ellipsoid_given given;
    if (in.side != 0)
        return in.side;
    return abut_place_given(shape, place, &given) ? abut_ellipsoid_exact_point(&given, p) : ABUT_SIGN_UNKNOWN;
}
