"""The card of a privacy statement: three epsilons, badges, the ledger, and what is promised."""

import math
import re
from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from privgraph.privacy.events import NonPrivate
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import tuning_price
from privgraph_workbench.facts import composition
from privgraph_workbench.parts import layout
from privgraph_workbench.text import fill, texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup, meaning, statements
from privgraph_workbench.words.numbers import bound, exact_percent, kept_budget, rounded_delta, stated

told = texts("statement")


def numbers(said: PrivacyStatement, *, asked: float | None = None, bare: float | None = None) -> None:
    """Show the three epsilons, delta and the accuracy of an adversary.

    Args:
        said: The statement of a run or of a plan.
        asked: The target epsilon by which the noise was chosen; it stands for a sound epsilon that it bounds.
        bare: What audits have shown without any premise.
    """
    names = ("accountant", "accountant_as_published")
    sound, published = (markup.literal(getattr(said, name) or "none") for name in names)
    audited = "—" if said.epsilon_audited is None else f"≥ {stated('audited', said.epsilon_audited)}"
    sure = f"confidence {exact_percent(said.audit_confidence)}" if said.audit_confidence else None
    how = fill(told["audited"], how=markup.literal(statements.audited_how(said)))
    kept = stated("sound", kept_budget(asked, said.epsilon) or said.epsilon)
    by_formula, formula = stated("published", said.epsilon_as_published), fill(told["published"], accountant=published)
    boxes: list[layout.Number] = [
        (EPSILONS["sound"].label, kept, fill(told["sound"], accountant=sound), f"δ {rounded_delta(said.delta)}"),
        (EPSILONS["published"].label, by_formula, formula),
        (EPSILONS["audited"].label, audited, how, sure),
    ]
    if said.unit != "none":
        exact, most = meaning.guess_of(said), bound(meaning.guess(said.epsilon, said.delta))
        below = None if exact is None else f"this noise: {bound(exact)}"
        boxes.append(("Adversary's accuracy", most, told["guess"], below))
    layout.numbers(boxes)
    badges(said, bare=bare)


def badges(said: PrivacyStatement, *, bare: float | None = None) -> None:
    """Warn of what the numbers do not say, a word each."""
    words, how = told["badges"], markup.literal(statements.audited_how(said))
    reasons = [one.event.reason for one in said.ledger if isinstance(one.event, NonPrivate)]
    unproved = [fill(words["unproved"], reason=markup.literal(one)) for one in reasons]
    if math.isinf(said.epsilon) and not unproved:
        unproved = [words["little"]]
    shown: list[tuple[str, str]] = [("no proof", one) for one in unproved]
    if said.unit == "none":
        shown = [("no privacy", words["bare"])]
    if "sound" in statements.refuted(said):
        shown.append(("refuted: sound ε", how))
    if mark := statements.published_fell(said, bare):
        more = "" if bare is None else markup.literal(f" ≥ {stated('audited', bare)} without premises")
        shown.append((f"{mark}: ε as published", how + more))
    if said.known_faults:
        shown.append((f"{len(said.known_faults)} known faults", "; ".join(map(markup.literal, said.known_faults))))
    with st.container(horizontal=True):
        for label, help_ in shown:
            st.badge(label, color="red", help=help_)
        if said.data_dependent:
            st.badge("data-dependent", color="orange", help=words["dependent"])
        if said.gaps:
            listed = "; ".join(markup.literal(gap.title) for gap in said.gaps)
            st.badge(f"{len(said.gaps)} gaps of the paper", color="gray", help=listed)


def ledger(entries: Sequence[LedgerEntry]) -> None:
    """Show the mechanisms: noise, sensitivity, number of releases."""
    if not entries:
        st.caption(told["none"])
        return
    rows = [
        {
            "stage": entry.stage,
            "mechanism": entry.mechanism,
            "times": entry.count,
            "noise σ": entry.noise_std,
            "sensitivity": entry.sensitivity,
            "norm": entry.norm,
            "sampling": entry.sampling_rate,
            "accounted as": re.sub(r"(?<!^)(?=[A-Z][a-z])", " ", type(entry.event).__name__).lower(),
            "note": entry.note,
        }
        for entry in entries
    ]
    cells = pd.DataFrame(rows).replace("", None).dropna(axis=1, how="all")
    forms = dict.fromkeys(("noise σ", "sensitivity", "sampling"), "%.3g")
    layout.table(cells, told["ledger"], {}, forms, alt="mechanisms", placeholder="")


def whole(said: PrivacyStatement) -> None:
    """Show the mechanisms and the promise."""
    ledger(said.ledger)
    promise(said)


def promise(said: PrivacyStatement) -> None:
    """Show what is promised: unit, relation, assumptions, gaps, and epsilon of each holder."""
    values = {
        "unit": meaning.protected(said.unit, said.neighbours),
        "relation": said.relation,
        "released": said.released,
        "public": "; ".join(said.public) or "nothing",
        "delta_rule": said.delta_rule,
        "accountant": said.accountant or "none",
    }
    rows = {told["promise"][name]: value for name, value in values.items()}
    rows |= {f"Assumption {at}": one for at, one in enumerate(said.assumptions, 1)}
    rows |= {f"Known fault {at}": one for at, one in enumerate(said.known_faults, 1)}
    _listed(rows, "promise")
    if said.gaps:
        with st.expander(f"Gaps of the paper ({len(said.gaps)})", icon=":material/rule:"):
            for gap in said.gaps:
                _listed({label: getattr(gap, name) for name, label in told["gaps"].items()}, "gap")
    if said.per_holder:
        st.dataframe([{"holder": name, "ε": value} for name, value in said.per_holder], hide_index=True)


def _listed(rows: Mapping[str, str], heading: str) -> None:
    st.table([{"": f"**{name}**", heading: markup.literal(value)} for name, value in rows.items()], hide_index=True)


def together(statements_: Sequence[PrivacyStatement], seeds: int) -> None:
    """Show what all of these runs cost whoever sees them, each with so many seeds."""
    runs = len(statements_) * seeds
    if len(composition.relations(statements_)) > 1:
        st.caption(fill(told["apart"], runs=runs))
        return
    event = Ledger([entry for one in statements_ for entry in one.ledger]).event()
    price = tuning_price(event, max(one.delta for one in statements_), seeds)
    st.caption(fill(told["together"], runs=runs, epsilon=stated("sound", price)))
