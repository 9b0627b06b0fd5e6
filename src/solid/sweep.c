/* SPDX-License-Identifier: MIT */
/* Extruded and revolved profiles: their entities (numbered as docs/cad-solids.md says) and their
 * features. Edges that are concave or smooth all along have no feature of their own: the nearest
 * points of two bodies that are apart never lie on a concave edge, and on a smooth one the normals
 * of the faces that join there serve. */
#include "math/vec3.h"
#include "solid/cap.h"
#include "solid/profile_check.h"
#include "solid/solid.h"

#include <string.h>

/* Below this sine of the exterior angle an edge counts as smooth; the test of normals in the
 * searches is wider than that. */
static const double smooth = 1e-9;

static bool is_convex(abut_xy a, abut_xy b)
{
    const double cross = a.x * b.y - a.y * b.x, dot = a.x * b.x + a.y * b.y;
    const double l = sqrt((a.x * a.x + a.y * a.y) * (b.x * b.x + b.y * b.y));
    return cross > smooth * l || (dot < 0 && fabs(cross) <= smooth * l);
}

static size_t before(const abut_profile *p, size_t side)
{
    size_t k = 0;
    while (side >= p->loop_starts[k + 1])
        ++k;
    return side > p->loop_starts[k] ? side - 1 : p->loop_starts[k + 1] - 1;
}

static size_t after(const abut_profile *p, size_t side)
{
    size_t k = 0;
    while (side >= p->loop_starts[k + 1])
        ++k;
    return side + 1 < p->loop_starts[k + 1] ? side + 1 : p->loop_starts[k];
}

static const abut_vec3 unit_x = { 1, 0, 0 }, unit_y = { 0, 1, 0 }, unit_z = { 0, 0, 1 };

/* Memory for a definition with the given numbers of entities; loops and co-edges in one array each. */
typedef struct maker {
    abut_solid_surface *surfaces;
    abut_vec3 *vertices;
    abut_solid_edge *edges;
    abut_solid_face *faces;
    abut_solid_loop *loops;
    abut_solid_coedge *coedges;
    size_t loop_count, coedge_count, part_count;
    abut_part *parts;
} maker;

static bool take(maker *m, abut_workspace *keep, abut_solid *solid, size_t faces, size_t edges,
                 size_t vertices, size_t loops, size_t coedges, size_t parts)
{
    *m = (maker){ 0 };
    m->surfaces = abut_workspace_take(keep, faces, sizeof *m->surfaces);
    m->vertices = abut_workspace_take(keep, vertices, sizeof *m->vertices);
    m->edges = abut_workspace_take(keep, edges, sizeof *m->edges);
    m->faces = abut_workspace_take(keep, faces, sizeof *m->faces);
    m->loops = abut_workspace_take(keep, loops, sizeof *m->loops);
    m->coedges = abut_workspace_take(keep, coedges, sizeof *m->coedges);
    m->parts = abut_workspace_take(keep, parts, sizeof *m->parts);
    solid->sides = abut_workspace_take(keep, edges, sizeof *solid->sides);
    if (!m->surfaces || !m->vertices || !m->edges || !m->faces || !m->loops || !m->coedges || !m->parts ||
        !solid->sides)
        return false;
    memset(m->surfaces, 0, faces * sizeof *m->surfaces);
    memset(m->edges, 0, edges * sizeof *m->edges);
    memset(m->faces, 0, faces * sizeof *m->faces);
    solid->def =
        (abut_solid_def){ m->surfaces, faces, m->vertices, vertices, m->edges, edges, m->faces, faces, 0 };
    return true;
}

/* Opens a loop for the face, which keeps its loops together: call for one face after the other. */
static void open_loop(maker *m, size_t face)
{
    if (m->faces[face].loop_count == 0)
        m->faces[face].loops = &m->loops[m->loop_count];
    ++m->faces[face].loop_count;
    m->loops[m->loop_count++] = (abut_solid_loop){ &m->coedges[m->coedge_count], 0 };
}

static void add_coedge(maker *m, abut_solid *solid, size_t face, size_t edge, int sense)
{
    m->coedges[m->coedge_count++] = (abut_solid_coedge){ (uint32_t)edge, sense };
    ++m->loops[m->loop_count - 1].count;
    solid->sides[edge].face[sense < 0] = (uint32_t)face;
}

static abut_part *add_part(maker *m, abut_cell_kind kind, size_t entity)
{
    abut_part *p = &m->parts[m->part_count++];
    *p = abut_part_of(kind, (uint32_t)entity);
    return p;
}

