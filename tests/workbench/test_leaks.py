"""What attacks and audits have found: each member at both sides of each bound, and the tables of a store."""

import math
from dataclasses import replace
from functools import cache

import pytest
from tests.figures.made_attacks import attack as made_attack
from tests.figures.made_audits import audit as made_audit
from tests.pages.kept_runs import KARATE, keep, spec

from privgraph.attacks.record import AttackRecord, Rival
from privgraph.audits.record import AuditRecord
from privgraph.privacy.kinds import Adversary, Route
from privgraph.runs.spec import make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tables import attacks, audits
from privgraph_workbench import leaks
from privgraph_workbench.leaks import FAR, LITTLE, NO_MEMORY, Claim, Leak, claim, leak
from privgraph_workbench.text import texts

OFF = 0.001
"""So far from a bound an area lies."""
made = cache(made_attack)


def found(area: float, low: float | None = None, high: float | None = None, **more: object) -> AttackRecord:
    """An attack on one model that found this, without finds at few false alarms."""
    one = made()
    low, high = area if low is None else low, area if high is None else high
    rates = tuple(replace(rate, true=0.0, low=0.0, high=0.0) for rate in one.outcome.rates)
    outcome = replace(one.outcome, area=area, area_low=low, area_high=high, rates=rates)
    plain = replace(one, outcome=outcome, areas=(area,), true_rates=one.true_rates[:1], rivals=(), bound=None)
    return replace(plain, **more)  # type: ignore[arg-type]


def edges(area: float, low: float | None = None, high: float | None = None, **more: object) -> AttackRecord:
    """The same of an attack on edges by distance."""
    return found(area, low, high, attack="link", **more)


@pytest.mark.parametrize(
    ("attack", "outcome"),
    [
        (found(0.51, 0.5 + OFF / 4), Leak.NONE),
        (found(0.51, 0.5 + OFF), Leak.SOME),
        (found(0.9, FAR - OFF), Leak.SOME),
        (found(0.9, FAR), Leak.CLEAR),
        (found(0.6, 0.55, bound=2.0, sound=2.0), Leak.SOME),
        (found(0.6, 0.55, bound=2.0, sound=1.9), Leak.CLEAR),
        (found(0.5, bound=0.0), Leak.NONE),
        (found(0.5, bound=0.1, sound=2.0), Leak.SOME),
    ],
)
def test_an_area_and_a_bound_decide(attack: AttackRecord, outcome: Leak) -> None:
    assert leak(attack) is outcome


@pytest.mark.parametrize(
    ("areas", "outcome"),
    [
        ((0.6, 0.601, 0.602), Leak.SOME),
        ((0.4, 0.6, 0.7), Leak.NONE),
        ((0.567, 0.6, 0.633), Leak.NONE),  # more than a guess at 95%, and not at the half of 5% that is its share
        ((0.49,) * 3, Leak.NONE),
    ],
)
def test_another_score_of_the_same_answers_decides(areas: tuple[float, ...], outcome: Leak) -> None:
    three = found(0.5, areas=(0.5,) * 3, true_rates=((0.0, 0.0, 0.0),) * 3)
    told = replace(three, rivals=(Rival(attack="lira", areas=areas),))
    assert leak(told) is outcome
    assert leaks.better_rival(told) == (outcome is Leak.SOME)
    assert leak(replace(told, areas=(0.5,), true_rates=((0.0, 0.0, 0.0),), rivals=())) is Leak.NONE


def test_a_run_that_remembers_nobody_may_differ_from_before() -> None:
    one = found(0.7, FAR, drawn=False)
    for learnt, outcome in (
        (None, Leak.CLEAR),
        ((0.5 + NO_MEMORY + OFF, 0.5), Leak.CLEAR),
        ((0.5 + NO_MEMORY - OFF, 0.5), Leak.UNDECIDED),
    ):
        assert leak(one, learnt=learnt) is outcome
    assert leak(replace(one, drawn=True), learnt=(0.5, 0.5)) is Leak.CLEAR


