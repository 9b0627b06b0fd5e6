/* SPDX-License-Identifier: MIT */
/* Names of kinds. */
#include "abut/solid.h"

const char *abut_solid_surface_name(abut_solid_surface_kind kind)
{
    switch (kind) {
#define NAME(name, text) \
    case ABUT_SOLID_##name: return text;
        ABUT_SOLID_SURFACE_LIST(NAME)
#undef NAME
    default: return "none";
    }
}

const char *abut_solid_edge_name(abut_solid_edge_kind kind)
{
    switch (kind) {
#define NAME(name, text) \
    case ABUT_SOLID_EDGE_##name: return text;
        ABUT_SOLID_EDGE_LIST(NAME)
#undef NAME
    default: return "none";
    }
}
