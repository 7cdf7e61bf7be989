"""What privacy cost, in a few sentences, and the seeds that it takes to say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count, islice

import streamlit as st

from privgraph.options import OptionError
from privgraph.runs.records import PENDING, RunQuery, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.relations import relation_ranking
from privgraph_workbench.figures.seeds import FEWEST
from privgraph_workbench.jobs import queue
from privgraph_workbench.views.relations import sent, times
from privgraph_workbench.views.relations.names import more_apart
from privgraph_workbench.views.relations.runs import METHODS, Pair, like
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.numbers import percent, roughly

MOST_RUNS = 500
MORE = 3
"""Seeds of each setting that are offered where those that are there leave the answer open."""
MOST_SEEDS = 12
"""With so many of each, no more are offered."""


def offer(pair: Pair, rows: Sequence[Row]) -> None:
    """A button that trains seeds, where more of them are needed to tell what privacy cost."""
    private, bare = _rows(pair, rows)
    if private is None or bare is None:
        return
    wanted, found = FEWEST, relation_ranking.between(bare, private)
    if found is not None and found[1] <= 0 <= found[2]:
        wanted = min(MOST_SEEDS, MORE + max(int(private["seeds"]), int(bare["seeds"])))
    _more(pair, wanted)
    sent.show("seeds")


def _rows(pair: Pair, rows: Sequence[Row]) -> tuple[Row | None, Row | None]:
    """Those of the private run and of the one without privacy, where they were judged."""
    by_run = {row["run"]: row for row in rows if row["kind"] == "run"}
    private, bare = (None if one is None else by_run.get(one.id) for one in (pair.private, pair.bare))
    return private, bare


def sentence(pair: Pair, rows: Sequence[Row]) -> str:
    """What privacy cost, by `rows` of `relation_ranking`, and then how sure that is: Markdown; "" where
    neither run was judged."""
    private, bare = _rows(pair, rows)
    base = next((row for row in rows if row["kind"] == "base"), None)
    untrained = "" if base is None else f" Before any training, it is {percent(base['accuracy'])}."
    first = "the right partner comes first (PREC@1) for"
    if private is not None and bare is not None:
        reached = f"{first} {percent(private['accuracy'])} of relations, and for {percent(bare['accuracy'])} without"
        return _verdict(pair, private, bare, f"{reached} privacy", untrained)
    if private is not None and pair.private is not None:
        return f"**At {_at(pair.private)}, {first} {percent(private['accuracy'])} of relations.**{untrained}"
    if bare is not None:
        return f"**Without privacy, {first} {percent(bare['accuracy'])} of relations.**{untrained}"
    return ""


def _at(record: RunRecord) -> str:
    """The budget of a private run, with the method where that is not private training."""
    how = ", on randomised relations" if record.spec.method == relation_ranking.RANDOMISED else ""
    return f"{markup.literal(naming.budget(record))}{how}"


def _verdict(pair: Pair, private: Row, bare: Row, reached: str, untrained: str) -> str:
    """What both runs `reached`, what seeds show of the difference, and whether privacy is what differs."""
    assert pair.private is not None
    assert pair.bare is not None
    at = f"At {_at(pair.private)}"
    more = [name for name, _, _ in more_apart(pair.private, pair.bare)]
    beside = f" The two differ in more than privacy: {markup.literal(', '.join(more))}." if more else ""
    beside = _short(pair) + beside
    one, other = int(private["seeds"]), int(bare["seeds"])
    seeds = f"{one} seed{'s' * (one > 1)} of each" if one == other else f"{one} and {other} seeds"
    found = relation_ranking.between(bare, private)
    if found is None:
        what = "whether the two differ" if more else "what privacy costs"
        return f"**{at}, {reached}.** {seeds} cannot tell {what}: it takes {FEWEST} of each.{beside}{untrained}"
    points, low, high = (100 * number for number in found)
    sure = f"95% confidence interval {low:.1f} to {high:.1f} points, {seeds}"
    if low > 0:
        name = "the private run finds" if more else "privacy costs"
        lead = f"**{at}, {name} {points:.1f} points{' less' * bool(more)}: {reached}.**"
        return f"{lead}{untrained}{beside} Of the difference: {sure}."
    if high < 0:
        sure = f"95% confidence interval {-high:.1f} to {-low:.1f} points, {seeds}"
        return f"**{at}, the private run finds {-points:.1f} points more: {reached}.**{untrained}{beside} ({sure}.)"
    return (
        f"**{at}, {reached}: this difference may still be chance.**{untrained}{beside} The difference is "
        f"{points:.1f} points ({sure})."
    )


def _short(pair: Pair) -> str:
    """That training was short, where neither run has read each relation once."""
    often_read = [reads(one) for one in pair.records]
    known = [one for one in often_read if one is not None]
    if len(known) < len(often_read) or max(known) >= 1:
        return ""
    often = " and ".join(f"{one:.2g}" for one in dict.fromkeys(known))
    return f" Training was short (each relation was read {often} times on average): after more, the price may differ."


def reads(record: RunRecord) -> float | None:
    """How often training read each relation on average, by the run's ledger; None where that is not known, or
    others were read."""
    said = record.statement
    if record.spec.method != METHODS[0] or said is None:
        return None
    known = [one.count * one.sampling_rate for one in said.ledger if one.sampling_rate is not None]
    return sum(known) or None


def _more(pair: Pair, most: int) -> None:
    """Train the seeds that are missing for so many of each."""
    wanted, going = missing(pair.records, most)
    if going:
        st.caption(f"{going} more {'seed is' if going == 1 else 'seeds are'} in training, as it says above.")
    if not wanted:
        return
    specs = [spec for asked in wanted.values() for spec in asked]
    total = times.total(specs)
    time = "" if total is None else f": about {roughly(total)}"
    counts = {len(found) for found in wanted.values()}
    each = len(wanted) == len({naming.setting(one) for one in pair.records}) and len(counts) == 1
    many = f"{counts.pop()} more seeds of each" if each else f"{len(specs)} missing seed{'s' * (len(specs) > 1)}"
    if st.button(
        f"Train {many}{time}",
        key="train_seeds",
        icon=":material/play_arrow:",
        help=f"So that there are {most} of each; the time is that of a quiet machine. Each private run is one more "
        "look at the same relations: all of them together cost more than the ε of one",
    ):
        sent.train("seeds", specs)


def missing(records: Sequence[RunRecord], most: int) -> tuple[Mapping[str, list[RunSpec]], int]:
    """The runs that bring each record's setting to so many seeds, by setting, and how many are under way."""
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
            found = [like(asked, asked.options, seed=seed) for seed in islice(free, max(0, most - len(used)))]
        except OptionError:  # a run of an earlier version, with options that are admitted no more
            continue
        if found:
            wanted[setting] = found
    return wanted, going
