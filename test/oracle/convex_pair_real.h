/* SPDX-License-Identifier: MIT */
/* The searches of convex_pair.c for one type of numbers: REAL, its functions' suffix N(), its unit
 * roundoff EPS. No include guard: included once for each type.
 *
 * Errors. The entries of a rotation matrix are good to 10 units, so a product with it to 20 of
 * the vector; a support point and its value to 40 of the size; the sum t + R y - x and a dot
 * product of it add fewer than 20 of all sizes together. ERROR units of the scale bound the lot. */

typedef struct N(vec) {
    REAL x[3];
} N(vec);

static N(vec) N(sub)(N(vec) a, N(vec) b)
{
    return (N(vec)){ { a.x[0] - b.x[0], a.x[1] - b.x[1], a.x[2] - b.x[2] } };
}

static N(vec) N(madd)(N(vec) a, REAL s, N(vec) b)
{
    return (N(vec)){ { a.x[0] + s * b.x[0], a.x[1] + s * b.x[1], a.x[2] + s * b.x[2] } };
}

static N(vec) N(scale)(REAL s, N(vec) a)
{
    return (N(vec)){ { s * a.x[0], s * a.x[1], s * a.x[2] } };
}

static REAL N(dot)(N(vec) a, N(vec) b)
{
    return a.x[0] * b.x[0] + a.x[1] * b.x[1] + a.x[2] * b.x[2];
}

static N(vec) N(cross)(N(vec) a, N(vec) b)
{
    return (N(vec)){ { a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                       a.x[0] * b.x[1] - a.x[1] * b.x[0] } };
}

static REAL N(norm)(N(vec) a)
{
    return N(root)(N(dot)(a, a));
}

static N(vec) N(from)(abut_vec3 a)
{
    return (N(vec)){ { (REAL)a.x, (REAL)a.y, (REAL)a.z } };
}

/* ---- bodies ---- */

typedef struct N(matrix) {
    REAL m[3][3];
} N(matrix);

static N(matrix) N(rotation)(abut_quat q)
{
    const REAL w = (REAL)q.w, x = (REAL)q.x, y = (REAL)q.y, z = (REAL)q.z;
    const REAL s = 1 / (w * w + x * x + y * y + z * z);
    return (N(matrix)){
        { { s * (w * w + x * x - y * y - z * z), s * 2 * (x * y - w * z), s * 2 * (x * z + w * y) },
          { s * 2 * (x * y + w * z), s * (w * w - x * x + y * y - z * z), s * 2 * (y * z - w * x) },
          { s * 2 * (x * z - w * y), s * 2 * (y * z + w * x), s * (w * w - x * x - y * y + z * z) } }
    };
}

static N(vec) N(turn)(const N(matrix) * r, N(vec) a)
{
    N(vec) out;
    for (int i = 0; i < 3; ++i)
        out.x[i] = r->m[i][0] * a.x[0] + r->m[i][1] * a.x[1] + r->m[i][2] * a.x[2];
    return out;
}

static N(vec) N(turn_back)(const N(matrix) * r, N(vec) a)
{
    N(vec) out;
    for (int i = 0; i < 3; ++i)
        out.x[i] = r->m[0][i] * a.x[0] + r->m[1][i] * a.x[1] + r->m[2][i] * a.x[2];
    return out;
}

/* Furthest point of the core along d, in the frame of the body. */
static N(vec) N(core_support)(const oracle_body *body, N(vec) d)
{
    const REAL h[3] = { (REAL)body->h.x, (REAL)body->h.y, (REAL)body->h.z };
    N(vec) p = { { 0, 0, 0 } };
    switch (body->core) {
    case ORACLE_CORE_POINTS: {
        REAL best = 0;
        size_t at = 0;
        for (size_t i = 0; i < body->count; ++i) {
            const REAL along = N(dot)(d, N(from)(body->points[i]));
            if (i == 0 || along > best) {
                best = along;
                at = i;
            }
        }
        return N(from)(body->points[at]);
    }
    case ORACLE_CORE_BOX:
        for (int i = 0; i < 3; ++i)
            p.x[i] = d.x[i] < 0 ? -h[i] : h[i];
        return p;
    case ORACLE_CORE_CYLINDER:
    case ORACLE_CORE_CONE: {
        const REAL flat = N(root)(d.x[0] * d.x[0] + d.x[1] * d.x[1]);
        p.x[2] = d.x[2] < 0 ? -h[2] : h[2];
        if (body->core == ORACLE_CORE_CONE) {
            if (h[2] * d.x[2] > h[0] * flat - h[2] * d.x[2])
                return (N(vec)){ { 0, 0, h[2] } };
            p.x[2] = -h[2];
        }
        if (flat > 0) {
            p.x[0] = h[0] * (d.x[0] / flat);
            p.x[1] = h[0] * (d.x[1] / flat);
        }
        return p;
    }
    case ORACLE_CORE_ELLIPSOID: {
        const N(vec) e = { { h[0] * d.x[0], h[1] * d.x[1], h[2] * d.x[2] } };
        const REAL length = N(norm)(e);
        for (int i = 0; i < 3; ++i)
            p.x[i] = h[i] * (e.x[i] / length);
        return p;
    }
    case ORACLE_CORE_HALFSPACE: break;
    }
    return p;
}

