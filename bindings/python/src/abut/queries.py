# SPDX-License-Identifier: MIT
"""Questions about pairs of shapes, at an instant and over time, and about rays and points.

Every answer carries `verdict` and `proof`; numbers that are only enclosed come as (lo, hi), with lo == hi
where they are exact. The interpreter's lock is released while a query runs.
"""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._core import (FEATURES, FIRSTS, PROOFS, STOPS, VERDICTS, WHERES, Interval, PoseLike, Vec3, affine, as_pose,
                    c_pose, check as _check, ffi, floats, from_affine, from_vec3, interval, lib, new_error, pointer,
                    vec3)
from .motions import MotionLike, c_motion
from .shapes import Shape

__all__ = ["Contact", "CheckResult", "DistanceResult", "OverlapResult", "FirstResult", "FirstPoint", "RayHit",
           "Piece", "TriangleContacts", "DistanceBatch", "OverlapBatch", "check", "distance", "overlap",
           "first_contact", "contact_intervals", "IntervalsResult", "cast_ray", "classify_point",
           "classify_segment", "triangle_contacts", "self_contacts", "distance_batch", "overlap_batch",
           "ellipsoid_relation", "ellipsoid_batch", "fit_ellipsoid", "fit_sphere"]

Point = Tuple[float, float, float]


class Contact(NamedTuple):
    point: Point
    normal: Point
    features: Tuple[str, str]
    ids: Tuple[int, int]


class CheckResult(NamedTuple):
    """The relation of two bodies."""

    verdict: str
    proof: str
    distance: Interval
    depth: Optional[Interval]
    points: Optional[Tuple[Point, Point]]
    normal: Optional[Point]
    contacts: List[Contact]
    stop: str

    @property
    def contact_points(self) -> np.ndarray:
        """The contacts' points as an n x 3 array."""
        return np.array([c.point for c in self.contacts], dtype=np.float64).reshape(-1, 3)


def check_result(r: Any) -> CheckResult:
    """Of the C structure."""
    contacts = [Contact(from_vec3(c.point), from_vec3(c.normal),
                        (FEATURES[c.features[0]], FEATURES[c.features[1]]), (c.ids[0], c.ids[1]))
                for c in r.contacts[0:r.contact_count]]
    return CheckResult(VERDICTS[r.verdict], PROOFS[r.proof], interval(r.distance),
                       interval(r.depth) if r.has_depth else None,
                       (from_vec3(r.point_a), from_vec3(r.point_b)) if r.has_points else None,
                       from_vec3(r.normal) if r.has_normal else None, contacts, STOPS[r.stop])


class DistanceResult(NamedTuple):
    verdict: str
    proof: str
    distance: Interval
    points: Optional[Tuple[Point, Point]]
    normal: Point
    stop: str


class OverlapResult(NamedTuple):
    verdict: str
    proof: str

    def __bool__(self) -> bool:
        if self.verdict == "undecided":
            raise ValueError("undecided")
        return self.verdict != "separate"


def _at_time(time: Optional[float], motions: Sequence[MotionLike], poses: Sequence[PoseLike]) -> bool:
    if time is None and not any(m is not None for m in motions):
        return False
    if any(p is not None for p in poses):
        raise TypeError("either poses, or motions and a time")
    if time is None:
        raise TypeError("motions need a time")
    return True


def check(a: Shape, b: Shape, pose_a: PoseLike = None, pose_b: PoseLike = None, *, motion_a: MotionLike = None,
          motion_b: MotionLike = None, time: Optional[float] = None, max_contacts: int = 0) -> CheckResult:
    """How two bodies stand: verdict, distance or depth, nearest points, contacts.

    >>> import abut
    >>> a, b = abut.sphere(0.5), abut.box([1, 1, 1])
    >>> r = abut.check(a, b, pose_a=abut.Pose([0, 0, 1.75]))
    >>> r.verdict, r.proof, r.distance
    ('separate', 'exact', (0.25, 0.25))
    >>> fall = abut.linear([0, 0, 3], [0, 0, 1])
    >>> abut.check(a, b, motion_a=fall, time=0.75).verdict
    'touching'
    """
    opts, r, error = ffi.new("abut_check_opts *"), ffi.new("abut_check_result *"), new_error()
    lib.abut_check_opts_init(opts)
    opts.max_contacts, opts.error = max_contacts, error
    if _at_time(time, (motion_a, motion_b), (pose_a, pose_b)):
        status = lib.abut_check_at(a._c, c_motion(motion_a), b._c, c_motion(motion_b), time, opts, ffi.NULL, r)
    else:
        status = lib.abut_check(a._c, c_pose(pose_a), b._c, c_pose(pose_b), opts, ffi.NULL, r)
    _check(status, error)
    return check_result(r)


