// SPDX-License-Identifier: MIT
// Surfaces of Open CASCADE as planes, quadrics and tori.
//
// Elementary surfaces, and sweeps of lines and circles that are elementary, are converted number by
// number. Everything else (splines, Bezier and offset surfaces, other sweeps) is sampled over the
// face and compared with what it may be: a plane, a sphere, a general quadric (the null vector of
// the matrix of the samples' monomials, by a one-sided Jacobi SVD, which does not square the
// condition as the normal equations would), and a torus, whose isoparametric curves are circles.
// A surface counts as the first of them that all samples agree with within the tolerance; a quadric
// is named a cylinder or cone where its eigenvalues say so and the samples agree.
#include "io/occt/model.hpp"

#include <BRepTools.hxx>
#include <BRep_Tool.hxx>
#include <Geom_Circle.hxx>
#include <Geom_ConicalSurface.hxx>
#include <Geom_CylindricalSurface.hxx>
#include <Geom_Line.hxx>
#include <Geom_OffsetSurface.hxx>
#include <Geom_Plane.hxx>
#include <Geom_RectangularTrimmedSurface.hxx>
#include <Geom_SphericalSurface.hxx>
#include <Geom_SurfaceOfLinearExtrusion.hxx>
#include <Geom_SurfaceOfRevolution.hxx>
#include <Geom_ToroidalSurface.hxx>
#include <Geom_TrimmedCurve.hxx>
#include <Precision.hxx>

#include <algorithm>
#include <cmath>