static abut_status finish(maker *m, abut_workspace *keep, double scale, abut_solid *solid, abut_error *error)
{
    solid->features.parts = m->parts;
    solid->features.count = m->part_count;
    solid->features.scale = scale;
    solid->shell_count = 1;
    const abut_vec3 extent = abut_sub(solid->bounds.hi, solid->bounds.lo);
    solid->size = abut_max_norm(extent);
    solid->doubt = solid->tolerance;
    solid->stated = solid->tolerance > 0;
    if (!solid->stated)
        solid->tolerance = 1e-9 * solid->size;
    if (solid->stated) { /* of all that it may be */
        const double grow = solid->tolerance + 1e-13 * scale;
        const abut_vec3 g = { grow, grow, grow };
        solid->bounds = (abut_aabb){ abut_sub(solid->bounds.lo, g), abut_add(solid->bounds.hi, g) };
    }
    solid->def.tolerance = solid->tolerance;
    if (!abut_features_build(&solid->features, keep))
        return abut_base_fail_memory(error);
    solid->shown = solid->features;
    return ABUT_OK;
}

static abut_status check_tolerance(double tolerance, abut_error *error)
{
    if (!(tolerance >= 0) || isinf(tolerance))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the tolerance must be finite and not negative");
    return ABUT_OK;
}

/* ---- extrude ---- */

/* A side at height z as an edge. */
static void rim_edge(maker *m, const abut_side *s, size_t edge, uint32_t from, uint32_t to, double z)
{
    abut_solid_edge *e = &m->edges[edge];
    e->kind = s->turn ? ABUT_SOLID_EDGE_CIRCLE : ABUT_SOLID_EDGE_LINE;
    e->from = from;
    e->to = to;
    if (s->turn) {
        e->center = abut_v3(s->center.x, s->center.y, z);
        e->axis = abut_v3(0, 0, s->turn);
    }
}

static void side_range(const abut_side *s, abut_part *p)
{
    p->a = (abut_arc_range){ s->mid.x, s->mid.y, s->cos_half, s->sin_half };
    p->radius = s->radius;
}

static void rim_part(maker *m, const abut_side *s, size_t edge, double z, uint32_t wall, uint32_t cap)
{
    abut_part *p = add_part(m, s->turn ? ABUT_CELL_ARC : ABUT_CELL_SEGMENT, edge);
    p->side[0] = wall;
    p->side[1] = cap;
    if (s->turn) {
        p->o = abut_v3(s->center.x, s->center.y, z);
        side_range(s, p);
        return;
    }
    p->o = abut_v3(s->from.x, s->from.y, z);
    p->z = abut_unit_or(abut_v3(s->to.x - s->from.x, s->to.y - s->from.y, 0), unit_x);
    p->x = unit_z;
    p->y = abut_cross(p->z, p->x);
    p->v1 = hypot(s->to.x - s->from.x, s->to.y - s->from.y);
}

static void wall_face(maker *m, const abut_side *s, size_t face, double height)
{
    abut_part *p = add_part(m, s->turn ? ABUT_CELL_CYLINDER : ABUT_CELL_PLANE, face);
    abut_solid_surface *surface = &m->surfaces[face];
    m->faces[face].surface = (uint32_t)face;
    p->v1 = height;
    if (s->turn) {
        p->o = abut_v3(s->center.x, s->center.y, 0);
        side_range(s, p);
        p->sense = s->turn;
        *surface = (abut_solid_surface){
            .kind = ABUT_SOLID_CYLINDER, .point = p->o, .axis = unit_z, .radius = s->radius
        };
        m->faces[face].outward = s->turn;
        return;
    }
    p->o = abut_v3(s->from.x, s->from.y, 0);
    p->x = abut_unit_or(abut_v3(s->to.x - s->from.x, s->to.y - s->from.y, 0), unit_x);
    p->y = unit_z;
    p->z = abut_cross(p->x, p->y);
    p->u1 = hypot(s->to.x - s->from.x, s->to.y - s->from.y);
    *surface = (abut_solid_surface){ .kind = ABUT_SOLID_PLANE, .point = p->o, .axis = p->z };
    m->faces[face].outward = 1;
}

