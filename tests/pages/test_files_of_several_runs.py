"""Every file that a page offers of several runs carries the statement of each of them."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from streamlit.testing.v1 import AppTest
from tests.workbench.test_every_seed_counts import another, seeds, statements

from privgraph.runs.store import RunStore
from privgraph_workbench.figures.export import export
from privgraph_workbench.parts import links
from privgraph_workbench.words.naming import statements_of

Offered = tuple[str, str, frozenset[float]]
"""A figure, how its files' names begin, and the sound epsilons of the statements in its JSON file."""


@contextmanager
def offered() -> Iterator[list[Offered]]:
    """The figures whose files pages offer meanwhile."""
    found: list[Offered] = []
    honest = links.figure_exports

    def noted(figure: str, rows: Sequence[Any], name: str, runs: Sequence[Any] = (), statements: Any = None) -> None:
        held = statements_of(runs) if statements is None else statements
        said = json.loads(export(figure, rows, held, "json"))["statements"].values()
        found.append((figure, name, frozenset(float(one["epsilon"]) for one in said)))
        honest(figure, rows, name, runs, statements)

    with ExitStack() as stack:
        for module in [one for name, one in sys.modules.items() if name.startswith("privgraph_workbench.")]:
            if getattr(module, "figure_exports", None) is honest:
                stack.enter_context(patch.object(module, "figure_exports", noted))
        yield found


def of_pages(opened: Callable[..., AppTest], store: RunStore) -> dict[tuple[str, str], frozenset[float]]:
    """What the files hold that pages offer: of a run with three seeds, and of these beside another."""
    runs = seeds(store)
    beside = [*runs, another(store)]
    opened("train", run=runs[0].id)  # whatever it imports
    opened("runs", chosen=",".join(one.id for one in beside))
    with offered() as found:
        app = opened("train", run=runs[0].id)
        app.session_state[f"tabs.{runs[0].id}"] = "Curves"
        app.run()
        opened("runs", chosen=",".join(one.id for one in beside))
    return {(figure, name.replace(runs[0].id, "run")): said for figure, name, said in found}


def test_files_of_several_runs_carry_the_statement_of_each(opened: Callable[..., AppTest], store: RunStore) -> None:
    found = of_pages(opened, store)
    whole = frozenset(one.epsilon for one in statements())
    assert found["curves", "run"] == {statements()[0].epsilon}
    for place in (("compare", "compared"), ("curves", "compared")):
        assert whole < found[place], "and that of the other"
        assert len(found[place]) == len(whole) + 1
