/* SPDX-License-Identifier: MIT */
/* The interpreter in intervals. Frequent operations come in runs (tape_program.c), each of which
 * is a loop without a jump between. */
#include "expr/tape_program.h"

static inline ia scale_up(double s, ia_pair a)
{
    return (ia){ ia_pair_mul_up(ia_pair_of(s), a) };
}

/* d = expression in a, b, c (slots) and number, for this step and all that follow of the same
 * operation. */
#define RUN(operation, expression)               \
    case operation: do { s[x->d] = (expression); \
        } while ((++x)->op == operation);        \
        break

bool abut_tape_enclose(const abut_tape *tape, const ia *box, int order, ia *scratch, ia *out)
{
    const abut_tape_program *p = &tape->programs[order];
    const abut_constant *const constants = tape->constants;
    const abut_tape_step *x = p->steps;
    ia *const s = scratch;
    bool defined = true;
    for (size_t i = 0; i < tape->variable_count; ++i)
        s[i] = box[i];
    while (x->op != ABUT_TAPE_END) {
        switch (x->op) {
            RUN(ABUT_TERM_ADD, ia_add(s[x->a], s[x->b]));
            RUN(ABUT_TERM_SUBTRACT, ia_sub(s[x->a], s[x->b]));
            RUN(ABUT_TERM_MULTIPLY, ia_mul(s[x->a], s[x->b]));
            RUN(ABUT_TAPE_MULTIPLY_ADD, ia_add(ia_mul(s[x->a], s[x->b]), s[x->c]));
            RUN(ABUT_TAPE_MULTIPLY_SUBTRACT, ia_sub(ia_mul(s[x->a], s[x->b]), s[x->c]));
            RUN(ABUT_TAPE_MULTIPLY_SUBTRACT_FROM, ia_sub(s[x->c], ia_mul(s[x->a], s[x->b])));
            RUN(ABUT_TAPE_SCALE, scale_up(constants[x->c].hi, s[x->a].v));
            RUN(ABUT_TAPE_SCALE_NEGATE, scale_up(constants[x->c].minus_lo, ia_pair_swap(s[x->a].v)));
            RUN(ABUT_TAPE_ADD_NUMBER, ia_add(s[x->a], abut_constant_box(&constants[x->c])));
            RUN(ABUT_TAPE_SUBTRACT_FROM, ia_sub(abut_constant_box(&constants[x->c]), s[x->a]));
            RUN(ABUT_TAPE_MULTIPLY_NUMBER, ia_mul(abut_constant_box(&constants[x->c]), s[x->a]));
            RUN(ABUT_TERM_NEGATE, ia_neg(s[x->a]));
            RUN(ABUT_TERM_SQUARE, ia_sqr(s[x->a]));
            RUN(ABUT_TERM_WHOLE_POWER, abut_op_whole_power(s[x->a], (int)x->c));
            RUN(ABUT_TERM_DIVIDE, abut_op_divide(s[x->a], s[x->b], &defined));
            RUN(ABUT_TERM_SQRT, abut_op_sqrt(s[x->a], &defined));
            RUN(ABUT_TERM_SIN, ia_sin(s[x->a]));
            RUN(ABUT_TERM_COS, ia_cos(s[x->a]));
        case ABUT_TAPE_SIN_COS: {
            ia sine, cosine;
            ia_sin_cos(s[x->a], &sine, &cosine);
            s[x->d] = sine;
            s[x->c] = cosine;
            ++x;
            break;
        }
        case ABUT_TAPE_LOAD:
            s[x->d] = abut_constant_box(&constants[x->c]);
            ++x;
            break;
        case ABUT_TERM_CHOOSE:
            s[x->d] = abut_op_choose(s[x->c], s[x->a], s[x->b]);
            ++x;
            break;
        default:
            s[x->d] = abut_op_apply((abut_term_op)x->op, s[x->a], s[x->b], s[x->a], 0, &defined);
            ++x;
            break;
        }
    }
    for (size_t i = 0; i < p->result_count; ++i) {
        const uint32_t from = p->results[i];
        out[i] = from & ABUT_TAPE_NUMBER ? abut_constant_box(&constants[from & ~ABUT_TAPE_NUMBER]) : s[from];
    }
    return defined;
}
