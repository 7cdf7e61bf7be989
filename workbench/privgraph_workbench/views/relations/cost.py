"""What privacy costs: all finished runs of the same data and domains, from the base encoder up to training
without privacy, as one figure and one table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.options import OptionError, UnknownName
from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.facts import describing
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.relations import relation_ranking
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts.file_links import drawn_figure
from privgraph_workbench.views.relations import names, outsiders, runs
from privgraph_workbench.views.relations.runs import Pair
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.meaning import guess
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import percent

JUDGED = ("encoder", "max_tokens", "similarity", "evaluated")
"""Options that runs must share for one base encoder, judged alike, to stand below them all."""
MOST_DRAWN = 9
"""Settings in the figure; the table has all."""

Shares = Mapping[str, tuple[float, float | None, float | None]]


def show(pair: Pair, finished: Sequence[RunRecord]) -> None:
    """Draw the figure, and the table below it."""
    steps = rungs(pair, finished)
    domain = _domain(pair.first, pair.predicted)
    rows = relation_ranking.data(
        steps,
        finished,
        texts=None if domain is None else domain.texts,
        marked={one.id for one in pair.records},
        otherwise={one.id: ", ".join(f"{name} {own}" for name, own, _ in _apart(one, pair.first)) for one in steps},
        titles=naming.distinct({one.id: names.title(one, pair.first) for one in steps}),
    )
    if not any(row["kind"] == "run" for row in rows):
        return
    st.markdown("### What does privacy cost?")
    rows = relation_ranking.shared(rows, _shares(pair, steps, rows))
    own = [one.id for one in pair.records]
    near = sorted(steps, key=lambda one: (one.id not in own, len(_apart(one, pair.first))))[:MOST_DRAWN]
    drawn = [row for row in rows if row["kind"] != "run" or row["run"] in {one.id for one in near}]
    shown = [one for one in finished if any(naming.setting(one) == naming.setting(rung) for rung in steps)]
    drawn_figure("relation_ranking", drawn, statements_of(shown), pair.first, runs=shown)
    _table(rows, {one.id: _bound(one) for one in steps})
    st.page_link(
        shell.page("tradeoffs"),
        label="Accuracy against privacy, on these data",
        icon=":material/balance:",
        query_params={"data": pair.first.spec.dataset},
    )


def _domain(record: RunRecord, domain: str) -> describing.Domain | None:
    """What a domain of the run's data holds; None where that is not known, or not yet."""
    try:
        described = describing.describe(record.spec.dataset, record.spec.data_options)
    except (DataError, OptionError, UnknownName):
        return None
    return None if described is None else next((one for one in described.domains if one.name == domain), None)


def rungs(pair: Pair, finished: Sequence[RunRecord]) -> list[RunRecord]:
    """One run of each setting that was judged as the pair was, the chosen ones where they are of it: private
    ones by their epsilon, then those without privacy."""

    def place(one: RunRecord) -> tuple[object, ...]:
        spec, domains = one.spec, runs.domains_of(one, pair.domains)
        return GraphId.of(spec).people, domains, *(spec.options.get(name) for name in JUDGED)

    own = place(pair.first)
    found: dict[str, RunRecord] = {}
    for one in (*pair.records, *finished):
        if one in pair.records or place(one) == own:
            found.setdefault(naming.setting(one), one)
    return sorted(found.values(), key=_height)


def _height(record: RunRecord) -> tuple[bool, float, bool]:
    said = record.statement
    without = record.spec.unit == "none"
    return without, math.inf if said is None else said.epsilon, record.spec.method == relation_ranking.RANDOMISED


def _apart(one: RunRecord, other: RunRecord) -> Sequence[tuple[str, str, str]]:
    """What two runs differ in beside privacy."""
    return names.more_apart(one, other)


def _shares(pair: Pair, steps: Sequence[RunRecord], rows: Sequence[Row]) -> Shares:
    """The share of the gain of each run that differs from the one without privacy in that alone, by id."""
    without = [one for one in steps if one.spec.unit == "none"]
    if pair.bare is not None:
        own = naming.setting(pair.bare)
        whole = next((one for one in without if naming.setting(one) == own), None)
    else:
        whole = next((one for one in without if not _apart(one, pair.first)), None)
    by_run = {row["run"]: row for row in rows if row["kind"] == "run"}
    if whole is None or whole.id not in by_run:
        return {}
    found = {}
    for one in steps:
        if one.spec.unit != "none" and one.id in by_run and not _apart(one, whole):
            share = relation_ranking.kept(by_run[one.id], by_run[whole.id])
            if share is not None:
                found[one.id] = share
    return found


def _bound(record: RunRecord) -> str:
    """How often somebody who has the encoder can be right about one relation."""
    said = record.statement
    return "–" if said is None else outsiders.bound(guess(said.epsilon, said.delta))


def _table(rows: Sequence[Row], bounds: Mapping[str, str]) -> None:
    """The same in numbers."""

    def between(row: Row, measure: str) -> str:
        low, high = row[f"{measure}_low"], row[f"{measure}_high"]
        return percent(row[measure]) if low is None else f"{percent(row[measure])} ({percent(low)} to {percent(high)})"

    def kept(row: Row) -> str:
        share, low, high = row["kept"], row["kept_low"], row["kept_high"]
        if share is None:
            return "–"
        if low is None or high is None:
            return f"{share:.0%}"
        return f"{share:.0%} ({low:.0%} to {high:.0%})" if high < 1 else f"{share:.0%} (at least {low:.0%})"

    st.table(
        [
            {
                "": markup.literal(row["label"]),
                "seeds": f"{row['seeds']}" if row["kind"] == "run" else "–",
                "PREC@1": between(row, "accuracy"),
                "MRR": between(row, "mrr"),
                "gain kept": kept(row),
                "adversary right, at most": bounds.get(row["run"], "–"),
            }
            for row in rows
        ],
        border="horizontal",
        hide_index=True,
    )