static REAL N(core_size)(const oracle_body *body)
{
    REAL most = 0;
    if (body->core != ORACLE_CORE_POINTS)
        return N(norm)(N(from)(body->h));
    for (size_t i = 0; i < body->count; ++i) {
        const REAL length = N(norm)(N(from)(body->points[i]));
        most = length > most ? length : most;
    }
    return most;
}

typedef struct N(couple) {
    const oracle_body *a, *b;
    N(matrix) ra, rb;
    N(vec) t;
    REAL radii, scale, error;
    REAL goal_lo, goal_hi; /* of the gap of the cores */
    REAL lo, hi;           /* what is proved of it */
    N(vec) best;           /* direction of lo */
} N(couple);

static void N(prepare)(const oracle_convex *pair, N(couple) * c)
{
    *c = (N(couple)){ .a = pair->a, .b = pair->b };
    c->ra = N(rotation)(pair->pose_a.rotation);
    c->rb = N(rotation)(pair->pose_b.rotation);
    c->t = N(sub)(N(from)(pair->pose_b.position), N(from)(pair->pose_a.position));
    c->radii =
        (REAL)pair->a->radius + (REAL)pair->a->margin + ((REAL)pair->b->radius + (REAL)pair->b->margin);
    c->scale = N(norm)(c->t) + N(core_size)(pair->a) + N(core_size)(pair->b) + c->radii;
    c->error = ERROR * EPS * c->scale;
    c->lo = -HUGE_VALL;
    c->hi = HUGE_VALL;
}

static bool N(is_done)(const N(couple) * c)
{
    return (c->lo >= c->goal_lo && c->hi <= c->goal_hi) || c->hi - c->lo <= 4 * c->error;
}

/* The point of K = { y - x } least along n, which is of unit length: a lower bound of the gap. */
static N(vec) N(support)(N(couple) * c, N(vec) n)
{
    const N(vec) x = N(turn)(&c->ra, N(core_support)(c->a, N(turn_back)(&c->ra, n)));
    const N(vec) y = N(turn)(&c->rb, N(core_support)(c->b, N(turn_back)(&c->rb, N(scale)(-1, n))));
    N(vec) w;
    for (int i = 0; i < 3; ++i)
        w.x[i] = c->t.x[i] + (y.x[i] - x.x[i]);
    const REAL s = N(dot)(n, w) - c->error;
    if (s > c->lo) {
        c->lo = s;
        c->best = n;
    }
    return w;
}

/* Unit; false where there is no direction. */
static bool N(unit)(N(vec) * a)
{
    REAL most = 0;
    for (int i = 0; i < 3; ++i)
        most = a->x[i] > most ? a->x[i] : -a->x[i] > most ? -a->x[i] : most;
    if (!(most > 0))
        return false;
    const N(vec) one = N(scale)(1 / most, *a);
    *a = N(scale)(1 / N(norm)(one), one);
    return true;
}

/* Two directions at right angles to n and each other. */
static void N(tangents)(N(vec) n, N(vec) out[2])
{
    int least = 0;
    for (int i = 1; i < 3; ++i)
        if (n.x[i] * n.x[i] < n.x[least] * n.x[least])
            least = i;
    N(vec) axis = { { 0, 0, 0 } };
    axis.x[least] = 1;
    out[0] = N(cross)(n, axis);
    N(unit)(&out[0]);
    out[1] = N(cross)(n, out[0]);
}

/* ---- distance ---- */

typedef struct N(simplex) {
    int count;
    N(vec) p[4];
    REAL weight[4];
} N(simplex);

