/* SPDX-License-Identifier: MIT */
/* The growing polytope; see polytope.h.
 *
 * A growth removes a connected set of faces and spans a triangle to the new point from each edge of its rim. Whatever the set, the
 * result is closed: the fan has the same rim. It is a surface (each edge between two faces) when no vertex is twice on the rim, which is asked for.
 * Faces that have the point nearly in their plane are taken to see it: this keeps triangles that have no area out of it.
 *
 * The winding number stays: a growth adds the boundaries of the tetrahedra between the removed faces and the point, and none of those holds
 * the origin when all four corners have n . x > 0, for the n of the face. */
#include "narrow/polytope.h"

#include "abut/predicates.h"

static const abut_vec3 *corner_of(const abut_polytope *p, const abut_polytope_face *f, int i)
{
    return &p->vertex[f->v[i]].w;
}

/* Direction away from the origin across the longest edge: for triangles that have no area. */
static abut_vec3 flat_normal(const abut_vec3 v[3])
{
    int longest = 0;
    double most = -1;
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 e = abut_sub(v[(i + 1) % 3], v[i]);
        const double square = abut_dot(e, e);
        if (square > most) {
            most = square;
            longest = i;
        }
    }
    const abut_vec3 e = abut_sub(v[(longest + 1) % 3], v[longest]), x = v[longest];
    const double along = most > 0 ? abut_dot(e, x) / most : 0;
    return abut_unit_or(abut_madd(x, -along, e), abut_unit_or(x, abut_v3(1, 0, 0)));
}

