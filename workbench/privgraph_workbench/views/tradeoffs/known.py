"""What finished runs say of a comparison of methods, and from how many of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from privgraph.options import Scalar
from privgraph.registry import METHODS
from privgraph.runs.records import PENDING, RunQuery, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts import advising, comparing, finished, promising
from privgraph_workbench.facts.finished import Finished
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.facts.stretches import BLIND, Stretch
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph

NO_PROTECTION = "–"
"""What a stretch of budgets has for a protection at which nothing is taken."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """What finished runs say of a comparison, from how many of them (also in short), what is best where some
    nodes are public, what is promised by what is taken, and the runs, by id, that would tell methods apart.
    records: what it is said from."""

    table: list[Row]
    said: advising.Verdict
    words: str
    short: str
    public: comparing.WithPublic
    promises: list[promising.Promise]
    more: dict[str, RunSpec]
    records: list[RunRecord]

    @property
    def blind(self) -> Row | None:
        """A model that reads no edge, where one has run."""
        return next((row for row in self.table if row["method"] == BLIND), None)


def known(graph: OneGraph, unit: str) -> Known | None:
    """What is known now on this graph: from runs of the comparison, and from others of the same settings.
    None where nothing protects the unit of such a graph."""
    if not comparing.fitting(graph.spec, unit):
        return None
    return of_options(graph, shared_by(graph, unit), unit)


def protection(one: Stretch) -> str:
    """The protection of what is taken there, for a cell that is read without its row."""
    return one.protection.replace(NO_PROTECTION, "nothing is taken") if one.kind == "nothing" else one.protection


def pending(graph: OneGraph, *units: str) -> list[Mapping[str, Any]]:
    """The light rows of the runs on this graph that are under way and protect one of these units."""
    return rows_of(RunQuery(units=units, states=PENDING), graph)


def absent_words(graph: OneGraph, said: advising.Verdict) -> str:
    """Which methods have not run on this graph, and which of them are under way; "" where all have run."""
    going = {str(row["method"]) for row in pending(graph, said.unit)} if said.absent else set()
    titles = {METHODS[name].title for name in going if name in METHODS}
    coming = [one for one in said.absent if one in titles]
    left = [one for one in said.absent if one not in titles]
    words = f"{both(coming)} {'are' if len(coming) > 1 else 'is'} under way." if coming else ""
    return " ".join(filter(None, (advising.not_run(left) if left else "", words)))


def shared_by(graph: OneGraph, unit: str) -> dict[str, Scalar]:
    """The options that all methods are compared at, where the data set has no default of them: those of the
    newest run."""
    run = newest(graph, unit) if graph.spec.domains else None
    return {} if run is None else comparing.shared_options(graph.spec, run.spec, unit)


def of_options(graph: OneGraph, shared: Mapping[str, Scalar], unit: str) -> Known:
    query = RunQuery(datasets=(graph.spec.name,), units=("none", unit), states=("done",))
    done = Finished.of(queue.store(), rows_of(query, graph))
    return _told(done, graph, tuple(sorted(shared.items())), unit)


def rows_of(query: RunQuery, graph: OneGraph | None) -> list[Mapping[str, Any]]:
    """The light rows of the runs that are asked for on this graph and no other of its data set; None: on
    any."""
    store = queue.store()
    asked = query if graph is None else replace(query, datasets=(graph.spec.name,))
    done = query.states == ("done",)
    rows = finished.rows(store, asked) if done else store.find_rows(asked, graphs=True)
    return [row for row in rows if graph is None or row["people"] == graph.people]


def states(ids: Sequence[str]) -> dict[str, str]:
    """The states of those of the runs that are there; without those of the gallery where it is switched off,
    for nothing that is shown is said from them."""
    rows = queue.store().find_rows(RunQuery(ids=tuple(ids)))
    hidden = shell.gallery_hidden()
    return {row["id"]: row["state"] for row in rows if not (hidden and row["gallery"])}


def newest(graph: OneGraph, *units: str) -> RunRecord | None:
    """The newest finished run on this graph that protects one of these units; of any where none is named."""
    rows = rows_of(RunQuery(units=units, states=("done",)), graph)
    found = queue.store().find(RunQuery(ids=(str(rows[0]["id"]),))) if rows else []
    return next((record for record in found if not record.unreadable), None)


@lru_cache(maxsize=64)
def _told(done: Finished, graph: OneGraph, shared: tuple[tuple[str, Scalar], ...], unit: str) -> Known:
    """The table and the verdict of these finished runs."""
    spec = graph.spec
    wanted = comparing.specs(spec.name, unit, data_options=graph.data_options, shared=dict(shared))
    found = done.read(queue.store())
    records = comparing.alike(wanted, found)
    said = advising.verdict(records, unit, comparing.fitting(spec, unit), comparing.networks(wanted, found))
    rows = [row for row in tradeoff.data(records) if not row["variant"]]
    rows += [one for one in (said.network,) if one is not None and one["runs"] not in {row["runs"] for row in rows}]
    rows.sort(key=lambda row: (row["asked"] or 0.0, -row["mean"]))
    used = {one.id for one in records}
    others = {one.spec.method for one in found if not one.unreadable and one.id not in used}
    needed = [one for stretch in said.stretches for one in stretch.needed]
    words = comparing.known_words(wanted, set(done.ids), len(records), others, said.network, needed)
    return Known(
        table=rows,
        said=said,
        words=" ".join([words, *advising.trials_out(found), comparing.network_words(said.network)]),
        short=comparing.used_words(len(used | _counted_from(said)), len(done.runs)),
        public=comparing.with_public(wanted, found, unit),
        promises=promising.promises(records, said),
        more={one.id: one for one in comparing.settling(needed, wanted, _network_of(said, found))},
        records=records,
    )


def _network_of(said: advising.Verdict, found: Sequence[RunRecord]) -> RunSpec | None:
    """What to train for more seeds of the network that costs are counted from; None where none is known."""
    runs = "" if said.network is None else str(said.network["runs"])
    return next((one.spec for one in found if one.id in runs.split()), None)


def _counted_from(said: advising.Verdict) -> set[str]:
    """The runs of a method without its noise that costs are counted from: these are used, too."""
    network = said.network
    return set() if network is None or network["method"] == advising.NETWORK else set(str(network["runs"]).split())
