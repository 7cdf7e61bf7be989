"""The Teachers page: how right a run's answers are and who pays for them; then one vote, and four more tabs
on private answers. The open one alone is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import streamlit as st

from privgraph.methods.prompts.dp_gpl.ensemble import Ensemble
from privgraph.methods.teachers.answers import NAME
from privgraph.runs.records import RunQuery, RunRecord, UnknownRun, Unreadable
from privgraph_workbench.facts.teacher_settings import WEIGHTED
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.views.parts import keeping, states
from privgraph_workbench.views.teachers import (
    alike,
    answered,
    by_weight,
    chain,
    choose_run,
    compared,
    one_query,
    payers,
    price_form,
    vote_form,
)
from privgraph_workbench.views.teachers.tabs import ANSWERS, COMPARED, OPENS, PAYERS, PRICE, TABS, VOTES
from privgraph_workbench.words import listing, markup, naming
from privgraph_workbench.words.numbers import percent

MOST_RUNS = 400
_HELD = (price_form.PREFIX, vote_form.PREFIX, "epsilons.", "query", "show")
"""How the fields of the tabs are named: what stands in them stands there again when a tab is opened again."""


def page() -> None:
    """The run that one came from, what is answered for it at once, and tabs about it."""
    queue.tick()
    keeping.keep("teachers", _HELD)
    st.title("Teachers")
    st.markdown(
        "**Teachers** learn on private nodes and vote on public ones, through noise; a **student** learns from these "
        "labels alone."
    )
    asked = st.query_params.get("tab")
    found, records = _finished()
    unanswered = _unanswered(found, records)
    means = choose_run.averages(found)
    record = choose_run.show(records, means, unanswered) if records else None
    if record is not None:
        chain.show(record, means.get(record.id))
        _who_pays(record)
    _begin_price(record)
    if asked is not None and asked not in TABS:
        st.warning(f"In this page's address, there is no tab {markup.literal(asked[:40])}; tabs are {', '.join(TABS)}.")
    opens = PRICE if record is None else VOTES
    if OPENS in st.session_state:
        st.session_state["tab"] = st.session_state.pop(OPENS)
    for name, tab in zip(TABS, st.tabs(TABS, default=opens, key="tab", bind="query-params"), strict=True):
        if tab.open:
            with tab:
                _show(name, record, records, found)


def _show(tab: str, record: RunRecord | None, records: Mapping[str, RunRecord], found: Sequence[RunRecord]) -> None:
    if tab == COMPARED:
        compared.show(found, records, record)
    elif tab == PRICE:
        st.fragment(price_form.show)(record)  # a slider draws the price again, and no more
    elif record is None:
        _invite()
    elif tab == ANSWERS:
        answered.show(record)
    elif isinstance(ensemble := payers.load(queue.store().folder(record.id)), str):
        st.error(markup.literal(ensemble))
    elif tab == VOTES:
        _one_vote(record, ensemble)
    elif ensemble is None:
        _no_weights(record, records)
    else:
        payers.lead(ensemble)
        if payers.alike(ensemble):
            _to_weighted(record, records)
        payers.show(record, ensemble)


def _who_pays(record: RunRecord) -> None:
    """Who pays how much in the run, in one line that leads to more, and whether that protects anybody."""
    ensemble = payers.load(queue.store().folder(record.id))
    said = by_weight.whose(record, None if isinstance(ensemble, str) else ensemble)
    if said:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(said, width="content")
            st.page_link(
                shell.page("teachers"),
                label=PAYERS,
                icon=":material/sell:",
                query_params={"run": record.id, "tab": PAYERS},
            )


def _one_vote(record: RunRecord, ensemble: Ensemble | None) -> None:
    """One query: under other noise where the teachers' votes were kept, and as it was answered otherwise."""
    st.caption(
        "**One query:** what the noise did to it, and what other noise might have done. What noise costs all queries "
        "together, before anything is trained: the tab *Price*."
    )
    if ensemble is not None:
        answered.with_names(vote_form.show, record, ensemble)
    elif (found := answered.load(record)) is not None:
        answered.with_names(one_query.show, record, found)


