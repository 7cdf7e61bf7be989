"""A finished run as a story: one sentence, where its accuracy stands, what was promised and where the budget
went, and how to check it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from privgraph.attacks.options import AttackOptions
from privgraph.audits.options import AuditOptions
from privgraph.data.spec import PublicFacts
from privgraph.methods.teachers.answers import NAME as ANSWERS
from privgraph.options import OptionError, UnknownName
from privgraph.registry import ATTACKS, AUDITS, METHODS
from privgraph.runs import attacking, auditing
from privgraph.runs.records import RunRecord, StoredEvent, StoreError
from privgraph_workbench import live_plot
from privgraph_workbench.facts import placing
from privgraph_workbench.facts.expecting import METRIC, RELATIONS, Outlook
from privgraph_workbench.facts.references import chance
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.figures.costs import ledger
from privgraph_workbench.figures.runs import standing
from privgraph_workbench.forms import beginnings
from privgraph_workbench.jobs import queue
from privgraph_workbench.parts import evidence
from privgraph_workbench.serving import shell, styles
from privgraph_workbench.views.parts import layout, statement
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.views.runs import comparison
from privgraph_workbench.words import markup
from privgraph_workbench.words.audits import shown_bare
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import percent

WORST = "worst-case"
MOST_BARS = 12
"""Mechanisms that are drawn as bars; of more, the table of the tab tells."""


def outlook(record: RunRecord) -> tuple[Outlook, list[RunRecord]]:
    """What finished runs say beside this one, and those of its own settings, itself among them, by seed."""
    return placing.outlook(queue.store(), record)


def tell(record: RunRecord, facts: PublicFacts | None, told: Outlook, same: Sequence[RunRecord]) -> None:
    """The run in one sentence or two."""
    nodes = facts.nodes if facts else None
    with st.container(key=styles.LEAD):
        st.markdown(placing.sentence(record, beginnings.called(record.spec), nodes, told, same))


def found_out(record: RunRecord) -> None:
    """What attacks and audits of the run have found, with the way to them."""
    for who, name, frame in (
        ("outsider", "attacks", evidence.attacks()),
        (WORST, "audits", evidence.audits()),
    ):
        own = frame[frame.run == record.id]
        if len(own):
            evidence.table(own, "attacks" if who == "outsider" else "audits", leave_out=evidence.OF_RUN)
            query = {"run": record.id} | ({"who": who} if who == WORST else {})
            st.page_link(shell.page("attacks"), label=f"See {name}", icon=":material/gavel:", query_params=query)


def show(record: RunRecord, events: Sequence[StoredEvent], told: Outlook, same: Sequence[RunRecord]) -> None:
    """How well it does beside what it promises, and the ways to check that."""
    comparison.changes(record)
    left, right = layout.columns(f"story-{record.id}", 2)
    with left:
        _accuracy(record, same, told)
    with right:
        _promised(record)
    if record.statement is not None:
        statement.gaps(record.statement)  # below both sides: opened beside one it left the other blank
    ways = _ways(record, events)
    if not (spent := _spent(record)):
        for column, way in zip(st.columns(len(ways)) if ways else (), ways, strict=True):
            with column:
                _way(way)
        return
    left, right = layout.columns(f"ways-{record.id}", 2)  # beside the promise it left the other side blank
    with left:
        for way in ways:
            _way(way)
    with right:
        if ledger.alike(spent):
            _alike(spent)
        else:
            live_plot.show(ledger.plot(spent, layout.theme()), key=f"ledger.{record.id}")


def _alike(spent: Sequence[Row]) -> None:
    """Where the budget went, in words: bars of one length tell nothing more."""
    with st.container(border=True):
        st.markdown(f"**{ledger.TITLE}**")
        st.caption(f"The same share to each of its {len(spent)} mechanisms: {percent(spent[0]['share'])}.")
        st.markdown("\n".join(f"- {markup.literal(ledger.name(row))}" for row in spent))


def _accuracy(record: RunRecord, same: Sequence[RunRecord], told: Outlook) -> None:
    if not record.metrics:
        st.info("This run has measured no accuracy.")
        return
    relations = record.spec.method in METHODS and RELATIONS in METHODS[record.spec.method].tasks
    nodes = chance(record.metrics)
    several = f" of this run, seed {record.spec.seed}" if len(same) > 1 else ""
    st.metric(
        ("PREC@1" if relations else "Test accuracy") + several,
        percent(record.metrics.get(METRIC)),
        delta=f"95% interval {percent(nodes.low)} to {percent(nodes.high)}, by {nodes.nodes:,} test nodes"
        if nodes
        else "",
        delta_color="off",
        delta_arrow="off",
        help=(comparison.PREC if relations else comparison.ACCURACY)
        + ". The interval covers the chance in which nodes are tested; several seeds show that in training",
    )
    rows = standing.data(record, same, told)
    if rows:
        live_plot.show(standing.plot(rows, layout.theme()), key=f"standing.{record.id}")
        figure_exports("standing", rows, statements_of([record]), name=record.id, runs=same)
    if nodes is not None:
        comparison.no_better(record, nodes)
    comparison.without_privacy_button(record, told.bare is not None)


def _promised(record: RunRecord) -> None:
    said = record.statement
    if said is None:
        return
    st.markdown("##### What was promised")
    bare = shown_bare(queue.store().audits(record.id), said)
    statement.short(said, asked=record.spec.asked_epsilon, bare=bare, gaps_too=False)


def _spent(record: RunRecord) -> list[Row]:
    """Where the budget went, where that is more than one mechanism and not too many to be drawn."""
    said = record.statement
    if said is None or said.unit == "none" or not 1 < len(said.ledger) <= MOST_BARS:
        return []
    return ledger.data(said.ledger, said.delta)


Way = tuple[str, str, str, dict[str, str], str]


def _ways(record: RunRecord, events: Sequence[StoredEvent]) -> list[Way]:
    """The ways on: audits where it protects something, outsiders where its model can be asked, and what its
    teachers or its encoder say; each once, with the time that it takes."""
    return [one for one in (_audit(record), _attack(record), _teachers(record, events), _relations(record)) if one]


def _way(way: Way) -> None:
    label, icon, page, query, text = way
    with st.container(border=True, height="stretch"):
        st.page_link(shell.page(page), label=f"**{label}**", icon=icon, query_params=query)
        st.caption(text)


def _audit(record: RunRecord) -> Way | None:
    if record.statement is None or record.statement.unit == "none":
        return None
    try:
        subject = auditing.subject(record)
        offered = [spec for spec in AUDITS.values() if spec.refuses(subject) is None]
        cost = markup.sentence(offered[0].cost(subject, AuditOptions())) if offered else "No audit can be made of it."
    except (StoreError, OptionError, UnknownName) as error:
        cost = markup.sentence(error)
    if (evidence.audits().run == record.id).any():
        return None  # what they have shown stands above, with the way to them
    query = {"who": "worst-case", "run": record.id}
    text = f"The worst case that its guarantee allows, played by ourselves: is ε as claimed? {cost}"
    return ("Audit this run", ":material/gavel:", "attacks", query, text)


def _attack(record: RunRecord) -> Way | None:
    try:
        subject = attacking.subject(record)
        offered = [spec for spec in ATTACKS.values() if spec.refuses(subject) is None]
    except (StoreError, OptionError, UnknownName):
        return None
    if not offered or (evidence.attacks().run == record.id).any():  # what they found stands above, with the way to them
        return None
    first = min(offered, key=lambda spec: (spec.sides.unit == "edge") != (subject.statement.unit == "edge"))
    cost = markup.sentence(first.cost(subject, AttackOptions()))
    text = f"An outsider asks its model, and tells {first.sides.asks}: {first.title}. {cost}"
    return ("Attack this run", ":material/person_search:", "attacks", {"run": record.id}, text)


def _teachers(record: RunRecord, events: Sequence[StoredEvent]) -> Way | None:
    """What this run's teachers said, where that was kept."""
    if not any(one.kind == "artifact" and one.payload["name"] == ANSWERS for one in events):
        return None
    text = "Each answer before and after noise, and whose teachers gave it. Private: it stays on this computer."
    return ("What its teachers said", ":material/school:", "teachers", {"run": record.id}, text)


def _relations(record: RunRecord) -> Way | None:
    """What this run's encoder finds near a text, where it has learnt relations."""
    known = METHODS.get(record.spec.method)
    if known is None or RELATIONS not in known.tasks:
        return None
    query = {"bare" if record.spec.unit == "none" else "private": record.id}
    text = "Type a text, and see what the encoder finds near it, before and after it learnt."
    return ("Ask its encoder", ":material/compare_arrows:", "relations", query, text)
