/* SPDX-License-Identifier: MIT */
/* Two boxers made of 24 ellipsoids each, for the example, the scene, the test and the race: where
 * every limb is in each frame.
 *
 * Hips and chests sway, feet step, fists go from their guard to the other's head or belly and
 * back; elbows and knees follow from the lengths of the bones. All of it by + - * / and sqrt, so
 * that every machine makes the same bits. Metres, thirty frames a second, z is up. */
#ifndef BOXERS_H
#define BOXERS_H

#include <abut/ellipsoid.h>
#include <math.h>

enum { BOXERS_PARTS = 24, BOXERS_FRAMES = 1000 };

typedef struct boxers_part {
    const char *name;
    abut_vec3 radii; /* limbs: the bone runs along z */
} boxers_part;

static const boxers_part boxers_parts[BOXERS_PARTS] = {
    { "head", { 0.085, 0.1, 0.125 } },
    { "neck", { 0.06, 0.06, 0.08 } },
    { "chest", { 0.13, 0.19, 0.2 } },
    { "belly", { 0.11, 0.16, 0.16 } },
    { "hips", { 0.12, 0.18, 0.13 } },
    { "back", { 0.09, 0.17, 0.19 } },
    { "left shoulder", { 0.075, 0.075, 0.075 } },
    { "left upper arm", { 0.055, 0.05, 0.16 } },
    { "left forearm", { 0.045, 0.045, 0.15 } },
    { "left fist", { 0.07, 0.075, 0.09 } },
    { "right shoulder", { 0.075, 0.075, 0.075 } },
    { "right upper arm", { 0.055, 0.05, 0.16 } },
    { "right forearm", { 0.045, 0.045, 0.15 } },
    { "right fist", { 0.07, 0.075, 0.09 } },
    { "left seat", { 0.1, 0.1, 0.11 } },
    { "left thigh", { 0.085, 0.085, 0.24 } },
    { "left knee", { 0.06, 0.06, 0.07 } },
    { "left shin", { 0.06, 0.055, 0.23 } },
    { "left foot", { 0.13, 0.05, 0.045 } },
    { "right seat", { 0.1, 0.1, 0.11 } },
    { "right thigh", { 0.085, 0.085, 0.24 } },
    { "right knee", { 0.06, 0.06, 0.07 } },
    { "right shin", { 0.06, 0.055, 0.23 } },
    { "right foot", { 0.13, 0.05, 0.045 } },
};

/* ---- small things ---- */

