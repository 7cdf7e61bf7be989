"""The Accounting page: what noise costs and what it buys, for any private method, before anything is
trained."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping

import streamlit as st

from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.methods.base import EPSILON, filled_in
from privgraph.options import Option, OptionError, Parameter, parameters, parse, values
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS, MethodSpec
from privgraph_workbench import live_plot
from privgraph_workbench.facts import method_costs
from privgraph_workbench.facts.method_costs import Curve, Setting
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.costs import cost
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.accounting import form as accounting_form
from privgraph_workbench.views.accounting import noise as accounting_noise
from privgraph_workbench.views.accounting import parts as accounting_parts
from privgraph_workbench.views.accounting import terms as accounting_terms
from privgraph_workbench.views.parts import layout, statement
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words import markup, meaning
from privgraph_workbench.words.numbers import number, option, proved_epsilon, stated, upper

BUDGET_SECONDS = 0.6
"""How long one drawing of the page may compute; what is missing then is drawn next."""
SCALE = Parameter(
    "scale", float, 1.0, Option("the scale of the noise; epsilon follows from it", low=0, low_open=True, high=1e12)
)


def page() -> None:
    """A form on the left, both epsilons on the right; below, what moves them, where they go, and which noise
    it is."""
    queue.tick()
    st.title("Accounting")
    st.markdown(
        "Privacy is bought with **noise**: the more noise, the less anybody can learn about one person, and "
        "the less the model learns too. This page says what the noise of a method costs, in **ε** (epsilon: "
        "smaller is more private), from public sizes alone: nothing is trained."
    )
    left, right = st.columns(2, gap="large")
    with left, st.container(border=True):
        spec = accounting_form.choose_data()
        facts = accounting_form.facts(spec)
        chosen = accounting_form.choose_method()
        filled = accounting_form.options(chosen, spec)
    with right:
        setting = _setting(chosen, facts, filled)
        priced = _price(setting, spec) if setting is not None else None
        until, complete = time.monotonic() + BUDGET_SECONDS, True
        if setting is not None and priced is not None:
            complete = _against_noise(setting, *priced, spec, until)
    if setting is not None and priced is not None:
        filled.fill_in(filled_in(setting.config, priced[1]))
        complete = _body(setting, *priced, spec, until) and complete
    if setting is not None:
        accounting_noise.show(setting)
    if not complete:
        st.rerun()  # with what is known by now; the curves go on where they stopped


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
        return method_costs.setting(chosen.name, {**filled.values, "epsilon": _wanted_epsilon(config)}, facts)
    except OptionError as error:
        st.error(markup.sentence(error))
        return None


def _wanted_epsilon(config: type) -> float:
    """What the page holds, else the address, else the method's own."""
    known = next(parameter for parameter in parameters(config) if parameter.name == "epsilon")
    for held in (st.session_state.get("epsilon"), st.query_params.get("epsilon")):
        try:
            if held is not None:
                return float(parse(known, held))
        except OptionError:
            continue  # `forms.complaints` has said so
    return float(known.default)


def _given_noise() -> float | None:
    """The noise of the address, where epsilon follows from it."""
    held = st.query_params.get("scale")
    if held is None:
        return None
    try:
        return float(parse(SCALE, held))
    except OptionError as error:
        st.warning(f"In this page's address, {markup.literal(error)}; the noise follows from ε instead.")
        return None


