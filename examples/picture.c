/* SPDX-License-Identifier: MIT */
/* Draws a scene at its first contact: rays for every body, dots for the contact points, written as
 * SVG.
 *
 *     example_picture SCENE.json PICTURE.svg [WIDTH]
 *
 * Without arguments it draws a small scene of its own into memory and counts what is there.
 * Shades are few, and equal neighbours share one rectangle, so that the file stays small. */
#include <abut/abut.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHADES = 12, POINTS = 4096, PALETTE = 6 };

static const unsigned char palette[PALETTE][3] = { { 222, 120, 70 }, { 92, 140, 190 },  { 120, 170, 90 },
                                                   { 200, 170, 70 }, { 150, 110, 170 }, { 190, 90, 110 } };

typedef struct picture {
    abut_scene *scene;
    double time;
    abut_set_point *points;
    size_t point_count;
    abut_vec3 right, up, away, centre; /* the view: parallel rays along `away` */
    double radius;
    int width, height;
    short *cells; /* -1: nothing; else object colour * SHADES + shade */
} picture;

static abut_vec3 at(double x, double y, double z)
{
    return (abut_vec3){ x, y, z };
}

static abut_vec3 plus(abut_vec3 a, double s, abut_vec3 b)
{
    return at(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

static double dot(abut_vec3 a, abut_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static abut_vec3 unit(abut_vec3 a)
{
    return plus(at(0, 0, 0), 1 / sqrt(dot(a, a)), a);
}

static abut_vec3 cross(abut_vec3 a, abut_vec3 b)
{
    return at(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* ---- when and where they touch ---- */

static int find_contact(picture *p)
{
    const size_t count = abut_scene_object_count(p->scene);
    abut_body *bodies = calloc(count, sizeof *bodies);
    p->points = calloc(POINTS, sizeof *p->points);
    if (!bodies || !p->points) {
        free(bodies);
        return 0;
    }
    for (size_t i = 0; i < count; ++i) {
        const abut_scene_object o = abut_scene_get_object(p->scene, i);
        bodies[i] = (abut_body){ o.shape, o.motion };
    }
    const abut_scene_query query = abut_scene_get_query(p->scene);
    abut_first_opts opts;
    abut_set_result r;
    abut_first_opts_init(&opts);
    opts.time = abut_scene_time(p->scene);
    opts.simultaneity = query.simultaneity >= 0 ? query.simultaneity : 0;
    opts.separation = query.separation >= 0 ? query.separation : 0;
    const abut_status status =
        abut_first_contact_set(bodies, count, NULL, 0, &opts, NULL, p->points, POINTS, &r);
    free(bodies);
    p->time = opts.time.lo;
    if (!status && r.verdict == ABUT_FIRST_CONTACT) {
        p->time = r.time.hi;
        p->point_count = r.point_count < POINTS ? r.point_count : POINTS;
    }
    return status == ABUT_OK;
}

/* ---- the view ---- */

/* A ball around an object; false where it has no end. */
static int ball_of(const picture *p, size_t i, abut_vec3 *centre, double *radius)
{
    const abut_scene_object o = abut_scene_get_object(p->scene, i);
    const abut_aabb b = abut_shape_bounds(o.shape);
    abut_affine place;
    if (!isfinite(b.lo.x) || !isfinite(b.hi.x) || !isfinite(b.lo.z) ||
        abut_motion_at(o.motion, p->time, &place))
        return 0;
    const abut_vec3 mid = at(0.5 * (b.lo.x + b.hi.x), 0.5 * (b.lo.y + b.hi.y), 0.5 * (b.lo.z + b.hi.z));
    const abut_vec3 half = plus(b.hi, -1, mid);
    *radius = sqrt(dot(half, half));
    double(*m)[3] = place.linear.m;
    *centre = plus(place.translation, 1,
                   at(m[0][0] * mid.x + m[0][1] * mid.y + m[0][2] * mid.z,
                      m[1][0] * mid.x + m[1][1] * mid.y + m[1][2] * mid.z,
                      m[2][0] * mid.x + m[2][1] * mid.y + m[2][2] * mid.z));
    return 1;
}

static void widen(abut_vec3 c, double r, abut_vec3 *lo, abut_vec3 *hi)
{
    *lo = at(fmin(lo->x, c.x - r), fmin(lo->y, c.y - r), fmin(lo->z, c.z - r));
    *hi = at(fmax(hi->x, c.x + r), fmax(hi->y, c.y + r), fmax(hi->z, c.z + r));
}

static void choose_view(picture *p)
{
    abut_vec3 lo = at(INFINITY, INFINITY, INFINITY), hi = at(-INFINITY, -INFINITY, -INFINITY), c;
    double r;
    for (size_t i = 0; i < abut_scene_object_count(p->scene); ++i)
        if (ball_of(p, i, &c, &r))
            widen(c, 0.7 * r, &lo, &hi);
    for (size_t i = 0; i < p->point_count; ++i)
        widen(p->points[i].at.point, 0.5, &lo, &hi);
    if (!(lo.x <= hi.x)) {
        lo = at(-2, -2, -2);
        hi = at(2, 2, 2);
    }
    p->centre = at(0.5 * (lo.x + hi.x), 0.5 * (lo.y + hi.y), 0.5 * (lo.z + hi.z));
    const abut_vec3 half = plus(hi, -1, p->centre);
    p->radius = 0.85 * sqrt(dot(half, half));
    p->away = unit(at(-0.5, 1, -0.62));
    p->right = unit(cross(p->away, at(0, 0, 1)));
    p->up = cross(p->right, p->away);
}

/* ---- rays ---- */

static int shade(const picture *p, abut_vec3 normal)
{
    const abut_vec3 light = unit(plus(plus(plus(at(0, 0, 0), -1, p->away), 0.7, p->up), -0.5, p->right));
    const double facing = dot(normal, p->away) > 0 ? -dot(normal, light) : dot(normal, light);
    const double bright = 0.35 + 0.65 * fmax(0, facing);
    const int level = (int)(bright * SHADES);
    return level < SHADES ? level : SHADES - 1;
}

static void draw(picture *p)
{
    const size_t count = abut_scene_object_count(p->scene);
    const double pixel = 2 * p->radius / p->width;
    double *nearest = malloc((size_t)p->width * (size_t)p->height * sizeof *nearest);
    if (!nearest)
        return;
    for (int k = 0; k < p->width * p->height; ++k) {
        p->cells[k] = -1;
        nearest[k] = INFINITY;
    }
    for (size_t i = 0; i < count; ++i) {
        const abut_scene_object o = abut_scene_get_object(p->scene, i);
        abut_vec3 ball;
        double reach;
        const int bounded = ball_of(p, i, &ball, &reach);
        for (int k = 0; k < p->width * p->height; ++k) {
            const double x = (k % p->width - 0.5 * (p->width - 1)) * pixel;
            const double y = (0.5 * (p->height - 1) - k / p->width) * pixel;
            const abut_vec3 from =
                plus(plus(plus(p->centre, x, p->right), y, p->up), -4 * p->radius, p->away);
            if (bounded) {
                const abut_vec3 d = plus(ball, -1, from), off = plus(d, -dot(d, p->away), p->away);
                if (dot(off, off) > reach * reach * 1.0001)
                    continue;
            }
            abut_ray_hit hit;
            size_t hits = 0;
            if (abut_cast_ray_at(o.shape, o.motion, p->time, from, p->away, &hit, 1, &hits) || hits == 0 ||
                !(hit.t < nearest[k]))
                continue;
            nearest[k] = hit.t;
            p->cells[k] = (short)((int)(i % PALETTE) * SHADES + shade(p, hit.normal));
        }
    }
    free(nearest);
}

/* ---- the file ---- */

static void write_svg(const picture *p, FILE *out)
{
    const double pixel = 2 * p->radius / p->width;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "shape-rendering=\"crispEdges\">\n<rect width=\"%d\" height=\"%d\" fill=\"#f4f2ee\"/>\n",
            p->width, p->height, 2 * p->width, p->width, p->height);
    for (int colour = 0; colour < PALETTE * SHADES; ++colour) { /* one path a shade */
        const unsigned char *rgb = palette[colour / SHADES];
        const double bright = (colour % SHADES + 0.5) / SHADES;
        int open = 0;
        for (int k = 0; k < p->width * p->height; ++k) {
            if (p->cells[k] != colour)
                continue;
            const int x = k % p->width, y = k / p->width;
            int length = 1;
            while (x + length < p->width && p->cells[k + length] == colour)
                ++length;
            if (!open)
                fprintf(out, "<path fill=\"#%02x%02x%02x\" d=\"", (unsigned)(rgb[0] * bright),
                        (unsigned)(rgb[1] * bright), (unsigned)(rgb[2] * bright));
            open = 1;
            fprintf(out, "M%d %dh%dv1h-%dz", x, y, length, length);
            k += length - 1;
        }
        if (open)
            fprintf(out, "\"/>\n");
    }
    for (size_t i = 0; i < p->point_count; ++i) {
        const abut_vec3 d = plus(p->points[i].at.point, -1, p->centre);
        fprintf(out,
                "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.1f\" fill=\"#fff\" stroke=\"#222\" "
                "stroke-width=\".4\"/>\n",
                0.5 * p->width + dot(d, p->right) / pixel, 0.5 * p->height - dot(d, p->up) / pixel,
                p->point_count > 30 ? 1.0 : 1.8);
    }
    fprintf(out, "</svg>\n");
}

static int make(picture *p, int width)
{
    p->width = width;
    p->height = width * 3 / 4;
    p->cells = malloc((size_t)p->width * (size_t)p->height * sizeof *p->cells);
    if (!p->cells || !find_contact(p))
        return 0;
    choose_view(p);
    draw(p);
    return 1;
}

static void clear(picture *p)
{
    free(p->cells);
    free(p->points);
    abut_scene_destroy(p->scene);
}

static int self_test(void)
{
    static const char text[] =
        "{\"abut\": 1, \"objects\": ["
        "{\"name\": \"ring\", \"shape\": {\"type\": \"torus\", \"major\": 2, \"minor\": 0.5}},"
        "{\"name\": \"ball\", \"shape\": {\"type\": \"sphere\", \"radius\": 1}, \"motion\": {\"type\": "
        "\"linear\","
        " \"from\": {\"position\": [2, 0, 4]}, \"to\": {\"position\": [2, 0, 0]}}}]}";
    picture p = { .scene = NULL };
    if (abut_scene_parse(text, strlen(text), "picture", NULL, &p.scene, NULL) || !make(&p, 40))
        return 1;
    int seen[2] = { 0, 0 };
    for (int k = 0; k < p.width * p.height; ++k)
        if (p.cells[k] >= 0)
            ++seen[p.cells[k] / SHADES];
    printf("contact at %.17g; pixels: ring %d, ball %d\n", p.time, seen[0], seen[1]);
    const int right = fabs(p.time - 0.625) < 1e-9 && p.point_count == 1 && seen[0] > 40 && seen[1] > 20;
    clear(&p);
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return self_test();
    picture p = { .scene = NULL };
    abut_error error;
    if (abut_scene_load(argv[1], NULL, &p.scene, &error)) {
        fprintf(stderr, "%s: %s\n", argv[1], error.text);
        return 2;
    }
    const int width = argc > 3 ? atoi(argv[3]) : 240;
    FILE *out = fopen(argv[2], "w");
    const int drawn = out && width >= 16 && width <= 2000 && make(&p, width);
    if (drawn)
        write_svg(&p, out);
    if (out)
        fclose(out);
    clear(&p);
    return drawn ? 0 : 3;
}
