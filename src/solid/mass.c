/* SPDX-License-Identifier: MIT */
/* Volume and area. Of swept profiles: Green's theorem for the area of the profile, the theorems of
 * Pappus for solids of revolution. Sums of a few terms per side; the enclosures are wider than
 * their rounding by far: 1e-12 of the sum of the terms' sizes, where a term carries some 20
 * roundings of 1e-16 and the angle of libm's atan2, good to an ulp. */
#include "math/vec3.h"
#include "solid/curve.h"
#include "solid/solid.h"

#include <math.h>

static const double pi = 3.14159265358979323846, spread = 1e-12;

typedef struct sum {
    double value, size;
} sum;

static void add(sum *s, double term)
{
    s->value += term;
    s->size += fabs(term);
}

static abut_interval enclose(sum s)
{
    return (abut_interval){ s.value - spread * s.size, s.value + spread * s.size };
}

static double half_angle(const abut_side *s)
{
    return atan2(s->sin_half, s->cos_half);
}

static double side_length(const abut_side *s)
{
    return s->turn ? 2 * s->radius * half_angle(s) : hypot(s->to.x - s->from.x, s->to.y - s->from.y);
}

void abut_solid_mass_extrude(abut_solid *solid)
{
    const abut_profile *p = &solid->profile;
    const abut_xy at = p->sides[0].from;
    sum region = { 0, 0 }, area = { 0, 0 };
    for (size_t i = 0; i < p->count; ++i) {
        const abut_side *s = &p->sides[i];
        add(&region, 0.5 * (s->from.x - at.x) * (s->to.y - at.y));
        add(&region, -0.5 * (s->to.x - at.x) * (s->from.y - at.y));
        if (s->turn)
            add(&region, s->turn * s->radius * s->radius * (half_angle(s) - s->sin_half * s->cos_half));
        add(&area, side_length(s) * solid->height);
    }
    solid->volume = enclose((sum){ region.value * solid->height, region.size * solid->height });
    add(&area, 2 * region.value);
    area.size += 2 * region.size;
    solid->area = enclose(area);
}

/* Integrals along the profile: the volume is pi times that of r^2 dz, the area 2 pi times that of r
 * ds. On an arc r = c + R cos f, dz = R cos f df, ds = R df, f from the middle - h to the middle +
 * h (times the turn). */
void abut_solid_mass_revolve(abut_solid *solid)
{
    const abut_profile *p = &solid->profile;
    sum volume = { 0, 0 }, area = { 0, 0 };
    for (size_t i = 0; i < p->count; ++i) {
        const abut_side *s = &p->sides[i];
        if (s->on_axis)
            continue;
        if (!s->turn) {
            const double a = s->from.x, b = s->to.x, dz = s->to.y - s->from.y;
            add(&volume, pi * dz * (a * a + a * b + b * b) / 3);
            add(&area, pi * (a + b) * side_length(s));
            continue;
        }
        const double h = half_angle(s), c = s->center.x, r = s->radius, sine = s->sin_half;
        const double m = s->mid.x, n = s->mid.y;
        /* Integrals of cos f, cos^2 f and cos^3 f over the range. */
        const double one = 2 * sine * m;
        const double two = h + sine * s->cos_half * (m * m - n * n);
        const double sin3 = sine * (3 - 4 * sine * sine), cos3m = m * (4 * m * m - 3);
        const double three = 0.75 * one + sin3 * cos3m / 6;
        add(&volume, s->turn * pi * r * c * c * one);
        add(&volume, s->turn * pi * 2 * c * r * r * two);
        add(&volume, s->turn * pi * r * r * r * three);
        add(&area, 2 * pi * c * r * 2 * h);
        add(&area, 2 * pi * r * r * one);
    }
    solid->volume = enclose(volume);
    solid->area = enclose(area);
}

