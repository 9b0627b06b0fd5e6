/* SPDX-License-Identifier: MIT */
/* Point-in-face test: the number of times that a path on the surface, from the point to a place
 * where it is known, crosses the loops (Schoemer, Reichel, Warken 2002, section 2, with parity in
 * place of the first hit).
 *
 * Paths are chosen so that crossing them is a matter of linear functions of the coordinates, which
 * boxes of pieces of edges bound: on a plane a line; on cylinders and cones a generator, away from
 * the apex, to infinity; on spheres and ellipsoids a meridian to the pole; on a torus a meridian to
 * a parallel near the outer equator, and then along that. A piece whose box is all beyond the start counts by the
 * signs at its ends alone, whatever it does between them; one whose box is not is halved. So any
 * curve with boxes will do, no equation is solved, and what is not decided is within rounding (or
 * the tolerance) of the path's start, or of a pole. */
#include "solid/trim.h"
#include "math/vec3.h"
#include "solid/curve.h"

#include <inttypes.h>

/* A linear function of the coordinates. */
typedef struct form {
    abut_vec3 g;
    double c;
} form;

/* A leg of a path: crossings are sign changes of `across` where all of `side` are positive. Where
 * ring is positive, only crossings at least that far from the axis count. */
typedef struct leg {
    form across, side[3];
    int sides;
    double ring;
    abut_vec3 o, z;
} leg;

static double value(const form *f, abut_vec3 p)
{
    return abut_dot(f->g, p) + f->c;
}

static double spread(const form *f, const abut_cell *cell)
{
    return fabs(abut_dot(f->g, cell->axis[0])) * cell->half[0] +
           fabs(abut_dot(f->g, cell->axis[1])) * cell->half[1] +
           fabs(abut_dot(f->g, cell->axis[2])) * cell->half[2];
}

enum { DEPTH = 48 };

/* A few pieces of an edge in a ball: traced intersections have hundreds. */
typedef struct abut_piece_group {
    abut_vec3 center;
    double radius;
    size_t first, end;
} abut_piece_group;

enum { GROUP = 12 };

static bool make_groups(abut_solid *solid, abut_workspace *keep)
{
    const size_t edges = solid->def.edge_count;
    size_t count = 0;
    for (size_t i = 0; i < edges; ++i)
        count += (solid->piece_starts[i + 1] - solid->piece_starts[i] + GROUP - 1) / GROUP;
    solid->groups = abut_workspace_take(keep, count + 1, sizeof *solid->groups);
    solid->group_starts = abut_workspace_take(keep, edges + 1, sizeof *solid->group_starts);
    if (!solid->groups || !solid->group_starts)
        return false;
    count = 0;
    for (size_t i = 0; i < edges; ++i) {
        solid->group_starts[i] = count;
        for (size_t j = solid->piece_starts[i]; j < solid->piece_starts[i + 1]; j += GROUP) {
            abut_piece_group *g = &solid->groups[count++];
            const size_t end = solid->piece_starts[i + 1];
            *g = (abut_piece_group){ .first = j, .end = j + GROUP < end ? j + GROUP : end };
            g->center = solid->piece_cells[j + (g->end - j) / 2].center;
            for (size_t k = j; k < g->end; ++k) {
                const abut_cell *cell = &solid->piece_cells[k];
                g->radius = fmax(g->radius, abut_length(abut_sub(cell->center, g->center)) + cell->radius);
            }
            g->radius *= 1 + 0x1p-40;
        }
    }
    solid->group_starts[edges] = count;
    return true;
}

/* May a piece of the group cross the leg? */
static bool may_cross(const leg *l, const abut_piece_group *g)
{
    if (fabs(value(&l->across, g->center)) > g->radius * abut_length(l->across.g))
        return false;
    for (int i = 0; i < l->sides; ++i)
        if (value(&l->side[i], g->center) < -g->radius * abut_length(l->side[i].g))
            return false;
    return true;
}

