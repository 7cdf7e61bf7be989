"""What audits have shown of privacy statements, which claims they refute, and statements of one setting."""

from collections.abc import Sequence
from dataclasses import replace

from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Adversary, Route
from privgraph.privacy.statement import NOT_AUDITED, PrivacyStatement
from privgraph.privacy.statements import attacked, premise
from privgraph_workbench.theme import Epsilon
from privgraph_workbench.words.numbers import exact_percent


def audited_how(statement: PrivacyStatement) -> str:
    """How sure the audited number is, what was attacked, and what it takes for granted."""
    sure = statement.audit_confidence
    told = () if sure is None else (f"confidence {exact_percent(sure)}", attacked(statement.adversary))
    return "" if statement.epsilon_audited is None else "; ".join(filter(None, (*told, premise(statement))))


def refuted(statement: PrivacyStatement) -> list[Epsilon]:
    """The claims that lie below the lower bound that an attack has shown."""
    shown, published = statement.epsilon_audited, statement.epsilon_as_published
    claims: list[tuple[Epsilon, float | None]] = [("sound", statement.epsilon), ("published", published)]
    return [kind for kind, claim in claims if shown is not None and claim is not None and shown > claim]


def published_fell(statement: PrivacyStatement, bare: float | None = None) -> str:
    """The mark of the published epsilon where audits have shown more; "" where they have not. `bare` is what
    was shown without any premise, where that is known."""
    if "published" not in refuted(statement):
        return ""
    published = statement.epsilon_as_published or 0.0
    return "refuted, under premises" if premise(statement) and (bare is None or bare <= published) else "refuted"


def shown_bare(audits: Sequence[AuditRecord], statement: PrivacyStatement) -> float | None:
    """The most that audits, whose turns share the statement's confidence, have shown of the run without any
    premise; None where its audited number has none, or where nothing else was shown."""
    counted = [one for one in audits if one.covers == "run" and one.delta >= statement.delta]
    counted = [one for one in counted if one.turn] or counted[:1]
    return max(map(_bare, counted), default=None) if premise(statement) else None


def _bare(audit: AuditRecord) -> float:
    """The bound where the noise may be of any kind."""
    shown = {bound.route: bound.epsilon for bound in audit.bounds}
    if shown.get(Route.GAUSSIAN) != audit.epsilon:
        return audit.epsilon
    # a threshold takes the scores of a run's canaries to be independent; their coins alone do not
    return shown.get(Route.ONE_RUN if audit.adversary is Adversary.CANARIES else Route.THRESHOLD, audit.epsilon)


def merged(statements: Sequence[PrivacyStatement]) -> list[PrivacyStatement]:
    """Statements of one setting: those that say the same as one, that of which attacks have shown most."""
    held: dict[PrivacyStatement, PrivacyStatement] = {}
    for one in statements:
        alone = replace(one, **NOT_AUDITED)
        held[alone] = max(held.get(alone, one), one, key=lambda said: said.epsilon_audited or 0.0)
    return list(held.values())
