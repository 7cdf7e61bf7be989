"""Who pays how much? One query before and after noise, its price, epsilon of each teacher, a comparison."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.methods.prompts.dp_gpl.ensemble import NAME as ENSEMBLE
from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.teachers.answers import NAME as ANSWERS
from privgraph.methods.teachers.answers import Answers
from privgraph.registry import METHODS
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.spec import RunSpec, make_spec
from privgraph_workbench.facts import datasets, noisy_labels, teacher_settings
from privgraph_workbench.figures import figure_of
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.drawing.with_plotly import draw
from privgraph_workbench.figures.runs import teachers_compared
from privgraph_workbench.figures.teachers import answers, budget, ensembles, teacher_epsilons
from privgraph_workbench.forms import beginnings, data_options, fields, widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import choosing, laboratory, layout, states
from privgraph_workbench.parts.cached import kept
from privgraph_workbench.parts.laboratory import TIMES, Setting
from privgraph_workbench.parts.links import drawn_figure
from privgraph_workbench.serving import shell
from privgraph_workbench.text import fill, texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup, meaning, naming
from privgraph_workbench.words.numbers import chance, number, percent, rounded_delta, stated

TEACHERS = ("privgnn", "pate", "dp-gpl")
TABS = ("One query", "Who pays", "Answers", "Compared")
MOST_RUNS = 400
USUAL = 4.0  # epsilon up to which an example is shown first
LAB = "lab."
SHARES = (0.05, 0.25, 0.5, 0.75)  # of the queries, after which the budget is drawn
FILTERS = {"changed": ("flipped", True), "refused": ("released", None), "wrong": ("right_released", False)}
QUERY_COLUMNS = ("query", "before", "margin_before", "after", "released", "truth", "flipped", "level")
SETTING_COLUMNS = (
    *("graph", "title", "epsilon", "mean", "low", "high", "seeds", "weights", "release", "queries", "teachers"),
    *("also", "delta", "neighbours", "kept"),
)
SOUND = EPSILONS["sound"].label


@kept
def teacher_runs(asked: str) -> tuple[list[RunRecord], dict[str, str]]:
    """The newest finished runs of teachers and the one of the address; titles of those with answers."""
    store = queue.store()
    query = RunQuery(methods=TEACHERS, states=("done",), limit=MOST_RUNS)
    named = store.find(replace(query, ids=(asked,))) if asked else []
    found = list({one.id: one for one in (*store.find(query), *named)}.values())
    able = [one for one in found if not one.unreadable and laboratory.has_answers(store.url, one.id, one.created)]
    return found, choosing.runs(able)


def first_run(records: Sequence[RunRecord]) -> str:
    """The run that is shown first: one's own newest, or the most accurate example of unequal weights."""
    usual = [one for one in records if one.statement is not None and one.statement.epsilon <= USUAL]
    weighted = [one for one in usual if one.spec.options.get("weighting") == teacher_settings.WEIGHTED]
    if not records or not records[0].example or not usual:
        return records[0].id if records else TEACHERS[0]
    return max(weighted or usual, key=lambda one: one.metrics.get("test_accuracy", 0.0)).id


def refused(run: str) -> str:
    return fill(words["unkept" if run in records else "unknown"], run=markup.literal(run[:80]))


def new(method: str) -> RunSpec:
    row = METHODS[method]
    specs = [one for one in datasets.choices() if row.refuses(one.task, one.undirected, "node") is None]
    data = dataset(choosing.one("Graph", choosing.graphs(one for one in specs if datasets.sized(one)), "data"))
    return make_spec(method, data.name, data_options=data_options.first(data))


def show(figure: str, record: RunRecord, *of: Any, view: str = "") -> None:
    drawn_figure(figure, figure_of(figure).data(*of), f"{record.id}{view}", [record])


def choose_query(found: Answers, rows: Sequence[Row]) -> int:
    """The place of the query that is looked at, among those that pass a filter."""
    passing = {name: [row for row in rows if row[key] is value] for name, (key, value) in FILTERS.items()}
    shown = passing.get(choosing.one("Show", ["all", *filter(passing.get, passing)], "show", row=True), rows)
    nodes = [str(row["query"]) for row in shown]
    choosing.within("query", nodes)
    begin = laboratory.clearest_query(found, [int(row["order"]) for row in shown])
    node = st.selectbox("Query (node)", nodes, index=begin, key="query", bind="query-params")
    return int(shown[nodes.index(str(node))]["order"])


