"""What a figure finds, from its rows: the number, how sure it is, and what it means. Rows that an earlier
version kept may lack a column: then what hangs on it is not said."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from privgraph.registry import ATTACKS
from privgraph_workbench.facts.advising import HIDES
from privgraph_workbench.facts.stretches import BLIND
from privgraph_workbench.figures import chart_of
from privgraph_workbench.figures.attacks.attack_exposure import KINDS
from privgraph_workbench.figures.axes import placed
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import curves
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words.attacks import called
from privgraph_workbench.words.measures import ACCURACY, PREC, measure
from privgraph_workbench.words.naming import method_title
from privgraph_workbench.words.numbers import exact_percent, number, over_seeds, percent, stated
from privgraph_workbench.words.verdicts import BY_HEART, than_classes, than_guessing

LEADS = ("depth", "convergence", "teachers_compared", "agreement", "neighbourhood")
"""Figures whose summary begins with a sentence that says what is drawn, and no more."""
SOUND = EPSILONS["sound"].title
SIMILARITY = "similarity alone"
"""What attacks on edges find of a model that reads none."""


def of(figure: str, rows: Sequence[Row]) -> str:
    """The finding in plain text; of a figure that has none of its own here, what its summary says."""
    said = _FINDERS[figure](rows) if figure in _FINDERS and rows else ""
    if said:
        return said
    first, _, rest = chart_of(figure, rows).summary.partition(". ")
    said = rest if figure in LEADS and rest else f"{first}. {rest}" if rest else first
    for graph in {str(row["graph"]) for row in rows if row.get("graph")}:
        said = said.replace(f" on {graph}", "")  # its name has it
    return said


@dataclass(frozen=True, kw_only=True)
class Area:
    """What one attack found: the area under its curve, and the rarest true positive rate that can be told;
    `caveat`: what must be known of the attacked model, in short."""

    name: str
    asks: str
    area: tuple[float, float, float]
    private: bool
    guessing: bool
    classes: float | None = None
    rare: tuple[float, float] | None = None
    rare_between: tuple[float, float] | None = None
    confidence: float | None = None
    drawn: bool = True
    caveat: str = ""

    @property
    def words(self) -> str:
        """`AUC 0.623 (95% interval 0.601 to 0.645), TPR 3.2% at 1% FPR (1.0% to 5.5%)`."""
        area, low, high = map(number, self.area)
        sure = f"{exact_percent(self.confidence)} " if self.confidence else ""
        said = f"AUC {area} ({sure}interval {low} to {high})"
        if self.rare is None:
            return said
        between = "" if self.rare_between is None else " ({} to {})".format(*map(percent, self.rare_between))
        return f"{said}, TPR {percent(self.rare[1])} at {exact_percent(self.rare[0])} FPR{between}"

    @property
    def blind(self) -> bool:
        """Whether it is of edges, on a model that reads none: what it finds, similarity alone tells."""
        return self.classes is not None and self.name.startswith(method_title(BLIND))

    @property
    def means(self) -> str:
        """What that is: no proof where nothing is found."""
        if self.blind:
            return f"{SIMILARITY}, and no leak, for it reads no edge; true classes alone have {number(self.classes)}"
        if self.classes is not None:  # edges join nodes alike
            more = than_classes(self.area[1], self.area[2], self.classes)
            return f"{more} than the true classes alone tell of {self.asks} ({number(self.classes)})"
        if self.guessing:
            return f"no better than guessing {self.asks}, which is no proof that nobody can tell"
        undrawn = "" if self.drawn else "; who trains was not drawn at random, so others may differ by themselves"
        return f"{than_guessing(*self.area[:2])} than guessing {self.asks} (0.5){undrawn}"


def _areas(rows: Sequence[Row]) -> str:
    """Of each question on each graph the strongest attack, with what that means."""
    groups = areas(rows)
    apart = len({graph for _, graph in groups}) > 1
    return " ".join((f"On {graph}: " if apart else "") + _strongest(held) for (_, graph), held in groups.items())


def areas(rows: Sequence[Row]) -> dict[tuple[str, str], list[Area]]:
    """What the attacks of a figure found, by what they ask and the graph."""
    groups: dict[tuple[str, str], dict[str, Area]] = {}
    for row in rows:
        if row.get("curve", "attack") == "attack":
            groups.setdefault((str(row["asks"]), str(row.get("graph", ""))), {}).setdefault(row["attack"], _area(row))
    return {key: list(held.values()) for key, held in groups.items()}


def _area(row: Row) -> Area:
    low = round(row["area_low"], 3)
    return Area(
        name=row["attack"],
        asks=row["asks"],
        area=(row["area"], row["area_low"], row["area_high"]),
        private=not math.isinf(row["epsilon"]),
        guessing=bool(row.get("guessing", low <= 0.5)),
        classes=row.get("by_classes"),
        rare=_rare(row),
        rare_between=_between(row),
        confidence=row.get("confidence", 0.95 if "signed_rank" in row else None),  # areas: always at 95%
        drawn=bool(row.get("drawn", True)),
        caveat=str(row.get("caveat_short") or ""),
    )


def _rare(row: Row) -> tuple[float, float] | None:
    """The false positive rate and the true one at it."""
    false, true = ("rare_false", "rare_true") if "rare_false" in row else ("false_alarms", "found")
    return None if row.get(false) is None or row.get(true) is None else (row[false], row[true])


def _between(row: Row) -> tuple[float, float] | None:
    low, high = ("rare_low", "rare_high") if "rare_false" in row else ("found_low", "found_high")
    return None if row.get(low) is None or row.get(high) is None else (row[low], row[high])


def similarity(held: Sequence[Area]) -> str:
    """What similarity alone tells, in a sentence; "" where no model that reads no edge was attacked."""
    most = max((one.area[0] for one in held if one.blind), default=None)
    return "" if most is None else f"Similarity alone, by a model that reads no edge: AUC {number(most)}."


def _strongest(every: Sequence[Area]) -> str:
    held = [one for one in every if not one.blind] or every
    best = max(held, key=lambda one: one.area[0])
    lead = "" if len(held) == 1 else f"Strongest of {len(held)}: {best.name}. "
    said = [f"{lead}{best.words}: {best.means}."]
    private = [one for one in held if one.private]
    if not best.private and private:
        most = max(private, key=lambda one: one.area[0])
        said.append(
            f"With privacy {'at most' if len(private) > 1 else 'it is'} {most.name}: {most.words}, {most.means}."
        )
    alone = sum(one.guessing for one in private if one.classes is None)
    if len(private) > 1 and alone:
        of = "none" if alone == len(private) else f"{len(private) - alone}"
        said.append(f"Of {of} of the {len(private)} private runs more is found than by guessing.")
    return " ".join(filter(None, (*said, similarity(every) if held is not every else "")))


def _kept(rows: Sequence[Row]) -> str:
    """How many private runs keep it, which is the best of them, and of whom most is found."""
    private = [row for row in rows if not math.isinf(row["epsilon"])]
    kept = [row for row in private if row["kept"]]
    said = [
        f"{len(kept)} of {len(private)} private runs keep {rows[0]['asks']}, as far as these attacks tell; that is no "
        "proof."
    ]
    if kept:
        best = max(kept, key=lambda row: float(row["accuracy"]))
        does = f"{best['measure']} {percent(best['accuracy'])}"
        said.append(f"The most accurate of them: {_of_run(best)}, {does}, {_found(best)}.")
    if lost := [row for row in private if not row["kept"]]:
        worst = max(lost, key=lambda row: float(row["area"]))
        said.append(f"Most is found of {_of_run(worst)}: {_found(worst)}.")
    if bare := [row for row in rows if math.isinf(row["epsilon"])]:
        most = max(bare, key=lambda row: float(row["area"]))
        said.append(f"Without privacy at most {_of_run(most)}: {_found(most)}.")
    return " ".join(said)


def _of_run(row: Row) -> str:
    own = "" if math.isinf(row["epsilon"]) else f" at {SOUND} {stated('sound', row['epsilon'])}"
    return f"{row['method']}{own}"


def _found(row: Row) -> str:
    """What an attack found of a run: its area, its rate at few false positives, and which attack it was."""
    by = f" by {called(row['attack_name'])}" if row.get("attack_name") in ATTACKS else ""
    rare = row.get("found_at_1_percent")
    said = "" if rare is None else f", TPR {percent(rare)} at 1% FPR"
    return f"AUC {number(row['area'])} (95% interval {number(row['area_low'])} to {number(row['area_high'])}){said}{by}"


def _exposure(rows: Sequence[Row]) -> str:
    """Which group is exposed most, and whether any is more than by chance."""
    most = max(rows, key=lambda row: float(row["exposure"]))
    of = f"{KINDS[most['kind']].removeprefix('by ')} {most['name']}"
    between = f" (interval {number(most['low'])} to {number(most['high'])})" if most.get("low") is not None else ""
    said = [f"Most exposed: {of}, with a mean exposure of {number(most['exposure'])}{between}, where chance is 0.5."]
    if all(row.get("low") is not None for row in rows):
        above = sum(row["low"] > 0.5 for row in rows)
        said.append(
            f"In {above} of {len(rows)} groups that is more than chance explains."
            if above
            else f"In none of {len(rows)} groups is it more than chance explains."
        )
    if most.get("similarity"):
        without = most.get("without")
        beside = "" if without is None else f": a perceptron, which reads no edge, has {number(without)} there"
        said.append(f"Part of it is similarity, for edges join nodes alike{beside}.")
    return " ".join(said)


def _scores(rows: Sequence[Row]) -> str:
    """How far the scores of both sides lie apart."""
    common = sum(min(row["share_members"], row["share_others"]) for row in rows)
    members, others = rows[0]["members_are"], rows[0]["others_are"]
    return (
        f"The scores of {members} and of {others} have {percent(common)} in common: of these nobody can tell by the "
        "score on which side they are."
    )


def _map(rows: Sequence[Row]) -> str:
    """How many are found before all others, and how many of them by chance."""
    first = next((row for row in rows if row["kind"] == "node"), None)
    if first is None:
        return ""
    return (
        f"{first['ahead']:,} training nodes are found before all {first['others']:,} others, where chance alone puts "
        f"about {number(first['by_chance'], 2)}."
    )


def _curves(rows: Sequence[Row]) -> str:
    """Which model was kept; where the curves end, and whether training nodes were learnt by heart."""
    runs = list(dict.fromkeys(row["run"] for row in rows))
    ends = [_end(run, [row for row in rows if row["run"] == run]) for run in runs[: curves.TOLD_APART]]
    ends += [f"and {len(runs) - len(ends)} more"] if len(runs) > len(ends) else []
    at = f"At the last step {'; '.join(filter(None, ends))}." if any(ends) else ""
    return " ".join(filter(None, (curves.kept_words(rows), at)))


def _end(run: str, rows: Sequence[Row]) -> str:
    last: dict[str, float] = {}
    for row in sorted(rows, key=lambda row: float(row["step"])):
        if row["metric"].endswith("accuracy"):
            last[row["metric"]] = row["value"]
    said = ", ".join(
        f"{curves.title(name, rows[0].get('measure', ACCURACY))} {percent(value)}" for name, value in last.items()
    )
    trained, checked = last.get("train_accuracy"), last.get("val_accuracy")
    heart = trained is not None and checked is not None and trained - checked > BY_HEART
    by_heart = " (training nodes are learnt by heart)" * heart
    return f"{f'{run}: ' * bool(run and said)}{said}{by_heart}"


def _accuracies(rows: Sequence[Row], mean: str) -> str:
    """The most accurate setting that hides each unit, where there are several, and without privacy, graph by
    graph: guarantees of different units are not ranked."""
    scored = [row for row in rows if row.get(mean) is not None]
    graphs = list(dict.fromkeys(str(row["graph"]) for row in scored))
    titles = {graph: graph.partition(" (")[0] for graph in graphs}  # the sizes stand below the figure
    called = titles if len(set(titles.values())) == len(graphs) else dict(zip(graphs, graphs, strict=True))
    told = [_on_graph([row for row in scored if row["graph"] == graph], mean) for graph in graphs]
    return " ".join(
        f"{f'On {called[graph]}: ' * (len(graphs) > 1)}{said}."
        for graph, said in zip(graphs, told, strict=True)
        if said
    )


def _on_graph(rows: Sequence[Row], mean: str) -> str:
    groups = {HIDES[unit]: [row for row in rows if row["unit"] == unit] for unit in HIDES}
    bare = [row for row in rows if row["unit"] == "none"]
    relations = {measure(str(row.get("method", ""))) for row in rows} == {PREC}
    most = f"highest {PREC} " if relations else "most accurate "
    said = [f"{most * (len(held) > 1)}hiding {what}: {_best(held, mean)}" for what, held in groups.items() if held]
    said += [f"without privacy: {_best(bare, mean)}"] if bare else []
    whole = "; ".join(said)
    return f"{whole[:1].upper()}{whole[1:]}"


def _best(rows: Sequence[Row], mean: str) -> str:
    """A setting with its sound epsilon, its accuracy and the interval over seeds."""
    row = max(rows, key=lambda one: float(one[mean]))
    own = f" at {SOUND} {stated('sound', row['epsilon'])}" if placed(row["epsilon"]) else ""
    of = row["title"] + (f" ({row['variant']})" if row.get("variant") else "")
    return f"{of}{own}, {over_seeds(row[mean], row['low'], row['high'], row['seeds'])}"


_FINDERS: Mapping[str, Callable[[Sequence[Row]], str]] = {
    "attack_roc": _areas,
    "attack_areas": _areas,
    "attack_kept": _kept,
    "attack_exposure": _exposure,
    "attack_scores": _scores,
    "attack_map": _map,
    "curves": _curves,
    "tradeoff": lambda rows: _accuracies(rows, "mean"),
    "compare": lambda rows: _accuracies(rows, "test_accuracy"),
}
"""How a figure's finding is read, for those whose summary says it in pieces or behind something else."""