/* Weights of the point of the affine hull nearest to the origin; true when all are positive. */
static bool N(weights)(const N(vec) * p, int count, REAL *weight)
{
    weight[0] = 1;
    if (count == 1)
        return true;
    const N(vec) e = N(sub)(p[1], p[0]);
    if (count == 2) {
        const REAL ee = N(dot)(e, e);
        weight[1] = ee > 0 ? -N(dot)(p[0], e) / ee : -1;
        weight[0] = 1 - weight[1];
        return weight[0] >= 0 && weight[1] >= 0;
    }
    const N(vec) f = N(sub)(p[2], p[0]), n = N(cross)(e, f);
    if (count == 3) {
        const REAL nn = N(dot)(n, n);
        weight[1] = nn > 0 ? N(dot)(N(cross)(f, p[0]), n) / nn : -1;
        weight[2] = nn > 0 ? N(dot)(N(cross)(p[0], e), n) / nn : -1;
        weight[0] = 1 - weight[1] - weight[2];
        return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0;
    }
    const N(vec) g = N(sub)(p[3], p[0]);
    const REAL volume = N(dot)(n, g);
    weight[1] = volume != 0 ? -N(dot)(p[0], N(cross)(f, g)) / volume : -1;
    weight[2] = volume != 0 ? N(dot)(p[0], N(cross)(e, g)) / volume : -1;
    weight[3] = volume != 0 ? -N(dot)(p[0], n) / volume : -1;
    weight[0] = 1 - weight[1] - weight[2] - weight[3];
    return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0 && weight[3] >= 0;
}

static N(vec) N(combine)(const N(vec) * p, const REAL *weight, int count)
{
    N(vec) v = { { 0, 0, 0 } };
    for (int i = 0; i < count; ++i)
        v = N(madd)(v, weight[i], p[i]);
    return v;
}

/* Reduces the simplex to the face that holds its point nearest to the origin, which it returns. */
static N(vec) N(nearest)(N(simplex) * s)
{
    N(simplex) kept = { 0 };
    N(vec) best = s->p[0];
    REAL least = -1;
    for (int mask = 1; mask < 1 << s->count; ++mask) {
        N(simplex) face = { 0 };
        for (int i = 0; i < s->count; ++i)
            if (mask >> i & 1)
                face.p[face.count++] = s->p[i];
        if (!N(weights)(face.p, face.count, face.weight))
            continue;
        const N(vec) v = N(combine)(face.p, face.weight, face.count);
        const REAL square = N(dot)(v, v);
        if (least < 0 || square < least) {
            least = square;
            best = v;
            kept = face;
        }
    }
    *s = kept;
    return best;
}

static bool N(holds)(const N(simplex) * s, N(vec) w)
{
    for (int i = 0; i < s->count; ++i)
        if (s->p[i].x[0] == w.x[0] && s->p[i].x[1] == w.x[1] && s->p[i].x[2] == w.x[2])
            return true;
    return false;
}

/* True when the cores are proved apart, or nearly so, as well as this can; false when they meet. */
static bool N(gjk)(N(couple) * c, const N(vec) * seeds, int seed_count, int most)
{
    N(simplex) s = { 0 };
    N(vec) v = c->t;
    for (int i = 0; i < seed_count; ++i) {
        const N(vec) w = N(support)(c, seeds[i]);
        if (N(holds)(&s, w))
            continue;
        s.p[s.count++] = w;
        v = N(nearest)(&s);
        if (s.count == 4)
            break;
    }
    REAL before = HUGE_VALL;
    int stuck = 0;
    for (int i = 0; i < most; ++i) {
        if (s.count > 0) {
            const REAL length = N(norm)(v);
            if (length + c->error < c->hi)
                c->hi = length + c->error;
            if (s.count == 4 || length <= c->error)
                return false;
            if (N(is_done)(c))
                return true;
            stuck = length < before ? 0 : stuck + 1;
            before = length < before ? length : before;
            if (stuck > 2)
                return true;
        }
        N(vec) n = v;
        if (!N(unit)(&n))
            return false;
        const N(vec) w = N(support)(c, n);
        if (N(is_done)(c) || N(holds)(&s, w))
            return true;
        s.p[s.count++] = w;
        v = N(nearest)(&s);
    }
    return true;
}

/* ---- depth ---- */

typedef struct N(face) {
    int v[3], next[3]; /* next[i]: the face beyond the edge from v[i] to v[i + 1] */
    N(vec) normal;     /* unit, outward */
    /* of its plane from the origin, and a proved lower bound for the triangle */
    REAL distance, sure;
    bool dead, stuck; /* stuck: nothing of K was found beyond it */
} N(face);

