/* SPDX-License-Identifier: MIT */
/* A text of limited length that grows piece by piece: scenes, tables. */
#ifndef ABUT_TEST_TEXT_H
#define ABUT_TEST_TEXT_H

#include "support/test.h"

typedef struct test_text {
    char *at;
    size_t room, length;
} test_text;

static inline void test_add(test_text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(t->at + t->length, t->room - t->length, format, list);
    va_end(list);
    assert_true(n >= 0 && t->length + (size_t)n < t->room);
    t->length += (size_t)n;
}

#endif
