"""Which run the Teachers page is about: first its method, then the run, by what tells it from the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import streamlit as st

from privgraph.runs.records import RunRecord
from privgraph_workbench.facts.teacher_settings import TITLE_WEIGHTED, WEIGHTED, WEIGHTS
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import choosing, states
from privgraph_workbench.words import listing, markup, naming
from privgraph_workbench.words.numbers import percent

METHOD = "run.method"
BEHIND = {"privgnn": ("queries",), "dp-gpl": ("preset", "backbone")}
"""Options that stand at the end of a name, where runs of the method differ in them."""
HELP = (
    "Finished runs whose teachers' answers were kept: what they are grouped by, the sound ε of those who pay most, and "
    "how many public test nodes the student has right, on average over seeds. ★: begin here, the most accurate at an ε "
    "of at most 4 (of DP-GPL, with unequal weights: DP-GPL+W)"
)
LISTED = {**WEIGHTS, WEIGHTED: TITLE_WEIGHTED}
"""What runs are called in the list by their weights."""
LEADS: Mapping[str, tuple[str, ...]] = {"privgnn": ("release",), "pate": ("teacher", "noise"), "dp-gpl": ("weighting",)}
"""Methods with teachers, and the options by which their runs are grouped."""
STAR = "★ "
USUAL = 4.0
"""Epsilon up to which an example is shown unasked."""
Means = Mapping[str, tuple[float, int]]
"""The student's accuracy on average over the seeds of a run's setting, and their number, by the run's id."""


def show(records: Mapping[str, RunRecord], means: Means, instead: RunRecord | None = None) -> RunRecord:
    """The run that was chosen here or on the page before; else one's own newest, or a usual
    example. instead: a run that was asked for and cannot be shown, in whose place one of its method is."""
    groups = grouped(records.values())
    held = (st.query_params.get("run"), st.session_state.get("run"), st.session_state.get("before.run"))
    chosen = next((str(one) for one in held if one in records), None)
    if instead is not None and instead.spec.method in groups:
        chosen = st.session_state["run"] = first(groups[instead.spec.method]).id
    elif chosen is None:
        newest = next(iter(records.values()))
        chosen = st.session_state["run"] = first(groups[newest.spec.method]).id
    method = records[chosen].spec.method
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(groups) > 1:
            st.session_state[METHOD] = method
            st.segmented_control(
                "Method",
                list(groups),
                required=True,
                key=METHOD,
                format_func=naming.method_title,
                on_change=_switch,
                args=({name: first(members).id for name, members in groups.items()},),
                width="content",
                label_visibility="collapsed",
            )
        with st.container(width=430):
            name = choosing.one("Run (★ begin here)", titles(groups[method], means), "run", help=HELP)
        record = records[name]
        st.page_link(
            shell.page("train"), label="Open the run", icon=":material/open_in_new:", query_params={"run": record.id}
        )
        st.caption(
            f"{markup.literal(naming.data_title(record.spec.dataset))}, seed {record.spec.seed}", width="content"
        )
        states.badge(record, finished=True)
    return record


def _switch(runs: Mapping[str, str]) -> None:
    """The run of the method that was chosen which is shown unasked."""
    choosing.put("run", runs[st.session_state[METHOD]])


def grouped(records: Iterable[RunRecord]) -> dict[str, list[RunRecord]]:
    """The runs by method: one's own as they come, newest first; examples by what they release and epsilon."""
    groups: dict[str, list[RunRecord]] = {name: [] for name in LEADS}
    for one in records:
        groups[one.spec.method].append(one)
    return {name: _ordered(members) for name, members in groups.items() if members}


def _ordered(members: Sequence[RunRecord]) -> list[RunRecord]:
    return sorted(members, key=_place) if members[0].example else list(members)


def _place(record: RunRecord) -> tuple[list[str], float, float]:
    """Where an example stands in the list."""
    values = [str(record.spec.options.get(key)) for key in LEADS[record.spec.method]]
    places = [str(list(WEIGHTS).index(value)) if value in WEIGHTS else value for value in values]
    places.append(str(record.spec.options.get("preset", "own") != "own"))
    return places, _epsilon(record), -_accuracy(record)


def first(members: Sequence[RunRecord]) -> RunRecord:
    """The run of a method that is shown unasked: one's own newest; of examples the best."""
    return (best(members) if members[0].example else None) or members[0]


def best(members: Sequence[RunRecord]) -> RunRecord | None:
    """The most accurate run of usual epsilon, with unequal weights where there are such."""
    usual = [one for one in members if _epsilon(one) <= USUAL]
    return weighted(usual) or max(usual, key=_accuracy, default=None)


def weighted(records: Iterable[RunRecord]) -> RunRecord | None:
    """The most accurate run, of usual epsilon where there is one, in which teachers' weights differ and their
    nodes pay each for their own."""
    found = [one for one in records if one.spec.options.get("weighting") == WEIGHTED]
    return max(found, key=lambda one: (_epsilon(one) <= USUAL, _accuracy(one)), default=None)


def _epsilon(record: RunRecord) -> float:
    return float("inf") if record.statement is None else record.statement.epsilon


def _accuracy(record: RunRecord) -> float:
    return record.metrics.get("test_accuracy", 0.0)


def averages(records: Sequence[RunRecord]) -> Means:
    """The student's accuracy over the seeds of each setting, by the id of each run of it."""
    seeds: dict[str, dict[int, float]] = {}
    settings = {one.id: naming.setting(one) for one in records if "test_accuracy" in one.metrics}
    for one in records:
        if one.id in settings:
            seeds.setdefault(settings[one.id], {})[one.spec.seed] = one.metrics["test_accuracy"]
    return {name: (fmean(seeds[own].values()), len(seeds[own])) for name, own in settings.items()}


def titles(members: Sequence[RunRecord], means: Means | None = None) -> dict[str, str]:
    """What runs of one method are called, by id: first what they are grouped by, then epsilon and the
    student's accuracy over seeds, and what else they differ in,
    and with which example to begin."""
    method, star = members[0].spec.method, best([one for one in members if one.example])
    right = {name: percent(mean) for name, (mean, _) in (means or {}).items()}
    names = listing.led_by_options(members, LEADS[method], BEHIND.get(method, ()), LISTED, right)
    return {one.id: STAR * (one is star) + names[one.id] for one in members}
