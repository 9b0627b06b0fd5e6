// SPDX-License-Identifier: MIT
// The topology of a solid: faces, loops of co-edges, edges, vertices.
//
// Open CASCADE cuts closed surfaces open along seams, which a face runs through twice, once each
// way, and closes poles by degenerate edges. Neither bounds material, so both are left out, and what
// is left of each wire is linked again, end vertex to start vertex. A cylinder's side is then a face
// with two loops, a whole torus one without any. Vertices only on seams disappear with them.
//
// Vertices are moved onto the surfaces of their faces when they are off them, within the tolerance
// that the file gives them. At the end every edge and vertex is measured against its surfaces, so
// that the tolerance given out is one that the data keep.
#include "io/occt/part.hpp"

#include <BRepBndLib.hxx>
#include <BRepGProp.hxx>
#include <BRepTools.hxx>
#include <BRepTools_WireExplorer.hxx>
#include <BRep_Tool.hxx>
#include <Bnd_Box.hxx>
#include <GProp_GProps.hxx>
#include <TopExp.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_IndexedMapOfShape.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Edge.hxx>
#include <TopoDS_Iterator.hxx>
#include <TopoDS_Vertex.hxx>
#include <TopoDS_Wire.hxx>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace abut_occt {

namespace {

struct use {
    int edge; // in the map of edges, from 1
    bool forward;
};

struct face_work {
    TopoDS_Face face;
    int surface = -1;
    std::vector<std::vector<use>> wires;
};

struct edge_work {
    int uses = 0, seam_face = -1;
    bool left_out = false;
    std::vector<int> faces;
    std::vector<int> pieces; // in the part's edges
    int first_vertex = 0, last_vertex = 0;
};

struct builder {
    part_store &out;
    double base; // least tolerance
    double cap;  // largest tolerance of an entity that is believed
    double size = 0;
    TopTools_IndexedMapOfShape edge_map, vertex_map;
    std::vector<face_work> faces;
    std::vector<edge_work> edges;
    std::vector<gp_Pnt> vertices;
    std::vector<double> vertex_reach;
    std::vector<int> vertex_number; // in the part, or -1
    std::vector<std::vector<int>> vertex_surfaces;

