# SPDX-License-Identifier: MIT
"""The Python module, judged by closed forms and by the C library's own answers."""
import doctest
import math
import os
import re
import threading

import numpy as np
import pytest

import abut

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
CUBE = [[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]
CUBE_FACES = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
CUBE_TRIANGLES = [[f[0], f[i], f[i + 1]] for f in CUBE_FACES for i in (1, 2)]


def test_first_lines():
    a, b = abut.sphere(0.5), abut.box([1, 1, 1])
    r = abut.check(a, b, pose_a=abut.Pose([0, 0, 1.75]))
    assert (r.verdict, r.proof, r.distance) == ("separate", "exact", (0.25, 0.25))
    assert r.points == ((0, 0, 1.25), (0, 0, 1)) and r.normal == (0, 0, -1)


@pytest.mark.parametrize("module", ["", "._core", ".shapes", ".motions", ".queries", ".scenes", ".worlds"])
def test_docstrings(module):
    import importlib

    failed, tried = doctest.testmod(importlib.import_module("abut" + module))
    assert failed == 0 and tried > 0


def test_shapes():
    shapes = {
        "sphere": abut.sphere(1), "box": abut.box([1, 1, 1]), "capsule": abut.capsule(1, 2),
        "cylinder": abut.cylinder(1, 2), "cone": abut.cone(1, 2), "ellipsoid": abut.ellipsoid([1, 2, 3]),
        "torus": abut.torus(2, 0.5), "halfspace": abut.halfspace([0, 0, 1], 1), "convex": abut.convex(CUBE),
        "mesh": abut.mesh(CUBE, CUBE_TRIANGLES, solid=True), "polyhedron": abut.polyhedron(CUBE, CUBE_FACES),
        "heightfield": abut.heightfield([[0, 1, 0], [0, 2, 0]], (1, 2)),
        "parametric": abut.parametric("cos(u)*a", "sin(u)*a", "v", (0, 2 * math.pi), (0, 1), wrap_u=True, let={"a": "2"}),
        "bezier": abut.bezier([[[0, 0, 0], [1, 0, 0]], [[0, 1, 0], [1, 1, 1]]]),
        "implicit": abut.implicit("x^2+y^2+z^2-1", [[-2] * 3, [2] * 3]),
        "csg": abut.difference(abut.implicit("z", [[-2] * 3, [2] * 3]), abut.implicit("x", [[-2] * 3, [2] * 3])),
        "extrude": abut.extrude([[0, 0], [4, 0], [4, 4], [0, 4]], 1, holes=[[[1, 2, -1], [3, 2, -1]]]),
        "revolve": abut.revolve([[2, 0, 1], [4, 0, 1]]),
        "swept": abut.swept(abut.box([1, 1, 1]), 0.5),
        "compound": abut.compound(abut.sphere(1), (abut.box([1, 1, 1]), [3, 0, 0])),
    }
    for name, shape in shapes.items():
        assert shape.type == name
        assert len(shape.tessellate().vertices) > 0
    assert shapes["box"].bounds == ((-1, -1, -1), (1, 1, 1))
    assert shapes["mesh"].counts["faces"] == 12
    merged = abut.polyhedron(CUBE, CUBE_TRIANGLES, merge=True)
    assert abut.check(merged, shapes["box"], pose_b=[3, 0, 0]).distance[0] > 0
    with pytest.raises(abut.AbutError, match="nowhere"):
        abut.load_solid("nowhere.step")
    for flat in (abut.point([0, 0, 0]), abut.segment([0, 0, 0], [1, 0, 0]), abut.triangle(np.eye(3))):
        assert flat.type == "convex"


def test_errors_say_what_is_wrong(tmp_path):
    with pytest.raises(abut.ArgumentError):
        abut.sphere(-1)
    with pytest.raises(ValueError, match="not finite"):
        abut.convex([[0, 0, float("nan")]] * 4)
    with pytest.raises(abut.AbutError, match="nowhere.obj"):
        abut.load_mesh("nowhere.obj")
    with pytest.raises(abut.ArgumentError) as caught:
        abut.scene({"abut": 1, "objects": [{"name": "a", "shape": {"type": "sphere", "radius": -1}}]})
    assert caught.value.path == "objects[0].shape.radius" and caught.value.status == "ABUT_ERR_VALUE"
    with pytest.raises(abut.ArgumentError, match="pose_a"):
        abut.check(abut.sphere(1), abut.sphere(1), pose_a=abut.Pose([0, 0, float("inf")]))
    with pytest.raises(abut.ArgumentError, match="pose_b"):
        abut.distance(abut.sphere(1), abut.sphere(1), pose_b=abut.Pose([0, 0, 0], [0, 0, 0, 0]))
    with pytest.raises(abut.ArgumentError, match="clearance"):
        abut.overlap(abut.sphere(1), abut.sphere(1), clearance=-1)
    with pytest.raises(abut.ArgumentError, match="time"):
        abut.check(abut.sphere(1), abut.sphere(1), motion_a=abut.linear([0, 0, 0], [1, 0, 0]), time=7)
    with pytest.raises(TypeError, match="motions need a time"):
        abut.check(abut.sphere(1), abut.sphere(1), motion_a=abut.linear([0, 0, 0], [1, 0, 0]))
    with pytest.raises(TypeError):
        abut.check(abut.sphere(1), abut.sphere(1), pose_a=[0, 0, 1], motion_a=abut.rest(), time=0)
    with pytest.raises(abut.UnsupportedError):
        half = abut.halfspace([0, 0, 1])
        abut.first_contact(half, half, abut.linear([0, 0, 0], [1, 0, 0]), abut.rest(np.diag([2.0, 1, 1, 1])))
    with pytest.raises(ValueError, match="indices"):
        abut.mesh(CUBE, [[0, 1, 99]])


def test_poses():
    turn = abut.Pose.turned([0, 0, 2], degrees=90, position=[1, 2, 3])
    assert np.allclose(turn.apply([1, 0, 0]), [1, 3, 3])
    assert np.allclose(abut.Pose.from_matrix(turn.matrix()).matrix(), turn.matrix())
    assert np.allclose((turn @ turn.inverse()).matrix(), np.eye(4))
    for same in (turn, turn.row(), turn.matrix()):
        r = abut.check(abut.box([1, 2, 3]), abut.sphere(1), pose_a=same, pose_b=[9, 2, 3])
        assert math.isclose(sum(r.distance) / 2, 9 - 1 - 2 - 1, abs_tol=1e-9)
    with pytest.raises(ValueError):
        abut.Pose.from_matrix(np.diag([1, 1, -1, 1]))


def test_queries_over_time():
    ball, wall = abut.sphere(1), abut.box([1, 5, 5])
    move = abut.linear([-10, 0, 0], [10, 0, 0])
    first = abut.first_contact(ball, wall, move)
    assert first.verdict == "contact" and first.time[0] <= 0.4 <= first.time[1]
    assert first.points and np.allclose(first.points[0].point, [-1, 0, 0])
    r = abut.contact_intervals(ball, wall, move)
    assert np.allclose(r.intervals[0], [0.4, 0.4, 0.6, 0.6])
    assert abut.first_contact(ball, wall, abut.linear([-10, 9, 0], [10, 9, 0])).verdict == "separate"
    ring = abut.first_contact(abut.torus(2, 0.5), abut.cone(3, 4), abut.linear([0, 0, 4], [0, 0, 0]), separation=0.2)
    assert ring.time[0] <= 23 / 24 <= ring.time[1] + 1e-9 and len(ring.points) > 20
    motions = [abut.rest([0, 0, 1]), abut.velocity([0, 0, 1], [1, 0, 0], [0, 0, 1]), abut.screw([0, 0, 0], [0, 0, 1]),
               abut.nlerp([0, 0, 0], abut.Pose.turned([0, 0, 1], degrees=90)), abut.chebyshev([[0, 1], [], [2]]),
               abut.affine_motion([np.eye(4), 2 * np.eye(4)]), abut.expression(("t", "0", "0"), radians="t"),
               abut.keyframes([(0, [0, 0, 0]), (0.5, [1, 0, 0]), (1, [0, 0, 0])])]
    for m in motions + [abut.chain(*motions[:2])]:
        assert m.at(0.5).shape == (4, 4)
    arm = abut.chain(abut.velocity(None, angular=[0, 0, math.pi / 2]), abut.rest([2, 0, 0]))
    assert np.allclose(arm.at(1)[:3, 3], [0, 2, 0])
    sheet = abut.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    fall = abut.vertices([(0, [[0, 0, 1], [1, 0, 1], [0, 1, 1]]), (1, [[0, 0, -1], [1, 0, -1], [0, 1, -1]])])
    r = abut.first_contact(sheet, abut.mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), fall)
    assert r.time[0] <= 0.5 <= r.time[1]


