"""What will this run promise and cost? A graph, a method and a promise; and the run that comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec
from privgraph.methods.base import Plan
from privgraph.methods.row import MethodSpec
from privgraph.options import OptionError, parameters
from privgraph.registry import METHODS
from privgraph.runs.graph_id import GraphId
from privgraph.runs.memory import too_large
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec
from privgraph_workbench import advice, summary
from privgraph_workbench.facts import datasets, method_costs
from privgraph_workbench.facts.expecting import Outlook
from privgraph_workbench.figures.runs import expected
from privgraph_workbench.forms import again, beginnings, data_options, widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import choosing, layout, one_run, planning, sending, statement
from privgraph_workbench.parts.cached import kept
from privgraph_workbench.parts.file_links import drawn_figure
from privgraph_workbench.parts.planning import SEEDS, SETUP, Asked
from privgraph_workbench.serving import shell
from privgraph_workbench.text import fill, texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup
from privgraph_workbench.words.meaning import WHO, protected
from privgraph_workbench.words.measures import RELATIONS
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import duration, kept_budget, number, percent, stated

MOST_READ = 5000
KINDS = {"upload": 0, "embedded": 1, "real": 2}
words = texts("train")


# Graph and method


@kept
def trained_on() -> Counter[str]:
    return Counter(row["dataset"] for row in queue.store().find_rows(RunQuery(states=("done",), limit=MOST_READ)))


@kept
def best(graph: str, unit: str, epsilon: float) -> str:
    """The method that the examples advise on a graph at that unit and budget; "" for none."""
    query = RunQuery(datasets=(graph.partition(" (")[0],), states=("done",))
    frame = summary.runs(queue.examples(), query)
    found = advice.advise(frame[frame.graph == graph], unit)
    at = next((one for one in found if one.epsilon == epsilon), None)
    told = at is not None and at.at == epsilon and at.outcome in (advice.Outcome.TAKE, advice.Outcome.OPEN)
    return at.take[0] if at is not None and told and at.take else ""


def choose_graph() -> DatasetSpec:
    """The graph, of those on this machine, each with its size and its finished runs."""
    every = datasets.choices()
    here = {spec.name: spec for spec in every if datasets.unavailable(spec) is None}
    asked = st.query_params.get("data")
    if asked is not None and asked not in here:
        st.warning(fill(words["no_graph"], reason=datasets.complaint(asked)))
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
    spec = here[choosing.one("Graph", choosing.titles(titles), "data", help=hint)]
    if spec.caution:
        st.caption(markup.literal(spec.caution))
    return spec


def choose_method(spec: DatasetSpec) -> MethodSpec | None:
    """The method, of those that fit the graph; None where none does."""
    every = beginnings.ordered()
    refused = {one.name: reason for one in every if (reason := beginnings.unfit(one, spec))}
    titles = {one.name: f"{one.title} · {beginnings.hides(one)}" for one in every if one.name not in refused}
    if not titles:
        st.error(fill(words["no_method"], title=markup.literal(spec.title)))
        return None
    held = METHODS[st.query_params.get("method") if st.query_params.get("method") in titles else next(iter(titles))]
    about = markup.literal(f"{held.about.partition('. ')[0].rstrip('.')}. {held.paper}")
    method = choosing.method(titles, refused, about)
    if refused:
        with st.popover(f"Methods that do not fit: {len(refused)}", icon=":material/block:"):
            st.markdown("\n".join(f"- {markup.literal(reason)}" for reason in dict.fromkeys(refused.values())))
    return method


# Privacy and options


def choose_unit(method: MethodSpec, spec: DatasetSpec) -> widgets.Filled:
    """Who is protected; units that the method refuses on this graph are not offered."""
    found = {one: method.refuses(spec.task, spec.undirected, one) for one in method.units}
    held = choosing.unit(method, [one for one, reason in found.items() if reason is None])
    for one, reason in found.items():
        if reason is not None:
            st.caption(fill(words["refused"], unit=WHO.get(one, one), reason=markup.sentence(reason)))
    what = fill(words["protects"], what=protected(held, method.neighbours))
    st.caption(what if held != "none" else words["protects_none"])
    return widgets.Filled(values={"unit": held})


def choose_options(spec: DatasetSpec, method: MethodSpec) -> Asked:
    """Unit, target epsilon and seeds; and folded away all other options."""
    known = beginnings.form(method)
    widgets.warn([*known, SEEDS, *SETUP])
    left, middle, right = st.columns([4, 6, 2], gap="medium")
    with left:
        privacy = choose_unit(method, spec)
    unit = str(privacy.values["unit"])
    epsilons: list[float] = []
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
    private = [one for one in known if one.option.group == "Privacy" and one.name not in ("unit", "epsilon")]
    levels = [one for one in known if one.option.group.endswith(" level")]
    own = [one for one in levels if one.option.group == f"{unit.capitalize()} level"]
    others = [one for one in known if one.option.group != "Privacy" and one not in levels]
    rest = [*(private if unit != "none" else ()), *own, *others]
    folded = [*rest, *SETUP]
    ajar = widgets.ajar("more", folded) | widgets.ajar("data", beginnings.of_data(spec), "data.")
    wrong = st.container()
    moved = sum(one.name in st.query_params and widgets.is_moved(one) for one in folded)
    label = f"More options{f' ({moved} changed)' if moved else ''}"
    with st.expander(label, expanded=ajar, key="fold.more", icon=":material/tune:"):
        data = data_options.options_form(spec, within=wrong)
        offered = [one for one in words["splits"] if one != "public" or spec.public_split]
        split = st.segmented_control(
            "Split", offered, default="random", required=True, key="split", bind="query-params",
            help="\n".join(f"- {one}: {words['splits'][one]}." for one in offered),
        )  # fmt: skip
        if method.own_parts:
            st.caption(fill(words["own_parts"], title=method.title))
        options = privacy | widgets.options_form(rest, known=privacy.values, flat=True)
        setup |= widgets.options_form(SETUP, flat=True)
    return Asked(options=options, epsilons=epsilons, data=data, split=str(split), setup=setup)


# The bar


def span(shown: Sequence[str]) -> str:
    if not shown:
        return "—"
    return shown[0] if shown[0] == shown[-1] else f"{shown[0]} – {shown[-1]}"


def numbers(found: Sequence[Plan], told: Outlook, asked: Asked, relations: bool, took: float | None) -> None:
    """Epsilon, noise, expected accuracy and time, of all budgets that are asked for."""
    pairs = zip(asked.budgets, (plan.statement for plan in found), strict=False)
    sound = [stated("sound", kept_budget(epsilon, said.epsilon) or said.epsilon) for epsilon, said in pairs]
    st.metric(EPSILONS["sound"].title, span(sound), help=words["sound"], width="content")
    name = next(iter(found[0].noise), "") if found else ""
    noise = span([number(plan.noise[name], 3) for plan in found]) if name else "none"
    hint = fill(words["noise"], name=name.replace("_", " ") or "none")
    st.metric("Noise", noise, help=hint, width="content")
    reached = [percent(one["mean"]) for one in map(told.expected, asked.budgets) if one is not None]
    label = "Expected PREC@1" if relations else "Expected accuracy"
    st.metric(label, span(reached) if reached else "unknown", help=words["expected"], width="content")
    time = "not known yet" if took is None else duration(max(1.0, took))
    st.metric("Time", time, help=words["time"], width="content")


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


def expect(told: Outlook, asked: Asked, run: RunSpec) -> None:
    if not told.points:
        st.info(words["no_runs"])
        return
    ids = tuple(run for point in told.points for run in point["runs"].split())
    records = queue.store().find(RunQuery(ids=ids))
    rows = expected.data(told, asked.epsilons)
    drawn_figure("expected", rows, statements_of(records), run.method, records)
    if told.differs:
        hint = fill(words["other_options"], options=markup.literal(", ".join(told.differs)))
        st.badge("other options", color="orange", help=hint)


def promise(found: Sequence[Plan], asked: Asked, runs: Sequence[RunSpec]) -> None:
    """The statement as planned; of several budgets that of the first, and what all cost together."""
    first = found[0]
    if len(found) > 1:
        st.markdown(f"**ε = {asked.epsilons[0]:g}**")
    statement.numbers(first.statement, asked=asked.budgets[0])
    if len(runs) > 1 and first.statement.unit != "none":
        st.caption(statement.together([plan.statement for plan in found], len(runs) // len(found)))
    statement.ledger(first.statement.ledger)
    memory = f"{first.memory_mb:,.0f}" if first.memory_mb else "—"
    st.caption(fill(words["work"], steps=f"{first.steps:,}", unit=first.work.step, memory=memory))
    for note in first.notes:
        st.caption(markup.sentence(note))
    with st.expander("Promise and assumptions"):
        statement.promise(first.statement)
    if runs and runs[0].method in method_costs.PRIVATE and first.statement.unit != "none":
        run, known = runs[0], {one.name: one.default for one in parameters(METHODS[runs[0].method].load_config())}
        moved = {name: one for name, one in run.options.items() if name in ("unit", "epsilon") or one != known[name]}
        address, label = again.settings(run.method, run.dataset, moved, run.data_options), "Other noise"
        st.page_link(shell.page("accounting"), label=label, icon=":material/calculate:", query_params=address)


def form() -> None:
    """The form, with the bar that decides in sight above it."""
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
    reasons: list[str] = []
    found: list[Plan] | None = []
    if not asked.errors:
        try:
            found = planning.plans_of(spec, method, asked)
        except (OptionError, DataError) as error:
            reasons.append(str(error))
    if found and (refusal := too_large(max(plan.memory_mb for plan in found))):
        reasons.append(refusal)
    runs = [] if asked.errors or reasons else planning.specs_of(spec, method, asked)
    told = planning.outlook_of(runs[0], method) if runs else Outlook()
    took = planning.seconds_of(runs, found[0].facts) if runs and found else None
    with bar:
        numbers(found or [], told, asked, RELATIONS in method.tasks, took)
        label = "Run" if len(runs) < 2 else f"Run {len(runs)} runs"
        if st.button(label, type="primary", key="go", disabled=not runs, icon=":material/play_arrow:"):
            sending.send(runs, changed=st.query_params.get(again.CHANGED, ""))
    with below:
        for kind, slots in planning.doubts(found or [], told, asked) if runs else ():
            st.warning(fill(words["doubts"][kind], **slots), icon=":material/trending_down:")
        for text in reasons:
            st.error(markup.sentence(text))
        if asked.errors:
            st.info(widgets.pointer(asked.errors), icon=":material/edit:")
        if found is None:
            read = partial(datasets.public_facts, spec, asked.data.values, asked.split)
            layout.wait(words["counting"], lambda: read() is not None)
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


run = st.query_params.get("run")
if run is not None and one_run.known(run):
    one_run.show(run)
else:
    form()