static double least(abut_vec3 n, const abut_vec3 v[3])
{
    const double a = abut_dot(n, v[0]), b = abut_dot(n, v[1]), c = abut_dot(n, v[2]);
    const double ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Below this sine of an angle the normal of a triangle is mostly rounding. */
static const double thin = 0x1p-40;

/* Another plane for a triangle whose normal is rounding, or not a number, if it is better. */
static void set_thin(abut_polytope_face *f, const abut_vec3 v[3])
{
    const abut_vec3 other = flat_normal(v);
    const double d = least(other, v);
    if (!(f->d >= d)) {
        f->n = other;
        f->d = d;
    }
}

/* A ray along v that leaves through the face within the radius r has v . n > d / r: v is within acos(d / r) of n. Where all such v are in the cap, this
 * face is done. */
static double key_of(const abut_polytope *p, const abut_polytope_face *f)
{
    const abut_depth_cap *cap = &p->cap;
    if (cap->radius == INFINITY)
        return f->d;
    if (f->d >= cap->radius)
        return INFINITY;
    const double a = abut_dot(f->n, cap->u), b = f->d / cap->radius;
    if (!(a > 0 && b > 0))
        return f->d;
    const double aa = 1 - a * a, bb = 1 - b * b;
    const double cosine = a * b - sqrt((aa > 0 ? aa : 0) * (bb > 0 ? bb : 0));
    return cosine >= cap->cosine ? INFINITY : f->d;
}

void abut_polytope_set_cap(abut_polytope *p, const abut_depth_cap *cap)
{
    if (cap)
        p->cap = *cap;
    else
        p->cap.radius = INFINITY;
    for (uint32_t i = 0; i < p->face_count; ++i)
        p->key[i] = p->face[i].d == INFINITY ? INFINITY : key_of(p, &p->face[i]);
}

/* Two triangles at a time, one in each lane. */
enum { LANES = 2 };

typedef double lanes __attribute__((vector_size(8 * LANES)));

/* Planes and keys of faces that have their third corner in common. */
static void set_fan(abut_polytope *p, const uint16_t *faces, uint32_t count)
{
    const abut_vec3 w = p->vertex[p->face[faces[0]].v[2]].w;
    const abut_vec3 *a[LANES], *b[LANES];
    for (uint32_t k = 0; k < LANES; ++k) {
        const abut_polytope_face *f = &p->face[faces[k < count ? k : 0]];
        a[k] = &p->vertex[f->v[0]].w;
        b[k] = &p->vertex[f->v[1]].w;
    }
    const lanes ax = { a[0]->x, a[1]->x }, ay = { a[0]->y, a[1]->y }, az = { a[0]->z, a[1]->z },
                bx = { b[0]->x, b[1]->x }, by = { b[0]->y, b[1]->y }, bz = { b[0]->z, b[1]->z };
    const lanes ex = ax - w.x, ey = ay - w.y, ez = az - w.z, gx = bx - w.x, gy = by - w.y, gz = bz - w.z;
    const lanes cx = ey * gz - ez * gy, cy = ez * gx - ex * gz, cz = ex * gy - ey * gx;
    const lanes square = cx * cx + cy * cy + cz * cz;
    const lanes sizes = (ex * ex + ey * ey + ez * ez) * (gx * gx + gy * gy + gz * gz) * (thin * thin);
    const lanes s = 1 / (lanes){ sqrt(square[0]), sqrt(square[1]) };
    const lanes nx = s * cx, ny = s * cy, nz = s * cz;
    const lanes da = nx * ax + ny * ay + nz * az, db = nx * bx + ny * by + nz * bz,
                dw = nx * w.x + ny * w.y + nz * w.z;
    for (uint32_t k = 0; k < count; ++k) {
        abut_polytope_face *f = &p->face[faces[k]];
        const double ab = da[k] < db[k] ? da[k] : db[k];
        f->n = abut_v3(nx[k], ny[k], nz[k]);
        f->d = ab < dw[k] ? ab : dw[k];
        if (!(square[k] > sizes[k])) {
            const abut_vec3 v[3] = { *a[k], *b[k], w };
            set_thin(f, v);
        }
        p->key[faces[k]] = key_of(p, f);
    }
}

void abut_polytope_begin(abut_polytope *p, double slack, const abut_convex_point corner[4])
{
    static const uint16_t corners[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 1, 3, 2 }, { 2, 3, 0 } };
    static const uint16_t across[4][3] = { { 1 * 4 + 2, 2 * 4 + 2, 3 * 4 + 2 },
                                           { 3 * 4 + 1, 2 * 4 + 0, 0 * 4 + 0 },
                                           { 1 * 4 + 1, 3 * 4 + 0, 0 * 4 + 1 },
                                           { 2 * 4 + 1, 1 * 4 + 0, 0 * 4 + 2 } };
    /* Outward are the faces of corners 0, 1, 2 seen counter-clockwise from where 3 is not. */
    const abut_vec3 o = corner[0].w;
    const abut_vec3 normal = abut_cross(abut_sub(corner[1].w, o), abut_sub(corner[2].w, o));
    const bool turned = abut_dot(normal, abut_sub(corner[3].w, o)) > 0;
    p->vertex_count = p->face_count = 4;
    p->growths = 0;
    p->around = false;
    p->cap.radius = INFINITY;
    p->slack = slack;
    for (int i = 0; i < 4; ++i)
        p->vertex[i] = corner[turned && i == 1 ? 2 : turned && i == 2 ? 1 : i];
    for (int i = 0; i < 4; ++i) {
        abut_polytope_face *f = &p->face[i];
        for (int k = 0; k < 3; ++k) {
            f->v[k] = corners[i][k];
            f->across[k] = across[i][k];
        }
        f->seen = 0;
        const uint16_t place = (uint16_t)i;
        set_fan(p, &place, 1);
    }
}

/* Edges of the rim and faces to remove. */
typedef struct rim {
    uint32_t removed, edges;
    uint16_t face[ABUT_POLYTOPE_FACES];
    struct {
        uint16_t a, b, across;
    } edge[ABUT_POLYTOPE_VERTICES];
} rim;

static bool sees(const abut_polytope *p, const abut_polytope_face *f, abut_vec3 w)
{
    const double height = abut_dot(f->n, w);
    if (p->around && !(f->d > 2 * p->slack && height > p->slack))
        return false;
    return height > f->d + p->slack;
}

