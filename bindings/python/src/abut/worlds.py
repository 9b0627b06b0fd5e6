# SPDX-License-Identifier: MIT
"""Worlds: many bodies, and questions about all of them."""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Tuple, Union

from ._core import FIRSTS, PROOFS, STOPS, Interval, PoseLike, as_pose, check as _check, ffi, interval, lib
from .motions import Motion
from .queries import CheckResult, FirstPoint, check_result, first_point
from .shapes import Shape

__all__ = ["World", "Body", "Meeting", "WorldFirst", "WorldContact"]


class Body(NamedTuple):
    """A body of a world, by its index; a removed body's index is used again with another generation."""

    index: int
    generation: int


class Meeting(NamedTuple):
    a: Body
    b: Body
    result: CheckResult


class WorldContact(NamedTuple):
    a: int
    b: int
    verdict: str
    at: Optional[FirstPoint]


class WorldFirst(NamedTuple):
    verdict: str
    proof: str
    time: Optional[Interval]
    contacts: List[WorldContact]
    stop: str


class World:
    """Bodies with a broad phase; changes count once they are committed.

    >>> import abut
    >>> world = abut.World()
    >>> ball = abut.sphere(1)
    >>> bodies = [world.add(ball, [3.0 * i, 0, 0]) for i in range(1000)]
    >>> world.move(bodies[7], [19, 0, 0])
    >>> world.commit()
    >>> [(m.a.index, m.b.index, m.result.depth) for m in world.meeting()]
    [(6, 7, (1.0, 1.0))]
    >>> world.nearest().result.verdict
    'penetrating'
    """

    def __init__(self, threads: int = 0):
        out = ffi.new("abut_world **")
        opts = ffi.new("abut_world_opts *")
        lib.abut_world_opts_init(opts)
        opts.threads = threads
        _check(lib.abut_world_create(opts, ffi.NULL, out))
        self._c = ffi.gc(out[0], lib.abut_world_destroy)
        self._threads = threads

    def __len__(self) -> int:
        return lib.abut_world_body_count(self._c)

    def add(self, shape: Shape, place: Union[PoseLike, Motion] = None, *, group: int = 0, layers: int = 1,
            mask: int = 0xFFFFFFFF) -> Body:
        """A body at a pose or under a motion. Bodies of one group (other than 0) are not asked about."""
        body, out = ffi.new("abut_world_body *"), ffi.new("abut_body_id *")
        lib.abut_world_body_init(body)
        body.shape, body.group, body.layers, body.mask = shape._c, group, layers, mask
        if isinstance(place, Motion):
            body.motion = place._c
        else:
            pose = as_pose(place)
            body.pose = (pose.position, pose.rotation)
        _check(lib.abut_world_add(self._c, body, out))
        return Body(out.index, out.generation)

    def move(self, body: Body, place: Union[PoseLike, Motion]) -> None:
        """A new pose or motion."""
        if isinstance(place, Motion):
            _check(lib.abut_world_set_motion(self._c, _id(body), place._c))
        else:
            pose = as_pose(place)
            _check(lib.abut_world_move(self._c, _id(body), ffi.new("abut_pose *", (pose.position, pose.rotation))))

    def remove(self, body: Body) -> None:
        _check(lib.abut_world_remove(self._c, _id(body)))

    def exclude(self, a: Body, b: Body) -> None:
        """Never ask about this pair."""
        _check(lib.abut_world_exclude(self._c, _id(a), _id(b)))

    def commit(self, time: Union[float, Interval] = 0.0) -> None:
        """Makes the changes count, for an instant or a range of time."""
        lo, hi = time if isinstance(time, (tuple, list)) else (time, time)
        _check(lib.abut_world_commit(self._c, ffi.new("abut_interval *", (lo, hi))[0]))

    def _opts(self, within: float) -> Any:
        opts = ffi.new("abut_world_query_opts *")
        lib.abut_world_query_opts_init(opts)
        opts.within, opts.threads = within, self._threads
        return opts

    def meeting(self, within: float = 0.0) -> List[Meeting]:
        """Every pair that is not proved to be farther apart than `within`."""
        found: List[Meeting] = []
        failed: List[int] = []

        @ffi.callback("abut_world_pair_fn")
        def take(_ctx: Any, a: Any, b: Any, status: int, r: Any) -> bool:
            if status:
                failed.append(status)
                return False
            found.append(Meeting(Body(a.index, a.generation), Body(b.index, b.generation), check_result(r)))
            return True

        out = ffi.new("abut_world_result *")
        status = lib.abut_world_meeting(self._c, self._opts(within), take, ffi.NULL, out)
        _check(failed[0] if failed else status)
        return found

    def nearest(self) -> Optional[Meeting]:
        """The nearest pair: any of equals, any of those that meet."""
        out = ffi.new("abut_world_nearest_result *")
        _check(lib.abut_world_nearest(self._c, self._opts(float("inf")), out))
        if not out.has_pair:
            return None
        _check(out.status)
        return Meeting(Body(out.a.index, out.a.generation), Body(out.b.index, out.b.generation),
                       check_result(out.check))

    def first(self) -> WorldFirst:
        """The first contact among all bodies over the range committed."""
        r, capacity = ffi.new("abut_set_result *"), 256
        while True:
            points = ffi.new("abut_set_point[]", capacity)
            _check(lib.abut_world_first(self._c, self._opts(0.0), points, capacity, r, ffi.NULL))
            if r.point_count <= capacity:
                break
            capacity = r.point_count
        verdict = FIRSTS[r.verdict]
        contacts = [WorldContact(p.a, p.b, FIRSTS[p.verdict], first_point(p.at) if p.at.kind else None)
                    for p in points[0:r.point_count]]
        return WorldFirst(verdict, PROOFS[r.proof], None if verdict == "separate" else interval(r.time), contacts,
                          STOPS[r.stop])


def _id(body: Body) -> Any:
    return ffi.new("abut_body_id *", tuple(body))[0]
