/* SPDX-License-Identifier: MIT */
/* Plain solids as operands of Boolean combinations: each as an intersection of fields, and the box
 * around it where it is placed.
 *
 * box, convex   half-spaces            cylinder      a quadric and two half-spaces
 * sphere        a quadric              cone          one nappe and a half-space
 * ellipsoid     a quadric              torus         (r - R)^2 + z^2 <= minor^2
 * capsule       the squared distance from its segment
 *
 * What numbers are not doubles (1 / a^2, the normals of a hull) is enclosed. The box is made of
 * support functions: a point F y + c of the solid is furthest along axis i where y is furthest along
 * row i of F. */
#include "math/vec3.h"
#include "shape/csg/csg.h"
#include "shape/hull/hull.h"
#include "solid/solid.h"

#include <float.h>
#include <math.h>

bool abut_csg_takes(const abut_shape *shape, const char **why)
{
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE:
    case ABUT_SHAPE_BOX:
    case ABUT_SHAPE_CAPSULE:
    case ABUT_SHAPE_CYLINDER:
    case ABUT_SHAPE_CONE:
    case ABUT_SHAPE_ELLIPSOID:
    case ABUT_SHAPE_TORUS:
    case ABUT_SHAPE_HALFSPACE:
    case ABUT_SHAPE_IMPLICIT:
    case ABUT_SHAPE_EXTRUDE:
    case ABUT_SHAPE_REVOLVE:
    case ABUT_SHAPE_CSG: return true;
    case ABUT_SHAPE_CONVEX:
        *why = "of convex shapes only those with volume and without a margin can be combined";
        return shape->u.convex.margin == 0 && shape->u.convex.hull->dimension == 3;
    case ABUT_SHAPE_SOLID:
        *why = "of CAD solids only extrude and revolve can be combined, as their profiles tell which sides "
               "of their surfaces they are on";
        return false;
    default:
        *why = "sphere, box, capsule, cylinder, cone, ellipsoid, torus, halfspace, convex, extrude, revolve, "
               "implicit and csg shapes can be combined";
        return false;
    }
}

/* ---- fields ---- */

typedef struct number_call {
    double x, y;
    abut_interval out;
} number_call;

static ABUT_NOINLINE void square(number_call *c)
{
    c->out = ia_to(ia_sqr(ia_point(c->x)));
}

static ABUT_NOINLINE void square_of_ratio(number_call *c)
{
    c->out = ia_to(ia_sqr(ia_div(ia_point(c->x), ia_point(c->y))));
}

static ABUT_NOINLINE void half_product(number_call *c)
{
    c->out = ia_to(ia_mul(ia_point(0.5), ia_mul(ia_point(c->x), ia_point(c->y))));
}

static abut_interval enclosed(void (*kernel)(number_call *c), double x, double y)
{
    number_call call = { .x = x, .y = y };
    const abut_rounding saved = abut_rounding_enter();
    kernel(&call);
    abut_rounding_leave(saved);
    return call.out;
}

static void emit_box(abut_csg_build *b, const abut_csg_frame *at, abut_vec3 half)
{
    for (int i = 0; i < 6; ++i) {
        abut_csg_emit_side(b, at, i / 2, i % 2 ? -1 : 1, abut_part3(half, i / 2));
        if (i > 0)
            abut_csg_emit(b, ABUT_CSG_STEP_AND, 0);
    }
}

static void emit_ball(abut_csg_build *b, const abut_csg_frame *at, double radius)
{
    const abut_interval one = { 1, 1 }, k[3] = { one, one, one };
    abut_csg_emit_quadric(b, at, k, enclosed(square, radius, 0));
}

static void emit_ellipsoid(abut_csg_build *b, const abut_csg_frame *at, abut_vec3 radii)
{
    const double least = fmin(radii.x, fmin(radii.y, radii.z));
    abut_interval k[3];
    for (int i = 0; i < 3; ++i)
        k[i] = enclosed(square_of_ratio, least, abut_part3(radii, i));
    abut_csg_emit_quadric(b, at, k, enclosed(square, least, 0));
}

static void emit_cylinder(abut_csg_build *b, const abut_csg_frame *at, double radius, double height)
{
    const abut_interval one = { 1, 1 }, zero = { 0, 0 }, k[3] = { one, one, zero };
    abut_csg_emit_quadric(b, at, k, enclosed(square, radius, 0));
    for (int i = 0; i < 2; ++i) {
        abut_csg_emit_side(b, at, 2, i ? -1 : 1, 0.5 * height);
        abut_csg_emit(b, ABUT_CSG_STEP_AND, 0);
    }
}

