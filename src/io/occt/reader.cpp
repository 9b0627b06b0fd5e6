// SPDX-License-Identifier: MIT
// Opens STEP and BREP files with Open CASCADE, and the module's one exported symbol.
//
// Lengths stay the file's numbers: Open CASCADE would convert them to millimetres, so its system
// unit is set to the file's own for the call. Its messages go to the terminal by default; they are
// switched off for the call. It throws, which stays in here.
#include "io/occt/part.hpp"
#include "io/occt/probe.hpp"

#include <BRepTools.hxx>
#include <BRep_Builder.hxx>
#include <Interface_EntityIterator.hxx>
#include <Interface_InterfaceModel.hxx>
#include <Message.hxx>
#include <Message_Messenger.hxx>
#include <Message_Printer.hxx>
#include <OSD_OpenFile.hxx>
#include <STEPConstruct_UnitContext.hxx>
#include <STEPControl_Reader.hxx>
#include <Standard_ErrorHandler.hxx>
#include <Standard_Failure.hxx>
#include <StepBasic_MeasureWithUnit.hxx>
#include <StepBasic_UncertaintyMeasureWithUnit.hxx>
#include <StepData_GlobalFactors.hxx>
#include <StepGeom_GeomRepContextAndGlobUnitAssCtxAndGlobUncertaintyAssCtx.hxx>
#include <StepGeom_GeometricRepresentationContextAndGlobalUnitAssignedContext.hxx>
#include <StepRepr_GlobalUncertaintyAssignedContext.hxx>
#include <StepRepr_GlobalUnitAssignedContext.hxx>
#include <TColStd_SequenceOfAsciiString.hxx>
#include <TopExp_Explorer.hxx>
#include <TopTools_MapOfShape.hxx>
#include <TransferBRep.hxx>
#include <UnitsMethods.hxx>
#include <XSControl_TransferReader.hxx>
#include <XSControl_WorkSession.hxx>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <new>

namespace abut_occt {

namespace {

struct file_store {
    occt_file view{};
    std::string unit;
    std::vector<std::unique_ptr<part_store>> parts;
    std::vector<occt_part> part_views;
};

// No messages while one lives: neither of its messenger nor of the BREP reader, which writes to
// std::cout itself. Both are global, so readings take turns.
class quiet {
  public:
    quiet() : turn(one), printers(Message::DefaultMessenger()->Printers()), console(std::cout.rdbuf(nullptr))
    {
        Message::DefaultMessenger()->ChangePrinters().Clear();
    }
    ~quiet()
    {
        Message::DefaultMessenger()->ChangePrinters() = printers;
        std::cout.rdbuf(console);
        std::cout.clear();
    }
    quiet(const quiet &) = delete;
    quiet &operator=(const quiet &) = delete;

  private:
    static std::mutex one;
    std::lock_guard<std::mutex> turn;
    Message_SequenceOfPrinters printers;
    std::streambuf *console;
};

std::mutex quiet::one;

// The unit that Open CASCADE converts lengths to is global, and so is the one that factors of a file's
// unit are given in: millimetres while this lives, and afterwards what it was before.
class millimetres {
  public:
    millimetres()
        : before(UnitsMethods::GetCasCadeLengthUnit()),
          factors(StepData_GlobalFactors::Intance().CascadeUnit())
    {
        UnitsMethods::SetCasCadeLengthUnit(1.0);
        StepData_GlobalFactors::Intance().SetCascadeUnit(1.0);
    }
    ~millimetres()
    {
        UnitsMethods::SetCasCadeLengthUnit(before);
        StepData_GlobalFactors::Intance().SetCascadeUnit(factors);
    }
    millimetres(const millimetres &) = delete;
    millimetres &operator=(const millimetres &) = delete;

