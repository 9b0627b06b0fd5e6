/* SPDX-License-Identifier: MIT */
/* Draws a family with gnuplot: on the left every contender's time on a logarithmic axis (abut a
 * disc, a peer a circle, a refuted peer a cross), on the right a bar with the ratio that counts,
 * one line a case. gnuplot gets the data inline, so the only file left is the picture. */
#define _POSIX_C_SOURCE 200809L
#include "program.h"

#include <string.h>

typedef enum mark { MARK_ABUT, MARK_PEER, MARK_REFUTED } mark;

static void print_points(FILE *pipe, const char *block, const bench_row *rows, size_t count, mark which)
{
    fprintf(pipe, "$%s << END\n", block);
    for (size_t i = 0; i < count; ++i) {
        if (which == MARK_ABUT && rows[i].abut.present)
            fprintf(pipe, "%.6g %zu\n", rows[i].abut.median_ns, count - i);
        for (int p = 0; p < BENCH_PEERS && which != MARK_ABUT; ++p) {
            const bench_time *t = &rows[i].peers[p];
            if (t->present && (t->judged && t->wrong) == (which == MARK_REFUTED))
                fprintf(pipe, "%.6g %zu\n", t->median_ns, count - i);
        }
    }
    fprintf(pipe, "NaN NaN\nEND\n"); /* a block must not be empty */
}

static double counting_ratio(const bench_row *row)
{
    return row->abut.present && row->counts >= 0 ? row->peers[row->counts].median_ns / row->abut.median_ns
                                                 : 0;
}

/* Columns: ratio, line, ratio as text. Also the ends of the axis, with 1 well inside. */
static bool print_bars(FILE *pipe, const bench_row *rows, size_t count, double *lo, double *hi)
{
    bool any = false;
    *lo = .4;
    *hi = 2.5;
    fprintf(pipe, "$bars << END\n");
    for (size_t i = 0; i < count; ++i) {
        const double ratio = counting_ratio(&rows[i]);
        if (ratio > 0) {
            fprintf(pipe, "%.6g %zu %.2g\n", ratio, count - i, ratio);
            *lo = ratio / 1.5 < *lo ? ratio / 1.5 : *lo;
            *hi = ratio * 1.5 > *hi ? ratio * 1.5 : *hi;
            any = true;
        }
    }
    fprintf(pipe, "NaN NaN 0\nEND\n");
    return any;
}

static void plot_times(FILE *pipe, const bench_row *rows, size_t count, bool alone)
{
    fprintf(pipe, "set yrange [0.3:%zu.7]\nset grid x\nset ytics noenhanced (", count);
    for (size_t i = 0; i < count; ++i)
        fprintf(pipe, "%s'%s' %zu", i ? "," : "", rows[i].c->name, count - i);
    fprintf(pipe,
            ")\nset tmargin 4\nset bmargin 4\nset logscale x\nset format x '10^{%%L}'\n"
            "set lmargin at screen 0.24\nset rmargin at screen %s\n"
            "set xlabel 'time of one question, ns'\nset key at screen 0.99, screen 1 right top horizontal "
            "maxrows 1\n",
            alone ? "0.97" : "0.68");
    fprintf(pipe, "plot $abut using 1:2 with points pt 7 ps 1 lc rgb '#0060a0' title 'abut', \\\n"
                  " $peer using 1:2 with points pt 6 ps 0.9 lc rgb '#404040' title 'peer', \\\n"
                  " $refuted using 1:2 with points pt 2 ps 0.8 lc rgb '#c03020' title 'peer, refuted'\n");
}

static void plot_ratios(FILE *pipe, double lo, double hi)
{
    fprintf(pipe,
            "set lmargin at screen 0.71\nset rmargin at screen 0.97\nunset ytics\nunset label\nset key off\n"
            "set format x '%%g'\nset xtics (0.01, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000)\n"
            "set xlabel 'fastest right peer / abut'\nset xrange [%g:%g]\n"
            "set arrow from 1, graph 0 to 1, graph 1 nohead lc rgb '#404040' front\n",
            lo, hi);
    fprintf(pipe,
            "plot $bars using (1):2:(1):1:($2-0.3):($2+0.3) with boxxyerror fs solid 0.7 noborder lc rgb "
            "'#0060a0' notitle, \\\n"
            " $bars using (1):2:3 with labels left offset character 0.5, 0 notitle, \\\n"
            " 1/0 notitle\n");
}

static bool plot_family(const char *directory, const bench_row *rows, size_t count)
{
    bool times = false;
    for (size_t i = 0; i < count; ++i)
        times |= rows[i].abut.present || rows[i].counts >= 0;
    if (!times) {
        fprintf(stderr, "abut_bench: nothing was timed in family %s, no picture\n", rows[0].c->family);
        return true;
    }
    FILE *pipe = popen("gnuplot", "w");
    if (!pipe)
        return false;
    double lo, hi;
    fprintf(pipe, "set terminal svg size 1100,%zu font 'sans,12' background 'white'\n", 130 + 22 * count);
    fprintf(pipe, "set output '%s/%s.svg'\n", directory, rows[0].c->family);
    print_points(pipe, "abut", rows, count, MARK_ABUT);
    print_points(pipe, "peer", rows, count, MARK_PEER);
    print_points(pipe, "refuted", rows, count, MARK_REFUTED);
    const bool races = print_bars(pipe, rows, count, &lo, &hi);
    fprintf(pipe, "set multiplot\nset label '%s' at screen 0.02, screen 0.96 font 'sans,15'\n",
            rows[0].c->family);
    plot_times(pipe, rows, count, !races);
    if (races)
        plot_ratios(pipe, lo, hi);
    fprintf(pipe, "unset multiplot\n");
    return pclose(pipe) == 0;
}

bool bench_plot(const char *directory, const bench_row *rows, size_t count)
{
    bool fine = true;
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && strcmp(rows[to].c->family, rows[from].c->family) == 0; ++to)
            ;
        if (!plot_family(directory, rows + from, to - from)) {
            fprintf(stderr, "abut_bench: gnuplot could not draw %s/%s.svg\n", directory,
                    rows[from].c->family);
            fine = false;
        }
    }
    return fine;
}