/* Triangles with the arcs of the border, or one rectangle that is cut out as it is divided. */
static void cap_parts(maker *m, const abut_solid *solid, size_t face, double z, int sense,
                      const abut_cap_triangle *triangles, size_t count)
{
    const abut_profile *profile = &solid->profile;
    for (size_t i = 0; i < count; ++i) {
        const abut_cap_triangle *t = &triangles[i];
        abut_part *p = add_part(m, ABUT_CELL_TRIANGLE, face);
        p->trim = ABUT_TRIM_PROFILE;
        p->sense = sense;
        p->o = abut_v3(0, 0, z);
        for (int k = 0; k < 3; ++k)
            p->points[k] = abut_v3(t->corner[k].x, t->corner[k].y, z);
        p->points[3] = abut_v3(t->center.x, t->center.y, z);
        p->radius = t->radius;
        p->bulge = t->bulge;
    }
    if (count)
        return;
    abut_part *p = add_part(m, ABUT_CELL_PLANE, face);
    p->trim = ABUT_TRIM_PROFILE;
    p->sense = sense;
    p->o = abut_v3(0, 0, z);
    p->u0 = profile->lo.x;
    p->u1 = profile->hi.x;
    p->v0 = profile->lo.y;
    p->v1 = profile->hi.y;
}

static void cap_face(maker *m, abut_solid *solid, size_t face, double z, int sense)
{
    const abut_profile *profile = &solid->profile;
    m->surfaces[face] =
        (abut_solid_surface){ .kind = ABUT_SOLID_PLANE, .point = { 0, 0, z }, .axis = abut_v3(0, 0, sense) };
    m->faces[face].surface = (uint32_t)face;
    m->faces[face].outward = 1;
    const size_t n = profile->count;
    for (size_t k = 0; k < profile->loop_count; ++k) {
        const size_t begin = profile->loop_starts[k], end = profile->loop_starts[k + 1];
        open_loop(m, face);
        for (size_t i = begin; i < end; ++i)
            if (sense > 0)
                add_coedge(m, solid, face, n + i, 1);
            else
                add_coedge(m, solid, face, begin + (end - 1 - i), -1);
    }
}

abut_status abut_solid_build_extrude(const abut_profile_loop *outer, const abut_profile_loop *holes,
                                     size_t hole_count, double height, double tolerance, abut_workspace *keep,
                                     abut_solid *solid, abut_error *error)
{
    *solid = (abut_solid){ .form = ABUT_SOLID_EXTRUDED, .height = height, .tolerance = tolerance };
    abut_status status = check_tolerance(tolerance, error);
    if (status)
        return status;
    if (!(height > 0) || !(height <= 1e150))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "the height must be positive and at most 1e150");
    if (!outer || (hole_count && !holes))
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "an extrude needs a profile");
    abut_profile_loop *loops = abut_workspace_take(keep, hole_count + 1, sizeof *loops);
    if (!loops)
        return abut_base_fail_memory(error);
    loops[0] = *outer;
    for (size_t i = 0; i < hole_count; ++i)
        loops[i + 1] = holes[i];
    status = abut_profile_build(loops, hole_count + 1, ABUT_PROFILE_PLANE, keep, &solid->profile, error);
    if (status)
        return status;
    const abut_profile *profile = &solid->profile;
    const size_t n = profile->count;
    maker m;
    abut_cap_triangle *triangles;
    size_t caps;
    if (!abut_cap_triangles(profile, keep, &triangles, &caps) ||
        !take(&m, keep, solid, n + 2, 3 * n, 2 * n, n + 2 * profile->loop_count, 6 * n, 4 * n + 2 + 2 * caps))
        return abut_base_fail_memory(error);
    for (size_t i = 0; i < n; ++i) {
        const abut_side *s = &profile->sides[i];
        m.vertices[i] = abut_v3(s->from.x, s->from.y, 0);
        m.vertices[n + i] = abut_v3(s->from.x, s->from.y, height);
    }
    for (size_t i = 0; i < n; ++i)
        wall_face(&m, &profile->sides[i], i, height);
    for (size_t i = 0; i < n; ++i) {
        const abut_side *s = &profile->sides[i];
        const size_t next = after(profile, i);
        rim_edge(&m, s, i, (uint32_t)i, (uint32_t)next, 0);
        rim_edge(&m, s, n + i, (uint32_t)(n + i), (uint32_t)(n + next), height);
        m.edges[2 * n + i] =
            (abut_solid_edge){ .kind = ABUT_SOLID_EDGE_LINE, .from = (uint32_t)i, .to = (uint32_t)(n + i) };
        open_loop(&m, i);
        add_coedge(&m, solid, i, i, 1);
        add_coedge(&m, solid, i, 2 * n + next, 1);
        add_coedge(&m, solid, i, n + i, -1);
        add_coedge(&m, solid, i, 2 * n + i, -1);
    }
    cap_face(&m, solid, n, 0, -1);
    cap_face(&m, solid, n + 1, height, 1);
    const size_t bottom = m.part_count;
    cap_parts(&m, solid, n, 0, -1, triangles, caps);
    const size_t top = m.part_count;
    cap_parts(&m, solid, n + 1, height, 1, triangles, caps);
    for (size_t i = 0; i < n; ++i) {
        const abut_side *s = &profile->sides[i], *t = &profile->sides[before(profile, i)];
        rim_part(&m, s, i, 0, (uint32_t)i, (uint32_t)bottom);
        rim_part(&m, s, n + i, height, (uint32_t)i, (uint32_t)top);
        if (!is_convex(abut_side_tangent(t, 1), abut_side_tangent(s, 0)))
            continue;
        abut_part *p = add_part(&m, ABUT_CELL_SEGMENT, 2 * n + i);
        p->o = abut_v3(s->from.x, s->from.y, 0);
        p->v1 = height;
        p->side[0] = (uint32_t)before(profile, i);
        p->side[1] = (uint32_t)i;
    }
    solid->bounds =
        (abut_aabb){ { profile->lo.x, profile->lo.y, 0 }, { profile->hi.x, profile->hi.y, height } };
    abut_solid_mass_extrude(solid);
    return finish(&m, keep, fmax(profile->scale, height), solid, error);
}

