# SPDX-License-Identifier: MIT
"""Scenes: the files of the `abut` command, from disk, text or dicts."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from ._core import (FIRSTS, PROOFS, STOPS, Interval, check as _check, ffi, interval, lib, new_error)
from .motions import Motion
from .queries import CheckResult, FirstPoint, IntervalsResult, check, contact_intervals, first_opts, first_point
from .shapes import Shape

__all__ = ["Scene", "SceneObject", "SceneFirst", "SceneContact", "load_scene", "scene"]


class SceneObject(NamedTuple):
    name: str
    shape: Shape
    motion: Motion
    parent: Optional[str]
    group: Optional[str]


class SceneContact(NamedTuple):
    a: str
    b: str
    verdict: str
    at: Optional[FirstPoint]


class SceneFirst(NamedTuple):
    """The first contact of all pairs of a scene."""

    verdict: str
    proof: str
    time: Optional[Interval]
    contacts: List[SceneContact]
    stop: str


class Scene:
    """A scene; made by load_scene and scene.

    >>> import abut
    >>> s = abut.scene({"abut": 1, "objects": [
    ...     {"name": "ball", "shape": {"type": "sphere", "radius": 1},
    ...      "motion": {"type": "linear", "from": {"position": [0, 0, 4]}, "to": {"position": [0, 0, 0]}}},
    ...     {"name": "floor", "shape": {"type": "halfspace", "normal": [0, 0, 1], "offset": 0}}]})
    >>> s.first().time
    (0.75, 0.75)
    >>> s.check(time=0.5)["ball", "floor"].distance
    (1.0, 1.0)
    """

    def __init__(self, c: Any):
        self._c = ffi.gc(c, lib.abut_scene_destroy)
        self.objects: Dict[str, SceneObject] = {}
        names = []
        raw = [lib.abut_scene_get_object(c, i) for i in range(lib.abut_scene_object_count(c))]
        for o in raw:
            names.append(ffi.string(o.name).decode())
        for name, o in zip(names, raw):
            shape = Shape(lib.abut_shape_retain(ffi.cast("abut_shape *", o.shape)))
            motion = Motion(lib.abut_motion_retain(ffi.cast("abut_motion *", o.motion)))
            self.objects[name] = SceneObject(name, shape, motion, names[o.parent] if o.parent >= 0 else None,
                                             ffi.string(o.group).decode() if o.group else None)
        self._names = names

    @property
    def time(self) -> Interval:
        return interval(lib.abut_scene_time(self._c))

    def _pairs(self) -> Iterator[Tuple[int, int]]:
        a, b = ffi.new("size_t *"), ffi.new("size_t *")
        for i in range(lib.abut_scene_pair_count(self._c)):
            lib.abut_scene_get_pair(self._c, i, a, b)
            yield a[0], b[0]

    @property
    def pairs(self) -> List[Tuple[str, str]]:
        """The names of the pairs that the scene asks about."""
        return [(self._names[a], self._names[b]) for a, b in self._pairs()]

    def check(self, time: Optional[float] = None) -> Dict[Tuple[str, str], CheckResult]:
        """How each pair stands at one instant (default: the start)."""
        at = self.time[0] if time is None else time
        out = {}
        for a, b in self.pairs:
            x, y = self.objects[a], self.objects[b]
            out[a, b] = check(x.shape, y.shape, motion_a=x.motion, motion_b=y.motion, time=at)
        return out

    def intervals(self) -> Dict[Tuple[str, str], IntervalsResult]:
        """For each pair, all time intervals of contact."""
        out = {}
        for a, b in self.pairs:
            x, y = self.objects[a], self.objects[b]
            out[a, b] = contact_intervals(x.shape, y.shape, x.motion, y.motion, time=self.time)
        return out

    def first(self, *, simultaneity: Optional[float] = None, separation: Optional[float] = None,
              max_iterations: int = 0) -> SceneFirst:
        """The earliest contact of all pairs, with the contact points of that moment."""
        query = lib.abut_scene_get_query(self._c)
        near = simultaneity if simultaneity is not None else query.simultaneity if query.simultaneity >= 0 else 0.0
        apart = separation if separation is not None else query.separation if query.separation >= 0 else 0.0
        error = new_error()
        opts = first_opts(self.time, near, apart, max_iterations or query.max_iterations, error)
        objects = [self.objects[n] for n in self._names]
        bodies = ffi.new("abut_body[]", [(o.shape._c, o.motion._c) for o in objects] or 1)
        pairs = ffi.new("uint32_t[]", [i for pair in self._pairs() for i in pair] or 1)
        r, capacity = ffi.new("abut_set_result *"), 256
        while True:
            points = ffi.new("abut_set_point[]", capacity)
            _check(lib.abut_first_contact_set(bodies, len(objects), pairs, lib.abut_scene_pair_count(self._c), opts,
                                              ffi.NULL, points, capacity, r), error)
            if r.point_count <= capacity:
                break
            capacity = r.point_count
        verdict = FIRSTS[r.verdict]
        contacts = [SceneContact(self._names[p.a], self._names[p.b], FIRSTS[p.verdict],
                                 first_point(p.at) if p.at.kind else None) for p in points[0:r.point_count]]
        return SceneFirst(verdict, PROOFS[r.proof], None if verdict == "separate" else interval(r.time), contacts,
                          STOPS[r.stop])

    def __repr__(self) -> str:
        return f"<abut scene of {len(self.objects)} objects>"


def load_scene(file: Union[str, "os.PathLike[str]"]) -> Scene:
    """A scene from a file; mistakes are named with their line and place."""
    out, error = ffi.new("abut_scene **"), new_error()
    _check(lib.abut_scene_load(os.fsencode(file), ffi.NULL, out, error), error)
    return Scene(out[0])


def scene(description: Union[str, Dict[str, Any]], name: str = "scene") -> Scene:
    """A scene from a dict or JSON text; file names in it are relative to the folder of `name`."""
    text = description if isinstance(description, str) else json.dumps(description)
    data, out, error = text.encode(), ffi.new("abut_scene **"), new_error()
    _check(lib.abut_scene_parse(data, len(data), name.encode(), ffi.NULL, out, error), error)
    return Scene(out[0])