def test_rays_points_segments():
    box = abut.box([1, 1, 1])
    hits = abut.cast_ray(box, [-3, 0, 0], [2, 0, 0])
    assert [h.t for h in hits] == [1, 2] and hits[0].normal == (-1, 0, 0)
    assert abut.classify_point(box, [0, 0, 0]).where == "in"
    assert [p.where for p in abut.classify_segment(box, [-2, 0, 0], [2, 0, 0])] == ["out", "face", "in", "face", "out"]


def test_meshes(tmp_path):
    a = abut.mesh(CUBE, CUBE_TRIANGLES, solid=True)
    r = abut.triangle_contacts(a, a, pose_b=[1.5, 0.1, 0.2])
    assert r.verdict == "touching" and r.proof == "exact" and r.triangles.shape[1] == 2 and len(r.triangles) > 4
    assert r.segments.shape == (len(r.triangles), 2, 3)
    # where they meet, x is 0.5 (the face of b) or 1 (the face of a) at both ends, or in between
    assert ((r.segments[:, :, 0] >= 0.5 - 1e-12) & (r.segments[:, :, 0] <= 1 + 1e-12)).all()
    assert len(abut.self_contacts(a).triangles) == 0
    file = tmp_path / "cube.obj"
    file.write_text("".join("v %g %g %g\n" % tuple(v) for v in CUBE)
                    + "".join("f %s\n" % " ".join(str(i + 1) for i in f) for f in CUBE_FACES))
    solid = abut.load_mesh(file, solid=True)
    assert solid.counts["faces"] == 12
    assert abut.check(solid, abut.sphere(0.25)).verdict == "penetrating"
    assert abut.check(abut.load_mesh(str(file)), abut.sphere(0.25)).verdict == "separate"


