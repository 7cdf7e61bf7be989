"""The paper's comparison on real graphs: python -m privgraph.methods.aggregation.progap.study --out FILE.

For each data set and privacy level, every method is trained with 3 seeds (a fresh split a seed) for each
setting, all seeds and settings of one shape as one stack; the setting of highest mean validation accuracy is
reported. That choice reads validation labels of the private runs: it is tuning, which no epsilon here pays
for, and the table says so.
"""

import argparse
import json
import statistics
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

import torch

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.methods.training import Context, planned
from privgraph.options import build, values
from privgraph.privacy.rounding import upper
from privgraph.progress import Result
from privgraph.registry import method
from privgraph.studies.table import write_into

NO_SECRET = b"a study on public data, which anybody may repeat"
"""The key of its noise."""

DATASETS = ("cora", "citeseer", "fb100-johnshopkins55", "facebook-pages", "fb100-cornell5")
DEPTHS = (1, 2, 3, 4, 5)
RATES = (0.01, 0.05)
ENCODER_LAYERS = (1, 2, 3)
LEVELS: dict[str, dict[str, Any]] = {
    "none": {"unit": "none"},
    "edge": {"unit": "edge", "epsilon": 1.0, "accounting": "published"},
    "node": {"unit": "node", "epsilon": 8.0, "accounting": "published", "batch_size": 256, "max_degree": 100},
}
METHODS = {
    "none": ("mlp", "gnn", "gap", "progap"),
    "edge": ("mlp", "gap", "progap"),
    "node": ("dp-mlp", "gap", "progap"),
}
TITLES = {"none": "no privacy", "edge": "edge level, epsilon 1", "node": "node level, epsilon 8"}


@dataclass(frozen=True)
class Row:
    """One cell of the table: the chosen setting of one method on one data set at one level."""

    dataset: str
    level: str
    method: str
    options: dict[str, Any]
    test: tuple[float, ...]
    val: tuple[float, ...]
    epsilon: float | None
    epsilon_as_published: float | None
    delta: float | None
    seconds: float


def settings(name: str, level: str, depths: Sequence[int], rates: Sequence[float]) -> Iterator[dict[str, Any]]:
    """The options that are tried."""
    base = dict(LEVELS[level])
    if name in ("gap", "progap"):
        layers = [{"encoder_layers": count} for count in ENCODER_LAYERS] if name == "gap" else [{"layers": 1}]
        for depth, rate, shape in product(depths, rates, layers):
            yield {**base, **shape, "depth": depth, "learning_rate": rate}
    elif name == "dp-mlp":
        base.pop("max_degree")
        for rate in rates:
            yield {**base, "learning_rate": rate}
    else:
        yield {"unit": base["unit"]}


