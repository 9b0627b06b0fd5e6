/* SPDX-License-Identifier: MIT */
/* The interpreter in doubles: the same programs, libm, NaN where a value is undefined. */
#include "expr/tape_program.h"

void abut_tape_evaluate(const abut_tape *tape, const double *x, int order, double *scratch, double *out)
{
    const abut_tape_program *p = &tape->programs[order];
    const abut_constant *const constants = tape->constants;
    double *const s = scratch;
    for (size_t i = 0; i < tape->variable_count; ++i)
        s[i] = x[i];
    for (size_t i = 0; i + 1 < p->step_count; ++i) {
        const abut_tape_step *step = &p->steps[i];
        const double a = s[step->a], b = s[step->b];
        double r;
        switch (step->op) {
        case ABUT_TAPE_LOAD: r = constants[step->c].value; break;
        case ABUT_TAPE_MULTIPLY_ADD: r = a * b + s[step->c]; break;
        case ABUT_TAPE_MULTIPLY_SUBTRACT: r = a * b - s[step->c]; break;
        case ABUT_TAPE_MULTIPLY_SUBTRACT_FROM: r = s[step->c] - a * b; break;
        case ABUT_TAPE_ADD_NUMBER: r = a + constants[step->c].value; break;
        case ABUT_TAPE_SUBTRACT_FROM: r = constants[step->c].value - a; break;
        case ABUT_TAPE_MULTIPLY_NUMBER:
        case ABUT_TAPE_SCALE:
        case ABUT_TAPE_SCALE_NEGATE: r = constants[step->c].value * a; break;
        case ABUT_TERM_WHOLE_POWER: r = abut_op_whole_power_at(a, (int)step->c); break;
        case ABUT_TAPE_SIN_COS:
            r = sin(a);
            s[step->c] = cos(a);
            break;
        case ABUT_TERM_CHOOSE: r = s[step->c] < 0 ? a : b; break;
        default: r = abut_op_apply_at((abut_term_op)step->op, a, b, 0, 0); break;
        }
        s[step->d] = r;
    }
    for (size_t i = 0; i < p->result_count; ++i) {
        const uint32_t from = p->results[i];
        out[i] = from & ABUT_TAPE_NUMBER ? constants[from & ~ABUT_TAPE_NUMBER].value : s[from];
    }
}
