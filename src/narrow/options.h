/* SPDX-License-Identifier: MIT */
#ifndef ABUT_NARROW_OPTIONS_H
#define ABUT_NARROW_OPTIONS_H

#include "base/options.h"

#endif
