"""What is reached at which sound epsilon, by every method: python -m privgraph.studies.frontier --out FILE.

Options are the methods' defaults but for those named here, which were chosen on fb100-reed98, cora-ml,
twitch-pt and coauthor-cs. A row of the file is one run; rows that are there are kept, so that it may be
interrupted.
"""

import argparse
import csv
import statistics
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import torch

from privgraph.data.graph import Graph
from privgraph.data.load import load
from privgraph.methods.training import Context, planned
from privgraph.options import Scalar, build
from privgraph.privacy.delta import edge_delta_rule
from privgraph.progress import Result
from privgraph.registry import method
from privgraph.studies import gcon
from privgraph.studies.cells import line
from privgraph.studies.table import write_into

GRAPHS = (
    "cora",
    "citeseer",
    "twitch-de",
    "fb100-johnshopkins55",
    "facebook-pages",
    "amazon-computers",
    "fb100-cornell5",
)
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
NO_SECRET = b"a study on public data, which anybody may repeat"
GCON = "gcon, weights alone"


@dataclass(frozen=True)
class Setting:
    """A method and the options that differ from its defaults; `method` is empty for `GCON`."""

    name: str
    method: str
    options: Mapping[str, Scalar]


_UNSMOOTHED = Setting("label-hist, gradients", "label-hist", {"unit": "node", "features": "gradients", "smoothing": 0})
LEVELS: Mapping[str, tuple[Setting, ...]] = {
    "edge": (
        Setting("mlp", "mlp", {"unit": "edge"}),
        Setting("label-hist", "label-hist", {"unit": "edge"}),
        Setting("gap", "gap", {"unit": "edge"}),
        Setting("gap, K = 1", "gap", {"unit": "edge", "depth": 1}),
        Setting("progap", "progap", {"unit": "edge"}),
        Setting("progap, K = 4", "progap", {"unit": "edge", "depth": 4}),
        Setting("edge-rand", "edge-rand", {}),
        Setting(GCON, "", {}),
    ),
    "node": (
        Setting("dp-mlp", "dp-mlp", {}),
        Setting("label-hist, counts", "label-hist", {"unit": "node", "features": "none", "smoothing": 0}),
        _UNSMOOTHED,
        Setting("gap", "gap", {"unit": "node"}),
        Setting("progap", "progap", {"unit": "node"}),
    ),
    "node, others public": (
        Setting("dp-mlp", "dp-mlp", {}),
        Setting("label-hist, table", "label-hist", {"unit": "node"}),
        _UNSMOOTHED,
        Setting("label-hist, gradients, smoothed", "label-hist", {"unit": "node", "features": "gradients"}),
        Setting("label-hist, smoothed", "label-hist", {"unit": "node", "features": "none"}),
        Setting("heter-poisson", "heter-poisson", {}),
        Setting("heter-poisson, M = 0", "heter-poisson", {"neighbours": 0}),
        Setting("dp-gnn, weights alone", "dp-gnn", {}),
    ),
}
"""By what is protected: an edge; a node, whoever it is; a training node, while those that do not train, and
the edges among them, are read."""


@dataclass(frozen=True)
class Run:
    """One run: `epsilon` is the sound one that was asked for, `test` the accuracy."""

    graph: str
    unit: str
    setting: str
    epsilon: float
    seed: int
    test: float
    seconds: float


Key = tuple[str, str, str, float]


