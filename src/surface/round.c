/* SPDX-License-Identifier: MIT */
/* Sphere, ellipsoid, torus, cylinder, cone and capsule as exact surface bodies, written out by
 * hand.
 *
 * All but the ellipsoid are surfaces of revolution: (r(v) cos u, r(v) sin u, z(v)) with a profile
 * (r, z) and the profile of the normal. In every component of every derivative each parameter
 * occurs once, so that natural interval evaluation gives the exact range but for rounding; so do
 * the fields, in which each coordinate occurs once.
 *
 * Parameters: u is the angle around the z axis, from 0 to a double above 2 pi. v: sphere,
 * ellipsoid: the latitude; torus: the angle around the tube, 0 outside; cylinder and cone: z on the
 * side, the distance from the axis on caps; capsule: the length along the profile, 0 at the middle.
 *
 * Surprises: normals do not come from the cross product, so that they are tight and do not
 * vanish at poles. The capsule is one face, whose second derivatives jump at the seams: there
 * enclosures hold both sides. The quadric of the cone has a second nappe, which a third leaf
 * cuts off. The field of the torus, (|(x, y)| - R)^2 + z^2 - r^2, has a kink on the axis, far
 * from the surface. */
#include "surface/leaves.h"

/* Doubles just above pi / 2 and 2 pi. */
static const double half_pi_up = 0x1.921fb54442d19p+0, two_pi_up = 0x1.921fb54442d19p+2;

/* A profile of revolution over v: the curve with two derivatives, the normal with one. */
typedef struct profile {
    ia r, dr, ddr, z, dz, ddz;
    ia nr, dnr, nz, dnz;
} profile;

static inline void revolve(const profile *c, ia u, int order, abut_jet *out)
{
    const ia zero = ia_point(0);
    ia cu, su;
    ia_sin_cos(u, &su, &cu);
    const ia x = ia_mul(c->r, cu), y = ia_mul(c->r, su);
    out->p = (ia3){ x, y, c->z };
    if (order < 1)
        return;
    const ia dx = ia_mul(c->dr, cu), dy = ia_mul(c->dr, su);
    const ia nx = ia_mul(c->nr, cu), ny = ia_mul(c->nr, su);
    out->u = (ia3){ ia_neg(y), x, zero };
    out->v = (ia3){ dx, dy, c->dz };
    out->n = (ia3){ nx, ny, c->nz };
    out->t = abut_ia3_zero();
    if (order < 2)
        return;
    out->uu = (ia3){ ia_neg(x), ia_neg(y), zero };
    out->uv = (ia3){ ia_neg(dy), dx, zero };
    out->vv = (ia3){ ia_mul(c->ddr, cu), ia_mul(c->ddr, su), c->ddz };
    out->nu = (ia3){ ia_neg(ny), nx, zero };
    out->nv = (ia3){ ia_mul(c->dnr, cu), ia_mul(c->dnr, su), c->dnz };
    out->ut = out->vt = out->nt = abut_ia3_zero();
}

/* A circle of that radius around the z axis at height z, as an edge. */
static inline void circle(double radius, double z, ia u, int order, abut_jet *out)
{
    const ia zero = ia_point(0);
    ia cu, su;
    ia_sin_cos(u, &su, &cu);
    const ia x = ia_scale(radius, cu), y = ia_scale(radius, su);
    abut_jet_clear(order, out);
    out->p = (ia3){ x, y, ia_point(z) };
    if (order >= 1)
        out->u = (ia3){ ia_neg(y), x, zero };
    if (order >= 2)
        out->uu = (ia3){ ia_neg(x), ia_neg(y), zero };
}

/* The normal of a face, for those whose normals are in their jets. */
static void face_normal(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                        ia *scratch, ia3 *out)
{
    abut_jet jet;
    s->body->methods->jet(s, f, parameters, t, 1, scratch, &jet);
    *out = jet.n;
}

