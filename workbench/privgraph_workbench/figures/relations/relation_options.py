"""How well relations are predicted as one option after another is moved, and all else stays (Figures 2 and 3
of the paper): negatives, batch size with the learning rate, clip, steps, noise and budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from privgraph.runs.graph_id import GraphId
from privgraph.runs.records import RunRecord
from privgraph_workbench.figures.chart import Axis, Chart, Panel, Row, Series, band, empty, percentages, shared
from privgraph_workbench.figures.drawing.with_plotly import plotted
from privgraph_workbench.figures.notes import badges_of, composed
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.theme import NEUTRAL
from privgraph_workbench.words.naming import unit_of
from privgraph_workbench.words.numbers import number, percent
from privgraph_workbench.words.settings import chosen

TITLE = "What moves PREC@1, all else equal"
METHOD = "relational"


@dataclass(frozen=True, kw_only=True)
class Moved:
    """An option whose values are compared: its name in a spec, and in words with its unit. `lines` is another
    option of which each value has a curve of its own."""

    option: str
    title: str
    lines: str = ""


MOVED = (
    Moved(option="negatives", title="negatives k (texts a relation)"),
    Moved(option="batch_size", title="batch size b (relations)", lines="learning_rate"),
    Moved(option="clip", title="clip C (norm of a gradient)"),
    Moved(option="steps", title="steps T"),
    Moved(option="noise_multiplier", title="noise multiplier σ (clips)"),
    Moved(option="epsilon", title="sound ε that the noise is calibrated to"),
)
PRIVATE = ("clip", "noise_multiplier", "epsilon")
"""Options that nothing reads where nothing is protected."""
LEFT = ("learning_rate",)
"""Options that a method may choose, whose values are compared with those that people choose."""
UNREAD = ("accounting", "delta", "shots")
"""Options that move neither training nor the prediction without relations of the domain."""


def data(records: Iterable[RunRecord], asked: RunRecord | None = None) -> list[Row]:
    """One row per option and value: option, title, value, line (the value of the second option, or ""), mean,
    low, high (of PREC@1 over seeds, at 95% confidence; None for fewer than three), mrr (mean), seeds, own (it
    is the value of the run that is `asked`, by default the first), base (PREC@1 of the base encoder,
    a mean where it was judged anew with each seed), unit,
    epsilon (the largest sound one), evaluator, composed. An option that has one value alone has no row."""
    held = list(records)
    asked = asked or next((one for one in held if _judged(one)), None)
    if asked is None:
        return []
    found = compared(held, asked)
    bases = {one.id: one.metrics.get("base_accuracy") for members in found.values() for one in members}
    known = {one for one in bases.values() if one is not None}
    base = sum(known) / len(known) if known else None
    most = max(composed(one for members in found.values() for one in members).values(), default=0)
    rows: list[Row] = []
    for (moved, line, value), members in found.items():
        mean, low, high = confidence([one.metrics["test_accuracy"] for one in members], most=1.0)
        statements = [one.statement for one in members if one.statement is not None]
        rows.append(
            {
                "option": moved.option,
                "title": moved.title,
                "value": value,
                "line": line,
                "mean": mean,
                "low": low,
                "high": high,
                "mrr": sum(one.metrics["test_mrr"] for one in members) / len(members),
                "seeds": len(members),
                "own": any(one.id == asked.id for one in members),
                "base": base,
                "unit": unit_of(asked),
                "epsilon": max((one.epsilon for one in statements), default=None),
                "evaluator": True,
                "composed": most,
            }
        )
    return rows


def compared(records: Iterable[RunRecord], asked: RunRecord) -> dict[tuple[Moved, str, float], list[RunRecord]]:
    """The runs that differ from the asked one in an option, in that of its lines, and in nothing else but the
    seed; by option (that of most values first), line and
    value."""
    if not _judged(asked):
        return {}
    place, unit = GraphId.of(asked.spec), unit_of(asked)
    held = [one for one in records if _judged(one) and (GraphId.of(one.spec), unit_of(one)) == (place, unit)]
    options: list[dict[tuple[Moved, str, float], list[RunRecord]]] = []
    for moved in MOVED:
        if unit == "none" and moved.option in PRIVATE:
            continue
        groups: dict[tuple[str, float], list[RunRecord]] = {}
        for one in held:
            value = _value(one, moved.option)
            if value is not None and _fixed(one, moved) == _fixed(asked, moved):
                line = "" if not moved.lines else f"{_options(one)[moved.lines]:g}"
                groups.setdefault((line, value), []).append(one)
        if len({value for _, value in groups}) > 1:
            options.append({(moved, line, value): groups[line, value] for line, value in sorted(groups)})
    options.sort(key=lambda one: -len({value for _, _, value in one}))
    return {key: members for one in options for key, members in one.items()}


def _judged(record: RunRecord) -> bool:
    return record.spec.method == METHOD and {"test_accuracy", "test_mrr"} <= set(record.metrics)


def _fixed(record: RunRecord, moved: Moved) -> tuple[object, ...]:
    """What must be equal of runs that are compared: all but the option, its lines, and the seed."""
    options = {name: value for name, value in _options(record).items() if name not in UNREAD}
    left = {moved.option, moved.lines}
    if unit_of(record) == "none":
        left |= {*PRIVATE}
    if moved.option in ("noise_multiplier", "epsilon") or float(options.get("noise_multiplier", 0)) > 0:
        left |= {"epsilon"}
    if moved.option == "epsilon":
        left |= {"noise_multiplier"}
    return tuple(sorted((name, value) for name, value in options.items() if name not in left))


def _options(record: RunRecord) -> dict[str, Any]:
    """The run's options, with the learning rate that it took where that was left to the method."""
    return {**record.spec.options, **{name: value for name, value in chosen(record).items() if name in LEFT}}