/* ---- explicit solids ----
 *
 * Everything is an integral along the loops. With the vector area S = 1/2 of the integral of x dx, which is
 * that of the outward normal over the face, the volume is a third of the sum over the faces of o S and
 * of the integral of (x - o) n, for any point o: nothing for planes and for cones from their apex, the
 * radius times the area for cylinders and spheres. Areas: n S of planes; S z / sine of cones, whose
 * normals make one angle with the axis; -r times the integral of z da of cylinders; polygons of great
 * arcs and sectors of caps on spheres; the integral of -G(b) da on tori, with G that of the area over b,
 * up to multiples of the whole torus. Pieces without a closed form are cut into short ones, which are
 * replaced by lines in the parameters (or great arcs): what is between both is no more than the length
 * times the sum of their deviations from the chord.
 *
 * General quadrics: (x - o) n dA is in their parameters the product of the radii times the area on the unit
 * sphere (ellipsoids), a constant times da dv (rings), -(r0 u^2 + r1 v^2) du dv or r2^2 / h du dv (graphs), whose
 * integrals along the loops are known. Their areas are elliptic integrals, and bounded by the least and
 * greatest factor. */

typedef struct total {
    sum value;
    double error;
} total;

static void count_in(total *t, double term, double error)
{
    add(&t->value, term);
    t->error += error;
}

/* What is gathered along the loops of a face. */
typedef struct rim {
    abut_vec3 area;   /* S, about `about` */
    double area_size; /* of its terms */
    total main;       /* area of the surface, by its own rule */
    total moment;     /* of a torus: integral of (x - o) n */
    double length;
} rim;

typedef struct loop_walk {
    const abut_solid *solid;
    const abut_part *part;
    abut_vec3 about;
    rim *out;
} loop_walk;

static double angle_of(const abut_part *piece)
{
    return piece->a.cos_half <= -1 ? 2 * pi : 2 * atan2(piece->a.sin_half, piece->a.cos_half);
}

/* Bounds of the first and second derivative of a piece by its parameter in [0, 1]. */
static void derivatives(const abut_part *piece, double *first, double *second)
{
    const double turn = angle_of(piece);
    *second = 0;
    switch (piece->kind) {
    case ABUT_CELL_SEGMENT: *first = fabs(piece->v1 - piece->v0); return;
    case ABUT_CELL_ARC:
        *first = piece->radius * turn;
        *second = piece->radius * turn * turn;
        return;
    case ABUT_CELL_ELLIPSE: {
        const double reach = hypot(abut_length(piece->x), abut_length(piece->y));
        *first = reach * turn;
        *second = reach * turn * turn;
        return;
    }
    case ABUT_CELL_CUBIC: {
        const abut_vec3 *q = piece->points;
        *first = 0;
        for (int i = 0; i < 3; ++i)
            *first = fmax(*first, 3 * abut_length(abut_sub(q[i + 1], q[i])));
        for (int i = 0; i < 2; ++i) {
            const abut_vec3 d = abut_add(abut_sub(q[i + 2], q[i + 1]), abut_sub(q[i], q[i + 1]));
            *second = fmax(*second, 6 * abut_length(d));
        }
        return;
    }
    default: *first = 0; return;
    }
}

/* 1/2 of the integral of (x - about) x dx along a piece. */
static void add_vector_area(const loop_walk *w, const abut_part *piece, double sense)
{
    abut_vec3 tangent, sum3 = { 0, 0, 0 };
    const abut_vec3 from = abut_sub(abut_piece_at(piece, 0, &tangent), w->about),
                    to = abut_sub(abut_piece_at(piece, 1, &tangent), w->about);
    switch (piece->kind) {
    case ABUT_CELL_SEGMENT: sum3 = abut_cross(from, to); break;
    case ABUT_CELL_ARC:
    case ABUT_CELL_ELLIPSE: {
        const abut_vec3 own =
            abut_scale(piece->radius * piece->radius * angle_of(piece), abut_cross(piece->x, piece->y));
        sum3 = abut_add(abut_cross(abut_sub(piece->o, w->about), abut_sub(to, from)), own);
        break;
    }
    case ABUT_CELL_CUBIC: {
        /* Gauss's rule with three nodes is exact up to degree 5. */
        static const double node[3] = { 0.1127016653792583, 0.5, 0.8872983346207417 },
                            weight[3] = { 5.0 / 18, 8.0 / 18, 5.0 / 18 };
        for (int i = 0; i < 3; ++i) {
            const abut_vec3 at = abut_sub(abut_piece_at(piece, node[i], &tangent), w->about);
            sum3 = abut_madd(sum3, weight[i], abut_cross(at, tangent));
        }
        break;
    }
    default: break;
    }
    double length, bend;
    derivatives(piece, &length, &bend);
    w->out->area = abut_madd(w->out->area, 0.5 * sense, sum3);
    w->out->area_size += length * fmax(abut_length(from), length);
}

