/* SPDX-License-Identifier: MIT */
#include "oracle/solid_tree.h"

#include <math.h>
#include <stdlib.h>

/* ---- signed functions ---- */

static double polygon_value(const double (*v)[2], int n, double x, double y)
{
    double least = INFINITY;
    bool inside = false;
    for (int i = 0, j = n - 1; i < n; j = i++) {
        const double ex = v[j][0] - v[i][0], ey = v[j][1] - v[i][1], wx = x - v[i][0], wy = y - v[i][1];
        double s = (wx * ex + wy * ey) / (ex * ex + ey * ey);
        s = s < 0 ? 0 : s > 1 ? 1 : s;
        least = fmin(least, hypot(wx - s * ex, wy - s * ey));
        if ((v[i][1] > y) != (v[j][1] > y) && x < v[i][0] + ex * (y - v[i][1]) / ey)
            inside = !inside;
    }
    return inside ? -least : least;
}

/* Of a right angle in the plane: max where both are inside, the corner's distance outside. */
static double corner_value(double a, double b)
{
    return fmin(fmax(a, b), 0) + hypot(fmax(a, 0), fmax(b, 0));
}

static double cone_value(const solid_tree *t, double r, double z)
{
    /* Mirrored, so that the axis is no side. */
    const double v[3][2] = { { -t->a, -0.5 * t->b }, { t->a, -0.5 * t->b }, { 0, 0.5 * t->b } };
    return polygon_value(v, 3, r, z);
}

static double plain_value(const solid_tree *t, const double p[3])
{
    const double x = p[0], y = p[1], z = p[2], r = hypot(x, y);
    switch (t->kind) {
    case SOLID_SPHERE: return hypot(r, z) - t->a;
    case SOLID_BOX: return fmax(fmax(fabs(x) - t->a, fabs(y) - t->b), fabs(z) - t->c);
    case SOLID_CYLINDER: return corner_value(r - t->a, fabs(z) - 0.5 * t->b);
    case SOLID_CAPSULE: return hypot(r, fmax(fabs(z) - 0.5 * t->b, 0)) - t->a;
    case SOLID_CONE: return cone_value(t, r, z);
    case SOLID_TORUS: return hypot(r - t->a, z) - t->b;
    case SOLID_ELLIPSOID:
        return (sqrt(x / t->a * (x / t->a) + y / t->b * (y / t->b) + z / t->c * (z / t->c)) - 1) *
               fmin(t->a, fmin(t->b, t->c));
    case SOLID_HALFSPACE: {
        const abut_vec3 n = t->normal;
        return (n.x * x + n.y * y + n.z * z - t->a) / sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
    }
    case SOLID_EXTRUDE: {
        double flat = polygon_value((const double(*)[2])t->corners, t->count, x, y);
        if (t->hole[2] > 0)
            flat = fmax(flat, t->hole[2] - hypot(x - t->hole[0], y - t->hole[1]));
        return fmax(flat, fmax(-z, z - t->a));
    }
    default: return polygon_value((const double(*)[2])t->corners, t->count, r, z);
    }
}

double solid_tree_value(const solid_tree *t, const double above[3])
{
    double p[3], d[3], value = 0;
    for (int i = 0; i < 3; ++i)
        d[i] = above[i] - t->at[i];
    for (int i = 0; i < 3; ++i)
        p[i] = t->r[0][i] * d[0] + t->r[1][i] * d[1] + t->r[2][i] * d[2];
    if (t->kind < SOLID_KINDS)
        return plain_value(t, p) * t->shrink;
    for (int i = 0; i < t->count; ++i) {
        const double one = solid_tree_value(t->of[i], p);
        value = i == 0                          ? one
                : t->kind == SOLID_UNION        ? fmin(value, one)
                : t->kind == SOLID_INTERSECTION ? fmax(value, one)
                                                : fmax(value, -one);
    }
    return value * t->shrink;
}

void solid_body_place(solid_body *body, const abut_pose *pose)
{
    const abut_mat3 m = abut_quat_to_mat3(abut_quat_normalize(pose->rotation));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            body->r[i][j] = m.m[i][j];
    body->at[0] = pose->position.x;
    body->at[1] = pose->position.y;
    body->at[2] = pose->position.z;
}

