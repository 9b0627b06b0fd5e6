/* SPDX-License-Identifier: MIT */
/* cast_boxes.c for AVX2, chosen there at run time. */
#if defined(__x86_64__) && !defined(__AVX2__)
/* What the file is made of comes first: only what is defined here may need the unit. */
#include "ccd/cast/cast_boxes.h"

#include <stdint.h>

#include "base/avx2_begin.h"

#include "ccd/cast/cast_boxes_axes.h"

bool abut_linear_cast_axes_avx2(const abut_linear_cast *cast, double most, abut_linear_cast_times *out)
{
    return sweep_axes(cast, most, out);
}
#include "base/avx2_end.h"
#else
/* cast_boxes.c is for AVX2 itself, or there is none */
typedef int abut_linear_cast_needs_no_other;
#endif