def _price(setting: Setting, spec: DatasetSpec | None) -> tuple[float, PrivacyStatement] | None:
    """The two linked inputs, and what they come to: the noise and its statement."""
    st.markdown("### From a wanted ε to noise, and back")
    if not setting.reads:
        said = setting.at(math.nan)
        _boxes(said)
        st.info(
            f"{setting.price.fixed} There is no noise to choose, and nothing to pay.", icon=":material/check_circle:"
        )
        return None
    typed_noise = _given_noise()
    try:
        noise = typed_noise if typed_noise is not None else setting.noise()
        said = setting.at(noise)
    except OptionError as error:
        st.error(markup.sentence(error))
        _inputs(setting, None, None)
        return None
    _inputs(setting, noise, said if typed_noise is not None else None)
    _boxes(said)
    st.markdown(meaning.risk(said.unit, said.epsilon, said.delta, said.neighbours))
    for reason in method_costs.unprotected(said.ledger):
        st.warning(f"No ε can be proved: {reason}.")
    st.caption(f"{meaning.delta(said.delta, said.epsilon)} Rule: {said.delta_rule}.")
    if said.gaps:
        statement.gaps(said)
    if spec is not None and setting.config.unit != "none":
        st.page_link(
            shell.page("train"),
            label="**Train with these settings**",
            icon=":material/model_training:",
            query_params=train_address(setting, spec),
        )
    return noise, said


def _inputs(setting: Setting, noise: float | None, from_noise: PrivacyStatement | None) -> None:
    """Wanted epsilon and noise side by side: whichever was changed last decides, and the other follows."""
    held = float(setting.config.epsilon)
    if from_noise is not None:
        published = setting.config.accounting == "published" and from_noise.epsilon_as_published is not None
        follows = float((from_noise.epsilon_as_published or 0.0) if published else from_noise.epsilon)
        if float(EPSILON.low or 0) <= follows <= float(EPSILON.high or math.inf):
            held = float(upper(follows))
    st.session_state["epsilon"] = held
    if noise is not None:
        st.session_state["scale"] = float(f"{noise:.6g}")
    elif "scale" not in st.session_state:
        st.session_state["scale"] = float(SCALE.default)
    left, right = st.columns(2)
    left.number_input(
        "Wanted ε",
        step=0.1,
        format="%.6g",
        key="epsilon",
        on_change=_want,
        help=f"{EPSILON.help.capitalize()}. The noise beside it follows",
    )
    right.number_input(
        "Noise",
        step=0.1,
        format="%.6g",
        key="scale",
        on_change=_give,
        help=f"The {setting.price.noise}. Both epsilons follow",
    )
    refused = st.session_state.pop("refused", "")
    if refused:
        st.error(refused)
    st.caption(
        f"Noise: {setting.price.noise}. "
        + (
            "ε follows from the noise."
            if from_noise is not None
            else "The noise follows from ε, and is the least that keeps it."
        )
    )


def _want() -> None:
    epsilon = _typed(Parameter("epsilon", float, 1.0, EPSILON))
    if epsilon is not None:
        st.query_params.pop("scale", None)
        st.query_params["epsilon"] = option(epsilon)


def _give() -> None:
    noise = _typed(SCALE)
    if noise is not None:
        st.query_params["scale"] = option(noise)


def _typed(parameter: Parameter) -> float | None:
    """The number that was typed; None, and a sentence for the next redraw, where it is not admitted."""
    try:
        return float(parse(parameter, st.session_state[parameter.name]))
    except OptionError as error:
        st.session_state["refused"] = f"{markup.sentence(error)} The numbers are those of before."
        return None


def _drag(name: str, noise: float) -> None:
    """The line on the curve was let go at that noise."""
    if name == cost.HANDLE and 0 < noise < math.inf:
        st.query_params["scale"] = f"{noise:.4g}"