def controls(spec: RunSpec, own: Setting) -> tuple[Setting, float]:
    """The setting with what is asked about, and how many times the noise it has."""
    levers = own.levers()
    if (before := st.session_state.get(f"{LAB}of")) != spec.id:
        asked = {one.name for one in levers if before is None and LAB + one.name in st.query_params}
        begun = {LAB + one.name: fields.first(one) for one in levers if one.name not in asked}
        st.session_state.update({**begun, f"{LAB}of": spec.id})
    widgets.warn(levers, prefix=LAB)
    with st.popover("More options", icon=":material/tune:"):
        filled = widgets.options_form(levers, prefix=LAB, heading=False, known=own.options)
    setting = own.with_options(filled.values)
    if not setting.read_once:
        queries = setting.queries
        key = f"{LAB}queries.{spec.id}"
        asked_for = st.number_input("Queries", 1, 10**6, queries, key=key, persist_state="page")
        setting = setting if asked_for == queries else setting.with_options({"queries": int(asked_for)})
    std, key = setting.std, f"{LAB}times.{spec.id}"
    label, in_votes = "Noise (standard deviation)", lambda one: f"± {number(one * std)}"
    times = float(st.select_slider(label, TIMES, value=1.0, key=key, format_func=in_votes, persist_state="page"))
    return (setting if times == 1.0 else setting.with_noise(times)), times


def one_query(
    spec: RunSpec, own: Setting, record: RunRecord | None, found: Answers | None, names: Sequence[str]
) -> None:
    place, count, law = 0, "", None
    with layout.refusals():
        with st.container(border=True), st.container(horizontal=True, vertical_alignment="bottom"):
            if found is not None:
                place = choose_query(found, answers.data(found, names))
                count, law = f"{LAB}draws.{spec.id}.{place}", noisy_labels.law_of(spec, found.kind)
            setting, times = controls(spec, own)
            law = law if laboratory.same_votes(own, setting) else None
            if law is not None and st.button("Draw again", key="draw_again", icon=":material/casino:"):
                st.session_state[count] = st.session_state.get(count, 0) + 1
        settings = {one: setting if one == times else setting.with_noise(one / times) for one in TIMES}
        said = {one: held.plan.statement for one, held in settings.items()}
        boxes = prices(setting)
        shares: dict[float, float | None] = dict.fromkeys(TIMES)
        if found is not None and record is not None:
            drawn = st.session_state.get(count, 0) if law is not None else 0
            shown = laboratory.redraw(found, place, law or "gaussian", times * found.noise_std, drawn, setting.gate)
            as_run = law is None or (not drawn and times == 1.0 and setting.gate == own.gate)
            chances = None
            if law is not None:
                counts = found.before[place].astype(np.float64)
                chances = noisy_labels.chances(law, times * found.noise_std, counts)
                for one, held in settings.items():  # of all gates, that of DP-GPL tests the votes of the queries
                    gate = held.gate if spec.method == "dp-gpl" else None
                    shares[one] = laboratory.right(found, law, one * found.noise_std, gate)
                boxes.append(("The leader stays", chance(float(chances[counts.argmax()])), helps["stays"]))
                boxes.append(("Labels right, on average", percent(shares[times]), helps["right"]))
            states.badges(private=True, evaluator=True, other=not as_run)
            view = f"-{found.queries[place]}" + ("" if as_run else f"-{drawn}-{times:g}")
            show("one_answer", record, found if as_run else shown, place, names, chances, as_run, view=view)
            if found.pointers[place] < found.pointers[place + 1]:  # each query has private nodes of its own
                chosen = partial(show, "chosen", record, found, place, names, view=f"-{found.queries[place]}")
                layout.folded("Who answered", "chosen", chosen, icon="groups")
        layout.numbers(boxes)
        points = [(settings[one].std, said[one].epsilon, said[one].epsilon_as_published) for one in TIMES]
        known = {settings[one].std: share for one, share in shares.items()}
        rows = figure_of("price").data(points, setting.std, known, by="noise")
        statements = {f"{naming.method_title(spec.method)}, planned": said[times]}
        drawn_figure("price", rows, spec.id, statements=statements)
        more = {"split": spec.split, "store": shell.MINE}
        address = beginnings.settings(spec.method, spec.dataset, setting.options, spec.data_options, **more)
        layout.link("train", "Train with these settings", **address)


