/* SPDX-License-Identifier: MIT */
/* Queries about meshes: bytes make two meshes (or a mesh and a convex body), poses, a ray and a
 * point. Every query must run or say why not, and no two ways to ask may contradict each other:
 * the bodies swapped, another hierarchy, the pairs streamed or written, a mesh moved to its
 * places or made there; the surfaces' contacts against check, overlap and distance. Whether
 * answers are true is for the tests to judge. */
#include "abut/abut.h"
#include "promises.h"
#include "source.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_VERTICES = 16, MOST_TRIANGLES = 24, MOST_CONTACTS = MOST_TRIANGLES * MOST_TRIANGLES };

/* ---- bytes to numbers ---- */

/* Mostly small multiples of 1/4, so that corners, edges and planes meet; sometimes awkward ones,
 * sometimes any bits. */
static double next_number(source *s)
{
    static const double special[] = { 0.0,     -0.0,   1.0 / 3,  0.1,
                                      1e-8,    1e8,    -1e-3,    1e-15,
                                      1e-200,  -1e200, DBL_MIN,  5e-324,
                                      DBL_MAX, NAN,    INFINITY, 0.7071067811865476 };
    const uint8_t tag = next_byte(s);
    double value;
    if (tag < 216) {
        value = (double)((int)(tag % 33) - 16) / 4;
    } else if (tag < 240) {
        value = special[(tag - 216) % 16];
    } else {
        value = next_bits(s);
    }
    const double size = fabs(value);
    s->extreme = s->extreme || !(size == 0 || (size > 1e-30 && size < 1e30));
    return value;
}

/* ---- meshes ---- */

typedef struct mesh {
    abut_vec3 vertices[MOST_VERTICES];
    uint32_t triangles[3 * MOST_TRIANGLES];
    size_t vertex_count, triangle_count;
    abut_shape *shape, *other; /* the same with another hierarchy */
} mesh;

static abut_shape *make_shape(const mesh *m, bool solid, uint8_t choice)
{
    abut_shape *shape;
    abut_error error;
    abut_mesh_opts opts;
    abut_mesh_opts_init(&opts);
    opts.solid = solid;
    opts.volume = (abut_volume)(choice % ABUT_VOLUME_COUNT);
    opts.builder = (abut_builder)(choice / 16 % ABUT_BUILDER_COUNT);
    opts.covariance = (abut_covariance)(choice / 5 % ABUT_COVARIANCE_COUNT);
    const abut_status status = abut_shape_create_mesh_with(m->vertices, m->vertex_count, m->triangles,
                                                           m->triangle_count, &opts, NULL, &shape, &error);
    FUZZ_REQUIRE((status == ABUT_OK) == (shape != NULL));
    FUZZ_REQUIRE(status == ABUT_OK || (status == ABUT_ERR_ARGUMENT && error.text[0]));
    return shape;
}

/* A box, given by two corners: a solid, or at least closed. */
static void box_mesh(source *s, mesh *m)
{
    static const uint8_t faces[36] = { 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5 };
    const abut_vec3 p = next_vector(s), q = next_vector(s);
    m->vertex_count = 8;
    m->triangle_count = 12;
    for (int i = 0; i < 8; ++i)
        m->vertices[i] =
            (abut_vec3){ i & 1 ? fmax(p.x, q.x) : fmin(p.x, q.x), i & 2 ? fmax(p.y, q.y) : fmin(p.y, q.y),
                         i & 4 ? fmax(p.z, q.z) : fmin(p.z, q.z) };
    for (int i = 0; i < 36; ++i)
        m->triangles[i] = faces[i];
    for (unsigned moves = next_byte(s) % 4u; moves > 0; --moves) {
        const unsigned which = next_byte(s) % 8u;
        m->vertices[which] = next_vector(s);
    }
}

static void soup_mesh(source *s, mesh *m)
{
    m->vertex_count = 1 + next_byte(s) % MOST_VERTICES;
    m->triangle_count = 1 + next_byte(s) % MOST_TRIANGLES;
    for (size_t i = 0; i < m->vertex_count; ++i)
        m->vertices[i] = next_vector(s);
    for (size_t i = 0; i < 3 * m->triangle_count; ++i)
        m->triangles[i] = next_byte(s) % (uint32_t)m->vertex_count;
}

