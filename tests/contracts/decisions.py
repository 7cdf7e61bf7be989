"""What the product decides on the examples, as plain JSON: advice, attacks, figures and statements.

`snapshots` keeps what it decided; `python -m tests.contracts.decisions --write` makes them anew.
"""

import argparse
import gzip
import hashlib
import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

from privgraph.api.run import Run
from privgraph.attacks.record import AttackRecord
from privgraph.audits.record import AuditRecord
from privgraph.options import OptionError
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import statement_text
from privgraph.runs import examples
from privgraph.runs.graph_id import GraphId, People
from privgraph.runs.records import EXAMPLE, RunQuery, RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import advice as advising
from privgraph_workbench import leaks, summary

Json = dict[str, Any]
Call = tuple[str, str, tuple[Any, ...]]
"""A figure, what its rows are called, and what it is drawn from."""

FOLDER = Path(__file__).with_name("snapshots")
DIGITS = 12
"""Significant digits of a number."""
HASHED = 8
"""The same where many numbers are hashed: the last digits may differ between machines."""
LEFT = ("record", "run", "asks")
PROSE = 4
"""So many words make a sentence; columns that hold one are left out."""
WORD = re.compile(r"[(“\"]*[A-Za-z][A-Za-z'’-]*[.,;:)”\"?]*")
OF_ANSWERS = ("answers",)
OF_ONE_ANSWER = ("one_answer", "chosen")
OF_ENSEMBLES = ("teacher_epsilons", "budget", "consensus", "stopped", "teacher_accuracy")
OF_NOTHING = (
    *("noise_shapes", "told_without_noise", "friends_tell", "one_number", "one_release", "many_releases"),
    *("edges_or_people", "many_teachers", "claims_played"),
)
"""Figures that need nothing: drawn at their defaults."""


# The examples


@cache
def opened() -> RunStore:
    """The examples."""
    return examples.open_store()


@cache
def records() -> tuple[RunRecord, ...]:
    """All runs, the newest first, as pages have them."""
    return tuple(opened().find(RunQuery(limit=10**6)))


@cache
def examined() -> dict[str, tuple[list[AttackRecord], list[AuditRecord]]]:
    """The attacks and the audits of each run that has any, by its id."""
    store = opened()
    found = {one: (store.attacks(one), store.audits(one)) for one in sorted(one.id for one in records())}
    return {run: held for run, held in found.items() if any(held)}


def settings() -> dict[str, list[RunRecord]]:
    """The runs of each setting by the id that it has with seed 0, each with its lowest seed first."""
    found: dict[str, list[RunRecord]] = {}
    for one in sorted(records(), key=lambda one: (one.spec.dataset, one.spec.method, one.spec.seed, one.id)):
        found.setdefault(replace(one.spec, seed=0).id, []).append(one)
    return found


def on_graphs() -> dict[People, list[RunRecord]]:
    """The runs on each graph."""
    found: dict[People, list[RunRecord]] = {}
    for one in records():
        found.setdefault(GraphId.of(one.spec).people, []).append(one)
    return found


def named(graph: People) -> str:
    """
    >>> named(("social", (("nodes", "600"), ("degree", "16"))))
    'social~nodes=600~degree=16'
    """
    return "~".join([graph[0], *(f"{name}={value}" for name, value in graph[1])])


# What is decided


def advice() -> Json:
    """By graph, unit and epsilon, the outcome, what is to be taken, and how each method compares."""
    found: Json = {}
    frame = summary.runs(opened())
    for graph in sorted(frame.graph.unique()):
        for unit in ("edge", "node"):
            told = {f"{one.epsilon:g}": asdict(one) for one in advising.advise(frame[frame.graph == graph], unit)}
            found |= {f"{graph}, {unit}": told} if told else {}
    return _strict(found)


def attacks() -> Json:
    """By run and number, what each attack and each audit found, and its outcome."""
    attacked, audited = leaks.table(opened()), leaks.audits(opened())
    found = {
        kind: {f"{row['run']}/{row['number']}": {name: row[name] for name in row if name not in LEFT} for row in rows}
        for kind, rows in (("attacks", attacked.to_dict("records")), ("audits", audited.to_dict("records")))
    }
    return _strict(found)


def figures() -> Json:
    """By figure and what it is drawn from, its rows as an export has them, column by column and without
    prose; of the CSV, where it has other rows, sums and a digest."""
    drawn: dict[str, dict[str, Sequence[Json]]] = {}
    tables: dict[str, dict[str, Sequence[Json]]] = {}
    for figure, name, given in _calls():
        rows = _rows(figure, *given)
        if rows:
            drawn.setdefault(figure, {})[name] = rows
            table = _table(figure, rows)
            if table != rows:
                tables.setdefault(figure, {})[name] = table
    found: Json = {}
    for figure, parts in sorted(drawn.items()):
        found[figure] = {_own(name): _sums(rows) for name, rows in _without_prose(parts).items()}
    for figure, parts in sorted(tables.items()):
        found[f"{figure}.csv"] = {_own(name): _sums(rows) for name, rows in _without_prose(parts).items()}
    return found


