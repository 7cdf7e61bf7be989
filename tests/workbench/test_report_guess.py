"""What a report for others tells of guesses: not the share of the largest class, but one over the number of
candidates; its words say the same wherever they stand."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from tests.workbench.made_reports import asked, opened, two_runs

from privgraph_workbench import reporting
from privgraph_workbench.figures import for_others
from privgraph_workbench.reporting import leaving
from privgraph_workbench.views.report import sharing


def test_the_rule_is_said_alike_everywhere() -> None:
    for said in (leaving.GUESS, leaving.UNDER[True], " ".join(leaving.GOES), sharing.SENTENCES[True]):
        assert "the share of the largest class" in said.lower()
        assert "how often a guess is right" not in said.lower()
    assert "true classes alone" in leaving.GUESS
    assert any("true classes alone" in one for one in leaving.STAYS)
    assert any("one over their number" in one for one in leaving.STAYS)


def test_the_rule_is_what_is_done() -> None:
    rows = [{"kind": kind, "value": 0.1} for kind in ("guessing", "majority", "base", "own")]
    assert [row["kind"] for row in for_others.rows("standing", rows)] == ["guessing", "own"]
    assert for_others.metrics({"guessing_accuracy": 0.004, "majority_class_accuracy": 0.3}) == {
        "guessing_accuracy": 0.004
    }


@pytest.mark.parametrize("figure", ["tradeoff", "teachers_compared"])
def test_the_column_of_the_guess_is_gone(figure: str) -> None:
    assert for_others.rows(figure, [{"guess": 0.3, "mean": 0.5}]) == [{"mean": 0.5}]


@pytest.mark.long
def test_the_file_for_others_has_no_such_column() -> None:
    mine = asked(two_runs(), appendix=False)
    for share in (True, False):
        files = opened(reporting.build(replace(mine, share=share)))
        head = next(csv.reader(io.StringIO(files["figures/01-tradeoff.csv"].decode())))
        assert ("guess" in head) is not share
