/* SPDX-License-Identifier: MIT */
/* PNG (ISO/IEC 15948) with deflate (RFC 1951, RFC 1950) of its own: rows are filtered by the predictor
 * with the least sum, repeated stretches found through a hash of three bytes, codes are the fixed ones.
 * Files are about a fifth larger than those of zlib, and nothing needs to be installed. */
#include "picture/picture.h"

#include <stdlib.h>
#include <string.h>

/* ---- bits ---- */

typedef struct bit_writer {
    cli_text *out;
    uint32_t bits;
    int count;
} bit_writer;

static void put_bits(bit_writer *w, uint32_t value, int count)
{
    w->bits |= value << w->count;
    w->count += count;
    while (w->count >= 8) {
        const char byte = (char)(w->bits & 0xff);
        cli_text_add(w->out, &byte, 1);
        w->bits >>= 8;
        w->count -= 8;
    }
}

/* Codes of Huffman are written from their highest bit on. */
static void put_code(bit_writer *w, uint32_t code, int length)
{
    uint32_t turned = 0;
    for (int i = 0; i < length; ++i)
        turned |= (code >> i & 1) << (length - 1 - i);
    put_bits(w, turned, length);
}

static void put_symbol(bit_writer *w, int symbol)
{
    if (symbol < 144)
        put_code(w, 0x30 + (uint32_t)symbol, 8);
    else if (symbol < 256)
        put_code(w, 0x190 + (uint32_t)(symbol - 144), 9);
    else if (symbol < 280)
        put_code(w, (uint32_t)(symbol - 256), 7);
    else
        put_code(w, 0xc0 + (uint32_t)(symbol - 280), 8);
}

/* Lengths and distances of RFC 1951, 3.2.5: a first value for each code, with extra bits. */
static void put_match(bit_writer *w, int length, int distance)
{
    static const uint16_t lengths[29] = { 3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                          31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
    static const uint16_t distances[30] = { 1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                            33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                            1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577 };
    int l = 28, d = 29;
    while (lengths[l] > length)
        --l;
    while (distances[d] > distance)
        --d;
    put_symbol(w, 257 + l);
    put_bits(w, (uint32_t)(length - lengths[l]), l < 8 || l == 28 ? 0 : (l - 4) / 4);
    put_code(w, (uint32_t)d, 5);
    put_bits(w, (uint32_t)(distance - distances[d]), d < 4 ? 0 : (d - 2) / 2);
}

/* ---- deflate ---- */

enum { WINDOW = 32768, HASHES = 1 << 15, CHAIN = 24, LONGEST = 258 };

static uint32_t hash_of(const uint8_t *p)
{
    const uint32_t x = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return x * 2654435761u >> 17;
}

static int match_length(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
    int n = 0;
    while (n < LONGEST && b + n < end && a[n] == b[n])
        ++n;
    return n;
}

static bool deflate(cli_text *out, const uint8_t *data, size_t length)
{
    int64_t *head = malloc(HASHES * sizeof *head), *chain = malloc(WINDOW * sizeof *chain);
    bit_writer w = { .out = out };
    if (!head || !chain) {
        free(head);
        free(chain);
        return false;
    }
    for (int i = 0; i < HASHES; ++i)
        head[i] = -1;
    put_bits(&w, 1, 1); /* the last block */
    put_bits(&w, 1, 2); /* fixed codes */
    for (size_t i = 0; i < length;) {
        int best = 0, distance = 0;
        if (i + 3 <= length) {
            int64_t at = head[hash_of(data + i)];
            for (int k = 0; k < CHAIN && at >= 0 && (int64_t)i - at <= WINDOW - 1; ++k) {
                const int n = match_length(data + at, data + i, data + length);
                if (n > best) {
                    best = n;
                    distance = (int)((int64_t)i - at);
                }
                at = chain[at % WINDOW];
            }
        }
        const size_t step = best >= 4 ? (size_t)best : 1;
        if (best >= 4)
            put_match(&w, best, distance);
        else
            put_symbol(&w, data[i]);
        for (size_t k = i; k < i + step && k + 3 <= length; ++k) {
            const uint32_t h = hash_of(data + k);
            chain[k % WINDOW] = head[h];
            head[h] = (int64_t)k;
        }
        i += step;
    }
    put_symbol(&w, 256);
    put_bits(&w, 0, 7); /* fill the last byte */
    free(head);
    free(chain);
    return true;
}

/* ---- chunks ---- */

static uint32_t crc_of(const uint8_t *bytes, size_t length)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < length; ++i) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; ++k)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static void put_big(cli_text *out, uint32_t x)
{
    const char bytes[4] = { (char)(x >> 24), (char)(x >> 16), (char)(x >> 8), (char)x };
    cli_text_add(out, bytes, 4);
}