def read(path: Path) -> list[Run]:
    """The runs of a file, none where there is no file."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [
            Run(graph, unit, name, float(epsilon), int(seed), float(test), float(seconds))
            for graph, unit, name, epsilon, seed, test, seconds in list(csv.reader(file))[1:]
        ]


def write(path: Path, runs: Sequence[Run]) -> None:
    """Write the runs, all of them or none."""
    part = path.with_name(f"{path.name}.part")
    with part.open("w", newline="") as file:
        writer = csv.DictWriter(file, [one.name for one in fields(Run)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(run) for run in runs)
    part.replace(path)


def train(graph: str, unit: str, setting: Setting, epsilon: float, graphs: Mapping[int, Graph]) -> Iterator[Run]:
    """One run for each seed, all as one stack."""
    began, found = time.perf_counter(), dict[int, float]()
    if not setting.method:
        for seed, one in graphs.items():
            found[seed] = gcon.accuracy(one, epsilon, edge_delta_rule(one.num_nodes)[0], seed)
    else:
        spec = method(setting.method)
        free = setting.method == "mlp"
        config = build(spec.load_config(), {**setting.options, **({} if free else {"epsilon": epsilon})})
        members = [planned(config, one, Context(seed=seed, noise_key=NO_SECRET)) for seed, one in graphs.items()]
        for position, event in spec.load_train()(members):
            if isinstance(event, Result):
                found[list(graphs)[position]] = event.metrics["test_accuracy"]
    seconds = round((time.perf_counter() - began) / len(graphs), 1)
    for seed, accuracy in found.items():
        yield Run(graph, unit, setting.name, epsilon, seed, round(accuracy, 5), seconds)


def study(
    out: Path, graphs: Sequence[str], levels: Sequence[str], names: Sequence[str], epsilons: Sequence[float], seeds: int
) -> None:
    """Train what is missing, a graph after the other, and write each run as it is there."""
    runs = read(out)
    for graph in graphs:
        loaded: dict[int, Graph] = {}
        for level in levels:
            unit = level.partition(",")[0]
            for setting in LEVELS[level]:
                if names and setting.name not in names:
                    continue
                for epsilon in epsilons if setting.method != "mlp" else (0.0,):
                    done = {(run.graph, run.unit, run.setting, run.epsilon, run.seed) for run in runs}
                    missing = [s for s in range(seeds) if (graph, unit, setting.name, epsilon, s) not in done]
                    if not missing:
                        continue
                    loaded = loaded or {seed: load(graph, split_seed=seed) for seed in range(seeds)}
                    runs += train(graph, unit, setting, epsilon, {seed: loaded[seed] for seed in missing})
                    write(out, runs)
                    print(graph, level, setting.name, epsilon, f"{runs[-1].seconds} s a run", flush=True)


def accuracies(runs: Sequence[Run]) -> Mapping[Key, list[float]]:
    """Accuracies in percent by graph, unit, setting and epsilon."""
    tests = defaultdict[Key, list[float]](list)
    for run in runs:
        for epsilon in EPSILONS if run.epsilon == 0 else (run.epsilon,):
            tests[run.graph, run.unit, run.setting, epsilon].append(100 * run.test)
    return tests


def tables(runs: Sequence[Run]) -> str:
    """Markdown: a table for each level, a line for each graph and setting.

    Mean and standard deviation in percent at each epsilon; the best of a graph and level is bold. The number
    of seeds stands where it is smaller than elsewhere.
    """
    tests = accuracies(runs)
    most, text = max(map(len, tests.values()), default=0), ""
    for level, settings in LEVELS.items():
        rows, unit = [], level.partition(",")[0]
        for graph in dict.fromkeys(run.graph for run in runs):
            for setting in settings:
                held = [tests.get((graph, unit, setting.name, epsilon), []) for epsilon in EPSILONS]
                if any(held):
                    best = [max(mean(tests.get((graph, unit, o.name, e), [])) for o in settings) for e in EPSILONS]
                    rows.append(
                        line([graph, setting.name, *(_cell(*one, most) for one in zip(held, best, strict=True))])
                    )
        if rows:
            heads = line(["graph", "method", *(f"{epsilon:g}" for epsilon in EPSILONS)])
            text += "\n".join([f"\n**{level}**\n", heads, "|---" * (2 + len(EPSILONS)) + "|", *rows]) + "\n"
    return text


def mean(held: Sequence[float]) -> float:
    """In percent, and -1 where there is no run."""
    return statistics.mean(held) if held else -1.0


def _cell(held: Sequence[float], best: float, most: int) -> str:
    if not held:
        return ""
    spread = f" ± {statistics.stdev(held):.1f}" if len(held) > 1 else ""
    told = f"{mean(held):.1f}{spread}"
    return (f"**{told}**" if mean(held) == best else told) + f" ({len(held)})" * (len(held) < most)


def main() -> None:
    parser = argparse.ArgumentParser(description="Every method on seven graphs, by sound epsilon.")
    parser.add_argument("--out", type=Path, required=True, help="the file of runs, read and written")
    parser.add_argument("--graphs", nargs="+", default=list(GRAPHS))
    parser.add_argument("--levels", nargs="+", default=list(LEVELS), choices=list(LEVELS))
    parser.add_argument("--settings", nargs="+", default=[], help="some settings alone")
    parser.add_argument("--epsilons", nargs="+", type=float, default=list(EPSILONS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--tables", action="store_true", help="train nothing")
    parser.add_argument("--readme", type=Path, help="put the tables there, between the marks of a study")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    torch.set_num_threads(1)
    if not asked.tables:
        study(asked.out, asked.graphs, asked.levels, asked.settings, asked.epsilons, asked.seeds)
    text = tables(read(asked.out))
    print(text)
    if asked.readme:
        write_into(asked.readme, text)


if __name__ == "__main__":
    main()