/* 1 or 0 crossings modulo 2; -1 unknown. `ends` are the ends of the piece. */
static int count(const leg *l, const abut_part *part, const abut_cell *cell, abut_vec3 from, abut_vec3 to,
                 double slack, int depth) // NOLINT(misc-no-recursion)
{
    if (fabs(value(&l->across, cell->center)) > spread(&l->across, cell))
        return 0;
    bool clear = true;
    for (int i = 0; i < l->sides; ++i) {
        const double at = value(&l->side[i], cell->center), wide = spread(&l->side[i], cell);
        if (at < -wide)
            return 0;
        clear = clear && at > wide;
    }
    if (l->ring > 0) {
        abut_vec3 d = abut_sub(cell->center, l->o);
        d = abut_madd(d, -abut_dot(d, l->z), l->z);
        const double q = sqrt(abut_dot(d, d));
        if (q + cell->radius < l->ring)
            return 0;
        clear = clear && q - cell->radius > l->ring;
    }
    if (clear)
        return (value(&l->across, from) < 0) != (value(&l->across, to) < 0);
    /* No box gets smaller than what it is widened by. */
    const double least = slack + (part->kind == ABUT_CELL_CUBIC ? part->radius : 0);
    if (depth == 0 || cell->radius < 4 * least || part->kind == ABUT_CELL_POINT)
        return -1;
    abut_cell halves[2];
    abut_cell_split(part, cell, halves);
    abut_cell_fit(part, slack, &halves[0]);
    abut_cell_fit(part, slack, &halves[1]);
    const int a = count(l, part, &halves[0], from, cell->sample, slack, depth - 1);
    if (a < 0)
        return -1;
    const int b = count(l, part, &halves[1], cell->sample, to, slack, depth - 1);
    return b < 0 ? -1 : a ^ b;
}

static int count_leg(const abut_solid *solid, uint32_t face, const leg *l)
{
    const abut_solid_face *f = &solid->def.faces[face];
    const double slack = solid->tolerance + ABUT_CELL_SLACK * solid->features.scale;
    int parity = 0;
    for (size_t k = 0; k < f->loop_count; ++k)
        for (size_t i = 0; i < f->loops[k].count; ++i) {
            const uint32_t edge = f->loops[k].coedges[i].edge;
            for (size_t g = solid->group_starts[edge]; g < solid->group_starts[edge + 1]; ++g) {
                const abut_piece_group *group = &solid->groups[g];
                if (!may_cross(l, group))
                    continue;
                for (size_t j = group->first; j < group->end; ++j) {
                    const abut_part *p = &solid->pieces[j];
                    const int n =
                        count(l, p, &solid->piece_cells[j], p->points[0], p->points[3], slack, DEPTH);
                    if (n < 0)
                        return -1;
                    parity ^= n;
                }
            }
        }
    return parity;
}

/* a x + b y + c z of the part's coordinates, plus d. */
static form local_form(const abut_part *p, double a, double b, double c, double d)
{
    const abut_vec3 s = p->kind == ABUT_CELL_ELLIPSOID ? p->radii : abut_v3(1, 1, 1);
    form f;
    f.g = abut_add(abut_add(abut_scale(a / s.x, p->x), abut_scale(b / s.y, p->y)), abut_scale(c / s.z, p->z));
    f.c = d - abut_dot(f.g, p->o);
    return f;
}

/* Parity of the whole path from p to the reference. */
static int path(const abut_solid *solid, uint32_t face, abut_vec3 at)
{
    const abut_part *p = &solid->features.parts[face];
    const abut_vec3 d = abut_sub(at, p->o);
    double x = abut_dot(d, p->x), y = abut_dot(d, p->y), z = abut_dot(d, p->z);
    if (p->kind == ABUT_CELL_PLANE || p->kind == ABUT_CELL_GRAPH) {
        const leg l = { .across = local_form(p, 0, 1, 0, -y),
                        .side = { local_form(p, 1, 0, 0, -x) },
                        .sides = 1 };
        return count_leg(solid, face, &l);
    }
    if (p->kind == ABUT_CELL_ELLIPSOID) {
        x /= p->radii.x;
        y /= p->radii.y;
        z /= p->radii.z;
    }
    const double q = sqrt(x * x + y * y), c = q > 0 ? x / q : 1, s = q > 0 ? y / q : 0;
    leg l = { .across = local_form(p, -s, c, 0, 0),
              .side = { local_form(p, c, s, 0, 0), local_form(p, 0, 0, 1, -z) },
              .sides = 2 };
    if (p->kind != ABUT_CELL_TORUS || p->major == 0)
        return count_leg(solid, face, &l);
    /* To a parallel between the outer equator and the top, where no edge is likely to run: between the
     * directions of the point and of the parallel, seen from the main circle, on the half-plane's side of
     * the axis. A torus that crosses its axis has only the parallels of its sheet; where that is the outer
     * one, the parallel is nearer to the equator than the tips are to the inner one, so that all of the
     * sheet is within half a turn of it. */
    double cb = 0.5 * (1 + fmax(p->b.cos_half, 0.8828125));
    if (p->b.cos_half > -1 && p->b.cos_half < 0)
        cb = fmax(cb, sqrt(0.5 * (1 - p->b.cos_half)));
    const double sb = sqrt((1 - cb) * (1 + cb));
    const double w = q - p->major, up = cb * z - sb * w >= 0 ? 1 : -1;
    l.side[1] = local_form(p, -up * sb * c, -up * sb * s, up * cb, up * sb * p->major);
    l.side[2] = local_form(p, up * z * c, up * z * s, -up * w, -up * z * p->major);
    l.sides = 3;
    const int a = count_leg(solid, face, &l);
    /* Then along the parallel to the x axis, the shorter way. */
    const double turn = y >= 0 ? 1 : -1;
    const leg equator = { .across = local_form(p, 0, 0, 1, -p->radius * sb),
                          .side = { local_form(p, 0, turn, 0, 0), local_form(p, turn * s, -turn * c, 0, 0) },
                          .sides = 2,
                          .ring = p->major,
                          .o = p->o,
                          .z = p->z };
    const int b = a < 0 ? -1 : count_leg(solid, face, &equator);
    return b < 0 ? -1 : a ^ b;
}

