/* SPDX-License-Identifier: MIT */
/* Polyhedra: where points are, how segments pass, whether two solids meet. Spheres and tori of n by n faces
 * with as many vertices, edges and faces as in Table 1 of G. Vanecek, A data structure for analyzing
 * collisions of moving objects, 1990, and more. Factors of the coordinates have 20 bits, so that each face has
 * two sides that are exactly parallel, and is planar. The referee counts all triangles on a ray or segment in
 * long double, and all pairs of triangles that meet. abut's counters say how large the index is and what it
 * cost. */
#include "polyhedron_case.h"

#include "referee.h"

#include <abut/abut.h>

#include <math.h>
#include <stdlib.h>
#include <time.h>

typedef long double real;

/* ---- solids ---- */

/* To a multiple of 2^-20. */
static double rounded(double x)
{
    return floor(x * 0x1p20 + 0.5) * 0x1p-20;
}

static void put_face(bench_polyhedron_job *job, int count, const uint32_t *v)
{
    for (int i = 0; i < count; ++i)
        job->indices[job->index_count++] = v[i];
    job->sizes[job->face_count++] = (uint32_t)count;
    for (int i = 2; i < count; ++i) {
        uint32_t *t = job->mesh.triangles[job->mesh.triangle_count++];
        t[0] = v[0];
        t[1] = v[i - 1];
        t[2] = v[i];
    }
}

static void put_ring(bench_polyhedron_job *job, size_t n, double radius, double z)
{
    for (size_t k = 0; k < n; ++k) {
        double c, s, *v = job->mesh.vertices[job->mesh.vertex_count++];
        bench_turn(k, n, &c, &s);
        v[0] = rounded(c) * radius;
        v[1] = rounded(s) * radius;
        v[2] = z;
    }
}

/* Quadrilaterals between two rings, seen from outside where the second is above. */
static void put_band(bench_polyhedron_job *job, size_t n, uint32_t below, uint32_t above)
{
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t next = (uint32_t)((k + 1) % n);
        const uint32_t v[4] = { below + k, below + next, above + next, above + k };
        put_face(job, 4, v);
    }
}

static void make_torus(bench_polyhedron_job *job, size_t n)
{
    for (size_t j = 0; j < n; ++j) {
        double c, s;
        bench_turn(j, n, &c, &s);
        put_ring(job, n, rounded(1 + 0.4 * c), rounded(0.4 * s));
    }
    for (size_t j = 0; j < n; ++j)
        put_band(job, n, (uint32_t)(j * n), (uint32_t)((j + 1) % n * n));
}

static void make_sphere(bench_polyhedron_job *job, size_t n)
{
    for (size_t j = 1; j < n; ++j) { /* from the south */
        double c, s;
        bench_turn(j, 2 * n, &c, &s);
        put_ring(job, n, rounded(s), -rounded(c));
    }
    const uint32_t south = (uint32_t)job->mesh.vertex_count, north = south + 1,
                   last = (uint32_t)((n - 2) * n);
    for (int k = 0; k < 2; ++k) {
        double *v = job->mesh.vertices[job->mesh.vertex_count++];
        v[0] = v[1] = 0;
        v[2] = k ? 1 : -1;
    }
    for (size_t j = 0; j + 2 < n; ++j)
        put_band(job, n, (uint32_t)(j * n), (uint32_t)((j + 1) * n));
    for (uint32_t k = 0; k < n; ++k) {
        const uint32_t next = (uint32_t)((k + 1) % n);
        const uint32_t low[3] = { south, next, k }, high[3] = { north, last + k, last + next };
        put_face(job, 3, low);
        put_face(job, 3, high);
    }
}

/* ---- the referee ---- */

