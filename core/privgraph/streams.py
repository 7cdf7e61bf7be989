"""Named random streams: every random choice has a name and a seed, and no choice disturbs another.

There are two kinds. What everybody may know (initial weights, splits, dropout) comes from ordinary
generators, and depends on the seed of a run and the stream's name alone. What privacy rests on comes from a
`Secret`: noise, samples and coins. Its words are those of AES-256 in counter mode, under a key that is made
of the run's secret key, the seed and the name. Whoever knows any number of its words, but not the key, cannot
tell the others from random ones; no generator of NumPy or torch is of that kind (a Mersenne Twister's state
follows from 20,000 of its bits by linear algebra). It is drawn on the host, so that it is the same whatever
device the run is on.
"""

import hashlib
import hmac
import os
import time
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CTR
from numpy.typing import NDArray

SECRET = ("noise", "sampling")
"""The streams whose secrecy privacy rests on: the first part of their names."""

_KEY_BYTES = 32
_PATIENT_LOOKS = 20
_ZEROS = bytes(1 << 18)


def _bytes(seed: int, name: str, count: int, key: bytes = b"") -> bytes:
    """`count` bytes that are all of a stream's entropy (SHAKE-256)."""
    text = f"privgraph/{name}/{seed}".encode()
    return hashlib.shake_256(len(key).to_bytes(2, "big") + key + text).digest(count)


def _refuse_secret(name: str) -> None:
    if name.split("/")[0] in SECRET:
        raise ValueError(f"the stream {name} is secret: it must come from a Secret")


def stream_seed(seed: int, name: str) -> int:
    """A 63-bit seed for a stream that everybody may know. Raises `ValueError` for a secret one.

    >>> stream_seed(0, "init") == stream_seed(0, "split")
    False
    """
    _refuse_secret(name)
    return int.from_bytes(_bytes(seed, name, 8), "big") >> 1


def stream(seed: int, name: str) -> np.random.Generator:
    """A stream that everybody may know as a NumPy generator. Raises `ValueError` for a secret one."""
    _refuse_secret(name)
    return np.random.default_rng(int.from_bytes(_bytes(seed, name, 32), "big"))


class Secret:
    """A stream of random words that only holders of `key` can foretell: AES-256 in counter mode.

    A name stands for one purpose: two streams of the same key, seed and name are the same words.
    """

    def __init__(self, key: bytes, seed: int, name: str) -> None:
        if len(key) < 16:
            raise ValueError(f"the key of a secret stream must have at least 16 bytes (got {len(key)})")
        self.name = name
        self.stores: dict[object, NDArray[np.int64]] = {}
        """Noise that was drawn ahead, by whoever draws it (`privgraph.lattice`)."""
        self._cipher = Cipher(AES(_bytes(seed, name, _KEY_BYTES, key)), CTR(bytes(16))).encryptor()

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words of 64 bits."""
        out = np.empty(8 * count + 16, dtype=np.uint8)
        view = memoryview(out.data)
        for start in range(0, 8 * count, len(_ZEROS)):
            size = min(len(_ZEROS), 8 * count - start)
            self._cipher.update_into(memoryview(_ZEROS)[:size], view[start : start + size + 16])
        return out[: 8 * count].view("<u8")

    def integer(self, bits: int) -> int:
        """A whole number in [0, 2^bits); `bits` is a multiple of 64."""
        return int.from_bytes(self.words(bits // 64).tobytes(), "little")

    def coin(self, chance: Fraction) -> bool:
        """True with this very chance: as many words are compared with its binary digits as it takes."""
        while True:
            scaled = chance * 2**64
            whole = scaled.numerator // scaled.denominator
            word = self.integer(64)
            if word != whole:
                return word < whole
            chance = scaled - whole
            if not chance:
                return False

    def coins(self, chance: float | NDArray[np.float64], count: int | None = None) -> NDArray[np.bool_]:
        """(count,) independent coins of one chance, or one for each entry of an array of them.

        A coin is true with the very chance that the double stands for: a word is compared with its first 64
        binary digits, and where these are equal, another with the next ones.
        """
        if count is None:
            chances = np.asarray(chance, dtype=np.float64)
            shape = chances.shape
            chances = chances.ravel()
        else:
            chances, shape = np.full(1, chance), (count,)
        if not bool(((chances >= 0) & (chances <= 1)).all()):
            raise ValueError("a chance must lie in [0, 1]")
        scaled = np.ldexp(chances, 64)
        certain = chances == 1
        limit = np.where(certain, 0, scaled).astype(np.uint64)
        words = self.words(int(np.prod(shape)))
        fallen = (words < limit) | certain
        for tie in np.flatnonzero(words == limit):
            own = tie if len(chances) > 1 else 0
            digits = Fraction(float(scaled[own])) - int(limit[own])
            if digits and not certain[own]:
                fallen[tie] = self.coin(digits)
        return np.asarray(fallen.reshape(shape))

    def below(self, bound: int, count: int) -> NDArray[np.int64]:
        """(count,) whole numbers in [0, bound), all equally likely: words beyond the last multiple of it are
        passed over."""
        if not 0 < bound <= 2**62:
            raise ValueError(f"bound must lie between 1 and 2^62 (got {bound})")
        last = np.uint64(2**64 // bound * bound - 1)
        out = np.empty(0, dtype=np.uint64)
        while out.size < count:
            words = self.words(count - out.size)
            out = np.concatenate([out, words[words <= last]])
        return (out % np.uint64(bound)).astype(np.int64)

    def order(self, count: int) -> NDArray[np.int64]:
        """(count,) the numbers below `count` in random order."""
        return np.argsort(self.words(count), kind="stable").astype(np.int64)


def derived_key(key: bytes, *parts: str | bytes) -> bytes:
    """A key of its own for what `parts` say, from a secret `key` (HMAC-SHA256); it tells nothing of any
    other.

    Every part goes in with its length: ("ab", "c") and ("a", "bc") have nothing in common.

    >>> derived_key(b"secret", "run", "one") == derived_key(b"secret", "run", "other")
    False
    """
    coded = (part.encode() if isinstance(part, str) else part for part in parts)
    return hmac.digest(key, b"".join(len(part).to_bytes(8, "big") + part for part in coded), "sha256")


def fingerprint(key: bytes) -> str:
    """By which holders of a secret key know one another's: 32 hex digits that tell nothing of it."""
    return derived_key(key, "fingerprint").hex()[:32]


def _write_first(path: Path, key: bytes) -> None:
    """Write the key unless there is a file; one that is there is never replaced, whatever it holds."""
    with suppress(FileExistsError), open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(key)


OPEN_KEY = hashlib.sha256(b"the gallery: public graphs, which anybody may train on again").digest()
"""A key of an installation that is no secret: that of the examples, which anybody can repeat.

A worker that finds it trains on public graphs alone, and its statements say what that means."""


def noise_key(folder: Path) -> bytes:
    """The secret key of an installation, kept in `folder` and made at the first call (readable by its owner
    alone).

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
        except OSError:  # a disk that knows no links, such as exFAT
            _write_first(path, fresh)
        finally:
            draft.unlink()
    key = path.read_bytes()
    for _ in range(_PATIENT_LOOKS):
        if len(key) >= _KEY_BYTES:
            break
        time.sleep(0.01)  # another process may be between making the file and writing it
        key = path.read_bytes()
    if len(key) != _KEY_BYTES:
        raise ValueError(f"noise.key must hold {_KEY_BYTES} bytes (got {len(key)})")
    return key
