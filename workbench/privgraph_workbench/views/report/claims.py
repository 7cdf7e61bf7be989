"""Percents and ε in an author's words that are no result of the report: a remark is free text, and nothing
else would contradict it. No Streamlit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench import blocks, tables
from privgraph_workbench.blocks import Block, Folded, Picture, Remark, Small, Table
from privgraph_workbench.figures import chart_of

_NUMBER = r"\d+(?:[.,]\d+)?(?:e-?\d+)?"
_PERCENT = re.compile(rf"(?<![\w.,])({_NUMBER})\s?(?:%|per ?cent\b)", re.IGNORECASE)
_LEADS = r"=|≤|≥|≈|~|<|>|:|of|is|at least|at most|about|below|under|above|over|audited|as published"
_EPSILON = re.compile(
    rf"(?:ε|ϵ|epsilon|\beps\b)(?:\s*(?:{_LEADS}))*\s*(?P<first>{_NUMBER})(?: to (?P<last>{_NUMBER}))?", re.IGNORECASE
)
_FIRST = re.compile(rf"(?<![\w.,])(?P<first>{_NUMBER})(?: to (?P<last>{_NUMBER}))?")
_HEAD = re.compile(r"(?:sound |bound on )?ε(?: (?:as published|audited))?", re.IGNORECASE)
"""The heads of rows and columns that hold nothing but ε."""
_AGREED = re.compile(
    r"\d+(?:\.\d+)?\s?%(?=[\s-](?:intervals?|confidence|CI\b|FPR|false))"
    r"|(?<=confidence )\d+(?:\.\d+)?%|coin is right in 50%",
    re.IGNORECASE,
)
"""Levels that were agreed on, and are no results: of confidence, of false alarms, and of a coin."""
GUESSED = tables.GUARANTEES[4]
"""A bound that follows from ε, and that is 100% in every report of a model without noise: no result."""
_NEAR = Decimal("0.05")
"""By which share a rounded number may be off at most: 0.3 is no 0."""


_ACCURACY = re.compile(r"accura", re.IGNORECASE)
_LOST = re.compile(r"\b(?:cost|los[est]|drop|fall|fell|less|more|gain)", re.IGNORECASE)
"""What makes a percent a difference of accuracies, and no accuracy."""
_OTHER = re.compile(r"train(?:ing)? |validation|\b(?:AUC|TPR|FPR|area)\b", re.IGNORECASE)
_STOP = re.compile(r"[.;,!?()]\s|[.;,!?()]$|\n")
AS_ACCURACY = "{said} as an accuracy"


class Kind(Enum):
    """What the numbers of a text are."""

    ANY = "any"
    EPSILON = "ε alone"
    ACCURACY = "accuracies"


@dataclass(frozen=True, kw_only=True)
class Results:
    """The percents and ε that a report tells as results, and the `accuracies` among the percents: a share
    that an attack has found is none."""

    percents: frozenset[Decimal]
    accuracies: frozenset[Decimal]
    epsilons: frozenset[Decimal]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A number as somebody wrote it (`said`), and what it is."""

    said: str
    value: Decimal
    kind: Kind

    @property
    def named(self) -> str:
        """The number with what it was said to be, where that is more than its sign."""
        return AS_ACCURACY.format(said=self.said) if self.kind is Kind.ACCURACY else self.said


def results(told: blocks.Told) -> Results:
    """Those in tables, findings, summaries of pictures and settings. What is said in prose beside them is
    left out: it explains, by numbers that every report has (such as "weak up to 99%")."""
    percents: set[Decimal] = set()
    accuracies: set[Decimal] = set()
    epsilons: set[Decimal] = set()
    for section, statements in told:
        for text, kind in _texts(section.blocks, statements):
            plain = _AGREED.sub("", text)
            here = {_value(one[1]) for one in _PERCENT.finditer(plain)}
            percents |= here
            accuracies |= here if kind is Kind.ACCURACY else set()
            found = [_FIRST.search(plain)] if kind is Kind.EPSILON else _EPSILON.finditer(plain)
            epsilons |= {_value(one[end]) for one in found if one for end in ("first", "last") if one[end]}
    return Results(percents=frozenset(percents), accuracies=frozenset(accuracies), epsilons=frozenset(epsilons))