    double entity_tolerance(double stated) const
    {
        return std::max(base, std::min(stated, cap));
    }
    const occt_surface *surface_of(int face) const
    {
        const int s = faces[static_cast<size_t>(face)].surface;
        return s < 0 ? nullptr : &out.surfaces[static_cast<size_t>(s)];
    }
};

std::string describe(const char *what, int number)
{
    return std::string(what) + " " + std::to_string(number);
}

std::string length(double value)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

// ---- faces and wires ----

void collect_wires(builder &b, face_work &work)
{
    // Forward first; a reversed face turns all its wires round afterwards.
    const TopoDS_Face forward = TopoDS::Face(work.face.Oriented(TopAbs_FORWARD));
    for (TopExp_Explorer wires(forward, TopAbs_WIRE); wires.More(); wires.Next()) {
        const TopoDS_Wire wire = TopoDS::Wire(wires.Current());
        std::vector<use> order, plain;
        const auto add = [&](std::vector<use> &list, const TopoDS_Edge &edge) {
            if (edge.Orientation() == TopAbs_FORWARD || edge.Orientation() == TopAbs_REVERSED)
                list.push_back({ b.edge_map.Add(edge), edge.Orientation() == TopAbs_FORWARD });
        };
        for (BRepTools_WireExplorer e(wire, forward); e.More(); e.Next())
            add(order, e.Current());
        for (TopExp_Explorer e(wire, TopAbs_EDGE); e.More(); e.Next())
            add(plain, TopoDS::Edge(e.Current()));
        std::vector<use> &chosen = order.size() == plain.size() ? order : plain;
        if (work.face.Orientation() == TopAbs_REVERSED) {
            std::reverse(chosen.begin(), chosen.end());
            for (use &u : chosen)
                u.forward = !u.forward;
        }
        work.wires.push_back(chosen);
    }
}

void collect_faces(builder &b, const TopoDS_Shape &solid,
                   const std::function<std::string(const TopoDS_Shape &)> &label)
{
    struct known {
        Handle(Geom_Surface) surface;
        TopLoc_Location location;
        int index;
    };
    std::vector<known> seen;
    int number = 0;
    for (TopExp_Explorer e(solid, TopAbs_FACE); e.More(); e.Next(), ++number) {
        face_work work;
        work.face = TopoDS::Face(e.Current());
        collect_wires(b, work);
        TopLoc_Location location;
        const Handle(Geom_Surface) own = BRep_Tool::Surface(work.face, location);
        occt_surface surface{};
        bool recognised = false;
        std::string why;
        b.out.labels.push_back(label(work.face));
        const bool ok = convert_surface(work.face, b.entity_tolerance(BRep_Tool::Tolerance(work.face)),
                                        surface, recognised, why);
        if (!ok) {
            const std::string &own_label = b.out.labels.back();
            b.out.fail(number, describe("face", number) + (own_label.empty() ? "" : " (" + own_label + ")") +
                                   " " + why);
        } else {
            // A cone's nappe belongs to the face, so two faces share a surface only when it agrees.
            for (const known &k : seen) {
                const occt_surface &before = b.out.surfaces[static_cast<size_t>(k.index)];
                if (k.surface == own && k.location == location && before.kind == surface.kind &&
                    std::equal(before.axis, before.axis + 3, surface.axis) && !recognised)
                    work.surface = k.index;
            }
            if (work.surface < 0) {
                work.surface = static_cast<int>(b.out.surfaces.size());
                b.out.surfaces.push_back(surface);
                seen.push_back({ own, location, work.surface });
            }
            b.out.view.recognised_faces += recognised;
        }
        b.faces.push_back(work);
    }
}

// Which edges are seams or poles; which faces and vertices the others have.
void collect_edges(builder &b)
{
    b.edges.resize(static_cast<size_t>(b.edge_map.Extent()) + 1);
    for (size_t f = 0; f < b.faces.size(); ++f) {
        std::map<int, int> times;
        for (const auto &wire : b.faces[f].wires) {
            for (const use &u : wire) {
                edge_work &edge = b.edges[static_cast<size_t>(u.edge)];
                edge.faces.push_back(static_cast<int>(f));
                ++edge.uses;
                if (++times[u.edge] == 2)
                    edge.seam_face = static_cast<int>(f);
            }
        }
    }
    for (int i = 1; i <= b.edge_map.Extent(); ++i) {
        edge_work &edge = b.edges[static_cast<size_t>(i)];
        const TopoDS_Edge shape = TopoDS::Edge(b.edge_map(i).Oriented(TopAbs_FORWARD));
        const bool seam = edge.uses == 2 && edge.seam_face >= 0;
        b.out.view.seams += seam;
        const TopoDS_Vertex first = TopExp::FirstVertex(shape), last = TopExp::LastVertex(shape);
        if (!first.IsNull())
            edge.first_vertex = b.vertex_map.Add(first);
        if (!last.IsNull())
            edge.last_vertex = b.vertex_map.Add(last);
        edge.left_out = seam || BRep_Tool::Degenerated(shape);
    }
}

// ---- vertices ----

void place_vertices(builder &b)
{
    const size_t count = static_cast<size_t>(b.vertex_map.Extent()) + 1;
    b.vertices.resize(count);
    b.vertex_reach.assign(count, b.base);
    b.vertex_number.assign(count, -1);
    b.vertex_surfaces.resize(count);
    for (size_t v = 1; v < count; ++v) {
        const TopoDS_Vertex shape = TopoDS::Vertex(b.vertex_map(static_cast<int>(v)));
        b.vertices[v] = BRep_Tool::Pnt(shape);
        b.vertex_reach[v] = 2 * b.entity_tolerance(BRep_Tool::Tolerance(shape));
    }
    std::vector<bool> moved(count, false);
    for (int i = 1; i <= b.edge_map.Extent(); ++i) {
        const edge_work &edge = b.edges[static_cast<size_t>(i)];
        if (edge.left_out)
            continue;
        const TopoDS_Edge shape = TopoDS::Edge(b.edge_map(i).Oriented(TopAbs_FORWARD));
        double first = 0, last = 0;
        const Handle(Geom_Curve) curve = BRep_Tool::Curve(shape, first, last);
        b.vertex_reach[static_cast<size_t>(edge.first_vertex)] =
            std::max(b.vertex_reach[static_cast<size_t>(edge.first_vertex)],
                     2 * b.entity_tolerance(BRep_Tool::Tolerance(shape)));
        b.vertex_reach[static_cast<size_t>(edge.last_vertex)] =
            std::max(b.vertex_reach[static_cast<size_t>(edge.last_vertex)],
                     2 * b.entity_tolerance(BRep_Tool::Tolerance(shape)));
        for (const int end : { edge.first_vertex, edge.last_vertex }) {
            if (end == 0)
                continue;
            const size_t v = static_cast<size_t>(end);
            for (const int face : edge.faces) {
                const int s = b.faces[static_cast<size_t>(face)].surface;
                std::vector<int> &list = b.vertex_surfaces[v];
                if (s >= 0 && std::find(list.begin(), list.end(), s) == list.end())
                    list.push_back(s);
            }
            // Files exist whose vertex is far from its closed edge; the edge is right.
            if (curve.IsNull() || edge.first_vertex != edge.last_vertex || moved[v])
                continue;
            const gp_Pnt start = curve->Value(first);
            if (start.Distance(b.vertices[v]) > b.cap) {
                b.vertices[v] = start;
                moved[v] = true;
            }
        }
    }
    for (size_t v = 1; v < count; ++v) {
        std::vector<const occt_surface *> list;
        double off = 0;
        for (const int s : b.vertex_surfaces[v]) {
            list.push_back(&b.out.surfaces[static_cast<size_t>(s)]);
            off = std::max(off, std::fabs(distance(*list.back(), b.vertices[v])));
        }
        if (off > 1e-3 * b.base)
            project(list, b.vertices[v], b.vertex_reach[v]);
    }
}

int vertex_index(builder &b, int v)
{
    int &number = b.vertex_number[static_cast<size_t>(v)];
    if (number < 0) {
        number = static_cast<int>(b.out.vertices.size() / 3);
        const gp_Pnt &p = b.vertices[static_cast<size_t>(v)];
        b.out.vertices.insert(b.out.vertices.end(), { p.X(), p.Y(), p.Z() });
    }
    return number;
}

// ---- edges ----

void put(double out[3], const gp_XYZ &value)
{
    out[0] = value.X();
    out[1] = value.Y();
    out[2] = value.Z();
}

// Farthest distance of samples of the piece from the two surfaces.
double measure(const piece &p, const gp_Pnt &from, const gp_Pnt &to, bool closed,
               const occt_surface *const surfaces[2])
{
    enum { SAMPLES = 16 };
    if (p.kind == OCCT_INTERSECTION)
        return 0;
    std::vector<gp_Pnt> points;
    double far = 0;
    if (p.kind == OCCT_CIRCLE) {
        const gp_Vec a(p.point, from), e(p.point, to);
        const gp_Vec side = p.axis.Crossed(a);
        double angle = closed ? 0
                              : std::atan2(e.Dot(side) / std::max(a.Magnitude(), 1e-300),
                                           e.Dot(a) / std::max(a.Magnitude(), 1e-300));
        if (angle <= 0)
            angle += 2 * M_PI;
        for (int i = 0; i <= SAMPLES; ++i) {
            const double t = angle * i / SAMPLES;
            points.push_back(p.point.Translated(a * std::cos(t) + side * std::sin(t)));
        }
        far = std::max(
            { std::fabs(a.Dot(p.axis)), std::fabs(e.Dot(p.axis)), std::fabs(a.Magnitude() - e.Magnitude()) });
    } else if (p.kind == OCCT_LINE) {
        for (int i = 0; i <= SAMPLES; ++i)
            points.push_back(from.Translated(gp_Vec(from, to) * (static_cast<double>(i) / SAMPLES)));
    } else if (p.kind == OCCT_CONIC) {
        for (int i = 0; i <= SAMPLES; ++i) {
            const double t = static_cast<double>(i) / SAMPLES, s = 1 - t;
            const double w = s * s + 2 * s * t * p.weight + t * t;
            points.push_back(gp_Pnt(
                (from.XYZ() * (s * s) + p.point.XYZ() * (2 * s * t * p.weight) + to.XYZ() * (t * t)) / w));
        }
    } else {
        for (size_t k = 0; k + 3 < p.points.size(); k += 3) {
            for (int i = 0; i <= SAMPLES; ++i) {
                const double t = static_cast<double>(i) / SAMPLES, s = 1 - t;
                points.push_back(
                    gp_Pnt(p.points[k].XYZ() * (s * s * s) + p.points[k + 1].XYZ() * (3 * s * s * t) +
                           p.points[k + 2].XYZ() * (3 * s * t * t) + p.points[k + 3].XYZ() * (t * t * t)));
            }
        }
    }
    for (const gp_Pnt &at : points)
        for (int k = 0; k < 2; ++k)
            if (surfaces[k])
                far = std::max(far, std::fabs(distance(*surfaces[k], at)));
    return far;
}

void add_piece(builder &b, edge_work &edge, piece p, int from, int to, const occt_surface *const surfaces[2])
{
    const auto at = [&](int v) {
        const double *x = &b.out.vertices[3 * static_cast<size_t>(v)];
        return gp_Pnt(x[0], x[1], x[2]);
    };
    occt_edge e{};
    e.kind = p.kind;
    e.from = from;
    e.to = to;
    put(e.point, p.point.XYZ());
    if (p.axis.Magnitude() > 0)
        put(e.axis, p.axis.Normalized().XYZ());
    e.weight = p.weight;
    std::vector<double> points;
    if (p.kind == OCCT_SPLINE) {
        p.points.front() = at(from);
        p.points.back() = at(to);
        for (const gp_Pnt &q : p.points)
            points.insert(points.end(), { q.X(), q.Y(), q.Z() });
    }
    if (p.kind == OCCT_INTERSECTION)
        for (int k = 0; k < 2; ++k)
            e.surfaces[k] = b.faces[static_cast<size_t>(edge.faces[static_cast<size_t>(k)])].surface;
    e.point_count = points.size() / 3;
    b.out.view.measured = std::max(b.out.view.measured, measure(p, at(from), at(to), from == to, surfaces));
    edge.pieces.push_back(static_cast<int>(b.out.edges.size()));
    b.out.edges.push_back(e);
    b.out.spline_points.push_back(points);
}

void convert_edges(builder &b)
{
    for (int i = 1; i <= b.edge_map.Extent(); ++i) {
        edge_work &edge = b.edges[static_cast<size_t>(i)];
        if (edge.left_out)
            continue;
        const TopoDS_Edge shape = TopoDS::Edge(b.edge_map(i).Oriented(TopAbs_FORWARD));
        const int face = edge.faces[0];
        if (edge.uses != 2) {
            b.out.fail(face, "an edge of " + describe("face", face) + " bounds " + std::to_string(edge.uses) +
                                 (edge.uses == 1 ? " face" : " faces") +
                                 "; a closed solid has 2 at each edge");
            continue;
        }
        curve_request request{};
        request.curve = BRep_Tool::Curve(shape, request.first, request.last);
        const std::string name =
            "the edge between " + describe("face", face) + " and " + describe("face", edge.faces[1]);
        if (request.curve.IsNull() || edge.first_vertex == 0 || edge.last_vertex == 0) {
            b.out.fail(face, name + " has no curve in space");
            continue;
        }
        request.tolerance = b.entity_tolerance(BRep_Tool::Tolerance(shape));
        for (int k = 0; k < 2; ++k)
            request.surfaces[k] = b.surface_of(edge.faces[static_cast<size_t>(k)]);
        request.same_surface = b.faces[static_cast<size_t>(edge.faces[0])].surface ==
                               b.faces[static_cast<size_t>(edge.faces[1])].surface;
        std::vector<piece> pieces;
        bool recognised = false;
        std::string why;
        if (!convert_curve(request, pieces, recognised, why)) {
            b.out.fail(face, name + " " + why);
            continue;
        }
        b.out.view.recognised_edges += recognised;
        // Inner ends of the pieces are vertices of their own, on both surfaces.
        int from = vertex_index(b, edge.first_vertex);
        for (size_t k = 0; k < pieces.size(); ++k) {
            int to;
            if (k + 1 == pieces.size())
                to = vertex_index(b, edge.last_vertex);
            else {
                to = static_cast<int>(b.out.vertices.size() / 3);
                const gp_Pnt &end = pieces[k].end;
                b.out.vertices.insert(b.out.vertices.end(), { end.X(), end.Y(), end.Z() });
            }
            add_piece(b, edge, pieces[k], from, to, request.surfaces);
            from = to;
        }
    }
}

// ---- loops ----

void link_wire(const builder &b, const std::vector<use> &wire, std::vector<std::vector<occt_coedge>> &loops)
{
    std::vector<use> left;
    for (const use &u : wire)
        if (!b.edges[static_cast<size_t>(u.edge)].left_out)
            left.push_back(u);
    const auto start = [&](const use &u) {
        const edge_work &e = b.edges[static_cast<size_t>(u.edge)];
        return u.forward ? e.first_vertex : e.last_vertex;
    };
    const auto end = [&](const use &u) {
        const edge_work &e = b.edges[static_cast<size_t>(u.edge)];
        return u.forward ? e.last_vertex : e.first_vertex;
    };
    std::vector<bool> taken(left.size(), false);
    for (size_t first = 0; first < left.size(); ++first) {
        if (taken[first])
            continue;
        std::vector<occt_coedge> loop;
        size_t at = first;
        for (;;) {
            taken[at] = true;
            const edge_work &e = b.edges[static_cast<size_t>(left[at].edge)];
            const size_t pieces = e.pieces.size();
            for (size_t k = 0; k < pieces; ++k)
                loop.push_back(
                    { e.pieces[left[at].forward ? k : pieces - 1 - k], left[at].forward ? 1 : -1 });
            // The next of the wire where it fits, then the loop's own start, then any that fits.
            const int vertex = end(left[at]);
            size_t next = left.size();
            const size_t follower = (at + 1) % left.size();
            if (!taken[follower] && start(left[follower]) == vertex)
                next = follower;
            else if (vertex != start(left[first])) {
                for (size_t k = 0; k < left.size() && next == left.size(); ++k)
                    if (!taken[k] && start(left[k]) == vertex)
                        next = k;
            }
            if (next == left.size())
                break;
            at = next;
        }
        loops.push_back(loop);
    }
}

// 1 where the surface's own normal leaves the material.
int outward_of(const builder &b, const face_work &work)
{
    const occt_surface &s = b.out.surfaces[static_cast<size_t>(work.surface)];
    const Handle(Geom_Surface) surface = BRep_Tool::Surface(work.face);
    double u0 = 0, u1 = 0, v0 = 0, v1 = 0;
    BRepTools::UVBounds(work.face, u0, u1, v0, v1);
    double best = 0, sign = 1;
    // The place where the two normals agree or disagree most clearly.
    for (int i = 1; i < 8; ++i) {
        for (int j = 1; j < 8; ++j) {
            gp_Pnt p;
            gp_Vec du, dv;
            surface->D1(u0 + (u1 - u0) * i / 8, v0 + (v1 - v0) * j / 8, p, du, dv);
            gp_Vec n = du.Crossed(dv);
            if (!(n.Magnitude() > 0))
                continue;
            n.Normalize();
            const double agreement = n.Dot(normal(s, p));
            if (std::fabs(agreement) > best) {
                best = std::fabs(agreement);
                sign = agreement;
            }
        }
    }
    if (work.face.Orientation() == TopAbs_REVERSED)
        sign = -sign;
    return sign > 0 ? 1 : -1;
}

void finish_faces(builder &b, bool turned)
{
    for (const face_work &work : b.faces) {
        occt_face face{};
        face.surface = work.surface;
        face.outward = work.surface < 0 ? 1 : outward_of(b, work);
        std::vector<std::vector<occt_coedge>> loops;
        for (const auto &wire : work.wires)
            link_wire(b, wire, loops);
        if (turned) {
            face.outward = -face.outward;
            for (auto &loop : loops) {
                std::reverse(loop.begin(), loop.end());
                for (occt_coedge &c : loop)
                    c.sense = -c.sense;
            }
        }
        b.out.faces.push_back(face);
        b.out.coedges.push_back(loops);
    }
}

void measure_vertices(builder &b)
{
    for (size_t v = 1; v < b.vertices.size(); ++v)
        if (b.vertex_number[v] >= 0)
            for (const int s : b.vertex_surfaces[v])
                b.out.view.measured =
                    std::max(b.out.view.measured,
                             std::fabs(distance(b.out.surfaces[static_cast<size_t>(s)], b.vertices[v])));
}

// Pointers, once nothing grows any more.
void make_view(part_store &p)
{
    p.loops.resize(p.coedges.size());
    for (size_t f = 0; f < p.coedges.size(); ++f) {
        for (const auto &loop : p.coedges[f])
            if (!loop.empty())
                p.loops[f].push_back({ loop.size(), loop.data() });
        p.faces[f].loops = p.loops[f].data();
        p.faces[f].loop_count = p.loops[f].size();
        p.faces[f].label = p.labels[f].c_str();
    }
    for (size_t e = 0; e < p.edges.size(); ++e)
        p.edges[e].points = p.spline_points[e].data();
    for (size_t i = 0; i < p.texts.size(); ++i)
        p.issues.push_back({ p.issue_faces[i], p.texts[i].c_str() });
    p.view.name = p.name.c_str();
    p.view.surfaces = p.surfaces.data();
    p.view.surface_count = p.surfaces.size();
    p.view.vertices = p.vertices.data();
    p.view.vertex_count = p.vertices.size() / 3;
    p.view.edges = p.edges.data();
    p.view.edge_count = p.edges.size();
    p.view.faces = p.faces.data();
    p.view.face_count = p.faces.size();
    p.view.issues = p.issues.data();
    p.view.issue_count = p.issues.size();
}

} // namespace

