/* SPDX-License-Identifier: MIT */
/* Collected output, numbers for the eye, and messages on standard error. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(cli_text *text, size_t more)
{
    if (text->failed)
        return false;
    if (more < text->capacity - text->length)
        return true;
    size_t capacity = text->capacity ? text->capacity : 256;
    while (capacity - text->length <= more) {
        if (capacity > SIZE_MAX / 2) {
            text->failed = true;
            return false;
        }
        capacity *= 2;
    }
    char *bytes = realloc(text->bytes, capacity);
    if (!bytes) {
        text->failed = true;
        return false;
    }
    text->bytes = bytes;
    text->capacity = capacity;
    return true;
}

void cli_text_add(cli_text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = 0;
}

void cli_text_puts(cli_text *text, const char *string)
{
    cli_text_add(text, string, strlen(string));
}

static void add_formatted(cli_text *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0)
        text->failed = true;
    else if (reserve(text, (size_t)length + 1)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void cli_text_printf(cli_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_formatted(text, format, arguments);
    va_end(arguments);
}

int cli_utf8(const char *s, uint32_t *code)
{
    const unsigned char *u = (const unsigned char *)s;
    /* The smallest character of each length, to refuse the overlong forms. */
    static const uint32_t smallest[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    if (u[0] < 0x80) {
        *code = u[0];
        return 1;
    }
    const int length = u[0] >= 0xf8 ? 0 : u[0] >= 0xf0 ? 4 : u[0] >= 0xe0 ? 3 : u[0] >= 0xc0 ? 2 : 0;
    if (length == 0)
        return 0;
    uint32_t c = u[0] & (0x7fu >> length);
    for (int i = 1; i < length; ++i) {
        if ((u[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (u[i] & 0x3f);
    }
    if (c < smallest[length] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0;
    *code = c;
    return length;
}

void cli_text_safe(cli_text *text, const char *string)
{
    while (*string) {
        uint32_t code;
        const int length = cli_utf8(string, &code);
        if (length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0)) {
            const int escaped = length ? length : 1;
            for (int i = 0; i < escaped; ++i)
                cli_text_printf(text, "\\x%02x", (unsigned)(unsigned char)string[i]);
            string += escaped;
        } else {
            cli_text_add(text, string, (size_t)length);
            string += length;
        }
    }
}

void cli_text_number(cli_text *text, double x)
{
    /* Adding zero turns -0 into 0. */
    cli_text_printf(text, "%.6g", x + 0.0);
}

/* A coordinate that is rounding beside the largest is shown as 0. */
static double without_dust(double x, double largest)
{
    return fabs(x) > 1e-13 * largest ? x : 0;
}

void cli_text_vec3(cli_text *text, abut_vec3 v)
{
    const double most = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
    cli_text_printf(text, "(%.6g, %.6g, %.6g)", without_dust(v.x, most), without_dust(v.y, most),
                    without_dust(v.z, most));
}

/* "±3e-17", rounded up: half a unit of the one digit is added first, so that %.0e does. */
static void add_half_width(cli_text *text, double half)
{
    cli_text_printf(text, " (±%.0e)", half + 0.4999 * pow(10, floor(log10(half))));
}

void cli_text_interval(cli_text *text, abut_interval v)
{
    if (v.lo == v.hi) {
        cli_text_number(text, v.lo);
    } else if (isnan(v.lo) || isnan(v.hi) || (isinf(v.lo) && isinf(v.hi))) {
        cli_text_puts(text, "unknown");
    } else if (isinf(v.hi)) {
        cli_text_puts(text, "≥ ");
        cli_text_number(text, v.lo);
    } else if (isinf(v.lo)) {
        cli_text_puts(text, "≤ ");
        cli_text_number(text, v.hi);
    } else {
        const double mid = v.lo / 2 + v.hi / 2, half = v.hi / 2 - v.lo / 2;
        if (v.lo <= 0 && v.hi >= 0 && fmax(-v.lo, v.hi) <= 1e-12) {
            /* zero, as far as doubles tell */
            cli_text_puts(text, "0");
            add_half_width(text, fmax(-v.lo, v.hi));
        } else if (!(half <= 1e-3 * fabs(mid))) {
            cli_text_number(text, v.lo);
            cli_text_puts(text, " to ");
            cli_text_number(text, v.hi);
        } else {
            cli_text_number(text, mid);
            add_half_width(text, half);
        }
    }
}

void cli_text_clear(cli_text *text)
{
    free(text->bytes);
    *text = (cli_text){ 0 };
}

int cli_text_write(cli_text *text, int code)
{
    if (text->failed) {
        cli_text_clear(text);
        return cli_out_of_memory();
    }
    errno = 0;
    const bool written = fwrite(text->bytes, 1, text->length, stdout) == text->length;
    if (!written || fflush(stdout) != 0 || ferror(stdout)) {
        cli_message("cannot write the result: %s", errno ? strerror(errno) : "unknown reason");
        code = CLI_FAILED;
    }
    cli_text_clear(text);
    return code;
}

void cli_message(const char *format, ...)
{
    cli_text raw = { 0 }, safe = { 0 };
    va_list arguments;
    va_start(arguments, format);
    add_formatted(&raw, format, arguments);
    va_end(arguments);
    cli_text_puts(&safe, "abut: ");
    if (!raw.failed && raw.bytes)
        cli_text_safe(&safe, raw.bytes);
    cli_text_puts(&safe, "\n");
    if (raw.failed || safe.failed)
        fputs("abut: out of memory\n", stderr);
    else
        fwrite(safe.bytes, 1, safe.length, stderr);
    cli_text_clear(&raw);
    cli_text_clear(&safe);
}

int cli_report(abut_status status, const abut_error *error)
{
    cli_text place = { 0 };
    if (error->file[0]) {
        cli_text_puts(&place, error->file);
        if (error->line > 0)
            cli_text_printf(&place, ":%d", (int)error->line);
        cli_text_puts(&place, ": ");
    }
    if (error->path[0])
        cli_text_printf(&place, "%s: ", error->path);
    cli_message("%s%s", place.length && !place.failed ? place.bytes : "",
                error->text[0] ? error->text : abut_status_text(status));
    cli_text_clear(&place);
    return status == ABUT_ERR_MEMORY || status == ABUT_ERR_CANCELLED ? CLI_FAILED : CLI_USAGE;
}

int cli_out_of_memory(void)
{
    cli_message("out of memory");
    return CLI_FAILED;
}

#define NEAREST_LONGEST 40

/* Edits (insert, delete, replace, swap neighbours) that turn a into b. */
static size_t edits(const char *a, const char *b)
{
    const size_t m = strlen(a), n = strlen(b);
    if (m > NEAREST_LONGEST || n > NEAREST_LONGEST)
        return SIZE_MAX;
    size_t rows[3][NEAREST_LONGEST + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= n; ++j)
        last[j] = j;
    for (size_t i = 1; i <= m; ++i) {
        now[0] = i;
        for (size_t j = 1; j <= n; ++j) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[n];
}

const char *cli_nearest(const char *word, const void *ctx, size_t count, cli_candidate_fn candidate)
{
    const char *nearest = NULL;
    /* A third of the word may be mistyped, at least two letters of it; more is another word. */
    size_t best = strlen(word) / 3 > 2 ? strlen(word) / 3 : 2;
    if (best >= strlen(word))
        best = strlen(word) > 1 ? strlen(word) - 1 : 0;
    for (size_t i = 0; i < count; ++i) {
        const char *other = candidate(ctx, i);
        const size_t distance = edits(word, other);
        if (distance < best || (distance == best && !nearest)) {
            best = distance;
            nearest = other;
        }
    }
    return nearest;
}