def claims_of(words: str) -> list[Claim]:
    """The percents and ε of somebody's words, in order.

    >>> [one.named for one in claims_of("Accuracy is **99%** (95% interval) at ε = 0.5, and 3% are found")]
    ['99% as an accuracy', 'ε = 0.5', '3%']
    """
    plain = _AGREED.sub(lambda one: " " * len(one[0]), blocks.unmarked(words))
    numbers: list[tuple[re.Match[str], Kind]] = [(one, Kind.ANY) for one in _PERCENT.finditer(plain)]
    for one in _EPSILON.finditer(plain):
        if plain[one.end() :].lstrip()[:1] != "%":  # else an accuracy stands behind an ε without a number
            numbers.append((one, Kind.EPSILON))
    found: list[Claim] = []
    numbers.sort(key=lambda one: one[0].start())
    for place, (one, kind) in enumerate(numbers):
        said = " ".join(one[0].split())
        if kind is Kind.EPSILON:
            found += [Claim(said=said, value=_value(one[end]), kind=kind) for end in ("first", "last") if one[end]]
            continue
        begins = numbers[place - 1][0].end() if place else 0
        ends = numbers[place + 1][0].start() if place + 1 < len(numbers) else len(plain)
        around = _STOP.split(plain[begins : one.start()])[-1] + " " + _STOP.split(plain[one.end() : ends])[0]
        reached = _ACCURACY.search(around) and not _LOST.search(around)
        found.append(Claim(said=said, value=_value(one[1]), kind=Kind.ACCURACY if reached else kind))
    return found


def unfounded(words: str, known: Results) -> list[str]:
    """Those that are none of these results, each once, also not when one is rounded as they are."""
    of = {Kind.ANY: known.percents, Kind.ACCURACY: known.accuracies, Kind.EPSILON: known.epsilons}
    found = [one.named for one in claims_of(words) if not any(_rounded(one.value, exact) for exact in of[one.kind])]
    return list(dict.fromkeys(found))


def _value(number: str) -> Decimal:
    return Decimal(number.replace(",", "."))


def _rounded(said: Decimal, exact: Decimal) -> bool:
    """Whether somebody who rounds the exact number may have said this one."""
    half = Decimal(5).scaleb(int(said.as_tuple().exponent) - 1)
    return abs(said - exact) <= min(half, _NEAR * said)


def _texts(held: Sequence[Block], statements: Mapping[str, PrivacyStatement]) -> Iterator[tuple[str, Kind]]:
    """Pieces of text that tell results, each with what its numbers are."""
    for block in held:
        if isinstance(block, Table):
            yield from _cells(block)
        elif isinstance(block, Remark):
            for part in blocks.parts_of(block.text):
                if isinstance(part, Table):
                    yield from _cells(part)
                else:
                    for line in [part] if isinstance(part, str) else part:
                        yield blocks.unmarked(line), _kind(line)
        elif isinstance(block, Small):
            yield block.text, Kind.ANY
        elif isinstance(block, Folded):
            yield from _texts(block.blocks, statements)
        elif isinstance(block, Picture):
            said = chart_of(block.figure, block.rows).summary
            yield said, _kind(said)
            yield from _texts([one for one in blocks.around(block, statements)[1] if isinstance(one, Table)], {})


def _kind(text: str) -> Kind:
    return Kind.ACCURACY if _ACCURACY.search(text) and not _OTHER.search(text) else Kind.ANY


def _cells(table: Table) -> Iterator[tuple[str, Kind]]:
    """The cells of a table, each by the heads of its row and its column."""
    first, *names = table.head or ("",)
    for label, *cells in table.rows:
        if label == GUESSED:
            continue
        yield label, _of_heads(first)
        for name, cell in zip(names or [""] * len(cells), cells, strict=False):
            if name != GUESSED:
                yield cell, _of_heads(label, name)


def _of_heads(*heads: str) -> Kind:
    if any(_HEAD.fullmatch(one.strip()) for one in heads):
        return Kind.EPSILON
    return next((kind for one in heads if (kind := _kind(one)) is Kind.ACCURACY), Kind.ANY)
