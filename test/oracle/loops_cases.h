/* SPDX-License-Identifier: MIT */
/* Random surfaces of every kind, of sizes about 1 and near each other, for tests of their
 * intersections. */
#ifndef ABUT_ORACLE_LOOPS_CASES_H
#define ABUT_ORACLE_LOOPS_CASES_H

#include "oracle/loops_dense.h"
#include "support/test.h"

static inline abut_vec3 cases_vector(test_random *r, double size)
{
    return (abut_vec3){ test_uniform(r, -size, size), test_uniform(r, -size, size),
                        test_uniform(r, -size, size) };
}

static inline abut_pose cases_pose(test_random *r, double reach)
{
    const abut_quat q = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1),
                          test_uniform(r, -1, 1) };
    return (abut_pose){ cases_vector(r, reach), q };
}

static inline dense_surface cases_surface(test_random *r, abut_solid_surface_kind kind)
{
    dense_surface d = { .pose = cases_pose(r, 1) };
    d.s.kind = kind;
    d.s.point = cases_vector(r, 0.5);
    d.s.axis = cases_vector(r, 1);
    d.s.radius = test_uniform(r, 0.3, 1.5);
    d.s.minor = d.s.radius * test_uniform(r, 0.1, 0.9);
    d.s.tangent = test_uniform(r, 0.2, 1.5);
    if (kind == ABUT_SOLID_QUADRIC) {
        d.form = (dense_form)(1 + test_below(r, DENSE_FORMS - 1));
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j)
                d.map[i][j] = (i == j ? test_uniform(r, 0.5, 1.3) : 0) + test_uniform(r, -0.2, 0.2);
            d.map[i][3] = test_uniform(r, -0.5, 0.5);
        }
        dense_make_quadric(&d);
    }
    return d;
}

static inline void cases_print(const dense_surface *d)
{
    const abut_solid_surface *s = &d->s;
    print_error("%s point %a %a %a axis %a %a %a radius %a minor %a tangent %a form %d\n",
                abut_solid_surface_name(s->kind), s->point.x, s->point.y, s->point.z, s->axis.x, s->axis.y,
                s->axis.z, s->radius, s->minor, s->tangent, (int)d->form);
    const abut_pose *p = &d->pose;
    print_error("  pose %a %a %a, %a %a %a %a\n", p->position.x, p->position.y, p->position.z, p->rotation.w,
                p->rotation.x, p->rotation.y, p->rotation.z);
}

#endif
