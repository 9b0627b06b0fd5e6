/* SPDX-License-Identifier: MIT */
#ifndef ABUT_INTERVAL_DIVIDE_H
#define ABUT_INTERVAL_DIVIDE_H

#include "interval/ia.h"

/* The quotients as up to two intervals, ascending; returns how many. See
 * abut_interval_div_split. */
int ia_div_split(ia a, ia b, ia out[2]);

#endif
