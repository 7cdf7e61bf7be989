"""What a method's noise costs, from public sizes alone: epsilon at any noise, and along what moves it. No
Streamlit, no torch."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from privgraph.data.spec import PublicFacts
from privgraph.methods.base import Lever, MethodConfig, Price
from privgraph.options import OptionError, Scalar, build, parameters
from privgraph.privacy.accountants import tight
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS, method

PRIVACY = ("unit", "epsilon", "delta", "accounting")
"""The options that every method has, and every price."""
SPREAD = 8.0
_MANTISSAS = (1.0, 1.6, 2.5, 4.0, 6.3)
"""Preferred numbers, five a decade."""
_ANY_EPSILON = 1.0


PRIVATE: Mapping[str, tuple[str, ...]] = {
    name: units for name, one in METHODS.items() if (units := tuple(unit for unit in one.units if unit != "none"))
}
"""The methods that protect something, each with the units that it protects."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A method with its options on a graph of known sizes. Built by `setting`, which checks the options."""

    name: str
    config: MethodConfig
    facts: PublicFacts

    @property
    def price(self) -> Price:
        return self.config.price

    @property
    def reads(self) -> bool:
        """Whether the method reads anything that it protects."""
        return bool(self.price.noise)

    def noise(self) -> float:
        """The noise that keeps the wanted epsilon. Raises `OptionError` where none does."""
        return self.config.scale(self.facts)

    def at(self, noise: float) -> PrivacyStatement:
        """The statement of a run with that noise. Raises `OptionError` where the options or the noise do not
        fit.

        The wanted epsilon has no part in it: all settings that differ in it alone share what was computed.
        """
        return _at(replace(self, config=replace(self.config, epsilon=_ANY_EPSILON)), noise)


def setting(name: str, options: Mapping[str, Scalar], facts: PublicFacts) -> Setting:
    """Raises `OptionError` where the options do not go together."""
    return Setting(name=name, config=build(method(name).load_config(), options), facts=facts)


@lru_cache(maxsize=4096)
def _at(base: Setting, noise: float) -> PrivacyStatement:
    if not 0 < noise < math.inf and base.reads:
        raise OptionError(f"noise must be positive and finite (got {noise:g})")
    if noise > base.price.highest:
        raise OptionError(f"noise must be at most {base.price.highest:g} (got {noise:g})")
    return base.config.at(base.facts, noise)


Points = Sequence[tuple[float, float, float | None]]
"""Places in ascending order, each with its sound and its published epsilon (None: no formula)."""


def round_numbers(low: float, high: float) -> list[float]:
    """Numbers of one or two digits from `low` to `high`: the same whatever the bounds, so that they are
    priced once.

    >>> round_numbers(0.9, 4)
    [1.0, 1.6, 2.5, 4.0]
    """
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [value for one in exponents for lead in _MANTISSAS if low <= (value := float(f"{lead}e{one}")) <= high]


def along(base: Setting, noise: float, lever: Lever | None = None) -> tuple[Points, str]:
    """Epsilon against the noise, or against an option of the method while the noise stays what it is; and why
    a missing point cannot be had."""
    own, refused = noise if lever is None else lever.value, ""
    points: list[tuple[float, float, float | None]] = []
    around = _places(base, lever) if lever else round_numbers(noise / SPREAD, min(SPREAD * noise, base.price.highest))
    for place in sorted({own, *around}):
        try:
            moved = lever is not None and place != own
            said = _held(base, lever, place, noise) if moved else base.at(place if lever is None else noise)
            points.append((place, said.epsilon, said.epsilon_as_published))
        except OptionError as error:
            refused = refused or str(error)
    return points, refused


@lru_cache(maxsize=4096)
def _held(base: Setting, lever: Lever, value: float, noise: float) -> PrivacyStatement:
    kind = type(getattr(base.config, lever.option))
    config = replace(base.config, **{lever.option: kind(round(value) if kind is int else value)})
    if lever.held is None:
        return replace(base, config=config).at(noise)
    return lever.held(config, base.facts, noise)


def _places(base: Setting, lever: Lever) -> list[float]:
    """Values of an option around its own, within its bounds and those of the graph."""
    option = next(one for one in parameters(type(base.config)) if one.name == lever.option)
    own, bounds, whole = lever.value, option.option, option.type is int
    low = max(float(bounds.low or 0), own // SPREAD if whole else own / SPREAD)
    high = min(float(bounds.high or math.inf), max(SPREAD * own, 4.0))
    if lever.option == "batch_size":
        high = min(high, max(1, base.facts.train_nodes))
    if whole and high - low <= 12:
        return [float(value) for value in range(math.ceil(low), math.floor(high) + 1)]
    low = max(low, 1.0) if whole else low
    if not 0 < low < high:
        return []
    return [float(round(value)) if whole else value for value in round_numbers(low, high)]


def parts(entries: Sequence[LedgerEntry], delta: float) -> list[tuple[str, float, float]]:
    """What each entry of a ledger is called, what it costs by itself, and what everything else costs without
    it, at the same delta: epsilons do not add up."""
    return [
        (
            ", ".join(filter(None, (entry.mechanism, entry.stage))),
            cost((entry,), delta),
            cost((*entries[:place], *entries[place + 1 :]), delta),
        )
        for place, entry in enumerate(entries)
    ]


@lru_cache(maxsize=1024)
def cost(entries: tuple[LedgerEntry, ...], delta: float) -> float:
    """Epsilon of these entries together, by the tightest sound accountant."""
    return tight().epsilon(Ledger(entries).event(), delta)
