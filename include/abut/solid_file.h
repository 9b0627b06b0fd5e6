/* SPDX-License-Identifier: MIT */
/* STEP and BREP files (library abut_io): the solids in them as abut_solid_def. They are read through
 * Open CASCADE, by a module that is loaded when the first such file is opened; a build or a machine
 * without it answers ABUT_ERR_FILE and says so. docs/cad-files.md says what is recognised.
 *
 * Surfaces are planes, quadrics and tori; edges are lines, circles, conic arcs, surface intersections
 * and cubic splines. Seams of closed surfaces are left out. A face that is none of these is an issue
 * of its part, which then has no definition; the others have. */
#ifndef ABUT_SOLID_FILE_H
#define ABUT_SOLID_FILE_H

#include "abut/solid.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct abut_solid_file abut_solid_file;

/* By the ending of its name: .step, .stp, .brep, .brp, in either case. */
ABUT_API bool abut_solid_file_known(const char *file);
/* Whether the module that reads them can be loaded. */
ABUT_API bool abut_solid_file_supported(void);

/* Reads everything; on failure *out is NULL. A file without any solid is ABUT_ERR_VALUE. While it is
 * open, what Open CASCADE made of it is in Open CASCADE's memory, whatever the allocator. Readings take
 * turns: Open CASCADE has global settings. */
ABUT_API abut_status abut_solid_file_open(const char *file, const abut_allocator *alloc,
                                          abut_solid_file **out, abut_error *error);
ABUT_API void abut_solid_file_close(abut_solid_file *file);

/* One solid of the file. */
typedef struct abut_solid_part {
    size_t vertices, edges, faces, shells;
    size_t faces_by_kind[ABUT_SOLID_SURFACE_COUNT]; /* [ABUT_SOLID_NO_SURFACE]: those not supported */
    size_t edges_by_kind[ABUT_SOLID_EDGE_COUNT];
    double tolerance; /* covers what the file states, 1e-7 of the size, and `measured` */
    double measured;  /* farthest distance of an edge or a vertex from a surface that it should lie on */
    double size;      /* diagonal of its box */
    size_t seams;     /* edges along which a face met itself, left out */
    size_t recognised_faces, recognised_edges; /* that were splines or sweeps in the file */
    size_t issues;                             /* why there is no definition; 0: there is one */
} abut_solid_part;

ABUT_API size_t abut_solid_file_part_count(const abut_solid_file *file);
/* Faces that belong to no solid. */
ABUT_API size_t abut_solid_file_loose_faces(const abut_solid_file *file);
/* The unit of length as the file names it ("millimetre"), or "". Numbers are those of the file. */
ABUT_API const char *abut_solid_file_unit(const abut_solid_file *file);
ABUT_API abut_status abut_solid_file_get_part(const abut_solid_file *file, size_t part, abut_solid_part *out);
/* One sentence about what is not supported, and its face (-1: none); "" for a number that is none. */
ABUT_API const char *abut_solid_file_issue(const abut_solid_file *file, size_t part, size_t issue,
                                           int64_t *face);
/* The definition of a part without issues, with its tolerance; all arrays belong to the file.
 * ABUT_ERR_UNSUPPORTED for one with issues: the error has the first of them. */
ABUT_API abut_status abut_solid_file_get_def(const abut_solid_file *file, size_t part, abut_solid_def *out,
                                             abut_error *error);

#define ABUT_SOLID_ONLY_PART SIZE_MAX

/* All at once. part: its number, or ABUT_SOLID_ONLY_PART, an error where the file has several.
 * tolerance 0: the part's own. */
ABUT_API abut_status abut_shape_load_solid(const char *file, size_t part, double tolerance,
                                           const abut_allocator *alloc, abut_shape **out, abut_error *error);

#ifdef __cplusplus
}
#endif

#endif
