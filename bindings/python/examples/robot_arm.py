# SPDX-License-Identifier: MIT
"""A three-joint arm swings among obstacles: is the move free, and where does it first touch?

    python3 robot_arm.py
"""
import math

import abut

UPPER, FORE, TOOL = 1.0, 0.8, 0.25


def link(length):
    """A capsule from the joint along z."""
    return abut.segment([0, 0, 0], [0, 0, length], 0.08)


def arm(base, shoulder, elbow, time=(0.0, 1.0)):
    """Motions of the three links while the joints turn from one angle to another (radians)."""
    def joint(axis, angles, at):
        start = abut.Pose.turned(axis, radians=angles[0], position=at)
        return abut.velocity(start, angular=[c * (angles[1] - angles[0]) for c in axis], time=time)

    column = joint([0, 0, 1], base, [0, 0, 0.3])
    upper = abut.chain(column, joint([0, 1, 0], shoulder, [0, 0, 0]))
    fore = abut.chain(upper, joint([0, 1, 0], elbow, [0, 0, UPPER]))
    tool = abut.chain(fore, abut.rest([0, 0, FORE]))
    return [("upper arm", link(UPPER), upper), ("forearm", link(FORE), fore), ("tool", abut.box([0.1, 0.1, TOOL / 2]), tool)]


OBSTACLES = [
    ("post", abut.cylinder(0.1, 2.0), abut.rest([0.9, 0.9, 1.0])),
    ("shelf", abut.box([0.4, 0.6, 0.02]), abut.rest([-1.2, 0.0, 0.9])),
    ("floor", abut.halfspace([0, 0, 1], 0.0), None),
]


def first_contact(links):
    """The earliest contact of any link with any obstacle, or None where the move is proved to be free."""
    best = None
    for name, shape, motion in links:
        for other, obstacle, at in OBSTACLES:
            r = abut.first_contact(shape, obstacle, motion, at)
            if r.verdict == "undecided":
                raise RuntimeError(f"{name} and {other}: undecided")
            if r.verdict != "separate" and (best is None or r.time[0] < best[0]):
                best = (r.time[0], name, other, r)
    return best


def main():
    # Swing by a half turn: first at full reach, then with the elbow drawn in.
    for title, elbow in (("stretched", (0.3, 0.3)), ("folded", (-1.6, -1.6))):
        hit = first_contact(arm(base=(0.0, math.pi), shoulder=(0.9, 0.4), elbow=elbow))
        if hit is None:
            print(f"{title}: the move is free, which is proved")
        else:
            time, name, other, r = hit
            print(f"{title}: first contact at t = {time:.6f}: {name} and {other}, proof {r.proof}")


if __name__ == "__main__":
    main()
