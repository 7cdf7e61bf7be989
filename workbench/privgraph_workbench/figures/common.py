"""What figures share: the words for runs, which runs repeat one setting, and confidence over seeds."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple

import numpy as np

from privgraph.options import Scalar
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Row, number, upper
from privgraph_workbench.figures.settings import word
from privgraph_workbench.theme import Epsilon

RESAMPLES = 2000
CLOSE = 0.99
"""Noise that was calibrated to a budget uses so much of it at least: such a run is called by the budget."""
EVALUATOR_BADGE = (
    "evaluator only: accuracies are measured on labels that an evaluator knows, and no guarantee covers them"
)
COMPOSED_BADGE = "{:,} runs of the same people: an ε is that of one run alone, and who sees all sees their composition"
COLUMNS: Mapping[Epsilon, str] = {
    "sound": "epsilon",
    "published": "epsilon_as_published",
    "audited": "epsilon_audited",
}
"""The columns of rows in which the three epsilons stand."""
NETWORKS = ("network", "conv", "backbone")
"""What methods call the option that chooses their network."""
UNIT_WORDS: Mapping[str, str] = {"edge": "edge-level", "node": "node-level", "none": "not private"}


def method_title(name: str) -> str:
    """The method's name for people; its own name where the table does not know it."""
    return METHODS[name].title if name in METHODS else name


def unit_of(record: RunRecord) -> str:
    """The unit that the run protects: what its statement says, else what was asked for."""
    return record.statement.unit if record.statement else record.spec.unit


def graph_of(record: RunRecord) -> str:
    """The run's graph in words. Runs on different graphs never share a curve, a panel or a mean."""
    return GraphId.of(record.spec).words()


def nodes_of(record: RunRecord) -> int | None:
    """How many nodes the run's graph has, where that is known without loading it."""
    return GraphId.of(record.spec).nodes


def network_of(record: RunRecord) -> str:
    """How the run's network reads neighbours, in its method's word; "" where the method leaves no choice."""
    options = record.spec.options
    return next((str(options[name]) for name in NETWORKS if name in options), "")


def place_words(rows: Sequence[Row]) -> str:
    """What rows of one graph were trained on, for the title of their panel: graph, its size, the networks.

    Columns graph, nodes and network.
    """
    graph, nodes = rows[0]["graph"], rows[0]["nodes"]
    networks = sorted({row["network"] for row in rows} - {""})
    return ", ".join(
        filter(
            None,
            (
                graph,
                "" if nodes is None or "nodes " in graph else f"{nodes:,} nodes",
                f"network{'s' if len(networks) > 1 else ''} {' and '.join(networks)}" if networks else "",
            ),
        )
    )


def asked(record: RunRecord) -> str:
    """By what the run's noise was chosen. An epsilon stands bare only where the run's statement keeps it."""
    noise, epsilon = record.spec.noise, record.spec.asked_epsilon
    if noise is not None and noise.value > 0:
        return f"{noise.symbol} {number(noise.value, 6)}"
    if epsilon is None:
        return UNIT_WORDS["none"]
    if record.statement is not None and record.statement.epsilon <= epsilon:
        return f"ε {epsilon:g}"
    return _wanted(record, epsilon)


def budget(record: RunRecord) -> str:
    """What the run guarantees, as its statement says, with what its noise was chosen by where that is
    something else."""
    said, epsilon = record.statement, record.spec.asked_epsilon
    if unit_of(record) == "none" or said is None:
        return asked(record)
    if epsilon is not None and CLOSE * epsilon <= said.epsilon <= epsilon:
        return f"ε {epsilon:g}"
    sound = "nothing guaranteed" if math.isinf(said.epsilon) else f"ε {upper(said.epsilon)}"
    return f"{sound} ({asked(record) if epsilon is None else _wanted(record, epsilon)})"


def _wanted(record: RunRecord, epsilon: float) -> str:
    return f"ε {epsilon:g} {'as published' if record.spec.options.get('accounting') == 'published' else 'asked for'}"


def privacy(record: RunRecord) -> str:
    """Unit and epsilon of a run in a few words."""
    unit = unit_of(record)
    return UNIT_WORDS["none"] if unit == "none" else f"{unit} {budget(record)}"


def describe(record: RunRecord) -> str:
    """What was run, in a few words: method, graph and privacy. Without the seed, so that it may be shown to
    anybody."""
    return f"{method_title(record.spec.method)} on {graph_of(record)}, {privacy(record)}"


def statements_of(records: Sequence[RunRecord]) -> dict[str, PrivacyStatement]:
    """The statements of the runs that have one, by what was run; repetitions that say the same stand there
    once."""
    differs = variants(records)
    found: dict[str, PrivacyStatement] = {}
    for record in records:
        if record.statement is None:
            continue
        label = name = ", ".join(filter(None, (describe(record), differs[setting(record)])))
        count = 1
        while label in found and found[label] != record.statement:
            count += 1
            label = f"{name} ({count})"
        found[label] = record.statement
    return found


