/* SPDX-License-Identifier: MIT */
/* See cad_cases.h. Profiles are drawn until the library accepts one: the referee describes whatever
 * was accepted, so a wrongly accepted profile shows as a wrong answer. */
#include "oracle/cad_cases.h"

#include "abut/solid.h"

static const cad_body NOWHERE = { .rotation = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };

/* ---- sweeps ---- */

static void list_of(const cad_loop *loop, abut_profile_vertex *vertices, abut_profile_loop *out)
{
    for (int i = 0; i < loop->count; ++i)
        vertices[i] = (abut_profile_vertex){ loop->corner[i][0], loop->corner[i][1], loop->corner[i][2] };
    *out = (abut_profile_loop){ vertices, (size_t)loop->count };
}

/* Arcs reach at most half their chord times the bulge beyond the corners. */
static double loop_reach(const cad_loop *loop, double z)
{
    double reach = 0;
    for (int i = 0; i < loop->count; ++i) {
        const double *a = loop->corner[i], *b = loop->corner[(i + 1) % loop->count];
        const double chord = hypot(a[0] - b[0], a[1] - b[1]);
        reach = fmax(reach, hypot(hypot(a[0], a[1]) + chord * (1 + fabs(a[2])), z));
    }
    return reach;
}

cad_solid cad_make_extrude(const cad_loop *loops, int count, double height)
{
    cad_solid out = { .body = NOWHERE };
    abut_profile_vertex vertices[CAD_LOOPS][CAD_SIDES];
    abut_profile_loop lists[CAD_LOOPS];
    out.body.kind = CAD_EXTRUDE;
    out.body.loop_count = count;
    out.body.height = height;
    for (int i = 0; i < count; ++i) {
        list_of(&loops[i], vertices[i], &lists[i]);
        out.body.loops[i] = loops[i];
    }
    out.body.reach = loop_reach(&loops[0], height);
    out.tolerance = 1e-9 * 2 * out.body.reach;
    if (abut_shape_create_extrude(&lists[0], lists + 1, (size_t)count - 1, height, 0, NULL, &out.shape,
                                  NULL) != ABUT_OK)
        out.shape = NULL;
    return out;
}

cad_solid cad_make_revolve(const cad_loop *profile)
{
    cad_solid out = { .body = NOWHERE };
    abut_profile_vertex vertices[CAD_SIDES];
    abut_profile_loop list;
    list_of(profile, vertices, &list);
    out.body.kind = CAD_REVOLVE;
    out.body.loop_count = 1;
    out.body.loops[0] = *profile;
    out.body.reach = loop_reach(profile, 0);
    out.tolerance = 1e-9 * 2 * out.body.reach;
    if (abut_shape_create_revolve(&list, 0, NULL, &out.shape, NULL) != ABUT_OK)
        out.shape = NULL;
    return out;
}

static double random_bulge(test_random *r)
{
    return test_below(r, 2) ? 0 : test_uniform(r, -0.6, 0.9);
}

/* Star-shaped about (x, y), counter-clockwise. */
static cad_loop star(test_random *r, double x, double y, double size)
{
    cad_loop loop = { .count = 3 + (int)test_below(r, 6) };
    for (int i = 0; i < loop.count; ++i) {
        const double angle = 2 * CAD_PI * (i + test_uniform(r, 0, 0.8)) / loop.count;
        const double radius = size * test_uniform(r, 0.4, 1);
        loop.corner[i][0] = x + radius * cos(angle);
        loop.corner[i][1] = y + radius * sin(angle);
        loop.corner[i][2] = random_bulge(r);
    }
    return loop;
}

cad_solid cad_random_extrude(test_random *r)
{
    for (;;) {
        cad_loop loops[CAD_LOOPS];
        int count = 1;
        loops[0] = star(r, 0, 0, 1);
        while (count < 4 && test_below(r, 3) == 0) {
            const double x = test_uniform(r, -0.4, 0.4), y = test_uniform(r, -0.4, 0.4);
            const double radius = test_uniform(r, 0.05, 0.25);
            loops[count++] = (cad_loop){ 2, { { x - radius, y, -1 }, { x + radius, y, -1 } } };
        }
        const cad_solid solid = cad_make_extrude(loops, count, test_uniform(r, 0.2, 1.5));
        if (solid.shape)
            return solid;
    }
}

