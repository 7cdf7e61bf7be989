"""PrivGNN's study: what it would run, and how its tables read. Nothing is trained here."""

import pytest

from privgraph.methods.teachers.privgnn import study
from privgraph.runs.queueing import STACK_LIMIT


@pytest.mark.parametrize("dataset", study.PARTS)
def test_every_line_is_made_of_valid_runs_and_no_two_are_the_same(dataset: str) -> None:
    ids = []
    for make, values in ((study.by_epsilon, study.EPSILONS), (study.by_lambda, study.LAMBDAS)):
        for line in make(dataset):
            specs = study.specs_of(line, dataset, 0, values)
            assert len(specs) == (len(line.values(values)) if line.axis else 1)
            ids += [spec.id for spec in specs]
    assert len(ids) == len(set(ids)) + 1, "B1 stands in both tables, and nothing else does"


def test_noise_levels_of_one_teachers_fit_into_one_stack() -> None:
    lines = [
        line for line in study.by_lambda("cora") if line.options.get("queries") == 1000 and line.method == "privgnn"
    ]
    specs = [spec for line in lines for spec in study.specs_of(line, "cora", 0, study.LAMBDAS)]
    assert len({spec.config().stack_key() for spec in specs}) == 1
    assert len(specs) <= STACK_LIMIT


def test_a_line_with_some_values_leaves_the_others_empty() -> None:
    line = study.Line("one", "gnn", {}, "epsilon", (4.0,))
    assert study.table([("cora", line, [])], "ε", (1.0,)).splitlines()[-1] == "| cora | one |  |"
