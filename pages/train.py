"""What will this run promise and cost? A graph, a method and a promise; and the run that comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from privgraph.data.errors import DataError
from privgraph.data.spec import DatasetSpec
from privgraph.methods.base import Plan
from privgraph.methods.row import MethodSpec
from privgraph.options import OptionError, Parameter, Scalar, parameters
from privgraph.registry import METHODS
from privgraph.runs.graph_id import GraphId
from privgraph.runs.memory import too_large
from privgraph.runs.records import RunQuery
from privgraph.runs.spec import RunSpec
from privgraph_workbench import advice, live_plot, summary
from privgraph_workbench.facts import datasets, method_costs
from privgraph_workbench.facts.expecting import Outlook
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.runs import expected
from privgraph_workbench.forms import beginnings, data_options, fields, widgets
from privgraph_workbench.forms.again import CHANGED
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import beginning, choosing, layout, one_run, planning, statement
from privgraph_workbench.parts.file_links import figure_exports
from privgraph_workbench.parts.planning import SEEDS, SETUP, Asked
from privgraph_workbench.serving import shell
from privgraph_workbench.text import fill, page, texts
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


@st.cache_resource(max_entries=8)
def trained_on(url: str, mark: object) -> Counter[str]:
    """How many finished runs there are of each graph."""
    return Counter(row["dataset"] for row in queue.store().find_rows(RunQuery(states=("done",), limit=MOST_READ)))


@st.cache_resource(max_entries=16)
def best(graph: str, unit: str, epsilon: float, url: str, mark: object) -> str:
    """The method that the examples advise on a graph at that unit and budget; "" for none."""
    query = RunQuery(datasets=(graph.partition(" (")[0],), states=("done",))
    frame = summary.runs(queue.examples(), query)
    found = advice.advise(frame[frame.graph == graph], unit)
    at = next((one for one in found if one.epsilon == epsilon), None)
    told = at is not None and at.at == epsilon and at.outcome in (advice.Outcome.TAKE, advice.Outcome.OPEN)
    return at.take[0] if at is not None and told and at.take else ""


def graph_title(spec: DatasetSpec, runs: int) -> str:
    """A graph with its size and its finished runs, as text."""
    sizes = data_options.sizes(spec, data_options.held(spec))
    nodes = "" if sizes["nodes"] is None else f" · {sizes['nodes']:,} {'texts' if spec.domains else 'nodes'}"
    edges = "" if sizes["edges"] is None else f" · {sizes['edges']:,} {'relations' if spec.domains else 'edges'}"
    return f"{spec.title}{nodes}{edges}{f' · {runs:,} runs' if runs else ''}"


def choose_graph() -> DatasetSpec:
    """The graph, of those on this machine."""
    every = datasets.choices()
    here = {spec.name: spec for spec in every if datasets.unavailable(spec) is None}
    asked = st.query_params.get("data")
    if asked is not None and asked not in here:
        st.warning(fill(words["no_graph"], reason=datasets.complaint(asked)))
    names = sorted(here, key=lambda name: KINDS.get(here[name].kind, 3))
    away = [markup.literal(spec.title) for spec in every if spec.name not in here]
    store = queue.store()
    runs = trained_on(store.url, store.done_mark())
    titles = choosing.titles({name: graph_title(here[name], runs[name]) for name in names})
    hint = fill(words["away"], graphs=", ".join(away)) if away else None
    spec = here[choosing.one("Graph", titles, "data", help=hint)]
    if spec.caution:
        st.caption(markup.literal(spec.caution))
    return spec


def choose_method(spec: DatasetSpec) -> beginnings.Choice | None:
    """The method, of those that fit the graph; None where none does."""
    every = beginnings.choices()
    refused = {name: reason for name, one in every.items() if (reason := beginnings.unfit(one.method, spec))}
    titles = {name: f"{one.title} · {beginnings.hides(one.method)}" for name, one in every.items()}
    titles = {name: title for name, title in titles.items() if name not in refused}
    if not titles:
        st.error(fill(words["no_method"], title=markup.literal(spec.title)))
        return None
    asked = st.query_params.get("method")
    if asked is not None and asked not in titles:
        if asked in refused:
            widgets.leave(asked)
            first = markup.literal(every[next(iter(titles))].title)
            st.warning(fill(words["instead"], reason=markup.sentence(refused[asked]), title=first))
        else:
            st.warning(fill(words["unknown"], name="method", value=markup.literal(asked[:80])))
        choosing.forget("method")
    paper = {name: markup.literal(f"{one.about} {one.method.paper}") for name, one in every.items()}
    held = str(st.query_params.get("method", next(iter(titles))))
    name = choosing.one("Method", titles, "method", moved=widgets.turn, help=paper.get(held))
    chosen = every[name]
    widgets.turned(chosen.method, name)
    if refused:
        with st.popover(f"Methods that do not fit: {len(refused)}", icon=":material/block:"):
            st.markdown("\n".join(f"- {markup.literal(reason)}" for reason in dict.fromkeys(refused.values())))
    return chosen


# Privacy and options


def choose_unit(method: MethodSpec, spec: DatasetSpec, known: Sequence[Parameter]) -> widgets.Filled:
    """Who is protected; units that the method refuses on this graph are not offered."""
    unit = next(one for one in known if one.name == "unit")
    found = {one: method.refuses(spec.task, spec.undirected, str(one)) for one in unit.option.choices}
    refused: dict[Scalar, str] = {one: reason for one, reason in found.items() if reason}
    titles = {str(one): WHO.get(str(one), str(one)) for one in unit.option.choices if one not in refused}
    if not {st.query_params.get("unit"), st.session_state.get("unit")} & titles.keys():
        st.session_state["unit"] = str(unit.default) if str(unit.default) in titles else [*titles][-1]
    held = choosing.one("Who is protected", titles, "unit", row=True, width="stretch", help=fields.help(unit))
    for one, reason in refused.items():
        st.caption(fill(words["refused"], unit=WHO.get(str(one), str(one)), reason=markup.sentence(reason)))
    what = fill(words["protects"], what=protected(held, method.neighbours))
    st.caption(what if held != "none" else words["protects_none"])
    return widgets.Filled(values={"unit": held})


def concerns(parameter: Parameter, unit: object) -> bool:
    """Whether an option belongs below those of privacy for that unit."""
    group = parameter.option.group
    return group != "Privacy" and (not group.endswith(" level") or group == f"{str(unit).capitalize()} level")


def choose_options(spec: DatasetSpec, chosen: beginnings.Choice) -> Asked:
    """Unit, target epsilon and seeds; and folded away all other options."""
    known = beginnings.form(chosen.method, chosen.held)
    for complaint in widgets.complaints([*known, SEEDS, *SETUP]):
        st.warning(complaint)
    left, middle, right = st.columns([4, 6, 2], gap="medium")
    with left:
        privacy = choose_unit(chosen.method, spec, known)
    unit = privacy.values.get("unit")
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
    rest = [*(private if unit != "none" else ()), *(one for one in known if concerns(one, unit))]
    folded = [*rest, *SETUP]
    ajar = widgets.ajar("more", folded) | widgets.ajar("data", data_options.known(spec), "data.")
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
        if chosen.method.own_parts:
            st.caption(fill(words["own_parts"], title=chosen.method.title))
        options = privacy | widgets.options_form(rest, known=privacy.values, flat=True)
        setup |= widgets.options_form(SETUP, flat=True)
    return Asked(options=options, epsilons=epsilons, data=data, split=str(split), setup=setup)


# The bar


def span(shown: Sequence[str]) -> str:
    """One text, or the first and the last of several."""
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


def await_facts(spec: DatasetSpec, asked: Asked) -> None:
    """Draw the page again when the sizes are there, or cannot be had."""
    try:
        ready = datasets.public_facts(spec, asked.data.values, asked.split) is not None
    except DataError:
        ready = True
    if ready:
        st.rerun()


def start_here(chosen: beginnings.Choice, spec: DatasetSpec, asked: Asked) -> None:
    """The way to the method that the examples find best here, where that is another."""
    unit = str(asked.options.values.get("unit", "none"))
    if unit == "none" or not asked.epsilons:
        return
    graph, store = GraphId.made(spec.name, dict(asked.data.values), asked.split).words(), queue.examples()
    name = best(graph, unit, asked.epsilons[0], store.url, store.done_mark())
    if name == chosen.name:
        st.badge("start here", color="green", icon=":material/flag:")
    elif name:
        st.button(f"Start here: {METHODS[name].title}", key="start_here", icon=":material/flag:",
                  on_click=take, args=(name,))  # fmt: skip


def take(name: str) -> None:
    """Choose that method."""
    choosing.put("method", name)
    widgets.turn()


def expect(told: Outlook, asked: Asked, run: RunSpec) -> None:
    """The accuracy that finished runs reached, over epsilon."""
    if not told.points:
        st.info(words["no_runs"])
        return
    rows = expected.data(told, asked.epsilons)
    live_plot.show(figure_of("expected").plot(rows, layout.theme()), key="expected")
    if told.differs:
        hint = fill(words["other_options"], options=markup.literal(", ".join(told.differs)))
        st.badge("other options", color="orange", help=hint)
    ids = tuple(run for point in told.points for run in point["runs"].split())
    records = queue.store().find(RunQuery(ids=ids))
    figure_exports("expected", rows, statements_of(records), name=run.method, runs=records)


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
    if runs and runs[0].method in method_costs.private_methods() and first.statement.unit != "none":
        st.page_link(shell.page("accounting"), label="Other noise", icon=":material/calculate:",
                     query_params=priced(runs[0]))  # fmt: skip


def priced(run: RunSpec) -> dict[str, str]:
    """The address of Accounting with the settings of this run: its graph, and what is not a default."""
    known = parameters(METHODS[run.method].load_config())
    moved = [one.name for one in known if run.options.get(one.name, one.default) != one.default]
    kept = {name: value for name, value in run.options.items() if name in (*moved, "unit", "epsilon")}
    data = widgets.address(run.data_options, prefix="data.")
    return {"method": run.method, "data": run.dataset, **data, **widgets.address(kept)}


def form() -> None:
    """The form, with the bar that decides in sight above it."""
    top, reading = page("train")
    st.title("Train")
    if (wanted := st.query_params.get("run")) is not None:
        st.warning(fill(words["unknown_run"], run=markup.literal(wanted[:80])))
    st.markdown(top)
    bar = st.container(key="runbar", horizontal=True, vertical_alignment="center")
    below = st.container()
    left, right = st.columns(2, gap="medium")
    with left:
        spec = choose_graph()
    with right:
        chosen = choose_method(spec)
    if chosen is None:
        return
    asked = choose_options(spec, chosen)
    reasons: list[str] = []
    found: list[Plan] | None = []
    if not asked.errors:
        try:
            found = planning.plans_of(spec, chosen, asked)
        except (OptionError, DataError) as error:
            reasons.append(str(error))
    if found and (refusal := too_large(max(plan.memory_mb for plan in found))):
        reasons.append(refusal)
    runs = [] if asked.errors or reasons else planning.specs_of(spec, chosen, asked)
    told = planning.outlook_of(runs[0], chosen) if runs else Outlook()
    took = planning.seconds_of(runs, found[0].facts) if runs and found else None
    with bar:
        numbers(found or [], told, asked, RELATIONS in chosen.method.tasks, took)
        label = "Run" if len(runs) < 2 else f"Run {len(runs)} runs"
        if st.button(label, type="primary", key="go", disabled=not runs, icon=":material/play_arrow:"):
            beginning.send(runs, changed=st.query_params.get(CHANGED, ""))
    with below:
        for kind, slots in planning.doubts(found or [], told, asked) if runs else ():
            st.warning(fill(words["doubts"][kind], **slots), icon=":material/trending_down:")
        for text in reasons:
            st.error(markup.sentence(text))
        if asked.errors:
            st.info(widgets.pointer(asked.errors), icon=":material/edit:")
        if found is None:
            st.info(words["counting"], icon="⏳")
            st.fragment(await_facts, run_every=1.0)(spec, asked)
    with right, st.container(horizontal=True):
        with st.popover("How to read this", icon=":material/help:"):
            st.markdown(reading)
        start_here(chosen, spec, asked)
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
