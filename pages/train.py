"""What will this run promise and cost? A graph, a method and a promise; and the run that comes of it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.files import available
from privgraph.data.spec import DatasetSpec
from privgraph.methods.base import Plan, filled_in
from privgraph.methods.row import MethodSpec
from privgraph.options import OptionError, build, parameters
from privgraph.registry import METHODS
from privgraph.runs.graph_id import GraphId
from privgraph.runs.memory import too_large
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench import advice, summary
from privgraph_workbench.facts import datasets, expecting, method_costs, plans
from privgraph_workbench.facts.expecting import Outlook
from privgraph_workbench.facts.plans import drowned
from privgraph_workbench.figures.runs import expected
from privgraph_workbench.forms import beginnings, data_options, widgets
from privgraph_workbench.forms.beginnings import SEEDS, SETUP
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import choosing, layout, one_run, sending, statement
from privgraph_workbench.parts.cached import kept
from privgraph_workbench.parts.links import drawn_figure
from privgraph_workbench.text import fill, texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup
from privgraph_workbench.words.meaning import WHO, protected
from privgraph_workbench.words.naming import RELATIONS
from privgraph_workbench.words.numbers import duration, kept_budget, number, option, percent, stated

MOST_READ = 5000
KINDS = {"upload": 0, "embedded": 1, "real": 2}
HIDES = {"edge": "connections", "node": "people"}
words = texts("train")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the form holds: `options` of the method without a budget, and `epsilons`, none where nothing is
    protected."""

    options: widgets.Filled
    epsilons: Sequence[float]
    data: widgets.Filled
    split: str
    setup: widgets.Filled


# Graph and method


@kept
def trained_on() -> Counter[str]:
    return Counter(row["dataset"] for row in queue.store().find_rows(RunQuery(states=("done",), limit=MOST_READ)))


def choose_graph() -> DatasetSpec:
    """The graph, of those on this machine, each with its size and its finished runs."""
    every = datasets.choices()
    here = {spec.name: spec for spec in every if available(spec)}
    runs = trained_on()
    titles: dict[str, str] = {}
    for spec in sorted(here.values(), key=lambda spec: KINDS.get(spec.kind, 3)):
        sizes = data_options.sizes(spec, data_options.along(spec))
        counted = {"texts" if spec.domains else "nodes": sizes["nodes"]}
        counted |= {"relations" if spec.domains else "edges": sizes["edges"], "runs": runs[spec.name] or None}
        told = (f"{count:,} {name}" for name, count in counted.items() if count is not None)
        titles[spec.name] = " · ".join([spec.title, *told])
    away = ", ".join(markup.literal(spec.title) for spec in every if spec.name not in here)
    hint = fill(words["away"], graphs=away) if away else None
    spec = here[choosing.one("Graph", choosing.titles(titles), "data", refused=datasets.complaint, help=hint)]
    if spec.caution:
        st.caption(markup.literal(spec.caution))
    return spec


def choose_method(spec: DatasetSpec) -> MethodSpec | None:
    """The method, of those that fit the graph; None where none does."""
    every = beginnings.ordered()
    refused = {one.name: reason for one in every if (reason := beginnings.unfit(one, spec))}
    hidden = {one.name: " or ".join(HIDES[unit] for unit in one.units if unit in HIDES) for one in every}
    fit = [one for one in every if one.name not in refused]
    titles = {one.name: f"{one.title} · hides {hidden[one.name] or 'nothing'}" for one in fit}
    if not titles:
        st.error(fill(words["no_method"], title=markup.literal(spec.title)))
        return None
    held = next((one for one in fit if one.name == st.query_params.get("method")), fit[0])
    about = markup.literal(f"{held.about.partition('. ')[0].rstrip('.')}. {held.paper}")
    method = choosing.method(titles, refused, about)
    if refused:
        with st.popover(f"Methods that do not fit: {len(refused)}", icon=":material/block:"):
            st.markdown("\n".join(f"- {markup.literal(reason)}" for reason in dict.fromkeys(refused.values())))
    return method


# Privacy and options


def choose_unit(method: MethodSpec, spec: DatasetSpec) -> str:
    """Who is protected; units that the method refuses on this graph are not offered."""
    found = {one: method.refuses(spec.task, spec.undirected, one) for one in method.units}
    held = choosing.unit(method, [one for one, reason in found.items() if reason is None])
    for one, reason in found.items():
        if reason is not None:
            st.caption(fill(words["refused"], unit=WHO.get(one, one), reason=markup.sentence(reason)))
    what = fill(words["protects"], what=protected(held, method.neighbours))
    st.caption(what if held != "none" else words["protects_none"])
    return held


