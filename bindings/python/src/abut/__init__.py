# SPDX-License-Identifier: MIT
"""abut: when, where and how solid things touch, with proof.

>>> import abut
>>> a, b = abut.sphere(0.5), abut.box([1, 1, 1])
>>> r = abut.check(a, b, pose_a=abut.Pose([0, 0, 1.75]))
>>> r.verdict, r.proof, r.distance
('separate', 'exact', (0.25, 0.25))

`abut.lib` and `abut.ffi` give the whole C interface, for what has no name here.
"""
from . import motions, queries, scenes, shapes, worlds
from ._core import AbutError, ArgumentError, Pose, UnsupportedError, ffi, lib
from .motions import *  # noqa: F401,F403
from .queries import *  # noqa: F401,F403
from .scenes import *  # noqa: F401,F403
from .shapes import *  # noqa: F401,F403
from .worlds import *  # noqa: F401,F403

__version__ = ffi.string(lib.abut_version()).decode()
__all__ = (["AbutError", "ArgumentError", "UnsupportedError", "Pose", "ffi", "lib", "__version__"]
           + motions.__all__ + queries.__all__ + scenes.__all__ + shapes.__all__ + worlds.__all__)