/* height r + radius z <= radius height / 2 */
static void emit_cone(abut_csg_build *b, const abut_csg_frame *at, double radius, double height)
{
    const abut_field_request nappe = { .kind = ABUT_FIELD_CONE,
                                       .a = { height, height },
                                       .b = { radius, radius },
                                       .c = enclosed(half_product, radius, height) };
    abut_csg_emit_field(b, at, &nappe, false);
    abut_csg_emit_side(b, at, 2, -1, 0.5 * height);
    abut_csg_emit(b, ABUT_CSG_STEP_AND, 0);
}

static void emit_round(abut_csg_build *b, const abut_csg_frame *at, abut_field_kind kind, double a, double c)
{
    const abut_field_request request = { .kind = kind, .a = { a, a }, .c = enclosed(square, c, 0) };
    abut_csg_emit_field(b, at, &request, false);
}

static void emit_halfspace(abut_csg_build *b, const abut_csg_frame *at, abut_vec3 normal, double offset)
{
    int exponent;
    (void)frexp(abut_max_norm(normal), &exponent);
    const abut_vec3 n = { ldexp(normal.x, -exponent), ldexp(normal.y, -exponent),
                          ldexp(normal.z, -exponent) };
    const double d = -ldexp(offset, -exponent);
    const abut_field_request request = { .kind = ABUT_FIELD_PLANE,
                                         .normal = { { n.x, n.x }, { n.y, n.y }, { n.z, n.z } },
                                         .offset = { d, d } };
    abut_csg_emit_field(b, at, &request, false);
}

typedef struct plane_call {
    abut_vec3 p[3];
    abut_field_request request;
} plane_call;

static ABUT_NOINLINE void plane_through(plane_call *c)
{
    const ia3 o = ia3_point(c->p[0]), u = ia3_sub(ia3_point(c->p[1]), o), v = ia3_sub(ia3_point(c->p[2]), o);
    const ia3 n = ia3_cross(u, v);
    c->request.normal = ia3_to(n);
    c->request.offset = ia_to(ia_neg(ia3_dot(n, o)));
}

static void emit_hull(abut_csg_build *b, const abut_csg_frame *at, const abut_hull *hull)
{
    for (uint32_t i = 0; i < hull->face_count && !b->status; ++i) {
        const uint32_t *const corners = hull->face_corners + hull->face_begin[i];
        const uint32_t n = hull->face_begin[i + 1] - hull->face_begin[i];
        plane_call call = { .request = { .kind = ABUT_FIELD_PLANE } };
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t v = corners[k * n / 3];
            call.p[k] = (abut_vec3){ hull->x[v], hull->y[v], hull->z[v] };
        }
        const abut_rounding saved = abut_rounding_enter();
        plane_through(&call);
        abut_rounding_leave(saved);
        abut_csg_emit_field(b, at, &call.request, false);
        if (i > 0)
            abut_csg_emit(b, ABUT_CSG_STEP_AND, 0);
    }
}

void abut_csg_emit_solid(abut_csg_build *b, const abut_csg_frame *at, const abut_shape *shape)
{
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE: emit_ball(b, at, shape->u.sphere.radius); break;
    case ABUT_SHAPE_BOX: emit_box(b, at, shape->u.box.half); break;
    case ABUT_SHAPE_CAPSULE:
        if (shape->u.round.height > 0)
            emit_round(b, at, ABUT_FIELD_CAPSULE, 0.5 * shape->u.round.height, shape->u.round.radius);
        else
            emit_ball(b, at, shape->u.round.radius);
        break;
    case ABUT_SHAPE_CYLINDER: emit_cylinder(b, at, shape->u.round.radius, shape->u.round.height); break;
    case ABUT_SHAPE_CONE: emit_cone(b, at, shape->u.round.radius, shape->u.round.height); break;
    case ABUT_SHAPE_ELLIPSOID: emit_ellipsoid(b, at, shape->u.ellipsoid.radii); break;
    case ABUT_SHAPE_TORUS:
        emit_round(b, at, ABUT_FIELD_RING, shape->u.torus.major, shape->u.torus.minor);
        break;
    case ABUT_SHAPE_HALFSPACE:
        emit_halfspace(b, at, shape->u.halfspace.normal, shape->u.halfspace.offset);
        break;
    case ABUT_SHAPE_CONVEX: emit_hull(b, at, shape->u.convex.hull); break;
    default: abut_csg_emit_profile(b, at, shape->u.solid); break;
    }
}

/* ---- boxes ---- */

typedef struct box_call {
    const abut_shape *shape;
    const abut_csg_frame *at;
    abut_interval_vec3 out;
} box_call;

/* How far along d points of the box are. */
static ia box_support(const abut_aabb *b, ia3 d)
{
    const ia parts[3] = { d.x, d.y, d.z };
    ia sum = ia_point(0);
    for (int i = 0; i < 3; ++i) {
        const ia lo = ia_mul(parts[i], ia_point(abut_part3(b->lo, i)));
        const ia hi = ia_mul(parts[i], ia_point(abut_part3(b->hi, i)));
        sum = ia_add(sum, ia_max(lo, hi));
    }
    return sum;
}

