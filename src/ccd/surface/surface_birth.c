/* SPDX-License-Identifier: MIT */
/* Parts of a solid that deforms, or all of it, may come into being inside another body: the bodies
 * meet then, and no surface touches another.
 *
 * Such a part is first a point x, in the frame of the body, at which fields F_1 ... F_k of the body
 * vanish and their gradients are positively dependent, m_1 g_1 + ... + m_k g_k = 0 with m >= 0, and
 * the sum of m_i dF_i/dt is not positive; k <= 4. On the border of the bounds of the body the same
 * holds in the coordinates that are free there: d = 3 of them inside, 2 on a face, 1 on an edge, 0
 * at a corner, and k <= d + 1. Unknowns are these and t.
 *
 * k = 1      F = 0, g = 0                  1 + d equations k = 2      F = 0, g_1 x g_2 = 0
 * d = 3: five, four are enough; d = 2: three; d = 1: F = 0 k = 3      F = 0, det(g_1, g_2, g_3) = 0
 * d = 3; d = 2: F = 0 alone k = 4      F = 0
 *
 * It is a contact where x is a point of the solid and lies in the other body. Merging parts
 * solve the equations as well; if that is inside the other body, they have met before. With time
 * reversed it is where parts vanish. */
#include "ccd/surface/surface_problem.h"

#include "ccd/surface/surface_scene.h"
#include "narrow/surface/surface_pair.h"

/* Added to the group of the pair: births thin out no contacts. */
static const uint32_t births_apart = 0x80000000U;

typedef struct birth {
    const abut_contact_problem *p;
    const abut_relative *r;
    ia3 at;
    int k, d;
    abut_field_jet field[ABUT_BIRTH_MAX_FIELDS];
    ia3 g[ABUT_BIRTH_MAX_FIELDS]; /* gradients in the free coordinates, zero in the others */
} birth;

int abut_birth_equations(const abut_contact_problem *p)
{
    const int k = abut_birth_field_count(p->one->surface, p->birth), d = p->free_count;
    return k + (k == 1 ? d : k == 2 && d == 3 ? 3 : k == d ? 1 : 0);
}

ia3 abut_birth_place(const abut_contact_problem *p, const ia *x)
{
    ia at[3] = { ia_point(p->at[0]), ia_point(p->at[1]), ia_point(p->at[2]) };
    for (int i = 0; i < p->free_count; ++i)
        at[p->free_axes[i]] = x[i];
    return (ia3){ at[0], at[1], at[2] };
}

static bool enclose_fields(birth *s, int order, ia *scratch)
{
    bool defined = true;
    for (int i = 0; i < s->k; ++i)
        defined = abut_birth_field(s->p->one->surface, s->p->birth, i, s->at, s->r->t, order, scratch,
                                   &s->field[i]) &&
                  defined;
    return defined;
}

static ia3 restricted(const birth *s, ia3 g)
{
    const ia from[3] = { g.x, g.y, g.z };
    ia to[3] = { ia_point(0), ia_point(0), ia_point(0) };
    for (int i = 0; i < s->d; ++i)
        to[s->p->free_axes[i]] = from[s->p->free_axes[i]];
    return (ia3){ to[0], to[1], to[2] };
}

/* Derivative of the gradient of field i by unknown j, in the free coordinates. */
static ia3 gradient_by(const birth *s, int i, int j)
{
    static const int at[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };
    const ia *const h = s->field[i].h;
    if (j == s->d)
        return restricted(s, s->field[i].gt);
    const int *const row = at[s->p->free_axes[j]];
    return restricted(s, (ia3){ h[row[0]], h[row[1]], h[row[2]] });
}

static void add_fields(const birth *s, int order, abut_system *out)
{
    for (int i = 0; i < s->k; ++i) {
        out->f[i] = s->field[i].f;
        for (int j = 0; order > 0 && j < s->d; ++j)
            out->jacobian[i][j] = ia3_part(s->field[i].g, s->p->free_axes[j]);
        if (order > 0)
            out->jacobian[i][s->d] = s->field[i].t;
    }
}

