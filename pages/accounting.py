"""Which noise keeps an epsilon, and which epsilon does a noise keep? From public sizes alone."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import ModuleType

import streamlit as st

from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.methods.aggregation.options import AggregationConfig
from privgraph.methods.base import EPSILON, filled_in
from privgraph.methods.gradients.heter_poisson.config import Config
from privgraph.options import Option, OptionError, Parameter, build, parameters, values
from privgraph.privacy.precision import precision_bound
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS, MethodSpec
from privgraph_workbench.facts import datasets, method_costs
from privgraph_workbench.facts.method_costs import Curve, Setting
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.costs import cost, entry_costs, ledger
from privgraph_workbench.figures.noise import precision
from privgraph_workbench.forms import again, beginnings, data_options, widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import choosing, layout, pricing, statement
from privgraph_workbench.parts.file_links import drawn_figure
from privgraph_workbench.parts.pricing import TYPED, Priced
from privgraph_workbench.serving import shell
from privgraph_workbench.text import fill, texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup, meaning
from privgraph_workbench.words.numbers import bound, number, percent, rounded_delta, stated

FIRST = "progap"  # the method that is chosen at first
NOISE, NOBODY = "noise", "nobody"
words = texts("accounting")
helps = words["options"]
PRIVATE_ROW = (
    Parameter("classes", int, 10, Option(helps["classes"], low=2, high=10**5, label="Classes C")),
    Parameter("epsilon", float, 2.0, EPSILON),
    Parameter("delta", float, 1e-5, Option(helps["delta"], low=0, high=0.1, low_open=False, label="δ (delta)")),
    Parameter("share", float, 0.0, Option(helps["share"], low=0, high=0.99)),
)


# The fields


def choose_data() -> DatasetSpec | None:
    specs = {spec.name: spec for spec in datasets.choices() if datasets.unavailable(spec) is None}
    asked = st.query_params.get("data")
    if asked is not None and asked != TYPED and asked not in specs:
        st.warning(fill(words["no_graph"], reason=datasets.complaint(asked)))
    titles = {**choosing.graphs(specs.values()), TYPED: TYPED}
    return specs.get(choosing.one("Data", titles, "data", help=words["data"]))


def choose_methods() -> tuple[MethodSpec, str | None]:
    """A method, of those that protect something and fit this graph; and one beside it, if any."""
    units = method_costs.PRIVATE
    refused = {name: spec and beginnings.unfit(METHODS[name], spec, held) for name, held in units.items()}
    refused |= {name: fill(words["protects_none"], title=METHODS[name].title) for name in METHODS.keys() - units.keys()}
    offered = sorted((name for name, why in refused.items() if why is None), key=lambda name: name != FIRST)
    away = ", ".join(METHODS[name].title for name in units if refused[name])
    titles = {name: METHODS[name].title for name in offered}
    method = choosing.method(titles, refused, fill(words["method"], methods=away) if away else None)
    titles = {NOBODY: "—", **{one: title for one, title in titles.items() if one != method.name}}
    beside = st.query_params.get("with")
    if beside is not None and beside not in titles:
        st.warning(fill(words["unknown"], name="with", value=markup.literal(beside[:40])))
        del st.query_params["with"]
    other = choosing.one("Compare with", titles, "with", help=words["with"])
    return method, None if other == NOBODY else other


def choose_options(unit: str) -> widgets.Filled:
    """What else enters the price, folded."""
    config = chosen.load_config()
    known = {parameter.name: parameter for parameter in parameters(config)}
    names = (*build(config, {"unit": unit}).price.options, "delta", "accounting")
    shown = [parameter for parameter in known.values() if parameter.name in names]
    widgets.warn(shown)
    widgets.warn([known["epsilon"]], typed=False)
    asked = f"{chosen.name}/{unit}"
    if st.session_state.get("scale.of", asked) != asked:  # a noise of another method or unit means nothing here
        st.query_params.pop("scale", None)
    st.session_state["scale.of"] = asked
    expanded = widgets.ajar("options", shown)
    with st.expander(f"Options of {chosen.title}", icon=":material/tune:", expanded=expanded, key="fold.options"):
        plain = [replace(one, option=replace(one.option, advanced=False, group="Options")) for one in shown]
        return widgets.Filled(values={"unit": unit}) | widgets.options_form(plain, heading=False)


def priced(facts: PublicFacts | str | None, filled: widgets.Filled) -> Priced | None:
    """The two linked fields, and what they come to; a message in their place where there is nothing yet."""
    if isinstance(facts, str):
        st.error(markup.sentence(facts))
        return None
    if facts is None:
        layout.wait(words["counting"], lambda: pricing.counted(spec) is not None)
        return None
    if filled.errors:
        st.info(widgets.pointer(filled.errors), icon=":material/edit:")
        return None
    setting: Setting | None = None
    try:
        epsilon = pricing.wanted_epsilon(chosen.load_config())
        setting = method_costs.setting(chosen.name, {**filled.values, "epsilon": epsilon}, facts)
        if not setting.reads:
            return Priced(setting, math.nan, setting.at(math.nan))
        given = pricing.given_noise()
        scale = setting.noise() if given is None else given
        said = setting.at(scale)
    except OptionError as error:
        st.error(markup.sentence(error))
        if setting is not None:
            pricing.linked_fields(setting, None, None)
        return None
    pricing.linked_fields(setting, scale, said if given is not None else None)
    return Priced(setting, scale, said)


def second_of(other: str, first: Setting, filled: widgets.Filled) -> Priced:
    """A second method at the same target, with its own defaults for the rest. Raises `OptionError`."""
    units = method_costs.PRIVATE[other]
    unit = first.config.unit if first.config.unit in units else units[0]
    same = ("epsilon", "delta", "accounting") if unit == first.config.unit else ("epsilon", "accounting")
    wanted = {"epsilon": float(st.session_state.get("epsilon", first.config.epsilon)), **filled.values}
    kept = {name: wanted[name] for name in same if name in wanted}
    setting = method_costs.setting(other, {"unit": unit, **kept}, first.facts)
    noise = setting.noise() if setting.reads else math.nan
    return Priced(setting, noise, setting.at(noise))


# The answer


def show(figure: ModuleType, rows: Sequence[Row], name: str, statements: Mapping[str, PrivacyStatement] = {}) -> None:
    drawn_figure(figure.__name__.rpartition(".")[2], rows, statements, name)


def swap(first: Priced, second: Priced) -> None:
    """Set the method that stood beside, and put the other beside it."""
    widgets.leave(first.setting.name)
    st.query_params["unit"] = second.said.unit
    choosing.put("method", second.setting.name)
    choosing.put("with", first.setting.name)


def beside(first: Priced, second: Priced) -> None:
    rows = [
        {
            "method": one.title,
            "noise": f"{number(one.noise, 4)} ({one.setting.price.noise})" if one.setting.reads else "none",
            EPSILONS["sound"].title: stated("sound", one.said.epsilon),
            EPSILONS["published"].title: stated("published", one.said.epsilon_as_published),
            "δ": rounded_delta(one.said.delta),
            "adversary's accuracy": bound(meaning.guess(one.said.epsilon, one.said.delta)),
        }
        for one in (first, second)
    ]
    told = {"noise": "noise", "epsilon": EPSILONS["sound"].title, "published": EPSILONS["published"].title}
    told |= {"guess": "adversary's accuracy"}
    layout.table(rows, {name: words["columns"][key] for key, name in told.items()}, {}, {})
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Change places", key="swap", icon=":material/swap_horiz:", on_click=swap, args=(first, second))
        if first.said.unit != second.said.unit:
            hint = fill(words["units"], first=first.said.unit, second=second.said.unit)
            st.badge("two units", color="orange", help=hint)


def chart(shown: Sequence[Priced]) -> bool:
    """Epsilon against noise or an option. False where points are missing, because time ran out."""
    first, until = shown[0], time.monotonic() + pricing.BUDGET_SECONDS
    titles = {NOISE: NOISE, **{lever.option: lever.axis.split(" (")[0] for lever in first.setting.price.levers}}
    choosing.within("against", list(titles))
    asked = st.query_params.get("against")
    if asked is not None and asked not in titles.values():  # as the choice itself is written there
        st.warning(fill(words["unknown"], name="against", value=markup.literal(asked[:40])))
    against = NOISE
    if len(titles) > 1:
        bound_ = {"key": "against", "bind": "query-params", "default": NOISE, "required": True}
        against = st.pills("ε against", list(titles), format_func=titles.get, help=words["against"], **bound_)
    rows: list[Row] = []
    curves: list[Curve] = []
    statements: dict[str, PrivacyStatement] = {}
    for one in shown:
        setting = one.setting
        lever = next((lever for lever in setting.price.levers if lever.option == against), None)
        curves.append(method_costs.along(setting, one.noise, lever, until) if setting.reads else Curve())
        axis, place = (setting.price.noise, one.noise) if lever is None else (lever.axis, lever.value)
        rows += cost.data(curves[-1].points, place, axis, of=one.title)
        statements |= one.named(spec)[1]
    if not rows:
        st.info(markup.sentence(curves[0].refused or words["free"]))
        return True
    name = f"{first.named(spec)[0]}-{against}" + "".join(f"-{one.setting.name}" for one in shown[1:])
    show(cost, rows, name, statements)
    share = min(curve.share for curve in curves)
    if share < 1:
        st.progress(share, text=words["points"])
    return share == 1


# Where the budget goes, and what noise cannot give


def budget(one: Priced) -> None:
    """The shares of the mechanisms, each by itself, and the ledger."""
    said, (name, statements) = one.said, one.named(spec)
    if len(said.ledger) > 1:
        left, right = layout.columns(f"budget-{one.setting.name}", 2)
        with left:
            show(ledger, ledger.data(said.ledger, said.delta), name, statements)
        with right:
            costs = [
                (", ".join(filter(None, (part.entry.mechanism, part.entry.stage))), part.alone, part.without)
                for part in method_costs.parts(said.ledger, said.delta)
            ]
            show(entry_costs, entry_costs.data(costs, said.epsilon), name, statements)
    statement.whole(said)


def private_row() -> None:
    st.caption(words["precision"])
    left, right = st.columns([1, 2], gap="large")
    with left:
        widgets.warn(PRIVATE_ROW, prefix="precision.")
        filled = widgets.options_form(PRIVATE_ROW, prefix="precision.", heading=False)
        if filled.errors:
            return
        classes, epsilon, delta, share = (filled.values[one.name] for one in PRIVATE_ROW)
        st.metric("Precision at most", percent(precision_bound(epsilon, delta, classes, share or None)))
        st.metric("Guessing", percent(share or 1 / classes))
    with right:
        show(precision, precision.data(classes, delta, {"this setting": epsilon}, share or None), "calculator")


queue.tick()
layout.head("accounting")
left, right = layout.columns("accounting", (2, 3))
with left:
    spec = choose_data()
    chosen, other = choose_methods()
    facts = pricing.facts_of(spec)
    private = method_costs.PRIVATE[chosen.name]
    units = [one for one in private if spec is None or not chosen.refuses(spec.task, spec.undirected, one)]
    widgets.warn([one for one in parameters(chosen.load_config()) if one.name == "unit"])
    unit = choosing.unit(chosen, units)
    linked = st.container()
    filled = choose_options(unit)
    with linked:
        first = priced(facts, filled)
    if first is not None:
        filled.fill_in(filled_in(first.setting.config, first.said))
    with st.container(horizontal=True):
        layout.reading("accounting")
        if first is not None and spec is not None:
            held, of = dict(values(first.setting.config)), (*method_costs.PRIVACY, *first.setting.price.options)
            wanted = {name: held[name] for name in of}
            address = again.settings(chosen.name, spec.name, wanted, data_options.along(spec))
            label, icon = "Train with these settings", ":material/model_training:"
            st.page_link(shell.page("train"), label=label, icon=icon, query_params=address)
if first is not None:
    shown = [first]
    with right:
        if other is not None:
            with layout.refusals():
                shown.append(second_of(other, first.setting, filled))
                beside(*shown)
        if len(shown) == 1:
            statement.numbers(first.said)
        complete = chart(shown)
    for one in shown:
        if one.setting.reads:
            label, key = f"Where the budget goes: {one.title}", "budget" if one is first else "budget.beside"
            layout.folded(label, key, partial(budget, one), icon="donut_small")
    config = first.setting.config
    if isinstance(config, Config) or (isinstance(config, AggregationConfig) and config.covers_own_rows):
        layout.folded("What a private row tells", "precision", st.fragment(private_row), icon="visibility_off")
    if not complete:
        st.rerun()  # with what is known by now; the curve goes on where it stopped
