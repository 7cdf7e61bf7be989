"""Rows of the Accounting page's figures, from settings on a graph of made-up sizes."""

from __future__ import annotations

from privgraph.data.spec import PublicFacts
from privgraph_workbench.facts import method_costs
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.costs import cost, entry_costs, ledger, split
from privgraph_workbench.figures.noise import noise_shapes, precision, revealed_scale, terms

FACTS = PublicFacts(
    nodes=2000, edges=9000, entries=18000, features=32, classes=7, train_nodes=1500,
    domains=("one", "two"), entities=(1000, 1000), relations=(4500, 4500),
)  # fmt: skip


def rows() -> dict[str, list[Row]]:
    """Rows of every figure of the page, by the figure's name."""
    setting = method_costs.setting("gap", {"unit": "edge", "depth": 3}, FACTS)
    noise = setting.noise()
    said = setting.at(noise)
    curve = method_costs.along_noise(setting, noise)
    costs = method_costs.parts(said.ledger, said.delta)
    return {
        "cost": cost.data(
            [(one.x, one.epsilon, one.published) for one in curve.points], noise, setting.price.noise, handle=True
        ),
        "entry_costs": entry_costs.data([(part.entry.stage, part.alone, part.without) for part in costs], said.epsilon),
        "split": split.data(ledger.data(said.ledger, said.delta), movable=False),
        "noise_shapes": noise_shapes.data(),
        "precision": precision.data(10, 1e-5, {"this setting": 2.0}),
        "terms": terms.data([(k, -2.0 * k, 0.5 * k, 0.1 * k**2) for k in (0.0, 1.0, 2.0, 100.0)], 2.0),
        "revealed_scale": revealed_scale.data([(0.0, 0.5, 0.4, 0.45), (4.0, 0.01, 0.0, 1e-6)]),
    }