static void add_gradient(const birth *s, int order, abut_system *out)
{
    for (int i = 0; i < s->d; ++i)
        out->f[1 + i] = ia3_part(s->field[0].g, s->p->free_axes[i]);
    for (int j = 0; order > 0 && j <= s->d; ++j) {
        const ia3 by = gradient_by(s, 0, j);
        for (int i = 0; i < s->d; ++i)
            out->jacobian[1 + i][j] = ia3_part(by, s->p->free_axes[i]);
    }
}

/* Where component c of a gradient is not zero, the two others of the product imply that one. */
static unsigned sufficient_rows(ia3 a, ia3 b)
{
    int largest = 0;
    double most = 0;
    for (int i = 0; i < 3; ++i) {
        const double size = fmax(ia_mig(ia3_part(a, i)), ia_mig(ia3_part(b, i)));
        if (size > most) {
            most = size;
            largest = i;
        }
    }
    return most > 0 ? 31U & ~(4U << largest) : 0;
}

/* All of the cross product where three coordinates are free; of two, the one component that is
 * not zero anyhow. */
static void add_cross(const birth *s, int order, abut_system *out)
{
    const ia3 c = ia3_cross(s->g[0], s->g[1]);
    const int fixed = s->d == 3 ? -1 : 3 - s->p->free_axes[0] - s->p->free_axes[1];
    for (int i = 0; i < (s->d == 3 ? 3 : 1); ++i)
        out->f[2 + i] = ia3_part(c, s->d == 3 ? i : fixed);
    if (s->d == 3)
        out->sufficient = sufficient_rows(s->g[0], s->g[1]);
    for (int j = 0; order > 0 && j <= s->d; ++j) {
        const ia3 by =
            ia3_add(ia3_cross(gradient_by(s, 0, j), s->g[1]), ia3_cross(s->g[0], gradient_by(s, 1, j)));
        for (int i = 0; i < (s->d == 3 ? 3 : 1); ++i)
            out->jacobian[2 + i][j] = ia3_part(by, s->d == 3 ? i : fixed);
    }
}

static ia determinant(ia3 a, ia3 b, ia3 c)
{
    return ia3_dot(ia3_cross(a, b), c);
}

static void add_determinant(const birth *s, int order, abut_system *out)
{
    const ia3 *const g = s->g;
    out->f[3] = determinant(g[0], g[1], g[2]);
    for (int j = 0; order > 0 && j <= s->d; ++j)
        out->jacobian[3][j] = ia_add(ia_add(determinant(gradient_by(s, 0, j), g[1], g[2]),
                                            determinant(g[0], gradient_by(s, 1, j), g[2])),
                                     determinant(g[0], g[1], gradient_by(s, 2, j)));
}

/* ---- inequalities ---- */

static int sign_holds(ia value)
{
    return ia_hi(value) <= 0 ? 1 : ia_lo(value) > 0 ? -1 : 0;
}

/* Multipliers of three gradients in one plane: the products of the two others, which are all
 * along one line and must not be opposite. */
static int three_hold(const birth *s, const ia *rate)
{
    const ia3 c[3] = { ia3_cross(s->g[1], s->g[2]), ia3_cross(s->g[2], s->g[0]),
                       ia3_cross(s->g[0], s->g[1]) };
    for (int i = 0; i < 3; ++i)
        if (ia_hi(ia3_dot(c[i], c[(i + 1) % 3])) < 0)
            return -1;
    const ia3 all = ia3_add(ia3_add(c[0], c[1]), c[2]);
    const ia3 sum =
        ia3_add(ia3_add(ia3_scale(rate[0], c[0]), ia3_scale(rate[1], c[1])), ia3_scale(rate[2], c[2]));
    return sign_holds(ia3_dot(sum, all));
}