def statements() -> Json:
    """By setting, the numbers of the statement of its lowest seed, and a digest of the texts of all seeds."""
    found = {}
    for name, runs in sorted(settings().items()):
        said = [one.statement for one in runs if one.statement is not None]
        texts = sorted({statement_text(one) for one in said})
        found[name] = {
            **(_statement(said[0]) if said else {}),
            "run": runs[0].id,
            "runs": len(runs),
            "texts": len(texts),
            "texts_sha256": _hash(texts),
        }
    return _strict(found)


def _statement(said: PrivacyStatement) -> Json:
    plain = (
        *("epsilon", "epsilon_as_published", "epsilon_audited", "audit_confidence", "audited_by", "delta", "unit"),
        *("accountant", "accountant_as_published", "data_dependent"),
    )
    return {
        **{name: getattr(said, name) for name in plain},
        "relation": said.neighbours.value,
        "releases": said.release.value,
        "holders": len(said.per_holder),
        "holders_sha256": _hash(_rounded(said.per_holder, HASHED)),
        "mechanisms": len(said.ledger),
        "assumptions": len(said.assumptions),
        "gaps": len(said.gaps),
        "sha256": hashlib.sha256(statement_text(said).encode()).hexdigest(),
    }


# Figures


def _calls() -> Iterator[Call]:
    """What is drawn: of all runs on a graph, of one run of each setting, of each attack and audit."""
    store = opened()
    runs = {one.id: Run(one, store) for one in records()}
    firsts = [runs[held[0].id] for held in settings().values()]
    for graph, held in sorted(on_graphs().items()):
        every = [runs[one.id] for one in held]
        for figure in ("tradeoff", "compare", "depth", "convergence"):
            yield figure, named(graph), (every,)
        for one in _but_for_budget([one for one in firsts if GraphId.of(one.spec).people == graph]):
            beside = [one, *(other for other in every if other.id != one.id)]
            yield from ((figure, one.id, (beside,)) for figure in ("expected", "standing"))
            yield from _of_ledger(one)
    teachers, relations = ("privgnn", "pate", "dp-gpl"), ("relational", "relation-rand")
    yield "teachers_compared", "all", ([one for one in runs.values() if one.spec.method in teachers],)
    yield "relation_ranking", "all", ([one for one in runs.values() if one.spec.method in relations],)
    yield "neighbours_heatmap", "all", ([one for one in runs.values() if one.spec.method == "heter-poisson"],)
    for one in firsts:
        yield from ((figure, one.id, (one,)) for figure in ("curves", "ledger"))
    for run in sorted(runs):
        yield from _of_run(runs[run])
    yield from _of_attacks()
    yield from _maps()
    yield from _asked()
    yield from ((figure, "defaults", ()) for figure in OF_NOTHING)


def _asked() -> Iterator[Call]:
    """The answers about relations that came along with the gallery."""
    from privgraph.runs import worked
    from privgraph.runs.questions import Answer

    for place, (_, answer) in enumerate(sorted(worked.content()["answers"].items())):
        told = Answer.from_json(answer)
        yield "moved", f"answer {place}", (told, {name: name for name in told.entities[0].places})


def _but_for_budget(runs: Iterable[Run]) -> list[Run]:
    """The first of those that differ in their budget alone."""
    found: dict[str, Run] = {}
    for one in runs:
        options = {name: value for name, value in one.spec.options.items() if name != "epsilon"}
        found.setdefault(json.dumps([one.spec.method, one.spec.split, options], sort_keys=True), one)
    return list(found.values())


def _of_ledger(run: Run) -> Iterator[Call]:
    said = run.statement
    if said is not None and len(said.ledger) > 1:
        yield "entry_costs", run.id, (_costs(said), said.epsilon)


def _of_run(run: Run) -> Iterator[Call]:
    """What a run's files show."""
    files = {one.name for one in (run.store.folders / run.id).glob("*.npz")}
    if "answers.npz" in files:
        yield from ((figure, run.id, (run,)) for figure in OF_ANSWERS)
        yield from ((figure, run.id, (run, 0)) for figure in OF_ONE_ANSWER)
    if "ensemble.npz" in files:
        yield from ((figure, run.id, (run,)) for figure in OF_ENSEMBLES)


def _of_attacks() -> Iterator[Call]:
    for run, (attacked, audited) in examined().items():
        if attacked:
            yield from ((figure, run, (attacked,)) for figure in ("attack_roc", "attack_areas"))
        for place, one in enumerate(attacked):
            yield from ((figure, f"{run}/{place}", (one,)) for figure in ("attack_scores", "attack_exposure"))
        for place, audit in enumerate(audited):
            name = f"{run}/{place}"
            yield from ((figure, name, (audit,)) for figure in ("audit_roc", "audit_scores", "audit_bounds"))


