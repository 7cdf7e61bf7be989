"""The audit that plays ledgers: below every sound epsilon, above the published ones that are wrong, and
strong enough to tell."""

import math
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from privgraph.audits import mechanism
from privgraph.audits.bounds import shared_confidence, threshold_bound
from privgraph.audits.games import aggregation, edges, gradients, subgraphs, votes
from privgraph.audits.games.base import Dice, Game
from privgraph.audits.games.table import GAMES, parts
from privgraph.audits.mechanism import audit
from privgraph.audits.options import AuditOptions, Subject
from privgraph.audits.planning import PLAYED, SECONDS
from privgraph.audits.record import AuditRecord
from privgraph.data.spec import PublicFacts
from privgraph.mechanisms.noisy_max import NoisyGate, NoisyMax, NoisyPosterior
from privgraph.mechanisms.randomised_response import symmetric
from privgraph.options import build, parameters
from privgraph.privacy.accountants import tight
from privgraph.privacy.events import (
    Gaussian,
    PoissonSampled,
    PrivacyEvent,
    Repeated,
    SampledSubgraphs,
    SampledTerms,
    Single,
)
from privgraph.privacy.kinds import MechanismKind, Neighbours
from privgraph.privacy.ledger import LedgerEntry, WorstCase
from privgraph.progress import Progress
from privgraph.registry import AUDITS, METHODS
from privgraph.registry import audit as audit_spec

FACTS = PublicFacts(
    nodes=600,
    edges=1800,
    entries=3600,
    features=20,
    classes=4,
    train_nodes=450,
    domains=("one", "other"),
    entities=(300, 300),
    relations=(900, 900),
)
QUICK: dict[str, object] = {"epochs": 3, "depth": 1, "batch_size": 150, "max_degree": 3, "queries": 40, "teachers": 20}
CASES = [(name, unit) for name, spec in METHODS.items() for unit in spec.units if unit != "none"]


def subject(name: str, **given: object) -> Subject:
    kind = METHODS[name].load_config()
    known = {parameter.name for parameter in parameters(kind)}
    config: Any = build(kind, {**{key: value for key, value in QUICK.items() if key in known}, **given})
    return Subject(run="run", method=name, config=config, statement=config.plan(FACTS).statement, graph=nothing_to_load)


def nothing_to_load() -> Any:
    raise AssertionError("the audit of mechanisms reads no data")


def audited(which: Subject, **given: Any) -> AuditRecord:
    events = list(audit(which, AuditOptions(**given)))
    assert all(isinstance(one, Progress) for one in events[:-1])
    assert isinstance(events[-1], AuditRecord)
    return events[-1]


@pytest.mark.parametrize(("name", "unit"), CASES, ids=[f"{name}-{unit}" for name, unit in CASES])
def test_no_method_is_shown_to_leak_more_than_its_sound_epsilon(name: str, unit: str) -> None:
    which = subject(name, unit=unit, epsilon=1.0)
    refusal = AUDITS["mechanism"].refuses(which)
    if name == "mlp":
        assert "nothing to play" in refusal
        return
    assert refusal is None
    record = audited(which, trials=400, confidence=0.99)
    assert record.covers == "run"
    assert record.sound == which.statement.epsilon
    assert record.published == which.statement.epsilon_as_published
    assert all(bound.epsilon <= record.sound for bound in record.bounds)
    assert not record.refutes_sound
    assert record.epsilon == record.bounds[0].epsilon
    assert record.trials == 400
    assert sum(record.scores_with) == sum(record.scores_without) == 200
    assert record.area > 0.35
    assert AuditRecord.from_json(record.to_json()) == record
    assert "400 trials" in AUDITS["mechanism"].cost(which, AuditOptions(trials=400))


