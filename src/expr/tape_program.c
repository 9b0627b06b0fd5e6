/* SPDX-License-Identifier: MIT */
/* From terms to a program: what is needed, products joined with the sums they go into, sine and cosine of one argument together, slots given out. Variables
 * have the first slots; the others are used again once their last reader has run (a result may be written over an operand). */
#include "expr/tape_program.h"

enum { NEVER = 0, NO_SLOT = UINT16_MAX };
#define ALWAYS UINT32_MAX

typedef struct maker {
    const abut_terms *terms;
    const abut_allocator *alloc;
    abut_tape_program *program;
    uint32_t *uses;  /* how many terms and results need it */
    uint32_t *last;  /* 1 + the last term that reads it */
    uint16_t *slots; /* where it is */
    bool *joined;    /* a product that its only reader computes */
    ABUT_ARRAY(uint16_t) free;
    size_t slot_count;
    abut_status status;
} maker;

static const abut_term *term_at(const maker *m, uint32_t i)
{
    return &m->terms->terms.items[i];
}

static bool is_number(const maker *m, uint32_t i)
{
    return term_at(m, i)->op == ABUT_TERM_CONSTANT;
}

static int operands_of(const abut_term *term, uint32_t of[3])
{
    of[0] = term->a;
    of[1] = term->b;
    of[2] = term->c;
    return abut_term_operand_count((abut_term_op)term->op);
}

static void count_uses(maker *m, const uint32_t *results, size_t result_count)
{
    for (size_t i = 0; i < result_count; ++i)
        ++m->uses[results[i]];
    for (size_t i = 0; i < m->terms->checks.count; ++i)
        ++m->uses[m->terms->checks.items[i]];
    for (size_t i = m->terms->terms.count; i-- > 0;) {
        uint32_t of[3];
        if (!m->uses[i])
            continue;
        const int count = operands_of(term_at(m, (uint32_t)i), of);
        for (int k = 0; k < count; ++k)
            ++m->uses[of[k]];
    }
}

static bool may_join(const maker *m, uint32_t i)
{
    const abut_term *term = term_at(m, i);
    return term->op == ABUT_TERM_MULTIPLY && m->uses[i] == 1 && !is_number(m, term->a);
}

/* A product that has one reader, a sum or a difference of things that are no numbers, is computed there. */
static void join_products(maker *m)
{
    for (size_t i = 0; i < m->terms->terms.count; ++i) {
        const abut_term *term = term_at(m, (uint32_t)i);
        if (!m->uses[i] || (term->op != ABUT_TERM_ADD && term->op != ABUT_TERM_SUBTRACT) ||
            is_number(m, term->a))
            continue;
        if (may_join(m, term->b))
            m->joined[term->b] = true;
        else if (may_join(m, term->a))
            m->joined[term->a] = true;
    }
}

static void find_last_uses(maker *m, const uint32_t *results, size_t result_count)
{
    for (size_t i = 0; i < m->terms->terms.count; ++i) {
        uint32_t of[3], inner[3];
        if (!m->uses[i] || m->joined[i])
            continue;
        const int count = operands_of(term_at(m, (uint32_t)i), of);
        for (int k = 0; k < count; ++k) {
            m->last[of[k]] = (uint32_t)i + 1;
            if (!m->joined[of[k]])
                continue;
            operands_of(term_at(m, of[k]), inner);
            m->last[inner[0]] = m->last[inner[1]] = (uint32_t)i + 1;
        }
    }
    for (size_t i = 0; i < result_count; ++i)
        m->last[results[i]] = ALWAYS;
}

/* ---- slots ---- */

static uint16_t take_slot(maker *m)
{
    if (m->free.count)
        return m->free.items[--m->free.count];
    if (m->slot_count == NO_SLOT) {
        m->status = ABUT_ERR_LIMIT;
        return 0;
    }
    return (uint16_t)m->slot_count++;
}

static void free_slot(maker *m, uint16_t slot)
{
    if (!ABUT_ARRAY_PUSH(m->alloc, &m->free, slot))
        m->status = ABUT_ERR_MEMORY;
}

