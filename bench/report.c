/* SPDX-License-Identifier: MIT */
/* The table for people and the JSON rows for programs. */
#include "program.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Four significant digits in the unit that fits. */
static void print_time(char *text, size_t size, const bench_time *t)
{
    static const char *const units[] = { "ns", "us", "ms", "s " };
    double value = t->median_ns;
    int unit = 0;
    while (value >= 9999.5 && unit < 3) {
        value /= 1000;
        ++unit;
    }
    if (t->present)
        snprintf(text, size, "%.4g %s", value, units[unit]);
    else
        snprintf(text, size, "-");
}

static void print_wrong(char *text, size_t size, const bench_time *t)
{
    if (t->present && t->judged)
        snprintf(text, size, "%" PRIu64, t->wrong);
    else
        snprintf(text, size, "-");
}

static void print_line(FILE *out, const char *name, char mark, const char *who, const bench_time *t,
                       double ratio)
{
    char time[32], wrong[32], times[32] = "";
    print_time(time, sizeof time, t);
    print_wrong(wrong, sizeof wrong, t);
    if (ratio > 0)
        snprintf(times, sizeof times, "%.2f", ratio);
    fprintf(out, "%-28s %c %-42s %12s %8s %7s ", name, mark, who, time, times, wrong);
    for (size_t i = 0; i < t->counters.count; ++i)
        fprintf(out, " %s=%.6g", t->counters.items[i].name, t->counters.items[i].value);
    if (t->present)
        fprintf(out, " least=%.4g", t->least_ns);
    fprintf(out, "\n");
}

static double ratio_of(const bench_time *abut, const bench_time *peer)
{
    return abut->present && peer->present && abut->median_ns > 0 ? peer->median_ns / abut->median_ns : 0;
}

void bench_print_row(FILE *out, const bench_row *row, bool first_of_family)
{
    if (first_of_family) {
        fprintf(
            out,
            "\n%s   (time: median a question; ratio: peer / abut; * the fastest peer that is right, whose "
            "ratio counts; ! refuted)\n",
            row->c->family);
        fprintf(out, "%-28s   %-42s %12s %8s %7s  %s\n", "case", "contender", "time", "ratio", "wrong",
                "counters");
    }
    print_line(out, row->c->name, row->abut.judged && row->abut.wrong ? '!' : ' ',
               row->abut.present            ? row->c->abut.name
               : row->c->setup && !row->ran ? "(left out when quick)"
                                            : "abut: no method yet",
               &row->abut, 0);
    for (int p = 0; p < BENCH_PEERS; ++p) {
        const bench_time *t = &row->peers[p];
        if (t->present)
            print_line(out, "",
                       t->judged && t->wrong ? '!'
                       : p == row->counts    ? '*'
                                             : ' ',
                       row->c->peers[p].name, t, ratio_of(&row->abut, t));
    }
}

/* One line a case: abut, the fastest peer that is right, the ratio, and who was refuted how
 * often. */
void bench_print_markdown(FILE *out, const bench_row *rows, size_t count)
{
    const char *family = "";
    for (size_t i = 0; i < count; ++i) {
        const bench_row *row = &rows[i];
        if (strcmp(family, row->c->family) != 0) {
            family = row->c->family;
            fprintf(out, "\n### %s\n\n| case | abut | fastest right peer | time | ratio | refuted |\n",
                    family);
            fprintf(out, "|---|---|---|---|---|---|\n");
        }
        static const bench_time nobody;
        const bench_time *peer = row->counts >= 0 ? &row->peers[row->counts] : &nobody;
        char abut_time[32], peer_time[32], ratio[32] = "-";
        print_time(abut_time, sizeof abut_time, &row->abut);
        print_time(peer_time, sizeof peer_time, peer);
        if (ratio_of(&row->abut, peer) > 0)
            snprintf(ratio, sizeof ratio, "%.2f", ratio_of(&row->abut, peer));
        const char *quote = row->counts >= 0 ? "`" : ""; /* names hold < and > */
        fprintf(out, "| %s | %s | %s%s%s | %s | %s | ", row->c->name, abut_time, quote,
                row->counts >= 0 ? row->c->peers[row->counts].name : "none", quote, peer_time, ratio);
        if (row->abut.judged && row->abut.wrong)
            fprintf(out, "**abut %" PRIu64 "**; ", row->abut.wrong);
        const char *separator = "";
        for (int p = 0; p < BENCH_PEERS; ++p)
            if (row->peers[p].present && row->peers[p].judged && row->peers[p].wrong) {
                fprintf(out, "%s`%s` %" PRIu64, separator, row->c->peers[p].name, row->peers[p].wrong);
                separator = "; ";
            }
        fprintf(out, " |\n");
    }
}

static void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void json_number(FILE *out, bool present, double value)
{
    if (present && isfinite(value))
        fprintf(out, "%.6g", value);
    else
        fprintf(out, "null");
}

static void json_counters(FILE *out, const bench_time *t)
{
    fprintf(out, "{");
    for (size_t i = 0; i < t->counters.count; ++i) {
        json_string(out, t->counters.items[i].name);
        fprintf(out, ":");
        json_number(out, true, t->counters.items[i].value);
        fprintf(out, ",");
    }
    fprintf(out, "\"least_ns\":");
    json_number(out, t->present, t->least_ns);
    fprintf(out, "}");
}

static void json_wrong(FILE *out, const bench_time *t)
{
    if (t->present && t->judged)
        fprintf(out, "%" PRIu64, t->wrong);
    else
        fprintf(out, "null");
}

static void json_row(FILE *out, const bench_row *row, int peer)
{
    static const bench_time nobody;
    const bench_time *t = peer < 0 ? &nobody : &row->peers[peer];
    fprintf(out, "  {\"family\":");
    json_string(out, row->c->family);
    fprintf(out, ",\"case\":");
    json_string(out, row->c->name);
    fprintf(out, ",\"abut_ns\":");
    json_number(out, row->abut.present, row->abut.median_ns);
    fprintf(out, ",\"peer\":");
    if (peer < 0)
        fprintf(out, "null");
    else
        json_string(out, row->c->peers[peer].name);
    fprintf(out, ",\"peer_ns\":");
    json_number(out, t->present, t->median_ns);
    fprintf(out, ",\"ratio\":");
    json_number(out, ratio_of(&row->abut, t) > 0, ratio_of(&row->abut, t));
    fprintf(out, ",\"abut_wrong\":");
    json_wrong(out, &row->abut);
    fprintf(out, ",\"peer_wrong\":");
    json_wrong(out, t);
    fprintf(out, ",\"counters\":{\"abut\":");
    json_counters(out, &row->abut);
    fprintf(out, ",\"peer\":");
    json_counters(out, t);
    fprintf(out, "}}");
}

void bench_print_json(FILE *out, const bench_row *rows, size_t count)
{
    const char *separator = "\n";
    fprintf(out, "[");
    for (size_t i = 0; i < count; ++i) {
        bool alone = true;
        for (int p = 0; p < BENCH_PEERS; ++p)
            if (rows[i].peers[p].present) {
                fprintf(out, "%s", separator);
                json_row(out, &rows[i], p);
                separator = ",\n";
                alone = false;
            }
        if (alone) {
            fprintf(out, "%s", separator);
            json_row(out, &rows[i], -1);
            separator = ",\n";
        }
    }
    fprintf(out, "\n]\n");
}
