"""The examples, trained and packed: python -m privgraph.studies.examples --home FOLDER.

Each chapter is a piece of a method's study on a public graph. Runs, attacks and audits are those of a store
of their own, whose noise key is no secret (`streams.OPEN_KEY`), so that anybody can repeat each; what is
there is not made again. The file holds what is done.
"""

import argparse
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from privgraph.attacks.options import AttackOptions
from privgraph.audits.options import AuditOptions
from privgraph.methods.prompts.dp_gpl import study as dp_gpl
from privgraph.methods.relations.relational import study as relational
from privgraph.methods.teachers.privgnn import study as privgnn
from privgraph.options import Scalar, parameters, values
from privgraph.registry import ATTACKS
from privgraph.runs import audit, examples
from privgraph.runs.launch import wait
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.streams import OPEN_KEY
from privgraph.studies import attacks, relation_attacks
from privgraph.studies.attack_findings import findings
from privgraph.studies.cells import Cell

SEEDS = (0, 1, 2)
MORE_SEEDS = tuple(range(10))
"""Of what trains in seconds: an interval from three would hide the curve, and which method is better."""
FEW_SEEDS = tuple(range(5))
"""Of what takes minutes."""
RELATION_SEEDS = tuple(range(4))
"""From three seeds, what privacy costs in finding partners is lost in its interval."""
AT_ONCE = 30
"""Runs that are queued together."""
SOCIAL: Mapping[str, Scalar] = {"nodes": 600, "degree": 16.0, "classes": 3, "homophily": 0.85, "signal": 1.0}
"""The made-up network of the demo, where edges tell what features do not."""
EDGE_EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
NODE_EPSILONS = (1.0, 2.0, 4.0, 8.0, 16.0)
OUTSIDER = AttackOptions()
ATTACKED_EPSILONS = (1.0, 8.0)
"""Where methods are attacked: a strong promise and a weak one."""
AUDITED = ("progap", "gap", "label-hist", "heter-poisson", "dp-mlp", "edge-rand")
"""Methods of which one run on cora is audited."""
Line = tuple[str, Mapping[str, Scalar]]


def _lines(private: Mapping[str, Sequence[float]], unit: str, others: Sequence[Line]) -> list[Line]:
    """Each private method at its epsilons, and what they are compared with."""
    asked = [
        (name, {"unit": unit, "epsilon": epsilon, **attacks.GIVEN.get(name, {})})
        for name, epsilons in private.items()
        for epsilon in epsilons
    ]
    return [*others, *asked]


_BARE: list[Line] = [("mlp", {"unit": "none"}), ("gnn", {"conv": "gcn"}), ("progap", {"unit": "none"})]


def _specs(
    lines: Sequence[Line], dataset: str, data: Mapping[str, Scalar] | None = None, seeds: Sequence[int] = SEEDS
) -> list[RunSpec]:
    return [
        make_spec(name, dataset, dict(options), data_options=dict(data or {}), seed=seed)
        for seed in seeds
        for name, options in lines
    ]


def _of_cells(cells: Sequence[Cell], seeds: Sequence[int] = SEEDS) -> list[RunSpec]:
    return [cell.spec(seed) for seed in seeds for cell in dict.fromkeys(cells)]


OF_A_TABLE = ("accounting", "density", "delta")
"""Options that the tables of studies set, and that the examples leave at their sound defaults."""


def _sound(cells: Iterable[Cell]) -> list[Cell]:
    """The cells of a study with the method's own accounting, coins and delta."""
    return [replace(cell, options=tuple(one for one in cell.options if one[0] not in OF_A_TABLE)) for cell in cells]


def _social() -> list[RunSpec]:
    edge = _lines(dict.fromkeys(("progap", "gap", "label-hist", "edge-rand"), EDGE_EPSILONS), "edge", _BARE)
    node = _lines(dict.fromkeys(("progap", "label-hist", "dp-mlp", "heter-poisson"), NODE_EPSILONS), "node", ())
    return _specs([*edge, *node], "social", SOCIAL, MORE_SEEDS)