/* ---- revolve ---- */

/* A centre this near to the axis (in units of the scale) is on it: rounding of the bulge. */
static const double on_axis = 1e-15;

static void turned_line(maker *m, const abut_side *s, size_t face)
{
    const double dr = s->to.x - s->from.x, dz = s->to.y - s->from.y;
    abut_solid_surface *surface = &m->surfaces[face];
    abut_solid_face *f = &m->faces[face];
    const double r0 = fmin(s->from.x, s->to.x), r1 = fmax(s->from.x, s->to.x);
    f->surface = (uint32_t)face;
    if (dr == 0) {
        abut_part *p = add_part(m, ABUT_CELL_CYLINDER, face);
        p->radius = r0;
        p->v0 = fmin(s->from.y, s->to.y);
        p->v1 = fmax(s->from.y, s->to.y);
        p->sense = f->outward = dz > 0 ? 1 : -1;
        *surface = (abut_solid_surface){ .kind = ABUT_SOLID_CYLINDER, .axis = unit_z, .radius = r0 };
        return;
    }
    abut_part *p = add_part(m, ABUT_CELL_CONE, face);
    const double w = hypot(dr, dz), up = dz * dr > 0 ? 1 : -1;
    p->slope = fabs(dr) / w;
    p->rise = fabs(dz) / w;
    p->o = abut_v3(0, 0, dz == 0 ? s->from.y : s->from.y - s->from.x * (dz / dr));
    if (dz == 0) {
        /* A disc or ring: its own normal is -z of the part. */
        p->z = abut_v3(0, 0, dr > 0 ? 1 : -1);
        p->y = abut_scale(p->z.z, unit_y);
        *surface =
            (abut_solid_surface){ .kind = ABUT_SOLID_PLANE, .point = p->o, .axis = abut_v3(0, 0, -p->z.z) };
        f->outward = 1;
    } else {
        p->z = abut_v3(0, 0, up);
        p->y = abut_scale(up, unit_y);
        p->sense = f->outward = dz > 0 ? 1 : -1;
        *surface = (abut_solid_surface){
            .kind = ABUT_SOLID_CONE, .point = p->o, .axis = p->z, .tangent = fabs(dr / dz)
        };
    }
    p->v0 = r0 / p->slope;
    p->v1 = r1 / p->slope;
}

static void turned_arc(maker *m, const abut_side *s, size_t face, double scale)
{
    abut_part *p = add_part(m, ABUT_CELL_TORUS, face);
    abut_solid_surface *surface = &m->surfaces[face];
    abut_solid_face *f = &m->faces[face];
    const double major = fabs(s->center.x) <= on_axis * scale ? 0 : s->center.x;
    p->o = abut_v3(0, 0, s->center.y);
    p->major = major;
    p->radius = s->radius;
    p->b = (abut_arc_range){ s->mid.x, s->mid.y, s->cos_half, s->sin_half };
    p->sense = f->outward = s->turn;
    f->surface = (uint32_t)face;
    if (major == 0)
        *surface = (abut_solid_surface){
            .kind = ABUT_SOLID_SPHERE, .point = p->o, .axis = unit_z, .radius = s->radius
        };
    else
        *surface = (abut_solid_surface){
            .kind = ABUT_SOLID_TORUS, .point = p->o, .axis = unit_z, .radius = major, .minor = s->radius
        };
}

