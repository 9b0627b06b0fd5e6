/* SPDX-License-Identifier: MIT */
/* Making terms: folding, rewriting, hash consing. */
#include "expr/tape_terms.h"

enum { MAX_TERMS = 1 << 21 };

/* ---- the table ---- */

static uint64_t mix(uint64_t h, uint64_t bits)
{
    h = (h ^ bits) * 0xbf58476d1ce4e5b9u;
    return h ^ (h >> 29);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static bool same_constant(const abut_constant *x, const abut_constant *y)
{
    return bits_of(x->minus_lo) == bits_of(y->minus_lo) && bits_of(x->hi) == bits_of(y->hi) &&
           bits_of(x->value) == bits_of(y->value);
}

static size_t hash(const abut_tape_terms *t, const abut_term *term)
{
    uint64_t h = 0x9e3779b97f4a7c15u * (term->op + 1u);
    if (term->op == ABUT_TERM_CONSTANT) {
        const abut_constant *c = &t->constants.items[term->a];
        h = mix(mix(mix(h, bits_of(c->minus_lo)), bits_of(c->hi)), bits_of(c->value));
    } else {
        h = mix(mix(h, (uint64_t)term->a << 32 | term->b), term->c);
    }
    return (size_t)(h ^ (h >> 32));
}

static bool same_term(const abut_tape_terms *t, const abut_term *x, const abut_term *y)
{
    if (x->op != y->op)
        return false;
    if (x->op == ABUT_TERM_CONSTANT)
        return same_constant(&t->constants.items[x->a], &t->constants.items[y->a]);
    return x->a == y->a && x->b == y->b && x->c == y->c;
}

/* Its own place, or the empty one where it belongs. */
static uint32_t *place_of(const abut_tape_terms *t, const abut_term *term)
{
    const size_t mask = t->table_size - 1;
    size_t i = hash(t, term) & mask;
    while (t->table[i] && !same_term(t, &t->terms.items[t->table[i] - 1], term))
        i = (i + 1) & mask;
    return &t->table[i];
}

static bool grow_table(abut_tape_terms *t)
{
    const size_t old_size = t->table_size, new_size = old_size ? 2 * old_size : 128;
    uint32_t *const old = t->table, *const grown = abut_base_alloc_zero(&t->alloc, new_size, sizeof *grown);
    if (!grown)
        return false;
    t->table = grown;
    t->table_size = new_size;
    for (size_t i = 0; i < t->terms.count; ++i)
        *place_of(t, &t->terms.items[i]) = (uint32_t)i + 1;
    if (old)
        abut_base_free(&t->alloc, old, old_size, sizeof *old);
    return true;
}

static uint32_t fail(abut_tape_terms *t, abut_status status)
{
    if (t->status == ABUT_OK)
        t->status = status;
    return ABUT_TERM_ZERO;
}

static uint32_t cons(abut_tape_terms *t, abut_term term)
{
    if (t->status != ABUT_OK)
        return ABUT_TERM_ZERO;
    if (2 * (t->terms.count + 1) > t->table_size && !grow_table(t))
        return fail(t, ABUT_ERR_MEMORY);
    uint32_t *place = place_of(t, &term);
    if (*place)
        return *place - 1;
    if (t->terms.count == MAX_TERMS)
        return fail(t, ABUT_ERR_LIMIT);
    if (!ABUT_ARRAY_PUSH(&t->alloc, &t->terms, term))
        return fail(t, ABUT_ERR_MEMORY);
    *place = (uint32_t)t->terms.count;
    return *place - 1;
}

static uint32_t number(abut_tape_terms *t, abut_constant c)
{
    if (t->status != ABUT_OK)
        return ABUT_TERM_ZERO;
    if (!ABUT_ARRAY_PUSH(&t->alloc, &t->constants, c))
        return fail(t, ABUT_ERR_MEMORY);
    const uint32_t last = (uint32_t)t->constants.count - 1;
    const uint32_t made = cons(t, (abut_term){ .op = ABUT_TERM_CONSTANT, .a = last });
    if (t->status == ABUT_OK && t->terms.items[made].a != last)
        --t->constants.count;
    return made;
}

void abut_terms_open(abut_tape_terms *t, const abut_allocator *alloc)
{
    memset(t, 0, sizeof *t);
    t->alloc = *alloc;
    abut_term_number(t, 0);
    abut_term_number(t, 1);
}

void abut_terms_close(abut_tape_terms *t)
{
    ABUT_ARRAY_FREE(&t->alloc, &t->terms);
    ABUT_ARRAY_FREE(&t->alloc, &t->constants);
    ABUT_ARRAY_FREE(&t->alloc, &t->checks);
    if (t->table)
        abut_base_free(&t->alloc, t->table, t->table_size, sizeof *t->table);
    t->table = NULL;
    t->table_size = 0;
}

/* ---- numbers ---- */

uint32_t abut_term_number(abut_tape_terms *t, double x)
{
    return number(t, (abut_constant){ -x + 0.0, x + 0.0, x + 0.0 }); /* no -0 */
}

uint32_t abut_term_pi(abut_tape_terms *t)
{
    const ia pi = ia_pi();
    return number(t, (abut_constant){ pi.v[0], pi.v[1], 0x1.921fb54442d18p+1 });
}

uint32_t abut_term_variable(abut_tape_terms *t, uint32_t which)
{
    return cons(t, (abut_term){ .op = ABUT_TERM_VARIABLE, .a = which });
}

static ABUT_NOINLINE void fold_kernel(abut_term_op op, const abut_constant *in, int n, abut_constant *out,
                                      bool *defined)
{
    const ia r = abut_op_apply(op, abut_constant_box(&in[0]), abut_constant_box(&in[1]),
                               abut_constant_box(&in[2]), n, defined);
    out->minus_lo = r.v[0] + 0.0;
    out->hi = r.v[1] + 0.0;
}

/* True, and *out, where all operands are numbers and the operation is defined on them. */
static bool fold(abut_tape_terms *t, const abut_term *term, uint32_t *out)
{
    const int operands = abut_term_operand_count((abut_term_op)term->op);
    const uint32_t of[3] = { term->a, term->b, term->c };
    abut_constant in[3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, made;
    if (t->status != ABUT_OK || operands == 0)
        return false;
    for (int i = 0; i < operands; ++i) {
        const abut_constant *c = abut_term_constant(t, of[i]);
        if (!c)
            return false;
        in[i] = *c;
    }
    bool defined = true;
    const int n = (int)term->b;
    const abut_rounding saved = abut_rounding_enter();
    fold_kernel((abut_term_op)term->op, in, n, &made, &defined);
    abut_rounding_leave(saved);
    if (!defined)
        return false;
    made.value = abut_op_apply_at((abut_term_op)term->op, in[0].value, in[1].value, in[2].value, n) + 0.0;
    if (made.minus_lo == 0 && made.hi == 0) /* doubles make NaN of zero times a number beyond them */
        made.value = 0;
    *out = number(t, made);
    return true;
}

/* ---- terms ---- */

static bool is_partial(const abut_tape_terms *t, const abut_term *term)
{
    const abut_term *items = t->terms.items;
    switch ((abut_term_op)term->op) {
    case ABUT_TERM_DIVIDE:
    case ABUT_TERM_POWER:
    case ABUT_TERM_SQRT:
    case ABUT_TERM_LOG:
    case ABUT_TERM_TAN:
    case ABUT_TERM_ASIN:
    case ABUT_TERM_ACOS:
    case ABUT_TERM_CIRCLE: return true;
    default: break;
    }
    const int operands = abut_term_operand_count((abut_term_op)term->op);
    return (operands > 0 && items[term->a].partial) || (operands > 1 && items[term->b].partial) ||
           (operands > 2 && items[term->c].partial);
}

static uint32_t make(abut_tape_terms *t, abut_term_op op, uint32_t a, uint32_t b, uint32_t c)
{
    abut_term term = { .op = (uint16_t)op, .a = a, .b = b, .c = c };
    uint32_t folded;
    if (t->status != ABUT_OK)
        return ABUT_TERM_ZERO;
    if (fold(t, &term, &folded))
        return folded;
    term.partial = is_partial(t, &term);
    return cons(t, term);
}

/* The operand is not needed for the value, but must be defined. */
static void check(abut_tape_terms *t, uint32_t a)
{
    if (t->status != ABUT_OK || t->deriving || !t->terms.items[a].partial)
        return;
    if (!ABUT_ARRAY_PUSH(&t->alloc, &t->checks, a))
        fail(t, ABUT_ERR_MEMORY);
}

static bool is(const abut_tape_terms *t, uint32_t a, abut_term_op op, uint32_t *operand)
{
    if (t->status != ABUT_OK || t->terms.items[a].op != op)
        return false;
    *operand = t->terms.items[a].a;
    return true;
}

static bool is_number(const abut_tape_terms *t, uint32_t a)
{
    return t->status == ABUT_OK && t->terms.items[a].op == ABUT_TERM_CONSTANT;
}

static bool is_exactly(const abut_tape_terms *t, uint32_t a, double x)
{
    double found = 0;
    return t->status == ABUT_OK && abut_term_is_point(t, a, &found) && found == x;
}

uint32_t abut_term_negate(abut_tape_terms *t, uint32_t a)
{
    uint32_t x;
    if (is(t, a, ABUT_TERM_NEGATE, &x))
        return x;
    if (is(t, a, ABUT_TERM_SUBTRACT, &x))
        return abut_term_subtract(t, t->terms.items[a].b, x);
    if (is(t, a, ABUT_TERM_MULTIPLY, &x) && is_number(t, x))
        return abut_term_multiply(t, abut_term_negate(t, x), t->terms.items[a].b);
    return make(t, ABUT_TERM_NEGATE, a, 0, 0);
}

uint32_t abut_term_add(abut_tape_terms *t, uint32_t a, uint32_t b)
{
    uint32_t x;
    if (a == ABUT_TERM_ZERO)
        return b;
    if (b == ABUT_TERM_ZERO)
        return a;
    if (is(t, a, ABUT_TERM_NEGATE, &x))
        return abut_term_subtract(t, b, x);
    if (is(t, b, ABUT_TERM_NEGATE, &x))
        return abut_term_subtract(t, a, x);
    if (a == b)
        return abut_term_scale(t, 2, a);
    const bool swap = is_number(t, a) == is_number(t, b) ? a > b : is_number(t, b);
    return make(t, ABUT_TERM_ADD, swap ? b : a, swap ? a : b, 0);
}

uint32_t abut_term_subtract(abut_tape_terms *t, uint32_t a, uint32_t b)
{
    uint32_t x;
    if (b == ABUT_TERM_ZERO)
        return a;
    if (a == ABUT_TERM_ZERO)
        return abut_term_negate(t, b);
    if (a == b) {
        check(t, a);
        return ABUT_TERM_ZERO;
    }
    if (is(t, b, ABUT_TERM_NEGATE, &x))
        return abut_term_add(t, a, x);
    if (is(t, a, ABUT_TERM_NEGATE, &x))
        return abut_term_negate(t, abut_term_add(t, x, b));
    if (is_number(t, b))
        return abut_term_add(t, abut_term_negate(t, b), a);
    return make(t, ABUT_TERM_SUBTRACT, a, b, 0);
}

/* a = base^n */
static uint32_t base_of(const abut_tape_terms *t, uint32_t a, int *n)
{
    *n = 1;
    if (t->status != ABUT_OK)
        return a;
    const abut_term *term = &t->terms.items[a];
    if (term->op == ABUT_TERM_SQUARE)
        *n = 2;
    else if (term->op == ABUT_TERM_WHOLE_POWER)
        *n = (int)term->b;
    return *n == 1 ? a : term->a;
}

static uint32_t multiply_by_number(abut_tape_terms *t, uint32_t number_, uint32_t a)
{
    uint32_t x, joined;
    if (number_ == ABUT_TERM_ZERO) {
        check(t, a);
        return ABUT_TERM_ZERO;
    }
    if (number_ == ABUT_TERM_ONE)
        return a;
    if (a == ABUT_TERM_ONE)
        return number_;
    if (is_exactly(t, number_, -1))
        return abut_term_negate(t, a);
    if (is(t, a, ABUT_TERM_NEGATE, &x))
        return abut_term_multiply(t, abut_term_negate(t, number_), x);
    /* One product less where that rounds nothing. */
    if (is(t, a, ABUT_TERM_MULTIPLY, &x) && is_number(t, x)) {
        const uint32_t rest = t->terms.items[a].b;
        double exact;
        joined = make(t, ABUT_TERM_MULTIPLY, number_, x, 0);
        if (t->status == ABUT_OK && abut_term_is_point(t, joined, &exact))
            return abut_term_multiply(t, joined, rest);
    }
    return make(t, ABUT_TERM_MULTIPLY, number_, a, 0);
}

uint32_t abut_term_multiply(abut_tape_terms *t, uint32_t a, uint32_t b)
{
    uint32_t x;
    int n, m;
    if (is_number(t, a))
        return multiply_by_number(t, a, b);
    if (is_number(t, b))
        return multiply_by_number(t, b, a);
    if (is(t, a, ABUT_TERM_NEGATE, &x))
        return abut_term_negate(t, abut_term_multiply(t, x, b));
    if (is(t, b, ABUT_TERM_NEGATE, &x))
        return abut_term_negate(t, abut_term_multiply(t, a, x));
    const uint32_t base_a = base_of(t, a, &n), base_b = base_of(t, b, &m);
    if (base_a == base_b && (int64_t)n + m <= 1 << 30)
        return abut_term_whole_power(t, base_a, n + m);
    return make(t, ABUT_TERM_MULTIPLY, a < b ? a : b, a < b ? b : a, 0);
}

static bool is_power_of_two(double x)
{
    int exponent;
    return fabs(frexp(x, &exponent)) == 0.5 && exponent > -1000 && exponent < 1000;
}

uint32_t abut_term_divide(abut_tape_terms *t, uint32_t a, uint32_t b)
{
    uint32_t x;
    double by;
    if (b == ABUT_TERM_ONE)
        return a;
    if (a == ABUT_TERM_ZERO) {
        check(t, make(t, ABUT_TERM_DIVIDE, ABUT_TERM_ONE, b, 0));
        return ABUT_TERM_ZERO;
    }
    if (t->status == ABUT_OK && abut_term_is_point(t, b, &by) && is_power_of_two(by))
        return abut_term_scale(t, 1 / by, a);
    if (is(t, a, ABUT_TERM_NEGATE, &x))
        return abut_term_negate(t, abut_term_divide(t, x, b));
    if (is(t, b, ABUT_TERM_NEGATE, &x))
        return abut_term_negate(t, abut_term_divide(t, a, x));
    return make(t, ABUT_TERM_DIVIDE, a, b, 0);
}

uint32_t abut_term_whole_power(abut_tape_terms *t, uint32_t a, int n)
{
    uint32_t x;
    int m;
    if (n == 0) {
        check(t, a);
        return ABUT_TERM_ONE;
    }
    if (n == 1)
        return a;
    if (n < 0)
        return abut_term_divide(t, ABUT_TERM_ONE, abut_term_whole_power(t, a, -n));
    if (is(t, a, ABUT_TERM_NEGATE, &x)) {
        const uint32_t power = abut_term_whole_power(t, x, n);
        return n % 2 ? abut_term_negate(t, power) : power;
    }
    const uint32_t base = base_of(t, a, &m);
    if (m > 1 && (int64_t)m * n <= 1 << 30)
        return abut_term_whole_power(t, base, m * n);
    if (n == 2)
        return make(t, ABUT_TERM_SQUARE, a, 0, 0);
    return make(t, ABUT_TERM_WHOLE_POWER, a, (uint32_t)n, 0);
}

/* x^b with a whole b too long for an int: |x|^b, and where b is odd x |x|^(b - 1), which is
 * whole, too. */
static uint32_t long_power(abut_tape_terms *t, uint32_t a, uint32_t b, bool odd)
{
    const uint32_t size = make(t, ABUT_TERM_ABS, a, 0, 0);
    double x;
    if (t->status != ABUT_OK || !abut_term_is_point(t, b, &x))
        return ABUT_TERM_ZERO;
    if (x < 0)
        return abut_term_divide(t, ABUT_TERM_ONE, long_power(t, a, abut_term_negate(t, b), odd));
    if (!odd)
        return make(t, ABUT_TERM_POWER, size, b, 0);
    return abut_term_multiply(t, a, make(t, ABUT_TERM_POWER, size, abut_term_number(t, x - 1), 0));
}

uint32_t abut_term_power(abut_tape_terms *t, uint32_t a, uint32_t b)
{
    int n;
    bool odd;
    if (t->status == ABUT_OK && abut_term_is_whole(t, b, &n))
        return abut_term_whole_power(t, a, n);
    if (is_exactly(t, b, 0.5))
        return make(t, ABUT_TERM_SQRT, a, 0, 0);
    if (t->status == ABUT_OK && abut_term_is_long_whole(t, b, &odd))
        return long_power(t, a, b, odd);
    return make(t, ABUT_TERM_POWER, a, b, 0);
}

uint32_t abut_term_apply(abut_tape_terms *t, abut_term_op op, uint32_t a, uint32_t b, uint32_t c)
{
    return make(t, op, a, b, c);
}

uint32_t abut_term_find(const abut_tape_terms *t, abut_term_op op, uint32_t a)
{
    const abut_term term = { .op = (uint16_t)op, .a = a };
    const uint32_t place = *place_of(t, &term);
    return place ? place - 1 : UINT32_MAX;
}