def choose_options(spec: DatasetSpec, method: MethodSpec) -> Asked:
    known = beginnings.of_method(method.name)
    widgets.warn([*(one for one in known if one.name != "unit"), SEEDS, *SETUP])
    left, middle, right = st.columns([4, 6, 2], gap="medium")
    with left:
        unit = choose_unit(method, spec)
    privacy, epsilons = widgets.Filled(values={"unit": unit}), []
    if unit != "none":
        with middle:
            budget = next(one for one in known if one.name == "epsilon")
            try:
                epsilons = widgets.budgets(budget)
            except OptionError as error:
                st.error(markup.sentence(error))
                privacy |= widgets.Filled(errors={budget.label: str(error)})
    with right:
        setup = widgets.options_form([SEEDS], heading=False)
    groups = [f"{unit.capitalize()} level", *(["Privacy"] if unit != "none" else [])]
    shown = [one for one in known if one.name not in ("unit", "epsilon")]
    own = [one for one in shown if one.option.group in groups]
    own.sort(key=lambda one: one.option.group != "Privacy")
    rest = [*own, *(one for one in shown if one.option.group != "Privacy" and " level" not in one.option.group)]
    folded = [*rest, *SETUP]
    ajar = widgets.ajar("more", folded) | widgets.ajar("data", beginnings.of_data(spec), "data.")
    moved = sum(map(widgets.is_moved, folded))
    label = f"More options{f' ({moved} changed)' if moved else ''}"
    with st.expander(label, expanded=ajar, key="fold.more", icon=":material/tune:"):
        data = data_options.options_form(spec, flat=True)
        offered = [one for one in words["splits"] if one != "public" or spec.public_split]
        hint = "\n".join(f"- {one}: {words['splits'][one]}." for one in offered)
        split = choosing.one("Split", offered, "split", row=True, help=hint)
        if method.own_parts:
            st.caption(fill(words["own_parts"], title=method.title))
        options = privacy | widgets.options_form(rest, known=privacy.values)
        setup |= widgets.options_form(SETUP)
    return Asked(options=options, epsilons=epsilons, data=data, split=split, setup=setup)


# What comes of it


def plans_of(spec: DatasetSpec, method: MethodSpec, asked: Asked) -> list[Plan] | None:
    """A plan for each budget; None while the graph is counted. Raises `OptionError` and `DataError`."""
    wanted = [{**asked.options.values, "epsilon": one} for one in asked.epsilons] or [dict(asked.options.values)]
    config = build(method.load_config(), wanted[0])
    facts, found = datasets.public_facts(spec, asked.data.values, asked.split), None
    if facts is not None:
        with st.spinner("Calibrating the noise"):
            found = [plans.plan(method.name, one, facts) for one in wanted]
    asked.options.fill_in(filled_in(config, found[0].statement if found else None))
    return found


def specs_of(spec: DatasetSpec, method: MethodSpec, asked: Asked) -> list[RunSpec]:
    setup, values = asked.setup.values, asked.options.values
    shared = {"data_options": asked.data.values, "split": asked.split, "device": setup["device"]}
    budgets = [{"epsilon": one} for one in asked.epsilons] or [{}]
    seeds = range(setup["seed"], setup["seed"] + setup["seeds"])
    return [make_spec(method.name, spec.name, values | one, seed=seed, **shared) for one in budgets for seed in seeds]


def numbers(found: Sequence[Plan], told: Outlook, asked: Asked, runs: Sequence[RunSpec], relations: bool) -> None:
    """Epsilon, noise, expected accuracy and time, each from the first budget to the last."""
    name = next(iter(found[0].noise), "") if found else ""
    budgets, sound = [*asked.epsilons] or [None], [plan.statement.epsilon for plan in found]
    kept = [kept_budget(one, held) or held for one, held in zip(budgets, sound, strict=False)]
    took = sending.seconds(runs, found[0].facts) if runs and found else None
    noise, hint = [number(plan.noise[name], 3) for plan in found if name], name.replace("_", " ") or "none"
    reached = [percent(one["mean"]) for one in map(told.expected, budgets) if one is not None]
    time = [] if took is None else [duration(max(1.0, took))]
    for label, shown, nothing, help_ in (
        (EPSILONS["sound"].title, [stated("sound", one) for one in kept], "—", words["sound"]),
        ("Noise", noise, "none", fill(words["noise"], name=hint)),
        (f"Expected {'PREC@1' if relations else 'accuracy'}", reached, "unknown", words["expected"]),
        ("Time", time, "not known yet", words["time"]),
    ):
        st.metric(label, " – ".join(dict.fromkeys((*shown[:1], *shown[-1:]))) or nothing, help=help_, width="content")


def doubts(found: Sequence[Plan], told: Outlook, asked: Asked) -> None:
    """Warn where noise swamps edges, or all that is learnt: by the plans of those budgets of which no run
    tells."""
    held: dict[str, list[tuple[float, dict[str, str]]]] = {}
    for plan, epsilon in sorted(zip(found, asked.epsilons, strict=False), key=lambda one: one[1]):
        at = told.expected(epsilon)
        if (at is None or at["low"] is None) and (worst := drowned(plan)) is not None:
            times = number(worst.times, 2) if worst.times < 100 else f"{worst.times:,.0f}"
            slots = {"where": worst.what, "times": times}
            held.setdefault("edges" if worst.edges else "swamped", []).append((epsilon, slots))
    for kind, swamped in held.items():
        epsilons = ", ".join(option(epsilon) for epsilon, _ in swamped)
        st.warning(fill(words["doubts"][kind], epsilons=epsilons, **swamped[0][1]), icon=":material/trending_down:")


