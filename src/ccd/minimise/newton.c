/* SPDX-License-Identifier: MIT */
/* Interval Newton steps: Snyder, Woodbury, Fleischer, Currin, Barr, SIGGRAPH 1993, sections 4 and
 * 5.
 *
 * About a point c of the box X every zero x of f in X solves J (x - c) = -f(c) for some J in the
 * enclosure of the Jacobian over X. The methods differ in how they bound the solutions of that
 * interval linear system: LINEAR    row/column iteration on the system as it is (Figure 8); proofs
 * by interval elimination INVERSE   interval elimination KRAWCZYK  K(X) = c - Y f(c) + (I - Y J)(X
 * - c), Y near the inverse of the middle of J AUTO      row/column iteration on the system as it
 * is, then on the system multiplied by Y; proofs by elimination on the latter. The first
 *             is strong in wide boxes and where J is singular, the second in narrow ones.
 *
 * Proof: if elimination on J(W) succeeds, no J in it is singular, so f is injective on W; and if
 * all solutions Q of the linear system are in the interior of W, f has a zero there
 * (docs/notes/constrained-minimisation.md). The zero may be outside of the range of the problem:
 * the caller checks. */
#include "ccd/minimise/newton.h"

#include "interval/linear.h"

enum { N = ABUT_PROBLEM_UNKNOWNS, M = ABUT_PROBLEM_EQUATIONS };
enum { MAX_PASSES = 4, MAX_POLISH = 24, MAX_PROOFS = 3 };

/* The paper's gamma: how much wider a box is made before it is judged, so that zeros on its
 * border can be proved. */
static const double widening = 0.1;

void abut_newton_enclose(abut_newton *n, const ia *x, int order, abut_system *out)
{
    out->spread = 0;
    out->holds = 0;
    out->common = false;
    out->sufficient = 0;
    out->extra = 0;
    out->defined = true;
    n->problem->enclose(n->problem->ctx, x, order, n->thread, out);
    ++n->evaluations;
    n->extra += out->extra;
}

bool abut_newton_possible(const abut_problem *p, const abut_system *s)
{
    if (s->holds < 0)
        return false;
    for (int i = 0; i < p->equations; ++i)
        if (!ia_contains_zero(s->f[i]))
            return false;
    return true;
}

/* ---- the linear system ---- */

static void linearise(abut_newton *n, const abut_system *s, const ia *x, abut_linear_form *out)
{
    abut_system at_c;
    out->unknowns = n->problem->unknowns;
    out->equations = n->problem->equations;
    out->jacobian = s->jacobian;
    for (int j = 0; j < out->unknowns; ++j) {
        const double range = n->problem->box[j].hi - n->problem->box[j].lo;
        out->c[j] = ia_point(ia_mid(x[j]));
        out->range[j] = range > 0 ? range : 1;
    }
    abut_newton_enclose(n, out->c, 0, &at_c);
    for (int i = 0; i < out->equations; ++i)
        out->b[i] = ia_neg(at_c.f[i]);
}

/* A square part of it, multiplied by an approximate inverse of its middle. */
typedef struct square {
    ia a[N][N], b[N];
} square;

/* The power of two that brings a row to about 1 when unknowns are measured by their ranges; 0
 * where it is of no use. */
static double row_unit(const abut_linear_form *l, int row)
{
    double size = 0;
    for (int j = 0; j < l->unknowns; ++j) {
        const double entry = ia_mag(l->jacobian[row][j]) * l->range[j];
        if (!ia_is_finite(l->jacobian[row][j]))
            return 0;
        size = entry > size ? entry : size;
    }
    return size > 0 && size < HUGE_VAL ? ldexp(1, -ilogb(size)) : 0;
}