int abut_trim_contains(const abut_solid *solid, uint32_t face, abut_vec3 p)
{
    if (solid->def.faces[face].loop_count == 0)
        return 1;
    const int parity = path(solid, face, p);
    return parity < 0 ? -1 : parity ^ solid->reference[face];
}

static double box_distance(const abut_cell *cell, abut_vec3 p)
{
    const abut_vec3 d = abut_sub(p, cell->center);
    double square = 0;
    for (int n = 0; n < 3; ++n) {
        const double out = fmax(0, fabs(abut_dot(d, cell->axis[n])) - cell->half[n]);
        square += out * out;
    }
    return sqrt(square);
}

/* Lower bound of the distance of p from a piece, or `least` where that is less: from boxes that are
 * halved until they are small against it. */
static double curve_clearance(const abut_part *part, const abut_cell *cell, abut_vec3 p, double slack,
                              double least, int depth) // NOLINT(misc-no-recursion)
{
    const double away = box_distance(cell, p);
    if (away >= least)
        return least;
    const double width = slack + (part->kind == ABUT_CELL_CUBIC ? part->radius : 0);
    if (depth == 0 || cell->radius <= away || cell->radius < 4 * width)
        return away;
    abut_cell halves[2];
    abut_cell_split(part, cell, halves);
    abut_cell_fit(part, slack, &halves[0]);
    abut_cell_fit(part, slack, &halves[1]);
    const int first = box_distance(&halves[1], p) < box_distance(&halves[0], p);
    least = curve_clearance(part, &halves[first], p, slack, least, depth - 1);
    return curve_clearance(part, &halves[1 - first], p, slack, least, depth - 1);
}

/* The same for any piece. */
static double piece_clearance(const abut_part *part, const abut_cell *cell, abut_vec3 p, double slack,
                              double least)
{
    if (part->kind == ABUT_CELL_SEGMENT || part->kind == ABUT_CELL_ARC) {
        const abut_vec3 d = abut_sub(abut_cell_project(part, cell, p), p);
        return fmin(least, sqrt(abut_dot(d, d)));
    }
    return curve_clearance(part, cell, p, slack, least, 40);
}

/* But for the pieces from `skip` to `last`. */
static double clearance(const abut_solid *solid, uint32_t face, abut_vec3 p, size_t skip, size_t last)
{
    const abut_solid_face *f = &solid->def.faces[face];
    double least = INFINITY;
    for (size_t k = 0; k < f->loop_count; ++k)
        for (size_t i = 0; i < f->loops[k].count; ++i) {
            const uint32_t edge = f->loops[k].coedges[i].edge;
            for (size_t g = solid->group_starts[edge]; g < solid->group_starts[edge + 1]; ++g) {
                const abut_piece_group *group = &solid->groups[g];
                if (abut_length(abut_sub(p, group->center)) - group->radius >= least)
                    continue;
                for (size_t j = group->first; j < group->end; ++j)
                    if (j < skip || j > last)
                        least = piece_clearance(&solid->pieces[j], &solid->piece_cells[j], p,
                                                solid->tolerance, least);
            }
        }
    return least - 2 * solid->tolerance;
}