def options_read(record: RunRecord) -> dict[str, Scalar]:
    """The run's options, without those that nothing reads: a budget where the noise was given, and every
    option of the guarantee where nothing is protected."""
    unread = set() if record.spec.asked_epsilon is not None else {"epsilon"}
    unread |= {"delta", "accounting"} if record.spec.unit == "none" else set()
    return {name: value for name, value in record.spec.options.items() if name not in unread}


def setting(record: RunRecord) -> str:
    """Everything that was asked of the run but the seed and the device; equal for repetitions of one
    setting."""
    return json.dumps([record.spec.method, astuple(GraphId.of(record.spec)), options_read(record)], sort_keys=True)


def composed(records: Iterable[RunRecord]) -> dict[str, int]:
    """For each run (by its id), how many of these runs read the same people: who sees them all sees a composition."""
    people = {record.id: GraphId.of(record.spec).people for record in records}
    together = Counter(people.values())
    return {run: together[read] for run, read in people.items()}


def badges_of(rows: Sequence[Row]) -> tuple[str, ...]:
    """What a figure of rows says of itself: that numbers are an evaluator's (column `evaluator`), and that several runs of the same
    people stand in it (column `composed`)."""
    most = max((row.get("composed") or 0 for row in rows), default=0)
    return (
        *((EVALUATOR_BADGE,) if any(row.get("evaluator") for row in rows) else ()),
        *((COMPOSED_BADGE.format(most),) if most > 1 else ()),
    )


def mixed_units(rows: Iterable[Row]) -> str | None:
    """The warning for rows (unit, epsilon, epsilon_as_published) whose epsilons protect different units.

    What has no epsilon to compare, because nothing or everything is protected, can be mistaken for nothing.
    """
    found = (row["unit"] for row in rows if placed(row["epsilon"]) or placed(row["epsilon_as_published"]))
    units = sorted(set(found) - {"none"})
    if len(units) < 2:
        return None
    words = " and ".join(UNIT_WORDS[unit] for unit in units)
    return f"{words} runs stand together here: an ε for one unit says nothing about the other, so do not compare them"


def placed(epsilon: float | None) -> bool:
    """Whether an epsilon has a place on a logarithmic axis: there is one, and it is neither zero nor
    infinite."""
    return epsilon is not None and 0 < epsilon < math.inf


def variants(records: Sequence[RunRecord], leave_out: Iterable[str] = ()) -> dict[str, str]:
    """For each setting, the options in which it differs from the others of its method, graph and unit.

    The privacy budget or the noise that was given in its place, how it was accounted, and the options of
    `leave_out` are axes of their own and no variant; noise that protects nobody is one.
    """
    left = {"epsilon", "accounting", "unit", *leave_out}
    groups: dict[tuple[str, GraphId, str], list[RunRecord]] = {}
    for record in records:
        groups.setdefault((record.spec.method, GraphId.of(record.spec), unit_of(record)), []).append(record)
    words = {}
    for members in groups.values():
        loose = [_loose(record, left) for record in members]
        keys = {key for one in loose for key in one}
        differing = sorted(key for key in keys if len({str(one.get(key)) for one in loose}) > 1)
        for record, one in zip(members, loose, strict=True):
            said = {key: word(record.spec.method, key, one[key]) for key in differing if key in one}
            words[setting(record)] = ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in said.items())
    return words


def _loose(record: RunRecord, left: set[str]) -> dict[str, Scalar]:
    noise = record.spec.noise
    axes = left | ({noise.option} if noise is not None else set())
    return {key: value for key, value in options_read(record).items() if key not in axes}


def confidence(values: Sequence[float], level: float = 0.95) -> tuple[float, float | None, float | None]:
    """Mean, and the percentile bootstrap's interval for it over seeds (Efron 1979); none for fewer than three values, of
    which it would be the range.

    The resampling has a fixed seed: equal values give equal intervals.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.size == 0:
        raise ValueError("confidence needs at least one value")
    mean = float(sample.mean())
    if sample.size < 3:
        return mean, None, None
    generator = np.random.default_rng(0)
    means = generator.choice(sample, size=(RESAMPLES, sample.size)).mean(axis=1)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return mean, float(low), float(high)


def run_labels(records: Sequence[RunRecord]) -> list[str]:
    """A short name for each run, distinct: method, and of graph, privacy and seed what differs; the end of
    the id where nothing does."""
    parts = [(method_title(one.spec.method), graph_of(one), privacy(one), f"seed {one.spec.seed}") for one in records]
    differing = [place for place in range(1, 4) if len({part[place] for part in parts}) > 1]
    names = [", ".join([part[0], *(part[place] for place in differing)]) for part in parts]
    repeated = {name for name, count in Counter(names).items() if count > 1}
    return [
        f"{name} ({record.id[-4:]})" if name in repeated else name for name, record in zip(names, records, strict=True)
    ]


def spans(low: float, high: float) -> tuple[float, float]:
    """Bounds of a logarithmic axis with some room on both sides."""
    return low / 1.4, high * 1.4