static bool next_mesh(source *s, mesh *m)
{
    const uint8_t kind = next_byte(s), choice = next_byte(s), another = next_byte(s);
    memset(m, 0, sizeof *m);
    if (kind & 1)
        box_mesh(s, m);
    else
        soup_mesh(s, m);
    m->shape = make_shape(m, kind & 2, choice);
    if (!m->shape && kind & 2)
        m->shape = make_shape(m, false, choice);
    if (!m->shape)
        return false;
    m->other = make_shape(m, false, another);
    FUZZ_REQUIRE(m->other);
    abut_mesh_report report;
    FUZZ_REQUIRE(abut_shape_inspect(m->shape, &report) == ABUT_OK);
    FUZZ_REQUIRE(report.triangles == m->triangle_count && report.components >= 1);
    FUZZ_REQUIRE(!isnan(report.area) && !isnan(report.volume));
    return true;
}

/* ---- promises ---- */

/* A solid that cuts itself is not what the verdicts about solids are for: touching and
 * penetrating may then be mixed up. */
static bool cuts_itself(const abut_shape *shape)
{
    abut_contacts_result r;
    return abut_shape_get_type(shape) == ABUT_SHAPE_MESH &&
           (abut_self_contacts(shape, NULL, NULL, NULL, 0, &r) != ABUT_OK || r.count > 0);
}

/* What every two bodies promise. Returns the verdict of check, UNDECIDED where it did not run. */
static abut_verdict ask_general(const abut_shape *a, const abut_pose *pa, const abut_shape *b,
                                const abut_pose *pb)
{
    abut_check_result ab, ba;
    const bool there = ran(abut_check(a, pa, b, pb, NULL, NULL, &ab));
    FUZZ_REQUIRE(ran(abut_check(b, pb, a, pa, NULL, NULL, &ba)) == there);
    if (!there)
        return ABUT_UNDECIDED;
    require_check(&ab);
    require_check(&ba);
    require_agreement(ab.verdict, ab.distance, ba.verdict, ba.distance);
    FUZZ_REQUIRE(ab.verdict == ABUT_UNDECIDED || ba.verdict == ABUT_UNDECIDED || ab.verdict == ba.verdict ||
                 cuts_itself(a) || cuts_itself(b));
    abut_distance_result d;
    if (ran(abut_distance(a, pa, b, pb, NULL, NULL, &d))) {
        require_distance(d.verdict, d.proof, d.distance);
        require_agreement(ab.verdict, ab.distance, d.verdict, d.distance);
        FUZZ_REQUIRE(!d.has_points || (no_nan(d.point_a) && no_nan(d.point_b)));
        abut_distance_opts rough;
        abut_distance_opts_init(&rough);
        rough.relative = 0.25;
        abut_distance_result about;
        if (ran(abut_distance(a, pa, b, pb, &rough, NULL, &about))) {
            require_distance(about.verdict, about.proof, about.distance);
            require_agreement(d.verdict, d.distance, about.verdict, about.distance);
        }
    }
    abut_overlap_result o;
    if (ran(abut_overlap(a, pa, b, pb, NULL, NULL, &o)))
        FUZZ_REQUIRE(!(meets(o.verdict) && ab.verdict == ABUT_SEPARATE) &&
                     !(meets(ab.verdict) && o.verdict == ABUT_SEPARATE));
    return ab.verdict;
}

/* ---- contacts ---- */

typedef struct stream {
    size_t count;
} stream;

static bool on_contacts(void *ctx, const abut_triangle_contact *contacts, size_t count)
{
    stream *s = ctx;
    for (size_t i = 0; i < count; ++i)
        FUZZ_REQUIRE(contacts[i].meet != ABUT_MEET_NONE);
    s->count += count;
    return true;
}