def distance(a: Shape, b: Shape, pose_a: PoseLike = None, pose_b: PoseLike = None, *, with_depth: bool = False,
             cutoff: float = float("inf")) -> DistanceResult:
    """How far apart two bodies are; with_depth: minus the depth where they penetrate.

    >>> import abut
    >>> abut.distance(abut.sphere(1), abut.sphere(1), pose_b=[3, 0, 0]).distance
    (1.0, 1.0)
    """
    opts, r, error = ffi.new("abut_distance_opts *"), ffi.new("abut_distance_result *"), new_error()
    lib.abut_distance_opts_init(opts)
    opts.with_depth, opts.cutoff, opts.error = with_depth, cutoff, error
    _check(lib.abut_distance(a._c, c_pose(pose_a), b._c, c_pose(pose_b), opts, ffi.NULL, r), error)
    return DistanceResult(VERDICTS[r.verdict], PROOFS[r.proof], interval(r.distance),
                          (from_vec3(r.point_a), from_vec3(r.point_b)) if r.has_points else None,
                          from_vec3(r.normal), STOPS[r.stop])


def overlap(a: Shape, b: Shape, pose_a: PoseLike = None, pose_b: PoseLike = None, *,
            clearance: float = 0.0) -> OverlapResult:
    """Whether they meet, or are nearer than `clearance`; true and false where it is decided.

    >>> import abut
    >>> bool(abut.overlap(abut.sphere(1), abut.sphere(1), pose_b=[1.5, 0, 0]))
    True
    """
    opts, r, error = ffi.new("abut_overlap_opts *"), ffi.new("abut_overlap_result *"), new_error()
    lib.abut_overlap_opts_init(opts)
    opts.clearance, opts.error = clearance, error
    _check(lib.abut_overlap(a._c, c_pose(pose_a), b._c, c_pose(pose_b), opts, ffi.NULL, r), error)
    return OverlapResult(VERDICTS[r.verdict], PROOFS[r.proof])


# ---- over time ----

class FirstPoint(NamedTuple):
    time: Interval
    point: Point
    normal: Point
    kind: str
    unique: bool
    features: Tuple[str, str]


class FirstResult(NamedTuple):
    """The first contact: verdict "contact", "separate", "overlapping" or "undecided"."""

    verdict: str
    proof: str
    time: Optional[Interval]
    points: List[FirstPoint]
    stop: str


def first_opts(time: Optional[Interval], simultaneity: float, separation: float, max_iterations: int,
               error: Any = None) -> Any:
    opts = ffi.new("abut_first_opts *")
    lib.abut_first_opts_init(opts)
    if time is not None:
        opts.time = (float(time[0]), float(time[1]))
    opts.simultaneity, opts.separation, opts.max_iterations = simultaneity, separation, max_iterations
    if error is not None:
        opts.error = error
    return opts


def first_point(p: Any) -> FirstPoint:
    return FirstPoint(interval(p.time), from_vec3(p.point), from_vec3(p.normal),
                      "sampled" if p.kind == lib.ABUT_CONTACT_SAMPLED else "isolated", bool(p.unique),
                      (FEATURES[p.features[0]], FEATURES[p.features[1]]))


def first_contact(a: Shape, b: Shape, motion_a: MotionLike = None, motion_b: MotionLike = None, *,
                  time: Optional[Interval] = None, simultaneity: float = 0.0, separation: float = 0.0,
                  max_iterations: int = 0) -> FirstResult:
    """The first time at which they touch, with all contact points of that moment.

    >>> import abut
    >>> r = abut.first_contact(abut.sphere(1), abut.sphere(1), abut.linear([-5, 0, 0], [5, 0, 0]))
    >>> r.verdict, r.proof, r.time[0] <= 0.3 <= r.time[1]
    ('contact', 'exact', True)
    """
    error, found = new_error(), []
    opts = first_opts(time, simultaneity, separation, max_iterations, error)
    r = ffi.new("abut_first_result *")

    @ffi.callback("abut_first_point_fn")
    def take(_ctx: Any, p: Any) -> None:
        found.append(first_point(p))

    opts.on_point = take
    _check(lib.abut_first_contact(a._c, c_motion(motion_a), b._c, c_motion(motion_b), opts, ffi.NULL, r), error)
    points = found or [first_point(p) for p in r.points[0:min(r.point_count, len(r.points))]]
    verdict = FIRSTS[r.verdict]
    return FirstResult(verdict, PROOFS[r.proof], None if verdict == "separate" else interval(r.time), points,
                       STOPS[r.stop])


