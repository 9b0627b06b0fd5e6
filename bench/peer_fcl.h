// SPDX-License-Identifier: MIT
// Places of workloads as FCL wants them.
#ifndef ABUT_BENCH_PEER_FCL_H
#define ABUT_BENCH_PEER_FCL_H

#include "workload.h"

#include <fcl/fcl.h>

inline fcl::Transform3d fcl_transform(const bench_place &place)
{
    fcl::Transform3d out = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            out.linear()(i, k) = place.rotation[i][k];
        out.translation()(i) = place.position[i];
    }
    return out;
}

#endif
