/* SPDX-License-Identifier: MIT */
/* From terms to a program: what is needed, products joined with the sums they go into, sine and
 * cosine of one argument together, an order, slots. Variables have the first slots; the others are
 * used again once their last reader has run (a result may be written over an operand).
 *
 * The order: whatever is ready is computed operation by operation, of the operation that has
 * most ready, so that the interpreter meets runs of the same one. Long programs, and those that
 * would keep too many values at a time so, stay in the order of their terms, which needs the
 * fewest slots. */
#include "expr/tape_program.h"

enum { NEVER = 0, NO_SLOT = UINT16_MAX, MAX_ORDERED = 4096, MANY_SLOTS = 1024 };
#define ALWAYS UINT32_MAX
#define NONE   UINT32_MAX

typedef struct maker {
    const abut_tape_terms *terms;
    const abut_allocator *alloc;
    abut_tape_program *program;
    uint32_t *uses;  /* how many terms and results need it */
    uint32_t *order; /* terms that get an instruction; of sine and cosine together, both */
    size_t order_count;
    uint32_t *last;  /* 1 + the place in the order of its last reader */
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

/* A product that has one reader, a sum or a difference of things that are no numbers, is
 * computed there. */
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

/* What an instruction reads: up to three terms, those of a joined product in place of it. */
static int reads_of(const maker *m, uint32_t i, uint32_t of[4])
{
    uint32_t direct[3];
    int count = 0;
    const int operands = operands_of(term_at(m, i), direct);
    for (int k = 0; k < operands; ++k) {
        if (!m->joined[direct[k]]) {
            of[count++] = direct[k];
            continue;
        }
        of[count++] = term_at(m, direct[k])->a;
        of[count++] = term_at(m, direct[k])->b;
    }
    return count;
}

static bool is_computed(const maker *m, uint32_t i)
{
    return m->uses[i] && !m->joined[i] && abut_term_operand_count((abut_term_op)term_at(m, i)->op) > 0;
}

static bool is_by_number(const maker *m, const abut_term *term)
{
    return (term->op == ABUT_TERM_ADD || term->op == ABUT_TERM_SUBTRACT || term->op == ABUT_TERM_MULTIPLY) &&
           is_number(m, term->a);
}

/* The cosine of a sine and the other way round, if it is needed. */
static uint32_t partner_of(const maker *m, uint32_t i)
{
    const abut_term *term = term_at(m, i);
    if (term->op != ABUT_TERM_SIN && term->op != ABUT_TERM_COS)
        return NONE;
    const uint32_t other =
        abut_term_find(m->terms, term->op == ABUT_TERM_SIN ? ABUT_TERM_COS : ABUT_TERM_SIN, term->a);
    return other != NONE && m->uses[other] ? other : NONE;
}

static int instruction_of(const maker *m, uint32_t i)
{
    const abut_term *term = term_at(m, i);
    double s;
    if (partner_of(m, i) != NONE)
        return ABUT_TAPE_SIN_COS;
    if (term->op == ABUT_TERM_ADD && (m->joined[term->a] || m->joined[term->b]))
        return ABUT_TAPE_MULTIPLY_ADD;
    if (term->op == ABUT_TERM_SUBTRACT && m->joined[term->b])
        return ABUT_TAPE_MULTIPLY_SUBTRACT_FROM;
    if (term->op == ABUT_TERM_SUBTRACT && m->joined[term->a])
        return ABUT_TAPE_MULTIPLY_SUBTRACT;
    if (!is_by_number(m, term))
        return term->op;
    if (term->op != ABUT_TERM_MULTIPLY)
        return term->op == ABUT_TERM_ADD ? ABUT_TAPE_ADD_NUMBER : ABUT_TAPE_SUBTRACT_FROM;
    if (!abut_term_is_point(m->terms, term->a, &s) || !isfinite(s) || s == 0)
        return ABUT_TAPE_MULTIPLY_NUMBER;
    return s > 0 ? ABUT_TAPE_SCALE : ABUT_TAPE_SCALE_NEGATE;
}

/* ---- the order ---- */

typedef struct scheduler {
    /* of each term, how many of its reads are not computed yet */
    uint32_t *waits;
    uint32_t *starts, *readers; /* who reads term i: readers[starts[i] .. starts[i + 1]) */
    /* lists of terms that are ready, one for each instruction */
    uint32_t *next;
    uint32_t heads[ABUT_TAPE_OP_COUNT]; /* NONE where empty */
    size_t ready[ABUT_TAPE_OP_COUNT];
} scheduler;

static void make_ready(const maker *m, scheduler *s, uint32_t i)
{
    const int op = instruction_of(m, i);
    s->next[i] = s->heads[op];
    s->heads[op] = i;
    ++s->ready[op];
}

static void place(maker *m, scheduler *s, uint32_t i)
{
    m->order[m->order_count++] = i;
    for (uint32_t k = s->starts[i]; k < s->starts[i + 1]; ++k)
        if (--s->waits[s->readers[k]] == 0)
            make_ready(m, s, s->readers[k]);
}

static void find_readers(const maker *m, scheduler *s)
{
    const size_t count = m->terms->terms.count;
    uint32_t of[4];
    for (uint32_t i = 0; i < count; ++i)
        for (int k = is_computed(m, i) ? reads_of(m, i, of) : 0; k-- > 0;)
            if (is_computed(m, of[k]))
                ++s->starts[of[k] + 1];
    for (size_t i = 0; i < count; ++i)
        s->starts[i + 1] += s->starts[i];
    for (uint32_t i = 0; i < count; ++i)
        s->next[i] = s->starts[i];
    for (uint32_t i = 0; i < count; ++i)
        for (int k = is_computed(m, i) ? reads_of(m, i, of) : 0; k-- > 0;)
            if (is_computed(m, of[k])) {
                s->readers[s->next[of[k]]++] = i;
                ++s->waits[i];
            }
}

static void order_by_operation(maker *m, scheduler *s)
{
    find_readers(m, s);
    for (int op = 0; op < ABUT_TAPE_OP_COUNT; ++op)
        s->heads[op] = NONE;
    for (uint32_t i = 0; i < m->terms->terms.count; ++i)
        if (is_computed(m, i) && s->waits[i] == 0)
            make_ready(m, s, i);
    for (int op = 0;;) {
        if (!s->ready[op]) {
            for (int k = 0; k < ABUT_TAPE_OP_COUNT; ++k)
                if (s->ready[k] > s->ready[op])
                    op = k;
            if (!s->ready[op])
                return;
        }
        const uint32_t i = s->heads[op];
        s->heads[op] = s->next[i];
        --s->ready[op];
        place(m, s, i);
    }
}

/* Whether it is by operation. */
static bool find_order(maker *m, bool by_operation)
{
    const size_t count = m->terms->terms.count;
    size_t computed = 0;
    for (uint32_t i = 0; i < count; ++i)
        computed += is_computed(m, i);
    scheduler s = { .waits = NULL };
    m->order_count = 0;
    if (by_operation && computed <= MAX_ORDERED) {
        s.waits = abut_base_alloc_zero(m->alloc, count, sizeof *s.waits);
        s.starts = abut_base_alloc_zero(m->alloc, count + 1, sizeof *s.starts);
        s.readers = abut_base_alloc(m->alloc, 4 * computed, sizeof *s.readers);
        s.next = abut_base_alloc(m->alloc, count, sizeof *s.next);
        if (s.waits && s.starts && s.readers && s.next)
            order_by_operation(m, &s);
        else
            m->status = ABUT_ERR_MEMORY;
        abut_base_free(m->alloc, s.waits, count, sizeof *s.waits);
        abut_base_free(m->alloc, s.starts, count + 1, sizeof *s.starts);
        abut_base_free(m->alloc, s.readers, 4 * computed, sizeof *s.readers);
        abut_base_free(m->alloc, s.next, count, sizeof *s.next);
        return true;
    }
    for (uint32_t i = 0; i < count; ++i)
        if (is_computed(m, i))
            m->order[m->order_count++] = i;
    return false;
}

static void find_last_uses(maker *m, const uint32_t *results, size_t result_count)
{
    uint32_t of[4];
    memset(m->last, 0, m->terms->terms.count * sizeof *m->last);
    for (uint32_t place_ = 0; place_ < m->order_count; ++place_)
        for (int k = reads_of(m, m->order[place_], of); k-- > 0;)
            m->last[of[k]] = place_ + 1;
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

/* After the instruction at that place of the order has read it. */
static void release(maker *m, uint32_t i, uint32_t at)
{
    const abut_term_op op = (abut_term_op)term_at(m, i)->op;
    if (m->last[i] != at + 1 || m->slots[i] == NO_SLOT || op == ABUT_TERM_VARIABLE ||
        op == ABUT_TERM_CONSTANT)
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

/* Of a pair the first to come computes both; its argument is needed until then only, but kept
 * until the other one's place. */
static void emit_sin_cos(maker *m, uint32_t i, uint32_t other, uint16_t a)
{
    const bool sine = term_at(m, i)->op == ABUT_TERM_SIN;
    m->slots[i] = take_slot(m);
    m->slots[other] = take_slot(m);
    emit(m, ABUT_TAPE_SIN_COS, m->slots[sine ? i : other], a, 0, m->slots[sine ? other : i]);
}

/* The number c of an instruction that has one. */
static uint32_t number_of(const maker *m, const abut_term *term, uint16_t third)
{
    if (is_by_number(m, term))
        return term_at(m, term->a)->a;
    return term->op == ABUT_TERM_WHOLE_POWER ? term->b : third;
}

static void emit_term(maker *m, uint32_t at)
{
    const uint32_t i = m->order[at], partner = partner_of(m, i);
    const abut_term *term = term_at(m, i);
    const int op = instruction_of(m, i);
    uint32_t of[4];
    uint16_t slots[4] = { 0, 0, 0, 0 };
    const int count = reads_of(m, i, of), from = is_by_number(m, term) ? 1 : 0;
    for (int k = from; k < count; ++k)
        slots[k - from] = slot_of(m, of[k]);
    if (m->slots[i] != NO_SLOT) { /* the other one of sine and cosine was first */
        release(m, of[0], at);
        return;
    }
    for (int k = from; k < count; ++k)
        release(m, of[k], at);
    if (partner != NONE) {
        emit_sin_cos(m, i, partner, slots[0]);
        return;
    }
    const uint16_t d = m->slots[i] = take_slot(m);
    if (op == ABUT_TAPE_MULTIPLY_ADD || op == ABUT_TAPE_MULTIPLY_SUBTRACT ||
        op == ABUT_TAPE_MULTIPLY_SUBTRACT_FROM) {
        /* other, then the product; else the other way round */
        const bool second = m->joined[term->b];
        emit(m, op, d, slots[second ? 1 : 0], slots[second ? 2 : 1], slots[second ? 0 : 2]);
    } else {
        emit(m, op, d, slots[0], slots[1], number_of(m, term, slots[2]));
    }
    if (m->last[i] == NEVER) /* only checked */
        free_slot(m, d);
}

static void make_steps(maker *m, size_t variable_count)
{
    m->slot_count = variable_count;
    m->free.count = 0;
    m->program->step_count = 0;
    for (size_t i = 0; i < m->terms->terms.count; ++i) {
        const abut_term *term = term_at(m, (uint32_t)i);
        m->slots[i] = term->op == ABUT_TERM_VARIABLE ? (uint16_t)term->a : (uint16_t)NO_SLOT;
    }
    for (uint32_t at = 0; at < m->order_count && m->status == ABUT_OK; ++at)
        emit_term(m, at);
    emit(m, ABUT_TAPE_END, 0, 0, 0, 0);
    m->program->slot_count = m->slot_count;
}

/* Whether the order is by operation. */
static bool arrange(maker *m, bool by_operation, size_t variable_count, const uint32_t *results,
                    size_t result_count)
{
    const bool ordered = find_order(m, by_operation);
    find_last_uses(m, results, result_count);
    make_steps(m, variable_count);
    return ordered && m->status == ABUT_OK;
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

abut_status abut_tape_program_make(const abut_tape_terms *terms, size_t variable_count,
                                   const uint32_t *results, size_t result_count, const abut_allocator *alloc,
                                   abut_tape_program *program)
{
    const size_t count = terms->terms.count;
    maker m = { .terms = terms, .alloc = alloc, .program = program, .status = ABUT_ERR_MEMORY };
    m.uses = abut_base_alloc_zero(alloc, count, sizeof *m.uses);
    m.last = abut_base_alloc_zero(alloc, count, sizeof *m.last);
    m.order = abut_base_alloc(alloc, count, sizeof *m.order);
    m.slots = abut_base_alloc(alloc, count, sizeof *m.slots);
    m.joined = abut_base_alloc_zero(alloc, count, sizeof *m.joined);
    if (m.uses && m.last && m.order && m.slots && m.joined) {
        m.status = ABUT_OK;
        count_uses(&m, results, result_count);
        join_products(&m);
        if (arrange(&m, true, variable_count, results, result_count) && m.slot_count > MANY_SLOTS)
            arrange(&m, false, variable_count, results, result_count);
        if (m.status == ABUT_OK)
            m.status = fill_results(&m, results, result_count);
    }
    abut_base_free(alloc, m.uses, count, sizeof *m.uses);
    abut_base_free(alloc, m.last, count, sizeof *m.last);
    abut_base_free(alloc, m.order, count, sizeof *m.order);
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