class IntervalsResult(NamedTuple):
    """Intervals of contact: rows of enter.lo, enter.hi, exit.lo, exit.hi."""

    proof: str
    intervals: np.ndarray
    stop: str


def contact_intervals(a: Shape, b: Shape, motion_a: MotionLike = None, motion_b: MotionLike = None, *,
                      time: Optional[Interval] = None, max_iterations: int = 0) -> IntervalsResult:
    """All intervals of time in which they meet.

    >>> import abut
    >>> r = abut.contact_intervals(abut.sphere(1), abut.sphere(1), abut.linear([-4, 0, 0], [4, 0, 0]))
    >>> [float(x) for x in r.intervals[0, [0, 3]]]
    [0.25, 0.75]
    """
    error, capacity = new_error(), 64
    opts = first_opts(time, 0, 0, max_iterations, error)
    r = ffi.new("abut_intervals_result *")
    while True:
        rows = np.empty((capacity, 4))
        _check(lib.abut_contact_intervals(a._c, c_motion(motion_a), b._c, c_motion(motion_b), opts, ffi.NULL,
                                          pointer(rows, "abut_contact_interval *"), capacity, r), error)
        if r.count <= capacity:
            return IntervalsResult(PROOFS[r.proof], rows[:r.count].copy(), STOPS[r.stop])
        capacity = r.count


# ---- rays, points, segments ----

class RayHit(NamedTuple):
    t: float
    point: Point
    normal: Point


def cast_ray(shape: Shape, origin: Vec3, direction: Vec3, pose: PoseLike = None) -> List[RayHit]:
    """Every crossing of the boundary, nearest first; t in units of the direction.

    >>> import abut
    >>> [hit.t for hit in abut.cast_ray(abut.sphere(1), [0, 0, 3], [0, 0, -1])]
    [2.0, 4.0]
    """
    count, capacity = ffi.new("size_t *"), 16
    while True:
        hits = ffi.new("abut_ray_hit[]", capacity)
        _check(lib.abut_cast_ray(shape._c, c_pose(pose), vec3(origin), vec3(direction), hits, capacity, count))
        if count[0] <= capacity:
            return [RayHit(h.t, from_vec3(h.point), from_vec3(h.normal)) for h in hits[0:count[0]]]
        capacity = count[0]


class Piece(NamedTuple):
    where: str
    id: int
    start: float
    end: float
    point: Optional[Point]


def _piece(p: Any) -> Piece:
    return Piece(WHERES[p.where], p.id, getattr(p, "from"), p.to,
                 from_vec3(p.point) if getattr(p, "from") == p.to else None)


def classify_point(shape: Shape, point: Vec3, pose: PoseLike = None) -> Piece:
    """Where a point lies: in, out, or on a vertex, edge or face.

    >>> import abut
    >>> abut.classify_point(abut.box([1, 1, 1]), [1, 0, 0]).where
    'face'
    """
    out = ffi.new("abut_piece *")
    _check(lib.abut_classify_point(shape._c, c_pose(pose), vec3(point), out))
    return _piece(out)


def classify_segment(shape: Shape, start: Vec3, end: Vec3, pose: PoseLike = None) -> List[Piece]:
    """The pieces of a segment, in order."""
    count, capacity = ffi.new("size_t *"), 32
    while True:
        pieces = ffi.new("abut_piece[]", capacity)
        _check(lib.abut_classify_segment(shape._c, c_pose(pose), vec3(start), vec3(end), pieces, capacity, count))
        if count[0] <= capacity:
            return [_piece(p) for p in pieces[0:count[0]]]
        capacity = count[0]


# ---- meshes ----

class TriangleContacts(NamedTuple):
    """Pairs of triangles that meet: their numbers (n x 2) and the ends of what they share (n x 2 x 3)."""

    verdict: str
    proof: str
    triangles: np.ndarray
    segments: np.ndarray


_contact_rows = np.dtype([("a", np.uint32), ("b", np.uint32), ("meet", np.int32), ("_", np.int32),
                          ("segment", np.float64, (2, 3))])


