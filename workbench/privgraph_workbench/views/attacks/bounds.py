"""What audits of a run have shown: one in full, and all of them as a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from privgraph.audits.options import Subject
from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import NEIGHBOURS, Adversary
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import attacked
from privgraph.registry import ATTACKS, AUDITS
from privgraph.runs.records import RunRecord
from privgraph_workbench import live_plot
from privgraph_workbench.figures import chart_of
from privgraph_workbench.figures.audits import audit_bounds, audit_roc, audit_scores
from privgraph_workbench.figures.chart import Row
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.views.attacks import columns, outcome
from privgraph_workbench.views.parts import choosing, layout
from privgraph_workbench.views.parts import statement as promised
from privgraph_workbench.views.parts.file_links import figure_exports
from privgraph_workbench.words import audits as audit_words
from privgraph_workbench.words import markup
from privgraph_workbench.words.naming import statements_of
from privgraph_workbench.words.numbers import duration, exact_percent, lower, percent, rounded_delta, stated

PLOTS: Mapping[str, Callable[..., object]] = {
    "audit_roc": audit_roc.plot,
    "audit_scores": audit_scores.plot,
    "audit_bounds": audit_bounds.plot,
}
GRANTED = "takes for granted"


def show(record: RunRecord, subject: Subject, audits: Sequence[AuditRecord], *, busy: bool) -> None:
    """One audit of the run in full, below its verdict the next step where none is under way (`busy`); and all
    as a table."""
    audit = _choose_record(record, audits)
    place = audits.index(audit) + 1
    outcome.show(record, audit, subject, audits)
    _stronger(record, audits, place)
    if not busy:
        outcome.more(record, audit, subject, audits)
    _numbers(audit, subject.statement, place)
    if record.statement is not None and audit.delta < record.statement.delta:
        st.caption(
            f"This is a smaller δ than the run's {rounded_delta(record.statement.delta)}, at which ε may be "
            "smaller: the bound does not become the run's number."
        )
    with st.expander("What the attacker sees"):
        _adversary(audit)
    statements = statements_of([record])
    name = f"{record.id}-audit-{place}"
    left, right = layout.columns("bounds", 2)
    with right:
        scale = st.segmented_control(
            "Axes of the curve",
            list(audit_roc.SCALES),
            default="log",
            required=True,
            key="scale",
            bind="query-params",
            help="; ".join(f"{key}: {meaning}" for key, meaning in audit_roc.SCALES.items()),
        )
        _figure("audit_roc", audit_roc.data(audit, str(scale)), statements, name)
    with left:
        _figure("audit_bounds", audit_bounds.data(audit), statements, name)
        if why := outcome.routes(audit):
            st.caption(why)
        _figure("audit_scores", audit_scores.data(audit), statements, name)
    _history(audits)


def _choose_record(record: RunRecord, audits: Sequence[AuditRecord]) -> AuditRecord:
    """Which audit is shown: the one that the address names, or the strongest; a new one comes to the front by
    itself."""
    titles = {str(place): _title(one, place) for place, one in enumerate(audits, start=1)}
    asked = st.query_params.get("shown")
    if asked is not None and asked not in titles:
        st.warning(f"In this page's address, there is no audit number {markup.literal(asked[:20])} of this run.")
    seen = st.session_state.get("audits_seen")
    if seen is not None and seen[0] == record.id and seen[1] < len(audits):
        choosing.put("shown", str(len(audits)))
        st.toast("The audit has ended: what it has shown stands on this page.", icon="🔎")
    elif asked not in titles:
        choosing.put("shown", str(strongest(record, audits)))
    st.session_state["audits_seen"] = (record.id, len(audits))
    return audits[int(choosing.one("Which of its audits", titles, "shown")) - 1]


def _stronger(record: RunRecord, audits: Sequence[AuditRecord], place: int) -> None:
    """That another audit has shown more than the one that is shown, and the way to it."""
    best = strongest(record, audits)
    audit, more = audits[place - 1], audits[best - 1]
    if not (more.epsilon > audit.epsilon and (more.covers, audit.covers) == ("run", "run")):
        return
    with st.container(horizontal=True, vertical_alignment="center", key="stronger"):
        st.markdown(f":material/north_east: Audit {best} of this run has shown more: {_least(more)}.", width="content")
        st.button(
            f"Show audit {best}", key="show_stronger", type="tertiary", on_click=choosing.put, args=("shown", str(best))
        )


def _least(audit: AuditRecord) -> str:
    taken = "" if audit_words.without_premise(audit) is None else f" {audit_words.taken(audit)}"
    return f"ε at least {outcome.least(audit)}{taken}"


def strongest(record: RunRecord, audits: Sequence[AuditRecord]) -> int:
    """The number, from 1, of the audit that has shown most of what the run promises, at a delta that is not
    smaller; else of the one that has shown most; the newest of equals. A bound of an outsider's attack comes
    after audits."""
    delta = 0.0 if record.statement is None else record.statement.delta

    def order(number: int) -> tuple[bool, bool, float, int]:
        one = audits[number - 1]
        counts = one.covers == "run" and one.delta >= delta
        return counts, one.adversary is not Adversary.OUTSIDER, one.epsilon, number

    return max(range(1, len(audits) + 1), key=order)


def _title(audit: AuditRecord, place: int) -> str:
    """Its bound with its premise first: on a phone the rest is cut."""
    bare = audit_words.without_premise(audit)
    taken = "" if bare is None else f" {audit_words.briefly(audit.adversary)}, else {lower(bare)}"
    return f"{place}: ε ≥ {lower(audit.epsilon)}{taken}{'' if audit.covers == 'run' else ', one step'}, {_kind(audit)}"


def _kind(audit: AuditRecord) -> str:
    """Its title; whether it came from an outsider's attack."""
    return f"{audit.title}{', an outsider' * (audit.adversary is Adversary.OUTSIDER)}"


