/* SPDX-License-Identifier: MIT */
/* The resultant of three quadrics, and of a plane and two, in one linear form of the coordinates.
 *
 * With x = t w - a y - b z the three are quadratic forms in (w, y, z) for every t. Three quadratic forms q0, q1, q2
 * have a common zero where a determinant of order 6 vanishes, whose rows are the coefficients of q0, q1, q2 and of
 * the three partial derivatives of their Jacobian determinant (Cox, Little, O'Shea, Using Algebraic Geometry,
 * chapter 3, exercise 2.11). Weighing the degrees in t gives 8. Two conics in a plane have Sylvester's resultant of
 * degree 4. Both are evaluated exactly at degree + 1 integers and interpolated with integers (Lagrange). */
#include "intersect/matrix.h"

#include <math.h>

typedef struct form {
    abut_long c[3][3]; /* symmetric */
} form;

static void zero(abut_long *r)
{
    abut_long_from(r, 0);
}

static void add_product(abut_long *r, const abut_long *a, const abut_long *b)
{
    abut_long t;
    abut_long_mul(&t, a, b);
    abut_long_add(r, r, &t);
}

/* T' m T, for T with the given rows. */
static void restrict_to(const abut_exact_matrix *m, const abut_long t[4][3], form *out)
{
    abut_long half[4][3];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j) {
            zero(&half[i][j]);
            for (int k = 0; k < 4; ++k)
                add_product(&half[i][j], &m->m[i][k], &t[k][j]);
        }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            zero(&out->c[i][j]);
            for (int k = 0; k < 4; ++k)
                add_product(&out->c[i][j], &t[k][i], &half[k][j]);
        }
}

/* Monomials of degree 2: ww wy wz yy yz zz, by the numbers of their factors. */
static const int pair_number[3][3] = { { 0, 1, 2 }, { 1, 3, 4 }, { 2, 4, 5 } };

static void coefficients(const form *f, abut_long row[6])
{
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            row[pair_number[i][j]] = f->c[i][j];
            if (j > i)
                abut_long_add(&row[pair_number[i][j]], &row[pair_number[i][j]], &f->c[i][j]);
        }
}

/* det of column a of the first, b of the second, c of the third, added to r. */
static void add_columns(const form f[3], int a, int b, int c, abut_long *r)
{
    abut_long t, minor;
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        abut_long_mul(&minor, &f[1].c[j][b], &f[2].c[k][c]);
        abut_long_mul(&t, &f[1].c[k][b], &f[2].c[j][c]);
        abut_long_sub(&minor, &minor, &t);
        add_product(r, &f[0].c[i][a], &minor);
    }
}

/* Partial derivatives of the Jacobian determinant J = det(f0 v, f1 v, f2 v), up to a constant factor. */
static void jacobian_rows(const form f[3], abut_long rows[3][6])
{
    abut_long cubic[3][3][3]; /* coefficients of v_a v_b v_c, a <= b <= c */
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b)
            for (int c = b; c < 3; ++c)
                zero(&cubic[a][b][c]);
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b)
            for (int c = 0; c < 3; ++c) {
                int s[3] = { a, b, c };
                for (int i = 0; i < 2; ++i)
                    for (int j = 0; j < 2 - i; ++j)
                        if (s[j] > s[j + 1]) {
                            const int t = s[j];
                            s[j] = s[j + 1];
                            s[j + 1] = t;
                        }
                add_columns(f, a, b, c, &cubic[s[0]][s[1]][s[2]]);
            }
    for (int d = 0; d < 3; ++d)
        for (int i = 0; i < 6; ++i)
            zero(&rows[d][i]);
    for (int a = 0; a < 3; ++a)
        for (int b = a; b < 3; ++b)
            for (int c = b; c < 3; ++c) {
                const int s[3] = { a, b, c };
                /* By each factor in turn: equal ones add up to the exponent. */
                for (int i = 0; i < 3; ++i) {
                    abut_long *to = &rows[s[i]][pair_number[s[(i + 1) % 3]][s[(i + 2) % 3]]];
                    abut_long_add(to, to, &cubic[a][b][c]);
                }
            }
}

