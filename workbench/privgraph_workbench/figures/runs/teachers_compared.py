"""Settings of methods with teachers side by side: accuracy against the sound epsilon, with intervals."""

from collections.abc import Iterable

from privgraph.runs.records import RunRecord
from privgraph_workbench import theme
from privgraph_workbench.facts import teacher_settings
from privgraph_workbench.figures.chart import Chart, Look, Panel, Row, Rows, Series
from privgraph_workbench.figures.figure import figure
from privgraph_workbench.figures.marks import grouped, intervals, logarithmic, marks, pairs, percentages, placed
from privgraph_workbench.figures.palette import slots
from privgraph_workbench.figures.runs import tradeoff


def data(records: Iterable[RunRecord], opened: str = "") -> list[Row]:
    """One row per setting that guarantees something, the most accurate first: what `tradeoff.data` says of
    it, `weights`, `release`, `queries`, `teachers` (`teacher_settings`), `also` (what else tells it from
    others) and `open` (whether the run `opened` is one of its seeds). A method whose votes have unequal
    weights has a title of its own."""
    done = [record for record in records if record.state == "done" and "test_accuracy" in record.metrics]
    known, rest, rows = {record.id: record for record in done}, teacher_settings.rest(done), []
    for row in tradeoff.data(done):
        if placed(row["epsilon"]):
            ids = str(row["runs"]).split()
            own = {**teacher_settings.columns(known[ids[0]]), "also": rest[ids[0]], "open": opened in ids}
            rows.append({**row, **own})
    return sorted(rows, key=lambda row: (row["graph"], -row["mean"], row["epsilon"]))


@figure("teachers_compared", "Methods with teachers, compared", data, needs="runs", settings=True)
def chart(rows: Rows) -> Chart:
    """For each method a line through the settings that are more accurate than all of a smaller or equal
    epsilon, with their intervals; others are small."""
    colours = slots({row["title"]: row["method"] for row in sorted(rows, key=lambda row: str(row["title"]))})
    shapes = {release: at for at, release in enumerate(sorted(grouped(rows, "release")))}
    rows = [row for row in rows if row["epsilon"] <= tradeoff.LARGEST] or list(rows)
    y = percentages("student's accuracy (percent of public test nodes)", rows, "mean", "low", "high")
    panels, series = [], list[Series]()
    for place, (graph, held) in enumerate(grouped(rows, "graph").items()):
        x = logarithmic("sound ε per node (logarithmic)", (row["epsilon"] for row in held), least=10)
        panels.append(Panel(title=graph, x=x, y=y))
        for title, every in grouped(held, "title").items():
            own: Look = {"slot": colours[title], "panel": place}
            best: list[Row] = []
            for row in sorted(every, key=lambda row: (row["epsilon"], -row["mean"])):
                best += [row] if not best or row["mean"] > best[-1]["mean"] else []
            look: Look = {"legend": False, "group": title, **own}
            series += intervals(best, "epsilon", **look)
            series += [marks(best, "epsilon", "mean", name=title, kind="line", **look)] * (len(best) > 1)
            for release, of in grouped(every, "release").items():
                look = {"name": f"{title}: {release}", "shape": shapes[release], **own}
                look["hover"] = "title release weights mean low high seeds epsilon queries teachers also"
                series.append(marks([row for row in of if row in best], "epsilon", "mean", size=10, **look))
                look |= {"size": 6, "faint": True, "legend": False, "group": look["name"]}
                series.append(marks([row for row in of if row not in best], "epsilon", "mean", **look))
        ring: Look = {"slot": theme.NEUTRAL, "shape": theme.MARKERS.index("octagon"), "hollow": True, "size": 19.0}
        if opened := [row for row in held if row["open"]]:
            name = "ring: the setting that is open"
            series.append(marks(opened, "epsilon", "mean", name=name, panel=place, **ring))
    return pairs(panels, series, each=330)
