/* SPDX-License-Identifier: MIT */
/* Nearest points of two faces or edges by Newton's method: from a pair of points that is near to one of
 * nearest points, in two or three steps to rounding. Alternating projections need many where the
 * bodies are near to each other compared with their radii.
 *
 * At a point of a part the principal directions e and the second derivatives c along them say how it
 * moves: x + t e + t^2 c / 2. Half the square of the distance is then a quadratic function of at most
 * four parameters; its minimum is taken, and both points are projected to their parts again. What
 * comes out is judged by whoever asked: nothing here bounds anything. */
#include "math/vec3.h"
#include "narrow/brep/brep.h"

typedef struct frame {
    int count;
    abut_vec3 e[2], c[2];
} frame;

/* False for parts whose curvature is not known here. */
static bool frame_at(const abut_part *p, abut_vec3 at, frame *out)
{
    const abut_vec3 d = abut_sub(at, p->o), none = { 0, 0, 0 };
    const double x = abut_dot(d, p->x), y = abut_dot(d, p->y), q = sqrt(x * x + y * y);
    const double cosine = q > 0 ? x / q : 1, sine = q > 0 ? y / q : 0;
    const abut_vec3 m = abut_add(abut_scale(cosine, p->x), abut_scale(sine, p->y));
    const abut_vec3 t = abut_add(abut_scale(-sine, p->x), abut_scale(cosine, p->y));
    *out = (frame){ .count = 2, .e = { t, p->z }, .c = { abut_scale(q > 0 ? -1 / q : 0, m), none } };
    switch (p->kind) {
    case ABUT_CELL_POINT: out->count = 0; return true;
    case ABUT_CELL_SEGMENT:
        out->count = 1;
        out->e[0] = p->z;
        out->c[0] = none;
        return true;
    case ABUT_CELL_ARC: out->count = 1; return q > 0;
    case ABUT_CELL_PLANE:
    case ABUT_CELL_TRIANGLE:
        out->e[0] = p->x;
        out->e[1] = p->y;
        out->c[0] = none;
        return true;
    case ABUT_CELL_CYLINDER: return q > 0;
    case ABUT_CELL_CONE: out->e[1] = abut_madd(abut_scale(p->slope, m), p->rise, p->z); return q > 0;
    case ABUT_CELL_TORUS: {
        const double w = q - p->major, z = abut_dot(d, p->z), n = sqrt(w * w + z * z);
        if (!(q > 0) || !(n > 0))
            return false;
        out->e[1] = abut_madd(abut_scale(-z / n, m), w / n, p->z);
        out->c[1] = abut_scale(-1 / n, abut_madd(abut_scale(w / n, m), z / n, p->z));
        return true;
    }
    default: return false;
    }
}

/* The minimum of the quadratic function with the lower triangle h (positive definite, else false) and the
 * gradient g; directions in which it hardly bends are left alone. */
static bool minimum(int n, double h[4][4], const double g[4], double out[4])
{
    double z[4];
    for (int i = 0; i < n; ++i) {
        double sum = -g[i];
        for (int j = 0; j < i; ++j) {
            double c = h[i][j];
            for (int k = 0; k < j; ++k)
                c -= h[i][k] * h[j][k] * h[k][k];
            h[i][j] = c / h[j][j];
        }
        for (int j = 0; j < i; ++j) {
            h[i][i] -= h[i][j] * h[i][j] * h[j][j];
            sum -= h[i][j] * z[j];
        }
        if (h[i][i] < -1e-9)
            return false;
        if (h[i][i] < 1e-9)
            h[i][i] = INFINITY;
        z[i] = sum;
    }
    for (int i = n - 1; i >= 0; --i) {
        out[i] = z[i] / h[i][i];
        for (int k = i + 1; k < n; ++k)
            out[i] -= h[k][i] * out[k];
    }
    return true;
}

/* Nearest point of the whole part; of the plane where others know its border. */
static abut_vec3 whole(const abut_part *part, abut_vec3 p)
{
    if (part->trim && (part->kind == ABUT_CELL_TRIANGLE || part->kind == ABUT_CELL_PLANE))
        return abut_madd(p, -abut_dot(abut_sub(p, part->o), part->z), part->z);
    const abut_cell all = { .kind = part->kind,
                            .a = part->a,
                            .b = part->b,
                            .u0 = part->u0,
                            .u1 = part->u1,
                            .v0 = part->v0,
                            .v1 = part->v1,
                            .bulge = part->bulge,
                            .corner = { part->points[0], part->points[1], part->points[2] },
                            .sample = part->o };
    return abut_cell_project(part, &all, p);
}

bool abut_brep_polish(const abut_part *pp, const abut_part *pq, abut_vec3 at[2])
{
    bool better = false;
    for (int step = 0; step < 4; ++step) {
        frame p, q;
        if (!frame_at(pp, at[0], &p) || !frame_at(pq, at[1], &q))
            break;
        const abut_vec3 r = abut_sub(at[1], at[0]);
        const double before = abut_dot(r, r);
        const int n = p.count + q.count;
        double h[4][4] = { { 0 } }, g[4], move[4];
        for (int i = 0; i < n; ++i) {
            const bool first = i < p.count;
            const int k = first ? i : i - p.count;
            g[i] = first ? -abut_dot(r, p.e[k]) : abut_dot(r, q.e[k]);
            h[i][i] = 1 + (first ? -abut_dot(r, p.c[k]) : abut_dot(r, q.c[k]));
            for (int j = 0; j < p.count && !first; ++j)
                h[i][j] = -abut_dot(q.e[k], p.e[j]);
        }
        if (n == 0 || !minimum(n, h, g, move))
            break;
        abut_vec3 x = at[0], y = at[1];
        for (int i = 0; i < p.count; ++i)
            x = abut_madd(x, move[i], p.e[i]);
        for (int i = 0; i < q.count; ++i)
            y = abut_madd(y, move[p.count + i], q.e[i]);
        x = whole(pp, x);
        y = whole(pq, y);
        const abut_vec3 d = abut_sub(y, x);
        const double after = abut_dot(d, d);
        if (!(after < before))
            break;
        better = true;
        at[0] = x;
        at[1] = y;
        if (after > before * (1 - 1e-12))
            break;
    }
    return better;
}