/* Signed area of the triangle of great arcs on the unit sphere (van Oosterom, Strackee 1983). */
static double spherical_triangle(abut_vec3 a, abut_vec3 b, abut_vec3 c)
{
    return 2 * atan2(abut_dot(a, abut_cross(b, c)), 1 + abut_dot(a, b) + abut_dot(b, c) + abut_dot(c, a));
}

/* Of unit length, or areas are wrong by as much times the number of steps. */
static const abut_vec3 fan = { 12.0 / 29, -16.0 / 29, 21.0 / 29 };

static abut_vec3 on_sphere(const loop_walk *w, abut_vec3 p)
{
    return abut_unit_or(abut_sub(p, w->part->o), fan);
}

static void step_sphere(const loop_walk *w, abut_vec3 from, abut_vec3 to, double sense, double error)
{
    const double r = w->part->radius;
    count_in(&w->out->main, sense * r * r * spherical_triangle(fan, on_sphere(w, from), on_sphere(w, to)),
             error);
}

/* A circle on a sphere: by its pole, and the sector of the cap. */
static void arc_on_sphere(const loop_walk *w, const abut_part *piece, double sense)
{
    abut_vec3 tangent;
    const abut_vec3 from = abut_piece_at(piece, 0, &tangent), to = abut_piece_at(piece, 1, &tangent);
    const double r = w->part->radius, h = abut_dot(abut_sub(piece->o, w->part->o), piece->z);
    const abut_vec3 pole = abut_madd(w->part->o, r, piece->z);
    step_sphere(w, from, pole, sense, 0);
    step_sphere(w, pole, to, sense, 0);
    count_in(&w->out->main, sense * r * angle_of(piece) * (r - h), 0);
}

static void in_frame(const abut_part *part, abut_vec3 p, double *x, double *y, double *z)
{
    const abut_vec3 d = abut_sub(p, part->o);
    *x = abut_dot(d, part->x);
    *y = abut_dot(d, part->y);
    *z = abut_dot(d, part->z);
}

/* From (x, y) to (u, v), the shorter way. */
static double turn_between(double x, double y, double u, double v)
{
    return atan2(x * v - y * u, x * u + y * v);
}

static void step_cylinder(const loop_walk *w, abut_vec3 from, abut_vec3 to, double sense, double error)
{
    double x, y, z, u, v, t;
    in_frame(w->part, from, &x, &y, &z);
    in_frame(w->part, to, &u, &v, &t);
    count_in(&w->out->main, -sense * w->part->radius * 0.5 * (z + t) * turn_between(x, y, u, v), error);
}

/* The integrals over b of the area and of (x - o) n. */
static void torus_integrals(const abut_part *p, double b, double *area, double *moment)
{
    const double R = p->major, r = p->radius;
    *area = r * (R * b + r * sin(b));
    *moment = r * (1.5 * R * r * b + (R * R + r * r) * sin(b) + 0.25 * R * r * sin(2 * b));
}

/* A torus that meets its axis has two tips, at this angle from the equator, up and down. */
static bool is_spindle(const abut_part *p)
{
    return p->major <= p->radius;
}

static double tip_of(const abut_part *p)
{
    return is_spindle(p) ? acos(fmax(-1, fmin(1, -p->major / p->radius))) : pi;
}

/* The same, but nothing at the upper tip, where the angle about the axis has no meaning. */
static void torus_forms(const abut_part *p, double b, double *area, double *moment)
{
    torus_integrals(p, b, area, moment);
    if (!is_spindle(p))
        return;
    double a, m;
    torus_integrals(p, tip_of(p), &a, &m);
    *area -= a;
    *moment -= m;
}

