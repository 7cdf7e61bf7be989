"""An attack as a process of its own: started, watched, stopped, and kept with the run."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.figures.made_attacks import attack as made_attack
from tests.runs.runs_made_here import done
from tests.waiting import until

from privgraph.attacks.audited import as_audit
from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.options import OptionError
from privgraph.privacy import statements
from privgraph.privacy.kinds import Adversary
from privgraph.runs import attack, attacking
from privgraph.runs.attacking import EXAMINER
from privgraph.runs.records import RunIsFixed, StoreError
from privgraph.runs.spec import RunSpec, make_spec
from privgraph.runs.store import RunStore

QUICK = AttackOptions(shadows=14, targets=2)


@pytest.fixture(autouse=True)
def _no_attack_outlives_its_test() -> Iterator[None]:
    yield
    for child in EXAMINER.children:
        child.kill()
        child.wait()
    EXAMINER.children.clear()


def quick(**options: object) -> RunSpec:
    chosen = {"epochs": 2, "hidden": 8} | options
    return make_spec("dp-mlp", "social", chosen, data_options={"nodes": 120, "degree": 6})


def ended(store: RunStore, run: str, token: str) -> Any:
    until(lambda: (found := attacking.state(store, run, token)) is not None and found.done)
    return attacking.state(store, run, token)


@pytest.mark.long
def test_an_attack_from_its_start_to_the_store(store: RunStore) -> None:
    run = done(store, quick())
    assert attacking.states(store, run) == []
    token = attacking.start(store, run, "lira", QUICK)
    first = ended(store, run, token)
    assert (first.error, first.progress, first.options, first.name) == ("", 1.0, QUICK, "lira")
    (record,) = store.attacks(run)
    assert attacking.outcome(store, run, token) == record
    assert (record.run, record.attack, record.models) == (run, "lira", 16)
    assert record.said == store.get(run).metrics.get("test_accuracy")
    kept = list((store.folder(run) / "signals").iterdir())
    assert len(kept) == 1
    written = kept[0].stat().st_mtime_ns
    # the same models serve another attack, which has nothing to train
    assert attack.main([run, "--attack", "bavaria", "--shadows", "14", "--targets", "2"]) == 0
    assert [one.attack for one in store.attacks(run)] == ["lira", "bavaria"]
    assert [path.stat().st_mtime_ns for path in (store.folder(run) / "signals").iterdir()] == [written]
    store.delete(run)
    assert not kept[0].exists()


def test_a_bound_goes_to_the_run_as_an_audit_s_does(store: RunStore) -> None:
    """Each attack takes a turn; the largest bound of all turns is the run's, at the confidence they share."""
    run = done(store, quick(epsilon=8.0))
    assert attack.main([run, "--attack", "lira", "--shadows", "14", "--targets", "2"]) == 0
    assert attack.main([run, "--attack", "threshold", "--targets", "2"]) == 0
    attacks, audits = store.attacks(run), store.audits(run)
    assert [one.turn for one in attacks] == [1, 2]
    assert any("it took turn 2 among" in note for note in attacks[1].notes)
    statement = store.get(run).statement
    assert audits == [as_audit(one, statement.epsilon_as_published) for one in attacks]
    assert statement.epsilon_audited == max(one.bound for one in attacks if one.bound is not None)
    assert statement.adversary is Adversary.OUTSIDER
    assert statement.audit_confidence == 0.95
    assert "asks its model about nodes" in statements.statement_text(statement)
    # a try whose answer was lost is not counted twice
    attack._keep(store, attacks[0])
    assert len(store.audits(run)) == 2


@pytest.mark.parametrize(("method", "options"), [("mlp", {"unit": "none"}), ("gap", {"unit": "edge", "depth": 1})])
def test_a_bound_that_is_none_on_what_the_run_promises_takes_no_turn(
    store: RunStore, method: str, options: dict[str, object]
) -> None:
    spec = make_spec(method, "social", {"epochs": 2, "hidden": 8, **options}, data_options={"nodes": 120, "degree": 6})
    run = done(store, spec)
    assert attack.main([run, "--attack", "threshold", "--targets", "1"]) == 0
    assert [one.turn for one in store.attacks(run)] == [0]
    assert store.audits(run) == []
    assert store.begin_audit(run) == 1


def test_an_attack_as_an_audit_has_its_own_numbers() -> None:
    """A trial is a pair, of which there are no more than nodes on the smaller side."""
    record = replace(made_attack(memory=4.0, how=AttackOptions(targets=3, seed=6)), turn=2)
    audit = as_audit(record, 1.5)
    assert record.outcome.members > record.outcome.others
    assert audit.trials == record.outcome.others
    assert f"{record.outcome.others:,} pairs" in audit.bounds[0].detail
    assert f"{record.steps} neighbouring datasets" in audit.bounds[0].detail
    assert audit.epsilon == audit.bounds[0].epsilon == record.bound
    assert (audit.published, audit.sound, audit.delta) == (1.5, record.sound, record.delta)
    assert (audit.confidence, audit.turn, audit.seed) == (record.confidence, 2, 6)
    assert sum(audit.scores_with) == record.outcome.members
    assert sum(audit.scores_without) == record.outcome.others
    assert (audit.roc_false, audit.roc_true, audit.area) == (record.roc_false, record.roc_true, record.outcome.area)


def test_what_cannot_be_attacked_is_refused_before_anything_starts(store: RunStore) -> None:
    waiting = store.submit(quick())
    with pytest.raises(StoreError, match=r"only a run that is done can be attacked, and .* is queued"):
        attacking.start(store, waiting, "lira", QUICK)
    run = done(store, quick(epochs=3))
    with pytest.raises(OptionError, match="cannot be asked"):
        attacking.start(store, run, "lira", AttackOptions(query="alone"))
    assert attacking.states(store, run) == []
    with pytest.raises(RuntimeError, match="read by the process that attacks it"):
        attacking.subject(store.get(run)).graph()
    assert attack.main([run, "--shadows", "5", "--token", "mine"]) == 1
    assert "5 shadow models are too few" in (EXAMINER.folder(store, run) / "mine" / "state.json").read_text()


def test_a_record_of_another_run_or_form_is_refused(store: RunStore, tmp_path: Path) -> None:
    run = done(store, quick())
    assert attack.main([run, "--attack", "threshold", "--targets", "1"]) == 0
    (record,) = store.attacks(run)
    other = done(store, quick(epochs=3))
    with pytest.raises(StoreError, match="this attack is on"):
        store.add_attack(other, record)
    waiting = store.submit(quick(epochs=4))
    with pytest.raises(RunIsFixed, match="only a run that is done can be attacked"):
        store.add_attack(waiting, AttackRecord(**{**vars(record), "run": waiting}))
    plain = record.to_json()
    for change in ({"version": 99}, {"more": 1}, {"outcome": 3}, {"edges": []}, {"areas": []}, {"sound": "much"}):
        with pytest.raises(ValueError, match=r"AttackRecord|another version"):
            AttackRecord.from_json({**plain, **change})
    for other_form in ([], {}):
        with pytest.raises(ValueError, match="another version"):
            AttackRecord.from_json(other_form)  # type: ignore[arg-type]