cad_solid cad_random_revolve(test_random *r, bool ring)
{
    for (;;) {
        cad_loop loop;
        if (ring)
            loop = star(r, test_uniform(r, 0.6, 1), 0, 0.5);
        else {
            loop = (cad_loop){ .count = 3 + (int)test_below(r, 4) };
            const int n = loop.count;
            double z = test_uniform(r, -1, -0.5);
            for (int i = 0; i < n; ++i) {
                const bool end = i == 0 || i == n - 1;
                loop.corner[i][0] = end ? 0 : test_uniform(r, 0.2, 1);
                loop.corner[i][1] = z;
                loop.corner[i][2] = i == n - 1 ? 0 : random_bulge(r);
                z += test_uniform(r, 0, 0.8);
            }
        }
        const cad_solid solid = cad_make_revolve(&loop);
        if (solid.shape)
            return solid;
    }
}

/* ---- class 1: an affine image of a segment of a quadric of revolution ---- */

typedef struct solid_parts {
    abut_solid_surface surfaces[8];
    abut_vec3 vertices[32];
    abut_solid_edge edges[32];
    abut_vec3 points[8][64];
    abut_solid_coedge coedges[16][16];
    abut_solid_loop loops[16];
    abut_solid_face faces[8];
    abut_solid_def def;
    size_t loop_count;
} solid_parts;

static void add_loop(solid_parts *s, size_t face, const int *edges, int count, int sense)
{
    abut_solid_loop *loop = &s->loops[s->loop_count];
    for (int i = 0; i < count; ++i)
        s->coedges[s->loop_count][i] =
            (abut_solid_coedge){ (uint32_t)edges[sense > 0 ? i : count - 1 - i], sense };
    *loop = (abut_solid_loop){ s->coedges[s->loop_count], (size_t)count };
    abut_solid_face *f = &s->faces[face];
    if (!f->loop_count)
        f->loops = loop;
    ++f->loop_count;
    ++s->loop_count;
}

static abut_shape *make(solid_parts *s, double tolerance)
{
    s->def.surfaces = s->surfaces;
    s->def.vertices = s->vertices;
    s->def.edges = s->edges;
    s->def.faces = s->faces;
    s->def.tolerance = tolerance;
    abut_shape *shape;
    abut_error error;
    if (abut_shape_create_solid(&s->def, NULL, &shape, &error) != ABUT_OK)
        TEST_FAIL("a good solid was refused: %s", error.text);
    return shape;
}

typedef struct map3 {
    double m[3][3], shift[3];
} map3;

static abut_vec3 apply(const map3 *t, double x, double y, double z)
{
    return (abut_vec3){ t->m[0][0] * x + t->m[0][1] * y + t->m[0][2] * z + t->shift[0],
                        t->m[1][0] * x + t->m[1][1] * y + t->m[1][2] * z + t->shift[1],
                        t->m[2][0] * x + t->m[2][1] * y + t->m[2][2] * z + t->shift[2] };
}

static void rotation_of(abut_quat q, double m[3][3])
{
    const double w = q.w, x = q.x, y = q.y, z = q.z;
    const double rows[3][3] = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                                { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                                { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } };
    memcpy(m, rows, sizeof rows);
}

static abut_quat random_rotation(test_random *r)
{
    double q[4], square;
    do {
        square = 0;
        for (int i = 0; i < 4; ++i) {
            q[i] = test_uniform(r, -1, 1);
            square += q[i] * q[i];
        }
    } while (square < 0.01 || square > 1);
    const double n = 1 / sqrt(square);
    return (abut_quat){ n * q[0], n * q[1], n * q[2], n * q[3] };
}

