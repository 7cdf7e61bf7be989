"""A run in one sentence: what was trained on what, whom it protects, how well it does."""

from __future__ import annotations

import math
from dataclasses import dataclass

from privgraph.registry import METHODS
from privgraph.runs.final_statement import has_public_noise
from privgraph.runs.records import RunRecord
from privgraph_workbench.words import markup
from privgraph_workbench.words.meaning import strength
from privgraph_workbench.words.naming import graph_short, hides_edges_alone, unit_of
from privgraph_workbench.words.numbers import percent, stated

RELATIONS = "relation prediction"
BLIND = "a model that reads no edge"
HIDES = {"edge": "whether any two are connected", "node": "whether any one person took part"}


@dataclass(frozen=True, kw_only=True)
class Beside:
    """What an accuracy is told beside, where it is known: the mean over so many `seeds` of the same settings,
    a model that reads no edge (`blind`), the same without privacy (`bare`), guessing (`majority`). `setting`:
    the mean alone is told."""

    mean: float
    seeds: int = 1
    blind: float | None = None
    bare: float | None = None
    majority: float | None = None
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
    if has_public_noise(said):
        return f"and, with secret noise, {told}. **Its noise is public: as run, it protects nobody**"
    return f"and {told}"


def _beside(told: Beside, guess: str, *, reads_edges: bool) -> str:
    """How far it is above what takes less, and below what no privacy reaches."""
    floors = {guess: told.majority, BLIND if reads_edges else f"{BLIND} and protects no person": told.blind}
    if reads_edges and told.blind is not None:
        del floors[guess]  # such a model is private by the same measure, and reaches more
    beside = {**floors, "the same without privacy": told.bare}
    said = [_apart(told.mean - value, name) for name, value in beside.items() if value is not None]
    return f": {', '.join(said[:-1])} and {said[-1]}" if len(said) > 1 else f": {said[0]}" if said else ""


def _apart(by: float, name: str) -> str:
    """
    >>> _apart(0.123, "guessing"), _apart(-0.001, "guessing")
    ('12 points above guessing', 'as good as guessing')
    """
    points = round(100 * abs(by))
    if not points:
        return f"as good as {name}"
    return f"{points} point{'s' * (points != 1)} {'above' if by > 0 else 'below'} {name}"
