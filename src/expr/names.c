/* SPDX-License-Identifier: MIT */
/* The candidate nearest to a misspelt name.
 *
 * Method: restricted Damerau-Levenshtein distance (insertions, deletions, substitutions, swaps
 * of neighbours), letters compared without case. Close means at most one error in names of up to
 * four letters, two in longer ones, and never as many errors as letters. Ties go to the
 * candidate offered first. */
#include "expr/names.h"

#include <string.h>

enum { MAX_NAME = 40 };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t min2(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t edit_distance(const char *a, size_t m, const char *b, size_t n)
{
    size_t rows[3][MAX_NAME + 1];
    size_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= n; ++j)
        last[j] = j;
    for (size_t i = 1; i <= m; ++i) {
        row[0] = i;
        for (size_t j = 1; j <= n; ++j) {
            const char x = lower(a[i - 1]), y = lower(b[j - 1]);
            row[j] = min2(min2(last[j], row[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]))
                row[j] = min2(row[j], before[j - 2] + 1);
        }
        size_t *const oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[n];
}

void abut_expr_guess_offer(abut_expr_guess *guess, const char *candidate)
{
    const size_t m = guess->length, n = strlen(candidate);
    if (m > MAX_NAME || n > MAX_NAME || m == 0)
        return;
    const size_t allowed = m <= 4 ? 1 : 2, distance = edit_distance(guess->wanted, m, candidate, n);
    if (distance > allowed || distance >= m || (guess->best && distance >= guess->distance))
        return;
    guess->best = candidate;
    guess->distance = distance;
}
