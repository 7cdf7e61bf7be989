"""A sweep as a form: methods at several ε, an option that is varied, baselines; how many runs, how long, and
the button."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec, PublicFacts
from privgraph.methods.base import Plan
from privgraph.options import Option, OptionError, Parameter, Scalar, listed, parameters, parse
from privgraph.registry import METHODS
from privgraph.runs import engines
from privgraph.runs.engines import ENGINES
from privgraph.runs.launch import capacity
from privgraph.runs.memory import too_large
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.sweep import sweep
from privgraph_workbench.facts import advising, comparing, datasets, few_nodes
from privgraph_workbench.facts import plans as facts_plans
from privgraph_workbench.facts.method_costs import PRIVACY
from privgraph_workbench.forms import data_options, widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import arriving, shell
from privgraph_workbench.views.parts import keeping, statement
from privgraph_workbench.views.tradeoffs import files, preset, sending
from privgraph_workbench.views.tradeoffs.one_graph import OneGraph, with_options
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.numbers import duration

MOST_SWEEP = 200
MOST_KNOWN = 2000
PREFIX = "data."
DECIMAL_COMMA = re.compile(r"\d,\d")
NOTHING = "nothing"
SEEDS = Parameter("seeds", int, 3, Option("how many seeds each setting runs with", low=1, high=10))
Setting = tuple[str, Mapping[str, Scalar]]


def show(graph: OneGraph, *, every: bool = False) -> None:
    """What is trained on what; whatever speaks against it; the button. The form begins with this graph, and
    with what its figure lacks (`preset.wanted`)."""
    spec = graph.spec
    if files.absent(spec):
        files.needed(spec, "sweep")
        return
    _begin(graph, every=every)
    unit = _unit(spec)
    if unit is None:
        st.caption("No method protects anything of this graph.")
        return
    preset.begin(graph, unit, _fitting(spec, unit), every=every)
    left, middle, right = st.columns([3, 3, 1])
    methods = _methods(left, spec, unit)
    typed = middle.text_input(
        "ε values",
        key="sweep_epsilons",
        placeholder=preset.typed(comparing.EPSILONS[unit]),
        help="Numbers with a comma or a space between them; a decimal point, as in 0.35. A smaller ε is more private",
    )
    texts = _numbers(typed)
    if DECIMAL_COMMA.search(typed):
        middle.caption(f"Read as ε = {listed(texts)}. A decimal has a point, as in 0.35.")
    wrong = _wrong(methods, texts)
    if wrong:
        middle.error(" ".join(map(markup.sentence, wrong)))
    asked = right.number_input("Seeds", value=int(SEEDS.default), step=1, key="sweep_seeds")
    left, middle, _ = st.columns([3, 3, 1])
    baselines = _baselines(left, spec, methods)
    with middle:
        varied, values = _varied(methods)
    data = data_options.options_form(spec)
    if graph.runs and graph.options and _same(graph.data_options, data.values):
        st.caption(f"This is the graph of the figure above: {markup.literal(naming.people_words(graph.people))}.")
    other = _other(graph, data.values) if every else None
    specs: list[RunSpec] = []
    plans: list[Plan] = []
    reasons: list[str] = []
    facts: PublicFacts | None = None
    if not data.errors and not wrong:
        try:
            facts = datasets.public_facts(spec, data.values, "random")
            _about(spec, facts)
            # References are queued first: without them nothing can be said of what a private model reaches.
            settings: list[Setting] = [(name, comparing.reference(name)) for name in baselines]
            settings += _settings(methods, unit, texts, varied, values)
            specs = _specs(spec, data.values, settings, int(parse(SEEDS, asked)))
            if facts is not None and len(specs) <= MOST_SWEEP:
                plans = [facts_plans.plan(method, one, facts) for method, one in settings]
        except (OptionError, DataError) as error:
            reasons.append(str(error))
    missing = "one method" if not methods else "one ε" if not texts else "one value" if varied and not values else ""
    if len(specs) > MOST_SWEEP:
        reasons.append(
            f"a sweep from this page has at most {MOST_SWEEP} runs (this one has {len(specs)}); the "
            "notebooks have no such bound"
        )
    if refusal := too_large(max((plan.memory_mb for plan in plans), default=0.0)):
        reasons.append(refusal)
    for text in reasons:
        st.error(markup.sentence(text))
    if other is not None:
        _apart(graph, other)
    if data.errors:
        st.info(widgets.pointer(data.errors), icon=":material/edit:")
    elif missing and not reasons and not wrong:
        st.info(f"Give at least {missing}.")
    ready = not (reasons or wrong or data.errors or missing or other)
    if ready:
        _price(specs, plans, facts, int(asked))
    _button(specs, unit, ready=ready, varied=bool(varied))


def _button(specs: Sequence[RunSpec], unit: str, *, ready: bool, varied: bool) -> None:
    engine = _engine()
    under_way = set(sending.pending())
    ids = tuple({one.id for one in specs})
    again = bool(specs) and set(ids) <= set(st.session_state.get("sweep", ()))
    done = queue.store().find_rows(RunQuery(ids=ids, states=("done",))) if ids else []
    there = bool(ids) and len(done) == len(ids)  # the gallery's too
    own = there and not any(row["gallery"] for row in done)
    label = f"Run the sweep ({len(specs)} runs)" if specs else "Run the sweep"
    if st.button(
        f"All {len(ids)} runs are there" if own else label,
        type="secondary" if there else "primary",
        key="sweep_go",
        disabled=not ready or own or (again and bool(under_way)),
        icon=":material/play_arrow:",
    ) and sending.send(specs, unit, "sweep", engine=engine, varied=varied):
        st.rerun()


def _engine() -> str:
    """Who trains the sweep; nothing is asked where this machine alone can."""
    choices = engines.offered()
    if len(choices) == 1:
        return choices[0]
    return str(
        st.selectbox("Train on", choices, key="sweep_engine", format_func=lambda name: f"{name}: {ENGINES[name].about}")
    )


_BEGUN = "sweep.begun"


def _begin(graph: OneGraph, *, every: bool) -> None:
    """Once a visit and a graph, and where a link has led here: the options are those of the figure, where the
    address that this began with says no others; and the methods all that fit, where `every` one is wanted."""
    before, begun = st.session_state.get(_BEGUN), (shell.visit(), graph.address)
    linked = arriving.by_link()  # then fields begin with the address, whatever they held
    if before == begun and not linked:
        return
    st.session_state[_BEGUN] = begun
    if every:
        st.session_state.pop("sweep_methods", None)
    found = graph.spec.load_options()
    if found is None:
        return
    known = parameters(found)
    other = before is not None and before[0] == begun[0] and before != begun
    if every or other:  # another graph was chosen: what was typed was of that
        for one in known:
            st.query_params.pop(PREFIX + one.name, None)
    if not any(PREFIX + one.name in st.query_params for one in known):
        widgets.put(known, graph.data_options, PREFIX)
        if linked:
            arriving.begin(widgets.address(graph.data_options, PREFIX, known))


def _other(graph: OneGraph, values: Mapping[str, Scalar]) -> OneGraph | None:
    """The graph that the form holds, where that is another one than the headline's."""
    if not values:
        return None
    held = with_options(graph.spec, values)
    return None if held.people == graph.people else held