def _boxes(said: PrivacyStatement) -> None:
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
    for column, (label, value, help_) in zip(st.columns(2), boxes, strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(label, help=help_)
            st.markdown(f"#### {value}")


def _against_noise(
    setting: Setting, noise: float, said: PrivacyStatement, spec: DatasetSpec | None, until: float
) -> bool:
    """Epsilon against the noise, whose line can be dragged. False where points are missing, because time ran
    out."""
    curve, (name, statements) = method_costs.along_noise(setting, noise, until), _named(setting, noise, said, spec)
    st.markdown("**ε against noise.** More noise, smaller ε. Drag the line to try another noise.")
    rows = cost.data(_triples(curve), noise, setting.price.noise, handle=True)
    _figure(rows, statements, f"{name}-noise", curve, drag=True)
    st.caption(LINES + ("" if curve.complete else MORE))
    return curve.complete


LINES = (
    "Solid: what we can prove of this noise. Dashed: what the paper's own formula says of it. The large "
    "marks are this setting. An axis counts in factors where numbers differ by more than ten times."
)
MORE = " More points are being computed."


def _named(
    setting: Setting, noise: float, said: PrivacyStatement, spec: DatasetSpec | None
) -> tuple[str, dict[str, PrivacyStatement]]:
    """How files of this setting are named, and what they state."""
    place = spec.name.replace(":", "-") if spec else "typed"
    label = f"{METHODS[setting.name].title} on {place}, {said.unit}, noise {number(noise)}, planned"
    return f"{place}-{setting.name}-{said.unit}", {label: said}


def _body(setting: Setting, noise: float, said: PrivacyStatement, spec: DatasetSpec | None, until: float) -> bool:
    """What else moves epsilon, and where the budget goes. False where points are missing, because time ran
    out."""
    name, statements = _named(setting, noise, said, spec)
    complete = _levers(setting, noise, said, statements, name, until)
    accounting_parts.show(setting, said, statements, name)
    accounting_terms.show(setting, noise, said, statements, name)
    return complete


def _levers(
    setting: Setting,
    noise: float,
    said: PrivacyStatement,
    statements: Mapping[str, PrivacyStatement],
    name: str,
    until: float,
) -> bool:
    """A curve for each option that moves epsilon. False where points are missing, because time ran out.

    Gaussian noise alone adds up in closed form, and its curves are there at once; others take seconds, and
    wait until somebody asks for them.
    """
    levers = setting.price.levers
    if not levers:
        return True
    key = f"levers.{setting.name}.{said.unit}"
    with layout.fold(
        "What else moves ε, while the noise stays as it is",
        key,
        icon=":material/tune:",
        opened=method_costs.all_gaussian(said.ledger),
    ) as part:
        if not part.open:
            return True
        curves = [(lever, method_costs.along(setting, lever, noise, until)) for lever in levers]
        complete = all(curve.complete for _, curve in curves)
        if not complete:
            st.caption(MORE)
        columns = st.columns(2, gap="large")
        for place, (lever, curve) in enumerate(curves):
            with columns[place % 2]:
                st.markdown(f"**{_heading(lever.axis)}.** {lever.about}")
                rows = cost.data(_triples(curve), lever.value, lever.axis)
                _figure(rows, statements, f"{name}-{lever.option}", curve)
    return complete


def _heading(axis: str) -> str:
    """An axis without what stands in brackets.

    >>> _heading("depth K (noisy sums)")
    'Depth K'
    """
    short = axis.split(" (")[0]
    return short[:1].upper() + short[1:]


def _triples(curve: Curve) -> list[tuple[float, float, float | None]]:
    return [(point.x, point.epsilon, point.published) for point in curve.points]


def _figure(
    rows: list[Row], statements: Mapping[str, PrivacyStatement], name: str, curve: Curve, *, drag: bool = False
) -> None:
    if not rows:
        st.info(markup.sentence(curve.refused or "no place of this curve can be had"))
        return
    live_plot.show(cost.plot(rows, layout.theme()), key=f"cost.{name}", on_drag=_drag if drag else None)
    figure_exports("cost", rows, statements, name=name)


def train_address(setting: Setting, spec: DatasetSpec) -> dict[str, str]:
    """The query parameters that fill the Train page with these settings."""
    held = dict(values(setting.config))
    chosen = (*method_costs.PRIVACY, *setting.price.options)
    return {
        "method": setting.name,
        "data": spec.name,
        **widgets.address({name: held[name] for name in chosen}, known=parameters(type(setting.config))),
    }
