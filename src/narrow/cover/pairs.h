/* SPDX-License-Identifier: MIT */
/* The pair method of this module. */
#ifndef ABUT_NARROW_COVER_PAIRS_H
#define ABUT_NARROW_COVER_PAIRS_H

#include "interval/ia3.h"
#include "narrow/pair/pair.h"
#include "surface/surface.h"

/* Cells of curved bodies, kept between searches of one pair of shapes at several instants. */
typedef struct abut_cover_cache abut_cover_cache;
/* NULL when memory is out. */
abut_cover_cache *abut_cover_cache_create(const abut_allocator *alloc);
void abut_cover_cache_destroy(abut_cover_cache *cache);

/* Any two bodies, of which at least one is a solid, by covers of their boundaries. */
abut_status abut_narrow_cover(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* A CAD solid against a hull, a mesh or a polyhedron: by features (narrow/brep) where the other body is
 * one solid of them, otherwise by covers. */
abut_status abut_narrow_solid_faces(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);
/* Is a body one that narrow/brep does not take, or only in part: a rounded or flat hull, a mesh that is a
 * surface, one of several pieces? */
bool abut_cover_replaces_solids(const abut_shape *shape);
/* How deep the bodies are in each other at least, by a common point in the world (deep.c). */
double abut_cover_depth_at(const abut_pair *pair, abut_workspace *ws, abut_vec3 point);
/* Are both bodies such that narrow/brep takes them, one of them a CAD solid? */
bool abut_cover_by_features(const abut_shape *a, const abut_shape *b);
/* Kernel. Whether the points of a box, in the frame of a CAD solid, are inside it. */
abut_truth abut_cover_solid_inside(const abut_shape *shape, ia3 x);
/* A body of triangles against a curved surface: by covers, and where that does not decide, by the
 * equations of nearest points (narrow/facets). */
abut_status abut_narrow_cover_facets(const abut_pair *pair, abut_workspace *ws, abut_check_result *out);

#endif
