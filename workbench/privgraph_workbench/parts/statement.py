"""The card of a privacy statement: three epsilons, badges, the ledger, and what is promised."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import streamlit as st

from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import tuning_price
from privgraph_workbench.facts import composition, method_costs
from privgraph_workbench.text import fill, texts
from privgraph_workbench.theme import EPSILONS
from privgraph_workbench.words import markup, meaning, statements
from privgraph_workbench.words.numbers import bound, exact_percent, kept_budget, rounded_delta, stated


def numbers(said: PrivacyStatement, *, asked: float | None = None, bare: float | None = None) -> None:
    """Show the three epsilons, delta and the accuracy of an adversary.

    Args:
        said: The statement of a run or of a plan.
        asked: The target epsilon by which the noise was chosen; it stands for a sound epsilon that it bounds.
        bare: What audits have shown without any premise.
    """
    told = texts("statement")
    sound = stated("sound", kept_budget(asked, said.epsilon) or said.epsilon)
    formula = fill(told["published"], accountant=_plain(said.accountant_as_published))
    audited = "—" if said.epsilon_audited is None else f"≥ {stated('audited', said.epsilon_audited)}"
    sure = f"confidence {exact_percent(said.audit_confidence)}" if said.audit_confidence else None
    boxes: list[tuple[str, str, str | None, str]] = [
        ("sound", sound, f"δ {rounded_delta(said.delta)}", fill(told["sound"], accountant=_plain(said.accountant))),
        (
            "published",
            stated("published", said.epsilon_as_published),
            None,
            formula,
        ),
        ("audited", audited, sure, fill(told["audited"], how=_plain(statements.audited_how(said), ""))),
    ]
    shown: list[tuple[str, str, str | None, str]] = [(EPSILONS[kind].label, *rest) for kind, *rest in boxes]  # type: ignore[index,misc]
    if said.unit != "none":
        exact = meaning.guess_of(said)
        below = None if exact is None else f"this noise: {bound(exact)}"
        shown.append(("Adversary's accuracy", bound(meaning.guess(said.epsilon, said.delta)), below, told["guess"]))
    with st.container(horizontal=True):
        for label, value, delta, help_ in shown:
            st.metric(label, value, delta, delta_color="off", delta_arrow="off", help=help_, width="content")
    badges(said, bare=bare)


def _plain(text: str, nothing: str = "none") -> str:
    return markup.literal(text or nothing)


def badges(said: PrivacyStatement, *, bare: float | None = None) -> None:
    """Warn of what the numbers do not say, a word each."""
    told = texts("statement")["badges"]
    found: list[tuple[str, Any, str]] = []
    if said.unit == "none":
        found.append(("no privacy", "red", told["bare"]))
    else:
        found += [
            ("no proof", "red", fill(told["unproved"], reason=markup.literal(one)))
            for one in method_costs.unprotected(said.ledger)
        ]
        if math.isinf(said.epsilon) and not found:
            found.append(("no proof", "red", told["little"]))
    if said.data_dependent:
        found.append(("data-dependent", "orange", told["dependent"]))
    if "sound" in statements.refuted(said):
        found.append(("refuted: sound ε", "red", markup.literal(statements.audited_how(said))))
    if mark := statements.published_fell(said, bare):
        more = "" if bare is None else f" ≥ {stated('audited', bare)} without premises"
        found.append((f"{mark}: ε as published", "red", markup.literal(statements.audited_how(said) + more)))
    if said.known_faults:
        listed = "; ".join(map(markup.literal, said.known_faults))
        found.append((f"{len(said.known_faults)} known faults", "red", listed))
    if said.gaps:
        listed = "; ".join(markup.literal(gap.title) for gap in said.gaps)
        found.append((f"{len(said.gaps)} gaps of the paper", "gray", listed))
    if found:
        with st.container(horizontal=True):
            for label, colour, help_ in found:
                st.badge(label, color=colour, help=help_)


def ledger(entries: Sequence[LedgerEntry]) -> None:
    """Show the mechanisms: noise, sensitivity, number of releases."""
    told = texts("statement")
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
    columns = [name for name in rows[0] if any(row[name] not in (None, "") for row in rows)]
    number, helps = st.column_config.NumberColumn, told["ledger"]
    st.dataframe(
        [{name: row[name] for name in columns} for row in rows],
        hide_index=True,
        alt=helps["mechanism"],
        placeholder="",
        column_config={
            "times": number(help=helps["times"]),
            "noise σ": number(format="%.3g", help=helps["sigma"]),
            "sensitivity": number(format="%.3g", help=helps["sensitivity"]),
            "sampling": number(format="%.3g", help=helps["sampling"]),
            "accounted as": st.column_config.Column(help=helps["accounted"]),
        },
    )


def promise(said: PrivacyStatement) -> None:
    """Show what is promised: unit, relation, assumptions, gaps, and epsilon of each holder."""
    told = texts("statement")
    values = {
        "unit": meaning.protected(said.unit, said.neighbours),
        "relation": said.relation,
        "released": said.released,
        "public": "; ".join(said.public) or "nothing",
        "delta_rule": said.delta_rule,
        "accountant": said.accountant or "none",
    }
    rows = {told["promise"][name]: markup.literal(value) for name, value in values.items()}
    rows |= {f"Assumption {at}": markup.literal(one) for at, one in enumerate(said.assumptions, 1)}
    rows |= {f"Known fault {at}": markup.literal(one) for at, one in enumerate(said.known_faults, 1)}
    st.table([{"": f"**{name}**", "promise": value} for name, value in rows.items()], hide_index=True)
    if said.gaps:
        names = told["gaps"].items()
        with st.expander(f"Gaps of the paper ({len(said.gaps)})", icon=":material/rule:"):
            for gap in said.gaps:
                st.table(
                    [{"": f"**{label}**", "gap": markup.literal(getattr(gap, name))} for name, label in names],
                    hide_index=True,
                )
    if said.per_holder:
        st.dataframe([{"holder": name, "ε": value} for name, value in said.per_holder], hide_index=True)


def together(statements_: Sequence[PrivacyStatement], seeds: int) -> str:
    """What all of these runs cost whoever sees them, each with so many seeds."""
    told, runs = texts("statement"), len(statements_) * seeds
    if len(composition.relations(statements_)) > 1:
        return fill(told["apart"], runs=runs)
    event = Ledger([entry for one in statements_ for entry in one.ledger]).event()
    price = tuning_price(event, max(one.delta for one in statements_), seeds)
    return fill(told["together"], runs=runs, epsilon=stated("sound", price))