/* Takes rows out of `allowed` (bits). False where there is no inverse. */
static bool precondition(const abut_linear_form *l, unsigned allowed, square *out)
{
    const int n = l->unknowns;
    double middle[M * N], y[N * N], unit[M];
    int usable[M], chosen[N], rows = 0;
    for (int i = 0; i < l->equations; ++i) {
        unit[rows] = (allowed >> i) & 1 ? row_unit(l, i) : 0;
        if (!(unit[rows] > 0))
            continue;
        for (int j = 0; j < n; ++j)
            middle[rows * n + j] = unit[rows] * ia_mid(l->jacobian[i][j]) * l->range[j];
        usable[rows++] = i;
    }
    if (rows < n || !abut_linear_invert_roughly(rows, n, middle, chosen, y))
        return false;
    for (int i = 0; i < n; ++i) {
        out->b[i] = ia_point(0);
        for (int j = 0; j < n; ++j)
            out->a[i][j] = ia_point(0);
        for (int k = 0; k < n; ++k) {
            const int row = usable[chosen[k]];
            const double factor = l->range[i] * y[i * n + k] * unit[chosen[k]];
            if (!(fabs(factor) < HUGE_VAL))
                return false;
            out->b[i] = ia_add(out->b[i], ia_scale(factor, l->b[row]));
            for (int j = 0; j < n; ++j)
                out->a[i][j] = ia_add(out->a[i][j], ia_scale(factor, l->jacobian[row][j]));
        }
    }
    return true;
}

/* Sum of |I - a| over row i, with each column weighted. */
static double off_identity(const square *s, int n, int i, const double *weight)
{
    double sum = 0;
    for (int j = 0; j < n; ++j)
        sum += ia_mag(ia_sub(s->a[i][j], ia_point(i == j))) * weight[j];
    return sum;
}

/* Whether |I - a| < 1 in a row-sum norm, scaled by the ranges or by the widths of the box.
 * Steers: for Krawczyk's proof see krawczyk_bound. */
static bool near_identity(const square *s, const abut_linear_form *l, const ia *y)
{
    double widths[N];
    bool by_range = true, by_width = true;
    for (int j = 0; j < l->unknowns; ++j)
        widths[j] = ia_width(y[j]);
    for (int i = 0; i < l->unknowns; ++i) {
        by_range = by_range && off_identity(s, l->unknowns, i, l->range) < l->range[i];
        by_width = by_width && off_identity(s, l->unknowns, i, widths) < widths[i];
    }
    return by_range || by_width;
}

/* K(X) - c; true if |I - a| < 1, proved, in the norm scaled by the ranges: D^-1 (I - a) D for
 * the diagonal matrix D of any positive numbers does as well. */
static bool krawczyk_bound(const square *s, const abut_linear_form *l, const ia *y, ia *out)
{
    bool contracts = true;
    for (int i = 0; i < l->unknowns; ++i) {
        ia sum = s->b[i], norm = ia_point(0);
        for (int j = 0; j < l->unknowns; ++j) {
            const ia rest = ia_sub(ia_point(i == j), s->a[i][j]);
            sum = ia_add(sum, ia_mul(rest, y[j]));
            norm = ia_add(norm, ia_scale(l->range[j], ia_abs(rest)));
        }
        contracts = contracts && ia_hi(norm) < l->range[i];
        out[i] = sum;
    }
    return contracts;
}

/* The system itself, where it is square, its rows brought to comparable sizes. */
static bool plain_square(const abut_linear_form *l, square *out)
{
    if (l->equations != l->unknowns)
        return false;
    for (int i = 0; i < l->unknowns; ++i) {
        const double unit = row_unit(l, i);
        if (!(unit > 0))
            return false;
        out->b[i] = ia_scale(unit, l->b[i]);
        for (int j = 0; j < l->unknowns; ++j)
            out->a[i][j] = ia_scale(unit, l->jacobian[i][j]);
    }
    return true;
}

/* ---- narrowing ---- */

/* y: the box about c; false: no zeros. */
static bool narrow_by_bound(const abut_linear_form *l, const ia *bound, ia *y)
{
    for (int j = 0; j < l->unknowns; ++j) {
        y[j] = ia_intersect(y[j], bound[j]);
        if (ia_is_empty(y[j]))
            return false;
    }
    return true;
}

/* Where a plain Newton step from c leads, for a system multiplied by the inverse; likely: no
 * farther than the box is wide. */
static void examine_ahead(const square *s, const ia *y, abut_newton_view *view)
{
    view->likely = true;
    for (int j = 0; j < view->form.unknowns; ++j) {
        const double step = ia_mid(s->b[j]);
        view->start[j] = ia_mid(view->form.c[j]) + step;
        view->likely = view->likely && fabs(step) <= ia_width(y[j]);
    }
}

