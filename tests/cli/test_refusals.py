"""What cannot be done is refused in one sentence, beside what the fence of commands calls wrongly."""

import tomllib
from pathlib import Path

import pytest
from tests.pages.kept_runs import keep, spec
from tests.tuning.worker_made_here import MadeWorker, at_work

from privgraph.runs import auditing
from privgraph.runs.store import RunStore
from privgraph_workbench.cli import main

REFUSED = tomllib.loads(Path(__file__).with_name("refused.toml").read_text())["commands"]


@pytest.mark.parametrize(("line", "said"), REFUSED)
def test_bad_usage_gets_one_sentence(capsys: pytest.CaptureFixture[str], line: str, said: str) -> None:
    with at_work(MadeWorker(lambda spec: 0.5)):
        assert main(line.split()) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert RunStore.open().count() == 0


def test_what_cannot_be_attacked_or_audited_starts_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    store = RunStore.open()
    run, other = keep(store, spec("dp-mlp", batch_size=8)), keep(store, spec("edge-rand"))
    waiting = keep(store, spec("dp-mlp", seed=1, batch_size=8), state="queued")
    for line, code, said in (
        (f"audit {waiting}", 1, f"only a run that is done can be audited, and {waiting} is queued"),
        (f"audit {other} --audit white-box", 1, "the audit white-box is for"),
        (f"audit {run} --audit white-bock", 2, "there is no audit white-bock"),
        (f"audit {run} --canaries 3", 2, "canaries must be at least 10 (got 3)"),
        (f"audit {run} --confidence 2", 2, "confidence must be"),
        (f"attack {run} lirra", 2, "there is no attack lirra"),
        (f"attack {run} lira --shadows many", 2, "shadows must be a number (got many)"),
        (f"attack {run} lira --query alone", 2, "cannot be asked about a node"),
    ):
        assert main(line.split()) == code
        told = capsys.readouterr()
        assert said in told.err
        assert told.out == ""
    assert all(auditing.states(store, one.id) == [] for one in store.find())
