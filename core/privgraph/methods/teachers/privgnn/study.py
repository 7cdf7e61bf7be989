"""PrivGNN's comparison on real graphs, as stored runs: python -m privgraph.methods.teachers.privgnn.study.

Everything that it trains is a run of the store, so that the Trade-offs page shows it and an interrupted study
goes on where it was. The tables are made of finished runs alone: mean and standard deviation over seeds (a
seed draws the parts, the queries, the samples, the noise and all initial weights).
"""

import argparse
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from privgraph.options import Scalar
from privgraph.privacy.rounding import upper
from privgraph.runs.launch import wait
from privgraph.runs.records import RunRecord
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.studies.table import write_into

TAG = "study-privgnn"
LAMBDAS = (0.1, 0.2, 0.4, 0.8, 1.0)
EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0)
DELTA = 1e-4

PARTS: Mapping[str, Mapping[str, Scalar]] = {
    "amazon-computers": {"preset": "amazon"},
    "fb100-johnshopkins55": {"preset": "facebook"},
    "cora": {"preset": "own", "private": 0.5, "public_train": 0.4, "public_test": 0.1},
}
NEIGHBOURS = {"amazon-computers": 750, "fb100-johnshopkins55": 300, "cora": 300}
"""K: 750 is the paper's better value for Amazon, and all that a sample of 2,500 nodes holds."""


@dataclass(frozen=True)
class Line:
    """One line of a table: a method with options, at each value of the table's own axis, or at `only`
    some."""

    title: str
    method: str
    options: Mapping[str, Scalar]
    axis: str = ""
    only: tuple[float, ...] = ()

    def values(self, axis: Sequence[float]) -> Sequence[float]:
        """The values of its axis at which it is trained."""
        return [value for value in axis if not self.only or value in self.only]


B1 = Line("B1: all private data, no privacy", "gnn", {"trained_on": "private"})


def by_lambda(dataset: str) -> list[Line]:
    """The paper's Figure 2 and Table 5: accuracy against lambda."""
    teachers: dict[str, Scalar] = {"neighbours": NEIGHBOURS[dataset]}
    official = "PrivGNN, noise on log-probabilities as its code has it, 1000 queries (no guarantee)"
    return [
        Line(
            "PrivGNN, Algorithm 1, 1000 queries",
            "privgnn",
            {**teachers, "release": "posterior", "queries": 1000},
            "lam",
        ),
        Line(official, "privgnn", {**teachers, "release": "log-posterior", "queries": 1000}, "lam"),
        Line(
            "PrivGNN, Algorithm 1, 500 queries", "privgnn", {**teachers, "release": "posterior", "queries": 500}, "lam"
        ),
        Line("PATEM, 1000 queries", "pate", {"teacher": "mlp", "queries": 1000}, "lam"),
        Line("PATEG, 1000 queries", "pate", {"teacher": "gnn", "queries": 1000}, "lam"),
        B1,
        Line("B2: public labels, no privacy", "gnn", {"trained_on": "public"}),
    ]


def by_epsilon(dataset: str) -> list[Line]:
    """What the releases reach at a sound epsilon."""
    teachers: dict[str, Scalar] = {"neighbours": NEIGHBOURS[dataset]}
    fifty: dict[str, Scalar] = {"queries": 50}
    gaussian: dict[str, Scalar] = {**fifty, "noise": "gaussian", "teachers": 100}
    return [
        Line("table, all queries", "privgnn", {"release": "table"}, "epsilon"),
        Line("votes, 1000 queries", "privgnn", {"release": "votes", "queries": 1000}, "epsilon"),
        Line("votes, 100 queries", "privgnn", {"release": "votes", "queries": 100}, "epsilon"),
        Line("posterior (Algorithm 1), 50 queries", "privgnn",
             {**teachers, **fifty, "release": "posterior"}, "epsilon", (4.0,)),
        Line("ensemble of 20 teachers, 50 queries", "privgnn",
             {**teachers, **fifty, "release": "ensemble", "teachers": 20}, "epsilon", (4.0,)),
        Line("PATEM, Gaussian noise, 100 teachers, 50 queries", "pate", {**gaussian, "teacher": "mlp"},
            "epsilon", (4.0,)),
        Line("PATEG, Gaussian noise, 100 teachers, 50 queries", "pate", {**gaussian, "teacher": "gnn"},
            "epsilon", (4.0,)),
        B1,
    ]  # fmt: skip


