"""What may be tuned, what is refused, and that the price never exceeds what was asked for."""

import math
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.tuning.worker_made_here import FACTS, SIZES, gap

from privgraph.options import OptionError
from privgraph.privacy.events import Gaussian
from privgraph.privacy.kinds import Neighbours, Release
from privgraph.privacy.selection import Fixed, NegativeBinomial, price, search_price
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import ASSUME_COMMON_SAMPLES
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.streams import Secret
from privgraph.tuning import request as requests
from privgraph.tuning.request import Choice, Search, make_request
from privgraph.tuning.sampling import propose
from privgraph.tuning.scores import Score, ScoreError, score_of

LAW = NegativeBinomial(mean=20)


@pytest.fixture(autouse=True)
def _sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "describe", lambda *_, **__: FACTS)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("law", [LAW, NegativeBinomial(mean=5, shape=0), Fixed(count=6)], ids=str)
def test_the_price_is_near_what_was_asked_and_never_above(epsilon: float, law: NegativeBinomial | Fixed) -> None:
    asked = Choice(base=gap(), over={"depth": [1, 2], "learning_rate": [0.01, 0.1]}, law=law, epsilon=epsilon)
    terms = asked.terms()
    assert 0.9 * epsilon <= terms.epsilon <= epsilon
    assert terms.trial_epsilon < epsilon
    assert terms.epsilon == price(asked.events(terms.trial_epsilon), law, terms.delta).epsilon
    assert terms.composed == isinstance(law, Fixed)
    assert len(asked.events(terms.trial_epsilon)) == 2, "learning rates share the event of their depth"


def test_noisy_scores_are_paid_for() -> None:
    base = make_spec("dp-mlp", "cora", {"batch_size": 1500, "epochs": 10})
    free = base.config().plan(SIZES).entries
    asked = Choice(base=base, over={"learning_rate": [0.01, 0.1]}, law=LAW, epsilon=4.0, score_noise=5.0)
    (event,) = asked.events(4.0)
    assert event.events[-1] == Gaussian(noise_multiplier=5.0)
    assert len(event.events) == len(free) + 1
    terms, louder = asked.terms(), replace(asked, score_noise=50.0).terms()
    assert terms.score == "noisy validation accuracy"
    assert louder.trial_epsilon > terms.trial_epsilon, "less is left for the trial where the score costs more"


def refused(base: RunSpec, noise: float = 10.0, **options: object) -> str:
    with pytest.raises(OptionError) as error:
        Choice(
            base=replace(base, options={**base.options, **options}),  # type: ignore[dict-item]
            over={"learning_rate": [0.01, 0.1]},
            law=LAW,
            epsilon=4.0,
            score_noise=noise,
        ).terms()
    return str(error.value)


@pytest.mark.long
def test_what_has_no_price_is_refused_with_the_reason() -> None:
    assert "no validation accuracy that its guarantee covers is known" in refused(make_spec("dp-gnn", "cora"))
    assert "nothing is protected" in refused(gap(unit="none"))
    assert "sound" in refused(gap(accounting="published"))
    assert "validation labels are private" in refused(make_spec("dp-mlp", "cora"), noise=0.0)
    assert "choice by what was not noised has no price" in refused(make_spec("pate", "cora"))
    assert "reads nothing that is protected" in refused(make_spec("mlp", "cora", {"unit": "edge"}))
    chosen = make_spec("dp-mlp", "cora", {"selection": "validation"})
    assert "nothing is guaranteed" in refused(chosen), "the epoch is chosen by private labels"


def test_trials_that_read_the_same_samples_are_refused() -> None:
    spec = gap()
    statement = spec.config().plan(SIZES).statement
    common = replace(statement, assumptions=(*statement.assumptions, ASSUME_COMMON_SAMPLES))
    with pytest.raises(OptionError, match="same samples"):
        score_of(spec, common, 200, 10.0)
    assert score_of(spec, statement, 200, 10.0) == Score(noise=0.0, nodes=200)
    changes: tuple[dict[str, Any], ...] = ({"data_dependent": True}, {"per_holder": (("one", 1.0), ("other", 4.0))})
    for change in changes:
        with pytest.raises(OptionError, match="data or holder"):
            score_of(spec, replace(statement, **change), 200, 10.0)
    with pytest.raises(OptionError, match="no validation nodes"):
        score_of(spec, statement, 0, 10.0)


