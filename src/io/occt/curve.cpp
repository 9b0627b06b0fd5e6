// SPDX-License-Identifier: MIT
// Curves of Open CASCADE as lines, circles, conic arcs, surface intersections and cubic splines.
//
// Lines, circles and conics are converted number by number, and so are rational quadratic Bezier
// curves. A spline is compared, on samples over the whole edge, with a line, a circle, and the
// intersection of the surfaces of its two faces; where it is within the edge's tolerance of one of
// these, it is that, because the file's author meant that and Open CASCADE writes it as a spline.
// Surfaces that are nearly tangent along the edge do not determine their intersection well; such an
// edge stays a spline.
#include "io/occt/model.hpp"

#include <GeomConvert.hxx>
#include <GeomConvert_ApproxCurve.hxx>
#include <GeomConvert_BSplineCurveToBezierCurve.hxx>
#include <Geom_BSplineCurve.hxx>
#include <Geom_BezierCurve.hxx>
#include <Geom_Circle.hxx>
#include <Geom_Conic.hxx>
#include <Geom_Line.hxx>
#include <Geom_OffsetCurve.hxx>
#include <Geom_TrimmedCurve.hxx>

#include <algorithm>
#include <cmath>

namespace abut_occt {

namespace {

// Sine of the least angle between two surfaces whose common curve is used as an edge.
const double TRANSVERSAL = 1e-2;
// An edge bounds both faces, so it is meant to lie on both surfaces; writers understate how far their
// splines are off them.
const double INTERSECTION_SLACK = 4;

Handle(Geom_Curve) basis(Handle(Geom_Curve) curve)
{
    for (;;) {
        const auto trimmed = Handle(Geom_TrimmedCurve)::DownCast(curve);
        if (trimmed.IsNull())
            return curve;
        curve = trimmed->BasisCurve();
    }
}

bool is_line(const std::vector<gp_Pnt> &points, double tolerance)
{
    const gp_Pnt &a = points.front(), &b = points.back();
    const gp_Vec along(a, b);
    const double length = along.Magnitude();
    if (!(length > tolerance))
        return false;
    for (const gp_Pnt &p : points)
        if (gp_Vec(a, p).Crossed(along).Magnitude() > tolerance * length)
            return false;
    return true;
}

// Counter-clockwise about the axis from the first to the last point.
bool is_circle(const std::vector<gp_Pnt> &points, double tolerance, piece &out)
{
    double radius = 0;
    if (!fit_circle(points, tolerance, out.point, out.axis, radius))
        return false;
    // The turning of the samples gives the axis its direction.
    double turning = 0;
    for (size_t i = 0; i + 1 < points.size(); ++i)
        turning += gp_Vec(out.point, points[i]).Crossed(gp_Vec(out.point, points[i + 1])).Dot(out.axis);
    if (turning < 0)
        out.axis.Reverse();
    out.kind = OCCT_CIRCLE;
    return true;
}

// A closed curve becomes two pieces, because its two ends alone do not tell which way it runs.
bool is_intersection(const curve_request &r, const std::vector<gp_Pnt> &points, std::vector<piece> &out)
{
    if (!r.surfaces[0] || !r.surfaces[1] || r.same_surface)
        return false;
    const double tolerance = INTERSECTION_SLACK * r.tolerance;
    for (const gp_Pnt &p : points) {
        if (std::fabs(distance(*r.surfaces[0], p)) > tolerance ||
            std::fabs(distance(*r.surfaces[1], p)) > tolerance)
            return false;
        if (normal(*r.surfaces[0], p).Crossed(normal(*r.surfaces[1], p)).Magnitude() < TRANSVERSAL)
            return false;
    }
    const size_t last = points.size() - 1;
    const size_t pieces = points[0].Distance(points[last]) <= tolerance ? 2 : 1;
    for (size_t k = 0; k < pieces; ++k) {
        piece p;
        p.kind = OCCT_INTERSECTION;
        p.start = points[last * k / pieces];
        p.end = points[last * (k + 1) / pieces];
        p.point = points[last * (2 * k + 1) / (2 * pieces)];
        if (!project({ r.surfaces[0], r.surfaces[1] }, p.point, 2 * tolerance) ||
            (k + 1 < pieces && !project({ r.surfaces[0], r.surfaces[1] }, p.end, 2 * tolerance)))
            return false;
        out.push_back(p);
    }
    return true;
}

// The Bezier pieces of the curve between the ends.
bool beziers(const Handle(Geom_Curve) & curve, double first, double last,
             std::vector<Handle(Geom_BezierCurve)> &out)
{
    const Handle(Geom_TrimmedCurve) trimmed = new Geom_TrimmedCurve(curve, first, last);
    const Handle(Geom_BSplineCurve) spline = GeomConvert::CurveToBSplineCurve(trimmed);
    if (spline.IsNull())
        return false;
    GeomConvert_BSplineCurveToBezierCurve pieces(spline);
    for (int i = 1; i <= pieces.NbArcs(); ++i)
        out.push_back(pieces.Arc(i));
    return !out.empty();
}

bool conic_pieces(const std::vector<Handle(Geom_BezierCurve)> &arcs, std::vector<piece> &out)
{
    for (const auto &arc : arcs) {
        if (arc->Degree() != 2)
            return false;
        piece p;
        p.kind = OCCT_CONIC;
        p.start = arc->Pole(1);
        p.point = arc->Pole(2);
        p.end = arc->Pole(3);
        p.weight = arc->IsRational() ? arc->Weight(2) / std::sqrt(arc->Weight(1) * arc->Weight(3)) : 1;
        if (!(p.weight > 0))
            return false;
        out.push_back(p);
    }
    return true;
}

bool spline_piece(const curve_request &r, std::vector<Handle(Geom_BezierCurve)> arcs, piece &out)
{
    bool cubic = true;
    for (const auto &arc : arcs)
        cubic = cubic && arc->Degree() <= 3 && !arc->IsRational();
    if (!cubic) {
        const Handle(Geom_Curve) trimmed = new Geom_TrimmedCurve(r.curve, r.first, r.last);
        GeomConvert_ApproxCurve approximation(trimmed, r.tolerance / 2, GeomAbs_C1, 200, 3);
        if (!approximation.HasResult() || approximation.MaxError() > r.tolerance)
            return false;
        GeomConvert_BSplineCurveToBezierCurve pieces(approximation.Curve());
        arcs.clear();
        for (int i = 1; i <= pieces.NbArcs(); ++i)
            arcs.push_back(pieces.Arc(i));
    }
    out.kind = OCCT_SPLINE;
    out.points.clear();
    for (const auto &arc : arcs) {
        const Handle(Geom_BezierCurve) raised = Handle(Geom_BezierCurve)::DownCast(arc->Copy());
        raised->Increase(3);
        for (int i = out.points.empty() ? 1 : 2; i <= 4; ++i)
            out.points.push_back(raised->Pole(i));
    }
    return out.points.size() >= 4;
}

} // namespace

std::vector<gp_Pnt> sample_curve(const Handle(Geom_Curve) & curve, double first, double last, int count)
{
    std::vector<gp_Pnt> out;
    for (int i = 0; i <= count; ++i)
        out.push_back(curve->Value(i == count ? last : first + (last - first) * i / count));
    return out;
}

bool convert_curve(const curve_request &r, std::vector<piece> &out, bool &recognised, std::string &why)
{
    enum { SAMPLES = 48 };
    recognised = false;
    const Handle(Geom_Curve) curve = basis(r.curve);
    piece p;
    p.start = r.curve->Value(r.first);
    p.end = r.curve->Value(r.last);
    if (!Handle(Geom_Line)::DownCast(curve).IsNull()) {
        out.push_back(p);
        return true;
    }
    const auto circle = Handle(Geom_Circle)::DownCast(curve);
    if (!circle.IsNull()) {
        p.kind = OCCT_CIRCLE;
        p.point = circle->Circ().Location();
        // A left-handed frame turns the other way.
        p.axis =
            gp_Vec(circle->Circ().XAxis().Direction()).Crossed(gp_Vec(circle->Circ().YAxis().Direction()));
        out.push_back(p);
        return true;
    }
    std::vector<Handle(Geom_BezierCurve)> arcs;
    const bool conic = curve->IsKind(STANDARD_TYPE(Geom_Conic));
    if (!beziers(r.curve, r.first, r.last, arcs)) {
        why = std::string("is a ") + curve->DynamicType()->Name() + " that Open CASCADE cannot convert";
        return false;
    }
    if (conic && conic_pieces(arcs, out))
        return true;
    out.clear();
    recognised = true;
    const std::vector<gp_Pnt> points = sample_curve(r.curve, r.first, r.last, SAMPLES);
    if (is_line(points, r.tolerance)) {
        out.push_back(p);
        return true;
    }
    if (is_circle(points, r.tolerance, p)) {
        out.push_back(p);
        return true;
    }
    if (conic_pieces(arcs, out))
        return true;
    out.clear();
    if (is_intersection(r, points, out))
        return true;
    out.clear();
    recognised = false;
    if (spline_piece(r, arcs, p)) {
        out.push_back(p);
        return true;
    }
    why = std::string("is a ") + curve->DynamicType()->Name() +
          " that no chain of cubic curves follows within the tolerance";
    return false;
}

} // namespace abut_occt
