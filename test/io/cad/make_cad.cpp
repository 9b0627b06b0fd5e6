// SPDX-License-Identifier: MIT
// Writes the STEP and BREP files that test_solid_file.c reads, with Open CASCADE:
//     make_cad FOLDER
// Each file has a shape whose faces, edges and volume are known without computing them.
#include <BRepAdaptor_Curve.hxx>
#include <BRepAlgoAPI_Cut.hxx>
#include <BRepAlgoAPI_Fuse.hxx>
#include <BRepBuilderAPI_MakeEdge.hxx>
#include <BRepBuilderAPI_MakeFace.hxx>
#include <BRepBuilderAPI_MakeWire.hxx>
#include <BRepBuilderAPI_NurbsConvert.hxx>
#include <BRepBuilderAPI_Transform.hxx>
#include <BRepFilletAPI_MakeFillet.hxx>
#include <BRepOffsetAPI_ThruSections.hxx>
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCone.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepPrimAPI_MakePrism.hxx>
#include <BRepPrimAPI_MakeRevol.hxx>
#include <BRepPrimAPI_MakeSphere.hxx>
#include <BRepPrimAPI_MakeTorus.hxx>
#include <BRepTools.hxx>
#include <BRep_Builder.hxx>
#include <Interface_Static.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <STEPControl_Writer.hxx>
#include <TopExp_Explorer.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Compound.hxx>
#include <gp_Elips.hxx>

#include <cstdio>
#include <string>

namespace {

std::string folder;
bool failed = false;

void brep(const std::string &name, const TopoDS_Shape &shape)
{
    if (!BRepTools::Write(shape, (folder + "/" + name + ".brep").c_str()))
        failed = true;
}

void step(const std::string &name, const TopoDS_Shape &shape, const char *unit = "MM")
{
    Interface_Static::SetCVal("write.step.unit", unit);
    STEPControl_Writer writer;
    if (writer.Transfer(shape, STEPControl_AsIs) != IFSelect_RetDone ||
        writer.Write((folder + "/" + name + ".step").c_str()) != IFSelect_RetDone)
        failed = true;
}

TopoDS_Shape moved(const TopoDS_Shape &shape, double x, double y, double z)
{
    gp_Trsf move;
    move.SetTranslation(gp_Vec(x, y, z));
    return BRepBuilderAPI_Transform(shape, move, Standard_True).Shape();
}

TopoDS_Shape cylinder(double x, double y, double z, gp_Dir axis, double radius, double height)
{
    return BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, y, z), axis), radius, height).Shape();
}

TopoDS_Shape nurbs(const TopoDS_Shape &shape)
{
    return BRepBuilderAPI_NurbsConvert(shape, Standard_True).Shape();
}

TopoDS_Shape compound(const TopoDS_Shape &a, const TopoDS_Shape &b)
{
    TopoDS_Compound both;
    BRep_Builder builder;
    builder.MakeCompound(both);
    builder.Add(both, a);
    builder.Add(both, b);
    return both;
}

TopoDS_Wire circle_wire(double z, double radius)
{
    return BRepBuilderAPI_MakeWire(
        BRepBuilderAPI_MakeEdge(gp_Circ(gp_Ax2(gp_Pnt(0, 0, z), gp::DZ()), radius)).Edge());
}