/* x^2 + y^2 - radius^2 */
static inline void round_field(double radius, ia3 x, int order, abut_field_jet *out)
{
    const ia zero = ia_point(0);
    out->f = ia_sub(ia_add(ia_sqr(x.x), ia_sqr(x.y)), ia_sqr(ia_point(radius)));
    if (order >= 1)
        out->g = (ia3){ ia_scale(2, x.x), ia_scale(2, x.y), zero };
    if (order >= 2) {
        out->h[0] = out->h[3] = ia_point(2);
        out->h[1] = out->h[2] = out->h[4] = out->h[5] = zero;
    }
}

/* sign z - height */
static inline void flat_field(double sign, double height, ia3 x, int order, abut_field_jet *out)
{
    out->f = ia_sub(ia_scale(sign, x.z), ia_point(height));
    if (order >= 1)
        out->g = (ia3){ ia_point(0), ia_point(0), ia_point(sign) };
    for (int i = 0; order >= 2 && i < 6; ++i)
        out->h[i] = ia_point(0);
}

static ia3 box_around(ia x, ia y, ia z)
{
    return (ia3){ ia_hull(x, ia_neg(x)), ia_hull(y, ia_neg(y)), ia_hull(z, ia_neg(z)) };
}

static void make_face(abut_surface_feature *f, int64_t id, double v_lo, double v_hi, bool wraps_v)
{
    f->kind = ABUT_FEATURE_FACE;
    f->dimension = 2;
    f->id = id;
    f->range[0] = (abut_interval){ 0, two_pi_up };
    f->range[1] = (abut_interval){ v_lo, v_hi };
    f->wraps[0] = true;
    f->wraps[1] = wraps_v;
}

static void make_rim(abut_surface_feature *f, int64_t id)
{
    f->kind = ABUT_FEATURE_EDGE;
    f->dimension = 1;
    f->id = id;
    f->range[0] = (abut_interval){ 0, two_pi_up };
    f->wraps[0] = true;
    f->field_count = 2;
    f->normal_count = 2;
}

/* ---- sphere and ellipsoid: size = radii ---- */

static bool ellipsoid_jet(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                          int order, ia *scratch, abut_jet *out)
{
    (void)f;
    (void)t;
    (void)scratch;
    const double *radii = abut_leaf_body_of(s)->size;
    ia cv, sv;
    ia_sin_cos(parameters[1], &sv, &cv);
    const profile unit = { cv, ia_neg(sv), ia_neg(cv), sv, cv, ia_neg(sv), cv, ia_neg(sv), sv, cv };
    revolve(&unit, parameters[0], order, out);
    const ia3 unit_p = out->p;
#define STRETCH(a) ((ia3){ ia_scale(radii[0], (a).x), ia_scale(radii[1], (a).y), ia_scale(radii[2], (a).z) })
    out->p = STRETCH(unit_p);
    if (order >= 1) {
        out->u = STRETCH(out->u);
        out->v = STRETCH(out->v);
    }
    if (order >= 2) {
        out->uu = STRETCH(out->uu);
        out->uv = STRETCH(out->uv);
        out->vv = STRETCH(out->vv);
    }
#undef STRETCH
    if (order < 1 || (radii[0] == radii[1] && radii[1] == radii[2]))
        return true;
    /* The gradient of (x/a)^2 + ...: the unit sphere's normal, divided by the radii. Times the
     * least of them, so that nothing overflows. */
    const double least = fmin(radii[0], fmin(radii[1], radii[2]));
    const ia3 k = { ia_div(ia_point(least), ia_point(radii[0])), ia_div(ia_point(least), ia_point(radii[1])),
                    ia_div(ia_point(least), ia_point(radii[2])) };
#define SHRINK(a) ((ia3){ ia_mul(k.x, (a).x), ia_mul(k.y, (a).y), ia_mul(k.z, (a).z) })
    out->n = SHRINK(out->n);
    if (order >= 2) {
        out->nu = SHRINK(out->nu);
        out->nv = SHRINK(out->nv);
    }
#undef SHRINK
    return true;
}

