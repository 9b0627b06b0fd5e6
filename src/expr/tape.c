/* SPDX-License-Identifier: MIT */
/* Tapes as objects: compiled, asked, freed. The work is in tape_derive.c (derivatives),
 * tape_terms.c (simplification), tape_program.c (instructions) and the two interpreters,
 * tape_enclose.c and tape_evaluate.c. */
#include "expr/tape_program.h"
#include "math/nearest.h"

static void find_dependence(abut_tape *tape, const uint32_t *roots)
{
    const size_t n = tape->variable_count, stride = abut_tape_stride(n, 2);
    for (size_t r = 0; r < tape->root_count; ++r)
        for (size_t i = 0; i < n; ++i)
            if (roots[r * stride + 1 + i] != ABUT_TERM_ZERO)
                tape->depends[i] = true;
}

/* The results of an order are the first of order 2, root by root. */
static abut_status make_program(abut_tape *tape, const abut_tape_terms *terms, const uint32_t *roots,
                                int order)
{
    const size_t stride = abut_tape_stride(tape->variable_count, order),
                 whole = abut_tape_stride(tape->variable_count, 2);
    const size_t count = tape->root_count * stride;
    uint32_t *results = abut_base_alloc(&tape->alloc, count, sizeof *results);
    if (!results)
        return ABUT_ERR_MEMORY;
    for (size_t r = 0; r < tape->root_count; ++r)
        memcpy(results + r * stride, roots + r * whole, stride * sizeof *results);
    const abut_status status = abut_tape_program_make(terms, tape->variable_count, results, count,
                                                      &tape->alloc, &tape->programs[order]);
    abut_base_free(&tape->alloc, results, count, sizeof *results);
    return status;
}

static abut_status fill(abut_tape *tape, const abut_expr *expr, abut_tape_terms *terms, uint32_t *roots)
{
    abut_status status = terms->status;
    if (status == ABUT_OK)
        status = abut_tape_derive(expr, terms, roots);
    if (status != ABUT_OK)
        return status;
    find_dependence(tape, roots);
    tape->constants = abut_base_alloc(&tape->alloc, terms->constants.count, sizeof *tape->constants);
    if (!tape->constants)
        return ABUT_ERR_MEMORY;
    tape->constant_count = terms->constants.count;
    memcpy(tape->constants, terms->constants.items, terms->constants.count * sizeof *tape->constants);
    for (int order = 0; order < 3 && status == ABUT_OK; ++order)
        status = make_program(tape, terms, roots, order);
    return status ? status : abut_tape_find_polys(expr, &tape->alloc, &tape->polys);
}

static ABUT_NOINLINE abut_status compile(const abut_expr *expr, const abut_allocator *memory, abut_tape **out)
{
    const size_t root_terms = expr->root_count * abut_tape_stride(expr->variable_count, 2);
    abut_tape *tape = abut_base_alloc_zero(memory, 1, sizeof *tape);
    uint32_t *roots = abut_base_alloc_zero(memory, root_terms, sizeof *roots);
    abut_status status = ABUT_ERR_MEMORY;
    if (tape)
        tape->alloc = *memory;
    if (tape && roots) {
        tape->variable_count = expr->variable_count;
        tape->root_count = expr->root_count;
        abut_tape_terms terms;
        abut_terms_open(&terms, memory);
        status = fill(tape, expr, &terms, roots);
        abut_terms_close(&terms);
    }
    abut_base_free(memory, roots, root_terms, sizeof *roots);
    if (status == ABUT_OK)
        *out = tape;
    else
        abut_tape_destroy(tape);
    return status;
}

/* The caller may flush denormals, which are numbers here. */
abut_status abut_tape_compile(const abut_expr *expr, const abut_allocator *alloc, abut_tape **out)
{
    *out = NULL;
    if (expr->variable_count > ABUT_TAPE_MAX_VARIABLES)
        return ABUT_ERR_LIMIT;
    const abut_allocator memory = abut_base_allocator(alloc);
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = compile(expr, &memory, out);
    abut_nearest_leave(saved);
    return status;
}

void abut_tape_destroy(abut_tape *tape)
{
    if (!tape)
        return;
    const abut_allocator alloc = tape->alloc;
    for (int order = 0; order < 3; ++order)
        abut_tape_program_free(&tape->programs[order], &alloc);
    abut_tape_free_polys(tape->polys, tape->root_count, &alloc);
    abut_base_free(&alloc, tape->constants, tape->constant_count, sizeof *tape->constants);
    abut_base_free(&alloc, tape, 1, sizeof *tape);
}

size_t abut_tape_root_count(const abut_tape *tape)
{
    return tape->root_count;
}

bool abut_tape_depends_on(const abut_tape *tape, size_t variable)
{
    return variable < tape->variable_count && tape->depends[variable];
}

bool abut_tape_is_polynomial(const abut_tape *tape, size_t root)
{
    return root < tape->root_count && tape->polys[root].coefficients;
}

static size_t work_of(int op)
{
    switch (op) {
    case ABUT_TERM_EXP:
    case ABUT_TERM_LOG:
    case ABUT_TERM_SIN:
    case ABUT_TERM_COS:
    case ABUT_TERM_TAN:
    case ABUT_TERM_ASIN:
    case ABUT_TERM_ACOS:
    case ABUT_TERM_ATAN:
    case ABUT_TAPE_SIN_COS: return 16;
    case ABUT_TERM_POWER: return 64;
    default: return 1;
    }
}

size_t abut_tape_work(const abut_tape *tape)
{
    const abut_tape_program *const p = &tape->programs[2];
    size_t work = 0;
    for (size_t i = 0; i < p->step_count; ++i)
        work += work_of(p->steps[i].op);
    for (size_t r = 0; r < tape->root_count; ++r)
        work += 4 * (size_t)tape->polys[r].count;
    return work;
}

size_t abut_tape_scratch(const abut_tape *tape, int order)
{
    size_t most = 0;
    for (int k = 0; k <= order; ++k)
        most = tape->programs[k].slot_count > most ? tape->programs[k].slot_count : most;
    return most;
}