static struct {
    int vertices, faces;
    N(vec) vertex[MAX_VERTICES];
    N(face) face[MAX_FACES];
    int free[MAX_FACES], free_count;
} N(polytope);

/* A triangle is at least as far from the origin as its nearest corner is along any unit
 * direction, were it the worst of normals: slivers cost no digits. */
static int N(add_face)(const N(couple) * c, int i, int j, int k)
{
    if (N(polytope).free_count == 0 && N(polytope).faces == MAX_FACES)
        return -1;
    const int at = N(polytope).free_count ? N(polytope).free[--N(polytope).free_count] : N(polytope).faces++;
    const N(vec) *p = N(polytope).vertex;
    const N(vec) e = N(sub)(p[j], p[i]), f = N(sub)(p[k], p[i]);
    N(face) face = { .v = { i, j, k }, .normal = N(cross)(e, f) };
    if (!N(unit)(&face.normal))
        return -1;
    const REAL along[3] = { N(dot)(face.normal, p[i]), N(dot)(face.normal, p[j]), N(dot)(face.normal, p[k]) };
    face.distance = along[0];
    face.sure = along[0] < along[1] ? along[0] : along[1];
    face.sure = (face.sure < along[2] ? face.sure : along[2]) - c->error;
    N(polytope).face[at] = face;
    return at;
}

static void N(link)(int face, int edge, int other)
{
    N(face) *f = &N(polytope).face[face], *g = &N(polytope).face[other];
    f->next[edge] = other;
    for (int i = 0; i < 3; ++i)
        if (g->v[i] == f->v[(edge + 1) % 3] && g->v[(i + 1) % 3] == f->v[edge])
            g->next[i] = face;
}

/* Replaces the faces that see vertex `at`, of which `seen` is one, by a fan. False, and nothing
 * changed, where rounding has the faces seen make no disc. */
static bool N(grow)(const N(couple) * c, int seen, int at)
{
    static int gone[MAX_FACES], rim_face[MAX_FACES], rim_edge[MAX_FACES], stack[2 * MAX_FACES][2];
    const N(vec) w = N(polytope).vertex[at];
    int depth = 0, rim = 0, gone_count = 0;
    N(polytope).face[seen].dead = true;
    gone[gone_count++] = seen;
    for (int i = 2; i >= 0; --i) {
        stack[depth][0] = seen;
        stack[depth++][1] = i;
    }
    /* Depth first and counter-clockwise, so that the rim comes in order. */
    while (depth > 0) {
        const int from = stack[--depth][0], edge = stack[depth][1];
        const int to = N(polytope).face[from].next[edge];
        N(face) *f = &N(polytope).face[to];
        if (f->dead)
            continue;
        if (N(dot)(f->normal, w) > f->distance) {
            f->dead = true;
            gone[gone_count++] = to;
            const int corner = N(polytope).face[from].v[(edge + 1) % 3];
            const int came = f->v[0] == corner ? 0 : f->v[1] == corner ? 1 : 2;
            for (int i = 2; i >= 1; --i) {
                stack[depth][0] = to;
                stack[depth++][1] = (came + i) % 3;
            }
            continue;
        }
        rim_face[rim] = from;
        rim_edge[rim++] = edge;
    }
    bool disc = rim >= 3 && N(polytope).faces + rim <= MAX_FACES;
    for (int i = 0; i < rim && disc; ++i) {
        const int next = (i + 1) % rim;
        const int to = N(polytope).face[rim_face[i]].v[(rim_edge[i] + 1) % 3];
        disc = to == N(polytope).face[rim_face[next]].v[rim_edge[next]];
        for (int k = 0; k < i && disc; ++k)
            disc = N(polytope).face[rim_face[k]].v[(rim_edge[k] + 1) % 3] != to;
    }
    const int count = N(polytope).faces, free_count = N(polytope).free_count;
    int made[MAX_FACES];
    for (int i = 0; i < rim && disc; ++i) {
        const N(face) *old = &N(polytope).face[rim_face[i]];
        made[i] = N(add_face)(c, old->v[rim_edge[i]], old->v[(rim_edge[i] + 1) % 3], at);
        disc = made[i] >= 0;
    }
    if (!disc) {
        N(polytope).faces = count;
        N(polytope).free_count = free_count;
        for (int i = 0; i < gone_count; ++i)
            N(polytope).face[gone[i]].dead = false;
        return false;
    }
    for (int i = 0; i < rim; ++i) {
        N(link)(made[i], 0, N(polytope).face[rim_face[i]].next[rim_edge[i]]);
        N(polytope).face[made[i]].next[1] = made[(i + 1) % rim];
        N(polytope).face[made[i]].next[2] = made[(i + rim - 1) % rim];
    }
    for (int i = 0; i < gone_count; ++i)
        N(polytope).free[N(polytope).free_count++] = gone[i];
    return true;
}

