/* SPDX-License-Identifier: MIT */
/* A torus and any other surface: the zeros of a function of two angles, on cells that are
 * subdivided until the topology is certain.
 *
 * Source: S. Plantinga, G. Vegter, Isotopic meshing of implicit surfaces, The Visual Computer 23
 * (2007), in two dimensions and on a closed surface without a rim. A cell is left out when the
 * function has no zero in it. All cells that are left are split together until the gradients at
 * any two points of each are less than a right angle apart. Then the curve crosses each side whose
 * ends have different signs, and no others as far as isotopy goes; a cell has two such sides or
 * none, and joining them gives a graph with one component for each of the curve.
 *
 * All zeros on one side are on the same component: if there are several, the gradient is across
 * the side somewhere, so that in both cells next to it the curve is a graph over the side; between
 * two zeros it departs from the side by less than half the side's length, and so stays in the
 * cell. */
#include "intersect/torus.h"

#include <string.h>

enum { FIRST_LEVEL = 3, LAST_LEVEL = 14, MOST_CELLS = 2048, MOST_EDGES = 8192 };

typedef struct edge {
    uint32_t key; /* 1 + number, 0: free */
    uint16_t parent, next;
} edge;

typedef struct grid {
    const abut_torus *torus;
    abut_torus_function f, by_phi, by_psi, second[3]; /* phi phi, phi psi, psi psi */
    double offset[2];                                 /* of the grid, in turns */
    int level, count;
    uint32_t cells[MOST_CELLS]; /* i, j in 16 bits each */
    edge edges[MOST_EDGES];
} grid;

/* 1, cos, sin, cos 2, sin 2 */
typedef struct basis {
    ia b[5];
} basis;

/* Of angles in turns: two pi times doubles. */
static basis basis_of(double lo, double hi)
{
    const ia angle = ia_mul(ia_scale(2, ia_pi()), ia_make(lo, hi));
    basis out;
    out.b[0] = ia_point(1);
    ia_sin_cos(angle, &out.b[2], &out.b[1]);
    if (lo == hi) {
        out.b[3] = ia_sub(ia_sqr(out.b[1]), ia_sqr(out.b[2]));
        out.b[4] = ia_scale(2, ia_mul(out.b[1], out.b[2]));
    } else {
        ia_sin_cos(ia_scale(2, angle), &out.b[4], &out.b[3]);
    }
    return out;
}

static ia evaluate(const abut_torus_function *f, const basis *phi, const basis *psi)
{
    ia sum = ia_point(0);
    for (int i = 0; i < 5; ++i) {
        ia row = f->f[i][0];
        for (int j = 1; j < 5; ++j)
            row = ia_add(row, ia_mul(f->f[i][j], psi->b[j]));
        sum = i == 0 ? row : ia_add(sum, ia_mul(row, phi->b[i]));
    }
    return sum;
}

/* The derivative by one of the angles, in radians. */
static void differentiate(const abut_torus_function *f, bool by_psi, abut_torus_function *out)
{
    for (int k = 0; k < 5; ++k) {
#define AT(array, i) (*(by_psi ? &(array)->f[k][i] : &(array)->f[i][k]))
        AT(out, 0) = ia_point(0);
        AT(out, 1) = AT(f, 2);
        AT(out, 2) = ia_neg(AT(f, 1));
        AT(out, 3) = ia_scale(2, AT(f, 4));
        AT(out, 4) = ia_scale(-2, AT(f, 3));
#undef AT
    }
}

static double node(const grid *g, int which, int i)
{
    return g->offset[which] + ldexp(i, -g->level); /* exact: offsets have few bits */
}