def _triangle_contacts(ask: Any) -> TriangleContacts:
    r, capacity = ffi.new("abut_contacts_result *"), 256
    assert _contact_rows.itemsize == ffi.sizeof("abut_triangle_contact")
    while True:
        rows = np.zeros(capacity, _contact_rows)
        _check(ask(pointer(rows, "abut_triangle_contact *"), capacity, r))
        count = r.count + r.unknown
        if count <= capacity:
            kept = rows[:count]
            return TriangleContacts(VERDICTS[r.verdict], PROOFS[r.proof],
                                    np.stack([kept["a"], kept["b"]], axis=1), kept["segment"].copy())
        capacity = count


def triangle_contacts(a: Shape, b: Shape, pose_a: PoseLike = None, pose_b: PoseLike = None) -> TriangleContacts:
    """All pairs of triangles of two meshes that meet."""
    p, q = c_pose(pose_a), c_pose(pose_b)
    return _triangle_contacts(lambda to, room, r: lib.abut_contacts(a._c, p, b._c, q, ffi.NULL, ffi.NULL, to, room, r))


def self_contacts(mesh: Shape) -> TriangleContacts:
    """All pairs of triangles of one mesh that meet other than as neighbours do."""
    return _triangle_contacts(lambda to, room, r: lib.abut_self_contacts(mesh._c, ffi.NULL, ffi.NULL, to, room, r))


# ---- many poses at once ----

class DistanceBatch(NamedTuple):
    """Arrays of n: distances (n x 2: lo, hi), verdicts and proofs (numbers: see the *_names), points, normals."""

    distance: np.ndarray
    verdict: np.ndarray
    proof: np.ndarray
    point_a: Optional[np.ndarray]
    point_b: Optional[np.ndarray]
    normal: Optional[np.ndarray]

    @property
    def verdict_names(self) -> np.ndarray:
        return np.array(VERDICTS)[self.verdict]

    @property
    def proof_names(self) -> np.ndarray:
        return np.array(PROOFS)[self.proof]


class OverlapBatch(NamedTuple):
    verdict: np.ndarray
    proof: np.ndarray

    @property
    def verdict_names(self) -> np.ndarray:
        return np.array(VERDICTS)[self.verdict]


def _poses(value: Any) -> Tuple[Optional[np.ndarray], int]:
    """Rows of seven numbers (or of three: positions); one for all where it is a single pose."""
    if value is None:
        return None, -1
    if not hasattr(value, "ndim") and not isinstance(value, (list, tuple)):
        raise TypeError("poses are an n x 7 array (position, quaternion) or an n x 3 array of positions")
    if isinstance(value, tuple) and len(value) == 2 and hasattr(value, "rotation"):
        return as_pose(value).row()[None], 1  # type: ignore[arg-type]
    array = np.asarray(value, dtype=np.float64)
    if array.ndim == 1:
        return as_pose(array).row()[None], 1
    if array.ndim == 2 and array.shape[1] == 3:
        full = np.zeros((len(array), 7))
        full[:, :3], full[:, 3] = array, 1
        return full, len(array)
    return floats(array, -1, 7), len(array)


def _batch(pose_a: Any, pose_b: Any) -> Tuple[Any, Any, int, list]:
    a, n = _poses(pose_a)
    b, m = _poses(pose_b)
    count = max(n, m, 1)
    out = []
    for rows, k in ((a, n), (b, m)):
        if k not in (-1, 1, count):
            raise ValueError(f"{n} poses of a, {m} of b")
        c = ffi.new("abut_py_poses *")
        c.rows, c.step = pointer(rows, "double *"), 7 if k == count and count > 1 else 0
        out.append(c[0])
    return out[0], out[1], count, [a, b]


def distance_batch(a: Shape, b: Shape, poses_a: Any = None, poses_b: Any = None, *, with_depth: bool = False,
                   points: bool = True) -> DistanceBatch:
    """abut.distance for n poses, in one call at the speed of C.

    Poses are n x 7 arrays (position, quaternion w x y z) or n x 3 arrays of positions; a single pose holds
    for all.

    >>> import abut, numpy as np
    >>> z = np.linspace(0, 3, 4)
    >>> r = abut.distance_batch(abut.box([1, 1, 1]), abut.sphere(0.5), poses_b=np.stack([0 * z, 0 * z, z], 1))
    >>> r.distance[3].tolist(), r.verdict_names.tolist()
    ([1.5, 1.5], ['penetrating', 'penetrating', 'separate', 'separate'])
    """
    pa, pb, n, keep = _batch(poses_a, poses_b)
    lo, hi = np.empty(n), np.empty(n)
    verdict, proof = np.empty(n, np.uint8), np.empty(n, np.uint8)
    extra = [np.empty((n, 3)) if points else None for _ in range(3)]
    failed = ffi.new("size_t *")
    status = lib.abut_py_distance(a._c, pa, b._c, pb, n, with_depth, pointer(lo, "double *"), pointer(hi, "double *"),
                                  pointer(verdict, "uint8_t *"), pointer(proof, "uint8_t *"),
                                  *(pointer(e, "double *") for e in extra), failed)
    _check(status, where=f"pose {failed[0]}" if status else "")
    del keep
    return DistanceBatch(np.stack([lo, hi], axis=1), verdict, proof, *extra)