/* Multipliers of four gradients: the determinants of the three others, with alternating signs. */
static int four_hold(const birth *s, const ia *rate)
{
    const ia3 *const g = s->g;
    const ia m[4] = { determinant(g[1], g[2], g[3]), ia_neg(determinant(g[0], g[2], g[3])),
                      determinant(g[0], g[1], g[3]), ia_neg(determinant(g[0], g[1], g[2])) };
    ia all = ia_point(0), sum = ia_point(0);
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < i; ++j)
            if (ia_hi(ia_mul(m[i], m[j])) < 0)
                return -1;
        all = ia_add(all, m[i]);
        sum = ia_add(sum, ia_mul(m[i], rate[i]));
    }
    return sign_holds(ia_mul(sum, all));
}

/* The gradients are positively dependent, and the part appears: it does not vanish. */
static int appears(const birth *s)
{
    ia rate[ABUT_BIRTH_MAX_FIELDS];
    for (int i = 0; i < s->k; ++i)
        rate[i] = s->p->reversed ? ia_neg(s->field[i].t) : s->field[i].t;
    if (s->k == 1)
        return sign_holds(rate[0]);
    if (s->k == 3)
        return three_hold(s, rate);
    if (s->k == 4)
        return four_hold(s, rate);
    if (ia_lo(ia3_dot(s->g[0], s->g[1])) > 0)
        return -1;
    return sign_holds(ia_add(ia_mul(rate[0], ia_sqrt(ia3_sqr_norm(s->g[1]))),
                             ia_mul(rate[1], ia_sqrt(ia3_sqr_norm(s->g[0])))));
}

static void add_holds(const birth *s, ia3 x, ia3 world, ia *const scratch[2], abut_system *out)
{
    const abut_contact_problem *const p = s->p;
    const int appearing = appears(s);
    if (appearing < 0) {
        out->holds = -1;
        return;
    }
    int holds = (int)abut_birth_on(p->one->surface, p->birth, s->at, s->r->t, scratch[0]);
    if (holds >= 0)
        holds = abut_holds_and(
            holds, (int)abut_surface_inside_over(p->two->surface, x, s->r->t, scratch[1], &out->extra));
    out->common = holds > 0;
    holds = abut_holds_and(holds, appearing);
    if (holds >= 0)
        holds = abut_holds_and(holds, abut_tracked_holds(p->stage, world, s->r->t));
    out->holds = holds;
}

void abut_contact_birth(const abut_contact_problem *p, const ia *x, int order, int thread, abut_system *out)
{
    birth s;
    s.p = p;
    s.k = abut_birth_field_count(p->one->surface, p->birth);
    s.d = p->free_count;
    const int unknowns = s.d + 1, equations = abut_birth_equations(p);
    ia *const *const scratch = p->stage->threads[thread].scratch;
    s.r = abut_contact_relative(p, x[s.d], false, thread);
    s.at = abut_birth_place(p, x);
    const abut_moved y = abut_relative_point(s.r, s.at);
    const bool point = abut_box_is_point(x, unknowns);
    const int jets = order > 0 ? 2 : 1;
    bool defined = enclose_fields(&s, point ? jets : 0, scratch[0]);
    for (int i = 0; i < s.k; ++i)
        out->f[i] = s.field[i].f;
    out->place = ia3_scale(ia_point(1.0 / ABUT_BIRTH_THINNING), y.world);
    out->holds = 0;
    bool possible = abut_system_may_vanish(out, s.k);
    if (possible && p->two->surface->implicit &&
        abut_surface_inside(p->two->surface, y.x, s.r->t, scratch[1]) == ABUT_NOWHERE) {
        possible = false;
        out->holds = -1;
    }
    out->defined = defined && s.r->defined;
    if (!possible && !point) {
        abut_system_fill(out, s.k, equations, unknowns, order);
        return;
    }
    if (!point)
        defined = enclose_fields(&s, jets, scratch[0]) && defined;
    out->defined = out->defined && defined;
    for (int i = 0; i < s.k; ++i)
        s.g[i] = restricted(&s, s.field[i].g);
    add_fields(&s, order, out);
    if (s.k == 1)
        add_gradient(&s, order, out);
    else if (s.k == 2 && s.d > 1)
        add_cross(&s, order, out);
    else if (s.k == 3 && s.d == 3)
        add_determinant(&s, order, out);
    if (possible && abut_system_may_vanish(out, equations))
        add_holds(&s, y.x, y.world, scratch, out);
}

