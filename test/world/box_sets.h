/* SPDX-License-Identifier: MIT */
/* Sets of boxes that broad phases find easy, hard and degenerate, and the brute-force referee. */
#ifndef ABUT_TEST_WORLD_BOX_SETS_H
#define ABUT_TEST_WORLD_BOX_SETS_H

#include "abut/world.h"
#include "support/test.h"

enum { UNIFORM, CLUSTERED, FLUSH, COINCIDENT, SIZES, NEEDLES, FAR_APART, POINTS, STRANGE, PLATES, BOX_SETS };

static const char *const box_set_names[BOX_SETS] = {
    "uniform", "clustered", "flush",  "coincident", "sizes",
    "needles", "far apart", "points", "strange",    "plates"
};

static inline abut_aabb box_about(double x, double y, double z, double hx, double hy, double hz)
{
    return (abut_aabb){ { x - hx, y - hy, z - hz }, { x + hx, y + hy, z + hz } };
}

static inline double box_half(test_random *r)
{
    return test_uniform(r, .25, .75);
}

static inline abut_aabb box_strange(test_random *r, double edge)
{
    const double x = test_uniform(r, 0, edge), y = test_uniform(r, 0, edge), z = test_uniform(r, 0, edge);
    abut_aabb box = box_about(x, y, z, box_half(r), box_half(r), box_half(r));
    switch (test_below(r, 12)) {
    case 0: box.lo.x = -INFINITY; break;
    case 1: box.hi.z = INFINITY; break;
    case 2: box.lo.y = NAN; break;
    case 3: box.lo.x = box.hi.x + 1; break;
    case 4: box = box_about(x, y, z, 1e200, 1e200, 1e200); break;
    case 5: box.hi.y = 1e308; break;
    case 6: box = box_about(x, y, z, 0, 0, 0); break;
    case 7: box = box_about(1e15 + x, y, z, .5, .5, .5); break;
    default: break;
    }
    return box;
}

static inline void box_set_make(int kind, test_random *r, size_t count, abut_aabb *out)
{
    const double edge = cbrt((double)count * test_uniform(r, 1, 40));
    for (size_t i = 0; i < count; ++i) {
        double x = test_uniform(r, 0, edge), y = test_uniform(r, 0, edge), z = test_uniform(r, 0, edge);
        const double hx = box_half(r), hy = box_half(r), hz = box_half(r);
        switch (kind) {
        case CLUSTERED: {
            const double c = (double)test_below(r, 5) * 1000;
            x = c + test_uniform(r, -3, 3) * test_uniform(r, 0, 1);
            y = c + test_uniform(r, -3, 3);
            z = c * c + test_uniform(r, -3, 3);
            out[i] = box_about(x, y, z, .1 * hx, .1 * hy, .1 * hz);
            break;
        }
        case FLUSH: { /* unit cubes on a lattice: faces, edges and corners in common */
            const double a = floor(x), b = floor(y), c = floor(z);
            out[i] = (abut_aabb){ { a, b, c }, { a + 1, b + 1, c + 1 } };
            break;
        }
        case COINCIDENT: out[i] = box_about((double)(i % 3), 0, 0, .5, .5, .5); break;
        case SIZES: {
            const double s = exp2(test_uniform(r, -8, 3));
            out[i] = box_about(x, y, z, s * hx, s * hy, s * hz);
            break;
        }
        case NEEDLES: {
            const unsigned k = test_below(r, 3);
            out[i] = box_about(x, y, z, k == 0 ? .3 * edge : .01, k == 1 ? .3 * edge : .01,
                               k == 2 ? .3 * edge : .01);
            break;
        }
        case FAR_APART: out[i] = box_about(x + (i % 2 ? 1e15 : 0), y, z, 2 * hx, hy, hz); break;
        case POINTS: out[i] = box_about(floor(x), floor(y), floor(z), 0, 0, 0); break;
        case STRANGE: out[i] = box_strange(r, edge); break;
        case PLATES: out[i] = box_about(0, 0, z * 10, 100 * hx, 100 * hy, .01 * hz); break;
        default: out[i] = box_about(x, y, z, hx, hy, hz); break;
        }
    }
}

static inline bool boxes_have_common_point(const abut_aabb *a, const abut_aabb *b)
{
    const double la[3] = { a->lo.x, a->lo.y, a->lo.z }, ha[3] = { a->hi.x, a->hi.y, a->hi.z };
    const double lb[3] = { b->lo.x, b->lo.y, b->lo.z }, hb[3] = { b->hi.x, b->hi.y, b->hi.z };
    for (int i = 0; i < 3; ++i) {
        const double lo = la[i] > lb[i] ? la[i] : lb[i], hi = ha[i] < hb[i] ? ha[i] : hb[i];
        if (!(lo <= hi) || isnan(la[i]) || isnan(lb[i]) || isnan(ha[i]) || isnan(hb[i]) || la[i] > ha[i] ||
            lb[i] > hb[i])
            return false;
    }
    return true;
}

#endif