double abut_trim_clearance(const abut_solid *solid, uint32_t face, abut_vec3 p)
{
    return clearance(solid, face, p, 1, 0);
}

/* ---- what a face spans ---- */

enum { SECTORS = 64 };

typedef struct sectors {
    bool used[SECTORS];
} sectors;

static const double whole_turn = 6.28318530717958648;

static void mark(sectors *s, double angle, double half)
{
    const double width = whole_turn / SECTORS;
    const int from = (int)floor((angle - half) / width) - 1, to = (int)floor((angle + half) / width) + 1;
    for (int i = from; i <= to && i < from + SECTORS; ++i)
        s->used[((i % SECTORS) + SECTORS) % SECTORS] = true;
}

static void mark_all(sectors *s)
{
    for (int i = 0; i < SECTORS; ++i)
        s->used[i] = true;
}

/* Sectors about the axis, or of the section circle, that a piece may enter. */
static void mark_piece(const abut_part *torus, const abut_part *piece, const abut_cell *cell, bool section,
                       double slack, int depth, sectors *s) // NOLINT(misc-no-recursion)
{
    const abut_vec3 d = abut_sub(cell->center, torus->o);
    const double x = abut_dot(d, torus->x), y = abut_dot(d, torus->y), z = abut_dot(d, torus->z);
    const double q = sqrt(x * x + y * y), u = section ? q - torus->major : x, v = section ? z : y;
    const double away = sqrt(u * u + v * v);
    if (cell->radius < 0.1 * away) {
        mark(s, atan2(v, u), 1.1 * cell->radius / away);
        return;
    }
    if (depth == 0) {
        mark_all(s);
        return;
    }
    abut_cell halves[2];
    abut_cell_split(piece, cell, halves);
    for (int i = 0; i < 2; ++i) {
        abut_cell_fit(piece, slack, &halves[i]);
        mark_piece(torus, piece, &halves[i], section, slack, depth - 1, s);
    }
}

/* The least range that holds all sectors in use, or the given one. */
static abut_arc_range range_of(const sectors *s, abut_arc_range given)
{
    int most = 0, end = 0, run = 0;
    for (int i = 0; i < 2 * SECTORS; ++i) {
        run = s->used[i % SECTORS] ? 0 : run + 1;
        if (run > most && run <= SECTORS) {
            most = run;
            end = i;
        }
    }
    if (most < 2)
        return given;
    const double width = whole_turn / SECTORS, half = 0.5 * width * (SECTORS - most) + 1e-9;
    const double middle = width * (end + 1) + half;
    return (abut_arc_range){ cos(middle), sin(middle), cos(half), sin(half) };
}

/* A sector that no edge enters is all in the face or all out of it. */
static abut_arc_range span_of(const abut_solid *solid, uint32_t face, bool section)
{
    const abut_part *p = &solid->features.parts[face];
    const abut_solid_face *f = &solid->def.faces[face];
    const double slack = solid->tolerance + ABUT_CELL_SLACK * solid->features.scale;
    sectors s = { { false } };
    for (size_t k = 0; k < f->loop_count; ++k)
        for (size_t i = 0; i < f->loops[k].count; ++i) {
            const uint32_t edge = f->loops[k].coedges[i].edge;
            for (size_t j = solid->piece_starts[edge]; j < solid->piece_starts[edge + 1]; ++j)
                mark_piece(p, &solid->pieces[j], &solid->piece_cells[j], section, slack, 12, &s);
        }
    for (int i = 0; i < SECTORS; ++i) {
        if (s.used[i])
            continue;
        const double angle = whole_turn * (i + 0.5) / SECTORS, c = cos(angle), t = sin(angle);
        const double a[2] = { section ? p->a.c : c, section ? p->a.s : t },
                     b[2] = { section ? c : p->b.c, section ? t : p->b.s };
        const double q = p->major + p->radius * b[0];
        const abut_vec3 at =
            abut_madd(abut_madd(abut_madd(p->o, q * a[0], p->x), q * a[1], p->y), p->radius * b[1], p->z);
        s.used[i] = q < 0 || abut_trim_contains(solid, face, at) != 0;
    }
    return range_of(&s, section ? p->b : p->a);
}