def test_of_edges_only_what_exceeds_similarity_is_a_leak() -> None:
    without = edges(0.7, run="another")
    assert leak(edges(0.9)) is Leak.UNDECIDED
    assert leak(edges(0.5), without) is Leak.NONE
    assert leak(without, without) is Leak.NONE
    assert leak(edges(0.7), without) is Leak.NONE
    assert leak(edges(0.72, 0.69, 0.75), without) is Leak.UNDECIDED
    assert leak(edges(0.7 + LITTLE - OFF), without) is Leak.SOME
    assert leak(edges(0.7 + LITTLE + OFF), without) is Leak.CLEAR
    assert leak(edges(0.72, bound=3.0, sound=2.0), without) is Leak.CLEAR
    assert leak(edges(0.9, by_classes=0.9), without) is Leak.NONE
    assert leak(edges(0.9, 0.88, 0.92, by_classes=0.9), without) is Leak.UNDECIDED
    weak = edges(0.5, run="another")
    assert leak(edges(FAR - OFF), weak) is Leak.SOME
    assert leak(edges(FAR), weak) is Leak.CLEAR


# Audits


def audited(epsilon: float, route: Route = Route.THRESHOLD, **more: object) -> AuditRecord:
    one = made_audit()
    bounds = (replace(one.bounds[0], route=route, epsilon=epsilon),)
    return replace(one, epsilon=epsilon, bounds=bounds, **more)  # type: ignore[arg-type]


def test_a_claim_falls_where_more_is_shown_and_is_tested_where_more_could_have_been() -> None:
    audit = audited(1.0)
    most = leaks.largest_bound(audit, Route.THRESHOLD)
    assert [claim(audit, one) for one in (None, math.inf)] == [Claim.UNTESTED] * 2
    assert claim(audit, 1.0 - OFF) is Claim.REFUTED
    assert claim(audit, 1.0) is Claim.HOLDS
    assert claim(audit, most - OFF) is Claim.HOLDS
    assert claim(audit, most) is Claim.UNTESTED


def test_a_statement_takes_the_largest_bound_of_attacks_where_no_audit_has_one() -> None:
    config = spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8).config()
    said = config.plan(KARATE).statement
    few, more = (replace(made(), bound=bound, delta=said.delta) for bound in (0.5, 1.5))
    assert leaks.with_bounds(said, [replace(more, bound=None)]) == said
    assert leaks.with_bounds(said, [replace(more, delta=said.delta / 2)]) == said
    shown = leaks.with_bounds(said, [few, more])
    assert (shown.epsilon_audited, shown.audit_confidence, shown.adversary) == (1.5, None, Adversary.OUTSIDER)
    assert leaks.with_bounds(said, [few]).audit_confidence == few.confidence
    assert leaks.with_bounds(shown, [replace(more, bound=9.0)]) == shown


# Tables


def test_each_attack_is_a_row_and_edges_are_compared_with_a_model_that_reads_none(store: RunStore) -> None:
    private = keep(store, spec("gap", unit="edge", epsilon=2.0))
    store.add_attack(private, edges(0.85, run=private))
    assert list(leaks.table(store).outcome) == [Leak.UNDECIDED]
    elsewhere = keep(store, make_spec("mlp", "social", {"unit": "none"}))
    store.add_attack(elsewhere, edges(0.5, run=elsewhere))
    assert leaks.table(store).set_index("run").outcome[private] == Leak.UNDECIDED, "that reads another graph"
    store.delete(elsewhere)
    noisy, other, same = (
        keep(store, spec("dp-mlp", unit="node", epsilon=2.0, batch_size=8)),
        keep(store, spec("mlp", seed=1, unit="none")),
        keep(store, spec("mlp", unit="none")),
    )
    for run, area in ((noisy, 0.5), (other, 0.84), (same, 0.8)):
        store.add_attack(run, edges(area, run=run))
        row = leaks.table(store).set_index("run").loc[private]
        assert row.outcome == {noisy: Leak.CLEAR, other: Leak.SOME, same: Leak.SOME}[run]
    frame = leaks.table(store)
    assert list(frame.columns) == [*texts("columns")["attacks"], "asks", "record"]
    assert list(frame.run) == [same, other, noisy, private]
    first = frame.iloc[-1]
    assert (first.area, first.low, first.high, first.epsilon) == (0.85, 0.85, 0.85, first.record.sound)
    assert math.isnan(first.tpr_01), "of 40 others, one in a thousand is less than one"
    assert first.tpr_5 == 0.0


def test_a_damaged_record_is_left_out(store: RunStore) -> None:
    run = keep(store, spec("gap", unit="edge", epsilon=2.0))
    for _ in range(2):
        store.add_attack(run, found(0.7, run=run))
        store.add_audit(run, made_audit(run))
    with store.database.write() as connection:
        for table in (attacks, audits):
            connection.execute(table.update().where(table.c.number == 1).values(record="{"))
    assert len(leaks.table(store)) == len(leaks.audits(store)) == 1
