"""Noise on a lattice, drawn exactly from a keyed stream. NumPy and mpmath alone.

Noise in floating point has a law of its own: few bits, tails that end, gaps between numbers that depend on
what it is added to (Mironov 2012). Here noise is an integer K, the floor of X times `scale`, where X is the
continuous variable that privacy was proved for. Added to an integer m, floor(X scale) + m = floor(X scale +
m): what comes out is the continuous mechanism on m, rounded, which is post-processing. Nothing of the proof
is lost, whatever the lattice; all that rounding data to the lattice costs is what it adds to their
sensitivity, and that is the business of the mechanism (`rounding_margin`).

How X is drawn (von Neumann's rejection, all decisions exact). The line is cut into cells of width w =
2^36/scale. A cell j is chosen with chance proportional to the largest value that the density has in it, by
Walker's alias method. A place t in it is uniform; its first 36 bits are the last bits of K. It is kept with
chance density(t) over that largest value, else all is drawn anew. Two random words of 64 bits serve a
candidate. Where they do not settle a comparison (once in 2^25 times), more bits are drawn, and the comparison
is made with 256 binary digits: `_settle`. The chances of cells are whole numbers of so many bits that the
least likely cell has more than 150 of them to itself. So the law of K is that of floor(X scale) but for a
factor within 1 +- 2^-150, up to where the cells end: 64 standard deviations for a Gaussian; never for an
exponential, which forgets where it is, so that what lies beyond the last cell is drawn anew from there.

What that adds to a guarantee, for up to 2^40 numbers a run: less than 2^-100 to epsilon (the logarithms of
the factors, added up), which no double can hold beside any epsilon, and less than 2^-60 to delta where no
number is shifted by more than 50 standard deviations (`accountants.TAILS`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import mpmath
import numpy as np
from numpy.typing import NDArray

from privgraph.streams import Secret

Ints = NDArray[np.int64]
Array = NDArray[np.float64]

LATTICE_BITS = 40
"""A scale is 2^40 to 2^41 steps of its lattice."""

_PLACE_BITS = 36
"""Bits of a place within a cell: cells are 1/32 to 1/16 of a scale wide."""

_TEST_BITS = 63 - _PLACE_BITS
"""Bits of the first comparison; with a sign and a place they fill a word."""

_DOUBT = 2.0 ** (1 - _TEST_BITS)
"""How near a comparison may be to be settled by more bits: twice the last of the first bits, far above
rounding."""

_COLUMN_BITS = 11
_COLUMNS = 1 << _COLUMN_BITS
_SHARE_BITS = 64 - _COLUMN_BITS
_BLOCK = 1 << 13
LARGEST = 2.0**62
"""Data are cut off there, in steps of the lattice: more than four million scales away."""


@dataclass(frozen=True, kw_only=True)
class _Shape:
    """A density, not normalised, with its mode at 0, which is where a cell begins.

    `exactly`: its logarithm at x, with as many digits as are asked for. `fall` (cells, places in [0, 1),
    width): by how much the logarithm lies below that of the cell's highest point, in doubles. `low` and
    `high`: the range in units of the scale; `signed`: the density on one side of 0 of a symmetric law. `bits`
    of the least likely cell's chance.
    """

    fall: Callable[[Ints, Array, float], Array]
    exactly: Callable[[mpmath.mpf], mpmath.mpf]
    low: float
    high: float
    signed: bool
    endless: bool
    bits: int


def _generic(logarithm: Callable[[Array], Array]) -> Callable[[Ints, Array, float], Array]:
    def fall(cells: Ints, places: Array, width: float) -> Array:
        top, here = (np.asarray(at * width, dtype=np.float64) for at in (cells + (cells < 0), cells + places))
        return np.asarray(logarithm(top) - logarithm(here))

    return fall


def _gaussian_fall(cells: Ints, places: Array, width: float) -> Array:
    """((j + t)^2 - j^2) w^2/2 = w^2 t (j + t/2)."""
    found = places * 0.5
    found += cells
    found *= places
    found *= width * width
    return np.asarray(found)


def _exponential_fall(cells: Ints, places: Array, width: float) -> Array:
    return places * width


_SHAPES = {
    "gaussian": _Shape(
        fall=_gaussian_fall, exactly=lambda x: -x * x / 2, low=0, high=64, signed=True, endless=False, bits=3072
    ),
    "exponential": _Shape(
        fall=_exponential_fall, exactly=lambda x: -x, low=0, high=56, signed=False, endless=True, bits=192
    ),
    "laplace": _Shape(
        fall=_exponential_fall, exactly=lambda x: -x, low=0, high=56, signed=True, endless=True, bits=192
    ),
    # The largest of many exponentials, less its typical place. Beyond the range: e^-58 on the right, e^-403
    # on the left.
    "gumbel": _Shape(
        fall=_generic(lambda x: np.asarray(-x - np.exp(-x))),
        exactly=lambda x: -x - mpmath.exp(-x),
        low=-6,
        high=58,
        signed=False,
        endless=False,
        bits=768,
    ),
    # The logarithm of the absolute value of Student's law with 3 degrees of freedom.
    "log-student": _Shape(
        fall=_generic(lambda x: np.asarray(x - 2 * np.log(3 + np.exp(2 * x)))),
        exactly=lambda x: x - 2 * mpmath.log(3 + mpmath.exp(2 * x)),
        low=-40,
        high=24,
        signed=False,
        endless=False,
        bits=320,
    ),
}


class Sampler:
    """Draws floor(X scale), X of the law `kind`, for one `scale` in [2^40, 2^41)."""

    def __init__(self, kind: str, scale: float) -> None:
        if kind not in _SHAPES:
            raise ValueError(f"kind must be one of {', '.join(_SHAPES)} (got {kind})")
        if not 2.0**LATTICE_BITS <= scale < 2.0 ** (LATTICE_BITS + 1):
            raise ValueError(f"scale must lie in [2^{LATTICE_BITS}, 2^{LATTICE_BITS + 1}) (got {scale:g})")
        self._shape = _SHAPES[kind]
        self._width = 2.0**_PLACE_BITS / scale
        self._exact_width = Fraction(2**_PLACE_BITS) / Fraction(scale)
        self._first = -math.ceil(-self._shape.low / self._width) if self._shape.low else 0
        self._cells = math.ceil(self._shape.high / self._width) - self._first
        self._own, self._rests, self._total, self._other = _alias(self._weights())

    def _weights(self) -> list[int]:
        """Whole numbers proportional to the highest density of each cell, and what lies beyond, where it is
        not cut off.

        The density rises up to 0 and falls from there: the highest point of a cell is its end towards 0.
        """
        bits = self._shape.bits + 64
        with mpmath.workprec(bits):
            width = _mpf(self._exact_width)
            unit = mpmath.mpf(2) ** bits
            if self._shape is _SHAPES["gaussian"]:
                # exp(-(j+1)^2 w^2/2) from exp(-j^2 w^2/2), at the price of two multiplications, in fixed
                # point
                step, factor = int(unit * mpmath.exp(-width * width)), int(unit * mpmath.exp(-width * width / 2))
                height, found = 1 << bits, []
                for _ in range(self._cells):
                    found.append(height)
                    height, factor = height * factor >> bits, factor * step >> bits
                return found
            places = range(self._first, self._first + self._cells)
            heights = [mpmath.exp(self._shape.exactly((j + (j < 0)) * width)) for j in places]
            if self._shape.endless:
                # All cells from here on together, each exp(-w) times the one before.
                heights.append(heights[-1] * mpmath.exp(-width) / (1 - mpmath.exp(-width)))
            return [int(mpmath.nint(height * unit)) for height in heights]

    def draw(self, secret: Secret, count: int) -> Ints:
        """`count` independent draws."""
        out = np.empty(count, dtype=np.int64)
        for start in range(0, count, _BLOCK):
            self._fill(out[start : start + _BLOCK], secret)
        return out

    def _fill(self, out: Ints, secret: Secret) -> None:
        have = 0
        while have < len(out):
            kept = self._candidates(secret, len(out) - have + (len(out) - have) // 24 + 2)
            kept = kept[: len(out) - have]
            out[have : have + len(kept)] = kept
            have += len(kept)

    def _candidates(self, secret: Secret, count: int) -> Ints:
        """Those that are kept of `count` candidates."""
        words = secret.words(2 * count)
        cell = self._cell(words[:count], secret)
        word = words[count:].view(np.int64)
        place = (word >> _TEST_BITS) & ((1 << _PLACE_BITS) - 1)
        beyond = self._forget(cell, secret) if self._shape.endless else None
        if self._first:
            cell += self._first
        t = np.asarray(place * 2.0**-_PLACE_BITS, dtype=np.float64)
        fall = self._shape.fall(cell, t, self._width)
        test = (word & ((1 << _TEST_BITS) - 1)) * 2.0**-_TEST_BITS
        # exp(-fall) is at least 1 - fall: most candidates are kept by that alone
        accepted = test + fall < 1 - _DOUBT
        unsure = np.flatnonzero(~accepted)
        margin = np.exp(-fall[unsure]) - test[unsure]
        accepted[unsure] = margin > 0
        for one in unsure[np.abs(margin) < _DOUBT]:
            first = int(word[one]) & ((1 << _TEST_BITS) - 1)
            accepted[one] = self._settle(int(cell[one]), int(place[one]), first, secret)
        candidates = cell << _PLACE_BITS
        candidates |= place
        if beyond is not None:
            candidates += beyond
        if self._shape.signed:
            candidates ^= word >> 63  # -k - 1 in place of k: the floor of the mirrored number
        return np.asarray(candidates[accepted])

    def _cell(self, words: NDArray[np.uint64], secret: Secret) -> Ints:
        """Walker's alias method: a column by the first bits, then its own cell or the other one by the
        rest."""
        column = (words >> np.uint64(_SHARE_BITS)).view(np.int64)
        rest = words & np.uint64((1 << _SHARE_BITS) - 1)
        limit = self._own[column]
        own = rest < limit
        for tie in np.flatnonzero(rest == limit):
            own[tie] = secret.coin(Fraction(self._rests[int(column[tie])], self._total))
        return np.where(own, column, self._other[column])

    def _forget(self, cell: Ints, secret: Secret) -> Ints | None:
        """An exponential beyond the last cell is there, and an exponential further: (n,) what to add, and
        `cell` anew."""
        far = np.flatnonzero(cell == self._cells)
        if not far.size:
            return None
        beyond = np.zeros(len(cell), dtype=np.int64)
        while far.size:
            beyond[far] += self._cells << _PLACE_BITS
            cell[far] = self._cell(secret.words(far.size), secret)
            far = far[cell[far] == self._cells]
        return beyond

    def _settle(self, cell: int, place: int, test: int, secret: Secret) -> bool:
        """Whether a candidate is kept, with 128 more bits of its place and of the number that it is compared
        with."""
        more_place, more_test = (secret.integer(128) for _ in range(2))
        with mpmath.workprec(256):
            width = _mpf(self._exact_width)
            t = mpmath.ldexp(mpmath.mpf((place << 128) | more_place), -_PLACE_BITS - 128)
            u = mpmath.ldexp(mpmath.mpf((test << 128) | more_test), -_TEST_BITS - 128)
            top = self._shape.exactly((cell + (cell < 0)) * width)
            return bool(u < mpmath.exp(self._shape.exactly((cell + t) * width) - top))


def _mpf(value: Fraction) -> mpmath.mpf:
    return mpmath.mpf(value.numerator) / mpmath.mpf(value.denominator)


def _alias(weights: list[int]) -> tuple[NDArray[np.uint64], list[int], int, Ints]:
    """Tables of the alias method for whole weights, without any rounding (Vose 1991).

    Column c stands for c where the rest of a word lies below the first number, or is equal to it and a coin
    comes up whose chance is the second over the third; else for the fourth.
    """
    total = sum(weights)
    left = [weight * _COLUMNS for weight in weights] + [0] * (_COLUMNS - len(weights))
    own, other = list(left), list(range(_COLUMNS))
    small = [c for c, weight in enumerate(left) if weight < total]
    large = [c for c, weight in enumerate(left) if weight >= total]
    while small and large:
        low, high = small.pop(), large[-1]
        own[low], other[low] = left[low], high
        left[high] -= total - left[low]
        if left[high] < total:
            small.append(large.pop())
    # The weights add up to all columns exactly, so that what is left over is full.
    for c in small + large:
        own[c] = total
    limits, rests = zip(*(divmod(part << _SHARE_BITS, total) for part in own), strict=True)
    # A full column's limit lies above every rest of a word.
    return np.array(limits, dtype=np.uint64), list(rests), total, np.array(other, dtype=np.int64)


_STORED = 1 << 12
_NONE: Ints = np.empty(0, dtype=np.int64)


@lru_cache(maxsize=256)
def sampler(kind: str, scale: float) -> Sampler:
    """The sampler of a law and a scale in [2^40, 2^41), kept: making one takes hundredths of a second."""
    return Sampler(kind, scale)


def step_of(scale: float) -> float:
    """The power of two that is a step of the lattice of noise of that `scale`: between 2^-41 and 2^-40 of it.

    >>> step_of(1.0) == step_of(1.999) == 2.0**-40
    True
    """
    if not 1e-200 < scale < 1e200:
        raise ValueError(f"a scale of noise must lie between 1e-200 and 1e200 (got {scale})")
    return math.ldexp(1.0, math.frexp(scale)[1] - 1 - LATTICE_BITS)


def draw(kind: str, scale: float, secret: Secret, count: int) -> Ints:
    """(count,) noise of law `kind` and this `scale`, in steps of `step_of(scale)`.

    A few numbers are taken from a store of many that were drawn together, as each drawing takes its time.
    """
    own, known = sampler(kind, scale / step_of(scale)), (kind, scale)
    if count > _STORED // 4:
        return own.draw(secret, count)
    store = secret.stores.get(known, _NONE)
    if count > len(store):
        store = np.concatenate([store, own.draw(secret, _STORED)])
    secret.stores[known] = store[count:]
    return np.asarray(store[:count].copy())


def rounded(values: Array, step: float) -> Ints:
    """values (n,) in whole steps, the nearest; what is no number counts as 0, and what is too large is cut
    off.

    A total function of each value by itself. `step` is a power of two, so that the division is exact, and a
    value moves by half a step at most; cutting off brings two values no further apart.
    """
    largest = LARGEST * step
    steps = np.clip(np.nan_to_num(values, nan=0.0, posinf=largest, neginf=-largest), -largest, largest) / step
    return np.asarray(np.rint(steps).astype(np.int64))


def add(kind: str, scale: float, values: Array, secret: Secret) -> Array:
    """values, any shape, rounded to the lattice, with independent noise on each: the sum is exact, then
    rounded to a double."""
    step = step_of(scale)
    noise = draw(kind, scale, secret, values.size).reshape(values.shape)
    return np.asarray((rounded(values, step) + noise).astype(np.float64) * step)


def add_untied(kind: str, scale: float, values: Array, secret: Secret) -> Array:
    """As `add`, where the place of the largest of each row is wanted: of several that are equal, one at
    random is larger."""
    step = step_of(scale)
    noise = draw(kind, scale, secret, values.size).reshape(values.shape)
    return np.asarray(untie(rounded(values, step) + noise, secret).astype(np.float64) * step)


def rounding_margin(multiplier: float, growth: float) -> float:
    """By what noise must be larger so that rounding to its lattice costs nothing.

    `multiplier` is the scale over the sensitivity; `growth` how many steps rounding can add to the difference
    of two neighbouring quantities: the root of the number of coordinates in L2, their number in L1, and twice
    that where sums in doubles were rounded before. A step is at most 2^-40 scales. Asked is a scale s' with
    (sensitivity + growth 2^-40 s')/s' at most sensitivity/s, which is s' = s/(1 - multiplier growth 2^-40).
    Raises `ValueError` where that is more than a tenth.
    """
    share = multiplier * growth * 2.0**-LATTICE_BITS
    if share > 0.1:
        raise ValueError(f"noise of {multiplier:g} times the sensitivity is too fine a lattice for so many numbers")
    return 1 / (1 - share)


def untie(steps: Ints, secret: Secret) -> Ints:
    """steps (..., C), in place: where several entries of a row are its largest, one of them, at random, gets
    a step more.

    Two continuous numbers are never equal; of two whose floors are, each is the larger with chance 1/2, but
    for a share of 2^-39.
    """
    rows = steps.reshape(-1, steps.shape[-1])
    largest = rows == rows.max(axis=1, keepdims=True)
    for row in np.flatnonzero(largest.sum(axis=1) > 1):
        places = np.flatnonzero(largest[row])
        rows[row, places[secret.below(len(places), 1)[0]]] += 1
    return rows.reshape(steps.shape)
