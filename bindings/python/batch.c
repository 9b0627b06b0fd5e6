#include <math.h>

static inline const abut_pose *abut_py_pose(abut_py_poses poses, size_t i, abut_pose *to)
{
    if (!poses.rows)
        return NULL;
    const double *p = poses.rows + i * poses.step;
    *to = (abut_pose){ { p[0], p[1], p[2] }, { p[3], p[4], p[5], p[6] } };
    return to;
}

static inline void abut_py_put(double *rows, size_t i, abut_vec3 v)
{
    if (rows) {
        rows[3 * i] = v.x;
        rows[3 * i + 1] = v.y;
        rows[3 * i + 2] = v.z;
    }
}

abut_status abut_py_distance(const abut_shape *a, abut_py_poses pose_a, const abut_shape *b,
                             abut_py_poses pose_b, size_t count, bool with_depth, double *lo, double *hi,
                             uint8_t *verdict, uint8_t *proof, double *point_a, double *point_b,
                             double *normal, size_t *failed)
{
    abut_workspace *ws = NULL;
    abut_distance_opts opts;
    abut_status status = abut_workspace_create(NULL, &ws);
    abut_distance_opts_init(&opts);
    opts.with_depth = with_depth;
    for (size_t i = 0; !status && i < count; ++i) {
        abut_distance_result r;
        abut_pose p, q;
        status = abut_distance(a, abut_py_pose(pose_a, i, &p), b, abut_py_pose(pose_b, i, &q), &opts, ws, &r);
        *failed = i;
        if (status)
            break;
        if (lo)
            lo[i] = r.distance.lo;
        if (hi)
            hi[i] = r.distance.hi;
        if (verdict)
            verdict[i] = (uint8_t)r.verdict;
        if (proof)
            proof[i] = (uint8_t)r.proof;
        abut_py_put(point_a, i, r.has_points ? r.point_a : (abut_vec3){ NAN, NAN, NAN });
        abut_py_put(point_b, i, r.has_points ? r.point_b : (abut_vec3){ NAN, NAN, NAN });
        abut_py_put(normal, i, r.normal);
    }
    abut_workspace_destroy(ws);
    return status;
}

abut_status abut_py_overlap(const abut_shape *a, abut_py_poses pose_a, const abut_shape *b,
                            abut_py_poses pose_b, size_t count, double clearance, uint8_t *verdict,
                            uint8_t *proof, size_t *failed)
{
    abut_workspace *ws = NULL;
    abut_overlap_opts opts;
    abut_status status = abut_workspace_create(NULL, &ws);
    abut_overlap_opts_init(&opts);
    opts.clearance = clearance;
    for (size_t i = 0; !status && i < count; ++i) {
        abut_overlap_result r;
        abut_pose p, q;
        status = abut_overlap(a, abut_py_pose(pose_a, i, &p), b, abut_py_pose(pose_b, i, &q), &opts, ws, &r);
        *failed = i;
        if (!status) {
            verdict[i] = (uint8_t)r.verdict;
            proof[i] = (uint8_t)r.proof;
        }
    }
    abut_workspace_destroy(ws);
    return status;
}

abut_status abut_py_set_poses(abut_ellipsoid_set *set, const double *radii, const double *poses, size_t count,
                              size_t *failed)
{
    abut_status status = ABUT_OK;
    for (size_t i = 0; !status && i < count; ++i) {
        const double *r = radii + 3 * i, *p = poses + 7 * i;
        const abut_pose pose = { { p[0], p[1], p[2] }, { p[3], p[4], p[5], p[6] } };
        *failed = i;
        status = abut_ellipsoid_set_pose(set, i, (abut_vec3){ r[0], r[1], r[2] }, &pose);
    }
    return status;
}