/* After term `reader` has read it. */
static void release(maker *m, uint32_t i, uint32_t reader)
{
    const abut_term *term = term_at(m, i);
    if (m->last[i] != reader + 1 || m->slots[i] == NO_SLOT || term->op == ABUT_TERM_VARIABLE)
        return;
    free_slot(m, m->slots[i]);
    m->slots[i] = NO_SLOT;
}

static void emit(maker *m, int op, uint16_t d, uint16_t a, uint16_t b, uint32_t c)
{
    abut_tape_program *p = m->program;
    if (m->status != ABUT_OK)
        return;
    if (!abut_base_grow(m->alloc, (void **)&p->steps, &p->step_capacity, p->step_count, 1,
                        sizeof *p->steps)) {
        m->status = ABUT_ERR_MEMORY;
        return;
    }
    p->steps[p->step_count++] = (abut_tape_step){ (uint16_t)op, d, a, b, c };
}

/* The slot of an operand; a number is loaded into one, for good. */
static uint16_t slot_of(maker *m, uint32_t i)
{
    if (m->slots[i] == NO_SLOT && is_number(m, i)) {
        m->slots[i] = take_slot(m);
        emit(m, ABUT_TAPE_LOAD, m->slots[i], 0, 0, term_at(m, i)->a);
    }
    return m->slots[i];
}

/* ---- instructions ---- */

/* s times a */
static void emit_by_number(maker *m, const abut_term *term, uint16_t d, uint16_t a)
{
    double s;
    if (abut_term_is_point(m->terms, term->a, &s) && isfinite(s))
        emit(m, s > 0 ? ABUT_TAPE_SCALE : ABUT_TAPE_SCALE_NEGATE, d, a, 0, term_at(m, term->a)->a);
    else
        emit(m, ABUT_TAPE_MULTIPLY_NUMBER, d, a, 0, term_at(m, term->a)->a);
}

static void emit_joined(maker *m, uint32_t i, const abut_term *term)
{
    const bool second = m->joined[term->b];
    const uint32_t product = second ? term->b : term->a, other = second ? term->a : term->b;
    uint32_t of[3];
    operands_of(term_at(m, product), of);
    const uint16_t a = slot_of(m, of[0]), b = slot_of(m, of[1]), c = slot_of(m, other);
    release(m, of[0], i);
    release(m, of[1], i);
    release(m, other, i);
    const int op = term->op == ABUT_TERM_ADD ? ABUT_TAPE_MULTIPLY_ADD
                   : second                  ? ABUT_TAPE_MULTIPLY_SUBTRACT_FROM
                                             : ABUT_TAPE_MULTIPLY_SUBTRACT;
    m->slots[i] = take_slot(m);
    emit(m, op, m->slots[i], a, b, c);
}

static void emit_sin_cos(maker *m, uint32_t i, const abut_term *term)
{
    const bool sine = term->op == ABUT_TERM_SIN;
    const uint32_t other = abut_term_find(m->terms, sine ? ABUT_TERM_COS : ABUT_TERM_SIN, term->a);
    const uint16_t a = slot_of(m, term->a);
    const bool both = other != UINT32_MAX && m->uses[other] && m->slots[other] == NO_SLOT;
    release(m, term->a, i);
    if (both && m->last[term->a] == other + 1) /* the other one, which is computed now, was to be the last */
        m->last[term->a] = i + 1;
    release(m, term->a, i);
    m->slots[i] = take_slot(m);
    if (!both) {
        emit(m, term->op, m->slots[i], a, 0, 0);
        return;
    }
    m->slots[other] = take_slot(m);
    emit(m, ABUT_TAPE_SIN_COS, m->slots[sine ? i : other], a, 0, m->slots[sine ? other : i]);
}