static bool sphere_leaf(const abut_leaf_body *body, int k, ia3 x, int order, abut_field_jet *out)
{
    (void)k;
    out->f = ia_sub(ia3_sqr_norm(x), ia_sqr(ia_point(body->size[0])));
    if (order >= 1)
        out->g = (ia3){ ia_scale(2, x.x), ia_scale(2, x.y), ia_scale(2, x.z) };
    if (order >= 2) {
        out->h[0] = out->h[3] = out->h[5] = ia_point(2);
        out->h[1] = out->h[2] = out->h[4] = ia_point(0);
    }
    return true;
}

static bool ellipsoid_leaf(const abut_leaf_body *body, int k, ia3 x, int order, abut_field_jet *out)
{
    (void)k;
    const ia a = ia_point(body->size[0]), b = ia_point(body->size[1]), c = ia_point(body->size[2]);
    const ia3 q = { ia_div(x.x, a), ia_div(x.y, b), ia_div(x.z, c) };
    out->f = ia_sub(ia3_sqr_norm(q), ia_point(1));
    if (order >= 1)
        out->g =
            (ia3){ ia_div(ia_scale(2, q.x), a), ia_div(ia_scale(2, q.y), b), ia_div(ia_scale(2, q.z), c) };
    if (order >= 2) {
        const ia two = ia_point(2);
        out->h[0] = ia_div(ia_div(two, a), a);
        out->h[3] = ia_div(ia_div(two, b), b);
        out->h[5] = ia_div(ia_div(two, c), c);
        out->h[1] = out->h[2] = out->h[4] = ia_point(0);
    }
    return true;
}

static ia3 ellipsoid_bounds(const abut_surface *s, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    const double *radii = abut_leaf_body_of(s)->size;
    return box_around(ia_point(radii[0]), ia_point(radii[1]), ia_point(radii[2]));
}

static const abut_surface_methods ellipsoid_methods = { .jet = ellipsoid_jet,
                                                        .normals = face_normal,
                                                        .field = abut_leaf_field,
                                                        .on = abut_leaf_on,
                                                        .inside = abut_leaf_inside,
                                                        .bounds = ellipsoid_bounds,
                                                        .limit = abut_leaf_limit,
                                                        .stays = abut_leaf_stays };

static abut_status make_ellipsoid(abut_vec3 radii, bool is_sphere, abut_workspace *ws, abut_surface *out)
{
    abut_leaf_body *body;
    abut_surface_feature *features;
    if (!abut_leaf_open(&ellipsoid_methods, 1, ws, out, &body, &features))
        return ABUT_ERR_MEMORY;
    body->leaf_count = 1;
    body->leaf = is_sphere ? sphere_leaf : ellipsoid_leaf;
    body->size[0] = radii.x;
    body->size[1] = radii.y;
    body->size[2] = radii.z;
    make_face(&features[0], 0, -half_pi_up, half_pi_up, false);
    return ABUT_OK;
}

abut_status abut_surface_sphere(double radius, abut_workspace *ws, abut_surface *out)
{
    return make_ellipsoid((abut_vec3){ radius, radius, radius }, true, ws, out);
}

abut_status abut_surface_ellipsoid(abut_vec3 radii, abut_workspace *ws, abut_surface *out)
{
    return make_ellipsoid(radii, false, ws, out);
}

/* ---- torus: size = major, minor ---- */

static bool torus_jet(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                      int order, ia *scratch, abut_jet *out)
{
    (void)f;
    (void)t;
    (void)scratch;
    const double *size = abut_leaf_body_of(s)->size;
    ia cv, sv;
    ia_sin_cos(parameters[1], &sv, &cv);
    const ia c = ia_scale(size[1], cv), d = ia_scale(size[1], sv);
    const profile tube = {
        ia_add(ia_point(size[0]), c), ia_neg(d), ia_neg(c), d, c, ia_neg(d), cv, ia_neg(sv), sv, cv
    };
    revolve(&tube, parameters[0], order, out);
    return true;
}

/* With rho = |(x, y)|: f = (rho - R)^2 + z^2 - r^2; f_x = 2 (x - R x/rho); f_xx = 2 (1 - R
 * y^2/rho^3), f_xy = 2 R x y/rho^3. */
