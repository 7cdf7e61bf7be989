"""What privacy cost, in a sentence, and the seeds that it takes to say so."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import count, islice

import streamlit as st

from privgraph.options import OptionError
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.relations import relation_ranking
from privgraph_workbench.figures.seeds import FEWEST
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.relations import sent
from privgraph_workbench.views.relations.runs import METHODS, PENDING, Pair, apart, like
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.meaning import strength
from privgraph_workbench.words.numbers import duration, percent

MOST_RUNS = 500


def offer(pair: Pair) -> None:
    """A button that trains the seeds that are missing to tell what privacy cost."""
    if pair.private is not None and pair.bare is not None:
        _more(pair)
        sent.show("seeds")


def sentence(pair: Pair, rows: Sequence[Row]) -> str:
    """How often the private run, the other one and the base encoder are right, by `rows` of
    `relation_ranking`, and whether seeds show a difference: Markdown; "" where neither was judged."""
    by_run = {row["run"]: row for row in rows if row["kind"] == "run"}
    private = None if pair.private is None else by_run.get(pair.private.id)
    bare = None if pair.bare is None else by_run.get(pair.bare.id)
    base = next((row for row in rows if row["kind"] == "base"), None)
    told = []
    if private is not None and pair.private is not None:
        told.append((_privately(pair.private), private))
    if bare is not None:
        told.append(("training without privacy" if told else "Training without privacy", bare))
    if not told:
        return ""
    if base is not None:
        told.append(("the base encoder", base))
    (name, first), *others = told
    said = "".join(f", {other} **{percent(row['accuracy'])}**" for other, row in others)
    text = f"{name} ranks the right partner first for **{percent(first['accuracy'])}** of relations (PREC@1){said}"
    return f"{text}." if private is None or bare is None else f"{text}{_seeds(pair, private, bare)}."


def _privately(record: RunRecord) -> str:
    said = record.statement
    budget = markup.literal(naming.budget(record))
    how = "randomised response" if record.spec.method == relation_ranking.RANDOMISED else "private training"
    if said is None or math.isinf(said.epsilon):
        return f"At {budget}, {how}"
    return f"At {budget} ({strength(said.epsilon, said.delta)} protection), {how}"


def _seeds(pair: Pair, private: Row, bare: Row) -> str:
    """Whether seeds show that private run and the other one differ, and whether privacy is what differs."""
    assert pair.private is not None
    assert pair.bare is not None
    more = [name for name, _, _ in apart(pair.private, pair.bare) if name != "seed"]
    beside = f"; the two differ in more than privacy: {markup.literal(', '.join(more))}" if more else ""
    found = relation_ranking.between(bare, private)
    one, other = int(private["seeds"]), int(bare["seeds"])
    seeds = f"{one} seed{'s' * (one > 1)} of each" if one == other else f"{one} and {other} seeds"
    points, low, high = (0.0, 0.0, 0.0) if found is None else (100 * number for number in found)
    if low <= 0 <= high:
        takes = f" (it takes {FEWEST} of each at least)" if found is None else ""
        cause = "whether the two differ" if more else "whether privacy costs anything"
        return f"; {seeds} {'is' if one == other == 1 else 'are'} too few to tell {cause}{takes}{beside}"
    ends = sorted((abs(low), abs(high)))
    name = "the private run finds" if more or points < 0 else "privacy costs"
    way = f" {'less' if points > 0 else 'more'}" if more or points < 0 else ""
    return (
        f": {name} {abs(points):.1f} points{way} (95% confidence interval {ends[0]:.1f} to {ends[1]:.1f}, {seeds})"
        f"{beside}"
    )


def _more(pair: Pair) -> None:
    """Train the seeds that are missing for an interval."""
    wanted, going = missing(pair.records)
    if going:
        st.caption(f"{going} more {'seed is' if going == 1 else 'seeds are'} in training, as it says above.")
    if not wanted:
        return
    took = {naming.setting(one): one.seconds for one in pair.records}
    times = [took[setting] for setting, specs in wanted.items() for _ in specs]
    known = [one for one in times if one is not None]
    time = f", about {duration(sum(known))} in all on a quiet machine" if len(known) == len(times) else ""
    specs = [spec for asked in wanted.values() for spec in asked]
    many = f"{len(specs)} missing seed{'s' * (len(specs) > 1)}"
    if st.button(
        f"Train the {many}",
        key="train_seeds",
        icon=":material/play_arrow:",
        help=f"So that there are {FEWEST} of each{time}. Each private run is one more look at the same relations: all "
        "of them together cost more than the ε of one",
    ):
        sent.train("seeds", specs)


def missing(records: Sequence[RunRecord]) -> tuple[Mapping[str, list[RunSpec]], int]:
    """The runs that bring each record's setting to as many seeds as an interval takes, by setting, and how
    many are under way."""
    store = queue.store()
    held = [one for one in store.find(RunQuery(methods=METHODS, limit=MOST_RUNS)) if one.stored_spec is not None]
    wanted: dict[str, list[RunSpec]] = {}
    going = 0
    for record in records:
        setting = naming.setting(record)
        alike = [one for one in (record, *held) if naming.setting(one) == setting]
        used = {one.spec.seed for one in alike if one.state in ("done", *PENDING)}
        going += sum(one.state in PENDING for one in alike)
        free = (seed for seed in count() if seed not in used)
        try:
            asked = record.spec
            found = [like(asked, asked.options, seed=seed) for seed in islice(free, max(0, FEWEST - len(used)))]
        except OptionError:  # a run of an earlier version, with options that are admitted no more
            continue
        if found:
            wanted[setting] = found
    return wanted, going
