# SPDX-License-Identifier: MIT
"""Motions: where a shape is at each time."""
from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence, Tuple

import numpy as np

from ._core import (Interval, Pose, PoseLike, Vec3, affine, check, ffi, floats, from_affine, interval, lib,
                    new_error, placement, pointer, vec3)

__all__ = ["Motion", "rest", "linear", "velocity", "screw", "nlerp", "chebyshev", "affine_motion", "expression",
           "keyframes", "chain", "vertices"]


class Motion:
    """A motion; made by the functions of this module."""

    __slots__ = ("_c", "__weakref__")

    def __init__(self, c: Any):
        self._c = ffi.gc(c, lib.abut_motion_release)

    @property
    def type(self) -> str:
        return ffi.string(lib.abut_motion_type_name(lib.abut_motion_get_type(self._c))).decode()

    @property
    def time(self) -> Interval:
        """The times at which it is defined; infinite for a motion at rest."""
        return interval(lib.abut_motion_get_range(self._c))

    def at(self, t: float) -> np.ndarray:
        """The placement at a time, as a 4 x 4 matrix.

        >>> import abut
        >>> abut.linear([0, 0, 0], [2, 0, 0]).at(0.5)[0, 3]
        1.0
        """
        out = ffi.new("abut_affine *")
        check(lib.abut_motion_at(self._c, t, out))
        return from_affine(out)

    def __repr__(self) -> str:
        return f"<abut motion {self.type}>"


def _make(create: Any, *arguments: Any) -> Motion:
    out, error = ffi.new("abut_motion **"), new_error()
    check(create(*arguments, ffi.NULL, out, error), error)
    return Motion(out[0])


def rest(pose: PoseLike = None) -> Motion:
    """At rest; `pose` may also be a 4 x 4 matrix of any invertible map, for the shapes that take one."""
    if isinstance(pose, np.ndarray) and pose.ndim == 2:
        return _make(lib.abut_motion_create_static_affine, affine(pose))
    return _make(lib.abut_motion_create_static, placement(pose))


def linear(start: PoseLike, end: PoseLike, time: Interval = (0, 1)) -> Motion:
    """The origin at constant velocity, the rotation at constant angular velocity, the shorter way."""
    return _make(lib.abut_motion_create_linear, time[0], time[1], placement(start), placement(end))


def velocity(start: PoseLike, linear: Vec3 = (0, 0, 0), angular: Vec3 = (0, 0, 0), time: Interval = (0, 1)) -> Motion:
    """From a pose on with constant linear and angular velocity (world axes, radians per unit of time)."""
    return _make(lib.abut_motion_create_velocity, time[0], time[1], placement(start), vec3(linear), vec3(angular))


def screw(start: PoseLike, end: PoseLike, time: Interval = (0, 1)) -> Motion:
    """The screw that joins two poses."""
    return _make(lib.abut_motion_create_screw, time[0], time[1], placement(start), placement(end))


def nlerp(start: PoseLike, end: PoseLike, time: Interval = (0, 1)) -> Motion:
    """Linear position, normalised linear quaternion."""
    return _make(lib.abut_motion_create_nlerp, time[0], time[1], placement(start), placement(end))


def _series(lists: Sequence[Sequence[float]], keep: list) -> Any:
    out = ffi.new("abut_series[]", len(lists))
    for i, values in enumerate(lists):
        data = ffi.new("double[]", [float(x) for x in values] or 1)
        keep.append(data)
        out[i].c, out[i].count = data, len(values)
    return out


def chebyshev(position: Sequence[Sequence[float]], quaternion: Optional[Sequence[Sequence[float]]] = None,
              time: Interval = (0, 1)) -> Motion:
    """Chebyshev series of three coordinates, and of a quaternion; the first coefficients are halved."""
    keep: list = []
    return _make(lib.abut_motion_create_chebyshev, time[0], time[1], _series(position, keep),
                 _series(quaternion or [[], [], [], []], keep))


def affine_motion(matrices: Any, time: Interval = (0, 1)) -> Motion:
    """Bernstein coefficients (matrices of 3 x 4 or 4 x 4) of an affine map."""
    c = ffi.new("abut_affine[]", len(matrices))
    for i, m in enumerate(matrices):
        affine(m, ffi.addressof(c, i))
    return _make(lib.abut_motion_create_affine, time[0], time[1], c, len(matrices))


def expression(position: Tuple[str, str, str], axis: Vec3 = (0, 0, 1), radians: Optional[str] = None,
               time: Interval = (0, 1)) -> Motion:
    """Any path: expressions in t for the position, and for the angle about a fixed axis.

    >>> import abut
    >>> bool(abs(abut.expression(("cos(t)", "sin(t)", "0")).at(0.0)[0, 3] - 1) < 1e-15)
    True
    """
    words = [ffi.new("char[]", p.encode()) for p in position]
    return _make(lib.abut_motion_create_expression, time[0], time[1], ffi.new("const char *[]", words), vec3(axis),
                 ffi.NULL if radians is None else radians.encode())


def keyframes(keys: Iterable[Tuple[float, PoseLike]]) -> Motion:
    """(time, pose) pairs, `linear` from key to key."""
    pairs = list(keys)
    c = ffi.new("abut_keyframe[]", len(pairs) or 1)
    for i, (t, pose) in enumerate(pairs):
        c[i].t, c[i].at = t, placement(pose)[0]
    return _make(lib.abut_motion_create_keyframes, c, len(pairs))


def chain(*links: Motion) -> Motion:
    """The first in the world, each other relative to the one before it: an arm."""
    return _make(lib.abut_motion_create_chain, ffi.new("abut_motion *[]", [m._c for m in links] or 1), len(links))


def vertices(keys: Iterable[Tuple[float, Any]]) -> Motion:
    """(time, n x 3 array) pairs: each vertex of a mesh on a straight line from key to key."""
    pairs = [(float(t), floats(v, -1, 3)) for t, v in keys]
    c = ffi.new("abut_vertex_key[]", len(pairs) or 1)
    for i, (t, v) in enumerate(pairs):
        c[i].t, c[i].vertices, c[i].vertex_count = t, pointer(v, "abut_vec3 *"), len(v)
    return _make(lib.abut_motion_create_vertices, c, len(pairs))


MotionLike = Optional[Motion]


def c_motion(motion: MotionLike) -> Any:
    if motion is None:
        return ffi.NULL
    if isinstance(motion, (Pose, list, tuple, np.ndarray)):
        raise TypeError("a motion is needed here; abut.rest(pose) makes one of a pose")
    return motion._c