static bool iterate(const abut_newton *n, const abut_linear_form *l, ia *y)
{
    return abut_linear_iterate(l->equations, l->unknowns, l->jacobian[0], N, l->b, n->improvement, MAX_PASSES,
                               y);
}

/* Without the system multiplied by the inverse: for the paper's two linear methods. */
static bool regular_as_it_is(const abut_linear_form *l, square *s)
{
    return plain_square(l, s) && abut_linear_eliminate(l->unknowns, s->a[0], N, 1, s->b);
}

/* Combinations of the rows in which all but one of some unknowns cancel: Gauss-Jordan elimination on
 * the middle of J with complete pivoting, as far as pivots are not small. Along a curve or a region
 * of contacts J is singular and has no inverse, but the time may depend on two rows of it alone, as
 * where an edge comes down on a face that it is parallel to. Entries that hold zero count as zero.
 * The number of combinations; less than two say nothing that the rows do not. */
static int combine(const abut_linear_form *l, ia a[M][N], ia b[M])
{
    const int rows = l->equations, n = l->unknowns;
    double m[M][N], record[M][M], unit[M];
    int rank = 0, row[M];
    bool used[M] = { false }, done[N] = { false };
    for (int i = 0; i < rows; ++i) {
        unit[i] = row_unit(l, i);
        for (int k = 0; k < rows; ++k)
            record[i][k] = i == k ? unit[i] : 0;
        for (int j = 0; j < n; ++j) {
            const ia entry = l->jacobian[i][j];
            m[i][j] = unit[i] > 0 && !ia_contains_zero(entry) ? unit[i] * ia_mid(entry) * l->range[j] : 0;
        }
    }
    for (int column = 0; rank < rows; ++rank) {
        int p = -1;
        double most = 0x1p-20;
        for (int i = 0; i < rows; ++i)
            for (int j = 0; !used[i] && j < n; ++j)
                if (!done[j] && fabs(m[i][j]) > most) {
                    most = fabs(m[i][j]);
                    p = i;
                    column = j;
                }
        if (p < 0)
            break;
        for (int i = 0; i < rows; ++i) {
            const double factor = i == p ? 0 : m[i][column] / m[p][column];
            for (int j = 0; factor != 0 && j < n; ++j)
                m[i][j] -= factor * m[p][j];
            for (int k = 0; factor != 0 && k < rows; ++k)
                record[i][k] -= factor * record[p][k];
        }
        used[p] = done[column] = true;
        row[rank] = p;
    }
    for (int i = 0; rank > 1 && i < rank; ++i) {
        b[i] = ia_point(0);
        for (int j = 0; j < n; ++j)
            a[i][j] = ia_point(0);
        for (int k = 0; k < rows; ++k) {
            const double factor = record[row[i]][k];
            if (factor == 0)
                continue;
            b[i] = ia_add(b[i], ia_scale(factor, l->b[k]));
            for (int j = 0; j < n; ++j)
                a[i][j] = ia_add(a[i][j], ia_scale(factor, l->jacobian[k][j]));
        }
    }
    return rank;
}

static bool narrow_by_combinations(const abut_newton *n, const abut_linear_form *l, ia *y)
{
    ia a[M][N], b[M];
    const int rows = combine(l, a, b);
    return rows < 2 || rows == l->unknowns ||
           abut_linear_iterate(rows, l->unknowns, a[0], N, b, n->improvement, MAX_PASSES, y);
}

static bool narrow_offset(const abut_newton *n, ia *y, abut_newton_view *view)
{
    const abut_linear_form *l = &view->form;
    const unsigned all = (1u << l->equations) - 1;
    const int unknowns = l->unknowns;
    const bool iterates = n->method == ABUT_NEWTON_AUTO || n->method == ABUT_NEWTON_LINEAR;
    square s, raw;
    ia bound[N];
    const bool multiplied = precondition(l, all, &s);
    if (multiplied)
        examine_ahead(&s, y, view);
    if (iterates && !iterate(n, l, y))
        return false;
    if (!multiplied)
        return !iterates || narrow_by_combinations(n, l, y);
    switch (l->unknowns == l->equations ? n->method : ABUT_NEWTON_AUTO) {
    case ABUT_NEWTON_LINEAR: view->regular = regular_as_it_is(l, &raw); return true;
    case ABUT_NEWTON_INVERSE:
        view->regular = regular_as_it_is(l, &raw);
        return !view->regular || narrow_by_bound(l, raw.b, y);
    case ABUT_NEWTON_KRAWCZYK:
        view->regular = krawczyk_bound(&s, l, y, bound);
        return narrow_by_bound(l, bound, y);
    default:
        view->regular = near_identity(&s, l, y);
        return abut_linear_iterate(unknowns, unknowns, s.a[0], N, s.b, n->improvement, MAX_PASSES, y) &&
               (view->regular || narrow_by_combinations(n, l, y));
    }
}

