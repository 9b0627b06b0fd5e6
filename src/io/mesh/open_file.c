/* SPDX-License-Identifier: MIT */
/* Opening regular files only; see open_file.h.
 *
 * What the name represents is examined twice: before it is opened, since to open a device may do
 * something, and afterwards, since the name may represent something else by then. O_NONBLOCK keeps
 * the opening of a pipe from waiting for a writer, and changes nothing for regular files. */
#define _POSIX_C_SOURCE 200809L /* stat, open, fdopen */
#include "io/mesh/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode)
{
    return S_ISREG(mode)                    ? NULL
           : S_ISDIR(mode)                  ? "a folder"
           : S_ISFIFO(mode)                 ? "a pipe"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
           : S_ISSOCK(mode)                 ? "a socket"
                                            : "no regular file";
}

FILE *abut_io_open(const char *file, abut_io_opened *out)
{
    struct stat info;
    *out = (abut_io_opened){ 0 };
    if (stat(file, &info) != 0) {
        out->number = errno;
        return NULL;
    }
    out->kind = kind_of(info.st_mode);
    if (out->kind)
        return NULL;
    const int number = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (number < 0 || fstat(number, &info) != 0) {
        out->number = errno;
        if (number >= 0)
            close(number);
        return NULL;
    }
    out->kind = kind_of(info.st_mode);
    out->size = (int64_t)info.st_size;
    FILE *stream = out->kind ? NULL : fdopen(number, "rb");
    if (!stream) {
        out->number = out->kind ? 0 : errno;
        close(number);
    }
    return stream;
}
