/* SPDX-License-Identifier: MIT */
/* The words of results, as the command prints them. */
#include "abut/query.h"

#define NAMES(...)                                      \
    static const char *const names[] = { __VA_ARGS__ }; \
    return index >= 0 && (size_t)index < sizeof names / sizeof *names ? names[index] : "unknown"

static const char *verdict_name(int index)
{
    NAMES("undecided", "separate", "touching", "penetrating");
}

static const char *proof_name(int index)
{
    NAMES("none", "tolerance", "interval", "exact");
}

static const char *stop_name(int index)
{
    NAMES("done", "tolerance", "budget", "cutoff", "cancelled");
}

static const char *feature_name(int index)
{
    NAMES("none", "vertex", "edge", "face");
}

static const char *first_name(int index)
{
    NAMES("undecided", "contact", "separate", "overlapping");
}

static const char *where_name(int index)
{
    NAMES("unknown", "in", "out", "vertex", "edge", "face");
}

static const char *check_name(int index)
{
    NAMES("auto", "search", "facetest");
}

const char *abut_check_method_name(abut_check_method method)
{
    return check_name((int)method);
}

const char *abut_verdict_name(abut_verdict verdict)
{
    return verdict_name((int)verdict);
}

const char *abut_proof_name(abut_proof proof)
{
    return proof_name((int)proof);
}

const char *abut_stop_name(abut_stop stop)
{
    return stop_name((int)stop);
}

const char *abut_feature_name(abut_feature feature)
{
    return feature_name((int)feature);
}

const char *abut_first_verdict_name(abut_first_verdict verdict)
{
    return first_name((int)verdict);
}

const char *abut_where_name(abut_where where)
{
    return where_name((int)where);
}