/* How a line from p along d passes a triangle: t and 1, or 0 where it does not; -1: too close to a side. */
static int pierce(const bench_mesh *m, size_t i, const double p[3], const double d[3], real *t)
{
    real v[3][3], e1[3], e2[3], h[3], q[3], s[3];
    for (int k = 0; k < 3; ++k)
        for (int a = 0; a < 3; ++a)
            v[k][a] = m->vertices[m->triangles[i][k]][a];
    for (int a = 0; a < 3; ++a) {
        e1[a] = v[1][a] - v[0][a];
        e2[a] = v[2][a] - v[0][a];
        s[a] = p[a] - v[0][a];
    }
    for (int a = 0; a < 3; ++a) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        h[a] = d[b] * e2[c] - d[c] * e2[b];
        q[a] = s[b] * e1[c] - s[c] * e1[b];
    }
    real det = 0, u = 0, w = 0, z = 0;
    for (int a = 0; a < 3; ++a) {
        det += e1[a] * h[a];
        u += s[a] * h[a];
        w += d[a] * q[a];
        z += e2[a] * q[a];
    }
    if (fabsl(det) < 1e-18L)
        return -1;
    u /= det;
    w /= det;
    const real tiny = 1e-9L;
    if (u < -tiny || w < -tiny || u + w > 1 + tiny)
        return 0;
    *t = z / det;
    return u > tiny && w > tiny && u + w < 1 - tiny ? 1 : -1;
}

/* Triangles between p and p + d; -1: too close to call. */
static int passes(const bench_mesh *m, const double p[3], const double d[3], bool ray)
{
    int count = 0;
    for (size_t i = 0; i < m->triangle_count; ++i) {
        real t = 0;
        const int hit = pierce(m, i, p, d, &t);
        if (hit == 0 || t < -1e-9L || (!ray && t > 1 + 1e-9L))
            continue;
        if (hit < 0 || t < 1e-9L || (!ray && t > 1 - 1e-9L))
            return -1;
        ++count;
    }
    return count;
}

static void pick_point(bench_random *r, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = bench_uniform(r, -1.4, 1.4);
}

static void ask_points(bench_polyhedron_job *job, bool flat, bench_random *r)
{
    for (size_t i = 0; i < job->count;) {
        pick_point(r, job->from[i]);
        if (flat) /* in the box of a torus */
            job->from[i][2] *= 0.4 / 1.4;
        else
            for (int k = 0; k < 3; ++k)
                job->from[i][k] /= 1.4;
        const double up[3] = { bench_uniform(r, -0.2, 0.2), bench_uniform(r, -0.2, 0.2), 1 };
        const int count = passes(&job->mesh, job->from[i], up, true);
        if (count >= 0)
            job->truth[i++] = count % 2;
    }
}

static void ask_segments(bench_polyhedron_job *job, bench_random *r)
{
    for (size_t i = 0; i < job->count;) {
        double d[3];
        pick_point(r, job->from[i]);
        pick_point(r, job->to[i]);
        for (int k = 0; k < 3; ++k)
            d[k] = job->to[i][k] - job->from[i][k];
        const int count = passes(&job->mesh, job->from[i], d, false);
        if (count >= 0)
            job->truth[i++] = count;
    }
}

/* Two copies, one turned, from 0.8 to 2.4 apart. */
static void ask_pairs(bench_polyhedron_job *job, bench_random *r)
{
    bench_tree *tree = bench_tree_create(&job->mesh);
    for (size_t i = 0; i < job->count; ++i) {
        double q[4], along[3], length = 0, norm = 0;
        for (int k = 0; k < 4; ++k) {
            q[k] = bench_uniform(r, -1, 1);
            norm += q[k] * q[k];
        }
        for (int k = 0; k < 3; ++k) {
            along[k] = bench_uniform(r, -1, 1);
            length += along[k] * along[k];
        }
        const double apart = bench_uniform(r, 0.8, 2.4);
        for (int k = 0; k < 4; ++k)
            q[k] /= sqrt(norm);
        const double none[4] = { 1, 0, 0, 0 };
        bench_place_set_quaternion(&job->places[i][0], none);
        bench_place_set_quaternion(&job->places[i][1], q);
        for (int k = 0; k < 3; ++k) {
            job->places[i][0].position[k] = 0;
            job->places[i][1].position[k] = along[k] * apart / sqrt(length);
        }
        job->truth[i] = bench_referee_mesh_pairs(tree, tree, job->places[i]) > 0;
    }
    bench_tree_destroy(tree);
}

uint64_t bench_polyhedron_wrong(void *state, int variant)
{
    (void)variant;
    const bench_answers *answers = state;
    const bench_polyhedron_job *job = answers->job;
    uint64_t wrong = 0;
    for (size_t i = 0; i < job->count; ++i)
        wrong += answers->value[i] != job->truth[i];
    return wrong;
}

/* ---- abut ---- */

typedef struct own_state {
    bench_answers answers;
    abut_shape *shape;
    abut_pose (*poses)[2];
    abut_workspace *ws;
    double build; /* seconds of processor time that the index took */
} own_state;

