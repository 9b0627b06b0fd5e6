/* SPDX-License-Identifier: MIT */
/* "Did you mean ...?" */
#ifndef ABUT_EXPR_NAMES_H
#define ABUT_EXPR_NAMES_H

#include <stddef.h>

/* A search among any number of candidates: start with { .wanted = ... }, offer them all, then
 * read `best`. */
typedef struct abut_expr_guess {
    const char *wanted;
    size_t length;    /* of wanted, which need not end there */
    const char *best; /* NULL when nothing is close */
    size_t distance;  /* of best */
} abut_expr_guess;

void abut_expr_guess_offer(abut_expr_guess *guess, const char *candidate);

#endif