static ia across(ia3 d)
{
    return ia_sqrt(ia_add(ia_sqr(d.x), ia_sqr(d.y)));
}

/* The plane's bound holds along its normal only, where that is exactly an axis. */
static ia halfspace_support(const abut_shape *shape, ia3 d)
{
    const abut_vec3 n = shape->u.halfspace.normal;
    int along = -1;
    for (int i = 0; i < 3; ++i) {
        if (abut_part3(n, i) == 0 && (ia_lo(ia3_part(d, i)) != 0 || ia_hi(ia3_part(d, i)) != 0))
            return ia_point(DBL_MAX);
        if (abut_part3(n, i) != 0) {
            if (along >= 0)
                return ia_point(DBL_MAX);
            along = i;
        }
    }
    const ia ratio = ia_div(ia3_part(d, along), ia_point(abut_part3(n, along)));
    return ia_lo(ratio) > 0 ? ia_mul(ratio, ia_point(shape->u.halfspace.offset)) : ia_point(DBL_MAX);
}

static ia hull_support(const abut_hull *hull, ia3 d)
{
    ia most = ia_point(-DBL_MAX);
    for (uint32_t i = 0; i < hull->vertex_count; ++i)
        most = ia_max(most, ia3_dot(d, ia3_point((abut_vec3){ hull->x[i], hull->y[i], hull->z[i] })));
    return most;
}

static ia support(const abut_shape *shape, ia3 d)
{
    const double radius = shape->u.round.radius, height = shape->u.round.height;
    const ia ends = ia_mul(ia_point(0.5 * height), ia_max(d.z, ia_neg(d.z)));
    switch (shape->type) {
    case ABUT_SHAPE_SPHERE: return ia_mul(ia_point(shape->u.sphere.radius), ia_sqrt(ia3_sqr_norm(d)));
    case ABUT_SHAPE_CAPSULE: return ia_add(ends, ia_mul(ia_point(radius), ia_sqrt(ia3_sqr_norm(d))));
    case ABUT_SHAPE_CYLINDER: return ia_add(ends, ia_mul(ia_point(radius), across(d)));
    case ABUT_SHAPE_CONE: {
        const ia up = ia_mul(ia_point(0.5 * height), d.z);
        return ia_max(up, ia_sub(ia_mul(ia_point(radius), across(d)), up));
    }
    case ABUT_SHAPE_ELLIPSOID: {
        const abut_vec3 a = shape->u.ellipsoid.radii;
        return ia_sqrt(ia3_sqr_norm(
            (ia3){ ia_mul(ia_point(a.x), d.x), ia_mul(ia_point(a.y), d.y), ia_mul(ia_point(a.z), d.z) }));
    }
    case ABUT_SHAPE_TORUS:
        return ia_add(ia_mul(ia_point(shape->u.torus.major), across(d)),
                      ia_mul(ia_point(shape->u.torus.minor), ia_sqrt(ia3_sqr_norm(d))));
    case ABUT_SHAPE_HALFSPACE: return halfspace_support(shape, d);
    case ABUT_SHAPE_CONVEX: return hull_support(shape->u.convex.hull, d);
    default: return box_support(&shape->bounds, d);
    }
}

static ABUT_NOINLINE void find_box(box_call *c)
{
    const ia_affine at = ia_affine_from(&c->at->forward);
    ia sides[3];
    for (int i = 0; i < 3; ++i) {
        const ia3 d = ia33_row(&at.linear, i);
        const ia shift = ia3_part(at.translation, i);
        const double high = ia_hi(support(c->shape, d)), low = ia_hi(support(c->shape, ia3_neg(d)));
        sides[i] = ia_make(low >= DBL_MAX ? -INFINITY : ia_lo(ia_sub(shift, ia_point(low))),
                           high >= DBL_MAX ? INFINITY : ia_hi(ia_add(shift, ia_point(high))));
    }
    c->out = ia3_to((ia3){ sides[0], sides[1], sides[2] });
}

abut_aabb abut_csg_box_of(const abut_shape *shape, const abut_csg_frame *at)
{
    const abut_aabb own = shape->bounds;
    box_call call = { .shape = shape, .at = at };
    if (at->identity && shape->type != ABUT_SHAPE_HALFSPACE)
        return own;
    if (!(own.lo.x <= own.hi.x) && shape->type != ABUT_SHAPE_HALFSPACE) /* of nothing */
        return own;
    const abut_rounding saved = abut_rounding_enter();
    find_box(&call);
    abut_rounding_leave(saved);
    return (abut_aabb){ { call.out.x.lo, call.out.y.lo, call.out.z.lo },
                        { call.out.x.hi, call.out.y.hi, call.out.z.hi } };
}
