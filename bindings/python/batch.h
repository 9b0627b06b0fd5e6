/* Loops over many poses, in C: one call, without the interpreter in between. */

/* Poses are rows of 7 doubles: position, then the quaternion w, x, y, z. NULL: the identity; `step`
 * 0: the same pose for all. Answers are rows of arrays, each of which may be NULL. */
typedef struct abut_py_poses {
    const double *rows;
    size_t step;
} abut_py_poses;

/* Returns the status of the first that failed, and its number in *failed. */
abut_status abut_py_distance(const abut_shape *a, abut_py_poses pose_a, const abut_shape *b,
                             abut_py_poses pose_b, size_t count, bool with_depth, double *lo, double *hi,
                             uint8_t *verdict, uint8_t *proof, double *point_a, double *point_b,
                             double *normal, size_t *failed);
abut_status abut_py_overlap(const abut_shape *a, abut_py_poses pose_a, const abut_shape *b,
                            abut_py_poses pose_b, size_t count, double clearance, uint8_t *verdict,
                            uint8_t *proof, size_t *failed);
abut_status abut_py_set_poses(abut_ellipsoid_set *set, const double *radii, const double *poses, size_t count,
                              size_t *failed);