def best(
    name: str, level: str, dataset: str, graphs: Sequence[Graph], depths: Sequence[int], rates: Sequence[float]
) -> Row:
    """Train every setting with every seed; the row of the setting with the highest mean validation
    accuracy."""
    spec = method(name)
    configs = [build(spec.load_config(), options) for options in settings(name, level, depths, rates)]
    members = [
        planned(config, graph, Context(seed=seed, noise_key=NO_SECRET))
        for config in configs
        for seed, graph in enumerate(graphs)
    ]
    start = time.perf_counter()
    results: list[Result | None] = [None] * len(members)
    for position, event in spec.load_train()(members):
        if isinstance(event, Result):
            results[position] = event
    seconds = time.perf_counter() - start
    done = [result.metrics for result in results if result is not None]
    assert len(done) == len(members)

    def numbers(setting: int, name: str) -> tuple[float, ...]:
        return tuple(done[setting * len(graphs) + seed][name] for seed in range(len(graphs)))

    chosen = max(range(len(configs)), key=lambda setting: statistics.mean(numbers(setting, "val_accuracy")))
    statement = configs[chosen].plan(graphs[0].facts).statement
    private = level != "none"
    return Row(
        dataset=dataset,
        level=level,
        method=name,
        options=dict(values(configs[chosen])),
        test=numbers(chosen, "test_accuracy"),
        val=numbers(chosen, "val_accuracy"),
        epsilon=statement.epsilon if private else None,
        epsilon_as_published=statement.epsilon_as_published if private else None,
        delta=statement.delta if private else None,
        seconds=seconds / len(members),
    )


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table, a line a data set and level."""
    lines = [
        "| graph | level | " + " | ".join(("MLP", "GNN", "GAP", "ProGAP", "sound epsilon of GAP, ProGAP")) + (" |")
    ]
    lines.append("|---|---|---|---|---|---|---|")
    for dataset in dict.fromkeys(row.dataset for row in rows):
        for level in LEVELS:
            here = {row.method.removeprefix("dp-"): row for row in rows if (row.dataset, row.level) == (dataset, level)}
            if not here:
                continue
            cells = [_cell(here.get(name)) for name in ("mlp", "gnn", "gap", "progap")]
            priced = [here[name].epsilon for name in ("gap", "progap") if name in here and level != "none"]
            sound = [upper(epsilon, 3) for epsilon in priced if epsilon is not None]
            lines.append(f"| {dataset} | {TITLES[level]} | " + " | ".join(cells) + f" | {', '.join(sound)} |")
    return "\n".join(lines) + "\n"


def _row(record: dict[str, Any]) -> Row:
    return Row(**{**record, "test": tuple(record["test"]), "val": tuple(record["val"])})


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    test = [100 * accuracy for accuracy in row.test]
    spread = statistics.stdev(test) if len(test) > 1 else 0.0
    depth = f" (K {row.options['depth']})" if "depth" in row.options and row.method in ("gap", "progap") else ""
    return f"{statistics.mean(test):.1f} ± {spread:.1f}{depth}"


def study(
    datasets: Sequence[str],
    seeds: int,
    *,
    levels: Sequence[str] = tuple(LEVELS),
    depths: Sequence[int] = DEPTHS,
    rates: Sequence[float] = RATES,
    done: Sequence[Row] = (),
    tell: Callable[[Row], None] = lambda row: None,
) -> list[Row]:
    """All rows; those of `done` are not computed again, and `tell` hears of each as it is there."""
    known = {(row.dataset, row.level, row.method): row for row in done}
    rows = []
    for dataset in datasets:
        graphs: list[Graph] = []
        for level in levels:
            for name in METHODS[level]:
                row = known.get((dataset, level, name))
                if row is None:
                    graphs = graphs or [load(dataset, split_seed=seed) for seed in range(seeds)]
                    row = best(name, level, dataset, graphs, depths, rates)
                rows.append(row)
                tell(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description="The comparison of the ProGAP paper, on graphs that are at hand.")
    parser.add_argument("--data", nargs="+", default=list(DATASETS))
    parser.add_argument("--levels", nargs="+", default=list(LEVELS), choices=list(LEVELS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--depths", nargs="+", type=int, default=list(DEPTHS))
    parser.add_argument("--rates", nargs="+", type=float, default=list(RATES))
    parser.add_argument("--threads", type=int, default=0, help="threads of torch; 0 leaves them as they are")
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        help="rows as JSON; rows that are there are kept, so that an interrupted study goes on; the table "
        "is beside it as .md",
    )
    parser.add_argument("--readme", action="store_true", help="put the table into this method's README as well")
    options = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    if options.threads:
        torch.set_num_threads(options.threads)

    done = [_row(record) for record in json.loads(options.out.read_text())] if options.out.exists() else []
    rows_so_far: list[Row] = []

    def tell(row: Row) -> None:
        rows_so_far.append(row)
        print(
            f"{row.dataset:22} {TITLES[row.level]:24} {row.method:8} {_cell(row):22} {row.seconds:.1f} s a run",
            flush=True,
        )
        # what an interrupted study had and this one has not reached yet is kept too
        reached = {(one.dataset, one.level, one.method) for one in rows_so_far}
        left = [one for one in done if (one.dataset, one.level, one.method) not in reached]
        options.out.write_text(json.dumps([asdict(one) for one in (*rows_so_far, *left)], indent=1))

    rows = study(
        options.data,
        options.seeds,
        levels=options.levels,
        depths=options.depths,
        rates=options.rates,
        done=done,
        tell=tell,
    )
    options.out.with_suffix(".md").write_text(table(rows))
    if options.readme:
        write_into(Path(__file__).with_name("README.md"), table(rows))
    print(table(rows))


if __name__ == "__main__":
    main()
