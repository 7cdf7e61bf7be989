"""Published numbers around a person, between what they are on average with and without that person."""

from collections.abc import Sequence

import numpy as np

from privgraph_workbench.figures.chart import Axis, Chart, Row, Rows
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import marks, named, single
from privgraph_workbench.play import world as worlds


def data(
    told: Sequence[worlds.Rows],
    world: worlds.World,
    other: worlds.World,
    names: Sequence[str] = ("with", "without"),
    *,
    noisy: bool = True,
) -> list[Row]:
    """One row per number of the first hop that differs between the two worlds: label (person and group),
    published, with, without (its counts in either world, to which noise is added where it is `noisy`),
    names_with, names_without, noisy, more (how many numbers differ that are not among the rows).

    `told` is one release (`play.world.published`), of which the first draw is read.
    """
    means = [(one.adjacency @ worlds.first_rows(one))[0] for one in (world, other)]
    apart = np.abs(means[0] - means[1])
    places = [(int(who), int(group)) for who, group in zip(*np.nonzero(apart), strict=True)]
    places.sort(key=lambda place: (-apart[place], place))
    most, more = places[:8], len(places[8:])  # those that differ most, person by person and group by group
    people = list(dict.fromkeys(who for who, _ in most))
    drawn = sorted(most, key=lambda place: (people.index(place[0]), place[1]))
    shared = {"names_with": names[0], "names_without": names[1], "noisy": noisy, "more": more}
    return [
        {"label": f"{worlds.name(who)}: group {'ABC'[group]}", "published": float(told[0][0, who, group])}
        | {"with": float(means[0][who, group]), "without": float(means[1][who, group]), **shared}
        for who, group in drawn
    ]


@figure("told_numbers", "What was published around them", data, settings=True)
def chart(rows: Rows) -> Chart:
    first = rows[0]
    series = [marks(rows, "published", "label", name="published", slot=6, shape=3, size=12)]
    for slot, side in enumerate(("with", "without")):
        told = f"counted {first[f'names_{side}']}"
        series.append(marks(rows, side, "label", name=told, slot=slot, hollow=True, size=12))
    x = Axis(title=f"friends' hints at that group{' (noise may make them negative)' * first['noisy']}")
    return single(x, named(row["label"] for row in rows), series)
