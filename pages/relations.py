"""What does a model learn from relations between texts? Ask encoders, see the cost of privacy, train."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from privgraph.data.catalogue import dataset
from privgraph.data.errors import DataError
from privgraph.options import OptionError, UnknownName, parameters
from privgraph.registry import METHODS
from privgraph.runs import engines, worked
from privgraph.runs.graph_id import GraphId
from privgraph.runs.questions import LONGEST, MOST_NEIGHBOURS, Answer, AskingError
from privgraph.runs.records import RunQuery, RunRecord
from privgraph.runs.spec import make_spec
from privgraph_workbench.facts import datasets, plans
from privgraph_workbench.facts.references import GUARANTEE
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.relations import moved, relation_ranking
from privgraph_workbench.figures.settings import composed
from privgraph_workbench.forms import beginnings, widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import choosing, encoders, layout, sending, statement, states
from privgraph_workbench.parts.cached import kept
from privgraph_workbench.parts.encoders import LAST, TEXT
from privgraph_workbench.parts.links import drawn_figure
from privgraph_workbench.text import fill, texts
from privgraph_workbench.words import markup, meaning, naming

LEARNERS = ("relational", "relation-rand")
MOST_RUNS = 400
EMBEDDED = "products"
# Options that runs must share to be compared, and those in which only privacy differs.
SAME = ("encoder", "trained_on", "tested_on", "max_tokens", "similarity", "evaluated")
UNREAD = (*GUARANTEE, "unit", "clip", "noise_multiplier", "shots")
NEAREST = 6
UNLIKE = 0.95  # share of texts with a nearer one from which on a text is far
COLUMNS = ("label", "epsilon", "accuracy", "accuracy_low", "accuracy_high", "mrr", "guess", "seeds")
OPENED = "relations.opened"  # in the session: the text with which the page was opened


# The runs, and what is known of their texts


@kept
def learners(asked: tuple[str, ...]) -> list[RunRecord]:
    """Finished runs that learnt relations, and those of the address; first those that can be asked."""
    store, query = queue.store(), RunQuery(methods=LEARNERS, states=("done",), limit=MOST_RUNS)
    found = [*store.find(query), *(store.find(replace(query, ids=asked)) if asked else [])]

    def place(one: RunRecord) -> tuple[bool, bool]:
        return not encoders.is_here(one.id), one.unreadable == "" and one.spec.method != LEARNERS[0]

    return sorted({one.id: one for one in found}.values(), key=place)


def differences(one: RunRecord, other: RunRecord) -> int:
    own = other.spec.options
    return sum(name not in UNREAD and value != own.get(name, value) for name, value in one.spec.options.items())


def comparable(one: RunRecord, other: RunRecord) -> bool:
    """Whether two runs learnt from the same texts and were judged alike."""
    same = GraphId.of(one.spec).people == GraphId.of(other.spec).people
    return same and all(one.spec.options.get(name) == other.spec.options.get(name) for name in SAME)


def pick(label: str, key: str, records: Sequence[RunRecord]) -> RunRecord | None:
    """One of these runs; of those without an encoder, one of each setting."""
    offered: dict[str, RunRecord] = {}
    for one in records:
        alone = encoders.is_here(one.id) or one.id == st.query_params.get(key)
        offered.setdefault(one.id if alone else naming.setting(one.spec), one)
    if not offered:
        st.selectbox(label, ["none yet"], disabled=True)
        return None
    held = choosing.runs(offered.values())
    titles = {one: title if encoders.is_here(one) else f"{title} (no encoder)" for one, title in held.items()}
    moved = partial(choosing.forget, "bare") if key == "private" else None
    name = choosing.one(label, titles, key, moved=moved)
    return next(one for one in records if one.id == name)


def choose(records: Sequence[RunRecord]) -> dict[str, RunRecord]:
    known = {one.id: one for one in records}
    asked = known.get(st.query_params.get("private", st.query_params.get("bare", "")))
    if asked is not None and "data" not in st.query_params:
        choosing.put("data", asked.spec.dataset)
    places = st.columns([2, 3, 3, 2], vertical_alignment="bottom")
    with places[3]:
        layout.reading("relations")
    if not records:
        return {}
    with places[0]:
        titles = {one.spec.dataset: naming.data_title(one.spec.dataset) for one in records}
        data = choosing.one("Data", titles, "data", moved=partial(choosing.forget, "private", "bare", "domain"))
    own = [one for one in records if one.spec.dataset == data]
    with places[1]:
        private = pick("Private run", "private", [one for one in own if one.spec.unit != "none"])
    bare = [one for one in own if one.spec.unit == "none" and (private is None or comparable(one, private))]
    if private is not None:
        bare.sort(key=lambda one: (not encoders.is_here(one.id), differences(private, one)))
    with places[2]:
        chosen = {"bare": pick("Run without privacy", "bare", bare), "private": private}
    return {key: one for key, one in chosen.items() if one is not None}


# Ask


def ask() -> None:
    spec = last.spec
    if reason := encoders.refusal(spec):
        st.info(reason, icon=":material/extension_off:")
        return
    known = encoders.domains_of(spec)
    if len(known) < 2:
        st.warning(words["few"])
        return
    learnt = spec.options.get("trained_on") or dataset(spec.dataset).domains[0]
    left, middle, right = st.columns([2, 1, 5], vertical_alignment="bottom")
    with left:
        titles = {one: f"{one} (learnt)" if one == learnt else one for one in known}
        domain = choosing.one("Search among", titles, "domain")
    neighbours = int(
        middle.number_input("How many", 1, MOST_NEIGHBOURS, NEAREST, key="neighbours", bind="query-params")
    )
    kept = worked.texts(encoders.question(chosen, "-", domain, neighbours))
    held = st.session_state
    if TEXT not in held:  # as it was typed, else of the address, of before, or one with an answer
        before = st.query_params.get("text") or held.get(LAST)
        held[TEXT] = next(iter(kept), "") if before is None else before
        held[OPENED] = held[TEXT] if before is None else ""
    elif held.get(OPENED) == held[TEXT] not in kept:
        held[TEXT] = ""  # nobody has asked it, and these encoders would take minutes
    with right, st.form("question", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
        label, hint = f"Your text, among those of {markup.literal(domain)}", "red wooden bench for two"
        held[LAST] = st.text_input(label, key=TEXT, max_chars=LONGEST, placeholder=hint, help=words["typed"])
        st.form_submit_button("Ask", key="ask", type="primary", icon=":material/search:")
    text = str(held[LAST]).strip()
    line = st.container(horizontal=True, vertical_alignment="center")
    with line, st.popover("Examples", icon=":material/list:", type="tertiary"):
        encoders.examples(spec, domain, kept)
    st.query_params.pop("text", None)
    if not text:
        return
    try:
        found = encoders.answer(encoders.question(chosen, text, domain, neighbours))
    except AskingError as error:
        st.error(markup.sentence(error))
        return
    if found is not None:
        if found.known and not spec.dataset.startswith(naming.UPLOAD):
            st.query_params["text"] = found.text
        with line:
            states.badges(private=found.partners > 0 and domain == learnt, evaluator=found.partners > 0)
        show_answer(found, text, learnt=domain == learnt, neighbours=neighbours)


def show_answer(found: Answer, text: str, *, learnt: bool, neighbours: int) -> None:
    """The nearest texts under each encoder side by side, the nearest true partner however far away it is, and
    how they moved."""
    titles = dict(words["encoders"])
    titles |= {key: f"{titles[key]}, {naming.budget(one)}" for key, one in chosen.items() if key == "private"}
    asked = {key: titles[key] for key in titles if key in next(iter(found.entities)).places}
    for column, key in zip(st.columns(3), titles, strict=True):
        with column:
            with st.container(horizontal=True, vertical_alignment="center"):
                st.markdown(f"**{markup.literal(titles[key])}**", width="content")
                if key not in asked:
                    st.badge("no encoder", color="gray", help=words["away"])
                elif (near := found.near.get(key)) and (near.nearer >= UNLIKE or near.score <= near.chance):
                    slots = {"score": f"{near.score:.2f}", "usual": f"{near.usual:.2f}"}
                    st.badge("far", color="orange", help=fill(words["far"], **slots))
            order = sorted(found.entities, key=lambda one: one.places[key]) if key in asked else []
            partner = next((one for one in order if one.partner), None)
            lines = []
            for one in [one for one in order if one.places[key] <= neighbours or one is partner]:
                was = "" if key == "base" else f", was {one.places['base']:,}"
                star = " :orange-badge[★]" if one.partner else ""
                said = markup.literal(one.text) or "(blank)"
                lines.append(f"**{one.places[key]:,}** {said} :gray[{one.scores[key]:.3f}{was}]{star}")
            if lines:
                st.container(key=f"nearest-{key}").markdown("\n\n".join(lines))
    here = [one for one in chosen.values() if encoders.is_here(one.id)]
    together = max(composed(here).values(), default=0)
    rows = moved.data(found, asked, together, learnt=learnt, asked=text)
    drawn_figure("moved", rows, last.id, here)


# The cost of privacy


@kept
def ranking(asked: tuple[str, ...], chosen: tuple[str, ...], number: int | None) -> tuple[list[Row], list[RunRecord]]:
    """A row for guessing, the encoder before training and each setting that was judged as the chosen runs."""
    records = [one for one in learners(asked) if not one.unreadable]
    known = {one.id: one for one in records}
    own = [known[one] for one in chosen]
    found: dict[str, RunRecord] = {}
    for one in (*own, *records):
        if comparable(one, own[-1]):
            found.setdefault(naming.setting(one.spec), one)
    steps = sorted(
        found.values(), key=lambda one: (one.spec.unit == "none", one.statement.epsilon if one.statement else 0)
    )
    return relation_ranking.data(steps, records, texts=number), steps


def cost() -> None:
    number = None
    with suppress(DataError, OptionError, UnknownName):
        read, judged = datasets.describe(last.spec.dataset, last.spec.data_options), encoders.domains_of(last.spec)
        number = next((one["texts"] for one in (read.domains if read else ()) if one["name"] == judged[0]), None)
    ids = tuple(one.id for one in chosen.values())
    rows, steps = ranking(asked, ids, number)
    if not any(row["kind"] == "run" for row in rows):
        st.info(words["none"])
        return
    alike = {one.id for one in steps if one.id in ids or not differences(one, last)}
    drawn = [row for row in rows if row["kind"] != "run" or row["run"] in alike]
    shown = [one for one in records if one.id in alike]
    drawn_figure("relation_ranking", drawn, last.id, shown)
    cells = pd.DataFrame(rows)
    guesses = {one.id: meaning.guess(one.statement.epsilon, one.statement.delta) for one in steps if one.statement}
    cells["guess"] = [layout.up(guesses.get(run), 5) for run in cells.run]
    cells["epsilon"] = [layout.up(one) for one in cells.epsilon]
    forms = dict.fromkeys(COLUMNS[2:-1], "percent") | {"epsilon": "%.4g"}
    layout.table(cells, words["columns"], words["labels"], forms, key="ranking", column_order=COLUMNS)
    layout.link("attacks", "Attacks on the private run", run=ids[-1], attack="relations")
    layout.link("tradeoffs", "Trade-offs on these data", data=last.spec.dataset)


# Train


def train() -> None:
    """Train runs with privacy and without, whose options begin as those of the chosen run."""
    spec = make_spec(LEARNERS[0], EMBEDDED) if last is None else last.spec
    known = {one.name: one for one in parameters(METHODS[LEARNERS[0]].load_config())}
    own = {name: value for name, value in spec.options.items() if name in known and name not in GUARANTEE}
    left, right = st.columns([3, 1])
    titles: dict[str, str] = words["units"]
    shared = {"selection_mode": "multi", "default": list(titles), "format_func": titles.__getitem__}
    units = left.segmented_control("Training", list(titles), key="train_units", **shared)
    seeds = int(right.number_input("Seeds", 1, 5, 1, key="train_seeds"))
    st.caption(words["train"])
    budget = known["epsilon"]
    offered = [replace(budget, default=spec.options.get("epsilon", budget.default))] if "edge" in units else []
    filled = widgets.options_form(offered, prefix=f"new.{spec.id[-4:]}.", heading=False)
    if filled.errors or not units:
        return
    try:
        given = {"data_options": spec.data_options, "split": spec.split, "device": spec.device}
        options = {"edge": {**own, **filled.values, "unit": "edge", "noise_multiplier": 0.0}}
        options["none"] = {**own, "unit": "none"}
        asked_for = [(options[unit], seed) for unit in units for seed in range(seeds)]
        specs = [make_spec(LEARNERS[0], spec.dataset, held, seed=seed, **given) for held, seed in asked_for]
        refused = encoders.refusal(specs[0])
        for one in [one for one in specs if one.unit != "none"][:1]:
            facts = datasets.public_facts(dataset(one.dataset), one.data_options, one.split)
            if facts is not None:
                statement.together([plans.plan(one.method, one.options, facts).statement], seeds)
    except (OptionError, DataError, UnknownName) as error:
        st.error(markup.sentence(error))
        return
    if refused:
        st.warning(refused)
    with st.container(horizontal=True, vertical_alignment="center"):
        shared = {"type": "primary", "icon": ":material/play_arrow:", "disabled": bool(refused)}
        pressed = st.button(f"Train ({len(specs)} runs)", key="train", **shared)
        address = beginnings.settings(LEARNERS[0], spec.dataset, specs[0].options, spec.data_options)
        layout.link("train", "All options", **address)
        layout.link("data", "Other texts", **{"data": EMBEDDED, choosing.BRING: choosing.TEXTS})
    if pressed:
        sending.sweep("relations", specs, engines.offered()[0])


words = texts("relations")
layout.head("relations")
asked = tuple(st.query_params[key] for key in ("private", "bare") if key in st.query_params)
records = states.readable(learners(asked))
for key in ("private", "bare"):
    if (name := st.query_params.get(key)) is not None and name not in {one.id for one in records}:
        widgets.leave_out(key, name, fill(words["unknown"], run=markup.literal(name[:80])))
chosen = choose(records)
last = next(reversed(chosen.values()), None)
sending.progress("relations")
for tab, draw in zip(st.tabs(["Ask", "Cost", "Train"]), (ask, cost, train), strict=True):
    with tab:
        if last is not None or draw is train:
            draw()
        else:
            st.info(words["none"], icon=":material/compare_arrows:")
