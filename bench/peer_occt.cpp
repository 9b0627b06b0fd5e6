// SPDX-License-Identifier: MIT
// Open CASCADE on pairs of CAD solids: its exact distance, the section of the two boundaries, and the
// common volume. The shapes are built once; a pose is a location.
#include "cad_case.h"

#include <BRepAdaptor_Curve.hxx>
#include <BRepAlgoAPI_Common.hxx>
#include <BRepAlgoAPI_Cut.hxx>
#include <BRepAlgoAPI_Fuse.hxx>
#include <BRepAlgoAPI_Section.hxx>
#include <BRepExtrema_DistShapeShape.hxx>
#include <BRepFilletAPI_MakeFillet.hxx>
#include <BRepGProp.hxx>
#include <BRepPrimAPI_MakeBox.hxx>
#include <BRepPrimAPI_MakeCone.hxx>
#include <BRepPrimAPI_MakeCylinder.hxx>
#include <BRepPrimAPI_MakeSphere.hxx>
#include <BRepPrimAPI_MakeTorus.hxx>
#include <GProp_GProps.hxx>
#include <ShapeUpgrade_UnifySameDomain.hxx>
#include <Standard_Failure.hxx>
#include <TopExp_Explorer.hxx>
#include <TopLoc_Location.hxx>
#include <TopoDS.hxx>
#include <TopoDS_Shape.hxx>
#include <gp_Quaternion.hxx>
#include <gp_Trsf.hxx>

#include <cmath>

namespace {

struct state_occt {
    const bench_cad *cad;
    TopoDS_Shape a, b;
    bench_cad_answers answers;
};

TopoDS_Shape cylinder(double x, double y, double z, double radius, double height)
{
    return BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, y, z), gp::DZ()), radius, height).Shape();
}

TopoDS_Shape build(bench_cad_kind kind)
{
    switch (kind) {
    case BENCH_CAD_BOLT: {
        ShapeUpgrade_UnifySameDomain unify(
            BRepAlgoAPI_Fuse(cylinder(0, 0, -6, 0.95, 6), cylinder(0, 0, 0, 1.6, 1)).Shape());
        unify.Build();
        return unify.Shape();
    }
    case BENCH_CAD_PLATE:
    case BENCH_CAD_PLATE_4: {
        TopoDS_Shape plate = BRepPrimAPI_MakeBox(gp_Pnt(-5, -5, 0), gp_Pnt(5, 5, 2)).Shape();
        if (kind == BENCH_CAD_PLATE)
            return BRepAlgoAPI_Cut(plate, cylinder(0, 0, -1, 1, 4)).Shape();
        for (const double x : { -2.5, 2.5 })
            for (const double y : { -2.5, 2.5 })
                plate = BRepAlgoAPI_Cut(plate, cylinder(x, y, -1, 1, 4)).Shape();
        return plate;
    }
    case BENCH_CAD_CONE: return BRepPrimAPI_MakeCone(gp_Ax2(gp_Pnt(0, 0, -1), gp::DZ()), 1, 0, 2).Shape();
    case BENCH_CAD_SPHERE: return BRepPrimAPI_MakeSphere(1).Shape();
    case BENCH_CAD_ROUNDED: {
        const TopoDS_Shape plain = cylinder(0, 0, -1, 1, 2);
        BRepFilletAPI_MakeFillet round(plain);
        for (TopExp_Explorer e(plain, TopAbs_EDGE); e.More(); e.Next())
            if (BRepAdaptor_Curve(TopoDS::Edge(e.Current())).GetType() == GeomAbs_Circle)
                round.Add(0.2, TopoDS::Edge(e.Current()));
        return round.Shape();
    }
    case BENCH_CAD_TORUS: return BRepPrimAPI_MakeTorus(1.5, 0.4).Shape();
    }
    return TopoDS_Shape();
}

TopoDS_Shape placed(const TopoDS_Shape &shape, const bench_cad_pose &pose)
{
    gp_Trsf move;
    move.SetRotation(
        gp_Quaternion(pose.quaternion[1], pose.quaternion[2], pose.quaternion[3], pose.quaternion[0]));
    move.SetTranslationPart(gp_Vec(pose.position[0], pose.position[1], pose.position[2]));
    return shape.Moved(TopLoc_Location(move));
}

// Whether it answered.
bool answer(state_occt *s, int i, int variant)
{
    const TopoDS_Shape a = placed(s->a, s->cad->pose_a[i]);
    if (variant == 0) {
        BRepExtrema_DistShapeShape extrema(a, s->b);
        if (!extrema.IsDone())
            return false;
        s->answers.distance_lo[i] = s->answers.distance_hi[i] = extrema.Value();
        s->answers.meet[i] = extrema.InnerSolution() || extrema.Value() <= 1e-7;
        return true;
    }
    if (variant == 1) {
        BRepAlgoAPI_Section section(a, s->b);
        if (!section.IsDone())
            return false;
        s->answers.meet[i] = TopExp_Explorer(section.Shape(), TopAbs_EDGE).More();
        return true;
    }
    BRepAlgoAPI_Common common(a, s->b);
    if (!common.IsDone())
        return false;
    GProp_GProps properties;
    BRepGProp::VolumeProperties(common.Shape(), properties);
    s->answers.meet[i] = std::fabs(properties.Mass()) > 1e-12;
    return true;
}

} // namespace

extern "C" void *bench_occt_prepare(void *data, int variant)
{
    (void)variant;
    try {
        auto *s = new state_occt{};
        s->cad = static_cast<const bench_cad *>(data);
        s->a = build(s->cad->a);
        s->b = build(s->cad->b);
        return s;
    } catch (const Standard_Failure &) {
        return nullptr;
    }
}

extern "C" double bench_occt_run(void *state, int variant)
{
    auto *s = static_cast<state_occt *>(state);
    double sum = 0;
    for (int i = 0; i < s->cad->count; ++i) {
        try {
            s->answers.decided[i] = answer(s, i, variant);
        } catch (const Standard_Failure &) {
            s->answers.decided[i] = false;
        }
        sum += s->answers.meet[i] + s->answers.distance_lo[i];
    }
    return sum;
}

extern "C" uint64_t bench_occt_wrong(void *state, int variant)
{
    (void)variant;
    const auto *s = static_cast<const state_occt *>(state);
    return bench_cad_wrong(s->cad, &s->answers);
}

extern "C" void bench_occt_finish(void *state, int variant)
{
    (void)variant;
    delete static_cast<state_occt *>(state);
}
