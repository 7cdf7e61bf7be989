"""Named random streams: every random choice has a name and a seed, and no choice disturbs another.

Streams are `split`, `init`, `sampling`, `noise` and `attack`; a name may be refined ("noise/stage-2"). A stream depends
on the seed, its name and nothing else, but for `noise` and `sampling`: they also depend on a secret noise key,
where there is one. A seed has 31 bits, stands in the spec of its run and can be found from a run's id by trying; noise
that depended on it alone could be subtracted by whoever tried. With an empty key it does: for data that
may be looked at.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

import numpy as np

SECRET = ("noise", "sampling")
"""The streams whose secrecy privacy rests on."""

_KEY_BYTES = 32


def stream_bytes(seed: int, name: str, count: int, noise_key: bytes = b"") -> bytes:
    """`count` bytes that are all of the named stream's entropy (SHAKE-256).

    >>> stream_bytes(0, "noise", 8) == stream_bytes(0, "noise", 8, b"secret")
    False
    >>> stream_bytes(0, "init", 8) == stream_bytes(0, "init", 8, b"secret")
    True
    """
    key = noise_key if name.split("/")[0] in SECRET else b""
    text = f"privgraph/{name}/{seed}".encode()
    return hashlib.shake_256(len(key).to_bytes(2, "big") + key + text).digest(count)


def stream_seed(seed: int, name: str, noise_key: bytes = b"") -> int:
    """A 63-bit seed for the named stream.

    >>> stream_seed(0, "noise") == stream_seed(0, "init")
    False
    """
    return int.from_bytes(stream_bytes(seed, name, 8, noise_key), "big") >> 1


def stream(seed: int, name: str, noise_key: bytes = b"") -> np.random.Generator:
    """The named stream as a NumPy generator, seeded with 256 bits."""
    return np.random.default_rng(int.from_bytes(stream_bytes(seed, name, 32, noise_key), "big"))


def run_key(key: bytes, run: str) -> bytes:
    """The noise key of one run of an installation with this `key`, from the run's id.

    The same run repeats exactly; another one, though its seed be the same, has independent noise and samples. That is
    what composition counts on: with common noise z, releases v + a z and v + b z would give v away.

    >>> run_key(b"secret", "one") == run_key(b"secret", "other")
    False
    """
    return hmac.digest(key, run.encode(), "sha256")


def noise_key(folder: Path) -> bytes:
    """The secret key of an installation, kept in `folder` and made at the first call (readable by its owner alone).

    Runs repeat exactly where the key is the same. Raises `ValueError` where the file holds something else.
    """
    path = folder / "noise.key"
    fresh = os.urandom(_KEY_BYTES)
    draft = folder / f".noise.key.{os.getpid()}.{fresh[:4].hex()}"
    if not path.exists():
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(fresh)
        try:
            os.link(draft, path)  # whoever comes first wins; a key is never replaced
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    key = path.read_bytes()
    if len(key) != _KEY_BYTES:
        raise ValueError(f"noise.key must hold {_KEY_BYTES} bytes (got {len(key)})")
    return key
