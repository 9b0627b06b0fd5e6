/* SPDX-License-Identifier: MIT */
/* Triangles as a picture: perspective, a depth buffer, three by three samples a pixel, smooth
 * normals, soft shadows from a shadow map, creases and outlines as thin lines.
 *
 * The picture is made in bands of rows, so that memory stays small for any size. A sample keeps its
 * depth, its figure and its normal; colours come last (deferred shading). Depth is stored as its
 * inverse, which is linear on the picture, so that interpolation is right in perspective. */
#include "picture/picture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { SAMPLES = 3, BAND = 48, SHADOW = 1536, INK = 0x8000, NOTHING = 0x7fff, MOST_FIGURES = 0x7ff0 };

typedef struct eye {
    abut_vec3 at, right, up, away;
    double focus; /* picture heights over distance, in samples */
    double cx, cy;
} eye;

/* A vertex on the picture: samples, and 1 / distance (0: behind the eye). */
typedef struct seen {
    double x, y, inverse;
} seen;

typedef struct raster {
    const cli_figure *figures;
    size_t figure_count;
    seen **vertices; /* of each figure */
    eye eye;
    int width, height; /* in samples */
    double size;       /* of what is drawn */
    bool dark;
    /* the band */
    int top, rows;
    float *depth;
    uint16_t *figure;
    int16_t (*normal)[3];
    /* shadows */
    abut_vec3 light, light_x, light_y, light_origin;
    double light_scale;
    float *shadow;
} raster;

static abut_vec3 v3(double x, double y, double z)
{
    return (abut_vec3){ x, y, z };
}