namespace abut_occt {

namespace {

gp_Vec vec(const double v[3])
{
    return gp_Vec(v[0], v[1], v[2]);
}

gp_Pnt pnt(const double v[3])
{
    return gp_Pnt(v[0], v[1], v[2]);
}

void put(double out[3], const gp_XYZ &value)
{
    out[0] = value.X();
    out[1] = value.Y();
    out[2] = value.Z();
}

double quadric_value(const occt_surface &s, const gp_Pnt &p, gp_Vec &gradient)
{
    const double x[4] = { p.X(), p.Y(), p.Z(), 1 };
    double row[4];
    double value = 0;
    for (int i = 0; i < 4; ++i) {
        row[i] = 0;
        for (int j = 0; j < 4; ++j)
            row[i] += s.matrix[i][j] * x[j];
        value += row[i] * x[i];
    }
    gradient = gp_Vec(2 * row[0], 2 * row[1], 2 * row[2]);
    return value;
}

// Height along the axis and the vector from the axis.
double split(const occt_surface &s, const gp_Pnt &p, gp_Vec &across)
{
    const gp_Vec from(pnt(s.point), p);
    const double height = from.Dot(vec(s.axis));
    across = from - vec(s.axis) * height;
    return height;
}

occt_surface make_plane(const gp_Pnt &point, const gp_Vec &axis)
{
    occt_surface out{};
    out.kind = OCCT_PLANE;
    put(out.point, point.XYZ());
    put(out.axis, axis.XYZ());
    return out;
}

occt_surface make(occt_surface_kind kind, const gp_Pnt &point, const gp_Vec &axis, double radius,
                  double minor)
{
    occt_surface out = make_plane(point, axis);
    out.kind = kind;
    out.radius = radius;
    out.minor = minor;
    return out;
}

// A circle that crosses the axis makes two surfaces, one outside of the other. The outer one has the
// major radius, the inner one (a lemon) its negative; the face tells which.
occt_surface make_torus(const gp_Pnt &centre, const gp_Vec &axis, double major, double minor,
                        const gp_Pnt &inside)
{
    const occt_surface outer = make(OCCT_TORUS, centre, axis, major, minor);
    const occt_surface inner = make(OCCT_TORUS, centre, axis, -major, minor);
    if (major > minor || std::fabs(distance(outer, inside)) <= std::fabs(distance(inner, inside)))
        return outer;
    return inner;
}

double worst(const occt_surface &s, const std::vector<gp_Pnt> &points)
{
    double far = 0;
    for (const gp_Pnt &p : points)
        far = std::max(far, std::fabs(distance(s, p)));
    return far;
}

struct sampled {
    std::vector<gp_Pnt> points;
    double u0, u1, v0, v1;
};

// ---- direct conversions ----

// `inside`: a point of the face, which tells the nappe.
bool from_cone(const gp_Ax3 &at, double radius, double angle, const gp_Pnt &inside, occt_surface &out)
{
    const double tangent = std::fabs(std::tan(angle));
    gp_Vec axis(at.Direction());
    const gp_Pnt apex = at.Location().Translated(axis * (-radius / std::tan(angle)));
    if (gp_Vec(apex, inside).Dot(axis) < 0)
        axis.Reverse();
    out = make(OCCT_CONE, apex, axis, tangent, 0);
    return true;
}

bool elementary(Handle(Geom_Surface) surface, const gp_Pnt &inside, occt_surface &out)
{
    const auto plane = Handle(Geom_Plane)::DownCast(surface);
    if (!plane.IsNull()) {
        out = make_plane(plane->Location(), gp_Vec(plane->Position().Direction()));
        return true;
    }
    const auto sphere = Handle(Geom_SphericalSurface)::DownCast(surface);
    if (!sphere.IsNull()) {
        out = make(OCCT_SPHERE, sphere->Location(), gp_Vec(0, 0, 0), sphere->Radius(), 0);
        return true;
    }
    const auto cylinder = Handle(Geom_CylindricalSurface)::DownCast(surface);
    if (!cylinder.IsNull()) {
        out = make(OCCT_CYLINDER, cylinder->Location(), gp_Vec(cylinder->Position().Direction()),
                   cylinder->Radius(), 0);
        return true;
    }
    const auto cone = Handle(Geom_ConicalSurface)::DownCast(surface);
    if (!cone.IsNull())
        return from_cone(cone->Position(), cone->RefRadius(), cone->SemiAngle(), inside, out);
    const auto torus = Handle(Geom_ToroidalSurface)::DownCast(surface);
    if (torus.IsNull())
        return false;
    out = make_torus(torus->Location(), gp_Vec(torus->Position().Direction()), torus->MajorRadius(),
                     torus->MinorRadius(), inside);
    return true;
}

Handle(Geom_Curve) basis(Handle(Geom_Curve) curve)
{
    for (;;) {
        const auto trimmed = Handle(Geom_TrimmedCurve)::DownCast(curve);
        if (trimmed.IsNull())
            return curve;
        curve = trimmed->BasisCurve();
    }
}

bool swept_circle(const gp_Circ &circle, const gp_Ax1 &axis, const gp_Pnt &inside, occt_surface &out)
{
    const gp_Vec turn(axis.Direction());
    const gp_Vec from(axis.Location(), circle.Location());
    const double height = from.Dot(turn);
    const gp_Vec across = from - turn * height;
    const gp_Pnt centre = axis.Location().Translated(turn * height);
    const double major = across.Magnitude(), minor = circle.Radius();
    const double small = 1e-12 * (major + minor);
    const gp_Vec flat(circle.Axis().Direction());
    if (major <= small && std::fabs(flat.Dot(turn)) <= 1e-12) {
        out = make(OCCT_SPHERE, centre, gp_Vec(0, 0, 0), minor, 0);
        return true;
    }
    // The circle must lie in a plane through the axis.
    if (std::fabs(flat.Dot(turn)) > 1e-12 || std::fabs(flat.Dot(across)) > small)
        return false;
    out = make_torus(centre, turn, major, minor, inside);
    return true;
}

bool swept_line(const gp_Lin &line, const gp_Ax1 &axis, const gp_Pnt &inside, occt_surface &out)
{
    const gp_Vec turn(axis.Direction()), along(line.Direction());
    const gp_Vec from(axis.Location(), line.Location());
    const double size = from.Magnitude() + 1;
    const double cosine = along.Dot(turn);
    if (std::fabs(from.Dot(turn.Crossed(along))) > 1e-12 * size)
        return false; // skew: a hyperboloid, left to the fit
    if (std::fabs(cosine) <= 1e-14) {
        out = make_plane(line.Location(), turn);
        return true;
    }
    const gp_Vec across = from - turn * from.Dot(turn);
    if (turn.Crossed(along).Magnitude() <= 1e-14) {
        out = make(OCCT_CYLINDER, axis.Location(), turn, across.Magnitude(), 0);
        return across.Magnitude() > 0;
    }
    // Where the line meets the axis: the foot of the common plane.
    const gp_Vec side = along - turn * cosine;
    const double t = -across.Dot(side) / side.SquareMagnitude();
    const gp_Pnt apex = axis.Location().Translated(turn * (from.Dot(turn) + t * cosine));
    gp_Vec nappe = turn;
    if (gp_Vec(apex, inside).Dot(nappe) < 0)
        nappe.Reverse();
    out = make(OCCT_CONE, apex, nappe, side.Magnitude() / std::fabs(cosine), 0);
    return true;
}

bool sweep(Handle(Geom_Surface) surface, const gp_Pnt &inside, occt_surface &out)
{
    const auto revolved = Handle(Geom_SurfaceOfRevolution)::DownCast(surface);
    if (!revolved.IsNull()) {
        const auto curve = basis(revolved->BasisCurve());
        const auto line = Handle(Geom_Line)::DownCast(curve);
        const auto circle = Handle(Geom_Circle)::DownCast(curve);
        if (!line.IsNull())
            return swept_line(line->Lin(), revolved->Axis(), inside, out);
        if (!circle.IsNull())
            return swept_circle(circle->Circ(), revolved->Axis(), inside, out);
        return false;
    }
    const auto extruded = Handle(Geom_SurfaceOfLinearExtrusion)::DownCast(surface);
    if (extruded.IsNull())
        return false;
    const auto curve = basis(extruded->BasisCurve());
    const auto line = Handle(Geom_Line)::DownCast(curve);
    const auto circle = Handle(Geom_Circle)::DownCast(curve);
    const gp_Vec along(extruded->Direction());
    if (!line.IsNull()) {
        const gp_Vec across = along.Crossed(gp_Vec(line->Lin().Direction()));
        if (across.Magnitude() < 1e-9)
            return false;
        out = make_plane(line->Lin().Location(), across.Normalized());
        return true;
    }
    if (!circle.IsNull() && along.Crossed(gp_Vec(circle->Circ().Axis().Direction())).Magnitude() <= 1e-14) {
        out = make(OCCT_CYLINDER, circle->Circ().Location(), along, circle->Circ().Radius(), 0);
        return true;
    }
    return false;
}

// ---- fits ----

bool fit_sphere(const std::vector<gp_Pnt> &points, double tolerance, occt_surface &out)
{
    std::vector<double> rows;
    for (const gp_Pnt &p : points)
        rows.insert(rows.end(), { p.XYZ().SquareModulus(), p.X(), p.Y(), p.Z(), 1 });
    const std::vector<double> c = null_vector(rows, 5);
    if (c[0] == 0)
        return false;
    const gp_Pnt centre(-c[1] / (2 * c[0]), -c[2] / (2 * c[0]), -c[3] / (2 * c[0]));
    const double square = centre.XYZ().SquareModulus() - c[4] / c[0];
    if (!(square > 0))
        return false;
    out = make(OCCT_SPHERE, centre, gp_Vec(0, 0, 0), std::sqrt(square), 0);
    return worst(out, points) <= tolerance;
}

// Eigenvalues and vectors of a symmetric matrix, by Jacobi rotations.
void eigen(double a[3][3], double values[3], gp_Vec vectors[3])
{
    double v[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    for (int sweep = 0; sweep < 30; ++sweep) {
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q) {
                if (a[p][q] == 0)
                    continue;
                const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; ++k) {
                    const double kp = a[k][p], kq = a[k][q];
                    a[k][p] = c * kp - s * kq;
                    a[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < 3; ++k) {
                    const double pk = a[p][k], qk = a[q][k], vp = v[k][p], vq = v[k][q];
                    a[p][k] = c * pk - s * qk;
                    a[q][k] = s * pk + c * qk;
                    v[k][p] = c * vp - s * vq;
                    v[k][q] = s * vp + c * vq;
                }
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        values[i] = a[i][i];
        vectors[i] = gp_Vec(v[0][i], v[1][i], v[2][i]);
    }
}

// A quadric of revolution that is a cylinder or a cone: `odd` is the index of the single eigenvalue.
bool natural(const occt_surface &quadric, const double values[3], const gp_Vec vectors[3], int odd,
             const std::vector<gp_Pnt> &points, double tolerance, occt_surface &out)
{
    const double twin = (values[(odd + 1) % 3] + values[(odd + 2) % 3]) / 2;
    const gp_Vec axis = vectors[odd];
    const gp_Vec b(quadric.matrix[0][3], quadric.matrix[1][3], quadric.matrix[2][3]);
    if (twin == 0)
        return false;
    // The centre across the axis, and for a cone along it.
    gp_Vec centre = (b - axis * b.Dot(axis)) * (-1 / twin);
    const bool cylinder = std::fabs(values[odd]) <= 1e-6 * std::fabs(twin);
    if (cylinder) {
        double mean = 0;
        for (const gp_Pnt &p : points) {
            const gp_Vec from = gp_Vec(p.XYZ()) - centre;
            mean += (from - axis * from.Dot(axis)).Magnitude() / static_cast<double>(points.size());
        }
        out = make(OCCT_CYLINDER, gp_Pnt(centre.XYZ()), axis, mean, 0);
    } else if (values[odd] * twin < 0) {
        centre += axis * (-b.Dot(axis) / values[odd]);
        const gp_Pnt apex(centre.XYZ());
        gp_Vec nappe = axis;
        if (gp_Vec(apex, points[points.size() / 2]).Dot(nappe) < 0)
            nappe.Reverse();
        out = make(OCCT_CONE, apex, nappe, std::sqrt(-values[odd] / twin), 0);
    } else
        return false;
    return worst(out, points) <= tolerance;
}

bool fit_quadric(const std::vector<gp_Pnt> &points, double tolerance, occt_surface &out)
{
    // In units of the samples' own size, about their mean.
    gp_XYZ mean(0, 0, 0);
    for (const gp_Pnt &p : points)
        mean += p.XYZ() / static_cast<double>(points.size());
    double size = 0;
    for (const gp_Pnt &p : points)
        size = std::max(size, (p.XYZ() - mean).Modulus());
    if (!(size > 0))
        return false;
    std::vector<double> rows;
    std::vector<gp_Pnt> scaled;
    for (const gp_Pnt &p : points) {
        const gp_XYZ q = (p.XYZ() - mean) / size;
        const double x = q.X(), y = q.Y(), z = q.Z();
        rows.insert(rows.end(), { x * x, y * y, z * z, x * y, x * z, y * z, x, y, z, 1 });
        scaled.push_back(gp_Pnt(q));
    }
    const std::vector<double> c = null_vector(rows, 10);
    occt_surface local{};
    local.kind = OCCT_QUADRIC;
    const double m[4][4] = { { c[0], c[3] / 2, c[4] / 2, c[6] / 2 },
                             { c[3] / 2, c[1], c[5] / 2, c[7] / 2 },
                             { c[4] / 2, c[5] / 2, c[2], c[8] / 2 },
                             { c[6] / 2, c[7] / 2, c[8] / 2, c[9] } };
    std::copy(&m[0][0], &m[0][0] + 16, &local.matrix[0][0]);
    if (!(worst(local, scaled) <= tolerance / size))
        return false;
    double a[3][3], values[3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            a[i][j] = m[i][j];
    gp_Vec vectors[3];
    eigen(a, values, vectors);
    for (int odd = 0; odd < 3; ++odd) {
        occt_surface simple;
        if (!natural(local, values, vectors, odd, scaled, tolerance / size, simple))
            continue;
        out = simple;
        put(out.point, pnt(simple.point).XYZ() * size + mean);
        if (simple.kind == OCCT_CYLINDER)
            out.radius *= size;
        return true;
    }
    // x = (X - mean) / size, as a matrix on both sides.
    const double from[4][4] = { { 1 / size, 0, 0, -mean.X() / size },
                                { 0, 1 / size, 0, -mean.Y() / size },
                                { 0, 0, 1 / size, -mean.Z() / size },
                                { 0, 0, 0, 1 } };
    out = local;
    for (int i = 0; i < 4; ++i) {
        for (int j = i; j < 4; ++j) {
            double sum = 0;
            for (int k = 0; k < 4; ++k)
                for (int l = 0; l < 4; ++l)
                    sum += from[k][i] * m[k][l] * from[l][j];
            out.matrix[i][j] = out.matrix[j][i] = sum;
        }
    }
    return worst(out, points) <= tolerance;
}

bool fit_torus(const Handle(Geom_Surface) & surface, const sampled &s, double tolerance, occt_surface &out)
{
    enum { CURVES = 5, POINTS = 9 };
    for (int family = 0; family < 2; ++family) {
        std::vector<gp_Pnt> centres;
        double minor = 0;
        bool circles = true;
        for (int i = 0; i < CURVES && circles; ++i) {
            std::vector<gp_Pnt> points;
            for (int j = 0; j < POINTS; ++j) {
                const double a = (i + 0.5) / CURVES, b = static_cast<double>(j) / (POINTS - 1);
                const double u = s.u0 + (s.u1 - s.u0) * (family ? a : b);
                const double v = s.v0 + (s.v1 - s.v0) * (family ? b : a);
                points.push_back(surface->Value(u, v));
            }
            gp_Pnt centre;
            gp_Vec axis;
            double radius = 0;
            circles = fit_circle(points, tolerance, centre, axis, radius);
            centres.push_back(centre);
            minor += radius / CURVES;
        }
        gp_Pnt centre;
        gp_Vec axis;
        double major = 0;
        if (!circles || !fit_circle(centres, 10 * tolerance, centre, axis, major))
            continue;
        out = make_torus(centre, axis, major, minor, s.points[s.points.size() / 2]);
        if (worst(out, s.points) <= tolerance)
            return true;
    }
    return false;
}

} // namespace

std::vector<double> null_vector(std::vector<double> m, size_t columns)
{
    const size_t rows = m.size() / columns;
    std::vector<double> v(columns * columns, 0.0);
    for (size_t i = 0; i < columns; ++i)
        v[i * columns + i] = 1;
    // One-sided Jacobi (Hestenes): turn pairs of columns until all are orthogonal.
    for (int sweep = 0; sweep < 40; ++sweep) {
        bool turned = false;
        for (size_t p = 0; p + 1 < columns; ++p) {
            for (size_t q = p + 1; q < columns; ++q) {
                double pp = 0, qq = 0, pq = 0;
                for (size_t r = 0; r < rows; ++r) {
                    const double a = m[r * columns + p], b = m[r * columns + q];
                    pp += a * a;
                    qq += b * b;
                    pq += a * b;
                }
                if (std::fabs(pq) <= 1e-15 * std::sqrt(pp * qq))
                    continue;
                turned = true;
                const double theta = (qq - pp) / (2 * pq);
                const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                const auto turn = [&](std::vector<double> &x, size_t row) {
                    const double a = x[row * columns + p], b = x[row * columns + q];
                    x[row * columns + p] = c * a - s * b;
                    x[row * columns + q] = s * a + c * b;
                };
                for (size_t r = 0; r < rows; ++r)
                    turn(m, r);
                for (size_t r = 0; r < columns; ++r)
                    turn(v, r);
            }
        }
        if (!turned)
            break;
    }
    size_t least = 0;
    double smallest = HUGE_VAL;
    for (size_t c = 0; c < columns; ++c) {
        double norm = 0;
        for (size_t r = 0; r < rows; ++r)
            norm += m[r * columns + c] * m[r * columns + c];
        if (norm < smallest) {
            smallest = norm;
            least = c;
        }
    }
    std::vector<double> out;
    for (size_t r = 0; r < columns; ++r)
        out.push_back(v[r * columns + least]);
    return out;
}

bool fit_plane(const std::vector<gp_Pnt> &points, double tolerance, occt_surface &out)
{
    gp_XYZ mean(0, 0, 0);
    for (const gp_Pnt &p : points)
        mean += p.XYZ() / static_cast<double>(points.size());
    std::vector<double> rows;
    for (const gp_Pnt &p : points) {
        const gp_XYZ q = p.XYZ() - mean;
        rows.insert(rows.end(), { q.X(), q.Y(), q.Z() });
    }
    const std::vector<double> n = null_vector(rows, 3);
    out = make_plane(gp_Pnt(mean), gp_Vec(n[0], n[1], n[2]));
    return worst(out, points) <= tolerance;
}

bool fit_circle(const std::vector<gp_Pnt> &points, double tolerance, gp_Pnt &centre, gp_Vec &axis,
                double &radius)
{
    occt_surface plane;
    if (points.size() < 3 || !fit_plane(points, tolerance, plane))
        return false;
    axis = vec(plane.axis);
    const gp_Pnt origin = pnt(plane.point);
    gp_Vec x = std::fabs(axis.X()) < 0.6 ? gp_Vec(1, 0, 0) : gp_Vec(0, 1, 0);
    x -= axis * x.Dot(axis);
    x.Normalize();
    const gp_Vec y = axis.Crossed(x);
    double size = 0;
    for (const gp_Pnt &p : points)
        size = std::max(size, origin.Distance(p));
    if (!(size > 0))
        return false;
    std::vector<double> rows;
    for (const gp_Pnt &p : points) {
        const gp_Vec from(origin, p);
        const double a = from.Dot(x) / size, b = from.Dot(y) / size;
        rows.insert(rows.end(), { a * a + b * b, a, b, 1 });
    }
    const std::vector<double> c = null_vector(rows, 4);
    // A curvature below this is a line, of a radius that has no digits left.
    if (std::fabs(c[0]) < 1e-7)
        return false;
    const double a = -c[1] / (2 * c[0]), b = -c[2] / (2 * c[0]);
    const double square = a * a + b * b - c[3] / c[0];
    if (!(square > 0))
        return false;
    radius = std::sqrt(square) * size;
    centre = origin.Translated(x * (a * size) + y * (b * size));
    for (const gp_Pnt &p : points)
        if (std::fabs(centre.Distance(p) - radius) > tolerance)
            return false;
    return true;
}

double distance(const occt_surface &s, const gp_Pnt &p)
{
    gp_Vec across;
    switch (s.kind) {
    case OCCT_PLANE: return gp_Vec(pnt(s.point), p).Dot(vec(s.axis));
    case OCCT_SPHERE: return pnt(s.point).Distance(p) - s.radius;
    case OCCT_CYLINDER: split(s, p, across); return across.Magnitude() - s.radius;
    case OCCT_CONE: {
        const double height = split(s, p, across);
        return (across.Magnitude() - s.radius * height) / std::sqrt(1 + s.radius * s.radius);
    }
    case OCCT_TORUS: {
        const double height = split(s, p, across);
        return std::hypot(across.Magnitude() - s.radius, height) - s.minor;
    }
    case OCCT_QUADRIC: {
        gp_Vec gradient;
        const double value = quadric_value(s, p, gradient);
        return value / std::max(gradient.Magnitude(), 1e-300);
    }
    case OCCT_SURFACE_KINDS: break;
    }
    return HUGE_VAL;
}

gp_Vec normal(const occt_surface &s, const gp_Pnt &p)
{
    gp_Vec across, out(0, 0, 0);
    switch (s.kind) {
    case OCCT_PLANE: return vec(s.axis);
    case OCCT_SPHERE: out = gp_Vec(pnt(s.point), p); break;
    case OCCT_CYLINDER: split(s, p, out); break;
    case OCCT_CONE:
        split(s, p, across);
        if (across.Magnitude() <= 0)
            return out;
        out = across.Normalized() - vec(s.axis) * s.radius;
        break;
    case OCCT_TORUS: {
        const double height = split(s, p, across);
        if (across.Magnitude() <= 0)
            return out;
        out = across * (1 - s.radius / across.Magnitude()) + vec(s.axis) * height;
        break;
    }
    case OCCT_QUADRIC: quadric_value(s, p, out); break;
    case OCCT_SURFACE_KINDS: break;
    }
    return out.Magnitude() > 0 ? out.Normalized() : gp_Vec(0, 0, 0);
}

bool project(const std::vector<const occt_surface *> &surfaces, gp_Pnt &at, double reach)
{
    gp_Pnt p = at;
    for (int step = 0; step < 30; ++step) {
        // Projections onto the tangent planes in turn (Kaczmarz), which for the least change suffices here: three
        // rounds a step, then new planes.
        gp_Vec move(0, 0, 0);
        for (int round = 0; round < 200; ++round) {
            double change = 0;
            for (const occt_surface *s : surfaces) {
                const gp_Vec n = normal(*s, p);
                const double off = distance(*s, p) + n.Dot(move);
                move -= n * off;
                change = std::max(change, std::fabs(off));
            }
            if (change <= 1e-16 * (1 + p.XYZ().Modulus()))
                break;
        }
        p.Translate(move);
        if (!(p.Distance(at) <= reach))
            return false;
        if (move.Magnitude() <= 1e-15 * (1 + p.XYZ().Modulus()))
            break;
    }
    at = p;
    return true;
}

bool convert_surface(const TopoDS_Face &face, double tolerance, occt_surface &out, bool &recognised,
                     std::string &why)
{
    recognised = false;
    Handle(Geom_Surface) surface = BRep_Tool::Surface(face);
    if (surface.IsNull()) {
        why = "has no surface";
        return false;
    }
    sampled s;
    BRepTools::UVBounds(face, s.u0, s.u1, s.v0, s.v1);
    if (Precision::IsInfinite(s.u0) || Precision::IsInfinite(s.u1) || Precision::IsInfinite(s.v0) ||
        Precision::IsInfinite(s.v1)) {
        why = "is not bounded";
        return false;
    }
    for (;;) {
        const auto trimmed = Handle(Geom_RectangularTrimmedSurface)::DownCast(surface);
        if (trimmed.IsNull())
            break;
        surface = trimmed->BasisSurface();
    }
    const auto offset = Handle(Geom_OffsetSurface)::DownCast(surface);
    if (!offset.IsNull() && !offset->Surface().IsNull())
        surface = offset->Surface(); // the offset as a surface of a simpler kind, where it is one
    const gp_Pnt inside = surface->Value((s.u0 + s.u1) / 2, (s.v0 + s.v1) / 2);
    if (elementary(surface, inside, out))
        return true;
    recognised = true;
    if (sweep(surface, inside, out))
        return true;
    enum { GRID = 12 };
    for (int i = 0; i < GRID; ++i)
        for (int j = 0; j < GRID; ++j)
            s.points.push_back(
                surface->Value(s.u0 + (s.u1 - s.u0) * i / (GRID - 1), s.v0 + (s.v1 - s.v0) * j / (GRID - 1)));
    if (fit_plane(s.points, tolerance, out) || fit_sphere(s.points, tolerance, out) ||
        fit_quadric(s.points, tolerance, out) || fit_torus(surface, s, tolerance, out))
        return true;
    why = std::string("is a ") + surface->DynamicType()->Name() +
          " that is no plane, quadric or torus within the tolerance";
    return false;
}

} // namespace abut_occt
