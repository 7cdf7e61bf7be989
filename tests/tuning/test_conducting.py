"""A tuning from its first trial to its release, with a worker that does not train."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.postgres_here import Server
from tests.tuning.worker_made_here import FACTS, SIZES, MadeWorker, at_work, gap, noisier
from tests.watching import watched

from privgraph.home import home
from privgraph.options import OptionError
from privgraph.privacy.events import Composed, Gaussian, Repeated
from privgraph.privacy.selection import Fixed, NegativeBinomial, Poisson, draw, price
from privgraph.privacy.serialisation import statement_from_json, statement_to_json
from privgraph.privacy.statement import PrivacyStatement
from privgraph.privacy.statements import ASSUME_ONE_RUN, statement_text
from privgraph.runs.leases import Outcome
from privgraph.runs.records import RunIsFixed, RunQuery, StoreError
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore
from privgraph.runs.sweep import price_of_all
from privgraph.runs.trials import ALL_ARE_PAID, NOT_RELEASED, ONLY_THE_CHOSEN, TRIED_AGAIN, Trial
from privgraph.runs.tunings import Tunings
from privgraph.streams import OPEN_KEY, Secret, derived_key, noise_key
from privgraph.tuning import conducting, request
from privgraph.tuning.conducting import Tuning, TuningStopped
from privgraph.tuning.request import Choice, Search, covers

OVER = {"depth": [1, 2, 3], "learning_rate": [0.01, 0.1]}


ABOUT_SIX = NegativeBinomial(mean=6)


def choice(law: NegativeBinomial | Poisson | Fixed = ABOUT_SIX, **more: object) -> Choice:
    return Choice(base=gap(), over=OVER, law=law, epsilon=4.0, **more)  # type: ignore[arg-type]


def deep(spec: RunSpec) -> float:
    """Deeper is better, and every trial has another accuracy."""
    return round(0.2 * int(spec.options["depth"]) + int(spec.trial[:4], 16) / 2**20, 6)


def several(store: RunStore, least: int = 3) -> tuple[Tuning, int]:
    """A tuning that will try at least so many; their number is found as the tuning itself finds it."""
    for trials in range(6, 60):
        law = NegativeBinomial(mean=float(trials))
        tuning = Tuning(store, choice(law))
        key = derived_key(noise_key(home()), "tuning", tuning.id)
        count = draw(law, Secret(key, 0, "noise/trials"))
        if least <= count <= 40:
            return tuning, count
    raise AssertionError("no law gives so many trials")


def interrupted(store: RunStore, after: int = 2) -> tuple[Tuning, int]:
    """Such a tuning, after so many trials."""
    with at_work(MadeWorker(deep, most=after)):
        tuning, count = several(store)
        with pytest.raises(KeyboardInterrupt):
            tuning.conduct()
    return tuning, count


@pytest.mark.parametrize("workers", ["2", "0"])
def test_the_best_is_released_with_the_price_and_the_others_are_not(
    store: RunStore, monkeypatch: pytest.MonkeyPatch, workers: str
) -> None:
    monkeypatch.setenv("PRIVGRAPH_WORKERS", workers)  # 0: all training is left to workers that pull
    with at_work(MadeWorker(deep)) as worker:
        tuning, count = several(store)
        tuned = tuning.conduct()
    assert len(worker.done) == len(tuned.trials) == count
    best = max(tuned.trials, key=lambda one: one.score or 0)
    assert tuned.released.id == best.run
    assert best.score == deep(best.spec)
    said = tuned.released.statement
    assert said.tuned
    assert said.epsilon == tuned.terms.epsilon <= 4.0
    assert said.delta == tuned.terms.delta
    assert said.epsilon > tuned.terms.trial_epsilon
    text = statement_text(said)
    assert tuned.terms.law in text
    assert tuned.terms.law.startswith("the geometric law of mean")
    assert "Papernot and Steinke 2022, Theorem 2" in text
    assert ASSUME_ONE_RUN not in said.assumptions
    assert {ONLY_THE_CHOSEN, TRIED_AGAIN} <= set(said.assumptions)
    assert not any(gap.title == "Tuning is unpaid" for gap in said.gaps)
    assert f"{count} trials" not in text, "how many there were, is not told"
    others = [store.get(one.run) for one in tuned.trials if one.run != best.run]
    assert others
    for record in others:
        assert str(record.tuning) == NOT_RELEASED
        assert record.statement.epsilon == math.inf
        assert NOT_RELEASED in statement_text(record.statement)
    rows = {row["id"]: row for row in store.find_rows()}
    assert rows[best.run]["sound_epsilon"] == tuned.terms.epsilon
    assert rows[best.run]["tuning"] == Trial.RELEASED
    assert {(rows[one.id]["sound_epsilon"], rows[one.id]["tuning"]) for one in others} == {(math.inf, NOT_RELEASED)}


def test_trials_have_noise_of_their_own_and_words_that_do_not_tell_their_place(store: RunStore) -> None:
    with at_work(MadeWorker(deep)):
        tuning, count = several(store, least=10)  # of three, one in six is in order by chance
        trials = tuning.conduct().trials
    assert len({one.spec.trial for one in trials}) == len({one.spec.text for one in trials}) == count
    for one in trials:
        assert len(one.spec.trial) == 24
        assert int(one.spec.trial, 16) >= 0
        assert RunSpec.from_json(one.spec.to_json()) == one.spec
        assert one.spec.seed == 0, "the split, and all that is public, is the same"
    assert [one.spec.trial for one in trials] != sorted(one.spec.trial for one in trials)


def test_a_tuning_starts_nobody_else_s_runs(store: RunStore) -> None:
    other = store.submit(make_spec("mlp", "karate"))
    with at_work(MadeWorker(deep)) as worker:
        several(store)[0].conduct()
    assert worker.done
    assert store.states([other]) == {other: "queued"}


def test_an_interrupted_tuning_goes_on_as_it_was_meant(store: RunStore) -> None:
    tuning, count = interrupted(store)
    request = tuning._request
    known = [one for one in Tunings(store).trials(tuning._tuning) if one.score is not None]
    assert all(store.get(one.run).tuning.trial is Trial.GOING_ON for one in known)  # type: ignore[union-attr]
    with at_work(MadeWorker(deep)) as worker:
        again = Tuning(store, request)
        assert again.resumed
        assert not again.done
        assert again.id == tuning.id
        tuned = again.conduct()
    assert len(tuned.trials) == count
    assert [one.score for one in tuned.trials][: len(known)] == [one.score for one in known]
    assert len(worker.done) == count - 2, "what was done is not done again"
    with at_work(MadeWorker(deep)) as idle:
        third = Tuning(store, request)
        assert third.done
        assert third.conduct() == tuned
    assert not idle.done


def test_another_noise_key_draws_no_number_of_trials_again(store: RunStore) -> None:
    """Whoever sees scores meanwhile could renew the key until there are as many trials as they like."""
    tuning, _ = interrupted(store)
    path = home() / "noise.key"
    kept = path.read_bytes()
    path.write_bytes(bytes(reversed(range(32))))
    store.leases.renew(noise_key(home()))
    with pytest.raises(OptionError, match="begun with another noise key"):
        Tuning(store, tuning._request)
    path.write_bytes(kept)
    store.leases.renew(kept)
    with at_work(MadeWorker(deep)):
        Tuning(store, tuning._request).conduct()
    path.write_bytes(bytes(reversed(range(32))))
    store.leases.renew(noise_key(home()))
    assert Tuning(store, tuning._request).done, "what is done draws nothing"


def test_a_trial_that_fails_stops_the_tuning_and_is_tried_again(store: RunStore) -> None:
    with at_work(MadeWorker(lambda spec: "out of memory")):
        tuning = Tuning(store, choice())
        with pytest.raises(TuningStopped, match="out of memory"):
            tuning.conduct()
    assert not Tunings(store).get(tuning.id).done
    with at_work(MadeWorker(deep)):
        tuned = Tuning(store, choice()).conduct()
    assert tuned.id == tuning.id
    assert tuned.released is not None
    assert any(record.attempt == 2 for record in store.find())


def test_a_trial_stays_until_its_tuning_is_done(store: RunStore) -> None:
    tuning, _ = interrupted(store, after=1)
    (done,) = store.find(RunQuery(states=("done",)))
    with pytest.raises(RunIsFixed, match=f"tried by {tuning.id}"):
        store.delete(done.id)
    assert done.statement.epsilon == math.inf, "before the end nothing is promised"
    with at_work(MadeWorker(deep)):
        tuning.conduct()
    store.delete(done.id)
    assert not store.find(RunQuery(ids=(done.id,)))


def _louder(spec: RunSpec) -> PrivacyStatement:
    return noisier(spec).config().plan(SIZES).statement


def _of_another_delta(spec: RunSpec) -> PrivacyStatement:
    said = spec.config().plan(SIZES).statement
    return replace(said, delta=said.delta / 10)


@pytest.mark.parametrize(
    ("says", "error"),
    [(_louder, "none of the trials that its tuning was priced for"), (_of_another_delta, "another delta")],
)
def test_a_run_that_was_not_priced_is_not_scored(
    store: RunStore, says: Callable[[RunSpec], PrivacyStatement], error: str
) -> None:
    class Other(MadeWorker):
        def outcome(self, spec: RunSpec) -> Outcome:
            return replace(super().outcome(spec), statement=statement_to_json(says(spec)))

    with at_work(Other(deep)), pytest.raises(StoreError, match=error):
        Tuning(store, choice()).conduct()


def test_where_all_trials_are_paid_for_any_sampler_may_choose_and_all_are_covered(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposed = watched(monkeypatch, conducting, "propose")
    monkeypatch.setenv("PRIVGRAPH_WORKERS", "3")
    with at_work(MadeWorker(deep)) as worker:
        tuned = Tuning(store, choice(Fixed(count=5), sampler="tpe")).conduct()
    assert len(worker.done) == 5
    told = [call.given[3] for call in proposed]
    assert [len(past) for past in told] == [0, 1, 2, 3, 4], "it is told of every trial before"
    assert told[-1] == [(one.spec.options, one.score) for one in tuned.trials[:-1]]
    for one in tuned.trials:
        statement = store.get(one.run).statement
        assert statement.epsilon == tuned.terms.epsilon <= 4.0
        assert {ALL_ARE_PAID, TRIED_AGAIN} <= set(statement.assumptions)
    assert "5 trials, all of them paid for" in statement_text(tuned.released.statement)  # type: ignore[union-attr, arg-type]


def test_no_trial_releases_nothing(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privgraph.tuning.conducting.draw", lambda *_: 0)
    with at_work(MadeWorker(deep)) as worker:
        tuned = Tuning(store, choice(Poisson(mean=2))).conduct()
    assert tuned.released is None
    assert not worker.done
    assert tuned.trials == ()


@pytest.mark.parametrize(("needed", "found"), [(0.0, 0), (0.9, 3), (1.9, 6), (99.0, None)])
def test_a_search_finds_the_smallest_epsilon_that_reaches_the_accuracy(
    store: RunStore, needed: float, found: int | None
) -> None:
    search = Search(base=gap(), accuracy=0.9, lowest=0.5, highest=2.0, steps=3)
    with at_work(MadeWorker(lambda spec: 0.9 if float(spec.options["epsilon"]) >= needed else 0.3)):
        tuned = Tuning(store, search).conduct()
    assert len(tuned.trials) == 3
    if found is None:
        assert tuned.released is None
        return
    assert tuned.released.spec.options["epsilon"] == search.epsilons[found]
    statement = tuned.released.statement
    assert statement.epsilon == tuned.terms.epsilon > search.epsilons[found]
    assert "dearest way" in statement_text(statement)


def test_a_public_noise_key_tunes_nothing(store: RunStore) -> None:
    (home() / "noise.key").write_bytes(OPEN_KEY)
    with at_work(MadeWorker(deep)), pytest.raises(OptionError, match="public"):
        Tuning(store, choice())


def test_prices_of_tunings_are_added_to_what_else_is_released(store: RunStore) -> None:
    with at_work(MadeWorker(deep)):
        tuned = Tuning(store, choice()).conduct()
    statement = tuned.released.statement
    plain = gap(epsilon=1.0).config().plan(SIZES).statement
    alone, own = price_of_all([plain])
    epsilon, delta = price_of_all([plain, statement])
    assert epsilon == pytest.approx(alone + statement.epsilon)
    assert delta == pytest.approx(own + statement.delta)
    assert price_of_all([statement, statement]) == pytest.approx((2 * statement.epsilon, 2 * statement.delta))
    assert statement_from_json(statement_to_json(statement)) == statement
    assert "tuned" not in statement_to_json(plain), "earlier versions read the statement of a run that stands alone"


def test_a_trial_of_another_store_promises_nothing(store: RunStore) -> None:
    spec = replace(gap(epsilon=1.0), trial="abc")
    worker = MadeWorker(lambda _: 0.5)
    store.submit(spec)
    worker.launch(store)
    record = store.get(spec.id)
    assert record.statement.epsilon == math.inf
    (row,) = store.find_rows()
    assert row["sound_epsilon"] == math.inf
    plain = make_spec("gap", "cora", {"unit": "edge", "epsilon": 1.0})
    assert "trial" not in plain.to_json()
    assert plain.id != spec.id


@pytest.mark.long
@pytest.mark.postgres
def test_a_tuning_on_postgresql(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore.open(server.url, tmp_path / "runs")
    monkeypatch.setattr("privgraph.tuning.conducting.draw", lambda *_: 3)
    asked = Choice(base=gap(), over={"depth": [1, 2]}, law=NegativeBinomial(mean=5), epsilon=4.0)
    with at_work(MadeWorker(lambda spec: float(int(spec.trial[:2], 16)) / 256, most=2)):
        tuning = Tuning(store, asked)
        with pytest.raises(KeyboardInterrupt):
            tuning.conduct()
    (done, *_) = [one for one in store.find() if one.state == "done"]
    with pytest.raises(RunIsFixed):
        store.delete(done.id)
    with at_work(MadeWorker(lambda spec: float(int(spec.trial[:2], 16)) / 256)):
        tuned = Tuning(store, asked).conduct()
        paid = Tuning(store, Choice(base=gap(), over={"depth": [1, 2]}, law=Fixed(count=3), epsilon=4.0)).conduct()
    assert tuned.released is not None
    assert len(tuned.trials) == 3
    rows = {row["id"]: row["sound_epsilon"] for row in store.find_rows()}
    assert sorted(rows[one.run] for one in tuned.trials) == [tuned.terms.epsilon, math.inf, math.inf]
    assert [rows[one.run] for one in paid.trials] == [paid.terms.epsilon] * 3
    store.close()


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


@pytest.mark.long
@pytest.mark.parametrize(
    ("base", "over"),
    [
        (gap(), {"depth": [1, 2, 3], "learning_rate": [0.1]}),
        (make_spec("dp-mlp", "cora", {"batch_size": 300, "epochs": 5}), {"epochs": [2, 20], "learning_rate": [0.1]}),
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
