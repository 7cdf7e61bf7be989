"""The Train page: a form made from the method's options, what it would promise, and the run that comes of
it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec
from privgraph.methods.base import Plan, filled_in
from privgraph.options import Option, OptionError, Parameter, Scalar, build
from privgraph.registry import METHODS, MethodSpec
from privgraph.runs.memory import too_large
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench.facts import datasets, plans
from privgraph_workbench.forms import beginnings, data_options, widgets
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import beginning, choosing, statement
from privgraph_workbench.views.runs import one_run
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.meaning import WHICH_END, protected, strength

MOST_SEEDS = 20
SETUP = (
    Parameter(
        "seeds",
        int,
        1,
        Option(
            "how many seeds to run; they train together, and their spread says how much chance there is in one result",
            low=1,
            high=MOST_SEEDS,
            label="Number of seeds",
            group="Repeat",
        ),
    ),
    Parameter(
        "seed",
        int,
        0,
        Option(
            "the first seed; it names the split, the start values and all other random choices but the "
            "noise, which also hangs on this installation's secret key",
            low=0,
            high=2**31 - 1 - MOST_SEEDS,
            label="First seed",
            group="Repeat",
        ),
    ),
    Parameter(
        "device",
        str,
        "auto",
        Option(
            "where to train; auto takes a CUDA device if there is one",
            choices=("auto", "cpu", "cuda"),
            group="Repeat",
            advanced=True,
        ),
    ),
)


def page() -> None:
    """The run that the address names, or the form."""
    wanted = st.query_params.get("run")
    if wanted is not None and one_run.known(wanted):
        one_run.show(wanted)
        return
    st.title("Train")
    if wanted is not None:
        st.warning(
            f"There is no run {markup.literal(wanted[:80])}; it may have been deleted. The form below starts a new one."
        )
    form()


def form() -> None:
    """Choose data, method and privacy; see what would be promised; run."""
    left, right = st.columns(2, gap="large")
    with left:
        spec = _choose_data()
        chosen = _choose_method()
        known = beginnings.form(chosen)
        for complaint in widgets.complaints([*known, *SETUP]):
            st.warning(complaint)
        data = data_options.options_form(spec)
        split = _choose_split(spec, chosen)
        privacy = _privacy(chosen, spec, known)
        rest = [parameter for parameter in known if _concerns(parameter, privacy.values.get("unit"))]
        filled = privacy | widgets.options_form(rest, known=privacy.values, fold=True)
        setup = widgets.options_form(SETUP)
    with right:
        _preview(chosen, spec, data, split, filled, setup)


def _concerns(parameter: Parameter, unit: object) -> bool:
    """Whether an option belongs below the privacy options, for that unit: `Node level` options only for
    nodes."""
    group = parameter.option.group
    return group != "Privacy" and (not group.endswith(" level") or group == f"{str(unit).capitalize()} level")


def _choose_data() -> DatasetSpec:
    specs = {spec.name: spec for spec in datasets.choices() if datasets.unavailable(spec) is None}
    asked = st.query_params.get("data")
    if asked is not None and asked not in specs:
        st.warning(f"In this page's address, {datasets.complaint(asked)}.")
    name = choosing.one(
        "Data",
        choosing.graphs(specs.values()),
        "data",
        help="Data sets that can be loaded now; the Data page shows all, and takes yours",
    )
    spec = specs[name]
    st.caption(f"{naming.about(spec)} {markup.literal(spec.caution)}".rstrip())
    return spec


def _choose_method() -> MethodSpec:
    asked = st.query_params.get("method")
    if asked is not None and asked not in METHODS:
        st.warning(f"In this page's address, there is no method {markup.literal(asked[:80])}; it is left out.")
    titles = beginnings.ordered()
    chosen = METHODS[
        choosing.one("Method", titles, "method", moved=widgets.turn, help="How the graph is learnt; see the line below")
    ]
    widgets.turned(chosen)
    st.caption(f"**{chosen.title}**: {chosen.about} ({chosen.paper})")
    with st.expander("Which method? Start here", key="fold.which", icon=":material/explore:"):
        st.markdown("\n\n".join(_group(unit) for unit in beginnings.GROUPS))
    return chosen


def _group(unit: str) -> str:
    """A group of methods in Markdown: what it hides, where to start, and a sentence for each method."""
    group = beginnings.GROUPS[unit]
    lines = [
        f"- **{method.title}**: {method.about}"
        + (f" :green-badge[Start here] because {group.why}." if name == group.first else "")
        for name in beginnings.ordered()
        for method in [METHODS[name]]
        if beginnings.group(method) == unit
    ]
    both = [one.title for one in METHODS.values() if beginnings.group(one) != unit and unit in one.units]
    more = f" {' and '.join(both)} can do this, too." if unit == "node" else ""
    return f"**{group.title}.** {group.about}{more}\n\n" + "\n".join(lines)


def _choose_split(spec: DatasetSpec, method: MethodSpec) -> str:
    offered = ["random", "public", "inductive"] if spec.public_split else ["random", "inductive"]
    with st.expander("Split: which nodes train, and which test", key="fold.split"):
        meaning = {
            "random": "75% train, 10% validate, 15% test, drawn by the seed, as in the ProGAP paper",
            "public": "The split that came with the data",
            "inductive": "Test nodes and their edges are unknown while training",
        }
        chosen: str = st.segmented_control(
            "Split", offered, default="random", required=True, key="split", bind="query-params"
        )
        st.caption(f"{meaning[chosen]}.")
        if method.own_parts:
            st.caption(
                f"{method.title} draws its own private and public nodes, by the options of its parts below: of the "
                "split it takes the seed, and the edges that an inductive one leaves out."
            )
    return chosen


def _privacy(chosen: MethodSpec, spec: DatasetSpec, begun: Sequence[Parameter]) -> widgets.Filled:
    """The privacy part of the form; units that the method refuses are not offered, and it says why."""
    known = {parameter.name: parameter for parameter in begun}
    refused: dict[Scalar, str] = {}
    for unit in known["unit"].option.choices:
        reason = chosen.refuses(spec.task, spec.undirected, str(unit))
        if reason:
            refused[unit] = reason
    try:
        st.markdown("##### Privacy")
        unit = widgets.widget(known["unit"], disabled=refused)
    except OptionError as error:
        st.error(markup.sentence(error))
        return widgets.Filled(errors={known["unit"].label: str(error)})
    st.caption(
        f"Protects {protected(str(unit), chosen.neighbours)}."
        if unit != "none"
        else "Protects nothing: for comparison only."
    )
    filled = widgets.Filled(values={"unit": unit})
    if unit == "none":
        return filled
    captions = {"epsilon": lambda value: _about_epsilon(float(value), beginnings.lowered(chosen))}
    inside = [
        parameter for parameter in known.values() if parameter.option.group == "Privacy" and parameter.name != "unit"
    ]
    return filled | widgets.options_form(inside, captions=captions, heading=False)


def _about_epsilon(epsilon: float, own: float | None) -> str:
    """Which end of the slider is which, what the number is called, and where a fresh form begins."""
    text = f"{WHICH_END}  \nε = {epsilon:g} is {strength(epsilon)} protection."
    if own is None or epsilon != beginnings.EPSILON:
        return text
    return (
        f"{text} This form begins here; the method's own default is {own:g}: "
        f"{strength(own)} protection, and more accuracy."
    )


def _preview(
    chosen: MethodSpec,
    spec: DatasetSpec,
    data: widgets.Filled,
    split: str,
    filled: widgets.Filled,
    setup: widgets.Filled,
) -> None:
    with st.container(border=True, key=shell.BESIDE):
        st.markdown("#### Before anything runs")
        run = st.container()  # above what may be long, so that it is never out of sight
        wrong = [*data.errors, *filled.errors, *setup.errors]  # said at their fields
        reasons: list[str] = []
        planned, waiting = None, False
        if not wrong:
            try:
                config = build(chosen.load_config(), filled.values)
                facts = datasets.public_facts(spec, data.values, split)
                waiting = facts is None
                if facts is not None:
                    with st.spinner("Calibrating the noise"):
                        planned = plans.plan(chosen.name, filled.values, facts)
                filled.fill_in(filled_in(config, planned.statement if planned else None))
            except (OptionError, DataError) as error:
                reasons.append(str(error))
        if planned is not None and (refusal := too_large(planned.memory_mb)):
            reasons.append(refusal)
        for text in reasons:
            st.error(markup.sentence(text))
        if wrong:
            st.info(widgets.pointer(wrong), icon=":material/edit:")
        if planned is not None:
            _show_plan(planned, RunSpec(method=chosen.name, dataset=spec.name, options=filled.values).asked_epsilon)
            seeds = int(setup.values["seeds"])
            if seeds > 1 and math.isfinite(planned.statement.epsilon) and planned.statement.ledger:
                statement.looking([planned.statement], seeds, "runs, one a seed")
        if waiting:
            st.info(
                "The graph is being counted; the noise is shown when its size is known. You need not wait.", icon="⏳"
            )
            st.fragment(_await_facts, run_every=1.0)(spec, data, split)
        count = int(setup.values.get("seeds", 1))
        label = "Run" if count == 1 else f"Run {count} seeds"
        if run.button(
            label,
            type="primary",
            key="go",
            disabled=bool(wrong or reasons),
            width="stretch",
            icon=":material/play_arrow:",
        ):
            specs = _specs(chosen, spec, data.values, split, filled.values, setup.values)
            beginning.send(specs, changed=st.query_params.get(one_run.CHANGED, ""))


def _await_facts(spec: DatasetSpec, data: widgets.Filled, split: str) -> None:
    """Draw the page again when the sizes are there, or cannot be had."""
    try:
        ready = datasets.public_facts(spec, data.values, split) is not None
    except DataError:
        ready = True
    if ready:
        st.rerun()


def _show_plan(planned: Plan, asked: float | None) -> None:
    statement.show(planned.statement, planned=True, asked=asked)
    for note in planned.notes:
        st.caption(markup.sentence(note))
    memory = f", about {planned.memory_mb:,.0f} MB of memory" if planned.memory_mb else ""
    st.caption(f"Work: {work(planned)}{memory}.")


def work(planned: Plan) -> str:
    """How much a run does, in the words of its progress; and why the ledger has another number."""
    text = f"{planned.steps:,} {planned.work.step}"
    times = sum(entry.count for entry in planned.statement.ledger)
    if times in (0, planned.steps):
        return text
    return f"{text}, in which private data are read {times:,} time{'s' * (times != 1)}: that is what the ledger counts"


def _specs(
    chosen: MethodSpec,
    spec: DatasetSpec,
    data: Mapping[str, Scalar],
    split: str,
    options: Mapping[str, Scalar],
    setup: Mapping[str, Scalar],
) -> list[RunSpec]:
    first = int(setup["seed"])
    return [
        make_spec(
            chosen.name, spec.name, options, data_options=data, split=split, seed=seed, device=str(setup["device"])
        )
        for seed in range(first, first + int(setup["seeds"]))
    ]
