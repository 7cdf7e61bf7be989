"""What the Train page says before anything runs: numbers that decide, what to expect, what is promised."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.data.sizes import known_facts
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.methods.base import Plan, filled_in
from privgraph.options import OptionError, UnknownName, build
from privgraph.runs.graph_id import GraphId
from privgraph.runs.launch import capacity
from privgraph.runs.memory import too_large
from privgraph.runs.records import RunRecord, StoreError
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench import live_plot
from privgraph_workbench.advice import BASELINE as BLIND
from privgraph_workbench.facts import datasets, expecting, plans
from privgraph_workbench.facts.expecting import BEYOND_RUNS, RELATIONS, Expected, Outlook
from privgraph_workbench.figures.runs import expected as figure
from privgraph_workbench.forms import beginnings, widgets
from privgraph_workbench.forms.again import CHANGED
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import beginning
from privgraph_workbench.serving import styles
from privgraph_workbench.text import texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.parts import layout
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.views.train import controls, promise, verdict
from privgraph_workbench.views.train.controls import Asked
from privgraph_workbench.words import markup
from privgraph_workbench.words.glossary import ADDED
from privgraph_workbench.words.naming import graph_title_of, method_title, statements_of
from privgraph_workbench.words.numbers import duration, kept_budget, number, option, percent, rounded_delta, stated

HIDDEN = {"none": "hides nothing", "edge": "hides connections", "node": "hides people"}
NOISE = {
    "aggregation_std": ("σ on sums over neighbours", 3),
    "gradient": ("σ on gradients", 3),
    "noise_std": ("σ on class sums", 3),
    "votes": ("σ on votes", 3),
    "one_to_one": ("an edge stays with chance", 2),
    "odds": ("odds of an invented edge", 2),
}
"""What the first noise of a plan is called, by its name there, and its digits."""


def preview(bar: DeltaGenerator, spec: DatasetSpec, chosen: beginnings.Choice, asked: Asked) -> None:
    """Fill the bar with the numbers and the button, and say below what they mean."""
    reasons: list[str] = []
    found: list[Plan] = []
    waiting = False
    if not asked.errors:
        try:
            found, waiting = _plans(spec, chosen, asked)
        except (OptionError, DataError) as error:
            reasons.append(str(error))
    if found and (refusal := too_large(max(plan.memory_mb for plan in found))):
        reasons.append(refusal)
    runs = [] if asked.errors or reasons else _specs(spec, chosen, asked)
    told = _outlook(runs[0], chosen) if runs else Outlook()
    took = _seconds(found, runs, asked) if runs else None
    said = verdict.verdicts(found, told, asked.epsilons) if runs else {}
    with bar:
        with st.container(key=f"{styles.BAR}-said"):
            st.markdown(_chosen(spec, chosen, asked))
            if poor := verdict.warning(said):
                st.warning(poor, icon=":material/trending_down:")
        row = st.container(
            key=f"{styles.BAR}-row", horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
        )
    with row:
        _numbers(found, told, asked, chosen)
        _run(runs, bool(asked.errors or reasons), took)
    for text in reasons:
        st.error(markup.sentence(text))
    if asked.errors:
        st.info(widgets.pointer(asked.errors), icon=":material/edit:")
    if waiting:
        st.info("The graph is being counted; the noise is shown when its size is known. You need not wait.", icon="⏳")
        st.fragment(_await_facts, run_every=1.0)(spec, asked)
    if asked.epsilons:
        but = {epsilon: one.short for epsilon, one in said.items()}
        asked.about.caption(controls.called(asked.epsilons, beginnings.lowered(chosen.method), but))
    left, right = layout.columns("before", 2)
    with left:
        if runs:
            _expect(told, asked, runs[0])
        if found:
            promise.work_of(found[0])
    with right:
        if found:
            promise.show(found, asked, runs)


def _plans(spec: DatasetSpec, chosen: beginnings.Choice, asked: Asked) -> tuple[list[Plan], bool]:
    """A plan for each budget; whether the graph is being counted. Raises `OptionError` and `DataError`."""
    method = chosen.method
    wanted = [{**asked.options.values, "epsilon": one} for one in asked.epsilons] or [dict(asked.options.values)]
    config = build(method.load_config(), wanted[0])
    facts = datasets.public_facts(spec, asked.data.values, asked.split)
    found = []
    if facts is not None:
        with st.spinner("Calibrating the noise"):
            found = [plans.plan(method.name, one, facts) for one in wanted]
    asked.options.fill_in(filled_in(config, found[0].statement if found else None))
    return found, facts is None


def _specs(spec: DatasetSpec, chosen: beginnings.Choice, asked: Asked) -> list[RunSpec]:
    """The runs that are asked for, budget by budget and seed by seed."""
    first = int(asked.setup.values["seed"])
    return [
        make_spec(
            chosen.method.name,
            spec.name,
            {**asked.options.values, **({"epsilon": epsilon} if epsilon is not None else {})},
            data_options=asked.data.values,
            split=asked.split,
            seed=seed,
            device=str(asked.setup.values["device"]),
        )
        for epsilon in _budgets(asked)
        for seed in range(first, first + int(asked.setup.values["seeds"]))
    ]


def _budgets(asked: Asked) -> list[float | None]:
    """The budgets; one None where nothing is protected."""
    return [*asked.epsilons] or [None]


def _outlook(run: RunSpec, chosen: beginnings.Choice) -> Outlook:
    methods = dict.fromkeys((run.method, chosen.method.without_privacy, BLIND))
    return expecting.outlook(expecting.finished(queue.store(), methods, run.dataset), run)


def _seconds(found: Sequence[Plan], runs: Sequence[RunSpec], asked: Asked) -> float | None:
    try:
        workers = max(1, capacity())
    except StoreError:
        workers = 1
    known = expecting.finished(queue.store(), [runs[0].method])

    def facts(run: RunSpec) -> PublicFacts | None:
        same = found and GraphId.of(run) == GraphId.of(runs[0])
        return found[0].facts if same else _facts(run)

    return expecting.seconds(found, runs[0], known, facts, int(asked.setup.values["seeds"]), workers)


def _facts(run: RunSpec) -> PublicFacts | None:
    """The sizes of a run's graph as far as they are known without counting."""
    try:
        return known_facts(dataset(run.dataset), run.data_options)
    except (DataError, OptionError, UnknownName):
        return None


