/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *abut_version(void)
{
    return ABUT_VERSION_STRING;
}

const char *abut_status_name(abut_status status)
{
    switch (status) {
#define NAME(name, code, text) \
    case name: return #name;
        ABUT_STATUS_LIST(NAME)
#undef NAME
    }
    return "ABUT_ERR_UNKNOWN";
}

const char *abut_status_text(abut_status status)
{
    switch (status) {
#define TEXT(name, code, text) \
    case name: return text;
        ABUT_STATUS_LIST(TEXT)
#undef TEXT
    }
    return "unknown status";
}

void abut_base_clear(abut_error *error)
{
    if (!error)
        return;
    memset(error, 0, sizeof *error);
    error->index = -1;
}

abut_status abut_base_fail(abut_error *error, abut_status status, int64_t index, const char *format, ...)
{
    if (!error)
        return status;
    abut_base_clear(error);
    error->status = status;
    error->index = index;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return status;
}

abut_status abut_base_fail_memory(abut_error *error)
{
    return abut_base_fail(error, ABUT_ERR_MEMORY, -1, "%s", abut_status_text(ABUT_ERR_MEMORY));
}
