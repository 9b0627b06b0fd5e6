/* SPDX-License-Identifier: MIT */
/* Which way the closed shells of a body of patches are turned, and which of them are cavities of
 * others.
 *
 * The sign of a shell is that of its winding number (winding.c) about a point beside one of its
 * patches. A shell is inside another that winds about its points. One that is in none, or in an
 * even number of others, bounds material from outside, and is turned so that its normals lead
 * outward, however it was given; one in an odd number is a cavity, and its normals lead inward.
 * A shell that is turned as the one around it would be material inside material, and is refused:
 * it is more likely a mistake. */
#include "surface/patches.h"
#include "surface/winding.h"

#include <math.h>

enum { most_shells = 2048, tries = 8 };

static const uint64_t each_count = 20000;

typedef struct shells {
    const abut_patches_body *body;
    /* of each shell: patches[first[i]] to patches[first[i + 1] - 1] */
    const uint32_t *first, *patches;
    ia3 *bounds;
    signed char *sign;
    uint8_t *inside; /* of i in j: [i * count + j] */
    size_t count;
    ia *scratch;
    abut_seam_trouble trouble;
} shells;

typedef struct relation {
    const abut_patches_body *body;
    abut_vec3 x;
} relation;

static bool relative(const void *ctx, uint32_t piece, const ia box[2], ia *scratch, ia3 *out)
{
    const relation *r = (const relation *)ctx;
    abut_jet at;
    if (!abut_patch_jet(&r->body->patches[piece], box, 0, scratch, &at))
        return false;
    *out = ia3_sub(at.p, ia3_point(r->x));
    return true;
}

static bool count(const shells *s, size_t shell, abut_vec3 x, int *turns)
{
    const relation r = { s->body, x };
    const uint32_t n = s->first[shell + 1] - s->first[shell];
    const abut_winding_map map = { .enclose = relative,
                                   .ctx = &r,
                                   .pieces = s->patches + s->first[shell],
                                   .piece_count = n,
                                   .range = { { 0, 1 }, { 0, 1 } } };
    uint64_t cells = 6 * (each_count + 4 * (uint64_t)n);
    return abut_winding_find(&map, s->scratch, each_count + 4 * (uint64_t)n, &cells, turns);
}

/* A place on one of the patches of a shell, each try another, and the direction of u x v there. */
static bool place(const shells *s, size_t shell, int try, abut_vec3 *p, abut_vec3 *n)
{
    static const double at[3] = { 0.453125, 0.609375, 0.28125 };
    const uint32_t from = s->first[shell], many = s->first[shell + 1] - from;
    const uint32_t patch = s->patches[from + (uint32_t)((uint64_t)try * many / tries)];
    const ia box[2] = { ia_point(at[try % 3]), ia_point(at[(try + 1) % 3]) };
    abut_jet jet;
    abut_patch_jet(&s->body->patches[patch], box, 1, s->scratch, &jet);
    *p = ia3_mid(jet.p);
    const double u = fmax(ia_mag(jet.u.x), fmax(ia_mag(jet.u.y), ia_mag(jet.u.z)));
    const double v = fmax(ia_mag(jet.v.x), fmax(ia_mag(jet.v.y), ia_mag(jet.v.z)));
    if (!(u > 0) || !(v > 0) || !isfinite(u) || !isfinite(v))
        return false;
    const abut_vec3 w =
        ia3_mid(ia3_cross(ia3_scale(ia_point(1 / u), jet.u), ia3_scale(ia_point(1 / v), jet.v)));
    const double length = sqrt(w.x * w.x + w.y * w.y + w.z * w.z);
    *n = (abut_vec3){ w.x / length, w.y / length, w.z / length };
    return length > 0x1p-30;
}

static double span(ia3 a)
{
    return fmax(ia_width(a.x), fmax(ia_width(a.y), ia_width(a.z)));
}

static int sign_beside(const shells *s, size_t shell, int try)
{
    abut_vec3 p, n;
    if (!place(s, shell, try, &p, &n))
        return 0;
    for (int power = -4; power >= -24; power -= 4)
        for (int way = -1; way <= 1; way += 2) {
            const double step = way * ldexp(span(s->bounds[shell]), power);
            int turns;
            if (count(s, shell, (abut_vec3){ p.x + step * n.x, p.y + step * n.y, p.z + step * n.z },
                      &turns) &&
                turns != 0)
                return turns > 0 ? 1 : -1;
        }
    return 0;
}

static void fail(shells *s, abut_seam_trouble_kind kind, size_t shell)
{
    s->trouble = (abut_seam_trouble){ kind, s->patches[s->first[shell]] };
}

static void find_sign(shells *s, size_t shell)
{
    int decided = 0;
    for (int i = 0; i < tries && decided < 2; ++i) {
        const int here = sign_beside(s, shell, i);
        if (here == 0)
            continue;
        if (decided > 0 && here != s->sign[shell]) {
            fail(s, ABUT_SEAM_CROSSING, shell);
            return;
        }
        s->sign[shell] = (signed char)here;
        ++decided;
    }
    if (decided == 0)
        fail(s, ABUT_SEAM_FLAT, shell);
}

