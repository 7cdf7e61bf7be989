"""Audits: attack a finished run with all help that its guarantee allows, and hold what is found against the
claims."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.record import AuditRecord
from privgraph.options import OptionError, UnknownName, build, parameters
from privgraph.privacy.kinds import Adversary
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import attacked
from privgraph.registry import ATTACKS, AUDITS, AuditSpec
from privgraph.runs import auditing
from privgraph.runs.auditing import Auditing
from privgraph.runs.records import RunQuery, RunRecord, StoreError, Unreadable
from privgraph_workbench import live_plot
from privgraph_workbench.figures.audits import audit_bounds, audit_roc, audit_scores
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.forms import widgets
from privgraph_workbench.jobs import queue
from privgraph_workbench.serving import shell
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.attacks import outcome
from privgraph_workbench.views.parts import choosing, layout, statement, states
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words import markup, naming
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import duration, exact_percent, lower, number, percent, stated

MOST_RUNS = 200
POLL_SECONDS = 1.0
PREFIX = "audit."
UNREAD: Mapping[str, tuple[str, ...]] = {"mechanism": ("canaries",), "white-box": ("trials",)}
"""Options that an audit does not read, and that its form leaves out."""
PLOTS: Mapping[str, Callable[..., object]] = {
    "audit_roc": audit_roc.plot,
    "audit_scores": audit_scores.plot,
    "audit_bounds": audit_bounds.plot,
}


def body() -> None:
    """Choose a run; start an audit and watch it; read what the audits have shown."""
    st.markdown(
        "A guarantee says that **no** attack finds out more than its ε allows. An audit is such an attack, "
        "made by ourselves, with all the help that the guarantee grants an attacker. What it finds is a "
        "number that ε cannot be below: a claim that is smaller is **refuted**. A claim that is larger is "
        "not proved by that; another attack may find more."
    )
    record = _choose_run()
    if record is None:
        return
    try:
        subject = auditing.subject(record)
    except (StoreError, OptionError, UnknownName) as error:
        st.error(markup.sentence(error))
        return
    try:
        audits = queue.store().audits(record.id)
    except Unreadable as error:
        st.error(markup.sentence(error))
        return
    left, right = st.columns(2, gap="large")
    with left:
        _new(record, subject)
    with right:
        st.markdown("### What the run claims")
        statement.numbers(subject.statement)
        going = tuple(one.token for one in auditing.states(queue.store(), record.id) if not one.done)
        shell.fragment(_watch, run_every=POLL_SECONDS if going else None)(record.id, going)
    st.divider()
    st.markdown("### What audits of this run have shown")
    if not audits:
        st.info("This run has not been audited yet. Start an audit above; what it shows will stand here.", icon="🔎")
        return
    _shown(record, subject, audits)


def _choose_run() -> RunRecord | None:
    """The run that the address names, or the newest that protects something; an invitation where there is
    none."""
    store, asked = queue.store(), st.query_params.get("run")
    query = RunQuery(units=("edge", "node"), states=("done",), limit=MOST_RUNS)
    named = store.find(replace(query, ids=(asked,))) if asked else []
    records = {record.id: record for record in states.readable([*store.find(query), *named])}
    if asked is not None and asked not in records:
        there = states.readable(store.find(RunQuery(ids=(asked,))))
        subject = (
            f"The run {naming.name(there[0])} promises nothing"
            if there
            else (f"There is no finished run {markup.literal(asked[:80])} that protects anything")
        )
        st.warning(f"{subject}: only a run that protects something can be audited. Another one is shown.")
    if not records:
        st.info("No private run is finished here yet. Train one, and this page attacks it.", icon="🔎")
        st.page_link(shell.page("train"), label="**Train a private run**", icon=":material/model_training:")
        return None
    if st.session_state.get("audited") not in records:
        st.session_state["audited"] = asked if asked in records else next(iter(records))
    titles = choosing.runs(records.values())
    chosen = st.selectbox(
        "Run",
        list(records),
        format_func=lambda run: titles[run],
        key="audited",
        help="Finished runs that protect something, the newest first",
    )
    if asked != chosen:  # the address names the run even where it is the newest: tomorrow another one will be
        st.query_params["run"] = chosen
    record = records[chosen]
    with st.container(horizontal=True, vertical_alignment="center"):
        states.badge(record)
        st.markdown(f"**{naming.name(record)}**", width="content")
        st.page_link(
            shell.page("train"), label="Open the run", icon=":material/open_in_new:", query_params={"run": record.id}
        )
    return record


# A new audit


def _new(record: RunRecord, subject: Subject) -> None:
    """Which audit, how much of it, what that takes, and the button."""
    st.markdown("### A new audit")
    spec = _choose_audit(subject)
    if spec is None:
        return
    st.caption(f"**{spec.title}**: {spec.about} ({spec.paper})")
    known = [one for one in parameters(AuditOptions) if one.name not in UNREAD.get(spec.name, ())]
    for complaint in widgets.complaints(known, prefix=PREFIX):
        st.warning(complaint)
    filled = widgets.options_form(known, prefix=PREFIX, heading=False)
    if filled.errors:
        st.info(widgets.pointer(filled.errors), icon=":material/edit:")
        return
    options = build(AuditOptions, filled.values)
    st.markdown(f"**What it takes.** {markup.sentence(spec.cost(subject, options))}")
    going = any(not one.done for one in auditing.states(queue.store(), record.id))
    if st.button(
        "Start the audit",
        type="primary",
        key="start_audit",
        disabled=going,
        icon=":material/play_arrow:",
        help="An audit of this run is under way" if going else None,
    ):
        try:
            auditing.start(queue.store(), record.id, spec.name, options)
        except (StoreError, OptionError, OSError) as error:
            st.error(markup.sentence(error))
            return
        st.rerun()


def _choose_audit(subject: Subject) -> AuditSpec | None:
    """One of the audits that can be made of this run; why the others cannot."""
    refused = {name: reason for name, spec in AUDITS.items() if (reason := spec.refuses(subject))}
    offered = [name for name in AUDITS if name not in refused]
    asked = st.query_params.get("audit")
    if asked is not None and asked not in AUDITS:
        st.warning(
            f"In this page's address, there is no audit {markup.literal(asked[:80])}; audits are {', '.join(AUDITS)}."
        )
    elif asked in refused:
        st.warning(f"In this page's address, the audit {asked} is not offered for this run.")
    chosen = None
    if offered:
        chosen = AUDITS[
            st.segmented_control(
                "Audit",
                offered,
                default=offered[0],
                required=True,
                key="audit",
                bind="query-params",
                width="stretch",
            )
        ]
    else:
        st.info("No audit can be made of this run.", icon=":material/info:")
    for name, reason in refused.items():
        st.caption(f"Not offered: **{AUDITS[name].title}**. {markup.sentence(reason)}")
    return chosen


# Under way


def _watch(run: str, were_going: tuple[str, ...]) -> None:
    """The audits that are under way, each with its button to stop it; the whole page is drawn anew when one
    ends."""
    audits = auditing.states(queue.store(), run)
    going = [one for one in audits if not one.done]
    if {one.token for one in going} != set(were_going):
        st.rerun()
    for one in going:
        st.progress(min(1.0, max(0.0, one.progress)), text=_progress_text(one))
        if st.button("Stop the audit", key=f"stop_audit.{one.token}", icon=":material/stop:"):
            auditing.stop(queue.store(), run, one.token)
            st.caption("It was asked to stop, and will at its next step.")
    if going:
        st.caption("The audit is a process of its own: it goes on when this page is closed, and is found here again.")
        return
    last = audits[-1] if audits else None
    if last is not None and last.error:
        st.error(markup.sentence(f"The last audit failed: {last.error}"))
    elif last is not None and last.stopped:
        st.info("The last audit was stopped before it had shown anything.", icon=":material/stop:")
    else:
        st.caption("No audit of this run is under way.")


def _progress_text(one: Auditing) -> str:
    title = AUDITS[one.name].title if one.name in AUDITS else one.name
    elapsed = time.time() - one.started
    left = f" · about {duration(elapsed * (1 - one.progress) / one.progress)} left" if one.progress > 0.05 else ""
    return f"{markup.literal(title)} · {one.progress:.0%} · {markup.literal(one.stage or 'starting')}{left}"


# What they have shown


def _shown(record: RunRecord, subject: Subject, audits: Sequence[AuditRecord]) -> None:
    """One audit of the run in full, and all of them as a table."""
    audit = _choose_record(record.id, audits)
    outcome.show(audit, subject)
    _numbers(audit)
    if record.statement is not None and audit.delta < record.statement.delta:
        st.caption(
            f"This is a smaller δ than the run's {number(record.statement.delta)}, at which ε may be "
            "smaller: the bound does not become the run's number."
        )
    with st.expander("What the attacker sees", expanded=True):
        _adversary(audit)
    statements = statements_of([record])
    name = f"{record.id}-audit-{audits.index(audit) + 1}"
    left, right = st.columns(2, gap="large")
    with left:
        scale = st.segmented_control(
            "Axes of the curve",
            list(audit_roc.SCALES),
            default="linear",
            required=True,
            key="scale",
            bind="query-params",
            help="; ".join(f"{key}: {meaning}" for key, meaning in audit_roc.SCALES.items()),
        )
        _figure("audit_roc", audit_roc.data(audit, str(scale)), statements, name)
        st.caption(
            "A claim of (ε, δ) draws a line that no attack can cross, in the long run. Where the noise is "
            "Gaussian and nothing else, the Gaussian mechanism with that sound ε draws a second line, "
            "further inside. Where the attack's curve lies far beyond a line, the claim is false; how far "
            "is beyond chance, the bound says."
        )
    with right:
        _figure("audit_bounds", audit_bounds.data(audit), statements, name)
        if why := outcome.routes(audit):
            st.caption(why)
        _figure("audit_scores", audit_scores.data(audit), statements, name)
    _history(audits)


def _choose_record(run: str, audits: Sequence[AuditRecord]) -> AuditRecord:
    """Which audit is shown: the one that the address names, or the newest; a new one comes to the front by
    itself."""
    numbers = [str(place + 1) for place in range(len(audits))]
    asked = st.query_params.get("shown")
    if asked is not None and asked not in numbers:
        st.warning(f"In this page's address, there is no audit number {markup.literal(asked[:20])} of this run.")
    seen = st.session_state.get("audits_seen")
    if seen is not None and seen[0] == run and seen[1] < len(audits):
        st.session_state["shown"] = numbers[-1]
    st.session_state["audits_seen"] = (run, len(audits))
    with st.container(width=260):
        chosen = st.selectbox(
            "Which of its audits (number)", numbers, index=len(numbers) - 1, key="shown", bind="query-params"
        )
    audit = audits[int(chosen) - 1]
    st.markdown(
        f"**{markup.literal(audit.title)}**" + ("" if len(audits) == 1 else f", audit {chosen} of {len(audits)}")
    )
    return audit


def _numbers(audit: AuditRecord) -> None:
    """The claims for what was audited and the bound, side by side; a claim that it exceeds is red."""
    whole = "of the whole run" if audit.covers == "run" else "of one step of it"
    boxes = (
        (EPSILONS["sound"].label, _claim(audit.sound), audit.refutes_sound, f"What our proof claims {whole}"),
        (
            EPSILONS["published"].label,
            _published(audit),
            audit.refutes_published,
            f"What the paper's own formula claims {whole}",
        ),
        (
            EPSILONS["audited"].label,
            f"≥ {lower(audit.epsilon)}",
            False,
            f"What the attack has shown {whole}, at {exact_percent(audit.confidence)} confidence. It "
            f"attacked {markup.literal(attacked(audit.adversary))}.",
        ),
    )
    for column, (label, value, refuted, help_) in zip(st.columns(3), boxes, strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(label, help=help_)
            st.markdown(f"#### :red[{value}]" if refuted else f"#### {value}")
            if refuted:
                st.badge("refuted", color="red", icon=":material/gavel:")
    counted = {Adversary.CANARIES: "canaries", Adversary.OUTSIDER: "pairs"}.get(audit.adversary, "trials")
    covers = (
        "the whole run" if audit.covers == "run" else "one step alone: not the run, whose number it does not change"
    )
    st.caption(
        f"All three at δ = {number(audit.delta)}, and of {covers}. {audit.trials:,} {counted}, "
        f"{duration(audit.seconds)}, seed {audit.seed}."
    )
    if audit.adversary is Adversary.CANARIES:
        st.caption(
            f"As a membership attack (HeterPoisson, Figure 8a): shown a canary that was in and one that was not, it "
            f"picks the right one {percent(audit.area)} of the time; at its best threshold "
            f"{percent(audit.best_accuracy)} of its guesses are right. A coin: 50%."
        )


def _claim(epsilon: float) -> str:
    return "∞, none proved" if math.isinf(epsilon) else stated("sound", epsilon)


def _published(audit: AuditRecord) -> str:
    return "no formula" if audit.published is None else stated("published", audit.published)


def _adversary(audit: AuditRecord) -> None:
    """Who attacks, with what."""
    about = next((table[audit.audit].about for table in (AUDITS, ATTACKS) if audit.audit in table), "")
    st.markdown(
        "\n".join(f"- {markup.sentence(line)}" for line in (about, f"Its score: {audit.score}", *audit.notes) if line)
    )


def _figure(figure: str, rows: Sequence[Row], statements: Mapping[str, PrivacyStatement], name: str) -> None:
    live_plot.show(PLOTS[figure](rows, layout.theme()), key=f"{figure}.{name}")
    figure_exports(figure, rows, statements, name=name)


def _history(audits: Sequence[AuditRecord]) -> None:
    st.markdown("#### All audits of this run")
    st.dataframe(
        [_line(place, audit) for place, audit in reversed(list(enumerate(audits, start=1)))],
        hide_index=True,
        alt="Audits of this run, the newest first",
        column_config={
            "covers": st.column_config.TextColumn(
                help="Whether the bound is one on the whole run, or on one step alone"
            ),
            "seconds": st.column_config.NumberColumn(format="%.1f"),
        },
    )
    st.caption(
        "The run carries the largest of the bounds that cover all of it. With every further audit, chance "
        "has one more opportunity to make a bound too large. So each audit is judged more strictly than the "
        "one before it, and the stated confidence holds for all of them together, however many follow. "
        "Versions before 0.5 did not do so. If all audits of a run were made by them, only the first one "
        "counts; if a newer audit is among them, theirs do not count."
    )


def _line(place: int, audit: AuditRecord) -> dict[str, object]:
    return {
        "audit": place,
        "kind": audit.title,
        "covers": audit.covers,
        "ε at least": lower(audit.epsilon),
        "confidence": exact_percent(audit.confidence),
        "δ": number(audit.delta),
        EPSILONS["sound"].title: _claim(audit.sound),
        EPSILONS["published"].title: _published(audit),
        "trials": audit.trials,
        "seconds": audit.seconds,
        "seed": audit.seed,
    }
