/* SPDX-License-Identifier: MIT */
/* Points of bodies over time, for contacts that last (static_hold.c): fixed in the frame of a body, of given
 * parameters of a face, or with given weights of the corners of a triangle. The last two are points of the
 * boundary however it deforms; they are found from a place nearby, by doubles that steer: Newton's method
 * on a face from the nearest of a few samples, the nearest point of the triangles around. */
#include "ccd/advance/static_hold.h"
#include "math/vec3.h"

#include <string.h>

enum { GRID = 9, STEPS = 4 };

/* ---- where they are ---- */

static bool corner_over(const abut_static_body *b, uint32_t vertex, ia t, ia3 *out)
{
    if (b->vertices)
        return b->vertices->ops->vertex_over(b->vertices, vertex, t, out);
    *out = ia3_point(b->shape->u.faceted.vertices[vertex]);
    return true;
}

static bool triangle_over(const abut_static_body *b, const abut_static_point *p, ia t, ia3 *out)
{
    ia3 c[3];
    for (int k = 0; k < 3; ++k)
        if (!corner_over(b, p->corner[k], t, &c[k]))
            return false;
    *out = c[0];
    for (int k = 1; k < 3; ++k)
        *out = ia3_add(*out, ia3_scale(ia_point(p->weight[k - 1]), ia3_sub(c[k], c[0])));
    return true;
}

bool abut_static_point_over(const abut_static_body *b, const abut_static_point *p, ia t, ia3 *out)
{
    if (p->kind == ABUT_STATIC_TRIANGLE)
        return triangle_over(b, p, t, out);
    if (p->kind == ABUT_STATIC_FACE) {
        const ia at[2] = { ia_point(p->at.x), ia_point(p->at.y) };
        abut_jet jet;
        const bool defined =
            abut_feature_jet(&b->surface, &b->surface.features[p->feature], at, t, 0, b->scratch, &jet);
        *out = jet.p;
        return defined && !ia3_is_empty(jet.p);
    }
    *out = ia3_point(p->at);
    return true;
}

/* ---- from a place nearby ---- */

static double clamp(double x, abut_interval to)
{
    return x < to.lo ? to.lo : x > to.hi ? to.hi : x;
}

/* Newton's method to the nearest point of a face or edge, from u, v. */
static double approach(const abut_static_body *b, const abut_surface_feature *f, abut_vec3 p, double t,
                       int steps, double at[2])
{
    double best = INFINITY, next[2] = { at[0], at[1] };
    for (int i = 0; i <= steps; ++i) {
        const ia q[2] = { ia_point(next[0]), ia_point(next[1]) };
        abut_jet jet;
        if (!abut_feature_jet(&b->surface, f, q, ia_point(t), steps > 0, b->scratch, &jet))
            return best;
        const abut_vec3 d = abut_sub(p, ia3_mid(jet.p));
        const double square = abut_dot(d, d);
        if (!(square < best))
            return best;
        best = square;
        at[0] = next[0];
        at[1] = next[1];
        if (i == steps)
            return best;
        const abut_vec3 u = ia3_mid(jet.u), v = ia3_mid(jet.v);
        const double a = abut_dot(u, u), c = abut_dot(u, v), e = abut_dot(v, v), det = a * e - c * c;
        const double x = abut_dot(d, u), y = abut_dot(d, v);
        if (f->dimension == 1 && a > 0) {
            next[0] = clamp(at[0] + x / a, f->range[0]);
            continue;
        }
        if (!(det > 1e-12 * a * e))
            return best;
        next[0] = clamp(at[0] + (x * e - y * c) / det, f->range[0]);
        next[1] = clamp(at[1] + (y * a - x * c) / det, f->range[1]);
    }
    return best;
}

/* Newton's method from the nearest of a few samples; the square of the distance. */
static double nearest_on(const abut_static_body *b, const abut_surface_feature *f, abut_vec3 p, double t,
                         double at[2])
{
    const int rows = f->dimension == 2 ? GRID : 1;
    const abut_interval u = f->range[0], v = f->range[1];
    double near = INFINITY;
    at[0] = at[1] = 0;
    for (int k = 0; k < GRID * rows; ++k) {
        const int row = k / GRID;
        double q[2] = { u.lo + (u.hi - u.lo) * ((k % GRID) + 0.5) / GRID,
                        v.lo + (v.hi - v.lo) * (row + 0.5) / GRID };
        const double d = approach(b, f, p, t, 0, q);
        if (d < near) {
            near = d;
            at[0] = q[0];
            at[1] = q[1];
        }
    }
    return near < INFINITY ? approach(b, f, p, t, 2 * STEPS, at) : near;
}

static ABUT_NOINLINE void find_on(const abut_static_body *b, uint32_t feature, const abut_vec3 *p, double t,
                                  double *square, abut_static_point *out)
{
    double at[2];
    *square = nearest_on(b, &b->surface.features[feature], *p, t, at);
    *out = (abut_static_point){ .kind = ABUT_STATIC_FACE, .feature = feature, .at = { at[0], at[1], 0 } };
}

