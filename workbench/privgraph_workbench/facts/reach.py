"""The most that an audit could have shown, however good its attack: by how often it played."""

from __future__ import annotations

import math
from dataclasses import replace

from privgraph.audits.bounds import most_by_threshold, shared_confidence
from privgraph.audits.one_run import most_in_one_run
from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Adversary, Route


def most_shown(record: AuditRecord, route: Route) -> float | None:
    """The largest bound of that route with so many trials, by the confidence that each of its bounds had;
    None where the route counts nothing."""
    confidence = shared_confidence(record.confidence, record.turn)
    if route is Route.ONE_RUN:
        return most_in_one_run(record.trials, record.delta, confidence)
    if route is not Route.THRESHOLD or record.adversary is Adversary.OUTSIDER:
        return None
    routes = {one.route for one in record.bounds}
    if record.adversary is Adversary.WORST_CASE and Route.GAUSSIAN in routes:
        confidence = (1 + confidence) / 2  # two routes share what may go wrong (`audits.mechanism`)
    return most_by_threshold(record.trials // 2, delta=record.delta, confidence=confidence)


def most(record: AuditRecord) -> float:
    """The largest bound of any of its routes; infinite where one of them counts nothing."""
    shown = [most_shown(record, one.route) for one in record.bounds]
    return max((math.inf if one is None else one for one in shown), default=math.inf)


def too_few(record: AuditRecord) -> bool:
    """Whether so many trials could not have refuted the sound epsilon."""
    return math.isfinite(record.sound) and most(record) < record.sound


def smallest_claim(record: AuditRecord) -> float:
    """The smallest claim that stands; 0 where none does."""
    claims = [one for one in (record.sound, record.published) if one is not None and one >= record.epsilon]
    return min(filter(math.isfinite, claims), default=0.0)


def enough(record: AuditRecord, turn: int, confidence: float, times: int, high: int, beyond: float) -> int | None:
    """How many trials the next audit takes, in steps of so many `times` as many, to be able to show more than
    `beyond`; None where `high` do not suffice."""
    trials = times * record.trials
    while trials <= high:
        if most(replace(record, trials=trials, turn=turn, confidence=confidence)) > beyond:
            return trials
        trials *= times
    return None