def test_common_samples_of_a_method_and_noise_that_is_given_are_refused() -> None:
    base = make_spec("privgnn", "cora", {"common": True, "release": "votes"})
    statement = base.config().plan(SIZES).statement
    assert ASSUME_COMMON_SAMPLES in statement.assumptions
    with pytest.raises(OptionError, match="same samples"):
        score_of(base, statement, 200, 10.0)
    assert "given by an option" in refused(make_spec("privgnn", "cora", {"lam": 2.0, "release": "votes"}))


MANY = ({"epsilon": 2, "over": {"learning_rate": [0.001 * n for n in range(1, 600)]}}, "500 combinations")
REFUSED = tomllib.loads(Path(__file__).with_name("refused.toml").read_text())["requests"]


@pytest.mark.parametrize(("asked", "said"), [*REFUSED, MANY])
def test_a_request_that_says_nothing_sensible_is_one_sentence(asked: dict[str, object], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        make_request(gap(), **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("law", [LAW, Fixed(count=5)], ids=str)
def test_trials_that_no_accountant_can_price_are_not_blamed_on_epsilon(law: NegativeBinomial | Fixed) -> None:
    base = make_spec("edge-rand", "karate", {"unit": "edge"})
    with pytest.raises(OptionError, match=r"can price a choice among trials of .*, however small their epsilon"):
        Choice(base=base, over={"hidden": [8, 16]}, law=law, epsilon=200.0).terms()


def _another_delta(spec: RunSpec, score: Score, said: PrivacyStatement) -> tuple[Score, PrivacyStatement]:
    return score, replace(said, delta=1e-5 / int(spec.options["depth"]))


def _another_score(spec: RunSpec, score: Score, said: PrivacyStatement) -> tuple[Score, PrivacyStatement]:
    return replace(score, noise=10.0 * (int(spec.options["depth"]) - 1)), said


@pytest.mark.parametrize(
    ("change", "sentence"),
    [(_another_delta, "the options change delta"), (_another_score, "change how a trial may be scored")],
)
def test_trials_that_differ_in_more_than_their_noise_have_no_common_price(
    change: Any, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = Choice._judged
    monkeypatch.setattr(Choice, "_judged", lambda self, spec: change(spec, *judged(self, spec)))
    with pytest.raises(OptionError, match=sentence):
        Choice(base=gap(), over={"depth": [1, 2]}, law=LAW, epsilon=4.0).terms()


def test_trials_of_several_relations_have_no_common_price() -> None:
    """GAP without a node's own rows takes the sample of edges as it was drawn; with them a record is
    replaced, which may move a node's own row by 2D: that is not in the price of the first."""
    base = make_spec("gap", "cora", {"unit": "node", "epsilon": 4.0})
    asked = Choice(base=base, over={"own_rows": [False, True]}, law=Fixed(count=3), epsilon=4.0)
    with pytest.raises(OptionError, match=r"change which datasets are neighbours .*: tune them apart"):
        asked.terms()
    for alone in (False, True):
        assert replace(asked, over={"own_rows": [alone]}).terms().epsilon <= 4.0


@pytest.mark.parametrize(
    ("asked", "changes"),
    [
        (
            {"over": {"depth": [1, 2]}, "epsilon": 4.0, "law": "negative binomial", "shape": 0.5},
            {"epsilon": 4.1, "trials": 21, "shape": 0.6, "score_noise": 11.0},
        ),
        ({"over": {"depth": [1, 2]}, "epsilon": 4.0, "law": "fixed"}, {"sampler": "tpe"}),
        ({"accuracy": 0.8}, {"accuracy": 0.81, "lowest": 0.2, "highest": 9.0, "steps": 5, "score_noise": 11.0}),
    ],
    ids=["choice", "sampler", "search"],
)
def test_requests_that_differ_in_one_thing_are_two_texts(asked: dict[str, Any], changes: dict[str, Any]) -> None:
    """One text is one tuning, which goes on with the terms that it began with."""
    first = make_request(gap(), **asked).text
    assert make_request(gap(epsilon=3), **asked).text == first, "the epsilon of the base is replaced"
    for name, value in changes.items():
        assert make_request(gap(), **(asked | {name: value})).text != first, name


def test_a_search_is_priced_before_it_begins() -> None:
    asked = make_request(gap(), accuracy=0.8, lowest=0.5, highest=8.0, steps=3)
    assert isinstance(asked, Search)
    assert len(asked.epsilons) == 7
    assert (asked.epsilons[0], asked.epsilons[-1]) == (0.5, 8.0)
    assert list(asked.epsilons) == sorted(asked.epsilons)
    terms = asked.terms()
    assert terms.composed
    assert terms.epsilon == search_price(asked.events(), terms.delta).epsilon > 8.0, "more than the dearest trial"


def test_options_are_drawn_evenly_and_anew_for_each_trial() -> None:
    over = {"depth": [1, 2, 3], "learning_rate": [0.01, 0.1]}
    drawn = [tuple(propose("random", over, seed).values()) for seed in range(600)]
    counts = np.asarray([drawn.count((d, r)) for d in over["depth"] for r in over["learning_rate"]])
    assert counts.sum() == 600
    assert (np.abs(counts - 100) < 50).all()
    past = [({"depth": 1, "learning_rate": 0.01}, 1.0)] * 30
    assert propose("random", over, 7) == propose("random", over, 7, past), "it does not know what came before"


def test_a_score_is_exact_or_has_the_noise_that_it_is_priced_for() -> None:
    assert Score(noise=0.0, nodes=200).of(0.715) == 0.715
    noisy = Score(noise=6.0, nodes=200)
    drawn = np.asarray([200 * noisy.of(0.7) - 140 for _ in range(2000)])
    assert abs(drawn.mean()) < 5 * 6 / math.sqrt(2000)
    assert 0.9 * 6 < drawn.std() < 1.1 * 6, "and neither 2/3 nor 3/2 of it"
    with pytest.raises(ScoreError, match="no validation accuracy"):
        noisy.of(None)


@pytest.mark.parametrize("nodes", [200, 1_000_000, 5_000_000])
def test_no_count_of_right_ones_is_refused(nodes: int) -> None:
    """Whether a score is drawn must not tell the count without noise: of rounded accuracies neither."""
    score = Score(noise=5.0, nodes=nodes)
    for right in range(int(0.83 * nodes), int(0.83 * nodes) + 24):
        exact = [score.of(right / nodes) for _ in range(3)]
        assert all(abs(nodes * one - right) < 50 for one in (*exact, score.of(float(np.float32(right / nodes)))))


def test_noise_is_added_to_a_whole_number_of_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    """0.29 of 100 nodes is a little less than 29 in floats, and a node more or less must move it by 1."""
    counts: list[float] = []

    def add(kind: str, scale: float, values: NDArray[np.float64], secret: Secret) -> NDArray[np.float64]:
        counts.extend(values)
        return values

    monkeypatch.setattr("privgraph.lattice.add", add)
    for right in range(101):
        Score(noise=5.0, nodes=100).of(right / 100)
    assert counts == list(range(101))


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("release", list(Release))
def test_what_a_score_may_be_of_each_release(release: Release, neighbours: Neighbours) -> None:
    """Free at edge level where predictions are made from what was noised; counted with noise at node level
    where nobody else's prediction reads a record; nothing else."""
    counted = {
        (Release.AGGREGATES, Neighbours.FROZEN_SAMPLE),
        (Release.AGGREGATES, Neighbours.REPLACED_RECORD),
        (Release.MODEL, Neighbours.FROZEN_ROSTER),
        (Release.MODEL, Neighbours.FROZEN_DEGREES),
    }
    edge, node = gap(epsilon=2.0), make_spec("dp-mlp", "cora", {"batch_size": 1500, "epsilon": 2.0})
    for spec, expected in (
        (edge, Score(noise=0.0, nodes=200) if release in (Release.AGGREGATES, Release.GRAPH) else None),
        (node, Score(noise=10.0, nodes=200) if (release, neighbours) in counted else None),
        (make_spec("pate", "cora", {"epsilon": 2.0}), None),  # it draws parts of its own
    ):
        own = node if spec.method == "pate" else spec
        statement = replace(own.config().plan(SIZES).statement, release=release, neighbours=neighbours)
        if expected is None:
            with pytest.raises(OptionError, match="cannot be tuned"):
                score_of(spec, statement, 200, 10.0)
        else:
            assert score_of(spec, statement, 200, 10.0) == expected
