"""DP-GPL's tables and figures on graphs that are at hand, as stored runs: python -m
privgraph.methods.prompts.dp_gpl.study.

Everything that it trains is a run of the store, so that the Teachers and Trade-offs pages show it, and an
interrupted study goes on where it was. Tables are made of whatever runs are done: mean and standard deviation
over seeds (a seed draws the parts, the queries, the slots, the noise and all initial weights). The paper's
PubMed is not at hand: dblp stands in, with PubMed's settings.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.prompts.dp_gpl.options import TABLE_4
from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph.studies.cells import Cell, Options, Part, Read, command, percent, priced, short, table

TAG = "study-dpgpl"
DELTA = 1.5e-4
SETTINGS = {"cora": "cora", "citeseer": "citeseer", "dblp": "pubmed"}
"""Graphs, and whose settings in Table 4 they take."""
BACKBONES = ("gcn", "gat", "gt")
TABLES = (
    ("edge-pred", "gpf-plus", "Our defaults"),
    ("dgi", "all-in-one", "Tables 1 and 12"),
    ("dgi", "gpf-plus", "Table 7"),
    ("dgi", "gppt", "Table 8"),
    ("graphmae", "all-in-one", "Table 9"),
    ("graphmae", "gpf-plus", "Table 10"),
    ("graphmae", "gppt", "Table 11"),
)
QUERIES = (10, 20, 30, 50, 75, 100)
AT_ONCE = 15
"""Cells that are trained before tables are made anew."""
W_MAX = (1.5, 2.0, 2.5, 3.0)
SHOTS = (5, 10, 50, 100)
EPSILONS = (1.0, 8.0, 16.0, 32.0, 64.0)
GRADIENTS: Options = {
    "backbone": "gcn",
    "shots": 0,
    "epochs": 10,
    "batch_size": 128,
    "delta": DELTA,
    "objective": "edge-pred",
}
"""Private gradients on all private nodes: what votes of teachers have to be compared with."""
FRONTIER = (0.5, 1.0, 2.0, 4.0, 8.0)


def tuned(prompt: str, objective: str = "dgi") -> Options:
    """A prompt with the epochs that it needs, and the pre-training under it: All-in-one begins farther from
    what the network knows."""
    return {"objective": objective, "prompt": prompt, **({"epochs": 30} if prompt == "all-in-one" else {})}


def published(dataset: str, backbone: str, weighting: str, options: Options, queries: int = 50) -> Cell:
    """The paper's own setting. The presets are for 50 queries; others are spelt out."""
    preset = f"{backbone}-{SETTINGS[dataset]}"
    if queries == 50:
        return Cell.of("dp-gpl", dataset, {"preset": preset, "weighting": weighting, **options})
    _, threshold, gate_sigma, vote_sigma = TABLE_4[preset]
    spelt: Options = {
        "backbone": backbone, "teachers": 200, "shots": 5, "queries": queries, "threshold": threshold,
        "gate_sigma": gate_sigma,
        "vote_sigma": vote_sigma, "delta": DELTA, "accounting": "published", "student_labels": "hard",
    }  # fmt: skip
    return Cell.of("dp-gpl", dataset, {**spelt, "weighting": weighting, **options})


def ours(dataset: str, backbone: str, weighting: str, options: Options) -> Cell:
    """The method's defaults, at a sound epsilon of 2."""
    return Cell.of(
        "dp-gpl", dataset, {"backbone": backbone, "weighting": weighting, "epsilon": 2.0, "delta": DELTA, **options}
    )


def settings(dataset: str, backbone: str, options: Options) -> tuple[Cell, ...]:
    """Ours; DP-GPL and DP-GPL+W as published; DP-GPL's noise on votes without its gate; ours with weights."""
    without_gate: Options = {**options, "backbone": backbone, "teachers": 200, "shots": 5, "queries": 50,
                             "delta": DELTA, "vote_sigma": TABLE_4[f"{backbone}-{SETTINGS[dataset]}"][3],
                             "student_labels": "hard"}  # fmt: skip
    return (
        ours(dataset, backbone, "uniform", options),
        published(dataset, backbone, "uniform", options),
        Cell.of("dp-gpl", dataset, without_gate),
        published(dataset, backbone, "centrality", options),
        ours(dataset, backbone, "private-centrality", options),
    )