/* Along a line of the parameters that does not leave the range of b; Simpson's rule, whose error is of fourth
 * order in a short step. */
static void torus_line(const loop_walk *w, double da, double b0, double b1, double sense, double error)
{
    const abut_part *p = w->part;
    double a[3], m[3];
    torus_forms(p, b0, &a[0], &m[0]);
    torus_forms(p, 0.5 * (b0 + b1), &a[1], &m[1]);
    torus_forms(p, b1, &a[2], &m[2]);
    const double db = b1 - b0, rest = fabs(da) * db * db * db * db / 2880, r = p->radius, R = p->major;
    count_in(&w->out->main, -sense * da * (a[0] + 4 * a[1] + a[2]) / 6, error + rest * r * r);
    count_in(&w->out->moment, -sense * da * (m[0] + 4 * m[1] + m[2]) / 6,
             (fabs(R) + r) * error + rest * r * (R * R + r * r + 4 * fabs(R) * r));
}

static void step_torus(const loop_walk *w, abut_vec3 from, abut_vec3 to, double sense, double error)
{
    const abut_part *p = w->part;
    double x, y, z, u, v, t;
    in_frame(p, from, &x, &y, &z);
    in_frame(p, to, &u, &v, &t);
    const double q0 = hypot(x, y) - p->major, q1 = hypot(u, v) - p->major;
    const double da = turn_between(x, y, u, v), b0 = atan2(z, q0);
    /* The angle of an end is the same for the step before and the one after it, also where it is half a turn. */
    double b1 = atan2(t, q1);
    if (is_spindle(p) || fabs(b1 - b0) <= pi) {
        torus_line(w, da, b0, b1, sense, error);
        return;
    }
    /* Across the cut at half a turn: the face lies on one side of it along the cut. */
    const double edge = b0 > b1 ? pi : -pi;
    b1 += 2 * edge;
    const double f = b1 != b0 ? (edge - b0) / (b1 - b0) : 0;
    double area[2], moment[2];
    torus_forms(p, pi, &area[1], &moment[1]);
    torus_forms(p, -pi, &area[0], &moment[0]);
    const double way = (edge > 0 ? 1 : -1) * sense * (atan2(y, x) + f * da);
    torus_line(w, f * da, b0, edge, sense, error);
    torus_line(w, (1 - f) * da, -edge, b1 - 2 * edge, sense, error);
    count_in(&w->out->main, way * (area[1] - area[0]), 0);
    count_in(&w->out->moment, way * (moment[1] - moment[0]), 0);
}

/* Circles along which one parameter is constant. */
static bool is_parameter_line(const abut_part *part, const abut_part *piece)
{
    const double along = fabs(abut_dot(part->z, piece->z));
    const abut_vec3 d = abut_sub(piece->o, part->o);
    const abut_vec3 across = abut_madd(d, -abut_dot(d, part->z), part->z);
    const double room = 1e-7 * (fabs(part->radius) + fabs(part->major));
    if (piece->kind == ABUT_CELL_SEGMENT)
        return part->kind == ABUT_CELL_CYLINDER;
    if (piece->kind != ABUT_CELL_ARC)
        return false;
    if (along > 1 - 1e-12)
        return abut_length(across) < room;
    return part->kind == ABUT_CELL_TORUS && along < 1e-9 && fabs(abut_dot(d, part->z)) < room &&
           fabs(abut_length(across) - part->major) < room;
}

/* Least distance of a piece from the axis of the part, from below. */
static double from_axis(const abut_part *part, const abut_part *piece, double speed)
{
    enum { PLACES = 64 };
    double least = INFINITY;
    for (int i = 0; i <= PLACES; ++i) {
        double x, y, z;
        abut_vec3 tangent;
        in_frame(part, abut_piece_at(piece, (double)i / PLACES, &tangent), &x, &y, &z);
        least = fmin(least, hypot(x, y));
    }
    return least - speed / PLACES;
}