static abut_vec3 vec(const double p[3])
{
    return (abut_vec3){ p[0], p[1], p[2] };
}

static void *prepare(void *data, int variant)
{
    (void)variant;
    const bench_polyhedron_job *job = data;
    own_state *s = bench_alloc(1, sizeof *s);
    *s = (own_state){ 0 };
    bench_answers_init(&s->answers, job, job->count);
    abut_workspace_create(NULL, &s->ws);
    abut_shape_create_polyhedron((const abut_vec3 *)(const void *)job->mesh.vertices, job->mesh.vertex_count,
                                 job->sizes, job->face_count, job->indices, job->index_count, NULL, &s->shape,
                                 NULL);
    abut_index_info info;
    const clock_t start = clock();
    if (job->query != BENCH_POLYHEDRON_PAIR && abut_polyhedron_get_index(s->shape, &info) == ABUT_OK)
        s->build = (double)(clock() - start) / CLOCKS_PER_SEC;
    s->poses = bench_alloc(job->count, sizeof *s->poses);
    for (size_t i = 0; job->query == BENCH_POLYHEDRON_PAIR && i < job->count; ++i)
        for (int k = 0; k < 2; ++k) {
            const bench_place *p = &job->places[i][k];
            s->poses[i][k] =
                (abut_pose){ vec(p->position),
                             { p->quaternion[0], p->quaternion[1], p->quaternion[2], p->quaternion[3] } };
        }
    return s;
}

static double pass_count(const own_state *s, const bench_polyhedron_job *job, size_t i)
{
    abut_piece pieces[256];
    size_t count = 0;
    double points = 0;
    abut_classify_segment(s->shape, NULL, vec(job->from[i]), vec(job->to[i]), pieces, 256, &count);
    for (size_t k = 0; k < count && k < 256; ++k)
        points += pieces[k].where >= ABUT_WHERE_VERTEX;
    return points;
}

static double run(void *state, int variant)
{
    (void)variant;
    own_state *s = state;
    const bench_polyhedron_job *job = s->answers.job;
    for (size_t i = 0; i < job->count; ++i) {
        double *found = &s->answers.value[i];
        if (job->query == BENCH_POLYHEDRON_POINT) {
            abut_piece piece;
            abut_classify_point(s->shape, NULL, vec(job->from[i]), &piece);
            *found = piece.where == ABUT_WHERE_IN;
        } else if (job->query == BENCH_POLYHEDRON_SEGMENT) {
            *found = pass_count(s, job, i);
        } else {
            abut_overlap_result result = { 0 };
            abut_overlap(s->shape, &s->poses[i][0], s->shape, &s->poses[i][1], NULL, s->ws, &result);
            *found = result.verdict == ABUT_TOUCHING || result.verdict == ABUT_PENETRATING;
        }
    }
    return bench_answers_sum(&s->answers, job->count);
}

static void count_work(void *state, int variant, bench_counters *counters)
{
    (void)variant;
    const own_state *s = state;
    const bench_polyhedron_job *job = s->answers.job;
    abut_index_info info;
    if (job->query == BENCH_POLYHEDRON_PAIR || abut_polyhedron_get_index(s->shape, &info) != ABUT_OK)
        return;
    bench_count(counters, "nodes", (double)info.nodes);
    bench_count(counters, "height", (double)info.height);
    bench_count(counters, "average height", info.average_height);
    bench_count(counters, "build ms", 1e3 * s->build);
}

static void finish_own(void *state, int variant)
{
    (void)variant;
    own_state *s = state;
    abut_shape_release(s->shape);
    abut_workspace_destroy(s->ws);
    free(s->poses);
    bench_answers_clear(&s->answers);
    free(s);
}

/* ---- cases ---- */

typedef struct row {
    const char *name;
    bench_polyhedron_query query;
    size_t n, count;
    bool torus, quick;
} row;

#define POINT   BENCH_POLYHEDRON_POINT
#define SEGMENT BENCH_POLYHEDRON_SEGMENT
#define PAIR    BENCH_POLYHEDRON_PAIR

