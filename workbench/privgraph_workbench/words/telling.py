"""A run in one sentence: what was trained on what, whom it protects, how well it does."""

from __future__ import annotations

import math
from dataclasses import dataclass

from privgraph.registry import METHODS
from privgraph.runs.records import RunRecord
from privgraph_workbench.words import markup
from privgraph_workbench.words.meaning import strength
from privgraph_workbench.words.naming import graph_short, hides_edges_alone, unit_of
from privgraph_workbench.words.numbers import percent, stated, whole

RELATIONS = "relation prediction"
BLIND = "a model that reads no edge"
HIDES = {"edge": "whether any two are connected", "node": "whether any one person took part"}


@dataclass(frozen=True, kw_only=True)
class Difference:
    """By how much an accuracy is above another, as shares, over the seeds that both have, with its 95%
    interval (None for fewer than three of these)."""

    by: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, kw_only=True)
class Beside:
    """What an accuracy is told beside: the mean over so many `seeds` of the same settings, and how far it is,
    where that is known, from a model that reads no edge (`blind`), from the same without privacy (`bare`),
    and from guessing (`majority`). `setting`: the mean alone is told."""

    mean: float
    seeds: int = 1
    blind: Difference | None = None
    bare: Difference | None = None
    majority: Difference | None = None
    setting: bool = False


def sentence(record: RunRecord, title: str, nodes: int | None = None, told: Beside | None = None) -> str:
    """The run in Markdown, in two or three sentences. `title`: what its method is called; `told`: what its
    accuracy is read beside (None: it has none)."""
    spec, unit = record.spec, unit_of(record)
    relations = spec.method in METHODS and RELATIONS in METHODS[spec.method].tasks
    size = f", {nodes:,} {'texts' if relations else 'nodes'}" if nodes else ""
    verb = "was trained" if record.state == "done" else "is to be trained" if record.pending else "was being trained"
    graph = f"**{markup.literal(graph_short(record))}**{size}"
    text = f"**{markup.literal(title)}** {verb} on {graph}, {_hides(record, unit)}."
    if told is None:
        return text
    did = "puts the right partner first for" if relations else "names the right class for"
    whom = "of the relations of a domain that it has not seen" if relations else "of nodes that it was not trained on"
    accuracy = told.mean if told.setting else record.metrics["test_accuracy"]
    text += f" It {did} **{percent(accuracy)}** {whom}"
    if told.seeds > 1:
        mean = f", on average over {told.seeds} seeds"
        text += mean if told.setting else f". Over {told.seeds} seeds it is **{percent(told.mean)}** on average"
    guess = "guessing" if relations else "naming the largest class"
    return f"{text}{_beside(told, guess, reads_edges=unit == 'edge')}."


def _whom(record: RunRecord, unit: str) -> str:
    """What the run hides; not of the nodes that are public, where it has such."""
    some = unit == "node" and record.spec.method in METHODS and METHODS[record.spec.method].own_parts
    return "whether any one of its private people took part (the other nodes are public)" if some else HIDES[unit]


def _hides(record: RunRecord, unit: str) -> str:
    said = record.statement
    if unit == "none":
        alone = hides_edges_alone(record)
        return "and protects no person; it reads no edge, and so hides every one" if alone else "and protects nobody"
    if said is None:
        asked = record.spec.asked_epsilon
        return f"to hide {_whom(record, unit)}" + (f" at ε = {asked:g}" if asked is not None else "")
    if math.isinf(said.epsilon):
        return f"to hide {_whom(record, unit)}, and **nothing is guaranteed**"
    word = strength(said.epsilon, said.delta)
    at = f"**ε = {stated('sound', said.epsilon)}**"
    told = f"promises at {at} to hide {_whom(record, unit)}: in the worst case, {word} protection"
    return f"and {told}"


def _beside(told: Beside, guess: str, *, reads_edges: bool) -> str:
    """How far it is above what takes less, and below what no privacy reaches."""
    # what stands for a setting is read away from its runs: there the other model is named
    blind = METHODS["mlp"].title if told.setting else BLIND
    nobody = ", which protects no person" if told.setting else " and protects no person"
    floors = {guess: told.majority, f"{blind}{'' if reads_edges else nobody}": told.blind}
    if reads_edges and told.blind is not None:
        del floors[guess]  # such a model is private by the same measure, and reaches more
    beside = {**floors, "the same without privacy": told.bare}
    said = [
        _few(name, told.seeds) if told.setting and name != guess and value.low is None else apart(value, name)
        for name, value in beside.items()
        if value is not None
    ]
    return f": {', '.join(said[:-1])} and {said[-1]}" if len(said) > 1 else f": {said[0]}" if said else ""


def _few(name: str, seeds: int) -> str:
    """That a difference between what was trained has no interval, and so is none.

    >>> _few("the same without privacy", 1)
    'how far that is from the same without privacy cannot be told with one seed'
    """
    return f"how far that is from {name} cannot be told with {'one seed' if seeds == 1 else 'so few seeds'}"


def apart(found: Difference, name: str) -> str:
    """How far an accuracy is from what has that name.

    >>> apart(Difference(by=0.123), "guessing"), apart(Difference(by=-0.001), "guessing")
    ('12 points above guessing', 'as good as guessing')
    >>> apart(Difference(by=0.02, low=-0.05, high=0.09), "guessing")
    'not told apart from guessing (95% interval −5 to 9 points)'
    >>> apart(Difference(by=-0.12, low=-0.2, high=-0.04), "guessing")
    '12 points (95% interval 4 to 20) below guessing'
    """
    points = round(100 * abs(found.by))
    where = "above" if found.by > 0 else "below"
    if found.low is None or found.high is None:
        return f"{points} point{'s' * (points != 1)} {where} {name}" if points else f"as good as {name}"
    if found.low <= 0 <= found.high:
        ends = f"{whole(100 * found.low)} to {whole(100 * found.high)}"
        return f"not told apart from {name} (95% interval {ends} points)"
    low, high = sorted(abs(round(100 * end)) for end in (found.low, found.high))
    return f"{points} point{'s' * (points != 1)} (95% interval {low} to {high}) {where} {name}"