def _cora_edges() -> list[RunSpec]:
    lines = _lines(dict.fromkeys(("progap", "gap", "label-hist", "edge-rand"), EDGE_EPSILONS), "edge", _BARE)
    return _specs(lines, "cora", seeds=MORE_SEEDS)


def _cora_nodes() -> list[RunSpec]:
    names = ("progap", "gap", "label-hist", "dp-mlp", "dp-gnn", "heter-poisson")
    lines = _lines(dict.fromkeys(names, NODE_EPSILONS), "node", [("heter-poisson", {"unit": "none"})])
    return _specs(lines, "cora", seeds=MORE_SEEDS)


def _facebook() -> list[RunSpec]:
    edge = _lines(dict.fromkeys(("progap", "gap", "label-hist"), (0.25, 1.0, 4.0)), "edge", _BARE)
    node = _lines(dict.fromkeys(("progap", "label-hist", "dp-mlp", "heter-poisson"), (2.0, 8.0)), "node", ())
    return _specs([*edge, *node], "facebook-pages", seeds=FEW_SEEDS)


def _privgnn() -> list[RunSpec]:
    both = ((privgnn.by_epsilon, privgnn.EPSILONS), (privgnn.by_lambda, privgnn.LAMBDAS))
    return [
        spec
        for seed in SEEDS
        for make, axis in both
        for line in make("cora")
        for spec in privgnn.specs_of(line, "cora", seed, axis)
    ]


def _dp_gpl() -> list[RunSpec]:
    cells = [
        *dp_gpl.gradients(["cora"]).cells,
        *(
            cell
            for backbone in dp_gpl.BACKBONES
            for cell in dp_gpl.settings("cora", backbone, dp_gpl.tuned("gpf-plus", "edge-pred"))
        ),
        *dp_gpl.distribution(["cora"]).cells,
    ]
    return _of_cells(cells)


def _relations() -> list[RunSpec]:
    return [
        *_of_cells(_sound(relation_attacks.cells().values()), RELATION_SEEDS),
        *_of_cells(_sound(relational.cell(relation_attacks.WHERE, level) for level in relational.STRONGER)),
        *_of_cells(_sound(relation_attacks.remembered().values()), (0,)),
    ]


def askable() -> list[RunSpec]:
    """Runs whose encoders come along: one without privacy, and two private ones."""
    cells = _sound(relational.cell(relation_attacks.WHERE, level) for level in ("∞", "10", "4"))
    return [cell.spec(0) for cell in cells]


def _trained_nodes() -> list[RunSpec]:
    """Every method that can be asked who trained, without privacy and at `ATTACKED_EPSILONS`."""
    specs = _of_cells(_sound(attacks.cells("cora")), (0,))
    return [spec for spec in specs if spec.asked_epsilon in (None, *ATTACKED_EPSILONS)]


def _attacked() -> list[RunSpec]:
    """What is attacked for its training nodes, and what papers say of attacks."""
    return [*_trained_nodes(), *_of_cells([one.cell("cora") for one in findings()], (0,))]


CHAPTERS: Mapping[str, Callable[[], list[RunSpec]]] = {
    "social": _social,
    "cora, edges": _cora_edges,
    "dp-gpl": _dp_gpl,
    "cora, nodes": _cora_nodes,
    "privgnn": _privgnn,
    "attacked": _attacked,
    "relations": _relations,
    "facebook-pages": _facebook,
}
"""The runs of each chapter, the most telling first."""