  private:
    double before, factors;
};

struct contents {
    TopoDS_Shape shape;
    double stated = 0;
    std::string unit;
};

// Unit of length in millimetres, and the accuracy that the file states in that unit.
void step_context(const Handle(Interface_InterfaceModel) & model, double &unit, double &stated)
{
    unit = 0;
    stated = 0;
    for (int i = 1; i <= model->NbEntities(); ++i) {
        const Handle(Standard_Transient) entity = model->Value(i);
        Handle(StepRepr_GlobalUnitAssignedContext) units;
        Handle(StepRepr_GlobalUncertaintyAssignedContext) accuracy;
        const auto both =
            Handle(StepGeom_GeomRepContextAndGlobUnitAssCtxAndGlobUncertaintyAssCtx)::DownCast(entity);
        const auto plain =
            Handle(StepGeom_GeometricRepresentationContextAndGlobalUnitAssignedContext)::DownCast(entity);
        if (!both.IsNull()) {
            units = both->GlobalUnitAssignedContext();
            accuracy = both->GlobalUncertaintyAssignedContext();
        } else if (!plain.IsNull())
            units = plain->GlobalUnitAssignedContext();
        if (units.IsNull())
            continue;
        STEPConstruct_UnitContext context;
        if (unit == 0 && context.ComputeFactors(units) == 0 && context.LengthDone())
            unit = context.LengthFactor();
        if (accuracy.IsNull())
            continue;
        for (int k = 1; k <= accuracy->NbUncertainty(); ++k) {
            const Handle(StepBasic_UncertaintyMeasureWithUnit) measure = accuracy->UncertaintyValue(k);
            if (!measure.IsNull())
                stated = std::max(stated, measure->ValueComponent());
        }
    }
}

occt_status read_step(const char *path, STEPControl_Reader &reader, contents &out, std::string &message)
{
    if (reader.ReadFile(path) != IFSelect_RetDone || reader.Model().IsNull() ||
        reader.Model()->NbEntities() == 0) {
        message = "Open CASCADE cannot read it as a STEP file";
        return OCCT_SYNTAX;
    }
    double unit = 0;
    step_context(reader.Model(), unit, out.stated);
    TColStd_SequenceOfAsciiString lengths, angles, solid_angles;
    reader.FileUnits(lengths, angles, solid_angles);
    if (lengths.Length() > 0)
        out.unit = lengths.Value(1).ToCString();
    if (unit > 0)
        reader.SetSystemLengthUnit(unit);
    reader.TransferRoots();
    out.shape = reader.OneShape();
    if (out.shape.IsNull()) {
        message = "there is no shape in it";
        return OCCT_EMPTY;
    }
    return OCCT_OK;
}

occt_status read_brep(const char *path, contents &out, std::string &message)
{
    BRep_Builder builder;
    std::ifstream stream(path, std::ios::binary);
    BRepTools::Read(out.shape, stream, builder);
    if (out.shape.IsNull()) {
        message = "Open CASCADE cannot read it as a BREP file";
        return OCCT_SYNTAX;
    }
    return OCCT_OK;
}

void collect(const contents &in, const std::function<std::string(const TopoDS_Shape &)> &label,
             file_store &out)
{
    TopTools_MapOfShape owned;
    for (TopExp_Explorer e(in.shape, TopAbs_SOLID); e.More(); e.Next()) {
        out.parts.push_back(std::make_unique<part_store>());
        build_part(e.Current(), in.stated, label, *out.parts.back());
        for (TopExp_Explorer f(e.Current(), TopAbs_FACE); f.More(); f.Next())
            owned.Add(f.Current());
    }
    for (TopExp_Explorer f(in.shape, TopAbs_FACE); f.More(); f.Next())
        out.view.loose_faces += !owned.Contains(f.Current());
    for (const auto &part : out.parts)
        out.part_views.push_back(part->view);
    out.unit = in.unit;
    out.view.parts = out.part_views.data();
    out.view.part_count = out.part_views.size();
    out.view.unit = out.unit.c_str();
}

occt_status load(const char *path, occt_format format, file_store &store, std::string &text)
{
    contents in;
    if (format == OCCT_BREP) {
        const occt_status status = read_brep(path, in, text);
        if (status == OCCT_OK)
            collect(
                in, [](const TopoDS_Shape &) { return std::string(); }, store);
        return status;
    }
    STEPControl_Reader reader;
    const occt_status status = read_step(path, reader, in, text);
    const auto label = [&reader](const TopoDS_Shape &face) {
        const Handle(Standard_Transient) entity =
            reader.WS()->TransferReader()->EntityFromShapeResult(face, 1);
        if (entity.IsNull())
            return std::string();
        return std::string(reader.Model()->StringLabel(entity)->ToCString());
    };
    if (status == OCCT_OK)
        collect(in, label, store);
    return status;
}

occt_status read_file(const char *path, occt_format format, occt_file **out, char *message, size_t size)
{
    *out = nullptr;
    std::string text;
    occt_status status = OCCT_SYNTAX;
    try {
        const quiet silence;
        const millimetres unit;
        auto store = std::make_unique<file_store>();
        text = probe(path, [&] {
            file_store trial;
            std::string ignored;
            (void)load(path, format, trial, ignored);
        });
        if (text.empty())
            status = load(path, format, *store, text);
        if (status == OCCT_OK)
            *out = &store.release()->view;
    } catch (const std::bad_alloc &) {
        status = OCCT_MEMORY;
    } catch (const Standard_Failure &failure) {
        status = OCCT_SYNTAX;
        const char *what = failure.GetMessageString();
        text = std::string("Open CASCADE failed: ") + failure.DynamicType()->Name() +
               (what && *what ? std::string(", ") + what : std::string());
    } catch (const std::exception &failure) {
        status = OCCT_SYNTAX;
        text = std::string("Open CASCADE failed: ") + failure.what();
    }
    std::snprintf(message, size, "%s", text.c_str());
    return status;
}

void close_file(occt_file *file)
{
    // The view is the first member.
    delete reinterpret_cast<file_store *>(file);
}

const occt_reader reader_table = { ABUT_OCCT_VERSION, read_file, close_file };

} // namespace

} // namespace abut_occt

extern "C" __attribute__((visibility("default"))) const occt_reader *abut_occt_reader(void);

extern "C" const occt_reader *abut_occt_reader(void)
{
    return &abut_occt::reader_table;
}