TopoDS_Wire ellipse_wire(double major, double minor)
{
    return BRepBuilderAPI_MakeWire(
        BRepBuilderAPI_MakeEdge(gp_Elips(gp_Ax2(gp_Pnt(0, 0, 0), gp::DZ()), major, minor)).Edge());
}

} // namespace

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    folder = argv[1];
    Message::DefaultMessenger()->ChangePrinters().Clear();

    const TopoDS_Shape box = BRepPrimAPI_MakeBox(gp_Pnt(-1, -2, -3), gp_Pnt(1, 2, 3)).Shape();
    const TopoDS_Shape tube = cylinder(0, 0, -1, gp::DZ(), 2, 5);
    const TopoDS_Shape ball = BRepPrimAPI_MakeSphere(gp_Pnt(1, 2, 3), 2).Shape();
    const TopoDS_Shape ring = BRepPrimAPI_MakeTorus(gp_Ax2(gp_Pnt(0, 0, 1), gp::DX()), 3, 1).Shape();
    const TopoDS_Shape cone = BRepPrimAPI_MakeCone(gp_Ax2(gp_Pnt(0, 0, 0), gp::DZ()), 2, 0, 4).Shape();
    const TopoDS_Shape frustum = BRepPrimAPI_MakeCone(gp_Ax2(gp_Pnt(0, 0, 0), gp::DZ()), 1, 3, 4).Shape();
    step("box", box);
    step("cylinder", tube);
    step("cylinder_inch", tube, "INCH");
    step("sphere", ball);
    step("torus", ring);
    step("cone", cone);
    step("frustum", frustum);
    brep("box", box);

    // All faces and edges as rational splines.
    brep("nurbs_box", nurbs(box));
    brep("nurbs_cylinder", nurbs(tube));
    brep("nurbs_sphere", nurbs(ball));
    brep("nurbs_torus", nurbs(ring));
    brep("nurbs_frustum", nurbs(frustum));

    // A plate with four holes, and one with rounded vertical edges.
    TopoDS_Shape plate = BRepPrimAPI_MakeBox(gp_Pnt(-5, -5, 0), gp_Pnt(5, 5, 1)).Shape();
    BRepFilletAPI_MakeFillet round(plate);
    for (TopExp_Explorer e(plate, TopAbs_EDGE); e.More(); e.Next()) {
        const TopoDS_Edge edge = TopoDS::Edge(e.Current());
        BRepAdaptor_Curve curve(edge);
        if (std::fabs(curve.Line().Direction().Z()) > 0.9)
            round.Add(2, edge);
    }
    brep("rounded_plate", round.Shape());
    for (const double x : { -3.0, 3.0 })
        for (const double y : { -3.0, 3.0 })
            plate = BRepAlgoAPI_Cut(plate, cylinder(x, y, -1, gp::DZ(), 1, 3)).Shape();
    step("plate", plate);

    // Two cylinders of different radii that cross: the edges are curves of degree four, which are
    // written as splines. A slanted cut of a cylinder: an ellipse.
    brep("cross",
         BRepAlgoAPI_Fuse(cylinder(0, 0, -4, gp::DZ(), 2, 8), cylinder(-4, 0, 0, gp::DX(), 1, 8)).Shape());
    const gp_Ax2 slant(gp_Pnt(0, 0, 4), gp_Dir(1, 0, 2), gp_Dir(2, 0, -1));
    const gp_Vec back = gp_Vec(slant.XDirection()) * -10 + gp_Vec(slant.YDirection()) * -10;
    brep("slanted", BRepAlgoAPI_Cut(cylinder(0, 0, 0, gp::DZ(), 1, 8),
                                    BRepPrimAPI_MakeBox(slant.Translated(back), 20, 20, 20).Shape())
                        .Shape());
    // A ball with a bore: the seam of the ball runs through the hole's rim.
    brep("bead",
         BRepAlgoAPI_Cut(BRepPrimAPI_MakeSphere(2).Shape(), cylinder(0, 0, -3, gp::DZ(), 1, 6)).Shape());
    // A cavity: two shells.
    brep("hollow", BRepAlgoAPI_Cut(BRepPrimAPI_MakeBox(gp_Pnt(-3, -3, -3), gp_Pnt(3, 3, 3)).Shape(),
                                   BRepPrimAPI_MakeSphere(2).Shape())
                       .Shape());
    // An elliptic cylinder: an extruded ellipse, a quadric that is not natural.
    const TopoDS_Face oval = BRepBuilderAPI_MakeFace(ellipse_wire(3, 1));
    brep("oval", BRepPrimAPI_MakePrism(oval, gp_Vec(0, 0, 2)).Shape());
    // A dome whose arc is centred beyond the axis (the inner sheet of a torus that crosses its axis).
    const gp_Circ big(gp_Ax2(gp_Pnt(-3, 0, 0), gp_Dir(0, -1, 0)), 5);
    const gp_Pnt rim(2, 0, 0), top(0, 0, 4), foot(0, 0, 0);
    BRepBuilderAPI_MakeWire arch(BRepBuilderAPI_MakeEdge(foot, rim).Edge(),
                                 BRepBuilderAPI_MakeEdge(big, rim, top).Edge(),
                                 BRepBuilderAPI_MakeEdge(top, foot).Edge());
    brep("dome",
         BRepPrimAPI_MakeRevol(BRepBuilderAPI_MakeFace(arch.Wire()).Face(), gp_Ax1(gp::Origin(), gp::DZ()))
             .Shape());

    // What cannot be used.
    step("two", compound(box, moved(ball, 10, 0, 0)));
    brep("shell_only", TopExp_Explorer(box, TopAbs_SHELL).Current());
    BRepOffsetAPI_ThruSections loft(Standard_True);
    loft.AddWire(circle_wire(0, 2));
    loft.AddWire(circle_wire(1, 1));
    loft.AddWire(circle_wire(2, 3));
    loft.AddWire(circle_wire(5, 1));
    brep("loft", loft.Shape());
    return failed;
}