/* Whether the gradients in the cell are less than a right angle apart; empty: no zero in the cell. */
static bool look(const grid *g, int i, int j, bool *empty)
{
    const double a = node(g, 0, i), b = node(g, 1, j), size = ldexp(1, -g->level);
    const basis phi = basis_of(a, a + size), psi = basis_of(b, b + size);
    const basis mid_a = basis_of(a + size / 2, a + size / 2), mid_b = basis_of(b + size / 2, b + size / 2);
    const ia half = ia_mul(ia_pi(), ia_make(-size, size));
    /* Mean values, of the gradient too. */
    const ia mixed = evaluate(&g->second[1], &phi, &psi);
    const ia fa = ia_add(evaluate(&g->by_phi, &mid_a, &mid_b),
                         ia_add(ia_mul(evaluate(&g->second[0], &phi, &psi), half), ia_mul(mixed, half)));
    const ia fb = ia_add(evaluate(&g->by_psi, &mid_a, &mid_b),
                         ia_add(ia_mul(evaluate(&g->second[2], &phi, &psi), half), ia_mul(mixed, half)));
    const ia f = ia_add(evaluate(&g->f, &mid_a, &mid_b), ia_add(ia_mul(fa, half), ia_mul(fb, half)));
    *empty = !ia_contains_zero(f);
    /* The scalar product of gradients at two points. */
    return *empty || ia_is_positive(ia_add(ia_mul(fa, fa), ia_mul(fb, fb)));
}

/* Splits until the topology is certain; false where that takes too many cells. */
static bool refine(grid *g)
{
    g->level = FIRST_LEVEL;
    g->count = 0;
    for (uint32_t i = 0; i < 1u << FIRST_LEVEL; ++i)
        for (uint32_t j = 0; j < 1u << FIRST_LEVEL; ++j)
            g->cells[g->count++] = i << 16 | j;
    for (;;) {
        int kept = 0;
        bool certain = true;
        for (int k = 0; k < g->count; ++k) {
            bool empty;
            certain = look(g, (int)(g->cells[k] >> 16), (int)(g->cells[k] & 0xffff), &empty) && certain;
            if (!empty)
                g->cells[kept++] = g->cells[k];
        }
        g->count = kept;
        if (certain)
            return true;
        if (g->level == LAST_LEVEL || 4 * kept > MOST_CELLS)
            return false;
        ++g->level;
        for (int k = kept - 1; k >= 0; --k) {
            const uint32_t i = 2 * (g->cells[k] >> 16), j = 2 * (g->cells[k] & 0xffff);
            for (uint32_t s = 0; s < 4; ++s)
                g->cells[4 * k + (int)s] = (i + (s >> 1)) << 16 | (j + (s & 1));
        }
        g->count = 4 * kept;
    }
}

static int sign_at(const grid *g, int i, int j)
{
    const double a = node(g, 0, i), b = node(g, 1, j);
    const basis phi = basis_of(a, a), psi = basis_of(b, b);
    return ia_sign(evaluate(&g->f, &phi, &psi));
}

static int find_edge(grid *g, int i, int j, int direction)
{
    const uint32_t n = 1u << g->level, mask = n - 1;
    const uint32_t key =
        1 + (((((uint32_t)i & mask) << g->level) | ((uint32_t)j & mask)) << 1 | (uint32_t)direction);
    uint32_t slot = key * 2654435761u >> 19;
    while (g->edges[slot].key != 0 && g->edges[slot].key != key)
        slot = (slot + 1) % MOST_EDGES;
    if (g->edges[slot].key == 0)
        g->edges[slot] = (edge){ key, (uint16_t)slot, 0 };
    return (int)slot;
}

static int root_of(grid *g, int i)
{
    while (g->edges[i].parent != i) {
        g->edges[i].parent = g->edges[g->edges[i].parent].parent;
        i = g->edges[i].parent;
    }
    return i;
}

