"""Chosen runs side by side: what differs first, seeds of one setting as their mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph_workbench import live_plot
from privgraph_workbench.facts import composition
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.runs import compare, curves
from privgraph_workbench.figures.seeds import confidence
from privgraph_workbench.jobs import queue
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import layout, states
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words import differences, markup, meaning
from privgraph_workbench.words.naming import run_labels, settings_of, statements_of, unit_of
from privgraph_workbench.words.numbers import duration, option, percent, rounded_delta
from privgraph_workbench.words.statements import three_numbers

MOST_COMPARED = 6
NONE = "—"
ACCURACY = "test accuracy"
STAGES = (
    "Validation accuracy in training. Steps count over all stages of a method: where a curve falls to the level of "
    "guessing, its next stage began with a new network; where one begins late, the stages before it measured none."
)


def show(chosen: Sequence[RunRecord]) -> None:
    """What differs, and the figures."""
    if len(chosen) < 2:
        return
    st.markdown("### Side by side")
    together = composition.together(chosen)  # of all: who sees six of ten has been shown ten
    groups = settings_of(chosen)
    labels = _labels(groups)
    if len(groups) > MOST_COMPARED:
        what = "runs" if all(len(group) == 1 for group in groups) else "settings"
        st.info(f"Table and figures show the first {MOST_COMPARED} of {len(groups)} chosen {what}.")
        groups, labels = groups[:MOST_COMPARED], labels[:MOST_COMPARED]
    records = [one for group in groups for one in group]
    _table(comparison(records))
    if together:
        st.caption(together)
    rows = compare.data(records)
    statements = statements_of(records)
    live_plot.show(compare.plot(rows, layout.theme()), key="compare.bars")
    figure_exports("compare", rows, statements)
    points = [point for group, label in zip(groups, labels, strict=True) for point in _curve(group, label)]
    if points:
        live_plot.show(curves.plot(points, layout.theme()), key="compare.curves")
        figure_exports("curves", points, statements, name="compared", runs=records)
        st.caption(STAGES)


def _table(table: Mapping[str, Mapping[str, str]]) -> None:
    """What differs, with the results; what is the same for all, and options of one method alone, stand
    back."""
    apart, own, same = told_apart(table)
    st.table(_plain(apart))
    if same:
        st.caption("The same for all: " + " · ".join(f"{name} {value}" for name, value in same.items()) + ".")
    if any(own.values()):
        with layout.fold("Options that only some of these methods have", "own_options") as part:
            if part.open:
                st.table(_plain(own))


def _plain(table: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Cells are Markdown: ">100,000" would be a quotation of a smaller number."""
    return {
        markup.literal(label): {markup.literal(name): markup.literal(value) for name, value in column.items()}
        for label, column in table.items()
    }


def _labels(groups: Sequence[Sequence[RunRecord]]) -> list[str]:
    return run_labels([group[0] for group in groups], seeds=all(len(group) == 1 for group in groups))


def _curve(group: Sequence[RunRecord], label: str) -> list[Row]:
    """The validation accuracy along training, averaged where all runs of the setting have measured it;
    without stages, which other methods have not."""
    held: dict[object, list[Row]] = {}
    label += f" (mean of {len(group)} seeds)" if len(group) > 1 else ""
    for record in group:
        for point in curves.data(queue.store().events(record.id, kinds=("metric",)), run=label, limit=1000):
            if point["metric"] == "val_accuracy":
                held.setdefault(point["step"], []).append(point)
    return [
        {**points[0], "stage": "", "value": fmean(point["value"] for point in points)}
        for points in held.values()
        if len(points) == len(group)
    ]


def comparison(records: Sequence[RunRecord]) -> dict[str, dict[str, str]]:
    """Column by column: those settings in which the runs differ, then results and privacy. Seeds of one
    setting share a column, with their mean and its interval."""
    groups = settings_of(records)
    several = any(len(group) > 1 for group in groups)
    firsts = [group[0] for group in groups]
    asked = [differences.settings_of(record) for record in firsts]
    left = {"method", "unit", "delta"}  # a label names its method, and rows below what is protected, and δ
    left |= {"seed"} if several else set()
    names = [name for name in dict.fromkeys(name for one in asked for name in one) if name not in left]
    differ = [name for name in names if len({str(one.get(name, "")) for one in asked}) > 1]
    methods = dict.fromkeys(record.spec.method for record in firsts)
    table: dict[str, dict[str, str]] = {}
    for group, label, options in zip(groups, _labels(groups), map(differences.shown, firsts), strict=True):
        largest = max(
            (one.statement for one in group if one.statement is not None), key=lambda one: one.epsilon, default=None
        )
        seconds = [one.seconds for one in group if one.seconds is not None]
        table[label] = {
            **{differences.title(name, methods): option(options[name]) if name in options else NONE for name in differ},
            ACCURACY: _accuracy(group),
            **({"seeds": ", ".join(str(one.spec.seed) for one in group)} if several else {}),
            # whole: what an audited bound takes for granted goes wherever its number goes
            **(dict(three_numbers(largest)) if largest else {mark.title: NONE for mark in EPSILONS.values()}),
            "protects": meaning.UNITS[unit_of(group[0])],
            "δ": rounded_delta(largest.delta) if largest and largest.unit != "none" else NONE,
            "time": duration(fmean(seconds) if seconds else None),
            "state": ", ".join(dict.fromkeys(states.state_word(one.state) for one in group)),
        }
    return table


def told_apart(
    table: Mapping[str, Mapping[str, str]],
) -> tuple[dict[str, dict[str, str]], dict[str, dict[str, str]], dict[str, str]]:
    """The rows that are read side by side, those of options that some column has not, and what is the same in
    all. Accuracy and the sound epsilon are always read."""
    columns = list(table.values())
    kept = (ACCURACY, EPSILONS["sound"].title)
    results = list(columns[0])[list(columns[0]).index(ACCURACY) :]
    same, own = {}, []
    for name, value in columns[0].items():
        if name in kept:
            continue
        if all(column[name] == value for column in columns):
            same[name] = value
        elif name not in results and any(column[name] == NONE for column in columns):
            own.append(name)

    def part(wanted: Callable[[str], bool]) -> dict[str, dict[str, str]]:
        return {
            label: {name: value for name, value in column.items() if wanted(name)} for label, column in table.items()
        }

    said = {name: value for name, value in same.items() if value != NONE}
    return part(lambda name: name not in same and name not in own), part(lambda name: name in own), said


def _accuracy(group: Sequence[RunRecord]) -> str:
    held = [one.metrics["test_accuracy"] for one in group if "test_accuracy" in one.metrics]
    if not held:
        return NONE
    mean, low, high = confidence(held, most=1.0)
    return percent(mean) if low is None else f"{percent(mean)} ({percent(low)} to {percent(high)})"