def prices(setting: Setting) -> list[layout.Number]:
    help_ = fill(helps["all"], delta=rounded_delta(setting.plan.statement.delta))
    if (alone := setting.one_query()) is None:
        return [(f"{SOUND}, any number of queries", stated("sound", setting.epsilon), help_)]
    whole = (f"{SOUND}, all {setting.queries:,} queries", stated("sound", setting.epsilon), help_)
    return [whole, (f"{SOUND}, one query", stated("sound", alone), helps["one"])]


def who_pays(record: RunRecord, setting: Setting | None) -> None:
    said, more = record.statement, []
    if said is None:
        return
    if said.epsilon_as_published is not None:
        more = [("ε as published", stated("published", said.epsilon_as_published), helps["published"])]
    help_ = fill(helps["pays"], delta=rounded_delta(said.delta))
    if record.spec.method != "dp-gpl":
        layout.numbers([("Every private node pays", stated("sound", said.epsilon), help_), *more])
        if setting is not None and not setting.read_once:
            counts = sorted({1, *(max(1, round(share * setting.queries)) for share in SHARES)} - {setting.queries})
            points = [(count, setting.with_options({"queries": count}).epsilon) for count in counts]
            rows = budget.alike([*points, (setting.queries, said.epsilon)], said.delta)
            drawn_figure("budget", rows, f"{record.id}-alike", [record])
        return
    if (ensemble := laboratory.load(ENSEMBLE, record)) is None:
        return
    ends = {"Heaviest teacher pays": ensemble.sound.max(), "Lightest teacher pays": ensemble.sound.min()}
    ends = ends if np.ptp(ensemble.sound) > 0 else {"Every private node pays": ensemble.sound.max()}
    layout.numbers([*((label, stated("sound", float(one)), help_) for label, one in ends.items()), *more])
    with st.container(horizontal=True, vertical_alignment="center"):
        measure = choosing.one("Epsilon", list(ensembles.MEASURES), "epsilons.number", row=True)
        view = choosing.one("View", list(teacher_epsilons.VIEWS), "epsilons.view", row=True)
        by = choosing.one("Coloured by", list(ensembles.GROUPINGS), "epsilons.colour", row=True)
        states.badges(dependent=measure != "sound", private=view == "strip" or by == "centrality")
        if not ensemble.per_teacher:
            st.badge("all votes", color="orange", icon=":material/warning:", help=words["all_votes"])
    left, right_ = layout.columns("epsilons", 2)
    with left:
        show("teacher_epsilons", record, ensemble, measure, by, view, view=f"-{measure}-{view}-{by}")
    with right_:
        show("budget", record, ensemble, measure, view=f"-{measure}")
    _, own = ensembles.groups(ensemble, "weight")
    heavy = np.array([ensemble.weights[own == place].max() for place in range(int(own.max()) + 1)])
    whole = [float(ensemble.sound[own == place].max()) for place in range(len(heavy))]
    alone = [] if setting is None else setting.with_options({"queries": 1}).by_weight(heavy).tolist()
    table(
        "weights",
        weight=heavy,
        teachers=np.bincount(own),
        one=[layout.up(value) for value in alone] or [None] * len(heavy),
        all=[layout.up(value) for value in whole],
        guess=[layout.up(meaning.guess(value, ensemble.delta), 3) for value in whole],
    )
    layout.folded("Every teacher", "teachers", partial(every_teacher, record, ensemble), icon="groups")


def table(key: str, **cells: Any) -> None:
    forms = dict.fromkeys(cells, "%.4g") | dict.fromkeys(cells.keys() & {"guess", "accuracy"}, "percent")
    helps = {name: words["columns"].get(name) for name in cells}
    layout.table(cells, helps, words["labels"], forms, key=key)


def every_teacher(record: RunRecord, ensemble: Ensemble) -> None:
    """Every teacher as a row, who pays most first, and how right each is."""
    states.badges(private=True, evaluator=True)
    order = np.lexsort((-ensemble.centrality, -ensemble.sound))
    last = ensembles.stopped_at(ensemble)
    table(
        "every_teacher",
        teacher=order,
        weight=ensemble.weights[order],
        all=[layout.up(float(ensemble.sound[one])) for one in order],
        labelled=ensemble.sizes[order],
        centrality=ensemble.centrality[order],
        accuracy=ensemble.accuracy[order],
        stopped=[int(last[one]) if last[one] >= 0 else None for one in order],
    )
    left, right_ = layout.columns("teachers", 2)
    with left:
        show("teacher_accuracy", record, ensemble)
    with right_:
        if (last >= 0).any():
            show("stopped", record, ensemble)