def random_poses(n, seed):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=(n, 4))
    return np.concatenate([rng.uniform(-3, 3, (n, 3)), q / np.linalg.norm(q, axis=1)[:, None]], axis=1)


def test_batches_agree_with_single_calls():
    a, b = abut.box([1, 0.5, 0.25]), abut.box([0.3, 0.7, 0.4])
    poses = random_poses(300, 1)
    r = abut.distance_batch(a, b, poses_b=poses, with_depth=True)
    o = abut.overlap_batch(a, b, poses_b=poses)
    for i, p in enumerate(poses):
        one = abut.distance(a, b, pose_b=p, with_depth=True)
        assert tuple(r.distance[i]) == one.distance and r.verdict_names[i] == one.verdict
        assert r.proof_names[i] == one.proof
        assert abut.overlap(a, b, pose_b=p).verdict == o.verdict_names[i]
    assert {"separate", "penetrating"} <= set(o.verdict_names)
    both = abut.distance_batch(a, b, poses, poses[::-1].copy())
    assert tuple(both.distance[7]) == abut.distance(a, b, poses[7], poses[292]).distance
    assert len(abut.distance_batch(a, b, poses[:1], poses).distance) == 300
    assert abut.distance_batch(a, b, poses_b=poses[:, :3], points=False).point_a is None
    with pytest.raises(ValueError):
        abut.distance_batch(a, b, poses[:2], poses)
    bad = poses.copy()
    bad[17, 0] = np.nan
    with pytest.raises(abut.ArgumentError, match="pose 17"):
        abut.distance_batch(a, b, poses_b=bad)