/* Floods from a face; false where the rim is no set of simple loops. */
static bool find_rim(abut_polytope *p, uint32_t from, abut_vec3 w, rim *r)
{
    const uint16_t stamp = ++p->growths;
    r->removed = 1;
    r->edges = 0;
    r->face[0] = (uint16_t)from;
    p->face[from].seen = stamp;
    for (uint32_t k = 0; k < r->removed; ++k) {
        const abut_polytope_face *f = &p->face[r->face[k]];
        for (int i = 0; i < 3; ++i) {
            const uint16_t next = f->across[i] >> 2;
            abut_polytope_face *g = &p->face[next];
            if (g->seen == stamp)
                continue;
            if (sees(p, g, w)) {
                g->seen = stamp;
                r->face[r->removed++] = next;
            }
        }
    }
    for (uint32_t k = 0; k < r->removed; ++k) {
        const abut_polytope_face *f = &p->face[r->face[k]];
        for (int i = 0; i < 3; ++i) {
            if (p->face[f->across[i] >> 2].seen == stamp)
                continue;
            if (r->edges == ABUT_POLYTOPE_VERTICES)
                return false;
            const uint16_t a = f->v[i], b = f->v[i == 2 ? 0 : i + 1];
            r->edge[r->edges].a = a;
            r->edge[r->edges].b = b;
            r->edge[r->edges++].across = f->across[i];
        }
    }
    for (uint32_t k = 0; k < r->edges; ++k)
        p->fan[r->edge[k].a] = UINT16_MAX;
    for (uint32_t k = 0; k < r->edges; ++k) {
        if (p->fan[r->edge[k].a] != UINT16_MAX)
            return false;
        p->fan[r->edge[k].a] = (uint16_t)k;
    }
    return r->edges >= 3;
}

bool abut_polytope_grow(abut_polytope *p, uint32_t from, const abut_convex_point *point)
{
    rim r;
    if (p->vertex_count == ABUT_POLYTOPE_VERTICES || !find_rim(p, from, point->w, &r))
        return false;
    const uint32_t fresh = r.edges > r.removed ? r.edges - r.removed : 0;
    if (p->face_count + fresh > ABUT_POLYTOPE_FACES)
        return false;
    const uint16_t apex = (uint16_t)p->vertex_count++;
    p->vertex[apex] = *point;
    /* Places of removed faces are taken first. */
    for (uint32_t k = 0; k < fresh; ++k)
        r.face[r.removed + k] = (uint16_t)(p->face_count + k);
    p->face_count += fresh;
    for (uint32_t k = 0; k < r.edges; ++k) {
        const uint16_t place = r.face[k], across = r.edge[k].across;
        const uint32_t next = p->fan[r.edge[k].b];
        abut_polytope_face *f = &p->face[place];
        f->v[0] = r.edge[k].a;
        f->v[1] = r.edge[k].b;
        f->v[2] = apex;
        f->across[0] = across;
        p->face[across >> 2].across[across & 3] = (uint16_t)(place * 4);
        f->across[1] = (uint16_t)(r.face[next] * 4 + 2);
        p->face[r.face[next]].across[2] = (uint16_t)(place * 4 + 1);
        f->seen = 0;
    }
    for (uint32_t k = 0; k < r.edges; k += LANES)
        set_fan(p, r.face + k, r.edges - k < LANES ? r.edges - k : LANES);
    for (uint32_t k = r.edges; k < r.removed; ++k) {
        p->key[r.face[k]] = INFINITY;
        p->face[r.face[k]].d = INFINITY;
    }
    return true;
}

bool abut_polytope_prove(abut_polytope *p)
{
    const abut_vec3 zero = { 0, 0, 0 };
    bool some = false;
    for (uint32_t k = 0; k < p->face_count && !p->around; ++k) {
        const abut_polytope_face *f = &p->face[k];
        if (f->d == INFINITY)
            continue;
        const int sign = abut_orient3d(*corner_of(p, f, 0), *corner_of(p, f, 1), *corner_of(p, f, 2), zero);
        if (!(f->d > 2 * p->slack) || sign < 0)
            return false;
        some |= sign > 0;
    }
    return p->around |= some;
}

void abut_polytope_nearest(const abut_polytope *p, const abut_polytope_face *face, double weight[3])
{
    /* Areas of the triangles that the projection of the origin spans with the edges. */
    const abut_vec3 foot = abut_scale(face->d, face->n);
    abut_vec3 v[3];
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        v[i] = abut_sub(*corner_of(p, face, i), foot);
    for (int i = 0; i < 3; ++i) {
        const double area = abut_dot(face->n, abut_cross(v[(i + 1) % 3], v[(i + 2) % 3]));
        weight[i] = area > 0 ? area : 0;
        sum += weight[i];
    }
    for (int i = 0; i < 3; ++i)
        weight[i] = sum > 0 ? weight[i] / sum : 1.0 / 3;
}