/* Determinant of order 6 by the minors of its first rows, for all sets of columns. */
static void determinant(abut_long rows[6][6], abut_long *out)
{
    abut_long minor[64], t;
    abut_long_from(&minor[0], 1);
    for (int set = 1; set < 64; ++set) {
        const int row = __builtin_popcount((unsigned)set) - 1;
        zero(&minor[set]);
        int sign = row; /* the last column of the set comes with + */
        for (int c = 0; c < 6; ++c) {
            if (!(set >> c & 1))
                continue;
            abut_long_mul(&t, &rows[row][c], &minor[set & ~(1 << c)]);
            if (sign-- & 1)
                abut_long_sub(&minor[set], &minor[set], &t);
            else
                abut_long_add(&minor[set], &minor[set], &t);
        }
    }
    *out = minor[63];
}

static void quadrics_at(const abut_exact_matrix m[3], double y_part, double z_part, int at, abut_long *out)
{
    abut_long t[4][3], rows[6][6];
    form f[3];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j)
            zero(&t[i][j]);
    abut_long_from(&t[0][0], at);
    abut_long_from(&t[0][1], -y_part);
    abut_long_from(&t[0][2], -z_part);
    abut_long_from(&t[1][1], 1);
    abut_long_from(&t[2][2], 1);
    abut_long_from(&t[3][0], 1);
    for (int i = 0; i < 3; ++i) {
        restrict_to(&m[i], (const abut_long(*)[3])t, &f[i]);
        coefficients(&f[i], rows[i]);
    }
    jacobian_rows(f, rows + 3);
    determinant(rows, out);
}

/* The plane n . x + k / 2 = 0 meets t = x + a y + b z in a line; along it, with s the projective parameter, each
 * quadric is a quadratic. The line is the cross product of the two planes' vectors in (x, y, z, w), with one more
 * vector that picks a point of it. */
static void conics_at(const abut_exact_matrix m[3], double y_part, double z_part, int at, abut_long *out)
{
    /* Directions: d = n cross (1, a, b). A point: p = ((1, a, b) c - n t) cross d + ... / d . d, with n . x = c. */
    abut_long n[3], l[3], d[3], c, p[3], size, t, none, other;
    zero(&none);
    abut_long_from(&l[0], 1);
    abut_long_from(&l[1], y_part);
    abut_long_from(&l[2], z_part);
    abut_long_from(&t, at);
    for (int i = 0; i < 3; ++i)
        abut_long_add(&n[i], &m[0].m[i][3], &m[0].m[i][3]);
    abut_long_sub(&c, &none, &m[0].m[3][3]);
    zero(&size);
    for (int i = 0; i < 3; ++i) {
        abut_long_mul(&d[i], &n[(i + 1) % 3], &l[(i + 2) % 3]);
        abut_long_mul(&other, &n[(i + 2) % 3], &l[(i + 1) % 3]);
        abut_long_sub(&d[i], &d[i], &other);
        add_product(&size, &d[i], &d[i]);
    }
    /* |d|^2 p = c (l cross d) + t (d cross n): n . p = c |d|^2 / |d|^2 by the triple product. */
    abut_long rows[4][3];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        zero(&p[i]);
        abut_long cross;
        abut_long_mul(&cross, &l[j], &d[k]);
        abut_long_mul(&other, &l[k], &d[j]);
        abut_long_sub(&cross, &cross, &other);
        add_product(&p[i], &c, &cross);
        abut_long_mul(&cross, &d[j], &n[k]);
        abut_long_mul(&other, &d[k], &n[j]);
        abut_long_sub(&cross, &cross, &other);
        add_product(&p[i], &t, &cross);
        rows[i][0] = p[i];
        rows[i][1] = d[i];
        zero(&rows[i][2]);
    }
    rows[3][0] = size;
    zero(&rows[3][1]);
    zero(&rows[3][2]);
    form f[2];
    for (int i = 0; i < 2; ++i)
        restrict_to(&m[i + 1], (const abut_long(*)[3])rows, &f[i]);
    /* a0 + 2 a1 s + a2 s^2 and b alike: (a2 b0 - b2 a0)^2 - 4 (a2 b1 - b2 a1) (a1 b0 - b1 a0) */
    abut_long u, v, w, four;
    const abut_long *a0 = &f[0].c[0][0], *a1 = &f[0].c[0][1], *a2 = &f[0].c[1][1];
    const abut_long *b0 = &f[1].c[0][0], *b1 = &f[1].c[0][1], *b2 = &f[1].c[1][1];
    abut_long_mul(&u, a2, b0);
    abut_long_mul(&other, b2, a0);
    abut_long_sub(&u, &u, &other);
    abut_long_mul(&v, a2, b1);
    abut_long_mul(&other, b2, a1);
    abut_long_sub(&v, &v, &other);
    abut_long_mul(&w, a1, b0);
    abut_long_mul(&other, b1, a0);
    abut_long_sub(&w, &w, &other);
    abut_long_mul(out, &u, &u);
    abut_long_from(&four, 4);
    abut_long_mul(&v, &v, &four);
    abut_long_mul(&v, &v, &w);
    abut_long_sub(out, out, &v);
}