def _apart(graph: OneGraph, held: OneGraph) -> None:
    """That headline and form are of two graphs, and the ways to one."""
    st.error("The settings below the headline are of another graph than the headline: choose one of them to run.")
    with st.container(horizontal=True):
        for one, label in ((graph, "Settings as the headline says"), (held, "Headline as the settings say")):
            st.page_link(
                shell.page("tradeoffs"),
                label=label,
                icon=":material/arrow_forward:",
                query_params={"data": one.address},
            )


def _same(options: Mapping[str, Scalar], values: Mapping[str, Scalar]) -> bool:
    """Whether the form holds the graph with these options; not where it asks for none."""
    return bool(values) and {**values, **options} == {**values}


def _fitting(spec: DatasetSpec, unit: str) -> list[str]:
    """The methods that protect the unit of this graph by noise, those in a setting of their own last."""
    return [*comparing.fitting(spec, unit), *comparing.apart(spec, unit)]


def _unit(spec: DatasetSpec) -> str | None:
    """What is protected; at first what the figure shows."""
    offered = [unit for unit in ("edge", "node") if _fitting(spec, unit)]
    if not offered:
        return None
    shown = st.session_state.get("protects")
    return str(
        st.segmented_control(
            "Protect",
            offered,
            default=shown if shown in offered else offered[0],
            required=True,
            key=f"sweep_unit.{shown}",  # another unit in the figure: the form begins with it
        )
    )


def _methods(place: DeltaGenerator, spec: DatasetSpec, unit: str) -> list[str]:
    """The methods that are trained."""
    offered = _fitting(spec, unit)
    st.session_state["sweep_methods"] = [one for one in st.session_state["sweep_methods"] if one in offered]
    return list(
        place.multiselect("Methods", offered, key="sweep_methods", format_func=lambda name: METHODS[name].title)
    )


def _baselines(place: DeltaGenerator, spec: DatasetSpec, methods: Sequence[str]) -> list[str]:
    """What is trained without privacy: a model that reads no edge; the network that costs are counted from;
    and each method, or its stand-in."""
    stand_ins = [METHODS[name].without_privacy for name in methods]
    apart = all(METHODS[name].own_parts for name in methods)  # judged by nodes of their own: no cost is counted there
    levels = [one for one in comparing.REFERENCES if not (apart and one == advising.NETWORK)]
    levels = [one for one in levels if METHODS[one].refuses(spec.task, spec.undirected, "none") is None]
    offered = list(dict.fromkeys([*levels, *stand_ins]))
    chosen = place.toggle(
        "Also without privacy, for comparison",
        value=True,
        key="sweep_bare",
        help=f"Trains {listed([METHODS[name].title for name in offered])} without noise" if offered else None,
    )
    return offered if chosen else []