def _maps() -> Iterator[Call]:
    """Of each kind of attack the first that has a map: half a second each."""
    first: dict[str, AttackRecord] = {}
    for attacked, _ in examined().values():
        for one in attacked:
            if one.map_nodes:
                first.setdefault(one.attack, one)
    yield from (("attack_map", f"{one.run} {name}", (one,)) for name, one in sorted(first.items()))


def _without_prose(parts: Mapping[str, Sequence[Json]]) -> dict[str, list[Json]]:
    """The rows of a figure without the columns in which any row has a sentence."""
    left = {name for rows in parts.values() for row in rows for name, value in row.items() if _prose(value)}
    return {
        part: [{name: value for name, value in row.items() if name not in left} for row in rows]
        for part, rows in parts.items()
    }


@cache
def _sentence(text: str) -> bool:
    return sum(WORD.fullmatch(word) is not None for word in text.split()) >= PROSE


def _prose(value: object) -> bool:
    """
    >>> _prose("who was trained on"), _prose("gap-1a gap-2b gap-3c gap-4d"), _prose(["a", 1])
    (True, False, False)
    """
    if isinstance(value, str):
        return _sentence(value)
    if isinstance(value, Mapping):
        return any(map(_prose, value.values()))
    return isinstance(value, list | tuple) and any(map(_prose, value))


def _columns(rows: Sequence[Json]) -> Json:
    names = dict.fromkeys(name for row in rows for name in row)
    return _strict({name: [row.get(name) for row in rows] for name in names})


def _sums(rows: Sequence[Json]) -> Json:
    """Columns, number of rows, sum, least and most of each column of numbers, and a digest of all."""
    columns = _columns(rows)
    numbers = {}
    for name, values in columns.items():
        held = [one for one in values if isinstance(one, int | float) and not isinstance(one, bool)]
        if held:
            numbers[name] = [math.fsum(held), min(held), max(held)]
    return _strict(
        {"columns": list(columns), "rows": len(rows), "numbers": numbers, "sha256": _hash(_rounded(columns, HASHED))}
    )


def _strict(value: Mapping[str, Any]) -> Json:
    return {_own(name): _rounded(one) for name, one in value.items()}


def _rounded(value: Any, digits: int = DIGITS) -> Any:
    """Strict JSON with floats of so many digits; infinity is the string "inf". Ids of runs are those of their
    specs."""
    if isinstance(value, float):
        return float(f"{value:.{digits}g}") if math.isfinite(value) else str(value)
    if isinstance(value, str):
        return _own(value)
    if isinstance(value, Mapping):
        return {_own(str(name)): _rounded(one, digits) for name, one in value.items()}
    return [_rounded(one, digits) for one in value] if isinstance(value, list | tuple) else value


def _own(text: str) -> str:
    return text.replace(EXAMPLE, "")


def _hash(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


# Snapshots

DECISIONS: Mapping[str, Callable[[], Json]] = {
    "advice": advice,
    "attacks": attacks,
    "figures": figures,
    "statements": statements,
}


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.json{'.gz' * (name == 'figures')}"


def kept(name: str) -> Json:
    """The snapshot of that name."""
    data = path_of(name).read_bytes()
    found: Json = json.loads(gzip.decompress(data) if name == "figures" else data)
    return found


def write(name: str) -> str:
    """Make it anew; how large it is, and how long that took."""
    begun = time.process_time()
    found, path = DECISIONS[name](), path_of(name)
    path.parent.mkdir(exist_ok=True)
    if name == "figures":
        text = json.dumps(found, separators=(",", ":"), sort_keys=True, allow_nan=False)
        path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    else:
        path.write_text(_lines(found))
    return f"{path.name}: {path.stat().st_size:,} bytes, {time.process_time() - begun:.1f} s of a core"


def _lines(found: Json) -> str:
    """JSON in lines, a list of plain values in one."""
    text = json.dumps(found, indent=1, sort_keys=True, allow_nan=False)
    return re.sub(r"\[\n\s+[^][{}]*\]", lambda one: re.sub(r"\n\s+", " ", one[0]), text) + "\n"


# What is asked of the workbench


def _rows(figure: str, *given: Any) -> list[Json]:
    """The rows of a figure, as its JSON has them; none where it is not drawn of what is given."""
    from privgraph_workbench.figures import library

    try:
        found: list[Json] = library.figure(figure).data(*given)
    except OptionError:
        return []
    return found


def _table(figure: str, rows: Sequence[Json]) -> list[Json]:
    """The rows as its CSV has them."""
    from privgraph_workbench.figures import figure_of

    return figure_of(figure).table(rows)


def _costs(said: PrivacyStatement) -> list[tuple[str, float, float]]:
    """What each mechanism costs alone, and all others without it."""
    from privgraph_workbench.facts import method_costs

    return method_costs.parts(said.ledger, said.delta)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="make the snapshots anew")
    parser.add_argument("only", nargs="*", help=f"of {', '.join(DECISIONS)}")
    parsed = parser.parse_args()
    if not parsed.write:
        sys.exit("nothing is written without --write")
    for name in parsed.only or DECISIONS:
        print(write(name))
