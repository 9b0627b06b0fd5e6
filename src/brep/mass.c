/* SPDX-License-Identifier: MIT */
/* Mass properties of closed oriented triangles by the divergence theorem: every triangle and the centre
 * of the box span a tetrahedron with a signed volume, whose moments have closed forms. Coordinates are
 * taken from that centre, so that few digits cancel; sums are compensated (A. Neumaier, 1974).
 * Sources: B. Mirtich, Fast and accurate computation of polyhedral mass properties, 1996; the moments of
 * a tetrahedron with a corner at the origin are those of F. Tonon, 2004. */
#include "base/memory.h"
#include "brep/index.h"
#include "math/vec3.h"

typedef struct sum {
    double value, lost;
} sum;

static void add(sum *s, double x)
{
    const double t = s->value + x;
    s->lost += fabs(s->value) >= fabs(x) ? (s->value - t) + x : (x - t) + s->value;
    s->value = t;
}

static double total(const sum *s)
{
    return s->value + s->lost;
}

/* In which order products of coordinates are kept: xx yy zz xy yz zx. */
static const int first_of[6] = { 0, 1, 2, 0, 1, 2 }, second_of[6] = { 0, 1, 2, 1, 2, 0 };

void abut_brep_mass_of(const abut_vec3 *vertices, const uint32_t *triangles, size_t count,
                       abut_brep_mass *out)
{
    abut_vec3 lo = vertices[triangles[0]], hi = lo;
    for (size_t i = 0; i < 3 * count; ++i) {
        const abut_vec3 v = vertices[triangles[i]];
        lo = abut_v3(fmin(lo.x, v.x), fmin(lo.y, v.y), fmin(lo.z, v.z));
        hi = abut_v3(fmax(hi.x, v.x), fmax(hi.y, v.y), fmax(hi.z, v.z));
    }
    const abut_vec3 centre = { 0.5 * lo.x + 0.5 * hi.x, 0.5 * lo.y + 0.5 * hi.y, 0.5 * lo.z + 0.5 * hi.z };
    sum volume = { 0, 0 }, area = { 0, 0 }, first[3] = { { 0, 0 } }, second[6] = { { 0, 0 } };
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 p = abut_sub(vertices[triangles[3 * i]], centre),
                        q = abut_sub(vertices[triangles[3 * i + 1]], centre),
                        r = abut_sub(vertices[triangles[3 * i + 2]], centre);
        const double six = abut_dot(p, abut_cross(q, r)); /* of the tetrahedron's volume */
        add(&volume, six / 6);
        add(&area, 0.5 * abut_length(abut_cross(abut_sub(q, p), abut_sub(r, p))));
        const double v[3][3] = { { p.x, p.y, p.z }, { q.x, q.y, q.z }, { r.x, r.y, r.z } };
        double at[3];
        for (int k = 0; k < 3; ++k) {
            at[k] = v[0][k] + v[1][k] + v[2][k];
            add(&first[k], six / 24 * at[k]);
        }
        for (int k = 0; k < 6; ++k) {
            const int a = first_of[k], b = second_of[k];
            const double products = v[0][a] * v[0][b] + v[1][a] * v[1][b] + v[2][a] * v[2][b];
            add(&second[k], six / 120 * (at[a] * at[b] + products));
        }
    }
    *out = (abut_brep_mass){ .volume = total(&volume), .area = total(&area) };
    const double m = out->volume;
    const double c[3] = { total(&first[0]) / m, total(&first[1]) / m, total(&first[2]) / m };
    double s[6]; /* about the centroid */
    for (int k = 0; k < 6; ++k)
        s[k] = total(&second[k]) - m * c[first_of[k]] * c[second_of[k]];
    out->centroid = abut_add(centre, abut_v3(c[0], c[1], c[2]));
    out->inertia = (abut_mat3){
        { { s[1] + s[2], -s[3], -s[5] }, { -s[3], s[0] + s[2], -s[4] }, { -s[5], -s[4], s[0] + s[1] } }
    };
}

void abut_polyhedron_destroy(abut_polyhedron *solid)
{
    if (!solid)
        return;
    const abut_allocator alloc = solid->alloc;
    const abut_brep *brep = solid->topology;
    if (brep) {
        abut_base_free(&alloc, solid->face_starts, brep->face_count + 1, sizeof *solid->face_starts);
        abut_base_free(&alloc, solid->shell_signs, brep->shell_count, sizeof *solid->shell_signs);
    }
    abut_base_free(&alloc, solid->triangle_face, solid->triangle_count, sizeof *solid->triangle_face);
    abut_base_free(&alloc, solid->edge_of, solid->mesh_edge_count, sizeof *solid->edge_of);
    abut_base_free(&alloc, solid->given_faces, solid->given_count, sizeof *solid->given_faces);
    abut_index_destroy(atomic_load_explicit(&solid->index, memory_order_relaxed));
    abut_brep_destroy(solid->topology);
    abut_base_free(&alloc, solid, 1, sizeof *solid);
}
