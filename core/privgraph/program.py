"""Which program this is: its release, and a digest of all that decides which numbers it computes. No torch.

Whoever trains the same run with two programs has two releases. Were their noise the same, it would cancel: v
+ a z and v + b z, with a scale that one of them computes a little otherwise, give v away, and so do two ways
to compute v.
"""

from __future__ import annotations

import functools
import hashlib
import platform
from importlib.metadata import version
from pathlib import Path

from privgraph import __version__

LIBRARIES = ("dp-accounting", "numpy", "scikit-learn", "scipy", "torch", "torch-geometric")
"""Those that the engine computes with."""


@functools.cache
def program() -> str:
    """The release, a plus sign, and twelve hex digits that change with the engine's code, its libraries, and
    Python.

    >>> program().startswith(f"{__version__}+")
    True
    """
    fingerprint = hashlib.sha256(platform.python_version().encode())
    for name in LIBRARIES:
        fingerprint.update(f"\n{name} {version(name)}".encode())
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        code = path.read_bytes()
        fingerprint.update(f"\n{path.relative_to(folder).as_posix()} {len(code)}\n".encode() + code)
    return f"{__version__}+{fingerprint.hexdigest()[:12]}"
