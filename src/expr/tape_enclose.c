/* SPDX-License-Identifier: MIT */
/* The interpreter in intervals. */
#include "expr/tape_program.h"

static inline ia scale_up(double s, ia_pair a)
{
    return (ia){ ia_pair_mul_up(ia_pair_of(s), a) };
}

bool abut_tape_enclose(const abut_tape *tape, const ia *box, int order, ia *scratch, ia *out)
{
    const abut_tape_program *p = &tape->programs[order];
    const abut_constant *const constants = tape->constants;
    const abut_tape_step *const end = p->steps + p->step_count;
    ia *const s = scratch;
    bool defined = true;
    for (size_t i = 0; i < tape->variable_count; ++i)
        s[i] = box[i];
    for (const abut_tape_step *x = p->steps; x != end; ++x) {
        const ia a = s[x->a];
        ia r;
        switch (x->op) {
        case ABUT_TAPE_LOAD: r = abut_constant_box(&constants[x->c]); break;
        case ABUT_TERM_NEGATE: r = ia_neg(a); break;
        case ABUT_TERM_ADD: r = ia_add(a, s[x->b]); break;
        case ABUT_TERM_SUBTRACT: r = ia_sub(a, s[x->b]); break;
        case ABUT_TERM_MULTIPLY: r = ia_mul(a, s[x->b]); break;
        case ABUT_TAPE_MULTIPLY_ADD: r = ia_add(ia_mul(a, s[x->b]), s[x->c]); break;
        case ABUT_TAPE_MULTIPLY_SUBTRACT: r = ia_sub(ia_mul(a, s[x->b]), s[x->c]); break;
        case ABUT_TAPE_MULTIPLY_SUBTRACT_FROM: r = ia_sub(s[x->c], ia_mul(a, s[x->b])); break;
        case ABUT_TAPE_ADD_NUMBER: r = ia_add(a, abut_constant_box(&constants[x->c])); break;
        case ABUT_TAPE_SUBTRACT_FROM: r = ia_sub(abut_constant_box(&constants[x->c]), a); break;
        case ABUT_TAPE_MULTIPLY_NUMBER: r = ia_mul(abut_constant_box(&constants[x->c]), a); break;
        case ABUT_TAPE_SCALE: r = scale_up(constants[x->c].hi, a.v); break;
        case ABUT_TAPE_SCALE_NEGATE: r = scale_up(constants[x->c].minus_lo, ia_pair_swap(a.v)); break;
        case ABUT_TERM_SQUARE: r = ia_sqr(a); break;
        case ABUT_TERM_WHOLE_POWER: r = abut_op_whole_power(a, (int)x->c); break;
        case ABUT_TAPE_SIN_COS:
            r = ia_sin(a);
            s[x->c] = ia_cos(a);
            break;
        case ABUT_TERM_SIN: r = ia_sin(a); break;
        case ABUT_TERM_COS: r = ia_cos(a); break;
        case ABUT_TERM_DIVIDE: r = abut_op_divide(a, s[x->b], &defined); break;
        case ABUT_TERM_SQRT: r = abut_op_sqrt(a, &defined); break;
        case ABUT_TERM_CHOOSE: r = abut_op_choose(s[x->c], a, s[x->b]); break;
        default: r = abut_op_apply((abut_term_op)x->op, a, s[x->b], a, 0, &defined); break;
        }
        s[x->d] = r;
    }
    for (size_t i = 0; i < p->result_count; ++i) {
        const uint32_t from = p->results[i];
        out[i] = from & ABUT_TAPE_NUMBER ? abut_constant_box(&constants[from & ~ABUT_TAPE_NUMBER]) : s[from];
    }
    return defined;
}
