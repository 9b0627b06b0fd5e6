#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes src/interval/tables.c: the constants of the elementary functions.

    tools/interval_tables.py > src/interval/tables.c

Everything is computed with integers scaled by 2^1500, from Taylor series and Machin's formula; nothing is taken from a
libm. A number that is stored in two doubles is stored as the nearest double and the nearest double of what is left.
test/interval/test_tables.c checks each entry against MPFR."""

from fractions import Fraction

BITS = 1500
ONE = 1 << BITS


def atan_inverse(n):
    """atan(1/n), scaled."""
    total, power, k, square = 0, ONE // n, 1, n * n
    while power:
        total += power // k if k % 4 == 1 else -(power // k)
        power //= square
        k += 2
    return total


PI = 4 * (4 * atan_inverse(5) - atan_inverse(239))


def mul(a, b):
    return a * b >> BITS


def div(a, b):
    return (a << BITS) // b


def exp(x):
    halvings = 20
    x >>= halvings
    total = term = ONE
    k = 1
    while term:
        term = mul(term, x) // k
        total += term
        k += 1
    for _ in range(halvings):
        total = mul(total, total)
    return total


def log(x):
    """2 atanh((x-1)/(x+1)), scaled, for x near 1."""
    u = div(x - ONE, x + ONE)
    square, total, power, k = mul(u, u), 0, u, 1
    while abs(power) > 1:
        total += power // k
        power = mul(power, square)
        k += 2
    return 2 * total


def sin(x):
    square, total, term, k = mul(x, x), 0, x, 1
    while abs(term) > 1:
        total += term
        term = -mul(term, square) // ((k + 1) * (k + 2))
        k += 2
    return total


def atan(x):
    """Scaled, 0 <= x <= 1, by halving the angle until the series is quick."""
    halvings = 0
    while x > ONE >> 8:
        root = isqrt_scaled(ONE + mul(x, x))
        x = div(x, ONE + root)
        halvings += 1
    square, total, power, k = mul(x, x), 0, x, 1
    while abs(power) > 1:
        total += power // k
        power = -mul(power, square)
        k += 2
    return total << halvings


def isqrt_scaled(a):
    from math import isqrt
    return isqrt(a << BITS)


def nearest(a, bits=53):
    """The scaled integer rounded to `bits` significant bits, as a scaled integer. Digits past 2^-1400 are noise."""
    if abs(a) < 1 << (BITS - 1400):
        return 0
    drop = abs(a).bit_length() - bits
    half = 1 << (drop - 1)
    rounded = (abs(a) + half) >> drop << drop
    return rounded if a > 0 else -rounded


def multiple(a, lowest):
    """The scaled integer cut to a multiple of 2^-lowest, to nearest."""
    unit = 1 << (BITS - lowest)
    return (a + unit // 2) // unit * unit


def hexa(a):
    return float(Fraction(a, ONE)).hex()


def two(a):
    high = nearest(a)
    return high, nearest(a - high)


def constant(name, value):
    print(f"const double {name} = {hexa(value)};")


def main():
    print("/* SPDX-License-Identifier: MIT */")
    print("/* Written by tools/interval_tables.py; see there and tables.h. */")
    print('#include "interval/tables.h"\n')
    print("/* clang-format off */")

    step = PI // 64
    first = nearest(step, 33)
    second = nearest(step - first, 33)
    third = nearest(step - first - second)
    for name, value in (("one", first), ("two", second), ("three", third)):
        constant(f"abut_interval_pi64_{name}", value)
    constant("abut_interval_pi64_inverse", nearest(div(ONE, step)))
    for name, value in (("pi64", step), ("half_pi", PI // 2), ("pi", PI)):
        high, low = two(value)
        constant(f"abut_interval_{name}_high", high)
        constant(f"abut_interval_{name}_low", low)

    ln2 = log(2 * ONE)
    first = nearest(ln2 // 64, 35)
    constant("abut_interval_ln2_64_one", first)
    constant("abut_interval_ln2_64_two", nearest(ln2 // 64 - first))
    constant("abut_interval_ln2_64_inverse", nearest(div(64 * ONE, ln2)))
    high = multiple(ln2, 42)
    constant("abut_interval_ln2_high", high)
    constant("abut_interval_ln2_low", nearest(ln2 - high))

    print("\nconst double abut_interval_sin_table[160][2] = {")
    for k in range(160):
        high, low = two(sin((k * PI // 64) if k < 64 else (k * PI // 64 - (PI if k < 128 else 2 * PI)))
                        * (-1 if 64 <= k < 128 else 1) if k % 64 else 0)
        print(f"    {{ {hexa(high)}, {hexa(low)} }},")
    print("};")

    print("\nconst double abut_interval_exp2_table[64][2] = {")
    for k in range(64):
        high, low = two(exp(ln2 * k // 64)) if k else (ONE, 0)
        print(f"    {{ {hexa(high)}, {hexa(low)} }},")
    print("};")

    # Cells of 2^-7 of the mantissa, starting at 0.6875: mantissas up to 1 count twice as many cells of half the width.
    print("\nconst double abut_interval_log_table[128][3] = {")
    for i in range(128):
        # bits 0x3fe6000000000000 + (i << 45): the start of cell i
        cell = 0x3fe6 * 8 + i
        start = Fraction(128 + (cell & 127), 128) * (Fraction(1, 2) if cell >> 7 == 0x3fe else 1)
        width = Fraction(1, 256) if start < 1 else Fraction(1, 128)
        near_one = start + width == 1 or start == 1
        inverse = 1 if near_one else Fraction(round(512 / (start + width / 2)), 512)
        value = ONE * inverse.numerator // inverse.denominator if inverse != 1 else ONE
        exact = -log(value) if inverse != 1 else 0
        high = multiple(exact, 42)
        print(f"    {{ {hexa(value)}, {hexa(high)}, {hexa(nearest(exact - high))} }},")
    print("};")

    print("\nconst double abut_interval_atan_table[65][2] = {")
    for i in range(65):
        high, low = two(atan(ONE * i // 64)) if i else (0, 0)
        print(f"    {{ {hexa(high)}, {hexa(low)} }},")
    print("};")

    print("\nconst double abut_interval_chebyshev_extrema[1953] = {")
    for n in range(2, 64):
        row = [hexa(nearest(sin(PI // 2 - PI * i // n))) if 2 * i != n else "0.0" for i in range(n - 1, 0, -1)]
        print("    " + ", ".join(row) + ",")
    print("};")

    words = 42
    print(f"\nconst uint32_t abut_interval_two_over_pi[{words}] = {{")
    value = div(2 * ONE, PI)
    for i in range(words):
        print(f"    0x{value >> (BITS - 32 * (i + 1)) & 0xffffffff:08x},")
    print("};")
    print("/* clang-format on */")


main()
