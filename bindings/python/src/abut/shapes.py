# SPDX-License-Identifier: MIT
"""Shapes: geometry in its own frame, checked when it is made, never changed after."""
from __future__ import annotations

import os
from typing import Any, Dict, Iterable, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._core import Interval, PoseLike, Vec3, check, ffi, floats, from_vec3, lib, new_error, pointer, vec3
from .motions import rest

__all__ = ["Shape", "Tessellation", "sphere", "box", "capsule", "cylinder", "cone", "ellipsoid", "torus",
           "halfspace", "convex", "point", "segment", "triangle", "swept", "mesh", "polyhedron", "heightfield",
           "parametric", "bezier", "implicit", "extrude", "revolve", "union", "intersection", "difference",
           "compound", "load_mesh", "load_solid"]


class Tessellation(NamedTuple):
    """Triangles for a picture: rounded, and not for proofs."""

    vertices: np.ndarray
    normals: np.ndarray
    triangles: np.ndarray
    edges: np.ndarray
    solid: bool


class Shape:
    """A shape; made by the functions of this module. Shared freely between threads."""

    __slots__ = ("_c", "__weakref__")

    def __init__(self, c: Any):
        self._c = ffi.gc(c, lib.abut_shape_release)

    @property
    def type(self) -> str:
        """The name of its type in scene files: "sphere"."""
        return ffi.string(lib.abut_shape_type_name(lib.abut_shape_get_type(self._c))).decode()

    @property
    def bounds(self) -> Tuple[Tuple[float, float, float], Tuple[float, float, float]]:
        """A box that contains it in its own frame; infinite for half-spaces."""
        b = lib.abut_shape_bounds(self._c)
        return from_vec3(b.lo), from_vec3(b.hi)

    @property
    def counts(self) -> Dict[str, int]:
        """How many vertices, edges, faces, patches, operands it is made of."""
        c = lib.abut_shape_get_counts(self._c)
        return {name: getattr(c, name) for name in ("vertices", "edges", "faces", "patches", "operands")}

    def tessellate(self, tolerance: float = 0.0, time: float = 0.0) -> Tessellation:
        """Triangles within a tolerance (0: a thousandth of its size).

        >>> import abut
        >>> t = abut.box([1, 1, 1]).tessellate()
        >>> t.triangles.shape, t.solid
        ((12, 3), True)
        """
        opts, out, error = ffi.new("abut_tessellate_opts *"), ffi.new("abut_tessellation *"), new_error()
        lib.abut_tessellate_opts_init(opts)
        opts.tolerance, opts.time = tolerance, time
        check(lib.abut_shape_tessellate(self._c, opts, ffi.NULL, out, error), error)
        try:
            def copy(data: Any, rows: int, columns: int, kind: Any) -> np.ndarray:
                size = rows * columns * np.dtype(kind).itemsize
                return np.frombuffer(bytes(ffi.buffer(data, size)) if size else b"", kind).reshape(rows, columns)

            return Tessellation(copy(out.vertices, out.vertex_count, 3, np.float64),
                                copy(out.normals, out.vertex_count, 3, np.float64),
                                copy(out.triangles, out.triangle_count, 3, np.uint32),
                                copy(out.edges, out.edge_count, 2, np.uint32), bool(out.solid))
        finally:
            lib.abut_tessellation_clear(out)

    def __repr__(self) -> str:
        return f"<abut {self.type}>"


def _make(create: Any, *arguments: Any, error: Any = None) -> Shape:
    out = ffi.new("abut_shape **")
    more = () if error is None else (error,)
    check(create(*arguments, ffi.NULL, out, *more), error)
    return Shape(out[0])


def sphere(radius: float) -> Shape:
    """A ball about the origin."""
    return _make(lib.abut_shape_create_sphere, radius)


def box(half: Vec3) -> Shape:
    """A box about the origin, by half its sides."""
    return _make(lib.abut_shape_create_box, vec3(half))


def capsule(radius: float, height: float) -> Shape:
    """All points within `radius` of a segment of length `height` on the z axis."""
    return _make(lib.abut_shape_create_capsule, radius, height)


def cylinder(radius: float, height: float) -> Shape:
    """About the z axis, centred at the origin."""
    return _make(lib.abut_shape_create_cylinder, radius, height)


