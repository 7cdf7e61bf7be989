"""The Accounting page: one calculator. What a method's noise costs, before anything is trained."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.methods.base import Lever, filled_in
from privgraph.options import OptionError, listed, parameters, values
from privgraph.privacy.kinds import OF_GRADIENTS
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS, MethodSpec
from privgraph_workbench import live_plot
from privgraph_workbench.facts import method_costs
from privgraph_workbench.facts.drowned import AGGREGATIONS
from privgraph_workbench.facts.method_costs import Curve, Setting
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.costs import cost
from privgraph_workbench.forms import data_options, widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell, styles
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.accounting import form as accounting_form
from privgraph_workbench.views.accounting import linked
from privgraph_workbench.views.accounting import noise as accounting_noise
from privgraph_workbench.views.accounting import parts as accounting_parts
from privgraph_workbench.views.accounting import terms as accounting_terms
from privgraph_workbench.views.parts import choosing, keeping, layout, statement
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words import markup, meaning, naming
from privgraph_workbench.words import statements as statement_words
from privgraph_workbench.words.numbers import number, proved_epsilon, stated

BUDGET_SECONDS = 0.6
"""How long one drawing of the page may compute; what is missing then is drawn next."""
NOISE = "noise"
SAME_WAGER = "Whoever guesses is right as often as with the other method."
ALIKE = "They cost the same here: each needs this noise for this ε."
APART = "Their noise is not of one kind, so that each has an axis of its own."


@dataclass(frozen=True)
class Priced:
    """A method with its noise, and what it says then."""

    setting: Setting
    noise: float
    said: PrivacyStatement

    @property
    def title(self) -> str:
        return f"{METHODS[self.setting.name].title}, {self.said.unit}"


def page() -> None:
    """The form; what it comes to, for one method or for two; the chart; and folds for who asks more."""
    queue.tick()
    keeping.keep("accounting", ("fold.",))
    st.title("Accounting")
    place = st.container()  # always there: what is below it keeps its place
    with st.container(border=True):
        left, middle, right = st.columns(3)
        with left:
            spec = accounting_form.choose_data()
        with middle:
            chosen = accounting_form.choose_method(spec)
        with right:
            other = accounting_form.choose_other(chosen, spec)
        facts = accounting_form.facts(spec)
        place.markdown(_of(spec, facts))
        knobs = st.columns(3)
        with knobs[0]:
            unit = accounting_form.choose_unit(chosen, spec)
        filled = accounting_form.options(chosen, unit)
        setting = _setting(chosen, facts, filled)
        priced = _priced(setting, knobs) if setting is not None else None
        if filled.errors:
            linked.waiting(chosen.load_config(), knobs)
        if priced is not None:
            filled.fill_in(filled_in(priced.setting.config, priced.said))
    if setting is None:
        return
    if priced is None:
        accounting_noise.show(setting)
        return
    second = _second(other, setting, filled)
    complete = _answer(priced, second, spec)
    name, statements = _named(priced, spec)
    both = isinstance(second, Priced)
    accounting_parts.show(setting, priced.said, statements, name, of=priced.title if both else "")
    if isinstance(second, Priced) and second.setting.reads:
        of = _named(second, spec)
        accounting_parts.show(second.setting, second.said, of[1], of[0], of=second.title, beside=True)
    accounting_terms.show(setting, priced.noise, priced.said, statements, name)
    accounting_noise.show(setting)
    if not complete:
        st.rerun()  # with what is known by now; the curve goes on where it stopped


def _of(spec: DatasetSpec | None, facts: PublicFacts | str | None) -> str:
    """What the page says, and of which graph: an invented one has the size that its options give it."""
    said = "What noise costs, in **ε** (smaller is more private). From public sizes alone: nothing is trained."
    if spec is None or not isinstance(facts, PublicFacts):
        return said
    nodes, edges = ("texts", "relations") if spec.domains else ("nodes", "edges")
    return f"{said} Here those of **{markup.literal(spec.title)}**: {facts.nodes:,} {nodes}, {facts.edges:,} {edges}."


def _setting(chosen: MethodSpec, facts: PublicFacts | str | None, filled: widgets.Filled) -> Setting | None:
    """The setting with the wanted epsilon; a sentence in its place where there is none yet."""
    if isinstance(facts, str):
        st.error(markup.sentence(facts))
        return None
    if facts is None:
        st.info("The graph is being counted; the price is shown when its size is known.", icon="⏳")
        st.fragment(accounting_form.await_facts, run_every=1.0)()
        return None
    if filled.errors:
        st.info(widgets.pointer(filled.errors), icon=":material/edit:")
        return None
    config = chosen.load_config()
    try:
        return method_costs.setting(chosen.name, {**filled.values, "epsilon": linked.wanted_epsilon(config)}, facts)
    except OptionError as error:
        st.error(markup.sentence(error))
        return None


def _second(other: str | None, first: Setting, filled: widgets.Filled) -> Priced | str | None:
    """The method that stands beside: for the same epsilon, delta and unit where it has them, with its own
    defaults for the rest. A sentence where it cannot be priced; None where none was asked for."""
    if other is None:
        return None
    units = method_costs.private_units(other)
    unit = first.config.unit if first.config.unit in units else units[0]
    same = ("epsilon", "delta", "accounting") if unit == first.config.unit else ("epsilon", "accounting")
    wanted = {"epsilon": float(st.session_state.get("epsilon", first.config.epsilon)), **filled.values}
    try:
        setting = method_costs.setting(other, {"unit": unit, **{name: wanted[name] for name in same if name in wanted}},
                                       first.facts)  # fmt: skip
        noise = setting.noise() if setting.reads else math.nan
        return Priced(setting, noise, setting.at(noise))
    except OptionError as error:
        return str(error)


def _priced(setting: Setting, knobs: Sequence[DeltaGenerator]) -> Priced | None:
    """The two linked inputs, and what they come to."""
    if not setting.reads:
        _boxes(setting.at(math.nan), setting.name)
        st.info(
            f"{setting.price.fixed} There is no noise to choose, and nothing to pay.", icon=":material/check_circle:"
        )
        return None
    typed_noise = linked.given_noise()
    try:
        noise = typed_noise if typed_noise is not None else setting.noise()
        said = setting.at(noise)
    except OptionError as error:
        st.error(markup.sentence(error))
        linked.fields(setting, None, None, knobs)
        return None
    linked.fields(setting, noise, said if typed_noise is not None else None, knobs)
    return Priced(setting, noise, said)


def _drag(name: str, noise: float) -> None:
    """The line on the curve was let go at that noise."""
    if name == cost.HANDLE and 0 < noise < math.inf:
        st.query_params["scale"] = f"{noise:.4g}"


def _answer(first: Priced, second: Priced | str | None, spec: DatasetSpec | None) -> bool:
    """What the setting comes to, beside its chart or beside a second method. False where points of the chart
    are missing, because time ran out."""
    if isinstance(second, Priced) and second.said.unit != first.said.unit:
        st.warning(
            "**Equal ε do not protect the same here:** that on the left is promised for each "
            f"{first.said.unit}, that on the right for each {second.said.unit}. A node with all its edges is far more "
            "to hide than one edge."
        )
    left, right = layout.columns("answer", 2)
    with left:
        _told(first, spec, heading=second is not None)
    if second is None:
        with right:
            return _chart([first], spec)
    with right:
        if isinstance(second, str):
            st.error(markup.sentence(second))
        else:
            _told(second, spec, heading=True, beside=first)
            st.button(
                f"Change places, to set the options of {METHODS[second.setting.name].title}",
                key="swap",
                icon=":material/swap_horiz:",
                type="tertiary",
                on_click=_swap,
                args=(first, second),
                help="It stands here with its own defaults",
            )
    if isinstance(second, Priced) and (_alike(first, second) or not _one_kind(first, second)):
        st.markdown(ALIKE if _alike(first, second) else APART)
    return _chart([first] if isinstance(second, str) else [first, second], spec)


def _one_kind(first: Priced, second: Priced) -> bool:
    return first.setting.price.noise == second.setting.price.noise


def _alike(first: Priced, second: Priced) -> bool:
    """Whether two methods need the same noise for the same promise."""
    same = first.said.unit == second.said.unit and math.isclose(first.noise, second.noise, rel_tol=1e-3)
    return same and _one_kind(first, second) and math.isclose(first.said.epsilon, second.said.epsilon, rel_tol=1e-3)


def _swap(first: Priced, second: Priced) -> None:
    """The method that stood beside is set now, and the other stands beside."""
    widgets.leave(first.setting.name)
    st.query_params["unit"] = second.said.unit
    choosing.put("method", second.setting.name)
    choosing.put("with", first.setting.name)


def _told(one: Priced, spec: DatasetSpec | None, *, heading: bool, beside: Priced | None = None) -> None:
    """Both epsilons, why they are two, and what the sound one leaves somebody to guess, unless all that was
    said of the one `beside`."""
    said, setting = one.said, one.setting
    if heading:
        st.markdown(f"##### {one.title}")
    _boxes(said, setting.name)
    unprotected = method_costs.unprotected(said.ledger)
    for reason in unprotected:
        st.warning(f"No ε can be proved: {reason}.")
    if math.isinf(said.epsilon) and not unprotected:
        st.warning("No ε is proved for so little noise.")
    elif math.isfinite(said.epsilon):
        st.markdown(markup.literal(statement_words.why_two(said)))
    wager = meaning.wager(said)
    st.markdown(wager if beside is None or wager != meaning.wager(beside.said) else SAME_WAGER)
    scale = f"{setting.price.noise}: {number(one.noise, 4)}" if setting.reads else "no noise"
    st.caption(
        f"{markup.sentence(scale)} {_drawn(one)}{meaning.delta(said.delta, said.epsilon)} Rule: {said.delta_rule}."
    )
    if said.gaps:
        statement.gaps(said)
    if spec is not None and setting.config.unit != "none":
        loud = not heading  # of two methods side by side, neither is the way on
        with st.container(key=styles.GO_ON if loud else f"go-on-{setting.name}", width="content"):
            st.page_link(
                shell.page("train"),
                label=f"Train {METHODS[setting.name].title} with these settings",
                icon=":material/model_training:",
                query_params=train_address(setting, spec),
            )


def _drawn(one: Priced) -> str:
    """What a scale comes to in the units of what noise is added to: the numbers that Train shows."""
    words = {**dict.fromkeys(AGGREGATIONS, "sums over neighbours"), **dict.fromkeys(OF_GRADIENTS, "sums of gradients")}
    found = {words[entry.kind]: entry.noise_std for entry in one.said.ledger if entry.kind in words and entry.noise_std}
    if not found or all(math.isclose(std, one.noise, rel_tol=1e-6) for std in found.values()):
        return ""
    return f"On Train that is {listed(f'σ {number(std)} on {what}' for what, std in found.items())}. "


def _boxes(said: PrivacyStatement, name: str) -> None:
    boxes = (
        (
            EPSILONS["sound"].label,
            proved_epsilon(said.epsilon),
            "What this noise will guarantee, by a proof that we stand for. Computed by: "
            f"{said.accountant or 'no need'}.",
        ),
        (
            EPSILONS["published"].label,
            "no formula" if said.epsilon_as_published is None else stated("published", said.epsilon_as_published),
            "What the paper's own way of counting says of the same noise: to reproduce its tables, not a promise",
        ),
    )
    with st.container(key=f"{styles.CARDS}-epsilons-{name}"):
        for column, (label, value, help_) in zip(st.columns(2), boxes, strict=True):
            with column.container(border=True, height="stretch"):
                st.markdown(label, help=help_)
                st.markdown(f"#### {value}")


def _named(one: Priced, spec: DatasetSpec | None) -> tuple[str, dict[str, PrivacyStatement]]:
    """How files of this setting are named, and what they state."""
    place = spec.name.replace(":", "-") if spec else "typed"
    name, unit = one.setting.name, one.said.unit
    graph = naming.data_title(spec.name) if spec else "typed sizes"
    label = f"{METHODS[name].title} on {graph}, {unit}, noise {number(one.noise)}, planned"
    return f"{place}-{name}-{unit}", {label: one.said}


def _chart(shown: Sequence[Priced], spec: DatasetSpec | None) -> bool:
    """Epsilon against what the reader chooses: the noise, whose line can be dragged, or an option of the
    method while the noise stays. Two methods stand over each other where their axes mean the same."""
    first, until = shown[0], time.monotonic() + BUDGET_SECONDS
    levers = {lever.option: lever for lever in first.setting.price.levers}
    offered = [NOISE, *levers]
    keeping.within("against", offered)
    asked = st.query_params.get("against")
    titles = {NOISE: NOISE, **{name: heading(lever.axis) for name, lever in levers.items()}}
    if asked is not None and asked not in titles.values():  # as the choice itself is written there
        st.warning(f"In this page's address, against has no value {markup.literal(asked[:40])} here.")
    against = NOISE
    if levers:
        against = str(
            st.pills(
                "ε against",
                offered,
                default=NOISE,
                required=True,
                key="against",
                bind="query-params",
                format_func=titles.__getitem__,
                help="Every option of the method that moves ε while the noise stays as it is",
            )
        )
    rows: list[Row] = []
    curves: list[Curve] = []
    statements: dict[str, PrivacyStatement] = {}
    for one in shown:
        curve, lever = _curve(one, against, until)
        curves.append(curve)
        axis = one.setting.price.noise if lever is None else lever.axis
        place = one.noise if lever is None else lever.value
        handle = lever is None and len(shown) == 1
        points = [(point.x, point.epsilon, point.published) for point in curve.points]
        rows += cost.data(points, place, axis, handle=handle, of=one.title)
        statements |= _named(one, spec)[1]
    name = f"{_named(first, spec)[0]}-{against}" + "".join(f"-{one.setting.name}" for one in shown[1:])
    if not rows:
        st.info(markup.sentence(curves[0].refused or "no place of this curve can be had"))
        return True
    drag = _drag if against == NOISE and len(shown) == 1 else None
    live_plot.show(cost.plot(rows, layout.theme()), key=f"cost.{name}", on_drag=drag)
    done = all(curve.complete for curve in curves)
    if not done:
        st.progress(min(curve.share for curve in curves), text="More points are being computed.")
    if against in levers:
        st.caption(f"{levers[against].about} The noise stays as it is.")
    figure_exports("cost", rows, statements, name=name)
    return done


def _curve(one: Priced, against: str, until: float) -> tuple[Curve, Lever | None]:
    """Epsilon against that option, or against the noise where the method has no such option."""
    lever = next((lever for lever in one.setting.price.levers if lever.option == against), None)
    if not one.setting.reads:
        return Curve(points=(), complete=True), lever
    if lever is None:
        return method_costs.along_noise(one.setting, one.noise, until), None
    return method_costs.along(one.setting, lever, one.noise, until), lever


def heading(axis: str) -> str:
    """An axis without what stands in brackets.

    >>> heading("depth K (noisy sums)")
    'depth K'
    """
    return axis.split(" (")[0]


def train_address(setting: Setting, spec: DatasetSpec) -> Mapping[str, str]:
    """The query parameters that fill the Train page with these settings."""
    held = dict(values(setting.config))
    chosen = (*method_costs.PRIVACY, *setting.price.options)
    return {
        "method": setting.name,
        "data": spec.name,
        **widgets.address(data_options.along(spec), prefix="data."),
        **widgets.address({name: held[name] for name in chosen}, known=parameters(type(setting.config))),
    }
