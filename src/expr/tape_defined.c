/* SPDX-License-Identifier: MIT */
/* Where the values of a tape are not defined: a third interpreter, which also notes operations
 * whose arguments are outside of their domain for certain, and a search for such a place by
 * halving. Slow, and run once for each expression and stretch of time. */
#include "expr/tape_program.h"

enum { MAX_BOXES = 128, MAX_STEPS = 4000, N = ABUT_TAPE_MAX_VARIABLES };

/* Parts of a range: below the first a box is not halved any more, by the second the earliest
 * place is found. */
static const double finest = 0x1p-60, near_enough = 0x1p-40;

/* As a rule it is the time alone that matters: it is halved down to neighbouring doubles before
 * anything else. */
static const double time_first = 0x1p64;

/* Whether an operation is undefined for all values of its arguments. */
static bool is_nowhere(uint16_t op, ia a, ia b)
{
    switch (op) {
    case ABUT_TERM_DIVIDE: return ia_lo(b) == 0 && ia_hi(b) == 0;
    case ABUT_TERM_SQRT: return ia_hi(a) < 0;
    case ABUT_TERM_POWER: return ia_hi(a) < 0 || (ia_lo(a) == 0 && ia_hi(a) == 0 && ia_hi(b) < 0);
    case ABUT_TERM_LOG: return ia_hi(a) <= 0;
    case ABUT_TERM_ASIN:
    case ABUT_TERM_ACOS:
    case ABUT_TERM_CIRCLE: return ia_mig(a) > 1;
    default: return false;
    }
}

static ia step_value(const abut_tape *tape, const abut_tape_step *x, const ia *s, bool *defined)
{
    const ia number = x->c < tape->constant_count ? abut_constant_box(&tape->constants[x->c]) : ia_point(0);
    switch (x->op) {
    case ABUT_TAPE_LOAD: return number;
    case ABUT_TAPE_ADD_NUMBER: return ia_add(number, s[x->a]);
    case ABUT_TAPE_SUBTRACT_FROM: return ia_sub(number, s[x->a]);
    case ABUT_TAPE_MULTIPLY_NUMBER:
    case ABUT_TAPE_SCALE:
    case ABUT_TAPE_SCALE_NEGATE: return ia_mul(number, s[x->a]);
    case ABUT_TAPE_MULTIPLY_ADD: return ia_add(ia_mul(s[x->a], s[x->b]), s[x->c]);
    case ABUT_TAPE_MULTIPLY_SUBTRACT: return ia_sub(ia_mul(s[x->a], s[x->b]), s[x->c]);
    case ABUT_TAPE_MULTIPLY_SUBTRACT_FROM: return ia_sub(s[x->c], ia_mul(s[x->a], s[x->b]));
    case ABUT_TERM_WHOLE_POWER: return abut_op_whole_power(s[x->a], (int)x->c);
    case ABUT_TERM_CHOOSE: return abut_op_choose(s[x->c], s[x->a], s[x->b]);
    default: return abut_op_apply((abut_term_op)x->op, s[x->a], s[x->b], s[x->a], 0, defined);
    }
}

/* Kernel. Whether the values are defined: 1 all over the box, -1 nowhere in it, 0: not known.
 * Scratch as for order 0. */
static int tape_defined(const abut_tape *tape, const ia *box, ia *scratch)
{
    const abut_tape_program *p = &tape->programs[0];
    ia *const s = scratch;
    bool defined = true;
    for (size_t i = 0; i < tape->variable_count; ++i)
        s[i] = box[i];
    for (const abut_tape_step *x = p->steps; x->op != ABUT_TAPE_END; ++x) {
        if (x->op == ABUT_TAPE_SIN_COS) {
            ia sine, cosine;
            ia_sin_cos(s[x->a], &sine, &cosine);
            s[x->d] = sine;
            s[x->c] = cosine;
            continue;
        }
        const bool two = x->op < ABUT_TERM_OP_COUNT && abut_term_operand_count((abut_term_op)x->op) > 1;
        if (is_nowhere(x->op, s[x->a], two ? s[x->b] : ia_point(1)))
            return -1;
        s[x->d] = step_value(tape, x, s, &defined);
    }
    return defined ? 1 : 0;
}

/* ---- the search ---- */