static cad_segment random_segment(test_random *r, bool *whole)
{
    cad_segment s = { .z0 = -test_uniform(r, 0.3, 0.9), .z1 = test_uniform(r, 0.3, 0.9) };
    *whole = false;
    switch (test_below(r, 6)) {
    case 0: /* cylinder */ s.q0 = 1; break;
    case 1: { /* cone */
        const double k = test_uniform(r, -0.6, 0.6);
        s.q0 = 1;
        s.q1 = 2 * k;
        s.q2 = k * k;
        break;
    }
    case 2: /* ball */
        s.q0 = 1;
        s.q2 = -1;
        s.ball = true;
        break;
    case 3:
        s = (cad_segment){ .q0 = 1, .q2 = -1, .z0 = -1, .z1 = 1, .ball = true };
        *whole = true;
        break;
    case 4: /* paraboloid */
        s.q0 = 1;
        s.q1 = test_uniform(r, 0.2, 0.9);
        break;
    default: /* hyperboloid */
        s.q0 = test_uniform(r, 0.3, 1);
        s.q2 = test_uniform(r, 0.2, 1);
        break;
    }
    for (int i = 0; i <= 64 && !s.ball; ++i) {
        const double z = s.z0 + (s.z1 - s.z0) * i / 64;
        const double rho = sqrt(s.q0 + z * (s.q1 + z * s.q2));
        s.slope = fmax(s.slope, 1.02 * fabs(s.q1 + 2 * s.q2 * z) / (2 * rho));
    }
    return s;
}

/* inverse^T Q inverse in homogeneous coordinates. */
static void quadric_matrix(const cad_body *b, double out[4][4])
{
    const cad_segment *s = &b->segment;
    const double q[4][4] = {
        { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, -s->q2, -s->q1 / 2 }, { 0, 0, -s->q1 / 2, -s->q0 }
    };
    double m[4][4] = { { 0 } };
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m[i][j] = b->inverse[i][j];
            m[i][3] -= b->inverse[i][j] * b->shift[j];
        }
    }
    m[3][3] = 1;
    for (int i = 0; i < 4; ++i) {
        for (int j = i; j < 4; ++j) {
            double sum = 0;
            for (int k = 0; k < 4; ++k)
                for (int l = 0; l < 4; ++l)
                    sum += m[k][i] * q[k][l] * m[l][j];
            out[i][j] = out[j][i] = sum;
        }
    }
}

/* A circle of the segment as four conic arcs. */
static void ellipse(solid_parts *s, const map3 *t, double rho, double z, int edges[4])
{
    static const double turn[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
    const uint32_t first = (uint32_t)s->def.vertex_count;
    for (uint32_t k = 0; k < 4; ++k) {
        const double *a = turn[k], *b = turn[(k + 1) % 4];
        s->vertices[first + k] = apply(t, rho * a[0], rho * a[1], z);
        edges[k] = (int)s->def.edge_count;
        s->edges[s->def.edge_count++] =
            (abut_solid_edge){ .kind = ABUT_SOLID_EDGE_CONIC,
                               .from = first + k,
                               .to = first + (k + 1) % 4,
                               .control = apply(t, rho * (a[0] + b[0]), rho * (a[1] + b[1]), z),
                               .weight = sqrt(0.5) };
    }
    s->def.vertex_count += 4;
}

static cad_solid random_class_1(test_random *r)
{
    cad_solid out = { .body = NOWHERE };
    cad_body *b = &out.body;
    bool whole;
    double left[3][3], right[3][3], scale[3];
    map3 t;
    solid_parts s = { .loop_count = 0 };
    b->kind = CAD_SHEAR;
    b->segment = random_segment(r, &whole);
    rotation_of(random_rotation(r), left);
    rotation_of(random_rotation(r), right);
    for (int i = 0; i < 3; ++i) {
        scale[i] = test_uniform(r, 0.4, 1.2);
        t.shift[i] = b->shift[i] = test_uniform(r, -0.3, 0.3);
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            t.m[i][j] = b->inverse[j][i] = 0;
            for (int k = 0; k < 3; ++k) {
                t.m[i][j] += left[i][k] * scale[k] * right[k][j];
                b->inverse[j][i] += right[k][j] / scale[k] * left[i][k];
            }
        }
    }
    b->gain = 1 / fmin(fmin(scale[0], scale[1]), scale[2]) * (1 + 1e-12);
    s.surfaces[0].kind = ABUT_SOLID_QUADRIC;
    quadric_matrix(b, s.surfaces[0].matrix);
    s.faces[0] = (abut_solid_face){ .surface = 0, .outward = 1 };
    s.def.surface_count = s.def.face_count = 1;
    double widest = 1;
    if (!whole) {
        const double z[2] = { b->segment.z0, b->segment.z1 };
        int rings[2][4];
        for (int end = 0; end < 2; ++end) {
            const double rho = sqrt(b->segment.q0 + z[end] * (b->segment.q1 + z[end] * b->segment.q2));
            widest = fmax(widest, rho);
            ellipse(&s, &t, rho, z[end], rings[end]);
            const double sign = end ? 1 : -1;
            s.surfaces[1 + end] = (abut_solid_surface){
                .kind = ABUT_SOLID_PLANE,
                .point = apply(&t, 0, 0, z[end]),
                .axis = { sign * b->inverse[2][0], sign * b->inverse[2][1], sign * b->inverse[2][2] },
            };
            s.faces[1 + end] = (abut_solid_face){ .surface = (uint32_t)(1 + end), .outward = 1 };
        }
        add_loop(&s, 0, rings[0], 4, 1);
        add_loop(&s, 0, rings[1], 4, -1);
        add_loop(&s, 1, rings[0], 4, -1);
        add_loop(&s, 2, rings[1], 4, 1);
        s.def.surface_count = s.def.face_count = 3;
    }
    b->reach = sqrt(3 * 0.3 * 0.3) + 1.2 * hypot(widest, 1);
    out.tolerance = 1e-9 * 2 * b->reach;
    out.shape = make(&s, 0);
    return out;
}