static void emit_term(maker *m, uint32_t i)
{
    const abut_term *term = term_at(m, i);
    uint32_t of[3];
    uint16_t at[3] = { 0, 0, 0 };
    const int count = operands_of(term, of);
    if (term->op == ABUT_TERM_SIN || term->op == ABUT_TERM_COS) {
        if (m->slots[i] == NO_SLOT)
            emit_sin_cos(m, i, term);
        return;
    }
    if (count == 2 && (m->joined[term->a] || m->joined[term->b])) {
        emit_joined(m, i, term);
        return;
    }
    const bool by_number =
        (term->op == ABUT_TERM_ADD || term->op == ABUT_TERM_SUBTRACT || term->op == ABUT_TERM_MULTIPLY) &&
        is_number(m, term->a);
    for (int k = by_number ? 1 : 0; k < count; ++k)
        at[k] = slot_of(m, of[k]);
    for (int k = by_number ? 1 : 0; k < count; ++k)
        if (!is_number(m, of[k]))
            release(m, of[k], i);
    const uint16_t d = m->slots[i] = take_slot(m);
    if (by_number && term->op == ABUT_TERM_MULTIPLY)
        emit_by_number(m, term, d, at[1]);
    else if (by_number)
        emit(m, term->op == ABUT_TERM_ADD ? ABUT_TAPE_ADD_NUMBER : ABUT_TAPE_SUBTRACT_FROM, d, at[1], 0,
             term_at(m, term->a)->a);
    else
        emit(m, term->op, d, at[0], at[1], term->op == ABUT_TERM_WHOLE_POWER ? term->b : at[2]);
    if (m->last[i] == NEVER) /* only checked */
        free_slot(m, d);
}

static void make_steps(maker *m, size_t variable_count)
{
    const size_t count = m->terms->terms.count;
    m->slot_count = variable_count;
    for (size_t i = 0; i < count; ++i) {
        const abut_term *term = term_at(m, (uint32_t)i);
        m->slots[i] = term->op == ABUT_TERM_VARIABLE ? (uint16_t)term->a : (uint16_t)NO_SLOT;
    }
    for (size_t i = 0; i < count && m->status == ABUT_OK; ++i)
        if (m->uses[i] && !m->joined[i] &&
            abut_term_operand_count((abut_term_op)term_at(m, (uint32_t)i)->op) > 0)
            emit_term(m, (uint32_t)i);
    m->program->slot_count = m->slot_count;
}

static abut_status fill_results(maker *m, const uint32_t *results, size_t result_count)
{
    abut_tape_program *p = m->program;
    p->results = abut_base_alloc(m->alloc, result_count, sizeof *p->results);
    if (!p->results)
        return ABUT_ERR_MEMORY;
    p->result_count = result_count;
    for (size_t i = 0; i < result_count; ++i)
        p->results[i] =
            is_number(m, results[i]) ? ABUT_TAPE_NUMBER | term_at(m, results[i])->a : m->slots[results[i]];
    return ABUT_OK;
}

abut_status abut_tape_program_make(const abut_terms *terms, size_t variable_count, const uint32_t *results,
                                   size_t result_count, const abut_allocator *alloc,
                                   abut_tape_program *program)
{
    const size_t count = terms->terms.count;
    maker m = { .terms = terms, .alloc = alloc, .program = program, .status = ABUT_ERR_MEMORY };
    m.uses = abut_base_alloc_zero(alloc, count, sizeof *m.uses);
    m.last = abut_base_alloc_zero(alloc, count, sizeof *m.last);
    m.slots = abut_base_alloc(alloc, count, sizeof *m.slots);
    m.joined = abut_base_alloc_zero(alloc, count, sizeof *m.joined);
    if (m.uses && m.last && m.slots && m.joined) {
        m.status = ABUT_OK;
        count_uses(&m, results, result_count);
        join_products(&m);
        find_last_uses(&m, results, result_count);
        make_steps(&m, variable_count);
        if (m.status == ABUT_OK)
            m.status = fill_results(&m, results, result_count);
    }
    abut_base_free(alloc, m.uses, count, sizeof *m.uses);
    abut_base_free(alloc, m.last, count, sizeof *m.last);
    abut_base_free(alloc, m.slots, count, sizeof *m.slots);
    abut_base_free(alloc, m.joined, count, sizeof *m.joined);
    ABUT_ARRAY_FREE(alloc, &m.free);
    return m.status;
}

void abut_tape_program_free(abut_tape_program *program, const abut_allocator *alloc)
{
    abut_base_shrink(alloc, program->steps, program->step_capacity, sizeof *program->steps);
    abut_base_free(alloc, program->results, program->result_count, sizeof *program->results);
    *program = (abut_tape_program){ 0 };
}
