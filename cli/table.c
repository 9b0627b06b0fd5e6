/* SPDX-License-Identifier: MIT */
/* Aligned columns for people. Widths count characters, not bytes, since names and the sign ± are
 * UTF-8. */
#include "cli.h"

#include <stdlib.h>

void cli_table_begin(cli_table *table, int columns, const char *const *headings)
{
    *table = (cli_table){ .columns = columns };
    for (int i = 0; i < columns; ++i) {
        cli_text_puts(&table->text, headings[i]);
        cli_table_next(table);
    }
}

void cli_table_next(cli_table *table)
{
    if (table->cells == table->capacity) {
        const size_t capacity = table->capacity ? 2 * table->capacity : 64;
        size_t *ends = realloc(table->ends, capacity * sizeof *ends);
        if (!ends) {
            table->text.failed = true;
            return;
        }
        table->ends = ends;
        table->capacity = capacity;
    }
    table->ends[table->cells++] = table->text.length;
}

static int width_of(const char *bytes, size_t length)
{
    int width = 0;
    for (size_t i = 0; i < length; ++i)
        width += ((unsigned char)bytes[i] & 0xc0) != 0x80;
    return width;
}

void cli_table_end(cli_table *table, cli_text *out)
{
    int widths[CLI_TABLE_COLUMNS] = { 0 };
    if (table->text.failed)
        out->failed = true;
    for (size_t i = 0, begin = 0; i < table->cells && !out->failed; begin = table->ends[i++]) {
        const int width = width_of(table->text.bytes + begin, table->ends[i] - begin);
        int *const widest = &widths[i % (size_t)table->columns];
        if (width > *widest)
            *widest = width;
    }
    for (size_t i = 0, begin = 0; i < table->cells && !out->failed; begin = table->ends[i++]) {
        const size_t column = i % (size_t)table->columns, length = table->ends[i] - begin;
        const char *const cell = table->text.bytes + begin;
        cli_text_add(out, cell, length);
        if (column + 1 == (size_t)table->columns)
            cli_text_puts(out, "\n");
        else
            cli_text_printf(out, "%*s", widths[column] - width_of(cell, length) + 2, "");
    }
    cli_text_clear(&table->text);
    free(table->ends);
    *table = (cli_table){ 0 };
}
