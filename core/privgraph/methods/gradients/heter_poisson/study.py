"""HeterPoisson's tables and figures on graphs that are at hand, as stored runs: python -m
privgraph.methods.gradients.heter_poisson.study.

Everything that it trains is a run of the store, so that the Runs and Trade-offs pages show it, and an
interrupted study goes on where it was. Tables are made of whatever runs are done: mean and standard deviation
over seeds (a seed draws the split, the subgraphs, the noise and the initial weights). The paper's PubMed and
Reddit are not at hand: cora stands in. All methods see the same splits.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from privgraph.options import Scalar
from privgraph.runs.store import RunStore
from privgraph.studies.cells import Cell, Options, Part, Read, command, percent, priced, table

TAG = "study-heterpoisson"
DATA = ("facebook-pages", "twitch-de", "amazon-computers", "cora")
NETWORKS = ("gcn", "gin", "sage")
EPSILONS = (2.0, 4.0, 8.0, 16.0)
AT_ONCE = 12
"""Cells that are trained before tables are made anew."""
PUBLISHED: Options = {"preset": "as-published", "neighbours": 2}
"""The paper's settings; its M is the best of 1 to 4, 2 in the reference run of its code."""
SHARED: Options = {"neighbours": 2, "epochs": 9}
"""What the noise kinds and the rule are compared with: the paper's passes and M."""
NEIGHBOURS = (0, 1, 2, 4)
TEST_NEIGHBOURS = (0, 1, 4, 13)


def ours(dataset: str, epsilon: float, **given: Scalar) -> Cell:
    """The method's defaults at a sound epsilon."""
    return Cell.of("heter-poisson", dataset, {"epsilon": epsilon, **given})


def as_published(dataset: str, epsilon: float, network: str = "gcn") -> Cell:
    """The paper's noise, rule and settings, at its own epsilon."""
    return Cell.of("heter-poisson", dataset, {**PUBLISHED, "network": network, "epsilon": epsilon})


def comparison(datasets: Sequence[str]) -> Part:
    """Table 2: accuracy at each epsilon, ours and the baselines."""
    makers: Mapping[str, Callable[[str, float], Cell]] = {
        "naive DP-SGD (dp-mlp)": lambda data, epsilon: Cell.of("dp-mlp", data, {"epsilon": epsilon}),
        "GAP, corrected": lambda data, epsilon: Cell.of(
            "gap", data, {"unit": "node", "epsilon": epsilon, "own_rows": True}
        ),
        "GAP": lambda data, epsilon: Cell.of("gap", data, {"unit": "node", "epsilon": epsilon}),
        "NDP (dp-gnn)": lambda data, epsilon: Cell.of("dp-gnn", data, {"epsilon": epsilon}),
        **{f"as published, {network}": _published_with(network) for network in NETWORKS},
        **{f"ours, {network}": _ours_with(network) for network in NETWORKS},
        "ours, gcn, M = 0": lambda data, epsilon: ours(data, epsilon, neighbours=0),
        "no privacy, gcn": lambda data, _: Cell.of("heter-poisson", data, {"unit": "none"}),
    }
    rows = [
        (dataset, title, [make(dataset, epsilon) for epsilon in EPSILONS])
        for dataset in datasets
        for title, make in makers.items()
    ]
    cells = dict.fromkeys(cell for *_, row in rows for cell in row)

    def text(read: Read, _: RunStore) -> str:
        title = (
            "Table 2: columns are epsilons. Sound ones, but for the rows as published, whose epsilon is the "
            "paper's own and which no proof covers."
        )
        told = [(dataset, name, *(percent(read(cell)) for cell in row)) for dataset, name, row in rows]
        return table(title, ("graph", "method", *(f"{epsilon:g}" for epsilon in EPSILONS)), told, names=2)

    return Part("comparison", tuple(cells), text)


def _published_with(network: str) -> Callable[[str, float], Cell]:
    return lambda data, epsilon: as_published(data, epsilon, network)


def _ours_with(network: str) -> Callable[[str, float], Cell]:
    return lambda data, epsilon: ours(data, epsilon, network=network)


def noises(datasets: Sequence[str]) -> Part:
    """Figure 5: kinds of noise, and who counts what it costs."""
    kinds: Mapping[str, Options] = {
        "spherical Laplace, published": {"noise": "spherical-laplace"},
        "Gaussian, published (Renyi)": {"accounting": "published"},
        "Gaussian, sound": {},
    }
    rows = [
        (dataset, title, [ours(dataset, epsilon, **SHARED, exclusive=True, **kind) for epsilon in EPSILONS])
        for dataset in datasets
        for title, kind in kinds.items()
    ]

    def text(read: Read, _: RunStore) -> str:
        title = (
            "Figure 5: kinds of noise, with the rule, M = 2 and 9 passes; columns are the epsilons that "
            "noise is calibrated to."
        )
        told = [(dataset, name, *(priced(read(cell)) for cell in row)) for dataset, name, row in rows]
        return table(title, ("graph", "noise", *(f"{epsilon:g}" for epsilon in EPSILONS)), told, names=2)

    return Part("noise", tuple(cell for *_, row in rows for cell in row), text)


def rule(datasets: Sequence[str]) -> Part:
    """Figure 6: with the central/peripheral rule and without it."""
    kinds: Mapping[str, Options] = {
        "Gaussian, sound": {},
        "spherical Laplace, published": {"noise": "spherical-laplace"},
    }
    rows = [
        (
            dataset,
            title,
            "enforced" if enforced else "not enforced",
            [ours(dataset, epsilon, **SHARED, exclusive=enforced, **kind) for epsilon in EPSILONS],
        )
        for dataset in datasets
        for title, kind in kinds.items()
        for enforced in (True, False)
    ]

    def text(read: Read, _: RunStore) -> str:
        title = (
            "Figure 6: the rule that no central node is peripheral; M = 2 and 9 passes; columns are "
            "epsilons as counted."
        )
        told = [(dataset, kind, which, *(percent(read(cell)) for cell in row)) for dataset, kind, which, row in rows]
        return table(title, ("graph", "noise", "rule", *(f"{epsilon:g}" for epsilon in EPSILONS)), told, names=3)

    return Part("rule", tuple(cell for *_, row in rows for cell in row), text)


def neighbourhoods(datasets: Sequence[str]) -> Part:
    """Figure 7: M against N_test, at a sound epsilon of 2 and without privacy (gcn)."""
    at = {
        (dataset, budget, many): [
            ours(dataset, 2.0, neighbours=many, test_neighbours=few, **given) for few in TEST_NEIGHBOURS
        ]
        for dataset in datasets
        for budget, given in (("2", {}), ("∞", {"unit": "none"}))
        for many in NEIGHBOURS
    }

    def text(read: Read, _: RunStore) -> str:
        title = "Figure 7: rows are M, columns are N_test; gcn."
        told = [(*map(str, key), *(percent(read(cell)) for cell in row)) for key, row in at.items()]
        return table(title, ("graph", "epsilon", "M", *map(str, TEST_NEIGHBOURS)), told, names=3)

    return Part("neighbourhoods", tuple(cell for row in at.values() for cell in row), text)


PARTS: Mapping[str, Callable[[Sequence[str]], Part]] = {
    "comparison": comparison,
    "noise": noises,
    "rule": rule,
    "neighbourhoods": neighbourhoods,
}


def main() -> None:
    command(
        "HeterPoisson on graphs that are at hand.", PARTS, DATA, TAG, AT_ONCE, Path(__file__).with_name("README.md")
    )


if __name__ == "__main__":
    main()
