// SPDX-License-Identifier: MIT
// One solid of a file as faces with loops of co-edges.
#ifndef ABUT_IO_OCCT_PART_HPP
#define ABUT_IO_OCCT_PART_HPP

#include "io/occt/model.hpp"

#include <TopoDS_Shape.hxx>

#include <functional>

namespace abut_occt {

// `stated`: the tolerance that the file states, or 0. `label`: the file's own name of a face.
void build_part(const TopoDS_Shape &solid, double stated,
                const std::function<std::string(const TopoDS_Shape &)> &label, part_store &out);

} // namespace abut_occt

#endif
