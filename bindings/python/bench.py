# SPDX-License-Identifier: MIT
"""Distances of 10^5 box poses: the batch against the loop in C that it stands for.

    python3 bench.py [REPEATS]
"""
import sys
import time

import numpy as np

import abut


def main(repeats):
    rng = np.random.default_rng(7)
    n = 100_000
    q = rng.normal(size=(n, 4))
    poses = np.concatenate([rng.uniform(-3, 3, (n, 3)), q / np.linalg.norm(q, axis=1)[:, None]], axis=1)
    a, b = abut.box([1, 0.5, 0.25]), abut.box([0.3, 0.7, 0.4])
    c, none, failed = abut.ffi.new("abut_py_poses *"), abut.ffi.new("abut_py_poses *"), abut.ffi.new("size_t *")
    c.rows, c.step = abut.ffi.cast("double *", abut.ffi.from_buffer(poses)), 7
    null = abut.ffi.NULL
    best = {"C loop": 1e9, "batch": 1e9, "batch with points": 1e9}
    for _ in range(repeats):
        for name, run in (
            ("C loop", lambda: abut.lib.abut_py_distance(a._c, none[0], b._c, c[0], n, False, null, null, null, null,
                                                         null, null, null, failed)),
            ("batch", lambda: abut.distance_batch(a, b, poses_b=poses, points=False)),
            ("batch with points", lambda: abut.distance_batch(a, b, poses_b=poses)),
        ):
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    start = time.perf_counter()
    for row in poses[:2000]:
        abut.distance(a, b, pose_b=row)
    single = (time.perf_counter() - start) / 2000
    for name, seconds in best.items():
        print(f"{name:20} {1e9 * seconds / n:7.0f} ns a pose  {seconds / best['C loop']:.2f}")
    print(f"{'single calls':20} {1e9 * single:7.0f} ns a pose")
    return best["batch with points"] / best["C loop"]


if __name__ == "__main__":
    sys.exit(0 if main(int(sys.argv[1]) if len(sys.argv) > 1 else 9) <= 1.3 else 1)
