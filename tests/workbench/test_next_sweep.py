"""What to train next on a graph: what its figure lacks, or what is taken there and its rival."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.workbench.test_one_sentence import _stretch

from privgraph_workbench.facts.advising import Verdict
from privgraph_workbench.facts.next_sweep import Sweep, lacking, rivals


def _rows(unit: str = "edge", **means: dict[float, float]) -> list[dict[str, Any]]:
    return [
        {"method": method, "unit": unit, "asked": epsilon, "mean": mean}
        for method, at in means.items()
        for epsilon, mean in at.items()
    ]


def _ran(*epsilons: float) -> dict[float, float]:
    return dict.fromkeys(epsilons, 0.5)


def test_runs_for_another_unit_and_of_what_reads_no_edge_fill_no_gap() -> None:
    rows = [*_rows(a=_ran(1.0), mlp=_ran(8.0)), *_rows("node", b=_ran(1.0, 2.0))]
    assert lacking(rows, "edge", ["a", "b"]) == Sweep(("b",), (1.0,))


def test_the_sweep_that_fills_the_most_gaps_is_the_next_but_for_methods_that_never_ran() -> None:
    rows = _rows(whole=_ran(1.0, 2.0, 4.0), a=_ran(1.0), b=_ran(1.0, 2.0), c=_ran(1.0, 2.0), d=_ran(1.0, 2.0))
    assert lacking(rows, "edge", ["whole", "a", "b", "c", "d"]) == Sweep(("b", "c", "d"), (4.0,))
    many = _rows(whole=_ran(1.0, 2.0), a=_ran(1.0), b=_ran(1.0), c=_ran(1.0))
    assert lacking(many, "edge", ["whole", "a", "b", "c", "new"]) == Sweep(("new",), (1.0, 2.0))


def test_the_rival_is_the_next_highest_at_the_largest_budget_of_what_is_told() -> None:
    rows = _rows(progap={1.0: 0.7, 2.0: 0.7, 8.0: 0.1}, gap={1.0: 0.6, 2.0: 0.4, 8.0: 0.9}, rand={1.0: 0.5, 2.0: 0.6})
    told = Verdict(unit="edge", stretches=(_stretch("one", 1.0, 2.0),), methods=3)
    assert rivals(rows, told) == Sweep(("progap", "rand"), (1.0, 2.0, 8.0))
    assert rivals(rows, Verdict(unit="edge")) == Sweep(("gap", "progap"), (1.0, 2.0, 8.0)), "at the largest of all"


def test_where_edges_are_better_left_out_the_two_highest_at_the_last_such_budget_are_rivals() -> None:
    rows = _rows(progap={1.0: 0.5, 4.0: 0.8, 8.0: 0.2}, gap={1.0: 0.7, 4.0: 0.6, 8.0: 0.2}, rand={8.0: 0.9})
    first, last = (replace(_stretch("blind", epsilon), takes=("mlp",)) for epsilon in (1.0, 4.0))
    told = Verdict(unit="edge", stretches=(first, last, _stretch("one", 8.0)), methods=3)
    assert rivals(rows, told) == Sweep(("progap", "gap"), (1.0, 4.0, 8.0))