void build_part(const TopoDS_Shape &solid, double stated,
                const std::function<std::string(const TopoDS_Shape &)> &label, part_store &out)
{
    Bnd_Box box;
    BRepBndLib::Add(solid, box, Standard_False);
    const double size = box.IsVoid() ? 0 : std::sqrt(box.SquareExtent());
    const double base = std::max(stated, 1e-7 * size);
    builder b{ out, base, std::max(base, 1e-4 * size), size, {}, {}, {}, {}, {}, {}, {}, {} };
    out.view.size = size;
    for (TopExp_Explorer e(solid, TopAbs_SHELL); e.More(); e.Next())
        ++out.view.shell_count;
    collect_faces(b, solid, label);
    collect_edges(b);
    place_vertices(b);
    convert_edges(b);
    GProp_GProps properties;
    BRepGProp::VolumeProperties(solid, properties);
    finish_faces(b, properties.Mass() < 0);
    measure_vertices(b);
    // Half as much again as was measured: samples miss the extremes.
    out.view.tolerance = std::max(base, 1.5 * out.view.measured);
    if (out.view.measured > 1e-3 * size)
        out.fail(-1, "an edge or vertex is " + length(out.view.measured) +
                         " off its surface, more than 1e-3 of the size");
    make_view(out);
}

} // namespace abut_occt