static double value_of(const solid_body *body, const double above[3])
{
    double p[3], d[3];
    for (int i = 0; i < 3; ++i)
        d[i] = above[i] - body->at[i];
    for (int i = 0; i < 3; ++i)
        p[i] = body->r[0][i] * d[0] + body->r[1][i] * d[1] + body->r[2][i] * d[2];
    return body->tree ? solid_tree_value(body->tree, p)
                      : sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - body->radius;
}

/* ---- searches ---- */

typedef struct cube {
    double mid[3], half, key;
} cube;

typedef struct heap {
    cube *items;
    int count, capacity;
} heap;

static void push(heap *h, cube c)
{
    if (h->count == h->capacity) {
        h->capacity = h->capacity ? 2 * h->capacity : 1024;
        h->items = realloc(h->items, (size_t)h->capacity * sizeof *h->items);
    }
    int i = h->count++;
    for (; i > 0 && h->items[(i - 1) / 2].key > c.key; i = (i - 1) / 2)
        h->items[i] = h->items[(i - 1) / 2];
    h->items[i] = c;
}

static cube pop(heap *h)
{
    const cube top = h->items[0], last = h->items[--h->count];
    int i = 0;
    for (int k = 1; k < h->count; k = 2 * i + 1) {
        if (k + 1 < h->count && h->items[k + 1].key < h->items[k].key)
            ++k;
        if (h->items[k].key >= last.key)
            break;
        h->items[i] = h->items[k];
        i = k;
    }
    h->items[i] = last;
    return top;
}

static cube part(const cube *c, int which)
{
    cube out = *c;
    out.half *= 0.5;
    for (int i = 0; i < 3; ++i)
        out.mid[i] += which >> i & 1 ? out.half : -out.half;
    return out;
}

static double away(const cube *c, const double from[3])
{
    double sum = 0;
    for (int i = 0; i < 3; ++i) {
        const double d = fmax(fabs(c->mid[i] - from[i]) - c->half, 0);
        sum += d * d;
    }
    return sqrt(sum);
}