static bool torus_leaf(const abut_leaf_body *body, int k, ia3 x, int order, abut_field_jet *out)
{
    (void)k;
    const ia major = ia_point(body->size[0]), minor = ia_point(body->size[1]);
    const ia rho = ia_sqrt(ia_add(ia_sqr(x.x), ia_sqr(x.y)));
    out->f = ia_sub(ia_add(ia_sqr(ia_sub(rho, major)), ia_sqr(x.z)), ia_sqr(minor));
    if (order < 1)
        return true;
    const ia one = ia_make(-1, 1);
    const bool defined = ia_lo(rho) > 0;
    const ia c = defined ? ia_intersect(ia_div(x.x, rho), one) : one;
    const ia d = defined ? ia_intersect(ia_div(x.y, rho), one) : one;
    out->g = (ia3){ ia_scale(2, ia_sub(x.x, ia_mul(major, c))), ia_scale(2, ia_sub(x.y, ia_mul(major, d))),
                    ia_scale(2, x.z) };
    if (order < 2)
        return defined;
    const ia bend = defined ? ia_div(major, rho) : ia_entire(), zero = ia_point(0);
    out->h[0] = ia_scale(2, ia_sub(ia_point(1), ia_mul(bend, ia_sqr(d))));
    out->h[1] = ia_scale(2, ia_mul(bend, ia_mul(c, d)));
    out->h[3] = ia_scale(2, ia_sub(ia_point(1), ia_mul(bend, ia_sqr(c))));
    out->h[2] = out->h[4] = zero;
    out->h[5] = ia_point(2);
    return defined;
}

static ia3 torus_bounds(const abut_surface *s, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    const double *size = abut_leaf_body_of(s)->size;
    const ia wide = ia_add(ia_point(size[0]), ia_point(size[1]));
    return box_around(wide, wide, ia_point(size[1]));
}

static const abut_surface_methods torus_methods = { .jet = torus_jet,
                                                    .normals = face_normal,
                                                    .field = abut_leaf_field,
                                                    .on = abut_leaf_on,
                                                    .inside = abut_leaf_inside,
                                                    .bounds = torus_bounds,
                                                    .limit = abut_leaf_limit,
                                                    .stays = abut_leaf_stays };

abut_status abut_surface_torus(double major, double minor, abut_workspace *ws, abut_surface *out)
{
    abut_leaf_body *body;
    abut_surface_feature *features;
    if (!abut_leaf_open(&torus_methods, 1, ws, out, &body, &features))
        return ABUT_ERR_MEMORY;
    body->leaf_count = 1;
    body->leaf = torus_leaf;
    body->size[0] = major;
    body->size[1] = minor;
    make_face(&features[0], 0, 0, two_pi_up, true);
    return ABUT_OK;
}

/* ---- cylinder and cone: size = radius, half height; leaves: side, below, above ---- */

enum { side, below, above };

/* A flat cap at height z whose normal leads along sign. */
static void disc_jet(double z, double sign, const ia *parameters, int order, abut_jet *out)
{
    const ia zero = ia_point(0);
    const profile cap = { parameters[1], ia_point(1), zero, ia_point(z),    zero,
                          zero,          zero,        zero, ia_point(sign), zero };
    revolve(&cap, parameters[0], order, out);
}

static bool cylinder_jet(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                         int order, ia *scratch, abut_jet *out)
{
    (void)t;
    (void)scratch;
    const double radius = abut_leaf_body_of(s)->size[0], half = abut_leaf_body_of(s)->size[1];
    const ia zero = ia_point(0), one = ia_point(1);
    if (f->dimension == 1) {
        circle(radius, f->id == 0 ? -half : half, parameters[0], order, out);
        return true;
    }
    if (f->id != side) {
        const double sign = f->id == above ? 1 : -1;
        disc_jet(sign * half, sign, parameters, order, out);
        return true;
    }
    const profile wall = { ia_point(radius), zero, zero, parameters[1], one, zero, one, zero, zero, zero };
    revolve(&wall, parameters[0], order, out);
    return true;
}