static double least_radius(const abut_part *p)
{
    const double least = fmin(p->radii.x, p->radii.y);
    return p->kind == ABUT_CELL_ELLIPSOID ? fmin(least, p->radii.z) : least;
}

/* The greatest size of (x - o) n dA / (du dv) on a graph. */
static double greatest_density(const abut_part *p)
{
    const double u = fmax(fabs(p->u0), fabs(p->u1)), v = fmax(fabs(p->v0), fabs(p->v1));
    return p->rise > 0 ? fabs(p->radii.z) : fabs(p->radii.x) * u * u + fabs(p->radii.y) * v * v;
}

/* The integral of q dv - p du along a chord, with dq / du - dp / dv = the density of a sheet of a hyperboloid.
 * The midpoint rule; the second derivatives of asinh(sqrt(a) u / sqrt(c^2 + b v^2)) c^2 / sqrt(a), a >= b, are at
 * most sqrt(a), sqrt(b) and 4 b / sqrt(a). */
static double sheet_chord(const abut_part *part, double u, double v, double du, double dv, double *error)
{
    const bool turned = part->radii.y > part->radii.x;
    const double a = turned ? part->radii.y : part->radii.x, b = turned ? part->radii.x : part->radii.y;
    const double c = part->radii.z, root = sqrt(a), way = turned ? -du : dv;
    const double s = turned ? v + 0.5 * dv : u + 0.5 * du, t = turned ? u + 0.5 * du : v + 0.5 * dv;
    const double bend = root + 2 * sqrt(b) + 4 * b / root;
    *error = fabs(way) * bend * (du * du + dv * dv) / 24;
    return way * c * c / root * asinh(root * s / sqrt(c * c + b * t * t));
}

/* The same on a paraboloid, exactly: Simpson's rule on cubics. */
static double paraboloid_chord(const abut_part *part, double u, double v, double du, double dv)
{
    static const double weight[3] = { 1.0 / 6, 4.0 / 6, 1.0 / 6 };
    double value = 0;
    for (int i = 0; i < 3; ++i) {
        const double x = u + 0.5 * i * du, y = v + 0.5 * i * dv;
        value += weight[i] * (part->radii.y * y * y * y * du - part->radii.x * x * x * x * dv) / 3;
    }
    return value;
}

static void step_quadric(const loop_walk *w, abut_vec3 from, abut_vec3 to, double sense, double error)
{
    const abut_part *p = w->part;
    const abut_vec3 r = p->radii;
    double x, y, z, u, v, t, more = 0;
    in_frame(p, from, &x, &y, &z);
    in_frame(p, to, &u, &v, &t);
    if (p->kind == ABUT_CELL_ELLIPSOID) {
        const abut_vec3 a = abut_unit_or(abut_v3(x / r.x, y / r.y, z / r.z), fan),
                        b = abut_unit_or(abut_v3(u / r.x, v / r.y, t / r.z), fan);
        count_in(&w->out->main, sense * spherical_triangle(fan, a, b), error);
    } else if (p->kind == ABUT_CELL_RING) {
        const double turn = turn_between(x / r.x, y / r.y, u / r.x, v / r.y);
        count_in(&w->out->main, -sense * 0.5 * (z + t) * turn, error);
    } else if (p->rise > 0) {
        const double value = sheet_chord(p, x, y, u - x, v - y, &more);
        count_in(&w->out->main, sense * value, error + more);
    } else
        count_in(&w->out->main, sense * paraboloid_chord(p, x, y, u - x, v - y), error);
}