/* The names say how many vertices, edges and faces there are. */
static const row rows[] = {
    { "point sphere 58", POINT, 4, 1000, false, true },
    { "point sphere 134", POINT, 6, 1000, false, false },
    { "point sphere 242", POINT, 8, 1000, false, false },
    { "point sphere 382", POINT, 10, 1000, false, false },
    { "point sphere 1562", POINT, 20, 1000, false, false },
    { "point sphere 15752", POINT, 63, 1000, false, false },
    { "point sphere 159602", POINT, 200, 1000, false, false },
    { "point sphere 999002", POINT, 500, 300, false, false },
    { "point torus 64", POINT, 4, 1000, true, false },
    { "point torus 144", POINT, 6, 1000, true, false },
    { "point torus 256", POINT, 8, 1000, true, false },
    { "point torus 400", POINT, 10, 1000, true, false },
    { "point torus 1600", POINT, 20, 1000, true, false },
    { "point torus 15876", POINT, 63, 1000, true, false },
    { "point torus 160000", POINT, 200, 1000, true, false },
    { "point torus 1000000", POINT, 500, 300, true, false },
    { "segment sphere 1562", SEGMENT, 20, 500, false, false },
    { "segment sphere 159602", SEGMENT, 200, 500, false, false },
    { "segment sphere 58", SEGMENT, 4, 500, false, false },
    { "segment torus 64", SEGMENT, 4, 500, true, false },
    { "segment torus 400", SEGMENT, 10, 500, true, true },
    { "segment torus 1600", SEGMENT, 20, 500, true, false },
    { "segment torus 15876", SEGMENT, 63, 500, true, false },
    { "segment torus 160000", SEGMENT, 200, 500, true, false },
    { "pair sphere 1562", PAIR, 20, 200, false, false },
    { "pair sphere 15752", PAIR, 63, 200, false, false },
    { "pair torus 400", PAIR, 10, 200, true, true },
    { "pair torus 1600", PAIR, 20, 200, true, false },
    { "pair torus 15876", PAIR, 63, 200, true, false },
    { "pair torus 160000", PAIR, 200, 200, true, false },
};

static void *setup(const bench_case *c, bool quick, uint64_t *questions)
{
    const row *which = c->param;
    if (quick && !which->quick)
        return NULL;
    bench_polyhedron_job *job = bench_alloc(1, sizeof *job);
    const size_t n = which->n, faces = n * n;
    *job = (bench_polyhedron_job){ .query = which->query, .n = n, .count = quick ? 50 : which->count };
    job->mesh.vertices = bench_alloc(n * n + 2, sizeof *job->mesh.vertices);
    job->mesh.triangles = bench_alloc(2 * faces, sizeof *job->mesh.triangles);
    job->sizes = bench_alloc(faces, sizeof *job->sizes);
    job->indices = bench_alloc(4 * faces, sizeof *job->indices);
    job->from = bench_alloc(job->count, sizeof *job->from);
    job->to = bench_alloc(job->count, sizeof *job->to);
    job->places = bench_alloc(job->count, sizeof *job->places);
    job->truth = bench_alloc(job->count, sizeof *job->truth);
    (which->torus ? make_torus : make_sphere)(job, n);
    bench_random r = { 20020 + n };
    if (which->query == BENCH_POLYHEDRON_POINT)
        ask_points(job, which->torus, &r);
    else if (which->query == BENCH_POLYHEDRON_SEGMENT)
        ask_segments(job, &r);
    else
        ask_pairs(job, &r);
    *questions = job->count;
    return job;
}

static void teardown(void *data)
{
    bench_polyhedron_job *job = data;
    bench_mesh_clear(&job->mesh);
    free(job->sizes);
    free(job->indices);
    free(job->from);
    free(job->to);
    free(job->places);
    free(job->truth);
    free(job);
}

void bench_register_polyhedron(void);
void bench_register_polyhedron(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        bench_case c = { .family = "polyhedron",
                         .name = rows[i].name,
                         .param = &rows[i],
                         .setup = setup,
                         .teardown = teardown,
                         .abut = { .prepare = prepare,
                                   .run = run,
                                   .wrong = bench_polyhedron_wrong,
                                   .count = count_work,
                                   .finish = finish_own } };
        int used = 0;
#ifdef BENCH_HAVE_CGAL
        used += bench_cgal_polyhedra(rows[i].query, c.peers + used, BENCH_PEERS - used);
#endif
#ifdef BENCH_HAVE_FCL
        used += bench_fcl_polyhedra(rows[i].query, c.peers + used, BENCH_PEERS - used);
#endif
        (void)used;
        bench_add(&c);
    }
}
