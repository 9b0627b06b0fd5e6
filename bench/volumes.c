/* SPDX-License-Identifier: MIT */
/* Three experiments of Gottschalk, Lin and Manocha (OBBTree, 1996) repeated with every volume
 * that abut has: what one test of two oriented boxes costs by separating axes, by GJK and by
 * linear programming; how many tests two concentric spheres take as the gap between them
 * shrinks; and the cost model T = Nv Cv + Np Cp on the tori of W5. */
#define _POSIX_C_SOURCE 200809L
#include "program.h"
#include "workload.h"

#include <abut/abut.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* ---- one test of two boxes ---- */

typedef struct half_space {
    double n[3], d; /* n . x <= d */
} half_space;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void box_planes(const bench_body *box, const bench_place *at, half_space out[6])
{
    for (int k = 0; k < 6; ++k) {
        const double sign = k % 2 ? 1 : -1;
        for (int i = 0; i < 3; ++i)
            out[k].n[i] = sign * at->rotation[i][k / 2];
        out[k].d = dot(out[k].n, at->position) + box->size[k / 2];
    }
}

/* The line from p along v, cut by planes 0 to count - 1, as far along c as it goes; false where
 * nothing is left. */
static bool best_on_line(const half_space *planes, int count, const double p[3], const double v[3],
                         const double c[3], double out[3])
{
    double lo = -1e6, hi = 1e6;
    for (int k = 0; k < count; ++k) {
        const double along = dot(planes[k].n, v), room = planes[k].d - dot(planes[k].n, p);
        if (fabs(along) < 1e-14) {
            if (room < -1e-12)
                return false;
            continue;
        }
        if (along > 0)
            hi = fmin(hi, room / along);
        else
            lo = fmax(lo, room / along);
    }
    if (lo > hi)
        return false;
    const double t = dot(c, v) > 0 ? hi : lo;
    for (int i = 0; i < 3; ++i)
        out[i] = p[i] + t * v[i];
    return true;
}

/* In the plane `planes[at]`, cut by those before it, the point furthest along c; Seidel's
 * recursion one dimension down. */
static bool best_in_plane(const half_space *planes, int at, const double c[3], double x[3])
{
    const double *n = planes[at].n;
    double flat[3];
    for (int i = 0; i < 3; ++i)
        flat[i] = c[i] - dot(c, n) * n[i];
    for (int i = 0; i < 3; ++i) /* far along c in the plane: what no bound cuts */
        x[i] = planes[at].d * n[i] + 1e5 * flat[i];
    for (int k = 0; k < at; ++k) {
        if (dot(planes[k].n, x) <= planes[k].d + 1e-9)
            continue;
        const double *m = planes[k].n;
        const double v[3] = { n[1] * m[2] - n[2] * m[1], n[2] * m[0] - n[0] * m[2],
                              n[0] * m[1] - n[1] * m[0] };
        const double square = dot(v, v), nm = dot(n, m);
        if (square < 1e-20) {
            if (nm < 0 && planes[k].d + planes[at].d < -1e-12)
                return false;
            continue;
        }
        const double a = (planes[at].d - planes[k].d * nm) / square,
                     b = (planes[k].d - planes[at].d * nm) / square;
        double p[3];
        for (int i = 0; i < 3; ++i)
            p[i] = a * n[i] + b * m[i];
        if (!best_on_line(planes, k, p, v, flat, x))
            return false;
    }
    return true;
}

/* Seidel's incremental linear program over the twelve planes: is there a point in both boxes?
 * The order is mixed once for all. */
static bool boxes_meet_lp(const bench_pair *pair)
{
    static const int order[12] = { 0, 7, 2, 9, 4, 11, 1, 6, 3, 8, 5, 10 };
    const double c[3] = { .36, .48, .8 };
    half_space faces[12], planes[12];
    box_planes(&pair->a, &pair->place_a, faces);
    box_planes(&pair->b, &pair->place_b, faces + 6);
    double x[3] = { 1e5 * c[0], 1e5 * c[1], 1e5 * c[2] };
    for (int k = 0; k < 12; ++k) {
        planes[k] = faces[order[k]];
        if (dot(planes[k].n, x) > planes[k].d && !best_in_plane(planes, k, c, x))
            return false;
    }
    return true;
}

