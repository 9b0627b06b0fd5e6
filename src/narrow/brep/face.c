/* SPDX-License-Identifier: MIT */
/* Public questions about faces of solids: a point in a face, two faces. */
#include "math/nearest.h"
#include "math/vec3.h"
#include "narrow/brep/edge.h"
#include "narrow/brep/facetest.h"

static bool has_face(const abut_solid *solid, size_t face)
{
    return face < solid->def.face_count &&
           solid->def.surfaces[solid->def.faces[face].surface].kind != ABUT_SOLID_NO_SURFACE;
}

abut_status abut_point_in_face(const abut_shape *shape, size_t face, abut_vec3 p, abut_where *out)
{
    if (out)
        *out = ABUT_WHERE_UNKNOWN;
    if (!shape || !out || !abut_is_finite3(p))
        return ABUT_ERR_ARGUMENT;
    const abut_solid *solid = abut_shape_solid(shape);
    if (!solid)
        return ABUT_ERR_UNSUPPORTED;
    if (!has_face(solid, face))
        return ABUT_ERR_ARGUMENT;
    const abut_nearest saved = abut_nearest_enter();
    const double slack = 8 * ABUT_CELL_SLACK * (solid->features.scale + abut_max_norm(p));
    const int in = abut_face_contains(solid, (uint32_t)face, p, slack);
    abut_nearest_leave(saved);
    *out = in > 0 ? ABUT_WHERE_FACE : in == 0 ? ABUT_WHERE_OUT : ABUT_WHERE_UNKNOWN;
    return ABUT_OK;
}

static void write_result(const abut_pair *pair, const abut_brep_body body[2], const abut_brep_faces *found,
                         abut_face_result *out)
{
    const abut_solid *owner = found->step == ABUT_FACE_STEP_EDGE_A   ? body[0].solid
                              : found->step == ABUT_FACE_STEP_EDGE_B ? body[1].solid
                                                                     : NULL;
    if (found->meeting == ABUT_BREP_APART) {
        out->verdict = ABUT_SEPARATE;
        out->proof = ABUT_PROOF_TOLERANCE;
        return;
    }
    out->step = found->step;
    out->point = abut_affine_apply(&pair->at_a->mid, found->point);
    out->radius = found->radius;
    if (owner)
        out->edge = found->edge;
    if (found->meeting != ABUT_BREP_MEET)
        return;
    out->verdict = ABUT_TOUCHING;
    out->proof = owner && owner->def.edges[found->edge].kind == ABUT_SOLID_EDGE_INTERSECTION
                     ? ABUT_PROOF_TOLERANCE
                     : ABUT_PROOF_INTERVAL;
}

static abut_status test_faces(const abut_pair *pair, size_t face_a, size_t face_b, abut_workspace *ws,
                              abut_face_result *out)
{
    abut_brep_body body[2];
    abut_brep_faces found;
    double slack, rounding;
    abut_status status = abut_brep_bodies(pair, ws, body, &slack, &rounding);
    if (!status && isfinite(slack)) {
        status = abut_brep_two_faces(pair, body, slack, (uint32_t)face_a, (uint32_t)face_b, ws, &found);
        if (!status)
            write_result(pair, body, &found, out);
    }
    return status;
}

static ABUT_MATH_NOINLINE abut_status place_and_test(const abut_posed_pair *posed, size_t face_a,
                                                     size_t face_b, abut_workspace *ws, abut_face_result *out)
{
    abut_place at_a, at_b;
    abut_status status = abut_posed_place(posed, &at_a, &at_b);
    if (status)
        return status;
    const abut_pair pair = { posed->a, posed->b, &at_a, &at_b, NULL };
    abut_workspace own;
    if (!ws)
        abut_workspace_open(&own, &posed->a->alloc);
    abut_workspace *used = ws ? ws : &own;
    const abut_workspace_mark mark = abut_workspace_begin(used);
    status = test_faces(&pair, face_a, face_b, used, out);
    abut_workspace_end(used, mark);
    if (!ws)
        abut_workspace_close(&own);
    return status;
}

abut_status abut_face_test(const abut_shape *a, size_t face_a, const abut_pose *pose_a, const abut_shape *b,
                           size_t face_b, const abut_pose *pose_b, abut_workspace *ws, abut_face_result *out)
{
    static const abut_pose identity = { { 0, 0, 0 }, { 1, 0, 0, 0 } };
    if (out)
        *out = (abut_face_result){ .edge = -1 };
    if (!a || !b || !out)
        return ABUT_ERR_ARGUMENT;
    const abut_solid *solid_a = abut_shape_solid(a), *solid_b = abut_shape_solid(b);
    if (!solid_a || !solid_b)
        return ABUT_ERR_UNSUPPORTED;
    if (!has_face(solid_a, face_a) || !has_face(solid_b, face_b))
        return ABUT_ERR_ARGUMENT;
    const abut_posed_pair posed = { a, b, pose_a ? pose_a : &identity, pose_b ? pose_b : &identity, NULL };
    const abut_nearest saved = abut_nearest_enter();
    const abut_status status = place_and_test(&posed, face_a, face_b, ws, out);
    abut_nearest_leave(saved);
    if (status)
        *out = (abut_face_result){ .edge = -1 };
    return status;
}
