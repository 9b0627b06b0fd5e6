/* SPDX-License-Identifier: MIT */
/* The common curves of a ball of radius 2 and a drill of radius 1 that moves outwards: two
 * circles, two loops, Viviani's curve with its double point, one loop, a point of contact,
 * nothing. Each component is told by one point, and the number of components is proved. */
#include <abut/abut.h>
#include <stdio.h>

int main(void)
{
    const abut_solid_surface ball = { .kind = ABUT_SOLID_SPHERE, .radius = 2 };
    static const struct {
        double aside;
        size_t components;
        abut_loop_kind kind;
    } steps[] = {
        { 0, 2, ABUT_LOOP_CLOSED },    { 0.75, 2, ABUT_LOOP_CLOSED }, { 1, 1, ABUT_LOOP_SINGULAR },
        { 1.25, 1, ABUT_LOOP_CLOSED }, { 3, 1, ABUT_LOOP_POINT },     { 3.5, 0, ABUT_LOOP_UNKNOWN }
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i) {
        const abut_solid_surface drill = {
            .kind = ABUT_SOLID_CYLINDER, .point = { steps[i].aside, 0, 0 }, .axis = { 0, 0, 1 }, .radius = 1
        };
        abut_loops loops;
        if (abut_surface_loops(&ball, NULL, &drill, NULL, &loops) != ABUT_OK)
            return 1;
        printf("axis at %.2f: %s, %zu\n", steps[i].aside, abut_loops_status_name(loops.status), loops.count);
        for (size_t k = 0; k < loops.count; ++k) {
            const abut_loop *l = &loops.loops[k];
            printf("  %-8s through (%.6f, %.6f, %.6f) +- %.1e\n", abut_loop_kind_name(l->kind), l->point.x,
                   l->point.y, l->point.z, l->radius);
            if (l->kind != steps[i].kind)
                return 1;
        }
        if (loops.status != ABUT_LOOPS_COMPLETE || !loops.distinct || loops.count != steps[i].components)
            return 1;
    }
    return 0;
}
