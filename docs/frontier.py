"""Draw what the study of the frontier has found: python -m docs.frontier"""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from privgraph.studies.frontier import EPSILONS, LEVELS, Run, accuracies, mean, read

HERE = Path(__file__).parent
DRAWN = {"edge": ("label-hist", "gap", "progap", "edge-rand", "mlp"), "node": ("label-hist", "gap", "progap", "dp-mlp")}
"""Methods of the figure: of each, the setting of the largest mean at each epsilon."""


def draw(runs: Sequence[Run], path: Path) -> None:
    """Accuracy by epsilon: a row of panels for each unit, a panel for each graph."""
    tests = accuracies(runs)
    covering = {"edge": LEVELS["edge"], "node": LEVELS["node"]}  # those that read others' edges promise less
    graphs = list(dict.fromkeys(run.graph for run in runs))
    figure = Figure(figsize=(2.1 * len(graphs), 4.6), layout="constrained")
    axes = figure.subplots(2, len(graphs), sharex=True, squeeze=False)
    for row, (unit, settings) in zip(axes, covering.items(), strict=True):
        for axis, graph in zip(row, graphs, strict=True):
            for name in DRAWN[unit]:
                best = [
                    max(
                        mean(tests.get((graph, unit, setting.name, epsilon), []))
                        for setting in settings
                        if setting.method == name
                    )
                    for epsilon in EPSILONS
                ]
                shown = [(epsilon, value) for epsilon, value in zip(EPSILONS, best, strict=True) if value >= 0]
                plain = name in ("mlp", "dp-mlp")
                style = (
                    {"color": "grey", "linestyle": ":" if name == "mlp" else "--"}
                    if plain
                    else {"color": f"C{DRAWN['edge'].index(name)}", "marker": "o"}
                )
                axis.plot(*zip(*shown, strict=True), label=name, markersize=3, **style) if shown else None
            axis.set_xscale("log", base=2)
            axis.set_xticks(EPSILONS, [f"{epsilon:g}" for epsilon in EPSILONS])
            axis.set_title(graph.removeprefix("fb100-") if unit == "edge" else "", fontsize=9)
            axis.tick_params(labelsize=7)
        row[0].set_ylabel(f"{unit} protected: accuracy in %", fontsize=8)
    handles = {one.get_label(): one for row in axes for axis in row for one in axis.get_lines()}
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=6, fontsize=8, frameon=False)
    figure.supxlabel("sound epsilon", fontsize=8)
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    draw(read(HERE / "frontier.csv"), HERE / "_static" / "frontier.png")