def overview(datasets: Sequence[str]) -> Part:
    """Tables 1 and 7 to 12."""
    rows = [
        (objective, prompt, backbone, dataset, settings(dataset, backbone, tuned(prompt, objective)))
        for objective, prompt, _ in TABLES
        for dataset in datasets
        for backbone in BACKBONES
    ]
    # graphs that fit a cache come first, for all tables; then the others
    cells = [
        cell for small in (True, False) for *_, dataset, row in rows if (dataset != "dblp") == small for cell in row
    ]

    def text(read: Read, _: RunStore) -> str:
        tables = [one(objective, prompt, title, read) for objective, prompt, title in TABLES]
        return "\n".join(one for one in tables if one)

    def one(objective: str, prompt: str, title: str, read: Read) -> str:
        heads = ("network", "graph", "LB", "Ens. Acc.", "UB", "DP-GPL as published", "its noise, no gate", "DP-GPL+W "
                                                                                                           "as "
                                                                                                           "published",
                 "Ens. Acc., all nodes shared out", "ours, private-centrality", "ours, uniform")  # fmt: skip
        lines = []
        for own_objective, own_prompt, backbone, dataset, row in rows:
            if (own_objective, own_prompt) == (objective, prompt):
                uniform, plain, open_, weighted, ranked = map(read, row)
                bounds = [percent(plain, name) for name in ("lower_bound", "ensemble_accuracy", "upper_bound")]
                theirs = [priced(plain), priced(open_), priced(weighted)]
                own = [percent(uniform, "ensemble_accuracy"), priced(ranked), priced(uniform)]
                lines.append((backbone, dataset, *bounds, *theirs, *own))
        return table(f"{title}: {objective}, {prompt}.", heads, lines, names=2)

    return Part("overview", tuple(cells), text)


def by_queries(datasets: Sequence[str]) -> Part:
    """Figure 7: accuracy against the number of queries (DGI, All-in-one, GAT on cora)."""
    titles = ("ours, uniform", "DP-GPL as published", "DP-GPL+W as published", "ours, private-centrality")
    options = tuned("all-in-one")
    at = {
        queries: (
            ours("cora", "gat", "uniform", {**options, "queries": queries}),
            published("cora", "gat", "uniform", options, queries),
            published("cora", "gat", "centrality", options, queries),
            ours("cora", "gat", "private-centrality", {**options, "queries": queries}),
        )
        for queries in QUERIES
    }

    def text(read: Read, _: RunStore) -> str:
        title = "Figure 7: cora, gat, dgi, all-in-one; columns are numbers of queries."
        lines = [(name, *(priced(read(at[queries][row])) for queries in QUERIES)) for row, name in enumerate(titles)]
        return table(title, ("setting", *map(str, QUERIES)), lines, names=1)

    return Part("queries", tuple(cell for row in at.values() for cell in row), text)


def by_weight(datasets: Sequence[str]) -> Part:
    """Figure 8 and Tables 13 to 15: accuracy and the range of epsilon against w_max (DGI, All-in-one)."""
    rows = [
        (
            dataset,
            backbone,
            title,
            [make(dataset, backbone, weighting, {**tuned("all-in-one"), "w_max": w_max}) for w_max in W_MAX],
        )
        for dataset in datasets
        for backbone in BACKBONES
        for title, weighting, make in (
            ("DP-GPL+W as published", "centrality", published),
            ("ours, private-centrality", "private-centrality", ours),
        )
    ]

    def text(read: Read, store: RunStore) -> str:
        title = (
            "Figure 8 and Tables 13 to 15: dgi, all-in-one; columns are w_max, in brackets the sound "
            "epsilons of teachers."
        )
        lines = [
            (
                dataset,
                backbone,
                name,
                *(f"{percent(records)} {_range(store, records)}".strip() for records in map(read, cells)),
            )
            for dataset, backbone, name, cells in rows
        ]
        return table(title, ("graph", "network", "setting", *(f"{w_max:g}" for w_max in W_MAX)), lines, names=3)

    return Part("weights", tuple(cell for *_, row in rows for cell in row), text)


def distribution(datasets: Sequence[str]) -> Part:
    """Figure 9: how epsilon is spread over the teachers (DGI, All-in-one, GAT), from the records of seed
    0."""
    rows = [
        (dataset, title, cell)
        for dataset in datasets
        for title, cell in zip(
            ("DP-GPL+W as published", "ours, private-centrality"),
            settings(dataset, "gat", tuned("all-in-one"))[3:],
            strict=True,
        )
    ]

    def text(read: Read, store: RunStore) -> str:
        heads = ("graph", "setting", "weights", "published epsilon: least", "median", "largest", "sound: "
                                                                                                 "least", "median",
                 "largest")  # fmt: skip
        lines = []
        for dataset, title, cell in rows:
            records = read(cell)
            if records:
                ensemble = Ensemble.load(store.folder(records[0].id))
                dependent, sound = (np.quantile(kind, (0, 0.5, 1)) for kind in (ensemble.dependent, ensemble.sound))
                quantiles = [*(f"{value:.3g}" for value in dependent), *(short(float(value)) for value in sound)]
                lines.append(
                    (dataset, title, f"{ensemble.weights.min():.2f} to {ensemble.weights.max():.2f}", *quantiles)
                )
        return table("Figure 9: epsilon over 200 teachers; gat, dgi, all-in-one, seed 0.", heads, lines, names=2)

    return Part("distribution", tuple(cell for *_, cell in rows), text)