static abut_shape *box_shape(const bench_body *b, bool hull)
{
    abut_shape *shape = NULL;
    const double *h = b->size;
    abut_vec3 corner[8];
    for (int i = 0; i < 8; ++i)
        corner[i] = (abut_vec3){ i & 1 ? h[0] : -h[0], i & 2 ? h[1] : -h[1], i & 4 ? h[2] : -h[2] };
    if (hull)
        abut_shape_create_convex(corner, 8, 0, NULL, &shape, NULL);
    else
        abut_shape_create_box((abut_vec3){ h[0], h[1], h[2] }, NULL, &shape);
    return shape;
}

static abut_pose pose_of(const bench_place *at)
{
    const double *p = at->position, *q = at->quaternion;
    return (abut_pose){ { p[0], p[1], p[2] }, { q[0], q[1], q[2], q[3] } };
}

/* Nanoseconds a pair; *wrong: answers that differ from the referee's. */
static double time_overlap(const bench_pairs *set, bool hull, size_t *wrong)
{
    abut_shape **shapes = bench_alloc(2 * set->count, sizeof *shapes);
    for (size_t i = 0; i < set->count; ++i) {
        shapes[2 * i] = box_shape(&set->pairs[i].a, hull);
        shapes[2 * i + 1] = box_shape(&set->pairs[i].b, hull);
    }
    double least = HUGE_VAL;
    for (int round = 0; round < 9; ++round) {
        *wrong = 0;
        const double start = now();
        for (size_t i = 0; i < set->count; ++i) {
            abut_overlap_result r;
            const abut_pose a = pose_of(&set->pairs[i].place_a), b = pose_of(&set->pairs[i].place_b);
            abut_overlap(shapes[2 * i], &a, shapes[2 * i + 1], &b, NULL, NULL, &r);
            *wrong += (r.verdict != ABUT_SEPARATE) != set->overlap[i];
        }
        least = fmin(least, now() - start);
    }
    for (size_t i = 0; i < 2 * set->count; ++i)
        abut_shape_release(shapes[i]);
    free(shapes);
    return least / (double)set->count;
}

static double time_lp(const bench_pairs *set, size_t *wrong)
{
    double least = HUGE_VAL;
    for (int round = 0; round < 9; ++round) {
        *wrong = 0;
        const double start = now();
        for (size_t i = 0; i < set->count; ++i)
            *wrong += boxes_meet_lp(&set->pairs[i]) != set->overlap[i];
        least = fmin(least, now() - start);
    }
    return least / (double)set->count;
}

static void print_box_tests(FILE *out)
{
    const bench_pairs *set = bench_pairs_get(BENCH_CLASS_BOX);
    size_t wrong[3];
    const double sat = time_overlap(set, false, &wrong[0]), gjk = time_overlap(set, true, &wrong[1]),
                 lp = time_lp(set, &wrong[2]);
    fprintf(out, "\n### One test of two oriented boxes\n\nThe 4096 pairs of W1; GJK sees the boxes as hulls "
                 "of eight points.\n\n");
    fprintf(out, "| method | ns | relative | wrong |\n|---|---|---|---|\n");
    fprintf(out, "| separating axes | %.0f | 1 | %zu |\n", sat, wrong[0]);
    fprintf(out, "| GJK | %.0f | %.1f | %zu |\n", gjk, gjk / sat, wrong[1]);
    fprintf(out, "| linear programming (Seidel) | %.0f | %.1f | %zu |\n", lp, lp / sat, wrong[2]);
}

/* ---- concentric spheres ---- */

#define GAPS 8

static abut_shape *make_shape(const bench_mesh *mesh, double size, abut_volume volume)
{
    abut_shape *shape = NULL;
    abut_vec3 *v = bench_alloc(mesh->vertex_count, sizeof *v);
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        v[i] = (abut_vec3){ size * mesh->vertices[i][0], size * mesh->vertices[i][1],
                            size * mesh->vertices[i][2] };
    abut_mesh_opts opts;
    abut_mesh_opts_init(&opts);
    opts.volume = volume;
    opts.builder = volume == ABUT_VOLUME_AUTO ? ABUT_BUILDER_AUTO : ABUT_BUILDER_MEAN;
    abut_shape_create_mesh_with(v, mesh->vertex_count, mesh->triangles[0], mesh->triangle_count, &opts, NULL,
                                &shape, NULL);
    free(v);
    return shape;
}

