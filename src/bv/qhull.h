/* SPDX-License-Identifier: MIT */
/* Qhull, whose headers are not written for strict warnings. */
#ifndef ABUT_BV_QHULL_H
#define ABUT_BV_QHULL_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#pragma GCC diagnostic ignored "-Wundef"
#include <libqhull_r/qhull_ra.h>
#pragma GCC diagnostic pop

#endif
