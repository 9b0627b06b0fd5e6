/* SPDX-License-Identifier: MIT */
/* CAD solids over time. */
#ifndef ABUT_CCD_BREP_SOLIDS_H
#define ABUT_CCD_BREP_SOLIDS_H

#include "ccd/proof/moving.h"

/* A solid (a) and a solid or any body with features (b), under rigid motions. */
abut_status abut_solids_scan(abut_moving *m, abut_run_fn emit, void *ctx);

#endif
