"""Percents and ε in an author's words that are no result of the report: a remark is free text, and nothing
else would contradict it. No Streamlit."""

from __future__ import annotations

import math
import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from privgraph.privacy.statement import PrivacyStatement
from privgraph_workbench import blocks, tables
from privgraph_workbench.blocks import Block, Folded, Picture, Remark, Section, Small, Table
from privgraph_workbench.figures import chart_of
from privgraph_workbench.figures.chart import Row

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
_ENDS = re.compile(r"(?<=[.!?;])\s|\n")
"""Where sentences end: neither in a number nor in an abbreviation within a word."""
AS_ACCURACY = "{said} as an accuracy"


class Kind(Enum):
    """What the numbers of a text are."""

    ANY = "any"
    EPSILON = "ε alone"
    ACCURACY = "accuracies"


@dataclass(frozen=True, kw_only=True)
class Results:
    """The percents and ε that a report tells as results, and the `accuracies` among the percents: a share
    that an attack has found is none. `pairs`: each ε with a percent that is told of it."""

    percents: frozenset[Decimal]
    accuracies: frozenset[Decimal]
    epsilons: frozenset[Decimal]
    pairs: frozenset[tuple[Decimal, Decimal]] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A number as somebody wrote it (`said`), what it is, and in which of the sentences it stands; `lost`: it
    is a difference, which no ε reaches."""

    said: str
    value: Decimal
    kind: Kind
    sentence: int = 0
    lost: bool = False

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
    pairs: set[tuple[Decimal, Decimal]] = set()
    for section, statements in told:
        for budgets, shares in _together(section, statements):
            pairs |= {(budget, share) for budget in budgets for share in shares}
        for text, kind in _texts(section.blocks, statements):
            plain = _AGREED.sub("", text)
            here = {_value(one[1]) for one in _PERCENT.finditer(plain)}
            percents |= here
            accuracies |= here if kind is Kind.ACCURACY else set()
            found = [_FIRST.search(plain)] if kind is Kind.EPSILON else _EPSILON.finditer(plain)
            epsilons |= {_value(one[end]) for one in found if one for end in ("first", "last") if one[end]}
    return Results(
        percents=frozenset(percents),
        accuracies=frozenset(accuracies),
        epsilons=frozenset(epsilons | {budget for budget, _ in pairs}),
        pairs=frozenset(pairs),
    )


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
    ends = [one.start() for one in _ENDS.finditer(plain)]
    numbers.sort(key=lambda one: one[0].start())
    for place, (one, kind) in enumerate(numbers):
        said, sentence = " ".join(one[0].split()), bisect(ends, one.start())
        if kind is Kind.EPSILON:
            found += [
                Claim(said=said, value=_value(one[end]), kind=kind, sentence=sentence)
                for end in ("first", "last")
                if one[end]
            ]
            continue
        begins = numbers[place - 1][0].end() if place else 0
        stops = numbers[place + 1][0].start() if place + 1 < len(numbers) else len(plain)
        around = _STOP.split(plain[begins : one.start()])[-1] + " " + _STOP.split(plain[one.end() : stops])[0]
        lost = bool(_LOST.search(around))
        reached = _ACCURACY.search(around) and not lost
        found.append(
            Claim(
                said=said,
                value=_value(one[1]),
                kind=Kind.ACCURACY if reached else kind,
                sentence=sentence,
                lost=lost,
            )
        )
    return found


def unfounded(words: str, known: Results) -> list[str]:
    """Those that are none of these results, each once, also not when one is rounded as they are. A percent in
    a sentence with an ε is told of that ε: one that the report tells of other ε alone is none there."""
    of = {Kind.ANY: known.percents, Kind.ACCURACY: known.accuracies, Kind.EPSILON: known.epsilons}
    bound = {share for _, share in known.pairs}
    claims = claims_of(words)
    found: list[str] = []
    for one in claims:
        exact = {value for value in of[one.kind] if _rounded(one.value, value)}
        budgets = [other for other in claims if other.kind is Kind.EPSILON and other.sentence == one.sentence]
        if one.kind is Kind.EPSILON or one.lost or not budgets:
            found += [one.named] * (not exact)
        elif not any(value not in bound or _reach(budgets, value, known) for value in exact):
            said = list(dict.fromkeys(other.said for other in budgets))
            found.append(f"{one.named} at {' or '.join(said)}" if exact or len(said) == 1 else one.named)
    return list(dict.fromkeys(found))


def _reach(budgets: Sequence[Claim], share: Decimal, known: Results) -> bool:
    """Whether the percent is told of one of these ε."""
    return any(share == other and _rounded(one.value, budget) for budget, other in known.pairs for one in budgets)


def _value(number: str) -> Decimal:
    return Decimal(number.replace(",", "."))


def _rounded(said: Decimal, exact: Decimal) -> bool:
    """Whether somebody who rounds the exact number may have said this one."""
    half = Decimal(5).scaleb(int(said.as_tuple().exponent) - 1)
    return abs(said - exact) <= min(half, _NEAR * said)


def _pieces(
    held: Sequence[Block], statements: Mapping[str, PrivacyStatement]
) -> Iterator[Table | Picture | tuple[str, Kind]]:
    """What tells results, in order: tables, pictures, and lines of text with what their numbers are."""
    for block in held:
        if isinstance(block, Table):
            yield block
        elif isinstance(block, Remark):
            for part in blocks.parts_of(block.text):
                if isinstance(part, Table):
                    yield part
                else:
                    for line in [part] if isinstance(part, str) else part:
                        yield blocks.unmarked(line), _kind(line)
        elif isinstance(block, Small):
            yield block.text, Kind.ANY
        elif isinstance(block, Folded):
            yield from _pieces(block.blocks, statements)
        elif isinstance(block, Picture):
            said = chart_of(block.figure, block.rows).summary
            yield said, _kind(said)
            yield block
            yield from (one for one in blocks.around(block, statements)[1] if isinstance(one, Table))


def _texts(held: Sequence[Block], statements: Mapping[str, PrivacyStatement]) -> Iterator[tuple[str, Kind]]:
    """Pieces of text that tell results, each with what its numbers are."""
    for piece in _pieces(held, statements):
        if isinstance(piece, Table):
            yield from _cells(piece)
        elif not isinstance(piece, Picture):
            yield piece


_Scope = tuple[set[Decimal], set[Decimal]]
"""ε, and the percents that are told of them."""


def _together(section: Section, statements: Mapping[str, PrivacyStatement]) -> Iterator[_Scope]:
    """What stands together: in a row or a column of a table, in a sentence, in a row of a figure; and in a
    section that is headed by an ε all of it."""
    yield from _scopes(section.blocks, statements)
    if headed := _budgets(section.title):
        yield headed, {share for text, _ in _texts(section.blocks, statements) for share in _shares(text)}


def _scopes(held: Sequence[Block], statements: Mapping[str, PrivacyStatement]) -> Iterator[_Scope]:
    for piece in _pieces(held, statements):
        if isinstance(piece, Table):
            yield from _crossed(piece)
        elif isinstance(piece, Picture):
            yield from map(_drawn, piece.rows)
        else:
            yield from _sentences(piece[0])


def _sentences(text: str) -> Iterator[_Scope]:
    for one in _ENDS.split(text):
        yield _budgets(one), _shares(one)


def _drawn(row: Row) -> _Scope:
    """A row of a figure: its shares are percents."""
    numbers = {name: value for name, value in row.items() if isinstance(value, float) and math.isfinite(value)}
    budgets = {Decimal(repr(value)) for name, value in numbers.items() if name.startswith(("epsilon", "asked"))}
    return budgets, {Decimal(repr(value)).scaleb(2) for value in numbers.values() if 0 <= value <= 1}


def _crossed(table: Table) -> Iterator[_Scope]:
    """Its rows and its columns, each with its head."""
    names = table.head or ("",) * max(map(len, table.rows), default=0)
    for label, *cells in table.rows:
        row = [(label, names[0]), *zip(cells, names[1:], strict=False)]
        yield _joined((text, Kind.EPSILON if _HEAD.fullmatch(name.strip()) else Kind.ANY) for text, name in row)
    for place, name in enumerate(names[1:], start=1):
        column = [(row[place], row[0]) for row in table.rows if place < len(row)]
        yield _joined(
            ((text, Kind.EPSILON if _HEAD.fullmatch(head.strip()) else Kind.ANY) for text, head in column), name
        )


def _joined(cells: Iterable[tuple[str, Kind]], head: str = "") -> _Scope:
    budgets, shares = _budgets(head), _shares(head)
    for text, kind in cells:
        alone = _FIRST.search(text) if kind is Kind.EPSILON else None
        budgets |= {_value(alone[end]) for end in ("first", "last") if alone[end]} if alone else _budgets(text)
        shares |= _shares(text)
    return budgets, shares


def _budgets(text: str) -> set[Decimal]:
    return {_value(one[end]) for one in _EPSILON.finditer(text) for end in ("first", "last") if one[end]}


def _shares(text: str) -> set[Decimal]:
    return {_value(one[1]) for one in _PERCENT.finditer(_AGREED.sub("", text))}


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
