/* SPDX-License-Identifier: MIT */
/* Faces with a parametric form (parametric and Bezier shapes): a grid of parameters, as fine as the
 * tolerance asks for, evaluated through the jets of the surface. Edges are those of the surface.
 *
 * How fine: the middle of every chord is compared with the surface, along lines of either parameter,
 * and the number of pieces doubled until they agree. */
#include "tessellate/tessellate.h"

#include <math.h>

#include "surface/surface.h"

enum { MOST_PIECES = 256, LINES = 7 };

typedef struct face_sampler {
    const abut_surface *surface;
    const abut_surface_feature *feature;
    ia *scratch;
    double time;
} face_sampler;

static double middle(ia x)
{
    const abut_interval v = { ia_lo(x), ia_hi(x) };
    return isfinite(v.lo) && isfinite(v.hi) ? 0.5 * v.lo + 0.5 * v.hi : NAN;
}

static abut_vec3 middle3(ia3 p)
{
    return abut_v3(middle(p.x), middle(p.y), middle(p.z));
}

/* The point, and its normal where asked for; false where it is not defined. */
static bool sample(const face_sampler *f, double u, double v, abut_vec3 *p, abut_vec3 *n)
{
    const abut_interval *range = f->feature->range;
    const abut_rounding saved = abut_rounding_enter();
    const ia at[2] = { ia_point(range[0].lo + u * (range[0].hi - range[0].lo)),
                       ia_point(range[1].lo + v * (range[1].hi - range[1].lo)) };
    abut_jet jet;
    const bool fine =
        abut_feature_jet(f->surface, f->feature, at, ia_point(f->time), n ? 1 : 0, f->scratch, &jet);
    abut_rounding_leave(saved);
    *p = middle3(jet.p);
    if (n)
        *n = f->feature->dimension == 2 ? abut_unit_or(middle3(jet.n), abut_v3(0, 0, 0)) : abut_v3(0, 0, 0);
    return fine && abut_is_finite3(*p);
}

/* Pieces along one parameter so that chords are within the tolerance. */
static int pieces_along(const abut_tess *t, const face_sampler *f, int parameter)
{
    int pieces = 2;
    for (; pieces < MOST_PIECES; pieces *= 2) {
        double worst = 0;
        const int lines = f->feature->dimension == 2 ? LINES : 1;
        for (int line = 0; line < lines && worst <= t->tolerance; ++line)
            for (int i = 0; i < pieces && worst <= t->tolerance; ++i) {
                const double across = lines == 1 ? 0 : (double)line / (lines - 1);
                abut_vec3 p[3];
                bool fine = true;
                for (int k = 0; k < 3; ++k) {
                    const double along = (i + 0.5 * k) / pieces;
                    fine &= sample(f, parameter ? across : along, parameter ? along : across, &p[k], NULL);
                }
                if (fine)
                    worst = fmax(worst, abut_length(abut_sub(p[1], abut_scale(0.5, abut_add(p[0], p[2])))));
            }
        /* Two pieces may agree by symmetry alone; four seldom do. */
        if (pieces > 2 && worst <= t->tolerance)
            break;
    }
    return pieces;
}

/* At the most demanding of a few times. */
static int pieces_over_span(const abut_tess *t, const abut_surface *s, face_sampler f, int parameter)
{
    enum { TIMES = 5 };
    const abut_interval span = t->opts.span;
    if (!s->deforms || !(span.hi > span.lo))
        return pieces_along(t, &f, parameter);
    int most = 0;
    for (int i = 0; i < TIMES; ++i) {
        f.time = span.lo + (span.hi - span.lo) * i / (TIMES - 1);
        const int pieces = pieces_along(t, &f, parameter);
        most = pieces > most ? pieces : most;
    }
    return most;
}

/* Poles have no normal: that of the triangles around does. */
static void mend_normals(abut_tess *t, uint32_t first, const uint32_t *triangles, size_t corner_count)
{
    abut_vec3 *n = t->normals.items;
    const abut_vec3 *p = t->vertices.items;
    for (size_t i = 0; i + 2 < corner_count; i += 3) {
        const uint32_t *c = triangles + i;
        for (int k = 0; k < 3; ++k)
            if (c[k] >= first && abut_dot(n[c[k]], n[c[k]]) < 0.5) {
                const abut_vec3 area = abut_cross(abut_sub(p[c[1]], p[c[0]]), abut_sub(p[c[2]], p[c[0]]));
                n[c[k]] = abut_madd(n[c[k]], 0.25, abut_unit_or(area, abut_v3(0, 0, 0)));
            }
    }
    for (size_t i = first; i < t->vertices.count; ++i)
        n[i] = abut_unit_or(n[i], abut_v3(0, 0, 1));
}

static void add_face(abut_tess *t, const face_sampler *f)
{
    const int nu = pieces_over_span(t, f->surface, *f, 0), nv = pieces_over_span(t, f->surface, *f, 1);
    const uint32_t first = (uint32_t)t->vertices.count, row = (uint32_t)nu + 1;
    const size_t begin = t->triangles.count;
    for (int j = 0; j <= nv; ++j)
        for (int i = 0; i <= nu && !t->status; ++i) {
            abut_vec3 p, n;
            if (!sample(f, (double)i / nu, (double)j / nv, &p, &n)) {
                abut_tess_fail(t, ABUT_ERR_VALUE);
                return;
            }
            abut_tess_vertex(t, p, n);
        }
    for (uint32_t j = 0; j < (uint32_t)nv; ++j)
        for (uint32_t i = 0; i < (uint32_t)nu && !t->status; ++i) {
            const uint32_t a = first + j * row + i, b = a + 1, d = a + row, c = d + 1;
            /* along the shorter diagonal */
            const abut_vec3 *p = t->vertices.items;
            if (abut_length(abut_sub(p[a], p[c])) <= abut_length(abut_sub(p[b], p[d]))) {
                abut_tess_facing(t, a, b, c);
                abut_tess_facing(t, a, c, d);
            } else {
                abut_tess_facing(t, a, b, d);
                abut_tess_facing(t, b, c, d);
            }
        }
    if (!t->status)
        mend_normals(t, first, t->triangles.items + begin, t->triangles.count - begin);
}

static void add_edge(abut_tess *t, const face_sampler *f)
{
    const int pieces = pieces_over_span(t, f->surface, *f, 0);
    uint32_t last = 0;
    for (int i = 0; i <= pieces && !t->status; ++i) {
        abut_vec3 p;
        if (!sample(f, (double)i / pieces, 0, &p, NULL))
            return;
        const uint32_t v = abut_tess_vertex(t, p, abut_v3(0, 0, 1));
        if (i > 0)
            abut_tess_edge(t, last, v);
        last = v;
    }
}

void abut_tess_surface(abut_tess *t, const abut_shape *shape)
{
    abut_surface surface;
    const abut_status status = abut_shape_surface(shape, &t->ws, &surface);
    ia *scratch = status ? NULL : abut_workspace_take(&t->ws, surface.scratch + 1, sizeof *scratch);
    if (!scratch) {
        abut_tess_fail(t, status ? status : ABUT_ERR_MEMORY);
        return;
    }
    t->solid = surface.solid;
    for (size_t i = 0; i < surface.feature_count && !t->status; ++i) {
        const face_sampler f = { &surface, &surface.features[i], scratch, t->opts.time };
        if (!f.feature->parametric)
            continue;
        if (f.feature->dimension == 2)
            add_face(t, &f);
        else if (f.feature->dimension == 1)
            add_edge(t, &f);
    }
}