static inline abut_vec3 boxers_add(abut_vec3 a, double s, abut_vec3 b)
{
    return (abut_vec3){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}

static inline double boxers_dot(abut_vec3 a, abut_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline abut_vec3 boxers_unit(abut_vec3 a)
{
    const double s = 1 / sqrt(boxers_dot(a, a));
    return (abut_vec3){ s * a.x, s * a.y, s * a.z };
}

/* Like a sine of x turns, made of parabolas. */
static inline double boxers_wave(double x)
{
    const double p = x - floor(x);
    return p < 0.5 ? 8 * p * (1 - 2 * p) : -8 * (p - 0.5) * (2 - 2 * p);
}

/* 0 for most of a turn, and up to 1 and back once, smoothly, within the part `width` of it. */
static inline double boxers_pulse(double x, double width)
{
    const double p = (x - floor(x)) / width;
    const double s = p < 1 ? 4 * p * (1 - p) : 0;
    return s * s * (3 - 2 * s);
}

/* The rotation that takes z to d (a unit vector, not -z) the shortest way. */
static inline abut_quat boxers_along(abut_vec3 d)
{
    const abut_quat q = { 1 + d.z, -d.y, d.x, 0 };
    const double s = 1 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y);
    return (abut_quat){ s * q.w, s * q.x, s * q.y, 0 };
}

/* ---- limbs ---- */

/* Where the joint between two bones of the given lengths is, when they reach from `root` towards
 * `*end` and it bends towards `pole`. An end out of reach is pulled in. */
static inline abut_vec3 boxers_joint(abut_vec3 root, abut_vec3 *end, double upper, double lower,
                                     abut_vec3 pole)
{
    const abut_vec3 away = boxers_add(*end, -1, root), d = boxers_unit(away);
    const double reach = sqrt(boxers_dot(away, away)), most = 0.999 * (upper + lower);
    const double r = reach < most ? reach : most;
    *end = boxers_add(root, r, d);
    const double along = (r * r + upper * upper - lower * lower) / (2 * r);
    const double off = upper * upper - along * along;
    const abut_vec3 side = boxers_unit(boxers_add(pole, -boxers_dot(pole, d), d));
    return boxers_add(boxers_add(root, along, d), off > 0 ? sqrt(off) : 0, side);
}

static inline abut_pose boxers_bone(abut_vec3 from, abut_vec3 to)
{
    const abut_vec3 middle = { 0.5 * (from.x + to.x), 0.5 * (from.y + to.y), 0.5 * (from.z + to.z) };
    return (abut_pose){ middle, boxers_along(boxers_unit(boxers_add(to, -1, from))) };
}

/* Four parts from the shoulder to the fist. */
static inline void boxers_arm(abut_vec3 shoulder, abut_vec3 fist, double side, abut_quat turn, abut_pose *out)
{
    const abut_vec3 elbow = boxers_joint(shoulder, &fist, 0.29, 0.27, (abut_vec3){ -0.2, 0.6 * side, -0.8 });
    out[0] = (abut_pose){ shoulder, turn };
    out[1] = boxers_bone(elbow, shoulder); /* upward: along() has no answer straight down */
    out[2] = boxers_bone(elbow, fist);
    out[3] = (abut_pose){ boxers_add(fist, 0.06, boxers_unit(boxers_add(fist, -1, elbow))), out[2].rotation };
}

/* Five from the seat to the foot. */
static inline void boxers_leg(abut_vec3 seat, abut_vec3 ankle, abut_quat turn, abut_pose *out)
{
    const abut_vec3 knee = boxers_joint(seat, &ankle, 0.44, 0.44, (abut_vec3){ 1, 0, 0 });
    out[0] = (abut_pose){ seat, turn };
    out[1] = boxers_bone(knee, seat);
    out[2] = (abut_pose){ knee, boxers_along(boxers_unit(boxers_add(seat, -1, ankle))) };
    out[3] = boxers_bone(ankle, knee);
    out[4] = (abut_pose){ boxers_add(ankle, 1, (abut_vec3){ 0.06, 0, -0.04 }), turn };
}

/* One boxer who faces +x, at a time in seconds. `target`: where the other's head is, as he sees
 * it. */
static inline void boxers_figure(double t, double phase, abut_vec3 target, abut_pose *out)
{
    const double step = boxers_wave(0.23 * t + phase), sway = boxers_wave(0.41 * t + 2 * phase);
    const abut_vec3 hips = { 0.07 * step, 0.06 * sway, 0.92 + 0.02 * boxers_wave(1.3 * t + phase) };
    const double lean = 0.12 + 0.06 * boxers_wave(0.37 * t + 3 * phase),
                 twist = 0.25 * boxers_wave(0.7 * t + phase);
    const abut_vec3 up = boxers_unit((abut_vec3){ lean, 0.1 * boxers_wave(0.31 * t), 1 });
    const abut_quat upright = boxers_along(up);
    const double half = 1 / sqrt(1 + 0.25 * twist * twist);
    const abut_pose trunk = { hips, { 0, 0, 0, 0 } };
    const abut_pose turned = { { 0, 0, 0 }, { half, 0, 0, 0.5 * half * twist } };
    const abut_pose leaning = { { 0, 0, 0 }, upright };
    abut_pose body = abut_pose_compose(leaning, turned);
    body.position = trunk.position;

    const double nod = boxers_wave(0.53 * t + phase);
    out[0] = (abut_pose){ abut_pose_apply(body, (abut_vec3){ 0.06, 0.04 * nod, 0.72 }), upright };
    out[1] = (abut_pose){ abut_pose_apply(body, (abut_vec3){ 0.02, 0.02 * nod, 0.57 }), upright };
    out[2] = (abut_pose){ abut_pose_apply(body, (abut_vec3){ 0.02, 0, 0.36 }), body.rotation };
    out[3] = (abut_pose){ abut_pose_apply(body, (abut_vec3){ 0.02, 0, 0.16 }), body.rotation };
    out[4] = (abut_pose){ hips, upright };
    out[5] = (abut_pose){ abut_pose_apply(body, (abut_vec3){ -0.06, 0, 0.38 }), body.rotation };

    for (int arm = 0; arm < 2; ++arm) {
        const double side = arm == 0 ? 1 : -1;
        const double punch = boxers_pulse(0.61 * t + phase + 0.47 * arm, 0.4);
        const bool low = boxers_wave(0.17 * t + phase + 0.3 * arm) < -0.3;
        const abut_vec3 shoulder = abut_pose_apply(body, (abut_vec3){ 0.01, 0.22 * side, 0.48 });
        const abut_vec3 guard = abut_pose_apply(body, (abut_vec3){ 0.2, 0.14 * side, 0.55 });
        const abut_vec3 goal = { target.x - 0.14, target.y, low ? 1.1 : target.z };
        boxers_arm(shoulder, boxers_add(guard, punch, boxers_add(goal, -1, guard)), side, body.rotation,
                   out + 6 + 4 * arm);
    }
    for (int leg = 0; leg < 2; ++leg) {
        const double side = leg == 0 ? 1 : -1;
        const double stride = boxers_wave(0.23 * t + phase),
                     lift = boxers_pulse(0.46 * t + phase + 0.5 * leg, 0.3);
        const abut_vec3 seat = abut_pose_apply(body, (abut_vec3){ 0, 0.1 * side, -0.06 });
        const abut_vec3 ankle = { 0.16 * side + 0.06 * stride, 0.14 * side, 0.09 + 0.06 * lift };
        boxers_leg(seat, ankle, (abut_quat){ 1, 0, 0, 0 }, out + 14 + 5 * leg);
    }
}

/* Where the parts of boxer 0 or 1 are when a frame begins. They stand face to face; the second
 * is the first, turned about z. */
static inline void boxers_place(int who, int frame, abut_pose out[BOXERS_PARTS])
{
    const double t = frame / 30.0, apart = 0.66 + 0.06 * boxers_wave(0.11 * t);
    const double phase = who == 0 ? 0 : 0.37;
    const abut_vec3 target = { apart, 0.05 * boxers_wave(0.29 * t + phase), 1.62 };
    boxers_figure(t, phase, target, out);
    if (who == 0)
        return;
    const abut_pose facing = { { apart, 0, 0 }, { 0, 0, 0, 1 } };
    for (int i = 0; i < BOXERS_PARTS; ++i)
        out[i] = abut_pose_compose(facing, out[i]);
}

/* One boxer from one frame to the next. */
static inline void boxers_move(int who, int frame, abut_moving_ellipsoid out[BOXERS_PARTS])
{
    abut_pose from[BOXERS_PARTS], to[BOXERS_PARTS];
    boxers_place(who, frame, from);
    boxers_place(who, frame + 1, to);
    for (int i = 0; i < BOXERS_PARTS; ++i)
        out[i] = (abut_moving_ellipsoid){ boxers_parts[i].radii, from[i], to[i] };
}

#endif