bool abut_static_point_on(const abut_static_body *b, uint32_t feature, abut_vec3 p, double t,
                          abut_static_point *out)
{
    double square = INFINITY;
    if (!b->surface.features[feature].parametric || b->surface.features[feature].dimension == 0)
        return false;
    const abut_rounding saved = abut_rounding_enter();
    find_on(b, feature, &p, t, &square, out);
    abut_rounding_leave(saved);
    return square < INFINITY;
}

/* On faces; on edges where there are none. */
static void find_on_faces(const abut_static_body *b, abut_vec3 p, double t, abut_static_point *out)
{
    double best = INFINITY;
    bool faces = false;
    for (uint32_t i = 0; i < b->surface.feature_count; ++i)
        faces = faces || b->surface.features[i].dimension == 2;
    for (uint32_t i = 0; i < b->surface.feature_count; ++i) {
        const abut_surface_feature *f = &b->surface.features[i];
        abut_static_point next;
        double square = INFINITY;
        if (!f->parametric || f->dimension != (faces ? 2 : 1))
            continue;
        const abut_rounding saved = abut_rounding_enter();
        find_on(b, i, &p, t, &square, &next);
        abut_rounding_leave(saved);
        if (square < best) {
            best = square;
            *out = next;
        }
    }
}

/* Weights of the second and third corner of the nearest point of a triangle, in doubles. */
static void weigh(const abut_vec3 c[3], abut_vec3 p, double w[2])
{
    const abut_vec3 u = abut_sub(c[1], c[0]), v = abut_sub(c[2], c[0]), d = abut_sub(p, c[0]);
    const double a = abut_dot(u, u), b = abut_dot(u, v), e = abut_dot(v, v), det = a * e - b * b;
    const double x = abut_dot(d, u), y = abut_dot(d, v);
    w[0] = det > 0 ? fmax(0, (x * e - y * b) / det) : 0;
    w[1] = det > 0 ? fmax(0, (y * a - x * b) / det) : 0;
    const double sum = (w[0] + w[1]) * (1 + 0x1p-50);
    if (!(sum <= 1)) {
        w[0] /= sum * (1 + 0x1p-50);
        w[1] /= sum * (1 + 0x1p-50);
    }
    if (!isfinite(w[0]) || !isfinite(w[1]))
        w[0] = w[1] = 0;
}

static void find_on_mesh(const abut_shape *mesh, abut_vec3 p, abut_workspace *ws, abut_static_point *out)
{
    abut_facets f;
    abut_facets_of_mesh(mesh, &f);
    const size_t words = f.face_count / 64 + 1;
    abut_facet_list list = { .ws = ws, .marks = abut_workspace_take(ws, words, sizeof(uint64_t)) };
    const abut_interval_vec3 box = { { p.x, p.x }, { p.y, p.y }, { p.z, p.z } };
    double best = INFINITY;
    if (!list.marks)
        return;
    memset(list.marks, 0, words * sizeof(uint64_t));
    const double near = f.methods->nearest(&f, &box);
    f.methods->collect(&f, &box, near * (1 + 1e-9) + 1e-9 * abut_max_norm(p), &list);
    const abut_faceted_data *m = &mesh->u.faceted;
    for (size_t i = 0; i < list.count && !list.memory; ++i) {
        const uint32_t *corner = m->corners + 3 * (size_t)list.faces[i];
        const abut_vec3 c[3] = { m->vertices[corner[0]], m->vertices[corner[1]], m->vertices[corner[2]] };
        double w[2];
        weigh(c, p, w);
        const abut_vec3 q =
            abut_madd(abut_madd(c[0], w[0], abut_sub(c[1], c[0])), w[1], abut_sub(c[2], c[0]));
        const abut_vec3 d = abut_sub(p, q);
        if (abut_dot(d, d) < best) {
            best = abut_dot(d, d);
            out->kind = ABUT_STATIC_TRIANGLE;
            memcpy(out->corner, corner, sizeof out->corner);
            out->weight[0] = w[0];
            out->weight[1] = w[1];
        }
    }
}

void abut_static_point_find(const abut_static_body *b, abut_vec3 p, double t, const abut_shape *image,
                            abut_workspace *ws, abut_static_point *out)
{
    *out = (abut_static_point){ .at = p };
    const abut_shape *mesh = image ? image : b->shape;
    if (abut_shape_has_triangles(mesh->type) && !b->solid) {
        const abut_workspace_mark mark = abut_workspace_begin(ws);
        find_on_mesh(mesh, p, ws, out);
        abut_workspace_end(ws, mark);
    } else if (!b->by_facets && !b->by_solid && !b->surface.implicit && b->surface.feature_count > 0) {
        find_on_faces(b, p, t, out);
    }
}