static uint64_t count_tests(const abut_shape *a, const abut_shape *b, uint64_t *triangles)
{
    abut_contacts_opts opts;
    abut_contacts_result r = { 0 };
    abut_contacts_opts_init(&opts);
    opts.no_segments = true;
    abut_contacts(a, NULL, b, NULL, &opts, NULL, NULL, 0, &r);
    *triangles = r.counters.triangle_tests;
    return r.counters.volume_tests;
}

/* Least-squares slope of log tests over log gap, where the gap is small against the spheres, and
 * not yet so small that most of the tree is visited: there it levels off. */
static double slope(const double gap[GAPS], const double tests[GAPS])
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int g = 0; g < GAPS; ++g) {
        if (gap[g] > .3 || tests[g] < 500 || tests[g] > .35 * tests[GAPS - 1])
            continue;
        const double x = log(gap[g]), y = log(tests[g]);
        n += 1;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return n >= 2 ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : NAN;
}

static void print_spheres(FILE *out)
{
    bench_mesh mesh;
    bench_sphere(&mesh, 40);
    double gap[GAPS];
    fprintf(out,
            "\n### Concentric spheres\n\nTwo spheres of %zu triangles, radii 1 and 1 + gap: tests of volumes "
            "until no contact is proved, and the "
            "slope of their logarithm over that of the gap.\n\n| volume |",
            mesh.triangle_count);
    for (int g = 0; g < GAPS; ++g) {
        gap[g] = ldexp(.5, -g);
        fprintf(out, " %.3g |", gap[g]);
    }
    fprintf(out, " slope |\n|---|");
    for (int g = 0; g <= GAPS; ++g)
        fprintf(out, "---|");
    fprintf(out, "\n");
    for (int v = 0; v < ABUT_VOLUME_COUNT; ++v) {
        double tests[GAPS];
        abut_shape *inner = make_shape(&mesh, 1, (abut_volume)v);
        fprintf(out, "| %s |", abut_volume_name((abut_volume)v));
        for (int g = 0; g < GAPS; ++g) {
            abut_shape *outer = make_shape(&mesh, 1 + gap[g], (abut_volume)v);
            uint64_t triangles = 0;
            tests[g] = inner && outer ? (double)count_tests(inner, outer, &triangles) : NAN;
            fprintf(out, " %.0f |", tests[g]);
            abut_shape_release(outer);
        }
        fprintf(out, " %.2f |\n", slope(gap, tests));
        abut_shape_release(inner);
    }
    bench_mesh_clear(&mesh);
}

/* ---- the cost model ---- */

static void print_costs(FILE *out)
{
    const bench_scene *scene = bench_scene_get(BENCH_SCENE_TORI_20K);
    fprintf(out, "\n### The cost model\n\nAll pairs of triangles of two tori (W5, 20 000 triangles, mean of "
                 "100 poses): tests of volumes Nv and of triangles Np, "
                 "time, and bytes a triangle, all that the shape keeps.\n\n");
    fprintf(out, "| volume | Nv | Np | µs | bytes | build, ms |\n|---|---|---|---|---|---|\n");
    for (int v = 0; v < ABUT_VOLUME_COUNT; ++v) {
        const double begin = now();
        abut_shape *shape = make_shape(scene->mesh[0], 1, (abut_volume)v);
        const double built = now() - begin;
        abut_contacts_opts opts;
        abut_contacts_opts_init(&opts);
        opts.no_segments = true;
        double volumes = 0, triangles = 0;
        const double start = now();
        for (size_t i = 0; i < scene->pose_count; ++i) {
            abut_contacts_result r = { 0 };
            const abut_pose a = pose_of(&scene->poses[i][0]), b = pose_of(&scene->poses[i][1]);
            abut_contacts(shape, &a, shape, &b, &opts, NULL, NULL, 0, &r);
            volumes += (double)r.counters.volume_tests;
            triangles += (double)r.counters.triangle_tests;
        }
        const double n = (double)scene->pose_count, took = (now() - start) / n;
        abut_hierarchy_info info = { 0 };
        abut_shape_get_hierarchy(shape, &info);
        fprintf(out, "| %s | %.0f | %.0f | %.0f | %.0f | %.2f |\n", abut_volume_name((abut_volume)v),
                volumes / n, triangles / n, 1e-3 * took,
                (double)info.total_bytes / (double)scene->mesh[0]->triangle_count, 1e-6 * built);
        abut_shape_release(shape);
    }
}

void bench_print_volumes(FILE *out)
{
    print_box_tests(out);
    print_spheres(out);
    print_costs(out);
}