def cone(radius: float, height: float) -> Shape:
    """Base at z = -height/2, apex at z = +height/2."""
    return _make(lib.abut_shape_create_cone, radius, height)


def ellipsoid(radii: Vec3) -> Shape:
    """By its semi-axes along x, y, z."""
    return _make(lib.abut_shape_create_ellipsoid, vec3(radii))


def torus(major: float, minor: float) -> Shape:
    """Solid, about the z axis; major > minor."""
    return _make(lib.abut_shape_create_torus, major, minor)


def halfspace(normal: Vec3, offset: float = 0.0) -> Shape:
    """The points with normal . x <= offset."""
    return _make(lib.abut_shape_create_halfspace, vec3(normal), offset)


def convex(points: Any, margin: float = 0.0) -> Shape:
    """The convex hull of points (an n x 3 array), swept by a ball of radius `margin`.

    >>> import abut
    >>> abut.convex([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]).counts["faces"]
    4
    """
    p = floats(points, -1, 3)
    return _make(lib.abut_shape_create_convex, pointer(p, "abut_vec3 *"), len(p), margin, error=new_error())


def point(at: Vec3, margin: float = 0.0) -> Shape:
    """A point; with a margin a ball about it."""
    return _make(lib.abut_shape_create_point, vec3(at), margin, error=new_error())


def segment(start: Vec3, end: Vec3, margin: float = 0.0) -> Shape:
    """A segment, swept by a ball of radius `margin`."""
    return _make(lib.abut_shape_create_segment, vec3(start), vec3(end), margin, error=new_error())


def triangle(corners: Any, margin: float = 0.0) -> Shape:
    """A triangle, swept by a ball of radius `margin`."""
    c = floats(corners, 3, 3)
    return _make(lib.abut_shape_create_triangle, pointer(c, "abut_vec3 *"), margin, error=new_error())


def swept(shape: Shape, margin: float) -> Shape:
    """All points within `margin` of a convex shape."""
    return _make(lib.abut_shape_create_swept, shape._c, margin, error=new_error())


def mesh(vertices: Any, triangles: Any, solid: bool = False) -> Shape:
    """Triangles by three vertex indices each. solid: closed, turned outward, with an inside.

    >>> import abut
    >>> sheet = abut.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> sheet.counts["faces"]
    1
    """
    v = floats(vertices, -1, 3)
    t = np.asarray(triangles)
    if t.ndim != 2 or t.shape[1] != 3 or (t.size and (t.min() < 0 or t.max() >= len(v))):
        raise ValueError("triangles must be an n x 3 array of indices of vertices")
    t = np.ascontiguousarray(t, dtype=np.uint32)
    return _make(lib.abut_shape_create_mesh, pointer(v, "abut_vec3 *"), len(v), pointer(t, "uint32_t *"), len(t),
                 solid, error=new_error())


def polyhedron(vertices: Any, faces: Iterable[Sequence[int]], merge: bool = False) -> Shape:
    """A closed solid with planar faces, each a list of three or more vertices.

    merge: joins faces that share an edge and are in one plane, for closed meshes of triangles.
    """
    v = floats(vertices, -1, 3)
    lists = [list(f) for f in faces]
    sizes = np.array([len(f) for f in lists], dtype=np.uint32)
    indices = np.array([i for f in lists for i in f], dtype=np.int64)
    if indices.size and (indices.min() < 0 or indices.max() >= len(v)):
        raise ValueError("a face has an index that is no vertex")
    indices = indices.astype(np.uint32)
    d = ffi.new("abut_polyhedron_def *")
    lib.abut_polyhedron_def_init(d)
    d.vertices, d.vertex_count = pointer(v, "abut_vec3 *"), len(v)
    d.face_count = d.loop_count = len(sizes)
    d.loop_sizes, d.indices, d.index_count = pointer(sizes, "uint32_t *"), pointer(indices, "uint32_t *"), len(indices)
    d.merge = merge
    return _make(lib.abut_shape_create_polyhedron_with, d, error=new_error())


