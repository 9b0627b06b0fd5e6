// SPDX-License-Identifier: MIT
// What the files of the Open CASCADE module share: surfaces and curves as abut knows them, with the
// distances and normals that recognition and checking need. Plain doubles throughout: what is read is
// checked again, with proofs, when the solid is created.
#ifndef ABUT_IO_OCCT_MODEL_HPP
#define ABUT_IO_OCCT_MODEL_HPP

#include "io/occt/occt.h"

#include <Geom_Curve.hxx>
#include <Geom_Surface.hxx>
#include <TopoDS_Face.hxx>
#include <gp_Pnt.hxx>
#include <gp_Vec.hxx>

#include <string>
#include <vector>

namespace abut_occt {

// ---- surfaces (surface.cpp) ----

// Signed distance, positive where the surface's own normal points; of first order for a quadric.
double distance(const occt_surface &surface, const gp_Pnt &at);
// The surface's own unit normal at a point near it; zero where it has none (an apex, a centre).
gp_Vec normal(const occt_surface &surface, const gp_Pnt &at);
// The point of all these surfaces nearest to `at`, by Gauss-Newton steps; false when they do not meet
// within `reach` of it.
bool project(const std::vector<const occt_surface *> &surfaces, gp_Pnt &at, double reach);

// The face's surface as one of ours, within `tolerance`; false with the reason when it is none.
// `recognised` is set when the file's surface was a spline or a sweep.
bool convert_surface(const TopoDS_Face &face, double tolerance, occt_surface &out, bool &recognised,
                     std::string &why);

// Fits, used by curves too. Each is within `tolerance` of all the points, or false.
bool fit_plane(const std::vector<gp_Pnt> &points, double tolerance, occt_surface &out);
bool fit_circle(const std::vector<gp_Pnt> &points, double tolerance, gp_Pnt &centre, gp_Vec &axis,
                double &radius);
// Right singular vector of the smallest singular value of a matrix of `columns` columns, row by row.
std::vector<double> null_vector(std::vector<double> matrix, size_t columns);

// ---- edges (curve.cpp) ----

// One curve piece of an edge; an edge of the file becomes one or, for conics of more than half a
// turn, several of them.
struct piece {
    occt_edge_kind kind = OCCT_LINE;
    gp_Pnt start, end;
    gp_Pnt point;
    gp_Vec axis;
    double weight = 0;
    std::vector<gp_Pnt> points;
};

struct curve_request {
    Handle(Geom_Curve) curve;
    double first, last;
    double tolerance;
    // of the faces on its two sides; NULL where not supported
    const occt_surface *surfaces[2];
    bool same_surface;
};

// The pieces of an edge from `first` to `last`; false with the reason.
bool convert_curve(const curve_request &request, std::vector<piece> &out, bool &recognised, std::string &why);
std::vector<gp_Pnt> sample_curve(const Handle(Geom_Curve) & curve, double first, double last, int count);

// ---- parts (part.cpp) ----

struct part_store {
    std::string name;
    std::vector<occt_surface> surfaces;
    std::vector<double> vertices;
    std::vector<occt_edge> edges;
    std::vector<std::vector<double>> spline_points;
    std::vector<occt_face> faces;
    std::vector<std::string> labels;
    std::vector<std::vector<occt_loop>> loops;
    std::vector<std::vector<std::vector<occt_coedge>>> coedges;
    std::vector<occt_issue> issues;
    std::vector<std::string> texts;
    std::vector<int32_t> issue_faces;
    occt_part view{};

    void fail(int face, const std::string &text)
    {
        texts.push_back(text);
        issue_faces.push_back(face);
    }
};

} // namespace abut_occt

#endif