static void add_piece_of_quadric(const loop_walk *w, const abut_part *piece, double sense, double first,
                                 double second)
{
    const abut_part *p = w->part;
    const double size = w->solid->size;
    double rest, goal = 1e-10;
    if (p->kind == ABUT_CELL_ELLIPSOID) {
        const double f = first / least_radius(p), s = second / least_radius(p);
        rest = 1.25 * f * (s + 1.25 * f * f) / 8;
    } else if (p->kind == ABUT_CELL_RING) {
        if (p->major == 0) /* the normals of a cone are across its rulings */
            return;
        /* Derivatives of the angle, at a distance of no less than this from the axis. */
        const double f = 1.01 * first / (least_radius(p) * sqrt(p->major)),
                     s = 1.01 * second / (least_radius(p) * sqrt(p->major)) + 2 * f * f;
        rest = (s * first + second * f) / 8;
        goal *= size;
    } else {
        rest = greatest_density(p) * first * second / 4;
        goal *= size * size * size;
        if (p->rise > 0)
            rest += first * first * first * (sqrt(p->radii.x) + sqrt(p->radii.y));
    }
    const double wanted = ceil(sqrt(rest / goal));
    const int n = wanted < 16 ? 16 : wanted > 4096 ? 4096 : (int)wanted;
    const double error = rest / ((double)n * n * n);
    abut_vec3 tangent, before = abut_piece_at(piece, 0, &tangent);
    for (int i = 1; i <= n; ++i) {
        const abut_vec3 at = abut_piece_at(piece, (double)i / n, &tangent);
        step_quadric(w, before, at, sense, error);
        before = at;
    }
}

static void add_piece(const loop_walk *w, const abut_part *piece, double sense)
{
    const abut_part *part = w->part;
    double first, second;
    derivatives(piece, &first, &second);
    w->out->length += first;
    add_vector_area(w, piece, sense);
    if (part->kind == ABUT_CELL_PLANE || part->kind == ABUT_CELL_CONE)
        return;
    if (part->kind > ABUT_CELL_TORUS) {
        add_piece_of_quadric(w, piece, sense, first, second);
        return;
    }
    const bool sphere = part->kind == ABUT_CELL_TORUS && part->major == 0;
    if (sphere && piece->kind == ABUT_CELL_ARC) {
        arc_on_sphere(w, piece, sense);
        return;
    }
    const bool exact = is_parameter_line(part, piece);
    double curvature = 1 / part->radius;
    if (part->kind == ABUT_CELL_TORUS && !sphere && !exact) {
        const double least = is_spindle(part) ? from_axis(part, piece, first) : part->major - part->radius;
        if (!(least > 0)) {
            w->out->main.error = INFINITY;
            return;
        }
        curvature += 1 / least;
    }
    /* The rest after n cuts falls with the square of n. */
    const double rest = 1.25 * first * (second + 1.25 * curvature * first * first) / 8;
    const double goal = 1e-10 * w->solid->size * w->solid->size;
    const double wanted = exact ? 16 : ceil(sqrt(rest / goal));
    const int n = wanted < 16 ? 16 : wanted > 4096 ? 4096 : (int)wanted;
    const double error = exact ? 0 : rest / ((double)n * n * n);
    abut_vec3 tangent, before = abut_piece_at(piece, 0, &tangent);
    for (int i = 1; i <= n; ++i) {
        const abut_vec3 at = abut_piece_at(piece, (double)i / n, &tangent);
        if (sphere)
            step_sphere(w, before, at, sense, error);
        else if (part->kind == ABUT_CELL_CYLINDER)
            step_cylinder(w, before, at, sense, error);
        else
            step_torus(w, before, at, sense, error);
        before = at;
    }
}

/* The multiple of `whole` that brings x into 0 to whole; NAN where that is undecided. */
static double wrapped(double x, double error, double whole)
{
    const double n = floor(x / whole), rest = x - n * whole;
    return !(rest > error && rest < whole - error) ? NAN : -n * whole;
}

