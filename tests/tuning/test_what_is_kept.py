"""What a tuning keeps and compares: scores that are drawn once, trials of their own noise, and the entries
and deltas that were priced."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tuning.test_conducting import choice, deep
from tests.tuning.worker_made_here import FACTS, SIZES, MadeWorker, at_work, gap

from privgraph.privacy.events import Composed, Gaussian, Repeated
from privgraph.privacy.selection import Fixed, NegativeBinomial, price
from privgraph.privacy.serialisation import statement_to_json
from privgraph.runs.leases import Outcome
from privgraph.runs.records import StoreError
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.tunings import Tunings
from privgraph.tuning import request
from privgraph.tuning.conducting import Tuning
from privgraph.tuning.request import Choice, covers


@pytest.fixture
def store(tmp_path: Path) -> Iterator[RunStore]:
    opened = RunStore.open(f"sqlite:///{tmp_path / 'runs.sqlite'}", tmp_path / "runs")
    yield opened
    opened.close()


def test_scores_that_need_noise_have_noise(store: RunStore) -> None:
    base = make_spec("dp-mlp", "cora", {"batch_size": 1500, "epochs": 10})
    asked = Choice(base=base, over={"learning_rate": [0.01, 0.1]}, law=Fixed(count=8), epsilon=8.0, score_noise=5.0)
    with at_work(MadeWorker(lambda _: 0.7)):
        tuned = Tuning(store, asked).conduct()
    scores = [one.score for one in tuned.trials]
    assert None not in scores
    assert len(set(scores)) >= 4, "eight trials of one accuracy differ by their noise"
    assert all(abs(200 * float(score) - 140) < 60 for score in scores if score is not None), "of 200 validation nodes"


def test_a_score_is_drawn_once_and_a_place_has_one_trial(store: RunStore) -> None:
    """Whoever resumes a tuning, or conducts it beside another process, pays for one draw."""
    with at_work(MadeWorker(deep)):
        tuning = Tuning(store, choice())
    kept = Tunings(store)
    kept.add(tuning._tuning, 0, tuning._proposed(tuning._request, []))
    kept.judge(tuning._tuning, 0, 0.5)
    kept.judge(tuning._tuning, 0, 0.9)
    kept.add(tuning._tuning, 0, tuning._trial(gap(epsilon=1.0), 5))
    (one,) = kept.trials(tuning._tuning)
    assert one.score == 0.5


def test_equal_requests_open_one_tuning(store: RunStore) -> None:
    """Two would each draw a number of trials, and the price is of one."""
    with at_work(MadeWorker(deep)):
        asked = choice()
        terms = asked.terms()
    kept = Tunings(store)
    first = kept.begin(asked.text, terms, "gap")
    assert kept.begin(asked.text, terms, "gap") == first
    kept.release(first, "")
    second = kept.begin(asked.text, terms, "gap")
    assert (second.done, second.id != first.id) == (False, True), "what is done is not begun again"
    assert kept.asked(asked.text) == second


def test_what_is_done_is_released_once(store: RunStore) -> None:
    with at_work(MadeWorker(deep)):
        tuning = Tuning(store, choice())
        done = tuning.conduct()
    kept = Tunings(store)
    first = kept.get(tuning.id).released
    assert first
    assert first == tuning._tuning.released
    assert done.trials
    assert kept.release(kept.get(tuning.id), "another").released == first


def test_mechanisms_are_compared_with_how_often_they_are_used() -> None:
    often, once = Gaussian(noise_multiplier=4.0), Gaussian(noise_multiplier=9.0)
    priced = [Composed((Repeated(event=often, count=3), once))]
    assert covers(priced, Composed((once, often, often, often)))
    assert not covers(priced, Composed((Repeated(event=often, count=4), once)))
    assert not covers(priced, Composed((Repeated(event=often, count=3),)))
    assert not covers(priced, Composed((Repeated(event=often, count=3), once, Gaussian(noise_multiplier=90.0))))


def test_a_trial_of_another_delta_is_refused(store: RunStore) -> None:
    class OtherDelta(MadeWorker):
        def outcome(self, spec: RunSpec) -> Outcome:
            said = spec.config().plan(SIZES).statement
            return replace(super().outcome(spec), statement=statement_to_json(replace(said, delta=said.delta / 10)))

    with at_work(OtherDelta(deep)), pytest.raises(StoreError, match="another delta"):
        Tuning(store, choice()).conduct()


@pytest.mark.long
@pytest.mark.parametrize(
    ("base", "over"),
    [
        (gap(), {"depth": [1, 2, 3], "learning_rate": [0.1]}),
        (
            make_spec("dp-mlp", "cora", {"batch_size": 300, "epochs": 5}),
            {"epochs": [2, 20], "learning_rate": [0.1]},
        ),
    ],
    ids=["gap", "dp-mlp"],
)
def test_all_settings_are_priced_and_not_those_alone_that_stand_for_others(
    base: RunSpec, over: dict[str, list[float]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where an option moves the noise though its method has not declared it."""
    monkeypatch.setattr(request, "describe", lambda *_, **__: FACTS)
    monkeypatch.setattr(Choice, "_representatives", lambda self: self.settings[:1])
    law = NegativeBinomial(mean=5)
    asked = Choice(base=base, over=over, law=law, epsilon=4.0)
    terms = asked.terms()
    assert terms.epsilon == price(asked.events(terms.trial_epsilon), law, terms.delta).epsilon
    assert terms.epsilon <= 4.0