static abut_vec3 plus(abut_vec3 a, double s, abut_vec3 b)
{
    return v3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static double dot(abut_vec3 a, abut_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static abut_vec3 cross(abut_vec3 a, abut_vec3 b)
{
    return v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

static abut_vec3 unit(abut_vec3 a)
{
    const double length = sqrt(dot(a, a));
    return length > 0 ? plus(v3(0, 0, 0), 1 / length, a) : v3(0, 0, 1);
}

/* ---- the eye ---- */

static seen project(const eye *e, abut_vec3 p)
{
    const abut_vec3 d = plus(p, -1, e->at);
    const double z = dot(d, e->away);
    if (!(z > 1e-6 * e->focus * FLT_MIN) || !(z > 0))
        return (seen){ 0, 0, 0 };
    return (seen){ e->cx + e->focus * dot(d, e->right) / z, e->cy - e->focus * dot(d, e->up) / z, 1 / z };
}

/* Calls for every vertex of the figures that count for the size. */
typedef struct extent {
    double x[2], y[2], back; /* tangents of what is seen; how far the eye must be */
} extent;

static bool counts(const raster *r, const cli_figure *f)
{
    if (!f->endless)
        return true;
    for (size_t i = 0; i < r->figure_count; ++i)
        if (!r->figures[i].endless)
            return false;
    return true;
}

static void choose_eye(raster *r, const cli_camera *camera)
{
    const double degree = 0.017453292519943295, fov = 28 * degree;
    const double az = camera->azimuth * degree, el = camera->elevation * degree;
    eye *const e = &r->eye;
    e->away = v3(-cos(el) * cos(az), -cos(el) * sin(az), -sin(el));
    e->right = fabs(camera->elevation) > 89.9 ? v3(-sin(az), cos(az), 0) : unit(cross(e->away, v3(0, 0, 1)));
    e->up = cross(e->right, e->away);
    abut_aabb box = cli_look_no_box();
    for (size_t i = 0; i < r->figure_count; ++i)
        if (counts(r, &r->figures[i]))
            cli_look_widen(&box, &r->figures[i].mesh, &r->figures[i].at);
    box = cli_look_window(box);
    abut_vec3 centre =
        v3(0.5 * (box.lo.x + box.hi.x), 0.5 * (box.lo.y + box.hi.y), 0.5 * (box.lo.z + box.hi.z));
    const abut_vec3 half = plus(box.hi, -1, centre);
    r->size = sqrt(dot(half, half));
    const double tan_y = tan(0.5 * fov) * 0.9, tan_x = tan_y * r->width / r->height;
    double back = 3 * r->size;
    for (int turn = 0; turn < 4; ++turn) {
        /* the distance from which all is in sight, then the middle of what is seen from there */
        double need = 0, lo[2] = { INFINITY, INFINITY }, hi[2] = { -INFINITY, -INFINITY };
        for (size_t i = 0; i < r->figure_count; ++i) {
            const cli_figure *const f = &r->figures[i];
            for (size_t k = 0; counts(r, f) && k < f->mesh.vertex_count; ++k) {
                const abut_vec3 d = plus(cli_look_apply(&f->at, f->mesh.vertices[k]), -1, centre);
                const double x = dot(d, e->right), y = dot(d, e->up), z = dot(d, e->away);
                need = fmax(need, fmax(fabs(x) / tan_x, fabs(y) / tan_y) - z);
                const double px = x / (back + z), py = y / (back + z);
                lo[0] = fmin(lo[0], px), hi[0] = fmax(hi[0], px);
                lo[1] = fmin(lo[1], py), hi[1] = fmax(hi[1], py);
            }
        }
        if (!(lo[0] <= hi[0]))
            break;
        if (turn < 3) {
            centre = plus(centre, 0.5 * (lo[0] + hi[0]) * back, e->right);
            centre = plus(centre, 0.5 * (lo[1] + hi[1]) * back, e->up);
        }
        back = fmax(need, 1e-3 * r->size);
    }
    back = fmax(back / camera->zoom, 1e-3 * r->size);
    e->at = plus(centre, -back, e->away);
    e->focus = 0.5 * r->height / tan(0.5 * fov);
    e->cx = 0.5 * r->width;
    e->cy = 0.5 * r->height;
}

/* ---- filling triangles ---- */

static double edge_side(const seen *a, const seen *b, double x, double y)
{
    return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

typedef struct corner {
    seen at;
    abut_vec3 normal; /* in the world */
} corner;

static void fill(raster *r, const corner c[3], uint16_t figure, bool outside_only, bool two_sided)
{
    const seen *a = &c[0].at, *b = &c[1].at, *d = &c[2].at;
    if (a->inverse == 0 || b->inverse == 0 || d->inverse == 0)
        return;
    const double area = edge_side(a, b, d->x, d->y);
    /* y runs down on the picture: counter-clockwise from outside is negative. */
    if (area == 0 || (outside_only && area > 0))
        return;
    const double lo_x = fmin(a->x, fmin(b->x, d->x)), hi_x = fmax(a->x, fmax(b->x, d->x));
    const double lo_y = fmin(a->y, fmin(b->y, d->y)), hi_y = fmax(a->y, fmax(b->y, d->y));
    const int x0 = (int)fmax(ceil(lo_x - 0.5), 0), x1 = (int)fmin(floor(hi_x - 0.5), r->width - 1);
    const int y0 = (int)fmax(ceil(lo_y - 0.5), r->top),
              y1 = (int)fmin(floor(hi_y - 0.5), r->top + r->rows - 1);
    const float flip = two_sided && area > 0 ? -1 : 1;
    for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x) {
            const double px = x + 0.5, py = y + 0.5;
            const double wa = edge_side(b, d, px, py) / area, wb = edge_side(d, a, px, py) / area;
            const double wc = 1 - wa - wb;
            if (wa < 0 || wb < 0 || wc < 0)
                continue;
            const float inverse = (float)(wa * a->inverse + wb * b->inverse + wc * d->inverse);
            const size_t at = (size_t)(y - r->top) * (size_t)r->width + (size_t)x;
            if (!(inverse > r->depth[at]))
                continue;
            r->depth[at] = inverse;
            r->figure[at] = figure;
            const double pa = wa * a->inverse, pb = wb * b->inverse, pc = wc * d->inverse;
            const abut_vec3 n =
                unit(plus(plus(plus(v3(0, 0, 0), pa, c[0].normal), pb, c[1].normal), pc, c[2].normal));
            r->normal[at][0] = (int16_t)lrint(32767 * flip * n.x);
            r->normal[at][1] = (int16_t)lrint(32767 * flip * n.y);
            r->normal[at][2] = (int16_t)lrint(32767 * flip * n.z);
        }
}

/* A thin line over what is no nearer than it. */
static void line(raster *r, seen a, seen b, double half_width)
{
    if (a.inverse == 0 || b.inverse == 0)
        return;
    const double dx = b.x - a.x, dy = b.y - a.y, length2 = dx * dx + dy * dy;
    const int y0 = (int)fmax(fmin(a.y, b.y) - half_width, r->top);
    const int y1 = (int)fmin(fmax(a.y, b.y) + half_width, r->top + r->rows - 1);
    for (int y = y0; y <= y1; ++y) {
        /* the stretch of the line that comes near this row */
        double lo = fmin(a.x, b.x), hi = fmax(a.x, b.x);
        if (fabs(dy) > 1e-9) {
            const double s0 = (y - half_width - a.y) / dy, s1 = (y + 1 + half_width - a.y) / dy;
            const double from = fmax(fmin(s0, s1), 0), to = fmin(fmax(s0, s1), 1);
            lo = fmin(a.x + from * dx, a.x + to * dx);
            hi = fmax(a.x + from * dx, a.x + to * dx);
        }
        const int x0 = (int)fmax(lo - half_width, 0), x1 = (int)fmin(hi + half_width, r->width - 1);
        for (int x = x0; x <= x1; ++x) {
            const double px = x + 0.5 - a.x, py = y + 0.5 - a.y;
            const double s = length2 > 0 ? fmin(fmax((px * dx + py * dy) / length2, 0), 1) : 0;
            const double ex = px - s * dx, ey = py - s * dy;
            if (ex * ex + ey * ey > half_width * half_width)
                continue;
            const double inverse = a.inverse + s * (b.inverse - a.inverse);
            const size_t at = (size_t)(y - r->top) * (size_t)r->width + (size_t)x;
            /* a little nearer to the eye than the faces that it joins */
            if (1 / inverse - 0.004 * r->size < 1 / (double)r->depth[at] && r->figure[at] != NOTHING)
                r->figure[at] |= INK;
        }
    }
}

static abut_vec3 turned(const abut_affine *at, abut_vec3 n)
{
    const double(*m)[3] = at->linear.m;
    /* Cofactors: normals of affine placements as well. */
    return v3((m[1][1] * m[2][2] - m[1][2] * m[2][1]) * n.x + (m[1][2] * m[2][0] - m[1][0] * m[2][2]) * n.y +
                  (m[1][0] * m[2][1] - m[1][1] * m[2][0]) * n.z,
              (m[2][1] * m[0][2] - m[2][2] * m[0][1]) * n.x + (m[2][2] * m[0][0] - m[2][0] * m[0][2]) * n.y +
                  (m[2][0] * m[0][1] - m[2][1] * m[0][0]) * n.z,
              (m[0][1] * m[1][2] - m[0][2] * m[1][1]) * n.x + (m[0][2] * m[1][0] - m[0][0] * m[1][2]) * n.y +
                  (m[0][0] * m[1][1] - m[0][1] * m[1][0]) * n.z);
}

static void fill_band(raster *r)
{
    for (size_t i = 0; i < (size_t)r->rows * (size_t)r->width; ++i) {
        r->depth[i] = 0;
        r->figure[i] = NOTHING;
    }
    for (size_t i = 0; i < r->figure_count; ++i) {
        const cli_figure *const f = &r->figures[i];
        const seen *const v = r->vertices[i];
        for (size_t k = 0; k < f->mesh.triangle_count; ++k) {
            const uint32_t *const t = f->mesh.triangles + 3 * k;
            const double lo = fmin(v[t[0]].y, fmin(v[t[1]].y, v[t[2]].y));
            const double hi = fmax(v[t[0]].y, fmax(v[t[1]].y, v[t[2]].y));
            if (hi < r->top || lo > r->top + r->rows)
                continue;
            corner c[3];
            for (int j = 0; j < 3; ++j)
                c[j] = (corner){ v[t[j]], unit(turned(&f->at, f->mesh.normals[t[j]])) };
            fill(r, c, (uint16_t)i, f->endless || f->mesh.solid, !f->mesh.solid);
        }
    }
    for (size_t i = 0; i < r->figure_count; ++i) {
        const cli_figure *const f = &r->figures[i];
        for (size_t k = 0; k < f->mesh.edge_count; ++k)
            line(r, r->vertices[i][f->mesh.edges[2 * k]], r->vertices[i][f->mesh.edges[2 * k + 1]],
                 f->mesh.triangle_count == 0 ? 1.2 * SAMPLES : 0.33 * SAMPLES);
    }
}

/* ---- shadows ---- */

static void light_place(const raster *r, abut_vec3 p, double out[3])
{
    const abut_vec3 d = plus(p, -1, r->light_origin);
    out[0] = (dot(d, r->light_x) * r->light_scale + 0.5) * SHADOW;
    out[1] = (dot(d, r->light_y) * r->light_scale + 0.5) * SHADOW;
    out[2] = dot(d, r->light);
}

static void shadow_triangle(raster *r, const double p[3][3])
{
    const double area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    if (area == 0)
        return;
    const int x0 = (int)fmax(fmin(p[0][0], fmin(p[1][0], p[2][0])) - 0.5, 0);
    const int x1 = (int)fmin(fmax(p[0][0], fmax(p[1][0], p[2][0])), SHADOW - 1);
    const int y0 = (int)fmax(fmin(p[0][1], fmin(p[1][1], p[2][1])) - 0.5, 0);
    const int y1 = (int)fmin(fmax(p[0][1], fmax(p[1][1], p[2][1])), SHADOW - 1);
    for (int y = y0; y <= y1; ++y)
        for (int x = x0; x <= x1; ++x) {
            const double px = x + 0.5, py = y + 0.5;
            const double wa = ((p[1][0] - px) * (p[2][1] - py) - (p[1][1] - py) * (p[2][0] - px)) / area;
            const double wb = ((p[2][0] - px) * (p[0][1] - py) - (p[2][1] - py) * (p[0][0] - px)) / area;
            if (wa < 0 || wb < 0 || wa + wb > 1)
                continue;
            const float z = (float)(wa * p[0][2] + wb * p[1][2] + (1 - wa - wb) * p[2][2]);
            float *const at = &r->shadow[(size_t)y * SHADOW + (size_t)x];
            *at = z > *at ? z : *at; /* nearer to the light */
        }
}

static void cast_shadows(raster *r)
{
    abut_aabb box = cli_look_no_box();
    for (size_t i = 0; i < r->figure_count; ++i)
        if (!r->figures[i].endless)
            cli_look_widen(&box, &r->figures[i].mesh, &r->figures[i].at);
    box = cli_look_window(box);
    r->light_origin =
        v3(0.5 * (box.lo.x + box.hi.x), 0.5 * (box.lo.y + box.hi.y), 0.5 * (box.lo.z + box.hi.z));
    const abut_vec3 half = plus(box.hi, -1, r->light_origin);
    r->light_scale = 0.5 / (1.02 * sqrt(dot(half, half)));
    for (size_t i = 0; i < (size_t)SHADOW * SHADOW; ++i)
        r->shadow[i] = -FLT_MAX;
    for (size_t i = 0; i < r->figure_count; ++i) {
        const cli_figure *const f = &r->figures[i];
        for (size_t k = 0; !f->endless && k < f->mesh.triangle_count; ++k) {
            double p[3][3];
            for (int j = 0; j < 3; ++j)
                light_place(r, cli_look_apply(&f->at, f->mesh.vertices[f->mesh.triangles[3 * k + (size_t)j]]),
                            p[j]);
            shadow_triangle(r, (const double(*)[3])p);
        }
    }
}

/* Share of the light that reaches the point; the taps turn with the sample, so that the samples of
 * a pixel make a soft edge together. */
static double lit(const raster *r, abut_vec3 p, abut_vec3 n, unsigned turn)
{
    static const double taps[4][2] = { { 0.9, 0.35 }, { -0.35, 0.9 }, { -0.9, -0.35 }, { 0.35, -0.9 } };
    const double texel = 1 / (r->light_scale * SHADOW), angle = 0.7 * turn;
    const double c = cos(angle), s = sin(angle), reach = 1 + 0.35 * (turn % 5);
    double at[3];
    light_place(r, plus(plus(p, 2.5 * texel, n), 1.5 * texel, r->light), at);
    int open = 0;
    for (int i = 0; i < 4; ++i) {
        const int x = (int)floor(at[0] + reach * (c * taps[i][0] - s * taps[i][1]));
        const int y = (int)floor(at[1] + reach * (s * taps[i][0] + c * taps[i][1]));
        if (x < 0 || y < 0 || x >= SHADOW || y >= SHADOW ||
            r->shadow[(size_t)y * SHADOW + (size_t)x] <= at[2])
            ++open;
    }
    return 0.25 * open;
}

/* ---- colours ---- */

static double to_linear(double c)
{
    return pow(c, 2.2);
}

static void background(const raster *r, double y, double out[3])
{
    static const double light[2][3] = { { 0.985, 0.987, 0.99 }, { 0.88, 0.9, 0.925 } };
    static const double dark[2][3] = { { 0.16, 0.175, 0.2 }, { 0.075, 0.085, 0.1 } };
    const double s = y / r->height;
    const double(*const c)[3] = r->dark ? dark : light;
    for (int i = 0; i < 3; ++i)
        out[i] = to_linear((1 - s) * c[0][i] + s * c[1][i]);
}

static void shade(const raster *r, int x, int y, double out[3])
{
    const size_t at = (size_t)(y - r->top) * (size_t)r->width + (size_t)x;
    const uint16_t id = r->figure[at];
    if (id == NOTHING) {
        background(r, y, out);
        return;
    }
    const cli_figure *const f = &r->figures[id & ~INK];
    const eye *const e = &r->eye;
    const double z = 1 / (double)r->depth[at];
    const abut_vec3 ray =
        plus(plus(e->away, (x + 0.5 - e->cx) / e->focus, e->right), (e->cy - y - 0.5) / e->focus, e->up);
    const abut_vec3 p = plus(e->at, z, ray), back = unit(plus(v3(0, 0, 0), -1, ray));
    const abut_vec3 n = unit(v3(r->normal[at][0], r->normal[at][1], r->normal[at][2]));
    const double toward = dot(n, r->light);
    const double sun =
        toward > 0 ? toward * lit(r, p, n, (unsigned)(x % SAMPLES + SAMPLES * (y % SAMPLES))) : 0;
    const double sky = 0.5 + 0.5 * n.z, fill_light = fmax(dot(n, back), 0);
    const abut_vec3 middle = unit(plus(r->light, 1, back));
    const double gloss = sun > 0 ? pow(fmax(dot(n, middle), 0), 40) * 0.22 : 0;
    for (int i = 0; i < 3; ++i) {
        const double colour = to_linear((f->colour >> (16 - 8 * i) & 0xff) / 255.0);
        const double ambient = 0.16 + 0.2 * sky + 0.16 * fill_light;
        out[i] = colour * (ambient + 0.78 * sun) + gloss * sun;
        if (id & INK)
            out[i] *= f->endless ? 0.82 : 0.3;
    }
}

/* A sample is on an outline where a neighbour shows something else far behind it. */
static bool is_outline(const raster *r, int x, int y)
{
    const size_t at = (size_t)(y - r->top) * (size_t)r->width + (size_t)x;
    const uint16_t id = r->figure[at] & (uint16_t)~INK;
    if (r->figure[at] == NOTHING || r->figures[id].endless)
        return false;
    const double z = 1 / (double)r->depth[at];
    for (int k = 0; k < 4; ++k) {
        const int nx = x + (k == 0) - (k == 1), ny = y + (k == 2) - (k == 3);
        if (nx < 0 || nx >= r->width || ny < r->top || ny >= r->top + r->rows)
            continue;
        const size_t to = (size_t)(ny - r->top) * (size_t)r->width + (size_t)nx;
        if (r->figure[to] == NOTHING)
            return true;
        const double other = 1 / (double)r->depth[to];
        if (other > z + 0.03 * r->size || ((r->figure[to] & ~INK) != id && other > z))
            return true;
    }
    return false;
}

static void resolve(raster *r, cli_canvas *canvas, float *nearest, int from_row, int to_row)
{
    for (int py = from_row; py < to_row; ++py)
        for (int px = 0; px < canvas->width; ++px) {
            double sum[3] = { 0, 0, 0 };
            float inverse = 0;
            for (int k = 0; k < SAMPLES * SAMPLES; ++k) {
                const int x = SAMPLES * px + k % SAMPLES, y = SAMPLES * py + k / SAMPLES;
                double c[3];
                shade(r, x, y, c);
                const double ink = is_outline(r, x, y) ? 0.25 : 1;
                for (int i = 0; i < 3; ++i)
                    sum[i] += ink * c[i];
                const float d = r->depth[(size_t)(y - r->top) * (size_t)r->width + (size_t)x];
                inverse = d > inverse ? d : inverse;
            }
            const size_t at = (size_t)py * (size_t)canvas->width + (size_t)px;
            nearest[at] = inverse;
            for (int i = 0; i < 3; ++i) {
                const double v = pow(fmin(sum[i] / (SAMPLES * SAMPLES), 1), 1 / 2.2);
                canvas->rgb[3 * at + (size_t)i] = (uint8_t)(255 * v + 0.5);
            }
        }
}

/* ---- marks ---- */

static void place_marks(const raster *r, const cli_canvas *canvas, const float *nearest, cli_mark *marks,
                        size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const abut_vec3 ends[2] = { marks[i].from,
                                    marks[i].kind == CLI_MARK_DOT ? marks[i].from : marks[i].to };
        for (int k = 0; k < 2; ++k) {
            const seen s = project(&r->eye, ends[k]);
            marks[i].x[k] = s.x / SAMPLES;
            marks[i].y[k] = s.y / SAMPLES;
            const int x = (int)marks[i].x[k], y = (int)marks[i].y[k];
            if (k == 0 && s.inverse > 0 && x >= 0 && y >= 0 && x < canvas->width && y < canvas->height) {
                const float before = nearest[(size_t)y * (size_t)canvas->width + (size_t)x];
                marks[i].hidden = before > 0 && 1 / (double)before < 1 / s.inverse - 0.03 * r->size;
            }
        }
    }
}

static void blend(cli_canvas *canvas, int x, int y, double cover, uint32_t colour)
{
    if (x < 0 || y < 0 || x >= canvas->width || y >= canvas->height || cover <= 0)
        return;
    uint8_t *const p = canvas->rgb + 3 * ((size_t)y * (size_t)canvas->width + (size_t)x);
    const double a = fmin(cover, 1);
    for (int i = 0; i < 3; ++i)
        p[i] = (uint8_t)((1 - a) * p[i] + a * (colour >> (16 - 8 * i) & 0xff) + 0.5);
}

static void disc(cli_canvas *canvas, double cx, double cy, double radius, uint32_t colour, double opacity)
{
    for (int y = (int)(cy - radius - 1); y <= (int)(cy + radius + 1); ++y)
        for (int x = (int)(cx - radius - 1); x <= (int)(cx + radius + 1); ++x)
            blend(canvas, x, y, opacity * fmin(fmax(radius - hypot(x + 0.5 - cx, y + 0.5 - cy) + 0.5, 0), 1),
                  colour);
}

static void stroke(cli_canvas *canvas, double x0, double y0, double x1, double y1, double half,
                   uint32_t colour)
{
    const double dx = x1 - x0, dy = y1 - y0, length2 = dx * dx + dy * dy;
    for (int y = (int)(fmin(y0, y1) - half - 1); y <= (int)(fmax(y0, y1) + half + 1); ++y)
        for (int x = (int)(fmin(x0, x1) - half - 1); x <= (int)(fmax(x0, x1) + half + 1); ++x) {
            const double px = x + 0.5 - x0, py = y + 0.5 - y0;
            const double s = length2 > 0 ? fmin(fmax((px * dx + py * dy) / length2, 0), 1) : 0;
            blend(canvas, x, y, fmin(fmax(half - hypot(px - s * dx, py - s * dy) + 0.5, 0), 1), colour);
        }
}

double cli_mark_scale(int width)
{
    return fmax(width / 960.0, 0.6);
}

double cli_mark_radius(size_t mark_count)
{
    return mark_count > 300 ? 2.2 : mark_count > 24 ? 3.2 : 5.5;
}

void cli_raster_marks(cli_canvas *canvas, const cli_mark *marks, size_t mark_count)
{
    const double scale = cli_mark_scale(canvas->width);
    for (size_t i = 0; i < mark_count; ++i) {
        const cli_mark *const m = &marks[i];
        if (m->kind == CLI_MARK_ARROW) {
            const double length = hypot(m->x[1] - m->x[0], m->y[1] - m->y[0]);
            stroke(canvas, m->x[0], m->y[0], m->x[1], m->y[1], 1.3 * scale,
                   canvas->dark ? 0xffd166 : 0xb00040);
            if (length > 0)
                for (int k = 0; k < 2; ++k)
                    disc(canvas, m->x[k], m->y[k], 3 * scale, canvas->dark ? 0xffd166 : 0xb00040, 1);
            continue;
        }
        const double radius = cli_mark_radius(mark_count) * scale, opacity = m->hidden ? 0.65 : 1;
        disc(canvas, m->x[0], m->y[0], radius + 1.5 * scale, 0xffffff, opacity);
        disc(canvas, m->x[0], m->y[0], radius, 0xd6003c, opacity);
    }
}

/* ---- the whole ---- */

static bool open_raster(raster *r, cli_canvas *canvas)
{
    const size_t samples = (size_t)r->width * (size_t)((BAND + 2) * SAMPLES);
    r->depth = malloc(samples * sizeof *r->depth);
    r->figure = malloc(samples * sizeof *r->figure);
    r->normal = malloc(samples * sizeof *r->normal);
    r->shadow = malloc((size_t)SHADOW * SHADOW * sizeof *r->shadow);
    r->vertices = calloc(r->figure_count + 1, sizeof *r->vertices);
    canvas->rgb = malloc(3 * (size_t)canvas->width * (size_t)canvas->height);
    if (!r->depth || !r->figure || !r->normal || !r->shadow || !r->vertices || !canvas->rgb)
        return false;
    for (size_t i = 0; i < r->figure_count; ++i) {
        r->vertices[i] = malloc((r->figures[i].mesh.vertex_count + 1) * sizeof **r->vertices);
        if (!r->vertices[i])
            return false;
    }
    return true;
}

static void close_raster(raster *r)
{
    for (size_t i = 0; r->vertices && i < r->figure_count; ++i)
        free(r->vertices[i]);
    free(r->vertices);
    free(r->depth);
    free(r->figure);
    free(r->normal);
    free(r->shadow);
}

int cli_raster(cli_canvas *canvas, const cli_camera *camera, const cli_figure *figures, size_t figure_count,
               cli_mark *marks, size_t mark_count)
{
    raster r = { .figures = figures,
                 .figure_count = figure_count < MOST_FIGURES ? figure_count : MOST_FIGURES,
                 .width = SAMPLES * canvas->width,
                 .height = SAMPLES * canvas->height,
                 .dark = canvas->dark };
    float *nearest = malloc((size_t)canvas->width * (size_t)canvas->height * sizeof *nearest);
    canvas->rgb = NULL;
    if (!nearest || !open_raster(&r, canvas)) {
        close_raster(&r);
        free(nearest);
        return cli_out_of_memory();
    }
    choose_eye(&r, camera);
    /* from above, behind the left shoulder */
    r.light = unit(plus(plus(plus(v3(0, 0, 0), -0.55, r.eye.away), -0.55, r.eye.right), 0.9, v3(0, 0, 1)));
    r.light_x = unit(cross(fabs(r.light.z) < 0.9 ? v3(0, 0, 1) : v3(1, 0, 0), r.light));
    r.light_y = cross(r.light, r.light_x);
    cast_shadows(&r);
    for (size_t i = 0; i < r.figure_count; ++i)
        for (size_t k = 0; k < figures[i].mesh.vertex_count; ++k)
            r.vertices[i][k] = project(&r.eye, cli_look_apply(&figures[i].at, figures[i].mesh.vertices[k]));
    for (int row = 0; row < canvas->height; row += BAND) {
        const int end = row + BAND < canvas->height ? row + BAND : canvas->height;
        /* a row of pixels more at each side, for outlines */
        const int from = row > 0 ? row - 1 : 0, to = end < canvas->height ? end + 1 : canvas->height;
        r.top = SAMPLES * from;
        r.rows = SAMPLES * (to - from);
        fill_band(&r);
        resolve(&r, canvas, nearest, row, end);
    }
    place_marks(&r, canvas, nearest, marks, mark_count);
    close_raster(&r);
    free(nearest);
    return CLI_DONE;
}
