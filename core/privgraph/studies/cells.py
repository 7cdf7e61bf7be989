"""Studies whose tables are made of cells: one method with options on one graph, over seeds. No torch.

A cell is empty until its runs are done, so that tables can be made at any time, of whatever is there.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from privgraph.options import Scalar
from privgraph.privacy.rounding import upper
from privgraph.runs.launch import wait
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.studies.table import write_into

Options = Mapping[str, Scalar]
Read = Callable[["Cell"], list[RunRecord]]


@dataclass(frozen=True)
class Cell:
    """One entry of a table: a method with options on a graph, over seeds."""

    method: str
    dataset: str
    options: tuple[tuple[str, Scalar], ...]
    data_options: tuple[tuple[str, Scalar], ...] = ()

    @staticmethod
    def of(method: str, dataset: str, options: Options, data_options: Options | None = None) -> Cell:
        return Cell(method, dataset, tuple(sorted(options.items())), tuple(sorted((data_options or {}).items())))

    @lru_cache(maxsize=10_000)  # noqa: B019 (cells are few, and live as long as the study)
    def spec(self, seed: int) -> RunSpec:
        return make_spec(self.method, self.dataset, dict(self.options), data_options=dict(self.data_options), seed=seed)


@dataclass(frozen=True)
class Part:
    """Some tables: the cells to train, the most important first, and the text made of what `read` gives of
    each."""

    name: str
    cells: tuple[Cell, ...]
    text: Callable[[Read, RunStore], str]


def done(store: RunStore, cell: Cell, seeds: Sequence[int]) -> list[RunRecord]:
    """The runs of a cell that are done, in order of seeds."""
    ids = [cell.spec(seed).id for seed in seeds]
    found = {record.id: record for record in store.find(RunQuery(ids=tuple(ids)))}
    return [found[run] for run in ids if run in found and found[run].state == "done"]


def tables(store: RunStore, parts: Sequence[Part], seeds: Sequence[int]) -> str:
    """Markdown of what is there."""
    found = [part.text(lambda cell: done(store, cell, seeds), store) for part in parts]
    return "\n".join(text for text in found if text) or "No run of the study has ended yet.\n"


def train(store: RunStore, part: Part, seeds: Sequence[int], tag: str, at_once: int) -> Iterator[list[RunRecord]]:
    """Train what is not there yet, some cells at a time; a run that did not end well is tried again."""
    for start in range(0, len(part.cells), at_once):
        wanted = [
            store.submit(cell.spec(seed), tags=[tag], batch=f"{tag}-{cell.dataset}")
            for seed in seeds  # outermost, so that neighbours in the queue share what hangs on the seed
            for cell in part.cells[start : start + at_once]
        ]
        store.retry_undone(wanted)
        yield wait(store, wanted, every=0.5)


def command(
    about: str,
    parts: Mapping[str, Callable[[Sequence[str]], Part]],
    data: Sequence[str],
    tag: str,
    at_once: int,
    readme: Path,
) -> None:
    """The command line of a study: train what is missing, print the tables, and write them into the method's
    `readme`."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--parts", nargs="+", default=list(parts), choices=list(parts))
    parser.add_argument("--data", nargs="+", default=list(data), choices=list(data))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--tables", action="store_true", help="train nothing: tables of the runs that are there")
    parser.add_argument("--readme", action="store_true", help="put the tables into the method's README as well")
    asked = parser.parse_args()
    store, seeds = RunStore.open(), range(asked.seeds)
    chosen = [parts[name](asked.data) for name in asked.parts]

    def show() -> str:
        text = tables(store, chosen, seeds)
        if asked.readme:
            write_into(readme, text)
        return text

    for part in [] if asked.tables else chosen:
        for records in train(store, part, seeds, tag, at_once):
            for record in records:
                if record.state != "done":
                    print(f"{record.id} is {record.state}: {record.error}", flush=True)
            finished = sum(len(done(store, cell, seeds)) for cell in part.cells)
            print(f"{part.name}: {finished:,} runs are done", flush=True)
            show()  # after each step, so that an interrupted study leaves what it has
    print(show(), flush=True)


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], names: int) -> str:
    """A Markdown table below its title, or nothing; a row that has only its first `names` entries is left
    out.

    >>> print(table("One.", ("a", "b"), [("x", "1"), ("y", "")], names=1), end="")
    One.
    <BLANKLINE>
    | a | b |
    |---|---|
    | x | 1 |
    """
    told = [line(row) for row in rows if any(row[names:])]
    return "\n".join([title, "", line(heads), f"|{'---|' * len(heads)}", *told]) + "\n" if told else ""


def line(entries: Sequence[str]) -> str:
    return f"| {' | '.join(entries)} |"


def percent(records: Sequence[RunRecord], metric: str = "test_accuracy") -> str:
    """Mean and standard deviation over seeds in per cent; empty where no run is done."""
    values = [100 * record.metrics[metric] for record in records if metric in record.metrics]
    if not values:
        return ""
    spread = f" ± {statistics.stdev(values):.1f}" if len(values) > 1 else ""
    return f"{statistics.mean(values):.1f}{spread}"


def priced(records: Sequence[RunRecord], metric: str = "epsilon_data_dependent") -> str:
    """Accuracy with the sound epsilon, and what a paper reports by a data-dependent `metric`."""
    if not records:
        return ""
    sound = max(math.inf if record.statement is None else record.statement.epsilon for record in records)
    dependent = [record.metrics[metric] for record in records if metric in record.metrics]
    published = f", published {statistics.mean(dependent):.2g}" if dependent else ""
    return f"{percent(records)} (sound {short(sound)}{published})"


def short(epsilon: float) -> str:
    """A sound epsilon in three digits, rounded up.

    >>> short(float("inf")), short(41224.12), short(1.99999), short(1.001)
    ('∞', '41,225', '2', '1.01')
    """
    return f"{math.ceil(epsilon):,}" if 1000 <= epsilon < math.inf else upper(epsilon, 3)
