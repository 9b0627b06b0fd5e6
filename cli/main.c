/* SPDX-License-Identifier: MIT */
/* The `abut` command: the table of its commands. What each prints is in docs/cli.md. */
#include "cli.h"

#define QUERY_OPTIONS                                                                            \
    (CLI_BIT(SIMULTANEITY) | CLI_BIT(SEPARATION) | CLI_BIT(ACCURACY) | CLI_BIT(MAX_ITERATIONS) | \
     CLI_BIT(METHOD))
#define SURFACE_OPTIONS (CLI_BIT(NEWTON) | CLI_BIT(ORDER) | CLI_BIT(NO_TANGENCY))
#define PAIR_OPTIONS                                                                          \
    (CLI_BIT(JSON) | CLI_BIT(PAIR) | CLI_BIT(STATS) | CLI_BIT(EXIT_CODE) | CLI_BIT(THREADS) | \
     CLI_BIT(MOVING) | QUERY_OPTIONS)

const cli_command cli_commands[] = {
    { .name = "check",
      .operands = "SCENE",
      .usage = "[--time T] [--pair A B] [--contacts N]",
      .summary = "the verdict of each pair at one instant",
      .description =
          "For each pair: separate, touching, penetrating or undecided; the distance between them, or the\n"
          "depth, which is the shortest move that parts them; and how far the answer is proved. With\n"
          "--contacts the triangles of two meshes that meet are listed too, with --self those of each mesh\n"
          "that meet other than as neighbours do. Of scenes with many objects, --meeting lists the pairs "
          "that\n"
          "are not separate (or no farther apart than --within), and counts the others; --nearest is one "
          "pair.",
      .example = "  abut check scene.json --time 0.5\n  abut check scene.json --pair ring cone --json\n"
                 "  abut check scene.json --contacts 100 --self",
      .options = PAIR_OPTIONS | CLI_BIT(TIME) | CLI_BIT(CONTACTS) | CLI_BIT(SELF) | CLI_BIT(WITHIN) |
                 CLI_BIT(BAND) | CLI_BIT(REGIONS) | CLI_BIT(RELATIVE) | CLI_BIT(MEETING) | CLI_BIT(NEAREST),
      .operand_count = 1,
      .run = cli_run_check },
    { .name = "first",
      .operands = "SCENE",
      .usage = "[--pair A B]",
      .summary = "the first contact in the scene's time",
      .description =
          "The earliest contact of all pairs, with every contact point that comes at the same time (within\n"
          "--simultaneity). Pairs that penetrate at the start already are reported as overlapping. Contact\n"
          "along curves, lines, faces and regions is sampled, at the distance --separation. With --self the\n"
          "contacts of each mesh with itself count too.",
      .example = "  abut first scene.json\n  abut first scene.json --simultaneity 1e-3 --json\n"
                 "  abut first scenes/folding_sheet.json --self",
      .options = PAIR_OPTIONS | SURFACE_OPTIONS | CLI_BIT(ALL) | CLI_BIT(SELF) | CLI_BIT(MEETING),
      .operand_count = 1,
      .run = cli_run_first },
    { .name = "intervals",
      .operands = "SCENE",
      .usage = "[--pair A B]",
      .summary = "for each pair, all time intervals of contact",
      .description =
          "All intervals of the scene's time in which a pair meets; touching counts. A contact that lasts\n"
          "to an end of the scene's time carries that end exactly. With --independent each of two "
          "ellipsoids\n"
          "has a time of its own: for which of them it meets the other at none, at some, at all of its "
          "times.",
      .example = "  abut intervals scene.json\n  abut intervals scene.json --pair ball floor --json\n"
                 "  abut intervals scenes/independent_ellipsoids.json --independent",
      .options = PAIR_OPTIONS | SURFACE_OPTIONS | CLI_BIT(INDEPENDENT) | CLI_BIT(MEETING),
      .operand_count = 1,
      .run = cli_run_intervals },
    { .name = "cast",
      .operands = "SCENE",
      .usage = "--ray ox,oy,oz,dx,dy,dz [--time T]",
      .summary = "every hit of a ray, nearest first",
      .description =
          "Every crossing of a boundary at t >= 0, entries and exits, with outward normals; a tangent touch\n"
          "counts once. t is in units of the direction vector.",
      .example = "  abut cast scene.json --ray 0,0,10,0,0,-1",
      .options = CLI_BIT(JSON) | CLI_BIT(TIME) | CLI_BIT(RAY) | CLI_BIT(STATS) | CLI_BIT(EXIT_CODE),
      .operand_count = 1,
      .run = cli_run_cast },
    { .name = "classify",
      .operands = "SCENE OBJECT",
      .usage = "--point x,y,z | --segment x,y,z,x,y,z [--time T]",
      .summary = "where a point, or each piece of a segment, lies",
      .description =
          "In, out, or on a vertex, edge or face of the object. Pieces of a segment come in order; from and\n"
          "to run from 0 to 1 along it.",
      .example = "  abut classify scene.json ball --point 0,0,1\n"
                 "  abut classify scene.json ball --segment -2,0,0,2,0,0 --json",
      .options = CLI_BIT(JSON) | CLI_BIT(TIME) | CLI_BIT(POINT) | CLI_BIT(SEGMENT) | CLI_BIT(STATS) |
                 CLI_BIT(EXIT_CODE),
      .operand_count = 2,
      .run = cli_run_classify },
    { .name = "info",
      .operands = "SCENE|FILE",
      .usage = "",
      .summary = "what is in a scene or mesh file, validated",
      .description = "Reads the file completely and says what it holds: a scene's objects, motions, time and "
                     "pairs, or a\n"
                     "mesh file's vertices and faces; and of meshes, whether they are closed and turned "
                     "outward, what is\n"
                     "double, degenerate, open or crowded in them, and their hierarchy of bounding volumes.",
      .example = "  abut info scene.json\n  abut info part.stl --json",
      .options = CLI_BIT(JSON) | CLI_BIT(NAMES) | CLI_BIT(STATS),
      .operand_count = 1,
      .run = cli_run_info },
    { .name = "view",
      .operands = "SCENE",
      .usage = "[-o page.html] [--seconds S]",
      .summary = "a page that shows the scene in a browser",
      .description = "Writes one page of HTML that works from a disk, without a network: the scene in three "
                     "dimensions with its\n"
                     "time, contacts, intervals and distances, and how far each answer is proved. Without -o "
                     "the page has the\n"
                     "name of the scene, in the current folder. Needs three.js (Debian: libjs-three) when it "
                     "writes the page.",
      .example = "  abut view scene.json\n  abut view scene.json -o page.html --seconds 60",
      .options = CLI_BIT(JSON) | CLI_BIT(TIME) | CLI_BIT(PAIR) | CLI_BIT(OUTPUT) | CLI_BIT(SECONDS) |
                 CLI_BIT(STATS) | QUERY_OPTIONS,
      .operand_count = 1,
      .run = cli_run_view },
    { .name = "draw",
      .operands = "SCENE",
      .usage = "-o picture.svg|.png [--time T] [--camera AZ,EL]",
      .summary = "a picture of the scene",
      .description =
          "Draws the scene at its first contact, or at --time: contact points are dots, lines join the\n"
          "nearest points of bodies that are apart. The eye is in the direction of the azimuth AZ (from x\n"
          "towards y) and the elevation EL; all that has an end is in sight at a zoom of 1.",
      .example = "  abut draw scene.json -o picture.png\n"
                 "  abut draw scene.json -o picture.svg --time 0.5 --camera 30,20 --size 1600x1200 --dark",
      .options = CLI_BIT(JSON) | CLI_BIT(TIME) | CLI_BIT(PAIR) | CLI_BIT(OUTPUT) | CLI_BIT(SIZE) |
                 CLI_BIT(CAMERA) | CLI_BIT(ZOOM) | CLI_BIT(DARK) | CLI_BIT(SECONDS) | CLI_BIT(STATS) |
                 QUERY_OPTIONS,
      .operand_count = 1,
      .needs_output = true,
      .run = cli_run_draw },
};

const size_t cli_command_count = sizeof cli_commands / sizeof cli_commands[0];

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
