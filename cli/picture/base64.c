/* SPDX-License-Identifier: MIT */
/* Base 64 (RFC 4648), for binary data inside pages and pictures. */
#include "picture/picture.h"

void cli_base64(cli_text *out, const void *bytes, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *const b = bytes;
    char block[4 * 1024];
    size_t used = 0;
    for (size_t i = 0; i < length; i += 3) {
        const size_t left = length - i;
        const uint32_t x =
            (uint32_t)b[i] << 16 | (left > 1 ? (uint32_t)b[i + 1] << 8 : 0) | (left > 2 ? b[i + 2] : 0u);
        block[used++] = digits[x >> 18];
        block[used++] = digits[x >> 12 & 63];
        block[used++] = left > 1 ? digits[x >> 6 & 63] : '=';
        block[used++] = left > 2 ? digits[x & 63] : '=';
        if (used == sizeof block) {
            cli_text_add(out, block, used);
            used = 0;
        }
    }
    cli_text_add(out, block, used);
}
