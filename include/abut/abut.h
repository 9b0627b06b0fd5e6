/* SPDX-License-Identifier: MIT */
/* abut tells when, where and how solid things touch, and whether the answer is proved. All of
 * the library's headers. */
#ifndef ABUT_H
#define ABUT_H

#include "abut/base.h"
#include "abut/deform.h"
#include "abut/ellipsoid.h"
#include "abut/expression.h"
#include "abut/intersect.h"
#include "abut/interval.h"
#include "abut/loops.h"
#include "abut/math.h"
#include "abut/mesh.h"
#include "abut/motion.h"
#include "abut/polyhedron.h"
#include "abut/polynomial.h"
#include "abut/predicates.h"
#include "abut/query.h"
#include "abut/scene.h"
#include "abut/shape.h"
#include "abut/solid.h"
#include "abut/solid_bounds.h"
#include "abut/solid_file.h"
#include "abut/tessellate.h"
#include "abut/triangle.h"
#include "abut/world.h"

#endif
