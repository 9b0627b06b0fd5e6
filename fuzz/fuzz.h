/* SPDX-License-Identifier: MIT */
/* What every fuzz harness shares. A harness is one file with one function,
 * LLVMFuzzerTestOneInput; with clang it is linked with libFuzzer, otherwise with driver.c. */
#ifndef ABUT_FUZZ_H
#define ABUT_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A broken promise is a finding: it ends the process the way the fuzzer notices. */
#define FUZZ_REQUIRE(condition)                                                             \
    do {                                                                                    \
        if (!(condition)) {                                                                 \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                        \
        }                                                                                   \
    } while (0)

#endif
