"""What runs are called on the Relations page, in a list and beside one another, and what they differ in."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.references import GUARANTEE
from privgraph_workbench.figures.relations.relation_ranking import RANDOMISED
from privgraph_workbench.words import naming, settings

PRIVATE = ("clip", "noise_multiplier")
"""Options that nothing reads without privacy."""
UNREAD = ("seed", "shots")
"""What two runs may differ in, and yet only privacy lies between them: training reads none of it."""
MOST_APART = 2
"""Options that a list tells; what is alike in these is told apart by the end of the id."""


def in_list(records: Sequence[RunRecord]) -> dict[str, str]:
    """Runs on one data set as a list has them, by id: method, privacy, seed, and what the graph was made
    with; and the options in which runs of one name differ, of every run that reads them."""
    names = {one.id: naming.short_names([one], graph=False)[one.id] for one in records}
    options = {one.id: _told(one) for one in records}
    alike: dict[str, list[dict[str, str]]] = {}
    for one in records:
        names[one.id] += "".join(f" · {name} {value}" for name, value in GraphId.of(one.spec).options)
        alike.setdefault(names[one.id], []).append(options[one.id])
    differing = [
        name
        for held in alike.values()
        for name in dict.fromkeys(name for one in held for name in one)
        if len({one.get(name) for one in held}) > 1
    ]
    shown = list(dict.fromkeys(differing))[:MOST_APART]
    for run, own in options.items():
        names[run] += "".join(f", {key.replace('_', ' ')} {own[key]}" for key in shown if key in own)
    return naming.distinct(names)


def _told(record: RunRecord) -> dict[str, str]:
    """The options of which a list may tell: those that training reads, without the budget."""
    left = {*UNREAD, *(PRIVATE if record.spec.unit == "none" else ())}
    own = naming.settable(record)
    return {name: str(settings.word(record.spec.method, name, own[name])) for name in own if name not in left}


def apart(one: RunRecord, other: RunRecord) -> list[tuple[str, str, str]]:
    """The options that both runs read and in which they differ: name, and the value of each."""
    shown = settings.shown(one), settings.shown(other)
    return [
        (name.replace("_", " "), str(shown[0][name]), str(shown[1][name]))
        for name, value in one.spec.options.items()
        if name not in (*GUARANTEE, *PRIVATE, "unit") and value != other.spec.options.get(name, value)
    ] + ([("seed", f"{one.spec.seed}", f"{other.spec.seed}")] if one.spec.seed != other.spec.seed else [])


def more_apart(one: RunRecord, other: RunRecord) -> list[tuple[str, str, str]]:
    """What two runs differ in beside privacy."""
    return [told for told in apart(one, other) if told[0] not in UNREAD]


def role(record: RunRecord) -> str:
    """Which of the two chosen runs one is, within a sentence."""
    return "the run without privacy" if record.spec.unit == "none" else "the private run"


def title(record: RunRecord, beside: RunRecord | None = None) -> str:
    """A run in a word or two: how private it is, and in which options it differs from the one `beside` it."""
    if record.spec.unit == "none":
        lead = "Without privacy"
    else:
        kind = "Randomised relations" if record.spec.method == RANDOMISED else "Private"
        lead = f"{kind}, {naming.budget(record)}"
    told = [] if beside is None else [f"{name} {own}" for name, own, _ in more_apart(record, beside)]
    return ", ".join([lead, *told])