def _value(record: RunRecord, option: str) -> float | None:
    """The option's value; None where the run's noise was chosen by the other of noise and budget."""
    given = float(record.spec.options.get("noise_multiplier", 0)) > 0
    if (option == "noise_multiplier" and not given) or (option == "epsilon" and given):
        return None
    return float(record.spec.options[option])


def makes_curves(rows: Sequence[Row]) -> bool:
    """Whether there is more to see than two points: an option with three values, or several options."""
    values = {name: {row["value"] for row in rows if row["option"] == name} for name in {row["option"] for row in rows}}
    return len(values) > 1 or any(len(one) > 2 for one in values.values())


def chart(rows: Sequence[Row]) -> Chart:
    """A panel for each option: the mean of each value with its interval, the base encoder as a level, the run
    that was asked about as a hollow mark."""
    if not rows:
        return empty(TITLE, "no two runs here differ in one option alone")
    names = list(dict.fromkeys(row["option"] for row in rows))
    bounds = shared(
        [row[key] for row in rows if row["option"] == name for key in ("mean", "low", "high") if row[key] is not None]
        for name in names
    )
    plain = "mean over seeds" if any(row["seeds"] > 1 for row in rows) else "PREC@1, one seed"
    panels, series = [], []
    for place, name in enumerate(names):
        held = [row for row in rows if row["option"] == name]
        panels.append(
            Panel(
                x=Axis(title=held[0]["title"], scale="log", ticks=tuple(sorted({row["value"] for row in held}))),
                y=percentages("PREC@1 (percent)", bounds),
            )
        )
        base = held[0]["base"]
        if base is not None:
            values = [row["value"] for row in held]
            series.append(
                Series(
                    name="base encoder",
                    kind="level",
                    x=(min(values), max(values)),
                    y=(base,),
                    slot=NEUTRAL,
                    panel=place,
                    legend=place == 0,
                )
            )
        for slot, line in enumerate(dict.fromkeys(row["line"] for row in held)):
            points = sorted((row for row in held if row["line"] == line), key=lambda row: float(row["value"]))
            title = f"learning rate {line}" if line else plain
            series += band(points, "value", slot=slot, panel=place, group=title)
            sure = [row for row in points if row["low"] is not None]
            if sure:
                series.append(
                    Series(
                        name="95% confidence over seeds",
                        kind="links",
                        x=tuple(row["value"] for row in sure for _ in range(2)),
                        y=tuple(row[end] for row in sure for end in ("low", "high")),
                        slot=slot,
                        panel=place,
                        legend=False,
                        group=title,
                    )
                )
            series.append(
                Series(
                    name=title,
                    kind="path",
                    x=tuple(row["value"] for row in points),
                    y=tuple(row["mean"] for row in points),
                    slot=slot,
                    panel=place,
                    group=title,
                    legend=bool(line) or place == next(p for p, n in enumerate(names) if not _lined(rows, n)),
                    hover=tuple(_hover(row) for row in points),
                )
            )
        own = [row for row in held if row["own"]]
        series.append(
            Series(
                name="the run above",
                kind="points",
                x=tuple(row["value"] for row in own),
                y=tuple(row["mean"] for row in own),
                slot=2,
                panel=place,
                hollow=True,
                size=15,
                legend=place == 0,
            )
        )
    return Chart(
        title=TITLE,
        panels=tuple(panels),
        series=tuple(series),
        summary=_summary(rows, names),
        badges=badges_of(rows),
        height=330 * -(-len(panels) // 3),
        legend=True,
        notes=("Bars and bands: 95% confidence over seeds, where a value has three at least.",),
    )


plot = plotted(chart)


def _lined(rows: Sequence[Row], option: str) -> bool:
    return any(row["line"] for row in rows if row["option"] == option)


def _hover(row: Row) -> str:
    between = "" if row["low"] is None else f" ({percent(row['low'])} to {percent(row['high'])})"
    seeds = f"{row['seeds']} seed{'s' * (row['seeds'] > 1)}"
    return f"{row['title']}: {number(row['value'])}\nPREC@1 {percent(row['mean'])}{between}, {seeds}"


def _summary(rows: Sequence[Row], names: Sequence[str]) -> str:
    said = []
    for name in names:
        held = [row for row in rows if row["option"] == name]
        best, worst = (pick(held, key=lambda row: float(row["mean"])) for pick in (max, min))
        said.append(
            f"{held[0]['title']}, from {percent(worst['mean'])} at {number(worst['value'])} to {percent(best['mean'])} "
            f"at {number(best['value'])}"
        )
    return "PREC@1 as one option is moved: " + "; ".join(said) + "."
