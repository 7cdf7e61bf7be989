"""`privgraph report`: its title says what was run, and whom it is for has the name that the page has."""

from __future__ import annotations

import pytest
from tests.figures import made_runs

from privgraph.runs.store import RunStore
from privgraph_workbench.commands import parser
from privgraph_workbench.commands.report import _title


def test_a_title_says_what_was_run() -> None:
    store, said = RunStore.open(), made_runs.statement(made_runs.edge_entries(9))
    runs = [made_runs.finish(store, made_runs.spec(seed=seed), 0.7, said) for seed in (1, 2)]
    assert _title(runs) == _title(runs[:1])
    other = made_runs.finish(store, made_runs.spec("gap", seed=1), 0.7, said)
    assert _title([*runs, other]) == "ProGAP and GAP on Made-up social network"


@pytest.mark.parametrize("flag", ["--for-others", "--share"])
def test_for_others_has_two_names(flag: str) -> None:
    made = parser.make_parser()
    assert made.parse_args(["report", "abc", flag]).share is True
    assert made.parse_args(["report", "abc"]).share is False