/* ---- class 3 ---- */

typedef void (*curve_fn)(const double *data, double angle, double out[3]);

/* A closed curve as two edges: intersections, or splines of sixteen cubic pieces each. */
static void closed_curve(solid_parts *s, curve_fn curve, const double *data, uint32_t surface_a,
                         uint32_t surface_b, bool splines, int edges[2])
{
    enum { PIECES = 16 };
    const uint32_t first = (uint32_t)s->def.vertex_count;
    double p[3];
    for (int k = 0; k < 2; ++k) {
        curve(data, CAD_PI * k, p);
        s->vertices[first + (uint32_t)k] = (abut_vec3){ p[0], p[1], p[2] };
    }
    s->def.vertex_count += 2;
    for (int k = 0; k < 2; ++k) {
        const size_t e = s->def.edge_count++;
        edges[k] = (int)e;
        s->edges[e] =
            (abut_solid_edge){ .kind = splines ? ABUT_SOLID_EDGE_SPLINE : ABUT_SOLID_EDGE_INTERSECTION,
                               .from = first + (uint32_t)k,
                               .to = first + (uint32_t)(1 - k),
                               .surfaces = { surface_a, surface_b } };
        curve(data, CAD_PI * (k + 0.5), p);
        if (!splines) {
            s->edges[e].through = (abut_vec3){ p[0], p[1], p[2] };
            continue;
        }
        /* Hermite pieces, tangents by differences. */
        abut_vec3 *points = s->points[e % 8];
        const double step = CAD_PI / PIECES;
        for (int i = 0; i <= PIECES; ++i) {
            const double angle = CAD_PI * k + step * i, h = 1e-5;
            double lo[3], hi[3], d[3];
            curve(data, angle, p);
            curve(data, angle - h, lo);
            curve(data, angle + h, hi);
            for (int c = 0; c < 3; ++c)
                d[c] = (hi[c] - lo[c]) / (2 * h) * step / 3;
            if (i > 0)
                points[3 * i - 1] = (abut_vec3){ p[0] - d[0], p[1] - d[1], p[2] - d[2] };
            points[3 * i] = (abut_vec3){ p[0], p[1], p[2] };
            if (i < PIECES)
                points[3 * i + 1] = (abut_vec3){ p[0] + d[0], p[1] + d[1], p[2] + d[2] };
        }
        points[0] = s->vertices[s->edges[e].from];
        points[3 * PIECES] = s->vertices[s->edges[e].to];
        s->edges[e].points = points;
        s->edges[e].point_count = 3 * PIECES + 1;
    }
}

