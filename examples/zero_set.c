/* SPDX-License-Identifier: MIT */
/* Draws where F is zero, for the two ellipsoids of a scene, as an SVG on standard output:
 *     zero_set SCENE                 F(u, t) = 0: where no u has F > 0 they meet; the intervals of
 *       contact, proved, along t
 *     zero_set SCENE --independent   max F(u, s, t) over u = 0: the curve of touching; covered
 *       times along s and t, extreme points
 * Without arguments it checks itself on a pair of its own. F(u) = u (1 - u) d^T adj(S) d - det
 * S, S = u A A^T + (1 - u) B B^T. */
#include <abut/abut.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GRID = 160, SIZE = 480, EDGE = 40, MOST = 32 };

typedef struct body {
    const abut_shape *shape;
    const abut_motion *motion;
} body;

static double value(const abut_affine *a, const abut_affine *b, double u)
{
    double s[3][3] = { { 0 } };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                s[i][j] += u * a->linear.m[i][k] * a->linear.m[j][k] +
                           (1 - u) * b->linear.m[i][k] * b->linear.m[j][k];
    const double d[3] = { b->translation.x - a->translation.x, b->translation.y - a->translation.y,
                          b->translation.z - a->translation.z };
    double reach = 0, det = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const int p = (i + 1) % 3, q = (i + 2) % 3, v = (j + 1) % 3, w = (j + 2) % 3;
            const double minor = s[p][v] * s[q][w] - s[p][w] * s[q][v];
            reach += d[i] * minor * d[j];
            det += i == 0 ? s[0][j] * minor : 0;
        }
    return u * (1 - u) * reach - det;
}

static double greatest(const abut_affine *a, const abut_affine *b)
{
    double most = -INFINITY;
    for (int i = 1; i < 64; ++i)
        most = fmax(most, value(a, b, i / 64.0));
    return most;
}

/* x from left to right, y upwards, both in [0, 1]. */
static double px(double x)
{
    return EDGE + x * SIZE;
}

static double py(double y)
{
    return EDGE + (1 - y) * SIZE;
}

/* The zero line through one cell of the grid, by linear interpolation along its sides. */
static void draw_cell(double x, double y, double h, double w, const double f[4])
{
    const double corner[4][2] = { { x, y }, { x + h, y }, { x + h, y + w }, { x, y + w } };
    double at[4][2];
    int count = 0;
    for (int i = 0; i < 4; ++i) {
        const int j = (i + 1) % 4;
        if ((f[i] > 0) == (f[j] > 0))
            continue;
        const double r = f[i] / (f[i] - f[j]);
        at[count][0] = corner[i][0] + r * (corner[j][0] - corner[i][0]);
        at[count++][1] = corner[i][1] + r * (corner[j][1] - corner[i][1]);
    }
    for (int i = 0; i + 1 < count; i += 2)
        printf("<line x1='%.2f' y1='%.2f' x2='%.2f' y2='%.2f'/>\n", px(at[i][0]), py(at[i][1]),
               px(at[i + 1][0]), py(at[i + 1][1]));
}

static void begin(const char *across, const char *up)
{
    printf("<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' "
           "font-size='14'>\n"
           "<rect width='100%%' height='100%%' fill='white'/>\n"
           "<rect x='%d' y='%d' width='%d' height='%d' fill='none' stroke='#888'/>\n"
           "<text x='%d' y='%d'>%s</text><text x='%d' y='%d'>%s</text>\n",
           SIZE + 2 * EDGE, SIZE + 2 * EDGE, EDGE, EDGE, SIZE, SIZE, EDGE + SIZE / 2, SIZE + 2 * EDGE - 6,
           across, 6, EDGE + SIZE / 2, up);
}

/* A bar along an axis, below (or left of) the square. */
static void bar(bool upright, double from, double to, const char *colour)
{
    if (upright)
        printf("<line x1='%d' x2='%d' y1='%.2f' y2='%.2f' stroke='%s' stroke-width='7'/>\n", EDGE - 7,
               EDGE - 7, py(from), py(to), colour);
    else
        printf("<line x1='%.2f' x2='%.2f' y1='%d' y2='%d' stroke='%s' stroke-width='7'/>\n", px(from), px(to),
               EDGE + SIZE + 7, EDGE + SIZE + 7, colour);
}

static double fraction(abut_interval range, double t)
{
    return (t - range.lo) / (range.hi - range.lo);
}

