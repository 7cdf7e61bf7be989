"""Two graphs of one title have two names in a report, wherever one of them stands alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.figures import made_runs

from privgraph.runs.records import RunRecord
from privgraph.runs.store import RunStore
from privgraph_workbench import reporting
from privgraph_workbench.figures.runs import compare, tradeoff
from privgraph_workbench.reporting import Asked, same_titles
from privgraph_workbench.words.naming import statements_of

TITLE = "Made-up social network"
SMALL = f"{TITLE} (nodes 600, classes 4, degree 20, homophily 0.8, signal 1.5)"


def _runs(store: RunStore, reached: float, dataset: str = "social", **graph: int) -> list[RunRecord]:
    said = made_runs.statement(made_runs.edge_entries(9))
    found = []
    for method in ("gap", "progap"):
        spec = replace(made_runs.spec(method, dataset, epsilon=2.0), data_options=graph)
        found.append(made_runs.finish(store, spec, reached, said))
    return found


@pytest.mark.parametrize("small_first", [True, False])
def test_a_short_name_is_of_one_graph_in_text_tables_and_figures(small_first: bool) -> None:
    store = RunStore.open()
    groups = [_runs(store, 0.544, nodes=600), _runs(store, 0.79)]
    own, drawn = groups if small_first else reversed(groups)
    own = [*own, *_runs(store, 0.8, "cora")]
    both = [*drawn, *own[-2:]]  # beside another graph each is told by its title alone
    figures = [
        reporting.drawn(store, "compare", compare.data(both), statements_of(both)),
        reporting.drawn(store, "tradeoff", tradeoff.data(drawn), statements_of(drawn)),
    ]
    asked = Asked(title="T", runs=[reporting.told_of(store, one) for one in own], figures=figures)
    sections = {section.title: section for section, _ in reporting.sections(asked)}
    in_short = repr(sections["In short"]).partition("How well it works")[2].partition("What the figures show")[0]
    table = repr(sections["What is reported"])
    one, other = same_titles.settled(asked).figures
    labels = {str(row["label"]) for row in one.rows}
    bare, small = f"GAP, {TITLE}", f"GAP, {SMALL}"
    assert (small in labels, bare in labels) == (not small_first, small_first)
    assert other.name.endswith(f", {TITLE if small_first else SMALL}")
    assert f"(one seed, no interval) by {small if small_first else bare}, edge ε" in in_short
    assert (f"by {bare}," in in_short) is not small_first
    assert ("54.4%" in in_short) is small_first
    assert f"'{SMALL}'" in table, "the row of graphs"
