"""What is typed to find runs: words, and bounds on numbers, as in `GAP edges epsilon<=2 accuracy>0.7`."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from privgraph_workbench.words import markup
from privgraph_workbench.words.numbers import kept_budget

Light = Mapping[str, Any]
"""A light row of the store."""
SIGNS: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
MEASURED: Mapping[str, tuple[str, Callable[[Sequence[float]], float]]] = {
    "epsilon": ("sound_epsilon", max),
    "published": ("published_epsilon", max),
    "accuracy": ("test_accuracy", fmean),
    "time": ("seconds", fmean),
}
"""What can be compared with a number: which column, and what is made of it over the runs of a setting."""
ALSO = {
    **{"ε": "epsilon", "eps": "epsilon", "sound_epsilon": "epsilon"},
    **{"acc": "accuracy", "test_accuracy": "accuracy", "seconds": "time"},
}
"""Other words for these."""
OPTIONS = {"λ": "lam", "σ": "noise_multiplier", "σ₂": "vote_sigma", "asked": "epsilon"}
"""What the list calls options that have other names; `asked` is the ε that noise was chosen by."""
GUARANTEES = ("epsilon", "published")
"""Numbers that nobody has who protects nothing."""
_COMPARED = re.compile(r"([^\W\d]\w*)(<=|>=|<|>|=)(.*)")
_SPACED = re.compile(r"\s*(<=|>=|[<>=])\s*")


@dataclass(frozen=True, kw_only=True)
class Bound:
    """A number of a setting, and within what it must lie."""

    name: str
    sign: str
    value: float
    step: float = field(default=0.0, repr=False)
    """Of `=`, the last digit that was typed: a number holds that rounds to the typed one."""

    def holds(self, group: Sequence[Light]) -> bool:
        """Whether it holds of a setting with these runs, by the number that the list shows."""
        column, made = MEASURED[self.name]
        if self.name in GUARANTEES and group[0]["unit"] == "none":
            return False
        held = [float(one[column]) for one in group if one[column] is not None]
        return bool(held) and SIGNS.get(self.sign, self._rounds)(made(held), self.value)

    def _rounds(self, number: float, typed: float) -> bool:
        """Whether a number is the typed one where it is shown; calibrated noise uses a little less."""
        if self.name in GUARANTEES:
            return number == typed or kept_budget(typed, number) is not None
        return abs(number - typed) <= self.step / 2


@dataclass(frozen=True, kw_only=True)
class Search:
    """The words that a run must have, what numbers of its setting must be, and what could not be read."""

    words: str = ""
    bounds: tuple[Bound, ...] = ()
    complaints: tuple[str, ...] = ()


def read(text: str) -> Search:
    """What was typed.

    >>> read("GAP epsilon <= 2").words, read("accuracy>80%").bounds
    ('GAP', (Bound(name='accuracy', sign='>', value=0.8),))
    """
    words: list[str] = []
    bounds: list[Bound] = []
    complaints: list[str] = []
    for word in _SPACED.sub(r"\1", text.replace("≤", "<=").replace("≥", ">=")).split():
        compared = _COMPARED.fullmatch(word)
        if compared is None or (compared[2] == "=" and _known(compared[1]) not in MEASURED):
            words.append(_option(word))
            continue
        found = _bound(*compared.groups())
        if isinstance(found, Bound):
            bounds.append(found)
        else:
            complaints.append(f"{markup.literal(word[:80])} is left out of the search: {found}.")
    return Search(words=" ".join(words), bounds=tuple(bounds), complaints=tuple(complaints))


def _known(name: str) -> str:
    return ALSO.get(name.casefold(), name.casefold())


def _option(word: str) -> str:
    """A word with the name that the store has for an option, where it is an option by another name."""
    name, equals, value = word.partition("=")
    return f"{OPTIONS.get(name, name)}{equals}{value}" if equals or name != "asked" else word


def _bound(name: str, sign: str, typed: str) -> Bound | str:
    """The bound that was typed, or why it is none."""
    known = _known(name)
    if known not in MEASURED:
        *first, last = MEASURED
        return f"compared with a number are {', '.join(first)} and {last}; an option is found as name=value"
    number = typed.removesuffix("%")
    if re.fullmatch(r"\d+,\d+", number):
        return f"a decimal has a point, as in {known}{sign}{number.replace(',', '.')}"
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        return f"behind {markup.literal(sign)} stands a number, as in {EXAMPLES[known]}"
    step = 10.0 ** -len(number.partition(".")[2])
    if known == "accuracy":
        if number != typed or value > 1:
            value, step = value / 100, step / 100
        step = min(step, 0.01)  # 0.8 is 80%
    return Bound(name=known, sign=sign, value=value, step=step)


EXAMPLE = "GAP Cora edges epsilon<=2 accuracy>0.7"
"""A search that finds something in the gallery."""
EXAMPLES = {
    "epsilon": "epsilon<=2",
    "published": "published<=2",
    "accuracy": "accuracy>0.8",
    "time": "time<60 (seconds)",
}
NO_GUARANTEE = (
    "ε is the sound one that the list shows; what was asked for is found as asked=2. Settings that protect nothing "
    "have no ε to compare, and are left out."
)