static int compare_contacts(const void *left, const void *right)
{
    const abut_triangle_contact *p = left, *q = right;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static void require_contacts(const abut_triangle_contact *c, const abut_contacts_result *r, bool extreme)
{
    FUZZ_REQUIRE(r->count + r->unknown <= MOST_CONTACTS);
    FUZZ_REQUIRE((r->count > 0) == (r->verdict == ABUT_TOUCHING));
    FUZZ_REQUIRE(extreme || (r->unknown == 0 && r->verdict != ABUT_UNDECIDED));
    for (size_t i = 0; i < r->count + r->unknown; ++i) {
        FUZZ_REQUIRE(c[i].meet != ABUT_MEET_NONE && no_nan(c[i].from) && no_nan(c[i].to));
        FUZZ_REQUIRE(i == 0 || compare_contacts(&c[i - 1], &c[i]) < 0);
    }
}

static void require_same(const abut_triangle_contact *p, const abut_contacts_result *r,
                         const abut_triangle_contact *q, const abut_contacts_result *t)
{
    FUZZ_REQUIRE(r->count == t->count && r->unknown == t->unknown && r->verdict == t->verdict);
    for (size_t i = 0; i < r->count + r->unknown; ++i)
        FUZZ_REQUIRE(p[i].a == q[i].a && p[i].b == q[i].b && p[i].meet == q[i].meet &&
                     memcmp(&p[i].from, &q[i].from, sizeof p[i].from) == 0 &&
                     memcmp(&p[i].to, &q[i].to, sizeof p[i].to) == 0);
}

static void ask_contacts(const mesh *a, const abut_pose *pa, const mesh *b, const abut_pose *pb,
                         abut_verdict check, bool solid, bool extreme)
{
    static abut_triangle_contact found[MOST_CONTACTS], again[MOST_CONTACTS];
    abut_contacts_result r, t;
    if (!ran(abut_contacts(a->shape, pa, b->shape, pb, NULL, NULL, found, MOST_CONTACTS, &r)))
        return;
    require_contacts(found, &r, extreme);
    FUZZ_REQUIRE(!(r.count > 0 && check == ABUT_SEPARATE));
    FUZZ_REQUIRE(solid || !(check == ABUT_TOUCHING && r.verdict == ABUT_SEPARATE));

    FUZZ_REQUIRE(ran(abut_contacts(a->other, pa, b->other, pb, NULL, NULL, again, MOST_CONTACTS, &t)));
    require_same(found, &r, again, &t);

    FUZZ_REQUIRE(ran(abut_contacts(b->shape, pb, a->other, pa, NULL, NULL, again, MOST_CONTACTS, &t)));
    FUZZ_REQUIRE(r.count == t.count && r.unknown == t.unknown);
    for (size_t i = 0; i < t.count + t.unknown; ++i) {
        const uint32_t swap = again[i].a;
        again[i].a = again[i].b;
        again[i].b = swap;
    }
    qsort(again, t.count + t.unknown, sizeof *again, compare_contacts);
    for (size_t i = 0; i < r.count + r.unknown; ++i)
        FUZZ_REQUIRE(found[i].a == again[i].a && found[i].b == again[i].b && found[i].meet == again[i].meet);

    stream s = { 0 };
    abut_contacts_opts opts;
    abut_contacts_opts_init(&opts);
    opts.on_contacts = on_contacts;
    opts.on_contacts_ctx = &s;
    opts.descent = ABUT_DESCENT_BOTH;
    FUZZ_REQUIRE(ran(abut_contacts(a->shape, pa, b->shape, pb, &opts, NULL, NULL, 0, &t)));
    FUZZ_REQUIRE(s.count == r.count + r.unknown);
    abut_contacts_opts_init(&opts);
    opts.any = true;
    FUZZ_REQUIRE(ran(abut_contacts(a->other, pa, b->shape, pb, &opts, NULL, NULL, 0, &t)));
    FUZZ_REQUIRE((t.count > 0) == (r.count > 0));
    abut_front *front;
    FUZZ_REQUIRE(abut_front_create(NULL, &front) == ABUT_OK);
    abut_contacts_opts_init(&opts);
    opts.front = front;
    for (int round = 0; round < 2; ++round) {
        FUZZ_REQUIRE(ran(abut_contacts(a->other, pa, b->other, pb, &opts, NULL, again, MOST_CONTACTS, &t)));
        require_same(found, &r, again, &t);
    }
    abut_front_destroy(front);
}

static void ask_self(const mesh *m, bool extreme)
{
    static abut_triangle_contact found[MOST_CONTACTS], again[MOST_CONTACTS];
    abut_contacts_result r, t;
    if (!ran(abut_self_contacts(m->shape, NULL, NULL, found, MOST_CONTACTS, &r)))
        return;
    require_contacts(found, &r, extreme);
    for (size_t i = 0; i < r.count + r.unknown; ++i)
        FUZZ_REQUIRE(found[i].a < found[i].b);
    FUZZ_REQUIRE(ran(abut_self_contacts(m->other, NULL, NULL, again, MOST_CONTACTS, &t)));
    require_same(found, &r, again, &t);
}

/* ---- points, rays, depth ---- */

static void ask_alone(source *s, const mesh *m, const abut_pose *pose)
{
    const abut_vec3 p = next_vector(s), q = next_vector(s);
    abut_closest_result near, again;
    if (ran(abut_closest_point(m->shape, pose, p, INFINITY, &near))) {
        FUZZ_REQUIRE(near.distance.lo >= 0 && near.distance.lo <= near.distance.hi && no_nan(near.point));
        FUZZ_REQUIRE(ran(abut_closest_point(m->other, pose, p, INFINITY, &again)));
        FUZZ_REQUIRE(near.distance.lo <= again.distance.hi && again.distance.lo <= near.distance.hi);
        abut_piece piece;
        if (ran(abut_classify_point(m->shape, pose, p, &piece))) {
            FUZZ_REQUIRE(!(piece.where >= ABUT_WHERE_VERTEX && near.distance.lo > 0));
            FUZZ_REQUIRE(
                !((piece.where == ABUT_WHERE_IN || piece.where == ABUT_WHERE_OUT) && near.distance.hi == 0));
        }
    }
    abut_ray_hit hits[8], others[8];
    size_t count, other_count;
    if (ran(abut_cast_ray(m->shape, pose, p, q, hits, 8, &count))) {
        for (size_t i = 0; i < count && i < 8; ++i) {
            FUZZ_REQUIRE(hits[i].t >= 0 && no_nan(hits[i].point) && unit(hits[i].normal));
            FUZZ_REQUIRE(i == 0 || hits[i - 1].t <= hits[i].t);
        }
        FUZZ_REQUIRE(ran(abut_cast_ray(m->other, pose, p, q, others, 8, &other_count)));
        FUZZ_REQUIRE((count > 0) == (other_count > 0));
    }
    abut_piece pieces[16];
    if (ran(abut_classify_segment(m->shape, pose, p, q, pieces, 16, &count)))
        for (size_t i = 0; i < count && i < 16; ++i) {
            FUZZ_REQUIRE(pieces[i].from >= 0 && pieces[i].from <= pieces[i].to && pieces[i].to <= 1);
            FUZZ_REQUIRE(i == 0 ? pieces[i].from == 0 : pieces[i - 1].to <= pieces[i].from);
        }
}

static void ask_reach(const mesh *a, const abut_pose *pa, const mesh *b, const abut_pose *pb,
                      abut_verdict check)
{
    abut_reach_result r;
    if (!ran(abut_mesh_reach(a->shape, pa, b->shape, pb, NULL, &r)))
        return;
    FUZZ_REQUIRE(r.depth >= 0 && no_nan(r.inside) && no_nan(r.outside));
    FUZZ_REQUIRE(!(r.depth > 0 && check == ABUT_SEPARATE));
    FUZZ_REQUIRE(r.vertices_a + r.vertices_b > 0 || r.depth == 0);
}

/* A mesh that was moved to new places answers as one that was made there. */
static void ask_updated(source *s, mesh *a, const abut_pose *pa, const mesh *b, const abut_pose *pb)
{
    static abut_triangle_contact found[MOST_CONTACTS], again[MOST_CONTACTS];
    for (unsigned moves = 1 + next_byte(s) % 4u; moves > 0; --moves) {
        const size_t which = next_byte(s) % a->vertex_count;
        a->vertices[which] = next_vector(s);
    }
    abut_error error;
    abut_shape *fresh = make_shape(a, false, next_byte(s));
    const abut_status status = abut_shape_update_mesh(a->other, a->vertices, a->vertex_count, &error);
    FUZZ_REQUIRE((status == ABUT_OK) == (fresh != NULL));
    if (fresh) {
        const abut_aabb p = abut_shape_bounds(fresh), q = abut_shape_bounds(a->other);
        FUZZ_REQUIRE(p.lo.x == q.lo.x && p.hi.z == q.hi.z);
        abut_contacts_result r, t;
        if (ran(abut_contacts(a->other, pa, b->shape, pb, NULL, NULL, found, MOST_CONTACTS, &r))) {
            FUZZ_REQUIRE(ran(abut_contacts(fresh, pa, b->shape, pb, NULL, NULL, again, MOST_CONTACTS, &t)));
            require_same(found, &r, again, &t);
        }
    }
    const abut_status solid = abut_shape_update_mesh(a->shape, a->vertices, a->vertex_count, &error);
    FUZZ_REQUIRE(solid == ABUT_OK || solid == ABUT_ERR_ARGUMENT);
    FUZZ_REQUIRE(abut_shape_update_mesh(b->shape, b->vertices, b->vertex_count + 1, NULL) ==
                 ABUT_ERR_ARGUMENT);
    abut_shape_release(fresh);
}

/* ---- convex bodies ---- */

static abut_shape *next_convex(source *s)
{
    abut_shape *shape = NULL;
    const double a = fabs(next_number(s)), b = fabs(next_number(s));
    switch (next_byte(s) % 9) {
    case 0: abut_shape_create_sphere(a, NULL, &shape); break;
    case 1: abut_shape_create_box((abut_vec3){ a, b, fabs(next_number(s)) }, NULL, &shape); break;
    case 2: abut_shape_create_capsule(a, b, NULL, &shape); break;
    case 3: abut_shape_create_cylinder(a, b, NULL, &shape); break;
    case 4: abut_shape_create_cone(a, b, NULL, &shape); break;
    case 5: abut_shape_create_ellipsoid((abut_vec3){ a, b, fabs(next_number(s)) }, NULL, &shape); break;
    case 6: abut_shape_create_halfspace(next_vector(s), a, NULL, &shape); break;
    case 7: {
        double heights[9];
        for (int i = 0; i < 9; ++i)
            heights[i] = next_number(s);
        abut_shape_create_heightfield(3, 3, a, b, heights, NULL, &shape, NULL);
        break;
    }
    default: {
        abut_vec3 points[6];
        const size_t count = 1 + next_byte(s) % 6u;
        for (size_t i = 0; i < count; ++i)
            points[i] = next_vector(s);
        abut_shape_create_convex(points, count, 0, NULL, &shape, NULL);
    }
    }
    return shape;
}

static void release(mesh *m)
{
    abut_shape_release(m->shape);
    abut_shape_release(m->other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    source s = { .at = data, .end = data + size };
    static mesh a, b;
    const bool two = next_byte(&s) & 1;
    const bool has_a = next_mesh(&s, &a);
    if (has_a && two && next_mesh(&s, &b)) {
        const abut_pose pa = next_pose(&s), pb = next_pose(&s);
        abut_mesh_report ra, rb;
        FUZZ_REQUIRE(abut_shape_inspect(a.shape, &ra) == ABUT_OK &&
                     abut_shape_inspect(b.shape, &rb) == ABUT_OK);
        const abut_verdict check = ask_general(a.shape, &pa, b.shape, &pb);
        ask_contacts(&a, &pa, &b, &pb, check, ra.outward || rb.outward, s.extreme);
        ask_self(&a, s.extreme);
        ask_reach(&a, &pa, &b, &pb, check);
        ask_alone(&s, &a, &pa);
        ask_updated(&s, &a, &pa, &b, &pb);
        release(&b);
    } else if (has_a && !two) {
        abut_shape *body = next_convex(&s);
        const abut_pose pa = next_pose(&s), pb = next_pose(&s);
        if (body) {
            const abut_verdict check = ask_general(a.shape, &pa, body, &pb);
            const abut_verdict other = ask_general(a.other, &pa, body, &pb);
            FUZZ_REQUIRE(!(meets(other) && check == ABUT_SEPARATE));
        }
        ask_alone(&s, &a, &pa);
        abut_shape_release(body);
    }
    if (has_a)
        release(&a);
    return 0;
}