static int draw_dependent(body a, body b, abut_interval range)
{
    static double f[GRID + 1][GRID + 1];
    abut_contact_interval in[MOST];
    abut_intervals_result found;
    if (abut_contact_intervals(a.shape, a.motion, b.shape, b.motion, NULL, NULL, in, MOST, &found) ||
        found.count > MOST)
        return 2;
    for (int i = 0; i <= GRID; ++i) {
        const double t = range.lo + (range.hi - range.lo) * i / GRID;
        abut_affine at_a, at_b;
        if (abut_ellipsoid_from_shape(a.shape, a.motion, t, &at_a) ||
            abut_ellipsoid_from_shape(b.shape, b.motion, t, &at_b))
            return 2;
        for (int j = 0; j <= GRID; ++j)
            f[i][j] = value(&at_a, &at_b, (double)j / GRID);
    }
    begin("t", "u");
    printf("<g stroke='#03c' stroke-width='1.5'>\n");
    for (int i = 0; i < GRID; ++i)
        for (int j = 0; j < GRID; ++j) {
            const double c[4] = { f[i][j], f[i + 1][j], f[i + 1][j + 1], f[i][j + 1] };
            draw_cell((double)i / GRID, (double)j / GRID, 1.0 / GRID, 1.0 / GRID, c);
        }
    printf("</g>\n");
    for (size_t i = 0; i < found.count; ++i)
        bar(false, fraction(range, in[i].enter.lo), fraction(range, in[i].exit.hi), "#c22");
    printf("</svg>\n");
    return 0;
}

static int draw_independent(body a, body b, abut_interval range)
{
    static double f[GRID + 1][GRID + 1];
    static abut_affine at_a[GRID + 1], at_b[GRID + 1];
    abut_cover_interval s[MOST], t[MOST];
    abut_extreme_point es[MOST], et[MOST];
    abut_independent_result found;
    abut_independent_opts opts;
    abut_independent_opts_init(&opts);
    opts.s = opts.t = range;
    if (abut_independent_contact(a.shape, a.motion, b.shape, b.motion, &opts, NULL, s, MOST, t, MOST, es,
                                 MOST, et, MOST, &found) ||
        found.s_count > MOST || found.t_count > MOST || found.s_extremes > MOST || found.t_extremes > MOST)
        return 2;
    for (int i = 0; i <= GRID; ++i) {
        const double at = range.lo + (range.hi - range.lo) * i / GRID;
        if (abut_ellipsoid_from_shape(a.shape, a.motion, at, &at_a[i]) ||
            abut_ellipsoid_from_shape(b.shape, b.motion, at, &at_b[i]))
            return 2;
    }
    for (int i = 0; i <= GRID; ++i)
        for (int j = 0; j <= GRID; ++j)
            f[i][j] = greatest(&at_a[i], &at_b[j]);
    begin("s, the time of the first", "t");
    printf("<g stroke='#03c' stroke-width='1.5'>\n");
    for (int i = 0; i < GRID; ++i)
        for (int j = 0; j < GRID; ++j) {
            const double c[4] = { f[i][j], f[i + 1][j], f[i + 1][j + 1], f[i][j + 1] };
            draw_cell((double)i / GRID, (double)j / GRID, 1.0 / GRID, 1.0 / GRID, c);
        }
    printf("</g>\n");
    for (int k = 0; k < 2; ++k)
        for (size_t i = 0; i < (k ? found.t_count : found.s_count); ++i) {
            const abut_cover_interval *c = k ? &t[i] : &s[i];
            if (c->cover >= ABUT_COVER_PENETRATING)
                bar(k == 1, fraction(range, c->from.lo), fraction(range, c->to.hi),
                    c->cover == ABUT_COVER_TOUCHING ? "#c22" : "#822");
        }
    for (int k = 0; k < 2; ++k)
        for (size_t i = 0; i < (k ? found.t_extremes : found.s_extremes); ++i) {
            const abut_extreme_point *e = k ? &et[i] : &es[i];
            printf("<circle cx='%.2f' cy='%.2f' r='5' fill='%s'/>\n",
                   px(fraction(range, 0.5 * (e->s.lo + e->s.hi))),
                   py(fraction(range, 0.5 * (e->t.lo + e->t.hi))), k ? "#26c" : "#c22");
        }
    printf("</svg>\n");
    return 0;
}

/* Two balls of radius 1 at distance d: F(1/2) is d^2 / 4 - 1, and touching is at d = 2. */
static int check(void)
{
    abut_affine a = { .linear = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } } }, b = a;
    b.translation.x = 2;
    const double touching = value(&a, &b, 0.5);
    b.translation.x = 3;
    return fabs(touching) < 1e-15 && fabs(value(&a, &b, 0.5) - 1.25) < 1e-15 && greatest(&a, &b) == 1.25 ? 0
                                                                                                         : 1;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return check();
    abut_scene *scene = NULL;
    abut_error error;
    if (abut_scene_load(argv[1], NULL, &scene, &error)) {
        fprintf(stderr, "%s:%d: %s: %s\n", error.file, (int)error.line, error.path, error.text);
        return 2;
    }
    size_t ia = 0, ib = 1;
    if (abut_scene_pair_count(scene) > 0)
        abut_scene_get_pair(scene, 0, &ia, &ib);
    const abut_scene_object oa = abut_scene_get_object(scene, ia), ob = abut_scene_get_object(scene, ib);
    const body a = { oa.shape, oa.motion }, b = { ob.shape, ob.motion };
    const bool independent = argc > 2 && strcmp(argv[2], "--independent") == 0;
    const int code = independent ? draw_independent(a, b, abut_scene_time(scene))
                                 : draw_dependent(a, b, abut_scene_time(scene));
    abut_scene_destroy(scene);
    return code;
}