def specs_of(line: Line, dataset: str, seed: int, values: Sequence[float]) -> list[RunSpec]:
    """The runs of one line and seed, one for each value of its axis; one where it has none."""
    shared: dict[str, Scalar] = {**PARTS[dataset], "delta": DELTA, **line.options}
    if line.method == "gnn":
        del shared["delta"]
    if line.method == "privgnn":
        shared["common"] = True  # runs that differ in noise alone share their teachers; none of these is for release
    return [
        make_spec(line.method, dataset, {**shared, **point}, seed=seed)
        for point in ([{line.axis: value} for value in line.values(values)] if line.axis else [{}])
    ]


def study(
    store: RunStore, dataset: str, lines: Sequence[Line], values: Sequence[float], seeds: Sequence[int]
) -> list[list[list[RunRecord]]]:
    """Train what is not there yet; for each line its records, one list a value, one record a seed.

    The runs of one seed are one batch: those that differ in noise alone share their teachers. Raises
    `RuntimeError` where a run did not end well.
    """
    wanted: list[list[list[str]]] = [[] for _ in lines]
    for seed in seeds:
        for position, line in enumerate(lines):
            specs = specs_of(line, dataset, seed, values)
            wanted[position].append([store.submit(spec, tags=[TAG], batch=f"{TAG}-{dataset}-{seed}") for spec in specs])
    every = [run for line in wanted for seed_runs in line for run in seed_runs]
    store.retry_undone(every)
    records = {record.id: record for record in wait(store, every, every=1.0)}
    for record in records.values():
        if record.state != "done":
            raise RuntimeError(f"{record.id} is {record.state}: {record.error}")
    return [[[records[run] for run in point] for point in zip(*line, strict=True)] for line in wanted]


def cell(records: Sequence[RunRecord], *, priced: bool = False) -> str:
    """Mean and standard deviation of test accuracy over seeds in per cent; with the sound epsilon where asked
    for."""
    test = [100 * record.metrics["test_accuracy"] for record in records]
    text = f"{statistics.mean(test):.1f} ± {statistics.stdev(test) if len(test) > 1 else 0.0:.1f}"
    statement = records[0].statement
    if not priced or statement is None or statement.unit == "none":
        return text
    sound = upper(max(record.statement.epsilon for record in records if record.statement is not None), 3)
    published = "" if statement.epsilon_as_published is None else f", published {statement.epsilon_as_published:.3g}"
    return f"{text} (ε {sound}{published})"


def table(rows: Sequence[tuple[str, Line, Sequence[Sequence[RunRecord]]]], axis: str, values: Sequence[float]) -> str:
    """Markdown: a line a graph and method, a column a value of the axis."""
    lines = [f"| graph | method | {' | '.join(f'{axis} {value:g}' for value in values)} |"]
    lines.append(f"|{'---|' * (2 + len(values))}")
    for dataset, line, points in rows:
        told = [cell(records, priced=bool(line.axis) and axis == "λ") for records in points]
        at = dict(zip(line.values(values), told if line.axis else told * len(values), strict=True))
        lines.append(f"| {dataset} | {line.title} | {' | '.join(at.get(value, '') for value in values)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="PrivGNN and its baselines on graphs that are at hand.")
    parser.add_argument("--data", nargs="+", default=list(PARTS), choices=list(PARTS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--lambdas", nargs="+", type=float, default=list(LAMBDAS))
    parser.add_argument("--epsilons", nargs="+", type=float, default=list(EPSILONS))
    parser.add_argument("--tables", nargs="+", default=["ε", "λ"], choices=["ε", "λ"], help="which of the two to make")
    parser.add_argument("--lines", nargs="+", default=[""], help="only lines whose title begins with one of these")
    parser.add_argument("--readme", action="store_true", help="put the tables into the method's README as well")
    asked = parser.parse_args()
    if asked.readme and (len(set(asked.tables)) < 2 or asked.lines != [""]):
        parser.error("--readme needs both tables and all their lines")
    store, seeds = RunStore.open(), range(asked.seeds)
    both = ((by_epsilon, "ε", asked.epsilons), (by_lambda, "λ", asked.lambdas))
    tables = [one for one in both if one[1] in asked.tables]
    rows: dict[str, list[tuple[str, Line, list[list[RunRecord]]]]] = {axis: [] for _, axis, _ in tables}
    for dataset in asked.data:
        for make, axis, values in tables:
            lines = [line for line in make(dataset) if line.title.startswith(tuple(asked.lines))]
            for line, points in zip(lines, study(store, dataset, lines, values, seeds), strict=True):
                rows[axis].append((dataset, line, points))
                print(f"{dataset:24} {line.title}: {', '.join(cell(records) for records in points)}", flush=True)
        # after each graph, so that an interrupted study leaves what it has
        text = "\n".join(table(rows[axis], axis, values) for _, axis, values in tables)
        if asked.readme:
            write_into(Path(__file__).with_name("README.md"), text)
        print(text, flush=True)


if __name__ == "__main__":
    main()
