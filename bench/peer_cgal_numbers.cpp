/* SPDX-License-Identifier: MIT */
/* CGAL: real roots by the univariate algebraic kernel over GMP integers (isolation, then enclosures 2^-52
 * wide), and orientation by the filtered kernel. The coefficients are turned into integers while preparing.
 * */
#include "number_case.h"

#include <CGAL/Algebraic_kernel_d_1.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Gmpz.h>

#include <cmath>
#include <utility>
#include <vector>

namespace {

typedef CGAL::Algebraic_kernel_d_1<CGAL::Gmpz> roots_kernel;
typedef roots_kernel::Polynomial_1 polynomial;

struct root_state {
    const polynomial_job *job;
    std::vector<polynomial> p;
    std::vector<int> found;
};

void *root_prepare(void *data, int)
{
    root_state *s = new root_state;
    s->job = static_cast<const polynomial_job *>(data);
    s->found.resize(POLYNOMIALS);
    for (int i = 0; i < POLYNOMIALS; ++i) {
        int lowest = 2000;
        for (int k = 0; k <= s->job->degree; ++k)
            if (s->job->c[i][k] != 0) {
                int e;
                std::frexp(s->job->c[i][k], &e);
                lowest = std::min(lowest, e - 53);
            }
        std::vector<CGAL::Gmpz> c;
        for (int k = 0; k <= s->job->degree; ++k) {
            int e;
            const double m = std::ldexp(std::frexp(s->job->c[i][k], &e), 53);
            mpz_t z;
            mpz_init_set_d(z, m);
            if (m != 0)
                mpz_mul_2exp(z, z, static_cast<mp_bitcnt_t>(e - 53 - lowest));
            c.push_back(CGAL::Gmpz(z));
            mpz_clear(z);
        }
        s->p.push_back(polynomial(c.begin(), c.end()));
    }
    return s;
}

double root_run(void *state, int)
{
    root_state *s = static_cast<root_state *>(state);
    roots_kernel kernel;
    const auto solve = kernel.solve_1_object();
    const auto approximate = kernel.approximate_absolute_1_object(); /* to 2^-52 */
    double sum = 0;
    for (int i = 0; i < POLYNOMIALS; ++i) {
        std::vector<std::pair<roots_kernel::Algebraic_real_1, roots_kernel::Multiplicity_type>> roots;
        solve(s->p[static_cast<size_t>(i)], std::back_inserter(roots));
        s->found[static_cast<size_t>(i)] = static_cast<int>(roots.size());
        for (const auto &r : roots)
            sum += CGAL::to_double(approximate(r.first, 52).first);
    }
    return sum;
}

uint64_t root_wrong(void *state, int)
{
    const root_state *s = static_cast<const root_state *>(state);
    uint64_t wrong = 0;
    for (int i = 0; i < POLYNOMIALS; ++i)
        wrong += s->found[static_cast<size_t>(i)] != s->job->roots[i];
    return wrong;
}

void root_finish(void *state, int)
{
    delete static_cast<root_state *>(state);
}

typedef CGAL::Exact_predicates_inexact_constructions_kernel kernel;

struct orient_state {
    const orientation_job *job;
    std::vector<kernel::Point_3> p;
    std::vector<int> found;
};

void *orient_prepare(void *data, int)
{
    orient_state *s = new orient_state;
    s->job = static_cast<const orientation_job *>(data);
    s->found.resize(ORIENTATIONS);
    for (int i = 0; i < ORIENTATIONS; ++i)
        for (int k = 0; k < 4; ++k)
            s->p.push_back(
                kernel::Point_3(s->job->p[i][3 * k], s->job->p[i][3 * k + 1], s->job->p[i][3 * k + 2]));
    return s;
}

double orient_run(void *state, int)
{
    orient_state *s = static_cast<orient_state *>(state);
    int sum = 0;
    for (int i = 0; i < ORIENTATIONS; ++i) {
        const kernel::Point_3 *p = &s->p[4 * static_cast<size_t>(i)];
        /* CGAL's sign is that of det[b - a, c - a, d - a], the opposite of ours. */
        s->found[static_cast<size_t>(i)] = -static_cast<int>(CGAL::orientation(p[0], p[1], p[2], p[3]));
        sum += s->found[static_cast<size_t>(i)];
    }
    return sum;
}

uint64_t orient_wrong(void *state, int)
{
    const orient_state *s = static_cast<const orient_state *>(state);
    uint64_t wrong = 0;
    for (int i = 0; i < ORIENTATIONS; ++i)
        wrong += s->found[static_cast<size_t>(i)] != s->job->sign[i];
    return wrong;
}

void orient_finish(void *state, int)
{
    delete static_cast<orient_state *>(state);
}

} // namespace

int bench_cgal_polynomials(bench_contender *out)
{
    *out = bench_contender{
        "CGAL algebraic kernel", 0, root_prepare, root_run, root_wrong, nullptr, root_finish
    };
    return 1;
}

int bench_cgal_orientations(bench_contender *out)
{
    *out = bench_contender{
        "CGAL exact predicates", 0, orient_prepare, orient_run, orient_wrong, nullptr, orient_finish
    };
    return 1;
}