/* data: r, y0, side. On the cylinder of radius 1 about z and that of radius r about x through y0;
 * clockwise seen from +x. */
static void bore_curve(const double *data, double angle, double out[3])
{
    out[1] = data[1] + data[0] * sin(angle);
    out[2] = data[0] * cos(angle);
    out[0] = data[2] * sqrt(1 - out[1] * out[1]);
}

/* data: r, x0, side. On the unit sphere and the cylinder of radius r about z through x0. */
static void bead_curve(const double *data, double angle, double out[3])
{
    out[0] = data[1] + data[0] * cos(angle);
    out[1] = data[0] * sin(angle);
    out[2] = data[2] * sqrt(1 - out[0] * out[0] - out[1] * out[1]);
}

static cad_part part(cad_part_kind kind, int sense, double x, double y, double z, int axis, double sign,
                     double radius)
{
    cad_part out = { .kind = kind, .sense = sense, .point = { x, y, z }, .radius = radius };
    out.axis[axis] = sign;
    return out;
}

static abut_solid_surface round_surface(abut_solid_surface_kind kind, abut_vec3 point, abut_vec3 axis,
                                        double radius)
{
    return (abut_solid_surface){ .kind = kind, .point = point, .axis = axis, .radius = radius };
}

static void whole_circle(solid_parts *s, double z, int *edge)
{
    s->vertices[s->def.vertex_count] = (abut_vec3){ 1, 0, z };
    *edge = (int)s->def.edge_count;
    s->edges[s->def.edge_count++] = (abut_solid_edge){ .kind = ABUT_SOLID_EDGE_CIRCLE,
                                                       .from = (uint32_t)s->def.vertex_count,
                                                       .to = (uint32_t)s->def.vertex_count,
                                                       .center = { 0, 0, z },
                                                       .axis = { 0, 0, 1 } };
    ++s->def.vertex_count;
}

/* A cylinder with a bore across. */
static void bored_cylinder(cad_body *b, solid_parts *s, test_random *r, bool splines)
{
    const double radius = test_uniform(r, 0.15, 0.6), off = test_uniform(r, -1, 1) * (0.85 - radius);
    const double height = radius + test_uniform(r, 0.1, 0.6);
    b->part_count = 4;
    b->parts[0] = part(CAD_TUBE, 1, 0, 0, 0, 2, 1, 1);
    b->parts[1] = part(CAD_HALFSPACE, 1, 0, 0, height, 2, 1, 0);
    b->parts[2] = part(CAD_HALFSPACE, 1, 0, 0, -height, 2, -1, 0);
    b->parts[3] = part(CAD_TUBE, -1, 0, off, 0, 0, 1, radius);
    b->reach = hypot(1, height);
    s->surfaces[0] = round_surface(ABUT_SOLID_CYLINDER, (abut_vec3){ 0, 0, 0 }, (abut_vec3){ 0, 0, 1 }, 1);
    s->surfaces[1] =
        round_surface(ABUT_SOLID_CYLINDER, (abut_vec3){ 0, off, 0 }, (abut_vec3){ 1, 0, 0 }, radius);
    s->surfaces[2] = round_surface(ABUT_SOLID_PLANE, (abut_vec3){ 0, 0, height }, (abut_vec3){ 0, 0, 1 }, 0);
    s->surfaces[3] =
        round_surface(ABUT_SOLID_PLANE, (abut_vec3){ 0, 0, -height }, (abut_vec3){ 0, 0, -1 }, 0);
    s->def.surface_count = s->def.face_count = 4;
    for (uint32_t i = 0; i < 4; ++i)
        s->faces[i] = (abut_solid_face){ .surface = i, .outward = i == 1 ? -1 : 1 };
    int front[2], back[2], top, bottom;
    closed_curve(s, bore_curve, (double[]){ radius, off, 1 }, 0, 1, splines, front);
    closed_curve(s, bore_curve, (double[]){ radius, off, -1 }, 0, 1, splines, back);
    whole_circle(s, height, &top);
    whole_circle(s, -height, &bottom);
    add_loop(s, 0, &bottom, 1, 1);
    add_loop(s, 0, &top, 1, -1);
    add_loop(s, 0, front, 2, 1);
    add_loop(s, 0, back, 2, -1);
    add_loop(s, 1, front, 2, -1);
    add_loop(s, 1, back, 2, 1);
    add_loop(s, 2, &top, 1, 1);
    add_loop(s, 3, &bottom, 1, -1);
}