def overlap_batch(a: Shape, b: Shape, poses_a: Any = None, poses_b: Any = None, *,
                  clearance: float = 0.0) -> OverlapBatch:
    """abut.overlap for n poses, in one call at the speed of C."""
    pa, pb, n, keep = _batch(poses_a, poses_b)
    verdict, proof = np.empty(n, np.uint8), np.empty(n, np.uint8)
    failed = ffi.new("size_t *")
    status = lib.abut_py_overlap(a._c, pa, b._c, pb, n, clearance, pointer(verdict, "uint8_t *"),
                                 pointer(proof, "uint8_t *"), failed)
    _check(status, where=f"pose {failed[0]}" if status else "")
    del keep
    return OverlapBatch(verdict, proof)


# ---- ellipsoids ----

def ellipsoid_relation(a: Any, b: Any) -> str:
    """How the images of the unit ball under two affine maps (4 x 4) stand, proved: "crossing", "a in b".

    >>> import abut, numpy as np
    >>> abut.ellipsoid_relation(np.eye(4), np.diag([2.0, 2, 2, 1]))
    'a in b'
    """
    out = ffi.new("abut_ellipsoid_result *")
    _check(lib.abut_ellipsoid_relate(affine(a), affine(b), out))
    return ffi.string(lib.abut_ellipsoid_relation_name(out.relation)).decode().replace("-", " ")


def ellipsoid_batch(radii: Any, poses: Any, pairs: Any) -> np.ndarray:
    """Verdicts (numbers, as in OverlapBatch) of many pairs of ellipsoids, proved.

    radii: n x 3; poses: n x 7; pairs: m x 2 indices.
    """
    r, p = floats(radii, -1, 3), _poses(np.asarray(poses, dtype=np.float64))[0]
    if p is None or len(p) != len(r):
        raise ValueError("as many poses as radii are needed")
    which = np.asarray(pairs)
    if which.ndim != 2 or which.shape[1] != 2 or (which.size and (which.min() < 0 or which.max() >= len(r))):
        raise ValueError("pairs must be an m x 2 array of indices")
    which = np.ascontiguousarray(which, dtype=np.uint32)
    made, failed = ffi.new("abut_ellipsoid_set **"), ffi.new("size_t *")
    _check(lib.abut_ellipsoid_set_create(len(r), ffi.NULL, made))
    try:
        status = lib.abut_py_set_poses(made[0], pointer(r, "double *"), pointer(p, "double *"), len(r), failed)
        _check(status, where=f"ellipsoid {failed[0]}" if status else "")
        out = np.empty(len(which), np.uint8)
        _check(lib.abut_ellipsoid_set_test(made[0], pointer(which, "uint32_t *"), len(which),
                                           pointer(out, "uint8_t *"), ffi.NULL))
        return out
    finally:
        lib.abut_ellipsoid_set_destroy(made[0])


def fit_ellipsoid(points: Any, tolerance: float = 0.0) -> np.ndarray:
    """The smallest ellipsoid around points, as the 4 x 4 map of the unit ball; certified to contain them."""
    p, out, error = floats(points, -1, 3), ffi.new("abut_affine *"), new_error()
    _check(lib.abut_ellipsoid_fit(pointer(p, "abut_vec3 *"), len(p), tolerance, ffi.NULL, out, error), error)
    return from_affine(out)


def fit_sphere(points: Any) -> Tuple[Point, float]:
    """Centre and radius of the smallest ball around points; certified to contain them."""
    p, c, r, error = floats(points, -1, 3), ffi.new("abut_vec3 *"), ffi.new("double *"), new_error()
    _check(lib.abut_sphere_fit(pointer(p, "abut_vec3 *"), len(p), c, r, error), error)
    return from_vec3(c), r[0]