/* Joins the sides with a change of sign; false where a sign is not certain. */
static bool connect(grid *g)
{
    memset(g->edges, 0, sizeof g->edges);
    for (int k = 0; k < g->count; ++k) {
        const int i = (int)(g->cells[k] >> 16), j = (int)(g->cells[k] & 0xffff);
        int sign[4], crossed[4], n = 0;
        for (int c = 0; c < 4; ++c) {
            sign[c] = sign_at(g, i + (c >> 1), j + (c & 1));
            if (sign[c] == 0)
                return false;
        }
        if (sign[0] != sign[1])
            crossed[n++] = find_edge(g, i, j, 1);
        if (sign[2] != sign[3])
            crossed[n++] = find_edge(g, i + 1, j, 1);
        if (sign[0] != sign[2])
            crossed[n++] = find_edge(g, i, j, 0);
        if (sign[1] != sign[3])
            crossed[n++] = find_edge(g, i, j + 1, 0);
        if (n == 4)
            return false;
        if (n == 2)
            g->edges[root_of(g, crossed[1])].parent = (uint16_t)root_of(g, crossed[0]);
    }
    return true;
}

/* A zero on a side, by bisection with certain signs. */
static ia3 zero_on(const grid *g, uint32_t key)
{
    const uint32_t mask = (1u << g->level) - 1;
    const int direction = (int)((key - 1) & 1), j = (int)((key - 1) >> 1 & mask),
              i = (int)((key - 1) >> (1 + g->level));
    double lo[2] = { node(g, 0, i), node(g, 1, j) }, hi[2] = { lo[0], lo[1] };
    hi[direction] += ldexp(1, -g->level);
    basis phi = basis_of(lo[0], lo[0]), psi = basis_of(lo[1], lo[1]);
    const int first = ia_sign(evaluate(&g->f, &phi, &psi));
    for (int step = 0; step < 50; ++step) {
        const double mid = 0.5 * (lo[direction] + hi[direction]);
        *(direction ? &psi : &phi) = basis_of(mid, mid);
        const int sign = ia_sign(evaluate(&g->f, &phi, &psi));
        if (sign == 0 || mid == lo[direction] || mid == hi[direction])
            break;
        *(sign == first ? &lo[direction] : &hi[direction]) = mid;
    }
    phi = basis_of(lo[0], hi[0]);
    psi = basis_of(lo[1], hi[1]);
    return abut_torus_point(g->torus, phi.b[1], phi.b[2], psi.b[1], psi.b[2]);
}

static bool report(grid *g, abut_meeting *m)
{
    for (int e = 0; e < MOST_EDGES; ++e) {
        if (g->edges[e].key == 0 || g->edges[e].parent != e)
            continue;
        const ia3 p = zero_on(g, g->edges[e].key);
        const int on = abut_meeting_nappes(m, p);
        if (on < 0 || (on > 0 && !abut_meeting_add(m, ABUT_LOOP_CLOSED, p)))
            return false;
    }
    return true;
}

static ABUT_NOINLINE bool solve(abut_meeting *m, int torus)
{
    abut_torus t;
    grid g;
    abut_torus_of(&m->placed[torus], &t);
    g.torus = &t;
    abut_torus_function_of(&t, &m->placed[1 - torus], &g.f);
    differentiate(&g.f, false, &g.by_phi);
    differentiate(&g.f, true, &g.by_psi);
    differentiate(&g.by_phi, false, &g.second[0]);
    differentiate(&g.by_phi, true, &g.second[1]);
    differentiate(&g.by_psi, true, &g.second[2]);
    /* Offsets that symmetric positions do not meet. */
    static const double offsets[3][2] = { { 0x1.5p-8, 0x1.9p-7 },
                                          { 0x1.bp-7, 0x1.1p-8 },
                                          { 0x1.3p-9, 0x1.dp-8 } };
    for (int i = 0; i < 3; ++i) {
        memcpy(g.offset, offsets[i], sizeof g.offset);
        if (!refine(&g))
            return false;
        m->out->count = 0;
        if (connect(&g))
            return report(&g, m);
    }
    return false;
}

bool abut_loops_torus_grid(abut_meeting *m, int torus)
{
    const abut_rounding saved = abut_rounding_enter();
    const bool done = solve(m, torus);
    abut_rounding_leave(saved);
    return done;
}