static double apart(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

void solid_tree_distance(const solid_tree *tree, const double from[3], double reach, double *lo, double *hi)
{
    heap h = { 0 };
    push(&h, (cube){ { 0, 0, 0 }, reach, 0 });
    *hi = INFINITY;
    *lo = INFINITY;
    for (int boxes = 0; h.count > 0 && boxes < 6000; ++boxes) {
        const cube c = pop(&h);
        *lo = c.key;
        if (c.key >= *hi - 1e-4)
            break;
        for (int i = 0; i < 8; ++i) {
            cube one = part(&c, i);
            const double s = solid_tree_value(tree, one.mid);
            if (s > one.half * 1.7320509)
                continue;
            if (s < 0)
                *hi = fmin(*hi, apart(one.mid, from));
            one.key = away(&one, from);
            push(&h, one);
        }
        *lo = INFINITY;
    }
    if (h.count > 0)
        *lo = fmin(*lo, h.items[0].key);
    *lo = fmin(*lo, *hi);
    free(h.items);
}

int solid_bodies_meet(const solid_body *a, const solid_body *b, double reach, double radius)
{
    heap h = { 0 };
    int found = -1;
    push(&h, (cube){ { 0, 0, 0 }, reach, 0 });
    for (int boxes = 0; h.count > 0 && found < 0; ++boxes) {
        const cube c = pop(&h);
        if (boxes >= 4000) {
            found = 0;
            break;
        }
        for (int i = 0; i < 8 && found < 0; ++i) {
            cube one = part(&c, i);
            const double s = fmax(value_of(a, one.mid), value_of(b, one.mid));
            if (s > one.half * 1.7320509 + 1e-9)
                continue;
            one.key = s;
            if (s < -radius)
                found = 1;
            push(&h, one);
        }
    }
    free(h.items);
    return found;
}

/* ---- random trees ---- */

/* With few digits, so that sums of sizes and places are exact. */
static double size_of(test_random *r, double lo, double hi, bool plain)
{
    const double x = test_uniform(r, lo, hi);
    return plain ? round(8 * x) / 8 : x;
}

static abut_vec3 unit(test_random *r)
{
    for (;;) {
        const abut_vec3 v = { test_uniform(r, -1, 1), test_uniform(r, -1, 1), test_uniform(r, -1, 1) };
        const double n = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
        if (n > 0.1 && n < 1)
            return (abut_vec3){ v.x / n, v.y / n, v.z / n };
    }
}

/* A star about (x, 0), of corners in turning order. */
static void star(test_random *r, solid_tree *t, double x, double least, double most)
{
    t->count = 3 + (int)test_below(r, 7);
    for (int i = 0; i < t->count; ++i) {
        const double angle = 6.283185307179586 * (i + test_uniform(r, 0.05, 0.75)) / t->count;
        const double far = test_uniform(r, least, most);
        t->corners[i][0] = x + far * cos(angle);
        t->corners[i][1] = far * sin(angle);
    }
}

static abut_shape *create_profile(solid_tree *t)
{
    abut_profile_vertex v[SOLID_MOST_CORNERS];
    abut_shape *out = NULL;
    abut_error error;
    for (int i = 0; i < t->count; ++i)
        v[i] = (abut_profile_vertex){ t->corners[i][0], t->corners[i][1], 0 };
    const abut_profile_loop loop = { v, (size_t)t->count };
    abut_status status;
    if (t->kind == SOLID_REVOLVE) {
        status = abut_shape_create_revolve(&loop, 0, NULL, &out, &error);
    } else {
        const double *h = t->hole;
        const abut_profile_vertex ring[2] = { { h[0] - h[2], h[1], -1 }, { h[0] + h[2], h[1], -1 } };
        const abut_profile_loop hole = { ring, 2 };
        status = abut_shape_create_extrude(&loop, &hole, h[2] > 0, t->a, 0, NULL, &out, &error);
    }
    TEST_CHECK(status == ABUT_OK, "profile: %s", error.text);
    return out;
}

static abut_shape *random_plain(test_random *r, const solid_options *o, solid_tree *t)
{
    abut_shape *out = NULL;
    const bool plain = !o->turned;
    const int kinds = SOLID_KINDS - o->from_kind;
    t->kind = (solid_kind)(o->from_kind + (int)test_below(r, (unsigned)kinds));
    t->a = size_of(r, 0.3, 1, plain);
    t->b = size_of(r, 0.4, 1.5, plain);
    t->c = size_of(r, 0.3, 1, plain);
    switch (t->kind) {
    case SOLID_SPHERE: assert_int_equal(abut_shape_create_sphere(t->a, NULL, &out), ABUT_OK); break;
    case SOLID_BOX:
        assert_int_equal(abut_shape_create_box((abut_vec3){ t->a, t->b, t->c }, NULL, &out), ABUT_OK);
        break;
    case SOLID_CYLINDER: assert_int_equal(abut_shape_create_cylinder(t->a, t->b, NULL, &out), ABUT_OK); break;
    case SOLID_CAPSULE:
        t->a *= 0.5;
        assert_int_equal(abut_shape_create_capsule(t->a, t->b, NULL, &out), ABUT_OK);
        break;
    case SOLID_CONE: assert_int_equal(abut_shape_create_cone(t->a, t->b, NULL, &out), ABUT_OK); break;
    case SOLID_TORUS:
        t->b = t->a * 0.375;
        assert_int_equal(abut_shape_create_torus(t->a, t->b, NULL, &out), ABUT_OK);
        break;
    case SOLID_ELLIPSOID:
        assert_int_equal(abut_shape_create_ellipsoid((abut_vec3){ t->a, t->b, t->c }, NULL, &out), ABUT_OK);
        break;
    case SOLID_HALFSPACE:
        t->normal = plain ? (abut_vec3){ 0, 0, 2 } : unit(r);
        t->a = size_of(r, -0.5, 0.8, plain);
        assert_int_equal(abut_shape_create_halfspace(t->normal, t->a, NULL, &out), ABUT_OK);
        break;
    case SOLID_EXTRUDE:
        star(r, t, 0, 0.4, 1);
        if (t->count >= 6 && test_below(r, 2)) {
            t->hole[2] = 0.125;
            t->hole[0] = test_uniform(r, -0.03, 0.03);
        }
        out = create_profile(t);
        break;
    default:
        star(r, t, 1, 0.2, 0.7);
        out = create_profile(t);
        break;
    }
    return out;
}

static abut_motion *random_place(test_random *r, const solid_options *o, solid_tree *t, double reach)
{
    static const double half[4][2] = { { 1, 0 }, { 0, 1 }, { 0.5, 0.5 }, { 0.5, -0.5 } };
    abut_motion *out = NULL;
    abut_placement place = { 0 };
    abut_error error;
    for (int i = 0; i < 3; ++i)
        t->at[i] = size_of(r, -reach, reach, !o->turned);
    place.position = (abut_vec3){ t->at[0], t->at[1], t->at[2] };
    abut_quat q = { 1, 0, 0, 0 };
    if (o->turned && test_below(r, 3)) {
        const abut_vec3 axis = unit(r);
        q = (abut_quat){ test_uniform(r, -1, 1), axis.x, axis.y, axis.z };
    } else if (test_below(r, 2)) {
        const double *h = half[test_below(r, 4)];
        q = test_below(r, 2) ? (abut_quat){ h[0], h[1], 0, 0 } : (abut_quat){ h[0], 0, h[1], 0 };
    }
    place.rotation.kind = ABUT_ROTATION_QUATERNION;
    place.rotation.quaternion = q;
    const abut_mat3 m = abut_quat_to_mat3(abut_quat_normalize(q));
    for (int i = 0; i < 9; ++i)
        t->r[i / 3][i % 3] = m.m[i / 3][i % 3];
    assert_int_equal(abut_motion_create_static(&place, NULL, &out, &error), ABUT_OK);
    return out;
}

solid_tree *solid_tree_random(test_random *r, const solid_options *o, abut_shape **shape)
{
    solid_tree *t = calloc(1, sizeof *t);
    t->shrink = 1;
    for (int i = 0; i < 3; ++i)
        t->r[i][i] = 1;
    if (o->depth == 0) {
        *shape = random_plain(r, o, t);
        return t;
    }
    solid_options below = *o;
    abut_csg_operand of[SOLID_MOST_CHILDREN];
    abut_motion *at[SOLID_MOST_CHILDREN] = { NULL };
    abut_error error;
    bool made = true;
    const int op = (int)test_below(r, 3);
    t->kind = (solid_kind)(SOLID_UNION + op);
    t->count = 2 + (int)test_below(r, SOLID_MOST_CHILDREN - 1);
    for (int i = 0; i < t->count; ++i) {
        below.depth = test_below(r, 3) ? 0 : o->depth - 1;
        t->of[i] = solid_tree_random(r, &below, &of[i].shape);
        made = made && of[i].shape;
        /* The first stays in the middle, so that results are seldom empty. */
        at[i] = random_place(r, o, t->of[i], t->kind == SOLID_INTERSECTION || i == 0 ? 0.25 : 0.8);
        of[i].at = at[i];
    }
    *shape = NULL;
    const abut_status status = made ? abut_shape_create_csg_placed((abut_csg_op)(ABUT_CSG_UNION + op), of,
                                                                   (size_t)t->count, NULL, shape, &error)
                                    : ABUT_ERR_VALUE;
    TEST_CHECK(status == ABUT_OK || status == ABUT_ERR_VALUE, "%s: %s", abut_status_name(status), error.text);
    for (int i = 0; i < t->count; ++i) {
        abut_shape_release(of[i].shape);
        abut_motion_release(at[i]);
    }
    return t;
}

void solid_tree_destroy(solid_tree *t)
{
    for (int i = 0; t->kind > SOLID_KINDS && i < t->count; ++i)
        solid_tree_destroy(t->of[i]);
    free(t);
}