static void cylinder_normals(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                             ia *scratch, ia3 *out)
{
    if (f->dimension == 2) {
        face_normal(s, f, parameters, t, scratch, out);
        return;
    }
    const ia zero = ia_point(0);
    out[0] = (ia3){ ia_cos(parameters[0]), ia_sin(parameters[0]), zero };
    out[1] = (ia3){ zero, zero, ia_point(f->id == 0 ? -1 : 1) };
}

static bool cylinder_leaf(const abut_leaf_body *body, int k, ia3 x, int order, abut_field_jet *out)
{
    if (k == side)
        round_field(body->size[0], x, order, out);
    else
        flat_field(k == above ? 1 : -1, body->size[1], x, order, out);
    return true;
}

static ia3 upright_bounds(const abut_surface *s, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    const double *size = abut_leaf_body_of(s)->size;
    return box_around(ia_point(size[0]), ia_point(size[0]), ia_point(size[1]));
}

static const abut_surface_methods cylinder_methods = { .jet = cylinder_jet,
                                                       .normals = cylinder_normals,
                                                       .field = abut_leaf_field,
                                                       .on = abut_leaf_on,
                                                       .inside = abut_leaf_inside,
                                                       .bounds = upright_bounds,
                                                       .limit = abut_leaf_limit,
                                                       .stays = abut_leaf_stays };

abut_status abut_surface_cylinder(double radius, double height, abut_workspace *ws, abut_surface *out)
{
    abut_leaf_body *body;
    abut_surface_feature *features;
    if (!abut_leaf_open(&cylinder_methods, 5, ws, out, &body, &features))
        return ABUT_ERR_MEMORY;
    body->leaf_count = 3;
    body->leaf = cylinder_leaf;
    body->size[0] = radius;
    body->size[1] = height / 2;
    make_face(&features[0], side, -height / 2, height / 2, false);
    features[0].data = side;
    for (int i = 1; i < 3; ++i) {
        make_face(&features[i], i, 0, radius, false);
        features[i].data = (uint32_t)i;
        make_rim(&features[2 + i], i - 1);
        features[2 + i].data = abut_leaf_pack(side, i, 0);
    }
    return ABUT_OK;
}

/* Slope: radius over height, as the radius grows downward. */
static ia slope_of(const double *size)
{
    return ia_div(ia_point(size[0]), ia_scale(2, ia_point(size[1])));
}

enum { sectors = ABUT_FEATURE_MAX_NORMALS };

/* The normals (h cos u, h sin u, r) of the cone at its apex, for all u. */
static void apex_normals(const double *size, ia3 *out)
{
    const ia height = ia_scale(2, ia_point(size[1]));
    for (int i = 0; i < sectors; ++i) {
        /* Doubles i two_pi_up / 8 are exact: the sectors share their ends and cover the circle. */
        const ia u = ia_make(i * two_pi_up / sectors, (i + 1) * two_pi_up / sectors);
        out[i] = (ia3){ ia_mul(height, ia_cos(u)), ia_mul(height, ia_sin(u)), ia_point(size[0]) };
    }
}

static bool cone_jet(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                     int order, ia *scratch, abut_jet *out)
{
    (void)t;
    (void)scratch;
    const double *size = abut_leaf_body_of(s)->size;
    const ia zero = ia_point(0), half = ia_point(size[1]);
    if (f->dimension == 0) {
        abut_jet_clear(order, out);
        out->p = (ia3){ zero, zero, half };
    } else if (f->dimension == 1) {
        circle(size[0], -size[1], parameters[0], order, out);
    } else if (f->id != side) {
        disc_jet(-size[1], -1, parameters, order, out);
    } else {
        const ia slope = slope_of(size);
        const profile wall = { ia_mul(slope, ia_sub(half, parameters[1])),
                               ia_neg(slope),
                               zero,
                               parameters[1],
                               ia_point(1),
                               zero,
                               ia_scale(2, half),
                               zero,
                               ia_point(size[0]),
                               zero };
        revolve(&wall, parameters[0], order, out);
    }
    return true;
}