bool abut_trim_spans(abut_solid *solid, abut_workspace *keep)
{
    solid->spans = abut_workspace_take(keep, solid->def.face_count, sizeof *solid->spans);
    if (!solid->spans)
        return false;
    for (uint32_t i = 0; i < solid->def.face_count; ++i) {
        const abut_part *p = &solid->features.parts[i];
        solid->spans[i] = (abut_span){ p->a, p->b };
        if (p->kind != ABUT_CELL_TORUS || !solid->def.faces[i].loop_count)
            continue;
        solid->spans[i].a = span_of(solid, i, false);
        /* The section circles of spheres end at the poles, those of tori that cross their axis there. */
        if (p->b.cos_half <= -1)
            solid->spans[i].b = span_of(solid, i, true);
    }
    return true;
}

/* Does the cubic run along t at all of its points? Its derivative is a mean of the legs of its polygon. */
static bool runs_along(const abut_part *piece, abut_vec3 t)
{
    if (piece->kind != ABUT_CELL_CUBIC)
        return false;
    for (int i = 0; i < 3; ++i) {
        const abut_vec3 step = abut_sub(piece->points[i + 1], piece->points[i]);
        if (!(abut_dot(step, t) > 0.5 * abut_length(step)))
            return false;
    }
    return true;
}

/* Points a little to the left of an edge must be in the face, where no other piece of an edge is as near: -1
 * where one is, or where it is not decided. */
static int vote(const abut_solid *solid, uint32_t face, abut_solid_coedge c, double step)
{
    const abut_part *part = &solid->features.parts[face];
    const size_t begin = solid->piece_starts[c.edge], end = solid->piece_starts[c.edge + 1];
    const size_t j = begin + (end - begin) / 2;
    abut_vec3 tangent;
    const abut_vec3 at = abut_piece_at(&solid->pieces[j], 0.4375, &tangent);
    const abut_vec3 n = abut_part_normal(part, at), t = abut_unit_or(abut_scale(c.sense, tangent), n);
    abut_cell root;
    abut_cell_root(part, face, 0, &root);
    const abut_vec3 p = abut_cell_project(part, &root, abut_madd(at, step, abut_cross(n, t)));
    /* Pieces that run on from this one in nearly its direction do not come back to it. */
    const abut_vec3 on = abut_unit_or(tangent, n);
    size_t skip = j, last = j;
    while (skip > begin && runs_along(&solid->pieces[skip - 1], on))
        --skip;
    while (last + 1 < end && runs_along(&solid->pieces[last + 1], on))
        ++last;
    if (!(clearance(solid, face, p, skip, last) > 1.01 * abut_length(abut_sub(p, at))))
        return -1;
    return path(solid, face, p);
}

abut_status abut_trim_prepare(abut_solid *solid, abut_workspace *keep, abut_error *error)
{
    const abut_solid_def *def = &solid->def;
    solid->reference = abut_workspace_take(keep, def->face_count, sizeof *solid->reference);
    if (!solid->reference || !make_groups(solid, keep))
        return abut_base_fail_memory(error);
    for (uint32_t i = 0; i < def->face_count; ++i) {
        const abut_solid_face *f = &def->faces[i];
        const abut_cell_kind kind = solid->features.parts[i].kind;
        const bool closed = kind == ABUT_CELL_TORUS || kind == ABUT_CELL_ELLIPSOID;
        int found = closed ? -1 : 0;
        solid->reference[i] = 0;
        for (size_t k = 0; k < f->loop_count; ++k)
            for (size_t e = 0; e < f->loops[k].count; ++e) {
                const uint32_t edge = f->loops[k].coedges[e].edge;
                const abut_cell *cell = &solid->piece_cells[solid->piece_starts[edge]];
                int said = -1;
                /* A step small against the edge: the first one that is decided. */
                for (double step = 1e-4; said < 0 && step > 1e-7; step *= 0.1)
                    said = vote(solid, i, f->loops[k].coedges[e],
                                fmax(step * cell->radius, 16 * solid->tolerance));
                if (said < 0)
                    continue;
                if (found < 0)
                    found = 1 ^ said;
                if (found != (1 ^ said))
                    return abut_base_fail(
                        error, ABUT_ERR_VALUE, i,
                        "face %" PRIu32 " is not on the left of edge %" PRIu32
                        " in loop %zu, seen from outside: a loop runs the wrong way, or \"outward\" is wrong",
                        i, edge, k);
            }
        if (f->loop_count && found < 0)
            return abut_base_fail(error, ABUT_ERR_VALUE, i,
                                  "face %" PRIu32 ": it cannot be said which side of its loops is inside", i);
        solid->reference[i] = (unsigned char)(found > 0);
    }
    return ABUT_OK;
}