/* degree! times the polynomial of that degree with these values at -h, ..., degree - h. */
static void interpolate(const abut_long *value, int degree, int h, abut_long *c)
{
    for (int i = 0; i <= degree; ++i)
        zero(&c[i]);
    for (int j = 0; j <= degree; ++j) {
        /* (-1)^(degree - j) binomial(degree, j) times the product of (t - node) over the other nodes */
        int64_t p[ABUT_RESULTANT_DEGREE + 1] = { 1 }, factor = (degree - j) % 2 ? -1 : 1;
        for (int i = 1; i <= j; ++i)
            factor = factor * (degree - i + 1) / i;
        int n = 0;
        for (int k = 0; k <= degree; ++k) {
            if (k == j)
                continue;
            for (int i = ++n; i >= 0; --i)
                p[i] = (i > 0 ? p[i - 1] : 0) - (int64_t)(k - h) * (i < n ? p[i] : 0);
        }
        for (int i = 0; i <= degree; ++i) {
            abut_long q;
            abut_long_from(&q, (double)(p[i] * factor));
            add_product(&c[i], &value[j], &q);
        }
    }
}

bool abut_resultant_of(const abut_exact_matrix m[3], double y_part, double z_part, abut_resultant *out)
{
    const bool plane = abut_matrix_is_plane(&m[0]);
    const int degree = plane ? 4 : ABUT_RESULTANT_DEGREE, h = degree / 2;
    abut_long value[ABUT_RESULTANT_DEGREE + 1], c[ABUT_RESULTANT_DEGREE + 1];
    out->y_part = y_part;
    out->z_part = z_part;
    for (int i = 0; i <= degree; ++i) {
        if (plane)
            conics_at(m, y_part, z_part, i - h, &value[i]);
        else
            quadrics_at(m, y_part, z_part, i - h, &value[i]);
        if (abut_long_sign(&value[i]) == 2)
            return false;
    }
    interpolate(value, degree, h, c);
    int top = INT32_MIN;
    out->degree = -1;
    for (int i = 0; i <= degree; ++i) {
        const int sign = abut_long_sign(&c[i]);
        if (sign == 2)
            return false;
        if (sign == 0)
            continue;
        out->degree = i;
        if (abut_long_top(&c[i]) > top)
            top = abut_long_top(&c[i]);
    }
    out->exact = true;
    for (int i = 0; i <= out->degree; ++i) {
        abut_long_enclose(&c[i], 900 - top, &out->c[i].lo, &out->c[i].hi);
        out->exact = out->exact && abut_long_split(&c[i], 900 - top, out->terms[i], ABUT_RESULTANT_TERMS);
    }
    return true;
}