static void cone_normals(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                         ia *scratch, ia3 *out)
{
    const double *size = abut_leaf_body_of(s)->size;
    const ia zero = ia_point(0), height = ia_scale(2, ia_point(size[1]));
    if (f->dimension == 2) {
        face_normal(s, f, parameters, t, scratch, out);
    } else if (f->dimension == 1) {
        out[0] = (ia3){ ia_mul(height, ia_cos(parameters[0])), ia_mul(height, ia_sin(parameters[0])),
                        ia_point(size[0]) };
        out[1] = (ia3){ zero, zero, ia_point(-1) };
    } else {
        apex_normals(size, out);
    }
}

/* Side: x^2 + y^2 - (k (h/2 - z))^2, with k = r/h. */
static bool cone_leaf(const abut_leaf_body *body, int k, ia3 x, int order, abut_field_jet *out)
{
    if (k != side) {
        flat_field(k == above ? 1 : -1, body->size[1], x, order, out);
        return true;
    }
    const ia slope = slope_of(body->size), zero = ia_point(0);
    const ia w = ia_mul(slope, ia_sub(ia_point(body->size[1]), x.z));
    out->f = ia_sub(ia_add(ia_sqr(x.x), ia_sqr(x.y)), ia_sqr(w));
    if (order >= 1)
        out->g = (ia3){ ia_scale(2, x.x), ia_scale(2, x.y), ia_scale(2, ia_mul(slope, w)) };
    if (order >= 2) {
        out->h[0] = out->h[3] = ia_point(2);
        out->h[1] = out->h[2] = out->h[4] = zero;
        out->h[5] = ia_scale(-2, ia_sqr(slope));
    }
    return true;
}

static const abut_surface_methods cone_methods = { .jet = cone_jet,
                                                   .normals = cone_normals,
                                                   .field = abut_leaf_field,
                                                   .on = abut_leaf_on,
                                                   .inside = abut_leaf_inside,
                                                   .bounds = upright_bounds,
                                                   .limit = abut_leaf_limit,
                                                   .stays = abut_leaf_stays };

abut_status abut_surface_cone(double radius, double height, abut_workspace *ws, abut_surface *out)
{
    abut_leaf_body *body;
    abut_surface_feature *features;
    if (!abut_leaf_open(&cone_methods, 4, ws, out, &body, &features))
        return ABUT_ERR_MEMORY;
    body->leaf_count = 3;
    body->leaf = cone_leaf;
    body->size[0] = radius;
    body->size[1] = height / 2;
    make_face(&features[0], side, -height / 2, height / 2, false);
    features[0].data = side;
    make_face(&features[1], 1, 0, radius, false);
    features[1].data = below;
    make_rim(&features[2], 0);
    features[2].data = abut_leaf_pack(side, below, 0);
    /* The apex has no three fields that vanish there and nowhere near. */
    features[3].kind = ABUT_FEATURE_VERTEX;
    features[3].field_count = 0;
    features[3].normal_count = sectors;
    return ABUT_OK;
}

/* ---- capsule: size = radius, half height, end of v ---- */

static void hull_profile(profile *a, const profile *b)
{
    a->r = ia_hull(a->r, b->r), a->dr = ia_hull(a->dr, b->dr), a->ddr = ia_hull(a->ddr, b->ddr);
    a->z = ia_hull(a->z, b->z), a->dz = ia_hull(a->dz, b->dz), a->ddz = ia_hull(a->ddz, b->ddz);
    a->nr = ia_hull(a->nr, b->nr), a->dnr = ia_hull(a->dnr, b->dnr);
    a->nz = ia_hull(a->nz, b->nz), a->dnz = ia_hull(a->dnz, b->dnz);
}

/* The cap on the side of `sign`: with a = (sign v - half) / radius it is radius (cos a, sign sin
 * a), raised. */
static profile capsule_cap(double radius, double half, double sign, ia v)
{
    const ia r = ia_point(radius);
    ia c, s;
    ia_sin_cos(ia_div(ia_sub(ia_scale(sign, v), ia_point(half)), r), &s, &c);
    return (profile){ ia_scale(radius, c),
                      ia_scale(-sign, s),
                      ia_neg(ia_div(c, r)),
                      ia_scale(sign, ia_add(ia_point(half), ia_scale(radius, s))),
                      c,
                      ia_scale(-sign, ia_div(s, r)),
                      c,
                      ia_scale(-sign, ia_div(s, r)),
                      ia_scale(sign, s),
                      ia_div(c, r) };
}

