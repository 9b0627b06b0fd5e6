/* SPDX-License-Identifier: MIT */
/* Powers of five for reading decimal numbers. Printed by tools/make_powers_of_five;
 * test_mesh_number checks each entry against GMP. */
#ifndef ABUT_IO_MESH_MESH_POWERS_H
#define ABUT_IO_MESH_MESH_POWERS_H

#include <stdint.h>

enum { MESH_POWER_STEP = 28, MESH_POWER_LOWEST = -13, MESH_POWER_HIGHEST = 11 };

/* 5^0 .. 5^27, the last that fits 64 bits. */
static const uint64_t mesh_small_powers[MESH_POWER_STEP] = {
    UINT64_C(1),
    UINT64_C(5),
    UINT64_C(25),
    UINT64_C(125),
    UINT64_C(625),
    UINT64_C(3125),
    UINT64_C(15625),
    UINT64_C(78125),
    UINT64_C(390625),
    UINT64_C(1953125),
    UINT64_C(9765625),
    UINT64_C(48828125),
    UINT64_C(244140625),
    UINT64_C(1220703125),
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
    UINT64_C(7450580596923828125),
};

/* 5^(28 k) = (hi 2^64 + lo + theta) 2^exponent, 0 <= theta < 1, top bit of hi set; k = -13 ..
 * 11. */
static const struct {
    uint64_t hi, lo;
    int exponent;
} mesh_great_powers[MESH_POWER_HIGHEST - MESH_POWER_LOWEST + 1] = {
    { UINT64_C(0xe1afa13afbd14d6d), UINT64_C(0x82189c09a3a1ec21), -973 }, /* 5^-364 */
    { UINT64_C(0xe3e27a444d8d98b7), UINT64_C(0xfd1b1b2308169b25), -908 }, /* 5^-336 */
    { UINT64_C(0xe61acf033d1a45df), UINT64_C(0x6fb92487298e33bd), -843 }, /* 5^-308 */
    { UINT64_C(0xe858ad248f5c22c9), UINT64_C(0xd1b3400f8f9cff68), -778 }, /* 5^-280 */
    { UINT64_C(0xea9c227723ee8bcb), UINT64_C(0x465e15a979c1cadc), -713 }, /* 5^-252 */
    { UINT64_C(0xece53cec4a314ebd), UINT64_C(0xa4f8bf5635246428), -648 }, /* 5^-224 */
    { UINT64_C(0xef340a98172aace4), UINT64_C(0x86fb897116c87c34), -583 }, /* 5^-196 */
    { UINT64_C(0xf18899b1bc3f8ca1), UINT64_C(0xdc44e6c3cb279ac1), -518 }, /* 5^-168 */
    { UINT64_C(0xf3e2f893dec3f126), UINT64_C(0x5a89dba3c3efccfa), -453 }, /* 5^-140 */
    { UINT64_C(0xf64335bcf065d37d), UINT64_C(0x4d4617b5ff4a16d5), -388 }, /* 5^-112 */
    { UINT64_C(0xf8a95fcf88747d94), UINT64_C(0x75a44c6397ce912a), -323 }, /* 5^-84 */
    { UINT64_C(0xfb158592be068d2e), UINT64_C(0xeed6e2f0f0d56712), -258 }, /* 5^-56 */
    { UINT64_C(0xfd87b5f28300ca0d), UINT64_C(0x8bca9d6e188853fc), -193 }, /* 5^-28 */
    { UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000), -127 }, /* 5^0 */
    { UINT64_C(0x813f3978f8940984), UINT64_C(0x4000000000000000), -62 },  /* 5^28 */
    { UINT64_C(0x82818f1281ed449f), UINT64_C(0xbff8f10e7a8921a4), 3 },    /* 5^56 */
    { UINT64_C(0x83c7088e1aab65db), UINT64_C(0x792667c6da79e0fa), 68 },   /* 5^84 */
    { UINT64_C(0x850fadc09923329e), UINT64_C(0x03e2cf6bc604ddb0), 133 },  /* 5^112 */
    { UINT64_C(0x865b86925b9bc5c2), UINT64_C(0x0b8a2392ba45a9b2), 198 },  /* 5^140 */
    { UINT64_C(0x87aa9aff79042286), UINT64_C(0x90fb44d2f05d0842), 263 },  /* 5^168 */
    { UINT64_C(0x88fcf317f22241e2), UINT64_C(0x441fece3bdf81f03), 328 },  /* 5^196 */
    { UINT64_C(0x8a5296ffe33cc92f), UINT64_C(0x82bd6b70d99aaa6f), 393 },  /* 5^224 */
    { UINT64_C(0x8bab8eefb6409c1a), UINT64_C(0x1ad089b6c2f7548e), 458 },  /* 5^252 */
    { UINT64_C(0x8d07e33455637eb2), UINT64_C(0xdb0b487b6423e1e8), 523 },  /* 5^280 */
    { UINT64_C(0x8e679c2f5e44ff8f), UINT64_C(0x570f09eaa7ea7648), 588 },  /* 5^308 */
};

#endif