def trained(store: RunStore, chapter: str) -> Iterator[str]:
    """Train what is not there yet; a line for what did not end well."""
    specs = list({spec.id: spec for spec in CHAPTERS[chapter]()}.values())
    for spec in askable() if chapter == "relations" else ():
        there = store.find(RunQuery(ids=(spec.id,), states=("done",)))
        if there and not (store.folder(spec.id) / examples.ADAPTER[0]).is_file():
            store.delete(spec.id)  # its encoder is not at hand: it is trained again, with the same noise
    for start in range(0, len(specs), AT_ONCE):
        chosen = specs[start : start + AT_ONCE]
        ids = [store.submit(spec, batch=f"examples-{chapter}-{spec.seed}") for spec in chosen]
        store.retry_undone(ids)
        for record in wait(store, ids, every=1.0):
            if record.state != "done":
                yield f"{record.id} is {record.state}: {record.error}"


def _links() -> Iterator[tuple[RunSpec, str, AttackOptions]]:
    """Who is connected to whom: of networks that protect no edge, of a perceptron, and of those that do."""
    bare: list[Line] = [("gnn", {"conv": "gcn"}), ("mlp", {"unit": "none"}), ("gap", {"unit": "none"})]
    specs = _specs([*bare, *_lines(dict.fromkeys(attacks.EDGE, (8.0, 1.0)), "edge", ())], "cora", seeds=(0,))
    yield specs[0], "link", AttackOptions(by="influence")
    for spec in specs:
        yield spec, "link", OUTSIDER


def attacked(store: RunStore) -> Iterator[str]:
    """Attack what is not attacked yet; a line for each."""
    wanted: list[tuple[RunSpec, str, AttackOptions]] = [
        *_links(),
        *((spec, relation_attacks.ATTACK, relation_attacks.OUTSIDER) for spec in _relations() if spec.seed == 0),
        *((one.cell("cora").spec(0), one.attack, one.options) for one in findings()),
        *((spec, next(iter(ATTACKS)), OUTSIDER) for spec in _trained_nodes()),
    ]
    for spec, name, options in wanted:
        found = store.find(RunQuery(ids=(spec.id,), states=("done",)))
        if found:
            yield attacks.once(store, found[0], name, options)


def audited(store: RunStore) -> Iterator[str]:
    """Audit one run of each audited method; a line for each."""
    for spec in _attacked():
        if spec.method in AUDITED and spec.asked_epsilon == max(attacks.EPSILONS) and not store.audits(spec.id):
            flags = [
                piece
                for one in parameters(AuditOptions)
                for piece in (f"--{one.name}", str(values(AuditOptions())[one.name]))
            ]
            audit.main([spec.id, *flags])
            yield f"{spec.id}: {len(store.audits(spec.id))} audits"


def main() -> None:
    """Train, attack and audit what is missing, and write the file."""
    parser = argparse.ArgumentParser(description="Make the examples that ship with privgraph.")
    parser.add_argument("--home", type=Path, required=True, help="the folder of its own store")
    parser.add_argument("--chapters", nargs="*", choices=list(CHAPTERS), default=list(CHAPTERS))
    parser.add_argument("--begin", action="store_true", help="begin with the runs of the file that are not there")
    parser.add_argument("--pack", action="store_true", help="make nothing: the file of what is there")
    asked = parser.parse_args()
    asked.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    key = asked.home / "noise.key"
    if not key.exists():
        key.write_bytes(OPEN_KEY)
    if key.read_bytes() != OPEN_KEY:
        parser.error(f"{asked.home} has a secret noise key: the examples need a folder of their own")
    os.environ["PRIVGRAPH_HOME"] = str(asked.home)
    store = RunStore.open()
    if asked.begin:
        print(f"{examples.begin(store):,} runs are those of the file", flush=True)
    if not asked.pack:
        for chapter in asked.chapters:
            for line in trained(store, chapter):
                print(line, flush=True)
            print(f"{chapter}: trained", flush=True)
        for steps in (attacked, audited):
            for line in steps(store):
                print(line, flush=True)
    chapters = {chapter: CHAPTERS[chapter]() for chapter in CHAPTERS}
    print(examples.write(store, chapters, whole={spec.id for spec in askable()}), flush=True)


if __name__ == "__main__":
    main()
