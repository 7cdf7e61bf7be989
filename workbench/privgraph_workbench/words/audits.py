"""What an audit's bound takes for granted, and what stands without that: the same on every page."""

from __future__ import annotations

from collections.abc import Sequence

from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Adversary, Route
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import PREMISES, premise
from privgraph_workbench.words.numbers import lower


def taken(audit: AuditRecord) -> str:
    """What the Gaussian trade-off of an audit takes for granted, in words."""
    return PREMISES.get(audit.adversary, PREMISES[Adversary.WORST_CASE])


def bare_words(adversary: Adversary | None) -> str:
    """How the premises of such an audit are called."""
    return "these premises" if adversary is Adversary.CANARIES else "that premise"


def briefly(adversary: Adversary | None) -> str:
    """What such an audit takes for granted, in a mark beside which it is told in full."""
    return "under premises" if adversary is Adversary.CANARIES else "if Gaussian"


def refuted(adversary: Adversary | None, *, alone: bool) -> str:
    """The mark of a claim that has fallen; `alone`: by what the bound takes for granted alone."""
    return f"refuted, {briefly(adversary)}" if alone else "refuted"


def without_premise(audit: AuditRecord) -> float | None:
    """What is shown where the noise may be of any kind; None where the bound takes nothing for granted, or
    where no other was made."""
    shown = {bound.route: bound.epsilon for bound in audit.bounds}
    if shown.get(Route.GAUSSIAN) != audit.epsilon:
        return None
    # a threshold takes the scores of a run's canaries to be independent; their coins alone do not
    return shown.get(Route.ONE_RUN if audit.adversary is Adversary.CANARIES else Route.THRESHOLD)


def alone(audit: AuditRecord, claim: float) -> bool:
    """Whether a claim falls by what the bound takes for granted alone."""
    bare = without_premise(audit)
    return bare is not None and bare <= claim < audit.epsilon


def shown_bare(audits: Sequence[AuditRecord], statement: PrivacyStatement) -> float | None:
    """The most that audits, whose turns share the statement's confidence, have shown of the run without any
    premise; None where its audited number has none, or where nothing else was shown."""
    if not premise(statement):
        return None
    counted = [one for one in audits if one.covers == "run" and one.delta >= statement.delta]
    counted = [one for one in counted if one.turn] or counted[:1]
    bare = [(one, without_premise(one)) for one in counted]
    return max((one.epsilon if shown is None else shown for one, shown in bare), default=None)


def without(bare: float, statement: PrivacyStatement) -> str:
    """What audits have shown of the run without any premise, in a few words."""
    return f"≥ {lower(bare)} without {bare_words(statement.adversary)}"
