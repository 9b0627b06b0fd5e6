/* SPDX-License-Identifier: MIT */
/* The words for volumes, builders and ways to meet. */
#include "abut/mesh.h"

const char *abut_volume_name(abut_volume volume)
{
    static const char *const names[] = { "auto",
#define TEXT(name, text) text,
                                         ABUT_VOLUME_LIST(TEXT)
#undef TEXT
    };
    return (unsigned)volume < ABUT_VOLUME_COUNT ? names[volume] : "none";
}

const char *abut_builder_name(abut_builder builder)
{
    static const char *const names[] = { "auto", "mean", "median", "sah", "bottom-up" };
    return (unsigned)builder < ABUT_BUILDER_COUNT ? names[builder] : "none";
}

const char *abut_meet_name(abut_meet meet)
{
    static const char *const names[] = { "unknown", "none", "touch", "cross", "coplanar" };
    const int index = (int)meet - (int)ABUT_MEET_UNKNOWN;
    return index >= 0 && index < (int)(sizeof names / sizeof names[0]) ? names[index] : "none";
}
