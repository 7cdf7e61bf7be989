"""The levels that figures of a report draw beside its runs, and its words tell: what the same reaches without
privacy, without edges, and without learning. Each has a row of its own, for their runs are told nowhere
else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from privgraph.runs.records import RunRecord
from privgraph_workbench import tables
from privgraph_workbench.facts.row_words import both
from privgraph_workbench.reporting.asked import Asked
from privgraph_workbench.reporting.chapters import Chapter
from privgraph_workbench.words.measures import measure
from privgraph_workbench.words.naming import graph_of
from privgraph_workbench.words.numbers import over_seeds, percent

WHAT: Mapping[str, str] = {
    "bare": "without privacy",
    "blind": "reads no edge",
    "base": "base encoder, not trained further",
    "majority": "largest class of the test nodes",
    "guessing": "a guess among the candidates",
}
"""What a level is, by its kind."""
GALLERY, STORE, COMPUTED = "gallery", "own store", "labels and split alone"
"""Where it is from."""


@dataclass(frozen=True, kw_only=True)
class Level:
    """A level: what it is, of which method ("": of none), on which graph, its mean and interval, and the runs
    behind it; `beside`: the names of the settings that it is told beside, and `labels` their words."""

    kind: str
    of: str
    graph: str
    metric: str
    value: float
    low: float | None
    high: float | None
    seeds: int
    runs: Sequence[RunRecord]
    beside: Sequence[str]
    labels: Sequence[str] = ()

    @property
    def source(self) -> str:
        """Where it is from."""
        if not self.runs:
            return COMPUTED
        came = {one.gallery for one in self.runs}
        return " and ".join(name for name, gallery in ((GALLERY, True), (STORE, False)) if gallery in came)

    @property
    def words(self) -> str:
        """`ProGAP, without privacy: 98.0% (96.6% to 99.4%; 10 seeds)`."""
        name = f"{self.of}, {WHAT[self.kind]}" if self.of else WHAT[self.kind]
        if self.kind == "majority":  # one graph has several, for the test nodes of other seeds are others
            return f"{name}: {percent(self.value)}, of the seeds of {both(list(self.labels))}"
        told = over_seeds(self.value, self.low, self.high, self.seeds) if self.runs else percent(self.value)
        return f"{name}: {told}"


def levels(chapters: Sequence[Chapter]) -> list[Level]:
    """Each level once, in the order in which chapters tell it; for others without those that rest on labels
    and split alone, which their rows lack."""
    found: dict[tuple[object, ...], Level] = {}
    for chapter in chapters:
        for one in chapter.runs:
            for row in one.stands:
                if row["kind"] not in WHAT:
                    continue
                kind, of = str(row["kind"]), str(row.get("of") or "")
                graph, value = graph_of(one.record), float(row["value"])
                key = graph, kind, of, round(value, 9)
                known = found.get(key)
                if known is not None and chapter.name in known.beside:
                    continue
                if known is not None:
                    found[key] = replace(
                        known, beside=[*known.beside, chapter.name], labels=[*known.labels, chapter.label]
                    )
                    continue
                found[key] = Level(
                    kind=kind,
                    of=of,
                    graph=graph,
                    metric=measure(one.record.spec.method),
                    value=value,
                    low=row["low"],
                    high=row["high"],
                    seeds=int(row["seeds"]),
                    runs=one.references.get(kind, ()),
                    beside=[chapter.name],
                    labels=[chapter.label],
                )
    return list(found.values())


def runs_of(asked: Asked) -> list[RunRecord]:
    """The runs behind all levels, each once."""
    held = (record for one in asked.runs for records in one.references.values() for record in records)
    return list({one.id: one for one in held}.values())


def rows(found: Sequence[Level], *, share: bool) -> list[dict[str, object]]:
    """The levels in numbers; ids of runs tell seeds."""
    return [
        {
            "reference": f"reference-{place:02d}",
            "what": WHAT[one.kind],
            "title": one.of or None,
            "graph": one.graph,
            "metric": one.metric,
            "seeds": one.seeds or None,
            "mean_score_percent": tables.in_percent(one.value),
            "mean_low_percent": tables.in_percent(one.low),
            "mean_high_percent": tables.in_percent(one.high),
            "from": one.source,
            "beside": " ".join(one.beside),
            **({} if share else {"runs": " ".join(run.id for run in one.runs) or None}),
        }
        for place, one in enumerate(found, start=1)
    ]