static bool are_apart(ia3 a, ia3 b)
{
    return ia_is_empty(ia_intersect(a.x, b.x)) || ia_is_empty(ia_intersect(a.y, b.y)) ||
           ia_is_empty(ia_intersect(a.z, b.z));
}

static void find_inside(shells *s, size_t i, size_t j)
{
    int decided = 0, where = 0;
    if (are_apart(s->bounds[i], s->bounds[j]))
        return;
    for (int k = 0; k < tries && decided < 3; ++k) {
        abut_vec3 p, n;
        int turns;
        (void)place(s, i, k, &p, &n);
        if (!count(s, j, p, &turns))
            continue;
        if (decided > 0 && (turns != 0) != where) {
            fail(s, ABUT_SEAM_CROSSING, i);
            return;
        }
        where = turns != 0;
        ++decided;
    }
    if (decided == 0)
        fail(s, ABUT_SEAM_CROSSING, i);
    s->inside[i * s->count + j] = (uint8_t)where;
}

static size_t depth_of(const shells *s, size_t i)
{
    size_t depth = 0;
    for (size_t j = 0; j < s->count; ++j)
        depth += s->inside[i * s->count + j];
    return depth;
}

static void turn_shell(shells *s, size_t i, bool *turned)
{
    const size_t depth = depth_of(s, i);
    for (size_t j = 0; j < s->count; ++j)
        if (s->inside[i * s->count + j] && depth_of(s, j) + 1 == depth && s->sign[i] == s->sign[j]) {
            fail(s, ABUT_SEAM_TWICE, i);
            return;
        }
    for (uint32_t k = s->first[i]; k < s->first[i + 1]; ++k)
        turned[s->patches[k]] = (s->sign[i] < 0) != (depth % 2 == 1);
}

static ABUT_NOINLINE void orient_kernel(shells *s, bool *turned)
{
    const ia whole[2] = { ia_make(0, 1), ia_make(0, 1) };
    for (size_t i = 0; i < s->count; ++i) {
        s->bounds[i] = (ia3){ ia_empty(), ia_empty(), ia_empty() };
        for (uint32_t k = s->first[i]; k < s->first[i + 1]; ++k) {
            abut_jet at;
            abut_patch_jet(&s->body->patches[s->patches[k]], whole, 0, s->scratch, &at);
            s->bounds[i] = ia3_hull(s->bounds[i], at.p);
        }
    }
    for (size_t i = 0; i < s->count && !s->trouble.kind; ++i)
        find_sign(s, i);
    for (size_t i = 0; i < s->count && !s->trouble.kind; ++i)
        for (size_t j = 0; j < s->count && !s->trouble.kind; ++j)
            if (j != i)
                find_inside(s, i, j);
    for (size_t i = 0; i < s->count && !s->trouble.kind; ++i)
        turn_shell(s, i, turned);
}

/* Patches by shells. */
static void sort_patches(const abut_patches_body *body, uint32_t *first, uint32_t *patches)
{
    const size_t n = body->patch_count;
    memset(first, 0, (body->shell_count + 2) * sizeof *first);
    for (size_t i = 0; i < n; ++i)
        ++first[body->shell[i] + 2];
    for (size_t i = 2; i < body->shell_count + 2; ++i)
        first[i] += first[i - 1];
    for (size_t i = 0; i < n; ++i)
        patches[first[body->shell[i] + 1]++] = (uint32_t)i;
}

abut_status abut_patches_orient(abut_patches_body *body, ia *scratch, abut_workspace *temporary,
                                abut_seam_trouble *trouble)
{
    const size_t n = body->shell_count;
    if (n > most_shells) {
        *trouble = (abut_seam_trouble){ ABUT_SEAM_MANY, 0 };
        return ABUT_OK;
    }
    uint32_t *first = abut_workspace_take(temporary, n + 2, sizeof *first);
    uint32_t *patches = abut_workspace_take(temporary, body->patch_count, sizeof *patches);
    shells s = { .body = body, .first = first, .patches = patches, .count = n, .scratch = scratch };
    s.bounds = abut_workspace_take(temporary, n, sizeof *s.bounds);
    s.sign = abut_workspace_take(temporary, n, sizeof *s.sign);
    s.inside = abut_workspace_take(temporary, n * n, sizeof *s.inside);
    if (!first || !patches || !s.bounds || !s.sign || !s.inside)
        return ABUT_ERR_MEMORY;
    memset(s.inside, 0, n * n);
    sort_patches(body, first, patches);
    const abut_rounding saved = abut_rounding_enter();
    orient_kernel(&s, body->turned);
    abut_rounding_leave(saved);
    *trouble = s.trouble;
    return ABUT_OK;
}