/* The area over that of the parameters, at least and at most. */
static abut_interval stretch_of(const abut_part *p)
{
    const abut_vec3 r = p->radii;
    const double u = fmax(fabs(p->u0), fabs(p->u1)), v = fmax(fabs(p->v0), fabs(p->v1));
    if (p->kind == ABUT_CELL_ELLIPSOID) {
        const double product = r.x * r.y * r.z;
        return (abut_interval){ product / fmax(r.x, fmax(r.y, r.z)), product / least_radius(p) };
    }
    if (p->kind == ABUT_CELL_RING) {
        const double near = p->v0 <= 0 && p->v1 >= 0 ? 0 : fmin(fabs(p->v0), fabs(p->v1));
        const double lo = sqrt(p->major + p->slope * near * near), hi = sqrt(p->major + p->slope * v * v);
        return (abut_interval){ hypot(lo * fmin(r.x, r.y), p->slope * near * r.x * r.y),
                                hypot(hi * fmax(r.x, r.y), p->slope * v * r.x * r.y) };
    }
    return (abut_interval){ 1,
                            p->rise > 0 ? sqrt(1 + r.x + r.y) : hypot(1, hypot(2 * r.x * u, 2 * r.y * v)) };
}

/* A face on a general quadric: the integral of (x - o) n, and the area. False where it is not known. */
static bool add_quadric(const loop_walk *w, const abut_solid_face *f, double vector_error, total *moment,
                        total *area)
{
    const abut_part *p = w->part;
    const double tolerance = 4 * w->solid->tolerance * w->out->length, least = least_radius(p);
    const total *main = &w->out->main;
    const abut_interval stretch = stretch_of(p);
    double own = 0, error = 0;
    switch (p->kind) {
    case ABUT_CELL_ELLIPSOID: {
        const double product = p->radii.x * p->radii.y * p->radii.z, whole = 4 * pi;
        own = p->sense * main->value.value;
        error = main->error + tolerance / (least * least) + spread * (main->value.size + whole);
        const double turns = f->loop_count ? wrapped(own, error, whole) / whole : 1;
        if (isnan(turns))
            return false;
        own += rint(turns) * whole;
        count_in(moment, p->sense * product * own, product * error);
        break;
    }
    case ABUT_CELL_RING: {
        const double by = p->radii.x * p->radii.y * p->major;
        if (p->major == 0) {
            area->error = INFINITY; /* the range of the angle is not gathered */
            return true;
        }
        own = p->sense * main->value.value;
        error = main->error + 1.01 * tolerance / (least * sqrt(p->major)) + spread * main->value.size;
        count_in(moment, by * main->value.value, by * error);
        break;
    }
    default:
        own = fabs(abut_dot(p->z, w->out->area));
        error = tolerance + vector_error;
        count_in(moment, main->value.value,
                 main->error + tolerance * greatest_density(p) + spread * main->value.size);
        break;
    }
    const double lo = stretch.lo * (own - error), hi = stretch.hi * (own + error);
    count_in(area, 0.5 * (lo + hi), 0.5 * (hi - lo) * (1 + spread));
    return true;
}

/* From the vertices to the ends of an edge, and from piece to piece, which are apart by rounding: without these steps
 * one of the two could be on the other side of the cut of a torus, and the loop would not be closed. */
static void close_torus(const loop_walk *w, abut_solid_coedge c)
{
    const abut_solid *solid = w->solid;
    const abut_solid_edge *edge = &solid->def.edges[c.edge];
    abut_vec3 tangent, before = solid->def.vertices[edge->from];
    for (size_t i = solid->piece_starts[c.edge]; i < solid->piece_starts[c.edge + 1]; ++i) {
        step_torus(w, before, abut_piece_at(&solid->pieces[i], 0, &tangent), c.sense, 0);
        before = abut_piece_at(&solid->pieces[i], 1, &tangent);
    }
    step_torus(w, before, solid->def.vertices[edge->to], c.sense, 0);
}