@pytest.mark.long
def test_every_entry_that_a_method_may_write_has_a_game() -> None:
    assert set(GAMES) == set(PLAYED)
    assert set(SECONDS) <= set(PLAYED)
    assert audit_spec("mechanism") is AUDITS["mechanism"]
    for spec in AUDITS.values():
        assert set(spec.methods) <= set(METHODS)
    for name, given in tomllib.loads(Path(__file__).with_name("entries.toml").read_text())["settings"]:
        which = subject(name, epsilon=2.0, **given)
        assert AUDITS["mechanism"].refuses(which) is None
        record = audited(which, trials=400, confidence=0.99)
        assert record.epsilon <= record.sound


# Each game alone: its truth is never passed, and much of it is seen


def truth(event: PrivacyEvent, delta: float) -> float:
    return tight().epsilon(event, delta)


LEVEL = 1e-4
"""Chance that a bound which must not exceed the truth does."""


def played(game: Game, *, trials: int = 4000, count: int = 1) -> tuple[Any, Any]:
    """What both datasets showed."""
    present, absent = (
        game.play(dataset, trials, count, Dice(seed=1, name=f"test/{dataset}")) for dataset in (True, False)
    )
    assert present.shape == absent.shape == (trials, 3)
    return present, absent


def shown(game: Game, delta: float, **how: int) -> float:
    return threshold_bound(*played(game, **how), delta=delta, confidence=0.95).epsilon


ALWAYS = votes.Sample()
HALF = votes.Sample(rate=0.5)
SINGLE: list[tuple[str, Game, Single, float]] = [
    ("gradient", gradients.one_example(4.0, 1.0, 0.5), PoissonSampled(rate=0.5,
        event=Gaussian(noise_multiplier=1)), 0.25),
    ("one edge", aggregation.AggregationGame(unit="edge", std=1.0, undirected=True),
     Gaussian(noise_multiplier=1 / math.sqrt(2)), 0.35),
    ("one arc", aggregation.AggregationGame(unit="edge", std=1.0, undirected=False),
        Gaussian(noise_multiplier=1), 0.35),
    ("one node", aggregation.AggregationGame(unit="node", std=2.0, undirected=True, max_degree=4),
     Gaussian(noise_multiplier=1), 0.35),
    ("one node replaced", aggregation.AggregationGame(unit="node", std=2 * math.sqrt(12), undirected=False,
        max_degree=3, own_rows=True),
     Gaussian(noise_multiplier=1), 0.35),
    ("replaced gradient", gradients.one_example_replaced(4.0, 2.0, 0.5),
     SampledTerms(rate=0.5, present=1, absent=1, noise_multiplier=2.0), 0.2),
    ("node in two lists", gradients.one_node_in_lists(4.0, 2.0, 0.4, 2),
     SampledTerms(rate=0.4, present=3, absent=2, noise_multiplier=2.0), 0.2),
    ("table", votes.TableGame(std=0.7), Gaussian(noise_multiplier=0.7), 0.35),
    ("votes", votes.VotesGame(std=0.7, sample=ALWAYS), Gaussian(noise_multiplier=0.7), 0.35),
    ("counts", votes.CountsGame(std=2.0, weight=1.5), Gaussian(noise_multiplier=2 / (1.5 * math.sqrt(2))), 0.35),
    *(
        (kind, votes.maximum(kind, 1.0, ALWAYS), NoisyMax(kind=kind, scale=1.0).event(), 0.15)
        for kind in ("gaussian", "laplace", "exponential", "gumbel")
    ),
    ("posterior", votes.posterior(3.0, 5, ALWAYS), NoisyPosterior(lam=3.0, classes=5).event(), 0.8),
    ("sampled posterior", votes.posterior(3.0, 5, HALF),
     PoissonSampled(rate=0.5, event=NoisyPosterior(lam=3.0, classes=5).event()), 0.7),
    ("gate", votes.gate(0.5, 1.0, ALWAYS), NoisyGate(std=0.5, threshold=0.0).event(), 0.15),
    ("response", edges.ResponseGame(response=symmetric(1.5), undirected=True), symmetric(1.5).event(), 0.8),
]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("game", "event", "power"), [case[1:] for case in SINGLE], ids=[case[0] for case in SINGLE])
def test_a_game_reaches_much_of_what_its_mechanism_gives_away_and_no_more(
    game: Game, event: Single, power: float
) -> None:
    datasets, most = played(game), truth(event, 1e-3)
    assert threshold_bound(*datasets, delta=1e-3, confidence=0.95).epsilon > power * most
    assert threshold_bound(*datasets, delta=1e-3, confidence=1 - LEVEL).epsilon <= most