def dpsgd(datasets: Sequence[str]) -> Part:
    """Table 6: a prompt by DP-SGD against shots and epsilon (cora, DGI, GPF-plus, GAT)."""
    options: Options = {"backbone": "gat", "prompt": "gpf-plus", "objective": "dgi"}
    at = {
        shots: [
            Cell.of("prompt", "cora", {**options, "shots": shots}),
            *(
                Cell.of("prompt-dpsgd", "cora", {**options, "shots": shots, "epsilon": epsilon, "delta": DELTA})
                for epsilon in EPSILONS
            ),
        ]
        for shots in SHOTS
    }

    def text(read: Read, _: RunStore) -> str:
        title = "Table 6: a prompt by DP-SGD; cora, gat, dgi, gpf-plus, shots a class."
        lines = [(str(shots), *(percent(read(cell)) for cell in row)) for shots, row in at.items()]
        return table(title, ("shots", "no privacy", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS)), lines, names=1)

    return Part("dpsgd", tuple(cell for row in at.values() for cell in row), text)


def gradients(datasets: Sequence[str]) -> Part:
    """Private gradients on all private nodes, beside votes of teachers: accuracy against epsilon."""
    options = tuned("gpf-plus", "edge-pred")
    rows = {
        (dataset, title): cells
        for dataset in datasets
        for title, cells in (
            ("dp-gpl, uniform", [ours(dataset, "gcn", "uniform", {**options, "epsilon": one}) for one in FRONTIER]),
            ("prompt-dpsgd", [Cell.of("prompt-dpsgd", dataset, {**GRADIENTS, "epsilon": one}) for one in FRONTIER]),
        )
    }

    def text(read: Read, _: RunStore) -> str:
        title = "All private nodes, gcn, edge-pred, gpf-plus; columns are sound epsilons."
        lines = [(*key, *(percent(read(cell)) for cell in row)) for key, row in rows.items()]
        return table(title, ("graph", "method", *(f"{epsilon:g}" for epsilon in FRONTIER)), lines, names=2)

    return Part("gradients", tuple(cell for row in rows.values() for cell in row), text)


def few_shot(datasets: Sequence[str]) -> Part:
    """Table 5: prompts against pre-training and fine-tuning, 5 nodes a class, no privacy (cora)."""
    prompts = ("gpf-plus", "all-in-one", "gppt")
    rows: dict[tuple[str, str], list[Cell]] = {}
    for backbone in BACKBONES:
        for objective in ("dgi", "graphmae", "edge-pred", "simgrace"):
            options: Options = {"backbone": backbone, "objective": objective, "shots": 5}
            rows[backbone, objective] = [
                Cell.of("fine-tune", "cora", options),
                *(Cell.of("prompt", "cora", {**options, "prompt": prompt}) for prompt in prompts),
            ]

    def text(read: Read, _: RunStore) -> str:
        lines = [(*key, *(percent(read(cell)) for cell in row)) for key, row in rows.items()]
        heads = ("network", "pre-training", "fine-tune", *prompts)
        return table("Table 5: 5 nodes a class without privacy; cora.", heads, lines, names=2)

    return Part("few-shot", tuple(cell for row in rows.values() for cell in row), text)


PARTS: Mapping[str, Callable[[Sequence[str]], Part]] = {
    "overview": overview,
    "gradients": gradients,
    "dpsgd": dpsgd,
    "queries": by_queries,
    "weights": by_weight,
    "distribution": distribution,
    "few-shot": few_shot,
}  # fmt: skip


def _range(store: RunStore, records: Sequence[RunRecord]) -> str:
    """The least and largest sound epsilon of a teacher, in the first seed's run."""
    if not records:
        return ""
    sound = Ensemble.load(store.folder(records[0].id)).sound
    return f"[{short(float(sound.min()))}, {short(float(sound.max()))}]"


def main() -> None:
    command(
        "DP-GPL and DP-GPL+W on graphs that are at hand.",
        PARTS,
        list(SETTINGS),
        TAG,
        AT_ONCE,
        Path(__file__).with_name("README.md"),
    )


if __name__ == "__main__":
    main()
