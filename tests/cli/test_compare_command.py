"""`privgraph compare` and `privgraph examples`: what is printed, and what is refused."""

from __future__ import annotations

import pytest

from privgraph_workbench.cli import main


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("compare social --unit person", "unit must be one of edge, node"),
        ("compare products --unit node", "no method protects"),
        ("compare social --unit edge --epsilons 1,two", "epsilons must be positive numbers"),
        ("compare social --unit edge --epsilons -1", "epsilons must be positive numbers"),
        ("compare social --unit edge --seeds 0", "seeds must be from 1 to 20"),
        ("compare nowhere --unit edge", "nowhere"),
        ("examples --again", "say which"),
        ("examples no-such-run", "no-such-run"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(capsys: pytest.CaptureFixture[str], line: str, said: str) -> None:
    assert main(line.split()) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
