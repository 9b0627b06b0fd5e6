# SPDX-License-Identifier: MIT
"""Errors, enclosures, poses: what the other files share."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._abut import ffi, lib

Vec3 = Sequence[float]
Interval = Tuple[float, float]

__all__ = ["AbutError", "Pose", "ffi", "lib"]


class AbutError(Exception):
    """A call did not run. `status` is the name of the code, `text` says what is wrong.

    >>> import abut
    >>> try:
    ...     abut.sphere(-1)
    ... except abut.AbutError as error:
    ...     print(error.status)
    ABUT_ERR_ARGUMENT
    """

    def __init__(self, status: str, text: str, file: str = "", line: int = 0, path: str = "", index: int = -1):
        self.status, self.text, self.file, self.line, self.path, self.index = status, text, file, line, path, index
        where = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(f"{where}{path + ': ' if path else ''}{text}")


class ArgumentError(AbutError, ValueError):
    """An argument, or a value in a file, is not allowed."""


class UnsupportedError(AbutError, NotImplementedError):
    """There is no method for this combination of shapes and motions yet."""


def _string(chars: Any) -> str:
    return ffi.string(chars).decode("utf-8", "replace")


def new_error() -> Any:
    return ffi.new("abut_error *")


def check(status: int, error: Any = None, where: str = "") -> None:
    """Raises where a call failed."""
    if status == 0:
        return
    name = _string(lib.abut_status_name(status))
    text = file = path = ""
    line, index = 0, -1
    if error is not None and error.status == status:
        text, file, path = _string(error.text), _string(error.file), _string(error.path)
        line, index = error.line, error.index
    text = text or _string(lib.abut_status_text(status))
    if where:
        text = f"{where}: {text}"
    if status == lib.ABUT_ERR_MEMORY:
        raise MemoryError(text)
    kind = AbutError
    if status in (lib.ABUT_ERR_ARGUMENT, lib.ABUT_ERR_VALUE, lib.ABUT_ERR_SYNTAX):
        kind = ArgumentError
    if status == lib.ABUT_ERR_UNSUPPORTED:
        kind = UnsupportedError
    raise kind(name, text, file, line, path, index)


def floats(values: Any, *shape: int) -> np.ndarray:
    """An array of doubles, in C order, of that shape (-1: any length)."""
    array = np.ascontiguousarray(values, dtype=np.float64)
    if len(shape) != array.ndim or any(s not in (-1, n) for s, n in zip(shape, array.shape)):
        wanted = " x ".join("n" if s < 0 else str(s) for s in shape)
        raise ValueError(f"an array of {wanted} numbers is needed, not {' x '.join(map(str, array.shape)) or 'one'}")
    return array


def pointer(array: Optional[np.ndarray], kind: str) -> Any:
    return ffi.NULL if array is None else ffi.cast(kind, ffi.from_buffer(array))


def vec3(value: Vec3) -> Any:
    x, y, z = (float(c) for c in value)
    return ffi.new("abut_vec3 *", (x, y, z))[0]


def from_vec3(v: Any) -> Tuple[float, float, float]:
    return (v.x, v.y, v.z)


def interval(v: Any) -> Interval:
    return (v.lo, v.hi)


class Pose(NamedTuple):
    """x -> rotation x + position; the rotation is a quaternion (w, x, y, z).

    >>> import abut
    >>> abut.Pose([0, 0, 1.75]).position
    (0.0, 0.0, 1.75)
    >>> turned = abut.Pose.turned([0, 0, 1], degrees=90)
    >>> [round(c, 3) for c in turned.apply([1, 0, 0])]
    [0.0, 1.0, 0.0]
    """

    position: Tuple[float, float, float] = (0.0, 0.0, 0.0)
    rotation: Tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)

    @classmethod
    def turned(cls, axis: Vec3, *, radians: Optional[float] = None, degrees: Optional[float] = None,
               position: Vec3 = (0, 0, 0)) -> "Pose":
        """Turned about an axis of any length but 0."""
        if (radians is None) == (degrees is None):
            raise TypeError("either radians or degrees")
        angle = float(radians) if radians is not None else float(np.deg2rad(degrees))
        q = lib.abut_quat_from_axis_angle(vec3(axis), angle)
        return _pose(position, (q.w, q.x, q.y, q.z))

    @classmethod
    def from_matrix(cls, matrix: Any) -> "Pose":
        """Of a 4 x 4 or 3 x 4 matrix of a rotation and a translation."""
        m = np.asarray(matrix, dtype=np.float64)
        if m.shape not in ((4, 4), (3, 4)):
            raise ValueError("a matrix of 4 x 4 or 3 x 4 numbers is needed")
        r = ffi.new("abut_mat3 *", {"m": m[:3, :3].tolist()})
        if not np.allclose(m[:3, :3] @ m[:3, :3].T, np.eye(3), atol=1e-6) or np.linalg.det(m[:3, :3]) < 0:
            raise ValueError("the matrix is no rotation")
        q = lib.abut_quat_from_mat3(r)
        return _pose(m[:3, 3], (q.w, q.x, q.y, q.z))

    def matrix(self) -> np.ndarray:
        """As a 4 x 4 matrix."""
        r = lib.abut_quat_to_mat3(_c_pose(self)[0].rotation)
        out = np.eye(4)
        out[:3, :3] = [list(row) for row in r.m]
        out[:3, 3] = self.position
        return out

    def apply(self, point: Vec3) -> Tuple[float, float, float]:
        """Where a point of the body is."""
        return from_vec3(lib.abut_pose_apply(_c_pose(self)[0], vec3(point)))

    def __matmul__(self, other: "Pose") -> "Pose":
        """b_in_a @ c_in_b gives c_in_a."""
        return _py_pose(lib.abut_pose_compose(_c_pose(self)[0], _c_pose(other)[0]))

    def inverse(self) -> "Pose":
        return _py_pose(lib.abut_pose_inverse(_c_pose(self)[0]))

    def row(self) -> np.ndarray:
        """As the seven numbers of a row of a batch."""
        return np.array([*self.position, *self.rotation])


def _pose(position: Any, rotation: Any) -> Pose:
    x, y, z = (float(c) for c in position)
    w, i, j, k = (float(c) for c in rotation)
    return Pose((x, y, z), (w, i, j, k))


def _py_pose(p: Any) -> Pose:
    return _pose(from_vec3(p.position), (p.rotation.w, p.rotation.x, p.rotation.y, p.rotation.z))


# Pose([0, 0, 1]) is written with lists as often as with tuples.
_plain_new = Pose.__new__


def _new(cls: Any, position: Any = (0.0, 0.0, 0.0), rotation: Any = (1.0, 0.0, 0.0, 0.0)) -> Pose:
    return _plain_new(cls, tuple(map(float, position)), tuple(map(float, rotation)))


Pose.__new__ = _new  # type: ignore[assignment]

PoseLike = Union[Pose, Vec3, np.ndarray, None]


def as_pose(value: PoseLike) -> Pose:
    """A Pose, a position, seven numbers, or a matrix."""
    if value is None:
        return Pose()
    if isinstance(value, Pose):
        return value
    array = np.asarray(value, dtype=np.float64)
    if array.shape == (3,):
        return _pose(array, (1, 0, 0, 0))
    if array.shape == (7,):
        return _pose(array[:3], array[3:])
    return Pose.from_matrix(array)


def _c_pose(pose: Pose) -> Any:
    return ffi.new("abut_pose *", (pose.position, pose.rotation))


def c_pose(value: PoseLike) -> Any:
    return ffi.NULL if value is None else _c_pose(as_pose(value))


def placement(value: PoseLike) -> Any:
    """For motions."""
    out = ffi.new("abut_placement *")
    out[0] = lib.abut_placement_from_pose(_c_pose(as_pose(value))[0])
    return out


def affine(matrix: Any, to: Any = None) -> Any:
    m = np.asarray(matrix, dtype=np.float64)
    if m.shape not in ((4, 4), (3, 4)):
        raise ValueError("a matrix of 4 x 4 or 3 x 4 numbers is needed")
    to = ffi.new("abut_affine *") if to is None else to
    for i in range(3):
        for j in range(3):
            to.linear.m[i][j] = m[i, j]
    to.translation = vec3(m[:3, 3])
    return to


def from_affine(a: Any) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3] = [list(row) for row in a.linear.m]
    out[:3, 3] = from_vec3(a.translation)
    return out


VERDICTS = ("undecided", "separate", "touching", "penetrating")
PROOFS = ("none", "tolerance", "interval", "exact")
FEATURES = ("none", "vertex", "edge", "face")
FIRSTS = ("undecided", "contact", "separate", "overlapping")
STOPS = ("done", "tolerance", "budget", "cutoff", "cancelled")
WHERES = ("unknown", "in", "out", "vertex", "edge", "face")