/* False where the face is not known; *turned: its loops certainly bound what is outside of it. */
static bool add_face(const abut_solid *solid, uint32_t face, abut_vec3 about, total *volume, total *area,
                     bool *turned)
{
    const abut_part *part = &solid->features.parts[face];
    const abut_solid_face *f = &solid->def.faces[face];
    const double r = part->radius, R = part->major, sense = part->sense;
    rim out = { 0 };
    const loop_walk w = { solid, part, about, &out };
    const bool torus = part->kind == ABUT_CELL_TORUS && R != 0;
    for (size_t l = 0; l < f->loop_count; ++l)
        for (size_t k = 0; k < f->loops[l].count; ++k) {
            const abut_solid_coedge c = f->loops[l].coedges[k];
            for (size_t i = solid->piece_starts[c.edge]; i < solid->piece_starts[c.edge + 1]; ++i)
                add_piece(&w, &solid->pieces[i], c.sense);
            if (torus)
                close_torus(&w, c);
        }
    /* Edges may be off by the tolerance, on the surface or off it. */
    const double loose = 4 * solid->tolerance * out.length, about_size = spread * out.area_size;
    double own = 0, own_error = 0, moment = 0, moment_error = 0;
    if (part->kind > ABUT_CELL_TORUS) {
        total flux = { { 0, 0 }, 0 };
        if (!add_quadric(&w, f, about_size, &flux, area))
            return false;
        const abut_vec3 off = abut_sub(part->o, about);
        count_in(volume, abut_dot(off, out.area) / 3, abut_length(off) * (loose + about_size) / 3);
        count_in(volume, flux.value.value / 3, flux.error / 3);
        return true;
    }
    switch (part->kind) {
    case ABUT_CELL_PLANE:
        own = sense * abut_dot(part->z, out.area);
        own_error = loose + about_size;
        break;
    case ABUT_CELL_CONE:
        own = -sense * abut_dot(part->z, out.area) / part->slope;
        own_error = (loose + about_size) / part->slope;
        break;
    default: {
        double top[2] = { 0, 0 }, bottom[2] = { 0, 0 };
        if (torus) {
            torus_integrals(part, tip_of(part), &top[0], &top[1]);
            torus_integrals(part, -tip_of(part), &bottom[0], &bottom[1]);
        }
        const double whole = torus ? 2 * pi * (top[0] - bottom[0]) : 4 * pi * r * r;
        own = sense * out.main.value.value;
        own_error = out.main.error + loose + spread * (out.main.value.size + whole);
        moment = sense * out.moment.value.value;
        moment_error = out.moment.error + (fabs(R) + r) * loose + spread * out.moment.value.size;
        double turns = 0;
        if (part->kind != ABUT_CELL_CYLINDER && f->loop_count) {
            turns = wrapped(own, own_error, whole) / whole;
            if (isnan(turns))
                return false;
        } else if (!f->loop_count)
            turns = 1;
        turns = rint(turns);
        own += turns * whole;
        if (torus)
            moment += turns * 2 * pi * (top[1] - bottom[1]);
        else {
            moment = r * own;
            moment_error = r * own_error;
        }
        moment *= sense;
        break;
    }
    }
    /* On spheres and tori both sides of a loop are faces. */
    *turned = part->kind != ABUT_CELL_TORUS && own + own_error < 0;
    const abut_vec3 from = abut_sub(part->o, about);
    const double reach = abut_length(from);
    count_in(area, own, own_error);
    count_in(volume, abut_dot(from, out.area) / 3, reach * (loose + about_size) / 3);
    count_in(volume, moment / 3, moment_error / 3);
    return true;
}

uint32_t abut_solid_mass_explicit(abut_solid *solid)
{
    const abut_aabb b = solid->bounds;
    const abut_vec3 size = abut_sub(b.hi, b.lo);
    /* What is known without: something in its box. */
    solid->volume = (abut_interval){ 0, size.x * size.y * size.z * (1 + 1e-14) };
    solid->area = (abut_interval){ 0, INFINITY };
    total volume = { { 0, 0 }, 0 }, area = { { 0, 0 }, 0 };
    bool known = true;
    for (uint32_t i = 0; i < solid->def.face_count; ++i) {
        bool turned = false;
        if (!add_face(solid, i, abut_scale(0.5, abut_add(b.lo, b.hi)), &volume, &area, &turned))
            known = false;
        if (turned)
            return i;
    }
    if (!known)
        return ABUT_SOLID_NONE;
    const abut_interval v = enclose(volume.value), a = enclose(area.value);
    solid->volume = (abut_interval){ fmax(0, v.lo - volume.error), v.hi + volume.error };
    solid->area = (abut_interval){ fmax(0, a.lo - area.error), a.hi + area.error };
    return ABUT_SOLID_NONE;
}
