/* SPDX-License-Identifier: MIT */
/* A lower bound of the distance of two faces on tori that is one of all their cells: that of the whole
 * tori, whose main circles one unknown is left of (narrow/surface/surface_ring.c).
 *
 * It is for pairs whose nearest points are a curve or a region, as of linked tori whose main circles run
 * through each other's centres: there the number of cells grows with the inverse of the width wanted. */
#include "narrow/brep/brep.h"
#include "narrow/surface/surface_ring.h"
#include "shape/shape.h"

static bool is_ring(const abut_part *part)
{
    return part->face && part->kind == ABUT_CELL_TORUS && part->major > part->radius;
}

static abut_interval point(double x)
{
    return (abut_interval){ x, x };
}

/* The frame is taken as it is; that its axes are of unit length to some ulp only is the caller's slack. */
static void place_torus(const abut_part *part, abut_shape *shape, abut_place *at)
{
    *shape = (abut_shape){ .type = ABUT_SHAPE_TORUS };
    shape->u.torus.major = part->major;
    shape->u.torus.minor = part->radius;
    const abut_vec3 axes[3] = { part->x, part->y, part->z };
    *at = (abut_place){ .mid.translation = part->o };
    at->enclosure.translation = (abut_interval_vec3){ point(part->o.x), point(part->o.y), point(part->o.z) };
    for (int k = 0; k < 3; ++k) {
        const double column[3] = { axes[k].x, axes[k].y, axes[k].z };
        for (int i = 0; i < 3; ++i) {
            at->mid.linear.m[i][k] = column[i];
            at->enclosure.linear.m[i][k] = point(column[i]);
        }
    }
}

double abut_brep_tori_bound(const abut_part *pp, const abut_part *pq)
{
    if (!is_ring(pp) || !is_ring(pq))
        return -INFINITY;
    abut_shape a, b;
    abut_place at_a, at_b;
    place_torus(pp, &a, &at_a);
    place_torus(pq, &b, &at_b);
    abut_ring_answer answer;
    abut_ring_solve(&a, &at_a, &b, &at_b, 0, &answer);
    return answer.gap.lo;
}