def heightfield(heights: Any, spacing: Tuple[float, float]) -> Shape:
    """A grid of heights (rows x columns, x along the columns), centred at x = y = 0; solid below."""
    h = floats(heights, -1, -1)
    return _make(lib.abut_shape_create_heightfield, h.shape[1], h.shape[0], float(spacing[0]), float(spacing[1]),
                 pointer(h, "double *"), error=new_error())


def parametric(x: str, y: str, z: str, u: Interval, v: Interval, *, wrap_u: bool = False, wrap_v: bool = False,
               normal: str = "out", let: Optional[Dict[str, str]] = None) -> Shape:
    """A surface by expressions in u, v and the time t.

    >>> import abut
    >>> from math import pi
    >>> tube = abut.parametric("cos(u)", "sin(u)", "v", (0, 2 * pi), (0, 1), wrap_u=True)
    >>> tube.type
    'parametric'
    """
    keep = [ffi.new("char[]", s.encode()) for s in (x, y, z)]
    d = ffi.new("abut_parametric_def *")
    d.x, d.y, d.z = keep
    d.u, d.v = list(map(float, u)), list(map(float, v))
    d.wrap_u, d.wrap_v, d.normal_in = wrap_u, wrap_v, normal == "in"
    names = list((let or {}).items())
    words = [(ffi.new("char[]", n.encode()), ffi.new("char[]", e.encode())) for n, e in names]
    lets = ffi.new("abut_let[]", [{"name": n, "expression": e} for n, e in words] or 1)
    d.lets, d.let_count = lets, len(names)
    return _make(lib.abut_shape_create_parametric, d, error=new_error())


def bezier(patches: Any, weights: Any = None) -> Shape:
    """A patch of (n + 1) x (m + 1) control points (rows of v, u along a row), or a list of such patches."""
    first = np.asarray(patches[0], dtype=np.float64)
    nets = [patches] if first.ndim == 2 else list(patches)
    loads = [weights] if first.ndim == 2 else list(weights) if weights is not None else [None] * len(nets)
    arrays = [floats(net, -1, -1, 3) for net in nets]
    heavy = [None if w is None else floats(w, *a.shape[:2]) for w, a in zip(loads, arrays)]
    c = ffi.new("abut_bezier_patch[]", len(arrays))
    for i, (a, w) in enumerate(zip(arrays, heavy)):
        c[i].degree_u, c[i].degree_v = a.shape[1] - 1, a.shape[0] - 1
        c[i].points, c[i].weights = pointer(a, "abut_vec3 *"), pointer(w, "double *")
    return _make(lib.abut_shape_create_bezier, c, len(arrays), error=new_error())


def implicit(f: str, bounds: Any) -> Shape:
    """The points of a box (two corners) with f(x, y, z, t) <= 0.

    >>> import abut
    >>> ball = abut.implicit("x^2 + y^2 + z^2 - 1", [[-2, -2, -2], [2, 2, 2]])
    >>> abut.union(ball, abut.implicit("z", [[-2, -2, -2], [2, 2, 2]])).counts["operands"]
    2
    """
    b = floats(bounds, 2, 3)
    aabb = ffi.new("abut_aabb *", (tuple(b[0]), tuple(b[1])))
    return _make(lib.abut_shape_create_implicit, f.encode(), aabb[0], error=new_error())


def _loop(vertices: Any, keep: list) -> Any:
    """Corners [x, y] or [x, y, bulge] of a closed profile."""
    rows = [tuple(map(float, v)) + (0.0,) * (3 - len(v)) for v in vertices]
    data = ffi.new("abut_profile_vertex[]", rows)
    keep.append(data)
    return {"vertices": data, "count": len(rows)}


def extrude(profile: Any, height: float, holes: Sequence[Any] = (), tolerance: float = 0.0) -> Shape:
    """A profile in the xy plane, from z = 0 to z = height; corners [x, y] or [x, y, bulge], bulge = tan(angle / 4).

    >>> import abut
    >>> plate = abut.extrude([[0, 0], [4, 0], [4, 4], [0, 4]], 1, holes=[[[1, 2, -1], [3, 2, -1]]])
    >>> plate.bounds[1]
    (4.0, 4.0, 1.0)
    """
    keep: list = []
    outer = ffi.new("abut_profile_loop *", _loop(profile, keep))
    inner = ffi.new("abut_profile_loop[]", [_loop(h, keep) for h in holes] or 1)
    return _make(lib.abut_shape_create_extrude, outer, inner, len(holes), height, tolerance, error=new_error())


