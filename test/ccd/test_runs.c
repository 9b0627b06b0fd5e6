/* SPDX-License-Identifier: MIT */
/* Cells of time gathered into runs of contact: known sequences, and random ones held against
 * what a run claims. */
#include "ccd/proof/runs.h"

#include "support/test.h"

typedef struct cell {
    abut_run_cell what;
    double lo, hi;
} cell;

enum { MOST = 40 };

typedef struct found {
    abut_run runs[MOST];
    int count;
} found;

static bool keep(void *ctx, const abut_run *run)
{
    found *const f = ctx;
    assert_true(f->count < MOST);
    f->runs[f->count++] = *run;
    return true;
}

static found gather(const cell *cells, int count)
{
    found f = { .count = 0 };
    abut_runs runs;
    abut_runs_begin(&runs, (abut_interval){ cells[0].lo, cells[count - 1].hi }, 0, keep, &f);
    for (int i = 0; i < count; ++i)
        assert_true(abut_runs_add(&runs, cells[i].what, cells[i].lo, cells[i].hi, false));
    abut_runs_end(&runs);
    return f;
}

#define GATHER(...) \
    gather((const cell[]){ __VA_ARGS__ }, (int)(sizeof((const cell[]){ __VA_ARGS__ }) / sizeof(cell)))

static void expect(const abut_run *run, double a, double b, double c, double d)
{
    TEST_CHECK(run->enter.lo == a && run->enter.hi == b && run->exit.lo == c && run->exit.hi == d,
               "[%a, %a] to [%a, %a]", run->enter.lo, run->enter.hi, run->exit.lo, run->exit.hi);
}

static const double e = 0x1p-44; /* next to nothing of a range of length 1 */

static void plain_contacts(void **state)
{
    (void)state;
    const found f = GATHER({ ABUT_CELL_APART, 0, 0.25 }, { ABUT_CELL_UNKNOWN, 0.25, 0.25 + e },
                           { ABUT_CELL_DEEP, 0.25 + e, 0.5 }, { ABUT_CELL_UNKNOWN, 0.5, 0.5 + e },
                           { ABUT_CELL_APART, 0.5 + e, 0.75 }, { ABUT_CELL_CROSS, 0.75, 0.75 + e },
                           { ABUT_CELL_DEEP, 0.75 + e, 1 });
    assert_int_equal(f.count, 2);
    expect(&f.runs[0], 0.25, 0.25 + e, 0.5, 0.5 + e);
    expect(&f.runs[1], 0.75, 0.75 + e, 1, 1);
    assert_true(f.runs[0].whole && f.runs[1].whole);
}

/* The instant of separation belongs to both neighbours, one of which is nothing but a doubt. */
static void instants_of_separation(void **state)
{
    (void)state;
    const double x = 0.5;
    found f =
        GATHER({ ABUT_CELL_DEEP, 0, x - e }, { ABUT_CELL_UNKNOWN, x - e, x }, { ABUT_CELL_APART, x, x },
               { ABUT_CELL_APART, x, x }, { ABUT_CELL_UNKNOWN, x, x + e }, { ABUT_CELL_APART, x + e, 1 });
    assert_int_equal(f.count, 1);
    expect(&f.runs[0], 0, 0, x - e, x + e);
    assert_true(f.runs[0].whole);
    /* The other way round. */
    f = GATHER({ ABUT_CELL_APART, 0, x - e }, { ABUT_CELL_UNKNOWN, x - e, x }, { ABUT_CELL_APART, x, x },
               { ABUT_CELL_UNKNOWN, x, x + e }, { ABUT_CELL_DEEP, x + e, 1 });
    assert_int_equal(f.count, 1);
    expect(&f.runs[0], x - e, x + e, 1, 1);
    assert_true(f.runs[0].whole);
    /* Two that are proved stay two. */
    f = GATHER({ ABUT_CELL_APART, 0, x - e }, { ABUT_CELL_GRAZE, x - e, x }, { ABUT_CELL_APART, x, x },
               { ABUT_CELL_GRAZE, x, x + e }, { ABUT_CELL_APART, x + e, 1 });
    assert_int_equal(f.count, 2);
    assert_true(f.runs[0].whole && f.runs[1].whole);
}

