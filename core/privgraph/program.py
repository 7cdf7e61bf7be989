"""Which program this is: its release, and a digest of all that decides which numbers it computes. No torch.

Whoever trains the same run with two programs has two releases. Were their noise the same, it would cancel: v
+ a z and v + b z, with a scale that one of them computes a little otherwise, give v away, and so do two ways
to compute v.
"""

import functools
import hashlib
import platform
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, entry_points, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path

from privgraph import __version__

LIBRARIES = ("dp-accounting", "mpmath", "numpy", "scikit-learn", "scipy", "torch", "torch-geometric")
"""Those that the engine computes with. Libraries of one method alone enter its noise where it is drawn
(`Context.having_read`)."""

GROUP = "privgraph.methods"
"""The entry point by which a package outside brings a method: it names a `MethodSpec`."""
CODE = (".py", ".so", ".pyd", ".dylib")
"""How files end that a package computes with."""


@functools.cache
def program() -> str:
    """The release, a plus sign, and twelve hex digits that change with the engine's code, its libraries,
    Python, and every package outside that brings a method, with what that requires.

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
    for part in _outside():
        fingerprint.update(part)
    return f"{__version__}+{fingerprint.hexdigest()[:12]}"


def _outside() -> Iterator[bytes]:
    """The code of each package that brings a method, and the versions of what it requires."""
    points = entry_points(group=GROUP)
    owners = {point.dist.name: point.dist for point in points if point.dist is not None}
    known = packages_distributions() if owners else {}
    packages = {point.module.partition(".")[0] for point in points}
    packages |= {name for name, places in known.items() if owners.keys() & set(places)}
    for name, owner in sorted(owners.items()):
        yield f"\n{name} {owner.version}".encode()
        yield from (f"\n{_required(line)}".encode() for line in sorted(owner.requires or ()))
    for name in sorted(packages - {"privgraph"}):
        found = find_spec(name)
        if found is None:
            continue
        places = [Path(place) for place in found.submodule_search_locations or ()]
        files = [path for place in places for path in sorted(place.rglob("*")) if path.suffix in CODE]
        for path in files if places else [Path(found.origin or "")]:
            code = path.read_bytes()
            yield f"\n{name} {path.name} {len(code)}\n".encode() + code


def _required(line: str) -> str:
    """A line of a package's requirements, with the version that is there.

    >>> _required("no-such-package >= 1; python_version > '3'")
    'no-such-package none'
    """
    name = re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0]
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"{name} none"