def revolve(profile: Any, tolerance: float = 0.0) -> Shape:
    """A profile in the half-plane (r >= 0, z), turned all the way about the z axis."""
    keep: list = []
    return _make(lib.abut_shape_create_revolve, ffi.new("abut_profile_loop *", _loop(profile, keep)), tolerance,
                 error=new_error())


def _csg(op: int, shapes: Sequence[Union[Shape, Tuple[Shape, PoseLike]]]) -> Shape:
    pairs = [(s, None) if isinstance(s, Shape) else s for s in shapes]
    places = [None if pose is None else rest(pose) for _, pose in pairs]
    of = ffi.new("abut_csg_operand[]", len(pairs) or 1)
    for operand, (shape, _), place in zip(of, pairs, places):
        operand.shape, operand.at = shape._c, ffi.NULL if place is None else place._c
    return _make(lib.abut_shape_create_csg_placed, op, of, len(pairs), error=new_error())


def union(*shapes: Union[Shape, Tuple[Shape, PoseLike]]) -> Shape:
    """Of solids: shapes, or pairs of a shape and its pose.

    Spheres, boxes, capsules, cylinders, cones, ellipsoids, tori, half-spaces, hulls, extruded and revolved
    profiles, implicit shapes and what is made of them.
    """
    return _csg(lib.ABUT_CSG_UNION, shapes)


def intersection(*shapes: Union[Shape, Tuple[Shape, PoseLike]]) -> Shape:
    """Of the same shapes as union."""
    return _csg(lib.ABUT_CSG_INTERSECTION, shapes)


def difference(*shapes: Union[Shape, Tuple[Shape, PoseLike]]) -> Shape:
    """The first less all others; of the same shapes as union.

    >>> import abut
    >>> plate = abut.difference(abut.box([2, 2, 0.5]), (abut.cylinder(0.5, 1), [1, 0, 0]))
    >>> abut.check(plate, abut.sphere(0.25), pose_b=[1, 0, 0]).verdict
    'separate'
    """
    return _csg(lib.ABUT_CSG_DIFFERENCE, shapes)


def compound(*parts: Union[Shape, Tuple[Shape, PoseLike]]) -> Shape:
    """The union of solids that are rigidly joined: shapes, or pairs of a shape and its pose.

    >>> import abut
    >>> dumbbell = abut.compound((abut.sphere(1), [-2, 0, 0]), (abut.sphere(1), [2, 0, 0]), abut.capsule(0.2, 4))
    >>> abut.check(dumbbell, abut.sphere(1), pose_b=[5, 0, 0]).distance
    (1.0, 1.0)
    """
    pairs = [(p, None) if isinstance(p, Shape) else p for p in parts]
    places = [None if pose is None else rest(pose) for _, pose in pairs]
    of = ffi.new("abut_compound_part[]", len(pairs) or 1)
    for part, (shape, _), place in zip(of, pairs, places):
        part.shape, part.at = shape._c, ffi.NULL if place is None else place._c
    return _make(lib.abut_shape_create_compound, of, len(pairs), error=new_error())


def load_solid(file: Union[str, "os.PathLike[str]"], part: Optional[int] = None, tolerance: float = 0) -> Shape:
    """A solid of a STEP or BREP file, where the library was built with Open CASCADE.

    part: its number, needed where the file has several. tolerance 0: the one of the file.
    """
    number = 2 ** (8 * ffi.sizeof("size_t")) - 1 if part is None else part
    return _make(lib.abut_shape_load_solid, os.fsencode(file), number, tolerance, error=new_error())


def load_mesh(file: Union[str, "os.PathLike[str]"], solid: bool = False) -> Shape:
    """A mesh from .obj .stl .ply .off, and what Assimp reads where the library has it."""
    opts = ffi.new("abut_mesh_opts *")
    lib.abut_mesh_opts_init(opts)
    opts.solid = solid
    return _make(lib.abut_shape_load_mesh, os.fsencode(file), opts, error=new_error())
