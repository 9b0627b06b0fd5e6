/* SPDX-License-Identifier: MIT */
/* Faces of cores; see first_face.h. Boxes, cylinders, cones and segments by their form. The
 * vertices of a hull that are on the plane span a polygon of their own: points that were rounded
 * have several faces where one was meant. */
#include "ccd/first_face.h"

static const double nearly = 1e-6;

static void set_point(abut_vec3 p, abut_feature feature, abut_face *out)
{
    out->kind = ABUT_FACE_POINT;
    out->count = 1;
    out->p[0] = p;
    out->inside = feature;
}

static void set_segment(abut_vec3 p, abut_vec3 q, abut_feature inside, abut_feature at_p, abut_feature at_q,
                        abut_face *out)
{
    out->kind = ABUT_FACE_SEGMENT;
    out->count = 2;
    out->p[0] = p;
    out->p[1] = q;
    out->inside = inside;
    out->ends[0] = at_p;
    out->ends[1] = at_q;
}

static void set_disc(double radius, double z, abut_face *out)
{
    out->kind = ABUT_FACE_DISC;
    out->count = 1;
    out->p[0] = abut_v3(0, 0, z);
    out->radius = radius;
    out->inside = ABUT_FEATURE_FACE;
    out->border = ABUT_FEATURE_EDGE;
}

static void name_polygon(abut_face *out)
{
    out->kind = ABUT_FACE_POLYGON;
    out->inside = ABUT_FEATURE_FACE;
    out->border = ABUT_FEATURE_EDGE;
    out->ends[0] = ABUT_FEATURE_VERTEX;
}

static void face_of_box(const abut_core *core, abut_vec3 d, double level, abut_face *out)
{
    const double part[3] = { d.x, d.y, d.z };
    uint32_t top = 0;
    int lying[3], count = 0;
    for (int i = 0; i < 3; ++i) {
        top |= (uint32_t)(part[i] > 0) << i;
        if (2 * core->h[i] * fabs(part[i]) < level && count < 2)
            lying[count++] = i;
    }
    if (count == 0) {
        set_point(abut_core_vertex(core, top), ABUT_FEATURE_VERTEX, out);
    } else if (count == 1) {
        set_segment(abut_core_vertex(core, top), abut_core_vertex(core, top ^ 1u << lying[0]),
                    ABUT_FEATURE_EDGE, ABUT_FEATURE_VERTEX, ABUT_FEATURE_VERTEX, out);
    } else {
        const uint32_t i = 1u << lying[0], j = 1u << lying[1];
        name_polygon(out);
        out->count = 4;
        out->p[0] = abut_core_vertex(core, top);
        out->p[1] = abut_core_vertex(core, top ^ i);
        out->p[2] = abut_core_vertex(core, top ^ i ^ j);
        out->p[3] = abut_core_vertex(core, top ^ j);
    }
}

/* The point of the rim at height z towards d. */
static abut_vec3 on_rim(const abut_core *core, abut_vec3 d, double z)
{
    const double flat = sqrt(d.x * d.x + d.y * d.y), s = flat > 0 ? core->h[0] / flat : 0;
    return flat > 0 ? abut_v3(s * d.x, s * d.y, z) : abut_v3(core->h[0], 0, z);
}

static void face_of_cylinder(const abut_core *core, abut_vec3 d, double level, abut_face *out)
{
    const double end = d.z > 0 ? core->h[2] : -core->h[2];
    if (core->h[0] * sqrt(d.x * d.x + d.y * d.y) < level)
        set_disc(core->h[0], end, out);
    else if (core->h[2] * fabs(d.z) < level)
        set_segment(on_rim(core, d, -core->h[2]), on_rim(core, d, core->h[2]), ABUT_FEATURE_FACE,
                    ABUT_FEATURE_EDGE, ABUT_FEATURE_EDGE, out);
    else
        set_point(on_rim(core, d, end), ABUT_FEATURE_EDGE, out);
}