/* A ball with a bore beside its middle. */
static void bead(cad_body *b, solid_parts *s, test_random *r, bool splines)
{
    const double radius = test_uniform(r, 0.15, 0.5), off = test_uniform(r, 0.05, 0.85 - radius);
    b->part_count = 2;
    b->parts[0] = part(CAD_BALL, 1, 0, 0, 0, 2, 1, 1);
    b->parts[1] = part(CAD_TUBE, -1, off, 0, 0, 2, 1, radius);
    b->reach = 1;
    s->surfaces[0] = round_surface(ABUT_SOLID_SPHERE, (abut_vec3){ 0, 0, 0 }, (abut_vec3){ 0, 0, 0 }, 1);
    s->surfaces[1] =
        round_surface(ABUT_SOLID_CYLINDER, (abut_vec3){ off, 0, 0 }, (abut_vec3){ 0, 0, 1 }, radius);
    s->def.surface_count = s->def.face_count = 2;
    s->faces[0] = (abut_solid_face){ .surface = 0, .outward = 1 };
    s->faces[1] = (abut_solid_face){ .surface = 1, .outward = -1 };
    int top[2], bottom[2];
    closed_curve(s, bead_curve, (double[]){ radius, off, 1 }, 0, 1, splines, top);
    closed_curve(s, bead_curve, (double[]){ radius, off, -1 }, 0, 1, splines, bottom);
    add_loop(s, 0, top, 2, -1);
    add_loop(s, 0, bottom, 2, 1);
    add_loop(s, 1, top, 2, 1);
    add_loop(s, 1, bottom, 2, -1);
}

/* A rod whose ends lie on a wider cylinder across it. */
static void saddle(cad_body *b, solid_parts *s, test_random *r, bool splines)
{
    const double radius = test_uniform(r, 0.2, 0.7), off = test_uniform(r, -1, 1) * (0.85 - radius);
    b->part_count = 2;
    b->parts[0] = part(CAD_TUBE, 1, 0, 0, 0, 2, 1, 1);
    b->parts[1] = part(CAD_TUBE, 1, 0, off, 0, 0, 1, radius);
    b->reach = hypot(1, radius);
    s->surfaces[0] = round_surface(ABUT_SOLID_CYLINDER, (abut_vec3){ 0, 0, 0 }, (abut_vec3){ 0, 0, 1 }, 1);
    s->surfaces[1] =
        round_surface(ABUT_SOLID_CYLINDER, (abut_vec3){ 0, off, 0 }, (abut_vec3){ 1, 0, 0 }, radius);
    s->def.surface_count = 2;
    s->def.face_count = 3;
    s->faces[0] = (abut_solid_face){ .surface = 1, .outward = 1 };
    s->faces[1] = s->faces[2] = (abut_solid_face){ .surface = 0, .outward = 1 };
    int front[2], back[2];
    closed_curve(s, bore_curve, (double[]){ radius, off, 1 }, 0, 1, splines, front);
    closed_curve(s, bore_curve, (double[]){ radius, off, -1 }, 0, 1, splines, back);
    add_loop(s, 0, front, 2, 1);
    add_loop(s, 0, back, 2, -1);
    add_loop(s, 1, front, 2, -1);
    add_loop(s, 2, back, 2, 1);
}