def start_here(method: MethodSpec, spec: DatasetSpec, asked: Asked) -> None:
    """The way to the method that the examples find best here, where that is another."""
    unit = str(asked.options.values.get("unit", "none"))
    if unit == "none" or not asked.epsilons:
        return
    graph = GraphId.made(spec.name, dict(asked.data.values), asked.split).words()
    name = best(graph, unit, asked.epsilons[0])

    def take() -> None:
        choosing.put("method", name)
        widgets.turn()

    if name == method.name:
        st.badge("start here", color="green", icon=":material/flag:")
    elif name:
        st.button(f"Start here: {METHODS[name].title}", key="start_here", icon=":material/flag:", on_click=take)


@kept
def best(graph: str, unit: str, epsilon: float) -> str | None:
    """The method that the examples advise on a graph at that unit and budget, if any."""
    frame = summary.runs(queue.examples(), RunQuery(datasets=(graph.partition(" (")[0],), states=("done",)))
    for at in advice.advise(frame[frame.graph == graph], unit):
        told = at.outcome in (advice.Outcome.TAKE, advice.Outcome.OPEN) and at.take
        if told and at.epsilon == at.at == epsilon:
            return at.take[0]
    return None


def expect(told: Outlook, asked: Asked, run: RunSpec) -> None:
    if not told.points:
        st.info(words["no_runs"])
        return
    ids = tuple(run for point in told.points for run in point["runs"].split())
    records = queue.store().find(RunQuery(ids=ids))
    drawn_figure("expected", expected.data(told, asked.epsilons), run.method, records)
    if told.differs:
        hint = fill(words["other_options"], options=markup.literal(", ".join(told.differs)))
        st.badge("other options", color="orange", help=hint)


def promise(found: Sequence[Plan], asked: Asked, runs: Sequence[RunSpec]) -> None:
    first, said = found[0], found[0].statement
    if len(found) > 1:
        st.markdown(f"**ε = {asked.epsilons[0]:g}**")
    statement.numbers(said, asked=next(iter(asked.epsilons), None))
    if len(runs) > 1 and said.unit != "none":
        statement.together([plan.statement for plan in found], len(runs) // len(found))
    statement.ledger(said.ledger)
    memory = f"{first.memory_mb:,.0f}" if first.memory_mb else "—"
    st.caption(fill(words["work"], steps=f"{first.steps:,}", unit=first.work.step, memory=memory))
    for note in first.notes:
        st.caption(markup.sentence(note))
    with st.expander("Promise and assumptions"):
        statement.promise(said)
    if runs and runs[0].method in method_costs.PRIVATE and said.unit != "none":
        run, known = runs[0], {one.name: one.default for one in parameters(METHODS[runs[0].method].load_config())}
        moved = {name: one for name, one in run.options.items() if name in ("unit", "epsilon") or one != known[name]}
        address = beginnings.settings(run.method, run.dataset, moved, run.data_options)
        layout.link("accounting", "Other noise", "calculate", **address)


def form() -> None:
    layout.head("train")
    if (wanted := st.query_params.get("run")) is not None:
        st.warning(fill(words["unknown_run"], run=markup.literal(wanted[:80])))
    bar = st.container(key="runbar", horizontal=True, vertical_alignment="center")
    below = st.container()
    left, right = st.columns(2, gap="medium")
    with left:
        spec = choose_graph()
    with right:
        method = choose_method(spec)
    if method is None:
        return
    asked = choose_options(spec, method)
    errors = [*asked.data.errors, *asked.options.errors, *asked.setup.errors]
    reasons: list[str] = []
    found: list[Plan] | None = []
    if not errors:
        try:
            found = plans_of(spec, method, asked)
        except (OptionError, DataError) as error:
            reasons.append(str(error))
    if found and (refusal := too_large(max(plan.memory_mb for plan in found))):
        reasons.append(refusal)
    runs = [] if errors or reasons else specs_of(spec, method, asked)
    told = expecting.outlook(expecting.beside(queue.store(), runs[0])[1], runs[0]) if runs else Outlook()
    with bar:
        numbers(found or [], told, asked, runs, RELATIONS in method.tasks)
        label = "Run" if len(runs) < 2 else f"Run {len(runs)} runs"
        if st.button(label, type="primary", key="go", disabled=not runs, icon=":material/play_arrow:"):
            sending.send(runs)
    with below:
        if runs:
            doubts(found or [], told, asked)
        for text in reasons:
            st.error(markup.sentence(text))
        if errors:
            widgets.correct(errors)
        if found is None:
            layout.awaited(datasets.public_facts, spec, asked.data.values, asked.split)
    with right, st.container(horizontal=True):
        layout.reading("train")
        start_here(method, spec, asked)
    left, right = layout.columns("before", 2)
    with left:
        if runs:
            expect(told, asked, runs[0])
    with right:
        if found:
            promise(found, asked, runs)


if not one_run.shown():
    form()
