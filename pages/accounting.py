"""Which noise keeps an epsilon, and which epsilon does a noise keep? From public sizes alone."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.methods.aggregation.options import AggregationConfig
from privgraph.methods.base import filled_in
from privgraph.methods.gradients.heter_poisson.config import Config
from privgraph.options import OptionError, build, parameters
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS, MethodSpec
from privgraph_workbench.facts import datasets, method_costs
from privgraph_workbench.facts.method_costs import Curve, Setting
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.costs import cost, entry_costs, ledger
from privgraph_workbench.forms import data_options, fields, widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import choosing, keeping, layout, noise, pricing, statement
from privgraph_workbench.parts.noise import show
from privgraph_workbench.parts.pricing import FIRST, TYPED, Priced
from privgraph_workbench.serving import shell
from privgraph_workbench.text import fill, page, texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup, meaning
from privgraph_workbench.words.numbers import bound, number, rounded_delta, stated

NOISE, NOBODY = "noise", "nobody"
words = texts("accounting")
# The fields


def choose_data() -> DatasetSpec | None:
    """A graph, or None for sizes that are typed."""
    specs = {spec.name: spec for spec in datasets.choices() if datasets.unavailable(spec) is None}
    asked = st.query_params.get("data")
    if asked is not None and asked != TYPED and asked not in specs:
        st.warning(fill(words["no_graph"], reason=datasets.complaint(asked)))
    titles = {**choosing.graphs(specs.values()), TYPED: TYPED}
    return specs.get(choosing.one("Data", titles, "data", help=words["data"]))


def choose_method(spec: DatasetSpec | None) -> MethodSpec:
    """The method, of those that can be trained on this graph."""
    refused = pricing.fitting(spec)
    offered = sorted((name for name, why in refused.items() if why is None), key=lambda name: name != FIRST)
    asked = st.query_params.get("method")
    if asked is not None and asked not in offered:
        reason = refused.get(asked)
        if asked in METHODS and reason is None:
            reason = fill(words["protects_none"], title=METHODS[asked].title)
        widgets.leave(asked)
        told = markup.literal(reason or asked[:80])
        st.warning(fill(words["used"], reason=told, title=METHODS[offered[0]].title))
    away = ", ".join(METHODS[name].title for name in refused if refused[name])
    hint = fill(words["method"], methods=away) if away else None
    titles = {name: METHODS[name].title for name in offered}
    name = choosing.one("Method", titles, "method", moved=widgets.turn, help=hint)
    widgets.turned(METHODS[name])
    return METHODS[name]


def choose_other(chosen: MethodSpec, spec: DatasetSpec | None) -> str | None:
    """A second method to stand beside the first, or None."""
    offered = [name for name, why in pricing.fitting(spec).items() if why is None and name != chosen.name]
    asked = st.query_params.get("with")
    if asked is not None and asked not in (*offered, NOBODY):
        st.warning(fill(words["unknown"], name="with", value=markup.literal(asked[:40])))
        del st.query_params["with"]
    titles = {NOBODY: "—", **{name: METHODS[name].title for name in offered}}
    name = choosing.one("Compare with", titles, "with", help=words["with"])
    return None if name == NOBODY else name


def choose_unit(chosen: MethodSpec, spec: DatasetSpec | None) -> str:
    """Who is protected, of the units that the method protects on this graph."""
    known = next(one for one in parameters(chosen.load_config()) if one.name == "unit")
    private = method_costs.private_units(chosen.name)
    offered = tuple(one for one in private if spec is None or not chosen.refuses(spec.task, spec.undirected, one))
    own = known.default if known.default in offered else offered[0]
    protected = replace(known, default=own, option=replace(known.option, choices=offered))
    for complaint in widgets.complaints([protected]):
        st.warning(complaint)
    if not {st.query_params.get("unit"), st.session_state.get("unit")} & {*offered}:
        st.session_state["unit"] = own
    titles = {str(one): meaning.WHO[str(one)] for one in offered}
    return choosing.one("Who is protected", titles, "unit", row=True, width="stretch", help=fields.help(protected))


def choose_options(chosen: MethodSpec, unit: str) -> widgets.Filled:
    """What else enters the price, folded."""
    config = chosen.load_config()
    known = {parameter.name: parameter for parameter in parameters(config)}
    names = (*build(config, {"unit": unit}).price.options, "delta", "accounting")
    shown = [parameter for parameter in known.values() if parameter.name in names]
    for complaint in [*widgets.complaints(shown), *widgets.complaints([known["epsilon"]], typed=False)]:
        st.warning(complaint)
    asked = f"{chosen.name}/{unit}"
    if st.session_state.get("scale.of", asked) != asked:  # a noise of another method or unit means nothing here
        st.query_params.pop("scale", None)
    st.session_state["scale.of"] = asked
    expanded = widgets.ajar("options", shown)
    with st.expander(f"Options of {chosen.title}", icon=":material/tune:", expanded=expanded, key="fold.options"):
        plain = [replace(one, option=replace(one.option, advanced=False, group="Options")) for one in shown]
        return widgets.Filled(values={"unit": unit}) | widgets.options_form(plain, heading=False)


def await_facts(name: str) -> None:
    """Draw the page again when the sizes are there, or cannot be had."""
    spec = next((one for one in datasets.choices() if one.name == name), None)
    try:
        ready = spec is None or datasets.public_facts(spec, data_options.along(spec), "random") is not None
    except (OptionError, DataError):
        ready = True
    if ready:
        st.rerun()


def setting_of(chosen: MethodSpec, facts: PublicFacts | str | None, filled: widgets.Filled) -> Setting | None:
    """The setting with the target epsilon; a message in its place where there is none yet."""
    if isinstance(facts, str):
        st.error(markup.sentence(facts))
    elif facts is None:
        st.info(words["counting"], icon="⏳")
        st.fragment(await_facts, run_every=1.0)(str(st.session_state.get("data")))
    elif filled.errors:
        st.info(widgets.pointer(filled.errors), icon=":material/edit:")
    else:
        try:
            epsilon = pricing.wanted_epsilon(chosen.load_config())
            return method_costs.setting(chosen.name, {**filled.values, "epsilon": epsilon}, facts)
        except OptionError as error:
            st.error(markup.sentence(error))
    return None


def priced_of(setting: Setting) -> Priced | None:
    """The two linked fields, and what they come to."""
    if not setting.reads:
        return Priced(setting, math.nan, setting.at(math.nan))
    given = pricing.given_noise()
    try:
        scale = setting.noise() if given is None else given
        said = setting.at(scale)
    except OptionError as error:
        st.error(markup.sentence(error))
        pricing.linked_fields(setting, None, None)
        return None
    pricing.linked_fields(setting, scale, said if given is not None else None)
    return Priced(setting, scale, said)


# The answer


def swap(first: Priced, second: Priced) -> None:
    """Set the method that stood beside, and put the other beside it."""
    widgets.leave(first.setting.name)
    st.query_params["unit"] = second.said.unit
    choosing.put("method", second.setting.name)
    choosing.put("with", first.setting.name)


def beside(first: Priced, second: Priced) -> None:
    """Two methods in a table."""
    columns = words["columns"]
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
    config = {
        "noise": columns["noise"],
        EPSILONS["sound"].title: columns["epsilon"],
        EPSILONS["published"].title: columns["published"],
        "adversary's accuracy": columns["guess"],
    }
    st.dataframe(
        rows, hide_index=True, column_config={name: st.column_config.Column(help=text) for name, text in config.items()}
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Change places", key="swap", icon=":material/swap_horiz:", on_click=swap, args=(first, second))
        if first.said.unit != second.said.unit:
            hint = fill(words["units"], first=first.said.unit, second=second.said.unit)
            st.badge("two units", color="orange", help=hint)


def curve_of(one: Priced, against: str, until: float) -> tuple[Curve, str, float]:
    """Epsilon against an option of the method, or the noise; with the axis and the place of the setting."""
    lever = next((lever for lever in one.setting.price.levers if lever.option == against), None)
    if not one.setting.reads:
        return Curve(points=(), complete=True), one.setting.price.noise, one.noise
    if lever is None:
        return method_costs.along_noise(one.setting, one.noise, until), one.setting.price.noise, one.noise
    return method_costs.along(one.setting, lever, one.noise, until), lever.axis, lever.value


def chart(shown: Sequence[Priced], spec: DatasetSpec | None) -> bool:
    """Epsilon against noise or an option. False where points are missing, because time ran out."""
    first, until = shown[0], time.monotonic() + pricing.BUDGET_SECONDS
    levers = {lever.option: lever for lever in first.setting.price.levers}
    offered = [NOISE, *levers]
    keeping.within("against", offered)
    titles = {NOISE: NOISE, **{name: lever.axis.split(" (")[0] for name, lever in levers.items()}}
    asked = st.query_params.get("against")
    if asked is not None and asked not in titles.values():  # as the choice itself is written there
        st.warning(fill(words["unknown"], name="against", value=markup.literal(asked[:40])))
    against = NOISE
    if levers:
        against = str(
            st.pills(
                "ε against", offered, default=NOISE, required=True, key="against", bind="query-params",
                format_func=titles.__getitem__, help=words["against"],
            )
        )  # fmt: skip
    rows: list[Row] = []
    curves: list[Curve] = []
    statements: dict[str, PrivacyStatement] = {}
    for one in shown:
        curve, axis, place = curve_of(one, against, until)
        curves.append(curve)
        points = [(point.x, point.epsilon, point.published) for point in curve.points]
        rows += cost.data(points, place, axis, of=one.title)
        statements |= one.named(spec)[1]
    name = f"{first.named(spec)[0]}-{against}" + "".join(f"-{one.setting.name}" for one in shown[1:])
    if not rows:
        st.info(markup.sentence(curves[0].refused or words["free"]))
        return True
    show(cost, rows, name, statements)
    done = all(curve.complete for curve in curves)
    if not done:
        st.progress(min(curve.share for curve in curves), text=words["points"])
    return done


# Where the budget goes


def budget(one: Priced, spec: DatasetSpec | None, *, second: bool, several: bool) -> None:
    """The shares of the mechanisms, each by itself, and the ledger."""
    label = f"Where the budget goes{f': {one.title}' if several else ''}"
    with layout.fold(label, "budget.beside" if second else "budget", icon=":material/donut_small:") as part:
        if not part.open:
            return
        said, setting = one.said, one.setting
        name, statements = one.named(spec)
        if len(said.ledger) > 1:
            left, right = layout.columns(f"budget-{setting.name}", 2)
            with left:
                show(ledger, ledger.data(said.ledger, said.delta), name, statements)
            with right:
                parts = method_costs.parts(said.ledger, said.delta)
                titles = [", ".join(filter(None, (part.entry.mechanism, part.entry.stage))) for part in parts]
                costs = [(title, part.alone, part.without) for title, part in zip(titles, parts, strict=True)]
                show(entry_costs, entry_costs.data(costs, said.epsilon), name, statements)
        statement.ledger(said.ledger)
        statement.promise(said)


queue.tick()
keeping.keep("accounting", ("fold.",))
top, reading = page("accounting")
st.title("Accounting")
st.markdown(top)
left, right = layout.columns("accounting", (2, 3))
with left:
    spec = choose_data()
    chosen = choose_method(spec)
    other = choose_other(chosen, spec)
    facts = pricing.facts_of(spec)
    unit = choose_unit(chosen, spec)
    linked = st.container()
    filled = choose_options(chosen, unit)
    with linked:
        setting = setting_of(chosen, facts, filled)
        first = priced_of(setting) if setting is not None else None
    if first is not None:
        filled.fill_in(filled_in(first.setting.config, first.said))
    with st.container(horizontal=True):
        with st.popover("How to read this", icon=":material/help:"):
            st.markdown(reading)
        if first is not None and spec is not None:
            address = dict(pricing.train_address(first.setting, spec))
            st.page_link(
                shell.page("train"),
                label="Train with these settings",
                icon=":material/model_training:",
                query_params=address,
            )
second: Priced | None = None
complete = True
with right:
    if first is not None:
        if other is not None:
            try:
                second = pricing.second_of(other, first.setting, filled)
                beside(first, second)
            except OptionError as error:
                st.error(markup.sentence(error))
        if second is None:
            statement.numbers(first.said)
        complete = chart([first] if second is None else [first, second], spec)
if first is not None:
    for one in (first, second):
        if one is not None and one.setting.reads:
            budget(one, spec, second=one is second, several=second is not None)
    config = first.setting.config
    if isinstance(config, Config):
        noise.of_heter_poisson(first, spec)
    if isinstance(config, Config) or (isinstance(config, AggregationConfig) and config.covers_own_rows):
        with layout.fold("What a private row tells", "precision", icon=":material/visibility_off:") as part:
            if part.open:
                st.fragment(noise.private_rows)()
    if not complete:
        st.rerun()  # with what is known by now; the curve goes on where it stopped
