/* SPDX-License-Identifier: MIT */
/* Triangle meshes: two rings that cross, all triangles that meet as they are found, how far apart
 * the rings are, and a sheet that bends from frame to frame onto a ball.
 *
 * Whether triangles meet is decided exactly for poses, so that the count of pairs is the same
 * whatever hierarchy the meshes have. */
#include <abut/abut.h>
#include <math.h>
#include <stdio.h>

enum { RINGS = 32, SIDES = 16, SHEET = 24 };

static int fail(const char *what)
{
    fprintf(stderr, "%s is not what it should be\n", what);
    return 1;
}

/* Two triangles for each cell of a grid; the last cells close on the first where it wraps. */
static void fill_cells(uint32_t *triangles, uint32_t rows, uint32_t columns, bool wraps)
{
    const uint32_t r = wraps ? rows : rows - 1, c = wraps ? columns : columns - 1;
    for (uint32_t i = 0; i < r; ++i)
        for (uint32_t k = 0; k < c; ++k) {
            const uint32_t in = (i + 1) % rows * columns, kn = (k + 1) % columns;
            const uint32_t two[6] = { i * columns + k, in + k,  in + kn,
                                      i * columns + k, in + kn, i * columns + kn };
            for (int j = 0; j < 6; ++j)
                *triangles++ = two[j];
        }
}

static abut_status make_ring(abut_volume volume, abut_shape **out)
{
    static abut_vec3 vertices[RINGS * SIDES];
    static uint32_t triangles[6 * RINGS * SIDES];
    for (int i = 0; i < RINGS; ++i)
        for (int k = 0; k < SIDES; ++k) {
            const double u = 6.283185307179586 * i / RINGS, v = 6.283185307179586 * k / SIDES;
            vertices[i * SIDES + k] =
                (abut_vec3){ (1 + 0.4 * cos(v)) * cos(u), (1 + 0.4 * cos(v)) * sin(u), 0.4 * sin(v) };
        }
    fill_cells(triangles, RINGS, SIDES, true);
    abut_mesh_opts opts;
    abut_mesh_opts_init(&opts);
    opts.volume = volume;
    return abut_shape_create_mesh_with(vertices, RINGS * SIDES, triangles, 2 * RINGS * SIDES, &opts, NULL,
                                       out, NULL);
}

/* Receives contacts as they are found, in no order. */
static bool add_lengths(void *ctx, const abut_triangle_contact *contacts, size_t count)
{
    double *length = ctx;
    for (size_t i = 0; i < count; ++i)
        *length += sqrt(pow(contacts[i].to.x - contacts[i].from.x, 2) +
                        pow(contacts[i].to.y - contacts[i].from.y, 2) +
                        pow(contacts[i].to.z - contacts[i].from.z, 2));
    return true;
}

static int rings_that_cross(void)
{
    abut_shape *a, *b, *c;
    if (make_ring(ABUT_VOLUME_AUTO, &a) || make_ring(ABUT_VOLUME_AUTO, &b) ||
        make_ring(ABUT_VOLUME_KDOP18, &c))
        return fail("the set-up");
    abut_pose pose = abut_pose_identity();
    pose.position = (abut_vec3){ 0.75, 0.25, 0.125 };
    pose.rotation = (abut_quat){ 0.9, 0.1, 0.3, -0.2 };

    double length = 0;
    abut_contacts_opts opts;
    abut_contacts_opts_init(&opts);
    opts.on_contacts = add_lengths;
    opts.on_contacts_ctx = &length;
    abut_contacts_result all, same;
    abut_triangle_contact first[4];
    if (abut_contacts(a, NULL, b, &pose, &opts, NULL, first, 4, &all) ||
        abut_contacts(a, NULL, c, &pose, NULL, NULL, NULL, 0, &same))
        return fail("the contacts");
    printf("%zu pairs of triangles meet (%s), along curves of length %.4g; the first is %u with %u\n",
           all.count, abut_proof_name(all.proof), length, (unsigned)first[0].a, (unsigned)first[0].b);
    if (all.verdict != ABUT_TOUCHING || all.count != same.count || !(length > 1))
        return fail("the list of contacts");

    /* Linked, a quarter turn apart. */
    pose.position = (abut_vec3){ 1, 0, 0 };
    pose.rotation = (abut_quat){ 1, 1, 0, 0 };
    abut_distance_result apart;
    if (abut_distance(a, NULL, b, &pose, NULL, NULL, &apart))
        return fail("the distance");
    printf("linked, they are %s, distance [%.15g, %.15g]\n", abut_verdict_name(apart.verdict),
           apart.distance.lo, apart.distance.hi);
    if (apart.verdict != ABUT_SEPARATE || !(apart.distance.lo > 0.15 && apart.distance.hi < 0.25))
        return fail("the distance of linked rings");
    abut_shape_release(a);
    abut_shape_release(b);
    abut_shape_release(c);
    return 0;
}

/* The hierarchy is refitted, not built again; a workspace that stays saves all other memory. */
static int sheet_that_bends(void)
{
    static abut_vec3 vertices[SHEET * SHEET];
    static uint32_t triangles[6 * (SHEET - 1) * (SHEET - 1)];
    abut_shape *sheet = NULL, *ball = NULL;
    abut_workspace *ws = NULL;
    fill_cells(triangles, SHEET, SHEET, false);
    for (int i = 0; i < SHEET * SHEET; ++i)
        vertices[i] = (abut_vec3){ (i % SHEET) / 8.0 - 1.4375, (i / SHEET) / 8.0 - 1.4375, 1.5 };
    if (abut_shape_create_mesh(vertices, SHEET * SHEET, triangles, 2 * (SHEET - 1) * (SHEET - 1), false, NULL,
                               &sheet, NULL) ||
        abut_shape_create_sphere(1, NULL, &ball) || abut_workspace_create(NULL, &ws))
        return fail("the set-up");
    int frame = 0;
    abut_overlap_result meets = { 0 };
    for (; frame < 40; ++frame) {
        for (int i = 0; i < SHEET * SHEET; ++i)
            vertices[i].z =
                1.5 - 0.025 * frame * exp(-(vertices[i].x * vertices[i].x + vertices[i].y * vertices[i].y));
        if (abut_shape_update_mesh(sheet, vertices, SHEET * SHEET, NULL) ||
            abut_overlap(sheet, NULL, ball, NULL, NULL, ws, &meets))
            return fail("a frame");
        if (meets.verdict != ABUT_SEPARATE)
            break;
    }
    printf("the sheet meets the ball in frame %d (%s)\n", frame, abut_proof_name(meets.proof));
    if (frame < 15 || frame >= 40 || meets.verdict == ABUT_UNDECIDED)
        return fail("the frame of contact");
    abut_workspace_destroy(ws);
    abut_shape_release(ball);
    abut_shape_release(sheet);
    return 0;
}

int main(void)
{
    return rings_that_cross() || sheet_that_bends();
}