# The bar


def _chosen(spec: DatasetSpec, chosen: beginnings.Choice, asked: Asked) -> str:
    """What Run would run, in a line: on a phone the choices themselves are out of sight."""
    said = [f"**{markup.literal(chosen.title)}** on **{markup.literal(spec.title)}**{_size(asked)}"]
    unit = str(asked.options.values.get("unit", "none"))
    said.append(HIDDEN.get(unit, unit))
    if asked.epsilons:
        said.append(f"ε {', '.join(option(one) for one in asked.epsilons)}")
    if (seeds := asked.setup.values.get("seeds")) is not None:
        said.append(f"{seeds} seed{'s' * (seeds != 1)}")
    return " · ".join(said)


def _size(asked: Asked) -> str:
    """How large the graph is where its form says that; of others the card does."""
    nodes = asked.data.values.get("nodes")
    return f", {nodes:,} nodes" if isinstance(nodes, int) else ""


def _numbers(found: Sequence[Plan], told: Outlook, asked: Asked, chosen: beginnings.Choice) -> None:
    """Epsilon, noise and expected accuracy, of all budgets that are asked for."""
    said = [plan.statement for plan in found]
    open_ = bool(said) and said[0].unit == "none"
    proved = [one.epsilon for one in said]
    kept = [kept_budget(one, two) or two for one, two in zip(_budgets(asked), proved, strict=False)]
    exact = _span([stated("sound", one) for one in proved])
    sound = "nothing" if open_ else _span([stated("sound", one) for one in kept])
    spending = f"will spend {exact} · " if sound != exact else ""
    st.metric(
        EPSILONS["sound"].title if not open_ else "Promised",
        sound,
        delta="" if open_ or not said else f"{spending}δ {rounded_delta(said[0].delta)}",
        delta_color="off",
        delta_arrow="off",
        help=f"What this noise will guarantee, by a proof that we stand for; smaller is more private. δ: {ADDED}.",
        width="content",
    )
    drawn = [*found[0].noise] if found else []
    name = next((one for one in NOISE if one in drawn), drawn[0] if drawn else "")
    label, digits = NOISE.get(name, (name.replace("_", " "), 3))
    st.metric(
        "Noise",
        _span([number(plan.noise[name], digits) for plan in found]) if name else ("none" if found else "—"),
        delta=label if name else "",
        delta_color="off",
        delta_arrow="off",
        help="How strong the noise is that the guarantee takes: its standard deviation, in the unit of what it is "
        "added to; or the chance with which an edge is reported as it is.",
        width="content",
    )
    shown = [one for one in map(told.told, _budgets(asked)) if one is not None]
    lacks = _unknown(told, asked)
    relations = RELATIONS in chosen.method.tasks
    said_of = f"{texts('runs')['prec']} " if relations else ""
    st.metric(
        "Expected PREC@1" if relations else "Expected accuracy",
        _span([percent(one.mean) for one in shown]) if shown else lacks[0],
        delta=" · ".join(filter(None, [_sure(shown), *(lacks if shown else lacks[1:]), _beside(told, asked)])),
        delta_color="off",
        delta_arrow="off",
        help=f"{said_of}What finished runs of this method on this graph, with these options, have reached: the "
        "mean over seeds, with its interval (of a single run that over its test nodes). Below and above the budgets "
        "of all runs it is unknown. Beside it what takes no learning (naming the largest class of the test nodes, "
        "which differs from that of all nodes, and between splits), what a model without edges reaches "
        "(an MLP, which hides no person), and what one without privacy does.",
        width="content",
    )