static void face_of_cone(const abut_core *core, abut_vec3 d, double level, abut_face *out)
{
    const double flat = core->h[0] * sqrt(d.x * d.x + d.y * d.y), over = 2 * core->h[2] * d.z - flat;
    const abut_vec3 apex = abut_v3(0, 0, core->h[2]), rim = on_rim(core, d, -core->h[2]);
    if (d.z < 0 && flat < level)
        set_disc(core->h[0], -core->h[2], out);
    else if (fabs(over) < level)
        set_segment(rim, apex, ABUT_FEATURE_FACE, ABUT_FEATURE_EDGE, ABUT_FEATURE_VERTEX, out);
    else if (over > 0)
        set_point(apex, ABUT_FEATURE_VERTEX, out);
    else
        set_point(rim, ABUT_FEATURE_EDGE, out);
}

/* ---- hulls ---- */

typedef struct flat_vertex {
    double x, y;
    uint32_t v;
} flat_vertex;

static abut_vec3 any_across(abut_vec3 d)
{
    const abut_vec3 axis = fabs(d.x) < 0.6 ? abut_v3(1, 0, 0) : abut_v3(0, 1, 0);
    return abut_unit_or(abut_cross(d, axis), abut_v3(0, 0, 1));
}

/* Those on the plane; where they are too many, those furthest along evenly spread directions in
 * it. */
static int gather(const abut_core *core, abut_vec3 d, double least, flat_vertex *out)
{
    const abut_vec3 e = any_across(d), f = abut_cross(d, e);
    int count = 0;
    for (uint32_t v = 0; v < core->hull->vertex_count; ++v) {
        const abut_vec3 p = abut_core_vertex(core, v);
        if (!(abut_dot(d, p) > least))
            continue;
        if (count < ABUT_FACE_CORNERS)
            out[count] = (flat_vertex){ abut_dot(e, p), abut_dot(f, p), v };
        ++count;
    }
    if (count <= ABUT_FACE_CORNERS)
        return count;
    for (int k = 0; k < ABUT_FACE_CORNERS; ++k) {
        const double angle = 2 * 3.14159265358979323846 * k / ABUT_FACE_CORNERS, c = cos(angle),
                     s = sin(angle);
        double most = -INFINITY;
        for (uint32_t v = 0; v < core->hull->vertex_count; ++v) {
            const abut_vec3 p = abut_core_vertex(core, v);
            const double x = abut_dot(e, p), y = abut_dot(f, p);
            if (abut_dot(d, p) > least && c * x + s * y > most) {
                most = c * x + s * y;
                out[k] = (flat_vertex){ x, y, v };
            }
        }
    }
    return ABUT_FACE_CORNERS;
}