def _numbers(audit: AuditRecord, statement: PrivacyStatement, place: int) -> None:
    """The claims for what was audited and the bound, side by side; a claim that it exceeds is red. Below the
    published one of the run's `statement` why it is another."""
    bare = audit_words.without_premise(audit)
    claims = {EPSILONS["sound"].label: audit.sound, EPSILONS["published"].label: audit.published or 0.0}
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
            f"{EPSILONS['audited'].label}, by this audit",
            f"≥ {outcome.least(audit)}" if audit.epsilon else "nothing shown",
            False,
            f"What the attack has shown {whole}, at {exact_percent(audit.confidence)} confidence. It "
            f"attacked {markup.literal(attacked(audit.adversary))}.",
        ),
    )
    for column, (label, value, refuted, help_) in zip(st.columns(3), boxes, strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(label, help=help_)
            st.markdown(f"#### :red[{value}]" if refuted else f"#### {value}")
            alone = refuted and audit_words.alone(audit, claims[label])
            fell = audit_words.refuted(audit.adversary, alone=alone) if refuted else ""
            if label == EPSILONS["sound"].label:
                promised.under_sound(statement, fell)
            elif label in claims:
                promised.under_published(statement, fell)
            elif bare is not None:
                st.caption(
                    f"{audit_words.taken(audit)}; ≥ {lower(bare)} without {audit_words.bare_words(audit.adversary)}"
                )
    counted = {Adversary.CANARIES: "canaries", Adversary.OUTSIDER: "pairs"}.get(audit.adversary, "trials")
    covers = (
        "the whole run" if audit.covers == "run" else "one step alone: not the run, whose number it does not change"
    )
    st.caption(
        f"All three at δ = {rounded_delta(audit.delta)}, of {covers}. Neighbouring datasets: "
        f"{NEIGHBOURS[statement.neighbours]}. {outcome.sure(audit)} {audit.trials:,} {counted}, "
        f"{duration(audit.seconds)}, seed {audit.seed}."
    )
    if audit.turn and audit.turn != place:
        st.caption(f"Listed as {place}, it had turn {audit.turn}. {columns.HELP['turn']}.")
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
    for note in chart_of(figure, rows).notes:
        st.caption(markup.literal(note))


def _history(audits: Sequence[AuditRecord]) -> None:
    st.markdown("#### All audits of this run")
    lines = [_line(place, audit) for place, audit in reversed(list(enumerate(audits, start=1)))]
    if not any(line[GRANTED] for line in lines):
        lines = [{name: cell for name, cell in line.items() if name != GRANTED} for line in lines]
    st.dataframe(
        lines,
        hide_index=True,
        alt="Audits of this run, the newest first",
        column_config=columns.config(lines[0]),
    )
    st.caption(
        "The run carries the largest of the bounds that cover all of it. With every further audit, chance "
        "has one more opportunity to make a bound too large. So each audit is judged more strictly than the "
        "one before it, and the stated confidence holds for all of them together, however many follow."
        + " Audits without a turn do not count beside those with one; of several, the first alone counts."
        * any(not audit.turn for audit in audits)
    )


def _line(place: int, audit: AuditRecord) -> dict[str, object]:
    """Epsilon first: on a phone no more is seen."""
    return {
        "ε at least": lower(audit.epsilon),
        columns.WITHOUT: lower(audit.epsilon if (bare := audit_words.without_premise(audit)) is None else bare),
        GRANTED: "" if bare is None else audit_words.taken(audit),
        EPSILONS["sound"].title: _claim(audit.sound),
        "audit": place,
        "kind": _kind(audit),
        "turn": audit.turn or None,
        "covers": "the whole run" if audit.covers == "run" else "one step",
        "confidence": exact_percent(audit.confidence),
        "δ": rounded_delta(audit.delta),
        EPSILONS["published"].title: _published(audit),
        "trials": audit.trials,
        "seconds": round(audit.seconds, 1),
        "seed": audit.seed,
    }