/* A tetrahedron of K as large as a few supports give; false when K is flat. */
static bool N(start)(N(couple) * c)
{
    N(vec) *p = N(polytope).vertex;
    N(vec) x = { { 1, 0, 0 } };
    p[0] = N(support)(c, x);
    REAL most = 0;
    for (int i = 0; i < 6; ++i) {
        N(vec) d = { { 0, 0, 0 } };
        d.x[i / 2] = i % 2 ? -1 : 1;
        const N(vec) w = N(support)(c, d), e = N(sub)(w, p[0]);
        if (N(dot)(e, e) > most) {
            most = N(dot)(e, e);
            p[1] = w;
        }
    }
    N(vec) line = N(sub)(p[1], p[0]), side[2];
    if (!N(unit)(&line))
        return false;
    N(tangents)(line, side);
    most = 0;
    for (int i = 0; i < 8; ++i) {
        static const int turn[8][2] = { { 1, 0 }, { -1, 0 },  { 0, 1 },  { 0, -1 },
                                        { 1, 1 }, { -1, -1 }, { 1, -1 }, { -1, 1 } };
        N(vec) d = N(madd)(N(scale)((REAL)turn[i][0], side[0]), (REAL)turn[i][1], side[1]);
        N(unit)(&d);
        const N(vec) w = N(support)(c, d), e = N(cross)(line, N(sub)(w, p[0]));
        if (N(dot)(e, e) > most) {
            most = N(dot)(e, e);
            p[2] = w;
        }
    }
    N(vec) normal = N(cross)(line, N(sub)(p[2], p[0]));
    if (!N(unit)(&normal))
        return false;
    most = 0;
    for (int i = 0; i < 2; ++i) {
        const N(vec) w = N(support)(c, N(scale)(i ? -1 : 1, normal));
        const REAL height = N(dot)(normal, N(sub)(w, p[0]));
        if ((height < 0 ? -height : height) > most) {
            most = height < 0 ? -height : height;
            p[3] = w;
        }
    }
    if (!(most > 8 * c->error))
        return false;
    static const int corners[4][3] = { { 0, 1, 2 }, { 0, 3, 1 }, { 0, 2, 3 }, { 1, 3, 2 } };
    const bool above = N(dot)(normal, N(sub)(p[3], p[0])) > 0;
    N(polytope).vertices = 4;
    N(polytope).faces = N(polytope).free_count = 0;
    for (int i = 0; i < 4; ++i)
        if (N(add_face)(c, corners[i][0], corners[i][above ? 2 : 1], corners[i][above ? 1 : 2]) < 0)
            return false;
    for (int i = 0; i < 4; ++i)
        for (int k = i + 1; k < 4; ++k)
            for (int e = 0; e < 3; ++e)
                for (int g = 0; g < 3; ++g) {
                    N(face) *f = &N(polytope).face[i], *o = &N(polytope).face[k];
                    if (f->v[e] == o->v[(g + 1) % 3] && f->v[(e + 1) % 3] == o->v[g]) {
                        f->next[e] = k;
                        o->next[g] = i;
                    }
                }
    return true;
}

/* Adds a point that the face sees; false where that is not so, or cannot be done. */
static bool N(expand)(N(couple) * c, int face, N(vec) w)
{
    const N(face) *f = &N(polytope).face[face];
    if (!(N(dot)(f->normal, w) > f->distance) || N(polytope).vertices == MAX_VERTICES)
        return false;
    N(polytope).vertex[N(polytope).vertices] = w;
    if (!N(grow)(c, face, N(polytope).vertices))
        return false;
    ++N(polytope).vertices;
    return true;
}

