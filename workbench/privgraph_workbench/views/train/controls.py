"""The big controls of the Train page, what protects whom and how often; and, folded away, everything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.data.spec import DatasetSpec
from privgraph.methods.row import MethodSpec
from privgraph.options import Option, OptionError, Parameter, Scalar
from privgraph_workbench.forms import beginnings, data_options, fields, widgets
from privgraph_workbench.views.parts import choosing
from privgraph_workbench.words import markup
from privgraph_workbench.words.meaning import WHO, protected, strength
from privgraph_workbench.words.numbers import option

MOST_SEEDS = 20
SEEDS = Parameter(
    "seeds",
    int,
    1,
    Option(
        "how many seeds to run; they train together, and their spread says how much chance there is in one result",
        low=1,
        high=MOST_SEEDS,
        label="Seeds",
        group="Repeat",
    ),
)
SETUP = (
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
SPLITS = {
    "random": "75% train, 10% validate, 15% test, drawn by the seed, as in the ProGAP paper",
    "public": "The split that came with the data",
    "inductive": "Test nodes and their edges are unknown while training",
}


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the form holds: the method's options without a budget, the budgets (none where nothing is
    protected) and the place below them, options of the data, the split, seeds and device."""

    options: widgets.Filled
    epsilons: Sequence[float]
    about: DeltaGenerator
    data: widgets.Filled
    split: str
    setup: widgets.Filled

    @property
    def errors(self) -> list[str]:
        """The labels of the fields that are wrong; their sentences stand there."""
        return [*self.data.errors, *self.options.errors, *self.setup.errors]


def controls(spec: DatasetSpec, chosen: beginnings.Choice) -> Asked:
    """The row of big controls, and the fold below it."""
    known = beginnings.form(chosen.method, chosen.held)
    for complaint in widgets.complaints([*known, SEEDS, *SETUP]):
        st.warning(complaint)
    st.markdown("##### 3 · Privacy")
    left, middle, right = st.columns([4, 6, 2], gap="medium")
    with left:
        privacy = _unit(chosen.method, spec, known)
    unit = privacy.values.get("unit")
    epsilons: list[float] = []
    about = middle.empty()
    if unit not in (None, "none"):
        with middle:
            budget = next(one for one in known if one.name == "epsilon")
            try:
                epsilons = widgets.budgets(budget)
            except OptionError as error:
                st.error(markup.sentence(error))
                privacy |= widgets.Filled(errors={budget.label: str(error)})
            about = st.empty()
    with right:
        setup = widgets.options_form([SEEDS], heading=False)
    inside = [
        one for one in known if one.option.group == "Privacy" and one.name not in ("unit", "epsilon") and unit != "none"
    ]
    rest = [one for one in known if _concerns(one, unit)]
    folded = [*inside, *rest, *SETUP]
    ajar = widgets.ajar("more", folded) | widgets.ajar("data", data_options.known(spec), "data.")
    wrong = st.container()
    with st.expander(f"More options{_moved(folded)}", expanded=ajar, key="fold.more", icon=":material/tune:"):
        data = data_options.options_form(spec, within=wrong)
        split = _split(spec, chosen.method)
        options = privacy | widgets.options_form([*inside, *rest], known=privacy.values, flat=True)
        setup |= widgets.options_form(SETUP, flat=True)
    return Asked(options=options, epsilons=epsilons, about=about, data=data, split=split, setup=setup)


def _unit(method: MethodSpec, spec: DatasetSpec, known: Sequence[Parameter]) -> widgets.Filled:
    """Who is protected; units that the method refuses are not offered, and it says why."""
    unit = next(one for one in known if one.name == "unit")
    refused: dict[Scalar, str] = {}
    for one in unit.option.choices:
        reason = method.refuses(spec.task, spec.undirected, str(one))
        if reason:
            refused[one] = reason
    titles = {str(one): WHO.get(str(one), str(one)) for one in unit.option.choices if one not in refused}
    if not {st.query_params.get("unit"), st.session_state.get("unit")} & titles.keys():
        st.session_state["unit"] = str(unit.default) if str(unit.default) in titles else [*titles][-1]
    held = choosing.one("Who is protected", titles, "unit", row=True, width="stretch", help=fields.help(unit))
    for one, reason in refused.items():
        st.caption(f"Not offered: {WHO.get(str(one), one)}. {reason}.")
    st.caption(
        f"Protects {protected(str(held), method.neighbours)}."
        if held != "none"
        else "Protects nothing: for comparison only."
    )
    return widgets.Filled(values={"unit": held})


def called(epsilons: Sequence[float], own: float | None, but: Mapping[float, str]) -> str:
    """What budgets are called, what speaks against some of them, and where a fresh form begins."""
    said = [f"ε {option(one)} is {strength(one)} protection{but.get(one, '')}" for one in epsilons[:4]]
    text = f"{'; '.join(said)}{'; …' if len(epsilons) > 4 else ''}."
    if own is None or list(epsilons) != [beginnings.EPSILON]:
        return text
    return f"{text} The method's own default is {own:g}: {strength(own)} protection, and more accuracy."


def _concerns(parameter: Parameter, unit: object) -> bool:
    """Whether an option belongs below the privacy options, for that unit: `Node level` options only for
    nodes."""
    group = parameter.option.group
    return group != "Privacy" and (not group.endswith(" level") or group == f"{str(unit).capitalize()} level")


def _moved(folded: Sequence[Parameter]) -> str:
    """Which of the folded options are not as the form begins, in a few words of Markdown."""
    found = [one.label for one in folded if one.name in st.query_params and widgets.is_moved(one)]
    shown = ", ".join(found[:4]) + (f" and {len(found) - 4} more" if len(found) > 4 else "")
    return f" · {len(found)} changed: {markup.literal(shown)}" if found else ""


def _split(spec: DatasetSpec, method: MethodSpec) -> str:
    offered = [one for one in SPLITS if one != "public" or spec.public_split]
    st.markdown("##### Split: which nodes train, and which test")
    chosen: str = st.segmented_control(
        "Split", offered, default="random", required=True, key="split", bind="query-params"
    )
    st.caption(f"{SPLITS[chosen]}.")
    if method.own_parts:
        st.caption(
            f"{method.title} draws its own private and public nodes, by the options of its parts below: of the "
            "split it takes the seed, and the edges that an inductive one leaves out."
        )
    return chosen
