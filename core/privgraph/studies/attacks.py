"""Who trained, method by method: python -m privgraph.studies.attacks.

Every method whose model can be asked is trained on one graph without privacy and at several sound epsilons,
and attacked by the same attack with as many shadow models. Runs and attacks are those of the store: what is
there is not made again.
"""

import argparse
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from privgraph import attacks
from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.options import Scalar, parameters, values
from privgraph.privacy.rounding import lower, upper
from privgraph.registry import ATTACKS, METHODS
from privgraph.runs import attack
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph.studies.cells import Cell, Part, done, table, train
from privgraph.studies.table import write_into

EPSILONS = (1.0, 2.0, 4.0, 8.0)
TAG = "study-attacks"
AT_ONCE = 4
README = Path(next(iter(attacks.__path__))) / "README.md"
UNPROTECTED: Sequence[tuple[str, dict[str, Scalar]]] = (
    ("gnn", {"conv": "gcn"}),
    ("gnn", {"conv": "sage"}),
    ("mlp", {"unit": "none"}),
    ("gap", {"unit": "none"}),
    ("progap", {"unit": "none"}),
    ("heter-poisson", {"unit": "none"}),
    ("label-hist", {"unit": "none"}),
)
NODE = ("dp-mlp", "gap", "progap", "dp-gnn", "heter-poisson", "label-hist", "dp-gpl")
GIVEN: dict[str, dict[str, Scalar]] = {"dp-gpl": {"shots": 5}}
"""Options beside unit and epsilon: the paper's number of shots, so that some private nodes do not teach."""
EDGE = ("gap", "progap", "label-hist", "edge-rand")

AS_DRAWN: Mapping[str, Mapping[str, Scalar]] = {
    "gap": {"delta": 1e-5},
    "progap": {"delta": 1e-5},
    "edge-rand": {"density": "public"},
}
"""What edge-level rows on cora were made with: delta by its number of edges, and coins by the same number."""


def cells(dataset: str) -> tuple[Cell, ...]:
    """What is attacked, without privacy first."""
    bare = [Cell.of(name, dataset, options) for name, options in UNPROTECTED]
    drawn = {"edge": AS_DRAWN, "node": GIVEN}
    private = [
        Cell.of(name, dataset, {"unit": unit, "epsilon": epsilon, **drawn[unit].get(name, {})})
        for epsilon in reversed(EPSILONS)
        for unit, names in (("node", NODE), ("edge", EDGE))
        for name in names
    ]
    return (*bare, *private)


def found(store: RunStore, run: RunRecord, name: str, options: AttackOptions) -> AttackRecord | None:
    """The attack of that name and options on a run, where it was made."""
    same = [one for one in store.attacks(run.id) if one.attack == name and one.options == options]
    return same[-1] if same else None


def attacked(store: RunStore, part: Part, name: str, options: AttackOptions) -> Iterator[str]:
    """Attack what is not attacked yet, one run after another; a line for each."""
    for cell in part.cells:
        for run in done(store, cell, (0,)):
            yield once(store, run, name, options)


def once(store: RunStore, run: RunRecord, name: str, options: AttackOptions) -> str:
    """Make the attack where it was not made yet; a line that tells what it found."""
    flags = [piece for one in parameters(AttackOptions) for piece in (f"--{one.name}", str(values(options)[one.name]))]
    if found(store, run, name, options) is None:
        attack.main([run.id, "--attack", name, *flags])
    record = found(store, run, name, options)
    return f"{run.id}: {'no attack' if record is None else record!r}"


def text(store: RunStore, part: Part, name: str, options: AttackOptions) -> str:
    """The table in Markdown: a row for each cell whose run was attacked."""
    rows = []
    for cell in part.cells:
        for run in done(store, cell, (0,)):
            record = found(store, run, name, options)
            if record is not None:
                rows.append(_row(cell, run, record))
    heads = ("method", "protects", "sound epsilon", "test accuracy", "area, mean (range)", "TPR at 1% FPR", "bound")
    models = f"{options.shadows} shadow models, {options.targets} attacked models"
    title = f"On {part.name}, attacked by `{name}` (asked {options.query}, {models})."
    return table(title, heads, rows, names=3)


def _row(cell: Cell, run: RunRecord, record: AttackRecord) -> tuple[str, ...]:
    given = dict(cell.options)
    conv = f" ({given['conv']})" if "conv" in given else ""
    unit = str(run.spec.options.get("unit", "none"))
    rare = statistics.mean(rates[1] for rates in record.true_rates)
    return (
        f"{METHODS[cell.method].title.split(' (')[0]}{conv}",
        "nothing" if unit == "none" else f"{unit}s",
        "∞" if math.isinf(record.sound) else upper(record.sound, 3),
        f"{100 * run.metrics['test_accuracy']:.1f}",
        f"{statistics.mean(record.areas):.3f} ({min(record.areas):.3f} to {max(record.areas):.3f})",
        f"{100 * rare:.1f}%",
        "none" if record.bound is None else f">= {lower(record.bound, 3)}",
    )


def main() -> None:
    """Train and attack what is missing, and print the table."""
    parser = argparse.ArgumentParser(description="Who trained, method by method.")
    parser.add_argument("--data", default="cora")
    parser.add_argument("--methods", nargs="+", choices=sorted({name for name, _ in UNPROTECTED} | {*NODE, *EDGE}))
    parser.add_argument("--attack", default=next(iter(ATTACKS)), choices=list(ATTACKS))
    parser.add_argument("--shadows", type=int, default=24)
    parser.add_argument("--targets", type=int, default=4)
    parser.add_argument("--tables", action="store_true", help="make nothing: the table of what is there")
    parser.add_argument("--readme", action="store_true", help="put the table into the attacks' README as well")
    asked = parser.parse_args()
    store = RunStore.open()
    options = AttackOptions(shadows=asked.shadows, targets=asked.targets)
    chosen = tuple(cell for cell in cells(asked.data) if asked.methods is None or cell.method in asked.methods)
    part = Part(name=asked.data, cells=chosen, text=lambda _read, _store: "")
    if not asked.tables:
        for records in train(store, part, (0,), TAG, AT_ONCE):
            for record in records:
                if record.state != "done":
                    print(f"{record.id} is {record.state}: {record.error}", flush=True)
        for line in attacked(store, part, asked.attack, options):
            print(line, flush=True)
    shown = text(store, part, asked.attack, options) or "No run of the study was attacked yet.\n"
    if asked.readme:
        write_into(README, shown)
    print(shown, flush=True)


if __name__ == "__main__":
    main()