/* ---- the time, to third order ---- */

/* D w + w^T M w / 2. */
typedef struct form {
    int n;
    ia d[3], m[3][3], w[3];
} form;

static ia range_of_two(const form *f)
{
    const struct {
        ia m[2][2];
    } two = { { { f->m[0][0], f->m[0][1] }, { f->m[1][0], f->m[1][1] } } };
    return abut_paraboloid(f->n, f->d, two.m, f->w);
}

/* Of three variables the square of the one with the largest M_ii is completed, and a paraboloid
 * in the two others is left. */
static ia range_of(const form *f)
{
    if (f->n < 3)
        return range_of_two(f);
    int i = 0;
    for (int j = 1; j < 3; ++j)
        i = ia_mig(f->m[j][j]) > ia_mig(f->m[i][i]) ? j : i;
    const ia a = f->m[i][i];
    if (ia_contains_zero(a))
        return ia_entire();
    const ia at = ia_div(f->d[i], a);
    ia slope[2], from = ia_add(f->w[i], at);
    const int other[2] = { (i + 1) % 3, (i + 2) % 3 };
    form rest = { .n = 2 };
    for (int j = 0; j < 2; ++j) {
        slope[j] = ia_div(f->m[i][other[j]], a);
        rest.w[j] = f->w[other[j]];
        from = ia_add(from, ia_mul(slope[j], rest.w[j]));
    }
    for (int j = 0; j < 2; ++j) {
        rest.d[j] = ia_sub(f->d[other[j]], ia_mul(f->d[i], slope[j]));
        for (int k = 0; k < 2; ++k)
            rest.m[j][k] = ia_sub(f->m[other[j]][other[k]], ia_mul(f->m[i][other[j]], slope[k]));
    }
    return ia_add(ia_scale(0.5, ia_mul(a, ia_sub(ia_sqr(from), ia_sqr(at)))), range_of_two(&rest));
}

/* A single field, where a curve or surface may appear at once: surface_times.c, with F in the
 * place of the gap. */
static ia birth_times(const void *ctx, const ia *x, const abut_system *s, int thread)
{
    const abut_contact_problem *const p = ctx;
    const int d = p->free_count;
    const ia t = x[d], rate = s->jacobian[0][d];
    ia c[ABUT_PROBLEM_UNKNOWNS];
    abut_field_jet jet;
    form f = { .n = d };
    if (d == 0 || ia_contains_zero(rate) || !ia_is_finite(rate))
        return t;
    for (int i = 0; i <= d; ++i)
        c[i] = ia_point(ia_mid(x[i]));
    if (!abut_birth_field(p->one->surface, p->birth, 0, abut_birth_place(p, c),
                          p->reversed ? ia_neg(c[d]) : c[d], 1, p->stage->threads[thread].scratch[0], &jet))
        return t;
    for (int i = 0; i < d; ++i) {
        f.w[i] = ia_sub(x[i], c[i]);
        f.d[i] = ia3_part(jet.g, p->free_axes[i]);
        for (int j = 0; j < d; ++j)
            f.m[i][j] = s->jacobian[1 + i][j];
    }
    return ia_sub(c[d], ia_div(ia_add(jet.f, range_of(&f)), rate));
}