def all_answers(record: RunRecord, found: Answers, names: Sequence[str]) -> None:
    states.badges(private=True, evaluator=True)
    rows = answers.data(found, names)
    held = [row for row in rows if row["released"] is not None]
    boxes = [("Answered", f"{len(held):,} of {len(rows):,}", helps["answered"])]
    for name, label in words["shares"].items():
        share = answers.share(held, name) if name in rows[0] else record.metrics.get(name)
        if share is not None:
            boxes.append((label, percent(share), helps[name]))
    layout.numbers(boxes)
    places = layout.columns("answers", 2 if record.spec.method == "dp-gpl" else 1)
    with places[0]:
        show("answers", record, found, names)
    with places[-1]:
        if record.spec.method == "dp-gpl" and (ensemble := laboratory.load(ENSEMBLE, record)) is not None:
            show("consensus", record, ensemble)
    shared: dict[str, Any] = {"hide_index": True, "key": "queries", "column_order": QUERY_COLUMNS, "height": 300}
    layout.folded("Every query", "queries", lambda: st.dataframe(pd.DataFrame(rows), **shared), icon="table_rows")


@kept
def setting_rows(asked: str, opened: str) -> list[Row]:
    return teachers_compared.data([one for one in teacher_runs(asked)[0] if not one.unreadable], opened)


def comparison(found: Sequence[RunRecord], able: Mapping[str, str], record: RunRecord | None) -> None:
    """All settings with teachers as a figure and a table, whose rows lead to their runs."""
    rows = setting_rows(asked, "" if record is None else record.id)
    if not rows:
        st.info(words["uncompared"])
        return
    held = {run for row in rows for run in str(row["runs"]).split()}
    shown = [one for one in found if one.id in held]
    drawn = draw(teachers_compared.chart(rows), layout.theme())
    drawn_figure("teachers_compared", rows, "teachers", shown, plot=drawn)
    cells = pd.DataFrame(rows)
    cells["epsilon"] = [layout.up(value) for value in cells.epsilon]
    cells["kept"] = [any(run in able for run in str(runs).split()) for runs in cells.runs]
    forms = {"epsilon": "%.4g", "delta": "%.2g", **dict.fromkeys(("mean", "low", "high"), "percent")}
    helps_ = words["columns"] | texts("columns")["settings"]
    shared: dict[str, Any] = {"on_select": "rerun", "selection_mode": "single-row", "column_order": SETTING_COLUMNS}
    picked = layout.table(cells, helps_, {}, forms, key="compared", **shared)
    for runs in [str(rows[one]["runs"]).split() for one in picked.selection.rows if one < len(rows)]:
        if here := next((run for run in runs if run in able), None):
            layout.link("teachers", "Open its answers", run=here)
        layout.link("runs", "Open its runs", chosen=",".join(runs))


words, helps = texts("teachers"), texts("teachers")["numbers"]
layout.head("teachers")
asked = st.query_params.get("run", "")
found, able = teacher_runs(asked)
records = {one.id: one for one in states.readable(found)}
titles = {**able, **{name: fill(words["plan"], method=naming.method_title(name)) for name in TEACHERS}}
first = first_run([records[name] for name in able])
with st.container(horizontal=True, vertical_alignment="bottom"):
    with st.container(width=520):
        name = choosing.one("Run", titles, "run", first=first, refused=refused)
    record = records.get(name)
    spec = new(name) if record is None else record.spec
    if record is not None:
        states.badge(record, finished=True)
        layout.link("train", "Open the run", run=record.id)
    layout.reading("teachers")
names = () if record is None else layout.awaited(laboratory.names_of, spec)
setting = None if names is None else layout.awaited(laboratory.setting_of, spec)
for label, tab in zip(TABS, st.tabs(TABS, key="tab", bind="query-params"), strict=True):
    with tab:
        if not tab.open:
            continue
        if label == "Compared":
            comparison(found, able, record)
        elif record is None and label != "One query":
            st.info(words["none"])
        elif record is not None and label == "Who pays":
            who_pays(record, setting)
        elif names is not None and (record is None or (answered := laboratory.load(ANSWERS, record)) is not None):
            if record is not None and label == "Answers":
                all_answers(record, answered, names)
            elif setting is not None:
                st.fragment(one_query)(spec, setting, record, None if record is None else answered, names)
