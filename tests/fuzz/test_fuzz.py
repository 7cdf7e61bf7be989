"""A few inputs of each kind, the same each time, and those that were neither taken nor refused in one
sentence."""

import json

import pytest
from tests.fuzz import addresses, strange
from tests.fuzz.every import KINDS
from tests.fuzz.kinds import judged, play

from privgraph.options import OptionError
from privgraph.runs.spec import make_spec

FEW = {"uploads": 60, "specs": 80, "stored": 20, "addresses": 60}
LOG = '{"message": 5, "level": "info"}'
HALF = json.dumps({"\ud800": 1.0})


@pytest.mark.parametrize("name", FEW)
def test_a_few_inputs_are_taken_or_refused(name: str) -> None:
    found = play(KINDS[name], FEW[name], seed=0)
    assert found.crashes == []
    assert found.accepted
    assert found.refused


@pytest.mark.parametrize(
    ("options", "method"),
    [
        ({"accounting": "a\nb"}, "mlp"),
        ({"pretrain_on": "%s"}, "fine-tune"),
        ({"hidden": strange.UNWRITTEN}, "gap"),
        ({"a\nb": 1}, "dp-gpl"),
    ],
)
def test_an_option_is_refused_in_one_short_line(options: dict[str, object], method: str) -> None:
    with pytest.raises(OptionError) as refused:
        make_spec(method, "karate", options)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 500


@pytest.mark.parametrize(
    ("command", "damage"),
    [
        ("list runs", (1, "runs", 1, "spec", strange.DEEP)),
        ("show {run}", (1, "runs", 1, "metrics", HALF)),
        ("export {run} --out {out}", (1, "runs", 1, "metrics", HALF)),
        ("show {run} --log", (1, "events", 1, "payload", "{}")),
        ("show {run} --log", (1, "events", 1, "payload", LOG)),
        ("export {run} --out {out}", (1, "events", 1, "payload", "[1]")),
        ("show {run} --log", (1, "events", 1, "time", float("inf"))),
    ],
)
def test_a_damaged_row_is_named(command: str, damage: tuple[object, ...]) -> None:
    assert any("form that is not known here" in said for said in judged(KINDS["stored"], (command, damage)))


def test_a_live_run_that_was_never_heard_of_hides_no_others() -> None:
    assert judged(KINDS["stored"], ("list runs --json", (4, "runs", 4, "state", "running"))) == []


def test_an_address_of_two_lines_is_named_in_one() -> None:
    said = addresses.take(("train", {"split": ["-inf", "a\nb"]}))
    assert any("split has no value" in sentence for sentence in said)
    assert not any("\n" in sentence for sentence in said)