def _unknown(told: Outlook, asked: Asked) -> list[str]:
    """Why no run tells the accuracy of what is asked, and what is known instead; empty where one does."""
    if not told.points:
        return ["unknown", "no run tells yet"]
    at = [one for one in map(told.at, _budgets(asked)) if one is not None]
    if told.differs:
        near = [point for point in told.points if any(point in one.near for one in at)]
        where = "" if near[0].epsilon is None else f"at ε {_span([option(one.epsilon or 0.0) for one in near])} "
        return ["unknown", f"{where}with other options: {_span([percent(one.mean) for one in near])}"]
    ends = {one.how: one for one in at if one.how in BEYOND_RUNS}
    if not ends:
        return []
    places = {how: option(one.near[0].epsilon or 0.0) for how, one in ends.items()}
    return [
        f"unknown {' and '.join(f'{how} ε {end}' for how, end in places.items())}",
        *(f"at ε {places[how]}: {percent(one.mean)}" for how, one in ends.items()),
    ]


def _sure(shown: Sequence[Expected]) -> str:
    """The interval where there is one number, and from how few runs it is."""
    if len(shown) == 1:
        return verdict.sure(shown[0])
    few = min((near.seeds for one in shown for near in one.near), default=0)
    return f"from {few} run{'s' * (few != 1)} at each ε" if few else ""


def _span(texts: Sequence[str]) -> str:
    """One text, or the first and the last of several."""
    if not texts:
        return "—"
    return texts[0] if texts[0] == texts[-1] else f"{texts[0]} – {texts[-1]}"


def _beside(told: Outlook, asked: Asked) -> str:
    without = "no edges" if asked.options.values.get("unit") == "edge" else "no edges and not private"
    said = [
        f"{word} {100 * mean:.0f}%" if mean >= 0.01 else f"{word} {percent(mean)}"
        for word, mean in (
            ("guess" if told.relations else "guess on test nodes", told.majority),
            (without, told.blind.mean if told.blind else None),
            ("no privacy", told.bare.mean if told.bare else None),
        )
        if mean is not None
    ]
    return " · ".join(said)


def _run(runs: Sequence[RunSpec], wrong: bool, took: float | None) -> None:
    count = len(runs)
    several = len({run.options.get("epsilon") for run in runs}) > 1
    label = "Run" if count <= 1 else f"Run {count} runs" if several else f"Run {count} seeds"
    with st.container(key="go-and-time", width="content", gap=None):
        pressed = st.button(label, type="primary", key="go", disabled=wrong, icon=":material/play_arrow:")
        if runs:
            st.caption("no run tells the time" if took is None else f"about {duration(max(1.0, took))}")
            if count > 1:
                rest = "the second is" if count == 2 else "the others are"
                st.caption(f"The first opens; {rest} beside it on Runs.")
    if pressed:
        beginning.send(runs, changed=st.query_params.get(CHANGED, ""))


def _await_facts(spec: DatasetSpec, asked: Asked) -> None:
    """Draw the page again when the sizes are there, or cannot be had."""
    try:
        ready = datasets.public_facts(spec, asked.data.values, asked.split) is not None
    except DataError:
        ready = True
    if ready:
        st.rerun()


# What to expect


def _expect(told: Outlook, asked: Asked, run: RunSpec) -> None:
    """The accuracy that finished runs reached, over epsilon."""
    graph = markup.literal(graph_title_of(run))
    if not told.points:
        st.markdown("#### What accuracy to expect")
        st.info(
            f"No run of {method_title(run.method)} on {graph} is finished, so nobody knows what accuracy to expect. "
            "Yours will be the first."
        )
        return
    if not asked.epsilons:
        (point,) = told.points[:1]
        st.markdown("#### What accuracy to expect")
        st.markdown(f"**{percent(point.mean)}** on {graph}{_over(point.seeds)}: {_beside(told, asked)}.")
        st.caption(_from(told, asked, point.records))
        return
    rows = figure.data(told, asked.epsilons)
    live_plot.show(figure.plot(rows, layout.theme()), key="expected")
    records = [one for point in told.points for one in point.records]
    st.caption(_from(told, asked, records))
    figure_exports("expected", rows, statements_of(records), name=run.method, runs=records)


def _over(seeds: int) -> str:
    return f", on average over {seeds} seeds" if seeds > 1 else ", in one run"


def _from(told: Outlook, asked: Asked, records: Sequence[RunRecord]) -> str:
    """What the figure comes from, and how far it speaks of what is asked for."""
    said = [f"From {len(records):,} finished run{'s' * (len(records) != 1)} on this graph and split"]
    if told.differs:
        said.append(f"they differ from yours in: {markup.literal(', '.join(told.differs))}")
    for epsilon in asked.epsilons:
        at = told.at(epsilon)
        if at is not None and at.how in ("below", "above"):
            end = at.near[0].epsilon
            said.append(f"none is {at.how} ε {option(end or 0.0)}, so nobody knows what ε {option(epsilon)} gives")
        elif at is not None and at.how == "between":
            said.append(f"ε {option(epsilon)} lies between measured ones")
    return "; ".join(said) + ". Accuracies are an evaluator's, measured on test labels: no ε pays for looking."