/* Proofs that fail in turn next to an end widen it; farther inside they leave a doubt. */
static void doubts(void **state)
{
    (void)state;
    const double x = 0.25, y = 0.5;
    found f = GATHER({ ABUT_CELL_APART, 0, x }, { ABUT_CELL_UNKNOWN, x, x + e },
                     { ABUT_CELL_DEEP, x + e, x + 2 * e }, { ABUT_CELL_UNKNOWN, x + 2 * e, x + 3 * e },
                     { ABUT_CELL_DEEP, x + 3 * e, y }, { ABUT_CELL_UNKNOWN, y, y + e },
                     { ABUT_CELL_DEEP, y + e, y + 2 * e }, { ABUT_CELL_UNKNOWN, y + 2 * e, y + 3 * e },
                     { ABUT_CELL_DEEP, y + 3 * e, y + 4 * e }, { ABUT_CELL_UNKNOWN, y + 4 * e, y + 5 * e },
                     { ABUT_CELL_APART, y + 5 * e, 1 });
    assert_int_equal(f.count, 1);
    expect(&f.runs[0], x, x + 3 * e, y, y + 5 * e);
    assert_true(f.runs[0].whole);
    f = GATHER({ ABUT_CELL_APART, 0, x }, { ABUT_CELL_UNKNOWN, x, x + e }, { ABUT_CELL_DEEP, x + e, 0.375 },
               { ABUT_CELL_UNKNOWN, 0.375, 0.375 + e }, { ABUT_CELL_DEEP, 0.375 + e, y },
               { ABUT_CELL_UNKNOWN, y, y + e }, { ABUT_CELL_APART, y + e, 1 });
    assert_int_equal(f.count, 1);
    expect(&f.runs[0], x, x + e, y, y + e);
    assert_false(f.runs[0].whole);
    /* Ends of the range stay what they are. */
    f = GATHER({ ABUT_CELL_DEEP, 0, e }, { ABUT_CELL_UNKNOWN, e, 2 * e },
               { ABUT_CELL_DEEP, 2 * e, 1 - 2 * e }, { ABUT_CELL_UNKNOWN, 1 - 2 * e, 1 - e },
               { ABUT_CELL_DEEP, 1 - e, 1 });
    assert_int_equal(f.count, 1);
    expect(&f.runs[0], 0, 0, 1, 1);
    assert_false(f.runs[0].whole);
}

/* Proofs of separation that succeed and fail in turn before or after a contact: the doubts
 * belong to its ends. Others stay what they are. */
static void slivers(void **state)
{
    (void)state;
    const double x = 0.25, y = 0.5, far = 0.125;
    found f = GATHER({ ABUT_CELL_APART, 0, x }, { ABUT_CELL_UNKNOWN, x, x + e },
                     { ABUT_CELL_APART, x + e, x + 2 * e }, { ABUT_CELL_UNKNOWN, x + 2 * e, x + 3 * e },
                     { ABUT_CELL_APART, x + 3 * e, x + 4 * e }, { ABUT_CELL_UNKNOWN, x + 4 * e, x + 5 * e },
                     { ABUT_CELL_DEEP, x + 5 * e, y }, { ABUT_CELL_UNKNOWN, y, y + e },
                     { ABUT_CELL_APART, y + e, y + e }, { ABUT_CELL_APART, y + e, y + 2 * e },
                     { ABUT_CELL_APART, y + 2 * e, y + 3 * e }, { ABUT_CELL_UNKNOWN, y + 3 * e, y + 4 * e },
                     { ABUT_CELL_APART, y + 4 * e, 1 });
    assert_int_equal(f.count, 1);
    expect(&f.runs[0], x, x + 5 * e, y, y + 4 * e);
    assert_true(f.runs[0].whole);
    f = GATHER(
        { ABUT_CELL_APART, 0, x }, { ABUT_CELL_UNKNOWN, x, x + e }, { ABUT_CELL_APART, x + e, x + far },
        { ABUT_CELL_UNKNOWN, x + far, x + far + e }, { ABUT_CELL_APART, x + far + e, x + far + 2 * e },
        { ABUT_CELL_UNKNOWN, x + far + 2 * e, x + far + 3 * e }, { ABUT_CELL_APART, x + far + 3 * e, y },
        { ABUT_CELL_UNKNOWN, y, y + e }, { ABUT_CELL_DEEP, y + e, 1 });
    assert_int_equal(f.count, 4);
    expect(&f.runs[0], x, x + e, x, x + e);
    expect(&f.runs[1], x + far, x + far + e, x + far, x + far + e);
    expect(&f.runs[2], x + far + 2 * e, x + far + 3 * e, x + far + 2 * e, x + far + 3 * e);
    expect(&f.runs[3], y, y + e, 1, 1);
    assert_true(!f.runs[0].certain && !f.runs[1].certain && !f.runs[2].certain && f.runs[3].whole);
    /* Two contacts stay two, however near; and a touch at the start, from which they part, is no
     * more than that. */
    f = GATHER({ ABUT_CELL_APART, 0, x }, { ABUT_CELL_GRAZE, x, x + e },
               { ABUT_CELL_APART, x + e, x + 2 * e }, { ABUT_CELL_GRAZE, x + 2 * e, x + 3 * e },
               { ABUT_CELL_APART, x + 3 * e, 1 });
    assert_int_equal(f.count, 2);
    f = GATHER({ ABUT_CELL_TOUCH, 0, 0 }, { ABUT_CELL_APART, 0, e }, { ABUT_CELL_UNKNOWN, e, 2 * e },
               { ABUT_CELL_APART, 2 * e, 1 });
    assert_int_equal(f.count, 2);
    assert_true(f.runs[0].touch_only && !f.runs[1].certain);
}

