/* SPDX-License-Identifier: MIT */
/* Writer of one JSON document. Always valid: strings are escaped and their bytes checked to be
 * UTF-8 (others become U+FFFD), and a number that is not finite is written null. In an enclosure
 * [lo, hi] null therefore means that this end is not bounded.
 *
 * %.17g gives back the same double when read again, and depends on the locale only for its
 * decimal point; the command never calls setlocale, so it is a point. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>

static void separate(cli_json *json)
{
    if (json->comma)
        cli_text_add(json->out, ",", 1);
    json->comma = true;
}

void cli_json_open(cli_json *json, char bracket)
{
    separate(json);
    cli_text_add(json->out, &bracket, 1);
    json->comma = false;
}

void cli_json_close(cli_json *json, char bracket)
{
    cli_text_add(json->out, &bracket, 1);
    json->comma = true;
}

cli_json *cli_json_key(cli_json *json, const char *key)
{
    cli_json_string(json, key);
    cli_text_add(json->out, ":", 1);
    json->comma = false;
    return json;
}

void cli_json_line(cli_json *json)
{
    if (json->comma)
        cli_text_add(json->out, ",", 1);
    cli_text_add(json->out, "\n", 1);
    json->comma = false;
}

void cli_json_string(cli_json *json, const char *string)
{
    separate(json);
    cli_text_add(json->out, "\"", 1);
    while (*string) {
        uint32_t code;
        const int length = cli_utf8(string, &code);
        if (length == 0)
            cli_text_puts(json->out, "\xef\xbf\xbd");
        else if (code == '"' || code == '\\')
            cli_text_printf(json->out, "\\%c", (int)code);
        else if (code < 0x20 || code == 0x7f)
            cli_text_printf(json->out, "\\u%04x", (unsigned)code);
        else
            cli_text_add(json->out, string, (size_t)length);
        string += length ? length : 1;
    }
    cli_text_add(json->out, "\"", 1);
}

void cli_json_number(cli_json *json, double x)
{
    separate(json);
    /* Adding zero turns -0, which means nothing here, into 0. */
    if (isfinite(x))
        cli_text_printf(json->out, "%.17g", x + 0.0);
    else
        cli_text_puts(json->out, "null");
}

void cli_json_integer(cli_json *json, int64_t x)
{
    separate(json);
    cli_text_printf(json->out, "%" PRId64, x);
}

void cli_json_count(cli_json *json, uint64_t x)
{
    separate(json);
    cli_text_printf(json->out, "%" PRIu64, x);
}

void cli_json_bool(cli_json *json, bool x)
{
    separate(json);
    cli_text_puts(json->out, x ? "true" : "false");
}

void cli_json_null(cli_json *json)
{
    separate(json);
    cli_text_puts(json->out, "null");
}

void cli_json_interval(cli_json *json, abut_interval v)
{
    cli_json_open(json, '[');
    cli_json_number(json, v.lo);
    cli_json_number(json, v.hi);
    cli_json_close(json, ']');
}

void cli_json_vec3(cli_json *json, abut_vec3 v)
{
    cli_json_open(json, '[');
    cli_json_number(json, v.x);
    cli_json_number(json, v.y);
    cli_json_number(json, v.z);
    cli_json_close(json, ']');
}

void cli_json_aabb(cli_json *json, abut_aabb box)
{
    cli_json_open(json, '[');
    cli_json_vec3(json, box.lo);
    cli_json_vec3(json, box.hi);
    cli_json_close(json, ']');
}

void cli_json_features(cli_json *json, const abut_feature features[2])
{
    cli_json_open(cli_json_key(json, "features"), '[');
    cli_json_string(json, abut_feature_name(features[0]));
    cli_json_string(json, abut_feature_name(features[1]));
    cli_json_close(json, ']');
}

void cli_json_ids(cli_json *json, const int64_t ids[2])
{
    cli_json_open(cli_json_key(json, "ids"), '[');
    cli_json_integer(json, ids[0]);
    cli_json_integer(json, ids[1]);
    cli_json_close(json, ']');
}