static bool move_back(const abut_linear_form *l, const ia *y, ia *x)
{
    for (int j = 0; j < l->unknowns; ++j) {
        x[j] = ia_intersect(x[j], ia_add(l->c[j], y[j]));
        if (ia_is_empty(x[j]))
            return false;
    }
    return true;
}

bool abut_newton_narrow(abut_newton *n, const abut_system *s, ia *x, abut_newton_view *view)
{
    ia y[N];
    view->regular = view->likely = false;
    linearise(n, s, x, &view->form);
    for (int j = 0; j < view->form.unknowns; ++j)
        y[j] = ia_sub(x[j], view->form.c[j]);
    return narrow_offset(n, y, view) && move_back(&view->form, y, x);
}

bool abut_newton_narrow_part(const abut_newton_view *view, ia *x)
{
    const abut_linear_form *l = &view->form;
    ia y[N];
    for (int j = 0; j < l->unknowns; ++j)
        y[j] = ia_sub(x[j], l->c[j]);
    return abut_linear_iterate(l->equations, l->unknowns, l->jacobian[0], N, l->b, 1, 1, y) &&
           move_back(l, y, x);
}

/* ---- proof ---- */

/* How far boxes may leave the range: a twentieth of it. */
static ia farthest(const abut_problem *p, int j)
{
    const ia range = ia_from(p->box[j]);
    const double room = 0.05 * ia_width(range);
    return ia_add(range, ia_make(-room, room));
}

/* The box to be judged: wider than x by `widening`, at least by a few ulp of the range. */
static void widen(const abut_problem *p, const ia *x, ia *out)
{
    for (int j = 0; j < p->unknowns; ++j) {
        const ia range = ia_from(p->box[j]);
        const double least = 0x1p-46 * ia_width(range) + 0x1p-50 * ia_mag(range);
        const double by = 0.5 * widening * ia_width(x[j]) + least;
        const ia wide = ia_add(x[j], ia_make(-by, by));
        out[j] = ia_hull(x[j], ia_intersect(wide, farthest(p, j)));
    }
}

/* A wider box where the zeros that x may have, q, are not in the interior of the box they were
 * sought in: rounding can make them wider than a very small box. False: hopeless. */
static bool widen_more(const abut_problem *p, const ia *within, const ia *q, ia *out)
{
    for (int j = 0; j < p->unknowns; ++j) {
        const ia both = ia_hull(within[j], q[j]);
        if (!(ia_width(both) < 4 * ia_width(within[j])))
            return false;
        out[j] = ia_hull(within[j], ia_intersect(both, farthest(p, j)));
    }
    return true;
}

/* Bounds all solutions of the linear system over the box w, Q(W) of Theorem 2 or K(W) of Theorem
 * 1; true: proved that no more than one zero is in w. */
static bool bound_zeros(abut_newton *n, abut_newton_method method, const abut_system *s, const ia *w,
                        unsigned allowed, ia *q)
{
    abut_linear_form l;
    square part;
    ia y[N], offset[N];
    bool single;
    linearise(n, s, w, &l);
    const bool raw = method == ABUT_NEWTON_LINEAR || method == ABUT_NEWTON_INVERSE;
    if (!(raw && plain_square(&l, &part)) && !precondition(&l, allowed, &part))
        return false;
    for (int j = 0; j < l.unknowns; ++j)
        y[j] = ia_sub(w[j], l.c[j]);
    if (method == ABUT_NEWTON_KRAWCZYK) {
        single = krawczyk_bound(&part, &l, y, offset);
    } else {
        single = abut_linear_eliminate(l.unknowns, part.a[0], N, 1, part.b);
        for (int j = 0; j < l.unknowns; ++j)
            offset[j] = part.b[j];
    }
    for (int j = 0; single && j < l.unknowns; ++j)
        q[j] = ia_add(l.c[j], offset[j]);
    return single;
}