typedef struct search {
    const abut_tape *tape;
    ia range[N];
    ia *scratch;
    ia boxes[MAX_BOXES][N];
    size_t count;
    int n, time;
    bool found;
    /* of the widths: those of variables that only what was folded away depends on come last */
    double weight[N];
    double at[N];
} search;

/* A place that is not defined: kept if it is the earliest so far. */
static void note(search *s, const ia *point)
{
    if (s->found && ia_lo(point[s->time]) >= s->at[s->time])
        return;
    s->found = true;
    for (int i = 0; i < s->n; ++i)
        s->at[i] = i == s->time ? ia_lo(point[i]) : ia_mid(point[i]);
}

static bool examine_point(search *s, const ia *box, unsigned corner, bool middle)
{
    ia point[N];
    for (int i = 0; i < s->n; ++i)
        point[i] = ia_point(middle ? ia_mid(box[i]) : corner >> i & 1 ? ia_hi(box[i]) : ia_lo(box[i]));
    const bool nowhere = tape_defined(s->tape, point, s->scratch) < 0;
    if (nowhere)
        note(s, point);
    return nowhere;
}

static size_t earliest_box(const search *s)
{
    size_t best = 0;
    for (size_t i = 1; i < s->count; ++i)
        if (ia_lo(s->boxes[i][s->time]) < ia_lo(s->boxes[best][s->time]))
            best = i;
    return best;
}

/* The variable that is widest in parts of its range; -1: too fine to be halved. */
static int widest(const search *s, const ia *box)
{
    int best = -1;
    double most = 0;
    for (int i = 0; i < s->n; ++i) {
        const double whole = ia_width(s->range[i]), part = whole > 0 ? ia_width(box[i]) / whole : 0;
        const bool halves = ia_lo(box[i]) < ia_mid(box[i]) && ia_mid(box[i]) < ia_hi(box[i]);
        if (part > finest && halves && s->weight[i] * part > most) {
            most = s->weight[i] * part;
            best = i;
        }
    }
    return best;
}

static void evaluate(search *s)
{
    ia box[N];
    const size_t index = earliest_box(s);
    memcpy(box, s->boxes[index], sizeof box);
    memcpy(s->boxes[index], s->boxes[--s->count], sizeof box);
    const double soon = near_enough * ia_width(s->range[s->time]);
    if (s->found && ia_lo(box[s->time]) >= s->at[s->time] - soon)
        return;
    const int defined = tape_defined(s->tape, box, s->scratch);
    if (defined < 0)
        note(s, box);
    if (defined != 0)
        return;
    const int by = widest(s, box);
    examine_point(s, box, 0, true);
    if (by < 0) {
        for (unsigned corner = 0; corner < 1u << s->n; ++corner)
            examine_point(s, box, corner, false);
        return;
    }
    if (s->count + 2 > MAX_BOXES)
        return;
    const ia halves[2] = { ia_make(ia_lo(box[by]), ia_mid(box[by])),
                           ia_make(ia_mid(box[by]), ia_hi(box[by])) };
    for (int i = 0; i < 2; ++i) {
        memcpy(s->boxes[s->count], box, sizeof box);
        s->boxes[s->count++][by] = halves[i];
    }
}

static ABUT_NOINLINE void search_kernel(search *s, const abut_interval *box)
{
    for (int i = 0; i < s->n; ++i)
        s->range[i] = ia_from(box[i]);
    for (int i = 0; i < s->n; ++i)
        s->weight[i] = !s->tape->depends[i] ? 1 / time_first : i == s->time ? time_first : 1;
    memcpy(s->boxes[0], s->range, sizeof s->range);
    s->count = 1;
    for (uint64_t steps = abut_work_budget(MAX_STEPS, abut_tape_work(s->tape)); s->count > 0 && steps > 0;
         --steps)
        evaluate(s);
}

bool abut_tape_find_undefined(const abut_tape *tape, const abut_interval *box, ia *scratch, double *at)
{
    search s = { .tape = tape, .scratch = scratch, .n = (int)tape->variable_count };
    s.time = s.n - 1;
    const abut_rounding saved = abut_rounding_enter();
    search_kernel(&s, box);
    abut_rounding_leave(saved);
    for (int i = 0; s.found && i < s.n; ++i)
        at[i] = s.at[i];
    return s.found;
}