static bool is_in(const cell *c, abut_interval x)
{
    return c->lo >= x.lo && c->hi <= x.hi;
}

/* Each cell is claimed rightly by the run around it. */
static void judge(uint64_t seed, const cell *cells, int count, const found *f)
{
    const double most = 0x1p-40 * (cells[count - 1].hi - cells[0].lo);
    for (int k = 0; k + 1 < f->count; ++k) {
        const abut_run *const a = &f->runs[k], *const b = &f->runs[k + 1];
        TEST_CHECK(a->exit.hi < b->enter.lo || (a->exit.hi == b->enter.lo && a->certain && b->certain),
                   "seed %llu: runs %d and the next share %a", (unsigned long long)seed, k, a->exit.hi);
    }
    for (int i = 0; i < count; ++i) {
        const cell *const c = &cells[i];
        if (c->lo == c->hi)
            continue;
        int inside = 0;
        for (int k = 0; k < f->count; ++k) {
            const abut_run *const r = &f->runs[k];
            const abut_interval whole = { r->enter.lo, r->exit.hi }, sure = { r->enter.hi, r->exit.lo };
            inside += is_in(c, whole);
            /* Only next to an end, which took in a doubt beyond. */
            const bool apart = c->what == ABUT_CELL_APART && c->hi > whole.lo && c->lo < whole.hi;
            const bool before = is_in(c, r->enter) && c->hi - r->enter.lo <= most,
                       after = is_in(c, r->exit) && r->exit.hi - c->lo <= most;
            TEST_CHECK(!apart || (r->certain && (before || after)), "seed %llu: cell %d",
                       (unsigned long long)seed, i);
            if (c->what != ABUT_CELL_DEEP && r->whole && c->hi > sure.lo && c->lo < sure.hi)
                TEST_FAIL("seed %llu: cell %d is claimed to be contact", (unsigned long long)seed, i);
        }
        TEST_CHECK(c->what == ABUT_CELL_APART || inside == 1, "seed %llu: cell %d in %d runs",
                   (unsigned long long)seed, i, inside);
    }
}

static void random_cells(void **state)
{
    (void)state;
    static const abut_run_cell kinds[] = { ABUT_CELL_APART, ABUT_CELL_DEEP, ABUT_CELL_UNKNOWN,
                                           ABUT_CELL_UNKNOWN };
    const uint64_t count = test_count(20000);
    for (uint64_t seed = 1; seed <= count; ++seed) {
        test_random r = test_seed(seed);
        cell cells[24];
        const int n = 2 + (int)test_below(&r, 22);
        double t = 0;
        for (int i = 0; i < n; ++i) {
            const abut_run_cell what = kinds[test_below(&r, 4)];
            const bool instant = what == ABUT_CELL_APART && test_below(&r, 2);
            const double next =
                instant ? t : t + (test_below(&r, 3) ? e * (double)(1 + test_below(&r, 4)) : 0.25);
            cells[i] = (cell){ what, t, next };
            t = next;
        }
        if (!(t > 0))
            continue;
        const found f = gather(cells, n);
        judge(seed, cells, n, &f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(plain_contacts),
                                        cmocka_unit_test(instants_of_separation), cmocka_unit_test(doubts),
                                        cmocka_unit_test(slivers), cmocka_unit_test(random_cells) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
