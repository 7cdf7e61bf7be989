"""Which noise keeps an epsilon, and which epsilon does a noise keep? From public sizes alone."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import streamlit as st

from privgraph.data.files import available
from privgraph.data.spec import DatasetSpec, PublicFacts, in_two_domains
from privgraph.methods.aggregation.options import AggregationConfig
from privgraph.methods.base import EPSILON, filled_in
from privgraph.methods.gradients.heter_poisson.config import Config
from privgraph.options import Option, OptionError, Parameter, build, parameters, parse, values
from privgraph.privacy.precision import precision_bound
from privgraph.privacy.rounding import upper
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS, MethodSpec
from privgraph_workbench.facts import datasets, method_costs
from privgraph_workbench.facts.method_costs import Setting
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.costs import cost, entry_costs, ledger
from privgraph_workbench.figures.noise import precision
from privgraph_workbench.forms import beginnings, data_options, widgets
from privgraph_workbench.forms.beginnings import SCALE, SIZES
from privgraph_workbench.parts import choosing, layout, statement
from privgraph_workbench.parts.links import Statements, drawn_figure
from privgraph_workbench.text import fill, texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup, meaning, naming
from privgraph_workbench.words.numbers import bound, number, option, percent, rounded_delta, stated

FIRST = "progap"  # the method that is chosen at first
NOISE, NOBODY, TYPED = "noise", "nobody", "typed sizes"
words = texts("accounting")
helps = words["options"]
PRIVATE_ROW = (
    Parameter("classes", int, 10, Option(helps["classes"], low=2, high=10**5, label="Classes C")),
    Parameter("epsilon", float, 2.0, EPSILON),
    Parameter("delta", float, 1e-5, Option(helps["delta"], low=0, high=0.1, low_open=False, label="δ (delta)")),
    Parameter("share", float, 0.0, Option(helps["share"], low=0, high=0.99)),
)


@dataclass(frozen=True)
class Priced:
    """A method with its noise, and its statement then."""

    setting: Setting
    noise: float
    said: PrivacyStatement
    title: str
    file: str
    """How names of its files begin."""
    statements: Statements
    """What these state."""


def at(setting: Setting, noise: float) -> Priced:
    """The price of this noise. Raises `OptionError`."""
    said, title = setting.at(noise), METHODS[setting.name].title
    graph = naming.data_title(spec.name) if spec else TYPED
    label = f"{title} on {graph}, {said.unit}, noise {number(noise)}, planned"
    file = f"{spec.name.replace(':', '-') if spec else 'typed'}-{setting.name}-{said.unit}"
    return Priced(setting, noise, said, f"{title}, {said.unit}", file, {label: said})


# The fields


def choose_data() -> DatasetSpec | None:
    specs = {spec.name: spec for spec in datasets.choices() if available(spec)}
    titles = {**choosing.graphs(specs.values()), TYPED: TYPED}
    return specs.get(choosing.one("Data", titles, "data", refused=datasets.complaint, help=words["data"]))


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
    other = choosing.one("Compare with", titles, "with", help=words["with"])
    return method, None if other == NOBODY else other


def sizes() -> PublicFacts | None:
    """The sizes of the graph, or those that are typed; a message in their place where there are none yet."""
    known, prefix = (SIZES, "size.") if spec is None else (beginnings.of_data(spec), "data.")
    widgets.warn(known, prefix=prefix, typed=spec is None)
    if spec is not None:
        return layout.awaited(datasets.public_facts, spec, data_options.along(spec), "random")
    filled = widgets.options_form(SIZES, prefix="size.", heading=False)
    if filled.errors:
        widgets.correct(filled.errors)
        return None
    nodes, edges, train, classes, undirected = (filled.values[one.name] for one in SIZES)
    if train > nodes:
        st.error(fill(words["train_nodes"], nodes=f"{nodes:,}", train=f"{train:,}"))
        return None
    entries = edges * (2 if undirected else 1)
    held = {"classes": classes, "train_nodes": train, "undirected": undirected}
    # how many features there are enters no price
    return in_two_domains(PublicFacts(nodes=nodes, edges=edges, entries=entries, features=1, **held))


def choose_options(unit: str) -> widgets.Filled:
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
        return widgets.Filled(values={"unit": unit}) | widgets.options_form(shown, heading=False)


def priced(facts: PublicFacts, filled: widgets.Filled) -> Priced | None:
    """The two linked fields, and what they come to; a message in their place where there is nothing yet."""
    if filled.errors:
        widgets.correct(filled.errors)
        return None
    setting, found, given = None, None, None
    with layout.refusals():
        known = next(one for one in parameters(chosen.load_config()) if one.name == "epsilon")
        held = st.session_state.get("epsilon"), st.query_params.get("epsilon")
        epsilon = next(filter(None, (admitted(known, one) for one in held)), known.default)
        setting = method_costs.setting(chosen.name, {**filled.values, "epsilon": epsilon}, facts)
        if not setting.reads:
            return at(setting, math.nan)
        if (text := st.query_params.get("scale")) is not None and (given := admitted(SCALE, text)) is None:
            widgets.leave_out("scale", text)
        found = at(setting, setting.noise() if given is None else given)
    if setting is not None:
        linked_fields(setting, found, given=given is not None)
    return found


def admitted(known: Parameter, held: object) -> float | None:
    with suppress(OptionError):
        return None if held is None else float(parse(known, held))
    return None


def linked_fields(setting: Setting, found: Priced | None, *, given: bool) -> None:
    """Draw epsilon and noise side by side: whichever was changed last is asked for, and the other follows.
    `given`: that is the noise."""
    held = float(setting.config.epsilon)
    if found is not None and given:
        published = found.said.epsilon_as_published if setting.config.accounting == "published" else None
        epsilon = found.said.epsilon if published is None else published
        held = float(upper(epsilon)) if EPSILON.low <= epsilon <= EPSILON.high else held
    st.session_state["epsilon"] = held
    if found is not None:
        st.session_state["scale"] = float(f"{found.noise:.6g}")
    st.session_state.setdefault("scale", SCALE.default)

    def want() -> None:
        st.query_params.pop("scale", None)
        st.query_params["epsilon"] = option(st.session_state["epsilon"])

    def give() -> None:
        st.query_params["scale"] = option(st.session_state["scale"])

    left, right = st.columns(2)
    given = given and found is not None
    names = ("ε, follows", "Noise, asked for") if given else ("ε, asked for", "Noise, follows")
    hint, form = fill(words["noise"], noise=setting.price.noise), {"step": 0.1, "format": "%.6g"}
    ends = float(EPSILON.low), float(EPSILON.high)
    left.number_input(names[0], *ends, key="epsilon", on_change=want, help=words["epsilon"], **form)
    right.number_input(names[1], 0.0, SCALE.option.high, key="scale", on_change=give, help=hint, **form)


def second_of(other: str, first: Setting, filled: widgets.Filled) -> Priced:
    """A second method at the same target, with its own defaults for the rest. Raises `OptionError`."""
    units = method_costs.PRIVATE[other]
    unit = first.config.unit if first.config.unit in units else units[0]
    same = ("epsilon", "delta", "accounting") if unit == first.config.unit else ("epsilon", "accounting")
    wanted = {"epsilon": float(st.session_state.get("epsilon", first.config.epsilon)), **filled.values}
    kept = {name: wanted[name] for name in same if name in wanted}
    setting = method_costs.setting(other, {"unit": unit, **kept}, first.facts)
    return at(setting, setting.noise() if setting.reads else math.nan)


# The answer


def beside(first: Priced, second: Priced) -> None:
    rows = [
        {
            "method": one.title,
            "noise": f"{number(one.noise, 4)} ({one.setting.price.noise})" if one.setting.reads else "none",
            "epsilon": stated("sound", one.said.epsilon),
            "published": stated("published", one.said.epsilon_as_published),
            "δ": rounded_delta(one.said.delta),
            "guess": bound(meaning.guess(one.said.epsilon, one.said.delta)),
        }
        for one in (first, second)
    ]
    titles = {"epsilon": EPSILONS["sound"].title, "published": EPSILONS["published"].title}
    layout.table(rows, words["columns"], titles | {"guess": "adversary's accuracy"}, {})
    if first.said.unit != second.said.unit:
        hint = fill(words["units"], first=first.said.unit, second=second.said.unit)
        st.badge("two units", color="orange", help=hint)


def chart(shown: Sequence[Priced]) -> None:
    """Epsilon against noise or an option."""
    first = shown[0]
    titles = {lever.axis.split(" (")[0]: lever.option for lever in first.setting.price.levers}
    against = NOISE
    if titles:
        against = choosing.one("ε against", [NOISE, *titles], "against", row=True, help=words["against"])
    rows: list[Row] = []
    refused = ""
    statements: Statements = {}
    for one in shown:
        setting = one.setting
        lever = next((lever for lever in setting.price.levers if lever.option == titles.get(against)), None)
        axis, place = (setting.price.noise, one.noise) if lever is None else (lever.axis, lever.value)
        if setting.reads:
            with st.spinner(words["points"]):
                points, why = method_costs.along(setting, one.noise, lever)
            rows, refused = [*rows, *cost.data(points, place, axis, of=one.title)], refused or why
        statements |= one.statements
    if not rows:
        st.info(markup.sentence(refused or words["free"]))
        return
    name = "-".join([first.file, titles.get(against, NOISE), *(one.setting.name for one in shown[1:])])
    drawn_figure("cost", rows, name, statements=statements)


# Where the budget goes, and what noise cannot give


def budget(one: Priced) -> None:
    said = one.said
    if len(said.ledger) > 1:
        left, right = layout.columns(f"budget-{one.setting.name}", 2)
        with left:
            drawn_figure("ledger", ledger.data(said.ledger, said.delta), one.file, statements=one.statements)
        with right:
            rows = entry_costs.data(method_costs.parts(said.ledger, said.delta), said.epsilon)
            drawn_figure("entry_costs", rows, one.file, statements=one.statements)
    statement.whole(said)


@st.fragment
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
        rows = precision.data(classes, delta, {"this setting": epsilon}, share or None)
        drawn_figure("precision", rows, "calculator")


layout.head("accounting")
left, right = layout.columns("accounting", (2, 3))
with left:
    spec = choose_data()
    chosen, other = choose_methods()
    facts = sizes()
    private = method_costs.PRIVATE[chosen.name]
    units = [one for one in private if spec is None or not chosen.refuses(spec.task, spec.undirected, one)]
    unit = choosing.unit(chosen, units)
    linked = st.container()
    filled = choose_options(unit)
    with linked:
        first = priced(facts, filled) if facts else None
    if first is not None:
        filled.fill_in(filled_in(first.setting.config, first.said))
    with st.container(horizontal=True):
        layout.reading("accounting")
        if first is not None and spec is not None:
            held, of = dict(values(first.setting.config)), (*method_costs.PRIVACY, *first.setting.price.options)
            wanted = {name: held[name] for name in of}
            address = beginnings.settings(chosen.name, spec.name, wanted, data_options.along(spec))
            layout.link("train", "Train with these settings", "model_training", **address)
if first is not None:
    shown = [first]
    with right:
        if other is not None:
            with layout.refusals():
                shown.append(second_of(other, first.setting, filled))
                beside(*shown)
        if len(shown) == 1:
            statement.numbers(first.said)
        chart(shown)
    for one in shown:
        if one.setting.reads:
            label, key = f"Where the budget goes: {one.title}", "budget" if one is first else "budget.beside"
            layout.folded(label, key, partial(budget, one), icon="donut_small")
    config = first.setting.config
    if isinstance(config, Config) or (isinstance(config, AggregationConfig) and config.covers_own_rows):
        layout.folded("What a private row tells", "precision", private_row, icon="visibility_off")