def _begin_price(record: RunRecord | None) -> None:
    """The price form begins with the settings of the run above; where there is none, of the one that the
    address names."""
    asked = st.query_params.get("run")
    named = queue.store().find(RunQuery(ids=(asked,))) if record is None and asked else []
    if record is None and named and not named[0].unreadable:
        record = named[0]
    if record is not None:
        price_form.begin(record)


def _finished() -> tuple[list[RunRecord], dict[str, RunRecord]]:
    """The newest finished runs of teachers, and the one that the address names, however old; and those that
    kept their answers, by id."""
    store, asked = queue.store(), st.query_params.get("run")
    query = RunQuery(methods=tuple(choose_run.LEADS), states=("done",), limit=MOST_RUNS)
    found = states.readable([*store.find(query), *(store.find(replace(query, ids=(asked,))) if asked else [])])
    records = {record.id: record for record in found if has_answers(store.url, record.id, record.created)}
    return list({record.id: record for record in found}.values()), records


def _unanswered(found: Sequence[RunRecord], records: Mapping[str, RunRecord]) -> RunRecord | None:
    """The run that the address names, where it has no answers to look at, and why; None where it has some, or
    is none."""
    asked = st.query_params.get("run")
    if asked is None or asked in records:
        return None
    record = next((one for one in found if one.id == asked), None)
    if record is None:
        st.warning(f"There is no finished run {markup.literal(asked[:80])} with answers of teachers.")
        return None
    method, options = record.spec.method, record.spec.options
    leads = [naming.said(method, key, options[key]) for key in choose_run.LEADS[method] if key in options]
    words = [naming.method_title(method), *leads, listing.guaranteed(record)]
    if "test_accuracy" in record.metrics:
        words.append(percent(record.metrics["test_accuracy"]))
    no_vote = " No teacher votes in it: it released one noisy table." if _of_table(record) else ""
    st.info(
        f"**{markup.literal(' · '.join(words))}**, seed {record.spec.seed}: its answers were not kept, so that none "
        f"can be looked at.{no_vote} Below is another run of the same method, where there is one.",
        icon=":material/info:",
    )
    st.page_link(
        shell.page("train"),
        label="Open the run that was asked for",
        icon=":material/open_in_new:",
        query_params={"run": record.id},
    )
    return record


def _of_table(record: RunRecord) -> bool:
    return record.spec.options.get("release") == answered.TABLE


@lru_cache(maxsize=1024)
def has_answers(url: str, run: str, created: float) -> bool:
    """Whether a finished run of that store kept its teachers' answers: that of the id which was created then,
    for another one may take its place (`facts.finished`)."""
    try:
        events = queue.store().events(run, kinds=("artifact",))
    except (UnknownRun, Unreadable):
        return False
    return any(stored.payload.get("name") == NAME for stored in events)


def _invite() -> None:
    """Where no run has answers yet."""
    st.info(
        "No private teachers have answered here yet, and no private table. Train a PrivGNN to see each query "
        "before and after noise; train DP-GPL to see what each teacher's nodes pay.",
        icon="🎓",
    )
    st.page_link(
        shell.page("train"),
        label="**Train a PrivGNN**",
        icon=":material/model_training:",
        query_params={"method": "privgnn"},
    )
    _train_weighted()


def _no_weights(record: RunRecord, records: Mapping[str, RunRecord]) -> None:
    """What is paid in a run without weighted teachers, and the way to one that has them."""
    alike.show(record)
    _to_weighted(record, records)


def _to_weighted(record: RunRecord, records: Mapping[str, RunRecord]) -> None:
    """The way to a run whose teachers' weights differ, or to its form."""
    other = choose_run.weighted(one for one in records.values() if one.id != record.id)
    if other is not None:
        st.page_link(
            shell.page("teachers"),
            label="**Open a run of DP-GPL+W (unequal weights)**, where some nodes pay less",
            icon=":material/groups:",
            query_params={"run": other.id, "tab": PAYERS},
        )
    _train_weighted()


def _train_weighted() -> None:
    st.page_link(
        shell.page("train"),
        label="**Train DP-GPL**",
        icon=":material/model_training:",
        query_params={"method": "dp-gpl", "weighting": WEIGHTED},
    )