static cad_solid random_class_3(test_random *r)
{
    cad_solid out = { .body = NOWHERE };
    solid_parts s = { .loop_count = 0 };
    out.body.kind = CAD_CSG;
    /* 32 Hermite pieces to a curve of radius r, near which the other surface may be steep: measured up to 2e-5
     * for these sizes. */
    const bool splines = test_below(r, 4) == 0;
    switch (test_below(r, 3)) {
    case 0: bored_cylinder(&out.body, &s, r, splines); break;
    case 1: bead(&out.body, &s, r, splines); break;
    default: saddle(&out.body, &s, r, splines); break;
    }
    out.tolerance = splines ? 5e-5 : 1e-9 * 2 * out.body.reach;
    out.shape = make(&s, splines ? out.tolerance : 0);
    return out;
}

/* ---- swept solids as explicit ones ---- */

abut_shape *cad_explicit_copy(const cad_solid *swept)
{
    enum { MOST = 128 };
    static abut_solid_surface surfaces[MOST];
    static abut_solid_face faces[MOST];
    static abut_solid_edge edges[3 * MOST];
    static abut_vec3 vertices[3 * MOST];
    abut_solid_info info;
    if (abut_solid_get_info(swept->shape, &info) != ABUT_OK || info.faces > MOST || info.edges > 3 * MOST)
        return NULL;
    size_t count = 0, points = info.vertices;
    for (size_t i = 0; i < info.faces; ++i) {
        if (abut_solid_get_face(swept->shape, i, &faces[count], &surfaces[count]) != ABUT_OK)
            return NULL;
        faces[count].surface = (uint32_t)count;
        /* A side on the axis makes no face. */
        count += faces[count].outward != 0 && surfaces[count].kind != ABUT_SOLID_NO_SURFACE;
    }
    for (size_t i = 0; i < info.vertices; ++i)
        if (abut_solid_get_vertex(swept->shape, i, &vertices[i]) != ABUT_OK)
            return NULL;
    /* The circles of a revolve, in the order of the corners off the axis, have no vertices. */
    int corner = 0;
    for (size_t i = 0; i < info.edges; ++i) {
        if (abut_solid_get_edge(swept->shape, i, &edges[i]) != ABUT_OK)
            return NULL;
        if (swept->body.kind != CAD_REVOLVE)
            continue;
        while (swept->body.loops[0].corner[corner][0] == 0)
            ++corner;
        const double *c = swept->body.loops[0].corner[corner++];
        vertices[points] = (abut_vec3){ c[0], 0, c[1] };
        edges[i].from = edges[i].to = (uint32_t)points++;
    }
    const abut_solid_def def = { surfaces, count, vertices, points, edges, info.edges, faces, count, 0 };
    abut_shape *out = NULL;
    abut_error error;
    if (abut_shape_create_solid(&def, NULL, &out, &error) != ABUT_OK) {
        bool spindle = false;
        for (size_t i = 0; i < count; ++i)
            spindle =
                spindle || (surfaces[i].kind == ABUT_SOLID_TORUS && surfaces[i].radius <= surfaces[i].minor);
        if (!spindle)
            TEST_FAIL("the copy of a swept solid was refused: %s", error.text);
        return NULL;
    }
    return out;
}

/* ---- all ---- */

cad_solid cad_random_solid(cad_class kind, test_random *r)
{
    if (kind == CAD_CLASS_1)
        return random_class_1(r);
    if (kind == CAD_CLASS_3)
        return random_class_3(r);
    cad_solid out = test_below(r, 2) ? cad_random_extrude(r) : cad_random_revolve(r, test_below(r, 3) == 0);
    /* One in three as an explicit solid. */
    abut_shape *copy = test_below(r, 3) == 0 ? cad_explicit_copy(&out) : NULL;
    if (copy) {
        abut_shape_release(out.shape);
        out.shape = copy;
        out.tolerance = 1e-9 * 2 * out.body.reach;
    }
    return out;
}

void cad_place(cad_body *body, const abut_pose *pose)
{
    rotation_of(pose->rotation, body->rotation);
    body->translation[0] = pose->position.x;
    body->translation[1] = pose->position.y;
    body->translation[2] = pose->position.z;
}

abut_pose cad_random_pose(test_random *r, double reach)
{
    return (abut_pose){ .position = { test_uniform(r, -reach, reach), test_uniform(r, -reach, reach),
                                      test_uniform(r, -reach, reach) },
                        .rotation = random_rotation(r) };
}