/* Whether some component became narrower by the factor; unknowns have different units. */
static bool narrower(int n, const ia *x, const ia *than, double factor)
{
    for (int j = 0; j < n; ++j)
        if (ia_width(x[j]) < factor * ia_width(than[j]))
            return true;
    return false;
}

/* x encloses the only zero there can be; narrows it as far as that goes. False: it turned out
 * that it is none (of all equations), or that the inequalities do not hold there. */
static bool polish(abut_newton *n, unsigned allowed, ia *x)
{
    abut_system s;
    ia q[N], next[N];
    for (int count = 0; count < MAX_POLISH; ++count) {
        const int unknowns = n->problem->unknowns;
        abut_newton_enclose(n, x, 1, &s);
        if (!abut_newton_possible(n->problem, &s))
            return false;
        if (!s.defined || !bound_zeros(n, ABUT_NEWTON_AUTO, &s, x, allowed, q))
            return true;
        for (int j = 0; j < unknowns; ++j) {
            next[j] = ia_intersect(x[j], q[j]);
            if (ia_is_empty(next[j]))
                return false;
        }
        const bool better = narrower(unknowns, next, x, 0.9);
        memcpy(x, next, sizeof(ia) * (size_t)unknowns);
        if (!better)
            return true;
    }
    return true;
}

static int bits(unsigned x)
{
    int count = 0;
    for (; x; x &= x - 1)
        ++count;
    return count;
}

/* The only zero there can be, of a square part that is enough or not, is in `zero`. */
static abut_zeros judge(abut_newton *n, unsigned allowed, bool enough, ia *zero, abut_system *at_zero)
{
    if (!polish(n, allowed, zero))
        return ABUT_ZEROS_NONE;
    abut_newton_enclose(n, zero, 0, at_zero);
    if (!abut_newton_possible(n->problem, at_zero))
        return ABUT_ZEROS_NONE;
    return enough ? ABUT_ZEROS_ONE : ABUT_ZEROS_AT_MOST_ONE;
}

abut_zeros abut_newton_isolate(abut_newton *n, ia *x, ia *within, ia *zero, abut_system *at_zero)
{
    const abut_problem *p = n->problem;
    const unsigned all = (1u << p->equations) - 1;
    const size_t size = sizeof(ia) * (size_t)p->unknowns;
    ia q[N], before[N], base[N];
    memcpy(base, x, size);
    for (int count = 0; count < MAX_PROOFS; ++count) {
        abut_system s;
        bool inside = true, elsewhere = false;
        widen(p, base, within);
        abut_newton_enclose(n, within, 1, &s);
        if (!abut_newton_possible(p, &s))
            return ABUT_ZEROS_NONE;
        const bool enough = p->equations == p->unknowns || bits(s.sufficient & all) == p->unknowns;
        const unsigned allowed = p->equations > p->unknowns && enough ? s.sufficient & all : all;
        if (!s.defined || !bound_zeros(n, n->method, &s, within, allowed, q))
            return ABUT_ZEROS_UNKNOWN;
        memcpy(before, x, size);
        for (int j = 0; j < p->unknowns; ++j) {
            inside = inside && ia_interior(q[j], within[j]);
            zero[j] = ia_intersect(q[j], within[j]);
            x[j] = ia_intersect(q[j], x[j]);
            elsewhere = elsewhere || ia_is_empty(x[j]);
            if (ia_is_empty(zero[j]))
                return ABUT_ZEROS_NONE;
        }
        if (inside)
            return judge(n, allowed, enough, zero, at_zero);
        if (elsewhere)
            return ABUT_ZEROS_NONE; /* if `within` has zeros, they are not in x */
        if (narrower(p->unknowns, x, before, 0.5))
            memcpy(base, x, size);
        else if (!widen_more(p, within, q, base))
            return ABUT_ZEROS_UNKNOWN;
    }
    return ABUT_ZEROS_UNKNOWN;
}