def test_nobody_tries_the_coins_of_an_audit_with_a_turn_beforehand() -> None:
    """A seed that shows much by chance would show it of every run, and the part of the confidence that a turn
    has would be of no use."""
    which, options = subject("progap", epsilon=2.0), AuditOptions(seed=3)
    drawn = [
        mechanism.coins(one, options).secret("noise").integer(64)
        for one in (which, replace(which, run="other"), *(replace(which, run=run, turn=turn)
                    for run in ("one", "other") for turn in (1, 2)))
    ]  # fmt: skip
    assert drawn[0] == drawn[1], "an audit that stands alone can be repeated by anybody"
    assert len(set(drawn)) == 5
    assert mechanism.coins(replace(which, turn=1), options) == mechanism.coins(replace(which, turn=1), options)


@pytest.mark.parametrize("exclusive", [True, False])
@pytest.mark.long
def test_a_star_of_heterpoisson_stays_below_its_price(exclusive: bool) -> None:
    game = subgraphs.StarGame(
        clip=0.5, noise="gaussian", multiplier=1.5, rate=0.4, neighbours=2, largest_degree=50, exclusive=exclusive
    )
    event = SampledSubgraphs(rate=0.4, neighbours=2, noise_multiplier=1.5, largest_degree=50, exclusive=exclusive)
    found = shown(game, 1e-2, trials=1600, count=4)
    assert 0.2 < found <= truth(Repeated(event=event, count=4), 1e-2)


@pytest.mark.parametrize("game", [
    gradients.one_example(1.0, 1.0, 0.4),
    gradients.one_node_in_lists(1.0, 2.0, 0.4, max_degree=2),
    votes.VotesGame(std=1.0, sample=HALF),
    votes.TableGame(std=1.0),
    subgraphs.StarGame(clip=0.5, noise="gaussian", multiplier=1.0, rate=0.4, neighbours=2, largest_degree=9,
        exclusive=True),
])  # fmt: skip
def test_scores_are_likelihood_ratios_of_what_is_played(game: Game) -> None:
    """E_Q[e^score] = 1 and E_P[e^-score] = 1, which no other function of what is released has at once."""
    for dataset, sign in ((False, 1.0), (True, -1.0)):
        trials = 1000 if isinstance(game, subgraphs.StarGame) else 4000
        weights = np.exp(sign * game.play(dataset, trials, 1, Dice(seed=5, name="law"))[:, 0])
        assert weights.mean() == pytest.approx(1, abs=5 * weights.std() / math.sqrt(len(weights)) + 1e-9)
        assert weights.std() > 0.05


# Published claims that are wrong, and stand refuted


@pytest.mark.long
def test_a_friendship_costs_more_than_gap_says() -> None:
    """Published: sensitivity 1. A friendship is two entries: at the paper's own noise for 1, more is shown,
    and 1.45 holds."""
    which = subject("gap", unit="edge", accounting="published", epsilon=6.0)
    record = audited(which, trials=30_000)
    assert record.bounds[0].route == "gaussian"
    assert record.refutes_published
    assert not record.refutes_sound


@pytest.mark.long
def test_spherical_laplace_noise_shows_more_than_lemma_1_claims() -> None:
    """All coordinates are seen: they reveal the one W. Projected on the canary alone, as the paper audits,
    nothing is wrong."""
    which = subject("heter-poisson", preset="as-published", epsilon=2.0)
    assert math.isinf(which.statement.epsilon)
    record = audited(which, trials=10_000)
    assert record.refutes_published
    assert not record.refutes_sound
    assert "other coordinates" in record.score


