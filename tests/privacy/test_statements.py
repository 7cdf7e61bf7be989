"""Statements from ledgers, the gaps and their sizes, and the plain words."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from tests.privacy import strategies

from privgraph.data.spec import PublicFacts
from privgraph.papers import progap
from privgraph.privacy import statements
from privgraph.privacy.accountants import tight
from privgraph.privacy.calibration import calibrate
from privgraph.privacy.events import Gaussian, NonPrivate
from privgraph.privacy.kinds import MechanismKind, Neighbours, Release
from privgraph.privacy.ledger import Ledger, LedgerEntry
from privgraph.privacy.statement import PrivacyStatement
from privgraph.registry import METHODS

DELTA = 1e-7


def edge_ledger(depth: int, sigma: float) -> Ledger:
    """Aggregations with noise of standard deviation sigma: sqrt 2 is proved, 1 is published."""
    return Ledger(
        LedgerEntry(
            kind=MechanismKind.AGGREGATION,
            mechanism="NAP",
            stage=f"stage {stage}",
            event=Gaussian(noise_multiplier=sigma / math.sqrt(2)),
            event_as_published=Gaussian(noise_multiplier=sigma),
            noise_std=sigma,
            sensitivity=math.sqrt(2),
        )
        for stage in range(depth)
    )


def edge_statement(sigma: float, depth: int = 3) -> PrivacyStatement:
    ledger = edge_ledger(depth, sigma)
    return statements.make_statement(
        unit="edge",
        neighbours=Neighbours.UNDIRECTED_EDGE,
        relation=statements.RELATION_EDGE_UNDIRECTED,
        release=Release.MODEL,
        released="weights and predictions",
        public=(statements.PUBLIC_SIZES,),
        delta=DELTA,
        delta_rule="a power of ten",
        ledger=ledger,
        published=progap.repository_accountant(),
        assumptions=(statements.ASSUME_EDGE_PUBLIC,),
        gaps=(statements.undirected_edge_gap(ledger, DELTA),),
    )


def test_a_statement_holds_both_epsilons_and_always_the_assumptions() -> None:
    sigma = calibrate(lambda scale: progap.edge_event(3, scale / math.sqrt(2)), 1.0, DELTA)
    statement = edge_statement(sigma)
    assert 0.99 <= statement.epsilon <= 1.0
    assert statement.epsilon_as_published == progap.repository_accountant().epsilon(progap.edge_event(3, sigma), DELTA)
    assert statement.epsilon_as_published is not None
    # The published formula counts a smaller sensitivity, more loosely: below the sound one all the same.
    assert statement.epsilon_as_published < statement.epsilon
    assert statement.accountant == "exact Gaussian composition"
    assert statement.accountant_as_published == progap.repository_accountant().name
    assert statements.ASSUME_SECRET_KEY in statement.assumptions
    assert statements.ASSUME_FLOATING_POINT in statement.assumptions
    assert [entry.count for entry in statement.ledger] == [1, 1, 1]


@pytest.mark.parametrize("factor", [2 / 3, 3 / 2])
def test_wrong_noise_is_another_statement(factor: float) -> None:
    right, wrong = edge_statement(11.0), edge_statement(11.0 * factor)
    assert abs(wrong.epsilon / right.epsilon - 1) > 0.2
    assert edge_statement(11.0, depth=4).epsilon > right.epsilon * 1.1


def test_no_epsilon_in_words_is_below_the_one_that_holds() -> None:
    said = replace(edge_statement(5.0), epsilon=1.94841, per_holder=(("a holder", 0.123441), ("another", 2.00001)))
    words = statements.statement_text(said)
    assert "Sound epsilon: 1.949 " in words
    assert "For a holder: epsilon 0.1235." in words
    assert "For another: epsilon 2.001." in words


def test_unit_none_is_never_private_whatever_noise_there_was() -> None:
    statement = statements.make_statement(
        unit="none",
        neighbours=Neighbours.NONE,
        relation=statements.RELATION_NONE,
        release=Release.MODEL,
        released="everything",
        public=(),
        delta=0.0,
        delta_rule="not applicable",
        ledger=[
            LedgerEntry(
                kind=MechanismKind.UNPROTECTED, mechanism="training", stage="", event=NonPrivate(reason="no noise")
            )
        ],
    )
    assert statement.epsilon == math.inf
    assert statement.epsilon_as_published is None
    assert statement.assumptions == ()
    assert "Nothing is guaranteed" in statements.statement_text(statement)


def test_an_undirected_edge_turns_one_into_1_45() -> None:
    for depth in (1, 3, 5):
        sigma = calibrate(lambda scale, k=depth: progap.edge_event(k, scale), 1.0, DELTA, tolerance=1e-6)
        claimed, sound = statements.sensitivity_price(edge_ledger(depth, sigma), DELTA)
        assert claimed == pytest.approx(1.0, abs=1e-5)
        assert round(sound, 2) == 1.45
    gap = statements.undirected_edge_gap(edge_ledger(5, sigma), DELTA)
    assert "at delta 1e-07, one and the same exact accountant gives 1 for the paper's sensitivity" in gap.size
    assert "1.448 for the proved one" in gap.size
    assert "by the paper's own accountant (Renyi divergences)" in gap.size, "whose number the epsilon as published is"
    assert gap.title == statements.GAP_UNDIRECTED_EDGE.title


def test_twenty_settings_at_one_compose_to_5_1() -> None:
    sigma = calibrate(lambda scale: progap.edge_event(1, scale), 1.0, DELTA, tolerance=1e-6)
    event = progap.edge_event(1, sigma)
    assert round(statements.tuning_price(event, DELTA, 20), 1) == 5.1
    assert statements.tuning_price(event, DELTA, 1) == tight().epsilon(event, DELTA)
    assert "compose to 5.086" in statements.tuning_gap(event, DELTA).size
    with pytest.raises(ValueError, match="settings"):
        statements.tuning_price(event, DELTA, 0)


@settings(max_examples=50, deadline=None)
@given(strategies.statements)
def test_every_statement_has_words(statement: PrivacyStatement) -> None:
    text = statements.statement_text(statement)
    assert text.startswith("Protected: ")
    assert ("Nothing is guaranteed" in text) == math.isinf(statement.epsilon)
    assert text.count("Ledger: ") >= len(statement.ledger)


@pytest.mark.parametrize(
    ("name", "options", "neighbours"),
    [
        ("gap", {"unit": "node"}, Neighbours.FROZEN_SAMPLE),
        ("gap", {"unit": "node", "own_rows": True}, Neighbours.REPLACED_RECORD),
        ("gap", {"unit": "edge"}, Neighbours.UNDIRECTED_EDGE),
        ("progap", {"unit": "node"}, Neighbours.FROZEN_SAMPLE),
        ("progap", {"unit": "edge"}, Neighbours.UNDIRECTED_EDGE),
        ("dp-gnn", {}, Neighbours.FROZEN_SAMPLE),
        ("heter-poisson", {}, Neighbours.FROZEN_DEGREES),
        ("dp-mlp", {}, Neighbours.FROZEN_ROSTER),
        ("edge-rand", {}, Neighbours.UNDIRECTED_EDGE),
        ("privgnn", {}, Neighbours.FROZEN_ROSTER),
        ("pate", {}, Neighbours.FROZEN_ROSTER),
        ("dp-gpl", {}, Neighbours.FROZEN_ROSTER),
        ("dp-gpl", {"weighting": "centrality"}, Neighbours.FROZEN_ROSTER),
        ("prompt-dpsgd", {}, Neighbours.FROZEN_ROSTER),
    ],
)
def test_every_method_says_which_neighbours_its_guarantee_compares(
    name: str, options: dict[str, object], neighbours: Neighbours
) -> None:
    """What is said of chances for a person hangs on this kind alone, and so does the table of methods."""
    facts = PublicFacts(nodes=2708, edges=5278, entries=10556, features=50, classes=7, train_nodes=2031)
    said = METHODS[name].load_config()(epsilon=4.0, **options).plan(facts).statement
    assert said.neighbours == neighbours
    if said.unit == "node" and not options.get("own_rows"):
        assert METHODS[name].neighbours == neighbours