static double turn(const flat_vertex *a, const flat_vertex *b, const flat_vertex *c)
{
    return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* Andrew's monotone chain (1979). Corners that stand out by no more than `tolerance` are none. */
static int hull_of(flat_vertex *list, int count, double tolerance, flat_vertex *out)
{
    for (int i = 1; i < count; ++i)
        for (int j = i; j > 0 && (list[j].x < list[j - 1].x ||
                                  (list[j].x == list[j - 1].x && list[j].y < list[j - 1].y));
             --j) {
            const flat_vertex swap = list[j];
            list[j] = list[j - 1];
            list[j - 1] = swap;
        }
    int n = 0;
    for (int pass = 0; pass < 2; ++pass) {
        const int begin = n;
        for (int i = 0; i < count; ++i) {
            const flat_vertex *v = &list[pass ? count - 1 - i : i];
            while (n >= begin + 2) {
                const double length = hypot(v->x - out[n - 2].x, v->y - out[n - 2].y);
                if (turn(&out[n - 2], &out[n - 1], v) > tolerance * length)
                    break;
                --n;
            }
            out[n++] = *v;
        }
        --n; /* the last is the first of the other half */
    }
    return n;
}

/* Vertices above a plane are connected by edges above it. */
static bool is_alone(const abut_core *core, abut_vec3 d, double least, uint32_t top)
{
    const abut_hull *hull = core->hull;
    for (uint32_t k = hull->link_begin[top]; k < hull->link_begin[top + 1]; ++k)
        if (abut_dot(d, abut_core_vertex(core, hull->links[k])) > least)
            return false;
    return true;
}

static void face_of_hull(const abut_core *core, abut_vec3 d, double level, abut_face *out)
{
    flat_vertex list[ABUT_FACE_CORNERS], ring[2 * ABUT_FACE_CORNERS + 2];
    const uint32_t top = abut_hull_support(core->hull, d, 0);
    const double least = abut_dot(d, abut_core_vertex(core, top)) - level;
    const int found = is_alone(core, d, least, top) ? 1 : gather(core, d, least, list);
    const int count = found > 1 ? hull_of(list, found, level, ring) : found;
    if (count < 2) {
        set_point(abut_core_vertex(core, top), ABUT_FEATURE_VERTEX, out);
    } else if (count == 2) {
        set_segment(abut_core_vertex(core, ring[0].v), abut_core_vertex(core, ring[1].v), ABUT_FEATURE_EDGE,
                    ABUT_FEATURE_VERTEX, ABUT_FEATURE_VERTEX, out);
    } else {
        name_polygon(out);
        out->count = count < ABUT_FACE_CORNERS ? count : ABUT_FACE_CORNERS;
        for (int i = 0; i < out->count; ++i)
            out->p[i] = abut_core_vertex(core, ring[i].v);
    }
}

void abut_face_of(const abut_core *core, abut_vec3 d, double level, abut_face *out)
{
    uint32_t hint = 0;
    switch (core->kind) {
    case ABUT_CORE_BOX: face_of_box(core, d, level, out); break;
    case ABUT_CORE_CYLINDER: face_of_cylinder(core, d, level, out); break;
    case ABUT_CORE_CONE: face_of_cone(core, d, level, out); break;
    case ABUT_CORE_HULL: face_of_hull(core, d, level, out); break;
    case ABUT_CORE_SEGMENT:
        if (2 * core->h[2] * fabs(d.z) < level) {
            set_segment(abut_core_vertex(core, 0), abut_core_vertex(core, 1), ABUT_FEATURE_EDGE,
                        ABUT_FEATURE_VERTEX, ABUT_FEATURE_VERTEX, out);
            break;
        } /* fall through */
    default: set_point(abut_core_support(core, d, &hint), ABUT_FEATURE_FACE, out);
    }
    if (core->radius > 0) /* all of it is one smooth face */
        out->inside = out->border = out->ends[0] = out->ends[1] = ABUT_FEATURE_FACE;
}

/* ---- directions ---- */

static abut_vec3 across(abut_vec3 d, abut_vec3 line)
{
    const abut_vec3 e = abut_unit_or(line, abut_v3(0, 0, 0));
    return abut_unit_or(abut_madd(d, -abut_dot(d, e), e), d);
}

/* Of the faces at the top the one that faces d best. */
static abut_vec3 normal_of_hull(const abut_core *core, abut_vec3 d)
{
    const abut_hull *hull = core->hull;
    abut_vec3 best = d;
    double least = nearly * nearly;
    for (uint32_t i = 0; i < hull->face_count; ++i) {
        const abut_vec3 off = abut_sub(hull->face_normal[i], d);
        if (abut_dot(off, off) < least) {
            least = abut_dot(off, off);
            best = hull->face_normal[i];
        }
    }
    return best;
}

abut_vec3 abut_face_snap(const abut_core *core, abut_vec3 d)
{
    abut_face face;
    abut_face_of(core, d, nearly * core->size, &face);
    const double flat = sqrt(d.x * d.x + d.y * d.y);
    const abut_vec3 far = abut_v3(fabs(d.x), fabs(d.y), fabs(d.z));
    switch (face.kind) {
    case ABUT_FACE_DISC: return abut_v3(0, 0, d.z > 0 ? 1 : -1);
    case ABUT_FACE_SEGMENT: {
        const abut_vec3 line = abut_sub(face.p[1], face.p[0]);
        if (core->kind == ABUT_CORE_CONE && flat > 0) {
            /* Across the slant, and still away from the axis as d is. */
            const double h = 2 * core->h[2], r = core->h[0], s = h / (flat * sqrt(h * h + r * r));
            return abut_v3(s * d.x, s * d.y, r / sqrt(h * h + r * r));
        }
        return across(d, line);
    }
    case ABUT_FACE_POLYGON:
        if (core->kind == ABUT_CORE_HULL)
            return normal_of_hull(core, d);
        if (far.x >= far.y && far.x >= far.z)
            return abut_v3(d.x > 0 ? 1 : -1, 0, 0);
        return far.y >= far.z ? abut_v3(0, d.y > 0 ? 1 : -1, 0) : abut_v3(0, 0, d.z > 0 ? 1 : -1);
    default: return d;
    }
}