/* ---- the problems of a pair ---- */

typedef struct listing {
    const abut_surface_scene *scene;
    const abut_surface_pair *pair;
    uint32_t group;
    const abut_stage *stage;
    abut_problem *problems;
    abut_contact_problem *contexts;
    size_t count;
} listing;

/* Births of a set of fields where the coordinates are free (0), at the lower end (1) or at the
 * upper end (2) of the bounds. */
static void add_birth(listing *s, bool swapped, uint32_t number, const int ends[3],
                      const abut_interval box[3])
{
    const size_t index = s->count++;
    if (!s->problems)
        return;
    abut_contact_problem *const context = &s->contexts[index];
    *context = (abut_contact_problem){ .stage = s->stage,
                                       .one = &s->pair->sides[swapped],
                                       .two = &s->pair->sides[!swapped],
                                       .form = ABUT_FORM_BIRTH,
                                       .birth = number,
                                       .pair = s->group,
                                       .swapped = swapped,
                                       .reversed = s->scene->reversed };
    abut_problem *const problem = &s->problems[index];
    *problem = (abut_problem){ .rank = 8,
                               .cost = abut_work_cost(abut_surface_parts_work(&s->scene->bodies[s->pair->a]) +
                                                      abut_surface_parts_work(&s->scene->bodies[s->pair->b])),
                               .group = s->group | births_apart,
                               .enclose = abut_contact_enclose,
                               .ctx = context };
    for (int i = 0; i < 3; ++i) {
        context->at[i] = ends[i] == 1 ? box[i].lo : box[i].hi;
        if (ends[i])
            continue;
        problem->box[context->free_count] = box[i];
        context->free_axes[context->free_count++] = i;
    }
    if (abut_birth_field_count(context->one->surface, number) == 1)
        problem->times = birth_times;
    const abut_interval time = s->pair->time;
    problem->unknowns = abut_contact_unknowns(context);
    problem->equations = abut_contact_equations(context);
    problem->box[problem->unknowns - 1] = context->reversed ? (abut_interval){ -time.hi, -time.lo } : time;
}

static void add_births(listing *s, bool swapped)
{
    const abut_surface_parts *const one = &s->scene->bodies[swapped ? s->pair->b : s->pair->a];
    if (one->surface.birth_count == 0)
        return;
    const abut_rounding saved = abut_rounding_enter();
    const abut_interval_vec3 local = ia3_to(abut_birth_bounds(&one->surface));
    abut_rounding_leave(saved);
    const abut_interval box[3] = { local.x, local.y, local.z };
    for (size_t i = 0; i < one->surface.birth_count; ++i)
        for (int place = 0; place < 27; ++place) {
            const int ends[3] = { place % 3, place / 3 % 3, place / 9 };
            const int fixed = (ends[0] > 0) + (ends[1] > 0) + (ends[2] > 0);
            if (abut_birth_field_count(&one->surface, i) + fixed <= ABUT_BIRTH_MAX_FIELDS)
                add_birth(s, swapped, (uint32_t)i, ends, box);
        }
}

abut_status abut_surface_births(const abut_surface_scene *scene, const abut_surface_pair *pair,
                                uint32_t group, const abut_stage *stage, abut_problem *problems,
                                abut_contact_problem *contexts, size_t *count)
{
    listing s = { scene, pair, group, stage, problems, contexts, *count };
    /* Inside a sheet there is nothing; what appears on one solves the equations of contact. */
    if (scene->bodies[pair->b].surface.solid)
        add_births(&s, false);
    if (scene->bodies[pair->a].surface.solid)
        add_births(&s, true);
    *count = s.count;
    return ABUT_OK;
}

bool abut_surface_births_known(const abut_surface_scene *scene, const abut_surface_pair *pair)
{
    return !scene->bodies[pair->a].surface.births_left_out && !scene->bodies[pair->b].surface.births_left_out;
}