def test_noise_on_log_probabilities_protects_nobody() -> None:
    which = subject("privgnn", release="log-posterior", accounting="published", epsilon=1.0)
    record = audited(which, trials=2000)
    assert record.epsilon > 2
    assert record.refutes_published


# Refusals and options


def test_what_no_game_plays_is_refused_by_name() -> None:
    which = subject("dp-mlp")
    words = {"mechanism": "sorcery", "stage": "training"}
    event, ledger = Gaussian(noise_multiplier=1.0), which.statement.ledger
    free = LedgerEntry(kind=MechanismKind.SANITISED_COST, event=event, **words)
    strange = replace(which, statement=replace(which.statement, ledger=(*ledger, free)))
    assert AUDITS["mechanism"].refuses(strange) == "no game plays sorcery (training)"
    assert AUDITS["white-box"].refuses(strange) is None
    unknown = replace(
        which, statement=replace(which.statement, ledger=(*ledger, replace(free, kind=MechanismKind.UNKNOWN)))
    )
    nobody = replace(which, statement=replace(which.statement, neighbours=Neighbours.UNKNOWN))
    bare = replace(which, statement=replace(which.statement, ledger=(replace(ledger[0], worst=WorstCase()),)))
    for name in AUDITS:
        assert "sorcery (training) is a mechanism of a kind that is not known here" in str(
            AUDITS[name].refuses(unknown)
        )
        assert "not known here what two neighbouring datasets" in str(AUDITS[name].refuses(nobody))
        assert AUDITS[name].refuses(bare) == "this run's record lacks the clip of private gradients (training)"
    unprotected = subject("gap", unit="none")
    assert "nothing is protected" in str(AUDITS["mechanism"].refuses(unprotected))
    assert "is for" in str(AUDITS["white-box"].refuses(subject("pate")))


@pytest.mark.parametrize("name", ["dp-mlp", "pate"])
def test_a_later_turn_is_judged_at_what_it_leaves_of_the_confidence(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The same trials at the surer level, whether one bound follows or two that share it."""
    monkeypatch.setattr(mechanism, "coins", lambda _subject, options: Dice(seed=options.seed, name="audit"))
    which = subject(name, epsilon=4.0)
    later = audited(replace(which, turn=3), trials=300)
    alone = audited(which, trials=300, confidence=shared_confidence(0.95, 3))
    assert [bound.epsilon for bound in later.bounds] == [bound.epsilon for bound in alone.bounds]
    assert audited(which, trials=300).epsilon > later.epsilon
    assert (later.confidence, later.turn) == (0.95, 3)
    assert any("it took turn 3 among" in note for note in later.notes)


def test_delta_and_seed_are_the_callers() -> None:
    which = subject("dp-mlp", epsilon=4.0)
    first, again, other = (audited(which, trials=300, seed=seed, delta=0.01) for seed in (1, 1, 2))
    assert first.delta == 0.01
    assert first.sound < which.statement.epsilon
    assert first.published is None
    assert replace(first, seconds=0.0) == replace(again, seconds=0.0)
    assert first.scores_with != other.scores_with
    assert audited(which, trials=300).delta == which.statement.delta


def test_no_piece_of_trials_is_played_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in one dataset, nor in both, nor for two mechanisms: each has coins of its own."""
    named: list[str] = []

    def renamed(dice: Dice, *, name: str) -> Dice:
        named.append(name)
        return replace(dice, name=name)

    monkeypatch.setattr(mechanism, "replace", renamed)
    games = parts(subject("gap", unit="node"))
    assert len(games) > 1
    for present in (True, False):
        one, other = (mechanism._played(games, present, 20, Dice(seed=0, name="audit"), chunk) for chunk in (0, 1))
        assert not np.array_equal(one, other)
    assert len(set(named)) == len(named) == 4 * len(games)