static void put_chunk(cli_text *out, const char *type, const void *bytes, size_t length)
{
    put_big(out, (uint32_t)length);
    const size_t begin = out->length;
    cli_text_add(out, type, 4);
    if (length)
        cli_text_add(out, bytes, length);
    if (!out->failed)
        put_big(out, crc_of((const uint8_t *)out->bytes + begin, out->length - begin));
}

static uint32_t adler_of(const uint8_t *bytes, size_t length)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < length; ++i) {
        a = (a + bytes[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

/* ---- rows ---- */

static uint8_t paeth(int a, int b, int c)
{
    const int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    return (uint8_t)(pa <= pb && pa <= pc ? a : pb <= pc ? b : c);
}

/* The row, less what filter `kind` (0, 1 sub, 2 up, 4 Paeth) predicts; returns the sum of sizes. */
static long filter_row(int kind, const uint8_t *row, const uint8_t *above, size_t bytes, uint8_t *out)
{
    long sum = 0;
    for (size_t i = 0; i < bytes; ++i) {
        const int left = i >= 3 ? row[i - 3] : 0, up = above ? above[i] : 0;
        const int corner = above && i >= 3 ? above[i - 3] : 0;
        const int guess = kind == 1 ? left : kind == 2 ? up : kind == 4 ? paeth(left, up, corner) : 0;
        out[i] = (uint8_t)(row[i] - guess);
        sum += out[i] < 128 ? out[i] : 256 - out[i];
    }
    return sum;
}

bool cli_png(cli_text *out, const uint8_t *rgb, int width, int height)
{
    static const int kinds[4] = { 0, 1, 2, 4 };
    const size_t row = 3 * (size_t)width, size = (row + 1) * (size_t)height;
    uint8_t *filtered = malloc(size), *tried = malloc(row);
    cli_text packed = { 0 };
    bool fine = filtered && tried;
    for (int y = 0; fine && y < height; ++y) {
        const uint8_t *now = rgb + (size_t)y * row, *above = y ? now - row : NULL;
        uint8_t *const to = filtered + (size_t)y * (row + 1);
        long best = -1;
        for (int k = 0; k < 4; ++k) {
            const long sum = filter_row(kinds[k], now, above, row, tried);
            if (best < 0 || sum < best) {
                best = sum;
                to[0] = (uint8_t)kinds[k];
                memcpy(to + 1, tried, row);
            }
        }
    }
    if (fine) {
        cli_text_add(&packed, "\x78\x01", 2);
        fine = deflate(&packed, filtered, size);
        put_big(&packed, adler_of(filtered, size));
        fine = fine && !packed.failed;
    }
    if (fine) {
        const char header[13] = {
            (char)(width >> 24),  (char)(width >> 16), (char)(width >> 8), (char)width, (char)(height >> 24),
            (char)(height >> 16), (char)(height >> 8), (char)height,       8,           2
        };
        cli_text_add(out, "\x89PNG\r\n\x1a\n", 8);
        put_chunk(out, "IHDR", header, sizeof header);
        put_chunk(out, "IDAT", packed.bytes, packed.length);
        put_chunk(out, "IEND", NULL, 0);
    }
    cli_text_clear(&packed);
    free(filtered);
    free(tried);
    return fine && !out->failed;
}