def test_ellipsoids():
    n = 60
    poses, rng = random_poses(n, 2), np.random.default_rng(3)
    radii = rng.uniform(0.2, 1.2, (n, 3))
    pairs = [(i, j) for i in range(n) for j in range(i)][:500]
    verdicts = abut.ellipsoid_batch(radii, poses, pairs)
    for (i, j), v in zip(pairs[:80], verdicts):
        one = abut.overlap(abut.ellipsoid(radii[i]), abut.ellipsoid(radii[j]), poses[i], poses[j])
        assert one.verdict == ("undecided", "separate", "touching", "penetrating")[v]
    points = rng.normal(size=(200, 3))
    m = np.linalg.inv(abut.fit_ellipsoid(points))
    assert (np.linalg.norm(points @ m[:3, :3].T + m[:3, 3], axis=1) <= 1 + 1e-9).all()
    centre, radius = abut.fit_sphere(points)
    assert (np.linalg.norm(points - centre, axis=1) <= radius).all()


def test_scenes(tmp_path):
    s = abut.load_scene(os.path.join(ROOT, "scenes", "ring_and_cone.json"))
    assert set(s.objects) == {"ring", "cone"} and s.pairs == [("ring", "cone")] and s.time == (0, 1)
    first = s.first()
    assert first.verdict == "contact" and abs(first.time[1] - 23 / 24) < 1e-9 and len(first.contacts) > 20
    assert {(c.a, c.b) for c in first.contacts} == {("ring", "cone")}
    assert s.check()["ring", "cone"].verdict == "separate"
    assert len(s.intervals()["ring", "cone"].intervals) == 1
    arm = abut.load_scene(os.path.join(ROOT, "scenes", "six_axis_arm.json"))
    assert any(o.parent for o in arm.objects.values())
    with pytest.raises(abut.AbutError, match="nowhere.json"):
        abut.load_scene(tmp_path / "nowhere.json")


def test_worlds():
    world, rng = abut.World(threads=1), np.random.default_rng(4)
    shapes = [abut.box([0.4, 0.3, 0.2]), abut.sphere(0.3), abut.capsule(0.2, 0.5)]
    places = rng.uniform(-2, 2, (60, 3))
    bodies = [world.add(shapes[i % 3], p) for i, p in enumerate(places)]
    assert len(world) == 60
    world.commit()
    found = {(m.a.index, m.b.index) for m in world.meeting()}
    brute = {(i, j) for j in range(60) for i in range(j)
             if abut.check(shapes[i % 3], shapes[j % 3], places[i], places[j]).verdict != "separate"}
    assert found == brute and found
    near = {(m.a.index, m.b.index) for m in world.meeting(within=0.1)}
    assert near >= found
    assert world.nearest().result.verdict in ("touching", "penetrating")
    for m in world.meeting():
        world.exclude(m.a, m.b)
    world.commit()
    assert not world.meeting()
    world.remove(bodies[3])
    assert len(world) == 59
    with pytest.raises(abut.ArgumentError):
        world.remove(bodies[3])
    moving = abut.World()
    moving.add(abut.sphere(1), abut.linear([-5, 0, 0], [5, 0, 0]))
    moving.add(abut.sphere(1))
    moving.commit((0, 1))
    first = moving.first()
    assert first.verdict == "contact" and first.time[0] <= 0.3 <= first.time[1] and len(first.contacts) == 1


def test_threads_run_at_the_same_time():
    """The interpreter's lock is released: a thread counts on while another asks."""
    a, b = abut.box([1, 0.5, 0.25]), abut.box([0.3, 0.7, 0.4])
    poses, counted, stop = random_poses(400000, 5), [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = counted[0]
        abut.distance_batch(a, b, poses_b=poses, points=False)
        assert counted[0] > before + 1000
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("page", ["python.md", "python-fcl.md"])
def test_pages(page, monkeypatch, tmp_path):
    """The code of the pages runs, in order, in one namespace a page."""
    monkeypatch.chdir(ROOT)
    with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as file:
        blocks = re.findall(r"^```python\n(.*?)^```", file.read(), re.S | re.M)
    assert blocks
    names = {"__name__": "page", "tmp": str(tmp_path)}
    for block in blocks:
        exec(compile(block, page, "exec"), names)


def test_example(capsys):
    import runpy

    runpy.run_path(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples", "robot_arm.py"),
                   run_name="__main__")
    said = capsys.readouterr().out
    assert "stretched: first contact at t = 0.2" in said and "folded: the move is free" in said