static void N(epa)(N(couple) * c, const N(vec) * seeds, int seed_count, int most)
{
    if (!N(start)(c))
        return;
    for (int i = 0; i < seed_count; ++i) {
        const N(vec) w = N(support)(c, seeds[i]);
        int seen = 0;
        REAL height = 0;
        for (int k = 0; k < N(polytope).faces; ++k) {
            const N(face) *f = &N(polytope).face[k];
            if (!f->dead && N(dot)(f->normal, w) - f->distance > height) {
                height = N(dot)(f->normal, w) - f->distance;
                seen = k;
            }
        }
        if (height > c->error)
            N(expand)(c, seen, w);
    }
    int idle = 0;
    for (int i = 0; i < most && idle < 300; ++i) {
        int first = -1, worst = -1;
        REAL sure = HUGE_VALL;
        for (int k = 0; k < N(polytope).faces; ++k) {
            const N(face) *f = &N(polytope).face[k];
            if (f->dead)
                continue;
            if (f->sure < sure) {
                sure = f->sure;
                worst = k;
            }
            if (!f->stuck && (first < 0 || f->distance < N(polytope).face[first].distance))
                first = k;
        }
        /* All planes pass the origin on the right side: the surface winds around it once. */
        idle = sure > 0 ? idle + 1 : 0;
        if (sure > 0 && -sure < c->hi) {
            c->hi = -sure;
            idle = 0;
        }
        if (first < 0 || N(polytope).face[worst].stuck || N(is_done)(c))
            return;
        const N(vec) w = N(support)(c, N(scale)(-1, N(polytope).face[first].normal));
        if (!N(expand)(c, first, w))
            N(polytope).face[first].stuck = true;
    }
}

/* ---- both ---- */

static void N(halfspace)(N(couple) * c, bool first)
{
    const oracle_body *plane = first ? c->a : c->b, *body = first ? c->b : c->a;
    const N(matrix) *rp = first ? &c->ra : &c->rb, *r = first ? &c->rb : &c->ra;
    const N(vec) shift = first ? c->t : N(scale)(-1, c->t);
    N(vec) m = N(from)(plane->h);
    N(unit)(&m);
    const REAL offset = (REAL)plane->offset / N(norm)(N(from)(plane->h));
    const N(vec) n = N(turn)(rp, m);
    const N(vec) y = N(turn)(r, N(core_support)(body, N(turn_back)(r, N(scale)(-1, n))));
    const REAL gap = N(dot)(n, y) + N(dot)(n, shift) - offset;
    c->scale = N(norm)(c->t) + N(core_size)(body) + c->radii + (offset < 0 ? -offset : offset);
    c->error = ERROR * EPS * c->scale;
    c->lo = gap - c->error;
    c->hi = gap + c->error;
}

static oracle_gap N(solve)(const oracle_convex *pair, const abut_vec3 *hints, int hint_count, int steps,
                           int vertices, long double goal_lo, long double goal_hi)
{
    N(couple) c;
    N(prepare)(pair, &c);
    c.goal_lo = (REAL)goal_lo + c.radii + c.error;
    c.goal_hi = (REAL)goal_hi + c.radii - c.error;
    if (pair->a->core == ORACLE_CORE_HALFSPACE || pair->b->core == ORACLE_CORE_HALFSPACE) {
        N(halfspace)(&c, pair->a->core == ORACLE_CORE_HALFSPACE);
    } else {
        /* Around the first hint for the simplex, whose nearest points they bracket; the hints
         * themselves for the polytope. */
        N(vec) around[4], seeds[SEED_HINTS + 1], side[2];
        int count = 0, bracket = 0;
        for (int i = 0; i < hint_count && i < SEED_HINTS; ++i) {
            seeds[count] = N(from)(hints[i]);
            count += N(unit)(&seeds[count]);
        }
        if (count > 0) {
            const N(vec) n = seeds[0];
            N(tangents)(n, side);
            around[0] = n;
            around[1] = N(madd)(n, NEAR, side[0]);
            around[2] = N(madd)(N(madd)(n, -NEAR / 2, side[0]), NEAR * 7 / 8, side[1]);
            around[3] = N(madd)(N(madd)(n, -NEAR / 2, side[0]), -NEAR * 7 / 8, side[1]);
            for (bracket = 0; bracket < 4; ++bracket)
                N(unit)(&around[bracket]);
        }
        const bool apart = N(gjk)(&c, around, bracket, steps) && c.lo > 0;
        if (!apart && !N(is_done)(&c)) {
            seeds[count++] = c.best;
            N(epa)(&c, seeds, count, vertices);
        }
    }
    const REAL lo = c.lo - c.radii - c.error, hi = c.hi - c.radii + c.error;
    return (oracle_gap){ (long double)lo,
                         (long double)hi,
                         (long double)c.scale,
                         { (double)c.best.x[0], (double)c.best.x[1], (double)c.best.x[2] } };
}