def _varied(methods: Sequence[str]) -> tuple[str, list[Scalar]]:
    """An option that all chosen methods have, and the values that it takes; "" where none is varied."""
    known = [{one.name: one for one in parameters(METHODS[name].load_config())} for name in methods]
    common = [name for name in (known[0] if known else ()) if name not in PRIVACY and all(name in one for one in known)]
    keeping.within("sweep_option", [NOTHING, *common])
    name = st.selectbox(
        "Vary an option, too",
        [NOTHING, *common],
        key="sweep_option",
        format_func=lambda one: one if one == NOTHING else known[0][one].label,
        help="Every ε is run with every value; baselines keep their own",
    )
    if name == NOTHING or name is None:
        return "", []
    option = known[0][name]
    typed = st.text_input(
        f"Values of {option.label}",
        key="sweep_values",
        placeholder=", ".join(map(str, option.option.choices)) or f"{option.default}, ...",
        help=option.option.help,
    )
    try:
        return str(name), list(dict.fromkeys(parse(option, text) for text in _numbers(typed)))
    except OptionError as error:
        st.error(markup.sentence(error))
        return str(name), []


def _numbers(typed: str) -> list[str]:
    return typed.replace(",", " ").replace(";", " ").split()


def _wrong(methods: Sequence[str], texts: Sequence[str]) -> list[str]:
    """What is wrong with the budgets that were typed: of each what the first method that refuses it says."""
    said: dict[str, str] = {}
    for name in methods:
        known = next(one for one in parameters(METHODS[name].load_config()) if one.name == "epsilon")
        for text in texts:
            try:
                parse(known, text)
            except OptionError as error:
                said.setdefault(text, str(error))
    return [said[text] for text in texts if text in said]


def _settings(
    methods: Sequence[str], unit: str, texts: Sequence[str], varied: str, values: Sequence[Scalar]
) -> list[Setting]:
    """Every method at every ε, with every value of the varied option."""
    found: list[Setting] = []
    for name in methods:
        known = next(one for one in parameters(METHODS[name].load_config()) if one.name == "epsilon")
        for epsilon in sorted({float(parse(known, text)) for text in texts}):
            asked: dict[str, Scalar] = {"unit": unit, "epsilon": epsilon}
            found += [(name, {**asked, varied: value}) for value in values] if varied else [(name, asked)]
    return found


def _specs(spec: DatasetSpec, data: Mapping[str, Scalar], settings: Sequence[Setting], seeds: int) -> list[RunSpec]:
    made = (make_spec(method, spec.name, one, data_options=data) for method, one in settings)
    return [run for one in made for run in sweep(one, seeds=range(seeds))]


def _price(specs: Sequence[RunSpec], plans: Sequence[Plan], facts: PublicFacts | None, seeds: int) -> None:
    """How many runs there are, about how long they take, and what all of them would show together."""
    known = queue.store().find(RunQuery(states=("done",), limit=MOST_KNOWN))
    done = queue.store().find_rows(RunQuery(ids=tuple(one.id for one in specs), states=("done",)))
    here = {row["id"] for row in done if not row["gallery"]}
    shipped = len(done) - len(here)
    left = [one for one in specs if one.id not in here]
    already = f" ({len(here)} of them {'are' if len(here) > 1 else 'is'} there already)" if here else ""
    about = f", about {duration(comparing.seconds(left, facts, known, capacity()))} on this machine" if left else ""
    few = few_nodes.warned([], facts, seeds)
    st.markdown(f"**What it takes.** {len(specs)} runs{already}{about}.{f' **{few}**' if few else ''}")
    if shipped:
        those = f"{shipped} of these runs are" if shipped > 1 else "One of these runs is"
        st.caption(
            f"{those} in the figure already, from the gallery. Each stays there until your own, trained with secret "
            "noise, is done and replaces it."
        )
    private = [plan.statement for plan in plans if plan.statement.unit != "none"]
    if private:
        statement.looking(private, seeds, "private runs of this sweep")


def _about(spec: DatasetSpec, facts: PublicFacts | None) -> None:
    """Which graph is trained on, and how large it is."""
    size = "its sizes, and the price of the sweep, are shown once it is counted"
    if facts is not None:
        size = f"{facts.nodes:,} nodes, {facts.edges:,} edges"
    st.caption(f"Trains on **{markup.literal(spec.title)}**: {size}. Everything else as the methods' defaults.")