/* A corner on the axis is a vertex unless a face passes smoothly through it. */
static bool is_tip(const abut_side *t, const abut_side *s)
{
    if (s->from.x != 0 || (t->on_axis && s->on_axis))
        return false;
    const abut_side *face = t->on_axis ? s : t;
    const abut_xy d = abut_side_tangent(face, face == t);
    return fabs(d.y) > smooth * fabs(d.x);
}

abut_status abut_solid_build_revolve(const abut_profile_loop *loop, double tolerance, abut_workspace *keep,
                                     abut_solid *solid, abut_error *error)
{
    *solid = (abut_solid){ .form = ABUT_SOLID_REVOLVED, .tolerance = tolerance };
    abut_status status = check_tolerance(tolerance, error);
    if (status)
        return status;
    if (!loop)
        return abut_base_fail(error, ABUT_ERR_ARGUMENT, -1, "a revolve needs a profile");
    status = abut_profile_build(loop, 1, ABUT_PROFILE_HALF_PLANE, keep, &solid->profile, error);
    if (status)
        return status;
    const abut_profile *profile = &solid->profile;
    const size_t n = profile->count;
    size_t edges = 0, vertices = 0;
    for (size_t i = 0; i < n; ++i) {
        edges += profile->sides[i].from.x > 0;
        vertices += is_tip(&profile->sides[before(profile, i)], &profile->sides[i]);
    }
    maker m;
    uint32_t *edge_of = abut_workspace_take(keep, n, sizeof *edge_of);
    uint32_t *part_of = abut_workspace_take(keep, n, sizeof *part_of);
    if (!edge_of || !part_of || !take(&m, keep, solid, n, edges, vertices, 2 * n, 2 * n, 2 * n + vertices))
        return abut_base_fail_memory(error);
    double scale = profile->scale;
    for (size_t i = 0; i < n; ++i) {
        const abut_side *s = &profile->sides[i];
        part_of[i] = ABUT_PART_NONE;
        m.faces[i].surface = (uint32_t)i;
        if (s->on_axis)
            continue;
        part_of[i] = (uint32_t)m.part_count;
        if (s->turn)
            turned_arc(&m, s, i, profile->scale);
        else
            turned_line(&m, s, i);
        scale = fmax(scale, fabs(m.parts[part_of[i]].o.z));
    }
    uint32_t edge = 0, vertex = 0;
    for (size_t i = 0; i < n; ++i) {
        const abut_side *s = &profile->sides[i], *t = &profile->sides[before(profile, i)];
        edge_of[i] = ABUT_SOLID_NONE;
        if (s->from.x > 0) {
            edge_of[i] = edge;
            m.edges[edge] = (abut_solid_edge){ .kind = ABUT_SOLID_EDGE_CIRCLE,
                                               .from = ABUT_SOLID_NONE,
                                               .to = ABUT_SOLID_NONE,
                                               .center = abut_v3(0, 0, s->from.y),
                                               .axis = unit_z };
            if (is_convex(abut_side_tangent(t, 1), abut_side_tangent(s, 0))) {
                abut_part *p = add_part(&m, ABUT_CELL_ARC, edge);
                p->o = abut_v3(0, 0, s->from.y);
                p->radius = s->from.x;
                p->side[0] = part_of[before(profile, i)];
                p->side[1] = part_of[i];
            }
            ++edge;
        } else if (is_tip(t, s)) {
            m.vertices[vertex] = abut_v3(0, 0, s->from.y);
            abut_part *p = add_part(&m, ABUT_CELL_POINT, vertex++);
            p->o = abut_v3(0, 0, s->from.y);
        }
    }
    for (size_t i = 0; i < n; ++i) {
        const size_t next = after(profile, i);
        for (int k = 0; k < 2 && !profile->sides[i].on_axis; ++k) {
            const uint32_t e = edge_of[k ? next : i];
            if (e == ABUT_SOLID_NONE)
                continue;
            open_loop(&m, i);
            add_coedge(&m, solid, i, e, k ? -1 : 1);
        }
    }
    const double r = profile->hi.x;
    solid->bounds = (abut_aabb){ { -r, -r, profile->lo.y }, { r, r, profile->hi.y } };
    abut_solid_mass_revolve(solid);
    return finish(&m, keep, scale, solid, error);
}
