"""Accuracy against epsilon, with confidence over seeds (Figure 2 of the ProGAP paper).

Each setting is drawn at two epsilons of the same noise, the sound one and the one as published, joined by a
thin line. Colour, dash and mark are a method's; the mark is filled at the sound epsilon, and hollow at the
published one. What has no epsilon is a grey level.
Epsilons of different privacy units are different promises: each unit of a graph has a panel of its own, and
`notes.mixed_units` has the sentence that stands beside both. A broad pale staircase is the Pareto front.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from privgraph.privacy.kinds import Neighbours
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import premise
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.axes import placed
from privgraph_workbench.figures.chart import Chart, Row, Series, empty
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.notes import badges_of, composed, mixed_units
from privgraph_workbench.figures.palette import slots
from privgraph_workbench.figures.runs import (
    guesses,
    tradeoff_axes,
    tradeoff_badges,
    tradeoff_marks,
    tradeoff_shown,
    tradeoff_table,
)
from privgraph_workbench.figures.runs.curve_names import curve_of, names
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.words.naming import (
    graph_of,
    method_title,
    network_of,
    nodes_of,
    reads_no_edge,
    setting,
    unit_of,
    variants,
)
from privgraph_workbench.words.numbers import percent

TITLE = "Accuracy against privacy"
ALIKE = 0.01
"""Epsilons of one budget differ by less than this share: each method's noise meets what was asked for to its
own last digits, which must not decide what is on the front."""
ENTRIES = 16
"""Curves and levels that a legend names at most; others are named where they are pointed at."""

# what other rooms read here
LARGEST, SMALL, TOGETHER = tradeoff_badges.LARGEST, tradeoff_axes.SMALL, tradeoff_table.TOGETHER
table, TABLE_TOLD = tradeoff_table.table, tradeoff_table.TOLD


def data(
    records: Iterable[RunRecord], metric: str = "test_accuracy", apart: Callable[[RunRecord], str] = setting
) -> list[Row]:
    """One row per setting (equal but for the seed), from the runs that are done and have the metric; `apart`:
    by what else runs of one setting have rows of their own.

    method, title, dataset, graph (in words: each has a panel of its own), nodes (of the graph; None: not
    known), network ("": the method leaves no choice), unit, variant (options that differ
    within the group), asked (the epsilon asked for; None where the noise was given), epsilon (sound) and
    epsilon_as_published (the largest over the seeds; None: no such number), mean, low, high (95% confidence
    over seeds; None for fewer than three), seeds (their number), test_nodes (on how many nodes each accuracy
    was measured; None: not known), reference (True: no epsilon to place it at, because nothing or everything
    is protected), data_dependent, evaluator (True: test labels are private), composed (how many of all these
    runs read the same people), epsilon_audited (the largest lower bound over the seeds that an attack has
    shown; None: none has), audit_premise (what that bound takes for granted), delta, released, release (its
    kind) and neighbours (of the statement; None: it has none), guess (what takes no learning; None: not
    known), gallery (how many of the seeds came with the program),
    noise_public (of one of them; None: nothing is protected), noise,
    noise_multiplier and noise_std (`tradeoff_table.noise_of` the seed with that sound epsilon), runs (ids),
    front (True: no other setting of this graph and unit, measured on as many nodes, has a higher mean at an
    epsilon that is no larger, or by less than 1%; what reads no edge stands at 0 among those that protect
    edges).
    """
    done = [record for record in records if record.state == "done" and metric in record.metrics]
    words, together, guessed = variants(done), composed(done), guesses.by_seed(done)
    groups: dict[str, list[RunRecord]] = {}
    for record in done:
        groups.setdefault(apart(record), []).append(record)
    rows = []
    for members in groups.values():
        first = members[0]
        mean, low, high = confidence([member.metrics[metric] for member in members], most=1.0)
        statements = [member.statement for member in members if member.statement is not None]
        sound = max((one.epsilon for one in statements), default=math.inf)
        published = [one.epsilon_as_published for one in statements if one.epsilon_as_published is not None]
        as_published = max(published, default=None)
        rows.append(
            {
                "method": first.spec.method,
                "title": method_title(first.spec.method),
                "dataset": first.spec.dataset,
                "graph": graph_of(first),
                "nodes": nodes_of(first),
                "network": network_of(first),
                "unit": unit_of(first),
                "variant": words[setting(first)],
                "asked": first.spec.asked_epsilon,
                "epsilon": sound,
                "epsilon_as_published": as_published,
                "mean": mean,
                "low": low,
                "high": high,
                "seeds": len(members),
                "test_nodes": _whole(first.metrics.get("test_nodes")),
                "reference": not (placed(sound) or placed(as_published)),
                "data_dependent": any(one.data_dependent for one in statements),
                "metric": metric,
                "evaluator": True,
                "composed": together[first.id],
                **_audited(statements),
                "delta": max((one.delta for one in statements), default=None),
                "released": statements[0].released if statements else None,
                "release": statements[0].release.value if statements else None,
                "neighbours": _relation(statements),
                "guess": guesses.of_setting(members, guessed),
                "gallery": sum(member.gallery for member in members),
                "noise_public": tradeoff_table.noise_public(statements),
                **tradeoff_table.noise_of(max(statements, key=lambda one: one.epsilon, default=None)),
                "runs": " ".join(member.id for member in members),
            }
        )
    return sorted(
        with_front(rows), key=lambda row: (row["graph"], row["method"], row["unit"], row["variant"], row["epsilon"])
    )


def with_front(rows: Sequence[Row]) -> list[Row]:
    """The rows, each with whether it is on the front of these."""
    return [{**row, "front": _on_front(row, rows)} for row in rows]


def _relation(statements: Sequence[PrivacyStatement]) -> str | None:
    """Under which relation of neighbouring datasets the epsilons of a setting hold."""
    kinds = {one.neighbours.value for one in statements}
    return None if not kinds else kinds.pop() if len(kinds) == 1 else Neighbours.UNKNOWN.value


def _audited(statements: Sequence[PrivacyStatement]) -> dict[str, object]:
    """The largest epsilon that an attack has shown of these, and what it takes for granted."""
    shown = [one for one in statements if one.epsilon_audited is not None]
    most = max(shown, key=lambda one: one.epsilon_audited or 0.0, default=None)
    return {
        "epsilon_audited": None if most is None else most.epsilon_audited,
        "audit_premise": "" if most is None else premise(most),
    }


def _on_front(row: Row, rows: Iterable[Row]) -> bool:
    """Whether nothing that may be compared with it is as private and more accurate, or as accurate and more
    private; epsilons within `ALIKE` of each other are as private. Of edges, what reads none of them is the
    most private."""
    held = list(rows)
    blind = tradeoff_marks.hides_edges(row)
    if not blind and not placed(row["epsilon"]):
        return False
    same, unit = [row[key] for key in ("graph", "test_nodes")], "edge" if blind else row["unit"]
    beside = [one for one in held if [one[key] for key in ("graph", "test_nodes")] == same]
    rivals = [(one["epsilon"], one["mean"]) for one in beside if one["unit"] == unit and placed(one["epsilon"])]
    if blind and not rivals:
        return False
    if unit == "edge":
        rivals += [(0.0, one["mean"]) for one in beside if tradeoff_marks.hides_edges(one)]
    epsilon, mean = 0.0 if blind else row["epsilon"], row["mean"]
    return not any(
        other <= (1 + ALIKE) * epsilon and reached >= mean and (other < epsilon or reached > mean)
        for other, reached in rivals
    )


def _style(row: Row) -> str:
    """What has one colour: a method looks the same whichever unit it protects, for each unit has a panel of
    its own."""
    return f"{row['title']}, {row['variant']}"


def chart(rows: Sequence[Row]) -> Chart:
    """One panel per graph and protected unit; epsilon on a logarithmic axis; references as levels. With both
    epsilons and the front, where the rows do not say otherwise (`shown`)."""
    if not rows:
        return empty(TITLE, "no finished run to compare yet")
    drawn = _everything(rows)
    if not rows[0].get("with_published", True):
        drawn = _sound(drawn, rows)
    if not rows[0].get("with_front", True):
        drawn = replace(drawn, series=tuple(one for one in drawn.series if one.group != tradeoff_marks.FRONT))
    return drawn


def _everything(rows: Sequence[Row]) -> Chart:
    """All that there is to draw."""
    graphs = list(dict.fromkeys(row["graph"] for row in rows))
    curves = list(dict.fromkeys(curve_of(row) for row in rows if not row["reference"]))
    levels = list(dict.fromkeys(curve_of(row) for row in rows if row["reference"]))
    called, beside = names(rows), any(row.get("gallery") for row in rows)
    rows = [tradeoff_marks.widened({**row, "own": tradeoff_marks.own(row) if beside else 0}) for row in rows]
    metric = rows[0]["metric"].replace("_", " ")
    parts = tradeoff_shown.panels_of(rows)
    ends = [tradeoff_axes.ends_of(held) for held in parts]
    panels, apart = tradeoff_axes.panels(parts, ends, metric)
    series: list[Series] = []
    first = sorted(rows, key=lambda row: -int(row.get("gallery", 0)))  # one's own take no colour away
    looks = {_style(row): row["method"] for row in first if not row["reference"]}
    styles = slots(looks, alike=len(set(looks.values())) > 1)  # of one method alone colours tell settings apart
    dashes = tradeoff_marks.dashes([row for row in rows if row["reference"]])
    own = {curve_of(row): styles[_style(row)] for row in rows if not row["reference"]}
    mixed = len({row["low"] is None for row in rows}) > 1
    for place, held in enumerate(parts):
        private = [row for row in held if not row["reference"]]
        for row in held:
            if row["reference"]:
                series += tradeoff_marks.level_band(row, place, ends[place])
        here = [curve for curve in curves if any(curve_of(row) == curve for row in private)]
        bars = tradeoff_marks.bars(len(here), ends[place], many=len(parts) > 1)
        for at, curve in enumerate(here):
            members = [row for row in private if curve_of(row) == curve]
            series += tradeoff_marks.rings(members, place)
            series += tradeoff_marks.curve(
                members, called[curve], own[curve], place, mixed=mixed, bars=bars[at], end=ends[place][1]
            )
        for level in levels:
            for row in held:
                if row["reference"] and curve_of(row) == level:
                    series.append(tradeoff_marks.level(row, called[level], dashes[level], place, ends[place]))
        series += tradeoff_marks.guess(held, place, ends[place])
        series += tradeoff_marks.front(held, place, ends[place])
    series, left = _named(series, [*levels[: tradeoff_shown.LEVELS], *curves, *levels[tradeoff_shown.LEVELS :]])
    series += tradeoff_marks.keys(series)
    warning = mixed_units(rows)
    badges = [warning] if warning else []
    if any(row["data_dependent"] for row in rows):
        badges.append("an ε shown here depends on the private data itself")
    badges += tradeoff_badges.other_nodes(parts)
    if rows[0].get("with_published", True):
        badges += tradeoff_badges.out_of_sight(parts, ends) + tradeoff_badges.refuted(rows)
    else:
        sound = [tradeoff_axes.ends_of(held, ("sound",)) for held in parts]
        badges += tradeoff_badges.out_of_sight(parts, sound, ("sound",))
    best = max(rows, key=lambda row: float(row["mean"]))
    highest = f" Highest: {called[curve_of(best)]} with {percent(best['mean'])} on {best['graph']}."
    if warning:  # guarantees for different units are not ranked
        highest = ""
    return Chart(
        title=TITLE,
        panels=panels,
        series=tuple(series),
        summary=f"Accuracy against epsilon for {len(rows)} settings on {', '.join(graphs)}.{highest}",
        badges=(*badges, *badges_of(rows)),
        beside=(*_advised(rows), *filter(None, [rows[0].get(TOGETHER, "")])),
        columns=2,
        wide=True,
        height=110 + 330 * math.ceil(len(parts) / 2),
        legend=True,
        reading=(reading := _reading(rows)),
        notes=(
            reading,
            *reads_none(rows),
            *tradeoff_marks.unseen_guess(parts, tradeoff_axes.places(rows)[0]),
            *agreeing(rows),
            *([f"{left} more curves have no room in the legend."] if left else []),
            *apart,
        ),
    )


plot = plotted(chart)


def shown(
    rows: Sequence[Row],
    *,
    published: bool,
    front: bool,
    advice: Mapping[str, str] = MappingProxyType({}),
    advised: str = "",
) -> list[Row]:
    """The rows of the same figure with or without the epsilons as published, and the Pareto front: its files
    are what is drawn, and say what to take: of a row where `advice` has it by the row's runs, and beside the
    figure the lines of `advised`, which the first row keeps."""
    drawn = {"with_published": published, "with_front": front}
    told = [{**row, **drawn, **({"advice": advice.get(row.get("runs", ""), "")} if advice else {})} for row in rows]
    return [
        {**row, tradeoff_shown.ADVISED: advised} if advised and not place else row for place, row in enumerate(told)
    ]


def _advised(rows: Sequence[Row]) -> list[str]:
    """What is said to take, by whichever row keeps it."""
    text = next((str(row[tradeoff_shown.ADVISED]) for row in rows if row.get(tradeoff_shown.ADVISED)), "")
    return text.split("\n") if text else []


def _sound(full: Chart, rows: Sequence[Row]) -> Chart:
    """The same with each method at its sound epsilon alone. Curves of which nothing is proved are left out,
    and named in a note."""
    curves = {(one.group, one.panel) for one in full.series if one.kind == "path"}
    proved = {(one.group, one.panel) for one in full.series if one.epsilon == "sound"}
    series = [
        one
        for one in full.series
        if ((one.group, one.panel) in proved or (one.group, one.panel) not in curves)
        and one.epsilon != "published"
        and one.name not in (tradeoff_marks.SAME_RUN, *tradeoff_marks.KEYS.values())
    ]
    called = names(rows)
    unproved = sorted({called[group] for group, panel in curves if (group, panel) not in proved})
    note = [f"No ε is proved for {'; '.join(unproved)}: not drawn here."] if unproved else []
    panels = []
    for panel, held in zip(full.panels, tradeoff_shown.panels_of(rows), strict=True):
        low, high = tradeoff_axes.ends_of(held, ("sound",))
        ticks = tradeoff_marks.ticks(held, low, high)
        panels.append(replace(panel, x=replace(panel.x, low=low, high=high, ticks=ticks)))
    return replace(full, panels=tuple(panels), series=tuple(series), notes=(*full.notes, *note))


def _reading(rows: Sequence[Row]) -> str:
    """What a mark is a mean of, and what bars and lines are."""
    least, most = (bound(row["seeds"] for row in rows) for bound in (min, max))
    count = f"{most} seed{'s' * (most > 1)}" if least == most else f"{least} to {most} seeds"
    told = [f"Means over {count}"]
    if any(row["low"] is not None for row in rows):
        ones = any(row["seeds"] == 1 and row["test_nodes"] and not row["reference"] for row in rows)
        of_one = ", of one seed by its test nodes" * ones
        told.append(f"bars and bands: 95% confidence (Student's t{of_one})")
        told += ["smaller marks: fewer than three seeds"] if any(row["low"] is None for row in rows) else []
    return f"{'; '.join([*told, 'a line: one method at several ε'])}."


def reads_none(rows: Sequence[Row]) -> list[str]:
    """Where edges are protected: that what reads none hides all of them. Its statement promises nothing."""
    blind = sorted({row["title"] for row in rows if row["unit"] == "none" and reads_no_edge(row["method"])})
    if not blind or not any(row["unit"] == "edge" for row in rows):
        return []
    names = " and ".join(blind)
    return [f"{names}: no edge is read, so that every edge is hidden without noise (ε = 0 for edges), and no person."]


def agreeing(rows: Sequence[Row]) -> list[str]:
    """What the bars are of points whose seeds agree, where there are such (`tradeoff_marks.widened`)."""
    if not any(row.get("agree") for row in rows):
        return []
    return ["Where all seeds agree, a bar is what the number of test nodes alone leaves open (95%)."]


def _whole(number: float | None) -> int | None:
    return None if number is None else round(number)


def _named(series: Sequence[Series], names: Sequence[str]) -> tuple[list[Series], int]:
    """The series with the first `ENTRIES` of these names in the legend, and how many were left out of it."""
    left = set(names[ENTRIES:])
    return [replace(one, legend=False) if one.group in left else one for one in series], len(left)
