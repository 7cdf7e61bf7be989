"""What finished runs say of a comparison of methods, and from how many of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from privgraph.data import catalogue
from privgraph.data.spec import DatasetSpec
from privgraph.options import Scalar
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.spec import RunSpec
from privgraph_workbench.facts import advised, advising, comparing, promising
from privgraph_workbench.facts.finished import Finished
from privgraph_workbench.facts.stretches import BLIND
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import tradeoff
from privgraph_workbench.jobs import queue

MOST_KNOWN = 2000


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


def known(spec: DatasetSpec, drawn: RunRecord | None, unit: str) -> Known | None:
    """What is known now on the graph of the run `drawn`: from runs of the comparison, and from others of the
    same settings. None where nothing protects the unit of such a graph."""
    if not comparing.fitting(spec, unit):
        return None
    return of_options(spec, options_of(spec, drawn), shared_by(spec, unit), unit)


def shared_by(spec: DatasetSpec, unit: str) -> dict[str, Scalar]:
    """The options that all methods are compared at, where the data set has no default of them: those of the
    newest run."""
    run = newest(spec.name, unit) if spec.domains else None
    return {} if run is None else comparing.shared_options(spec, run.spec, unit)


def to_report(spec: DatasetSpec, drawn: RunRecord | None, units: Sequence[str]) -> tuple[str, list[RunRecord]]:
    """What is said to take there in words that a report takes along, and the runs that it is said from."""
    found = [told for unit in units if (told := known(spec, drawn, unit)) is not None]
    records = list({record.id: record for told in found for record in told.records}.values())
    text = advised.words(spec.title, [told.said for told in found], len(records))
    return text, records if text else []


def of_options(spec: DatasetSpec, options: Mapping[str, Scalar], shared: Mapping[str, Scalar], unit: str) -> Known:
    query = RunQuery(datasets=(spec.name,), units=("none", unit), states=("done",), limit=MOST_KNOWN)
    done = Finished.of(queue.store(), queue.store().find_rows(query))
    return _told(done, spec.name, tuple(sorted(options.items())), tuple(sorted(shared.items())), unit)


def newest(data: str, *units: str) -> RunRecord | None:
    """The newest finished run on this graph that protects one of these units; of any where none is named."""
    return newest_of(RunQuery(datasets=(data,), units=units))


def newest_of(query: RunQuery) -> RunRecord | None:
    """The newest finished run of one's own that is asked for; without one, of the gallery's the newest on the
    graph that has most of them: these came at once, and what was packed last is nobody's choice."""
    rows = queue.store().find_rows(replace(query, states=("done",), limit=MOST_KNOWN), graphs=True)
    own = [row for row in rows if not row["gallery"]]
    counts = Counter(row["graph"] for row in rows)
    chosen = own or [row for row in rows if row["graph"] == counts.most_common(1)[0][0]]
    found = queue.store().find(RunQuery(ids=(str(chosen[0]["id"]),))) if chosen else []
    return next((record for record in found if not record.unreadable), None)


def options_of(spec: DatasetSpec, drawn: RunRecord | None) -> Mapping[str, Scalar]:
    return drawn.spec.data_options if drawn is not None and spec.load_options() else {}


@lru_cache(maxsize=64)
def _told(
    done: Finished,
    data: str,
    options: tuple[tuple[str, Scalar], ...],
    shared: tuple[tuple[str, Scalar], ...],
    unit: str,
) -> Known:
    """The table and the verdict of these finished runs."""
    spec, wanted = catalogue.dataset(data), comparing.specs(data, unit, data_options=dict(options), shared=dict(shared))
    found = done.read(queue.store())
    records = comparing.alike(wanted, found)
    said = advising.verdict(records, unit, comparing.fitting(spec, unit), comparing.networks(wanted, found))
    rows = [row for row in tradeoff.data(records) if not row["variant"]]
    rows += [one for one in (said.network,) if one is not None and one["runs"] not in {row["runs"] for row in rows}]
    rows.sort(key=lambda row: (row["asked"] or 0.0, -row["mean"]))
    used = {one.id for one in records}
    others = {one.spec.method for one in found if not one.unreadable and one.id not in used}
    words = comparing.known_words(wanted, set(done.ids), len(records), others, said.network)
    needed = [one for stretch in said.stretches for one in stretch.needed]
    return Known(
        table=rows,
        said=said,
        words=f"{words} {comparing.network_words(said.network)}",
        short=comparing.used_words(len(records), len(done.runs)),
        public=comparing.with_public(wanted, found, unit),
        promises=promising.promises(records, said),
        more={one.id: one for one in comparing.settling(needed, wanted)},
        records=records,
    )
