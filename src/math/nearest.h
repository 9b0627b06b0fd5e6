/* SPDX-License-Identifier: MIT */
/* Rounding to nearest with gradual underflow, whatever the caller runs in.
 *
 *     const abut_nearest saved = abut_nearest_enter();
 *     kernel(in, out);                    // a separate ABUT_MATH_NOINLINE function
 *     abut_nearest_leave(saved);
 *
 * Error-free transformations and a-priori error bounds need it. Reading the mode costs a few
 * cycles, changing it some twenty, so it is changed only where it differs. The kernel must not
 * be inlined: compilers move arithmetic across. */
#ifndef ABUT_MATH_NEAREST_H
#define ABUT_MATH_NEAREST_H

#include <stdbool.h>

#define ABUT_MATH_NOINLINE __attribute__((noinline))

/* Is rounding to nearest? Found out by rounding: reading the control register takes longer than
 * a predicate's filter, since it waits for all arithmetic before it. Does not see flush-to-zero. */
static inline bool abut_nearest_is_set(void)
{
    static const volatile double tiny = 0x1p-60;
    const double t = tiny;
    return 1 + t == 1 && 1 - t == 1;
}

#if defined(__SSE2__)
#include <xmmintrin.h>

typedef unsigned abut_nearest;

enum { ABUT_MXCSR_UNUSUAL = 0xE040 }; /* flush to zero, both rounding bits, denormals are zero */

static inline abut_nearest abut_nearest_enter(void)
{
    const unsigned saved = _mm_getcsr();
    if (saved & ABUT_MXCSR_UNUSUAL)
        _mm_setcsr(saved & ~(unsigned)ABUT_MXCSR_UNUSUAL);
    return saved;
}

static inline void abut_nearest_leave(abut_nearest saved)
{
    if (saved & ABUT_MXCSR_UNUSUAL)
        _mm_setcsr(_mm_getcsr() | (saved & ABUT_MXCSR_UNUSUAL));
}

#else
#include <fenv.h>

typedef int abut_nearest;

static inline abut_nearest abut_nearest_enter(void)
{
    const int saved = fegetround();
    if (saved != FE_TONEAREST)
        fesetround(FE_TONEAREST);
    return saved;
}

static inline void abut_nearest_leave(abut_nearest saved)
{
    if (saved != FE_TONEAREST)
        fesetround(saved);
}

#endif

#include <fenv.h>

/* The same for functions of the C library, which ask for the mode by fegetround: glibc's strtod on
 * x86-64 follows the control word of the x87 unit, which arithmetic does not. */
typedef struct abut_nearest_library {
    abut_nearest arithmetic;
    int mode;
} abut_nearest_library;

static inline abut_nearest_library abut_nearest_enter_library(void)
{
    const abut_nearest_library saved = { abut_nearest_enter(), fegetround() };
    if (saved.mode != FE_TONEAREST)
        fesetround(FE_TONEAREST);
    return saved;
}

static inline void abut_nearest_leave_library(abut_nearest_library saved)
{
    if (saved.mode != FE_TONEAREST) {
        fesetround(saved.mode);
        (void)abut_nearest_enter(); /* the arithmetic may have been in another mode */
    }
    abut_nearest_leave(saved.arithmetic);
}

#endif
