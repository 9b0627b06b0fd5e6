/* SPDX-License-Identifier: MIT */
/* Triangles that doubles misjudge: slivers, and those that the point nearly lies on. The same with
 * pairs of doubles; see point_triangle.h.
 *
 * With the corners as they are, edges and their products are right to 2^-100 of their sizes, and
 * so is the nearest point of each edge; of the inside, where the area is not lost in that. The
 * direction to the nearest of them, rounded to doubles, is right to u, and the plane across it
 * bounds the distance from below to u of the largest corner. */
#include "narrow/triangle/point_triangle.h"

#include "narrow/pair/exact.h"

typedef struct dd3 {
    dd c[3];
} dd3;

static dd3 from(abut_vec3 v)
{
    return (dd3){ { { v.x, 0 }, { v.y, 0 }, { v.z, 0 } } };
}

static dd3 difference(abut_vec3 q, abut_vec3 p)
{
    return (dd3){ { dd_two_sum(q.x, -p.x), dd_two_sum(q.y, -p.y), dd_two_sum(q.z, -p.z) } };
}

static dd dot(const dd3 *a, const dd3 *b)
{
    return dd_add(dd_add(dd_mul(a->c[0], b->c[0]), dd_mul(a->c[1], b->c[1])), dd_mul(a->c[2], b->c[2]));
}

static dd3 cross(const dd3 *a, const dd3 *b)
{
    dd3 r;
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        r.c[k] = dd_sub(dd_mul(a->c[i], b->c[j]), dd_mul(a->c[j], b->c[i]));
    }
    return r;
}

static dd3 madd(const dd3 *a, dd s, const dd3 *b)
{
    dd3 r;
    for (int k = 0; k < 3; ++k)
        r.c[k] = dd_add(a->c[k], dd_mul(s, b->c[k]));
    return r;
}

static dd3 nearest_on_edge(const abut_vec3 t[3], int k, int *part)
{
    const int next = k == 2 ? 0 : k + 1;
    const dd3 a = from(t[k]), e = difference(t[next], t[k]);
    const dd along = dd_neg(dot(&a, &e)), square = dot(&e, &e);
    *part = k;
    if (!(along.h > 0))
        return a;
    *part = next;
    if (!(dd_sub(square, along).h > 0))
        return from(t[next]);
    *part = 3 + k;
    return madd(&a, dd_div(along, square), &e);
}

/* The foot in the plane, where it is inside. */
static bool foot_inside(const abut_vec3 t[3], dd3 *x)
{
    const dd3 e[3] = { difference(t[1], t[0]), difference(t[2], t[1]), difference(t[0], t[2]) },
              n = cross(&e[0], &e[1]);
    const dd square = dot(&n, &n);
    const double lost = dot(&e[0], &e[0]).h * dot(&e[1], &e[1]).h;
    if (!(square.h > 0x1p-80 * lost))
        return false;
    for (int k = 0; k < 3; ++k) {
        const dd3 a = from(t[k]), m = cross(&a, &e[k]);
        if (!(dot(&n, &m).h >= 0))
            return false;
    }
    const dd3 a = from(t[0]), zero = { { { 0, 0 }, { 0, 0 }, { 0, 0 } } };
    *x = madd(&zero, dd_div(dot(&n, &a), square), &n);
    return true;
}

void abut_point_triangle_careful(const abut_vec3 t[3], double slack, abut_point_triangle *out)
{
    dd3 best = from(t[0]);
    double least = INFINITY;
    int part = 0;
    for (int k = 0; k < 4; ++k) {
        int which = 6;
        dd3 x;
        if (k < 3)
            x = nearest_on_edge(t, k, &which);
        else if (!foot_inside(t, &x))
            break;
        const double square = dot(&x, &x).h;
        if (square < least || k == 3) { /* the inside has it, where there is a foot, to rounding */
            least = square;
            best = x;
            part = which;
        }
    }
    const double length = sqrt(least);
    if (!(length + 0.25 * slack < out->hi) && !(out->hi - out->lo > 8 * slack))
        return;
    out->part = part;
    out->x = abut_v3(best.c[0].h, best.c[1].h, best.c[2].h);
    out->hi = length + slack;
    const double size = abut_max_norm(out->x);
    if (!(size > 0x1p-450))
        return;
    const dd3 n = from(abut_scale(1 / size, out->x));
    double below = INFINITY;
    for (int k = 0; k < 3; ++k) {
        const dd3 c = from(t[k]);
        const double value = dot(&n, &c).h;
        below = value < below ? value : below;
    }
    below = below / sqrt(dot(&n, &n).h) - 0.25 * slack;
    out->lo = below > out->lo ? below : out->lo;
}

bool abut_point_triangle_extreme(const abut_vec3 t[3], double below, abut_point_triangle *out)
{
    const double largest = fmax(abut_max_norm(t[0]), fmax(abut_max_norm(t[1]), abut_max_norm(t[2])));
    if (!(largest < INFINITY)) { /* the difference of two corners is no double: nothing is known */
        *out = (abut_point_triangle){ .lo = 0, .hi = INFINITY, .x = t[0] };
        return true;
    }
    if (largest == 0) {
        *out = (abut_point_triangle){ .lo = 0, .hi = 0 };
        return true;
    }
    int exponent;
    (void)frexp(largest, &exponent);
    abut_vec3 scaled[3];
    for (int k = 0; k < 3; ++k) /* what underflows here is 2^-1073 of the largest */
        scaled[k] = abut_v3(ldexp(t[k].x, -exponent), ldexp(t[k].y, -exponent), ldexp(t[k].z, -exponent));
    const bool near = abut_point_triangle_set(scaled, ldexp(below, -exponent), out);
    /* Back again: exact, but for what is rounded to the smallest doubles. */
    const double lo = ldexp(out->lo, exponent), least = 0x1p-1074;
    out->lo = lo < 0x1p-1000 ? fmax(lo - least, 0) : lo;
    if (!near && out->lo > below)
        return false;
    if (!near) { /* only in the last place: let it be asked about */
        *out = (abut_point_triangle){ .lo = out->lo, .hi = INFINITY, .x = t[0] };
        return true;
    }
    const double hi = ldexp(out->hi, exponent);
    out->hi = hi < 0x1p-1000 ? hi + least : hi;
    out->x = abut_v3(ldexp(out->x.x, exponent), ldexp(out->x.y, exponent), ldexp(out->x.z, exponent));
    return true;
}
