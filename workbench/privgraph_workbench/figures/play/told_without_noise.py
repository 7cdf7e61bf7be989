"""What is published around a person without noise, beside what it would be had they never joined."""

import numpy as np

from privgraph_workbench.figures.chart import Chart, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.play import told_numbers
from privgraph_workbench.play import world as worlds


def data(who: int = 5, people: int = 120, alike: float = 0.85, b: float = 0.0, seed: int = 0) -> list[Row]:
    """The rows of `told_numbers` for one release of a world with person `who`, with Laplace noise of scale
    `b` (0: none). Raises `ValueError` where there is no such person."""
    if not 0 <= who < people:
        raise ValueError(f"who must lie between 0 and {people - 1} (got {who})")
    world = worlds.make_world(people, alike)
    told = worlds.published(world, b, 1, 1, np.random.default_rng(seed))
    name = worlds.name(who)
    return told_numbers.data(told, world, world.without(who), (f"with {name}", f"without {name}"), noisy=b > 0)


@figure("told_without_noise", "Published numbers around a person", data, settings=True)
def chart(rows: Rows) -> Chart:
    return told_numbers.chart(rows)