static bool capsule_jet(const abut_surface *s, const abut_surface_feature *f, const ia *parameters, ia t,
                        int order, ia *scratch, abut_jet *out)
{
    (void)f;
    (void)t;
    (void)scratch;
    const double radius = abut_leaf_body_of(s)->size[0], half = abut_leaf_body_of(s)->size[1];
    const ia v = parameters[1], zero = ia_point(0), one = ia_point(1);
    const ia middle = ia_intersect(v, ia_make(-half, half));
    bool any = !ia_is_empty(middle);
    profile whole = { ia_point(radius), zero, zero, middle, one, zero, one, zero, zero, zero };
    for (int sign = -1; sign <= 1; sign += 2) {
        const ia part = ia_intersect(v, sign > 0 ? ia_make(half, HUGE_VAL) : ia_make(-HUGE_VAL, -half));
        if (ia_is_empty(part))
            continue;
        const profile piece = capsule_cap(radius, half, sign, part);
        if (any)
            hull_profile(&whole, &piece);
        else
            whole = piece;
        any = true;
    }
    revolve(&whole, parameters[0], order, out);
    return true;
}

/* The squared distance to the axis less r^2: x^2 + y^2 + w^2 - r^2 with w = z beyond the half
 * height, 0 within. */
static bool capsule_leaf(const abut_leaf_body *body, int k, ia3 x, int order, abut_field_jet *out)
{
    (void)k;
    const ia zero = ia_point(0), half = ia_point(body->size[1]);
    const ia w = ia_add(ia_max(ia_sub(x.z, half), zero), ia_min(ia_add(x.z, half), zero));
    out->f = ia_sub(ia_add(ia_add(ia_sqr(x.x), ia_sqr(x.y)), ia_sqr(w)), ia_sqr(ia_point(body->size[0])));
    if (order >= 1)
        out->g = (ia3){ ia_scale(2, x.x), ia_scale(2, x.y), ia_scale(2, w) };
    if (order >= 2) {
        const bool within = ia_lo(x.z) > -body->size[1] && ia_hi(x.z) < body->size[1];
        const bool beyond = ia_lo(x.z) > body->size[1] || ia_hi(x.z) < -body->size[1];
        out->h[0] = out->h[3] = ia_point(2);
        out->h[1] = out->h[2] = out->h[4] = zero;
        out->h[5] = ia_make(beyond ? 2 : 0, within ? 0 : 2);
    }
    return true;
}

static ia3 capsule_bounds(const abut_surface *s, ia t, ia *scratch)
{
    (void)t;
    (void)scratch;
    const double *size = abut_leaf_body_of(s)->size;
    return box_around(ia_point(size[0]), ia_point(size[0]), ia_add(ia_point(size[0]), ia_point(size[1])));
}

static const abut_surface_methods capsule_methods = { .jet = capsule_jet,
                                                      .normals = face_normal,
                                                      .field = abut_leaf_field,
                                                      .on = abut_leaf_on,
                                                      .inside = abut_leaf_inside,
                                                      .bounds = capsule_bounds,
                                                      .limit = abut_leaf_limit,
                                                      .stays = abut_leaf_stays };

abut_status abut_surface_capsule(double radius, double height, abut_workspace *ws, abut_surface *out)
{
    abut_leaf_body *body;
    abut_surface_feature *features;
    if (!abut_leaf_open(&capsule_methods, 1, ws, out, &body, &features))
        return ABUT_ERR_MEMORY;
    body->leaf_count = 1;
    body->leaf = capsule_leaf;
    body->size[0] = radius;
    body->size[1] = height / 2;
    /* A little beyond the pole: the sphere goes on. 1 + 2^-50 covers the roundings. */
    const double end = (height / 2 + radius * half_pi_up) * (1 + 0x1p-50);
    make_face(&features[0], 0, -end, end, false);
    return ABUT_OK;
}
